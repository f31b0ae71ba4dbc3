"""Whole exams of a scripted model: recordings replayed through turns, tools, usage and caps."""

import gc
import warnings

import pytest

from ia.kernel import config
from ia.kernel.errors import Refused, Unavailable
from ia.organs import spending
from ia.reach.exam.grading import ExamOutcome, find_problems
from ia.reach.exam.sitting import LEFT_OUT, open_exam
from support.exam_recordings import ANSWERS, load_recording, replay
from support.servers.openai import UNAUTHORISED, Reply

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("built_once")]


@pytest.fixture(autouse=True)
def isolation(monkeypatch):
    """Code runs on every machine; and the connections that a model's client keeps end with the test."""
    monkeypatch.setenv("IA_COMPUTE_ISOLATION", "prefer")
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def hold(ws, model="scripted", most=60):
    """Hold an exam and return it with its results, the first `most` of them."""
    results = []
    with open_exam(ws, model) as sitting:
        for result in sitting.ask_questions():
            results.append(result)
            if len(results) == most:
                break
    return sitting, results


def failures(results):
    return {each.question.id: [str(problem) for problem in each.problems] for each in results if not each.passed}


@pytest.mark.parametrize("asked", [6, pytest.param(60, marks=pytest.mark.soak)])
def test_a_perfect_answerer_gets_all_that_it_is_asked(ws, brain, asked):
    """The first questions; `make soak` asks all sixty, here and through the command."""
    server = brain(always=replay(load_recording("perfect")))
    sitting, results = hold(ws, most=asked)
    assert len(sitting.expected) == 60 == len(ANSWERS)
    assert failures(results) == {} and len(results) == asked and sitting.stopped is None
    assert all(call["ok"] for each in results for call in each.calls)
    offered = set(server.requests[0].tools)
    assert "market_ohlcv" in offered and not {name.replace(".", "_") for name in LEFT_OUT} & offered
    [row] = spending.usage_rows(ws, "model")
    assert row.key == "scripted" and row.calls == len(server.requests) == sitting.total_usage()["calls"]
    assert sum(each.usage["calls"] for each in results) == row.calls
    [(subject, time)] = ws.db.execute("SELECT subject, time FROM events WHERE kind = 'model.exam'")
    assert subject == "scripted" and time > "2026"  # not the time of the exam's workspace


def test_numbers_that_are_off_by_three_per_cent_are_all_wrong(sitting):
    """The recorded answers, graded without their turns; those that need proposals or files are for `make soak`."""
    answers = {row["id"]: row["answer"] for row in load_recording("wrong")["questions"]}
    numbers = [each for each in sitting.expected if any(check["kind"] == "number" for check in each.checks)]
    graded = {
        each.question.id: find_problems(
            each, ExamOutcome(answer=answers[each.question.id], proposals=[], files={}), sitting.names
        )
        for each in numbers
    }
    assert len(graded) >= 30 and not [name for name, problems in graded.items() if not problems]
    right = {row["id"]: row["answer"] for row in load_recording("perfect")["questions"]}
    texts = [each for each in numbers if len(each.checks) == 1]
    assert len(texts) >= 25
    for each in texts:
        outcome = ExamOutcome(answer=right[each.question.id], proposals=[], files={})
        assert find_problems(each, outcome, sitting.names) == [], each.question.id


@pytest.mark.soak
def test_the_embedded_analyst_is_tested_for_nothing(ws):
    sitting, results = hold(ws, "ia-offline", most=5)
    assert (sitting.price.questions, sitting.price.cost, sitting.price.stops) == (60, 0, None)
    assert all(each.calls for each in results) and len(failures(results)) <= 2, failures(results)
    assert sitting.total_usage()["cost"] == 0


@pytest.mark.soak
def test_an_answerer_that_is_off_by_three_per_cent_is_wrong_in_whole_exams(ws, brain):
    brain(always=replay(load_recording("wrong")))
    _, results = hold(ws)
    numbers = [each for each in results if any("number" in check for check in each.question.checks)]
    assert len(numbers) >= 30 and not [each.question.id for each in numbers if each.passed]
    others = [each for each in results if each not in numbers]
    assert failures(others) == {}


@pytest.mark.soak
def test_the_owners_workspace_and_settings_stay_as_they_are(ws, home, brain, monkeypatch):
    ws.write("notebook/mine.md", "private")
    monkeypatch.setenv("IA_MESSAGING_DEFAULT", "elsewhere")
    before = {path.relative_to(home) for path in home.rglob("*") if ".ia" not in path.parts}
    server = brain(always=Reply("42"))
    hold(ws, most=2)
    assert {path.relative_to(home) for path in home.rglob("*") if ".ia" not in path.parts} == before
    assert config.home() == str(home) and config.get_setting("messaging.default") == "elsewhere"
    assert not any("private" in str(request.messages) for request in server.requests)
    assert {row[0] for row in ws.db.execute("SELECT kind FROM events")} <= {
        "write",
        "note.write",
        "model.exam",
    }


def test_the_price_is_known_before_and_holds_the_caps(ws, brain, monkeypatch):
    brain(always=Reply("42"))
    with open_exam(ws, "scripted") as sitting:
        price = sitting.price
    assert price.questions == 60 and 300_000 < price.input_tokens < 3_000_000 and price.output_tokens > 10_000
    assert float(price.cost) == pytest.approx((price.input_tokens + 4 * price.output_tokens) / 1e6)
    assert price.stops[0] == "turn.max_cost"
    monkeypatch.setenv("IA_TURN_MAX_COST", "100")
    monkeypatch.setenv("IA_TURN_MAX_COST_DAY", "100")
    with open_exam(ws, "scripted") as sitting:
        assert sitting.price.stops is None
    monkeypatch.delenv("IA_PRICES_SCRIPTED_INPUT")
    monkeypatch.delenv("IA_PRICES_SCRIPTED_OUTPUT")
    with open_exam(ws, "scripted") as sitting:
        assert sitting.price.cost is None and sitting.price.stops[0] == "turn.max_tokens"


@pytest.mark.soak
def test_a_cap_stops_the_exam_and_the_score_so_far_is_kept(ws, brain, monkeypatch):
    monkeypatch.setenv("IA_TURN_MAX_TOKENS", "36000")
    server = brain(always=Reply("800.95 元", usage=(9000, 100)))
    sitting, results = hold(ws)
    assert [each.passed for each in results] == [True, False, False] and isinstance(sitting.stopped, Refused)
    assert len(server.requests) == 3 and sitting.total_usage()["input"] == 27_000


def test_a_model_that_refuses_stops_the_exam(ws, brain):
    brain(always=UNAUTHORISED)
    sitting, results = hold(ws)
    assert isinstance(sitting.stopped, Unavailable) and len(results) == 2
    assert all("401" in str(problem) for each in results for problem in each.problems)


def test_a_run_of_a_task_holds_no_exam(ws, monkeypatch):
    monkeypatch.setenv("IA_RUN", "7")
    with pytest.raises(Refused), open_exam(ws, "ia-offline"):
        pass
