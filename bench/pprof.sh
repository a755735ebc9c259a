#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# perun pprof against gzip, and against go tool pprof where it is installed, on made-up profiles:
# bench/pprof.sh [SAMPLES], in a build tree. Medians of five runs of each, taken in turn; of go's one run.
# Goals, of gzip -dc of the same files: -top 2 and under 200 MB, -raw 3, a difference 4, merging 100
# profiles 4 (1.5 with 60,000 locations each); of gzip -6 of the bare file: -proto 1.5.
. "$(dirname "$0")/lib.sh"
samples=${1:-1000000}
make_profile=$top_builddir/bench/pprof-make
export PPROF_TMPDIR=$work
cd "$work"

# took COMMAND...: microseconds and kilobytes at the most.
took() {
	local start=${EPOCHREALTIME/./} kilobytes
	kilobytes=$(/usr/bin/time -f %M -o .kilobytes "$@" >/dev/null 2>.stderr; tail -n 1 .kilobytes)
	echo "$((${EPOCHREALTIME/./} - start)) $kilobytes"
}
median() { sort -n | sed -n 3p; }

# row WHAT GOAL LIMIT-MB BASELINE -- COMMAND: BASELINE is a command line.
row() {
	local what=$1 goal=$2 limit=$3 baseline=$4
	shift 5
	: >ours; : >theirs; : >memory
	for _ in 1 2 3 4 5; do
		took sh -c "$baseline" | cut -d' ' -f1 >>theirs
		took "$@" >both
		cut -d' ' -f1 both >>ours
		cut -d' ' -f2 both >>memory
	done
	awk -v what="$what" -v ours="$(median <ours)" -v theirs="$(median <theirs)" -v goal="$goal" \
		-v memory="$(median <memory)" -v limit="$limit" 'BEGIN {
		met = ours <= goal * theirs && (!limit || memory / 1000 <= limit)
		printf "%-28s %8.0f ms  %5.2f of %6.0f ms (goal %s)  %4.0f MB%s: %s\n", what, ours / 1000,
			ours / theirs, theirs / 1000, goal, memory / 1000,
			limit ? " (goal " limit ")" : "", met ? "met" : "MISSED"
		exit !met }' || fail=1
}

"$make_profile" a.pb.gz "$samples"
"$make_profile" b.pb.gz "$samples" 20000 60000 7
gzip -dc a.pb.gz >a.pb
ls -l a.pb.gz a.pb | awk '{printf "%s: %.1f MB\n", $NF, $5 / 1e6}'
row '-top' 2 200 'gzip -dc a.pb.gz' -- "$perun" pprof -top a.pb.gz
row '-raw' 3 0 'gzip -dc a.pb.gz' -- "$perun" pprof -raw a.pb.gz
row '-proto' 1.5 0 'gzip -6 -c a.pb' -- "$perun" pprof -proto -output p.pb.gz a.pb.gz
row '-top -diff_base' 4 0 'gzip -dc a.pb.gz' -- "$perun" pprof -top -diff_base a.pb.gz b.pb.gz
row '-top -base' 4 0 'gzip -dc a.pb.gz' -- "$perun" pprof -top -base a.pb.gz b.pb.gz
row '-dot' 5 0 'gzip -dc a.pb.gz' -- "$perun" pprof -dot a.pb.gz
row 'flame graph as SVG' 4 0 'gzip -dc a.pb.gz' -- "$perun" show a.pb.gz flamegraph -o flame.svg
row 'flame graph as HTML' 5 0 'gzip -dc a.pb.gz' -- "$perun" show a.pb.gz flamegraph -o flame.html
row 'report of two profiles' 6 0 'gzip -dc a.pb.gz b.pb.gz' -- "$perun" showdiff a.pb.gz b.pb.gz report -o report.html
row '-tree' 8 0 'gzip -dc a.pb.gz' -- "$perun" pprof -tree a.pb.gz
for locations in 2000 60000; do
	mkdir -p "m$locations"
	for i in $(seq 100); do "$make_profile" "m$locations/$i.pb.gz" 3000 2000 $locations "$i"; done
	row "merge 100 of $locations locations" "$([ $locations = 2000 ] && echo 4 || echo 1.5)" 0 \
		"gzip -dc m$locations/*.pb.gz" -- "$perun" pprof -proto -output m.pb.gz m$locations/*.pb.gz
done
"$make_profile" small.pb.gz 100 50 80
row 'a small profile (10 ms)' 100 0 true -- "$perun" pprof -top small.pb.gz
if command -v go >/dev/null && [ -z "${PERUN_BENCH_NO_GO-}" ]; then
	for report in -top -raw -proto; do
		set -- $(took go tool pprof $report -output x a.pb.gz)
		awk -v report="$report" -v time="$1" -v memory="$2" 'BEGIN {
			printf "go tool pprof %-14s %8.0f ms  %4.0f MB\n", report, time / 1000, memory / 1000 }'
	done
fi
exit $fail
