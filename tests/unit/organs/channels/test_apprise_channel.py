"""Services of the library apprise: mail, and passwords in addresses."""

import email
import email.policy
import socketserver
import threading

from ia.organs.channels import sending


class Post(socketserver.StreamRequestHandler):
    """As much of SMTP as takes a message."""

    def handle(self):
        self.reply("220 here")
        for raw in self.rfile:
            word = raw.split()[0].upper()
            if word == b"DATA":
                self.reply("354 go on")
                lines = iter(self.rfile.readline, b".\r\n")
                self.server.mails.append(
                    b"".join(line.removeprefix(b".") if line.startswith(b"..") else line for line in lines)
                )
            self.reply("250 ok" if word != b"QUIT" else "221 bye")
            if word == b"QUIT":
                return

    def reply(self, line):
        self.wfile.write(line.encode() + b"\r\n")


def test_a_mail_is_text_whatever_it_looks_like(ws):
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Post) as server:
        server.mails = []
        serving_thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        serving_thread.start()
        port = server.server_address[1]
        ws.write(
            "config.yaml",
            f"channels:\n  mail: 'mailto://127.0.0.1:{port}?mode=insecure&from=ia@example.com&to=me@example.com'\n",
        )
        (notice,) = sending.send_message(
            ws, "第一行 <b>x</b> & <script>y</script>\n.\n第二段", to="mail", title="周报\r\nBcc: all@evil.example"
        )
        server.shutdown()
        serving_thread.join()
    assert notice.state == "sent", notice.error
    (raw,) = server.mails
    mail = email.message_from_bytes(raw, policy=email.policy.default)
    assert mail["Subject"] == "周报 Bcc: all@evil.example" and mail["Bcc"] is None and "me@example.com" in mail["To"]
    assert mail.get_body(("html",)) is None
    assert mail.get_body(("plain",)).get_content().splitlines() == [
        "第一行 <b>x</b> & <script>y</script>",
        ".",
        "第二段",
    ]


def test_a_password_with_odd_characters_reaches_the_service(ws, service, monkeypatch):
    import base64

    password = "p@ss/w:rd?#%é"
    monkeypatch.setenv("PW", password)
    ws.write("config.yaml", f"channels:\n  phone: 'json://me:${{PW}}@127.0.0.1:{service.server_port}/a'\n")
    assert sending.send_message(ws, "x", to="phone")[0].state == "sent"
    scheme, _, credentials = service.asked[0].headers["Authorization"].partition(" ")
    assert scheme == "Basic" and service.asked[0].path == "/a"
    decoded = base64.b64decode(credentials)
    assert decoded in (f"me:{password}".encode(), f"me:{password}".encode("latin-1"))
