"""What must hold of every command, and of the workspace at the end of every day."""

import contextlib
import json
import re
import sqlite3
from collections.abc import Container
from pathlib import Path

from support.forked_commands import Ran

BUGS = re.compile(
    r"Traceback \(most recent call last\)|internal error|内部出错|an error in ia|--kind fault"
    r"|<(?:class|function|module|bound method) |\bobject at 0x[0-9a-f]+"
)
NEVER = (70, 124)


def problems(ran: Ran, allowed: Container[int] = (0,)) -> list[str]:
    """Return what is wrong with how a command ended; nothing where it kept the contract."""
    found = []
    if ran.status in NEVER or ran.status >= 128 or ran.status not in allowed:
        found.append(f"status {ran.status}")
    found += [f"prints {match!r}" for match in BUGS.findall(ran.out + ran.err)]
    if ran.status > 1 and not re.search(r"^(ia: |Usage:)", ran.err, re.MULTILINE):
        found.append("an error without a message")
    if ran.status == 0 and ran.args[:1] == ("turn",) and not ran.out.strip():
        found.append("an empty reply")
    if ran.status in (0, 1) and "--json" in ran.args and ran.out:
        found += _json_problems(ran.out)
    return found


def _json_problems(text: str) -> list[str]:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON")

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError as exc:
        return [f"JSON: {exc}"]
    return []


def account_problems(account: dict[str, object]) -> list[str]:
    """Return the currencies whose cash and positions do not add up to the equity, to the cent."""
    found = []
    for currency, of in account["currencies"].items():
        values = [each["value"] for each in account["positions"].values() if each["currency"] == currency]
        if None in (of["cash"], of["equity"], *values):
            continue  # not known, and said so in `warnings` and `unpriced`
        total = round(of["cash"] + sum(values), 2)
        if abs(total - of["equity"]) > 0.005:
            found.append(f"{currency}: cash and positions are {total}, equity {of['equity']}")
    return found


def workspace_problems(home: Path, index: str) -> list[str]:
    """Return what is wrong with a workspace at rest; `index` is what `ia memory read` printed."""
    found = []
    for database in filter(Path.exists, (home / ".ia" / "ia.db", home / ".ia" / "cache" / "index.db")):
        with contextlib.closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as opened:
            answer = opened.execute("pragma integrity_check").fetchone()[0]
        if answer != "ok":
            found.append(f"{database.name}: {answer}")
    notes = [path.relative_to(home).as_posix() for path in sorted((home / "notebook").rglob("*.md"))]
    found += [f"{note} is not in MEMORY.md" for note in notes if f"`{note}`" not in index]
    found += [f"left behind: {path}" for path in sorted(home.rglob(".ia-tmp-*"))]
    return found


def crontab_problems(table: str, approved: list[str]) -> list[str]:
    """Return what is wrong with a crontab whose entries should be those of these approved tasks."""
    found = [] if not table or table.endswith("\n") else ["the crontab does not end with a line feed"]
    entries = re.findall(r"task due ([\w-]+) --log$", table, re.MULTILINE)
    if sorted(entries) != sorted(approved):
        found.append(f"in the crontab: {sorted(entries)}, approved: {sorted(approved)}")
    return found


def outside_problems(person: Path, expected: Container[str]) -> list[str]:
    """Return the files of a person outside of the workspace that no command was asked to write."""
    files = [path.relative_to(person).as_posix() for path in sorted(person.rglob("*")) if path.is_file()]
    return [f"written outside of the workspace: {name}" for name in files if name not in expected]
