"""No part of ia reads the sentences of another: what a program must know travels as a field.

A sentence is what is written for a person:

- the attributes `error`, `hint`, `template`, `stderr` and `sentence` of anything;
- the fields `"error"`, `"hint"`, `"message"` and `"stderr"` of a document: `told["hint"]`, `told.get("hint")`;
- `str(x)`, `repr(x)` or `f"{x}"` of an exception: a name bound by `except … as x`, or a name or attribute called exc,
  error, failure, message, problem or reason;
- a name `errors` or `complaint`: what a process wrote to standard error;
- what is made of one by lower(), casefold(), strip(), lstrip(), rstrip(), decode(), split(), splitlines(), join(),
  reversed() or an index, and a local name that such a value is assigned to, or that goes through one in a loop.

It is read where it is

- searched: `x in SENTENCE`, or a regular expression's search, match, fullmatch, findall, finditer, split or sub over it;
- compared: `==`, `!=`, `in` or `match` with a literal, a collection of literals or a CONSTANT;
- taken apart: startswith, endswith, find, rfind, index, count, partition, rpartition, removeprefix, removesuffix, or split
  at a literal.

`status`, and the attributes `why`, `because`, `origin` and `reason`, may be a word of a short list and compared as a
whole; searching them or taking them apart is found as well, and so is SQL that looks into such a column with LIKE, GLOB
or instr(). The floor `reach` compares nothing with a Chinese literal: it handles reports and messages, and knows what
they say by fields. The test sees one function at a time: a sentence that is handed on as an argument of another name
escapes it. Left out are the suites for adapters, channels and providers (`conformance.py`), which judge sentences.
"""

import ast
import re

import pytest

from support.source_code import files, nodes, parse

ATTRIBUTES = {"error", "hint", "template", "stderr", "sentence"}
KEYS = {"error", "hint", "message", "stderr"}
WORDS = {"status", "why", "because", "origin", "reason"}
STREAMS = {"errors", "complaint"}
FAILURES = {"exc", "error", "failure", "message", "problem", "reason"}
SHAPING = {"lower", "casefold", "strip", "lstrip", "rstrip", "decode", "split", "splitlines", "join"}
SEARCHING = {"search", "match", "fullmatch", "findall", "finditer", "split", "sub", "subn"}
TAKING = {"startswith", "endswith", "find", "rfind", "index", "rindex", "count", "partition", "rpartition",
          "removeprefix", "removesuffix", "split", "rsplit"}  # fmt: skip

LOOKING = re.compile(
    r"\b(?:why|because|origin|reason)\s+(?:NOT\s+)?(?:LIKE|GLOB)\b|\binstr\((?:why|because|origin|reason)\b"
)
"""SQL that looks into a column of sentences."""

ALLOWED = {
    "lib/ia/organs/compute/evaluate.py: _error_sentence": "pandas and NumPy tell in words only that a series is no truth",
    "lib/ia/reach/bridges/bot_api.py: send_message": "what python-telegram-bot names its failure, which has no code",
    "lib/ia/reach/bridges/telegram_listener.py: _call_until_reached": "Telegram tells its two conflicts apart in words only",
}
"""Beginning of `path: function` → why it may: a program that is not ia's wrote the sentence."""


