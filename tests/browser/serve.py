# SPDX-License-Identifier: BSD-3-Clause
"""Uses in a browser what tests/browser/serve.sh serves."""

import os
import shutil

from webdriver import Browser, Tap

tap = Tap()
ADDRESS = os.environ["SERVE_ADDRESS"]
SHOTS = os.environ.get("PERUN_SCREENSHOTS")  # a folder: keep pictures there
EVIL = "<img src=x onerror=alert(1)></script>"


def ready(page, labels=True):
    """Until what is shown is what the address says, and the labels are listed where the profile has any."""
    if not page.wait("Number(document.body.dataset.turn) === asking" +
                     (" && document.getElementById('facets').children.length" if labels else "")):
        tap.ok(False, "the page shows what its address says", page.script("return location.href"))


def act(page, text, *arguments, labels=True):
    page.script(text, *arguments)
    ready(page, labels)


def rows(page):
    return page.script("return [...document.querySelectorAll('#rows tbody tr')].map(r => r.children[4].textContent)")


def boxes(page):
    return page.script("return chart.panes.map(p => p.layout.rows.map(r => [...r].map(i => boxName(p.layout.tree, i))))")


def chips(page):
    return page.script("return [...document.querySelectorAll('#chips [data-kind]')].map(c => c.textContent)")


def shot(page, name):
    if SHOTS:
        page.screenshot(os.path.join(SHOTS, name))


