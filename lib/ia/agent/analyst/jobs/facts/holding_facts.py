"""One holding: its stop, what may be sold, break-even, cooling, what was paid, and what a move would cost."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

from ia.agent.analyst.ask.amounts import find_size
from ia.agent.analyst.ask.facts import FactQuestion, condition_words
from ia.agent.analyst.ask.mentions import strip_mentions
from ia.agent.analyst.ask.supposed_moves import read_supposed
from ia.agent.analyst.ask.time_spans import DAY, FUTURE
from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.jobs import own_notes
from ia.agent.analyst.jobs.facts import journal_rows, own_trade_facts, result_facts, supposed_moves, wording
from ia.agent.analyst.jobs.facts.held import load_held, load_weights, name_position
from ia.agent.analyst.jobs.facts.share_changes import load_share_changes
from ia.agent.analyst.say.reply import Reply, append_lines, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.speech.numerals import COUNT, parse_count
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 3
LIMIT = 200
_Said = Callable[[ToolDesk, FactQuestion, str, Json], list[str]]


def _of_held(say: _Said, asked: FactQuestion, desk: ToolDesk) -> Work[Reply]:
    """Return what is said of each named security that is held; of the others, that none is held."""
    speak, lines = desk.speak, []
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), status.failure)
    if span := wording.other_day(asked, desk.request.day):
        return reply_of_lines(speak("That I tell of what you hold now, not for “{time}”.", time=span.said))
    held = wording.objects_of(status, "positions")
    for mention in asked.securities[:SHOWN]:
        head, position = wording.head_of(desk, mention), held.get(mention.code)
        if position is None:
            lines.append(speak("{name}: you hold none.", name=head))
        elif position.get("current_price") is None:
            lines.append(speak("{name}: no price of it is stored.", name=head))
        else:
            lines += say(desk, asked, head, position)
    return reply_of_lines(*lines)


def _prices(desk: ToolDesk, position: Json) -> Json:
    """Return the fields of a position that answers fill in."""
    return {
        "price": number(float(position["current_price"]), "price", desk.speak),
        "date": position.get("price_date"),
        "cost": number(position.get("avg_price"), "price", desk.speak),
        "shares": number(float(position["size"]), "shares"),
        "rate": wording.say_percent(position.get("unrealized_pct")),
        "profit": wording.say_exact(
            desk, position.get("unrealized_pnl"), signed=True, currency=str(position.get("currency") or "")
        ),
        "mark": wording.simulated_mark(desk, position.get("simulated")),
    }


_DECIDES = pattern(r"要不要|该不该|应不应该|应该|该.{0,2}吗|\b(?:should|shall|time to)\b", re.I)
_SIDE_OF_STOP = pattern(r"\b(?:above|below)(?= (?:my|the|its) stop\b)|(?:高于|低于)(?=.{0,4}止损)", re.I)
_AT_STOP = pattern(r"亏|损失|赔|\b(?:los[es]|cost me|down)\b", re.I)


_TARGET_TOO = pattern(r"目标|\btargets?\b", re.I)
"""The target is asked for beside the stop."""
_IF_SET = pattern(r"\bdid i set my stop\b|我写下的止损", re.I)
"""Whether a stop was ever set is asked."""


def answer_own_stop(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer where the owner's rule stops a position, how far that is, and what it would cost."""
    from ia.agent.analyst.jobs import own_notes

    limit, noted = desk.request.limits.get("stop_loss_pct"), dict[str, tuple[float, str, str]]()
    for mention in asked.securities[:SHOWN]:
        if found := (yield from own_notes.find_noted_stop(desk, mention)):
            noted[wording.head_of(desk, mention)] = found
    if limit is None and not noted:
        return reply_of_lines(desk.speak("No stop rule is in force: `ia config set risk.stop_loss_pct 7` sets one."))
    if unread := condition_words(_SIDE_OF_STOP.sub(" ", strip_mentions(asked.words))):
        return wording.ask_back(desk, tuple(unread))

    def say(desk: ToolDesk, asked: FactQuestion, head: str, position: Json) -> list[str]:
        speak, cost, size = desk.speak, float(position["cost"]), float(position["size"])
        if head in noted:
            return _say_noted_stop(desk, asked, head, position, noted[head])
        if limit is None:
            return [speak("{name}: no stop stands in your notes, and no stop rule is in force.", name=head)]
        unset = [speak("{name}: **no** stop stands in your notes.", name=head)] if _IF_SET.search(asked.words) else []
        level, price = cost * (1 - limit / 100) / size, float(position["current_price"])
        given: Json = {
            "name": head, "limit": f"{limit:g}", "level": number(level, "price", speak),
            "away": f"{abs(price / level - 1) * 100:.2f}%", "gap": number(abs(price - level), "price", speak),
            "fall": f"{abs(1 - level / price) * 100:.2f}%",
        }  # fmt: skip
        reached = price <= level
        lines = [
            *unset,
            speak(
                "{name}: **already below your stop**: {price} ({date}) is {away} under {level}, your average cost of"
                " {cost} less {limit}%; profit {profit} ({rate}).{mark}",
                **_prices(desk, position),
                **given,
            )
            if reached
            else speak(
                "{name}: your rule stops at **{level}** (average cost {cost} less {limit}%); the price of {price}"
                " ({date}) is {away} above it: a fall of {fall}, {gap} a share, reaches it.{mark}",
                **_prices(desk, position),
                **given,
            ),
        ]
        loss = wording.say_exact(desk, cost * limit / 100, currency=str(position.get("currency") or ""))
        if not reached or _AT_STOP.search(asked.words):
            lines.append(
                speak(
                    "Sold there, the {shares} shares lose {loss}, fees of selling not counted.",
                    loss=loss,
                    **_prices(desk, position),
                    **given,
                )
            )
        if _DECIDES.search(asked.words):
            lines.append(
                speak("Your rule asks you to sell, or to write down why not; you decide.")
                if reached
                else speak("Your rule does not ask you to sell; you decide.")
            )
        return lines

    told = yield from _of_held(say, asked, desk)
    if _TARGET_TOO.search(asked.words):
        for mention in asked.securities[:SHOWN]:
            more = yield from own_notes.quote_target(desk, mention)
            told = told._replace(lines=append_lines(told.lines, *more.lines))
    return told


