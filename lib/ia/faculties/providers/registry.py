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
from typing import TYPE_CHECKING, Any

from ia.faculties.providers import cache
from ia.faculties.providers.manifest import (
    CLOCK,
    CONFIRM,
    FILE,
    FOLDER,
    READ,
    RESERVED,
    SECONDS,
    Manifest,
    ManifestEntry,
    is_valid_name,
    parse_front,
    parse_manifest,
)
from ia.faculties.providers.parameters import check_schema, fold_description
from ia.kernel import config
from ia.kernel.errors import BadData, ConfigError, IaError, NotFound
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace, is_text_name

if TYPE_CHECKING:
    from ia.faculties.providers.server import ToolServer


OFF = "provider-off"
"""Code of the problem that a setting is missing which the provider requires."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DeclaredTool:
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
    schema: Json
    run: Callable[[Json], Any]
    seconds: float
    risk: str
    provider: str
    check: Json | None = None
    figures: bool = False
    timely: bool = False


@dataclass(frozen=True)
class Provider:
    """A provider as it stands: its manifest where it can be read, its tools, and what is wrong with it."""

    name: str
    manifest: Manifest | None
    tools: tuple[DeclaredTool, ...] = ()
    problem: IaError | None = None

    @property
    def is_off(self) -> bool:
        """Whether only a setting is missing, and nothing is wrong."""
        return self.problem is not None and self.problem.code == OFF

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


def list_providers(ws: Workspace) -> list[Provider]:
    """Return the providers of a workspace by name; one whose tools cannot be offered says why in `problem`.

    Cost: a stat each, once their front matter has been read.
    """
    taken: dict[str, str] = {}
    found = []
    for name in _provider_names(ws):
        provider = _read_provider(ws, name)
        problem = provider.problem or _find_collision(provider, taken)
        if problem is not None:
            provider = replace(provider, tools=(), problem=problem)
        elif provider.enabled:
            taken |= {_wire_name(tool.name): name for tool in provider.tools}
        found.append(provider)
    return found


def list_tools(ws: Workspace) -> list[DeclaredTool]:
    """Return the tools of all providers that are enabled and sound."""
    return [tool for provider in list_providers(ws) if provider.enabled for tool in provider.tools]


def find_provider(ws: Workspace, name: str) -> Provider:
    """Return one provider.

    raises  NotFound.
    """
    provider = next((provider for provider in list_providers(ws) if provider.name == name), None)
    if provider is None:
        raise NotFound("{name}: no such provider", name=name[:80], hint="`ia provider list` lists all providers")
    return provider


def refresh_provider(ws: Workspace, name: str) -> Provider:
    """Make sure that a provider can be started, and return it as it then stands.

    An MCP server is started and asked for its tools, which are kept until its PROVIDER.md changes or it is asked again.
    raises  NotFound; what is wrong with PROVIDER.md; ConfigError for a program, a variable that is not there; what
            asking the server raises.
    """
    provider = find_provider(ws, name)
    if provider.manifest is None:
        raise provider.problem or NotFound("{name}: no such provider", name=name)
    if provider.manifest.server:
        cache.save_discovered(ws, name, discovered=_running_server(ws, provider.manifest).list_tools(SECONDS))
    else:
        from ia.faculties.providers.start_command import prepare_start

        prepare_start(provider.manifest, provider_folder(ws, name))
    return find_provider(ws, name)


def read_manifest(text: str, name: str) -> Manifest:
    """Return the manifest that the text of a PROVIDER.md is, whose folder is called `name`.

    raises  BadData that names the field.
    """
    manifest = parse_manifest(parse_front(text, FILE), name, FILE)
    if manifest.server:
        _refuse_reserved(f"{manifest.name}.*", name)
    for entry in manifest.entries if not manifest.server else ():
        _refuse_reserved(entry.name, name)
    return manifest


def provider_folder(ws: Workspace, name: str) -> str:
    """Return the absolute path of a provider's folder."""
    return os.path.join(ws.root, FOLDER, name)


def _provider_names(ws: Workspace) -> list[str]:
    with contextlib.suppress(OSError), os.scandir(os.path.join(ws.root, FOLDER)) as entries:
        names = [entry.name for entry in entries if entry.is_dir() and not entry.name.startswith(".")]
        return sorted(filter(is_text_name, names))
    return []


def _read_provider(ws: Workspace, name: str) -> Provider:
    """Return a provider by what its PROVIDER.md says, not yet held against the others."""
    path = f"{FOLDER}/{name}/{FILE}"
    manifest = None
    try:
        ws.resolve(path)
        kept = cache.refresh_record(ws, name, path)
        manifest = parse_manifest(kept["front"], name, path)
        if manifest.server:
            offered = _offered_entries(manifest, kept.get("discovered"))
        else:
            offered = [(entry, entry.name) for entry in manifest.entries]
        declared = []
        for entry, own in offered:
            _refuse_reserved(entry.name, name)
            declared.append(_declare_tool(ws, manifest, entry, own))
        return Provider(name, manifest, tuple(declared), _find_missing_setting(manifest))
    except IaError as exc:
        return Provider(name, manifest, problem=exc)


