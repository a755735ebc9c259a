# SPDX-License-Identifier: BSD-3-Clause
"""Reads in a browser what tests/browser/charts.sh made."""

import json
import os

from webdriver import Browser, Tap

tap = Tap()
SHOTS = os.environ.get("PERUN_SCREENSHOTS")  # a folder: keep pictures there
EVIL = "main-><script>alert(1)</script>"


def keep(browser, name):
    if SHOTS:
        browser.screenshot(os.path.join(SHOTS, name + ".png"))


def ready(browser, path):
    browser.open(path)
    return int(browser.wait("document.documentElement.dataset.ready") or -1)


def place(browser, x, y, chart=0):
    """Where a value is in the window."""
    return browser.script(
        "const p = charts[arguments[0]].plot, b = p.over.getBoundingClientRect();"
        "return [b.left + p.valToPos(arguments[1], 'x'), b.top + p.valToPos(arguments[2], 'y')]",
        chart, x, y)


def hover(browser, x, y, chart=0):
    left, top = place(browser, x, y, chart)
    browser.mouse(left + 3, top + 2)
    browser.settle()
    return browser.script("const t = document.getElementById('tip');"
                          "return t.hidden ? null : [...t.children].map(c => c.textContent)")


def pixels(browser, chart=0):
    """How many pixels of the picture are not of one colour with its corner."""
    return browser.script(
        "const c = charts[arguments[0]].plot.ctx.canvas;"
        "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0;"
        "for (let i = 3; i < d.length; i += 4) if (d[i] && Math.abs(d[i - 3] - d[i - 1]) > 40) n++; return n", chart)


def drag(browser, start, end):
    browser.command("POST", "/actions", {"actions": [
        {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
            {"type": "pointerMove", "x": round(start[0]), "y": round(start[1]), "duration": 0},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "x": round(end[0]), "y": round(end[1]), "duration": 50},
            {"type": "pointerUp", "button": 0}]}]})
    browser.settle()


def scales(browser, chart=0):
    return browser.script("const s = charts[arguments[0]].plot.scales;"
                          "return [s.x.min, s.x.max, s.y.min, s.y.max]", chart)


def cells(browser, name):
    return browser.script(
        "for (const row of document.querySelectorAll('#list tbody tr'))"
        "if (row.cells[0].textContent === arguments[0]) return [...row.cells].map(c => c.textContent)", name)


def test_hover(browser):
    took = ready(browser, "one.html")
    tap.ok(0 < took < 10000, "the page is ready", took)
    keep(browser, "one")
    tap.equal(hover(browser, 32, 107), ["main->solve", "p: 32", "time: 107\xa0s"], "what is below the mouse")
    tap.equal((hover(browser, 16, 32) or [""])[0], EVIL, "a name that would be markup is text")
    browser.mouse(2, 2)
    browser.settle()
    tap.ok(browser.script("return document.getElementById('tip').hidden"), "beside the chart there is nothing")


def test_legend(browser):
    before = pixels(browser)
    tap.ok(before > 500, "the chart has colours", before)
    browser.click(".legend li:first-child button")
    browser.settle()
    tap.ok(pixels(browser) < before * 0.8, "a click on a name hides its curve", before, pixels(browser))
    tap.equal(hover(browser, 16, 32) and hover(browser, 16, 32)[0] == EVIL, None, "and its points")
    browser.click(".legend li:first-child button")
    browser.settle()
    tap.ok(abs(pixels(browser) - before) <= before * 0.1, "and shows it again", before, pixels(browser))


def test_zoom(browser):
    everything = scales(browser)
    tap.ok(browser.script("return document.getElementById('reset').disabled"), "nothing to reset")
    drag(browser, place(browser, 8, 150), place(browser, 32, 20))
    low, high, bottom, top = scales(browser)
    tap.ok(abs(low - 8) < 0.5 and abs(high - 32) < 1.5 and 15 < bottom < 25 and 130 < top < 170,
           "dragging the mouse zooms", (low, high, bottom, top))
    keep(browser, "zoomed")
    browser.click("#reset")
    browser.settle()
    tap.equal(scales(browser), everything, "all again")
    drag(browser, place(browser, 8, 150), place(browser, 32, 20))
    browser.keys("Escape")
    browser.settle()
    tap.equal(scales(browser), everything, "the same with Escape")


