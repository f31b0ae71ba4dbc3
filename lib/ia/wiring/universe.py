"""Memory, ledger and market → lists of securities."""

from typing import TYPE_CHECKING

from ia.kernel.errors import NotFound
from ia.kernel.workspace import Workspace
from ia.wiring.security_mentions import identify_security

if TYPE_CHECKING:
    from ia.domain.instruments.symbols import Symbol


def list_universe(ws: Workspace, text: str) -> "list[Symbol]":
    """Return the securities of `all`, `watch`, `held`, an industry, a concept or a file.

    raises  NotFound where it is none of them, or has no security; BadData naming the line of a file.
    """
    from ia.domain.instruments.symbols import from_canonical

    if text == "watch":
        found = _list_watched(ws)
    elif text == "held":
        from ia.organs.ledger.booking import book_entries
        from ia.organs.ledger.journal import effective_entries

        holdings = book_entries(effective_entries(ws.db), lenient=True).holdings.values()
        found = [holding.symbol for holding in holdings if holding.quantity]
    else:
        from ia.organs.market.symbol_selection import select_symbols

        found = select_symbols(ws, text)
    if not found:
        hints = {"watch": "add one with `ia memory track 600519`", "held": "enter a purchase with `ia trade buy`"}
        raise NotFound("{universe} contains no securities", universe=text, hint=hints.get(text))
    return [from_canonical(symbol) for symbol in sorted(set(found))]


def _list_watched(ws: Workspace) -> list[str]:
    """Return the securities of the watch list; its topics are none."""
    from ia.organs.memory.change_rules import TRACKING

    items = [line[2:] for line in (ws.read(TRACKING) or "").splitlines() if line.startswith("- ")]
    names = [item.partition(": ")[0].partition(" (")[0] for item in items]
    return [code for name in names if (code := identify_security(name.split(" ")[0])[1] or identify_security(name)[1])]
