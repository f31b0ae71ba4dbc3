"""What a name of the day says: special treatment, an ex-day, the first days after the listing."""

import pytest

from ia.domain.instruments.special import choose_name, clean_name, is_st, sessions_by_name


@pytest.mark.parametrize(
    "name", ["ST中安", "*ST康得", "＊ST 信威", "SST佳通", "S*ST前锋", "S佳通", "XD*ST华", "DRST花王"]
)
def test_names_of_special_treatment(name):
    assert is_st(name)


@pytest.mark.parametrize("name", ["贵州茅台", "SMIC", "XD贵州茅", "TCL科技", "", "N汇成", "退市海润", "东方ST园"])
def test_other_names(name):
    assert not is_st(name)


def test_names_of_new_stocks():
    assert [sessions_by_name(name) for name in ("N汇成", "C汇成", "Ｎ汇成", "TCL科技", "")] == [0, 1, 0, None, None]


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("XD贵州茅", ""),
        ("N华大", ""),
        ("五 粮 液", "五粮液"),
        ("万  科Ａ", "万科A"),
        ("NVIDIA", "NVIDIA"),
        ("招商轮船", "招商轮船"),
    ],
)
def test_names_without_the_signs_of_the_day(name, clean):
    assert clean_name(name) == clean


@pytest.mark.parametrize(
    ("told", "known", "name"),
    [
        ("贵州茅台", "茅台", "贵州茅台"),
        ("XD贵州茅", "贵州茅台", "贵州茅台"),
        ("N华大", None, "华大"),
        ("C华大", None, "华大"),
        ("", "贵州茅台", "贵州茅台"),
        ("", None, None),
    ],
)
def test_the_lasting_name(told, known, name):
    assert choose_name(told, known) == name
