"""Each option's name has one meaning, in all commands; former names go on working and stand in no help."""

import click
import pytest

from ia_cli.main import COMMANDS, cli
from ia_cli.terminal.group import CommandGroup
from ia_cli.terminal.synonyms import COMMANDS as WORDS
from ia_cli.terminal.synonyms import FORMER, OPTIONS, VERBS

MEANING = {
    "--limit": "how many", "-n": "how many", "--start": "first date of bars", "--end": "last date of bars",
    "--since": "only records from then on",
    "--until": "the last day that counts", "--date": "the day or time of one thing", "--at": "the time of a trade",
    "--symbol": "one security", "--symbols": "several securities", "--codes": "print codes only",
    "--universe": "a list of securities", "--period": "length of a bar", "--adjust": "adjustment of prices",
    "--adapter": "sources of prices", "--because": "the reason", "--session": "a session", "-s": "a session",
    "--model": "a model", "-m": "a model", "--output": "a file to write", "-o": "a file to write",
    "--log-scale": "a logarithmic axis", "--cron-log": "write to the log of cron", "--log": "print the log of a run",
    "--tokens": "a number of tokens", "--json": "one JSON document", "--jsonl": "a JSON object a line",
    "--yes": "do not ask", "--factors": "compare the factors of adjustment", "--no-factors": "not so",
    "--of": "the period that a reflection is about", "--name": "a name to give", "--count": "print only how many",
    "--days": "so many days ahead", "--from": "another run, or a folder of files to read",
}  # fmt: skip
"""The names that several commands share, or that have been mistaken for each other."""
MIXED = {"--trades", "--yes"}
"""--trades: a flag of `ia chart`; of `ia backtest run` the file to write (`--trades -`). --yes: consent; of `ia check` the
questions that it answers."""


def commands(command=cli, path=()):
    if not isinstance(command, CommandGroup):
        yield " ".join(path), command
        return
    for name in COMMANDS if command is cli else command.commands:
        yield from commands(command.get_command(click.Context(command), name), (*path, name))


ALL = dict(commands())


def options():
    for path, command in ALL.items():
        for param in command.params:
            if isinstance(param, click.Option):
                yield path, param


def test_a_shared_name_is_in_the_table_and_means_one_thing():
    kinds = {}
    for path, param in options():
        for name in (*param.opts, *param.secondary_opts):
            kinds.setdefault(name, {}).setdefault(param.is_flag, []).append(path)
    mixed = {name: found for name, found in kinds.items() if len(found) > 1 and name not in MIXED}
    assert not mixed, f"one name, a flag here and a value there: {mixed}"
    for name in ("--last", "--periods", "--max", "--top", "--to-date"):
        assert name not in kinds, f"{name}: the table of names has another word for this: {MEANING}"
    assert {name for name in kinds if kinds[name] and name in MEANING} == set(MEANING)


@pytest.mark.parametrize(
    ("short", "long"), [("-n", "--limit"), ("-o", "--output"), ("-s", "--session"), ("-m", "--model")]
)
def test_a_short_name_always_has_the_same_long_one(short, long):
    for path, param in options():
        assert (short in param.opts) == (long in param.opts), (path, param.opts)


def test_former_names_lead_to_names_of_today_and_are_hidden():
    for path, names in FORMER.items():
        now = {name for param in ALL[path].params for name in (*param.opts, *param.secondary_opts)}
        for old, new in names.items():
            assert new in now and old not in now, (path, old, new)


def test_every_answer_names_a_command_that_exists():
    answers = [*WORDS.values(), *(answer for verbs in VERBS.values() for answer in verbs.values())]
    for answer in filter(None, answers):
        for part in answer.split("`"):
            if part.startswith("ia "):
                words = part.split()[1:]
                if words[0].startswith("--"):
                    continue
                command = cli.get_command(None, words[0])
                assert command is not None, answer
                if isinstance(command, CommandGroup) and not (command.fallback or command.invoke_without_command):
                    assert words[1] in command.commands, answer


def test_no_word_of_the_tables_is_a_command_already():
    for group, verbs in VERBS.items():
        assert not set(verbs) & set(cli.get_command(None, group).commands), group
    assert all(OPTIONS.values())
