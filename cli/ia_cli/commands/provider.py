"""`ia provider`: abilities that other programs bring."""

import sys
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import IaError, NotFound, UsageError
from ia_cli.terminal.group import Group
from ia_cli.terminal.input import parse_arguments
from ia_cli.terminal.lists import listed
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_rows, harmless, hint
from ia_cli.terminal.proposal_notice import proposed
from ia_cli.terminal.text import say, tr

if TYPE_CHECKING:
    from ia.faculties.providers import Declared, Provider
    from ia.kernel.workspace import Workspace

MAX_TOLD = 200


@click.group(cls=Group, example="ia init; ia provider list")
def provider() -> None:
    """List, add and test providers: abilities that other programs bring.

    A provider is a folder .claude/providers/NAME with a PROVIDER.md; see ia-provider(5). Its tools are commands (JSON
    in, JSON out) or those of an MCP server. It is given the environment that it declares and nothing more, and what it
    answers is data from outside: it never acts on its own.
    """


@provider.command("list", example="ia init; ia provider list")
@rows_options
@click.pass_context
def list_(ctx: click.Context, as_json: bool, as_jsonl: bool) -> None:
    """List the providers, their tools, and what is wrong with those that cannot be used. Status 1 where there are none.

    Nothing is started.
    """
    from ia.faculties import providers
    from ia.kernel.workspace import Workspace

    plain = not (as_json or as_jsonl)
    rows = [_row(each, plain) for each in providers.listed(Workspace())]
    empty = NotFound("no providers yet", hint="`ia init` brings one, `ia provider add` others")
    columns = ("name", "version", "state", "tools", "description", "problem")
    listed(ctx, rows, columns, empty, as_json=as_json, as_jsonl=as_jsonl)


def _told(problem: IaError) -> str:
    """Return what is wrong, and what to type where that is known."""
    words = say(problem.template, **problem.params)
    return f"{words}; {say(problem.hint, **problem.params)}" if problem.hint else words


def _row(each: "Provider", plain: bool) -> dict[str, Any]:
    tools = [tool.name for tool in each.tools]
    return {
        "name": each.name,
        "version": each.version,
        "state": "broken" if each.problem else "enabled" if each.enabled else "disabled",
        "tools": ", ".join(tools) if plain else tools,
        "description": each.description,
        "problem": _told(each.problem) if each.problem else None,
    }


@provider.command(
    example="mkdir today\n"
    "printf '%s\\n' --- 'command: [date, +\"%Y\"]' 'tools: [{name: year}]' --- > today/PROVIDER.md\n"
    "ia provider add ./today"
)
@click.argument("source")
@click.option("--name", default="", metavar="NAME", help="Which provider, where the source has several.")
@click.option("--because", default="", metavar="WHY", help="The reason.")
@json_option
def add(source: str, name: str, because: str, as_json: bool) -> None:
    """Propose to install a provider from a folder, a .zip or a git address.

    Shows what it starts, what it gets to see and which tools it has. `ia pending ID` shows every line of it, `ia
    approve ID` installs it; nothing of it runs before that.
    """
    from ia.faculties.providers.installing import propose
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.provider_view import about, lines

    made, manifest = propose(Workspace(), source, name, because=because)
    for line in lines(about(manifest)):
        click.echo(harmless(line), err=True)
    proposed(made, as_json=as_json)
    hint("afterwards `ia provider test {name}` tries it", name=manifest.name)


@provider.command(example="ia init; ia provider test calendar")
@click.argument("name")
@click.argument("tool", required=False)
@click.argument("arguments", required=False, metavar="[JSON]")
@rows_options
@click.pass_context
def test(ctx: click.Context, name: str, tool: str | None, arguments: str | None, as_json: bool, as_jsonl: bool) -> None:
    """Start a provider and call its tools. Status 1 where something of it does not work.

    Without TOOL each tool is called with the `test` arguments that PROVIDER.md gives it; of those without you see what
    models are told. An MCP server is asked for its tools: what it lists now is what models are offered until the next
    time.
    """
    from ia.faculties import providers
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    given = _object(arguments) if arguments is not None else {}
    started, found = _timed(lambda: providers.refresh(ws, name))
    if not started["ok"] and providers.find(ws, name).manifest is None:
        raise found
    rows = [{"tool": f"({tr('start')})", **started}]
    tools = providers.find(ws, name).tools
    if tool is not None:
        chosen = [each for each in tools if each.name in (tool, f"{name}.{tool}")]
        if not chosen and started["ok"]:
            raise NotFound("{tool}: no such tool of provider {name}", tool=tool, name=name,
                           known=", ".join(each.name for each in tools), hint="there is {known}")  # fmt: skip
        rows += [_called(ws, each.name, given) for each in chosen]
    elif started["ok"]:
        for each in tools:
            rows.append(_called(ws, each.name, each.check) if each.check is not None else _not_called(each))
    emit_rows(rows, ("tool", "ok", "ms", "told"), as_json=as_json, as_jsonl=as_jsonl)
    ctx.exit(1 if any(row["ok"] is False for row in rows) else 0)


def _timed(work: Any) -> tuple[dict[str, Any], Any]:
    import time

    began = time.monotonic()
    try:
        value, told = work(), ""
        ok = getattr(value, "problem", None) is None
        if not ok:
            value = value.problem
            told = say(value.template, **value.params)
    except IaError as exc:
        value, told, ok = exc, say(exc.template, **exc.params), False
    return {"ok": ok, "ms": round((time.monotonic() - began) * 1000), "told": told[:MAX_TOLD]}, value


def _called(ws: "Workspace", name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool as `ia tool call` does: through the router, with its limits and its trace in the audit trail."""
    from ia.agent.tools import catalog
    from ia.agent.tools.router import Router
    from ia.agent.tools.scope import Scope

    outcome = Router(catalog.provided(ws)).call(Scope(ws), name, arguments)
    failure = outcome.failure
    told = outcome.text() if failure is None else say(failure.template, **failure.params)
    return {"tool": name, "ok": outcome.ok, "ms": outcome.ms, "told": told[:MAX_TOLD]}


def _not_called(tool: "Declared") -> dict[str, Any]:
    told = f"{tr('not called')}; {tr(tool.risk)}: {tool.description}"
    return {"tool": tool.name, "ok": None, "ms": None, "told": told}


def _object(text: str) -> dict[str, Any]:
    example = '\'{"date": "2024-02-09"}\''
    value = parse_arguments(text, example)
    if not isinstance(value, dict):
        raise UsageError("the arguments are no JSON object", hint="as in {example}", example=example)
    return value


@provider.command(example="ia init; ia provider remove calendar")
@click.argument("name")
def remove(name: str) -> None:
    """Remove a provider and print the paths that went. What was in them stays in the history of the workspace."""
    from ia.faculties.providers.installing import remove as removed
    from ia.kernel.workspace import Workspace

    for path in removed(Workspace(), name):
        sys.stdout.write(f"{path}\n")
