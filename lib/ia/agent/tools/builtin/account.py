"""account.*: what is held, what it is worth, what it brought. All of it is read from the ledger and the store.

The ledger is imported by the call: every turn has these tools, few use them.
"""

from typing import Annotated, Any

from ia.agent.tools.refusals import said
from ia.agent.tools.registry import READ, tool
from ia.agent.tools.scope import Scope
from ia.wiring.ledger_prices import open_ledger

MAX_ROWS = 200
Symbol = Annotated[str, "code or name; default: all"]
Session = Annotated[str, "only what was traded in it; default: all"]


@tool("account.status", READ)
def status(scope: Scope) -> dict[str, Any]:
    """Show the account: cash, equity, positions (cost, price, profit, weight), profit of today and in all, largest
    drawdown, trades that wait for the user. null is what is not known: say so.
    """
    from ia.organs.ledger import documents
    from ia.organs.ledger.proposed import waiting

    desk = open_ledger(scope.ws, scope.notify)
    found = desk.account()
    return documents.account(
        found, desk.method, desk.warnings(found), waiting(scope.ws), lambda message: said(message, scope.lang)
    )


@tool("account.profit", READ)
def profit(scope: Scope, symbol: Symbol = "", session: Session = "") -> dict[str, Any]:
    """Show the profit of each security and in all: realized, unrealized, dividends; rates in per cent of what was
    bought.
    """
    from ia.organs.ledger import documents
    from ia.organs.ledger.profit import rows, totals

    desk = open_ledger(scope.ws, scope.notify)
    books = desk.books(session=session)
    found = rows(books, desk.prices(books), desk.meant(symbol).canonical if symbol else "")
    return documents.profit(found, totals(found), books.method, session)


@tool("account.history", READ)
def history(scope: Scope, symbol: Symbol = "", session: Session = "", limit: int = 50) -> list[dict[str, Any]]:
    """List what was sold, newest first: what it took in, what it had cost, and what it realized."""
    from ia.organs.ledger import documents

    desk = open_ledger(scope.ws, scope.notify)
    books = desk.books(session=session)
    meant = desk.meant(symbol).canonical if symbol else ""
    found = [each for each in books.sales if meant in ("", each.entry.symbol)]
    return [documents.sale(each, books.method) for each in found[::-1][: max(1, min(limit, MAX_ROWS))]]
