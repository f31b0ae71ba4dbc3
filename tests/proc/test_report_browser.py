"""The pages of `ia chart` and `ia report` in a real browser: quiet, without a network, alive, safe, on any screen."""

import json
import os
import re
import socketserver
import subprocess
import threading
from http.server import SimpleHTTPRequestHandler

import pytest

from ia.faculties.pictures.scale import format_compact
from support.browser import Page, chromium
from support.program import program

pytestmark = pytest.mark.skipif(chromium() is None, reason="there is no Chromium here")

HOSTILE = '</script><script>window.bad=1</script><img src=x onerror="window.bad=2">'
FIGURE = "document.querySelector('figure.chart')"


def made(*argv, env=None):
    run = subprocess.run(
        [*program(), *argv], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    page = Page(tmp_path_factory.mktemp("profile"))
    yield page
    page.close()


@pytest.fixture
def page(browser):
    browser.size(1100, 1400)
    browser.dark(False)
    return browser


@pytest.fixture(scope="module")
def chart(tmp_path_factory):
    """A page of the simulated market with panes, under a hostile title, and the rows that it shows."""
    folder = tmp_path_factory.mktemp("drawn")
    env = {**os.environ, "IA_HOME": str(folder / "home"), "IA_NOW": "2026-06-30", "LANG": "C.UTF-8"}
    (folder / "home").mkdir()
    csv = made("ohlcv", "600519", "--adapter", "demo", env=env)
    (folder / "m.csv").write_text(csv)
    path = folder / "c.html"
    rows = [line.split(",") for line in csv.split()[1:]]
    made("trade", "deposit", "5000000", "--date", rows[-200][0], env=env)
    for at, side in ((-180, "buy"), (-178, "buy"), (-176, "sell"), (-60, "buy"), (-20, "sell")):
        words = ("100", "--price", rows[at][4], "--date", rows[at][0], "--override", "--because", "x")
        made("trade", side, "600519", *words, env={**env, "IA_MARKET_ADAPTER": "demo"})
    made(
        "chart", str(folder / "m.csv"), "-o", str(path), "--panes", "rsi,macd", "--title", HOSTILE, "--stop", rows[-1][3],
        "--indicator", "bbands(close, 20)", env=env,
    )  # fmt: skip
    return path, rows


def quiet(page, path):
    page.open(path.as_uri())
    assert page.complaints() == []
    assert page.requests() == []


def box(page):
    return page.run(
        f"(() => {{ const r = {FIGURE}.querySelector('svg').getBoundingClientRect(); return [r.left, r.top, r.width, r.height] }})()"
    )


def shown(page):
    return page.run(f"[{FIGURE}.dataset.from, {FIGURE}.dataset.to]")


def test_the_page_is_quiet_and_asks_nobody(page, chart):
    path, rows = chart
    quiet(page, path)
    assert shown(page) == [rows[-250][0], rows[-1][0]]
    assert page.run("window.bad") is None
    assert page.run("document.querySelector('h1').textContent") == HOSTILE
    assert page.run("document.querySelectorAll('img, a, iframe').length") == 0


def test_the_script_draws_what_python_drew(page, chart):
    """The picture that stands in the page and the one that the script puts in its place are the same, to a tenth."""
    path, _ = chart
    still = path.with_name("still.html")
    still.write_text(re.sub(r"<script>.*?</script>", "", path.read_text(), flags=re.DOTALL))
    drawn = []
    collect = (
        f"[...{FIGURE}.querySelectorAll('[data-strip] path, [data-strip] text')].map(e =>"
        " [e.getAttribute('class'), e.getAttribute('d') || e.textContent + ' ' + e.getAttribute('x') + ' ' + e.getAttribute('y')])"
    )
    for each in (still, path):
        page.size(960 + 2 * 16, 900, phone=True)  # the page's margins: the picture has the width that Python gave it
        page.open(each.as_uri())
        drawn.append(page.run(collect))
    assert page.run(f"{FIGURE}.clientWidth") == 960
    python, script = drawn
    assert [kind for kind, _ in python] == [kind for kind, _ in script]
    for (kind, a), (_, b) in zip(python, script, strict=True):
        assert re.sub(r"-?[\d.]+", "#", a) == re.sub(r"-?[\d.]+", "#", b), kind
        for x, y in zip(re.findall(r"-?[\d.]+", a), re.findall(r"-?[\d.]+", b), strict=True):
            assert float(x.strip(".") or 0) == pytest.approx(float(y.strip(".") or 0), abs=0.11), kind


def test_the_crosshair_reads_the_bar_below_it(page, chart):
    path, rows = chart
    page.open(path.as_uri())
    left, top, width, height = box(page)
    right = page.run(f"+{FIGURE}.querySelector('[data-strip=prices] rect').getAttribute('width') + 12")
    for index in (0, 100, 249):
        x = 12 + (index + 0.5) * (right - 12) / 250
        page.mouse("mouseMoved", left + x, top + height * 0.3)
        date, first, high, low, last, _ = rows[-250 + index]
        assert page.run(f"{FIGURE}.dataset.bar") == date
        told = page.run("document.querySelector('output').textContent")
        assert told.startswith(date)
        for value in (first, high, low, last):
            assert f"{float(value):,.2f}" in told
    page.mouse("mouseMoved", left + width / 2, top + height + 200)
    assert page.run(f"{FIGURE}.dataset.bar") is None


def test_panes_tell_the_bar_below_the_crosshair(page, chart):
    path, rows = chart
    page.open(path.as_uri())
    told = "[...document.querySelectorAll('.told')].map(each => each.textContent)"
    at_rest = page.run(told)
    page.run(f"{FIGURE}.querySelector('svg').focus()")
    for _ in range(10):
        page.key("ArrowLeft")
    volume, rsi, macd = page.run(told)
    assert all(a != b for a, b in zip(at_rest, (volume, rsi, macd), strict=True))
    assert volume == f"Volume {format_compact(int(rows[-11][5]))}"
    page.key("Escape")
    assert page.run(told) == at_rest


def test_the_wheel_zooms_around_the_pointer_and_a_double_click_goes_back(page, chart):
    path, _ = chart
    page.open(path.as_uri())
    left, top, width, height = box(page)
    whole = shown(page)
    page.mouse("mouseMoved", left + width / 2, top + height / 3)
    under = page.run(f"{FIGURE}.dataset.bar")
    for _ in range(5):
        page.mouse("mouseWheel", left + width / 2, top + height / 3, deltaX=0, deltaY=-120)
    near = shown(page)
    assert whole[0] < near[0] < under < near[1] < whole[1]
    for _ in range(30):
        page.mouse("mouseWheel", left + width / 2, top + height / 3, deltaX=0, deltaY=120)
    assert shown(page)[0] < whole[0]
    for count in (1, 2):
        for kind in ("mousePressed", "mouseReleased"):
            page.mouse(kind, left + width / 2, top + height / 3, button="left", clickCount=count)
    assert shown(page) == whole
    assert page.complaints() == []


def test_dragging_and_keys_move_it(page, chart):
    path, rows = chart
    page.open(path.as_uri())
    left, top, width, height = box(page)
    whole = shown(page)
    page.mouse("mousePressed", left + width / 2, top + height / 3, button="left", clickCount=1)
    page.mouse("mouseMoved", left + width / 2 + 200, top + height / 3, button="left", buttons=1)
    page.mouse("mouseReleased", left + width / 2 + 200, top + height / 3, button="left", clickCount=1)
    back = shown(page)
    assert back[0] < whole[0]
    assert back[1] < whole[1]
    page.run(f"{FIGURE}.querySelector('svg').focus()")
    page.key("0")
    assert shown(page) == whole
    page.key("ArrowLeft")
    page.key("ArrowLeft")
    assert page.run(f"{FIGURE}.dataset.bar") == rows[-3][0]
    page.key("Home")
    assert page.run(f"{FIGURE}.dataset.bar") == rows[0][0]
    assert shown(page)[0] == rows[0][0]
    page.key("Escape")
    assert page.run(f"{FIGURE}.dataset.bar") is None
    page.key("0")
    page.key("+")
    assert shown(page)[0] > whole[0]


def test_panes_go_and_come_back(page, chart):
    path, _ = chart
    page.open(path.as_uri())
    before = page.run(f"{FIGURE}.querySelector('[data-strip=prices] rect').getAttribute('height')")
    press = "[...document.querySelectorAll('button')].find(b => b.textContent === 'MACD')"
    page.run(f"{press}.click()")
    assert page.run(f"{FIGURE}.querySelector('[data-strip=pane1]').childElementCount") == 0
    assert page.run(f"{press}.getAttribute('aria-pressed')") == "false"
    page.run(f"{press}.click()")
    assert page.run(f"{FIGURE}.querySelector('[data-strip=pane1]').childElementCount") > 0
    assert page.run(f"{FIGURE}.querySelector('[data-strip=prices] rect').getAttribute('height')") == before


def test_it_follows_the_night(page, chart):
    path, _ = chart
    page.open(path.as_uri())
    color = (
        "getComputedStyle(document.body).backgroundColor + getComputedStyle(document.querySelector('svg .paper')).fill"
    )
    day = page.run(color)
    page.dark()
    night = page.run(color)
    assert day == "rgb(255, 255, 255)rgb(255, 255, 255)"
    assert night == "rgb(18, 22, 29)rgb(18, 22, 29)"


def test_without_scripts_it_is_a_picture_with_a_table(page, chart):
    path, rows = chart
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open(path.as_uri())
    finally:
        page.call("Emulation.setScriptExecutionDisabled", value=False)
    assert page.run("document.querySelectorAll('button').length") == 0
    assert page.run(f"{FIGURE}.querySelectorAll('path.red, path.green').length") >= 2
    assert page.run("document.querySelector('tbody tr td').textContent") == rows[-1][0]


def test_it_fits_a_telephone(page, chart):
    path, _ = chart
    page.size(375, 800, phone=True)
    quiet(page, path)
    assert page.run("document.documentElement.scrollWidth") == 375
    assert 600 < page.run("document.documentElement.scrollHeight") < 4000
    assert page.run(f"{FIGURE}.querySelector('svg').getBoundingClientRect().width") <= 375
    assert page.run(f"parseFloat(getComputedStyle({FIGURE}.querySelector('text.soft:not(.small)')).fontSize)") == 11
    assert page.run(f"{FIGURE}.querySelector('svg').viewBox.baseVal.width") <= 375  # so that its letters stay large


def test_from_a_server_it_asks_for_nothing_more(page, chart):
    path, _ = chart
    asked = []

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=path.parent)

        def log_message(self, *_):
            asked.append(self.path)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False  # a browser keeps connections that it did not need

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            page.open(f"http://127.0.0.1:{server.server_address[1]}/c.html")
            assert page.complaints() == []
            assert asked == ["/c.html"]
            refused = page.run("fetch('/x').then(() => 'sent', () => 'refused')")
            assert refused == "refused"
            assert asked == ["/c.html"]
        finally:
            server.shutdown()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_reports_are_quiet_whole_and_safe(page, tmp_path, monkeypatch, lang):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_LANG", lang)
    monkeypatch.setenv("IA_NOW", "2026-11-20T16:00:00+08:00")
    made("sync", "daily")
    made("trade", "deposit", "500000", "--date", "2026-03-02")
    made("trade", "buy", "600519", "100", "820", "--date", "2026-06-22", "--override", "--because", HOSTILE)
    made("trade", "sell", "600519", "50", "--price", "1050", "--date", "2026-10-20", "--override", "--because", "x")
    made("note", "research/moutai", f"600519 {HOSTILE}")
    for target in ("600519", "account", "market"):
        path = tmp_path / f"{target}.html"
        made("report", target, "-o", str(path))
        assert path.stat().st_size < 1_000_000
        for width in (1100, 375):
            page.size(width, 900, phone=width == 375)
            quiet(page, path)
            assert page.run("document.documentElement.scrollWidth") <= width
            assert page.run("window.bad") is None
        words = page.run("document.body.innerText")
        if target == "account":
            ties_out(page)
        assert ("模拟" if lang == "zh" else "imulated") in words
        assert re.search("[\u4e00-\u9fff]{2}", words) or lang == "en"
        assert target != "600519" or words.count("</script>") >= 2  # the note and the reason, as words
        assert page.run("document.documentElement.lang") == ("zh-CN" if lang == "zh" else "en")


