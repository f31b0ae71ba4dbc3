"""The file of questions: sixty, in both languages, each with checks that there are."""

import re

from ia.reach.exam.questions import CHECKS, load_patterns, load_questions


def test_there_are_sixty_questions_in_two_languages():
    questions = load_questions()
    chinese = [each for each in questions if re.search("[\u4e00-\u9fff]", each.ask)]
    assert len(questions) == len({each.id for each in questions}) == 60
    assert 20 <= len(chinese) <= 40
    assert len({each.group for each in questions}) >= 12


def test_each_check_is_of_a_kind_and_every_kind_is_used():
    kinds = [next(iter(check)) for each in load_questions() for check in each.checks]
    assert set(kinds) == set(CHECKS)
    assert kinds.count("number") >= 30


def test_every_pattern_is_an_expression_and_is_used():
    text = str([each.checks for each in load_questions()])
    for name, patterns in load_patterns().items():
        assert f"${name}" in text
        assert all(re.compile(pattern) for pattern in patterns)
