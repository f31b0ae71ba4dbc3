"""What a right answer holds: found by calling tools in the workspace of the exam, never written down."""

import csv
from dataclasses import dataclass, field
from typing import Any

from ia.agent.tools.router import Router, ToolOutcome
from ia.agent.tools.scope import Scope
from ia.kernel.errors import BadData, IaError
from ia.kernel.jsontypes import Json
from ia.organs import sessions
from ia.reach.exam.questions import ExamQuestion

VALUED = ("number", "date", "securities")
"""Checks whose value is what a tool returns."""


@dataclass
class ExpectedAnswer:
    """A question with the values of its checks filled in.

    checks   the checks of the question; `value` is what their source gave, `patterns` what `says` and so on look for
    calls    tools that were called for it, each once: (name, arguments); outcomes: what they gave
    failure  why the values cannot be had on this machine: the question is not asked then
    """

    question: ExamQuestion
    checks: list[Json] = field(default_factory=list)
    calls: list[tuple[str, Json]] = field(default_factory=list)
    outcomes: list[ToolOutcome] = field(default_factory=list)
    failure: IaError | None = None

    @property
    def tokens(self) -> int:
        """An estimate of the size of what the calls gave."""
        return sum(sessions.estimate_tokens(each.format_text()) for each in self.outcomes)


class AnswerFinder:
    """Calls tools as the owner may, and keeps in mind what they returned."""

    def __init__(self, router: Router, scope: Scope, facts: dict[str, str], patterns: dict[str, list[str]]) -> None:
        self._router, self._scope = router, scope
        self._facts, self._patterns = facts, patterns

    def find_expected(self, question: ExamQuestion) -> ExpectedAnswer:
        """Return the values of a question's checks."""
        found = ExpectedAnswer(question)
        try:
            found.checks = [self._fill_check(check, found) for check in question.checks]
        except IaError as exc:
            found.failure = exc
        return found

    def _fill_check(self, check: Json, found: ExpectedAnswer) -> Json:
        kind = next(iter(check))
        filled = {**check, "kind": kind}
        if kind in VALUED:
            filled["value"] = self._find_value(check[kind], found)
        elif kind in ("says", "avoids"):
            filled["patterns"] = self._find_patterns(check[kind], found)
        elif kind in ("proposal", "file"):
            filled["patterns"] = self._find_patterns(check[kind].get("holds", []), found)
        return filled

    def _find_patterns(self, told: list[Any], found: ExpectedAnswer) -> list[str]:
        import re

        patterns: list[str] = []
        for each in told:
            if isinstance(each, dict):
                patterns.append(re.escape(str(self._find_value(each, found))))
            elif each.startswith("$"):
                patterns += self._patterns[each[1:]]
            else:
                patterns.append(each)
        return patterns

    def _find_value(self, source: Json, found: ExpectedAnswer) -> Any:
        if "fact" in source:
            return self._facts[source["fact"]]
        call = (source["tool"], source.get("args", {}))
        if call not in found.calls:
            found.outcomes.append(self._router.call_tool(self._scope, *call))
            found.calls.append(call)
        outcome = found.outcomes[found.calls.index(call)]
        if outcome.failure is not None:
            raise outcome.failure
        return take_value(outcome.value, source["take"], source.get("times", 1))


def take_value(document: Any, path: list[Any], times: float = 1) -> Any:
    """Return the part of a document that a path leads to, a number of it multiplied.

    A step is a key, an index, `*` for each of a list, or a mapping for the row that has these values. Bars are rows.

    >>> take_value({"bars": ["date,close", "2024-03-14,2", "2024-03-15,3"]}, ["bars", {"date": "2024-03-14"}, "close"])
    2.0

    raises  BadData where it leads nowhere.
    """
    for at, step in enumerate(path):
        if isinstance(document, list) and document and isinstance(document[0], str) and "," in document[0]:
            document = list(csv.DictReader(document))
        try:
            if step == "*":
                return [take_value(each, path[at + 1 :], times) for each in document]
            if isinstance(step, dict):
                document = next(row for row in document if step.items() <= row.items())
            else:
                document = document[step]
        except (LookupError, TypeError, StopIteration):
            raise BadData("the result has no {step}", step=str(step)) from None
    if isinstance(document, str) and path[-1] in ("open", "high", "low", "close", "volume"):
        document = float(document)
    return document * times if times != 1 and isinstance(document, int | float) else document
