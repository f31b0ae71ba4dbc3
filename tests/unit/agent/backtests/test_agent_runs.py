"""Runs in their folders: lived, lived again with recorded answers, interrupted and continued."""

import json
import os
import resource
from dataclasses import replace

import pytest

from ia.agent.backtests import agent_runs, planning, run_groups
from ia.kernel.errors import BadData, NotFound, Refused, TryLater, Unavailable, UsageError
from support.scripted_model import MODEL, Said, scripted

NOW, START = "2024-03-15T16:00+08:00", "2024-02-19"
TWO = ("600519", "000858")


@pytest.fixture(autouse=True)
def simulated(monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", NOW)


@pytest.fixture
def caps(monkeypatch, tmp_path):
    monkeypatch.setenv("IA_TURN_MAX_TOKENS", "10000000")
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))


def plan(ws, **wish):
    wish = {"symbols": TWO, "start": START, "model": "ia-offline", **wish}
    return planning.plan_run(ws, planning.RunWish(**wish), print)


def start(ws, made):
    folder = os.path.join(ws.root, "runs", agent_runs.start_run(ws, made.settings))
    return folder, agent_runs.live_or_continue(ws, folder, made.settings, made.market, notify=print, progress=silent)


def silent(at, of):
    pass


def replay(ws, folder):
    again, result, _, differing = run_groups.replay_group(ws, os.path.basename(folder), notify=print, progress=silent)
    return again, result, differing


def resume(ws, folder):
    return run_groups.live_group(ws, os.path.basename(folder), notify=print, progress=silent)[0]


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


def decisions(folder):
    return [json.loads(line) for line in read(folder, "decisions.jsonl").splitlines()]


@pytest.mark.soak
def test_the_embedded_analyst_lives_through_twenty_sessions(ws, home):
    folder, result = start(ws, plan(ws))
    assert result["status"] == "done"
    assert result["sessions"] == 20
    assert result["parts"][0]["part"] == "all"
    days = [line["date"] for line in decisions(folder) if line["turn"] == "day"]
    assert (days[0], days[-1], len(days)) == (START, "2024-03-15", 20)
    assert sorted(os.listdir(os.path.join(folder, "reviews"))) == [
        "month_02.md", "week_08.md", "week_09.md", "week_10.md", "week_11.md",
    ]  # fmt: skip
    assert len(os.listdir(os.path.join(folder, "journal"))) == 20
    assert read(folder, "equity.csv").count("\n") == 21
    assert not (home / "memory").exists()
    assert not (home / "notebook").exists()


def test_a_replay_asks_nobody_and_gives_the_same_bytes(ws, caps):
    with scripted(trade_by_the_calendar):
        folder, result = start(ws, plan(ws, model=MODEL))
    assert result["orders"]["filled"] > 0
    again, same, differing = replay(ws, folder)  # there is no such model any more
    assert (same, differing) == (result, [])
    assert read(again, "calls.jsonl") == read(folder, "calls.jsonl")


def trade_by_the_calendar(asked):
    """Buy on some days and sell on others; write a note of what was filled."""
    if asked.results:
        return Said("Done.")
    figures = json.loads(asked.text.rpartition("【Figures】")[2])
    if figures["kind"] != "day":
        return Said(calls=[("memory_note", {"key": figures["key"], "content": f"review {figures['return_pct']}"})])
    day = int(asked.text[len("【Time】2024-02-") :][:2])
    calls = [("memory_log", {"content": f"day {day}"})]
    if day % 3 == 0:
        calls.append(("trade_execute", {"action": "buy", "symbol": "000858", "quantity": 1000, "reason": "by day"}))
    if day % 5 == 0:
        calls.append(("trade_execute", {"action": "close", "symbol": "000858.SZ"}))
    return Said(calls=calls)


def test_a_recorded_question_that_differs_is_named_with_its_byte(ws):
    folder, _ = start(ws, plan(ws, start="2024-03-11"))
    calls = os.path.join(folder, "calls.jsonl")
    text = read(folder, "calls.jsonl").replace("1000000", "1000001", 1)
    with open(calls, "w", encoding="utf-8") as file:
        file.write(text.replace('"key":"', '"key":"0', 1))
    with pytest.raises(Unavailable, match=r"call 1 differs from the recorded one at byte \d+: .*100000") as caught:
        replay(ws, folder)
    assert caught.value.code == "replay-miss"


def test_a_replay_of_half_a_recording_ends_where_it_ends(ws):
    folder, _ = start(ws, plan(ws, start="2024-03-11"))
    calls = os.path.join(folder, "calls.jsonl")
    lines = read(folder, "calls.jsonl").splitlines(keepends=True)
    with open(calls, "w", encoding="utf-8") as file:
        file.writelines(lines[:7])
    with pytest.raises(Unavailable, match="call 7 is not recorded"):
        replay(ws, folder)


