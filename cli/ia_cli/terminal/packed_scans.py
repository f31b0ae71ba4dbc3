"""The options --bars and --cluster of `ia scan`."""

from typing import TYPE_CHECKING

from ia.kernel.errors import UsageError
from ia_cli.terminal.output import notify
from ia_cli.terminal.progress import show_progress

if TYPE_CHECKING:
    from ia.faculties.lab.scan import ScanRequest, ScanResult
    from ia.kernel.workspace import Workspace


def scan_packed(ws: "Workspace", request: "ScanRequest", url: str | None, address: str | None) -> "ScanResult":
    """Return what a scan of packed bars finds, in this process or on the workers of a Dask scheduler."""
    from ia.faculties.lab.bar_scan import scan_bars

    if url is None:
        raise UsageError("--cluster needs --bars", hint="give the address that `ia bars pack` printed")
    run = None
    if address is not None:
        from ia.faculties.lab.cluster_scan import run_on_cluster

        run = run_on_cluster(address, notify)

    def industries(date: str) -> dict[str, str]:
        from ia.organs.market import market_reader
        from ia.organs.market.industry_history import load_industries

        with market_reader.open_market(ws) as db:
            day = market_reader.load_day(db, notify)
            return load_industries(db, day.source, [date])[0][1]

    with show_progress(least=2, step=1) as show:
        return scan_bars(url, request, run=run, industries=industries, notify=notify, show=show)
