# SPDX-License-Identifier: BSD-3-Clause
# A history that another tool collected moves in: perun import --history, and out again: perun export --history.
. "${top_srcdir:-.}/tests/cli/lib.sh"

git init -q .
for day in 1 2 3 4 5; do
	export GIT_AUTHOR_DATE="2024-01-0$day 12:00:00 +0000" GIT_COMMITTER_DATE="2024-01-0$day 12:00:00 +0000"
	git commit -q --allow-empty -m "commit $day"
done
perun init >/dev/null 2>&1
# The oldest first.
commits=$(git rev-list --reverse HEAD)
first=${commits%%$'\n'*}
last=${commits##*$'\n'}

# values: what the store knows, without dates.
values() { perun export --history csv | sed 1d | cut -d, -f1,3- | sed "s/^$first/first/; s/^$last/last/" | grep -E '^(first|last)'; }
fresh() { rm -rf .perun; perun init >/dev/null 2>&1; }

# ---- data.js ----
python3 - $commits <<'PYTHON'
import json, sys
def run(commit, day, value):
    return {"commit": {"id": commit, "message": "m", "timestamp": "2024-01-01T12:00:00Z"}, "date": 1704110400000 + day,
            "tool": "customBiggerIsBetter",
            "benches": [{"name": "parse", "value": value, "range": "± 5", "unit": "ns/iter"},
                        {"name": "score", "value": 7, "unit": "points"}]}
runs = [run(commit, day, 1000 + day) for day, commit in enumerate(sys.argv[1:])]
runs += [run("f" * 40, 9, 1), run("HEAD", 9, 1), run("main", 9, 1)]
open("data.js", "w").write("window.BENCHMARK_DATA = " + json.dumps({"lastUpdate": 1, "entries": {"Rust": runs}}) + ";\n")
PYTHON
expect_status 0 perun import --history data.js
expect_text 'github-action-benchmark: 8 entries, 5 added, 0 replaced, 0 already there
left out: 3 entries of unknown commits (--verbose lists them)' "$out" 'data.js'
expect_status 0 perun --verbose import --history data.js
expect_text 'github-action-benchmark: 8 entries, 0 added, 0 replaced, 5 already there
left out: 3 entries of unknown commits:
  Rust 1704110400: ffffffffffffffffffffffffffffffffffffffff
  Rust 1704110400: HEAD
  Rust 1704110400: main' "$out" 'again: only what is new, and what moves is no commit'
expect_text 'first,parse,time(real),1e-06,s,lower,custom-benchmark,Rust,
first,score,points,7.0,points,higher,custom-benchmark,Rust,
last,parse,time(real),1.004e-06,s,lower,custom-benchmark,Rust,
last,score,points,7.0,points,higher,custom-benchmark,Rust,' "$(values)" 'its values at their commits'
sed -i 's/1004/2008/' data.js
expect_status 0 perun import --history data.js --json
expect_out '"replaced": 1'
expect_text 2.008e-06 "$(values | sed -n 's/^last,parse,[^,]*,\([^,]*\),.*/\1/p')" 'what changed is replaced'
expect_status 0 perun fsck

# A branch that holds it, which is gone from the disk afterwards.
fresh
git checkout -q --orphan gh-pages
mkdir -p dev/bench
cp data.js dev/bench
git add dev
git commit -q -m pages
git checkout -q main
expect_status 0 perun import --history gh-pages
expect_out '5 added'
expect_status 0 perun import --history gh-pages:dev/bench/data.js
expect_out '5 already there'
check 'nothing of the branch is left' [ "$(git worktree list | wc -l)" = 1 ]
expect_status 2 perun import --history gh-pages:../x
expect_err 'leads out of the branch'
expect_status 2 perun import --history nothing
expect_err 'neither a file, a directory nor a branch'

# ---- out and in again ----
perun export --history csv all.csv
fresh
expect_status 0 perun import --history all.csv
perun export --history csv again.csv
check 'a table keeps all values' cmp all.csv again.csv
expect_status 0 perun export --history github-action-benchmark out.js
fresh
expect_status 0 perun import --history out.js
expect_out '10 added'
expect_text 'first,parse,time(real),1e-06,s,lower' "$(values | head -n 1 | cut -d, -f1-6)" 'data.js out and in'

# ---- a table of another project ----
fresh
{
	echo 'date,rev,workload,vm_ms_median,vm_ms_min,flags'
	printf '2026-01-01,%s,%s\n' "${first:0:7}" 'loop,40,38,' "${first:0:7}" 'call,50,48,noisy' "${last:0:7}" 'call,51,47,' "${last:0:7}" 'loop,40,38,noisy'
} >bench.csv
expect_status 0 perun import --history bench.csv
expect_out '2 added'
expect_text 'call,time(vm_median)
call,time(vm_min)
loop,time(vm_median)
loop,time(vm_min)' "$(values | cut -d, -f2,3 | LC_ALL=C sort -u)" 'remarks are no names, what was run is'

# ---- asv, pytest-benchmark, by commit ----
fresh
python3 - $commits <<'PYTHON'
import json, os, sys
os.makedirs("asv/results/box")
os.makedirs("store/Linux-CPython-3.10-64bit")
for name in ("benchmarks.json", "box/machine.json"):
    open("asv/results/" + name, "w").write("{}")
for day, commit in enumerate(sys.argv[1:]):
    results = {"b.time_x": [[0.1 + day], []]} if day else {"b.time_x": [None, []]}
    json.dump({"commit_hash": commit, "env_name": "py3", "date": 1704110400000, "params": {"arch": "x86_64", "cpu": "X", "num_cpu": "4"},
               "result_columns": ["result", "params"], "results": results, "version": 2},
              open("asv/results/box/%s-py3.json" % commit[:8], "w"))
    json.dump({"machine_info": {"node": "h"}, "commit_info": {"id": commit, "dirty": day == 1},
               "benchmarks": [{"fullname": "t.py::test_a", "name": "test_a", "stats": {"data": [1.0, 2.0]}}]},
              open("store/Linux-CPython-3.10-64bit/%04d_%s.json" % (day, commit), "w"))
    os.makedirs("ci/run-" + commit[:10])
    json.dump([{"name": "a", "unit": "ms", "value": day + 3}], open("ci/run-%s/out.json" % commit[:10], "w"))
PYTHON
expect_status 0 perun import --history asv
expect_text 'asv: 5 entries, 4 added, 0 replaced, 0 already there
left out: 1 entry without a measurement (--verbose lists them)' "$out" 'results of asv'
expect_status 0 perun import --history asv/results
expect_out '4 already there'
expect_status 0 perun import --history store
expect_text 'pytest-benchmark: 5 entries, 4 added, 0 replaced, 0 already there
left out: 1 entry of uncommitted changes (--verbose lists them)' "$out" 'storage of pytest-benchmark'
ln -s ../ci/run-"${first:0:10}" ci/run-"${last:0:9}"
expect_status 0 perun import --history ci --pattern 'run-{commit}/*.json' --workload all
expect_text 'pattern: 5 entries, 5 added, 0 replaced, 0 already there' "$out" 'files by commit; links are not followed'
expect_text 'last,a,time(real),0.007,s,lower,custom-benchmark,all,
last,b.time_x [py3],time(real),4.1,s,lower,asv,,"X, 4 processors, x86_64"
last,t.py::test_a,time(real),1.5,s,lower,pytest-benchmark,,' "$(values | grep last | sort)" 'all of them at the last commit'
for pattern in '*.json' '/{commit}/x' '../{commit}.json' '{commit}/{commit}'; do
	expect_status 2 perun import --history ci --pattern "$pattern"
	expect_one_line
done
echo '{' >"ci/run-${last:0:10}/out.json"
expect_status 3 perun import --history ci --pattern 'run-{commit}/*.json' --workload all
expect_out '4 already there'
expect_err "ci/run-${last:0:10}/out.json: unrecognized format"
expect_one_line

# Files that were compressed since are the same entries.
fresh
mkdir logs
for commit in $commits; do echo '{"name": "a", "unit": "ms", "value": 3}' | sed 's/.*/[&]/' >"logs/$commit.json"; done
expect_status 0 perun import --history logs --pattern '{commit}.json'
expect_out '5 added'
gzip logs/*.json
expect_status 0 perun import --history logs --pattern '{commit}.json.gz'
expect_text 'pattern: 5 entries, 0 added, 0 replaced, 5 already there' "$out" 'compressed logs are not measured again'

# What histories do not follow is said.
fresh
git checkout -q -b side HEAD~2
git commit -q --allow-empty -m side
side=$(git rev-parse HEAD)
git checkout -q -
cp "logs/$first.json.gz" "logs/$side.json.gz"
expect_status 0 perun import --history logs --pattern '{commit}.json.gz'
expect_out '6 added'
expect_err '1 entry is of commits on branches: histories follow first parents; perun check head REV compares one of them'
rm "logs/$side.json.gz"
git branch -qD side

# ---- tables ----
fresh
{
	echo 'time,commit,fetch_ms,rows,branch'
	echo "2024.01.01 12:00:00 +0000,$first,20,7,main"
	echo "2024.01.05 12:00:00 +0000,${last:0:8},21,8,\"ma"
	echo 'in"'
} >otava.csv
expect_status 0 perun import --history otava.csv
expect_text 'first,benchmark,rows,7.0,,,table,otava.csv,
first,benchmark,time(fetch),0.02,s,lower,table,otava.csv,
last,benchmark,rows,8.0,,,table,otava.csv,
last,benchmark,time(fetch),0.021,s,lower,table,otava.csv,' "$(values | sort)" 'a table of Otava'
fresh
printf 'day;bench;time (ms)\n2023-12-31;x;1\n2024-01-01;x;2\n2024-01-09;x;3\n' >days.csv
expect_status 0 perun import --history days.csv --date day
expect_out 'left out: 1 entry of unknown commits'
expect_text 'first,x,time(real),0.002,s,lower,table,days.csv,
last,x,time(real),0.003,s,lower,table,days.csv,' "$(values)" 'dates: the commit of that day'
fresh
printf '{"sha": "%s", "name": "x", "value": 3, "unit": "ms"}\n' "$first" "$first" >rows.json
expect_status 0 perun import --history rows.json
expect_text 'first,x,time(real),0.003,s,lower,table,rows.json,
first,x,time(real),0.003,s,lower,table,rows.json,' "$(values)" 'JSON lines, a repeat'
cat >bencher.json <<JSON
{"project": {}, "results": [{"branch": {"name": "main"}, "testbed": {"name": "ci"}, "benchmark": {"name": "bm"},
 "measure": {"name": "Latency", "slug": "latency", "units": "nanoseconds (ns)"}, "metrics": [
 {"iteration": 0, "start_time": "2024-01-05T12:00:00Z", "version": {"number": 1, "hash": "$last"}, "metric": {"value": 100.0}}]}]}
JSON
expect_status 0 perun import --history bencher.json
expect_text 'last,bm,time(latency),1e-07,s,lower,table,,' "$(values | grep last)" "Bencher's report"
printf 'a,b\n1,2\n' >bad.csv
expect_status 3 perun import --history bad.csv
expect_err 'cannot read bad.csv: no column of commits or dates'
printf 'commit,value\n%s,1\n%s\n' "$first" "$first" >bad.csv
expect_status 3 perun import --history bad.csv
expect_err 'line 3: expected 2 fields'
echo 'window.BENCHMARK_DATA = {"entries": {"A": [{"commit": 3}]}}' >bad.js
expect_status 3 perun import --history bad.js
expect_err "expected commit.id and benches in each run of 'A'"
expect_status 2 perun import --history data.js other.json
expect_status 2 perun import --commit x data.js
expect_status 2 perun import
expect_one_line

# ---- killed ----
fresh
{
	echo commit,name,value
	for commit in $commits; do for i in $(seq 200); do echo "$commit,b$i,$i"; done; done
} >many.csv
for after in 0.02 0.05 0.08; do
	timeout -s KILL $after "$PERUN" import --history many.csv >/dev/null 2>&1
done
expect_status 0 perun import --history many.csv
expect_status 0 perun fsck
perun export --history csv | cut -d, -f1 | sort | uniq -c | grep -vc commit >count
expect_text 5 "$(cat count)" 'killed at any time, then complete'


# ---- in the words of the Python program --------------------------------------------------------------

new_repo words
perun init >/dev/null
mkdir stacks
printf 'main;a 5\n' >stacks/one.txt
printf 'main;a 7\n' >stacks/two.txt
printf 'Profile,Exit_code,time|lower|s\none.txt,0,1.5\ntwo.txt,3,2\n' >stacks/list.csv
echo '{"host": "elsewhere"}' >machine.json
echo '[{"name": "branch", "value": "main"}]' >meta.json
expect_status 0 perun import --machine-info machine.json --metadata meta.json -d stacks --profile-label night perf stack list.csv
expect_out 'one.txt'
expect_out 'two.txt'
said() { perun convert two.txt - | python3 -c 'import json, sys
d = json.load(sys.stdin)
print(d["header"]["exitcode"], d["header"]["label"], d["machine"]["host"], d["metadata"][0]["value"], d["stats"])'; }
check 'what is said of a profile is kept' test "$(said)" = \
	"[3] night elsewhere main [{'name': 'time', 'cmp': 'lower', 'unit': 's', 'value': [2]}]"
expect_status 2 perun import perf stack stacks/one.txt,0,1
expect_err '--stats-headers names them'
expect_status 3 perun import perf stack stacks/none.csv
echo '[]' >machine.json
expect_status 3 perun import --machine-info machine.json stacks/one.txt
expect_err 'machine.json: expected an object, found an array'
echo '[{"_source": {"metric.name": "get", "metric.value": 1.5}}]' >hits.json
expect_status 0 perun import elk json hits.json
expect_err 'name in column metric.name'
expect_status 0 perun import --profile-name nightly.perf perf stack stacks/two.txt
check 'a profile has the name that is given' test "$(perun log --json | grep -c '"nightly.perf"')" -eq 1
for name in .. a/b ''; do
	expect_status 2 perun import --profile-name "$name" perf stack stacks/one.txt
	expect_one_line
done
expect_status 2 perun import --profile-name both.perf perf stack stacks/one.txt stacks/two.txt
expect_err '2 profiles cannot have one name'
finish
