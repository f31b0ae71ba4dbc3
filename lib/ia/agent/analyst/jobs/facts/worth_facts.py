"""What the account is worth over time, day by day, and what it would be worth at another exchange rate."""

import re
from datetime import date

from ia.agent.analyst.ask.amounts import CURRENCY_WORDS
from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import performance_facts, wording
from ia.agent.analyst.jobs.facts.held import load_status
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_DAYS_TOLD, _WEEKS_TOLD = 16, 100
"""Days of a stretch that is told by day, and of one that is told by week; a longer one is told by month."""
SHOWN = 10
"""Days, weeks or months that are told one by one, the newest ones."""
_STEP = pattern(
    r"\bmy account(?: worth)? (?:\w+ )?by (?P<en>day|week|month|year|time)\b|我账户按(?P<zh>天|周|月|年|时间)的", re.I
)
_STEPS = {"天": "day", "周": "week", "月": "month", "年": "year", "时间": "time"}
_WORTH = pattern(r"资产|\bworth\b", re.I)
"""What it was worth is asked for, and not what it brought."""
_PICKED = pattern(r"(?P<best>最好|\bbest of all\b)|最差|\bworst of all\b", re.I)
"""The best or the worst of the stretches is asked for."""
_UP = pattern(r"只算赚|\bgains only\b", re.I)
_DOWN = pattern(r"只算亏|\blosses only\b", re.I)


