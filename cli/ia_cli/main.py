"""The ia command: the map of commands, and the one place where an error becomes an exit status."""

import os
import sys
import time
from collections.abc import Callable, Sequence

import click

from ia import __version__
from ia.kernel import clock, config, files
from ia.kernel.errors import ConfigError, IaError, InternalError, TryLater, UsageError
from ia.kernel.i18n import mark_text
from ia.wiring.indexing import register_indexes
from ia.wiring.stored_names import register_names
from ia_cli.terminal.alarm_notice import tell_dead_alarm
from ia_cli.terminal.group import RootGroup, has_reader_left
from ia_cli.terminal.inbox_notice import is_attended, tell_unread
from ia_cli.terminal.memory_limit import is_out_of_memory
from ia_cli.terminal.output import notify, tell_error, tell_simulated

COMMANDS = {
    "turn": ("ia_cli.commands.turn:turn", "Ask a question. ia looks up data, calculates, remembers and answers."),
    "chat": ("ia_cli.commands.chat:chat", "Ask and be answered line by line, in one session."),
    "context": ("ia_cli.commands.turn:context", "Print exactly what a turn would send, with the size of each part."),
    "ohlcv": ("ia_cli.commands.ohlcv:ohlcv", "Print the prices of a symbol as canonical CSV."),
    "verify": ("ia_cli.commands.verify:verify", "Compare the prices of two different hosts, row by row."),
    "quote": ("ia_cli.commands.quote:quote", "Print stored quotes: price, change, valuation, market value."),
    "watch": ("ia_cli.commands.watch:watch", "Keep the watch list: securities, in groups, with reasons."),
    "fundamentals": (
        "ia_cli.commands.fundamentals:fundamentals",
        "Print a company's financial reports, newest first.",
    ),
    "screen": ("ia_cli.commands.screen:screen", "Print the stocks that meet a condition."),
    "market": ("ia_cli.commands.market:market", "Show the whole market of a day."),
    "sync": ("ia_cli.commands.sync:sync", "Sync the whole market into the local store."),
    "news": ("ia_cli.commands.news:news", "Print announcements and news of companies, newest first."),
    "calendar": (
        "ia_cli.commands.calendar:calendar",
        "Print coming dates: ex-dates, reports, lock-up expiries, closed markets.",
    ),
    "where": ("ia_cli.commands.where:where", "Show the source of a CSV file that ia wrote."),
    "compute": ("ia_cli.commands.compute:compute", "Evaluate a Python expression over canonical OHLCV, in a sandbox."),
    "indicator": ("ia_cli.commands.indicator:indicator", "List, describe and calculate technical indicators."),
    "scan": (
        "ia_cli.commands.scan:scan",
        "Print the securities for which an expression of `ia compute` is true on their newest bar.",
    ),
    "bars": ("ia_cli.commands.bars:bars", "Pack bars for scans on several machines, and verify them."),
    "backtest": (
        "ia_cli.commands.backtest:backtest",
        "Test rules and orders on past prices, by the rules of the exchange.",
    ),
    "chart": ("ia_cli.commands.chart:chart", "Draw candles, volume, indicators and trades."),
    "compare": (
        "ia_cli.commands.compare:compare",
        "Compare securities: returns, volatility, drawdown, correlation, beta, valuation.",
    ),
    "report": (
        "ia_cli.commands.report:report",
        "Write one self-contained page about a symbol, the account or the market.",
    ),
    "trade": ("ia_cli.commands.trade:trade", "Record trades and payments in the journal. ia never places orders."),
    "account": ("ia_cli.commands.account:account", "Show cash, holdings, profit and drawdown, as of now."),
    "profit": (
        "ia_cli.commands.profit:profit",
        "Show profit by security; with --by, --since or --stats the return on your money.",
    ),
    "check": (
        "ia_cli.commands.check:check",
        "Judge a checklist: prices, figures, rules, risk limits, your account, questions to you.",
    ),
    "note": ("ia_cli.commands.note:note", "Write, read and search notes."),
    "memory": ("ia_cli.commands.memory:memory", "Read and write memory: beliefs, observations, reflections."),
    "recall": (
        "ia_cli.commands.recall:recall",
        "Search notes, memory, reasons of trades and questions of sessions; the best match comes first.",
    ),
    "knowledge": ("ia_cli.commands.knowledge:knowledge", "Add documents of your own and search them with citations."),
    "soul": ("ia_cli.commands.soul:soul", "Show the assistant's character and propose changes to it."),
    "pending": ("ia_cli.commands.pending:pending", "List pending proposals, or show one."),
    "approve": ("ia_cli.commands.pending:approve", "Approve and carry out proposals."),
    "reject": ("ia_cli.commands.pending:reject", "Reject a proposal."),
    "skill": ("ia_cli.commands.skill:skill", "List, run and install skills: instructions for one kind of work."),
    "provider": (
        "ia_cli.commands.provider:provider",
        "List, add and test providers: tools from other programs.",
    ),
    "tool": ("ia_cli.commands.tool:tool", "List the tools available to models, or call one yourself."),
    "fork": ("ia_cli.commands.tool:fork", "Give a task to a subagent and print its summary."),
    "mcp": ("ia_cli.commands.mcp:mcp", "Serve ia's tools to another program, over MCP."),
    "listen": ("ia_cli.commands.listen:listen", "Answer messages from chats and run tasks on events."),
    "task": ("ia_cli.commands.task:task", "Propose, approve, run and remove tasks: work that ia does by itself."),
    "alert": (
        "ia_cli.commands.alert:alert",
        "Tell you once when a condition on a security comes true.",
    ),
    "event": ("ia_cli.commands.event:event", "Run a turn on an event of the day: the daily review or the top gainers."),
    "session": ("ia_cli.commands.session:session", "List, show, title, prune and delete sessions, and fill in forms."),
    "usage": (
        "ia_cli.commands.usage:usage",
        "Show the models' token usage and cost, and the remaining caps.",
    ),
    "inbox": ("ia_cli.commands.inbox:inbox", "List and read the messages to you, unread ones first."),
    "send": ("ia_cli.commands.send:send", "Send a message to yourself or through a channel that you set up."),
    "log": ("ia_cli.commands.log:log", "Read the audit trail."),
    "config": ("ia_cli.commands.config:config_", "Read and change settings."),
    "doctor": ("ia_cli.commands.doctor:doctor", "Check the installation and show how to repair it."),
    "init": ("ia_cli.commands.init:init", "Fill a new workspace from a profile."),
    "profile": ("ia_cli.commands.profile:profile", "List, use and install profiles: starting files for a workspace."),
    "completion": ("ia_cli.commands.completion:completion", "Print shell completion for bash, zsh or fish."),
}


