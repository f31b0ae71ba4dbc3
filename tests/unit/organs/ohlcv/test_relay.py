"""A relay: another server is asked, the host is still who is judged; and a made-up market behind one, for processes."""

import subprocess
import sys
import urllib.request

import pytest

from ia.domain.instruments.symbols import from_canonical
from ia.kernel.errors import ConfigError, TryLater
from ia.organs.ohlcv import governor
from ia.organs.ohlcv.adapters import sina, tencent
from ia.organs.ohlcv.adapters.akshare import Akshare
from ia.organs.ohlcv.governor import Banned
from ia.organs.ohlcv.transport import NoNetwork, ShapeChanged, get_json, get_text, govern_requests, post_json
from support.markets.hosts import Hosts, Market, trading_days
from support.program import REPO

MAOTAI = from_canonical("600519.SH")
URL = "https://82.push2.eastmoney.com/api/x"


@pytest.fixture
def hosts(monkeypatch):
    with Hosts(Market(20, "2024-05-06", 30)) as server:
        server.use(monkeypatch)
        yield server


def test_a_request_goes_to_the_relay_with_host_path_and_query(hosts):
    hosts.say("82.push2.eastmoney.com/api/x", {"a": 1})
    with govern_requests():
        assert get_json(URL, {"fs": "m:0 t:6,m:1"}, "x") == {"a": 1}
        assert post_json(URL, {"token": "t"}, "x") == {"a": 1}
    assert hosts.asked == ["82.push2.eastmoney.com/api/x?fs=m:0+t:6,m:1", "82.push2.eastmoney.com/api/x?"]


def test_a_relay_may_have_a_path_of_its_own(hosts, monkeypatch):
    monkeypatch.setenv("IA_MARKET_RELAY", f"{hosts.url}/cache/")
    hosts.say("cache/82.push2.eastmoney.com/api/x", {"a": 1})
    with govern_requests():
        assert get_json(URL, {}, "x") == {"a": 1}


def test_what_the_relay_says_is_judged_under_the_host(hosts):
    seen = []
    hosts.fail("403", "82.push2")
    with (
        govern_requests(),
        pytest.raises(Banned, match=r"82\.push2\.eastmoney\.com may have banned ia; no requests until"),
    ):
        get_text(URL)
    hosts.say("qq.com", "fine")
    with govern_requests(seen.append):
        assert get_text("https://proxy.finance.qq.com/y") == "fine"
    assert [answer.host for answer in seen] == ["proxy.finance.qq.com"]
    assert set(governor.site_states()) == {"eastmoney.com", "qq.com"}


def test_a_relay_that_is_down_shuts_no_host_to_who_does_without_it(hosts, monkeypatch):
    hosts.fail("403")
    with govern_requests(), pytest.raises(Banned):
        get_text(URL)
    monkeypatch.delenv("IA_MARKET_RELAY")
    assert governor.site_states() == {}


def test_a_relay_on_this_machine_is_not_slowed_down(hosts):
    hosts.say("x", "fine")
    for _ in range(40):
        with govern_requests():
            get_text(URL)
    assert hosts.count() == 40
    assert [state.last_minute for state in governor.site_states().values()] == [0]


def test_another_relay_is_asked_at_the_pace_of_the_host(monkeypatch):
    monkeypatch.setenv("IA_MARKET_RELAY", "https://relay.invalid")
    monkeypatch.setenv("IA_MARKET_TIMEOUT", "1")
    monkeypatch.setenv("NO_PROXY", "*")
    with govern_requests(), pytest.raises(NoNetwork, match=r"cannot reach 82\.push2\.eastmoney\.com"):
        get_text(URL)
    assert governor.site_states()["eastmoney.com"].last_minute >= 1


def test_a_redirect_stays_on_the_host_and_in_the_relay(hosts):
    for location in ("/api/y", "https://82.push2.eastmoney.com/api/y", "https://push2.eastmoney.com/api/y"):
        hosts.heal()
        hosts.say("/api/y", "there")
        hosts.say("/api/x", "", 302, {"Location": location})
        with govern_requests():
            assert get_text(URL) == "there"
        assert hosts.asked[-1].endswith("push2.eastmoney.com/api/y?")
    for location in ("http://82.push2.eastmoney.com/api/y", "https://attacker.invalid/", f"{hosts.url}/api/y"):
        hosts.heal()
        hosts.say("/api/x", "", 302, {"Location": location})
        with govern_requests(), pytest.raises(ShapeChanged, match="does not follow"):
            get_text(URL)


def test_no_proxy_stands_before_a_relay_on_this_machine(hosts, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    hosts.say("/api/x", "fine")
    with govern_requests():
        assert get_text(URL) == "fine"


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1:80",
        "ftp://h/",
        "http://",
        "http://h:x",
        "http://u:p@h",
        "http://h/?q",
        "http://h#f",
        "http://h h",
        "二",
    ],
)
def test_a_relay_that_is_no_url(monkeypatch, text):
    monkeypatch.setenv("IA_MARKET_RELAY", text)
    with pytest.raises(ConfigError, match=r"market\.relay"), govern_requests():
        get_text(URL)


def test_another_machine_is_asked_by_https_only(monkeypatch):
    monkeypatch.setenv("IA_MARKET_RELAY", "http://cache.example:8080")
    with pytest.raises(ConfigError, match="is another machine, which requires https://"), govern_requests():
        get_text(URL)


