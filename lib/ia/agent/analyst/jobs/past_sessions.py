"""A session of an agent backtest: hold what the evidence speaks for, sell what it speaks against, write down why."""

import math
from typing import Any

from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.evidence.lens import lenses_at
from ia.agent.analyst.evidence.readings import INDEX, VALUATION, key, readings_at
from ia.agent.analyst.evidence.tool_answers import read_value
from ia.agent.analyst.evidence.verdict import Verdict, weigh_evidence
from ia.agent.analyst.jobs.daily import positions_of
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.prompt_format import PAST_HEADS, PAST_SESSION
from ia.kernel.jsontypes import Json

ROOM = 0.95
"""Of the position limit, how much is used: the open may lie above the close."""
LESSONS = 20
"""Lessons that the playbook holds at most."""


def live_session(desk: ToolDesk) -> Work[Reply]:
    """Decide what to order after a session, or review a week or a month."""
    figures = desk.request.figures
    if figures.get("kind") in ("week", "month"):
        return (yield from _review_span(desk, figures))
    symbols = figures.get("symbols")
    symbols = symbols if isinstance(symbols, dict) else {}
    status = yield from desk.one("account.status")
    held = dict(positions_of(status))
    verdicts = yield from _judge(desk, symbols)
    calls = [call for name in symbols for call in _order_for(desk, name, symbols[name], verdicts.get(name), status)]
    results = yield from desk.run(*calls)
    lines = [_describe_order(desk, call, result) for call, result in zip(calls, results, strict=True)]
    if figures.get("moments"):
        yield from _keep_notes(desk, figures, held, verdicts, lines)
    speak = desk.speak
    return reply_of_lines(
        *(lines or [speak("No order: nothing held speaks against itself, and nothing new speaks up.")])
    )


def _judge(desk: ToolDesk, symbols: Json) -> Work[dict[str, Verdict]]:
    """Return the verdict on each security, from the readings of bars alone."""
    lens = lenses_at(desk.tables).neutral
    readings = readings_at(desk.tables).of_views(lens.order)
    codes = {key(each.code): each.code for each in readings if each.code and not each.code.startswith(_ELSEWHERE)}
    verdicts = {}
    for name, about in symbols.items():
        calls = [DeskCall("compute.run", {"code": code, "symbol": name}) for code in codes.values()]
        results = yield from desk.run(*calls)
        values = {code: read_value(result) for code, result in zip(codes, results, strict=True)}
        rows = int(about.get("rows") or 0)
        simulated = bool(desk.request.figures.get("simulated"))
        verdicts[name] = weigh_evidence(values, lens, [], rows, simulated, desk.tables)
    return verdicts


_ELSEWHERE = (INDEX, VALUATION)
"""What needs an index or reports, which a run does not have."""


def _order_for(desk: ToolDesk, name: str, about: Json, verdict: Verdict | None, status: DeskResult) -> list[DeskCall]:
    """Return the order that a verdict leads to: sell what leans down or is at its stop, buy what leans up."""
    position = dict(positions_of(status)).get(name)
    speak = desk.speak
    if verdict is None:
        return []
    why = verdict.describe_lean(speak)
    if position is not None:
        loss = _loss_pct(position)
        stop = desk.request.limits.get("stop_loss_pct", 7.0)
        if loss >= stop:
            why = speak("stop-loss: {loss}% >= {limit}%", loss=f"{loss:.1f}", limit=f"{stop:g}")
        elif verdict.lean >= 0:
            return []
        return [DeskCall("trade.execute", {"action": "close", "symbol": name, "reason": why})]
    pending = {str(order.get("symbol")) for order in status.get("pending_orders") or []}
    if verdict.lean <= 0 or name in pending or name not in (desk.request.figures.get("traded") or []):
        return []
    shares = _shares(desk, name, about, status)
    if not shares:
        return []
    args = {"action": "buy", "symbol": name, "quantity": shares, "reason": why}
    return [DeskCall("trade.execute", args)]


def _shares(desk: ToolDesk, name: str, about: Json, status: DeskResult) -> int:
    """Return how many shares fit into an equal part of the money and the position limit, in whole lots."""
    count = max(len(desk.request.figures.get("symbols") or {}), 1)
    equity, cash = (float(status.get(field) or 0) for field in ("equity", "cash"))
    limit = desk.request.limits.get("position_pct", 20.0) / 100
    budget = min(equity * min(limit, 1 / count), cash) * ROOM
    price = _closes(desk).get(name, 0.0)
    lot, least = (int(about.get(field) or 1) for field in ("lot", "least"))
    shares = math.floor(budget / price / lot) * lot if price > 0 else 0
    return shares if shares >= least else 0


