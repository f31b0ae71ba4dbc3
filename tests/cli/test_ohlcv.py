"""ia ohlcv and ia where, on the simulated market and on files."""

import csv
import io
import itertools
import json
from datetime import date

import pytest

MOUTAI = ("ohlcv", "600519", "--adapter", "demo")


def rows(run):
    assert run.returncode == 0, run.stderr
    return list(csv.DictReader(io.StringIO(run.stdout)))


def test_canonical_csv_and_the_warning_that_it_is_simulated(ia):
    run = ia(*MOUTAI)
    assert run.stdout.startswith("date,open,high,low,close,volume\n2015-01-0")
    assert run.stderr == "ia: simulated prices: the demo market generates 600519.SH\n"
    days = [row["date"] for row in rows(run)]
    assert days == sorted(set(days))
    assert len(days) > 2000


def test_a_cached_read_is_the_same_bytes(ia, home):
    first, second = ia(*MOUTAI), ia(*MOUTAI)
    assert first.stdout == second.stdout
    fetches = json.loads(ia("log", "--kind", "ohlcv.fetch", "--json").stdout)
    assert len(fetches) == 1
    (home / ".ia" / "cache" / "market.db").unlink()
    assert ia(*MOUTAI).stdout == first.stdout


def test_names_codes_and_spellings_mean_the_same(ia):
    expected = ia(*MOUTAI).stdout
    for spelling in ("贵州茅台", "sh600519", "600519.SH", "600519.ss", "SH600519"):
        assert ia("ohlcv", spelling, "--adapter", "demo").stdout == expected, spelling


def test_on_doubt_it_stops_and_lists(ia):
    run = ia("ohlcv", "平安", "--adapter", "demo")
    assert (run.returncode, run.stdout) == (2, "")
    assert "000001.SZ" in run.stderr and "601318.SH" in run.stderr


def test_start_and_end_only_cut(ia):
    whole = {row["date"]: row for row in rows(ia(*MOUTAI))}
    part = rows(ia(*MOUTAI, "--start", "2020-01-01", "--end", "2020-12-31"))
    assert 200 < len(part) < 260
    assert all(whole[row["date"]] == row for row in part)
    empty = ia(*MOUTAI, "--start", "1990-01-01", "--end", "1990-12-31")
    assert (empty.returncode, empty.stdout) == (0, "date,open,high,low,close,volume\n")


def test_weekly_and_monthly_hold_the_daily_ones(ia):
    daily = rows(ia(*MOUTAI, "--start", "2021-01-01", "--end", "2021-12-31"))
    weekly = rows(ia(*MOUTAI, "--period", "weekly", "--start", "2021-01-04", "--end", "2021-12-31"))
    monthly = rows(ia(*MOUTAI, "--period", "monthly", "--start", "2021-01-01", "--end", "2021-12-31"))
    assert len(monthly) == 12
    assert sum(int(row["volume"]) for row in monthly) == sum(int(row["volume"]) for row in daily)
    weeks = {date.fromisoformat(row["date"]).isocalendar()[:2] for row in daily}
    assert len(weekly) in (len(weeks), len(weeks) - 1)
    assert {row["date"] for row in weekly} <= {row["date"] for row in daily}


@pytest.mark.parametrize("adjust", ["qfq", "hfq", "none"])
@pytest.mark.parametrize("now", ["2019-06-28T14:59+08:00", "2019-06-28T15:00+08:00", "2021-07-01T12:00+08:00"])
def test_nothing_after_now_and_factors_of_then(ia, now, adjust):
    """What was visible then does not depend on what was fetched since: neither bars nor later dividends."""
    late = ia("--now", now, *MOUTAI, "--adjust", adjust)
    assert rows(late)[-1]["date"] <= now[:10]
    if "T14:59" in now:
        assert rows(late)[-1]["date"] < now[:10]
    ia(*MOUTAI)  # the whole history is in the cache now
    assert ia("--now", now, *MOUTAI, "--adjust", adjust).stdout == late.stdout


def test_qfq_ends_and_hfq_begins_at_the_raw_price(ia):
    raw, qfq, hfq = (rows(ia(*MOUTAI, "--adjust", how)) for how in ("none", "qfq", "hfq"))
    assert qfq[-1] == raw[-1]
    assert hfq[0] == raw[0]
    assert qfq[0]["close"] != raw[0]["close"]
    returns = [[float(b["close"]) / float(a["close"]) for a, b in itertools.pairwise(series)] for series in (qfq, hfq)]
    assert returns[0] == pytest.approx(returns[1], rel=1e-8)
    assert all(float(row["low"]) > 0 for row in qfq)


def test_where_knows_its_bytes_and_only_them(ia, tmp_path):
    out = ia(*MOUTAI, "--adjust", "hfq").stdout
    (tmp_path / "a.csv").write_text(out)
    known = json.loads(ia("where", "a.csv", "--json").stdout)
    assert (known["symbol"], known["adapter"], known["adjust"], known["simulated"]) == (
        "600519.SH",
        "demo",
        "hfq",
        True,
    )
    assert known["rows"] == len(out.splitlines()) - 1
    assert ia("where", input=out).returncode == 0
    (tmp_path / "a.csv").write_text(out.replace("\n", "\r\n"))
    run = ia("where", "a.csv")
    assert (run.returncode, run.stdout) == (1, "")