def _say_noted_stop(
    desk: ToolDesk, asked: FactQuestion, head: str, position: Json, noted: tuple[float, str, str]
) -> list[str]:
    """Return how far the price is from the stop that the owner wrote down, and what a sale there would bring."""
    speak, (level, day, path) = desk.speak, noted
    price, size = float(position["current_price"]), float(position["size"])
    currency, limit = str(position.get("currency") or ""), desk.request.limits.get("stop_loss_pct")
    given: Json = {
        **_prices(desk, position), "name": head, "level": number(level, "price", speak), "day": day, "path": path,
        "gap": number(abs(price - level), "price", speak), "fall": f"{abs(1 - level / price) * 100:.2f}%",
        "result": wording.say_exact(desk, level * size - float(position["cost"]), signed=True, currency=currency),
    }  # fmt: skip
    reached = price <= level
    lines = [
        speak("{name}: **already at or below your stop** of {level} (`{path}`, {day}): {price} ({date}) is {gap} a"
              " share under it.{mark}", **given)
        if reached
        else speak("{name}: your stop is **{level}** (`{path}`, {day}); the price of {price} ({date}) has to fall"
                   " **{fall}**, {gap} a share, to reach it.{mark}", **given),
        speak("Sold there, the {shares} shares come to {result} against their cost, fees of selling not counted.",
              **given),
    ]  # fmt: skip
    if limit is not None:
        rule = float(position["cost"]) * (1 - limit / 100) / size
        lines.append(
            speak("By your rule it would be {rule} (average cost {cost} less {limit}%).",
                  rule=number(rule, "price", speak), limit=f"{limit:g}", **given)
        )  # fmt: skip
    if _DECIDES.search(asked.words) and asked.answer == "own_stop":
        lines.append(speak("Whether to sell you decide."))
    return lines


