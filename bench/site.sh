#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# perun site on a store of COMMITS (10,000) measured commits with METRICS (100) metrics of five runs each:
# bench/site.sh [COMMITS [METRICS]], in a build tree. Goals for two processors: written in 60 s, written
# again after one more commit in 2 s. Beside that the time of `cp -r` of the site, and of `git log` of all
# commits. With Chromium also until the overview is ready: goal 1 s.
. "$(dirname "$0")/lib.sh"
commits=${1:-10000}
metrics=${2:-100}
command -v python3 >/dev/null || { echo 'needs Python 3'; exit 77; }

# took COMMAND...: its milliseconds.
took() {
	local start=${EPOCHREALTIME/./}
	"$@" >/dev/null
	echo $(((${EPOCHREALTIME/./} - start) / 1000))
}
# row WHAT MILLISECONDS GOAL BASELINE MILLISECONDS
row() {
	local verdict=met
	[ "$2" -le "$3" ] || { verdict=MISSED; fail=1; }
	awk -v what="$1" -v ours="$2" -v goal="$3" -v verdict="$verdict" -v base="$4" -v theirs="$5" 'BEGIN {
		printf "%-28s %8d ms   goal %6d ms: %-6s", what, ours, goal, verdict
		if (base != "") printf "   %s %d ms, ratio %.1f", base, theirs, ours / (theirs ? theirs : 1)
		print "" }'
}

git init -q -b main "$work/store"
cd "$work/store"
git commit -q --allow-empty -m root
"$perun" init >/dev/null
git update-ref -d HEAD
python3 "$top_srcdir/bench/site-store.py" . "$commits" "$metrics"
sync -f .
first=$(took "$perun" site out)
copy=$(took cp -r out copy)
rm -rf copy
row "written, $commits x $metrics" "$first" 60000 'cp -r' "$copy"
least=999999
for i in 0 1 2; do
	python3 "$top_srcdir/bench/site-store.py" . 1 "$metrics" 5 $((commits + i))
	again=$(took "$perun" site out)
	[ "$again" -ge "$least" ] || least=$again
done
row 'after one commit more' "$least" 2000 'git log' "$(took git log --format='%H %an %at %s')"
row 'nothing new' "$(took "$perun" site out)" 2000 '' 0
browser=$top_srcdir/tests/browser
if [ -z "$(PYTHONPATH=$browser python3 -B -c 'import webdriver; print(webdriver.missing())')" ]; then
	ready=$(PYTHONPATH=$browser python3 -B -c '
from webdriver import Browser
with Browser() as browser:
    times = []
    for _ in range(3):
        browser.open("out/index.html")
        times.append(int(browser.wait("document.documentElement.dataset.ready")))
    print(min(times))')
	row 'overview ready in Chromium' "$ready" 1000 '' 0
fi
exit "$fail"
