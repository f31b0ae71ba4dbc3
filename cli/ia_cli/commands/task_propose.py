"""`ia task propose`: a wish, or the fields of a task, become a draft that a person decides on."""

import re
import sys
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import Message, UsageError
from ia.kernel.patterns import pattern
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import emit_json, escape_controls, notify, tell_hint
from ia_cli.terminal.task_draft import design_document, print_design
from ia_cli.terminal.text import lang

if TYPE_CHECKING:
    from ia.agent.tools.builtin.tasks import Kept
    from ia.agent.tools.scope import Scope
    from ia.faculties.schedule.model import TaskDesign
    from ia.kernel.workspace import Workspace

MANY = 24
"""Runs of a day from which on their number is told."""
WHEN = ("cron", "every", "after_close", "on", "at", "schedule")
PLAIN = ("zone", "calendar", "prompt", "name", "produces", "retries", "retry_after", "missed", "timeout", "because")
_SPAN = pattern(r"(\d{1,6})\s*(m|h|d)?(?:in(?:utes?)?|ours?|ays?)?", re.I)


class _Minutes(click.ParamType):  # type: ignore[type-arg]
    name = "MINUTES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = _SPAN.fullmatch(str(value).strip())
        if found is None:
            raise UsageError(
                "{text!r} is not a valid duration",
                text=str(value),
                hint="write 90, 90m, 1h or 1d; a number without a unit means minutes",
            )
        return int(found[1]) * {"m": 1, "h": 60, "d": 1440}[(found[2] or "m").lower()]


@click.command(cls=Command, example="ia task propose '每周五收盘后，帮我复盘本周的观察和判断' -m ia-offline")
@click.argument("text", required=False)
@click.option("--cron", metavar="FIELDS", help="Schedule: five cron fields, such as '0 16 * * 5'.")
@click.option("--every", metavar="TIME", help="Schedule: an interval such as 90m, 2h or 1d, counted from the approval.")
@click.option(
    "--after-close",
    metavar="TIME",
    help="Schedule: time after the exchange's close, such as 30m; '30m fri' runs on Fridays only.",
)
@click.option(
    "--on",
    metavar="KIND:WHAT",
    help="Schedule: an event, as file:PATTERN, message:WORDS, news:SYMBOL or webhook:NAME.",
)
@click.option("--at", metavar="TIME", help="Schedule: one moment, such as '2027-01-15 09:00'; the task runs once.")
@click.option(
    "--schedule",
    metavar="TEXT",
    help="Schedule in any form of ia-task(5), such as 'last trading day of month 15:30'; separate several with ;.",
)
@click.option(
    "--zone",
    metavar="ZONE",
    help="Time zone of the schedule, such as Asia/Shanghai (default: the exchange's, else yours).",
)
@click.option("--calendar", type=click.Choice(["CN", "HK", "US"]), help="Run only on trading days of this exchange.")
@click.option("--prompt", metavar="TEXT", help="Prompt for each run; /NAME at its start runs a skill.")
@click.option(
    "--run", "run_", metavar="PIPELINE", help="Pipeline of ia commands, joined by | and &&, to run instead of a prompt."
)
@click.option("--name", metavar="NAME", help="Name of the task (default: made from the schedule and the job).")
@click.option("--produces", metavar="NOTE", help="Note below notebook/ for the result, such as reports/weekly/DATE.md.")
@click.option(
    "--notify",
    "channels",
    metavar="CHANNEL",
    multiple=True,
    help="Recipient of the result: me, a channel, or nobody. Repeatable (default: me).",
)
@click.option("--silent", is_flag=True, help="Notify only about failures.")
@click.option("--retries", type=click.IntRange(0, 20), help="Number of retries after a failed run (default: 1).")
@click.option("--retry-after", type=_Minutes(), help="Minutes before a retry; 1h and 1d also work (default: 60).")
@click.option(
    "--missed",
    type=click.Choice(["once", "skip"]),
    help="After runs missed during sleep: run once, or skip them (default: once).",
)
@click.option("--timeout", type=_Minutes(), help="Time limit of one run in minutes; 1h and 1d also work (default: 30).")
@click.option("--because", metavar="WHY", help="Reason for the task, stored with it.")
@click.option(
    "-m",
    "--model",
    metavar="MODEL",
    help="Model that interprets TEXT; ia-offline interprets it by rules (default: setting model).",
)
@json_option
def propose(text: str | None, model: str | None, as_json: bool, **given: Any) -> None:
    """Draft a scheduled task for approval. Nothing runs before `ia task approve`.

    TEXT describes the task in Chinese or English. The model interprets it (`ia config set model`), or the embedded
    analyst does so by rules. Options override what ia reads in TEXT. With a schedule option and --prompt or --run, ia
    needs neither TEXT nor a model. With only a schedule option, TEXT is the job.

    Prints the number of the proposal. The draft goes to stderr: schedule, next five run times, what runs, where the
    result is saved, who is notified, and what happens on failure. If ia does not understand a word of TEXT that means
    a time, a day or an exception, it asks back with status 65. If an identical proposal is pending, ia does not
    create a second one. With the --name of an existing task, the proposal changes that task.

    The JSON fields are proposal, path, design (the task's fields), described and next (ISO times).
    """
    from ia.agent.tools.builtin import tasks
    from ia.faculties.alerts.definition import find_alert
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    fields = _design_fields(given)
    if "run" in fields:
        _check_pipeline(fields["run"])
    scope, design, remarks = _draft_design(ws, text, fields, model)
    if design.run:
        _check_pipeline(design.run)
    if "produces" not in fields and design.produces.removesuffix("/DATE.md") not in (text or ""):
        design = tasks.separate_note(scope, design, named="name" in fields)
    made = tasks.propose_design(scope, design, lang() if design.run else "", named="name" in fields)
    print_design(made.design)
    for remark in remarks:
        notify(remark)
    if made.known:
        notify(Message("an identical proposal already exists: {number}", number=made.number))
    else:
        _tell_change(scope, made)
    for name in tasks.unknown_channels(made.design):
        notify(
            Message("{channel}: unknown channel; add it with `ia config set channels.{channel} ADDRESS`", channel=name)
        )
    _tell_doubts(ws, made.design)
    same = tasks.tasks_with_same_note(scope, made.design)
    if same:
        notify(
            Message(
                "the result goes to the same note as {paths}; choose another note with `--produces`",
                paths=", ".join(same),
            )
        )
    others = tasks.tasks_at_same_times(scope, made.design)
    if others and find_alert(made.design) is None:
        notify(Message("this task runs at the same time as {paths}", paths=", ".join(others)))
    tell_hint("run `ia task approve {number}` to approve it, or `ia reject {number}` to reject it", number=made.number)
    if as_json:
        emit_json({"proposal": made.number, "path": made.design.path, **design_document(made.design)})
    else:
        sys.stdout.write(f"{made.number}\n")


