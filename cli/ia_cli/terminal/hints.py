"""What to type instead: the hints of unknown commands, verbs and options.

A word is looked up in the table of what people type (`_words`), then among what is here and near it. Nothing is offered
that is merely the least far.
"""

from typing import Any

import click

from ia.kernel.errors import IaError, Message, UsageError
from ia.kernel.i18n import mark_text
from ia_cli.terminal.synonyms import COMMANDS, OPTIONS, VERBS, WORDS

MORE = "`{path} --help` shows the usage"
TEXTS = {"text", "message", "query", "words", "task", "expr", "expression", "content", "why"}
"""Names of arguments that take free text."""


def find_closest(word: str, known: list[str]) -> str:
    """Return the known word that is near: a slip of the finger or two, no other word of the language; "" where none is.

    >>> find_closest("chrat", ["chart", "trade"]), find_closest("ask", ["task"]), find_closest("version", ["session"]), find_closest("-n", ["-s"])
    ('chart', '', '', '')
    """  # noqa: E501
    from difflib import SequenceMatcher

    folded = word.lstrip("-").casefold()
    allowed = 0 if len(folded) < 4 else 1 if len(folded) < 6 else 2
    best, closeness = "", (False, 0.0)
    for other in known:
        bare = other.lstrip("-")
        if _count_slips(folded, bare, allowed) <= allowed:
            ratio = SequenceMatcher(None, folded, bare).ratio()
            swapped = sorted(folded) == sorted(bare)  # two letters in the wrong order are likelier than one too many
            if ratio >= 0.75 and (swapped, ratio) > closeness:
                best, closeness = other, (swapped, ratio)
    return best


