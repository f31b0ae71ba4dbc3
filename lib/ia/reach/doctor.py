"""The doctor: what of the installation works, what does not, and how to mend it. It looks; only `mend` changes."""

import glob
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from ia.kernel import config, store
from ia.kernel.errors import IaError, Message, NotFound, Notify
from ia.kernel.workspace import Workspace, local
from ia.organs import marketdb


class Finding(NamedTuple):
    """One thing that was looked at. `state` is ok, warn (works, with a limit) or fail; `mend` says what to do."""

    check: str
    state: str
    detail: Message
    mend: Message | None = None


Check = Callable[[Workspace], Iterator[Finding]]


def examine(ws: Workspace) -> list[Finding]:
    """Run every check; one that itself breaks is a finding like any other."""
    findings: list[Finding] = []
    for name, check in CHECKS:
        try:
            findings += check(ws)
        except IaError as exc:
            mend = Message(exc.hint, **exc.params) if exc.hint else None
            findings.append(Finding(name, "fail", Message(exc.template, **exc.params), mend))
        except (OSError, sqlite3.Error) as exc:
            findings.append(Finding(name, "fail", Message("{reason}", reason=exc)))
    return findings


def _python(_: Workspace) -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    ok = sys.version_info >= (3, 11)
    mend = None if ok else Message("install Python 3.11 or newer and reinstall ia with it")
    yield Finding(
        "python",
        "ok" if ok else "fail",
        Message("Python {version}, SQLite {sqlite}", version=version, sqlite=sqlite3.sqlite_version),
        mend,
    )
    from importlib.util import find_spec

    needed = (
        "numpy",
        "pandas",
        "pandas_ta_classic",
        "RestrictedPython",
        "akshare",
        "requests",
        "tenacity",
        "exchange_calendars",
        "sqlite_utils",
        "ruamel.yaml",
        "rich",
        "llm",
        "crontab",
    )
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        yield Finding(
            "packages",
            "fail",
            Message("missing: {names}", names=", ".join(missing)),
            Message("reinstall ia: `pip install --force-reinstall ia`"),
        )
    else:
        yield Finding("packages", "ok", Message("{count} packages are there", count=len(needed)))


def _sandbox(_: Workspace) -> Iterator[Finding]:
    from ia.organs.compute.host import probe

    layers = probe()
    why = [f"{name}: {state}" for name, state in layers.items() if str(state).startswith(("no: ", "could still"))]
    held = [
        name if state is True else f"{name} ({state})"
        for name, state in layers.items()
        if f"{name}: {state}" not in why
    ]
    if layers.get("locked") is True:
        detail = Message(
            "the compute worker is locked: {held}", held=", ".join(name for name in held if name != "locked")
        )
        missing = Message("not needed, but missing: {what}", what="; ".join(why)) if why else None
        yield Finding("sandbox", "warn" if why else "ok", detail, missing)
    else:
        detail = Message("the compute worker cannot lock itself ({why})", why="; ".join(why))
        mend = "code from a model, a skill or a file is refused; use Linux 5.13 or newer with seccomp and Landlock"
        yield Finding("sandbox", "warn", detail, Message(mend))


def _workspace(ws: Workspace) -> Iterator[Finding]:
    try:
        config.require_home(ws.root)
    except NotFound as exc:
        yield Finding("workspace", "fail", Message(exc.template, **exc.params), Message(exc.hint or "", **exc.params))
        return
    if not os.path.isdir(ws.root):
        yield Finding("workspace", "ok", Message("{home} is made when something is first written", home=ws.root))
        return
    writable = os.access(ws.root, os.W_OK | os.X_OK)
    mend = None if writable else Message("make it writable, or choose another with --home")
    yield Finding("workspace", "ok" if writable else "fail", Message("{home}", home=ws.root), mend)


def _privacy(ws: Workspace) -> Iterator[Finding]:
    """Whether other users of the machine, or a git repository, get to see what is private."""
    for path in _readable_by_others(ws):
        detail = Message("{path} can be read by other users of this machine", path=path)
        yield Finding("privacy", "warn", detail, Message("`ia doctor --mend`, or chmod go-rwx {path}", path=path))
    if _in_git(ws, ".ia/secrets"):
        detail = Message("git tracks .ia/secrets: whoever gets the repository gets the keys")
        mend = Message(
            "`git -C {home} rm --cached .ia/secrets`, then replace the keys that were committed", home=ws.root
        )
        yield Finding("privacy", "warn", detail, mend)


def _readable_by_others(ws: Workspace) -> list[str]:
    """Return `.ia` if others may look into it. What lies in it is then as closed as the folder."""
    folder = os.path.join(ws.root, ".ia")
    return [folder] if os.path.isdir(folder) and os.stat(folder).st_mode & 0o077 else []


