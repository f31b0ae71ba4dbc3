"""Without an optional extra, what needs it says which one it is and how to install it; nothing else needs it."""

import sys

import pytest

from ia.faculties.lab.bar_packing import open_mirror_source, pack_bars
from ia.faculties.lab.bar_scan import scan_bars
from ia.faculties.lab.cluster_scan import run_on_cluster
from ia.faculties.lab.scan import ScanRequest
from ia.faculties.life import pillars
from ia.faculties.life.tool_functions import calculate_bazi, calculate_chart, draw_cards, show_mbti_result
from ia.faculties.pictures.png import rasterize_svg
from ia.kernel.errors import ConfigError, drop_message
from ia.kernel.extras import load_extra
from ia.organs.market.mirror.reader import Mirror

PACKAGES = (
    *("obstore", "obstore.store", "obstore.exceptions", "blosc2", "dask", "distributed"),
    *("tyme4py", "tyme4py.solar", "tyme4py.sixtycycle", "ephem", "resvg_py"),
)
BORN = ("1990-05-15T12:00", "Asia/Shanghai")


@pytest.fixture
def no_packages(monkeypatch):
    for name in PACKAGES:
        monkeypatch.setitem(sys.modules, name, None)
    for kept in (pillars._cycle, pillars._jie_of_year):
        kept.cache_clear()


@pytest.mark.parametrize(
    ("extra", "need"),
    [
        ("cluster", lambda place: scan_bars(place, ScanRequest(expression="close"))),
        ("cluster", lambda _: run_on_cluster("tcp://127.0.0.1:8786", drop_message)),
        ("cluster", lambda place: pack_bars(open_mirror_source(Mirror([], [], {})), place)),
        ("life", lambda _: calculate_bazi(*BORN)),
        ("life", lambda _: calculate_chart(*BORN)),
        ("pictures", lambda _: rasterize_svg("<svg width='1' height='1'/>")),
    ],
)
def test_a_missing_extra_is_named_with_what_to_install(ws, no_packages, tmp_path, extra, need):
    with pytest.raises(ConfigError, match=rf"needs the extra `{extra}`: the package \w+ is not installed$") as failed:
        need(str(tmp_path))
    assert failed.value.params["package"] in PACKAGES
    assert f"`pip install '.[{extra}]'`" in str(failed.value.hint).format_map(failed.value.params)


def test_cards_and_types_need_no_package(ws, no_packages):
    assert draw_cards(ws)["cards"]
    assert show_mbti_result([3] * 32)["type"]


def test_only_the_package_is_named():
    with pytest.raises(ConfigError, match=r"the package no_such_package is"):
        load_extra("life", "no_such_package.part")
