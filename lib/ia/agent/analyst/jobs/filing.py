"""Where notes and observations are kept."""

import re
from collections.abc import Sequence

from ia.agent.analyst.desk import DeskCall, DeskResult, ToolDesk, Work
from ia.agent.analyst.voice import ZH

OWN_LINE = "<!-- ia-own: {} -->"
"""The data line of an observation of the analyst's own that states no view: it is no word of the owner."""


def observation(desk: ToolDesk, topic: str) -> str:
    """Return the path of today's observation of a topic."""
    slug = re.sub(r"[^\w.]+", "-", topic).strip("-.").lower()
    return f"observations/{desk.request.day}-{slug}.md"


def topic_names(desk: ToolDesk, name: str, english_name: str) -> list[str]:
    """Return the names that a security's observations may have, the one of the reader's language first."""
    own, other = (name, english_name) if desk.speak.lang == ZH else (english_name, name)
    return list(dict.fromkeys(each for each in (own, other) if each))


def research_folders(desk: ToolDesk, mentions: Sequence[tuple[str, str]]) -> list[str]:
    """Return the folders below research/ that a subject may have, the one of the reader's language first.

    mentions    the Chinese and the English name of each security
    """
    own, english = ("-vs-".join(re.sub(r"[/\s]+", "-", names[at]) for names in mentions) for at in (0, 1))
    return list(dict.fromkeys((own, english) if desk.speak.lang == ZH else (english, own)))


def research_path(desk: ToolDesk, mentions: Sequence[tuple[str, str]]) -> Work[str]:
    """Return the path of today's note on a subject: in the folder that has most notes on it, in whatever language.

    Without a tool that lists them, it is the folder that has one of today.
    """
    folders = research_folders(desk, mentions)
    paths = [f"research/{name}/{desk.request.day}.md" for name in folders]
    if desk.has("notebook.list"):
        listed = yield from desk.run(
            *(DeskCall("notebook.list", {"directory": f"research/{name}"}) for name in folders)
        )
    else:
        listed = yield from desk.run(*(DeskCall("notebook.read", {"path": path}) for path in paths))
    counts = [int(each.get("count") or 1) if each.ok else 0 for each in listed]
    return paths[counts.index(max(counts))]


def observe(desk: ToolDesk, topic: str, line: str, observed: str = "") -> DeskCall:
    """Return the call that adds a line to today's observation; `observed` is what it says already."""
    if desk.has("memory.observe") or not desk.has("memory.write"):
        return DeskCall("memory.observe", {"topic": topic, "content": line})
    stamped = f"[{desk.request.moment:%H:%M}] {line}\n"
    text = f"{observed.rstrip()}\n{stamped}" if observed.strip() else f"# {topic}\n\n{stamped}"
    return DeskCall("memory.write", {"path": observation(desk, topic), "content": text})


def file_calls(desk: ToolDesk, *calls: DeskCall) -> Work[list[DeskResult]]:
    """Make calls that write; what is refused since its file is trusted goes once, untrusted, to the free path named."""
    results = yield from desk.run(*calls)
    refused = {at: each.failure for at, each in enumerate(results) if each.failure}
    free = {at: str(each.fields["beside"]) for at, each in refused.items() if each.fields.get("beside")}
    again = [DeskCall(calls[at].tool, {**calls[at].args, "path": path}) for at, path in free.items()]
    for at, result in zip(free, (yield from desk.run(*again)), strict=True):
        results[at] = result
    return results
