"""`ia memory`: what was learned."""

import contextlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import Message, NotFound, UsageError
from ia_cli.terminal.group import CommandGroup
from ia_cli.terminal.input import stdin_is_idle, text_or_stdin
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.markdown import emit_note
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_json
from ia_cli.terminal.proposal_notice import print_proposal

if TYPE_CHECKING:
    from ia.kernel.proposals import Proposal
    from ia.kernel.workspace import Workspace
    from ia.organs.memory.beliefs import DueDate


@click.group(cls=CommandGroup, example="ia memory believe '价值投资长期有效' --because '复盘了十年数据'")
def memory() -> None:
    """Read and write memory: beliefs, observations, reflections.

    Memory is a set of Markdown files below memory/ in the workspace. You can write tracking, journal, observations and
    reflections freely. A belief changes only with a reason, which ia logs in reflections/. A change of preferences or
    soul becomes a proposal (`ia pending`). TEXT is always an argument or standard input.
    """


@memory.command("list", example="ia memory track 600519; ia memory list")
@rows_options
@click.pass_context
def list_(ctx: click.Context, as_json: bool, as_jsonl: bool) -> None:
    """List memory files and update MEMORY.md. Status 1 if there are none."""
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import contents
    from ia.wiring.indexing import notice_changes

    ws = Workspace()
    notice_changes(ws)
    rows = [entry._asdict() for entry in contents.list_memory(ws)]
    empty = NotFound("no memory files yet", hint="start with `ia memory track`, `ia memory observe` or `ia memory log`")
    emit_list(ctx, rows, ("path", "time", "title"), empty, as_json=as_json, as_jsonl=as_jsonl)


