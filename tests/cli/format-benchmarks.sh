# SPDX-License-Identifier: BSD-3-Clause
# Results of benchmarks: the formats of other tools, and perun import.
. "${top_srcdir:-.}/tests/cli/lib.sh"
corpus=$top_srcdir/tests/fuzz/corpus

# values FILE: each resource as "uid type subtype order amount", a line each, sorted.
values() {
	perun convert "$1" - 2>/dev/null | python3 -c '
import json, sys
profile = json.load(sys.stdin)
for key, columns in profile["resources"].items():
    kind = profile["resource_type_map"][key]
    for order, amount in zip(columns["order"], columns["amount"]):
        print(kind["uid"], kind["type"], kind.get("subtype", "-"), order, amount)' | LC_ALL=C sort
}
# document FILE KEY...: a value of the profile.
document() {
	perun convert "$1" - 2>/dev/null | python3 -c '
import json, sys
value = json.load(sys.stdin)
for key in sys.argv[1:]:
    value = value[key]
print(value)' "${@:2}"
}

# ---- hyperfine ----
sed 's/"exit_codes": .0, 0, 1./"exit_codes": [0, 0, 0]/' "$corpus/hyperfine/two.json" >hyperfine.json
expect_text 'sleep 0.1 max_rss - 0 1048576.0
sleep 0.1 max_rss - 1 1048576.0
sleep 0.1 max_rss - 2 2097152.0
sleep 0.1 time real 0 0.101
sleep 0.1 time real 1 0.102
sleep 0.1 time real 2 0.103
sleep 0.1 time sys 0 0.001
sleep 0.1 time user 0 0.0005
sleep 0.2 time real 0 0.2
sleep 0.2 time sys 0 0.1
sleep 0.2 time user 0 0.1' "$(values hyperfine.json)" 'hyperfine: runs are repeats'
expect_text s "$(document hyperfine.json header units time)" 'times are seconds'
cp "$corpus/hyperfine/two.json" failing.json
expect_status 0 perun convert failing.json -
expect_err "'sleep 0.1' is left out: 1 of 3 runs ended with a failure"
expect_text '1 of 3 runs ended with a failure' "$(document failing.json failed 'sleep 0.1')" 'hyperfine: a command whose runs fail'
expect_text 'sleep 0.2 time real 0 0.2' "$(values failing.json | head -n 1)" 'hyperfine: its times are left out'
# Times are read before the result says how its runs ended; a key that is repeated has its last value.
hyperfine() { echo '{"results":[{"command":"a","mean":9,"stddev":1,"system":1,'"$1"'},{"command":"b","mean":3,"stddev":1,"system":1}]}'; }
hyperfine '"times":[1,2],"times":[3.5,12345678901234567890123],"exit_codes":[1],"exit_codes":[0]' >repeated.json
expect_text 'a time real 0 3.5
a time real 1 1.2345678901234568e+22
b time real 0 3.0' "$(values repeated.json | grep real)" 'hyperfine: times that are repeated'
hyperfine '"times":[1,2],"times":null' >repeated.json
expect_text 'a time real 0 9.0' "$(values repeated.json | head -n 1)" 'hyperfine: the mean where there are no times at last'
hyperfine '"times":[1,2],"exit_codes":[0,null]' >repeated.json
expect_text 'b time real 0 3.0' "$(values repeated.json | grep real)" 'hyperfine: times of a command that was killed are left out'
hyperfine '"times":[1,NaN,2]' >repeated.json
expect_status 0 perun convert repeated.json -
expect_err 'left out 1 measurement that is not a number'
hyperfine '"times":[1,2,[3],4,"5"]' >bad.json
expect_status 3 perun convert bad.json -
expect_err 'expected results[0].times[2] to be a number, found an array'
echo '{"results":[{"command":3,"mean":2,"stddev":1,"system":1}]}' >bad.json
expect_status 3 perun convert bad.json -
expect_err 'expected results[0].command to be a string, found'
expect_one_line

expect_text 'expr 1 + 1 time real 0 0.0025037553333333335
expr 1 + 1 time sys 0 0.0
expr 1 + 1 time user 0 0.000963' "$(values "$corpus/hyperfine/export.csv" | grep 'expr 1')" 'hyperfine: CSV has means in seconds'
expect_text 'expr 1 + 1 time real 0 0.0025
expr 2 + 1 time real 0 0.001' "$(values "$corpus/hyperfine/export.md")" 'hyperfine: Markdown has its unit in the heading'
expect_text 0.0564 "$(document "$corpus/hyperfine/export.csv" deviations 'time(real)' 'expr 2 + 1' | cut -c1-6)" 'hyperfine: the deviation of the mean'
printf '%s\n' 'Benchmark 1: sort big' '  Time (mean ± σ):      1.200 s ±  0.010 s    [User: 1.100 s, System: 10.0 ms]' \
	'  Range (min … max):    1.190 s …  1.220 s    16 runs' ' ' 'Benchmark 2: false' \
	"Error: Command terminated with non-zero exit code: 1. Use the '-i'/'--ignore-failure' option." >printed.txt
expect_text 'sort big time real 0 1.2
sort big time sys 0 0.01
sort big time user 0 1.1' "$(values printed.txt | sort)" 'hyperfine: what it prints'
expect_text 0.0020 "$(document printed.txt deviations 'time(real)' 'sort big' | cut -c1-6)" 'hyperfine: the deviation of the mean of all runs'
expect_text '1 of 1 runs ended with a failure' "$(document printed.txt failed 'false')" 'hyperfine: it prints that a command fails'
printf 'command,mean,stddev,median,user,system,min,max\na,1,0,1,1,1,1,1,7\n' >bad.csv
expect_status 3 perun convert bad.csv -
expect_err 'line 2: expected 8 cells, as there are headings, found 9'
expect_one_line
printf '%s\n' '| Command | Mean [s] | Min [s] | Max [s] | Relative |' '|:---|---:|---:|---:|---:|' '| `a \| b` | 2.5 | 2 | 3 | 1.00 |' >pipe.md
expect_text 'a | b time real 0 2.5' "$(values pipe.md)" 'hyperfine: a command with a pipe'

# ---- google-benchmark ----
cp "$corpus/google-benchmark/two.json" google.json
expect_text 'BM_Sort/8 bytes_per_second - 0 10000000.0
BM_Sort/8 items_per_second - 0 2500000.0
BM_Sort/8 time cpu 0 1.4e-06
BM_Sort/8 time cpu 1 1.6000000000000001e-06
BM_Sort/8 time real 0 1.5e-06
BM_Sort/8 time real 1 1.7e-06
BM_Sort/8 widgets - 0 4.0' "$(values google.json)" 'google-benchmark: repetitions without aggregates'
expect_text higher "$(document google.json metrics items_per_second better)" 'rates are better higher'
expect_status 0 perun convert google.json -
expect_err 'BM_Broken is left out: it failed: no file'
python3 - <<'PYTHON'
import json
document = json.load(open("google.json"))
document["benchmarks"] = [run for run in document["benchmarks"] if run["run_type"] == "aggregate"]
json.dump(document, open("means.json", "w"))
PYTHON
expect_text 'BM_Sort/8 time cpu 0 1.5e-06
BM_Sort/8 time real 0 1.6e-06' "$(values means.json)" 'only aggregates: the means'
expect_status 0 perun convert means.json -
expect_err 'only aggregates'
sed 's/"us"/"days"/' google.json >bad.json
expect_status 3 perun convert bad.json -
expect_err "expected benchmarks[1].time_unit to be ns, us, ms or s, found 'days'"

# ---- go-bench ----
cp "$corpus/go-bench/two.txt" go.txt
expect_text 'example.org/sort.BenchmarkCopy/size=1k-8 MB/s - 0 512.0
example.org/sort.BenchmarkCopy/size=1k-8 time real 0 2e-06
example.org/sort.BenchmarkCopy/size=1k-8 widgets/op - 0 7.0
example.org/sort.BenchmarkSort-8 B/op - 0 512.0
example.org/sort.BenchmarkSort-8 B/op - 1 512.0
example.org/sort.BenchmarkSort-8 allocs/op - 0 3.0
example.org/sort.BenchmarkSort-8 allocs/op - 1 3.0
example.org/sort.BenchmarkSort-8 time real 0 1.2e-06
example.org/sort.BenchmarkSort-8 time real 1 1.3005e-06
example.org/sort.BenchmarkSpeed-8 score - 0 20.0' "$(values go.txt)" 'go-bench: lines that appear again are repeats'
expect_text higher "$(document go.txt metrics score better)" 'a line Unit says the direction'
printf 'BenchmarkA-8 10 5 ns/op\nBenchmarkA-4 10 6 ns/op\n' >mixed.txt
expect_text 'BenchmarkA-4 time real 0 6e-09
BenchmarkA-8 time real 0 5e-09' "$(values mixed.txt)" 'numbers of processors that differ stay'
printf 'pkg: a\nBenchmarkA-8 10 5 ns/op\npkg: b\nBenchmarkA-8 10 6 ns/op\n' >packages.txt
expect_text 'a.BenchmarkA-8 time real 0 5e-09
b.BenchmarkA-8 time real 0 6e-09' "$(values packages.txt)" 'two packages stay apart'
head -n 2 packages.txt >package.txt
expect_text 'a.BenchmarkA-8 time real 0 5e-09' "$(values package.txt)" 'one package has the same name'
printf 'goos: linux\nBenchmarkA-8 10 5 ns/op 12\n' >bad.txt
expect_status 3 perun convert bad.txt -
expect_err 'line 2: expected a unit such as ns/op'

