"""From what is wanted to the work that does it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from ia.agent.analyst.ask import (
    checklist_words,
    choices,
    follow_asides,
    follow_own,
    follow_pairs,
    follow_points,
    follow_pronouns,
    ideas,
    intent,
    listed_subjects,
    report_words,
    several,
)
from ia.agent.analyst.ask.amounts import find_market_currencies
from ia.agent.analyst.ask.backtest_words import ASKS
from ia.agent.analyst.ask.belief_words import find_wish, read_verdict
from ia.agent.analyst.ask.chart_words import asks_chart_and_view
from ia.agent.analyst.ask.correction_words import ToldCorrection, read_correction
from ia.agent.analyst.ask.facts import (
    SECURITY,
    WATCH,
    FactQuestion,
    find_exception,
    find_question,
    has_condition,
    tables_for,
)
from ia.agent.analyst.ask.filed_words import read_filed
from ia.agent.analyst.ask.filing_words import read_filing
from ia.agent.analyst.ask.follow_on import complete_question, read_before
from ia.agent.analyst.ask.follow_told import ask_with_before
from ia.agent.analyst.ask.follow_words import LEAD, MEASURE, OWNER, TAIL, drop_lead, find_named
from ia.agent.analyst.ask.forbidden_words import drop_reminding, forbids
from ia.agent.analyst.ask.foreign_words import is_foreign
from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.ask.library_words import find_library_topic
from ia.agent.analyst.ask.loose_words import loosen_question, mend_spelling
from ia.agent.analyst.ask.meaning_words import asks_meaning, may_ask_meaning
from ia.agent.analyst.ask.mentions import (
    LONGEST,
    Mention,
    find_mentions,
    find_near_name,
    find_other_companies,
    strip_mentions,
)
from ia.agent.analyst.ask.money_sums import sum_spoken
from ia.agent.analyst.ask.near_questions import find_offered, find_same
from ia.agent.analyst.ask.own_words import asks_of_last_trade, read_ideas
from ia.agent.analyst.ask.plain_words import simplify_question
from ia.agent.analyst.ask.predictions import states_belief
from ia.agent.analyst.ask.request import UserRequest
from ia.agent.analyst.ask.term_words import find_term
from ia.agent.analyst.ask.unknown_names import find_unknown_names
from ia.agent.analyst.ask.web_words import find_web_topic
from ia.agent.analyst.desk import DeskCall, ToolDesk, Work
from ia.agent.analyst.evidence.tool_answers import display_name
from ia.agent.analyst.jobs import idea_questions, list_talk
from ia.agent.analyst.jobs.own_events import name_own_securities, read_own_trades
from ia.agent.analyst.jobs.own_pairs import name_counted
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.agent.analyst.voice import AnswerVoice
from ia.domain.speech.table import has_form
from ia.kernel.patterns import pattern
from ia.kernel.word_patterns import pattern_by_letters

__all__ = ["Reply", "work"]

_STANDARD = ("research", "compare", "scan", "review", "backtest")
"""The skills that have work of their own here."""
_OPEN = ("research", "figure", "doubtful", "statement")
"""Kinds that a message is only because nothing more exact is known of it."""


_OWN_WORDS = ("note", "own_view", "believe", "prefer", "coach", "praise", "forget", "asked_memory")
"""Kinds that are kept as they were said."""


_UNRULE = pattern(
    r"\b(?:ignore|disregard|forget)\b.{0,20}\b(?:previous|prior|above|earlier|your)\b.{0,12}\b(?:instructions?"
    r"|rules?|prompts?)\b"
    r"|(?:忽略|无视|忘[掉记])[^，,。]{0,10}(?:指令|指示|规则|提示词)",
    re.I,
)

_SHORT_TERM = 5
"""Characters of a message that is but a term, though it has a digit: T+1."""


MOST_LINES = 12
"""Lines of an ordinary answer, with the questions that it offers."""


def work(desk: ToolDesk) -> Work[Reply]:
    """Do what a request wants, and return the answer; what an error cost of it is named at its end."""
    yield from _take_offered(desk)
    if desk.request.is_words_only and not desk.request.sections:
        desk.request = replace(desk.request, question=drop_reminding(desk.request.question))
    _mend_spelling(desk)
    _set_aside(desk)
    done = yield from _answer_questions(desk)
    ends = [reply.by_rules(desk.speak)] if done.signed else []
    offers = find_offered(desk.request, done.unread[0]) if done.unread else []
    offers = [_name_as_said(desk, each) for each in offers[: max(MOST_LINES - 1 - len(done.lines), 1)]]
    last, offered = [*desk.last_lines, *_say_unsent(desk)], _say_offered(desk, offers)
    lines = reply.append_lines(done.lines, *last, *([] if offers else ends))
    lines += [*([""] if offers and lines[-1:] != [""] else []), *offered, *(ends if offers else [])]
    understood = done.understood and not offers
    points = [*done.points, *last, *offered]
    return done._replace(lines=lines, points=points, understood=understood, offers=tuple(offers))


def _answer_questions(desk: ToolDesk) -> Work[Reply]:
    """Answer a message as a whole, or its questions one after the other where it is not read so."""
    whole = desk.request
    pointed = several.points_back(whole.question)
    if pointed:  # "the worst day, and the volume that day": only the answer before tells the day
        from ia.agent.analyst.jobs.in_turn import answer_in_turn

        if parted := (yield from answer_in_turn(desk, whole, _answer_message, _may_ask)):
            return parted
    done = yield from _answer_message(desk)
    if (not done.unread and done.understood) or pointed:
        return done
    if plainer := (yield from _answer_without_asides(desk, whole)):
        return plainer
    from ia.agent.analyst.jobs.in_turn import answer_in_turn

    return (yield from answer_in_turn(desk, whole, _answer_message, _may_ask)) or done


def _answer_without_asides(desk: ToolDesk, whole: UserRequest) -> Work[Reply | None]:
    """Answer a message without what its author says of themselves; None where nothing is so, or it is not read."""
    if not whole.is_words_only or whole.sections or desk.asks_which or not _may_ask(whole):
        return None
    from ia.agent.analyst.ask.asides import drop_asides

    plain = replace(whole, question=drop_asides(whole.question, whole.moment.date()))
    if plain == whole or not _may_ask(plain):
        return None
    said, allowed = list(desk.last_lines), desk.allowed
    desk.last_lines.clear()
    desk.request, desk.allowed = plain, None
    done: Reply | None = yield from _answer_message(desk)
    if done is not None and (done.unread or not done.understood):
        from ia.agent.analyst.jobs.in_turn import answer_in_turn

        done = None if desk.asks_which else (yield from answer_in_turn(desk, plain, _answer_message, _may_ask))
    desk.request, desk.allowed, desk.asks_which = whole, allowed, False
    if done is None:
        desk.last_lines[:] = said
    return done


def _answer_message(desk: ToolDesk) -> Work[Reply]:
    """Answer a message, or a question of one, with what was said before it."""
    _take_amendment(desk)
    if of_list := list_talk.name_place(desk) or (yield from list_talk.tell_part(desk)):
        return of_list
    list_talk.name_all(desk)
    meant, counted = _resolve_pointers(desk)
    if desk.request.before:
        yield from name_own_securities(desk)
    idea_questions.complete_before(desk)
    asked = desk.request
    done = None if counted else (yield from _explain_terms(desk, asked, asks_meaning(asked.question)))
    if done is None and not counted:
        done = yield from _read_first(desk, asked)
    if done is None and not counted and not _points_at_nothing(desk):
        done = yield from _do_request(desk)
    if done is None or (meant and not done.understood):
        from ia.agent.analyst.jobs import small_talk

        of_time = done is None and not meant and _AT_THAT_TIME.search(asked.question)
        done = small_talk.ask_which_time(desk) if of_time else small_talk.ask_which_of(desk, meant)
    elif (
        not desk.asks_which
        and (done.unread or not done.understood)
        and (again := (yield from _explain_unread(desk, asked)))
    ):
        done = again
    if (done.unread or not done.understood) and (loosened := (yield from _read_loosely(desk, asked))):
        done = loosened
    if (done.unread or not done.understood) and (found := (yield from _find_trades(desk, asked))):
        done = found
    return done


_TWO_QUESTIONS = pattern(r"[?？]\s*\w")


_TRADES = pattern(
    r"trad|deal|transact|b[uo][yu]|purchas|s[oe]l[dl]|sale|open|交易|成交|买|卖|操作|[建加减清补开平调]仓",
    re.I,
)


def _find_trades(desk: ToolDesk, asked: UserRequest, *, first: bool = False) -> Work[Reply | None]:
    """Answer a question for the owner's trades by any conditions, which no rule has read; None for any other.

    first  only one with a condition that no rule knows
    """
    if not asked.is_words_only or asked.sections or asked.data or desk.asks_which or not _may_ask(asked):
        return None
    if first and _TWO_QUESTIONS.search(asked.question):
        return None  # each is read alone
    before, today = asked.before[-1:], asked.moment.date()
    if not any(_TRADES.search(words) for words in (*before, asked.question)):
        return None
    from ia.agent.analyst.ask import trade_queries

    request, query = desk.request, None
    desk.request = asked
    yield from name_own_securities(desk)
    asked, desk.request = desk.request, request
    for write in (str, simplify_question) if first else (str, simplify_question, loosen_question):
        said = write(asked.question)
        query = trade_queries.read_query(said, today) if said else None
        if query is not None and (more := trade_queries.continue_query(said, before[0], today) if before else None):
            query = more
        elif query is not None and not query.is_whole:
            query = None
        if query is not None:
            break
    if query is None or (first and not query.has_condition):
        return None
    from ia.agent.analyst.jobs.facts import trade_query_facts

    desk.request = asked
    found = yield from trade_query_facts.answer_trade_query(desk, query)
    desk.request = request
    if found is not None:
        desk.last_lines.clear()
    return found


def _explain_terms(desk: ToolDesk, asked: UserRequest, asks: bool) -> Work[Reply | None]:
    """Answer a question for what terms mean; None for any other."""
    if not asks or not asked.is_words_only or asked.sections or asked.wants_json or not _may_ask(asked):
        return None
    from ia.agent.analyst.jobs.facts import term_facts

    return (yield from term_facts.explain_asked(desk, asked.question, asked.before))


def _explain_unread(desk: ToolDesk, asked: UserRequest) -> Work[Reply | None]:
    """Answer a message that the rules did not read: more of an indicator, a term, or by its ideas; None for neither."""
    request, said = desk.request, list(desk.last_lines)
    desk.last_lines.clear()
    if asked.is_words_only and not asked.sections and (more := ask_with_before(asked.question, asked.before)):
        desk.request, desk.allowed = replace(asked, question=more, before=asked.before[:-1]), None
        done = yield from _do_request(desk)
        desk.request = request
        if done.understood and not done.unread:
            return done
        desk.last_lines.clear()
    explained = yield from _explain_terms(desk, asked, may_ask_meaning(asked.question))
    if explained is not None:
        return explained
    desk.last_lines[:] = said
    return (yield from _read_again(desk, asked))


_OBJECT = pattern(
    r"\b(?:when|where|why|what|how)\b.{0,40}\b(?:buy|bought|sell|sold) (?:it|them|that|those|these)\W*$"
    r"|\b(?:did|does) (?:it|that) cost(?: me)?(?: in (?:fees|total|all))?\W*$"
    r"|^\W*(?:那|我|当时|当初|是|分别)*(?:什么时候|啥时候|哪一?天|几号|什么价|为什么|为啥)[买卖](?:入|出|进|掉)?的?\W*$",
    re.I,
)
"""Asks for trades of what only a pronoun names."""


def _points_at_nothing(desk: ToolDesk) -> bool:
    """Return True if a message asks for trades of something that no message before names."""
    request = desk.request
    said, before, today = request.question, request.before, request.moment.date()
    if not before or not request.is_words_only or request.sections or find_mentions(said):
        return False
    if not _OBJECT.search(said):
        return _points_at_answer(request)
    told = follow_pronouns.name_pronoun(said, before, today), complete_question(said, before, today)
    named = told != (said, said) or bool(intent.read_acts(request).securities)
    return not named and not follow_pronouns.find_ranking(said, follow_asides.drop_asides(before), today)


_AT_THAT_TIME = pattern(
    r"\b(?:back then|at that time|then|that (?:day|week|month))\W*$|^\W*(?:那(?:时候?|个?月|[天周])|当时)", re.I
)
_UTMOST = pattern(r"\b(?:best|worst|peak|highest|lowest|biggest|most)\b|最|峰|顶点|高点", re.I)
"""What is told of a time that the answer found."""
_OF_ANSWER = pattern(
    r"^\W*(?:(?:and|so|but|then)\b[, ]*)*(?:(?:from|on|in|of|for|at|with|by) )?which"
    r" (?:ones?|(?:trade|sale|purchase|stock|position)(?= (?:was|is) (?:it|that)|\W*$))\b"
    r"|^\W*(?:那|是|都是|分别是|其中)*哪(?:几|一)?[只笔次支](?:股票|票)?(?:的|[赚亏]了?|便宜|贵|划算|是)*"
    r"(?:呢|啊|吗)*\W*$"
    r"|^\W*(?:那|这)?(?:折合?成?|换成|合)(?:人民币|美元|港[币元])(?:是)?多少(?:钱)?\W*$"
    r"|^\W*(?:and |so )?(?:(?:in (?:yuan|rmb|cny|dollars|usd|hkd))[, ]*)?how much (?:was|is) that"
    r"(?: in (?:yuan|rmb|cny|dollars|usd|hkd))?\W*$",
    re.I,
)
"""Asks of what the answer before told, and names nothing itself."""


def _points_at_answer(request: UserRequest) -> bool:
    """Return True if a message asks of what an answer about the owner's money told, and no reader completes it."""
    said, today = request.question, request.moment.date()
    found = _AT_THAT_TIME.search(said) is not None and _UTMOST.search(request.before[-1]) is not None
    found = found or (_OF_ANSWER.search(said) is not None and OWNER.search(said) is None)
    if not found or not _is_about_own(request.before, today):
        return False
    if any(complete_question(each, request.before, today) != each for each in (said, simplify_question(said))):
        return False
    return not follow_pronouns.find_ranking(said, follow_asides.drop_asides(request.before), today)


