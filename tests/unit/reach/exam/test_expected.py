"""What is expected comes from tools, not from the file of questions."""

import pytest

from ia.kernel.errors import BadData
from ia.reach.exam.expected import take_value


def test_a_path_leads_to_a_value():
    document = {"rows": [{"name": "a", "up": 1}, {"name": "b", "up": 2}], "bars": ["date,close", "2024-03-14,2.5"]}
    assert take_value(document, ["rows", {"name": "b"}, "up"]) == 2
    assert take_value(document, ["rows", "*", "name"]) == ["a", "b"]
    assert take_value(document, ["bars", -1, "close"], 2) == 5.0


@pytest.mark.parametrize("path", [["nothing"], ["rows", 5], ["rows", {"name": "c"}], ["rows", "name"]])
def test_a_path_that_leads_nowhere_is_bad_data(path):
    with pytest.raises(BadData):
        take_value({"rows": [{"name": "a"}]}, path)


@pytest.mark.soak
@pytest.mark.process
def test_every_value_is_found_and_none_stands_in_the_question(sitting):
    assert len(sitting.expected) == 60 and not sitting.unasked
    for each in sitting.expected:
        for check in each.checks:
            if check["kind"] == "number":
                number = f"{float(check['value']):.6g}"
                assert number not in each.question.ask, each.question.id
                assert float(check["value"]) != 0, each.question.id
            if check["kind"] == "securities":
                assert check["value"], each.question.id
