"""PROVIDER.md: who a provider is, what it starts, which settings it gets, and which tools it has.

What is read here is kept as JSON beside the other caches, since YAML costs too much to be parsed at each turn; so a
manifest is made from plain values and may be made again from the same.
"""

import re
from dataclasses import dataclass, field

from ia.faculties.providers.parameters import build_schema, fold_description
from ia.kernel.errors import BadData, Message
from ia.kernel.formats.frontmatter import split_text
from ia.kernel.formats.yaml import load_yaml
from ia.kernel.jsontypes import Json

FOLDER = ".claude/providers"
FILE = "PROVIDER.md"
READ, CONFIRM = "read", "confirm"
RESERVED = frozenset(
    {
        "ia",
        "soul",
        "check",
        "collect_info",
        "knowledge",
        "search_knowledge",
        "show_advice",
        "show_insight",
        "show_report",
        "settings",
        "market",
        "compute",
        "indicator",
        "notebook",
        "memory",
        "skills",
        "tasks",
        "subagents",
        "messaging",
        "proposals",
        "account",
        "trade",
        "risk",
        "watch",
        "alert",
        "session",
        "backtest",
    }
)
"""Organs of ia. What is allowed for `memory.*` must never reach a stranger's tool."""
CLOCK = "IA_NOW"
"""A provider that is given it in `env` obeys `--now`: only such a one is asked under a clock in the past."""
SECONDS, MAX_SECONDS = 20.0, 600.0
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_TOOL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+){1,2}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class ManifestEntry:
    """A tool as PROVIDER.md names it; for an MCP server a pattern that says which of its tools are offered, and how.

    name      `calendar.trading`; as the server writes it where there is one
    schema    JSON Schema of the arguments
    argv      more words of the command
    seconds   time limit
    risk      READ or CONFIRM, None: as the server says
    check     arguments that `ia provider test` calls it with; None: it is not called
    """

    name: str
    description: str = ""
    schema: Json = field(default_factory=lambda: build_schema(None, ""))
    argv: tuple[str, ...] = ()
    seconds: float = SECONDS
    risk: str | None = None
    check: Json | None = None


@dataclass(frozen=True)
class Manifest:
    """A provider: `command` is what each call starts, or with `server` what is started once and speaks MCP.

    figures   whether it answers with figures alone: the person who approves it says so
    requires  settings without which its tools are offered to nobody
    """

    name: str
    description: str = ""
    version: str = ""
    enabled: bool = True
    command: tuple[str, ...] = ()
    server: bool = False
    env: tuple[str, ...] = ()
    config: Json = field(default_factory=dict)
    entries: tuple[ManifestEntry, ...] = ()
    figures: bool = False
    requires: tuple[str, ...] = ()


def parse_front(text: str, path: str) -> Json:
    """Return the front matter of PROVIDER.md as plain values.

    raises  BadData where there is none, or it is not YAML.
    """
    head, _ = split_text(text, path)
    if head is None:
        raise BadData(
            "{path}: front matter is missing", path=path, hint="begin the file with a line `---`; see ia-provider(5)"
        )
    tree = load_yaml(head, path)
    if not isinstance(tree, dict):
        raise BadData("{path}: the front matter must be `key: value` lines", path=path)
    return tree


