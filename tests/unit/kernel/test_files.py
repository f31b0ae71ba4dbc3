"""What ia makes is the user's alone, and git is told what not to take."""

import contextlib
import os
import stat
import subprocess
import sys
import threading
import time

import pytest

from ia.kernel import config, files
from ia.kernel.errors import BadData, ConfigError, TryLater
from ia.kernel.workspace import Workspace


def open_to_others(folder):
    """What below a folder other users may look at."""
    found = []
    for inside, folders, names in os.walk(folder):
        for path in [inside, *(os.path.join(inside, name) for name in [*folders, *names])]:
            if os.lstat(path).st_mode & 0o077:
                found.append(path)
    return found


@pytest.mark.parametrize("first", ["init", "write"])
def test_what_ia_makes_is_closed_to_other_users(tmp_path, ia, monkeypatch, first):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    if first == "init":
        home = tmp_path / "elsewhere"
        monkeypatch.setenv("IA_HOME", str(home))
        assert ia("init").returncode == 0
    else:  # the default needs no init
        home = tmp_path / "ia"
        monkeypatch.delenv("IA_HOME")
    ia("config", "set", "lang", "en")
    ia("config", "secret", "TOKEN", input="geheim")
    ia("note", "a/b", "text")
    ia("ohlcv", "600519")
    ia("memory", "believe", "x", "--because", "y")
    ia("recall", "text")
    ia("turn", "看看 600519")
    ia("send", "hello")
    ia("skill", "list")
    assert (home / ".ia" / "cache" / "market.db").exists()
    assert open_to_others(home) == []


def test_a_library_that_writes_is_closed_to_other_users_too(tmp_path, monkeypatch):
    monkeypatch.delenv("IA_HOME")
    ws, home = Workspace(), tmp_path / "ia"
    umask = os.umask(0o022)
    try:
        ws.write("notebook/a.md", "x")
        config.keep_secret("TOKEN", "geheim")
    finally:
        os.umask(umask)
    assert stat.S_IMODE(os.stat(home).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(home / ".ia").st_mode) == 0o700
    for name in ("notebook/a.md", ".ia/ia.db", ".ia/ia.db-wal", ".ia/secrets"):
        assert stat.S_IMODE(os.stat(home / name).st_mode) == 0o600, name


def test_a_workspace_that_is_shared_on_purpose_keeps_its_mode(home, ws):
    os.chmod(home, 0o750)
    (home / "notebook").mkdir()
    (home / "notebook" / "a.md").write_text("x")
    os.chmod(home / "notebook" / "a.md", 0o640)
    ws.write("notebook/a.md", "y")
    assert stat.S_IMODE(os.stat(home).st_mode) == 0o750
    assert stat.S_IMODE(os.stat(home / "notebook" / "a.md").st_mode) == 0o640
    assert stat.S_IMODE(os.stat(home / ".ia").st_mode) == 0o700


