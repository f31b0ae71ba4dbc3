"""What all tests share: a workspace of their own, the installed `ia`, and the shared data where it is there."""

import contextlib
import fcntl
import gc
import hashlib
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

pytest.register_assert_rewrite("support")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a forked worker has one thread, as one that is started

from support.program import REPO, SHARED, installed  # noqa: E402

MEMORY = Path("/dev/shm")
"""Where the folders of tests are kept in memory, on machines that have it: no test waits for a disk."""
ENOUGH = 4 << 30


def pytest_configure():
    """Make the folders of tests in memory where programs may be started there and there is room enough.

    Ctrl-C reaches what tests start, too, where the run itself was started so that it ignores it (`make test &`).
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    with contextlib.suppress(OSError):
        found = os.statvfs(MEMORY)
        free = found.f_bavail * found.f_frsize
        if os.access(MEMORY, os.W_OK) and free >= ENOUGH and not found.f_flag & os.ST_NOEXEC:
            os.environ.setdefault("TMPDIR", str(MEMORY))
            tempfile.tempdir = None


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without the garbage collector, and spare it what stays until the end; it runs seldom from then on."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)  # `ia` itself runs without it, and tests make much that is soon free by itself
        gc.enable()


def pytest_collection_modifyitems(items):
    """Mark what starts the installed program: `make quick` leaves it out.

    Of a test that starts it in many cases, `make test` asks every third one, in some every second one; `make soak`
    asks them all.
    """
    places = {}
    cases = Counter(item.nodeid.partition("[")[0] for item in items)
    for item in items:
        if {"ia", "listener", "own_crontab"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.process)
        share = item.get_closest_marker("share")
        asked = cases[item.nodeid.partition("[")[0]] if item.get_closest_marker("process") else 1
        part = share.args[0] if share else 3 if asked >= MANY else 2 if asked >= SOME else 1
        if part > 1 and _number(item, places) % part:
            item.add_marker(pytest.mark.soak)


SOME, MANY = 3, 6
"""Cases of a test that starts the program from which on every second one, or every third one, is asked."""


def _number(item, places):
    """The number of a case of a test, by the places of its parameters: each value of each of them has its turn."""
    number, test = 0, item.nodeid.partition("[")[0]
    for mark in item.iter_markers("parametrize"):
        names = mark.args[0]
        names = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
        values = [id(item.callspec.params[name]) for name in names]
        seen = places.setdefault((test, *names), [])
        if values not in seen:
            seen.append(values)
        number += seen.index(values)
    return number


FOREIGN = """
from ia.kernel.errors import NotFound
from ia.organs.ohlcv.adapters import Fetched
from ia.organs.ohlcv.canonical import Bars

class Foreign:
    name, simulated, local = {name!r}, {simulated}, {local}

    def fetch(self, symbol, start=None, end=None):
        asked.append(symbol.canonical)
        if symbol.code == "301999":
            raise NotFound("{{symbol}} is not on the shelf", symbol=symbol.canonical)
        days = ["2024-01-15", "2024-01-16"]
        return Fetched(symbol, Bars(days, [8.0, 8.5], [8.0, 8.5], [8.0, 8.5], [8.0, 8.5], [100, 100]), "shelf")

    def normalize(self, fetched):
        return fetched.raw

    def actions(self, symbol):
        return []

    def lookup(self, text):
        return []

asked = []
"""


@pytest.fixture
def foreign_adapter(tmp_path, monkeypatch):
    """Install an adapter of another package with these flags; return the list of what it is asked for."""

    def install(name, *, local=False, simulated=False):
        folder = tmp_path / f"package-{name}"
        info = folder / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (folder / f"foreign_{name}.py").write_text(FOREIGN.format(name=name, simulated=simulated, local=local))
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[ia.adapters]\n{name} = foreign_{name}:Foreign\n")
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.delitem(sys.modules, f"foreign_{name}", raising=False)
        return importlib.import_module(f"foreign_{name}").asked

    return install


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory):
    """A folder for what can be made again, which all tests of a run share: to parse the tables of skills takes long."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch, shared_cache):
    """A workspace, a home folder and a state folder of this test's own; English; no settings from outside."""
    for name in list(os.environ):
        if (name.startswith(("IA_", "TUSHARE", "LC_")) or name in STARTS) and name not in (
            "IA_SHARED_DATA",
            "IA_SOAK",
            "IA_TEST_CRONTAB",
            "IA_TEST_START",
        ):
            monkeypatch.delenv(name)
    folder = tmp_path / "ia-home"
    folder.mkdir()  # but for `ia init`, nothing makes a workspace that is named
    monkeypatch.setenv("IA_HOME", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared_cache))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    return folder


