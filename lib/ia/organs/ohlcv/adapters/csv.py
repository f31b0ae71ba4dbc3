"""A folder of files as a source of prices: one file a symbol, read through the universal normalizer.

`market.csv.dir` names the folder. A file is called by code (`600519.csv`, `600519.SH.csv`, `sh600519.csv`, `AAPL.csv`)
or by name (`贵州茅台.csv`). Its prices are taken as unadjusted; corporate actions may stand beside it in
`600519.actions.csv`, with the header ``date,cash,bonus,rights,rights_price,split,factor`` or some of these columns.
"""

import os
import stat
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from ia.domain.instruments.symbols import EXCHANGES, Symbol, bundled_symbols
from ia.kernel import config
from ia.kernel.errors import BadData, ConfigError, Message, NotFound
from ia.organs.ohlcv.adapters import Fetched
from ia.organs.ohlcv.canonical import Bars, is_date
from ia.organs.ohlcv.provenance import bytes_digest

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjustment import Action

MAX_BYTES = 200_000_000
_FIELDS = ("cash", "bonus", "rights", "rights_price", "split", "factor")


class Csv:
    """The adapter of a folder of CSV files."""

    name = "csv"
    simulated = False
    local = True

    def fetch(self, symbol: Symbol, start: str | None = None, end: str | None = None) -> Fetched:
        """Return the bars of the symbol's file from `start` to `end`, as the normalizer reads them."""
        from ia.organs.ohlcv.normalize import normalize_csv

        path = _find_file(symbol)
        data = _read_bytes(path)
        told: list[str] = []

        def collect_message(message: Message) -> None:
            told.append(str(message))

        name = os.path.basename(path)
        bars = normalize_csv(data, name, notify=collect_message)
        if _fold_stem(name.rpartition(".")[0]) == _fold_stem(symbol.code) and (others := _namesakes(symbol)):
            template = "reading {file} as {symbol}; name a file of {other} {other}.csv"
            collect_message(Message(template, file=name, symbol=symbol.canonical, other=others[0].canonical))
        if bars.date and len(bars.date[0]) > 10:
            raise BadData("{file} has intraday bars; the csv adapter needs daily bars", file=os.path.basename(path))
        inputs = (bytes_digest(data),)
        return Fetched(symbol, bars.between_dates(start, end), os.path.dirname(path), "; ".join(told), inputs=inputs)

    def normalize(self, fetched: Fetched) -> Bars:
        """Return the bars, which `fetch` has read through the normalizer."""
        assert isinstance(fetched.raw, Bars)
        return fetched.raw

    def actions(self, symbol: Symbol) -> "list[Action]":
        """Return the actions of the file beside the prices; none where there is no such file."""
        path = _find_file(symbol, ".actions")
        return _parse_actions(_read_bytes(path), os.path.basename(path)) if path else []

    def lookup(self, text: str) -> list[Symbol]:
        """Return nothing: a file's name tells no exchange."""
        return []


def csv_folder() -> str:
    """Return the folder of `market.csv.dir`; ConfigError where there is none."""
    name = config.get_setting("market.csv.dir")
    if not name:
        raise ConfigError(
            "the folder of the csv adapter is not set", hint="set it with `ia config set market.csv.dir DIR`"
        )
    path = os.path.abspath(os.path.expanduser(str(name)))
    if not os.path.isdir(path):
        raise ConfigError(
            "market.csv.dir: {path} is not a folder",
            path=path,
            hint="create it, or choose another with `ia config set market.csv.dir DIR`",
        )
    return path


def _find_file(symbol: Symbol, part: str = "") -> str:
    """Return the path of a symbol's file; of its actions file, or "" where there is none, with `part` ".actions"."""
    here = csv_folder()
    stems = _files_by_stem(tuple(sorted(os.listdir(here))))
    found = sorted({stems[key] for key in _possible_stems(symbol, part) if key in stems})
    if len(found) > 1:
        raise BadData("{symbol} has more than one file: {files}", symbol=symbol.canonical, files=", ".join(found))
    if found:
        return os.path.join(here, found[0])
    if part:
        return ""
    from difflib import get_close_matches

    near = [stems[key] for key in get_close_matches(_fold_stem(symbol.code), stems, 3, 0.5)]
    raise NotFound(
        "{symbol}: {folder} has no file for it",
        hint="similar names: {near}" if near else "name the file {name}.csv",
        symbol=symbol,
        folder=here,
        name=symbol.canonical,
        near=", ".join(near),
    )


