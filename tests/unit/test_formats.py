"""Front matter and YAML: one reader for every file, with one bound on nesting."""

import time

import pytest

from ia.faculties import profiles, skills
from ia.faculties.schedule.design import parsed
from ia.kernel import outside
from ia.kernel.errors import BadData
from ia.kernel.formats.frontmatter import find_block, split_text
from ia.kernel.formats.yaml import MAX_DEPTH, dump_editable, load_editable, load_yaml
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


SHAPES = {
    "lists": lambda depth: "[" * depth + "]" * depth,
    "mappings": lambda depth: "{a: " * depth + "}" * depth,
    "block lists": lambda depth: "- " * depth,
    "block mappings": lambda depth: "".join(f"{' ' * at}a:\n" for at in range(depth)),
}


@pytest.mark.parametrize("load", [load_yaml, load_editable])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_one_bound_on_nesting(load, shape):
    assert load(shape(MAX_DEPTH - 1), "x")
    with pytest.raises(BadData, match="larger or deeper"):
        load(shape(MAX_DEPTH + 1), "x")


@pytest.mark.parametrize("load", [load_yaml, load_editable])
@pytest.mark.parametrize("text", ["[" * 50_000, "[{" * 20_000, "? " * 30 + "x"], ids=["lists", "both", "keys"])
def test_a_hostile_document_is_refused_soon(load, text):
    started = time.process_time()
    with pytest.raises(BadData):
        load(text, "x")
    assert time.process_time() - started < 10


@pytest.mark.parametrize("text", ["a: &a [*a]", "a: &a {b: *a}", "&a [*a]"])
def test_a_document_that_refers_to_itself_is_refused(text):
    with pytest.raises(BadData):
        load_yaml(text, "x")


def test_a_wide_document_is_no_deep_one():
    wide = "".join(f"k{number}: [1]\n" for number in range(4_500))
    assert len(load_yaml(wide, "x")) == 4_500


def test_an_edited_document_keeps_its_comments():
    tree = load_editable("# mine\na: 1  # one\nb: 'x'\n", "x")
    tree["c"] = {"d": 2}
    assert dump_editable(tree) == "# mine\na: 1  # one\nb: x\nc:\n  d: 2\n"
    assert dump_editable({"a": {"b": 1}}) == "a:\n  b: 1\n"


@pytest.mark.parametrize(("before", "end"), [("", "---"), ("\n\n", "---"), ("", "..."), ("\ufeff", "---")])
def test_every_reader_finds_the_same_front_matter(ws, tmp_path, before, end):
    fields = "description: d\nallowed-tools: [trade.buy]\nuntrusted: web"
    text = f"{before}---\n{fields}\n{end}\nbody\n"
    skill = tmp_path / "mine/.claude/skills/quiz"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(text, encoding="utf-8")
    mine = profiles.find(str(tmp_path / "mine"))
    assert dict(profiles.powers(mine)) == {".claude/skills/quiz/SKILL.md": fields}, "what is shown beforehand"
    profiles.use(ws, mine)
    (found,) = skills.listed(ws)
    assert (found.problem, found.allowed) == (None, ("trade.buy",)), "is what the skill may do"
    assert skills.load(ws, "quiz").body == "body\n"
    assert outside.origin_of(text) == "web"
    assert outside.accepted(text) == text.replace("untrusted: web\n", "")
    assert headline(text) == "body"
    assert parsed(f"{before}---\nschedule: 0 9 * * 1\nprompt: x\n{end}\n", "a").prompt == "x"
