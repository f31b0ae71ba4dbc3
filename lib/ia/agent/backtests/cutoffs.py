"""Until when a model may have read what happened: the table cutoffs.tsv."""

import os

from ia.kernel.jsontypes import Json

NEVER = "ia-offline"
"""Rules written by hand: it has read no prices."""


def find_cutoff(model: str) -> Json:
    """Return the date and its source for a model, by the longest prefix of its name; {} where it is not known.

    >>> find_cutoff("openrouter/openai/gpt-4o-mini")["date"], find_cutoff("unheard-of")
    ('2023-10-01', {})
    """
    name = model.rpartition("/")[2].lower()
    best: tuple[str, str, str] = ("", "", "")
    with open(os.path.join(os.path.dirname(__file__), "cutoffs.tsv"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                continue
            prefix, day, source = line.rstrip("\n").split("\t")
            if name.startswith(prefix) and len(prefix) > len(best[0]):
                best = prefix, day, source
    return {"date": best[1], "source": best[2]} if best[0] else {}


def split_sessions(model: str, cutoff: Json, sessions: list[str]) -> list[tuple[str, int, int]]:
    """Return the parts of a run that no figure spans: (name, first, after the last) as places of sessions.

    A model whose cutoff is not known may have read all of it.

    >>> split_sessions("gpt", {"date": "2024-01-03"}, ["2024-01-02", "2024-01-03", "2024-01-04"])
    [('before', 0, 2), ('after', 2, 3)]
    """
    count = len(sessions)
    if model == NEVER:
        return [("all", 0, count)]
    known = str(cutoff.get("date") or "9999")
    at = sum(day <= known for day in sessions)
    return [part for part in (("before", 0, at), ("after", at, count)) if part[1] < part[2]]
