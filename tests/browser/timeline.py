# SPDX-License-Identifier: BSD-3-Clause
"""Reads in a browser what tests/browser/timeline.sh made."""

import os
import time

from webdriver import Browser, Tap

tap = Tap()
SHOTS = os.environ.get("PERUN_SCREENSHOTS")  # a folder: keep pictures there
EVIL = "f</script><script>alert(1)</script>"


def place(browser, lane, time_):
    return browser.script(
        "const b = document.getElementById('map').getBoundingClientRect();"
        "return [b.left + xOf(arguments[1] * 1e6), b.top + 20 * arguments[0] + 10]", lane, time_)


def tip(browser, lane, time_):
    browser.mouse(*place(browser, lane, time_))
    time.sleep(0.1)
    return browser.script("const t = document.getElementById('tip');"
                          "return t.hidden ? null : [...t.children].map(c => c.textContent)")


def shown(browser):
    return [round(x / 1e6, 3) for x in browser.script("return [state.from, state.to]")]


def press(browser, button):
    browser.script("document.getElementById(arguments[0]).click()", button)


with Browser() as page:
    page.open("timeline.html")
    page.wait("document.getElementById('map').dataset.to")
    if SHOTS:
        page.screenshot(os.path.join(SHOTS, "timeline.png"))
    tap.equal(shown(page), [0, 100], "it begins with everything")
    tap.equal(tip(page, 0, 5), [EVIL, "100 ms, from 0 to 100 ms"], "a name that would be markup is text")
    tap.equal(tip(page, 1, 25), ["inner", "30 ms, from 10 ms to 40 ms"], "what lies below the mouse")
    tap.equal(tip(page, 1, 60), None, "nothing lies there")
    press(page, "in")
    tap.equal(shown(page), [25, 75], "zoomed in")
    page.script("dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}))")
    tap.equal(shown(page), [35, 85], "moved")
    press(page, "reset")
    tap.equal(shown(page), [0, 100], "all of it again")
    page.script("document.getElementById('map').dispatchEvent(new MouseEvent('dblclick', "
                "{clientX: arguments[0], clientY: arguments[1]}))", *place(page, 1, 20))
    tap.equal(shown(page), [8.5, 41.5], "a double click shows one interval")
    page.script("const s = document.getElementById('search'); s.value = 'IO'; s.dispatchEvent(new Event('input'))")
    tap.equal(page.text("#found"), "1000 found", "intervals are found")
    before = page.script("return css('--paper')")
    press(page, "theme")
    tap.ok(page.script("return css('--paper')") != before, "dark and light")
    tap.equal(page.errors(), [], "nothing in the console")
tap.finish()
