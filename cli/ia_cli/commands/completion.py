"""`ia completion`: what a shell needs to complete ia's words."""

import click

from ia_cli.terminal.group import Command


@click.command(cls=Command, homeless=True, example='eval "$(ia completion bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print shell completion for bash, zsh or fish.

    \b
    bash   ia completion bash > ~/.local/share/bash-completion/completions/ia
    zsh    ia completion zsh > ~/.zfunc/_ia        (with fpath+=~/.zfunc before compinit)
    fish   ia completion fish > ~/.config/fish/completions/ia.fish
    """
    from click.shell_completion import get_completion_class

    from ia_cli.main import cli

    source = get_completion_class(shell)
    assert source is not None
    # The base class asks the installed bash for its version; the text is the same for all that we support.
    maker = source(cli, {}, "ia", "_IA_COMPLETE")
    click.echo(maker.source_template % maker.source_vars())
