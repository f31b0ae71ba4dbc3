"""Judge what a skill knows on bars: a condition that is a compute expression is evaluated, the rest is for a reader.

A condition counts as of the last bar. `and`, `or`, `not` and `a < b < c` are taken apart, so that they work on series
as they do on numbers, and each part is evaluated once, however many conditions share it.
"""

import ast
import functools
import time
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

from ia.faculties.skills.expertise import Knowledge, Pattern, RedFlag, SkillRule, Text, knowledge
from ia.kernel import config
from ia.kernel.errors import BadData, IaError, Message, Notify, TimedOut, drop_message, notify_once
from ia.kernel.workspace import Workspace
from ia.organs.ohlcv.canonical import Bars

SECONDS = 25.0
"""Time for all conditions of one call."""
PART_SECONDS = 3.0
"""Time for one condition, or for those that share a sandbox: one without an end must leave some for the others."""
MAX_CONDITION = 2_000
MAX_DEPTH = 60
BATCH = 20
"""Conditions that go through the sandbox in one process."""

Answer = bool | IaError
"""What a condition comes to; an expression that fails is reported, not raised."""


class RuleFinding(NamedTuple):
    """What one rule, pattern or red flag says about the bars.

    kind        rule, pattern or red_flag
    tier        1 (red flags too), 2 (patterns too) or 3
    text        what follows where it fires, in the user's language; fact: what is the case, "" where that is not apart
    confidence  high, medium, low; of a red flag and a tier 1 rule how grave it is: critical, warning, notice
    stance      for, against, neutral. trend: up, down, none, or "" where it says nothing of the trend
    problem     why the condition could not be evaluated
    """

    id: str
    kind: str
    tier: int
    text: str
    fact: str
    confidence: str
    stance: str
    trend: str
    source: str
    condition: str
    fired: bool
    problem: IaError | None


def check(
    ws: Workspace, name: str, bars: Bars, notify: Notify = drop_message, lang: str | None = None
) -> list[RuleFinding]:
    """Return a finding for each condition of a skill that bars can decide, red flags and tier 1 first.

    lang    `zh` or `en`; the locale's without it.

    Costs about a millisecond a condition; one that needs pandas costs a sandbox of half a second, twenty share one.
    raises  NotFound for the skill, BadData where there are no bars.
    """
    if not bars.date:
        raise BadData("no bars to check")
    parts = [(finding, node) for finding, node in _findings(knowledge(ws, name), lang) if node is not None]
    judge = ConditionJudge(bars, notify)
    judge.prepare(node for _, node in parts)
    out = []
    for finding, node in parts:
        answer = judge.truth(node)
        out.append(finding._replace(problem=answer) if isinstance(answer, IaError) else finding._replace(fired=answer))
    return out


def texts(ws: Workspace, name: str, lang: str | None = None) -> list[RuleFinding]:
    """Return the rules, patterns and red flags whose condition is in words: somebody who reads has to judge them.

    raises  NotFound for the skill.
    """
    return [finding for finding, node in _findings(knowledge(ws, name), lang) if node is None]


def list_findings(ws: Workspace, name: str, lang: str | None = None) -> list[RuleFinding]:
    """Return all that a skill knows, not judged: tier 1 and red flags first.

    raises  NotFound for the skill.
    """
    return [finding for finding, _ in _findings(knowledge(ws, name), lang)]


def find_finding(
    ws: Workspace, name: str, rule: str, lang: str | None = None
) -> tuple[RuleFinding, ast.expr | None] | None:
    """Return the rule, pattern or red flag of a skill that has an id, and its condition's tree; None where none has.

    The tree is None for a condition in words. raises  NotFound for the skill.
    """
    return next((each for each in _findings(knowledge(ws, name), lang) if each[0].id == rule), None)


def needs_bars(ws: Workspace, name: str) -> bool:
    """Return True if a condition of a skill is an expression on bars.

    raises  NotFound for the skill.
    """
    return any(node is not None for _, node in _findings(knowledge(ws, name), None))


