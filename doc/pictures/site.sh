#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# site.sh [PERUN]: takes the picture of a site of README.md again, in a headless Chromium.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
perun=$(realpath "${1:-$here/../../perun}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/wordcount"
cd "$work/wordcount"
git init -q -b main
git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m root
"$perun" init >/dev/null
git update-ref -d HEAD
python3 "$here/../../bench/site-store.py" . 760 8
"$perun" site "$work/site" --title wordcount
cd "$work"
PYTHONPATH=$here/../../tests/browser PYTHONDONTWRITEBYTECODE=1 python3 - <<'PYTHON'
from webdriver import Browser
with Browser(width=1080, height=880) as browser:
    browser.open("site/index.html")
    browser.wait("document.documentElement.dataset.ready")
    browser.script("document.querySelector('#changes tbody a').click()")
    browser.wait("document.documentElement.dataset.ready && window.chartOfPage")
    browser.script("document.querySelector('#points button').click(); document.getElementById('points').scrollIntoView({block: 'end'})")
    browser.wait("chartOfPage.from > 500")
    browser.script("scrollTo(0, 0)")
    browser.screenshot("site.png")
PYTHON
convert site.png +dither -colors 96 -strip "$here/site.png" 2>/dev/null || mv site.png "$here/site.png"
