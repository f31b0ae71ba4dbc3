"""A figure, or why there is none."""

from typing import NamedTuple

from ia.kernel.errors import Message


class Figure(NamedTuple):
    """A number; where it cannot be told, None and the reason."""

    value: float | None
    reason: Message | None = None


def unknown_figure(template: str, **params: object) -> Figure:
    """Return a figure that cannot be told. `template` is marked for translation by whoever writes it."""
    return Figure(None, Message(template, **params))
