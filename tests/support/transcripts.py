"""Transcripts: ```console blocks of a Markdown file that are one session of a shell, run and compared line by line."""

import os
import re
import shlex
import subprocess
from pathlib import Path

from support.program import program

END = "<<end of command>>"


def steps_of(file: Path) -> list[tuple[str, list[str]]]:
    """Return [(command, expected output)] of all console blocks."""
    steps: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", file.read_text(encoding="utf-8"), re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
    return steps


def matches(expected: list[str], got: str) -> bool:
    """Compare line by line. `…` in a line stands for anything, a line of its own for any number of lines."""
    pattern = "".join("(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + "\n" for line in expected)
    return re.fullmatch(pattern, got) is not None


def replay(
    file: Path,
    folder: Path,
    env: dict[str, str],
    *,
    ia: list[str] | None = None,
    stderr: bool = True,
    timeout: float = 180,
) -> None:
    """Run a transcript in a folder with `ia` on the path, and hold every command to what the file says it prints.

    ia       what starts it; default the program that starts quickly.
    stderr   whether what goes to stderr stands in the transcript too.
    """
    steps = steps_of(file)
    bin_dir = folder / "bin"
    bin_dir.mkdir(exist_ok=True)
    (bin_dir / "ia").write_text(f'#!/bin/sh\nexec {shlex.join(ia or program())} "$@"\n')
    (bin_dir / "ia").chmod(0o755)
    script = "\n".join(f"{command}\necho '{END}'$?" for command, _ in steps)
    run = subprocess.run(
        ["bash", "-c", f"{'exec 2>&1' if stderr else ':'}\n{script}"],
        env={**env, "PATH": f"{bin_dir}:{os.environ['PATH']}"}, stdin=subprocess.DEVNULL, cwd=folder,
        capture_output=True, text=True, timeout=timeout,
    )  # fmt: skip
    outputs = re.split(rf"{END}(\d+)\n", run.stdout)
    for (command, expected), got in zip(steps, outputs[::2], strict=False):
        assert matches(expected, got), f"$ {command}\n{got}\n{run.stderr}"
    assert len(outputs) // 2 == len(steps)
