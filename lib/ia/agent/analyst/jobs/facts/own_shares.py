"""Parts of what is owned: of the profit, of the cash, of the account after sales; and what is nearest to its cost."""

import math
import re

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.held import load_held, load_status, load_weights, name_position, say_weight
from ia.agent.analyst.jobs.facts.together import rates_of, say_sum, sum_by_currency
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.rules.lots import find_lot
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_WON = pattern(r"盈利|\bprofit\b", re.I)
_PERCENT = pattern(r"(\d+(?:\.\d+)?)\s*(?:%|％)")
_BUYS = pattern(r"要买|\bto buy\b", re.I)
_EXACTLY = pattern(r"全卖|\bsell exactly\b", re.I)
"""What is named is sold, and the rest kept."""
SHOWN = 8


def answer_profit_share(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which part of all that was gained some securities brought, since the first trade."""
    speak = desk.speak
    status, profit = yield from desk.run(DeskCall("account.status", {}), DeskCall("account.profit", {}))
    if status.failure is not None or profit.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure or profit.failure)  # type: ignore[arg-type]
    if asked.spans or not asked.securities:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans) or (asked.words,))
    rows, total = wording.rows_of(profit, "positions"), status.get("total")
    base, rates = rates_of(total)
    if not rates and len(books := list(wording.objects_of(status, "currencies"))) == 1:
        base, rates = books[0], {books[0]: 1.0}
    if any(row.get("profit") is None or str(row.get("currency")) not in rates for row in rows):
        return reply_of_lines(speak("A price or an exchange rate is missing, so I do not part the two."))
    gains = {str(row["symbol"]): float(row["profit"]) * rates[str(row["currency"])] for row in rows}
    codes = [each.code for each in asked.securities]
    if missing := [each for each in asked.securities if each.code not in gains]:
        names = speak.join_items([wording.head_of(desk, each) for each in missing])
        return reply_of_lines(speak("{names}: never held, so it brought nothing.", names=names))
    part, whole = sum(gains[code] for code in codes), sum(gains.values())
    won = sum(gain for gain in gains.values() if gain > 0)
    lost = sum(gain for gain in gains.values() if gain < 0)
    given: Json = {
        "names": speak.join_items([wording.head_of(desk, each) for each in asked.securities]),
        "part": wording.say_exact(desk, part, signed=True, currency=base),
        "whole": wording.say_exact(desk, whole, signed=True, currency=base),
        "won": wording.say_exact(desk, won, signed=True), "lost": wording.say_exact(desk, lost),
        "mark": wording.simulated_mark(desk, profit.get("simulated")),
    }  # fmt: skip
    if whole > 0 and part > 0:
        head = speak("{names}: **{share}** of the profit in all: {part} of {whole}.{mark}",
                     share=f"{part / whole * 100:.2f}%", **given)  # fmt: skip
    else:
        head = speak("{names}: **{part}**; all securities together {whole}.{mark}", **given)
    lines = [head]
    if lost and won:
        lines.append(
            speak("The securities with a profit brought {won}, those with a loss {lost}: it is {share} of the former.",
                  share=f"{part / won * 100:.2f}%", **given)
            if part > 0 and len(codes) == 1
            else speak("The securities with a profit brought {won}, those with a loss {lost}.", **given)
        )  # fmt: skip
    lines.append(speak("Since the first trade, dividends and fees included{mark}", mark=""))
    return reply_of_lines(*lines, *(wording.say_rates(desk, total) if isinstance(total, dict) else []))


def answer_near_cost(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how far each holding is from its average cost: those below it first, the nearest first."""
    speak = desk.speak
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, held = loaded
    known = [(symbol, each) for symbol, each in held if each.get("unrealized_pct") is not None]
    below = sorted((each for each in known if float(each[1]["unrealized_pct"]) < 0), key=_measure_gap)
    above = sorted((each for each in known if float(each[1]["unrealized_pct"]) >= 0), key=_measure_gap)
    mark = wording.simulated_mark(desk, status.get("simulated"))
    lines = [speak("**No holding** is below its average cost.{mark}", mark=mark)] if not below else []
    for symbol, each in below:
        needed = float(each["avg_price"]) / float(each["current_price"]) * 100 - 100
        told = speak(
            "{name} **{change}**: {price} against {cost}, it has to rise {needed}", needed=f"{needed:.2f}%",
            **_figures_of(desk, symbol, each),
        )  # fmt: skip
        lines.append((told + mark) if not lines else f"- {told}")
    if above:
        lines.append(speak("Above their cost, the nearest first:"))
        lines += [
            "- " + speak("{name} {change}: {price} against {cost}", **_figures_of(desk, symbol, each))
            for symbol, each in above
        ]
    if below:
        desk.ranked.append(below[0][0])
    if len(known) < len(held):
        names = [name_position(desk, symbol, each) for symbol, each in held if each.get("unrealized_pct") is None]
        lines.append(speak("Not known of: {names}.", names=speak.join_items(names)))
    return reply_of_lines(*lines)


def _measure_gap(each: tuple[str, Json]) -> float:
    return abs(float(each[1]["unrealized_pct"]))


def _figures_of(desk: ToolDesk, symbol: str, each: Json) -> Json:
    """Return what a line about the distance of a holding from its cost tells."""
    currency = str(each.get("currency") or "")
    return {
        "name": name_position(desk, symbol, each), "change": wording.say_percent(each["unrealized_pct"]),
        "price": number(float(each["current_price"]), "price", desk.speak),
        "cost": wording.say_exact(desk, each.get("avg_price"), currency=currency),
    }  # fmt: skip


def answer_cash_parts(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which part of all cash each currency is, the largest first."""
    speak = desk.speak
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    cash = {code: float(book.get("cash") or 0) for code, book in wording.objects_of(status, "currencies").items()}
    total = status.get("total")
    base, rates = rates_of(total)
    if not cash:
        return wording.say_empty(desk)
    if len(cash) > 1 and any(code not in rates for code in cash):
        return reply_of_lines(speak("A price or an exchange rate is missing, so I do not part the two."))
    worth = {code: amount * (rates[code] if len(cash) > 1 else 1) for code, amount in cash.items()}
    whole = sum(worth.values())
    if whole <= 0:
        return reply_of_lines(speak("There is no cash."))
    told = wording.say_exact(desk, whole, currency=base or next(iter(cash)))
    lines = [speak("Of **{whole}** of cash in all:", whole=told)]
    for code in sorted(cash, key=lambda each: -worth[each]):
        own = wording.say_exact(desk, cash[code], currency=code)
        in_base = "" if code == base or len(cash) < 2 else f" = {wording.say_exact(desk, worth[code], currency=base)}"
        lines.append(f"- {code}: **{worth[code] / whole * 100:.2f}%** ({own}{in_base})")
    if isinstance(total, dict) and total.get("equity"):
        lines.append(speak("Cash is **{share}%** of the whole account.",
                           share=f"{whole / float(total['equity']) * 100:.2f}"))  # fmt: skip
    return reply_of_lines(*lines, *(wording.say_rates(desk, total) if isinstance(total, dict) else []))


def answer_side_value(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the holdings at a loss, or those in profit, are worth, what they cost, and their part."""
    speak, won = desk.speak, bool(_WON.search(asked.words))
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, held = loaded
    if any(each.get("value") is None or each.get("unrealized_pnl") is None for _, each in held):
        return reply_of_lines(speak("A price is missing."))
    chosen = [each for each in held if float(each[1]["unrealized_pnl"]) * (1 if won else -1) > 0]
    mark = wording.simulated_mark(desk, status.get("simulated"))
    if not chosen:
        return reply_of_lines((speak("**none** was at a profit") if won else speak("**none** was at a loss")) + mark)
    weights = yield from load_weights(desk, status)
    rows, total = [each for _, each in chosen], status.get("total")
    given: Json = {
        "count": len(chosen), "all": len(held), "value": say_sum(desk, sum_by_currency(rows, "value"), total),
        "cost": say_sum(desk, sum_by_currency(rows, "cost"), total),
        "gain": say_sum(desk, sum_by_currency(rows, "unrealized_pnl"), total, signed=True), "mark": mark,
    }  # fmt: skip
    head = (
        speak(
            PluralText(
                "{count} of {all} holdings is in profit: worth {value}, cost {cost}, unrealized {gain}.{mark}",
                "{count} of {all} holdings are in profit: worth {value}, cost {cost}, unrealized {gain}.{mark}",
            ),
            **given,
        )
        if won
        else speak(
            PluralText(
                "{count} of {all} holdings is at a loss: worth {value}, cost {cost}, unrealized {gain}.{mark}",
                "{count} of {all} holdings are at a loss: worth {value}, cost {cost}, unrealized {gain}.{mark}",
            ),
            **given,
        )
    )
    told = [
        f"- {name_position(desk, symbol, each)}{speak(': ')}"
        + speak.join_items(
            [
                wording.say_exact(desk, each["value"], currency=str(each.get("currency") or "")),
                say_weight(desk, symbol, each, weights),
            ]
        )
        for symbol, each in chosen[:SHOWN]
    ]
    if all(symbol in weights for symbol, _ in chosen) and weights:
        part = f"{sum(weights[symbol] for symbol, _ in chosen):.2f}%"
        told.append(speak("Together {part} of the whole account.", part=part))
    return reply_of_lines(head, *told)


def answer_sell_rest(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what cash there would be if all holdings but some were sold, and what is kept."""
    speak = desk.speak
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, held = loaded
    codes = {each.code for each in asked.securities}
    named = [each for each in held if each[0] in codes]
    rest = [each for each in held if each[0] not in codes]
    if not asked.securities or len(named) < len(codes):
        gone = [each for each in asked.securities if each.code not in dict(held)]
        return reply_of_lines(*(speak("{name}: you hold none.", name=wording.head_of(desk, each)) for each in gone))
    if any(each.get("value") is None for _, each in held):
        return reply_of_lines(speak("A price is missing."))
    kept, sold = (rest, named) if _EXACTLY.search(asked.words) else (named, rest)
    if not sold or not kept:
        return reply_of_lines(speak("Nothing else is held."))
    total = status.get("total")
    cash = {code: float(book.get("cash") or 0) for code, book in wording.objects_of(status, "currencies").items()}
    proceeds = sum_by_currency([each for _, each in sold], "value")
    after = {code: amount + proceeds.get(code, 0.0) for code, amount in cash.items()}
    share = _share_of_cash(after, sum_by_currency([each for _, each in kept], "value"), total)
    given: Json = {
        "cash": say_sum(desk, after, total), "share": share, "had": say_sum(desk, cash, total),
        "proceeds": say_sum(desk, proceeds, total),
        "names": speak.join_items([name_position(desk, *each) for each in kept]),
        "value": say_sum(desk, sum_by_currency([each for _, each in kept], "value"), total),
        "sold": speak.join_items([name_position(desk, *each) for each in sold]),
        "mark": wording.simulated_mark(desk, status.get("simulated")),
    }  # fmt: skip
    return reply_of_lines(
        speak("{cash} of cash ({share} of the account), and {names} worth {value}.{mark}", **given)
        if share
        else speak("{cash} of cash, and {names} worth {value}.{mark}", **given),
        speak("Sold: {sold}, for {proceeds}, before fees and taxes; the cash of now is {had}.", **given),
        *(wording.say_rates(desk, total) if isinstance(total, dict) else []),
    )


def _share_of_cash(cash: dict[str, float], kept: dict[str, float], total: object) -> str:
    """Return which part of cash and holdings together is cash; "" where that is not known."""
    base, rates = rates_of(total)
    codes = {*cash, *kept}
    rates = rates if base else dict.fromkeys(codes, 1.0) if len(codes) == 1 else {}
    if any(code not in rates for code in codes):
        return ""
    money = sum(amount * rates[code] for code, amount in cash.items())
    whole = money + sum(amount * rates[code] for code, amount in kept.items())
    return f"{money / whole * 100:.2f}%" if whole > 0 else ""


def answer_sell_down(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how many shares are to be sold so that a holding is a part of the account that is named."""
    speak = desk.speak
    percent = _PERCENT.search(strip_mentions(asked.words))
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, held = loaded
    if percent is None or len(asked.securities) != 1:
        return wording.ask_back(desk, (asked.words,))
    mention = asked.securities[0]
    position, name = dict(held).get(mention.code), wording.head_of(desk, mention)
    if position is None:
        return reply_of_lines(speak("{name}: you hold none.", name=name))
    found = _weigh(status, position)
    if found is None:
        return reply_of_lines(speak("A price or an exchange rate is missing, so I do not part the two."))
    if _BUYS.search(asked.words):
        return _say_up(desk, mention, position, found, float(percent[1]), mark=bool(status.get("simulated")))
    target, (value, equity) = float(percent[1]), found
    size, weight = float(position["size"]), value / equity * 100
    given: Json = {"name": name, "now": f"{weight:.2f}%", "target": f"{target:g}%", "size": number(size, "shares"),
                   "mark": wording.simulated_mark(desk, status.get("simulated"))}  # fmt: skip
    if weight <= target:
        return reply_of_lines(
            speak(
                "{name}: it is **{now}** of the account, no more than {target}: nothing is to be sold.{mark}", **given
            )
        )
    exact = size * (1 - target / weight)
    rule = find_lot(mention.symbol, desk.request.day)
    step = float(rule.least) if rule is not None else 1.0
    shares = min(math.ceil(round(exact / step, 6)) * step, size)
    left = value * (1 - shares / size) / equity * 100
    given |= {
        "shares": number(shares, "shares"), "left": f"{left:.2f}%", "exact": f"{exact:,.1f}",
        "amount": wording.say_exact(desk, shares * float(position["current_price"]),
                                    currency=str(position.get("currency") or "")),
        "price": number(float(position["current_price"]), "price", speak), "date": position.get("price_date") or "–",
    }  # fmt: skip
    lines = [
        speak("{name}: **{shares}** of {size} shares, {amount} at {price} ({date}): it goes from {now} to {left} of the"
              " account, for {target} at most.{mark}", **given)
    ]  # fmt: skip
    if rule is not None and shares != exact:
        lines.append(speak("To the share it would be {exact}; lots have {lot}.", lot=number(step, "shares"), **given))
    if rule is None and mention.symbol.market == "HK":
        lines.append(wording.say_lot_unknown(desk, mention))
    return reply_of_lines(*lines, speak("Before fees and taxes; what to do is yours."))


def _say_up(
    desk: ToolDesk, mention: Mention, position: Json, worth: tuple[float, float], target: float, *, mark: bool
) -> Reply:
    """Return how many shares more make a holding a part of the account that is named, at most."""
    speak, (value, equity) = desk.speak, worth
    size, weight = float(position["size"]), value / equity * 100
    exact = size * (target / weight - 1)
    rule = find_lot(mention.symbol, desk.request.day)
    step = float(rule.least) if rule is not None else 1.0
    shares = math.floor(round(exact / step, 6)) * step
    given: Json = {
        "name": wording.head_of(desk, mention), "now": f"{weight:.2f}%", "target": f"{target:g}%",
        "shares": number(max(shares, 0), "shares"), "exact": f"{exact:,.1f}", "lot": number(step, "shares"),
        "then": f"{weight * (1 + shares / size):.2f}%", "size": number(size, "shares"),
        "amount": wording.say_exact(desk, shares * float(position["current_price"]),
                                    currency=str(position.get("currency") or "")),
        "price": number(float(position["current_price"]), "price", speak), "date": position.get("price_date") or "–",
        "mark": wording.simulated_mark(desk, mark),
    }  # fmt: skip
    if weight >= target:
        return reply_of_lines(
            speak("{name}: it is **{now}** of the account, no less than {target}: nothing is to be bought.{mark}",
                  **given)
        )  # fmt: skip
    lines = [
        speak("{name}: **{shares}** shares more than the {size}, {amount} at {price} ({date}): it goes from {now} to"
              " {then} of the account, for {target} at most.{mark}", **given)
    ]  # fmt: skip
    if rule is not None and shares != exact:
        lines.append(speak("To the share it would be {exact}; lots have {lot}.", **given))
    if rule is None and mention.symbol.market == "HK":
        lines.append(wording.say_lot_unknown(desk, mention))
    return reply_of_lines(*lines, speak("Before fees, and whether the cash suffices is not looked at."))


def _weigh(status: DeskResult, position: Json) -> tuple[float, float] | None:
    """Return what a position and the whole account are worth in one currency; None where that is not known."""
    total, currency = status.get("total"), str(position.get("currency") or "")
    books = wording.objects_of(status, "currencies")
    if position.get("value") is None:
        return None
    if len(books) == 1:
        equity = next(iter(books.values())).get("equity")
        return (float(position["value"]), float(equity)) if equity else None
    _, rates = rates_of(total)
    if not isinstance(total, dict) or not total.get("equity") or currency not in rates:
        return None
    return float(position["value"]) * rates[currency], float(total["equity"])


ANSWERS = {
    "profit_share": answer_profit_share,
    "near_cost": answer_near_cost,
    "cash_parts": answer_cash_parts,
    "side_value": answer_side_value,
    "sell_rest": answer_sell_rest,
    "sell_down": answer_sell_down,
}