def _is_about_own(before: list[str], today: date) -> bool:
    """Return True if the last of some messages was about the owner's money."""
    whole = read_before(follow_asides.drop_asides(before), today)[0]
    return bool(read_ideas(whole, find_mentions(whole), today)) or OWNER.search(strip_mentions(whole)) is not None


def _take_amendment(desk: ToolDesk) -> None:
    """Put what is meant instead in the place of what amends the question before: "no, I meant 2023"."""
    request = desk.request
    if not request.before or not request.is_words_only or request.sections:
        return
    if follow_pronouns.name_pronoun(request.question, request.before, request.moment.date()) != request.question:
        return  # it speaks of the security before: "make it 680" behind a wish for an alert
    said = [follow_asides.read_amendment(each) or each for each in (*request.before, request.question)]
    desk.request = replace(request, before=[request.before[0], *said[1:-1]], question=said[-1])


def _read_first(desk: ToolDesk, asked: UserRequest) -> Work[Reply | None]:
    """Answer a question by its ideas, where those go before the rules; None for any other."""
    kind = intent.read_acts(asked).kind
    if kind in _WISHES and not ideas.read_question(asked.question, asked.moment.date(), first=True):
        return None
    if kind not in (*intent.ANSWERABLE, *_OPEN, "unknown", *_WISHES):
        return None  # something is told, or is to be done
    return (yield from _find_trades(desk, asked, first=True)) or (yield from _read_again(desk, asked, first=True))


_WISHES = ("schedule", "alert", "task_change")
"""Kinds that a question about a task or an alert may look like: what happens at 15:00 every day."""


