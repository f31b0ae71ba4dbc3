"""Tarot: 78 cards with texts of our own, drawn by the system's random source. A draw is one audit event."""

import secrets
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from ia.kernel import audit, clock, store
from ia.kernel.errors import BadData, NotFound, Refused
from ia.kernel.formats.yaml import load_yaml
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

EVENT = "cards.draw"
UPRIGHT, REVERSED = "upright", "reversed"


class DrawnCard(NamedTuple):
    """A card by its id, and which way up it lies."""

    id: str
    orientation: str


@cache
def load_deck() -> dict[str, Json]:
    """Return the cards by id, in the order of the deck."""
    return {card["id"]: card for card in _load_data()["cards"]}


@cache
def load_spreads() -> dict[str, Json]:
    """Return the spreads by name, each with its positions."""
    return dict(_load_data()["spreads"])


@cache
def _load_data() -> Json:
    text = files("ia.faculties.life").joinpath("tarot.yaml").read_text(encoding="utf-8")
    return load_yaml(text, "tarot.yaml")  # type: ignore[no-any-return]


def draw_from_deck(count: int) -> list[DrawnCard]:
    """Return cards without repetition, each upright or reversed by a coin."""
    chance = secrets.SystemRandom()
    return [DrawnCard(card, chance.choice((UPRIGHT, REVERSED))) for card in chance.sample(list(load_deck()), count)]


def draw_spread(ws: Workspace, spread: str) -> tuple[int, list[DrawnCard]]:
    """Draw the cards of a spread and record the draw; return the number of its event and the cards.

    raises  NotFound for an unknown spread; Refused while --now lies in the past, since chance cannot be repeated.
    """
    if spread not in load_spreads():
        raise NotFound(
            "{spread!r}: no such spread; choose one of {known}", spread=spread[:40], known=", ".join(load_spreads())
        )
    if clock.is_past():
        raise Refused(
            "cards are not drawn under a --now in the past: chance cannot be repeated",
            code="past-draw",
            hint="`show_tarot_spread` shows an earlier draw again",
        )
    if not store.is_writable(ws.db):
        raise Refused("the draw cannot be recorded: the workspace is read-only", code="read-only")
    cards = draw_from_deck(len(load_spreads()[spread]["positions"]))
    return audit.record(ws.db, EVENT, spread, cards=[list(card) for card in cards]), cards


def find_draw(ws: Workspace, number: int | None) -> tuple[int, str, list[DrawnCard]]:
    """Return the number, the spread and the cards of an earlier draw; of the latest for None.

    raises  NotFound.
    """
    kept = audit.events(ws.db, kind=EVENT, limit=1 if number is None else 1_000_000)
    found = next((event for event in kept if number in (None, event.id)), None)
    if found is None and number is None:
        raise NotFound("no cards have been drawn yet", hint="draw some with `draw_cards`")
    if found is None:
        raise NotFound("draw {number}: no such draw", number=number, hint="`ia log --kind cards.draw` lists the draws")
    cards = [DrawnCard(*card) for card in found.data["cards"]]
    if found.subject not in load_spreads() or any(card.id not in load_deck() for card in cards):
        raise BadData("draw {number} names a card or spread that is not in the deck", number=found.id)
    return found.id, found.subject, cards


def describe_draw(number: int, spread: str, cards: list[DrawnCard], lang: str) -> Json:
    """Return a draw as a person reads it: position, card, orientation and text."""
    english = lang == "en"
    deck, about = load_deck(), load_spreads()[spread]
    rows = []
    for position, card in zip(about["positions"], cards, strict=True):
        known = deck[card.id]
        rows.append(
            {
                "position": position["en" if english else "zh"],
                "id": card.id,
                "card": known["en" if english else "zh"],
                "orientation": card.orientation,
                "text": known[card.orientation]["en" if english else "zh"],
            }
        )
    return {
        "draw": number,
        "spread": about["en" if english else "zh"],
        "cards": rows,
        "note": Voice(lang)("for reflection: cards fall by chance and foretell nothing"),
    }
