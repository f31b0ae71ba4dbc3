"""150 wishes of everyday life: none is drafted wrong, and the plain ones are drafted.

Each line of `wishes.tsv` has the schedule that a person means (`?`: to be asked back), the exchange, the zone and the
next run times. Those were worked out apart from ia: day by day through a calendar, with exchange_calendars for sessions.
A wish about days whose holidays were not announced yet has no times.
"""

from datetime import UTC

import pytest

from ia.faculties.schedule import describe, slots, wish_errors, wish_parser
from ia.faculties.schedule.design import check_design, format_design, parse_design, require_future
from ia.kernel import clock
from ia.kernel.errors import BadData
from support.program import REPO

NOW = "2026-11-23T10:00:00+08:00"
HOME = "Asia/Shanghai"
LINES = (REPO / "tests/corpora/wishes.tsv").read_text(encoding="utf-8").splitlines()
ROWS = [[*line.split("\t"), "", "", "", ""][:6] for line in LINES if not line.startswith("#")]
ASKED = "?"


@pytest.fixture(autouse=True)
def at(monkeypatch):
    monkeypatch.setenv("IA_NOW", NOW)
    monkeypatch.setenv("TZ", HOME)


def draft(wish):
    """Return (schedule, calendar, zone, next run times) of a wish; ASKED where it is asked back."""
    try:
        design = wish_parser.parse_wish(wish, zone=HOME)
        check_design(design)
        require_future(design)
    except BadData:
        return ASKED, "", "", []
    coming = [f"{slot.astimezone(UTC):%Y-%m-%dT%H:%M}" for slot in slots.next_slots(design, clock.now(), 3)]
    return design.schedule, design.calendar, design.zone, coming


def is_right(row, found):
    _, _, schedule, calendar, zone, times = row
    return found[:3] == (schedule, calendar, zone) and " ".join(found[3]).startswith(times)


def test_the_corpus_is_what_it_says():
    assert len(ROWS) == len({row[1] for row in ROWS}) == 150
    chinese = sum(wish_parser.detect_language(row[1]) == "zh" for row in ROWS)
    assert chinese == 75 and {row[0] for row in ROWS} == {"plain", "tricky", "asks"}
    assert all((row[0] == "asks") == (row[2] == ASKED) for row in ROWS)


def test_none_is_drafted_wrong_and_the_plain_ones_are_drafted():
    drafts = {row[1]: draft(row[1]) for row in ROWS}
    wrong = [
        (row[1], drafts[row[1]]) for row in ROWS if drafts[row[1]][0] != ASKED and not is_right(row, drafts[row[1]])
    ]
    assert wrong == []
    plain = [row for row in ROWS if row[0] == "plain"]
    drafted = [row for row in plain if drafts[row[1]][0] != ASKED]
    assert len(plain) >= 100 and len(drafted) >= 0.95 * len(plain), [row[1] for row in plain if row not in drafted]


@pytest.mark.parametrize("row", [row for row in ROWS if row[2] != ASKED], ids=lambda row: row[1])
def test_a_draft_is_written_read_back_and_described(row):
    if draft(row[1])[0] == ASKED:
        pytest.skip("asked back")
    design = wish_parser.parse_wish(row[1], zone=HOME)
    for lang in ("zh", "en"):
        assert parse_design(format_design(design, lang), design.name) == design
        told = describe.describe_design(design, lang)
        assert told and "{" not in told
        assert any("\u4e00" <= char <= "\u9fff" for char in told) == (lang == "zh")


@pytest.mark.parametrize("wish", [row[1] for row in ROWS if row[2] == ASKED])
def test_what_is_asked_back_is_one_line_with_a_hint(wish):
    with pytest.raises(BadData) as caught:
        wish_parser.parse_wish(wish, zone=HOME)
    for lang in ("zh", "en"):
        problem, hint = wish_errors.explain_failure(caught.value, lang)
        assert problem and hint and "\n" not in problem and "{" not in problem + hint
