#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# All curves of regression-analysis through many resources, against reading and writing the same profile
# with nothing done to it: bench/regression.sh [RESOURCES], in a build tree. Goal: 1.5 times as long.
# Medians of five runs of each, taken in turn.
. "$(dirname "$0")/lib.sh"
count=${1:-1000000}
cd "$work"

awk -v n="$count" 'BEGIN {
	srand(1)
	printf "{\"header\": {\"type\": \"mixed\", \"cmd\": \"c\", \"workload\": \"w\", \"units\": {}}, \"resources\": {"
	for (k = 0; k < 10; k++) {
		printf "%s\"f%d#0\": {\"amount\": [", (k ? ", " : ""), k
		for (i = 1; i <= n / 10; i++) printf "%s%.9f", (i > 1 ? ", " : ""), rand() * i
		printf "], \"structure-unit-size\": ["
		for (i = 1; i <= n / 10; i++) printf "%s%d", (i > 1 ? ", " : ""), i
		printf "]}"
	}
	printf "}, \"resource_type_map\": {"
	for (k = 0; k < 10; k++)
		printf "%s\"f%d#0\": {\"type\": \"mixed\", \"subtype\": \"t\", \"uid\": \"f%d\"}", (k ? ", " : ""), k, k
	printf "}, \"models\": []}\n"
}' >in.perf

took() {
	local start=${EPOCHREALTIME/./}
	"$@" >/dev/null
	echo $((${EPOCHREALTIME/./} - start))
}
for _ in 1 2 3 4 5; do
	took "$perun" convert --from perun --to perun in.perf copy.perf >>theirs
	took "$perun" postprocessby --output out.perf in.perf regression-analysis >>ours
done
awk -v n="$count" -v ours="$(sort -n ours | sed -n 3p)" -v theirs="$(sort -n theirs | sed -n 3p)" 'BEGIN {
	printf "regression-analysis of %d resources: %.0f ms, %.2f of %.0f ms (goal 1.5): %s\n", n, ours / 1000,
		ours / theirs, theirs / 1000, (ours <= 1.5 * theirs ? "met" : "MISSED")
	exit (ours > 1.5 * theirs) }'
