"""A trade that is only thought of; the profit of each security; days without a price."""

import re
from dataclasses import replace
from decimal import Decimal

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, EVER, FUTURE
from ia.agent.analyst.ask.trade_queries import TradeQuery
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.jobs import risk_rules
from ia.agent.analyst.jobs.facts import holding_facts, price_facts, result_facts, trade_query_facts, wording
from ia.agent.analyst.jobs.facts.ledger_facts import read_order
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.kernel import clock
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN, LISTED = 3, 8
_SELLS = pattern(r"卖|清仓|减仓|\b(?:sell\w*|sold|sale)\b", re.I)
_DIVIDEND_TAX = pattern(r"红利税|股息税|分红税|\b(?:dividends?|holding[- ]period) tax(?:es)?\b", re.I)
_CASH = pattern(r"现金|剩(?:下|余)?多少|还剩|\b(?:cash|left|remain\w*)\b", re.I)


_NET = pattern(
    r"到手|净得|净拿|扣(?:掉|除|了)?(?:手续)?费"
    r"|\bnet\b(?! (?:profit|gain|loss|worth|result))"
    r"|\bafter (?:all |the )?(?:fees|costs|tax(?:es)?)\b|\bin (?:my )?hand\b",
    re.I,
)
"""What is left of a sale after its fees is asked for."""


