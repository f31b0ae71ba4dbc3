"""`ia mcp`: ia's tools for other programs."""

import click

from ia_cli.terminal.group import Command


@click.command(
    cls=Command,
    example='echo \'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\' | ia mcp',
)
@click.option("--tools", multiple=True, metavar="PATTERN", help="Serve only these (notebook.*); may be given again.")
@click.option("--trusted", is_flag=True, help="Take what the client says for your own words; see below.")
def mcp(tools: tuple[str, ...], trusted: bool) -> None:
    """Serve ia's tools to another program, over MCP.

    Speaks the Model Context Protocol on standard input and output, until the client leaves. In a client's settings the
    command is `ia` with the argument `mcp`. What needs your consent becomes a proposal: `ia pending`.

    A client reads web pages and mails, and hands on what they say. Its words are therefore text from outside: the notes
    that it writes are marked as untrusted until you accept them, what you wrote yourself stays as it is, messages are
    marked and reach the inbox only, and to a provider go no words of it but securities, dates and small numbers. With
    --trusted it writes notes as you do, its messages reach you where you are, and providers get what it likes: for a
    client that reads nothing but what you type. What needs your consent is a proposal then too.
    """
    import sys

    from ia.kernel.errors import UsageError
    from ia.kernel.workspace import Workspace
    from ia.reach.bridges.mcp import serve

    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("a client has to be at the other end of standard input", hint="name `ia mcp` in its settings")
    patterns = tuple(part.strip() for item in tools for part in item.split(",") if part.strip())
    serve(Workspace(), patterns or None, trusted=trusted)
