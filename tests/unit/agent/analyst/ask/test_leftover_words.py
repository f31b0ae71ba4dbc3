"""What of a question for figures nobody has read."""

import re

import pytest

from ia.agent.analyst.ask.leftover_words import find_leftovers, is_checked, without_gaps


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


def test_only_answers_whose_words_are_known_are_checked():
    assert is_checked("move")
    assert not is_checked("stop")
