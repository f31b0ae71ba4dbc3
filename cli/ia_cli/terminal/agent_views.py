"""What a person reads of an agent's run."""

from collections.abc import Iterator

import click

from ia.kernel.jsontypes import Json
from ia_cli.terminal.text import say, tr


def print_agent_run(run: str, result: Json, group: Json | None = None) -> None:
    """Print the result of an agent's run, or how far it got; `group`: the comparison with those that belong to it."""
    for line in _summary(run, result, group or {}) if result.get("status") == "done" else _progress(run, result):
        click.echo(line)


def _progress(run: str, result: Json) -> Iterator[str]:
    told = say("{run}: {sessions} of {of} sessions", run=run, sessions=result.get("sessions"), of=result.get("of"))
    yield told + _mark(result)
    if result.get("reason"):
        yield f"  {result['reason']}"
    yield "  " + say("continue with `ia backtest resume {resume}`", resume=run)


def _summary(run: str, result: Json, group: Json) -> Iterator[str]:
    head = f"{run}  {result['model']}  {result['start']} – {result['end']}  {result['sessions']} " + tr("sessions")
    yield head + _mark(result)
    for part in result["parts"]:
        head = {"before": tr("before the cutoff"), "after": tr("after the cutoff"), "all": tr("result")}[part["part"]]
        note = f" ({part['note']})" if part["note"] else ""
        yield f"\n{head}{note}  {part['start']} – {part['end']}"
        random = part["random_agents"]
        rows = [
            (tr("percentile among random agents"), _number(random["percentile_pct"], 1)),
            (tr("return"), _percent(part["return_frac"])),
            (tr("random agents, median"), _percent(random["median_return_frac"])),
            (tr("buy and hold"), _percent(part["buy_and_hold"]["return_frac"])),
            (tr("equal weight"), _percent(part["equal_weight"]["return_frac"])),
            (tr("largest drawdown"), _percent(part["max_drawdown_frac"], "")),
            (tr("Sharpe ratio a year"), _sharpe(part)),
        ]
        for name, value in rows:
            yield f"  {name}: {value}"
    orders, trades = result["orders"], result["trades"]
    yield ""
    yield "  " + say(
        "orders: {given} given, {filled} filled, {refused} refused by the risk guard; closed trades: {closed}",
        given=orders["given"],
        filled=orders["filled"],
        refused=orders["refused_by_guard"],
        closed=trades["closed"],
    )
    if reason := result["random_agents"]["reason"]:
        yield "  " + say("no random agents: {reason}", reason=reason)
    if known := result.get("identification"):
        yield "  " + say("recognized under the mask: {percent}%", percent=f"{known['rate_frac'] * 100:.0f}")
    yield from _describe_group(group)
    usage = result["usage"]
    cost = "" if usage["cost"] in (None, 0) else f", {usage['cost']:g} {usage['currency']}"
    yield "  " + say(
        "n = {count}; {calls} model calls, {input} + {output} tokens{cost}",
        count=group.get("repeats", {}).get("runs", 1),
        calls=usage["calls"],
        input=usage["input"],
        output=usage["output"],
        cost=cost,
    )


def _mark(result: Json) -> str:
    """Return what a heading says of invented prices."""
    return " · " + say("SIMULATED PRICES") if result.get("simulated") else ""


def _describe_group(group: Json) -> Iterator[str]:
    if repeats := group.get("repeats"):
        returns, agreement = repeats["return_frac"], repeats["agreement_frac"]
        yield "  " + say(
            "{count} runs: return {mean} ± {spread}; decisions agree on {agreement}% of the sessions with orders",
            count=repeats["runs"],
            mean=_percent(returns["mean"]),
            spread=_percent(returns["sd"], ""),
            agreement="–" if agreement is None else f"{agreement * 100:.0f}",
        )
    if invented := group.get("counterfactuals"):
        yield "  " + say(
            "edge over equal weight: {real} as it was, {invented} on invented bars ({count} runs)",
            real=_percent(invented["real_edge_frac"]),
            invented=_percent(invented["invented_edge_frac"]),
            count=len(invented["runs"]),
        )


def _percent(value: float | None, sign: str = "+") -> str:
    return "–" if value is None else f"{round(value * 100, 2) + 0.0:{sign}.2f}%"


def _number(value: float | None, places: int) -> str:
    return "–" if value is None else f"{value:.{places}f}"


def _sharpe(part: Json) -> str:
    if part["sharpe"] is None:
        return "–"
    return f"{part['sharpe']:.2f} ± {part['sharpe_standard_error']:.2f}"
