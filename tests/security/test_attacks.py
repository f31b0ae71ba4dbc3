"""Attacks on this sandbox in particular: what its policy, its facades and its reply could have overlooked.

Each attack is refused, fails, runs out of time or gives a harmless value; none hurts a canary. A second worker with no
policy at all is then used to show that the lock alone would hold (test_locked.py).
"""

import re
from pathlib import Path

import pytest

from support.sandbox_cage import Cage

TEXT = (Path(__file__).parent / "attacks.txt").read_text(encoding="utf-8")
ATTACKS = dict(re.findall(r"^--- (\S+)\n(.*?)(?=^--- |\Z)", TEXT, re.S | re.M))

# What gives a value, and why that is no harm: the value is data of the bars, or a text without anything of the host.
HARMLESS = {
    "agg-mutated-while-walked", "apply-engine-object", "surrogates", "terminal-escape", "nul-text", "label-escape",
    "column-escape", "forged-reply", "annotation-runs", "ta-length-negative", "timezone-dateutil", "timezone-local",
    "kendall-scipy",
}  # fmt: skip


@pytest.fixture(scope="module")
def cage(tmp_path_factory):
    cage = Cage(tmp_path_factory.mktemp("cage"))
    yield cage
    cage.close()


def test_there_are_enough_attacks():
    assert len(ATTACKS) == TEXT.count("\n--- ") + 1 >= 150


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_hurts_nothing(cage, name):
    outcome = cage.attempt(cage.fill(ATTACKS[name].rstrip("\n"), name))
    assert not outcome.hurt, outcome
    assert outcome.seconds < cage.timeout + 6
    if name not in HARMLESS:
        assert outcome.how in ("refused", "failed", "late"), outcome.text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]", outcome.text)
