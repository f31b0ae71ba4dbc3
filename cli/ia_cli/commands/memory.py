"""`ia memory`: what was learned."""

import contextlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import NotFound, UsageError
from ia_cli.terminal.group import Group
from ia_cli.terminal.input import stdin_is_idle, text_or_stdin
from ia_cli.terminal.lists import listed
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_json, emit_text
from ia_cli.terminal.proposal_notice import proposed

if TYPE_CHECKING:
    from ia.kernel.proposals import Proposal


@click.group(cls=Group, example="ia memory believe '价值投资长期有效' --because '复盘了十年数据'")
def memory() -> None:
    """Keep what was learned: beliefs, observations, reflections.

    Markdown files below memory/ of the workspace. Tracking, journal, observations and reflections are written freely; a
    belief changes with its reason, which is logged in reflections/; preferences and the soul only become a proposal
    (`ia pending`). TEXT is the argument or standard input everywhere.
    """


@memory.command("list", example="ia memory track 600519; ia memory list")
@rows_options
@click.pass_context
def list_(ctx: click.Context, as_json: bool, as_jsonl: bool) -> None:
    """List the files of the memory, and bring MEMORY.md up to date. Status 1 where there are none."""
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import index
    from ia.wiring.indexing import notice_changes

    ws = Workspace()
    notice_changes(ws)
    rows = [entry._asdict() for entry in index.listed(ws)]
    empty = NotFound("no memories yet", hint="`ia memory track`, `ia memory observe` and `ia memory log` begin them")
    listed(ctx, rows, ("path", "time", "title"), empty, as_json=as_json, as_jsonl=as_jsonl)


@memory.command(example="ia memory track 600519 '等估值回落'; ia memory read tracking")
@click.argument("path", default="MEMORY.md")
def read(path: str) -> None:
    """Print a file of the memory; without PATH its table of contents, MEMORY.md.

    PATH is relative to memory/; `.md` may be left out.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import index, rules
    from ia.wiring.indexing import notice_changes

    ws = Workspace()
    target = rules.path_of(ws, path)
    notice_changes(ws)
    text = index.text(ws) if target == index.PATH else ws.read(target)
    if text is None:
        raise NotFound("{path}: no such memory", path=target, hint="`ia memory list` shows them")
    emit_text(text)


@memory.command(example="ia memory write observations/2024-03-15-白酒 '批价企稳'")
@click.argument("path")
@click.argument("text", required=False)
@click.option("--because", metavar="WHY", default="", help="The reason; beliefs do not change without one.")
@json_option
def write(path: str, text: str | None, because: str, as_json: bool) -> None:
    """Replace a file of the memory, by its rule.

    Free for tracking, journal, observations and reflections. beliefs needs --because. For preferences and soul it makes
    a proposal and prints its number.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import rules, writing

    ws = Workspace()
    rules.rule(rules.path_of(ws, path))
    body = text_or_stdin(text)
    _tell(writing.write(ws, path, body, because=because), as_json)


@memory.command(example="ia memory log 'RSI 降至 28，放量企稳'")
@click.argument("text", required=False)
@json_option
def log(text: str | None, as_json: bool) -> None:
    """Add a line with the time to today's journal."""
    from ia.organs.memory import writing

    _free(writing.log, text, as_json)


@memory.command(example="ia memory track 600519 '等估值回落到 20 倍'; ia memory track 300750 002594")
@click.argument("words", nargs=-1, required=True, metavar="SYMBOL... [WHY]")
@click.option("--remove", is_flag=True, help="Take it off the list.")
@json_option
def track(words: tuple[str, ...], remove: bool, as_json: bool) -> None:
    """Put securities, or a topic, on the watch list.

    A code or a name that means one security is written as its code and name, so that it stands there once. Several
    securities are all put there, with the same WHY; quote a WHY of several words.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import writing
    from ia.wiring.mentions import identify_security

    items, why = _watched(words)
    if remove and why:
        raise UsageError("--remove takes no WHY")
    ws = Workspace()
    with ws.lock():
        for symbol in items:
            item, code, *names = identify_security(symbol)
            if remove:
                paths = writing.untrack(ws, item, code=code, names=names)
            else:
                paths = writing.track(ws, item, why, code=code, names=names)
    _tell(paths, as_json)


def _watched(words: tuple[str, ...]) -> tuple[list[str], str]:
    """Return what is to be watched, and why: all leading securities, or one topic, and at most one reason.

    raises  UsageError for a reason of several words, for a security in place of one, and for letters that are the name
            of one company and the ticker of another.
    """
    from ia.domain.instruments.symbols import resolve
    from ia.wiring.mentions import identify_security, split_securities

    parts = [part for word in words for part in split_securities(word) or [word]]
    last = next((at for at, part in enumerate(parts) if not identify_security(part)[1]), len(parts))
    if last == 0 and parts[0].isascii() and parts[0].isalpha() and parts[0].isupper() and 1 < len(parts[0]) < 6:
        with contextlib.suppress(NotFound):
            resolve(parts[0])
    items, rest = (parts[:1], parts[1:]) if last == 0 else (parts[:last], parts[last:])
    for part in rest:
        if identify_security(part)[1]:
            raise UsageError(
                "{text} is a security and no reason", text=part,
                hint="list the securities first, then the reason in quotation marks",
            )  # fmt: skip
    if len(rest) > 1:
        raise UsageError(
            "more than one reason: {words}", words=", ".join(rest), hint="put the reason in quotation marks"
        )
    return items, "".join(rest)


@memory.command(example="ia memory believe '周期股要等催化剂' --because '三次买早了'")
@click.argument("text", required=False)
@click.option("--because", metavar="WHY", help="The reason (needed).")
@click.option("--replaces", metavar="OLD", default="", help="Part of the belief whose place it takes.")
@json_option
def believe(text: str | None, because: str | None, replaces: str, as_json: bool) -> None:
    """Add or change a belief, with its reason.

    What was believed before, what now and why goes into reflections/.
    """
    from ia.organs.memory import writing

    if not because or not because.strip():
        raise UsageError("a belief needs its reason", hint="add --because WHY")
    _free(writing.believe, text, as_json, because=because, replaces=replaces)


@memory.command(example="ia memory prefer '回答先给结论' --because '赶时间'")
@click.argument("text", required=False)
@click.option("--because", metavar="WHY", default="", help="The reason.")
@json_option
def prefer(text: str | None, because: str, as_json: bool) -> None:
    """Propose a preference. Prints the proposal's number; `ia approve` decides."""
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import writing

    proposed(writing.prefer(Workspace(), text_or_stdin(text), because=because), as_json=as_json)


