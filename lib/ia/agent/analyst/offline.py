"""The embedded analyst as a language model: `ia-offline`. It goes through the same loop and router as any other.

Its work is a generator that depends on the question and on what tools returned. Who keeps what an answer has begun
hands it back with the results; without that, each call takes the work up from the messages: it is begun anew and handed
the results that are there already.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from ia.agent.analyst.ask import request
from ia.agent.analyst.desk import DeskCall, DeskResult, Failure, ToolDesk, parse_result
from ia.agent.analyst.jobs import plan
from ia.agent.analyst.parts import LeftOut, leave_out
from ia.agent.analyst.say.reply import by_rules
from ia.kernel import clock, config
from ia.kernel.jsontypes import Json

MODEL_ID = "ia-offline"


class Prompt(Protocol):
    """What the analyst reads of a prompt: that of `llm`, or that of ia's own turns (ia.agent.turns.embedded)."""

    @property
    def system(self) -> str | None:
        """The system prompt; "" or None where it is the first of the messages."""

    @property
    def messages(self) -> Sequence[Any]:
        """All messages; each has a role and parts. A part of text has `text`, the result of a tool has `output`."""

    @property
    def tools(self) -> Sequence[Any]:
        """The tools on offer, each with name and input_schema."""

    @property
    def schema(self) -> Any:
        """The JSON Schema of the answer; None for text."""


class AnalystCall(NamedTuple):
    """A call of a tool, under the name that the prompt gives it. lang: of the answer, in which a failure is told."""

    name: str
    arguments: Json
    tool_call_id: str
    lang: str = "en"


@dataclass(frozen=True)
class Answer:
    """What the analyst says to a prompt: the calls that its work needs next, or the pieces of its reply.

    read        tokens of the prompt; written: of the answer (estimates)
    left_out    parts of the reply that a bug has cost
    understood  False where it made nothing of the question; offers: questions near to it that it can answer
    """

    calls: list[AnalystCall] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    read: int = 0
    written: int = 0
    left_out: list[LeftOut] = field(default_factory=list)
    understood: bool = True
    offers: tuple[str, ...] = ()
    begun: "BegunWork | None" = None


class _Heard(NamedTuple):
    """What the messages of a prompt say: the newest question, and the results of each round of calls since.

    before, answers  the questions before it, and what was said to each
    """

    asked: str
    system: str
    before: list[str]
    answers: list[str]
    rounds: list[list[DeskResult]]


class BegunWork:
    """Work on a question, which waits for the results of its calls."""

    def __init__(self, desk: ToolDesk) -> None:
        self.desk = desk
        self._work = plan.work(desk)
        self._calls: list[DeskCall] = []
        self._heard: _Heard | None = None

    def goes_on(self, heard: _Heard) -> bool:
        """Return True if messages are those that it was taken up with, and one more round of results."""
        return heard._replace(rounds=heard.rounds[:-1]) == self._heard

    def take_up(self, heard: _Heard) -> list[DeskCall] | plan.Reply:
        """Return the calls that the work needs next, or its reply."""
        try:
            if self._heard is None:
                self._calls = next(self._work)
            for results in heard.rounds if self._heard is None else heard.rounds[-1:]:
                self._calls = self._work.send(_match_results(results, len(self._calls)))
        except StopIteration as done:
            reply: plan.Reply = done.value
            return reply if any(line.strip() for line in reply.lines) else _confess_no_answer(self.desk)
        self._heard = heard
        return self._calls


def answer_prompt(prompt: Prompt, begun: BegunWork | None = None) -> Answer:
    """Return the calls that the work on a prompt needs next, or the reply line by line.

    begun  the work that the answer before has begun, where it is at hand
    """
    heard = _read_messages(prompt)
    work = begun if begun is not None and begun.goes_on(heard) else BegunWork(_lay_desk(prompt, heard))
    desk, step = work.desk, work.take_up(heard)
    read = sum(_tokens(text) for text in _texts(prompt))
    if isinstance(step, list):
        fitted = [desk.fit_arguments(call) for call in step]
        told_in, number = desk.speak.lang, len(heard.rounds) + 1
        calls = [AnalystCall(name, args, f"c{number}-{at}", told_in) for at, (name, args) in enumerate(fitted, 1)]
        written = sum(_tokens(json.dumps(call.arguments, ensure_ascii=False)) + 8 for call in calls)
        return Answer(calls=calls, read=read, written=written, begun=work)
    pieces = list(_chunks(step, prompt, desk))
    return Answer(
        pieces=pieces,
        read=read,
        written=sum(map(_tokens, pieces)),
        left_out=desk.left_out,
        understood=step.understood,
        offers=step.offers,
    )


