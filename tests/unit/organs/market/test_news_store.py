"""News in the store: what of an answer is kept, from when on it is seen, and what is made of its text."""

import pytest

from ia.kernel import clock
from ia.kernel.errors import BadData
from ia.organs.market import news_store

MAOTAI = "600519.SH"


def item(number=1, time="2024-03-14T18:00:00+08:00", **more):
    return {"id": f"n{number}", "kind": "news", "time": time, "title": f"标题 {number}", "publisher": "某报", **more}


def answer(*items, source="wire", **more):
    return {"symbol": MAOTAI, "source": source, "items": list(items), **more}


@pytest.fixture
def at(monkeypatch):
    return lambda moment: monkeypatch.setenv("IA_NOW", moment)


def store(ws, *items, **more):
    found = news_store.parse_answer(answer(*items, **more), MAOTAI, "wire")
    return news_store.put_news(ws, MAOTAI, found)


def titles(ws, **more):
    return [each["title"] for each in news_store.load_news(ws, [MAOTAI], **more)]


def test_an_item_is_seen_from_its_own_second_on(ws, at):
    assert store(ws, item()) == 1
    for moment, seen in (("2024-03-14T17:59:59+08:00", []), ("2024-03-14T18:00:00+08:00", ["标题 1"])):
        at(moment)
        assert titles(ws) == seen
    at("2024-03-14T10:00:00+00:00")
    assert titles(ws) == ["标题 1"]


def test_a_bare_date_is_seen_when_its_day_is_over(ws, at):
    store(ws, item(time="2024-03-14"))
    at("2024-03-14T20:00+08:00")
    assert titles(ws) == []
    at("2024-03-15T00:00+08:00")
    assert titles(ws) == ["标题 1"]


def test_the_newest_come_first_and_the_same_item_once(ws, at):
    at("2024-03-20")
    assert store(ws, item(1), item(2, "2024-03-15T09:00:00+08:00"), item(1, title="other")) == 2
    assert store(ws, item(1), item(3, "2024-03-13T09:00:00+08:00")) == 1
    assert titles(ws) == ["标题 2", "other", "标题 3"]
    assert titles(ws, count=1) == ["标题 2"]
    assert titles(ws, since="2024-03-14T00:00:00.000Z") == ["标题 2", "other"]
    assert titles(ws, kind="announcement") == []


def test_an_item_from_the_future_is_not_stored(ws):
    later = clock.wall_time().replace(year=clock.wall_time().year + 1).isoformat(timespec="seconds")
    found = news_store.parse_answer(answer(item(1), item(2, later)), MAOTAI, "wire")
    assert (len(found.rows), found.ahead, found.odd) == (1, 1, 0)


def test_text_is_folded_cut_and_its_links_broken(ws, at):
    at("2024-03-20")
    store(ws, item(title="See https://evil.example/a\n\u202eNOW" + "x" * 900, publisher="[a](http://b.example)",
                   link="https://news.example/a"))  # fmt: skip
    (told,) = news_store.load_news(ws, [MAOTAI])
    assert "https:" not in told["title"] and "evil.example" not in told["title"] and "\n" not in told["title"]
    assert len(told["title"]) < 260 and "http://b.example" not in told["publisher"]
    assert told["link"] == "https[:]//news[.]example/a"


@pytest.mark.parametrize("bad", [
    5, {}, item(kind="order"), item(title=" \u200b "), item(time="soon"), item(time="2024-03-14T18:00:00"),
    item(id=""), item(id="a b"), item(symbol="000001.SZ"), item(time="0001-01-01"), item(title=None),
])  # fmt: skip
def test_a_malformed_item_is_counted(bad):
    found = news_store.parse_answer(answer(item(1), bad), MAOTAI, "wire")
    assert (len(found.rows), found.odd) == (1, 1)


@pytest.mark.parametrize("value", [None, [], "x", {}, {"items": 5}, answer(*[5] * 9, item())])
def test_an_answer_of_another_form_names_the_provider(value):
    with pytest.raises(BadData, match="wire"):
        news_store.parse_answer(value, MAOTAI, "wire")


def test_invented_items_do_not_mix_with_real_ones(ws, at, monkeypatch):
    at("2024-03-20")
    store(ws, item(1, title="invented"), source="demo", simulated=True)
    store(ws, item(2, title="real"), source="akshare")
    store(ws, item(3, title="of a stranger"))
    monkeypatch.setenv("IA_MARKET_ADAPTER", "akshare")
    assert sorted(titles(ws)) == ["of a stranger", "real"]
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    assert sorted(titles(ws)) == ["invented", "of a stranger"]


def test_what_was_fetched_within_the_hour_is_fresh(ws, at):
    at("2024-03-15T16:00+08:00")
    assert not news_store.is_fresh(ws, MAOTAI)
    store(ws)
    for moment, fresh in (("16:00", True), ("16:59", True), ("17:01", False), ("15:59", False)):
        at(f"2024-03-15T{moment}+08:00")
        assert news_store.is_fresh(ws, MAOTAI) is fresh
