"""The doctor: what of the installation works, what does not, and how to mend it. It looks; only `mend` changes."""

import glob
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from ia.kernel import config, store
from ia.kernel.errors import IaError, Message, NotFound, Notify, PluralText
from ia.kernel.workspace import Workspace, to_local
from ia.organs import marketdb


class HealthFinding(NamedTuple):
    """One thing that was looked at. `state` is ok, warn (works, with a limit) or fail; `mend` says what to do."""

    check: str
    state: str
    detail: Message
    mend: Message | None = None


Check = Callable[[Workspace], Iterator[HealthFinding]]


def run_checks(ws: Workspace) -> list[HealthFinding]:
    """Run every check; one that itself breaks is a finding like any other."""
    findings: list[HealthFinding] = []
    for name, check in CHECKS:
        try:
            findings += check(ws)
        except IaError as exc:
            mend = Message(exc.hint, **exc.params) if exc.hint else None
            findings.append(HealthFinding(name, "fail", Message(exc.template, **exc.params), mend))
        except (OSError, sqlite3.Error) as exc:
            findings.append(HealthFinding(name, "fail", Message("{reason}", reason=exc)))
    return findings


def _check_python(_: Workspace) -> Iterator[HealthFinding]:
    version = ".".join(map(str, sys.version_info[:3]))
    ok = sys.version_info >= (3, 11)
    mend = None if ok else Message("install Python 3.11 or newer and reinstall ia with it")
    yield HealthFinding(
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
        yield HealthFinding(
            "packages",
            "fail",
            Message("missing: {names}", names=", ".join(missing)),
            Message("reinstall ia with `pip install --force-reinstall ia`"),
        )
    else:
        yield HealthFinding(
            "packages",
            "ok",
            Message("{count} packages are installed", count=len(needed)),
        )


def _check_sandbox(_: Workspace) -> Iterator[HealthFinding]:
    from ia.organs.compute.sandbox import probe_layers

    layers = probe_layers()
    why = [f"{name}: {state}" for name, state in layers.items() if str(state).startswith(("no: ", "could still"))]
    held = [
        name if state is True else f"{name} ({state})"
        for name, state in layers.items()
        if f"{name}: {state}" not in why
    ]
    if layers.get("locked") is True:
        detail = Message("the sandbox is locked: {held}", held=", ".join(name for name in held if name != "locked"))
        missing = Message("optional layers missing: {what}", what="; ".join(why)) if why else None
        yield HealthFinding("sandbox", "warn" if why else "ok", detail, missing)
    else:
        detail = Message("ia cannot lock the sandbox ({why})", why="; ".join(why))
        mend = "ia refuses code from a model, a skill or a file; use Linux 5.13 or newer with seccomp and Landlock"
        yield HealthFinding("sandbox", "warn", detail, Message(mend))


def _check_workspace(ws: Workspace) -> Iterator[HealthFinding]:
    try:
        config.require_home(ws.root)
    except NotFound as exc:
        yield HealthFinding(
            "workspace", "fail", Message(exc.template, **exc.params), Message(exc.hint or "", **exc.params)
        )
        return
    if not os.path.isdir(ws.root):
        yield HealthFinding("workspace", "ok", Message("the first write creates {home}", home=ws.root))
        return
    writable = os.access(ws.root, os.W_OK | os.X_OK)
    mend = None if writable else Message("make it writable, or choose another workspace with --home")
    yield HealthFinding("workspace", "ok" if writable else "fail", Message("{home}", home=ws.root), mend)


def _check_privacy(ws: Workspace) -> Iterator[HealthFinding]:
    """Whether other users of the machine, or a git repository, get to see what is private."""
    for path in _paths_readable_by_others(ws):
        detail = Message("other users of this machine can read {path}", path=path)
        yield HealthFinding(
            "privacy", "warn", detail, Message("run `ia doctor --mend` or `chmod go-rwx {path}`", path=path)
        )
    if _is_in_git(ws, ".ia/secrets"):
        detail = Message("git tracks .ia/secrets: everyone with the repository has the keys")
        mend = Message(
            "run `git -C {home} rm --cached .ia/secrets`, then replace the keys that were committed", home=ws.root
        )
        yield HealthFinding("privacy", "warn", detail, mend)


def _paths_readable_by_others(ws: Workspace) -> list[str]:
    """Return `.ia` if others may look into it. What lies in it is then as closed as the folder."""
    folder = os.path.join(ws.root, ".ia")
    return [folder] if os.path.isdir(folder) and os.stat(folder).st_mode & 0o077 else []


def _is_in_git(ws: Workspace, path: str) -> bool:
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


def _check_settings(_: Workspace) -> Iterator[HealthFinding]:
    bad = 0
    for name in config.setting_names():
        try:
            config.check_key(name)
            config.get_setting(name)
        except IaError as exc:
            bad += 1
            mend = Message(exc.hint, **exc.params) if exc.hint else None
            yield HealthFinding("config", "fail", Message(exc.template, **exc.params), mend)
    if not bad:
        yield HealthFinding(
            "config",
            "ok",
            Message("{count} settings are valid", count=len(config.setting_names())),
        )


_UNREACHED = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR")
"""Errors of SQLite that say nothing of what a file holds."""


def _check_databases(ws: Workspace) -> Iterator[HealthFinding]:
    from ia.organs.recall.index import PRESENT

    folder = os.path.join(ws.root, ".ia")
    reason: object
    for schema in (store.PRECIOUS, marketdb.SCHEMA, PRESENT):
        file, path = schema.file, os.path.join(folder, schema.file)
        if not os.path.exists(path):
            yield HealthFinding(file, "ok", Message("not created yet"))
            continue
        try:
            conn = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            reason = conn.execute("PRAGMA quick_check(1)").fetchone()[0]
            sound = reason == "ok"
            version = conn.execute("PRAGMA user_version").fetchone()[0]
            conn.close()
        except sqlite3.DatabaseError as exc:
            if (getattr(exc, "sqlite_errorname", "") or "").startswith(_UNREACHED):
                yield HealthFinding(
                    file,
                    "fail",
                    Message("cannot be opened: {reason}; nothing says that it is damaged", reason=exc),
                    Message("make sure that you may read and write {path} and its folder", path=path),
                )
                continue
            sound, reason, version = False, exc, "?"
        if schema.precious and os.path.getsize(path) == 0:
            sound, reason = False, Message("the file is empty")
        if sound:
            size = os.path.getsize(path) / 1e6
            yield HealthFinding(file, "ok", Message("{size:.1f} MB, schema {version}", size=size, version=version))
        elif schema.precious:
            yield HealthFinding(
                file,
                "fail",
                Message("damaged: {reason}", reason=reason),
                Message("restore {path} from a backup, or recover it with `sqlite3 {path} .recover`", path=path),
            )
        else:
            yield HealthFinding(
                file,
                "warn",
                Message("damaged: {reason}", reason=reason),
                Message("`ia sync` renames the damaged file and starts a new one")
                if schema.dear
                else Message("delete {path}; ia rebuilds it", path=path),
            )
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), f"{marketdb.SCHEMA.file}.damaged-*[0-9]"))):
        size = os.path.getsize(path) / 1e6
        detail = Message("copy of a damaged market.db: {file}, {size:.1f} MB", file=os.path.basename(path), size=size)
        yield HealthFinding(
            marketdb.SCHEMA.file,
            "warn",
            detail,
            Message("recover what you need from it, then delete {path}", path=path),
        )
    newest = len(store.PRECIOUS.steps)
    with_version = os.path.exists(os.path.join(folder, "ia.db")) and ws.db.execute("PRAGMA user_version").fetchone()[0]
    if with_version and with_version != newest:
        yield HealthFinding(
            "ia.db",
            "fail",
            Message("schema {version}; this ia supports up to {newest}", version=with_version, newest=newest),
            Message("upgrade ia"),
        )


