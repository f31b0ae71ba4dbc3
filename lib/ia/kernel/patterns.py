"""Regular expressions that are compiled when they are first used: a command uses a few of those that it loads."""

import re
from typing import Any, cast


class _Later:
    """A pattern that is not compiled yet. The methods that were used are kept: asking for one again costs nothing."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when one of its methods is first asked for.

    >>> pattern("[0-9]+").findall("2024-03-15")
    ['2024', '03', '15']
    """
    return cast("re.Pattern[str]", _Later(source, flags))
