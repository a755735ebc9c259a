# SPDX-License-Identifier: BSD-3-Clause
"""Reads in a browser what tests/browser/site.sh made."""

import json
import os
import time
import urllib.parse

from webdriver import Browser, Tap

tap = Tap()
SHOTS = os.environ.get("PERUN_SCREENSHOTS")  # a folder: keep pictures there
EVIL = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
HEAD = os.environ["SITE_HEAD"]


def keep(browser, name):
    if SHOTS:
        browser.screenshot(os.path.join(SHOTS, name + ".png"))


def ready(browser):
    return int(browser.wait("document.documentElement.dataset.ready") or -1)


def go(browser, address):
    browser.command("POST", "/url", {"url": address})
    return ready(browser)


def here(browser):
    return browser.script("return location.href")


def address(path):
    return "file://" + os.path.abspath(path)


def texts(browser, selector):
    return browser.script("return [...document.querySelectorAll(arguments[0])].map(n => n.textContent)", selector)


def follow(browser, script):
    """Runs a script that leaves the page, and waits for the next one."""
    browser.script("document.documentElement.removeAttribute('data-ready');" + script)
    return ready(browser)


def place(browser, i, value):
    return browser.script(
        "const p = chartOfPage.plot, b = p.over.getBoundingClientRect();"
        "return [b.left + p.valToPos(arguments[0], 'x'), b.top + p.valToPos(arguments[1], 'y')]", i, value)


def drag(browser, start, end):
    browser.command("POST", "/actions", {"actions": [
        {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
            {"type": "pointerMove", "x": round(start[0]), "y": round(start[1]), "duration": 0},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "x": round(end[0]), "y": round(end[1]), "duration": 50},
            {"type": "pointerUp", "button": 0}]}]})
    browser.settle()


def shown(browser):
    return browser.script("return [chartOfPage.from, chartOfPage.to]")


def test_overview(browser):
    took = go(browser, address("site/index.html"))
    tap.ok(0 < took < 10000, "the overview is ready", took)
    keep(browser, "site-overview")
    tap.equal(browser.text("h1"), "Project " + EVIL, "the name of the project is text")
    tap.equal(len(texts(browser, "#metrics tbody tr")), 7, "all metrics")
    tap.ok(EVIL in texts(browser, "#metrics tbody td:first-child")[0] or any(
        EVIL in text for text in texts(browser, "#metrics tbody td:first-child")), "a command is text")
    tap.equal(browser.script("return document.querySelectorAll('img').length"), 0, "no name became markup")
    tap.equal(texts(browser, "#verdicts .tile"), ["0worse", "0better", "0same", "0undecided", "1new", "0open regressions", "0open improvements"], "the verdicts")
    before = texts(browser, "#metrics tbody td:nth-child(2)")
    browser.script("[...document.querySelectorAll('#metrics th')].find(n => n.textContent === 'Metric').click()")
    tap.equal(texts(browser, "#metrics tbody td:nth-child(2)"), sorted(before), "a click on a title sorts")


def test_grid(browser):
    tap.equal(len(texts(browser, "#grid thead th")), 40, "the grid has the latest measured versions")
    tap.equal(len(texts(browser, "#grid tbody tr")), 7, "and all metrics")
    tap.equal(browser.script("return [...document.querySelectorAll('#grid tbody tr')].map(row => row.querySelectorAll('td:not(.gap)').length).sort()"),
              [1] + [39] * 6, "where they were measured")
    for change in browser.script("const c = []; return c.concat(...[...document.querySelectorAll('#grid tbody tr')].map("
                                 "row => [...row.querySelectorAll('td a')].map(a => a.getAttribute('aria-label'))))"):
        tap.has(change, " at ", "a change says where it is")


def test_narrow(browser):
    """Nothing is wider than the window of a telephone; tables scroll in their own box."""
    browser.command("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
        "width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": False}})
    for page in ("index.html", "versions.html", f"version/{HEAD}.html"):
        go(browser, address("site/" + page))
        wide, room = browser.script("const d = document.documentElement; return [d.scrollWidth, d.clientWidth]")
        tap.equal([wide, room], [400, 400], f"{page.split('/')[0]} fits 400 pixels")
        keep(browser, "narrow-" + page.split("/")[0])


