"""Research on the web in the order of trust: the user's documents first, then numbered sources of the web."""

from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.jobs import own_library
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.kernel.jsontypes import Json
from ia.kernel.links import break_links

SHOWN = 4
LONGEST = 240


def research_topic(desk: ToolDesk, topic: str) -> Work[Reply]:
    """Answer with passages of the user's documents about a topic, and with sources of the web."""
    speak = desk.speak
    if not topic:
        yield from ()
        return reply.reply_of_lines(
            speak("What shall I look for? Name it: “search the web for the new trading rules”.")
        )
    lines: list[str] = []
    points: list[str] = []
    if desk.has("search_knowledge"):
        found = yield from desk.one("search_knowledge", query=topic, top_k=own_library.SHOWN, own=True)
        told = own_library.choose_close(found)
        if told:
            points = [own_library.quote_passage(each) for each in told]
            lines = [speak("Your documents say about “{topic}”:", topic=topic), *points]
    if not desk.has(own_library.WEB):
        lines.append(own_library.say_how_to_turn_on(desk))
        return Reply([*lines, *(["", own_library.say_basis(desk)] if points else [])], points or lines)
    found = yield from desk.one(own_library.WEB, query=topic, n=SHOWN)
    if found.failure is not None:
        why = describe_failure(speak, found.failure)
        return Reply([*lines, speak("No source of the web: {reason}.", reason=why)], points or [why])
    sources = [each for each in found.get("sources") or [] if isinstance(each, dict)][:SHOWN]
    if not sources:
        return Reply([*lines, speak("The web search found nothing about “{topic}”.", topic=topic)], points)
    told_lines = [_quote_source(each) for each in sources]
    lines += [speak("Sources of the web, which nobody has checked, say about “{topic}”:", topic=topic), *told_lines]
    lines += [speak("Sources (`ia knowledge add URL` keeps one):"), *(_name_source(desk, each) for each in sources)]
    lines += [
        "",
        speak("Rests on: your documents, then research on the web; none of it is a rule of a skill.")
        if points
        else speak("Rests on: research on the web; neither a rule nor a document of yours is about it."),
    ]
    return Reply(lines, [*points, *told_lines], [str(each.get("url")) for each in sources])


def _quote_source(source: Json) -> str:
    text = " ".join(break_links(str(source.get("snippet") or source.get("title") or "")).split())
    text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return f"- “{text}” [{source.get('citation')}]"


def _name_source(desk: ToolDesk, source: Json) -> str:
    day = str(source.get("published") or "")[:10] or desk.speak("no date")
    title = break_links(" ".join(str(source.get("title") or "").split()))
    return f"- [{source.get('citation')}] {title}, {day}, {source.get('url')}"
