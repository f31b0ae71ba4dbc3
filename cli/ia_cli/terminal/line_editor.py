"""Lines typed at a terminal: readline with a history in a private file and completion on TAB."""

import contextlib
import os
from collections.abc import Callable, Sequence
from types import ModuleType

from ia.kernel import files

KEPT = 1000
"""Lines of the history file that are offered again."""
MAX_LINE = 2000
"""Characters of a line beyond which it is not kept: a pasted document is no line to type again."""
Complete = Callable[[str], Sequence[str]]
"""Returns what the last word of a line may become."""


class LineEditor:
    """Reads lines. A pasted text of several lines is one line, where the terminal marks what is pasted."""

    def __init__(self, history: str, complete: Complete) -> None:
        self._history, self._complete = history, complete
        self._found: list[str] = []
        self._readline = _load_readline()
        if self._readline is not None:
            self._set_up(self._readline)

    def _set_up(self, readline: ModuleType) -> None:
        if "libedit" in (readline.__doc__ or ""):
            readline.parse_and_bind("bind ^I rl_complete")
        else:
            readline.parse_and_bind("tab: complete")
            readline.parse_and_bind("set enable-bracketed-paste on")  # Python turns it off
        readline.set_completer_delims(" \t\n")
        readline.set_completer(self._next_word)
        readline.set_auto_history(False)
        for line in self._load_history():
            readline.add_history(line)

    def read_line(self, prompt: str) -> str:
        """Return a line without its end. Raises EOFError at Ctrl-D, KeyboardInterrupt at Ctrl-C."""
        return input(prompt)

    def keep_line(self, line: str) -> None:
        """Offer a line again, now and in later chats."""
        line = " ".join(line.split())
        if not line or len(line) > MAX_LINE or self._readline is None:
            return
        self._readline.add_history(line)
        with contextlib.suppress(OSError):  # a history that cannot be kept is no reason to stop
            files.make_folders(os.path.dirname(self._history))
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            fd = os.open(self._history, flags, 0o600)
            try:
                os.write(fd, f"{line}\n".encode(errors="replace"))
            finally:
                os.close(fd)

    def _load_history(self) -> list[str]:
        try:
            with open(self._history, encoding="utf-8", errors="replace") as file:
                lines = file.read().splitlines()
            if len(lines) > 2 * KEPT:
                files.replace_file(self._history, "\n".join(lines[-KEPT:]) + "\n", mode=0o600)
        except OSError:
            return []
        return lines[-KEPT:]

    def _next_word(self, word: str, state: int) -> str | None:
        """Return the completion of this number; None after the last. A key pressed is no place for a message."""
        assert self._readline is not None
        if state == 0:
            try:
                self._found = list(self._complete(self._readline.get_line_buffer()))
            except Exception:
                self._found = []
            self._found = [each for each in self._found if each.startswith(word)]
        return self._found[state] + " " if state < len(self._found) else None


def _load_readline() -> ModuleType | None:
    """Return the module of the standard library; None where Python was built without it."""
    try:
        import readline
    except ImportError:
        return None
    return readline
