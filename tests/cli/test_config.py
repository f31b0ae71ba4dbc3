"""ia config: comments survive, secrets stay outside, the environment wins."""

import pytest

from ia.kernel import config


def test_a_setting_comes_from_the_environment_then_the_file_then_the_default(ia):
    assert ia("config", "get", "market.adapter").stdout == "akshare\n"
    assert ia("config", "set", "market.adapter", "demo").returncode == 0
    assert ia("config", "get", "market.adapter").stdout == "demo\n"
    assert ia("config", "get", "market.adapter", env={"IA_MARKET_ADAPTER": "csv"}).stdout == "csv\n"
    assert ia("config", "set", "market.adapter", "").returncode == 0
    assert ia("config", "get", "market.adapter").stdout == "akshare\n"


def test_comments_and_unknown_neighbors_survive(ia, home):
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text("# mine\nmarket:\n  adapter: csv # for now\n  acme:\n    region: eu\n")
    assert ia("config", "set", "market.csv.dir", "/prices").returncode == 0
    text = (home / "config.yaml").read_text()
    assert "# mine" in text and "# for now" in text and "region: eu" in text and "dir: /prices" in text


def test_an_edit_by_hand_is_seen_at_once(ia, home):
    ia("config", "set", "market.adapter", "csv")
    assert ia("config", "get", "market.adapter").stdout == "csv\n"
    (home / "config.yaml").write_text("market:\n  adapter: demo\n")
    assert ia("config", "get", "market.adapter").stdout == "demo\n"
    (home / "config.yaml").unlink()
    assert ia("config", "get", "market.adapter").stdout == "akshare\n"


def test_secrets_are_references_and_never_printed(ia, home):
    run = ia("config", "set", "market.tushare.token", "s3cr3t-value")
    assert run.returncode == 2
    assert "s3cr3t-value" not in run.stdout + run.stderr
    assert ia("config", "set", "market.tushare.token", "${MY_TOKEN}").returncode == 0
    shown = ia("config", "list", "--json", env={"MY_TOKEN": "s3cr3t-value", "IA_MARKET_TUSHARE_TOKEN": "t0k3n-value"})
    assert "s3cr3t-value" not in shown.stdout and "t0k3n-value" not in shown.stdout
    assert ia("config", "get", "market.tushare.token", env={"MY_TOKEN": "s3cr3t-value"}).stdout == "${MY_TOKEN}\n"
    assert "s3cr3t-value" not in (home / "config.yaml").read_text()


def test_what_stands_under_a_mistyped_key_is_not_printed(ia, home):
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(
        "channels:\n  Phone: tgram://T0KEN/1\n  me: json://T0KEN\n  mail: {url: mailto://a:T0KEN@b}\n"
        "telegram: {tokn: T0KEN}\nChannels: {x: tgram://T0KEN}\n"
    )
    for words in (["config", "list"], ["config", "list", "--json"], ["config", "get", "channels.Phone"], ["doctor"]):
        run = ia(*words)
        assert "T0KEN" not in run.stdout + run.stderr, words
    assert '"key": "channels.Phone", "value": "***"' in ia("config", "list", "--json").stdout
    (home / "config.yaml").write_text("channels: tgram://T0KEN/1\n")
    assert "T0KEN" not in ia("config", "list").stdout


@pytest.mark.parametrize("key", ["telegram.users", "turn.timeout", "messaging.default", "market.adapter", "lang"])
@pytest.mark.share(3)
def test_a_secret_under_the_wrong_key_is_not_echoed(ia, home, key):
    run = ia("config", "set", key, "${TELEGRAM_TOKEN}", env={"TELEGRAM_TOKEN": "42:s3cr3t-value"})
    assert run.returncode == 2 and "${TELEGRAM_TOKEN}" in run.stderr and "s3cr3t" not in run.stderr
    home.mkdir(exist_ok=True)
    first, _, last = key.rpartition(".")
    (home / "config.yaml").write_text(
        f"{first}:\n  {last}: 7${{TELEGRAM_TOKEN}}\n" if first else f"{last}: ${{TELEGRAM_TOKEN}}\n"
    )
    for words in (["doctor"], ["listen", "telegram", "--once"], ["turn", "x"], ["send", "x"], ["quote", "茅台"]):
        run = ia(*words, env={"TELEGRAM_TOKEN": "42:s3cr3t-value", "IA_TELEGRAM_OWNER": "1"})
        assert "s3cr3t" not in run.stdout + run.stderr, words


