"""The largest, the smallest and the first trade in the journal."""

import re

from ia.agent.analyst.ask.amounts import find_currencies, find_market_currencies
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import strip_mentions
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.jobs.facts import account_facts, result_facts, wording
from ia.agent.analyst.jobs.facts.held import name_position
from ia.agent.analyst.jobs.facts.together import rates_of
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_SMALLEST = pattern(r"最小|\bsmallest\b", re.I)
_FIRST = pattern(r"第一|\bfirst\b", re.I)
_LAST = pattern(r"最后|\blast\b", re.I)
_BY_PRICE = pattern(r"单价|\bby price\b", re.I)
_BEHIND = 2
"""Trades that are told behind the largest one."""


def answer_trade_extreme(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which purchase or sale was the largest, the smallest or the first, of all time or of days."""
    speak, plain = desk.speak, strip_mentions(asked.words)
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    listed, status = yield from desk.run(
        DeskCall("trade.list", {"limit": account_facts.LIMIT}), DeskCall("account.status", {})
    )
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the journal"), listed.failure)
    if len(wording.rows_of(listed.value)) >= account_facts.LIMIT:
        return reply_of_lines(speak("The journal is too long for that here: `ia trade list --json` has each trade."))
    codes, currencies = {each.code for each in asked.securities}, find_market_currencies(plain)
    rows = [
        row for row in account_facts.one_side(account_facts.entries_within(listed.value, days), plain)
        if (not codes or row.get("symbol") in codes) and (not currencies or row.get("currency") in currencies)
    ]  # fmt: skip
    if not rows:
        return reply_of_lines(speak("The journal has no such trade."))
    rows.reverse()  # the oldest first
    if _FIRST.search(plain):
        first = [row for row in rows if row.get("date") == rows[0].get("date")]
        desk.ranked.append(str(first[0].get("symbol")))
        lines = []
        for row in first:
            lines += [_say_row(desk, row, bold=True), *(yield from _say_brought(desk, row))]
        return reply_of_lines(*lines)
    if _LAST.search(plain):
        desk.ranked.append(str(rows[-1].get("symbol")))
        brought = yield from _say_brought(desk, rows[-1])
        return reply_of_lines(_say_row(desk, rows[-1], bold=True), *brought)
    priced = len(codes) == 1 and _BY_PRICE.search(plain) is not None
    base, rates = rates_of(status.get("total") if status.ok else None)
    several = len({row.get("currency") for row in rows}) > 1
    if several and any(str(row.get("currency")) not in rates for row in rows):
        return reply_of_lines(speak("A price or an exchange rate is missing, so I do not compare them."))
    sign = 1 if _SMALLEST.search(plain) else -1
    rows.sort(
        key=lambda row: (
            sign * float(row["price"])
            if priced
            else sign * _amount_of(row) * (rates[str(row.get("currency"))] if several else 1)
        )
    )
    desk.ranked.append(str(rows[0].get("symbol")))
    lines = [_say_row(desk, rows[0], bold=True), *(yield from _say_brought(desk, rows[0]))]
    lines += [speak("Then: {trade}", trade=_say_row(desk, row)) for row in rows[1 : 1 + _BEHIND]]
    if several:
        lines.append(speak("Compared in {base} at today's rates, without fees.", base=base))
    return reply_of_lines(*lines)


_ABOVE = pattern(
    r"(?:above|below) (?P<en>\d[\d,]*(?:\.\d+)?)\s?(?P<unit>k)?|(?P<zh>\d[\d,]*(?:\.\d+)?)\s?(?P<han>[万千])?"
    r"(?:块钱?|元|人民币|美元|港[币元])?以[上下]",
    re.I,
)
_BELOW = pattern(r"\bbelow\b|以下", re.I)
_SHOWN = 8
_TIMES = {"k": 1e3, "千": 1e3, "万": 1e4}


def answer_trades_above(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which purchases or sales came to more, or to less, than an amount, without their fees."""
    speak, plain = desk.speak, strip_mentions(asked.words)
    bound, days = _ABOVE.search(plain), (yield from result_facts.trade_days(desk, asked))
    if days is None or bound is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans) or (asked.words.strip(),))
    listed, status = yield from desk.run(
        DeskCall("trade.list", {"limit": account_facts.LIMIT}), DeskCall("account.status", {})
    )
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the journal"), listed.failure)
    if len(wording.rows_of(listed.value)) >= account_facts.LIMIT:
        return reply_of_lines(speak("The journal is too long for that here: `ia trade list --json` has each trade."))
    base, rates = rates_of(status.get("total") if status.ok else None)
    into = (find_currencies(plain) or [base])[0]
    least = float((bound["en"] or bound["zh"]).replace(",", "")) * _TIMES.get(bound["unit"] or bound["han"] or "", 1)
    codes, currencies = {each.code for each in asked.securities}, find_market_currencies(plain)
    rows = [
        row for row in account_facts.one_side(account_facts.entries_within(listed.value, days), plain)
        if (not codes or row.get("symbol") in codes) and (not currencies or row.get("currency") in currencies)
    ]  # fmt: skip
    if any(str(row.get("currency")) not in rates for row in rows) or into not in rates:
        return reply_of_lines(speak("A price or an exchange rate is missing, so I do not compare them."))
    less = _BELOW.search(plain) is not None
    found = [
        row for row in rows if (_amount_of(row) * rates[str(row.get("currency"))] / rates[into] > least) != less
    ]  # fmt: skip
    amount = wording.say_exact(desk, least, currency=into)
    given: Json = {"count": len(found), "all": len(rows), "amount": amount}
    head = (
        speak("**{count}** of {all} trades came to {amount} or less.", **given)
        if less
        else speak("**{count}** of {all} trades came to more than {amount}.", **given)
    )
    lines = [f"- {_say_row(desk, row)}" for row in found[:_SHOWN]]
    lines += [speak("… {count} more: `ia trade list`", count=len(found) - _SHOWN)] if len(found) > _SHOWN else []
    if any(row.get("currency") != into for row in rows):
        lines.append(speak("Compared in {base} at today's rates, without fees.", base=into))
    return reply_of_lines(head, *lines)


