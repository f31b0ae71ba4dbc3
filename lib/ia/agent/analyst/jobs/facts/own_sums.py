"""Sums of what is owned: a currency's money in another, a figure of all holdings, the largest closed position."""

import re

from ia.agent.analyst.ask.amounts import CURRENCY_WORDS
from ia.agent.analyst.ask.facts import FactQuestion, market_table
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import result_facts, wording
from ia.agent.analyst.jobs.facts.held import load_held, load_status, load_weights, name_position
from ia.agent.analyst.jobs.facts.record_facts import load_closed
from ia.agent.analyst.jobs.facts.watch_facts import stored_figures
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.jsontypes import Json
from ia.kernel.patterns import pattern

_INTO = pattern(
    r"(?:[折换]|换算|折算|兑换|计|算|值|用|按|以|等于|相当于|合|兑)(?:合|算|成|作|为|价)*(?:多少|几)?(?:钱)?(?:的)?\s*\Z"
    r"|(?:多少|几)(?:钱)?\s*\Z|\b(?:in|into|to|worth)(?: (?:the|us|hong kong|chinese))?\s*\Z",
    re.I,
)
"""Words after which a currency is the one that money is told in."""
_CASH = pattern(r"现金|余额|\bcash\b", re.I)
_SHARES = pattern(r"持仓|股票|市值|\b(?:positions?|holdings?|shares|stocks)\b", re.I)


