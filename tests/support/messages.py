"""Messages that a service was sent and the audit recorded, and a token of the form that Telegram's have."""

import json

from ia.kernel import audit

TOKEN = "123456:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0"
TAKEN = b'{"ok": true, "result": {}}'


def texts(service):
    return [json.loads(request.body)["message"] for request in service.asked]


def kinds(ws):
    return [(event.kind, event.subject) for event in reversed(audit.events(ws.db, kind="message"))]
