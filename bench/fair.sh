#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A program compared with itself while other work comes and goes: how often is a change told by
# perun compare, and by the same test of runs that were measured one version after the other?
# bench/fair.sh [COMPARISONS] in the build directory; some minutes.
top_builddir=${top_builddir:-$(pwd)}
comparisons=${1:-50}
work=$(mktemp -d) || exit 1
trap 'kill $load 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" && git init -q . && echo x >x && git add x &&
	git -c user.name=x -c user.email=x@example.com commit -q -m x || exit 1
"$top_builddir/perun" init >/dev/null || exit 1
(trap 'kill $! 2>/dev/null; exit' TERM
	while :; do
		sleep "$((RANDOM % 3)).$((RANDOM % 10))" & wait $!
		timeout "$((1 + RANDOM % 2)).$((RANDOM % 10))" sh -c 'while :; do :; done' & wait $!
	done) &
load=$!
cat >program <<'PROGRAM'
i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done
PROGRAM
# The same runs without a second session, base before head: 20 values each, told by perun check shift.
in_turn() {
	rm -f .perun/jobs/*.perf
	for side in base head; do
		"$top_builddir/perun" collect -c "/bin/sh $work/program" time --repeat 20 --warmup 1 >/dev/null || return 1
		mv .perun/jobs/*.perf "$side.perf"
	done
	"$top_builddir/perun" check profiles base.perf head.perf --method shift 2>/dev/null |
		grep -Eq 'Degradation|Optimization'
}
fair=0
turn=0
for ((n = 0; n < comparisons; n++)); do
	"$top_builddir/perun" compare HEAD HEAD --most 40 --json -- /bin/sh "$work/program" >answer || :
	if grep -q '^      "result": "\(Degradation\|Optimization\)' answer; then fair=$((fair + 1)); fi
	if in_turn; then turn=$((turn + 1)); fi
done
echo "of $comparisons comparisons of a program with itself tell a change:"
echo "  perun compare (in turns, confirmed): $fair"
echo "  one after the other:                 $turn"
