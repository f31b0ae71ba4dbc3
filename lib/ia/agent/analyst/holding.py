"""Questions about the own account, the market of the day and orders: answered from ledger and store, as they stand."""

import re
from typing import Any

from ia.agent.analyst import daily, guarded, reply
from ia.agent.analyst.desk import NO_TOOL, Call, Desk, Failure, Result, Work
from ia.agent.analyst.intent import Intent
from ia.agent.analyst.reply import Reply

SHOWN = 5
_SHARES = re.compile(r"(?<![\d.])(\d[\d,]{0,8})\s*(股|手|shares?\b)", re.I)
_SELL = re.compile(r"卖|减仓|清仓|平仓|\b(sell|short|liquidate)\b", re.I)


def holdings(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Tell what is held, what it brought, and which risk rules are touched; of the securities named, only of these."""
    speak = desk.speak
    status = yield from desk.one("account.status")
    if status.failure is not None:
        return reply.of(_unread(desk, status.failure, speak("账本", "the ledger")))
    positions = daily.positions_of(status)
    if not positions and not status.get("currencies"):
        return reply.of(
            speak("账本是空的：还没有记过一笔。", "The ledger is empty: nothing was entered yet."),
            speak(
                "`ia trade deposit 金额` 记转入资金，`ia trade buy 代码 数量 价格` 记买入，`ia trade import 文件`"
                " 读券商对账单。",
                "`ia trade deposit AMOUNT` enters money, `ia trade buy SYMBOL QUANTITY PRICE` a purchase, `ia trade"
                " import FILE` reads a broker's statement.",
            ),
        )
    named = [mention.code for mention in wanted.securities]
    if named:
        lacking = [code for code in named if code not in dict(positions)]
        positions = [(code, each) for code, each in positions if code in named]
        if not positions:
            return reply.of(speak("没有持有 {names}。", "{names}: none is held.", names=speak.joined(lacking)))
    held = daily.tabled(desk, positions) or [speak("没有持仓。", "Nothing is held.")]
    broken = daily.broken_rules(desk, status, positions)
    lines = [*_invented(desk, status), *daily.gained(desk, status), *held, ""]
    lines += [speak("**风控**", "**Risk rules**"), *(f"- {line}" for line in broken), ""]
    lines += [
        speak(
            "`ia profit` 有逐只盈亏，`ia report account -o account.html` 有图。",
            "`ia profit` has the gains one by one, `ia report account -o account.html` the pictures.",
        )
    ]
    told = [f"{symbol} {daily.row_of(each)}" for symbol, each in positions]
    return Reply([*lines, reply.by_rules(speak)], [*daily.gained(desk, status), *broken], told)


def main_lines(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Tell the main lines of the newest stored day with their leaders, how broad the market was, and what rose most."""
    speak = desk.speak
    found, market, rose = yield from desk.run(
        Call("market.mainline", {}), Call("market.summary", {}), Call("market.gainers", {"limit": SHOWN})
    )
    if found.failure is not None:
        return reply.of(_unread(desk, found.failure, speak("本地市场", "the stored market")))
    lines = daily.lines_of(found)
    verdict = daily.judged(desk, found, lines)
    day = (
        speak("{date} 收盘", "the close of {date}", date=found.get("date"))
        if found.get("closed")
        else str(found.get("time"))
    )
    head = speak("**市场主线**（{date}）", "**The market's main line** ({date})", date=day)
    out = [head, *_invented(desk, found), verdict, *(f"- {daily.line_told(desk, line)}" for line in lines[:SHOWN]), ""]
    out += (
        [speak("**市场** {breadth}", "**Market** {breadth}", breadth=daily.breadth(desk, market)), ""]
        if market.ok
        else []
    )
    stocks = rose.get("stocks") if rose.ok else None
    top = [daily.risen(each) for each in stocks[:SHOWN] if isinstance(each, dict)] if isinstance(stocks, list) else []
    out += (
        [speak("**涨幅居前**", "**At the top**"), *(f"{at}. {line}" for at, line in enumerate(top, 1)), ""]
        if top
        else []
    )
    return Reply(
        [*out, reply.by_rules(speak)], [head.strip("*"), verdict], [daily.line_told(desk, each) for each in lines]
    )


def order(desk: Desk, wanted: Intent) -> Work[Reply]:
    """Say that no order is placed here, what the risk rules say of a buy, and how one that was made is journalled."""
    speak = desk.speak
    what = wanted.securities[0] if wanted.securities else None
    lines = [
        speak(
            "ia 只研究，从不下单，也不连券商账户。",
            "ia researches and never places an order; it is connected to no broker.",
        )
    ]
    selling = bool(_SELL.search(wanted.words))
    if what and not selling:
        size = _SHARES.search(wanted.words)
        shares = int(size[1].replace(",", "")) * (100 if size[2] == "手" else 1) if size else None
        lines += yield from guarded.checked(desk, what.code, quantity=shares)
    lines += [
        speak(
            "你自己成交之后，可以记账：`ia trade {action} {symbol} 数量 价格`，记之前会核对风控。",
            "What you traded yourself you can journal: `ia trade {action} {symbol} QUANTITY PRICE`; the risk rules are"
            " checked"
            " before.",
            action="sell" if selling else "buy",
            symbol=what.code if what else speak("代码", "SYMBOL"),
        ),
        speak(
            "要我先研究一下吗？说“看看{security}”。",
            'To have it researched first, say "look at {security}".',
            security=what.said if what else speak("那只证券", "the security"),
        ),
    ]
    return reply.of(*lines)


KINDS = {"holdings": holdings, "mainline": main_lines, "order": order}


def _unread(desk: Desk, failure: Failure, what: str) -> str:
    """Return why ledger or store could not be read, and what to type."""
    speak = desk.speak
    if failure.code == NO_TOOL:
        return speak(
            "这里没有读{what}的工具；用 `ia turn` 来问。",
            "There is no tool here to read {what}: ask with `ia turn`.",
            what=what,
        )
    if failure.code == "market-not-stored":
        return speak(
            "本地还没有市场数据：先 `ia sync daily`，再来问。",
            "Nothing of the market is stored yet: run `ia sync daily`, then ask again.",
        )
    return speak(
        "{what}没有读到：{error}",
        "{what} could not be read: {error}",
        what=what,
        error=reply.describe_failure(speak, failure),
    )


def _invented(desk: Desk, result: Result) -> list[str]:
    simulated: Any = result.get("simulated")
    return [desk.speak("> 行情是模拟的。", "> The prices are simulated."), ""] if simulated else []
