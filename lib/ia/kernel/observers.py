"""The observers of the workspace's writes.

They stand apart from ia.kernel.workspace, so that a program registers one without the cost of importing the workspace.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ia.kernel.workspace import Workspace

Observer = Callable[["Workspace", Sequence[str]], None]
"""Is told of the paths that were written or removed: once the files are in place, before the lock is released."""
registered: dict[str, Observer] = {}
"""Name -> observer of every workspace in this process."""


def tell_observers(ws: "Workspace", paths: Sequence[str]) -> None:
    """Tell every observer of written paths. What an observer raises goes to the writer: it handles its own failures."""
    for observer in registered.values():
        observer(ws, paths)
