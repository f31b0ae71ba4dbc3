"""Which sources of the web may count, and how answers of servers are read."""

import pytest

from ia.faculties import web_sources
from ia.faculties.providers.search_answers import find_hits, find_page
from ia.faculties.web_sources import LATER, PRIVATE, UNDATED, find_refusal
from ia.kernel.errors import BadData, Refused


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://localhost:8000/x", "http://10.0.0.8", "http://[::1]/", "http://0x7f000001/",
        "http://2130706433/", "http://127.1/", "http://169.254.169.254/latest", "http://printer.local/", "http://nas/",
        "http://user:word@example.com/", "http://[::ffff:10.0.0.1]/", "http://metadata.google.internal/",
    ],
)  # fmt: skip
def test_private_addresses(url):
    assert find_refusal(url, "2024-01-01") == PRIVATE
    with pytest.raises(Refused):
        web_sources.check_search({"hits": [{"url": url, "title": "x"}]})


def test_dates(monkeypatch):
    url = "https://a.example.com"
    monkeypatch.setenv("IA_NOW", "2024-03-15T16:00+08:00")
    assert find_refusal(url, "2024-03-15") == "" and find_refusal(url, "2024-03-16") == LATER
    assert (
        find_refusal(url, "2024-03-15T07:59:00+00:00") == "" and find_refusal(url, "2024-03-15T08:01:00+00:00") == LATER
    )
    assert find_refusal(url, "") == UNDATED
    monkeypatch.delenv("IA_NOW")
    assert find_refusal(url, "") == ""


@pytest.mark.parametrize("value", [None, "text", {}, {"hits": 3}, []])
def test_answers_of_another_form(value):
    with pytest.raises(BadData):
        web_sources.check_search(value)


def test_malformed_hits_are_counted():
    found = web_sources.check_search(
        {"hits": [{"url": "https://a.example.com"}, {"url": "ftp://b"}, 3, {"title": "x"}]}
    )
    assert [each.title for each in found.sources] == ["https://a.example.com"] and found.refused == {"malformed": 3}


@pytest.mark.parametrize(
    ("answer", "titles"),
    [
        (
            {"result": "1. One\n   URL: https://a.example\n   Summary: x y\n2. Two\n   URL: https://b.example"},
            ["One", "Two"],
        ),
        (
            "Title: One\nURL: https://a.example\nContent: long\nmore\n\nTitle: Two\nURL: https://b.example",
            ["One", "Two"],
        ),
        ("- [One](https://a.example/x_(y)) first\n- [Two](https://b.example)", ["One", "Two"]),
        ('{"url": "https://a.example", "title": "One"}\n{"url": "https://b.example", "title": "Two"}', ["One", "Two"]),
        ({"web": {"results": [{"url": "https://a.example", "title": "One", "age": "2024-03-01"}]}}, ["One"]),
        ("Nothing was found", []),
        ([[[[[[[[[[{"url": "https://a.example"}]]]]]]]]]], []),
        ("[" * 100_000, []),
    ],
)
def test_answers_of_servers(answer, titles):
    assert [hit.get("title") for hit in find_hits(answer)] == titles


def test_pages_of_servers():
    assert find_page("text")["text"] == "text"
    assert (
        find_page({"results": [{"url": "https://a.example", "raw_content": "long", "content": "short"}]})["text"]
        == "long"
    )
    assert find_page({"result": "just text"})["text"] == "just text"