SECTIONS = """[...document.querySelectorAll('section')].map(each => ({
  title: each.querySelector('h2').textContent,
  tiles: [...each.querySelectorAll('dl.figures:not(.defined) dd')].map(e => e.textContent),
  defined: [...each.querySelectorAll('dl.defined div')].map(e => e.querySelector('dd').textContent),
  tables: [...each.querySelectorAll('table')].map(t => [...t.tBodies[0].rows].map(r => [...r.cells].map(e => e.textContent))),
  months: [...each.querySelectorAll('.wide svg title')].map(e => e.textContent),
}))"""


def figures(texts):
    return [None if text in ("", "–") else float(text.replace(",", "").rstrip("%")) for text in texts]


def percents(*fracs):
    return [None if frac is None else round(frac * 100, 2) for frac in fracs]


def ties_out(page):
    """Every figure of the account's page is the one that `ia account` and `ia profit` print, to the cent."""
    account, profit = (json.loads(made(each, "--json")) for each in ("account", "profit"))
    by_month, by_year = (
        json.loads(made("profit", "--json", "--by", each, "--benchmark", "000300.SH"))["currencies"]["CNY"]
        for each in ("month", "year")
    )
    sections = page.run(SECTIONS)
    returns = sections[0]
    tiles = figures(returns["tiles"])
    assert tiles[0] == by_month["result"]
    names = ("twr_frac", "xirr_ann_frac", "benchmark_frac", "excess_frac")
    assert tiles[1:5] == percents(*(by_month[name] for name in names))
    assert tiles[5] == percents(by_month["risk"]["max_drawdown"]["frac"])[0]
    *years, whole = returns["tables"][0]
    names = ("equity_before", "flows", "result", "equity_after")
    for row, period in zip([*reversed(years), whole], [*by_year["periods"], by_year], strict=True):
        assert figures(row[1:5]) == [period[name] for name in names]
        rates = ("twr_frac", "mwr_frac", "benchmark_frac", "excess_frac")
        assert figures(row[5:9]) == percents(*(period[name] for name in rates))
    shown = dict(text.split(" ") for text in returns["months"] if re.match(r"\d{4}-\d{2} ", text))
    assert {month: figures([text])[0] for month, text in shown.items()} == {
        period["first"][:7]: percents(period["twr_frac"])[0] for period in by_month["periods"]
    }
    risk = by_month["risk"]
    names = ("cagr_frac", "volatility_ann_frac")
    assert figures(returns["defined"][:2]) == percents(*(risk[name] for name in names))
    assert figures(returns["defined"][2:5]) == [
        None if risk[name] is None else round(risk[name], 2) for name in ("sharpe", "sortino", "calmar")
    ]
    purse, own = account["currencies"]["CNY"], sections[1]["tiles"]
    names = (
        "equity", "cash", "positions_value", "invested", "today_pnl", "total_pnl", "",
        "realized_pnl", "unrealized_pnl", "dividends", "fees",
    )  # fmt: skip
    assert [(name, figures([text])[0]) for name, text in zip(names, own, strict=False) if name] == [
        (name, purse[name]) for name in names if name
    ]
    assert own[11] == f"{purse['max_drawdown'] * 100:.2f}%"
    assert by_month["equity_after"] == purse["equity"]
    for by, table in zip(("security", "industry", "market", "currency"), sections[2]["tables"], strict=True):
        shares = json.loads(made("account", "--by", by, "--json"))["shares"]
        assert [figures(row[1:]) for row in table] == [[each["value"], each["weight_pct"]] for each in shares]
    row = page.run("[...[...[...document.querySelectorAll('table')].at(-2).rows].at(-1).cells].map(e => e.textContent)")
    total = profit["by_currency"]["CNY"]
    assert figures(row[2:]) == [
        total[name] for name in ("realized", "unrealized", "dividends", "fees", "profit", "profit_rate")
    ]
    assert profit["total_profit"] == account["total_pnl"]


