"""`ia init`: a new workspace from a profile."""

import click

from ia_cli._group import Command
from ia_cli._out import hint


@click.command(cls=Command, example="ia init --profile invest")
@click.option("--profile", default="invest", show_default=True, metavar="NAME", help="Which profile to take.")
@click.pass_context
def init(ctx: click.Context, profile: str) -> None:
    """Fill a new workspace from a profile.

    Copies the profile's files (soul, memory skeleton) to where there are none yet, and prints what it wrote. Nothing
    that is there is touched, and no command needs this first: every file may be deleted again.
    """
    from ia import profiles
    from ia.workspace import Workspace

    written = profiles.apply(Workspace(), profile)
    for path in written:
        click.echo(path)
    if not written:
        hint("everything of profile {profile} is already there", profile=profile)
