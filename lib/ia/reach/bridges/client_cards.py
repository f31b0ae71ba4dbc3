"""Cards in an MCP client that shows pages of servers (MCP Apps): one page for each type of card.

A tool names the page of its card, `ui://ia/TYPE`. A result has the properties as structured content, the laid-out card
as metadata for the page, and the words for every other client. The page is static and may load nothing.
"""

from typing import TYPE_CHECKING, Any

from ia.agent.tools.registry import Tool
from ia.agent.tools.router import ToolOutcome
from ia.agent.tools.scope import Scope
from ia.agent.tools.skill_tools import find_card_schema, lay_out
from ia.faculties.pictures import cards
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from mcp import types

EXTENSION = "io.modelcontextprotocol/ui"
MIME_TYPE = "text/html;profile=mcp-app"
LAYOUT = "ia/card"
"""The key of a result's metadata that card.js reads."""
_ADDRESS = pattern(r"ui://ia/([A-Za-z0-9_.-]+)")
_POLICY: Json = {
    "csp": {"connectDomains": [], "resourceDomains": [], "frameDomains": [], "baseUriDomains": []},
    "prefersBorder": True,
}


def can_show_pages(ctx: Any) -> bool:
    """Return True if the client has said that it shows pages of MCP Apps."""
    told = (getattr(ctx.session.client_capabilities, "extensions", None) or {}).get(EXTENSION)
    return isinstance(told, dict) and MIME_TYPE in (told.get("mimeTypes") or ())


def page_address(kind: str) -> str:
    """Return the address of the page for a type of card."""
    return f"ui://ia/{kind}"


def card_metadata(tool: Tool) -> Json | None:
    """Return the metadata of a tool whose result is a card; None for any other tool."""
    kind = tool.about.get("card_type")
    return {"ui": {"resourceUri": page_address(str(kind))}} if kind else None


def result_metadata(outcome: ToolOutcome, scope: Scope) -> Json | None:
    """Return the laid-out card of a result; None where the result is no card."""
    card = outcome.value
    if not (outcome.ok and isinstance(card, dict) and "card" in card and "props" in card):
        return None
    title, blocks = lay_out(Workspace(scope.ws.root), card, scope.lang)  # this is the thread of the protocol
    return {LAYOUT: cards.describe_card(title, blocks)}


def list_pages(tools: list[Tool], scope: Scope) -> "list[types.Resource]":
    """Return the pages for the cards of tools."""
    from mcp import types

    kinds = sorted({str(tool.about["card_type"]) for tool in tools if tool.about.get("card_type")})
    titles = {kind: _page_title(kind, scope) for kind in kinds}
    shared: Json = {"mime_type": MIME_TYPE, "_meta": {"ui": _POLICY}}
    return [types.Resource(uri=page_address(kind), name=kind, title=titles[kind], **shared) for kind in kinds]


def read_page(address: str, scope: Scope) -> "types.ReadResourceResult | None":
    """Return the page at an address; None where nothing is there."""
    from mcp import types

    found = _ADDRESS.fullmatch(address)
    if found is None or find_card_schema(Workspace(scope.ws.root), found[1]) is None:
        return None
    page = cards.render_card_app(_page_title(found[1], scope), scope.lang)
    contents = types.TextResourceContents(uri=address, mime_type=MIME_TYPE, text=page, _meta={"ui": _POLICY})
    return types.ReadResourceResult(contents=[contents])


def _page_title(kind: str, scope: Scope) -> str:
    schema = find_card_schema(Workspace(scope.ws.root), kind) or {}
    return cards.card_title({"card": kind}, schema, scope.lang)
