"""What there is to say of a study, part by part: conclusion, warnings, views, counter-evidence, what would end it."""

import re
from datetime import timedelta

from ia.agent.analyst import lens as lenses
from ia.agent.analyst import past
from ia.agent.analyst.desk import Desk
from ia.agent.analyst.parts import in_list, in_text, part
from ia.agent.analyst.past import Before
from ia.agent.analyst.readings import KINDS, PRIMARY, READINGS
from ia.agent.analyst.research import Study
from ia.agent.analyst.verdict import LEANS, LEVELS, Evidence, Fired, Verdict
from ia.agent.analyst.voice import ZH, Voice, number

LIMITS = {
    lenses.VALUE: (
        "估值与质量（PE、PB、ROE、现金流、负债）没有数据源，没有评估：上面只是价格位置，不是安全边际",
        "valuation and quality (PE, PB, ROE, cash flow, debt) have no source and were not judged: the above is"
        " where the price stands, not a margin of safety",
    ),
    lenses.TREND: (
        "板块轮动与相对强弱没有板块指数，没有评估；可以用 /compare 与同行对照",
        "rotation and strength against the sector were not judged: there is no sector index; /compare sets it"
        " beside a peer",
    ),
    lenses.QUANT: (
        "单一标的、重叠窗口、同时看几十个条件，偶然命中两三条属正常",
        "one security, overlapping windows and dozens of conditions: two or three hold by chance",
    ),
}
"""What each view cannot see, said with it in the note."""

TRENDS = {
    1: ("主要趋势向上", "the primary trend is up"),
    -1: ("主要趋势向下", "the primary trend is down"),
    0: ("主要趋势不明", "no primary trend to speak of"),
}
"""What the reading of the primary trend is called."""

_LEANT = {1: "leant up", -1: "leant down", 0: "had no clear direction"}
"""What the evidence did then, in English."""

ROOM = {1: (6,), 2: (4, 3), 3: (3, 3, 1), 4: (2, 2, 2, 1), 5: (2, 2, 1, 1, 1)}
"""How many readings of each view an answer shows, by the number of views."""


