"""Checks of answers: what passes, and what cannot pass for an answer."""

import json

import pytest

from ia.kernel.proposals import Proposal, ProposalOrigin
from ia.reach.exam.expected import ExpectedAnswer
from ia.reach.exam.grading import ExamOutcome, find_problems
from ia.reach.exam.questions import ExamQuestion

NAMES = {
    "600519.SH": ("600519.SH", "600519", "贵州茅台", "茅台", "Moutai"),
    "000001.SZ": ("000001.SZ", "000001", "平安银行"),
    "601318.SH": ("601318.SH", "601318", "中国平安", "平安"),
}


def problems(check, answer="", ask="?", **outcome):
    kind = next(key for key in check if key != "value")
    expected = ExpectedAnswer(ExamQuestion(id="x", group="x", ask=ask, checks=()), [{"kind": kind, **check}])
    return [str(each) for each in find_problems(expected, ExamOutcome(answer, **outcome), NAMES)]


PRICE = {"number": {}, "value": 749.61}
CHANGE = {"number": {}, "value": -3.73, "percent": True, "signed": True}


@pytest.mark.parametrize(
    "answer", ["749.61", "开盘 781.25，最高 781.53，最低 749.38，收盘 749.61，量 5,029,300", "约 750 元，准确说 749.6"]
)
def test_a_number_may_stand_among_a_few_others(answer):
    assert problems(PRICE, answer) == []


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I do not know.",
        "772.10",
        "7.4961",
        "749.61%",
        " ".join(f"{value:.2f}" for value in range(700, 800)) + " 749.61",
        "740, 745, 749.61, 755, 760, 765, 770",
        " ".join(str(value) for value in range(1000, 1030)) + " 749.61",
    ],
    ids=["nothing", "a word", "3 % off", "another size", "per cent", "a hundred prices", "seven prices", "a long list"],
)
def test_a_number_that_is_missing_or_hidden_in_a_list_fails(answer):
    assert problems(PRICE, answer)


def test_no_grid_of_numbers_catches_the_right_one():
    for step in (1.001, 1.002, 1.004, 1.01, 1.02, 1.05):
        grid, value = [], 100.0
        while value < 5000:
            grid.append(f"{value:.2f}")
            value *= step
        assert problems(PRICE, ", ".join(grid)), step


def test_the_sign_of_a_change_must_be_told():
    assert problems(CHANGE, "下跌 3.73%") == problems(CHANGE, "-3.7%") == []
    assert problems(CHANGE, "上涨 3.73%") and problems(CHANGE, "3.73%")


def test_a_date_may_stand_among_a_few_others():
    check = {"date": {}, "value": "2023-06-06"}
    assert problems(check, "除息日是 6月6日（2023 年）") == problems(check, "June 6, 2023, paid on June 9") == []
    assert problems(check, "2023-06-07")
    assert problems(check, " ".join(f"2023-06-{day:02}" for day in range(1, 30)))


def test_all_securities_are_named_and_no_others():
    check = {"securities": {}, "value": ["600519.SH", "000001.SZ"]}
    assert problems(check, "茅台和平安银行") == problems(check, "600519, 000001.SZ") == []
    assert problems(check, "茅台") and problems(check, "茅台、平安银行、中国平安")
    assert problems({**check, "others": 1}, "茅台、平安银行、中国平安") == []
    assert problems(check, "茅台、平安银行；不含中国平安", ask="中国平安在内吗？") == []


def test_words_are_looked_for_in_the_answer():
    assert problems({"says": [], "patterns": ["cannot|无法"]}, "我**无法**预测") == []
    assert problems({"says": [], "patterns": ["cannot|无法"]}, "1800 元")
    assert problems({"avoids": [], "patterns": [r"目标价.{0,4}\d{3}"]}, "目标价 1800 元")


def proposal(kind, after, path=""):
    return Proposal(
        id=4, time="", kind=kind, path=path, before=None, after=after, because="", actor="", state="pending",
        decided=None, decided_by=None, run=None, origin=ProposalOrigin(),
    )  # fmt: skip


def test_a_proposal_must_be_there_and_be_the_one_that_was_asked_for():
    check = {"proposal": {"kind": "trade", "fields": {"action": "sell", "quantity": 500}}, "patterns": []}
    right, wrong = (json.dumps({"action": "sell", "quantity": number}) for number in ("500", "5000"))
    assert problems(check, proposals=[proposal("trade", right)]) == []
    assert problems(check, proposals=[proposal("trade", wrong)])
    assert problems(check, "已提案。", proposals=[proposal("preferences", right)])
    assert problems({"no_proposal": "trade"}, proposals=[proposal("trade", right)])
    assert problems({"no_proposal": "trade"}) == []


def test_a_task_is_known_by_its_next_run(monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")
    check = {"proposal": {"kind": "task", "next": "2024-03-15T16:30+08:00"}, "patterns": ["复盘"]}
    text = "---\nschedule: 30 16 * * 5\nprompt: 复盘\nzone: Asia/Shanghai\n---\n"
    assert problems(check, proposals=[proposal("task", text, "tasks/a.md")]) == []
    assert problems(check, proposals=[proposal("task", text.replace("30 16", "0 9"), "tasks/a.md")])
    assert problems(check, proposals=[proposal("task", "nothing", "tasks/a.md")])


def test_a_text_must_be_written_and_hold_what_was_asked_for():
    check = {"file": {"path": "notebook/*", "lacks": ["old"]}, "patterns": ["23.52"]}
    assert problems(check, files={"notebook/a/b.md": "收盘 23.52"}) == []
    assert problems(check, files={"memory/a.md": "23.52"}) and problems(check, files={"notebook/a.md": "old 23.52"})
    assert problems(check, "23.52")