def answer_take_profit(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what a position has gained; that there is no rule to take profits."""

    def say(desk: ToolDesk, asked: FactQuestion, head: str, position: Json) -> list[str]:
        speak = desk.speak
        gained = float(position.get("unrealized_pnl") or 0) > 0
        return [
            speak("{name}: unrealized **{profit}** ({rate}) at {price} ({date}); average cost {cost}.{mark}",
                  name=head, **_prices(desk, position))
            if gained
            else speak("{name}: there is no profit to take: unrealized **{profit}** ({rate}) at {price} ({date})."
                       "{mark}",
                       name=head, **_prices(desk, position)),
            speak("You have no rule for taking profits, only for losses; you decide."),
        ]  # fmt: skip

    return (yield from _of_held(say, asked, desk))


def answer_pct(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer by how many per cent a position is up or down."""

    def say(desk: ToolDesk, asked: FactQuestion, head: str, position: Json) -> list[str]:
        return [
            desk.speak(
                "{name}: **{rate}** ({profit}) at {price} ({date}); average cost {cost}, {shares} shares.{mark}",
                name=head,
                **_prices(desk, position),
            )
        ]

    return (yield from _of_held(say, asked, desk))


_WEEKDAY = pattern(
    r"(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|[这本]?(?:周|星期|礼拜)[一二三四五六日天]", re.I
)


def answer_sellable(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how many shares may be sold today: what was bought today may not where T+1 holds."""
    words = strip_mentions(asked.words)
    wish = find_size(words)
    asked_for = wish.shares_of(asked.securities[0].symbol) if wish and asked.securities else None
    if unread := condition_words(words if wish is None else words[: wish.at[0]] + words[wish.at[1] :]):
        return wording.ask_back(desk, tuple(unread))

    span = wording.other_day(asked, desk.request.day)
    if span is not None and span.first is not None and asked.securities:
        past = (desk.request.moment.date() - span.first).days
        if span.kind == FUTURE or (past > 0 and _WEEKDAY.fullmatch(span.said)):  # a sale is of the coming Monday
            day = span.first + timedelta(days=-(-max(0, past) // 7) * 7)
            return (yield from _answer_sellable_on(desk, asked, day, asked_for))

    def say(desk: ToolDesk, asked: FactQuestion, head: str, position: Json) -> list[str]:
        speak, size, free = desk.speak, float(position["size"]), float(position.get("sellable") or 0)
        given = {"name": head, "size": number(size, "shares"), "free": number(free, "shares")}
        if asked_for and asked_for > free:
            lines = [speak("{name}: no: **{free}** of the {size} shares may be sold today.", **given)]
        elif free == size:
            lines = [speak("{name}: all **{size}** shares may be sold.", **given)]
        elif free:
            lines = [speak("{name}: **{free}** of the {size} shares may be sold today.", **given)]
        else:
            lines = [speak("{name}: none of the {size} shares may be sold today.", **given)]
        if free < size:
            lines.append(speak("The rest was bought today, and mainland shares settle on the next session (T+1)."))
        if date.fromisoformat(desk.request.day).weekday() > 4:
            lines.append(
                speak("{date} falls on a weekend: the next session is the first chance.", date=desk.request.day)
            )
        return lines

    return (yield from _of_held(say, asked, desk))


def answer_sellable_each(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how many shares of each holding may be sold today."""
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    speak, lines, held = desk.speak, list[str](), loaded[1]
    for symbol, each in held:
        size, free = float(each["size"]), float(each.get("sellable") or 0)
        given = {"name": name_position(desk, symbol, each), "size": number(size, "shares")}
        given |= {"free": number(free, "shares")}
        lines.append(speak("- {name}: **{free}** of {size} shares", **given))
    bound = [each for _, each in held if float(each.get("sellable") or 0) < float(each["size"])]
    head = (
        speak("**Not all** may be sold today: mainland shares bought today settle on the next session (T+1).")
        if bound
        else speak("**All** that you hold may be sold.")
    )
    return reply_of_lines(head, *lines)


def _answer_sellable_on(desk: ToolDesk, asked: FactQuestion, day: date, asked_for: float | None) -> Work[Reply]:
    """Answer how many shares may be sold on a coming day: all that are held now, once the exchange is open."""
    speak, market = desk.speak, asked.securities[0].symbol.market
    found = yield from desk.one("calendar.trading", date=f"{day}", market=market, n=1)
    open_ = found.get("is_trading_day") if found.ok else None
    following = next(iter(wording.names_of(found.get("next"))), "") if found.ok else ""

    def say(desk: ToolDesk, asked: FactQuestion, head: str, position: Json) -> list[str]:
        size = float(position["size"])
        given = {"name": head, "size": number(size, "shares"), "day": f"{day}", "next": following}
        if asked_for and asked_for > size:
            return [speak("{name}: you hold {size} shares, not {shares}.", shares=number(asked_for, "shares"), **given)]
        if open_ is None:
            return [speak("{name}: whether {day} is a trading day is not known.", **given)]
        if not open_ and following:
            return [
                speak("{name}: not on {day}, no trading day; on {next} all **{size}** shares may be sold.", **given)
            ]
        if not open_:
            return [speak("{name}: not on {day}, which is no trading day.", **given)]
        return [speak("{name}: on {day} all **{size}** shares that you hold now may be sold.", **given)]

    return (yield from _of_held(say, replace(asked, spans=()), desk))


def _check_each(desk: ToolDesk, asked: FactQuestion) -> Work[list[tuple[str, DeskResult]]]:
    """Return what the guard says of each named security."""
    named = asked.securities[:SHOWN]
    results = yield from desk.run(*(DeskCall("risk.check", {"symbol": mention.code}) for mention in named))
    return [(wording.head_of(desk, mention), result) for mention, result in zip(named, results, strict=True)]


def answer_break_even(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer at which price a sale brings back the cost, with the fees of buying and selling."""
    speak, lines = desk.speak, []
    for head, found in (yield from _check_each(desk, asked)):
        if found.failure is not None:
            return wording.unreadable(desk, speak("the ledger"), found.failure)
        price, level = found.get("price"), found.get("break_even")
        if level is None:
            lines.append(speak("{name}: you hold none.", name=head))
        elif price is None:
            lines.append(speak("{name}: **{level}**, fees included.", name=head, level=number(level, "price", speak)))
        else:
            given: Json = {
                "name": head,
                "level": number(level, "price", speak),
                "price": number(price, "price", speak),
                "date": found.get("date"),
                "away": f"{abs(level / price - 1) * 100:.2f}%",
                "mark": wording.simulated_mark(desk, found.get("simulated")),
            }
            lines.append(
                speak("{name}: **{level}**, fees of buying and selling included; the price of {price} ({date}) has to"
                      " rise {away}.{mark}", **given)
                if level > price
                else speak("{name}: **{level}**, fees of buying and selling included; the price of {price} ({date}) is"
                           " above it.{mark}", **given)
            )  # fmt: skip
    return reply_of_lines(*lines)


def answer_cost_distance(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how far the price of a holding is from its average cost, and what it has to move to get there."""
    if asked.unread:
        return wording.ask_back(desk, asked.unread)
    return (yield from _of_held(_say_cost_distance, asked, desk))


def _say_cost_distance(desk: ToolDesk, asked: FactQuestion, head: str, position: Json) -> list[str]:
    price, cost = float(position["current_price"]), float(position.get("avg_price") or 0)
    if cost <= 0:
        return [desk.speak("{name}: the cost is not known.", name=head)]
    given: Json = {
        "name": head, **_prices(desk, position), "gap": number(abs(price - cost), "price", desk.speak),
        "rate": wording.say_percent((price / cost - 1) * 100), "move": f"{abs(cost / price - 1) * 100:.2f}%",
    }  # fmt: skip
    if price < cost:
        return [desk.speak("{name}: **{gap} below your average cost** of {cost} ({rate}), at {price} ({date}); it has"
                           " to rise {move} to reach it, fees of a sale not counted.{mark}", **given)]  # fmt: skip
    return [desk.speak("{name}: **{gap} above your average cost** of {cost} ({rate}), at {price} ({date}); a fall of"
                       " {move} brings it back there.{mark}", **given)]  # fmt: skip


def answer_cooldown(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether the hours between two trades of one security have passed."""
    speak, lines, hours = desk.speak, [], desk.request.limits.get("cooling_hours")
    if hours is None:
        return reply_of_lines(speak("No risk rules are in force yet: they begin with the first entry of the ledger."))
    if not asked.securities:
        return reply_of_lines(
            speak("Your rule: {hours} hours between two trades of one security. Of which one?", hours=f"{hours:g}")
        )
    for head, found in (yield from _check_each(desk, asked)):
        if found.failure is not None:
            return wording.unreadable(desk, speak("the ledger"), found.failure)
        until = found.get("cooling_until")
        lines.append(
            speak(
                "{name}: **not over**: it runs until {until} (Beijing time), {hours} hours after your last trade.",
                name=head, until=until, hours=f"{hours:g}",
            )
            if until
            else speak("{name}: **over**: no trade of it in the last {hours} hours.", name=head, hours=f"{hours:g}")
        )  # fmt: skip
    return reply_of_lines(*lines)


_MOVE = pattern(
    rf"(?P<down>跌|下跌|回撤|\b(?:f[ae]ll\w*|drop\w*|declin\w*|lose[sd]?|goes down|down|crash\w*)\b)?"
    rf"(?P<up>涨|上涨|反弹|\b(?:ris\w+|rose|gain\w*|goes up|up|rall\w+|climb\w*)\b)?"
    rf"\s*(?:了|个|(?P<to>到|至|回到|\bto\b|\bat\b|\breach\w*\b|\bhits?\b)|\bby\b|\banother\b|再)?\s*[$¥]?"
    rf"(?P<n>{COUNT})\s*(?P<pct>%|％|个?百?分?点|per ?cent)?(?P<half>一半)?",
    re.I,
)


_BY_PARTS = pattern(
    r"(?P<up>翻[一]?[倍番]|\bdoubl(?:e|es|ed)\b)|[跌掉]了?.{0,2}(?:一半|半)|腰斩"
    r"|\b(?:by )?(?:a )?half\b|\bhal(?:ves|ved)\b",
    re.I,
)
"""A move to the double or to the half of a price."""


def answer_what_if(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what a position gains or loses where its price moves by so much, or to so much; a line for each move."""
    if other := _OTHER.search(asked.words):
        return wording.ask_back(desk, (other[0],))
    read = read_supposed(asked.words)
    others = read is not None and any(subject.kind != "security" for subject, _ in read.moves)
    if read is not None and (others or len(asked.securities) > 1 or _WHOLE.search(strip_mentions(asked.words))):
        return (yield from supposed_moves.answer_moves(desk, asked))
    words = strip_mentions(asked.words)
    by_parts = _BY_PARTS.search(words)
    moves = [] if by_parts else [m for m in _MOVE.finditer(words) if m["down"] or m["up"] or m["to"]]
    sizes = [parse_count(m["n"].casefold()) for m in moves]
    rest = words
    for taken in [by_parts] if by_parts else moves:
        rest = rest[: taken.start()] + " " * len(taken[0]) + rest[taken.end() :]
    if unread := condition_words(rest):
        return wording.ask_back(desk, tuple(unread))
    if len(moves) > 1 and len(asked.securities) > 1:
        return wording.ask_back(desk, tuple(move[0].strip() for move in moves))  # which move is whose is not read
    known = [(m, size) for m, size in zip(moves, sizes, strict=True) if size is not None and (m["pct"] or m["to"])]
    if by_parts is None and (not moves or len(known) < len(moves)):
        return reply_of_lines(desk.speak("By how many per cent, or to which price?"))

    def say(desk: ToolDesk, asked: FactQuestion, head: str, position: Json) -> list[str]:
        price, shares = float(position["current_price"]), float(position["size"])
        targets = [price * (2 if by_parts["up"] else 0.5)] if by_parts is not None else [
            price * (1 + (size if m["up"] else -size) / 100) if m["pct"] else size for m, size in known
        ]  # fmt: skip
        currency = str(position.get("currency") or "")
        return [
            desk.speak(
                "{name}: from {price} ({date}) to {target} its {shares} shares change by **{change}**, to **{worth}**;"
                " against their cost that is {result}.{mark}",
                name=head,
                worth=wording.say_exact(desk, target * shares, currency=currency),
                target=number(target, "price", desk.speak),
                change=wording.say_exact(desk, (target - price) * shares, signed=True, currency=currency),
                result=wording.say_exact(
                    desk, target * shares - float(position["cost"]), signed=True, currency=currency
                ),
                **_prices(desk, position),
            )
            for target in targets
        ]

    told = yield from _of_held(say, asked, desk)
    if len(known) != 1 or not known[0][0]["pct"] or not _OF_ACCOUNT.search(words):
        return told
    move, size = known[0]
    status = yield from desk.one("account.status")
    weights = (yield from load_weights(desk, status)) if status.ok else {}
    if not weights and len(wording.objects_of(status, "currencies")) == 1:
        held = wording.objects_of(status, "positions").items()
        weights = {code: float(each["weight_pct"]) for code, each in held if each.get("weight_pct") is not None}
    parts = [
        desk.speak("That is **{share}** of everything you own ({name}: {weight}% of it).",
                   share=wording.say_percent(weights[each.code] * (size if move["up"] else -size) / 100),
                   name=wording.short_name(desk, each), weight=f"{weights[each.code]:.2f}")
        for each in asked.securities[:SHOWN] if each.code in weights
    ]  # fmt: skip
    return told._replace(lines=[*parts, *told.lines])


_WHOLE = pattern(
    r"总?资产|净值|身家|\b(?:net worth|account|portfolio)\b(?=.{0,14}\b(?:worth|be|stand)\b)|\bnet worth\b", re.I
)
_OTHER = pattern(
    r"几股|多少股|几手|该不该|要不要|应该|\b(?:how many|should|which|when)\b|占(?:总|账户|我|比|组合)|比重|权重"
    r"|\b(?:share|part|weight|proportion) (?:of|in) my\b",
    re.I,
)
"""Asks for something else of a move that is supposed: how many shares, whether to trade, what part it is."""
_OF_ACCOUNT = pattern(
    r"(?:账户|组合|总资产|净值|仓位?)[^，,。]{0,8}(?:几个点|百分之几|几个百分点|百分之多少|多少[%％])"
    r"|\b(?:per ?cent|share|%) of my (?:account|portfolio)\b",
    re.I,
)


def _say_trade(desk: ToolDesk, row: Json) -> str:
    given: Json = {
        "date": row.get("date"),
        "shares": number(float(row.get("quantity") or 0), "shares"),
        "price": number(row.get("price"), "price", desk.speak),
    }
    if row.get("kind") == "buy":
        told = desk.speak("{date} bought {shares} at {price}", **given)
    else:
        told = desk.speak("{date} sold {shares} at {price}", **given)
    return told + (desk.speak(', because "{reason}"', reason=row["reason"]) if row.get("reason") else "")


_BUYING_PRICE = pattern(
    r"(?:到|够|低于|跌破|达到)了?没?有?(?:我|自己)?的?买入?价|\b(?:reach|hit|at|below|under|to)\w*"
    r" my (?:buy|buying|entry|purchase)(?:ing)? (?:price|level|point)",
    re.I,
)
"""Asks whether the price at which the owner means to buy was reached."""


def answer_trade_facts(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what was paid, when the last trade was, since when and how often: from the journal."""
    speak, lines = desk.speak, []
    if asked.facts[0].field == "after_sale":
        return (yield from own_trade_facts.answer_after_sale(desk, asked))
    if asked.unread:
        return wording.ask_back(desk, asked.unread)
    of_day = asked.facts[0].field == "price_then" and [span.kind for span in asked.spans] == [DAY]
    if asked.spans and asked.facts[0].field not in ("count", "paid", "last") and not of_day:
        return reply_of_lines(speak("That I tell of all trades, not for “{time}”.", time=asked.spans[0].said))
    days = yield from result_facts.trade_days(desk, asked)
    if days is None:
        return wording.ask_back(desk, tuple(span.said for span in asked.spans))
    status = yield from desk.one("account.status")
    held = wording.objects_of(status, "positions")
    for mention in asked.securities[:SHOWN]:
        rows, result = yield from journal_rows.load_trades(desk, mention)
        if result.failure is not None:
            return wording.unreadable(desk, speak("the journal"), result.failure)
        rows = [row for row in rows if result_facts.is_within(row, days)]
        head = wording.head_of(desk, mention)
        if not rows and _BUYING_PRICE.search(asked.words):
            lines += (yield from own_notes.compare_level(desk, mention, asked.words)).lines
        elif not rows:
            lines.append(speak("{name}: the journal has no such trade.", name=head))
        else:
            found = {"rows": rows, **held.get(mention.code, {})}
            if asked.facts[0].field == "price_then":
                changes = yield from load_share_changes(desk, mention.code, float(found.get("size") or 0))
                found["factor_since"] = changes.factor_since
            lines += _TRADE_FACTS[asked.facts[0].field](desk, asked, head, found)
    return reply_of_lines(*lines)


def _say_paid(desk: ToolDesk, asked: FactQuestion, head: str, found: Json) -> list[str]:
    bought = [row for row in found["rows"] if row.get("kind") == "buy"]
    if not bought:
        return [desk.speak("{name}: the journal has no such trade.", name=head)]
    fees = sum(float(row.get("fees") or 0) for row in bought)
    shares = sum(float(row["quantity"]) for row in bought)
    paid = sum(float(row["quantity"]) * float(row["price"]) for row in bought)
    currency = str(bought[0].get("currency") or "")
    lines = [
        desk.speak(
            "{name}: **{paid}** for {shares} shares, {price} a share, and {fees} of fees: {whole} in all.",
            name=head,
            paid=wording.say_exact(desk, paid, currency=currency),
            shares=number(shares, "shares"),
            price=number(paid / shares, "price", desk.speak),
            fees=wording.say_exact(desk, fees),
            whole=wording.say_exact(desk, paid + fees, currency=currency),
        )
    ]
    return lines + ["- " + _say_trade(desk, row) for row in bought[-SHOWN:]]


def _say_last(desk: ToolDesk, asked: FactQuestion, head: str, found: Json) -> list[str]:
    words, rows = asked.words, found["rows"]
    kind = "buy" if re.search(r"买|加仓|\b(?:buy|bought|purchas)", words, re.I) else (
        "sell" if re.search(r"卖|减仓|\b(?:sell|sold|sale)", words, re.I) else "")  # fmt: skip
    chosen = [row for row in rows if kind in ("", row.get("kind"))]
    if not chosen:
        return [desk.speak("{name}: the journal has no such trade.", name=head)]
    return [f"{head}{desk.speak(': ')}**{_say_trade(desk, chosen[-1])}**"]


def _say_since(desk: ToolDesk, asked: FactQuestion, head: str, found: Json) -> list[str]:
    bought = [row for row in found["rows"] if row.get("kind") == "buy"]
    signed = ((1 if row.get("kind") == "buy" else -1) * float(row.get("quantity") or 0) for row in found["rows"])
    if found.get("size") and bought and sum(signed) != float(found["size"]):
        return [
            desk.speak("{name}: bonus shares or a split came between, so I cannot tell since when; the first purchase:"
                       " {trade}.", name=head, trade=_say_trade(desk, bought[0]))
        ]  # fmt: skip
    start = journal_rows.find_start(found["rows"])
    if not found.get("size") and (closed := _find_last_holding(found["rows"])):
        return _say_days_held(desk, head, closed)
    if start is None or not found.get("size"):
        return [desk.speak("{name}: you hold none now; the last trade: {trade}.", name=head,
                           trade=_say_trade(desk, found["rows"][-1]))]  # fmt: skip
    days = (date.fromisoformat(desk.request.day) - date.fromisoformat(str(start["date"]))).days
    told = desk.speak(PluralText("{count} day", "{count} days"), count=days)
    lines = [
        desk.speak("{name}: **since {date}**, {days}: {trade}.", name=head, date=start["date"], days=told,
                   trade=_say_trade(desk, start))
    ]  # fmt: skip
    sold = [row for row in found["rows"] if row.get("kind") == "sell" and str(row["date"]) >= str(start["date"])]
    if sold:
        held = (date.fromisoformat(str(sold[-1]["date"])) - date.fromisoformat(str(start["date"]))).days
        lines.append(desk.speak(PluralText("Sold in part after **{count} day**: {trade}.",
                                           "Sold in part after **{count} days**: {trade}."),
                                count=held, trade=_say_trade(desk, sold[-1])))  # fmt: skip
    return lines


def _find_last_holding(rows: list[Json]) -> list[Json]:
    """Return the trades from the purchase that began the last holding that was sold to its last sale; [] for none."""
    held, size, last = list[Json](), 0.0, list[Json]()
    for row in rows:
        size += (1 if row.get("kind") == "buy" else -1) * float(row.get("quantity") or 0)
        held.append(row)
        if size <= 0:
            held, last, size = [], held if size == 0 and held[0].get("kind") == "buy" else [], 0.0
    return [] if held else last


def _say_days_held(desk: ToolDesk, head: str, rows: list[Json]) -> list[str]:
    """Return for how many days what was sold had been held, each purchase of it by itself where there are several."""
    speak, end = desk.speak, str(rows[-1]["date"])
    bought = [row for row in rows if row.get("kind") == "buy"]
    told = [
        speak(
            PluralText("{count} day", "{count} days"),
            count=(date.fromisoformat(end) - date.fromisoformat(str(row["date"]))).days,
        )
        for row in bought
    ]
    lines = [
        speak("{name}: **{days}**, {first} to {last}; you hold none now.", name=head, days=told[0],
              first=bought[0]["date"], last=end)
    ]  # fmt: skip
    if len(bought) > 1:
        lines += [f"- {_say_trade(desk, row)}{speak(': ')}{days}" for row, days in zip(bought, told, strict=True)][
            :SHOWN
        ]
    return [*lines, speak("Sold: {trade}.", trade=_say_trade(desk, rows[-1]))]


def _say_price_then(desk: ToolDesk, asked: FactQuestion, head: str, found: Json) -> list[str]:
    bought = [row for row in found["rows"] if row.get("kind") == "buy"]
    told = desk.speak.join_clauses([_say_trade(desk, row) for row in bought[-SHOWN:]])
    lines = [f"{head}{desk.speak(': ')}**{told}**"] if told else []
    if found.get("current_price") is None or not bought:
        return lines
    price, factor = float(found["current_price"]), found["factor_since"](str(bought[-1]["date"]))
    if factor is None:
        return [*lines, desk.speak("The change since is not known: bonus shares or splits came between.")]
    change = wording.say_percent(price * factor / float(bought[-1]["price"]) * 100 - 100)
    now = _prices(desk, found)
    if _PRICE_THEN.search(asked.words):
        return [
            *lines,
            desk.speak("Now {price} ({date}): {change} since the last purchase; your position {profit} ({rate}).{mark}",
                       change=change, **now),
        ]  # fmt: skip
    if asked.spans:
        return [
            desk.speak("{name}: **{change}** since this purchase ({trade}), {price} now ({date}).{mark}", name=head,
                       change=change, trade=_say_trade(desk, bought[-1]), **now),
        ]  # fmt: skip
    return [
        desk.speak("{name}: **{change}** since the last purchase, {price} now ({date}); your position {profit}"
                   " ({rate}).{mark}", name=head, change=change, **now),
        *(f"- {_say_trade(desk, row)}{_say_change_since(desk, row, price, found)}" for row in bought[-SHOWN:]),
        *(_say_annual(desk, bought[0], price, found) if _ANNUAL.search(asked.words) else ()),
    ]  # fmt: skip


_ANNUAL = pattern(r"年化|\bannuali[sz]ed\b", re.I)
_YEAR = 365
"""Days below which no change is put as the rate of a year."""


def _say_annual(desk: ToolDesk, first: Json, price: float, found: Json) -> list[str]:
    """Return the change since the first purchase as the rate of a year; that it is none for less than a year."""
    days = (desk.request.moment.date() - date.fromisoformat(str(first["date"]))).days
    if days < _YEAR:
        return [desk.speak("In {days} days; less than a year is not annualized.", days=days)]
    factor = found["factor_since"](str(first["date"]))
    if factor is None:
        return []
    rate = (price * factor / float(first["price"])) ** (365.25 / days) * 100 - 100
    return [desk.speak("Since the first purchase **{rate} a year**.", rate=wording.say_percent(rate))]


def _say_change_since(desk: ToolDesk, row: Json, price: float, found: Json) -> str:
    """Return the change since one purchase; "" where bonus shares or splits make that unknown."""
    factor = found["factor_since"](str(row["date"]))
    change = "" if factor is None else wording.say_percent(price * factor / float(row["price"]) * 100 - 100)
    return f"{desk.speak(': ')}{change}" if change else ""


_PRICE_THEN = pattern(r"买(?:入|进)?(?:的时候|时|那天|当天)|\bwhen i (?:bought|got|purchased)\b|\bprice did i\b", re.I)
"""Words that ask for the price of the purchase, not for the change since."""


_COUNTED = ((pattern(r"买|加仓|\b(?:buy|bought|purchas|add)", re.I), "buy"),
            (pattern(r"卖|减仓|\b(?:sell|sold|sale)", re.I), "sell"))  # fmt: skip


def _say_count(desk: ToolDesk, asked: FactQuestion, head: str, found: Json) -> list[str]:
    kinds = [kind for form, kind in _COUNTED if form.search(asked.words)] or ["buy", "sell"]
    speak, lines = desk.speak, []
    for kind in kinds:
        rows = [row for row in found["rows"] if row.get("kind") == kind]
        given: Json = {"name": head, "count": len(rows)}
        told = (
            speak(PluralText("{name}: bought **{count}** time", "{name}: bought **{count}** times"), **given)
            if kind == "buy"
            else speak(PluralText("{name}: sold **{count}** time", "{name}: sold **{count}** times"), **given)
        )
        if rows:
            told += speak(": ") + speak.join_clauses([_say_trade(desk, row) for row in rows[-SHOWN:]])
        lines.append(told)
    return lines


_TRADE_FACTS: dict[str, _Said] = {
    "paid": _say_paid,
    "last": _say_last,
    "since": _say_since,
    "price_then": _say_price_then,
    "count": _say_count,
}

ANSWERS = {
    "own_stop": answer_own_stop,
    "take_profit": answer_take_profit,
    "own_pct": answer_pct,
    "sellable": answer_sellable,
    "sellable_each": answer_sellable_each,
    "break_even": answer_break_even,
    "cost_distance": answer_cost_distance,
    "cooldown": answer_cooldown,
    "what_if": answer_what_if,
    "trade_facts": answer_trade_facts,
}
