"""How Chinese names are typed in pinyin: in full (`ningdeshidai`) and by initials (`ndsd`).

A character with several readings (长, 行, 重) counts with each of them: 长城 is found as `cc` and as `zc`. English
letters and digits of a name are typed as they are.
"""

import itertools
import os
from functools import cache

MAX_SPELLINGS = 16
"""Maximum number of full spellings of one name, and of its initials."""


def spell_name(name: str) -> tuple[str, ...]:
    """Return how a name is typed in pinyin: full spellings, then initials; () if it has no or an unknown character.

    >>> spell_name("宁德时代"), spell_name("TCL科技"), spell_name("长城"), spell_name("Apple")
    (('ningdeshidai', 'ndsd'), ('tclkeji', 'tclkj'), ('changcheng', 'zhangcheng', 'cc', 'zc'), ())
    """
    readings = [_readings(char) for char in name.replace(" ", "").casefold()]
    if name.isascii() or not all(readings):
        return ()
    initials = [tuple(dict.fromkeys(syllable[0] for syllable in each)) for each in readings]
    return (*_join_readings(readings), *_join_readings(initials))


def may_begin(name: str, letter: str) -> bool:
    """Return whether a spelling of the name may begin with this small letter: much cheaper than to spell it."""
    return any(syllable.startswith(letter) for syllable in _readings(name[:1].casefold()))


def _join_readings(readings: list[tuple[str, ...]]) -> dict[str, None]:
    spelled = itertools.islice(itertools.product(*readings), MAX_SPELLINGS)
    return dict.fromkeys("".join(parts) for parts in spelled)


def _readings(char: str) -> tuple[str, ...]:
    return (char,) if char.isascii() and char.isalnum() else _load_readings().get(char, ())


@cache
def _load_readings() -> dict[str, tuple[str, ...]]:
    """Return the syllables of each character."""
    found: dict[str, tuple[str, ...]] = {}
    with open(os.path.join(os.path.dirname(__file__), "pinyin.txt"), encoding="utf-8") as file:
        for line in file:
            syllable, _, chars = line.rstrip("\n").partition(" ")
            if syllable != "#":
                for char in chars:
                    found[char] = (*found.get(char, ()), syllable)
    return found
