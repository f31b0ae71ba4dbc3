"""What a person sees of a proposal before deciding: of a skill its tools and files, then every line that differs."""

from typing import TYPE_CHECKING, Any

from ia.kernel import untrusted
from ia.kernel.errors import IaError, PluralText
from ia.kernel.i18n import mark_texts
from ia_cli.terminal import task_draft as draft
from ia_cli.terminal.provider_view import provider_document
from ia_cli.terminal.provider_view import provider_lines as provider_lines
from ia_cli.terminal.text import say, tr

if TYPE_CHECKING:
    from ia.faculties.schedule.model import TaskDesign
    from ia.kernel.proposals import Proposal
    from ia.kernel.workspace import Workspace


KINDS = mark_texts(
    "belief", "call", "fetch", "playbook", "preference", "provider", "skill", "soul", "task", "trade", "trust"
)
AUTHORS = mark_texts("user", "model", "profile", "task")
SCRIPTS = (".py", ".sh", ".bash", ".js", ".mjs", ".ts", ".rb", ".pl", ".r", ".ps1", ".bat")
"""Endings of files of a skill that another program would run."""


def describe_actor(actor: str) -> str:
    """Return who proposes, in the language of the reader: `user`, `model NAME`, `profile NAME`."""
    kind, _, name = actor.partition(" ")
    return f"{tr(kind) if kind in AUTHORS else kind} {name}".rstrip()


def proposal_document(ws: "Workspace", proposal: "Proposal", before: str, after: str) -> dict[str, Any]:
    """Return what a proposal would change as plain data; `skill` and `files` where it is about a folder."""
    from ia.kernel import proposals

    diff = proposals.render_diff(before, after, proposal.path, proposal.kind)
    told: dict[str, Any] = {
        "diff": diff,
        "alike": proposals.invisible_changes(before, after, proposal.path, proposal.kind),
    }
    if proposal.kind == proposals.CALL:
        return {"call": {"tool": proposal.path, "arguments": proposal.after}}
    if proposal.kind == proposals.FETCH:
        from ia.faculties.skills.installing import parse_fetch_proposal

        source, name = parse_fetch_proposal(proposal)
        return {"fetch": {"source": source, "name": name}}
    if proposal.kind == proposals.TRADE:
        from ia.organs.ledger.trade_proposals import proposal_document as trade
        from ia.wiring.ledger_prices import open_ledger

        return {"trade": trade(open_ledger(ws), proposal)}
    if proposal.kind in proposals.FOLDERS:
        told["files"] = [
            {"path": path, "bytes": size, "state": state} for path, size, state in _file_changes(before, after)
        ]
    if proposal.kind == "skill":
        told["skill"] = _describe_skill(ws, before, after, proposal.path)
    if proposal.kind == "provider":
        told |= _describe_provider(after, proposal.path)
    if proposal.kind == proposals.TRUST:
        told["text"] = after
    if proposal.kind == "task" and (design := _parse_design(after, proposal.path)) is not None:
        told |= draft.design_document(design)
    return told


def _parse_design(text: str, path: str) -> "TaskDesign | None":
    """Return the design that a task's text holds; None for one that no longer holds: its text says why."""
    from ia.faculties.schedule.design import check_design, parse_design

    try:
        design = parse_design(text, path.rpartition("/")[2].removesuffix(".md"))
        check_design(design)
    except IaError:
        return None
    return design


def format_proposal(ws: "Workspace", proposal: "Proposal", before: str, after: str) -> str:
    """Return what a proposal would change as a person reads it."""
    told = proposal_document(ws, proposal, before, after)
    lines = _origin_lines(proposal)
    if "call" in told:
        call = told["call"]
        lines.append(say("call {tool} with {arguments}", tool=call["tool"], arguments=call["arguments"]))
    elif "fetch" in told:
        lines += _fetch_lines(told["fetch"])
    elif "trade" in told:
        lines += _trade_lines(told["trade"])
    if {"call", "fetch", "trade"} & told.keys():
        return untrusted.escape_unseen("".join(line + "\n" for line in lines))
    if "skill" in told:
        lines += _skill_lines(told["skill"])
    if "provider" in told:
        lines += provider_lines(told["provider"])
    if "skill" in told and (count := sum(each["path"].endswith(SCRIPTS) for each in told["files"])):
        lines += [
            "  "
            + say(
                PluralText(
                    "{count} script: text only, ia does not run it", "{count} scripts: text only, ia does not run them"
                ),
                count=count,
            )
        ]
    if "files" in told:
        lines += [tr("files") + ":"]
        lines += [
            f"  {tr(each['state'])}\t{each['bytes']}\t{each['path'].replace(chr(10), chr(92) + 'n')}"
            for each in told["files"]
        ]
    if "design" in told and (design := _parse_design(after, proposal.path)) is not None:
        lines += [proposal.path, *draft.design_lines(design)]
    if "text" in told:
        lines += [say("{path}, current contents, trusted after approval:", path=proposal.path), "", told["text"]]
    lines += [
        say("{path}: only whitespace, line ends or invisible characters differ", path=path)
        for path in told.get("alike", ())
    ]
    above = "".join(line.rstrip("\n") + "\n" for line in [*lines, ""] if lines)
    return untrusted.escape_unseen(above) + str(told["diff"])


