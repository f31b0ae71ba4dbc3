"""Main lines: planted ones are found, days without any show none more often than they may."""

import contextlib
import csv
import gzip
import random
from itertools import combinations
from pathlib import Path
from statistics import fmean

import pytest

from ia.agent.turns.main_line_note import format_main_lines, save_main_lines
from ia.organs import marketdb, sessions
from ia.organs.market import market_reader, store
from ia.organs.market.change_history import ChangeHistory
from ia.organs.market.day_summary import TradedStock, symbols_at_limit
from ia.organs.market.main_lines import LEVEL, META, find_mainlines, judge_groups, prepare_mainlines
from ia.organs.market.significance import adjust_p_values, expected_count, tail_probability
from ia.organs.memory import change_rules
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.canonical import Bars
from ia.organs.recall.search import recall_notes
from support.markets.stored_quotes import fill, quote

DAY = "2024-03-15"
BOARDS = ("main",) * 12 + ("chinext",) * 5 + ("star",) * 2 + ("bse",)
SWING = {"main": 1.8, "chinext": 2.8, "star": 3.0, "bse": 3.5}


def market(rng, size=1200, *, restless=False, planted=()):
    """Stocks of a day and how restless they are, drawn without any group in mind; `planted`: (concept, members, lift in per cent).

    Concepts hang together (a stock of one is often in its neighbor), and follow restlessness and board, as they do.
    """
    rows, swings = [], {}
    factor = rng.gauss(0, 1)
    for n in range(size):
        board = BOARDS[n % len(BOARDS)]
        symbol = f"{n:06d}.SH"
        swing = SWING[board] * (rng.choice((0.5, 1.0, 2.0)) if restless else 1)
        names = {f"概念{(n * 7 + k * k) % 90}" for k in range(rng.randint(0, 5))}
        names |= {"高波动题材"} if swing > 3.5 and rng.random() < 0.7 else set()
        names |= {"创业题材"} if board == "chinext" and rng.random() < 0.5 else set()
        names |= {"融资融券"} if rng.random() < 0.5 else set()
        names |= {"大市概念"} if rng.random() < 0.4 else set()
        lift = 0.0
        for name, members, height in planted:
            if n in members:
                names.add(name)
                lift += height
        change = max(-30.0, factor + lift + swing * rng.gauss(0, 1))
        swings[symbol] = fmean(abs(swing * rng.gauss(0, 1)) for _ in range(20))
        rows.append(
            TradedStock(symbol=symbol, name=f"股{n}", price=10.0, prev_close=10.0, change_pct=round(change, 2), amount=1e7, cap=1e10, industry=f"行业{n * 13 % 45}", concepts=";".join(sorted(names)),
                  listed="2010-01-04", board=board, st=False)
        )  # fmt: skip
    return rows, swings


def names(found):
    return [group.name for group, _, _ in found.lines]


# chance


def by_enumeration(size, drawn, members, observed):
    draws = list(combinations(range(size), drawn))
    return sum(sum(each < members for each in draw) >= observed for draw in draws) / len(draws)


@pytest.mark.parametrize("case", [(9, 4, 3, 2), (8, 5, 6, 4), (10, 3, 2, 1), (7, 7, 3, 3), (6, 2, 2, 2)])
def test_the_tail_is_what_counting_all_draws_gives(case):
    size, drawn, members, observed = case
    assert tail_probability([(size, drawn, members)], observed) == pytest.approx(by_enumeration(*case))


def test_strata_are_drawn_apart():
    strata = [(8, 3, 4), (6, 2, 2)]
    first, second = list(combinations(range(8), 3)), list(combinations(range(6), 2))
    sums = [sum(x < 4 for x in a) + sum(x < 2 for x in b) for a in first for b in second]
    for observed in range(7):
        assert tail_probability(strata, observed) == pytest.approx(sum(each >= observed for each in sums) / len(sums))
    assert expected_count(strata) == pytest.approx(sum(sums) / len(sums))


