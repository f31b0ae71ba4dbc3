"""How figures, days and failures are said in short answers."""

import contextlib
import re
from collections.abc import Iterable
from datetime import date
from typing import Any

from ia.agent.analyst.ask.amounts import find_currencies, find_market_currencies
from ia.agent.analyst.ask.dates import is_no_day
from ia.agent.analyst.ask.facts import FactQuestion, FactSpec, market_table
from ia.agent.analyst.ask.mentions import Mention, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, FUTURE, TimeSpan
from ia.agent.analyst.desk import NO_TOOL, DeskResult, Failure, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import display_name
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import EN, compact, number
from ia.domain.instruments import symbols
from ia.domain.instruments.groups import group_name
from ia.kernel.errors import IaError
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern


def head_of(desk: ToolDesk, mention: Mention) -> str:
    """Return how an answer about a security begins."""
    return f"**{display_name(desk, mention)}** {mention.code}"


def short_name(desk: ToolDesk, mention: Mention) -> str:
    """Return a security by its name alone."""
    return display_name(desk, mention)


CLOSES = {"CN": 15, "HK": 16, "US": 24}
"""Market -> the hour in Shanghai from which a session's close of that date can be there."""
CURRENCIES = {"CN": "CNY", "HK": "HKD", "US": "USD"}
"""Market -> the currency in which it trades."""
CALENDARS = {"CN": "000300.SH", "HK": "HSI.HK", "US": "SPX.US"}
"""Market -> the index whose bars tell which days were its sessions."""


def closed_day(desk: ToolDesk, mention: Mention, day: date, last: str = "") -> str:
    """Return why there is no close of today: no trading day, not closed yet, or not there; and the last session."""
    speak, moment = desk.speak, desk.request.moment
    if day.weekday() > 4:
        weekday = speak("Saturday") if day.weekday() == 5 else speak("Sunday")
        told = speak("{day} is a {weekday}: no trading day.", day=f"{day}", weekday=weekday)
    elif moment.hour < CLOSES.get(mention.symbol.market, 24):
        return speak("Of {day} there is no close yet; the newest is that of {last}.", day=f"{day}", last=last)
    else:
        told = speak("{day} has no bar (a holiday, suspended, or not fetched yet).", day=f"{day}")
    return told + (speak(" The newest close is that of {last}.", last=last) if last else "")


def say_lot_unknown(desk: ToolDesk, mention: Mention) -> str:
    """Return that the lot of a security is not known here."""
    return desk.speak(
        "{name}: how many shares a lot of it has is not known here; give a number of shares.",
        name=head_of(desk, mention),
    )


def load_rate(desk: ToolDesk, currency: str, base: str, day: str = "") -> Work[Json | None]:
    """Return the exchange rate of a day, today by default, as `market.rate` tells it; None where there is none."""
    found = yield from desk.one("market.rate", currency=currency, base=base, **({"date": day} if day else {}))
    return found.value if found.ok and isinstance(found.value, dict) else None


def rate_params(desk: ToolDesk, rate: Json) -> Json:
    """Return what a sentence tells of an exchange rate: the rate, its date and its source."""
    source = desk.speak("simulated") if rate.get("simulated") else rate.get("source")
    return {"rate": f"{float(rate['rate']):.6g}", "date": rate.get("date"), "source": source}


def convert_price(desk: ToolDesk, words: str, mention: Mention, price: float, day: str = "") -> Work[str]:
    """Return a price of a day in the other currency that was asked for; why not where no rate is at hand.

    "" where no other currency was asked for.
    """
    own = CURRENCIES.get(mention.symbol.market, "")
    asked = next((currency for currency in find_currencies(words) if currency != own), "")
    if not asked:
        return ""
    rate = yield from load_rate(desk, own, asked, day)
    if rate is None:
        return foreign_currency(desk, words, [mention])
    return say_converted(desk, price, rate)


def say_converted(desk: ToolDesk, amount: float, rate: Json) -> str:
    """Return what an amount comes to at an exchange rate, with the rate, its date and its source."""
    shown = rate_params(desk, rate)
    return desk.speak(
        "**{amount}** at {rate} {base} for 1 {currency} ({date}, {source})",
        amount=say_exact(desk, amount * float(rate["rate"]), currency=str(rate["base"])),
        base=rate["base"],
        currency=rate["currency"],
        rate=shown["rate"],
        date=shown["date"],
        source=shown["source"],
    )


