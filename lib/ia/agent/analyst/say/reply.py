"""What an answer is, and the sentences that several answers share."""

from typing import NamedTuple

from ia.agent.analyst.desk import NO_TOOL, DeskResult, Failure, ToolDesk
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.voice import AnswerVoice
from ia.kernel.i18n import mark_text

ROOM = 12
"""Lines of an answer, the signature included."""


class Reply(NamedTuple):
    """An answer: its lines, and the same for a program: points, and what stands behind them.

    understood   False where it only says that the rules made nothing of the message
    signed       a judgement: its last line says who judges
    unread       questions of the message that were not read: those near to them are offered
    offers       the questions that are offered
    """

    lines: list[str]
    points: list[str]
    evidence: tuple[str, ...] | list[str] = ()
    understood: bool = True
    signed: bool = False
    unread: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()


def reply_of_lines(*lines: str) -> Reply:
    """Return a reply of a few lines, which are its points too."""
    return Reply(list(lines), [line for line in lines if line])


def take_summary(desk: ToolDesk, brought: object) -> Reply | None:
    """Return what a skill's subagent handed back as a reply; None where the skill does not run in one."""
    if not isinstance(brought, dict) or not isinstance(brought.get("points"), list) or not brought["points"]:
        return None
    speak = desk.speak
    points = [str(point) for point in brought["points"] if str(point) != by_rules(desk.speak)]
    evidence = [str(item) for item in brought.get("evidence") or []]
    artifacts = [str(path) for path in brought.get("artifacts") or []]
    lines = [*points[:1], *(f"- {item}" for item in (*points[1:], *evidence))]
    if notes := [path for path in artifacts if path.startswith("notebook/")]:
        lines.append("- " + speak("All of it: `{path}`{mark}", path=notes[0], mark=""))
    return Reply(lines, points, evidence, signed=True)


def join_replies(replies: list[Reply]) -> Reply:
    """Return the answers to several questions as one; lines that two of them have are said once."""
    lines: list[str] = []
    for each in replies:
        new = [line for line in each.lines if not line or line.startswith("|") or line not in lines]
        apart = bool(lines) and bool(new) and (len(new) > 1 or lines[-1].startswith(("- ", "|")))
        lines += [*([""] if apart else []), *new]
    return Reply(
        lines,
        [point for each in replies for point in each.points],
        [item for each in replies for item in each.evidence],
        all(each.understood for each in replies),
        any(each.signed for each in replies),
        tuple(text for each in replies for text in each.unread),
    )


def append_lines(lines: list[str], *more: str) -> list[str]:
    """Return Markdown lines and more of them: below a list as its last items, below a table apart."""
    last = lines[-1] if lines else ""
    if last.startswith("- "):
        return [*lines, *(f"- {line}" for line in more)]
    return [*lines, *([""] if last.startswith("|") and more else []), *more]


def shorten_parts(parts: list[list[str]], room: int) -> tuple[list[list[str]], bool]:
    """Return parts of an answer in at most `room` lines, the longest cut first; and whether any was cut."""
    kept, cut = [list(lines) for lines in parts], False
    while sum(map(len, kept)) > max(room, 0):
        max(kept, key=len).pop()
        cut = True
    return kept, cut


def by_rules(speak: AnswerVoice) -> str:
    """Return who speaks: nobody is to take it for more than it is."""
    return speak(
        "By rules (ia-offline), without a language model; what to do is yours.",
    )


_LATER = {
    "try-later",
    "timed-out",
    "no-answer",
    "host-unavailable",
    "unreachable",
    "banned",
    "no-host-answered",
}
"""Codes of failures of a source that pass."""
_UNKNOWN = {"unknown-symbol", "no-bars"}
"""Codes of failures that mean: the source knows no such security."""


def describe_no_prices(desk: ToolDesk, said: str, failure: Failure) -> str:
    """Return why there are no prices, and what to type."""
    speak = desk.speak
    if failure.code == NO_TOOL:
        return speak(
            "There is no tool for prices here, so {security} cannot be looked at. Use `ia turn`, or give llm"
            " `-T ia_ohlcv -T ia_compute`.",
            security=said,
        )
    if failure.code == "ambiguous-symbol":
        return speak(
            '"{security}" could be several securities: {candidates}. Write the code, such as 600519.SH.',
            security=said,
            candidates=failure.fields.get("candidates", ""),
        )
    if failure.code == "no-bars-then":
        return speak(
            "There are no bars of {security} then: it was listed later, or the source has none so old. Without data"
            " there is no view.",
            security=said,
        )
    if failure.code == "not-simulated":
        return speak(
            "The simulated market has no prices of {security}. For real prices: `ia config set market.adapter"
            " akshare`.",
            security=said,
        )
    reason = describe_failure(speak, failure)
    if failure.code in _UNKNOWN:
        return speak(
            "No prices were found for {security} ({failure}). Check the code: 600519, 00700, AAPL.",
            security=said,
            failure=reason,
        )
    if failure.code in _LATER:
        return speak(
            "The source has no prices of {security} for now ({failure}). Ask again later; offline there is"
            " `ia config set market.adapter demo` (simulated prices).",
            security=said,
            failure=reason,
        )
    return speak(
        "The prices of {security} could not be fetched: {failure}. Without data there is no view.",
        security=said,
        failure=reason,
    )


def describe_not_kept(desk: ToolDesk, result: DeskResult, what: str) -> str:
    """Return why something was not kept, "" where it was. `what` is its name in the language of the reader."""
    if result.failure is None:
        return ""
    why = _describe_refusal(desk.speak, result.failure)
    return desk.speak("{what} was not kept: {why}.", what=what, why=why)


_REFUSED = {
    NO_TOOL: mark_text("there is no tool for it"),
    "note-trusted": mark_text("that file is trusted, and text from outside was read here"),
    "outside-text": mark_text("text from outside was read here, and you did not ask for it yourself"),
    "too-many-proposals": mark_text("too many proposals wait for you already"),
}


def _describe_refusal(speak: AnswerVoice, failure: Failure) -> str:
    """Return a refusal of the gate as it is told to a person: its hint was written for a model."""
    if failure.code in _REFUSED:
        return speak(_REFUSED[failure.code])
    return describe_failure(speak, failure._replace(hint=""))


def describe_proposals(desk: ToolDesk, results: list[DeskResult]) -> list[str]:
    """Return a line for each proposal that was made: what waits, and how to decide."""
    speak, lines = desk.speak, []
    for result in results:
        number = result.get("proposal")
        if number is not None:
            lines.append(
                speak(
                    "Proposal {number} (`{path}`) waits for you: `ia approve {number}` carries it out, `ia reject"
                    " {number}` drops it,"
                    " `ia pending` shows it.",
                    number=number,
                    path=result.get("path") or "",
                )
            )
    return lines


def describe_paths(desk: ToolDesk, *pairs: tuple[DeskResult, str]) -> list[str]:
    """Return where things were kept, or why not: each a result and its name in the language of the reader."""
    speak, kept, failed = desk.speak, [], []
    for result, name in pairs:
        if result.ok and isinstance(result.value, dict) and result.get("path"):
            mark = speak(" (untrusted)", context="reply") if result.get("status") == "untrusted" else ""
            kept.append(f"{name} `{result.get('path')}`{mark}")
        elif result.ok:
            kept.append(name)
        else:
            failed.append(describe_not_kept(desk, result, name))
    lines = [speak("Kept: {kept}.", kept=speak.join_clauses(kept))] if kept else []
    return lines + failed + describe_proposals(desk, [result for result, _ in pairs])
