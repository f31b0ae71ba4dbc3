"""The events of the day: the review after the close against the risk rules, and the main line of what rose most.

Ledger and market are asked for the figures; what only the event knows (which day, how many) stands in its prompt as
data. Where a tool is out of reach, what the prompt says is quoted.
"""

import math
from typing import Any

from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs import belief_lines, risk_rules
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.parts import in_list, in_text, part
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.agent.analyst.voice import number
from ia.agent.prompt_format import GAINERS, GAINS, GROUPS, MARKET, POSITIONS, REVIEW, TOP
from ia.kernel import config
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json
from ia.kernel.untrusted import plain_name

MOST = 12
LONGEST_NAME = 32
"""Characters of a name in a table."""


def review(desk: ToolDesk) -> Work[Reply]:
    """Review the day: gain, positions, which rules are broken, the market, and what to do about it."""
    speak = desk.speak
    quoted = desk.request.sections.get(POSITIONS, "") if desk.request.figures.get("positions") else ""
    status, market, beliefs = yield from desk.run(
        DeskCall("account.status", {}), DeskCall("market.summary", {}), belief_lines.beliefs_call()
    )
    positions = positions_of(status)
    title = speak("**Daily review, {time} (China)**", time=_when(desk))
    broken = broken_rules(desk, status, positions)
    acts = [*_acts(desk, positions, status), *belief_lines.due_line(desk, beliefs)]
    lines = [
        title,
        *_notes(desk),
        "",
        *describe_gain(desk, status),
        *tabulate_positions(desk, status, positions, quoted),
        "",
    ]
    lines += [speak("**Market** {breadth}", breadth=breadth(desk, market)), ""]
    lines += [speak("**Risk rules**"), *(f"- {line}" for line in broken), ""]
    lines += [speak("**What to do**"), *(f"- {line}" for line in acts)]
    kept = yield from _file_report(desk, lines)
    points = [title.strip("*"), *broken[:2], *acts[:2]]
    return Reply([*lines, "", *kept], points, [f"{s} {row_of(p)}" for s, p in positions], signed=True)


def gainers(desk: ToolDesk) -> Work[Reply]:
    """Name the day's main line, or say that there is none. The event itself keeps what was found."""
    speak, count = desk.speak, desk.request.figures.get("top")
    rose = desk.request.sections.get(f"{TOP}{count}", "")
    found = yield from desk.one("market.mainline", **({"top": count} if isinstance(count, int) else {}))
    lines = lines_of(found)
    title = speak("**What rose most, {time} (China)**", time=_when(desk))
    verdict = describe_main_line(desk, found, lines)
    out = [title, *_notes(desk), "", verdict, *(f"- {describe_line(desk, line)}" for line in lines[:5]), ""]
    top = yield from desk.one("market.gainers", limit=5)
    stocks = [each for each in (top.get("stocks") or [] if top.ok else []) if isinstance(each, dict)]
    risers = [f"{at}. {describe_riser(desk, each)}" for at, each in enumerate(stocks, 1)]
    out += [speak("**At the top**"), *(risers or rose.splitlines()[:5]), ""]
    out += [speak("**What to change**"), *(f"- {line}" for line in _changes(desk, lines))]
    kept = yield from _file_report(desk, out)
    points = [title.strip("*"), verdict]
    return Reply([*out, "", *kept], points, [describe_line(desk, each) for each in lines], signed=True)


EVENTS = {REVIEW: review, GAINERS: gainers}
"""What stands behind 【事件】 -> the work that it means."""


@part("the report in the notebook", in_list)
def _file_report(desk: ToolDesk, lines: list[str]) -> Work[list[str]]:
    """Write the day's report; return where it lies, in lines.

    A run that is made up for next morning is of the day that its figures are of, and leaves the next day's place
    free.
    """
    event, day = desk.request.event, (_stale(desk) if config.run_number() is not None else "") or desk.request.day
    folder = "daily" if event == REVIEW else "gainers"
    path = desk.request.place or f"reports/{folder}/{day}.md"
    text = "\n".join([*lines, "", reply.by_rules(desk.speak)]) + "\n"
    result = yield from desk.one("notebook.write", path=path, content=text)
    if event == REVIEW:
        return reply.describe_paths(desk, (result, desk.speak("review", context="kept")))
    return reply.describe_paths(desk, (result, desk.speak("report", context="gainers")))


def _when(desk: ToolDesk) -> str:
    return f"{desk.request.moment:%Y-%m-%d %H:%M}"


def _stale(desk: ToolDesk) -> str:
    """Return the day of figures that are not today's; else ""."""
    return str(desk.request.figures.get("day") or "") if desk.request.figures.get("stale") else ""


