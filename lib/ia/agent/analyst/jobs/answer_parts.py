"""A message that asks for several things, one after the other: each is answered by itself."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from ia.agent.analyst.ask import ideas, intent, several
from ia.agent.analyst.ask.amounts import find_market_currencies
from ia.agent.analyst.ask.facts import (
    ACCOUNT,
    HOLDING,
    SECURITY,
    FactQuestion,
    find_exception,
    find_question,
    tables_for,
)
from ia.agent.analyst.ask.follow_points import ask_pointed
from ia.agent.analyst.ask.follow_pronouns import put_in_place
from ia.agent.analyst.ask.follow_words import OWNER, names_owner_alone, names_subject
from ia.agent.analyst.ask.forbidden_words import forbids_topic
from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.ask.mentions import find_mentions, strip_mentions
from ia.agent.analyst.ask.plain_words import simplify_question
from ia.agent.analyst.ask.request import UserRequest
from ia.agent.analyst.ask.time_spans import UNREAD, TimeSpan, find_time_spans
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.idea_questions import list_known
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.agent.analyst.voice import count_han
from ia.kernel.patterns import pattern

_VIEW = pattern(r"\bhow(?:['’]?s| is| are| do(?:es)?)\b", re.I)
"""Words that ask for a view of a security where nothing else is said of it: "How is CATL"."""


_THEM = pattern(
    r"\b(?:buy|bought|sell|sold|hold|held|own) (?:them|those)\b"
    r"|分别.{0,6}[买卖]|各自?.{0,6}时候[买卖]|[买卖]的?它们|它们.{0,4}[买卖]",
    re.I,
)
_OF_PLANS = ("size", "sizes")
"""Answers that read a plan out of all clauses of a message: its stop, its price and what may be lost."""


def _reads_clauses(whole: FactQuestion) -> bool:
    """Return True if one answer tells all clauses: what was bought and what was sold; the items that should add up."""
    if whole.answer in ("reconcile", "sale_after_purchase"):
        return True
    if whole.answer == "moves" and not whole.left:
        return True  # what moves, and what it comes to
    if whole.answer != "traded_sum" or whole.securities:
        return False
    from ia.agent.analyst.jobs.facts import trade_sums

    return trade_sums.names_both_sides(whole.words)


_OF_OWN_NOTES = ("own_target", "own_stop", "stop", "refuse")
"""Answers about a security that the owner's notes hold: my target, my stop."""


class _Part(NamedTuple):
    """A part of a message that is a question of its own: its request, and the facts that it asks for.

    asked   None for a question after the positions, for a figure or for a view
    """

    request: UserRequest
    wanted: Intent
    asked: FactQuestion | None


def answer_parts(desk: ToolDesk, answer_whole: Callable[[ToolDesk], Work[Reply]]) -> Work[Reply | None]:
    """Answer a message that asks for several things one after the other; None for any other message.

    What is asked for besides and was not understood is said.
    """
    whole = desk.request
    if whole.skill or whole.data or whole.bars or whole.form or intent.is_news_wish(whole.question):
        return None
    if intent.begins_with_days(whole.question):
        return None
    plain = simplify_question(whole.question)
    left_out = find_exception(plain, find_mentions(plain))
    if left_out and plain.rstrip(" ?？。.").endswith(left_out):
        return None  # the last part only leaves something out
    texts = several.split_message(plain)
    if forbidden := [text for text in texts if forbids_topic(text)]:
        from ia.agent.analyst.jobs.facts import wording

        return wording.ask_back(desk, tuple(forbidden))
    found = yield from _read_parts(desk, texts)
    one = _read_whole(desk) if texts else None
    if found is None or (one is not None and (one.answer in _OF_PLANS or _reads_clauses(one))):
        return (yield from _answer_rest(desk, one, texts, answer_whole)) if one is not None else None
    parts, left = _drop_told(found[0]), found[1]
    single = len(parts) == 1 and not left and (one is not None or parts[0].wanted.kind == "research")
    joined = any(part.asked and part.asked.answer == "position" and len(part.asked.facts) > 1 for part in parts)
    if not joined and (single or (_asks_as_one(one, parts) and not left)):
        return (yield from _answer_rest(desk, one, texts, answer_whole)) if one is not None else None
    left = [*left, *found[2]]
    replies, unread_of = list[Reply](), False
    for part in sorted(parts, key=lambda part: part.wanted.kind == "research"):  # its skill narrows what may be called
        said = part.request.question
        if unread_of and not (part.wanted.securities or (part.asked and part.asked.securities) or OWNER.search(said)):
            left.append(said)  # it may ask of the security whose part was not read
            continue
        desk.request = part.request
        replies.append((yield from _answer_part(desk, part, answer_whole)))
        unread_of = unread_of or bool(replies[-1].unread and part.wanted.securities)
    desk.request = whole
    left = yield from _ask_of_ranked(desk, left, replies, answer_whole)
    desk.request = whole
    left = yield from _ask_by_ideas(desk, left, parts[-1], replies, answer_whole)
    desk.request = whole
    if left and one is not None and _goes_on(one, parts):
        together = yield from _answer_part(desk, _Part(whole, parts[0].wanted, one), answer_whole)
        if together.lines != replies[0].lines:  # the rest was read as well
            return together
    return reply.join_replies([*replies, *say_not_read(desk, left)])