@lru_cache(maxsize=1)
def _files_by_stem(entries: tuple[str, ...]) -> dict[str, str]:
    """Return the CSV files among these by the folded stem of their names; kept for who asks for one after the other."""
    parted = ((entry, *entry.rpartition(".")) for entry in entries)
    return {_fold_stem(stem): entry for entry, stem, dot, extension in parted if dot and extension.lower() == "csv"}


def _possible_stems(symbol: Symbol, part: str) -> list[str]:
    """Return the names that a symbol's file may have. A bare code that a share has in common with an index is its."""
    codes = [symbol.code, symbol.code.replace(".", "-")]
    if symbol.market == "HK":
        codes += [symbol.code[n:] for n in range(1, 5) if symbol.code.startswith("0" * n)]
    aliases = [alias for alias, exchange in EXCHANGES.items() if exchange == symbol.exchange]
    stems = [f"{code}.{alias}" for code in codes for alias in aliases]
    stems += [f"{symbol.exchange}{code}" for code in codes] + [f"{symbol.exchange}.{code}" for code in codes]
    if _is_meant(symbol):
        stems += codes[:2]
    if symbol.name:
        stems.append(symbol.name)
    return [_fold_stem(stem + part) for stem in stems]


def _namesakes(symbol: Symbol) -> list[Symbol]:
    """Return the other securities of this code."""
    return [other for other in bundled_symbols() if other.code == symbol.code and other.canonical != symbol.canonical]


def _is_meant(symbol: Symbol) -> bool:
    """Return True if the bare code of a security means it alone, of those that can be bought."""
    others = _namesakes(symbol)
    return not others or (symbol.kind != "index" and all(other.kind == "index" for other in others))


def _fold_stem(stem: str) -> str:
    return unicodedata.normalize("NFKC", stem).casefold().replace(" ", "")


def _read_bytes(path: str) -> bytes:
    try:
        # A pipe that nobody writes to would be waited for without end.
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadData("{path}: not a regular file", path=path)
            data = file.read(MAX_BYTES + 1)
    except OSError as exc:
        raise BadData("{path}: {reason}", path=path, reason=exc.strerror) from None
    if len(data) > MAX_BYTES:
        raise BadData("{path} is larger than {limit} bytes", path=path, limit=MAX_BYTES)
    return data


def _parse_actions(data: bytes, source: str) -> "list[Action]":
    """Return the actions of a file, oldest first; raises BadData naming line and field."""
    import csv
    import io

    from ia.organs.ohlcv.adjustment import Action

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise BadData(
            "{source}:{line}: the text is not valid UTF-8", source=source, line=data.count(b"\n", 0, exc.start) + 1
        ) from None
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [cell.strip().lower() for cell in next(rows, [])]
        body = [(rows.line_num, row) for row in rows]
    except csv.Error as exc:
        raise BadData(
            "{source}:{line}: invalid CSV: {reason}", source=source, line=max(1, rows.line_num), reason=str(exc)
        ) from None
    strange = [cell for cell in header if cell not in ("date", *_FIELDS)]
    if "date" not in header or strange or len(set(header)) < len(header):
        raise BadData(
            "{source}:1: the header of corporate actions must be date and some of {fields}",
            source=source,
            fields=", ".join(_FIELDS),
        )
    actions: dict[str, Action] = {}
    for line, row in body:
        if not any(cell.strip() for cell in row):
            continue
        if any(cell.strip() for cell in row[len(header) :]):
            template = "{source}:{line}: extra cell after {field}: {count} cells for {width} columns"
            raise BadData(template, source=source, line=line, field=header[-1], count=len(row), width=len(header))
        values = dict(zip(header, (cell.strip() for cell in row), strict=False))
        day = values.pop("date")
        if not is_date(day) or len(day) != 10 or day in actions:
            raise BadData(
                "{source}:{line}: date is invalid or duplicate: {text!r}", source=source, line=line, text=day[:40]
            )
        actions[day] = Action(
            day, **{name: _parse_number(text, name, source, line) for name, text in values.items() if text}
        )
    return [actions[day] for day in sorted(actions)]


def _parse_number(text: str, field: str, source: str, line: int) -> float:
    try:
        value = float(text)
        if 0 <= value < float("inf"):
            return value
    except ValueError:
        pass
    raise BadData(
        "{source}:{line}: {field} is not a non-negative number: {text!r}",
        source=source,
        line=line,
        field=field,
        text=text[:40],
    )
