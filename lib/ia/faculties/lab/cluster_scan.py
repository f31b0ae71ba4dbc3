"""A scan of packed bars on the workers of a Dask scheduler: they get expressions and numbers of blocks, nothing else.

Each worker reads its blocks by itself, with its own credentials, and needs the same ia.
"""

import asyncio
import contextlib
import functools
import glob
import hashlib
import logging
import os
import socket
import threading
import warnings
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

import ia
from ia.faculties.lab.bar_catalogs import PackedBars
from ia.faculties.lab.bar_folders import first_line
from ia.faculties.lab.bar_scan import BlockResult, BlockTask, RunTasks, scan_block
from ia.faculties.lab.market_values import keep_freed_memory
from ia.kernel import config
from ia.kernel.errors import ConfigError, IaError, Message, Notify, TryLater, UsageError
from ia.kernel.extras import load_extra
from ia.kernel.patterns import pattern

_CONNECT = 5
"""Seconds that the scheduler, and then the first worker, may take to answer."""
_PATIENCE = 30
"""Seconds without any worker after which a scan ends."""
_TRIM = "65536"
"""MALLOC_TRIM_THRESHOLD_ as Dask's nanny sets it."""
_PARTS = ("organs/compute", "organs/market/mirror", "faculties/lab")


class WorkerIdentity(NamedTuple):
    """The ia of a process: its version, and a digest of the files that evaluate expressions."""

    version: str
    digest: str


@functools.cache
def read_identity() -> WorkerIdentity:
    """Return the identity of this process."""
    root = os.path.dirname(ia.__file__)
    digest = hashlib.sha256()
    for part in _PARTS:
        for path in sorted(glob.glob(os.path.join(root, part, "**", "*.py"), recursive=True)):
            with open(path, "rb") as stream:
                digest.update(f"{os.path.relpath(path, root)} {hashlib.sha256(stream.read()).hexdigest()}\n".encode())
    return WorkerIdentity(ia.__version__, digest.hexdigest()[:12])


def describe_worker() -> tuple[WorkerIdentity, bool]:
    """Return the identity of a worker, and whether it gives all freed memory back at once, as Dask has it do."""
    return read_identity(), config.env("MALLOC_TRIM_THRESHOLD_") == _TRIM and not keep_freed_memory()


def scan_remotely(task: BlockTask, identity: WorkerIdentity) -> BlockResult:
    """Return what a scan finds in a block: this runs on a worker. raises  ConfigError where its ia is another."""
    if read_identity() != identity:
        raise ConfigError(_DIFFERENT, worker="", **_differences(read_identity(), identity), hint=_INSTALL)
    bars = _open_bars(task.url, task.until, task.stamp, threading.get_ident())
    bars.fetch_ahead(task.number, task.expressions)
    return scan_block(task, bars)


@functools.lru_cache(maxsize=16)
def _open_bars(url: str, until: str, stamp: str, thread: int) -> PackedBars:
    """Return the packed bars, for one thread."""
    bars = PackedBars(url, until)
    if bars.stamp != stamp:
        raise TryLater("{url} was packed anew during the scan", url=url)
    return bars


_DIFFERENT = "worker {worker} runs ia {version} ({digest}), this is ia {own} ({own_digest})"
_INSTALL = "install the same ia on all machines"


def _differences(found: WorkerIdentity, own: WorkerIdentity) -> dict[str, str]:
    return {"version": found.version, "digest": found.digest, "own": own.version, "own_digest": own.digest}


def run_on_cluster(address: str, notify: Notify) -> RunTasks:
    """Return what evaluates the tasks of a scan on the workers of a scheduler.

    It raises TryLater where a block fails three times, or scheduler or workers are gone; ConfigError where a worker has
    another ia.

    Raises:
        UsageError: the address is none.
        ConfigError: the extra `cluster` is not installed.
    """
    if not pattern(r"(tcp|tls)://[^/\s]+:\d+").fullmatch(address):
        raise UsageError(
            "{address}: not the address of a Dask scheduler; write tcp://HOST:8786 or tls://HOST:8786", address=address
        )
    load_extra("cluster", "distributed")

    def run(tasks: list[BlockTask], bars: PackedBars) -> Iterator[BlockResult]:
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            client = _connect(address)
            try:
                identity = _check_workers(client, address, notify)
                yield from _collect(client, tasks, identity, bars, address)
            finally:
                _close(client)

    return run


