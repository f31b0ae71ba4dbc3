"""A message that the rules did not read, as a known question: by its ideas, alone or with those of the one before."""

import re
from dataclasses import replace
from datetime import date

from ia.agent.analyst.ask import ideas, several
from ia.agent.analyst.ask.follow_asides import drop_asides
from ia.agent.analyst.ask.follow_on import complete_question, read_before
from ia.agent.analyst.ask.follow_pairs import ask_of_both
from ia.agent.analyst.ask.follow_pronouns import name_pronoun, points_into
from ia.agent.analyst.ask.follow_words import ELSEWHERE, LEAD, TAIL
from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.ask.money_sums import sum_named, sum_spoken
from ia.agent.analyst.ask.own_words import (
    ask_accounts,
    ask_of_held,
    continue_ideas,
    name_counted_ones,
    read_ideas,
    replace_ideas,
)
from ia.agent.analyst.ask.plain_words import drop_courtesies, fold_characters, simplify_question
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.own_events import name_own_securities
from ia.kernel.patterns import pattern

_POINTS = pattern(
    r"\b(?:of|among|in|from) (?:them|those|these)\b|\b(?:those|these) (?:ones|stocks|two|three|four|five)\b|其中"
    r"|(?:这|那)(?:些|几[只个家])|里面的?(?=哪|谁|最|有)",
    re.I,
)
"""Words for what the answer before named."""
_OWNED = pattern(r"\b(?:i|my|own|hold|have|held|watch\w*)\b|我|持有|自选|关注", re.I)
AND = " || "
"""Between two known questions that a message asks together."""
_MOST_BEFORE = 4
"""Messages that are looked at for what one goes on with."""


def find_known(desk: ToolDesk, *, first: bool = False) -> Work[list[str]]:
    """Return the known questions that a message may ask by its ideas, the likeliest first.

    first  only those that go before what the rules read
    """
    yield from name_own_securities(desk)
    request, today = desk.request, desk.request.moment.date()
    words = drop_courtesies(request.question)  # as it was said: what is simplified may leave a word out
    before = read_wholes(request.before, today)[-1] if request.before else ""
    if first:
        asked = sum_named(words, today) or sum_spoken(words, read_wholes(request.before, today), today)
        asked = asked or _continue_first(words, before, today)
        if not asked and _NOTED.search(words):
            asked = ideas.read_question(words, today, first=True)
        if not asked and not (before and _goes_on_market(words, before, today)):
            asked = read_ideas(words, find_mentions(words), today, first=True)
        asked = asked or ideas.read_question(words, today, first=True)
        return [asked] if asked else []
    return list_known(words, before, today)


_NOTED = pattern(r"\b(?:notes?|noted|wrote|write|written|sa(?:id|y))\b|笔记|[写说记]过|怎么写", re.I)
"""What the owner said or wrote, which none of the questions about money asks for."""
_OWNERS = pattern(
    r"\b(?:i|my|mine|own|holdings?|hold|positions?|portfolio|account|watch\w*)\b|我|持仓|持有|账户|自选|手里", re.I
)


def _goes_on_market(words: str, before: str, today: date) -> bool:
    """Return True if the rules go on with a question about the market: "and the losers?" means those of the market."""
    own = _OWNERS.search(words) or _OWNERS.search(before)
    return not own and complete_question(words, [before], today) != words


def _continue_first(words: str, before: str, today: date) -> str:
    """Return the known question that a message asks with the one before it, before the rules read it; "" for none."""
    if not before or points_into(words, before):
        return ""
    return (
        ask_of_held(words, before, today)
        or ask_accounts(words, before, today)
        or continue_ideas(words, before, today, first=True)
        or name_counted_ones(words, before, today)
        or ideas.continue_topic(words, before, today)
        or (replace_ideas(words, before, today) if LEAD.search(words) or TAIL.search(words) else "")
        or ideas.rank_group(words, before, today)
    )


