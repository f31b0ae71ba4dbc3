"""Why: the passage of a skill's references that a verdict, a size or a checklist rests on, quoted with its place."""

import re
from dataclasses import replace
from typing import NamedTuple

from ia.agent.analyst.ask import checklist_words, follow_asides, follow_on, follow_own_again, intent
from ia.agent.analyst.ask.facts import find_question, tables_for
from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.ask.mentions import find_mentions
from ia.agent.analyst.ask.plain_words import simplify_question
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.jobs import checking
from ia.agent.analyst.say.reply import Reply, reply_of_lines
from ia.agent.analyst.tables import Table
from ia.agent.analyst.voice import ZH
from ia.faculties.skills.tables import load_shipped
from ia.kernel.patterns import pattern
from ia.kernel.text_width import display_width

HOME = "research"
MOST = 2
"""Passages of one answer."""
LONGEST = 300
"""Columns of a quotation; a Chinese character takes two."""
_HAN = pattern("[\u4e00-\u9fff]")
_SOURCE = pattern(r"\.claude/skills/([\w-]+)/references/([\w.-]+?\.md)(?:#([\w-]+))?")


class MethodPassage(NamedTuple):
    """The beginning of a section: its words, the title of the text, the section's name, and the file."""

    words: str
    title: str
    section: str
    path: str


def explain_last_answer(desk: ToolDesk) -> Work[Reply | None]:
    """Answer a bare "why?" after a checklist, a size or another answer with grounds; None for anything else."""
    request = desk.request
    before = follow_asides.drop_asides(request.before)
    if not before or not follow_asides.asks_why(request.question):
        return None
    today = request.moment.date()
    said = simplify_question(follow_on.complete_question(before[-1], before[:-1], today))
    if follow_own_again.ask_own_again(request.question, said, find_mentions(said)):
        return None  # why that was bought or sold
    last = replace(request, question=said, before=before[:-1])
    wanted = intent.read_acts(last)
    if checklist_words.ASKS.search(said):
        return (yield from _explain_checklist(desk, wanted))
    if not intent.may_ask_facts(last, wanted):
        return None
    yield from desk.load_tables(*tables_for(wanted.securities), "facts_account", "facts_everyday")
    asked = find_question(wanted.words, wanted.securities, today, desk.tables)
    if asked is None:
        yield from desk.load_tables("figures")
        kind = intent.read_figures(last, wanted, desk.tables).kind if intent.asks_figures(last, wanted) else wanted.kind
        return None if kind in _WITH_GROUNDS else _say_no_grounds(desk)
    passage = yield from find_passage(desk, asked.answer)
    if passage is None and asked.answer in _STATES_REASON:
        from ia.agent.analyst.jobs.facts import alert_facts, task_facts

        answer = task_facts.answer_tasks if asked.answer == "tasks" else alert_facts.answer_alert_state
        return (yield from answer(desk, asked))
    if passage is None and asked.answer == "calendar":
        return reply_of_lines(
            desk.speak("An exchange trades on weekdays that are none of its holidays; its own calendar decides.")
        )
    if passage is None:
        return _say_no_grounds(desk)
    return reply_of_lines(quote_passage(desk, passage))._replace(evidence=(passage.path,))


_STATES_REASON = ("tasks", "alert_state")
"""Answers that say themselves why: a task that is not approved, an alert that is not true."""
_WITH_GROUNDS = ("research", "why", "skill")
"""Kinds of messages whose answers are views: they have a note with grounds, or a procedure."""


def _say_no_grounds(desk: ToolDesk) -> Reply:
    """Return that the answer before is no judgment: nothing of it has grounds."""
    speak = desk.speak
    return reply_of_lines(
        speak("The answer before states what is stored; it is no judgment, so there are no grounds to quote."),
        speak("Why a price moved I do not guess. “Why did CATL fall today” shows its move and the news of those days."),
    )


