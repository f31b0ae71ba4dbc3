"""The exam of `ia doctor --model`: its price, its progress on stderr, and the score."""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ia.kernel.errors import Message, PluralText, Refused
from ia_cli.terminal.confirmation import ask_consent
from ia_cli.terminal.output import emit_json, emit_rows, notify, tell_error, tell_hint
from ia_cli.terminal.text import say, tr

if TYPE_CHECKING:
    from ia.kernel.workspace import Workspace
    from ia.reach.exam.sitting import ExamPrice, ExamResult, ExamSitting

GROUPS = ("group", "right", "asked")
FAILED = ("question", "wanted", "answer")
WIDTH = 200
"""Characters of an answer that are shown."""


def hold_exam(ws: "Workspace", model: str | None, *, yes: bool, as_json: bool, as_jsonl: bool) -> int:
    """Tell the price, ask the owner, hold the exam and print the score; return the exit status.

    0 all answers are right, 1 some are not; that of the failure which stopped the exam early.
    raises  Refused without the owner's consent; what `open_exam` raises.
    """
    from ia.reach.exam.sitting import open_exam

    with open_exam(ws, model) as sitting:
        price = sitting.price
        _tell_price(sitting.model, price)
        for each in sitting.unasked:
            notify(Message("not asked: {question}: {reason}", question=each.question.id, reason=each.failure))
        if price.cost != 0 and not yes and not _ask_owner(sitting.model, price):
            raise Refused("the exam was not started")
        try:
            _ask_all(sitting)
        finally:  # Ctrl-C leaves a partial score
            if sitting.results or sitting.stopped:
                _print_score(sitting, sitting.results, as_json=as_json, as_jsonl=as_jsonl)
        stopped, results = sitting.stopped, sitting.results
    if stopped is not None:
        tell_error(stopped)
        return stopped.status
    return 0 if all(each.passed for each in results) else 1


def _tell_price(model: str, price: "ExamPrice") -> None:
    about = {"model": model, "questions": price.questions}
    sizes = {"sent": f"{price.input_tokens:,}", "received": f"{price.output_tokens:,}"}
    template = "{model}: {questions} questions, about {sent} tokens sent and {received} received"
    notify(Message(template, **about, **sizes))
    if price.cost is None:
        notify(Message("the price of {model} is unknown", model=model))
        tell_hint("set prices.{model}.input and .output, per million tokens", model=model)
    elif price.cost:
        cost = f"{price.cost:,.2f}" if price.cost >= 1 else f"{price.cost:,.4f}"
        notify(Message("estimated price: {cost} {currency}", cost=cost, currency=price.currency))
    else:
        notify(Message("{model} costs nothing", model=model))
    if price.stops is not None:
        from ia.kernel import config
        from ia.organs.spending import format_amount

        name, left = price.stops
        template = "{cap} leaves {left} {unit}, so the exam may stop before its end"
        notify(Message(template, cap=name, left=format_amount(left.left), unit=left.unit))
        tell_hint("raise the cap for this command: {variable}=… ia doctor --model", variable=config.variable_of(name))


def _ask_owner(model: str, price: "ExamPrice") -> bool:
    return ask_consent(say("Ask {model} {questions} questions?", model=model, questions=price.questions))


def _ask_all(sitting: "ExamSitting") -> None:
    with _show_progress(len(sitting.expected)) as show:
        for _ in sitting.ask_questions():
            show(len(sitting.results), sum(each.passed for each in sitting.results))


@contextlib.contextmanager
def _show_progress(total: int) -> Iterator[Any]:
    """Draw a bar on stderr, where that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda asked, right: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[right]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(tr("questions"), total=total, right="")
        yield lambda asked, right: bar.update(task, completed=asked, right=f"{tr('right')} {right}")


def _print_score(sitting: "ExamSitting", results: "Sequence[ExamResult]", *, as_json: bool, as_jsonl: bool) -> None:
    if as_json:
        emit_json(_exam_document(sitting, results))
        return
    if as_jsonl:
        emit_rows([_result_document(each) for each in results], (), as_jsonl=True)
        return
    rows = [*_score_groups(results), _score_row("all", results)]
    if sys.stdout.isatty():
        rows = [{**row, "group": tr(row["group"])} for row in rows]
    emit_rows(rows, GROUPS)
    failed = [
        {
            "question": each.question.id,
            "wanted": "; ".join(_say_all(each.expected)),
            "answer": _first_line(each.answer) or "; ".join(_say_all(each.problems)),
        }
        for each in results
        if not each.passed
    ]
    if failed:
        sys.stdout.write("\n")
        emit_rows(failed, FAILED)
    left = len(sitting.expected) - len(results)
    if left:
        template = PluralText(
            "this is a partial score: {count} question was not asked",
            "this is a partial score: {count} questions were not asked",
        )
        notify(Message(template, count=left))


def _first_line(answer: str) -> str:
    return next((line.strip() for line in answer.splitlines() if line.strip()), "")[:WIDTH]


def _say_all(messages: Sequence[Message]) -> list[str]:
    return [say(each.template, **each.params) for each in messages]


def _score_groups(results: "Sequence[ExamResult]") -> list[dict[str, Any]]:
    groups: dict[str, list[ExamResult]] = {}
    for each in results:
        groups.setdefault(each.question.group, []).append(each)
    return [_score_row(group, rows) for group, rows in groups.items()]


def _score_row(group: str, results: "Sequence[ExamResult]") -> dict[str, Any]:
    return {"group": group, "right": sum(each.passed for each in results), "asked": len(results)}


def _exam_document(sitting: "ExamSitting", results: "Sequence[ExamResult]") -> dict[str, Any]:
    price = sitting.price
    total = len(sitting.expected) + len(sitting.unasked)
    stopped = sitting.stopped
    return {
        "model": sitting.model,
        "right": sum(each.passed for each in results),
        "asked": len(results),
        "total": total,
        "complete": len(results) == total,
        "stopped": None if stopped is None else say(stopped.template, **stopped.params),
        "estimate": {
            "input": price.input_tokens,
            "output": price.output_tokens,
            "cost": None if price.cost is None else float(price.cost),
            "currency": price.currency,
        },
        "usage": sitting.total_usage(),
        "groups": _score_groups(results),
        "questions": [_result_document(each) for each in results],
    }


def _result_document(result: "ExamResult") -> dict[str, Any]:
    return {
        "id": result.question.id,
        "group": result.question.group,
        "ask": result.question.ask,
        "passed": result.passed,
        "expected": _say_all(result.expected),
        "problems": _say_all(result.problems),
        "answer": result.answer,
        "calls": result.calls,
        "usage": result.usage,
        "ms": result.ms,
    }
