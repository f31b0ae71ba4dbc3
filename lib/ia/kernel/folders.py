"""Looking at every file once: what a question over 100,000 notes spends most of its time on.

A folder is summed up to one number, made of its files' inodes, sizes and times. Names need no part in it: whatever
renames, adds or removes a file changes the folder's own times. Where there are many folders, a second process takes
half of them.
"""

import marshal
import os
import sys

from ia.kernel.workspace import TEXT, is_text_name

ROOTS = ("memory", "notebook", "knowledge")
Digest = tuple[str, int, int]
"""A folder's path, its number, and the newest time in it (ns): of itself or of a file."""
_MANY = 20_000
"""Files from which on the fork (5 ms) pays."""
_SPREAD = 16
"""Folders to have at hand before they are dealt out. Two processes in one folder would wait for each other."""


def is_source_folder(folder: str) -> bool:
    """Return True for a folder of documents as they were given; their texts stand in the folder beside."""
    return folder.startswith("knowledge/") and folder.endswith("/source") and folder.count("/") == 2


def folder_digests(root: str, files: int = 0) -> list[Digest]:
    """Return the digests of all folders that hold notes.

    files   how many there were last time: decides whether the work is shared with a second process.
    """
    stack = list(ROOTS)
    found: list[Digest] = []
    if files >= _MANY and ("threading" not in sys.modules or sys.modules["threading"].active_count() == 1):
        while stack and len(stack) < _SPREAD:
            found += _scan_folders(root, stack, stop=1)
        return found + (_scan_in_parallel(root, stack) if stack else [])
    return _scan_folders(root, stack)


def _scan_in_parallel(root: str, stack: list[str]) -> list[Digest]:
    """Let a child process scan every second folder."""
    ours, theirs = stack[::2], stack[1::2]
    read, write = os.pipe()
    child = os.fork()
    if child == 0:  # nothing here may return: the parent's locks, buffers and databases are not ours
        try:
            os.close(read)
            with open(write, "wb") as pipe:
                marshal.dump(_scan_folders(root, theirs), pipe)
        finally:
            os._exit(0)
    os.close(write)
    with open(read, "rb") as pipe:
        found = _scan_folders(root, ours)
        try:
            found += marshal.load(pipe)  # our own child wrote it
        except (EOFError, ValueError, TypeError):
            found += _scan_folders(root, theirs)
    os.waitpid(child, 0)
    return found


def _scan_folders(root: str, stack: list[str], stop: int = -1) -> list[Digest]:
    """Take folders off the stack, put theirs on it, and return the digests; after `stop` folders if that is not -1."""
    found = []
    while stack and stop:
        stop -= 1
        folder = stack.pop()
        try:
            fd = os.open(os.path.join(root, folder), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        own = os.fstat(fd)
        newest = own.st_ctime_ns
        digest = hash((own.st_ino, own.st_mtime_ns, newest))  # integers hash alike in every process
        files = False
        with os.scandir(fd) as entries:  # by descriptor: the path need not be walked for every file
            for entry in entries:
                name = entry.name
                if name.endswith(TEXT) and not entry.is_dir(follow_symlinks=False):
                    try:
                        s = entry.stat(follow_symlinks=False)
                    except OSError:
                        continue
                    changed = s.st_ctime_ns
                    digest += hash((s.st_ino, s.st_size, s.st_mtime_ns, changed))
                    if changed > newest:
                        newest = changed
                    files = True
                elif name[0] != "." and entry.is_dir(follow_symlinks=False) and is_text_name(name):
                    inside = f"{folder}/{name}"
                    stack += [] if is_source_folder(inside) else [inside]
        os.close(fd)
        if files:
            found.append((folder, digest & 0x7FFFFFFFFFFFFFFF, newest))
    return found
