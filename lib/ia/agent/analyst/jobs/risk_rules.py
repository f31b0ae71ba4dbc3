"""What the user's risk rules say of a security before anything is advised, with the numbers and the limits."""

from typing import Any, NamedTuple

from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.parts import in_list, part
from ia.domain.instruments.symbols import symbol_of_kind
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json

_NAMES = {
    "risk.position_pct": mark_text("position limit"), "risk.rise_pct": mark_text("rise of the day"),
    "risk.day_warning_pct": mark_text("loss of the day"),
    "risk.day_stop_pct": mark_text("loss of the day, nothing new is bought"),
    "risk.stop_loss_pct": mark_text("stop reminder"), "risk.cooling_hours": mark_text("cooling"),
}  # fmt: skip
_LOSSES = ("risk.stop_loss_pct", "risk.day_warning_pct", "risk.day_stop_pct")


class _Limits(NamedTuple):
    """The limits of the risk rules in per cent, each above 0."""

    rise_pct: float
    position_pct: float
    day_stop_pct: float
    stop_loss_pct: float


def in_force(desk: ToolDesk) -> bool:
    """Whether there are rules to look at: the prompt tells them where there is a ledger or a stored market."""
    return bool(desk.request.parts.get("risk")) and not desk.request.bars


@part("the check of the risk rules", in_list)
def check_buy(
    desk: ToolDesk,
    *codes: str,
    quantity: float | None = None,
    price: float | None = None,
    tell_permit: bool = True,
    tell_held: bool = True,
) -> Work[list[str]]:
    """Return what the rules say of a supposed buy, and what is held, in lines; [] without rules.

    An index cannot be bought: nothing is said of it.
    quantity     shares of the buy; None: as many as are usual
    price        of a share; None: the newest stored
    tell_permit  say that a buy is allowed; tell_held: say what is held
    """
    if not in_force(desk):
        return []
    size = ({"quantity": quantity} if quantity else {}) | ({"price": price} if price else {})
    codes = tuple(code for code in codes if symbol_of_kind(code).kind != "index")
    results = yield from desk.run(*(DeskCall("risk.check", {"symbol": code, **size}) for code in codes))
    return [
        line
        for code, result in zip(codes, results, strict=True)
        for line in _format_rule(desk, code, result, tell_permit, tell_held)
    ]


def _format_rule(desk: ToolDesk, code: str, result: DeskResult, tell_permit: bool, tell_held: bool) -> list[str]:
    if result.failure is None:
        return _lines(desk, code, result, tell_permit, tell_held)
    if result.missing:
        return []
    return [
        desk.speak(
            "Your rules could not be asked about {symbol}: {reason}",
            symbol=code,
            reason=describe_failure(desk.speak, result.failure),
        )
    ]


@part("the warnings of the account", in_list)
def account_warnings(desk: ToolDesk) -> Work[list[str]]:
    """Return what the account is to be warned of: positions at their stop, the loss of the day; [] without a ledger."""
    if not in_force(desk):
        return []
    status = yield from desk.one("account.status")
    warnings = status.get("warnings") if status.ok else None
    return (
        [describe_breach(desk, each) for each in warnings if isinstance(each, dict)]
        if isinstance(warnings, list)
        else []
    )


def describe_breach(desk: ToolDesk, breach: Json) -> str:
    """Return a breach with its numbers; the guard's own words where it is none of the settings, or not in Chinese.

    A position at its stop is told by its name, as its owner knows it.
    """
    told, rule = str(breach.get("message") or ""), str(breach.get("rule"))
    value, limit, symbol = breach.get("value"), breach.get("limit"), breach.get("symbol")
    if rule == "risk.stop_loss_pct" and symbol and value is not None and limit is not None:
        line = "{name}: stop-loss, down {value:.1f}% (your limit: {limit:g}%)"
        return desk.speak(line, name=wording.name_alone(desk, str(symbol), None), value=value, limit=limit)
    if rule not in _NAMES or value is None or limit is None or (desk.speak.lang == "en" and told):
        return told or rule
    head = (
        (f"{wording.spoken_security(desk, str(symbol), None)} " if symbol else "")
        + desk.speak(_NAMES[rule])
        + desk.speak(": ")
    )
    if rule == "risk.cooling_hours":
        return desk.speak(
            "{head}{value:.3g} h < {limit:g} h",
            head=head,
            value=value,
            limit=limit,
        )
    if rule in _LOSSES:
        return f"{head}-{value:.2f}% <= -{limit:g}%"
    return f"{head}{value:.1f}% > {limit:g}%"


