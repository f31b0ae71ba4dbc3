"""The folders of backtests in the workspace: `runs/ID/` with settings, orders, trades, equity and figures.

The ID is a digest of what the result follows from: settings, bars, rules and the version of ia. A folder is written
aside and gets its name at the end, so that a run that is killed leaves nothing half-written.
"""

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import ia
from ia.domain.performance.round_trips import RoundTrip
from ia.domain.rules.table import rules_digest
from ia.faculties.lab.order_rows import OrderRow
from ia.faculties.lab.run_figures import Yardstick
from ia.faculties.lab.run_types import RuleSettings, RunMarket, RunResult
from ia.kernel import clock, files
from ia.kernel.digest import sha256
from ia.kernel.errors import BadData, NotFound, UsageError
from ia.kernel.formats import yaml
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace

FOLDER = "runs"
LAST = "last"
"""What names the newest run."""
REQUEST = "request.json"
"""What a run of rules was asked for, until it has a result: see `ia.faculties.lab.unfinished_runs`."""
_CREATED = "created: "
_ASIDE = ".unfinished-"
MOST_DIGESTS = 50
"""Securities whose bars' digests stand in run.yaml one by one."""
ORDER_COLUMNS = (
    "order", "given", "symbol", "side", "type", "quantity", "value", "trigger", "status", "reason", "ended", "filled",
    "price", "fees", "dividend_tax",
)  # fmt: skip
TRADE_COLUMNS = (
    "symbol", "quantity", "opened", "closed", "cost", "proceeds", "profit", "return_frac", "days", "open",
)  # fmt: skip
EQUITY_COLUMNS = ("date", "equity", "cash", "positions", "exposure_frac")


class RunRow(NamedTuple):
    """A run in a list."""

    id: str
    created: str
    kind: str
    universe: str
    rules: str
    first: str
    last: str
    return_frac: float | None
    cagr_frac: float | None
    max_drawdown_frac: float | None
    simulated: bool


class SavedRun(NamedTuple):
    """A run's folder (absolute), its settings (run.yaml) and its figures (result.json)."""

    id: str
    folder: str
    settings: Json
    figures: Json


def settings_document(settings: RuleSettings) -> Json:
    """Return the settings of rules as plain data, those that are not used left out."""
    size = settings.size
    told = {
        "entry": settings.entry,
        "exit": settings.exit,
        "rank": settings.rank,
        "since": settings.since,
        "until": settings.until,
        "cash": _text(settings.cash),
        "size": {"percent": f"{_text(size.amount)}%", "shares": f"{_text(size.amount)} shares", "equal": "equal"}.get(
            size.kind, _text(size.amount)
        ),
        "stop_pct": _text(settings.stop_pct),
        "target_pct": _text(settings.target_pct),
        "max_positions": settings.max_positions,
        "rebalance": settings.rebalance,
        "commission_pct": _text(settings.terms.commission_pct),
        "commission_min": _text(settings.terms.commission_min),
        "volume_cap_pct": _text(settings.terms.volume_cap_pct),
        "statutory_fees": settings.terms.us_fees,
    }
    return {key: value for key, value in told.items() if value not in ("", None)}


def describe_inputs(market: RunMarket) -> Json:
    """Return the digests of what a run reads: the bars with their actions, and the table of rules."""
    import hashlib

    digests = {name: digest_bars(market, name) for name in market.securities}
    whole = hashlib.sha256("".join(f"{name} {each}\n" for name, each in digests.items()).encode()).hexdigest()
    told: Json = {"ia": ia.__version__, "rules_sha256": rules_digest(), "bars_sha256": whole}
    told["securities"] = len(digests)
    return told | ({"bars": digests} if len(digests) <= MOST_DIGESTS else {})


def digest_bars(market: RunMarket, name: str) -> str:
    """Return a digest of a security's bars and actions."""
    import hashlib

    security, made = market.securities[name], hashlib.sha256()
    made.update("\n".join(security.bars.date).encode())
    for column in security.columns[:4]:
        made.update(column.astype("<f8", copy=False).tobytes())
    made.update(security.columns.volume.astype("<i8", copy=False).tobytes())
    made.update(repr([tuple(each) for each in security.actions]).encode())
    made.update(repr((security.listed, sorted(security.st_days))).encode())
    return made.hexdigest()


