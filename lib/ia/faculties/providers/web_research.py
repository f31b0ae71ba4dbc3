"""The command behind `web.search` and `web.fetch`: an MCP server that searches, and ia's own fetching of pages.

`python -m ia.faculties.providers.web_research`, as the provider `web` starts it: a call as JSON on standard input, the
answer as JSON on standard output. The settings `web.*` name the server and its tools. Addresses and dates are checked
by whoever asked (ia.faculties.web_sources), and once more where ia fetches a page itself.
"""

import json
import os
import shlex
import shutil
import sys
from typing import Any, NamedTuple

from ia.faculties.providers.answering import answer_one_call
from ia.faculties.providers.search_answers import find_hits, find_page
from ia.faculties.providers.start_command import ProcessStart
from ia.kernel import clock, config
from ia.kernel.digest import sha256
from ia.kernel.errors import ConfigError, TryLater, Unavailable
from ia.kernel.jsontypes import Json

SECONDS = 45.0
DEFAULT_HITS = 8
_PASSED = ("PATH", "LANG", "HOME", "XDG_CACHE_HOME", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy",
           "https_proxy", "no_proxy")  # fmt: skip
"""Variables that a server's command gets, besides those of `web.env`."""


class ToolMapping(NamedTuple):
    """A tool of the server, what it calls our arguments, and arguments that are always the same."""

    tool: str
    names: dict[str, str]
    fixed: Json


def answer_call(tool: str, arguments: Json) -> Json:
    """Return the answer to one call, as ia-provider(5) has it under WEB.

    raises  ConfigError for a setting; what the server or fetching a page raises.
    """
    if tool.endswith("fetch"):
        return fetch_page(str(arguments.get("url") or ""))
    return search_web(str(arguments.get("query") or ""), arguments.get("n"), str(arguments.get("before") or ""))


def search_web(query: str, n: int | None = None, before: str = "") -> Json:
    """Return what the server found. It is told the last day, today's where `--now` is set, if it takes one."""
    mapping = parse_mapping("web.search", ("query", "n", "before"))
    last = before or (clock.today() if clock.is_simulated() else "")
    arguments: Json = {**mapping.fixed, mapping.names.get("query", "query"): query}
    if "n" in mapping.names:
        arguments[mapping.names["n"]] = n or DEFAULT_HITS
    if "before" in mapping.names and last:
        arguments[mapping.names["before"]] = last
    hits = find_hits(_call_server("web.search", mapping.tool, arguments))
    return {"server": server_label(), "hits": hits[: n or DEFAULT_HITS]}


def fetch_page(url: str) -> Json:
    """Return a page: ia fetches and converts it, unless `web.fetch` names a tool of the server."""
    if config.get_setting("web.fetch"):
        mapping = parse_mapping("web.fetch", ("url",))
        found = find_page(
            _call_server("web.fetch", mapping.tool, {**mapping.fixed, mapping.names.get("url", "url"): url})
        )
        text = str(found.get("text") or "")
        return {
            "url": url,
            "final_url": found.get("url") or url,
            "title": found.get("title") or "",
            "published": found.get("published") or "",
            "text": text,
            "sha256": sha256(text.encode("utf-8", "replace")).hexdigest(),
        }
    from ia.faculties.knowledge import web_fetch
    from ia.faculties.knowledge.conversion_process import Converter

    fetched = web_fetch.fetch_document(url)
    with Converter() as converter:
        page = converter.convert(fetched.data, fetched.name, charset=fetched.charset)
    return {
        "url": url,
        "final_url": fetched.url,
        "title": page.title,
        "published": page.date,
        "text": page.text,
        "sha256": sha256(fetched.data).hexdigest(),
    }


def parse_mapping(key: str, known: tuple[str, ...]) -> ToolMapping:
    """Return a tool as a setting names it: `TOOL query=q n=max_results topic=news`.

    raises  ConfigError.
    """
    try:
        words = shlex.split(str(config.get_setting(key) or ""))
    except ValueError:
        words = []
    names: dict[str, str] = {}
    fixed: Json = {}
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            words = []
            break
        if name in known:
            names[name] = value
        else:
            fixed[name] = _parse_value(value)
    if not words or "=" in words[0]:
        raise ConfigError("{key}: give the tool, then NAME=VALUE for each argument", key=key)
    return ToolMapping(words[0], names, fixed)


def server_label() -> str:
    """Return what the server is called in answers: its program or its host, no arguments and no secrets."""
    from urllib.parse import urlsplit

    named = str(config.get_setting("web.server") or "")
    if named.startswith(("http://", "https://")):
        return urlsplit(named).hostname or ""
    words = shlex.split(named)
    return words[1] if len(words) > 1 and words[0] in ("uvx", "npx") else (words[0].rpartition("/")[2] if words else "")


def _parse_value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _call_server(tool: str, own: str, arguments: Json) -> Any:
    """Call a tool of the server that `web.server` names; it is started or connected for this one call."""
    from ia.faculties.providers.server import ToolServer
    from ia.faculties.providers.server_http import HttpPipes

    named = str(config.get_setting("web.server") or "").strip()
    token = str(config.get_setting("web.token") or "")
    if named.startswith(("http://", "https://")):
        start = ProcessStart(argv=[], folder="", env={}, config={}, secrets=(token,) if token else ())
        server = ToolServer("web", start, HttpPipes(named, token))
    else:
        start = _prepare_process(named)
        server = ToolServer("web", start)
    try:
        return server.call_tool(tool, own, arguments, SECONDS)
    except Unavailable as exc:
        if exc.code == "provider-ended" and not start.argv:
            raise TryLater("web.server: {host} cannot be reached", host=server_label()) from None
        raise
    finally:
        server.close()


def _prepare_process(command: str) -> ProcessStart:
    try:
        argv = shlex.split(command)
    except ValueError:
        argv = []
    if not argv:
        raise ConfigError("web.server: give a command or an http address")
    env = {name: value for name in _PASSED if (value := config.env(name))}
    env.setdefault("LANG", "C.UTF-8")
    given: dict[str, str] = {}
    for word in config.get_setting_words("web.env"):
        name, equals, value = word.partition("=")
        if not name or not equals:
            raise ConfigError("web.env: give NAME=VALUE, comma-separated")
        given[name] = value
    program = argv[0] if os.path.isabs(argv[0]) else shutil.which(argv[0], path=env.get("PATH"))
    if program is None or not os.path.exists(program):
        raise ConfigError("web.server: {program} not found", program=argv[0])
    secrets = tuple(value for value in given.values() if len(value) >= 4)
    return ProcessStart(
        argv=[program, *argv[1:]], folder=config.home(), env={**env, **given}, config={}, secrets=secrets
    )


if __name__ == "__main__":
    sys.exit(answer_one_call(answer_call))
