"""Write the man pages from the same source as `--help`.

`python -m ia_cli.man_pages DIR` writes man1/ia.1 and one page a command.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from ia_cli.main import COMMANDS, cli
from ia_cli.terminal.group import Command, CommandGroup, first_line, split_paragraphs

EXTRA_PAGES = ("ia-ohlcv.5", "ia-skill.5", "ia-provider.5", "ia-task.5")
STATUSES = {
    0: "Done; the answer is yes.",
    1: "The answer is no: nothing found, or findings reported. Never a failure.",
    2: "Wrong usage.",
    65: "Bad data: malformed input, or an expression that does not parse or raises.",
    66: "What was named does not exist.",
    69: "A source or model refused for good: no key, unknown model, changed response.",
    70: "A bug of ia.",
    75: "Try later: timeout, ban, rate limit, held lock. Cron may run it again.",
    77: "Refused: policy, permission, sandbox, or a confirmation that was not given.",
    78: "Configuration.",
    124: "A time limit ran out.",
    130: "Interrupted.",
    141: "The reader of standard output left.",
}
DATES = {
    "2024-03-15, 20240315, 2024/3/15, 2024年3月15日": (
        "A day. 2024-03 and 2024 are their first day for --start, their last for --end."
    ),
    "03-15, 3月15日": "A day without a year is the last that has been. 3/4 can be read in two ways and is asked back.",
    "today, yesterday, 今天, 昨天, 前天": "Counted by the one clock, in the exchange's day where a security is meant.",
    "30d, -30d, 2w, 3m, 1y": "So many days, weeks, months or years back from today; also 30 days ago and 30天前.",
    "ytd, mtd": "The first day of this year or month.",
    "10:30, yesterday 10:30, 2024-03-15T10:30+08:00": (
        "A moment, where a time makes sense: --since, --now, the --date of a trade."
    ),
}
FILES = {
    "soul.md": "The assistant's character.",
    "config.yaml": "Settings; see ia-config(1).",
    "memory/": "What was learned: MEMORY.md (index), preferences, tracking, beliefs, observations, reflections.",
    "notebook/": "What was written: research, reports, scratch.",
    "knowledge/THEME/": "Documents: source/ as they were given, converted/ their texts with page marks.",
    ".ia/ia.db": "Events, revisions, proposals: precious.",
    ".ia/profile.json": "What each profile brought last; a new version is compared with it.",
    ".ia/cache/": "Prices and indexes: can be deleted at any time.",
}
ENVIRONMENT = {
    "IA_HOME": "The workspace; default ~/ia. `ia init` makes a missing one, and the first write the default one.",
    "IA_NOW": "The moment to live at; nothing later is visible.",
    "IA_LANG": "Language of messages, en or zh; default from the locale.",
    "IA_DEBUG": "Set to 1, errors come with a traceback.",
    "IA_SESSION": "Name of the session whose last `ia ohlcv` is what `ia compute` without input takes.",
    "IA_CRONTAB": "The program that keeps the crontab, called as crontab(1) is; default crontab.",
    "IA_…": "Any setting: its key in capitals with _ for the dot (IA_MARKET_ADAPTER).",
    "NO_COLOR": "Set, no colors.",
}


def build_pages() -> dict[str, str]:
    """Return all generated pages: file name -> roff."""
    out = {"ia.1": _format_root_page()}
    context = _make_context(cli, "ia")
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        out[f"ia-{name}.1"] = _format_command_page(name, command, context)
    return out


def _make_context(command: click.Command, name: str, parent: click.Context | None = None) -> click.Context:
    return click.Context(command, info_name=name, parent=parent, **command.context_settings)


def _format_root_page() -> str:
    lines = [*_format_title("ia")]
    lines += ["ia - personal investment research made of files and pipes"]
    lines += [".SH SYNOPSIS", r".B ia", r"[\fIOPTIONS\fR] \fICOMMAND\fR [\fIARGS\fR]..."]
    lines += [".SH DESCRIPTION"]
    lines += [
        "Commands are organs: each does one thing, reads and writes text, and is as useful in a shell pipe as in the",
        "hands of a model. Text files are the truth; canonical OHLCV as CSV over pipes",
        r"(\fBia\-ohlcv\fR(5)) is what they pass to each other. Standard output is data and nothing else. It",
        "researches and advises; it never places an order.",
    ]
    lines += [".SH OPTIONS", *_format_options(cli, _make_context(cli, "ia"))]
    lines += [".SH COMMANDS"]
    for name, (_, text) in COMMANDS.items():
        lines += [".TP", rf"\fBia\-{_escape_roff(name)}\fR(1)", _escape_roff(text)]
    lines += [".SH EXIT STATUS", *_format_definitions({str(key): text for key, text in STATUSES.items()})]
    lines += [".SH DATES", "Every option and argument that takes a date, and every tool, takes these forms."]
    lines += _format_definitions(DATES)
    lines += [".SH ENVIRONMENT", *_format_definitions(ENVIRONMENT), ".SH FILES", *_format_definitions(FILES)]
    lines += [".SH EXAMPLE", ".nf", _escape_roff(cli.example), ".fi"]
    lines += [".SH SEE ALSO", ", ".join(rf"\fB{_escape_roff(page[:-2])}\fR({page[-1]})" for page in EXTRA_PAGES)]
    return "\n".join(lines) + "\n"


def _format_command_page(name: str, command: click.Command, parent: click.Context) -> str:
    context = _make_context(command, name, parent)
    lines = [*_format_title(f"ia-{name}")]
    lines += [rf"ia\-{_escape_roff(name)} - {_escape_roff(first_line(command).rstrip('.'))}", ".SH SYNOPSIS"]
    lines += [_format_usage(command, context), ".SH DESCRIPTION", *_format_help_text(command)]
    lines += [".SH OPTIONS", *_format_options(command, context)]
    if isinstance(command, CommandGroup):
        lines += [".SH COMMANDS"]
        for verb in command.list_commands(context):
            below = command.get_command(context, verb)
            assert below is not None
            inner = _make_context(below, verb, context)
            lines += [
                f".SS {_escape_roff(verb)}",
                _format_usage(below, inner),
                ".PP",
                *_format_help_text(below),
                *_format_options(below, inner),
            ]
            lines += _format_example(below)
    lines += list(_extra_sections(name))
    if isinstance(command, Command | CommandGroup) and command.example:
        lines += [".SH EXAMPLE", ".nf", _escape_roff(command.example), ".fi"]
    lines += [
        ".SH SEE ALSO",
        r"\fBia\fR(1) has the exit statuses, the files and the environment;",
        r"\fBia\-ohlcv\fR(5) the form of prices.",
    ]
    return "\n".join(lines) + "\n"


def _extra_sections(name: str) -> Iterator[str]:
    """Sections that a command's organ knows and its help would be too long for."""
    if name in ("compute", "indicator"):
        from ia.organs.compute.indicators import CONVENTIONS

        yield ".SH DIFFERENCES OF CONVENTION"
        for paragraph in CONVENTIONS.strip().split("\n\n"):
            yield ".PP"
            yield _escape_roff(" ".join(paragraph.split()))
    if name in ("quote", "fundamentals", "market"):
        yield ".SH OUTPUT"
        yield "Piped rows have these columns; rows as JSON have them too, and more where a source tells more."
        yield "What is not known is empty, in JSON null. Money is in yuan, volume in shares, *_pct per cent."
        yield from _format_definitions({each: " ".join(columns) for each, columns in _output_columns(name).items()})
    if name == "market":
        yield from _json_documents()
    if name == "task":
        yield from [".SH ENVIRONMENT", *_format_definitions({"IA_CRONTAB": ENVIRONMENT["IA_CRONTAB"]})]


