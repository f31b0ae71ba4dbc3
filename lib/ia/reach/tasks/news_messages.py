"""The message about an item of news, as the run that the item started sends it."""

from ia.domain.instruments.symbols import security_name
from ia.faculties.taskbook import approved_tasks, run_store
from ia.kernel import config
from ia.kernel.errors import Notify, UsageError, drop_message
from ia.kernel.i18n import Voice
from ia.kernel.jsontypes import Json
from ia.kernel.workspace import Workspace
from ia.organs.channels import sending

ORIGIN = "news"


def send_item_of_run(ws: Workspace, symbols: list[str], *, lang: str, notify: Notify = drop_message) -> None:
    """Send the item of news that started the run that this process belongs to, where its task's results go.

    raises  UsageError outside such a run, and where the item is about none of these symbols.
    """
    number = config.run_number()
    run = run_store.get_run(ws, number) if number is not None else None
    item: Json = (run.data.get("item") if run is not None else None) or {}
    task = approved_tasks.find_by_id(ws, run.task) if run is not None else None
    if run is None or task is None or item.get("symbol") not in symbols:
        raise UsageError(
            "--send needs the run of a task that news of this security started",
            symbol=symbols[0],
            hint="create one with `ia task propose --on news:{symbol} --run 'ia news {symbol} --send'`",
        )
    title, text = format_message(item, lang)
    for channel in task.design.notify or ("cli",):
        sending.send_message(
            ws, text, to=channel, title=title, origins=(ORIGIN,), notify=notify, actor=f"task {task.name}"
        )


def format_message(item: Json, lang: str) -> tuple[str, str]:
    """Return (title, text) of the message about an item of news."""
    voice, symbol = Voice(lang), str(item["symbol"])
    name = security_name(symbol, item["name"], lang)
    title = f"{name} {symbol}".strip() + voice(": ") + str(item["title"])
    stamp = str(item["time"])
    when = f"{stamp[:10]} {stamp[11:16]}".strip()
    kind = voice("announcement") if item["kind"] == "announcement" else voice("news")
    lines = [" · ".join(str(part) for part in (kind, when, item["publisher"], item["category"]) if part)]
    lines += [str(item["link"])] if item["link"] else []
    lines += [voice("This item is simulated.")] if item["simulated"] else []
    return title[: sending.MAX_TITLE], "\n".join(lines)
