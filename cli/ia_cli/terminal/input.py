"""Where a command reads from: the argument if given, else standard input, never a terminal by surprise."""

import sys
from typing import Any, BinaryIO

from ia.kernel.errors import BadData, Message, NotFound, Refused, UsageError
from ia_cli.terminal.text import tr


def open_input(path: str | None, what: str = "FILE") -> tuple[BinaryIO, str]:
    """Return a binary stream and its name for messages.

    A FILE wins and standard input is then not looked at, so that cron behaves like a shell. `-` or none reads standard
    input; a terminal there is a usage error at once.
    """
    if path is not None and path != "-":
        try:
            return open(path, "rb"), path
        except FileNotFoundError:
            raise NotFound("{path}: no such file", path=path) from None
        except IsADirectoryError:
            raise BadData("{path} is a folder, not a file", path=path) from None
        except PermissionError:
            raise Refused("{path}: permission denied", path=path) from None
        except ValueError:
            raise UsageError("{path!r} is not a valid file name", path=path) from None
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("no input", hint="give {what}, or pipe it to standard input", what=tr(what))
    return sys.stdin.buffer, "<stdin>"


def text_or_stdin(text: str | None, what: str = "TEXT") -> str:
    """Return the argument, or all of standard input (UTF-8) where it is absent or `-`."""
    if text is not None and text != "-":
        return text
    stream, name = open_input(None, what)
    try:
        return stream.read().decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise BadData("{name}: not valid UTF-8 (byte {at}); convert it to UTF-8", name=name, at=exc.start) from None


def parse_arguments(text: str, example: str) -> Any:
    """Return the JSON value of a tool's arguments.

    Raises:
        UsageError: with the example, if the text is not JSON or nests without end.
    """
    import json

    try:
        return json.loads(text)
    except RecursionError:
        raise UsageError("the arguments are nested too deeply", hint="for example {example}", example=example) from None
    except ValueError as exc:
        raise UsageError(
            "the arguments are not valid JSON: {reason}",
            reason=describe_json_error(exc),
            hint="for example {example}",
            example=example,
        ) from None


def describe_json_error(error: Exception) -> Message | str:
    """Return where a text stops being JSON."""
    import json

    if isinstance(error, json.JSONDecodeError):
        return Message("line {line}, column {column}", line=error.lineno, column=error.colno)
    return str(error)


def stdin_is_idle() -> bool:
    """Whether standard input cannot bring data: a terminal, /dev/null (cron), or closed."""
    if sys.stdin is None:
        return True
    import os
    import stat

    try:
        return stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode)
    except (OSError, ValueError):
        return True
