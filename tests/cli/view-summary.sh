# SPDX-License-Identifier: BSD-3-Clause
# The view summary, which also says what collect, run and show without a view measured.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

python3 - <<'PYTHON'
import json
values = [0.128, 0.129, 0.13, 0.13, 0.131, 0.132, 0.141]
def profile(name, resources, **document):
    json.dump({"header": {"type": "time", "cmd": "./prog", "args": "", "workload": "in.txt", "units": {"time": "s"}},
               "collector_info": {"name": "time", "params": {}}, "postprocessors": [],
               "global": {"timestamp": 1, "resources": resources}, **document}, open(name, "w"))
row = lambda amount, uid, **more: {"amount": amount, "uid": uid, "type": "time", "subtype": "real", **more}
profile("t.perf", [row(v, "./prog in.txt", order=i + 1) for i, v in enumerate(values)])
profile("many.perf", [row(v * (k + 1), "f%d\x1b[31m" % k, order=i + 1) for k in range(30) for i, v in enumerate(values)])
profile("none.perf", [])
profile("same.perf", [row(0.13, "./prog in.txt", order=i + 1) for i in range(7)])
profile("most.perf", [row(0.13 if i else 0.2, "./prog in.txt", order=i + 1) for i in range(7)])
profile("bench.perf", [row(v * (k + 1), "example.org/a/very/long/path/of/modules/parser.Benchmark/%d" % k, order=i + 1)
                       for k in range(3) for i, v in enumerate(values)])
PYTHON

# Repeats: their median, spread (1.4826 times 1 ms), range, outliers, and a histogram.
expect_status 0 perun show t.perf summary
expect_out 'time of ./prog in.txt'
expect_out 'time(real)  130 ms ± 1.48 ms  (median of 7, 128 ms … 141 ms)  1 outlier'
expect_out '█'
summary=$out
expect_status 0 perun show t.perf
expect_text "$summary" "$out" 'it is the view of repeats'
expect_status 0 perun show same.perf
expect_out 'time(real)  130 ms  (all 7)'
expect_status 0 perun show most.perf
expect_out 'time(real)  130 ms  (median of 7, 130 ms … 200 ms)  1 outlier'
expect_status 0 perun show t.perf summary --brief
check 'without heading and histogram' [ "$(printf '%s\n' "$out" | wc -l)" = 1 ]
expect_status 0 perun show --json t.perf summary
expect_json 'd["measured"][0]["median"], d["measured"][0]["repeats"], d["measured"][0]["outliers"]' '(0.13, 7, 1)'
LC_ALL=C expect_status 0 perun show t.perf summary
check 'only ASCII where there is no more' env LC_ALL=C sh -c '! printf "%s" "$1" | grep -q "[^ -~]"' sh "$(printf '%s' "$out" | tr -d '\n')"

# Benchmarks need not measure times.
printf '[{"name": "heap", "unit": "MB", "value": 3}, {"name": "calls", "unit": "", "value": 7}]' >sizes.json
expect_status 0 perun show sizes.json
expect_out 'results of custom-benchmark sizes.json'
printf '[{"name": "heap", "unit": "MB", "value": 3}, {"name": "parse", "unit": "ms", "value": 7}]' >both.json
expect_status 0 perun show both.json
expect_out 'time of custom-benchmark both.json'

# Several places: a line each, as many as asked for; control characters do not pass.
expect_status 0 perun show many.perf summary
expect_out '10 more: --limit 0 shows all'
check 'no escapes' sh -c '! printf "%s" "$1" | grep -q "$(printf "\033")"' sh "$out"
expect_status 0 perun show many.perf summary --limit 0
check 'all of them' [ "$(printf '%s\n' "$out" | grep -c '1 outlier')" = 30 ]
# Names that do not fit lose what all of them share, which is printed once.
COLUMNS=80 expect_status 0 perun show bench.perf summary
expect_out 'time(real) of example.org/a/very/long/path/of/modules/parser.Benchmark'
check 'the rest of the names' grep -q '^2  390 ms' <<<"$out"
expect_status 3 perun show none.perf summary
expect_err 'it has no measurements'
expect_one_line
expect_status 0 perun show t.perf many.perf summary --metric 'time(real)'
expect_status 2 perun show t.perf summary --metric nosuch
expect_err 't.perf has no metric nosuch, only: time(real)'
expect_one_line

# Functions of a profile with stacks.
printf 'main;a 30\nmain;b 60\nmain 10\n' >s.folded
expect_status 0 perun show s.folded summary
expect_out '60.0 %          60  b'
expect_status 0 perun show --json s.folded summary
expect_json '[f["function"] for f in d["hottest"]]' "['b', 'a', 'main']"

# Units that do not become others, and amounts that are small.
for unit in '5.075 ms' '5000 us'; do printf 'BenchmarkA-8 100 10 ns/op %s/frame 0.00000285 W/op\n' "$unit" >"${unit#* }.txt"; done
expect_status 0 perun show ms.txt summary
expect_out 'time/frame  5.08 ms/frame'
expect_out 'W/op        2.85e-06'
expect_status 0 perun showdiff ms.txt us.txt short
expect_out '5,075     5,000   -1.5 %  time/frame in us/frame'
expect_status 0 perun showdiff ms.txt us.txt report
expect_out 'time/frame 5,075, now 5,000 us/frame (-1.5 %)'

# After measuring, and in its JSON.
new_repo
perun init >/dev/null
expect_status 0 perun collect -c true time --repeat 5 --warmup 0
expect_out '(median of 5, '
expect_status 0 perun collect --json -c true time --repeat 5 --warmup 0
expect_json 'd["profiles"][0]["summary"]["measured"][0]["repeats"]' 5

finish
