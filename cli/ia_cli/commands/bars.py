"""`ia bars`: packed bars, which `ia scan --bars` reads on one machine or on many."""

import click

from ia_cli.terminal.group import CommandGroup
from ia_cli.terminal.options import json_option, rows_options


@click.group(cls=CommandGroup, example="ia sync daily && ia bars pack packed && ia bars verify packed/CN/1d")
def bars() -> None:
    """Pack bars for scans on several machines, and verify them.

    Packed bars are compressed columns of 500 securities each, by month, or by year for daily bars. `ia scan --bars`
    reads only the columns and months that an expression needs. They are in a folder or in an S3 bucket; bucket and
    credentials come from the usual variables: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL.
    Needs the extra `cluster`: pip install '.[cluster]'.

    The files are open: URL/catalog.json lists the spans, SPAN/index.json the times, the symbols, and of each block its
    file, SHA-256, tick and form. SPAN/COLUMN/BLOCK.b2 is an array [symbols, times], compressed by blosc2. int32 counts
    ticks, -2147483648 without a bar; in the form delta each is the change from the time before (modulo 2^32), in the
    form less-close what it is above the close (0 without a bar), in the form plain itself. The form float is float64.
    """


@bars.command(example="ia sync daily && ia bars pack packed")
@click.argument("dest", metavar="DEST")
@click.option("--from", "folder", metavar="DIR", help="Pack the canonical CSV files of a folder: 600519.csv ….")
@click.option("--period", default="1m", metavar="P", help="Length of a bar with --from: 1m, 5m, 1h, 1d (default: 1m).")
@json_option
def pack(dest: str, folder: str | None, period: str, as_json: bool) -> None:
    """Pack bars into a folder or s3://BUCKET/FOLDER and print their address.

    Without --from, ia packs the daily bars of the synced market. The address, such as DEST/CN/1d, is what `ia scan
    --bars` takes. ia leaves a month alone that was packed before from the same bars, so that an interrupted or
    repeated run does only what is left. Readers see a month once it is whole. Prices stay exact: what no tick of up
    to four decimals fits is stored as it is.
    """
    from ia.faculties.lab.bar_packing import open_csv_source, open_mirror_source, pack_bars
    from ia.kernel.errors import Message, PluralText
    from ia.kernel.workspace import Workspace
    from ia_cli.terminal.output import emit_json, emit_text, notify
    from ia_cli.terminal.progress import show_progress

    if folder is not None:
        source = open_csv_source(folder, period)
    else:
        from ia.organs.market import market_reader
        from ia.organs.market.mirror.reader import load_mirror

        ws = Workspace()
        with market_reader.open_market(ws) as db:
            day = market_reader.load_day(db, notify)
        source = open_mirror_source(load_mirror(ws, day.name, day.date), simulated=day.simulated)
    with show_progress(least=2, step=1) as show:
        packed = pack_bars(source, dest, show=show)
    written = [span for span in packed.spans if span.written]
    notify(
        Message(
            PluralText(
                "wrote {blocks} blocks of {count} span, {size:.1f} MB; {same} unchanged",
                "wrote {blocks} blocks of {count} spans, {size:.1f} MB; {same} unchanged",
            ),
            blocks=sum(span.written for span in written),
            count=len(written),
            size=sum(span.size for span in written) / 1e6,
            same=len(packed.spans) - len(written),
        )
    )
    if as_json:
        emit_json({"url": packed.url, "spans": [span._asdict() for span in packed.spans]})
    else:
        emit_text(f"{packed.url}\n")


@bars.command(example="ia sync daily && ia bars pack packed && ia bars verify packed/CN/1d")
@click.argument("url", metavar="URL")
@rows_options
@click.pass_context
def verify(ctx: click.Context, url: str, as_json: bool, as_jsonl: bool) -> None:
    """Read all blocks of packed bars and print those that are missing or damaged.

    URL is the address that `ia bars pack` printed. Status 1 if a block is missing or its SHA-256 is not that of the
    index.
    """
    from ia.faculties.lab.bar_packing import verify_bars
    from ia.kernel.errors import Message
    from ia_cli.terminal.market_tables import emit_market_rows
    from ia_cli.terminal.output import notify
    from ia_cli.terminal.progress import show_progress

    with show_progress(least=2, step=1) as show:
        checked, found = verify_bars(url, show=show)
    rows = [each._asdict() for each in found]
    emit_market_rows(rows, ("span", "column", "file", "problem"), as_json=as_json, as_jsonl=as_jsonl)
    notify(Message("{count} blocks checked, {bad} missing or damaged", count=checked, bad=len(rows)))
    ctx.exit(1 if rows else 0)
