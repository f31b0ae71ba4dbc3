"""`ia task propose`: a wish, or the fields of a task, become a draft that a person decides on."""

import re
import sys
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import Message, UsageError
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import emit_json, harmless, hint, notify
from ia_cli.terminal.task_draft import document, show
from ia_cli.terminal.text import lang

if TYPE_CHECKING:
    from ia.agent.tools.builtin.tasks import Kept
    from ia.agent.tools.scope import Scope
    from ia.faculties.schedule.model import Design
    from ia.kernel.workspace import Workspace

MANY = 24
"""Runs of a day from which on their number is told."""
WHEN = ("cron", "every", "after_close", "on")
PLAIN = ("zone", "calendar", "prompt", "name", "produces", "retries", "retry_after", "missed", "timeout", "because")
_SPAN = re.compile(r"(\d{1,6})\s*(m|h|d)?(?:in(?:utes?)?|ours?|ays?)?", re.I)


class _Minutes(click.ParamType):  # type: ignore[type-arg]
    name = "MINUTES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = _SPAN.fullmatch(str(value).strip())
        if found is None:
            raise UsageError(
                "{text!r} is no length of time", text=str(value), hint="write 90, 90m, 1h or 1d: minutes without a unit"
            )
        return int(found[1]) * {"m": 1, "h": 60, "d": 1440}[(found[2] or "m").lower()]


@click.command(cls=Command, example="ia task propose '每周五收盘后，帮我复盘本周的观察和判断' -m ia-offline")
@click.argument("text", required=False)
@click.option("--cron", metavar="FIELDS", help="When: five cron fields, such as '0 16 * * 5'.")
@click.option("--every", metavar="TIME", help="When: every 90m, 2h or 1d, counted from the approval.")
@click.option(
    "--after-close", metavar="TIME", help="When: so long after the exchange's close; '30m fri' on Fridays only."
)
@click.option("--on", metavar="KIND:WHAT", help="When: file:PATTERN, message:WORDS or webhook:NAME.")
@click.option(
    "--zone", metavar="ZONE", help="Time zone of the schedule: Asia/Shanghai. Default: the exchange's, else yours."
)
@click.option("--calendar", type=click.Choice(["CN", "HK", "US"]), help="Only on trading days of this exchange.")
@click.option("--prompt", metavar="TEXT", help="What a turn is asked each time; /NAME at its start runs a skill.")
@click.option("--run", "run_", metavar="PIPELINE", help="Instead of a prompt: ia commands, joined by | and &&.")
@click.option("--name", metavar="NAME", help="What to call it; without it the schedule and the job name it.")
@click.option("--produces", metavar="NOTE", help="Note below notebook/ that keeps the result: reports/weekly/DATE.md.")
@click.option(
    "--notify",
    "channels",
    metavar="CHANNEL",
    multiple=True,
    help="Who is told of the result: me, a channel, or nobody. May be repeated.",
)
@click.option("--silent", is_flag=True, help="Tell only of failures.")
@click.option("--retries", type=click.IntRange(0, 20), help="How often a failed run is tried again; default 1.")
@click.option("--retry-after", type=_Minutes(), help="How long to wait before that; default 60.")
@click.option(
    "--missed",
    type=click.Choice(["once", "skip"]),
    help="What was missed while the machine slept: made up for once, or left out.",
)
@click.option("--timeout", type=_Minutes(), help="How long one run may take; default 30.")
@click.option("--because", metavar="WHY", help="The reason, for whoever reads it later.")
@click.option("-m", "--model", metavar="MODEL", help="Let this model read TEXT; ia-offline reads it by rules.")
@json_option
def propose(text: str | None, model: str | None, as_json: bool, **given: Any) -> None:
    """Draft a task: what ia is to do by itself, and when. You decide: nothing runs before `ia task approve`.

    TEXT says it in Chinese or English; the model reads it (`ia config set model`), or the rules of the embedded
    analyst. Options override what was read, and with a time and --prompt or --run no TEXT and no model is needed. With
    a time, TEXT is the job.

    Prints the number of the proposal. The draft stands on stderr: when, the next five run times, what runs, what it
    keeps, who is told, what if it fails. One that waits already and says the same is not made again, and gets no
    second name. With the --name of a task that there is, the proposal is a change of it.

    JSON is proposal, path, design (the fields), described, next (ISO times).
    """
    from ia.agent.tools.builtin import tasks
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    fields = _fields(given)
    if "run" in fields:
        _checked(fields["run"])
    scope, design = _drafted(ws, text, fields, model)
    if design.run:
        _checked(design.run)
    if "produces" not in fields and design.produces.removesuffix("/DATE.md") not in (text or ""):
        design = tasks.apart(scope, design, named="name" in fields)
    made = tasks.kept(scope, design, lang() if design.run else "", named="name" in fields)
    show(made.design)
    if made.known:
        notify(Message("proposal {number} says so already", number=made.number))
    else:
        _changed(scope, made)
    for name in tasks.unknown(made.design):
        notify(
            Message("{channel}: no such channel yet; `ia config set channels.{channel} ADDRESS` makes it", channel=name)
        )
    _doubts(ws, made.design)
    same = tasks.sharing(scope, made.design)
    if same:
        notify(
            Message("the result of {paths} is kept in the same note; `--produces` names another", paths=", ".join(same))
        )
    others = tasks.beside(scope, made.design)
    if others:
        notify(Message("at the same time there is {paths}", paths=", ".join(others)))
    hint("`ia task approve {number}` lets it run, `ia reject {number}` drops it", number=made.number)
    if as_json:
        emit_json({"proposal": made.number, "path": made.design.path, **document(made.design)})
    else:
        sys.stdout.write(f"{made.number}\n")


