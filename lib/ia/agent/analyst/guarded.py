"""What the user's risk rules say of a security before anything is advised, with the numbers and the limits."""

from typing import Any, NamedTuple

from ia.agent.analyst import reply
from ia.agent.analyst.desk import Call, Desk, Result, Work
from ia.agent.analyst.parts import in_list, part

_NAMES = {
    "risk.position_pct": ("仓位超限", "position limit"), "risk.rise_pct": ("不追涨，当日涨幅", "rise of the day"),
    "risk.day_warning_pct": ("单日亏损报警", "loss of the day"),
    "risk.day_stop_pct": ("单日亏损，禁止新开仓", "loss of the day, nothing new is bought"),
    "risk.stop_loss_pct": ("止损提醒", "stop reminder"), "risk.cooling_hours": ("操作冷却", "cooling"),
}  # fmt: skip
_LOSSES = ("risk.stop_loss_pct", "risk.day_warning_pct", "risk.day_stop_pct")


class _Limits(NamedTuple):
    """The limits of the risk rules in per cent, each above 0."""

    rise_pct: float
    position_pct: float
    day_stop_pct: float
    stop_loss_pct: float


def in_force(desk: Desk) -> bool:
    """Whether there are rules to look at: the prompt tells them where there is a ledger or a stored market."""
    return bool(desk.request.parts.get("risk")) and not desk.request.bars


@part("风控规则的核对", "the check of the risk rules", in_list)
def checked(desk: Desk, *codes: str, quantity: int | None = None) -> Work[list[str]]:
    """Return what the rules say of a supposed buy, and what is held, in lines; [] without rules.

    quantity    shares of the buy; None: as many as are usual
    """
    if not in_force(desk):
        return []
    size = {"quantity": quantity} if quantity else {}
    results = yield from desk.run(*(Call("risk.check", {"symbol": code, **size}) for code in codes))
    return [line for code, result in zip(codes, results, strict=True) for line in _told(desk, code, result)]


def _told(desk: Desk, code: str, result: Result) -> list[str]:
    if result.failure is None:
        return _lines(desk, code, result)
    if result.missing:
        return []
    return [
        desk.speak(
            "**风控** {symbol} 没有核对：{reason}",
            "**Risk rules** {symbol}: not checked: {reason}",
            symbol=code,
            reason=reply.describe_failure(desk.speak, result.failure),
        )
    ]


@part("账户的风控提醒", "the warnings of the account", in_list)
def losing(desk: Desk) -> Work[list[str]]:
    """Return what the account is to be warned of: positions at their stop, the loss of the day; [] without a ledger."""
    if not in_force(desk):
        return []
    status = yield from desk.one("account.status")
    warnings = status.get("warnings") if status.ok else None
    return [said(desk, each) for each in warnings if isinstance(each, dict)] if isinstance(warnings, list) else []


def said(desk: Desk, breach: dict[str, Any]) -> str:
    """Return a breach with its numbers; the guard's own words where it is none of the settings, or not in Chinese."""
    told, rule = str(breach.get("message") or ""), str(breach.get("rule"))
    value, limit = breach.get("value"), breach.get("limit")
    if rule not in _NAMES or value is None or limit is None or (desk.speak.lang == "en" and told):
        return told or rule
    symbol = breach.get("symbol")
    head = (f"{symbol} " if symbol else "") + desk.speak(*_NAMES[rule]) + desk.speak("：", ": ")
    if rule == "risk.cooling_hours":
        return desk.speak(
            "{head}{value:.3g} 小时 < {limit:g} 小时",
            "{head}{value:.3g} h < {limit:g} h",
            head=head,
            value=value,
            limit=limit,
        )
    if rule in _LOSSES:
        return f"{head}-{value:.2f}% <= -{limit:g}%"
    return f"{head}{value:.1f}% > {limit:g}%"


def _lines(desk: Desk, code: str, result: Result) -> list[str]:
    speak = desk.speak
    breaches = [each for each in result.get("breaches") or [] if isinstance(each, dict)]
    refusing = [said(desk, each) for each in breaches if each.get("refuses")]
    lines = []
    if refusing:
        lines.append(
            speak(
                "**风控** {symbol} 现在不建议买入{size}：{breaches}",
                "**Risk rules** {symbol}: no buy now{size}: {breaches}",
                symbol=code,
                size=_size(desk, result),
                breaches=speak.listed(refusing),
            )
        )
    elif result.get("allowed"):
        limits = _limits(result)
        lines.append(
            speak(
                "**风控** {symbol} 没有触线{size}：当日 {change}（限 {rise_limit:g}%），仓位 {weight}（限"
                " {position_limit:g}%），账户今日 {day}（限 -{loss_limit:g}%）",
                "**Risk rules** {symbol}: no limit is breached{size}: {change} on the day (limit {rise_limit:g}%),"
                " position {weight} (limit {position_limit:g}%), account {day} today (limit -{loss_limit:g}%)",
                symbol=code,
                size=_size(desk, result),
                change=_percent(result.get("change_pct")),
                rise_limit=limits.rise_pct,
                weight=_percent(result.get("weight_pct"), ""),
                position_limit=limits.position_pct,
                day=_day(desk, result),
                loss_limit=limits.day_stop_pct,
            )
        )
    held = result.get("held")
    if isinstance(held, dict):
        lines.append(_held(desk, held, result))
    return lines


def _held(desk: Desk, held: dict[str, Any], result: Result) -> str:
    speak, profit, stop = desk.speak, held.get("profit_pct"), _limits(result).stop_loss_pct
    line = speak(
        "持有 {quantity:g} 股，浮动 {profit}，仓位 {weight}",
        "held: {quantity:g} shares, profit {profit}, weight {weight}",
        quantity=held.get("quantity") or 0,
        profit=_percent(profit),
        weight=_percent(held.get("weight_pct"), ""),
    )
    if profit is not None and profit <= -stop:
        line += speak(
            "；止损提醒：{profit:.2f}% <= -{stop:g}%",
            "; stop reminder: {profit:.2f}% <= -{stop:g}%",
            profit=profit,
            stop=stop,
        )
    return line


def _limits(result: Result) -> _Limits:
    limits = result.get("limits") or {}
    return _Limits(*(float(limits.get(name) or 0) for name in _Limits._fields))


def _size(desk: Desk, result: Result) -> str:
    quantity, amount = result.get("quantity"), result.get("amount")
    if not quantity or not amount:
        return ""
    return desk.speak(
        "（按 {quantity:,.0f} 股、{amount:,.0f} 元估）",
        " (for {quantity:,.0f} shares, {amount:,.0f})",
        quantity=quantity,
        amount=amount,
    )


def _day(desk: Desk, result: Result) -> str:
    known = [value for value in (result.get("day_pct") or {}).values() if value is not None]
    return _percent(min(known)) if known else desk.speak("未知", "unknown")


def _percent(value: Any, sign: str = "+") -> str:
    return "–" if not isinstance(value, int | float) else f"{value:{sign}.2f}%"
