"""Providers that are commands: what a process gets and gives back, and its secrets."""

import os
import sys
import time

import pytest

from ia.agent.tools import catalog
from ia.agent.tools.router import Router
from ia.agent.tools.scope import Scope
from ia.kernel import audit
from ia.kernel.errors import BadData, ConfigError, IaError, NotFound, Refused, TryLater, Unavailable
from support.provider_folders import ECHO, command, gone, only


class TestCommand:
    def test_it_gets_json_its_folder_and_the_environment_that_it_declares(self, put, ws, monkeypatch):
        monkeypatch.setenv("ECHO_REGION", "cn")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-you")
        folder = put("echo", command(ECHO, "env: [ECHO_REGION, NOT_SET]\nconfig: {n: 3, where: 'in ${ECHO_REGION}'}"))
        told = only(ws).run({"x": "茅台", "scope": 1})
        assert told["call"] == {
            "tool": "echo.say",
            "arguments": {"x": "茅台", "scope": 1},
            "config": {"n": 3, "where": "in cn"},
        }
        assert told["cwd"] == str(folder)
        assert set(told["env"]) - {"LC_CTYPE", "__CF_USER_TEXT_ENCODING"} == {"PATH", "LANG", "ECHO_REGION"}

    def test_inside_a_run_it_is_part_of_the_run(self, put, ws, monkeypatch):
        monkeypatch.setenv("IA_RUN", "17")
        put("echo", command(ECHO))
        assert only(ws).run({})["env"]["IA_RUN"] == "17"

    def test_a_tool_may_add_words_and_a_program_may_lie_in_the_folder(self, put, ws):
        folder = put("echo", "command: [tool, a]\ntools: [{name: say, argv: [b, '{python}']}]")
        (folder / "tool").write_text(f"#!{sys.executable}\n{ECHO}\n")
        with pytest.raises(ConfigError, match="not executable"):
            only(ws).run({})
        (folder / "tool").chmod(0o755)
        assert only(ws).run({})["argv"][1:] == ["a", "b", "{python}"]

    def test_no_shell_reads_the_words(self, put, ws, tmp_path):
        put("echo", f"command: [echo, '\"$(touch {tmp_path}/made)\"']\ntools: [{{name: say}}]")
        assert only(ws).run({}) == f"$(touch {tmp_path}/made)"
        assert not (tmp_path / "made").exists()

    def test_a_program_that_is_not_there_or_leaves_the_folder(self, put, ws, tmp_path):
        put("echo", "command: [no-such-program-of-anybody]\ntools: [{name: say}]")
        with pytest.raises(ConfigError, match="no-such-program-of-anybody not found"):
            only(ws).run({})
        (tmp_path / "out.sh").write_text("#!/bin/sh\necho 1\n")
        (tmp_path / "out.sh").chmod(0o755)
        folder = put("echo", "command: [link.sh]\ntools: [{name: say}]")
        (folder / "link.sh").symlink_to(tmp_path / "out.sh")
        with pytest.raises(ConfigError, match="is outside the provider's folder"):
            only(ws).run({})

    @pytest.mark.parametrize(
        ("code", "kind", "told"),
        [
            ("import sys; sys.exit('no such symbol')", Unavailable, "failed with status 1: no such symbol"),
            ("import sys; sys.exit(3)", Unavailable, "echo.say of provider echo failed with status 3"),
            ("import sys; sys.exit(65)", BadData, "status 65"),
            ("import sys; sys.exit(66)", NotFound, "status 66"),
            ("import sys; sys.exit(75)", TryLater, "status 75"),
            ("import sys; sys.exit(77)", Refused, "status 77"),
            ("import os; os.kill(os.getpid(), 9)", Unavailable, "status -9"),
            ("print('Hello')", BadData, "did not return JSON: Hello"),
            ("pass", BadData, "returned nothing"),
            ("print('NaN')", BadData, "did not return JSON"),
            ("print('[' * 100000)", BadData, "did not return JSON"),
            (r"print('\"\\ud800\"')", BadData, "did not return JSON"),
            ("import sys; sys.stdout.buffer.write(b'\"\\xff\"')", BadData, "did not return JSON"),
            ("print('{}{}')", BadData, "did not return JSON"),
            ("import sys; sys.stdout.write('x' * 5_000_000)", BadData, "the answer exceeds 4000000 bytes"),
        ],
    )
    def test_what_goes_wrong_is_one_line_with_a_status(self, put, ws, code, kind, told):
        put("echo", command(code))
        with pytest.raises(IaError) as failure:
            only(ws).run({})
        assert type(failure.value) is kind
        assert told in str(failure.value)
        assert "\n" not in str(failure.value)

    def test_a_time_limit_ends_it_and_its_children(self, put, ws, tmp_path):
        code = f"import subprocess, time; p = subprocess.Popen(['sleep', '60']); open({str(tmp_path / 'pid')!r}, 'w').write(str(p.pid)); time.sleep(60)"
        put("echo", command(code).replace("{name: say}", "{name: say, timeout: 1.5}"))
        started = time.monotonic()
        with pytest.raises(TryLater, match=r"timed out after 1\.5 s"):
            only(ws).run({})
        assert time.monotonic() - started < 20
        assert gone(int((tmp_path / "pid").read_text()))

    def test_a_child_that_holds_the_output_open_does_not_hold_the_call(self, put, ws):
        put("echo", command("import subprocess; subprocess.Popen(['sleep', '60']); print(1)"))
        started = time.monotonic()
        assert only(ws).run({}) == 1
        assert time.monotonic() - started < 20

    def test_one_that_does_not_read_its_input_answers_all_the_same(self, put, ws):
        put("echo", command("print(1)"))
        assert only(ws).run({"text": "x" * 2_000_000}) == 1

    def test_much_in_and_much_out_at_once(self, put, ws):
        put("echo", command("import sys; sys.stderr.write('e' * 1_000_000); sys.stdout.write(sys.stdin.read())"))
        assert only(ws).run({"text": "x" * 2_000_000})["arguments"]["text"] == "x" * 2_000_000

    def test_its_files_are_closed(self, put, ws):
        put("echo", command("print(1)"))
        only(ws).run({})
        before = len(os.listdir("/dev/fd"))
        only(ws).run({})
        assert len(os.listdir("/dev/fd")) == before


