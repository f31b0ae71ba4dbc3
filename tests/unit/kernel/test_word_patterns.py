"""Forms of words compile only what can match a text: it is what the whole form finds."""

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ia.agent.analyst.ask import plain_words, time_spans
from ia.agent.analyst.ask.facts import facts_at
from ia.agent.analyst.tables import SHIPPED
from ia.domain.speech import table

QUESTIONS = Path(__file__).parents[2] / "questions"
PARTS = 5
"""`make test` tries one part of the texts, `make soak` the others."""


def _forms() -> Iterator[re.Pattern[str]]:
    for name, (way, _) in table._load_table().items():
        if way != "fragment":  # a part of forms, which may be empty
            yield from table.act_forms(name)
    yield from (form for form, _ in time_spans._load_forms())
    yield from (form for form, _ in plain_words._load_variants().words)
    for spec in (*facts_at(SHIPPED, named=True), *facts_at(SHIPPED, named=False)):
        yield from (form for form in (spec.words, spec.unless, spec.given) if form is not None and form.pattern)


def _texts() -> list[str]:
    found = {
        cell
        for path in QUESTIONS.glob("*.tsv")
        for line in path.read_text(encoding="utf-8").splitlines()
        for cell in line.split("\t")
        if 2 < len(cell) < 200
    }
    return random.Random(20261128).sample(sorted(found), 500)


@pytest.mark.soak
@pytest.mark.process
@pytest.mark.parametrize("part", [0, *(pytest.param(at, marks=pytest.mark.soak) for at in range(1, PARTS))])
def test_form_finds_what_its_whole_finds(part: int) -> None:
    texts, found = _texts()[part::PARTS], 0
    for form in _forms():
        whole = re.compile(form.pattern, form.flags)
        for text in texts:
            expected, got = whole.search(text), form.search(text)
            found += expected is not None
            assert (expected and expected.span()) == (got and got.span()), (form.pattern, text)
    assert found > 2_000 / PARTS