def test_an_empty_account_says_what_to_type(page, tmp_path):
    path = tmp_path / "a.html"
    made("report", "account", "-o", str(path))
    quiet(page, path)
    assert "ia trade" in page.run("document.body.innerText")


@pytest.fixture(scope="module")
def backtests(tmp_path_factory):
    """Pages of a run, a sweep and a walk forward on the simulated market, in both languages."""
    folder = tmp_path_factory.mktemp("backtests")
    env = {
        **os.environ, "IA_HOME": str(folder / "home"), "IA_NOW": "2024-03-15T16:00+08:00", "LANG": "C.UTF-8",
        "IA_MARKET_ADAPTER": "demo",
    }  # fmt: skip
    (folder / "home").mkdir()
    rules = ("--entry", "close > sma(close, {n})", "--exit", "close < sma(close, {n})", "--since", "2020-01-01")
    one = [text.replace("{n}", "20") for text in rules]
    pages = {}
    for name, words in (
        ("run", one),
        ("sweep", [*rules, "--grid", "n=10:40:10"]),
        ("walk", [*rules, "--grid", "n=10:40:10", "--train", "1y", "--test", "6m"]),
    ):
        made("backtest", "run", "600519", *words, env=env)
        for lang in ("en", "zh"):
            pages[name, lang] = folder / f"{name}-{lang}.html"
            made("backtest", "report", "-o", str(pages[name, lang]), env={**env, "IA_LANG": lang})
    return pages


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", ["run", "sweep", "walk"])
def test_a_backtest_is_read_on_any_screen(page, backtests, name, lang):
    path = backtests[name, lang]
    for dark in (False, True):
        page.dark(dark)
        for width, phone in ((1100, False), (390, True)):
            page.size(width, 900, phone=phone)
            quiet(page, path)
            assert page.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
            shown = ".narrow" if phone else ".wide"
            assert page.run(
                f"[...document.querySelectorAll('{shown} svg')].every(e => e.getBoundingClientRect().width > 300)"
            )
    assert ("SIMULATED" if lang == "en" else "模拟行情") in page.run("document.querySelector('.warn').textContent")
    closed = page.run("document.querySelectorAll('dl.defined details:not([open])').length")
    assert closed >= 9
    page.run("document.querySelectorAll('dl.defined summary').forEach(e => e.click())")
    assert page.run("[...document.querySelectorAll('dl.defined details[open] p')].every(e => e.textContent.length > 3)")
    assert page.run("document.querySelectorAll('dl.defined details[open]').length") == closed
    if name != "sweep":
        assert page.run("document.querySelectorAll('figure.chart.alive').length") == 1
        assert page.run("document.querySelectorAll('figure.chart .marks li').length") > 20
    else:
        assert page.run("document.querySelectorAll('.narrow g title').length") == 4
