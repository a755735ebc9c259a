#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The command against git on the same repository, best of several runs:
# bench/cli.sh [COMMITS], in a build tree. Goals: status at most 10 ms more than git status, log -n 20
# at most 30 ms more than git log -n 20, log --short at most 3 times git log --format='%h %s'.
. "$(dirname "$0")/lib.sh"
commits=${1:-100000}

# row WHAT MICROSECONDS GIT-MICROSECONDS GOAL: the goal is "+N ms" or "xN".
row() {
	awk -v what="$1" -v ours="$2" -v git="$3" -v goal="$4" 'BEGIN {
		limit = goal ~ /^x/ ? git * substr(goal, 2) : git + substr(goal, 2) * 1000
		printf "%-16s %8.1f ms   git %8.1f ms   goal %s: %s\n", what, ours / 1000, git / 1000,
			goal, ours <= limit ? "met" : "MISSED"
		exit ours > limit }' || fail=1
}

# Ten profiles.
git init -q "$work/small" && cd "$work/small"
git commit -q --allow-empty -m root
"$perun" init >/dev/null
for i in 0 1 2 3 4 5 6 7 8 9; do
	printf '{"header": {"type": "time", "cmd": "c", "workload": "%s", "units": {"time": "s"}}, ' "$i" >"$i.perf"
	printf '"collector_info": {"name": "time", "params": {}}, "postprocessors": [], ' >>"$i.perf"
	printf '"global": {"time": "0.0", "resources": [{"amount": %s, "uid": "a", "type": "time"}]}}' "$i" >>"$i.perf"
done
"$perun" add ./*.perf >/dev/null
row 'status' "$(best 9 "$perun" status)" "$(best 9 git status)" '+10 ms'

# A long history; every thousandth version is measured.
git init -q "$work/long" && cd "$work/long"
awk -v n="$commits" 'BEGIN { for (i = 1; i <= n; i++)
	printf "commit refs/heads/%s\ncommitter A <a@example.org> %d +0000\ndata %d\nchange number %08d\n\n", \
		"main", 1000000000 + i * 60, 23, i }' | git fast-import --quiet
git symbolic-ref HEAD refs/heads/main
"$perun" init >/dev/null
cp ../small/.perun/local.yml .perun/
i=0
for version in $(git rev-list --max-count=20 main) $(git rev-list main | awk 'NR % 5000 == 0'); do
	i=$((i + 1))
	printf '{"header": {"type": "time", "cmd": "c", "workload": "%s", "units": {"time": "s"}}, ' "$i" >p.perf
	printf '"collector_info": {"name": "time", "params": {}}, "postprocessors": [], ' >>p.perf
	printf '"global": {"time": "0.0", "resources": [{"amount": 1, "uid": "a", "type": "time"}]}}' >>p.perf
	"$perun" add -m "$version" p.perf >/dev/null
done
row 'log -n 20' "$(best 9 "$perun" log -n 20)" "$(best 9 git log -n 20)" '+30 ms'
row 'log --short' "$(best 9 "$perun" log --short)" "$(best 9 git log --format='%h %s')" 'x3'
exit "$fail"
