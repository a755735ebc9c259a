# SPDX-License-Identifier: BSD-3-Clause
"""Reads in a browser what tests/browser/flamegraph.sh made, and compares it with the JSON of the same."""

import json
import os
import re
import time

from webdriver import Browser, Tap

tap = Tap()
SHOTS = os.environ.get("PERUN_SCREENSHOTS")  # a folder: keep pictures there
EVIL = "<script>alert(1)</script>"
ROW = 20


def load(name, key="nodes"):
    with open(name, encoding="utf-8") as file:
        return json.load(file)[key]


def share(part, whole):
    """As the page writes it."""
    value = 100 * part / whole
    if value and value < 0.01:
        return "<\u202f0.01\u00a0%"
    return f"{value:.{0 if value >= 99.95 or value == 0 else 2 if value < 1 else 1}f}\u00a0%"


def matched(nodes, expression):
    """Each sample once: boxes below others that match do not count."""
    above, total, boxes = [False] * len(nodes), 0, 0
    for i, node in enumerate(nodes):
        above[i] = i > 0 and above[node["parent"]]
        if i and re.search(expression, node["name"]):
            boxes += 1
            if not above[i]:
                total += node["values"][0]
            above[i] = True
    return total, boxes


def keep(browser, name):
    if SHOTS:
        browser.screenshot(os.path.join(SHOTS, name + ".png"))


def ready(browser, path):
    browser.open(path)
    return int(browser.wait("document.documentElement.dataset.ready") or -1)


def search(browser, text):
    browser.script("const i = document.getElementById('search'); i.value = arguments[0];"
                   "i.dispatchEvent(new Event('input'))", text)
    browser.settle()
    return browser.text("#found")


def canvas(browser):
    box = browser.script("const r = document.getElementById('canvas').getBoundingClientRect();"
                         "return [r.left, r.top, r.width, r.height]")
    return box


def status_after(browser):
    browser.settle()
    return browser.text("#status")


def test_page(browser):
    nodes = load("one.json")
    total = nodes[0]["values"][0]
    took = ready(browser, "one.html")
    tap.ok(0 < took < 10000, "the page is ready", took)
    tap.has(browser.text("#status"), "all", "the status line says what all is")
    tap.has(browser.text("#status"), "20\u202f000", "with its value")
    keep(browser, "page")

    for expression in ("walk", "(read|sort)1", "main", "nothing at all"):
        value, boxes = matched(nodes, expression)
        found = search(browser, expression)
        tap.has(found, "matched " + share(value, total), f"search {expression}: the share")
        tap.has(found, f"{boxes:,} box".replace(",", "\u202f"), f"search {expression}: boxes")
    tap.has(search(browser, "<script>"), share(matched(nodes, "<script>")[0], total), "search for markup")
    keep(browser, "search")
    search(browser, "(")
    tap.equal(browser.script("return document.getElementById('search').getAttribute('aria-invalid')"),
              "true", "a wrong expression is marked")
    search(browser, "")

    left, top, width, _ = canvas(browser)
    children = sorted((n for n in nodes if n["parent"] == 1), key=lambda n: -n["values"][0])
    browser.mouse(left + 20, top + 6 + 2 * ROW + 9)
    shown = status_after(browser)
    tap.has(shown, children[0]["name"], "hovering names the box")
    tap.has(shown, share(children[0]["values"][0], total), "and says its share")
    browser.mouse(left + 20, top + 6 + 2 * ROW + 9, press=True)
    shown = status_after(browser)
    tap.has(shown, "100\u00a0% of the zoomed", "a click zooms")
    tap.has(browser.text("#crumbs"), "main", "the path leads back")
    browser.mouse(left + width - 20, top + 6 + 2 * ROW + 9)
    tap.has(status_after(browser), children[0]["name"], "the zoomed box fills the width")
    keep(browser, "zoomed")
    browser.mouse(left + 5, top + 6 + 2)
    browser.keys("Backspace")
    browser.settle()
    tap.ok(browser.script("return document.getElementById('reset').disabled"), "Backspace goes back")
    browser.click("#forward")
    browser.settle()
    tap.ok(not browser.script("return document.getElementById('reset').disabled"), "and forward again")
    browser.click("#canvas")
    browser.keys("Escape")
    browser.settle()
    tap.ok(browser.script("return document.getElementById('reset').disabled"), "Escape shows all")
    for flipped in ("Flame ▲", "Icicle ▼"):
        browser.keys("i")
        tap.equal(browser.text("#flip"), flipped, "the key i turns it: " + flipped)
    browser.keys("/")
    tap.equal(browser.script("return document.activeElement.id"), "search", "/ leads to the search")
    tap.equal(browser.errors(), [], "no message of the console")


