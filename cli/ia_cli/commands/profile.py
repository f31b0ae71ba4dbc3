"""`ia profile`: what a workspace may begin with."""

import sys

import click

from ia.kernel.errors import NotFound
from ia_cli.terminal.group import CommandGroup
from ia_cli.terminal.lists import emit_list
from ia_cli.terminal.options import rows_options
from ia_cli.terminal.output import tell_hint
from ia_cli.terminal.profile_changes import show_profile, take_profile


@click.group(cls=CommandGroup, example="ia profile list")
def profile() -> None:
    """List, use and install profiles: starting files for a workspace.

    A profile is a folder laid out like a workspace: soul.md, config.yaml, memory/, notebook/, knowledge/, tasks/,
    strategies/, .claude/skills/, .claude/providers/. ia ignores everything else in it. You may delete any
    file that it adds.
    """


@profile.command("list", homeless=True, example="ia profile list")
@rows_options
@click.pass_context
def list_(ctx: click.Context, as_json: bool, as_jsonl: bool) -> None:
    """List profiles: name, whether in use, origin, first sentence of the soul."""
    from ia.faculties import profiles
    from ia.kernel.workspace import Workspace

    used = profiles.profile_in_use(Workspace())
    rows = [
        {
            "name": found.name,
            "in_use": found.name == used,
            "origin": "ia" if found.shipped else "installed",
            "about": found.about,
        }
        for found in profiles.list_profiles()
    ]
    empty = NotFound("no profiles found", hint="install one with `ia profile install`; ia also works without a profile")
    emit_list(ctx, rows, ("name", "in_use", "origin", "about"), empty, as_json=as_json, as_jsonl=as_jsonl)


@profile.command(example="ia init; ia profile use gtd")
@click.argument("name")
@click.option("--replace", is_flag=True, help="Also replace or remove unedited files from other profiles.")
@click.option("--restore", is_flag=True, help="Also restore files of this profile that you deleted.")
@click.option("--yes", is_flag=True, help="Skip the confirmation; typing this option is your consent.")
def use(name: str, replace: bool, restore: bool, yes: bool) -> None:
    """Switch to another profile, or update the one in use.

    Copies the files that the workspace lacks and prints the paths that changed. Before that, ia lists on stderr what
    will happen to each file. Files that you edited stay as they are, and so do memory and notebook. ia replaces the
    unedited files of the profile in use with their new versions. If you edited a skill or provider, ia proposes the
    new version and keeps your edits where it can. Files that you deleted stay deleted. An existing soul changes only
    by proposal (`ia approve`). A task runs once you approve it; ia does not propose a rejected task again. NAME is a
    name from `ia profile list` or the path of a folder (./mine). If the profile did not come with ia, ia shows its
    contents and asks.
    """
    take_profile(name, yes=yes, replace=replace, restore=restore)


@profile.command(
    example="mkdir mine; echo '用费曼学习法讲解一切。' > mine/soul.md; ia profile install ./mine; ia profile list"
)
@click.argument("source")
@click.option("--name", default="", metavar="NAME", help="Name to install the profile under.")
def install(source: str, name: str) -> None:
    """Install a profile from a folder, .zip or git URL, for all your workspaces.

    Shows the contents: the soul, the tools of its skills, the commands of its providers, its settings and files.
    Prints the profile's name. ia only copies the files; they take effect after `ia profile use`, which shows them
    again and asks. ia replaces an installed profile of the same name.
    """
    from ia.faculties import profiles

    installed = profiles.install_profile(source, name)
    show_profile(installed)
    tell_hint("`ia profile use {name}` applies it", name=installed.name)
    sys.stdout.write(f"{installed.name}\n")