printf 'panic: no test data\n\ngoroutine 1 [running]:\nexit status 2\nFAIL\tx/p\t0.146s\nFAIL\n' >panic.txt
expect_text 'panic: no test data' "$(document panic.txt failed 'x/p.*')" 'go-bench: a package that ends before its first benchmark has failed'
# What tests print may be long; the last line of a unit that says so says which of its values are better.
{
	printf 'goos: linux\nUnit n/op better=higher\nUnit n/op assume=exact\nUnit m/op better=higher\nUnit m/op better=lower\n'
	yes 'some output of a test' | head -n 50000
	printf 'BenchmarkA 10 5 ns/op 7 n/op 8 m/op\n'
} >long.txt
expect_text 'BenchmarkA m/op - 0 8.0
BenchmarkA n/op - 0 7.0
BenchmarkA time real 0 5e-09' "$(values long.txt)" 'go-bench: results after much output'
expect_text 'higher exact lower' "$(document long.txt metrics n/op better) $(document long.txt metrics n/op noise) $(document long.txt metrics m/op better)" 'several lines Unit for a unit'

# ---- pytest-benchmark ----
cp "$corpus/pytest-benchmark/two.json" pytest.json
expect_text 'test_a.py::test_copy time real 0 2.0
test_a.py::test_sort time real 0 0.1
test_a.py::test_sort time real 1 0.2
test_a.py::test_sort time real 2 0.3' "$(values pytest.json)" 'pytest-benchmark: rounds, or the mean'
sed 's/\[0.1, 0.2/[0.1, "x"/; s/"mean": 0.2, //' pytest.json >bad.json
expect_status 3 perun convert bad.json -
expect_err 'expected benchmarks[0].stats to have data, an array of numbers, or mean'
for data in '[0.1, 0.2, "... shortened"]' '"shortened"' null; do
	echo '{"machine_info": {}, "commit_info": {}, "benchmarks": [{"name": "a", "fullname": "a", "stats": {"data": '"$data"', "mean": 0.5, "median": 0.4, "stddev": 0.1, "rounds": 100}}]}' >short.json
	expect_text 'a time real 0 0.5' "$(values short.json)" "pytest-benchmark: the mean where the rounds are $data"
done
echo '{"machine_info": {}, "commit_info": {}, "benchmarks": [{"stats": {"data": [1, 2], "mean": 5}, "extra_info": {"data": [7]}, "fullname": "a"}, {"name": "b", "fullname": "b", "stats": {"data": [3], "data": [], "mean": 4}}]}' >late.json
expect_text 'a time real 0 1.0
a time real 1 2.0
b time real 0 4.0' "$(values late.json)" 'pytest-benchmark: rounds before the name, and some that are replaced'
# 0.4642 / 10 / 1.9217; those of runs that were kept are not of this one
expect_text 'test_alone time real 0 0.0094863
test_slow time real 0 0.0010649964
test_sort[a b] time real 0 1.9217e-06' "$(values "$corpus/pytest-benchmark/table.txt")" 'pytest-benchmark: what it prints'
expect_text 0.02415 "$(document "$corpus/pytest-benchmark/table.txt" deviations 'time(real)' 'test_sort[a b]' | cut -c1-7)" 'pytest-benchmark: the deviation of a printed mean'
expect_text 'AssertionError: assert 1 == 2' "$(document "$corpus/pytest-benchmark/table.txt" failed test_copy)" 'pytest-benchmark: a benchmark that fails'
expect_text 3.9.7 "$(document "$corpus/pytest-benchmark/table.txt" machine toolchain)" 'pytest-benchmark: the version of Python that it prints'