def _say_brought(desk: ToolDesk, row: Json) -> Work[list[str]]:
    """Return what a sale brought after its fees, and its profit; [] for a purchase, or where they are not known."""
    if row.get("kind") != "sell" or row.get("fees") is None:
        return []
    fees, currency = float(row["fees"]), str(row.get("currency") or "")
    net = wording.say_exact(desk, _amount_of(row) - fees, currency=currency)
    told = desk.speak("After {fees} of fees and taxes: **{net}**.", fees=wording.say_exact(desk, fees), net=net)
    closed = yield from desk.one("account.history", symbol=str(row.get("symbol")), limit=account_facts.LIMIT)
    same = [
        float(each["realized"])
        for each in (wording.rows_of(closed.value) if closed.ok else ())
        if all(each.get(key) == row.get(key) for key in ("date", "quantity", "price"))
        and each.get("realized") is not None
    ]
    if len(same) != 1:
        return [told]
    result = wording.say_exact(desk, same[0], signed=True, currency=currency)
    return [told, desk.speak("Profit of this sale: **{result}**.", result=result)]


def _amount_of(row: Json) -> float:
    return float(row.get("amount") or float(row["quantity"]) * float(row["price"]))


def _say_row(desk: ToolDesk, row: Json, *, bold: bool = False) -> str:
    """Return a trade with its security and what it came to; a bold one with its reason."""
    trade = account_facts.say_trade(desk, row if bold else {**row, "reason": ""})
    amount = wording.say_exact(desk, _amount_of(row), currency=str(row.get("currency") or ""))
    name = name_position(desk, str(row.get("symbol")), row)
    given: Json = {"name": name, "trade": trade, "amount": amount}
    return desk.speak("{name}: **{trade}**, {amount}", **given) if bold else desk.speak("{name}: {trade}, {amount}",
                                                                                       **given)  # fmt: skip


ANSWERS = {"trade_extreme": answer_trade_extreme, "trades_above": answer_trades_above}
