"""Several positions together, and sums of more than one currency in one line."""

from collections.abc import Iterable

from ia.agent.analyst.desk import ToolDesk
from ia.agent.analyst.jobs.facts import wording
from ia.kernel.jsontypes import Json


def sum_by_currency(rows: Iterable[Json], key: str) -> dict[str, float]:
    """Return the sums of a column, by currency."""
    sums: dict[str, float] = {}
    for row in rows:
        currency = str(row.get("currency") or "")
        sums[currency] = sums.get(currency, 0.0) + float(row.get(key) or 0)
    return dict(sorted(sums.items()))


def rates_of(total: object) -> tuple[str, dict[str, float]]:
    """Return the base currency of the whole account, and what one unit of each other currency is in it."""
    if not isinstance(total, dict):
        return "", {}
    base = str(total.get("currency") or "")
    return base, {base: 1.0} | {str(row["currency"]): float(row["rate"]) for row in wording.rows_of(total.get("rates"))}


def say_sum(desk: ToolDesk, sums: dict[str, float], total: object, *, signed: bool = False) -> str:
    """Return sums by currency, and behind them what they come to in one where there are several."""
    parts = [wording.say_exact(desk, value, signed=signed, currency=code) for code, value in sums.items()]
    base, rates = rates_of(total)
    if len(sums) < 2 or any(code not in rates for code in sums):
        return f"**{desk.speak.join_items(parts)}**" if parts else "**0**"
    whole = sum(round(value * rates[code], 2) for code, value in sums.items())
    return desk.speak(
        "**{whole}** ({parts})", whole=wording.say_exact(desk, whole, signed=signed, currency=base),
        parts=desk.speak.join_items(parts),
    )  # fmt: skip


def say_together(desk: ToolDesk, held: dict[str, Json], weights: dict[str, float], total: object) -> list[str]:
    """Return what several positions come to together: their part of the account, value and unrealized profit."""
    if len(held) < 2 or any(each.get("value") is None for each in held.values()):
        return []
    given: Json = {
        "value": say_sum(desk, sum_by_currency(held.values(), "value"), total),
        "gain": say_sum(desk, sum_by_currency(held.values(), "unrealized_pnl"), total, signed=True),
    }
    if not all(symbol in weights for symbol in held):
        return [desk.speak("Together: worth {value}, unrealized {gain}.", **given)]
    weight = f"{_weigh_together(held, weights, total):.2f}"
    return [desk.speak("Together: **{weight}%** of the whole account, worth {value}, unrealized {gain}.",
                       weight=weight, **given)]  # fmt: skip


def _weigh_together(held: dict[str, Json], weights: dict[str, float], total: object) -> float:
    """Return the part of the whole account that positions are together, by the sum of their values."""
    _, rates = rates_of(total)
    whole = wording.figure_of(total, "equity") if isinstance(total, dict) else None
    if not whole or any(str(each.get("currency") or "") not in rates for each in held.values()):
        return sum(weights[symbol] for symbol in held)
    worth = sum(float(each["value"]) * rates[str(each.get("currency") or "")] for each in held.values())
    return worth / whole * 100


def say_profit_together(desk: ToolDesk, gains: list[Json], total: object) -> list[str]:
    """Return what several securities brought together: realized, unrealized and dividends."""
    if len(gains) < 2 or any(each.get("profit") is None for each in gains):
        return []
    gain = say_sum(desk, sum_by_currency(gains, "profit"), total, signed=True)
    return [desk.speak("Together: profit {gain}.", gain=gain)]


def say_parts(desk: ToolDesk, parts: list[tuple[str, float | None]]) -> list[str]:
    """Return the part of the whole account that each of some is, and their sum; [] where one is not known."""
    known = [(name, float(weight)) for name, weight in parts if weight is not None]
    if not known or len(known) < len(parts):
        return []
    if len(known) == 1:
        return [f"**{known[0][0]} {known[0][1]:.2f}%**"]
    names = desk.speak.join_items([f"{name} {weight:.2f}%" for name, weight in known])
    weight = f"{sum(weight for _, weight in known):.2f}"
    return [desk.speak("Together: **{weight}%** of the whole account ({names}).", weight=weight, names=names)]
