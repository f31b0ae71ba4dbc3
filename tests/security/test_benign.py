"""What ordinary research writes still works, in the locked sandbox."""

from pathlib import Path

import pytest

from support.sandbox_cage import Cage

SNIPPETS = (Path(__file__).parent / "benign.txt").read_text(encoding="utf-8").rstrip("\n").split("\n---\n")


@pytest.fixture(scope="module")
def cage(tmp_path_factory):
    cage = Cage(tmp_path_factory.mktemp("cage"), timeout=10)
    yield cage
    cage.close()


def test_there_are_enough_snippets():
    assert len(set(SNIPPETS)) == len(SNIPPETS) >= 150


@pytest.mark.parametrize("source", SNIPPETS)
def test_research_works(cage, source):
    outcome = cage.attempt(source)
    assert outcome.how == "value", outcome.text
    assert not outcome.hurt
    assert '"type": "none"' not in outcome.text