# ---- criterion ----
cp "$corpus/criterion/two.jsonl" criterion.jsonl
expect_text 'sort/8 time real 0 1.2e-06
sort/8 time real 1 1.3e-06
steps cycles - 0 7.0' "$(values criterion.jsonl)" 'criterion: lines'
for path in sort/1.5 copy; do
	mkdir -p target/criterion/$path/new target/criterion/$path/base target/criterion/report
	printf '{"group_id":"g","full_id":"%s"}' $path >target/criterion/$path/new/benchmark.json
	echo '{"sampling_mode":"Linear","iters":[10.0,20.0],"times":[50.0,120.0]}' \
		>target/criterion/$path/new/sample.json
	cp target/criterion/$path/new/* target/criterion/$path/base
done
expect_text 'copy time real 0 5e-09
copy time real 1 6e-09
sort/1.5 time real 0 5e-09
sort/1.5 time real 1 6e-09' "$(values target/criterion)" 'criterion: a directory'
echo '[[10.0,20.0],[50.0,120.0]]' >target/criterion/copy/new/sample.json
expect_text 'copy time real 0 5e-09
copy time real 1 6e-09' "$(values target/criterion | grep copy)" 'criterion before 0.3.3'
# Results of an earlier run are not this version's.
touch -d '90 seconds ago' target/criterion/copy/new/sample.json
echo '{"iters":[10.0,20.0],"times":[5e9,12e9]}' >target/criterion/sort/1.5/new/sample.json
expect_text 'copy time real 0 5e-09' "$(values target/criterion 2>err | head -1)" 'criterion: a benchmark that takes long'
touch -d '1 hour ago' target/criterion/copy/new/sample.json
expect_text 'sort/1.5 time real 0 0.5
sort/1.5 time real 1 0.6' "$(values target/criterion 2>err)" 'criterion: an earlier run is left out'
expect_status 3 perun convert --strict target/criterion -
expect_err 'left out copy, which an earlier run measured'
check 'criterion: all runs' grep -q copy <(perun convert --from criterion -o all-runs target/criterion -)
echo '{"iters":[10.0],"times":[50.0,120.0]}' >target/criterion/copy/new/sample.json
expect_status 3 perun convert target/criterion -
expect_err 'copy/new: expected as many times as numbers of iterations, found 2 and 1'

# ---- XML ----
if perun plugin list format 2>/dev/null | grep -q junit; then
	cp "$corpus/junit/two.xml" junit.xml
	expect_text 's.alone time real 0 1000.5
tests.sort.small time real 0 0.25
tests.sort.small time real 1 0.5' "$(values junit.xml)" 'junit: cases that passed'
	echo '<testsuites><testsuite name="a"><testsuite name="b"><testcase name="t" time="1"/></testsuite><testcase name="t" time="2"/></testsuite><testsuite name="c"><testcase name="t" classname="k" time="3"/></testsuite></testsuites>' >nested.xml
	expect_text 'a.b.t time real 0 1.0
a.t time real 0 2.0
k.t time real 0 3.0' "$(values nested.xml)" 'junit: suites within suites'
	echo '<a><testsuite name="A"><testcase classname="C" name="t" time="1"/><testcase classname="C" name="u" time="2"/></testsuite><testsuite name="B"><testcase classname="C" name="t" time="3"/></testsuite></a>' >suites.xml
	expect_text 'A.C.t time real 0 1.0
B.C.t time real 0 3.0
C.u time real 0 2.0' "$(values suites.xml)" 'junit: tests of one name in two suites'
	sed 's!time="3"/>!time="3"><failure/></testcase>!' suites.xml >failed.xml
	expect_text "{'B.C.t': ''}" "$(document failed.xml failed)" 'junit: the suite of a test that failed'
	sed 's/"0.25"/"soon"/' junit.xml >bad.xml
	expect_status 3 perun convert bad.xml -
	expect_err "line 3, column 3: expected a time in seconds, found 'soon'"
	head -n 4 junit.xml >bad.xml
	expect_status 3 perun convert bad.xml -
	expect_err 'expected XML, found'
fi
if perun plugin list format 2>/dev/null | grep -q catch2; then
	cp "$corpus/catch2/two.xml" catch2.xml
	expect_text 'sorting/large/sort 9 time real 0 2.4005e-06
sorting/sort 8 time real 0 1.2e-06' "$(values catch2.xml)" 'catch2: the means'
fi

# ---- what tools write, too ----
cat >go.json <<'JSON'
{"Time":"2026-11-21T15:33:31.4Z","Action":"start","Package":"example.com/a"}
{"Action":"output","Package":"example.com/a","Output":"BenchmarkSort-8 \t"}
# example.com/b: a warning of the compiler
{"Action":"output","Package":"example.com/b","Test":"TestX","Output":"BenchmarkSort-8 \t 100\t 7 ns/op\n"}
{"Action":"output","Package":"example.com/a","Output":" 100\t 5 ns/op\t 3 B/op\n"}
{"Action":"output","Package":"example.com/a","Output":"BenchmarkSort-8 \t 100\t 6 ns/op\t 3 B/op\n"}
{"Action":"pass","Package":"example.com/a","Test":"TestX","Elapsed":0.5}
JSON
expect_text 'example.com/a.BenchmarkSort-8 B/op - 0 3.0
example.com/a.BenchmarkSort-8 B/op - 1 3.0
example.com/a.BenchmarkSort-8 time real 0 5e-09
example.com/a.BenchmarkSort-8 time real 1 6e-09
example.com/b.BenchmarkSort-8 time real 0 7e-09' "$(values go.json)" 'go test -json: lines of several packages'
grep -v ns/op go.json >tests.json
expect_text 'example.com/a.TestX time real 0 0.5' "$(values tests.json)" 'go test -json without benchmarks: the tests'
sed '3s/.*/{"Action":"output","Package":3/' go.json >bad.json
expect_status 3 perun convert bad.json -
expect_err 'line 3, column'
expect_one_line
echo '{"Action":"output","Package":"a"}' >bad.json && echo '{"Package":"a"}' >>bad.json
expect_status 3 perun convert bad.json -
expect_err 'line 2: expected an event of go test -json'
echo '{"results": [{"command": "same", "times": [1.5], "mean": 1, "stddev": 0, "system": 0, "parameters": {"n": "1"}}, {"command": "same", "times": [2.5], "mean": 1, "stddev": 0, "system": 0, "parameters": {"n": "2"}}, {"command": "other", "times": [1], "mean": 1, "stddev": 0, "system": 0, "parameters": {"n": "1"}}]}' >parameters.json
expect_text 'other (n=1) time real 0 1.0
other (n=1) time sys 0 0.0
same (n=1) time real 0 1.5
same (n=1) time sys 0 0.0
same (n=2) time real 0 2.5
same (n=2) time sys 0 0.0' "$(values parameters.json)" 'hyperfine: parameters that the command does not show are in the name'
echo '{"benchmarks": [{"name": "A", "run_name": "A", "run_type": "iteration", "error_occurred": true, "error_message": "no luck", "real_time": 0, "cpu_time": 0}, {"name": "B_mean", "run_name": "B", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 5, "cpu_time": 4, "time_unit": "s"}]}' >failed.json
expect_text 'B time cpu 0 4.0
B time real 0 5.0' "$(values failed.json)" 'google-benchmark: aggregates next to what failed'

# ---- perun import ----
new_repo
perun init >/dev/null 2>&1
# results FILE NANOSECONDS: ten repeats.
results() {
	for i in 0 1 2 3 4 5 6 7 8 9; do
		printf 'BenchmarkA-8 10 %d.%d ns/op %d MB/s\n' "$2" "$i" "$((1000 - $2))"
	done >"$1"
}
results before.txt 100
expect_status 0 perun import --workload all before.txt
expect_out '  before.txt'
check 'the file stays' test -f before.txt
expect_text '' "$(ls .perun/jobs | grep perf)" 'nothing is left pending'
commit
results after.txt 150
expect_status 0 perun import --workload all --json after.txt
expect_out '"error": null'
expect_status 0 perun show 0@i raw
expect_out '"workload": "all"'
run perun check head
expect_out 'time(real)'
expect_out 'slower'
expect_status 0 perun history --no-pager 'time(real)'
expect_out 'BenchmarkA'
expect_status 3 perun import before.txt ../bad.txt
expect_text '' "$(ls .perun/jobs | grep perf)" 'one that is broken: none is imported'
run perun status
expect_no_out 'before.txt'
results stdin.txt 170
perun import -m HEAD~1 --cmd mine - <stdin.txt >/dev/null 2>&1
git checkout -q HEAD~1
run perun status
expect_out 'mine' 'standard input for another version, with a command of its own'

# ---- as real programs write them, and wrote them ----
cat >old.json <<'JSON'
{"context": {"num_cpus": 4, "library_build_type": "release"}, "benchmarks": [
{"name": "BM_A/8", "iterations": 9, "real_time": 5.0e+00, "cpu_time": 4, "time_unit": "s"},
{"name": "BM_A/8", "iterations": 9, "real_time": 6.0e+00, "cpu_time": 4, "time_unit": "s"},
{"name": "BM_A/8_mean", "iterations": 9, "real_time": 5.5, "cpu_time": 4, "time_unit": "s"},
{"name": "BM_A/8_stddev", "iterations": 9, "real_time": 0.7, "cpu_time": 0, "time_unit": "s"},
{"name": "BM_A_BigO", "cpu_coefficient": 1, "real_coefficient": 1, "big_o": "N", "time_unit": "s"},
{"name": "BM_A_RMS", "rms": 4.1e-02}]}
JSON
expect_text 'BM_A/8 time cpu 0 4.0
BM_A/8 time cpu 1 4.0
BM_A/8 time real 0 5.0
BM_A/8 time real 1 6.0' "$(values old.json)" 'google-benchmark: fits and aggregates of old releases are none'
grep -v '"BM_A/8",' old.json >means.json
expect_text 'BM_A/8 time cpu 0 4.0
BM_A/8 time real 0 5.5' "$(values means.json)" 'google-benchmark: nor are their means other benchmarks'
cat >tests.xml <<'XML'
<testsuite name="Linux" tests="4"><testcase name="t1" classname="t1" time="0.25" status="run"/>
<testcase name="t2" classname="t2" time="0" status="disabled"><disabled message="Disabled"/></testcase>
<testcase name="DISABLED_b" classname="S" status="notrun" result="suppressed" time="0."/>
<testcase name="slow" classname="S" time="1,234.5"><flakyFailure type="x">again</flakyFailure></testcase></testsuite>
XML
expect_text 'S.slow time real 0 1234.5
t1.t1 time real 0 0.25' "$(values tests.xml)" 'junit: what did not run took no time'
echo '{"version":1,"metadata":{"name":"t","rng-seed":1,"catch2-version":"3.4.0"},"test-cases":[]}' >catch2.json
expect_status 3 perun convert catch2.json -
expect_err 'run the tests with --reporter xml'
expect_one_line
{
	echo '   Compiling x v0.1.0'
	echo '{"reason":"benchmark-complete","id":"norm","iteration_count":[2,4],"measured_values":[20.0,80.0],"unit":"ns"}'
} >cargo.jsonl
expect_text 'norm time real 0 1e-08
norm time real 1 2e-08' "$(values cargo.jsonl)" 'criterion: what cargo prints is no message'

# ---- further tools: each file of the corpus ----
# read FORMAT/FILE WHAT EXPECTED
read_as() { expect_text "$3" "$(values "$corpus/$1")" "$2"; }
read_as jmh/two 'jmh: forks and iterations are repeats' 'a.B.get (size=10) gc.alloc.rate.norm - 0 16.0
a.B.get (size=10) throughput - 0 2000.0
a.B.get (size=10) throughput - 1 3000.0
a.B.get (size=10) throughput - 2 2500.0
a.B.put time real 0 1.5e-06'
expect_text higher "$(document "$corpus/jmh/two" metrics throughput better)" 'jmh: throughput is better higher'
read_as benchmarkdotnet/two 'benchmarkdotnet: original values are repeats' 'N.T.A(N: 1) Allocated Memory - 0 64.0
N.T.A(N: 1) time real 0 1e-07
N.T.A(N: 1) time real 1 2e-07
N.T.B time real 0 5e-08'
expect_status 0 perun convert "$corpus/benchmarkdotnet/two" -
expect_err 'N.T.C is left out: it failed'
echo '{"HostEnvironmentInfo": {}, "Benchmarks": [{"Namespace": null, "Method": "M", "Statistics": {"Mean": 5, "Median": 5}}]}' >global.json
expect_text 'M time real 0 5e-09' "$(values global.json)" 'benchmarkdotnet: a method without a namespace and a type'
read_as vitest/two 'vitest: samples, or the mean' 'a.ts > g > add time real 0 0.0015
a.ts > g > sub time real 0 0.001
a.ts > g > sub time real 1 0.003'
read_as vitest/printed-twice 'vitest: what it prints, twice since version 3' 'b.bench.js > sort > normal case time real 0 2.7000672837866646e-07
b.bench.js > top time real 0 2.656414274734073e-07
c.bench.js > sort > normal case time real 0 2.750049169504126e-07
c.bench.js > top time real 0 2.735915788687123e-07'
expect_text 'a deviation' "$(document "$corpus/vitest/printed-twice" deviations 'time(real)' 'c.bench.js > top' | grep -q '^0.0173' && echo 'a deviation')" 'vitest: rme is half of an interval'
expect_text 4 "$(values "$corpus/vitest/printed-nested" | grep -c 'inner > reverse\|normal case')" 'vitest: groups in groups'
document "$corpus/vitest/printed-nested" failed >failed.txt
check 'vitest: a row without samples failed' grep -q 'b.bench.js > sort > inner > throws' failed.txt
read_as vitest/printed-colored 'vitest: with colours' 'b.bench.js > sort > normal time real 0 2.849528290654006e-07
b.bench.js > sort > reverse time real 0 2.903082545883321e-07'
read_as benchmarkjs/bench-node 'benchmarkjs: bench-node aligns names' 'concat throughput - 0 523194.0
join throughput - 0 262320.0'
read_as vitest/tinybench 'vitest: tasks of tinybench' 'add time real 0 0.001
add time real 1 0.003'
printf '[{"runs":2,"name":"a","result":{"totalTime":2,"hz":1000,"period":1,"samples":[1,1]}}]' >tasks.json
expect_text 'a time real 0 0.001
a time real 1 0.001' "$(values tasks.json)" 'vitest: a task of tinybench whose end is far away'
read_as benchmarkjs/three 'benchmarkjs: names with x' 'a x 2 b throughput - 0 81.61
fib(10) throughput - 0 1431759.0'
printf 'fib(9) x 12 ops/sec \302\2610.32%% (9 runs sampled)\nfib(10): \nFastest is fib(9)\n' >thrown.txt
perun convert thrown.txt - 2>/dev/null >thrown.perf
check 'benchmarkjs: a benchmark that throws has failed' grep -q '"failed": *{ *"fib(10)": ""' <(tr -d '\n' <thrown.perf)
read_as cargo-bench/mixed 'cargo-bench: libtest and criterion' 'a/name/that/is/too/long elements - 0 2000.0
a/name/that/is/too/long time real 0 2.5e-06
file rate - 0 1228.8
file time real 0 3.239e-10
tests::fast rate - 0 120.0
tests::fast time real 0 3.1615e-06
tests::slow time real 0 0.022'
read_as cargo-bench/events 'cargo-bench: JSON of libtest' 'a::b rate - 0 5.0
a::b time real 0 3.161e-06'
read_as cargo-bench/targets 'cargo-bench: one name in several programs' 't::x (b) rate - 0 8.0
t::x (b) time real 0 2e-07
t::x (benches/c.rs) elements - 0 2000.0
t::x (benches/c.rs) time real 0 2e-06
t::x time real 0 1e-07
t::x time real 1 1.1e-07
t::y time real 0 1.5e-07'
read_as cargo-bench/divan 'cargo-bench: trees of divan' 'sorts::größe::merge::1,000 alloc - 0 3.0
sorts::größe::merge::1,000 alloc bytes - 0 1500.0
sorts::größe::merge::1,000 time real 0 0.00225
sorts::größe::merge::10 time real 0 1.5e-06
sorts::größe::quick items - 0 6250000000.0
sorts::größe::quick time real 0 1.58e-07
sorts::radix rate - 0 95500000.0
sorts::radix time real 0 9.224e-06'
read_as benchmarkdotnet/jobs 'benchmarkdotnet: several jobs' 'N.T.A(N: 1) (Runtime=.NET 9.0) time real 0 2e-08
N.T.A(N: 1) (Runtime=.NET 9.0) time real 1 2.2e-08
N.T.A(N: 1) time real 0 1e-08
N.T.A(N: 1) time real 1 1.2e-08
N.T.B (ShortRun(IterationCount=3)) time real 0 4.1e-08
N.T.B time real 0 3.1e-08'
read_as julia/packages 'julia: kinds with the name of their package' 'fib allocs - 0 1.0
fib memory - 0 16.0
fib time real 0 2e-08
fib time real 1 2.5e-08
sum allocs - 0 0.0
sum memory - 0 0.0
sum time real 0 5e-09'
echo '{"context": {"library_build_type": "release"}, "benchmarks": []}' >none.json
expect_status 3 perun convert none.json -
expect_one_line
read_as table/parameters 'table: parameters tell benchmarks of one name apart' 'hash/1 time real 0 5e-09
sort/1 (compiler=clang, size=10) time real 0 9e-08
sort/1 (compiler=clang, size=20) time real 0 1.8e-07
sort/1 time real 0 1e-07
sort/1 time real 1 1.1e-07
sort/2 time real 0 6e-08'
read_as table/boxes 'table: one box below the other' 'Latency time 50% 0 0.001
Latency time Avg 0 0.002
Req/Sec Avg - 0 25131.0
Req/Sec Min - 0 20615.0'
printf 'name,result,time (ms)\na,ok,1.5\n' >outcome.csv
expect_text 'a time real 0 0.0015' "$(values outcome.csv)" 'table: a result that is no number is none'
printf 'name,value\n' >none.csv
expect_status 3 perun convert none.csv -
expect_one_line
read_as nanobench/csv 'nanobench: CSV' 'random/std::mt19937 bra - 0 16.0
random/std::mt19937 ins - 0 125.5
random/std::mt19937 time real 0 2.5e-08
random/with; a mark time real 0 2e-08'
read_as pyperf/printed 'pyperf: what it prints' 'json_dumps: a b time real 0 1.25e-05
telco time real 0 0.00725
timeit time real 0 2.45e-08'
read_as pytest-benchmark/compare.csv 'pytest-benchmark: CSV' 't/test_a.py::test_sort[20] time real 0 0.0035
t/test_a.py::test_sort[fast-10] time real 0 0.0025
t/test_a.py::test_x, y time real 0 1.25'
read_as benchmarkjs/deno 'benchmarkjs: what Deno prints' 'url_bench.ts > URL parsing time real 0 1.83e-07
url_bench.ts > async > Async method (2) time real 0 1.5e-06'
read_as benchmarkjs/mitata 'benchmarkjs: what mitata prints' 'noop time real 0 6.851e-11
text > str cat time real 0 4.891e-08'
read_as benchmarkjs/deno.json 'benchmarkjs: JSON of Deno' 'url_bench.ts > URL parsing time real 0 1.835e-07'
expect_text '' "$(document "$corpus/benchmarkjs/deno.json" failed 'url_bench.ts > async > a')" 'benchmarkjs: what failed'
read_as vitest/flat.json 'tinybench: results of version 3 without the member around them' 'fast time real 0 6.25e-05
slow time real 0 0.0025'
read_as asv/printed 'asv: what it prints, with parameters' 'b.T.mem_list [virtualenv-py3.6] size - 0 2420.0
b.T.time_a [virtualenv-py3.6] time real 0 1.11e-05
b.T.time_c(10) [virtualenv-py3.6] time real 0 0.0015'
read_as asv/results 'asv: a file of results' "b.mem_b [py3] size - 0 100.0
b.time_a(1, 'x') [py3] time real 0 1.5
b.time_a(2, 'x') [py3] time real 0 2.5
b.time_a(2, 'y') [py3] time real 0 3.5
b.track_c [py3] value - 0 7.0"
read_as asv/folded 'asv: the values of a parameter as headings' 'm.T.time_rows(1, 22) [py3] time real 0 3.0
m.T.time_two(10, big µ, 1) [py3] time real 0 1.5e-06
m.T.time_two(10, small, 2) [py3] time real 0 0.0025
m.T.time_two(x y, small, 2) [py3] time real 0 4.0
m.track_x [py3] value - 0 -12.0'
expect_text '' "$(document "$corpus/asv/folded" failed 'm.T.time_two(x y, big µ, 1) [py3]')" 'asv: which of them failed'
read_as asv/version-1 'asv: results of version 1' 'm.time_a [py2.7-Cython-numpy1.8] time real 0 0.5
m.time_b(1) [py2.7-Cython-numpy1.8] time real 0 1.5'
read_as asv/samples 'asv: samples are repeats' 'm.time_a [py3] time real 0 1.5
m.time_a [py3] time real 1 2.0
m.time_a [py3] time real 2 3.5
m.time_b(1) [py3] time real 0 4.0
m.time_b(2) [py3] time real 0 4.5
m.time_b(2) [py3] time real 1 5.5'
read_as gungraun/printed 'gungraun: what it prints' 'a::group::sort id:with two lines Instructions - 0 26214734.0
a::group::sort id:with two lines Memcheck Errors - 0 1.0
a::group::sort short:10 Instructions - 0 1734.0
a::group::sort short:10 L1 Hits - 0 2359.0
a::group::sort short:10 Total bytes - 0 29499.0'
read_as gungraun/summaries 'gungraun: summaries between other output' 'a::g::one x Instructions - 0 7.0
a::g::one x L1 Hit Rate - 0 99.5
a::g::two Helgrind Errors - 0 3.0'
echo '{"benchmark_exe": "x", "module_path": "a::g::one", "profiles": [{"tool": "Callgrind", "summaries": {"total": {"summary": {"Callgrind": {"D1mr": {"metrics": {"Left": {"Int": 6}}}, "Ir": {"metrics": {"Left": {"Int": 7}}}}}}}}]}' >sorted.json
perun convert sorted.json sorted.perf
expect_text 'Instructions of sorted.perf: 7' "$(perun show sorted.perf top | head -n 1)" 'gungraun: what the tool prints first leads'
read_as gungraun/iai 'gungraun: what iai prints' 'fib_short Instructions - 0 1243.0
fib_short L1 Accesses - 0 1580.0'
{
	printf '\033[32ma::b::c\033[0m x\n  Instructions: \033[1m   17\033[0m|N/A  (***)\n'
} >colours.txt
expect_text 'a::b::c x Instructions - 0 17.0' "$(values colours.txt)" 'gungraun: colours'
read_as custom-benchmark/three 'custom-benchmark' 'a time real 0 9.05e-08
b throughput - 0 10.0
c size - 0 3.0'
echo '[{"name": "a", "unit": "req/s", "value": 70}, {"name": "b", "unit": "Percent", "value": 50}, {"name": "c", "unit": "KB", "value": 2}, {"name": "d", "unit": "MB", "value": 3}]' >units.json
expect_text 'a req/s - 0 70.0
b Percent - 0 50.0
c size - 0 2.0
d size - 0 3072.0' "$(values units.json)" 'custom-benchmark: each unit is a metric, sizes are one'
echo 'window.BENCHMARK_DATA = {"entries": {"s": [{"tool": "cargo", "benches": [{"name": "a", "unit": "ns/iter", "value": 100, "range": "± 10"}]}]}}' >libtest.js
echo '{"lastUpdate": 1, "repoUrl": "", "entries": {"s": [{"tool": "customBiggerIsBetter", "benches": [{"name": "a", "unit": "x", "value": 3}]}, {"tool":
"customBiggerIsBetter", "benches": [{"name": "a", "unit": "x", "value": 5}]}], "t": [{"benches": [{"name": "b", "unit": "y", "value": 7}]}]}}' >kept.json
expect_text 's/a x - 0 5.0
t/b y - 0 7.0' "$(values kept.json)" 'custom-benchmark: data.js without the assignment, the newest run of each suite'
echo '{"entries": {"s": []}} x' >more.json
expect_status 3 perun convert --from custom-benchmark more.json -
expect_err 'after the end of the document'
echo 'window.BENCHMARK_DATA = {"entries": {"s": [{"tool": "pytest", "benches": [
	{"name": "b", "unit": "iter/sec", "value": 2000, "range": "stddev: 0.00001"},
	{"name": "c", "unit": "KB", "value": 50, "range": "±2.5%"}, {"name": "d", "unit": "KB", "value": 50, "range": "wide"}]}]}}' >ranges.js
