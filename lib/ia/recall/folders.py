"""Looking at every file once: what a question over 100,000 notes spends most of its time on.

A folder is summed up to one number, made of its files' inodes, sizes and times. Names need no part in it: whatever
renames, adds or removes a file changes the folder's own times. Where there are many files, a second process looks at
every other one of them; being sums, the numbers add up.
"""

import marshal
import os
import sys

from ia.workspace import TEXT, named

ROOTS = ("memory", "notebook", "knowledge")
Digest = tuple[str, int, int]
"""A folder's path, its number, and the newest time in it (ns): of itself or of a file."""
_MASK = (1 << 63) - 1
_MANY = 20_000
"""Files from which on the fork (5 ms) pays."""


def digests(root: str, files: int = 0) -> list[Digest]:
    """Return the digests of all folders that hold notes.

    files   how many there were last time: decides whether the work is shared with a second process.
    """
    if files < _MANY or ("threading" in sys.modules and sys.modules["threading"].active_count() > 1):
        return [(folder, digest & _MASK, newest) for folder, digest, newest in _scan(root, (0, 1))]
    read, write = os.pipe()
    child = os.fork()
    if child == 0:  # nothing here may return: the parent's locks, buffers and databases are not ours
        try:
            os.close(read)
            with open(write, "wb") as pipe:
                marshal.dump(_scan(root, (1,)), pipe)
        finally:
            os._exit(0)
    os.close(write)
    with open(read, "rb") as pipe:
        ours = _scan(root, (0,))
        try:
            theirs = marshal.load(pipe)  # our own child wrote it
        except (EOFError, ValueError, TypeError):
            theirs = _scan(root, (1,))
    os.waitpid(child, 0)
    return _added(ours, theirs)


def _added(ours: list[Digest], theirs: list[Digest]) -> list[Digest]:
    """Add up the two halves. A folder that only one has seen was changed meanwhile, and will look changed."""
    other = {folder: (digest, newest) for folder, digest, newest in theirs}
    both = []
    for folder, digest, newest in ours:
        more, newer = other.pop(folder, (0, 0))
        both.append((folder, digest + more & _MASK, max(newest, newer)))
    return both + [(folder, digest & _MASK, newest) for folder, (digest, newest) in other.items()]


def _scan(root: str, halves: tuple[int, ...]) -> list[Digest]:
    """Return the digests of all folders, made of the files whose inode is even (0), odd (1), or of all."""
    whole = len(halves) == 2
    half = halves[0]
    stack = list(ROOTS)
    found = []
    while stack:
        folder = stack.pop()
        try:
            fd = os.open(os.path.join(root, folder), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        own = os.fstat(fd)
        newest = own.st_ctime_ns
        digest = 0 if half else hash((own.st_ino, own.st_mtime_ns, newest))  # integers hash alike in every process
        files = False
        with os.scandir(fd) as entries:  # by descriptor: the path need not be walked for every file
            for entry in entries:
                name = entry.name
                if name.endswith(TEXT):
                    files = True
                    if not whole and entry.inode() & 1 != half:
                        continue
                    try:
                        s = entry.stat(follow_symlinks=False)
                    except OSError:
                        continue
                    changed = s.st_ctime_ns
                    digest += hash((s.st_ino, s.st_size, s.st_mtime_ns, changed))
                    if changed > newest:
                        newest = changed
                elif name[0] != "." and entry.is_dir(follow_symlinks=False) and named(name):
                    stack.append(f"{folder}/{name}")
        os.close(fd)
        if files:
            found.append((folder, digest, newest))
    return found