def test_search(browser):
    browser.script("document.getElementById('search').focus()")
    browser.keys(*"phase 003")
    browser.wait("document.getElementById('hits').dataset.of === 'phase 003'")
    tap.equal([text for text in texts(browser, "#hits a") if "phase 003" in text][0], "time(phase 003) $ ./app input.txt", "a metric is found")
    browser.script("const s = document.getElementById('search'); s.value = 'scheduler (5)'; s.dispatchEvent(new Event('input'))")
    browser.wait("document.getElementById('hits').dataset.of === 'scheduler (5)'")
    tap.equal([text.split(" (")[0] for text in texts(browser, "#hits a")], ["Refactor the scheduler"], "an early version is found")
    browser.script("const s = document.getElementById('search'); s.value = 'onerror'; s.dispatchEvent(new Event('input'))")
    browser.wait("document.getElementById('hits').dataset.of === 'onerror'")
    tap.ok(any(EVIL in text for text in texts(browser, "#hits a")), "what is found is text", texts(browser, "#hits a"))
    keep(browser, "site-search")
    browser.script("const s = document.getElementById('search'); s.value = 'phase 003'; s.dispatchEvent(new Event('input'))")
    browser.wait("document.getElementById('hits').dataset.of === 'phase 003'")
    browser.script("document.documentElement.removeAttribute('data-ready')")
    browser.keys("Enter")
    ready(browser)
    tap.equal(browser.text("h1").split(":")[0], "time(phase 003)", "Enter goes there")