def answer_currency_converted(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the money of one currency comes to in another: all of its account, and its cash and positions."""
    speak = desk.speak
    source, target = _read_currencies(asked.words)
    if asked.spans or asked.unread or not source:
        return wording.ask_back(
            desk, asked.unread or tuple(span.said for span in asked.spans) or (asked.words.strip(),)
        )
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    book = wording.objects_of(status, "currencies").get(source)
    if book is None:
        return reply_of_lines(speak("The ledger has no {currency} account.", currency=source))
    target = target or str((status.get("total") or {}).get("currency") or "CNY")
    rate = yield from wording.load_rate(desk, source, target)
    if rate is None:
        return reply_of_lines(
            speak("No exchange rate of {currency} in {base} is stored: `ia sync rates` fetches rates.",
                  currency=source, base=target)
        )  # fmt: skip
    parts = {"equity": speak("In all"), "cash": speak("Cash"), "positions_value": speak("Positions")}
    first = "cash" if _CASH.search(asked.words) else "positions_value" if _SHARES.search(asked.words) else "equity"
    told = []
    for key in sorted(parts, key=lambda each: each != first):
        if book.get(key) is None:
            continue
        amount = float(book[key])
        told.append(
            speak("{part} **{worth}** ({amount})", part=parts[key],
                  worth=wording.say_exact(desk, amount * float(rate["rate"]), currency=target),
                  amount=wording.say_exact(desk, amount, currency=source))
        )  # fmt: skip
    if not told:
        return reply_of_lines(speak("unknown ({currency})", currency=source))
    told[0] += wording.simulated_mark(desk, status.get("simulated"))
    shown = wording.rate_params(desk, rate)
    return reply_of_lines(
        *told,
        speak(
            "1 {currency} = {rate} {base} ({date}, {source})",
            currency=source,
            base=target,
            rate=shown["rate"],
            date=shown["date"],
            source=shown["source"],
        ),
    )


def _unread_of(asked: FactQuestion) -> tuple[str, ...]:
    return asked.unread or tuple(span.said for span in asked.spans) or (asked.words.strip(),)


def _read_currencies(words: str) -> tuple[str, str]:
    """Return the currency whose money is meant, and the one to tell it in ("" where none is named).

    >>> _read_currencies("我的美元换成人民币是多少"), _read_currencies("用人民币算我有多少美元")
    (('USD', 'CNY'), ('USD', 'CNY'))
    >>> _read_currencies("我的港币账户值多少人民币"), _read_currencies("我的人民币折合多少美元")
    (('HKD', 'CNY'), ('CNY', 'USD'))
    """
    named = sorted((found.start(), code) for code, form in CURRENCY_WORDS for found in form.finditer(words))
    codes = list(dict.fromkeys(code for _, code in named))
    if len(codes) != 2:
        return (codes[0], "") if len(codes) == 1 else ("", "")
    begun = next((code for at, code in named if at and re.search(r"[用按以]\Z|\bin\s*\Z", words[:at])), "")
    target = begun or next((code for at, code in named[1:] if _INTO.search(words[:at])), "") or codes[1]
    return next(code for code in codes if code != target), target


_SUMMED = pattern(
    r"sum of my (?P<en>[a-z ]+?) in (?P<codes>[a-z]{3}(?: and [a-z]{3})*) told in (?P<into>[a-z]{3})"
    r"|我的(?P<zh_codes>[a-z]{3}(?:和[a-z]{3})*)(?P<zh>[\u4e00-\u9fff]+)之和折(?P<zh_into>[a-z]{3})",
    re.I,
)
_SUM_KEYS = {
    "cash": "cash", "现金": "cash", "positions": "positions_value", "持仓": "positions_value",
    "money": "equity", "资产": "equity", "profit": "total_pnl", "盈亏": "total_pnl",
    "realized profit": "realized_pnl", "已实现盈亏": "realized_pnl", "unrealized profit": "unrealized_pnl",
    "浮动盈亏": "unrealized_pnl", "fees": "fees", "费用": "fees", "deposits": "invested", "入金": "invested",
}  # fmt: skip


def answer_currency_sum(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what the money in several currencies comes to in one: cash, positions, profit, fees, deposits."""
    speak, found = desk.speak, _SUMMED.search(asked.words)
    if found is None or asked.spans or asked.unread:
        return wording.ask_back(desk, _unread_of(asked))
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    key = _SUM_KEYS[(found["en"] or found["zh"]).casefold()]
    codes = re.split(r" AND |和", (found["codes"] or found["zh_codes"]).upper())
    into, books = (found["into"] or found["zh_into"]).upper(), wording.objects_of(status, "currencies")
    codes = list(books) if codes == ["ALL"] else codes
    whole, parts, notes, signed = 0.0, list[str](), list[str](), key.endswith("_pnl")
    for code in codes:
        amount = wording.figure_of(books.get(code) or {}, key)
        rate: Json | None = {"rate": 1}
        if amount is not None and code != into:
            rate = yield from wording.load_rate(desk, code, into)
        if amount is None or rate is None:
            return reply_of_lines(speak("{currency}: a figure of the account is not known: `ia account`.",
                                        currency=code))  # fmt: skip
        worth = round(amount * float(rate["rate"]), 2)
        whole += worth
        told = wording.say_exact(desk, amount, signed=signed, currency=code)
        converted = wording.say_exact(desk, worth, signed=signed, currency=into)
        parts.append(told if code == into else f"{told} = {converted}")
        if code != into:
            shown = wording.rate_params(desk, rate)
            notes.append(speak("1 {currency} = {rate} {base} ({date}, {source})", currency=code, base=into,
                               rate=shown["rate"], date=shown["date"], source=shown["source"]))  # fmt: skip
    names = {
        "cash": speak("Cash"), "positions_value": speak("Positions"), "equity": speak("In all"),
        "total_pnl": speak("Profit"), "realized_pnl": speak("Realized profit"),
        "unrealized_pnl": speak("Unrealized profit"), "fees": speak("Fees and taxes"), "invested": speak("Paid in"),
    }  # fmt: skip
    mark = wording.simulated_mark(desk, status.get("simulated"))
    return reply_of_lines(
        speak("{name} together: **{whole}** ({parts}){mark}", name=names[key], mark=mark,
              whole=wording.say_exact(desk, whole, signed=signed, currency=into), parts=speak.join_clauses(parts)),
        speak.join_clauses(notes),
    )  # fmt: skip


_MEAN_OF = ("pe", "pb", "dividend_yield")
"""Figures of one security of which a mean over holdings makes sense."""
_OF_SHARE = ("pe", "pb")
"""Those that divide by what a share earns or owns: their mean is all value over all of that."""


def answer_mean_figure(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer a valuation figure of all holdings as one, weighted by value, and its simple mean."""
    speak = desk.speak
    wanted = next((each for each in market_table(desk.tables).ranks if each.words.search(asked.words)), None)
    if asked.spans or asked.unread or wanted is None or wanted.id not in _MEAN_OF:
        return wording.ask_back(
            desk, asked.unread or tuple(span.said for span in asked.spans) or (asked.words.strip(),)
        )
    loaded = yield from load_held(desk, asked)
    if isinstance(loaded, Reply):
        return loaded
    status, held = loaded
    weights = (yield from load_weights(desk, status)) or {
        symbol: float(each["value"]) for symbol, each in held if each.get("value") is not None
    }
    found = yield from stored_figures(desk, wanted.field, [symbol for symbol, _ in held])
    stored = {symbol: value for value, symbol in found}
    known = [(weights[symbol], stored[symbol]) for symbol, _ in held if symbol in stored and symbol in weights]
    without = [name_position(desk, symbol, each) for symbol, each in held if symbol not in stored]
    if not known:
        return reply_of_lines(speak("That figure is not stored of any of them."))
    total, unit = sum(weight for weight, _ in known), "%" if wanted.id not in _OF_SHARE else ""
    if wanted.id in _OF_SHARE:
        mean = total / sum(weight / value for weight, value in known)
    else:
        mean = sum(weight * value for weight, value in known) / total
    name = speak.fill(wanted.name)
    lines = [
        speak("{name} of your holdings as one: **{mean}**, weighted by value; the simple mean of {count} is {plain}."
              "{mark}",
              name=name, mean=f"{mean:.2f}{unit}", count=len(known),
              plain=f"{sum(value for _, value in known) / len(known):.2f}{unit}",
              mark=wording.simulated_mark(desk, status.get("simulated")))
    ]  # fmt: skip
    if wanted.id in _OF_SHARE:
        lines.append(speak("Weighted: the value of all holdings over the earnings or net assets that belong to them."))
    if without:
        lines.append(speak("Not counted (not stored): {names}.", names=speak.join_items(without)))
    return reply_of_lines(*lines)


_LOST = pattern(r"亏|损失|惨|\b(?:loss|lost|worst)\b", re.I)
_GAINED = pattern(r"赚|盈|\b(?:gain|profit|made|best)\b", re.I)


def answer_largest_closed(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which position sold whole was the largest by what was paid for it, or lost or brought most."""
    speak = desk.speak
    days = yield from result_facts.trade_days(desk, asked)
    if days is None or asked.unread:
        return wording.ask_back(desk, asked.unread or tuple(span.said for span in asked.spans))
    closed = yield from load_closed(desk, days)
    if isinstance(closed, Reply):
        return closed
    if not closed:
        label = speak(" ({days})", days=speak.join_items([each.label for each in days])) if days else ""
        return reply_of_lines(speak("No position was sold whole{days}.", days=label))
    key, sign = (
        ("profit", -1) if _LOST.search(asked.words) else ("profit" if _GAINED.search(asked.words) else "bought", 1)
    )
    lines = []
    for currency in dict.fromkeys(str(row.get("currency") or "") for _, row in closed):
        own = [(day, row) for day, row in closed if str(row.get("currency") or "") == currency]
        day, first = max(own, key=lambda each: sign * float(each[1].get(key) or 0))
        desk.ranked.append(str(first["symbol"]))
        lines.append(_say_closed(desk, first, day or "–", currency, len(own)))
    return reply_of_lines(*lines)


def _say_closed(desk: ToolDesk, row: Json, day: str, currency: str, count: int) -> str:
    """Return a position that was sold whole: when, what was paid for it, and what it brought."""
    told = desk.speak(
        "**{name}**: last sold on {day}, {paid} paid for it, profit **{profit}**",
        name=name_position(desk, str(row["symbol"]), row), day=day,
        paid=wording.say_exact(desk, row.get("bought"), currency=currency),
        profit=wording.say_exact(desk, row.get("profit"), signed=True, currency=currency),
    )  # fmt: skip
    return told + (desk.speak(" (the only one)") if count == 1 else desk.speak(" (of {count})", count=count))


def answer_reconcile(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer whether money paid in, gains, dividends and interest come to the equity of each currency."""
    speak = desk.speak
    if asked.spans or asked.unread:
        return wording.ask_back(desk, asked.unread or tuple(span.said for span in asked.spans))
    status = yield from load_status(desk, asked)
    if isinstance(status, Reply):
        return status
    lines, gaps = list[str](), list[str]()
    for currency, book in wording.objects_of(status, "currencies").items():
        known = {key: wording.figure_of(book, key) for key in ("invested", "realized_pnl", "unrealized_pnl", "equity")}
        if None in known.values():
            return reply_of_lines(speak("{currency}: a figure of the account is not known: `ia account`.",
                                        currency=currency))  # fmt: skip
        paid, realized, unrealized, equity = (float(value or 0) for value in known.values())
        dividends, interest = (float(book.get(key) or 0) for key in ("dividends", "interest"))
        total = paid + realized + unrealized + dividends + interest
        if abs(equity - total) >= CENT:
            gaps.append(wording.say_exact(desk, equity - total, signed=True, currency=currency))
        given: Json = {
            "currency": currency,
            "paid": wording.say_exact(desk, paid),
            "realized": wording.say_exact(desk, realized, signed=True),
            "unrealized": wording.say_exact(desk, unrealized, signed=True),
            "dividends": wording.say_exact(desk, dividends + interest, signed=True),
            "total": wording.say_exact(desk, total),
            "equity": wording.say_exact(desk, equity),
            "fees": wording.say_exact(desk, book.get("fees")),
        }
        lines.append(
            speak("- {currency}: paid in {paid}, realized {realized}, unrealized {unrealized}, dividends and interest"
                  " {dividends} = **{total}**; equity {equity}; fees {fees} are within the gains", **given)
        )  # fmt: skip
    if not lines:
        return wording.say_empty(desk)
    mark = wording.simulated_mark(desk, status.get("simulated"))
    if gaps:
        head = speak("**They differ** by {gaps}: something is counted that the gains do not have; `ia account` has"
                     " all.", gaps=speak.join_items(gaps))  # fmt: skip
    else:
        head = speak("**They agree**: what was paid in and gained is the equity of each currency, to the cent.{mark}",
                     mark=mark)  # fmt: skip
    whole = status.get("total")
    if isinstance(whole, dict) and whole.get("equity") is not None and len(lines) > 1:
        equity_told = wording.say_exact(desk, whole["equity"], currency=str(whole.get("currency") or ""))
        lines.append(speak("All in one: **{equity}**, at the stored rates.", equity=equity_told))
    return reply_of_lines(head, *lines)


CENT = 0.015
"""Below this a difference is one of rounding."""
_REST = pattern(
    r"(?:我|的|其余|其他|其它|剩下|余下|别|所有|持仓|持有|股票|仓位|一共|合计|总共|加起来|总|现在|还|目前"
    r"|市值|价值|值|是|有|多少|钱"
    r"|以外|之外|外|(?P<gain>浮动盈亏|盈亏|浮[盈亏]|赚了?|亏了?)"
    r"|\b(?:what|how|much|is|are|the|my|of|other|remaining|all|total|in|now|market|value|worth|holdings|positions|stocks"
    r"|shares|portfolio|(?P<made>profit|gain|loss) on)\b|[\W_])*",
    re.I,
)
"""Words that ask what all holdings but some are worth, or have gained."""
_HOLDINGS = pattern(r"持仓|股票|仓位|持有|\b(?:holdings|positions|stocks|shares|portfolio)\b", re.I)
_MONEY = pattern(r"市值|价值|值|盈亏|浮[盈亏]|赚|亏|\b(?:value|worth|profit|gain|loss)\b", re.I)


def answer_rest(desk: ToolDesk, words: str, left_out: str, mentions: list[Mention]) -> Work[Reply | None]:
    """Answer what all holdings but the named ones are worth, or gained; None where something else is asked for."""
    plain = words.replace(left_out, " ")
    asked = _REST.fullmatch(plain)
    if asked is None or not (_HOLDINGS.search(plain) and _MONEY.search(plain)):
        return None
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return wording.unreadable(desk, desk.speak("the ledger"), status.failure)
    speak, gained = desk.speak, bool(asked["gain"] or asked["made"])
    codes = {mention.code for mention in mentions}
    held = wording.objects_of(status, "positions")
    rest = {code: each for code, each in held.items() if code not in codes}
    key = "unrealized_pnl" if gained else "value"
    if not rest or any(each.get(key) is None for each in rest.values()):
        return reply_of_lines(speak("Nothing else is held.") if not rest else speak("A price is missing."))
    sums: dict[str, float] = {}
    for each in rest.values():
        currency = str(each.get("currency") or "")
        sums[currency] = sums.get(currency, 0.0) + float(each[key])
    whole = status.get("total") if isinstance(status.get("total"), dict) else {}
    base = str(whole.get("currency") or "")
    rates = {base: 1.0} | {str(row["currency"]): float(row["rate"]) for row in whole.get("rates") or []}
    parts = [wording.say_exact(desk, money, signed=gained, currency=currency) for currency, money in sums.items()]
    names = speak.join_items([wording.head_of(desk, mention) for mention in mentions])
    given: Json = {"names": names, "count": len(rest), "mark": wording.simulated_mark(desk, status.get("simulated"))}
    if len(sums) > 1 and all(currency in rates for currency in sums):
        total = sum(money * rates[currency] for currency, money in sums.items())
        given["money"] = wording.say_exact(desk, total, signed=gained, currency=base)
        given["parts"] = speak(" ({parts}, at the stored rates)", parts=speak.join_items(parts))
    else:
        given |= {"money": speak.join_items(parts), "parts": ""}
    line = (
        speak("Without {names}: **{money}** unrealized on {count} holdings{parts}.{mark}", **given)
        if gained
        else speak("Without {names}: **{money}** in {count} holdings{parts}.{mark}", **given)
    )
    return reply_of_lines(line)


def answer_values_converted(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer what each holding is worth in one currency, the largest first."""
    speak = desk.speak
    codes = list(dict.fromkeys(code for code, form in CURRENCY_WORDS if form.search(asked.words)))
    if asked.spans or asked.unread or len(codes) != 1:
        return wording.ask_back(desk, _unread_of(asked))
    found = yield from load_held(desk, asked)
    if isinstance(found, Reply):
        return found
    status, held = found
    worth, rates, lines = list[tuple[float, str, Json]](), dict[str, Json](), list[str]()
    for symbol, position in held:
        own = str(position.get("currency") or "")
        if own not in rates and own != codes[0]:
            rate = yield from wording.load_rate(desk, own, codes[0])
            if rate is None:
                return reply_of_lines(
                    speak("No exchange rate of {currency} in {base} is stored: `ia sync rates` fetches rates.",
                          currency=own, base=codes[0])
                )  # fmt: skip
            rates[own] = rate
        if position.get("value") is None:
            lines.append(speak("{name}: no price is stored.", name=name_position(desk, symbol, position)))
            continue
        factor = 1.0 if own == codes[0] else float(rates[own]["rate"])
        worth.append((float(position["value"]) * factor, symbol, position))
    worth.sort(key=lambda each: -each[0])
    desk.ranked += [symbol for _, symbol, _ in worth[:1]]
    told = [
        f"{'' if at == 0 else '- '}{name_position(desk, symbol, position)}{speak(': ')}"
        f"**{wording.say_exact(desk, value, currency=codes[0])}**"
        + (wording.simulated_mark(desk, status.get("simulated")) if at == 0 else "")
        for at, (value, symbol, position) in enumerate(worth)
    ]
    used = [
        speak("1 {currency} = {rate} {base} ({date}, {source})", currency=own, base=codes[0],
              rate=shown["rate"], date=shown["date"], source=shown["source"])
        for own, rate in rates.items()
        if (shown := wording.rate_params(desk, rate))
    ]  # fmt: skip
    return reply_of_lines(*told, *lines, *used)


ANSWERS = {
    "values_converted": answer_values_converted,
    "reconcile": answer_reconcile,
    "currency_sum": answer_currency_sum,
    "currency_converted": answer_currency_converted,
    "mean_figure": answer_mean_figure,
    "largest_closed": answer_largest_closed,
}
