"""Reports: clauses that tell what is. A trade that was made, a judgment on the market's main line.

The rules judge clause by clause, and rather miss than invent: a question, a plan, an advice, a condition, a negation
and somebody else's trade (northbound money, funds, a shareholder) are talk.
"""

import re

from ia.domain.speech.table import act_forms, has_form
from ia.kernel.patterns import pattern

MAX_CLAUSE = 200
"""Characters of a clause that are judged: what is longer is no clause, and the patterns are not linear."""
_SENTENCE = pattern(r"[^。！!?？;；\n]+[。！!?？;；]?")
_CLAUSE = pattern(r"[，,、]|(?<=[a-z)])\.(?:\s|$)|\b(?:and|but|so|then|because)\b|但是?|不过|所以|因为", re.I)
_HEADING = pattern(r"^\s*#|[：:]\s*$")
_ITEM = pattern(r"^\s*(?:[-*+•]|\d+[.、)）])")


def is_reported(text: str, *acts: str) -> bool:
    """Return True if a text reports one of some acts."""
    planned = False  # below a heading such as `Plan:` a list tells what is to be, not what was
    for line in text.splitlines():
        if _HEADING.search(line):
            planned = has_form(line, "unreal") or has_form(line, "condition")
        elif not _ITEM.match(line):
            planned = planned and not line.strip()
        if not planned and any(_reports_act(clause, act) for clause in _split_claims(line) for act in acts):
            return True
    return False


def _split_claims(line: str) -> list[str]:
    """Return the clauses of a line that say what is: no questions, and nothing behind a condition."""
    found = []
    for sentence in _SENTENCE.findall(line):
        for clause in _CLAUSE.split(sentence):
            if has_form(clause, "condition"):
                break
            if not has_form(clause, "reported_question"):
                found.append(clause[:MAX_CLAUSE])
    return found


def _reports_act(clause: str, act: str) -> bool:
    if act == "main_line_judged":
        denied = has_form(clause, "no_main_line") or has_form(clause, "reported_request")
        return not denied and has_form(clause, act)
    for idiom in act_forms("idiom"):  # negations and plans that are none
        clause = idiom.sub("", clause)
    return any(_is_done(found, act) for form in act_forms(act) for found in form.finditer(clause))


def _is_done(trade: re.Match[str], act: str) -> bool:
    """Return True if what stands around a trade lets it stand: it was done, and by the user."""
    if "verb" not in trade.re.groupindex:  # English: the form names who did it
        return not has_form(trade.string, "unreal")
    before, behind = trade.string[: trade.start("verb")], trade.string[trade.end("verb") :]
    # An order and a plan are in the form of a record, too.
    unsure = has_form(behind, "weighed") or (act == "recorded" and has_form(before, "trigger"))
    return not (unsure or has_form(before, "unreal") or has_form(before.rpartition("我")[2], "others"))
