"""Turns of chats in processes of their own: a job goes in as a line of JSON, its answer comes out as one.

There a time limit can interrupt a turn, libraries that are imported on the way meet no other thread, and whatever
happens to a turn happens to one conversation. A process takes the next job when it has answered, since it needs a
second to begin; it ends with its parent, whose end of the pipe it watches.
"""

import asyncio
import contextlib
import json
import os
import queue
import signal
import sys
import threading
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable

from ia.kernel.jsontypes import Json

MAX_LINE = 4_000_000  # bytes of an answer
JOBS = 50
"""Turns that one process takes before a fresh one follows it."""
_LAST = 0.5  # seconds between asking a process to end and ending its group

Job = Json


class Turning:
    """The processes: as many as turns are under way, and those that wait for the next."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._idle: list[tuple[Process, int]] = []

    async def answer_job(self, job: Job, seconds: float) -> str:
        """Return the answer to a job. Where that is cancelled or takes too long, the process ends.

        raises  asyncio.TimeoutError; ValueError where the process ended without an answer.
        """
        process, jobs = await self._take_process()
        assert process.stdin is not None and process.stdout is not None
        try:
            with contextlib.suppress(ConnectionError):
                process.stdin.write(json.dumps(job).encode() + b"\n")
                await process.stdin.drain()
            told = str(json.loads(await asyncio.wait_for(process.stdout.readline(), seconds))["text"])
        except BaseException:
            await _end_process(process)
            raise
        if jobs + 1 < JOBS:
            self._idle.append((process, jobs + 1))
        else:
            await _end_process(process)
        return told

    async def _take_process(self) -> tuple[Process, int]:
        """Return a process that takes a job, and how many it has had; one that died while it waited is left out."""
        while self._idle:
            process, jobs = self._idle.pop()
            if process.returncode is None and process.stdout is not None and not process.stdout.at_eof():
                return process, jobs
            await _end_process(process)
        return await self._start_process(), 0

    async def _start_process(self) -> Process:
        return await asyncio.create_subprocess_exec(
            *self._words, stdin=PIPE, stdout=PIPE, start_new_session=True, limit=MAX_LINE
        )

    async def close(self) -> None:
        """End the processes that wait."""
        idle, self._idle = self._idle, []
        await asyncio.gather(*(_end_process(process) for process, _ in idle))


async def _end_process(process: Process) -> None:
    """End a process: it notices by its input, and what it leaves behind is killed."""
    assert process.stdin is not None
    process.stdin.close()
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(process.wait(), _LAST)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def serve_jobs(answer: Callable[[Job], str]) -> None:
    """Answer the jobs that come on standard input, in the main thread, until the parent closes it or is gone.

    Standard output belongs to the answers; whatever else would be written there goes to standard error.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    text = open(os.dup(0), "rb")  # noqa: SIM115  (read by a thread to the end; see ia.reach.bridges.mcp)
    out = os.dup(1)
    os.dup2(2, 1)

    def read_jobs() -> None:
        for line in text:
            jobs.put(line)
        os.kill(os.getpid(), signal.SIGTERM)  # a turn keeps its session, and ends what it began
        time.sleep(10 * _LAST)
        os._exit(128 + signal.SIGTERM)

    threading.Thread(target=read_jobs, daemon=True).start()
    with open(out, "wb", buffering=0) as file:
        while True:
            told = json.dumps({"text": answer(json.loads(jobs.get()))})
            try:
                file.write(told.encode() + b"\n")
            except BrokenPipeError:  # the parent was killed during the answer; the next one says so
                sys.exit(128 + signal.SIGTERM)
