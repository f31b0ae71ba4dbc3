"""Find look-ahead in an expression: values of a bar that only a later bar could know. Works on the syntax tree.

Two kinds are found. Operations that move later values to earlier bars (`shift(-1)`, centred windows, back-filling), by
their form. And statistics of the whole sample (`close.mean()`) that meet a series, by following what is a series and
what is a statistic through operators, calls and assignments; on its own, or for the last bar only, such a figure is no
harm.
"""

import ast
from typing import NamedTuple

from ia.compute.wire import FILENAME
from ia.errors import Message

_BACKWARDS = "{source}:{line}: {what} looks ahead: it brings later values to earlier bars"
_CENTRED = "{source}:{line}: {what} looks ahead: half of its window lies after the bar"
_FILLED = "{source}:{line}: {what} looks ahead: it fills a gap with what came after it"
_WHOLE = "{source}:{line}: {what} looks ahead: at each bar it uses a statistic of the whole sample"
_LABEL = "{source}:{line}: {what} looks ahead: it dates what a period ended with to the period's start"
_PLOTTED = "{source}:{line}: {what} looks ahead as it is usually drawn; pass lookahead=False"
_ROLLED = "{source}:{line}: {what} looks ahead: it wraps the last values round to the first bars"

SERIES, STATISTIC, WINDOW, GROUPS, OTHER = "series", "statistic", "window", "groups", "other"

_BARS = frozenset({"df", "open", "high", "low", "close", "volume", "date"})
_MOVED = frozenset({"shift", "diff", "pct_change", "tshift"})
_MOVED_COREUTILS = frozenset({"prev", "ref", "change", "roc", "delay"})
_LAST_ONLY = frozenset({"latest", "prev"})
_REDUCED = frozenset(
    {"mean", "median", "std", "var", "min", "max", "quantile", "sum", "skew", "kurt", "sem", "mode", "mad"}
)
_REDUCED |= {"average", "percentile", "ptp", "nanmean", "nanmedian", "nanstd", "nanvar", "nanmin", "nanmax"}
_REDUCED |= {"nanpercentile", "nanquantile", "amin", "amax"}
_PLAIN = frozenset(
    {"count", "nunique", "autocorr", "corr", "cov", "idxmax", "idxmin", "all", "any", "item", "describe", "tolist"}
)
_ORDERED = frozenset({"rolling", "expanding", "ewm", "cummax", "cummin", "cumsum", "cumprod", "ffill", *_MOVED})
_WITH_A_LEVEL = frozenset(
    {"fillna", "where", "mask", "clip", "add", "sub", "mul", "div", "truediv", "pow", "rsub", "rdiv"}
)
_WITH_A_LEVEL |= {"gt", "ge", "lt", "le", "eq", "ne", "select", "maximum", "minimum"}
_BACK_METHODS = frozenset({"bfill", "backfill", "nearest"})
_PERIOD_STARTS = frozenset({"MS", "BMS", "QS", "BQS", "YS", "AS", "BYS"})
_DRAWN_AHEAD = {"ichimoku": "lookahead", "dpo": "lookahead"}


class Finding(NamedTuple):
    """One place where an expression looks ahead: its line, its text, and the sentence about it."""

    line: int
    what: str
    message: Message


def look_ahead(source: str, origin: str = FILENAME) -> list[Finding]:
    """Return what looks ahead in a source (`origin` in messages), in order; an empty list for one that does not parse.

    >>> [str(f.message) for f in look_ahead("close.shift(-1) / close - 1")]
    ['<expression>:1: close.shift(-1) looks ahead: it brings later values to earlier bars']
    >>> look_ahead("(close - close.rolling(60).mean()) / close.mean().round()")[0].what
    '(close - close.rolling(60).mean()) / close.mean().round()'
    >>> look_ahead("close.mean()")
    []
    """
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.strip())
        linter = _Linter(tree, origin)
        for statement in tree.body:
            linter.visit(statement)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found = {(f.line, f.what, f.message.template): f for f in linter.findings}
    return sorted(found.values(), key=lambda f: f.line)


