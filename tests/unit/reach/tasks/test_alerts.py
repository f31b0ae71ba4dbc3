"""Alerts over a thousand days against an oracle of the test's own: no false message, none missed, none twice."""

import math
import os
import random
import re
import time

import pytest

from ia.faculties.alerts import sessions
from ia.faculties.alerts.definition import Alert, design_alert
from ia.faculties.schedule.design import format_design
from ia.faculties.taskbook import approved_tasks, run_store
from ia.kernel import config
from ia.kernel.errors import IaError
from ia.organs.channels import notices, sending
from ia.reach.tasks import alerts, decisions, rollback

WINDOW = 40
"""Rows that a source gives: no condition here looks back further."""


class Share:
    """A made-up share: sessions with raw closes, suspensions between them, and ex-days."""

    def __init__(self, code: str, days: list[str], rng: random.Random) -> None:
        self.code, price, self.actions, self.base = code, 50.0, {}, days[-1]
        self.days, self.closes, suspended = [], [], 0
        for n, day in enumerate(days):
            if suspended:
                suspended -= 1
                continue
            if rng.random() < 0.02:
                suspended = rng.choice([1, 2, 9])
            if n > 20 and rng.random() < 0.02:  # on the first session on or after this day
                cash, bonus = round(rng.uniform(0.2, 3), 2), rng.choice([0, 0, 0.3])
                self.actions[day] = (cash, bonus)
                price = max(5.0, (price - cash) / (1 + bonus))
            price = max(5.0, price * math.exp(rng.gauss(0, 0.03) - 0.02 * math.log(price / 50)))
            self.days.append(day)
            self.closes.append(round(price, 2))

    def write(self, folder, until: str) -> None:
        """Write what the source has up to a day, and a few rows that are not closed yet."""
        shown = [n for n, day in enumerate(self.days) if day <= until][-WINDOW:]
        rows = [f"{self.days[n]},{c},{c},{c},{c},100" for n in shown for c in [self.closes[n]]]
        (folder / f"{self.code}.csv").write_text("date,open,high,low,close,volume\n" + "\n".join(rows) + "\n")
        acts = [f"{day},{cash},{bonus}" for day, (cash, bonus) in self.actions.items() if day <= until]
        (folder / f"{self.code}.actions.csv").write_text("date,cash,bonus\n" + "\n".join(acts) + "\n")

    def in_prices_of_base(self, n: int) -> float:
        """The close of session n in the prices of the last session up to `base`: what an owner meant who saw those."""
        scale = 1.0
        for at in range(1, n + 1):
            if self.days[at] > self.base:
                scale *= self.closes[at - 1] / self.previous_worth(at)
        return self.closes[n] * scale

    def previous_worth(self, n: int) -> float:
        """The close before session n, worth what the ex-days between leave of it: rounded to the tick."""
        worth, due = self.closes[n - 1], [a for d, a in self.actions.items() if self.days[n - 1] < d <= self.days[n]]
        for cash, bonus in due:
            worth = math.floor((worth - cash) / (1 + bonus) / 0.01 + 0.5 + 1e-6) * 0.01
        return worth

    def adjusted(self, n: int, size: int) -> list[float]:
        """The last closes up to session n, adjusted as of it."""
        found, scale = [self.closes[n]], 1.0
        for at in range(n, n - size + 1, -1):
            scale *= self.previous_worth(at) / self.closes[at - 1]
            found.append(self.closes[at - 1] * scale)
        return found


def price_below(share, n):
    return share.in_prices_of_base(n) < 48 - 1e-9


def price_above(share, n):
    return share.in_prices_of_base(n) >= 52.5 - 1e-9


def falls(share, n):
    return n > 0 and (share.closes[n] / share.previous_worth(n) - 1) * 100 < -4


def below_average(share, n):
    return n >= 4 and share.closes[n] < sum(share.adjusted(n, 5)) / 5 - 1e-9  # a tie is not below


CONDITIONS = {
    "close < 48": price_below,
    "close >= 52.5": price_above,
    "roc(close, 1) < -4": falls,
    "close < sma(close, 5)": below_average,
}


def weekdays(count):
    from datetime import date, timedelta

    day, found = date(2019, 1, 2), []
    while len(found) < count:
        if day.weekday() < 5:
            found.append(day.isoformat())
        day += timedelta(days=1)
    return found


def expected(share, oracle, after):
    """The sessions after a day on which the condition came true, by the oracle alone."""
    truth = [oracle(share, n) for n in range(len(share.days))]
    return {share.days[n] for n in range(1, len(truth)) if share.days[n] > after and truth[n] and not truth[n - 1]}


