"""Every sentence that ia can say has a Chinese one, with the same fields."""

import ast
import importlib
import pkgutil
import re
from collections import Counter
from pathlib import Path

import click
import pytest

import template_calls
from ia.agent.analyst.readings import READINGS
from ia.agent.analyst.voice import EN, ZH, Voice
from ia.kernel.errors import IaError, InternalError, Message, NotFound, fill
from ia_cli import zh
from ia_cli.main import COMMANDS, cli
from ia_cli.terminal.group import Group, first_line, paragraphs
from ia_cli.terminal.text import say
from ia_cli.zh import catalog
from template_calls import Source, fields

ROOT = Path(__file__).parent.parent.parent
SPEAKERS = {"Message", "IaError", "UsageError", "BadData", "NotFound", "Unavailable", "TryLater", "Refused",
            "ConfigError", "TimedOut", "Schema", "say", "hint", "tr", "bad_line", "Finding"}  # fmt: skip


def templates():
    """Yield (place, template) for every string literal that reaches the user through a speaker."""
    for file in [*(ROOT / "lib").rglob("*.py"), *(ROOT / "cli").rglob("*.py")]:
        if "zh" in file.parts:
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name not in SPEAKERS:
                continue
            candidates = [*node.args, *(k.value for k in node.keywords if k.arg in ("hint", "cure"))]
            for argument in candidates:
                for text in _literals(argument):
                    if " " in text and not text.isupper():
                        yield f"{file.relative_to(ROOT)}:{node.lineno}", text


def _literals(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)


def helps(command=cli, path="ia"):
    yield path, first_line(command)
    for paragraph in paragraphs(command.help):
        if not paragraph.startswith("\b"):
            yield path, paragraph
    for param in command.params:
        if getattr(param, "help", None):
            yield path, param.help
    if isinstance(command, Group):
        names = COMMANDS if command is cli else command.commands
        for name in names:
            yield from helps(command.get_command(click.Context(command), name), f"{path} {name}")


@pytest.mark.process
def test_every_sentence_has_a_translation():
    known = catalog()
    missing = sorted({f"{where}: {text!r}" for where, text in templates() if text not in known})
    assert not missing, "\n".join(missing)


def test_no_sentence_is_translated_twice():
    modules = [importlib.import_module(f"ia_cli.zh.{module.name}") for module in pkgutil.iter_modules(zh.__path__)]
    counts = Counter(english for module in modules for english in module.CATALOG)
    assert not [english for english, count in counts.items() if count > 1], "which one is said hangs on the alphabet"


def test_every_help_text_has_a_translation():
    known = catalog()
    missing = sorted({f"{where}: {text!r}" for where, text in helps() if text and text not in known})
    assert not missing, "\n".join(missing)


def test_a_translation_has_the_same_fields():
    texts = {text for _, text in helps()}
    wrong = []
    for english, chinese in catalog().items():
        if not chinese.strip():
            wrong.append(f"{english!r}: nothing is said in Chinese")
        elif english not in texts and fields(chinese) != fields(english):
            wrong.append(f"{english!r}: the languages differ in {sorted(fields(chinese) ^ fields(english))}")
    assert not wrong, "\n".join(wrong)


TOLD_ELSEWHERE = {
    "lib/ia/organs/compute/syntax.py": "the groups of a pattern are the fields of its template",
    "lib/ia/organs/ohlcv/tables.py": "Tally keeps templates until the file is read",
    "lib/ia/faculties/schedule/forms.py": "_BOUNDS holds one template for each part of a cron line",
}  # each is held together by a test below


