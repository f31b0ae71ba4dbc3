"""All that is held against the owner's rules: limits that are passed, positions at a loss, weights, industries."""

import re

from ia.agent.analyst.ask.amounts import TOGETHER, find_currencies, find_market_currencies
from ia.agent.analyst.ask.facts import FactQuestion, condition_words, market_table
from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs import daily
from ia.agent.analyst.jobs.daily import positions_of
from ia.agent.analyst.jobs.facts import performance_facts, together, wording
from ia.agent.analyst.jobs.facts.held import Held, load_held, load_weights, name_position, say_weight
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

MOST = 9


def _mark(desk: ToolDesk, status: DeskResult) -> str:
    return wording.simulated_mark(desk, status.get("simulated"))


def _price_day(held: Held) -> str:
    """Return the newest date of a price."""
    return max((str(each.get("price_date") or "") for _, each in held), default="")


_OF_POSITIONS = pattern(r"仓位|单只|单个|个股|\b(?:position|holding|weight|size|concentration)s?\b(?! alerts?)", re.I)
"""The rule that is meant is the one about the weight of a position."""


def answer_breaks(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which rules the account breaks now; where none, how far it is from the nearest limits."""
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, held = loaded
    speak, limits = desk.speak, desk.request.limits
    weighed = [(float(w), s, each) for s, each in held if (w := each.get("limit_weight_pct")) is not None]
    position, stop = limits.get("position_pct"), limits.get("stop_loss_pct")
    beyond = [row for row in weighed if position is not None and row[0] > position]
    warned = [each for each in status.get("warnings") or [] if isinstance(each, dict)]
    lines = []
    if position is not None and _OF_POSITIONS.search(asked.words):
        given: Json = {"date": _price_day(held), "limit": f"{position:g}", "mark": _mark(desk, status)}
        lines.append(
            speak("**Above the limit of {limit}%** ({date}):{mark}", **given)
            if beyond
            else speak("**No position is above the limit of {limit}%** ({date}).{mark}", **given)
        )
        lines += [f"- {name_position(desk, symbol, each)} {weight:.2f}%" for weight, symbol, each in beyond]
    elif beyond or warned:
        head = "**No**: a rule is broken ({date}):" if asked.facts[0].field == "kept" else "**Yes**, on {date}:"
        lines.append(speak(head, date=_price_day(held)) + _mark(desk, status))
        lines += [f"- {line}" for line in daily.broken_rules(desk, status, held)]
    else:
        lines.append(speak("**No rule is broken** ({date}).{mark}", date=_price_day(held), mark=_mark(desk, status)))
    if weighed and position is not None and not beyond:
        weight, symbol, each = max(weighed, key=lambda row: row[0])
        lines.append(
            speak("Nearest to it: {name} {weight}%, **{room} points** left.", weight=f"{weight:.2f}",
                  name=name_position(desk, symbol, each), room=f"{position - weight:.2f}")
            if _OF_POSITIONS.search(asked.words)
            else speak("Nearest to the limit of a position: {name} {weight}%, **{room} points** left.",
                       weight=f"{weight:.2f}", name=name_position(desk, symbol, each), room=f"{position - weight:.2f}")
        )  # fmt: skip
    for currency in wording.objects_of(status, "currencies"):
        own = sorted((row for row in weighed if row[2].get("currency") == currency), reverse=True, key=lambda r: r[0])
        if own:
            lines.append(
                speak(
                    "{currency}: largest {name} {weight}% (limit {limit}%), the three largest {sum}%.",
                    currency=currency,
                    name=name_position(desk, own[0][1], own[0][2]),
                    weight=f"{own[0][0]:.2f}",
                    limit="–" if position is None else f"{position:g}",
                    sum=f"{sum(row[0] for row in own[:3]):.2f}",
                )
            )
    losses = [(float(each["unrealized_pct"]), s, each) for s, each in held if each.get("unrealized_pct") is not None]
    if losses and stop is not None and not any(each.get("rule") == "risk.stop_loss_pct" for each in warned):
        worst = min(losses, key=lambda row: row[0])
        lines.append(
            speak("Nearest to its stop (-{stop}%): {name} {rate}.", stop=f"{stop:g}",
                  name=name_position(desk, worst[1], worst[2]), rate=wording.say_percent(worst[0]))
        )  # fmt: skip
    return reply_of_lines(*lines)


def answer_at_stop(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which positions have lost as much as the owner's stop rule allows, or come next."""
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, held = loaded
    speak, stop = desk.speak, desk.request.limits.get("stop_loss_pct")
    if stop is None:
        return reply_of_lines(speak("No stop rule is in force: `ia config set risk.stop_loss_pct 7` sets one."))
    rows = sorted(
        (float(each["unrealized_pct"]), symbol) for symbol, each in held if each.get("unrealized_pct") is not None
    )
    if asked.facts[0].field == "each":
        return (yield from _say_stops(desk, held, rows, stop))
    at, found = dict(held), [row for row in rows if row[0] <= -stop]
    told = [
        f"{name_position(desk, symbol, at[symbol])} {wording.say_percent(rate)}"
        + ("" if found else speak(" ({away}% above its stop)", away=f"{_away(at[symbol], stop):.2f}"))
        for rate, symbol in found or rows[:2]
    ]
    given = {"stop": f"{stop:g}", "names": speak.join_clauses(told), "date": _price_day(held)}
    if found:
        near = [(symbol, away) for rate, symbol in rows[len(found) :] if (away := _away(at[symbol], stop)) <= _NEAR]
        close = [
            speak("{name}, {away}% above its stop", name=name_position(desk, symbol, at[symbol]), away=f"{away:.2f}")
            for symbol, away in near
        ]
        return reply_of_lines(
            speak("**At the stop of -{stop}%**: {names} ({date}).{mark}", mark=_mark(desk, status), **given),
            *([speak("**Close to it**: {names}.", names=speak.join_clauses(close))] if close else []),
        )
    return reply_of_lines(
        speak(
            "**None** is at the stop of -{stop}%; nearest: {names} ({date}).{mark}", mark=_mark(desk, status), **given
        )
    )


_NEAR = 3.0
"""Per cent of its stop within which a price is close to it."""


def _away(position: Json, stop: float) -> float:
    """Return how far a price is above the stop of its position, in per cent of the stop."""
    return (float(position["current_price"]) / (float(position["avg_price"]) * (1 - stop / 100)) - 1) * 100


def _say_noted_stops(desk: ToolDesk, held: Held) -> Work[list[str]]:
    """Return the stops that the owner's notes name for what is held, each with its distance."""
    from ia.agent.analyst.jobs import own_notes

    told, speak = [], desk.speak
    for symbol, each in held[:MOST]:
        mention = next(iter(find_mentions(symbol)), None)
        noted = (yield from own_notes.find_noted_stop(desk, mention)) if mention else None
        if noted is None:
            continue
        level, day, path = noted
        price = float(each["current_price"])
        told.append(
            speak(
                "{name} **{level}** (`{path}`, {day}), {fall} from {price}",
                name=name_position(desk, symbol, each), level=number(level, "price", speak), path=path, day=day,
                fall=wording.say_percent(level / price * 100 - 100), price=number(price, "price", speak),
            )
        )  # fmt: skip
    return [speak("Your own, from your notes: {told}.", told=speak.join_clauses(told))] if told else []


def _say_stops(desk: ToolDesk, held: Held, rows: list[tuple[float, str]], stop: float) -> Work[Reply]:
    """Return of each position how far the price is from where the stop rule ends it, and the stops of one's notes."""
    own = yield from _say_noted_stops(desk, held)
    speak, at, lines = desk.speak, dict(held), []
    for rate, symbol in rows[:MOST]:
        each = at[symbol]
        level, price = float(each["avg_price"]) * (1 - stop / 100), float(each["current_price"])
        given: Json = {
            "name": name_position(desk, symbol, each), "level": number(level, "price", speak),
            "rate": wording.say_percent(rate),
            "price": number(price, "price", speak), "away": f"{abs(price / level - 1) * 100:.2f}%",
        }  # fmt: skip
        lines.append(
            speak("- {name}: **below its stop** of {level} by {away}; price {price}, result {rate}", **given)
            if price <= level
            else speak("- {name}: **{away}** above its stop of {level}; price {price}, result {rate}", **given)
        )
    head = speak("The stop is {stop}% below the average cost ({date}):", stop=f"{stop:g}", date=_price_day(held))
    return reply_of_lines(*own, head, *lines, *_more(desk, len(rows)))


_BOUND = pattern(rf"(?P<n>{COUNT})\s*(?:%|％|个?百?分?点|per ?cent)", re.I)
_AT_COST = pattern(
    r"(?:跌破|低于|不到|没到|未到|破|跌到|在|处于)了?(?:我的?)?(?:买入|持仓|建仓|持有)?成本(?:价|线)?(?:以下|之下|下面)?"
    r"|\b(?:below|under) (?:my |their |its )?(?:average )?cost\b",
    re.I,
)
_AT_LOSS = pattern(
    rf"亏|赔|浮亏|套|跌|{_AT_COST.pattern}|\b(?:loss(?:es)?|losing|losers?|lost|red|under ?water|down|negative)\b", re.I
)


def answer_filter(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which positions are at a loss or in profit, by more than so many per cent where a bound is named."""
    words = asked.words
    bound = _BOUND.search(words)
    rest = words if bound is None else words[: bound.start()] + words[bound.end() :]
    rest = re.sub(
        r"超过?|大于|多于|高于|以上|\b(?:more than|over|above|at least)\b|几[只个支]|\bhow many\b",
        " ",
        rest,
        flags=re.I,
    )
    if unread := condition_words(_AT_COST.sub(" ", rest)):
        return wording.ask_back(desk, tuple(unread))
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, held = loaded
    if markets := find_market_currencies(words):
        held = [row for row in held if row[1].get("currency") in markets]
    speak, least = desk.speak, (parse_count(bound["n"].casefold()) or 0.0) if bound else 0.0
    sign = -1 if _AT_LOSS.search(words) else 1
    rows = sorted(
        (sign * float(each["unrealized_pct"]), symbol, each)
        for symbol, each in held
        if each.get("unrealized_pct") is not None
    )[::-1]
    found = [row for row in rows if row[0] > 0 and row[0] >= least]
    given: Json = {
        "count": len(found),
        "all": len(held),
        "bound": f"{least:g}",
        "date": _price_day(held),
        "mark": _mark(desk, status),
    }
    if least:
        head = (
            speak(
                PluralText(
                    "**{count}** of {all} position at a loss of {bound}% or more ({date}).{mark}",
                    "**{count}** of {all} positions at a loss of {bound}% or more ({date}).{mark}",
                    by="all",
                ),
                **given,
            )
            if sign < 0
            else speak(
                PluralText(
                    "**{count}** of {all} position in profit by {bound}% or more ({date}).{mark}",
                    "**{count}** of {all} positions in profit by {bound}% or more ({date}).{mark}",
                    by="all",
                ),
                **given,
            )
        )
    else:
        head = (
            speak(
                PluralText(
                    "**{count}** of {all} position at a loss ({date}).{mark}",
                    "**{count}** of {all} positions at a loss ({date}).{mark}",
                    by="all",
                ),
                **given,
            )
            if sign < 0
            else speak(
                PluralText(
                    "**{count}** of {all} position in profit ({date}).{mark}",
                    "**{count}** of {all} positions in profit ({date}).{mark}",
                    by="all",
                ),
                **given,
            )
        )
    lines = [
        f"- {name_position(desk, symbol, each)}{speak(': ')}{wording.say_percent(sign * rate)}"
        + speak(" ({rate})", rate=wording.say_exact(desk, each.get("unrealized_pnl"), signed=True,
                                                    currency=str(each.get("currency") or "")))
        for rate, symbol, each in found[:MOST]
    ]  # fmt: skip
    sums: dict[str, float] = {}
    for _, _, each in found:
        currency = str(each.get("currency") or "")
        sums[currency] = sums.get(currency, 0.0) + float(each.get("unrealized_pnl") or 0)
    said = [wording.say_exact(desk, amount, signed=True, currency=currency) for currency, amount in sums.items()]
    total = [speak("Together: {amounts}.", amounts=speak.join_items(said))] if len(found) > 1 else []
    return reply_of_lines(head, *total, *lines, *_more(desk, len(found)))


def _more(desk: ToolDesk, count: int) -> list[str]:
    return [desk.speak("… and {count} more: `ia account`", count=count - MOST)] if count > MOST else []


_KEYS = (
    ("today_pnl", pattern(r"今天|今日|当日|\btoday|\bday\b", re.I)),
    ("unrealized_pct", pattern(r"收益率|幅|percent", re.I)),
    ("unrealized_pnl", pattern(r"盈|亏|赚|收益|\b(?:profit|loss|gain|p&l|pnl|return)", re.I)),
    ("value", pattern(r"市值|金额|\bvalue|\bsize|\bworth", re.I)),
)


_TOP = pattern(
    rf"(?:前|最[大重]的?)(?P<n>{COUNT})[大只个名]?|\b(?:top|largest|biggest|heaviest) (?P<n2>{COUNT})\b"
    rf"|\b(?P<n3>{COUNT}) (?:largest|biggest|heaviest)\b",
    re.I,
)
"""How many of the largest positions are asked for."""


def answer_weights(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer with all positions in an order: by weight, value, profit, or the profit of the day."""
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, held = loaded
    speak = desk.speak
    key = next((key for key, form in _KEYS if form.search(asked.words)), "weight_pct")
    weights = yield from load_weights(desk, status)
    whole = bool(weights) and key in ("weight_pct", "value")  # values of several currencies, too, stand in one order

    def rank(row: tuple[str, Json]) -> tuple[str, bool, float]:
        size = weights.get(row[0]) if whole else row[1].get(key)
        return "" if whole else str(row[1].get("currency")), size is None, -float(size or 0)

    rows = sorted(held, key=rank)
    top = _TOP.search(asked.words)
    into = find_currencies(asked.words)[:1]
    base, rates = together.rates_of(status.get("total"))
    most = (
        min(MOST, int(parse_count((top["n"] or top["n2"] or top["n3"]).casefold()) or MOST)) if top and whole else MOST
    )
    lines = [
        speak(
            "- {name}: {weight}, {value}, {profit} ({rate})",
            name=name_position(desk, symbol, each),
            weight=say_weight(desk, symbol, each, weights),
            value=_say_value(desk, each, into[0] if into == [base] else "", rates),
            profit=wording.say_exact(
                desk, each.get("today_pnl" if key == "today_pnl" else "unrealized_pnl"), signed=True
            ),
            rate=speak("today") if key == "today_pnl" else wording.say_percent(each.get("unrealized_pct")),
        )
        for symbol, each in rows[:most]
    ]
    if top and whole and TOGETHER.search(asked.words):
        first = [(name_position(desk, symbol, each), weights.get(symbol)) for symbol, each in rows[:most]]
        lines[:0] = together.say_parts(desk, first)
    shares = [
        f"{float(book['cash']) / float(book['equity']) * 100:.2f}% ({currency})"
        for currency, book in wording.objects_of(status, "currencies").items()
        if book.get("equity") and book.get("cash") is not None
    ]
    head = speak(
        PluralText(
            "**{count} position** ({date}); cash {shares}{mark}", "**{count} positions** ({date}); cash {shares}{mark}"
        ),
        count=len(held),
        date=_price_day(held),
        shares=speak.join_clauses(shares) or "–",
        mark=_mark(desk, status),
    )
    return reply_of_lines(head, *lines, *_more(desk, len(rows)))


def _say_value(desk: ToolDesk, position: Json, base: str, rates: dict[str, float]) -> str:
    """Return what a position is worth, in the base currency of the account where that is wanted and a rate is known."""
    currency, value = str(position.get("currency") or ""), position.get("value")
    if not base or value is None or currency not in rates:
        return wording.say_exact(desk, value, currency=currency)
    return wording.say_exact(desk, float(value) * rates[currency], currency=base)


_BROAD = pattern(
    r"科技|消费|新能源|医药|医疗|金融|周期|互联网|军工|红利|高股息|成长|价值"
    r"|\b(?:tech(?:nology)?|consumer|pharma\w*|energy|financials?|cyclicals?|growth|value|internet|defen[cs]e)\b",
    re.I,
)
"""Names of many industries together, which the data do not know."""


def answer_groups(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how much of everything that is owned is in an industry; without one named, in each."""
    speak, known = desk.speak, market_table(desk.tables).industries
    wanted = [each.name for each in known if each.words.search(asked.words) or each.name in asked.words]
    if not wanted:
        broad = _BROAD.search(asked.words)
        if broad is None or asked.spans:
            return (yield from performance_facts.answer_allocation(desk, asked))
        every = yield from desk.one("account.allocation", by="industry")
        if every.failure is not None:
            return wording.unreadable(desk, speak("the ledger"), every.failure)
        told = speak("“{word}” is no industry of the data; all that you own, by industry:", word=broad[0])
        return reply_of_lines(
            told, *performance_facts.say_allocation(desk, every, wording.rows_of(every.value, "shares"))
        )
    if span := wording.other_day(asked, desk.request.day):
        return reply_of_lines(speak("That I tell of what you hold now, not for “{time}”.", time=span.said))
    result = yield from desk.one("account.allocation", by="industry")
    if result.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), result.failure)
    shares = [row for row in wording.rows_of(result, "shares") if row.get("name") in wanted]
    if not shares:
        names = speak.join_items([wording.industry_name(desk, name) for name in wanted])
        return reply_of_lines(speak("Nothing held is of {industry}.", industry=names))
    if asked.facts[0].field == "names":
        return (yield from _name_in_industry(desk, asked, shares, result))
    named = [(performance_facts.name_share(desk, row), row.get("weight_pct")) for row in shares]
    parts = together.say_parts(desk, named) if len(named) > 1 else []
    return reply_of_lines(*parts, *performance_facts.say_allocation(desk, result, shares))


def _name_in_industry(desk: ToolDesk, asked: FactQuestion, shares: list[Json], result: DeskResult) -> Work[Reply]:
    """Answer which holdings are of an industry; its share alone where the industry of some holding is not known."""
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    wanted, (_, held) = {str(row["name"]) for row in shares}, loaded
    quotes = yield from desk.one("market.quote", symbols=[symbol for symbol, _ in held])
    industries = {str(row.get("symbol")): str(row.get("industry")) for row in wording.rows_of(quotes, "quotes")}
    named = [(symbol, each) for symbol, each in held if industries.get(symbol) in wanted]
    told = performance_facts.say_allocation(desk, result, shares)
    if len(named) != sum(int(row.get("securities") or 0) for row in shares):
        return reply_of_lines(*told)
    names = desk.speak.join_items([f"**{name_position(desk, symbol, each)}**" for symbol, each in named])
    return reply_of_lines(names, *told)


def answer_invested(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how much of the account is invested, and how much is cash."""
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, held = loaded
    speak, told, of_cash = desk.speak, [], bool(_CASH.search(asked.words))
    for currency, book in wording.objects_of(status, "currencies").items():
        if not book.get("equity") or book.get("cash") is None or book.get("positions_value") is None:
            told.append(speak("unknown ({currency})", currency=currency))
            continue
        share = float(book["positions_value"]) / float(book["equity"]) * 100
        parts: Json = {"share": f"{share:.2f}", "currency": currency,
                       "cash": f"{float(book['cash']) / float(book['equity']) * 100:.2f}"}  # fmt: skip
        told.append(
            speak("**{cash}%** of the {currency} account is cash, {share}% is invested", **parts)
            if of_cash
            else speak("**{share}%** of the {currency} account is invested, {cash}% is cash", **parts)
        )
    whole, total = [], status.get("total")
    if len(told) > 1 and isinstance(total, dict) and total.get("equity") and total.get("positions_value") is not None:
        share = float(total["positions_value"]) / float(total["equity"]) * 100
        cash = float(total.get("cash") or 0) / float(total["equity"]) * 100
        whole.append(
            speak("In all **{cash}%** is cash, in {currency} at the stored rates.",
                  cash=f"{cash:.2f}", currency=total.get("currency"))
            if of_cash
            else speak("In all **{share}%** is invested, in {currency} at the stored rates.",
                       share=f"{share:.2f}", currency=total.get("currency"))
        )  # fmt: skip
    line = speak.join_clauses(told) + speak(" ({date})", date=_price_day(held)) + _mark(desk, status)
    return reply_of_lines(*whole, line)


_CASH = pattern(r"现金|\bcash\b", re.I)


def answer_bearable(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Say that what one can bear is the owner's to say; what the rules allow, in money."""
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, _ = loaded
    speak, limits, told = desk.speak, desk.request.limits, []
    for currency, book in wording.objects_of(status, "currencies").items():
        if book.get("equity") and limits.get("day_stop_pct") is not None:
            told.append(
                wording.say_exact(desk, float(book["equity"]) * limits["day_stop_pct"] / 100, currency=currency)
            )
    lines = [speak("What loss you can bear only you can say.")]
    if told:
        lines.append(
            speak("Your rules: after a loss of {day}% on a day ({amounts}) nothing is bought; a position stops at a"
                  " loss of {stop}% of its cost.", day=f"{limits['day_stop_pct']:g}", amounts=speak.join_clauses(told),
                  stop=f"{limits.get('stop_loss_pct', 0):g}")
        )  # fmt: skip
    return reply_of_lines(*lines)


def answer_day_loss(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether the loss of the day reaches the daily limits, by currency, and how far it is from them."""
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, speak, limits = loaded[0], desk.speak, desk.request.limits
    warning, stop = limits.get("day_warning_pct"), limits.get("day_stop_pct")
    if warning is None or stop is None:
        return reply_of_lines(speak("No daily loss limit is known."))
    told, worst = list[str](), 0.0
    for currency, book in wording.objects_of(status, "currencies").items():
        made, equity = book.get("today_pnl"), book.get("equity")
        if made is None or not equity or float(equity) == float(made):
            return reply_of_lines(speak("The result of the day is not known for {currency}.", currency=currency))
        change = float(made) / (float(equity) - float(made)) * 100
        worst = min(worst, change)
        room = max(0.0, (float(equity) - float(made)) * stop / 100 + float(made))
        told.append(
            speak("- {currency}: **{change}** ({amount}) on {day}, {used}% of the limit; {room} more reaches it",
                  currency=currency, day=book.get("day"), change=wording.say_percent(change),
                  amount=f"{float(made):+,.2f}", used=f"{max(0.0, -change) / stop * 100:.1f}",
                  room=wording.say_exact(desk, room, currency=currency))
        )  # fmt: skip
    given = {"warning": f"{warning:g}", "stop": f"{stop:g}"}
    if worst <= -stop:
        head = speak("**Yes**: the loss of the day reaches the limit of {stop}% (warning at {warning}%).", **given)
    elif worst <= -warning:
        head = speak("**The warning of {warning}% is reached**, the limit of {stop}% is not.", **given)
    else:
        head = speak("**No**: the loss of the day reaches neither the warning of {warning}% nor the limit of {stop}%.",
                     **given)  # fmt: skip
    return reply_of_lines(head + _mark(desk, status), *told)


def answer_not_computed(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Say that a figure is not computed for the account, and for what it is."""
    status = yield from desk.one("account.status")
    held = positions_of(status)
    speak = desk.speak
    names = [wording.name_alone(desk, symbol, each.get("name")) for symbol, each in held[:2]] or ["BYD", "CATL"]
    what = wording.fact_name(desk, asked.facts[0])
    if asked.facts[0].field == "rates":
        return reply_of_lines(speak("I have no exchange rates, so I do not convert: each currency stands by itself."))
    return reply_of_lines(
        speak("{what}: I compute that for one security or two, not yet for the account. For example: “{name}”.",
              what=what, name=speak.join_items([what, *names]))
    )  # fmt: skip


_US = pattern(r"美股|\bu\.?s\.? (?:stocks?|shares|positions|holdings)\b|\bamerican\b", re.I)


ANSWERS = {
    "rule_breaks": answer_breaks,
    "at_stop": answer_at_stop,
    "position_filter": answer_filter,
    "weights": answer_weights,
    "groups": answer_groups,
    "invested": answer_invested,
    "bearable": answer_bearable,
    "day_loss": answer_day_loss,
    "not_computed": answer_not_computed,
}
