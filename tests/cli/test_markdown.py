"""Markdown on a terminal is rendered and wrapped by display width; in a pipe it is the text itself."""

import json
import re

import pytest

from ia.kernel.text_width import break_offsets, display_width, wrap_lines
from ia_cli.terminal.markdown import MarkdownStream, find_block_end
from support.terminal import on_terminal

NOW = "2024-03-15T16:00+08:00"
ANSI = re.compile(r"\x1b\[[0-9;]*m")
WORD = re.compile(r"[A-Za-z0-9.%+-]+")
NOTE = """---
date: 2024-03-15
---
# 一季报预期

**净利润** +3%，见 `scratch/ideas`。

- 产能利用率下降，毛利率承压；批价企稳之前不加仓，跌破二百日线再说
- the interest margin narrows, and nobody talks about it in any of the calls

| 日期 | close | 说明 |
| --- | ---: | --- |
| 2024-03-15 | 749.61 | 放量跌破二十日线，等它重新站上 |

> as the report says

<!-- hidden? -->
"""


@pytest.fixture(autouse=True)
def _plain_market(monkeypatch):
    monkeypatch.setenv("IA_NOW", NOW)
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)


def lines_of(shown):
    """The lines of a terminal without styles, and without the answer that on_terminal typed."""
    lines = [ANSI.sub("", line) for line in shown.replace("\r\n", "\n").split("\n")]
    return lines[lines[0] == "n" :]


def test_a_piped_answer_is_markdown(ia):
    shown = ia("turn", "How is CATL doing lately?").stdout
    assert shown.startswith("**CATL") and "\n- For: " in shown and "\x1b" not in shown


def words_of(text):
    return {word.strip(".+-") for word in WORD.findall(text)} - {""}


@pytest.mark.parametrize("columns", [80, 40])
@pytest.mark.parametrize(
    ("language", "question"), [("zh", "帮我看看宁德时代最近怎么样"), ("en", "How is CATL doing lately?")]
)
def test_an_answer_is_rendered_and_no_word_is_broken(ia, monkeypatch, language, question, columns):
    monkeypatch.setenv("IA_LANG", language)
    shown = on_terminal("turn", "-s", "a", question, columns=columns)
    reply = json.loads(ia("session", "show", "a", "--json").stdout)[-1]["content"]
    assert "**" in reply
    assert "\x1b[1m" in shown
    lines = lines_of(shown)
    rendered = [line for line in lines if not line.startswith("ia: ")]
    assert max(map(display_width, rendered)) <= columns
    text = "\n".join(rendered)
    for mark in ("**", "###", "| ---", "|---"):
        assert mark not in text
    assert {word for word in words_of(reply) if len(word) < 20} <= words_of(text)


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.share(2)
def test_ordinary_answers_take_twelve_rows_of_a_terminal(ia, begin, monkeypatch, language):
    monkeypatch.setenv("IA_LANG", language)
    begin(
        {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-12T16:00+08:00", "IA_LANG": language},
        ("init",),
        ("sync",),
        ("trade", "deposit", "500000"),
        ("trade", "buy", "600519", "100", "700", "--because", "long-term", "--override"),
        *(("memory", "track", code) for code in ("300750", "600519", "600036")),
        ("turn", "帮我看看茅台" if language == "zh" else "How is Moutai doing?"),
    )
    ia("sync")
    zh = ("帮我看看茅台", "宁德时代怎么样", "比较宁德时代和比亚迪", "扫描关注列表", "我有哪些持仓")
    en = ("How is Moutai doing?", "How is CATL doing?", "Compare CATL and BYD", "scan my watch list", "what do I hold")
    for question in zh if language == "zh" else en:
        rows = [line for line in lines_of(on_terminal("turn", question)) if not line.startswith("ia: ")]
        told = "\n".join(rows).strip("\n")
        assert told.count("\n") < 12, told


def test_a_list_without_a_blank_line_before_it_is_printed_so(capsys, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    stream = MarkdownStream()
    stream.write("a\n- b\n- c\n\nd\n\n- e\n")
    stream.close()
    assert capsys.readouterr().out == "a\n • b\n • c\n\nd\n\n • e\n"


@pytest.mark.parametrize("columns", [80, 40])
@pytest.mark.parametrize("variable", [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_without_colors_a_note_is_still_rendered_and_wrapped(ia, monkeypatch, variable, columns):
    ia("note", "research/a", input=NOTE)
    monkeypatch.setenv(*variable)
    shown = on_terminal("note", "read", "research/a", columns=columns)
    assert "\x1b" not in shown
    lines = lines_of(shown)
    assert max(map(display_width, lines)) <= columns
    text = "\n".join(lines)
    for whole in (
        "净利润 +3%",
        "scratch/ideas",
        "interest",
        "2024-03-15  749.61",
        "│ as the report says",
        "date: 2024",
    ):
        assert whole in text
    assert "<!-- hidden? -->" in text
    for mark in ("**", "# 一季报", "| ---", "`"):
        assert mark not in text
    assert ia("note", "read", "research/a").stdout == NOTE


def test_a_table_without_room_becomes_a_list_of_its_rows(ia):
    head = "| symbol | conclusion | confidence | evidence | horizon |\n|---|---|---|---|---|\n"
    ia("note", "a", input=head + "| 300750.SZ | leans down | low | momentum | months |\n")
    assert "300750.SZ  leans down  low" in "\n".join(lines_of(on_terminal("note", "read", "a", columns=80)))
    lines = lines_of(on_terminal("note", "read", "a", columns=30))
    assert lines[:3] == ["300750.SZ", "  conclusion: leans down", "  confidence: low"]


def test_memory_and_soul_are_rendered_too(ia):
    ia("init")
    for command in (("memory", "read"), ("soul", "show")):
        assert ia(*command).stdout.startswith("#")
        assert not lines_of(on_terminal(*command))[0].startswith("#")


def test_blocks_are_printed_as_they_are_completed(capsys, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    stream = MarkdownStream()
    for piece in ("first ", "**block**\n", "\n"):
        stream.write(piece)
    assert capsys.readouterr().out == ""
    stream.write("- a\n\n  b")
    assert capsys.readouterr().out == "first block\n"
    stream.write("\n```\ncode\n\nmore\n```\n\nend")
    shown = capsys.readouterr().out
    assert "code" in shown and "end" not in shown
    stream.close()
    assert capsys.readouterr().out == "\nend\n"


@pytest.mark.parametrize("width", [11, 20, 40])
def test_a_line_never_exceeds_the_width(width):
    text = "长期趋势仍向上（高于 200 日线 12%），但“短期”动能 don’t 转弱；notebook/research/宁德时代/2024-03-15-a-long-name.md 。"
    lines = wrap_lines(text, width)
    assert max(map(display_width, lines)) <= width
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert not any(line[0] in "，。；）”" for line in lines if line)
    assert any("don’t" in line for line in lines)


def test_where_lines_and_blocks_end():
    assert break_offsets("", 10) == []
    assert find_block_end("a\n\n") == 0
    assert find_block_end("~~~\n\na\n\n~~~\n\nb") == len("~~~\n\na\n\n~~~\n\n")