def _check_pipeline(pipeline: str) -> None:
    from ia.faculties.taskbook.pipeline import parse_pipelines

    parse_pipelines(pipeline)


def _tell_change(scope: "Scope", made: "Kept") -> None:
    """Say that a proposal changes a task that there is, and how; or that another one about its file waits too."""
    from ia.agent.tools.builtin.tasks import proposed_designs
    from ia.kernel import proposals

    proposal = proposals.get_proposal(scope.ws, made.number)
    if proposal.before:
        notify(Message("{path} already exists; approving this proposal replaces that task", path=proposal.path))
        for line in proposals.render_diff(proposal.before, proposal.after, proposal.path).split("\n")[:-1]:
            click.echo(escape_controls(line), err=True)
    for other, design in proposed_designs(scope):
        if design.path == made.design.path and other.id != made.number:
            notify(
                Message(
                    "proposal {number} also changes {path}; you can approve only one of them",
                    number=other.id,
                    path=design.path,
                )
            )


def _tell_doubts(ws: "Workspace", design: "TaskDesign") -> None:
    """Say what a person may not have meant: a job that nothing here understands, a message or a turn too often."""
    from ia.agent.tools.builtin.tasks import runs_per_day
    from ia.agent.turns import task_drafting
    from ia.faculties.taskbook.pipeline import repeats_its_message

    if design.run and not design.schedule.startswith("at ") and repeats_its_message(design.run):
        notify(
            Message(
                "this task sends its message on every run while the condition holds; `ia send --changed {name}` sends"
                " it only when it says something new",
                name=design.name,
            )
        )
    if not design.prompt:
        return
    if task_drafting.uses_embedded_analyst(None) and not task_drafting.is_prompt_understood(ws, design.prompt):
        notify(
            Message(
                "without a model, ia cannot interpret this job; set a model (`ia config set model NAME`) or reword "
                "the job"
            )
        )
    if (count := runs_per_day(design)) > MANY:
        notify(Message("this task runs {count} times a day and calls the model each time", count=count))


