"""The events of the day: the review after the close against the risk rules, and the main line of what rose most.

Ledger and market are asked for the figures; what only the event knows (which day, how many) stands in its prompt as
data. Where a tool is out of reach, what the prompt says is quoted.
"""

import math
from typing import Any

from ia.agent.analyst import guarded, reply
from ia.agent.analyst.desk import Call, Desk, Result, Work
from ia.agent.analyst.parts import in_list, in_text, part
from ia.agent.analyst.reply import Reply
from ia.agent.analyst.voice import ZH, number
from ia.kernel import config
from ia.kernel.outside import plain_name

REVIEW, GAINERS = "每日复盘", "上涨股票监控"
MOST = 12
_KEPT = {REVIEW: ("复盘报告", "review"), GAINERS: ("主线报告", "report")}


def review(desk: Desk) -> Work[Reply]:
    """Review the day: gain, positions, which rules are broken, the market, and what to do about it."""
    speak = desk.speak
    quoted = desk.request.sections.get("持仓表现", "") if desk.request.figures.get("positions") else ""
    status, market = yield from desk.run(Call("account.status", {}), Call("market.summary", {}))
    positions = positions_of(status)
    title = speak("**每日复盘 {time}（北京时间）**", "**Daily review, {time} (China)**", time=_when(desk))
    broken = broken_rules(desk, status, positions)
    acts = _acts(desk, positions, status)
    lines = [title, *_notes(desk), "", *gained(desk, status), *tabled(desk, positions, quoted), ""]
    lines += [speak("**市场** {breadth}", "**Market** {breadth}", breadth=breadth(desk, market)), ""]
    lines += [speak("**风控**", "**Risk rules**"), *(f"- {line}" for line in broken), ""]
    lines += [speak("**是否操作**", "**What to do**"), *(f"- {line}" for line in acts)]
    kept = yield from _filed(desk, lines)
    points = [title.strip("*"), *broken[:2], *acts[:2]]
    return Reply([*lines, "", *kept, reply.by_rules(speak)], points, [f"{s} {row_of(p)}" for s, p in positions])


def gainers(desk: Desk) -> Work[Reply]:
    """Name the day's main line, or say that there is none. The event itself keeps what was found."""
    speak, count = desk.speak, desk.request.figures.get("top")
    rose = desk.request.sections.get(f"涨幅前{count}", "")
    found = yield from desk.one("market.mainline", **({"top": count} if isinstance(count, int) else {}))
    lines = lines_of(found)
    title = speak("**上涨股票监控 {time}（北京时间）**", "**What rose most, {time} (China)**", time=_when(desk))
    verdict = judged(desk, found, lines)
    out = [title, *_notes(desk), "", verdict, *(f"- {line_told(desk, line)}" for line in lines[:5]), ""]
    out += [speak("**涨幅居前**", "**At the top**"), *rose.splitlines()[:5], ""]
    out += [speak("**是否调整**", "**What to change**"), *(f"- {line}" for line in _changes(desk, lines))]
    kept = yield from _filed(desk, out)
    points = [title.strip("*"), verdict]
    return Reply([*out, "", *kept, reply.by_rules(speak)], points, [line_told(desk, each) for each in lines])


EVENTS = {REVIEW: review, GAINERS: gainers}
"""What stands behind 【事件】 -> the work that it means."""


@part("报告的保存", "the report in the notebook", in_list)
def _filed(desk: Desk, lines: list[str]) -> Work[list[str]]:
    """Write the day's report; return where it lies, in lines.

    A run that is made up for next morning is of the day that its figures are of, and leaves the next day's place
    free.
    """
    event, day = desk.request.event, (_stale(desk) if config.run() is not None else "") or desk.request.day
    folder = "daily" if event == REVIEW else "gainers"
    path = desk.request.place or f"reports/{folder}/{day}.md"
    text = "\n".join([*lines, "", reply.by_rules(desk.speak)]) + "\n"
    result = yield from desk.one("notebook.write", path=path, content=text)
    return reply.paths(desk, (result, *_KEPT[event]))


def _when(desk: Desk) -> str:
    return f"{desk.request.moment:%Y-%m-%d %H:%M}"


def _stale(desk: Desk) -> str:
    """Return the day of figures that are not today's; else ""."""
    return str(desk.request.figures.get("day") or "") if desk.request.figures.get("stale") else ""


