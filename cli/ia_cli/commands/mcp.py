"""`ia mcp`: ia's tools for other programs."""

import click

from ia_cli.terminal.group import Command


@click.command(
    cls=Command,
    example='echo \'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\' | ia mcp',
)
@click.option(
    "--tools",
    multiple=True,
    metavar="PATTERN",
    help="Serve only tools that match PATTERN, such as notebook.*; may be repeated.",
)
@click.option("--trusted", is_flag=True, help="Treat the client's text as your own words; see below.")
def mcp(tools: tuple[str, ...], trusted: bool) -> None:
    """Serve ia's tools to another program, over MCP.

    Speaks the Model Context Protocol on standard input and output until the client disconnects. In the client's
    settings, enter the command `ia` with the argument `mcp`. What needs your consent becomes a proposal: `ia pending`.
    Cards are pages (`ui://ia/TYPE`) for clients that have the extension MCP Apps, and words for others.

    A client reads web pages and mail and passes on what they say, so ia treats its text as text from outside. ia marks
    the client's notes as untrusted until you accept them; your own notes stay as they are. Its messages are marked and
    reach only the inbox. From its text, providers get only securities, dates and small numbers. With --trusted, it
    writes notes as you do, its messages reach you through your channel, and providers get any text. Use --trusted only
    for a client that reads nothing but what you type. What needs your consent is still a proposal.
    """
    import sys

    from ia.kernel.errors import UsageError
    from ia.kernel.workspace import Workspace
    from ia.reach.bridges.mcp import serve_tools

    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            "standard input is not connected to an MCP client",
            hint="enter `ia mcp` as the command in the client's settings",
        )
    patterns = tuple(part.strip() for item in tools for part in item.split(",") if part.strip())
    serve_tools(Workspace(), patterns or None, trusted=trusted)
