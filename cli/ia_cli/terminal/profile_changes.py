"""Taking a profile, and showing beforehand what it does: shared by `ia init` and `ia profile`."""

import os
import sys
from typing import TYPE_CHECKING

import click

from ia.kernel.errors import Message, Refused
from ia_cli.terminal.consent import asked
from ia_cli.terminal.output import harmless, hint, notify
from ia_cli.terminal.text import say, tr

if TYPE_CHECKING:
    from ia.faculties.profiles import Profile


def take(
    name: str, *, yes: bool, replace: bool = False, restore: bool = False, only_add: bool = False, make: bool = False
) -> list[str]:
    """Take a profile, print the paths that changed and return them; one that did not come with ia is shown, and asked
    about. make: also the workspace's folder, where it is missing.
    """
    from ia.faculties import profiles
    from ia.kernel.workspace import Workspace

    ws, profile = Workspace(), profiles.find(name)
    foreseen = profiles.plan(ws, profile, replace=replace, restore=restore, only_add=only_add)
    if not profile.shipped:
        show(profile)
    if not (only_add and profile.shipped):
        for path, act in foreseen:
            click.echo(harmless(f"  {tr(act)}\t{path}"), err=True)
    if foreseen and not profile.shipped and not yes and not asked(say("Take profile {profile}?", profile=profile.name)):
        raise Refused("profile {profile} was not taken", profile=profile.name)
    if make:
        os.makedirs(ws.root, exist_ok=True)
    steps, made = profiles.use(ws, profile, replace=replace, restore=restore, only_add=only_add)
    changed = [path for path, act in steps if act in (profiles.ADD, profiles.REPLACE, profiles.REMOVE)]
    for path in changed:
        sys.stdout.write(f"{path}\n")
    for proposal in made:
        if proposal.kind == profiles.TASK:
            told = "{path} is a task that waits for you: `ia pending {number}`, `ia task approve {number}`"
        else:
            told = "{path} changes by proposal: `ia approve {number}` carries it out"
        notify(Message(told, path=proposal.path, number=proposal.id))
    if deleted := sum(act == profiles.DELETED for _path, act in steps):
        hint(
            "{count} files that you deleted stay deleted; `ia profile use {name} --restore` brings them back",
            count=deleted,
            name=name,
        )
    elif not made and not changed:
        hint("everything of profile {profile} is already there", profile=profile.name)
    return changed


def show(profile: "Profile") -> None:
    """Tell on stderr what a profile brings: its files, its soul, and what skills, providers and settings ask for."""
    from ia.faculties import profiles

    powers = dict(profiles.powers(profile))
    for path, text in profiles.contents(profile).items():
        click.echo(harmless(path), err=True)
        told = text if path == profiles.SOUL else powers.get(path, "")
        for line in told.removesuffix("\n").split("\n") if told else ():
            click.echo(harmless(f"    {line}"), err=True)
