# SPDX-License-Identifier: BSD-3-Clause
# An unchanged program on a busy machine: each benchmark of a session is moved by a factor of its own, which its runs, one after the
# other within a second, do not show. A change that exceeds what benchmarks are moved by is found all the same.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed'

# session SEED BUSY [NAME FACTOR]: eleven benchmarks of six runs; BUSY is the deviation of a session, in the logarithm.
session() {
	python3 - "$@" <<'PYTHON'
import math, random, sys
seed, busy, changed, factor = int(sys.argv[1]), float(sys.argv[2]), (sys.argv[3:] + [""])[0], float((sys.argv[4:] + ["1"])[0])
for i in range(11):
    draw = random.Random(f"{seed} {i}")
    moved = math.exp(abs(draw.gauss(0, busy)))
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