def test_metric(browser):
    keep(browser, "site-metric")
    page = here(browser)
    tap.equal(shown(browser)[1], 699, "the latest measured version is at the right")
    tap.equal(browser.script("return [axisLabel('B/op', 'B/op'), axisLabel('time', 'ms'), axisLabel('calls', '')]"),
              ["B/op", "time [ms]", "calls"], "a unit is named once")
    tap.equal(browser.script("return [...chartOfPage.history.loaded].sort()"), [0, 1], "files of data that are shown are loaded")
    value = browser.script("return chartOfPage.history.median[650]")
    left, top = place(browser, 650, value)
    browser.mouse(left, top)
    browser.settle()
    tip = texts(browser, "#tip b, #tip span")
    tap.ok(len(tip) == 4 and "95 %" in tip[1] and "5 runs" in tip[1] and tip[2].endswith("(650)"), "what is below the mouse", tip)
    browser.mouse(2, 2)
    drag(browser, place(browser, 400, value), place(browser, 450, value))
    low, high = shown(browser)
    tap.ok(abs(low - 400) <= 2 and abs(high - 450) <= 2, "dragging zooms", low, high)
    keep(browser, "site-zoomed")
    link = here(browser)
    tap.has(link, f"from={low}&to={high}", "the address says the range")
    browser.command("POST", "/url", {"url": "about:blank"})
    go(browser, link)
    tap.equal(shown(browser), [low, high], "and shows it again")
    browser.click("#reset")
    browser.settle()
    tap.equal(here(browser), page, "all again")
    browser.script("[...document.querySelectorAll('button[data-last]')].pop().click()")
    browser.settle()
    tap.equal(shown(browser), [0, 699], "all versions that were measured")
    bottom = browser.script("document.getElementById('zero').click(); return new Promise(r => setTimeout(() => r(chartOfPage.plot.scales.y.min), 200))")
    tap.equal(bottom, 0, "from zero on request")
    browser.script("document.getElementById('zero').click()")
    test_overlay(browser)
    left, top = place(browser, 300, browser.script("return chartOfPage.history.median[300]"))
    browser.command("POST", "/actions", {"actions": [
        {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
            {"type": "pointerMove", "x": round(left), "y": round(top), "duration": 0},
            {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}]})
    time.sleep(0.5)
    ready(browser)
    tap.has(browser.text("h1"), "(300)", "a click leads to the version")
    tap.equal(len(texts(browser, "#values tbody tr")), 6, "whose values are there")
    keep(browser, "site-version")
    test_compare(browser)


def test_overlay(browser):
    """Another workload in the same chart, and in the address."""
    other = browser.script("return [...document.getElementById('overlay').options].map(o => o.value).filter(v => v)[0]")
    browser.script("const s = document.getElementById('overlay'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", other)
    browser.wait("chartOfPage.history.overlays.length === 1 && location.hash.includes('with=')")
    tap.has(here(browser), "with=" + other, "the address says which workloads are drawn")
    link = here(browser)
    browser.command("POST", "/url", {"url": "about:blank"})
    go(browser, link)
    tap.equal(browser.script("return chartOfPage.history.overlays.map(o => o.id)"), [other], "and shows them again")
    keep(browser, "site-overlay")
    browser.click("#overlays button")
    browser.wait("!chartOfPage.history.overlays.length")
    tap.ok("with=" not in here(browser), "a click takes it out")


def test_theme(browser):
    color = "return getComputedStyle(document.body).backgroundColor"
    before = browser.script(color)
    browser.click("#theme")
    browser.settle()
    after = browser.script(color)
    tap.ok(after != before, "dark and light")
    go(browser, address("site/index.html"))
    tap.equal(browser.script(color), after, "on all pages")
    keep(browser, "site-dark")
    browser.click("#theme")


def test_hostile(browser):
    go(browser, address(f"site/version/{HEAD}.html"))
    keep(browser, "site-hostile")
    tap.equal(browser.text("h1"), "subject " + EVIL, "a subject is text")
    tap.has(browser.text(".message"), "body " + EVIL, "a message is text")
    tap.ok(any(EVIL in text for text in texts(browser, "#values tbody td")), "a function is text")
    follow(browser, "[...document.querySelectorAll('#values tbody a')].find(a => a.closest('tr').cells[2].textContent.includes('onerror')).click()")
    tap.has(here(browser), "#place=%3Cimg", "its permalink")
    tap.has(browser.text("h1"), EVIL, "its page")
    tap.equal(texts(browser, "#places tbody td:first-child"), ["all together", "free", EVIL, "main"], "beside others")
    keep(browser, "site-places")
    browser.script("[...document.querySelectorAll('#places a')].find(a => a.textContent === 'main').click()")
    time.sleep(0.3)
    tap.has(browser.text("h1"), ": main", "one more function")
    tap.equal(browser.script("return document.querySelectorAll('img').length"), 0, "nowhere markup")


def test_versions(browser):
    go(browser, address("site/versions.html"))
    keep(browser, "site-versions")
    tap.equal(len(texts(browser, "#versions tbody tr")), 200, "the latest versions")
    tap.has(texts(browser, "#versions tbody tr")[0], EVIL, "newest first")
    for _ in range(4):
        browser.script("document.querySelector('button.more').click()")
        browser.settle()
    tap.equal(len(texts(browser, "#versions tbody tr")), 701, "all on request")
    browser.click("[data-kind=measured]")
    browser.wait("document.querySelectorAll('#versions tbody tr:not(.measured)').length === 0")
    tap.equal(len(texts(browser, "#versions tbody .dot")), 200, "measured ones alone")


def coloured(browser):
    return sorted(browser.script("return [...document.querySelectorAll('#values tbody td:last-child span:not(.soft)')].map(n => n.closest('tr').querySelector('a').getAttribute('href'))"))


def changed_between(one, other):
    """Addresses of the metrics with a change after the earlier of two versions, up to the later one."""
    found = set()
    for name in ("changes", "said"):
        with open(f"site/data/{name}.js", encoding="utf-8") as file:
            text = file.read()
        for change in json.loads(text[text.index("["):text.rindex("]") + 1]):
            if min(one, other) < change["at"] <= max(one, other):
                found.add(f"../metric/{change['page']}.html#place={urllib.parse.quote(change['place'], safe='')}")
    return sorted(found)


def test_compare(browser):
    """A version beside any other."""
    before = texts(browser, "#values tbody td:last-child")
    tap.equal(coloured(browser), changed_between(299, 300), "what no change was found in has no colour")
    tap.has(browser.text("#compare-command"), "perun showdiff ", "how to look further")
    browser.script("const s = document.getElementById('compare'); s.selectedIndex = 300; s.dispatchEvent(new Event('change'))")
    browser.wait("[...document.querySelectorAll('#values tbody td:last-child')].map(n => n.textContent).join() !== arguments[0]"
                 .replace("arguments[0]", repr(",".join(before))))
    after = texts(browser, "#values tbody td:last-child")
    tap.equal(coloured(browser), changed_between(300, browser.script("return Number(document.getElementById('compare').value)")),
              "coloured is what a change was found in between them")
    tap.ok(len(after) == len(before) and after != before and all("%" in text for text in after), "values beside another version", after)


def test_served(browser):
    base = os.environ["SITE_ADDRESS"]
    go(browser, f"{base}/version/{HEAD}.html")
    links = texts(browser, "td.views a")
    tap.ok("bars" in links and "box" in links, "views are offered", links)
    browser.script("[...document.querySelectorAll('td.views a')].find(a => a.textContent === 'bars').click()")
    time.sleep(0.3)
    tap.ok(ready(browser) > 0, "and drawn on request")
    tap.has(here(browser), "-bars.html", "at their address")


with Browser() as browser:
    test_overview(browser)
    test_grid(browser)
    test_search(browser)
    test_metric(browser)
    test_theme(browser)
    test_hostile(browser)
    test_versions(browser)
    tap.equal(browser.errors(), [], "nothing in the console")
with Browser() as browser:
    test_narrow(browser)
with Browser() as browser:
    test_served(browser)
    tap.equal(browser.errors(), [], "nothing in the console when served")
with Browser(scripts=False) as browser:
    browser.open(f"site/version/{HEAD}.html")
    tap.has(browser.text("#profiles"), "evil.perf", "without scripts there are the profiles")
tap.finish()
