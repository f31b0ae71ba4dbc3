"""The account as investors look at it: returns by period, net worth, how it is spread, dividends, the largest risk.

All figures are those of `ia profit`, `ia account` and their tools; nothing is computed here.
"""

import re
from datetime import date, timedelta

from ia.agent.analyst.ask.amounts import find_accounts, find_currencies, find_market_currencies
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.time_spans import EVER, FUTURE
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import read_value
from ia.agent.analyst.jobs.facts import account_facts, result_facts, together, wording
from ia.agent.analyst.jobs.facts.result_facts import Days
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 12
"""Periods, parts or payments that are told one by one."""
NAMED = 3
"""Securities of one question of which the dividends are told."""
JOURNAL = 200
"""Entries that the tool of the journal returns at most."""


def load_performance(
    desk: ToolDesk, asked: FactQuestion, by: str = "", benchmark: str = ""
) -> Work[tuple[DeskResult, str] | Reply]:
    """Return the performance over the time that a question names, and that time; the reply where it cannot be told."""
    speak = desk.speak
    if len(asked.spans) > 1:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans[1:]))
    span = asked.spans[0] if asked.spans else None
    if span is not None and span.kind == FUTURE:
        return wording.refuse_time(desk, wording.fact_name(desk, asked.facts[0]), span, desk.request.day)
    days: Days | None = None
    if span is not None and span.kind != EVER:
        days = yield from result_facts.read_account_days(desk, span)
        if days is None:
            return wording.ask_back(desk, (span.said,))
    args: Json = {"by": by, "benchmark": benchmark}
    if days is not None:
        args |= {"first": f"{days.first}", "last": f"{days.last}"}
    result = yield from desk.one("account.performance", **{name: value for name, value in args.items() if value})
    if result.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), result.failure)
    if not wording.objects_of(result, "currencies"):
        unknown = result.get("unknown")
        told = [str(each) for each in unknown.values()] if isinstance(unknown, dict) else []
        return reply_of_lines(*told) if told else wording.say_empty(desk)
    return result, days.label if days else ""


def accounts_of(desk: ToolDesk, result: DeskResult, words: str = "") -> list[tuple[str, Json]]:
    """Return each currency's account and, where there are several, all of them in the base currency, with a name.

    words  of a question: only the accounts that it names, where it names some
    """
    found = list(wording.objects_of(result, "currencies").items())
    if named := [each for each in found if each[0] in find_accounts(words)]:
        return named
    total = result.get("total")
    if isinstance(total, dict):
        found.append((desk.speak("all in {currency}", currency=total.get("currency")), total))
    return found


def say_fraction(value: object) -> str:
    """Return a fraction as a signed percentage; `–` where it is not known."""
    return "–" if value is None else wording.say_percent(float(str(value)) * 100)


def say_reason(row: Json, key: str) -> str:
    """Return why a figure cannot be told; "" where it can."""
    reasons = row.get("reasons")
    return str(reasons.get(key) or "") if isinstance(reasons, dict) else ""