# the made-up market


def test_three_hosts_tell_the_same_market(hosts):
    bars = hosts.market.bars("600519.SH")
    adapter = Akshare()
    fetched = adapter.fetch(MAOTAI)
    rows = [(bar.date, bar.open, bar.high, bar.low, bar.close, bar.volume) for bar in bars]
    assert list(zip(*fetched.raw, strict=True)) == rows
    assert fetched.host == "push2his.eastmoney.com"
    hosts.fail("502", "push2his")
    fetched = adapter.fetch(MAOTAI)
    assert list(zip(*fetched.raw, strict=True)) == rows
    assert fetched.host == "proxy.finance.qq.com"
    assert tencent.fetch_bars(MAOTAI, "2024-01-01", None).unit == 100
    hosts.fail("502", "qq.com")
    fetched = adapter.fetch(MAOTAI)
    assert list(zip(*fetched.raw, strict=True)) == rows
    assert fetched.host == "finance.sina.com.cn"
    actions = hosts.market.actions("600519.SH")
    assert actions and [(a.date, a.cash, a.bonus) for a in adapter.actions(MAOTAI)] == [tuple(a) for a in actions]
    assert [step.date for step in sina.fetch_actions(MAOTAI)] == [action.date for action in actions]


def test_a_market_is_the_same_every_time_and_moves_with_its_clock():
    one, other = Market(30, "2024-05-06", 30), Market(30, "2024-05-06", 30)
    assert all(one.bars(symbol) == other.bars(symbol) for symbol in one.symbols)
    assert one.bars("600519.SH") != Market(30, "2024-05-06", 30, seed=2).bars("600519.SH")
    assert trading_days("2024-09-27", 3) == ["2024-09-27", "2024-09-30", "2024-10-08"]
    whole = one.bars("000001.SZ")
    one.at("2024-05-20", "10:30:00")
    half = one.bars("000001.SZ")
    assert half[:-1] == whole[: len(half) - 1]
    assert half[-1].date == "2024-05-20" and half[-1].volume < whole[len(half) - 1].volume
    one.at("2024-05-20", "09:00:00")
    assert one.bars("000001.SZ") == half[:-1]


def test_an_ex_day_shows_in_the_previous_close():
    market = Market(10, "2024-05-06", 30, events=0)
    plain = market.bars("600519.SH")
    market.act("600519.SH", "2024-05-20", cash=0.1, bonus=0.5)
    bars = {bar.date: bar for bar in market.bars("600519.SH")}
    before = next(bar for bar in plain if bar.date == "2024-05-17")
    assert bars["2024-05-20"].prev == pytest.approx((before.close - 0.1) / 1.5, abs=0.006)
    assert bars["2024-05-17"] == before
    market.suspend("600519.SH", "2024-05-21", "2024-05-22")
    assert {"2024-05-21", "2024-05-22"}.isdisjoint(bar.date for bar in market.bars("600519.SH"))


def test_a_market_of_its_own_process(ia, monkeypatch, tmp_path):
    command = [
        sys.executable,
        "-m",
        "support.markets.hosts",
        "--symbols",
        "20",
        "--start",
        "2024-05-06",
        "--days",
        "30",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPO / "tests") as server:
        try:
            url = server.stdout.readline().strip()
            monkeypatch.setenv("IA_MARKET_RELAY", url)
            monkeypatch.setenv("IA_MARKET_ADAPTER", "akshare")
            urllib.request.urlopen(f"{url}/_/at?day=2024-05-20", data=b"").close()
            assert ia("init").returncode == 0
            done = ia("ohlcv", "600519", "--adjust", "none")
            assert done.returncode == 0, done.stderr
            assert done.stdout.splitlines()[-1].startswith("2024-05-20,")
            urllib.request.urlopen(f"{url}/_/fail?mode=ban&part=push2his", data=b"").close()
            urllib.request.urlopen(f"{url}/_/fail?mode=502&part=qq.com", data=b"").close()
            urllib.request.urlopen(f"{url}/_/fail?mode=502&part=sina", data=b"").close()
            done = ia("ohlcv", "000001.SZ")
            assert done.returncode == 75, done.stderr
            assert "push2his.eastmoney.com" in done.stderr
        finally:
            server.terminate()


@pytest.mark.parametrize("way", ["content", "raw"])
def test_an_answer_that_came_whole_is_read(hosts, monkeypatch, way):
    import io

    from requests import Response
    from requests.adapters import HTTPAdapter

    def send(self, request, **kwargs):
        response = Response()
        response.status_code, response.url, response.request = 200, request.url, request
        if way == "raw":
            response.raw = io.BytesIO(b'{"a": 1}')
        else:
            response._content = b'{"a": 1}'
        return response

    monkeypatch.setattr(HTTPAdapter, "send", send)
    with govern_requests():
        assert get_json(URL, {}, "x") == {"a": 1}


@pytest.mark.parametrize(
    "failure", [ConnectionError("gone"), TimeoutError(), OSError("no route"), ConnectionResetError()]
)
def test_what_an_adapter_raises_is_no_bug_of_ours(hosts, monkeypatch, failure):
    from requests.adapters import HTTPAdapter

    def send(self, request, **kwargs):
        raise failure

    monkeypatch.setattr(HTTPAdapter, "send", send)
    with govern_requests(timeout=0.2), pytest.raises(TryLater):
        get_text(URL)
