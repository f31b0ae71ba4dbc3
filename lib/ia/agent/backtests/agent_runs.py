"""The folders of agents' runs: making one, finding one, living one again, continuing one."""

import contextlib
import os
import re
from collections.abc import Iterator

from ia.agent.backtests import outcome, run_settings
from ia.agent.backtests.counterfactuals import invent_bars
from ia.agent.backtests.live import LiveRun, Progress
from ia.agent.backtests.masks import mask_market
from ia.agent.backtests.past_market import PastMarket, load_market
from ia.agent.backtests.recording import FILE as CALLS
from ia.agent.backtests.recording import Recording, load_recording
from ia.agent.backtests.run_settings import RunSettings, parse_settings
from ia.domain.instruments.symbols import from_canonical
from ia.faculties.lab.run_folders import FOLDER
from ia.kernel import faults
from ia.kernel.errors import BadData, IaError, NotFound, Notify, TryLater, UsageError, drop_message
from ia.kernel.files import hold_lock, make_folders, replace_file
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")


def run_folder(ws: Workspace, run: str) -> str:
    """Return the folder of a run by its name or the beginning of it.

    raises  UsageError for what is no name of one, or of several; NotFound where it is not there.
    """
    if not _ID.fullmatch(run):
        raise UsageError("{run!r} is not the name of a run", run=run[:80])
    parent = os.path.join(ws.root, FOLDER)
    if os.path.isdir(os.path.join(parent, run)):
        return os.path.join(parent, run)
    names = sorted(os.listdir(parent)) if os.path.isdir(parent) else []
    found = [name for name in names if name.startswith(run)]
    if len(found) > 1:
        raise UsageError("{text} is the beginning of several runs: {names}", text=run, names=", ".join(found[:5]))
    if not found:
        raise NotFound("no run {text}", text=run, hint="`ia backtest list` lists the runs")
    return os.path.join(parent, found[0])


def make_run_folder(ws: Workspace, start: str) -> str:
    """Make the folder of a new run and return it: `agent-DATE-NUMBER`, the first number that is free."""
    base = os.path.join(ws.root, FOLDER)
    make_folders(base)
    for number in range(1, 100_000):
        folder = os.path.join(base, f"agent-{start}-{number}")
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)
            return folder
    raise TryLater("{folder} holds too many runs", folder=FOLDER)


def load_settings(folder: str) -> RunSettings:
    """Return the settings of the run in a folder.

    raises  NotFound where it has none, BadData where they are malformed or of another kind of run.
    """
    path = os.path.join(folder, run_settings.FILE)
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        raise NotFound("{run}: run.yaml is missing", run=os.path.basename(folder)) from None
    return parse_settings(text, f"{os.path.basename(folder)}/{run_settings.FILE}")


def open_market(ws: Workspace, settings: RunSettings, notify: Notify = drop_message) -> PastMarket:
    """Return the market of a run.

    raises  BadData where the stored bars are no longer those that the run began with.
    """
    market = load_market(ws, map(from_canonical, settings.symbols), settings.start, settings.end, notify)
    found = market.bar_digests(settings.end)
    if settings.bars and found != settings.bars:
        changed = [name for name in {**found, **settings.bars} if found.get(name) != settings.bars.get(name)]
        raise BadData(
            "the stored bars of {symbols} are not those that the run began with",
            symbols=", ".join(sorted(changed)),
            code="bars-changed",
        )
    return market


def start_run(ws: Workspace, settings: RunSettings) -> str:
    """Make the folder of a new run with its settings, and return its name."""
    folder = make_run_folder(ws, settings.start)
    try:
        _write_settings(folder, settings)
    except OSError:
        with contextlib.suppress(OSError):
            os.rmdir(folder)  # nothing could be continued in it
        raise
    return os.path.basename(folder)


def _write_settings(folder: str, settings: RunSettings) -> None:
    replace_file(os.path.join(folder, run_settings.FILE), settings.to_yaml(), durable=False)


def shape_market(market: PastMarket, settings: RunSettings) -> PastMarket:
    """Return the market as a run sees it: with an invented future, in disguise."""
    if settings.counterfactual:
        market = invent_bars(market, settings.counterfactual, settings.invention)
    return mask_market(market, settings.seed) if settings.mask else market


