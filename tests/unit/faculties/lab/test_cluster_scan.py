"""Scans on the workers of a real Dask scheduler give what one process gives, or say what went wrong."""

import contextlib
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

import ia
from ia.faculties.lab import bar_packing, cluster_scan
from ia.faculties.lab.bar_packing import open_csv_source, pack_bars
from ia.faculties.lab.bar_scan import scan_bars
from ia.faculties.lab.cluster_scan import run_on_cluster
from ia.faculties.lab.scan import ScanRequest
from ia.kernel.errors import ConfigError, TryLater, UsageError, drop_message
from support.minute_bars import NEEDS_CLUSTER, NOW, write_minutes
from support.servers.s3 import S3Server

pytestmark = [
    NEEDS_CLUSTER,
    pytest.mark.process,
    pytest.mark.filterwarnings("ignore"),  # dask's own
]
SLOW = "obv(close, volume) > 0"


@contextlib.contextmanager
def start_cluster(workers, **settings):
    distributed = importlib.import_module("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50, **settings
        )
        try:
            yield made
        finally:
            made.close()


@pytest.fixture(scope="module")
def server():
    """An S3 server whose credentials the workers have in their own environment."""
    with pytest.MonkeyPatch.context() as patch, S3Server("bars") as made:
        made.use(patch)
        patch.setenv("IA_NOW", NOW)
        yield made


@pytest.fixture(scope="module")
def cluster(server):
    with start_cluster(2) as made:
        yield made


@pytest.fixture
def url(server, tmp_path, monkeypatch):
    server.use(monkeypatch)
    server.deny.clear()
    monkeypatch.setenv("IA_NOW", NOW)
    monkeypatch.setattr(bar_packing, "BLOCK", 4)
    return pack_bars(open_csv_source(write_minutes(tmp_path / "csv", 30), "1m"), f"s3://bars/{tmp_path.name}").url


def scan(url, address, expression, notify=drop_message, **asked):
    return scan_bars(
        url, ScanRequest(expression=expression, **asked), run=run_on_cluster(address, notify), notify=notify
    )


@pytest.mark.parametrize("expression", ["xrank(rsi(close, 14)) < 0.45", "obv(close, volume)"])
def test_it_equals_a_scan_in_one_process(cluster, url, expression):
    for asked in (
        {"stale": True, "columns": ("close", "volume")},
        {"symbols": ("600003.SH", "600017.SH", "600519.SH")},
    ):
        alone = scan_bars(url, ScanRequest(expression=expression, **asked))
        found = scan(url, cluster.scheduler_address, expression, **asked)
        assert sorted(found.rows) == sorted(alone.rows)
        assert (found.day, found.truth, found.looked, found.unknown) == (
            alone.day,
            alone.truth,
            alone.looked,
            alone.unknown,
        )
        assert sorted(found.stale) == sorted(alone.stale)


def test_the_open_port_is_told_once(cluster, url):
    told = []
    scan(url, cluster.scheduler_address, "close > 0", told.append)
    assert len([message for message in told if cluster.scheduler_address in str(message)]) == 1
    assert not [message for message in told if "MALLOC" in str(message)]  # ia has undone what Dask sets


def test_a_block_that_fails_is_named(cluster, server, url):
    prefix = url.removeprefix("s3://bars/")
    name = next(name for name in server.buckets["bars"] if name.startswith(f"{prefix}/2024-02/close/0005"))
    whole = server.buckets["bars"][name]
    for broken in (whole[:-1] + b"x", None):
        if broken is None:
            del server.buckets["bars"][name]
        else:
            server.buckets["bars"][name] = broken
        with pytest.raises(TryLater, match=r"block 2024-02/0005 failed: s3://.*0005"):
            scan(url, cluster.scheduler_address, "close > 0")
    server.buckets["bars"][name] = whole
    assert scan(url, cluster.scheduler_address, "close > 0").looked


def test_workers_without_permission_are_told(cluster, server, url, monkeypatch):
    alone = cluster_scan.run_on_cluster(cluster.scheduler_address, drop_message)

    def deny_then_run(tasks, bars):
        server.deny.add("GET")
        yield from alone(tasks, bars)

    with pytest.raises(TryLater, match="no permission"):
        scan_bars(url, ScanRequest(expression="close > 0"), run=deny_then_run)


