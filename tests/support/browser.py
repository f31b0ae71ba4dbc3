"""A headless Chromium that a test drives over a pipe: what DevTools speaks, without a driver or a library between."""

import contextlib
import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import time

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--disable-dev-shm-usage", "--no-default-browser-check", "--mute-audio",
    "--disable-default-apps", "--disable-extensions", "--remote-debugging-pipe",
)  # fmt: skip

AS_3_AND_4 = """
import os, sys
reads, writes = (os.dup(int(number)) for number in sys.argv[1:3])
while min(reads, writes) < 5:
    reads, writes = os.dup(reads), os.dup(writes)
os.dup2(reads, 3)
os.dup2(writes, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
# Gives the browser its two ends of the pipe under the numbers that it expects.


def chromium():
    """The browser of this machine, or None."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for name in names if (path := shutil.which(name))), None)


class Page:
    """One open page. `told` are the events of DevTools so far."""

    def __init__(self, profile, width=1100, height=900):
        out_read, self.out = os.pipe()
        self.into, in_write = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-c", AS_3_AND_4, str(out_read), str(in_write), chromium(), *FLAGS,
             f"--user-data-dir={profile}", f"--window-size={width},{height}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(out_read, in_write),
        )  # fmt: skip
        os.close(out_read)
        os.close(in_write)
        self.numbers, self.answers, self.told, self.rest = itertools.count(1), {}, [], b""
        self.session = None
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(each["targetId"] for each in targets if each["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.session = None
        with contextlib.suppress(OSError, RuntimeError):
            self.call("Browser.close")
        for end in (self.out, self.into):
            os.close(end)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def call(self, method, **params):
        """Return the answer to one command."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 60
        while number not in self.answers:
            self._read(deadline)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def _read(self, deadline):
        ready, _, _ = select.select([self.into], [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            raise RuntimeError("the browser does not answer")
        data = os.read(self.into, 1 << 20)
        if not data:
            raise RuntimeError("the browser is gone")
        *whole, self.rest = (self.rest + data).split(b"\0")
        for text in whole:
            message = json.loads(text)
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self.told.append(message)

    def open(self, url):
        """Load a page and wait until it stands."""
        self.told.clear()
        self.call("Page.navigate", url=url)
        deadline = time.monotonic() + 60
        while not any(each["method"] == "Page.loadEventFired" for each in self.told):
            self._read(deadline)

    def run(self, expression):
        """Return the value of a piece of JavaScript, as JSON has it."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", answer))
        return answer["result"].get("value")

    def complaints(self):
        """What went wrong on the page: exceptions, errors and warnings of the console, refusals of its policy."""
        found = []
        for each in self.told:
            told = each["params"]
            if each["method"] == "Runtime.exceptionThrown":
                found.append(str(told["exceptionDetails"]))
            elif each["method"] == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
                found.append(told["entry"]["text"])
            elif each["method"] == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
                found.append(str(told["args"]))
        return found

    def requests(self):
        """The addresses that were asked for, the page itself and `data:` left out."""
        asked = [
            each["params"]["request"]["url"] for each in self.told if each["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in asked[1:] if not url.startswith("data:")]

    def size(self, width, height, *, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def dark(self, yes=True):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if yes else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def key(self, name):
        text = {"text": name} if len(name) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, **(text if kind == "keyDown" else {}))

    def picture(self, path, *, whole=False):
        import base64

        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
