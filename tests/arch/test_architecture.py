"""ARCHITECTURE.md names files that are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
ELSEWHERE = {"tests/", "MEMORY.md", "memory/MEMORY.md", "config.yaml"}
"""The folder of the tests, and files of a workspace."""


def test_every_file_that_the_architecture_names_is_there():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./-]+\.(?:py|tsv|sql|md|po|yaml)|[\w./-]+/)`", text)) - ELSEWHERE
    assert len(named) > 40
    files = [
        path.relative_to(ROOT).as_posix()
        for top in ("cli", "lib", "profiles", "tests", "man")
        for path in (ROOT / top).rglob("*")
    ]
    missing = [name for name in named if not any(f"/{path}".endswith(f"/{name.rstrip('/')}") for path in files)]
    assert [name for name in missing if "NAME" not in name] == []


def test_every_row_of_its_table_names_a_place():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    lines = text.partition("## Where to change what")[2].splitlines()
    rows = [line for line in lines if line.startswith("| ") and not line.startswith(("| to change ", "| --- "))]
    assert len(rows) > 30
    assert not [row for row in rows if "`" not in row.rpartition(" | ")[2] and "raised" not in row]
