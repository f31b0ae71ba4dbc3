"""Sessions: what was said, kept message by message in ia.db; one session knows nothing of another.

Nothing is ever erased: a message that was pruned and a session that was deleted carry the time at which it happened, so
that `--now` before it still sees them. Messages stand in the order in which they were added.
"""

from ia.organs.sessions.pruning import LIMIT, exchange_gist, exchanges_to_prune, prune_session
from ia.organs.sessions.questions import Question, find_last_session, find_sessions_by_words, list_questions
from ia.organs.sessions.queue import hold_session
from ia.organs.sessions.slots import (
    activate_skill,
    fill_slots,
    keep_open_form,
    keep_outputs,
    keep_user_slots,
    list_active_skills,
    load_open_form,
    load_outputs,
    load_own_slots,
    load_slots,
    load_user_slots,
)
from ia.organs.sessions.transcript import (
    Session,
    SessionMessage,
    add_message,
    check_id,
    delete_session,
    estimate_tokens,
    find_session,
    list_sessions,
    load_history,
    mark_message,
    resolve_session,
    title_session,
    withdraw_messages,
)


def importance_of(text: str) -> int:
    """Return 2 where a text judges what the market's main line is, 1 where it says that a trade was made, else 0."""
    from ia.organs.sessions import importance  # its many patterns are compiled only where they are needed

    return importance.importance_of(text)


__all__ = [
    "LIMIT",
    "Question",
    "Session",
    "SessionMessage",
    "activate_skill",
    "add_message",
    "check_id",
    "delete_session",
    "estimate_tokens",
    "exchange_gist",
    "exchanges_to_prune",
    "fill_slots",
    "find_last_session",
    "find_session",
    "find_sessions_by_words",
    "hold_session",
    "importance_of",
    "keep_open_form",
    "keep_outputs",
    "keep_user_slots",
    "list_active_skills",
    "list_questions",
    "list_sessions",
    "load_history",
    "load_open_form",
    "load_outputs",
    "load_own_slots",
    "load_slots",
    "load_user_slots",
    "mark_message",
    "prune_session",
    "resolve_session",
    "title_session",
    "withdraw_messages",
]
