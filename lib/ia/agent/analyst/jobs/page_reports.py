"""A wish for a page: which command writes it, and what the page is about. No tool writes pages."""

from ia.agent.analyst.ask import report_words
from ia.agent.analyst.ask.intent import Intent
from ia.agent.analyst.desk import ToolDesk, Work
from ia.agent.analyst.failures import describe_failure
from ia.agent.analyst.jobs.facts import wording
from ia.agent.analyst.say.reply import Reply, reply_of_lines

MOST = 3
"""Securities that a page is named for."""


def name_pages(desk: ToolDesk, wanted: Intent) -> Work[Reply]:
    """Name the command that writes the page which a message wishes for."""
    speak, subject = desk.speak, report_words.find_subject(wanted.words, wanted.securities)
    if subject == report_words.BACKTEST:
        return (yield from _name_backtest(desk, report_words.find_run_id(wanted.words)))
    if subject == report_words.SECURITY:
        first = wanted.securities[0]
        lines = [
            _say_command(
                desk,
                wording.security_name(desk, each.code, each.name),
                f"ia report {each.code} -o {each.code.partition('.')[0]}.html",
            )
            for each in wanted.securities[:MOST]
        ]
        held = speak("The page has the chart, performance, the stored quote and reports, your trades and your notes.")
        return reply_of_lines(
            *lines,
            held,
            speak("A judgment in words: “how is {name}?”", name=wording.name_alone(desk, first.code, first.name)),
        )
    if subject == report_words.ACCOUNT:
        status = yield from desk.one("account.status")
        lines = [_say_command(desk, speak("your account"), "ia report account -o account.html")]
        if status.ok and not status.get("positions") and not status.get("cash"):
            lines.append(speak("Your journal is empty, and so would the page be: `ia trade deposit 100000` begins it."))
        else:
            lines.append(speak("The page has equity against deposits, positions, profit, and the risk rules."))
        return reply_of_lines(*lines)
    if subject == report_words.MARKET:
        return reply_of_lines(
            _say_command(desk, speak("the market"), "ia report market -o market.html"),
            speak("The page has breadth, industries, gainers and losers, and main lines of the newest stored day."),
        )
    return reply_of_lines(
        speak("A report of what: a security (600519), your account, the market, or your last backtest?")
    )


def _name_backtest(desk: ToolDesk, run_id: str) -> Work[Reply]:
    speak = desk.speak
    found = yield from desk.one("backtest.show", id=run_id)
    if found.failure is not None:
        return reply_of_lines(describe_failure(speak, found.failure))
    settings = found.get("settings")
    universe = str(settings.get("universe") or "") if isinstance(settings, dict) else ""
    names = speak.join_items([wording.name_alone(desk, code, "") for code in universe.split()[:MOST]])
    about = speak(
        "the backtest {id} ({names}, {first} to {last})",
        id=found.get("id"), names=names, first=found.get("first"), last=found.get("last"),
    )  # fmt: skip
    return reply_of_lines(
        _say_command(desk, about, f"ia backtest report {found.get('id')} -o backtest-{found.get('id')}.html"),
        speak("The page has equity, drawdown, returns by month, the trades, and every statistic with its definition.")
        + wording.simulated_mark(desk, found.get("simulated")),
    )


def _say_command(desk: ToolDesk, about: str, command: str) -> str:
    return desk.speak("Report of {about}: `{command}` writes it as one page in the current folder.", about=about,
                      command=command)  # fmt: skip
