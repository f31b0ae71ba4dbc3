"""What a view shows and which levels would change it: the table view.yaml."""

from dataclasses import dataclass
from functools import partial

from ia.agent.analyst.tables import SHIPPED, Entry, Table, Tables


@dataclass(frozen=True, kw_only=True)
class Level:
    """A price that would change the view: with which leans it is told, and the words for a close above and below it.

    rate, rated    how often such a price was reached before, in per cent, and the words for it (`{rate}`)
    """

    code: str
    leans: tuple[int, ...]
    above: tuple[str, str]
    below: tuple[str, str]
    rate: str
    rated: tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class SnapshotFigure:
    """A figure of the first line; `always` is told without a value too."""

    code: str
    unit: str
    text: tuple[str, str]
    always: bool


class Outline:
    """What a view shows first, which levels would change it, and what it cannot judge, as `view.yaml` tells it."""

    def __init__(self, table: Table) -> None:
        self.benchmarks = table.section("benchmarks", dict)
        self.snapshot = table.entries("snapshot", build_snapshot)
        self.valuation = table.entries("valuation", build_snapshot)
        self.of_report = table.pair("of_report")
        self.levels = table.entries("levels", build_level)
        ends = table.section("ends", dict)
        self.ends = {"<": str(ends.get("low") or ""), ">": str(ends.get("high") or "")}
        self.unjudged, self.unvalued = table.pair("unjudged"), table.pair("unvalued")
        self.sentence = partial(table.inner_pair, "sentences")


def build_snapshot(entry: Entry) -> SnapshotFigure:
    """Return the figure of an entry. raises BadEntry."""
    return SnapshotFigure(
        code=entry.text("code"),
        unit=entry.text("unit", ""),
        text=entry.pair("text", needed=True),
        always=entry.tree.get("always") is True,
    )


def build_level(entry: Entry) -> Level:
    """Return the level of an entry. raises BadEntry."""
    either = entry.pair("text")
    leans = tuple(int(lean) for lean in entry.items("lean") if isinstance(lean, int)) or (1, 0, -1)
    above, below = (entry.pair(key) if not either[0] else either for key in ("above", "below"))
    return Level(
        code=entry.text("code"),
        leans=leans,
        above=above,
        below=below,
        rate=entry.text("rate", ""),
        rated=entry.pair("rated"),
    )


def outline_at(tables: Tables = SHIPPED) -> Outline:
    """Return the outline of a view at hand."""
    return tables.build("research", "view", Outline)
