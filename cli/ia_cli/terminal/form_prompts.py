"""Forms at a terminal: a question for each field on stderr, or answers that come with the command."""

import sys
from collections.abc import Mapping
from typing import Any

import click

from ia.faculties.skills.forms import Form, FormField, format_answer, read_answer
from ia.kernel.errors import BadData, Refused, UsageError
from ia_cli.terminal.input import open_input
from ia_cli.terminal.output import escape_controls
from ia_cli.terminal.text import lang, say, tr

MAX_ANSWERS = 200_000


def read_given(words: tuple[str, ...], path: str | None) -> dict[str, Any]:
    """Return the answers of `field=value` words, and of a file (`-`: standard input); a word wins.

    raises  UsageError, BadData.
    """
    given: dict[str, Any] = {}
    if path is not None:
        from ia.kernel.formats.yaml import load_yaml

        stream, name = open_input(path, "--answers")
        with stream:
            raw = stream.read(MAX_ANSWERS + 1)
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as exc:
            raise BadData("{name}: not valid UTF-8 (byte {at}); convert it to UTF-8", name=name, at=exc.start) from None
        tree = load_yaml(text, name)
        if not isinstance(tree, dict):
            raise BadData("{name}: not `field: value` lines", name=name)
        given |= tree
    for word in words:
        field, equals, value = word.partition("=")
        if not equals or not field:
            raise UsageError("{word!r} is not FIELD=VALUE", word=word[:80], hint="for example date=2024-03-15")
        given[field] = value
    return given


def ask_fields(form: Form, slots: Mapping[str, Any], given: set[str], *, from_stdin: bool) -> dict[str, Any]:
    """Return slot -> value of the fields that the user is asked for: those that no answer came with.

    raises  Refused, with the list, where there is no terminal and required fields are missing; click.Abort.
    """
    if from_stdin or sys.stdin is None or not sys.stdin.isatty():
        if missing := form.missing_fields(slots):
            raise Refused(
                "form {form} lacks {missing}",
                code="slots-missing",
                form=form.name,
                missing=", ".join(field.name for field in missing),
                hint="give each as FIELD=VALUE, or a file with --answers",
            )
        return {}
    answers: dict[str, Any] = {}
    left = [field for field in form.fields if form.slot(field) not in given]
    if left:
        click.echo(escape_controls(form.title(lang())), err=True)
    for field in left:
        value = _ask_field(field, slots.get(form.slot(field), field.default))
        if value is not None:
            answers[form.slot(field)] = value
    return answers


def _ask_field(field: FormField, default: Any) -> Any:
    """Return the user's answer to a field; None where it is left out."""
    for at, (_, title) in enumerate(field.choice_titles(lang()), 1):
        click.echo(f"  {at}. {escape_controls(title)}", err=True)
    shown = "" if default is None else f" [{format_answer(field, default, lang())}]"
    mark = "" if field.required else f" ({tr('optional')})"
    while True:
        label = escape_controls(f"{field.title(lang())}{mark}{shown}")
        typed = click.prompt(label, default="", show_default=False, err=True).strip()
        if typed in ("?", "？"):
            click.echo(escape_controls(_explain(field)), err=True)
        elif not typed:
            if default is not None or not field.required:
                return default
            click.echo(say("an answer is needed; ? explains"), err=True)
        else:
            try:
                return read_answer(field, typed, lang())
            except BadData as exc:
                click.echo(escape_controls(say(exc.template, **exc.params)), err=True)


def _explain(field: FormField) -> str:
    about = field.text("description", lang())
    if field.choices:
        form = say("give the number or the name of a choice")
    else:
        words = {
            "date": tr("a date as YYYY-MM-DD"),
            "time": tr("a time as HH:MM"),
            "date-time": tr("a date and time as YYYY-MM-DDTHH:MM"),
            "email": tr("an e-mail address"),
            "uri": tr("an address (URI)"),
            "integer": tr("a whole number"),
            "number": tr("a number"),
            "boolean": tr("yes or no"),
        }
        form = words.get(field.format or field.kind, tr("a text"))
    return f"{about} ({form})" if about else form
