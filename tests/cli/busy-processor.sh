#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Real times beside processor times: what waited for its turn is not slower, what the processor time shows is asked at its place, and
# how ticks divide a processor time among its parts decides nothing. The real times are those of eight commands on a busy machine.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed'

# version SEED WAITS STATED FACTOR: profiles of eight commands of eight runs each. In WAITS of 100 sessions a command waits for one to
# three times its processor time, which its profile states if STATED is 1; the processor time of the first one is FACTOR times as long.
# SLEEPS: it sleeps for this share of its processor time, too.
version() {
	python3 - "$@" <<'PYTHON'
import json, math, os, random, sys
seed, waits, stated, factor = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "1", float(sys.argv[4])
for i in range(8):
    draw = random.Random(f"{seed} {i}")
    level = (1 + i) / 500 * math.exp(draw.gauss(0, 0.02)) * (factor if i == 0 else 1)
    waited = draw.uniform(1, 3) if draw.randrange(100) < waits else draw.uniform(0, 0.05)
    waited += float(os.environ.get("SLEEPS", "0")) if i == 0 else 0
    rows, felt = [], 1 + waited
    for k in range(8):
        cpu = level * math.exp(draw.gauss(0, 0.02))
        in_kernel = draw.random() < 0.3
        real = cpu * (1 + waited) * math.exp(abs(draw.gauss(0, 0.03)))
        for subtype, amount in ("real", real), ("user", 0 if in_kernel else cpu), ("sys", cpu if in_kernel else 0):
            rows.append({"uid": f"./tool {i}", "type": "time", "subtype": subtype, "amount": amount, "order": k + 1})
    cpu = {"total": 2, "model": "cpu"}
    if stated and felt >= 1.05:
        cpu["load"] = f"{2 * felt:.2f}"
    json.dump({"header": {"type": "time", "cmd": f"./tool {i}", "workload": "", "units": {"time": "s"}},
               "collector_info": {"name": "time", "params": {}}, "postprocessors": [], "machine": {"system": "Linux", "cpu": cpu},
               "resources": rows}, open(f"{i}.perf", "w"))
PYTHON
}
findings() { grep -cE '^[0-9a-f]{8}  (slower|faster)' <<<"$out"; }
# history NAME SEED VERSIONS WAITS STATED [FACTOR AT]: from version AT on the first command is FACTOR times as slow.
history() {
	local number
	cd "$work" && new_repo "$1" && perun init >/dev/null
	for number in $(seq "$3"); do
		commit "version $number"
		version "$2$number" "$4" "$5" "$([ "$number" -ge "${7:-99}" ] && echo "$6" || echo 1)"
		perun add --force ./*.perf >/dev/null
	done
}
changes='import json, sys
print(sum(change["metric"] == sys.argv[1] and change["result"] in ("Degradation", "Optimization")
          for change in json.load(sys.stdin)["changes"]))'
points='import json, sys
print(sum(len(series["change_points"]) for series in json.load(sys.stdin)["series"]))'
# same_history METRIC: check all and the history of this metric alone find as many changes.
same_history() {
	check "history of $1 alone says the same" test "$(perun check --json all | python3 -c "$changes" "$1")" = \
		"$(perun history --json "$1" | python3 -c "$points")"
}

for seed in 1 2 3 4; do
	history "waits$seed" $seed 14 20 1
	run perun check all
	check "14 versions that wait for their turn, $seed" test "$(findings)" = 0
	history "pair$seed" 5$seed 2 40 1
	run perun check all
	check "two versions that do, $seed" test "$(findings)" = 0
	history "slow$seed" $seed 14 20 1 3 8
	run perun check all
	check "one command is three times as slow, $seed" test "$(grep -c '  slower  .*tool 0' <<<"$out")" = 1
	check 'and no other one' test "$(findings)" = "$(grep -cF './tool 0' <<<"$out")"
	for metric in 'time(real)' 'time(user)' 'time(sys)'; do
		same_history "$metric"
	done
done
# Two profiles by themselves: where ticks and waits hide what a program takes, the sum shows it.
cd "$work" && mkdir pairs && cd pairs
for seed in 1 2 3 4 5 6; do
	version $seed 100 1 1 && mv 0.perf before.perf
	version 2$seed 100 1 3 && mv 0.perf after.perf
	expect_status 1 perun check --force profiles before.perf after.perf
	expect_out 'slower' "one that is three times as slow, $seed"
done
# Benchmarks that print real times alone: what a busy machine may have made is undecided, what a calm version has too is not.
# benchmark SEED TIME LOAD: a profile of eight benchmarks of six runs each. The first takes TIME, others up to LOAD times as long.
benchmark() {
	python3 - "$@" <<'PYTHON' >benchmark.perf
import json, math, random, sys
draw, load = random.Random(sys.argv[1]), float(sys.argv[3])
rows = []
for i in range(8):
    level = 100 * math.exp(draw.gauss(0, 0.005)) * (float(sys.argv[2]) if i == 0 else draw.uniform(1, load))
    rows += [{"uid": f"pkg.Benchmark{i}", "type": "time", "subtype": "real", "amount": level * math.exp(abs(draw.gauss(0, 0.01))), "order": k} for k in range(6)]
json.dump({"header": {"type": "time", "cmd": "go test", "workload": "", "units": {"time": "ns"}},
           "collector_info": {"name": "benchmark", "params": {}}, "postprocessors": [],
           "machine": {"cpu": {"total": 2, "model": "cpu", **({"load": f"{2 * load:.2f}"} if load > 1 else {})}}, "resources": rows}, sys.stdout)
PYTHON
}
# benchmarks NAME TIME LOAD...: twelve versions, the last of which have these times of the first benchmark and loads.
benchmarks() {
	local number
	cd "$work" && new_repo "$1" && perun init >/dev/null
	shift
	for number in $(seq $((12 - $# / 2))); do
		commit "version $number"
		benchmark $number 1 1
		perun add benchmark.perf >/dev/null
	done
	while [ $# -gt 0 ]; do
		commit "version $1 $2"
		benchmark "$# $2" "$1" "$2"
		perun add benchmark.perf >/dev/null
		shift 2
	done
}
benchmarks loaded 1.8 1.8 1.8 1.8
run perun check all
check 'times of two versions that a busy machine explains' test "$(findings)" = 0
benchmarks calmer 1.8 1.8 1.8 1 1.8 1.8
run perun check all
check 'of three, of which the calm one shares the change' test "$(findings)" = 1
expect_out 'slower  pkg.Benchmark0'
benchmarks returned 1.8 1.8 1.8 1.8 1 1
run perun check all
check 'and its end' test "$(findings)" = 0
benchmarks larger 30 1.8 30 1.8
run perun check all
expect_out 'slower  pkg.Benchmark0' 'more than a busy machine explains'
cd "$work/pairs"
benchmark a 1 1 && mv benchmark.perf calm.perf
benchmark b 1.8 1.8 && mv benchmark.perf busy.perf
expect_status 0 perun check profiles calm.perf busy.perf
expect_out 'undecided'
benchmark c 1.8 1 && mv benchmark.perf slow.perf
expect_status 1 perun check profiles calm.perf slow.perf
expect_out 'slower  pkg.Benchmark0'
# Where nothing says that it waited for its turn, it may sleep.
history asleep 7 9 0 1
for number in 10 11 12 13 14; do
	commit "version $number"
	SLEEPS=0.8 version "7$number" 0 0 1
	perun add --force ./*.perf >/dev/null
done
run perun check all
check 'a command that sleeps is slower' test "$(findings)" = 1
expect_out 'slower  time(real)'
finish
