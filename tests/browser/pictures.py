# SPDX-License-Identifier: BSD-3-Clause
"""Looks in a browser at the pages that tests/browser/pictures.sh made."""

import glob
import json
import os
import re

from webdriver import Browser, Tap

tap = Tap()
SHOTS = os.environ.get("PERUN_SCREENSHOTS")  # a folder: keep pictures there
AXE = os.environ.get("PERUN_AXE")  # axe.min.js of axe-core

# What is wider than the window and cannot be scrolled by itself.
OVERFLOW = """
const wide = innerWidth + 1, out = [];
if (document.scrollingElement.scrollWidth <= wide) return out;
for (const n of document.body.querySelectorAll('*')) {
	const b = n.getBoundingClientRect();
	if (b.right > wide && b.width && !n.closest('svg svg')) {
		let p = n.parentElement;
		while (p && p !== document.body && getComputedStyle(p).overflowX === 'visible') p = p.parentElement;
		if (p === document.body || !p) out.push(n.tagName + '#' + n.id + '.' + n.className + ' to ' + Math.round(b.right));
	}
}
return out.length ? out.slice(0, 6) : ['page ' + document.scrollingElement.scrollWidth];
"""

# What a person without a screen or a mouse misses, and texts whose contrast is below 4.5 (3 for large ones).
ACCESS = r"""
const out = [], say = (n, why) => out.push(why + ': ' + n.outerHTML.slice(0, 90).replace(/\s+/g, ' '));
const shown = n => n.getClientRects().length && getComputedStyle(n).visibility !== 'hidden';
const name = n => (n.getAttribute('aria-label') || (n.getAttribute('aria-labelledby') || '').split(' ')
	.map(i => (document.getElementById(i) || {}).textContent || '').join(' ') || [...(n.labels || [])].map(l => l.textContent).join(' ') ||
	n.textContent || n.getAttribute('alt') || n.title || '').trim();
if (!document.documentElement.lang) out.push('no language');
if (!document.title.trim()) out.push('no title');
if (!document.querySelector('main, [role=main]')) out.push('no main');
if (document.querySelectorAll('h1').length !== 1) out.push('level-one headings: ' + document.querySelectorAll('h1').length);
if (/user-scalable=no|maximum-scale/.test((document.querySelector('meta[name=viewport]') || {}).content || '')) out.push('cannot be magnified');
const seen = new Set();
for (const n of document.querySelectorAll('[id]')) { if (seen.has(n.id)) say(n, 'id twice'); seen.add(n.id); }
for (const n of document.querySelectorAll('button, a[href], input:not([type=hidden]), select, textarea, [role=button], [role=img], svg[role=img], iframe, [role=slider]'))
	if (shown(n) && !name(n)) say(n, 'no name');
for (const n of document.querySelectorAll('th')) if (shown(n) && !n.textContent.trim() && !n.getAttribute('aria-label')) say(n, 'empty heading of a column');
for (const n of document.querySelectorAll('canvas')) if (shown(n) && !n.closest('[role=img], [aria-hidden=true], [aria-label]') && !n.getAttribute('role')) say(n, 'a canvas without a name');
for (const n of document.querySelectorAll('[onclick]')) if (!n.matches('a, button, input, select, [tabindex]')) say(n, 'needs a mouse');
for (const n of document.querySelectorAll('[tabindex]')) if (n.tabIndex > 0) say(n, 'out of order');
let level = 0;
for (const n of document.querySelectorAll('h1, h2, h3, h4')) if (shown(n)) { const l = +n.tagName[1]; if (l > level + 1) say(n, 'skips a level'); level = l; }
const scroll = n => /auto|scroll/.test(getComputedStyle(n).overflowX + getComputedStyle(n).overflowY) &&
	(n.scrollWidth > n.clientWidth + 1 || n.scrollHeight > n.clientHeight + 1);
for (const n of document.body.querySelectorAll('*'))
	if (shown(n) && scroll(n) && n.tabIndex < 0 && !n.querySelector('a[href], button, input, [tabindex="0"]') && !n.matches('select, textarea'))
		say(n, 'scrolls by mouse only');
const parts = c => { const m = (c.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number); if (c.startsWith('color(srgb')) for (let i = 0; i < 3; i++) m[i] *= 255; if (m.length < 4) m[3] = 1; return m; };
const light = c => { const [r, g, b] = c.slice(0, 3).map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const over = (f, b) => [0, 1, 2].map(i => f[i] * f[3] + b[i] * (1 - f[3])).concat(1);
const paper = n => { const all = []; for (let p = n; p; p = p.parentElement) { const s = getComputedStyle(p); if (s.backgroundImage !== 'none') return null; const c = parts(s.backgroundColor); all.push(c); if (c[3] === 1) break; }
	return all.reverse().reduce((b, c) => over(c, b), matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18, 1] : [255, 255, 255, 1]); };
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), bad = new Set();
while (walk.nextNode()) {
	const n = walk.currentNode.parentElement;
	if (!walk.currentNode.data.trim() || !shown(n) || n.closest('svg, script, style, noscript, [aria-hidden=true], :disabled') || bad.has(n)) continue;
	const s = getComputedStyle(n), b = paper(n);
	if (!b) continue;
	let f = parts(s.color), o = 1;
	for (let p = n; p; p = p.parentElement) o *= +getComputedStyle(p).opacity;
	f = over([f[0], f[1], f[2], f[3] * o], b);
	const x = light(f), y = light(b), c = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05), size = parseFloat(s.fontSize);
	if (c < (size >= 24 || size >= 18.66 && s.fontWeight >= 700 ? 3 : 4.5) - 0.01 && o > 0) { bad.add(n); say(n, 'contrast ' + c.toFixed(1)); }
}
return [...new Set(out)].slice(0, 12);
"""