def _output_columns(name: str) -> dict[str, tuple[str, ...]]:
    """Return the columns of each list that a command prints."""
    if name == "quote":
        from ia.organs.market.market_reader import QUOTE

        return {"quote": QUOTE}
    if name == "fundamentals":
        from ia_cli.commands.fundamentals import COLUMNS

        return {"fundamentals": COLUMNS}
    from ia_cli.commands import market

    return {
        "summary": ("date", *market.BOARDS),
        "gainers": market.GAINERS,
        "sectors": market.SECTORS,
        "mainline": market.MAINLINE,
        "northbound": market.NORTHBOUND,
        "lhb": market.LHB,
    }


def _json_documents() -> Iterator[str]:
    """Yield what stands in the JSON of those that print one document, as the functions that make them say it."""
    from inspect import getdoc

    from ia.organs.market.day_summary import summarize_day
    from ia.organs.market.main_lines import find_mainlines

    for name, function in (("summary", summarize_day), ("mainline", find_mainlines)):
        told = (getdoc(function) or "").partition("\n\n")[2]
        yield from (".PP", rf"\fB{name} \-\-json\fR:", ".PP", ".nf", _escape_roff(told), ".fi")


def _format_title(page: str) -> Iterator[str]:
    yield r".\" Generated from the help texts by `make man`; do not edit."
    yield f'.TH "{page.upper()}" "1" "" "ia" "ia"'
    yield ".SH NAME"


def _format_usage(command: click.Command, context: click.Context) -> str:
    pieces = " ".join(command.collect_usage_pieces(context))
    return f"\\fB{_escape_roff(context.command_path)}\\fR {_escape_roff(pieces)}"


def _format_help_text(command: click.Command) -> Iterator[str]:
    for paragraph in split_paragraphs(command.help):
        yield ".PP"
        if paragraph.startswith("\b"):
            yield from (".nf", *(_escape_roff(line) for line in paragraph.lstrip("\b\n").splitlines()), ".fi")
        else:
            yield _escape_roff(paragraph)


def _format_options(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield the options; `--help` only once, in the command's own list."""
    for param in command.params if context.parent and context.parent.parent else command.get_params(context):
        record = param.get_help_record(context)
        if record is not None and not isinstance(param, click.Argument):
            yield from (".TP", rf"\fB{_escape_roff(record[0])}\fR", _escape_roff(record[1]))


def _format_example(command: click.Command) -> Iterator[str]:
    example = getattr(command, "example", "")
    if example:
        yield from (".PP", "Example:", ".PP", ".nf", _escape_roff(example), ".fi")


def _format_definitions(table: dict[str, str]) -> Iterator[str]:
    for term, text in table.items():
        yield from (".TP", rf"\fB{_escape_roff(term)}\fR", _escape_roff(text))


def _escape_roff(text: str) -> str:
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("`", r"\(ga")
    return "\n".join(rf"\&{line}" if line.startswith(".") else line for line in escaped.split("\n"))


def main() -> None:
    """Write the pages into the folder that the command line names."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m ia_cli.man_pages DIR")
    folder = Path(sys.argv[1])
    for name, page in build_pages().items():
        (folder / "man1" / name).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
