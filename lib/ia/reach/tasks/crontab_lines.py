"""What our lines of a crontab say: a schedule and a command that every shell reads alike.

A crontab may set SHELL to anything (sh, bash, fish, csh), and the lines above ours decide. So a command is plain words:
no quotes, no redirection; whatever is no letter, figure or harmless mark has a backslash before it, which all of them
read alike. `task due --log` itself writes what it says to a log.
"""

import os
import re
import sys
import zlib

from ia.kernel.errors import ConfigError
from ia.kernel.patterns import pattern

LONGEST = 998
"""Bytes that cron takes as one command; what is longer it cuts or refuses."""
_PLAIN = pattern(r"[A-Za-z0-9_./,:@%+=-]|[^\x00-\x7f]")
_FIELDS = pattern(r"\s*(@\w+|\S+(?:\s+\S+){4})\s+(.*)", re.DOTALL)


def build_lines(home: str, tasks: list[tuple[str, list[str]]], program: list[str] | None = None) -> list[str]:
    """Return the lines of a workspace's block: each task's wake-ups, and two that catch up what was missed.

    tasks   name and five-field schedules of every approved task that is not paused; none: no lines at all
    raises  ConfigError where a path cannot stand in a crontab.
    """
    if not tasks:
        return []
    start = [*(program or own_program()), "--home", home, "task", "due"]
    told = [f"{when} {format_command([*start, name])}" for name, schedules in tasks for when in schedules]
    minute = 1 + zlib.crc32(os.fsencode(home)) % 59  # at :00 every machine asks the same hosts
    return [*dict.fromkeys(told), f"@reboot {format_command(start)}", f"{minute} * * * * {format_command(start)}"]


def format_command(words: list[str]) -> str:
    """Return a command as it stands in a crontab. `--log` is added: see `ia task due`."""
    return escape_command(" ".join(map(quote_word, [*words, "--log"])))


def quote_word(word: str) -> str:
    """Return a word so that sh, bash, zsh, fish and csh read it as it is.

    raises  ConfigError for a line break or another control character, which no crontab can hold.
    """
    if not word or any(ord(c) < 32 or ord(c) == 127 for c in word):
        raise ConfigError(
            "a crontab cannot contain {word!r}", hint="choose a path without control characters", word=word
        )
    return "".join(c if _PLAIN.match(c) and (at or c not in "%=") else "\\" + c for at, c in enumerate(word))


def escape_command(text: str) -> str:
    """Return a command as cron must find it to hand exactly this to the shell.

    cron ends a command at `%`, takes `\\%` for it, and `\\\\` for one backslash; any other backslash stays.

    >>> escape_command("date +%F"), escape_command(r"a\\%b")
    ('date +\\\\%F', 'a\\\\\\\\\\\\%b')

    raises  ConfigError for a line break, and for more than LONGEST bytes.
    """
    if "\n" in text or "\r" in text:
        raise ConfigError("a crontab command must be a single line")
    out = re.sub(r"\\\\+|\\(?=%)", lambda found: found[0] * 2, text).replace("%", "\\%")
    if len(os.fsencode(out)) > LONGEST:
        raise ConfigError(
            "a crontab command must have at most {limit} bytes, but this one has {size}",
            hint="move the workspace to a shorter path",
            limit=LONGEST,
            size=len(os.fsencode(out)),
        )
    return out


def split_line(line: str) -> tuple[str, list[str], list[str]] | None:
    """Return schedule, program and arguments of a line that lines() wrote; None where it is none of ours."""
    import shlex

    found = _FIELDS.fullmatch(line.rstrip("\r\n"))
    if found is None:
        return None
    try:
        words = shlex.split(re.sub(r"\\([\\%])", r"\1", found[2]))
    except ValueError:
        return None
    if "--home" not in words[1:]:
        return None
    at = words.index("--home")
    return " ".join(found[1].split()), words[:at], words[at:]


def own_program() -> list[str]:
    """Return the words that start ia: the script that runs, else the one beside this Python, else the module.

    The script's path is not followed through links: what a package manager links to changes with every version.
    """
    beside = os.path.join(os.path.dirname(sys.executable), "ia")
    for script in (os.path.abspath(sys.argv[0]) if sys.argv and sys.argv[0] else "", beside):
        if os.path.basename(script) == "ia" and os.path.isfile(script) and os.access(script, os.X_OK):
            return [script]
    from ia.reach.tasks.child_processes import ia_command as module

    return module()
