# SPDX-License-Identifier: BSD-3-Clause
"""Opens the pages that tests/browser/firefox.sh made in a headless Firefox, by its Marionette protocol."""

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from webdriver import Tap

tap = Tap()
PREFERENCES = """
user_pref("marionette.port", 0);
user_pref("app.update.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.enabled", false);
user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
"""


class Firefox:
    """One window; messages are "LENGTH:[0, NUMBER, COMMAND, PARAMETERS]"."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="perun-firefox.")
        with open(os.path.join(self.folder, "user.js"), "w", encoding="utf-8") as file:
            file.write(PREFERENCES)
        self.process = subprocess.Popen(
            [shutil.which("firefox-esr") or "firefox", "--headless", "--no-remote", "--marionette", "--profile", self.folder],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, HOME=self.folder, MOZ_HEADLESS_WIDTH="1200", MOZ_HEADLESS_HEIGHT="800"))
        self.number = 0
        self.stream = self.connect()
        self.read()
        self.call("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": False}}})

    def connect(self):
        name, end = os.path.join(self.folder, "MarionetteActivePort"), time.monotonic() + 120
        while True:
            try:
                with open(name, encoding="ascii") as file:
                    return socket.create_connection(("127.0.0.1", int(file.read())), timeout=120).makefile("rwb")
            except (OSError, ValueError):
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
                time.sleep(0.1)

    def read(self):
        size = b""
        while (byte := self.stream.read(1)) != b":":
            size += byte
        return json.loads(self.stream.read(int(size)))

    def call(self, command, parameters):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters]).encode()
        self.stream.write(b"%d:%s" % (len(text), text))
        self.stream.flush()
        _, _, error, value = self.read()
        if error:
            raise RuntimeError(f"{command}: {error.get('message')}")
        return value

    def open(self, path):
        self.call("WebDriver:Navigate", {"url": "file://" + os.path.abspath(path)})

    def script(self, text):
        return self.call("WebDriver:ExecuteScript", {"script": text, "args": [], "sandbox": None})["value"]

    def wait(self, text, seconds=30):
        end = time.monotonic() + seconds
        while not (value := self.script("return " + text)) and time.monotonic() < end:
            time.sleep(0.05)
        return value

    def screenshot(self):
        return base64.b64decode(self.call("WebDriver:TakeScreenshot", {"full": False})["value"])

    def close(self):
        try:
            self.call("Marionette:Quit", {"flags": ["eForceQuit"]})
        except (OSError, RuntimeError, ValueError):
            pass
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


# A page, and what is true of it once it is drawn.
PAGES = {
    "bars": "pixels() > 1000",
    "flow": "pixels() > 500",
    "scatter": "pixels() > 500",
    "histogram": "pixels() > 500",
    "box": "pixels() > 100",
    "scaling": "pixels() > 300",
    "flamegraph": "pixels() > 200",
    "timeline": "document.querySelector('canvas, svg') !== null",
    "heapmap": "pixels() > 300",
    "alloclist": "document.querySelectorAll('details').length > 0",
    "tableof": "document.querySelectorAll('tbody tr').length > 3",
    "top": "document.querySelectorAll('.bar rect').length > 0",
    "tree": "document.querySelectorAll('button.fold').length > 0",
    "raw": "document.getElementById('tree').textContent.includes('header')",
    "report": "[...document.querySelectorAll('iframe')].some(f => Number(f.contentDocument?.documentElement.dataset.ready))",
    "site/index": "document.querySelectorAll('#metrics tbody tr').length > 0",
}
PIXELS = """window.pixels = () => [...document.querySelectorAll('canvas')].reduce((sum, c) => {
    if (!c.width || !c.height) return sum;
    const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
    for (let i = 3; i < d.length; i += 4) if (d[i] && Math.max(d[i - 3], d[i - 2], d[i - 1]) - Math.min(d[i - 3], d[i - 2], d[i - 1]) > 24) sum++;
    return sum; }, 0); return true"""

firefox = Firefox()
try:
    for page, holds in PAGES.items():
        firefox.open(page + ".html")
        firefox.script(PIXELS)
        tap.ok(firefox.wait(holds), f"{page} in Firefox", firefox.script("return document.body.innerText.slice(0, 300)"))
        tap.ok(firefox.script("return document.documentElement.scrollWidth <= innerWidth"), f"{page}: nothing is wider than the window")
        folder = os.environ.get("PERUN_SCREENSHOTS")
        if folder:
            with open(os.path.join(folder, "firefox-" + page.replace("/", "-") + ".png"), "wb") as out:
                out.write(firefox.screenshot())
finally:
    firefox.close()
tap.finish()
