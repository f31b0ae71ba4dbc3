"""`ia verify`: what counts as a difference between two sources of the same days."""

import copy
import gzip
import json
import os
import sqlite3

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.kernel.errors import BadData, NotFound, TryLater, Unavailable, UsageError
from ia.organs.market import verify
from ia.organs.market.verify import (
    PriceDifference,
    VerifiedSide,
    VerifySpan,
    compare_bars,
    compare_files,
    compare_steps,
    find_scale_changes,
)
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars
from ia.organs.ohlcv.normalize import normalize_csv
from support.markets.hosts import Hosts, Market

ROWS = [
    ("2024-06-17", 1555.0, 1560.66, 1537.0, 1547.1, 2_345_617),
    ("2024-06-18", 1550.0, 1559.9, 1544.0, 1552.03, 1_884_533),
    ("2024-06-19", 1520.0, 1523.99, 1501.0, 1502.0, 3_517_901),
]


def bars(rows):
    return Bars(*map(list, zip(*rows, strict=True)))


def changed(at, **values):
    names = ("date", "open", "high", "low", "close", "volume")
    rows = [dict(zip(names, row, strict=True)) for row in ROWS]
    rows[at] |= values
    return bars([tuple(row.values()) for row in rows])


def test_the_same_agree():
    assert compare_bars(bars(ROWS), bars(ROWS)) == []


@pytest.mark.parametrize("field", ["open", "high", "low", "close"])
def test_a_price_differs_from_more_than_half_a_tick_on(field):
    value = ROWS[1][("date", "open", "high", "low", "close").index(field)]
    assert compare_bars(bars(ROWS), changed(1, **{field: value + 0.005})) == []
    assert compare_bars(bars(ROWS), changed(1, **{field: value + 0.01})) == [
        PriceDifference(date="2024-06-18", field=field, a=value, b=value + 0.01, difference=0.01)
    ]
    assert compare_bars(bars(ROWS), changed(1, **{field: value + 0.005}), tick=0.001)


