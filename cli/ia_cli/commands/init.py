"""`ia init`: a new workspace from a profile."""

import click

from ia_cli.terminal.group import Command
from ia_cli.terminal.profile_changes import take_profile


@click.command(cls=Command, homeless=True, example="ia init --profile invest")
@click.option("--profile", default="invest", show_default=True, metavar="NAME", help="Profile to use.")
@click.option("--yes", is_flag=True, help="Skip the confirmation; typing this option is your consent.")
def init(profile: str, yes: bool) -> None:
    """Fill a new workspace from a profile.

    Copies the profile's files (soul, skills, memory skeleton) that the workspace lacks, and prints the paths written.
    Existing files stay unchanged. You may delete any file; it stays deleted. The default workspace, ~/ia, needs no `ia
    init`: the first write creates it. Only this command creates a missing folder given with --home or IA_HOME. A task
    in the profile becomes a proposal and runs once you approve it (`ia pending`). NAME is a name from `ia profile
    list` or the path of a folder (./mine). If the profile did not come with ia, ia shows its contents and asks. If the
    profile has texts in your language (--lang), ia copies those.
    """
    from ia.kernel import config
    from ia.organs.ohlcv.adapters import find_adapter
    from ia_cli.terminal.output import tell_hint

    if not take_profile(profile, yes=yes, only_add=True, make=True):
        return
    chain = config.get_setting_words("market.adapter")
    if chain and (adapter := find_adapter(chain[0])) and adapter.simulated:
        tell_hint("`ia sync` creates a simulated market; for real prices, run `ia config set market.adapter akshare`")
    else:
        tell_hint(
            "`ia sync` fetches the market with real prices; for simulated ones, run `ia config set market.adapter demo`"
        )
