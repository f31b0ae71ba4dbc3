"""A message in a language that is not read is refused in the owner's language, and nothing is kept of it."""

import pytest

from ia.agent.analyst.ask.foreign_words import is_foreign
from ia.agent.turns.turn import take_turn


@pytest.mark.parametrize(
    "words",
    [
        "Comment va Moutai ?",
        "Wie teuer ist Moutai?",
        "¿Cuál es el precio de Apple?",
        "Quanto costa Apple?",
        "Prix de Moutai",
        "Soll ich BYD kaufen?",
        "Qual é o preço de Apple?",
        "Сколько стоит Apple?",
        "茅台株の今日の株価はいくらですか",
    ],
)
@pytest.mark.parametrize(("lang", "told"), [("en", "I read English and Chinese only"), ("zh", "我只读中文和英文")])
@pytest.mark.share(3)
def test_the_refusal_is_in_the_language_of_the_workspace(ws, monkeypatch, words, lang, told):
    monkeypatch.setenv("IA_LANG", lang)
    assert take_turn(ws, words, model="ia-offline").reply.startswith(told)


@pytest.mark.parametrize(
    "words",
    [
        "How is LVMH doing?",
        "price of Moutai",
        "Moutai PE",
        "茅台 PE",
        "Note: die Hard is on tonight",
        "CATL vs BYD",
        "BYD",
    ],
)
def test_english_and_short_words_are_no_other_language(words):
    assert not is_foreign(words)
