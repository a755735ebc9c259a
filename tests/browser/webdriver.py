# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium, driven by the WebDriver protocol (https://www.w3.org/TR/webdriver2/)."""

import atexit
import base64
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Backspace": "\ue003", "Left": "\ue012",
        "Up": "\ue013", "Right": "\ue014", "Down": "\ue015", "Shift": "\ue008"}


def missing():
    """What is not installed, or ''."""
    for program in ("chromedriver", "chromium"):
        if not shutil.which(program):
            return program
    return ""


class Failure(Exception):
    pass


class Browser:
    """One window. Use it with `with`."""

    def __init__(self, width=1200, height=800, scripts=True, dark=False):
        self.folder = tempfile.mkdtemp(prefix="perun-browser.")
        self.session = None
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={self.port}", "--log-level=SEVERE"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, HOME=self.folder, TMPDIR=self.folder))
        atexit.register(self.close)
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--hide-scrollbars", "--force-prefers-reduced-motion", "--no-first-run", f"--window-size={width},{height}",
                     f"--user-data-dir={self.folder}/profile", "--force-device-scale-factor=1"]
        if dark:
            arguments.append("--force-dark-mode")
        options = {"args": arguments, "binary": shutil.which("chromium")}
        if not scripts:
            options["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
        self.wait_for_driver()
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"},
            "unhandledPromptBehavior": "ignore"}}})
        self.session = answer["sessionId"]

    def wait_for_driver(self):
        end = time.monotonic() + 30
        while True:
            try:
                self.call("GET", "/status")
                return
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.driver is None:
            return
        try:
            if self.session:
                self.command("DELETE", "")
        except (OSError, Failure):
            pass
        self.driver.terminate()
        self.driver.wait()
        self.driver = None
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- the protocol ---------------------------------------------------------------------------

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, path, None if body is None else json.dumps(body),
                           {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        connection.close()
        value = answer.get("value")
        if isinstance(value, dict) and "error" in value:
            raise Failure(f"{path}: {value['error']}: {value.get('message', '').splitlines()[0]}")
        return value

    def command(self, method, path, body=None):
        return self.call(method, f"/session/{self.session}{path}", body)

    # ---- what tests do --------------------------------------------------------------------------

    def open(self, path):
        self.command("POST", "/url", {"url": "file://" + os.path.abspath(path)})

    def script(self, text, *arguments):
        return self.command("POST", "/execute/sync", {"script": text, "args": list(arguments)})

    def wait(self, text, seconds=20):
        """Until an expression is true; its value."""
        end = time.monotonic() + seconds
        while True:
            value = self.script("return " + text)
            if value or time.monotonic() > end:
                return value
            time.sleep(0.03)

    def settle(self, milliseconds=80):
        """Until the page has done what it does this long after what it was told, and has drawn that."""
        self.command("POST", "/execute/async", {"args": [milliseconds], "script": "const [after, done] = arguments;"
                     "setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => done())), after)"})

    def find(self, selector):
        return self.command("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.command("POST", f"/element/{self.find(selector)}/click", {})

    def type(self, selector, text):
        self.command("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0]).textContent", selector)

    def keys(self, *names):
        """Press keys, one after the other."""
        actions = []
        for name in names:
            key = KEYS.get(name, name)
            actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.command("POST", "/actions", {"actions": [
            {"type": "key", "id": "keyboard", "actions": actions}]})

    def mouse(self, x, y, press=False, shift=False):
        """Move the mouse to a point of the window, and press it."""
        pointer = [{"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}]
        keyboard = [{"type": "pause"}]
        if press:
            pointer += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        if shift:
            keyboard = [{"type": "keyDown", "value": KEYS["Shift"]}] + [{"type": "pause"}] * 2
        self.command("POST", "/actions", {"actions": [
            {"type": "key", "id": "keyboard", "actions": keyboard},
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
             "actions": pointer}]})
        if shift:
            self.command("DELETE", "/actions")

    def errors(self):
        """What the console got since the last call."""
        return [entry["message"] for entry in self.command("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.command("GET", "/screenshot")))


class Tap:
    """Cases as TAP."""

    def __init__(self):
        self.count = self.failed = 0

    def ok(self, holds, what, *details):
        self.count += 1
        self.failed += not holds
        print(f"{'ok' if holds else 'not ok'} {self.count} - {what}")
        for detail in details if not holds else ():
            print("#  ", str(detail).replace("\n", "\n#   "))
        sys.stdout.flush()

    def equal(self, got, expected, what):
        self.ok(got == expected, what, f"expected: {expected!r}", f"got:      {got!r}")

    def has(self, got, part, what):
        self.ok(part in got, what, f"expected in it: {part!r}", f"got:            {got!r}")

    def diag(self, text):
        print("#", text)

    def finish(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)
