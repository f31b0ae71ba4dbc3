"""Questions about the own account, the market of the day and orders: answered from ledger and store, as they stand."""

import re

from ia.agent.analyst.ask.amounts import find_size
from ia.agent.analyst.ask.facts import condition_words
from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.ask.leftover_words import find_unread_words
from ia.agent.analyst.ask.mentions import LONGEST, strip_mentions
from ia.agent.analyst.ask.time_spans import DAY, EVER, UNREAD, find_time_spans
from ia.agent.analyst.desk import NO_TOOL, DeskCall, Failure, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import display_name
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.jobs import daily, risk_rules
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.agent.analyst.voice import count_han
from ia.kernel.errors import BadData
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

SHOWN = 5
_TOP = 3
"""Securities that rose most, told beside the main lines."""
LARGEST = 4
"""Positions in an overview, so that it fits a terminal."""
_SELL = pattern(r"卖|抛|减仓|清仓|平仓|\b(?:sell\w*|sold|sales?|short\w*|liquidat\w+|close out|exit\w*)\b", re.I)


def holdings(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Tell what is held, what it brought, and which risk rules are touched; of the securities named, only of these."""
    speak = desk.speak
    if asked := (yield from _other_question(desk, wanted)):
        return asked
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return reply.reply_of_lines(_unread(desk, status.failure, speak("the ledger")))
    positions = daily.positions_of(status)
    if not positions and not status.get("currencies"):
        return reply.reply_of_lines(
            speak("The ledger is empty: nothing was entered yet."),
            speak(
                "`ia trade deposit AMOUNT` enters money, `ia trade buy SYMBOL QUANTITY PRICE` a purchase, `ia trade"
                " import FILE` reads a broker's statement.",
            ),
        )
    named = [mention.code for mention in wanted.securities]
    if named:
        lacking = [code for code in named if code not in dict(positions)]
        positions = [(code, each) for code, each in positions if code in named]
        if not positions:
            return reply.reply_of_lines(speak("{names}: none is held.", names=speak.join_items(lacking)))
    largest = sorted(positions, key=lambda row: -float(daily.weight_of(row[1]) or 0))[:LARGEST]
    shown = positions if len(positions) <= LARGEST + 1 else largest
    held = daily.tabulate_positions(desk, status, shown) or [speak("Nothing is held.")]
    if more := len(positions) - len(shown):
        held += ["", speak("The largest; and {count} more: `ia account`", count=more)]
    broken = daily.broken_rules(desk, status, positions)
    gain = daily.describe_gain(desk, status)
    mark = speak(" (prices are simulated)") if status.get("simulated") else ""
    lines = [*(line + mark for line in gain[:1]), *gain[1:], *held, ""]
    lines += [f"- {line}" for line in broken[:LARGEST]]
    told = [f"{symbol} {daily.row_of(each)}" for symbol, each in positions]
    return Reply(lines, [*daily.describe_gain(desk, status), *broken], told, signed=True)


def _other_question(desk: ToolDesk, wanted: Intent) -> Work[Reply | None]:
    """Return the answer where a time or a condition is asked for, which an overview of now would drop; else None."""
    from ia.agent.analyst.jobs.facts import result_facts, wording

    plain = strip_mentions(wanted.words)
    spans = find_time_spans(plain, desk.request.moment.date())
    others = [
        span for span in spans if span.kind != EVER and not (span.kind == DAY and f"{span.first}" == desk.request.day)
    ]
    if any(span.kind == UNREAD for span in others) or len(others) > 1:
        return wording.ask_back(desk, tuple(span.said for span in others))
    for span in spans:
        plain = plain[: span.at[0]] + " " * len(span.said) + plain[span.at[1] :]
    if unread := condition_words(plain):
        return wording.ask_back(desk, tuple(unread))
    if left := find_unread_words(plain, "holdings", ()):
        return wording.ask_back(desk, left)
    if not others:
        return None
    if wanted.securities:
        return (yield from result_facts.answer_named(desk, wanted.securities[:SHOWN], others[0]))
    return (yield from result_facts.answer_over(desk, others[0]))


def main_lines(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Tell the main lines of the newest stored day with their leaders, how broad the market was, and what rose most."""
    from ia.agent.analyst.jobs.facts import wording

    speak = desk.speak
    found, market, rose = yield from desk.run(
        DeskCall("market.mainline", {}), DeskCall("market.summary", {}), DeskCall("market.gainers", {"limit": SHOWN})
    )
    if found.failure is not None:
        return reply.reply_of_lines(_unread(desk, found.failure, speak("the stored market")))
    for span in find_time_spans(strip_mentions(wanted.words[:LONGEST]), desk.request.moment.date()):
        if span.kind == UNREAD or span.last is None:
            return wording.ask_back(desk, (span.said,))
        if not f"{span.first or span.last}" <= str(found.get("date")) <= f"{span.last}":
            return wording.refuse_time(desk, speak("the main line"), span, str(found.get("date")))
    lines = daily.lines_of(found)
    verdict = daily.describe_main_line(desk, found, lines)
    day = speak("the close of {date}", date=found.get("date")) if found.get("closed") else str(found.get("time"))
    head = speak("**The market's main line** ({date})", date=day)
    mark = wording.simulated_mark(desk, found.get("simulated"))
    out = [f"{head}{speak(': ')}{verdict}{mark}", *(f"- {daily.describe_line(desk, line)}" for line in lines[:SHOWN])]
    out += [speak("**Market** {breadth}", breadth=daily.breadth(desk, market))] if market.ok else []
    stocks = rose.get("stocks") if rose.ok else None
    top = (
        [daily.describe_riser(desk, each) for each in stocks[:_TOP] if isinstance(each, dict)]
        if isinstance(stocks, list)
        else []
    )
    out += [speak("**At the top**"), *(f"{at}. {line}" for at, line in enumerate(top, 1)), ""] if top else []
    return Reply(out, [head.strip("*"), verdict], [daily.describe_line(desk, each) for each in lines], signed=True)


def order(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Say that no order is placed here, what the risk rules say of a buy, and how one that was made is journalled."""
    speak = desk.speak
    what = wanted.securities[0] if wanted.securities else None
    lines = [
        speak(
            "ia researches and never places an order; it is connected to no broker.",
        )
    ]
    selling = bool(_SELL.search(wanted.words))
    if what and _PROPOSED.search(wanted.words) and (made := (yield from _propose_order(desk, wanted, selling=selling))):
        return reply.reply_of_lines(*made)
    if what and not selling:
        size = find_size(wanted.words.replace(what.said, " "))
        shares = size.shares_of(what.symbol) if size else None
        lines += yield from risk_rules.check_buy(desk, what.code, quantity=shares)
    lines += [
        speak(
            "What you traded yourself you can journal: `ia trade {action} {symbol} QUANTITY PRICE`; ask"
            " `ia trade check` before the order.",
            action="sell" if selling else "buy",
            symbol=what.code if what else speak("SYMBOL"),
        ),
        speak(
            'To have it researched first, say "look at {security}".',
            security=what.said if what else speak("the security"),
        ),
    ]
    if condition := _alert_condition(wanted.words):
        lines.append(speak('An alert can tell you when it is time: say "tell me {condition}".', condition=condition))
    return reply.reply_of_lines(*lines)


_TRADE_EN = pattern(
    r",?\s*(?:then\s+|please\s+)*\b(?:buy|sell|liquidate|dump|close out|exit|trim|reduce|cut|add to)\b.*\Z", re.I | re.S
)
_TRADE_ZH = pattern(
    r"(?:时|后|的话)?[，,]?\s*(?:就|则|立即|马上|自动|帮我|替我|给我|把它|全部|都)*"
    r"(?:卖|买|清仓|加仓|减仓|建仓|平仓).*\Z",
    re.S,
)


def _alert_condition(words: str) -> str:
    """Return the condition of an order that an alert can watch (of 跌破90就卖掉 “跌破90”); "" without one."""
    from ia.faculties.alerts.wishes import read_alert_wish

    trade = _TRADE_ZH if count_han(words) else _TRADE_EN
    condition = trade.sub("", " ".join(words.split())).strip(" ,，。.")
    try:
        read_alert_wish(condition)
    except BadData:
        return ""
    return condition[:1].casefold() + condition[1:]


_PROPOSED = pattern(r"\bpropos(?:e|al)\b|提案|提议|提出", re.I)


def _propose_order(desk: ToolDesk, wanted: Intent, *, selling: bool) -> Work[list[str]]:
    """Propose a trade whose security and size are named, for the owner to decide; [] where one is missing."""
    speak, (what, *others) = desk.speak, wanted.securities
    words = strip_mentions(wanted.words)
    size = find_size(words)
    quantity = size.shares_of(what.symbol) if size else None
    rest = condition_words(words[: size.at[0]] + words[size.at[1] :]) if size else []
    if others or not quantity or rest:
        return []
    side = "sell" if selling else "buy"
    made = yield from desk.one("trade.execute", action=side, symbol=what.code, quantity=quantity, order_type="market")
    name = display_name(desk, what)
    if made.failure is not None:
        return [speak("Not proposed: {error}", error=describe_failure(speak, made.failure))]
    if made.get("status") == "rejected":
        return [name + speak(": ") + risk_rules.describe_rejection(desk, made)]
    given: Json = {"name": name, "shares": f"{quantity:,.10g}"}
    return [
        speak("{name}: a sale of {shares} shares is proposed.", **given)
        if selling
        else speak("{name}: a purchase of {shares} shares is proposed.", **given),
        speak("`ia approve {number}` enters it, `ia reject {number}` drops it.", number=made.get("order_id")),
        speak("ia places no orders: approve it once the trade is done."),
    ]


KINDS = {"holdings": holdings, "mainline": main_lines, "order": order}


def _unread(desk: ToolDesk, failure: Failure, what: str) -> str:
    """Return why ledger or store could not be read, and what to type."""
    speak = desk.speak
    if failure.code == NO_TOOL:
        return speak(
            "There is no tool here to read {what}. `ia init` installs those that come with ia.",
            what=what,
        )
    if failure.code == "market-not-stored":
        return speak(
            "Nothing of the market is stored yet: run `ia sync daily`, then ask again.",
        )
    return speak(
        "{what} could not be read: {error}",
        what=what,
        error=describe_failure(speak, failure),
    )