def _asks_numbers(asked: FactQuestion) -> bool:
    """Return True if the numbers of a part are to be read by the rules: a forecast that is refused reads none."""
    from ia.agent.analyst.jobs import facts

    return asked.answer == "refuse" or asked.answer not in facts.READS_NUMBERS


def _drop_told(parts: list[_Part]) -> list[_Part]:
    """Return the parts without a result of the account that is held against an index next, which tells it."""
    answers = [part.asked.answer if part.asked is not None else "" for part in parts]
    told = ("account_result", "account_index")
    return [part for at, part in enumerate(parts) if (answers[at], *answers[at + 1 : at + 2]) != told]


_READ_WHOLE = ("limits", "setting", *_OF_PLANS)
"""Answers that take what they need of a message, and say nothing of the rest."""


def _answer_rest(
    desk: ToolDesk, one: FactQuestion, texts: list[str], answer_whole: Callable[[ToolDesk], Work[Reply]]
) -> Work[Reply | None]:
    """Answer a message as one question, and what is asked in it besides; None where nothing is."""
    whole = desk.request
    rest = [
        text for text in texts[1:] if several.asks_more(text) and not one.facts[0].words.search(strip_mentions(text))
    ]
    unsaid = whole.question.rstrip("?？。 ").endswith("呢") and texts and not several.asks_more(texts[-1])
    alone = texts[-1:] if unsaid and not one.facts[0].words.search(strip_mentions(texts[-1])) else []
    if one.answer not in _READ_WHOLE or not (rest or alone):
        return None
    first = _Part(whole, intent.read_acts(whole), one)
    replies, left = [(yield from _answer_part(desk, first, answer_whole))], list(alone)
    if replies[0].unread:
        return replies[0]
    for text in rest:
        request = replace(whole, question=text, before=[*whole.before, texts[0]])
        part = yield from _read_part(desk, request, intent.read_acts(request), [first])
        if part is None or (part.asked is not None and part.asked.left):
            left.append(text)
            continue
        desk.request = part.request
        replies.append((yield from _answer_part(desk, part, answer_whole)))
    desk.request = whole
    return reply.join_replies([*replies, *say_not_read(desk, left)])


def say_not_read(desk: ToolDesk, left: list[str]) -> list[Reply]:
    """Return that parts of a message were not understood."""
    if not left:
        return []
    told = desk.speak.join_items([desk.speak('"{word}"', word=text) for text in left])
    said = reply.reply_of_lines(desk.speak("Not understood, and so not answered: {words}.", words=told))
    return [said._replace(unread=tuple(left))]


def _ask_of_ranked(
    desk: ToolDesk, left: list[str], replies: list[Reply], answer_whole: Callable[[ToolDesk], Work[Reply]]
) -> Work[list[str]]:
    """Answer what is asked of "it", the first of a ranking just told; return what then is left."""
    ranked = list(dict.fromkeys(desk.ranked))
    if len(ranked) != 1:
        return left
    still = []
    for text in left:
        request = replace(desk.request, question=put_in_place(text, ranked[0]))
        wanted = intent.read_acts(request)
        part = (yield from _read_part(desk, request, wanted, [])) if request.question != text else None
        if part is None:
            still.append(text)
            continue
        desk.request = request
        replies.append((yield from _answer_part(desk, part, answer_whole)))
    return still


