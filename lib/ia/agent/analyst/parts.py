"""The parts of an answer: an error in one costs that part, which is named, and the rest of the answer stands."""

from collections.abc import Callable
from functools import wraps
from inspect import isgeneratorfunction
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

from ia.agent.analyst.voice import AnswerVoice

if TYPE_CHECKING:
    from ia.agent.analyst.desk import ToolDesk

P = ParamSpec("P")
T = TypeVar("T")


class LeftOut(NamedTuple):
    """A part of an answer that an error has cost: its name in English."""

    name: str
    error: Exception

    def describe_loss(self, speak: AnswerVoice) -> str:
        """Return the line that stands for it."""
        return speak(
            "Missing: {part} (an error in ia; see `ia log --kind fault`).",
            part=speak(self.name),
        )


def leave_out(desk: "ToolDesk", name: str, error: Exception, *, at_end: bool = False) -> str:
    """Note that a part is left out of the answer, each part once, and return the line that names it."""
    lost = LeftOut(name, error)
    if name not in [each.name for each in desk.left_out]:
        desk.left_out.append(lost)
        if at_end:
            desk.last_lines.append(lost.describe_loss(desk.speak))
    return lost.describe_loss(desk.speak)


def part(name: str, otherwise: Callable[[str], Any]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Make a function or a piece of work a part of an answer: an error in it costs that part alone.

    Its first argument is the desk, or what has one. Each part is named once.

    otherwise   what is returned instead, of the line that names the part: `in_list`, `in_text`, or `nothing`, and the
                line then stands at the end of the answer
    """

    def leave_out_part(owner: Any, exc: Exception) -> Any:
        return otherwise(leave_out(getattr(owner, "desk", owner), name, exc, at_end=otherwise is nothing))

    def around(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def work(*args: P.args, **given: P.kwargs) -> Any:
            try:
                return (yield from function(*args, **given))  # type: ignore[misc]
            except Exception as exc:
                return leave_out_part(args[0], exc)

        @wraps(function)
        def run_part(*args: P.args, **given: P.kwargs) -> Any:
            try:
                return function(*args, **given)
            except Exception as exc:
                return leave_out_part(args[0], exc)

        return work if isgeneratorfunction(function) else run_part

    return around


def in_list(line: str) -> list[str]:
    """Stand in for a part that is a list of lines."""
    return [line]


def in_text(line: str) -> str:
    """Stand in for a part that is a text."""
    return line


def nothing(line: str) -> None:
    """Stand in for a part that has no lines of its own."""
