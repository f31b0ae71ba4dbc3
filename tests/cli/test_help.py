"""Help and man pages: same source, up to date, examples that run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from ia_cli.main import COMMANDS, cli
from ia_cli.man_pages import EXTRA_PAGES, build_pages
from ia_cli.terminal.group import CommandGroup
from support.program import REPO, installed, program


def commands(command=cli, path=()):
    """Yield (words, command) of every command and verb."""
    if path:
        yield path, command
    if isinstance(command, CommandGroup):
        for name in COMMANDS if command is cli else command.commands:
            yield from commands(command.get_command(click.Context(command), name), (*path, name))


ALL = dict(commands())


@pytest.mark.parametrize("name", sorted(build_pages()))
def test_man_pages_are_up_to_date(name):
    assert (REPO / "man" / "man1" / name).read_text(encoding="utf-8") == build_pages()[name], "run `make man`"


def test_no_man_page_is_left_over_and_all_are_installed():
    present = {path.name for path in (REPO / "man").glob("man?/*")}
    assert present == {*build_pages(), *EXTRA_PAGES}
    assert all(path.parent.name == f"man{path.name[-1]}" for path in (REPO / "man").glob("man?/*"))
    if Path(installed()[0]).name == "ia":
        share = Path(sys.prefix) / "share" / "man"
        assert {path.name for path in share.glob("man*/ia*")} == present


@pytest.mark.parametrize("name", ["ia.1", "ia-compute.1", "ia-ohlcv.5"])
def test_man_renders_without_a_complaint(name):
    if shutil.which("man") is None:
        pytest.skip("man is not installed")
    run = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", str(REPO / "man" / f"man{name[-1]}" / name)], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "MANWIDTH": "100", "LANG": "C.UTF-8"})  # fmt: skip
    assert run.returncode == 0
    assert not run.stderr.strip()
    assert "NAME" in run.stdout


def test_every_command_has_help_with_an_example():
    missing = [(words, "example") for words, command in ALL.items() if not command.example]
    missing += [(words, "help") for words, command in ALL.items() if not command.help]
    missing += [
        (words, param.name)
        for words, command in ALL.items()
        for param in command.params
        if not isinstance(param, click.Argument) and not param.help
    ]
    assert len(ALL) > 100 and missing == []


NEEDS_A_TERMINAL = {("soul", "edit"), ("chat",)}


@pytest.mark.parametrize("words", [w for w in ALL if w not in NEEDS_A_TERMINAL], ids=" ".join)
@pytest.mark.share(10)
def test_the_example_of_each_help_runs_as_written(words, tmp_path):
    """In an empty folder and workspace, on the simulated market."""
    env = {**os.environ, "PATH": f"{Path(program()[0]).parent}:{os.environ['PATH']}", "IA_MARKET_ADAPTER": "demo"}
    if "lhb" in words:
        env["IA_NOW"] = "2024-03-15T16:00+08:00"  # on some days the simulated market lists no stocks
    run = subprocess.run(
        ["bash", "-c", f"set -o pipefail\n{ALL[words].example}"],
        env=env, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "Traceback" not in run.stderr


def test_completion_works_in_bash(tmp_path, ia):
    script = ia("completion", "bash").stdout
    run = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True)
    assert run.returncode == 0
    found = ia(env={"_IA_COMPLETE": "bash_complete", "COMP_WORDS": "ia oh", "COMP_CWORD": "1"}).stdout
    assert found == "plain,ohlcv\n"
    for shell in ("zsh", "fish"):
        assert "_IA_COMPLETE" in ia("completion", shell).stdout


def test_chinese_help_breaks_lines_by_columns_and_no_latin_word(ia):
    from ia.kernel.text_width import display_width

    for name in ("pending", "turn", "memory"):
        told = ia(name, "--help", env={"IA_LANG": "zh", "COLUMNS": "60"}).stdout
        lines = told.partition("\n示例：")[0].splitlines()
        assert max(map(display_width, lines[2:])) <= 62  # a closing mark may stand beyond the edge
        assert "\n\n\n" not in told
        assert not [line for line in lines if line.strip()[:1] in set("，。；：、）")]
    whole = "".join(line.strip() for line in lines)
    assert "MEMORY.md" in whole and "reflections/" in whole


def test_a_chinese_help_tells_defaults_in_chinese(ia):
    told = ia("market", "mainline", "--help", env={"IA_LANG": "zh"}).stdout
    assert "[默认：50" in told and "default" not in told
    assert "[default: 50" in ia("market", "mainline", "--help").stdout


NO_COMMAND = {"`ia help COMMAND`", "`ia version`", "`ia rsi 600519`", "`ia note show x`"}
"""What docstrings quote as something a person may type, and no command."""


def quoted_commands():
    """Yield (file, quoted) for each command line in backticks in code, translations, profiles and documents."""
    for where in ("lib/ia/**/*.py", "lib/ia/**/*.po", "cli/**/*.py", "profiles/**/*.md", "README*.md"):
        for file in REPO.glob(where):
            text = re.sub(r'"\s*\n\s*"', "", file.read_text(encoding="utf-8"))
            for found in re.finditer(r"`ia [^`\n]+`", text):
                yield str(file.relative_to(REPO)), found[0]


def unknown_part(words):
    """Return the command, verb or option of a command line that does not exist; "" where all do."""
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in ("--home", "--now", "--lang") else 1 :]
    if not words or not re.fullmatch(r"[a-z][a-z-]*", words[0]):
        return ""
    path, command = words[:1], ALL.get((words[0],))
    if command is None:
        return words[0]
    while (
        isinstance(command, CommandGroup) and len(words) > len(path) and re.fullmatch(r"[a-z][a-z-]*", words[len(path)])
    ):
        path = words[: len(path) + 1]
        command = ALL.get(tuple(path))
        if command is None:
            return path[-1]
    known = {"--help", *(name for param in command.params for name in (*param.opts, *param.secondary_opts))}
    given = (word.partition("=")[0] for word in words[len(path) :] if word.startswith("--") and word[2:])
    return "" if isinstance(command, CommandGroup) else next((word for word in given if word not in known), "")


def test_every_command_that_a_text_names_exists():
    found = [(file, quoted) for file, quoted in quoted_commands() if quoted not in NO_COMMAND]
    lines = [(file, quoted, part) for file, quoted in found for part in re.split(r" (?:\||&&) ", quoted[1:-1])]
    wrong = [
        (file, quoted, unknown)
        for file, quoted, part in lines
        if (unknown := unknown_part(re.sub(r"'[^']*'", "_", part).removeprefix("ia ").split()))
    ]
    assert len(found) > 500 and wrong == []
