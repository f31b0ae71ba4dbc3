"""Providers: what other people's programs can do, as tools. A folder each, `.claude/providers/NAME/`, with PROVIDER.md.

A provider brings new abilities; how abilities are put together to a piece of work is what a skill says. It knows
nothing of ia: a command gets JSON and gives JSON, an MCP server speaks its protocol. It runs with the environment that
it declares and no more. Nothing here decides who may call what: the router above does.
"""

from ia.faculties.providers.registry import (
    DeclaredTool,
    Provider,
    find_provider,
    list_providers,
    list_tools,
    refresh_provider,
)

__all__ = ["DeclaredTool", "Provider", "find_provider", "list_providers", "list_tools", "refresh_provider"]
