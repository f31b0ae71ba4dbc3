"""How many random examples a test tries: a quarter of them in `make test`, all of them in `make soak`."""

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

SOAK = "IA_SOAK" in os.environ


def examples(whole: int, **others: Any) -> Callable[[Any], Any]:
    """Mark a random test with its number of examples and other settings; `make soak` runs it again, whole."""
    tried = settings(max_examples=whole if SOAK else whole // 4, deadline=None, **others)
    return lambda test: pytest.mark.random(tried(test))
