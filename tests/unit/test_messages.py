"""Every sentence that ia can say has a Chinese one, with the same fields."""

import ast
import importlib
import pkgutil
import string
from collections import Counter
from pathlib import Path

import click
import pytest

from ia_cli import zh
from ia_cli._group import Group, first_line, paragraphs
from ia_cli.main import COMMANDS, cli
from ia_cli.zh import catalog

ROOT = Path(__file__).parent.parent.parent
SPEAKERS = {"Message", "IaError", "UsageError", "BadData", "NotFound", "Unavailable", "TryLater", "Refused",
            "ConfigError", "TimedOut", "say", "hint", "tr", "bad_line", "Finding"}  # fmt: skip


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
            candidates = [*node.args, *(k.value for k in node.keywords if k.arg == "hint")]
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


def fields(template):
    return {name.split("!")[0] for _, name, _, _ in string.Formatter().parse(template) if name}


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


@pytest.mark.parametrize("english", sorted(catalog()))
def test_a_translation_has_the_same_fields(english):
    chinese = catalog()[english]
    assert chinese.strip()
    if any(text == english for _, text in HELP):
        return
    assert fields(chinese) <= fields(english)


HELP = list(helps())
