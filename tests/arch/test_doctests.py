"""The examples in docstrings give what they say."""

import doctest
import importlib
import re
from pathlib import Path

import numpy  # noqa: F401  (the examples of kernels are on its arrays, whatever a test before chose)
import pytest

import ia
import ia_cli


def modules_with_examples():
    """Return the names of the installed modules whose source holds an example."""
    return sorted(
        ".".join([package.__name__, *file.relative_to(root).with_suffix("").parts]).removesuffix(".__init__")
        for package in (ia, ia_cli)
        for root in [Path(package.__file__).parent]
        for file in root.rglob("*.py")
        if re.search(r"^ *>>> ", file.read_text(encoding="utf-8"), re.MULTILINE)
    )


@pytest.mark.parametrize("name", modules_with_examples())
def test_the_examples_of_a_module_hold(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0
