"""The simulated market and a folder of files as sources of a whole market."""

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.kernel.errors import ConfigError, NotFound
from ia.organs.market.sources import NET_ENDED, NotDelivered, load_source
from ia.organs.market.sources.cells import CellTally
from ia.organs.market.sources.plausibility import check_quote

DAY = "2024-06-14"


def taken(pages):
    return {quote.symbol: quote for page in pages for quote in page.quotes}


# the simulated market


def at(monkeypatch, day, hour="16:00"):
    monkeypatch.setenv("IA_NOW", f"{day}T{hour}+08:00")


@pytest.mark.process
def test_the_simulated_market_is_plausible_and_says_what_it_is(monkeypatch):
    at(monkeypatch, DAY)
    source = load_source("demo")
    assert source.simulated
    (page,) = source.snapshot(("stock", "etf", "index"))
    assert (page.host, page.time) == ("simulated", f"{DAY}T15:00:00")
    kinds = [quote.kind for quote in page.quotes]
    assert kinds.count("stock") == 31 and kinds.count("etf") == 7 and kinds.count("index") == 5
    tally = CellTally("demo")
    for quote in page.quotes:
        check_quote(quote, quote.name or "", tally)
        assert quote.name and quote.symbol == from_canonical(quote.symbol).canonical
        if quote.kind == "stock":
            assert 2 < quote.pe < 400 and 2 < quote.pe_ttm < 400 and 0.2 < quote.pb < 60
            assert quote.float_cap <= quote.market_cap and quote.industry
            assert 1e8 < quote.market_cap < 1e13
            assert quote.turnover_pct is None or 0.01 < quote.turnover_pct < 30
        else:
            assert (quote.pe, quote.industry) == (None, None)
    assert sum(tally.doubted.values()) == 0


@pytest.mark.soak
@pytest.mark.process
def test_a_simulated_day_does_not_depend_on_later_ones(monkeypatch):
    def told(day):
        at(monkeypatch, day)
        source = load_source("demo")
        return (
            [page.quotes for page in source.snapshot(("stock", "etf", "index"))], source.boards("industry"),
            source.lhb("2024-01-01", DAY), source.northbound("2024-06-01"), source.fundamentals("2023-12-31"), source.fundamentals_of("600519.SH"),
        )  # fmt: skip

    before = told(DAY)
    again = told(DAY)
    assert before == again
    later = told("2025-06-16")
    assert before[0] != later[0]
    assert later[2] == before[2]
    assert later[3][: len(before[3])] == before[3]
    assert [r for r in later[4] if r.published <= DAY] == before[4]
    assert [r for r in later[5] if r.published <= DAY] == before[5]
    assert max(r.published for r in before[5]) <= DAY < max(r.published for r in later[5])


def test_before_the_close_today_is_not_to_be_seen(monkeypatch):
    at(monkeypatch, DAY, "14:59")
    (page,) = load_source("demo").snapshot()
    assert page.time < DAY
    assert all(flow.date < DAY for flow in load_source("demo").northbound("2024-06-01"))
    assert load_source("demo").lhb(DAY, DAY) == []


def test_simulated_figures_agree_with_each_other(monkeypatch):
    at(monkeypatch, DAY)
    source = load_source("demo")
    for report in source.fundamentals_of("002594.SZ"):
        assert report.published > report.period
        assert report.profit / report.revenue * 100 == pytest.approx(report.net_margin_pct, rel=1e-3)
        assert 0 < report.debt_ratio_pct < 100
    reports = {report.period: report for report in source.fundamentals_of("002594.SZ")}
    assert reports["2023-12-31"].profit_yoy_pct == pytest.approx(
        (reports["2023-12-31"].profit / reports["2022-12-31"].profit - 1) * 100, abs=1e-3
    )
    with pytest.raises(NotFound):
        source.fundamentals_of("600004.SH")
    with pytest.raises(NotFound):
        source.members("industry", "nope")
    boards = source.boards("industry") + source.boards("concept")
    assert len({board.board for board in boards}) == len(boards)
    for board in boards:
        members = source.members(board.kind, board.board)
        assert board.leader in members or board.leader is None
        assert board.up + board.down <= len(members)
    days = {}
    for flow in source.northbound("2024-06-01"):
        days.setdefault(flow.date, {})[flow.channel] = flow
    for channels in days.values():
        for column in ("net", "buy", "sell", "turnover", "deals"):
            parts = [getattr(channels[channel], column) for channel in ("shanghai", "shenzhen")]
            assert getattr(channels["north"], column) == pytest.approx(sum(parts), abs=0.02)
        assert channels["north"].buy - channels["north"].sell == pytest.approx(channels["north"].net, abs=0.05)
    net = {bool(flow.net) for flow in source.northbound() if flow.date < NET_ENDED}
    assert net == {True}
    at(monkeypatch, "2025-01-10")
    assert {flow.net for flow in load_source("demo").northbound(NET_ENDED)} == {None}