def _read_again(desk: ToolDesk, asked: UserRequest, *, first: bool = False) -> Work[Reply | None]:
    """Answer a message that the rules did not read by its ideas and those of the one before; None for none."""
    request, said = desk.request, list(desk.last_lines)
    desk.request = asked
    desk.last_lines.clear()
    done = yield from _answer_known(desk, first=first)
    if done is None:
        desk.last_lines[:] = said
    desk.request = request
    return done


def _answer_known(desk: ToolDesk, *, first: bool = False) -> Work[Reply | None]:
    """Answer the known question that a message asks by its ideas; None where it asks none, or that is not read."""
    asked = desk.request
    if desk.is_reading_again or not asked.is_words_only or asked.sections or asked.data:
        return None
    done, allowed = None, desk.allowed
    desk.is_reading_again, desk.allowed = True, None
    known_ones = yield from idea_questions.find_known(desk, first=first)
    for known in known_ones:
        if known == asked.question:
            continue
        answers = []
        for each in known.split(idea_questions.AND):
            desk.request = replace(asked, question=each, before=[], listed=[])
            answers.append((yield from _do_request(desk)))
        if all(each.understood and not each.unread for each in answers):
            done = reply.join_replies(answers) if len(answers) > 1 else answers[0]
            break
    replies = []
    for known in [] if known_ones or first else idea_questions.find_parts(desk):
        desk.request = replace(asked, question=known, before=[], listed=[])
        replies.append((yield from _do_request(desk)))
    if len(replies) > 1 and all(each.understood and not each.unread for each in replies):
        done = reply.join_replies(replies)
    desk.request, desk.is_reading_again, desk.allowed = asked, False, allowed
    return done


def _mend_spelling(desk: ToolDesk) -> None:
    """Write out the spellings of chats in a question; what is told or to be kept stays as it was written."""
    before = [mend_spelling(each) for each in desk.request.before]
    mended = replace(desk.request, question=mend_spelling(desk.request.question), before=before)
    if mended != desk.request and not mended.sections and _may_ask(mended):
        desk.request = mended


_TOLD = ("", "traded")
"""Kinds of messages that may tell of a trade."""


def _set_aside(desk: ToolDesk) -> None:
    """Leave out what somebody says of themselves before a question, where that makes the whole a view."""
    asked = desk.request
    kind = intent.read_acts(asked).kind
    if not asked.is_words_only or asked.sections or kind not in ("own_view", "praise", "research", "review", *_TOLD):
        return
    from ia.agent.analyst.ask.asides import ask_tag, drop_asides

    said = asked.question
    plain = replace(asked, question=ask_tag(said) if kind in _TOLD else drop_asides(said, asked.moment.date()))
    if _may_ask(plain):
        desk.request = plain


def _read_loosely(desk: ToolDesk, asked: UserRequest) -> Work[Reply | None]:
    """Answer a question that was not read in plainer words, where all of these are read; None for any other."""
    if not asked.is_words_only or asked.sections or desk.asks_which or desk.is_loosened or desk.is_reading_again:
        return None
    failed, said, allowed, plain = desk.request, list(desk.last_lines), desk.allowed, simplify_question(asked.question)
    words, before = loosen_question(asked.question), [loosen_question(each) for each in asked.before]
    for each in dict.fromkeys((words, find_same(words))):
        loosened = replace(asked, question=each, before=before)
        same = simplify_question(each) == plain and before == asked.before
        if not each or same or not _may_ask(asked, loosened):
            continue
        if done := (yield from _ask_instead(desk, loosened)):
            return done
    desk.request, desk.last_lines[:], desk.allowed = failed, said, allowed
    return None


def _ask_instead(desk: ToolDesk, loosened: UserRequest) -> Work[Reply | None]:
    """Answer a question in the place of the one that was asked; None where it is not read either."""
    desk.last_lines.clear()
    desk.request, desk.allowed, desk.is_loosened = loosened, None, True
    done = yield from _answer_loosened(desk, loosened)
    desk.is_loosened = False
    return done


def _answer_loosened(desk: ToolDesk, loosened: UserRequest) -> Work[Reply | None]:
    """Answer a question in plainer words, or the several that it has become; None where one of them is not read."""
    answers = []
    for each in loosened.question.split(idea_questions.AND):
        asked = replace(loosened, question=each)
        desk.request, desk.allowed = asked, None
        done = yield from _read_first(desk, asked)
        if done is None:
            done = yield from _do_request(desk)
        if done.unread or not done.understood:
            done = yield from _read_again(desk, asked)
        if done is None:
            return None
        answers.append(done)
    desk.request = loosened
    return reply.join_replies(answers) if len(answers) > 1 else answers[0]


def _may_ask(*requests: UserRequest) -> bool:
    """Return True if messages may be questions: nothing is told, kept or to be done."""
    return all(intent.read_acts(each).kind in _LOOSE for each in requests)


def _name_as_said(desk: ToolDesk, question: str) -> str:
    """Return an offered question with securities as they were called: only what is answered is named in full."""
    for each in find_mentions(question):
        question = question.replace(each.code, desk.short_names.get(each.code, each.symbol.code))
    return question


def _say_offered(desk: ToolDesk, offered: list[str]) -> list[str]:
    """Return the lines that offer questions below an answer for one that was not read."""
    if not offered:
        return []
    head = desk.speak("Near it, and I can answer (`ia turn -c 1` asks the first):")
    return [head, *(f"{at}. {question}" for at, question in enumerate(offered, 1))]


def _take_offered(desk: ToolDesk) -> Work[None]:
    """Put the question that a message chooses of those offered before in its place: "1", "the second one", "yes"."""
    request = desk.request
    if not request.before or not request.is_words_only or request.sections:
        return
    said = [*request.before, request.question]
    for at in range(max(len(said) - 2, 1), len(said)):
        place = choices.read_place(said[at])
        if place is not None and not any(request.listed[at - 1 : at]):  # what named securities offered no questions
            offered = yield from _find_offered_before(desk, said[:at])
            said[at : at + 1] = offered[place : place + 1] or said[at : at + 1]
    if said[-1] != request.question:
        desk.request = replace(request, question=said[-1], before=[], listed=[])
    else:
        desk.request = replace(request, before=said[:-1])


_REPEATABLE = tuple(kind for kind in intent.ANSWERABLE if kind not in ("compare", "review"))
"""Kinds of messages that file nothing, so that they may be worked on once more."""


_LOOSE = (*intent.ANSWERABLE, *_OPEN, "unknown")
"""Kinds of messages that may be read in plainer words."""


def _find_offered_before(desk: ToolDesk, said: list[str]) -> Work[list[str]]:
    """Return the questions that were offered for the last of some messages: it is worked on once more."""
    request = desk.request
    *before, last = said
    desk.request = replace(request, question=last, before=before, listed=request.listed[: len(before)])
    offered: list[str] = []
    if intent.read_acts(desk.request).kind in _REPEATABLE:
        done = yield from _answer_questions(desk)
        offered = find_offered(desk.request, done.unread[0]) if done.unread else []
    desk.request = request
    desk.last_lines.clear()
    return offered


def _resolve_pointers(desk: ToolDesk) -> tuple[tuple[str, ...], bool]:
    """Put the securities that "it" or "the second one" mean into the words; return those between which that is open.

    The second value tells whether one of them is surely meant.
    """
    request = desk.request
    if not request.before or not request.is_words_only or request.sections:
        return (), False
    placed = follow_pronouns.ask_place(request.question, request.before, request.moment.date())
    if placed := placed or follow_own.ask_latest_note(drop_lead(request.question), request.before[-1]):
        desk.request = replace(request, question=placed, before=request.before[:-1], listed=request.listed[:-1])
        return (), False
    if len(request.listed) < len(request.before) or asks_of_last_trade(
        request.question, request.before[-1], request.moment.date()
    ):
        return (), False
    asked = idea_questions.read_wholes(request.before, request.moment.date())
    if whole := sum_spoken(request.question, asked, request.moment.date()):  # both amounts, not both holdings listed
        desk.request = replace(request, question=whole, before=[], listed=[])
        return (), False
    said = listed_subjects.resolve_words([*request.before, request.question], request.listed)
    *before, question = said.texts
    wholes, today = idea_questions.read_wholes(before, request.moment.date()), request.moment.date()
    pointed = not find_mentions(request.question) and follow_points.ask_pointed(
        drop_lead(request.question), wholes[-1], find_named(wholes[-1]), today
    )
    if whole := pointed or follow_pairs.ask_of_both(request.question, wholes, today):
        desk.request = replace(request, question=whole, before=[], listed=[])
        return (), False
    desk.request = replace(request, before=before, question=question)
    return said.open_codes, said.counted


