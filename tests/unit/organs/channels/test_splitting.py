"""Long texts in parts: they hold everything, fit, and end where a paragraph does."""

import random

import pytest

from ia.organs.channels import telegram_channel as bot
from ia.organs.channels.splitting import split_message


@pytest.mark.parametrize("size", [len, bot.count_units, lambda text: len(text.encode())])
def test_parts_hold_everything_and_no_more_than_fits(size):
    dice = random.Random(1)
    for _ in range(200):
        text = "".join(
            dice.choice(["字", "a", " ", "\n", "\n\n", "🙂", "word "]) for _ in range(dice.randrange(1, 900))
        )
        limit = dice.randrange(8, 200)
        found = split_message(text, limit, size)
        assert all(size(part) <= limit for part in found)
        assert "".join("".join(found).split()) == "".join(text.split())


def test_parts_end_where_a_paragraph_does():
    assert split_message("one two\n\nthree four\n\nfive", 22) == ["one two\n\nthree four", "five"]
    assert split_message("one two three", 9) == ["one two", "three"]
    assert split_message("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert split_message("short", 10) == ["short"]