def test_benjamini_hochberg_against_its_definition():
    rng = random.Random(5)
    for _ in range(200):
        chances = sorted(rng.random() ** 3 for _ in range(12))
        for level in (0.01, 0.05, 0.2):
            passing = max((k for k, p in enumerate(chances, 1) if p <= level * k / 12), default=0)
            assert sum(value <= level for value in adjust_p_values(chances, 12)) == passing


# planted


def test_a_planted_line_is_found_with_its_leaders(ws):
    rng = random.Random(1)
    members = set(rng.sample(range(1200), 24))
    found = judge_groups(*market(rng, planted=[("低空经济", members, 6.0)]))
    assert names(found)[0] == "低空经济"
    group, value, _ = found.lines[0]
    assert value <= LEVEL
    assert len(group.hits) > 5 * group.expected
    assert all(int(symbol[:6]) in members for symbol in group.hits)


@pytest.mark.process
@pytest.mark.parametrize("markets", [30, pytest.param(60, marks=pytest.mark.soak)])
def test_planted_lines_are_found_in_nearly_every_market_and_nothing_else_is(markets):
    missed = others = 0
    for seed in range(markets):
        rng = random.Random(seed)
        members = set(rng.sample(range(1200), rng.choice((10, 25, 60))))
        told = names(judge_groups(*market(rng, restless=True, planted=[("主题", members, 7.0)])))
        missed += "主题" not in told
        others += bool(set(told) - {"主题"})
    assert missed <= markets / 30
    assert others <= markets / 30


def test_a_small_group_does_not_win_by_luck_and_a_huge_one_not_by_size():
    rng = random.Random(3)
    rows, swings = market(rng)
    best = sorted(rows, key=lambda row: -row.change_pct)[:50]
    pair = {row.symbol for row in best[:2]}
    huge = {row.symbol for row in rows if rng.random() < 0.24}
    rows = [
        row._replace(
            concepts=";".join(
                filter(None, [row.concepts, "两只" * (row.symbol in pair), "巨大" * (row.symbol in huge)])
            )
        )
        for row in rows
    ]
    assert not {"两只", "巨大"} & set(names(judge_groups(rows, swings, level=0.05)))


@pytest.mark.soak
@pytest.mark.process
@pytest.mark.parametrize("count", [40, pytest.param(200, marks=pytest.mark.soak)])
@pytest.mark.parametrize("restless", [False, True], ids=["alike", "restless"])
def test_days_without_a_line_show_one_no_more_often_than_they_may(restless, count):
    days = [judge_groups(*market(random.Random(1000 + day), restless=restless), level=0.1) for day in range(count)]
    smallest = [min((value for _, value, _ in day.lines), default=1.0) for day in days]
    for level in (0.1, 0.05, 0.01):
        assert sum(value <= level for value in smallest) <= count * level, level


@pytest.mark.soak
@pytest.mark.process
def test_without_strata_restless_groups_would_show_lines_every_other_day():
    """What the strata are for: the same days, judged as if all stocks were alike."""
    false = 0
    for day in range(40):
        rows, _ = market(random.Random(1000 + day), restless=True)
        false += bool(judge_groups([row._replace(board="main") for row in rows], {}).lines)
    assert false > 10


def real_days(labels, days, changes, level):
    """Return how many of the days of a real market show a line, if stocks have these industries."""
    false = 0
    for at in range(20, len(days), 5):
        moves = {}
        for day in days[at - 20 : at]:
            for symbol, change in changes[day].items():
                moves.setdefault(symbol, []).append(abs(change))
        swings = {symbol: fmean(sizes) if len(sizes) >= 5 else None for symbol, sizes in moves.items()}
        rows = [
            TradedStock(
                symbol=symbol,
                name="",
                price=1.0,
                prev_close=1.0,
                change_pct=change,
                amount=1.0,
                cap=1.0,
                industry=labels.get(symbol),
                concepts=None,
                listed=None,
                board=board,
                st=False,
            )
            for symbol, change in changes[days[at]].items()
            if abs(change) < 31
            for board in ["star" if symbol[:3] == "688" else "chinext" if symbol[0] == "3" else "main"]
        ]
        false += bool(judge_groups(rows, swings, top=20, level=level).lines)
    return false