with Browser() as page:
    page.command("POST", "/url", {"url": ADDRESS})
    ready(page)
    shot(page, "serve-flame.png")
    tap.equal(page.text("#title"), "cpu.pb", "its title")
    tap.has(page.text("#summary"), "cpu: 1\u00a0µs", "the sum")
    tap.equal(boxes(page), [[["all"], ["main", "idle"], ["work", EVIL], ["parse"]]], "the flame graph")
    act(page, "zoom({pane: chart.panes[0], node: [...chart.panes[0].layout.rows[2]][0]})")
    tap.has(page.text("#status"), "work 900\u00a0ns · 90.0\u00a0% of all · own 700\u00a0ns", "a box that was chosen")
    page.keys("f")
    ready(page)
    tap.equal(chips(page), ["only stacks with ^work$ ×"], "a filter by a key")
    tap.has(page.script("return location.search"), "focus=%5Ework%24", "lives in the address")
    tap.has(page.text("#summary"), "900\u00a0ns of 1\u00a0µs", "what it left")
    page.keys("3")
    ready(page)
    tap.equal(rows(page), ["work", "parse", "main"], "the table by own values")
    act(page, "document.querySelector('th:nth-child(3) button').click()")
    tap.equal(rows(page), ["work", "main", "parse"], "and by totals")
    act(page, "document.querySelectorAll('#facets li button')[1].click()")
    tap.equal(chips(page), ["only stacks with ^work$ ×", "label service=^web$ ×"], "a value of a label")
    tap.equal(page.script("return [...document.querySelectorAll('#rows tbody tr')].map(r => r.children[2].textContent)"),
              ["200\u00a0ns"] * 3, "only its samples count")
    shot(page, "serve-top.png")
    act(page, "history.back()")
    tap.equal(len(chips(page)), 1, "taken back")
    act(page, "[...document.querySelectorAll('#rows td.name button')].find(b => b.textContent === 'work').click()")
    tap.equal(page.script("return [...document.querySelectorAll('#peek td.name')].map(c => c.textContent)"),
              ["main", "work (own 700\u00a0ns)", "parse"], "who calls it and what it calls")
    page.keys("s")
    ready(page)
    tap.equal(page.script("return [...document.querySelectorAll('.hot')].map(r => [...r.children].map(c => c.textContent))"),
              [["700\u00a0ns", "900\u00a0ns", "90.0\u00a0%", "4", "        return parse();"]], "its source")
    shot(page, "serve-source.png")
    page.keys("6")
    ready(page)
    if shutil.which("dot"):
        tap.equal(page.script("return [...document.querySelectorAll('.box text')].map(t => [...t.children].map(c => c.textContent))"),
                  [["main", "0 of 900\u00a0ns (90.0\u00a0%)"], ["work", "700\u00a0ns (70.0\u00a0%)", "of 900\u00a0ns (90.0\u00a0%)"],
                   ["parse", "200\u00a0ns (20.0\u00a0%)"]], "the call graph")
        tap.equal(page.script("return [...document.querySelectorAll('.arrow text')].map(t => t.textContent).sort()"),
                  ["200\u00a0ns", "900\u00a0ns"], "with its calls")
        tap.equal(page.script("return sheet.answer.nodes.every((n, i) => { const b = sheet.boxes[i].querySelector('text').getBBox();"
                              "return b.width <= n.width && b.height <= n.height; })"), True, "names fit their boxes")
        page.script("sheet.boxes[2].dispatchEvent(new MouseEvent('click'))")
        tap.equal(page.script("return [sheet.boxes[0].classList.contains('away'), sheet.boxes[1].classList.contains('away')]"),
                  [True, False], "a box with its neighbours")
        before = page.script("return sheet.width")
        page.keys("+")
        tap.equal(page.script("return sheet.width") < before, True, "zooms")
        shot(page, "serve-graph.png")
    else:
        tap.has(page.text("#problem"), "the call graph needs the program dot", "without graphviz there is no call graph")
    act(page, "set('tab', 'source')")
    page.keys("c")
    ready(page)
    tap.equal(boxes(page), [[["all"], ["work"], ["main"]], [["all"], ["work"], ["parse"]]], "callers and callees as boxes")
    act(page, "clearFilters(); document.querySelector('#facets h2 button').click()")
    page.keys("1")
    ready(page)
    tap.equal(boxes(page)[0][1], ["api", "web", "<unknown>"], "grouped by a label")
    act(page, "document.getElementById('kind').value = 'ignore'; document.getElementById('value').value = '(';"
              "document.querySelector('#add button').click()")
    tap.has(page.text("#problem"), "missing closing parenthesis", "an expression that is wrong")
    act(page, "clearFilters()")
    tap.equal(page.script("return document.getElementById('problem').hidden"), True, "is forgotten with its filter")
    act(page, "const s = document.getElementById('search'); s.value = 'parse'; s.dispatchEvent(new Event('input'))")
    tap.has(page.text("#found"), "matched 20.0\u00a0%", "search")
    page.script("document.getElementById('theme').click()")
    tap.equal(page.script("return document.documentElement.dataset.theme"), "dark", "dark")
    page.command("POST", "/url", {"url": ADDRESS + "?base-profile=old.pb"})
    ready(page)
    tap.equal(chips(page), ["compared with old.pb ×"], "two profiles")
    tap.has(page.text("#summary"), "cpu: 640\u00a0ns → 1\u00a0µs +56", "their sums")
    tap.equal(sorted(boxes(page)[0][3]), ["parse", "scan"], "boxes of both")
    tap.equal(page.script("""const tree = chart.panes[0].layout.tree, of = name => tree.frame.findIndex(f => f >= 0 &&
        tree.frames[f].name === name), color = name => boxColor(tree, of(name));
        return [color('parse') === onlyColor(true, picture.dark), color('scan') === onlyColor(false, picture.dark),
        color('work') === changeColor(1, picture.dark), color('idle') === changeColor(0, picture.dark)]"""), [True] * 4,
              "what is new, gone, more and the same has colours of its own")
    act(page, "zoom({pane: chart.panes[0], node: [...chart.panes[0].layout.rows[2]][0]})")
    tap.has(page.text("#status"), "work 600\u00a0ns → 900\u00a0ns +50", "a box that was chosen")
    tap.equal(page.script("return document.getElementById('legend').hidden"), False, "what colours mean")
    shot(page, "serve-pair.png")
    page.keys("3")
    ready(page)
    tap.equal(page.script("return [...document.querySelector('#rows tbody tr').children].map(c => c.textContent)")[:7],
              ["+300\u00a0ns", "400\u00a0ns", "700\u00a0ns", "+300\u00a0ns", "600\u00a0ns", "900\u00a0ns", "work"], "what changed most comes first")
    shot(page, "serve-pair-top.png")
    act(page, "document.getElementById('normalize').click()")
    tap.equal(page.script("return document.querySelector('#rows tbody tr').children[0].textContent"), "\u2212312.5\u00a0ns", "as shares")
    page.command("POST", "/url", {"url": os.environ["TIMES_ADDRESS"] + "?tab=top"})
    ready(page, labels=False)
    page.wait("strip.answer && !document.getElementById('times').hidden")
    tap.equal(page.script("return [...document.querySelectorAll('#rows td.name')].map(c => c.textContent).sort()"), ["a", "b"],
              "a profile with times")
    tap.has(page.text("#span"), "of 7\u00a0ms", "how long it is")
    act(page, """const box = document.getElementById('strip').getBoundingClientRect(), at = (kind, share) => document.getElementById('strip')
        .dispatchEvent(new PointerEvent(kind, {clientX: box.left + share * box.width, clientY: box.top + 5, pointerId: 1}));
        document.getElementById('strip').setPointerCapture = () => {}; at('pointerdown', 0.6); at('pointermove', 0.9); at('pointerup', 0.9)""", labels=False)
    tap.equal(page.script("return [...document.querySelectorAll('#rows td.name')].map(c => c.textContent)"), ["b"], "a stretch of it")
    page.wait("document.getElementById('alltime').hidden === false")
    shot(page, "serve-times.png")
    act(page, "document.getElementById('alltime').click()", labels=False)
    tap.equal(page.script("return document.querySelectorAll('#rows td.name').length"), 2, "and all again")
    page.command("POST", "/url", {"url": ADDRESS + "?tab=top&label=service%3Dapi"})
    ready(page)
    tap.equal(rows(page), ["work", "main"], "a link shows the same again")
    # Without Graphviz there is no picture of the graph, which the page says.
    expected = ["400"] if shutil.which("dot") else ["400", "501 (Not Implemented)"]
    errors = [error for error in page.errors() if not any(status in error for status in expected)]
    tap.equal(errors, [], "no complaint")
tap.finish()
