"""What a person sees of a proposal before deciding: of a skill its tools and files, then every line that differs."""

from typing import TYPE_CHECKING, Any

from ia.kernel import outside
from ia.kernel.errors import IaError
from ia_cli.terminal import task_draft as draft
from ia_cli.terminal.provider_view import about
from ia_cli.terminal.provider_view import lines as provider_lines
from ia_cli.terminal.text import say, tr

if TYPE_CHECKING:
    from ia.faculties.schedule.model import Design
    from ia.kernel.proposals import Proposal
    from ia.kernel.workspace import Workspace


SCRIPTS = (".py", ".sh", ".bash", ".js", ".mjs", ".ts", ".rb", ".pl", ".r", ".ps1", ".bat")
"""Endings of files of a skill that another program would run."""


def document(ws: "Workspace", proposal: "Proposal", before: str, after: str) -> dict[str, Any]:
    """Return what a proposal would change as plain data; `skill` and `files` where it is about a folder."""
    from ia.kernel import proposals

    diff = proposals.difference(before, after, proposal.path, proposal.kind)
    told: dict[str, Any] = {"diff": diff, "alike": proposals.alike(before, after, proposal.path, proposal.kind)}
    if proposal.kind == proposals.CALL:
        return {"call": {"tool": proposal.path, "arguments": proposal.after}}
    if proposal.kind == proposals.FETCH:
        from ia.faculties.skills.installing import wanted

        source, name = wanted(proposal)
        return {"fetch": {"source": source, "name": name}}
    if proposal.kind == proposals.TRADE:
        from ia.organs.ledger.proposed import document as trade
        from ia.wiring.ledger_prices import open_ledger

        return {"trade": trade(open_ledger(ws), proposal)}
    if proposal.kind in proposals.FOLDERS:
        told["files"] = [{"path": path, "bytes": size, "state": state} for path, size, state in _files(before, after)]
    if proposal.kind == "skill":
        told["skill"] = _skill(ws, before, after, proposal.path)
    if proposal.kind == "provider":
        told |= _provider(after, proposal.path)
    if proposal.kind == proposals.TRUST:
        told["text"] = after
    if proposal.kind == "task" and (design := _design(after, proposal.path)) is not None:
        told |= draft.document(design)
    return told


def _design(text: str, path: str) -> "Design | None":
    """Return the design that a task's text holds; None for one that no longer holds: its text says why."""
    from ia.faculties.schedule.design import check, parsed

    try:
        design = parsed(text, path.rpartition("/")[2].removesuffix(".md"))
        check(design)
    except IaError:
        return None
    return design


def shown(ws: "Workspace", proposal: "Proposal", before: str, after: str) -> str:
    """Return what a proposal would change as a person reads it."""
    told = document(ws, proposal, before, after)
    lines = _whence(proposal)
    if "call" in told:
        call = told["call"]
        lines.append(say("call {tool} with {arguments}", tool=call["tool"], arguments=call["arguments"]))
    elif "fetch" in told:
        lines += _fetch_lines(told["fetch"])
    elif "trade" in told:
        lines += _trade_lines(told["trade"])
    if {"call", "fetch", "trade"} & told.keys():
        return outside.escape_unseen("".join(line + "\n" for line in lines))
    if "skill" in told:
        lines += _skill_lines(told["skill"])
    if "provider" in told:
        lines += provider_lines(told["provider"])
    if "skill" in told and (count := sum(each["path"].endswith(SCRIPTS) for each in told["files"])):
        lines += ["  " + say("{count} scripts: they are text, ia runs none of them", count=count)]
    if "files" in told:
        lines += [tr("files") + ":"]
        lines += [
            f"  {tr(each['state'])}\t{each['bytes']}\t{each['path'].replace(chr(10), chr(92) + 'n')}"
            for each in told["files"]
        ]
    if "design" in told and (design := _design(after, proposal.path)) is not None:
        lines += [proposal.path, *draft.lines(design)]
    if "text" in told:
        lines += [say("{path} as it stands, to be trusted from now on:", path=proposal.path), "", told["text"]]
    lines += [
        say("{path}: the change is only in blanks, line ends or characters that are not seen", path=path)
        for path in told.get("alike", ())
    ]
    above = "".join(line.rstrip("\n") + "\n" for line in [*lines, ""] if lines)
    return outside.escape_unseen(above) + str(told["diff"])


