# SPDX-License-Identifier: BSD-3-Clause
# Checks on profiles whose metrics have columns of their own, and on what files say of their own noise and of failures.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

# simulation FACTOR: 12 intervals of two labels, those of "solve" FACTOR times as long.
simulation() {
	printf '%s\n' '# AFPerf v1     ' 'RunInfo,0,milliseconds,1000.5,1.0.0,1,sim,2.0,'
	for i in $(seq 12); do
		printf 'RegionStart,%d,1,%d,solve,\nRegionStop,%d,%d\n' $((i * 1000)) "$i" \
			$((i * 1000 + $1 * 100 + i % 3)) "$i"
		printf 'RegionStart,%d,1,%d,write,\nRegionStop,%d,%d\n' $((i * 1000 + 900)) $((i + 100)) \
			$((i * 1000 + 910 + i % 4)) $((i + 100))
	done
}
simulation 1 >base.afperf
simulation 3 >slow.afperf
expect_status 1 perun check profiles base.afperf slow.afperf --method aat
expect_out 'slower  solve'
expect_out '+198 %, 3×'
expect_out '101000000.0 ns → 301000000.0 ns'
expect_status 0 perun check profiles base.afperf base.afperf --method aat
# Without a method: intervals that come again and again are repeated measurements.
expect_status 1 perun check profiles base.afperf slow.afperf
expect_out 'slower  solve'
expect_out 'slower'
expect_out 'p = '
expect_status 0 perun check profiles base.afperf base.afperf

printf 'main;f 3\nmain;g 4\n' >base.folded
printf 'main;f 9\nmain;g 4\n' >slow.folded
expect_status 1 perun check profiles base.folded slow.folded --method aat
expect_out 'higher  main;f'
expect_out ', 3×'

# A point of an experiment is compared with the same one, also where there was one alone; calls are no samples.
printf 'PARAMETER p\nPOINTS 1\nMETRIC time\nREGION a\nDATA 5\n' >one-point
printf 'PARAMETER p\nPOINTS 1 2\nMETRIC time\nREGION a\nDATA 5\nDATA 8\n' >two-points
expect_status 0 perun check --force profiles one-point two-points
expect_out 'new  a with p=2'
expect_out 'no change in 1 metric'

# Counts of simulations and of DHAT are exact, and what is 0 on both sides did not change.
for total in 100 102; do
	printf '{"bench": {"Total Blocks": {"value": %s}, "Final Blocks": {"value": 0}}}' $total >dhat-$total.json
done
expect_status 1 perun check --force profiles dhat-100.json dhat-102.json
expect_out 'higher  bench  Total Blocks  100 → 102  +2 %'
expect_out 'no change in 1 metric'
expect_no_out 'undecided'

# The memory of an object is the same each time, the peak of a process is not.
for size in 2420 2517; do
	printf '[ 50.00%%] ... b.mem_list     %s\n[ 60.00%%] ... b.peakmem_sort     %s\n' $size $size | sed 's/\.\.\./···/' >asv-$size.txt
done
expect_status 1 perun check --force profiles asv-2420.txt asv-2517.txt
expect_out 'more  b.mem_list  size'
expect_out '1 worse, 0 better'

