"""Short answers to questions for facts: the figure first, where it is from, and what was not understood."""

from collections.abc import Callable, Generator
from typing import Any

from ia.agent.analyst.ask.facts import FactQuestion
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply

Answer = Callable[[ToolDesk, FactQuestion], Generator[Any, Any, Reply]]


_READS_NUMBERS = ("term", "screen", "order_cost", "against_average", "size", "tasks", "day_count")
"""Sources whose answers read the numbers of a question themselves."""


def answer_question(desk: ToolDesk, asked: FactQuestion) -> Work[Reply]:
    """Return the answer to a question for facts; a question back where a word that may change it was not understood."""
    if asked.unread and asked.answer not in _READS_NUMBERS:
        return wording.ask_back(desk, asked.unread)
    return (yield from _find_answer(asked.answer)(desk, asked))


def _find_answer(name: str) -> Answer:
    """Return the function behind an answer of a table. Only what is needed is imported."""
    if name in ("quote", "report", "valuation", "actions", "report_dates", "refuse"):
        from ia.agent.analyst.jobs.facts import security_facts

        return security_facts.ANSWERS[name]
    if name in (
        "premise",
        "relation",
        "stop",
        "size",
        "levels",
        "streak",
        "day_count",
        "against_average",
        "order_cost",
    ):
        from ia.agent.analyst.jobs.facts import price_facts

        return price_facts.ANSWERS[name]
    if name in ("account", "account_index", "position", "trades", "trades_made", "holdings_rank", "limits"):
        from ia.agent.analyst.jobs.facts import account_facts

        return account_facts.ANSWERS[name]
    if name == "tasks":
        from ia.agent.analyst.jobs.facts import task_facts

        return task_facts.answer_tasks
    if name == "screen":
        from ia.agent.analyst.jobs.facts import screen_facts

        return screen_facts.answer_screen
    from ia.agent.analyst.jobs.facts import market_facts

    return market_facts.ANSWERS[name]
