"""What was asked: the wire format of a turn, taken apart again."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import pairwise, zip_longest

from ia.agent import prompt_format
from ia.agent.analyst.ask.follow_days import point_at_told
from ia.agent.analyst.ask.foreign_words import is_foreign
from ia.agent.analyst.ask.listed_subjects import find_codes
from ia.agent.analyst.ask.mentions import strip_mentions
from ia.agent.analyst.voice import AnswerVoice, count_han, language
from ia.agent.prompt_format import DATA, EVENT, QUESTION, TIME
from ia.kernel.jsontypes import Json


@dataclass
class UserRequest:
    """A question with its time, the parts of the system prompt by name, what came along, and what was asked before.

    moment    when it was asked; of a task the moment that it runs for. place: where a task wants its report, below
              notebook/
    sections  of an event of the day: what stands under each of its headings, to be quoted
    figures   of an event of the day: its figures as data
    listed    the codes of the securities that each answer to what was asked before names, in their order
    """

    question: str
    moment: datetime
    speak: AnswerVoice
    event: str = ""
    parts: dict[str, str] = field(default_factory=dict)
    data: str = ""
    before: list[str] = field(default_factory=list)
    form: bool = False
    bars: Json = field(default_factory=dict)
    place: str = ""
    sections: dict[str, str] = field(default_factory=dict)
    figures: Json = field(default_factory=dict)
    listed: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def wants_json(self) -> bool:
        """Whether it is a subagent's task, which is answered with an object of points, evidence and artifacts."""
        return self.form

    @property
    def skill(self) -> str:
        """The name of the active skill; "" without one."""
        return prompt_format.parse_skill(self.parts.get("skill", ""))

    @property
    def is_words_only(self) -> bool:
        """Whether nothing came along with the question: no active skill, no data or bars, no form to be filled."""
        return not (self.skill or self.data or self.bars or self.form)

    @property
    def skills(self) -> list[tuple[str, str]]:
        """The names of the workspace's skills, and what each is for."""
        return prompt_format.parse_skill_lines(self.parts.get("skills", ""))

    @property
    def limits(self) -> dict[str, float]:
        """The limits of the risk rules, by the names of their settings; {} where no rules are in force."""
        return prompt_format.parse_limits(self.parts.get("risk", ""))

    @property
    def day(self) -> str:
        """The date of the question, YYYY-MM-DD."""
        return self.moment.strftime("%Y-%m-%d")


def parse_request(
    prompt: str, system: str, before: list[str], now: datetime, fallback: str, answers: Sequence[str] = ()
) -> UserRequest:
    """Return the request that a turn's prompt and system prompt are. A bare prompt is a question as it stands.

    before    earlier messages of the user, oldest first; answers: what was said to each of them
    fallback  the language where the question leaves it open
    """
    heads = prompt_format.parse_heads(prompt)
    question = heads.get(QUESTION, prompt if not heads else "").strip()
    try:
        moment = datetime.fromisoformat(heads.get(TIME, "").strip()).replace(tzinfo=now.tzinfo)
    except ValueError:
        moment = now
    question, slot, place = prompt_format.parse_slot(question)
    moment = min(slot.replace(tzinfo=moment.tzinfo), moment) if slot else moment  # never a later one
    question, form = _task(question)
    data = heads.get(DATA, "").strip()
    told = [(said.strip(), answer) for text, answer in zip_longest(before, answers, fillvalue="")
            if (said := _question_of(text))]  # fmt: skip
    earlier = point_all([*told, (question, "")], moment.date())
    question = earlier.pop()
    lang = language(_without_names(question), language(earlier[-1], fallback) if earlier else fallback)
    if is_foreign(question):
        lang = fallback
    event, _, body = heads.get(EVENT, "").strip().partition("\n")
    sections = prompt_format.parse_sections(body) if not question else {}
    return UserRequest(
        question, moment, AnswerVoice(fallback if sections else lang), prompt_format.canonical_name(event.strip()),
        prompt_format.parse_parts(system), data, earlier, form, _bars(data), place, sections,
        prompt_format.parse_figures(sections), [find_codes(answer) for _, answer in told],
    )  # fmt: skip


def point_all(told: Sequence[tuple[str, str]], today: date) -> list[str]:
    """Return messages with the days that they point at in the answers before them; each comes with its answer."""
    said = [text for text, _ in told[:1]]
    for (_, answer), (text, _) in pairwise(told):
        said.append(point_at_told(text, said[-1], answer, today))
    return said


def _without_names(question: str) -> str:
    """Return a question without the securities in it where it has Chinese words: `China Merchants Bank 连跌几天了`."""
    bare = strip_mentions(question)
    return bare if count_han(bare) else question


def _question_of(text: str) -> str:
    """Return the question of an earlier message; "" for an event's prompt, which nobody asked."""
    heads = prompt_format.parse_heads(text)
    return heads.get(QUESTION, "" if heads else text)


def _task(question: str) -> tuple[str, bool]:
    """Return a subagent's task without what says who it is and which form its answer has; and whether it is one."""
    _, form, task = question.partition(prompt_format.FORM)
    return (task.strip(), True) if form else (question, False)


def _bars(data: str) -> Json:
    """Return what is told of bars that were piped in. Only the first line can: what is fenced comes from elsewhere."""
    first = data.split("\n", 1)[0]
    if not first.startswith("OHLCV {"):
        return {}
    try:
        told = json.loads(first.removeprefix("OHLCV "))
    except ValueError:
        return {}
    return told if isinstance(told, dict) and told.get("rows") else {}
