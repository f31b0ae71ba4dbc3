"""What a skill knows: its procedure, patterns, red flags and rules, read from knowledge/*.yaml in two languages.

An entry that is malformed is left out and told of; the others count.
"""

from typing import Any, NamedTuple

from ia.faculties.skills.model import Skill
from ia.faculties.skills.procedure import load_tree
from ia.faculties.skills.registry import find
from ia.kernel import config
from ia.kernel.errors import Message
from ia.kernel.workspace import Workspace

TIERS = {"tier1_must_know": 1, "tier2_core": 2, "tier3_edge": 3}
FILES = ("sop", "patterns", "rules")
STANCES = ("for", "against", "neutral")
TRENDS = ("up", "down", "none")


class Text(NamedTuple):
    """A sentence as the author wrote it, and in English where there is an `_en` field."""

    own: str
    en: str

    def said(self, lang: str | None = None) -> str:
        """Return it in `zh` or `en` (default: the user's language), in whichever is there."""
        return (self.en if (lang or config.locale_lang()) == "en" and self.en else self.own) or self.en

    def __bool__(self) -> bool:
        return bool(self.own or self.en)


class Pattern(NamedTuple):
    """A typical picture: how it is recognized, what it points to, how sure that is (high, medium, low).

    stance  whether it speaks `for` the security, `against` it, or neither (`neutral`, the default)
    trend   what it says of the trend: `up`, `down`, `none` (there is no trend), or "" where it says nothing of it
    """

    id: str
    name: Text
    signature: Text
    indication: Text
    confidence: str
    condition: Text
    source: Text
    stance: str
    trend: str


class RedFlag(NamedTuple):
    """A warning sign: severity is critical, warning or notice. Its stance is `against` where the file gives none."""

    id: str
    name: Text
    signal: Text
    action: Text
    severity: str
    condition: Text
    source: Text
    stance: str
    trend: str


class Rule(NamedTuple):
    """If condition, then conclusion (tier 2, 3) or action (tier 1); tier 1 is looked at first.

    Stance and trend are as in Pattern.
    """

    id: str
    tier: int
    condition: Text
    conclusion: Text
    action: Text
    confidence: str
    note: Text
    source: Text
    stance: str
    trend: str


class Knowledge(NamedTuple):
    """All that a skill knows. `sop` is the procedure as plain data; problems: what of the files cannot be used."""

    sop: dict[str, Any] | None
    patterns: tuple[Pattern, ...]
    red_flags: tuple[RedFlag, ...]
    rules: tuple[Rule, ...]
    problems: tuple[Message, ...]

    def tier(self, number: int) -> tuple[Rule, ...]:
        """Return the rules of tier 1, 2 or 3."""
        return tuple(rule for rule in self.rules if rule.tier == number)


def knowledge(ws: Workspace, name: str) -> Knowledge:
    """Return what a skill knows; empty parts for files that are missing. Disabled skills are read too.

    raises  NotFound.
    """
    return of(ws, find(ws, name))


def of(ws: Workspace, skill: Skill) -> Knowledge:
    """Return what a skill knows."""
    problems: list[Message] = []
    read = _Reader(problems)
    trees = {name: load_tree(ws, skill, name, problems) for name in FILES}
    patterns, rules = trees["patterns"], trees["rules"]
    return Knowledge(
        trees["sop"] or None,
        tuple(map(read.pattern, read.entries(patterns, "quick_patterns", "patterns"))),
        tuple(map(read.red_flag, read.entries(patterns, "red_flags", "patterns"))),
        tuple(read.rule(entry, tier) for key, tier in TIERS.items() for entry in read.entries(rules, key, "rules")),
        tuple(problems),
    )


def localized(value: Any, lang: str | None = None) -> Any:
    """Return plain data in one language: `name_en` takes the place of `name` in English, and goes in Chinese."""
    english = (lang or config.locale_lang()) == "en"
    if isinstance(value, list):
        return [localized(item, lang) for item in value]
    if not isinstance(value, dict):
        return value
    out = {}
    for key, item in value.items():
        if key.endswith("_en") and key[:-3] in value:
            continue
        english_item = value.get(f"{key}_en")
        out[key] = localized(english_item if english and english_item else item, lang)
    return out


def phases(sop: dict[str, Any], lang: str | None = None) -> list[dict[str, Any]]:
    """Return a procedure as data in one language: phases (id, name, entry_condition, exit_condition, steps); a step has
    id, action, tool, args, lens, output, unit, as far as it gives them.
    """
    found = []
    for phase in _entries(localized(sop, lang).get("phases")):
        told: dict[str, Any] = _words(phase, "id", "name", "entry_condition", "exit_condition")
        told["steps"] = [_step(step) for step in _entries(phase.get("steps"))]
        found.append(told)
    return found


