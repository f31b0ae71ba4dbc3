"""Events of the day: the review after the close, and what rose most. Their prompts are filled from ledger and store.

The prompts are templates of skills in both languages, see ia-skill(5). The figures that a program needs stand in a line
of JSON (【数值】, 【Figures】), which no template can leave out. The figures are what is stored, and where that is
not today's, the prompt says so. Names come from a feed: they are made plain before they stand in a prompt, and nothing
else of a feed gets there. Reasons of trades do not. So the whole prompt is ia's own, or the owner's, yet nobody's
request: a turn on it may look, calculate, note and observe, and whatever else it wants becomes a proposal.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from ia.agent.prompt_format import DATA_NOTE, EVENT, GAINERS, REVIEW, TIME, format_head, localize_name
from ia.agent.turns.account_prompt import (
    describe_breaches,
    describe_day_breaches,
    describe_day_loss,
    format_number,
    reader_name,
)
from ia.domain.instruments.groups import group_name
from ia.kernel import clock, config
from ia.kernel.errors import Notify, PluralText, drop_message
from ia.kernel.i18n import Voice
from ia.kernel.i18n.units import LARGE_UNITS
from ia.kernel.jsontypes import Json
from ia.kernel.untrusted import plain_name
from ia.kernel.workspace import Workspace

if TYPE_CHECKING:
    from ia.agent.turns.turn import Turn
    from ia.organs.ledger.account import Position
    from ia.organs.ledger.whatif import AccountStanding
    from ia.organs.market.market_reader import MarketDay, Row

SESSION = "daily"
TOP = 50
PROMPTS = {REVIEW: ("review", "event-daily"), GAINERS: ("scan", "event-gainers")}
"""Event -> skill and name of the template that words its prompt."""
PLACES = {REVIEW: "reports/daily", GAINERS: "reports/gainers"}


class Occasion(NamedTuple):
    """An event that a turn can be taken on.

    event     what stands behind 【事件】, in Chinese; `name` is in the language of the prompt. body: what follows
    moment    now() in exchange time. day: the day of the figures, YYYY-MM-DD; stale: it is not today's
    found     what ia.organs.market.main_lines found; only for GAINERS
    figures   the line of the body that is data
    """

    event: str
    body: str
    moment: datetime
    day: str
    stale: bool
    simulated: bool
    found: "Row | None" = None
    lang: str = "zh"
    figures: str = ""

    @property
    def name(self) -> str:
        """The event in the language of the prompt."""
        return localize_name(self.event, self.lang)

    @property
    def prompt(self) -> str:
        """The whole prompt, its time mark in exchange time."""
        time = format_head(TIME, f"{self.moment:%Y-%m-%d %H:%M:%S}", self.lang)
        return f"{time}\n{format_head(EVENT, self.name, self.lang)}\n{self.body}"

    @property
    def words(self) -> str:
        """The prompt as people read it: without its line of data."""
        return self.prompt.replace(f"{self.figures}\n", "") if self.figures else self.prompt

    @property
    def place(self) -> str:
        """Where the report belongs, below notebook/."""
        return f"{PLACES[self.event]}/{self.moment:%Y-%m-%d}.md"


def idle_reason(moment: datetime | None = None) -> str:
    """Return why there is nothing to review now: `closed` (no trading day), `open` (before the close); "" to go on."""
    from ia.faculties.schedule.exchange import is_session

    here = (moment or clock.now()).astimezone(clock.CHINA)
    if not is_session("CN", here.date()):
        return "closed"
    return "open" if here.time() < clock.CLOSE["CN"] else ""


def build_daily_review(ws: Workspace, notify: Notify = drop_message) -> Occasion:
    """Return the review of the day. raises NotFound where no market was ever stored."""
    from ia.organs.ledger.journal import has_entries
    from ia.organs.market.day_summary import summarize_day
    from ia.organs.market.main_lines import find_mainlines
    from ia.organs.market.market_reader import load_day, open_market

    say = Voice(config.locale_lang())
    with open_market(ws) as db:
        day = load_day(db, notify)
        lines = find_mainlines(db, day)["lines"][:3]
        market = _format_market(say, summarize_day(db, day), _format_main_lines(say, lines))
    figures: Json = {"main_lines": [{"name": main_line_name(line, say.lang), "hits": line["hits"]} for line in lines]}
    if has_entries(ws.db):
        from ia.organs.ledger.whatif import assess_account
        from ia.wiring.ledger_prices import open_ledger

        stand = assess_account(open_ledger(ws))
        gained, held = _format_gains(say, stand), _format_positions(say, stand)
        figures |= {"positions": len(stand.account.positions), "breaches": describe_breaches(stand, say.lang)}
        figures |= {"day_breaches": describe_day_breaches(stand, say.lang)}
    else:
        stand, gained = None, say("the ledger is empty")
        held = say("no positions (`ia trade buy` enters the first trade)")
    simulated = day.simulated or bool(stand and stand.account.simulated)
    fields = {"gains": gained, "positions": held, "market": market}
    return _build_occasion(ws, REVIEW, fields, day, simulated, figures, notify=notify)


def build_top_gainers(ws: Workspace, count: int = TOP, notify: Notify = drop_message) -> Occasion:
    """Return what rose most, grouped. raises NotFound where no market was ever stored."""
    from ia.organs.market.main_lines import find_mainlines
    from ia.organs.market.market_reader import load_day, load_gainers, open_market

    with open_market(ws) as db:
        day = load_day(db, notify)
        rows = load_gainers(db, day, count)
        found = find_mainlines(db, day, top=count)
    say = Voice(config.locale_lang())
    ranked = "\n".join(_format_gainer(say, at, row) for at, row in enumerate(rows, 1)) or say("no stock rose that day")
    fields = {"count": str(count), "gainers": ranked, "groups": _format_groups(say, found)}
    return _build_occasion(ws, GAINERS, fields, day, day.simulated, {"top": count}, found, notify)


def take_event_turn(
    ws: Workspace,
    occasion: Occasion,
    *,
    session: str = SESSION,
    model: str | None = None,
    write: Callable[[str], object] = lambda _: None,
    notify: Notify = drop_message,
) -> "Turn":
    """Take a turn on an event, and keep its report where the turn itself did not. Raises what a turn does.

    Main lines that were found are kept whatever a model made of them: as an observation, and with importance 2.
    """
    from ia.agent.turns import main_line_note, turn

    done = turn.take_turn(
        ws, occasion.body, session=session or SESSION, model=model, write=write, notify=notify, event=occasion.event
    )
    if occasion.found and occasion.found["lines"]:
        done.artifacts.append(
            main_line_note.save_main_lines(ws, occasion.found, done.session, lang=config.locale_lang(), actor="ia")[0]
        )
    if config.run_number() is None and f"notebook/{occasion.place}" not in done.artifacts and done.reply.strip():
        done.artifacts.append(_save_report(ws, occasion, done))
    return done


def _save_report(ws: Workspace, occasion: Occasion, done: "Turn") -> str:
    """Keep a reply as the day's report; inside a task's run that is the task's to do."""
    from ia.kernel import untrusted
    from ia.organs import notebook, sessions

    head = [f"event: {occasion.name}", f"turn: {done.id}", f"day: {occasion.day}"]
    head += ["prices: simulated"] if occasion.simulated else []
    text = "\n".join(["---", *head, "---", done.reply.strip(), ""])
    origins = next((list(said.origins) for said in reversed(sessions.load_history(ws, done.session))), [])
    if origins:  # the session has seen text from outside, and so may the reply have
        text = untrusted.sanitize_text(text, origins)
    return notebook.write_note(ws, occasion.place, text)


