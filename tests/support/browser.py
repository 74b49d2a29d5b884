# SPDX-License-Identifier: MIT
"""Chromium without a window, spoken to over a pipe in its DevTools protocol. Nothing but the standard library.

    with Browser() as browser:
        browser.open("page.html", width=360, dark=True)
        browser.value("document.title")
        browser.complaints      # console messages, exceptions, requests that leave the page

Browser("http://127.0.0.1:8080/") looks at a server: requests to it do not leave the page.
"""
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

SECONDS = 60


def program():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    def __init__(self, server=None):
        self.own = tuple(filter(None, ("file:", "data:", server, f"blob:{server}" if server else None)))

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self.to = os.pipe()
        self.answers, theirs_out = os.pipe()
        # The protocol's pipe is on file descriptors 3 and 4; the shell puts it there.
        shell = f'exec 3<&{theirs_in} 4>&{theirs_out}; exec "$@"'
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
                 "--hide-scrollbars", f"--user-data-dir={self.folder.name}"]
        self.process = subprocess.Popen(["bash", "-c", shell, "browser", program(), *flags],
                                        pass_fds=[theirs_in, theirs_out],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.rest, self.number, self.session, self.events, self.complaints = b"", 0, None, [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *error):
        self.session = None
        try:
            self.call("Browser.close")
            self.process.wait(SECONDS)
        except (OSError, EOFError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def read(self):
        end = time.monotonic() + SECONDS
        while b"\0" not in self.rest:
            if not select.select([self.answers], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(message)
        self.listen(message.get("method"), message.get("params", {}))
        return message

    def listen(self, method, params):
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.complaints.append(json.dumps(params)[:400])
        if method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(self.own):
            self.complaints.append(params["request"]["url"])

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer.get("method"))

    def open(self, path, width, dark):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1,
                  mobile=width < 500)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="", features=[scheme])
        self.events.clear()
        url = path if path.startswith(("http:", "about:")) else pathlib.Path(path).resolve().as_uri()
        self.call("Page.navigate", url=url)
        while "Page.loadEventFired" not in self.events:
            self.events.append(self.read().get("method"))

    def wait(self, expression):
        """Until the expression is true."""
        end = time.monotonic() + SECONDS
        while not self.value(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"still not: {expression}")
            self.value("new Promise(done => setTimeout(done, 50))")

    def type(self, text):
        self.call("Input.insertText", text=text)

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def print_media(self):
        self.call("Emulation.setEmulatedMedia", media="print")

    def point(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press(self, key, modifiers=0):
        """modifiers: 2 Ctrl, 8 Shift."""
        text = {"Enter": "\r", " ": " "}.get(key, "")
        code = {"Enter": 13, "Tab": 9, " ": 32, "Escape": 27}.get(key, 0)
        for kind in ["keyDown", "keyUp"]:
            more = {"text": text} if text and kind == "keyDown" else {}
            more = {**more, "windowsVirtualKeyCode": code} if code else more
            if (key, modifiers, kind) == ("a", 2, "keyDown"):
                more["commands"] = ["selectAll"]  # what the key means to an editor, the window system tells a browser
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, modifiers=modifiers, **more)


if __name__ == "__main__" and program() is None:
    print("no chromium: skipped")
    sys.exit(77)
