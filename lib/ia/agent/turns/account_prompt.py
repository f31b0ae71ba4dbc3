"""The account paragraph of a prompt: the risk rules in force with their numbers, and how the account stands.

There is nothing to tell, and nothing is opened for it, where neither a trade was entered nor a market stored.
"""

import sqlite3
from typing import TYPE_CHECKING

from ia.agent.prompt_format import format_limits
from ia.domain.instruments.symbols import security_name
from ia.faculties.skills import templates
from ia.kernel.errors import IaError, Notify, drop_message
from ia.kernel.i18n import Voice
from ia.kernel.untrusted import plain_name
from ia.kernel.workspace import Workspace
from ia.organs import marketdb

if TYPE_CHECKING:
    from decimal import Decimal

    from ia.organs.ledger.guard import RiskLimits
    from ia.organs.ledger.whatif import AccountStanding

RULES = ("research", "risk")
"""Skill and name of the template that words the risk rules; ia.organs.ledger.guard enforces them whatever it says."""
MOST = 10
"""Positions and cooling securities that are told of, at most."""


def write_account_prompt(ws: Workspace, lang: str, notify: Notify = drop_message, *, rules_only: bool = False) -> str:
    """Return the risk rules in force and how things stand, in a few lines; "" without a ledger and a stored market.

    rules_only  without how things stand, for a reader that asks the account for itself
    """
    from ia.organs.ledger import journal

    entered = journal.has_entries(ws.db)
    day = None if rules_only and entered else _find_market_day(ws)
    if not entered and day is None:
        return ""
    from ia.organs.ledger import guard

    try:
        limits = guard.load_limits()
        now = _format_standing(_assess_account(ws), lang) if entered and not rules_only else []
        rules = [_format_rules(ws, limits, lang, notify), format_limits(guard.limits_document(limits))]
        return "\n".join([*rules, *_format_market_date(day, lang), *now])
    except (IaError, sqlite3.Error) as exc:
        return Voice(lang)("the ledger or the risk settings cannot be read") + f": {exc}"


def _assess_account(ws: Workspace) -> "AccountStanding":
    from ia.organs.ledger.whatif import assess_account
    from ia.wiring.ledger_prices import open_ledger

    return assess_account(open_ledger(ws))


def reader_name(symbol: str, name: object, lang: str) -> str:
    """Return the name of a security for a reader of the language, made plain: in English the English one, if known."""
    known = security_name(symbol, None, lang)
    return plain_name(known, 40) if known else plain_name(name)


def format_number(value: "Decimal") -> str:
    """Return a number as people write it: 5, 7.5."""
    return f"{value.normalize():f}"


def _find_market_day(ws: Workspace) -> tuple[str, bool] | None:
    """Return the newest stored day of the whole market that may be seen, and whether it is simulated; None: none is.

    Cheap: nothing is opened where no market was ever stored.
    """
    if not marketdb.is_stored(ws):
        return None
    from ia.organs.market.market_reader import load_day, open_market

    try:
        with open_market(ws) as db:
            day = load_day(db)
            return day.date, day.simulated
    except (IaError, sqlite3.Error):
        return None


def _format_rules(ws: Workspace, limits: "RiskLimits", lang: str, notify: Notify) -> str:
    fields = {
        name: format_number(limit)
        for name, limit in {
            "position": limits.position_pct,
            "rise": limits.rise_pct,
            "stop": limits.stop_loss_pct,
            "warning": limits.day_warning_pct,
            "halt": limits.day_stop_pct,
            "hours": limits.cooling_hours,
        }.items()
    }
    return templates.fill_prompt(ws, *RULES, fields, lang=lang, notify=notify)


def _format_market_date(day: tuple[str, bool] | None, lang: str) -> list[str]:
    """Return up to when the market is stored.

    The time itself stands in each prompt: a system prompt that changed with every second would never be cached.
    """
    if day is None:
        return []
    voice, (date, simulated) = Voice(lang), day
    if simulated:
        return [voice("The market is stored up to {day} (simulated)", day=date)]
    return [voice("The market is stored up to {day}", day=date)]


def _format_standing(stand: "AccountStanding", lang: str) -> list[str]:
    """Return a line for each currency, and for what is beyond a limit or cooling."""
    told = [_format_currency_account(stand, currency, lang) for currency in sorted(stand.account.purses)]
    lines = [f"- {line}" for line in (*told, *describe_breaches(stand, lang))]
    voice = Voice(lang)
    lines += [
        f"- {voice('{symbol}: cooling until {time}', symbol=symbol, time=until)}"
        for symbol, until in stand.cooling[:MOST]
    ]
    return lines


def describe_breaches(stand: "AccountStanding", lang: str) -> list[str]:
    """Return what positions are beyond a limit, a line each."""
    limits, lines, voice = stand.limits, [], Voice(lang)
    most, stop = format_number(limits.position_pct), format_number(limits.stop_loss_pct)
    for each in stand.account.positions[: 5 * MOST]:
        name = f"{reader_name(each.symbol, each.name, lang)} {each.symbol.rpartition('.')[0]}".lstrip()
        weight = each.limit_weight
        if weight is not None and weight > limits.position_pct:
            lines.append(voice("{name}: position limit: {weight:.1f}% > {most}%", name=name, weight=weight, most=most))
        if each.unrealized_pct is not None and each.unrealized_pct <= -limits.stop_loss_pct:
            loss = each.unrealized_pct
            lines.append(voice("{name}: stop reminder: {loss:+.2f}% <= -{stop}%", name=name, loss=loss, stop=stop))
    return lines


def describe_day_breaches(stand: "AccountStanding", lang: str) -> list[str]:
    """Return the lines of currencies whose loss of the day is beyond a limit."""
    lost = [
        each for each in sorted(stand.account.purses) if describe_day_loss(stand.day_pct.get(each), stand.limits, lang)
    ]
    return [_format_currency_account(stand, currency, lang) for currency in lost]


def _format_currency_account(stand: "AccountStanding", currency: str, lang: str) -> str:
    equity, pct = stand.account.purses[currency].equity, stand.day_pct.get(currency)
    voice = Voice(lang)
    worth = voice("unknown") if equity is None else f"{equity:,.2f}"
    today = voice("unknown") if pct is None else f"{pct:+.2f}%"
    line = voice("{currency}: equity {worth}, today {today}", currency=currency, worth=worth, today=today)
    return line + describe_day_loss(pct, stand.limits, lang)


def describe_day_loss(pct: "Decimal | None", limits: "RiskLimits", lang: str) -> str:
    """Return what a day's gain in per cent means under the rules, with its limit; "" where it means nothing."""
    if pct is None or pct > -limits.day_warning_pct:
        return ""
    if pct <= -limits.day_stop_pct:
        halt = format_number(limits.day_stop_pct)
        return Voice(lang)("; {pct:.2f}% <= -{halt}%: nothing new is bought", pct=pct, halt=halt)
    warning = format_number(limits.day_warning_pct)
    return Voice(lang)("; {pct:.2f}% <= -{warning}%: warning", pct=pct, warning=warning)
