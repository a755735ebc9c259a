# SPDX-License-Identifier: BSD-3-Clause
# An unchanged program on a busy machine: each benchmark of a session is moved by a factor of its own, which its runs, one after the
# other within a second, do not show. A change that exceeds what benchmarks are moved by is found all the same.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed'

# session SEED BUSY [NAME FACTOR]: eleven benchmarks of six runs; BUSY is the deviation of a session, in the logarithm.
# DISPLACED names another that alone takes 1.4 times as long, in all of its runs.
session() {
	python3 - "$@" <<'PYTHON'
import math, os, random, sys
seed, busy, changed, factor = int(sys.argv[1]), float(sys.argv[2]), (sys.argv[3:] + [""])[0], float((sys.argv[4:] + ["1"])[0])
for i in range(11):
    draw = random.Random(f"{seed} {i}")
    moved = math.exp(abs(draw.gauss(0, busy))) * (1.4 if f"Part{i}" == os.environ.get("DISPLACED") else 1)
    for _ in range(6):
        value = (4000 + 1000 * i) * moved * math.exp(draw.gauss(0, 0.02 + busy / 2)) * (factor if f"Part{i}" == changed else 1)
        print(f"BenchmarkPart{i}-2   \t    1000\t{value:10.1f} ns/op")
PYTHON
}
findings() { grep -cE '^[0-9a-f]{8}  (slower|faster)' <<<"$out"; }
# history NAME BUSY VERSIONS [BENCHMARK FACTOR AT]: the versions from AT on are changed.
history() {
	cd "$work" && new_repo "$1" && perun init >/dev/null
	for version in $(seq "$3"); do
		commit "version $version"
		if [ -n "${4-}" ] && [ "$version" -ge "$6" ]; then
			session "$version$3" "$2" "$4" "$5" >../bench.txt
		else
			session "$version$3" "$2" >../bench.txt
		fi
		perun import -w all ../bench.txt >/dev/null
	done
}

for seed in 1 2 3 4 5 6; do
	session $seed 0.4 >one.txt
	session 1$seed 0.4 >other.txt
	expect_status 0 perun check --force profiles one.txt other.txt
	check "pair $seed of an unchanged program" test "$(grep -cE '^(slower|faster)' <<<"$out")" = 0
done
for versions in 3 4 5 7; do
	history "same$versions" 0.4 $versions
	run perun check all
	check "$versions versions of an unchanged program" test "$(findings)" = 0
	history "slow$versions" 0.4 $versions Part4 12 $((versions - 1))
	run perun check all
	check "one of $versions versions made a benchmark twelve times slower" test "$(findings)" = 1
	expect_out 'BenchmarkPart4-2'
	check 'history says the same' test "$(perun history 'time(real)' --location BenchmarkPart4-2 | grep -c '1 change')" = 1
done
# Commands that are measured one by one show how far apart sessions are, as benchmarks of one program do.
# commands SEED BUSY [NUMBER FACTOR]: profiles of eight commands, each with six runs.
commands() {
	python3 - "$@" <<'PYTHON'
import json, math, random, sys
seed, busy, changed, factor = int(sys.argv[1]), float(sys.argv[2]), int((sys.argv[3:] + ["-1"])[0]), float((sys.argv[4:] + ["1"])[0])
for i in range(8):
    draw = random.Random(f"{seed} {i}")
    level = (1 + i) / 100 * math.exp(abs(draw.gauss(0, busy))) * (factor if i == changed else 1)
    runs = [level * math.exp(draw.gauss(0, 0.02 + busy / 4)) for _ in range(6)]
    json.dump({"header": {"type": "time", "cmd": f"./tool {i}", "workload": "", "units": {"time": "s"}},
               "collector_info": {"name": "time", "params": {}}, "postprocessors": [],
               "resources": [{"uid": "real", "type": "time", "amount": run, "order": k} for k, run in enumerate(runs)]},
              open(f"{i}.perf", "w"))
PYTHON
}
for factor in 1 8; do
	cd "$work" && new_repo "commands$factor" && perun init >/dev/null
	for version in 1 2 3 4; do
		commit "version $version"
		commands "3$version" 0.4 5 $([ $version -ge 3 ] && echo $factor || echo 1)
		perun add --force ./*.perf >/dev/null
	done
	run perun check all
	check "commands, one $factor times as slow" test "$(findings)" = $((factor > 1))
	run perun check head
	check 'and of the head nothing' test "$(findings)" = 0
done
run perun check all
expect_out './tool 5'
# Where something shares the core for a second now and then, one benchmark of a session is displaced: the latest session may be one.
bursts() {
	cd "$work" && new_repo bursts && perun init >/dev/null
	for version in $(seq 9); do
		commit "version $version"
		displaced=
		case $version in
		3 | 6 | 9) displaced=Part$((version - 1)) ;;
		esac
		DISPLACED=$displaced session "$version" 0.005 >../bench.txt
		perun import -w all ../bench.txt >/dev/null
	done
}
bursts
run perun check all
check 'a single session of one benchmark is no change' test "$(findings)" = 0
# open_names: what is undecided, as the last command names it.
open_names() { sed -n 's/^\(undecided: [^)]*)\).*/\1/p' <<<"$out"; }
all=$(open_names)
run perun status
expect_text "$all" "$(open_names)" 'status knows what check all left undecided'
expect_status 0 perun check head
check 'which is undecided' grep -q '^undecided: .*BenchmarkPart8-2' <<<"$out"
expect_text "$all" "$(open_names)" 'and names the same'
run perun status
expect_text "$all" "$(open_names)" 'as status does'
# What stays for three versions is one.
for version in 10 11 12; do
	commit "version $version"
	session $version 0.005 Part5 1.3 >../bench.txt
	perun import -w all ../bench.txt >/dev/null
done
run perun check all
check 'a change that stays is found' test "$(findings)" = 1
expect_out 'BenchmarkPart5-2'
# What a busy session may have moved is no change, nor is then the way back to the same level in a quiet one.
cd "$work" && new_repo back && perun init >/dev/null
for version in $(seq 12); do
	commit "version $version"
	case $version in
	5) session $version 0.3 Part3 1.3 ;;
	6 | 7 | 8) session $version 0.005 Part3 1.3 ;;
	*) session $version 0.005 ;;
	esac >../bench.txt
	perun import -w all ../bench.txt >/dev/null
done
run perun check all
check 'up and back to where it was is no change' test "$(findings)" = 0
cd "$work" || exit
# On a quiet machine small changes are found, also when most benchmarks have one.
session 1 0.005 >one.txt
session 2 0.005 Part7 1.2 >other.txt
expect_status 1 perun check --force profiles one.txt other.txt
expect_out 'BenchmarkPart7-2'
check 'one benchmark of eleven' test "$(grep -cE '^(slower|faster)' <<<"$out")" = 1
awk '{ $3 *= 1.25 + NR % 5 / 50; print $1, $2, $3, $4 }' other.txt >all.txt
expect_status 1 perun check --force profiles one.txt all.txt
check 'all of them' test "$(grep -cE '^slower' <<<"$out")" = 11
finish