def foreign_currency(desk: ToolDesk, words: str, mentions: Iterable[Mention]) -> str:
    """Return that prices are in another currency than was asked for; "" where no other one was."""
    asked = next(iter(find_currencies(words)), "")
    own = sorted({CURRENCIES.get(mention.symbol.market, "") for mention in mentions})
    if not asked or own in ([asked], []):
        return ""
    return desk.speak(
        "Prices are in {own}; no exchange rate is stored, so none in {asked}: `ia sync rates` fetches rates.",
        own=desk.speak.join_items(own), asked=asked,
    )  # fmt: skip


def security_name(desk: ToolDesk, code: str, name: object) -> str:
    """Return a security as the reader knows it, with its code."""
    return " ".join(dict.fromkeys((name_alone(desk, code, name), code)))


def spoken_security(desk: ToolDesk, code: str, name: object) -> str:
    """Return a security as people say it: its name, and its code without the exchange."""
    return " ".join(dict.fromkeys((name_alone(desk, code, name), code.rpartition(".")[0] or code)))


def drop_own_currency(asked: FactQuestion) -> tuple[str, ...]:
    """Return the words of a question that nobody has read, but for their own currency and market."""
    if asked.answer == "account_result" and find_market_currencies(asked.words):  # it converts what a market brought
        return tuple(word for word in asked.left if not find_currencies(word))
    own = {CURRENCIES.get(mention.symbol.market, "") for mention in asked.securities}
    left = tuple(word for word in asked.left if len(own) != 1 or {*find_currencies(word)} != own)
    if left and len(own) == 1 and {*find_market_currencies(strip_mentions(asked.words))} == own:
        left = tuple(word for word in left if not MARKET_WORD.fullmatch(word))
    return left


MARKET_WORD = pattern(r"[港美AaＡ]股?|hk|hong|kong|us|american|chinese|mainland|a-shares?", re.I)
"""Words for a market, as they are left of a question."""


def name_alone(desk: ToolDesk, code: str, name: object) -> str:
    """Return the name of a security as the reader knows it; its code where it has none."""
    told = symbols.security_name(code, None, desk.speak.lang)
    if not name and not told:
        with contextlib.suppress(IaError):
            name = symbols.resolve_security(code).name
    return told or str(name or "") or code


def industry_name(desk: ToolDesk, name: str) -> str:
    """Return an industry or a concept as the reader knows it: in English by its English name, where one is known."""
    if desk.speak.lang != EN:
        return name
    known = {each.name: each.english for each in market_table(desk.tables).industries}
    return known.get(name) or group_name(name, desk.speak.lang)


def fact_name(desk: ToolDesk, spec: FactSpec) -> str:
    """Return the name of a fact."""
    return desk.speak.fill(spec.name)


def say_value(desk: ToolDesk, value: Any, unit: str) -> str:
    """Return a value as a person reads it; `–` where it is not known."""
    if value is None or value == "":
        return "–"
    if unit == "text":
        items = value if isinstance(value, list) else [value]
        return desk.speak.join_items([industry_name(desk, str(each)) for each in items])
    if unit == "money":
        return say_money(desk, value)
    if unit == "percent_plain":
        return f"{value:,.2f}%"
    return number(float(value), unit, desk.speak)


_IN_MONEY = ("money", "price", "amount", "cash")


def spec_unit(spec: FactSpec) -> str:
    """Return the unit of a fact; a figure a share is money, however it is written."""
    return "price" if spec.field in ("eps", "bvps", "cash_flow_ps", "income:eps") else spec.unit


def foreign_unit(row: object, unit: str, key: str = "currency") -> str:
    """Return the currency after an amount of a company abroad, ` USD`; "" after others.

    row  a report, quote, statement or valuation with its `symbol`; key: where its currency stands
    """
    if not isinstance(row, DeskResult | dict) or unit not in _IN_MONEY:
        return ""
    home = str(row.get("symbol") or "").endswith((".SH", ".SZ", ".BJ"))
    return "" if home or not row.get(key) else f" {row.get(key)}"


def say_watched(desk: ToolDesk, row: Json) -> str:
    """Return an item of `watch.list` as the reader knows it: the security or topic, why, and since when."""
    symbol, name = row.get("symbol"), str(row.get("name") or "")
    told = security_name(desk, str(symbol), name) if symbol else name
    told += f"{desk.speak(': ')}{row['why']}" if row.get("why") else ""
    return told + (desk.speak(" ({days})", days=row["since"]) if row.get("since") else "")


