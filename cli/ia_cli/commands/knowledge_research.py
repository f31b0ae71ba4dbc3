"""`ia knowledge research`: sources of the web, for what rules and documents do not answer."""

import click

from ia.kernel.errors import Message, NotFound
from ia_cli.terminal.group import Command
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.options import rows_options
from ia_cli.terminal.output import Row, notify

COLUMNS = ("citation", "published", "title", "url", "snippet")


@click.command(cls=Command, example="ia init; ia config set web.server 'uvx duckduckgo-mcp-server'")
@click.argument("query", nargs=-1, required=True, metavar="QUERY...")
@click.option(
    "-n",
    "--limit",
    "count",
    type=click.IntRange(1, 20),
    default=8,
    show_default=True,
    help="Maximum number of sources.",
)
@click.option("--before", metavar="DATE", help="Only sources published by then (default: as of now).")
@rows_options
@click.pass_context
def research(
    ctx: click.Context, query: tuple[str, ...], count: int, before: str | None, as_json: bool, as_jsonl: bool
) -> None:
    """Search the web for sources, numbered and dated.

    ia asks the provider `web`, which asks the MCP server that `web.server` names; see ia-provider(5). QUERY leaves this
    machine. A source that was published after now is refused, with --now in the past also one without a date, and any
    in a private network; how many, is told on standard error. Texts of sources are text from outside. `ia knowledge add
    URL` keeps a source. Status 1 if nothing is found, 77 if no source can be used, 78 without a server.
    """
    from ia.faculties import web_sources
    from ia.faculties.knowledge import library
    from ia.kernel.workspace import Workspace

    last = library.parse_date(before) if before else ""
    found = web_sources.search_web(Workspace(), " ".join(query), count, last)
    rows: list[Row] = [
        {
            "citation": f"W{at}",
            "published": each.published or None,
            "title": each.title,
            "url": each.url,
            "snippet": each.snippet,
        }
        for at, each in enumerate(found.sources, 1)
        if not last or not each.published or each.published[:10] <= last
    ]
    if found.refused:
        notify(
            Message(
                "refused sources: {later} published later, {undated} without a date, {private} private,"
                " {malformed} malformed",
                later=found.refused.get(web_sources.LATER, 0),
                undated=found.refused.get(web_sources.UNDATED, 0),
                private=found.refused.get(web_sources.PRIVATE, 0),
                malformed=found.refused.get(web_sources.MALFORMED, 0),
            )
        )
    emit_list(ctx, rows, COLUMNS, NotFound("nothing was found"), as_json=as_json, as_jsonl=as_jsonl)
