"""Feedback on how ia answers: it becomes a line of the soul that waits for the owner, in either language."""

import pytest

from ia.agent.turns.turn import take_turn
from ia.faculties import profiles
from ia.kernel import proposals


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("以后回答先给结论，再给理由，不超过10行", "回答先给结论，再给理由，不超过10行"),
        ("从现在起，回复用要点列出，别超过十行。", "回复用要点列出，别超过十行"),
        ("以后回答能不能先说结论？", "回答先说结论"),
        ("回答请控制在五行以内", "回答请控制在五行以内"),
        ("以后用两句话回答", "用两句话回答"),
        ("以后先说风险再说机会", "先说风险再说机会"),
        ("今后只给结论", "只给结论"),
        ("从今天起多用表格", "多用表格"),
        ("以后请把数字写在前面", "把数字写在前面"),
        ("每次都先说风险", "每次都先说风险"),
        ("In future use tables", "use tables"),
        ("Always put the risks first", "Always put the risks first"),
        ("From now on answer in at most ten lines, conclusion first", "answer in at most ten lines, conclusion first"),
    ],
)
@pytest.mark.share(4)
def test_a_wish_for_shorter_answers_waits_as_a_line_of_the_soul(ws, words, line):
    profiles.use_profile(ws, profiles.find_profile("invest"))
    before = {each.id for each in proposals.pending_proposals(ws)}
    done = take_turn(ws, words, model="ia-offline")
    (made,) = [each for each in proposals.pending_proposals(ws) if each.id not in before]
    assert made.path == "soul.md" and f"- {line}\n" in proposals.compute_outcome(ws, made)[1]
    assert f"“{line}”" in done.reply and f"ia approve {made.id}" in done.reply


@pytest.mark.parametrize(
    "words",
    [
        "公司以后会怎么回答投资者",
        "你回答用了哪些数据？",
        "昨天的回答先放一放",
        "以后再说",
        "以后都用英文回答",
        "in the future Moutai will rise",
    ],
)
def test_a_sentence_about_an_answer_is_no_wish(ws, words):
    take_turn(ws, words, model="ia-offline")
    assert proposals.pending_proposals(ws) == []


@pytest.mark.parametrize("words", ["看自选股", "给我看自选股", "看看自选"])
def test_to_look_at_the_watch_list_is_no_scan(words):
    from ia.agent.analyst.ask.plain_words import simplify_question

    assert simplify_question(words) == "我的自选股行情"