def test_a_volume_in_lots_may_be_rounded_by_a_lot_and_one_in_shares_may_not():
    lots = bars([(*row[:5], row[5] // 100 * 100) for row in ROWS])
    assert compare_bars(bars(ROWS), lots) == [] == compare_bars(lots, bars(ROWS))
    off = compare_bars(bars(ROWS), changed(0, volume=ROWS[0][5] + 1))
    assert [(row.field, row.difference) for row in off] == [("volume", 1)]
    assert compare_bars(lots, bars([(*row[:5], row[5] + 200) for row in ROWS]))


def test_a_day_that_one_lacks_differs_unless_nobody_traded():
    assert compare_bars(bars(ROWS), bars(ROWS[:2])) == [
        PriceDifference(date="2024-06-19", field="bar", a=1502.0, b=None, difference=None)
    ]
    assert compare_bars(bars(ROWS[1:]), bars(ROWS)) == [
        PriceDifference(date="2024-06-17", field="bar", a=None, b=1547.1, difference=None)
    ]
    suspended = ("2024-06-19", 1502.0, 1502.0, 1502.0, 1502.0, 0)
    assert compare_bars(bars(ROWS[:2]), bars([*ROWS[:2], suspended])) == []
    assert compare_bars(bars([*ROWS[:2], suspended]), bars([*ROWS[:2], ("2024-06-19", 9.0, 9.0, 9.0, 9.0, 0)])) == []
    assert compare_bars(bars(ROWS), bars([*ROWS[:2], suspended]))  # one says that it traded


def test_factors_agree_within_one_in_ten_thousand():
    ours = [Action("2024-06-19", cash=30.876)]
    exact = 1552.03 / (1552.03 - 30.876)
    assert compare_steps(bars(ROWS), ours, [Action("2024-06-19", factor=exact * 1.00005)], 0.01) == []
    (wrong,) = compare_steps(bars(ROWS), ours, [Action("2024-06-19", factor=exact * 1.0002)], 0.01)
    assert (wrong.date, wrong.field) == ("2024-06-19", "factor")
    assert wrong.difference == pytest.approx(0.0002, rel=0.05)
    (missing,) = compare_steps(bars(ROWS), ours, [], 0.01)
    assert missing.b == 1.0
    (alone,) = compare_steps(bars(ROWS), [], [Action("2024-06-18", factor=1.01)], 0.01)
    assert (alone.date, alone.a, alone.b) == ("2024-06-18", 1.0, 1.01)


def test_an_ex_day_within_a_suspension_counts_on_the_day_that_trades_again():
    assert compare_steps(bars([ROWS[0], ROWS[2]]), [Action("2024-06-18", cash=5)], [Action("2024-06-19", cash=5)], 0.01) == []  # fmt: skip


def test_an_adjusted_series_is_told_by_its_ratios():
    days = [f"2024-03-{day:02d}" for day in range(1, 31)]
    raw = Bars(days, *([[100.0 + at for at in range(30)]] * 4), [100] * 30)
    scale = [0.5] * 10 + [0.8] * 12 + [1.0] * 8
    closes = [close * factor for close, factor in zip(raw.close, scale, strict=True)]
    other = raw._replace(close=closes)
    assert [(day, round(ratio, 6)) for day, ratio in find_scale_changes(raw, other)] == [
        ("2024-03-01", 0.5), ("2024-03-11", 0.8), ("2024-03-23", 1.0),
    ]  # fmt: skip
    assert find_scale_changes(raw, raw) == []
    assert (
        find_scale_changes(raw, raw._replace(close=[x * (1.3 if at % 3 else 1) for at, x in enumerate(raw.close)]))
        == []
    )


def test_files_are_compared_on_the_days_that_both_cover():
    a, b = VerifiedSide("a.csv", bars(ROWS)), VerifiedSide("b.csv", bars(ROWS[1:]))
    done = compare_files(a, b, VerifySpan(), 0.01)
    assert (done.days, done.differences) == (["2024-06-18", "2024-06-19"], [])
    assert compare_files(a, b, VerifySpan(end="2024-06-18"), 0.01).days == ["2024-06-18"]
    with pytest.raises(BadData, match="no dates in common"):
        compare_files(VerifiedSide("a.csv", bars(ROWS[:1])), b, VerifySpan(), 0.01)
    with pytest.raises(BadData, match=r"a\.csv: no bars"):
        compare_files(VerifiedSide("a.csv", Bars([], [], [], [], [], [])), b, VerifySpan(), 0.01)


@pytest.mark.parametrize(
    "hosts", [("eastmoney",), ("sina", "sina"), ("sina", "yahoo"), ("store", "akshare"), ("akshare", "sina"), ()]
)
def test_only_two_different_hosts_are_compared(hosts):
    with pytest.raises(UsageError):
        verify.check_hosts(hosts)


def test_simulated_prices_have_nothing_to_be_verified_against(ws, monkeypatch):
    moutai = from_canonical("600519.SH")
    with pytest.raises(Unavailable, match="simulated"):
        verify.verify_symbol(ws, moutai, ("demo", "store"), VerifySpan())
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    with pytest.raises(Unavailable, match="simulated"):
        verify.verify_symbol(ws, moutai, (), VerifySpan())


def test_what_is_not_stored_agrees_with_nothing(ws):
    with pytest.raises(NotFound, match="no stored data"):
        verify.verify_symbol(
            ws, from_canonical("600519.SH"), ("store", "tencent"), VerifySpan("2024-01-01", "2024-06-30")
        )


def test_two_years_are_compared_where_nothing_is_said(monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-02-29T16:00+08:00")
    assert verify.comparison_span("CN", None, None) == VerifySpan("2022-02-28", "2024-02-29")
    assert verify.comparison_span("CN", None, "2030-01-01").end == "2024-02-29"
    monkeypatch.setenv("IA_NOW", "2024-02-29T10:00+08:00")
    assert verify.comparison_span("CN", "2020-01-01", None) == VerifySpan("2020-01-01", "2024-02-28")


# what sources really sent


def read(path, **kwargs):
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return normalize_csv(data, path.name, **kwargs)


def test_tushare_unadjusted_against_sina_adjusted_shows_the_dividends_of_moutai(shared):
    raw = read(shared / "ashare/tushare_raw_2012_2022/600519.csv")
    qfq = read(shared / "ashare/sina_qfq_2020_2026/600519.csv")
    done = compare_files(VerifiedSide("tushare", raw), VerifiedSide("sina", qfq), VerifySpan(), 0.01)
    assert len(done.days) == 563
    assert [day for day, _ in done.runs][1:] == ["2020-06-24", "2021-06-25"]
    assert not [row for row in done.differences if row.field == "volume"]
    # Sina's own steps, read off the two series, are those that we work out from the dividends
    theirs = [Action(day, factor=ratio / before) for (_, before), (day, ratio) in zip(done.runs, done.runs[1:], strict=False)]  # fmt: skip
    ours = [Action("2020-06-24", cash=17.025), Action("2021-06-25", cash=19.293)]
    common = Bars(*(column[raw.date.index("2020-01-02") :] for column in raw))
    assert compare_steps(common, ours, theirs, 0.01) == []
    wrong = [Action("2020-06-24", cash=17.025), Action("2021-06-25", cash=19.8)]
    assert [row.date for row in compare_steps(common, wrong, theirs, 0.01)] == ["2021-06-25"]


def test_eastmoney_and_baostock_do_not_agree_on_adjusted_prices(shared):
    def of(name, code, column):
        with gzip.open(shared / "ashare" / name, "rt", encoding="utf-8") as file:
            lines = file.read().splitlines()
        at = lines[0].split(",").index(column)
        chosen = [line for line in lines[1:] if line.split(",")[at] == code]
        return normalize_csv("\n".join([lines[0], *chosen]).encode(), name)

    em = of("em_daily_qfq_20210104_20240626.csv.gz", "600276", "股票代码")
    sina = read(shared / "ashare/sina_qfq_2020_2026/600276.csv")
    done = compare_files(VerifiedSide("eastmoney", em), VerifiedSide("sina", sina), VerifySpan(), 0.01)
    assert {row.field for row in done.differences} >= {"close"}
    assert sum(row.field == "volume" for row in done.differences) == 0


@pytest.mark.parametrize("code", ["002594"])
def test_a_splice_of_two_adjustments_is_found(shared, code):
    """Its closes stand in one ratio to an unspliced series before the break, in another behind it."""
    path = shared / f"messy/spliced_adjustment/{code}.csv"
    lines = path.read_text().splitlines()
    text = "\n".join(",".join(line.split(",")[:6]) for line in lines)
    spliced = normalize_csv(text.encode(), path.name, lots=True)
    at = spliced.date.index("2024-07-29")
    mended = [x * (1.0 if i >= at else spliced.close[at] / spliced.close[at - 1]) for i, x in enumerate(spliced.close)]
    other = spliced._replace(close=mended)
    done = compare_files(
        VerifiedSide("spliced", spliced), VerifiedSide("mended", other), VerifySpan(end="2025-07-01"), 0.01
    )
    assert {row.field for row in done.differences} == {"close"}
    assert max(row.date for row in done.differences) == "2024-07-26"
    assert done.runs[-1] == ("2024-07-29", 1.0)


def test_a_file_with_the_amount_as_its_volume_is_found(shared):
    """Newest first, days twice, and `volume` holds yuan; one of 732 closes is not Tushare's either."""
    with gzip.open(shared / "ashare/unadjusted_desc_dup_20190425_20230404.csv.gz", "rt") as file:
        head = file.readline()
        body = "".join(line for line in file if line.startswith("600519,"))
    odd = normalize_csv((head + body).encode(), "odd.csv")
    raw = read(shared / "ashare/tushare_raw_2012_2022/600519.csv")
    done = compare_files(VerifiedSide("tushare", raw), VerifiedSide("odd", odd), VerifySpan(), 0.01)
    assert sum(row.field == "volume" for row in done.differences) == len(done.days) == 732
    assert [row for row in done.differences if row.field != "volume"] == [
        PriceDifference(date="2019-11-15", field="close", a=1224.9, b=1225.01, difference=0.11)
    ]


# hosts: what they send, over the loopback


MOUTAI = from_canonical("600519.SH")
EX = "2024-05-20"
HOSTS = {"eastmoney": "push2his.eastmoney.com", "tencent": "proxy.finance.qq.com", "sina": "klc_kl"}


@pytest.fixture
def hosts(monkeypatch):
    monkeypatch.setenv("IA_NOW", "2024-06-14T16:00+08:00")
    market = Market(symbols=20, start="2024-05-06", days=30, events=0)
    market.act("600519.SH", EX, cash=0.5)
    market.suspend("600519.SH", "2024-05-28", "2024-05-29")
    market.at("2024-06-14")
    with Hosts(market) as server:
        server.use(monkeypatch)
        yield server


@pytest.mark.parametrize("pair", [("eastmoney", "tencent"), ("tencent", "sina"), ("sina", "eastmoney")])
def test_hosts_that_agree(ws, hosts, pair):
    done = verify.verify_symbol(ws, MOUTAI, pair, verify.comparison_span("CN", None, None))
    assert (done.a, done.b, done.differences) == (*pair, [])
    assert len(done.days) == len(hosts.market.bars("600519.SH")) == 27
    assert done.steps == 1, "the ex-day, whose factor is ours and Sina's"


@pytest.mark.parametrize("pair", [("eastmoney", "tencent"), ("eastmoney", "sina")])
def test_one_wrong_value_is_found(ws, hosts, pair):
    span = verify.comparison_span("CN", None, None)
    wrong = hosts.market.bars("600519.SH")[10]
    with Hosts(copy.copy(hosts.market)) as other:
        made = other.market.bars
        other.market.bars = lambda symbol: [
            bar._replace(close=round(bar.close + 0.01, 2), high=round(bar.high + 0.01, 2)) if bar == wrong else bar
            for bar in made(symbol)
        ]
        side = verify._load_side(ws, MOUTAI, pair[0], span)
        os.environ["IA_MARKET_RELAY"] = other.url
        off = verify._load_side(ws, MOUTAI, pair[1], span)
    found = compare_bars(side.bars, off.bars)
    assert {(row.date, row.field, row.difference) for row in found} == {(wrong.date, "high", 0.01), (wrong.date, "close", 0.01)}  # fmt: skip


def test_a_factor_that_is_not_ours_is_found(ws, hosts):
    code = "sh600519"
    hosts.say("hfq.js", f'var {code}hfq={{"total":2,"data":[{{"d":"{EX}","f":"1.2"}},{{"d":"1900-01-01","f":"1.0"}}]}}')
    done = verify.verify_symbol(ws, MOUTAI, ("eastmoney", "tencent"), verify.comparison_span("CN", None, None))
    (row,) = done.differences
    assert (row.date, row.field, row.b) == (EX, "factor", 1.2) and row.a > 1
    assert verify.verify_symbol(ws, MOUTAI, ("eastmoney", "tencent"), verify.comparison_span("CN", None, None), factors=False).differences == []  # fmt: skip


def test_a_factor_file_that_is_code_is_not_run(ws, hosts, tmp_path):
    hosts.say("hfq.js", f"var x=__import__('os').system('touch {tmp_path}/run')")
    with pytest.raises(Unavailable, match="the response has an unexpected format: not JSON"):
        verify.verify_symbol(ws, MOUTAI, ("eastmoney", "tencent"), verify.comparison_span("CN", None, None))
    assert not (tmp_path / "run").exists()


def test_factors_that_do_not_come_hold_back_no_difference(ws, hosts):
    hosts.fail("502", "hfq.js")
    span, told = verify.comparison_span("CN", None, None), []
    with pytest.raises(TryLater):
        verify.verify_symbol(ws, MOUTAI, ("eastmoney", "tencent"), span)
    done = verify.verify_symbol(ws, MOUTAI, ("eastmoney", "tencent"), span, told.append, factors=None)
    assert done.days and done.steps is None
    assert "ia did not compare the adjustment" in str(told[-1])


@pytest.mark.parametrize("down", HOSTS)
def test_a_host_that_is_down_is_passed_over_where_none_was_named_and_told(ws, hosts, down):
    hosts.fail("ban", HOSTS[down])
    told = []
    done = verify.verify_symbol(ws, MOUTAI, (), verify.comparison_span("CN", None, None), told.append, factors=False)
    assert [done.a, done.b] == [name for name in HOSTS if name != down][:2]
    assert bool(told) == (down != "sina") and not done.differences


def test_a_host_that_was_named_and_is_down_is_a_failure(ws, hosts):
    hosts.fail("ban", HOSTS["tencent"])
    with pytest.raises(TryLater, match="qq"):
        verify.verify_symbol(ws, MOUTAI, ("eastmoney", "tencent"), verify.comparison_span("CN", None, None))


def test_what_nobody_has_is_not_there(ws, hosts):
    with pytest.raises(NotFound):
        verify.verify_symbol(ws, from_canonical("301999.SZ"), (), verify.comparison_span("CN", None, None))


def test_the_store_against_a_host(ia, ws, hosts):
    assert ia("sync", "daily", "--symbols", "600519").returncode == 0
    run = ia("verify", "600519", "--hosts", "store,sina")
    assert (run.returncode, run.stdout) == (0, "symbol\tdate\tfield\ta\tb\tdifference\n"), run.stderr
    assert "600519.SH: store and sina agree on 27 days" in run.stderr and "1 ex-dividend date, 0 differ" in run.stderr
    db = sqlite3.connect(ws.root + "/.ia/cache/market.db")
    db.execute("UPDATE daily SET close = close + 1, high = high + 1 WHERE symbol = '600519.SH' AND date = '2024-06-12'")
    db.commit()
    run = ia("verify", "600519", "--hosts", "store,sina", "--jsonl")
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == 1 and [(row["date"], row["field"], row["difference"]) for row in rows] == [
        ("2024-06-12", "high", -1.0), ("2024-06-12", "close", -1.0),
    ]  # fmt: skip


def test_many_symbols_and_statuses(ia, hosts, tmp_path):
    symbols = hosts.market.symbols[:3]
    (tmp_path / "mine.txt").write_text("# mine\n" + "\n".join(symbols) + "\n")
    run = ia("verify", "--universe", "mine.txt", "--hosts", "eastmoney,sina", "--no-adjust", "--json")
    assert (run.returncode, json.loads(run.stdout)) == (0, []), run.stderr
    assert "compared 3: 0 differ, 0 could not be compared" in run.stderr
    assert ia("verify", "301999", "--hosts", "eastmoney,tencent").returncode == 66
    run = ia("verify", symbols[0], "301999", "--hosts", "eastmoney,tencent")
    assert run.returncode == 66 and "compared 1: 0 differ, 1 could not be compared" in run.stderr
    hosts.fail("ban", HOSTS["tencent"])
    run = ia("verify", *symbols, "--hosts", "eastmoney,tencent")
    assert (run.returncode, run.stdout) == (75, "") and "2 more securities not compared" in run.stderr
    assert "agree" not in run.stderr


def test_a_host_that_is_down_is_told_of_once(ws, hosts):
    hosts.fail("ban", HOSTS["eastmoney"])
    told = []
    symbols = [from_canonical(symbol) for symbol in hosts.market.symbols[:4]]
    done, failures = verify.verify_symbols(ws, symbols, (), None, None, factors=False, notify=told.append)
    assert ([(one.a, one.b) for one in done], failures) == ([("tencent", "sina")] * 4, [])
    assert len(told) == 1


def test_a_simulated_workspace_is_told_so_once(ia, tmp_path):
    (tmp_path / "mine.txt").write_text("600519\n300750\n")
    run = ia("verify", "--universe", "mine.txt", env={"IA_MARKET_ADAPTER": "demo"})
    assert (run.returncode, run.stdout) == (69, "") and run.stderr.count("simulated") == 1


def test_two_files_at_the_command_line(ia, tmp_path):
    lines = [
        "date,open,high,low,close,volume",
        "2024-01-15,10.0,10.5,9.5,10.1,100",
        "2024-01-16,10.1,10.6,9.9,10.2,205",
    ]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "b.csv").write_text("\n".join([*lines[:2], lines[2].replace("10.2,", "10.3,")]) + "\n")
    assert ia("verify", "a.csv", "a.csv").returncode == 0
    run = ia("verify", "a.csv", "b.csv")
    assert run.returncode == 1
    assert run.stdout == "symbol\tdate\tfield\ta\tb\tdifference\n\t2024-01-16\tclose\t10.2\t10.3\t0.1\n"
    assert "a.csv and b.csv differ in 1 value on 1 of 2 days, 2024-01-15 to 2024-01-16" in run.stderr
    assert ia("verify", "a.csv", "-", input="\n".join(lines)).returncode == 0
    run = ia("verify", "a.csv", "-", input="\n".join([*lines, "2024-01-17,10.1,10.6,9.9,10.2,205"]))
    assert run.returncode == 0  # beyond the other file
    (tmp_path / "long.csv").write_text("\n".join([*lines, "2024-01-17,10.1,10.6,9.9,10.2,205"]) + "\n")
    run = ia("verify", "long.csv", "-", input="\n".join([lines[0], lines[1], "2024-01-17,10.1,10.6,9.9,10.2,205"]))
    assert run.returncode == 1
    assert "agree on 2 days, 2024-01-15 to 2024-01-17; days only in long.csv: 1" in run.stderr
    for wrong, status in ((("a.csv",), 2), (("a.csv", "c.csv"), 66), (("c.csv", "d.csv"), 66), (("a.csv", "600519"), 2),
                          ((), 2), (("600519", "--tick", "1"), 2), (("a.csv", "b.csv", "--start", "x"), 2)):  # fmt: skip
        run = ia("verify", *wrong)
        assert run.returncode == status and "Traceback" not in run.stderr and run.stdout == "", wrong
    assert "有 1 天" in ia("--lang", "zh", "verify", "a.csv", "b.csv").stderr


def test_a_file_that_is_not_there_is_named(ia, tmp_path):
    (tmp_path / "a.csv").write_text("date,open,high,low,close,volume\n2024-01-15,1,1,1,1,1\n")
    for words in (("a.csv", "b.csv"), ("b.csv", "a.csv"), ("b.csv", "c.csv")):
        run = ia("verify", *words)
        assert run.returncode == 66 and "no such file" in run.stderr, words
