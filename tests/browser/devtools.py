# SPDX-License-Identifier: MIT
"""A headless Chromium, spoken to over a pair of pipes (the DevTools protocol), with the standard
library alone. It resolves no name and reaches no machine but this one.
"""

import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE_S = 60


class Browser:
    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="interlock-browser-")
        # Chromium reads 3 and writes 4: whatever the pipes were given moves out of the way first.
        from_us, to_browser, from_browser, to_us = (
            fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (*os.pipe(), *os.pipe()))
        os.dup2(from_us, 3, inheritable=True)
        os.dup2(to_us, 4, inheritable=True)
        self.input, self.output = to_browser, from_browser
        # The pages are our own, and a container often has no sandbox to give.
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--no-first-run", "--no-default-browser-check", "--remote-debugging-pipe",
             "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
             "--user-data-dir=" + self.profile, "about:blank"],
            pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.profile})
        for end in (3, 4, from_us, to_us):
            os.close(end)
        self.bytes, self.last, self.answers, self.listeners = b"", 0, {}, {}

    def close(self):
        try:
            self.call("Browser.close")
        except (BrokenPipeError, EOFError):
            pass
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, session=None, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        todo = json.dumps(message).encode() + b"\0"
        while todo:
            todo = todo[os.write(self.input, todo):]
        wanted = self.last
        self.until(lambda: wanted in self.answers, method)
        answer = self.answers.pop(wanted)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def until(self, done, what):
        """Takes what the browser says until it is done."""
        end = time.monotonic() + PATIENCE_S
        while not done():
            if not select.select([self.output], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"the browser did not answer within {PATIENCE_S} s: {what}")
            got = os.read(self.output, 1 << 20)
            if not got:
                raise EOFError("the browser has ended")
            *whole, self.bytes = (self.bytes + got).split(b"\0")
            for one in whole:
                self.take(json.loads(one))

    def take(self, message):
        if "id" in message:
            self.answers[message["id"]] = message
        elif message.get("sessionId") in self.listeners:
            self.listeners[message["sessionId"]](message["method"], message["params"])

    def open(self, url, width=1280, scheme="light"):
        return Page(self, url, width, scheme)


class Page:
    """One page, and all that it complained of and asked for."""

    def __init__(self, browser, url, width, scheme):
        self.browser = browser
        self.complaints, self.requests, self.loaded = [], [], False
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target,
                                    flatten=True)["sessionId"]
        browser.listeners[self.session] = self.hear
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=url)
        browser.until(lambda: self.loaded, "load " + url)

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def hear(self, method, params):
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.complaints.append(json.dumps(params["args"])[:500])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"][:500])

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:1000])
        return result["result"].get("value")

    def press(self, key, code=None):
        number = {"Enter": 13, "End": 35, "Home": 36, "ArrowUp": 38, "ArrowDown": 40,
                  "PageUp": 33, "PageDown": 34, "Tab": 9}.get(key, ord(key[0].upper()))
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key,
                      windowsVirtualKeyCode=number, text=text if kind != "keyUp" else "")