def test_keys(browser):
    """Without a mouse: arrows follow callees and siblings."""
    nodes = load("one.json")
    ready(browser, "one.html")
    browser.script("document.getElementById('canvas').focus()")
    browser.keys("Down")
    browser.keys("Down")
    tap.has(status_after(browser), "main", "arrows: down to main")
    browser.keys("Down")
    children = sorted((n for n in nodes if n["parent"] == 1), key=lambda n: -n["values"][0])
    tap.has(status_after(browser), children[0]["name"], "arrows: the widest callee")
    browser.keys("Right")
    tap.has(status_after(browser), children[1]["name"], "arrows: to the right")
    browser.keys("Enter")
    tap.has(status_after(browser), "100\u00a0% of the zoomed", "Enter zooms")
    browser.keys("s")
    browser.settle()
    tap.equal(browser.script("return document.querySelector('#views [aria-selected=true]').textContent"),
              "Sandwich", "s opens the sandwich")
    tap.has(browser.text("#status"), children[1]["name"], "of the chosen box")
    browser.click("#back")
    browser.settle()
    tap.equal(browser.script("return document.querySelector('#views [aria-selected=true]').textContent"),
              "Call tree", "back leads to the tree")


def test_views(browser):
    callers, nodes = load("callers.json"), load("one.json")
    total = nodes[0]["values"][0]
    ready(browser, "one.html")
    for view in ("callers", "time", "tree"):
        browser.click(f"[data-view={view}]")
        browser.settle()
        value, boxes = matched(callers if view == "callers" else nodes, "walk")
        found = search(browser, "walk")
        tap.has(found, "matched " + share(value, total), f"{view}: matched share")
        if view != "time":
            tap.has(found, f"{boxes:,} box".replace(",", "\u202f"), f"{view}: matched boxes")
        keep(browser, view)
        search(browser, "")
    heaviest = max((n for n in callers if n["parent"] == 0), key=lambda n: n["values"][0])
    browser.click("[data-view=callers]")
    left, top, _, _ = canvas(browser)
    browser.mouse(left + 4, top + 6 + ROW + 9)
    tap.has(status_after(browser), heaviest["name"], "callers begin with the largest own value")

    browser.click("[data-view=sandwich]")
    browser.settle()
    tap.has(browser.text("#status"), heaviest["name"], "the sandwich begins with the same")
    search(browser, "alert")
    tap.equal(browser.script("return [...document.querySelectorAll('#function-list li')].map(l => l.title)"),
              [heaviest["name"], EVIL], "the list is searched, too")
    browser.script("[...document.querySelectorAll('#function-list li')].find(l => l.title === arguments[0])"
                   ".click()", EVIL)
    browser.settle()
    search(browser, "")
    exact = load("inner.json", "callees")[0]["values"][0]
    tap.has(browser.text("#status"), EVIL, "the sandwich of a name that looks like markup")
    tap.has(browser.text("#status"), share(exact, total) + " of all", "its value is exact, recursion once")
    keep(browser, "sandwich")
    callees = load("inner.json", "callees")
    value = matched(callees, "find")[0]
    callers_value = matched(load("inner.json", "callers"), "find")[0]
    tap.has(search(browser, "find"), "matched " + share(max(value, callers_value), exact),
            "search in the sandwich")
    for color in ("file", "module", "name", "own", "time", "package"):
        browser.script("const s = document.getElementById('color'); s.value = arguments[0];"
                       "s.dispatchEvent(new Event('change'))", color)
    browser.script("const s = document.getElementById('order'); s.value = 'name';"
                   "s.dispatchEvent(new Event('change'))")
    browser.click("[data-view=tree]")
    browser.click("#theme")
    browser.settle()
    keep(browser, "dark")
    search(browser, "")
    left, top, _, _ = canvas(browser)
    browser.mouse(left + 3, top + 6 + 2 * ROW + 9)
    first = browser.script("return arguments[0].sort(new Intl.Collator('en').compare)[0]",
                           [n["name"] for n in nodes if n["parent"] == 1])
    tap.has(status_after(browser), first, "by name: the first of the alphabet is first")
    tap.equal(browser.errors(), [], "views: no message of the console")


