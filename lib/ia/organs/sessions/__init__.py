"""Sessions: what was said, kept message by message in ia.db; one session knows nothing of another.

Nothing is ever erased: a message that was pruned and a session that was deleted carry the time at which it happened, so
that `--now` before it still sees them. Messages stand in the order in which they were added.
"""

from ia.organs.sessions.kept import (
    Message,
    Session,
    add,
    check_id,
    delete,
    find,
    history,
    listed,
    mark,
    tokens,
    withdraw,
)
from ia.organs.sessions.pruning import LIMIT, gist, going, prune
from ia.organs.sessions.waiting import queue


def importance_of(text: str) -> int:
    """Return 2 where a text judges what the market's main line is, 1 where it says that a trade was made, else 0."""
    from ia.organs.sessions import importance  # its many patterns are compiled only where they are needed

    return importance.importance_of(text)


__all__ = [
    "LIMIT", "Message", "Session", "add", "check_id", "delete", "find", "gist", "going", "history", "importance_of",
    "listed", "mark", "prune", "queue", "tokens", "withdraw",
]  # fmt: skip
