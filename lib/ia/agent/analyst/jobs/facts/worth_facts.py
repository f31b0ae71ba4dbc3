"""What the account is worth over time, day by day."""

import re
from datetime import date

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import performance_facts, wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
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


ANSWERS = {"account_curve": answer_account_curve}
