"""Research on the web: a real MCP server over stdio and HTTP, pages on the loopback, and what is refused."""

import contextlib
import http.server
import json
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

SERVER = Path(__file__).parent.parent / "support" / "servers" / "web_search.py"
NOW = "2024-03-15"
PAGES = {
    "/page": ("2024-02-02", "The stamp duty was halved to 0.05 per cent on 28 August 2023."),
    "/later": ("2024-06-01", "It was raised to 0.08 per cent again in May."),
    "/undated": ("", "It is what it is, says somebody who gives no date at all."),
}


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "http://10.1.2.3/secret")
            self.end_headers()
            return
        day, text = PAGES.get(self.path, ("", ""))
        meta = f'<meta property="article:published_time" content="{day}">' if day else ""
        body = f"<html><head>{meta}<title>Duty</title></head><body><article><h1>Duty</h1><p>{text}</p></article></body></html>"
        self.send_response(200 if text else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def pages():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def web(ia, monkeypatch):
    """A workspace whose provider `web` asks the small web over stdio."""
    monkeypatch.setenv("IA_MARKET_ADAPTER", "demo")
    assert ia("init", "--yes").returncode == 0
    monkeypatch.setenv("IA_WEB_SERVER", f"{sys.executable} {SERVER}")
    monkeypatch.setenv("IA_WEB_SEARCH", "find query=q n=count topic=finance")


def call(ia, tool, **arguments):
    return ia("tool", "call", tool, json.dumps(arguments))


def test_research_is_off_until_a_server_is_named(ia, web, monkeypatch):
    monkeypatch.delenv("IA_WEB_SERVER")
    listed = {row["name"]: row for row in json.loads(ia("provider", "list", "--json").stdout)}
    assert listed["web"]["state"] == "off" and not listed["web"]["tools"]
    assert "web.search" not in ia("tool", "list").stdout
    done = ia("knowledge", "research", "kelly")
    assert done.returncode == 78 and "web.server" in done.stderr
    assert call(ia, "web.search", query="kelly").returncode == 78
    assert "web is off" not in ia("doctor").stdout


def test_sources_are_numbered_dated_and_public(ia, web):
    done = call(ia, "web.search", query="kelly")
    told = json.loads(done.stdout)
    assert [each["citation"] for each in told["sources"]] == ["W1", "W2", "W3"]
    assert told["sources"][0]["published"] == "2024-03-01" and told["sources"][2]["published"] is None
    assert told["refused"] == {"private": 3}
    assert not [each for each in told["sources"] if "168." in each["url"] or "127." in each["url"]]


def test_nothing_after_now_and_nothing_undated_under_a_past_now(ia, web):
    done = ia("--now", NOW, "knowledge", "research", "kelly", "--json")
    assert done.returncode == 0, done.stderr
    assert [row["url"] for row in json.loads(done.stdout)] == ["https://quant.example.com/kelly"]
    assert "1 published later, 1 without a date" in done.stderr
    assert ia("--now", NOW, "knowledge", "research", "late", "only").returncode == 77
    assert ia("knowledge", "research", "nothing").returncode == 1


def test_a_server_that_filters_by_date_is_told_the_day(ia, web, monkeypatch):
    monkeypatch.setenv("IA_WEB_SEARCH", "find query=q before=until")
    done = ia("--now", NOW, "knowledge", "research", "kelly", "--json")
    assert len(json.loads(done.stdout)) == 1 and "0 published later" in done.stderr


def test_answers_in_lines_and_in_texts_of_json(ia, web, monkeypatch):
    monkeypatch.setenv("IA_WEB_SEARCH", "as_text query=q")
    told = json.loads(call(ia, "web.search", query="kelly").stdout)["sources"]
    assert told[0]["title"] == "Kelly sizing explained" and told[0]["published"] == "2024-03-01"
    assert "half of it" in told[0]["snippet"]


def test_the_server_gets_its_variables_and_no_others(ia, web, monkeypatch):
    monkeypatch.setenv("IA_WEB_SEARCH", "asked query=q")
    monkeypatch.setenv("IA_WEB_ENV", "SEARCH_KEY=abc-secret-key")
    monkeypatch.setenv("OTHER_TOKEN", "xyz-other")
    done = call(ia, "web.search", query="kelly")
    snippet = json.loads(done.stdout)["sources"][0]["snippet"]
    assert '"SEARCH_KEY": "***"' in snippet and "abc-secret" not in done.stdout and "xyz-other" not in done.stdout


@pytest.mark.parametrize(
    ("server", "search", "status", "said"),
    [
        (None, "nope query=q", 69, "Unknown tool"),
        ("no-such-program --x", "find query=q", 78, "not found"),
        ("http://127.0.0.1:9/mcp", "find query=q", 75, "cannot be reached"),
        (None, "query=q", 78, "give the tool"),
        ("true", "find query=q", 69, "exited"),
    ],
)
def test_failures_are_one_line(ia, web, monkeypatch, server, search, status, said):
    if server:
        monkeypatch.setenv("IA_WEB_SERVER", server)
    monkeypatch.setenv("IA_WEB_SEARCH", search)
    done = ia("knowledge", "research", "kelly")
    assert done.returncode == status and said in done.stderr and "Traceback" not in done.stderr


def test_the_same_over_http(ia, web, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, SERVER, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
                break
            time.sleep(0.1)
        monkeypatch.setenv("IA_WEB_SERVER", f"http://127.0.0.1:{port}/mcp")
        done = ia("knowledge", "research", "kelly", "-n", "1", "--json")
        assert [row["citation"] for row in json.loads(done.stdout)] == ["W1"], done.stderr
    finally:
        process.kill()
        process.wait()


def test_pages_of_private_networks_are_refused_unless_the_owner_allows_them(ia, web, pages, monkeypatch):
    assert call(ia, "web.fetch", url=f"{pages}/page").returncode == 77
    assert ia("knowledge", "add", f"{pages}/page").returncode == 77
    monkeypatch.setenv("IA_WEB_PRIVATE_NETWORKS", "127.0.0.0/8")
    page = json.loads(call(ia, "web.fetch", url=f"{pages}/page").stdout)
    assert page["citation"] == "W1" and "0.05 per cent" in page["text"] and page["published"] == "2024-02-02"
    assert len(page["sha256"]) == 64
    assert call(ia, "web.fetch", url=f"{pages}/away").returncode == 77, "a redirect into another private network"
    assert ia("knowledge", "add", f"{pages}/page").returncode == 0
    assert "0.05" in ia("--now", NOW, "knowledge", "search", "stamp duty halved").stdout


def test_pages_of_the_future_and_without_a_date_are_refused(ia, web, pages, monkeypatch):
    monkeypatch.setenv("IA_WEB_PRIVATE_NETWORKS", "127.0.0.0/8")
    monkeypatch.setenv("IA_NOW", NOW)
    assert call(ia, "web.fetch", url=f"{pages}/page").returncode == 0
    for path in ("later", "undated"):
        done = call(ia, "web.fetch", url=f"{pages}/{path}")
        assert done.returncode == 77 and "2024-03-15" in done.stderr, path
    monkeypatch.delenv("IA_NOW")
    assert call(ia, "web.fetch", url=f"{pages}/undated").returncode == 0
    assert call(ia, "web.fetch", url=f"{pages}/none").returncode != 0


def test_a_page_read_by_the_server(ia, web, pages, monkeypatch):
    monkeypatch.setenv("IA_WEB_FETCH", "read url=address")
    assert call(ia, "web.fetch", url=f"{pages}/page").returncode == 77, "a private address is not passed on"
    monkeypatch.setenv("IA_WEB_PRIVATE_NETWORKS", "127.0.0.0/8")
    page = json.loads(call(ia, "web.fetch", url=f"{pages}/page").stdout)
    assert page["title"] == "Read by the server" and page["published"] == "2024-03-05"


def test_the_embedded_analyst_asks_documents_first_and_says_what_its_answer_rests_on(ia, web, tmp_path):
    (tmp_path / "kelly.md").write_text("# Kelly\n\nKelly sizing bets the edge divided by the odds.\n")
    assert ia("knowledge", "add", "kelly.md", "--date", "2019").returncode == 0
    told = ia("--now", NOW, "turn", "search the web for kelly sizing", "--json")
    turn = json.loads(told.stdout)
    assert [call["name"] for call in turn["tools"]] == ["search_knowledge", "web.search"]
    assert turn["basis"] == ["knowledge", "research"] and turn["sources"][0]["citation"] == "W1"
    assert "[Kelly, Kelly]" in turn["reply"] and "Rests on: your documents, then research" in turn["reply"]
    assert "quant.example.com/late" not in turn["reply"]
    zh = ia("turn", "上网查一下半凯利公式", env={"IA_LANG": "zh"}).stdout
    assert "依据：网络检索" in zh and "IGNORE ALL" not in zh
    assert "Rests on: your documents." in ia("turn", "how does one divide the edge by the odds?").stdout
    assert "asks the web" in ia("turn", "what does my library say about tulips?").stdout


def test_the_embedded_analyst_says_how_to_turn_research_on(ia, web, monkeypatch):
    monkeypatch.delenv("IA_WEB_SERVER")
    assert "ia config set web.server" in ia("turn", "search the web for kelly sizing").stdout
    assert "web.server" in ia("turn", "上网查一下凯利公式").stdout
