"""Sources of prices: the protocol that each adapter keeps, and how one is found by its name.

Other packages ship an adapter as an entry point of the group `ia.adapters`, and hold it to the conformance suite.
"""

from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from ia.domain.instruments.symbols import Symbol
from ia.kernel.errors import ConfigError
from ia.organs.ohlcv.canonical import Bars

if TYPE_CHECKING:
    from ia.organs.ohlcv.adjustment import Action

GROUP = "ia.adapters"
BUILT_IN = {
    "akshare": "ia.organs.ohlcv.adapters.akshare:Akshare",
    "tushare": "ia.organs.ohlcv.adapters.tushare:Tushare",
    "csv": "ia.organs.ohlcv.adapters.csv:Csv",
    "demo": "ia.organs.ohlcv.adapters.demo:Demo",
}
"""Resolved without importlib.metadata, whose import and search cost more than a cached read."""


class Fetched(NamedTuple):
    """What a source sent for one security: `raw` is the source's own form, which only its adapter can read.

    host    what answered: a host name, a folder, "simulated"
    note    what the user has to know before prices are adjusted (no actions known, the source's own adjustment), or ""
    name    the security's name as the source writes it, or ""
    inputs  SHA-256 of each file of prices that was read (hexadecimal): a copy of simulated prices is known by it
    """

    symbol: Symbol
    raw: object
    host: str
    note: str = ""
    name: str = ""
    inputs: tuple[str, ...] = ()


class Adapter(Protocol):
    """A source of daily bars and corporate actions.

    name        as it stands in `market.adapter`
    simulated   prices are made up on this machine: every use says so
    local       reads this disk and asks no host: read anew each time, nothing of it is kept in market.db. Its `note`
                is always shown, since it tells how a file was read
    """

    name: str
    simulated: bool
    local: bool

    def fetch(self, symbol: Symbol, start: str | None = None, end: str | None = None) -> Fetched:
        """Return the daily bars from `start` to `end` (YYYY-MM-DD, both included; None is as far as there is).

        Unadjusted where the source has them so. An empty answer for a known symbol is no error.

        raises  NotFound where the source does not have the symbol; Unavailable where it refuses for good or its answer
                has another shape; TryLater where it may answer later; ConfigError.
        """
        ...

    def normalize(self, fetched: Fetched) -> Bars:
        """Return canonical bars: ascending, shares, no day without trading. Raises BadData for what is none."""
        ...

    def actions(self, symbol: Symbol) -> "list[Action]":
        """Return the corporate actions by ex-date, oldest first; those announced without an ex-date are left out."""
        ...

    def lookup(self, text: str) -> list[Symbol]:
        """Return the securities of exactly this name that the source knows by itself; [] where it knows none."""
        ...


def adapter_names() -> list[str]:
    """Return the names of the adapters that are installed: ours first, then those of other packages."""
    return [*BUILT_IN, *sorted(set(_installed_adapters()) - set(BUILT_IN))]


def load_adapter(name: str) -> Adapter:
    """Return the adapter of this name. Its module is imported now, the libraries that it needs when it is used.

    raises  ConfigError where there is none, or a package's adapter cannot be imported or lacks a flag.
    """
    target = BUILT_IN.get(name) or _installed_adapters().get(name)
    if target is None:
        raise ConfigError(
            "{name}: unknown market adapter",
            hint="available adapters: {names}",
            name=name,
            names=", ".join(adapter_names()),
        )
    from importlib import import_module

    module, _, attribute = target.partition(":")
    try:
        adapter = cast(Adapter, getattr(import_module(module), attribute)())
        adapter.simulated, adapter.local  # noqa: B018 (a flag that is missing is told here, not in the middle of a run)
        return adapter
    except (ImportError, AttributeError) as exc:
        raise ConfigError("cannot load the market adapter {name}: {reason}", name=name, reason=str(exc)) from exc


def find_adapter(name: str) -> Adapter | None:
    """Return the adapter of this name; None where it cannot be loaded."""
    try:
        return load_adapter(name)
    except ConfigError:
        return None


def is_free(adapter: Adapter) -> bool:
    """Return True if asking an adapter costs nobody anything: its prices lie on this disk, or are made up."""
    return adapter.local or adapter.simulated


def _installed_adapters() -> dict[str, str]:
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=GROUP)}