def _step(step: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = _words(step, "id", "action", "tool", "lens", "output", "unit")
    args = step.get("args")
    return told | ({"args": args} if isinstance(args, dict) and args else {})


def _words(entry: dict[str, Any], *keys: str) -> dict[str, str]:
    return {key: word for key in keys if (word := _word(entry, key))}


def outline(procedure: list[dict[str, Any]]) -> list[str]:
    """Return phases as lines: each with its conditions, and below it its steps.

    A step is `- ID action [tool(name=value)] <lens> = output (unit)`, without the parts that it does not have. This is
    for a model to read; a program takes phases().
    """
    lines = []
    for phase in procedure:
        ends = "; ".join(phase[key] for key in ("entry_condition", "exit_condition") if key in phase)
        lines.append(f"{phase.get('id', '')} {phase.get('name', '')}" + (f" ({ends})" if ends else ""))
        lines += [_outlined(step) for step in phase["steps"]]
    return lines


def _outlined(step: dict[str, Any]) -> str:
    given = ", ".join(f"{key}={value}" for key, value in step.get("args", {}).items())
    tool, lens, output, unit = (step.get(key, "") for key in ("tool", "lens", "output", "unit"))
    parts = [
        f"- {step.get('id', '')} {step.get('action', '')}",
        f"[{tool}({given})]" if tool and given else f"[{tool}]" if tool else "",
        f"<{lens}>" if lens else "",
        f"= {output}" + (f" ({unit})" if unit else "") if output else "",
    ]
    return " ".join(filter(None, parts))


def _entries(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


class _Reader:
    """Reads entries of knowledge, and keeps what is wrong with them."""

    def __init__(self, problems: list[Message]) -> None:
        self.problems = problems
        self.seen: set[str] = set()

    def entries(self, tree: dict[str, Any], key: str, file: str) -> list[dict[str, Any]]:
        """Return the entries below a key that are trees with an id of their own."""
        found = tree.get(key)
        if found is not None and not isinstance(found, list):
            self.problems.append(Message("knowledge/{file}.yaml: {key} is no list", file=file, key=key))
        out = []
        for at, entry in enumerate(found if isinstance(found, list) else [], 1):
            if not isinstance(entry, dict) or not isinstance(entry.get("id"), str | int):
                self.problems.append(
                    Message("knowledge/{file}.yaml: entry {at} of {key} has no id", file=file, at=at, key=key)
                )
            elif str(entry["id"]) in self.seen:
                self.problems.append(
                    Message("knowledge/{file}.yaml: the id {id} stands twice", file=file, id=str(entry["id"])[:40])
                )
            else:
                self.seen.add(str(entry["id"]))
                out.append(entry)
        return out

    def pattern(self, entry: dict[str, Any]) -> Pattern:
        return Pattern(
            _word(entry, "id"), _text(entry, "name"), _text(entry, "signature"), _text(entry, "indication"),
            _word(entry, "confidence"), _text(entry, "condition"), _text(entry, "source"),
            *self._direction(entry, "patterns"),
        )  # fmt: skip

    def red_flag(self, entry: dict[str, Any]) -> RedFlag:
        return RedFlag(
            _word(entry, "id"), _text(entry, "name"), _text(entry, "signal"), _text(entry, "action"),
            _word(entry, "severity"), _text(entry, "condition"), _text(entry, "source"),
            *self._direction(entry, "patterns", "against"),
        )  # fmt: skip

    def rule(self, entry: dict[str, Any], tier: int) -> Rule:
        return Rule(
            _word(entry, "id"), tier, _text(entry, "condition"), _text(entry, "conclusion"), _text(entry, "action"),
            _word(entry, "confidence") or _word(entry, "priority"), _text(entry, "note"), _text(entry, "source"),
            *self._direction(entry, "rules"),
        )  # fmt: skip

    def _direction(self, entry: dict[str, Any], file: str, default: str = "neutral") -> tuple[str, str]:
        """Return the stance and the trend of an entry; the default for what is missing or invalid."""
        return (
            self._choice(entry, "stance", STANCES, file) or default,
            self._choice(entry, "trend", TRENDS, file),
        )

    def _choice(self, entry: dict[str, Any], key: str, choices: tuple[str, ...], file: str) -> str:
        value = _word(entry, key)
        if not value or value in choices:
            return value
        self.problems.append(
            Message(
                "knowledge/{file}.yaml: {key} of {id} is not one of {choices}",
                file=file, key=key, id=_word(entry, "id")[:40], choices=", ".join(choices),
            )
        )  # fmt: skip
        return ""


def _word(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    if isinstance(value, list):
        return "; ".join(str(item) for item in value if not isinstance(item, dict | list))
    return "" if value is None or isinstance(value, dict) else " ".join(str(value).split())


def _text(entry: dict[str, Any], key: str) -> Text:
    return Text(_word(entry, key), _word(entry, f"{key}_en"))
