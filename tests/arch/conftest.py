"""What the tests of the source share: the syntax trees, until the last test of this folder."""

from pathlib import Path

from support import source_code


def pytest_runtest_teardown(nextitem):
    """Let go of the trees before the tests of other folders."""
    if nextitem is None or nextitem.path.parent != Path(__file__).parent:
        source_code.forget()
