"""The same text always means the same security, or the command stops and says what it could mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ia.domain.instruments import symbols
from ia.domain.instruments.symbols import Symbol, bundled_symbols, from_canonical, resolve_security
from ia.kernel.errors import IaError, NotFound, UsageError
from support.random_tests import examples


@pytest.mark.parametrize(
    "text, canonical",
    [
        *((text, "600519.SH") for text in ("600519", "sh600519", "SH600519", "600519.SH", "600519.SS", "sh.600519",
                                           "600519.xshg", " 600519 ", "６００５１９", "贵州茅台", "茅台", "Kweichow Moutai")),
        *((text, "000001.SZ") for text in ("sz000001", "000001.SZ", "000001.XSHE", "平安银行")),
        *((text, "000001.SH") for text in ("sh000001", "000001.SS", "上证指数", "上证综指")),
        *((text, "00700.HK") for text in ("00700.HK", "hk00700", "700.HK", "0700.hk", "00700", "HK700", "腾讯", "腾讯控股")),
        *((text, "AAPL.US") for text in ("AAPL", "aapl", "AAPL.US", "aapl.us", "Apple", "apple", "苹果")),
        *((text, "BRK.B.US") for text in ("BRK.B", "brk.b", "BRK-B", "brk-b.us")),
        ("SPY", "SPY.US"),
        ("V", "V.US"),
        ("宁德时代", "300750.SZ"),
        ("五 粮 液", "000858.SZ"),
        ("万  科Ａ", "000002.SZ"),
        ("比亚迪", "002594.SZ"),
        ("比亚迪股份", "01211.HK"),
        ("^GSPC", "SPX.US"),
        ("恒生指数", "HSI.HK"),
        ("hsi.hk", "HSI.HK"),
        ("HSTECH", "HSTECH.HK"),
    ],
)  # fmt: skip
def test_one_security(text, canonical):
    assert resolve_security(text).canonical == canonical


@pytest.mark.parametrize(
    "text, canonical, kind",
    [
        ("601000", "601000.SH", "stock"), ("688001", "688001.SH", "stock"), ("900901", "900901.SH", "stock"),
        ("000408", "000408.SZ", "stock"), ("301269", "301269.SZ", "stock"), ("430047", "430047.BJ", "stock"),
        ("832000", "832000.BJ", "stock"), ("920001", "920001.BJ", "stock"), ("511880", "511880.SH", "etf"),
        ("561990", "561990.SH", "etf"), ("159001", "159001.SZ", "etf"), ("161725", "161725.SZ", "etf"),
        ("399300", "399300.SZ", "index"), ("000300.SH", "000300.SH", "index"), ("sh000922", "000922.SH", "index"),
        ("ABCDE", "ABCDE.US", "stock"), ("06060.HK", "06060.HK", "stock"),
    ],
)  # fmt: skip
def test_codes_outside_the_table_follow_the_prefixes_of_the_exchanges(text, canonical, kind):
    symbol = resolve_security(text)
    assert (symbol.canonical, symbol.kind) == (canonical, kind)


@pytest.mark.parametrize("text", ["nope", "opec", "utai", "hinamerchants", "000", "an of ningbo"])
def test_the_middle_of_a_latin_word_is_no_candidate(text):
    with pytest.raises((NotFound, UsageError)) as caught:
        resolve_security(text)
    assert "is ambiguous: " not in str(caught.value)


@pytest.mark.parametrize(
    "text, candidate",
    [("bank of", "002142.SZ"), ("Citic", "600030.SH"), ("of ning", "002142.SZ"), ("an b", "000001.SZ")],
)
def test_the_beginning_of_any_latin_word_is_one(text, candidate):
    with pytest.raises((NotFound, UsageError)) as caught:
        resolve_security(text)
    assert candidate in " ".join(map(str, caught.value.params.values()))


@pytest.mark.parametrize(
    "text, candidates",
    [
        ("000001", ["000001.SZ 平安银行", "000001.SH 上证指数"]),
        ("000905", ["000905.SZ", "000905.SH 中证500"]),
        ("平安", ["000001.SZ 平安银行", "601318.SH 中国平安"]),
        ("银行", ["600036.SH 招商银行", ", …"]),
        ("NDSD", ["300750.SZ 宁德时代", "NDSD.US"]),
        ("zgyh", ["601988.SH 中国银行", "601881.SH 中国银河"]),
        ("60051", ["600519.SH 贵州茅台", "60051.HK"]),
        ("30075", ["300750.SZ 宁德时代", "30075.HK"]),
    ],
)
def test_on_doubt_it_stops_and_lists(text, candidates):
    with pytest.raises(UsageError) as caught:
        resolve_security(text)
    for candidate in candidates:
        assert candidate in str(caught.value)


NICKNAMES = [
    ("CATL", "300750.SZ"), ("catl", "300750.SZ"), ("CATL.US", "CATL.US"), ("BYD", "002594.SZ"), ("byd", "002594.SZ"),
    ("ICBC", "601398.SH"), ("HSI", "HSI.HK"), ("maotai", "600519.SH"), ("Moutai", "600519.SH"), ("MOUTAI", "600519.SH"),
    ("gzmt", "600519.SH"), ("ndsd", "300750.SZ"), ("ｎｄｓｄ", "300750.SZ"), ("ningdeshidai", "300750.SZ"),
    ("Ningde Shidai", "300750.SZ"), ("biyadi", "002594.SZ"), ("guizhou maotai", "600519.SH"), ("tengxun", "00700.HK"),
    ("hs300", "000300.SH"), ("google", "GOOGL.US"), ("谷歌", "GOOGL.US"), ("zgpa", "601318.SH"), ("80700", "80700.HK"),
    ("wuliangye", "000858.SZ"), ("wly", "000858.SZ"), ("meidi", "000333.SZ"), ("３００７５０", "300750.SZ"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code"), NICKNAMES)
def test_nicknames_and_pinyin_mean_one_security(text, code):
    assert resolve_security(text).canonical == code


@pytest.mark.parametrize(("text", "code"), NICKNAMES)
def test_a_message_calls_securities_the_same(text, code):
    from ia.agent.analyst.ask.mentions import find_mentions

    if not text.isdigit():
        assert [mention.code for mention in find_mentions(f"how is {text} doing?")] == [code]


def test_a_message_and_a_command_understand_each_name_of_the_table_alike():
    from ia.agent.analyst.ask.mentions import find_mentions

    for _, names in symbols.bundled_names():
        for name in names:
            try:
                code = [resolve_security(name).canonical]
            except IaError:
                code = []
            assert [mention.code for mention in find_mentions(f"how is {name} doing?")] == code, name


@pytest.mark.parametrize("text", ["60059", "31234", "51234"])
def test_five_digits_that_are_no_share_of_hong_kong_are_not_guessed(text):
    with pytest.raises(UsageError):
        resolve_security(text)


@pytest.mark.parametrize("word", ["watch", "held"])
def test_the_name_of_a_list_is_no_security(word):
    with pytest.raises(NotFound) as caught:
        resolve_security(word)
    assert "--universe" in caught.value.hint


@pytest.mark.parametrize(
    "text, code",
    [("CATL", "300750.SZ"), ("catl", "300750.SZ"), ("ICBC", "601398.SH"), ("HSI", "HSI.HK"), ("Apple", "AAPL.US")],
)
def test_letters_that_name_a_security_are_no_unknown_ticker(text, code):
    assert resolve_security(text).canonical == code


@pytest.mark.parametrize(
    "text, hint",
    [
        ("600519.SZ", "600519.SH 贵州茅台"), ("sz600519", "600519.SH"), ("300750.SH", "300750.SZ 宁德时代"),
        ("贵州茅苔", "贵州茅台"), ("贵州", "600519.SH"), ("appl", "AAPL.US"),
    ],
)  # fmt: skip
def test_what_does_not_exist_says_what_is_near(text, hint):
    with pytest.raises(NotFound) as caught:
        resolve_security(text)
    assert hint in identity_hint(caught.value)


@pytest.mark.parametrize(
    "text", ["999999", "143456", "019000.SH", "不存在的公司", "600519.XX", "123456.HK", "AAPL.HK", "ABCDEFG.US", "a/b"]
)
def test_unknown(text):
    with pytest.raises(NotFound):
        resolve_security(text)


@pytest.mark.parametrize("text", ["", "  ", "700", "1", "\x1b[2J600519", "6" * 100])
def test_no_symbol_at_all(text):
    with pytest.raises(UsageError):
        resolve_security(text)


@pytest.mark.process
@examples(400)
@given(
    st.one_of(
        st.text(max_size=70), st.from_regex(r"(?i)(sh|sz|bj|hk)?\.?[0-9]{1,7}(\.(sh|sz|ss|hk|us|xx))?", fullmatch=True)
    )
)
def test_any_text_is_a_security_or_an_error_that_can_be_shown(text):
    try:
        symbol = resolve_security(text)
    except IaError as error:
        assert error.status in (2, 66)
        assert "\n" not in str(error)
        identity_hint(error)
    else:
        assert resolve_security(symbol.canonical) == symbol
        assert symbol.market == symbols.MARKET[symbol.exchange]


def identity_hint(error):
    return (error.hint or "").format_map(error.params)


def test_a_name_that_a_source_told_resolves_too():
    learned = [Symbol("301269", "CN", "SZ", "stock", "华大九天")]
    assert resolve_security("华大九天", learned).canonical == "301269.SZ"
    assert resolve_security("301269", learned).name == "华大九天"
    with pytest.raises(NotFound):
        resolve_security("华大九天")


def test_a_learnt_name_never_overrides_the_table_and_two_of_one_name_stop():
    assert resolve_security("贵州茅台", [Symbol("300001", "CN", "SZ", "stock", "贵州茅台")]).canonical == "600519.SH"
    twins = [Symbol("AAA", "US", "US", "stock", "同名公司"), Symbol("BBB", "US", "US", "stock", "同名公司")]
    with pytest.raises(UsageError):
        resolve_security("同名公司", twins)


def test_the_mainland_listing_of_a_company_that_is_listed_in_hong_kong_too():
    twins = [Symbol("06031", "HK", "HK", "stock", "某重工"), Symbol("600777", "CN", "SH", "stock", "某重工")]
    assert resolve_security("某重工", twins).canonical == "600777.SH"


def test_every_row_of_the_table_resolves_by_code_and_by_name_to_itself():
    for symbol in bundled_symbols():
        assert resolve_security(symbol.canonical) == symbol
        assert from_canonical(symbol.canonical) == symbol
        assert resolve_security(symbol.name) == symbol


def test_an_english_name_is_found_by_its_canonical_code():
    names = symbols.english_names()
    assert names["600519.SH"] == "Kweichow Moutai"
    assert "" not in names.values()


def test_what_two_companies_are_called_is_asked_back():
    for text in ("pingan", "平安"):
        with pytest.raises(symbols.AmbiguousName) as caught:
            resolve_security(text)
        assert "000001.SZ" in str(caught.value) and "601318.SH" in str(caught.value)


def test_no_name_in_the_table_is_ambiguous():
    seen = {}
    for symbol, keys in symbols._folded_names():
        for key in keys:
            assert seen.setdefault(key, symbol) == symbol, key
        assert symbol.market == symbols.MARKET[symbol.exchange]


@pytest.mark.parametrize(
    "text", ["{0}", "{text}", "%s", "'; DROP", "${HOME}", "☃" * 30, "-", ".", "..", "SH", "sh.", ".SH", "HK."]
)
def test_odd_text_is_an_error_and_no_traceback(text):
    with pytest.raises(IaError) as caught:
        resolve_security(text)
        raise UsageError("a ticker of New York")  # `SH` is one
    assert caught.value.status in (2, 66)
    identity_hint(caught.value)


def test_what_can_be_bought_is_no_index():
    """`000001` is a bank and an index: in doubt for prices, not for a trade. An index alone stays one."""
    with pytest.raises(UsageError):
        resolve_security("000001")
    assert resolve_security("000001", traded=True).canonical == "000001.SZ"
    assert resolve_security("000905", traded=True).canonical == "000905.SZ"
    assert resolve_security("000300", traded=True).kind == "index"


@pytest.mark.parametrize(
    ("text", "code", "kind"),
    [
        ("113050", "113050.SH", "bond"), ("sz127045", "127045.SZ", "bond"), ("118001.SH", "118001.SH", "bond"),
        ("204001", "204001.SH", "repo"), ("131810", "131810.SZ", "repo"), ("787123", "787123.SH", "issue"),
        ("072113", "072113.SZ", "issue"), ("889001", "889001.BJ", "issue"), ("03067.HK", "03067.HK", "etf"),
        ("82828", "82828.HK", "etf"), ("07226", "07226.HK", "etf"), ("9618.HK", "09618.HK", "stock"),
        ("508000", "508000.SH", "etf"), ("180101", "180101.SZ", "etf"), ("900901", "900901.SH", "stock"),
    ],
)  # fmt: skip
def test_kinds_by_the_prefixes_of_the_exchanges(text, code, kind):
    found = resolve_security(text)
    assert (found.canonical, found.kind) == (code, kind)