def _trade_lines(trade: dict[str, Any]) -> list[str]:
    """Return a trade that is to be journalled, and what the guard says of it now."""
    lines = [
        say(
            "{action} {symbol}: {quantity} at {price} {currency}, {amount} and {fees} of fees ({order_type}; {origin})",
            action=tr(trade["action"]),
            symbol=trade["symbol"],
            quantity=trade["quantity"],
            price=trade["price"],
            currency=trade["currency"],
            amount=trade["amount"],
            fees=trade["fees"],
            order_type=tr(trade["order_type"]),
            origin=trade["origin"],
        ),
        tr("approving it enters it into the journal as made now, at this price; no order is placed anywhere"),
    ]
    return lines + [say("the guard: {message}", message=message) for message in trade["messages"]]


def _whence(proposal: "Proposal") -> list[str]:
    """Return who proposes it, from where, and why; nothing where the person at the terminal did, and said no more."""
    if proposal.actor == "user" and not (proposal.because or proposal.origin):
        return []
    by = say("proposed by {actor}: {origin}", actor=proposal.actor, origin=proposal.origin or "-")
    return [by, *([say("because: {because}", because=proposal.because)] if proposal.because else [])]


def _files(before: str, after: str) -> list[tuple[str, int, str]]:
    """Return (path, bytes, new, changed, same or removed) of each file, SKILL.md first."""
    from ia.kernel import proposals

    old, new = proposals.files_of(before), proposals.files_of(after)
    rows = []
    for path in sorted(
        {*old, *new}, key=lambda path: (path.rsplit("/", 1)[-1] not in ("SKILL.md", "PROVIDER.md"), path)
    ):
        state = "new" if path not in old else "removed" if path not in new else "changed"
        rows.append((path, len(new.get(path, "").encode()), "same" if old.get(path) == new.get(path) else state))
    return rows


def _provider(after: str, path: str) -> dict[str, Any]:
    from ia.faculties.providers.installing import described
    from ia.kernel import proposals

    manifest = described(proposals.files_of(after), path.rpartition("/")[2])
    return {} if manifest is None else {"provider": about(manifest)}


def _skill(ws: "Workspace", before: str, after: str, path: str) -> dict[str, Any]:
    from ia.faculties.skills.installing import described

    new, present = described(after, path), described(before, path)
    if new is None:
        return {"name": path.rpartition("/")[2]}
    risks, foreign = _tools(ws, new.declared, new.allowed)
    return {
        "name": new.name, "version": new.version, "installed": None if present is None else present.version,
        "description": new.description(), "tools": risks, "declared": new.declared is not None, "elsewhere": foreign,
        "model": new.model_invocable, "user": new.user_invocable, "fork": new.fork,
    }  # fmt: skip


def _tools(
    ws: "Workspace", declared: tuple[str, ...] | None, allowed: tuple[str, ...]
) -> tuple[list[dict[str, str]], list[str]]:
    """Return (tools with what they can do here, names that are no tools here), as a skill lists them."""
    from fnmatch import fnmatchcase

    from ia.agent.tools import catalog

    try:
        known = list(catalog.router(ws).tools.values())
    except IaError:  # a provider that is broken
        known = catalog.builtin()
    risks, foreign = [], [name for name in declared or () if name not in allowed]
    for name in allowed:
        found = {tool.risk for tool in known if fnmatchcase(tool.name, name) or fnmatchcase(tool.wire_name, name)}
        if found:
            risks.append({"name": name, "risk": next(risk for risk in ("confirm", "write", "read") if risk in found)})
        elif declared is not None:
            foreign.append(name)
    return risks, foreign


def _fetch_lines(asked: dict[str, Any]) -> list[str]:
    source, name = asked["source"], asked["name"]
    lines = [say("fetch {source}", source=source)]
    lines += [say("the skill {name} of it", name=name)] if name else []
    return [
        *lines,
        say("nothing of it is here yet: approving fetches it, and what came is then shown to be decided on"),
    ]


def _skill_lines(skill: dict[str, Any]) -> list[str]:
    if "version" not in skill:
        return [skill["name"]]
    version = skill["version"] or "-"
    if skill["installed"] is not None:
        version = f"{skill['installed'] or '-'} → {version}"
    lines = [f"{skill['name']} {version}", f"  {skill['description']}"]
    if not skill["declared"]:
        lines.append("  " + tr("it does not say which tools it needs; it gets those that only look, and notes:"))
    lines.append(tr("tools") + ":")
    lines += [f"  {tr(risk)}\t{names}" for risk in ("confirm", "write", "read") if (names := _of_risk(skill, risk))]
    if skill["elsewhere"]:
        lines.append(f"  {tr('not here')}\t{', '.join(skill['elsewhere'])}")
    if skill["fork"]:
        lines.append("  " + tr("runs in a subagent"))
    if not skill["model"]:
        lines.append("  " + tr("only you call it"))
    return lines


def _of_risk(skill: dict[str, Any], risk: str) -> str:
    return ", ".join(each["name"] for each in skill["tools"] if each["risk"] == risk)
