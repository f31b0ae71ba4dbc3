"""The language of what pictures say."""

from typing import TYPE_CHECKING

from ia_cli.terminal.text import lang, say

if TYPE_CHECKING:
    from ia.faculties.pictures.chart import Voice


def voice() -> "Voice":
    """Return how a picture speaks to this user."""
    from ia.faculties.pictures.chart import Voice

    return Voice(say, lang())
