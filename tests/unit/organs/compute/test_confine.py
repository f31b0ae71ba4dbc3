"""The seccomp program, instruction by instruction, on an interpreter of the few BPF operations that it uses."""

import platform
import struct

import pytest

from ia.organs.compute import confine

pytestmark = pytest.mark.skipif(platform.machine() not in confine._COMPUTING, reason="no table for this machine")


def verdict(program, number, arch=None, third=0):
    """Run a seccomp program over one system call."""
    code = [struct.unpack("=HBBI", program[i : i + 8]) for i in range(0, len(program), 8)]
    here = confine._COMPUTING[platform.machine()][0]
    data = (
        struct.pack("=II", number, here if arch is None else arch)
        + bytes(8)
        + struct.pack("=QQQQQQ", 0, 0, third, 0, 0, 0)
    )
    accumulator = at = 0
    while True:
        op, yes, no, k = code[at]
        at += 1
        if op == 0x20:
            accumulator = struct.unpack_from("=I", data, k)[0]
        elif op == 0x06:
            return k
        else:
            true = {0x15: accumulator == k, 0x35: accumulator >= k, 0x45: bool(accumulator & k)}[op]
            at += yes if true else no


@pytest.fixture(scope="module")
def program():
    calls = confine._COMPUTING[platform.machine()][2]
    return confine.assemble_filter(
        calls.values(), confine.ALLOW, confine.DENY, executable_memory=(calls["mmap"], calls["mprotect"])
    )


def test_only_the_listed_calls_pass(program):
    calls = set(confine._COMPUTING[platform.machine()][2].values())
    for number in range(1024):
        assert verdict(program, number) == (confine.ALLOW if number in calls else confine.DENY)


def test_executable_memory_is_denied(program):
    calls = confine._COMPUTING[platform.machine()][2]
    for name in ("mmap", "mprotect"):
        assert verdict(program, calls[name], third=3) == confine.ALLOW
        assert verdict(program, calls[name], third=4) == confine.DENY
        assert verdict(program, calls[name], third=7) == confine.DENY
    assert verdict(program, calls["munmap"], third=7) == confine.ALLOW


def test_another_architecture_is_killed(program):
    assert verdict(program, 1, arch=0x40000003) == confine.KILL


@pytest.mark.skipif(platform.machine() != "x86_64", reason="x32 is of x86_64")
def test_the_x32_calls_are_killed(program):
    assert verdict(program, 0x40000000) == confine.KILL
    assert verdict(program, 0x40000002) == confine.KILL


@pytest.mark.parametrize("machine", list(confine._COMPUTING))
def test_no_table_lists_a_call_that_reaches_outside(machine):
    calls = confine._COMPUTING[machine][2]
    outside = (
        "open",
        "socket",
        "exec",
        "clone",
        "fork",
        "kill",
        "ptrace",
        "link",
        "mkdir",
        "ioctl",
        "prctl",
        "bpf",
        "mount",
        "dup",
    )
    assert not [name for name in calls if any(word in name for word in outside)]
    assert len(set(calls.values())) == len(calls) >= 25