def _ask_by_ideas(
    desk: ToolDesk,
    left: list[str],
    before: _Part,
    replies: list[Reply],
    answer_whole: Callable[[ToolDesk], Work[Reply]],
) -> Work[list[str]]:
    """Answer what was not read of a message by its ideas, where they ask a known question; return what then is left."""
    still = []
    today = desk.request.moment.date()
    for text in left:
        known = [] if _THEM.search(text) else list_known(text, before.request.question, today)
        if not known:
            still.append(text)
            continue
        desk.request, desk.allowed = replace(desk.request, question=known[0]), None
        done = yield from answer_whole(desk)
        if done.unread or not done.understood:
            still.append(text)
        else:
            replies.append(done)
    return still


def _read_parts(desk: ToolDesk, texts: list[str]) -> Work[tuple[list[_Part], list[str], list[str]] | None]:
    """Return the parts that are questions, the texts that ask for what is not known, and those that may bound a part.

    None for one message.
    """
    whole, parts, left, bounds = desk.request, list[_Part](), list[str](), list[str]()
    for at, said in enumerate(texts):
        text = _ask_fees_of(parts[-1:], said) or said
        if at and (several.is_only_when_or_how_much(text) or several.repeats_move(texts[at - 1], text)):
            continue
        request = replace(whole, question=text, before=[*whole.before, *texts[:at]])
        wanted = intent.read_acts(request)
        if parts and not (wanted.securities or parts[-1].wanted.securities) and put_in_place(text, "") != text:
            left.append(text)  # "it" is what the part before finds
            continue
        if parts and _THEM.search(text) and not (wanted.securities or parts[-1].wanted.securities):
            left.append(text)  # those that the part before finds
            continue
        if wanted.kind not in intent.ANSWERABLE or not intent.may_ask_facts(request, wanted):
            return None
        term = several.find_term(texts[at - 1]) if at else ""
        judged = bool(term) and several.judges_term(text)
        found = None if judged else (yield from _read_part(desk, request, wanted, parts))
        if found is None and term:
            request = replace(request, question=several.ask_term(text, term))
            found = yield from _read_part(desk, request, intent.read_acts(request), parts)
        if found is not None:
            parts.append(found)
        elif at == 0:
            return None
        elif several.asks_more(text):
            left.append(text)
        elif several.bounds_more(text):
            bounds.append(text)
    return (_join_positions(parts), left, bounds) if parts else None


def _join_positions(parts: list[_Part]) -> list[_Part]:
    """Return the parts with those in a row about one position as one: its size, and its cost."""
    joined = parts[:1]
    for part in parts[1:]:
        before, asked = joined[-1].asked, part.asked
        if (
            before is not None
            and asked is not None
            and before.answer == asked.answer == "position"
            and (before.securities, before.spans) == (asked.securities, asked.spans)
        ):
            words = f"{before.words}, {asked.words}"  # the second may name a currency
            joined[-1] = joined[-1]._replace(asked=replace(before, facts=before.facts + asked.facts, words=words))
        else:
            joined.append(part)
    return joined


def _read_part(desk: ToolDesk, request: UserRequest, wanted: Intent, parts: list[_Part]) -> Work[_Part | None]:
    """Return a part of a message as a question, with what it takes from the part before; None where it is not read."""
    if parts and not wanted.securities and (pointed := _point_back(request, parts[-1])):
        request, wanted = pointed, intent.read_acts(pointed)
    return (yield from _read_question(desk, request, wanted, parts))