# aggregates FILE MEAN FAILED: means and deviations of ten repetitions of two benchmarks, of which one may have failed.
aggregates() {
	python3 - "$@" <<'PYTHON'
import json, sys
path, mean, failed = sys.argv[1], float(sys.argv[2]), sys.argv[3] == "failed"
rows = []
for name, level in (("BM_a", mean), ("BM_b", 100)):
    row = {"name": name, "run_name": name, "run_type": "aggregate", "repetitions": 10, "time_unit": "ns"}
    if name == "BM_b" and failed:
        rows.append(dict(row, run_type="iteration", error_occurred=True, error_message="no device"))
        continue
    for kind, value in (("mean", level), ("median", level), ("stddev", level / 100)):
        rows.append(dict(row, name=f"{name}_{kind}", aggregate_name=kind, real_time=value, cpu_time=value))
json.dump({"context": {"library_build_type": "release"}, "benchmarks": rows}, open(path, "w"))
PYTHON
}
if command -v python3 >/dev/null; then
	# The deviation that a file carries shows 6 %, which one run each could not.
	aggregates base.json 100 -
	aggregates slow.json 106 -
	aggregates same.json 100.4 -
	expect_status 1 perun check --force profiles base.json slow.json
	expect_out 'BM_a'
	expect_no_out 'BM_b'
	expect_status 0 perun check --force profiles base.json same.json
	# Samples of one process are one run, however many they are.
	for level in 100 110 140; do
		python3 - "$level" >"rounds-$level" <<'PYTHON'
import json, sys
rounds = [int(sys.argv[1]) * (1 + (i * 7 % 11 - 5) / 100) / 1e6 for i in range(500)]
print(json.dumps({"machine_info": {}, "commit_info": {}, "benchmarks": [{"fullname": "t", "stats": {"mean": 1, "data": rounds}}]}))
PYTHON
		printf 'test t ... bench: %d ns/iter (+/- 2)\n' "$level" >"libtest-$level"
	done
	for form in rounds libtest; do
		expect_status 0 perun check --force profiles "$form-100" "$form-110"
		expect_out undecided
		expect_status 1 perun check --force profiles "$form-100" "$form-140"
	done
	# A benchmark that fails is neither gone nor faster.
	aggregates broken.json 100 failed
	expect_status 0 perun check --force profiles base.json broken.json
	expect_out 'failed'
	expect_no_out 'gone'
	expect_status 0 perun check --force --json --unchanged profiles base.json broken.json
	expect_json '{c["result"] for c in d["changes"] if c["location"] == "BM_b"}' "{'Unknown'}"