def _check_adapters(_: Workspace) -> Iterator[HealthFinding]:
    from ia.organs.ohlcv.adapters import load_adapter

    for name in config.get_setting_words("market.adapter"):
        try:
            adapter = load_adapter(name)
        except IaError as exc:
            mend = Message(exc.hint, **exc.params) if exc.hint else None
            yield HealthFinding("adapter", "fail", Message(exc.template, **exc.params), mend)
            continue
        if adapter.simulated:
            yield HealthFinding(
                "adapter",
                "warn",
                Message("{name}: simulated prices", name=name),
                Message("for real prices: `ia config set market.adapter akshare`"),
            )
        else:
            yield HealthFinding("adapter", "ok", Message("{name}", name=name))


def _check_hosts(_: Workspace) -> Iterator[HealthFinding]:
    from ia.organs.ohlcv.governor import site_states

    for host, state in site_states().items():
        if state.open_until:
            yield HealthFinding(
                "host",
                "warn",
                Message(
                    "no requests to {host} until {until}: {why}", host=host, until=state.open_until, why=state.reason
                ),
                Message("wait, or try another data source with --adapter"),
            )
        elif state.failed_at:
            yield HealthFinding(
                "host",
                "warn",
                Message(
                    "{host} did not answer at {time}: {why}",
                    host=host,
                    time=state.failed_at,
                    why=Message(state.failure),
                ),
                Message("check the network and try again, or try another data source with --adapter"),
            )
        else:
            yield HealthFinding(
                "host",
                "ok",
                Message(
                    PluralText(
                        "{host}: {count} request in the last minute", "{host}: {count} requests in the last minute"
                    ),
                    host=host,
                    count=state.last_minute,
                ),
            )


