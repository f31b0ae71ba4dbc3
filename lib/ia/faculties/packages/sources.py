"""Where skills are installed from: a folder, a .zip, a git repository. Nothing of it is unpacked, checked out or run.

Each gives a list of entries that are read one by one, with limits, so that links, paths that climb out and bombs have
nothing to act on.
"""

import contextlib
import os
import re
import signal
import stat
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ia.kernel import config, untrusted
from ia.kernel.errors import BadData, IaError, NotFound, Refused, TimedOut, Unavailable
from ia.kernel.patterns import pattern

MAX_ENTRIES = 20_000
MAX_ZIP = 20_000_000
"""Bytes of a .zip file."""
MAX_FILE = 2_000_000
"""Bytes of one file that is read."""
MAX_FETCHED = 400_000
"""Blocks of 512 bytes that git may write into one file."""
CLONE_SECONDS = 120.0
_SCHEME = pattern(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SCP = pattern(r"[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][\w.-]*:[^:]+")
_PAGE = pattern(
    r"(https://[^/]+/[^/]+/[^/]+)/(?:-/)?(?:tree|blob)/[^/]+/(?:.*/)?((?!SKILL\.md)[^/]+?)(?:/SKILL\.md)?/?"
)
_SCHEMES = ("https", "ssh", "file")
_HOST = pattern(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,24}|xn--[a-z0-9-]{2,40})", re.I)
_PATH = pattern(r"/[A-Za-z0-9._~/-]{1,160}")
_PRIVATE = ("local", "localhost", "internal", "lan", "home", "corp", "intranet", "test", "example", "arpa", "onion")
"""Names of hosts that end so belong to a network of one's own, or to nobody."""
_GIT = (
    "sh", "-c", f'ulimit -f {MAX_FETCHED}; exec "$@"', "sh",
    "env", "-u", "GIT_DIR", "-u", "GIT_WORK_TREE", "-u", "GIT_INDEX_FILE", "-u", "GIT_OBJECT_DIRECTORY",
    "-u", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "-u", "GIT_EXTERNAL_DIFF", "-u", "GIT_TEMPLATE_DIR",
    "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GCM_INTERACTIVE=never", "GIT_LFS_SKIP_SMUDGE=1",
    "GIT_ALLOW_PROTOCOL=https:ssh:file", "GIT_SSH_COMMAND=ssh -oBatchMode=yes -oConnectTimeout=15", "LC_ALL=C",
    "git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0",
)  # fmt: skip
"""How git is called: it asks nobody, runs no hook, speaks three protocols, and cannot fill the disk."""


class ArchiveEntry(NamedTuple):
    """A file of a source. `read` returns its bytes, at most MAX_FILE + 1 of them; `plain` is False for a link."""

    path: str
    size: int
    plain: bool
    read: Callable[[], bytes]


def hide_password(source: str) -> str:
    """Return a source as it may be printed and kept: without a password in its address."""
    return re.sub(r"(?<=//)[^/@\s]*@", "***@", source)


def is_remote(source: str) -> bool:
    """Whether a source is an address that git fetches from.

    raises  Refused for a protocol that is not among the three.
    """
    scheme = _SCHEME.match(source)
    if scheme is not None and scheme[1].lower() not in _SCHEMES:
        raise Refused(
            "{source}: only https, ssh and file addresses are supported",
            source=hide_password(source)[:200],
            hint="or download the source, and give the folder or the .zip",
        )
    if "::" in source.split("/", 1)[0]:  # git's `ext::command`
        raise Refused("{source}: only https, ssh and file addresses are supported", source=hide_password(source)[:200])
    return scheme is not None or (_SCP.fullmatch(source) is not None and not os.path.exists(source))


def refuse_hidden(path: str, text: str) -> None:
    """Refuse a file with characters that a person does not see and a model reads.

    raises  BadData with its line.
    """
    for place, words in ((repr(path), path), (path, text)):
        found = untrusted.find_hidden(words)
        if found is not None:
            raise BadData(
                "{path}:{line}: invisible character {char}; remove it before you install the file",
                path=place[:200],
                line=found[0],
                char=found[1],
            )


def check_suggested(source: str) -> None:
    """Refuse an address that nobody but a model named, where it is more than a plain public one. Nothing is contacted.

    raises  Refused.
    """
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(source)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    plain = f"https://{host}{parts.path}".casefold() == source.casefold() if host else False
    public = _HOST.fullmatch(host) is not None and host.rpartition(".")[2] not in _PRIVATE
    if not (plain and public and port is None and _PATH.fullmatch(parts.path)):
        raise Refused(
            "{source}: a model can propose only a plain https address of a public host",
            source=hide_password(source)[:200],
            hint="ask the user to name it, or to type: ia skill install SOURCE",
        )


