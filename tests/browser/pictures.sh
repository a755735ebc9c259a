# SPDX-License-Identifier: BSD-3-Clause
# Each kind of page at 1400 and 420 pixels, light and dark: nothing overflows, nothing throws, and whoever cannot see or
# has no mouse can use it. PERUN_SCREENSHOTS=FOLDER keeps the pictures, PERUN_AXE=axe.min.js asks axe-core, too.
. "${top_srcdir:-.}/tests/cli/lib.sh"

browser=$top_srcdir/tests/browser
absent=$(PYTHONPATH=$browser PYTHONDONTWRITEBYTECODE=1 python3 -c 'import webdriver; print(webdriver.missing())') ||
	skip_all 'Python 3 is missing'
[ -z "$absent" ] || skip_all "$absent is missing"

git init -q repo && cd repo && perun init >/dev/null || exit 1
git config user.name Ada && git config user.email ada@example.org
PYTHONDONTWRITEBYTECODE=1 python3 "$browser/pictures-make.py" || exit 1
for commit in $(seq 12); do
	date="2026-03-0$((commit % 9 + 1))T12:00:00 +0000"
	[ "$commit" -lt 9 ] || date="2026-03-$((commit + 1))T12:00:00 +0000"
	GIT_AUTHOR_DATE=$date GIT_COMMITTER_DATE=$date git commit -q --allow-empty -m "$(cat "$commit.subject")" || exit 1
	perun add --force "$commit.perf" "$commit-long.perf" "$commit.collapsed" >/dev/null || exit 1
done
pages=../pages && mkdir "$pages"
perun site --full ../site >/dev/null || exit 1
show() { # NAME VIEW [OPTION...] -- FILE...
	local name=$1 view=$2 options=()
	shift 2
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	shift
	perun show -o "$pages/$name.html" "$@" "$view" "${options[@]}" || exit 1
}
show flamegraph flamegraph -- 9.collapsed
show flamegraph-difference flamegraph -- 5.collapsed 9.collapsed
show top top -- 9.collapsed
show top-difference top -- 5.collapsed 9.collapsed
show tree tree -- 9.collapsed
show report report -- 5.collapsed 9.collapsed
show report-times report -- 5.perf 9.perf
show raw raw -- 9.perf
show table tableof resources -- 9.perf
show scatter scatter -- sizes.perf
show bars bars --per order -- memory.perf
show flow flow --through order --stacked -- memory.perf
show box box -- memory.perf
show histogram histogram -- memory.perf
perun history --form html -o "$pages/history.html" || exit 1
perun showdiff -o "$pages/table-difference.html" 5.perf 9.perf table || exit 1
show heapmap heapmap --cell 1k -- heap.perf
show alloclist alloclist sum -- heap.perf
show scaling scaling --at p=128 -- growth.txt
show timeline timeline -- run.afperf
cd .. || exit 1
PYTHONPATH=$browser PYTHONDONTWRITEBYTECODE=1 python3 "$browser/pictures.py"