def _build_occasion(
    ws: Workspace,
    event: str,
    fields: Mapping[str, str],
    day: "MarketDay",
    simulated: bool,
    figures: Mapping[str, object],
    found: "Row | None" = None,
    notify: Notify = drop_message,
) -> Occasion:
    """Return an occasion. What `figures` and the day tell stands in the prompt as data too: no program reads words."""
    from ia.agent.prompt_format import format_figures
    from ia.faculties.skills import templates

    say = Voice(config.locale_lang())
    moment = clock.now().astimezone(clock.CHINA)
    stale = day.date != moment.date().isoformat() or not day.closed
    notes = []
    if stale:
        taken = "" if day.closed else say(" {time} (before the close)", time=day.time[11:])
        text = say(
            "the market is stored up to {date} only, not today's close: the figures above are of then"
            " (`ia sync daily` fetches today's)",
            date=day.date + taken,
        )
        notes.append(format_head(DATA_NOTE, text, say.lang))
    if simulated:
        notes.append(format_head(DATA_NOTE, say("the prices are simulated"), say.lang))
    told: Json = {"day": day.date, "stale": stale, "simulated": simulated, **figures}
    told |= {} if day.closed else {"time": day.time[11:]}
    notes.append(format_figures(told, say.lang))
    data = "\n".join(notes)
    body = templates.fill_prompt(ws, *PROMPTS[event], {**fields, "data": data}, notify=notify)
    if not body.startswith("【") or notes[-1] not in body.split("\n"):
        body = f"{data}\n{templates.fill_prompt(ws, *PROMPTS[event], {**fields, 'data': ''})}"
    return Occasion(
        event=event,
        body=body,
        moment=moment,
        day=day.date,
        stale=stale,
        simulated=simulated,
        found=found,
        lang=say.lang,
        figures=notes[-1],
    )