expect_text 0.00537 "$(document libtest.js deviations 'time(real)' a | cut -c1-7)" 'custom-benchmark: the range of samples'
expect_text "{'throughput': {'b': 0.0141}, 'size': {'c': 0.0176}}" "$(document ranges.js deviations | sed -E 's/(0\.[0-9]{4})[0-9]*/\1/g')" 'custom-benchmark: deviations in seconds, in percent, and none'
read_as bencher/two "bencher: its measures" 'a::b throughput - 0 5.0
a::b time real 0 3.247e-06
c Final Bytes - 0 0.0'
read_as julia/groups 'julia: trials and estimates' 'fib/10 allocs - 0 0.0
fib/10 memory - 0 0.0
fib/10 time real 0 1e-07
fib/10 time real 1 2e-07
fib/20 allocs - 0 1.0
fib/20 memory - 0 16.0
fib/20 time real 0 3.1028e-05'
read_as nanobench/two 'nanobench: of a batch' 't/a time real 0 1e-06
t/a time real 1 2e-06'
read_as nanobench/table 'nanobench: what it prints' 'a title/some double ops time real 0 5.63e-09
a title/unstable time real 0 0.001234567
benchmark/first time real 0 3.225e-08
benchmark/second time real 0 6.45e-08'
read_as pyperf/two 'pyperf: values of all runs' 'telco time real 0 0.1
telco time real 1 0.2
telco time real 2 0.3'
read_as console/timers 'console: timers of JavaScript' 'long time real 0 62.5
parse time real 0 0.0015
parse time real 1 0.0025
the third: a/b time real 0 0.02'
read_as console/dart 'console: Dart' 'Loop time real 0 2e-06
Template time real 0 1.5e-06'
read_as console/ruby "console: Ruby's Benchmark without its rehearsal" 'a b: time real 0 1.5
a b: time sys 0 0.25
a b: time user 0 1.0
sort! time real 0 1.460465
sort! time sys 0 0.0
sort! time user 0 1.46'
read_as console/ips 'console: benchmark-ips' 'a-name-that-is-long-for-it throughput - 0 81.5
addition throughput - 0 36014000.0'
read_as console/luau 'console: Luau' 'base64 time real 0 0.015041'
read_as console/gnu-verbose 'console: time -v of GNU' 'sleep 0.01 max_rss - 0 1609728.0
sleep 0.01 time real 0 0.01
sleep 0.01 time sys 0 0.0
sleep 0.01 time user 0 0.0'
read_as console/gnu 'console: time of GNU' 'command max_rss - 0 1667072.0
command time real 0 0.01
command time sys 0 0.0
command time user 0 0.0'
read_as console/bash 'console: time of bash, twice' 'command time real 0 0.012
command time real 1 0.012
command time sys 0 0.0
command time sys 1 0.0
command time user 0 0.001
command time user 1 0.001'
read_as console/zsh 'console: time of zsh' 'sleep 0.01 time real 0 0.012
sleep 0.01 time sys 0 0.01
sleep 0.01 time user 0 0.0'
read_as console/bsd 'console: time of BSD' 'command time real 0 1.01
command time sys 0 0.2
command time user 0 0.1'
read_as console/timeit 'console: timeit' 'timeit time real 0 1.22e-06'
read_as console/ipython 'console: IPython' 'timeit time real 0 1.2e-06'
expect_text 0.00094 "$(document "$corpus/console/ipython" deviations 'time(real)' timeit | cut -c1-7)" 'console: the error of a mean of 7 runs'
printf '\treal\t1m2.5s\nuser 0:01:02.25\n' | sed 's/^\t//' >minutes.txt
expect_text 62.5 "$(perun convert --from console minutes.txt - 2>/dev/null | python3 -c 'import json, sys; print(*[a for c in json.load(sys.stdin)["resources"].values() for a in c["amount"]])')" 'console: minutes'
sed 's/Exit status: 0/Exit status: 3/' "$corpus/console/gnu-verbose" >exit.txt
expect_text 'Exit status: 3' "$(document exit.txt failed 'sleep 0.01')" 'console: a command that failed'
sed 's/: 1572$/: 15720/' "$corpus/console/gnu-verbose" >larger.txt
expect_status 1 perun check profiles "$corpus/console/gnu-verbose" larger.txt
expect_out 'sleep 0.01'
read_as perf-stat/text 'perf-stat: text' 'ls -l instructions - 0 1234567.0
ls -l task-clock - 0 1.23
ls -l time real 0 0.001757
ls -l time user 0 0.001'
printf " Performance counter stats for 'system wide':\n\nCPU0      1,000      cycles\nCPU1      2,000      cycles\n\n    1.5 seconds time elapsed\n" >each.txt
expect_text 'system wide CPU0 cycles - 0 1000.0
system wide CPU1 cycles - 0 2000.0
system wide time real 0 1.5' "$(values each.txt)" 'perf-stat: each processor'
read_as perf-stat/csv 'perf-stat: -x' 'perf stat instructions - 0 1234567.0
perf stat task-clock - 0 1.23'
read_as perf-stat/json 'perf-stat: -j' 'perf stat task-clock - 0 1.23'
read_as perf-stat/intervals 'perf-stat: -I with -x and -A, added up' 'perf stat CPU0 cycles - 0 30.0
perf stat CPU0 task-clock - 0 1.5
perf stat CPU1 cycles - 0 5.0'
cat >intervals.txt <<'TEXT'
#           time             counts unit events
     1.000100000              1,000      cycles                    #    0.5 GHz
     1.000100000      <not counted>      instructions
     2.000200000              2,000      cycles
     2.000200000               1.50 msec task-clock
