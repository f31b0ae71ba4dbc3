"""The language of what pictures say."""

from ia.kernel.i18n import Voice
from ia_cli.terminal.text import lang


def make_picture_voice() -> Voice:
    """Return how a picture speaks to this user."""
    return Voice(lang())
