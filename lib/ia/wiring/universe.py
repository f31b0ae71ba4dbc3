"""Memory, ledger and market → lists of securities."""

import contextlib
from typing import TYPE_CHECKING

from ia.kernel.errors import NotFound
from ia.kernel.workspace import Workspace
from ia.wiring import watched_securities

if TYPE_CHECKING:
    from ia.domain.instruments.symbols import Symbol


def list_universe(ws: Workspace, text: str) -> "list[Symbol]":
    """Return the securities of `all`, `watch`, `watch:GROUP`, `held`, an industry, a concept or a file.

    raises  NotFound where it is none of them, or has no security; BadData naming the line of a file.
    """
    from ia.domain.instruments.symbols import from_canonical

    if text == "watch" or text.startswith(watched_securities.PREFIX):
        group = text.removeprefix(watched_securities.PREFIX) if text != "watch" else None
        found = watched_securities.list_watched_symbols(ws, group)
    elif text == "held":
        from ia.organs.ledger.booking import book_entries
        from ia.organs.ledger.journal import effective_entries

        holdings = book_entries(effective_entries(ws.db), lenient=True).holdings.values()
        found = [holding.symbol for holding in holdings if holding.quantity]
    else:
        from ia.organs.market.symbol_selection import select_symbols

        found = select_symbols(ws, text)
    if not found:
        hints = {"watch": "add one with `ia watch add 600519`", "held": "enter a purchase with `ia trade buy`"}
        raise NotFound("{universe} contains no securities", universe=text, hint=hints.get(text))
    return [from_canonical(symbol) for symbol in sorted(set(found))]


def list_own_symbols(ws: Workspace) -> list[str]:
    """Return the canonical symbols of what is held, then of what is watched, each once."""
    found: dict[str, None] = {}
    for name in ("held", "watch"):
        with contextlib.suppress(NotFound):
            found |= dict.fromkeys(symbol.canonical for symbol in list_universe(ws, name))
    return list(found)
