"""The desk: which tools are within reach, and what they returned. A piece of work is a generator of calls.

A generator yields a list of calls, is sent their results in the same order, and returns what it made of them. It
depends on nothing but the request and those results, so that the same work can be taken up again from a transcript.
"""

import json
from collections.abc import Generator, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, TypeVar

from ia.agent.analyst.parts import LeftOut
from ia.agent.analyst.request import Request

T = TypeVar("T")


class Call(NamedTuple):
    """A call of a tool under its name in ia: `market.ohlcv`."""

    tool: str
    args: dict[str, Any]


NO_TOOL = "no-such-tool"
"""The code of a failure whose reason is that the tool is not within reach."""


class Failure(NamedTuple):
    """Why a call gave no value: a sentence, its code (ia.kernel.errors), what to do next, and what else the router
    tells.

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


class Result(NamedTuple):
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


Work = Generator[list[Call], list[Result], T]

_OTHERS: dict[str, tuple[str, ...]] = {
    "compute.run": ("ia_compute",),
    "notebook.write": ("ia_note_write",),
    "memory.recall": ("ia_recall",),
    "market.ohlcv": ("ia_ohlcv",),
}
_SYNONYMS = (("content", "text", "body"), ("topic", "subject"), ("because", "why", "reason"), ("query", "words", "q"))


def parsed(output: str) -> Result:
    """Return a tool's answer as a result: JSON where it is JSON, and a failure where it is one of the router.

    `Error: …` is what `llm` makes of an exception in a tool that is not ia's.
    """
    if output[:6].lower() == "error:":
        return Result(None, Failure(output[6:].strip() or "error"))
    if output[:1] not in "{[":
        return Result(output)
    try:
        value, end = json.JSONDecoder().raw_decode(output)
    except ValueError:
        return Result(_mended(output))
    if output[end:].lstrip().startswith(("<<", "{")):
        return Result(output)
    if isinstance(value, dict) and isinstance(value.get("error"), str) and isinstance(value.get("code"), str):
        return Result(None, Failure(value["error"], value["code"], str(value.get("hint") or ""), value))
    return Result(value)


def _mended(output: str) -> Any:
    """Return the object that was cut off for its length, up to the last element that is whole; else the text."""
    stack: list[str] = []
    whole: list[tuple[int, str]] = []
    inside = escaped = False
    for at, char in enumerate(output):
        if inside:
            inside = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            inside = True
        elif char in "{[":
            stack.append("}" if char == "{" else "]")
        elif char in "}]" and stack:
            stack.pop()
            whole.append((at + 1, "".join(reversed(stack))))
    for at, closing in reversed(whole[-50:]):
        try:
            return json.loads(output[:at] + closing)
        except ValueError:
            continue
    return output


class Desk:
    """A request, the tools within reach for it, and what was made on the way."""

    def __init__(self, request: Request, offered: Mapping[str, Mapping[str, Any]]) -> None:
        """offered  names of tools as they are on the wire, each with the schema of its arguments."""
        self.request = request
        self.speak = request.speak
        self.offered = offered
        self.written: list[str] = []
        self.proposals: list[Result] = []
        self.lacking: list[str] = []
        self.allowed: list[str] | None = None
        self.left_out: list[LeftOut] = []
        self.last_lines: list[str] = []

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

    def fitted(self, call: Call) -> tuple[str, dict[str, Any]]:
        """Return the name and arguments of a call as its schema has them; what it does not take is left out."""
        name = self.wire(call.tool) or call.tool
        takes = self.offered.get(name, {}).get("properties")
        if not isinstance(takes, Mapping):
            return name, dict(call.args)
        args: dict[str, Any] = {}
        for key, value in call.args.items():
            family = next((names for names in _SYNONYMS if key in names), (key,))
            as_ = key if key in takes else next((other for other in family if other in takes), None)
            if as_ is not None:
                args[as_] = value
        return name, args

    def run(self, *calls: Call) -> Work[list[Result]]:
        """Make calls at the same time; those of tools that are out of reach are answered as missing."""
        within = [call for call in calls if self.has(call.tool)]
        given = iter((yield within) if within else [])
        results = [
            next(given) if self.has(call.tool) else Result(None, Failure(f"{call.tool} is not within reach", NO_TOOL))
            for call in calls
        ]
        for call, result in zip(calls, results, strict=True):
            if result.missing and call.tool not in self.lacking:
                self.lacking.append(call.tool)
            self._noted(result)
            problems = result.get("problems") if result.ok and call.tool in ("skills.load", "skills.check") else None
            for each in problems if isinstance(problems, list) else []:
                self.unused(str(each["skill"]), str(each["problem"]))
        return results

    def one(self, tool: str, /, **args: Any) -> Work[Result]:
        """Make one call."""
        return (yield from self.run(Call(tool, args)))[0]

    def unused(self, skill: str, problem: str) -> None:
        """Say at the end of the answer, once, what of a skill could not be used."""
        line = self.speak(
            "技能 {skill} 有一部分没有用上：{problem}",
            "A part of the skill {skill} was not used: {problem}",
            skill=skill,
            problem=problem,
        )
        if line not in self.last_lines:
            self.last_lines.append(line)

    def _noted(self, result: Result) -> None:
        """Keep the paths and the proposals that a result tells of."""
        if not result.ok or not isinstance(result.value, dict):
            return
        if result.get("proposal") is not None:
            self.proposals.append(result)
        if result.get("status") in ("written", "untrusted"):
            self.written.append(str(result.get("path")))
