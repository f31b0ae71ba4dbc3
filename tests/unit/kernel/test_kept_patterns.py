"""Patterns that an earlier command compiled are those that `re` compiles, and what was kept for another Python is not."""

import marshal
import re
import zlib
from pathlib import Path

import pytest

from ia.kernel import kept_patterns
from ia.kernel.kept_patterns import KeptPatterns, compile_kept

FORMS = [
    ("", 0),
    (r"(?P<year>\d{4})[-/年](?P<month>\d{1,2})|(?:今|昨)天", 0),
    (r"\b(?:cash|dry powder)\b(?! flow)|现金(?!流)", re.I),
    (r"(?i:ab)(?-i:[\u4e00-\u9fff]+)", re.I),
    (r"^\s*(a)(b)?(?(2)c|d)(?<=d|c)$", re.M | re.X),
    (r"(a+)+?\1", re.ASCII),
]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeptPatterns:
    """Return what is kept in a file of this test's own."""
    store = KeptPatterns(str(tmp_path / "patterns.bin"))
    monkeypatch.setattr(kept_patterns, "open_kept", lambda: store)
    return store


@pytest.mark.parametrize(("source", "flags"), FORMS)
def test_kept_pattern_is_the_one_that_re_compiles(kept: KeptPatterns, source: str, flags: int) -> None:
    for _ in range(2):
        made = compile_kept(source, flags)
        whole = re.compile(source, flags)
        assert made == whole  # its flags, its code and its source
        assert (made.groups, dict(made.groupindex)) == (whole.groups, dict(whole.groupindex))
    text = "Cash 2024年3月 现金 aba ABac abd"
    found = [(match.span(), match.groupdict(), match.lastgroup) for match in made.finditer(text)]
    assert found == [(match.span(), match.groupdict(), match.lastgroup) for match in whole.finditer(text)]


def test_next_command_compiles_nothing_anew(kept: KeptPatterns, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [compile_kept(source, flags) for source, flags in FORMS]
    kept.keep()
    later = KeptPatterns(kept.path)
    monkeypatch.setattr(kept_patterns, "open_kept", lambda: later)
    monkeypatch.setattr(kept_patterns, "_compile", lambda *_: pytest.fail("compiled anew"))
    assert [compile_kept(source, flags) for source, flags in FORMS] == made


def test_what_is_no_pattern_raises_what_re_raises(kept: KeptPatterns) -> None:
    with pytest.raises(re.error, match="unterminated"):
        compile_kept("(a")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no such thing",
        marshal.dumps((KeptPatterns._BUILD,)),
        marshal.dumps((KeptPatterns._BUILD, 7)),
        marshal.dumps(("1 2.7", {"0 a": (32, b"", 0, {})})),
    ],
)
def test_damaged_file_is_made_again(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "patterns.bin"
    path.write_bytes(content)
    store = KeptPatterns(str(path))
    assert store.look_up("key", lambda: "found out") == "found out"
    store.keep()
    assert KeptPatterns(str(path)).look_up("key", lambda: "anew") == "found out"


def test_entry_in_the_place_of_another_is_not_taken_for_it(kept: KeptPatterns, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zlib, "crc32", lambda _: 1)
    assert [kept.look_up(key, lambda key=key: key * 2) for key in ("a", "b", "a")] == ["aa", "bb", "aa"]
    kept.keep()
    later = KeptPatterns(kept.path)
    assert [later.look_up(key, lambda: "anew") for key in ("a", "b")] == ["anew", "bb"]


@pytest.mark.parametrize("entry", [(32, b"\x01\x02\x03\x04" * 3, 0, {}), (32, b"abc", 0, {}), (32,), "text"])
def test_damaged_entry_is_compiled(kept: KeptPatterns, entry: object) -> None:
    kept.look_up("0 a+", lambda: entry)
    assert compile_kept("a+").findall("aa b a") == ["aa", "a"]


def test_used_entries_are_kept_longest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KeptPatterns, "MOST", 3)
    path = str(tmp_path / "patterns.bin")
    for keys in ("abc", "a", "de"):
        store = KeptPatterns(path)
        for key in keys:
            store.look_up(key, lambda: "first")
        store.keep()
    store = KeptPatterns(path)
    assert [store.look_up(key, lambda: "anew") for key in "abcde"] == ["anew", "anew", "first", "first", "first"]