def _notes(desk: Desk) -> list[str]:
    """Return what is to be known of the figures first: how old they are, and whether they are invented."""
    speak, notes = desk.speak, []
    if day := _stale(desk):
        if time := desk.request.figures.get("time"):
            day += speak(" {time}（盘中）", " {time} (before the close)", time=time)
        notes.append(
            speak(
                "> 行情只到 {date}，不是今天收盘的；先 `ia sync daily` 再看。",
                "> The market is stored up to {date} only, not today's close; run `ia sync daily` first.",
                date=day,
            )
        )
    if desk.request.figures.get("simulated"):
        notes.append(speak("> 行情是模拟的，数字只演示方法。", "> The prices are simulated."))
    return notes


# the review


def positions_of(status: Result) -> list[tuple[str, dict[str, Any]]]:
    """Return the positions of an account by symbol."""
    held = status.get("positions") if status.ok else None
    return sorted(held.items()) if isinstance(held, dict) else []


@part("今日盈亏", "the gain of the day", in_list)
def gained(desk: Desk, status: Result) -> list[str]:
    """Return the gain of the day, the whole one and the equity, currency by currency, in one line."""
    speak = desk.speak
    if not status.ok:
        return [speak("**今日盈亏** {reason}", "**Gain of the day** {reason}", reason=_first(desk, "今日盈亏"))]
    parts = []
    purses = status.get("currencies")
    for currency, purse in sorted(purses.items()) if isinstance(purses, dict) else []:
        today, equity = purse.get("today_pnl"), purse.get("equity")
        start = None if today is None or equity is None else equity - today
        pct = f" ({today / start * 100:+.2f}%)" if start else ""
        told = [
            f"{_money(today)} {currency}{pct}"
            if today is not None
            else speak("{currency} 今日未知", "{currency} today unknown", currency=currency),
            speak("累计 {total}", "in all {total}", total=_money(purse.get("total_pnl"))),
            speak("权益未知（没有记入金）", "equity unknown (no deposit is entered)")
            if equity is None
            else speak("权益 {equity}", "equity {equity}", equity=_money(equity, sign="")),
        ]
        parts.append(("，" if speak.lang == "zh" else ", ").join(told))
    empty = speak("账本是空的：`ia trade buy` 记第一笔", "the ledger is empty: `ia trade buy` enters the first trade")
    return [speak("**今日盈亏** {gains}", "**Gain of the day** {gains}", gains=speak.listed(parts) or empty)]


def _first(desk: Desk, name: str) -> str:
    return desk.request.sections.get(name, "").partition("\n")[0] or desk.speak("未知", "unknown")


@part("持仓表现", "the holdings", in_list)
def tabled(desk: Desk, positions: list[tuple[str, dict[str, Any]]], quoted: str = "") -> list[str]:
    """Return the positions as a table; what the prompt says of them (`quoted`) where there are none."""
    speak = desk.speak
    if not positions:
        return quoted.splitlines()
    head = speak(
        "| 持仓 | 数量 | 现价 | 今日 | 浮动 | 仓位 |", "| position | shares | price | today | profit | weight |"
    )
    rows = [f"| {symbol} {plain_name(each.get('name'))} | {row_of(each)} |" for symbol, each in positions[:MOST]]
    more = len(positions) - MOST
    rest = [speak("（另有 {count} 只）", "({count} more)", count=more)] if more > 0 else []
    return ["", head, "| --- | ---: | ---: | ---: | ---: | ---: |", *rows, *rest]


def row_of(each: dict[str, Any]) -> str:
    """Return a position: shares, price, gain of the day, profit, weight."""
    cells = [
        number(each.get("size"), "shares"), number(each.get("current_price"), "price"), _money(each.get("today_pnl")),
        _percent(each.get("unrealized_pct")), _percent(each.get("weight_pct"), sign=""),
    ]  # fmt: skip
    return " | ".join(cells)


