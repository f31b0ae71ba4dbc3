"""What a judgment or a belief says of a price, and whether closes bring it about."""

from collections.abc import Sequence
from typing import NamedTuple


class Aim(NamedTuple):
    """The price, or the change in per cent, that a judgment says of its horizon.

    above   whether the close is to be above it, or below
    once    whether to reach it once within the horizon is enough
    """

    above: bool
    level: float | None = None
    change_pct: float | None = None
    once: bool = False

    def is_reached(self, base: float, closes: Sequence[float]) -> bool:
        """Return True if closes after one of `base` bring it about; the last of them is that of the horizon.

        >>> Aim(above=True, level=25.0, once=True).is_reached(24.0, [24.5, 25.1, 24.0])
        True
        """
        level = self.level
        if level is None:
            level = base * (1 + (1 if self.above else -1) * (self.change_pct or 0.0) / 100)
        looked = closes if self.once else closes[-1:]
        return any(close >= level if self.above else close <= level for close in looked)