@pytest.mark.soak
def test_of_a_real_market_industries_lead_and_shuffled_ones_do_not(shared):
    """246 stocks, 2021 to 2024: moves that hang together as they do, under the true names and under drawn ones."""
    with open(shared / "ashare" / "stock_basic_2024.csv", encoding="utf-8-sig") as file:
        industry = {row["code"]: row["行业"] for row in csv.DictReader(file)}
    changes = {}
    with gzip.open(shared / "ashare" / "em_daily_qfq_20210104_20240626.csv.gz", "rt", encoding="utf-8-sig") as file:
        for row in csv.DictReader(file):
            with contextlib.suppress(ValueError):
                changes.setdefault(row["日期"], {})[row["股票代码"].zfill(6)] = float(row["涨跌幅"])
    days, symbols = sorted(changes), sorted({symbol for day in changes.values() for symbol in day})
    looked_at = len(range(20, len(days), 5))
    assert real_days(industry, days, changes, 0.05) > 0.1 * looked_at
    drawn = [industry.get(symbol) for symbol in symbols]
    random.Random(2).shuffle(drawn)
    assert real_days(dict(zip(symbols, drawn, strict=True)), days, changes, 0.05) <= 0.05 * looked_at


def test_concepts_that_say_nothing_of_a_business_are_left_out():
    for name in ("融资融券", "沪股通", "深股通", "标准普尔", "MSCI中国", "富时罗素", "昨日涨停_含一字", "基金重仓", "HS300_", "上证180_",
                 "中证500", "深成500", "创业板综", "预盈预增", "次新股", "微盘股", "百元股", "AH股", "2023年报预增"):  # fmt: skip
        assert META.search(name), name
    for name in ("白酒", "低空经济", "人工智能", "华为概念", "锂电池", "光伏", "房地产", "中字头", "3D打印", "5G概念", "国产芯片", "养老概念", "新能源车",
                 "6G概念", "军工", "第三代半导体", "证券", "多元金融"):  # fmt: skip
        assert not META.search(name), name
    rng = random.Random(4)
    members = set(rng.sample(range(1200), 30))
    told = judge_groups(*market(rng, planted=[("昨日涨停", members, 8.0), ("融资融券", members, 0.0)]))
    assert not {"昨日涨停", "融资融券", "大市概念"} & set(names(told))


def test_nearly_the_same_groups_are_told_as_one():
    rng = random.Random(6)
    members = set(rng.sample(range(1200), 30))
    twin = set(sorted(members)[1:])
    found = judge_groups(*market(rng, planted=[("飞行汽车", members, 6.0), ("低空经济", twin, 0.0)]))
    ours = [line for line in found.lines if {"飞行汽车", "低空经济"} & {line[0].name, *line[2]}]
    assert len(ours) == 1
    assert {ours[0][0].name, *ours[0][2]} >= {"飞行汽车", "低空经济"}


# from the store


def stored(ws, monkeypatch, *, days=22, planted=True):
    """Days of a market of 300 with one concept that leads on the last day, and led on the four before."""
    monkeypatch.setenv("IA_NOW", f"{DAY}T16:00:00+08:00")
    rng = random.Random(7)
    dates = [*[f"2024-02-{day:02d}" for day in range(5, 25)][: days - 1], DAY]
    theme = set(rng.sample(range(300), 12))
    told = {}
    for at, date in enumerate(dates):
        told[date] = [
            quote(
                f"60{n:04d}.SH", f"股{n}", round(rng.gauss(0, 1.5) + (planted and n in theme and at >= len(dates) - 5) * 6, 2),
                industry=f"行业{n % 20}", concepts="低空经济;融资融券" if n in theme else "融资融券", amount=1e6 * (n * 37 % 300 + 1),
            )
            for n in range(300)
        ]  # fmt: skip
    told[DAY].append(quote("688999.SH", "N新股", 300.0, industry="行业1", concepts="低空经济", listed=DAY))
    fill(ws, told)
    return theme


