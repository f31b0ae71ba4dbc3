"""Further names of securities: what a program knows besides the bundled table.

They stand apart from ia.domain.instruments.symbols, so that a program registers a source without the cost of the table.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ia.domain.instruments.symbols import Symbol

registered: dict[str, Callable[[], Sequence["Symbol"]]] = {}
"""Name -> what tells the securities that a source names, each with its name."""
