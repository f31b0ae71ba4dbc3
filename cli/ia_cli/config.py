"""`ia config`: settings."""

import click

from ia_cli._group import Command, Group
from ia_cli._options import rows_options
from ia_cli._out import emit_rows
from ia_cli._text import tr


@click.group(cls=Group, name="config", example="ia config set market.adapter demo")
def config_() -> None:
    """Read and change settings.

    A setting comes from the environment (IA_ and the key in capitals, dots as underscores), else from config.yaml in
    the workspace, else it has its default. Secrets stay in the environment: write ${NAME}, and it is filled in when
    needed.
    """


@config_.command("get", cls=Command, example="ia config get market.adapter")
@click.argument("key")
def get(key: str) -> None:
    """Print the value of a setting; a reference stays a reference."""
    from ia import config

    value, _origin = config.lookup(key)
    click.echo(config.shown(key, value))


@config_.command("set", cls=Command, example="ia config set market.csv.dir ~/prices")
@click.argument("key")
@click.argument("value")
def set_(key: str, value: str) -> None:
    """Change a setting in config.yaml; an empty VALUE takes it out. Comments in the file stay."""
    from ia import config
    from ia.workspace import Workspace

    if key == "market.adapter":
        from ia.ohlcv.adapters import load

        for name in filter(None, value.split(",")):
            load(name.strip())
    ws = Workspace()
    with ws.lock():
        text = config.edited(ws.read("config.yaml") or "", key, value)
        ws.write("config.yaml", text, event="config.set", key=key)


@config_.command("list", cls=Command, example="ia config list --json")
@rows_options
def list_(as_json: bool, as_jsonl: bool) -> None:
    """List all settings: value, where it comes from, what it is for."""
    from ia import config

    rows = []
    for key in config.names():
        value, origin = config.lookup(key)
        about = tr(config.SPEC[key].text) if key in config.SPEC else ""
        rows.append({"key": key, "value": config.shown(key, value), "origin": origin, "about": about})
    emit_rows(rows, ("key", "value", "origin", "about"), as_json=as_json, as_jsonl=as_jsonl)