@pytest.mark.soak
@pytest.mark.parametrize("kept", [0, 1, 9, 40])
def test_a_run_that_was_cut_off_and_continued_is_like_one_that_was_not(ws, caps, kept):
    with scripted(trade_by_the_calendar):
        folder, result = start(ws, plan(ws, model=MODEL))
    cut = agent_runs.make_run_folder(ws, START)
    for name in ("run.yaml", "calls.jsonl"):
        lines = read(folder, name).splitlines(keepends=True)
        with open(os.path.join(cut, name), "w", encoding="utf-8") as file:
            file.writelines(lines if name == "run.yaml" else [*lines[:kept], lines[kept][:30]])
    with scripted(trade_by_the_calendar) as model:
        assert resume(ws, cut) == result
    assert len(model.asked) == result["usage"]["calls"] - max(kept - 1, 0)
    assert agent_runs.list_differences(folder, cut) == []


def test_a_model_that_fails_stops_the_run_and_resume_goes_on(ws, caps, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)

    def fail_on_one_day(asked):
        fails = TimeoutError("overloaded") if "2024-02-28" in asked.text else None
        return replace(trade_by_the_calendar(asked), fails=fails)

    with scripted(fail_on_one_day):
        made = plan(ws, model=MODEL)
        with pytest.raises(TryLater, match="overloaded"):
            start(ws, made)
    folder = os.path.join(ws.root, "runs", f"agent-{START}-1")
    stopped = json.loads(read(folder, "result.json"))
    assert (stopped["status"], stopped["sessions"], stopped["of"]) == ("stopped", 7, 20)
    with scripted(trade_by_the_calendar):
        result = resume(ws, folder)
        whole, same = start(ws, made)
    assert (result["status"], same) == ("done", result)
    assert agent_runs.list_differences(folder, whole) == []


def test_a_run_is_lived_by_one_process(ws):
    folder = os.path.join(ws.root, "runs", agent_runs.start_run(ws, plan(ws, start="2024-03-14").settings))
    with agent_runs._hold(folder), pytest.raises(TryLater, match="another process"):
        resume(ws, folder)


def test_a_full_disk_stops_the_run_with_one_sentence(ws):
    made = plan(ws, start="2024-03-14")
    folder = agent_runs.make_run_folder(ws, made.settings.start)
    os.symlink("/dev/full", os.path.join(folder, "decisions.jsonl"))
    with pytest.raises(TryLater, match="No space left"):
        agent_runs.live_or_continue(ws, folder, made.settings, made.market, notify=print, progress=silent)


def test_a_file_that_cannot_be_written_leaves_no_run(ws):
    settings = plan(ws, start="2024-03-14").settings
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            agent_runs.start_run(ws, settings)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not os.listdir(os.path.join(ws.root, "runs"))


def test_the_cap_of_a_run_stops_it(ws, caps):
    with scripted(trade_by_the_calendar):
        made = plan(ws, model=MODEL)
        made = replace(made, settings=replace(made.settings, max_tokens=500))
        with pytest.raises(Refused, match="has used 660 tokens, its cap is 500"):
            start(ws, made)


def test_a_cap_that_is_asked_for_counts_for_the_embedded_analyst(ws):
    with pytest.raises(Refused, match=r"has used \d+ tokens, its cap is 10"):
        start(ws, plan(ws, max_tokens=10))
    assert plan(ws).settings.max_tokens is None


def test_an_estimate_above_the_cap_refuses(ws, caps, monkeypatch):
    with scripted(trade_by_the_calendar):
        with pytest.raises(Refused, match=r"estimated at .* tokens"):
            plan(ws, model=MODEL, max_tokens=1000)
        monkeypatch.setenv("IA_PRICES_SCRIPTED_INPUT", "1")
        monkeypatch.setenv("IA_PRICES_SCRIPTED_OUTPUT", "4")
        made = plan(ws, model=MODEL)
        assert made.settings.price["input"] in ("1", "1.0")
        with pytest.raises(Refused, match=r"estimated at .* USD"):
            plan(ws, model=MODEL, max_cost=0.001)


def test_bars_that_have_changed_end_a_resume(ws):
    folder, _ = start(ws, plan(ws, start="2024-03-14"))
    text = read(folder, "run.yaml")
    digest = next(line for line in text.splitlines() if line.startswith("  600519.SH: "))
    with open(os.path.join(folder, "run.yaml"), "w", encoding="utf-8") as file:
        file.write(text.replace(digest, "  600519.SH: other"))
    with pytest.raises(BadData, match="are not those"):
        resume(ws, folder)


def test_the_playbook_of_another_run_and_presets(ws, tmp_path):
    note = tmp_path / "note.md"
    note.write_text("Banks fall in June.")
    folder, _ = start(ws, plan(ws, start="2024-03-14", strategy="Buy low."))
    made = plan(ws, start="2024-03-14", source=os.path.basename(folder), presets=(f"notes/experience.md={note}",))
    other, _ = start(ws, made)
    assert "Buy low." in read(other, "playbook.md")
    assert read(other, "notes/experience.md") == "Banks fall in June."


