"""`ia provider`: abilities that other programs bring."""

import sys
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import IaError, NotFound, UsageError
from ia_cli.terminal.group import CommandGroup
from ia_cli.terminal.input import parse_arguments
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_rows, escape_controls, tell_hint
from ia_cli.terminal.proposal_notice import print_proposal
from ia_cli.terminal.text import say, tr

if TYPE_CHECKING:
    from ia.faculties.providers import DeclaredTool, Provider
    from ia.kernel.workspace import Workspace

MAX_TOLD = 200


@click.group(cls=CommandGroup, example="ia init; ia provider list")
def provider() -> None:
    """List, add and test providers: tools from other programs.

    A provider is a folder .claude/providers/NAME with a PROVIDER.md; see ia-provider(5). Its tools are commands (JSON
    in, JSON out) or those of an MCP server. It gets only the environment variables that it declares. Its answers are
    data from outside and never act on their own.
    """


@provider.command("list", example="ia init; ia provider list")
@rows_options
@click.pass_context
def list_(ctx: click.Context, as_json: bool, as_jsonl: bool) -> None:
    """List providers, their tools and problems. Status 1 if there are none.

    Starts no provider.
    """
    from ia.faculties import providers
    from ia.kernel.workspace import Workspace

    plain = not (as_json or as_jsonl)
    rows = [_provider_row(each, plain) for each in providers.list_providers(Workspace())]
    empty = NotFound("no providers yet", hint="`ia init` installs one; add others with `ia provider add`")
    columns = ("name", "version", "state", "tools", "description", "problem")
    emit_list(ctx, rows, columns, empty, as_json=as_json, as_jsonl=as_jsonl)


def _format_problem(problem: IaError) -> str:
    """Return what is wrong, and what to type where that is known."""
    words = say(problem.template, **problem.params)
    return f"{words}; {say(problem.hint, **problem.params)}" if problem.hint else words


def _provider_row(each: "Provider", plain: bool) -> dict[str, Any]:
    tools = [tool.name for tool in each.tools]
    return {
        "name": each.name,
        "version": each.version,
        "state": "off" if each.is_off else "broken" if each.problem else "enabled" if each.enabled else "disabled",
        "tools": ", ".join(tools) if plain else tools,
        "description": each.description,
        "problem": _format_problem(each.problem) if each.problem else None,
    }


@provider.command(
    example="mkdir today\n"
    "printf '%s\\n' --- 'command: [date, +\"%Y\"]' 'tools: [{name: year}]' --- > today/PROVIDER.md\n"
    "ia provider add ./today"
)
@click.argument("source")
@click.option("--name", default="", metavar="NAME", help="Provider to install, if the source has several.")
@click.option("--because", default="", metavar="WHY", help="Reason for the action.")
@json_option
def add(source: str, name: str, because: str, as_json: bool) -> None:
    """Propose installing a provider from a folder, .zip or git URL.

    Shows the programs it starts, the data it sees and its tools. `ia pending ID` shows every line, and `ia approve ID`
    installs it. None of its code runs before that.
    """
    from ia.faculties.providers.installing import propose_provider
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.provider_view import provider_document, provider_lines

    made, manifest = propose_provider(Workspace(), source, name, because=because)
    for line in provider_lines(provider_document(manifest)):
        click.echo(escape_controls(line), err=True)
    print_proposal(made, as_json=as_json)
    tell_hint("then test it with `ia provider test {name}`", name=manifest.name)


@provider.command(example="ia init; ia provider test calendar")
@click.argument("name")
@click.argument("tool", required=False)
@click.argument("arguments", required=False, metavar="[JSON]")
@rows_options
@click.pass_context
def test(ctx: click.Context, name: str, tool: str | None, arguments: str | None, as_json: bool, as_jsonl: bool) -> None:
    """Start a provider and call its tools. Status 1 if something fails.

    Without TOOL, ia calls each tool with its `test` arguments from PROVIDER.md. For a tool without them, ia shows the
    description that models see. ia asks an MCP server for its tools and offers this list to models until it asks
    again.
    """
    from ia.faculties import providers
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    given = _parse_object(arguments) if arguments is not None else {}
    started, found = _time_call(lambda: providers.refresh_provider(ws, name))
    if not started["ok"] and providers.find_provider(ws, name).manifest is None:
        raise found
    rows = [{"tool": f"({tr('start')})", **started}]
    tools = providers.find_provider(ws, name).tools
    if tool is not None:
        chosen = [each for each in tools if each.name in (tool, f"{name}.{tool}")]
        if not chosen and started["ok"]:
            raise NotFound(
                "provider {name} has no tool {tool}",
                tool=tool,
                name=name,
                known=", ".join(each.name for each in tools),
                hint="available: {known}",
            )
        rows += [_call_tool(ws, each.name, given) for each in chosen]
    elif started["ok"]:
        for each in tools:
            rows.append(_call_tool(ws, each.name, each.check) if each.check is not None else _untested_row(each))
    emit_rows(rows, ("tool", "ok", "ms", "told"), as_json=as_json, as_jsonl=as_jsonl)
    ctx.exit(1 if any(row["ok"] is False for row in rows) else 0)


def _time_call(work: Any) -> tuple[dict[str, Any], Any]:
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


def _call_tool(ws: "Workspace", name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool as `ia tool call` does: through the router, with its limits and its trace in the audit trail."""
    from ia.agent.tools import catalog
    from ia.agent.tools.router import Router
    from ia.agent.tools.scope import Scope

    outcome = Router(catalog.provider_tools(ws)).call_tool(Scope(ws), name, arguments)
    failure = outcome.failure
    told = outcome.format_text() if failure is None else say(failure.template, **failure.params)
    return {"tool": name, "ok": outcome.ok, "ms": outcome.ms, "told": told[:MAX_TOLD]}


def _untested_row(tool: "DeclaredTool") -> dict[str, Any]:
    told = f"{tr('not called')}; {tr(tool.risk)}: {tool.description}"
    return {"tool": tool.name, "ok": None, "ms": None, "told": told}


def _parse_object(text: str) -> dict[str, Any]:
    example = '\'{"date": "2024-02-09"}\''
    value = parse_arguments(text, example)
    if not isinstance(value, dict):
        raise UsageError("the arguments are not a JSON object", hint="for example {example}", example=example)
    return value


@provider.command(example="ia init; ia provider remove calendar")
@click.argument("name")
def remove(name: str) -> None:
    """Remove a provider and print its paths; the workspace history keeps its files."""
    from ia.faculties.providers.installing import remove_provider as removed
    from ia.kernel.workspace import Workspace

    for path in removed(Workspace(), name):
        sys.stdout.write(f"{path}\n")
