"""What PROVIDER.md may say."""

import os

import pytest

from ia.agent.tools import catalog
from ia.faculties import providers
from ia.faculties.providers.manifest import RESERVED
from support.program import REPO
from support.provider_folders import ECHO, command, only, problem


class TestManifest:
    def test_the_example_of_the_manual_page_is_read(self, put, ws):
        page = (REPO / "man" / "man5" / "ia-provider.5").read_text(encoding="utf-8").replace("\\-", "-")
        front = page.partition(".nf\n---\n")[2].partition("\n---\n")[0]
        put("weather", front)
        (tool,) = providers.find_provider(ws, "weather").tools
        assert (tool.name, tool.risk, tool.seconds) == ("weather.today", "read", 10)

    def test_a_tool_has_the_providers_name_before_it_unless_it_has_an_organ(self, put, ws):
        put("echo", "command: [true]\ntools: [{name: say}, {name: financial.income}]")
        assert [tool.name for tool in providers.list_tools(ws)] == ["echo.say", "financial.income"]

    @pytest.mark.parametrize(
        ("front", "told"),
        [
            ("name: other\ncommand: [true]\ntools: [{name: a}]", "name must be the folder's name"),
            ("command: [true]", "`tools` lists no tools"),
            ("tools: [{name: a}]", "say what to start with either `command` or `mcp`"),
            (
                "command: [true]\nmcp: {command: [true]}\ntools: [{name: a}]",
                "say what to start with either `command` or `mcp`",
            ),
            ("command: sh -c x\ntools: [{name: a}]", "command must be a list"),
            ("command: []\ntools: [{name: a}]", "command must be a list: the program"),
            ("command: [true]\nenv: [A B]\ntools: [{name: a}]", "env must be a list of variable names"),
            ("command: [true]\ntools: [{name: a, timeout: 0}]", "timeout must be a number of seconds, at most 600"),
            ("command: [true]\ntools: [{name: a, timeout: .inf}]", "timeout must be a number of seconds"),
            ("command: [true]\ntools: [{name: a, risk: write}]", "risk must be read or confirm"),
            ("command: [true]\ntools: [{name: 'a b'}]", "must be a name like calendar.trading"),
            ("command: [true]\ntools: [{}]", "a list of tools, each with a name"),
            ("command: [true]\ntools: [{name: a, parameters: [x]}]", "must be a mapping with names as keys"),
            ("command: [true]\ntools: [{name: memory.believe}]", "ia reserves the names memory.*"),
            ("command: [true]\ntools: [{name: notebook_write.x}]", "ia reserves the names notebook.*"),
            ("mcp: {command: [true]}\nconfig: {a: 1}", "an MCP server uses `mcp.env`"),
            ("command: [true\ntools: x", "PROVIDER.md:"),
            ("- a\n- b", "must be `key: value` lines"),
        ],
    )
    def test_what_is_wrong_is_said_and_nothing_is_offered(self, put, ws, front, told):
        put("echo", front)
        assert told in problem(ws)
        assert providers.list_tools(ws) == []

    def test_a_file_without_front_matter_and_one_that_is_missing(self, put, ws):
        (put("a", "") / "PROVIDER.md").write_text("# no\n")
        (put("b", "") / "PROVIDER.md").unlink()
        assert "front matter is missing" in problem(ws, "a")
        assert "no such file" in problem(ws, "b")

    def test_a_disabled_one_is_listed_and_not_offered(self, put, ws):
        put("echo", "enabled: false\n" + command(ECHO))
        assert not providers.find_provider(ws, "echo").enabled
        assert providers.list_tools(ws) == []

    def test_the_names_of_tools_are_taken_once(self, put, ws):
        put("a", command(ECHO, name="a", tool="x.say"))
        put("b", command(ECHO, name="b", tool="x_say"))
        put("c", command(ECHO, name="c", tool="x.say"))
        put("d", "command: [true]\ntools: [{name: d.e_f}, {name: d.e.f}]")
        assert [tool.name for tool in providers.list_tools(ws)] == ["x.say", "b.x_say"]
        assert problem(ws, "c") == "x.say is already the name of a tool of provider a"
        assert problem(ws, "d") == "d.e.f is already the name of a tool of provider d"

    def test_every_organ_of_ia_is_reserved(self):
        assert {tool.organ for tool in catalog.builtin_tools()} <= RESERVED

    def test_a_link_is_no_provider_of_this_workspace(self, put, ws, tmp_path):
        folder = put("echo", command(ECHO))
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
        assert "passes through a symbolic link" in problem(ws)

    def test_invalid_names_and_missing_files(self, put, ws, home):
        folder = home / ".claude" / "providers"
        (folder / "pipe").mkdir(parents=True)
        os.mkfifo(folder / "pipe" / "PROVIDER.md")
        (folder / "Upper").mkdir()
        (folder / "Upper" / "PROVIDER.md").write_text("---\ncommand: [cat]\ntools: [a]\n---\n")
        (folder / "a file").write_text("x")
        os.mkdir(os.fsencode(folder) + b"/\xff")
        assert [(each.name, each.problem is not None) for each in providers.list_providers(ws)] == [
            ("Upper", True),
            ("pipe", True),
        ]

    def test_a_changed_file_is_read_anew(self, put, ws):
        put("echo", command(ECHO))
        assert only(ws).name == "echo.say"
        put("echo", command(ECHO, tool="shout"))
        assert only(ws).name == "echo.shout"

    def test_it_may_be_read_where_nothing_can_be_written(self, put, ws, home):
        put("echo", command(ECHO))
        (home / ".ia").write_text("a file where the folder would be")
        assert only(ws).name == "echo.say"
