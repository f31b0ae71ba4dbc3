"""What a model recognizes of a masked run: its answer, graded."""

import json
from collections.abc import Mapping

from ia.agent.backtests.past_market import PastMarket
from ia.kernel.jsontypes import Json


def grade_identification(reply: str, market: PastMarket, titles: Mapping[str, str]) -> Json:
    """Return which securities and whether the year of a masked run a model has recognized.

    reply    holds a JSON object somewhere; where it holds none, nothing was recognized
    titles   the real names by canonical symbol
    """
    told = _parse_object(reply)
    right = []
    for name, security in market.securities.items():
        said = str(told.get(name) or "").casefold()
        symbol = security.symbol.canonical
        known = {symbol.split(".")[0].casefold(), titles.get(symbol, "").casefold()} - {""}
        if any(word in said for word in known):
            right.append(name)
    return {
        "recognized": right,
        "rate_frac": round(len(right) / len(market.securities), 4),
        "year_recognized": str(told.get("year")) == market.sessions[-1][:4],
    }


def _parse_object(reply: str) -> Json:
    begin, end = reply.find("{"), reply.rfind("}")
    try:
        found = json.loads(reply[begin : end + 1]) if 0 <= begin < end else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
