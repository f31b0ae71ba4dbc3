"""What a task may run: pipelines of `ia` commands, read as a shell would read them and started without one.

What a shell would do more (redirect, expand, substitute) is refused and not done otherwise: a text that a person
approves means here what it means at a prompt.
"""

import re
from collections.abc import Iterator

from ia.kernel.errors import BadData, Refused

Words = list[str]
Pipe = list[Words]
"""Commands that are connected, stdout to stdin."""

UNATTENDED: dict[str, tuple[str, ...] | None] = {
    "turn": None, "context": None, "ohlcv": None, "where": None, "compute": None, "indicator": None, "note": None,
    "memory": None, "recall": None, "soul": ("show", "history", "propose"), "pending": None,
    "skill": ("list", "show", "run"), "provider": ("list", "show", "test"), "tool": None, "fork": None,
    "chart": None, "report": None,
    "session": ("list", "show"), "usage": None, "log": None, "config": ("get", "list"), "doctor": None,
    "profile": ("list", "show"), "task": ("list", "show", "history"), "send": None, "verify": None, "event": None,
    "sync": None,
    "quote": None, "fundamentals": None, "screen": None, "market": None,
    "trade": ("list", "rules", "export"), "account": None, "profit": None,
}  # fmt: skip
"""Commands that a task may run, and of some only these verbs."""
ATTENDED = frozenset({"approve", "reject", "listen", "mcp", "init", "completion"})
"""Commands that need a person, or never end."""
_REFUSED_OPTIONS = {"doctor": ("--fix", "--mend", "--repair"), "*": ("--yes", "--help", "-h")}
_BARE = re.compile(r"[;&<>()`$*?\[\]]")
_EXPANDED = re.compile(r"\$[A-Za-z0-9_({@*#?!$-]|`")


def parsed(text: str) -> list[Pipe]:
    """Return the pipelines of a text, to be run one after the other as long as each ends well (`&&`).

    raises  BadData for what is no pipeline of `ia` commands (names the place), Refused for a command that needs a
            person.
    """
    pipes: list[Pipe] = [[[]]]
    text = text.strip()
    bad = next((at for at, char in enumerate(text) if not char.isprintable() and char not in "\n\t"), None)
    if bad is not None:
        raise BadData("character {at} of the pipeline is not seen", at=bad + 1)
    for word in _words(text):
        if word == _AND:
            pipes.append([[]])
        elif word == _PIPE:
            pipes[-1].append([])
        else:
            pipes[-1][-1].append(word)
    for pipe in pipes:
        for words in pipe:
            _check(words, text)
    return pipes


