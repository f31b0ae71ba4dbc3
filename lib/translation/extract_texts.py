"""Find the texts that ia says to its user, for the catalog of translations: an extractor for Babel.

Read from the source, without running it. A text is found where it stands, or through the constants and local variables
of its file, as

- an argument of a function that says it, or of a constructor that carries it (SPEAKERS; every class below IaError and
  Message is one, too), or of a function of its file whose parameter is called `template`
- a variable, field or keyword whose name says that it is one: `template`, `hint`, … (NAMES)
- the help of a command: its docstring, by paragraphs, and the `help` of its options

What is found by none of these is wrapped in `mark_text("…")`; words of data stand in `words.txt`.
"""

import ast
import inspect
import re
from collections.abc import Iterable, Iterator, Sequence

from ia.kernel.errors import PluralText

COMPUTED = "()"
"""What is called is itself the result of a call: `type(exc)("…")`."""
SPEAKERS: dict[str, Sequence[int]] = {
    "Message": (0,), "IaError": (0,), "LintFinding": (2, 3), "HealthFinding": (2, 3), "Key": (3,),
    "tr": (0,), "say": (0,), "tell_hint": (0,), "tell_empty": (0,), "line_error": (1,), "voice": (0,),
    "translate": (0,), "mark_text": (0,),
    "speak": (0,), "part": (0,), "leave_out": (1,),
    "mark_texts": range(200), "error": (0,), "kind": (0,), COMPUTED: (0,),
}  # fmt: skip
"""Function or class -> which of its arguments are texts. `error` and `kind` hold a class of error."""
NAMES = {"template", "hint", "cure", "mend"}
"""Variables and keywords that hold a text."""
COMMANDS = {"command", "group"}
CONTEXT = "context"

Found = tuple[int, str, str]
"""Line, text (a PluralText where it has two forms), context ("" for none)."""


_PASSES = (
    (ast.FunctionDef, ast.Return),
    (ast.Assign, ast.AnnAssign, ast.NamedExpr),
    (ast.For, ast.comprehension),
)
"""What gives names their values, in an order in which each finds what it needs."""
Scope = ast.FunctionDef | ast.Module