def test_sliders(browser):
    tap.equal(cells(browser, "solve")[1:3], ["395 s", "16.2 %"], "predicted, and its share")
    browser.script("const n = document.querySelector('#sliders input[type=number]'); n.value = 256;"
                   "n.dispatchEvent(new Event('change'))")
    browser.settle()
    tap.equal(cells(browser, "solve")[1:3], ["779\xa0s", "8.7 %"], "the tree follows the slider")
    tap.ok(scales(browser)[1] >= 256, "and the chart", scales(browser))
    tap.has(browser.text("#summary"), "predicted at p = 256", "and the heading")


def test_tree(browser):
    ready(browser, "tree.html")
    plotted = "return JSON.stringify(charts[0].chart.series.filter(s => !charts[0].chart.hidden.has(s.name)).map(s => [s.name, s.mark, s.x.length]))"
    tap.equal({name for name, *_ in json.loads(browser.script(plotted))}, {EVIL}, "the page begins with the costliest")
    click = "[...document.querySelectorAll('#list tbody tr')].find(row => row.textContent.includes('solve')).click(); "
    rows = json.loads(browser.script(click + plotted))
    tap.equal([row for row in rows if row[0] != EVIL], [["main->solve", "line", 161], ["main->solve", "points", 5]],
              "a click on a call path of the tree plots it")
    tap.equal(cells(browser, "solve")[1:3], ["395\xa0s", "16.2 %"], "and the tree stays as it was")
    tap.equal({name for name, *_ in json.loads(browser.script(click + plotted))}, {EVIL}, "another one hides it")


def test_theme(browser):
    color = "return getComputedStyle(document.body).backgroundColor"
    before = browser.script(color)
    browser.click("#theme")
    browser.settle()
    tap.ok(browser.script(color) != before, "dark and light")
    keep(browser, "dark")


def test_metrics(browser):
    ready(browser, "metrics.html")
    keep(browser, "metrics")
    rows = "return [...document.querySelectorAll('#list tbody tr')].filter(r => r.offsetHeight).map(r => r.cells[0].textContent)"
    sections = "return charts.map(c => c.section.offsetHeight > 0)"
    tap.equal(browser.script(rows), ["main", "flat", "solve"], "the tree of the first metric")
    before = browser.script(sections)
    browser.script("const s = document.getElementById('metric'); s.value = 1; s.dispatchEvent(new Event('change'))")
    browser.settle()
    tap.equal([browser.text("h1"), browser.script(rows)], ["visits by p", ["main", "solve"]], "that of another one")
    after = browser.script(sections)
    tap.ok(all(a != b for a, b in zip(before, after)), "and its charts", before, after)
    browser.script("const s = document.getElementById('metric'); s.value = 0; s.dispatchEvent(new Event('change'))")
    browser.script("const f = document.getElementById('filter'); f.value = 'SOLV'; f.dispatchEvent(new Event('input'))")
    tap.equal(browser.script(rows), ["solve"], "a filter of call paths")


def test_surface(browser):
    ready(browser, "metrics.html")
    number = browser.script("return charts.findIndex(c => c.chart.projected)")
    faces = ("const s = charts[arguments[0]].chart.series.filter(s => s.mark === 'faces');"
             "return [[...new Set(s.map(s => s.name))], s.reduce((n, s) => n + s.x.length, 0), s.find(s => s.x.length).x[0]]")
    names, count, first = browser.script(faces, number)
    tap.ok(len(names) == 2 and count == 2 * 18 * 18 * 4, "two surfaces", names, count)
    browser.script("charts[arguments[0]].section.scrollIntoView()", number)
    left, top = browser.script("const b = charts[arguments[0]].plot.over.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]", number)
    drag(browser, (left, top), (left + 120, top + 20))
    keep(browser, "turned")
    tap.ok(abs(browser.script(faces, number)[2] - first) > 0.05, "dragging turns them", first, browser.script(faces, number))
    browser.script("[...document.querySelectorAll('#list tbody tr')].find(r => r.textContent.includes('flat')).click()")
    tap.equal(browser.script(faces, number)[0], ["main->solve"], "a call path that is hidden in the tree has no surface")