def _trade_lines(trade: dict[str, Any]) -> list[str]:
    """Return a trade that is to be journalled, and what the guard says of it now."""
    from ia.domain.instruments.symbols import translate_names
    from ia_cli.terminal.text import lang

    lines = [
        say(
            "{action} {symbol}: {quantity} at {price} {currency}, amount {amount}, fees {fees} ({order_type}; "
            "{origin})",
            action=tr(trade["action"]),
            symbol=translate_names(trade["symbol"], lang()),
            quantity=trade["quantity"],
            price=trade["price"],
            currency=trade["currency"],
            amount=trade["amount"],
            fees=trade["fees"],
            order_type=tr(trade["order_type"]),
            origin=trade["origin"],
        ),
        say(
            "approval enters the trade into the journal at this price under {day}; ia places no order",
            day=trade["made"],
        )
        if trade["made"]
        else tr("approval enters the trade into the journal at this price and the current time; ia places no order"),
    ]
    return lines + [say("risk check: {message}", message=message) for message in trade["messages"]]


def _origin_lines(proposal: "Proposal") -> list[str]:
    """Return who proposes it, from where, and why; nothing where the person at the terminal did, and said no more."""
    origin = proposal.describe_origin()
    if proposal.actor == "user" and not (proposal.because or origin):
        return []
    by = say("proposed by {actor}: {origin}", actor=describe_actor(proposal.actor), origin=origin or "-")
    if proposal.origin.profile:
        by = say("proposed by {actor}", actor=describe_actor(proposal.actor))
    why = [say("because: {because}", because=proposal.because)] if proposal.because else []
    return [by, *(why if proposal.because != proposal.actor else [])]


def _file_changes(before: str, after: str) -> list[tuple[str, int, str]]:
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


def _describe_provider(after: str, path: str) -> dict[str, Any]:
    from ia.faculties.providers.installing import find_manifest
    from ia.kernel import proposals

    manifest = find_manifest(proposals.files_of(after), path.rpartition("/")[2])
    return {} if manifest is None else {"provider": provider_document(manifest)}


def _describe_skill(ws: "Workspace", before: str, after: str, path: str) -> dict[str, Any]:
    from ia.faculties.skills.installing import describe_package

    new, present = describe_package(after, path), describe_package(before, path)
    if new is None:
        return {"name": path.rpartition("/")[2]}
    risks, foreign = _tool_risks(ws, new.declared, new.allowed)
    return {
        "name": new.name,
        "version": new.version,
        "installed": None if present is None else present.version,
        "description": new.description(),
        "tools": risks,
        "declared": new.declared is not None,
        "elsewhere": foreign,
        "model": new.model_invocable,
        "user": new.user_invocable,
        "fork": new.fork,
    }


def _tool_risks(
    ws: "Workspace", declared: tuple[str, ...] | None, allowed: tuple[str, ...]
) -> tuple[list[dict[str, str]], list[str]]:
    """Return (tools with what they can do here, names that are no tools here), as a skill lists them."""
    from fnmatch import fnmatchcase

    from ia.agent.tools import catalog

    try:
        known = list(catalog.build_router(ws).tools.values())
    except IaError:  # a provider that is broken
        known = catalog.builtin_tools()
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
    lines += [say("skill {name} from this source", name=name)] if name else []
    return [
        *lines,
        say("nothing is downloaded yet; approval downloads the source, then you decide about its contents"),
    ]


def _skill_lines(skill: dict[str, Any]) -> list[str]:
    if "version" not in skill:
        return [skill["name"]]
    version = skill["version"] or "-"
    if skill["installed"] is not None:
        version = f"{skill['installed'] or '-'} → {version}"
    lines = [f"{skill['name']} {version}", f"  {skill['description']}"]
    if not skill["declared"]:
        lines.append("  " + tr("it does not declare its tools; it gets only read tools, and notes:"))
    lines.append(tr("tools") + ":")
    lines += [
        f"  {tr(risk)}\t{names}" for risk in ("confirm", "write", "read") if (names := _tools_of_risk(skill, risk))
    ]
    if skill["elsewhere"]:
        lines.append(f"  {tr('not available here')}\t{', '.join(skill['elsewhere'])}")
    if skill["fork"]:
        lines.append("  " + tr("runs in a subagent"))
    if not skill["model"]:
        lines.append("  " + tr("only you can call it"))
    return lines


def _tools_of_risk(skill: dict[str, Any], risk: str) -> str:
    return ", ".join(each["name"] for each in skill["tools"] if each["risk"] == risk)
