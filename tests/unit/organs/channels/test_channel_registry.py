"""Channels and their addresses: what config says, and no secret written out."""

import pytest

from ia.kernel import config
from ia.kernel.errors import UsageError
from ia.organs.channels import channel_registry, sending
from ia.organs.channels import telegram_channel as bot
from support.messages import TOKEN


def test_channels_are_what_config_says(ws, monkeypatch):
    assert (
        channel_registry.channel_names() == ["cli"]
        and channel_registry.default_channels() == ["cli"]
        and channel_registry.find_problems() == []
    )
    ws.write(
        "config.yaml",
        "channels:\n  phone: ntfy://x\n  team: mailto://a@b.example\nmessaging:\n  default: [phone, cli]\n",
    )
    assert channel_registry.channel_names() == ["cli", "phone", "team"] and channel_registry.resolve_recipient(
        "me"
    ) == ["phone", "cli"]
    monkeypatch.setenv("IA_CHANNELS_PAGER", "ntfy://y")
    assert (
        channel_registry.resolve_recipient("pager") == ["pager"]
        and channel_registry.channel_address("pager") == "ntfy://y"
    )


def test_problems_are_reported_without_the_address(ws):
    ws.write(
        "config.yaml",
        "channels:\n  a: foo://TOPSECRET\n  b: 'tgram://${NO_SUCH}/1'\n  c: tgram://TOPSECRET\n  d: TOPSECRET\n  e: ntfy://x\n  f: telegram:7\n"
        "messaging:\n  default: gone\n",
    )
    told = [str(problem) for problem in channel_registry.find_problems()]
    assert [line.partition(":")[0] for line in told] == ["a", "b", "c", "d", "f", "messaging.default"]
    assert "no service uses this scheme" in told[0] and "NO_SUCH" in told[1] and "address is incomplete" in told[2]
    assert "TOPSECRET" not in str(told)


SECRET = [
    "tgram://123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0/12", "mailto://u:pw@gmail.com", "json://u:p%40@h/",
    "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ", "gotify://127.0.0.1/abcdef", "bark://127.0.0.1/key",
    "json://h/?token=abc", "json://h/?+X-Api-Key=abc", "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js", "pover://user@token",
    "json://h/0123456789abcdef0123456789abcdef",
]  # fmt: skip
PLAIN = [
    "json://127.0.0.1:8080", "json://me@example.com/inbox/messages", "ntfy://my-topic", "ntfy://ntfy.example.com/alerts",
    "mailto://me@example.com", "telegram:123456789", "tgram://${TG_TOKEN}/123456789", "form://[::1]:80/",
    "mailto://u:${PASSWORD}@gmail.com", "slack://${A}/${B}/${C}", "${PHONE}", "json://h/?token=${TOKEN}",
    "json://a-long-name-of-a-host.example-company.com/", "xml://h/2024/reports",
]  # fmt: skip


@pytest.mark.parametrize("address", SECRET)
def test_a_secret_written_out_is_refused(address):
    with pytest.raises(UsageError, match="secrets do not belong in") as failure:
        channel_registry.check_address("phone", address)
    assert address not in str(failure.value.params) + str(failure.value)


@pytest.mark.parametrize("address", PLAIN)
def test_a_plain_address_and_references_are_taken(address, monkeypatch):
    monkeypatch.setenv("TELEGRAM_TOKEN", TOKEN)
    if not address.startswith("${"):
        channel_registry.check_address("phone", address)
    assert "***" in config.redact_value("channels.phone", address)
    assert address not in config.redact_value("channels.phone", address)


def test_names_of_channels(ws):
    for name in (
        "channels.Phone",
        "channels.cli",
        "channels.me",
        "channels.a b",
        "channels.",
        "channels.a.b",
        "channels.-a",
    ):
        with pytest.raises(UsageError):
            config.check_key(name)
    config.check_key("channels.my_phone-2")


def test_a_scheme_of_another_package_is_found_and_what_breaks_in_it_says_nothing(ws, tmp_path, monkeypatch):
    (tmp_path / "pager.py").write_text(
        "class Pager:\n"
        "    def __init__(self, address):\n        self.address = address\n"
        "    def send(self, text, title=''):\n"
        "        if 'broken' in text:\n            raise RuntimeError(self.address)\n"
        "        with open(self.address.partition(':')[2], 'a') as file:\n            file.write(f'{title}|{text}')\n"
    )
    info = tmp_path / "pager-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pager\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[ia.channels]\npager = pager:Pager\ngone = nowhere:X\ntelegram = pager:Pager\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    ws.write("config.yaml", f"channels:\n  p: pager:{tmp_path}/out\n  g: gone:x\n  t: telegram:7\n")
    assert sending.send_message(ws, "x", to="p", title="T")[0].state == "sent"
    assert (tmp_path / "out").read_text() == "T|x"
    assert sending.send_message(ws, "broken", to="p")[0].error == "the channel's code failed"
    assert [str(problem).split(": ")[0] for problem in channel_registry.find_problems()] == ["g", "t"]
    monkeypatch.setenv("TELEGRAM_TOKEN", TOKEN)
    assert type(channel_registry.open_channel("telegram:7")) is bot.Telegram  # ours cannot be taken over