def _closes(desk: ToolDesk) -> dict[str, float]:
    found = desk.request.figures.get("closes")
    return {name: float(price) for name, price in found.items()} if isinstance(found, dict) else {}


def _loss_pct(position: Json) -> float:
    average, price = position.get("avg_price"), position.get("current_price")
    if not isinstance(average, int | float) or not isinstance(price, int | float) or average <= 0:
        return 0.0
    return (1 - price / average) * 100


def _describe_order(desk: ToolDesk, call: DeskCall, result: DeskResult) -> str:
    speak, args = desk.speak, call.args
    if args["action"] == "buy":
        what = speak("buy {quantity} {symbol}", quantity=args["quantity"], symbol=args["symbol"])
    else:
        what = speak("sell all {symbol}", symbol=args["symbol"])
    if result.get("status") == "submitted":
        return speak("Order: {what}, because {why}.", what=what, why=args["reason"])
    reason = result.get("reason") or (result.failure.sentence if result.failure else "")
    return speak("Rejected: {what}: {why}.", what=what, why=reason)


def _keep_notes(
    desk: ToolDesk, figures: Json, held: dict[str, Json], verdicts: dict[str, Verdict], lines: list[str]
) -> Work[None]:
    """Do what the moments of the session ask for: the journal, notes of positions, a lesson for the playbook."""
    speak = desk.speak
    leans = [f"{name} {each.score:+.2f}" for name, each in verdicts.items()]
    review = [*lines, speak("Scores: {scores}.", scores=speak.join_items(leans))] if leans else lines
    calls = [DeskCall("memory.log", {"content": "\n".join(review or [speak("Nothing to record.")])})]
    closed: Json = figures.get("closed") or {}
    for fill in figures.get("fills") or []:
        name = str(fill.get("symbol"))
        if name in closed:
            text = speak("{symbol}: closed @{price}, result {result}.", symbol=name, price=fill.get("price"),
                         result=f"{closed[name]:+,.2f}")  # fmt: skip
        else:
            size = held.get(name, {}).get("size")
            text = speak("{symbol}: {quantity} shares, last fill @{price} on {day}.", symbol=name, quantity=size,
                         price=fill.get("price"), day=desk.request.day)  # fmt: skip
        calls.append(DeskCall("memory.note", {"key": f"position_{name}", "content": text}))
    if losses := {name: result for name, result in closed.items() if result < 0}:
        calls.append(DeskCall("memory.note", {"key": "playbook", "content": _add_lessons(desk, losses)}))
    yield from desk.run(*calls)


def _add_lessons(desk: ToolDesk, losses: dict[str, float]) -> str:
    """Return the playbook with a lesson for each loss, the newest ones alone where there are many."""
    speak, playbook = desk.speak, desk.request.sections.get(PAST_HEADS[0], "").strip()
    head = speak("## Lessons")
    rules, _, lessons = playbook.partition(f"\n{head}\n")
    known = [line for line in lessons.splitlines() if line.startswith("- ")]
    known += [
        speak("- [{month}] {symbol} lost {loss}: the evidence turned after the purchase.",
              month=desk.request.day[:7], symbol=name, loss=f"{-result:,.2f}")
        for name, result in losses.items()
    ]  # fmt: skip
    return "\n".join([rules.rstrip(), "", head, *known[-LESSONS:]])


def _review_span(desk: ToolDesk, figures: Json) -> Work[Reply]:
    """Write the review of a week or a month."""
    speak = desk.speak
    status = yield from desk.one("account.status")
    told: dict[str, Any] = {name: figures.get(name) for name in ("from", "to", "return_pct", "bought", "sold")}
    text = speak(
        "{start} to {end}: {change}%; purchases: {bought}, sales: {sold}; drawdown {drawdown}%; held: {held}.",
        start=told["from"],
        end=told["to"],
        change=told["return_pct"],
        bought=told["bought"],
        sold=told["sold"],
        drawdown=f"{float(status.get('max_drawdown') or 0) * 100:.1f}",
        held=speak.join_items([name for name, _ in positions_of(status)]) or speak("nothing"),
    )
    yield from desk.one("memory.note", key=str(figures.get("key")), content=text)
    return reply_of_lines(text)


EVENTS = {PAST_SESSION: live_session}
"""What stands behind 【事件】 -> the work that it means."""
