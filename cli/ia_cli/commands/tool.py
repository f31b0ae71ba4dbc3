"""`ia tool`, `ia fork`: what a model can do, done by hand; and a task for a subagent."""

from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import BadData, Message
from ia_cli.terminal.group import Command, CommandGroup
from ia_cli.terminal.input import parse_arguments, text_or_stdin
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_json, emit_rows, emit_text, notify

if TYPE_CHECKING:
    from ia.kernel.workspace import Workspace


@click.group(cls=CommandGroup, example="ia tool call notebook.list '{}'")
def tool() -> None:
    """List the tools available to models, or call one yourself.

    Calls pass the same router, limits and audit trail as those of a model. Tools of risk read only read, write tools
    write, and confirm tools only create proposals. Tools of skills are among them, see ia-skill(5): you can call one
    at any time, a model only while the skill is active.
    """


@tool.command("list", example="ia tool list")
@rows_options
def list_(as_json: bool, as_jsonl: bool) -> None:
    """List the tools with name, risk, arguments and purpose."""
    from ia.agent.tools import catalog
    from ia.agent.tools.schema import format_usage
    from ia.kernel.workspace import Workspace

    plain = not (as_json or as_jsonl)
    router = catalog.build_router(Workspace())
    rows = [
        {
            "name": each.name,
            "risk": each.risk,
            "origin": each.origin,
            "arguments": format_usage(each.schema) if plain else each.schema,
            "description": each.description,
            **({"skill": each.skill, "level": each.about["level"], "type": each.about["type"]} if each.skill else {}),
        }
        for each in router.tools.values()
    ]
    for problem in router.problems:
        notify(Message(problem.template, **problem.params))
    emit_rows(rows, ("name", "risk", "origin", "arguments", "description"), as_json=as_json, as_jsonl=as_jsonl)


@tool.command(example="ia tool show market.ohlcv")
@click.argument("name")
def show(name: str) -> None:
    """Print a tool as models see it: name, description and JSON Schema."""
    from ia.agent.tools import catalog
    from ia.kernel.workspace import Workspace

    found = catalog.build_router(Workspace()).find_tool(name)
    emit_json(
        {
            "name": found.name,
            "wire_name": found.wire_name,
            "risk": found.risk,
            "organ": found.organ,
            "origin": found.origin,
            "description": found.description,
            "parameters": found.schema,
            **found.about,
        }
    )


@tool.command(example="ia tool call notebook.list '{}'")
@click.argument("name")
@click.argument("arguments", required=False, metavar="[JSON]")
@click.option(
    "-s", "--session", metavar="ID", default="", help="Session whose slots fill in arguments (default: none)."
)
@click.option("--card", "as_card", is_flag=True, help="Draw the result as a card instead of JSON.")
@click.option("-o", "--output", metavar="FILE", help="Write the card as a page to FILE (.html).")
def call(name: str, arguments: str | None, session: str, as_card: bool, output: str | None) -> None:
    """Call a tool with a JSON object of arguments and print its result as JSON.

    JSON can be - for standard input. Without JSON, the call has no arguments. A display tool returns a card: its type,
    properties and text; --card draws it, -o writes it as a self-contained page.
    """
    if output is not None:
        from ia.faculties.pictures import saving

        saving.file_format(output, ("html",))
    from ia.agent.tools import catalog
    from ia.agent.tools.scope import Scope
    from ia.agent.turns.subagents import make_manual_fork
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    router = catalog.build_router(ws)
    found = router.find_tool(name)
    given: Any = {}
    if arguments is not None:
        given = parse_arguments(text_or_stdin(arguments, "JSON"), '\'{"symbol": "600519"}\'')
    scope = Scope(ws, notify=notify)
    if session:
        from ia.organs import sessions

        scope.session = sessions.resolve_session(ws, session)
    if found.name == "subagents.run":
        scope.fork = make_manual_fork(scope, router)
    outcome = router.call_tool(scope, found.name, given)
    if outcome.failure is not None:
        raise outcome.failure
    if as_card or output is not None:
        _show_card(ws, found.name, outcome.value, output)
    else:
        emit_json(outcome.value)


def _show_card(ws: "Workspace", tool: str, card: Any, output: str | None) -> None:
    """Draw a card, or write it as a page. raises BadData where the result is none."""
    if not isinstance(card, dict) or "card" not in card:
        raise BadData("the result of {tool} is not a card", tool=tool, hint="call it without --card and -o")
    if output is None:
        from ia_cli.terminal.card_view import print_cards

        print_cards(ws, [card])
        return
    from ia.agent.tools.skill_tools import lay_out
    from ia.faculties.pictures import cards, saving
    from ia_cli.terminal.text import lang

    saving.save_picture(output, cards.render_card_page(*lay_out(ws, card, lang()), lang()).encode())
    emit_text(output + "\n")


@click.command(cls=Command, example='IA_MARKET_ADAPTER=demo ia fork "宁德时代的波动率和回撤" --role researcher')
@click.argument("task")
@click.option(
    "--role",
    metavar="R",
    default="researcher",
    help="Role: researcher, reviewer, planner, or a description of another (default: researcher).",
)
@click.option("--tools", metavar="T,…", help="Comma-separated tools to allow, a subset of the role's tools.")
@click.option("-m", "--model", metavar="MODEL", help="Model to use (default: setting model).")
@json_option
def fork(task: str, role: str, tools: str | None, model: str | None, as_json: bool) -> None:
    """Give a task to a subagent and print its summary.

    A subagent has the limits of the soul and few tools. It sees neither memory nor the conversation. It returns
    points, evidence and the notes that it wrote.
    """
    from ia.agent.tools import catalog
    from ia.agent.tools.scope import Scope
    from ia.agent.turns.subagents import format_summary, make_manual_fork
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    router = catalog.build_router(ws)
    scope = Scope(ws, asked=task, notify=notify)
    told = make_manual_fork(scope, router, model)(
        task=task, role=role, tools=[t.strip() for t in tools.split(",") if t.strip()] if tools else None
    )
    if as_json:
        emit_json(told)
    else:
        emit_text(format_summary(told))
