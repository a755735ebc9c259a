#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# `perun check all` over a history in which each version has a profile of 100 functions, 20 resources
# and two models each: bench/check-all.sh [COMMITS], in a build tree. Goal: at most 5 s for 1,000
# versions, by each method. The baseline is `perun fsck`, which reads each object once and compares
# nothing; of it, goals are 6 for check all, also by shift, 1 for a second one, 0.5 for history and 0.8 for blame. Best of three runs. The check shift, which is asked where profiles have repeated measurements,
# compares 200 pairs of samples a version: two metrics of each function.
. "$(dirname "$0")/lib.sh"
commits=${1:-1000}
git init -q -b main "$work/repo" && cd "$work/repo"

awk -v commits="$commits" 'BEGIN {
	for (i = 0; i < commits; i++) {
		printf "commit refs/heads/main\nmark :%d\ncommitter A <a@example.org> %d +0000\n", i + 1, 1577836800 + i * 60
		printf "data 6\nchange\n"
		if (i) printf "from :%d\n", i
		printf "M 644 inline f\ndata 6\n%06d\n", i
	}
}' | git fast-import --quiet
git reset -q --hard main
"$perun" init >/dev/null

# profile VERSION NUMBER
profile() {
	awk -v origin="$1" -v seed="$2" '
	function next_random() { x = (x * 16807) % 2147483647; return x / 2147483647 }
	function model(uid, kind, start) {
		printf "%s{\"uid\": \"function_%d\", \"model\": \"%s\", \"method\": \"full\", ", start, uid, kind
		printf "\"r_square\": %.6f, \"x_start\": 1, \"x_end\": 20, \"coeffs\": [", 0.9 + next_random() / 10
		printf "{\"name\": \"b0\", \"value\": %.6f}, {\"name\": \"b1\", \"value\": %.6f}", 100 + next_random(), 2 + next_random() / 100
		if (kind == "quadratic") printf ", {\"name\": \"b2\", \"value\": %.6f}", next_random() / 1000
		printf "]}"
	}
	BEGIN {
		x = seed + 1
		printf "{\"origin\": \"%s\", \"header\": {\"type\": \"mixed\", \"cmd\": \"./prog\", \"workload\": \"w\", ", origin
		printf "\"units\": {\"mixed(time delta)\": \"us\"}}, \"collector_info\": {\"name\": \"complexity\", \"params\": {}}, "
		printf "\"postprocessors\": [{\"name\": \"regression_analysis\", \"params\": {}}], \"global\": {\"time\": \"0.0\", \"resources\": ["
		for (f = 0; f < 100; f++) for (i = 1; i <= 20; i++)
			printf "%s{\"amount\": %.3f, \"uid\": \"function_%d\", \"type\": \"mixed\", \"subtype\": \"time delta\", \"structure-unit-size\": %d, \"order\": %d, \"exclusive\": %d, \"location\": \"lib%d.so\"}",
				(f + i > 1 ? ", " : ""), 100 + 2 * i + next_random(), f, i, i, 1e6 * (1 + next_random()), f % 5
		printf "], \"models\": ["
		for (f = 0; f < 100; f++) {
			model(f, "linear", (f ? ", " : ""))
			model(f, "quadratic", ", ")
		}
		print "]}}"
	}'
}
number=0
for version in $(git rev-list --reverse main); do
	profile "$version" $((number += 1)) >p.perf
	"$perun" add -m "$version" p.perf >/dev/null
done

# took COMMAND...: milliseconds of processor time; the exit status 1 (found something) is no failure.
took() {
	local TIMEFORMAT='%U %S'
	{ time "$@" >/dev/null 2>&1 || test $? = 1; } 2>&1 | awk '{ printf "%d\n", 1000 * ($1 + $2) }'
}
failed=0
# row WHAT MILLISECONDS GOAL: in relation to fsck.
row() {
	awk -v what="$1" -v took="$2" -v base="$base" -v goal="$3" 'BEGIN {
		printf "%-45s %6d ms, %.2f of fsck (goal %s): %s\n", what, took, took / base, goal, (took <= goal * base ? "met" : "MISSED")
		exit took > goal * base }' || failed=1
}
"$perun" fsck >/dev/null
base=$(took "$perun" fsck)
echo "$commits versions; fsck $base ms of processor time"
row 'check all, first time' "$(took "$perun" check all)" 6
row 'check all, second time' "$(took "$perun" check all)" 1
row 'check --method shift all, first time' "$(rm -rf .perun/cache && XDG_CACHE_HOME='' HOME=none took "$perun" check --method shift all)" 6
for command in 'history 0.5' 'blame 0.8' 'check --method shift all 1'; do
	# shellcheck disable=SC2086 # words
	{
		took "$perun" ${command% *} >/dev/null
		row "${command% *}, second time" "$(took "$perun" ${command% *})" "${command##* }"
	}
done
rm -f "$XDG_CACHE_HOME/perun/verdicts"

# The time that people wait, of nothing remembered.
base=$(($(best 3 "$perun" fsck) / 1000))
echo "$commits versions; fsck $base ms"
for method in average-amount-threshold best-model-order-equality integral-comparison local-statistics \
	polynomial-regression linear-regression fast-check exclusive-time-outliers shift \
	'integral-comparison --models-type all-models' 'local-statistics --models-type all-models'; do
	# shellcheck disable=SC2086 # options, too
	took=$(($(XDG_CACHE_HOME= HOME=none best 3 "$perun" check --method $method all) / 1000))
	awk -v m="$method" -v t="$took" -v b="$base" -v n="$commits" 'BEGIN {
		printf "%-45s %6d ms, %.2f of fsck: %s\n", m, t, t / b, (t <= 5 * n ? "met" : "MISSED") }'
	[ $((took)) -le $((5 * commits)) ] || failed=1
done
[ "$failed" = 0 ] || echo 'slower than 5 ms for a version'
exit $failed
