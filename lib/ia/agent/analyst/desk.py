"""The desk: which tools are within reach, and what they returned. A piece of work is a generator of calls.

A generator yields a list of calls, is sent their results in the same order, and returns what it made of them. It
depends on nothing but the request and those results, so that the same work can be taken up again from a transcript.
"""

import json
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, TypeVar

from ia.agent.analyst.ask.request import UserRequest
from ia.agent.analyst.parts import LeftOut
from ia.agent.analyst.tables import Tables
from ia.faculties.skills.templates import check_template
from ia.kernel.errors import BadData
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

T = TypeVar("T")

HOMES = {
    "readings": "research", "labels": "research", "lenses": "research", "figures": "research", "view": "research",
    "valuation": "research", "study": "research",
    "facts_settings": "research", "facts_risk": "research",
    "facts_record": "research", "facts_days": "research", "facts_lists": "research",
    "facts_company": "research", "facts_plain": "research", "facts_howto": "research", "grounds": "research",
    "facts_everyday": "research", "facts_ledger": "research", "facts_holdings": "research", "facts_history": "research",
    "facts_trades": "research", "facts_owner": "research", "facts_tasks": "research", "facts_worth": "research",
    "facts_security": "research", "facts_reports": "research", "facts_quote": "research", "facts_account": "research",
    "facts_prices": "research", "facts_market": "research", "holidays": "research", "glossary": "research",
    "glossary_more": "research",
    "criteria": "scan", "technicals": "scan", "technicals_more": "scan", "facts_scan": "scan",
    "backtest_rules": "backtest",
}  # fmt: skip
"""Table -> the skill that it belongs to."""


class DeskCall(NamedTuple):
    """A call of a tool under its name in ia: `market.ohlcv`."""

    tool: str
    args: Json


_JSON_PARTS = pattern(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\]]', re.S)
"""A text of JSON, whole or cut off, or a bracket outside one."""

NO_TOOL = "no-such-tool"
"""The code of a failure whose reason is that the tool is not within reach."""


class Failure(NamedTuple):
    """Why a call gave no value: a sentence, its code (ia.kernel.errors), and what to do next.

    fields  such as `beside`, the path that is free
    """

    error: str
    code: str = ""
    hint: str = ""
    fields: Mapping[str, Any] = {}

    @property
    def sentence(self) -> str:
        """The sentence, and what to do next."""
        return f"{self.error}; {self.hint}" if self.hint else self.error


class DeskResult(NamedTuple):
    """What a call gave: the value, or why there is none."""

    value: Any
    failure: Failure | None = None

    @property
    def ok(self) -> bool:
        """Whether it worked."""
        return self.failure is None

    @property
    def missing(self) -> bool:
        """Whether there is no such tool within reach."""
        return self.failure is not None and self.failure.code == NO_TOOL

    def get(self, key: str) -> Any:
        """Return a field of an object, None where there is none."""
        return self.value.get(key) if isinstance(self.value, dict) else None


Work = Generator[list[DeskCall], list[DeskResult], T]

_OTHERS: dict[str, tuple[str, ...]] = {
    "compute.run": ("ia_compute",),
    "notebook.write": ("ia_note_write",),
    "memory.recall": ("ia_recall",),
    "market.ohlcv": ("ia_ohlcv",),
}
_SYNONYMS = (("content", "text", "body"), ("topic", "subject"), ("because", "why", "reason"), ("query", "words", "q"))


def parse_result(output: str) -> DeskResult:
    """Return a tool's answer as a result: JSON where it is JSON, and a failure where it is one of the router.

    `Error: …` is what `llm` makes of an exception in a tool that is not ia's.
    """
    if output[:6].lower() == "error:":
        return DeskResult(None, Failure(output[6:].strip() or "error"))
    if output[:1] not in "{[":
        return DeskResult(output)
    try:
        value, end = json.JSONDecoder().raw_decode(output)
    except ValueError:
        return DeskResult(_mend_json(output))
    if output[end:].lstrip().startswith(("<<", "{")):
        return DeskResult(output)
    if isinstance(value, dict) and isinstance(value.get("error"), str) and isinstance(value.get("code"), str):
        return DeskResult(None, Failure(value["error"], value["code"], str(value.get("hint") or ""), value))
    return DeskResult(value)