def _check_market(ws: Workspace) -> Iterator[HealthFinding]:
    """How old each stored market is, whether its mirror is up to date, and what is still to be fetched."""
    import contextlib

    if not marketdb.is_stored(ws):
        return
    from ia.kernel import clock
    from ia.organs.market.mirror import layout
    from ia.organs.ohlcv.calendar import last_session

    with contextlib.closing(marketdb.connect(ws)) as db:
        for source, name in db.execute("SELECT id, name FROM sources ORDER BY id").fetchall():
            count, newest = db.execute(
                "SELECT count(*), max(date) FROM days WHERE source = ? AND whole = 1 AND date <= ?",
                (source, clock.last_visible_date("CN")),
            ).fetchone()
            if not count:
                continue
            session = last_session("CN", clock.now())
            old = newest < session
            detail = (
                Message(
                    "{name}: the market is stored up to {day}, but the last trading day is {session}",
                    name=name,
                    day=newest,
                    session=session,
                )
                if old
                else Message(
                    PluralText(
                        "{name}: the whole market is stored up to {day} ({count} day)",
                        "{name}: the whole market is stored up to {day} ({count} days)",
                    ),
                    name=name,
                    day=newest,
                    count=count,
                )
            )
            yield HealthFinding(
                "market", "warn" if old else "ok", detail, Message("run `ia sync daily`") if old else None
            )
            waiting = db.execute("SELECT count(*) FROM todo WHERE source = ?", (source,)).fetchone()[0]
            if waiting:
                detail = Message(
                    PluralText(
                        "{name}: {count} security still needs history or corporate actions",
                        "{name}: {count} securities still need history or corporate actions",
                    ),
                    name=name,
                    count=waiting,
                )
                yield HealthFinding("market", "warn", detail, Message("`ia sync daily` continues to fetch them"))
            fresh = layout.read_fresh_index(layout.mirror_folder(ws, name), db, source) is not None
            told = "{name}: the mirror is up to date" if fresh else "{name}: ia rebuilds the mirror on the next read"
            yield HealthFinding("mirror", "ok", Message(told, name=name))


def _check_ledger(ws: Workspace) -> Iterator[HealthFinding]:
    """Whether the journal holds together: what corrects an entry names one, and nothing was sold that was not held."""
    from ia.organs.ledger import journal
    from ia.organs.ledger.booking import book_entries

    count = ws.db.execute("SELECT count(*) FROM trades").fetchone()[0]
    if not count:
        return
    lost = ws.db.execute(
        "SELECT count(*) FROM trades t WHERE t.corrects IS NOT NULL"
        " AND (t.corrects >= t.id OR NOT EXISTS (SELECT 1 FROM trades o WHERE o.id = t.corrects))"
    ).fetchone()[0]
    if lost:
        detail = Message(
            PluralText(
                "{count} correction refers to an entry that does not exist",
                "{count} corrections refer to an entry that does not exist",
            ),
            count=lost,
        )
        yield HealthFinding("ledger", "fail", detail, Message("restore .ia/ia.db from a backup"))
    lacking = book_entries(journal.effective_entries(ws.db, everything=True), lenient=True).lacking
    if lacking:
        entry, shares = lacking[0]
        detail = Message(
            PluralText(
                "{count} entry sells more than the journal contains: entry {number}, with {shares} shares of "
                "{symbol} too many",
                "{count} entries sell more than the journal contains; the first is entry {number}, with {shares} "
                "shares of {symbol} too many",
            ),
            count=len(lacking),
            number=entry.id,
            shares=format(shares, "f"),
            symbol=entry.symbol,
        )
        mend = Message("`ia trade list` shows the entries; enter the missing purchase, bonus issue or split")
        yield HealthFinding("ledger", "warn", detail, mend)
    elif not lost:
        yield HealthFinding(
            "ledger", "ok", Message(PluralText("{count} consistent entry", "{count} consistent entries"), count=count)
        )