def test_heat(browser):
    ready(browser, "two.html")
    keep(browser, "two")
    browser.script("charts[1].section.scrollIntoView()")
    browser.settle()
    tip = hover(browser, 12, 33, 1) or []
    tap.ok(len(tip) == 3 and tip[0].startswith("p: ") and tip[2].startswith("time: "), "a cell of the map", tip)
    tap.ok(pixels(browser, 1) > 10000, "the map has colours")
    browser.script("window.scrollTo(0, 0); const n = document.querySelectorAll('#sliders input[type=number]')[1];"
                   "n.value = 20; n.dispatchEvent(new Event('change'))")
    browser.settle()
    tap.equal(browser.text(".note"), "where n = 20", "the curve is where the other slider is")
    tap.equal(browser.script("return charts[0].chart.series.find(s => s.mark === 'points').y"),
              [47, 87, 167, 327, 647], "and so are the points")


def test_dominant(browser):
    ready(browser, "three.html")
    number = browser.script("return charts.findIndex(c => c.chart.title.startsWith('What costs'))")
    names = "return charts[arguments[0]].chart.series.map(s => [s.name, s.x.length])"
    tap.equal(sorted(dict(browser.script(names, number))), ["send", "solve"], "what costs most where")
    browser.script("const n = document.querySelectorAll('#sliders input[type=number]')[2]; n.value = 1; n.dispatchEvent(new Event('change'))")
    tap.equal(browser.script(names, number), [["solve", 240]], "it follows a parameter that is on neither axis")


def test_comparison(browser):
    ready(browser, "compared.html")
    keep(browser, "compared")
    row = "return [...[...document.querySelectorAll('#list tbody tr')].filter(r => r.offsetHeight && r.cells[0].textContent === arguments[0])[0].cells].slice(1).map(c => c.textContent.replace('\\u00a0', ' '))"
    curves = "return charts[0].chart.series.filter(s => s.curve).map(s => [s.name, Boolean(s.dashed), s.y.at(-1)])"
    tap.equal(browser.script(row, "flat"), ["100 s", "150 s", "+50.0 %", "100 → 150"], "both experiments in the tree")
    tap.equal(sorted(browser.script(curves))[:2], [["main->flat", False, 150], ["main->flat before", True, 100]], "both curves")
    browser.script("const n = document.querySelectorAll('#sliders input[type=number]')[0]; n.value = 1000; n.dispatchEvent(new Event('change'))")
    tap.equal(browser.script(row, "solve"), ["50010 s", "50010 s", "+0.0 %", "7 + p * n → 7 + p * n"], "they follow the slider")
    tap.equal([round(y) for name, _, y in browser.script(curves) if "solve" in name], [50007, 50007], "and so do the curves")
    ratio = browser.script("return charts[1].chart.heat.values[5]")
    tap.ok(1 <= ratio <= 1.5, "the map is that of their quotient", ratio)
    browser.script("const s = document.getElementById('metric'); s.value = 1; s.dispatchEvent(new Event('change'))")
    tap.equal(browser.script(row, "solve"), ["3", "9", "3×", "3 → 9"], "another metric")
    browser.script("const s = document.getElementById('metric'); s.value = 0; s.dispatchEvent(new Event('change'))")
    browser.script("[...document.querySelectorAll('#list tbody tr')].find(r => r.textContent.includes('flat')).click()")
    tap.equal(browser.script("return [...charts[0].chart.hidden].sort()"), ["main->flat", "main->flat before"], "a click hides both curves")