class _Sign(str):
    """`|` or `&&`, as opposed to a word that is spelled so."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = str.__hash__


_PIPE, _AND = _Sign("|"), _Sign("&&")


def _words(text: str) -> Iterator[str]:
    at, word, begun, joined = 0, "", False, True
    while at < len(text):
        char = text[at]
        if char == "'":
            end = text.find("'", at + 1)
            if end < 0:
                raise _unclosed(at)
            word, begun, at = word + text[at + 1 : end], True, end + 1
        elif char == '"':
            inner, at = _double(text, at)
            word, begun = word + inner, True
        elif char == "\\":
            if at + 1 == len(text):
                raise _unclosed(at)
            if text[at + 1] != "\n":
                word, begun = word + text[at + 1], True
            at += 2
        elif char.isspace() or char == "|" or text.startswith("&&", at):
            if begun:
                yield word
                word, begun, joined = "", False, False
            if char == "\n" and not joined:
                raise _strange(text, at)
            sign = _AND if char == "&" else _PIPE if char == "|" else None
            if sign is not None:
                if text.startswith("||", at) or text.startswith("|&", at):
                    raise _strange(text, at)
                yield sign
                joined = True
            at += len(sign or " ")
        elif _BARE.match(char) or (char in "~#" and not begun):
            raise _strange(text, at)
        else:
            word, begun, at = word + char, True, at + 1
    if begun:
        yield word


def _double(text: str, start: int) -> tuple[str, int]:
    """Return what stands in double quotes, and where it goes on behind them."""
    at, inner = start + 1, ""
    while at < len(text):
        char = text[at]
        if char == '"':
            return inner, at + 1
        if char == "\\" and text[at + 1 : at + 2] in ('"', "\\", "$", "`"):
            inner, at = inner + text[at + 1], at + 2
        elif _EXPANDED.match(text, at):
            raise _strange(text, at)
        else:
            inner, at = inner + char, at + 1
    raise _unclosed(start)


def _unclosed(at: int) -> BadData:
    return BadData("the pipeline is cut off: what opens at character {at} does not close", at=at + 1)


def _strange(text: str, at: int) -> BadData:
    shown = "the end of the line" if text[at] == "\n" else text[at : at + 2].strip()
    return BadData(
        "character {at} of the pipeline, {what!r}: no shell runs it, only `ia` commands, | and && stand in it",
        at=at + 1, what=shown, hint="put what is meant literally into single quotes",
    )  # fmt: skip


def shows(text: str) -> set[str]:
    """Return the commands of a pipeline by `NAME VERB`, both where a verb matters; what is no verb is left out."""
    found = set()
    for words in (words for pipe in parsed(text) for words in pipe):
        name, rest = _command(words)
        verb = next((word for word in rest if not word.startswith("-")), "")
        listing = name == "send" and "--list" in rest
        reading = name in ("note", "memory") and verb in _READING
        found.add("send --list" if listing else f"{name} {verb}" if reading else name)
    return found


_READING = ("list", "read", "search", "history")


def unattended(argv: Words) -> None:
    """Refuse a command line that is a person's, inside a run; what is no command is left to whoever reads it.

    raises  Refused.
    """
    at = 0
    while at < len(argv) and argv[at].startswith("-"):
        at += 2 if argv[at] in ("--home", "--now", "--lang") else 1
    if at >= len(argv):
        return
    name, rest = argv[at], argv[at + 1 :]
    if name in ATTENDED or name in UNATTENDED:
        _allowed(name, rest)


def _check(words: Words, text: str) -> None:
    if not words:
        raise BadData("{run}: a command is missing", run=text[:80])
    if words[0] != "ia":
        raise BadData(
            "{word!r}: a task runs `ia` commands and nothing else", word=words[0][:40],
            hint="let a tool or a provider do it: `ia provider list`",
        )  # fmt: skip
    name, rest = _command(words)
    if name not in ATTENDED and name not in UNATTENDED:
        raise BadData("`ia {name}`: no such command", name=name[:40], hint="`ia --help` lists them")
    _allowed(name, rest)


def _allowed(name: str, rest: Words) -> None:
    if name in ATTENDED:
        raise _refused(name)
    verbs = UNATTENDED[name]
    verb = next((word for word in rest if not word.startswith("-")), "")
    if verbs is not None and verb not in verbs:
        raise _refused(f"{name} {verb}".strip())
    for option in (*_REFUSED_OPTIONS["*"], *_REFUSED_OPTIONS.get(name, ())):
        if option in rest[: rest.index("--")] if "--" in rest else option in rest:
            raise _refused(f"{name} {option}")


def _command(words: Words) -> tuple[str, Words]:
    """Return the command's name and what follows it; `--now TIME` and `--lang LANG` may stand before it."""
    at = 1
    while at < len(words) and words[at].startswith("-"):
        option, equals, _ = words[at].partition("=")
        if option not in ("--now", "--lang"):
            raise _refused(option)
        at += 1 if equals else 2
    if at >= len(words):
        raise BadData("{run}: a command is missing", run=" ".join(words)[:80])
    return words[at], words[at + 1 :]


def _refused(what: str) -> Refused:
    return Refused("`ia {what}` needs a person: no task may run it", what=what[:60])