def make_run_id(settings: Json) -> str:
    """Return the ID of a run: the first digits of the digest of its settings, digests of its input among them."""
    return sha256(json.dumps(settings, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:12]


def save_run(
    ws: Workspace, settings: Json, result: RunResult, figures: Json, yardsticks: Mapping[str, Yardstick] = {}
) -> SavedRun:
    """Write the folder of a run and return it. The same run has the same ID; its folder then stays as it is.

    settings  what the run follows from: `settings_document`, `describe_inputs`, the universe

    raises  OSError naming the file, of a disk that is full.
    """
    return save_files(ws, settings, result_files(result, yardsticks), figures)


def result_files(result: RunResult, yardsticks: Mapping[str, Yardstick]) -> dict[str, str]:
    """Return the tables of a result by the names of their files."""
    return {
        "orders.csv": orders_csv(result.orders),
        "trades.csv": to_csv(TRADE_COLUMNS, _trade_rows(result)),
        "equity.csv": to_csv(EQUITY_COLUMNS, _equity_rows(result)),
        "compare.csv": to_csv(("date", *yardsticks), _compare_rows(result, yardsticks)),
    }


def save_files(ws: Workspace, settings: Json, tables: Mapping[str, str], figures: Json) -> SavedRun:
    """Write the folder of a run with these tables; one of the same settings stays as it is."""
    name = make_run_id(settings)
    parent = os.path.join(ws.root, FOLDER)
    folder = os.path.join(parent, name)
    told = {"id": name, "created": clock.now().isoformat(timespec="seconds"), **settings}
    if os.path.isfile(os.path.join(folder, "result.json")):
        return _load_same(ws, name, settings, figures)
    files.make_folders(parent)
    aside = os.path.join(parent, f"{_ASIDE}{name}-{os.getpid()}")
    _sweep(parent)
    try:
        files.make_folders(aside)
        for file, text in (
            ("run.yaml", yaml.dump_mapping(told)),
            *tables.items(),
            ("result.json", json.dumps({"id": name, **figures}, ensure_ascii=False, indent=2) + "\n"),
        ):
            files.replace_file(os.path.join(aside, file), text)
        files.move_path(aside, folder)
        files.sync_folder(parent)
    except BaseException:
        import shutil

        shutil.rmtree(aside, ignore_errors=True)
        raise
    return SavedRun(name, folder, told, {"id": name, **figures})


def _load_same(ws: Workspace, name: str, settings: Json, figures: Json) -> SavedRun:
    """Return the folder of a run that has come to the same before, with the time of then. Raises as `load_run`."""
    folder = os.path.join(ws.root, FOLDER, name)
    with open(os.path.join(folder, "run.yaml"), encoding="utf-8", errors="replace") as file:
        head = [next(file, "") for _ in range(2)]
    if not head[1].startswith(_CREATED):
        return load_run(ws, name)  # somebody has written in it
    created = head[1].removeprefix(_CREATED).strip().strip("'")
    _check_past(name, created)
    return SavedRun(name, folder, {"id": name, "created": created, **settings}, {"id": name, **figures})


def _check_past(name: str, created: str) -> None:
    if clock.is_past() and created > clock.now().isoformat(timespec="seconds"):
        raise NotFound("run {text} is from {created}", text=name, created=created)


def _sweep(parent: str) -> None:
    """Remove what runs that were killed left behind."""
    for entry in os.scandir(parent):
        if entry.name.startswith(_ASIDE):
            number = entry.name.rpartition("-")[2]
            if not number.isdigit() or not _is_running(int(number)):
                import shutil

                shutil.rmtree(entry.path, ignore_errors=True)


def _is_running(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def list_runs(ws: Workspace) -> list[RunRow]:
    """Return the runs that were made up to now, newest first; folders that cannot be read are left out."""
    rows = []
    for name in _run_names(ws):
        try:
            run = load_run(ws, name)
        except (BadData, NotFound):
            continue
        rows.append((os.stat(run.folder).st_mtime_ns, _run_row(run)))  # under --now all are created at one time
    return [row for _, row in sorted(rows, key=lambda each: (each[1].created, each[0], each[1].id), reverse=True)]


def _run_names(ws: Workspace) -> list[str]:
    parent = os.path.join(ws.root, FOLDER)
    if not os.path.isdir(parent):
        return []
    return sorted(entry.name for entry in os.scandir(parent) if entry.is_dir() and not entry.name.startswith("."))


def find_run(ws: Workspace, text: str) -> SavedRun:
    """Return a run by its ID, the beginning of it, or `last`.

    raises  NotFound where there is none, UsageError where there are several, BadData where its files are damaged.
    """
    rows = list_runs(ws)
    if text == LAST:
        if not rows:
            raise NotFound("no backtest has been run yet", hint="start one with `ia backtest run`")
        return load_run(ws, rows[0].id)
    names = [name for name in _run_names(ws) if name.startswith(text)] if text else []
    if len(names) > 1 and text not in names:
        raise UsageError("{text} is the beginning of several runs: {names}", text=text, names=", ".join(names[:5]))
    if not names:
        raise NotFound("no run {text}", text=text, hint="`ia backtest list` lists the runs")
    return load_run(ws, text if text in names else names[0])


def load_run(ws: Workspace, name: str) -> SavedRun:
    """Return the run in a folder. raises NotFound where it was made later than now, BadData for damaged files."""
    folder = os.path.join(ws.root, FOLDER, name)
    try:
        with open(os.path.join(folder, "run.yaml"), encoding="utf-8") as file:
            settings = yaml.load_yaml(file.read(), f"{FOLDER}/{name}/run.yaml")
        with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
            figures = json.load(file)
    except FileNotFoundError:
        if os.path.isfile(os.path.join(folder, REQUEST)):
            hint = "continue with `ia backtest resume {text}`"
            raise NotFound("run {text} has no result yet", text=name, hint=hint) from None
        raise NotFound("no run {text}", text=name, hint="`ia backtest list` lists the runs") from None
    except (ValueError, UnicodeDecodeError):
        raise BadData("{path}: not a result of a backtest", path=f"{FOLDER}/{name}/result.json") from None
    if not isinstance(settings, dict) or not isinstance(figures, dict):
        raise BadData("{path}: not a result of a backtest", path=f"{FOLDER}/{name}")
    _check_past(name, str(settings.get("created", "")))
    return SavedRun(name, folder, settings, figures)


def _run_row(run: SavedRun) -> RunRow:
    settings, figures = run.settings, run.figures
    return RunRow(
        id=run.id,
        created=str(settings.get("created", "")),
        kind=str(settings.get("kind", "")),
        universe=str(settings.get("universe", "")),
        rules=describe_rules(settings),
        first=str(figures.get("first", "")),
        last=str(figures.get("last", "")),
        return_frac=figures.get("return_frac"),
        cagr_frac=figures.get("cagr_frac"),
        max_drawdown_frac=figures.get("max_drawdown_frac"),
        simulated=bool(figures.get("simulated")),
    )


def describe_rules(settings: Json) -> str:
    """Return the rules of a run in one line: the strategy file, or the entry and the exit."""
    if settings.get("strategy"):
        return str(settings["strategy"])
    return " / ".join(str(settings[key]) for key in ("entry", "exit") if settings.get(key))


def read_equity(run: SavedRun) -> list[tuple[str, float]]:
    """Return date and equity of each day of a run.

    raises  BadData where its file is damaged.
    """
    try:
        with open(os.path.join(run.folder, "equity.csv"), encoding="utf-8", newline="") as file:
            rows = csv.reader(file)
            head = next(rows)
            day, equity = head.index("date"), head.index("equity")
            return [(row[day], float(row[equity])) for row in rows if row]
    except (OSError, StopIteration, IndexError, ValueError):
        raise BadData("{path}: not the equity of a backtest", path=f"{FOLDER}/{run.id}/equity.csv") from None


def read_orders(run: SavedRun) -> list[dict[str, str]]:
    """Return the rows of the orders of a run. raises BadData where its file is damaged."""
    try:
        with open(os.path.join(run.folder, "orders.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except (OSError, ValueError):
        raise BadData("{path}: not the orders of a backtest", path=f"{FOLDER}/{run.id}/orders.csv") from None


# CSV


def to_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV text with a header."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def orders_csv(rows: Iterable[OrderRow]) -> str:
    """Return orders as CSV."""
    return to_csv(ORDER_COLUMNS, map(_order_cells, rows))


def equity_csv(result: RunResult) -> str:
    """Return the equity of each day as CSV."""
    return to_csv(EQUITY_COLUMNS, _equity_rows(result))


def trades_csv(result: RunResult) -> str:
    """Return the closed trades and what is still held as CSV."""
    return to_csv(TRADE_COLUMNS, _trade_rows(result))


def _order_cells(row: OrderRow) -> list[str]:
    return [
        row.order, row.given, row.symbol, row.side, row.kind, _text(row.quantity), _cents(row.value),
        _text(row.trigger), row.status, row.reason, row.ended or "", _text(row.filled), _price(row.price),
        _cents(row.fees), _cents(row.dividend_tax),
    ]  # fmt: skip


def _trade_rows(result: RunResult) -> Iterable[list[Any]]:
    yield from (_trade_cells(trip, "") for trip in result.trips)
    yield from (_trade_cells(trip, "open") for trip in result.open_trips)


def _trade_cells(trip: RoundTrip, still: str) -> list[Any]:
    gain = f"{trip.proceeds / trip.cost - 1:.6f}" if trip.cost else ""
    return [
        trip.symbol, f"{trip.quantity:g}" if trip.quantity < 1e5 else f"{trip.quantity:.10g}", trip.opened, trip.closed,
        f"{trip.cost:.2f}", f"{trip.proceeds:.2f}", f"{trip.profit:.2f}", gain, trip.days, still,
    ]  # fmt: skip


def _equity_rows(result: RunResult) -> Iterable[list[Any]]:
    rows = zip(result.days, result.equity, result.cash, result.positions, result.exposure, strict=True)
    return ([day, f"{equity:.2f}", f"{cash:.2f}", held, f"{part:.6f}"] for day, equity, cash, held, part in rows)


def _compare_rows(result: RunResult, yardsticks: Mapping[str, Yardstick]) -> Iterable[list[Any]]:
    for at, day in enumerate(result.days):
        yield [day, *("" if (value := each.values[at]) is None else f"{value:.6f}" for each in yardsticks.values())]


def _text(number: Decimal | None) -> str:
    return "" if number is None else f"{number.normalize():f}"


def _cents(money: Decimal | None) -> str:
    return "" if money is None else f"{money:.2f}"


def _price(price: Decimal | None) -> str:
    return "" if price is None else _text(round(price, 6))