def _in_git(ws: Workspace, path: str) -> bool:
    """Return True if a git repository around the workspace tracks a file of it."""
    import subprocess

    folder = ws.root
    while not os.path.lexists(os.path.join(folder, ".git")):
        if folder == os.path.dirname(folder):
            return False
        folder = os.path.dirname(folder)
    command = ["git", "-C", ws.root, "ls-files", "--error-unmatch", "--", path]
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=10).returncode == 0
    except (OSError, subprocess.TimeoutExpired):  # no git here
        return False


def _settings(_: Workspace) -> Iterator[Finding]:
    bad = 0
    for name in config.names():
        try:
            config.known(name)
            config.get(name)
        except IaError as exc:
            bad += 1
            mend = Message(exc.hint, **exc.params) if exc.hint else None
            yield Finding("config", "fail", Message(exc.template, **exc.params), mend)
    if not bad:
        yield Finding("config", "ok", Message("{count} settings are sound", count=len(config.names())))


def _databases(ws: Workspace) -> Iterator[Finding]:
    from ia.organs.recall.index import PRESENT

    folder = os.path.join(ws.root, ".ia")
    reason: object
    for schema in (store.PRECIOUS, marketdb.SCHEMA, PRESENT):
        file, path = schema.file, os.path.join(folder, schema.file)
        if not os.path.exists(path):
            yield Finding(file, "ok", Message("not there yet"))
            continue
        try:
            conn = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            reason = conn.execute("PRAGMA quick_check(1)").fetchone()[0]
            sound = reason == "ok"
            version = conn.execute("PRAGMA user_version").fetchone()[0]
            conn.close()
        except sqlite3.DatabaseError as exc:
            sound, reason, version = False, exc, "?"
        if schema.precious and os.path.getsize(path) == 0:
            sound, reason = False, Message("the file is empty")
        if sound:
            size = os.path.getsize(path) / 1e6
            yield Finding(file, "ok", Message("{size:.1f} MB, schema {version}", size=size, version=version))
        elif schema.precious:
            yield Finding(
                file,
                "fail",
                Message("damaged: {reason}", reason=reason),
                Message("restore {path} from a backup, or rescue it with `sqlite3 {path} .recover`", path=path),
            )
        else:
            yield Finding(
                file,
                "warn",
                Message("damaged: {reason}", reason=reason),
                Message("`ia sync` keeps the file under another name and begins anew")
                if schema.dear
                else Message("delete {path}: it can be rebuilt", path=path),
            )
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), f"{marketdb.SCHEMA.file}.damaged-*[0-9]"))):
        size = os.path.getsize(path) / 1e6
        detail = Message("a damaged market.db, kept: {file}, {size:.1f} MB", file=os.path.basename(path), size=size)
        yield Finding(
            marketdb.SCHEMA.file, "warn", detail, Message("rescue from it what you want, and delete {path}", path=path)
        )
    newest = len(store.PRECIOUS.steps)
    with_version = os.path.exists(os.path.join(folder, "ia.db")) and ws.db.execute("PRAGMA user_version").fetchone()[0]
    if with_version and with_version != newest:
        yield Finding(
            "ia.db",
            "fail",
            Message("schema {version}, this ia knows {newest}", version=with_version, newest=newest),
            Message("upgrade ia"),
        )


def _adapters(_: Workspace) -> Iterator[Finding]:
    from ia.organs.ohlcv.adapters import load

    for name in config.listed("market.adapter"):
        try:
            adapter = load(name)
        except IaError as exc:
            mend = Message(exc.hint, **exc.params) if exc.hint else None
            yield Finding("adapter", "fail", Message(exc.template, **exc.params), mend)
            continue
        if adapter.simulated:
            yield Finding(
                "adapter",
                "warn",
                Message("{name}: simulated prices", name=name),
                Message("`ia config set market.adapter akshare` for real ones"),
            )
        else:
            yield Finding("adapter", "ok", Message("{name}", name=name))


def _hosts(_: Workspace) -> Iterator[Finding]:
    from ia.organs.ohlcv.governor import status

    for host, state in status().items():
        if state.open_until:
            yield Finding(
                "host",
                "warn",
                Message(
                    "{host} is left alone until {until}: {why}", host=host, until=state.open_until, why=state.reason
                ),
                Message("wait; another source: --adapter"),
            )
        elif state.failed_at:
            yield Finding(
                "host",
                "warn",
                Message(
                    "{host} did not answer at {time}: {why}",
                    host=host,
                    time=state.failed_at,
                    why=Message(state.failure),
                ),
                Message("check the network and try again; another source: --adapter"),
            )
        else:
            yield Finding(
                "host", "ok", Message("{host}: {count} requests in the last minute", host=host, count=state.last_minute)
            )