def test_values_are_checked(ia):
    for key, value in (
        ("compute.timeout", "soon"),
        ("compute.timeout", "-1"),
        ("compute.timeout", "nan"),
        ("compute.isolation", "maybe"),
        ("lang", "fr"),
    ):
        run = ia("config", "set", key, value)
        assert (run.returncode, run.stdout) == (2, ""), key


@pytest.mark.parametrize(
    ("name", "value"),
    [("telegram.owner", "abc"), ("telegram.owner", "1,2"), ("telegram.owner", "041"), ("telegram.users", "41, @wei")],
)
def test_a_user_id_is_a_number(ia, name, value):
    refused = ia("config", "set", name, value)
    assert refused.returncode == 2 and "is not a user id (a number)" in refused.stderr
    assert ia("config", "set", name, "41").returncode == 0


@pytest.mark.parametrize(
    ("name", "variable"), [("webhook.secret", "IA_WEBHOOK_SECRET"), ("telegram.token", "TELEGRAM_TOKEN")]
)
def test_where_a_secret_is_kept_is_said(ia, name, variable):
    refused = ia("config", "set", name, "abcdef")
    assert refused.returncode == 2 and f"hint: just run `ia config secret {variable}`" in refused.stderr


def test_a_reference_to_nothing_is_reported(monkeypatch, home):

    from ia.kernel.errors import ConfigError

    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text("market:\n  tushare:\n    token: ${NOT_THERE}\n")
    with pytest.raises(ConfigError, match="NOT_THERE"):
        config.get_setting("market.tushare.token")
    monkeypatch.setenv("NOT_THERE", "abc")
    assert config.get_setting("market.tushare.token") == "abc"


def test_a_change_is_an_event_and_can_be_seen(ia):
    ia("config", "set", "lang", "en")
    assert "config.set" in ia("log", "--kind", "config").stdout


@pytest.mark.parametrize(
    "text",
    ["x: 2024-99-99", "x: " + "9" * 5000, 'x: !!int "abc"', "a: &a {b: *a}", "[" * 3000, "x: !!python/object/apply:os.system [id]",
     "\x00", " - x", "a: [[1, 2]]", "a: &a [x, x]\nb: [*a, *a]", "a: 1\na: 2"],
)  # fmt: skip
def test_a_hostile_file_is_78_at_once(ia, home, text):
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(text)
    run = ia("config", "list", timeout=5)
    assert (run.returncode, run.stdout) == (78, "")
    assert run.stderr.startswith("ia: config.yaml")
    assert len(run.stderr.splitlines()) == 1


def test_a_list_is_a_comma_list(ia, home):
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text("market:\n  adapter: [csv, demo]\n")
    assert ia("config", "get", "market.adapter").stdout == "csv,demo\n"


def test_the_adapter_must_exist(ia):
    run = ia("config", "set", "market.adapter", "demo,bogus")
    assert run.returncode == 78
    assert "bogus" in run.stderr


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("risk.position_pct", "900"),
        ("risk.position_pct", "0"),
        ("risk.day_stop_pct", "8%"),
        ("risk.stop_loss_pct", "seven"),
        ("risk.cooling_hours", "-1"),
        ("risk.rise_pct", "nan"),
    ],
)
def test_a_limit_of_risk_must_be_one(ia, home, key, value):
    ia("init")
    before = (home / "config.yaml").read_bytes() if (home / "config.yaml").exists() else None
    done = ia("config", "set", "--", key, value)
    assert done.returncode in (2, 78), done.stderr
    assert done.stderr.startswith(f"ia: {key}")
    assert (home / "config.yaml").read_bytes() == before if before is not None else not (home / "config.yaml").exists()
    assert ia("config", "set", key, "").returncode == 0
    assert ia("account").returncode == 0


def test_a_skill_may_have_settings_of_its_own(ia):
    assert ia("config", "set", "skills.garden.depth", "3").returncode == 0
    assert ia("config", "get", "skills.garden.depth").stdout == "3\n"
    assert ia("config", "set", "skills.garden", "3").returncode == 2
