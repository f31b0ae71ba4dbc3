"""The design of a task: what a person reads and approves, field by field."""

from dataclasses import dataclass

FOLDER = "tasks"
ME = "me"
"""The recipient that is the user: the channel that `messaging.default` names."""


@dataclass(frozen=True)
class TaskDesign:
    """What is to be done, when, and what comes of it.

    schedule     five cron fields (`0 16 * * 5`, also `@daily`), `every 90m` (m, h, d), `close+30m` (after the close of
                 the exchange; `close+30m fri` on these weekdays only), `last trading day of month 15:30`,
                 `every 2 weeks on mon 09:00 from 2027-01-04`, `at 2027-01-15 09:00` (once); several of these with
                 semicolons between them; or an event: `on file PATTERN` (below the workspace), `on message WORDS`,
                 `on news SYMBOL` (600519.SH; `announcement` behind it: no other
                 news), `on webhook NAME`
    zone         IANA zone that the schedule is in; "" is the user's own
    calendar     CN, HK or US: only on trading days of that exchange; "" every day
    prompt       what a turn is asked (it may begin with /SKILL); or
    run          a pipeline of `ia` commands: `ia ohlcv 600519 | ia compute 'rsi(close, 14)'`; one of the two. An
                 event's content is given to a prompt only: a pipeline is woken by it, and does not see it
    inputs       what it reads, for the person
    produces     note below notebook/ that keeps the result; DATE (YYYY-MM-DD) and TIME (HHMM) stand for the slot's
    notify       channels that are told of the result; ("me",) is the default, () nobody
    silent       tell only of failures
    retries      how often a run that failed is tried again, retry_after minutes later
    missed       once: what was missed while the machine slept is made up for, once; skip: it is left out
    timeout      minutes that one run may take
    """

    name: str
    schedule: str
    prompt: str = ""
    run: str = ""
    zone: str = ""
    calendar: str = ""
    inputs: str = ""
    produces: str = ""
    notify: tuple[str, ...] = (ME,)
    silent: bool = False
    retries: int = 1
    retry_after: int = 60
    missed: str = "once"
    timeout: int = 30
    because: str = ""

    @property
    def path(self) -> str:
        """Return where its file lies in the workspace."""
        return f"{FOLDER}/{self.name}.md"