@pytest.fixture(autouse=True)
def indexes(monkeypatch):
    """The indexes follow what a test writes, as in every program: return the messages of those that failed."""
    from ia.kernel import observers
    from ia.wiring.indexing import register_indexes

    told = []
    monkeypatch.setattr(observers, "registered", {})
    register_indexes(told.append)
    return told


@pytest.fixture(scope="session", autouse=True)
def forked_workers():
    """The locked workers of `ia compute` are forked from this process, which loads pandas once for all of them."""
    from support.forked_workers import install

    install()


@pytest.fixture
def started_workers(home, monkeypatch):
    """In this test workers are started as `ia` starts them, in forked commands too."""
    from support.forked_workers import STARTED

    monkeypatch.setenv(STARTED, "1")


def _own_crontab():
    """What the machine's own `crontab -l` answers: status and bytes; None where there is no such program."""
    program = shutil.which("crontab")
    if program is None:
        return None
    told = subprocess.run([program, "-l"], stdin=subprocess.DEVNULL, capture_output=True)
    return told.returncode, told.stdout


@pytest.fixture(scope="session")
def own_crontab_lock():
    """A file to flock around a test that changes the machine's own crontab: all of a user's test runs share it."""
    return Path(tempfile.gettempdir()) / f"ia-test-own-crontab-{os.getuid()}.lock"


