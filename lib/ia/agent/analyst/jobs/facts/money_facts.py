"""Money of the account by its kind: interest, the largest gains and losses, and a price in another currency."""

import re
from dataclasses import replace

from ia.agent.analyst.ask.amounts import find_currencies, find_size
from ia.agent.analyst.ask.facts import HOLDING, FactQuestion, FactSpec
from ia.agent.analyst.ask.mentions import find_mentions, strip_mentions
from ia.agent.analyst.ask.time_spans import EVER
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.failures import NO_BARS, describe_failure
from ia.agent.analyst.jobs.daily import positions_of
from ia.agent.analyst.jobs.facts import (
    account_facts,
    both_ways,
    history_facts,
    ledger_facts,
    performance_facts,
    wording,
)
from ia.agent.analyst.jobs.facts.held import name_position
from ia.agent.analyst.jobs.facts.journal_rows import load_trades
from ia.agent.analyst.jobs.facts.result_facts import is_within, trade_days
from ia.agent.analyst.jobs.facts.together import sum_by_currency
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 4
_GAIN = pattern(r"盈利|收益|利润|赚|\b(?:gains?|wins?|winner|profits?|best)\b", re.I)


def answer_payments(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how much was paid in or taken out, by currency, with the newest entries; with both, what is left of it."""
    speak, kind = desk.speak, asked.facts[0].field
    days = yield from trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    listed = yield from desk.one("trade.list", limit=history_facts.LOOKED_AT)
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the journal"), listed.failure)
    kinds = both_ways.BOTH_WAYS if kind == "both" else (kind,)
    rows = [row for row in wording.rows_of(listed.value) if row.get("kind") in kinds and is_within(row, days)]
    if currencies := find_currencies(asked.words):
        rows = [row for row in rows if row.get("currency") in currencies]
    when = speak(" ({days})", days=days[0].label) if days else ""
    name = wording.fact_name(desk, asked.facts[0])
    if not rows:
        return reply_of_lines(
            speak("{name}: the journal has none{days}.", name=" ".join((name, *currencies)), days=when)
        )
    lines = [
        f"- {row.get('date')}{speak(': ')}"
        + wording.say_exact(
            desk,
            float(row.get("amount") or 0) * (-1 if kind == "both" and row.get("kind") == "withdraw" else 1),
            signed=kind == "both",
            currency=str(row.get("currency") or ""),
        )
        for row in rows[:SHOWN]
    ]
    if len(rows) > SHOWN:
        lines.append(speak("… and {count} more: `ia trade list`", count=len(rows) - SHOWN))
    if kind == "both":
        return reply_of_lines(*both_ways.say_both_ways(desk, rows, when), *lines)
    told = [wording.say_exact(desk, value, currency=code) for code, value in sum_by_currency(rows, "amount").items()]
    return reply_of_lines(f"**{name}** {speak.join_clauses(told)}{when}", *lines)


def answer_interest(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how much interest was received, by currency, with the newest entries of it."""
    speak = desk.speak
    days = yield from trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    status, listed = yield from desk.run(
        DeskCall("account.status", {}), DeskCall("trade.list", {"limit": history_facts.LOOKED_AT})
    )
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    rows = [row for row in wording.rows_of(listed.value) if row.get("kind") == "interest" and is_within(row, days)]
    sums: dict[str, float] = {}
    if days:
        for row in rows:
            currency = str(row.get("currency") or "")
            sums[currency] = sums.get(currency, 0.0) + float(row.get("amount") or 0)
    else:
        books = wording.objects_of(status, "currencies")
        sums = {name: float(book["interest"]) for name, book in books.items() if book.get("interest")}
    if not sums:
        return reply_of_lines(speak("The journal has no interest{days}: `ia trade interest` enters it.",
                                    days=speak(" ({days})", days=days[0].label) if days else ""))  # fmt: skip
    told = [wording.say_exact(desk, value, signed=True, currency=currency) for currency, value in sums.items()]
    head = speak("**Interest** {sums}{days}; it counts in your total profit.", sums=speak.join_clauses(told),
                 days=speak(" ({days})", days=days[0].label) if days else "")  # fmt: skip
    lines = [
        f"- {row.get('date')}{speak(': ')}"
        + wording.say_exact(desk, row.get("amount"), signed=True, currency=str(row.get("currency") or ""))
        for row in rows[:SHOWN]
    ]
    if len(rows) > SHOWN:
        lines.append(speak("… and {count} more: `ia trade list`", count=len(rows) - SHOWN))
    return reply_of_lines(head, *lines)


def answer_largest_result(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what lost, or gained, most: of what is held, and of the trades that are closed."""
    speak, gain = desk.speak, bool(_GAIN.search(asked.words))
    if any(span.kind != EVER for span in asked.spans):
        ranked = asked.facts[0]._replace(field="best" if gain else "worst")
        return (yield from account_facts.answer_holdings_rank(desk, replace(asked, facts=(ranked,))))
    status, performance = yield from desk.run(DeskCall("account.status", {}), DeskCall("account.performance", {}))
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    held = [(symbol, each) for symbol, each in positions_of(status) if each.get("unrealized_pnl") is not None]
    lines, most = [], []
    for currency in dict.fromkeys(str(each.get("currency")) for _, each in held):
        own = [pair for pair in held if str(pair[1].get("currency")) == currency]
        symbol, each = (max if gain else min)(own, key=lambda pair: float(pair[1]["unrealized_pnl"]))
        if (float(each["unrealized_pnl"]) > 0) == gain:
            most.append(symbol)
            desk.ranked.append(symbol)
            lines.append(
                speak(
                    "Open: {name} **{amount}** ({rate})",
                    name=name_position(desk, symbol, each),
                    amount=wording.say_exact(desk, each["unrealized_pnl"], signed=True, currency=currency),
                    rate=wording.say_percent(each.get("unrealized_pct")),
                )
            )
    if not lines:
        lines = [
            speak("Open: none of what you hold is at a profit.")
            if gain
            else speak("Open: none of what you hold is at a loss.")
        ]
    lines[0] += wording.simulated_mark(desk, status.get("simulated"))
    closed = []
    for _, account in performance_facts.accounts_of(desk, performance) if performance.ok else ():
        trades = account.get("trades")
        trip = trades.get("best" if gain else "worst") if isinstance(trades, dict) else None
        if isinstance(trip, dict) and (float(trip["profit"]) > 0) == gain:
            closed.append(speak("Closed: {trade}", trade=ledger_facts.say_trip(desk, trip)))
    none = speak("Closed: no sale at a profit.") if gain else speak("Closed: no sale at a loss.")
    why = (yield from _say_reasons(desk, most)) if _WHY.search(asked.words) else []
    return reply_of_lines(*lines, *(dict.fromkeys(closed) or [none]), *why)


_WHY = pattern(
    r"为(?:什么|何|啥).{0,6}买|买.{0,6}(?:理由|原因)"
    r"|\bwhy (?:did|do|have) i\b.{0,20}\b(?:b[ou]y|bought|hold|own|purchase)",
    re.I,
)


def _say_reasons(desk: ToolDesk, symbols: list[str]) -> Work[list[str]]:
    """Return why holdings were bought, as their journal has it."""
    found = [mention for symbol in symbols[:SHOWN] for mention in find_mentions(symbol)[:1]]
    if not found:
        return []
    spec = FactSpec(
        id="why", words=_WHY, of=HOLDING, answer="trades", field="reason", unit="", name=("", ""), alone=True, needs="",
        given=None, unless=_WHY,
    )  # fmt: skip
    told = yield from account_facts.answer_trades(desk, FactQuestion((spec,), tuple(found), "why did I buy", (), ()))
    return list(told.lines)


def answer_price_converted(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what one share costs in another currency, at the ledger's exchange rate."""
    speak, lines = desk.speak, []
    named = find_currencies(asked.words)
    if asked.spans and (span := wording.other_day(asked, desk.request.day)):
        return reply_of_lines(speak("Exchange rates I have of today only, not for “{time}”.", time=span.said))
    for mention in asked.securities[:SHOWN]:
        bars = yield from desk.one("market.ohlcv", symbol=mention.code, tail=1)
        rows = wording.bars_of(bars)
        if not rows:
            lines.append(reply.describe_no_prices(desk, mention.said, bars.failure or NO_BARS))
            continue
        own, close = wording.CURRENCIES.get(mention.symbol.market, ""), float(rows[-1][4])
        wanted = next((each for each in named if each != own), "")
        given: Json = {
            "name": wording.head_of(desk, mention),
            "price": number(close, "price", speak),
            "own": own,
            "day": rows[-1][0],
            "mark": wording.simulated_mark(desk, bars.get("simulated")),
        }
        rate = (yield from wording.load_rate(desk, own, wanted)) if wanted else None
        if not wanted:
            lines.append(speak("{name}: **{price} {own}** a share ({day}).{mark}", **given))
            lines += _say_shares(desk, asked.words, close, own)
        elif rate is None:
            lines.append(
                speak("{name}: {price} {own} a share ({day}); no exchange rate is at hand for {wanted}.{mark}",
                      wanted=wanted, **given)
            )  # fmt: skip
        else:
            shown = wording.rate_params(desk, rate)
            lines.append(
                speak(
                    "{name}: **{amount} {wanted}** a share: {price} {own} ({day}) at {rate} ({date}, {source}).{mark}",
                    amount=f"{close * float(rate['rate']):,.2f}",
                    wanted=wanted,
                    rate=shown["rate"],
                    date=shown["date"],
                    source=shown["source"],
                    **given,
                )
            )
            lines += _say_shares(desk, asked.words, close * float(rate["rate"]), wanted)
    return reply_of_lines(*lines)


_BEFORE_NAME = pattern(r"(?<![\d.,])(?P<n>\d[\d,]*) ?\ue000")
"""A number before the name of a security: 100 Apple."""


def _say_shares(desk: ToolDesk, words: str, price: float, currency: str) -> list[str]:
    """Return what the shares that a question counts cost together; nothing where it counts none."""
    size, before = find_size(words), _BEFORE_NAME.search(strip_mentions(words, "\ue000"))
    count = float(before["n"].replace(",", "")) if before else 1.0
    if size is not None:
        count = 1.0 if size.in_lots else size.number
    if count == 1:
        return []
    return [
        desk.speak(
            PluralText("{count} share: **{amount}**.", "{count} shares: **{amount}**."), count=int(count),
            amount=wording.say_exact(desk, price * count, currency=currency),
        )
    ]  # fmt: skip


def answer_fx_part(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which part of the gain on a foreign share, in yuan, the exchange rate made, and which one the share."""
    speak, lines = desk.speak, list[str]()
    if unread := (*asked.unread, *(span.said for span in asked.spans)):
        return wording.ask_back(desk, unread)
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    held = wording.objects_of(status, "positions")
    for mention in asked.securities[:SHOWN]:
        head, position = wording.head_of(desk, mention), held.get(mention.code)
        currency = str(position.get("currency") or "") if position else ""
        if position is None or position.get("current_price") is None:
            lines.append(speak("{name}: you hold none.", name=head))
            continue
        if currency == "CNY":
            lines.append(speak("{name}: it is traded in yuan: no exchange rate is in it.", name=head))
            continue
        rows, _ = yield from load_trades(desk, mention)
        bought = [row for row in rows if row.get("kind") == "buy"]
        if len(bought) < len(rows) or sum(float(row["quantity"]) for row in bought) != float(position["size"]):
            lines.append(speak("{name}: after sales or splits I do not tell the two parts.", name=head))
            continue
        days = [f"{row['date']}" for row in bought]
        given = {"currency": currency, "base": "CNY"}
        calls = [DeskCall("market.rate", {**given, "date": day}) for day in days]
        now, *then = yield from desk.run(DeskCall("market.rate", given), *calls)
        if failed := next((each.failure for each in (now, *then) if each.failure), None):
            return reply_of_lines(describe_failure(speak, failed))
        paid = [float(row["amount"]) + float(row["fees"] or 0) for row in bought]
        rate, cost = float(now.get("rate")), sum(paid)
        of_share = (float(position["current_price"]) * float(position["size"]) - cost) * rate
        of_rate = sum(each * (rate - float(old.get("rate"))) for each, old in zip(paid, then, strict=True))
        share, fx, every = (
            wording.say_exact(desk, value, signed=True, currency="CNY")
            for value in (of_share, of_rate, of_share + of_rate)
        )
        lines.append(
            speak(
                "{name}: **{share}** from the share, **{fx}** from the exchange rate, {whole} in all.{mark}",
                name=head, mark=wording.simulated_mark(desk, status.get("simulated")), share=share, fx=fx, whole=every,
            )
        )  # fmt: skip
        rates = speak.join_items(
            [f"{float(old.get('rate')):.6g} CNY ({day})" for day, old in zip(days, then, strict=True)]
        )
        lines.append(
            speak("1 {currency} was {then} when you bought, {now} CNY now ({date}); fees counted, dividends not.",
                  currency=currency, then=rates, now=f"{rate:.6g}", date=now.get("date"))
        )  # fmt: skip
    return reply_of_lines(*lines)


ANSWERS = {
    "fx_part": answer_fx_part,
    "interest": answer_interest,
    "payments": answer_payments,
    "largest_result": answer_largest_result,
    "price_converted": answer_price_converted,
}
