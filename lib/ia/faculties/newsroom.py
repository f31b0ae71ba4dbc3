"""News through the providers: who is asked for the news of a security, and what of the answer is stored.

A provider brings news by a tool that is called `*.items` and takes a symbol (ia-provider(5), NEWS). The shipped one is
`news`; without any, what is stored stays readable.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ia.faculties import providers
from ia.faculties.providers import DeclaredTool
from ia.kernel.errors import IaError, Message, NotFound, Notify, PluralText, SimulatedBesides, drop_message
from ia.kernel.workspace import Workspace
from ia.organs.market import news_store

TOOL = "news.items"
"""The tool that is asked, whichever provider brings it."""


class Refreshed(NamedTuple):
    """What asking brought: how many items are new, and why securities have none, by symbol."""

    new: int
    failures: dict[str, IaError]


def find_news_tool(ws: Workspace) -> DeclaredTool | None:
    """Return the tool that tells news; None where no enabled provider brings it."""
    return next((tool for tool in providers.list_tools(ws) if tool.name == TOOL), None)


def refresh_news(
    ws: Workspace, symbols: Sequence[str], *, force: bool = False, notify: Notify = drop_message
) -> Refreshed:
    """Ask for the news of securities that were not asked for within the last hour, and store them.

    force   ask in any case

    The failure of one security does not stop the others.
    """
    stale = [symbol for symbol in symbols if force or not news_store.is_fresh(ws, symbol)]
    if not stale:
        return Refreshed(0, {})
    tool = find_news_tool(ws)
    if tool is None:
        missing = NotFound(
            "no provider of news is installed",
            code="no-news-provider",
            hint="`ia init` brings one",
        )
        return Refreshed(0, dict.fromkeys(stale, missing))
    new, failures = 0, {}
    for symbol in stale:
        try:
            value = tool.run({"symbol": symbol})
            answer = news_store.parse_answer(value, symbol, tool.provider)
        except IaError as exc:
            failures[symbol] = _explain_failure(exc, tool.provider)
            continue
        new += news_store.put_news(ws, symbol, answer)
        _tell_left_out(symbol, answer, notify)
        failed = value.get("failed") if isinstance(value, dict) else None
        for reason in failed[:2] if isinstance(failed, list) else ():
            notify(Message("{symbol}: {reason}", symbol=symbol, reason=news_store.clean_title(str(reason))))
    return Refreshed(new, failures)


def tell_simulated_news(items: Sequence[dict[str, object]], notify: Notify) -> None:
    """Say where items were made up."""
    if any(item["simulated"] for item in items):
        notify(SimulatedBesides("simulated news: {adapter} invented these items", adapter="demo"))


def _explain_failure(exc: IaError, provider: str) -> IaError:
    """Return a failure of a provider's program in the program's own words, where it has any."""
    if not (quoted := exc.params.get("quoted")):
        return exc
    return type(exc)("provider {provider}: {quoted}", code=exc.code, provider=provider, quoted=str(quoted))


def _tell_left_out(symbol: str, answer: news_store.NewsAnswer, notify: Notify) -> None:
    if answer.odd:
        template = PluralText("{symbol}: skipped {count} malformed item", "{symbol}: skipped {count} malformed items")
        notify(Message(template, symbol=symbol, count=answer.odd))
    if answer.ahead:
        template = PluralText(
            "{symbol}: skipped {count} item dated in the future", "{symbol}: skipped {count} items dated in the future"
        )
        notify(Message(template, symbol=symbol, count=answer.ahead))