def _design_fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options as fields of a design.

    raises  UsageError for two times, or a prompt and a run.
    """
    said = [option for option in WHEN if given[option]]
    if len(said) > 1:
        raise UsageError(
            "two schedules given: --{one} and --{other}",
            one=_option_name(said[0]),
            other=_option_name(said[1]),
            hint="a task has one schedule; create two tasks",
        )
    fields = {key: given[key] for key in PLAIN if given[key] is not None}
    fields |= {"run": given["run_"]} if given["run_"] is not None else {}
    if "run" in fields and "prompt" in fields:
        raise UsageError(
            "give either --prompt or --run, not both", hint="to ask a question in a pipeline, use `ia turn TEXT`"
        )
    fields |= {"silent": True} if given["silent"] else {}
    if given["channels"]:
        nobody = {"nobody", "none"} & {name.lower() for name in given["channels"]}
        fields["notify"] = () if nobody else tuple(dict.fromkeys(given["channels"]))
    if said:
        fields["schedule"] = _build_schedule(said[0], given[said[0]])
    return fields


def _option_name(option: str) -> str:
    return option.replace("_", "-")


def _build_schedule(option: str, value: str) -> str:
    if option == "every":
        return f"every {value}"
    if option == "after_close":
        return f"close{value}" if value[:1] in "+-" else f"close+{value}"
    if option == "at":
        return f"at {' '.join(value.replace('T', ' ').split())}"
    if option == "on":
        kind, colon, what = value.partition(":")
        if not colon:
            raise UsageError(
                "{text!r} is not an event; give file:PATTERN, message:WORDS, news:SYMBOL or webhook:NAME", text=value
            )
        if kind == "news":
            from ia.domain.instruments.symbols import resolve_security

            name, ending, other = what.strip().partition(" announcement")
            what = f"{resolve_security(name, traded=True).canonical}{ending}{other}"
        return f"on {kind} {what}"
    return value


def _draft_design(
    ws: "Workspace", text: str | None, fields: dict[str, Any], model: str | None
) -> "tuple[Scope, TaskDesign, tuple[Message, ...]]":
    """Return the design, its scope (the person's own, or that of the model that read the wish), and remarks."""
    from dataclasses import replace

    from ia.agent.tools.builtin.tasks import complete_design, slug_of
    from ia.agent.tools.scope import Scope
    from ia.faculties.schedule import wish_parser, zones

    scope, wish = Scope(ws, actor="user", asked=text or "", notify=notify), (text or "").strip()
    remarks: tuple[Message, ...] = ()
    if "schedule" in fields:
        design = _build_design(fields, wish)
    elif not wish:
        raise UsageError(
            "describe the task and its schedule",
            hint="try `ia task propose 'every Friday at 16:00 review my week'`, or give --cron with --prompt or --run",
        )
    elif not {"run", "prompt"} & fields.keys() and (alert := _read_alert(ws, wish)) is not None:
        design, remarks = alert
    elif model == "ia-offline" or _uses_embedded_analyst(model):
        design, remarks = wish_parser.read_wish(wish, zone=zones.wish_zone().key)
        design = replace(design, because=" ".join(wish.split())[:500])
    else:
        from ia.agent.turns import task_drafting

        design, scope, _ = task_drafting.draft_design(ws, wish, model=model, notify=notify)
    if "run" in fields or "prompt" in fields:
        name = wish_parser.suggest_name(
            fields.get("schedule") or design.schedule, fields.get("run") or fields["prompt"]
        )
        design = replace(design, run="", prompt="", name=name)
    if "name" in fields and (slug := slug_of(fields["name"])) != fields["name"]:
        raise UsageError(
            "{name!r} is not a valid task name", name=fields["name"][:80], slug=slug, hint="for example {slug}"
        )
    return scope, complete_design(replace(design, **fields)), remarks


def _read_alert(ws: "Workspace", wish: str) -> "tuple[TaskDesign, tuple[Message, ...]] | None":
    """Return the task of an alert that a wish asks for, with how it stands now; None for any other wish."""
    from ia.faculties.alerts import messages, wishes

    if not wishes.is_alert_wish(wish):
        return None
    from ia.agent.analyst.ask import alert_words
    from ia.agent.analyst.ask.mentions import find_mentions
    from ia.agent.tools.builtin import alerts
    from ia.kernel.errors import BadData, Refused

    read = wishes.read_alert_wish(wish)
    wishes.check_security_words(alert_words.find_unread(read))
    meant = find_mentions(read.security or wish)
    if len(meant) > 1 or not (meant or read.security):
        raise BadData(
            "which security is meant?",
            hint="name one: `ia alert 300750 {condition}`",
            condition=repr(read.condition.expression),
        )
    draft = alerts.draft_alert(ws, meant[0].code if meant else read.security, read.condition.expression, notify=notify)
    if (known := alerts.find_known(ws, draft.alert)) is not None:
        raise Refused("this alert is set already: {name}", name=known["name"], hint="`ia alert list` shows all alerts")
    remarks: tuple[Message, ...] = ()
    if draft.state is not None and draft.history is not None:
        told = "now true: {day}, close {close}" if draft.state.holds else "now false: {day}, close {close}"
        close = messages.format_close(draft.history, draft.state.close)
        remarks = (Message(told, day=draft.state.session, close=close),)
    return alerts.complete_alert(draft.alert, note=read.note), remarks


def _uses_embedded_analyst(model: str | None) -> bool:
    from ia.agent.turns import task_drafting

    return task_drafting.uses_embedded_analyst(model)


def _build_design(fields: dict[str, Any], wish: str) -> "TaskDesign":
    """Return a design whose time was given; words beside it are the job."""
    from ia.faculties.schedule import wish_parser
    from ia.faculties.schedule.model import TaskDesign

    if wish and ("prompt" in fields or "run" in fields):
        raise UsageError("both TEXT and an option (--prompt or --run) give the job", hint="omit one of them")
    job = fields.get("run") or fields.get("prompt") or wish
    if not job:
        raise UsageError("the job is missing", hint="give the job as TEXT, or with --prompt or --run")
    name = fields.get("name") or wish_parser.suggest_name(fields["schedule"], job)
    produces = "" if "run" in fields else wish_parser.suggest_note(fields["schedule"], job)
    return TaskDesign(name, fields["schedule"], prompt="" if "run" in fields else job, produces=produces)