class Killed(Exception):
    pass


class Watcher:
    """One alert in a workspace: carries out its runs as the executor does, and dies where it is told to."""

    def __init__(self, ws, share, condition) -> None:
        self.ws, self.share, self.alert = ws, share, Alert(f"{share.code}.SZ", condition)
        self.name = f"a{share.code}"
        ws.write(f"tasks/{self.name}.md", format_design(design_alert(self.alert)))
        self.task = decisions.approve_task(ws, self.name, by="user with --yes")

    def run(self, slot, rng) -> None:
        run = run_store.claim_slot(self.ws, self.task.id, self.name, slot, "schedule")
        while True:
            run = run_store.update_run(self.ws, run, attempt=run.attempt + 1, data=rollback.attempt_marks(self.ws))
            died = rng.random() < 0.1
            config.override_variable("IA_RUN", str(run.id))
            try:
                alerts.carry_out_alert(self.ws, self.alert, lang="en")
            except IaError:
                run_store.update_run(self.ws, run, state=run_store.FAILED)
                return
            finally:
                config.override_variable("IA_RUN", "")
            if not died:
                break
            rollback.roll_back_run(self.ws, run)  # killed after its work was stored, before it was safe
        run = run_store.update_run(self.ws, run, state=run_store.WRITTEN)
        if rng.random() < 0.1:  # killed before it told: the next wake-up tells
            return
        self.finish(run)

    def finish(self, run) -> None:
        sending.release_staged(self.ws, run.id)
        run_store.update_run(self.ws, run, state=run_store.DONE)

    def recover(self) -> None:
        for run in [*run_store.unsettled_runs(self.ws, self.name)]:
            if run.state == run_store.WRITTEN:
                self.finish(run)


def simulate(ws, tmp_path, monkeypatch, *, days, shares, seed):
    """Live through all days; return (sessions looked at, crossings expected, crossings told, messages)."""
    rng, all_days = random.Random(seed), weekdays(days)
    folder = tmp_path / f"prices-{seed}"
    folder.mkdir()
    monkeypatch.setenv("IA_MARKET_ADAPTER", "csv")
    monkeypatch.setenv("IA_MARKET_CSV_DIR", str(folder))
    start = all_days[25]
    monkeypatch.setenv("IA_NOW", f"{start}T16:00:00+08:00")
    made = [
        (Share(f"3{n:05}", all_days, rng), *pair)
        for n, pair in zip(range(shares), [*CONDITIONS.items()] * shares, strict=False)
    ]
    watchers = []
    for share, condition, _ in made:
        share.base = start
        share.write(folder, start)
        watchers.append(Watcher(ws, share, condition))
    late = dict.fromkeys(range(shares), 0)
    for at in range(26, days):
        day = all_days[at]
        off = rng.random() < 0.08 and at < days - 3  # the machine is off
        for n, watcher in enumerate(watchers):
            late[n] = max(0, late[n] - 1) or (rng.choice([1, 2, 5]) if rng.random() < 0.03 and at < days - 10 else 0)
            watcher.share.write(folder, all_days[at - 1] if late[n] else all_days[min(at + 2, days - 1)])
            if late[n] > 1:
                (folder / f"{watcher.share.code}.csv").unlink()  # the source is down
            if off:
                continue
            if rng.random() < 0.05:  # during the session, with a bar that is not finished
                monkeypatch.setenv("IA_NOW", f"{day}T11:00:00+08:00")
                watcher.recover()
                watcher.run(f"{day}T03:00:00.000Z", rng)
            monkeypatch.setenv("IA_NOW", f"{day}T15:30:00+08:00")
            watcher.recover()
            watcher.run(f"{day}T07:30:00.000Z", rng)
    for watcher in watchers:
        watcher.recover()
    want = {
        (w.name, day)
        for w, (share, _, oracle) in zip(watchers, made, strict=True)
        for day in expected(share, oracle, start)
    }
    sent = notices.select_notices(ws, "actor GLOB 'task a3*' ORDER BY id")
    told = [(note.actor.removeprefix("task "), re.search(r"came true on (\S+):", note.text)[1]) for note in sent]
    looked = sum(1 for share, *_ in made for day in share.days if day > start)
    return looked, want, told, sent


def check(ws, tmp_path, monkeypatch, **size):
    begun = time.process_time()
    looked, want, told, sent = simulate(ws, tmp_path, monkeypatch, **size)
    assert len(want) > looked / 40
    assert sorted(told) == sorted(want)  # none false, none missed, none twice
    assert all(note.state == notices.SENT for note in sent)
    late = [note for note in sent if "Found late" in note.text]
    assert late and any("still holds" in note.text for note in late) and any("no longer" in note.text for note in late)
    assert any("is an ex-date (cash" in note.text for note in sent)
    assert any("Prices count as on" in note.text for note in sent)
    print(f"{looked} sessions, {len(want)} crossings, {len(sent)} messages, {time.process_time() - begun:.1f} s")


