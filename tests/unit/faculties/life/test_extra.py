"""Without the extra `life` every reckoning says what to install; cards and types need no package."""

import sys

import pytest

from ia.faculties.life import pillars, types16
from ia.faculties.life.extra import load_package
from ia.faculties.life.tool_functions import calculate_bazi, calculate_chart, draw_cards, show_mbti_result
from ia.kernel.errors import ConfigError


@pytest.fixture
def no_packages(monkeypatch):
    for name in ("tyme4py", "tyme4py.solar", "tyme4py.sixtycycle", "ephem"):
        monkeypatch.setitem(sys.modules, name, None)
    for kept in (pillars._cycle, pillars._jie_of_year):
        kept.cache_clear()


@pytest.mark.parametrize("reckon", [calculate_bazi, calculate_chart])
def test_a_missing_package_is_told_with_what_to_install(ws, no_packages, reckon):
    with pytest.raises(ConfigError, match=r"needs the package (tyme4py|ephem)") as failed:
        reckon("1990-05-15T12:00", "Asia/Shanghai")
    assert "pip install '.[life]'" in str(failed.value.hint)


def test_cards_and_types_need_no_package(ws, no_packages):
    assert draw_cards(ws)["cards"]
    assert show_mbti_result([3] * 32)["type"] == 4 * types16.NO_LETTER


def test_only_the_package_is_named():
    with pytest.raises(ConfigError, match=r"the package no_such_package$"):
        load_package("no_such_package.part")