class TestSecrets:
    SECRET = 's3cret-token-äöü"x'

    def test_a_secret_goes_to_the_process_and_nowhere_else(self, put, ws, monkeypatch, home):
        monkeypatch.setenv("ECHO_TOKEN", self.SECRET)
        put("echo", command(ECHO, "env: [ECHO_TOKEN]\nconfig: {token: '${ECHO_TOKEN}'}"))
        told = only(ws).run({})
        assert told["call"]["config"]["token"] == "***"
        assert told["env"]["ECHO_TOKEN"] == "***"
        put(
            "echo",
            command("import json, os, sys; sys.exit(os.environ['ECHO_TOKEN'] + ' is wrong')", "env: [ECHO_TOKEN]"),
        )
        scope = Scope(ws, actor="model x")
        outcome = Router(catalog.provider_tools(ws)).call_tool(scope, "echo.say", {})
        assert "*** is wrong" in outcome.format_text()
        assert "*** is wrong" in audit.events(ws.db, kind="tool")[0].data["error"]
        ws.close()
        assert not [path for path in home.rglob("*") if path.is_file() and self.SECRET.encode() in path.read_bytes()]

    def test_the_process_does_get_it(self, put, ws, monkeypatch):
        monkeypatch.setenv("ECHO_TOKEN", "abcd1234")
        code = "import json, os, sys; print(json.dumps([json.load(sys.stdin)['config']['token'] == 'abcd' + '1234', os.environ['ECHO_TOKEN'][::-1]]))"
        put("echo", command(code, "env: [ECHO_TOKEN]\nconfig: {token: '${ECHO_TOKEN}'}"))
        assert only(ws).run({}) == [True, "4321dcba"]

    def test_it_is_known_in_an_address_and_in_json_too(self, put, ws, monkeypatch):
        monkeypatch.setenv("ECHO_TOKEN", 'a+b/ "c" ü')
        code = "import json, sys, urllib.parse as u; t = json.load(sys.stdin)['config']['t']; print(json.dumps([u.quote(t), u.quote_plus(t), json.dumps(t)]))"
        put("echo", command(code, "config: {t: '${ECHO_TOKEN}'}"))
        assert only(ws).run({}) == ["***", "***", '"***"']

    def test_a_number_is_one_too(self, put, ws, monkeypatch):
        monkeypatch.setenv("ECHO_PIN", "774411")
        put("echo", command('print(\'{"774411": [774411, "at 774411."]}\')', "config: {pin: '${ECHO_PIN}'}"))
        assert only(ws).run({}) == {"***": ["***", "at ***."]}

    def test_a_reference_to_what_is_not_set(self, put, ws):
        put("echo", command(ECHO, "config: {token: '${ECHO_TOKEN}'}"))
        with pytest.raises(ConfigError, match=r"refers to \${ECHO_TOKEN}, which is not set"):
            only(ws).run({})
