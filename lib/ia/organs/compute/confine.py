"""Lock this process: resource limits, Landlock without a rule, a seccomp allowlist, and the proof that they hold.

Only the sandbox worker calls `confine`, once, after its imports and before it reads the job. Nothing here raises: what
an operating system does not offer is reported, and the parent decides what may run without it.
"""

import ctypes
import errno
import mmap
import os
import platform
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterable

Layers = dict[str, bool | str]

MEMORY = 1 << 30
CPU_SECONDS = 3600  # a backstop: the parent lowers it to the job's own limit, and kills by the wall clock

FIXED_TIME = 946_684_800
"""What the clock of a locked process tells: 1 January 2000, whatever day it is."""

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
LANDLOCK_CREATE_RULESET, LANDLOCK_RESTRICT_SELF = 444, 446  # the same numbers on every architecture
SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC = 1, 1

# What a Python that only computes needs. No open, socket, clone, exec, kill, ioctl, ptrace, prctl.
_COMPUTING = {
    "x86_64": (
        0xC000003E,
        317,
        {
            "read": 0,
            "write": 1,
            "close": 3,
            "fstat": 5,
            "lseek": 8,
            "mmap": 9,
            "mprotect": 10,
            "munmap": 11,
            "brk": 12,
            "rt_sigaction": 13,
            "rt_sigprocmask": 14,
            "rt_sigreturn": 15,
            "sched_yield": 24,
            "mremap": 25,
            "madvise": 28,
            "getpid": 39,
            "exit": 60,
            "gettimeofday": 96,
            "sigaltstack": 131,
            "gettid": 186,
            "futex": 202,
            "restart_syscall": 219,
            "clock_gettime": 228,
            "clock_getres": 229,
            "exit_group": 231,
            "getrandom": 318,
            "membarrier": 324,
            "rseq": 334,
        },
    ),
    "aarch64": (
        0xC00000B7,
        277,
        {
            "close": 57,
            "lseek": 62,
            "read": 63,
            "write": 64,
            "fstat": 80,
            "exit": 93,
            "exit_group": 94,
            "futex": 98,
            "clock_gettime": 113,
            "clock_getres": 114,
            "sched_yield": 124,
            "restart_syscall": 128,
            "sigaltstack": 132,
            "rt_sigaction": 134,
            "rt_sigprocmask": 135,
            "rt_sigreturn": 139,
            "gettimeofday": 169,
            "getpid": 172,
            "gettid": 178,
            "brk": 214,
            "munmap": 215,
            "mremap": 216,
            "mmap": 222,
            "mprotect": 226,
            "madvise": 233,
            "getrandom": 278,
            "membarrier": 283,
            "rseq": 293,
        },
    ),
}

ALLOW, KILL = 0x7FFF0000, 0x80000000
DENY = 0x00050000 | errno.EPERM
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
PROT_EXEC = 4
MAP_FIXED = 0x10


class _Program(ctypes.Structure):
    _fields_ = (("len", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _load_libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def _invoke_syscall(number: int, *args: object) -> int:
    done: int = _load_libc().syscall(ctypes.c_long(number), *args)
    if done < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return done


def assemble_filter(numbers: Iterable[int], listed: int, other: int, *, executable_memory: Iterable[int] = ()) -> bytes:
    """Return a seccomp-BPF program: verdict `listed` for these system calls, `other` for the rest.

    `executable_memory` are the numbers of mmap and mprotect: listed, but denied when they ask for PROT_EXEC.
    """
    arch = _COMPUTING[platform.machine()][0]
    no_exec = frozenset(executable_memory)
    code: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, arch),
        (_RETURN, 0, 0, KILL),
        (_LOAD, 0, 0, 0),
    ]
    if arch == 0xC000003E:  # the x32 calls of the same kernel have bit 30 set
        code += [(_AT_LEAST, 0, 1, 0x40000000), (_RETURN, 0, 0, KILL)]
    for number in sorted(numbers):
        if number in no_exec:
            code += [(_EQUAL, 0, 4, number), (_LOAD, 0, 0, 32), (_ANY_BIT, 0, 1, PROT_EXEC)]
            code += [(_RETURN, 0, 0, DENY), (_RETURN, 0, 0, listed)]
        else:
            code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, listed)]
    code.append((_RETURN, 0, 0, other))
    return b"".join(struct.pack("=HBBI", op, yes, no, k) for op, yes, no, k in code)