def say_money(desk: ToolDesk, value: Any, *, signed: bool = False, currency: str = "") -> str:
    """Return an amount: with its cents below a million, else in the large units of the language."""
    if value is None:
        return "–"
    amount = float(value)
    sign = "+" if signed and amount > 0 else ""
    told = f"{sign}{amount:,.2f}" if abs(amount) < 1e6 else sign + compact(amount, desk.speak)
    return f"{told} {currency}" if currency else told


def say_exact(desk: ToolDesk, value: Any, *, signed: bool = False, currency: str = "") -> str:
    """Return an amount of an account, with its cents whatever its size."""
    if value is None:
        return "–"
    told = f"{'+' if signed and float(value) > 0 else ''}{float(value):,.2f}"
    return f"{told} {currency}" if currency else told


EACH_DAY = pattern(
    r"天天|每一?[天日]|逐日|每个交易日|\bday by day\b|\bdaily\b"
    r"|\b(?:every|each) (?:single )?(?:day|session|trading day)\b",
    re.I,
)
"""Words that want a figure of each day."""


def say_percent(value: Any) -> str:
    """Return a signed change in per cent, two decimals; `–` where it is not known."""
    return "–" if value is None else f"{float(value):+.2f}%"


def say_against_average(
    desk: ToolDesk, mention: Mention, size: int, levels: tuple[float, float], day: str, mark: str = ""
) -> str:
    """Return on which side of an average a close is. levels: the close and the average of `size` sessions, of a day."""
    close, mean = levels
    given: Json = {
        "name": head_of(desk, mention),
        "size": size,
        "gap": f"{abs(close / mean - 1) * 100:.2f}%",
        "close": number(close, "price", desk.speak),
        "mean": number(mean, "price", desk.speak),
        "date": day,
        "mark": mark,
    }
    if close > mean:
        return desk.speak(
            "{name}: above its {size}-day average by {gap} (close {close}, average {mean}, {date}){mark}.", **given
        )
    return desk.speak(
        "{name}: below its {size}-day average by {gap} (close {close}, average {mean}, {date}){mark}.", **given
    )


def simulated_mark(desk: ToolDesk, simulated: object) -> str:
    """Return the remark that prices are invented; "" for real ones."""
    return desk.speak(" (simulated prices)") if simulated else ""


def say_report(desk: ToolDesk, row: Json) -> str:
    """Return of which report the earnings of a quote or a valuation are; "" where it does not tell."""
    period = str(row.get("report") or "")
    if not period:
        return ""
    return desk.speak(" (report of {period}{basis})", period=period, basis=say_basis(desk, row, period))


def say_basis(desk: ToolDesk, row: Json, period: str) -> str:
    """Return over which time a report's figures run: since the beginning of the year, or twelve months."""
    if row.get("basis") == "ttm":
        return desk.speak(", trailing twelve months")
    if row.get("basis") == "annual" or (not row.get("basis") and period.endswith("12-31")):
        return desk.speak(", the whole year")
    return desk.speak(", since the beginning of the year")


def other_day(asked: FactQuestion, stored: str) -> TimeSpan | None:
    """Return the time of a question that is another than a stored day; None where the day answers it."""
    for span in asked.spans:
        if span.kind == DAY and span.first is not None and f"{span.first}" == stored:
            continue
        return span
    return None


def refuse_time(desk: ToolDesk, what: str, span: TimeSpan, stored: str) -> Reply:
    """Return that a fact is there for one day only, and not for the time that was asked for."""
    if span.kind == FUTURE:
        return reply_of_lines(
            desk.speak("{what}: nobody knows that of “{time}”; I give no forecast.", what=what, time=span.said)
        )
    return reply_of_lines(
        desk.speak("{what}: only that of {day} is stored, not that of “{time}”.", what=what, day=stored, time=span.said)
    )


def unreadable(desk: ToolDesk, what: str, failure: Failure) -> Reply:
    """Return why something could not be read, and what to type."""
    speak = desk.speak
    if failure.code == NO_TOOL:
        return reply_of_lines(
            speak("There is no tool here to read {what}. `ia init` installs those that come with ia.", what=what)
        )
    if failure.code == "market-not-stored":
        return reply_of_lines(speak("Nothing of the market is stored yet: run `ia sync daily`, then ask again."))
    return reply_of_lines(speak("{what} could not be read: {error}", what=what, error=describe_failure(speak, failure)))


