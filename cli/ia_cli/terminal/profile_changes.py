"""Taking a profile, and showing beforehand what it does: shared by `ia init` and `ia profile`."""

import os
import sys
from typing import TYPE_CHECKING

import click

from ia.kernel.errors import Message, PluralText, Refused
from ia_cli.terminal.confirmation import ask_consent
from ia_cli.terminal.output import escape_controls, notify, tell_hint
from ia_cli.terminal.text import say, tr

if TYPE_CHECKING:
    from ia.faculties.profiles import Profile


def take_profile(
    name: str, *, yes: bool, replace: bool = False, restore: bool = False, only_add: bool = False, make: bool = False
) -> list[str]:
    """Take a profile, print the paths that changed and return them.

    A profile that did not come with ia is shown first, and the user is asked. `make` creates the folder of the
    workspace where it is missing.
    """
    from ia.faculties import profiles
    from ia.kernel.workspace import Workspace

    ws, profile = Workspace(), profiles.find_profile(name)
    foreseen = profiles.plan_steps(ws, profile, replace=replace, restore=restore, only_add=only_add)
    if not profile.shipped:
        show_profile(profile)
    if not (only_add and profile.shipped):
        for path, act in foreseen:
            click.echo(escape_controls(f"  {tr(act)}\t{path}"), err=True)
    if (
        foreseen
        and not profile.shipped
        and not yes
        and not ask_consent(say("Apply profile {profile}?", profile=profile.name))
    ):
        raise Refused("profile {profile} was not applied", profile=profile.name)
    if make:
        os.makedirs(ws.root, exist_ok=True)
    steps, made = profiles.use_profile(ws, profile, replace=replace, restore=restore, only_add=only_add)
    changed = [path for path, act in steps if act in (profiles.ADD, profiles.REPLACE, profiles.REMOVE)]
    for path in changed:
        sys.stdout.write(f"{path}\n")
    for proposal in made:
        if proposal.kind == profiles.TASK:
            told = (
                "{path} is a task that needs your approval: view it with `ia pending {number}`, "
                "approve it with `ia task approve {number}`"
            )
        else:
            told = "{path} changes only when you approve it: `ia approve {number}`"
        notify(Message(told, path=proposal.path, number=proposal.id))
    if deleted := sum(act == profiles.DELETED for _path, act in steps):
        tell_hint(
            PluralText(
                "{count} file that you deleted stays deleted; restore it with `ia profile use {name} --restore`",
                "{count} files that you deleted stay deleted; restore them with `ia profile use {name} --restore`",
            ),
            count=deleted,
            name=name,
        )
    elif not made and not changed:
        tell_hint("all files of profile {profile} already exist", profile=profile.name)
    return changed


def show_profile(profile: "Profile") -> None:
    """Tell on stderr what a profile brings: its files, its soul, and what skills, providers and settings ask for."""
    from ia.faculties import profiles

    powers = dict(profiles.list_powers(profile))
    for path, text in profiles.profile_files(profile).items():
        click.echo(escape_controls(path), err=True)
        told = text if path == profiles.SOUL else powers.get(path, "")
        for line in told.removesuffix("\n").split("\n") if told else ():
            click.echo(escape_controls(f"    {line}"), err=True)