def lines(ws, **options):
    with market_reader.open_market(ws) as db:
        return find_mainlines(db, market_reader.load_day(db), **options)


def test_a_line_of_the_store_is_told_with_its_history(ws, monkeypatch):
    theme = stored(ws, monkeypatch)
    found = lines(ws)
    (line,) = found["lines"]
    assert (line["name"], line["kind"], line["members"], line["days"]) == ("低空经济", "concept", 12, 20)
    assert line["ahead_5d"] >= 4
    assert line["excess_5d_pct"] > 3 > 1.5 > line["excess_20d_pct"] > 0
    assert line["z"] > 1
    assert {int(each["symbol"][2:6]) for each in line["leaders"]} <= theme
    assert all(each["symbol"] != "688999.SH" for each in line["leaders"])  # a new stock has no say
    assert (found["top"], found["correction"], found["simulated"]) == (50, "Benjamini-Hochberg", False)


def test_no_line_says_so_and_names_the_closest(ws, monkeypatch):
    stored(ws, monkeypatch, planted=False)
    found = lines(ws)
    assert found["lines"] == []
    assert found["closest"]["adjusted"] > found["level"]


def test_with_one_stored_day_there_is_no_history_but_a_line(ws, monkeypatch):
    stored(ws, monkeypatch, days=1)
    (line,) = lines(ws)["lines"]
    assert (line["days"], line["z"], line["excess_5d_pct"]) == (0, None, None)