def _read_messages(prompt: Prompt) -> _Heard:
    asked, said, system = "", "", prompt.system or ""
    before: list[str] = []
    answers: list[str] = []
    rounds: list[list[DeskResult]] = []
    last = ""
    for message in prompt.messages:
        text = "".join(getattr(part, "text", "") or "" for part in message.parts if type(part).__name__ == "TextPart")
        if message.role == "user":
            if asked:
                before.append(asked)
                answers.append(said)
            asked, said, rounds = text, "", []
        elif message.role == "assistant":
            said = text or said
        elif message.role == "system" and not prompt.system:
            system = text
        elif message.role == "tool":
            results = [parse_result(str(part.output)) for part in message.parts if hasattr(part, "output")]
            rounds[-1:] = [rounds[-1] + results] if last == "tool" else [*rounds[-1:], results]
        last = message.role
    return _Heard(asked, system, before, answers, rounds)


def _lay_desk(prompt: Prompt, heard: _Heard) -> ToolDesk:
    """Return the desk on which the newest question is worked on, with the tools on offer."""
    told = request.parse_request(
        heard.asked, heard.system, heard.before, clock.now(), config.locale_lang(), heard.answers
    )
    offered = {
        tool.name: getattr(tool, "input_schema", None) or {} for tool in prompt.tools if getattr(tool, "name", None)
    }
    return ToolDesk(told, offered)


def _confess_no_answer(desk: ToolDesk) -> plan.Reply:
    """Return what is said where the work brought no line: that is a bug, and told as one."""
    line = leave_out(desk, "the result", ValueError(f"no line for {desk.request.question!r}"))
    said = desk.speak("I understood this question, but my rules brought no answer to it. Ask it in other words.")
    return plan.Reply([said, line], [said], understood=False)


def _match_results(results: list[DeskResult], count: int) -> list[DeskResult]:
    """Return as many results as there were calls: whatever is lacking did not work."""
    return [*results, *[DeskResult(None, Failure("no result came back"))] * count][:count]


def _chunks(reply: plan.Reply, prompt: Prompt, desk: ToolDesk) -> Iterator[str]:
    """Yield the reply a line at a time, or as the JSON object that was asked for."""
    if prompt.schema or desk.request.wants_json:
        yield json.dumps(_object(reply, prompt.schema, desk), ensure_ascii=False)
        return
    for line in reply.lines:
        yield line + "\n"


def _object(reply: plan.Reply, schema: Any, desk: ToolDesk) -> Json:
    """Return the reply as an object: points, evidence and artifacts, or by another schema its texts and lists."""
    told: Json = {
        "points": [*reply.points, by_rules(desk.speak)], "evidence": list(reply.evidence), "artifacts": desk.written,
    }  # fmt: skip
    wanted = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(wanted, dict) or "points" in wanted:
        return told
    kinds = {"string": "\n".join(reply.lines).strip(), "array": told["points"]}
    return {name: kinds[kind["type"]] for name, kind in wanted.items() if kind.get("type") in kinds}


def _texts(prompt: Prompt) -> Iterator[str]:
    for message in prompt.messages:
        for part in message.parts:
            yield str(getattr(part, "text", None) or getattr(part, "output", None) or "")


def _tokens(text: str) -> int:
    """Return an estimate: a token for four Latin letters or one and a half Chinese characters."""
    wide = (len(text.encode(errors="surrogatepass")) - len(text)) // 2
    return (len(text) - wide) // 4 + wide * 2 // 3 + 1 if text else 0
