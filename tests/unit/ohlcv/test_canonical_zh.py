"""Each sentence about the lines of a file is in the Chinese catalog, also those that pass through a variable."""

import ast
from pathlib import Path

import pytest

import ia.organs.ohlcv
from ia_cli.zh.canonical import CATALOG

FOLDER = Path(ia.organs.ohlcv.__file__).parent


@pytest.mark.parametrize("module", ["canonical", "tables", "dates", "normalize", "doubts"])
def test_all_templates_are_translated(module):
    tree = ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8"))
    templates = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("{source}")
    }
    assert templates
    assert templates <= CATALOG.keys()
