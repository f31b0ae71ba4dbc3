"""Ways of writing: one word for many, and no time of day taken apart."""

import re

import pytest

from ia.agent.analyst.ask import plain_words
from ia.agent.analyst.ask.plain_words import simplify_question
from ia.kernel.word_patterns import split_alternatives


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("这周一共赚了多少", "这周总共赚了多少"),
        ("上个星期一共买了什么", "上个星期总共买了什么"),
        ("这周一一共赚了多少", "这周一一共赚了多少"),
        ("提醒我明天下午两点半看盘", "明天下午两点半提醒我看盘"),
        ("提醒我明天早上九点看盘", "明天早上九点提醒我看盘"),
        ("提醒我明天9点25分看盘", "明天9点25分提醒我看盘"),
    ],
)
def test_a_week_and_a_time_stay_whole(said, read):
    assert simplify_question(said) == read


def test_each_alternative_of_a_variant_has_the_groups_that_its_word_takes():
    """Alternatives are tried one by one, so that each one needs the groups."""
    for read, word in plain_words._load_variants().words:
        form = read.pattern
        wanted = max(map(int, re.findall(r"\\(\d)", word)), default=0)
        assert all(re.compile(each, re.I).groups >= wanted for each in split_alternatives(form)), form


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("whats my cash", "what is my cash"),
        ("isnt my cash 500", "is my cash 500"),
        ("does catl pay dividends or not?", "does catl pay dividends?"),
        ("what did i actually pay, roughly", "what did i pay"),
    ],
)
def test_contractions_hedges_and_tags_say_nothing(said, read):
    assert simplify_question(said) == read