def test_the_simulated_market_is_the_same_everywhere(monkeypatch):
    at(monkeypatch, DAY)
    quotes = taken(load_source("demo").snapshot())
    maotai = quotes["600519.SH"]
    assert maotai[2:9] == (809.31, 814.39, -5.08, -0.62, 814.69, 814.74, 809.3)
    assert (maotai.volume, maotai.amount, maotai.market_cap) == (2_774_000, 2_252_515_740.0, 1_019_730_600_000.0)
    assert (maotai.pe, maotai.pe_ttm, maotai.pb, maotai.roe_pct) == (39.53, 36.37, 11.04, 6.98)
    report = load_source("demo").fundamentals_of("600519.SH")[0]
    assert (report.period, report.published, report.eps, report.profit) == (
        "2024-03-31", "2024-04-18", 5.1187, 6_449_529_306.28,
    )  # fmt: skip


def test_a_simulated_listing_appears_with_its_first_day(monkeypatch):
    at(monkeypatch, "2018-06-08")
    assert "300750.SZ" not in taken(load_source("demo").snapshot())
    at(monkeypatch, "2018-06-11")
    first = taken(load_source("demo").snapshot())["300750.SZ"]
    assert first.listed == "2018-06-11" and first.traded and first.pe is None


# files


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "bars"
    folder.mkdir()
    monkeypatch.setenv("IA_MARKET_CSV_DIR", str(folder))
    at(monkeypatch, DAY)
    return folder


def bars(folder, name, *lines):
    (folder / name).write_text("date,open,high,low,close,volume\n" + "\n".join(lines) + "\n")


@pytest.mark.parametrize(("cash", "prev_close"), [("0.5", 9.5), ("10", None)])
def test_the_close_before_an_ex_day_is_what_is_left_of_it_if_anything_is(folder, cash, prev_close):
    bars(folder, "600519.csv", "2024-06-13,10,11,9,10,1000", "2024-06-14,9.5,10,9,9.6,2000")
    (folder / "600519.actions.csv").write_text(f"date,cash\n2024-06-14,{cash}\n")
    (page,) = load_source("csv").snapshot()
    assert [(quote.price, quote.prev_close) for quote in page.quotes] == [(9.6, prev_close)]


def test_a_folder_as_a_market(folder):
    bars(folder, "600519.csv", "2024-06-13,10,11,9,10,1000", "2024-06-14,9.5,10,9,9.6,2000", "2024-06-17,1,1,1,1,1")
    (folder / "600519.actions.csv").write_text("date,cash\n2024-06-14,0.5\n")
    bars(folder, "宁德时代.csv", "2024-06-12,10,11,9,10,1000")
    bars(folder, "sz159915.csv", "2024-06-14,1.234,1.240,1.230,1.235,1000")
    bars(folder, "AAPL.csv", "2024-06-14,10,11,9,10,1000")
    bars(folder, "notes.csv", "2024-06-14,10,11,9,10,1000")
    bars(folder, "000858.csv", "2024-06-14,x,11,9,10,1000")
    told = []
    (page,) = load_source("csv").snapshot(notify=lambda message: told.append(str(message)))
    quotes = {quote.symbol: quote for quote in page.quotes}
    assert sorted(quotes) == ["159915.SZ", "300750.SZ", "600519.SH"]
    assert page.time == f"{DAY}T15:00:00" and page.host == str(folder)
    maotai = quotes["600519.SH"]
    assert (maotai.price, maotai.prev_close, maotai.change, maotai.change_pct) == (9.6, 9.5, 0.1, 1.05)
    assert (maotai.pe, maotai.amount, maotai.market_cap, maotai.volume) == (None, None, None, 2000)
    assert not quotes["300750.SZ"].traded and quotes["300750.SZ"].prev_close == 10
    assert quotes["159915.SZ"].kind == "etf"
    assert len(told) == 1 and told[0].startswith("skipped 000858.SZ: ")
    found = {symbol.canonical: (len(b.date), len(a)) for symbol, b, a in load_source("csv").histories()}
    assert found == {"159915.SZ": (1, 0), "300750.SZ": (1, 0), "600519.SH": (2, 1)}


def test_files_tell_no_more(folder):
    source = load_source("csv")
    for call in (
        lambda: source.boards("industry"), lambda: source.members("industry", "x"), lambda: source.fundamentals("2024-03-31"),
        lambda: source.fundamentals_of("600519.SH"), source.northbound, lambda: source.lhb(DAY, DAY),
    ):  # fmt: skip
        with pytest.raises(NotDelivered, match="csv does not provide"):
            call()
    (page,) = source.snapshot()
    assert (page.quotes, page.time) == ([], None)


def test_no_folder(monkeypatch):
    with pytest.raises(ConfigError):
        list(load_source("csv").snapshot())