def test_a_chain_falls_back_and_says_so(ia, tmp_path):
    (tmp_path / "prices").mkdir()
    run = ia("ohlcv", "600519", "--adapter", "csv,demo", env={"IA_MARKET_CSV_DIR": str(tmp_path / "prices")})
    assert run.returncode == 0
    assert "trying demo" in run.stderr and "simulated" in run.stderr


def test_csv_files_are_read_anew_each_time(ia, tmp_path):
    (tmp_path / "prices").mkdir()
    file = tmp_path / "prices" / "600519.csv"
    env = {"IA_MARKET_CSV_DIR": str(tmp_path / "prices"), "IA_MARKET_ADAPTER": "csv"}
    file.write_text(
        "日期,开盘,收盘,最高,最低,成交量\n2024-01-02,10,11,12,9,100\n2024-01-03,11,12,13,10,100\n", encoding="gbk"
    )
    assert (
        ia("ohlcv", "600519", "--adjust", "none", env=env)
        .stdout.splitlines()[-1]
        .startswith("2024-01-03,11.0,13.0,10.0,12.0,")
    )
    file.write_text("date,open,high,low,close,volume\n2024-01-04,1,2,1,2,5\n")
    assert ia("ohlcv", "600519", "--adjust", "none", env=env).stdout.splitlines()[1:] == [
        "2024-01-04,1.0,2.0,1.0,2.0,5"
    ]


def test_stale_is_served_only_on_request_and_says_its_age(ia):
    assert ia(*MOUTAI, "--stale").returncode == 66
    ia(*MOUTAI)
    run = ia(*MOUTAI, "--stale")
    assert run.returncode == 0
    assert "stored copy" in run.stderr


def test_normalizer_on_stdin(ia):
    text = "日期,股票代码,开盘,收盘,最高,最低,成交量,成交额,换手率\n2024/1/3,600519,1690,1694,1695.2,1678,20224,3411400700,0.16\n2024/1/2,600519,1715,1685.01,1718.19,1678.1,32156,5440082500,0.26\n"
    run = ia("ohlcv", "-", input=text.encode("gbk"), binary=True)
    assert run.returncode == 0
    assert run.stdout.decode().splitlines() == [
        "date,open,high,low,close,volume",
        "2024-01-02,1715.0,1718.19,1678.1,1685.01,3215600",
        "2024-01-03,1690.0,1695.2,1678.0,1694.0,2022400",
    ]


def test_options_that_need_a_symbol(ia):
    assert ia("ohlcv", "-", "--adapter", "demo", input="x").returncode == 2
    assert ia("ohlcv", "600519", "--lots").returncode == 2


def test_a_broken_cache_is_kept_and_rebuilt(ia, home):
    expected = ia(*MOUTAI).stdout
    for file in (home / ".ia" / "cache").glob("market.db*"):
        file.unlink()
    (home / ".ia" / "cache" / "market.db").write_bytes(b"this is no database" * 100)
    again = ia(*MOUTAI)
    assert again.stdout == expected
    assert "market.db.damaged-1" in again.stderr


def test_the_running_session_is_hidden_in_pipes_too(ia):
    text = ia(*MOUTAI, "--adjust", "none").stdout
    before = ia("--now", "2024-01-10T14:59+08:00", "ohlcv", "-", input=text).stdout.splitlines()[-1]
    after = ia("--now", "2024-01-10T15:00+08:00", "ohlcv", "-", input=text).stdout.splitlines()[-1]
    assert before < "2024-01-10" <= after
    minutes = "date,open,high,low,close,volume\n2024-01-10T09:59:00,1,1,1,1,1\n2024-01-10T10:01:00,1,1,1,1,1\n"
    assert ia("--now", "2024-01-10T10:00+08:00", "ohlcv", "-", input=minutes).stdout.splitlines()[1:] == [
        "2024-01-10T09:59:00,1.0,1.0,1.0,1.0,1"
    ]


def test_an_empty_range_says_what_there_is(ia):
    run = ia(*MOUTAI, "--end", "1990-01-01")
    assert (run.returncode, run.stdout) == (0, "date,open,high,low,close,volume\n")
    assert "available: 2015-01-0" in run.stderr
    assert ia(*MOUTAI, "--start", "2024-02-01", "--end", "2024-01-01").returncode == 2


def test_a_file_is_no_symbol_and_no_symbol_is_none(ia, tmp_path):
    (tmp_path / "a.csv").write_text("x")
    assert "`ia ohlcv - < a.csv`" in ia("ohlcv", "a.csv").stderr
    assert ia("ohlcv", "").returncode == 2


def test_the_log_finds_a_symbol(ia):
    ia(*MOUTAI)
    kinds = {row["kind"] for row in json.loads(ia("log", "--subject", "600519.SH", "--json").stdout)}
    assert kinds == {"ohlcv.fetch", "ohlcv.out"}
