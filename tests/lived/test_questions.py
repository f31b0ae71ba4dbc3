"""Questions and other messages to a person's assistant after a month."""

import pytest

from lived.checks import problems
from lived.life import ORDINARY, language, questions
from lived.odd import ODD

pytestmark = [pytest.mark.process, pytest.mark.timeout(1800)]


def some(cases):
    """Every eighth of them is asked by `make test`, the others by `make soak`."""
    return [pytest.param(each, marks=[pytest.mark.soak] * (at % 8 > 0)) for at, each in enumerate(cases)]


@pytest.mark.parametrize("name", some(ODD))
def test_an_odd_message_is_answered(lived, name):
    ran = lived.run("turn", ODD[name], lang=language(ODD[name]))
    assert problems(ran, ORDINARY) == [], ran.err[-500:]


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_an_empty_message_is_refused(lived, text):
    ran = lived.run("turn", text)
    assert problems(ran, (2,)) == []
    assert len(ran.err.splitlines()) <= 2


@pytest.mark.parametrize("sentence", some(questions()[::18]))
def test_a_question_is_answered_as_json(lived, sentence):
    ran = lived.run("turn", "--json", sentence, "-s", "json", lang=language(sentence))
    assert problems(ran, ORDINARY) == [], ran.err[-500:]


@pytest.mark.parametrize("sentence", some(questions()[4::18]))
def test_a_question_is_answered_in_the_other_language(lived, sentence):
    lang = "en" if language(sentence) == "zh" else "zh"
    ran = lived.run("turn", sentence, "-s", "日常", lang=lang)
    assert problems(ran, ORDINARY) == [], ran.err[-500:]


@pytest.mark.parametrize("sentence", ["How is CATL doing?", "帮我看看宁德时代最近怎么样", "对比茅台和五粮液"])
def test_a_question_is_answered_by_a_process(lived, ia, sentence):
    done = ia("turn", sentence, env=lived.life.at(lived.day, "20:30", language(sentence)))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