TEXT
expect_text 'perf stat cycles - 0 3000.0
perf stat task-clock - 0 1.5' "$(values intervals.txt)" 'perf-stat: -I as text'
printf 'S0-D0-C0,2,100,,cycles,10,100.00,,\nS0-D0-C1;2\nS0-D0-C1,2,<not supported>,,cycles,0,100.00,,\n' >core.csv
expect_text 'perf stat S0-D0-C0 cycles - 0 100.0' "$(values core.csv)" 'perf-stat: --per-core with -x'
printf '100,,cycles,2.00%%,10,100.00,,\n' >repeated.csv
expect_text "{'cycles': {'perf stat': 0.02}}" "$(document repeated.csv deviations)" 'perf-stat: -r with -x'
printf '{"interval":1.0,"cpu":"0","counter-value":"1.0","unit":"","event":"cycles"}\n{"interval":2.0,"cpu":"0","counter-value":"2.0","unit":"","event":"cycles"}\n' >each.json
expect_text 'perf stat CPU0 cycles - 0 3.0' "$(values each.json)" 'perf-stat: -I -A -j'
sed 1,2d "$corpus/perf-stat/text" >cut.txt
expect_text 'perf stat instructions - 0 1234567.0' "$(values cut.txt | head -n 1)" 'perf-stat: text without its heading'
expect_status 0 perun convert "$corpus/perf-stat/json" -
expect_err '1 counter was not counted and left out'
if perun plugin list format | grep -q catch2; then
	cat >long.txt <<'TEXT'