_TO_SEND = pattern_by_letters(
    r"(?:发|推送|转发|传)(?:送)?(?:一[份下条])?(?:给|到|去|至)?(?:我的?)?"
    r"(?:手机|微信|邮箱|邮件|短信|电报|钉钉|飞书|(?i:telegram|ntfy|slack|email))|(?:推送|转发)给我"
    r"|\b(?:send|push|forward|text|e-?mail|message|deliver)\b.{0,60}?\b(?:to|on|via|by|over) (?:my |the )?"
    r"(?:phone|mobile|cell|e-?mail|mailbox|telegram|wechat|whatsapp|slack|discord|ntfy)\b|\b(?:e-?mail|text) me\b",
    re.I,
)
"""Words that wish an answer sent somewhere else."""


def _say_unsent(desk: ToolDesk) -> list[str]:
    """Return that an answer was sent nowhere, and how it is, where the words wish it sent to a phone or a mailbox."""
    words = desk.request.question
    if not _TO_SEND.search(words) or desk.request.data or desk.request.form:
        return []
    if intent.read_acts(desk.request).kind in ("schedule", "alert", "task_change", "note"):
        return []
    source = f"ia note read {desk.written[-1].removeprefix('notebook/')}" if desk.written else "ia turn QUESTION"
    return [
        desk.speak(
            "Nothing was sent: `{command}` sends it; `ia config set channels.phone ADDRESS` sets the phone up, and a"
            " task sends by itself (“every weekday at 15:30 send me the review”).",
            command=f"{source} | ia send --to phone -",
        )
    ]


def _read_before(desk: ToolDesk) -> Work[Reply | None]:
    """Read a message with the owner's names and what was said before it; return the answer where that tells all."""
    yield from name_own_securities(desk)
    _take_chart(desk)
    of_list = list_talk.take_back(desk) or list_talk.tell_place(desk) or (yield from list_talk.tell_mine(desk))
    of_list = of_list or (yield from list_talk.tell_asked(desk))
    return of_list or _complete_request(desk)


def _do_request(desk: ToolDesk) -> Work[Reply]:
    """Do what a request wants, and return the answer. What a kind of work needs is imported when it is wanted."""
    if desk.request.sections:
        from ia.agent.analyst.jobs import daily

        if desk.request.event in daily.EVENTS:
            return (yield from daily.EVENTS[desk.request.event](desk))
        from ia.agent.analyst.jobs import past_sessions

        if desk.request.event in past_sessions.EVENTS:
            return (yield from past_sessions.EVENTS[desk.request.event](desk))
    if said := _find_refusal(desk) or (yield from _read_before(desk)):
        return said
    if unclear := (
        (yield from _name_ranked(desk)) or (yield from name_counted(desk)) or (yield from read_own_trades(desk))
    ):
        return unclear
    if told := _find_correction(desk):
        from ia.agent.analyst.jobs import correcting

        return (yield from correcting.correct(desk, told))
    web = None if desk.request.skill or desk.request.data else find_web_topic(desk.request.question)
    if web is not None:
        from ia.agent.analyst.jobs import web_research

        return (yield from web_research.research_topic(desk, web))
    topic = None if desk.request.skill or desk.request.data else find_library_topic(desk.request.question)
    if topic is not None and desk.has("search_knowledge"):
        from ia.agent.analyst.jobs import own_library

        return (yield from own_library.quote_library(desk, topic))
    if others := _find_other_names(desk):
        from ia.agent.analyst.jobs import small_talk

        return small_talk.ask_which(desk, others)
    if believed := (yield from _work_on_beliefs(desk)):
        return believed
    if grounds := (yield from _explain_last(desk)):
        return grounds
    if done := (yield from _run_checklist(desk)) or (yield from _name_pages(desk)) or (yield from _test_whole(desk)):
        return done
    if desk.request.is_words_only and (filed := read_filed(desk.request.question, desk.request.moment.date())):
        from ia.agent.analyst.jobs import filed_reports

        return (yield from filed_reports.read_report(desk, filed))
    from ia.agent.analyst.jobs.answer_parts import answer_parts

    if answered := (yield from answer_parts(desk, _answer_whole)):
        return answered
    return (yield from _answer_whole(desk))


def _take_chart(desk: ToolDesk) -> None:
    """Of a wish for a chart of one security and a judgment leave the judgment; the answer ends with the chart."""
    request = desk.request
    if not request.is_words_only or len(request.question) > LONGEST or not asks_chart_and_view(request.question):
        return
    named = find_mentions(request.question)
    if len(named) == 1:
        command = f"ia chart {named[0].code}"
        desk.last_lines.append(
            desk.speak("The chart: `{command}`; `-o FILE.svg` writes it to a file.", command=command)
        )
        question = desk.speak("How is {security} doing?", security=named[0].said)
        desk.request = replace(request, question=question)


def _work_on_beliefs(desk: ToolDesk) -> Work[Reply | None]:
    """Answer a message about beliefs and their dates, or keep the one that it states; None for any other message."""
    request = desk.request
    if not request.is_words_only:
        return None
    words = request.question[:LONGEST]
    if not (states_belief(words) or find_wish(words) or read_verdict(words) is not None):
        return None
    from ia.agent.analyst.jobs import believing

    return (yield from believing.work_on_beliefs(desk))


def _explain_last(desk: ToolDesk) -> Work[Reply | None]:
    """Answer "why?" with the passage that the answer before rests on; None for any other message."""
    request = desk.request
    if not request.is_words_only or not follow_asides.asks_why(request.question):
        return None
    from ia.agent.analyst.jobs import grounds

    return (yield from grounds.explain_last_answer(desk))


def _run_checklist(desk: ToolDesk) -> Work[Reply | None]:
    """Go through the checklist that a message asks for; None for any other message."""
    request = desk.request
    if not request.is_words_only or not checklist_words.ASKS.search(request.question):
        return None
    wanted = intent.read_acts(request)
    if wanted.kind not in (*intent.ANSWERABLE, "order", "scan"):
        return None
    from ia.agent.analyst.jobs import checking

    return (yield from checking.run_checklist(desk, wanted))


def _name_pages(desk: ToolDesk) -> Work[Reply | None]:
    """Name the command of the page that a message wishes for; None for any other message."""
    request = desk.request
    if not report_words.ASKS.search(request.question[:LONGEST]):
        return None
    wanted = intent.read_acts(request)
    if wanted.kind not in intent.ANSWERABLE or not intent.may_ask_facts(request, wanted):
        return None
    if not report_words.find_subject(wanted.words, wanted.securities):
        return None
    from ia.agent.analyst.jobs import page_reports

    return (yield from page_reports.name_pages(desk, wanted))


def _find_correction(desk: ToolDesk) -> ToldCorrection | None:
    """Return the correction of a journal entry that a message tells."""
    request = desk.request
    if not request.is_words_only:
        return None
    return read_correction(request.question[:LONGEST])


