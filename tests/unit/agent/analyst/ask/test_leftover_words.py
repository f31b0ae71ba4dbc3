"""What of a question for figures nobody has read."""

import re

import pytest

from ia.agent.analyst.ask.leftover_words import find_leftovers, find_unread_words, without_gaps


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("请问现在的收盘价是多少", ()),
        ("what is the closing price right now, please?", ()),
        ("逢五的收盘价", ("逢五",)),
        ("the close net of odd days", ("net", "odd")),
        ("收盘价 7", ("7",)),
    ],
)
def test_words_that_no_answer_reads_are_left(text, left):
    assert find_leftovers(text, "figure") == left


def test_words_of_another_reader_count_as_read():
    assert find_leftovers("泡沫涨了", "move", [re.compile("泡沫")]) == ()
    assert find_leftovers("泡沫涨了", "move") == ("泡沫",)


def test_a_pattern_that_leaps_over_words_does_not_hide_them():
    words = without_gaps(re.compile(r"did.{0,40}up|rose"))
    assert not words.search("did it gap up")
    assert words.search("rose")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("which of my holdings are in profit, mate", ()),
        ("which of my unloved holdings are in profit", ("unloved",)),
        ("which of my holdings are profitable in yuan terms", ("yuan", "terms")),
        ("我的持仓里哪些赚钱", ()),
        ("我的持仓里哪些外资重仓的赚钱", ("外资重仓",)),
    ],
)
def test_words_that_neither_a_fact_nor_its_answer_names_are_left(text, left):
    assert find_unread_words(text, "nothing", [r"(?:my|own)\b.{0,9}\bprofit(?:able)?|(?:哪些|谁).{0,9}赚钱"]) == left
