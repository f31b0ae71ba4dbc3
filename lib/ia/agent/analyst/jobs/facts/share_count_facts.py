"""How many shares a company has, and on which exchange and board it is listed."""

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.bar_rows import rows_of
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
from ia.domain.instruments.boards import find_board
from ia.kernel.i18n import mark_text
from ia.kernel.jsontypes import Json

MOST = 3
"""Securities that one answer is about."""


def answer_share_count(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer how many shares a company has in all, from the market capitalization and the price of its newest quote."""
    speak, lines = desk.speak, list[str]()
    if asked.spans and (span := wording.other_day(asked, desk.request.day)):
        return wording.ask_back(desk, (span.said,))
    for mention in asked.securities[:MOST]:
        name = wording.head_of(desk, mention)
        result = yield from desk.one("market.valuation", symbol=mention.code)
        cap, price = wording.figure_of(result.get("figures") if result.ok else None, "market_cap"), 0.0
        if cap:
            end = wording.result_day(result)
            bars = yield from desk.one("market.ohlcv", symbol=mention.code, tail=1, end=end, adjust="none")
            price = next((row.close for row in rows_of(bars) if row.date == end), 0.0) if bars.ok else 0.0
        if not cap or not price:
            lines.append(speak("{name}: its market capitalization is not known here.", name=name))
            continue
        given: Json = {
            "name": name, "count": number(cap / price, "ratio", speak), "cap": wording.say_value(desk, cap, "money"),
            "price": number(price, "price", speak), "date": wording.result_day(result),
            "mark": wording.simulated_mark(desk, result.get("simulated")),
        }  # fmt: skip
        lines.append(
            speak("{name}: about **{count}** shares in all: market capitalization {cap} over the price {price}"
                  " ({date}){mark}", **given)
        )  # fmt: skip
    return reply_of_lines(*lines)


_EXCHANGES = {
    "SH": mark_text("Shanghai Stock Exchange"),
    "SZ": mark_text("Shenzhen Stock Exchange"),
    "BJ": mark_text("Beijing Stock Exchange"),
    "HK": mark_text("Hong Kong Stock Exchange"),
}
_BOARDS = {"main": mark_text("main board"), "chinext": mark_text("ChiNext"), "star": mark_text("STAR Market")}


def answer_listed_where(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer on which exchange and board a security is listed; its other listings have codes of their own."""
    yield from ()
    speak, lines = desk.speak, list[str]()
    if any(mention.symbol.kind == "index" for mention in asked.securities):
        return wording.ask_back(desk, (asked.words,))
    for mention in asked.securities[:MOST]:
        exchange = _EXCHANGES.get(mention.code.rpartition(".")[2])
        board = next((name for scope, name in _BOARDS.items() if scope in find_board(mention.symbol).scopes), "")
        given: Json = {"name": wording.head_of(desk, mention), "exchange": speak(exchange) if exchange else ""}
        if not exchange:
            lines.append(speak("{name}: in the United States; on which exchange is not stored.", **given))
        elif board:
            lines.append(speak("{name}: **{exchange}**, {board}.", board=speak(board), **given))
        else:
            lines.append(speak("{name}: **{exchange}**.", **given))
    return reply_of_lines(*lines)


ANSWERS = {"share_count": answer_share_count, "listed_where": answer_listed_where}