def _find_missing_setting(manifest: Manifest) -> IaError | None:
    """Return that a setting is missing which a provider requires; None where all are there."""
    for key in manifest.requires:
        config.check_key(key)
        if config.locate_setting(key)[0] in (None, ""):
            return ConfigError(
                "provider {name} is off: the setting {key} is missing",
                code=OFF,
                name=manifest.name,
                key=key,
                hint="ia config set {key} VALUE; see ia-provider(5)",
            )
    return None


def _declare_tool(ws: Workspace, manifest: Manifest, entry: ManifestEntry, own: str) -> DeclaredTool:
    def run_tool(arguments: Json) -> Any:
        if manifest.server:
            return _running_server(ws, manifest).call_tool(entry.name, own, arguments, entry.seconds)
        from ia.faculties.providers import command
        from ia.faculties.providers.start_command import prepare_start

        start = prepare_start(manifest, provider_folder(ws, manifest.name), entry.argv)
        return command.call_command(start, manifest.name, entry.name, own, arguments, entry.seconds)

    return DeclaredTool(
        name=entry.name,
        description=entry.description or manifest.description,
        schema=entry.schema,
        run=run_tool,
        seconds=entry.seconds,
        risk=entry.risk or CONFIRM,
        provider=manifest.name,
        check=entry.check,
        figures=manifest.figures,
        timely=CLOCK in manifest.env,
    )


def _offered_entries(manifest: Manifest, discovered: object) -> list[tuple[ManifestEntry, str]]:
    """Return the tools that a server listed, as the entries of PROVIDER.md let them through.

    A server that does not call a tool read-only, and whose PROVIDER.md does not either, has it run by a person only.
    raises  NotFound where it was not asked yet.
    """
    if not isinstance(discovered, list):
        raise NotFound(
            "the tools of {name} are still unknown",
            name=manifest.name,
            hint="run `ia provider test {name}` to list them",
        )
    offered = []
    for tool in discovered:
        own = str(tool["name"])
        rule = next((entry for entry in manifest.entries if fnmatchcase(own, entry.name)), None)
        name = f"{manifest.name}.{re.sub('[./]', '_', own)}"
        if (manifest.entries and rule is None) or not is_valid_name(name):
            continue
        rule = rule or ManifestEntry(own)
        try:
            schema = check_schema(tool["schema"], name)
        except BadData:
            continue  # what cannot be checked is not offered; `ia provider test` counts what is
        risk = rule.risk or (READ if tool.get("read_only") else CONFIRM)
        text = rule.description or fold_description(tool.get("description"))
        offered.append((replace(rule, name=name, description=text, schema=schema, risk=risk), own))
    return offered


def _find_collision(provider: Provider, taken: dict[str, str]) -> IaError | None:
    seen: set[str] = set()
    for tool in provider.tools:
        other = provider.name if _wire_name(tool.name) in seen else taken.get(_wire_name(tool.name))
        if other is not None:
            return BadData("{tool} is already the name of a tool of provider {other}", tool=tool.name, other=other)
        seen.add(_wire_name(tool.name))
    return None


def _refuse_reserved(tool: str, provider: str) -> None:
    organ = _wire_name(tool).partition("_")[0]
    if tool.partition(".")[0] in RESERVED or organ in RESERVED:
        raise BadData(
            "{tool}: ia reserves the names {organ}.*",
            tool=tool,
            organ=organ,
            provider=provider,
            hint="name it {provider}.…",
        )


def _wire_name(name: str) -> str:
    return name.replace(".", "_")


_servers: dict[tuple[str, str], tuple[Manifest, "ToolServer"]] = {}
_guard = threading.Lock()


def _running_server(ws: Workspace, manifest: Manifest) -> "ToolServer":
    """Return the running server of a provider, started now if need be; one of another PROVIDER.md is ended."""
    from ia.faculties.providers.server import ToolServer
    from ia.faculties.providers.start_command import prepare_start

    key = (ws.root, manifest.name)
    with _guard:
        known = _servers.get(key)
        if known is not None and known[0] == manifest and known[1].alive:
            return known[1]
        if known is not None:
            known[1].close()
        server = ToolServer(manifest.name, prepare_start(manifest, provider_folder(ws, manifest.name)))
        _servers[key] = (manifest, server)
        return server


def close_servers() -> None:
    """End all servers that were started, as the end of the process does; what is called next starts them anew."""
    with _guard:
        running = [server for _, server in _servers.values()]
        _servers.clear()
    for server in running:
        server.close()
