"""No part of the library but an adapter itself knows an adapter by its name: flags of the protocol tell what it is."""

import ast
from pathlib import Path

from ia.organs.ohlcv.adapters import BUILT_IN
from support.source_code import nodes

LIB = Path(__file__).parent.parent.parent / "lib"
PACKAGE = "ia.organs.ohlcv.adapters"
ADAPTERS = ("ia/organs/ohlcv/adapters/", "ia/organs/market/sources/")
OPEN = {"__init__", "conformance", "hosts"}
"""Modules among the adapters that others may import: the suite, and the hosts that `ia verify` compares."""


def named(root):
    """Yield each comparison with the name of an adapter, and each import of one, outside the adapters."""
    inside = {path.stem for path in (LIB / ADAPTERS[0]).glob("*.py")} - OPEN
    for file in sorted(root.rglob("*.py")):
        where = file.relative_to(root).as_posix()
        if where.startswith(ADAPTERS):
            continue
        for node in nodes(file):
            if isinstance(node, ast.Compare):
                words = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}
                if not words.isdisjoint(BUILT_IN):
                    yield f"{where}:{node.lineno}: compares with {sorted(words & set(BUILT_IN))}"
            if isinstance(node, ast.ImportFrom) and node.module:
                modules = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
                for module in {f"{PACKAGE}.{stem}" for stem in inside}.intersection(modules):
                    yield f"{where}:{node.lineno}: imports {module}"


def test_no_adapter_is_known_by_its_name():
    assert list(named(LIB)) == []


def test_the_check_sees_a_name(tmp_path):
    (tmp_path / "x.py").write_text(
        "from ia.organs.ohlcv.adapters import sina, load\nfrom ia.organs.ohlcv.adapters.csv import read\n"
        "from ia.organs.ohlcv.adapters.hosts import HOSTS\n"
        "def f(name):\n    return name in ('akshare', 'mine') or name != 'csv' or name == 'mine'\n"
    )
    assert [line.split(": ")[0] for line in named(tmp_path)] == ["x.py:1", "x.py:2", "x.py:5", "x.py:5"]
