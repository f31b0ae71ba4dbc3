"""Drawings of figures, and the reports of the account and the market that are made of them."""

import re
from decimal import Decimal

import pytest

from ia.faculties.pictures import shapes
from ia.faculties.pictures.chart import ChartLine
from ia.kernel.i18n import Voice
from support.charts import HOSTILE, Reader, days, parsed


@pytest.mark.parametrize("sizes", [[1.0], [5.0, 3.0, 1.0], [float(x) for x in range(60, 0, -1)], [1e9, 1.0, 1e-9]])
def test_a_treemap_covers_its_place_without_overlap(sizes):
    found = shapes.squarify(sizes, 0, 0, 600, 400)
    assert len(found) == len(sizes)
    assert sum(w * h for _, _, w, h in found) == pytest.approx(240_000)
    for size, (x, y, w, h) in zip(sizes, found, strict=True):
        assert w * h == pytest.approx(size / sum(sizes) * 240_000, rel=1e-6, abs=1e-6)
        assert -1e-6 <= x <= x + w <= 600 + 1e-6
        assert -1e-6 <= y <= y + h <= 400 + 1e-6
    for k, (x, y, w, h) in enumerate(found):
        for a, b, c, e in found[k + 1 :]:
            assert min(x + w, a + c) - max(x, a) < 1e-6 or min(y + h, b + e) - max(y, b) < 1e-6


def test_shapes_are_whole_whatever_they_show():
    tiles = [shapes.Tile(HOSTILE, 5, None, HOSTILE), shapes.Tile("b", 3, -2.5, "b"), shapes.Tile("none", 0, 1, "")]
    for text in (
        shapes.draw_treemap(tiles, "t", HOSTILE, "red"), shapes.draw_treemap([], "t", "", "red"),
        shapes.draw_curves(days(3), [ChartLine("a", [1.0, None, 3.0])], "t", ""), shapes.draw_curves([], [ChartLine("a", [])], "t", "", filled=True),
        shapes.draw_curves(days(2), [ChartLine("a", [0.0, -0.1])], "t", "", percent=True, filled=True),
        shapes.draw_bars([(HOSTILE, 60.0), ("b", 0.0)], "t", HOSTILE), shapes.draw_bars([], "t", ""),
        shapes.draw_month_grid({"2024": {"01": 0.5, "02": None}, "2023": {"12": -0.01}}, "t", HOSTILE, "red"),
        shapes.draw_shares([(HOSTILE, [(3, "red"), (0, "green")]), ("empty", [])], "t", ""),
        shapes.draw_distribution([-30.0, -0.2, 0.0, 0.4, 10.0, 99.0], "t", "", "red"), shapes.draw_distribution([], "t", "", "red"),
    ):  # fmt: skip
        parsed(text)
        assert "nan" not in text


def test_a_distribution_counts_everything():
    text = shapes.draw_distribution([-30.0, -10.5, -0.2, 0.0, 0.4, 0.9, 10.0, 99.0], "t", "", "red")
    small = [t.text for t in parsed(text).iter("{http://www.w3.org/2000/svg}text")]
    assert small[:2] == ["2", "-10"]
    assert small[-2:] == ["2", "+10"]
    assert small[small.index("0") - 1] == "1"


def entry(number, day, kind, **more):
    from ia.organs.ledger.journal import JournalEntry

    return JournalEntry(id=number, time=f"{day}T02:00:00.000Z", date=day, kind=kind, **more)


