"""The providers of a workspace and their tools: read from the disk, and checked against each other.

Nothing is started to know what there is. The tools of an MCP server are those that it listed when a person last ran
`ia provider test`: a server cannot change what it offers behind the user's back.
"""

import contextlib
import os
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from ia.faculties.providers import cache
from ia.faculties.providers.manifest import (
    CLOCK,
    CONFIRM,
    FILE,
    FOLDER,
    READ,
    RESERVED,
    SECONDS,
    Entry,
    Manifest,
    front,
    named_well,
    parse,
)
from ia.faculties.providers.parameters import sound, words
from ia.kernel.errors import BadData, IaError, NotFound
from ia.kernel.workspace import Workspace, named

if TYPE_CHECKING:
    from ia.faculties.providers.server import Server


class Declared(NamedTuple):
    """A tool that a provider brings.

    run      called with the arguments as one mapping; returns what JSON can hold, or raises IaError
    schema   JSON Schema of the arguments
    seconds  its own time limit; `run` keeps it
    risk     READ or CONFIRM
    check    arguments for a trial call, or None
    figures  whether PROVIDER.md says that its answers are figures
    timely   whether its program is told `--now` (IA_NOW)
    """

    name: str
    description: str
    schema: dict[str, Any]
    run: Callable[[dict[str, Any]], Any]
    seconds: float
    risk: str
    provider: str
    check: dict[str, Any] | None = None
    figures: bool = False
    timely: bool = False


@dataclass(frozen=True)
class Provider:
    """A provider as it stands: its manifest where it can be read, its tools, and what is wrong with it."""

    name: str
    manifest: Manifest | None
    tools: tuple[Declared, ...] = ()
    problem: IaError | None = None

    @property
    def description(self) -> str:
        """What it is for, in its own words."""
        return self.manifest.description if self.manifest else ""

    @property
    def version(self) -> str:
        """Its version, or ""."""
        return self.manifest.version if self.manifest else ""

    @property
    def enabled(self) -> bool:
        """Whether PROVIDER.md does not say `enabled: false`."""
        return self.manifest is None or self.manifest.enabled


def listed(ws: Workspace) -> list[Provider]:
    """Return the providers of a workspace by name; one whose tools cannot be offered says why in `problem`.

    Cost: a stat each, once their front matter has been read.
    """
    taken: dict[str, str] = {}
    found = []
    for name in _names(ws):
        provider = _read(ws, name)
        problem = provider.problem or _collision(provider, taken)
        if problem is not None:
            provider = replace(provider, tools=(), problem=problem)
        elif provider.enabled:
            taken |= {_wire(tool.name): name for tool in provider.tools}
        found.append(provider)
    return found


def tools(ws: Workspace) -> list[Declared]:
    """Return the tools of all providers that are enabled and sound."""
    return [tool for provider in listed(ws) if provider.enabled for tool in provider.tools]


def find(ws: Workspace, name: str) -> Provider:
    """Return one provider.

    raises  NotFound.
    """
    provider = next((provider for provider in listed(ws) if provider.name == name), None)
    if provider is None:
        raise NotFound("{name}: no such provider", name=name[:80], hint="`ia provider list` shows them")
    return provider


def refresh(ws: Workspace, name: str) -> Provider:
    """Make sure that a provider can be started, and return it as it then stands.

    An MCP server is started and asked for its tools, which are kept until its PROVIDER.md changes or it is asked again.
    raises  NotFound; what is wrong with PROVIDER.md; ConfigError for a program, a variable that is not there; what
            asking the server raises.
    """
    provider = find(ws, name)
    if provider.manifest is None:
        raise provider.problem or NotFound("{name}: no such provider", name=name)
    if provider.manifest.server:
        cache.keep(ws, name, discovered=_server(ws, provider.manifest).tools(SECONDS))
    else:
        from ia.faculties.providers.process import start_of

        start_of(provider.manifest, folder_of(ws, name))
    return find(ws, name)


def manifest_of(text: str, name: str) -> Manifest:
    """Return the manifest that the text of a PROVIDER.md is, whose folder is called `name`.

    raises  BadData that names the field.
    """
    manifest = parse(front(text, FILE), name, FILE)
    if manifest.server:
        _refuse_reserved(f"{manifest.name}.*", name)
    for entry in manifest.entries if not manifest.server else ():
        _refuse_reserved(entry.name, name)
    return manifest


def folder_of(ws: Workspace, name: str) -> str:
    """Return the absolute path of a provider's folder."""
    return os.path.join(ws.root, FOLDER, name)


