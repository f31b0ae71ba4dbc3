"""From which day on shares that would be bought may be sold again: T+1 on the mainland, the same day abroad."""

from datetime import date

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.jobs.facts.coming_days import PLACES, coming_day
from ia.agent.analyst.say.reply import Reply, reply_of_lines


def answer_sale_after_purchase(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Answer from which session on a purchase of a day, today without one, may be sold."""
    speak, mention = desk.speak, asked.securities[0]
    today = date.fromisoformat(desk.request.day)
    span = asked.spans[0] if asked.spans else None
    if len(asked.spans) > 1 or (span is not None and (span.first is None or span.first != span.last)):
        return wording.ask_back(desk, tuple(each.said for each in asked.spans))
    day = coming_day(span, today) if span is not None else today
    name = wording.head_of(desk, mention)
    if mention.symbol.market != "CN":
        return reply_of_lines(speak("{name} may be sold on the day on which it is bought (T+0).", name=name))
    found = yield from desk.one("calendar.trading", date=f"{day}", market="CN", n=1)
    if found.failure is not None:
        return wording.unreadable(desk, speak("the calendar"), found.failure)
    after = wording.names_of(found.get("next"))
    if not found.get("is_trading_day") or not after:
        place = speak(PLACES["CN"])
        return reply_of_lines(speak("**{date} is no trading day** ({place}).", date=day, place=place))
    return reply_of_lines(
        speak("{name} bought on {day} may be sold from **{next}** on (T+1).", name=name, day=day, next=after[0])
    )
