"""What was found out about regular expressions, kept for the next command of a user: it took a fifth of a turn.

As Python keeps the bytecode of modules, the code of patterns is kept for the Python that made it; whoever can write to
a user's cache can write there, too. `re` compiles what is not kept.
"""

import atexit
import contextlib
import importlib
import marshal
import os
import re
import sys
import zlib
from array import array
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from ia.kernel.config import user_cache
from ia.kernel.files import keep_file
from ia.kernel.patterns import use_compiler

T = TypeVar("T")


class KeptPatterns:
    """What is known of patterns, by key, in a file.

    path  the file; what a Python of another build wrote there is not read

    Each entry is packed for itself, and is unpacked when it is looked up: a command needs a few of thousands.
    """

    MOST = 6_000
    """Entries that are kept; beyond, those that were not used for longest are forgotten."""
    _BUILD = f"2 {sys.version}"

    def __init__(self, path: str) -> None:
        self.path = path
        self._packed: dict[int, bytes] = {}
        self._used: dict[int, bytes] = {}
        self._known: dict[str, Any] = {}
        self._fresh = False
        with contextlib.suppress(OSError, *_DAMAGED), open(path, "rb") as file:
            build, packed = marshal.loads(file.read())
            if build == self._BUILD:
                self._packed = dict(packed)

    def look_up(self, key: str, find_out: Callable[[], T]) -> T:
        """Return what is known under a key, or what is found out now, which is kept. It has to be plain data."""
        if key not in self._known:
            place = zlib.crc32(key.encode(errors="surrogatepass")) << 32 | len(key)
            packed, kept = self._packed.get(place, b""), None
            known: Any = None
            with contextlib.suppress(*_DAMAGED):
                kept, known = marshal.loads(packed)
            if kept != key:
                known = find_out()
                packed = marshal.dumps((key, known))
                self._fresh = True
            self._known[key] = known
            self._used[place] = packed
        found: T = self._known[key]
        return found

    def keep(self) -> None:
        """Write what was found out, for the next command."""
        if self._fresh:
            unused = [each for each in self._packed.items() if each[0] not in self._used]
            packed = dict([*unused, *self._used.items()][-self.MOST :])
            keep_file(self.path, marshal.dumps((self._BUILD, packed)))


_DAMAGED = (ValueError, EOFError, TypeError, LookupError)
"""What a file raises that is none, or not whole."""


@cache
def open_kept() -> KeptPatterns:
    """Return what is known of patterns; what this command finds out is written when it ends.

    From the first call on, patterns are compiled with it: a command that compiles only a few does without.
    """
    kept = KeptPatterns(os.path.join(user_cache(), f"patterns-{sys.implementation.cache_tag}.bin"))
    atexit.register(kept.keep)
    use_compiler(compile_kept)
    return kept


def compile_kept(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern, as `re.compile` does, without compiling one that an earlier command compiled. raises re.error.

    >>> form = compile_kept("(?P<year>[0-9]{4})", re.I)
    >>> form == re.compile("(?P<year>[0-9]{4})", re.I), form.groupindex["year"]
    (True, 1)
    """
    try:
        all_flags, code, groups, names = open_kept().look_up(f"{int(flags)} {source}", lambda: _compile(source, flags))
        by_number: list[str | None] = [None] * (groups + 1)
        for name, number in names.items():
            by_number[number] = name
        engine: Any = importlib.import_module("_sre")
        made: re.Pattern[str] = engine.compile(
            source, all_flags, array("I", code).tolist(), groups, dict(names), tuple(by_number)
        )
    except _UNKNOWN:
        return re.compile(source, flags)
    return made


_UNKNOWN = (ImportError, AttributeError, TypeError, ValueError, LookupError, RuntimeError)
"""What a Python raises whose `re` is made otherwise, or that does not accept what was kept."""


def _compile(source: str, flags: int) -> tuple[int, bytes, int, dict[str, int]]:
    """Return the flags of a pattern, its code, how many groups it has, and the numbers of those with a name."""
    compiler: Any = importlib.import_module("re._compiler")
    parser: Any = importlib.import_module("re._parser")
    parsed = parser.parse(source, int(flags))
    code = array("I", compiler._code(parsed, int(flags)))
    return int(flags) | parsed.state.flags, code.tobytes(), parsed.state.groups - 1, dict(parsed.state.groupdict)
