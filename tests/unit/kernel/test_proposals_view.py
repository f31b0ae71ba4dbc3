"""What a person approves is what is written: the view of a change shows every byte, seen or not."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ia.faculties import profiles
from ia.faculties.providers import installing as providers
from ia.faculties.skills import installing as skills
from ia.kernel import proposals, untrusted
from ia.kernel.errors import BadData

UNSEEN = "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\u200b\u00ad\u034f\u3164\u2800\uffa0\u115f\ufe0f\U000e0100\U000e0041\u202e\u00a0\u3000\t\ufeff\x1b\x00"  # fmt: skip
TEXTS = st.text(st.sampled_from(f"ab \n⟦⟧\\{UNSEEN}") | st.characters(exclude_categories=("Cs",)), max_size=12)


def eye(view):
    """Return what a terminal lets a person tell apart: blanks at the end of a line are not seen."""
    assert not [c for c in view if c != "\n" and untrusted.is_unseen(c)]
    return [line.rstrip(" ") for line in view.split("\n")]


@given(TEXTS, TEXTS)
def test_two_texts_that_differ_never_look_alike(before, after):
    view = proposals.render_diff(before, after, "soul.md")
    assert (view == "") == (before == after)
    assert len(eye(view)) != 1 or before == after
    assert before == after or set(eye(view)) > {"--- a/soul.md", "+++ b/soul.md"}


@given(TEXTS, TEXTS, TEXTS)
def test_two_changes_of_one_text_never_look_alike(before, one, other):
    views = [eye(proposals.render_diff(before, after, "soul.md")) for after in (one, other)]
    assert (views[0] == views[1]) == (one == other)


@given(TEXTS, TEXTS)
def test_the_view_of_a_folder_shows_each_file(one, other):
    before, after = json.dumps({"a": one, "b": one}), json.dumps({"a": one, "b": other, "c": ""})
    view = proposals.render_diff(before, after, "x", "skill")
    assert "b/x/c\n" in view and ("b/x/b\n" in view) == (one != other) and "x/a" not in view


@pytest.mark.parametrize("end", ["\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\r\n"])
def test_a_line_that_is_commented_out_by_its_end_is_shown(end):
    view = proposals.render_diff("# ask\nexit(77)\n", f"# ask{end}exit(77)\n", "run.py")
    names = {"\x0b": "VT", "\x0c": "FF", "\x1c": "FS", "\x1d": "GS", "\x1e": "RS", "\x85": "NEL", "\u2028": "LS", "\u2029": "PS"}  # fmt: skip
    assert f"+# ask⟦{names.get(end, 'CR')}⟧" in view
    assert proposals.invisible_changes("# ask\nexit(77)\n", f"# ask{end}exit(77)\n", "run.py") == ["run.py"]


def test_a_missing_last_line_end_is_shown():
    assert proposals.render_diff("a\n", "a", "x").endswith("-a\n+a\n\\ No newline at end of file\n")


def test_a_merge_changes_no_line_end():
    assert proposals.merge_changes("a\nb\nc\nd\n", "a\nb\nc\nD\x0c", "A\r\nb\nc\nd\n") == "A\r\nb\nc\nD\x0c"


HIDDEN = ["\u200b", "\u00ad", "\u034f", "\u3164", "\u2800", "\uffa0", "\u1160", "\ufe01", "\U000e0100", "\U000e0041", "\u202e", "\u180b", "\u17b4", "\u2060", "a\ufe0f", "1\ufe0f", ",\ufe0f", "⚠\ufe0f\ufe0f"]  # fmt: skip


@pytest.mark.parametrize("hidden", HIDDEN, ids=ascii)
def test_an_installed_file_may_hide_nothing(ws, tmp_path, hidden):
    skill, provider, profile = tmp_path / "mine", tmp_path / "calc", tmp_path / "prof"
    for folder in (skill, provider, profile):
        folder.mkdir()
    (skill / "SKILL.md").write_text(f"---\nname: mine\ndescription: x\n---\nbo{hidden}dy\n", "utf-8")
    (provider / "PROVIDER.md").write_text(
        '---\nname: calc\ndescription: d\ncommand: ["cat"]\ntools:\n  - name: get\n    description: get\n---\n'
    )
    (provider / "run.py").write_text(f"print()\n# {hidden}\n", "utf-8")
    (profile / "soul.md").write_text(f"# me\n{hidden}\n", "utf-8")
    with pytest.raises(BadData, match=r"SKILL.md:5: invisible character U\+"):
        skills.propose(ws, str(skill))
    with pytest.raises(BadData, match=r"run.py:2: invisible character U\+"):
        providers.propose_provider(ws, str(provider))
    with pytest.raises(BadData, match=r"soul.md:2: invisible character U\+"):
        profiles.profile_files(profiles.find_profile(str(profile)))
    assert proposals.pending_proposals(ws) == []


@pytest.mark.parametrize("plain", ["⚠️ note", "❤️‍🔥", "1️⃣", "👨‍👩‍👧", "a\r\nb", "\u3000中文", "a\fb", "→"])
def test_pictures_and_line_ends_may_be_installed(plain):
    assert untrusted.find_hidden(plain) is None


def test_a_name_of_a_file_may_hide_nothing(ws, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/SKILL.md").write_text("---\nname: mine\ndescription: x\n---\n")
    (tmp_path / "mine/a\u200bb.md").write_text("x\n")
    with pytest.raises(BadData):
        skills.propose(ws, str(tmp_path / "mine"))


def test_what_is_printed_shows_what_hides():
    ignorable = [chr(c) for c in (0x34F, 0x115F, 0x3164, 0x2800, 0xFFA0, 0xFE00, 0xE0100, 0xE0041, 0x200B, 0x202E)]
    for char in ignorable:
        assert untrusted.escape_unseen(f"a{char}b") == f"a{ascii(char)[1:-1]}b", unicodedata.name(char)
    assert untrusted.escape_unseen("⚠️ 中文\n\t") == "⚠️ 中文\n\t"
