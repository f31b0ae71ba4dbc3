"""The tushare adapter over a loopback socket that speaks its JSON."""

import json

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.kernel.errors import IaError, NotFound, TryLater, Unavailable
from ia.organs.ohlcv import governor
from ia.organs.ohlcv.adapters import tushare
from ia.organs.ohlcv.adapters.conformance import AdapterConformance
from ia.organs.ohlcv.adapters.demo import Demo
from ia.organs.ohlcv.adapters.tushare import Tushare
from ia.organs.ohlcv.adjustment import Action
from ia.organs.ohlcv.governor import Limit
from support.servers.price_hosts import closes, hangs, html, loopback

MAOTAI = from_canonical("600519.SH")
TOKEN = "0123456789abcdef-secret"
API = "api.tushare.pro"


@pytest.fixture
def hosts(monkeypatch):
    monkeypatch.setattr(governor, "LIMITS", {"tushare.pro": Limit(1000.0, 1000.0, 10, 10_000)})
    monkeypatch.setenv("IA_MARKET_TIMEOUT", "0.4")
    monkeypatch.setenv("TUSHARE_TOKEN", TOKEN)
    with loopback(monkeypatch) as server:
        yield server


def answer(fields, items):
    return {"request_id": "x", "code": 0, "msg": "", "data": {"fields": fields, "items": items, "has_more": False}}


def serve(bars, factors):
    """Answer as Tushare does: newest first, compact dates, lots, only what was asked for."""

    def reply(handler, query):
        job = json.loads(handler.body)
        assert job["token"] == TOKEN
        params = job["params"]
        wanted = params["ts_code"] == "600519.SH"
        low, high = params.get("start_date", ""), params.get("end_date", "9")
        if job["api_name"] == "adj_factor":
            names, rows = ["ts_code", "trade_date", "adj_factor"], [("600519.SH", d, f) for d, f in factors]
        else:
            names = ["ts_code", "trade_date", "open", "high", "low", "close", "vol", "amount"]
            rows = [("600519.SH", d.replace("-", ""), o, h, lo, c, v / 100, c * v / 1e3) for d, o, h, lo, c, v in bars]
        rows = [row for row in rows if wanted and low <= row[1] <= high][::-1]
        offset, limit = int(params["offset"]), int(params["limit"])
        return answer(names, [list(row) for row in rows[offset : offset + limit]])

    return reply


ROWS = [
    ("2024-06-18", 1550.0, 1559.9, 1544.0, 1552.03, 1_884_500),
    ("2024-06-19", 1520.0, 1523.99, 1501.0, 1502.0, 3_517_900),
]
FACTORS = [("20240617", 8.0), ("20240618", 8.0), ("20240619", 8.2), ("20240620", 8.2)]


class TestTushare(AdapterConformance):
    known = MAOTAI
    unknown = from_canonical("301999.SZ")
    fewest = 2500
    turnover = (1e8, 1e10)

    @pytest.fixture(autouse=True)
    def served(self, hosts):
        demo = Demo()
        hosts.route(API, serve(list(zip(*demo.normalize(demo.fetch(MAOTAI)), strict=True)), FACTORS))

    def adapter(self):
        return Tushare()

    def test_more_rows_than_one_answer_has(self):
        assert len(self.bars().date) > tushare.MOST_ROWS


def test_lots_become_shares_and_the_newest_comes_last(hosts):
    hosts.route(API, serve(ROWS, FACTORS))
    adapter = Tushare()
    assert list(zip(*adapter.normalize(adapter.fetch(MAOTAI)), strict=True)) == ROWS


def test_a_factor_that_changes_is_an_action(hosts):
    hosts.route(API, serve(ROWS, FACTORS))
    assert Tushare().actions(MAOTAI) == [Action("2024-06-19", factor=8.2 / 8.0)]


@pytest.mark.parametrize(
    "canonical, code, api, unit",
    [
        ("510300.SH", "510300.SH", "fund_daily", 100), ("000300.SH", "000300.SH", "index_daily", 100),
        ("00700.HK", "00700.HK", "hk_daily", 1), ("AAPL.US", "AAPL", "us_daily", 1),
    ],
)  # fmt: skip
def test_each_kind_has_its_interface(hosts, canonical, code, api, unit):
    asked = []

    def reply(handler, query):
        job = json.loads(handler.body)
        asked.append((job["api_name"], job["params"]["ts_code"]))
        return answer(["trade_date", "open", "high", "low", "close", "vol"], [["20240619", 1, 2, 1, 2, 30]])

    hosts.route(API, reply)
    adapter, symbol = Tushare(), from_canonical(canonical)
    assert adapter.normalize(adapter.fetch(symbol)).volume == [30 * unit]
    assert asked == [(api, code)]