def test_a_worker_with_another_ia_is_refused(cluster, url, monkeypatch):
    monkeypatch.setattr(ia, "__version__", "9.9.9")
    cluster_scan.read_identity.cache_clear()
    try:
        with pytest.raises(ConfigError, match=r"worker tcp://.* runs ia .*, this is ia 9\.9\.9"):
            scan(url, cluster.scheduler_address, "close > 0")
    finally:
        cluster_scan.read_identity.cache_clear()


def test_a_killed_worker_changes_nothing(url):
    alone = scan_bars(url, ScanRequest(expression=SLOW))
    with start_cluster(2) as cluster:
        pids = [nanny.process.pid for nanny in cluster.workers.values()]
        killed = []

        def kill(done, total):
            if not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        run = run_on_cluster(cluster.scheduler_address, drop_message)
        found = scan_bars(url, ScanRequest(expression=SLOW), run=run, show=kill)
        assert killed and sorted(found.rows) == sorted(alone.rows) and found.looked == alone.looked


def test_a_scheduler_that_goes_away_ends_the_scan(url, tmp_path):
    where = tmp_path / "scheduler.json"
    words = ["--scheduler-file", str(where), "--no-dashboard", "--host", "127.0.0.1"]
    scheduler = start_program("dask_scheduler", *words, "--port", "0")
    worker = start_program("dask_worker", *words, "--nthreads", "1", "--no-nanny")
    try:
        while not where.exists():
            time.sleep(0.05)
        address = json.loads(where.read_text())["address"]
        began = []

        def kill(done, total):
            began.append(time.monotonic())
            scheduler.kill()
            time.sleep(0.5)

        with pytest.raises(TryLater, match="is gone"):
            run = run_on_cluster(address, drop_message)
            scan_bars(url, ScanRequest(expression=SLOW), run=run, show=kill)
        assert began and time.monotonic() - began[-1] < 20
    finally:
        for program in (worker, scheduler):
            program.kill()
            program.wait()


def start_program(name, *words):
    command = [sys.executable, "-m", f"distributed.cli.{name}", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_certificates_of_the_settings_of_dask_open_tls(url, tmp_path):
    dask, distributed = importlib.import_module("dask"), importlib.import_module("distributed")
    security = distributed.Security.temporary()
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    key.write_text(security.tls_client_key)
    certificate.write_text(security.tls_client_cert)
    names = {"ca-file": certificate, "client.key": key, "client.cert": certificate}
    told = []
    with start_cluster(1, security=security) as cluster:
        assert cluster.scheduler_address.startswith("tls://")
        with dask.config.set({f"distributed.comm.tls.{name}": str(path) for name, path in names.items()}):
            assert scan(url, cluster.scheduler_address, "close > 0", told.append).looked
        assert not [message for message in told if "tls://" in str(message)]
        with pytest.raises(ConfigError, match="tls"):
            scan(url, cluster.scheduler_address, "close > 0")
        with pytest.raises(TryLater):
            scan(url, cluster.scheduler_address.replace("tls://", "tcp://"), "close > 0")


def test_a_scheduler_without_workers(url):
    with start_cluster(0) as cluster:
        began = time.monotonic()
        with pytest.raises(TryLater, match="has no workers"):
            scan(url, cluster.scheduler_address, "close > 0")
        assert time.monotonic() - began < 15


def test_what_is_no_scheduler(url):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        for address, error in (
            (f"tcp://127.0.0.1:{port}", TryLater),
            ("tcp://127.0.0.1:9", TryLater),
            ("tcp://nowhere.invalid:8786", TryLater),
            (f"tls://127.0.0.1:{port}", ConfigError),
            ("http://127.0.0.1:8786", UsageError),
            ("127.0.0.1:8786", UsageError),
            ("tcp://127.0.0.1", UsageError),
        ):
            began = time.monotonic()
            with pytest.raises(error):
                scan(url, address, "close > 0")
            assert time.monotonic() - began < 15, address


def test_distributed_is_loaded_with_cluster_only(tmp_path, server, url):
    code = "import sys; from ia_cli.main import run_command_line; run_command_line(sys.argv[1:]); print(*sys.modules)"
    for words, wanted in (
        (["scan", "close > 0"], set()),
        (["bars", "--help"], set()),
        (["scan", "close > 0", "--bars", url], {"obstore", "blosc2"}),
    ):
        run = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
        loaded = set(run.stdout.split()) & {"obstore", "blosc2", "dask", "distributed"}
        assert loaded == wanted, (words, run.stderr)
    assert Path(ia.__file__).is_file()
