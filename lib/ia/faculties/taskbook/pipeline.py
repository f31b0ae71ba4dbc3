"""What a task may run: pipelines of `ia` commands, read as a shell would read them and started without one.

What a shell would do more (redirect, expand, substitute) is refused and not done otherwise: a text that a person
approves means here what it means at a prompt.
"""

from collections.abc import Iterator

from ia.kernel.errors import BadData, Refused
from ia.kernel.patterns import pattern

Words = list[str]
Pipe = list[Words]
"""Commands that are connected, stdout to stdin."""

UNATTENDED: dict[str, tuple[str, ...] | None] = {
    "turn": None, "context": None, "ohlcv": None, "where": None, "compute": None, "indicator": None, "note": None,
    "memory": None, "recall": None, "soul": ("show", "history", "propose"), "pending": None,
    "skill": ("list", "show", "run"), "provider": ("list", "show", "test"), "tool": None, "fork": None,
    "chart": None, "report": None,
    "alert": ("list", "show", "check"), "inbox": ("",),
    "session": ("list", "show"), "usage": None, "log": None, "config": ("get", "list"), "doctor": None,
    "profile": ("list", "show"), "task": ("list", "show", "history"), "send": None, "verify": None, "event": None,
    "sync": None,
    "quote": None, "fundamentals": None, "screen": None, "market": None, "news": None, "watch": ("list",),
    "scan": None, "bars": None, "compare": None, "backtest": None, "calendar": None, "check": None,
    "knowledge": ("list", "show", "search"),
    "trade": ("list", "rules", "export", "check"), "account": None, "profit": None,
}  # fmt: skip
"""Commands that a task may run, and of some only these verbs."""
ATTENDED = frozenset({"approve", "reject", "listen", "mcp", "init", "completion", "chat"})
"""Commands that need a person, or never end."""
_REFUSED_OPTIONS = {"doctor": ("--fix", "--mend", "--repair", "--model", "-m"), "*": ("--yes", "--help", "-h")}
_BARE = pattern(r"[;&<>()`$*?\[\]]")
_EXPANDED = pattern(r"\$[A-Za-z0-9_({@*#?!$-]|`")


def parse_pipelines(text: str) -> list[Pipe]:
    """Return the pipelines of a text, to be run one after the other as long as each ends well (`&&`).

    raises  BadData for what is no pipeline of `ia` commands (names the place), Refused for a command that needs a
            person.
    """
    pipes: list[Pipe] = [[[]]]
    text = text.strip()
    bad = next((at for at, char in enumerate(text) if not char.isprintable() and char not in "\n\t"), None)
    if bad is not None:
        raise BadData("character {at} of the pipeline is invisible; delete it", at=bad + 1)
    for word in _split_words(text):
        if word == _AND:
            pipes.append([[]])
        elif word == _PIPE:
            pipes[-1].append([])
        else:
            pipes[-1][-1].append(word)
    for pipe in pipes:
        for words in pipe:
            _check_command(words, text)
    return pipes


