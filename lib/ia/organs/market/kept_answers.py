"""What a source told of one company, kept below `.ia/cache`: asked anew after FRESH, used longer where it is silent."""

import contextlib
import json
import os
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from ia.kernel import clock, config, files
from ia.kernel.errors import TryLater

T = TypeVar("T")
FRESH = timedelta(hours=20)


def load_kept(
    name: str,
    read: Callable[[Any], T],
    ask: Callable[[list[T]], list[T]],
    *,
    within: timedelta | None = None,
    quiet: bool = False,
) -> list[T]:
    """Return what was told within some time, else ask; where the source cannot be reached, what it told before.

    within  FRESH where it is not given
    name    of the file, below `.ia/cache`; read makes a row of what was kept of it
    ask     gets what was kept before
    quiet   nobody is asked: what is kept counts, however old it is; [] where nothing is
    """
    home = config.home()
    place = os.path.join(home, ".ia", "cache", f"{name}.json")
    fetched, kept = _read_kept(place, read)
    now = clock.wall_time()
    if quiet or (
        kept and fetched is not None and timedelta(0) <= now - fetched < (FRESH if within is None else within)
    ):
        return kept
    try:
        told = ask(kept)
    except TryLater:
        if kept:
            return kept
        raise
    if os.path.isdir(home):
        files.keep_file(place, json.dumps({"fetched": now.isoformat(), "told": told}))
    return told


def _read_kept(place: str, read: Callable[[Any], T]) -> tuple[datetime | None, list[T]]:
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError), open(place, encoding="utf-8") as file:
        record = json.load(file)
        return datetime.fromisoformat(record["fetched"]), [read(each) for each in record["told"]]
    return None, []