def test_a_picture_that_the_user_asked_for_has_the_users_own_mode(ia, tmp_path, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    umask = os.umask(0o022)
    try:
        assert ia("chart", "600519", "-o", "c.svg").returncode == 0
    finally:
        os.umask(umask)
    assert stat.S_IMODE(os.stat(tmp_path / "c.svg").st_mode) == 0o644


def test_git_takes_neither_secrets_nor_caches(home, ia, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    subprocess.run(["git", "init", "-q", str(home)], check=True)
    ia("config", "secret", "TOKEN", input="geheim")  # the first write of all
    ia("note", "a", "text")
    ia("recall", "text")
    ia("ohlcv", "600519")
    ia("turn", "hello")
    (home / ".ia" / "secrets.123").write_text("a temporary file")
    (home / ".ia" / "tasks").mkdir(exist_ok=True)
    (home / ".ia" / "tasks" / "cron.log").write_text("x")
    taken = subprocess.run(["git", "-C", str(home), "add", "-An", "."], capture_output=True, text=True, check=True)
    inside = sorted(line.split("'")[1] for line in taken.stdout.splitlines() if "'.ia/" in line)
    assert inside == [".ia/.gitignore", ".ia/ia.db"]


def test_a_gitignore_of_the_users_own_is_never_touched(home, ws):
    (home / ".ia").mkdir(parents=True)
    (home / ".ia" / ".gitignore").write_text("mine\n")
    ws.write("notebook/a.md", "x")
    assert (home / ".ia" / ".gitignore").read_text() == "mine\n"


def test_a_failed_write_names_its_file(tmp_path, monkeypatch):
    def broken(_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("os.fsync", broken)
    with pytest.raises(OSError) as caught:
        files.replace_file(str(tmp_path / "x.md"), "x")
    assert caught.value.filename == str(tmp_path / "x.md")


def test_a_folder_below_a_file_is_bad_data(tmp_path):
    (tmp_path / "x").write_text("")
    with pytest.raises(BadData, match="have the same name"):
        files.replace_file(str(tmp_path / "x" / "y.md"), "z")


@pytest.mark.parametrize("durable, synced", [(True, 2), (False, 0)])
def test_only_a_durable_file_waits_for_the_disk(tmp_path, monkeypatch, durable, synced):
    calls = []
    monkeypatch.setattr("os.fsync", calls.append)
    files.replace_file(str(tmp_path / "x"), "one", durable=durable)
    assert (tmp_path / "x").read_text() == "one" and len(calls) == synced


@pytest.mark.parametrize("durable", [True, False])
def test_a_replaced_file_keeps_its_mode_unless_one_is_given(tmp_path, durable):
    path = tmp_path / "folder" / "x"
    umask = os.umask(0)
    try:
        files.replace_file(str(path), b"\xff", durable=durable)
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        os.chmod(path, 0o644)
        files.replace_file(str(path), "two", durable=durable)
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o644
        files.replace_file(str(path), "three", durable=durable, mode=0o600)
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    finally:
        os.umask(umask)
    assert path.read_text() == "three" and os.listdir(path.parent) == ["x"]


@pytest.mark.parametrize("durable", [True, False])
def test_a_file_that_cannot_be_replaced_leaves_no_temporary_one(tmp_path, durable):
    (tmp_path / "folder" / "x").mkdir(parents=True)
    with pytest.raises(BadData, match="have the same name"):
        files.replace_file(str(tmp_path / "folder" / "x"), "x", durable=durable)
    assert os.listdir(tmp_path / "folder") == ["x"]
    files.keep_file(str(tmp_path / "folder" / "x"), "x")  # it can be made again


def test_processes_replace_what_can_be_made_again_without_a_lock(tmp_path):
    path = str(tmp_path / "x")
    code = "import sys; from ia.kernel import files\nfor _ in range(300): files.keep_file(sys.argv[1], sys.argv[2] * 100_000)"
    files.keep_file(path, "c" * 100_000)
    writers = [subprocess.Popen([sys.executable, "-c", code, path, letter]) for letter in "ab"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        with open(path) as file:
            text = file.read()
        assert len(text) == 100_000 and len(set(text)) == 1
        seen |= set(text)
    assert [writer.returncode for writer in writers] == [0, 0] and seen & {"a", "b"}
    assert not [name for name in os.listdir(tmp_path) if name.startswith("x.")]


def load_letters(place, stamp, letters):
    def make():
        letters.append("made")
        return {"letters": list(letters)}

    return files.load_cached(str(place), stamp, make, lambda kept: "".join(kept["letters"]))


def test_what_was_made_is_kept_until_its_stamp_is_another(tmp_path):
    place, letters = tmp_path / "cache" / "x.json", []
    assert load_letters(place, [1, 2], letters) == load_letters(place, [1, 2], letters) == "made"
    assert load_letters(place, [1, 3], letters) == load_letters(place, [1, 3], letters) == "mademade"


@pytest.mark.parametrize(
    "damage", ["", "[", "[]", "null", "{}", '{"stamp": 1}', '{"stamp": 1, "letters": 5}', "[" * 99999]
)
def test_what_is_kept_is_made_again_where_it_is_damaged(tmp_path, damage):
    place, letters = tmp_path / "x.json", []
    place.write_text(damage)
    assert load_letters(place, 1, letters) == "made"
    assert load_letters(place, 1, letters) == "made" and letters == ["made"]


def test_without_a_stamp_nothing_is_kept(tmp_path):
    place, letters = tmp_path / "x.json", []
    assert load_letters(place, None, letters) == "made"
    assert load_letters(place, None, letters) == "mademade" and not place.exists()


def test_a_stamp_is_another_after_every_kind_of_change(tmp_path):
    path = tmp_path / "x"
    path.write_text("one")
    stamps = [files.stamp_of(os.stat(path))]
    os.utime(path, ns=(0, 0))
    stamps.append(files.stamp_of(os.stat(path)))
    with open(path, "a") as file:
        file.write("two")
    os.utime(path, ns=(0, 0))
    stamps.append(files.stamp_of(os.stat(path)))
    files.replace_file(str(path), "twoone", durable=False)
    os.utime(path, ns=(0, 0))
    stamps.append(files.stamp_of(os.stat(path)))
    assert len(set(map(tuple, stamps))) == 4


def test_an_exclusive_lock_excludes_everybody_and_shared_ones_share(tmp_path):
    path = str(tmp_path / "lock")
    with files.hold_lock(path) as held:
        assert held is not None
        for shared in (False, True):
            assert files.take_lock(path, shared=shared) is None
    with files.hold_lock(path, shared=True), files.hold_lock(path, shared=True) as second:
        assert second is not None
        assert files.take_lock(path) is None
    with files.hold_lock(path) as held:
        assert held is not None
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_a_taken_lock_raises_what_the_caller_says_after_the_time_that_it_gives(tmp_path):
    path = str(tmp_path / "lock")
    with files.hold_lock(path):
        began = time.monotonic()
        with (
            pytest.raises(TryLater, match="somebody else"),
            files.hold_lock(path, wait=0.1, busy=TryLater("somebody else")),
        ):
            raise AssertionError
        assert 0.1 <= time.monotonic() - began < 5


@pytest.mark.parametrize("wait", [None, 30.0])
def test_who_waits_for_a_lock_gets_it_when_it_is_free(tmp_path, wait):
    path, order = str(tmp_path / "lock"), []

    def follow():
        with files.hold_lock(path, wait=wait) as held:
            order.append(held is not None)

    with files.hold_lock(path):
        thread = threading.Thread(target=follow)
        thread.start()
        time.sleep(0.05)
        assert order == []
    thread.join(10)
    assert order == [True]


def test_a_killed_process_leaves_no_lock(tmp_path):
    path = str(tmp_path / "lock")
    code = "import os, sys; from ia.kernel import files; files.take_lock(sys.argv[1]); os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", code, path]).returncode == -9
    with files.hold_lock(path) as held:
        assert held is not None


def test_a_lock_file_that_is_a_link_is_refused_on_demand(tmp_path):
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises(ConfigError, match="lock is a link") as caught,
        files.hold_lock(str(tmp_path / "lock"), follow=False),
    ):
        raise AssertionError
    assert caught.value.hint == "delete it" and not (tmp_path / "elsewhere").exists()
    with files.hold_lock(str(tmp_path / "lock")):
        assert (tmp_path / "elsewhere").exists()


def test_a_lock_that_must_be_there_is_not_made(tmp_path):
    with pytest.raises(FileNotFoundError):
        files.take_lock(str(tmp_path / "lock"), create=False)
    assert not (tmp_path / "lock").exists()


def test_a_private_process_knows_the_users_umask():
    code = (
        "import os; from ia.kernel import files; os.umask(0o027); files.make_private(); print(oct(files.user_umask()))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "0o27\n"


def test_an_empty_database_is_damage_in_a_workspace_that_was_used(home, ia):
    for say in (("note", "a", "text"), ("trade", "deposit", "1000", "--date", "2024-01-02")):
        assert ia(*say).returncode == 0
    (home / ".ia" / "ia.db").write_bytes(b"")
    for suffix in ("-wal", "-shm"):
        (home / ".ia" / f"ia.db{suffix}").unlink(missing_ok=True)
    for command in (["account"], ["note", "b", "x"], ["task", "list"], ["log"], ["trade", "list"]):
        done = ia(*command)
        assert done.returncode == 65, command
        assert done.stderr.startswith("ia: ia.db is damaged: the file is empty\nhint: restore it"), done.stderr
        assert ".ia/cache" not in done.stderr
    assert (home / ".ia" / "ia.db").read_bytes() == b""
    assert not (home / "notebook" / "b.md").exists()
    rows = ia("doctor", "--json")
    assert rows.returncode == 1 and "the file is empty" in rows.stdout


def test_a_new_workspace_may_begin_with_an_empty_database(home, ia):
    (home / ".ia").mkdir(parents=True)
    (home / ".ia" / "ia.db").write_bytes(b"")
    assert ia("note", "a", "text").returncode == 0
    assert Workspace(str(home)).read("notebook/a.md") == "text\n"


def test_a_workspace_made_by_hand_begins_without_a_database(home, ia):
    (home / "notebook").mkdir(parents=True)
    (home / "notebook" / "a.md").write_text("by hand\n")
    assert ia("note", "append", "a", "more").returncode == 0
    assert ia("log").returncode == 0


def test_prices_are_printed_where_the_session_file_cannot_be_written(home, ia, monkeypatch):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    assert ia("ohlcv", "600519").returncode == 0
    session = home / ".ia" / "cache" / "session"
    for file in session.iterdir():
        file.unlink()
    session.rmdir()
    session.write_text("a file is in the way")  # root may write everywhere
    done = ia("ohlcv", "600519")
    assert done.returncode == 0 and done.stdout.startswith("date,open")


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 8 MB: mounting one takes root."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("a small disk can only be mounted by root")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_can_be_read_and_what_fails_names_its_file(small_disk, ia, monkeypatch):
    monkeypatch.setenv("IA_HOME", str(small_disk / "w"))
    assert ia("init").returncode == 0
    for command in (("note", "a", "hello"), ("trade", "deposit", "9", "--date", "2024-01-02"), ("recall", "hello")):
        assert ia(*command).returncode == 0, command
    with open(small_disk / "fill", "wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    for command in ("note list", "note read a", "log", "account", "recall hello", "memory list", "trade list"):
        done = ia(*command.split())
        assert done.returncode == 0 and done.stdout, (command, done.stderr)
    done = ia("note", "b", "more")
    assert done.returncode == 75 and "b.md: No space left on device" in done.stderr
    assert not os.listdir(small_disk / "w" / ".ia" / "tmp")
    os.unlink(small_disk / "fill")
    assert ia("note", "b", "more").returncode == 0
    assert ia("note", "read", "a").stdout == "hello\n"