# the figures, as they stand in a prompt


def _format_gains(say: Voice, stand: "AccountStanding") -> str:
    """Return the gain of the day and in all, by currency."""
    parts = []
    for currency, purse in sorted(stand.account.purses.items()):
        pct = stand.day_pct.get(currency)
        told = [f"{_format_money(say, purse.today)} {currency}{_format_bracketed_percent(say, pct)}"]
        if purse.total is not None:
            told.append(say("in all {total}", total=_format_money(say, purse.total)))
        told.append(
            say("equity {equity}", equity=f"{purse.equity:,.2f}")
            if purse.equity is not None
            else say("equity unknown (no deposit is entered)")
        )
        old = purse.day and purse.day != clock.today("CN")
        on = say(" (prices of {date})", date=purse.day) if old else ""
        parts.append(say(", ").join(told) + on + describe_day_loss(pct, stand.limits, say.lang))
    return say("; ").join(parts) or say("none")


def _format_positions(say: Voice, stand: "AccountStanding") -> str:
    if not stand.account.positions:
        return say("no positions")
    lines = [_format_position(say, each, stand) for each in stand.account.positions]
    lines += [f"- {say('{symbol}: cooling until {time}', symbol=name, time=until)}" for name, until in stand.cooling]
    return "\n" + "\n".join(lines)


def _format_position(say: Voice, each: "Position", stand: "AccountStanding") -> str:
    """Return a position in a line: price, gain of the day, cost, profit, weight, and which rule it breaks."""
    limits, shares = stand.limits, format_number(each.quantity)
    head = f"- {each.symbol} {reader_name(each.symbol, each.name, say.lang)}".rstrip() + say(": ")
    if each.price is None:
        return head + say("{shares} shares, no price", shares=shares)
    change, weight = None, each.weight if each.limit_weight is None else each.limit_weight
    if each.price.previous:
        change = (each.price.price / each.price.previous - 1) * 100
    told = [
        say("{shares} shares ({free} can be sold)", shares=shares, free=format_number(each.sellable)),
        say("price {price}", price=each.price.price),
        say("today {change}", change=_format_change(say, change, each.today)),
        say("cost {cost}", cost=each.average),
        say("profit {change}", change=_format_change(say, each.unrealized_pct, each.unrealized)),
        say("weight {weight}", weight=_format_percent(say, weight, sign="")),
    ]
    if each.price.date != clock.today("CN"):
        told.append(say("price of {date}", date=each.price.date))
    if each.unrealized_pct is not None and each.unrealized_pct <= -limits.stop_loss_pct:
        stop = format_number(limits.stop_loss_pct)
        told.append(say("stop reminder: {loss:+.2f}% <= -{stop}%", loss=each.unrealized_pct, stop=stop))
    if each.limit_weight is not None and each.limit_weight > limits.position_pct:
        most = format_number(limits.position_pct)
        told.append(say("position limit: {weight:.1f}% > {most}%", weight=each.limit_weight, most=most))
    return head + say(", ").join(told)


def _format_change(say: Voice, percent: object, money: Decimal | None) -> str:
    return say("{percent} ({money})", percent=_format_percent(say, percent), money=_format_money(say, money))


def _format_count(say: Voice, number: int | None) -> str:
    return say("unknown") if number is None else str(number)


def _format_market(say: Voice, found: "Row", lines: str) -> str:
    whole = found["boards"][0]
    told = [
        say(
            "{date}: {count} stocks in the market: {up} up, {down} down, {flat} flat",
            date=found["date"], count=whole["count"], up=whole["up"], down=whole["down"], flat=whole["flat"],
        ),
        say(
            "{limit_up} at the upper limit, {limit_down} at the lower limit, {suspended} suspended",
            limit_up=_format_count(say, whole["limit_up"]), limit_down=_format_count(say, whole["limit_down"]),
            suspended=_format_count(say, found["suspended"]),
        ),
        say(
            "median {median}, weighted by market value {weighted}",
            median=_format_percent(say, whole["median_pct"]), weighted=_format_percent(say, whole["weighted_pct"]),
        ),
        say("turnover {amount}", amount=_format_yuan(say, found["amount"])) + _format_amount_change(say, found),
        say(
            "strong: {strong}; weak: {weak}",
            strong=_format_industries(say, found["industries_up"]),
            weak=_format_industries(say, found["industries_down"]),
        ),
        lines,
    ]  # fmt: skip
    return say("; ").join(told)


