"""Front matter: one reader for every file."""

import pytest

from ia.faculties import profiles, skills
from ia.faculties.schedule.design import parse_design
from ia.kernel import untrusted
from ia.kernel.errors import BadData
from ia.kernel.formats.frontmatter import find_block, split_text
from ia.kernel.formats.yaml import load_yaml
from ia.kernel.workspace import headline


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("---\na: 1\n---\nbody", "a: 1\n"),
        ("\ufeff---  \r\na: 1\r\n---\t\r\nbody", "a: 1\r\n"),
        ("\n\n---\na: 1\n...\nbody\n---\n", "a: 1\n"),
        ("---\n---\nbody", ""),
        ("---\ntext: |\n  ---\n  x\n---", "text: |\n  ---\n  x\n"),
        ("---\na: 1\n--- b\nno end", "a: 1\n--- b\nno end"),
        ("----\na: 1\n---\n", None),
        ("text\n---\na: 1\n---\n", None),
        ("--- a: 1\n---\n", None),
        ("---", None),
    ],
)
def test_find_block(text, lines):
    block = find_block(text)
    assert (block and text[block.start : block.end]) == lines
    if block and block.body is not None:
        assert text[block.end :].startswith(("---", "..."))
        assert not text[block.body :].startswith(("---", "..."))
    elif block:
        assert block.end == len(text)


def test_split_text_keeps_the_numbers_of_the_lines():
    assert split_text("\r\n---\r\na: 1\r\n---\r\n\r\nbody\r\n", "x") == ("\n\na: 1", "body\n")
    assert split_text("\ufeffno front matter", "x") == (None, "no front matter")
    with pytest.raises(BadData, match="x: the front matter"):
        split_text("---\na: 1\n", "x")
    head, _ = split_text("\n\n---\na: 1\nb: [\n---\n", "x")
    with pytest.raises(BadData, match=r"^x:[56]:"):
        load_yaml(head, "x")


@pytest.mark.parametrize(("before", "end"), [("", "---"), ("\n\n", "---"), ("", "..."), ("\ufeff", "---")])
def test_every_reader_finds_the_same_front_matter(ws, tmp_path, before, end):
    fields = "description: d\nallowed-tools: [trade.buy]\nuntrusted: web"
    text = f"{before}---\n{fields}\n{end}\nbody\n"
    skill = tmp_path / "mine/.claude/skills/quiz"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(text, encoding="utf-8")
    mine = profiles.find_profile(str(tmp_path / "mine"))
    assert dict(profiles.list_powers(mine)) == {".claude/skills/quiz/SKILL.md": fields}, "what is shown beforehand"
    profiles.use_profile(ws, mine)
    (found,) = skills.list_skills(ws)
    assert (found.problem, found.allowed) == (None, ("trade.buy",)), "is what the skill may do"
    assert skills.load(ws, "quiz").body == "body\n"
    assert untrusted.origin_of(text) == "web"
    assert untrusted.remove_mark(text) == text.replace("untrusted: web\n", "")
    assert headline(text) == "body"
    assert parse_design(f"{before}---\nschedule: 0 9 * * 1\nprompt: x\n{end}\n", "a").prompt == "x"