def test_what_cannot_be_done_is_told(ws, tmp_path):
    for wish, kind in (
        ({"start": None}, UsageError),
        ({"symbols": ()}, UsageError),
        ({"start": "2024-03-14", "end": "2024-03-01"}, UsageError),
        ({"end": "2024-03-18"}, UsageError),
        ({"presets": ("../x.md=/etc/passwd",)}, UsageError),
        ({"presets": ("notes/x.md=/nowhere",)}, NotFound),
        ({"source": "agent-none"}, NotFound),
    ):
        with pytest.raises(kind):
            plan(ws, **wish)
    with pytest.raises(UsageError, match="not the name"):
        agent_runs.run_folder(ws, "../x")


@pytest.mark.soak
def test_a_masked_run_tells_no_name_code_date_or_price(ws, caps):
    def look_at_all(asked):
        if asked.results:
            return Said("done")
        figures = json.loads(asked.text.rpartition("【Figures】")[2])
        if figures["kind"] == "identity":
            return Said('{"S001": "600519 or 000858", "year": 2024}')
        calls = [("market_history", {"symbol": name, "bars": 250}) for name in ("S001", "S002")]
        calls += [("account_status", {}), ("memory_recall", {"query": "S001 bought"})]
        calls += [("trade_execute", {"action": "buy", "symbol": "S001", "quantity": n}) for n in (100, 150, 1e6)]
        calls += [
            ("indicator_calc", {"name": "RSI", "symbol": "S002"}),
            ("trade_execute", {"action": "sell", "symbol": "x"}),
        ]
        return Said(calls=calls)

    with scripted(look_at_all):
        made = plan(ws, model=MODEL, mask=True)
        folder, result = start(ws, made)
    setup, *lines = map(json.loads, read(folder, "calls.jsonl").splitlines())
    calls = json.dumps([setup, [line["messages"] for line in lines], [line["day"] for line in lines]])
    for name, security in made.market.securities.items():
        for word in (name, name.split(".")[0], made.market.titles[name]):
            assert word not in calls
        for day in security.bars.date:
            assert day not in calls
        bars = security.bars.slice_bars(-250)
        for row in zip(*bars[1:5], strict=True):
            assert ", ".join(map(str, row)) not in calls
    assert "S001" in calls
    assert result["identification"] == {"recognized": ["S001"], "rate_frac": 0.5, "year_recognized": True}
    assert set(result["mask"]) == {"S001", "S002"}
    assert "600519.SH" in read(folder, "orders.csv") + read(folder, "run.yaml")
    assert replay(ws, folder)[2] == []


def test_what_a_user_says_must_not_give_a_mask_away(ws, tmp_path):
    with pytest.raises(UsageError, match="names 600519"):
        plan(ws, mask=True, strategy="Buy 600519 low.")
    with pytest.raises(UsageError, match="--preset"):
        note = tmp_path / "note.md"
        note.write_text("x")
        plan(ws, mask=True, presets=(f"notes/x.md={note}",))


def test_repeats_and_invented_futures_beside_a_run(ws, caps):
    with scripted(trade_by_the_calendar) as model:
        made = plan(ws, model=MODEL, repeats=2, counterfactuals=1)
        run = agent_runs.start_run(ws, made.settings)
        result, group = run_groups.live_group(ws, run, notify=print, progress=silent)
        calls = len(model.asked)
        assert run_groups.live_group(ws, run, notify=print, progress=silent) == (result, group)
        assert len(model.asked) == calls
    assert group["repeats"]["runs"] == 2
    assert group["repeats"]["agreement_frac"] == 1.0
    since = group["counterfactuals"]["runs"][0]["since"]
    base = os.path.join(ws.root, "runs", run)
    assert sorted(os.listdir(os.path.dirname(base))) == [run, f"{run}.c1", f"{run}.r2"]
    rows, invented = (
        [line.split(",") for line in read(folder, "equity.csv").splitlines()] for folder in (base, f"{base}.c1")
    )
    assert [row for row in rows if row[0] < since] == [row for row in invented if row[0] < since]
    assert rows[-1] != invented[-1]
    *_, differing = run_groups.replay_group(ws, run, notify=print, progress=silent)
    assert differing == []


def test_what_comes_later_changes_nothing_before(ws, caps):
    """The world is cut: a run that ends earlier is the beginning of one that goes on."""
    with scripted(trade_by_the_calendar):
        whole, _ = start(ws, plan(ws, model=MODEL))
        for end in ("2024-02-28", "2024-03-08"):
            part, _ = start(ws, plan(ws, model=MODEL, end=end))
            days = [line for line in decisions(whole) if line["date"] < end]
            assert [line for line in decisions(part) if line["date"] < end] == days
            asked = read(part, "calls.jsonl").splitlines()
            last = max(at for at, line in enumerate(asked) if f'"day":"{end}"' not in line)
            assert asked[: last + 1] == read(whole, "calls.jsonl").splitlines()[: last + 1]


def test_what_the_source_lacks_is_left_out(ws):
    made = plan(ws, symbols=("600519", "601939"))
    assert list(made.market.securities) == ["600519.SH"]
    with pytest.raises(NotFound, match="601939"):
        plan(ws, symbols=("601939",))
