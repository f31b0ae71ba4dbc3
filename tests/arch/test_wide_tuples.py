"""A wide tuple is built by the names of its fields: two fields that were swapped would type-check.

Rows of tables stay tuples: they come by the thousand, and a frozen dataclass costs four times as much to build and a
millisecond more at the start of each command. Everything else that is wide is a frozen keyword-only dataclass, of which
mypy asks the names.
"""

import ast

from support.source_code import files, nodes, parse

WIDE, MAX_BY_POSITION = 8, 4
"""From so many fields on all of them are named; of tuples with 5 to 7 fields at most so many go without their names."""
IN_A_FIXED_ORDER = {"Bars", "Symbol", "Stamp", "AxisScale"}
"""Date, open, high, low, close, volume; code, exchange, market, kind: an order that everybody knows by heart."""
REWRITTEN = "lib/ia/agent/analyst/"


def sources():
    for name, file in files("lib", "cli"):
        if not name.startswith(REWRITTEN):
            yield name, name.split("/", 1)[1].removesuffix(".py").replace("/", ".").removesuffix(".__init__"), file


def wide_tuples(trees):
    """Return the number of fields of each NamedTuple with at least five, by its full name."""
    found = {}
    for module, file in trees.values():
        for node in parse(file).body:
            if isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "NamedTuple" for base in node.bases):
                fields = sum(isinstance(each, ast.AnnAssign) for each in node.body)
                if fields > MAX_BY_POSITION and node.name not in IN_A_FIXED_ORDER:
                    found[f"{module}.{node.name}"] = fields
    return found


def calls_in_functions(file):
    """Return the calls inside of functions; what stands in a module is a table, read column by column."""
    found = {}
    for node in nodes(file):  # from outside to inside
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and node not in found:
            found |= dict.fromkeys(ast.walk(node))
    return [each for each in found if isinstance(each, ast.Call)]


def called_name(call, full):
    """Return the full name of what is called, "" where it is no name."""
    parts, node = [], call.func
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    return ".".join([full.get(node.id, node.id), *parts]) if isinstance(node, ast.Name) else ""


def test_wide_tuples_are_built_by_the_names_of_their_fields():
    trees = {name: (module, file) for name, module, file in sources()}
    wide, wrong = wide_tuples(trees), set()
    assert wide
    for name, (module, file) in trees.items():
        full = {each.rsplit(".", 1)[1]: each for each in wide if each.rsplit(".", 1)[0] == module}
        for node in nodes(file):
            if isinstance(node, ast.ImportFrom) and node.module:
                full |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        for call in calls_in_functions(file):
            called = called_name(call, full)
            fields = wide.get(called, 0)
            starred = any(isinstance(each, ast.Starred) for each in call.args)
            if fields and (starred or len(call.args) > (0 if fields >= WIDE else MAX_BY_POSITION)):
                wrong.add(f"{name}:{call.lineno}: {called} has {fields} fields: name them")
    assert not wrong, "\n".join(sorted(wrong))
