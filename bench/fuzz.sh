#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fuzz.sh [PROGRAM[@BYTES]...]: perun fuzz on programs with inputs that are known to be slow (bench/fuzz), and AFL++ where it is
# installed. Inputs have BYTES (8192) at most; where that is less than the seed has, its beginning is the seed. So short, also an
# exponential program ends before its limit, and searches are compared by what they found instead of by the limit.
# FUZZ_SEEDS (10) searches of FUZZ_TIME (60) seconds with FUZZ_JOBS (1) processes each; AFL++ has as many as FUZZ_PEERS (3), each
# as long. Prints for each program how many searches found an input that costs twice what its length explains, and of the
# longest path in edges that each search reached (a thousand millions at most): the seed's, the smallest, the
# median, and that of AFL++. What AFL++ ran into its time limit with counts, too. In brackets: the median of the seconds until a
# search wrote an input whose path is a hundred times the seed's, - where fewer than half did.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
perun=${PERUN:-$top/perun}
time=${FUZZ_TIME:-60} seeds=${FUZZ_SEEDS:-10} peers=${FUZZ_PEERS:-3} jobs=${FUZZ_JOBS:-1}
work=$(mktemp -d "${TMPDIR:-/tmp}/perun-fuzz.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
cc=${CC:-gcc}
runtime=$("$perun" fuzz --runtime)
export AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1

python3 - <<'P'
import os, random
choose = random.Random(3)
words = "alpha beta gamma delta parse copy sort count banana apple data value index".split()
numbers = "\n".join(str(choose.randrange(100000)) for _ in range(150)) + "\n"
for name, text in {
        "strings": ",".join('"%s"' % choose.choice(words) if i % 4 == 0 else choose.choice(words) for i in range(120)) + "\n",
        "table": "\n".join(" ".join(choose.choice(words) + str(choose.randrange(9)) for _ in range(8)) for _ in range(20)) + "\n",
        "regex": "\n".join(" ".join(choose.choice(words) for _ in range(5)) for _ in range(20)) + "\n",
        "sort": numbers, "list": numbers}.items():
    os.makedirs("seeds/" + name)
    open(f"seeds/{name}/seed", "w").write(text)
P
median() { sort -n "$1" | awk '{ all[NR] = $1 } END { print NR ? all[int((NR + 1) / 2)] : "-" }'; }
# The inputs below a directory that are not too long.
inputs() { find "$1" -type f -size -$((size + 1))c ! -name '*.seed' ! -name README.txt ! -name '.*' "${@:2}"; }
# The longest path that they take.
longest() {
	inputs "$2" -print0 |
		xargs -0 -r -n 500 sh -c 'timeout 600 "$0" "$@" || echo 1000000000' "./$1.count" | sort -n | tail -1
}
# The seconds from a time on until there was a file below a directory with a path of that length; 1000000 = there is none.
soonest() {
	inputs "$2" -printf '%T@ %p\n' | sort -n >files
	while read -r when file; do
		length=$(timeout 60 "./$1.count" "$file" || echo 1000000000)
		[ "$length" -lt "$4" ] || { awk "BEGIN { printf \"%.1f\\n\", $when - $3 }" && return; }
	done <files
	echo 1000000
}
seconds() { median "$1" | sed 's/^1000000$/-/'; }

printf '%-8s %9s %12s %12s %20s %20s\n' program found seed smallest median 'AFL++ median'
[ $# -gt 0 ] || set -- strings table regex regex@20 regex@24 sort list
for program; do
	name=${program%@*} size=${program#"$name"} size=${size#@}
	size=${size:-8192}
	mkdir -p "seeds/$program"
	[ "$program" = "$name" ] || head -c "$size" "seeds/$name/seed" >"seeds/$program/seed"
	"$cc" -g -O1 -fsanitize-coverage=trace-pc -c "$top/bench/fuzz/$name.c" -o "$name.o"
	"$cc" -O1 -c "$top/bench/fuzz/count.c" -o count.o
	"$cc" "$name.o" "$runtime" -o "$name" -lpcre2-8
	"$cc" "$name.o" count.o -o "$name.count" -lpcre2-8
	found=0
	: >ours
	: >theirs
	: >ours-first
	: >theirs-first
	seed_path=$("./$name.count" "seeds/$program/seed")
	for seed in $(seq "$seeds"); do
		rm -rf out
		start=$(date +%s.%N)
		"$perun" fuzz -w "seeds/$program" -o out -t "${time}s" -N $size --jobs "$jobs" --seed "$seed" --json -- "./$name" >result 2>/dev/null
		! python3 -c 'import json, sys; sys.exit(not json.load(open("result"))["finds"])' || found=$((found + 1))
		longest "$name" out >>ours
		soonest "$name" out "$start" $((seed_path * 100)) >>ours-first
	done
	if command -v afl-clang-fast >/dev/null && [ "$peers" -gt 0 ]; then
		afl-clang-fast -O1 -fsanitize=fuzzer "$top/bench/fuzz/$name.c" -o "$name.afl" -lpcre2-8 >/dev/null 2>&1
		for seed in $(seq "$peers"); do
			rm -rf peer
			start=$(date +%s.%N)
			afl-fuzz -i "seeds/$program" -o peer -V "$time" -G $size -s "$seed" -- "./$name.afl" >/dev/null 2>&1 || true
			longest "$name" peer >>theirs
			soonest "$name" peer "$start" $((seed_path * 100)) >>theirs-first
		done
	fi
	printf '%-8s %9s %12s %12s %20s %20s\n' "$program" "$found/$seeds" "$seed_path" "$(sort -n ours | head -1)" \
		"$(median ours) ($(seconds ours-first))" "$(median theirs) ($(seconds theirs-first))"
done
