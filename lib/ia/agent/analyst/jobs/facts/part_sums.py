"""Sums over parts of what is owned: all but some, several together, what they cost, what exchange rates made of it."""

from ia.agent.analyst.ask.amounts import find_currencies, find_market_currencies
from ia.agent.analyst.ask.facts import FactQuestion, industry_forms
from ia.agent.analyst.ask.mentions import strip_mentions
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import account_facts, performance_facts, result_facts, wording
from ia.agent.analyst.jobs.facts.held import load_held, load_status, name_position
from ia.agent.analyst.jobs.facts.together import rates_of, say_sum, sum_by_currency
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json

SHOWN = 8


def answer_rest_result(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what all securities but some have brought, and what they are worth: without a market, an industry, one."""
    speak, plain = desk.speak, strip_mentions(asked.words)
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    profit = yield from desk.one("account.profit")
    if profit.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), profit.failure)
    rows = wording.rows_of(profit, "positions")
    left = [str(row.get("symbol")) for row in rows]
    currencies, codes = find_market_currencies(plain), {mention.code for mention in asked.securities}
    industries = {name for form, name in industry_forms(plain, (), desk.tables) if form.search(plain)}
    known, notes = dict[str, str](), list[str]()
    if industries:
        quotes = yield from desk.one("market.quote", symbols=left)
        shares = yield from desk.one("account.allocation", by="industry")
        known = {str(row.get("symbol")): str(row.get("industry") or "") for row in wording.rows_of(quotes, "quotes")}
        held_in = sum(
            bool(float(row.get("size") or 0)) and known.get(str(row.get("symbol"))) in industries for row in rows
        )
        counted = [row for row in wording.rows_of(shares.value, "shares") if row.get("name") in industries]
        if shares.failure is not None or held_in != sum(int(row.get("securities") or 0) for row in counted):
            return reply_of_lines(speak("The industry of some holding is not known, so I do not part them."))
        unknown = [row for row in rows if not float(row.get("size") or 0) and not known.get(str(row.get("symbol")))]
        if unknown:
            names = speak.join_items([name_position(desk, str(row.get("symbol")), row) for row in unknown])
            notes = [speak("Counted in, for its industry is not known: {names}.", names=names)]
    out = [
        row for row in rows
        if row.get("symbol") in codes or row.get("currency") in currencies
        or known.get(str(row.get("symbol"))) in industries
    ]  # fmt: skip
    rest = [row for row in rows if row not in out]
    if not out:
        return reply_of_lines(
            speak("Nothing of that was ever held, so nothing is left out: ask for the whole account.")
        )
    names = speak.join_items([name_position(desk, str(row.get("symbol")), row) for row in out])
    if not rest:
        return reply_of_lines(speak("Nothing else was held than {names}.", names=names))
    if any(row.get("profit") is None for row in rest):
        return reply_of_lines(speak("A price is missing."))
    total, held = status.get("total"), [row for row in rest if float(row.get("size") or 0)]
    return reply_of_lines(
        speak(
            "Without {names}: {profit} of profit in all, since the first trade, after fees.{mark}", names=names,
            profit=say_sum(desk, sum_by_currency(rest, "profit"), total, signed=True),
            mark=wording.simulated_mark(desk, profit.get("simulated")),
        ),
        speak(
            PluralText(
                "{count} holding is left, worth {value}: {names}.", "{count} holdings are left, worth {value}: {names}."
            ),
            count=len(held), value=say_sum(desk, sum_by_currency(held, "value"), total),
            names=speak.join_items([name_position(desk, str(row.get("symbol")), row) for row in held]),
        ),
        *notes,
        *(wording.say_rates(desk, total) if isinstance(total, dict) else []),
    )  # fmt: skip


def answer_fx_account(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which part of the account's result, in one currency, exchange rates made, and which the securities."""
    speak = desk.speak
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    books, total = wording.objects_of(status, "currencies"), status.get("total")
    base, rates = rates_of(total)
    if len(books) < 2:
        return reply_of_lines(speak("The account has one currency: no exchange rate is in its result."))
    loaded = yield from performance_facts.load_performance(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    result, label = loaded
    whole, day = result.get("total") or {}, str((result.get("total") or {}).get("last") or desk.request.day)
    notes = wording.say_rates(desk, total) if isinstance(total, dict) else []
    if day < max((str(rate.get("date")) for rate in (total or {}).get("rates") or ()), default=""):
        notes = []
        for code in sorted(set(rates) - {base}):
            rate = yield from wording.load_rate(desk, code, base, day)
            rates = {**rates, code: float(rate["rate"])} if rate else {}
            notes += [f"1 {code} = {rates[code]:.6g} {base} ({day})"] if rate else []
    gains = {code: each.get("result") for code, each in wording.objects_of(result, "currencies").items()}
    if whole.get("result") is None or any(gain is None or code not in rates for code, gain in gains.items()):
        return reply_of_lines(speak("A price or an exchange rate is missing, so I do not part the two."))
    of_securities = sum(float(gain) * rates[code] for code, gain in gains.items() if gain is not None)
    gained = float(whole["result"])
    given: Json = {
        "whole": wording.say_exact(desk, gained, signed=True, currency=base),
        "fx": wording.say_exact(desk, gained - of_securities, signed=True, currency=base),
        "rest": wording.say_exact(desk, of_securities, signed=True, currency=base),
        "mark": wording.simulated_mark(desk, status.get("simulated")),
    }
    return reply_of_lines(
        speak("{days}: without exchange rates **{rest}**; they brought **{fx}**, in all {whole}.{mark}",
              days=label or f"{whole.get('first')} – {day}", **given),
        speak("Without them: the result of each currency at the last rate: {parts}.", parts=speak.join_items(
            [wording.say_exact(desk, gain, signed=True, currency=code) for code, gain in gains.items()])),
        *notes,
    )  # fmt: skip


def answer_total_cost(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what everything that is held has cost together, and what it is worth now."""
    speak = desk.speak
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, rows = loaded[0], [each for _, each in loaded[1]]
    total = status.get("total")
    if any(row.get("value") is None for row in rows):
        return reply_of_lines(speak("A price is missing."))
    return reply_of_lines(
        speak(
            PluralText(
                "The {count} holding cost {cost}, fees included; it is worth {value} now.{mark}",
                "The {count} holdings cost {cost}, fees included; they are worth {value} now.{mark}",
            ),
            count=len(rows), cost=say_sum(desk, sum_by_currency(rows, "cost"), total),
            value=say_sum(desk, sum_by_currency(rows, "value"), total),
            mark=wording.simulated_mark(desk, status.get("simulated")),
        ),
        *(wording.say_rates(desk, total) if isinstance(total, dict) else []),
    )  # fmt: skip


def answer_fee_share(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what fees and taxes are in per cent of what was traded, currency by currency."""
    speak = desk.speak
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    listed = yield from desk.one("trade.list", limit=account_facts.LIMIT)
    if listed.failure is not None:
        return wording.unreadable(desk, speak("the journal"), listed.failure)
    if len(wording.rows_of(listed.value)) >= account_facts.LIMIT:
        return reply_of_lines(speak("The journal is too long for that here: `ia trade list --json` has each fee."))
    rows = account_facts.entries_within(listed.value, days)
    traded, paid = sum_by_currency(rows, "amount"), sum_by_currency(rows, "fees")
    when = speak(" ({days})", days=speak.join_items([each.label for each in days])) if days else ""
    if not any(traded.values()):
        return reply_of_lines(speak("The journal has no such trade."))
    told = [
        speak(
            "**{rate}%** ({fees} of {amount} traded)", rate=f"{paid[code] / amount * 100:.3f}",
            fees=wording.say_exact(desk, paid[code], currency=code),
            amount=wording.say_exact(desk, amount, currency=code),
        )
        for code, amount in traded.items() if amount
    ]  # fmt: skip
    return reply_of_lines(speak("Fees and taxes: {told}{days}.", told=speak.join_clauses(told), days=when))


def answer_fees_of_profit(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which part of the profit before fees the fees and taxes took: of all of it, and of each currency."""
    speak, told = desk.speak, list[str]()
    if asked.spans:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    base, rates = rates_of(status.get("total"))
    books = wording.objects_of(status, "currencies")
    base, rates = base or next(iter(books)), rates or {next(iter(books)): 1.0}
    if any(book.get("total_pnl") is None or code not in rates for code, book in books.items()):
        return reply_of_lines(speak("A price or an exchange rate is missing."))
    rows = [(code, float(book.get("fees") or 0), float(book["total_pnl"])) for code, book in books.items()]
    paid, gained = (sum(amount * rates[code] for code, amount in each) for each in (
        [(code, fees) for code, fees, _ in rows], [(code, profit) for code, _, profit in rows],
    ))  # fmt: skip
    whole = (base, paid, gained)
    for code, fees, profit in (whole, *(rows if len(rows) > 1 else [])):
        given = {
            "fees": wording.say_exact(desk, fees, currency=code),
            "gross": wording.say_exact(desk, profit + fees, currency=code),
        }
        told.append(
            speak("**{rate}%** ({fees} of {gross} before fees)", rate=f"{fees / (profit + fees) * 100:.2f}", **given)
            if profit + fees > 0
            else speak("{fees} of fees; there is no profit before them", **given)
        )
    mark = wording.simulated_mark(desk, status.get("simulated"))
    lines = [speak("Fees and taxes in per cent of the profit: {told}.{mark}", told=told[0], mark=mark)]
    return reply_of_lines(*lines, *(f"- {each}" for each in told[1:]))


def answer_no_reason(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which trades have no reason in the journal."""
    speak, rows = desk.speak, (yield from account_facts.load_trades(desk, asked))
    if isinstance(rows, Reply):
        return rows
    bare = [row for row in rows if not row.get("reason")]
    if not bare:
        return reply_of_lines(speak(PluralText("The {count} trade has a reason.", "All {count} trades have a reason."),
                                    count=len(rows)))  # fmt: skip
    told = [
        f"- {name_position(desk, str(row.get('symbol')), row)}{speak(': ')}{account_facts.say_trade(desk, row)}"
        for row in bare[:SHOWN]
    ]
    if len(bare) > SHOWN:
        told.append(speak("… and {count} more: `ia trade list`", count=len(bare) - SHOWN))
    head = speak(PluralText("**{count}** of {all} trade has no reason:", "**{count}** of {all} trades have no reason:"),
                 count=len(bare), all=len(rows))  # fmt: skip
    return reply_of_lines(head, *told)


def answer_times_compared(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the account, or that of a currency, made in two stretches of time, and in which of them more."""
    speak = desk.speak
    only = tuple(dict.fromkeys((*find_currencies(asked.words), *find_market_currencies(asked.words))))
    if len(asked.spans) != _TWO:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    lines, made = list[str](), list[tuple[float, str]]()
    for span in asked.spans:
        days = yield from result_facts.read_account_days(desk, span)
        if days is None:
            return wording.ask_back(desk, (span.said,))
        period = yield from result_facts.load_period(desk, days)
        total = period.get("total") if period.ok else None
        if len(only) == 1:
            total = wording.objects_of(period, "currencies").get(only[0]) if period.ok else None
        if isinstance(total, dict) and total.get("twr_frac") is not None:
            made.append((float(total["twr_frac"]), days.label))
        lines += (yield from result_facts.answer_over(desk, span, only, whole=not only)).lines[: 4 - len(only)]
    if len(made) == _TWO and made[0][0] != made[1][0]:
        lines.insert(0, speak("The better of the two in per cent: **{days}**.", days=max(made)[1]))
    return reply_of_lines(*lines)


_TWO = 2


ANSWERS = {
    "rest_result": answer_rest_result,
    "fx_account": answer_fx_account,
    "total_cost": answer_total_cost,
    "fee_share": answer_fee_share,
    "fees_of_profit": answer_fees_of_profit,
    "no_reason": answer_no_reason,
    "times_compared": answer_times_compared,
}