-------------------------------------------------------------------------------
First
-------------------------------------------------------------------------------
a.cpp:5
...............................................................................

benchmark name                       samples       iterations    estimated
                                     mean          low mean      high mean
                                     std dev       low std dev   high std dev
-------------------------------------------------------------------------------
a name with                                   100           208     7.1968 ms
a long name                                344 ns        341 ns        349 ns
that goes on                                19 ns         11 ns         29 ns

-------------------------------------------------------------------------------
Second
-------------------------------------------------------------------------------
a.cpp:9
...............................................................................

benchmark name                       samples       iterations    estimated
                                     mean          low mean      high mean
                                     std dev       low std dev   high std dev
-------------------------------------------------------------------------------
b                                             100             2     8.3712 ms
                                        41.731 us      41.25 us     42.622 us
                                         3.256 us      2.163 us      5.353 us
TEXT
	expect_text 'First/a name with a long name that goes on time real 0 3.44e-07
Second/b time real 0 4.1731000000000004e-05' "$(values long.txt)" 'catch2: names that go on, test cases after each other'
	read_as catch2/console 'catch2: what it prints' 'Fibonacci/inner/A name that is so long that it is broken time real 0 4.1731000000000004e-05
Fibonacci/inner/Fibonacci 10 time real 0 3.44e-07'
fi

# ---- failures are reported ----
cat >failed.xml <<'XML'
<testsuite name="s"><testcase name="a" time="1"/><testcase name="b" time="2"><failure/></testcase>
<testcase name="c" time="2"><error/></testcase></testsuite>
XML
expect_status 0 perun convert failed.xml -
expect_err 'failed.xml: 2 tests failed and are left out, first s.b'
printf 'pkg: example.org/x\nBenchmarkA-8 10 5 ns/op\n--- FAIL: TestB (0.00s)\nFAIL\n' >failed.txt
expect_status 0 perun convert failed.txt -
expect_err '1 test or benchmark failed, first TestB'
expect_text example.org/x "$(document failed.txt header package)" 'go-bench: the package of all'
# What failed has no number of processors; of one that has others in it, and of a package that ended, the rest is missing.
good='goos: linux\npkg: p/q\nBenchmarkA-8 10 5 ns/op\nBenchmarkB/x-8 10 5 ns/op\nBenchmarkB/y-8 10 5 ns/op\nBenchmarkC-8 10 5 ns/op\nPASS\nok p/q 1s\n'
printf "$good" >good.txt
printf -- '--- FAIL: BenchmarkB/x\n    a_test.go:4: boom\n--- FAIL: BenchmarkB\nFAIL\nexit status 1\nFAIL\tp/q\t0.1s\n' >fail.txt
printf 'FAIL\tp/q [build failed]\nFAIL\n' >build.txt
printf 'goos: linux\npkg: p/q\nBenchmarkA-8 10 5 ns/op\nBenchmarkB/x-8 0 NaN ns/op\npanic: oh\n\ngoroutine 21 [running]:\nexit status 2\nFAIL\tp/q\t0.1s\n' >panic.txt
# failing FILE: the benchmarks of good.txt that are reported as failed, by two commands.
failing() {
	perun check --force --json profiles good.txt "$1" 2>/dev/null | python3 -c '
import json, sys
print(sorted(c["location"][13:] for c in json.load(sys.stdin)["changes"] if c["to_target"] == "failed"))'
}
expect_text "['B/x-8', 'B/y-8']" "$(failing fail.txt)" 'go-bench: a file of failures alone'
expect_text "['A-8', 'B/x-8', 'B/y-8', 'C-8']" "$(failing build.txt)" 'go-bench: a package that does not build'
expect_text "['B/x-8', 'B/y-8', 'C-8']" "$(failing panic.txt)" 'go-bench: what comes after a panic'
for what in 'cargo-bench test a ... FAILED' 'vitest [{"name": "a", "result": {"error": {"message": "no"}, "rme": null}}]' \
	'jmh [{"benchmark": "a", "mode": "avgt", "primaryMetric": {"score": "NaN", "scoreUnit": "us/op"}}]'; do
	printf '%s\n' "${what#* }" >failing
	expect_text a "$(perun convert --from "${what%% *}" failing - 2>/dev/null | python3 -c 'import json, sys; print(*json.load(sys.stdin)["failed"])')" "${what%% *}: what failed is kept"
done
if perun plugin list format | grep -q catch2; then
	sed '/^Fibonacci 10/,+2d; /^-----.*$/!b' "$corpus/catch2/console" | awk '{ print } /std dev .* low std dev/ { getline; print; print "Fibonacci 10                                   Benchmark failed (no memory)"; print "" }' >failed.catch2
	expect_text tests "$(document "$corpus/catch2/two.xml" header cmd)" 'catch2: the program'
	cat "$corpus/catch2/console" "$corpus/catch2/console" >twice.catch2
	sed '/^====/d' twice.catch2 >generated.catch2
	printf '%079d\n' 0 | tr 0 = | cat - "$corpus/catch2/console" | cat "$corpus/catch2/console" - >twice.catch2
	expect_text 2 "$(values generated.catch2 | grep -c '^Fibonacci/inner/Fibonacci 10.* time real 0 ')" 'catch2: what is there again in a run is another benchmark'
	expect_text 1 "$(values twice.catch2 | grep -c '^Fibonacci/inner/Fibonacci 10 time real 1 ')" 'catch2: in another run it is a repeat'
	sed '1i ./build/sums is a Catch2 v3.4.0 host application.' "$corpus/catch2/console" >sums.catch2
	expect_text sums "$(document sums.catch2 header cmd)" 'catch2: the program, of what is printed'
	expect_text 'no memory' "$(document failed.catch2 failed 'Fibonacci/inner/Fibonacci 10')" 'catch2: a benchmark that failed'
fi
python3 - <<'PYTHON' >fit.json
import json
run = {"name": "BM_A/8", "run_name": "BM_A/8", "run_type": "iteration", "label": "fast", "real_time": 5.0, "cpu_time": 5.0, "time_unit": "ns"}
bad = {"name": "BM_B", "run_name": "BM_B", "run_type": "iteration", "error_occurred": True, "error_message": "no"}
fit = {"name": "BM_A_BigO", "run_name": "BM_A", "run_type": "aggregate", "aggregate_name": "BigO", "big_o": "N", "real_coefficient": 1.5, "time_unit": "ns"}
print(json.dumps({"context": {"library_build_type": "release", "executable": "./build/fit"}, "benchmarks": [run, bad, bad, bad, fit]}))
PYTHON
expect_status 0 perun convert fit.json -
expect_text 1 "$(grep -c 'BM_B is left out' "$work/.result/stderr")" 'google-benchmark: one warning for all repetitions'
expect_text fast "$(document fit.json extra google-benchmark labels BM_A/8)" 'google-benchmark: labels'
expect_text N "$(document fit.json extra google-benchmark complexity BM_A big_o)" 'google-benchmark: complexity'
expect_text fit "$(document fit.json header cmd)" 'google-benchmark: the program'

