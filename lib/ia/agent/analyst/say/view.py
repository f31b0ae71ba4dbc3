"""What there is to say of a study, part by part: conclusion, warnings, views, counter-evidence, what would end it."""

import re
from collections.abc import Collection
from datetime import timedelta

from ia.agent.analyst.desk import ToolDesk
from ia.agent.analyst.evidence import lens as lenses
from ia.agent.analyst.evidence import past_views
from ia.agent.analyst.evidence.past_views import PastView
from ia.agent.analyst.evidence.readings import VALUATION, readings_at
from ia.agent.analyst.evidence.study import Study
from ia.agent.analyst.evidence.verdict import LEANS, Evidence, Fired, Verdict, describe_level
from ia.agent.analyst.parts import in_list, in_text, part
from ia.agent.analyst.say.outline import outline_at
from ia.agent.analyst.voice import ZH, AnswerVoice, number

_LEANT = {1: "leant up", -1: "leant down", 0: "had no clear direction"}
"""What the evidence did then, in English."""


class View:
    """What there is to say of a study, in the language of whoever asked."""

    def __init__(self, desk: ToolDesk, study: Study) -> None:
        assert study.verdict is not None
        self.desk, self.study, self.speak = desk, study, desk.speak
        self.verdict: Verdict = study.verdict
        self.readings, self.outline = readings_at(desk.tables), outline_at(desk.tables)
        self.earlier: list[PastView] = past_views.find_views(
            study.earlier, study.names, study.closes(), desk.request.day, self.speak
        )

    def _say(self, key: str, **fields: object) -> str:
        """Return a sentence of view.yaml, its fields filled in."""
        return self.speak.fill(self.outline.sentence(key), **fields)

    # what everything begins with

    @property
    def subject(self) -> str:
        """The security: name and code."""
        study = self.study
        if not study.title:
            return study.code or self._say("nameless")
        return study.title if study.title == study.code else self._say("subject", name=study.title, code=study.code)

    @property
    def filed_subject(self) -> str:
        """The security as its notes call it, however it was asked for: by its own name, in the language of the note."""
        study = self.study
        name = study.name if self.speak.lang == ZH else study.english or study.name
        return self._say("subject", name=name, code=study.code) if name not in ("", study.code) else self.subject

    @part("the conclusion", in_text)
    def conclusion(self) -> str:
        """Return the view in a sentence: what each of the first views sees, the lean, the confidence, the horizon."""
        speak, verdict = self.speak, self.verdict
        heads = [head for view in self.study.lens.order if (head := self._head(view))][:3]
        against, support = verdict.count(-1), verdict.count(1)
        return self._say(
            "conclusion",
            heads=speak.join_clauses(heads) or self._say("no_heads"),
            lean=verdict.describe_lean(speak),
            up=support,
            down=against,
            level=describe_level(verdict.confidence, speak),
        )

    @part("the first line", in_text)
    def headline(self) -> str:
        """Return the view in a sentence: which way, how sure, and why no surer."""
        speak, verdict = self.speak, self.verdict
        why = speak.join_clauses([speak.say(reason) for reason in verdict.why])
        return self._say(
            "headline",
            subject=self.subject,
            lean=verdict.describe_lean(speak),
            level=describe_level(verdict.confidence, speak),
            because=self._say("because", why=why) if why else "",
        )

    @part("what speaks for and against", in_text)
    def grounds(self, sign: int, limit: int) -> str:
        """Return the readings of one sign in a line, but for those of the views that are told by themselves.

        Where there are no others, they are those that such a view leaves out.
        """
        speaking = [each for each in self.verdict.speaking(sign) if each.sentence(self.speak)]
        apart = {view: self._shown_apart(view, limit) for view in self._views_apart()}
        told = [each for each in speaking if each.reading.view not in apart]
        told = told or [each for each in speaking if each not in apart[each.reading.view]]
        counted = [each for each in told if self.verdict.kinds.get(each.reading.kind) == sign]
        told = counted or told  # of a kind that counts on the other side only where there is nothing else
        return self.speak.join_clauses([each.sentence(self.speak) for each in self._decisive_readings(told, limit)])

    @part("the views that come first", in_list)
    def views_apart(self, limit: int, figures: int | None = None) -> list[str]:
        """Return a line for the view that the question names, or the soul's first, and each that a coach asked for.

        That of the valuation has so many of its figures, too.
        """
        told, valued = [], self._valued_view
        for view in self._views_apart():
            shown = self._shown_apart(view, limit)
            lines = [self._reading(item) for item in shown]
            if view == valued and (rest := self._list_figures(figures, {item.reading.code for item in shown})):
                lines.append(rest)
            if lines:
                told.append(self._heading(view) + self.speak(": ") + self.speak.join_clauses(lines))
        return told

    def _shown_apart(self, view: str, limit: int) -> list[Evidence]:
        """Return the readings that a view which is told by itself shows."""
        found = [item for item in self.verdict.evidence if item.reading.view == view and self._reading(item)]
        found = [item for item in found if item.sign] or ([] if view == self._valued_view else found)
        return self._decisive_readings(found, limit)

    @property
    def _valued_view(self) -> str:
        """The view that looks at the valuation; "" where none has a reading of it."""
        items = self.verdict.evidence
        return next((item.reading.view for item in items if item.reading.code.startswith(VALUATION)), "")

    def _views_apart(self) -> list[str]:
        lens = self.study.lens
        first = lens.added or (lens.leading if lens.words else "")
        return [each for each in dict.fromkeys((first, *self.study.cares)) if each in lens.order]

    @part("the warnings in force", in_list)
    def alarms(self, limit: int) -> list[str]:
        """Return the critical red flags and must-know rules in force, then as many others, without their numbers."""
        alarms = [item for item in self.study.fired if item.alarming]
        shown = [item for item in alarms if item.critical] + [item for item in alarms if not item.critical][:limit]
        return [self.speak(": ").join(each for each in (item.name, item.says) if each) for item in shown]

    @part("the warnings about the data", in_list)
    def warnings(self) -> list[str]:
        """Return what must be read before anything else: invented prices, old data, critical flags."""
        told = [self._say("simulated")] if self.study.simulated else []
        return told + self.data_warnings() + [self.format_reading(item) for item in self.study.fired if item.critical]

    def data_warnings(self) -> list[str]:
        """Return what the data lack, and that an earlier view has ended."""
        study, told = self.study, []
        if 0 < study.rows < self.readings.weighing.few_bars:
            told.append(self._say("few_bars", rows=study.rows))
        if study.last and study.last < (self.desk.request.moment - timedelta(days=9)).strftime("%Y-%m-%d"):
            told.append(self._say("old_bars", date=study.last))
        last = next((item for item in self.earlier if not item.own), None)
        if last is not None and last.void:
            told.append(self._say("void", date=last.date, condition=last.ends or last.said))
        return told

    @part("the figures of the first line", in_text)
    def snapshot(self, limit: int | None = None) -> str:
        """Return the few figures that everybody wants first, in a line."""
        speak, value = self.speak, self.study.value
        parts = []
        for each in self.outline.snapshot[:limit]:
            if each.always or value(each.code) is not None:
                shown = number(value(each.code), each.unit)
                size = shown.removeprefix("+")
                parts.append(speak.fill(each.text, date=self.study.last or "?", value=shown, size=size))
        return speak(", ").join(parts) + speak(".")

    @part("the valuation", in_text)
    def valuation_line(self, limit: int | None = None) -> str:
        """Return what it costs and earns in a line; "" where nothing is known, or a view apart tells it."""
        return "" if self._valued_view in self._views_apart() else self._list_figures(limit)

    def _list_figures(self, limit: int | None, told_already: Collection[str] = ()) -> str:
        """Return figures of the valuation and the report that tells them, the first so many but for those told."""
        speak, value = self.speak, self.study.value
        known = [(each, told) for each in self.outline.valuation if (told := value(each.code)) is not None][:limit]
        known = [(each, told) for each, told in known if each.code not in told_already]
        if not known:
            return ""
        facts = {name: speak.fill(pair) for name, pair in self.study.facts.items()}
        parts = []
        for each, told in known:
            shown = number(told, each.unit)
            parts.append(speak.fill(each.text, value=shown, size=shown.removeprefix("+"), **facts))
        reported = "report" in self.study.valuation and not told_already
        day = str(self.study.valuation.get("date") or "")
        if day and day != self.study.last:
            parts[-1] += speak(" (prices of {date})", date=day)
        return speak.join_items(parts) + (speak.fill(self.outline.of_report, **facts) if reported else "")

    # what it rests on

    def sections(self) -> list[tuple[str, list[str]]]:
        """Return the views in their order: heading and what their readings say, then what cannot be judged."""
        speak, out = self.speak, []
        for view in self.study.lens.order:
            lines = [self._reading(item) for item in self.verdict.evidence if item.reading.view == view]
            lines = [line for line in lines if line]
            known = lenses.lenses_at(self.desk.tables).views.get(view)
            limits = known and (
                known.limits if self.study.valuation else known.unknown if known.unknown[0] else known.limits
            )
            lines += [speak.fill(limits)] if limits and limits[0] else []
            if lines:
                out.append((self._heading(view), lines))
        return out

    def _decisive_readings(self, told: list[Evidence], most: int) -> list[Evidence]:
        """Return the readings that decide: the primary trend, then another kind each, in the order of the views."""
        ranked = [item for item in told if item.reading == self.readings.primary]
        for item in told:
            if item.reading.kind not in {other.reading.kind for other in ranked}:
                ranked.append(item)
        ranked += [item for item in told if item not in ranked]
        return [item for item in told if item in ranked[:most]]

    def _heading(self, view: str) -> str:
        speak, lens = self.speak, self.study.lens
        title = lenses.view_title(view, speak, self.desk.tables)
        if view == "market":
            title += self._say("of_index", index=self.study.index) if self.study.index else ""
        if view == lens.added:
            return title + self._say("asked_beside", word=lens.words[0])
        if view == lens.leading and lens.by_question:
            return title + self._say("asked_first", word=lens.words[0])
        if view == lens.leading and lens.words:
            return title + self._say("first_in_soul", word=lens.words[0])
        if view == lens.counter:
            return title + self._say("second_opinion")
        if view in self.study.cares:
            return title + self._say("as_taught", lesson=self.study.cares[view])
        return title

    def _reading(self, item: Evidence) -> str:
        told = item.sentence(self.speak)
        if not told:
            return ""
        mark = {1: self._say("speaks_for"), -1: self._say("speaks_against"), 0: ""}[item.sign]
        return told + mark

    @part("rules and patterns in force", in_list)
    def fired_lines(self, limit: int | None = None) -> list[str]:
        """Return the patterns and rules that hold, but for the critical ones, which stand at the top."""
        return [self.format_reading(item, short=limit is not None) for item in self.study.fired if not item.critical][
            :limit
        ]

    def format_reading(self, item: Fired, *, short: bool = False) -> str:
        said = self._say_rule(item) + self._describe_dispute(item)
        from_ = _author(item.source) if short else item.source
        source = self._say("source", source=from_) if from_ else ""
        return f"{said}{source}"

    def _say_rule(self, item: Fired) -> str:
        return self.speak(": ").join(part for part in (item.name, item.says) if part)

    def _describe_dispute(self, item: Fired) -> str:
        """Return where a rule's word on the trend and the reading part, in a clause; "" where they agree."""
        primary, speak = self.readings.primary, self.speak
        value = self.study.value(primary.code) if primary else None
        if primary is None or item.trend is None or value is None or item.trend == primary.sign(value):
            return ""
        trend = self.readings.trend_name(primary.sign(value), speak)
        return speak.fill(primary.disputed, distance=number(value, primary.unit), trend=trend)

    @part("the counter-evidence", in_list)
    def against(self, limit: int = 6) -> list[str]:
        """Return what speaks against the conclusion; without one, what would have to come. Never an empty list."""
        speak, verdict = self.speak, self.verdict
        if not verdict.lean:
            return [self._awaited_line()]
        told = [item.sentence(speak) for item in verdict.speaking(-verdict.lean)]
        told = [line for line in told if line][:limit]
        rules = [item for item in self.study.fired if item.stance == -verdict.lean]
        told += [self._say("rules_against", rules=item.fact or self._say_rule(item)) for item in rules[:limit]]
        return told or [self._say("nothing_against")]

    def _awaited_line(self) -> str:
        """Return what would have to come for a direction, in a line."""
        speak, parts = self.speak, []
        for sign, key in ((1, "awaited_up"), (-1, "awaited_down")):
            others = [self.readings.kind_name(kind, speak) for kind in self.verdict.open_to(sign)]
            parts.append(self._say(key, views=speak.join_items(others), missing=self.verdict.missing_kinds(sign)))
        return self._say("awaited", changes=speak.join_clauses(parts))

    @part("what was not judged", in_list)
    def unjudged_lines(self) -> list[str]:
        """Return what no bar tells, and was not judged."""
        speak = self.speak
        told = [speak.fill(self.outline.unjudged if self.study.valuation else self.outline.unvalued)]
        if self.study.cash_gap:
            told.append(self._say("no_cash_flow", why=self._say(self.study.cash_gap)))
        if "catalyst" in self.study.cares:
            told.append(self._say("catalysts", lesson=self.study.cares["catalyst"]))
        return told

    def confidence(self) -> str:
        """Return the reasons of the confidence; "" where the lean says all."""
        why = self.speak.join_clauses([self.speak.say(reason) for reason in self.verdict.why])
        return self._say("why", why=why) if why else ""

    @part("what would change the view", in_list)
    def changes(self) -> list[str]:
        """Return what would overturn the view: levels that can be checked."""
        speak, value, lean = self.speak, self.study.value, self.verdict.lean
        told = []
        close = value("close")
        for each in self.outline.levels:
            level = value(each.code)
            if lean not in each.leans or level is None or close is None:
                continue
            words = each.above if close > level else each.below
            if words[0]:
                rate = value(each.rate)
                rated = "" if rate is None else speak.fill(each.rated, rate=f"{rate:.0f}%")
                told.append(speak.fill(words, level=number(level, "price"), rated=rated))
        return told

    @part("the next look", in_text)
    def next_look(self) -> str:
        """Return when to look again."""
        day = (self.desk.request.moment + timedelta(days=7)).strftime("%Y-%m-%d")
        return self._say("next_look", date=day)

    @part("the comparison with the last view", in_text)
    def compare_with_past(self) -> str:
        """Return what is other than at the last look: the lean, and the kinds of evidence; "" without one."""
        last = next((item for item in self.earlier if item.kinds or item.lean is not None), None)
        if last is None:
            return ""
        speak, kinds, then = self.speak, self.verdict.kinds, dict(last.kinds)
        words = {1: speak("for"), -1: speak("against"), 0: speak("silent")}
        moved = [
            f"{self.readings.kind_name(kind, speak)} ({words[then.get(kind, 0)]} → {words[sign]})"
            for kind, sign in kinds.items()
            if then and then.get(kind, 0) != sign
        ]
        lean = ""
        if last.lean is not None:
            was, is_ = speak(LEANS[last.lean]), speak(LEANS[self.verdict.lean])
            then_ = speak(_LEANT[last.lean])
            lean = (
                self._say("same_lean", conclusion=is_) if was == is_ else self._say("other_lean", now=is_, then=then_)
            )
        told = [lean] if lean else []
        told += [self._say("moved", moved=speak.join_items(moved))] if moved else []
        if then and not moved:
            told.append(self._say("nothing_moved"))
        return self._say("compared", date=last.date, changes=speak.join_clauses(told)) if told else ""

    @part("what was said before", in_list)
    def before(self, limit: int = 3) -> list[str]:
        """Return what was said earlier and what came of it."""
        return [past_views.describe_view(item, self.speak) for item in self.earlier[:limit]]

    @part("what was said before", in_text)
    def last_view(self) -> str:
        """Return the owner's last words, else the last verdict in a clause, and what has happened since; "" without."""
        if not self.earlier or self.earlier[0].void:  # that it has ended is among the warnings
            return ""
        last = self.earlier[0]
        said = last if last.own else last._replace(said=last.brief or last.said, void=None)
        return past_views.describe_view(said, self.speak, sourced=last.own)

    def _head(self, view: str) -> str:
        """Return what a view sees, in a clause; nothing where it has nothing to say."""
        speak, kinds = self.speak, self.verdict.kinds
        known = lenses.lenses_at(self.desk.tables).views.get(view)
        if known is None or (known.heads_need and known.heads_need not in kinds):
            return ""
        parts: list[str] = []
        for head in known.heads:
            sign = self._sign_of(head.of)
            words = {1: head.speaks_for, -1: head.against, 0: head.silent, None: ("", "")}[sign]
            if not words[0] and sign is not None and not parts and view == self.study.lens.order[0]:
                words = head.first
            if words[0]:
                parts.append(speak.fill(words, **{name: speak.fill(pair) for name, pair in self.study.facts.items()}))
        return speak(", ").join(parts) or speak.fill(known.no_heads)

    def _sign_of(self, part: str) -> int | None:
        """Return which way a part of a head speaks; None where it is not known.

        It is a kind of evidence, the `primary` reading, or the `others` of its kind where they speak unlike it.
        """
        primary = self.readings.primary
        if part not in ("primary", "others") or primary is None:
            return self.verdict.kinds.get(part)
        value = self.study.value(primary.code)
        sign = None if value is None else primary.sign(value)
        if part == "primary":
            return sign
        signs = sum(e.sign for e in self.verdict.evidence if e.reading.kind == primary.kind and e.reading != primary)
        others = (signs > 0) - (signs < 0)
        return others if others != (sign or 0) else 0


def _author(source: str) -> str:
    """Return who says so and when: `Faber (2007)` of a whole reference; any other source as it stands."""
    found = re.match(r"[^:：；（]*?\(?\b(?:19|20)\d\d\b\)?", source)
    return found[0] if found else source


def spoken_for(study: Study, speak: AnswerVoice) -> list[str]:
    """Return the evidence of a study as one line each, for a summary."""
    assert study.verdict is not None
    return [item.sentence(speak) for item in study.verdict.evidence if item.sign]