GROUPS = {
    mark_text("Ask"): ("turn", "chat", "context", "session", "usage"),
    mark_text("Prices and the market"): (
        "quote", "ohlcv", "fundamentals", "screen", "market", "sync", "verify", "where", "watch", "news", "calendar",
        "compare",
    ),
    mark_text("Calculate and draw"): ("compute", "indicator", "chart", "report", "scan", "bars", "backtest", "score"),
    mark_text("Trades and the account"): ("trade", "account", "profit", "check", "why"),
    mark_text("Notes and memory"): (
        "note", "memory", "recall", "soul", "pending", "approve", "reject", "forecast", "knowledge",
    ),
    mark_text("Tasks and messages"): ("task", "event", "send", "inbox", "alert", "listen"),
    mark_text("Skills and other programs"): ("skill", "provider", "tool", "fork", "mcp"),
    mark_text("This installation"): ("init", "config", "profile", "doctor", "log", "completion"),
}  # fmt: skip
"""How `ia --help` lists the commands; a name that is not there yet is passed over."""


def _make_override(variable: str) -> Callable[[click.Context, click.Parameter, str | None], None]:
    def callback(_ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
        if value is not None:
            if variable == "IA_NOW":  # settled once: `yesterday` is the same moment to the end of the command
                value = clock.parse_moment(value).isoformat()
            config.override_variable(variable, value)

    return callback


def _tell_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"ia {__version__}")
        ctx.exit()


@click.group(
    cls=RootGroup,
    lazy=COMMANDS,
    groups=GROUPS,
    example="ia --now 2024-03-15 ohlcv 600519 --adapter demo | ia compute 'rsi(close, 14)'",
)
@click.option(
    "--home",
    metavar="DIR",
    expose_value=False,
    is_eager=True,
    callback=_make_override("IA_HOME"),
    help="Workspace folder (IA_HOME; default: ~/ia).",
)
@click.option(
    "--now",
    metavar="TIME",
    expose_value=False,
    is_eager=True,
    callback=_make_override("IA_NOW"),
    help="Run as of this time (IA_NOW): ia sees nothing later.",
)
@click.option(
    "--lang",
    type=click.Choice(["en", "zh"]),
    expose_value=False,
    is_eager=True,
    callback=_make_override("IA_LANG"),
    help="Language of messages (IA_LANG).",
)
@click.option(
    "-v",
    "-V",
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_tell_version,
    help="Print the version.",
)
def cli() -> None:
    """Personal investment research made of files and pipes."""