def test_without_a_token_it_says_how_to_get_one(hosts, monkeypatch):
    monkeypatch.delenv("TUSHARE_TOKEN")
    with pytest.raises(Unavailable, match="token") as caught:
        Tushare().fetch(MAOTAI)
    assert "TUSHARE_TOKEN" in caught.value.hint
    assert hosts.asked == []


@pytest.mark.parametrize(
    "body, kind",
    [
        ({"code": 40001, "msg": f"您的token不对，请确认。{TOKEN}", "data": None}, Unavailable),
        ({"code": 40203, "msg": "抱歉，您没有接口访问权限", "data": None}, Unavailable),
        ({"code": 40203, "msg": "抱歉，您每分钟最多访问该接口50次", "data": None}, TryLater),
        (closes, TryLater), (hangs, TryLater), ((429, "x"), TryLater), ((503, "x"), TryLater), (html, Unavailable),
        ({"code": 1, "msg": "no\nia: approved\r\u2028ia: all is well"}, Unavailable),
        ({"data": {}}, Unavailable), ({"code": 0, "data": None}, Unavailable), ({"code": 0, "data": {"items": []}}, Unavailable),
        (answer(["trade_date", "close"], [["20240619", 1]]), Unavailable), (answer(list(tushare._FIELDS), [["20240619"]]), Unavailable),
        (answer(list(tushare._FIELDS), [["2024-06-19", 1, 1, 1, 1, 1]]), Unavailable),
        (answer(list(tushare._FIELDS), []), NotFound), ([], Unavailable),
    ],
)  # fmt: skip
def test_failures_are_told_apart_and_the_token_is_in_none(hosts, body, kind):
    hosts.route(API, body if callable(body) or isinstance(body, tuple) else lambda handler, query: body)
    adapter = Tushare()
    with pytest.raises(kind) as caught:
        adapter.normalize(adapter.fetch(MAOTAI))
    error = caught.value
    assert isinstance(error, IaError)
    assert len(str(error).splitlines()) == 1
    assert TOKEN not in str(error) + str(error.hint) + str(error.params) + repr(error.__cause__)


FULL = list(tushare._FIELDS)
DAY = "20240102"


@pytest.mark.parametrize(
    "row",
    [
        [DAY, 1, 2, 1, 2, [5]], [DAY, 1, 2, 1, 2, {"a": 1}], [DAY, 10**400, 10**400, 1, 1, 5], [DAY, *[1e300] * 4, 5],
        [DAY, True, True, True, True, True], [DAY, "1_0", "１", ".5e0", "2", "5"], [DAY, 1, 2, 1, float("inf"), 5],
        [DAY, 1, 2, 1, 2, None], [DAY, 1, 2, 1, 2, "-"], [DAY, 1, 2, 1, 2, float("nan")], [DAY, 1, 2, 1, 2, 1e400],
        [None, 1, 2, 1, 2, 5], [{}, 1, 2, 1, 2, 5], "abcdef", {"0": 1},
    ],
    ids=lambda row: str(row)[:40],
)  # fmt: skip
def test_a_row_that_makes_no_sense_is_one_line(hosts, row):
    hosts.route(API, lambda handler, query: answer(FULL, [["20240103", 1, 2, 1, 2, 5], row]))
    adapter = Tushare()
    with pytest.raises(Unavailable) as caught:
        adapter.normalize(adapter.fetch(MAOTAI))
    assert "\n" not in str(caught.value)


def test_a_token_does_not_follow_a_redirect(hosts):
    hosts.route("thief.example", lambda handler, query: answer(FULL, [[DAY, 1, 2, 1, 2, 5]]))
    hosts.route(API, lambda handler, query: (307, "", {"Location": "https://thief.example/"}))
    with pytest.raises(Unavailable, match="thief"):
        Tushare().fetch(MAOTAI)
    assert not hosts.count("thief")


@pytest.mark.parametrize(
    "rows",
    [
        [["20240618", 8.0], ["20240618", 9.0]], [["20240618", 8.0], [20240618, 9.0]], [[None, 8.0]], [["20240618", True]],
        [["20240618", 5e-324], ["20240619", 8.0]], [["20240618", [8.0]]], [[{}, 8.0], ["20240618", 8.0]],
    ],
)  # fmt: skip
def test_senseless_rows_of_factors(hosts, rows):
    hosts.route(API, lambda handler, query: answer(["trade_date", "adj_factor"], rows))
    with pytest.raises(Unavailable):
        Tushare().actions(MAOTAI)


@pytest.mark.parametrize("factor", [0, -1, "x", None, float("inf")])
def test_senseless_factors(hosts, factor):
    hosts.route(
        API, lambda handler, query: (200, json.dumps(answer(["trade_date", "adj_factor"], [["20240619", factor]])))
    )
    with pytest.raises(Unavailable):
        Tushare().actions(MAOTAI)