def answer_account_curve(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with the result and the worth of the account at the end of each day, week, month or year."""
    found, speak = _STEP.search(asked.words), desk.speak
    step = (found["en"] or _STEPS[found["zh"]]).lower() if found else "time"
    if step == "time":
        step = yield from _choose_step(desk, asked)
    loaded = yield from performance_facts.load_performance(desk, asked, by=step)
    if isinstance(loaded, Reply):
        return loaded
    result, _ = loaded
    accounts = performance_facts.accounts_of(desk, result, asked.words)
    name, account = accounts[-1]  # all in one currency, or the account that is named
    currency, worth = str(account.get("currency") or ""), _WORTH.search(asked.words) is not None
    sign = 1 if _UP.search(asked.words) else -1 if _DOWN.search(asked.words) else 0
    rows = [row for row in wording.rows_of(account.get("periods")) if row.get("equity_after") is not None]
    rows = [row for row in rows if not sign or float(row.get("result") or 0) * sign > 0]
    if not rows:
        return reply_of_lines(speak("On none of those days did the account change."))
    mark = wording.simulated_mark(desk, result.get("simulated"))
    whole = sum(float(row.get("result") or 0) for row in rows) if sign else float(account.get("result") or 0)
    given: Json = {
        "name": name, "first": account.get("first"), "last": account.get("last"), "mark": mark,
        "money": wording.say_exact(desk, whole, signed=True, currency=currency),
        "before": wording.say_exact(desk, rows[0].get("equity_before"), currency=currency),
        "after": wording.say_exact(desk, rows[-1].get("equity_after"), currency=currency),
    }  # fmt: skip
    lines = [
        speak("**{name}** {first} – {last}: {after} at the end.{mark}", **given)
        if worth
        else speak("**{name}** {first} – {last}: **{money}** together.{mark}", **given)
    ]
    if pick := _PICKED.search(asked.words):
        known = [row for row in rows if row.get("twr_frac") is not None]
        chosen = (max if pick["best"] else min)(known or rows, key=lambda row: float(row.get("twr_frac") or 0))
        lines.insert(0, _say_step(desk, chosen, step, currency, worth=worth).removeprefix("- "))
    for row in reversed(rows[-SHOWN:]):
        lines.append(_say_step(desk, row, step, currency, worth=worth))
    if len(rows) > SHOWN:
        earlier = PluralText("… {count} earlier one", "… {count} earlier ones")
        lines.append(speak(earlier, count=len(rows) - SHOWN))
    return reply_of_lines(*lines)


def _choose_step(desk: ToolDesk, asked: FactQuestion) -> Work[str]:
    """Return the stretches that a time is told in: days of some weeks, weeks of some months, else months."""
    loaded = yield from performance_facts.load_performance(desk, asked)
    if isinstance(loaded, Reply):
        return "month"
    total = performance_facts.accounts_of(desk, loaded[0])[-1][1]
    first, last = (date.fromisoformat(str(total.get(end))) for end in ("first", "last"))
    return "day" if (last - first).days <= _DAYS_TOLD else "week" if (last - first).days <= _WEEKS_TOLD else "month"


def _say_step(desk: ToolDesk, row: Json, step: str, currency: str, *, worth: bool) -> str:
    """Return a line with what one stretch brought and what the account was worth at its end."""
    day = str(row.get("last"))
    label = day[:7] if step == "month" else day[:4] if step == "year" else day
    if step == "week":
        label = f"{row.get('first')} – {day}"
    money = wording.say_exact(desk, row.get("result") or 0, signed=True, currency=currency)
    rate = performance_facts.say_fraction(row.get("twr_frac"))
    value = wording.say_exact(desk, row.get("equity_after"), currency=currency)
    given: Json = {"label": label, "money": money, "rate": rate, "value": value}
    if worth:
        return desk.speak("- {label}: **{value}** ({money}, {rate})", **given)
    return desk.speak("- {label}: **{money}** ({rate}), then {value}", **given)


_MOVE = pattern(
    r"(?P<up>升值?|涨|走强|(?:\b(?:up|ris\w+|rose|gain\w*|strengthen\w*|appreciat\w+|climb\w*|stronger)\b))"
    r"|(?P<down>贬值?|跌|降|走弱|(?:\b(?:down|fall\w*|fell|los\w+|lost|drop\w*|weaken\w*|depreciat\w+|weaker|slid\w*)\b))",
    re.I,
)
_PART = pattern(rf"(?P<n>{COUNT}|\d+(?:\.\d+)?)\s*(?:个?百分点|个点|[%％]|per ?cent\b|pct\b)", re.I)
_LEVEL = pattern(
    r"(?:到|至|变成|是|为|\b(?:to|at|were|was|hits?|reaches)\b)\s*(?P<n>\d+(?:\.\d+)?)(?![\d.]*\s*[%％])", re.I
)


def answer_rate_supposed(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what everything would be worth if an exchange rate moved by so much, or to so much."""
    speak, words = desk.speak, asked.words
    named = sorted((found.start(), code) for code, form in CURRENCY_WORDS for found in form.finditer(words))
    codes = list(dict.fromkeys(code for _, code in named))
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    total, books = status.get("total"), wording.objects_of(status, "currencies")
    if not isinstance(total, dict) or total.get("equity") is None or not codes:
        return reply_of_lines(speak("A price or an exchange rate is missing, so I do not part the two."))
    base = str(total.get("currency"))
    rates = {str(row["currency"]): float(row["rate"]) for row in wording.rows_of(total.get("rates"))}
    move, part, level = _MOVE.search(words), _PART.search(words), _LEVEL.search(words)
    foreign = [code for code in codes if code != base] or list(rates)
    size = parse_count(part["n"].casefold()) if part else None
    if asked.spans or any(code not in rates for code in foreign) or not ((move and size) or (level and not part)):
        return wording.ask_back(desk, asked.unread or (asked.words.strip(),))
    moved, lines = 0.0, list[str]()
    for code in foreign:
        new = float(level["n"]) if size is None and level else rates[code]
        if size is not None and move is not None:
            up = (move["up"] is not None) == (codes[0] != base)
            new = rates[code] * (1 + (size if up else -size) / 100)
        change = float(books[code].get("equity") or 0) * (new - rates[code])
        moved += change
        lines.append(
            speak("1 {currency} = {new} instead of {old} {base}: {change} on {equity}.", currency=code, base=base,
                  new=f"{new:.6g}", old=f"{rates[code]:.6g}", equity=wording.say_exact(
                      desk, books[code].get("equity"), currency=code),
                  change=wording.say_exact(desk, change, signed=True, currency=base))
        )  # fmt: skip
    equity = float(total["equity"])
    head = speak(
        "Everything would be worth **{worth}**, **{change}** ({rate}), at today's prices.{mark}",
        worth=wording.say_exact(desk, equity + moved, currency=base),
        change=wording.say_exact(desk, moved, signed=True, currency=base),
        rate=wording.say_percent(moved / equity * 100 if equity else 0.0),
        mark=wording.simulated_mark(desk, status.get("simulated")),
    )
    return reply_of_lines(head, *lines)


ANSWERS = {"account_curve": answer_account_curve, "rate_supposed": answer_rate_supposed}