class Reader(ast.NodeVisitor):
    """Collect where a function reads sentences."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.found: list[tuple[str, int, str]] = []
        self.where = ["module"]
        self.caught: list[set[str]] = [set()]
        self.names: list[dict[str, str]] = [{}]

    def visit_FunctionDef(self, node):
        self.where.append(node.name)
        self.caught.append({h.name for h in ast.walk(node) if isinstance(h, ast.ExceptHandler) and h.name})
        self.names.append({})
        for each in ast.walk(node):  # a name is followed through one assignment, wherever it stands
            for target, value in assignments(each):
                if kind := self.kind(value):
                    self.names[-1][target] = kind
        self.generic_visit(node)
        self.where.pop()
        self.caught.pop()
        self.names.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def kind(self, node) -> str:
        """Return "sentence" or "status" for an expression that is one, else ""."""
        match node:
            case ast.Name(id=name):
                known = next((names[name] for names in reversed(self.names) if name in names), "")
                return known or ("sentence" if name in STREAMS else "")
            case ast.Subscript(slice=ast.Constant(value="status")):
                return "status"
            case ast.Attribute(attr=name) if name in WORDS:
                return "status"
            case ast.Attribute(attr=name) if name in ATTRIBUTES:
                return "sentence"
            case ast.Subscript(slice=ast.Constant(value=str(key))):
                return "sentence" if key in KEYS else ""
            case ast.Subscript(value=value):
                return self.kind(value)
            case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(key)), *_]):
                return "sentence" if key in KEYS else "status" if key == "status" else ""
            case ast.Call(func=ast.Attribute(attr=name, value=value), args=args) if name in SHAPING:
                return self.kind(value) or next(filter(None, map(self.kind, args)), "")
            case ast.Call(func=ast.Name(id="reversed"), args=[value]):
                return self.kind(value)
            case ast.Call(func=ast.Name(id="str" | "repr"), args=[value]):
                return "sentence" if self.is_failure(value) else self.kind(value)
            case ast.JoinedStr(values=values):
                parts = [part.value for part in values if isinstance(part, ast.FormattedValue)]
                made = any(self.is_failure(part) or self.kind(part) == "sentence" for part in parts)
                return "sentence" if made else ""
            case ast.NamedExpr(value=value):
                return self.kind(value)
            case ast.BoolOp(values=values):
                return next(filter(None, map(self.kind, values)), "")
            case ast.IfExp(body=body, orelse=orelse):
                return self.kind(body) or self.kind(orelse)
            case ast.GeneratorExp(elt=elt) | ast.ListComp(elt=elt):
                return self.kind(elt)
        return ""

    def is_failure(self, node) -> bool:
        match node:
            case ast.Name(id=name):
                return name in FAILURES or any(name in caught for caught in self.caught)
            case ast.Attribute(attr=name):
                return name in FAILURES
        return False

    def note(self, node):
        self.found.append((f"{self.path}: {self.where[-1]}", node.lineno, ast.unparse(node)))

    def visit_Compare(self, node):
        sides = [node.left, *node.comparators]
        for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if isinstance(op, ast.In | ast.NotIn) and self.kind(right):
                self.note(node)
            elif isinstance(op, ast.In | ast.NotIn | ast.Eq | ast.NotEq):
                pairs = ((left, right), (right, left))
                if any(self.kind(one) == "sentence" and is_fixed(other) for one, other in pairs):
                    self.note(node)
        if self.path.startswith("lib/ia/reach/") and any(map(is_chinese, ast.walk(node))):
            self.note(node)
        self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, str) and LOOKING.search(node.value):
            self.note(node)

    def visit_Match(self, node):
        if self.kind(node.subject) == "sentence":
            self.note(node.subject)
        self.generic_visit(node)

    def visit_Call(self, node):
        if isinstance(node.func, ast.Attribute):
            name, held = node.func.attr, node.func.value
            if (name in TAKING and node.args and self.kind(held) and (name != "split" or is_fixed(node.args[0]))) or (
                name in SEARCHING and not self.kind(held) and any(map(self.kind, node.args))
            ):
                self.note(node)
        self.generic_visit(node)


def assignments(node):
    """Yield (name, value) of an assignment to plain names, one by one where several stand beside each other."""
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.NamedExpr(target=ast.Name(id=name), value=value)
        ):
            yield name, value
        case ast.comprehension(target=ast.Name(id=name), iter=value) | ast.For(target=ast.Name(id=name), iter=value):
            yield name, value
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            for name, value in zip(names, values, strict=True):
                if isinstance(name, ast.Name):
                    yield name.id, value


def is_chinese(node) -> bool:
    """Whether an expression is a literal with Chinese characters."""
    return isinstance(node, ast.Constant) and re.search("[\u4e00-\u9fff]", str(node.value)) is not None


def is_fixed(node) -> bool:
    """Whether an expression is a text that is written down, "" apart: a literal, several, or a CONSTANT."""
    match node:
        case ast.Constant(value=str(text)) | ast.Constant(value=bytes(text)):
            return bool(text)
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            return any(map(is_fixed, elts))
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.strip("_").isupper()
    return False


def readers(path: str, tree: ast.Module):
    reader = Reader(path)
    reader.visit(tree)
    return reader.found


def made(code):
    return ast.parse("def work(exc, failure, problem):\n    " + code.replace("\n", "\n    "))


def test_nothing_reads_a_sentence():
    found = [
        hit for path, file in files("lib/ia") if file.name != "conformance.py" for hit in readers(path, parse(file))
    ]
    wrong = [f"{place} (line {line}): {code}" for place, line, code in found if not place.startswith(tuple(ALLOWED))]
    assert not wrong, "\n".join(wrong)
    unused = [start for start in ALLOWED if not any(place.startswith(start) for place, _, _ in found)]
    assert not unused, "these read no sentence any more: take them off the list"


@pytest.mark.parametrize(
    "code",
    [
        'if "no such" in result.error: pass',
        'ok = not any(word in result.error for word in ("no such skill", "is disabled"))',
        'try: f()\nexcept OSError as e:\n    if "locked" in str(e): pass',
        'if exc.template.startswith("this system"): pass',
        "if message.template == UNLOCKED: pass",
        'if failure.hint == "try again": pass',
        'spot = re.search("such as (.+)", result.error)',
        "spot = _FREE.search(result.error)",
        'low = failure.error.casefold()\nif "ban" in low: pass',
        'low, speak = f"{exc}".lower(), 1\nif "ban" in low: pass',
        'told = run.stderr.decode().strip()\nif told.endswith("damaged"): pass',
        'if str(result.get("status") or "").startswith("written"): pass',
        'if "untrusted" in told["status"]: pass',
        'if told.get("hint") == "try again": pass',
        'names = str(failure).split("could be:")',
        'match str(exc):\n    case "no": pass',
        'bare = _QUOTED.sub("", str(failure))',
        'if (why := str(problem)) in ("late", "gone"): pass',
        "if proposal.origin.startswith(after): pass",
        'parts = set(waiting.origin.split("; "))',
        'if revision.why.startswith("undo of revision "): pass',
        "target = revision.why.removeprefix(UNDO)",
        "ids = db.execute(\"SELECT id FROM revisions WHERE why LIKE 'profile %' ORDER BY id\")",
        'lines = [line.strip() for line in errors.splitlines() if not line.startswith(("hint:", "提示"))]',
        'for line in reversed(complaint.splitlines()):\n    if "hint" in line: pass',
    ],
)
def test_a_reader_is_found(code):
    assert readers("made.py", made(code))


@pytest.mark.parametrize(
    "code",
    [
        'if failure.code == "not-found": pass',
        'if result.get("status") == "untrusted": pass',
        'if failure.status in (69, 75) or run.status == "done": pass',
        "if exc.hint is None or not failure.error: pass",
        "lines = str(exc).split()",
        'notify(Message("{reason}", reason=str(exc)))',
        'path = spot["path"].removeprefix("notebook/")',
        'line = "; ".join(str(failure) for failure in failures)',
        'if wanted.why == "ex-date" or tool.origin != "ia": pass',
        'last = next((line.strip() for line in reversed(errors.splitlines()) if line.strip()), "")',
        'slots = db.execute("SELECT slot FROM runs WHERE slot GLOB ?", (f"{kind} *",))',
    ],
)
def test_what_is_no_reader_is_left_alone(code):
    assert not readers("made.py", made(code))


def test_reach_compares_no_report_with_chinese_words():
    code = 'def tell(body):\n    return "模拟" not in body'
    assert readers("lib/ia/reach/made.py", ast.parse(code))
    assert not readers("lib/ia/kernel/made.py", ast.parse(code))


SLUG = re.compile(r"[a-z]+(-[a-z]+)*")
"""How a code is written. `symbol.code` is the code of a security, and has digits."""


def codes_of(tree, nodes):
    """Return the codes that a file gives to failures and messages, and those that it tells apart."""
    given, asked = set(), set()
    constants = {name: value for node in tree.body for name, value in assignments(node)}
    for node in nodes:
        if isinstance(node, ast.Call):
            given |= {text for word in node.keywords if word.arg == "code" for text in texts(word.value, constants)}
        elif isinstance(node, ast.ClassDef):
            given |= {
                text
                for each in node.body
                for name, value in assignments(each)
                if name == "code"
                for text in texts(value, constants)
            }
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Attribute) and node.left.attr == "code":
            asked |= {text for side in node.comparators for text in texts(side, constants)}
    return given, {text for text in asked if SLUG.fullmatch(text)}


def texts(node, constants):
    """Return the texts of an expression; a CONSTANT of the file stands for what it is."""
    if isinstance(node, ast.Name) and node.id in constants:
        node = constants[node.id]
    return {part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)}


def test_every_code_that_is_told_apart_is_one_that_a_failure_has():
    from ia.agent.analyst import failures
    from ia.agent.analyst.say import reply

    given, asked = set(), {*failures._KNOWN, *reply._REFUSED}
    for _, file in files("lib/ia"):
        here = codes_of(parse(file), nodes(file))
        given, asked = given | here[0], asked | here[1]
    assert {"ambiguous-symbol", "market-not-stored", "timed-out", "banned"} <= asked
    assert not asked - given