def answer_periods(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with the return of each month, or of each year."""
    by = "year" if _YEARS.search(asked.words) else "month"
    loaded = yield from load_performance(desk, asked, by=by)
    if isinstance(loaded, Reply):
        return loaded
    (result, _), speak, lines = loaded, desk.speak, []
    for name, account in accounts_of(desk, result, asked.words):
        rows = wording.rows_of(account.get("periods"))
        lines.append(
            speak(
                "**{name}** {rate} ({first} – {last}, time-weighted)",
                name=name,
                rate=say_fraction(account.get("twr_frac")),
                first=account.get("first"),
                last=account.get("last"),
            )
        )
        for row in rows[-SHOWN:]:
            period = str(row.get("first"))[: 7 if by == "month" else 4]
            told = f"- {period}{speak(': ')}{say_fraction(row.get('twr_frac'))}"
            if row.get("result") is not None:
                money = wording.say_exact(desk, row["result"], signed=True, currency=str(account.get("currency") or ""))
                told += speak(" ({money})", money=money)
            lines.append(told + (f" {reason}" if (reason := say_reason(row, "twr_frac")) else ""))
        if len(rows) > SHOWN:
            lines.append(speak("… {count} earlier: `ia profit --by {by}`", count=len(rows) - SHOWN, by=by))
    lines[0] += wording.simulated_mark(desk, result.get("simulated"))
    return reply_of_lines(*lines)


_YEARS = pattern(r"年化|(?:按|分|逐|每)个?年|每年|\b(?:by|per|each|every) year\b|\byearly\b|\bannual\b", re.I)


def answer_annual(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with the return a year, time-weighted and money-weighted: from a year on, for before it is a forecast."""
    loaded = yield from load_performance(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    (result, _), speak, lines = loaded, desk.speak, []
    weighted = _BY_MONEY.search(asked.words) is not None
    for name, account in accounts_of(desk, result, asked.words):
        risk: Json = account.get("risk") or {}
        if weighted:
            lines.append(_say_money_weighted(desk, name, account))
            continue
        given: Json = {
            "name": name,
            "rate": say_fraction(account.get("twr_frac")),
            "first": account.get("begin"),
            "last": account.get("last"),
        }
        line = (
            speak("**{name}** {annual} a year, time-weighted ({rate} from {first} to {last})",
                  annual=say_fraction(risk["cagr_frac"]), **given)
            if risk.get("cagr_frac") is not None
            else speak("**{name}** {rate} from {first} to {last}, time-weighted; a year: not told ({reason})",
                       reason=say_reason(risk, "cagr_frac") or "–", **given)
        )  # fmt: skip
        if account.get("xirr_ann_frac") is not None and risk.get("cagr_frac") is not None:
            line += speak("; money-weighted {rate} a year", rate=say_fraction(account["xirr_ann_frac"]))
        lines.append(line)
    lines[0] += wording.simulated_mark(desk, result.get("simulated"))
    return reply_of_lines(*lines)


_BY_MONEY = pattern(r"资金加权|金额加权|内部收益率|(?<![a-z])x?irr(?![a-z])|\b(?:money|dollar)[- ]weighted\b", re.I)
"""The return that counts how much money was there and when."""


def _say_money_weighted(desk: ToolDesk, name: str, account: Json) -> str:
    """Return the money-weighted return of an account, and beside it the time-weighted one; why not, where it is not."""
    speak = desk.speak
    if account.get("mwr_frac") is None:
        return speak("**{name}** not told ({reason})", name=name, reason=say_reason(account, "mwr_frac") or "–")
    yearly = account.get("xirr_ann_frac")
    return speak(
        "**{name}** **{rate}** from {first} to {last}, money-weighted{yearly}; time-weighted {plain}",
        name=name, rate=say_fraction(account["mwr_frac"]), first=account.get("begin"), last=account.get("last"),
        yearly="" if yearly is None else speak(" ({rate} a year)", rate=say_fraction(yearly)),
        plain=say_fraction(account.get("twr_frac")),
    )  # fmt: skip


def answer_net_worth(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what all currencies come to in one, with the rates and their dates."""
    speak = desk.speak
    span = wording.other_day(asked, desk.request.day)
    if span is not None and span.kind != EVER:
        return (yield from account_facts.answer_account(desk, asked))
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    books = wording.objects_of(status, "currencies")
    if not books:
        return wording.say_empty(desk)
    total = status.get("total")
    if not isinstance(total, dict):
        return (yield from account_facts.answer_account(desk, asked))
    base = str(total.get("currency"))
    if markets := [each for each in find_market_currencies(asked.words) if each in books and each != base]:
        return (yield from answer_markets(desk, status, books, markets, base))
    named = find_currencies(asked.words)
    wanted = [] if base in named else [currency for currency in named if currency != base]
    converted = (yield from _convert_equity(desk, total, wanted[0])) if wanted else []
    if set(books) == {base}:
        own = yield from account_facts.answer_account(desk, asked)
        return own._replace(lines=[*own.lines, *converted])
    lines = []
    if total.get("equity") is None:
        missing = speak.join_clauses([str(each) for each in total.get("missing") or ()])
        lines.append(speak("The total in {base} is not known: {reason}", base=base, reason=missing or "–"))
    else:
        lines.append(
            speak(
                "**{equity}** in all: positions {value}, cash {cash}.{mark}",
                equity=wording.say_exact(desk, total["equity"], currency=base),
                value=wording.say_exact(desk, total.get("positions_value")),
                cash=wording.say_exact(desk, total.get("cash")),
                mark=wording.simulated_mark(desk, status.get("simulated") or total.get("simulated")),
            )
        )
    told = [
        wording.say_exact(desk, book.get("equity"), currency=currency)
        if book.get("equity") is not None
        else speak("unknown ({currency})", currency=currency)
        for currency, book in books.items()
    ]
    lines.append(speak("By currency: {parts}.", parts=speak.join_clauses(told)))
    lines += wording.say_rates(desk, total)
    return reply_of_lines(*converted, *lines)


def answer_markets(
    desk: ToolDesk, status: DeskResult, books: dict[str, Json], markets: list[str], base: str
) -> Work[Reply]:
    """Answer what the positions in some currencies are worth in another one, and together, at the stored rates."""
    speak, lines, sums = desk.speak, list[str](), list[float]()
    for currency in markets:
        value, cash = books[currency].get("positions_value"), books[currency].get("cash")
        rate = yield from wording.load_rate(desk, currency, base)
        if rate is None or value is None:
            lines.append(speak("The positions in {currency} cannot be converted: no value or no rate is stored.",
                               currency=currency))  # fmt: skip
            continue
        sums.append(round(float(value) * float(rate["rate"]), 2))
        lines.append(
            speak(
                "Positions in {currency}: **{worth}** ({value} at {rate}, {date}){mark}; cash besides: {cash}",
                currency=currency,
                worth=wording.say_exact(desk, float(value) * float(rate["rate"]), currency=base),
                value=wording.say_exact(desk, value, currency=currency),
                rate=f"{float(rate['rate']):.6g}",
                date=rate.get("date"),
                cash=wording.say_exact(desk, cash, currency=currency) if cash is not None else "–",
                mark=wording.simulated_mark(desk, status.get("simulated")),
            )
        )
    if len(sums) > 1 and len(sums) == len(markets):
        lines.append(speak("Together: **{whole}**.", whole=wording.say_exact(desk, sum(sums), currency=base)))
    return reply_of_lines(*lines)


def _convert_equity(desk: ToolDesk, total: Json, currency: str) -> Work[list[str]]:
    """Return what an account is worth in a currency, at the stored rate; the command that tells it without one."""
    base, equity = str(total.get("currency")), wording.figure_of(total, "equity")
    rate = (yield from wording.load_rate(desk, base, currency)) if equity is not None else None
    if rate is None or equity is None:
        return [account_facts.say_other_currency(desk, currency)]
    return [wording.say_converted(desk, equity, rate)]


_BY = (
    ("currency", pattern(r"币种|货币|外币|\bcurrenc(?:y|ies)\b", re.I)),
    ("industry", pattern(r"行业|板块|\b(?:industr(?:y|ies)|sectors?)\b", re.I)),
    (
        "market",
        pattern(
            r"市场|地区|国家|[美港Aa]股|\b(?:u\.?s\.?|american|hong kong|hk|mainland|chinese) (?:stocks?|shares)\b"
            r"|\b(?:markets?|countr(?:y|ies)|regions?)\b",
            re.I,
        ),
    ),
)


def answer_allocation(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how everything that is owned is spread, cash included."""
    if span := wording.other_day(asked, desk.request.day):
        return reply_of_lines(desk.speak("That I tell of what you hold now, not for “{time}”.", time=span.said))
    of_market = any(words.search(asked.words) for words in _MARKETS.values())
    named_by = next((name for name, words in _BY if words.search(asked.words)), "")
    by = asked.facts[0].field or named_by or ("market" if of_market else "security")
    result = yield from desk.one("account.allocation", by=by)
    if result.failure is not None:
        return wording.unreadable(desk, desk.speak("the ledger"), result.failure)
    shares = wording.rows_of(result, "shares")
    if not shares:
        return wording.say_empty(desk)
    lines = say_allocation(desk, result, shares)
    most = bool(_MOST.search(asked.words)) or asked.facts[0].field == "industry"
    known = [row for row in shares if row.get("kind") == by and row.get("name") != "unknown"]
    named = known[:1] if most else [row for row in known if _means(asked, row)]
    parts = together.say_parts(desk, [(name_share(desk, row), row.get("weight_pct")) for row in named])
    return reply_of_lines(*parts, *lines)


_MOST = pattern(r"哪|最|\b(?:which|most|largest|biggest|highest)\b", re.I)
_MARKETS = {
    "US": pattern(r"美股|美国|\bu\.?s\.?a?\b|\bamerican?\b|\bstates\b", re.I),
    "HK": pattern(r"港股|香港|\bhk\b|\bhong kong\b", re.I),
    "CN": pattern(r"A股|a股|大陆|\ba-?shares?\b|\bmainland\b|\bchinese\b|\bchina\b", re.I),
}


def _means(asked: FactQuestion, row: Json) -> bool:
    """Return True if a question names the market of a part."""
    form = _MARKETS.get(str(row.get("name")))
    return row.get("kind") == "market" and form is not None and bool(form.search(asked.words))


def say_allocation(desk: ToolDesk, result: DeskResult, shares: list[Json]) -> list[str]:
    """Return the parts of an allocation, the largest first, then the total and its rates."""
    speak, total = desk.speak, result.get("total")
    base = str(total.get("currency")) if isinstance(total, dict) else ""
    lines = []
    for row in shares[:SHOWN]:
        weight = "–" if row.get("weight_pct") is None else f"{float(row['weight_pct']):.2f}%"
        value = "–" if row.get("value") is None else wording.say_exact(desk, row["value"], currency=base)
        lines.append(speak("- {name}: **{weight}** ({value})", name=name_share(desk, row), weight=weight, value=value))
    if len(shares) > SHOWN:
        lines.append(speak(PluralText("… {count} smaller part", "… {count} smaller parts"), count=len(shares) - SHOWN))
    if isinstance(total, dict) and total.get("equity") is not None:
        whole = wording.say_exact(desk, total["equity"], currency=base)
        lines.insert(0, speak("Of {total} in all:{mark}", total=whole,
                              mark=wording.simulated_mark(desk, result.get("simulated"))))  # fmt: skip
        lines += wording.say_rates(desk, total)
    elif isinstance(total, dict):
        lines += [str(each) for each in total.get("missing") or ()]
    return lines


def name_share(desk: ToolDesk, row: Json) -> str:
    """Return a part of an allocation as the reader knows it."""
    speak, kind, name = desk.speak, row.get("kind"), str(row.get("name") or "")
    if kind == "cash":
        return speak("cash {currency}", currency=name)
    if kind == "lent":
        return speak("lent out {currency}", currency=name)
    if kind == "security":
        return wording.security_name(desk, name, "")
    if kind == "industry":
        return speak("industry unknown") if name == "unknown" else wording.industry_name(desk, name)
    if kind == "market":
        return {"CN": speak("mainland"), "HK": speak("Hong Kong"), "US": speak("United States")}.get(name, name)
    return name


def answer_income(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with the dividends that were received, by year, or with those that are announced."""
    speak, expected = desk.speak, asked.facts[0].field == "expected"
    span = asked.spans[0] if asked.spans and not expected else None
    args: Json = {}
    label = ""
    if span is not None and span.kind not in (EVER, FUTURE):
        days = yield from result_facts.read_account_days(desk, span)
        if days is None:
            return wording.ask_back(desk, (span.said,))
        args, label = {"first": f"{days.first}", "last": f"{days.last}"}, days.label
    if asked.securities:
        return (yield from _answer_income_of(desk, asked, args, label))
    result = yield from desk.one("account.income", **args)
    if result.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), result.failure)
    if expected:
        return reply_of_lines(*_say_coming(desk, asked, wording.rows_of(result, "expected")))
    sums = result.get("by_currency")
    told = [
        wording.say_exact(desk, amount, currency=currency)
        for currency, amount in (sums.items() if isinstance(sums, dict) else ())
    ]
    mark = wording.simulated_mark(desk, result.get("simulated"))
    name = wording.fact_name(desk, asked.facts[0])
    line = speak(
        "**{name}** {values} (before tax{days})",
        name=name,
        values=speak.join_clauses(told) or "0",
        days=speak(", {days}", days=label) if label else "",
    )
    if len(told) > 1 and (total := result.get("total")) is not None:
        whole = wording.say_exact(desk, total, currency=str(result.get("base") or ""))
        line += speak(", in all {total}", total=whole)
    ahead = _say_expected(desk, wording.rows_of(result, "expected"))
    return reply_of_lines(line + mark, *_say_received(desk, wording.rows_of(result, "received")), *ahead)


_NEXT = pattern(r"(?P<week>下个?(?:周|星期|礼拜)|\bnext week\b)|(?P<month>下个?月|\bnext month\b)", re.I)


def _say_coming(desk: ToolDesk, asked: FactQuestion, rows: list[Json]) -> list[str]:
    """Return the announced dividends of what is held: first those of the week or month that is named."""
    speak, today = desk.speak, date.fromisoformat(desk.request.day)
    source = speak("Dates of companies: `ia calendar`.")
    if found := next((match for each in asked.spans if not each.first and (match := _NEXT.search(each.said))), None):
        first = today + timedelta(days=7 - today.weekday()) if found["week"] else _next_month(today)
        last = first + timedelta(days=6) if found["week"] else _next_month(first) - timedelta(days=1)
        within = [row for row in rows if f"{first}" <= str(row.get("ex_date")) <= f"{last}"]
        rest = [row for row in rows if row not in within]
        given: Json = {"first": f"{first}", "last": f"{last}"}
        head = (
            speak("Ex-dates from {first} to {last}:", **given)
            if within
            else speak("**None** is announced for {first} to {last}, as far as ia knows.", **given)
        )
        later = [speak("At other times:"), *_say_expected(desk, rest)] if rest else []
        return [head, *_say_expected(desk, within), *later, source]
    nothing = [speak("No dividend of what you hold is announced, as far as ia knows.")]
    return [*(_say_expected(desk, rows) or nothing), source]


def _next_month(day: date) -> date:
    """Return the first day of the month after."""
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)


def _answer_income_of(desk: ToolDesk, asked: FactQuestion, args: Json, label: str) -> Work[Reply]:
    """Answer with the dividends that named securities paid to the account; of none, with the ex-date and the purchase.

    What is announced follows in lines of its own: it is not received.
    """
    speak, lines = desk.speak, []
    for mention in asked.securities[:NAMED]:
        result = yield from desk.one("account.income", symbol=mention.code, **args)
        if result.failure is not None:
            return wording.unreadable(desk, speak("the ledger"), result.failure)
        sums = result.get("by_currency")
        paid = [
            wording.say_exact(desk, amount, currency=currency)
            for currency, amount in (sums.items() if isinstance(sums, dict) else ())
        ]
        none = wording.say_exact(desk, 0, currency=wording.CURRENCIES.get(mention.symbol.market, ""))
        lines.append(
            speak(
                "{name}: **{values}** of dividends received, before tax{days}.{mark}",
                name=wording.head_of(desk, mention),
                values=speak.join_clauses(paid) or none,
                days=speak(", {days}", days=label) if label else "",
                mark=wording.simulated_mark(desk, result.get("simulated")),
            )
        )
        rows = wording.rows_of(result, "received")
        lines += _say_received(desk, rows) if rows else (yield from _say_why_none(desk, mention))
        lines += _say_expected(desk, wording.rows_of(result, "expected"))
    return reply_of_lines(*lines)


def _say_why_none(desk: ToolDesk, mention: Mention) -> Work[list[str]]:
    """Return the first purchase of a security and its newest ex-date, of which it has paid nothing."""
    speak = desk.speak
    trades, actions = yield from desk.run(
        DeskCall("trade.list", {"symbol": mention.code, "limit": JOURNAL}),
        DeskCall("market.actions", {"symbol": mention.code}),
    )
    bought = sorted(str(row.get("date")) for row in wording.rows_of(trades.value) if row.get("kind") == "buy")
    if not trades.ok or not bought:
        return [speak("The ledger has no purchase of it.")] if trades.ok else []
    paid = sorted(str(row.get("date")) for row in wording.rows_of(actions, "actions") if row.get("cash"))
    if not paid:
        return [speak("Bought on {bought}; no ex-date of it is stored.", bought=bought[0])]
    return [speak("Bought on {bought}; its newest ex-date is {ex_date}.", bought=bought[0], ex_date=paid[-1])]


def _say_received(desk: ToolDesk, rows: list[Json]) -> list[str]:
    """Return the dividends of each year by security, the newest year first."""
    lines = []
    for year in sorted({str(row.get("year")) for row in rows}, reverse=True):
        told = [
            f"{wording.security_name(desk, str(row.get('symbol')), row.get('name'))} "
            + wording.say_exact(desk, row.get("amount"), currency=str(row.get("currency") or ""))
            for row in rows
            if row.get("year") == year
        ]
        lines.append(desk.speak("- {year}: {parts}", year=year, parts=desk.speak.join_clauses(told)))
    return lines


def _say_expected(desk: ToolDesk, rows: list[Json]) -> list[str]:
    """Return the dividends that are announced, with their ex-dates."""
    speak, lines = desk.speak, []
    for row in rows[:SHOWN]:
        given: Json = {
            "name": wording.security_name(desk, str(row.get("symbol")), row.get("name")),
            "day": row.get("ex_date"),
            "shares": number(float(row.get("shares") or 0), "shares"),
            "mark": wording.simulated_mark(desk, row.get("simulated")),
        }
        lines.append(
            speak("- announced: {name}, ex-date **{day}**, {shares} shares, the amount is not told yet{mark}", **given)
            if row.get("amount") is None
            else speak(
                "- announced: {name}, ex-date **{day}**, {shares} × {cash} = **{amount}** before tax{mark}",
                cash=row.get("cash_per_share"),
                amount=wording.say_exact(desk, row["amount"], currency=str(row.get("currency") or "")),
                **given,
            )
        )
    return lines


def answer_largest_risk(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what weighs most: the largest positions and industry against the limit, and what swings most by weight."""
    from ia.agent.analyst.ask.facts import security_table

    speak = desk.speak
    if span := wording.other_day(asked, desk.request.day):
        return reply_of_lines(speak("That I tell of what you hold now, not for “{time}”.", time=span.said))
    by_security, by_industry = yield from desk.run(
        DeskCall("account.allocation", {"by": "security"}), DeskCall("account.allocation", {"by": "industry"})
    )
    if by_security.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), by_security.failure)
    held = [row for row in wording.rows_of(by_security, "shares") if row.get("kind") == "security"]
    if not held:
        return reply_of_lines(speak("Nothing is held."))
    if any(row.get("weight_pct") is None for row in held):
        total = by_security.get("total")
        missing = [str(each) for each in (total.get("missing") or ())] if isinstance(total, dict) else []
        return reply_of_lines(speak("The weights are not known: {reason}", reason=speak.join_clauses(missing) or "–"))
    code = security_table(desk.tables).expressions["volatility"].code
    looked = yield from desk.run(
        *(DeskCall("compute.run", {"code": code, "symbol": str(row["name"])}) for row in held[:SHOWN])
    )
    swings = [
        (swing * float(row["weight_pct"]), swing, row)
        for row, result in zip(held, looked, strict=False)
        if (swing := read_value(result)[0]) is not None
    ]
    limit, lines = desk.request.limits.get("position_pct"), []
    mark = wording.simulated_mark(desk, by_security.get("simulated"))
    if swings:
        _, swing, row = max(swings, key=lambda each: each[0])
        lines.append(
            speak(
                "**{name}** weighs most on your account: {weight}% of it, volatility {swing}% a year (60 days).{mark}",
                name=name_share(desk, row),
                weight=f"{float(row['weight_pct']):.2f}",
                swing=f"{swing:.1f}",
                mark=mark,
            )
        )
    first = held[0]
    given: Json = {"name": name_share(desk, first), "weight": f"{float(first['weight_pct']):.2f}"}
    over = limit is not None and float(first["weight_pct"]) > limit
    lines.append(
        speak("Largest position: {name}, {weight}% (above your limit of {limit}%).", limit=f"{limit:g}", **given)
        if over
        else speak("Largest position: {name}, {weight}%.", **given)
    )
    industries = [
        row
        for row in wording.rows_of(by_industry, "shares")
        if row.get("kind") == "industry" and row.get("name") != "unknown" and row.get("weight_pct") is not None
    ]
    if industries:
        lines.append(
            speak(
                "Largest industry: {name}, {weight}%.",
                name=name_share(desk, industries[0]),
                weight=f"{float(industries[0]['weight_pct']):.2f}",
            )
        )
    loaded = yield from desk.one("account.performance")
    for name, account in accounts_of(desk, loaded) if loaded.failure is None else ():
        down = (account.get("risk") or {}).get("max_drawdown")
        if isinstance(down, dict) and down.get("peak"):
            lines.append(
                speak("Largest drawdown so far ({name}): {fall}, {peak} – {trough}.", name=name,
                      fall=say_fraction(down.get("frac")), peak=down["peak"], trough=down.get("trough"))
            )  # fmt: skip
    lines.append(speak("Weights are of everything that you own, cash included."))
    return reply_of_lines(*lines)


ANSWERS = {
    "periods": answer_periods,
    "annual": answer_annual,
    "net_worth": answer_net_worth,
    "allocation": answer_allocation,
    "income": answer_income,
    "largest_risk": answer_largest_risk,
}
