"""A year on the simulated market, and five thousand sentences: `make soak`."""

import os
import random
from datetime import date, timedelta

import pytest

from lived import life
from lived.checks import problems
from lived.grammar import sentences

pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(4 * 3600),
    pytest.mark.skipif("IA_SOAK" not in os.environ, reason="only under `make soak`"),
]

COUNT, CHUNK, SEED = 5000, 250, 11
YEAR = life.Market("demo", date(2023, 4, 3), questions=500, days=244)


@pytest.mark.parametrize("month", ["demo"], indirect=True)
@pytest.mark.parametrize("chunk", range(COUNT // CHUNK))
def test_no_sentence_breaks_a_turn(own, chunk):
    rng = random.Random(chunk)
    found = []
    for at, sentence in enumerate(sentences(COUNT, SEED)[chunk * CHUNK : (chunk + 1) * CHUNK]):
        session = ["-s", f"talk-{rng.randrange(5)}"] if rng.random() < 0.5 else []
        ran = own.run("turn", sentence, *session, lang=rng.choice(["zh", "en"]), time=f"{16 + at // 60}:{at % 60:02}")
        found += [(sentence, problem, ran.err[-300:]) for problem in problems(ran, life.ORDINARY)]
    assert found == []


def test_a_year_is_lived(forks, tmp_path):
    person = life.Life(tmp_path / "life", "demo", None)
    record = life.live(forks, person, YEAR)
    found = [f"{entry.step}: {entry.problems} {entry.err[-400:]}" for entry in record if entry.problems]
    assert not found, "\n".join(found)
    assert date.fromisoformat(record[-1].step.split()[0]) - YEAR.begin > timedelta(days=350)