def answer_trade_cost(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the fees of a supposed trade are, or what cash it leaves."""
    if price_facts.names_money(strip_mentions(asked.words)):
        return (yield from price_facts.answer_order_cost(desk, asked))
    size, price, half, unread = read_order(strip_mentions(asked.words))
    later = [span for span in asked.spans if f"{span.first}" != desk.request.day]
    if taxed := _DIVIDEND_TAX.search(asked.words):  # it depends on when each share was bought
        unread = [*unread, taxed[0]]
    if unread or later:
        return wording.ask_back(desk, tuple(unread) or tuple(span.said for span in later))
    speak, sells, lines = desk.speak, bool(_SELLS.search(asked.words)), list[str]()
    for mention in asked.securities[:SHOWN]:
        shares = size.shares_of(mention.symbol) if size else None
        if size is not None and shares is None:
            lines.append(wording.say_lot_unknown(desk, mention))
            continue
        given: Json = {"symbol": mention.code, "action": "sell" if sells else "buy"}
        if half and shares is None:
            status = yield from desk.one("account.status")
            shares = float(wording.objects_of(status, "positions").get(mention.code, {}).get("size") or 0) / 2
        given |= {"quantity": int(shares)} if shares else {}
        given |= {"price": price} if price else {}
        if not shares and not sells:
            lines.append(speak("{name}: how many shares?", name=wording.head_of(desk, mention)))
            continue
        check = yield from desk.one("risk.check", **given)
        if sells and not shares and check.ok and not check.get("most"):
            status = yield from desk.one("account.status")
            held = wording.objects_of(status, "positions")
            if mention.code not in held:
                query = TradeQuery(
                    words=asked.words,
                    only=(mention,),
                    sides=("sell",),
                    said={"want": "sum", "field": "net"},
                    owner=True,
                )
                sold = yield from trade_query_facts.answer_trade_query(desk, query)
                if sold is not None and len(asked.securities) == 1:
                    return sold
                lines.append(speak("{name}: you hold none.", name=wording.head_of(desk, mention)))
                continue
        lines += _say_cost(desk, asked, mention, check.value if check.ok else {}, sells=sells)
    return reply_of_lines(*lines)


def _say_cost(desk: ToolDesk, asked: FactQuestion, mention: Mention, check: object, *, sells: bool) -> list[str]:
    """Return what a supposed trade costs, from what the rules say of it."""
    speak, name = desk.speak, wording.head_of(desk, mention)
    row: Json = check if isinstance(check, dict) else {}
    quantity, amount, fees = (wording.figure_of(row, key) for key in ("quantity", "amount", "fees"))
    if not quantity or amount is None or fees is None:
        held = row.get("held")
        if sells and isinstance(held, dict) and not held.get("quantity"):
            return [speak("{name}: you hold none.", name=name)]
        return [speak("{name}: its fees cannot be told, for want of a price.", name=name)]
    currency = str(row.get("currency") or "")
    given: Json = {
        "name": name,
        "shares": number(quantity, "shares"),
        "price": number(wording.figure_of(row, "price"), "price", speak),
        "fees": wording.say_exact(desk, fees, currency=currency),
        "amount": wording.say_exact(desk, amount, currency=currency),
        "net": wording.say_exact(desk, amount - fees if sells else amount + fees, currency=currency),
        "cash": wording.say_exact(desk, row.get("cash_after"), currency=currency),
        "mark": wording.simulated_mark(desk, row.get("simulated")),
    }
    if _CASH.search(asked.words) and row.get("cash_after") is not None:
        head = (
            speak("**{cash}** of cash after the sale of {shares} {name} at {price}{mark}", **given)
            if sells
            else speak("**{cash}** of cash after the purchase of {shares} {name} at {price}{mark}", **given)
        )
        return [
            head,
            speak("{amount} for the shares, {fees} of fees and taxes: {net} after them.", **given)
            if sells
            else speak("{amount} for the shares, {fees} of fees and taxes.", **given),
        ]
    lines = [
        speak("{name}: **{net}** after {fees} of fees and taxes, for {shares} at {price}{mark}", **given)
        if sells and _NET.search(asked.words)
        else speak("{name}: **{fees}** of fees and taxes for the sale of {shares} at {price}{mark}", **given)
        if sells
        else speak("{name}: **{fees}** of fees and taxes for the purchase of {shares} at {price}{mark}", **given),
        speak("{amount} before them.", **given)
        if sells and _NET.search(asked.words)
        else speak("{amount} before them, {net} after.", **given),
    ]
    if sells and row.get("most") is not None and quantity > float(row["most"]):
        lines.append(
            speak("Only {most} of them can be sold now.", most=number(float(row["most"]), "shares")),
        )
    return lines


def answer_sale_check(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether a sale breaks a rule: the breaches, or what it leaves."""
    speak, lines = desk.speak, list[str]()
    size, price, half, unread = read_order(strip_mentions(asked.words))
    if unread or asked.spans:
        return wording.ask_back(desk, tuple(unread) or tuple(span.said for span in asked.spans))
    if not risk_rules.in_force(desk):
        return reply_of_lines(speak("No risk rules are in force yet: they begin with the first entry of the ledger."))
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    held = wording.objects_of(status, "positions")
    for mention in asked.securities[:SHOWN]:
        name, own = wording.head_of(desk, mention), float(held.get(mention.code, {}).get("size") or 0)
        if size is not None and size.shares_of(mention.symbol) is None:
            lines.append(wording.say_lot_unknown(desk, mention))
            continue
        shares = size.shares_of(mention.symbol) if size else own / 2 if half else own
        if not own or not shares:
            lines.append(speak("{name}: you hold none.", name=name))
            continue
        given: Json = {"symbol": mention.code, "action": "sell", "quantity": int(shares)}
        check = yield from desk.one("risk.check", **given, **({"price": price} if price else {}))
        if check.failure is not None:
            return wording.unreadable(desk, speak("the ledger"), check.failure)
        lines += _say_sale_check(desk, name, check.value if isinstance(check.value, dict) else {}, shares, own)
    return reply_of_lines(*lines)


def _say_sale_check(desk: ToolDesk, name: str, row: Json, shares: float, own: float) -> list[str]:
    """Return what the rules say of a sale, and what it leaves."""
    speak = desk.speak
    given: Json = {"name": name, "shares": number(shares, "shares"), "size": number(own, "shares"),
                   "price": number(wording.figure_of(row, "price"), "price", speak), "date": row.get("date") or "–",
                   "mark": wording.simulated_mark(desk, row.get("simulated"))}  # fmt: skip
    rows = [each for each in row.get("breaches") or [] if isinstance(each, dict)]
    breaches = [risk_rules.describe_breach(desk, each) for each in rows]
    if breaches and all(str(each.get("rule")).startswith("exchange.") for each in rows):
        return [speak("{name}: selling {shares} of {size} shares **breaks a rule of the exchange**: {rules}", **given,
                      rules=speak.join_clauses(breaches))]  # fmt: skip
    if breaches:
        return [speak("{name}: selling {shares} of {size} shares **breaks a rule**: {rules}", **given,
                      rules=speak.join_clauses(breaches))]  # fmt: skip
    if row.get("allowed") is None:
        unknown = [str(each.get("message") or "") for each in row.get("unknown") or [] if isinstance(each, dict)]
        reasons = speak.join_clauses([each for each in dict.fromkeys(unknown) if each]) or "–"
        return [speak("{name}: whether a rule forbids it is not known: {reasons}", **given, reasons=reasons)]
    lines = [speak("{name}: selling {shares} of {size} shares **breaks no rule** ({price}, {date}).{mark}", **given)]
    if row.get("weight_pct") is not None and shares < own:
        lines.append(speak("After it: {weight} of the account.", weight=f"{float(row['weight_pct']):.2f}%"))
    return lines


_GAINED = pattern(
    r"赚|盈利|\b(?:ma[dk]e money|gain\w*|profitable|in profit|won|in the (?:green|black)|winners?)\b", re.I
)
_LOST = pattern(r"亏|赔|\b(?:los[et]\w*|lost|cost (?:me )?money|at a loss|in the red|under ?water)\b", re.I)
_NOW = pattern(r"现在|目前|\b(?:are|is)\b", re.I)
_WHICH = pattern(r"哪|有没有|\b(?:which|what|any)\b", re.I)


def answer_profit_each(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what each security brought, of all time or over days; only gains or losses where they are meant."""
    speak, span = desk.speak, asked.spans[0] if asked.spans else None
    if len(asked.spans) > 1:
        return wording.ask_back(desk, tuple(each.said for each in asked.spans[1:]))
    if span is not None and span.kind == FUTURE:
        return wording.refuse_time(desk, speak("profit of the account"), span, desk.request.day)
    if span is None and _IS_SO.search(asked.words) and not _REALIZED.search(asked.words):
        from ia.agent.analyst.jobs.facts import rule_facts

        return (yield from rule_facts.answer_filter(desk, asked))
    if span is None or span.kind == EVER:
        profit = yield from desk.one("account.profit")
        if profit.failure is not None:
            return wording.unreadable(desk, speak("the ledger"), profit.failure)
        label, notes, simulated = "", [], profit.get("simulated")
        rows = [(str(row.get("symbol")), row, row.get("profit")) for row in wording.rows_of(profit, "positions")]
    else:
        days = yield from result_facts.read_account_days(desk, span)
        if days is None:
            return wording.ask_back(desk, (span.said,))
        period = yield from result_facts.load_period(desk, days)
        if period.failure is not None:
            return wording.unreadable(desk, speak("the ledger"), period.failure)
        label, notes, simulated = days.label, result_facts.moved_note(desk, days), period.get("simulated")
        rows = [(symbol, row, row.get("result")) for symbol, row in wording.objects_of(period, "positions").items()]
    if not rows:
        return reply_of_lines(speak("Nothing was held then ({days}).", days=label or "–"))
    known = sorted(
        ((str(row.get("currency") or ""), -float(value), symbol, row) for symbol, row, value in rows
         if value is not None), key=lambda each: each[:3],
    )  # fmt: skip
    if _WORST_FIRST.search(asked.words):
        known.sort(key=lambda each: (each[0], -each[1], each[2]))
    wanted = 0
    if _WHICH.search(asked.words):
        gained, lost = bool(_GAINED.search(asked.words)), bool(_LOST.search(asked.words))
        wanted = 1 if gained and not lost else -1 if lost and not gained else 0
    now = (wanted != 0 and span is None and _NOW.search(asked.words) is not None) or bool(_BOUGHT.search(asked.words))
    counted = [each for each in known if not now or float(each[3].get("size") or 0)]
    chosen = [each for each in counted if not wanted or -each[1] * wanted > 0]
    head = f"{label}{speak(': ')}" if label else ""
    if not chosen:
        none = speak("**none** was at a profit") if wanted > 0 else speak("**none** was at a loss")
        return reply_of_lines(head + none + wording.simulated_mark(desk, simulated), *notes)
    told = [
        f"{wording.security_name(desk, symbol, row.get('name'))} "
        f"**{wording.say_exact(desk, -value, signed=True, currency=currency)}**{_say_rate(row)}"
        for currency, value, symbol, row in chosen
    ]
    lines = [head + told[0] + wording.simulated_mark(desk, simulated)] if len(told) == 1 else [
        *([head.rstrip() + wording.simulated_mark(desk, simulated)] if head else []),
        *(f"- {each}" for each in told[:LISTED]),
    ]  # fmt: skip
    if len(told) > LISTED:
        lines.append(speak("… and {count} more: `ia profit`", count=len(told) - LISTED))
    if len(known) < len(rows):
        unknown = [wording.security_name(desk, symbol, row.get("name")) for symbol, row, value in rows if value is None]
        lines.append(speak("Not known of: {names}.", names=speak.join_items(unknown)))
    if not head and not wanted:
        lines.append(speak("Since the first trade, dividends and fees included{mark}",
                           mark=wording.simulated_mark(desk, simulated)))  # fmt: skip
    return reply_of_lines(*lines, *notes)


_WORST_FIRST = pattern(
    r"\b(?:worst|biggest loss(?:es)?|biggest losers?|lowest|losers?) (?:first|on top|at the top)\b"
    r"|从(?:亏|跌|差|低)[^，,。]{0,6}(?:到|往|开始)|亏(?:得)?最?多的?(?:排)?在?前",
    re.I,
)
_IS_SO = pattern(
    r"\b(?:which|what|any)(?: of)?(?: my)? (?:holdings|positions|(?:shares|stocks)(?= (?:are|is|have been)\b))\b.{0,12}"
    r"\b(?:(?:at a|in) (?:loss|profit|the red)|los(?:t|e|ing)|in (?:profit|the red|the black)|in the green|ma[dk]e)\b"
    r"|哪(?:些|几[只个支])(?:我的)?(?:持仓|持股)[^，,。]{0,6}(?:赚|亏|盈|赔|套)",
    re.I,
)
"""How holdings stand now is meant: what was realized before leaves them where they are, against their cost."""
_REALIZED = pattern(
    r"最|worst|best|first|从|总|all time|ever|total|买入以来|\bsince\b|已实现|reali[sz]ed|分红|dividend", re.I
)
_BOUGHT = pattern(r"\bsince (?:i|my) (?:bought|purchase)|买入以来|买了?(?:之后|以后|至今|以来)", re.I)
"""What is held is meant, and not what was sold."""


def _say_rate(row: Json) -> str:
    rate = wording.figure_of(row, "profit_rate")
    return f" ({wording.say_percent(rate)})" if rate is not None else ""


def answer_no_price(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer why there is no price of a day: no trading day, nothing stored yet, or no trade."""
    speak, today, lines = desk.speak, desk.request.moment.date(), list[str]()
    span = asked.spans[0] if asked.spans else None
    if len(asked.spans) > 1 or (span is not None and span.kind != DAY):
        return wording.ask_back(desk, tuple(each.said for each in asked.spans))
    day = (span.first if span else None) or today
    for mention in asked.securities[:SHOWN]:
        bars, calendar = yield from desk.run(
            DeskCall("market.ohlcv", {"symbol": mention.code, "tail": 1, **({"end": f"{day}"} if day < today else {})}),
            DeskCall("calendar.trading", {"date": f"{day}", "n": 1, "market": mention.symbol.market}),
        )
        rows = wording.bars_of(bars)
        last = str(rows[-1][0])[:10] if rows else ""
        given: Json = {"name": wording.head_of(desk, mention), "day": f"{day}", "last": last or "–",
                       "next": next(iter(wording.names_of(calendar.get("next"))), "–")}  # fmt: skip
        if last == f"{day}":
            close = number(float(rows[-1][4]), "price", speak)
            lines.append(speak("{name}: there is one of {day}: {close}.", close=close, **given))
        elif calendar.ok and calendar.get("is_trading_day") is False:
            lines.append(
                speak("{name}: {day} is **no trading day**; the last price is of {last}, the next session is {next}.",
                      **given) if day >= today else
                speak("{name}: {day} was **no trading day**; the last price before it is of {last}.", **given)
            )  # fmt: skip
        elif not calendar.ok:
            lines.append(
                speak("{name}: the last price is of {last}; why there is none of {day} I cannot tell.", **given)
            )
        elif day > today:
            lines.append(speak("{name}: {day} is still to come.", **given))
        elif day == today and clock.last_visible_date(mention.symbol.market, desk.request.moment) >= f"{day}":
            lines.append(
                speak("{name}: the market is closed, but there is no price of {day}: no trade (a suspension), or"
                      " `ia sync daily` has not fetched it yet. The last price is of {last}.", **given)
            )  # fmt: skip
        elif day == today:
            lines.append(
                speak("{name}: nothing of {day} is stored yet, the last price is of {last}. Daily prices come after the"
                      " close: run `ia sync daily` then.", **given)
            )  # fmt: skip
        else:
            lines.append(
                speak("{name}: {day} was a trading day, but no trade is stored (a suspension, or the days before the"
                      " first price); the last price before it is of {last}.", **given)
            )  # fmt: skip
    return reply_of_lines(*lines)


_TO_LIMIT = pattern(r"(?P<down>跌停|limit[- ]down)|涨停|limit[- ]up", re.I)


def answer_what_if_limit(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what a position gains or loses where its price goes to a limit of the next session."""
    from ia.domain.instruments.special import is_st
    from ia.domain.rules.limits import price_limits

    found, mention = _TO_LIMIT.search(asked.words), asked.securities[0]
    status = yield from desk.one("account.status")
    position = wording.objects_of(status, "positions").get(mention.code)
    price = wording.figure_of(position, "current_price")
    if found is None or len(asked.securities) > 1 or status.failure is not None or (position and price is None):
        return wording.ask_back(desk, tuple(each.said for each in asked.securities[1:]) or (asked.words,))
    limits = (
        price_limits(mention.symbol, desk.request.day, Decimal(f"{price:.2f}"), st=is_st(mention.symbol.name))
        if price is not None and mention.symbol.market == "CN"
        else None
    )
    if position is not None and limits is None:
        return reply_of_lines(desk.speak("{name}: it has no daily price limit.", name=wording.head_of(desk, mention)))
    level = (limits.low if found["down"] else limits.high) if limits else 0
    return (yield from holding_facts.answer_what_if(desk, replace(asked, words=f"falls to {level}", spans=())))


ANSWERS = {
    "what_if_limit": answer_what_if_limit,
    "trade_cost": answer_trade_cost,
    "sale_check": answer_sale_check,
    "profit_each": answer_profit_each,
    "no_price": answer_no_price,
}