def _read_question(desk: ToolDesk, request: UserRequest, wanted: Intent, parts: list[_Part]) -> Work[_Part | None]:
    """Return a part of a message as a question, of the securities of the part before where it names none."""
    from ia.agent.analyst.ask.study_words import find_unread
    from ia.agent.analyst.jobs import facts

    carried = parts[-1].wanted.securities if parts and not wanted.securities else []
    named = wanted.securities or carried
    same = bool(named and parts) and set(named) <= set(parts[-1].wanted.securities)
    alone = wanted.words == request.question
    if same and alone and _OF_BARS.search(request.question) and (timed := _add_time(parts[-1], request)):
        request = replace(request, question=timed)
        wanted = wanted._replace(words=timed)
    elsewhere, own = names_subject(request.question), len(carried) == 1 and names_owner_alone(request.question)
    if wanted.kind == "holdings" and not own:
        return _Part(request, wanted, None)
    tried = [named, []] if carried and (own or not elsewhere) else [[], named] if carried else [named]
    tried = [named] if carried and _POINTS.search(request.question) else tried
    before = parts[-1].asked.facts[0].of if parts and parts[-1].asked and not (named or elsewhere) else ""
    for securities in tried:
        yield from desk.load_tables(*tables_for(securities))
        asked = find_question(wanted.words, securities, request.moment.date(), desk.tables)
        if (
            asked is None
            or (_asks_numbers(asked) and facts.drop_bounds(asked, asked.unread))
            or asked.facts[0].of != (before or asked.facts[0].of)
        ):
            continue
        if own and securities and asked.facts[0].of != HOLDING and asked.answer not in _OF_OWN_NOTES:
            continue
        of_index = all(each.symbol.kind == "index" for each in carried)
        against = asked.facts[0].of == ACCOUNT and of_index  # an index that the account is held against
        if against and not asked.spans and parts:
            asked = replace(asked, spans=_times_of(parts[-1]))
        again = parts[-1].asked if parts and not securities else None
        if again is not None and _asks_again(again, asked):
            asked = replace(asked, spans=again.spans)
        if not securities or wanted.securities or against or asked.facts[0].of in (SECURITY, HOLDING):
            return _Part(request, wanted._replace(securities=securities), asked)
    if wanted.kind == "holdings":
        return _Part(request, wanted, None)
    if intent.asks_figures(request, wanted):
        yield from desk.load_tables("figures")
        meant = intent.read_figures(request, wanted._replace(securities=named), desk.tables)
        if meant.kind == "figure" and meant.securities:
            return _Part(request, meant, None)
    known = ideas.read_question(request.question, request.moment.date())
    if known and known != request.question:
        plain = replace(request, question=known)
        meant = intent.read_acts(plain)
        part = yield from _read_part(desk, plain, meant, parts)
        return _Part(plain, meant, None) if part is None or part.wanted.kind == "research" else part
    if len(named) == 1:
        yield from desk.load_tables("study")
        unread, asks = find_unread(wanted.words, named, (), desk.tables)
        if not unread and (asks or _VIEW.search(wanted.words)):
            return _Part(request, wanted._replace(kind="research", securities=named), None)
    return None


_BARE_FEES = pattern(
    r"(?:what (?:did|were|was)|how (?:much|high) (?:did|were|was)) (?:the |its |my |all (?:the )?)?"
    r"(?:transaction |trading )?(?:fees?|costs?|commissions?|charges?)"
    r"(?: (?:come|amount|add up) to| be| on (?:it|that))?"
    r"|(?:手续费|费用|佣金|税费)(?:一共|总共|合计)?(?:是|花了|交了|付了)?(?:多少|几)(?:钱|块)?",
    re.I,
)
"""Asks for the fees of the trade that the part before asks about."""
_SIDES = (
    ("sold", "卖", pattern(r"卖|\bs(?:ell|old)\b", re.I)),
    ("bought", "买", pattern(r"买|\bb(?:uy|ought)\b", re.I)),
)


def _ask_fees_of(before: list[_Part], text: str) -> str:
    """Return the question for the fees of the trade of one security that the part before asks about; "" for others."""
    named = before[0].wanted.securities if before else []
    words = strip_mentions(before[0].wanted.words) if before else ""
    sides = [side for side in _SIDES if side[2].search(words)]
    if len(named) != 1 or len(sides) != 1 or not _BARE_FEES.fullmatch(text.strip(" ,，?？。.")):
        return ""
    if count_han(text):
        return f"{sides[0][1]}{named[0].said}那次手续费多少"
    return f"what did I pay in fees when I {sides[0][0]} {named[0].said}"


def _point_back(request: UserRequest, before: _Part) -> UserRequest | None:
    """Return a part of a message that points at what the part before asks for as a whole question; None for another."""
    asked = ask_pointed(request.question, before.request.question, before.wanted.securities, request.moment.date())
    return replace(request, question=asked) if asked and find_mentions(asked) else None


