"""What was paid in fees and taxes: in all, by kind, trade by trade; of all time or over the days that are named."""

import re

from ia.agent.analyst.ask.amounts import find_currencies
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import account_facts, result_facts, wording
from ia.agent.analyst.jobs.facts.fee_rate_facts import DIVIDEND_TAX
from ia.agent.analyst.jobs.facts.held import name_position
from ia.agent.analyst.jobs.facts.together import rates_of, sum_by_currency
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.errors import PluralText
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 8
_KINDS = (
    ("commission", mark_text("commission"), pattern(r"佣金|\bcommissions?\b", re.I)),
    ("stamp", mark_text("stamp duty"), pattern(r"税|\bstamp\b|\btax(?:es)?\b", re.I)),
    ("transfer", mark_text("transfer fee"), pattern(r"过户费|\btransfer\b", re.I)),
    ("other", mark_text("other fees"), pattern(r"(?!)")),
)
_ALL = pattern(r"手续费|费用|税费|成本|\b(?:fees|costs)\b", re.I)
_BY_TRADE = pattern(r"[每各逐]笔|明细|\b(?:by|per|each|every) trade\b", re.I)
_BY_SHARE = pattern(r"按股票|\b(?:by|per) stock\b", re.I)
_TAXES = pattern(r"(?<!印花)(?<!红利)(?<!股息)(?<!分红)税(?!费)|\btax(?:es)?\b", re.I)
_STAMP = pattern(r"印花税|\bstamp\b", re.I)


