"""Income on the page of the account: dividends and interest that were received, and dividends that are announced.

The figures are those of `ia profit --income` and `ia account`.
"""

from decimal import Decimal
from typing import TYPE_CHECKING

from ia.domain.instruments import symbols
from ia.faculties.pictures import report_parts
from ia.faculties.pictures.report_parts import SheetCell
from ia.faculties.pictures.svg import escape_xml
from ia.kernel.i18n import Voice

if TYPE_CHECKING:
    from ia.organs.ledger.account import Account
    from ia.organs.ledger.desk import LedgerDesk
    from ia.organs.ledger.income import Expected, Payment


def render_income(desk: "LedgerDesk", account: "Account", voice: Voice) -> str:
    """Return the section of income; "" where nothing was received and nothing is announced."""
    from ia.organs.ledger.income import list_expected, list_payments

    say = voice
    payments, books = list_payments(desk)
    expected = list_expected(desk, [each for each in books.holdings.values() if each.quantity])
    interest = [purse for purse in account.purses.values() if purse.interest]
    if not (payments or expected or interest):
        return ""
    tiles = [
        (say("Dividends, {currency}", currency=purse.currency), SheetCell(report_parts.format_money(purse.dividends)))
        for purse in account.purses.values()
    ]
    tiles += [
        (say("Interest, {currency}", currency=purse.currency), SheetCell(report_parts.format_money(purse.interest)))
        for purse in interest
    ]
    parts = [
        report_parts.render_tiles(tiles),
        report_parts.render_paragraph(
            say("Dividends count on their ex-date, before tax. A withheld tax that you enter is taken off.")
        ),
    ]
    if payments:
        years = _period_table(payments, 4, say("Year"), voice)
        months = report_parts.render_details(say("By month"), _period_table(payments, 7, say("Month"), voice))
        parts.append(f"<h3>{escape_xml(say('Dividends received'))}</h3>\n{years}{months}")
    parts.append(f"<h3>{escape_xml(say('Dividends announced for shares you hold'))}</h3>\n")
    if expected:
        parts.append(_expected_table(expected, voice))
    else:
        parts.append(report_parts.render_paragraph(say("no source has announced any")))
    return report_parts.render_section(say("Income received and expected"), *parts)


def _period_table(payments: "list[Payment]", size: int, title: str, voice: Voice) -> str:
    """Return what was received by period, newest first, in each currency; `size`: the letters of a date that name it.

    The last row of each currency is all of it.
    """
    say = voice
    sums: dict[tuple[str, str], tuple[int, Decimal]] = {}
    for each in payments:
        for period in (each.date[:size], ""):
            count, amount = sums.get((period, each.currency), (0, Decimal(0)))
            sums[period, each.currency] = count + 1, amount + each.amount
    keys = sorted(sums, reverse=True)  # the newest first, all of it last
    rows: list[list[SheetCell | str]] = [
        [
            period or say("All"),
            currency,
            f"{sums[period, currency][0]}",
            report_parts.format_money(sums[period, currency][1]),
        ]
        for period, currency in sorted(keys, key=lambda key: key[1])
    ]
    return report_parts.render_table([title, say("Currency"), say("Payments"), say("Amount")], rows, left=2)


def _expected_table(expected: "list[Expected]", voice: Voice) -> str:
    say = voice
    heads = ("Ex-date", "Symbol", "Name", "Shares", "Per share", "Amount", "Currency", "Source")
    rows: list[list[SheetCell | str]] = [
        [
            each.date,
            each.symbol,
            symbols.security_name(each.symbol, each.name, voice.lang),
            report_parts.format_shares(each.shares),
            report_parts.format_known_price(each.cash) if each.cash is not None else say("not told yet"),
            report_parts.format_money(each.amount),
            each.currency,
            each.source + (say(", simulated") if each.simulated else ""),
        ]
        for each in expected
    ]
    return report_parts.render_table([say(head) for head in heads], rows, left=3)
