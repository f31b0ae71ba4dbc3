"""check.*: the user's checklists, judged; nobody but the user answers a question on one."""

from typing import Annotated

from ia.agent.tools.registry import READ, tool
from ia.agent.tools.scope import Scope
from ia.kernel.jsontypes import Json


@tool("check.run", READ, seconds=120)
def run_check(
    scope: Scope,
    name: Annotated[str, "buy, sell, weekly … or SKILL/NAME; empty: the checklists there are"] = "",
    symbol: Annotated[str | None, "code or name, for a list about a trade"] = None,
    quantity: Annotated[float | None, "shares; default: one lot"] = None,
    price: Annotated[float | None, "default: the last close"] = None,
) -> Json:
    """Judge a checklist of the user, such as the one before a purchase: passed, ids that failed, are unknown (not
    passed) or only warned of, and each item with value, limit and source. Ask the user the items of kind ask; do
    not answer them. Nothing is traded.
    """
    from ia.faculties.checklists import CheckRequest, list_checklists, run_checklist

    if not name:
        lists, _ = list_checklists(scope.ws)
        named = [(each, f"{each.skill}/{each.name}") for each in lists if each.problem is None]
        return {
            "checks": [
                {"name": each.name, "id": id, "title": each.title.in_language(scope.lang), "trade": each.trade or None}
                for each, id in named
            ]
        }
    request = CheckRequest(
        name=name,
        symbol=symbol or "",
        quantity="" if quantity is None else f"{quantity:.10g}",
        price="" if price is None else f"{price:.10g}",
        actor=scope.actor,
        lang=scope.lang,
    )
    return run_checklist(scope.ws, request, scope.notify)