def look(browser, width, dark):
    """Another width and scheme of the page that is open."""
    def tell(command, parameters):
        browser.command("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})
    tell("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    tell("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                                                     {"name": "prefers-reduced-motion", "value": "reduce"}]})
    browser.command("POST", "/execute/async", {"script": "const done = arguments[0]; requestAnimationFrame(() => setTimeout(done, 60))", "args": []})


def picture(browser, name):
    if not SHOTS:
        return
    height = browser.script("return Math.min(2600, document.documentElement.scrollHeight)")
    width = browser.script("return innerWidth")
    shot = browser.command("POST", "/goog/cdp/execute", {"cmd": "Page.captureScreenshot", "params": {
        "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": max(height, 300), "scale": 1}}})
    import base64
    with open(os.path.join(SHOTS, name + ".png"), "wb") as out:
        out.write(base64.b64decode(shot["data"]))


def ask_axe(browser):
    """What axe-core finds, or nothing where it was not given."""
    if not AXE:
        return []
    browser.script("if (!window.axe) (0, eval)(arguments[0])", open(AXE).read())
    found = browser.command("POST", "/execute/async", {"args": [], "script":
        "const done = arguments[0]; axe.run(document, {iframes: false, preload: false}).then(r => done(r.violations.map("
        "v => v.id + ' ' + v.nodes.length + 'x: ' + v.nodes.slice(0, 2).map(n => n.html.slice(0, 120)).join(' | '))), e => done([String(e)]))"})
    return found


def show(browser, name, path, fragment=""):
    browser.command("POST", "/url", {"url": "about:blank"})
    browser.command("POST", "/url", {"url": "file://" + os.path.abspath(path) + fragment})
    # Pages that do not say that they are ready show their tools then, or have no script.
    tap.ok(browser.wait("document.documentElement.dataset.ready || document.readyState === 'complete' && "
                        "(!document.querySelector('script') || document.querySelector('.tools:not([hidden])'))"), f"{name}: is ready")
    wide, access = [], []
    for width in (1400, 420):
        for dark in (False, True):
            look(browser, width, dark)
            state = f"{width}-{'dark' if dark else 'light'}"
            wide += [f"{state}: {entry}" for entry in browser.script(OVERFLOW)]
            access += [f"{state}: {entry}" for entry in browser.script(ACCESS) + ask_axe(browser)]
            picture(browser, f"{name}-{state}")
    tap.equal(browser.errors(), [], f"{name}: nothing throws")
    tap.equal(wide, [], f"{name}: nothing overflows")
    tap.equal(access, [], f"{name}: names, levels, contrast")


def main():
    with Browser(1400, 900) as browser:
        try:
            show(browser, "site-overview", "site/index.html")
            links = browser.script("return [...document.querySelectorAll('a[href]')].map(a => a.href)")
            for kind in ("metric", "version", "versions"):
                found = [link for link in links if re.search(kind + "[/.]", link) and link.startswith("file:")]
                tap.ok(found, f"the overview has links to a {kind}", *links[:8])
                if found:
                    path, _, fragment = found[0][len("file://"):].partition("#")
                    path, mark, query = path.partition("?")
                    show(browser, f"site-{kind}", path, mark + query + ("#" + fragment if fragment else ""))
        except Exception as error:  # pylint: disable=broad-except
            tap.ok(False, "the site", repr(error))
        for path in sorted(glob.glob("pages/*.html")):
            show(browser, os.path.basename(path)[:-5], path)
    tap.finish()


main()
