"""The source of the program as syntax trees: each file is parsed once in a process, whichever test reads it first."""

import ast
import functools
import gc
from pathlib import Path

from support.program import REPO


@functools.cache
def parse(file: Path) -> ast.Module:
    """Return the syntax tree of a file. Not to be changed: other tests read it, too."""
    collects = gc.isenabled()
    gc.disable()  # a tree is all new objects and no garbage: to look through it takes longer than to make it
    try:
        return ast.parse(file.read_text(encoding="utf-8"))
    finally:
        gc.freeze()
        if collects:
            gc.enable()


@functools.cache
def nodes(file: Path) -> list[ast.AST]:
    """Return every node of the syntax tree of a file, as `ast.walk` does."""
    return list(ast.walk(parse(file)))


@functools.cache
def files(*folders: str) -> list[tuple[str, Path]]:
    """Return path in the repository and file of every source file below these folders, in order."""
    found = [file for folder in folders for file in sorted((REPO / folder).rglob("*.py"))]
    return [(file.relative_to(REPO).as_posix(), file) for file in found]


def forget() -> None:
    """Let go of the trees, of some hundred megabytes."""
    parse.cache_clear()
    nodes.cache_clear()
