"""From what is wanted to the work that does it."""

from typing import NamedTuple

from ia.agent.analyst import intent, lens, view
from ia.agent.analyst.desk import Call, Desk, Work
from ia.agent.analyst.intent import Intent
from ia.agent.analyst.mentions import Mention
from ia.agent.analyst.research import Study, observe, steps_for, studied


class Reply(NamedTuple):
    """An answer: its lines, and the same for a program: points, what stands behind them, and notes written."""

    lines: list[str]
    points: list[str]
    evidence: list[str]


def work(desk: Desk) -> Work[Reply]:
    """Do what a request wants, and return the answer."""
    wanted = intent.read(desk.request)
    if wanted.kind == "research" and wanted.securities:
        return (yield from research(desk, wanted.securities[0]))
    return (yield from _unknown(desk, wanted))


def _unknown(desk: Desk, wanted: Intent) -> Work[Reply]:
    yield from ()
    line = desk.say("我按规则工作，这句话我没有读懂。", "I work by rules and could not read this.")
    return Reply([line], [line], [])


def research(desk: Desk, mention: Mention) -> Work[Reply]:
    """Research one security, keep the note and the observation, and answer."""
    steps, skill = yield from steps_for(desk, "research", mention.name)
    study = yield from studied(desk, mention, steps, lens.of_soul(desk.request.parts.get("soul", "")), skill)
    if study.failure:
        line = study.failure
        return Reply([line], [line], [])
    seen = view.View(desk, study)
    saved = yield from kept(desk, study, seen)
    return Reply([*seen.answer(), *saved], [f"{seen.subject} {seen.conclusion()}"], view.spoken_for(study, desk.say))


def kept(desk: Desk, study: Study, seen: view.View) -> Work[list[str]]:
    """Write the note and the observation, and return the lines that say where they are."""
    path = f"research/{study.name.replace('/', '-')}/{desk.request.day}.md"
    note, observed = yield from desk.run(
        Call("notebook.write", {"path": path, "content": seen.note()}),
        observe(desk, study.name, seen.remembered(), study.observed),
    )
    return [str(note), str(observed)]
