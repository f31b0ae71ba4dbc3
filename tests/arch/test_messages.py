"""What is passed to a sentence is what it names, and what can go wrong has a code."""

import ast
import functools
import re

import pytest

from ia.agent.analyst.evidence.readings import readings_at
from ia.agent.analyst.evidence.study import facts_of
from ia.agent.analyst.voice import EN, ZH, AnswerVoice
from ia.kernel.errors import IaError, InternalError, Message, NotFound, fill_template
from ia_cli.terminal.text import say
from support import source_code, template_calls
from support.template_calls import Source, fields

TOLD_ELSEWHERE = {
    "lib/ia/organs/compute/syntax_errors.py": "the groups of a pattern are the fields of its template",
    "lib/ia/organs/compute/sandbox.py": "a sentence of the sandbox is taken only with the fields that its template names",
    "lib/ia/organs/ohlcv/csv_tables.py": "RowTally keeps templates until the file is read",
    "lib/ia/faculties/schedule/schedule_forms.py": "_BOUNDS holds one template for each part of a cron line",
}  # each is held together by a test below


@functools.cache
def sources():
    return [Source.read(path, source_code.nodes(file)) for path, file in source_code.files("lib", "cli")]


def test_what_is_passed_to_a_template_is_what_it_names():
    every = sources()
    known = template_calls.forwarders(every)
    wrong = [line for source in every for line in template_calls.offenders(source, known)]
    hidden = [line for line in wrong if "nobody can tell" in line and line.split(":")[0] in TOLD_ELSEWHERE]
    assert len(hidden) == len(TOLD_ELSEWHERE)
    assert not (rest := [line for line in wrong if line not in hidden]), "\n".join(rest)


def test_templates_that_are_kept_apart_name_what_is_passed():
    from ia.faculties.schedule import schedule_forms
    from ia.organs.compute import syntax_errors

    for template, pattern in syntax_errors._WITH_FIELDS:
        assert fields(template) == set(re.compile(pattern).groupindex), template
    assert all(fields(template) == {"part"} for template in schedule_forms._BOUNDS)
    kept = [
        (source, node.args[0])
        for source in sources()
        for node in source.calls
        if isinstance(node.func, ast.Attribute)
        and node.func.attr == "add_row"
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "tally"
    ]
    texts = [text for source, argument in kept for text in source.texts(argument) or ["{unknown}"]]
    assert texts
    assert all(fields(text) <= {"source", "count", "field", "line"} for text in texts), texts


def test_every_reading_is_said_in_both_languages():
    facts = facts_of({"rows": 900, "first": "2020-01-02", "last": "2023-09-30"}, {})
    for reading in readings_at().entries:
        for value in (reading.high, reading.low, (reading.high + reading.low) / 2):
            zh_text, en_text = (reading.sentence(value, AnswerVoice(lang), facts) for lang in (ZH, EN))
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
        ('speak("closed at {close}", context="reply", close=1)', ""),
        ('speak("closed", context="reply", close=1)', "has no use for close"),
        ("Refused(exc.template, **exc.params, side=1)", "nobody can tell"),
        ("Refused(exc.template, **exc.params)", ""),
        ('limits = {"symbol": 1}\nspeak("{symbol} is good", symbol=2, **limits)', "`symbol` may be passed twice"),
        ('def made():\n    return {"symbol": 1}\nspeak("{symbol} is good", symbol=2, **made())', "twice"),
        ('speak("{symbol} is good", symbol=2, **others.params)', "nobody can tell"),
        ('say(PluralText("{count} note", "{count} notes"), count=1)', ""),
        ('say(PluralText("it was killed once", "it was killed {count} times"), count=1)', ""),
        ('say(PluralText("{count} note", "{number} notes"), count=1)', "lacks ['number']"),
        (
            'def bad(text, **params):\n    return Message(text, line=1, **params)\nbad("{line}: {name}", name=2, line=3)',
            "`line` may be passed twice",
        ),
        ('def bad(text, **params):\n    return Message(text, line=1, **params)\nbad("{line}: {name}", name=2)', ""),
        ('def _all(name, text):\n    return Message(text, name=name)\n_all(1, "{other} is gone")', "lacks ['other']"),
    ],
)
def test_a_template_that_does_not_fit_is_found(call, wrong):
    source = Source.read("made.py", ast.walk(ast.parse(call)))
    found = list(template_calls.offenders(source, template_calls.forwarders([source])))
    assert (any(wrong in line for line in found)) if wrong else (found == [])


def test_a_message_that_lacks_a_field_is_still_a_sentence():
    assert str(Message("{name}: {count} of {total}", name="AAPL", count=3)) == "AAPL: 3 of ?"
    assert str(NotFound("{path}: no such {what}", path="a.md")) == "a.md: no such ?"
    assert fill_template("{share:.2f} % of {name}", {"share": None, "name": "cash"}) == "None % of cash"
    assert fill_template("{0} and {name", {"name": "x"}) == "? and {name"
    assert fill_template("{name.missing} of {name[3]}", {"name": "x"}) == "x of x"
    assert say("{path}: no such note", other=1) == "?: no such note"


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