def _connect(address: str) -> Any:
    distributed, dask = load_extra("cluster", "distributed"), load_extra("cluster", "dask")
    dask.config.set({"distributed.comm.timeouts.connect": f"{_CONNECT}s"})
    host, _, port = address.partition("://")[2].rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT).close()
        asyncio.run(_shake_hands(distributed, address))  # a client that fails at this leaves threads behind
        client = distributed.Client(address, timeout=_CONNECT, set_as_default=False)
    except OSError:  # a timeout is one, too
        raise TryLater("no Dask scheduler answers at {address}", address=address) from None
    except (TypeError, ValueError, RuntimeError) as error:
        raise ConfigError(
            "{address}: {reason}",
            address=address,
            reason=first_line(error),
            hint="tls:// needs the certificates of Dask's settings distributed.comm.tls",
        ) from None
    try:
        client.wait_for_workers(1, timeout=_CONNECT)
    except OSError:
        _close(client)
        raise TryLater("the Dask scheduler at {address} has no workers", address=address) from None
    return client


def _close(client: Any) -> None:
    with contextlib.suppress(OSError):  # a timeout is one, too
        client.close(timeout=2)


async def _shake_hands(distributed: Any, address: str) -> None:
    arguments = distributed.Security().get_connection_args("client")
    connect = distributed.core.connect(address, timeout=_CONNECT, **arguments)
    await (await asyncio.wait_for(connect, _CONNECT)).close()


def _check_workers(client: Any, address: str, notify: Notify) -> WorkerIdentity:
    """Return the identity that all workers share with this process. raises  ConfigError where one does not."""
    if address.startswith("tcp://"):
        notify(Message("whoever reaches {address} can run code on its workers; tls:// is protected", address=address))
    identity = read_identity()
    trimmed = False
    for worker, found in client.run(describe_worker, on_error="return").items():
        if isinstance(found, Exception):
            raise ConfigError(
                "worker {worker} cannot run ia: {reason}",
                worker=worker,
                reason=first_line(found),
                hint=_INSTALL,
            )
        if found[0] != identity:
            raise ConfigError(_DIFFERENT, worker=worker, **_differences(found[0], identity), hint=_INSTALL)
        trimmed |= found[1]
    if trimmed:
        notify(Message("workers are slow with the MALLOC_TRIM_THRESHOLD_ that Dask sets; see ia-scan(1)"))
    return identity


def _collect(
    client: Any, tasks: list[BlockTask], identity: WorkerIdentity, bars: PackedBars, address: str
) -> Iterator[BlockResult]:
    """Yield the result of each task as it comes in."""
    futures = client.map(scan_remotely, tasks, [identity] * len(tasks), retries=2, pure=False)
    numbers = {future.key: task.number for future, task in zip(futures, tasks, strict=True)}
    done: SimpleQueue[Any] = SimpleQueue()
    for future in futures:
        future.add_done_callback(done.put)
    waited = 0
    while numbers:
        try:
            future = done.get(timeout=_CONNECT)
        except Empty:
            waited = 0 if _has_workers(client, address) else waited + _CONNECT
            if waited >= _PATIENCE:
                raise TryLater("the Dask scheduler at {address} has no workers", address=address) from None
            continue
        number = numbers.pop(future.key)
        if future.status != "finished":
            name = f"{bars.spans[-1].name}/{number:04}"
            raise _block_error(name, future, address)
        yield future.result()
        future.release()


def _has_workers(client: Any, address: str) -> bool:
    try:
        return client.status == "running" and bool(client.nthreads())
    except Exception:  # of several classes
        raise TryLater("the Dask scheduler at {address} is gone", address=address) from None


def _block_error(name: str, future: Any, address: str) -> IaError:
    """Return the error of a block that failed each time."""
    if future.status != "error":
        return TryLater("the Dask scheduler at {address} is gone", address=address)
    error = future.exception()
    if isinstance(error, ConfigError):
        return error
    reason: object = first_line(error)
    if isinstance(error, IaError):
        reason = Message(error.template, **error.params)
    elif isinstance(error, load_extra("cluster", "distributed").KilledWorker):
        reason = Message("its workers died")
    return TryLater("block {name} failed: {reason}", name=name, reason=reason, hint="no answer is given in part")
