"""Start the sandbox worker, as early as a command can: nothing here imports more than os and sys.

The worker needs some 350 ms to load pandas. `prestart` lets the command line begin that before it has loaded itself.
"""

import os
import sys

MODULE = "ia.organs.compute.worker"

# Nothing of the user's environment reaches the worker. One BLAS thread: Landlock binds the calling thread only.
ENVIRONMENT = {
    "LC_ALL": "C.UTF-8",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
}


class Process:
    """A started worker: its process id, the pipe to its stdin and the pipe from its stdout."""

    __slots__ = ("indicators", "pid", "reader", "writer")

    def __init__(self, pid: int, writer: int, reader: int, indicators: list[str]) -> None:
        self.pid, self.writer, self.reader, self.indicators = pid, writer, reader, indicators


_waiting: list[Process] = []


def start_worker(indicators: list[str], module: str = MODULE) -> Process:
    """Start a worker that will know these functions of `ta` (`*`: all); raises OSError.

    module   what the process runs: another worker that locks itself as this one does

    Cost: 1 ms here, and 350 ms of another core until it is locked.
    """
    job_read, job_write = os.pipe()
    reply_read, reply_write = os.pipe()
    try:
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-X", "utf8", "-m", module, *indicators],
            ENVIRONMENT,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, job_read, 0),
                (os.POSIX_SPAWN_DUP2, reply_write, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
        )
    except BaseException:
        os.close(job_write)
        os.close(reply_read)
        raise
    finally:
        os.close(job_read)
        os.close(reply_write)
    return Process(pid, job_write, reply_read, indicators)


def take_worker(source: str) -> Process:
    """Return the worker that `prestart` began for this source, else a new one."""
    wanted = indicators_in(source)
    while _waiting:
        process = _waiting.pop()
        if "*" in process.indicators or set(wanted) <= set(process.indicators):
            return process
        discard_worker(process)
    return start_worker(wanted)


def discard_worker(process: Process) -> int:
    """End a worker, wait for it, and return its wait status."""
    os.close(process.writer)
    os.close(process.reader)
    os.kill(process.pid, 9)  # not waited for yet, so the id is still its own
    return os.waitpid(process.pid, 0)[1]


def indicators_in(source: str) -> list[str]:
    """Return the names after each `ta.` in a source; `*` where `ta` goes some other way.

    They only say what is worth loading (all 190 take 65 ms); what the expression may call is decided elsewhere.
    """
    names: set[str] = set()
    at = source.find("ta")
    while at != -1:
        before, after = source[at - 1 : at], source[at + 2 : at + 60].lstrip(" ")
        if not _is_word(before) and not _is_word(source[at + 2 : at + 3]):
            name = ""
            for character in after[1:41] if after[:1] == "." else "":
                if not _is_word(character):
                    break
                name += character
            names.add(name or "*")
        at = source.find("ta", at + 2)
    return sorted(names)[:50]


def prestart_worker(argv: list[str]) -> None:
    """Begin to load a worker when these words (without the program's name) are a compute that will need pandas.

    A guess from the text: wrong, it costs a process that ends with ours; it never decides what is evaluated or how.
    """
    if "compute" not in argv[:8] or _waiting:
        return
    words = argv[argv.index("compute") + 1 :]
    if any(word in ("--help", "-h") for word in words):
        return
    source = next((word for word in words if needs_pandas(word)), None)
    if source is not None:
        try:
            _waiting.append(start_worker(indicators_in(source)))
        except OSError:
            return  # the command itself will try again and say what is wrong


def _is_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


def needs_pandas(source: str) -> bool:
    """Tell whether a glance shows that the array lane cannot take an expression: an attribute, a lambda, a line.

    It takes one of several results: `macd(close)["signal"]`.
    """
    for i, character in enumerate(source):
        if character == "." and i and (source[i - 1].isalpha() or source[i - 1] in "_)]'\"") and source[i + 1 :]:
            return True
    other_brackets = "[" in source.replace(')["', "").replace(")['", "")
    return "\n" in source or other_brackets or "lambda" in source
