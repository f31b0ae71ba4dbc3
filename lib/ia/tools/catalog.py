"""All tools of a workspace: those of ia, and those that its providers bring."""

import importlib

from ia.tools.registry import Tool, declared
from ia.tools.router import Router
from ia.workspace import Workspace

BUILTIN = ("market", "compute", "indicator", "notebook", "memory", "skills", "tasks", "subagents", "messaging")


def builtin() -> list[Tool]:
    """Return ia's own tools, organ by organ."""
    return [tool for name in BUILTIN for tool in declared(importlib.import_module(f"ia.tools.builtin.{name}"))]


def router(ws: Workspace) -> Router:
    """Return the router over ia's tools and those of the workspace's providers."""
    return Router(builtin())
