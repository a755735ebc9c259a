#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The collector time: how many runs, what is reported of them, pinning, counters, and what measuring costs.
. "${top_srcdir:-.}/tests/cli/lib.sh"
collector=time
fact_helpers='t = p["time"]; runs = p["runs"]'
. "$top_srcdir/tests/cli/collect-lib.sh"
export XDG_CACHE_HOME=$work/cache

# ---- how many runs ----------------------------------------------------------------------------------
collect --warmup 0 --repeat 12 -- true
expect_fact '12 36 repeat' '"%d %d %s" % (len(runs), len(r), t["stopped"])' 'as many runs as asked for'
expect_fact True 't["interval"][0] <= t["median"] <= t["interval"][1] and t["confidence"] == 0.95' 'the interval of the median'
expect_fact True 'abs(t["median"] - sorted(x["real"] for x in runs)[5] / 2 - sorted(x["real"] for x in runs)[6] / 2) < 2e-9' 'the median'
collect --warmup 0 --repeat 3 -- true
expect_fact False '"interval" in t' 'three runs have no interval of 95 percent'
collect --warmup 0 --precision 100 --repeat 8 -- 'sleep 0.02'
expect_fact True '8 <= len(runs) < 50 and t["stopped"] == "precision"' 'a wide interval is reached at once'
collect --warmup 0 --precision 0.001 --repeat 2 --max-repeat 20 -- 'sh -c "sleep 0.00$$"'
expect_fact '20 maximum' '"%d %s" % (len(runs), t["stopped"])' 'no more than the most'
expect_err 'before the precision was reached'
collect --warmup 0 --budget 0.3 --repeat 2 --max-repeat 1000000 -- 'sleep 0.02'
expect_fact True '2 <= len(runs) <= 20 and t["stopped"] == "budget"' 'the budget'
collect --warmup 0 --budget 0.001 --repeat 4 -- 'sleep 0.01'
expect_fact '4 budget' '"%d %s" % (len(runs), t["stopped"])' 'the fewest runs are made whatever the budget'
collect --warmup 0 --repeat 12 --confidence 50 -- true
expect_fact 0.5 't["confidence"]' 'another confidence'
# Perun itself needs many times as much.
expect_fact True 'all(0 < x["max_rss"] < 4 << 20 for x in runs)' 'the memory of the program alone'
for wrong in '--precision 0' '--confidence 100' '--budget 0' '--max-repeat 0'; do
	expect_status 2 "$PERUN" collect -c true time $wrong
done

# ---- outliers ---------------------------------------------------------------------------------------
cat >sometimes <<'SH'
#!/bin/sh
echo x >>count
if [ "$(wc -l <count)" = 4 ]; then sleep 0.8; else sleep 0.05; fi
SH
chmod +x sometimes
collect --warmup 0 --repeat 9 -- ./sometimes
expect_fact True '4 in [o["run"] for o in t["outliers"]]' 'the run that is unlike the others is named'
expect_fact True 'next(o for o in t["outliers"] if o["run"] == 4)["deviations"] > 3.5' 'and how far it is'
expect_fact 9 'len(runs)' 'it is kept'
expect_err 'in 9 runs (kept): '
expect_err 'run 4 (+'

# ---- pinning ----------------------------------------------------------------------------------------
cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*: //; s/[-,].*//')
for option in --pin --cpu; do
	expect_status 0 "$PERUN" collect -c "sh -c 'grep Cpus_allowed_list /proc/self/status >allowed'" time --warmup 0 --repeat 1 "$option" "${cpu:-0}"
	expect_text "${cpu:-0}" "$(awk '{print $2}' allowed)" "it runs on one processor ($option)"
done
expect_status 2 "$PERUN" collect -c true time --pin 1023
expect_err 'no processor 1023'

# ---- the load that it felt --------------------------------------------------------------------------
collect --warmup 0 --repeat 3 -- 'sleep 0.02'
expect_fact False '"load" in p["machine"]["cpu"]' 'a program that sleeps may wait for anything'
if [ -n "$cpu" ]; then
	taskset -c "$cpu" sh -c 'while :; do :; done' &
	spinning=$!
	collect --warmup 0 --repeat 5 --pin "$cpu" -- "awk 'BEGIN { for (i = 0; i < 2000000; i++) sum += i }'"
	kill $spinning
	expect_err 'the machine was busy: the program took'
	expect_fact True 'float(p["machine"]["cpu"]["load"]) >= 1.3 * p["machine"]["cpu"]["total"]' 'one that never does waited for its turn'
	expect_fact True '"libraries" in p["machine"]' 'and its machine is described as ever'
else
	skip 'processors cannot be chosen'
fi