def _market(ws: Workspace) -> Iterator[Finding]:
    """How old each stored market is, whether its mirror is up to date, and what is still to be fetched."""
    import contextlib

    if not marketdb.is_stored(ws):
        return
    from ia.kernel import clock
    from ia.organs.market import mirrored
    from ia.organs.ohlcv.calendar import last_session

    with contextlib.closing(marketdb.connect(ws)) as db:
        for source, name in db.execute("SELECT id, name FROM sources ORDER BY id").fetchall():
            count, newest = db.execute(
                "SELECT count(*), max(date) FROM days WHERE source = ? AND whole = 1 AND date <= ?",
                (source, clock.last_visible("CN")),
            ).fetchone()
            if not count:
                continue
            session = last_session("CN", clock.now())
            old = newest < session
            detail = (
                Message(
                    "{name}: the market is stored up to {day}, the last session was {session}",
                    name=name,
                    day=newest,
                    session=session,
                )
                if old
                else Message(
                    "{name}: whole market stored up to {day}, days: {count}", name=name, day=newest, count=count
                )
            )
            yield Finding("market", "warn" if old else "ok", detail, Message("`ia sync daily`") if old else None)
            waiting = db.execute("SELECT count(*) FROM todo WHERE source = ?", (source,)).fetchone()[0]
            if waiting:
                detail = Message("{name}: history or actions of {count} are still to fetch", name=name, count=waiting)
                yield Finding("market", "warn", detail, Message("`ia sync daily` goes on with them"))
            fresh = mirrored.fresh(mirrored.folder_of(ws, name), db, source) is not None
            told = "{name}: the mirror is up to date" if fresh else "{name}: the mirror is made anew when it is read"
            yield Finding("mirror", "ok", Message(told, name=name))


def _ledger(ws: Workspace) -> Iterator[Finding]:
    """Whether the journal holds together: what corrects an entry names one, and nothing was sold that was not held."""
    from ia.organs.ledger import journal
    from ia.organs.ledger.fold import fold

    count = ws.db.execute("SELECT count(*) FROM trades").fetchone()[0]
    if not count:
        return
    lost = ws.db.execute(
        "SELECT count(*) FROM trades t WHERE t.corrects IS NOT NULL"
        " AND (t.corrects >= t.id OR NOT EXISTS (SELECT 1 FROM trades o WHERE o.id = t.corrects))"
    ).fetchone()[0]
    if lost:
        detail = Message("{count} entries correct an entry that there is not", count=lost)
        yield Finding("ledger", "fail", detail, Message("restore .ia/ia.db from a backup"))
    lacking = fold(journal.standing(ws.db, everything=True), lenient=True).lacking
    if lacking:
        entry, shares = lacking[0]
        detail = Message(
            "{count} entries sell more than the journal has; the first is {number}: {shares} of {symbol} too many",
            count=len(lacking), number=entry.id, shares=format(shares, "f"), symbol=entry.symbol,
        )  # fmt: skip
        mend = Message("`ia trade list` shows the entries; enter the purchase, bonus or split that is missing")
        yield Finding("ledger", "warn", detail, mend)
    elif not lost:
        yield Finding("ledger", "ok", Message("{count} entries, which agree with each other", count=count))


def _cron(ws: Workspace) -> Iterator[Finding]:
    """The crontab: is there one, does anything read it, and does it hold what the approved tasks ask for?"""
    from ia.reach.tasks import alarm, book, crontab, table

    try:
        table.program()
    except IaError as exc:
        yield Finding("cron", "warn", Message(exc.template, **exc.params), Message(exc.hint or ""))
        return
    running = table.daemon()
    if running is None:
        yield Finding("cron", "ok", Message("crontab is there; whether a cron daemon runs cannot be told here"))
    elif running:
        yield Finding("cron", "ok", Message("crontab is there, and a cron daemon runs"))
    else:
        detail = Message("crontab is there, but no cron daemon seems to run: nothing wakes ia for its tasks")
        yield Finding("cron", "warn", detail, Message("start it (Debian: `service cron start`)"))
    for detail, what in crontab.oddities(ws):
        yield Finding("crontab", "warn", detail, what)
    drifts = crontab.drift(ws)
    if not drifts and (broken := alarm.starts(ws)) is not None:
        drifts = [broken]
    for detail in drifts:
        yield Finding("crontab", "fail", detail, Message("`ia doctor --mend`"))
    if passed := alarm.overdue(ws):
        fault = alarm.fault(ws)
        for late in passed:
            detail = Message(
                "task {name}: {count} slots passed without a run, the last {time}: {reason}",
                name=late.name, count=len(late.slots), time=_local(late.slots[-1]), reason=fault.why,
            )  # fmt: skip
            yield Finding("alarm", "fail", detail, fault.mend)
    approved = book.listed(ws) if ws.exists() else []
    for remark in alarm.unknown_days(ws) if approved else ():
        yield Finding("calendar", "warn", remark, Message("`ia sync` brings them, where the source has them"))
    for each in approved:
        if each.state == "edited":
            detail = Message("task {name} was edited since it was approved; what was approved runs", name=each.name)
            yield Finding("task", "warn", detail, Message("`ia task approve {name}`", name=each.name))
        elif each.state == "deleted":
            detail = Message("the file of task {name} is gone: it does not run", name=each.name)
            yield Finding("task", "warn", detail, Message("`ia task remove {name}`", name=each.name))
    count = sum(each.state in ("approved", "edited") for each in approved)
    if not drifts and count:
        yield Finding("crontab", "ok", Message("{count} tasks stand in the crontab", count=count))