def _checked(pipeline: str) -> None:
    from ia.reach.tasks.pipeline import parsed

    parsed(pipeline)


def _changed(scope: "Scope", made: "Kept") -> None:
    """Say that a proposal changes a task that there is, and how; or that another one about its file waits too."""
    from ia.agent.tools.builtin.tasks import designs
    from ia.kernel import proposals

    proposal = proposals.get(scope.ws, made.number)
    if proposal.before:
        notify(
            Message("{path} is there: this is a change of it, and approving it replaces that task", path=proposal.path)
        )
        for line in proposals.difference(proposal.before, proposal.after, proposal.path).split("\n")[:-1]:
            click.echo(harmless(line), err=True)
    for other, design in designs(scope):
        if design.path == made.design.path and other.id != made.number:
            notify(Message("proposal {number} is about {path} too: one of them only can be approved",
                           number=other.id, path=design.path))  # fmt: skip


def _doubts(ws: "Workspace", design: "Design") -> None:
    """Say what a person may not have meant: a job that nothing here understands, a turn every few minutes."""
    from ia.agent.tools.builtin.tasks import a_day
    from ia.agent.turns import drafting

    if not design.prompt:
        return
    if drafting.by_rules(None) and not drafting.understood(ws, design.prompt):
        notify(
            Message(
                "without a model this job will not be understood: set one (`ia config set model NAME`), or reword it"
            )
        )
    if (count := a_day(design)) > MANY:
        notify(Message("{count} runs a day, and each asks the model", count=count))


def _fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options as fields of a design.

    raises  UsageError for two times, or a prompt and a run.
    """
    said = [option for option in WHEN if given[option]]
    if len(said) > 1:
        raise UsageError("two times: --{one} and --{other}", one=_dashed(said[0]), other=_dashed(said[1]),
                         hint="one task has one time; make two of it")  # fmt: skip
    fields = {key: given[key] for key in PLAIN if given[key] is not None}
    fields |= {"run": given["run_"]} if given["run_"] is not None else {}
    if "run" in fields and "prompt" in fields:
        raise UsageError("a task has either --prompt or --run", hint="a pipeline can hold `ia turn TEXT`")
    fields |= {"silent": True} if given["silent"] else {}
    if given["channels"]:
        nobody = {"nobody", "none"} & {name.lower() for name in given["channels"]}
        fields["notify"] = () if nobody else tuple(dict.fromkeys(given["channels"]))
    if said:
        fields["schedule"] = _schedule(said[0], given[said[0]])
    return fields


def _dashed(option: str) -> str:
    return option.replace("_", "-")


def _schedule(option: str, value: str) -> str:
    if option == "every":
        return f"every {value}"
    if option == "after_close":
        return f"close{value}" if value[:1] in "+-" else f"close+{value}"
    if option == "on":
        kind, colon, what = value.partition(":")
        if not colon:
            raise UsageError("{text!r}: KIND:WHAT is file:PATTERN, message:WORDS or webhook:NAME", text=value)
        return f"on {kind} {what}"
    return value


def _drafted(ws: "Workspace", text: str | None, fields: dict[str, Any], model: str | None) -> "tuple[Scope, Design]":
    """Return the design, and the scope in which it is proposed: the person's own, or the model's that read the wish."""
    from dataclasses import replace

    from ia.agent.tools.builtin.tasks import settled, slug_of
    from ia.agent.tools.scope import Scope
    from ia.faculties.schedule import words, zones

    scope, wish = Scope(ws, actor="user", asked=text or "", notify=notify), (text or "").strip()
    if "schedule" in fields:
        design = _by_fields(fields, wish)
    elif not wish:
        raise UsageError(
            "say what is wanted, and when",
            hint="`ia task propose 'every Friday at 16:00 review my week'`, or --cron with --prompt or --run",
        )
    elif model == "ia-offline" or _rules(model):
        design = replace(words.read(wish, zone=zones.own().key), because=" ".join(wish.split())[:500])
    else:
        from ia.agent.turns import drafting

        design, scope, _ = drafting.draft(ws, wish, model=model, notify=notify)
    if "run" in fields or "prompt" in fields:
        name = words.name_of(fields.get("schedule") or design.schedule, fields.get("run") or fields["prompt"])
        design = replace(design, run="", prompt="", name=name)
    if "name" in fields and (slug := slug_of(fields["name"])) != fields["name"]:
        raise UsageError(
            "{name!r} is not a name for a task", name=fields["name"][:80], slug=slug, hint="for example {slug}"
        )
    return scope, settled(replace(design, **fields))


def _rules(model: str | None) -> bool:
    from ia.agent.turns import drafting

    return drafting.by_rules(model)


def _by_fields(fields: dict[str, Any], wish: str) -> "Design":
    """Return a design whose time was given; words beside it are the job."""
    from ia.faculties.schedule import words
    from ia.faculties.schedule.model import Design

    if wish and ("prompt" in fields or "run" in fields):
        raise UsageError(
            "TEXT is the job where a time is given, and there is one already", hint="leave one of them out"
        )
    job = fields.get("run") or fields.get("prompt") or wish
    if not job:
        raise UsageError("what is to be done is not said", hint="say it as TEXT, or with --prompt or --run")
    name = fields.get("name") or words.name_of(fields["schedule"], job)
    produces = "" if "run" in fields else words.note_of(fields["schedule"], job)
    return Design(name, fields["schedule"], prompt="" if "run" in fields else job, produces=produces)