def describe_rejection(desk: ToolDesk, made: DeskResult) -> str:
    """Return why a trade was refused, and by whom: the owner's rules, the exchange's, or what the journal holds."""
    speak = desk.speak
    rows = [each for each in made.get("rules") or [] if isinstance(each, dict)]
    if not rows:
        return speak("it does not fit the journal: {reason}", reason=made.get("reason"))
    told: dict[str, list[str]] = {}
    for row in rows:
        rule = str(row.get("rule"))
        whose = "journal" if rule in (_HELD, "account.cash") else rule.split(".")[0]
        told.setdefault(whose, []).append(str(row.get("message") or rule))
    parts = []
    for whose, each in told.items():
        reason = speak.join_clauses(each)
        parts.append(
            speak("it does not fit the journal: {reason}", reason=reason) if whose == "journal"
            else speak("the exchange's rules refuse it: {reason}", reason=reason) if whose == "exchange"
            else speak("your risk rules refuse it: {reason}", reason=reason)
        )  # fmt: skip
    return speak.join_clauses(parts)


def is_more_than_held(made: DeskResult) -> bool:
    """Whether a sale was refused because it is of more than is held."""
    return any(isinstance(row, dict) and row.get("rule") == _HELD for row in made.get("rules") or [])


_HELD = "exchange.held"


def split_refusing(breaches: list[Json]) -> tuple[list[Json], list[Json]]:
    """Return what refuses an order: the owner's rules, and those of the exchange."""
    refusing = [each for each in breaches if each.get("refuses")]
    abroad = [each for each in refusing if str(each.get("rule")).startswith("exchange.")]
    return [each for each in refusing if each not in abroad], abroad


def _lines(desk: ToolDesk, code: str, result: DeskResult, tell_permit: bool, tell_held: bool) -> list[str]:
    speak = desk.speak
    breaches = [each for each in result.get("breaches") or [] if isinstance(each, dict)]
    own, abroad = ([describe_breach(desk, each) for each in part] for part in split_refusing(breaches))
    lines = []
    if abroad:
        text = "**The exchange would not take this purchase of {symbol}**{size}: {breaches}"
        lines.append(speak(text, symbol=code, size=_size(desk, result), breaches=speak.join_clauses(abroad)))
    if own:
        line = speak(
            "**Your rules forbid buying {symbol} now**{size}: {breaches}",
            symbol=code,
            size=_size(desk, result),
            breaches=speak.join_clauses(own),
        )
        if result.get("asked") and result.get("most") and _only_too_large(breaches):
            line += speak("; ") + most_allowed(desk, result)
        lines.append(line)
    elif (
        not abroad
        and tell_permit
        and result.get("allowed")
        and (result.get("weight_pct") is not None or _account_change(result) is not None)
    ):
        lines.append(_format_permit(desk, result))
    elif not abroad and tell_permit and result.get("allowed") is None and (unknown := result.get("unknown")):
        reasons = dict.fromkeys(str(each.get("message") or "") for each in unknown if isinstance(each, dict))
        line = speak("**Not judged whether your rules allow buying {symbol}**: {reasons}", symbol=code,
                     reasons=speak.join_clauses([each for each in reasons if each]))  # fmt: skip
        lines.append(line)
    held = result.get("held")
    if isinstance(held, dict) and tell_held:
        lines.append(_held_symbols(desk, held, result))
    return lines