def _count_slips(one: str, other: str, most: int) -> int:
    """Return how many letters were left out, put in, changed or swapped; more than `most` need not be exact."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]


def unknown_command_error(typed: str, rest: list[str], context: click.Context | None) -> IaError:
    """Return the error for a word that is no command, or no verb of its group."""
    path = context.command_path if context else "ia"
    fields = {"typed": typed[:60], "path": path}
    verbs = VERBS.get(path.removeprefix("ia").strip())
    word = typed.casefold()
    if path == "ia":
        if word in COMMANDS:
            answer = COMMANDS[word]
            if not answer:
                return UsageError(
                    "no such command: {typed}",
                    hint="ia has no such feature; `ia --help` lists all commands",
                    **fields,
                )
            return UsageError("no such command: {typed}", hint="`{answer}`", answer=Message(answer), **fields)
        if indicator := _indicator_call(typed, rest):
            return UsageError("no such command: {typed}", hint="`{answer}`", answer=indicator, **fields)
        if group := _group_of(word, context):
            return UsageError("no such command: {typed}", hint="`{answer}`", answer=f"ia {group} {word}", **fields)
        if sentence := _question_text([typed, *rest]):
            return UsageError(
                "no such command: {typed}", hint='to ask a question, use `ia turn "{text}"`', text=sentence, **fields
            )
    elif verbs and word in verbs:
        return UsageError("no such command: {typed}", hint="`{answer}`", answer=verbs[word], **fields)
    more = ["help", "version"] if path == "ia" else ["help"]
    if path == "ia indicator" and (found := _indicator_command(typed, rest)):
        return UsageError("no such command: {typed}", hint="`{answer}`", answer=found, **fields)
    if path == "ia watch" and not rest:
        answer = f"ia watch add {typed}" if _find_security(typed) else f"ia watch list {typed}"
        return UsageError("no such command: {typed}", hint="`{answer}`", answer=answer, **fields)
    names = context.command.list_commands(context) if context and isinstance(context.command, click.Group) else []
    if close := find_closest(typed, [*names, *more]):
        return UsageError("no such command: {typed}", hint="did you mean {close}?", close=f"{path} {close}", **fields)
    if path == "ia" and (found := _find_security(typed)):
        hint = '`ia quote {symbol}`, `ia chart {symbol}` or `ia turn "{typed}"`'
        return UsageError("no such command: {typed}", hint=hint, symbol=found, **fields)
    if names and path != "ia":
        return UsageError(
            "no such command: {typed}", hint="subcommands of `{path}`: {names}", names=", ".join(names), **fields
        )
    return UsageError("no such command: {typed}", hint=MORE, **fields)


def _indicator_command(typed: str, rest: list[str]) -> str:
    """Return the command that calculates an indicator which was typed in place of a verb."""
    from ia.organs.compute.indicators import REGISTRY

    name = next((name for name, each in REGISTRY.items() if typed.casefold() in (name.casefold(), each.alias)), "")
    return f"ia indicator calc {name} {rest[0] if rest else 'SYMBOL'}" if name else ""


def _indicator_call(typed: str, rest: list[str]) -> str:
    """Return the calculation of an indicator that was typed in place of a command: `ia rsi 600519`, `ia ma20`.

    Two letters alone (`ma`) are rather a ticker.
    """
    from ia.organs.compute.indicators import example_call

    call = example_call(typed) if len(typed) > 2 else ""
    return f"ia compute '{call}' --symbol {rest[0] if rest else 'SYMBOL'}" if call else ""


def _question_text(words: list[str]) -> str:
    """Return what looks like a question rather than a command; else ""."""
    text = " ".join(words)
    wordy = len(text.split()) >= 3 and not any(word.startswith("-") for word in words)
    chinese = sum("\u4e00" <= char <= "\u9fff" for char in text) > 4
    return text[:200] if wordy or chinese or text.rstrip().endswith(("?", "？")) else ""


def _find_security(typed: str) -> str:
    """Return the code of a security that was typed in place of a command; "" where it is none."""
    from ia.domain.instruments.symbols import resolve_security

    try:
        found = resolve_security(typed)
    except IaError:
        return ""
    return found.canonical if found.name or typed[:6].isdigit() else ""


def _group_of(verb: str, context: click.Context | None) -> str:
    """Return the group that has a verb, where only one has."""
    found = []
    if context is not None and isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            command = context.command.get_command(context, name)
            if isinstance(command, click.Group) and verb in command.commands:
                found.append(name)
    return found[0] if len(found) == 1 else ""


def unknown_option_error(typed: str, context: click.Context | None) -> IaError:
    """Return the error for an option that a command does not have."""
    path = context.command_path if context else "ia"
    fields = {"option": typed, "path": path, "command": path.removeprefix("ia ")}
    if typed in ("--now", "--home", "--lang"):
        return UsageError(
            "no such option: {option}", hint="put it before the command: `ia {option} … {command}`", **fields
        )
    hint, answer = _option_hint(typed, context)
    return UsageError("no such option: {option}", hint=hint, answer=answer, **fields)


def _option_hint(typed: str, context: click.Context | None) -> tuple[str, str]:
    """Return the template of the hint, and what fills its field `answer`."""
    if context is None:
        return MORE, ""
    command = context.command
    known = [
        name
        for param in command.params
        if isinstance(param, click.Option) and not param.hidden
        for name in (*param.opts, *param.secondary_opts)
        if name.startswith("--")
    ]
    if answer := next((name for name in OPTIONS.get(typed, ()) if name in known), ""):
        return "use `{answer}` instead", answer
    arguments = [param for param in command.params if isinstance(param, click.Argument)]
    if typed in ("-o", "--output", "--out", "--save", "--file"):
        return "this command prints to standard output: `{path} … > FILE`", ""
    if typed in ("--json", "--jsonl", "-j") and context.info_name == "ohlcv":
        return "this command prints CSV; `… | ia compute df --json` prints its last row as JSON", ""
    if typed in ("--csv", "--tsv") and "--json" in known:
        return "piped output is TSV", ""
    if typed in ("--start", "--end", "--since", "--period", "--from", "--to") and context.info_name in (
        "compute",
        "calc",
    ):
        return "use it with `ia ohlcv`: `ia ohlcv SYMBOL {option} … | {path} …`", ""
    if typed in ("--date", "--day", "--on", "--at", "--asof", "--as-of"):
        return "to see another day, use `ia --now 2024-03-15 {command} …`", ""
    security = any("SYMBOL" in param.make_metavar(context) for param in arguments)
    if typed in ("--symbol", "--symbols", "--code", "--ticker", "-s") and security:
        return "give the symbol without an option: `{path} 600519`", ""
    if close := find_closest(typed, known):
        return "did you mean {answer}?", close
    if any(param.name in TEXTS for param in arguments) and not typed.startswith("--") and len(typed) > 2:
        return "put text that begins with a dash after `--`: `{path} -- …`", ""
    if missing := _unsupported_option(typed):
        return missing, ""
    return ("options of `{path}`: {answer}", " ".join(known)) if known else (MORE, "")


def _unsupported_option(typed: str) -> str:
    """Return the hint for an option that many commands have, typed after one that has nothing of the kind; else ""."""
    if typed in ("--reason", "--why", "--comment", "--memo"):
        return mark_text("`{path}` takes no reason; write one down with `ia note PATH TEXT`")
    if typed in ("--since", "--from", "--start"):
        return mark_text("`{path}` has no start date; `{path} --help` shows its options")
    if typed in ("-n", "--limit", "--top"):
        return mark_text("`{path}` has no option for the number of rows; shorten a list with `{path} … | head -n 20`")
    if typed in ("--json", "--jsonl", "-j"):
        return mark_text("`{path}` has no JSON output; `{path} --help` shows its options")
    return ""


def too_many_arguments_error(extra: str, context: click.Context | None) -> IaError:
    """Return the error for words that a command has no argument for."""
    path = context.command_path if context else "ia"
    command = context.command if context else None
    hint = MORE
    takes = [p for p in command.params if isinstance(p, click.Argument)] if command else []
    if takes and takes[-1].name in TEXTS:
        hint = 'put the text in quotation marks: `{path} … "…"`'
    elif takes and takes[0].name in ("symbol",):
        hint = "give one security at a time; `ia quote` takes several"
    elif not takes:
        hint = "`{path}` takes no arguments; `{path} --help` shows its options"
    return UsageError("too many arguments: {extra}", extra=extra, path=path, hint=hint)


def missing_value_error(option: str, argv: list[str], root: click.Command) -> IaError:
    """Return the error for an option at the end of the line whose value is missing."""
    context = _deepest_context(argv, root)
    params = [param for param in context.command.params if option in (*param.opts, *param.secondary_opts)]
    value = params[0].make_metavar(context) if params else "VALUE"
    hint = "`{path} … {option} {value}`; `{path} --help` shows the usage"
    return UsageError("{option} needs a value", option=option, path=context.command_path, value=value, hint=hint)


def bad_value_error(error: click.BadParameter, context: click.Context | None) -> IaError:
    """Return the error for a value that an option or argument does not take, in the words of its type."""
    param = error.param
    assert param is not None
    kind, low, high = param.type, getattr(param.type, "min", None), getattr(param.type, "max", None)
    fields = {"what": param.opts[-1], "path": context.command_path if context else "ia"}
    if isinstance(param, click.Argument):
        fields["what"] = (param.metavar or param.human_readable_name).strip("[].…")
    if isinstance(kind, click.Choice):
        choices = ", ".join(map(str, kind.choices))
        typed = _find_typed(param, kind, context)
        if typed is None:
            return UsageError("{what}: choose one of {choices}", choices=choices, hint=MORE, **fields)
        return UsageError(
            "{what}: {typed!r} is not one of {choices}", typed=typed[:60], choices=choices, hint=MORE, **fields
        )
    if low is not None and high is not None:
        return UsageError("{what}: give a number from {low} to {high}", low=low, high=high, hint=MORE, **fields)
    if low is not None:
        return UsageError("{what}: give a number of at least {low}", low=low, hint=MORE, **fields)
    if isinstance(kind, type(click.INT) | type(click.FLOAT)):
        return UsageError("{what}: give a number", hint=MORE, **fields)
    return UsageError("{what}: {problem}", problem=error.message, hint=MORE, **fields)


def _find_typed(param: click.Parameter, kind: click.Choice[Any], context: click.Context | None) -> str | None:
    """Return the word that is none of the choices of a parameter; None where it was not typed (a variable)."""
    if context is None or param.name is None:
        return None
    values, _, _ = context.command.make_parser(context).parse_args(list(context.meta[WORDS]))
    value = values.get(param.name)
    words = value if isinstance(value, list | tuple) else [value]
    return next((word for word in words if isinstance(word, str) and word not in kind.choices), None)


def _deepest_context(argv: list[str], root: click.Command) -> click.Context:
    """Return the context of the command that a command line names."""
    context = click.Context(root, info_name="ia")
    for word in argv:
        below = context.command.get_command(context, word) if isinstance(context.command, click.Group) else None
        if below is not None:
            context = click.Context(below, info_name=word, parent=context)
    return context
