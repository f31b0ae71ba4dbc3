"""How many shares a company has: its market capitalization over its price."""

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.bar_rows import rows_of
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.voice import number
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


ANSWERS = {"share_count": answer_share_count}