def _names(ws: Workspace) -> list[str]:
    with contextlib.suppress(OSError), os.scandir(os.path.join(ws.root, FOLDER)) as entries:
        names = [entry.name for entry in entries if entry.is_dir() and not entry.name.startswith(".")]
        return sorted(filter(named, names))
    return []


def _read(ws: Workspace, name: str) -> Provider:
    """Return a provider by what its PROVIDER.md says, not yet held against the others."""
    path = f"{FOLDER}/{name}/{FILE}"
    manifest = None
    try:
        ws.resolve(path)
        kept = cache.current(ws, name, path)
        manifest = parse(kept["front"], name, path)
        if manifest.server:
            offered = _offered(manifest, kept.get("discovered"))
        else:
            offered = [(entry, entry.name) for entry in manifest.entries]
        declared = []
        for entry, own in offered:
            _refuse_reserved(entry.name, name)
            declared.append(_declared(ws, manifest, entry, own))
        return Provider(name, manifest, tuple(declared))
    except IaError as exc:
        return Provider(name, manifest, problem=exc)


def _declared(ws: Workspace, manifest: Manifest, entry: Entry, own: str) -> Declared:
    def run(arguments: dict[str, Any]) -> Any:
        if manifest.server:
            return _server(ws, manifest).call(entry.name, own, arguments, entry.seconds)
        from ia.faculties.providers import command
        from ia.faculties.providers.process import start_of

        start = start_of(manifest, folder_of(ws, manifest.name), entry.argv)
        return command.call(start, manifest.name, entry.name, own, arguments, entry.seconds)

    return Declared(
        entry.name, entry.description or manifest.description, entry.schema, run, entry.seconds, entry.risk or CONFIRM,
        manifest.name, entry.check, manifest.figures, CLOCK in manifest.env,
    )  # fmt: skip


def _offered(manifest: Manifest, discovered: Any) -> list[tuple[Entry, str]]:
    """Return the tools that a server listed, as the entries of PROVIDER.md let them through.

    A server that does not call a tool read-only, and whose PROVIDER.md does not either, has it run by a person only.
    raises  NotFound where it was not asked yet.
    """
    if not isinstance(discovered, list):
        raise NotFound(
            "the tools of {name} are not known yet",
            name=manifest.name,
            hint="`ia provider test {name}` asks its server",
        )
    offered = []
    for tool in discovered:
        own = str(tool["name"])
        rule = next((entry for entry in manifest.entries if fnmatchcase(own, entry.name)), None)
        name = f"{manifest.name}.{re.sub('[./]', '_', own)}"
        if (manifest.entries and rule is None) or not named_well(name):
            continue
        rule = rule or Entry(own)
        try:
            schema = sound(tool["schema"], name)
        except BadData:
            continue  # what cannot be checked is not offered; `ia provider test` counts what is
        risk = rule.risk or (READ if tool.get("read_only") else CONFIRM)
        text = rule.description or words(tool.get("description"))
        offered.append((replace(rule, name=name, description=text, schema=schema, risk=risk), own))
    return offered


def _collision(provider: Provider, taken: dict[str, str]) -> IaError | None:
    seen: set[str] = set()
    for tool in provider.tools:
        other = provider.name if _wire(tool.name) in seen else taken.get(_wire(tool.name))
        if other is not None:
            return BadData("{tool} is the name of a tool of provider {other}", tool=tool.name, other=other)
        seen.add(_wire(tool.name))
    return None


def _refuse_reserved(tool: str, provider: str) -> None:
    organ = _wire(tool).partition("_")[0]
    if tool.partition(".")[0] in RESERVED or organ in RESERVED:
        raise BadData(
            "{tool}: the names {organ}.* are ia's own", tool=tool, organ=organ, provider=provider,
            hint="call it {provider}.…",
        )  # fmt: skip


def _wire(name: str) -> str:
    return name.replace(".", "_")


_servers: dict[tuple[str, str], tuple[Manifest, "Server"]] = {}
_guard = threading.Lock()


def _server(ws: Workspace, manifest: Manifest) -> "Server":
    """Return the running server of a provider, started now if need be; one of another PROVIDER.md is ended."""
    from ia.faculties.providers.process import start_of
    from ia.faculties.providers.server import Server

    key = (ws.root, manifest.name)
    with _guard:
        known = _servers.get(key)
        if known is not None and known[0] == manifest and known[1].alive:
            return known[1]
        if known is not None:
            known[1].close()
        server = Server(manifest.name, start_of(manifest, folder_of(ws, manifest.name)))
        _servers[key] = (manifest, server)
        return server


def close_servers() -> None:
    """End all servers that were started, as the end of the process does; what is called next starts them anew."""
    with _guard:
        running = [server for _, server in _servers.values()]
        _servers.clear()
    for server in running:
        server.close()