class Source:
    """A parsed file, with what its names may hold: a name means what the innermost function around it gives it."""

    def __init__(self, tree: ast.Module, speakers: dict[str, Sequence[int]]) -> None:
        self.tree, self.speakers = tree, speakers
        self.nodes: list[ast.AST] = []
        self._scopes: dict[ast.AST, tuple[Scope, ...]] = {}
        self._held: dict[tuple[Scope, str], list[ast.expr]] = {}
        self._returned: dict[str, list[ast.expr]] = {}
        self._in_context: set[ast.expr] = set()
        self._visit(tree, (tree,))
        for order in (
            ast.FunctionDef | ast.Return,
            ast.Assign | ast.AnnAssign | ast.NamedExpr,
            ast.For | ast.comprehension,
        ):
            for node in self.nodes:
                if isinstance(node, order):
                    self._remember(node)

    def _visit(self, node: ast.AST, scopes: tuple[Scope, ...]) -> None:
        self.nodes.append(node)
        self._scopes[node] = scopes
        inner = (node, *scopes) if isinstance(node, ast.FunctionDef) else scopes
        for child in ast.iter_child_nodes(node):
            self._visit(child, inner)

    def _remember(self, node: ast.AST) -> None:
        match node:
            case ast.FunctionDef(args=ast.arguments(posonlyargs=first, args=more, defaults=defaults)):
                for place, value in zip(reversed([*first, *more]), reversed(defaults), strict=False):
                    self._held.setdefault((node, place.arg), []).append(value)
            case ast.Return(value=ast.expr() as value) if isinstance(self._scopes[node][0], ast.FunctionDef):
                self._returned.setdefault(self._scopes[node][0].name, []).append(value)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._hold(node, target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                self._hold(node, target, value)
            case ast.For(target=target, iter=ast.Call(func=ast.Attribute(value=ast.Name() as table, attr="items"))):
                for each in self._meant(table):
                    for key, value in zip(each.keys, each.values, strict=True) if isinstance(each, ast.Dict) else ():
                        self._hold(node, target, ast.Tuple([key or value, value]))
            case ast.For(target=target, iter=values) | ast.comprehension(target=target, iter=values):
                for each in self._meant(values) if isinstance(values, ast.Name) else [values]:
                    for value in each.elts if isinstance(each, ast.Tuple | ast.List) else ():
                        self._hold(node, target, value)

    def _hold(self, at: ast.AST, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Tuple(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
                for name, part in zip(names, values, strict=True):
                    self._hold(at, name, part)
            case ast.Tuple(), ast.IfExp(body=body, orelse=orelse):
                self._hold(at, target, body)
                self._hold(at, target, orelse)
            case ast.Tuple(), ast.Call() if _name_of(value) in self._returned:
                for returned in self._returned[_name_of(value)]:
                    if not isinstance(returned, ast.Call):
                        self._hold(at, target, returned)
            case ast.Name(id=name), _:
                self._held.setdefault((self._scopes[at][0], name), []).append(value)

    def _meant(self, name: ast.Name) -> list[ast.expr]:
        """Return what a name may hold."""
        return next((self._held[scope, name.id] for scope in self._scopes[name] if (scope, name.id) in self._held), [])

    def texts(self, node: ast.expr, seen: frozenset[str] = frozenset()) -> Iterator[tuple[int, str]]:
        """Yield the literals that an expression may be."""
        match node:
            case ast.Constant(value=str(text)):
                yield node.lineno, text
            case ast.Call() if _name_of(node) == PluralText.__name__:
                yield from _plural_text(node)
            case ast.IfExp(body=first, orelse=second):
                yield from (*self.texts(first, seen), *self.texts(second, seen))
            case ast.BoolOp(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    yield from self.texts(part, seen)
            case ast.NamedExpr():
                yield from self.texts(node.value, seen)
            case ast.BinOp(op=ast.Add()):
                rights = list(self.texts(node.right, seen))
                yield from ((line, left + right) for line, left in self.texts(node.left, seen) for _, right in rights)
            case ast.Name(id=name) if name not in seen:
                for value in self._meant(node):
                    yield from self.texts(value, seen | {name})
            case ast.Subscript(value=table) | ast.Call(func=ast.Attribute(value=table, attr="get")):
                for value in self._meant(table) if isinstance(table, ast.Name) else [table]:
                    parts = value.values if isinstance(value, ast.Dict) else getattr(value, "elts", ())
                    for part in parts:
                        yield from self.texts(part, seen)
                for default in node.args[1:] if isinstance(node, ast.Call) else ():
                    yield from self.texts(default, seen)

    def found(self) -> Iterator[Found]:
        """Yield every text of the file."""
        for node in self.nodes:
            match node:
                case ast.Call():
                    yield from self._of_call(node)
                case ast.Assign(targets=[ast.Name(id=name) | ast.Attribute(attr=name)], value=value) if name in NAMES:
                    yield from ((line, text, "") for line, text in self.texts(value))
                case ast.FunctionDef() if any(_name_of(each) in COMMANDS for each in node.decorator_list):
                    yield from ((node.lineno, part, "") for part in paragraphs(ast.get_docstring(node)))

    def _of_call(self, call: ast.Call) -> Iterator[Found]:
        name = _name_of(call)
        said = {keyword.arg: keyword.value for keyword in call.keywords}
        given = said.get(CONTEXT)
        context = given.value if isinstance(given, ast.Constant) else ""
        if name == PluralText.__name__ and call not in self._in_context:
            yield from ((line, text, "") for line, text in self.texts(call))
        for at in self.speakers.get(name, ()):
            if at < len(call.args):
                self._in_context |= {call.args[at]} if context else set()
                yield from ((line, text, str(context)) for line, text in self.texts(call.args[at]))
        for key in NAMES & said.keys():
            yield from ((line, text, "") for line, text in self.texts(said[key]))
        if name in COMMANDS or name.endswith("option"):
            helps = [said["help"]] if "help" in said else call.args if name.endswith("_option") else []
            for line, text in (each for part in helps for each in self.texts(part)):
                yield from ((line, part, "") for part in paragraphs(text))


def _name_of(node: ast.expr) -> str:
    """Return the last name of what is called."""
    func = node.func if isinstance(node, ast.Call) else node
    if isinstance(func, ast.Call):
        return COMPUTED
    return str(getattr(func, "id", getattr(func, "attr", "")))


def _plural_text(call: ast.Call) -> Iterator[tuple[int, str]]:
    match call.args:
        case [ast.Constant(value=str(one)), ast.Constant(value=str(many))]:
            yield call.lineno, PluralText(one, many)


def paragraphs(text: str | None) -> Iterator[str]:
    """Yield the paragraphs of a help text as `ia_cli.terminal.group` translates them."""
    for part in inspect.cleandoc(text or "").split("\n\n"):
        if part and not part.startswith("\b"):
            yield part.replace("\n", " ")


def _is_text(text: str) -> bool:
    """Return True if there is anything to translate: words, fields with signs between them, or a sign alone."""
    if re.fullmatch("[,.:;—]|[,:;] | — ", text):
        return True
    between = re.sub(r"\{[^{}]*\}", "", text)
    return re.search("[A-Za-z]{2}|[A-Za-z]%", between) is not None or (between != text and between.strip() != "")


def find_speakers(trees: Iterable[ast.Module]) -> dict[str, Sequence[int]]:
    """Return SPEAKERS, the classes derived from one, and the functions that take a `template`."""
    trees, found = list(trees), dict(SPEAKERS)
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    while more := [
        each for each in classes if each.name not in found and any(_name_of(base) in found for base in each.bases)
    ]:
        for each in more:
            own = any(isinstance(part, ast.FunctionDef) and part.name == "__init__" for part in each.body)
            found[each.name] = () if own else (0,)
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.FunctionDef):
            names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
            names = names[1:] if names[:1] in (["self"], ["cls"]) else names
            if "template" in names and node.name not in {*found, "fill", "add"}:
                found[node.name] = (names.index("template"),)
    return found


def find_texts(tree: ast.Module, speakers: dict[str, Sequence[int]]) -> Iterator[Found]:
    """Yield the texts of a file."""
    yield from (each for each in Source(tree, speakers).found() if _is_text(each[1]))