_POINTS = pattern(r"\b(?:their|its|them)\b|[它他]们?的", re.I)
"""Points at the securities of the part before."""
_OF_BARS = pattern(
    r"成交|开盘|收盘|最[高低]|涨|跌|振幅|\b(?:volume|turnover|open(?:ed)?|clos(?:e|ed)|high|low|r[io]se|f[ae]ll"
    r"|change[ds]?"
    r"|moved?)\b",
    re.I,
)
"""What bars tell of a time; a part without one means that of the part before."""
_AT_PRESENT = pattern(r"现在|目前|当前|\b(?:now|today|currently|is|are)\b", re.I)


def _add_time(before: _Part, request: UserRequest) -> str:
    """Return a part of a message that names no time with the one of the part before it; "" where that is not one."""
    today = request.moment.date()
    if _AT_PRESENT.search(request.question) or find_time_spans(strip_mentions(request.question), today):
        return ""
    spans = [s for s in find_time_spans(strip_mentions(before.wanted.words), today) if s.kind != UNREAD]
    if len(spans) != 1:
        return ""
    said = spans[0].said
    return f"{request.question.strip(' ?？')} {said}" if said.isascii() else f"{said}{request.question}"


def _asks_again(before: FactQuestion, asked: FactQuestion) -> bool:
    """Return True if a part without a time asks the same as the one before, of something else: …，港股呢."""
    alike = before.facts[0].id == asked.facts[0].id and not before.securities
    return alike and not (asked.spans or _AT_PRESENT.search(asked.words))


def _times_of(part: _Part) -> tuple[TimeSpan, ...]:
    """Return the times that a part of a message about the account names."""
    if part.asked is not None:
        of_index = any(each.symbol.kind == "index" for each in part.asked.securities)
        return part.asked.spans if of_index or part.asked.facts[0].of == ACCOUNT else ()
    spans = find_time_spans(strip_mentions(part.wanted.words), part.request.moment.date())
    return tuple(span for span in spans if span.kind != UNREAD)


def _read_whole(desk: ToolDesk) -> FactQuestion | None:
    """Return the facts that a message asks for as one question."""
    whole = desk.request
    wanted = intent.read_acts(whole)
    return find_question(wanted.words, wanted.securities, whole.moment.date(), desk.tables)


def _asks_as_one(whole: FactQuestion | None, parts: list[_Part]) -> bool:
    """Return True if the message as one question asks for all the facts that its parts ask for."""
    found = [part.asked for part in parts if part.asked is not None]
    alike = len({(tuple(each.code for each in one.securities), one.spans) for one in found}) == 1
    ids = {spec.id for one in found for spec in one.facts}
    if whole is None or len(found) < len(parts):
        return False
    markets = {tuple(find_market_currencies(one.words)) for one in found}
    each_alike = len(found) > 1 and (len(ids) == 1 or len(markets) > 1)  # 下个交易日是哪天，港股呢: of two markets
    together = whole.facts[0].id not in ids and not whole.unread and not each_alike and whole.answer not in _READ_WHOLE
    # 手续费多少，占本金多少: one figure of its own
    return together or (alike and len(markets) == 1 and ids <= {spec.id for spec in whole.facts})


def _goes_on(whole: FactQuestion, parts: list[_Part]) -> bool:
    """Return True if a message as one question asks for the one fact that was read of it, and leaves out no word."""
    asked = parts[0].asked
    return (
        whole.answer not in _READ_WHOLE
        and not whole.unread
        and len(parts) == 1
        and asked is not None
        and whole.facts[0].id == asked.facts[0].id
    )


def _answer_part(desk: ToolDesk, part: _Part, answer_whole: Callable[[ToolDesk], Work[Reply]]) -> Work[Reply]:
    if part.asked is not None:
        from ia.agent.analyst.jobs import facts

        return (yield from facts.answer_question(desk, part.asked))
    if part.wanted.kind == "figure":
        from ia.agent.analyst.jobs import small_talk

        return (yield from small_talk.answer_figure(desk, part.wanted))
    if part.wanted.kind == "research":
        from ia.agent.analyst.jobs.research import research

        return (yield from research(desk, part.wanted.securities[0]))
    return (yield from answer_whole(desk))
