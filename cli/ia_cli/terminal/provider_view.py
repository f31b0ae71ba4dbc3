"""What a person sees of a provider before it is installed: what it starts, what it is given, and what its tools are."""

from typing import TYPE_CHECKING, Any

from ia_cli.terminal.text import tr

if TYPE_CHECKING:
    from ia.faculties.providers.manifest import Manifest


def about(manifest: "Manifest") -> dict[str, Any]:
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


def lines(told: dict[str, Any]) -> list[str]:
    """Return the same as lines for a person."""
    import json
    import shlex

    out = [f"{told['name']} {told['version'] or '-'}"]
    out += [f"  {told['description']}"] if told["description"] else []
    starts = "starts once, and talks MCP to:" if told["kind"] == "mcp" else "starts for each call:"
    out += [f"{tr(starts)} {shlex.join(told['command'])}"]
    out += [f"{tr('gets of the environment:')} {', '.join(['PATH', 'LANG', *told['env']])}"]
    if told["config"]:
        out += [f"{tr('gets as settings:')} {json.dumps(told['config'], ensure_ascii=False)}"]
    if told["figures"]:
        out += [tr("answers with figures: you trust them, and a turn goes on as if it had read nothing from outside")]
    out += [tr("tools") + ":"]
    if not told["tools"]:
        out += ["  " + tr("those that its server lists; `ia provider test` asks it")]
    for tool in told["tools"]:
        risk = tr(tool["risk"]) if tool["risk"] else "-"
        more = f" ({shlex.join(tool['argv'])})" if tool["argv"] else ""
        out += [f"  {risk}\t{tool['name']}{more}\t{tool['description']}"]
    return out