def _check_cron(ws: Workspace) -> Iterator[HealthFinding]:
    """The crontab: is there one, does anything read it, and does it hold what the approved tasks ask for?"""
    from ia.faculties.taskbook import approved_tasks, task_times
    from ia.reach.tasks import alarm, crontab, crontab_file

    try:
        crontab_file.crontab_program()
    except IaError as exc:
        yield HealthFinding("cron", "warn", Message(exc.template, **exc.params), Message(exc.hint or ""))
        return
    running = crontab_file.is_daemon_running()
    if running is None:
        yield HealthFinding(
            "cron", "ok", Message("crontab is available; ia cannot tell whether a cron daemon is running")
        )
    elif running:
        yield HealthFinding("cron", "ok", Message("crontab is available, and a cron daemon is running"))
    else:
        detail = Message("crontab is available, but no cron daemon seems to be running; scheduled tasks will not start")
        yield HealthFinding("cron", "warn", detail, Message("start it (Debian: `service cron start`)"))
    for detail, what in crontab.find_oddities(ws):
        yield HealthFinding("crontab", "warn", detail, what)
    drifts = crontab.find_drift(ws)
    if not drifts and (broken := alarm.check_program_starts(ws)) is not None:
        drifts = [broken]
    for detail in drifts:
        yield HealthFinding("crontab", "fail", detail, Message("`ia doctor --mend`"))
    if passed := task_times.find_overdue(ws):
        fault = alarm.diagnose_fault(ws)
        for late in passed:
            detail = Message(
                "task {name}: missed {count} runs, the last at {time}: {reason}",
                name=late.name,
                count=len(late.slots),
                time=_format_local_time(late.slots[-1]),
                reason=fault.why,
            )
            yield HealthFinding("alarm", "fail", detail, fault.mend)
    approved = approved_tasks.list_tasks(ws) if ws.exists() else []
    for remark in alarm.unknown_days(ws) if approved else ():
        yield HealthFinding(
            "calendar", "warn", remark, Message("fetch them with `ia sync`, if the source already has them")
        )
    for each in approved:
        if each.state == "edited":
            detail = Message("task {name} was edited after its approval; ia runs the approved text", name=each.name)
            yield HealthFinding("task", "warn", detail, Message("run `ia task approve {name}`", name=each.name))
        elif each.state == "deleted":
            detail = Message("the file of task {name} is missing; the task does not run", name=each.name)
            yield HealthFinding(
                "task", "warn", detail, Message("remove the task with `ia task remove {name}`", name=each.name)
            )
    count = sum(each.state in ("approved", "edited") for each in approved)
    if not drifts and count:
        yield HealthFinding(
            "crontab",
            "ok",
            Message(PluralText("the crontab contains {count} task", "the crontab contains {count} tasks"), count=count),
        )


def _format_local_time(stamp: str) -> str:
    from datetime import datetime

    return f"{to_local(datetime.fromisoformat(stamp)):%Y-%m-%d %H:%M}"


