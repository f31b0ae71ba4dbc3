"""The catalog of translations is whole: what ia can say stands there, with the Chinese of today and the same fields."""

import ast
from gettext import GNUTranslations
from pathlib import Path

import click
import extract_texts
import pytest
import translate

from ia.kernel import config, errors, i18n
from ia.kernel.errors import Message, NotFound, PluralText
from ia.kernel.i18n import Voice
from ia_cli.main import COMMANDS, cli
from ia_cli.terminal.group import CommandGroup, first_line, split_paragraphs
from support.template_calls import fields


@pytest.fixture(scope="module")
def catalog():
    return translate.load_catalog()


@pytest.fixture(scope="module")
def texts():
    return translate.collect_texts()


@pytest.mark.process
def test_the_catalog_is_what_make_translate_writes(catalog, texts):
    stored = {(translate.forms_of(message.id)[0], message.context or "") for message in catalog if message.id}
    found = {(text, context) for _, text, context in texts}
    assert not found - stored, "new texts: `make translate`, then write their Chinese"
    assert not stored - found, "nobody says these any more: `make translate` takes them out"
    translate.update_catalog(catalog, texts)
    assert translate.render_catalog(catalog) == translate.CATALOG.read_bytes(), "`make translate` writes it"


def test_every_text_has_a_translation(catalog):
    assert translate.untranslated(catalog) == []


def test_nothing_obsolete_is_kept(catalog):
    assert not catalog.obsolete


def test_a_translation_has_the_same_fields(catalog, texts):
    helps = {text for _, text in help_texts()}
    wrong = [
        f"{text!r}: the languages differ in {sorted(fields(chinese) ^ fields(text))}"
        for message in catalog
        for text, chinese in [(translate.forms_of(message.id)[-1], translate.forms_of(message.string)[-1])]
        if text and text not in helps and fields(chinese) != fields(text)
    ]
    assert not wrong, "\n".join(wrong)


def help_texts(command=cli, path="ia"):
    """Yield (command, text) of the help as click shows it."""
    yield path, first_line(command)
    for paragraph in split_paragraphs(command.help):
        if not paragraph.startswith("\b"):
            yield path, paragraph
    for param in command.params:
        if getattr(param, "help", None):
            yield path, param.help
    if isinstance(command, CommandGroup):
        names = COMMANDS if command is cli else command.commands
        for name in names:
            yield from help_texts(command.get_command(click.Context(command), name), f"{path} {name}")


def test_the_extractor_finds_every_help_text(catalog):
    missing = [f"{where}: {text!r}" for where, text in help_texts() if text and catalog.get(text) is None]
    assert not missing, "\n".join(missing)


def test_the_extractor_finds_the_settings_and_what_the_sandbox_says(catalog):
    from ia.organs.compute.worker_protocol import SENTENCES, WORDS

    assert not [key.name for key in config.KEYS if catalog.get(key.text) is None]
    assert not [text for text in SENTENCES | WORDS if catalog.get(text) is None]


