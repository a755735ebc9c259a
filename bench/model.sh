#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# perun model against python3's json.load of the same file, on made-up experiments (five values a
# parameter, five repetitions, 2 % noise): bench/model.sh, in a build tree. Medians of five runs, in turn.
# Goals: 0.6, 0.6 and 0.45 of json.load, memory under 12 MB + 1.5 times the input.
. "$(dirname "$0")/lib.sh"
cd "$work"

# make_experiment FILE CALLPATHS PARAMETERS
make_experiment() {
	python3 - "$@" <<'PYTHON'
import itertools, json, random, sys
path, count, parameters = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(3)
values = [[4, 8, 16, 32, 64], [10, 20, 30, 40, 50], [2, 4, 6, 8, 10]][:parameters]
points = list(itertools.product(*values))
measurements = {}
for i in range(count):
    exponents = [random.choice([0.5, 1, 1.5, 2]) for _ in range(parameters)]
    rows = []
    for point in points:
        value = 10 + 1.0
        term = 1
        for x, e in zip(point, exponents):
            term *= x ** e
        rows.append({"point": point, "values": [(value + term) * (1 + random.gauss(0, .02)) for _ in range(5)]})
    measurements["main->f%d" % i] = {"time": rows}
json.dump({"parameters": ["p", "n", "q"][:parameters], "measurements": measurements}, open(path, "w"))
PYTHON
}

took() {
	local start=${EPOCHREALTIME/./}
	/usr/bin/time -f %M -o .kilobytes "$@" >/dev/null
	echo "$((${EPOCHREALTIME/./} - start)) $(tail -n 1 .kilobytes)"
}
median() { sort -n | sed -n 3p; }

for case in '10000 1 0.6' '1000 2 0.6' '1000 3 0.45'; do
	set -- $case
	make_experiment e.json "$1" "$2"
	: >ours; : >theirs; : >memory
	for _ in 1 2 3 4 5; do
		took python3 -c 'import json; json.load(open("e.json"))' | cut -d' ' -f1 >>theirs
		took "$perun" model --json "$work/e.json" >both
		cut -d' ' -f1 both >>ours
		cut -d' ' -f2 both >>memory
	done
	awk -v paths="$1" -v parameters="$2" -v goal="$3" -v ours="$(median <ours)" \
		-v theirs="$(median <theirs)" -v memory="$(median <memory)" -v size="$(wc -c <e.json)" 'BEGIN {
		limit = 12000 + 1.5 * size / 1000
		met = ours <= goal * theirs && memory <= limit
		printf "%5d call paths, %d parameters: %4.0f ms, %.2f of %.0f ms (goal %s), %.1f MB (goal %.1f): %s\n",
			paths, parameters, ours / 1000, ours / theirs, theirs / 1000, goal, memory / 1000,
			limit / 1000, met ? "met" : "MISSED"
		exit !met }' || fail=1
done
exit $fail
