"""Pruning: a session that has grown too long forgets its oldest talk, and keeps one line of each exchange."""

import re

from ia.kernel import audit
from ia.kernel.workspace import Workspace, headline, to_local
from ia.organs.sessions.questions import extract_question
from ia.organs.sessions.transcript import SessionMessage, mark_gone, messages_of, open_transaction

LIMIT = 80_000
"""Tokens of messages beyond which a session is pruned."""
_CONCLUDES = re.compile(r"^\W*(?:结论|综上|总之|总结|判断|结果|conclusion|in short|in sum|summary|verdict)", re.I)


def prune_session(ws: Workspace, id: str, limit: int = LIMIT) -> int:
    """Drop the oldest exchanges, logically, until a session has at most `limit` tokens; return how many messages went.

    An exchange (a question with its answers) goes or stays as one. One with a message of importance 1 or 2, or of the
    system, always stays, and so does the newest: a session of those alone may stay above the limit. One line of each
    exchange that goes enters the session's summary; of text from outside only its origin does.
    raises  NotFound.
    """
    with open_transaction(ws) as db:
        messages = messages_of(ws, id)
        dropped = 0
        for exchange in exchanges_to_prune(messages, limit):
            dropped += len(exchange)
            mark_gone(db, exchange)
            db.execute("UPDATE messages SET gist = ? WHERE id = ?", (exchange_gist(exchange), exchange[0].id))
        if dropped:
            size = sum(message.tokens for message in messages_of(ws, id))
            audit.record(db, "session.prune", messages[0].session, dropped=dropped, tokens=size)
    return dropped


def exchanges_to_prune(messages: list[SessionMessage], limit: int) -> list[list[SessionMessage]]:
    """Return the exchanges that prune() would drop of a session's messages."""
    size = sum(message.tokens for message in messages)
    found = []
    for exchange in group_exchanges(messages):
        if size <= limit:
            break
        if messages[-1] in exchange or any(message.importance or message.role == "system" for message in exchange):
            continue
        size -= sum(message.tokens for message in exchange)
        found.append(exchange)
    return found


def group_exchanges(messages: list[SessionMessage]) -> list[list[SessionMessage]]:
    """Return messages grouped into questions with their answers, in the order of the questions.

    Messages of one turn are one exchange; without a turn, one begins at each message of the user or the system.
    """
    groups: list[list[SessionMessage]] = []
    turns: dict[str, list[SessionMessage]] = {}
    for message in messages:
        if message.turn and message.turn in turns:
            turns[message.turn].append(message)
            continue
        if message.turn or message.role != "assistant" or not groups or groups[-1][0].turn:
            groups.append([])
        groups[-1].append(message)
        if message.turn:
            turns[message.turn] = groups[-1]
    return groups


def exchange_gist(exchange: list[SessionMessage]) -> str:
    """Return one line that stands for an exchange: its day, the question, and the conclusion in its own words."""
    from datetime import datetime

    day = to_local(datetime.fromisoformat(exchange[0].created)).strftime("%Y-%m-%d")
    asked = [_summarize_message(message, 40) for message in exchange if message.role == "user"]
    answered = [_summarize_message(message, 80) for message in exchange if message.role == "assistant"]
    return f"- [{day}] " + " → ".join(filter(None, [*asked, *answered[-1:]]))


def _summarize_message(message: SessionMessage, width: int) -> str:
    """Return a message in one line; of one that holds text from outside, only where that came from."""
    if message.origins:
        return f"({message.role}: from {', '.join(message.origins)})"[:width]
    text = extract_question(message.content).replace("**", "")
    concluding = [line for line in text.splitlines() if _CONCLUDES.match(line) and len(line.strip()) > 8]
    return headline(concluding[-1] if concluding and message.role == "assistant" else text, width)