class _Sign(str):
    """`|` or `&&`, as opposed to a word that is spelled so."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = str.__hash__


_PIPE, _AND = _Sign("|"), _Sign("&&")


def _split_words(text: str) -> Iterator[str]:
    at, word, begun, joined = 0, "", False, True
    while at < len(text):
        char = text[at]
        if char == "'":
            end = text.find("'", at + 1)
            if end < 0:
                raise _unclosed_error(at)
            word, begun, at = word + text[at + 1 : end], True, end + 1
        elif char == '"':
            inner, at = _read_double_quoted(text, at)
            word, begun = word + inner, True
        elif char == "\\":
            if at + 1 == len(text):
                raise _unclosed_error(at)
            if text[at + 1] != "\n":
                word, begun = word + text[at + 1], True
            at += 2
        elif char.isspace() or char == "|" or text.startswith("&&", at):
            if begun:
                yield word
                word, begun, joined = "", False, False
            if char == "\n" and not joined:
                raise _forbidden_character_error(text, at)
            sign = _AND if char == "&" else _PIPE if char == "|" else None
            if sign is not None:
                if text.startswith("||", at) or text.startswith("|&", at):
                    raise _forbidden_character_error(text, at)
                yield sign
                joined = True
            at += len(sign or " ")
        elif _BARE.match(char) or (char in "~#" and not begun):
            raise _forbidden_character_error(text, at)
        else:
            word, begun, at = word + char, True, at + 1
    if begun:
        yield word


def _read_double_quoted(text: str, start: int) -> tuple[str, int]:
    """Return what stands in double quotes, and where it goes on behind them."""
    at, inner = start + 1, ""
    while at < len(text):
        char = text[at]
        if char == '"':
            return inner, at + 1
        if char == "\\" and text[at + 1 : at + 2] in ('"', "\\", "$", "`"):
            inner, at = inner + text[at + 1], at + 2
        elif _EXPANDED.match(text, at):
            raise _forbidden_character_error(text, at)
        else:
            inner, at = inner + char, at + 1
    raise _unclosed_error(start)


def _unclosed_error(at: int) -> BadData:
    return BadData("the pipeline is incomplete: what character {at} opens is not closed", at=at + 1)


def _forbidden_character_error(text: str, at: int) -> BadData:
    shown = "the end of the line" if text[at] == "\n" else text[at : at + 2].strip()
    return BadData(
        "pipeline, character {at}: {what!r} is not allowed; ia uses no shell, only `ia` commands, | and &&",
        at=at + 1,
        what=shown,
        hint="put literal text in single quotes",
    )


def list_commands(text: str) -> set[str]:
    """Return the commands of a pipeline by `NAME VERB`, both where a verb matters; what is no verb is left out."""
    found = set()
    for words in (words for pipe in parse_pipelines(text) for words in pipe):
        name, rest = _split_command(words)
        verb = next((word for word in rest if not word.startswith("-")), "")
        listing = name == "send" and "--list" in rest
        reading = name in ("note", "memory") and verb in _READING
        found.add("send --list" if listing else f"{name} {verb}" if reading else name)
    return found


def repeats_its_message(text: str) -> bool:
    """Return True if a pipeline sends one message after a condition, again on each run while the condition holds."""
    pipes = parse_pipelines(text)
    name, rest = _split_command(pipes[-1][-1])
    if name != "send" or any(word.partition("=")[0] == "--changed" for word in rest):
        return False
    if any(_split_command(words)[0] == "screen" for words in pipes[-1]):
        return True
    return any(_split_command(pipe[-1])[0] in _CONDITIONS for pipe in pipes[:-1])


_CONDITIONS = frozenset({"screen", "compute", "check", "recall", "where"})
"""Commands whose status 1 is the answer no."""
_READING = ("list", "read", "search", "history")


def require_unattended(argv: Words) -> None:
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
        _require_allowed(name, rest)


def _check_command(words: Words, text: str) -> None:
    if not words:
        raise BadData("{run}: a command is missing", run=text[:80])
    if words[0] != "ia":
        raise BadData(
            "{word!r} is not allowed; a task runs only `ia` commands",
            word=words[0][:40],
            hint="use a tool or a provider for this: `ia provider list`",
        )
    name, rest = _split_command(words)
    if name not in ATTENDED and name not in UNATTENDED:
        raise BadData("`ia {name}`: unknown command", name=name[:40], hint="`ia --help` lists all commands")
    _require_allowed(name, rest)


def _require_allowed(name: str, rest: Words) -> None:
    if name in ATTENDED:
        raise _needs_person_error(name)
    verbs = UNATTENDED[name]
    verb = next((word for word in rest if not word.startswith("-")), "")
    if verbs is not None and verb not in verbs:
        raise _needs_person_error(f"{name} {verb}".strip())
    for option in (*_REFUSED_OPTIONS["*"], *_REFUSED_OPTIONS.get(name, ())):
        if option in rest[: rest.index("--")] if "--" in rest else option in rest:
            raise _needs_person_error(f"{name} {option}")


def _split_command(words: Words) -> tuple[str, Words]:
    """Return the command's name and what follows it; `--now TIME` and `--lang LANG` may stand before it."""
    at = 1
    while at < len(words) and words[at].startswith("-"):
        option, equals, _ = words[at].partition("=")
        if option not in ("--now", "--lang"):
            raise _needs_person_error(option)
        at += 1 if equals else 2
    if at >= len(words):
        raise BadData("{run}: a command is missing", run=" ".join(words)[:80])
    return words[at], words[at + 1 :]


def _needs_person_error(what: str) -> Refused:
    return Refused("a task cannot run `ia {what}`; run it yourself at a terminal", what=what[:60])