def _complete_request(desk: ToolDesk) -> Reply | None:
    """Put in order a request for a language or for one of several securities; return the reply where that is all.

    "in English please" asks the question before once more; "the second one" chooses what the question before left open.
    """
    request = desk.request
    if not request.is_words_only or request.sections:
        return None
    rest, lang = follow_asides.split_language_wish(request.question)
    if lang:
        before = follow_asides.drop_asides(request.before)
        if not rest and not before:
            return reply.reply_of_lines(
                desk.speak("I answer in the language of the question; `ia config set lang {lang}` sets that of"
                           " messages.", lang=lang)
            )  # fmt: skip
        desk.speak = AnswerVoice(lang)
        again = replace(request, question=rest or before[-1], speak=desk.speak,
                        before=request.before if rest else before[:-1])  # fmt: skip
        if not rest and intent.read_acts(again).kind not in intent.ANSWERABLE:
            return reply.reply_of_lines(desk.speak("Nothing is done twice: say it again in the language you want."))
        desk.request = again
        return None
    chosen = choices.read_choice(request)
    if chosen:
        desk.request = replace(request, question=chosen, before=request.before[:-1])
        return None
    for said in dict.fromkeys((request.question, simplify_question(request.question))):
        named = follow_pronouns.name_pronoun(said, request.before, request.moment.date())
        if named != said:
            desk.request = replace(request, question=named)
            break
    return None


def _name_ranked(desk: ToolDesk) -> Work[Reply | None]:
    """Put the first of the ranking that was asked for before in the place of "it"; ask back where several are first.

    None where nothing is to be named, or it is named now.
    """
    request = desk.request
    if not request.is_words_only or not request.before:
        return None
    before = follow_asides.drop_asides(request.before)
    ranking = follow_pronouns.find_ranking(request.question, before, request.moment.date())
    if not ranking:
        return None
    desk.request = replace(request, question=ranking, before=before[:-1])
    if intent.read_acts(desk.request).kind in (*intent.ANSWERABLE, "scan"):
        yield from _answer_whole(desk)
    desk.request, ranked, desk.ranked = request, list(dict.fromkeys(desk.ranked)), []
    if not ranked:
        return None
    if len(ranked) == 1:
        desk.request = replace(
            request, question=follow_pronouns.put_in_place(request.question, ranked[0], ranking, request.moment.date())
        )
        return None
    from ia.agent.analyst.jobs.facts import wording

    names = desk.speak.join_items([wording.security_name(desk, code, None) for code in ranked])
    desk.asks_which = True
    return reply.reply_of_lines(
        desk.speak("Which one is meant: {names}? Write its name or code.", names=names)
    )._replace(understood=False)


def _answer_whole(desk: ToolDesk) -> Work[Reply]:
    """Do what a request wants that is one thing."""
    wanted = intent.read_acts(desk.request)
    if (tested := (yield from _answer_backtest(desk, wanted))) is not None:
        return tested
    if wanted.securities and wanted.kind in intent.ANSWERABLE:
        from ia.agent.analyst.jobs import session_days

        words = yield from session_days.resolve_session_days(desk, wanted.words, wanted.securities[0].symbol.market)
        wanted = wanted._replace(words=words)
    wanted = _read_regular(desk, wanted)
    asking = wanted.kind in (*intent.ANSWERABLE, *intent.SETTING) or intent.may_ask_tasks(wanted)
    if asking and wanted.kind not in intent.SETTING and (unknown := _find_unknown(desk, wanted)):
        from ia.agent.analyst.jobs import small_talk

        return small_talk.ask_which(desk, unknown)
    if wanted.kind in intent.ANSWERABLE and (left_out := find_exception(wanted.words, wanted.securities)):
        return (yield from _answer_without(desk, wanted, left_out))
    if asking and (answered := (yield from _answer_facts(desk, wanted))):
        return answered
    if wanted.kind == "scan" and intent.may_ask_facts(desk.request, wanted):
        from ia.agent.analyst.jobs import scanning

        if other := (yield from scanning.find_other_scan(desk, wanted)):
            return other
    if intent.asks_figures(desk.request, wanted):
        yield from desk.load_tables("figures")
        wanted = intent.read_figures(desk.request, wanted, desk.tables)
    if wanted.kind in _OPEN and (meant := (yield from _own_skill(desk, wanted))):
        wanted = meant
    about = wanted.kind == "review" and _OF_TASK.search(wanted.words)
    if (wanted.kind == "why" or about) and (again := (yield from _answer_known(desk))):
        return again  # why something of the owner's is so
    done = yield from _study(desk, wanted) if wanted.kind == "research" else _work_on(desk, wanted)
    if done is not None:
        return done
    if wanted.kind == "unknown" and (
        answered := ((yield from _answer_known(desk)) or (yield from _answer_otherwise(desk, wanted)))
    ):
        return answered
    if wanted.kind == "doubtful" and (term := (yield from _answer_term(desk, wanted))):
        return term
    if wanted.kind in ("help", "unknown"):
        yield from desk.load_tables("figures")
    from ia.agent.analyst.jobs import small_talk

    return small_talk.answer_plainly(desk, wanted)._replace(understood=wanted.kind not in ("unknown", "doubtful"))


def _read_regular(desk: ToolDesk, wanted: Intent) -> Intent:
    """Return what is wanted, a question with words of a schedule ("every year") in plain words, and as the question."""
    today = desk.request.moment.date()
    days = intent.asks_days(wanted, today)
    if wanted.kind == "schedule" and (days or intent.may_ask_tasks(wanted)):
        wanted = wanted._replace(words=simplify_question(wanted.words))
    return wanted._replace(kind="") if days or intent.asks_days(wanted, today) else wanted


_QUESTION = pattern(r"[?？]\s*$|^(?:what|which|why|how|when|who|where|explain)\b|什么|怎么|如何|为什么|为何|哪", re.I)


def _answer_otherwise(desk: ToolDesk, wanted: Intent) -> Work[Reply | None]:
    """Answer what no rule here reads by the skill that it is for, a term, or the user's documents; None for neither."""
    if meant := (yield from _find_triggered_skill(desk, wanted)):
        return (yield from _skill(desk, meant))
    if term := (yield from _answer_term(desk, wanted)):
        return term
    if not desk.has("search_knowledge") or not _QUESTION.search(wanted.words) or desk.request.wants_json:
        return None
    from ia.agent.analyst.jobs import own_library

    return (yield from own_library.look_up(desk, wanted.words))


def _test_whole(desk: ToolDesk) -> Work[Reply | None]:
    """Answer a message that is a wish for a backtest from end to end; None for any other message."""
    return (yield from _answer_backtest(desk, intent.read_acts(desk.request), whole=True))


def _answer_backtest(desk: ToolDesk, wanted: Intent, *, whole: bool = False) -> Work[Reply | None]:
    """Answer a wish for a backtest, or a question for saved ones; None for anything else.

    whole  only where no word is left unread: a message of several wishes is answered part by part
    """
    again = yield from _continue_backtest(desk, wanted)
    wanted = again or wanted
    if not ASKS.search(wanted.words) or wanted.kind not in (*intent.ANSWERABLE, "review"):
        return None
    from ia.agent.analyst.jobs import backtesting

    if whole and again is None and not (yield from backtesting.reads_whole(desk, wanted)):
        return None
    return (yield from backtesting.backtest(desk, wanted))


def _continue_backtest(desk: ToolDesk, wanted: Intent) -> Work[Intent | None]:
    """Return the backtest that the question before wished for and this message completes; None where it does not."""
    if ASKS.search(wanted.words) or desk.request.data or desk.request.form:
        return None
    asked = [at for at, said in enumerate(desk.request.before[-3:]) if ASKS.search(said)]
    if not asked:
        return None
    from ia.agent.analyst.ask.backtest_words import complete_wish

    yield from desk.load_tables("backtest_rules")
    words, *answers = [*desk.request.before[-3:][asked[-1] :], wanted.words]
    for answer in answers:
        words = complete_wish(words, answer, desk.tables)
        if not words:
            return None
    return Intent("", find_mentions(words), words)