def _local(stamp: str) -> str:
    from datetime import datetime

    return f"{local(datetime.fromisoformat(stamp)):%Y-%m-%d %H:%M}"


def mend(ws: Workspace, notify: Notify) -> None:
    """Mend what can be mended without harm: the mode of `.ia`, our lines in the crontab.

    Tells what it did; an event is recorded.

    raises  what `ia.reach.tasks.crontab.mend` raises.
    """
    from ia.kernel import audit
    from ia.reach.tasks import crontab

    for path in _readable_by_others(ws):
        os.chmod(path, os.stat(path).st_mode & 0o700)
        notify(Message("{path}: closed to other users", path=path))
    wrong = crontab.mend(ws, notify)
    if wrong is not None:
        if ws.exists():
            audit.record(ws.db, "crontab.mended", reasons=[str(each) for each in wrong])
        notify(Message("crontab: mended"))


def _model(_: Workspace) -> Iterator[Finding]:
    from ia.agent.turns import models
    from ia.organs import usage

    name = models.chosen(None)
    models.load(name)  # says what is missing
    if name == models.OFFLINE:
        detail = Message("the embedded analyst, which works by rules")
        yield Finding("model", "ok", detail, Message("`ia config set model …` for a language model; `llm models`"))
    elif usage.price(name) is None:
        detail = Message("{model}, without a price: caps in money do not count it", model=name)
        yield Finding("model", "warn", detail, Message("set prices.{model}.input and .output", model=name))
    else:
        yield Finding("model", "ok", Message("{model}", model=name))


def _extensions(ws: Workspace) -> Iterator[Finding]:
    """Skills and providers that cannot be used, each with its reason."""
    from ia.faculties import providers, skills

    for kind, found in (("skill", skills.listed(ws)), ("provider", providers.listed(ws))):
        broken = [each for each in found if each.problem is not None]
        for each in broken:
            yield Finding(kind, "warn", Message("{name}: {reason}", name=each.name, reason=each.problem))
        if found and not broken:
            yield Finding(kind, "ok", Message("there: {count}", count=len(found)))


def _profile(ws: Workspace) -> Iterator[Finding]:
    """Whether the profile in use has newer skills and providers than the workspace."""
    from ia.faculties import profiles

    name = profiles.in_use(ws)
    with suppress(NotFound):  # the workspace goes on without the profile that it began with
        steps = profiles.plan(ws, profiles.find(name)) if name else []
        newer = [step.path for step in steps if step.path.startswith(".claude/") and step.act in profiles.CHANGES]
        if newer:
            detail = Message("{name} has a newer version of {paths}", name=name, paths=", ".join(newer))
            yield Finding("profile", "warn", detail, Message("`ia profile use {name}`", name=name))


def _channels(_: Workspace) -> Iterator[Finding]:
    """Channels that cannot be used, each with its reason; nothing is sent."""
    from ia.organs.channels import known

    names, problems = known.names(), known.problems()
    for problem in problems:
        yield Finding(
            "channels", "warn", problem, Message("`ia config set channels.NAME ADDRESS`; `ia config secret NAME`")
        )
    if not problems:
        yield Finding("channels", "ok", Message("{names}", names=", ".join(names)))


CHECKS: tuple[tuple[str, Check], ...] = (
    ("python", _python),
    ("sandbox", _sandbox),
    ("workspace", _workspace),
    ("privacy", _privacy),
    ("config", _settings),
    ("databases", _databases),
    ("adapter", _adapters),
    ("host", _hosts),
    ("market", _market),
    ("ledger", _ledger),
    ("cron", _cron),
    ("model", _model),
    ("extensions", _extensions),
    ("profile", _profile),
    ("channels", _channels),
)
