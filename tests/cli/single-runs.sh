#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# One run at each version on a busy machine. tests/data/bitmaps.txt has, of 32 benchmarks of a library of compressed bitmaps
# (Google Benchmark), real and processor times in microseconds at nine commits, and last at the first of them again; before them
# how busy its two processors were. The third commit made the cardinalities of 64-bit bitmaps cheap. Lookups in cold memory
# differ by up to six times although nothing changed.
. "${top_srcdir:-.}/tests/cli/lib.sh"
table=$(cd "$top_srcdir" && pwd)/tests/data/bitmaps.txt

results=$work/results
python3 - "$table" "$results" <<'PYTHON'
import json, os, sys
os.mkdir(sys.argv[2])
(_, *loads), *rows = [line.split() for line in open(sys.argv[1])]
for at, load in enumerate(loads):
    runs = []
    for name, *times in rows:
        real, cpu = map(float, times[at].split("/"))
        runs.append(dict(name=name, run_name=name, run_type="iteration", iterations=9, real_time=real, cpu_time=cpu, time_unit="us"))
    context = {"num_cpus": 2, "host_name": "h", "load_avg": [float(load), 4, 4]}
    json.dump({"context": context, "benchmarks": runs}, open(f"{sys.argv[2]}/{at + 1}.json", "w"))
PYTHON
# reported COMMAND...: which benchmarks it reports as slower (+) or faster (-).
reported() {
	"$PERUN" "$1" --json "${@:2}" 2>/dev/null | python3 -c '
import json, sys
signs = {"Degradation": "+", "Optimization": "-"}
print(*sorted({c["location"] + signs[c["result"]] for c in json.load(sys.stdin)["changes"] if c["result"] in signs}))'
}
new_repo && perun init >/dev/null
for n in 1 2 3 4 5 6 7 8 9 10; do
	commit "change $n"
	"$PERUN" import -w all "$results/$n.json" >/dev/null 2>&1
	reported_at[n]=$(reported check head)
done
expect_text '' "${reported_at[2]}" 'the first two versions: 2.4 times is no change at such a load'
# Two others, which took half of what they had, are undecided.
expect_text 'ComputeCardinality64-' "${reported_at[3]}" 'what became cheap, when it did'
expect_text '' "$(IFS=; echo "${reported_at[*]:4:6}")" 'later versions: differences between runs are not reported'
expect_text 'ComputeCardinality64+' "${reported_at[10]}" 'the first commit again'
# Two versions on one side, one on the other: the changes are still reported.
expect_text 'ComputeCardinality64+ ComputeCardinality64-' "$(reported check all)" 'the whole history'
expect_text 'ComputeCardinality64-' "$(reported ci HEAD~8 HEAD~7)" 'the same from ci'
expect_text 'ComputeCardinality64+' "$(reported ci HEAD~1 HEAD)" 'and of the last two'
expect_status 0 perun history 'time(cpu)' --location ComputeCardinality64
expect_out '2 changes in 10 measured versions'

# A counter that is made from the processor time says nothing that this does not.
counted() {
	printf '{"context": {"num_cpus": 2, "load_avg": [0.1]}, "benchmarks": [{"name": "find", "run_type": "iteration", "iterations": 9, "real_time": %s, "cpu_time": %s, "time_unit": "us", "per_item": %s}]}' "$@"
}
new_repo && perun init >/dev/null
counted 100 90 9e-8 >one.json
counted 700 270 2.7e-7 >two.json
for file in one two; do
	commit "$file"
	expect_status 0 perun import -w all $file.json
done
expect_status 1 perun check head
expect_out 'slower  find  time(real)'
expect_no_out 'per_item'

# Nor does it where that time is undecided, since others of the machine moved as well.
unsettled() {
	python3 - "$@" <<'PYTHON'
import json, sys
runs = [dict(name=f"b{n}", run_type="iteration", iterations=9, real_time=t, cpu_time=t, time_unit="us")
        for n in range(24) for t in [100 * (1 if sys.argv[1] == "one" else 0.5 + n % 12 / 6)]]
time = 100 if sys.argv[1] == "one" else 480
runs.append(dict(name="find", run_type="iteration", iterations=9, real_time=time, cpu_time=time, time_unit="us", per_item=time * 1e-9))
json.dump({"context": {"num_cpus": 2, "load_avg": [0.1]}, "benchmarks": runs}, open(sys.argv[1] + ".json", "w"))
PYTHON
}
new_repo && perun init >/dev/null
for version in one two; do
	unsettled $version
	commit "$version"
	expect_status 0 perun import -w all $version.json
done
expect_status 0 perun check head
expect_no_out 'per_item'
expect_status 0 perun ci HEAD~1 HEAD
expect_no_out 'per_item  *[0-9]'
expect_status 0 perun history per_item
expect_out '0 changes in 2 measured versions'
finish
