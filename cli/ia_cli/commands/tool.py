"""`ia tool`, `ia fork`: what a model can do, done by hand; and a task for a subagent."""

from typing import Any

import click

from ia_cli.terminal.group import Command, Group
from ia_cli.terminal.input import parse_arguments, text_or_stdin
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_json, emit_rows, emit_text, notify


@click.group(cls=Group, example="ia tool call notebook.list '{}'")
def tool() -> None:
    """List the tools of models, and call one by hand.

    The same router, limits and audit trail as for a model. read looks, write writes, confirm only ever proposes.
    """


@tool.command("list", example="ia tool list")
@rows_options
def list_(as_json: bool, as_jsonl: bool) -> None:
    """List the tools: name, risk, arguments, what each does."""
    from ia.agent.tools import catalog
    from ia.agent.tools.schema import usage
    from ia.kernel.workspace import Workspace

    plain = not (as_json or as_jsonl)
    rows = [
        {
            "name": each.name, "risk": each.risk, "origin": each.origin,
            "arguments": usage(each.schema) if plain else each.schema, "description": each.description,
        }
        for each in catalog.router(Workspace()).tools.values()
    ]  # fmt: skip
    emit_rows(rows, ("name", "risk", "origin", "arguments", "description"), as_json=as_json, as_jsonl=as_jsonl)


@tool.command(example="ia tool show market.ohlcv")
@click.argument("name")
def show(name: str) -> None:
    """Print a tool as a model is told of it: name, description and JSON Schema."""
    from ia.agent.tools import catalog
    from ia.kernel.workspace import Workspace

    found = catalog.router(Workspace()).find(name)
    emit_json({
        "name": found.name, "wire_name": found.wire_name, "risk": found.risk, "organ": found.organ,
        "origin": found.origin, "description": found.description, "parameters": found.schema,
    })  # fmt: skip


@tool.command(example="ia tool call notebook.list '{}'")
@click.argument("name")
@click.argument("arguments", required=False, metavar="[JSON]")
def call(name: str, arguments: str | None) -> None:
    """Call a tool with a JSON object of arguments, and print what it returns as JSON.

    JSON may be - for standard input; without it there are no arguments.
    """
    from ia.agent.tools import catalog
    from ia.agent.tools.scope import Scope
    from ia.agent.turns.subagents import by_hand
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    router = catalog.router(ws)
    found = router.find(name)
    given: Any = {}
    if arguments is not None:
        given = parse_arguments(text_or_stdin(arguments, "JSON"), '\'{"symbol": "600519"}\'')
    scope = Scope(ws, notify=notify)
    if found.name == "subagents.run":
        scope.fork = by_hand(scope, router)
    outcome = router.call(scope, found.name, given)
    if outcome.failure is not None:
        raise outcome.failure
    emit_json(outcome.value)


@click.command(cls=Command, example='IA_MARKET_ADAPTER=demo ia fork "宁德时代的波动率和回撤" --role researcher')
@click.argument("task")
@click.option("--role", metavar="R", default="researcher", help="researcher, reviewer, planner, or who it should be.")
@click.option("--tools", metavar="T,…", help="Only these tools; fewer than the role has.")
@click.option("-m", "--model", metavar="MODEL", help="Ask this model.")
@json_option
def fork(task: str, role: str, tools: str | None, model: str | None, as_json: bool) -> None:
    """Give a task to a subagent and print its summary.

    It has the limits of the soul, few tools, and nothing of the memory or the conversation. It hands back points,
    evidence and the notes it wrote.
    """
    from ia.agent.tools import catalog
    from ia.agent.tools.scope import Scope
    from ia.agent.turns.subagents import by_hand, spoken
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    router = catalog.router(ws)
    scope = Scope(ws, asked=task, notify=notify)
    told = by_hand(scope, router, model)(
        task=task, role=role, tools=[t.strip() for t in tools.split(",") if t.strip()] if tools else None
    )
    if as_json:
        emit_json(told)
    else:
        emit_text(spoken(told))
