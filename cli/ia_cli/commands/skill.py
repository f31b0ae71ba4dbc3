"""`ia skill`: methods that were learned."""

import sys
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import Message, NotFound
from ia_cli.terminal.group import Group
from ia_cli.terminal.lists import listed
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_json, emit_text, notify
from ia_cli.terminal.proposal_notice import proposed
from ia_cli.terminal.text import say

if TYPE_CHECKING:
    from ia.faculties.skills import Skill
    from ia.kernel.workspace import Workspace


@click.group(cls=Group, example="ia init; ia skill list")
def skill() -> None:
    """List, run and install skills: tested ways of doing a kind of work.

    A skill is a folder .claude/skills/NAME with a SKILL.md, as Claude Code has them; see ia-skill(5). `ia turn "/NAME
    ARGUMENTS"` runs one, and so may a model. It may call the tools that it lists, and no others.
    """


@skill.command("list", example="ia init; ia skill list")
@rows_options
@click.pass_context
def list_(ctx: click.Context, as_json: bool, as_jsonl: bool) -> None:
    """List the skills, and what is wrong with those that cannot be used. Status 1 where there are none."""
    from ia.faculties import skills
    from ia.kernel.workspace import Workspace

    rows = [_row(each) for each in skills.listed(Workspace())]
    empty = NotFound("no skills yet", hint="`ia init` brings some, `ia skill install` others")
    columns = ("name", "version", "state", "description", "problem")
    listed(ctx, rows, columns, empty, as_json=as_json, as_jsonl=as_jsonl)


def _row(each: "Skill") -> dict[str, Any]:
    problem = say(each.problem.template, **each.problem.params) if each.problem else None
    return {
        "name": each.name,
        "version": each.version,
        "state": "broken" if problem else "enabled" if each.enabled else "disabled",
        "description": each.description(),
        "arguments": each.argument_hint,
        "tools": list(each.allowed),
        "user": each.user_invocable,
        "model": each.model_invocable,
        "fork": each.fork,
        "path": each.path,
        "problem": problem,
    }


@skill.command(example="ia init; ia skill show research")
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Print a skill's SKILL.md; with --json what it says of itself, its files and what it knows."""
    from ia.faculties import skills
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    found = skills.find(ws, name)
    if as_json:
        emit_json(_document(ws, found))
        return
    text = ws.read_present(f"{found.path}/SKILL.md")
    if text is None:
        raise NotFound("{path} has no SKILL.md", path=found.path)
    emit_text(text)


def _document(ws: "Workspace", found: "Skill") -> dict[str, Any]:
    from ia.faculties import skills
    from ia.faculties.skills import expertise

    known = expertise.of(ws, found)
    return {
        **_row(found),
        "triggers": list(found.triggers),
        "declared": None if found.declared is None else list(found.declared),
        "fields": found.fields,
        "files": [{"path": path, "bytes": size} for path, size in skills.files(ws, found)],
        "knowledge": {
            "phases": len(known.sop.get("phases") or []) if known.sop else 0,
            "patterns": len(known.patterns),
            "red_flags": len(known.red_flags),
            "rules": {f"tier{tier}": len(known.tier(tier)) for tier in (1, 2, 3)},
            "problems": [say(each.template, **each.params) for each in known.problems],
        },
    }


@skill.command(example="ia init; ia skill run --print research 600519")
@click.argument("name")
@click.argument("arguments", nargs=-1)
@click.option("--print", "only_print", is_flag=True, help="Print what a turn would get, and run nothing.")
@click.option("-s", "--session", metavar="ID", default="", help="Go on with this session; without it a new one begins.")
@click.option("-m", "--model", metavar="MODEL", help="Ask this model; any that `llm models` lists, or ia-offline.")
@json_option
@click.pass_context
def run(
    ctx: click.Context,
    name: str,
    arguments: tuple[str, ...],
    only_print: bool,
    session: str,
    model: str | None,
    as_json: bool,
) -> None:
    """Run a skill, as `ia turn "/NAME ARGUMENTS"` does.

    With --print its instructions are printed, ARGUMENTS filled in.
    """
    from ia.faculties import skills
    from ia.kernel.workspace import Workspace
    from ia_cli.main import cli

    words = " ".join(arguments)
    loaded = skills.load(Workspace(), name, words, by_user=True)
    if only_print:
        if as_json:
            emit_json({"name": loaded.skill.name, "body": loaded.body, "sop": loaded.sop})
        else:
            emit_text(loaded.body if loaded.body.endswith("\n") else loaded.body + "\n")
        return
    turn = cli.get_command(ctx, "turn")
    assert turn is not None
    ctx.invoke(
        turn, message=f"/{loaded.skill.name} {words}".strip(), session=session, model=model, as_json=as_json
    )  # fmt: skip


@skill.command(example="mkdir volume; echo '先看量，再看价' > volume/SKILL.md; ia skill install volume")
@click.argument("source")
@click.option("--name", metavar="NAME", default="", help="Which skill, where SOURCE has several.")
@click.option("--because", metavar="WHY", default="", help="The reason.")
@json_option
def install(source: str, name: str, because: str, as_json: bool) -> None:
    """Propose to install a skill from a folder, a .zip or a git address; `ia approve` decides.

    Prints the proposal's number. Nothing of SOURCE is run. `ia pending ID` shows the tools that it may call and every
    line of its files, beside those of a version that is there already.
    """
    from ia.faculties.skills import installing
    from ia.kernel.workspace import Workspace

    proposed(installing.propose(Workspace(), source, name, because=because), as_json=as_json)


@skill.command(example="ia init; ia skill disable scan; ia skill enable scan")
@click.argument("name")
def enable(name: str) -> None:
    """Enable a skill that was disabled."""
    _switch(name, on=True)


@skill.command(example="ia init; ia skill disable scan")
@click.argument("name")
def disable(name: str) -> None:
    """Disable a skill: nobody calls it, and models do not hear of it. Its files stay."""
    _switch(name, on=False)


def _switch(name: str, *, on: bool) -> None:
    from ia.faculties.skills import installing
    from ia.kernel.workspace import Workspace

    if not installing.switch(Workspace(), name, on=on):
        notify(Message("the skill {name} is enabled" if on else "the skill {name} is disabled", name=name))


@skill.command(example="ia init; ia skill remove scan")
@click.argument("name")
@json_option
def remove(name: str, as_json: bool) -> None:
    """Remove a skill and print the paths of its files; `ia memory undo PATH` brings one back."""
    from ia.faculties.skills import installing
    from ia.kernel.workspace import Workspace

    paths = installing.remove(Workspace(), name)
    if as_json:
        emit_json({"paths": paths})
    else:
        sys.stdout.write("".join(f"{path}\n" for path in paths))