def _explain_checklist(desk: ToolDesk, wanted: Intent) -> Work[Reply | None]:
    """Return why a checklist came out as it did: what did not pass, and the passages that those items rest on."""
    found = yield from checking.find_list(desk, wanted)
    if found is None or isinstance(found, Reply):
        return found
    lines: list[str] = []
    for result in (yield from checking.judge(desk, wanted, found)):
        lines += [""] if lines else []
        if not result.ok:
            lines.append(checking.tell_failure(desk, found, result))
            continue
        verdict, *_ = checking.tell_result(desk, result)
        items = [each for each in result.get("items") or [] if isinstance(each, dict)]
        failed = [each for each in items if each["severity"] == "must" and each["result"] != "pass"]
        lines.append(verdict)
        quoted: set[str] = set()
        for item in failed or items[:1]:
            passage = yield from open_source(desk, str(item.get("source") or ""))
            lines += [checking.tell_item(desk, item)] if failed else []
            if passage and passage.section not in quoted and len(quoted) < MOST:
                quoted.add(passage.section)
                lines.append(quote_passage(desk, passage))
    return reply_of_lines(*lines)


def find_passage(desk: ToolDesk, kind: str) -> Work[MethodPassage | None]:
    """Return the passage that a kind of answer rests on; None where the table names none."""
    yield from desk.load_tables("grounds")
    places = desk.tables.build(HOME, "grounds", read_grounds)
    if kind not in places:
        return None
    file, _, section = places[kind].partition("#")
    return (yield from _open_section(desk, HOME, file, section))


def open_source(desk: ToolDesk, source: str) -> Work[MethodPassage | None]:
    """Return the passage that an item of a checklist names as its source; None where it names no section of a skill."""
    found = _SOURCE.fullmatch(source)
    return (yield from _open_section(desk, found[1], found[2], found[3] or "")) if found else None


def quote_passage(desk: ToolDesk, passage: MethodPassage) -> str:
    """Return a passage in quotation marks, with its title, its section, and the file to open."""
    return desk.speak(
        "> {words}\n— [{title}, § {section}] (`{path}`)",
        words=passage.words,
        title=passage.title,
        section=passage.section,
        path=passage.path,
    )


def read_grounds(table: Table) -> dict[str, str]:
    """Return the kind of an answer -> FILE#SECTION."""
    return {kind: place for kind, place in table.tree.items() if isinstance(place, str)}


def _open_section(desk: ToolDesk, skill: str, file: str, section: str) -> Work[MethodPassage | None]:
    """Return the beginning of a section; of the text that ships where the workspace has none in the language."""
    path = f"references/{file}"
    result = yield from desk.one("skills.load", name=skill, file=path)
    own = find_section(str(result.get("text") or ""), section) if result.ok else None
    if own is None or bool(_HAN.search(own.words)) != (desk.speak.lang == ZH):
        suffix = ".md" if desk.speak.lang == ZH else ".en.md"
        shipped = load_shipped(skill, path.removesuffix(".md") + suffix)
        own = (find_section(str(shipped.data), section) if shipped else None) or own
    return own and own._replace(path=f".claude/skills/{skill}/{path}")


def find_section(text: str, section: str) -> MethodPassage | None:
    """Return the beginning of a section of a Markdown text, whole sentences; None where there is no such section.

    The first word of a heading is what it is called by, the rest its name for readers.

    >>> text = "# On size\\n\\nHead.\\n\\n## sizing Size\\n\\nFirst. Second.\\n\\n## more\\n\\nThird."
    >>> find_section(text, "sizing")
    MethodPassage(words='First. Second.', title='On size', section='Size', path='')
    """
    head, *parts = re.split(r"^## +", text, flags=re.M)
    title = re.search(r"^# +(.+)$", head, re.M)
    for part in parts:
        heading, _, body = part.partition("\n")
        name, _, shown = heading.strip().partition(" ")
        if name == section:
            words = _cut_sentences(" ".join(body.split()))
            return MethodPassage(words, title[1].strip() if title else "", shown.strip() or name, "") if words else None
    return None


def _cut_sentences(text: str) -> str:
    """Return the sentences of a text that fit into a quotation, at least the first."""
    shown = ""
    for sentence in re.findall(r".+?(?:[。！？]|[.!?](?=\s|$)|$)\s*", text):
        if shown and display_width(shown) + display_width(sentence.rstrip()) > LONGEST:
            break
        shown += sentence
    return shown.strip()
