"""`ia check`: a checklist of a skill, with an exit status that a shell can act on."""

import sys
from typing import TYPE_CHECKING, Any

import click

from ia.kernel.errors import Message, NotFound, Refused, Simulated, UsageError
from ia.kernel.i18n import mark_text
from ia_cli.terminal.group import Command
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.options import json_option, parse_comma_list
from ia_cli.terminal.output import emit_json, emit_rows, format_value, notify
from ia_cli.terminal.text import lang, say, tr
from ia_cli.terminal.wide_tables import emit_wide_rows

if TYPE_CHECKING:
    from ia.faculties.checklists import CheckItem
    from ia.kernel.workspace import Workspace

COLUMNS = ("id", "result", "value", "limit", "text", "source")
LISTED = ("check", "skill", "trade", "items", "title", "problem")
LISTED_ITEMS = ("id", "severity", "kind", "test", "text", "source")
NOT_PASSED = 1
HEADS = {
    "id": mark_text("item"),
    "result": mark_text("verdict"),
    "value": mark_text("value"),
    "limit": mark_text("required"),
    "text": mark_text("what must hold"),
}
"""Columns of the table at a terminal: a source is long, and `--list NAME` has it."""
RESULTS = {"pass": mark_text("pass"), "fail": mark_text("fail"), "unknown": mark_text("unknown")}
TOLD = {
    ("must", "fail"): mark_text("not met: {reason}"),
    ("must", "unknown"): mark_text("unknown: {reason}"),
    ("should", "fail"): mark_text("not met, not counted: {reason}"),
    ("should", "unknown"): mark_text("unknown, not counted: {reason}"),
}


@click.command(
    cls=Command,
    example="ia init; IA_LEDGER_CAPITAL='500000 CNY' IA_MARKET_ADAPTER=demo ia check buy 300750 && echo ok || echo no",
)
@click.argument("name", metavar="NAME", required=False)
@click.argument("symbol", metavar="SYMBOL", required=False, default="")
@click.argument("quantity", metavar="QUANTITY", required=False, default="")
@click.argument("price", metavar="PRICE", required=False, default="")
@click.option("--list", "listing", is_flag=True, help="List the checklists; with NAME, its items. Judge nothing.")
@click.option(
    "--yes", metavar="ID[,ID]", callback=parse_comma_list, help="Answer yes to questions to you; without it ia asks."
)
@click.option("--allow-unknown", is_flag=True, help="Do not count items that cannot be judged.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; the exit status is the answer.")
@json_option
@click.pass_context
def check(
    ctx: click.Context,
    name: str | None,
    symbol: str,
    quantity: str,
    price: str,
    listing: bool,
    yes: tuple[str, ...],
    allow_unknown: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Judge a checklist: prices, figures, rules, risk limits, your account, questions to you.

    NAME is a checklist, or SKILL/NAME; without it ia lists the checklists. QUANTITY is a number of shares (default:
    one lot), PRICE the price of a share (default: the last close). A list such as `weekly` is about no security.
    Lists are in `knowledge/checks.yaml` of the skills; see ia-skill(5).

    Each item passes, fails or is unknown. An unknown item has not passed. Items with `severity: should` are printed,
    not counted. The same list gives the same verdict at the same --now. ia trades nothing and records the run in
    `ia log`.

    Status 0 if all items passed, 1 if one did not. Above 1, ia could not judge the list: 2 for wrong usage, 65 for a
    malformed list, 66 for an unknown list or security, 75 if the source of prices is down.
    """
    from ia.kernel.workspace import Workspace

    ws = Workspace()
    if name is None or listing:
        if symbol:
            raise UsageError("unexpected argument: {word}", word=symbol, hint="ia check --list NAME")
        _emit_lists(ctx, ws, name, as_json)
        return
    from ia.faculties.checklists import CheckRequest, find_checklist, run_checklist

    known = {item.id for item in find_checklist(ws, name).items if item.kind == "ask"}
    if unknown := [each for each in yes if each not in known]:
        raise UsageError("--yes: {name} asks you no question {id}", name=name, id=unknown[0][:60])
    request = CheckRequest(
        name=name,
        symbol=symbol,
        quantity=quantity,
        price=price,
        allow_unknown=allow_unknown,
        answer=lambda item: True if item.id in yes else None if quiet else _ask(item),
        lang=lang(),
    )
    found = run_checklist(ws, request, notify)
    if as_json:
        emit_json(found)
    elif not quiet:
        _emit_result(found)
    if not quiet and found["simulated"]:
        notify(Simulated("the prices are simulated"))
    ctx.exit(0 if found["passed"] else NOT_PASSED)


def _ask(item: "CheckItem") -> bool | None:
    """Ask a person at the terminal; None where there is none."""
    from ia.kernel import config
    from ia_cli.terminal.confirmation import ask_consent

    if config.run_number() is not None or not (sys.stdin.isatty() or sys.stderr.isatty()):
        return None
    try:
        return ask_consent(item.text.in_language(lang()))
    except Refused:
        return None


def _emit_result(found: dict[str, Any]) -> None:
    """Print the items, and to stderr what did not pass."""
    rows = [row | _localize_figures(row) for row in found["items"]]
    if sys.stdout.isatty():
        rows = [row | {"result": tr(RESULTS[row["result"]])} for row in rows]
    emit_wide_rows(
        rows,
        COLUMNS,
        {name: tr(head) for name, head in HEADS.items()},
        free={"text": 24, "limit": 12, "value": 8},
    )
    for row in found["items"]:
        if row["result"] != "pass":
            template = TOLD[row["severity"], row["result"]]
            value = format_value((row | _localize_figures(row))["value"])
            reason = row["reason"] or say("{text}: {value}", text=row["text"], value=value)
            notify(Message(template, reason=reason))
    if sys.stdout.isatty():
        notify(
            Message("{check}: passed", check=found["check"])
            if found["passed"]
            else Message("{check}: not passed", check=found["check"])
        )


def _localize_figures(row: dict[str, Any]) -> dict[str, Any]:
    """Return what was found and what is required, in the words of a person at a terminal; names also in a pipe."""
    from ia.organs.market.condition_words import translate_condition

    told = {key: format_value(row[key]) for key in ("value", "limit") if isinstance(row[key], str | bool)}
    if lang() != "en" and not sys.stdout.isatty():
        return told
    return {key: translate_condition(text, lang()) for key, text in told.items()}


def _emit_lists(ctx: click.Context, ws: "Workspace", name: str | None, as_json: bool) -> None:
    from ia.faculties.checklists import find_checklist, list_checklists

    language = lang()
    rows: list[dict[str, Any]]
    if name is not None:
        rows = [
            {
                "id": item.id,
                "severity": "must" if item.must else "should",
                "kind": item.kind,
                "test": item.test,
                "text": item.text.in_language(language),
                "source": item.source.in_language(language),
            }
            for item in find_checklist(ws, name).items
        ]
        emit_rows(rows, LISTED_ITEMS, as_json=as_json)
        return
    lists, broken = list_checklists(ws)
    rows = [
        {
            "check": each.name,
            "skill": each.skill,
            "trade": each.trade or None,
            "items": len(each.items),
            "title": each.title.in_language(language),
            "problem": say(each.problem.template, **each.problem.params) if each.problem else None,
        }
        for each in lists
    ]
    for error in broken:
        notify(Message(error.template, **error.params))
    empty = NotFound("no checklists yet", hint="`ia init` installs some")
    emit_list(ctx, rows, LISTED, empty, as_json=as_json, as_jsonl=False)