def main() -> None:
    """Run ia as a process."""
    files.make_private()
    if sys.stdout is None:  # closed by the caller (`>&-`)
        sys.exit(_report_failure(TryLater("standard output is closed"), []))
    if sys.stdout.errors == "strict":  # what the encoding of a locale lacks comes out as an escape, and is no bug
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    status = run_command_line(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = 141 if status in (0, 1) else status
    except OSError as exc:  # the disk behind a redirection is full
        if status == 0:
            status = _report_failure(exc, sys.argv[1:])
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if status not in (130, 141) and is_attended():
        if sys.argv[1:2] != ["inbox"]:  # it has shown them
            tell_unread()
        tell_dead_alarm()
    sys.exit(status)


def run_command_line(argv: list[str]) -> int:
    """Run one command line and return its exit status; errors have been told on stderr."""
    try:
        _require_zone()
        register_indexes(notify)
        register_names()
        if config.run_number() is not None:
            from ia.faculties.taskbook.pipeline import require_unattended

            require_unattended(argv)
        status = cli.main(argv, prog_name="ia", standalone_mode=False)
        tell_simulated()
        return status if isinstance(status, int) else 0
    except click.Abort:
        return 130
    except KeyboardInterrupt:
        return 130
    except SystemExit as exc:
        tell_simulated()
        return 141 if has_reader_left() else int(exc.code or 0)
    except click.exceptions.NoArgsIsHelpError as exc:
        click.echo(exc.format_message())
        return 0
    except Exception as exc:
        return _report_failure(exc, argv)


def _require_zone() -> None:
    """Raise ConfigError for a TZ whose offset no calendar has: every time of day would fail."""
    if abs(time.localtime().tm_gmtoff or 0) >= 24 * 3600:
        raise ConfigError(
            "TZ: {zone!r} is not a valid time zone",
            zone=config.env("TZ", "") or "",
            hint="write an IANA name: Asia/Shanghai, America/New_York, Europe/London",
        )


def _report_failure(exc: Exception, argv: Sequence[str] = ()) -> int:
    """Tell what went wrong and return the status; with IA_DEBUG the traceback comes along."""
    if config.env("IA_DEBUG"):
        import traceback

        traceback.print_exc()
    tell_simulated()
    error = _explain_failure(exc, argv)
    try:
        tell_error(error)
    except Exception:  # telling it in the user's language must not hide what went wrong
        config.override_variable("IA_LANG", "en")
        tell_error(error)
    return error.status


def _explain_failure(exc: Exception, argv: Sequence[str]) -> IaError:
    """Return what is told of a failure; a bug is told in plain words, and its details go into the audit trail."""
    if isinstance(exc, IaError) and not isinstance(exc, InternalError):
        return exc
    if isinstance(exc, click.ClickException):
        return _explain_usage_error(exc, argv)
    if is_out_of_memory(exc):
        return TryLater("not enough memory", hint="close other programs, or raise the limit (`ulimit -v`)")
    from ia.kernel import faults

    error = faults.explain_exception(exc, _command_name(argv))
    if isinstance(error, InternalError):
        cause = exc.__cause__ if isinstance(exc, InternalError) and exc.__cause__ else exc
        kept = getattr(exc, "kept", False) or faults.record_at_home(_command_name(argv), cause)
        return InternalError(_command_name(argv), kept=kept)
    return error


def _command_name(argv: Sequence[str]) -> str:
    """Return the command of a line as a person names it, without what it was given: `ia turn`."""
    return next((f"`ia {word}`" for word in argv if word in COMMANDS), "`ia`")


def _explain_usage_error(exc: click.ClickException, argv: Sequence[str]) -> IaError:
    """Say click's usage errors in the form and the languages of all others."""
    from ia_cli.terminal import hints as _hints

    context = getattr(exc, "ctx", None)
    path = context.command_path if context else "ia"
    more = "`{path} --help` shows the usage"
    if isinstance(exc, click.NoSuchOption):
        return _hints.unknown_option_error(exc.option_name, context)
    if isinstance(exc, click.BadOptionUsage):
        return _hints.missing_value_error(exc.option_name, list(argv), cli)
    if isinstance(exc, click.MissingParameter) and exc.param is not None:
        return UsageError("missing {what}", what=exc.param.get_error_hint(context), path=path, hint=more)
    if isinstance(exc, click.BadParameter) and exc.param is not None:
        return _hints.bad_value_error(exc, context)
    message = exc.format_message()
    if message.startswith("Got unexpected extra"):
        return _hints.too_many_arguments_error(message.partition("(")[2].removesuffix(")"), context)
    return UsageError("{message}", message=message, path=path, hint=more)


if __name__ == "__main__":
    main()
