"""Building the workspace of the exam from `workspace.yaml`; the owner's own is never touched."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from decimal import Decimal

from ia.kernel import config
from ia.kernel.errors import drop_message
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.reach.exam.questions import load_exam_file

CARRIED = ("turn.", "prices.", "compute.")
"""Settings of the owner that hold in the exam too: patience and caps, prices of models, isolation of code."""


@contextlib.contextmanager
def enter_exam(folder: str, models: tuple[str, ...]) -> Iterator[Json]:
    """Let ia live at the exam's moment in a folder; yields what `workspace.yaml` says.

    models  names whose prices come along
    """
    plan = load_exam_file("workspace.yaml")
    carried = _carried_settings(models)
    own = {
        "IA_HOME": folder,
        "IA_NOW": str(plan["moment"]),
        "IA_MARKET_ADAPTER": str(plan["adapter"]),
        "IA_MESSAGING_DEFAULT": "cli",
        "TZ": str(plan["zone"]),
    }
    with config.replace_environment({**carried, **own}, keep=("IA_LANG", "IA_DEBUG", "IA_CRONTAB")):
        yield plan


def _carried_settings(models: tuple[str, ...]) -> dict[str, str]:
    """Return the owner's settings that come along, as variables of the environment."""
    names = [key for key in config.SPEC if key.startswith(CARRIED)]
    names += [f"prices.{model}.{side}" for model in models for side in ("input", "output") if model]
    found = ((name, *config.locate_setting(name)) for name in names)
    return {config.variable_of(name): str(value) for name, value, origin in found if origin != "default"}


def build_workspace(plan: Json) -> None:
    """Fill the workspace of the environment with what the plan says. About two seconds."""
    from ia.faculties import profiles
    from ia.organs import notebook
    from ia.organs.market.sync import SyncRequest, sync_market
    from ia.organs.memory import watch_list, writing
    from ia.organs.ohlcv.history import BarsRequest, load_history
    from ia.wiring.security_mentions import identify_security

    ws = Workspace()
    os.makedirs(ws.root, exist_ok=True)
    profiles.use_profile(ws, profiles.find_profile(plan["profile"]), only_add=True)
    _drop_proposals(ws)
    for moment in plan["synced"]:
        with config.replace_environment({"IA_NOW": str(moment)}, keep=None):
            sync_market(ws, SyncRequest("all"))
    for symbol in plan["fetched"]:
        load_history(ws, BarsRequest(symbol=symbol), drop_message)
    _enter_ledger(ws, plan["ledger"])
    for each in plan["watched"]:
        item, code, *names = identify_security(each["symbol"])
        watch_list.track_item(ws, item, each["because"], code=code, names=names)
    for note in plan["notes"]:
        notebook.write_note(ws, note["path"], note["text"].format(**plan["facts"]))
    for belief in plan["beliefs"]:
        writing.add_belief(ws, belief["text"], because=belief["because"])
    ws.close()


def _drop_proposals(ws: Workspace) -> None:
    """Reject the tasks that the profile proposes: what the exam's turns propose stands alone."""
    from ia.kernel import proposals

    for proposal in proposals.pending_proposals(ws):
        proposals.reject(ws, proposal.id, by="exam")


def _enter_ledger(ws: Workspace, entries: list[Json]) -> None:
    from ia.organs.ledger import order, posting
    from ia.wiring.ledger_prices import open_ledger

    desk = open_ledger(ws)
    for each in entries:
        if each["kind"] == "deposit":
            posting.post_cash(desk, posting.cash_entry("deposit", Decimal(each["amount"]), "CNY", each["date"]))
            continue
        symbol = desk.resolve_symbol(each["symbol"])
        moment = order.parse_trade_time(each["date"], symbol)
        count = Decimal(each["quantity"])
        wish = order.Order(
            side=each["kind"], symbol=symbol, quantity=count, price=count, moment=moment, reason=each["because"]
        )
        wish = order.price_order(wish, desk.latest_price(symbol, moment))
        posting.post_trade(desk, wish)


def copy_workspace(source: str, target: str) -> None:
    """Put a copy of a workspace in the place of another."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, symlinks=True)
