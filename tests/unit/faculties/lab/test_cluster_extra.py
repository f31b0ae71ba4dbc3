"""Without the extra `cluster` packed bars say what to install; a scan of the stored market needs no package."""

import sys

import pytest

from ia.faculties.lab.bar_packing import open_mirror_source, pack_bars
from ia.faculties.lab.bar_scan import scan_bars
from ia.faculties.lab.cluster_extra import load_package
from ia.faculties.lab.cluster_scan import run_on_cluster
from ia.faculties.lab.scan import ScanRequest
from ia.kernel.errors import ConfigError, drop_message
from ia.organs.market.mirror.reader import Mirror


@pytest.fixture
def no_packages(monkeypatch):
    for name in ("obstore", "obstore.store", "obstore.exceptions", "blosc2", "dask", "distributed"):
        monkeypatch.setitem(sys.modules, name, None)


def test_what_is_missing_is_told_with_what_to_install(no_packages, tmp_path):
    for call in (
        lambda: scan_bars(str(tmp_path), ScanRequest(expression="close")),
        lambda: run_on_cluster("tcp://127.0.0.1:8786", drop_message),
        lambda: pack_bars(open_mirror_source(Mirror([], [], {})), str(tmp_path)),
    ):
        with pytest.raises(ConfigError, match=r"needs the package (obstore|distributed)$") as failed:
            call()
        assert "pip install '.[cluster]'" in str(failed.value.hint)


def test_only_the_package_is_named():
    with pytest.raises(ConfigError, match=r"the package no_such_package$"):
        load_package("no_such_package.part")
