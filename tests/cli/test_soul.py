"""ia soul: shown, proposed, edited by its owner only."""

import os
import pty
import subprocess

from support.program import program


def test_shown_proposed_approved(ia, home):
    assert ia("soul", "show").returncode == 66
    assert ia("soul", "propose", "# 我是谁\n\n助手", "--because", "开始").stdout == "1\n"
    assert ia("soul", "show").returncode == 66
    assert ia("approve", "1", "--yes").stdout == "soul.md\n"
    assert ia("soul", "show").stdout == "# 我是谁\n\n助手\n"
    assert ia("soul", "history").stdout.splitlines()[1].split("\t")[3:] == ["made", "开始"]
    assert ia("log", "--kind", "soul").stdout.count("soul.change") == 1
    assert ia("soul", "propose", input="# 我是谁\n\n助手\n").returncode == 65


def test_history_of_nothing(ia):
    assert ia("soul", "history").returncode == 1


def test_editing_is_for_a_terminal(ia, home, tmp_path, monkeypatch):
    assert ia("soul", "edit").returncode == 77
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\necho '# edited' > \"$1\"\n")
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    master, slave = pty.openpty()
    try:
        run = subprocess.run([*program(), "soul", "edit"], stdin=slave, capture_output=True, text=True, timeout=90)
    finally:
        os.close(master)
        os.close(slave)
    assert (run.returncode, run.stdout) == (0, "soul.md\n"), run.stderr
    assert (home / "soul.md").read_text() == "# edited\n"
