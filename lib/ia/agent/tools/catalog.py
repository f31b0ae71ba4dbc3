"""All tools of a workspace: those of ia, and those that its providers and its skills bring."""

import importlib
from typing import Any

from ia.agent.tools.registry import READ, Tool, declared_tools
from ia.agent.tools.router import Router
from ia.agent.tools.scope import Scope
from ia.agent.tools.skill_tools import skill_tools
from ia.agent.tools.web_results import present_answer, require_order
from ia.faculties import providers, web_sources
from ia.kernel import clock, untrusted
from ia.kernel.errors import IaError, Refused, fill_template
from ia.kernel.workspace import Workspace

BUILTIN = (
    "market",
    "rates",
    "company_news",
    "backtest",
    "company_calendar",
    "compute",
    "indicator",
    "notebook",
    "memory",
    "knowledge",
    "watch",
    "skills",
    "checks",
    "tasks",
    "alerts",
    "subagents",
    "messaging",
    "risk",
    "account",
    "trade",
    "sessions",
    "settings",
    "cards",
)


def builtin_tools() -> list[Tool]:
    """Return ia's own tools, organ by organ."""
    return [
        tool for name in BUILTIN for tool in declared_tools(importlib.import_module(f"ia.agent.tools.builtin.{name}"))
    ]


def provider_tools(ws: Workspace) -> list[Tool]:
    """Return the tools of the workspace's providers. Nothing is started."""
    return [_wrap_provider_tool(tool) for tool in providers.list_tools(ws)]


def build_router(ws: Workspace) -> Router:
    """Return the router over ia's tools and those of the workspace's providers and skills."""
    broken = {each.name: each.problem for each in providers.list_providers(ws) if each.problem is not None}
    others = [*builtin_tools(), *provider_tools(ws)]
    own = skill_tools(ws, {tool.name: tool for tool in others})
    return Router([*others, *own.tools], {**own.broken, **broken}, own.problems)


def _wrap_provider_tool(tool: providers.DeclaredTool) -> Tool:
    """Return a provider's tool as the router takes it.

    What a provider complains of is text from outside as much as what it answers.
    """
    origin = f"provider:{tool.provider}"

    def run_provider_tool(scope: Scope, /, **arguments: object) -> Any:
        if not tool.timely and clock.is_past():
            raise Refused(
                "{tool} provides only current data, but ia runs as of {now}",
                tool=tool.name,
                now=clock.today(),
                hint="call it without --now; see `env` in ia-provider(5)",
            )
        try:
            if tool.name == web_sources.SEARCH:
                require_order(scope)
            elif tool.name == web_sources.FETCH:
                web_sources.require_public(str(arguments.get("url") or ""))
            value = tool.run(arguments)
            return present_answer(scope, tool.name, arguments, value) if tool.name in web_sources.CONTRACT else value
        except IaError as exc:
            if exc.params.get("quoted"):
                if tool.figures and scope.actor != "user":  # no text of it was approved, so none of it is read
                    raise _withhold_complaint(exc) from None
                scope.taint(origin)
                if scope.actor != "user":
                    exc.params["quoted"] = untrusted.fence_text(str(exc.params["quoted"]), origin)
                    exc.args = (fill_template(exc.template, exc.params),)
            raise

    return Tool(
        name=tool.name,
        risk=tool.risk,
        run=run_provider_tool,
        description=tool.description,
        schema=tool.schema,
        origin=origin,
        together=tool.risk == READ and tool.name not in web_sources.CONTRACT,  # sources are numbered in order
        seconds=tool.seconds + SLACK,
        figures=tool.figures,
    )


def _withhold_complaint(exc: IaError) -> IaError:
    """Return a failure of a provider of figures without the program's own words."""
    status = exc.params.get("status")
    return type(exc)(
        "{tool} of provider {provider} failed with status {status}"
        if status
        else "{tool} of provider {provider} failed",
        code=exc.code,
        tool=exc.params.get("tool"),
        provider=exc.params.get("provider"),
        status=status,
        hint="a person can read why: `ia tool call {tool}`",
    )


SLACK = 20.0
"""Seconds beyond a provider's own limit: a server is started first, and ends its own calls."""
