"""Securities that are only counted: the two liquor stocks. Those of the owner are put in their place."""

from dataclasses import replace

from ia.agent.analyst.ask.facts import industry_forms
from ia.agent.analyst.ask.mentions import LONGEST, find_mentions
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.kernel.patterns import pattern

_COUNTS = {"两": 2, "二": 2, "2": 2, "三": 3, "3": 3, "two": 2, "three": 3}
_COUNTED = pattern(
    r"(?<![哪前后任找选挑荐来几第\d])(?:我的?)?[那这]?(?P<n>[两二三23])[只支家个]"
    r"(?P<what>[\u3400-\u9fff]{2,6}?)(?:类|板块)?股(?:票)?"
    r"|\b(?:my|the|both|these|those) (?P<en>two|three|2|3) (?P<sector>[a-z]+(?: [a-z]+)?) (?:stocks|shares|holdings)\b",
)
"""Stocks of an industry, by their number."""


def name_counted(desk: ToolDesk) -> Work[Reply | None]:
    """Put the owner's stocks of an industry in the place of their number; ask back where there are more or fewer.

    None where nothing is counted so, or it is named now.
    """
    request = desk.request
    words = request.question[:LONGEST]
    found = _COUNTED.search(words) if request.is_words_only and not request.skill else None
    if found is None or find_mentions(words):
        return None
    yield from desk.load_tables("facts_market")
    said = found["what"] or found["sector"]
    industries = {name for _, name in industry_forms(said, (), desk.tables)}
    if not industries:
        return None
    held, watched = yield from desk.run(
        DeskCall("market.observe", {"of": "held"}), DeskCall("market.observe", {"of": "watch"})
    )
    lists = [wording.names_of(each.get("symbols")) if each.ok else [] for each in (held, watched)]
    codes = list(dict.fromkeys(code for each in lists for code in each))
    if not codes:
        return None
    quotes = yield from desk.one("market.quote", symbols=codes)
    own = [str(row["symbol"]) for row in wording.rows_of(quotes, "quotes") if row.get("industry") in industries]
    count = _COUNTS[found["n"] or found["en"]]
    if len(own) > count and len(kept := [code for code in own if code in lists[0]]) == count:
        own = kept
    names = [wording.name_alone(desk, code, None) for code in own]
    if len(own) != count:
        return reply_of_lines(
            desk.speak(
                "Which ones? You hold and watch {count} of “{industry}”: {names}.",
                count=len(own), industry=said, names=desk.speak.join_items(names) or "–",
            )
        )._replace(understood=False)  # fmt: skip
    joined = desk.speak.join_items(names)
    desk.request = replace(request, question=words[: found.start()] + joined + words[found.end() :])
    return None