class _Linter(ast.NodeVisitor):
    def __init__(self, tree: ast.Module, origin: str) -> None:
        self.origin = origin
        self.findings: list[Finding] = []
        self.kinds: dict[str, str] = dict.fromkeys(_BARS, SERIES)
        self.negative: set[str] = set()
        self.last_only: set[int] = set()  # what is computed for the last bar alone
        for node in ast.walk(tree):
            inner = _at_last_bar(node)
            if inner is not None:
                self.last_only.update(id(n) for n in ast.walk(inner))

    def _found(self, node: ast.expr, template: str) -> None:
        what = " ".join(ast.unparse(node).split())
        what = what if len(what) <= 60 else what[:57] + "..."
        self.findings.append(
            Finding(node.lineno, what, Message(template, source=self.origin, line=node.lineno, what=what))
        )

    # --- what a name stands for ----------------------------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.kinds[target.id] = self.kind(node.value)
                (self.negative.add if self._is_negative(node.value) else self.negative.discard)(target.id)

    def visit_For(self, node: ast.For) -> None:
        for name in ast.walk(node.target):
            if isinstance(name, ast.Name):
                self.kinds[name.id] = OTHER
        self.generic_visit(node)

    def _scoped(self, node: ast.FunctionDef | ast.Lambda) -> None:
        before = dict(self.kinds)
        for arg in ast.walk(node.args):
            if isinstance(arg, ast.arg):
                self.kinds[arg.arg] = OTHER
        self.generic_visit(node)
        self.kinds = before

    visit_FunctionDef = _scoped
    visit_Lambda = _scoped

    def kind(self, node: ast.expr) -> str:
        """Return whether an expression is a series, a statistic of a whole series, a window, or something else."""
        if isinstance(node, ast.Name):
            return self.kinds.get(node.id, OTHER)
        if isinstance(node, ast.Attribute):
            if node.attr in _BARS:
                base = self.kind(node.value)
                return base if base in (GROUPS, WINDOW) else SERIES
            return self.kind(node.value) if node.attr in ("values", "index", "T", "dt", "str") else OTHER
        if isinstance(node, ast.UnaryOp):
            return self.kind(node.operand)
        if isinstance(node, ast.BinOp):
            return _joined(self.kind(node.left), self.kind(node.right))
        if isinstance(node, ast.Compare):
            return _joined(self.kind(node.left), *map(self.kind, node.comparators))
        if isinstance(node, ast.Subscript):
            return self._kind_of_item(node)
        return self._kind_of_call(node) if isinstance(node, ast.Call) else OTHER

    def _kind_of_item(self, node: ast.Subscript) -> str:
        base = node.value
        if isinstance(base, ast.Attribute) and base.attr in ("iloc", "loc", "at", "iat"):
            return OTHER  # a part: what is computed of it may well lie in the past
        if isinstance(node.slice, ast.Slice):
            return OTHER
        text = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        if text and isinstance(base, ast.Name) and base.id != "df" and base.id in _BARS:
            return OTHER  # close["2022"]
        return self.kind(base)

    def _kind_of_call(self, node: ast.Call) -> str:
        function = node.func
        given = [self.kind(a) for a in [*node.args, *(k.value for k in node.keywords)]]
        if isinstance(function, ast.Name):
            if function.id in _LAST_ONLY:
                return OTHER
            if function.id in ("max", "min", "sum") and len(node.args) == 1:
                return STATISTIC if given[0] == SERIES else OTHER
            return _joined(*given) if given else OTHER
        if not isinstance(function, ast.Attribute):
            return OTHER
        owner, name = function.value, function.attr
        if isinstance(owner, ast.Name) and owner.id in ("np", "ta", "pd", "math") and owner.id not in self.kinds:
            reduced = owner.id == "np" and name in _REDUCED and given[:1] == [SERIES]
            return STATISTIC if reduced else _joined(*given) if given else OTHER
        base = self.kind(owner)
        if base == SERIES:
            if name in _REDUCED and not _across(node):
                return STATISTIC
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
        self._meeting(node, [node.left, node.right])
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        self._meeting(node, [node.left, *node.comparators])
        self.generic_visit(node)

    def _meeting(self, node: ast.expr, parts: list[ast.expr]) -> None:
        kinds = {self.kind(part) for part in parts}
        if {SERIES, STATISTIC} <= kinds and id(node) not in self.last_only:
            self._found(node, _WHOLE)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Name):
            if function.id in _MOVED_COREUTILS and len(node.args) > 1 and self._is_negative(node.args[1]):
                self._found(node, _BACKWARDS)
        elif isinstance(function, ast.Attribute):
            owner = function.value
            library = owner.id if isinstance(owner, ast.Name) and owner.id in ("np", "pd", "ta") else ""
            if library:
                self._library(node, library, function.attr)
            else:
                self._method(node, owner, function.attr)
        self.generic_visit(node)

    def _method(self, node: ast.Call, owner: ast.expr, name: str) -> None:
        base = self.kind(owner)
        if name in _MOVED and self._is_negative(_argument(node, 0, "periods")):
            self._found(node, _BACKWARDS)
        elif name == "rolling" and _is_true(_argument(node, 2, "center")):
            self._found(node, _CENTRED)
        elif name in ("bfill", "backfill", "interpolate") or _constant(_argument(node, 9, "method")) in _BACK_METHODS:
            self._found(node, _FILLED)
        elif name == "resample" and self._dated_to_the_start(node):
            self._found(node, _LABEL)
        elif _whole_at_each_bar(node, name, base) and id(node) not in self.last_only:
            self._found(node, _WHOLE)
        elif name in _WITH_A_LEVEL and base == SERIES:
            values = [*node.args, *(k.value for k in node.keywords)]
            if any(self.kind(value) == STATISTIC for value in values) and id(node) not in self.last_only:
                self._found(node, _WHOLE)
        if name in _ORDERED and _is_reversed(owner):
            self._found(node, _BACKWARDS)

    def _library(self, node: ast.Call, library: str, name: str) -> None:
        given = [self.kind(value) for value in node.args]
        if library == "np" and name == "roll":
            backwards = self._is_negative(_argument(node, 1, "shift"))
            self._found(node, _BACKWARDS if backwards else _ROLLED)
        elif library == "np" and (
            name == "gradient" or (name == "convolve" and _constant(_argument(node, 2, "mode")) == "same")
        ):
            self._found(node, _CENTRED)
        elif library == "np" and name in ("where", *_WITH_A_LEVEL) and {SERIES, STATISTIC} <= set(given):
            self._found(node, _WHOLE)
        elif library == "pd" and name == "merge_asof":
            if _constant(_argument(node, 99, "direction")) in ("forward", "nearest"):
                self._found(node, _FILLED)
        elif library == "pd" and name in ("cut", "qcut") and given[:1] == [SERIES] and id(node) not in self.last_only:
            if name == "qcut" or isinstance(_constant(_argument(node, 1, "bins")), int):
                self._found(node, _WHOLE)
        elif library == "ta":
            if self._is_negative(_argument(node, 99, "offset")):
                self._found(node, _BACKWARDS)
            switch = _DRAWN_AHEAD.get(name)
            if switch and not any(_is_false(_argument(node, 99, key)) for key in (switch, "centered")):
                self._found(node, _PLOTTED)

    def _dated_to_the_start(self, node: ast.Call) -> bool:
        rule = _constant(_argument(node, 0, "rule"))
        label = _constant(_argument(node, 99, "label"))
        start = isinstance(rule, str) and rule.lstrip("0123456789").partition("-")[0] in _PERIOD_STARTS
        return label == "left" or (start and label != "right")

    def _is_negative(self, node: ast.expr | None) -> bool:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return not self._is_negative(node.operand)
        return isinstance(node, ast.Name) and node.id in self.negative


