"""Which Python an expression may be written in, and how it becomes code: layer one of the sandbox.

Runs in the parent, while the worker loads. RestrictedPython rewrites every attribute, item, iteration and star-call
into a call of a guard (`ia.organs.compute.facade` has them); this policy takes away the statements that research does
not need.
"""

import ast
import marshal
import warnings
from typing import NamedTuple

from RestrictedPython import RestrictingNodeTransformer
from RestrictedPython.transformer import INSPECT_ATTRIBUTES, IOPERATOR_TO_STR

from ia.kernel.errors import BadData, Message, Refused
from ia.organs.compute.constant_folding import fold_constant
from ia.organs.compute.syntax_errors import explain_syntax_error
from ia.organs.compute.worker_protocol import FILENAME, MAX_NODES, MAX_SOURCE, SETTABLE

MAX_INTEGER = 10**12


_IMPORT_HINT = "remove the import; pd, np, ta and math are already available"
_WORDS = {
    "Import": "import", "ImportFrom": "import", "ClassDef": "class", "Try": "try", "TryStar": "try", "With": "with",
    "Global": "global", "Nonlocal": "nonlocal", "Raise": "raise", "Yield": "yield", "YieldFrom": "yield",
    "Delete": "del",
    "AsyncFunctionDef": "async", "AsyncFor": "async", "AsyncWith": "async", "Await": "await", "Match": "match",
    "TypeAlias": "type", "TemplateStr": "t-string", "AnnAssign": "annotation",
}  # fmt: skip
_NO_CODE = frozenset(
    (
        "eval",
        "exec",
        "compile",
        "input",
        "globals",
        "locals",
        "vars",
        "dir",
        "getattr",
        "setattr",
        "delattr",
        "breakpoint",
        "memoryview",
    )
)


def _translate_rule(info: str) -> Message:
    """Say a rule of RestrictedPython in our words: the few that can still be broken once this policy has looked."""
    if info.endswith("calls are not allowed."):
        return Message("{name}() is not allowed in expressions", name=info.split()[0].lower())
    if info.startswith("Augmented assignment"):
        return Message("augmented assignment such as += works only on names and items")
    if info.startswith("Assignment expressions"):
        return Message("`{word}` is not allowed in expressions", word=":=")
    if info.startswith('"'):
        return Message("{name} is not available in expressions", name=info.split('"')[1])
    return Message("{why}", why=info)


class Program(NamedTuple):
    """A source ready for the worker: the code to execute, the code whose value counts, and names it assigns."""

    code: bytes  # marshal of (body or None, last expression or None)
    assigned: frozenset[str]


class _Policy(RestrictingNodeTransformer):  # type: ignore[misc]
    """RestrictedPython's transformer, stricter; `errors` holds (line, what is wrong)."""

    def error(self, node: ast.AST, info: str) -> None:
        self._refuse(node, _translate_rule(info))

    def _refuse(self, node: ast.AST, problem: Message) -> None:
        self.errors.append((getattr(node, "lineno", 1), problem))

    def _deny_node(self, node: ast.AST) -> None:
        word = _WORDS.get(type(node).__name__, type(node).__name__)
        self._refuse(node, Message("`{word}` is not allowed in expressions", word=word))

    not_allowed = _deny_node
    visit_Import = visit_ImportFrom = visit_ClassDef = visit_Try = visit_TryStar = visit_With = _deny_node
    visit_Global = visit_Nonlocal = visit_Raise = visit_Yield = visit_YieldFrom = visit_Delete = _deny_node
    visit_TemplateStr = visit_Interpolation = visit_AnnAssign = visit_Match = visit_TypeAlias = _deny_node
    visit_AsyncFunctionDef = visit_AsyncFor = visit_AsyncWith = visit_Await = _deny_node

    def check_name(self, node: ast.AST, name: str | None, allow_magic_methods: bool = False) -> None:
        if name is not None and name.startswith("_") and name != "_":
            self._refuse(node, Message("names that begin with an underscore are not allowed: {name}", name=name))

    def visit_Name(self, node: ast.Name) -> object:
        if node.id in _NO_CODE and isinstance(node.ctx, ast.Load) and node.id not in self.used_names:
            self._refuse(node, Message("{name}() is not allowed in expressions", name=node.id))
            return node
        self.check_name(node, node.id)
        return node  # not the parent's: `print` is an unknown name here, not a collector

    def visit_Attribute(self, node: ast.Attribute) -> object:
        if not isinstance(node.ctx, ast.Load) and node.attr not in SETTABLE:
            problem = Message("cannot set attribute .{name}; assign to df[...] instead", name=node.attr)
            self._refuse(node, problem)
            return node
        if node.attr in INSPECT_ATTRIBUTES:
            self._refuse(node, Message(".{name} is not available in expressions", name=node.attr))
            return node
        if node.attr.startswith("_"):
            self._refuse(node, Message("names that begin with an underscore are not allowed: {name}", name=node.attr))
            return node
        return super().visit_Attribute(node)

    def visit_Assign(self, node: ast.Assign) -> object:
        # `a, b = x, y` iterates over nothing that needs a guard
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if (
                len(names) == len(values)
                and all(isinstance(each, ast.Name) for each in names)
                and not any(isinstance(each, ast.Starred) for each in values)
            ):
                return self.node_contents_visit(node)
        return super().visit_Assign(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> object:
        if node.decorator_list or getattr(node, "type_params", None):
            self._refuse(node, Message("`{word}` is not allowed in expressions", word="@decorator"))
            return node
        for arg in ast.walk(node.args):
            if isinstance(arg, ast.arg):
                arg.annotation = None
        node.returns = None
        return super().visit_FunctionDef(node)

    def visit_keyword(self, node: ast.keyword) -> object:
        self.check_name(node, node.arg)
        return self.node_contents_visit(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> object:
        # A list does the same here, and leaves no frame for anyone to walk.
        return self.visit(ast.copy_location(ast.ListComp(node.elt, node.generators), node))

    def visit_AugAssign(self, node: ast.AugAssign) -> object:
        if not isinstance(node.target, ast.Subscript):
            return super().visit_AugAssign(node)
        # `x[i] += v` becomes a guard's call, so that x and i are evaluated once
        target = node.target
        parts = [self.visit(target.value), self.visit(target.slice), self.visit(node.value)]
        symbol = ast.Constant(IOPERATOR_TO_STR[type(node.op)])
        call = ast.Call(ast.Name("_inplaceitem_", ast.Load()), [symbol, *parts], [])
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), node))


