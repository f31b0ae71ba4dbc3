"""Hold the lock of a workspace in another process."""

from ia.kernel.workspace import Workspace


def hold_lock(root, ready, release):
    with Workspace(root).lock():
        ready.set()
        release.wait(30)
