# SPDX-License-Identifier: BSD-3-Clause
"""What tests/cli/page-policy.sh checks; prints TAP. Run in a folder with the pages of the other commands."""

import base64
import glob
import hashlib
import html.parser
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
import xml.dom.minidom

TESTS, PERUN, ADDRESS = os.environ["TESTS"], os.environ["PERUN"], os.environ["SITE_ADDRESS"]
sys.path.insert(0, TESTS + "/browser")
import webdriver  # noqa: E402

DATA = "application/json"
tap = webdriver.Tap()
SHOTS = os.environ.get("PERUN_SCREENSHOTS")  # a folder: keep pictures there


def source(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def directives(policy):
    """A policy's lists of sources by directive."""
    return {words[0]: words[1:] for words in (part.split() for part in policy.split(";")) if words}


class Page(html.parser.HTMLParser):
    """The policy of a page, its inline scripts and styles, its frames, and what is wrong with it."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.problems, self.policy, self.frames, self.files = [], None, [], []
        self.texts = {"script-src": set(), "style-src": set()}
        self.inside = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        for key, value in attributes:
            if key.startswith("on") or key == "style":
                self.problems.append(f"<{tag} {key}={value!r}>")
        if (values.get("http-equiv") or "").lower() == "content-security-policy":
            if self.policy is not None:
                self.problems.append("two policies")
            self.policy = directives(values["content"])
        elif tag in ("script", "style", "link", "body") and self.policy is None:
            self.problems.append(f"<{tag}> before the policy")
        if tag == "script" and "src" in values or tag == "link":
            self.files.append(values.get("src", values.get("href")))
        elif tag == "script" and values.get("type") != DATA or tag == "style":
            self.inside, self.text = tag, ""
        if tag == "iframe":
            self.frames.append(values.get("srcdoc"))

    def handle_data(self, data):
        if self.inside:
            self.text += data

    def handle_endtag(self, tag):
        if tag == self.inside:
            self.texts[tag + "-src"].add(source(self.text))
            self.inside = None


def problems_of(text, site=False):
    """What is wrong with a page. `site`: its scripts and styles are files."""
    page = Page(text)
    policy, found = page.policy, page.problems
    if policy is None:
        return found + ["no policy"]
    for directive in ("default-src", "base-uri", "form-action"):
        if policy.get(directive) != ["'none'"]:
            found.append(f"{directive} {policy.get(directive)}")
    found += [f"{directive} {word}" for directive, sources in policy.items() for word in sources
              if "unsafe" in word or "*" in word or word.startswith(("http", "blob")) or (word == "data:" and directive != "img-src")]
    for frame in page.frames:
        inner = Page(frame or "")
        found += ["frame: " + problem for problem in problems_of(frame or "")]
        for directive in page.texts:
            page.texts[directive] |= inner.texts[directive]
    if site:
        found += [f"inline {directive}" for directive, texts in page.texts.items() if texts]
        found += [f"loads {file}" for file in page.files if not re.fullmatch(r"(\.\./)*[a-z]+\.(js|css)|data:,", file)]
        return found
    found += [f"loads {file}" for file in page.files]
    for directive, texts in page.texts.items():
        sources = set(policy.get(directive, [])) - {"'none'"}
        found += [f"{directive} lacks {one}" for one in texts - sources]
        found += [f"{directive} has {one} for nothing" for one in sources - texts]
    return found


def picture_problems(text):
    found = []
    for element in xml.dom.minidom.parseString(text.encode()).getElementsByTagName("*"):
        if element.localName in ("script", "foreignObject", "iframe"):
            found.append(f"<{element.tagName}>")
        found += [f"<{element.tagName} {key}>" for key, value in element.attributes.items()
                  if key.startswith("on") or "javascript:" in value]
    return found


def read(name):
    with open(name, encoding="utf-8", newline="") as file:
        return file.read()


def check(name, site=False):
    found = picture_problems(read(name)) if name.endswith(".svg") else problems_of(read(name), site)
    tap.ok(not found, f"{name}: " + ("no scripts" if name.endswith(".svg") else "its policy"), *found[:8])


# ---- the pages -----------------------------------------------------------------------------------


def profiles():
    spec = importlib.util.spec_from_file_location("views_names", TESTS + "/cli/views-names.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.profiles(module.PLAIN)


def perun(*words):
    return subprocess.run([PERUN, *words], capture_output=True, stdin=subprocess.DEVNULL)


def draw(view, form, inputs):
    """The first page or picture that the view makes of one of the profiles, alone or twice."""
    name = f"{view}.{form}"
    for words in [(one,) for one in inputs] + [(one, one) for one in inputs]:
        for arguments in ([], ["main"]):  # some want a function
            if perun("show", "-o", name, *words, view, *arguments).returncode == 0 and os.path.exists(name):
                return name
    return None


def draw_all():
    listed = json.loads(perun("plugin", "list", "--json").stdout)["plugins"]
    views, inputs, pages = [one["name"] for one in listed if one["kind"] == "view"], profiles(), []
    for view in views:
        for form in ("html", "svg"):
            name = draw(view, form, inputs)
            refused = perun("show", "-o", f"{view}.{form}", inputs[0], view).stderr.decode()
            tap.ok(name or re.search(f"the view {view} draws (?!.*\\b{form}\\b)", refused), f"{view}: {form}", refused)
            if name:
                pages.append(name)
    with open("stacks.html", "wb") as out:
        out.write(perun("pprof", "-weblist=.", "stacks.speedscope.json").stdout)
    # A report with all its frames: flames, repeats, curves.
    for name in ("stacks.speedscope.json", "models.perf"):
        page = f"report-{name.split('.')[0]}.html"
        if perun("showdiff", "-o", page, name, name, "report").returncode == 0:
            pages.append(page)
    frames = sum(read(page).count("<iframe") for page in pages if page.startswith("report"))
    tap.ok(frames >= 2, "reports with frames", frames)
    return pages + ["stacks.html", "history.html", "history.svg"]


# ---- in a browser --------------------------------------------------------------------------------

FRAMES = ("[...document.querySelectorAll('iframe')].every(f => f.contentDocument && "
          "f.contentDocument.documentElement.dataset.ready)")


def violations(browser):
    return [text for text in browser.errors() if "Content Security Policy" in text or "Refused to" in text]


def look(browser, name):
    browser.open(name)
    waits = "data-ready" in read(name) or "dataset.ready" in read(name) or "site/" in name
    ready = not waits or browser.wait("document.documentElement.dataset.ready && " + FRAMES, 10)
    if SHOTS:
        browser.screenshot(os.path.join(SHOTS, name.replace("/", "-") + ".png"))
    found = violations(browser)
    tap.ok(ready and not found, f"{name}: no violation in the browser", f"ready: {ready}", *found[:4])


def test_tampered(browser):
    """What is added to a page neither runs nor styles anything, and the console says so."""
    with open("tampered.html", "w", encoding="utf-8") as out:
        out.write(read("top.html").replace("<main>", "<main onclick=x style='color: red'><script>window.added = 1</script>"))
    tap.equal(len(problems_of(read("tampered.html"))), 3, "a page that was tampered with is found")
    browser.open("tampered.html")
    browser.wait("document.documentElement.dataset.ready")
    tap.ok(not browser.script("return window.added"), "an added script does not run")
    tap.ok(len(violations(browser)) >= 2, "the console reports it")


def test_without_scripts():
    """The picture in <noscript> has its style."""
    with webdriver.Browser(scripts=False) as browser:
        browser.open("scaling.html")
        rule = browser.find("noscript svg .grid")
        tap.equal(browser.command("GET", f"/element/{rule}/css/stroke"), "rgb(227, 227, 227)", "without scripts: a chart in its colours")
        tap.equal(violations(browser), [], "without scripts: no violation")


def test_browser(pages):
    if webdriver.missing():
        tap.diag(webdriver.missing() + " is missing")
        return
    with webdriver.Browser() as browser:
        for name in pages:
            look(browser, name)
        test_tampered(browser)
    test_without_scripts()


# ---- served --------------------------------------------------------------------------------------


def headers(path):
    try:
        with urllib.request.urlopen(ADDRESS + path) as answer:
            return answer.headers
    except urllib.error.HTTPError as error:
        return error.headers


def test_served(view):
    for path in ("/", "/versions.html", view, "/site.js", "/data/catalog.js", "/no-such-page"):
        found = headers(path)
        policy = found["Content-Security-Policy"] or ""
        tap.equal(found["X-Content-Type-Options"], "nosniff", f"served {path}: nosniff")
        tap.ok(policy.startswith("default-src 'none'; ") and "unsafe" not in policy and
               "frame-ancestors 'self'" in policy, f"served {path}: the policy", policy)
    tap.has(headers("/")["Content-Security-Policy"], "script-src 'self';", "served: the overview loads its own files only")
    tap.has(headers(view)["Content-Security-Policy"], "script-src 'sha256-", "served: a view runs its own script")


made = draw_all()
for one in made:
    check(one)
for one in sorted(glob.glob("site/**/*.html", recursive=True)):
    check(one, site="/view/" not in one)
metric, version = (sorted(glob.glob(f"site/{kind}/*.html"))[0] for kind in ("metric", "version"))
shown = sorted(glob.glob("site/view/*.html"))[0]
test_served("/" + shown.split("/", 1)[1])
test_browser([one for one in made if one.endswith(".html")] + ["site/index.html", "site/versions.html", metric, version])
tap.finish()
