"""Which file of the memory may change how: what is free, what needs a reason, what needs a person's consent."""

from ia.kernel.errors import Refused
from ia.kernel.workspace import TEXT, Workspace
from ia.organs.memory.contents import PATH as INDEX

FOLDER = "memory"
SOUL = "soul.md"
BELIEFS = "memory/beliefs.md"
PREFERENCES = "memory/preferences.md"
TRACKING = "memory/tracking.md"
OBSERVATIONS = "memory/observations"
REFLECTIONS = "memory/reflections"
JOURNAL = "memory/journal"

CATEGORIES = "tracking, beliefs, preferences, soul, observations/…, reflections/…, journal/…"

FREE, REASONED, CONSENT = "free", "reason", "consent"


def path_of(ws: Workspace, path: str) -> str:
    """Return a memory file's path relative to the workspace. `memory/` and `.md` may be left out; `soul` is the soul.

    raises  Refused for what leaves memory/.
    """
    inside = path.removeprefix(FOLDER + "/")
    name = inside if inside.endswith(TEXT) else inside + ".md"
    if name.casefold() == SOUL:
        return SOUL
    ws.resolve(inside, below=FOLDER)
    return ws.relative_path(ws.resolve(name, below=FOLDER))


def change_rule(path: str) -> str:
    """Return FREE, REASONED or CONSENT for a path from path_of(). Case is no way around: some file systems ignore it.

    raises  Refused for MEMORY.md, which ia keeps itself, and for what belongs to no category of the memory.
    """
    folded = path.casefold()
    if folded == INDEX.casefold():
        raise Refused("ia maintains {path}", path=path, hint="with an editor, change only the text outside its block")
    if folded in (SOUL, PREFERENCES):
        return CONSENT
    if folded == BELIEFS:
        return REASONED
    if folded != TRACKING and not folded.startswith((OBSERVATIONS + "/", REFLECTIONS + "/", JOURNAL + "/")):
        raise Refused(
            "{path} does not belong to a memory category",
            path=path,
            hint="choose one of these categories: {known}",
            known=CATEGORIES,
        )
    return FREE