def test_many_points(browser):
    took = ready(browser, "points.html")
    tap.ok(0 < took < 10000, "a page of 40,000 points is ready", took)
    keep(browser, "points")
    count, among = browser.script("const s = charts[0].chart.series[0]; return [s.x.length, s.among]")
    tap.ok(among == 40000 and 0.95 * among < count <= among, "nearly all have places of their own", count, among)
    tap.equal(browser.script("return [thinned({series: [{among: 40, x: {length: 40}}]}), thinned({series: [{among: 300, x: {length: 200}}]}),"
                             "thinned({series: [{among: 5000, x: {length: 200}}, {x: {length: 9}}]})]"),
              ["", "thinned 1:1.5", "thinned 1:25"], "it says how many points one represents")
    x, y = browser.script("const s = charts[0].chart.series[0], i = 12345; return [s.x[i], s.y[i]]")
    tip = hover(browser, x, y) or []
    tap.ok(len(tip) == 3 and "≈" in tip[1], "values of packed points are approximate", tip)
    spread = browser.script("const s = charts[0].chart.series[0].x; return [Math.min(...s.slice(0, 9000)), s[s.length - 1]]")
    tap.ok(abs(spread[0]) < 11 and abs(spread[1] - 39999) < 11, "they lie where they were", spread)


def test_rows(browser):
    ready(browser, "rows.html")
    keep(browser, "rows")
    names = browser.script("return [...document.querySelectorAll('table.rows tbody th')].map(th => th.textContent)")
    tap.ok(len(names) == 20 and names[0] == "a::name::that::is::long::<b>19</b>", "bars with long names are rows", names)
    widths = browser.script("return [...document.querySelectorAll('.bars i')].map(i => i.getBoundingClientRect().width)")
    tap.ok(abs(widths[0] / widths[10] - 2) < 0.05, "as long as their values", widths)
    box = browser.script("const b = document.querySelector('.bars i').getBoundingClientRect(); return [b.left, b.top]")
    browser.mouse(box[0] + 5, box[1] + 5)
    browser.settle()
    tap.equal(browser.script("return [...document.getElementById('tip').children].map(c => c.textContent)"),
              ["a::name::that::is::long::<b>19</b>", "sum of amount: 20\xa0B"], "what is below the mouse")
    tap.equal(browser.script("return document.documentElement.scrollWidth <= innerWidth"), True, "nothing is wider than the window")


def test_others(browser):
    ready(browser, "bars.html")
    keep(browser, "bars")
    tap.equal(hover(browser, 2, 17), ["<i>x</i>", "order: 2", "sum of amount: 38 B"], "bars: the lower one")
    tap.equal(hover(browser, 2, 60), ["main", "order: 2", "sum of amount: 34 B"], "bars: the one on it")
    ready(browser, "flow.html")
    keep(browser, "flow")
    tap.equal(hover(browser, 2, 17), ["<i>x</i>", "order: 2", "sum of amount: 38 B"], "areas: the lower one")
    tap.equal(hover(browser, 2, 60), ["main", "order: 2", "sum of amount: 34 B"], "areas: the one on it")
    ready(browser, "box.html")
    keep(browser, "box")
    tap.ok(pixels(browser) > 100, "a box plot has colours")
    ready(browser, "histogram.html")
    keep(browser, "histogram")
    tap.equal(len(browser.script("return [...document.querySelectorAll('h2')].map(h => h.textContent)")), 2, "a histogram for each")
    tip = hover(browser, 20, 1)
    tap.ok(tip and tip[0] == "values" and " to " in tip[1] and tip[2].startswith("resources: "), "a bar says its range", tip)


with Browser() as browser:
    test_hover(browser)
    test_legend(browser)
    test_zoom(browser)
    test_sliders(browser)
    test_tree(browser)
    test_theme(browser)
    test_heat(browser)
    test_metrics(browser)
    test_surface(browser)
    test_dominant(browser)
    test_comparison(browser)
    test_many_points(browser)
    test_others(browser)
    test_rows(browser)
    # The one of getImageData is this test's own.
    tap.equal([e for e in browser.errors() if "getImageData" not in e], [], "nothing in the console")
with Browser(scripts=False) as browser:
    browser.open("one.html")
    tap.ok(browser.find("noscript svg"), "without scripts there is the picture")
tap.finish()
