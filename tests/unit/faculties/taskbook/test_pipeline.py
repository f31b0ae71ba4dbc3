"""What a task may run: what a shell would read so, without a shell, and nothing that needs a person."""

import shlex
import subprocess

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from ia.faculties.taskbook import pipeline
from ia.faculties.taskbook.pipeline import parse_pipelines
from ia.kernel.errors import BadData, IaError, Refused
from support.random_tests import examples


@pytest.mark.parametrize(
    ("text", "pipes"),
    [
        ("ia usage", [[["ia", "usage"]]]),
        (
            "ia ohlcv 600519 | ia compute 'rsi(close, 14)'",
            [[["ia", "ohlcv", "600519"], ["ia", "compute", "rsi(close, 14)"]]],
        ),
        ("ia ohlcv x|ia compute close&&ia usage", [[["ia", "ohlcv", "x"], ["ia", "compute", "close"]], [["ia", "usage"]]]),
        ("ia note append 周记 '| && ; $(x) `y` > *'", [[["ia", "note", "append", "周记", "| && ; $(x) `y` > *"]]]),
        ('ia note x "a \\"b\\" \\$5 \\n ; *"', [[["ia", "note", "x", 'a "b" $5 \\n ; *']]]),
        ("ia note x a\\ b''\"c\"", [[["ia", "note", "x", "a bc"]]]),
        ("ia note x ''", [[["ia", "note", "x", ""]]]),
        ("ia ohlcv x |\n  ia compute close &&\n ia usage\n", [[["ia", "ohlcv", "x"], ["ia", "compute", "close"]], [["ia", "usage"]]]),
        ("ia ohlcv x \\\n | ia compute close", [[["ia", "ohlcv", "x"], ["ia", "compute", "close"]]]),
        ("ia --now 2024-03-15 --lang=zh usage", [[["ia", "--now", "2024-03-15", "--lang=zh", "usage"]]]),
        ("ia note x '|' '&&'", [[["ia", "note", "x", "|", "&&"]]]),
        ("ia note x a#b", [[["ia", "note", "x", "a#b"]]]),
        ("ia turn '/weekly-review 复盘'", [[["ia", "turn", "/weekly-review 复盘"]]]),
        ("ia note x -- --yes", [[["ia", "note", "x", "--", "--yes"]]]),
    ],
)  # fmt: skip
def test_read_as_a_shell_reads_it(text, pipes):
    assert parse_pipelines(text) == pipes


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("ia usage; ls", "character 9"),
        ("ia usage & ls", "character 10"),
        ("ia usage || ls", "character 10"),
        ("ia usage |& ia usage", "character 10"),
        ("ia usage > x", "character 10"),
        ("ia usage < x", "character 10"),
        ("ia note x $(ls)", "character 11"),
        ("ia note x `ls`", "character 11"),
        ("ia note x $HOME", "character 11"),
        ('ia note x "$HOME"', "character 12"),
        ('ia note x "${HOME}"', "character 12"),
        ('ia note x "`ls`"', "character 12"),
        ("ia note x *.md", "character 11"),
        ("ia note x a?", "character 12"),
        ("ia note x [ab]", "character 11"),
        ("ia note x ~/y", "character 11"),
        ("ia note x # comment", "character 11"),
        ("(ia usage)", "character 1"),
        ("ia usage\nls", "the end of the line"),
        ("ia note 'x", "character 9"),
        ('ia note "x', "character 9"),
        ("ia note x\\", "character 10"),
        ("ls", "'ls'"),
        ("IA_HOME=/x ia usage", "'IA_HOME=/x'"),
        ("/usr/bin/ia usage", "'/usr/bin/ia'"),
        ("ia usage | cat", "'cat'"),
        ("ia frobnicate", "frobnicate"),
        ("ia usage |", "a command is missing"),
        ("ia usage && && ia usage", "a command is missing"),
        ("| ia usage", "a command is missing"),
        ("", "a command is missing"),
        ("ia", "a command is missing"),
        ("ia --now 2024", "a command is missing"),
        ("ia note x 'a\0b'", "character 13"),
        ("ia note x 'a\x1b[2J'", "character 13"),
    ],
)
def test_what_a_shell_would_do_more_is_refused_with_its_place(text, place):
    with pytest.raises(BadData, match=place):
        parse_pipelines(text)


@pytest.mark.parametrize(
    "text",
    [
        "ia approve 1 --yes", "ia reject 1", "ia listen telegram", "ia mcp", "ia init", "ia completion bash",
        "ia task approve x --yes", "ia task run x", "ia task due", "ia task", "ia config set model x", "ia config",
        "ia soul edit", "ia skill install x", "ia skill remove x", "ia skill enable x", "ia provider add x",
        "ia profile install x", "ia session delete x", "ia --home /tmp usage", "ia --home=/tmp usage", "ia --version",
        "ia usage && ia approve 1", "ia usage | ia --now 2024-01-01 approve 1", "ia soul --json edit",
        "ia task -h approve x", "ia memory prefer x --yes", "ia memory --help",
    ],
)  # fmt: skip
def test_what_needs_a_person_is_refused(text):
    with pytest.raises(Refused, match=r"a task cannot run `ia .*`; run it yourself at a terminal"):
        parse_pipelines(text)


def test_every_command_is_decided_on():
    """A new command is allowed to tasks because somebody thought of it, or not at all."""
    from ia_cli.main import COMMANDS

    known = {*pipeline.UNATTENDED, *pipeline.ATTENDED}
    assert set(COMMANDS) - known == set()
    assert not set(pipeline.UNATTENDED) & pipeline.ATTENDED


@given(st.lists(st.text(st.characters(exclude_categories=("C", "Z")), max_size=12), max_size=6))
def test_quoted_words_come_through_as_they_are(words):
    text = "ia note x -- " + " ".join(map(shlex.quote, words))
    assert parse_pipelines(text) == [[["ia", "note", "x", "--", *words]]]


@examples(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(alphabet="ia note|&;<>$()'\"\\ \n`*?#~{}!x1", max_size=40),
    st.sampled_from(["", " | ia log ", "&&ia log\n"]),
)
def test_whatever_is_accepted_means_the_same_to_a_shell(tmp_path, text, more):
    """A real shell gets the same words for the same commands."""
    text = f"ia note {text}{more}"
    try:
        pipes = parse_pipelines(text)
    except IaError:
        return
    script = f'exec 3>&1; ia() {{ printf "%s\\0" "$#" "$@" >&3; }}\n{text}\n'
    done = subprocess.run(["sh", "-c", script], capture_output=True, cwd=tmp_path, text=True, stdin=subprocess.DEVNULL)
    fields, heard = done.stdout.split("\0")[:-1], []
    while fields:
        count = int(fields[0])
        heard.append(["ia", *fields[1 : count + 1]])
        fields = fields[count + 1 :]
    assert (sorted(heard), done.stderr) == (sorted(words for pipe in pipes for words in pipe), "")