class View:
    """What there is to say of a study, in the language of whoever asked."""

    def __init__(self, desk: Desk, study: Study) -> None:
        assert study.verdict is not None
        self.desk, self.study, self.speak = desk, study, desk.speak
        self.verdict: Verdict = study.verdict
        self.earlier: list[Before] = past.of(study.earlier, study.names, study.closes(), desk.request.day, self.speak)

    # what everything begins with

    @property
    def subject(self) -> str:
        """The security: name and code."""
        study = self.study
        if not study.title:
            return study.code or self.speak("这份数据", "these bars")
        return (
            study.title
            if study.title == study.code
            else self.speak("{name}（{code}）", "{name} ({code})", name=study.title, code=study.code)
        )

    @part("结论", "the conclusion", in_text)
    def conclusion(self) -> str:
        """Return the view in a sentence: what each of the first views sees, the lean, the confidence, the horizon."""
        speak, verdict = self.speak, self.verdict
        heads = [head for view in self.study.lens.order if (head := self._head(view))][:3]
        against, support = verdict.count(-1), verdict.count(1)
        return speak(
            "{heads}。合起来{lean}（支持 {up} 类，反对 {down} 类），置信度{level}，期限以月计。",
            "{heads}. Taken together {lean} ({up} for, {down} against); confidence {level}, horizon months.",
            heads=speak.listed(heads) or speak("没有可说的读数", "no reading says anything"),
            lean=verdict.told(speak),
            up=support,
            down=against,
            level=speak(*LEVELS[verdict.confidence]),
        )

    @part("对数据的提醒", "the warnings about the data", in_list)
    def warnings(self) -> list[str]:
        """Return what must be read before anything else: invented prices, old data, critical flags."""
        speak, study = self.speak, self.study
        told = []
        if study.simulated:
            told.append(
                speak(
                    "**行情是模拟的**：价格由 demo 市场生成，下面的数字只演示方法，不能用于真实决策。",
                    "**The prices are simulated**: the demo market makes them up. The figures show the method and"
                    " are nothing to act on.",
                )
            )
        if 0 < study.rows < 250:
            told.append(
                speak(
                    "只有 {rows} 根日线，不足一年：长期的读数算不出来，结论从轻。",
                    "There are only {rows} daily bars, less than a year: long-term readings are missing.",
                    rows=study.rows,
                )
            )
        if study.last and study.last < (self.desk.request.moment - timedelta(days=9)).strftime("%Y-%m-%d"):
            told.append(
                speak(
                    "最后一根 K 线是 {date}，已经旧了：停牌或数据滞后时，旧信号作废。",
                    "The last bar is of {date}, which is old: after a halt or late data, old signals are void.",
                    date=study.last,
                )
            )
        if self.earlier and self.earlier[0].void:
            told.append(
                speak(
                    "**旧判断作废**：{date} 写下的失效条件已经触发（{condition}）。",
                    "**The earlier view is void**: the condition named on {date} has come true ({condition}).",
                    date=self.earlier[0].date,
                    condition=self.earlier[0].said,
                )
            )
        told += [self.shown(item) for item in study.fired if item.critical]
        return told

    @part("概览的数字", "the figures of the first line", in_text)
    def snapshot(self) -> str:
        """Return the few figures that everybody wants first, in a line."""
        speak, value = self.speak, self.study.value
        parts = [
            speak(
                "截至 {date} 收盘 {close}",
                "Close {close} on {date}",
                date=self.study.last or "?",
                close=number(value("close"), "price"),
            )
        ]
        for code, zh, en in (
            ("roc(close, 1)", "当日", "day"),
            ("roc(close, 20)", "20 日", "20 days"),
            ("roc(close, 250)", "250 日", "250 days"),
        ):
            if value(code) is not None:
                parts.append(f"{speak(zh, en)} {number(value(code), 'percent')}")
        if value("rsi(close, 14)") is not None:
            parts.append(f"RSI(14) {number(value('rsi(close, 14)'), 'points')}")
        if value("natr(high, low, close, 14)") is not None:
            parts.append(
                speak(
                    "日常波幅 {range}",
                    "ordinary day ±{range}",
                    range=number(value("natr(high, low, close, 14)"), "percent").removeprefix("+"),
                )
            )
        return speak("，", ", ").join(parts) + speak("。", ".")

    # what it rests on

    def sections(self) -> list[tuple[str, list[str]]]:
        """Return the views in their order: heading and what their readings say, then what cannot be judged."""
        speak, out = self.speak, []
        for view in self.study.lens.order:
            lines = [self._reading(item) for item in self.verdict.evidence if item.reading.view == view]
            lines = [line for line in lines if line]
            lines += [speak(*LIMITS[view])] if view in LIMITS else []
            if lines:
                out.append((self._heading(view), lines))
        return out

    def decisive(self) -> list[tuple[str, list[str]]]:
        """Return the views in their order, each with the few readings that decide; the note has them all.

        What speaks against the conclusion is left to the counter-evidence.
        """
        order, out = self.study.lens.order, []
        room = ROOM.get(len(order), (2, *(1 for _ in order[1:])))
        for view, most in zip(order, room, strict=True):
            told = [item for item in self.verdict.evidence if item.reading.view == view and self._reading(item)]
            lines = [self._reading(item) for item in self._chosen(told, most)]
            if told and not lines:
                lines = [self.speak("读数都在反面证据里", "all of its readings are counter-evidence")]
            if lines:
                out.append((self._heading(view), lines))
        return out

    def _chosen(self, told: list[Evidence], most: int) -> list[Evidence]:
        """Return the readings that decide: of the primary trend, then with a direction, of another kind each."""
        lean = self.verdict.lean
        fit = [item for item in told if not lean or item.sign != -lean]
        ranked = [item for item in fit if item.reading is PRIMARY]
        for item in (item for item in fit if item.sign and item not in ranked):
            if item.reading.kind not in {other.reading.kind for other in ranked if other.sign}:
                ranked.append(item)
        ranked += [item for item in fit if item.sign and item not in ranked]
        kept = ranked[:most] or fit[:1]
        return [item for item in told if item in kept]

    def _heading(self, view: str) -> str:
        speak, lens = self.speak, self.study.lens
        title = lenses.title(view, speak)
        if view == "market":
            title += speak("（{index}）", " ({index})", index=self.study.index) if self.study.index else ""
        if view == lens.weighed and lens.by_question:
            return title + speak(
                "——你问的是“{word}”，权重加倍", ' — you asked about "{word}", weighs double', word=lens.words[0]
            )
        if view == lens.weighed and lens.words:
            return title + speak(
                "——soul.md 放在最前（“{word}”），权重加倍",
                ' — first in soul.md ("{word}"), weighs double',
                word=lens.words[0],
            )
        if view == lens.counter:
            return title + speak("——只看一面不够，对照用", " — a second opinion, since one view proves nothing")
        if view in self.study.cares:
            return title + speak("——你教过：“{lesson}”", ' — as you taught: "{lesson}"', lesson=self.study.cares[view])
        return title

    def _reading(self, item: Evidence) -> str:
        told = item.reading.told(item.value, self.speak)
        if not told:
            return ""
        mark = {1: self.speak("（支持）", " (for)"), -1: self.speak("（反对）", " (against)"), 0: ""}[item.sign]
        return told + mark

    @part("命中的规则与形态", "rules and patterns in force", in_list)
    def fired(self, limit: int | None = None) -> list[str]:
        """Return the patterns and rules that hold, but for the critical ones, which stand at the top."""
        return [self.shown(item, short=limit is not None) for item in self.study.fired if not item.critical][:limit]

    def shown(self, item: Fired, *, short: bool = False) -> str:
        said = self.speak("：", ": ").join(part for part in (item.name, item.says) if part) + self._disputed(item)
        from_ = _author(item.source) if short else item.source
        source = self.speak("（来源：{source}）", " (source: {source})", source=from_) if from_ else ""
        return f"**{item.id}** {said}{source}"

    def _disputed(self, item: Fired) -> str:
        """Return where a rule's word on the trend and the reading part, in a clause; "" where they agree."""
        value, speak = self.study.value(PRIMARY.code), self.speak
        if item.trend is None or value is None or item.trend == PRIMARY.sign(value):
            return ""
        return speak(
            "（与读数不一致：收盘距 200 日线 {distance}，{trend}）",
            " (unlike the reading: {distance} from the 200-day average, {trend})",
            distance=number(value, PRIMARY.unit),
            trend=speak(*TRENDS[PRIMARY.sign(value)]),
        )

    @part("反面证据", "the counter-evidence", in_list)
    def against(self, limit: int = 6) -> list[str]:
        """Return what speaks against the conclusion; without one, what would have to come. Never an empty list."""
        speak, verdict = self.speak, self.verdict
        if not verdict.lean:
            return [self._awaited()]
        told = [item.reading.told(item.value, speak) for item in verdict.speaking(-verdict.lean)]
        told = [line for line in told if line][:limit]
        rules = [item.id for item in self.study.fired if item.stance == -verdict.lean]
        if rules:
            told.append(speak("规则与形态：{rules}", "rules and patterns: {rules}", rules=speak.joined(rules)))
        return told or [
            speak("行情里没有反对的读数；这不等于没有风险", "no reading of the bars opposes it, which is not safety")
        ]

    def _awaited(self) -> str:
        """Return what would have to come for a direction, in a line."""
        speak, parts = self.speak, []
        for sign, zh, en in ((1, "偏多", "up"), (-1, "偏空", "down")):
            others = [speak(*KINDS[kind]) for kind in self.verdict.open_to(sign)]
            parts.append(
                speak(
                    "要{side}，{views}里还要有 {missing} 类转为{speak_for}",
                    "to lean {side}, {missing} of {views} must come to speak {speak_for} it",
                    side=speak(zh, en),
                    views=speak.joined(others),
                    missing=self.verdict.missing(sign),
                    speak_for=speak("支持", "for") if sign > 0 else speak("反对", "against"),
                )
            )
        return speak("没有方向，也就没有反面：", "There is no direction to oppose: ") + speak.listed(parts)

    @part("没有评估的内容", "what was not judged", in_list)
    def unjudged(self) -> list[str]:
        """Return what no bar tells, and was not judged."""
        speak = self.speak
        told = [
            speak(
                "财务与估值（PE、PB、ROE、现金流、负债）、公告、股东变动、板块强弱不在行情里，任何一项都可能推翻上面的读数；价格位置不是安全边际。",
                "Accounts and valuation, announcements, holders' dealings and the sector are not in the bars, and"
                " any may overturn the above; where the price stands is no margin of safety.",
            )
        ]
        if "catalyst" in self.study.cares:
            told.append(
                speak(
                    "催化剂与周期的时点：你要求多看（“{lesson}”），但行情里没有，请告诉我你看到的事件与日期。",
                    'Catalysts and timing: you asked for them ("{lesson}"), but bars do not hold them; tell me the'
                    " events"
                    " and dates that you see.",
                    lesson=self.study.cares["catalyst"],
                )
            )
        return told

    def confidence(self) -> str:
        """Return the confidence with its reasons."""
        speak = self.speak
        return speak(
            "置信度的理由：{why}。",
            "Why this confidence: {why}.",
            why=speak.listed([speak(*pair) for pair in self.verdict.why]),
        )

    @part("什么会改变看法", "what would change the view", in_list)
    def changes(self) -> list[str]:
        """Return what would overturn the view: levels that can be checked."""
        speak, value, lean = self.speak, self.study.value, self.verdict.lean
        told = []
        low, high = value("close - 2 * atr(high, low, close, 14)"), value("close + 2 * atr(high, low, close, 14)")
        day200, top = value("sma(close, 200)"), value("highest(high, 55)")
        if lean >= 0 and low is not None:
            told.append(
                speak(
                    "收盘低于 {level}（现价减 2 倍 ATR，日常波动打不到）：近期判断作废。",
                    "A close below {level} (2 ATR down, beyond an ordinary day): the near-term view is void.",
                    level=number(low, "price"),
                )
            )
        if lean <= 0 and high is not None:
            told.append(
                speak(
                    "收盘高于 {level}（现价加 2 倍 ATR）：偏空或观望的判断作废。",
                    "A close above {level} (2 ATR up): a cautious view is void.",
                    level=number(high, "price"),
                )
            )
        close = value("close")
        if day200 is not None and close is not None:
            told.append(
                speak(
                    "收盘跌破 200 日线（{level}）：主要趋势转弱。",
                    "A close below the 200-day average ({level}): the primary trend turns down.",
                    level=number(day200, "price"),
                )
                if close > day200
                else speak(
                    "收盘站上 200 日线（{level}）：主要趋势转强。",
                    "A close above the 200-day average ({level}): the primary trend turns up.",
                    level=number(day200, "price"),
                )
            )
        if lean <= 0 and top is not None and close is not None and close < top:
            told.append(
                speak(
                    "收盘越过 55 日最高价（{level}）：趋势重新启动。",
                    "A close above the 55-day high ({level}): the trend resumes.",
                    level=number(top, "price"),
                )
            )
        return told

    @part("下次看的时间", "the next look", in_text)
    def next_look(self) -> str:
        """Return when to look again."""
        day = (self.desk.request.moment + timedelta(days=7)).strftime("%Y-%m-%d")
        return self.speak(
            "{date}，或上面任何一个价位先到。", "{date}, or when one of the levels above is reached.", date=day
        )

    @part("与上次的比较", "the comparison with the last view", in_text)
    def compared(self) -> str:
        """Return what is other than at the last look: the lean, and the kinds of evidence; "" without one."""
        last = next((item for item in self.earlier if item.kinds or item.lean is not None), None)
        if last is None:
            return ""
        speak, kinds, then = self.speak, self.verdict.kinds, dict(last.kinds)
        words = {1: speak("支持", "for"), -1: speak("反对", "against"), 0: speak("不说话", "silent")}
        moved = [
            f"{speak(*KINDS[kind])} ({words[then.get(kind, 0)]} → {words[sign]})"
            for kind, sign in kinds.items()
            if then and then.get(kind, 0) != sign
        ]
        lean = ""
        if last.lean is not None:
            was, is_ = speak(*LEANS[last.lean]), speak(*LEANS[self.verdict.lean])
            then_ = was if speak.lang == ZH else _LEANT[last.lean]
            lean = (
                speak("结论仍是{conclusion}", "the evidence still {conclusion}", conclusion=is_)
                if was == is_
                else speak("结论由“{then}”变为“{now}”", "the evidence {now} now and {then} then", now=is_, then=then_)
            )
        told = [lean] if lean else []
        told += [speak("变了的证据：{moved}", "what changed: {moved}", moved=speak.joined(moved))] if moved else []
        if then and not moved:
            told.append(speak("各类证据都没有变，没有新信息", "no kind of evidence changed: nothing new"))
        return (
            speak(
                "与 {date} 相比：{changes}。", "Against {date}: {changes}.", date=last.date, changes=speak.listed(told)
            )
            if told
            else ""
        )

    @part("之前的看法", "what was said before", in_list)
    def before(self, limit: int = 3) -> list[str]:
        """Return what was said earlier and what came of it."""
        return [past.told(item, self.speak) for item in self.earlier[:limit]]

    def _head(self, view: str) -> str:
        """Return what a view sees, in a clause; nothing where it has nothing to say."""
        speak, kinds = self.speak, self.verdict.kinds
        if view == lenses.VALUE and "position" in kinds:
            return speak(
                *{
                    1: ("价格在自身历史的低位", "the price is low in its own history"),
                    -1: ("价格在自身历史的高位", "the price is high in its own history"),
                    0: ("价格在自身历史的中段", "the price is in the middle of its own history"),
                }[kinds["position"]]
            )
        if view == lenses.TREND and "trend" in kinds:
            return self._trend(kinds.get("momentum", 0))
        if view == lenses.QUANT and "drift" in kinds:
            score = {1: ("因子得分偏正，", "factors positive, "), -1: ("因子得分偏负，", "factors negative, ")}
            return speak(*score.get(kinds.get("factors", 0), ("", ""))) + speak(
                *{
                    1: ("历史漂移显著向上", "the historical drift is significantly upward"),
                    -1: ("历史漂移显著向下", "the historical drift is significantly downward"),
                    0: ("历史漂移与零分不开", "the historical drift is not to be told from zero"),
                }[kinds["drift"]]
            )
        if view == "market" and "market" in kinds:
            return speak(
                *{
                    1: ("大盘顺风", "the market is a tailwind"),
                    -1: ("大盘逆风", "the market is a headwind"),
                    0: ("大盘没有方向", "the market has no direction"),
                }[kinds["market"]]
            )
        if view == "flow" and "volume" in kinds:
            return speak(
                *{
                    1: ("资金偏流入", "money tends in"),
                    -1: ("资金偏流出", "money tends out"),
                    0: ("资金进出相当", "flows are even"),
                }[kinds["volume"]]
            )
        if view == lenses.RISK and kinds.get("risk", 0) < 0:
            return speak("回撤或波动偏大", "drawdown or volatility is large")
        if view == self.study.lens.order[0] == lenses.RISK and "risk" in kinds:
            return speak("回撤和波动在寻常范围", "drawdown and volatility are within the ordinary")
        return ""

    def _trend(self, momentum: int) -> str:
        """Return the trend in a clause, from the very readings that are listed: the primary one, averages, momentum."""
        speak, value = self.speak, self.study.value(PRIMARY.code)
        others = [e.sign for e in self.verdict.evidence if e.reading.kind == PRIMARY.kind and e.reading is not PRIMARY]
        short = (sum(others) > 0) - (sum(others) < 0)
        primary = PRIMARY.sign(value) if value is not None else 0
        parts = [speak(*TRENDS[primary])] if value is not None else []
        if short and short != primary:
            parts.append(
                speak("中短期均线走强", "shorter averages rise")
                if short > 0
                else speak("中短期均线走弱", "shorter averages fall")
            )
        if momentum:
            parts.append(
                speak("动量偏正", "momentum is positive") if momentum > 0 else speak("动量偏负", "momentum is negative")
            )
        return speak("，", ", ").join(parts) or speak("没有明确趋势", "no clear trend")


def _author(source: str) -> str:
    """Return who says so and when: `Faber (2007)` of a whole reference; any other source as it stands."""
    found = re.match(r"[^:：；（]*?\(?\b(?:19|20)\d\d\b\)?", source)
    return found[0] if found else source


def spoken_for(study: Study, speak: Voice) -> list[str]:
    """Return the evidence of a study as one line each, for a summary."""
    assert study.verdict is not None
    kinds = {reading.kind for reading in READINGS}
    return [
        item.reading.told(item.value, speak)
        for item in study.verdict.evidence
        if item.sign and item.reading.kind in kinds
    ]
