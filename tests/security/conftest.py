"""What the tests of attacks share."""

import pytest

from support.injections import FILES


@pytest.fixture
def standing(home):
    for path, text in FILES.items():
        file = home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return home


@pytest.fixture(autouse=True)
def _workers(started_workers):
    """Attack the worker that `ia` starts."""
