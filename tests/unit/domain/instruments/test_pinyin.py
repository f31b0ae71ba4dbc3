"""Names in pinyin: of the bundled table, of stored names, and what is in doubt."""

import pytest

from ia.domain.instruments import name_sources, pinyin
from ia.domain.instruments.symbols import bundled_names, bundled_symbols, from_canonical, resolve_security
from ia.kernel.errors import NotFound, UsageError


@pytest.fixture
def stored(monkeypatch):
    """Let a store name some securities."""
    names = {
        "601916.SH": "浙商银行",
        "600606.SH": "绿地控股",
        "601633.SH": "长城汽车",
        "605499.SH": "XD东鹏饮",
        "688256.SH": "寒武纪-U",
    }
    told = [from_canonical(code)._replace(name=name) for code, name in names.items()]
    monkeypatch.setattr(name_sources, "registered", {"test": lambda: told})


def test_the_table_of_readings_spells_the_bundled_names_as_their_own_table_does():
    by_hand = {symbol: set(names) for symbol, names in bundled_names() if any(name.isascii() for name in names)}
    chinese = [symbol for symbol in bundled_symbols() if symbol.market == "CN" and not symbol.name.isascii()]
    missed = [str(symbol) for symbol in chinese if not set(pinyin.spell_name(symbol.name)) & by_hand.get(symbol, set())]
    assert len(chinese) > 150
    assert missed == []


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("gzmt", "600519.SH"), ("ldkg", "600606.SH"), ("lvdikonggu", "600606.SH"), ("DongPengYin", "605499.SH"), ("hwj", "688256.SH"),
        ("zheshangyinhang", "601916.SH"), ("ccqc", "601633.SH"),
    ],
)  # fmt: skip
def test_pinyin_of_bundled_and_stored_names(stored, typed, code):
    assert resolve_security(typed).canonical == code


def test_initials_of_several_securities_are_in_doubt(stored):
    with pytest.raises(UsageError) as raised:
        resolve_security("zsyh")
    assert [each.canonical for each in raised.value.params["candidates"]] == ["600036.SH", "601916.SH"]


def test_words_of_a_sentence_are_no_pinyin_of_stored_names(stored):
    assert resolve_security("zsyh", spelled=False).canonical == "600036.SH"
    with pytest.raises(NotFound):
        resolve_security("ldkg", spelled=False)
