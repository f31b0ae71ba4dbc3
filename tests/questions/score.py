"""`make score`: how many of the questions that reviewers wrote before they saw an answer are answered rightly.

The tables are kept as they were written, those included that are not answered yet: a score, not a test. Each is asked
in its language, in one workspace of ten weeks: an account in three currencies, notes, alerts, tasks, a watch list.
"""

import os
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

TESTS = Path(__file__).parent.parent
sys.path.insert(0, str(TESTS))

from ia.agent.turns.turn import take_turn  # noqa: E402
from questions.accounts import list_steps  # noqa: E402
from questions.truth import expected, has_fact, load_questions, problems, run, used_workspace  # noqa: E402

NOW = "2024-03-15T16:00:00+08:00"
TABLES = {
    "fresh_en.tsv": ("first", "en"), "fresh_zh.tsv": ("first", "zh"), "styles_en.tsv": ("second", "en"),
    "styles_zh.tsv": ("second", "zh"),
}  # fmt: skip
"""The account that each table is asked about, and its language."""
GOES_ON = " || "


@contextmanager
def lived_in_workspace(account, lang):
    """A workspace of ten weeks in a temporary folder, which goes with it."""
    with tempfile.TemporaryDirectory() as name, used_workspace(Path(name), lang, NOW, ()) as ws:
        os.environ["IA_CRONTAB"] = str(shutil.copy(TESTS / "support" / "fake_crontab", Path(name) / "crontab"))
        for step in list_steps(account, lang):
            run(*shlex.split(step))
        yield ws


def ask_table(ws, name):
    """Ask the questions of a table; return how many ended how, and the problems of those that were answered wrongly.

    The facts of a conversation may stand in any of its answers.
    """
    ended, wrong = Counter(), []
    for question, facts in load_questions(name):
        session, replies = "", []
        for each in question.split(GOES_ON):
            turn = take_turn(ws, each, session=session, model="ia-offline")
            session = turn.session
            replies.append(turn.reply)
        found = find_missing(question, facts, replies)
        how = "right" if not found else "wrong" if turn.understood else "asked back"
        ended[how] += 1
        wrong += found if how == "wrong" else []
    return ended, wrong


def find_missing(question, facts, replies):
    """Return what the answers of a conversation lack; what is wrong with one of a single question."""
    if len(replies) == 1 or facts == "?":
        return problems(question, facts, replies[-1])
    lacks = [[fact for fact in one if not any(has_fact(reply, fact) for reply in replies)] for one in expected(facts)]
    missing = min(lacks, key=len)
    return [f"{question}: {missing} missing\n" + "\n".join(replies)] if missing else []


def main():
    for name in sys.argv[1:] or TABLES:
        with lived_in_workspace(*TABLES[name]) as ws:
            ended, wrong = ask_table(ws, name)
        print(*wrong, sep="\n\n", end="\n\n" if wrong else "")
        told = ", ".join(f"{how} {ended[how]}" for how in ("right", "asked back", "wrong"))
        print(f"{name}: {told}, of {ended.total()}", flush=True)


if __name__ == "__main__":
    main()
