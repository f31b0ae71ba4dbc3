"""Find every template of the program and what is passed to it, by reading the source.

A call of a speaker holds a template: `Message("{path}: no such note", path=…)`. Both forms of a PluralText are looked at.
A function that hands a template and its keywords on (`def line_error(here, template, **params)`) is a speaker, too: what it
adds counts as passed, and its callers must not pass that again.
"""

import ast
import re
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

ERRORS = {
    "IaError",
    "UsageError",
    "BadData",
    "NotFound",
    "Unavailable",
    "TryLater",
    "Refused",
    "ConfigError",
    "TimedOut",
}
SPEAKERS = {"Message", "say", "tell_hint", "tell_empty", "speak", "voice", "translate"} | ERRORS
NO_FIELDS = {
    **dict.fromkeys(ERRORS, frozenset({"hint", "code"})),
    **dict.fromkeys(("speak", "voice"), frozenset({"context"})),
    "translate": frozenset({"context", "fields"}),
    "Message": frozenset({"code"}),
}
"""Keywords of a speaker that fill no field of its template."""
ASSIGNING = (ast.Assign, ast.For, ast.AnnAssign, ast.AugAssign)


@dataclass(frozen=True)
class Passed:
    """The keywords of a call: those that are surely there, those that may be, and whether all are known."""

    names: list[str]
    perhaps: frozenset[str] = frozenset()
    known: bool = True


@dataclass(frozen=True)
class Keys:
    """The keys of a dict, and whether it may have others: `{**reason.params, "tool": …}`."""

    names: frozenset[str]
    others: bool = False


@dataclass
class Forwarder:
    """A function that hands a template of its caller on.

    index     where the template stands among the arguments; None: it is its own, only a hint comes from the caller
    adds      the fields that it fills in itself
    takes     what it takes by name that is no field
    others    whether it takes fields of its caller: `**params`
    """

    index: int | None
    adds: set[str]
    takes: set[str]
    others: bool


