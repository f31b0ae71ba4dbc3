"""All tools of a workspace: those of ia, and those that its providers bring."""

import importlib
from typing import Any

from ia.agent.tools.registry import READ, Tool, declared
from ia.agent.tools.router import Router
from ia.agent.tools.scope import Scope
from ia.faculties import providers
from ia.kernel import clock, outside
from ia.kernel.errors import IaError, Refused, fill
from ia.kernel.workspace import Workspace

BUILTIN = (
    "market", "compute", "indicator", "notebook", "memory", "skills", "tasks", "subagents", "messaging", "risk",
    "account", "trade",
)  # fmt: skip


def builtin() -> list[Tool]:
    """Return ia's own tools, organ by organ."""
    return [tool for name in BUILTIN for tool in declared(importlib.import_module(f"ia.agent.tools.builtin.{name}"))]


def provided(ws: Workspace) -> list[Tool]:
    """Return the tools of the workspace's providers. Nothing is started."""
    return [_wrapped(tool) for tool in providers.tools(ws)]


def router(ws: Workspace) -> Router:
    """Return the router over ia's tools and those of the workspace's providers."""
    broken = {each.name: each.problem for each in providers.listed(ws) if each.problem is not None}
    return Router([*builtin(), *provided(ws)], broken)


def _wrapped(tool: providers.Declared) -> Tool:
    """Return a provider's tool as the router takes it.

    What a provider complains of is text from outside as much as what it answers.
    """
    origin = f"provider:{tool.provider}"

    def run(scope: Scope, /, **arguments: Any) -> Any:
        if not tool.timely and clock.past():
            raise Refused(
                "{tool} knows only the present, and the time is set to {now}", tool=tool.name, now=clock.today(),
                hint="without --now it can be asked; see `env` in ia-provider(5)",
            )  # fmt: skip
        try:
            return tool.run(arguments)
        except IaError as exc:
            if exc.params.get("quoted"):
                scope.taint(origin)
                if scope.actor != "user":
                    exc.params["quoted"] = outside.fenced(str(exc.params["quoted"]), origin)
                    exc.args = (fill(exc.template, exc.params),)
            raise

    return Tool(
        tool.name, tool.risk, run, tool.description, tool.schema, origin,
        together=tool.risk == READ, seconds=tool.seconds + SLACK, figures=tool.figures,
    )  # fmt: skip


SLACK = 20.0
"""Seconds beyond a provider's own limit: a server is started first, and ends its own calls."""