def live_or_continue(
    ws: Workspace,
    folder: str,
    settings: RunSettings,
    market: PastMarket,
    *,
    notify: Notify,
    progress: Progress,
    before: str = "",
) -> Json:
    """Return the result of a run; it is lived, or continued where it stopped, if it has none yet.

    before   a run whose answers are taken as long as the questions are the same
    raises   TryLater where another process lives it.
    """
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    with _hold(folder):
        result = load_result(folder)
        if result is not None and result.get("status") == outcome.DONE:
            return result
        if not os.path.exists(os.path.join(folder, run_settings.FILE)):
            _write_settings(folder, settings)
        path = os.path.join(folder, CALLS)
        own = load_recording(path, mend=True)
        shared = load_recording(os.path.join(before, CALLS)) if before and settings.counterfactual else []
        recording = Recording(path, own, own=True, shared=shared)
        return _live(ws, folder, settings, market, recording, notify, progress)


def load_result(folder: str) -> Json | None:
    """Return what result.json of a folder holds; None where there is none."""
    import json

    try:
        with open(os.path.join(folder, outcome.RESULT), encoding="utf-8") as file:
            found = json.load(file)
    except (FileNotFoundError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def replay_in(
    ws: Workspace,
    folder: str,
    again: str | None,
    settings: RunSettings,
    market: PastMarket,
    *,
    notify: Notify,
    progress: Progress,
) -> tuple[str, Json, list[str]]:
    """Live a run again in another folder (None: a new one) with the recorded answers alone, asking no model.

    Returns that folder, the result, and the files that differ from those of the run.
    """
    recorded = load_recording(os.path.join(folder, CALLS))
    if not recorded:
        raise NotFound("{run}: nothing is recorded", run=os.path.basename(folder))
    if again is None:
        again = make_run_folder(ws, settings.start)
    else:
        os.mkdir(again, 0o700)
    _write_settings(again, settings)
    recording = Recording(os.path.join(again, CALLS), recorded, closed=True)
    with _hold(again):
        result = _live(ws, again, settings, market, recording, notify, progress)
    return again, result, list_differences(folder, again)


def list_differences(one: str, other: str) -> list[str]:
    """Return the files that are not the same byte for byte in two folders, by path."""
    names = sorted({*_list_files(one), *_list_files(other)})
    return [name for name in names if _read(one, name) != _read(other, name)]


def _list_files(folder: str) -> Iterator[str]:
    for base, _, names in os.walk(folder):
        for name in names:
            if not name.startswith(".") and name != "group.json":
                yield os.path.relpath(os.path.join(base, name), folder)


def _read(folder: str, name: str) -> bytes | None:
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _hold(folder: str) -> contextlib.AbstractContextManager[int | None]:
    busy = TryLater("{run}: another process lives this run", run=os.path.basename(folder))
    return hold_lock(os.path.join(folder, ".lock"), busy=busy)


def _live(
    ws: Workspace,
    folder: str,
    settings: RunSettings,
    market: PastMarket,
    recording: Recording,
    notify: Notify,
    progress: Progress,
) -> Json:
    """Live a run and write what came of it, also where it stops before its end."""
    run = None
    try:
        run = LiveRun(ws, folder, settings, shape_market(market, settings), recording, market.titles)
        outcome.write_outcome(folder, run.state, outcome.describe_stop(run.state, ""))
        state = run.live_through(notify, progress)
        document = outcome.describe_outcome(state)
        outcome.write_outcome(folder, state, document)
    except BaseException as exc:
        reason = str(faults.explain_exception(exc, "the run")) if isinstance(exc, Exception) else "interrupted"
        with contextlib.suppress(OSError, IaError):
            if run is not None:
                outcome.write_outcome(folder, run.state, outcome.describe_stop(run.state, reason))
        if isinstance(exc, Exception) and not isinstance(exc, IaError):
            raise faults.explain_exception(exc, "the run") from exc
        raise
    finally:
        recording.close()
    return document
