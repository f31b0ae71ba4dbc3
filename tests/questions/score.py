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
from questions.truth import expected, has_fact, load_questions, problems, run, used_workspace  # noqa: E402

NOW = "2024-03-15T16:00:00+08:00"
TABLES = {"fresh_en.tsv": "en", "fresh_zh.tsv": "zh"}
GOES_ON = " || "
STEPS = """
watch add 002594 --group ev
watch add 300750 --group batteries --because "below 150"
watch add 600519 000858 --group liquor
watch add 600900 AAPL 00700.HK
trade deposit 500000 --date 2024-01-02
trade deposit 20000 --currency USD --date 2024-01-02
trade deposit 200000 --currency HKD --date 2024-01-02
trade buy 600036 1000 30 --date 2024-02-01 --because high-dividend
trade buy 600519 100 700 --date 2024-02-05 --because wholesale-price
trade sell 600036 300 31 --date 2024-03-04 --override --because trim
trade buy 601318 500 40 --date 2024-01-10 --because cheap
trade buy 601318 300 41 --date 2024-01-24
trade sell 601318 800 42 --date 2024-02-20 --because target-reached
trade buy 00700.HK 200 280 --date 2024-01-15
trade buy AAPL 30 180 --date 2024-01-16 --because "services growth"
trade buy 300750 200 150 --date 2024-01-22
trade buy 300750 100 160 --date 2024-03-01
alert 600519 "close < 760"
alert 300750 "close > 150"
task approve 4 --yes
task approve 5 --yes
task approve 6 --yes
"""
NOTES = {
    "en": """
note research/moutai/2024-03-08 "Wholesale price firm. My target price for Moutai is 820, stop at 640."
note research/catl/2024-02-28 "CATL: margins hold. Compare with BYD, whose exports rise. What would make me sell: market share below 35%."
note observation/2024-02-21 "Sold Ping An because the target was reached; next time sell in two parts."
note research/byd/2024-03-01 "BYD exports up 40% year on year. I would buy below 80."
""",
    "zh": """
note research/茅台/2024-03-08 批价企稳，渠道库存下降。茅台目标价820，止损640。
note research/宁德/2024-02-28 宁德时代毛利率稳住。和比亚迪对比，后者出口在涨。份额低于35%就卖。
note observation/2024-02-21 平安到目标价卖了，下次分两次卖。
note research/比亚迪/2024-03-01 比亚迪出口同比增长40%，80以下想买。
""",
}


@contextmanager
def lived_in_workspace(lang):
    """A workspace of ten weeks in a temporary folder, which goes with it."""
    with tempfile.TemporaryDirectory() as name, used_workspace(Path(name), lang, NOW, ()) as ws:
        os.environ["IA_CRONTAB"] = str(shutil.copy(TESTS / "support" / "fake_crontab", Path(name) / "crontab"))
        for step in f"{STEPS}{NOTES[lang]}".split("\n"):
            if step:
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
    for name, lang in TABLES.items():
        with lived_in_workspace(lang) as ws:
            ended, wrong = ask_table(ws, name)
        print(*wrong, sep="\n\n", end="\n\n" if wrong else "")
        told = ", ".join(f"{how} {ended[how]}" for how in ("right", "asked back", "wrong"))
        print(f"{name}: {told}, of {ended.total()}", flush=True)


if __name__ == "__main__":
    main()
