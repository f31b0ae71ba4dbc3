"""What recurs in the memory of several runs: lines of playbooks and notes that say the same, with counts.

It becomes a proposal for the user's playbook; only a person accepts it.
"""

import os
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ia.agent.backtests.agent_runs import load_settings, run_folder
from ia.agent.backtests.live import first_texts
from ia.agent.backtests.recording import FILE as CALLS
from ia.agent.backtests.run_memory import PLAYBOOK, POSITION
from ia.agent.turns.context import PLAYBOOK as OWN_PLAYBOOK
from ia.kernel import proposals
from ia.kernel.digest import sha256
from ia.kernel.errors import UsageError
from ia.kernel.i18n import Voice
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace
from ia.organs.recall.terms import to_index_text

ALIKE = 0.6
"""Lines say the same where so large a part of their words is shared."""
SHORTEST = 3
"""Words that a line needs to say anything."""
MAX_RUNS = 100
_FRAME = pattern(r"^(?:[-*]|\d+\.)\s+|^\[[^\]]*\]\s*")
_FIGURES = pattern(r"[\d,.]*\d%?|\b[SB]?\d{3,6}(?:\.[A-Z]{2})?\b")


class RecurringLine(NamedTuple):
    """A line that several runs have learned, in the words of the first; `runs` of `of` have one like it."""

    text: str
    runs: int
    of: int
    names: tuple[str, ...]


def find_recurring_lines(ws: Workspace, runs: Sequence[str]) -> list[RecurringLine]:
    """Return the lines that at least two of the runs have, the most frequent first.

    What a run was given at its start does not count, nor does a replay beside its run: its answers are the same ones.
    raises  UsageError for fewer than two runs.
    """
    by_answers: dict[str, str] = {}
    for folder in [run_folder(ws, run) for run in runs]:
        by_answers.setdefault(_answers_of(folder), folder)
    folders = list(by_answers.values())[:MAX_RUNS]
    if len(folders) < 2:
        raise UsageError("give two runs or more: one alone, or a replay of it, shows nothing that recurs")
    groups: list[tuple[str, frozenset[str], list[str]]] = []
    for folder in folders:
        name = os.path.basename(folder)
        for text in _learned_lines(folder):
            words = _words(text)
            if len(words) < SHORTEST:
                continue
            alike = next((group for group in groups if _likeness(group[1], words) >= ALIKE), None)
            if alike is None:
                groups.append((text, words, [name]))
            elif name not in alike[2]:
                alike[2].append(name)
    found = [RecurringLine(text, len(names), len(folders), tuple(names)) for text, _, names in groups if len(names) > 1]
    return sorted(found, key=lambda line: -line.runs)


def propose_lines(ws: Workspace, lines: Sequence[RecurringLine], lang: str) -> proposals.Proposal:
    """Propose to add lines, with their counts, to the user's playbook."""
    speak = Voice(lang)
    before = ws.read(OWN_PLAYBOOK) or f"# {speak('Playbook')}\n"
    head = speak("## From backtests")
    told = [speak("- {text} ({count} of {of} runs)", text=line.text, count=line.runs, of=line.of) for line in lines]
    body = before.rstrip()
    body += "" if head in body.splitlines() else f"\n\n{head}"
    runs = ", ".join(dict.fromkeys(name for line in lines for name in line.names))
    because = speak("recurs in {runs}", runs=runs)
    text = "\n".join([body, *(line for line in told if line not in before)]) + "\n"
    return proposals.propose(ws, "playbook", OWN_PLAYBOOK, text, because=because)


def _answers_of(folder: str) -> str:
    """Return what the recorded answers of a run are known by; of a run without any its folder."""
    try:
        with open(os.path.join(folder, CALLS), "rb") as file:
            data = file.read()
    except FileNotFoundError:
        data = b""
    return sha256(data).hexdigest() if data else folder


def _learned_lines(folder: str) -> Iterable[str]:
    """Yield the lines of playbook and topic notes that a run has not been given."""
    settings = load_settings(folder)
    given = {line.strip() for text in first_texts(settings).values() for line in text.splitlines()}
    paths = [PLAYBOOK]
    notes = os.path.join(folder, "notes")
    if os.path.isdir(notes):
        paths += [f"notes/{name}" for name in sorted(os.listdir(notes)) if not name.startswith(POSITION)]
    for path in paths:
        full = os.path.join(folder, path)
        if not os.path.isfile(full):
            continue
        with open(full, encoding="utf-8") as file:
            for line in file:
                text = line.strip()
                if text and not text.startswith("#") and text not in given:
                    yield _strip_frame(text)


def _strip_frame(text: str) -> str:
    """Return a line without its bullet and its date.

    >>> _strip_frame("- [2024-02] after three losses, pause a day")
    'after three losses, pause a day'
    """
    return _FRAME.sub("", _FRAME.sub("", text)).strip()


def _words(text: str) -> frozenset[str]:
    """Return the words of a line by which it is compared: figures and codes are not among them."""
    return frozenset(re.findall(r"\w+", to_index_text(_FIGURES.sub(" ", text))))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)
