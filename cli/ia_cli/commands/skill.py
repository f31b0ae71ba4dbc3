"""`ia skill`: methods that were learned."""

import sys
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import IaError, Message, NotFound
from ia_cli.terminal.group import CommandGroup
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_json, emit_text, notify
from ia_cli.terminal.proposal_notice import print_proposal
from ia_cli.terminal.text import say

if TYPE_CHECKING:
    from ia.faculties.skills import Skill
    from ia.kernel.workspace import Workspace


@click.group(cls=CommandGroup, example="ia init; ia skill list")
def skill() -> None:
    """List, run and install skills: instructions for one kind of work.

    A skill is a folder .claude/skills/NAME with a SKILL.md, in the format of Claude Code; see ia-skill(5). You run one
    with `ia turn "/NAME ARGUMENTS"`; a model may run one too. A skill may call only the tools that it lists.
    """


@skill.command("list", example="ia init; ia skill list")
@rows_options
@click.pass_context
def list_(ctx: click.Context, as_json: bool, as_jsonl: bool) -> None:
    """List skills and their problems. Status 1 if there are none."""
    from ia.faculties import skills
    from ia.kernel.workspace import Workspace

    rows = [_skill_row(each) for each in skills.list_skills(Workspace())]
    empty = NotFound("no skills yet", hint="`ia init` installs some; add others with `ia skill install`")
    columns = ("name", "version", "state", "description", "problem")
    emit_list(ctx, rows, columns, empty, as_json=as_json, as_jsonl=as_jsonl)


def _skill_row(each: "Skill") -> dict[str, Any]:
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
    """Print a skill's SKILL.md; with --json its metadata, files and knowledge.

    Problems of its knowledge and templates are printed to standard error, with file and line.
    """
    from ia.agent.analyst.jobs import skill_problems
    from ia.faculties import skills
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    found = skills.find(ws, name)
    if as_json:
        emit_json(_skill_document(ws, found))
        return
    text = ws.read_present(f"{found.path}/SKILL.md")
    if text is None:
        raise NotFound("{path} has no SKILL.md", path=found.path)
    emit_text(text)
    problems = _describe_problems(ws, found)
    for each in problems:
        notify(Message("{path}: {problem}", path=found.path, problem=each))
    if problems and skill_problems.has_shipped(found):
        notify(Message("correct the lines, or delete the file: ia then uses the one that it comes with"))


def _describe_problems(ws: "Workspace", found: "Skill") -> list[str]:
    """Return what of a skill's knowledge and templates cannot be used, each with its file and line."""
    from ia.agent.analyst.jobs import skill_problems
    from ia.faculties.skills import expertise, forms
    from ia.faculties.skills.skill_tools import load_tools

    known = [say(each.template, **each.params) for each in expertise.of(ws, found).problems]
    broken = load_tools(ws, found).problem
    known += [say(broken.template, **broken.params)] if broken is not None else []
    try:
        forms.load_forms(ws, found)
    except IaError as exc:
        known.append(say(exc.template, **exc.params))
    return [*known, *skill_problems.find_problems(ws, found)]


def _skill_document(ws: "Workspace", found: "Skill") -> dict[str, Any]:
    from ia.faculties import skills
    from ia.faculties.skills import expertise
    from ia.faculties.skills.skill_tools import load_tools

    known = expertise.of(ws, found)
    return {
        **_skill_row(found),
        "triggers": list(found.triggers),
        "declared": None if found.declared is None else list(found.declared),
        "fields": found.fields,
        "files": [{"path": path, "bytes": size} for path, size in skills.files(ws, found)],
        "display_name": found.display_name(),
        "requires": list(found.requires),
        "forms": _list_forms(ws, found),
        "own_tools": [
            {"name": each.name, "level": each.level, "type": each.kind, "card_type": each.card_type or None}
            for each in load_tools(ws, found).tools
        ],
        "knowledge": {
            "phases": len(known.sop.get("phases") or []) if known.sop else 0,
            "patterns": len(known.patterns),
            "red_flags": len(known.red_flags),
            "rules": {f"tier{tier}": len(known.tier(tier)) for tier in (1, 2, 3)},
            "problems": _describe_problems(ws, found),
        },
    }