def test_what_is_installed_is_compiled_from_the_catalog(catalog):
    with open(i18n._CATALOG, "rb") as file:
        compiled = GNUTranslations(file)
    for message in catalog:
        if message.id:
            text = translate.forms_of(message.id)[0]
            found = compiled.pgettext(message.context, text) if message.context else compiled.gettext(text)
            assert found == translate.forms_of(message.string)[0]
            assert i18n._catalog().find_text(text, message.context or "") == found
    assert i18n._catalog().find_text("not in the catalog", "") is None


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ('Message("{path}: no such note", path=1)', ["{path}: no such note"]),
        ('raise NotFound("no such note" if one else "no such notes", hint="look at {path}")',
         ["no such note", "no such notes", "look at {path}"]),
        ('HINT = "type it"\ndef f():\n    raise NotFound("it is gone", hint=HINT)', ["it is gone", "type it"]),
        ('def f():\n    template = "one" if x else "two"\n    template += "x"\n', ["one", "two"]),
        ('say({"up": "it rose", "down": "it fell"}[side])', ["it rose", "it fell"]),
        ('TOLD = {"up": "it rose"}\nsay(TOLD.get(side, "it stood"))', ["it rose", "it stood"]),
        ('for name, text in (("a", "one two"), ("b", "three")):\n    say(text)', ["one two", "three"]),
        ('ABOUT = {"--a": "The first."}\nfor name, text in ABOUT.items():\n    option(name, help=text)', ["The first."]),
        ('heads = [tr(head) for head in ("Date", "Close")]', ["Date", "Close"]),
        ('def f():\n    return "do that", 1\nhint, count = f()\nhint', []),
        ('def f():\n    return "do that", 1\nhint, count = f()\nMessage(hint)', ["do that"]),
        ('raise type(exc)("it stopped: {reason}", reason=exc)', ["it stopped: {reason}"]),
        ('class Gone(NotFound):\n    pass\nGone("it is gone")', ["it is gone"]),
        ('def refuse(where, template):\n    raise Message(template)\nrefuse(1, "not here")', ["not here"]),
        ('@group.command()\ndef list_():\n    """List them.\n\n    All of\n    them.\n\n    \\b\n    as it is\n    """',
         ["List them.", "All of them."]),
        ('voice("note", context="remark")', ["note"]),
        ('say(PluralText("{count} file", "{count} files"), count=2)', ["{count} file", "{count} file"]),
        ('voice(PluralText("{count} note", "{count} notes"), context="remark")', ["{count} note"]),
        ('Message("{told}")\nsay("-")\nMessage("{a}: {b}")', ["{a}: {b}"]),
        ("def f():\n    name = 'not said'\ndef g(name):\n    say(name)", []),
    ],
)  # fmt: skip
def test_a_text_is_found(source, texts):
    tree, errors_of_ia = ast.parse(source), ast.parse(Path(errors.__file__).read_text("utf-8"))
    found = list(extract_texts.find_texts(tree, extract_texts.find_speakers([tree, errors_of_ia])))
    assert [text for _, text, _ in found] == texts
    assert all(context == ("remark" if "remark" in source else "") for _, _, context in found)


def test_a_new_text_is_marked_and_one_that_changed_keeps_its_chinese_as_fuzzy():
    catalog = translate.load_catalog()  # of its own: it is changed
    old = "{path}: no such note"
    known = [
        (0, PluralText(*message.id) if isinstance(message.id, tuple) else message.id, message.context or "")
        for message in catalog
        if message.id and message.id != old
    ]
    translate.update_catalog(catalog, [*known, (0, "{path}: no such note there", ""), (0, "Zq", "")])
    assert translate.untranslated(catalog) == ["fuzzy: {path}: no such note there", "untranslated: Zq"]
    changed = catalog.get("{path}: no such note there")
    assert (changed.string, changed.fuzzy) == ("{path}：没有这条笔记", True)
    assert old.encode() + b'"' not in translate.render_catalog(catalog)


def test_a_voice_says_messages_in_the_fields_of_others():
    inner, failure = Message("expected {what}", what="':'"), NotFound("{path}: no such note", path="a.md")
    chinese, english = Voice("zh"), Voice("en")
    assert chinese("{source}:{line}: {why}", source="x", line=1, why=inner) == "x:1：这里应有 ':'"
    assert english("{source}:{line}: {why}", source="x", line=1, why=inner) == "x:1: expected ':'"
    assert chinese("{channel}: {reason}", channel="me", reason=[failure, inner]).startswith("me：a.md：没有这条笔记; ")
    assert chinese("nobody translated {this}", this=1) == "nobody translated 1"
    assert chinese("") == "" and chinese.say(failure) == "a.md：没有这条笔记"


def test_a_count_chooses_the_form_in_english_and_needs_none_in_chinese():
    template = PluralText("{path}: {count} entry", "{path}: {count} entries")
    chosen = [Voice("en")(template, path="a", count=count) for count in (0, 1, "1", 2, "1,000")]
    assert chosen == ["a: 0 entries", "a: 1 entry", "a: 1 entry", "a: 2 entries", "a: 1,000 entries"]
    again = NotFound(NotFound(template, path="a", count=2).template, path="a", count=1)  # the forms go where it goes
    assert (str(again), Voice("en").say(again)) == ("a: 1 entry",) * 2
    rows = PluralText("{rows} row of {count}", "{rows} rows of {count}", by="rows")
    assert [str(Message(rows, rows=number, count=1)) for number in (1, 3)] == ["1 row of 1", "3 rows of 1"]


def test_a_catalog_that_was_not_compiled_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(i18n, "_CATALOG", tmp_path / "ia.mo")
    i18n._catalog.cache_clear()
    with pytest.raises(RuntimeError, match="pip install -e"):
        i18n.translate("unknown", "zh")
    assert i18n.translate("unknown", "en") == "unknown"
    monkeypatch.undo()
    i18n._catalog.cache_clear()
