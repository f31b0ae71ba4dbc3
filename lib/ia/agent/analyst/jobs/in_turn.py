"""A message of several questions that was not read as a whole: each is answered behind the one before it.

"At what price did I buy BYD, and how far is it from that now" is two messages of a conversation.
"""

from collections.abc import Callable
from dataclasses import replace

from ia.agent.analyst.ask import several
from ia.agent.analyst.ask.follow_days import point_at_told, points_at_day
from ia.agent.analyst.ask.follow_words import OWNER
from ia.agent.analyst.ask.listed_subjects import find_codes
from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.ask.request import UserRequest
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.answer_parts import say_not_read
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply


def answer_in_turn(
    desk: ToolDesk,
    asked: UserRequest,
    answer: Callable[[ToolDesk], Work[Reply]],
    may_ask: Callable[[UserRequest], bool],
) -> Work[Reply | None]:
    """Answer the questions of a message one after the other; None where it is one, or where the first is not read.

    answer   answers a request, with what was said before it
    may_ask  tells whether a request may be a question: nothing is told, kept or to be done
    """
    if not asked.is_words_only or asked.sections or desk.asks_which or desk.is_reading_again:
        return None
    texts = several.split_in_turn(asked.question)
    if not texts or not all(may_ask(replace(asked, question=text)) for text in texts):
        return None
    whole, said, allowed = desk.request, list(desk.last_lines), desk.allowed
    desk.last_lines.clear()
    replies: list[Reply] = []
    left: list[str] = []
    before, listed, told = list(asked.before), list(asked.listed), ""
    for at, asked_for in enumerate(texts):
        text = point_at_told(asked_for, before[-1], told, asked.moment.date()) if told else asked_for
        if told and any(several.repeats_move(each, text) for each in (*texts[:at], before[-1])):
            continue
        if told and points_at_day(text):
            left.append(text)  # which day it means is not certain
            continue
        if left and not (find_mentions(text) or OWNER.search(text)):
            left.append(text)  # it may go on with what was not read
            continue
        desk.request, desk.allowed = replace(asked, question=text, before=before, listed=listed), None
        done = yield from answer(desk)
        if done.unread or not done.understood or desk.asks_which:
            left.append(text)
        else:
            replies.append(done)
            told = "\n".join(done.lines)
            before, listed = [*before, text], [*listed, find_codes(told)]
        if not replies:
            break
    desk.request, desk.allowed, desk.asks_which = whole, allowed, False
    if not replies:
        desk.last_lines[:] = said
        return None
    return reply.join_replies([*replies, *say_not_read(desk, left)])