@pytest.mark.soak
def test_over_a_hundred_days_each_crossing_is_told_once(ws, tmp_path, monkeypatch, crontab):
    check(ws, tmp_path, monkeypatch, days=140, shares=4, seed=1)


@pytest.mark.soak
@pytest.mark.skipif(not os.environ.get("IA_SOAK"), reason="long")
@pytest.mark.parametrize("seed", range(3))
def test_over_many_thousand_days(ws, tmp_path, monkeypatch, crontab, seed):
    check(ws, tmp_path, monkeypatch, days=1030, shares=8, seed=seed)


def test_the_oracle_says_what_ohlcv_and_compute_say(ws, tmp_path, monkeypatch, crontab):
    """`ia --now DAY ohlcv X | ia compute EXPR` on days of a share with ex-days."""
    from ia.organs.compute.calculate import calculate_expression
    from ia.organs.compute.render import is_false_condition
    from ia.organs.ohlcv.history import BarsRequest, load_history

    rng, days = random.Random(3), weekdays(150)
    share = Share("300001", days, rng)
    share.write(tmp_path, days[-1])
    monkeypatch.setenv("IA_MARKET_ADAPTER", "csv")
    monkeypatch.setenv("IA_MARKET_CSV_DIR", str(tmp_path))
    first = len(share.days) - WINDOW
    for n in range(first + 6, len(share.days), 3):
        monkeypatch.setenv("IA_NOW", share.days[n])
        bars = load_history(ws, BarsRequest(symbol="300001")).bars
        for condition, oracle in CONDITIONS.items():
            result = calculate_expression(condition, lambda bars=bars: bars)
            assert (not is_false_condition(result)) == oracle(share, n), (condition, share.days[n])


@pytest.fixture
def watched(ws, tmp_path, monkeypatch, crontab):
    """A share whose closes a test writes, and an alert on `close < 10` that starts on 2024-03-04."""
    monkeypatch.setenv("IA_MARKET_ADAPTER", "csv")
    monkeypatch.setenv("IA_MARKET_CSV_DIR", str(tmp_path))

    class Watched:
        def __init__(self):
            self.notified = []

        def bars(self, **closes):
            rows = [f"2024-03-{day[1:]},{c},{c},{c},{c},100\n" for day, c in sorted(closes.items())]
            (tmp_path / "300001.csv").write_text("date,open,high,low,close,volume\n" + "".join(rows))

        def approve(self, day="04", until=""):
            monkeypatch.setenv("IA_NOW", f"2024-03-{day}T16:00:00+08:00")
            alert = Alert("300001.SZ", "close < 10", until)
            ws.write("tasks/a.md", format_design(design_alert(alert, note="add a third")))
            self.task = decisions.approve_task(ws, "a", by="user with --yes", notify=self.notified.append)
            return self

        def look(self, day):
            monkeypatch.setenv("IA_NOW", f"2024-03-{day}T15:30:00+08:00")
            task = approved_tasks.get_task(ws, "a")
            run = run_store.claim_slot(ws, task.id, "a", f"2024-03-{day}T07:30:00.000Z", "schedule")
            config.override_variable("IA_RUN", str(run.id))
            try:
                alerts.carry_out_alert(ws, Alert("300001.SZ", "close < 10"), lang="en")
            finally:
                config.override_variable("IA_RUN", "")
            return [note.text for note in sending.release_staged(ws, run.id)]

    return Watched()


def test_an_ex_date_alone_tells_nothing(watched, tmp_path):
    """A bonus issue of 0.8 and a dividend after the alert was set: `close < 10` means the 10 of then."""
    (tmp_path / "300001.actions.csv").write_text("date,cash,bonus\n2024-03-06,0,0.8\n2024-03-11,0.5,0\n")
    watched.bars(d04=11, d05=12, d06=6.7, d07=6.2, d11=5.65, d12=4.9, d13=4.8)
    watched.approve()
    assert [watched.look(day) for day in ("05", "06", "07", "11")] == [[], [], [], []]
    [text] = watched.look("12")  # 4.9 * 1.8 * 6.2 / 5.7
    assert "close 4.90. Session before, 2024-03-11: 5.65." in text
    assert "Prices count as on 2024-03-04" in text and "4.90 counts as 9.59" in text
    assert watched.look("13") == []