def _mend_json(output: str) -> Any:
    """Return the object that was cut off for its length, up to the last element that is whole; else the text."""
    stack: list[str] = []
    whole: list[tuple[int, str]] = []
    for found in _JSON_PARTS.finditer(output):
        char = found[0]
        if char in "{[":
            stack.append("}" if char == "{" else "]")
        elif char in "}]" and stack:
            stack.pop()
            whole.append((found.end(), "".join(reversed(stack))))
    for at, closing in reversed(whole[-50:]):
        try:
            return json.loads(output[:at] + closing)
        except ValueError:
            continue
    return output


_IN_WORD = pattern(r"[a-z\d.'’%-]", re.I)
"""Signs of a word of letters or of a number."""


class ToolDesk:
    """A request, the tools within reach for it, and what was made on the way.

    said    the message as it was typed, whatever it is read as
    ranked  codes of the securities that the answer puts in an order, the first ones first
    short_names     the short names that the question had for securities, by their codes
    narrow  what of a tool's result counts; None: all of it
    asks_which  whether the answer asks which of several is meant: no other reading is tried then
    is_loosened  whether a question is read in plainer words than it was said in
    is_reading_again  whether the request is a known question in place of what was asked: none is sought for it
    """

    def __init__(self, request: UserRequest, offered: Mapping[str, Mapping[str, Any]]) -> None:
        """offered  names of tools as they are on the wire, each with the schema of its arguments."""
        self.request = request
        self.said = request.question
        self.speak = request.speak
        self.offered = offered
        self.written: list[str] = []
        self.proposals: list[DeskResult] = []
        self.lacking: list[str] = []
        self.allowed: list[str] | None = None
        self.left_out: list[LeftOut] = []
        self.last_lines: list[str] = []
        self.ranked: list[str] = []
        self.short_names: dict[str, str] = {}
        self.is_reading_again = False
        self.asks_which = False
        self.is_loosened = False
        self.narrow: Callable[[str, DeskResult], DeskResult] | None = None
        self.tables = Tables(lambda skill, problem: self.note_unused(skill, self.speak.say(problem)))

    def wire(self, tool: str) -> str | None:
        """Return the name under which a tool is offered; None where it is not, or the skill in force forbids it."""
        if self.allowed is not None and not any(fnmatchcase(tool, pattern) for pattern in self.allowed):
            return None
        plain = tool.replace(".", "_")
        for name in (plain, tool, f"ia_{plain}", *_OTHERS.get(tool, ())):
            if name in self.offered:
                return name
        return None

    def has(self, tool: str) -> bool:
        """Whether a tool is within reach."""
        return self.wire(tool) is not None

    @property
    def stranger(self) -> bool:
        """Whether somebody else's program runs the calls, one by one, and passes nothing between them."""
        return "ia_ohlcv" in self.offered

    def fit_arguments(self, call: DeskCall) -> tuple[str, Json]:
        """Return the name and arguments of a call as its schema has them; what it does not take is left out."""
        name = self.wire(call.tool) or call.tool
        takes = self.offered.get(name, {}).get("properties")
        if not isinstance(takes, Mapping):
            return name, dict(call.args)
        args: Json = {}
        for key, value in call.args.items():
            family = next((names for names in _SYNONYMS if key in names), (key,))
            as_ = key if key in takes else next((other for other in family if other in takes), None)
            if as_ is not None:
                args[as_] = value
        return name, args

    def run(self, *calls: DeskCall) -> Work[list[DeskResult]]:
        """Make calls at the same time; those of tools that are out of reach are answered as missing."""
        within = [call for call in calls if self.has(call.tool)]
        given = iter((yield within) if within else [])
        results = [
            next(given)
            if self.has(call.tool)
            else DeskResult(None, Failure(f"{call.tool} is not within reach", NO_TOOL))
            for call in calls
        ]
        for call, result in zip(calls, results, strict=True):
            if result.missing and call.tool not in self.lacking:
                self.lacking.append(call.tool)
            self._note_written(result)
            problems = result.get("problems") if result.ok and call.tool in ("skills.load", "skills.check") else None
            for each in problems if isinstance(problems, list) else []:
                self.note_unused(str(each["skill"]), str(each["problem"]))
        if self.narrow is None:
            return results
        return [self.narrow(call.tool, result) for call, result in zip(calls, results, strict=True)]

    def load_tables(self, *names: str, templates: tuple[str, ...] = ()) -> Work[None]:
        """Ask for tables of skills and templates of research, each once.

        The ones that come with ia stand in for what is not there, and for what cannot be used.
        """
        paths = {f"knowledge/{name}.yaml": HOMES[name] for name in names if not self.tables.has(name)}
        paths |= {f"templates/{name}.md": "research" for name in templates if not self.tables.has_template(name)}
        if not paths or not self.has("skills.load"):
            return
        asked = [{"name": skill, "file": path, "steps": True} for path, skill in paths.items()]
        results = yield from self.run(*(DeskCall("skills.load", args) for args in asked))
        for (path, skill), result in zip(paths.items(), results, strict=True):
            if result.failure is not None:
                self.note_unused(skill, result.failure.error)
            self._take_file(skill, path, result)

    def _take_file(self, skill: str, path: str, result: DeskResult) -> None:
        """Take a table or a template that was asked for."""
        data, lines = result.get("data"), result.get("lines")
        name = path.rpartition("/")[2].rpartition(".")[0]
        if path.endswith(".md"):
            self.tables.put_template(name, data if isinstance(data, str) and self.is_usable(skill, path, data) else "")
        else:
            tree = data if isinstance(data, dict) else None
            self.tables.put(skill, name, tree, lines if isinstance(lines, dict) else {})

    def is_usable(self, skill: str, path: str, text: str) -> bool:
        """Return whether a template can be used; where not, the answer says why."""
        try:
            check_template(text, path)
        except BadData as exc:
            self.note_unused(skill, self.speak.say(exc))
            return False
        return True

    def one(self, tool: str, /, **args: Any) -> Work[DeskResult]:
        """Make one call."""
        return (yield from self.run(DeskCall(tool, args)))[0]

    def quote_typed(self, words: Sequence[str]) -> list[str]:
        """Return words that were not read as they were typed, whole; the message where none of them was typed."""
        found, low = [], self.said.casefold()
        for word in (each.strip(" .,，。") for each in words):
            at = low.find(word.casefold()) if len(low) == len(self.said) else -1
            if at < 0 or not word:
                continue
            begin, end = at, at + len(word)
            while begin and _IN_WORD.match(self.said[begin - 1]) and _IN_WORD.match(self.said[begin]):
                begin -= 1
            while end < len(low) and _IN_WORD.match(self.said[end - 1]) and _IN_WORD.match(self.said[end]):
                end += 1
            found.append(self.said[begin:end].rstrip(".,'’-"))
        return list(dict.fromkeys(found)) or [self.said.strip()[:60]]

    def join_typed(self, words: Sequence[str]) -> str:
        """Return words that were not read as they were typed, as one text."""
        return self.speak.join_items(self.quote_typed(words))

    def note_unused(self, skill: str, problem: str) -> None:
        """Say at the end of the answer, once, what of a skill could not be used."""
        line = self.speak(
            "A part of the skill {skill} was not used: {problem}",
            skill=skill,
            problem=problem,
        )
        if line not in self.last_lines:
            self.last_lines.append(line)

    def _note_written(self, result: DeskResult) -> None:
        """Keep the paths and the proposals that a result tells of."""
        if not result.ok or not isinstance(result.value, dict):
            return
        if result.get("proposal") is not None:
            self.proposals.append(result)
        if result.get("status") in ("written", "untrusted"):
            self.written.append(str(result.get("path")))
