"""What the owner's documents say of a subject: sentences of them, each with its citation."""

from ia.agent.analyst.desk import DeskResult, ToolDesk, Work
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.say import reply
from ia.agent.analyst.say.reply import Reply
from ia.kernel.jsontypes import Json

WEB = "web.search"
SHOWN = 3
LONGEST = 260
"""Characters of a passage that is told whole; of a longer one the sentence that answers best."""
ENOUGH = 0.5
"""Relevance from which a passage beside the best is told."""


def quote_library(desk: ToolDesk, topic: str) -> Work[Reply]:
    """Answer with the passages of the owner's documents that are about a topic."""
    speak = desk.speak
    if not topic:
        yield from ()
        return reply.reply_of_lines(speak("About what? Name a subject: “what does my library say about stop losses”."))
    found = yield from desk.one("search_knowledge", query=topic, top_k=SHOWN, own=True)
    if found.failure is not None:
        why = describe_failure(speak, found.failure)
        return reply.reply_of_lines(speak("Your documents cannot be searched: {reason}.", reason=why))
    told = choose_passages(found)
    if not told and (shipped := (yield from quote_shipped(desk, topic))):
        return shipped
    if not told:
        nothing = (
            speak("Your documents say nothing about “{topic}”.", topic=topic)
            if found.get("documents")
            else speak("There are no documents yet: `ia knowledge add FILE --theme T` adds books, papers and pages.")
        )
        offered = found.get("documents") or desk.has(WEB)
        return reply.reply_of_lines(nothing, *([offer_research(desk, topic)] if offered else []))
    lines = [quote_passage(each) for each in told]
    head = speak("Your documents say about “{topic}”:", topic=topic)
    return Reply([head, *lines, "", say_basis(desk)], lines, [str(each.get("citation")) for each in told])


def quote_shipped(desk: ToolDesk, topic: str) -> Work[Reply | None]:
    """Answer with passages that ship with the skills of the profile, and say so; None where none is close."""
    found = yield from desk.one("search_knowledge", query=topic, top_k=SHOWN)
    told = [each for each in choose_close(found) if each.get("shipped")]
    if not told:
        return None
    lines = [quote_passage(each) for each in told]
    head = desk.speak("Your documents say nothing about “{topic}”; what ships with my skills says:", topic=topic)
    basis = desk.speak("Rests on: texts of my skills (`ia knowledge list`).")
    return Reply([head, *lines, "", basis], lines, [str(each.get("citation")) for each in told])


def look_up(desk: ToolDesk, question: str) -> Work[Reply | None]:
    """Answer a question with the passages that are close to it; None where none is."""
    found = yield from desk.one("search_knowledge", query=question, top_k=SHOWN, own=True)
    told = choose_close(found)
    if not told:
        return None
    lines = [quote_passage(each) for each in told]
    head = desk.speak("No rule of mine is about that; your documents say:")
    return Reply([head, *lines, "", say_basis(desk)], lines, [str(each.get("citation")) for each in told])


def say_how_to_turn_on(desk: ToolDesk) -> str:
    """Return that research would be needed, and what turns it on."""
    return desk.speak(
        "That needs research on the web, which is off: `ia config set web.server 'uvx duckduckgo-mcp-server'` names an"
        " MCP server that searches; see ia-provider(5)."
    )


def offer_research(desk: ToolDesk, topic: str) -> str:
    """Return how to go on where rules and documents do not suffice: what is asked leaves the machine only by a wish."""
    if not desk.has(WEB):
        return say_how_to_turn_on(desk)
    return desk.speak("“search the web for {topic}” asks the web.", topic=topic)


def say_basis(desk: ToolDesk) -> str:
    """Return that an answer rests on the user's documents."""
    return desk.speak("Rests on: your documents.")


def choose_close(found: DeskResult) -> list[Json]:
    """Return the passages of a search that hold at least half of what was asked for."""
    if found.failure is not None:
        return []
    return [each for each in choose_passages(found) if float(each.get("relevance") or 0) >= ENOUGH]


def choose_passages(found: DeskResult) -> list[Json]:
    """Return the passages of a search that are told: the best, and those that are close enough to the question."""
    chunks = [each for each in found.get("chunks") or [] if isinstance(each, dict)]
    return [each for at, each in enumerate(chunks) if at == 0 or float(each.get("relevance") or 0) >= ENOUGH]


def quote_passage(passage: Json) -> str:
    """Return a passage as a line of a list: its words, and where they stand."""
    return f"- {_choose_words(passage)} [{passage.get('citation')}]"


def _choose_words(chunk: Json) -> str:
    text = " ".join(str(chunk.get("text") or "").split())
    words = text if len(text) <= LONGEST else " ".join(str(chunk.get("quote") or text).split())
    return f"“{words}”" if "“" not in words else words