def complete_before(desk: ToolDesk) -> None:
    """Put the questions that ideas read of the messages before in the places of those: the rules go on with them."""
    request, today = desk.request, desk.request.moment.date()
    if not request.before or not request.is_words_only or request.sections:
        return
    kept, said = request.before[:-_MOST_BEFORE], fold_characters(request.question)
    before = read_wholes(request.before[-_MOST_BEFORE:], today, asked=True)
    if len(before) == 1 and complete_question(said, before, today) == said:
        known = list_known(fold_characters(before[0]), "", today)[:1]
        before = known if known and complete_question(said, known, today) != said else before
    desk.request = replace(request, before=[*kept, *before])


def list_known(words: str, before: str, today: date) -> list[str]:
    """Return the known questions that words may ask by their ideas, alone or behind another question; likeliest first.

    before  a whole question; "" where there is none
    """
    found = [read_ideas(words, find_mentions(words), today), ideas.read_question(words, today)]
    if before and ranks_a_list(words, before):
        return []  # one of a list of the owner's: not of the whole market
    if before and _POINTS.search(words) and _OWNED.search(words):
        return []  # which of those is owned: not another list
    if before and (_POINTS.search(words) or LEAD.search(words) or TAIL.search(words)):
        more = [continue_ideas(words, before, today), ideas.continue_question(words, before, today)]
        found = more if _POINTS.search(words) else [*more, *found]  # of what was found, which no question alone names
    elif before and not found[0]:
        found += [continue_ideas(words, before, today), ideas.continue_question(words, before, today)]
    return [known for known in dict.fromkeys(found) if known]


_BARE_RANK = pattern(
    r"\W*(?:and |so )?which(?: one| ones)?(?: of (?:them|those|these))? (?:has|have|is|are|pays?)\b"
    r"(?!.*\b(?:stocks?|shares?)\b)"
    r"|\W*(?:那|其中)?(?:哪一?[个只]|谁)(?:的)?(?!.*(?:股票|公司|行业|板块|全市场|A股))",
    re.I,
)
_OWN_LIST = pattern(r"自选|关注|没买|没持有|\b(?:watch\w*)\b", re.I)
_NOT_ALL = pattern(r"没|不|除|\b(?:not|but|except|without|don't)\b", re.I)


def ranks_a_list(words: str, before: str) -> bool:
    """Return True if a bare question asks for one of a part of the watch list, which no known question names.

    >>> ranks_a_list("which has the highest yield", "which stocks on my watch list do I not hold")
    True
    """
    return bool(_BARE_RANK.match(words) and _OWN_LIST.search(before) and _NOT_ALL.search(before))


def find_parts(desk: ToolDesk) -> list[str]:
    """Return the known questions that the parts of a message ask by their ideas; [] where one of them asks none."""
    request, today = desk.request, desk.request.moment.date()
    parts, known = several.split_message(drop_courtesies(request.question)), list[str]()
    for part in parts:
        asked = list_known(part, known[-1] if known else "", today)
        if not asked:
            return []
        known.append(asked[0])
    return list(dict.fromkeys(known))


def read_wholes(before: list[str], today: date, *, asked: bool = False) -> list[str]:
    """Return the last of some messages as whole questions, whether the rules complete them or their ideas do.

    asked  as they were asked where the rules complete them
    """
    whole, found = "", []
    for at, told in enumerate(before[-_MOST_BEFORE:]):
        message = name_pronoun(told, before[-_MOST_BEFORE:][:at], today)
        if not drop_asides([message]):
            found.append(message if asked else whole)
            continue
        said = fold_characters(message)
        if both := ask_of_both(said, found, today):
            whole = both
            found.append(message if asked else whole)
            continue
        if first := _continue_first(said, whole, today):
            whole = first
            found.append(whole)
            continue
        done, _ = read_before([whole, said] if whole else [said], today)
        unread = whole and simplify_question(said) in (done, complete_question(said, [whole], today))
        known = next(iter(list_known(said, whole, today)), "") if unread else ""
        if unread and not known and not find_mentions(said) and not ELSEWHERE.search(said):
            found.append(message if asked else whole)  # not read: what was spoken of stays
            continue
        as_said = done == simplify_question(said) and read_ideas(said, find_mentions(said), today)
        whole = known or (said if as_said else done)
        found.append(message if asked and not known else whole)
    return found
