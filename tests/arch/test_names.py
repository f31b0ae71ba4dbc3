"""Functions are named by verb and object, or by the noun that they compute: never by a bare participle or adjective.

A property may be an adjective (`ready`), as a field may. Left alone are the functions of commands, whose name people
type, and names that a library prescribes.
"""

import ast

import pytest

from support.source_code import files, nodes

_PARTICIPLES = """
begun bought brought built chosen come done drawn fed felt found given gone heard held hidden kept known laid
left lost made meant met paid said seen sent shown sold spent spoken spread stood taken taught thought told
torn understood woken worn written
"""
PARTICIPLES = set(_PARTICIPLES.split())
"""Those that do not end in -ed and are no verbs at the same time (`read`, `set`, `cut`)."""
_ADJECTIVES = """
able alike all alone apart bare best big both certain common due empty equal even exact far few foreign fresh
full good idle illegal invalid last late latest lone long low missing near necessary new newest odd old only
other outer outside own past pending plain present private ready real recent right same short silent similar
single small still such sure true unknown usual valid whole wide worst
"""
ADJECTIVES = set(_ADJECTIVES.split())
VERBS = {"embed", "exceed", "feed", "need", "proceed", "seed", "speed"}
PRESCRIBED = {
    "lib/ia/organs/compute/list_arrays.py": "names of numpy",
    "lib/ia/reach/bridges/chat_commands.py": "methods named after the words that people type: `/pending`",
    "lib/ia/organs/compute/functions.py": "names of the expression language",
}


def find_bare_names(path: str, nodes):
    """Yield (line, name) of each function that is named by a bare participle or adjective."""
    for node in nodes:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("__"):
            continue
        decorators = " ".join(map(ast.unparse, node.decorator_list))
        if any(word in decorators for word in ("property", ".setter", "command", ".group")) or path in PRESCRIBED:
            continue
        name = node.name.strip("_")
        bare = (name.endswith("ed") and name not in VERBS) or name in PARTICIPLES or name in ADJECTIVES
        if bare and "_" not in name:
            yield node.lineno, node.name


def test_no_function_is_named_by_a_bare_participle_or_adjective():
    found = [
        f"{path}:{line}: {name}"
        for path, file in files("lib/ia", "cli/ia_cli")
        for line, name in find_bare_names(path, nodes(file))
    ]
    assert not found, "\n".join(found)


def made(text):
    return ast.walk(ast.parse(text))


@pytest.mark.parametrize("name", ["told", "_listed", "missing", "_whole"])
def test_a_bare_name_is_found(name):
    assert list(find_bare_names("x.py", made(f"class A:\n    def {name}(self): ...")))


@pytest.mark.parametrize("name", ["parse_date", "load", "is_known", "feed", "read_told"])
def test_other_names_are_left_alone(name):
    assert not list(find_bare_names("x.py", made(f"def {name}(): ...")))
    assert not list(find_bare_names("x.py", made(f"@property\ndef told(): ...\ndef {name}(): ...")))