def _notes(desk: ToolDesk) -> list[str]:
    """Return what is to be known of the figures first: how old they are, and whether they are invented."""
    speak, notes = desk.speak, []
    if day := _stale(desk):
        if time := desk.request.figures.get("time"):
            day += speak(" {time} (before the close)", time=time)
        notes.append(
            speak(
                "> The market is stored up to {date} only, not today's close; run `ia sync daily` first.",
                date=day,
            )
        )
    if desk.request.figures.get("simulated"):
        notes.append(speak("> The prices are simulated."))
    return notes


# the review


def positions_of(status: DeskResult) -> list[tuple[str, Json]]:
    """Return the positions of an account by symbol."""
    held = status.get("positions") if status.ok else None
    return sorted(held.items()) if isinstance(held, dict) else []


@part("the gain of the day", in_list)
def describe_gain(desk: ToolDesk, status: DeskResult) -> list[str]:
    """Return the gain of the day, the whole one and the equity, currency by currency, in one line."""
    speak = desk.speak
    if not status.ok:
        return [speak("**Gain of the day** {reason}", reason=_first(desk, GAINS))]
    parts = []
    purses = status.get("currencies")
    for currency, purse in sorted(purses.items()) if isinstance(purses, dict) else []:
        today, equity = purse.get("today_pnl"), purse.get("equity")
        start = None if today is None or equity is None else equity - today
        pct = f" ({today / start * 100:+.2f}%)" if start else ""
        told = [
            f"{_money(today)} {currency}{pct}{_other_day(desk, purse)}"
            if today is not None
            else speak("{currency} today unknown", currency=currency),
            speak("in all {total}", total=_money(purse.get("total_pnl"))),
            speak("equity unknown (no deposit is entered)")
            if equity is None
            else speak("equity {equity}", equity=_money(equity, sign="")),
        ]
        parts.append(speak(", ").join(told))
    gains = speak.join_clauses(parts) or speak("the ledger is empty: `ia trade buy` enters the first trade")
    days = [str(purse.get("day") or "") for purse in purses.values()] if isinstance(purses, dict) else []
    newest = max(days, default="")
    if newest and newest < desk.request.day:
        nothing = speak("Of today ({date}) nothing is stored yet.", date=desk.request.day)
        return [speak("**Gain of the last session** {gains}", gains=gains), nothing]
    return [speak("**Gain of the day** {gains}", gains=gains)]


def _other_day(desk: ToolDesk, purse: Json) -> str:
    """Return the day of the newest prices where it is not today; else ""."""
    day = purse.get("day")
    return desk.speak(" ({date})", date=day) if day and day != desk.request.day else ""


def _first(desk: ToolDesk, name: str) -> str:
    return desk.request.sections.get(name, "").partition("\n")[0] or desk.speak("unknown")


@part("the holdings", in_list)
def tabulate_positions(
    desk: ToolDesk, status: DeskResult, positions: list[tuple[str, Json]], quoted: str = ""
) -> list[str]:
    """Return positions of an account as a table; what the prompt says of them (`quoted`) where there are none."""
    speak = desk.speak
    if not positions:
        return quoted.splitlines()
    books = wording.objects_of(status, "currencies")
    weight = speak("weight")
    if len(books) > 1:
        whole = all(book.get("whole_equity") is not None for book in books.values())
        weight = speak("weight in the whole account") if whole else speak("weight in its currency")
    newest = max((str(each.get("price_date") or "") for _, each in positions), default="")
    day = newest if newest and newest < desk.request.day else speak("today")
    head = speak("| position | shares | price | {day} | profit | {weight} |", weight=weight, day=day)
    rows = [f"| {_security(desk, symbol, each)} | {row_of(each, _older(desk, each, newest))} |"
            for symbol, each in positions[:MOST]]  # fmt: skip
    more = len(positions) - MOST
    rest = [speak("({count} more)", count=more)] if more > 0 else []
    return ["", head, "| --- | ---: | ---: | ---: | ---: | ---: |", *rows, *rest]


def _security(desk: ToolDesk, symbol: str, each: Json) -> str:
    """Return a security by its code and the name that the reader knows."""
    name = plain_name(wording.name_alone(desk, symbol, each.get("name")), LONGEST_NAME)
    return symbol if name == symbol else f"{symbol} {name}"


def _older(desk: ToolDesk, each: Json, newest: str) -> str:
    """Return the day of a position's price where others have a newer one; else ""."""
    day = each.get("price_date")
    return desk.speak(" ({date})", date=day) if day and day != newest else ""


def weight_of(each: Json) -> Any:
    """Return the weight that the position limit looks at: in the whole account where that is known."""
    weight = each.get("limit_weight_pct")
    return each.get("weight_pct") if weight is None else weight