fi
# Of what is undecided that is named first which the fewest runs would settle.
go_runs() { # FILE "VALUE... of A" "VALUE... of B"
	for value in $2; do printf 'BenchmarkA-2 100 %s ns/op\n' "$value"; done >"$1"
	for value in $3; do printf 'BenchmarkB-2 100 %s ns/op\n' "$value"; done >>"$1"
}
go_runs before.txt '1000 1400 1200 1350' '1000 1010 1005 1008'
go_runs after.txt '1010 1390 1250 1340' '1100 1500 1250 1300'
run perun check profiles before.txt after.txt
expect_out 'undecided: 2 metrics (BenchmarkB-2 time(real), BenchmarkA-2 time(real)): about'
if command -v python3 >/dev/null; then
	# What is made of an undecided time has no answer of its own, as in histories.
	go_runs before.txt '1000 1400 1200 1350 1210' '1000 1010 1005 1008 1006'
	go_runs after.txt '1010 1390 1250 1340 1230' '1100 1500 1250 1300 1200'
	for file in before after; do awk '{ print $0, 1e5 / $3, "MB/s" }' $file.txt >rate-$file.txt; done
	expect_status 0 perun check --json profiles rate-before.txt rate-after.txt
	expect_json 'sorted((c["location"], c["metric"]) for c in d["changes"])' "[('BenchmarkA-2', 'time(real)'), ('BenchmarkB-2', 'time(real)')]"
	# What did not change is listed as often as it is counted.
	go_runs steady.txt '1000 1001 1002 1003 1004 1001 1002' '2000 2001 2002 2003 2004 2001 2002'
	awk '{ print $0, 1e5 / $3, "MB/s" }' steady.txt >rate-steady.txt
	expect_status 0 perun check --unchanged profiles rate-steady.txt rate-steady.txt
	expect_out 'no change in 4 metrics'
	check 'a line for each' test "$(grep -c '^no change  ' <<<"$out")" = 4
	# clocks FILE REAL...: one run of four benchmarks of which each takes 100 ns of the processor.
	clocks() {
		python3 - "$@" <<'PYTHON'
import json, os, sys
rows = [{"name": f"BM_{i}", "run_name": f"BM_{i}", "run_type": "iteration", "time_unit": "ns", "real_time": float(real), "cpu_time": 100.0} for i, real in enumerate(sys.argv[2:])]
context = {"library_build_type": "release", "num_cpus": 2, "load_avg": [float(os.environ.get("LOAD", 0.5))]}
json.dump({"context": context, "benchmarks": rows}, open(sys.argv[1], "w"))
PYTHON
	}
	# Where all of them wait the machine was busy; one that waits alone is slower.
	clocks idle.json 101 102 101 103
	clocks busy.json 250 260 300 390
	clocks waits.json 260 102 101 103
	expect_status 0 perun check --force profiles idle.json busy.json
	expect_out 'undecided: 4 metrics'
	expect_status 0 perun check --force profiles busy.json idle.json
	expect_out 'undecided: 4 metrics'
	expect_status 1 perun check --force profiles idle.json waits.json
	expect_out 'slower  BM_0'
	expect_out '1 slower, 0 faster'
	expect_no_out 'the machine was busy'
	# Fourteen processes on two processors: one of them waits seven times as long by chance.
	LOAD=14 clocks loaded.json 700 720 690 705
	LOAD=14 clocks slow.json 2900 720 690 705
	LOAD=14 clocks slowest.json 70000 720 690 705
	LOAD=1.9 clocks calm.json 260 102 101 103
	for pair in 'loaded slow' 'slow loaded' 'idle loaded'; do
		expect_status 0 perun check --force profiles ${pair% *}.json ${pair#* }.json
		expect_out 'undecided'
		expect_out 'the machine was busy (load 14 on 2 processors)'
	done
	expect_status 1 perun check --force profiles loaded.json slowest.json
	expect_out '1 slower, 0 faster'
	expect_status 1 perun check --force profiles idle.json calm.json
	# Ten runs show by themselves how long they waited.
	for factor in 100 120; do
		python3 - $factor >repeated-$factor.json <<'PYTHON'
import json, sys
rows = [{"name": "BM_a", "run_name": "BM_a", "run_type": "iteration", "time_unit": "ns", "real_time": float(sys.argv[1]) + i % 3, "cpu_time": float(sys.argv[1]) + i % 3} for i in range(10)]
print(json.dumps({"context": {"library_build_type": "release", "num_cpus": 2, "load_avg": [3]}, "benchmarks": rows}))
PYTHON
	done
	expect_status 1 perun check --force profiles repeated-100.json repeated-120.json
	expect_out '1 slower, 0 faster'
	# console LOAD REAL: the same as a table.
	console() {
		printf 'Run on (2 X 2500 MHz CPU s)\nLoad Average: %s, 1.00, 1.00\n%s\n' "$1" "$(printf -- '-%.0s' {1..52})"
		printf 'Benchmark %13s %15s %12s\n%s\n' Time CPU Iterations "$(printf -- '-%.0s' {1..52})"
		printf 'BM_a %14s ns %12s ns %12s\n' "$2" 100 1000
	}
	console 14.00 700 >table.txt
	console 14.00 2900 >table-slow.txt
	expect_status 0 perun check --force profiles table.txt table-slow.txt
	expect_out 'the machine was busy (load 14 on 2 processors)'
fi
# A unit that a name ends in says what is better.
printf 'BenchmarkA-8 1 10 ns/op 5000 p99-ns\n' >fast.txt
printf 'BenchmarkA-8 1 10 ns/op 15000 p99-ns\n' >slow.txt
expect_status 1 perun check --force profiles fast.txt slow.txt
expect_out 'slower  BenchmarkA-8'
# With a name before it a unit is converted all the same.
printf 'BenchmarkA-8 1 10 ns/op 5000 p99-ns 70000 build-real-ns/op\n' >named.txt
printf 'BenchmarkA-8 1 10 ns/op 5 p99-us 0.07 build-real-ms/op\n' >converted.txt
printf 'BenchmarkA-8 1 10 ns/op 5 p99-us 0.7 build-real-ms/op\n' >named-slow.txt
expect_status 0 perun check --force profiles named.txt converted.txt
expect_out 'no change in 3 metrics'
expect_status 1 perun check --force profiles named.txt named-slow.txt
expect_out 'build-real-time/op  70 µs/op → 700 µs/op'
# A line says what is exact, and which is better; no value need be one of an operation.
exact() {
	printf 'Unit widgets assume=exact better=lower\n\nBenchmarkSize 1 %s widgets\n' "$1"
}
exact 100 >few.txt
exact 103 >more.txt
expect_status 1 perun check --force profiles few.txt more.txt
expect_out 'more  BenchmarkSize'
# golang VALUE...: a run of each of some benchmarks.
golang() {
	echo 'pkg: x'
	for value; do echo "Benchmark$((number += 1))-2 1000 $value ns/op"; done
	echo PASS
}
# On a busy machine all benchmarks change, each by another factor: nothing says which of them did.
number=0 golang 100 200 300 400 500 >calm.txt
number=0 golang 105 232 405 695 975 >busy.txt
number=0 golang 102 198 305 402 825 >slow.txt
number=0 golang 160 321 483 639 804 >slower.txt
number=0 golang 250 580 690 1900 2400 >slowest.txt
expect_status 0 perun check --force profiles calm.txt busy.txt
expect_out 'undecided: 4 metrics'
for name in slow slower slowest; do
	expect_status 1 perun check --force profiles calm.txt $name.txt
	expect_text "$([ $name = slow ] && echo 1 || echo 5) slower, 0 faster" "$(grep -o '. slower, 0 faster' "$work/.result/stdout")" \
		"what is $name"
done
# Bytes per operation of buffers that grow now and then: where some are more and others less, the program does not repeat them.
# allocating BYTES...: a run of each of some benchmarks that allocate.
allocating() {
	echo 'pkg: x'
	for value; do echo "Benchmark$((number += 1))-2 1000 100 ns/op $value B/op 7 allocs/op"; done
	echo PASS
}
number=0 allocating 1000 2000 3000 4000 24 >bytes.txt
number=0 allocating 1010 1980 3050 3950 25 >others.txt
number=0 allocating 1010 1980 3050 3950 32 >more.txt
number=0 allocating 1010 2000 3000 4000 24 >one.txt
expect_status 0 perun check --force profiles bytes.txt others.txt
expect_out 'no change in 15 metrics'
expect_status 1 perun check --force profiles bytes.txt more.txt
expect_out '1 worse, 0 better'
expect_status 1 perun check --force profiles bytes.txt one.txt
expect_out '1 worse, 0 better'
# The same in a store.
git init -q bytes && cd bytes || exit 1
for subject in one two; do git commit -q --allow-empty -m $subject; done
perun init >/dev/null
perun import -w w -m HEAD~1 ../bytes.txt >/dev/null
perun import -w w ../others.txt >/dev/null
for command in 'check head' 'check all' 'ci HEAD~1 HEAD'; do
	expect_status 0 perun $command
	expect_no_out 'slower '
done
cd ..
catch() {
	printf '<?xml version="1.0"?><Catch2TestRun name="t"><TestCase name="T"><BenchmarkResults name="x" samples="100" %s' \
		'resamples="1000" iterations="1">'
	printf '<mean value="%d" lowerBound="%d" upperBound="%d" ci="0.95"/></BenchmarkResults></TestCase></Catch2TestRun>\n' \
		"$1" $(($1 - $2)) $(($1 + $2))
}
catch 1000 5 >base.xml
catch 1050 5 >slow.xml
catch 1000 200 >wide.xml
catch 1050 200 >open.xml
expect_status 1 perun check --force profiles base.xml slow.xml
expect_status 0 perun check --force profiles wide.xml open.xml
finish