def test_a_crossing_on_an_ex_date_compares_like_with_like(watched, tmp_path):
    (tmp_path / "300001.actions.csv").write_text("date,cash,bonus\n2024-03-05,0,0.8\n")
    watched.bars(d04=18, d05=5)
    watched.approve()
    [text] = watched.look("05")
    assert "close 5.00. Session before, 2024-03-04: 10.00 (18.00 before the ex-date)." in text
    assert "2024-03-05 is an ex-date (0.8 new shares per share)" in text and "5.00 counts as 9.00" in text


def test_what_is_true_already_is_said_and_the_next_crossing_waited_for(watched):
    watched.bars(d04=9)
    watched.approve()
    assert any("already true on 2024-03-04" in str(message) for message in watched.notified)
    watched.bars(d04=9, d05=9.5, d06=11, d07=9.9)
    assert watched.look("05") == [] and watched.look("06") == []
    [text] = watched.look("07")
    assert "came true on 2024-03-07: close 9.90. Session before, 2024-03-06: 11.00." in text
    assert "Your note: add a third" in text


def test_a_bar_that_the_source_had_not_yet_when_the_alert_was_set_counts(watched):
    watched.bars(d01=11)
    watched.approve()  # after the close of the 4th, of which the owner has seen nothing
    watched.bars(d01=11, d04=9, d05=9)
    [text] = watched.look("05")
    assert "came true on 2024-03-04" in text and "still holds" in text


def test_without_prices_the_alert_starts_with_the_session_that_has_closed(watched):
    watched.approve()
    assert any("no prices now" in str(message) for message in watched.notified)
    watched.bars(d04=9, d05=9, d06=11, d07=9)
    assert watched.look("06") == [] and len(watched.look("07")) == 1


def test_what_crosses_during_a_pause_is_not_told(watched, ws, monkeypatch):
    watched.bars(d04=11, d05=9, d06=11, d07=9, d08=9, d11=11, d12=9)
    watched.approve()
    decisions.pause_task(ws, "a")
    monkeypatch.setenv("IA_NOW", "2024-03-07T16:00:00+08:00")
    decisions.resume_task(ws, "a", notify=watched.notified.append)
    assert any("already true on 2024-03-07" in str(message) for message in watched.notified)
    assert watched.look("08") == [] and watched.look("11") == []
    assert len(watched.look("12")) == 1


def test_a_bar_that_comes_later_than_the_next_one_tells_its_streak_once(watched):
    watched.bars(d04=11, d06=9)
    watched.approve()
    assert len(watched.look("06")) == 1
    watched.bars(d04=11, d05=9, d06=9, d07=9)
    assert watched.look("07") == []
    watched.bars(d04=11, d05=9, d06=9, d07=9, d08=11, d11=11)
    assert watched.look("11") == []


def test_a_close_that_is_corrected_later_keeps_what_was_said_of_its_day(watched, ws):
    watched.bars(d04=11, d05=11)
    watched.approve()
    assert watched.look("05") == []
    watched.bars(d04=11, d05=9, d06=9)
    assert len(watched.look("06")) == 1
    assert [row.holds for row in sessions.load_sessions(ws, watched.task.id)] == [False, False, True]


def test_after_its_last_day_an_alert_is_finished(watched, ws, monkeypatch, crontab):
    watched.bars(d04=11, d05=11, d06=9)
    watched.approve(until="2024-03-05")
    assert watched.look("05") == []
    assert not approved_tasks.is_finished(ws, approved_tasks.get_task(ws, "a"))
    monkeypatch.setenv("IA_NOW", "2024-03-06T15:30:00+08:00")
    run = run_store.claim_slot(ws, watched.task.id, "a", "2024-03-06T07:30:00.000Z", "schedule")
    run_store.update_run(ws, run, state=run_store.DONE)
    for (number,) in ws.db.execute("SELECT id FROM runs").fetchall():
        run_store.update_run(ws, run_store.get_run(ws, number), state=run_store.DONE)
    assert approved_tasks.is_finished(ws, approved_tasks.get_task(ws, "a"))
    assert "a" not in dict(approved_tasks.crontab_entries(ws))


@pytest.mark.parametrize(("line", "quoted"), [("300001.SZ", False), ("300001.SZ: cheap below 10", True)])
def test_the_watch_list_is_quoted_only_where_a_reason_stands_on_it(watched, ws, line, quoted):
    watched.bars(d04=11, d05=9)
    watched.approve()
    ws.write("memory/tracking.md", f"# Tracking\n\n- {line} (2024-03-04)\n")
    [text] = watched.look("05")
    assert ("You wrote about it: memory/tracking.md" in text) is quoted