@memory.command(example="ia memory observe 白酒 '批价企稳，渠道库存下降'")
@click.argument("topic")
@click.argument("text", required=False)
@json_option
def observe(topic: str, text: str | None, as_json: bool) -> None:
    """Add an observation of today on a topic."""
    from ia.organs.memory import writing

    if text is None and " " in topic.strip() and stdin_is_idle():  # a text that was given without a topic
        import shlex

        first, _, rest = topic.strip().partition(" ")
        words = f"{shlex.quote(first)} {shlex.quote(rest.strip())}"
        hint = "an observation needs a topic: `ia memory observe {words}`"
        raise UsageError("no text on the topic {topic}", topic=topic[:60], words=words, hint=hint)
    _free(lambda ws, body: writing.observe(ws, topic, body), text, as_json)


@memory.command(example="ia memory reflect '追高两次，都错在没等回踩' --of W11")
@click.argument("text", required=False)
@click.option("--of", "period", metavar="PERIOD", default="", help="W11, Q1, 03 or 2024-W11; default this month.")
@json_option
def reflect(text: str | None, period: str, as_json: bool) -> None:
    """Add to the reflections of a period."""
    from ia.organs.memory import writing

    writing.period_of(period)  # before standard input is read to its end
    _free(writing.reflect, text, as_json, period=period)


@memory.command(example="ia memory track 600519; ia memory history tracking")
@click.argument("path", required=False)
@click.option("-n", "--limit", type=click.IntRange(1), default=20, help="How many at most.")
@rows_options
@click.pass_context
def history(ctx: click.Context, path: str | None, limit: int, as_json: bool, as_jsonl: bool) -> None:
    """List what changed, newest first: of one file, or of all. Status 1 where nothing did.

    PATH is relative to memory/, or begins with memory/, notebook/ or is soul.md.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import changes

    ws = Workspace()
    rows = [change._asdict() for change in changes.history(ws, path, limit)]
    empty = NotFound("nothing has changed yet", hint="`ia note` and `ia memory` write")
    columns = ("id", "time", "path", "actor", "change", "why")
    listed(ctx, rows, columns, empty, as_json=as_json, as_jsonl=as_jsonl, seconds=True)


@memory.command(example="ia memory track 600519; ia memory undo tracking")
@click.argument("path", required=False)
@json_option
def undo(path: str | None, as_json: bool) -> None:
    """Put back what a file held before its last change, and print its path; again goes further back.

    Without PATH it is the file that changed last. preferences and soul change by proposal only, back as well as forth.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import changes

    ws = Workspace()
    with ws.lock():
        outcome = changes.undo(ws, path)
    _tell(outcome, as_json)


def _free(act: Callable[..., Any], text: str | None, as_json: bool, **options: str) -> None:
    """Carry out a write whose text is the argument or standard input, and print what was written."""
    from ia.kernel.workspace import Workspace

    _tell(act(Workspace(), text_or_stdin(text), **options), as_json)


def _tell(outcome: "list[str] | Proposal", as_json: bool) -> None:
    """Print the paths that were written, or the proposal that was made instead."""
    if not isinstance(outcome, list):
        proposed(outcome, as_json=as_json)
    elif as_json:
        emit_json({"paths": outcome})
    else:
        sys.stdout.write("".join(path + "\n" for path in outcome))
