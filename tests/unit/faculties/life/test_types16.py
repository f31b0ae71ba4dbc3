"""The self-report of 16 types: balanced, complete, and undecided where it is."""

from itertools import product

import pytest

from ia.faculties.life import types16
from ia.faculties.life.tool_functions import show_mbti_result
from ia.kernel.errors import BadData, Refused


def every_item():
    return types16._load_data()["items"]


def pole(letters):
    """Return answers that are wholly on the side of four letters."""
    first = {axis[0] for axis in types16.AXES}
    return {
        item["id"]: 1 if (bool(first & set(letters) & set(item["axis"])) != bool(item.get("reversed"))) else 5
        for item in every_item()
    }


def test_each_axis_has_eight_items_half_of_them_reversed():
    for axis in types16.AXES:
        own = [item for item in every_item() if item["axis"] == axis]
        assert (len(own), sum(bool(item.get("reversed")) for item in own)) == (8, 4)


@pytest.mark.parametrize("letters", ["".join(each) for each in product("EI", "SN", "TF", "JP")])
def test_answers_at_one_pole_give_its_letters(letters):
    result = show_mbti_result(pole(letters), lang="zh")
    assert result["type"] == letters
    assert {row["percent"] for row in result["axes"]} <= {0.0, 100.0}


def test_neutral_answers_have_no_letter():
    result = show_mbti_result([3] * 32, lang="en")
    assert result["type"] == 4 * types16.NO_LETTER
    assert {row["reading"] for row in result["axes"]} == {"undecided"}
    assert show_mbti_result([1] * 32)["type"] == 4 * types16.NO_LETTER  # who agrees to all contradicts himself


def test_the_title_tells_what_it_is_not():
    assert types16.report_title("en") == "16 types, a self-report, not the MBTI®"
    assert "MBTI®" in show_mbti_result([3] * 32, lang="zh")["title"]


def test_a_missing_answer_is_named():
    answers = pole("INTJ")
    del answers["sn3"]
    with pytest.raises(Refused, match="sn3"):
        show_mbti_result(answers)


@pytest.mark.parametrize(
    "answers",
    [{"ei1": 6}, {"ei1": "x"}, {"ei1": True}, {"ei1": 2.5}, {"zz1": 1}, [1] * 33, "12345", 5, [[]] * 32],
)
def test_an_answer_that_is_none_is_refused(answers):
    with pytest.raises(BadData):
        show_mbti_result(answers)


def test_answers_may_be_digits_as_forms_give_them():
    assert show_mbti_result({item: str(value) for item, value in pole("ESFP").items()})["type"] == "ESFP"
    assert show_mbti_result(**pole("ESFP"))["type"] == "ESFP"
