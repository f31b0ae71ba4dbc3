"""Speech acts: the corpus (tests/corpora/acts.tsv) says what each sentence does; all who ask read it the same way."""

from datetime import datetime

import pytest

from ia.agent.analyst.ask import intent, request
from ia.agent.analyst.voice import EN
from ia.agent.tools.consent import ASKED, asks_for_area, own_words
from ia.domain.speech.acts import performs_act
from ia.domain.speech.table import act_forms
from ia.kernel import clock
from ia.organs.sessions import importance_of
from support.program import REPO

LINES = (REPO / "tests" / "corpora" / "acts.tsv").read_text(encoding="utf-8").splitlines()
CORPUS = [
    (sentence.replace("\\n", "\n"), set(filter(None, acts.split(","))))
    for sentence, acts in (line.split("\t") for line in LINES if not line.startswith("#"))
]
TABLE = (REPO / "lib" / "ia" / "domain" / "speech" / "acts.tsv").read_text(encoding="utf-8").splitlines()
ROWS = [line.split("\t") for line in TABLE if line and not line.startswith("#")]
ACTS = {name for name, way, _ in ROWS if way != "fragment"}
OPENS = {
    "praise": "reflections", "coach": "reflections", "untrack": "tracking", "track": "tracking",
    "prefer": "preferences", "believe": "beliefs", "order": "trades",
}  # fmt: skip
"""Kind of wish of the analyst → the area of the gate that it writes to, or that the same wish opens for a model."""
NOW = datetime(2024, 3, 15, 16, 0, tzinfo=clock.CHINA)


def kind_of(sentence):
    return intent.read_intent(request.parse_request(f"【用户问题】{sentence}", "", [], NOW, EN)).kind


@pytest.mark.parametrize(("sentence", "acts"), CORPUS)
def test_a_sentence_performs_its_acts(sentence, acts):
    assert {act for act in ACTS if performs_act(own_words(sentence), act)} == acts


@pytest.mark.parametrize(("sentence", "acts"), CORPUS)
def test_gate_analyst_and_importance_agree(sentence, acts):
    areas, kind, importance = {area for area in ASKED if asks_for_area(sentence, area)}, kind_of(sentence), 0
    if "order_when" in acts:
        assert kind == "order"
    elif kind in OPENS:
        assert {kind, f"{kind}_list"} & acts and OPENS[kind] in areas
    if "schedule" in acts:
        assert kind == "schedule" and "tasks" in areas
    if acts & {"traded", "recorded"}:
        assert {"trades", "playbook"} <= areas
    if acts & {"traded", "recorded", "traded_lately"}:
        importance = 1
    if "main_line_judged" in acts:
        importance = 2
    assert importance_of(own_words(sentence)) == importance
    if "traded" in acts:
        assert kind in ("traded", "note")  # a longer text is kept as it stands


def test_every_act_has_a_sentence_and_a_reader_knows_no_other():
    assert set().union(*(acts for _, acts in CORPUS)) == ACTS
    assert set().union(*ASKED.values()) <= ACTS and set(intent._KINDS) <= ACTS


def test_every_form_is_an_expression_without_more_than_one_way():
    for name in {name for name, _, _ in ROWS}:
        assert act_forms(name) and len({way for row, way, _ in ROWS if row == name}) == 1