@pytest.fixture(scope="session", autouse=True)
def own_crontab_stays(own_crontab_lock):
    """The tests leave the machine's own crontab as they found it, byte for byte."""

    def look():
        with open(own_crontab_lock, "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            return _own_crontab()

    before = look()
    yield
    assert look() == before, "a test changed the crontab of the user who ran it"


@pytest.fixture
def own_crontab(own_crontab_lock):
    """The machine's own crontab program, for a test that needs the real one: its table comes back afterwards.

    Only for root, who is the one that may start a cron daemon: on a machine where somebody works the tests leave the
    crontab alone, unless IA_TEST_CRONTAB is set.
    """
    program = shutil.which("crontab")
    if program is None:
        pytest.skip("there is no crontab program here")
    if os.getuid() != 0 and "IA_TEST_CRONTAB" not in os.environ:
        pytest.skip("the user's own crontab is only changed for root, or with IA_TEST_CRONTAB=1")
    with open(own_crontab_lock, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        status, before = _own_crontab()
        try:
            yield program
        finally:
            if status == 0:
                subprocess.run([program, "-"], input=before, check=True)
            else:
                subprocess.run([program, "-r"], capture_output=True)


@pytest.fixture(scope="session")
def fake_crontab(tmp_path_factory):
    """The program that stands for crontab, where tests can link to it."""
    return shutil.copy(REPO / "tests" / "support" / "fake_crontab", tmp_path_factory.getbasetemp() / "fake_crontab")


@pytest.fixture(autouse=True)
def crontab(home, tmp_path_factory, fake_crontab, monkeypatch):
    """A crontab of this test's own: return the file behind the program that IA_CRONTAB names."""
    name = f"ct-{os.urandom(5).hex()}"  # in /proc it must not look like the crontab of a test that runs beside this one
    program = tmp_path_factory.getbasetemp() / f"of-{name}" / name
    program.parent.mkdir()
    os.link(fake_crontab, program)
    monkeypatch.setenv("IA_CRONTAB", str(program))
    return program.parent / "table"


@pytest.fixture
def ws(home):
    """The workspace as the library sees it."""
    from ia.kernel.workspace import Workspace

    workspace = Workspace()
    yield workspace
    workspace.close()


@pytest.fixture(scope="session")
def forks():
    """The server that forks commands, one for each worker."""
    from support.forked_commands import server

    return server()


STARTS = ("PYTHONIOENCODING", "PYTHONUTF8", "LC_ALL", "PYTHONPATH", "IA_TEST_START")
"""What settles how Python starts; IA_TEST_START=1 starts it for every command."""


@pytest.fixture
def ia(tmp_path, forks):
    """Run `ia` in a process: ia("note", "read", "x") -> CompletedProcess with text streams.

    The process is forked from one that has loaded all modules, at half the cost, but where a test asks for more than
    words, input and environment: that starts the installed program, as journeys and examples do.
    """

    def run(*args, input=None, stdin=None, env=None, timeout=60, binary=False, **kwargs):
        given = {**os.environ, **(env or {})}
        text = input is None or isinstance(input, str)
        if text and not (stdin or binary or kwargs or any(map(given.get, STARTS))):
            ran = forks.try_run(*args, env=given, cwd=tmp_path, input=input, limit=timeout)
            if ran and ran.late:
                raise subprocess.TimeoutExpired(["ia", *args], timeout, ran.out, ran.err)
            if ran:
                return subprocess.CompletedProcess(["ia", *args], ran.status, ran.out, ran.err)
        if input is None and stdin is None:
            stdin = subprocess.DEVNULL
        return subprocess.run(
            [*installed(), *args], input=input, stdin=stdin, env=given, capture_output=True,
            text=not binary, encoding=None if binary else "utf-8", timeout=timeout, cwd=tmp_path, **kwargs,
        )  # fmt: skip

    return run


@pytest.fixture
def begin(home, tmp_path, forks, shared_cache):
    """Begin in a workspace that some commands have made: begin(env, ("init",), ("sync",)).

    It is made once in a run of tests, by the program as `ia` is, and copied for each test that begins so.
    """

    def copy(env, *commands):
        asked = json.dumps([sorted(env.items()), commands])
        place = shared_cache.parent / f"begun-{hashlib.sha256(asked.encode()).hexdigest()[:16]}"
        with open(f"{place}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (place / "made").exists():
                shutil.rmtree(place, ignore_errors=True)
                (place / "home").mkdir(parents=True)
                (place / "state").mkdir()
                own = {"IA_HOME": str(place / "home"), "XDG_STATE_HOME": str(place / "state"), "HOME": str(place)}
                for words in commands:
                    ran = forks.run(*words, env={**os.environ, **env, **own}, cwd=place)
                    assert ran.status == 0, (words, ran.err)
                (place / "made").touch()
        shutil.copytree(place / "home", home, symlinks=True, dirs_exist_ok=True)
        shutil.copytree(place / "state", tmp_path / "state", symlinks=True, dirs_exist_ok=True)

    return copy


@pytest.fixture
def brain(tmp_path, monkeypatch):
    """Start a scripted server as the model `scripted`, which turns then use: brain(Reply("好")) -> Server."""
    from support.servers.openai import MODEL, Server

    monkeypatch.setenv("IA_MODEL", MODEL)
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_PRICES_SCRIPTED_INPUT", "1")
    monkeypatch.setenv("IA_PRICES_SCRIPTED_OUTPUT", "4")
    with contextlib.ExitStack() as stack:

        def start(*script, always=None, **model):
            server = stack.enter_context(Server(*script, always=always))
            server.use(monkeypatch, tmp_path, **model)
            return server

        yield start


@pytest.fixture(scope="session")
def shared():
    """The folder of shared reference data; tests that need it skip where it is missing."""
    if not SHARED.is_dir():
        pytest.skip("the shared reference data is not beside this checkout")
    return SHARED


@pytest.fixture
def bot(monkeypatch, home):
    """A Bot API server on loopback in place of Telegram's, and the simulated market."""
    from support.servers.bot_api import FRIEND, BotServer

    with BotServer() as server:
        server.use(monkeypatch, users=str(FRIEND))
        monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
        yield server


@pytest.fixture
def listener(tmp_path, bot):
    """A function that starts `ia listen telegram WORDS`; what it started ends with the test."""
    from support.servers.bot_api import listeners

    with listeners(tmp_path) as start:
        yield start


@pytest.fixture
def db(ws):
    """The database of the market, open."""
    from ia.organs import marketdb

    with contextlib.closing(marketdb.connect(ws)) as opened:
        yield opened


@pytest.fixture
def source(db):
    """The number of a source whose prices are real."""
    from ia.organs.market import store

    return store.source_id(db, "akshare", False)


@pytest.fixture
def full(db, source):
    """Three symbols: one whole, one listed later, one that was suspended over its ex-date."""
    from ia.organs.market import store
    from ia.organs.ohlcv.adjustment import Action
    from support.markets.stored_histories import DATES, bars

    gap = [*DATES[:20], *DATES[40:60]]
    store.put_histories(
        db, source,
        [
            store.StoredHistory("600000.SH", bars(DATES[:60]), [Action(DATES[10], cash=0.5), Action(DATES[50], bonus=0.3)]),
            store.StoredHistory("300001.SZ", bars(DATES[30:60], 50.0), []),
            store.StoredHistory("000002.SZ", bars(gap, 7.0), [Action(DATES[25], cash=0.2), Action(DATES[30], bonus=1.0)]),
        ],
    )  # fmt: skip
    return db
