"""The watch list, memory/tracking.md: what is watched, in which group, since when and why.

The text file is the truth, and a person may edit it. A group is a heading; what stands above the first one belongs to
none. An item is a line of a list: `- ITEM`, `- ITEM: WHY`, `- ITEM: WHY (DATE)`.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ia.kernel import clock
from ia.kernel.errors import NotFound, UsageError
from ia.kernel.patterns import pattern
from ia.kernel.workspace import Workspace
from ia.organs.memory.change_rules import TRACKING

NO_GROUP = ""
MAX_GROUP = 40
"""Characters that the name of a group may have."""
_item_line = pattern(r"\s{0,3}[-*+]\s+(?:\[[ xX]?\]\s+)?(\S.*?)\s*")
_heading = pattern(r"(#{1,6})\s+(\S.*?)\s*#*\s*")
_dated = pattern(r"(.*?)\s*[(（](\d{4}-\d\d-\d\d)[)）]")
_reasoned = pattern(r"(.+?)(?:: |：|:$| [—–] )\s*(.*)")


class WatchItem(NamedTuple):
    """An item of the watch list. `at` is its line, `text` what is watched, as it stands there, `since` a date or ""."""

    at: int
    text: str
    why: str
    since: str
    group: str


class ListChange(NamedTuple):
    """What became of an item: `outcome` is added, changed, moved, removed or unchanged."""

    text: str
    group: str
    outcome: str


def parse_items(text: str) -> list[WatchItem]:
    """Return the items of a watch list, in its order.

    >>> [item[1:] for item in parse_items("# Tracking\\n- SPY\\n## battery\\n- 300750: below 80 (2024-03-15)\\n")]
    [('SPY', '', '', ''), ('300750', 'below 80', '2024-03-15', 'battery')]
    """
    return _parse_lines(text.splitlines())


def list_items(ws: Workspace) -> list[WatchItem]:
    """Return the items of the workspace's watch list, in its order."""
    return parse_items(ws.read(TRACKING) or "")


def list_groups(items: Iterable[WatchItem]) -> list[str]:
    """Return the groups that have items, in the order of the list."""
    return list(dict.fromkeys(item.group for item in items if item.group))


def select_group(items: Sequence[WatchItem], group: str) -> list[WatchItem]:
    """Return the items of a group; capitals, spaces and widths of letters in its name do not count.

    raises  NotFound naming the groups that there are.
    """
    key = _group_key(group)
    found = [item for item in items if item.group and _group_key(item.group) == key]
    if not found:
        known = list_groups(items)
        hint = "the groups are: {known}" if known else "make one with `ia watch add SYMBOL --group {group}`"
        raise NotFound(
            "{group}: the watch list has no such group",
            code="unknown-watch-group",
            group=group,
            known=", ".join(known),
            hint=hint,
        )
    return found


def track_item(
    ws: Workspace,
    symbol: str,
    why: str = "",
    *,
    code: str = "",
    names: Sequence[str] = (),
    group: str | None = None,
    actor: str = "user",
) -> ListChange:
    """Put a symbol or a topic on the watch list, give it a new reason, or move it to another group.

    An item keeps its reason and date where no new reason is given, and its group where none is named.

    code    canonical code that `symbol` begins with: one security stands there once. names: what else it may stand as.
    group   its name; NO_GROUP takes the item out of its group
    raises  UsageError for nothing to track, or for what cannot be the name of a group.
    """
    item, reason = _plain_text(symbol), _plain_text(why)
    if not item:
        raise UsageError("nothing to track: give a symbol")
    with ws.lock():
        lines = _read_lines(ws)
        items = _parse_lines(lines)
        known = _find_items(items, (item, *names), code)
        before = known[0] if known else None
        place = _settle_group(items, before.group if before and group is None else group or NO_GROUP)
        if before and not reason:
            reason, since = before.why, before.since or clock.today()
        else:
            since = clock.today()
        line = f"- {item}" + (f": {reason}" if reason else "") + f" ({since})"
        after = _place_line(lines, line, place, before, known)
        _write_lines(ws, after, actor, "memory.track", item)
        if after == lines:
            return ListChange(item, place, "unchanged")
        moved = before is not None and before.group != place
        return ListChange(item, place, "moved" if moved else "changed" if before else "added")


def untrack_item(
    ws: Workspace, symbol: str, *, code: str = "", names: Sequence[str] = (), actor: str = "user"
) -> ListChange:
    """Take a symbol or a topic off the watch list; its group goes with its last item.

    raises  NotFound.
    """
    item = _plain_text(symbol)
    with ws.lock():
        lines = _read_lines(ws)
        known = _find_items(_parse_lines(lines), (item, *names), code)
        if not known:
            raise NotFound(
                "{symbol} is not tracked", symbol=item, code="not-tracked", hint="`ia watch list` shows what is tracked"
            )
        _write_lines(ws, _remove_lines(lines, known), actor, "memory.untrack", item)
        return ListChange(known[0].text, known[0].group, "removed")


