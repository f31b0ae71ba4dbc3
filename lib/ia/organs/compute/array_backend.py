"""On which arrays the kernels compute in this process: numpy's, or plain lists for one short expression.

`ia compute 'rsi(close, 14)'` over ten years of one share takes 5 ms on lists, and importing numpy 80. The kernels are
the same, and so is every bit (a property test holds them to it); the choice is made once, before they are imported.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    F = NDArray[np.float64]
    B = NDArray[np.bool_]

__all__ = ["B", "F", "NDArray", "choose_arrays", "np", "settle_on_numpy"]

HEAVY = frozenset({"log", "exp", "kama", "cci", "percentrank", "pastrank", "pasthigh"})
"""Not for lists: exp and log, whose last bit is numpy's own, and kernels that pass over the series n times."""
MAX_SOURCE = 400

_plain = False


def choose_arrays(source: str) -> None:
    """Choose for this process, unless numpy is loaded anyway: lists for a short expression of light functions."""
    import re
    import sys

    global _plain
    if "numpy" not in sys.modules and len(source) <= MAX_SOURCE:
        _plain = not HEAVY.intersection(re.findall("[a-z]+", source))


def settle_on_numpy() -> None:
    """Settle on numpy: for a process that evaluates more than one expression, before its first."""
    import numpy  # noqa: F401


def __getattr__(name: str) -> object:
    if name == "np":
        if _plain:
            from ia.organs.compute import list_arrays

            return list_arrays
        import numpy

        return numpy
    if name in ("F", "B"):
        return Any
    if name == "NDArray":
        return list
    raise AttributeError(name)
