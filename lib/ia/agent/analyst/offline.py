"""The embedded analyst as a language model: `ia-offline`. It goes through the same loop and router as any other.

It keeps nothing between two calls. Its work is a generator that depends on the question and on what tools returned, so
each call takes it up again from the messages: it is begun anew and handed the results that are there already.
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


def answer_prompt(prompt: Prompt) -> Answer:
    """Return the calls that the work on a prompt needs next, or the reply line by line."""
    desk, history = _taken_up(prompt)
    step = _replay_work(desk, history)
    read = sum(_tokens(text) for text in _texts(prompt))
    if isinstance(step, list):
        fitted = [desk.fit_arguments(call) for call in step]
        told_in = desk.speak.lang
        calls = [
            AnalystCall(name, args, f"c{len(history) + 1}-{at}", told_in) for at, (name, args) in enumerate(fitted, 1)
        ]
        written = sum(_tokens(json.dumps(call.arguments, ensure_ascii=False)) + 8 for call in calls)
        return Answer(calls=calls, read=read, written=written)
    pieces = list(_chunks(step, prompt, desk))
    return Answer(
        pieces=pieces,
        read=read,
        written=sum(map(_tokens, pieces)),
        left_out=desk.left_out,
        understood=step.understood,
        offers=step.offers,
    )


def _taken_up(prompt: Prompt) -> tuple[ToolDesk, list[list[DeskResult]]]:
    """Return the desk of the newest question, and the results of each round of calls since."""
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
    told = request.parse_request(asked, system, before, clock.now(), config.locale_lang(), answers)
    offered = {
        tool.name: getattr(tool, "input_schema", None) or {} for tool in prompt.tools if getattr(tool, "name", None)
    }
    return ToolDesk(told, offered), rounds


def _replay_work(desk: ToolDesk, rounds: list[list[DeskResult]]) -> list[DeskCall] | plan.Reply:
    """Return the calls that the work needs next, or its reply."""
    work = plan.work(desk)
    try:
        calls = next(work)
        for results in rounds:
            calls = work.send(_match_results(results, len(calls)))
    except StopIteration as done:
        reply: plan.Reply = done.value
        return reply if any(line.strip() for line in reply.lines) else _confess_no_answer(desk)
    return calls


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