@functools.lru_cache(maxsize=2048)
def expression(condition: str) -> ast.expr | None:
    """Return the syntax tree of a condition that compute can evaluate; None for words.

    >>> expression("rsi(close, 14) < 30") is not None
    True
    >>> expression("PE < 30") is None and expression("放量突破") is None and expression("volume") is None
    True
    """
    if not condition or len(condition) > MAX_CONDITION:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(condition.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if isinstance(body, ast.Name | ast.Constant) or _depth(body) > MAX_DEPTH:
        return None
    bound = {n.id for n in ast.walk(body) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {n.arg for n in ast.walk(body) if isinstance(n, ast.arg)}
    read = {n.id for n in ast.walk(body) if isinstance(n, ast.Name)} - bound
    return body if read and read <= _known_names() else None


def _depth(node: ast.AST) -> int:
    """Return how deep a tree is."""
    depth, level = 0, [node]
    while level:
        depth, level = depth + 1, [inner for each in level for inner in ast.iter_child_nodes(each)]
    return depth


def _known_names() -> frozenset[str]:
    from ia.organs.compute import allowlist
    from ia.organs.compute.functions import FUNCTIONS
    from ia.organs.compute.sandbox import NAMES

    return frozenset((*NAMES, *FUNCTIONS, *allowlist.BUILTINS))


def _findings(known: Knowledge, lang: str | None) -> list[tuple[RuleFinding, ast.expr | None]]:
    """Return all that is known as findings that have not fired, each with its condition's tree, in order of weight."""
    lang = lang or config.locale_lang()
    told = [_of_rule(rule, lang) for rule in known.tier(1)] + [_of_flag(flag, lang) for flag in known.red_flags]
    told += [_of_pattern(pattern, lang) for pattern in known.patterns]
    told += [_of_rule(rule, lang) for tier in (2, 3) for rule in known.tier(tier)]
    return told


def _of_rule(rule: SkillRule, lang: str) -> tuple[RuleFinding, ast.expr | None]:
    text = _join_conditions(": ", lang, rule.fact, rule.conclusion, rule.action)
    text += f" ({rule.note.in_language(lang)})" if rule.note else ""
    return _finding(rule, "rule", rule.tier, text, rule.fact, rule.confidence, rule.condition, lang)


def _of_flag(flag: RedFlag, lang: str) -> tuple[RuleFinding, ast.expr | None]:
    text = _join_conditions(": ", lang, flag.name or flag.signal, flag.action)
    return _finding(flag, "red_flag", 1, text, flag.name or flag.signal, flag.severity, flag.signal, lang)


def _of_pattern(seen: Pattern, lang: str) -> tuple[RuleFinding, ast.expr | None]:
    text = _join_conditions(": ", lang, seen.name, seen.indication)
    return _finding(seen, "pattern", 2, text, seen.name, seen.confidence, seen.signature, lang)


def _join_conditions(between: str, lang: str, *parts: Text) -> str:
    return between.join(part.in_language(lang) for part in parts if part)


def _finding(
    known: SkillRule | RedFlag | Pattern,
    kind: str,
    tier: int,
    text: str,
    fact: Text,
    grade: str,
    words: Text,
    lang: str,
) -> tuple[RuleFinding, ast.expr | None]:
    """Return a finding and its tree: of `expression`, else of `condition`, else of the words (signature, signal)."""
    stated = known.condition or words
    tree = expression(known.expression or stated.own)
    if tree is not None and not known.expression:
        shown = stated.own
    else:
        shown = (stated if known.condition else words).in_language(lang) or known.expression
    source = known.source.in_language(lang)
    return (
        RuleFinding(
            id=known.id,
            kind=kind,
            tier=tier,
            text=text,
            fact=fact.in_language(lang),
            confidence=grade,
            stance=known.stance,
            trend=known.trend,
            source=source,
            condition=shown,
            fired=False,
            problem=None,
        ),
        tree,
    )


class ConditionJudge:
    """Evaluates conditions on one set of bars; each part that they are made of once."""

    def __init__(self, bars: Bars, notify: Notify) -> None:
        self.bars = bars
        self.notify = notify_once(notify)
        self.deadline = time.monotonic() + SECONDS
        self.isolation = str(config.get_setting("compute.isolation"))
        self.known: dict[str, Answer] = {}

    def prepare(self, nodes: Iterable[ast.expr]) -> None:
        """Evaluate the parts of all conditions: those for arrays one by one, the others in few sandboxes."""
        from ia.organs.compute import array_backend
        from ia.organs.compute.array_lane import compile_array

        array_backend.settle_on_numpy()
        slow = []
        for part in dict.fromkeys(part for node in nodes for part in _parts(node)):
            if compile_array(part) is not None:
                self.known[part] = self._one(part)
            else:
                slow.append(part)
        for at in range(0, len(slow), BATCH):
            self._together(slow[at : at + BATCH])

    def truth(self, node: ast.expr) -> Answer:
        """Return whether a condition holds at the last bar, as Python would come to it, or what failed."""
        if isinstance(node, ast.BoolOp):
            ends = isinstance(node.op, ast.Or)
            for value in node.values:
                answer = self.truth(value)
                if isinstance(answer, IaError) or answer is ends:
                    return answer
            return not ends
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            answer = self.truth(node.operand)
            return answer if isinstance(answer, IaError) else not answer
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            for pair in _pairs(node):
                answer = self.truth(pair)
                if answer is not True:
                    return answer
            return True
        return self.known[ast.unparse(node)]

    def number(self, node: ast.expr) -> float | None:
        """Return the last value of an expression; None where it is missing, or no number. raises IaError."""
        value = self._value(ast.unparse(node))
        if isinstance(value, list):
            value = value[-1] if value else None
        usable = isinstance(value, int | float) and not isinstance(value, bool) and value == value
        return float(value) if usable else None

    def _one(self, source: str) -> Answer:
        try:
            return _yes_or_no(self._value(source), source)
        except IaError as exc:
            return exc

    def _together(self, sources: list[str]) -> None:
        """Evaluate several in one sandbox; where that fails, halve them until the one that fails is alone."""
        if len(sources) == 1:
            self.known[sources[0]] = self._one(sources[0])
            return
        from ia.organs.compute.sandbox import CannotLock

        try:
            value = self._value("{" + ", ".join(f"{at}: ({source})" for at, source in enumerate(sources)) + "}")
        except CannotLock as exc:
            self.known |= dict.fromkeys(sources, exc)
            return
        except IaError:
            half = len(sources) // 2
            self._together(sources[:half])
            self._together(sources[half:])
            return
        for at, source in enumerate(sources):
            try:
                self.known[source] = _yes_or_no(value.get(str(at)), source)
            except IaError as exc:
                self.known[source] = exc

    def _value(self, source: str) -> Any:
        """Return the last value of an expression as plain data. raises what calculate raises."""
        from ia.organs.compute.calculate import calculate_expression
        from ia.organs.compute.render import result_document

        left = self.deadline - time.monotonic()
        if left <= 0.05:
            raise TimedOut("timed out before this condition was checked")
        result = calculate_expression(
            source,
            lambda: self.bars,
            trusted=False,
            timeout=min(left, PART_SECONDS),
            isolation=self.isolation,
            notify=self._tell,
        )
        return result.value if result.type == "structure" else result_document(result)["value"]

    def _tell(self, message: Message) -> None:
        """Pass on that code runs without a lock; drop look-ahead warnings, which do not apply at the last bar."""
        from ia.organs.compute.sandbox import RunsUnlocked

        if isinstance(message, RunsUnlocked):
            self.notify(message)


def _yes_or_no(value: object, source: str) -> bool:
    if isinstance(value, list):  # a series among others comes whole
        value = value[-1] if value else None
    if isinstance(value, bool) or value is None:
        return bool(value)
    raise BadData("{source}: the condition must be true or false", source=source[:200])


def _parts(node: ast.expr) -> list[str]:
    """Return the sources of what a condition is made of, `and`, `or`, `not` and chains taken apart."""
    if isinstance(node, ast.BoolOp):
        return [part for value in node.values for part in _parts(value)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _parts(node.operand)
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return [part for pair in _pairs(node) for part in _parts(pair)]
    return [ast.unparse(node)]


def _pairs(node: ast.Compare) -> list[ast.expr]:
    operands = [node.left, *node.comparators]
    return [ast.Compare(a, [op], [b]) for a, op, b in zip(operands, node.ops, operands[1:], strict=False)]
