# SPDX-License-Identifier: BSD-3-Clause
"""Reads in a browser what tests/browser/memory.sh made."""

import os
import time

from webdriver import Browser, Tap

tap = Tap()
SHOTS = os.environ.get("PERUN_SCREENSHOTS")  # a folder: keep pictures there
EVIL = "f</script><script>alert(1)</script>"


def keep(browser, name):
    if SHOTS:
        browser.screenshot(os.path.join(SHOTS, name + ".png"))


def ready(browser):
    browser.open("map.html")
    return int(browser.wait("document.documentElement.dataset.ready") or -1)


def pixel(browser, row, column):
    """The colour of a cell at its bottom."""
    return browser.script(
        "const c = document.getElementById('map'), s = c.width / c.clientWidth;"
        "return [...c.getContext('2d').getImageData((118 + (arguments[1] + .4) * state.width) * s,"
        "(4 + arguments[0] * 14 + 11) * s, 1, 1).data].slice(0, 3)", row, column)


def hover(browser, row, column):
    left, top = browser.script("const b = document.getElementById('map').getBoundingClientRect();"
                               "return [b.left, b.top]")
    width = browser.script("return state.width")
    browser.mouse(left + 118 + (column + .5) * width, top + 4 + row * 14 + 6)
    time.sleep(0.1)
    return browser.script("const t = document.getElementById('tip');"
                          "return t.hidden ? null : [...t.children].map(c => c.textContent)")


def test_map(browser):
    tap.ok(0 < ready(browser) < 10000, "the page is ready")
    keep(browser, "heapmap")
    tap.has(browser.text("#status"), "Snapshot 1 (2 of 3) at 200\u202fms", "it begins with the most memory")
    free = pixel(browser, 0, 5)
    tap.ok(pixel(browser, 0, 0) != free, "memory in use has a colour")
    tip = hover(browser, 0, 0) or [""]
    tap.equal(tip[0], "2.00\u202fKiB by calloc", "what lies below the mouse")
    tap.equal(tip[1], "0x100000, snapshot 1 to 2", "where it lies, and when")
    tap.ok("← main  m.c:9" in tip, "who called it", tip)
    tap.equal((hover(browser, 0, 5) or [""])[0], "Not in use", "free memory")
    tap.equal((hover(browser, 2, 0) or [""])[1], "0x7f0000000000, snapshot 1 to the end", "behind a gap")


def test_slider(browser):
    browser.script("const s = document.getElementById('slider'); s.value = 0; s.dispatchEvent(new Event('input'))")
    tap.has(browser.text("#status"), "Snapshot 0 (1 of 3)", "the slider shows another snapshot")
    tip = hover(browser, 0, 0)
    tap.ok("  ".join(tip).count(EVIL) == 1, "a name that would be markup is text", tip)
    browser.click("#next")
    tap.has(browser.text("#status"), "Snapshot 1 (2 of 3)", "a step forward")
    browser.click("#play")
    browser.wait("document.getElementById('status').textContent.includes('(3 of 3)')")
    tap.has(browser.text("#status"), "Snapshot 2 (3 of 3)", "it plays to the end")
    tap.equal(browser.wait("document.getElementById('play').getAttribute('aria-label') === 'Play'"), True, "and stops")


def test_heat(browser):
    before = pixel(browser, 0, 0)
    browser.click("#heat")
    tap.ok(pixel(browser, 0, 0) != before, "heat has other colours")
    tap.equal(browser.script("return document.getElementById('legend').hidden"), True, "and no names")
    browser.click("#heat")
    cell = browser.text("#cell")
    browser.click("#out")
    tap.ok(cell == "1.00\u202fKiB a cell" and browser.text("#cell") == "2.00\u202fKiB a cell", "larger cells", cell)


def test_legend(browser):
    browser.script("show(1)")
    names = browser.script("return [...document.querySelectorAll('#legend b')].map(b => b.textContent)")
    tap.equal(sorted(names), sorted(["h", "g", EVIL]), "the legend names places")
    before = pixel(browser, 2, 0)
    browser.click("#legend li:last-child button")
    tap.ok(pixel(browser, 2, 0) != before, "one place is singled out")


def test_theme(browser):
    before = browser.script("return getComputedStyle(document.body).backgroundColor")
    browser.click("#theme")
    tap.ok(browser.script("return getComputedStyle(document.body).backgroundColor") != before, "dark and light")


def test_list(browser):
    browser.open("list.html")
    keep(browser, "alloclist")
    shown = "return [...document.querySelectorAll('details')].filter(d => !d.hidden).length"
    tap.equal(browser.script(shown), 3, "an entry for each place")
    tap.has(browser.text("main"), EVIL, "a name that would be markup is text")
    browser.type("#search", "script>")
    tap.equal(browser.script(shown), 1, "search")
    tap.equal(browser.text("#found"), "1 of 3 match.", "how many match")
    browser.click("#fold")
    tap.equal(browser.script("return document.querySelector('details').open"), False, "all are folded")