def _find_refusal(desk: ToolDesk) -> Reply | None:
    """Return the answer to a message that nothing is done for: in a language that is not read, or to be unruled."""
    speak, words = desk.speak, desk.request.question
    if is_foreign(words):
        return reply.reply_of_lines(
            speak(
                "I read English and Chinese only, so nothing was done and nothing kept. Please say it in one of them."
            )
        )._replace(understood=False)
    if _UNRULE.search(words):
        return reply.reply_of_lines(
            speak("No message changes my rules: they are part of the program. ia never places an order; you do.")
        )
    if _JUDGED.fullmatch(words) and complete_question(words, desk.request.before, desk.request.moment.date()) == words:
        from ia.agent.analyst.jobs.facts import wording

        return wording.ask_back(desk, (words.strip(" ?？"),))
    if (past := _PAST_WISH.match(words[:LONGEST])) and desk.request.is_words_only and not desk.request.sections:
        said = (past["zh"] or past["en"] or past["end"]).strip()
        return reply.reply_of_lines(
            speak(
                "“{time}” is past: no reminder was made. Say when it is to come, such as “tomorrow at 10”.", time=said
            )
        )._replace(understood=False)
    if desk.request.is_words_only and forbids(words[:LONGEST]) and intent.read_acts(desk.request).kind not in _UNDONE:
        return reply.reply_of_lines(
            speak("You say what not to do: nothing was done and nothing kept. What is it that you want?")
        )._replace(understood=False)
    return None


_JUDGED = pattern(
    r"\W*(?:and |so )?(?:is|was) (?:that|it|this) (?:a lot|much"
    r"|(?:very |rather |too |quite )?(?:high|low|big|large|small))"
    r"(?: then)?\W*",
    re.I,
)
"""Whether a figure of before is high, which the high of the day does not tell."""
_PAST = (
    r"(?:yesterday|the day before yesterday|last (?:night|week|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day))"
)
_PAST_WISH = pattern(
    r"\W*(?:请|麻烦)?(?P<zh>昨[天日晚]|大?前[天日]|上个?(?:周|星期|礼拜|月)[一二三四五六日天]?)"
    r"[^，,。？?！!]{0,10}(?:提醒|通知|叫)我(?![^，,。]{0,3}[的了过])[^？?吗呢哪什]*\Z"
    rf"|\W*(?:please )?remind me (?P<en>{_PAST})\b[^?]*\Z"
    rf"|\W*(?:please )?remind me to [^?,.]{{2,40}} (?P<end>{_PAST})(?: at [\d: apm.]+)?\W*\Z",
    re.I,
)
"""A wish to be reminded at a time that has been."""
_UNDONE = ("task_change", "untrack", "not_traded", "coach", "prefer", "forget")
"""Kinds of messages that end something, or say how answers are to be."""


def _find_other_names(desk: ToolDesk) -> list[str]:
    """Return the names of companies that only begin with a known one's, where something is asked or to be done.

    What is put on the watch list beside them is put there; whoever does so asks for the others.
    """
    wanted = intent.read_acts(desk.request)
    own = wanted.kind in _OWN_WORDS and not has_form(wanted.words[:LONGEST], "track_list")
    beside = wanted.kind == "track" and wanted.securities
    if own or beside or not intent.may_ask_facts(desk.request, wanted):
        return []
    return find_other_companies(wanted.words)


def _answer_without(desk: ToolDesk, wanted: Intent, left_out: str) -> Work[Reply]:
    """Answer a question that leaves securities out: what the other holdings are worth or have brought, or a screen."""
    from ia.agent.analyst.jobs.facts import own_sums, wording

    if rest := (yield from own_sums.answer_rest(desk, wanted.words, left_out, wanted.securities)):
        return rest
    today = desk.request.moment.date()
    asked = find_question(wanted.words, wanted.securities, today, desk.tables)
    answered = (yield from _answer_facts(desk, wanted)) if asked and asked.answer == "rest_result" else None
    if answered is None and (words := wanted.words.replace(left_out, " ").strip(" ，,、")) != wanted.words:
        yield from desk.load_tables(*tables_for([]))
        screen = find_question(words, [], today, desk.tables)
        if screen is not None and screen.answer == "screen" and not screen.left:
            from ia.agent.analyst.jobs import facts

            return (yield from facts.answer_question(desk, replace(screen, securities=tuple(wanted.securities))))
    return answered or wording.ask_back(desk, (left_out,))


def _find_unknown(desk: ToolDesk, wanted: Intent) -> list[str]:
    """Return the names beside known securities in a question that mean none: an answer would leave them out."""
    if not wanted.securities or not intent.may_ask_facts(desk.request, wanted):
        return []
    return find_unknown_names(wanted.words, wanted.securities)


def _answer_facts(desk: ToolDesk, wanted: Intent) -> Work[Reply | None]:
    """Answer a question for facts; None for anything else."""
    if not intent.may_ask_facts(desk.request, wanted):
        return None
    if explained := (yield from _explain_term(desk, wanted)):
        return explained
    both = ("figures",) if intent.asks_figures(desk.request, wanted) else ()
    carried, asked = intent.carried_securities(desk.request, wanted), None
    today = desk.request.moment.date()
    if carried:
        yield from desk.load_tables(*tables_for(carried), *both)
        asked = find_question(wanted.words, carried, today, desk.tables)
        asked = asked if asked is not None and asked.facts[0].of == SECURITY else None
    if asked is None:
        yield from desk.load_tables(*tables_for(wanted.securities), *both)
        asked = find_question(wanted.words, wanted.securities, today, desk.tables)
    if asked is None or (wanted.kind == "asked_memory" and _asks_own_words(wanted, asked)):
        return None
    meant = ("set_limit", "language") if wanted.kind in intent.SETTING else ("tasks",)
    if wanted.kind not in intent.ANSWERABLE and not {asked.answer, asked.facts[0].field} & {*meant}:
        return None
    from ia.agent.analyst.jobs import facts

    return (yield from facts.answer_question(desk, asked))


def _explain_term(desk: ToolDesk, wanted: Intent) -> Work[Reply | None]:
    """Answer a question for the meaning of a term, as a whole; None for anything else.

    An index may be a term, too; what else is named, and what goes on about a security, is asked for its figure.
    """
    if wanted.kind not in ("", "help") or any(each.symbol.kind != "index" for each in wanted.securities):
        return None
    term = find_term(wanted.words)
    if not term or (desk.request.before and intent.carried_securities(desk.request, wanted)):
        return None
    from ia.agent.analyst.jobs.facts import market_facts

    return (yield from market_facts.explain_named(desk, term))


_HOW_MANY = pattern(r"[几多][少]?[只个支家]|\bhow many\b", re.I)


def _asks_own_words(wanted: Intent, asked: FactQuestion) -> bool:
    """Return True if a question with words of the memory asks for what was written, not for the market or a task."""
    if asked.answer in ("tasks", "howto", "dates", "note", "own_target", "setting", "watch_group", "watch_industries"):
        return False
    if asked.facts[0].field in ("owned", "unwatched"):
        return False  # the watch list against what is held
    if asked.facts[0].of == WATCH and wanted.securities:
        return False  # they are left out
    told_apart = find_market_currencies(wanted.words) or _HOW_MANY.search(wanted.words) or asked.left or asked.unread
    if asked.facts[0].of == WATCH and told_apart:
        return False
    return not asked.asks_market or bool(wanted.securities) or asked.answer == "refuse"


def _answer_term(desk: ToolDesk, wanted: Intent) -> Work[Reply | None]:
    """Answer a short question about a term of the glossary; None for anything else."""
    words = wanted.words
    if wanted.kind == "doubtful" and find_near_name(words)[0]:
        return None
    if (
        wanted.asked.figures
        or len(words) > 40
        or (has_condition(words) and len(words) > _SHORT_TERM)
        or not intent.may_ask_facts(desk.request, wanted)
        or wanted.securities
    ):
        return None
    from ia.agent.analyst.jobs.facts import market_facts

    return (yield from market_facts.explain_terms(desk, words))


_UNREAD_MOST = 2
"""Words that a question for a view may have besides: of one with more something else is wanted."""


