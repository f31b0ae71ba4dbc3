"""The name of a turn."""

import os

from ia.kernel import clock


def new_turn_id() -> str:
    """Return a new turn's name: its time and six random hexadecimal digits."""
    return f"{clock.now():%Y%m%dT%H%M%S}-{os.urandom(3).hex()}"