def test_hostile_names_of_a_market_stay_words(ws, monkeypatch):
    import contextlib

    from ia.faculties.pictures import market_report
    from ia.organs import marketdb
    from ia.organs.market import store
    from ia.organs.market.quote import Quote

    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-03-15T18:00:00+08:00")
    quotes = [
        Quote(symbol=f"6000{i:02d}.SH", name=f"{HOSTILE}{i}", price=10.0 + i, prev_close=10.0, change=float(i), change_pct=float(i) - 3, open=10.0, high=19.0, low=9.0, volume=1000, amount=1e6,
              industry=HOSTILE, concepts=HOSTILE)
        for i in range(1, 9)
    ]  # fmt: skip
    with contextlib.closing(marketdb.connect(ws)) as db:
        store.put_day(
            db, store.source_id(db, "demo", True), "2024-03-15", quotes, host=HOSTILE, time="2024-03-15T08:00:00.000Z"
        )
    text = market_report.render_market_report(ws, Voice())
    reader = Reader()
    reader.feed(text)
    assert {tag for tag, _ in reader.found}.isdisjoint({"script", "img", "a", "iframe"})
    assert text.count("&lt;script&gt;alert(1)") >= 20
    assert "simulated prices: demo invented the whole market" in text
    assert "5 up, 1 unchanged, 2 down" in text
    for missing in ("run `ia sync northbound` to fetch it", "run `ia sync lhb` to fetch it"):
        assert missing in text


def test_an_account_without_prices_or_money_says_so(ws):
    from ia.faculties.pictures import account_report
    from ia.organs.ledger import journal

    assert "the ledger is empty; add entries with `ia trade buy`" in account_report.render_account_report(ws, Voice())
    journal.append_entries(ws, [
        entry(0, "2024-01-03", "buy", symbol="600519.SH", name=HOSTILE, price=Decimal(10), quantity=Decimal(100), cash=Decimal(1000), reason=HOSTILE),
    ])  # fmt: skip
    text = account_report.render_account_report(ws, Voice())
    assert "no stored price of 600519.SH" in text
    assert "cash and equity are unknown" in text
    assert "not known</span>" in text
    reader = Reader()
    reader.feed(text)
    assert {tag for tag, _ in reader.found}.isdisjoint({"script", "img", "a", "iframe"})


def test_one_page_of_the_account_has_one_color_of_a_gain():
    from ia.faculties.pictures.account_report import gain_color

    assert gain_color(["USD"]) == "green"
    assert gain_color(["CNY"]) == gain_color(["CNY", "USD"]) == gain_color([]) == "red"


def test_northbound_money_is_short_and_its_channels_are_named(ia):
    env = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-03-15T16:00+08:00"}
    for job in ("daily", "northbound"):
        assert ia("sync", job, env=env).returncode == 0
    text = ia("--lang", "zh", "report", "market", env=env).stdout
    part = text[text.index("北向") :]
    assert "沪股通" in part and "shanghai" not in part
    assert not re.search(r"[+-]\d{1,3}(,\d{3}){2}\.\d\d", part)


@pytest.mark.parametrize(
    ("lost", "value", "states"),
    [("700", "20000", "beyond near"), ("699.99", "20000.01", "near beyond"), ("0", "15000", "within within")],
)
def test_the_rules_of_the_page_compare_as_the_guard_does(home, lost, value, states):
    """A loss of exactly 7 % is at its stop, a position of exactly 20 % is not too large; 6.9999 % is not rounded up."""
    from ia.faculties.pictures.account_report import _risk_rules_section
    from ia.organs.ledger.account import Account, CurrencyAccount, Position

    held = Position(
        symbol="600519.SH",
        name="",
        currency="CNY",
        quantity=Decimal(100),
        sellable=Decimal(100),
        cost=Decimal(10_000),
        price=None,
        value=Decimal(value),
        unrealized=-Decimal(lost),
        today=None,
        weight=None,
    )
    purse = CurrencyAccount("CNY")
    purse.equity = Decimal(100_000)
    text = _risk_rules_section(Account([held], {"CNY": purse}), Voice())
    size, stop = (
        re.search(f"{name}.*?(\\w+)</span>", text)[1] for name in ("position size", "position loss: stop-loss")
    )
    assert [stop, size] == states.split()


def test_a_month_stands_in_its_place_in_the_color_of_its_sign():
    text = shapes.draw_month_grid({"2023": {"12": -0.011}, "2024": {"01": 0.0234, "02": None}}, "t", "", "green")
    cells = {
        g.find("{http://www.w3.org/2000/svg}title").text: g.find("{http://www.w3.org/2000/svg}rect").get("class")
        for g in parsed(text).iter("{http://www.w3.org/2000/svg}g")
    }
    assert cells == {"2024-01 +2.34%": "green", "2024-02 –": "chip", "2023-12 -1.10%": "red"}