def sources():
    files = sorted([*(ROOT / "lib").rglob("*.py"), *(ROOT / "cli").rglob("*.py")])
    return [Source.read(str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")) for file in files]


def test_what_is_passed_to_a_template_is_what_it_names():
    every = sources()
    known = template_calls.forwarders(every)
    wrong = [line for source in every for line in template_calls.offenders(source, known)]
    hidden = [line for line in wrong if "nobody can tell" in line and line.split(":")[0] in TOLD_ELSEWHERE]
    assert len(hidden) == len(TOLD_ELSEWHERE)
    assert not (rest := [line for line in wrong if line not in hidden]), "\n".join(rest)


def test_templates_that_are_kept_apart_name_what_is_passed():
    from ia.faculties.schedule import forms
    from ia.organs.compute import syntax

    for template, pattern in syntax._WITH_FIELDS:
        assert fields(template) == set(re.compile(pattern).groupindex), template
    assert all(fields(template) == {"part"} for template in forms._BOUNDS)
    kept = [
        (source, node.args[0])
        for source in sources()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "tally.add"
    ]
    texts = [text for source, argument in kept for text in source.texts(argument) or ["{unknown}"]]
    assert texts
    assert all(fields(text) <= {"source", "count", "field", "line"} for text in texts), texts


def test_every_reading_is_said_in_both_languages():
    for reading in READINGS:
        for value in (reading.high, reading.low, (reading.high + reading.low) / 2):
            zh_text, en_text = (reading.told(value, Voice(lang)) for lang in (ZH, EN))
            assert bool(zh_text) == bool(en_text), reading.code
            assert "{" not in zh_text + en_text, reading.code


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        ('Message("{path}: no such note")', "lacks ['path']"),
        ('Message("{path}: no such note", path=1, name=2)', "has no use for name"),
        ('NotFound("{path}: no such note", path=1, hint="see {other}")', "lacks ['other']"),
        ('NotFound("no such note", path=1, hint=f"see {path}")', ""),
        ('say("{s} is high", s=1)', "s is one letter"),
        ('speak("收盘 {close}", "closed", close=1)', "has no use for close"),
        ('speak("收盘", "closed at {close}", close=1)', "has no use for close"),
        ('speak("收盘 {close}", "closed at {price}", close=1)', "lacks ['price']"),
        (
            'limits = {"symbol": 1}\nspeak("{symbol} 好", "{symbol} good", symbol=2, **limits)',
            "`symbol` may be passed twice",
        ),
        ('def made():\n    return {"symbol": 1}\nspeak("{symbol} 好", "{symbol} good", symbol=2, **made())', "twice"),
        ('speak("{symbol} 好", "{symbol} good", symbol=2, **others.params)', "nobody can tell"),
        ("Refused(exc.template, **exc.params, side=1)", "nobody can tell"),
        ("Refused(exc.template, **exc.params)", ""),
        ('NAMES = {"up": ("涨 {change}", "rose")}', "the languages differ in ['change']"),
        ('CHINESE = {"rose by {change}": "涨了 {percent}"}', "the languages differ in ['change', 'percent']"),
        (
            'def bad(text, **params):\n    return Message(text, line=1, **params)\nbad("{line}: {name}", name=2, line=3)',
            "`line` may be passed twice",
        ),
        ('def bad(text, **params):\n    return Message(text, line=1, **params)\nbad("{line}: {name}", name=2)', ""),
        ('def _all(name, text):\n    return Message(text, name=name)\n_all(1, "{other} is gone")', "lacks ['other']"),
    ],
)
def test_a_template_that_does_not_fit_is_found(call, wrong):
    source = Source.read("made.py", call)
    found = list(template_calls.offenders(source, template_calls.forwarders([source])))
    assert (any(wrong in line for line in found)) if wrong else (found == [])


def test_a_message_that_lacks_a_field_is_still_a_sentence():
    assert str(Message("{name}: {count} of {total}", name="AAPL", count=3)) == "AAPL: 3 of ?"
    assert str(NotFound("{path}: no such {what}", path="a.md")) == "a.md: no such ?"
    assert fill("{share:.2f} % of {name}", {"share": None, "name": "cash"}) == "None % of cash"
    assert fill("{0} and {name", {"name": "x"}) == "? and {name"
    assert fill("{name.missing} of {name[3]}", {"name": "x"}) == "x of x"
    assert say("{path}: no such note", other=1) == "?: no such note"


def test_every_setting_is_described_in_chinese():
    from ia.kernel import config

    for key, spec in config.SPEC.items():
        assert re.search("[\u4e00-\u9fff]", catalog().get(spec.text, "")), (key, spec.text)


@pytest.mark.parametrize("kind", IaError.__subclasses__())
def test_a_failure_has_the_code_of_its_kind_unless_it_is_given_one(kind):
    if kind is InternalError:
        assert kind("a tool").code == "internal"
        return
    assert kind("no").code == kind.code != IaError.code
    named = kind("{path}: no", path="a.md", code="note-trusted")
    assert (named.code, str(named), named.params) == ("note-trusted", "a.md: no", {"path": "a.md"})
    assert kind("no").code == kind.code  # the kind keeps its own
    assert (Message("no").code, Message("no", code="unlocked").code) == ("", "unlocked")