def test_table(browser):
    browser.open("table.html")
    column = "return [...document.querySelectorAll('tbody tr')].filter(r => !r.hidden).map(r => r.cells[arguments[0]].textContent)"
    browser.click("th:nth-child(2)")
    amounts = [int(cell) for cell in browser.script(column, 1)]
    tap.equal(amounts, sorted(amounts, reverse=True), "a header sorts numbers, the largest first")
    browser.script("document.querySelector('th').dispatchEvent(new MouseEvent('click'));"
                   "document.querySelectorAll('th')[1].dispatchEvent(new MouseEvent('click', {shiftKey: true}))")
    names, amounts = browser.script(column, 0), [-int(cell) for cell in browser.script(column, 1)]
    tap.equal(list(zip(names, amounts)), sorted(zip(names, amounts)), "with Shift after another column")
    browser.type("#search", "</script>")
    tap.equal(set(browser.script(column, 0)), {EVIL}, "search")
    keep(browser, "tableof")


def names_of(browser):
    """Rows that are seen, with their first number."""
    return browser.script("return [...document.querySelectorAll('tbody tr')].filter(r => !r.hidden).map(r =>"
                          "[r.querySelector('td.name').lastChild.textContent, r.cells[0].textContent])")


def test_top(browser):
    browser.open("top.html")
    tap.equal(names_of(browser), [["f</script><script>alert(1)</script>", "30"], ["h", "5"]], "top: the costliest first")
    widths = browser.script("return [...document.querySelectorAll('.bar rect:not(.light)')].map(i => i.getBoundingClientRect().width)")
    tap.ok(len(widths) == 2 and abs(widths[0] / widths[1] - 6) < 0.3, "top: bars are as long as their values", widths)
    browser.click("th:nth-child(2)")
    browser.click("th:nth-child(2)")
    tap.equal([name for name, _ in names_of(browser)][0], "h", "top: shares sort by their values")
    keep(browser, "top")
    browser.open("top2.html")
    tap.equal(names_of(browser)[0][0], EVIL, "top of two: the largest change first")
    tap.equal(browser.script("return [...document.querySelectorAll('.bar rect')].map(r => r.getAttribute('class'))"), ["bad", "good", "bad"],
              "top of two: what grew is bad")


def test_tree(browser):
    browser.open("tree.html")
    tap.equal(names_of(browser), [["main", "35"], [EVIL, "30"], ["h", "5"]], "tree: a row for each call")
    browser.click("button.fold")
    tap.equal(len(names_of(browser)), 1, "tree: it folds")
    browser.type("#search", "script>")
    tap.equal([name for name, _ in names_of(browser)], ["main", EVIL], "tree: a search shows what leads there")
    browser.click("#fold")
    browser.click("#fold")
    keep(browser, "tree")


def test_raw(browser):
    browser.open("raw.html")
    tap.equal(browser.wait("document.documentElement.dataset.ready"), "1", "the profile is read")
    browser.type("#search", "</script>")
    browser.click("#next")
    tap.has(browser.text("#tree"), EVIL, "search unfolds, and names are text")
    tap.equal(browser.script("return document.querySelectorAll('.hit').length"), 1, "what is found is highlighted")
    browser.script("document.getElementById('search').value = '139637976727552'")
    browser.click("#next")
    tap.has(browser.text(".hit"), "139637976727552", "large numbers keep their digits")
    keep(browser, "raw")


def test_report(browser):
    inner = "const d = document.querySelector(arguments[0] + ' iframe').contentDocument; return "
    browser.open("stacks.html")
    browser.wait("document.documentElement.dataset.ready")
    tap.ok(browser.script(inner + "d.querySelectorAll('canvas').length", "#flames") > 0, "report: a flame graph")
    tap.has(browser.text("#changes"), EVIL, "report: a name that would be markup is text")
    tap.equal(browser.script("return [...document.querySelectorAll('nav a')].map(a => a.textContent)")[:3],
              ["What was measured", "Biggest changes", "Largest totals"], "report: contents")
    keep(browser, "report-stacks")
    browser.open("times.html")
    browser.wait("document.documentElement.dataset.ready")
    tap.equal(browser.wait("document.querySelector('#boxes iframe').contentDocument.querySelectorAll('tbody tr').length"), 4,
              "report: a box for each of both")
    tap.equal(browser.script(inner + "d.querySelectorAll('i:not([style])').length", "#boxes"), 0, "report: names in boxes are text")
    ground = inner + "d.defaultView.getComputedStyle(d.body).backgroundColor"
    before = browser.script(ground, "#boxes")
    browser.click("#theme")
    tap.ok(browser.script(ground, "#boxes") != before, "report: dark and light go into what it holds")
    keep(browser, "report-times")


with Browser() as browser:
    for test in (test_map, test_slider, test_heat, test_legend, test_theme, test_list, test_table, test_top, test_tree, test_raw, test_report):
        test(browser)
    # The one of getImageData is this test's own.
    tap.equal([e for e in browser.errors() if "getImageData" not in e], [], "nothing in the console")
tap.finish()
