"""What the owner made of several securities, held against each other."""

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.ask.mentions import Mention
from ia.agent.analyst.ask.time_spans import EVER, FUTURE
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import result_facts, wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines

NAMED = 6
"""Securities that are held against each other."""


def answer_compared_gains(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer of which of several securities the owner made more, and by how much; over the days that are named."""
    speak, label = desk.speak, ""
    named = list({each.code: each for each in asked.securities}.values())[:NAMED]
    span = next((each for each in asked.spans if each.kind != EVER), None)
    if len(asked.spans) > 1 or (span is not None and span.kind == FUTURE):
        return wording.ask_back(desk, tuple(each.said for each in asked.spans))
    if span is None:
        found = yield from desk.one("account.profit")
        rows = {str(row.get("symbol")): row.get("profit") for row in wording.rows_of(found, "positions")}
        currencies = {str(row.get("symbol")): str(row.get("currency")) for row in wording.rows_of(found, "positions")}
    else:
        days = yield from result_facts.read_account_days(desk, span)
        if days is None:
            return wording.ask_back(desk, (span.said,))
        found = yield from result_facts.load_period(desk, days)
        held = wording.objects_of(found, "positions")
        rows = {code: each.get("result") for code, each in held.items()}
        currencies = {code: str(each.get("currency")) for code, each in held.items()}
        label = speak(" ({days})", days=days.label)
    if found.failure is not None:
        return wording.unreadable(desk, speak("the ledger"), found.failure)
    known = [(float(str(rows[each.code])), each) for each in named if rows.get(each.code) is not None]
    known.sort(key=lambda pair: pair[0], reverse=True)
    mark = wording.simulated_mark(desk, found.get("simulated"))
    told = [
        speak("{name}: **{result}**{days}", name=wording.head_of(desk, each), days=label,
              result=wording.say_exact(desk, value, signed=True, currency=currencies[each.code]))
        for value, each in known
    ]  # fmt: skip
    told += [
        speak("{name}: nothing was made of it: the journal has no trade of it{days}.",
              name=wording.head_of(desk, each), days=label)
        for each in named if rows.get(each.code) is None
    ]  # fmt: skip
    return reply_of_lines(*_say_difference(desk, known, currencies, mark), *told)


def _say_difference(
    desk: ToolDesk, known: list[tuple[float, Mention]], currencies: dict[str, str], mark: str
) -> list[str]:
    """Return by how much the first of two is ahead; that they are in different currencies where they are."""
    if len(known) < 2:
        return []
    (most, first), (least, last) = known[0], known[-1]
    if len({currencies[each.code] for _, each in known}) > 1:
        return [desk.speak("They are in different currencies:") + mark]
    amount = wording.say_exact(desk, most - least, currency=currencies[first.code])
    return [
        desk.speak("{first} brought you **{amount}** more than {last}.", amount=amount,
                   first=wording.short_name(desk, first), last=wording.short_name(desk, last)) + mark
    ]  # fmt: skip
