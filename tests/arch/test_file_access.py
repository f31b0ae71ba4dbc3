"""Locks and renames are in ia.kernel.files alone: who syncs, who waits and what a killed process leaves is decided there."""

import ast
from pathlib import Path

from support.source_code import nodes

ROOT = Path(__file__).parent.parent.parent
ALONE = {"ia/kernel/files.py"}
CALLS = {"os": {"rename", "renames", "replace"}, "shutil": {"move"}, "fcntl": {"flock", "lockf"}}


def calls(root):
    """Yield file:line of everything that renames or locks a file elsewhere, imported by name or not."""
    for file in sorted(root.rglob("*.py")):
        if file.relative_to(root).as_posix() in ALONE:
            continue
        for node in nodes(file):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                found = node.attr in CALLS.get(node.value.id, ())
            elif isinstance(node, ast.ImportFrom):
                found = any(alias.name in CALLS.get(node.module or "", ()) for alias in node.names)
            elif isinstance(node, ast.Import):
                found = any(alias.name == "fcntl" or (alias.asname and alias.name in CALLS) for alias in node.names)
            else:
                continue
            if found:
                yield f"{file.relative_to(root)}:{node.lineno}"


def test_files_are_locked_and_renamed_in_one_place():
    assert not [*calls(ROOT / "lib"), *calls(ROOT / "cli")]


def test_the_check_sees_a_violation(tmp_path):
    lines = ["import fcntl", "import os as system", "from os import replace", "import os", "os.rename('a', 'b')"]
    (tmp_path / "x.py").write_text("\n".join(lines))
    (tmp_path / "ia" / "kernel").mkdir(parents=True)
    (tmp_path / "ia" / "kernel" / "files.py").write_text("import os\nos.replace('a', 'b')\n")
    assert list(calls(tmp_path)) == ["x.py:1", "x.py:2", "x.py:3", "x.py:5"]
