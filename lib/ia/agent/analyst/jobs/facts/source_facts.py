"""Where data comes from, and of what time it is."""

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines

MOST = 3


def answer_data_source(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer which source prices, quotes and reports come from, and how new they are; without a security, the market's.

    A price that is asked for tells its own day; here it is the origin that counts.
    """
    speak, lines = desk.speak, list[str]()
    if not asked.securities:
        found = yield from desk.one("market.summary")
        if found.failure is not None:
            return wording.unreadable(desk, speak("the market"), found.failure)
        lines.append(
            speak("The stored market is from **{source}**, of {time}{mark}.", source=found.get("source"),
                  time=found.get("time") or found.get("date"),
                  mark=wording.simulated_mark(desk, found.get("simulated")))
        )  # fmt: skip
    for mention in asked.securities[:MOST]:
        code = mention.code
        bars, quote, reports = yield from desk.run(
            DeskCall("market.ohlcv", {"symbol": code, "tail": 1}),
            DeskCall("market.quote", {"symbols": [code]}),
            DeskCall("market.fundamentals", {"symbol": code, "periods": 1}),
        )
        told = []
        if bars.ok:
            told.append(speak("daily bars from **{source}**, {first} to {last}", source=bars.get("source"),
                              first=bars.get("first"), last=bars.get("last")))  # fmt: skip
        row = next(iter(wording.rows_of(quote, "quotes")), None) if quote.ok else None
        if row is not None:
            told.append(speak("quote from **{source}**, {time}", source=row.get("source"),
                              time=str(row.get("time") or row.get("date") or "").replace("T", " ")))  # fmt: skip
        row = next(iter(wording.rows_of(reports, "reports")), None) if reports.ok else None
        if row is not None:
            told.append(speak("reports from **{source}**, newest {period}, published {published}",
                              source=reports.get("source"), period=row.get("period"),
                              published=row.get("published") or "–"))  # fmt: skip
        if not told:
            lines.append(speak("{name}: nothing of it is stored.", name=wording.head_of(desk, mention)))
            continue
        simulated = bars.get("simulated") or quote.get("simulated")
        lines.append(
            wording.head_of(desk, mention) + speak(": ") + speak.join_clauses(told)
            + wording.simulated_mark(desk, simulated)
        )  # fmt: skip
    return reply_of_lines(
        *lines,
        speak(
            "`ia config get market.adapter` shows the source that is set, `ia ohlcv CODE | ia where` that of a file."
        ),
    )
