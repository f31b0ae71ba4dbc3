"""`ia listen webhook`: signed HTTP requests start tasks."""

from typing import TYPE_CHECKING

import click

from ia.kernel.errors import ConfigError, Message, UsageError
from ia_cli.terminal.group import Command
from ia_cli.terminal.output import escape_controls, notify

if TYPE_CHECKING:
    from ia.reach.bridges.deliveries import Delivery

LOOPBACK = "127.0.0.1"
NAMES = {"standard": "Standard Webhooks (webhook-signature)", "github": "GitHub (X-Hub-Signature-256)"}


@click.command(cls=Command, example="ia config set webhook.port 8800; ia listen webhook --help")
@click.option("--host", default=LOOPBACK, show_default=True, metavar="ADDRESS", help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 picks a free one (default: setting webhook.port).",
)
@click.option("--once", is_flag=True, help="Exit after handling the first accepted event.")
def webhook(host: str, port: int | None, once: bool) -> None:
    """Listen for signed HTTP requests and run the tasks that wait for them.

    `POST /NAME` starts the approved tasks whose schedule is `on webhook NAME`. Their prompt gets the body (text, at
    most 256 kB) as data from outside; a pipeline only starts. ia stores each event before it responds, then handles
    events one after another. Events that are unhandled when the listener stops are left to the next listener or `ia
    task due`. ia prints each accepted event as one line of JSON. Stops on SIGTERM and Ctrl-C.

    Requests must be signed with webhook.secret (HMAC-SHA256), in one of two forms. A secret works with only one form:
    that of webhook.form, else Standard Webhooks if the secret begins with whsec_, else GitHub.

    Standard Webhooks: the headers webhook-id, webhook-timestamp (within 5 minutes) and webhook-signature: `v1,` and
    the signature of `ID.TIMESTAMP.BODY` in base64. A secret that begins with whsec_ is base64. GitHub:
    X-Hub-Signature-256: `sha256=` and the signature of the body in hex. The id is X-GitHub-Delivery, else the SHA-256
    of the body. Neither the id nor a time is signed, so anyone who reads the traffic can send a request again. NAME is
    not signed: ia accepts an id only once, whatever its NAME.

    Responses: 202 accepted; 200 received before (the same id); 401 no valid signature; 404 no task listens; 413 body
    too long; 429 too many waiting events; 503 try again later. `GET /healthz` returns 200.

    \b
    By hand, with a secret that `openssl rand -hex 32` made:
      body='{"status": "done"}'
      sign=$(printf %s "$body" | openssl dgst -sha256 -hmac "$IA_WEBHOOK_SECRET")
      curl -d "$body" -H "X-Hub-Signature-256: sha256=${sign##* }" http://127.0.0.1:8787/build
    """
    import gc

    from ia.kernel import config
    from ia.kernel.workspace import Workspace
    from ia.reach.bridges import webhook as bridge
    from ia.reach.bridges import webhook_signature
    from ia.reach.tasks.child_processes import ia_command

    gc.enable()  # this process stays
    secret = config.get_setting("webhook.secret")
    if not secret:
        raise ConfigError(
            "webhook.secret is not set; ia accepts only signed requests",
            hint="run `openssl rand -hex 32 | ia config secret IA_WEBHOOK_SECRET` and give the sender the same secret",
        )
    form = webhook_signature.form_of(secret, config.get_setting("webhook.form"))
    chosen = port if port is not None else int(config.get_setting("webhook.port"))
    if chosen > 65535:
        raise UsageError("webhook.port: {port} is not a valid port; give a number from 0 to 65535", port=chosen)
    if not _is_loopback(host):
        notify(Message("{host} is reachable from outside over plain HTTP; put a TLS proxy in front of it", host=host))
    due = [*ia_command(), "--home", config.home(), "task", "due"]
    for name in config.unneeded_variables("webhook.secret"):
        config.override_variable(name, "")  # no process that is started from here needs it
    how = bridge.Listening(host, chosen, secret, due, once=once, form=form)

    def report_ready(address: str) -> None:
        notify(Message("listening on {address}", address=address))
        notify(Message("signature form: {form}", form=NAMES[form]))

    bridge.serve_webhook(Workspace(), how, ready=report_ready, accepted=_print_delivery, notify=notify)


def _is_loopback(host: str) -> bool:
    import ipaddress

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _print_delivery(event: "Delivery") -> None:
    import json
    import sys

    told = json.dumps(event._asdict(), ensure_ascii=False) + "\n"
    sys.stdout.write(escape_controls(told) if sys.stdout.isatty() else told)
    sys.stdout.flush()