# ---- counters, where there are any ------------------------------------------------------------------
collect --no-counters --repeat 1 -- true
expect_fact 'they were not asked for' 't["counters"]' 'no counters'
collect --repeat 2 --counters -- true
if [ "$(fact '"counters" in t')" = True ]; then
	expect_err 'no hardware counters'
	skip 'this machine has no hardware counters'
else
	expect_fact True 'all(x["instructions"] > 1000 for x in runs)' 'events of each run'
	python3 - "$XDG_CACHE_HOME/perun/overhead.json" <<'PYTHON'
import json, sys
kept = json.load(open(sys.argv[1]))
kept["costs"]["time-counters"] = 10
json.dump(kept, open(sys.argv[1], "w"))
PYTHON
	collect --repeat 2 --warmup 0 -- true
	expect_fact True '"would disturb" in t["counters"] and "instructions" not in runs[1]' 'and said so without them'
	collect --repeat 2 -- true
	expect_fact True 't["counters"]["instructions"] > 1000 and "instructions" not in runs[0]' \
		'a short program is not disturbed: the warm-up runs are counted'
fi

# ---- what measuring costs ---------------------------------------------------------------------------
collect --repeat 1 --warmup 0 -- true
expect_fact True '0 < p["header"]["overhead"]["amount"] < 1 and p["header"]["overhead"]["per"] == "run"' 'what an empty run takes'
before=$(fact 'p["header"]["overhead"]["amount"]')
collect --repeat 1 --warmup 0 -- true
expect_text "$before" "$(fact 'p["header"]["overhead"]["amount"]')" 'it is measured once'

# One process starts all runs of a measurement.
printf '#!/bin/sh\necho >>"%s"\nexec "%s" "$@"\n' "$work/starts" "$(realpath "$top_builddir/collectors/common/perun-start")" >starter
chmod +x starter
: >plain && chmod -x plain
expect_status 0 env PERUN_START_PROGRAM="$PWD/starter" "$PERUN" collect -c true time --repeat 5
expect_text 1 "$(wc -l <"$work/starts")" 'one process starts all runs'
expect_status 4 env PERUN_START_PROGRAM="$(type -P true)" "$PERUN" collect -c true time
expect_err 'cannot run true: perun-start has ended'
expect_status 4 env PERUN_START_PROGRAM="$PWD/plain" "$PERUN" collect -c true time
expect_err "cannot run $PWD/plain"
for broken in '{' '{"machine": 1}' '{"machine": "another", "costs": {"time": 7}}' ''; do
	printf %s "$broken" >"$XDG_CACHE_HOME/perun/overhead.json"
	collect --repeat 1 --warmup 0 -- true
	expect_fact True '0 < p["header"]["overhead"]["amount"] < 1' "measured again where this was kept: $broken"
	python3 -c 'import json, sys; json.load(open(sys.argv[1]))["costs"]["time"]' "$XDG_CACHE_HOME/perun/overhead.json" || not_ok 'kept again'
done
rm -rf "$XDG_CACHE_HOME" && : >"$XDG_CACHE_HOME"
collect --repeat 1 --warmup 0 -- true
expect_fact True '0 < p["header"]["overhead"]["amount"] < 1' 'a cache that cannot be written is no failure'

# ---- programs that are not there, signals, standard input -------------------------------------------
expect_status 4 "$PERUN" collect -c ./missing time
expect_err 'cannot run ./missing'
expect_status 4 "$PERUN" collect -c ./plain time
printf 'exit 0\n' >script && chmod +x script
expect_status 0 "$PERUN" collect -c ./script time --repeat 1
expect_status 0 "$PERUN" collect -c "./script $(seq -s ' ' 20000)" time --repeat 1
expect_status 3 "$PERUN" collect -c "sh -c 'kill -SEGV \$\$'" time
expect_err 'was killed by signal 11'
expect_status 3 "$PERUN" collect -c "sh -c 'kill -SEGV \$\$'" time --ignore-status
expect_status 3 "$PERUN" collect -c 'sleep 60' time --timeout 0.1
expect_err 'timed out after 0.1 s'

# Who would wait for minutes learns it after the first run.
timeout 2 "$PERUN" collect -c 'sleep 0.1' time --warmup 2 --repeat 1000 >/dev/null 2>warmed &
timeout 2 "$PERUN" collect -c 'sleep 0.1' time --warmup 0 --repeat 1001 >/dev/null 2>many &
timeout 2 "$PERUN" collect -c 'sleep 0.1' time --repeat 1000 --budget 1s >/dev/null 2>bounded &
wait
check 'says how long the others take' grep -q 'the other 1001 take about [1-9]' warmed
check 'and what makes them fewer' grep -q 'fewer with --repeat and --warmup' many
check 'a budget ends it sooner' test "$(grep -c 'a run takes' bounded)" -eq 0
finish
