"""What is kept in ia.db and searched with the notes: reasons of trades, questions of sessions.

The organ knows neither; `ia.wiring.searchable_records` hands them over as folders of texts. A folder whose digest is
the one of last time is not loaded.
"""

from collections.abc import Callable
from typing import NamedTuple


class SearchableRecord(NamedTuple):
    """A text that stands in no file: its name within its folder, its date and its words."""

    name: str
    date: str
    text: str


class RecordFolder(NamedTuple):
    """The texts of one kind as of now(). `digest` tells whether they have changed; `load` fetches them."""

    folder: str
    digest: int
    load: Callable[[], list[SearchableRecord]]
