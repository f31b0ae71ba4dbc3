"""Questions that are offered for one that was not read."""

import re
from collections import Counter
from pathlib import Path

import pytest

from ia.agent.analyst.ask import near_questions
from ia.agent.analyst.ask.near_questions import blank_names, find_near_questions
from questions.truth import load_questions

SHIPPED = Path(near_questions.__file__).with_name("near_questions.tsv")
TABLES = sorted(path.name for path in Path(__file__).parents[4].joinpath("questions").glob("*.tsv"))


def load_shipped():
    lines = SHIPPED.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_each_stands_once_and_in_the_tables_whose_answers_are_checked():
    shipped = load_shipped()
    assert [line for line, count in Counter(shipped).items() if count > 1] == []
    asked = {blank_names(question) for name in TABLES for question, _ in load_questions(name)}
    assert [line for line in shipped if line not in asked] == []


def test_there_are_many_in_both_languages():
    chinese = [bool(re.search(r"[\u4e00-\u9fff]", line)) for line in load_shipped()]
    assert chinese.count(True) > 400 and chinese.count(False) > 350


@pytest.mark.parametrize(
    ("question", "names", "offered"),
    [
        ("how much cash do I have tonight", [], "How much cash do I have?"),
        ("Tell me Apple's dividend yield if it were a fish", ["Apple"], "What's the dividend yield of Apple?"),
        ("我最近一次买的是什么", [], "我最近买的是哪只"),
        ("五粮液和茅台到底谁家股息丰厚", ["五粮液", "茅台"], "五粮液和茅台哪个股息高"),
        ("what jobs do you run on fridays", [], "Which tasks run by themselves and when next"),
    ],
)
def test_the_nearest_is_offered_with_the_names_of_the_question(question, names, offered):
    found = find_near_questions(question, names)
    assert offered in found and len(found) <= near_questions.MOST
    assert not any("{}" in each for each in found)


@pytest.mark.parametrize("question", ["", "?", "blah blub", "ça va bien", "呜呼", "🙂", "\x00" * 40])
def test_nothing_is_offered_where_nothing_is_near(question):
    assert find_near_questions(question, []) == []


@pytest.mark.parametrize("question", ["how is " * 5000, "我的" * 5000])
def test_long_messages_cost_little(question):
    assert len(find_near_questions(question, [])) <= near_questions.MOST
