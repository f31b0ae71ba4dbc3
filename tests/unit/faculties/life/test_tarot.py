"""The deck and its draws: fair, recorded, repeatable from the record, refused in the past."""

from collections import Counter

import pytest

from ia.faculties.life import tarot
from ia.faculties.life.tool_functions import draw_cards, show_tarot_spread
from ia.kernel import audit
from ia.kernel.errors import NotFound, Refused


def test_the_deck_is_whole():
    deck = tarot.load_deck()
    assert len(deck) == 78
    assert sum(card.startswith("major-") for card in deck) == 22
    texts = [card[way][lang] for card in deck.values() for way in ("upright", "reversed") for lang in ("zh", "en")]
    assert all(texts)
    assert len(set(texts)) == len(texts)
    assert {name: len(each["positions"]) for name, each in tarot.load_spreads().items()} == {
        "one": 1, "three": 3, "celtic_cross": 10,
    }  # fmt: skip


def test_every_card_comes_up_both_ways_and_none_twice():
    counts = Counter()
    for _ in range(1000):
        drawn = tarot.draw_from_deck(78)
        assert len({card.id for card in drawn}) == 78
        counts.update([(drawn[0].id), *(card.orientation for card in drawn)])
    assert abs(counts["upright"] - 39_000) < 5 * 140  # five standard deviations
    firsts = [counts[card] for card in tarot.load_deck()]
    assert sum((each - 1000 / 78) ** 2 / (1000 / 78) for each in firsts) < 135  # chi square of 77, p about 0.00005


def test_a_draw_is_one_event_and_is_shown_again_from_it(ws):
    drawn = draw_cards(ws, "celtic_cross", lang="en")
    assert len(drawn["cards"]) == 10
    events = audit.events(ws.db, kind=tarot.EVENT)
    assert [event.id for event in events] == [drawn["draw"]]
    assert show_tarot_spread(ws, drawn["draw"], lang="en") == drawn
    chinese = show_tarot_spread(ws, drawn["draw"], lang="zh")
    assert [card["id"] for card in chinese["cards"]] == [card["id"] for card in drawn["cards"]]
    assert len(audit.events(ws.db, kind=tarot.EVENT)) == 1


def test_the_latest_draw_is_shown_where_none_is_named(ws):
    with pytest.raises(NotFound, match="no cards"):
        show_tarot_spread(ws)
    draw_cards(ws, "three")
    latest = draw_cards(ws, "one")
    assert show_tarot_spread(ws) == latest


def test_an_unknown_draw_or_spread_is_not_found(ws):
    with pytest.raises(NotFound):
        show_tarot_spread(ws, 999)
    with pytest.raises(NotFound, match="celtic_cross"):
        draw_cards(ws, "horseshoe")


def test_nothing_is_drawn_in_the_past(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")
    with pytest.raises(Refused, match="chance"):
        draw_cards(ws)
    assert not audit.events(ws.db, kind=tarot.EVENT)