def _study(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Give the view of a security and say what of the question it does not answer; ask where no view is wanted."""
    from ia.agent.analyst.ask.study_words import find_unread
    from ia.agent.analyst.evidence.lens import lenses_at
    from ia.agent.analyst.jobs import small_talk
    from ia.agent.analyst.jobs.research import research

    first = wanted.securities[0]
    if first.symbol.kind == "index" and _PURCHASE.search(wanted.words):
        return reply.reply_of_lines(
            desk.speak(
                "{name} is an index: it cannot be bought, so I give no verdict on a purchase.",
                name=f"**{display_name(desk, first)}** {first.code}",
            ),
            desk.speak("Name a fund that follows it; how the index stands: “{name} today”.", name=first.said),
        )
    yield from desk.load_tables("study", "lenses")
    views = [view.words for view in lenses_at(desk.tables).views.values()]
    horizon = _HORIZON.search(wanted.words)
    words = wanted.words.replace(horizon[0], " ") if horizon else wanted.words
    unread, asks = find_unread(words, wanted.securities, views, desk.tables)
    if unread and not asks:
        return small_talk.answer_plainly(desk, wanted._replace(kind="vague", words=desk.join_typed(unread)))
    if known := (yield from _answer_known(desk)):
        return known
    if unread and (plainer := (yield from _read_loosely(desk, desk.request))):
        return plainer
    if unread and (len(unread) > _UNREAD_MOST or any(map(_OWN_MATTER.search, unread))):
        return small_talk.answer_plainly(desk, wanted._replace(kind="vague", words=desk.join_typed(unread)))
    if (not asks or _SUPPOSED.search("".join(desk.request.before[-1:]))) and _goes_on_with_figures(desk.request):
        return small_talk.answer_plainly(desk, wanted._replace(kind="vague", words=wanted.words.strip()))
    if first.symbol.kind == "index":
        from ia.agent.analyst.jobs.facts import index_facts, wording

        return wording.ask_back(desk, tuple(unread)) if unread else (yield from index_facts.describe_index(desk, first))
    done = yield from research(desk, wanted.securities[0], unread)
    if horizon is None:
        return done
    line = desk.speak("This view is for months; of “{time}” it says little.", time=horizon[0].strip())
    return done._replace(lines=[line, *done.lines], points=[*done.points, line])


def _goes_on_with_figures(request: UserRequest) -> bool:
    """Return True if a message goes on with a question for money or a figure: no view of a security is meant."""
    before = follow_asides.drop_asides(request.before)
    if not before or not (
        LEAD.search(request.question) or TAIL.search(request.question) or _ONLY.search(request.question)
    ):
        return False
    today = request.moment.date()
    return _is_about_own(before, today) or any(MEASURE.search(strip_mentions(each)) for each in before[-2:])


_OWN_MATTER = pattern(
    r"\b(?:cash|bought|sold|paid|account|portfolio|profits?|fees?|deposit\w*|cost"
    r"|alerts?|reminders?|tasks?|notes?|wrote|written)\b|现金|账户|成本|手续费|盈亏|赚|亏|卖出|买入|提醒|任务|笔记",
    re.I,
)
"""Unread words about the owner's money, alerts, tasks or notes: a view of a security tells nothing of them."""
_SUPPOSED = pattern(r"如果|要是|假如|卖[掉光出]|\bif i\b|\bafter (?:selling|buying)\b", re.I)
"""A purchase or a sale that was supposed: one that goes on with it supposes another."""
_ONLY = pattern(r"^\W*(?:(?:just|only|on|in|for|from|with)\b|[只光单](?:看|算|说)?)", re.I)
"""Words by which a message goes on with the one before about but one security."""
_OF_TASK = pattern(r"\b(?:when|approved|did|does)\b|批准|什么时候|几点", re.I)
"""What is asked of a task, not of the days that it looks back at."""
_PURCHASE = pattern(r"买|建仓|加仓|入手|上车|\b(?:buy|buying|purchase|invest in|get into)\b", re.I)
_HORIZON = pattern(
    r"超?短线|短期|中线|长线|长期|波段|日内|(?<![近去前])[一二两三五十\d]+年(?!前|来|以来|报)"
    r"|\bfor (?:the (?:next|coming) )?(?:\d+|one|two|three|five|ten|twenty|thirty|many|several|a few)"
    r" (?:years?|decades?|days?|weeks?)\b"
    r"|\b(?:in|over) the (?:long|short)[- ](?:term|run)\b|\b(?:for the )?(?:long|short)[- ](?:term|run)\b"
    r"|\bintraday\b|\bday[- ]?trad(?:e|ing)\b|\buntil (?:next )?\w+(?=\W*$)",
    re.I,
)
"""How long somebody means to hold; a view of prices and reports is one of months."""


def _work_on(desk: ToolDesk, wanted: Intent) -> Work[Reply | None]:
    """Do the work of a kind, and return the answer; None for a kind that takes no work."""
    match wanted.kind:
        case "skill":
            return (yield from _skill(desk, wanted))
        case "piped":
            from ia.agent.analyst.jobs.research import research

            return (yield from research(desk, next(iter(wanted.securities), None)))
        case "compare":
            return (yield from _compare(desk, wanted))
        case "scan":
            from ia.agent.analyst.jobs import scanning

            return (yield from scanning.scan(desk, wanted))
        case "review":
            return (yield from _review(desk, wanted))
        case "figure":
            from ia.agent.analyst.jobs import small_talk

            return (yield from small_talk.answer_figure(desk, wanted))
        case "why":
            from ia.agent.analyst.jobs import small_talk

            return (yield from small_talk.explain_why(desk, wanted))
        case "holdings" | "mainline" | "order":
            from ia.agent.analyst.jobs import positions

            return (yield from positions.KINDS[wanted.kind](desk, wanted))
        case "coach" | "praise" | "schedule":
            from ia.agent.analyst.jobs import coaching

            if wanted.kind == "schedule":
                return (yield from coaching.schedule(desk, wanted, work))
            return (yield from coaching.KINDS[wanted.kind](desk, wanted))
        case "alert" | "task_change":
            from ia.agent.analyst.jobs import task_requests

            return (yield from task_requests.KINDS[wanted.kind](desk, wanted))
        case "traded" | "not_traded" | "paid":
            from ia.agent.analyst.jobs import journaling

            return (yield from journaling.KINDS[wanted.kind](desk, wanted))
        case "note" if filed := read_filing(simplify_question(wanted.words)):
            from ia.agent.analyst.jobs import memories

            asked, path = filed
            desk.request = replace(desk.request, question=asked)
            return (yield from memories.file_answer(desk, path, (yield from _answer_whole(desk))))
        case "asked_memory" | "forget" | "track" | "untrack" | "note" | "own_view" | "believe" | "prefer":
            from ia.agent.analyst.jobs import memories

            return (yield from memories.KINDS[wanted.kind](desk, wanted))
    return None


def _own_skill(desk: ToolDesk, wanted: Intent) -> Work[Intent | None]:
    """Return the owner's skill one of whose triggers the message has; None without one.

    It goes before research and figures: whoever wrote it means it.
    """
    standard = (*_STANDARD, "report") if _of_investing(desk) else _STANDARD
    if all(name in standard for name, _ in desk.request.skills):
        return None
    meant = yield from _find_triggered_skill(desk, wanted)
    return meant if meant is not None and meant.skill not in standard else None


def _find_triggered_skill(desk: ToolDesk, wanted: Intent) -> Work[Intent | None]:
    """Return the skill of the workspace one of whose triggers the message has; None where it is none, or several."""
    if not desk.request.skills or desk.request.data:
        return None
    listed = (yield from desk.one("skills.list")).get("skills")
    words, hits = f"{desk.request.question[:LONGEST]}\n{wanted.words[:LONGEST]}".casefold(), {}
    for skill in listed if isinstance(listed, list) else []:
        if isinstance(skill, dict) and skill.get("name") not in ("research", "compare", "scan"):
            said = [str(text).casefold() for text in skill.get("triggers") or [] if _has(words, str(text).casefold())]
            if said:
                hits[str(skill["name"])] = max(map(len, said))
    best = [name for name, size in hits.items() if size == max(hits.values())]
    return wanted._replace(kind="skill", skill=best[0]) if len(best) == 1 else None


def _has(words: str, trigger: str) -> bool:
    return bool(
        re.search(rf"(?<![a-z]){re.escape(trigger)}(?![a-z])" if trigger.isascii() else re.escape(trigger), words)
    )


def _review(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Review judgments on the market, unless the workspace's own /review is of another kind: one without prices."""
    body, names = desk.request.parts.get("skill", ""), [name for name, _ in desk.request.skills]
    foreign = "market." not in body and "indicator." not in body if body else bool(names) and "research" not in names
    if foreign:
        from ia.agent.analyst.jobs import follow_ups

        meant = (
            wanted
            if wanted.skill
            else (yield from _find_triggered_skill(desk, wanted._replace(words=f"{wanted.words} 回顾 review")))
        )
        own = "review" if "review" in names else meant.skill if meant else ""
        if own:
            return (yield from follow_ups.follow(desk, wanted._replace(kind="skill", skill=own)))
    from ia.agent.analyst.jobs import reviewing

    return (yield from reviewing.review(desk, wanted.words))


def _of_investing(desk: ToolDesk) -> bool:
    """Return True if the skill /report of this workspace is that of investing: others report on work that was done."""
    body = desk.request.parts.get("skill", "")
    return "ia report" in body if body else "research" in [name for name, _ in desk.request.skills]


_OWN_TRADE = pattern(
    r"\bmy\b.{0,30}?\btrades?\b|\bover the same (?:days|weeks|months|time|period)\b"
    r"|我的?[^，,。]{0,8}那[一几]?[笔次]交易|同一段时间|同期持有",
    re.I,
)
"""What became of an own trade is asked, which the evidence for two securities does not tell."""


_TOGETHER = pattern(r"\b(?:together|combined|added up)\b|加起来|合起来|合在一起", re.I)
"""A sum is asked for, and no comparison."""


def _compare(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Compare securities; ask back where something else of them is asked, and say what was not read."""
    if own := _OWN_TRADE.search(wanted.words) or _TOGETHER.search(wanted.words):
        from ia.agent.analyst.jobs.facts import wording

        return wording.ask_back(desk, (own[0],))
    unread, asks = yield from _find_unread_of_pair(desk, wanted)
    if unread and not asks:
        from ia.agent.analyst.jobs.facts import wording

        return wording.ask_back(desk, tuple(unread))
    goes_on = _goes_on_with_figures(desk.request) and not asks
    if (unread or goes_on) and (known := (yield from _answer_known(desk))):
        return known
    if unread and (plainer := (yield from _read_loosely(desk, desk.request))):
        return plainer
    if goes_on:
        from ia.agent.analyst.jobs import small_talk

        return small_talk.answer_plainly(desk, wanted._replace(kind="vague", words=wanted.words.strip()))
    if unread:
        done = yield from _compare_all(desk, wanted, unread)
        line = desk.speak(
            "“{words}” I could not read; this is the whole comparison.",
            words=desk.join_typed(unread),
        )
        return done._replace(lines=[line, *done.lines], points=[*done.points[:1], line, *done.points[1:]])
    return (yield from _compare_all(desk, wanted))


_PAIRED = pattern(
    r"对比|比较|比一?比|相比|比|选|挑|对决|(?<![a-z])pk(?![a-z])|更|强|好(?!几)|优劣|差[别异距]|区别|不同|并[排列]"
    r"|\b(?:compar\w+|versus|vs|against|better|best|stronger|strongest|prefer\w*|head[- ]to[- ]head|side by side"
    r"|differ\w*|stack(?:s|ed)? up|matchup|battle|measure up)\b",
    re.I,
)
"""Words that want securities compared as a whole."""
_OF_PAIRS = pattern(
    r"哪[一个只家支]+|谁|还是|之间|两[只家个者支]|这俩|俩|二者|三[只家个者]|一起|同时|其中|里面|当中"
    r"|\b(?:which|who|whose|or|between|both|two|three|each|other|of|them|either|one|together|rather|instead|than)\b",
    re.I,
)
"""Words of a question about several securities that say nothing of what is compared."""


def _find_unread_of_pair(desk: ToolDesk, wanted: Intent) -> Work[tuple[list[str], bool]]:
    """Return what a question about several securities says besides them, and whether it wants a view of them at all."""
    from ia.agent.analyst.ask.study_words import find_unread
    from ia.agent.analyst.evidence.lens import lenses_at

    if wanted.kind == "skill" or desk.request.skill or desk.request.data or desk.request.wants_json:
        return [], True
    yield from desk.load_tables("study", "lenses")
    views = [view.words for view in lenses_at(desk.tables).views.values()]
    words = strip_mentions(wanted.words)
    plain = _OF_PAIRS.sub(" ", _PAIRED.sub(" ", words))
    unread, asks = find_unread(plain, wanted.securities, views, desk.tables)
    return unread, asks or bool(_PAIRED.search(words))


def _compare_all(desk: ToolDesk, wanted: Intent, unread: Sequence[str] = ()) -> Work[Reply]:
    """Compare securities as a whole, or tell of the one that has prices.

    unread  words of the question that were not read: nothing is kept
    """
    from ia.agent.analyst.jobs import comparing
    from ia.agent.analyst.jobs.research import research

    reached = [] if desk.request.wants_json else (yield from _with_prices(desk, wanted.securities[: comparing.MOST]))
    if len(reached) != 1:
        return (yield from comparing.compare(desk, wanted.securities, keeps=not unread))
    missing = [mention for mention in wanted.securities[: comparing.MOST] if mention not in reached]
    done = yield from research(desk, reached[0], keeps=not unread)
    line = desk.speak(
        "No prices were to be had of {missing}, so this is about {name} only.",
        missing=desk.speak.join_items(
            [" ".join(dict.fromkeys((display_name(desk, mention), mention.code))) for mention in missing]
        ),
        name=display_name(desk, reached[0]),
    )
    return done._replace(lines=[line, "", *done.lines], points=[*done.points[:1], line, *done.points[1:]])


def _with_prices(desk: ToolDesk, securities: list[Mention]) -> Work[list[Mention]]:
    """Return the securities that have prices."""
    looked = yield from desk.run(
        *(DeskCall("market.ohlcv", {"symbol": mention.code, "tail": 1}) for mention in securities)
    )
    return [mention for mention, result in zip(securities, looked, strict=True) if result.ok]


def _skill(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Run the skill that the user named; a research of two securities is a comparison."""
    if wanted.skill == "research" and len(wanted.securities) == 1:
        if wanted.securities[0].symbol.kind == "index":
            from ia.agent.analyst.jobs.facts import index_facts

            return (yield from index_facts.describe_index(desk, wanted.securities[0]))
        from ia.agent.analyst.jobs.research import research

        return (yield from research(desk, wanted.securities[0]))
    if wanted.skill in ("research", "compare") and len(wanted.securities) > 1:
        return (yield from _compare(desk, wanted))
    if wanted.skill == "scan":
        from ia.agent.analyst.jobs import scanning

        return (yield from scanning.scan(desk, wanted))
    if wanted.skill == "backtest":
        from ia.agent.analyst.jobs import backtesting

        return (yield from backtesting.backtest(desk, wanted))
    if wanted.skill == "review":
        return (yield from _review(desk, wanted))
    if wanted.skill == "report" and _of_investing(desk):
        from ia.agent.analyst.jobs import page_reports

        return (yield from page_reports.name_pages(desk, wanted))
    if wanted.skill in ("research", "compare"):
        from ia.agent.analyst.jobs import small_talk

        yield from ()
        return small_talk.ask_security(desk, wanted)
    from ia.agent.analyst.jobs import follow_ups

    return (yield from follow_ups.follow(desk, wanted))