@dataclass
class Source:
    """A parsed file, with the function that each node stands in."""

    path: str
    nodes: list[ast.AST]
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    assigning: dict[ast.AST, list[ast.AST]] = field(default_factory=dict)
    """The parts of a scope that assign something."""
    bound: dict[ast.AST, set[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str, nodes: Iterable[ast.AST]) -> "Source":
        source = cls(path, list(nodes))
        for node in source.nodes:
            for child in ast.iter_child_nodes(node):
                source.parents[child] = node
            if isinstance(node, ast.FunctionDef):
                source.functions.setdefault(node.name, node)
        return source

    @property
    def calls(self) -> Iterator[ast.Call]:
        """Yield every call of the file."""
        return (node for node in self.nodes if isinstance(node, ast.Call))

    def scopes(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the functions around a node, the innermost first, and the module."""
        yield from (each for each in self._around(node) if isinstance(each, ast.FunctionDef | ast.Module))

    def values(self, node: ast.expr, seen: frozenset[str] = frozenset()) -> list[ast.expr]:
        """Return every expression that this one may stand for, as far as assignments and returns tell; [] if unknown."""
        if isinstance(node, ast.NamedExpr):
            return self.values(node.value, seen)
        if isinstance(node, ast.IfExp):
            return [*self.values(node.body, seen), *self.values(node.orelse, seen)]
        if isinstance(node, ast.Name):
            if node.id in seen:
                return []
            for scope in self.scopes(node):
                if found := self._assigned(scope, node):
                    return [each for value in found for each in self.values(value, seen | {node.id})]
                if scope not in self.bound:
                    self.bound[scope] = set(_bound(scope))
                if node.id in self.bound[scope]:
                    return []
            return []
        if isinstance(node, ast.Call) and name_of(node) == "mark_text":
            return self.values(node.args[0], seen)
        if isinstance(node, ast.Call) and name_of(node) == "PluralText":
            return [each for form in node.args for each in self.values(form, seen)]
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Name) and (made := self.functions.get(called.id)):
            returned = [part.value for part in ast.walk(made) if isinstance(part, ast.Return) and part.value]
            return [each for value in returned for each in self.values(value, seen)]
        if isinstance(node, ast.Subscript):
            return [
                each
                for table in self.values(node.value, seen)
                for value in (table.values if isinstance(table, ast.Dict) else [table])
                for each in self.values(value, seen)
            ]
        return [node]

    def _assigned(self, scope: ast.AST, name: ast.Name) -> list[ast.expr]:
        """Return what a name of a scope may hold where it is used: back to the first assignment that always runs."""
        around = {name, *self._around(name)}
        found: list[ast.expr] = []
        if scope not in self.assigning:
            self.assigning[scope] = [part for part in ast.walk(scope) if isinstance(part, ASSIGNING)]
        parts = [part for part in self.assigning[scope] if _assigned(part, name.id)]
        inside = [part for part in parts if getattr(part, "lineno", 0) <= name.lineno]
        for part in sorted(inside or parts, key=lambda part: -int(getattr(part, "lineno", 0))):
            found += _assigned(part, name.id)
            if self.parents[part] in around and not isinstance(part, ast.AugAssign):
                break
        return found

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.parents:
            node = self.parents[node]
            yield node

    def texts(self, node: ast.expr) -> list[str] | None:
        """Return the texts that an expression may be, None where they are not literals. A fixed head is enough of one."""
        found: list[str] = []
        values = self.values(node)
        for value in values:
            if isinstance(value, ast.Constant) and value.value is None:
                continue
            if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
                return None
            found.append(value.value)
        return found if values else None

    def keys(self, node: ast.expr) -> list[Keys] | None:
        """Return the keys of every dict that an expression may be, None where nothing is known of them."""
        found: list[Keys] = []
        values = self.values(node)
        for value in values:
            if isinstance(value, ast.Dict):
                found.append(self._merged(value))
            elif isinstance(value, ast.Call) and getattr(value.func, "id", "") == "dict" and not value.args:
                found.append(Keys(frozenset(str(keyword.arg) for keyword in value.keywords)))
            else:
                return None
        return found if values else None

    def _merged(self, made: ast.Dict) -> Keys:
        names, others = set[str](), False
        for key, value in zip(made.keys, made.values, strict=True):
            if isinstance(key, ast.Constant):
                names.add(str(key.value))
                continue
            inner = self.keys(value) if key is None else None
            others = others or inner is None or any(each.others for each in inner)
            names |= {name for each in inner or [] for name in each.names}
        return Keys(frozenset(names), others)


def _bound(scope: ast.AST) -> list[str]:
    """Return the names that a function binds: its parameters, and what it loops over or unpacks."""
    if not isinstance(scope, ast.FunctionDef):
        return []
    stored = [part.id for part in ast.walk(scope) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    return stored + [part.arg for part in ast.walk(scope.args) if isinstance(part, ast.arg)]


def _assigned(part: ast.AST, name: str) -> list[ast.expr]:
    if isinstance(part, ast.Assign) and any(isinstance(each, ast.Name) and each.id == name for each in part.targets):
        return [part.value]
    if isinstance(part, ast.For) and isinstance(part.iter, ast.Tuple):  # for name, template in ((…, …), …)
        places = part.target.elts if isinstance(part.target, ast.Tuple) else []
        at = next((at for at, each in enumerate(places) if getattr(each, "id", "") == name), None)
        rows = [row.elts for row in part.iter.elts if isinstance(row, ast.Tuple)]
        return [row[at] for row in rows if at is not None and at < len(row)]
    if isinstance(part, ast.AnnAssign | ast.AugAssign) and getattr(part.target, "id", "") == name and part.value:
        return [part.value]
    return []


def fields(template: str) -> set[str]:
    """Return the names of the fields of a template; raises ValueError for one that cannot be parsed."""
    return {re.split(r"[.\[]", name)[0] for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def name_of(call: ast.Call) -> str:
    """Return the last name of what is called."""
    return str(getattr(call.func, "id", getattr(call.func, "attr", "")))


def forwarders(sources: list[Source]) -> dict[str, Forwarder]:
    """Return the functions that hand a template of their caller on to a speaker: by name, private ones by `path:name`."""
    first = _forwarders(sources, {})
    return first | _forwarders(sources, first)  # and those that hand it on to one of these


def _forwarders(sources: list[Source], known: dict[str, Forwarder]) -> dict[str, Forwarder]:
    found: dict[str, Forwarder] = {}
    for source in sources:
        for call in source.calls:
            maker, to = next(source.scopes(call), None), known.get(_key(source, name_of(call)))
            at = 0 if to is None else to.index
            if (to is None and name_of(call) not in SPEAKERS) or at is None or len(call.args) <= at:
                continue
            if not isinstance(maker, ast.FunctionDef) or maker.name in SPEAKERS or _key(source, maker.name) in known:
                continue
            first, names = call.args[at], [each.arg for each in (*maker.args.posonlyargs, *maker.args.args)]
            handed = [k.value for k in call.keywords if k.arg is None]
            adds = {k.arg for k in call.keywords if k.arg and k.arg not in NO_FIELDS.get(name_of(call), ())}
            adds |= to.adds if to is not None else set()
            others = bool(maker.args.kwarg) and any(_is_name(value, maker.args.kwarg.arg) for value in handed)
            is_parameter = isinstance(first, ast.Name) and first.id in names and not source.values(first)
            if not (others or (is_parameter and adds and not handed)):
                continue
            index = names.index(first.id) - (names[0] in ("self", "cls")) if is_parameter else None
            takes = {each.arg for each in maker.args.kwonlyargs} | {"hint"}
            key = _key(source, maker.name)
            found[key] = Forwarder(index, adds | (found[key].adds if key in found else set()), takes, others)
    return found


def _key(source: Source, name: str) -> str:
    return f"{source.path}:{name}" if name.startswith("_") else name


def offenders(source: Source, known: dict[str, Forwarder]) -> Iterator[str]:
    """Yield what is wrong with the templates of a file, one line each with its place."""
    for call in source.calls:
        for wrong in _wrong_call(source, call, known):
            yield f"{source.path}:{call.lineno}: {wrong}"


def _wrong_call(source: Source, call: ast.Call, known: dict[str, Forwarder]) -> list[str]:
    name = name_of(call)
    forwarder = known.get(_key(source, name))
    if forwarder is None and name not in SPEAKERS:
        return []
    index = 0 if forwarder is None else forwarder.index
    if index is not None and (len(call.args) <= index or isinstance(call.args[index], ast.Starred)):
        return []
    maker = next(source.scopes(call), None)
    takes = NO_FIELDS.get(name, frozenset()) if forwarder is None else forwarder.takes
    given = [k for k in call.keywords if k.arg not in takes]
    said = [source.texts(k.value) for k in call.keywords if k.arg == "hint" and "hint" in takes]
    hints = [text for texts in said for text in texts or []]
    templates = [] if index is None else source.texts(call.args[index])
    passed = _passed(source, given, set(NO_FIELDS.get(name, ())), maker)
    if templates is None:
        return _wrong_handing_on(source, call, call.args[index or 0], given, known)
    if forwarder is not None:
        if not forwarder.others:  # what else stands there is no field
            passed = Passed([])
        again = sorted(forwarder.adds & set(passed.names))
        passed = Passed([*passed.names, *again], passed.perhaps | forwarder.adds, passed.known)
    return _disagreement(templates, hints, passed, spare=None in said)


def _passed(source: Source, keywords: list[ast.keyword], also: set[str], maker: ast.AST | None) -> Passed:
    names, perhaps, known = [k.arg for k in keywords if k.arg is not None], set[str](), True
    for keyword in keywords:
        if keyword.arg is not None:
            continue
        if isinstance(maker, ast.FunctionDef) and maker.args.kwarg and _is_name(keyword.value, maker.args.kwarg.arg):
            known = False  # its callers are looked at
            continue
        keys = source.keys(keyword.value)
        if keys is None or (names and any(each.others for each in keys)):
            return Passed([*names, f"**{ast.unparse(keyword.value)}"], known=False)
        for several in keys:
            perhaps |= several.names
            names += sorted(several.names & (set(names) | also))
    return Passed(names, frozenset(perhaps), known)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _disagreement(templates: list[str], hints: list[str], passed: Passed, spare: bool = False) -> list[str]:
    names = set(passed.names) | passed.perhaps
    wrong = [f"`{name}` may be passed twice" for name in sorted({n for n in passed.names if passed.names.count(n) > 1})]
    wrong += [f"{name}: nobody can tell its keys" for name in passed.names if name.startswith("**")]
    used: set[str] = set()
    for text in [*templates, *hints]:
        try:
            wanted = fields(text)
        except ValueError as exc:
            if names:
                wrong.append(f"{text!r} cannot be filled: {exc}")
            continue
        if not names and not all(name.isidentifier() for name in wanted):
            continue  # braces of JSON or of Python; without fields the text stands as it is
        used |= wanted
        if passed.known and (missing := wanted - names):
            wrong.append(f"{text!r} lacks {sorted(missing)}")
    if (templates or hints) and not spare:
        wrong += [f"{[*templates, *hints]!r} has no use for {name}" for name in sorted(set(passed.names) - used)]
    wrong += [f"{name} is one letter" for name in sorted(used | names) if len(name) == 1]
    return [each for each in wrong if "has no use for **" not in each]


def _wrong_handing_on(
    source: Source, call: ast.Call, template: ast.expr, given: list[ast.keyword], known: dict[str, Forwarder]
) -> list[str]:
    """Return what is wrong with a call whose template comes from elsewhere: it comes with its own fields, or has none."""
    maker = next(source.scopes(call), None)
    if not given or (
        isinstance(maker, ast.FunctionDef) and (_key(source, maker.name) in known or maker.name in SPEAKERS)
    ):
        return []
    if len(given) == 1 and given[0].arg is None:
        value = given[0].value
        if isinstance(value, ast.Attribute) and value.attr == "params":  # X.template or X.hint with **X.params
            parts = [ast.unparse(part) for part in ast.walk(template) if isinstance(part, ast.Attribute)]
            owner = ast.unparse(value.value)
            if parts and all(part in (f"{owner}.template", f"{owner}.hint", owner) for part in parts):
                return []
        if isinstance(template, ast.BinOp) and (keys := source.keys(value)) is not None:
            head = source.texts(template.left) or [""]  # "{source}:{line}: " + words, whose fields are in the dict, too
            lacking = {name for text in head for name in fields(text)} - {n for each in keys for n in each.names}
            return [f"{head!r} lacks {sorted(lacking)}"] if lacking else []
    return [f"`{ast.unparse(call)[:100]}`: nobody can tell what is filled in here"]