def test_filters(browser):
    """By keys: focus, ignore, hide, show from; and what is seen is in the address."""
    nodes = load("one.json")
    total = nodes[0]["values"][0]

    def paths():
        """Each stack with its own value."""
        found = []
        for i, node in enumerate(nodes):
            path, k = [], i
            while k:
                path.insert(0, nodes[k]["name"])
                k = nodes[k]["parent"]
            found.append((path, node["own"][0]))
        return found

    def shown():
        return browser.script("return ['tree', 'callers'].map(view => modelOfPage.tree(view).total[0][0])")

    def left(member):
        value = sum(own for path, own in paths() if member(path))
        return [value, value]

    ready(browser, "one.html")
    browser.script("document.getElementById('canvas').focus()")
    browser.keys("Down")
    browser.keys("Down")
    browser.keys("Down")
    name = max((n for n in nodes if n["parent"] == 1), key=lambda n: n["values"][0])["name"]
    browser.keys("f")
    tap.equal(shown(), left(lambda path: name in path), "f: stacks with the function")
    tap.has(browser.text("#filters"), "focus on " + name, "the filter is named")
    keep(browser, "filter")
    address = browser.script("return location.href")
    browser.click("#back")
    tap.equal(shown(), [total, total], "back takes it back")
    browser.command("POST", "/url", {"url": "about:blank"})
    browser.command("POST", "/url", {"url": address})
    browser.wait("document.documentElement.dataset.ready")
    tap.equal(shown(), left(lambda path: name in path), "the address has the filter")
    browser.keys("u")
    tap.equal(shown(), [total, total], "u: without filters")
    for key, member in (("x", lambda path: name not in path), ("r", lambda path: name in path),
                        ("h", lambda path: True)):
        browser.script("document.getElementById('canvas').focus()")
        for _ in range(3):
            browser.keys("Down")
        browser.keys(key)
        tap.equal(shown(), left(member), key + ": the stacks that are left")
        there = browser.script("const t = modelOfPage.tree('tree');"
                               "return [...t.frame].some((f, i) => f >= 0 && t.total[0][i] && modelOfPage.frames[f].name === arguments[0])", name)
        tap.equal(there, key == "r", key + ": its boxes")
        browser.keys("u")
    browser.script("const c = document.getElementById('canvas'), r = c.getBoundingClientRect();"
                   "c.dispatchEvent(new MouseEvent('contextmenu', {clientX: r.left + 20, clientY: r.top + 55, bubbles: true, cancelable: true}))")
    tap.equal(browser.script("return [...document.querySelectorAll('#menu button')].map(b => b.textContent)"),
              ["Zoom", "Callers and callees", "Focus on", "Ignore", "Hide", "Show from"], "the right button offers the same")
    keep(browser, "menu")
    browser.keys("Escape")
    tap.ok(browser.script("return document.getElementById('menu').hidden"), "Escape closes it")
    search(browser, "walk")
    browser.click("[data-view=callers]")
    found = browser.text("#found")
    address = browser.script("return location.href")
    tap.has(address, "#view=callers&search=walk", "view and search are in the address")
    browser.command("POST", "/url", {"url": "about:blank"})
    browser.command("POST", "/url", {"url": address})
    browser.wait("document.documentElement.dataset.ready")
    tap.equal(browser.text("#found"), found, "which shows them again")
    tap.equal(browser.errors(), [], "filters: no message of the console")


