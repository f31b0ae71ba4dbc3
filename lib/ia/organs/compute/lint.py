"""Find look-ahead in an expression: values of a bar that only a later bar could know. Works on the syntax tree.

Two kinds are found. Operations that move later values to earlier bars (`shift(-1)`, centered windows, back-filling), by
their form. And figures that only the newest bar could know, a statistic of the whole sample (`close.mean()`) or the
last value (`close.iloc[-1]`), where they meet a series, by following what is what through operators, calls and
assignments; on its own, or for the last bar only, such a figure is no harm.
"""

import ast
import functools
from typing import NamedTuple

from ia.kernel.errors import Message
from ia.organs.compute.constant_folding import Constant, fold_constant, is_negative
from ia.organs.compute.worker_protocol import FILENAME, MAX_NODES, MAX_SOURCE

_BACKWARDS = "{source}:{line}: {what} looks ahead: it moves later values to earlier bars"
_CENTRED = "{source}:{line}: {what} looks ahead: half of its window is after the bar"
_FILLED = "{source}:{line}: {what} looks ahead: it fills gaps with later values"
_WHOLE = "{source}:{line}: {what} looks ahead: every bar uses a statistic of the whole sample"
_NEWEST = "{source}:{line}: {what} looks ahead: every bar uses a value of the last bar"
_REORDERED = "{source}:{line}: {what} looks ahead: it places later bars before earlier ones"
_LABEL = "{source}:{line}: {what} looks ahead: it dates end-of-period values at the start of the period"
_PLOTTED = "{source}:{line}: {what} looks ahead in its usual form; pass lookahead=False"
_ROLLED = "{source}:{line}: {what} looks ahead: it wraps the last values around to the first bars"

SERIES, STATISTIC, LAST, WINDOW, GROUPS, OTHER = "series", "statistic", "last", "window", "groups", "other"
MAX_FINDINGS = 20

_BARS = frozenset({"df", "open", "high", "low", "close", "volume"})  # not date: when a bar is, is no secret
_MOVED = frozenset({"shift", "diff", "pct_change", "tshift"})
_MOVED_COREUTILS = frozenset({"prev", "ref", "change", "roc", "delay"})
_LAST_ONLY = frozenset({"latest", "prev"})
_REDUCED = frozenset(
    {"mean", "median", "std", "var", "min", "max", "quantile", "sum", "skew", "kurt", "sem", "mode", "mad"}
)
_REDUCED |= {"average", "percentile", "ptp", "nanmean", "nanmedian", "nanstd", "nanvar", "nanmin", "nanmax"}
_REDUCED |= {"nanpercentile", "nanquantile", "amin", "amax"}
_COUNTED = frozenset({"len", "range", "bool", "str", "set", "isinstance", "enumerate", "zip"})
_TWO_SERIES = frozenset({"where", "maximum", "minimum", "crossover", "crossunder"})
_PLAIN = frozenset(
    {"count", "nunique", "autocorr", "corr", "cov", "idxmax", "idxmin", "all", "any", "item", "describe", "tolist"}
)
_ORDERED = frozenset({"rolling", "expanding", "ewm", "cummax", "cummin", "cumsum", "cumprod", "ffill", *_MOVED})
_WITH_A_LEVEL = frozenset(
    {"fillna", "where", "mask", "clip", "add", "sub", "mul", "div", "truediv", "pow", "rsub", "rdiv"}
)
_WITH_A_LEVEL |= {"gt", "ge", "lt", "le", "eq", "ne", "select", "maximum", "minimum"}
_UFUNCS = frozenset(
    {"add", "subtract", "multiply", "divide", "true_divide", "greater", "greater_equal", "less", "less_equal"}
)
_LISTED = frozenset({"tolist", "to_list", "to_numpy"})
_SHOWN = (
    _REDUCED | _ORDERED | {"tolist", "to_list", "to_dict", "head", "tail", "iloc", "iat", "loc", "nunique", "count"}
)
_BACK_METHODS = frozenset({"bfill", "backfill", "nearest"})
_PERIOD_STARTS = frozenset({"MS", "BMS", "QS", "BQS", "YS", "AS", "BYS"})
_DRAWN_AHEAD = {"ichimoku": "lookahead", "dpo": "lookahead"}


class LintFinding(NamedTuple):
    """One place where an expression looks ahead: its line, its text, and the sentence about it."""

    line: int
    what: str
    message: Message