@part("风控规则的核对", "the check of the risk rules", in_list)
def broken_rules(desk: Desk, status: Result, positions: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Return the rules that are broken, with number and limit; that none is, where the ledger says so."""
    speak = desk.speak
    if not status.ok:
        told = [*_told(desk, "day_breaches"), *_told(desk, "breaches")]
        return told or [speak("账本没有读到，没有核对", "the ledger was not read: nothing was checked")]
    warnings = status.get("warnings") or []
    found = [guarded.said(desk, each) for each in warnings if isinstance(each, dict)]
    limit = _limits(desk)
    if "risk.position_pct" not in {each.get("rule") for each in warnings if isinstance(each, dict)}:
        for symbol, each in positions:
            weight = each.get("weight_pct")
            if weight is not None and limit["position"] is not None and weight > limit["position"]:
                found.append(
                    speak(
                        "{symbol} 仓位超限：{weight:.1f}% > {position_limit:g}%",
                        "{symbol} position limit: {weight:.1f}% > {position_limit:g}%",
                        symbol=symbol, weight=weight,
                        position_limit=limit["position"],
                    )
                )  # fmt: skip
    if found:
        return found
    if not positions:
        return [speak("没有持仓，没有触线", "nothing is held, no rule is touched")]
    return [
        speak(
            "没有触线：单日亏损、仓位、止损都在限内", "no rule is touched: loss of the day, position sizes, stop-losses"
        )
    ]


def _told(desk: Desk, name: str) -> list[str]:
    """Return lines that the event tells, to be quoted."""
    told = desk.request.figures.get(name)
    return [str(line) for line in told] if isinstance(told, list) else []


def _limits(desk: Desk) -> dict[str, float | None]:
    """Return the limits of position, stop-loss and rise in per cent."""
    names = {"position": "position_pct", "stop": "stop_loss_pct", "rise": "rise_pct"}
    return {name: desk.request.limits.get(key) for name, key in names.items()}


@part("操作建议", "what to do", in_list)
def _acts(desk: Desk, positions: list[tuple[str, dict[str, Any]]], status: Result) -> list[str]:
    """Return what the rules ask for, position by position, and for tomorrow; nothing more is advised."""
    speak, limit, acts = desk.speak, _limits(desk), []
    for symbol, each in positions:
        name = f"{symbol} {plain_name(each.get('name'))}".rstrip()
        loss, weight, size = each.get("unrealized_pct"), each.get("weight_pct"), each.get("size") or 0
        if limit["stop"] is not None and loss is not None and loss <= -limit["stop"]:
            acts.append(
                speak(
                    "{symbol}：止损提醒：{loss:.2f}% <= -{stop_limit:g}%。下次开盘前决定：卖出（今天可卖"
                    " {sellable}），或写下不卖的理由。",
                    "{symbol}: stop reminder: {loss:.2f}% <= -{stop_limit:g}%. Decide before the next open: sell"
                    " ({sellable} may be sold"
                    " today), or write down why not.",
                    symbol=name, loss=loss, stop_limit=limit["stop"],
                    sellable=number(each.get("sellable") or 0, "shares"),
                )
            )  # fmt: skip
        if limit["position"] is not None and weight is not None and weight > limit["position"]:
            over = each.get("above_limit") or math.ceil(size * (1 - limit["position"] / weight))
            acts.append(
                speak(
                    "{symbol}：仓位超限：{weight:.1f}% > {position_limit:g}%，不再加；减到限内约需卖"
                    " {excess_shares} 股。",
                    "{symbol}: position limit: {weight:.1f}% > {position_limit:g}%. Add nothing; about"
                    " {excess_shares} shares less bring it within.",
                    symbol=name, weight=weight, position_limit=limit["position"], excess_shares=number(over, "shares"),
                )
            )  # fmt: skip
    rules = (
        {each.get("rule") for each in status.get("warnings") or [] if isinstance(each, dict)} if status.ok else set()
    )
    if "risk.day_stop_pct" in rules:
        acts.append(
            speak(
                "今天的亏损已到禁止开仓的线：明天之前不开新仓。",
                "Today's loss forbids new positions: open none before tomorrow.",
            )
        )
    if not status.ok:
        acts += _told(desk, "breaches")
    if not acts:
        acts.append(speak("规则没有要求操作：不动。", "The rules ask for nothing: leave it."))
    acts.append(
        speak(
            "明天：当日涨幅超过 {rise_limit:g}% 的不追；`ia trade buy` 先过风控，单只不超过 {position_limit:g}%。",
            "Tomorrow: chase nothing that is up more than {rise_limit:g}%; `ia trade buy` asks the rules of risk"
            " first; no"
            " position above {position_limit:g}%.",
            rise_limit=limit["rise"] or 5, position_limit=limit["position"] or 20,
        )
    )  # fmt: skip
    return acts


@part("市场表现", "the market of the day", in_text)
def breadth(desk: Desk, market: Result) -> str:
    """Return how many rose and fell on the day, in a sentence."""
    speak = desk.speak
    boards = market.get("boards") if market.ok else None
    if not isinstance(boards, list) or not boards:
        return _first(desk, "市场表现")
    whole = boards[0]
    mood = (whole.get("up") or 0) / max(1, (whole.get("up") or 0) + (whole.get("down") or 0))
    moods = (("普涨", "broad rise"), ("普跌", "broad fall"), ("分化", "mixed"))
    state = speak(*moods[0 if mood >= 0.7 else 1 if mood <= 0.3 else 2])
    line = _told_lines(desk) if speak.lang == ZH else ""
    return speak(
        "{date} {state}：涨 {up} 跌 {down} 平 {flat}，涨停 {limit_up} 跌停 {limit_down}，中位数 {median}{line}",
        "{date} {state}: {up} up, {down} down, {flat} flat, {limit_up} limit-up, {limit_down} limit-down, median"
        " {median}{line}",
        date=market.get("date"), state=state, up=whole.get("up"), down=whole.get("down"), flat=whole.get("flat"),
        limit_up=_count(desk, whole.get("limit_up")), limit_down=_count(desk, whole.get("limit_down")),
        median=_percent(whole.get("median_pct")), line=line,
    )  # fmt: skip


def _told_lines(desk: Desk) -> str:
    """Return the main lines that the event tells of, in a clause; "" where it tells nothing of them."""
    lines = desk.request.figures.get("main_lines")
    if not isinstance(lines, list):
        return ""
    names = "、".join(f"{_name(line)}（{line.get('hits')} 只上榜）" for line in lines if isinstance(line, dict))
    return f"；主线：{names}" if names else "；没有成形的主线"


def _count(desk: Desk, number: int | None) -> str:
    return desk.speak("未知", "an unknown number of") if number is None else str(number)


# what rose most


def lines_of(found: Result) -> list[dict[str, Any]]:
    """Return the main lines that were found."""
    lines = found.get("lines") if found.ok else None
    return [line for line in lines if isinstance(line, dict)] if isinstance(lines, list) else []


@part("主线判断", "the main line", in_text)
def judged(desk: Desk, found: Result, lines: list[dict[str, Any]]) -> str:
    """Return the judgment of the day in a sentence: the session keeps an answer with it as importance 2."""
    speak = desk.speak
    if lines:
        names = speak.joined([_name(line) for line in lines[:3]])
        return speak(
            "{date} 市场主线是{groups}。",
            "{date}: the market's main line is {groups}.",
            date=found.get("date"),
            groups=names,
        )
    if found.ok:
        return speak("当天没有超出随机的主线。", "No group stands out from chance: there was no main theme that day.")
    return speak(
        "主线没有算出：{reason}", "The groups could not be worked out: {reason}", reason=_first(desk, "分组结果")
    )


def _name(line: dict[str, Any]) -> str:
    return plain_name(line.get("name"), 16)


@part("一条主线", "one main line", in_text)
def line_told(desk: Desk, line: dict[str, Any]) -> str:
    """Return a main line with its figures and leaders."""
    leaders = [
        f"{each.get('symbol')} {plain_name(each.get('name'))} {_percent(each.get('change_pct'))}"
        for each in line.get("leaders") or []
        if isinstance(each, dict)
    ][:3]
    return desk.speak(
        "{name}：上榜 {hits} 只（共 {members} 只，随机 {expected:g}），平均 {change}，超额 {excess}；领涨 {leaders}",
        "{name}: {hits} of its {members} among the top ({expected:g} by chance), mean {change}, excess {excess}; led"
        " by {leaders}",
        name=_name(line), hits=line.get("hits"), members=line.get("members"), expected=line.get("expected") or 0,
        change=_percent(line.get("change_pct")), excess=_percent(line.get("excess_pct")),
        leaders=desk.speak.joined(leaders),
    )  # fmt: skip


@part("调整建议", "what to change", in_list)
def _changes(desk: Desk, lines: list[dict[str, Any]]) -> list[str]:
    speak, rise = desk.speak, _limits(desk)["rise"] or 5
    acts = [
        speak(
            "今天涨幅超过 {rise_limit:g}% 的一律不追：上榜的先观察，回落后再研究。",
            "Nothing that rose more than {rise_limit:g}% today is chased: watch it, research it after it fell back.",
            rise_limit=rise,
        )
    ]
    if lines:
        acts.append(
            speak(
                "可以关注{group}的延续性（近 5 日日均超额 {excess}）；要关注就说“关注 代码”，我不会自己加。",
                "See whether {group} lasts (excess of the last 5 days {excess} a day); to watch a security say so:"
                " nothing is"
                " added unasked.",
                group=_name(lines[0]), excess=_percent(lines[0].get("excess_5d_pct")),
            )
        )  # fmt: skip
    else:
        acts.append(speak("没有主线，不调整方向。", "There is no theme to follow: change no direction."))
    return acts


def risen(each: dict[str, Any]) -> str:
    """Return a stock that rose: code, name, change, industry."""
    cells = (
        str(each.get("symbol")), plain_name(each.get("name")), _percent(each.get("change_pct")),
        plain_name(each.get("industry"), 16),
    )  # fmt: skip
    return " ".join(cell for cell in cells if cell)


def _money(value: Any, sign: str = "+") -> str:
    return "–" if not isinstance(value, int | float) else f"{value:{sign},.2f}"


def _percent(value: Any, sign: str = "+") -> str:
    return "–" if not isinstance(value, int | float) else f"{value:{sign}.2f}%"