def test_names(browser):
    ready(browser, "one.html")
    tap.equal(browser.script("return document.querySelectorAll('script').length"), 2,
              "no name became a script")
    tap.equal(browser.script("return document.querySelectorAll('b, i:not(#legend i)').length"), 2,
              "no name became markup")
    found = search(browser, "caf")
    tap.has(found, "1 function", "letters of other languages are found")
    browser.keys("Escape")


def test_difference(browser):
    nodes = load("diff.json")
    ready(browser, "diff.html")
    keep(browser, "difference")
    gone = [n for n in nodes if n["base_values"][0] and not n["values"][0]]
    new = [n for n in nodes if not n["base_values"][0] and n["values"][0]]
    tap.ok(gone and new, "the profiles differ")
    tap.has(browser.text("#status"), "20\u202f000 → 20\u202f000", "base and new")

    def matched_boxes(width, member):
        browser.script("const s = document.getElementById('width'); s.value = arguments[0];"
                       "s.dispatchEvent(new Event('change'))", width)
        browser.click("[data-view=tree]")
        left, top, _, _ = canvas(browser)
        browser.mouse(left + 3, top + 6 + 2 * ROW + 9)
        widest = max((n for n in nodes if n["parent"] == 1), key=member)
        tap.has(status_after(browser), widest["name"], f"width from {width}: the widest comes first")
        delta = widest["values"][0] - widest["base_values"][0]
        tap.has(status_after(browser).replace("\u202f", "").replace("\u2212", "-"),
                f"{delta:+d} (", f"width from {width}: the change")

    matched_boxes("new", lambda n: n["values"][0])
    matched_boxes("base", lambda n: n["base_values"][0])
    keep(browser, "difference-base")
    browser.click("#normalize")
    for change in ("total", "relative", "own"):
        browser.script("const s = document.getElementById('color'); s.value = arguments[0];"
                       "s.dispatchEvent(new Event('change'))", change)
    browser.click("[data-view=callers]")
    browser.click("[data-view=sandwich]")
    browser.settle()
    keep(browser, "difference-sandwich")
    tap.equal(browser.errors(), [], "difference: no message of the console")


def test_large(browser):
    took = ready(browser, "large.html")
    tap.diag(f"150,000 rows: {os.path.getsize('large.html') / 1e6:.1f} MB, ready after {took} ms")
    tap.ok(0 < took < 20000, "the large page opens")
    tap.ok(os.path.getsize("large.html") < 10e6, "and has less than 10 MB")
    tap.equal(browser.text("#loss"), "", "nothing was put together")
    start = time.monotonic()
    search(browser, "walk")
    tap.diag(f"search after {1000 * (time.monotonic() - start):.0f} ms")
    times = browser.command("POST", "/execute/async", {"args": [], "script": """
        const done = arguments[0], canvas = document.getElementById('canvas'), times = [];
        (async () => {
            for (let i = 0; i < 30; i++) {
                canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: i < 15 ? -30 : 30, ctrlKey: true,
                    bubbles: true, cancelable: true, clientX: 500, clientY: 400}));
                await new Promise(drawn => requestAnimationFrame(start => {
                    times.push(performance.now() - start);
                    drawn();
                }));
            }
            done(times.sort((a, b) => a - b));
        })();"""})
    tap.diag(f"drawing while zooming: median {times[15]:.0f} ms, slowest {times[-1]:.0f} ms")
    keep(browser, "large")
    tap.equal(browser.errors(), [], "large: no message of the console")