def find_look_ahead(source: str, origin: str = FILENAME) -> list[LintFinding]:
    """Return what looks ahead in a source (`origin` in messages), in order; an empty list for one that does not parse.

    >>> [str(f.message) for f in find_look_ahead("close.shift(-1) / close - 1")]
    ['<expression>:1: close.shift(-1) looks ahead: it moves later values to earlier bars']
    >>> find_look_ahead("(close - close.rolling(60).mean()) / close.mean().round()")[0].what
    '(close - close.rolling(60).mean()) / close.mean().round()'
    >>> find_look_ahead("close.mean()")
    []

    A source that is too long to be evaluated is not looked at; after MAX_FINDINGS it stops.
    """
    return [] if len(source) > MAX_SOURCE else list(_find_once(source, origin))


@functools.lru_cache(maxsize=2048)
def _find_once(source: str, origin: str) -> tuple[LintFinding, ...]:
    """Return what find_look_ahead() finds: the conditions of a skill are looked at again for every share."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.strip())
        if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
            return ()
        linter = _Linter(tree, origin)
        for statement in tree.body:
            linter.visit(statement)
            if len(linter.findings) >= MAX_FINDINGS:
                break
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found = {(f.line, f.what, f.message.template): f for f in linter.findings}
    return tuple(sorted(found.values(), key=lambda f: f.line))


class _Linter(ast.NodeVisitor):
    def __init__(self, tree: ast.Module, origin: str) -> None:
        self.origin = origin
        self.findings: list[LintFinding] = []
        self.kinds: dict[str, str] = dict.fromkeys(_BARS, SERIES)
        self.constants: dict[str, Constant] = {}
        self.negative: set[str] = set()
        self.last_only: set[int] = set()  # what is computed for the last bar alone
        self.parents: dict[int, ast.AST] = {}
        self._seen: dict[int, str] = {}
        for node in ast.walk(tree):
            self.parents.update((id(child), node) for child in ast.iter_child_nodes(node))
            inner = _last_bar_operand(node)
            if inner is not None and id(inner) not in self.last_only:
                self.last_only.update(id(n) for n in ast.walk(inner))

    def _add_finding(self, node: ast.expr, template: str) -> None:
        if len(self.findings) >= MAX_FINDINGS:
            return
        what = " ".join(ast.unparse(node).split())
        what = what if len(what) <= 60 else what[:57] + "..."
        self.findings.append(
            LintFinding(node.lineno, what, Message(template, source=self.origin, line=node.lineno, what=what))
        )

    # --- what a name stands for ----------------------------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._record_assignment(target, node.value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self._record_assignment(node.target, node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            combined = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
            ast.copy_location(ast.fix_missing_locations(combined), node)
            self._check_mixing(combined, [combined.left, combined.right])
            self._record_assignment(node.target, combined)

    def _record_assignment(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            for place, each in enumerate(target.elts):
                self._record_assignment(each, values[place] if len(values) == len(target.elts) else value)
        elif isinstance(target, ast.Name):
            kind, constant, below = self.classify(value), fold_constant(value, self.constants), self._is_negative(value)
            self._forget_name(target.id, kind)
            if constant is not None:
                self.constants[target.id] = constant
            elif below:
                self.negative.add(target.id)

    def _forget_name(self, name: str, kind: str = OTHER) -> None:
        self.kinds[name] = kind
        self.constants.pop(name, None)
        self.negative.discard(name)

    def visit_For(self, node: ast.For) -> None:
        for name in ast.walk(node.target):
            if isinstance(name, ast.Name):
                self._forget_name(name.id)
        self.generic_visit(node)

    def _visit_scope(self, node: ast.AST) -> None:
        before = dict(self.kinds), dict(self.constants), set(self.negative)
        for inner in ast.walk(node):
            if isinstance(inner, ast.arg):
                self._forget_name(inner.arg)
            elif isinstance(inner, ast.comprehension):
                for name in ast.walk(inner.target):
                    if isinstance(name, ast.Name):
                        self._forget_name(name.id)
        self.generic_visit(node)
        self.kinds, self.constants, self.negative = before

    visit_FunctionDef = _visit_scope
    visit_Lambda = visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_scope

    def classify(self, node: ast.expr) -> str:
        """Return what an expression is: a series, a statistic of a whole one, its last value, a window, or other."""
        if id(node) not in self._seen:
            self._seen[id(node)] = self._classify_uncached(node)
        return self._seen[id(node)]

    def _classify_uncached(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return self.kinds.get(node.id, OTHER)
        if isinstance(node, ast.Attribute):
            if node.attr in _BARS:
                base = self.classify(node.value)
                return SERIES if base == OTHER else base
            return self.classify(node.value) if node.attr in ("values", "T", "str") else OTHER
        if isinstance(node, ast.UnaryOp):
            return self.classify(node.operand)
        if isinstance(node, ast.BinOp):
            return _combine_kinds(self.classify(node.left), self.classify(node.right))
        if isinstance(node, ast.Compare):
            return _combine_kinds(self.classify(node.left), *map(self.classify, node.comparators))
        if isinstance(node, ast.IfExp):
            return _combine_kinds(self.classify(node.body), self.classify(node.orelse))
        if isinstance(node, ast.NamedExpr):
            return self.classify(node.value)
        if isinstance(node, ast.Subscript):
            return self._classify_item(node)
        return self._classify_call(node) if isinstance(node, ast.Call) else OTHER

    def _classify_item(self, node: ast.Subscript) -> str:
        base, place = node.value, node.slice
        whole = self.classify(_underlying_series(base))
        if self._is_reversal(place):
            return whole
        first = place.elts[0] if isinstance(place, ast.Tuple) and place.elts else place
        if whole == SERIES and (self._is_negative(first) or self._is_newest(first)):
            return LAST
        if isinstance(base, ast.Attribute) and base.attr in ("iloc", "loc", "at", "iat"):
            return OTHER  # a part: what is computed of it may well lie in the past
        if isinstance(place, ast.Slice):
            return OTHER
        text = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        if text and isinstance(base, ast.Name) and base.id != "df" and base.id in _BARS:
            return OTHER  # close["2022"]
        return self.classify(base)

    def _is_reversal(self, place: ast.expr) -> bool:
        return isinstance(place, ast.Slice) and place.step is not None and self._is_negative(place.step)

    def _is_newest(self, place: ast.expr) -> bool:
        """Whether an index means the last bar: `[-1:]`, `[date.iloc[-1]]`, `[close.index[-1]]`."""
        if isinstance(place, ast.Slice):
            return place.upper is None and fold_constant(place.lower, self.constants) == -1
        return isinstance(place, ast.Subscript) and fold_constant(place.slice, self.constants) == -1

    def _classify_call(self, node: ast.Call) -> str:
        function = node.func
        given = [self.classify(a) for a in [*node.args, *(k.value for k in node.keywords)]]
        if isinstance(function, ast.Name):
            if function.id in _LAST_ONLY and given:
                return LAST if given[0] == SERIES else given[0]
            if function.id in _COUNTED:
                return OTHER
            if function.id in ("max", "min", "sum") and len(node.args) == 1:
                return STATISTIC if given[0] == SERIES else OTHER
            return _combine_kinds(*given) if given else OTHER
        if not isinstance(function, ast.Attribute):
            return OTHER
        owner, name = function.value, function.attr
        if isinstance(owner, ast.Name) and owner.id in ("np", "ta", "pd", "math") and owner.id not in self.kinds:
            reduced = owner.id == "np" and name in _REDUCED and given[:1] == [SERIES]
            return STATISTIC if reduced else _combine_kinds(*given) if given else OTHER
        base = self.classify(owner)
        if base == SERIES:
            if name in _REDUCED and not _is_across_columns(node):
                return STATISTIC
            if name == "tail" and fold_constant(_find_argument(node, 0, "n"), self.constants) == 1:
                return LAST
            if name in ("rolling", "expanding", "ewm"):
                return WINDOW
            if name in ("groupby", "resample"):
                return GROUPS
            return OTHER if name in _PLAIN or name == "head" else SERIES
        if base == WINDOW:
            return SERIES
        if base == GROUPS:
            return SERIES if name in ("transform", "shift", "cumsum", "cummax", "cummin", "rank", "diff") else OTHER
        return base

    # --- what looks ahead ----------------------------------------------------------------------------------------

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._check_mixing(node, [node.left, node.right])
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        self._check_mixing(node, [node.left, *node.comparators])
        self.generic_visit(node)

    def _check_mixing(self, node: ast.expr, parts: list[ast.expr]) -> None:
        kinds = {self.classify(part) for part in parts}
        if SERIES not in kinds or id(node) in self.last_only or self._is_counted(node):
            return
        if STATISTIC in kinds or LAST in kinds:
            self._add_finding(node, _WHOLE if STATISTIC in kinds else _NEWEST)

    def _is_counted(self, node: ast.expr) -> bool:
        """Whether it is a comparison that is only counted: `(close < latest(close)).mean()` is one figure of today."""
        parent = self.parents.get(id(node))
        if not isinstance(node, ast.Compare):
            return False
        if isinstance(parent, ast.Attribute):
            return parent.attr in ("mean", "sum", "any", "all")
        return isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id in ("sum", "any")

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if self._is_reversal(node.slice) and _is_one_series(node.value):
            self._check_reordering(node, node.value)
        self.generic_visit(node)

    def _check_reordering(self, node: ast.expr, series: ast.expr) -> None:
        """Tell of a series in another order, unless it is only looked at (or told of already)."""
        parent = self.parents.get(id(node))
        if isinstance(parent, ast.Attribute):
            shown = parent.attr in _SHOWN
        elif isinstance(parent, ast.Call):
            shown = isinstance(parent.func, ast.Name) and parent.func.id in {"list", "min", "max", "sum"} | _COUNTED
            shown = shown or (isinstance(parent.func, ast.Name) and parent.func.id in _LAST_ONLY)
        else:
            shown = isinstance(parent, ast.Subscript | ast.For | ast.comprehension)
        if not shown and self.classify(_underlying_series(series)) == SERIES:
            self._add_finding(node, _REORDERED)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Name):
            if function.id in _MOVED_COREUTILS and self._is_negative(_find_argument(node, 1, "n")):
                self._add_finding(node, _BACKWARDS)
            elif function.id in _TWO_SERIES:
                self._check_mixing(node, node.args)
            elif function.id in ("sorted", "reversed") and node.args:
                self._check_reordering(node, node.args[0])
        elif isinstance(function, ast.Attribute):
            owner = function.value
            library = owner.id if isinstance(owner, ast.Name) and owner.id in ("np", "pd", "ta") else ""
            if library:
                self._check_library_call(node, library, function.attr)
            else:
                self._check_method(node, owner, function.attr)
        self.generic_visit(node)

    def _check_method(self, node: ast.Call, owner: ast.expr, name: str) -> None:
        base = self.classify(owner)
        if name in _MOVED and self._is_negative(_find_argument(node, 0, "periods")):
            self._add_finding(node, _BACKWARDS)
        elif name == "rolling" and fold_constant(_find_argument(node, 2, "center"), self.constants):
            self._add_finding(node, _CENTRED)
        elif (
            name in ("bfill", "backfill", "interpolate") or self._constant_argument(node, 9, "method") in _BACK_METHODS
        ):
            self._add_finding(node, _FILLED)
        elif name == "resample" and self._labels_period_start(node):
            self._add_finding(node, _LABEL)
        elif _uses_whole_sample(node, name, base) and id(node) not in self.last_only:
            self._add_finding(node, _WHOLE)
        elif name in _WITH_A_LEVEL and base == SERIES:
            self._check_mixing(node, [owner, *node.args, *(k.value for k in node.keywords)])
        if name in _ORDERED and self._is_reversed(owner):
            self._add_finding(node, _BACKWARDS)
        elif name == "sort_index" and self._is_reversed(node) and _is_one_series(owner):
            self._check_reordering(node, owner)

    def _check_library_call(self, node: ast.Call, library: str, name: str) -> None:
        given = [self.classify(value) for value in node.args]
        if library == "np" and name in ("flip", "flipud", "sort") and node.args:
            self._check_reordering(node, node.args[0])
        elif library == "np" and name == "roll":
            backwards = self._is_negative(_find_argument(node, 1, "shift"))
            self._add_finding(node, _BACKWARDS if backwards else _ROLLED)
        elif library == "np" and (
            name == "gradient" or (name == "convolve" and _constant_value(_find_argument(node, 2, "mode")) == "same")
        ):
            self._add_finding(node, _CENTRED)
        elif library == "np" and name in _WITH_A_LEVEL | _UFUNCS:
            self._check_mixing(node, node.args)
        elif library == "pd" and name == "merge_asof":
            if self._constant_argument(node, 99, "direction") in ("forward", "nearest"):
                self._add_finding(node, _FILLED)
        elif library == "pd" and name in ("cut", "qcut") and given[:1] == [SERIES] and id(node) not in self.last_only:
            if name == "qcut" or isinstance(_constant_value(_find_argument(node, 1, "bins")), int):
                self._add_finding(node, _WHOLE)
        elif library == "ta":
            if self._is_negative(_find_argument(node, 99, "offset")):
                self._add_finding(node, _BACKWARDS)
            switch = _DRAWN_AHEAD.get(name)
            if switch and not any(self._is_false(_find_argument(node, 99, key)) for key in (switch, "centered")):
                self._add_finding(node, _PLOTTED)

    def _labels_period_start(self, node: ast.Call) -> bool:
        rule = self._constant_argument(node, 0, "rule")
        label = self._constant_argument(node, 99, "label")
        start = isinstance(rule, str) and rule.lstrip("0123456789").partition("-")[0] in _PERIOD_STARTS
        return label == "left" or (start and label != "right")

    def _is_negative(self, node: ast.expr | None) -> bool:
        return is_negative(node, self.constants, self.negative)

    def _is_false(self, node: ast.expr | None) -> bool:
        return node is not None and fold_constant(node, self.constants) in (False, 0)

    def _constant_argument(self, node: ast.Call, position: int, name: str) -> Constant | None:
        return fold_constant(_find_argument(node, position, name), self.constants)

    def _is_reversed(self, node: ast.expr) -> bool:
        """Whether the bars come in another order: `x[::-1]`, `np.flip(x)`, `x.sort_index(ascending=False)`."""
        if isinstance(node, ast.Subscript):
            return self._is_reversal(node.slice)
        if isinstance(node, ast.Attribute):
            return self._is_reversed(node.value)
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            return False
        if node.func.attr == "sort_index":
            return self._is_false(_find_argument(node, 99, "ascending"))
        if node.func.attr == "sort_values":
            return fold_constant(_find_argument(node, 0, "by"), self.constants) != "date"
        return node.func.attr in ("flip", "flipud") or self._is_reversed(node.func.value)


def _uses_whole_sample(node: ast.Call, name: str, base: str) -> bool:
    """Whether a method gives each bar what all bars of the sample, or of its group, decide."""
    if name == "rank":
        return base == SERIES and not _is_across_columns(node)
    return (
        name == "transform"
        and base == GROUPS
        and _constant_value(_find_argument(node, 0, "func")) in _REDUCED | {"last"}
    )


def _combine_kinds(*kinds: str) -> str:
    return next((kind for kind in (SERIES, STATISTIC, LAST) if kind in kinds), OTHER)


def _find_argument(node: ast.Call, position: int, name: str) -> ast.expr | None:
    for keyword in node.keywords:
        if keyword.arg == name:
            return keyword.value
        if keyword.arg is None and isinstance(keyword.value, ast.Dict):  # shift(**{"periods": -1})
            for key, value in zip(keyword.value.keys, keyword.value.values, strict=True):
                if _constant_value(key) == name:
                    return value
    if any(isinstance(arg, ast.Starred) for arg in node.args):  # shift(*[-1])
        spread = [
            each
            for arg in node.args
            for each in (
                arg.value.elts
                if isinstance(arg, ast.Starred) and isinstance(arg.value, ast.List | ast.Tuple)
                else [arg]
            )
        ]
        return spread[position] if position < len(spread) else None
    return node.args[position] if position < len(node.args) else None


def _constant_value(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _is_across_columns(node: ast.Call) -> bool:
    """Whether a call works across the columns of one bar, not along the bars."""
    return _constant_value(_find_argument(node, 0, "axis")) in (1, "columns")


def _underlying_series(node: ast.expr) -> ast.expr:
    """Return the series that an item is taken of: x of `x.iloc`, `x.values`, `x.tolist()`, `list(x)`, else itself."""
    if isinstance(node, ast.Attribute) and node.attr in ("iloc", "loc", "iat", "at", "values"):
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _LISTED:
        return node.func.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "list" and node.args:
        return node.args[0]
    return node


def _is_one_series(node: ast.expr) -> bool:
    """Whether it is one column, not a frame: a frame in another order is for reading, its dates go with it."""
    node = _underlying_series(node)
    if isinstance(node, ast.Name):
        return node.id != "df"
    if isinstance(node, ast.Attribute):
        return node.attr in _BARS
    if isinstance(node, ast.Subscript):
        return isinstance(_constant_value(node.slice), str) or _is_one_series(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _is_one_series(node.func.value)
    return True


def _last_bar_operand(node: ast.AST) -> ast.expr | None:
    """Return what is taken at the last bar only: x of `latest(x)`, `x.iloc[-1]`, `x.tail(1)`, `x[-1]`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _LAST_ONLY and node.args:
        return node.args[0]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "tail":
        return node.func.value if _constant_value(_find_argument(node, 0, "n")) == 1 else None
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.UnaryOp) and isinstance(node.slice.op, ast.USub):
        base = node.value
        return base.value if isinstance(base, ast.Attribute) and base.attr in ("iloc", "values", "iat") else base
    return None