def test_history_follows_from_raw_closes_where_no_snapshot_is_and_not_across_an_ex_date(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", f"{DAY}T16:00:00+08:00")
    source = fill(ws, {DAY: [quote("600001.SH", price=12.0), quote("600002.SH", price=12.0)]})
    with contextlib.closing(marketdb.connect(ws)) as db:
        dates, close = ["2024-03-12", "2024-03-13", "2024-03-14"], [10.0, 11.0, 5.5]
        bars = Bars(dates, close, close, close, close, [100] * 3)
        store.put_history(db, source, "600001.SH", bars, [])
        store.put_history(db, source, "600002.SH", bars, [Action("2024-03-14", bonus=1.0)])
    with market_reader.open_market(ws) as db:
        past = ChangeHistory(db, market_reader.load_day(db))
        assert past.mean_changes(["600001.SH"]) == pytest.approx({"2024-03-13": 10.0, "2024-03-14": -50.0})
        assert past.mean_changes(["600002.SH"]) == pytest.approx({"2024-03-13": 10.0})
        assert past.mean_changes(["600001.SH"], without=True) == pytest.approx({"2024-03-13": 10.0})
        assert past.mean_changes([], without=True) == pytest.approx({"2024-03-13": 10.0, "2024-03-14": -50.0})
        assert past.mean_moves() == {"600001.SH": None, "600002.SH": None}  # of too few days


def test_what_was_later_is_not_seen(ws, monkeypatch):
    stored(ws, monkeypatch)
    monkeypatch.setenv("IA_NOW", "2024-02-12T16:00:00+08:00")
    found = lines(ws)
    assert (found["date"], found["lines"]) == ("2024-02-12", [])


def forget_kept(ws):
    """Remove what was kept of earlier questions; return whether there was anything."""
    kept = list(Path(ws.root, ".ia", "cache").glob("moves-*.json"))
    for path in kept:
        path.unlink()
    return bool(kept)


def assert_same_as_computed(ws):
    """Assert that the first and later answers equal the one that is computed from the rows alone; return it."""
    first, again = lines(ws, level=0.5), lines(ws, level=0.5)
    assert forget_kept(ws)
    anew = lines(ws, level=0.5)
    assert first == again == anew
    return anew


def test_kept_figures_equal_computed_ones_on_several_days(ws, monkeypatch):
    stored(ws, monkeypatch)
    answers = []
    for day in (DAY, "2024-02-22", "2024-02-12", "2024-02-05", "2024-02-22", DAY):
        monkeypatch.setenv("IA_NOW", f"{day}T16:00:00+08:00")
        answers.append(assert_same_as_computed(ws))
        assert answers[-1]["date"] == day
    assert (answers[0], answers[1]) == (answers[5], answers[4])
    assert len({answer["date"] for answer in answers}) == 4


def test_kept_figures_follow_a_past_day_that_is_synced_again(ws, monkeypatch):
    stored(ws, monkeypatch)
    before = assert_same_as_computed(ws)["lines"][0]
    with contextlib.closing(marketdb.connect(ws)) as db:
        rows = db.execute("SELECT symbol, name, price, prev_close FROM snapshots WHERE date = '2024-02-23'").fetchall()
    changed = [quote(symbol, name, 9.5, industry="行业1", concepts="低空经济") for symbol, name, _, _ in rows[:200]]
    fill(ws, {"2024-02-23": changed})
    after = assert_same_as_computed(ws)["lines"][0]
    assert before["excess_20d_pct"] != after["excess_20d_pct"]


def test_kept_figures_follow_bars_actions_and_deleted_rows(ws, monkeypatch):
    monkeypatch.setenv("IA_NOW", f"{DAY}T16:00:00+08:00")
    symbols = [f"60{n:04d}.SH" for n in range(40)]
    source = fill(
        ws,
        {
            DAY: [
                quote(symbol, "股", 1.0 + n, concepts="低空经济" if n > 33 else "") for n, symbol in enumerate(symbols)
            ]
        },
    )
    dates = [f"2024-03-{day:02d}" for day in range(1, 11)]
    rng = random.Random(3)

    def put(symbol, dates, actions=()):
        close = [round(rng.uniform(9, 11), 2) for _ in dates]
        store.put_history(db, source, symbol, Bars(dates, close, close, close, close, [100] * len(dates)), [*actions])

    def answer():
        with market_reader.open_market(ws) as db:
            past = ChangeHistory(db, market_reader.load_day(db))
            told = past.summarize(set(symbols[1:]))
            assert told == (past.mean_moves(), past.mean_changes([symbols[0]], without=True))
        return told

    with contextlib.closing(marketdb.connect(ws)) as db:
        for symbol in symbols:
            put(symbol, dates)
        seen = [answer()]
        put(symbols[3], dates)  # other closes
        seen.append(answer())
        put(symbols[4], [*dates[:4], *dates[5:]])  # a bar is deleted
        seen.append(answer())
        close = store.load_bars(db, source, symbols[5])
        store.put_history(db, source, symbols[5], close, [Action(dates[6], bonus=1.0)])  # only an action
        seen.append(answer())
        store.put_history(db, source, symbols[5], close, [])
        seen.append(answer())
    assert seen[1] != seen[0]
    assert seen[2] != seen[1]
    assert seen[3] != seen[2]
    assert seen[4] == seen[2]


def test_kept_figures_hold_for_the_stocks_they_were_computed_for(ws, monkeypatch):
    stored(ws, monkeypatch)
    with market_reader.open_market(ws) as db:
        past = ChangeHistory(db, market_reader.load_day(db))
        moves, means = past.summarize(past.mean_moves().keys())
        fewer = set(moves) - {f"60{n:04d}.SH" for n in range(50)}
        for _ in range(2):
            assert past.summarize(fewer) == (moves, past.mean_changes(moves.keys() - fewer, without=True))
        assert past.summarize(moves.keys()) == (moves, means)
        assert past.summarize(fewer)[1] != means


@pytest.mark.parametrize("damage", [b"", b"{", b"[]\n[]\n", b"\xff\n", b"first line\n{}\n"])
def test_a_damaged_file_of_kept_figures_is_replaced(ws, monkeypatch, damage):
    stored(ws, monkeypatch)
    expected = lines(ws)
    (path,) = Path(ws.root, ".ia", "cache").glob("moves-*.json")
    stamp, kept = path.read_bytes().splitlines()
    for content in (damage, stamp + b"\n" + damage):
        path.write_bytes(content)
        assert lines(ws) == expected
        assert path.read_bytes().splitlines() == [stamp, kept]


def test_a_market_that_cannot_be_written_tells_the_same_and_keeps_nothing(ws, monkeypatch):
    stored(ws, monkeypatch)
    expected = lines(ws)
    forget_kept(ws)
    with market_reader.open_market(ws) as db:
        db.execute("PRAGMA query_only = ON")
        assert find_mainlines(db, market_reader.load_day(db)) == expected
    assert not forget_kept(ws)


def test_preparing_computes_what_the_next_question_uses(ws, monkeypatch):
    stored(ws, monkeypatch)
    with market_reader.open_market(ws) as db:
        prepare_mainlines(db)
    (path,) = Path(ws.root, ".ia", "cache").glob("moves-*.json")
    kept = path.stat().st_mtime_ns, path.read_bytes()
    assert lines(ws)["lines"]
    assert (path.stat().st_mtime_ns, path.read_bytes()) == kept


# keeping


def line_of(found):
    return found["lines"][0]


def test_what_is_kept_before_the_close_says_when_it_stood(ws, monkeypatch):
    stored(ws, monkeypatch)
    told = format_main_lines({**lines(ws), "closed": False, "time": f"{DAY} 14:30"}, "en")
    assert told.startswith(f"Main lines of {DAY} 14:30 (")
    assert format_main_lines({**lines(ws), "simulated": True}, "zh").endswith("- 行情是模拟的，并非真实数据\n")


def test_kept_lines_are_recalled_never_pruned_and_replaced_by_a_second_keeping(ws, monkeypatch):
    stored(ws, monkeypatch)
    found = lines(ws)
    path, number = save_main_lines(ws, found)
    assert path == f"{change_rules.OBSERVATIONS}/{DAY}-mainline.md"
    assert "低空经济" in ws.read(path)
    assert any(hit.source == path for hit in recall_notes(ws, "低空经济"))
    (message,) = sessions.load_history(ws, "market")
    assert (message.id, message.importance, message.role) == (number, 2, "assistant")
    assert sessions.importance_of(message.content) == 2
    assert save_main_lines(ws, found) == (path, number)  # the same again writes nothing
    assert line_of(found)["busiest"]["amount"] >= max(each["amount"] for each in line_of(found)["leaders"])
    changed = {**found, "lines": [{**found["lines"][0], "name": "商业航天"}]}
    again, newer = save_main_lines(ws, changed)
    (message,) = sessions.load_history(ws, "market")
    assert (again, message.id) == (path, newer)
    assert "商业航天" in message.content
    assert "低空经济" not in ws.read(path)
    assert ws.list_paths(change_rules.OBSERVATIONS) == [path]
    sessions.prune_session(ws, "market", 0)
    assert [message.id for message in sessions.load_history(ws, "market")] == [newer]


def test_limit_ups_are_counted_by_the_rules_of_the_day():
    def row(symbol, change, price, before, board, st=False, listed="2010-01-04", name="甲"):
        return TradedStock(
            symbol=symbol,
            name=name,
            price=price,
            prev_close=before,
            change_pct=change,
            amount=1e7,
            cap=1e10,
            industry="银行",
            concepts=None,
            listed=listed,
            board=board,
            st=st,
        )

    rows = [
        row("600001.SH", 10.04, 11.07, 10.06, "main"), row("600002.SH", 9.94, 11.06, 10.06, "main"),
        row("300001.SZ", 10.0, 11.0, 10.0, "chinext"), row("300002.SZ", 20.0, 12.0, 10.0, "chinext"),
        row("600003.SH", 5.0, 10.5, 10.0, "main", st=True, name="ST甲"), row("600004.SH", -10.0, 9.0, 10.0, "main"),
        row("920001.BJ", 30.0, 13.0, 10.0, "bse"), row("688001.SH", -20.0, 8.0, 10.0, "star"),
    ]  # fmt: skip
    assert symbols_at_limit(rows, DAY) == (
        ["600001.SH", "300002.SZ", "600003.SH", "920001.BJ"], ["600004.SH", "688001.SH"]
    )  # fmt: skip
