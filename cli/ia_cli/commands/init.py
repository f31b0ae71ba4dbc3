"""`ia init`: a new workspace from a profile."""

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.profile_changes import take


@click.command(cls=Command, homeless=True, example="ia init --profile invest")
@click.option("--profile", default="invest", show_default=True, metavar="NAME", help="Which profile to take.")
@click.option("--yes", is_flag=True, help="Do not ask; typed by you, it is your consent.")
def init(profile: str, yes: bool) -> None:
    """Fill a new workspace from a profile.

    Copies the profile's files (soul, skills, memory skeleton) to where there are none yet, and prints what it wrote.
    Nothing that is there is touched, and every file may be deleted again: it stays deleted. The default workspace,
    ~/ia, needs no `ia init`: the first write makes it. A missing folder that --home or IA_HOME names is made only here.
    A task that the profile brings is only proposed: it runs once you approve it (`ia pending`). NAME is one of
    `ia profile list`, or the path of a folder (./mine); a profile that did not come with ia is shown, and you are
    asked. Where it has its texts in your language (--lang), you get those.
    """
    from ia.kernel import config
    from ia.organs.ohlcv.adapters import find_adapter
    from ia_cli.terminal.output import hint

    if not take(profile, yes=yes, only_add=True, make=True):
        return
    chain = config.listed("market.adapter")
    if chain and (adapter := find_adapter(chain[0])) and adapter.simulated:
        hint("`ia sync` makes up a market; for real prices `ia config set market.adapter akshare`")
    else:
        hint("`ia sync` brings the market, with real prices; for made-up ones `ia config set market.adapter demo`")