def _parse_lines(lines: Sequence[str]) -> list[WatchItem]:
    found, group, fenced, headings = [], NO_GROUP, False, 0
    for at, line in enumerate(lines):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced:
            continue
        if heading := _heading.fullmatch(line):
            headings += 1
            is_title = headings == 1 and len(heading[1]) == 1
            group = NO_GROUP if is_title else heading[2]
        elif item := _item_line.fullmatch(line):
            rest, since = item[1], ""
            if dated := _dated.fullmatch(rest):
                rest, since = dated.groups()
            named = _reasoned.fullmatch(rest)
            text, why = named.groups() if named else (rest, "")
            found.append(WatchItem(at=at, text=text.strip(), why=why, since=since, group=group))
    return found


def _find_items(items: Iterable[WatchItem], names: Sequence[str], code: str) -> list[WatchItem]:
    """Return the lines on which an item stands: under its name, its code, or a text that begins with its code."""
    wanted = {*names, code} - {""}
    return [
        item
        for item in items
        if not wanted.isdisjoint((item.text, f"{item.text}: {item.why}")) or (code and item.text.startswith(f"{code} "))
    ]


def _settle_group(items: Iterable[WatchItem], group: str) -> str:
    """Return the name of a group as the list writes it.

    raises  UsageError for what cannot be one.
    """
    name = _plain_text(group).lstrip("#").strip()
    if len(name) > MAX_GROUP or not name.isprintable() or (group.strip() and not name):
        raise UsageError(
            "{group!r} cannot be the name of a group",
            group=group[:60],
            hint="give a name of at most {most} characters, such as `--group battery`",
            most=MAX_GROUP,
        )
    return next((known for known in list_groups(items) if _group_key(known) == _group_key(name)), name)


def _place_line(
    lines: Sequence[str], line: str, group: str, before: WatchItem | None, known: Sequence[WatchItem]
) -> list[str]:
    """Return the lines with an item in its group; it stands there once."""
    if before is not None and before.group == group:
        others = [item for item in known if item is not before]
        replaced = [line if at == before.at else text for at, text in enumerate(lines)]
        return _remove_lines(replaced, others) if others else replaced
    kept = _remove_lines(lines, known) if known else list(lines)
    return _insert_line(kept, line, group)


def _insert_line(lines: list[str], line: str, group: str) -> list[str]:
    """Return the lines with an item behind the last one of its group, which is made where there is none."""
    last = max((item.at for item in _parse_lines(lines) if item.group == group), default=None)
    if last is not None:
        return [*lines[: last + 1], line, *lines[last + 1 :]]
    heads = [at for at, text in enumerate(lines) if _heading.fullmatch(text)]
    if group:
        for at in heads:
            if _parse_lines([*lines[: at + 1], "- x"])[-1].group == group:
                return [*lines[: at + 1], "", line, *_leave_blank(lines[at + 1 :])]
        return [*_trim(lines), "", f"## {group}", "", line]
    title = heads[:1] if heads and lines[heads[0]].startswith("# ") else []
    end = next((at for at in heads if at not in title), len(lines))
    head = _trim(lines[:end])
    spaced = [] if not head or _item_line.fullmatch(head[-1]) else [""]
    return [*head, *spaced, line, *([""] if end < len(lines) else []), *lines[end:]]


def _remove_lines(lines: Sequence[str], items: Sequence[WatchItem]) -> list[str]:
    """Return the lines without some items, and without the headings of groups that have nothing else."""
    gone = {item.at for item in items}
    for item in items:
        head = next((at for at in range(item.at, -1, -1) if _heading.fullmatch(lines[at])), None)
        if item.group and head is not None:
            end = next((at for at in range(item.at + 1, len(lines)) if _heading.fullmatch(lines[at])), len(lines))
            if all(at in gone or not lines[at].strip() for at in range(head + 1, end)):
                gone |= set(range(head, end))
    kept: list[str] = []
    for at, text in enumerate(lines):
        doubled = not text.strip() and at - 1 in gone and kept and not kept[-1].strip()
        if at not in gone and not doubled:
            kept.append(text)
    return kept


def _leave_blank(lines: list[str]) -> list[str]:
    """Return the lines behind a heading, apart from it and from what is new by one blank line."""
    rest = lines[1:] if lines and not lines[0].strip() else lines
    return ["", *rest] if rest else []


def _trim(lines: Sequence[str]) -> list[str]:
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept


def _plain_text(text: str) -> str:
    return " ".join(text.split())


def _group_key(name: str) -> str:
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())


def _read_lines(ws: Workspace) -> list[str]:
    """Return the lines of the list, or a new one's head."""
    return (ws.read(TRACKING) or "").rstrip().splitlines() or ["# Tracking", ""]


def _write_lines(ws: Workspace, lines: Sequence[str], actor: str, event: str, symbol: str) -> None:
    text = "\n".join(_trim(lines) if len(_trim(lines)) > 1 else [*_trim(lines), ""]) + "\n"
    ws.write(TRACKING, text, actor=actor, event=event, symbol=symbol)
