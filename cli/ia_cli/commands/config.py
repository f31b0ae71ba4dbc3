"""`ia config`: settings."""

import sys

import click

from ia.kernel.errors import BadData, NotFound, UsageError
from ia_cli.terminal.group import Command, Group
from ia_cli.terminal.input import text_or_stdin
from ia_cli.terminal.options import json_option, rows_options
from ia_cli.terminal.output import emit_rows
from ia_cli.terminal.text import tr


@click.group(cls=Group, name="config", example="ia config set market.adapter demo")
def config_() -> None:
    """Read and change settings.

    A setting comes from the environment (IA_ and the key in capitals, dots as underscores), else from config.yaml in
    the workspace, else it has its default. A secret is written as ${NAME}, and filled in when needed: from the
    environment, else from what `ia config secret NAME` keeps, which cron's jobs have too. Neither secrets nor the
    addresses of channels (channels.NAME) are ever printed.
    """


@config_.command("get", cls=Command, example="ia config get market.adapter")
@click.argument("key")
def get(key: str) -> None:
    """Print the value of a setting; a reference stays a reference."""
    from ia.kernel import config

    value, _origin = config.lookup(key)
    click.echo(config.shown(key, value))


@config_.command("set", cls=Command, example="ia config set market.csv.dir ~/prices")
@click.argument("key")
@click.argument("value")
def set_(key: str, value: str) -> None:
    """Change a setting in config.yaml; an empty VALUE takes it out. Comments in the file stay."""
    from ia.kernel import config
    from ia.kernel.workspace import Workspace

    config.edited("", key, value)
    if key == "market.adapter":
        from ia.organs.ohlcv.adapters import load

        for name in filter(None, value.split(",")):
            load(name.strip())
    if config.channel(key) and value:
        from ia.organs.channels import known

        known.check(key.removeprefix(known.PREFIX), value)
    if key.startswith("risk.") and value:
        from ia.organs.ledger import guard

        guard.parse_limit(key, value)
    if key == "messaging.default":
        from ia.organs.channels import known

        known.check_default(value)
    if key == "model" and value:
        _warn_of_unknown_model(value)
    ws = Workspace()
    with ws.lock():
        text = config.edited(ws.read("config.yaml") or "", key, value)
        ws.write("config.yaml", text, event="config.set", key=key)


def _warn_of_unknown_model(name: str) -> None:
    """Tell of a model that no plugin knows, or that cannot be used yet: its plugin or key may still come."""
    from ia.agent.turns import models
    from ia.kernel.errors import IaError, Message
    from ia_cli.terminal.output import hint, notify

    try:
        models.load(name)
    except IaError as error:
        notify(Message("{reason}; the setting is changed all the same", reason=error))
        if error.hint:
            hint(error.hint, **error.params)
        hint("`ia-offline` is the embedded analyst, which needs no model")


@config_.command("unset", cls=Command, example="ia config set lang en; ia config unset lang")
@click.argument("key")
def unset(key: str) -> None:
    """Take a setting out of config.yaml: its default holds again."""
    from ia.kernel import config
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    with ws.lock():
        if config.lookup(key)[1] != "config.yaml":
            raise NotFound("{key} is not set in config.yaml", key=key)
        text = config.edited(ws.read("config.yaml") or "", key, "")
        ws.write("config.yaml", text, event="config.set", key=key)


@config_.command("list", cls=Command, example="ia config list risk --json")
@click.argument("prefix", default="")
@rows_options
def list_(prefix: str, as_json: bool, as_jsonl: bool) -> None:
    """List settings: value, where it comes from, what it is for.

    With PREFIX only those whose key begins with it, such as `risk`.
    """
    from ia.kernel import config

    rows = []
    keys = [key for key in config.names() if key.startswith(prefix.casefold())]
    if not keys:
        raise NotFound("no setting begins with {prefix}", prefix=prefix[:60], hint="`ia config list` shows the keys")
    for key in keys:
        value, origin = config.lookup(key)
        channel = "where the messages of this channel go" if config.channel(key) else ""
        about = tr(config.SPEC[key].text if key in config.SPEC else channel)
        rows.append({"key": key, "value": config.shown(key, value), "origin": origin, "about": about})
    emit_rows(rows, ("key", "value", "origin", "about"), as_json=as_json, as_jsonl=as_jsonl)


@config_.command("secret", cls=Command, example="echo 123456:ABC | ia config secret TELEGRAM_TOKEN")
@click.argument("name", required=False)
@click.option("--remove", is_flag=True, help="Forget the secret.")
@json_option
def secret(name: str | None, remove: bool, as_json: bool) -> None:
    """Keep a secret for settings that refer to it as ${NAME}; without NAME, list the names.

    The value is asked for at a terminal and not shown, or read from standard input: never an argument, which other
    users of the machine can see. It lies in .ia/secrets of the workspace, which only you can read; a variable of the
    same name in the environment goes before it. --remove forgets it.
    """
    from ia.kernel import audit, config
    from ia.kernel.workspace import Workspace

    if name is None:
        if remove:
            raise UsageError(
                "missing {what}", what="NAME", path="ia config secret", hint="`{path} --help` shows the usage"
            )
        rows = [{"name": kept} for kept in sorted(config.secrets())]
        emit_rows(rows, ("name",), as_json=as_json)
        return
    config.check_secret(name)  # before standard input is read to its end
    value = None if remove else _asked(name)
    ws = Workspace()
    with ws.lock():
        changed = config.keep_secret(name, value)
        if changed:
            audit.record(ws.db, "config.secret", name, removed=remove)
    if remove and not changed:
        raise NotFound("there is no secret {name}", name=name[:80], hint="`ia config secret` lists them")


def _asked(name: str) -> str:
    """Return the value of a secret, from a prompt that does not show it or from standard input."""
    if sys.stdin is not None and sys.stdin.isatty():
        value = click.prompt(name, hide_input=True, err=True, prompt_suffix=": ")
    else:
        value = text_or_stdin(None, "VALUE")
    value = str(value).strip()
    if not value or not value.isprintable() or len(value) > 4000:
        raise BadData("a secret is one line of at most {limit} characters", limit=4000)
    return value