def row_of(each: Json, older: str = "") -> str:
    """Return a position: shares, price, gain of the day, profit, weight."""
    cells = [
        number(each.get("size"), "shares"), number(each.get("current_price"), "price"),
        _money(each.get("today_pnl")) + older, _percent(each.get("unrealized_pct")),
        _percent(weight_of(each), sign=""),
    ]  # fmt: skip
    return " | ".join(cells)


@part("the check of the risk rules", in_list)
def broken_rules(desk: ToolDesk, status: DeskResult, positions: list[tuple[str, Json]]) -> list[str]:
    """Return the rules that are broken, with number and limit; that none is, where the ledger says so."""
    speak = desk.speak
    if not status.ok:
        told = [*_quote_lines(desk, "day_breaches"), *_quote_lines(desk, "breaches")]
        return told or [speak("the ledger was not read: nothing was checked")]
    warnings = status.get("warnings") or []
    found = [risk_rules.describe_breach(desk, each) for each in warnings if isinstance(each, dict)]
    limit = _limits(desk)
    if "risk.position_pct" not in {each.get("rule") for each in warnings if isinstance(each, dict)}:
        for symbol, each in positions:
            weight = each.get("limit_weight_pct")
            if weight is not None and limit["position"] is not None and weight > limit["position"]:
                found.append(
                    speak(
                        "{symbol} position limit: {weight:.1f}% > {position_limit:g}%",
                        symbol=wording.spoken_security(desk, symbol, each.get("name")), weight=weight,
                        position_limit=limit["position"],
                    )
                )  # fmt: skip
    if found:
        return found
    if not positions:
        return [speak("nothing is held, no rule is touched")]
    return [speak("no rule is touched: loss of the day, position sizes, stop-losses")]


def _quote_lines(desk: ToolDesk, name: str) -> list[str]:
    """Return lines that the event tells, to be quoted."""
    told = desk.request.figures.get(name)
    return [str(line) for line in told] if isinstance(told, list) else []


def _limits(desk: ToolDesk) -> dict[str, float | None]:
    """Return the limits of position, stop-loss and rise in per cent."""
    names = {"position": "position_pct", "stop": "stop_loss_pct", "rise": "rise_pct"}
    return {name: desk.request.limits.get(key) for name, key in names.items()}


@part("what to do", in_list)
def _acts(desk: ToolDesk, positions: list[tuple[str, Json]], status: DeskResult) -> list[str]:
    """Return what the rules ask for, position by position, and for tomorrow; nothing more is advised."""
    speak, limit, acts = desk.speak, _limits(desk), []
    for symbol, each in positions:
        name = wording.spoken_security(desk, symbol, each.get("name"))
        loss, weight, size = each.get("unrealized_pct"), each.get("limit_weight_pct"), each.get("size") or 0
        if limit["stop"] is not None and loss is not None and loss <= -limit["stop"]:
            acts.append(
                speak(
                    "{symbol}: stop reminder: {loss:.2f}% <= -{stop_limit:g}%. Decide before the next open: sell"
                    " ({sellable} may be sold"
                    " today), or write down why not.",
                    symbol=name, loss=loss, stop_limit=limit["stop"],
                    sellable=number(each.get("sellable") or 0, "shares"),
                )
            )  # fmt: skip
        if limit["position"] is not None and weight is not None and weight > limit["position"]:
            over = each.get("above_limit") or math.ceil(size * (1 - limit["position"] / weight))
            acts.append(
                speak(
                    "{symbol}: position limit: {weight:.1f}% > {position_limit:g}%. Add nothing; about"
                    " {excess_shares} shares less bring it within.",
                    symbol=name, weight=weight, position_limit=limit["position"], excess_shares=number(over, "shares"),
                )
            )  # fmt: skip
    rules = (
        {each.get("rule") for each in status.get("warnings") or [] if isinstance(each, dict)} if status.ok else set()
    )
    if "risk.day_stop_pct" in rules:
        acts.append(
            speak(
                "Today's loss forbids new positions: open none before the next session.",
            )
        )
    if not status.ok:
        acts += _quote_lines(desk, "breaches")
    if not acts:
        acts.append(speak("The rules ask for nothing: leave it."))
    acts.append(
        speak(
            "Next session: chase nothing that is up more than {rise_limit:g}%; ask `ia trade check` before an order;"
            " no position above {position_limit:g}%.",
            rise_limit=limit["rise"] or 5, position_limit=limit["position"] or 20,
        )
    )  # fmt: skip
    return acts


