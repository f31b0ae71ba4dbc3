"""The account paragraph of a prompt: the risk rules in force with their numbers, and how the account stands.

There is nothing to tell, and nothing is opened for it, where neither a trade was entered nor a market stored.
"""

import sqlite3
from typing import TYPE_CHECKING

from ia.agent.prompt_format import format_limits
from ia.kernel.errors import IaError
from ia.kernel.outside import plain_name
from ia.kernel.workspace import Workspace
from ia.organs import marketdb

if TYPE_CHECKING:
    from decimal import Decimal

    from ia.organs.ledger.guard import Limits
    from ia.organs.ledger.whatif import Standing

MOST = 10
"""Positions and cooling securities that are told of, at most."""


def write_account_prompt(ws: Workspace, lang: str) -> str:
    """Return the risk rules in force and how things stand, in a few lines; "" without a ledger and a stored market."""
    from ia.organs.ledger import journal

    entered, day = journal.has_entries(ws.db), _market_day(ws)
    if not entered and day is None:
        return ""
    from ia.organs.ledger import guard
    from ia.organs.ledger.whatif import assess_account
    from ia.wiring.ledger_prices import open_ledger

    try:
        limits = guard.configured()
        now = _now(assess_account(open_ledger(ws)), lang) if entered else []
        rules = [*_rules(limits, lang), format_limits(guard.limits_document(limits))]
        return "\n".join([*rules, *_seen(day, lang), *now])
    except (IaError, sqlite3.Error) as exc:
        return f"{_say(lang, '账本或风控设置读不出来', 'the ledger or the risk settings cannot be read')}: {exc}"


def format_number(value: "Decimal") -> str:
    """Return a number as people write it: 5, 7.5."""
    return f"{value.normalize():f}"


def _market_day(ws: Workspace) -> tuple[str, bool] | None:
    """Return the newest stored day of the whole market that may be seen, and whether it is simulated; None: none is.

    Cheap: nothing is opened where no market was ever stored.
    """
    if not marketdb.is_stored(ws):
        return None
    from ia.organs.market.reading import latest, opened

    try:
        with opened(ws) as db:
            day = latest(db)
            return day.date, day.simulated
    except (IaError, sqlite3.Error):
        return None


def _say(lang: str, zh: str, en: str) -> str:
    return zh if lang == "zh" else en


def _rules(limits: "Limits", lang: str) -> list[str]:
    position, rise, stop = map(format_number, (limits.position_pct, limits.rise_pct, limits.stop_loss_pct))
    warning, halt, hours = map(format_number, (limits.day_warning_pct, limits.day_stop_pct, limits.cooling_hours))
    if lang == "zh":
        return [
            "【重要规则】",
            "1. 每次回答必须基于数据和逻辑",
            f"2. 不推荐买入当前涨幅超过 {rise}% 的股票",
            f"3. 建议仓位不超过 {position}% 单只股票",
            f"4. 止损线为 -{stop}%",
            f"5. 账户单日亏损 -{warning}% 报警，-{halt}% 禁止新开仓；同一股票 {hours} 小时内不重复操作",
            "6. 给出买卖建议前先查 risk.check，触线的写明数字和限值；所有分析标注当前时间",
        ]
    return [
        "Important rules:",
        "1. Every answer rests on data and logic",
        f"2. Do not recommend buying what is up more than {rise}% on the day",
        f"3. Advise no position above {position}% in one security",
        f"4. The stop-loss line is -{stop}%",
        f"5. A day's loss of -{warning}% is warned of, from -{halt}% on nothing new is bought; no second trade in one"
        f" security within {hours} hours",
        "6. Before advice to buy or sell call risk.check and name number and limit of what is breached; every analysis"
        " names the time",
    ]


def _seen(day: tuple[str, bool] | None, lang: str) -> list[str]:
    """Return up to when the market is stored.

    The time itself stands in each prompt: a system prompt that changed with every second would never be cached.
    """
    if day is None:
        return []
    made = _say(lang, "（模拟行情）", " (simulated)") if day[1] else ""
    return [_say(lang, f"全市场行情到 {day[0]}{made}", f"The market is stored up to {day[0]}{made}")]


def _now(stand: "Standing", lang: str) -> list[str]:
    """Return a line for each currency, and for what is beyond a limit or cooling."""
    told = [_purse(stand, currency, lang) for currency in sorted(stand.account.purses)]
    lines = [f"- {line}" for line in (*told, *describe_breaches(stand, lang))]
    lines += [f"- {symbol}: {_say(lang, '冷却到', 'cooling until')} {until}" for symbol, until in stand.cooling[:MOST]]
    return lines


def describe_breaches(stand: "Standing", lang: str) -> list[str]:
    """Return what positions are beyond a limit, a line each."""
    limits, lines = stand.limits, []
    most, stop = format_number(limits.position_pct), format_number(limits.stop_loss_pct)
    for each in stand.account.positions[: 5 * MOST]:
        name = f"{each.symbol} {plain_name(each.name)}".rstrip()
        if each.weight is not None and each.weight > limits.position_pct:
            lines.append(f"{name}: {_say(lang, '仓位超限', 'position limit')}: {each.weight:.1f}% > {most}%")
        if each.unrealized_pct is not None and each.unrealized_pct <= -limits.stop_loss_pct:
            lines.append(f"{name}: {_say(lang, '止损提醒', 'stop reminder')}: {each.unrealized_pct:+.2f}% <= -{stop}%")
    return lines


def describe_day_breaches(stand: "Standing", lang: str) -> list[str]:
    """Return the lines of currencies whose loss of the day is beyond a limit."""
    lost = [each for each in sorted(stand.account.purses) if day_line(stand.day_pct.get(each), stand.limits, lang)]
    return [_purse(stand, currency, lang) for currency in lost]


def _purse(stand: "Standing", currency: str, lang: str) -> str:
    equity, pct = stand.account.purses[currency].equity, stand.day_pct.get(currency)
    unknown = _say(lang, "未知", "unknown")
    worth = unknown if equity is None else f"{equity:,.2f}"
    today = unknown if pct is None else f"{pct:+.2f}%"
    line = _say(lang, f"{currency} 权益 {worth}，今日 {today}", f"{currency}: equity {worth}, today {today}")
    return line + day_line(pct, stand.limits, lang)


def day_line(pct: "Decimal | None", limits: "Limits", lang: str) -> str:
    """Return what a day's gain in per cent means under the rules, with its limit; "" where it means nothing."""
    if pct is None or pct > -limits.day_warning_pct:
        return ""
    if pct <= -limits.day_stop_pct:
        halt = format_number(limits.day_stop_pct)
        return _say(lang, f"，{pct:.2f}% <= -{halt}%：禁止新开仓", f"; {pct:.2f}% <= -{halt}%: nothing new is bought")
    warning = format_number(limits.day_warning_pct)
    return _say(lang, f"，{pct:.2f}% <= -{warning}%：报警", f"; {pct:.2f}% <= -{warning}%: warning")
