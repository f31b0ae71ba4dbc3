"""`ia profile`: what a workspace may begin with."""

import sys

import click

from ia.kernel.errors import NotFound
from ia_cli.terminal.group import Group
from ia_cli.terminal.lists import listed
from ia_cli.terminal.options import rows_options
from ia_cli.terminal.output import hint
from ia_cli.terminal.profile_changes import show, take


@click.group(cls=Group, example="ia profile list")
def profile() -> None:
    """List, take and install profiles: what a workspace may begin with.

    A profile is a folder of files as they lie in the workspace: soul.md, config.yaml, memory/, notebook/, knowledge/,
    tasks/, .claude/skills/, .claude/providers/. Whatever else is in it is passed over. Every file of it may be deleted
    again.
    """


@profile.command("list", homeless=True, example="ia profile list")
@rows_options
@click.pass_context
def list_(ctx: click.Context, as_json: bool, as_jsonl: bool) -> None:
    """List the profiles: name, whether it is in use, where it is from, what its soul says first."""
    from ia.faculties import profiles
    from ia.kernel.workspace import Workspace

    used = profiles.in_use(Workspace())
    rows = [
        {
            "name": found.name,
            "in_use": found.name == used,
            "origin": "ia" if found.shipped else "installed",
            "about": found.about,
        }
        for found in profiles.profiles()
    ]
    empty = NotFound("no profile is there", hint="`ia profile install` brings one; ia works without")
    listed(ctx, rows, ("name", "in_use", "origin", "about"), empty, as_json=as_json, as_jsonl=as_jsonl)


@profile.command(example="ia init; ia profile use gtd")
@click.argument("name")
@click.option("--replace", is_flag=True, help="Also replace or remove what another profile brought and nobody edited.")
@click.option("--restore", is_flag=True, help="Also bring back the files of this profile that you deleted.")
@click.option("--yes", is_flag=True, help="Do not ask; typed by you, it is your consent.")
def use(name: str, replace: bool, restore: bool, yes: bool) -> None:
    """Take another profile, or the new version of the one in use.

    Copies what the workspace lacks, and prints the paths that changed; stderr says beforehand what will happen to each
    file. What a person edited stays as it is, and so do memory and notebook. Of the profile in use, the files that
    nobody edited are replaced by their new version; the new version of a skill or provider that you edited is
    proposed, with your edits where they can be kept. What you deleted stays deleted. The soul of a workspace that has
    one only changes by proposal (`ia approve`), and a task runs once you approve it; one that you dropped is not
    proposed again. NAME is one of `ia profile list`, or the path of a folder (./mine); a profile that did not come with
    ia is shown, and you are asked.
    """
    take(name, yes=yes, replace=replace, restore=restore)


@profile.command(
    example="mkdir mine; echo '用费曼学习法讲解一切。' > mine/soul.md; ia profile install ./mine; ia profile list"
)
@click.argument("source")
@click.option("--name", default="", metavar="NAME", help="Install it under this name.")
def install(source: str, name: str) -> None:
    """Install a profile from a folder, a zip file or a git URL, for all your workspaces. Prints its name.

    Shows what it contains: the soul, the tools of its skills, the commands of its providers, its settings, its files.
    They are only copied; nothing of them takes effect before `ia profile use`, which shows them again and asks. An
    installed profile of the same name is replaced.
    """
    from ia.faculties import profiles

    installed = profiles.install(source, name)
    show(installed)
    hint("`ia profile use {name}` takes it", name=installed.name)
    sys.stdout.write(f"{installed.name}\n")