@memory.command(
    example="ia --now 2024-03-15 backtest agent 600519 000858 --start 2024-03-13 --repeats 2 -m ia-offline && "
    "ia memory distill agent-2024-03-13-1 agent-2024-03-13-1.r2; ia backtest show agent-2024-03-13-1"
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@json_option
@click.pass_context
def distill(ctx: click.Context, runs: tuple[str, ...], as_json: bool) -> None:
    """Propose lines for the playbook that recur in several runs of `ia backtest agent`.

    Lines of the runs' playbooks and notes that say the same are counted once a run; what a run was given at its start
    does not count. The proposal changes nothing until you approve it (`ia pending`). Status 1 if nothing recurs.
    """
    from ia.agent.backtests.distillation import find_recurring_lines, propose_lines
    from ia.kernel import config
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.output import notify, tell_empty

    ws = Workspace()
    lines = find_recurring_lines(ws, runs)
    if not lines:
        emit_json({"proposal": None, "lines": []}) if as_json else tell_empty("nothing recurs in these runs")
        ctx.exit(1)
    made = propose_lines(ws, lines, config.locale_lang())
    if as_json:
        emit_json({"proposal": made.id, "lines": [line._asdict() for line in lines]})
        return
    for line in lines:
        click.echo(f"{line.runs}/{line.of}\t{line.text}")
    notify(Message("{path} changes only when you approve it: `ia approve {number}`", path=made.path, number=made.id))


@memory.command(example="ia memory track 600519 '等估值回落'; ia memory read tracking")
@click.argument("path", default="MEMORY.md")
def read(path: str) -> None:
    """Print a memory file; without PATH, the table of contents MEMORY.md.

    PATH is relative to memory/; `.md` is optional.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import change_rules, contents
    from ia.wiring.indexing import notice_changes

    ws = Workspace()
    target = change_rules.path_of(ws, path)
    notice_changes(ws)
    text = contents.render_index(ws) if target == contents.PATH else ws.read(target)
    if text is None:
        raise NotFound("{path}: no such memory file", path=target, hint="`ia memory list` shows all memory files")
    emit_note(text)


@memory.command(example="ia memory write observations/2024-03-15-白酒 '批价企稳'")
@click.argument("path")
@click.argument("text", required=False)
@click.option("--because", metavar="WHY", default="", help="Reason for the change; required for beliefs.")
@json_option
def write(path: str, text: str | None, because: str, as_json: bool) -> None:
    """Replace a memory file under the rule for its kind.

    You can replace tracking, journal, observations and reflections freely. beliefs needs --because. For preferences
    and soul, ia makes a proposal and prints its number.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import change_rules, writing

    ws = Workspace()
    change_rules.change_rule(change_rules.path_of(ws, path))
    body = text_or_stdin(text)
    _print_outcome(writing.write_memory(ws, path, body, because=because), as_json)


@memory.command(example="ia memory log 'RSI 降至 28，放量企稳'")
@click.argument("text", required=False)
@json_option
def log(text: str | None, as_json: bool) -> None:
    """Add a timestamped line to today's journal."""
    from ia.organs.memory import writing

    _write_free_text(writing.log_journal, text, as_json)


@memory.command(example="ia memory track 600519 '等估值回落到 20 倍'; ia memory track 300750 002594")
@click.argument("words", nargs=-1, required=True, metavar="SYMBOL... [WHY]")
@click.option("--remove", is_flag=True, help="Remove the item from the list.")
@json_option
def track(words: tuple[str, ...], remove: bool, as_json: bool) -> None:
    """Add securities or a topic to the watch list.

    ia writes a code or name that identifies one security as code and name, so that the list has it once. Several
    securities share the same WHY. Quote a WHY of several words. `ia watch` has groups and shows prices too.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import change_rules, watch_list
    from ia.wiring.security_mentions import identify_security

    items, why = _parse_watched(words)
    if remove and why:
        raise UsageError("--remove does not take WHY; leave it out")
    ws = Workspace()
    with ws.lock():
        for symbol in items:
            item, code, *names = identify_security(symbol)
            if remove:
                watch_list.untrack_item(ws, item, code=code, names=names)
            else:
                watch_list.track_item(ws, item, why, code=code, names=names)
    _print_outcome([change_rules.TRACKING], as_json)


def _parse_watched(words: tuple[str, ...]) -> tuple[list[str], str]:
    """Return what is to be watched, and why: all leading securities, or one topic, and at most one reason.

    raises  UsageError for a reason of several words, for a security in place of one, and for letters that are the name
            of one company and the ticker of another.
    """
    from ia.domain.instruments.symbols import resolve_security
    from ia.wiring.security_mentions import identify_security, split_securities

    parts = [part for word in words for part in split_securities(word) or [word]]
    last = next((at for at, part in enumerate(parts) if not identify_security(part)[1]), len(parts))
    if last == 0 and parts[0].isascii() and parts[0].isalpha() and parts[0].isupper() and 1 < len(parts[0]) < 6:
        with contextlib.suppress(NotFound):
            resolve_security(parts[0])
    items, rest = (parts[:1], parts[1:]) if last == 0 else (parts[:last], parts[last:])
    for part in rest:
        if identify_security(part)[1]:
            raise UsageError(
                "{text} is a security, not a reason",
                text=part,
                hint="list the securities first, then the reason in quotation marks",
            )
    if len(rest) > 1:
        raise UsageError(
            "more than one reason: {words}", words=", ".join(rest), hint="put the reason in quotation marks"
        )
    return items, "".join(rest)


@memory.command(
    example="ia memory believe '周期股要等催化剂' --because '三次买早了'; "
    "ia --now 2024-03-15 memory believe 'CATL will be above 200 by June' --because 'orders'; ia memory beliefs"
)
@click.argument("text", required=False)
@click.option("--because", metavar="WHY", help="Reason for the belief (required).")
@click.option(
    "--replaces", metavar="OLD", default="", help="Part of the text of the belief to replace (default: add a new one)."
)
@click.option("--by", metavar="DATE", default="", help="Date by which it comes true; reaching a price once is enough.")
@click.option("--on", metavar="DATE", default="", help="Date whose close decides, in place of --by.")
@click.option(
    "--test",
    "check",
    metavar="TEST",
    default="",
    help="What prices decide: '300750 >= 200', '300750 up 10%', '300750 down' or '300750 beats 000300.SH'.",
)
@json_option
def believe(text: str | None, because: str | None, replaces: str, by: str, on: str, check: str, as_json: bool) -> None:
    """Add or change a belief, with its reason.

    ia logs the old belief, the new one and the reason in reflections/. A belief with a date is a prediction: stored
    prices decide it, or you do (`ia memory judge`). Without --by, --on and --test, ia reads date and price in TEXT.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import writing

    if not because or not because.strip():
        raise UsageError("a belief needs a reason", hint="add --because WHY")
    if by and on:
        raise UsageError("--by and --on exclude each other")
    ws, body = Workspace(), text_or_stdin(text)
    due = _read_due(ws, body, by, on, check)
    _print_outcome(writing.add_belief(ws, body, because=because, replaces=replaces, due=due), as_json)


def _read_due(ws: "Workspace", text: str, by: str, on: str, check: str) -> "DueDate | None":
    """Return when a belief is due: as the options say, else as its words do; what was read in them is told."""
    from ia.wiring.belief_outcomes import plan_due
    from ia_cli.terminal.output import notify

    if by or on or check:
        return plan_due(ws, by or on, once=not on, check=check)
    from ia.agent.analyst.ask.predictions import read_prediction
    from ia.kernel import clock

    read = read_prediction(text, clock.now().date())
    if read is None:
        return None
    due = plan_due(ws, read.day, once=read.once, check=read.check)
    if due.check:
        notify(Message("due {day}; prices decide: {check}", day=due.day, check=str(due.check)))
    else:
        notify(Message("due {day}; then you decide: `ia memory judge`", day=due.day))
    return due


@memory.command(
    example="ia --now 2024-03-15 memory believe 'CATL beats the CSI 300 by 2024-04-30' --because 'orders'; "
    "ia --now 2024-05-06 memory beliefs"
)
@click.argument("about", required=False, default="")
@click.option("--due", is_flag=True, help="Only beliefs that are due and wait for your verdict.")
@json_option
@click.pass_context
def beliefs(ctx: click.Context, about: str, due: bool, as_json: bool) -> None:
    """List beliefs, what became of them, and the score. Status 1 if there are none.

    ABOUT is a security or a word. Stored prices decide a belief with a check at its date: right or wrong, with the
    close. Others are due on their date, and you decide (`ia memory judge`). The score counts all beliefs.
    """
    from ia.kernel.i18n import mark_text
    from ia.kernel.workspace import Workspace
    from ia.wiring.belief_outcomes import count_states, judge_beliefs, select_beliefs
    from ia_cli.terminal.output import notify, tell_empty
    from ia_cli.terminal.text import tr
    from ia_cli.terminal.wide_tables import emit_wide_rows

    judged = judge_beliefs(Workspace())
    chosen = select_beliefs(judged, about=about, due=due)
    score = count_states(judged)
    documents = [each.document() for each in chosen]
    if as_json:
        emit_json({"beliefs": documents, "score": score})
    elif chosen:
        if any(each.simulated for each in chosen):
            notify(Message("simulated prices decide these beliefs"))
        if sys.stdout.isatty():
            words = {"open": tr("not yet due"), "due": tr("yours to decide"), "undated": tr("without a date")}
            documents = [{**each, "state": words.get(each["state"]) or tr(each["state"])} for each in documents]
        emit_wide_rows(
            documents,
            ("state", "due", "belief", "check", "close", "close_date", "moved_pct"),
            {"state": "state", "due": mark_text("due date"), "belief": "belief", "check": "check", "close": "close",
             "close_date": mark_text("day of the close"), "moved_pct": mark_text("change %")},
            spare=("close_date", "moved_pct"),
            free={"belief": 20, "check": 12},
        )  # fmt: skip
        notify(
            Message("score: {right} right, {wrong} wrong, {open} open, {due} for you to decide, {undated} undated",
                    right=score["right"], wrong=score["wrong"], open=score["open"], due=score["due"],
                    undated=score["undated"])
        )  # fmt: skip
    else:
        tell_empty("no beliefs")
    ctx.exit(0 if chosen else 1)


@memory.command(example="ia memory believe '周期股要等催化剂' --because '三次买早了'; ia memory judge 周期股 right")
@click.argument("belief")
@click.argument("verdict", type=click.Choice(["right", "wrong"]))
@click.option("--because", metavar="WHY", default="", help="Reason for the verdict.")
@json_option
def judge(belief: str, verdict: str, because: str, as_json: bool) -> None:
    """Write down how a belief turned out.

    BELIEF is part of its text. The verdict stands in its line, and your word counts above what prices decide.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import writing

    _print_outcome(writing.judge_belief(Workspace(), belief, right=verdict == "right", because=because), as_json)


@memory.command(example="ia memory prefer '回答先给结论' --because '赶时间'")
@click.argument("text", required=False)
@click.option("--because", metavar="WHY", default="", help="Reason for the action.")
@json_option
def prefer(text: str | None, because: str, as_json: bool) -> None:
    """Propose a preference and print the proposal's number; `ia approve` applies it."""
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import writing

    print_proposal(writing.propose_preference(Workspace(), text_or_stdin(text), because=because), as_json=as_json)


@memory.command(example="ia memory observe 白酒 '批价企稳，渠道库存下降'")
@click.argument("topic")
@click.argument("text", required=False)
@json_option
def observe(topic: str, text: str | None, as_json: bool) -> None:
    """Add today's observation on a topic."""
    from ia.organs.memory import writing

    if text is None and " " in topic.strip() and stdin_is_idle():  # a text that was given without a topic
        import shlex

        first, _, rest = topic.strip().partition(" ")
        words = f"{shlex.quote(first)} {shlex.quote(rest.strip())}"
        hint = "an observation needs a topic: `ia memory observe {words}`"
        raise UsageError("no text for the topic {topic}", topic=topic[:60], words=words, hint=hint)
    _write_free_text(lambda ws, body: writing.add_observation(ws, topic, body), text, as_json)


@memory.command(example="ia memory reflect '追高两次，都错在没等回踩' --of W11")
@click.argument("text", required=False)
@click.option(
    "--of", "period", metavar="PERIOD", default="", help="Period: W11, Q1, 03 or 2024-W11 (default: this month)."
)
@json_option
def reflect(text: str | None, period: str, as_json: bool) -> None:
    """Add to the reflections of a period."""
    from ia.organs.memory import writing

    writing.period_of(period)  # before standard input is read to its end
    _write_free_text(writing.add_reflection, text, as_json, period=period)


@memory.command(example="ia memory track 600519; ia memory history tracking")
@click.argument("path", required=False)
@click.option("-n", "--limit", type=click.IntRange(1), default=20, help="Maximum number of changes (default: 20).")
@rows_options
@click.pass_context
def history(ctx: click.Context, path: str | None, limit: int, as_json: bool, as_jsonl: bool) -> None:
    """List changes of one file or all, newest first. Status 1 if there are none.

    PATH is relative to memory/, begins with memory/ or notebook/, or is soul.md.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import changes

    ws = Workspace()
    rows = [change._asdict() for change in changes.list_changes(ws, path, limit)]
    empty = NotFound("no changes yet", hint="write with `ia note` or `ia memory`")
    columns = ("id", "time", "path", "actor", "change", "why")
    emit_list(ctx, rows, columns, empty, as_json=as_json, as_jsonl=as_jsonl, seconds=True)


@memory.command(example="ia memory track 600519; ia memory undo tracking")
@click.argument("path", required=False)
@json_option
def undo(path: str | None, as_json: bool) -> None:
    """Undo the last change of a file and print its path; repeat to go further back.

    Without PATH, ia takes the file that changed last. Preferences and soul change only by proposal, even when you undo
    a change.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.memory import changes

    ws = Workspace()
    with ws.lock():
        outcome = changes.undo_change(ws, path)
    _print_outcome(outcome, as_json)


def _write_free_text(act: Callable[..., Any], text: str | None, as_json: bool, **options: str) -> None:
    """Carry out a write whose text is the argument or standard input, and print what was written."""
    from ia.kernel.workspace import Workspace

    _print_outcome(act(Workspace(), text_or_stdin(text), **options), as_json)


def _print_outcome(outcome: "list[str] | Proposal", as_json: bool) -> None:
    """Print the paths that were written, or the proposal that was made instead."""
    if not isinstance(outcome, list):
        print_proposal(outcome, as_json=as_json)
    elif as_json:
        emit_json({"paths": outcome})
    else:
        sys.stdout.write("".join(path + "\n" for path in outcome))