def _list_forms(ws: "Workspace", found: "Skill") -> list[dict[str, Any]]:
    from ia.faculties.skills import forms

    try:
        known = forms.load_forms(ws, found)
    except IaError:
        return []
    return [{"name": each.name, "fields": [field.name for field in each.fields]} for each in known]


@skill.command(example="ia init; ia skill run --print research 600519")
@click.argument("name")
@click.argument("arguments", nargs=-1)
@click.option("--print", "only_print", is_flag=True, help="Print what a turn would get, without running it.")
@click.option("-s", "--session", metavar="ID", default="", help="Session to continue (default: a new one).")
@click.option("-m", "--model", metavar="MODEL", help="Model to use: any that `llm models` lists, or ia-offline.")
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

    With --print, ia only prints the skill's instructions with ARGUMENTS filled in.
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
    ctx.invoke(turn, message=(f"/{loaded.skill.name}", *arguments), session=session, model=model, as_json=as_json)


@skill.command(example="ia init; ia skill test review")
@click.argument("name")
@click.argument("message", nargs=-1)
@click.option("-m", "--model", metavar="MODEL", help="Model to use: any that `llm models` lists, or ia-offline.")
@rows_options
@click.pass_context
def test(
    ctx: click.Context, name: str, message: tuple[str, ...], model: str | None, as_json: bool, as_jsonl: bool
) -> None:
    """Play a skill: its files and tools, whether its rules find their sources, and one conversation.

    ia calls each tool that the skill brings and whose arguments have examples, defaults, choices or bounds; searches
    the library for the words of each rule, pattern and step that cites a document; and says MESSAGE (default: the
    first condition in words) in a new session. A conversation fails if the answer is empty or every tool call failed,
    and is skipped if no tool was called. Status 1 if a part fails.
    """
    from ia.agent import skill_trial
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.output import emit_rows

    ws = Workspace()
    found = skill_trial.find_skill(ws, name)
    played = list(skill_trial.try_skill(ws, found, model=model, message=" ".join(message), notify=notify))
    rows = [{**each._asdict(), "detail": say(each.detail.template, **each.detail.params)} for each in played]
    emit_rows(rows, ("part", "name", "result", "detail"), as_json=as_json, as_jsonl=as_jsonl)
    if skill_trial.has_failed(played):
        ctx.exit(1)


@skill.command(example="mkdir volume; echo '先看量，再看价' > volume/SKILL.md; ia skill install volume")
@click.argument("source")
@click.option("--name", metavar="NAME", default="", help="Skill to install, if SOURCE has several.")
@click.option("--because", metavar="WHY", default="", help="Reason for the action.")
@json_option
def install(source: str, name: str, because: str, as_json: bool) -> None:
    """Propose a skill from a folder, .zip or git URL; `ia approve` installs it.

    Prints the proposal's number. ia runs nothing from SOURCE. `ia pending ID` shows the tools that the skill may call
    and every line of its files, as a diff if a version is installed already.
    """
    from ia.faculties.skills import installing
    from ia.kernel.workspace import Workspace

    print_proposal(installing.propose(Workspace(), source, name, because=because), as_json=as_json)


@skill.command(example="ia init; ia skill disable scan; ia skill enable scan")
@click.argument("name")
def enable(name: str) -> None:
    """Enable a skill that was disabled."""
    _switch_skill(name, on=True)


@skill.command(example="ia init; ia skill disable scan")
@click.argument("name")
def disable(name: str) -> None:
    """Disable a skill: nobody can call it and models do not see it. Its files stay."""
    _switch_skill(name, on=False)


def _switch_skill(name: str, *, on: bool) -> None:
    from ia.faculties.skills import installing
    from ia.kernel.workspace import Workspace

    if not installing.switch(Workspace(), name, on=on):
        notify(Message("the skill {name} is enabled" if on else "the skill {name} is disabled", name=name))


@skill.command(example="ia init; ia skill remove scan")
@click.argument("name")
@json_option
def remove(name: str, as_json: bool) -> None:
    """Remove a skill and print its paths; `ia memory undo PATH` restores a file."""
    from ia.faculties.skills import installing
    from ia.kernel.workspace import Workspace

    paths = installing.remove(Workspace(), name)
    if as_json:
        emit_json({"paths": paths})
    else:
        sys.stdout.write("".join(f"{path}\n" for path in paths))
