"""`ia knowledge index`: the index of words, and vectors of passages beside it."""

import contextlib

import click

from ia.kernel.errors import ConfigError, Message, Refused, UsageError
from ia_cli.terminal.group import Command
from ia_cli.terminal.options import json_option
from ia_cli.terminal.output import emit_json, emit_rows, notify
from ia_cli.terminal.text import say

COLUMNS = ("passages", "embedded", "missing", "model")


@click.command(cls=Command, example="ia knowledge index")
@click.option("--embed", is_flag=True, help="Embed the passages that have no vector yet.")
@click.option(
    "--in",
    "areas",
    metavar="A[,B…]",
    default="knowledge",
    help="Areas: knowledge, memory, notebook, journal (default: knowledge).",
)
@click.option("-y", "--yes", is_flag=True, help="Send the texts without asking first.")
@json_option
def index(embed: bool, areas: str, yes: bool, as_json: bool) -> None:
    """Bring the index up to date and tell how many passages have a vector.

    With --embed ia sends the passages without a vector to the service of `embedding.url`, in batches, and keeps the
    vectors in .ia/cache/vectors: no text is sent twice. It shows texts, tokens and price first and asks. The price is
    that of `prices.MODEL`; `embedding.max_cost` limits it. Vectors of another model, dimension or prefix are other
    vectors. What was embedded before an interruption stays. Status 77 without consent, 78 without a service.
    """
    from ia.kernel.workspace import Workspace
    from ia.organs.recall import embeddings, search, vectors
    from ia.organs.recall.index import open_index

    chosen = tuple(area.strip() for area in areas.split(",") if area.strip())
    if unknown := [area for area in chosen if area not in search.NOTES]:
        raise UsageError("{area}: unknown area", area=unknown[0], known=", ".join(search.NOTES), hint="{known}")
    space = embeddings.load_space()
    if embed and space is None:
        raise ConfigError("no embeddings service is set", hint="ia config set embedding.url URL")
    ws = Workspace()
    where, values = search.build_restriction(None, chosen)
    row: dict[str, object] = {"passages": 0, "embedded": 0, "missing": 0, "model": space.model if space else None}
    with contextlib.closing(open_index(ws, notify)) as conn:
        if space is None:
            row["passages"] = row["missing"] = sum(1 for _ in vectors.list_texts(conn, where, values))
        else:
            store = vectors.VectorStore(ws.root, space)
            plan = vectors.plan_embedding(conn, store, where, values)
            row["passages"] = plan.passages
            sent = bool(embed and plan.texts)
            if sent:
                _embed(store, plan, yes)
            row["embedded"] = plan.passages if sent else plan.embedded
            row["missing"] = 0 if sent else plan.passages - plan.embedded
    if as_json:
        emit_json(row)
    else:
        emit_rows([row], COLUMNS)


def _embed(store: object, plan: object, yes: bool) -> None:
    """Embed what is missing, after showing what it costs."""
    from ia.kernel.workspace import Workspace
    from ia.organs.recall import vectors
    from ia.organs.sessions import estimate_tokens
    from ia.organs.spending import Meter, format_amount, model_price
    from ia_cli.terminal.confirmation import ask_consent
    from ia_cli.terminal.progress import show_progress

    assert isinstance(store, vectors.VectorStore) and isinstance(plan, vectors.EmbeddingPlan)
    from decimal import Decimal

    from ia.kernel import config

    space = store.space
    tokens = sum(estimate_tokens(text) for text in plan.texts.values())
    price = model_price(space.model)
    cost = price.input * tokens / 1_000_000 if price else None
    limit = Decimal(str(config.get_setting("embedding.max_cost")))
    shown = say("unknown") if cost is None or price is None else f"{format_amount(round(cost, 6))} {price.currency}"
    notify(
        Message(
            "{texts} texts, about {tokens} tokens, price: {price}; they go to {url}",
            texts=len(plan.texts),
            tokens=tokens,
            price=shown,
            url=space.url,
        )
    )
    if cost is not None and cost > limit:
        raise Refused(
            "embedding would exceed embedding.max_cost ({limit:g})",
            limit=float(limit),
            hint="ia config set embedding.max_cost AMOUNT",
        )
    if not yes and not ask_consent(say("Send these texts?")):
        raise Refused("nothing was sent")
    with show_progress(least=2, step=1) as progress:
        used = vectors.embed_missing(store, plan, progress)
    Meter(Workspace(), space.model, command="knowledge index").settle_call(used or tokens, 0)