def parse_source(source: str, origin: str = FILENAME) -> ast.Module:
    """Return the syntax tree of an expression or a few lines.

    `origin` names the source in messages. Raises BadData (with the line) for what is not Python, Refused for what is
    too long, too deep or too large.
    """
    if len(source) > MAX_SOURCE:
        raise Refused("the expression is longer than {limit} characters; shorten it", limit=MAX_SOURCE)
    if "\0" in source:
        raise BadData("{source}:{line}: {why}", source=origin, line=1, why=Message("NUL characters are not allowed"))
    text = source.strip() if "\n" not in source.strip() else source.strip("\n")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, FILENAME, "exec")
    except SyntaxError as e:
        raise BadData(
            "{source}:{line}: {why}", source=origin, line=e.lineno or 1, why=explain_syntax_error(e)
        ) from None
    except UnicodeEncodeError:
        raise BadData(
            "{source}:{line}: {why}", source=origin, line=1, why=Message("the text is not valid UTF-8")
        ) from None
    except (RecursionError, MemoryError, ValueError):
        raise Refused("the expression is nested too deeply; simplify it") from None
    if not tree.body:
        raise BadData("the expression is empty", hint="try: ia compute 'rsi(close, 14)'")
    nodes = 0
    for node in ast.walk(tree):
        nodes += 1
        if isinstance(node, ast.Constant) and isinstance(node.value, int | complex) and abs(node.value) > MAX_INTEGER:
            raise Refused(
                "{source}:{line}: numbers above {limit} are not allowed",
                source=origin,
                line=node.lineno,
                limit="10**12",
            )
        for word in _find_operands(node):
            said = fold_constant(word, {})
            if isinstance(said, str) and said.strip().lower() in ("now", "today"):
                raise Refused(
                    "{source}:{line}: {word!r} reads this machine's clock, which expressions cannot access",
                    hint="for the date of the newest bar, use date.iloc[-1]",
                    source=origin,
                    line=word.lineno,
                    word=said,
                )
    if nodes > MAX_NODES:
        raise Refused("the expression has more than {limit} elements; shorten it", limit=MAX_NODES)
    return tree


def _find_operands(node: ast.AST) -> list[ast.expr]:
    """Return what a call is given and what a comparison compares, lists opened: where pandas reads a text as a time."""
    if isinstance(node, ast.Call):
        found = [*node.args, *(word.value for word in node.keywords)]
    else:
        found = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
    return [inner for each in found for inner in (each.elts if isinstance(each, ast.List | ast.Tuple) else [each])]


def compile_source(source: str, origin: str = FILENAME) -> Program:
    """Return the code of an expression or a few lines; raises BadData or Refused as `parse`, Refused for the policy."""
    tree = parse_source(source, origin)
    assigned = frozenset(
        n.id if isinstance(n, ast.Name) else n.name
        for n in ast.walk(tree)
        if isinstance(n, ast.FunctionDef) or (isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    )
    errors: list[tuple[int, Message]] = []
    # Names that the source itself assigns are its own, whatever they are called.
    policy = _Policy(errors, [], dict.fromkeys(assigned | _parameter_names(tree), True))
    try:
        tree = policy.visit(tree)
        if errors:
            line, problem = min(errors, key=lambda error: error[0])
            hint = _IMPORT_HINT if problem.params.get("word") == "import" else None
            raise Refused("{source}:{line}: {why}", hint=hint, source=origin, line=line, why=problem)
        ast.fix_missing_locations(tree)
        last = tree.body.pop().value if isinstance(tree.body[-1], ast.Expr) else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = compile(tree, FILENAME, "exec", dont_inherit=True) if tree.body else None
            value = compile(ast.Expression(last), FILENAME, "eval", dont_inherit=True) if last is not None else None
    except SyntaxError as e:  # what only the compiler sees: `return` outside a function
        raise BadData(
            "{source}:{line}: {why}", source=origin, line=e.lineno or 1, why=explain_syntax_error(e)
        ) from None
    except (RecursionError, MemoryError, ValueError):
        raise Refused("the expression is nested too deeply; simplify it") from None
    return Program(marshal.dumps((body, value)), assigned)


def _parameter_names(tree: ast.AST) -> frozenset[str]:
    return frozenset(node.arg for node in ast.walk(tree) if isinstance(node, ast.arg))
