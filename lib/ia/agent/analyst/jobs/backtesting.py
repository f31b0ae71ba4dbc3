"""Wishes to test rules on past prices, and questions for saved tests; a word that is not understood is asked back."""

from ia.agent.analyst.ask.backtest_words import (
    BEST,
    BacktestWish,
    asks_saved,
    names_bare_cross,
    read_backtest,
)
from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.faculties.lab.each_sentences import describe_each
from ia.faculties.lab.run_sentences import describe_st_days
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json

MOST_SECURITIES = 10
_CASH_OF_INDEX = 10_000_000.0
"""What a test of an index begins with, of which a lot costs more than what one of a share begins with."""
MOST_RANKED = 100
MOST_SHOWN = 5


def backtest(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Run the backtest that a message asks for and tell its result beside holding."""
    speak = desk.speak
    yield from desk.load_tables("backtest_rules")
    if saved := asks_saved(wanted.words, desk.tables):
        return (yield from _find_best(desk) if saved == BEST else _show_last(desk))
    wish = read_backtest(wanted.words, wanted.securities, desk.request.moment.date(), desk.tables)
    if wish.left and names_bare_cross(" ".join(wish.left), desk.tables):
        return reply_of_lines(speak("Which averages shall cross? For example: 5 and 20 days."))
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
    index = any(each.symbol.kind == "index" for each in wanted.securities)
    given |= {"cash": float(wish.cash) if wish.cash else _CASH_OF_INDEX} if wish.cash or index else {}
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


def reads_whole(desk: ToolDesk, wanted: Intent) -> Work[bool]:
    """Return True if every word of a wish is read, or all that it leaves open is which averages cross."""
    yield from desk.load_tables("backtest_rules")
    wish = read_backtest(wanted.words, wanted.securities, desk.request.moment.date(), desk.tables)
    return bool(wish.entry or wish.left) and (not wish.left or names_bare_cross(" ".join(wish.left), desk.tables))


def _show_last(desk: ToolDesk) -> Work[Reply]:
    """Tell the newest saved backtest."""
    speak = desk.speak
    found = yield from desk.one("backtest.show")
    if found.failure is not None:
        return reply_of_lines(describe_failure(speak, found.failure))
    settings = found.get("settings")
    settings = settings if isinstance(settings, dict) else {}
    if found.get("each"):
        lines = describe_each(found.value, Voice(speak.lang))
    else:
        lines = _tell_figures(desk, _name_universe(desk, str(settings.get("universe") or "")), found)
    lines += [f"- {line}" for line in describe_st_days(found.value, Voice(speak.lang))]
    if settings.get("entry"):
        lines.append(speak("- bought when: `{code}`", code=settings["entry"]))
    if settings.get("exit"):
        lines.append(speak("- sold when: `{code}`", code=settings["exit"]))
    chosen = found.get("selection")
    if isinstance(chosen, dict) and (chosen.get("trials") or 0) > 1:
        lines.append(
            speak(
                "- variant {place} of {trials} tried of these rules; deflated Sharpe probability {dsr}",
                place=chosen.get("place"),
                trials=chosen.get("trials"),
                dsr=_share(chosen.get("dsr_frac")),
            )
        )
    lines.append(
        speak("Run of {day}; more: `ia backtest show {id}`.", day=str(settings.get("created"))[:10], id=found.get("id"))
    )
    return reply_of_lines(*lines)


def _find_best(desk: ToolDesk) -> Work[Reply]:
    """Tell which saved backtest is best, and by which figure."""
    speak = desk.speak
    found = yield from desk.one("backtest.list", limit=MOST_RANKED)
    if found.failure is not None:
        return reply_of_lines(describe_failure(speak, found.failure))
    rows = wording.rows_of(found, "rows")
    if not rows:
        return reply_of_lines(speak("No backtest has been run yet; try: backtest a 5/20 average cross on Moutai."))
    ranked = [row for row in rows if row.get("dsr_frac") is not None]
    lines = (
        [
            speak(
                "Best by the deflated Sharpe ratio, the probability that the true Sharpe ratio is above what the best"
                " of all variants tried reaches by chance:"
            )
        ]
        if ranked
        else [speak("Of no saved run a deflated Sharpe ratio can be told; by return:")]
    )
    shown = ranked or sorted(rows, key=lambda row: -(wording.figure_of(row, "return_frac") or -1.0))
    for place, row in enumerate(shown[:MOST_SHOWN], 1):
        told = speak(
            "{place}. {name}, `{rules}`: {dsr}, Sharpe ratio {sharpe}, {total} ({first} to {last}){mark} – {id}",
            place=place, name=_name_universe(desk, str(row.get("universe") or "")), rules=row.get("rules"),
            dsr=_share(row.get("dsr_frac")), sharpe=_ratio(row.get("sharpe")), total=_percent(row.get("return_frac")),
            first=row.get("first"), last=row.get("last"), mark=wording.simulated_mark(desk, row.get("simulated")),
            id=row.get("id"),
        )  # fmt: skip
        lines.append(f"**{told}**" if place == 1 else told)
    tried = max((int(row.get("trials") or 0) for row in shown), default=0)
    if tried > 1:
        lines.append(
            speak(
                "Up to {count} variants of the same rules were tried; each lowers the probability of the best.",
                count=tried,
            )
        )
    most = max(rows, key=lambda row: wording.figure_of(row, "return_frac") or -1.0)
    if most.get("id") != shown[0].get("id"):
        lines.append(
            speak(
                "The highest return has {id} ({total}), over its own days.",
                id=most.get("id"),
                total=_percent(most.get("return_frac")),
            )
        )
    return reply_of_lines(*lines)


def _name_universe(desk: ToolDesk, universe: str) -> str:
    """Return the securities of a run by name."""
    words = universe.split()
    named = [wording.name_alone(desk, code, "") for code in words[:MOST_SHOWN]]
    return desk.speak.join_items([*named, *(["…"] if len(words) > MOST_SHOWN else [])])


def _tell_result(desk: ToolDesk, wanted: Intent, wish: BacktestWish, leave: str, found: DeskResult) -> list[str]:
    speak = desk.speak
    assert wish.entry is not None
    index = any(each.symbol.kind == "index" for each in wanted.securities)
    lines = [speak("An index cannot be bought; this is as if it could:")] if index else []
    lines += _tell_figures(
        desk, speak.join_items([wording.name_alone(desk, each.code, each.name) for each in wanted.securities]), found
    )
    lines.append(speak("- bought when: {rule} `{code}`", rule=speak.fill(wish.entry.name), code=wish.entry.code))
    if wish.exit and not wish.exit.name[0]:
        lines.append(speak("- sold on the opposite: `{code}`", code=leave))
    elif wish.exit:
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


def _tell_figures(desk: ToolDesk, names: str, found: DeskResult) -> list[str]:
    """Return the figures of a run in lines, beside holding."""
    speak = desk.speak
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
                    name=label or wording.security_name(desk, *str(each.get("name")).partition(" ")[::2]),
                    total=_percent(each.get("return_frac")),
                    fall=_percent(each.get("max_drawdown_frac"), ""),
                )
            )
    trades, orders = found.get("trades"), found.get("orders")
    if isinstance(trades, dict) and isinstance(orders, dict):
        if orders.get("given") and not orders.get("filled") and not orders.get("partial"):
            told = speak(
                "**No order was filled**, so the result says nothing of the rules: a lot may cost more than the cash at"
                " the start."
            )
            lines.insert(0, told)
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
    return lines


def _percent(value: object, sign: str = "+") -> str:
    return f"{round(value * 100, 1) + 0.0:{sign}.1f}%" if isinstance(value, int | float) else "–"


def _share(value: object) -> str:
    return f"{value * 100:.0f}%" if isinstance(value, int | float) else "–"


def _ratio(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, int | float) else "–"