def install_filter(program: bytes) -> None:
    """Put a seccomp program on all threads of this process, for good; raises OSError where the kernel refuses."""
    libc = _load_libc()
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs")
    buffer = ctypes.create_string_buffer(program, len(program))
    filter_ = _Program(len(program) // 8, ctypes.addressof(buffer))
    _invoke_syscall(
        _COMPUTING[platform.machine()][1],
        ctypes.c_uint(SECCOMP_SET_MODE_FILTER),
        ctypes.c_uint(SECCOMP_FILTER_FLAG_TSYNC),
        ctypes.byref(filter_),
    )


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent is gone (Linux; elsewhere the end of stdin ends it)."""
    if sys.platform == "linux":
        _load_libc().prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0)


def _limit_resources() -> None:
    import resource

    def lower_limit(what: int, to: int) -> None:
        hard = resource.getrlimit(what)[1]
        to = to if hard == resource.RLIM_INFINITY else min(to, hard)
        resource.setrlimit(what, (to, to))

    lower_limit(resource.RLIMIT_CPU, CPU_SECONDS)
    lower_limit(resource.RLIMIT_FSIZE, 0)
    lower_limit(resource.RLIMIT_CORE, 0)
    lower_limit(resource.RLIMIT_NPROC, 0)
    if sys.platform == "linux":  # elsewhere RLIMIT_AS is refused or means nothing
        with open("/proc/self/statm", "rb") as statm:
            now = int(statm.read().split()[0]) * resource.getpagesize()
        lower_limit(resource.RLIMIT_AS, now + MEMORY)


def _stop_clock() -> None:
    """Let the C library tell a fixed day instead of the machine's, in this process and for good.

    It reads the time from a page that the kernel shares with every process. A private copy with other seconds is laid
    over it. A child tries first: on a kernel whose page is another one it fails, and nothing is changed here.
    """
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, f"not written for {sys.platform}")
    child = os.fork()
    if child == 0:
        signal.alarm(2)
        try:
            _lay_over_clock()
            os._exit(0)
        finally:
            os._exit(1)
    if os.waitpid(child, 0)[1] != 0:
        raise OSError(errno.ENOSYS, "the clock of this kernel cannot be replaced")
    _lay_over_clock()


def _lay_over_clock() -> None:
    with open("/proc/self/maps", encoding="ascii", errors="replace") as maps:
        spans = [line.split()[0].split("-") for line in maps if line.rstrip().endswith("[vvar]")]
    if len(spans) != 1:
        raise OSError(errno.ENOSYS, "no shared clock")
    start, end = (int(edge, 16) for edge in spans[0])
    before = _read_memory(start, end)
    while (again := _read_memory(start, end)) != before:  # the kernel was writing
        before = again
    form, now = f"={(end - start) // 8}Q", int(time.time())
    stopped = struct.pack(
        form, *(FIXED_TIME + word - now if abs(word - now) < 100 else word for word in struct.unpack(form, before))
    )
    libc = _load_libc()
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
    libc.mmap.restype = ctypes.c_void_p
    over = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED
    if libc.mmap(start, end - start, mmap.PROT_READ | mmap.PROT_WRITE, over, -1, 0) != start:
        raise OSError(ctypes.get_errno(), "mmap")
    ctypes.memmove(start, stopped, end - start)
    libc.time.restype = ctypes.c_long
    if not all(abs(told - FIXED_TIME) < 100 for told in (time.time(), libc.time(None))):
        raise OSError(errno.EIO, "the clock still tells the time")


def _read_memory(start: int, end: int) -> bytes:
    """Return the memory from start to end, zeros for the pages of it that nobody can read."""
    size, libc, pages = os.sysconf("SC_PAGESIZE"), _load_libc(), []
    libc.write.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
    libc.write.restype = ctypes.c_ssize_t
    reader, writer = os.pipe()
    try:
        for page in range(start, end, size):
            written = libc.write(writer, page, size)  # an error where reading it would end the process
            pages.append((os.read(reader, size) if written > 0 else b"").ljust(size, b"\0"))
    finally:
        os.close(reader)
        os.close(writer)
    return b"".join(pages)


def _forbid_descriptors() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))


def _apply_landlock() -> str:
    """Deny every file access, TCP and signals to others by a Landlock ruleset without rules; returns the ABI."""
    if len(os.listdir("/proc/self/task")) != 1:
        raise OSError(errno.EBUSY, "more than one thread")  # restrict_self binds the calling thread only
    abi = _invoke_syscall(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    files = (1 << 13) - 1 | (abi >= 2) << 13 | (abi >= 3) << 14 | (abi >= 5) << 15
    rules = struct.pack("=QQQ", files, 3 if abi >= 4 else 0, 3 if abi >= 6 else 0)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    try:
        handle = _invoke_syscall(LANDLOCK_CREATE_RULESET, rules, ctypes.c_size_t(size), ctypes.c_uint32(0))
    except OSError as e:
        if e.errno != errno.EINVAL:
            raise
        # some kernels claim an ABI whose later parts they lack
        handle = _invoke_syscall(
            LANDLOCK_CREATE_RULESET, struct.pack("=Q", (1 << 13) - 1), ctypes.c_size_t(8), ctypes.c_uint32(0)
        )
    if _load_libc().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs")
    _invoke_syscall(LANDLOCK_RESTRICT_SELF, ctypes.c_int(handle), ctypes.c_uint32(0))
    os.close(handle)
    if not _is_denied(lambda: os.listdir("/")):
        raise OSError(errno.EIO, "in force but not effective")
    return f"ABI {abi}"


def _apply_seccomp() -> bool:
    if sys.platform != "linux" or platform.machine() not in _COMPUTING:
        raise OSError(errno.ENOSYS, f"not written for {sys.platform} {platform.machine()}")
    calls = _COMPUTING[platform.machine()][2]
    program = assemble_filter(calls.values(), ALLOW, DENY, executable_memory=(calls["mmap"], calls["mprotect"]))
    install_filter(program)
    return True


def _is_denied(action: Callable[[], object]) -> bool:
    try:
        action()
    except OSError as e:
        return e.errno in (errno.EPERM, errno.EACCES)
    return False


def _try_fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _socket_attempt(family: int, kind: int) -> Callable[[], None]:
    def open_socket() -> None:
        descriptor = _load_libc().socket(family, kind, 0)
        if descriptor < 0:
            raise OSError(ctypes.get_errno(), "socket")
        os.close(descriptor)

    return open_socket


def self_test() -> dict[str, bool]:
    """Try what a locked process must not be able to do; True means that the system said no.

    The paths do not exist, so that a process that is not locked harms nothing: there the answer is "not found", which
    is not "no".
    """
    attempts: dict[str, Callable[[], object]] = {
        "read a file": lambda: os.close(os.open("/etc/passwd", os.O_RDONLY)),
        "list a folder": lambda: os.listdir("/"),
        "change a folder": lambda: os.rmdir("/nonexistent-ia-self-test/x"),
        "start a process": _try_fork,
        "run a program": lambda: os.execv("/nonexistent-ia-self-test", ["x"]),
        "signal the parent": lambda: os.kill(os.getppid(), 0),
        "open a TCP socket": _socket_attempt(2, 1),
        "open a UDP socket": _socket_attempt(2, 2),
        "open a local socket": _socket_attempt(1, 1),
    }
    return {what: _is_denied(attempt) for what, attempt in attempts.items()}


def confine_process() -> Layers:
    """Lock this process for good and say what holds: each layer True, a detail, or why not; `locked` is the verdict.

    `locked` comes from the self-test, not from the presence of an interface.
    """
    layers: Layers = {}
    held: set[str] = set()
    steps: tuple[tuple[str, Callable[[], object]], ...] = (
        ("clock", _stop_clock),
        ("rlimits", _limit_resources),
        ("landlock", _apply_landlock),
        ("descriptors", _forbid_descriptors),
        ("seccomp", _apply_seccomp),
    )
    for name, step in steps:
        try:
            done = step()
            layers[name] = done if isinstance(done, str) else True
            held.add(name)
        except (OSError, ValueError) as e:
            layers[name] = f"no: {getattr(e, 'strerror', None) or e}"
    failed = [what for what, said_no in self_test().items() if not said_no]
    layers["self-test"] = True if not failed else "could still " + ", ".join(failed)
    layers["locked"] = not failed and "rlimits" in held
    return layers