def _whole_at_each_bar(node: ast.Call, name: str, base: str) -> bool:
    """Whether a method gives each bar what all bars of the sample, or of its group, decide."""
    if name == "rank":
        return base == SERIES and not _across(node)
    return name == "transform" and base == GROUPS and _constant(_argument(node, 0, "func")) in _REDUCED | {"last"}


def _joined(*kinds: str) -> str:
    return SERIES if SERIES in kinds else STATISTIC if STATISTIC in kinds else OTHER


def _argument(node: ast.Call, position: int, name: str) -> ast.expr | None:
    for keyword in node.keywords:
        if keyword.arg == name:
            return keyword.value
    return node.args[position] if position < len(node.args) else None


def _constant(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _is_true(node: ast.expr | None) -> bool:
    return _constant(node) is True


def _is_false(node: ast.expr | None) -> bool:
    return _constant(node) is False


def _across(node: ast.Call) -> bool:
    """Whether a call works across the columns of one bar, not along the bars."""
    return _constant(_argument(node, 0, "axis")) in (1, "columns")


def _is_reversed(node: ast.expr) -> bool:
    """Whether a series is read from its end: `x[::-1]`, `x.iloc[::-1]`, `x.sort_index(ascending=False)`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        step = node.slice.step
        return isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "sort_index":
            return _is_false(_argument(node, 99, "ascending"))
        return _is_reversed(node.func.value)
    return False


def _at_last_bar(node: ast.AST) -> ast.expr | None:
    """Return what is taken at the last bar only: x of `latest(x)`, `x.iloc[-1]`, `x.tail(1)`, `x[-1]`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _LAST_ONLY and node.args:
        return node.args[0]
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.UnaryOp) and isinstance(node.slice.op, ast.USub):
        base = node.value
        return base.value if isinstance(base, ast.Attribute) and base.attr in ("iloc", "values", "iat") else base
    return None
