"""The sandbox is tested as it is: its workers are started, not forked."""

import pytest


@pytest.fixture(autouse=True)
def _workers(started_workers):
    """Start the workers."""
