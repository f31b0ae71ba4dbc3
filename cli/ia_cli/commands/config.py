"""`ia config`: settings."""

import sys

import click

from ia.kernel.errors import BadData, NotFound, UsageError
from ia_cli.terminal.group import Command, CommandGroup
from ia_cli.terminal.input import text_or_stdin
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_rows
from ia_cli.terminal.text import tr


@click.group(cls=CommandGroup, name="config", example="ia config set market.adapter demo")
def config_() -> None:
    """Read and change settings.

    ia reads a setting from the environment (IA_ and the key in capitals, dots as underscores), else from config.yaml
    in the workspace, else uses the default. Write a secret as ${NAME}. ia fills it in when needed: from the
    environment, else from the secret stored with `ia config secret NAME`, which cron jobs can also use. ia never
    prints secrets or channel addresses (channels.NAME).
    """


@config_.command("get", cls=Command, example="ia config get market.adapter")
@click.argument("key")
def get(key: str) -> None:
    """Print the value of a setting without resolving references to secrets."""
    from ia.kernel import config

    value, _origin = config.locate_setting(key)
    click.echo(config.redact_value(key, value))


@config_.command("set", cls=Command, example="ia config set market.csv.dir ~/prices")
@click.argument("key")
@click.argument("value")
def set_(key: str, value: str) -> None:
    """Change a setting in config.yaml, keeping comments; an empty VALUE removes it."""
    from ia.kernel import config
    from ia.kernel.workspace import Workspace

    config.edit_config_text("", key, value)
    if key == "market.adapter":
        from ia.organs.ohlcv.adapters import load_adapter

        for name in filter(None, value.split(",")):
            load_adapter(name.strip())
    if config.is_channel_key(key) and value:
        from ia.organs.channels import channel_registry

        channel_registry.check_address(key.removeprefix(channel_registry.PREFIX), value)
    if key.startswith("risk.") and value:
        from ia.organs.ledger import guard

        guard.parse_limit(key, value)
    if key == "messaging.default":
        from ia.organs.channels import channel_registry

        channel_registry.check_default(value)
    if key == "model" and value:
        _warn_of_unknown_model(value)
    ws = Workspace()
    with ws.lock():
        text = config.edit_config_text(ws.read("config.yaml") or "", key, value)
        ws.write("config.yaml", text, event="config.set", key=key)


def _warn_of_unknown_model(name: str) -> None:
    """Tell of a model that no plugin knows, or that cannot be used yet: its plugin or key may still come."""
    from ia.agent.turns import models
    from ia.kernel.errors import IaError, Message
    from ia_cli.terminal.output import notify, tell_hint

    try:
        models.load_model(name)
    except IaError as error:
        notify(Message("{reason}; the setting was changed anyway", reason=error))
        if error.hint:
            tell_hint(error.hint, **error.params)
        tell_hint("`ia-offline` is the embedded analyst, which needs no model")


@config_.command("unset", cls=Command, example="ia config set lang en; ia config unset lang")
@click.argument("key")
def unset(key: str) -> None:
    """Remove a setting from config.yaml and restore its default."""
    from ia.kernel import config
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    with ws.lock():
        if config.locate_setting(key)[1] != "config.yaml":
            raise NotFound("{key} is not set in config.yaml", key=key)
        text = config.edit_config_text(ws.read("config.yaml") or "", key, "")
        ws.write("config.yaml", text, event="config.set", key=key)


@config_.command("list", cls=Command, example="ia config list risk --json")
@click.argument("prefix", default="")
@rows_options
def list_(prefix: str, as_json: bool, as_jsonl: bool) -> None:
    """List settings with value, origin and description.

    With PREFIX, lists only keys that begin with it, such as `risk`.
    """
    from ia.kernel import config

    rows = []
    keys = [key for key in config.setting_names() if key.startswith(prefix.casefold())]
    if not keys:
        raise NotFound("no setting begins with {prefix}", prefix=prefix[:60], hint="`ia config list` lists all keys")
    for key in keys:
        value, origin = config.locate_setting(key)
        channel = "destination of this channel's messages" if config.is_channel_key(key) else ""
        about = tr(config.SPEC[key].text if key in config.SPEC else channel)
        rows.append({"key": key, "value": config.redact_value(key, value), "origin": origin, "about": about})
    emit_rows(rows, ("key", "value", "origin", "about"), as_json=as_json, as_jsonl=as_jsonl)


@config_.command("secret", cls=Command, example="echo 123456:ABC | ia config secret TELEGRAM_TOKEN")
@click.argument("name", required=False)
@click.option("--remove", is_flag=True, help="Delete the secret.")
@json_option
def secret(name: str | None, remove: bool, as_json: bool) -> None:
    """Store a secret that settings refer to as ${NAME}; without NAME, list all names.

    At a terminal ia asks for the value and does not show it; otherwise it reads standard input. The value is never an
    argument, because other users of the machine can see arguments. ia stores it in .ia/secrets of the workspace, which
    only you can read. An environment variable of the same name takes precedence. --remove deletes it.
    """
    from ia.kernel import audit, config
    from ia.kernel.workspace import Workspace

    if name is None:
        if remove:
            raise UsageError(
                "missing {what}", what="NAME", path="ia config secret", hint="`{path} --help` shows the usage"
            )
        rows = [{"name": kept} for kept in sorted(config.load_secrets())]
        emit_rows(rows, ("name",), as_json=as_json)
        return
    config.check_secret_name(name)  # before standard input is read to its end
    value = None if remove else _read_secret(name)
    ws = Workspace()
    with ws.lock():
        changed = config.keep_secret(name, value)
        if changed:
            audit.record(ws.db, "config.secret", name, removed=remove)
    if remove and not changed:
        raise NotFound("no secret named {name}", name=name[:80], hint="`ia config secret` lists all names")


def _read_secret(name: str) -> str:
    """Return the value of a secret, from a prompt that does not show it or from standard input."""
    if sys.stdin is not None and sys.stdin.isatty():
        value = click.prompt(name, hide_input=True, err=True, prompt_suffix=": ")
    else:
        value = text_or_stdin(None, "VALUE")
    value = str(value).strip()
    if not value or not value.isprintable() or len(value) > 4000:
        raise BadData("a secret must be one line of at most {limit} characters", limit=4000)
    return value