@part("the market of the day", in_text)
def breadth(desk: ToolDesk, market: DeskResult) -> str:
    """Return how many rose and fell on the day, in a sentence."""
    speak = desk.speak
    boards = market.get("boards") if market.ok else None
    if not isinstance(boards, list) or not boards:
        return _first(desk, MARKET)
    whole = boards[0]
    mood = (whole.get("up") or 0) / max(1, (whole.get("up") or 0) + (whole.get("down") or 0))
    moods = (mark_text("broad rise"), mark_text("broad fall"), mark_text("mixed"))
    state = speak(moods[0 if mood >= 0.7 else 1 if mood <= 0.3 else 2])
    line = _told_lines(desk)
    return speak(
        "{date} {state}: {up} up, {down} down, {flat} flat, {limit_up} limit-up, {limit_down} limit-down, median"
        " {median}{line}",
        date=market.get("date"), state=state, up=whole.get("up"), down=whole.get("down"), flat=whole.get("flat"),
        limit_up=_count(desk, whole.get("limit_up")), limit_down=_count(desk, whole.get("limit_down")),
        median=_percent(whole.get("median_pct")), line=line,
    )  # fmt: skip


def _told_lines(desk: ToolDesk) -> str:
    """Return the main lines that the event tells of, in a clause; "" where it tells nothing of them."""
    lines = desk.request.figures.get("main_lines")
    if not isinstance(lines, list):
        return ""
    speak = desk.speak
    names = [
        speak("{name} ({hits} top gainers)", name=_name(desk, line), hits=line.get("hits"))
        for line in lines
        if isinstance(line, dict)
    ]
    return speak("; main lines: {names}", names=speak.join_items(names)) if names else speak("; no main line")


def _count(desk: ToolDesk, number: int | None) -> str:
    return desk.speak("an unknown number of") if number is None else str(number)


# what rose most


def lines_of(found: DeskResult) -> list[Json]:
    """Return the main lines that were found."""
    lines = found.get("lines") if found.ok else None
    return [line for line in lines if isinstance(line, dict)] if isinstance(lines, list) else []


@part("the main line", in_text)
def describe_main_line(desk: ToolDesk, found: DeskResult, lines: list[Json]) -> str:
    """Return the judgment of the day in a sentence: the session keeps an answer with it as importance 2."""
    speak = desk.speak
    if lines:
        names = speak.join_items([_name(desk, line) for line in lines[:3]])
        return speak(
            "{date}: the market's main line is {groups}.",
            date=found.get("date"),
            groups=names,
        )
    if found.ok:
        return speak("No group stands out from chance: there was no main theme that day.")
    return speak("The groups could not be worked out: {reason}", reason=_first(desk, GROUPS))


def _name(desk: ToolDesk, line: Json) -> str:
    """Return an industry or a concept as the reader knows it."""
    return plain_name(wording.industry_name(desk, str(line.get("name") or "")), 24)


@part("one main line", in_text)
def describe_line(desk: ToolDesk, line: Json) -> str:
    """Return a main line with its figures and leaders."""
    leaders = [
        f"{_security(desk, str(each.get('symbol')), each)} {_percent(each.get('change_pct'))}"
        for each in line.get("leaders") or []
        if isinstance(each, dict)
    ][:3]
    return desk.speak(
        "{name}: {hits} of its {members} among the top ({expected:g} by chance), mean {change}, excess {excess}; led"
        " by {leaders}",
        name=_name(desk, line), hits=line.get("hits"), members=line.get("members"), expected=line.get("expected") or 0,
        change=_percent(line.get("change_pct")), excess=_percent(line.get("excess_pct")),
        leaders=desk.speak.join_items(leaders),
    )  # fmt: skip


@part("what to change", in_list)
def _changes(desk: ToolDesk, lines: list[Json]) -> list[str]:
    speak, rise = desk.speak, _limits(desk)["rise"] or 5
    acts = [
        speak(
            "Nothing that rose more than {rise_limit:g}% today is chased: watch it, research it after it fell back.",
            rise_limit=rise,
        )
    ]
    if lines:
        acts.append(
            speak(
                "See whether {group} lasts (excess of the last 5 days {excess} a day); to watch a security say so:"
                " nothing is"
                " added unasked.",
                group=_name(desk, lines[0]), excess=_percent(lines[0].get("excess_5d_pct")),
            )
        )  # fmt: skip
    else:
        acts.append(speak("There is no theme to follow: change no direction."))
    return acts


def describe_riser(desk: ToolDesk, each: Json) -> str:
    """Return a stock that rose: code, name, change, industry."""
    industry = plain_name(wording.industry_name(desk, str(each.get("industry") or "")), 24)
    return f"{_security(desk, str(each.get('symbol')), each)} {_percent(each.get('change_pct'))} {industry}".rstrip()


def _money(value: Any, sign: str = "+") -> str:
    return "–" if not isinstance(value, int | float) else f"{value:{sign},.2f}"


def _percent(value: Any, sign: str = "+") -> str:
    return "–" if not isinstance(value, int | float) else f"{value:{sign}.2f}%"