def mend_problems(ws: Workspace, notify: Notify) -> None:
    """Mend what can be mended without harm: the mode of `.ia`, our lines in the crontab.

    Tells what it did; an event is recorded.

    raises  what `ia.reach.tasks.crontab.mend_block` raises.
    """
    from ia.kernel import audit
    from ia.reach.tasks import crontab

    for path in _paths_readable_by_others(ws):
        os.chmod(path, os.stat(path).st_mode & 0o700)
        notify(Message("{path}: access by other users removed", path=path))
    wrong = crontab.mend_block(ws, notify)
    if wrong is not None:
        if ws.exists():
            audit.record(ws.db, "crontab.mended", reasons=[str(each) for each in wrong])
        notify(Message("crontab: repaired"))


def _check_model(_: Workspace) -> Iterator[HealthFinding]:
    from ia.agent.turns import models
    from ia.organs import spending

    name = models.choose_model(None)
    models.load_model(name)  # says what is missing
    if name == models.OFFLINE:
        detail = Message("the embedded analyst, which follows rules")
        yield HealthFinding(
            "model",
            "ok",
            detail,
            Message("for a language model: `ia config set model …`; `llm models` lists all models"),
        )
    elif spending.model_price(name) is None:
        detail = Message("{model} has no price, so cost caps do not include it", model=name)
        yield HealthFinding("model", "warn", detail, Message("set prices.{model}.input and .output", model=name))
    else:
        yield HealthFinding("model", "ok", Message("{model}", model=name))


def _check_extensions(ws: Workspace) -> Iterator[HealthFinding]:
    """Skills and providers that cannot be used, and damaged knowledge of skills, each with its reason."""
    from ia.agent.analyst.jobs import skill_problems
    from ia.faculties import providers, skills

    for kind, found in (("skill", skills.list_skills(ws)), ("provider", providers.list_providers(ws))):
        broken = [each for each in found if each.problem is not None and not getattr(each, "is_off", False)]
        for each in broken:
            yield HealthFinding(kind, "warn", Message("{name}: {reason}", name=each.name, reason=each.problem))
        if found and not broken:
            yield HealthFinding(kind, "ok", Message("available: {count}", count=len(found)))
    for skill in skills.list_skills(ws):
        told = [] if skill.problem else [*skills.knowledge(ws, skill.name).problems]
        wrong = [*told, *(skill_problems.find_problems(ws, skill) if skill.problem is None else [])]
        if wrong:
            detail = Message("{name}: {reason}", name=skill.name, reason=wrong[0])
            mend = Message("`ia skill show {name}` lists all problems: {count}", name=skill.name, count=len(wrong))
            yield HealthFinding("skill", "warn", detail, mend)


def _check_profile(ws: Workspace) -> Iterator[HealthFinding]:
    """Whether the profile in use has newer skills and providers than the workspace."""
    from ia.faculties import profiles

    name = profiles.profile_in_use(ws)
    with suppress(NotFound):  # the workspace goes on without the profile that it began with
        steps = profiles.plan_steps(ws, profiles.find_profile(name)) if name else []
        newer = [step.path for step in steps if step.path.startswith(".claude/") and step.act in profiles.CHANGES]
        if newer:
            detail = Message("{name} has a newer version of {paths}", name=name, paths=", ".join(newer))
            yield HealthFinding("profile", "warn", detail, Message("update it with `ia profile use {name}`", name=name))


def _check_channels(_: Workspace) -> Iterator[HealthFinding]:
    """Channels that cannot be used, each with its reason; nothing is sent."""
    from ia.organs.channels import channel_registry

    names, problems = channel_registry.channel_names(), channel_registry.find_problems()
    for problem in problems:
        yield HealthFinding(
            "channels",
            "warn",
            problem,
            Message(
                "configure a channel with `ia config set channels.NAME ADDRESS`; "
                "store secrets with `ia config secret NAME`"
            ),
        )
    if not problems:
        yield HealthFinding("channels", "ok", Message("{names}", names=", ".join(names)))


CHECKS: tuple[tuple[str, Check], ...] = (
    ("python", _check_python),
    ("sandbox", _check_sandbox),
    ("workspace", _check_workspace),
    ("privacy", _check_privacy),
    ("config", _check_settings),
    ("databases", _check_databases),
    ("adapter", _check_adapters),
    ("host", _check_hosts),
    ("market", _check_market),
    ("ledger", _check_ledger),
    ("cron", _check_cron),
    ("model", _check_model),
    ("extensions", _check_extensions),
    ("profile", _check_profile),
    ("channels", _check_channels),
)
