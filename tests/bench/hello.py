"""The floor of `ia --help`: a click program of one command."""

import click


@click.command()
@click.argument("name")
@click.option("--count", default=1, help="How often.")
def hello(name: str, count: int) -> None:
    """Greet somebody."""
    click.echo(f"Hello {name}!" * count)


hello()