def _format_amount_change(say: Voice, found: "Row") -> str:
    last, mean = found["amount_vs_last_pct"], found["amount_vs_mean_pct"]
    told = [] if last is None else [say("{change} on the day before", change=_format_percent(say, last))]
    if mean is not None:
        days = found["mean_days"]
        told.append(say("{change} on the {days}-day mean", change=_format_percent(say, mean), days=days))
    return say(" ({notes})", notes=say(", ").join(told)) if told else ""


def _format_industries(voice: Voice, rows: "Iterable[Row]") -> str:
    named = [
        f"{plain_name(group_name(row['name'], voice.lang), 24)} {_format_percent(voice, row['change_pct'])}"
        for row in list(rows)[:3]
    ]
    return voice(", ", context="list").join(named) or voice("none")


def _format_main_lines(voice: Voice, lines: "list[Row]") -> str:
    told = [
        voice("{name} ({hits} among the top)", name=main_line_name(line, voice.lang), hits=line["hits"])
        for line in lines
    ]
    names = voice(", ", context="list").join(told)
    return voice("main lines: {names}", names=names) if names else voice("no main line")


def main_line_name(line: "Row", lang: str) -> str:
    """Return a main line's name for a reader, made plain."""
    return _plain_group(line["name"], lang)


def _plain_group(name: str, lang: str) -> str:
    return plain_name(group_name(name, lang), 16 if lang == "zh" else 32)


def _format_gainer(say: Voice, at: int, row: "Row") -> str:
    industry = _plain_group(row["industry"], say.lang) if row["industry"] else ""
    return f"{at}. {_format_stock(say, row)} {industry}".rstrip()


def _format_stock(say: Voice, row: "Row") -> str:
    name = reader_name(row["symbol"], row["name"], say.lang)
    return " ".join(filter(None, (row["symbol"], name, _format_percent(say, row["change_pct"]))))


def _format_groups(say: Voice, found: "Row") -> str:
    if not found["lines"]:
        near = found["closest"]
        text = PluralText(
            "{count} industry or concept looked at, and it does not exceed chance (significance {level:g})",
            "{count} industries and concepts looked at, and none exceeds chance (significance {level:g})",
        )
        more = say("; the closest is {line}", line=_format_main_line(say, near)) if near else ""
        return say(text, count=found["groups"], level=found["level"]) + more
    return "\n" + "\n".join(f"- {_format_main_line(say, line)}" for line in found["lines"])


def _format_main_line(voice: Voice, line: "Row") -> str:
    apart = voice(", ", context="list")
    name = main_line_name(line, voice.lang)
    kind = voice("industry {name}", name=name) if line["kind"] == "industry" else voice("concept {name}", name=name)
    told = [
        voice(
            "{hits} of {members} among the top ({expected:g} by chance)",
            hits=line["hits"], members=line["members"], expected=line["expected"],
        ),
        voice("{change} on average", change=_format_percent(voice, line["change_pct"])),
        voice("{excess} over the market", excess=_format_percent(voice, line["excess_pct"])),
        voice("{excess} a day over the last 5 days", excess=_format_percent(voice, line["excess_5d_pct"])),
        voice("{count} at the upper limit", count=_format_count(voice, line["limit_up"])),
        voice("leaders {leaders}", leaders=apart.join(_format_stock(voice, row) for row in line["leaders"][:3])),
    ]  # fmt: skip
    same = apart.join(_plain_group(name, voice.lang) for name in line["with"][:3])
    head = kind + (voice(" (as {names})", names=same) if same else "")
    return head + voice(": ") + voice(", ").join(told)


def _format_money(say: Voice, value: Decimal | None) -> str:
    return say("unknown") if value is None else f"{value:+,.2f}"


def _format_percent(say: Voice, value: object, sign: str = "+") -> str:
    return say("unknown") if value is None else f"{value:{sign}.2f}%"


def _format_bracketed_percent(say: Voice, value: Decimal | None) -> str:
    return "" if value is None else say(" ({percent})", percent=f"{value:+.2f}%")


def _format_yuan(say: Voice, value: float | None) -> str:
    """Return a turnover in whole hundreds of millions, or in two decimals of the largest unit."""
    if value is None:
        return say("unknown")
    size, unit = next(each for each in LARGE_UNITS[say.lang][:2] if value >= each[0] or each[0] < 1e12)
    scaled = f"{value / size:,.0f}" if size < 1e9 else f"{value / size:,.2f}"
    return f"{scaled} {unit}" + ("" if say.lang == "zh" else " yuan")
