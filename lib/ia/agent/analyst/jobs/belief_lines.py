"""Beliefs in words: what became of each, the score, and which wait for the owner."""

from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.voice import number
from ia.kernel.errors import PluralText
from ia.kernel.jsontypes import Json

SHOWN = 7
"""Beliefs that an answer has."""


def read_score(found: DeskResult) -> dict[str, int]:
    """Return how many beliefs are in each state."""
    score = found.get("score")
    return {str(state): int(count) for state, count in score.items()} if isinstance(score, dict) else {}


def say_score(desk: ToolDesk, score: dict[str, int]) -> str:
    """Return how many beliefs turned out right and wrong, and how many are open."""
    return desk.speak(
        "**Your beliefs: {right} right, {wrong} wrong**, {open} open, {due} for you to decide, {undated} undated",
        right=score.get("right", 0),
        wrong=score.get("wrong", 0),
        open=score.get("open", 0),
        due=score.get("due", 0),
        undated=score.get("undated", 0),
    )


_STATES = ("due", "right", "wrong", "open", "undated")


def order_of(row: Json) -> tuple[int, str]:
    """Return where a belief stands in a list: what waits for the owner first."""
    return _STATES.index(str(row["state"])), str(row.get("due") or "")


def say_belief(desk: ToolDesk, row: Json) -> str:
    """Return a belief and what became of it, in a line."""
    return f"- {_say_state(desk, row)}{desk.speak(': ')}{row['belief']}{_say_grounds(desk, row)}"


def _say_state(desk: ToolDesk, row: Json) -> str:
    speak, state = desk.speak, row["state"]
    if state == "right":
        return speak("**right**")
    if state == "wrong":
        return speak("**wrong**")
    if state == "due":
        return speak("**due {day}, you decide**", day=row.get("due"))
    return speak("open until {day}", day=row.get("due")) if state == "open" else speak("no date")


def _say_grounds(desk: ToolDesk, row: Json) -> str:
    """Return the close by which a belief was judged, or how it stands, in brackets; "" where nothing is known."""
    speak = desk.speak
    if row.get("by") == "owner":
        return speak(" (your verdict of {day})", day=row.get("decided"))
    if row.get("why"):
        return speak(" (no stored price decides it)") if row["state"] == "due" else ""
    if row.get("close") is None:
        return ""
    told = [speak("close {close} on {day}", close=number(row["close"], "price", speak), day=row.get("close_date"))]
    if row.get("level") is None and row.get("moved_pct") is not None:
        change = wording.say_percent(row["moved_pct"])
        index = wording.name_alone(desk, str(row["against"]), None) if row.get("against") else ""
        told.append(speak("{change} against {index}", change=change, index=index) if index else change)
    return speak(" ({told})", told=speak(", ").join(told))


def review_beliefs(desk: ToolDesk, found: DeskResult, first: str, last: str) -> list[str]:
    """Return which beliefs turned out in some days and which wait for the owner, in lines for a review."""
    if not found.ok:
        return []
    rows = [
        row for row in wording.rows_of(found, "beliefs")
        if row["state"] == "due" or any(first <= str(row.get(key) or "") <= last for key in ("decided", "due"))
    ]  # fmt: skip
    return [*(say_belief(desk, row) for row in sorted(rows, key=order_of)[:SHOWN])]


def due_line(desk: ToolDesk, found: DeskResult) -> list[str]:
    """Return the beliefs that wait for the owner's verdict, in one line; nothing where none does."""
    rows = [row for row in wording.rows_of(found, "beliefs") if row["state"] == "due"] if found.ok else []
    if not rows:
        return []
    told = desk.speak.join_clauses([str(row["belief"]) for row in rows[:3]])
    return [
        desk.speak(
            PluralText("{count} belief is due, you decide: {told} (`ia memory judge`)",
                       "{count} beliefs are due, you decide: {told} (`ia memory judge`)"),
            count=len(rows), told=told,
        )
    ]  # fmt: skip


def beliefs_call() -> DeskCall:
    """Return the call that review_beliefs() and due_line() take the answer of."""
    return DeskCall("memory.beliefs", {})
