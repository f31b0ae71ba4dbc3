"""Regular expressions that are compiled when they are first used: a command uses a few of those that it loads."""

import re
from collections.abc import Callable
from typing import Any, cast

_HAN = (r"[\u4e00-\u9fff]", r"[\u3400-\u9fff]")
"""Classes of Chinese signs: without regard to case, `re` takes milliseconds to look for the other case of each."""


_compile: Callable[[str, int], re.Pattern[str]] = re.compile


def use_compiler(compile_source: Callable[[str, int], re.Pattern[str]]) -> None:
    """Compile patterns from now on with this instead of `re.compile`: it knows those of earlier commands."""
    global _compile
    _compile = compile_source


class _Later:
    """A pattern that is not compiled yet. The methods that were used are kept: asking for one again costs nothing."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(compile_pattern(self._source, self._flags), name)
        setattr(self, name, found)
        return found


def compile_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern, compiled: a class of Chinese signs, which have no cases, is spared the search for them.

    >>> compile_pattern("([\\u4e00-\\u9fff]+) ok", re.I).findall("茅台 OK")
    ['茅台']
    """
    if flags & re.I:
        for signs in _HAN:
            source = source.replace(signs, f"(?-i:{signs})")
    return _compile(source, flags)


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when one of its methods is first asked for.

    >>> pattern("[0-9]+").findall("2024-03-15")
    ['2024', '03', '15']
    """
    return cast("re.Pattern[str]", _Later(source, flags))
