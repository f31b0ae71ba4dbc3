"""The month that tests start from: built once in a test session, whichever worker needs it first, and copied."""

import contextlib
import dataclasses
import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from lived import life
from support.forked_commands import Ran, Server
from support.program import SHARED

PRICES = SHARED / "ashare" / "sina_qfq_2020_2026"
MARKETS = {market.name: market for market in (life.DEMO, life.CSV)}


def pytest_itemcollected(item):
    """Leave to `make soak` what is tried on the simulated market and again on the other one, its month included."""
    parts = getattr(item, "callspec", None)
    if parts and parts.params.get("month") == "csv":
        item.add_marker(pytest.mark.soak)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Build the months first and use them last, so that no worker waits for one that is being built."""

    here = f"{Path(__file__).parent}{os.sep}"

    def order(item):
        if not str(item.path).startswith(here):
            return 1
        return 0 if item.path.name == "test_month.py" else 2

    items.sort(key=order)


@dataclasses.dataclass(frozen=True)
class Month:
    """A month that was lived: the person's life at its end, the market, and the record of every command."""

    life: life.Life
    market: life.Market
    record: list[life.Entry]


@dataclasses.dataclass(frozen=True)
class Person:
    """A copy of a life, and a way to run commands in it at the evening after the month."""

    life: life.Life
    market: life.Market
    day: date
    server: Server

    def run(self, *words: str, lang: str = "en", time: str = "20:00", input: str = "", limit: float = 120) -> Ran:
        """Run a command; its problems are what `checks.problems` says of it."""
        env = self.life.at(self.day, time, lang)
        return self.server.run(*words, env=env, cwd=self.life.desk, input=input, limit=limit)


@pytest.fixture(scope="session", params=MARKETS)
def month(request, tmp_path_factory, forks) -> Month:
    """A person's month on a market."""
    market = MARKETS[request.param]
    if market.name == "csv" and not PRICES.is_dir():
        pytest.skip("the shared reference data is not beside this checkout")
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # what all workers of a session share
    place = base / f"lived-{market.name}"
    person = life.Life(place, market.name, PRICES if market.name == "csv" else None)
    kept = base / f"lived-{market.name}.json"
    with open(base / f"lived-{market.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            shutil.rmtree(place, ignore_errors=True)  # of a worker that died
            record = life.live(forks, person, market)
            kept.write_text(json.dumps([dataclasses.asdict(entry) for entry in record]))
    return Month(person, market, [life.Entry(**entry) for entry in json.loads(kept.read_text())])


def copied(month: Month, place: Path, forks: Server) -> Person:
    """Return a person who goes on from the end of a month, in a place of their own."""
    prices = Path(month.life.env["IA_MARKET_CSV_DIR"]) if "IA_MARKET_CSV_DIR" in month.life.env else None
    shutil.copytree(month.life.place, place, symlinks=True)
    own = life.Life(place, month.market.name, prices)
    life.move(own, month.life.place)
    return Person(own, month.market, life.trading_days(month.market.begin, month.market.days)[-1], forks)


@pytest.fixture(scope="module")
def lived(month, tmp_path_factory, forks) -> Iterator[Person]:
    """A copy of the month for the tests of one file, which go on with it as a person would."""
    place = tmp_path_factory.mktemp("lived") / "life"
    yield copied(month, place, forks)
    with contextlib.suppress(OSError):
        shutil.rmtree(place)


@pytest.fixture
def own(month, tmp_path, forks) -> Person:
    """A copy of the month for one test."""
    return copied(month, tmp_path / "life", forks)