def result_day(result: DeskResult) -> str:
    """Return the date of a result; "" where it has none."""
    return str(result.get("date") or "")


def say_empty(desk: ToolDesk) -> Reply:
    """Return that nothing is in the ledger yet, and how it is filled."""
    speak = desk.speak
    return reply_of_lines(
        speak("The ledger is empty: nothing was entered yet."),
        speak(
            "`ia trade deposit AMOUNT` enters money, `ia trade buy SYMBOL QUANTITY PRICE` a purchase, `ia trade import"
            " FILE` reads a broker's statement."
        ),
    )


def ask_back(desk: ToolDesk, unread: tuple[str, ...]) -> Reply:
    """Return a question back: what was not understood, and that nothing was answered for it."""
    speak, today = desk.speak, desk.request.moment.date()
    if none := [word for word in unread if is_no_day(word, today)]:
        return reply_of_lines(
            speak(
                "The calendar has no such day: {days}.",
                days=speak.join_items([word.strip().removeprefix("on ").title() for word in none]),
            )
        )._replace(understood=False)
    return reply_of_lines(
        speak(
            "I did not understand {words}, and it may change the answer, so I give none. Please put it in another way.",
            words=speak.join_items([speak('"{word}"', word=word) for word in desk.quote_typed(unread)]),
        )
    )._replace(understood=False, unread=(desk.request.question,))


def rows_of(value: object, key: str = "") -> list[Json]:
    """Return the objects of a list, or of a result's list; [] where it is none."""
    found = value.get(key) if isinstance(value, DeskResult | dict) and key else value
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def objects_of(result: DeskResult, key: str) -> dict[str, Json]:
    """Return the objects of a result by name; {} where there are none."""
    found = result.get(key) if result.ok else None
    return (
        {str(name): each for name, each in found.items() if isinstance(each, dict)} if isinstance(found, dict) else {}
    )


def bars_of(result: DeskResult) -> list[list[str]]:
    """Return the cells of the bars that a result shows, oldest first: date, open, high, low, close, volume."""
    found = result.get("bars") if result.ok else None
    lines = [str(line).split(",") for line in found][1:] if isinstance(found, list) else []
    return [cells for cells in lines if len(cells) >= 6 and _is_number(cells[4])]


def figure_of(row: Json | None, key: str) -> float | None:
    """Return a number of an object; None where it is none."""
    value = row.get(key) if row else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def names_of(value: object) -> list[str]:
    """Return the texts of a list; [] where it is none."""
    return [str(each) for each in value] if isinstance(value, list) else []


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False


def name_account(desk: ToolDesk, books: dict[str, Json], currency: object) -> str:
    """Return what the position limit is a part of: the whole account, or one currency's where that is not known."""
    if books.get(str(currency), {}).get("whole_equity") is not None:
        return desk.speak("the whole account")
    return desk.speak("the {currency} account", currency=currency)


def say_rates(desk: ToolDesk, total: Json) -> list[str]:
    """Return the exchange rates behind a total, with their dates and sources, and what counts without a deposit."""
    told = [
        desk.speak(
            "1 {currency} = {rate} {base} ({date}, {source})",
            currency=row.get("currency"),
            rate=f"{float(row.get('rate') or 0):.6g}",
            base=row.get("base"),
            date=row.get("date"),
            source=desk.speak("simulated") if row.get("simulated") else row.get("source"),
        )
        for row in rows_of(total.get("rates"))
    ]
    return [*([desk.speak.join_clauses(told)] if told else []), *(str(each) for each in total.get("notes") or ())]


_PROPOSED = {
    "task": mark_text("task"),
    "soul": mark_text("line of soul.md"),
    "trade": mark_text("journal entry"),
    "preference": mark_text("preference"),
    "belief": mark_text("belief"),
    "skill": mark_text("skill"),
    "message": mark_text("message"),
    "call": mark_text("call of a tool"),
    "trust": mark_text("trust"),
    "fetch": mark_text("skill to fetch"),
}
"""Kind of a proposal -> its name."""


def say_proposed(desk: ToolDesk, row: Json) -> str:
    """Return what kind of a proposal one is."""
    return desk.speak(_PROPOSED.get(str(row["kind"]), str(row["kind"])))