def answer_fees_paid(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what was paid in fees and taxes; a kind that is named alone."""
    speak, words = desk.speak, asked.words
    if account_facts.asks_share(words):
        return (yield from account_facts.answer_account(desk, _of_account(asked)))
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    result = yield from desk.one("trade.list", limit=account_facts.LIMIT)
    if result.failure is not None:
        return wording.unreadable(desk, speak("the journal"), result.failure)
    if len(wording.rows_of(result.value)) >= account_facts.LIMIT:
        if days:
            return reply_of_lines(speak("The journal is too long for that here: `ia trade list --json` has each fee."))
        return (yield from account_facts.answer_account(desk, _of_account(asked)))
    when = speak(" ({days})", days=speak.join_items([each.label for each in days])) if days else ""
    rows = account_facts.entries_within(result.value, days)
    on_dividends, lines = bool(DIVIDEND_TAX.search(words)), list[str]()
    if _MOST.search(words) and not on_dividends:
        whole = _say_all(desk, asked, rows, when)[:1] if _IN_ALL.search(words) else []
        return reply_of_lines(*whole, *(yield from _say_dearest(desk, asked, rows, when)))
    rows = account_facts.one_side(rows, words)
    if find_currencies(words) and desk.narrow is None:
        told = yield from _convert_fees(desk, asked, rows)
        if isinstance(told, Reply):
            return told
        lines += told
    if not on_dividends or _STAMP.search(words):
        lines += _say_kinds(desk, asked, rows, when)
    if _MEAN.search(words) and rows:
        lines.insert(0, _say_mean(desk, rows, _name_key(words)))
    if _BY_SHARE.search(words):
        return reply_of_lines(*(yield from _say_shares(desk, asked, rows)), *lines)
    if on_dividends or _TAXES.search(words):
        lines.append(_say_dividend_tax(desk, _taken_back(result.value, days), when))
    if _BY_TRADE.search(words):
        paid = [row for row in rows if float(row.get("fees") or 0)]
        lines += [_say_trade(desk, row) for row in paid[:SHOWN]]
        if len(paid) > SHOWN:
            lines.append(speak("… and {count} more: `ia trade list`", count=len(paid) - SHOWN))
    return reply_of_lines(*lines)


_MOST = pattern(r"最[多高贵大]|\b(?:most|highest|dearest|biggest|largest)\b", re.I)
_MEAN = pattern(r"均摊|\bevened out\b", re.I)
_IN_ALL = pattern(r"一共|总共|合计|累计|\b(?:total|altogether|in all|so far)\b", re.I)
_SIDES = (
    ("buy", pattern(r"买|\b(?:buys?|buying|bought|purchases?|purchased)\b", re.I)),
    ("sell", pattern(r"卖|\b(?:sells?|selling|sold|sales?)\b", re.I)),
)


def _name_key(words: str) -> str:
    """Return the column of the one kind of fees that is named; that of all of them."""
    return next((key for key, _, form in _KINDS if form.search(words) and not _ALL.search(words)), "fees")


def _convert_fees(desk: ToolDesk, asked: FactQuestion, rows: list[Json]) -> Work[list[str] | Reply]:
    """Return what fees in several currencies come to in the one that is named; [] where there is but one."""
    speak, wanted = desk.speak, find_currencies(asked.words)
    status = yield from desk.one("account.status")
    base, rates = rates_of(status.get("total"))
    sums = {code: value for code, value in sum_by_currency(rows, _name_key(asked.words)).items() if value}
    if wanted != [base]:
        return [] if list(sums) == wanted else wording.ask_back(desk, tuple(wanted))
    if len(sums) < 2 or any(code not in rates for code in sums):
        return []
    whole = sum(round(value * rates[code], 2) for code, value in sums.items())
    return [
        speak("All in {currency}: **{amount}**, at the stored rates.", currency=base,
              amount=wording.say_exact(desk, whole, currency=base))
    ]  # fmt: skip


def _say_dearest(desk: ToolDesk, asked: FactQuestion, rows: list[Json], when: str) -> Work[list[str]]:
    """Return which trade of each currency cost most in fees, or in the one kind of them that is named; dearest first.

    They are compared at the stored exchange rates.
    """
    speak, words, lines = desk.speak, asked.words, list[tuple[float, str]]()
    status = yield from desk.one("account.status")
    _, rates = rates_of(status.get("total"))
    sides = [side for side, form in _SIDES if form.search(words)]
    key = _name_key(words)
    meant = [row for row in rows if not sides or row.get("kind") in sides]
    for currency in _sum_by_currency(meant, key):
        own = [row for row in meant if row.get("currency") == currency and float(row.get(key) or 0)]
        if own:
            row = max(own, key=lambda each: float(each[key]))
            name = name_position(desk, str(row.get("symbol")), row)
            trade = account_facts.say_trade(desk, {**row, "reason": ""})
            paid = wording.say_exact(desk, row[key], currency=currency)
            lines.append((float(row[key]) * rates.get(currency, 1.0), f"{name} {trade}{speak(': ')}**{paid}**"))
    known = all(currency in rates for currency in _sum_by_currency(meant, key))
    told = [line for _, line in (sorted(lines, reverse=True) if known else lines)]
    if len(told) > 1 and known:
        return [told[0], speak("Then, of the other currencies, at the stored rates: {rest}.",
                               rest=speak.join_clauses(told[1:]))]  # fmt: skip
    return told or [speak("{name}: no purchase or sale{days}.", name=speak("fees"), days=when)]


def _say_shares(desk: ToolDesk, asked: FactQuestion, rows: list[Json]) -> Work[list[str]]:
    """Return what each security cost in fees and taxes, the dearest first, compared at the stored exchange rates."""
    speak, status = desk.speak, (yield from desk.one("account.status"))
    _, rates = rates_of(status.get("total"))
    key = _name_key(asked.words)
    found: dict[str, list[Json]] = {}
    for row in rows:
        if float(row.get(key) or 0):
            found.setdefault(str(row.get("symbol")), []).append(row)
    told = []
    for symbol, own in found.items():
        currency, paid = str(own[0].get("currency") or ""), sum(float(row[key]) for row in own)
        name, amount = name_position(desk, symbol, own[0]), wording.say_exact(desk, paid, currency=currency)
        told.append((paid * rates.get(currency, 1.0), f"- {name}{speak(': ')}**{amount}**"))
    lines = [line for _, line in sorted(told, reverse=True)]
    more = [speak("… and {count} more: `ia trade list`", count=len(lines) - SHOWN)] if len(lines) > SHOWN else []
    return [*lines[:SHOWN], *more]


def _say_trade(desk: ToolDesk, row: Json) -> str:
    name = name_position(desk, str(row.get("symbol")), row)
    trade = account_facts.say_trade(desk, {**row, "reason": ""})
    return f"- {name} {trade}{desk.speak(': ')}{_say_parts(desk, [row])}"


def _of_account(asked: FactQuestion) -> FactQuestion:
    """Return the question for the fees of the account in all."""
    from dataclasses import replace

    return replace(asked, facts=(asked.facts[0]._replace(field="fees"),))


def _say_kinds(desk: ToolDesk, asked: FactQuestion, rows: list[Json], when: str) -> list[str]:
    """Return the kinds of fees that a question names; all fees and taxes where it names none."""
    named = [kind for kind in _KINDS if kind[2].search(asked.words)]
    if named and not _ALL.search(asked.words):
        return [f"**{desk.speak(name)}** {_say_sums(desk, rows, key)}{when}" for key, name, _ in named]
    return _say_all(desk, asked, rows, when)


def _say_all(desk: ToolDesk, asked: FactQuestion, rows: list[Json], when: str) -> list[str]:
    """Return all fees and taxes of some trades, and what they are made of."""
    speak, name = desk.speak, wording.fact_name(desk, asked.facts[0])
    if not rows:
        return [speak("{name}: no purchase or sale{days}.", name=name, days=when)]
    count = speak(PluralText("{count} trade", "{count} trades"), count=len(rows))
    parts = _say_parts(desk, rows)
    head = f"**{name}** {_say_sums(desk, rows, 'fees')}{when}{speak(', ')}{count}"
    return [head, *([speak("Of it: {parts}.", parts=parts)] if parts else [])]


def _say_mean(desk: ToolDesk, rows: list[Json], key: str) -> str:
    """Return what a trade cost in fees on average, by currency."""
    told = []
    for currency, paid in _sum_by_currency(rows, key).items():
        count = sum(row.get("currency") == currency for row in rows)
        told.append(wording.say_exact(desk, paid / count, currency=currency))
    return desk.speak("On average **{amounts}** a trade.", amounts=desk.speak.join_items(told))


def _sum_by_currency(rows: list[Json], key: str) -> dict[str, float]:
    sums: dict[str, float] = {}
    for row in rows:
        currency = str(row.get("currency") or "")
        sums[currency] = sums.get(currency, 0.0) + float(row.get(key) or 0)
    return dict(sorted(sums.items()))


def _say_sums(desk: ToolDesk, rows: list[Json], key: str) -> str:
    """Return a fee of some trades by currency; those without it are left out where another has it."""
    sums = _sum_by_currency(rows, key)
    some = {currency: value for currency, value in sums.items() if value} or sums
    if not some:
        return "0"
    return desk.speak.join_items(
        [wording.say_exact(desk, value, currency=currency) for currency, value in some.items()]
    )


def _say_parts(desk: ToolDesk, rows: list[Json]) -> str:
    speak = desk.speak
    return speak.join_clauses(
        [
            speak("{name} {amount}", name=speak(name), amount=_say_sums(desk, rows, key))
            for key, name, _ in _KINDS
            if any(_sum_by_currency(rows, key).values())
        ]
    )


def _taken_back(rows: object, days: list[result_facts.Days]) -> list[Json]:
    """Return the entries of dividends below zero: tax that was taken."""
    return [
        row
        for row in wording.rows_of(rows)
        if row.get("kind") == "dividend" and float(row.get("amount") or 0) < 0 and result_facts.is_within(row, days)
    ]


def _say_dividend_tax(desk: ToolDesk, rows: list[Json], when: str) -> str:
    speak = desk.speak
    if not rows:
        return speak(
            "Dividend tax: the journal has none{days}; enter what is taken with `ia trade dividend --date DAY -- SYMBOL"
            " -TAX`.", days=when,
        )  # fmt: skip
    taken = [{**row, "taken": -float(row["amount"])} for row in rows]
    return f"**{speak('dividend tax')}** {_say_sums(desk, taken, 'taken')}{when}"


ANSWERS = {"fees_paid": answer_fees_paid}
