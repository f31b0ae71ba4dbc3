"""The page of the account: income ties out with `ia account` and `ia profit`, and one meaning of a color holds."""

import html
import json
import re

import pytest


@pytest.fixture
def page(ia, begin, monkeypatch, tmp_path):
    """Return the page of an account of two years, with two currencies, in a language."""
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-05-20T16:00+08:00")

    def make(lang="en", setting=""):
        monkeypatch.setenv("IA_LANG", lang)
        if setting:
            assert ia("config", "set", "pictures.up", setting).returncode == 0
        path = tmp_path / f"{lang}.html"
        done = ia("report", "account", "-o", str(path))
        assert done.returncode == 0, done.stderr
        return path.read_text(encoding="utf-8")

    commands = (
        "sync daily", "trade deposit 800000 --date 2022-03-01", "trade deposit 100000 --currency USD --date 2022-03-01",
        "trade buy 600519 100 700 --date 2022-03-02", "trade buy 600036 5000 38 --date 2022-03-02",
        "trade buy AAPL 100 160 --date 2022-03-03", "trade buy 300750 500 230 --date 2022-06-02",
    )  # fmt: skip
    market = {"IA_MARKET_ADAPTER": "demo", "IA_NOW": "2024-05-20T16:00+08:00"}
    begin(market, *(tuple(words.split()) for words in commands))
    return make


def section(text, title):
    return re.search(rf"<section>\n<h2>{title}</h2>(.*?)</section>", text, re.S)[1]


def tables(text):
    rows = [re.findall(r"<tr>(.*?)</tr>", body, re.S) for body in re.findall(r"<tbody>(.*?)</tbody>", text, re.S)]
    return [
        [[html.unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in body] for body in rows
    ]


def number(text):
    return float(text.replace(",", "") or 0)


def test_income_is_that_of_the_account_and_of_profit(ia, page):
    found = section(page(), "Income received and expected")
    account = json.loads(ia("account", "--json").stdout)
    income = json.loads(ia("profit", "--income", "--json").stdout)
    years, months, expected = tables(found)
    assert income["by_currency"] == {name: purse["dividends"] for name, purse in account["currencies"].items()}
    for table in (years, months):
        totals = {currency: number(amount) for period, currency, _, amount in table if period == "All"}
        assert totals == income["by_currency"]
        for currency, total in totals.items():
            parts = [number(row[3]) for row in table if row[1] == currency and row[0] != "All"]
            assert round(sum(parts), 2) == total and len(parts) > 1
    by_year = {}
    for row in income["received"]:
        key = (row["year"], row["currency"])
        by_year[key] = round(by_year.get(key, 0) + row["amount"], 2)
    assert {(row[0], row[1]): number(row[3]) for row in years if row[0] != "All"} == by_year
    assert [(row[0], row[1]) for row in expected] == [(each["ex_date"], each["symbol"]) for each in income["expected"]]
    assert expected


def test_nothing_received_and_nothing_announced_is_no_section(ia, monkeypatch, tmp_path):
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    monkeypatch.setenv("IA_NOW", "2024-05-20T16:00+08:00")
    assert ia("trade", "deposit", "1000", "--date", "2024-05-06").returncode == 0
    assert ia("report", "account", "-o", str(tmp_path / "a.html")).returncode == 0
    assert "Income received" not in (tmp_path / "a.html").read_text()


@pytest.mark.parametrize(
    ("setting", "gain", "loss"), [("", "red", "green"), ("green", "green", "red"), ("blue", "blue", "orange")]
)
def test_one_color_is_a_gain_on_the_whole_page(page, setting, gain, loss):
    text = page("zh" if not setting else "en", setting)
    body = text[text.index("<main") :]
    colored = re.findall(r'<(?:td|dd) class="(\w+)">([+-][\d.,]+%?)<', body)
    assert {kind for kind, figure in colored if figure[0] == "+"} == {gain}
    assert {kind for kind, figure in colored if figure[0] == "-"} == {loss}
    used = set(re.findall(r'class="(?:state )?(red|green|blue|orange)"', body))
    assert used == {gain, loss}, "no state, area or map has a color that means something else"
    for value, kind in re.findall(r"<title>\d{4}-\d\d ([+-])[\d.]+%</title><rect [^>]*class=\"(\w+)\"", body):
        assert kind == (gain if value == "+" else loss)
