"""What a person sees of a provider before it is installed: what it starts, what it is given, and what its tools are."""

from typing import TYPE_CHECKING, Any

from ia_cli.terminal.text import tr

if TYPE_CHECKING:
    from ia.faculties.providers.manifest import Manifest


def provider_document(manifest: "Manifest") -> dict[str, Any]:
    """Return what a provider starts and asks for, as plain data. Secrets are references here."""
    return {
        "name": manifest.name,
        "version": manifest.version,
        "description": manifest.description,
        "kind": "mcp" if manifest.server else "command",
        "command": list(manifest.command),
        "env": list(manifest.env),
        "config": manifest.config,
        "figures": manifest.figures,
        "tools": [
            {"name": entry.name, "risk": entry.risk, "argv": list(entry.argv), "description": entry.description}
            for entry in manifest.entries
        ],
    }


def provider_lines(told: dict[str, Any]) -> list[str]:
    """Return the same as lines for a person."""
    import json
    import shlex

    out = [f"{told['name']} {told['version'] or '-'}"]
    out += [f"  {told['description']}"] if told["description"] else []
    starts = "MCP server command, started once:" if told["kind"] == "mcp" else "command, started for each call:"
    out += [f"{tr(starts)} {shlex.join(told['command'])}"]
    out += [f"{tr('environment variables passed to it:')} {', '.join(['PATH', 'LANG', *told['env']])}"]
    if told["config"]:
        out += [f"{tr('settings passed to it:')} {json.dumps(told['config'], ensure_ascii=False)}"]
    if told["figures"]:
        out += [tr("its figures are trusted: a turn that reads them does not count as having read outside text")]
    out += [tr("tools") + ":"]
    if not told["tools"]:
        out += ["  " + tr("the tools that its server lists; run `ia provider test` to see them")]
    for tool in told["tools"]:
        risk = tr(tool["risk"]) if tool["risk"] else "-"
        more = f" ({shlex.join(tool['argv'])})" if tool["argv"] else ""
        out += [f"  {risk}\t{tool['name']}{more}\t{tool['description']}"]
    return out