def test_loss(browser):
    nodes = load("small.json")
    ready(browser, "small.html")
    merged = sum(n.get("merged", 0) for n in nodes)
    tap.has(browser.text("#loss"), f"{merged:,} boxes of less than 0.5 %".replace(",", "\u202f"),
            "it says what was put together")
    left, top, _, _ = canvas(browser)
    small = next(n for n in nodes if n["parent"] == 1 and "merged" in n)
    browser.script("document.getElementById('canvas').focus()")
    browser.keys("Down")
    browser.keys("Down")
    for _ in range(1 + sum(1 for n in nodes if n["parent"] == 1)):
        browser.keys("Down" if _ == 0 else "Right")
    tap.has(status_after(browser), f"{small['merged']:,} small boxes".replace(",", "\u202f"),
            "in a box behind the others")
    browser.click("[data-view=sandwich]")
    browser.settle()
    tap.has(browser.text("#loss"), "exact", "the sandwich says what is exact")
    keep(browser, "loss")


def test_print(browser):
    ready(browser, "one.html")
    pdf = browser.command("POST", "/print", {"orientation": "landscape"})
    tap.ok(len(pdf) > 20000, "it prints", len(pdf))
    boxes = browser.script("dispatchEvent(new Event('beforeprint'));"
                           "return document.querySelectorAll('#print svg rect').length")
    tap.ok(boxes > 100, "paper gets boxes", boxes)
    tap.equal(browser.script("return document.querySelectorAll('#print script, #print b').length"), 0,
              "and no markup of names")


def test_colors(browser):
    """The page and the picture are written by different programs: they agree on colours."""
    colors = {}
    for kind in ("package", "module", "name", "own"):
        ready(browser, "one.html")
        browser.script("const s = document.getElementById('color'); s.value = arguments[0];"
                       "s.dispatchEvent(new Event('change')); dispatchEvent(new Event('beforeprint'))", kind)
        page = browser.script("""
            const colors = {};
            for (const box of document.querySelectorAll('#print g'))
                colors[box.querySelector('title').textContent.split(' · ')[0]] =
                    getComputedStyle(box.querySelector('rect')).fill;
            return colors;""")
        browser.open(f"color-{kind}.svg")
        picture = browser.script("""
            const colors = {};
            for (const box of document.querySelectorAll('.b'))
                colors[box.querySelector('title').textContent.split('\\n')[0]] =
                    getComputedStyle(box.querySelector('rect')).fill;
            return colors;""")
        common = page.keys() & picture.keys()
        wrong = [(name, page[name], picture[name]) for name in sorted(common)
                 if kind != "own" and page[name] != picture[name]]
        tap.ok(len(common) > 40 and not wrong, f"colours by {kind} are the same in page and picture",
               *wrong[:10])
        colors[kind] = len(set(page.values()))
    tap.ok(colors["package"] > 10, "colours differ", colors)


def test_picture(browser):
    nodes = load("one.json")
    browser.open("one.svg")
    keep(browser, "svg")
    boxes = browser.script("return document.querySelectorAll('.b').length")
    tap.ok(boxes > 100, "svg: boxes", boxes)
    tap.has(browser.text("#title"), '<i>&\\u202e"', "svg: the title is text")
    first = max((n for n in nodes if n["parent"] == 1), key=lambda n: n["values"][0])
    titles = browser.script("return [...document.querySelectorAll('.b title')].map(t => t.textContent.split('\\n')[0])")
    tap.ok(first["name"] in titles, "svg: boxes have tooltips with their names", first["name"])
    for name in ("diff.svg", "sandwich.svg"):
        browser.open(name)
        tap.ok(browser.script("return document.querySelectorAll('.b').length") > 50, name + ": boxes")
        keep(browser, name[:-4] + "-svg")
        tap.equal(browser.script("return document.querySelectorAll('script').length"), 0, name + ": no scripts")
    tap.equal(browser.errors(), [], "svg: no message of the console")


def test_without_scripts():
    with Browser(scripts=False) as browser:
        browser.open("one.html")
        try:
            browser.find("noscript svg rect")
            there = True
        except Exception as failure:  # noqa: BLE001 - whatever it is, the case fails
            there = False
            tap.diag(failure)
        tap.ok(there, "without scripts: a picture")
        keep(browser, "no-scripts")


with Browser() as window:
    for test in (test_page, test_keys, test_views, test_filters, test_names, test_difference, test_large, test_loss, test_print,
                 test_colors, test_picture):
        test(window)
test_without_scripts()
tap.finish()