# ---- any table, any lines ----
printf 'Requests/sec:  748.5\nTransfer/sec:  6.5MB\nevents per second:  12.5\nSlowest:  0.5secs\n' >load.txt
expect_text 'Requests/sec throughput ops/s 748.5
Slowest time s 0.5
Transfer/sec rate MB/s 6.5
events per second throughput ops/s 12.5' "$(perun convert --from lines --format-option 'pattern=^(?<name>[^:]+): +(?<value>[0-9.]+)(?<unit>\w*)' load.txt - 2>/dev/null | python3 -c '
import json, sys
p = json.load(sys.stdin)
for key, columns in p["resources"].items():
    kind = p["resource_type_map"][key]
    print(kind["uid"], kind["type"], p["header"]["units"][kind["type"]], *columns["amount"])' | LC_ALL=C sort)" 'lines: what is named by a rate is one'
read_as table/csv 'table: the column of values, with the unit of its heading' 'a time real 0 0.0155
b time real 0 0.0025'
read_as table/units 'table: a column of units' 'a throughput - 0 5.0
a throughput - 1 6.0
b time real 0 7e-09'
expect_text '{"a": [1e-07, 2e-07]}' "$(perun convert --from table "$corpus/table/lines.jsonl" - 2>/dev/null | python3 -c '
import json, sys
p = json.load(sys.stdin)
print(json.dumps({p["resource_type_map"][k]["uid"]: v["amount"] for k, v in p["resources"].items()}))')" 'table: JSON lines'
expect_text 'a time latency 0 1e-07
a time latency 1 2e-07' "$(values "$corpus/table/lines.jsonl")" 'table: JSON lines are recognized'
printf '[{"Task Name":"a","ops/sec":"1,000","Average Time (ns)":5,"Margin":"±1%%","Samples":9}]' >margin.json
expect_text 'a ops/sec - 0 1000.0
a time Average Time 0 5e-09' "$(perun convert --from table margin.json table.perf 2>/dev/null; values table.perf)" 'table: the last word of a heading'
expect_status 3 perun convert --from table --format-option value=none "$corpus/table/csv" -
expect_err "there is no column 'none'"
printf 'parse: 1.5ms\nnoise\nrender: 20ms\n' >console.txt
expect_text '{"parse": [0.0015], "render": [0.02]}' "$(perun convert --from lines --format-option 'pattern=^(?<name>\w+): (?<value>[0-9.]+)(?<unit>ms)' console.txt - 2>/dev/null | python3 -c '
import json, sys
p = json.load(sys.stdin)
print(json.dumps({p["resource_type_map"][k]["uid"]: v["amount"] for k, v in p["resources"].items()}))')" 'lines: a pattern'
expect_status 2 perun convert --from lines console.txt -
expect_err 'needs a pattern'

# Tables as they are drawn.
read_as table/markdown 'table: Markdown, after other lines, with units in its cells' 'fib(10) time avg 0 8.0534e-07
fib(10) time max 0 9.9647e-07
fib(10) time min 0 7.7862e-07
fib(10) time p75 0 8.31e-07
fib(10) time p99 0 9.5556e-07
fib(15) time avg 0 8.82e-06
fib(15) time max 0 8.025e-05
fib(15) time min 0 8.49e-06
fib(15) time p75 0 8.7e-06
fib(15) time p99 0 1.5759999999999998e-05'
drawn='sort large Throughput avg - 0 4451.0
sort large Throughput med - 0 4507.0
sort large time Latency avg 0 0.000224883
sort large time Latency med 0 0.000221886
sort small Throughput avg - 0 4869334.0
sort small Throughput med - 0 5000000.0
sort small time Latency avg 0 2.1544e-07
sort small time Latency med 0 2e-07'
read_as table/drawn 'table: console.table, numbers with margins, two rates' "$drawn"
read_as table/margins.json 'table: the same as JSON' "$drawn"
read_as table/psql 'table: psql' 'q1 time real 0 0.0125
q2 time real 0 0.0015'
read_as table/two-tables 'table: two tables in a text' 'a b time real 0 0.0015
c time real 0 0.0002
q1 time real 0 0.0125
q2 time real 0 0.0015'
printf '| name | time |\n|---|---|\n| a | 1 ms |\n| b | 1 ms | 2 |\n' >fields.md
expect_status 3 perun show fields.md
expect_err 'line 4: expected 2 fields, as there are headings, found 3'
printf '# Options\n\n| option | default |\n|---|---|\n| size | 64 |\n' >options.md
expect_status 3 perun show options.md
expect_err 'unrecognized format'
# --from where files are shown and compared.
printf '[{"name": "a", "ips": 100}, {"name": "b", "ips": 50}]' >ips.json
printf '[{"name": "a", "ips": 10}, {"name": "b", "ips": 50}]' >less.json
expect_status 3 perun show ips.json
expect_err 'JSON, a list with the keys name, ips, which no reader knows (--from table reads lists of objects)'
expect_status 0 perun show --from table ips.json
expect_out 'a ips  100'
check 'of standard input' test "$(perun show --from table - tableof <ips.json 2>/dev/null | awk '$NF == "b" { print $1 }')" = 50
expect_status 2 perun show --from table --format-option column=ips ips.json
expect_err "column"
expect_status 0 perun showdiff --from table ips.json less.json
expect_out '-90.0 %   100   10'
perun check profiles --from table ips.json less.json >checked 2>/dev/null
check 'check profiles reads them' grep -q 'a' checked
expect_status 3 perun check profiles ips.json less.json

# ---- what no format knows ----
# unknown TEXT WORDS
unknown() {
	printf "$1" >unknown.bin
	expect_status 3 perun convert unknown.bin -
	expect_err "$2"
	expect_one_line
}
unknown '{"a": 1, "b": 2}' 'unrecognized format: JSON with the keys a, b'
unknown '[1, 2]' 'unrecognized format: JSON, a list'
unknown '[====] Running 2 tests' "unrecognized format: text that begins with '[====] Running 2 tests'"
unknown '{"version": 1, "points": [{"origin": "file:///a"}]}' 'unrecognized format: JSON with the keys version, points'
unknown 'NYTProf 5 0\n#Perl\0\n' "a recording of Perl's NYTProf: nytprofcg"
unknown '{"layout": [], "benchmarks": []}' "JSON of mitata, whose form 'markdown' is a table that is read"
unknown 'FUNCTION    CALLS  %%  TIME  [uS / CALLS]\n' "a report of Erlang's eprof"
mkdir traced && touch traced/default.opts traced/info
expect_status 3 perun show traced
expect_err 'a recording of uftrace: uftrace dump --chrome -d DIR | perun import -'
unknown 'v8-version,6,0\nx\n' 'a log of V8: node --prof-process --preprocess -j FILE | perun import -'
unknown '{"start_time": 1, "duration": 1, "start_call_stack": []}' 'pyinstrument --load FILE -r json'
unknown 'mode: set\na.go:1.1,2.2 1 1\n' 'test coverage of Go'
unknown 'JAVA PROFILE 1.0.1, created' "a recording of hprof"
unknown 'index  %% time  self  children called name\n <spontaneous>\n' 'a report of gprof'
printf 'Flat profile:\n\nEach sample counts as 0.01 seconds.\n  %%   cumulative   self\n' >gnu.prof
expect_status 3 perun convert gnu.prof -
expect_err 'a report of gprof'
unknown 'gmon\1\0\0\0' "give the output of 'gprof PROGRAM gmon.out'"
unknown '# To display the perf.data header info, please use\n' 'a report of perf: give its recording, or what perf script prints of that'
unknown '%% time     seconds  usecs/call     calls    errors syscall\n' 'a summary of strace'
# Python's cProfile has files of the name that profiles of pprof may have.
printf '\373)\003\372\b<string>\351\1\0\0\0' >python.prof
expect_status 3 perun convert python.prof -
expect_err "unrecognized format: statistics of Python's cProfile"
mkdir x.trace r000hs && touch x.trace/form.template r000hs/r000hs.vtune
expect_status 3 perun show x.trace top
expect_err 'unrecognized format: a document of Instruments: xctrace export --input DIR'
expect_status 3 perun show r000hs top
expect_err 'unrecognized format: a result of VTune: vtune -report top-down'
unknown '\3BOTF2\0\3' "a trace of OTF2: Score-P's profile"
unknown 'HPCTOOLKITmeta\4\0' 'a part of a database of HPCToolkit: give its directory'
unknown 'Nettrace\24\0' 'dotnet-trace convert --format Speedscope FILE'
unknown 'strict digraph g {\n}\n' 'a graph of Graphviz: give the profile'
unknown 'Each sample counts as 0.01 seconds.\n  %%   cumulative\n' "a report of gprof, but without a table"
unknown '<profile>\n<call_tree>1</call_tree>\n<objects></objects></profile>\n' 'a recording of Sysprof'
unknown '{"snapshot": {"meta": {"node_fields": []}}}' 'a heap snapshot of V8'
unknown '{"format": "profileJSONWithSymbolicationTable,1"}' 'a profile of Cleopatra'
unknown 'Thread 1 (LWP 5):\n#0  poll () at x.c:1\n' 'stacks of a process, not a profile: perf record -g'
unknown 'goroutine 1 [running]:\nmain.main()\n\t/a.go:5 +0x1\n' "stacks of Go's routines"
unknown '"main" #1 prio=5\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.f(B.java:1)\n' 'a thread dump of Java'
unknown 'PeriodType: cpu nanoseconds\nSamples:\n' 'the text of pprof -raw: give the profile'
unknown 'ms_print arguments: massif.out.1\n' 'a report of ms_print: give the file of massif'
# Records that end in numbers are no stacks, a table with cycles is no output of perf stat, JSON with resources no profile.
unknown '7 openat(AT_FDCWD, "/a", O_RDONLY) = 3\n7 close(3)      = 0\n' 'a trace of system calls'
unknown 'PROJECTIONS-RECORD 985\n6 77991\n20 3 5 2\n' 'a log of Charm++'
unknown 'a = 1\nb = 2\n' "text that begins with 'a = 1'"
unknown '# HELP jobs_total Jobs.\n# TYPE jobs_total counter\njobs_total{level="0"} 1\n' 'metrics of Prometheus'
unknown '"ts","n","mode","cycles","name"\n105,7,"kernel","x","cycles"\n106,7,"kernel","x","cycles"\n' 'a table with the columns'
unknown '{"agent": {"resources": {"cpu": 1}}, "global": {}}' 'JSON with the keys agent, global'
unknown '{"a": [\n  "x `b` c",\n  7\n]}\n' 'JSON with the keys a'
unknown 'this\nis' "text that begins with 'this'"
unknown 'a\0b\0' 'binary data'
unknown 'time,commit,metric1,metric2,m3\n1,2,3,4,5\n' 'a table with the columns time, commit, metric1, metric2 ... (--from table reads it, import --history if it has commits)'
unknown 'Hello, world\nhow are you?\n' "text that begins with 'Hello, world'"

