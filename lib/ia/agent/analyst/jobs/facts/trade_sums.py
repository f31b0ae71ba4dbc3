"""What purchases or sales came to, in all or by month, security or market."""

import re

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import account_facts, result_facts, wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.errors import PluralText
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_SPENT = pattern(r"花|\b(?:spen[dt]|paid|pay|laid out|cost)\b", re.I)


_NET = pattern(r"净|相抵|差额?|流[入出]|\b(?:net|difference|balance)\b", re.I)
SHOWN = 8


def names_both_sides(words: str) -> bool:
    """Return True if words ask for what was bought as well as for what was sold.

    >>> names_both_sides("卖出回笼多少，买进又花了多少"), names_both_sides("买卖了多少钱"), names_both_sides("买了多少")
    (True, False, False)
    """
    return _BOUGHT.search(words) is not None and _SOLD.search(words) is not None


_BOUGHT = pattern(r"买(?!卖)|\b(?:buy|buying|bought|purchases?d?)\b", re.I)
_SOLD = pattern(r"(?<!买)卖|\b(?:sell|selling|sold|sales?)\b", re.I)


def answer_traded_sum(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the purchases, or the sales, of a time came to, in each currency, without fees; or both, and net."""
    speak = desk.speak
    days = yield from result_facts.trade_days(desk, asked)
    both = names_both_sides(asked.words)
    side = "" if both else account_facts.named_side(asked.words) or ("buy" if _SPENT.search(asked.words) else "")
    if days is None or not (side or both):
        return wording.ask_back(desk, tuple(span.said for span in asked.spans) or (asked.words,))
    codes = [mention.code for mention in asked.securities]
    result = yield from desk.one("trade.list", limit=account_facts.LIMIT)
    if result.failure is not None:
        return wording.unreadable(desk, speak("the journal"), result.failure)
    if len(wording.rows_of(result.value)) >= account_facts.LIMIT:
        return reply_of_lines(
            speak("Only the newest {count} entries of the journal are read.", count=account_facts.LIMIT)
        )
    within = [row for row in account_facts.entries_within(result.value, days) if not codes or row["symbol"] in codes]
    time = speak.join_items([each.label for each in days])
    when = speak(" ({days})", days=time) if time else ""
    rows = [row for row in within if both or row.get("kind") == side]
    if not rows:
        return reply_of_lines(speak("No such trade is in the journal{when}.", when=when))
    heads = [
        _say_side(desk, [row for row in rows if row.get("kind") == each], each, when)
        for each in (("sell", "buy") if both else (side,))
    ]
    if both:
        heads.append(_say_net(desk, rows))
        if _NET.search(asked.words):
            heads.insert(0, heads.pop())
    shown = [
        f"- {wording.security_name(desk, str(row.get('symbol')), row.get('name'))}{speak(': ')}"
        f"{account_facts.say_trade(desk, row)}"
        for row in rows[:SHOWN]
    ]
    more = [speak("… {count} more: `ia trade list`", count=len(rows) - SHOWN)] if len(rows) > SHOWN else []
    return reply_of_lines(*heads, *shown, *more)


def answer_grouped(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how many trades each month, security or market has, what they came to, and their fees and taxes."""
    speak, rows = desk.speak, (yield from account_facts.load_trades(desk, asked))
    if isinstance(rows, Reply):
        return rows
    groups: dict[str, list[Json]] = {}
    for row in sorted(rows, key=lambda each: str(each.get("date"))):
        groups.setdefault(_group_of(desk, row, asked.words), []).append(row)
    if not groups:
        return reply_of_lines(speak("The journal has no such trade."))
    whole, bought = len(rows), sum(row.get("kind") == "buy" for row in rows)
    lines = [
        speak(PluralText("**{count} trade**: {bought} bought, {sold} sold",
                         "**{count} trades**: {bought} bought, {sold} sold"), count=whole, bought=bought,
              sold=whole - bought)
    ]  # fmt: skip
    lines += [f"- {name}{speak(': ')}{_say_group(desk, own)}" for name, own in [*groups.items()][-SHOWN:]]
    if len(groups) > SHOWN:
        lines.append(speak("… and {count} more: `ia trade list`", count=len(groups) - SHOWN))
    return reply_of_lines(*lines)


_BY_MONTH = pattern(r"月|\bmonth\b", re.I)
_BY_MARKET = pattern(r"市场|\bmarket\b", re.I)
_MARKETS = {"CNY": mark_text("mainland"), "HKD": mark_text("Hong Kong"), "USD": mark_text("United States")}


def _group_of(desk: ToolDesk, row: Json, words: str) -> str:
    """Return the name of the month, the market or the security that a trade is of, whichever words ask for."""
    if _BY_MONTH.search(words):
        return str(row.get("date"))[:7]
    if _BY_MARKET.search(words):
        currency = str(row.get("currency"))
        return desk.speak(_MARKETS[currency]) if currency in _MARKETS else currency
    return wording.security_name(desk, str(row.get("symbol")), row.get("name"))


def _say_group(desk: ToolDesk, rows: list[Json]) -> str:
    """Return how many purchases and sales some trades are, what these came to, and all fees."""
    speak, told = desk.speak, list[str]()
    for side in ("buy", "sell"):
        own = [row for row in rows if row.get("kind") == side]
        if own:
            given: Json = {"count": len(own), "money": _say_money(desk, own)}
            told.append(
                speak("{count} bought ({money})", **given)
                if side == "buy"
                else speak("{count} sold ({money})", **given)
            )
    paid = _say_money(desk, [{**row, "amount": row.get("fees")} for row in rows if float(row.get("fees") or 0)])
    return speak.join_items(told) + (speak("; fees {money}", money=paid) if paid else "")


def _say_money(desk: ToolDesk, rows: list[Json]) -> str:
    """Return what some trades came to, by currency."""
    sums: dict[str, float] = {}
    for row in rows:
        sums[str(row.get("currency"))] = sums.get(str(row.get("currency")), 0.0) + _amount_of(row)
    return " + ".join(f"{money:,.2f} {currency}" for currency, money in sums.items())


def _amount_of(row: Json) -> float:
    return float(row.get("amount") or float(row["quantity"]) * float(row["price"]))


def _say_side(desk: ToolDesk, rows: list[Json], side: str, when: str) -> str:
    """Return what the purchases, or the sales, came to by currency, and their fees."""
    speak = desk.speak
    if not rows:
        return (
            speak("No purchase is in the journal{when}.", when=when)
            if side == "buy"
            else speak("No sale is in the journal{when}.", when=when)
        )
    sums: dict[str, tuple[float, float]] = {}
    for row in rows:
        money, fees = sums.get(str(row.get("currency")), (0.0, 0.0))
        sums[str(row.get("currency"))] = (money + _amount_of(row), fees + float(row.get("fees") or 0))
    given: Json = {
        "money": speak.join_items([f"{money:,.2f} {currency}" for currency, (money, _) in sums.items()]),
        "fees": speak.join_items([f"{fees:,.2f} {currency}" for currency, (_, fees) in sums.items()]),
        "count": len(rows),
        "when": when,
    }
    return (
        speak(PluralText("**{money}** for {count} purchase{when}; fees {fees} besides.",
                         "**{money}** for {count} purchases{when}; fees {fees} besides."), **given)
        if side == "buy"
        else speak(PluralText("**{money}** from {count} sale{when}; fees {fees} besides.",
                              "**{money}** from {count} sales{when}; fees {fees} besides."), **given)
    )  # fmt: skip


def _say_net(desk: ToolDesk, rows: list[Json]) -> str:
    """Return what sales brought less what purchases took, fees included, by currency."""
    speak, nets = desk.speak, dict[str, float]()
    for row in rows:
        sign = -1 if row.get("kind") == "buy" else 1
        currency = str(row.get("currency"))
        nets[currency] = nets.get(currency, 0.0) + sign * _amount_of(row) - float(row.get("fees") or 0)
    told = [wording.say_exact(desk, net, signed=True, currency=currency) for currency, net in nets.items()]
    return speak("Sales less purchases, after fees: **{money}**.", money=speak.join_items(told))


ANSWERS = {"traded_sum": answer_traded_sum, "trades_grouped": answer_grouped}