def _format_permit(desk: ToolDesk, result: DeskResult) -> str:
    """Return that the rules allow a purchase: each number with its limit, and what could not be checked."""
    speak, limits = desk.speak, _limits(result)
    change, weight, account = result.get("change_pct"), result.get("weight_pct"), _account_change(result)
    told = {
        speak("position limit"): weight is not None and _say_weight(desk, result),
        speak("rise of the day"): change is not None
        and speak("{value} on the day (limit {limit:g}%)", value=_percent(change), limit=limits.rise_pct),
        speak("account of the day"): account is not None
        and speak(
            "account {value} on {date} (limit -{limit:g}%)",
            value=_percent(account),
            date=result.get("day") or "–",
            limit=limits.day_stop_pct,
        ),
    }
    unknown = [name for name, line in told.items() if not line]
    checked = speak.join_items([line for line in told.values() if line])
    line = speak("**Your rules allow a purchase**: {checked}", checked=checked)
    if unknown:
        line += speak("; no figures to check: {names}", names=speak.join_items(unknown))
    return line


def _say_weight(desk: ToolDesk, result: DeskResult) -> str:
    """Return how many shares may be bought; of a size that was asked for, the weight that it makes."""
    if result.get("asked") or result.get("most") is None:
        return desk.speak(
            "weight {value} with {quantity:,.0f} shares (limit {limit:g}%)",
            value=_percent(result.get("weight_pct"), ""),
            quantity=result.get("quantity") or 0,
            limit=_limits(result).position_pct,
        )
    return most_allowed(desk, result)


def most_allowed(desk: ToolDesk, result: DeskResult) -> str:
    """Return how many shares more the position limit and the cash allow, and which of them binds."""
    told: Json = {"most": f"{result.get('most') or 0:,.0f}", "limit": f"{_limits(result).position_pct:g}"}
    if not result.get("most"):
        return (
            desk.speak("not one lot more (your cash; position limit {limit}%)", **told)
            if result.get("most_by") == "cash"
            else desk.speak("not one lot more (position limit {limit}%)", **told)
        )
    if result.get("most_by") == "cash":
        return desk.speak("at most {most} shares more (your cash; position limit {limit}%)", **told)
    return desk.speak("at most {most} shares more (position limit {limit}%)", **told)


def _only_too_large(breaches: list[Json]) -> bool:
    """Return True if a smaller purchase breaks no rule."""
    return {each.get("rule") for each in breaches if each.get("refuses")} <= {"risk.position_pct", "account.cash"}


def _account_change(result: DeskResult) -> float | None:
    """Return the change of the day of the account in the security's currency, in per cent; None where not known."""
    value = (result.get("day_pct") or {}).get(str(result.get("currency") or ""))
    return float(value) if value is not None else None


def _held_symbols(desk: ToolDesk, held: Json, result: DeskResult) -> str:
    speak, profit, stop = desk.speak, held.get("profit_pct"), _limits(result).stop_loss_pct
    line = speak(
        "held: {quantity:g}, profit {profit}, weight {weight}",
        quantity=held.get("quantity") or 0,
        profit=_percent(profit),
        weight=_percent(held.get("weight_pct"), ""),
    )
    if profit is not None and profit <= -stop:
        line += speak(
            "; stop reminder: {profit:.2f}% <= -{stop:g}%",
            profit=profit,
            stop=stop,
        )
    return line


def _limits(result: DeskResult) -> _Limits:
    limits = result.get("limits") or {}
    return _Limits(*(float(limits.get(name) or 0) for name in _Limits._fields))


def _size(desk: ToolDesk, result: DeskResult) -> str:
    quantity, amount = result.get("quantity"), result.get("amount")
    if not quantity or not amount:
        return ""
    if result.get("asked"):
        return desk.speak(" (for {quantity:,.0f} shares, {amount:,.0f})", quantity=quantity, amount=amount)
    if result.get("most") == 0:
        return desk.speak(" ({quantity:,.0f} cost {amount:,.0f})", quantity=quantity, amount=amount)
    return ""


def _percent(value: Any, sign: str = "+") -> str:
    return "–" if not isinstance(value, int | float) else f"{value:{sign}.2f}%"