def _pin_host(source: str) -> list[str]:
    """Return git's options for an address that a model named: it goes to the public host that it names, and stays.

    raises  Refused for a host in a private network; Unavailable for one that is not known.
    """
    import ipaddress
    import socket
    from urllib.parse import urlsplit

    options = ["-c", "http.followRedirects=false"]
    parts = urlsplit(source)
    if parts.scheme.lower() != "https" or any(config.env(name) for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY")):
        return options
    host, port = parts.hostname or "", parts.port or 443
    try:
        found = {str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        raise Unavailable("{source}: no such host", source=hide_password(source)[:200]) from None
    if not all(ipaddress.ip_address(address.partition("%")[0]).is_global for address in found):
        raise Refused(
            "{source}: the host is in a private network",
            source=hide_password(source)[:200],
            hint="to install it anyway: ia skill install SOURCE",
        )
    address = sorted(found, key=lambda each: (":" in each, each))[0]
    return [*options, "-c", f"http.curloptResolve={host}:{port}:{f'[{address}]' if ':' in address else address}"]


@contextlib.contextmanager
def open_source(source: str, *, suggested: bool = False, stay: bool = False) -> Iterator[list[ArchiveEntry]]:
    """Give the files of a source, hidden ones but for .claude/ left out, by path.

    suggested  a model named the address, not a person: it is a public host's, and stays there.
    stay       a model asks for what the user named: it is that host's, wherever that leads.
    raises  NotFound; Refused for paths that leave the source, and for what is too large; Unavailable, TimedOut of git.
    """
    if source.startswith("-") or "\0" in source or not source.strip():
        raise NotFound("{source}: no such folder, .zip file or git address", source=source[:200])
    page = _PAGE.fullmatch(source)
    if page is not None:
        raise NotFound(
            "{source} is a web page of a folder, not the repository",
            source=source[:200],
            repository=page[1],
            name=page[2],
            hint="ia skill install {repository} --name {name}",
        )
    if is_remote(source):
        options = _pin_host(source) if suggested else ["-c", "http.followRedirects=false"] if stay else []
        with _clone_repository(source, options) as found:
            yield found
        return
    path = os.path.expanduser(source)
    if os.path.isdir(path):
        if all(os.path.exists(os.path.join(path, part)) for part in ("HEAD", "objects", "refs")):
            with _clone_repository(os.path.abspath(path)) as found:
                yield found
        else:
            yield _select_entries(_walk_folder(path))
    elif os.path.isfile(path):
        with _open_zip(path) as found:
            yield found
    else:
        raise NotFound("{source}: no such folder, .zip file or git address", source=source[:200])


def _select_entries(found: list[ArchiveEntry]) -> list[ArchiveEntry]:
    """Return the entries that can be part of a skill, by path.

    raises  Refused for a path that is no plain relative one, and for too many.
    """
    out = []
    for entry in found:
        parts = entry.path.split("/")
        if ".." in parts or entry.path.startswith("/") or "\\" in entry.path or re.match(r"[A-Za-z]:", entry.path):
            raise Refused("{path!r} points outside the source", path=entry.path[:200])
        if parts[0] == "__MACOSX" or any(part.startswith(".") and part != ".claude" for part in parts):
            continue
        out.append(entry)
    if len(out) > MAX_ENTRIES:
        raise Refused("the source has more than {limit} files", limit=MAX_ENTRIES)
    return sorted(out, key=lambda entry: entry.path)


def _walk_folder(root: str) -> list[ArchiveEntry]:
    found: list[ArchiveEntry] = []
    stack = [""]
    while stack and len(found) <= MAX_ENTRIES:
        inside = stack.pop()
        try:
            scanned = sorted(os.scandir(os.path.join(root, inside)), key=lambda entry: entry.name)
        except OSError as exc:
            raise Refused("{path}: {reason}", path=inside or root, reason=exc.strerror) from None
        for entry in scanned:
            path = f"{inside}/{entry.name}" if inside else entry.name
            if entry.name.startswith(".") and entry.name != ".claude":
                continue
            if entry.is_dir(follow_symlinks=False):
                stack.append(path)
            else:
                plain = entry.is_file(follow_symlinks=False)
                size = entry.stat(follow_symlinks=False).st_size
                found.append(ArchiveEntry(path, size, plain, _make_reader(os.path.join(root, path))))
    return found


def _make_reader(absolute: str) -> Callable[[], bytes]:
    def read_bytes() -> bytes:
        try:
            fd = os.open(absolute, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError as exc:
            raise Refused("{path}: {reason}", path=absolute, reason=exc.strerror) from None
        with open(fd, "rb") as file:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise Refused("{path} is not a regular file", path=absolute)
            return file.read(MAX_FILE + 1)

    return read_bytes


@contextlib.contextmanager
def _open_zip(path: str) -> Iterator[list[ArchiveEntry]]:
    if os.path.getsize(path) > MAX_ZIP:
        raise Refused("{path} is larger than {limit} bytes", path=path, limit=MAX_ZIP)
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise BadData("{path} is not a valid .zip file", path=path) from None
    with archive:
        infos = archive.infolist()
        if len(infos) > MAX_ENTRIES:
            raise Refused("the source has more than {limit} files", limit=MAX_ENTRIES)
        yield _select_entries([_zip_entry(archive, info) for info in infos if not info.is_dir()])


def _zip_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> ArchiveEntry:
    kind = stat.S_IFMT(info.external_attr >> 16)

    def read_bytes() -> bytes:
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # the others expand without a limit
            raise BadData("{path}: unsupported compression method", path=info.filename[:200])
        try:
            with archive.open(info) as file:
                return file.read(MAX_FILE + 1)
        except Exception as exc:  # BadZipFile, zlib.error, RuntimeError of a password: whatever a damaged file raises
            raise BadData("{path}: {why}", path=info.filename[:200], why=" ".join(str(exc).split())[:120]) from None

    return ArchiveEntry(_zip_name(info), info.file_size, kind in (0, stat.S_IFREG), read_bytes)


def _zip_name(info: zipfile.ZipInfo) -> str:
    """Return a name as it was meant: old programs write UTF-8 or GBK without saying so."""
    if info.flag_bits & 0x800:
        return info.filename
    try:
        raw = info.filename.encode("cp437")
    except UnicodeEncodeError:
        return info.filename
    for encoding in ("utf-8", "gbk"):
        with contextlib.suppress(UnicodeDecodeError):
            return raw.decode(encoding)
    return info.filename


@contextlib.contextmanager
def _clone_repository(source: str, options: Sequence[str] = ()) -> Iterator[list[ArchiveEntry]]:
    """Fetch the newest commit without checking it out, and read its files from git's store."""
    with tempfile.TemporaryDirectory(prefix="ia-skill-") as folder:
        place = os.path.join(folder, "repository")
        _run_git(
            *options,
            "clone",
            "--quiet",
            "--depth",
            "1",
            "--no-checkout",
            "--no-tags",
            "--single-branch",
            "--no-local",
            "--no-recurse-submodules",
            "--template=",
            "--",
            source,
            place,
            source=source,
        )
        try:
            listing = _run_git("-C", place, "ls-tree", "-r", "-l", "-z", "HEAD", source=source)
        except Unavailable:
            raise NotFound("{source}: the repository is empty", source=hide_password(source)) from None
        yield _select_entries(list(_tree_entries(place, listing, source)))


def _tree_entries(place: str, listing: bytes, source: str) -> Iterator[ArchiveEntry]:
    def make_reader(sha: str, size: int) -> Callable[[], bytes]:
        def read_bytes() -> bytes:
            if size > MAX_FILE:
                return b" " * (MAX_FILE + 1)
            return _run_git("-C", place, "cat-file", "blob", sha, source=source)

        return read_bytes

    for line in listing.split(b"\0"):
        if not line:
            continue
        about, _, name = line.partition(b"\t")
        mode, kind, sha, size = about.decode("ascii").split()
        if kind != "blob":  # a submodule: it is not fetched
            continue
        count = int(size)
        yield ArchiveEntry(name.decode("utf-8", "replace"), count, mode.startswith("100"), make_reader(sha, count))


def _run_git(*words: str, source: str) -> bytes:
    """Run git and return its output.

    raises  Unavailable with what it says, TimedOut.
    """
    try:
        process = subprocess.Popen(
            [*_GIT, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as exc:
        raise Unavailable("cannot run git: {why}", why=exc.strerror) from None
    try:
        out, told = process.communicate(timeout=CLONE_SECONDS)
    except subprocess.TimeoutExpired:
        raise TimedOut(
            "{source}: git timed out after {seconds:g} s", source=hide_password(source), seconds=CLONE_SECONDS
        ) from None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
    if process.returncode != 0:
        raise _git_failure(told, source)
    return out


def _git_failure(told: bytes, source: str) -> IaError:
    lines = [line for line in told.decode("utf-8", "replace").splitlines() if line.strip()]
    why = next((line for line in lines if line.startswith(("fatal:", "ERROR:"))), lines[-1] if lines else "it failed")
    if "git: not found" in why or "env: " in why[:6]:
        return Unavailable("git is not installed", hint="install git, or give a folder or a .zip")
    return Unavailable(
        "{source}: git could not fetch this source: {why}",
        source=hide_password(source)[:200],
        why=hide_password(why).strip()[:200],
    )
