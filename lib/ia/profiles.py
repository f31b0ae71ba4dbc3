"""Profiles: what a fresh workspace may begin with. Data, no code; any file of one can be deleted again."""

import os

from ia.errors import NotFound
from ia.workspace import Workspace


def folder() -> str:
    """Return where the profiles lie: in the installed package, or beside lib/ in a checkout."""
    package = os.path.dirname(os.path.abspath(__file__))
    installed = os.path.join(package, "profiles")
    return installed if os.path.isdir(installed) else os.path.join(package, "..", "..", "profiles")


def names() -> list[str]:
    """Return the names of the profiles that are there."""
    return sorted(
        entry.name for entry in os.scandir(folder()) if entry.is_dir() and not entry.name.startswith((".", "_"))
    )


def apply(ws: Workspace, name: str) -> list[str]:
    """Copy a profile's files to where the workspace has none; return the paths that were written.

    raises  NotFound for a name that no profile has.
    """
    if name not in names():
        raise NotFound("{name}: no such profile", name=name, known=", ".join(names()), hint="there is {known}")
    base = os.path.join(folder(), name)
    written = []
    with ws.lock():
        for parent, folders, files in os.walk(base):
            folders.sort()
            for file in sorted(files):
                source = os.path.join(parent, file)
                path = os.path.relpath(source, base)
                with open(source, encoding="utf-8") as stream:
                    text = stream.read()
                if not os.path.lexists(os.path.join(ws.root, path)):
                    ws.write(path, text, why=f"profile {name}", event="profile.write")
                    written.append(path)
    return written
