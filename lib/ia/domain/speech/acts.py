"""Whether a text performs an act."""

from ia.domain.speech.reports import is_reported
from ia.domain.speech.table import MENTION, REPORT, SENTENCE, act_forms, has_form, way_of
from ia.kernel.patterns import pattern

_SENTENCE = pattern(r"[^。！？!?；;\n]+[！？!?]?")
_CLAUSE = pattern(r"[^，,、：]+[，,、：]?|[，,、：]")


def performs_act(text: str, act: str) -> bool:
    """Return True if a text performs an act of acts.tsv.

    A question asks for nothing (你记住了什么？, how something is done), a negation neither (不要记, do not track).

    >>> performs_act("关注宁德时代", "track"), performs_act("宁德时代值得关注吗？", "track")
    (True, False)
    >>> performs_act("请问怎么把宁德时代加入自选", "track_list"), performs_act("宁德时代何时加到自选的", "track_list")
    (False, False)
    """
    way = way_of(act)
    if way == MENTION:
        return has_form(text, act)
    if way == REPORT:
        return is_reported(text, act)
    return any(
        _is_request(part, act, whole=way == SENTENCE)
        for sentence in _SENTENCE.findall(text)
        for part in ([sentence] if way == SENTENCE else _CLAUSE.findall(sentence))
    )


def _is_request(part: str, act: str, *, whole: bool) -> bool:
    if has_form(part, "asks_about"):
        return False
    question = has_form(part, "question_form") or (not whole and has_form(part, "question_word"))
    if question and not has_form(part, "asking"):
        return False
    return any(
        not has_form(part[: found.start()], "negated") for form in act_forms(act) for found in form.finditer(part)
    )