# ---- what tools print, and their CSV ----
expect_text 'BM_Sort/64 bytes_per_second - 0 421945000.0
BM_Sort/64 bytes_per_second - 1 435215000.0
BM_Sort/64 items_per_second - 0 110610000.0
BM_Sort/64 items_per_second - 1 114089000.0
BM_Sort/64 time cpu 0 5.79e-07
BM_Sort/64 time cpu 1 5.61e-07
BM_Sort/64 time real 0 1.157e-06
BM_Sort/64 time real 1 1.006e-06
BM_Sort/64 widgets - 0 4.0
BM_Sort/64 widgets - 1 4.0' "$(values "$corpus/google-benchmark/console.txt" | grep '/64 ')" 'google-benchmark: what it prints'
expect_text 'it broke' "$(document "$corpus/google-benchmark/console.txt" failed BM_Bad)" 'what failed'
expect_text debug "$(document "$corpus/google-benchmark/console.txt" machine build)" 'the build of the library'
expect_text b "$(document "$corpus/google-benchmark/console.txt" header cmd)" 'google-benchmark: the program, of what is printed'
expect_text NlgN "$(document "$corpus/google-benchmark/console.txt" extra google-benchmark complexity BM_Sort big_o)" 'the complexity is no measurement'
expect_text 'two words' "$(document "$corpus/google-benchmark/console.txt" extra google-benchmark labels BM_Sort/8)" 'the label'
expect_text 'BM_Sort/64 bytes_per_second - 0 811686000.0
BM_Sort/64 items_per_second - 0 212779000.0
BM_Sort/64 time cpu 0 3.01e-07
BM_Sort/64 time real 0 8.29e-07
BM_Sort/64 widgets - 0 4.0
a name with blanks time cpu 0 5.73e-10
a name with blanks time real 0 1.38e-09' "$(values "$corpus/google-benchmark/counters.txt" | grep '/64 \|blanks')" 'google-benchmark: counters as columns'
expect_text 'BM_Sort/64 bytes_per_second - 0 754104000.0
BM_Sort/64 items_per_second - 0 188526000.0
BM_Sort/64 time cpu 0 3.39476e-07
BM_Sort/64 time real 0 9.48529e-07
BM_Sort/64 widgets - 0 4.0' "$(values "$corpus/google-benchmark/rows.csv" | grep '/64 ')" 'google-benchmark: CSV'
expect_text 'org.x.A.run (n=10) gc.alloc.rate - 0 0.001
org.x.A.run (n=10) time real 0 1.2345e-08
org.x.A.run (n=10) time real 5 1.2745e-08
org.x.B.run throughput - 0 100500.0' "$(values "$corpus/jmh/log.txt" | grep -v 'real [1-4]')" 'jmh: the iterations of a log'
expect_text 'A.run (n=10) gc.alloc.rate - 0 1.5
A.run (n=10) time real 0 1.25e-08
A.run (n=100) time real 0 9.95e-08' "$(values "$corpus/jmh/table.txt")" 'jmh: the table alone'
expect_text 'org.x.A.run (n=10) time real 0 1.25e-08' "$(values "$corpus/jmh/rows.csv")" 'jmh: CSV'
# 0.4 / t(0.9995; 4) / 12.5
for file in rows.csv table.txt; do
	name=$(document "$corpus/jmh/$file" deviations 'time(real)' | grep -o "[a-zA-Z.]*A.run (n=10)")
	expect_text 0.003716 "$(document "$corpus/jmh/$file" deviations 'time(real)' "$name" | cut -c1-8)" "jmh: the error of a score in $file"
done
for file in report.csv report.md; do
	expect_text 'Md5(N: 1000) Allocated Memory - 0 80.0
Md5(N: 1000) time real 0 2.118e-06
Sha256(N: 1000) Allocated Memory - 0 112.0
Sha256(N: 1000) time real 0 5.118e-06' "$(values "$corpus/benchmarkdotnet/$file")" "benchmarkdotnet: $file"
done
expect_text 'Sha256(N: 1000) Allocated Memory - 0 112.0
Sha256(N: 1000) time real 0 5.118e-06' "$(values "$corpus/benchmarkdotnet/default.md")" 'benchmarkdotnet: a table whose lines do not begin with a bar'
expect_text "AMD EPYC 7763 {\"'a b'(N: 1000)\": ''}" "$(document "$corpus/benchmarkdotnet/default.md" machine cpu model) $(document "$corpus/benchmarkdotnet/default.md" failed)" 'benchmarkdotnet: the processor, and what failed'
expect_text 'Sha256(Job: .NET 8.0) time real 0 5.118e-06' "$(values "$corpus/benchmarkdotnet/table.md")" 'benchmarkdotnet: the table alone'

# Numbers that JSON would not have.
printf 'a: .5ms\nb: +2ms\nc: 3.ms\n' >dots.txt
expect_text 'a time real 0 0.0005
b time real 0 0.002
c time real 0 0.003' "$(perun convert --from console dots.txt dots.perf 2>/dev/null; values dots.perf)" 'console: numbers with a point first or last, or a sign'

# ---- files that are cut off amid their last line ----
# cut_off FORMAT FILE N: one line says that the file without its last N bytes is cut off.
cut_off() {
	head -c "-$3" "$2" >cut
	run perun convert --from "$1" cut -
	expect_text 1 "$(grep -c ' does not end: the file seems to be cut off' <<<"$err")" "$1: cut off by $3"
}
printf 'BenchmarkA 1 2 ns/op\nBenchmarkB 1 2 ns/op 3 B/op\n' >two-lines.txt
cut_off go-bench two-lines.txt 3
printf 'running 1 test\ntest a ... bench:  1 ns/iter (+/- 9)\ntest b ... bench:  1 ns/iter (+/- 9)\n' >libtest.txt
cut_off cargo-bench libtest.txt 4
cut_off benchmarkjs "$corpus/benchmarkjs/three" 12
cut_off console "$corpus/console/timers" 2
head -n -2 "$corpus/asv/printed" >asv.txt
cut_off asv asv.txt 2
sed '$d' "$corpus/catch2/console" | sed '$d' >catch2.txt
cut_off catch2 catch2.txt 4
for file in google-benchmark/console.txt google-benchmark/rows.csv hyperfine/export.csv hyperfine/export.md jmh/log.txt jmh/table.txt \
	jmh/rows.csv nanobench/table benchmarkdotnet/report.md benchmarkdotnet/report.csv perf-stat/csv gungraun/printed; do
	cut_off "${file%/*}" "$corpus/$file" 2
done
# Of a whole line only the end was lost: the results are there.
for file in go-bench/two.txt cargo-bench/mixed benchmarkjs/three console/timers asv/printed hyperfine/export.md nanobench/table; do
	printf %s "$(grep -Ev '^(Unit|Fastest) ' "$corpus/$file")" >whole.txt
	expect_status 0 perun convert --from "${file%/*}" whole.txt -
	expect_text '' "$(grep 'cut off' <<<"$err")" "${file%/*}: a last line without an end"
done
finish
