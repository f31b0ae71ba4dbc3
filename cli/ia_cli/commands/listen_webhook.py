"""`ia listen webhook`: signed HTTP requests start tasks."""

from typing import TYPE_CHECKING

import click

from ia.kernel.errors import ConfigError, Message, UsageError
from ia_cli.terminal.group import Command
from ia_cli.terminal.output import harmless, notify

if TYPE_CHECKING:
    from ia.reach.bridges.deliveries import Delivery

LOOPBACK = "127.0.0.1"
NAMES = {"standard": "Standard Webhooks (webhook-signature)", "github": "GitHub (X-Hub-Signature-256)"}


@click.command(cls=Command, example="ia config set webhook.port 8800; ia listen webhook --help")
@click.option("--host", default=LOOPBACK, show_default=True, metavar="ADDRESS", help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 takes a free one. Default: webhook.port.")
@click.option("--once", is_flag=True, help="End after the first accepted event has been handled.")
def webhook(host: str, port: int | None, once: bool) -> None:
    """Listen for signed HTTP requests and run the tasks that wait for them.

    `POST /NAME` starts the approved tasks whose schedule is `on webhook NAME`; the body (text, at most 256 kB) is what
    their prompt is given, as data from outside; a pipeline is only started by it. It is kept before it is answered, and
    handled afterwards, one after another; what was not handled when the listener ended is left to the next one, or `ia
    task due`. Each accepted event is printed as one line of JSON. Ends on SIGTERM and Ctrl-C.

    A request is signed with webhook.secret (HMAC-SHA256), in one of two forms. A secret is good for one of them:
    webhook.form says which, else Standard Webhooks where it begins with whsec_, and GitHub's where not.

    Standard Webhooks: the headers webhook-id, webhook-timestamp (within 5 minutes) and webhook-signature, `v1,` and
    base64 of the signature of `ID.TIMESTAMP.BODY`; a secret that begins with whsec_ is base64. GitHub:
    X-Hub-Signature-256, `sha256=` and the signature of the body in hex; the id is X-GitHub-Delivery, else the SHA-256
    of the body; neither it nor a time is signed, so that whoever reads the traffic can send it again. NAME is not
    signed: an id is taken once, whatever NAME it comes for.

    Answers: 202 accepted, 200 received before (the same id), 401 not signed, 404 no task listens, 413 too long, 429 too
    many wait, 503 try again later. `GET /healthz` is answered with 200.

    \b
    By hand, with a secret that `openssl rand -hex 32` made:
      body='{"status": "done"}'
      sign=$(printf %s "$body" | openssl dgst -sha256 -hmac "$IA_WEBHOOK_SECRET")
      curl -d "$body" -H "X-Hub-Signature-256: sha256=${sign##* }" http://127.0.0.1:8787/build
    """
    import gc

    from ia.kernel import config
    from ia.kernel.workspace import Workspace
    from ia.reach.bridges import signing
    from ia.reach.bridges import webhook as bridge
    from ia.reach.tasks.children import command

    gc.enable()  # this process stays
    secret = config.get("webhook.secret")
    if not secret:
        raise ConfigError(
            "webhook.secret is not set: only what is signed is let in",
            hint="`openssl rand -hex 32 | ia config secret IA_WEBHOOK_SECRET`; give the sender the same secret",
        )
    form = signing.form_of(secret, config.get("webhook.form"))
    chosen = port if port is not None else int(config.get("webhook.port"))
    if chosen > 65535:
        raise UsageError("webhook.port: {port} is no port", port=chosen)
    if not _loopback(host):
        notify(
            Message(
                "{host} can be reached from outside, over plain HTTP: put a proxy that speaks TLS before it", host=host
            )
        )
    due = [*command(), "--home", config.home(), "task", "due"]
    for name in config.needless("webhook.secret"):
        config.override(name, "")  # no process that is started from here needs it
    how = bridge.Listening(host, chosen, secret, due, once=once, form=form)

    def ready(address: str) -> None:
        notify(Message("listening on {address}", address=address))
        notify(Message("signatures are taken in the form of {form}", form=NAMES[form]))

    bridge.serve(Workspace(), how, ready=ready, accepted=_accepted, notify=notify)


def _loopback(host: str) -> bool:
    import ipaddress

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _accepted(event: "Delivery") -> None:
    import json
    import sys

    told = json.dumps(event._asdict(), ensure_ascii=False) + "\n"
    sys.stdout.write(harmless(told) if sys.stdout.isatty() else told)
    sys.stdout.flush()
