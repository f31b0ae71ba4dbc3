"""What a turn is told of beliefs with a date: which are due, how those turned out that prices decide, and the score."""

import sqlite3

from ia.kernel.errors import IaError
from ia.kernel.i18n import Voice
from ia.kernel.workspace import Workspace
from ia.organs.memory.beliefs import RIGHT, list_beliefs

MOST = 5
"""Beliefs that are told of, at most."""


def write_belief_outcomes(ws: Workspace, lang: str) -> list[str]:
    """Return what became of beliefs with a date, in lines; nothing is opened where none has one."""
    try:
        if not any(belief.due or belief.verdict for belief in list_beliefs(ws)):
            return []
        from ia.wiring.belief_outcomes import DUE, MARKET, count_states, judge_beliefs

        judged = judge_beliefs(ws)
    except (IaError, sqlite3.Error):
        return []
    voice = Voice(lang)
    due = [voice("(due, the user decides: {belief})", belief=each.belief.text) for each in judged if each.state == DUE]
    decided = [
        voice("(right on {day}: {belief})" if each.state == RIGHT else "(wrong on {day}: {belief})",
              day=each.day, belief=each.belief.text)
        for each in judged if each.by == MARKET
    ]  # fmt: skip
    score = count_states(judged)
    last = voice("(score: {right} right, {wrong} wrong, {open} open, {due} due)",
                 right=score["right"], wrong=score["wrong"], open=score["open"], due=score["due"])  # fmt: skip
    return [*decided[-MOST:], *due[-MOST:], last]
