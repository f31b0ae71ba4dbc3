"""A wish to test rules on past prices, answered with backtest.run; a word that is not understood is asked back."""

from ia.agent.analyst.ask.backtest_words import BacktestWish, read_backtest
from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.jsontypes import Json

MOST_SECURITIES = 10


def backtest(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Run the backtest that a message asks for and tell its result beside holding."""
    speak = desk.speak
    yield from desk.load_tables("backtest_rules")
    wish = read_backtest(wanted.words, wanted.securities, desk.request.moment.date(), desk.tables)
    if wish.left:
        return wording.ask_back(desk, (" ".join(wish.left),))
    if not wanted.securities:
        return reply_of_lines(
            speak("Which security shall be tested? For example: backtest a 5/20 average cross on Moutai.")
        )
    if wish.entry is None:
        return reply_of_lines(
            speak("When shall be bought? For example: when the 5-day average crosses above the 20-day average.")
        )
    leave = wish.exit.code if wish.exit else "" if wish.stop or wish.target else wish.entry.opposite
    given: Json = {"since": wish.since, "until": wish.until}
    given |= {name: float(value) for name, value in (("stop", wish.stop), ("target", wish.target)) if value}
    given |= {"cash": float(wish.cash)} if wish.cash else {}
    found = yield from desk.one(
        "backtest.run",
        symbols=[each.code for each in wanted.securities[:MOST_SECURITIES]],
        entry=wish.entry.code,
        exit=leave,
        **{name: value for name, value in given.items() if value != ""},
    )
    if not found.ok:
        assert found.failure is not None
        return reply_of_lines(speak("The backtest was not run: {why}.", why=describe_failure(speak, found.failure)))
    return reply_of_lines(*_tell_result(desk, wanted, wish, leave, found))


def _tell_result(desk: ToolDesk, wanted: Intent, wish: BacktestWish, leave: str, found: DeskResult) -> list[str]:
    speak = desk.speak
    assert wish.entry is not None
    names = speak.join_items([each.name for each in wanted.securities])
    lines = [
        speak(
            "**{name}, {first} to {last}: {total}**, {growth} a year, largest drawdown {fall}{mark}",
            name=names,
            first=found.get("first"),
            last=found.get("last"),
            total=_percent(found.get("return_frac")),
            growth=_percent(found.get("cagr_frac")),
            fall=_percent(found.get("max_drawdown_frac"), ""),
            mark=wording.simulated_mark(desk, found.get("simulated")),
        )
    ]
    compare = found.get("compare")
    for key, each in compare.items() if isinstance(compare, dict) else ():
        if isinstance(each, dict) and each.get("return_frac") is not None:
            label = {"buy_and_hold": speak("buy and hold"), "equal_weight": speak("equal weight")}.get(key)
            lines.append(
                speak(
                    "- {name}: {total}, drawdown {fall}",
                    name=label or each.get("name"),
                    total=_percent(each.get("return_frac")),
                    fall=_percent(each.get("max_drawdown_frac"), ""),
                )
            )
    trades, orders = found.get("trades"), found.get("orders")
    if isinstance(trades, dict) and isinstance(orders, dict):
        lines.append(
            speak(
                "- {closed} trades closed, {won} of them won; {given} orders, {filled} filled; fees {fees}",
                closed=trades.get("closed"),
                won=trades.get("won"),
                given=orders.get("given"),
                filled=orders.get("filled"),
                fees=f"{found.get('fees') or 0:,.0f}",
            )
        )
    lines.append(speak("- bought when: {rule} `{code}`", rule=speak.fill(wish.entry.name), code=wish.entry.code))
    if wish.exit:
        lines.append(speak("- sold when: {rule} `{code}`", rule=speak.fill(wish.exit.name), code=leave))
    elif leave:
        lines.append(speak("- sold on the opposite (you named no exit): `{code}`", code=leave))
    lines.append(
        speak(
            "Signals at the close, fills at the next open by the rules of the exchange. The past proves nothing about"
            " the future. Saved: runs/{id}/",
            id=found.get("id"),
        )
    )
    return lines


def _percent(value: object, sign: str = "+") -> str:
    return f"{round(value * 100, 1) + 0.0:{sign}.1f}%" if isinstance(value, int | float) else "–"
