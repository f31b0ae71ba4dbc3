"""Secrets: kept for their owner alone, never for a run, and seen by nobody."""

import os
import time

import pytest

from ia.kernel import config
from ia.kernel.errors import ConfigError, UsageError
from support.messages import TOKEN


def test_secrets_are_kept_for_their_owner_alone(ws, home):
    ws.write("config.yaml", "telegram:\n  token: '${BOT}'\n")
    with pytest.raises(ConfigError, match="BOT"):
        config.get_setting("telegram.token")
    assert config.keep_secret("BOT", TOKEN) and not config.keep_secret("BOT", TOKEN)
    assert config.get_setting("telegram.token") == TOKEN
    path = home / ".ia" / "secrets"
    assert path.stat().st_mode & 0o777 == 0o600
    assert not [name for name in os.listdir(path.parent) if name.startswith("secrets.")]
    path.chmod(0o640)
    with pytest.raises(ConfigError, match="is readable by others"):
        config.get_setting("telegram.token")
    with pytest.raises(ConfigError):
        config.keep_secret("OTHER", "x")
    path.chmod(0o600)
    assert config.keep_secret("BOT", None) and not config.load_secrets()


def test_the_environment_goes_before_what_is_kept(monkeypatch):
    config.keep_secret("TELEGRAM_TOKEN", "kept")
    assert config.get_setting("telegram.token") == "kept"
    monkeypatch.setenv("TELEGRAM_TOKEN", "here")
    assert config.get_setting("telegram.token") == "here"


@pytest.mark.parametrize("content", ["", "[1]", "{", '{"a": 1}', "\xff", '{"a": {}}', "[" * 9999])
def test_a_damaged_file_of_secrets_is_reported(home, content):
    (home / ".ia").mkdir(parents=True)
    file = home / ".ia" / "secrets"
    file.write_bytes(content.encode("latin-1"))
    file.chmod(0o600)
    with pytest.raises(ConfigError, match="damaged"):
        config.load_secrets()


def test_secrets_that_would_lock_themselves_out_are_refused(home):
    for number in range(60):
        try:
            config.keep_secret(f"S{number}", "x" * 4000)
        except ConfigError as exc:
            assert "no room" in str(exc)
            break
    else:
        raise AssertionError("no end")
    assert len(config.load_secrets()) == number
    config.keep_secret("S0", None)
    config.keep_secret("LAST", "y")
    assert config.load_secrets()["LAST"] == "y"


def test_no_secret_is_kept_where_others_may_write(ws, home):
    (home / ".ia").mkdir(parents=True, exist_ok=True)
    (home / ".ia").chmod(0o777)
    with pytest.raises(ConfigError, match="is writable by others"):
        config.keep_secret("TOKEN", "abc")
    assert not (home / ".ia" / "secrets").exists()


def test_a_run_has_no_secret_of_listeners_and_channels(ws, monkeypatch):
    ws.write(
        "config.yaml", "webhook: {secret: '${MYHOOK}'}\nchannels: {p: 'json://x/${PHONE}', q: 'x://${TUSHARE_TOKEN}'}\n"
    )
    names = ("MYHOOK", "PHONE", "IA_WEBHOOK_SECRET", "TELEGRAM_TOKEN", "TUSHARE_TOKEN", "OPENAI_API_KEY")
    for name in names:
        monkeypatch.setenv(name, "s")
    kept = config.run_environment({"IA_RUN": "1"})
    assert [name for name in names if name in kept] == ["TUSHARE_TOKEN", "OPENAI_API_KEY"] and kept["IA_RUN"] == "1"
    assert config.env("MYHOOK") == "s"
    ws.write("config.yaml", "webhook: [")
    assert "TELEGRAM_TOKEN" not in config.run_environment({})


def test_a_link_is_not_read_as_the_file_of_secrets(home, tmp_path):
    (home / ".ia").mkdir(parents=True)
    (tmp_path / "else").write_text("{}")
    (home / ".ia" / "secrets").symlink_to(tmp_path / "else")
    with pytest.raises(ConfigError):
        config.load_secrets()


@pytest.mark.parametrize("name", ["", "a b", "1A", "A-B", "../x", "Ä", "A" * 99])
def test_names_of_secrets(name):
    with pytest.raises(UsageError):
        config.keep_secret(name, "x")


def test_the_environment_is_replaced_for_a_while(monkeypatch):
    monkeypatch.setenv("IA_MODEL", "mine")
    monkeypatch.setenv("IA_LANG", "zh")
    monkeypatch.setenv("TZ", "America/New_York")
    before = dict(os.environ)
    with (
        pytest.raises(ZeroDivisionError),
        config.replace_environment({"IA_HOME": "/x", "TZ": "UTC"}, keep=("IA_LANG",)),
    ):
        assert (config.home(), config.env("IA_LANG"), config.env("IA_MODEL")) == ("/x", "zh", None)
        assert time.localtime(0).tm_gmtoff == 0
        with config.replace_environment({"IA_MODEL": "other"}, keep=None):
            assert (config.home(), config.env("IA_MODEL")) == ("/x", "other")
        raise ZeroDivisionError
    assert dict(os.environ) == before and time.localtime(0).tm_gmtoff == -5 * 3600
    monkeypatch.undo()
    time.tzset()


def test_settings_are_read_again_only_where_the_file_changed(ws, home, monkeypatch):
    ws.write("config.yaml", "market: {adapter: demo}\n")
    assert config.get_setting("market.adapter") == "demo"
    with monkeypatch.context() as patch:
        patch.setattr(config.files, "load_cached", None)
        assert config.get_setting("market.adapter") == "demo"
    (home / "config.yaml").write_text("market: {adapter: eastmoney}\n")
    assert config.get_setting("market.adapter") == "eastmoney"