def parse_manifest(tree: Json, folder: str, path: str) -> Manifest:
    """Return the manifest that a front matter is.

    folder  name of the provider's folder, which is its name
    raises  BadData that names the field.
    """
    name = str(tree.get("name", folder))
    if name != folder or not _NAME.fullmatch(name) or len(name) > 40:
        raise _invalid_field_error(path, "name", Message("the folder's name, in lower-case letters, digits and -"))
    server = tree.get("mcp")
    if server is not None and not isinstance(server, dict):
        raise _invalid_field_error(path, "mcp", Message("a mapping with `command` and `env`"))
    if (server is None) == (tree.get("command") is None):
        raise BadData(
            "{path}: say what to start with either `command` or `mcp`",
            path=path,
            hint="see ia-provider(5) for the format",
        )
    own = tree if server is None else server
    if server is not None and tree.get("config"):
        raise BadData("{path}: `config` works only with `command`; an MCP server uses `mcp.env`", path=path)
    env = tuple(_parse_texts(own.get("env"), path, "env"))
    if not all(_VARIABLE.fullmatch(item) for item in env):
        raise _invalid_field_error(path, "env", Message("a list of variable names"))
    config = tree.get("config") or {}
    if not isinstance(config, dict):
        raise _invalid_field_error(path, "config", Message("a mapping"))
    command = tuple(_parse_texts(own.get("command"), path, "command"))
    if not command or not command[0]:
        raise _invalid_field_error(path, "command", Message("a list: the program and its arguments"))
    entries = tuple(
        _parse_entry(item, name, path, server is not None) for item in _parse_list(tree.get("tools"), path, "tools")
    )
    if server is None and not entries:
        raise BadData("{path}: `tools` lists no tools", path=path)
    return Manifest(
        name,
        fold_description(tree.get("description")),
        str(tree.get("version") or "")[:40],
        tree.get("enabled") is not False,
        command,
        server is not None,
        env,
        config,
        entries,
        tree.get("figures") is True,
        tuple(_parse_texts(tree.get("requires"), path, "requires")),
    )


def qualify_name(name: str, provider: str) -> str:
    """Return a tool's name as it is called: with the provider's before it where it has no organ of its own."""
    return name if "." in name else f"{provider}.{name}"


def is_valid_name(name: str) -> bool:
    """Whether a tool can have this name: models take 64 letters, digits, - and _."""
    return bool(_TOOL.fullmatch(name)) and len(name) <= 64


def _parse_entry(written: object, provider: str, path: str, server: bool) -> ManifestEntry:
    if isinstance(written, str):
        written = {"name": written}
    if not isinstance(written, dict) or not isinstance(written.get("name"), str):
        raise _invalid_field_error(path, "tools", Message("a list of tools, each with a name"))
    name = written["name"] if server else qualify_name(written["name"], provider)
    if not server and not is_valid_name(name):
        raise _invalid_field_error(path, f"tools: {name[:80]}", Message("a name like calendar.trading"))
    risk = written.get("risk", None if server else READ)
    if risk not in (READ, CONFIRM, None):
        raise _invalid_field_error(path, f"{name}: risk", Message("read or confirm"))
    check = written.get("test")
    if check is not None and not isinstance(check, dict):
        raise _invalid_field_error(path, f"{name}: test", Message("a mapping of arguments"))
    argv = tuple(_parse_texts(written.get("argv"), path, f"{name}: argv"))
    try:
        seconds = float(str(written.get("timeout", SECONDS)))
        if not 0 < seconds <= MAX_SECONDS:
            raise ValueError
    except ValueError:
        raise _invalid_field_error(
            path, f"{name}: timeout", Message("a number of seconds, at most {most:g}", most=MAX_SECONDS)
        ) from None
    schema = build_schema(written.get("parameters"), f"{path}: {name}: parameters")
    return ManifestEntry(name, fold_description(written.get("description")), schema, argv, seconds, risk, check)


def _parse_list(value: object, path: str, what: str) -> list[object]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _invalid_field_error(path, what, Message("a list"))
    return value


def _parse_texts(value: object, path: str, what: str) -> list[str]:
    items = _parse_list(value, path, what)
    if not all(isinstance(item, str | int | float) and "\0" not in str(item) for item in items):
        raise _invalid_field_error(path, what, Message("a list of strings"))
    return [str(item) for item in items]


def _invalid_field_error(path: str, what: str, must: Message) -> BadData:
    return BadData("{path}: {field} must be {what}", path=path, field=what, what=must)
