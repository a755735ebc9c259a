#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The collector instructions: the same numbers in each run, those of callgrind, children, refusals.
. "${top_srcdir:-.}/tests/cli/lib.sh"

cc=${CC:-cc}
cc=${cc%% *}
command -v "$cc" >/dev/null || skip_all 'no C compiler'
command -v python3 >/dev/null || skip_all 'no python3'
new_repo
"$PERUN" init >/dev/null 2>&1
echo 'static volatile int sum;
__attribute__((noinline)) static void work(int n) { for (int i = 0; i < n; i++) sum += i; }
__attribute__((noinline)) static void more(int n) { work(n); for (int i = 0; i < n; i++) sum += 2; }
int main(int count, char **words) { (void)words; work(100000 * count); more(50000); return 0; }' >work.c
$cc -g -O1 -o work work.c || skip_all 'cannot compile'

expect_status 4 "$PERUN" collect -c ./work instructions --valgrind ./no-valgrind
expect_err 'cannot run ./no-valgrind: it was not found'
expect_status 4 "$PERUN" collect -c ./missing instructions --valgrind true
if ! command -v valgrind >/dev/null; then
	skip 'valgrind is not installed'
	finish
fi

# fact EXPRESSION: of the only pending profile p, the document; f, amounts by function and event.
fact() {
	python3 - "$1" .perun/jobs/*.perf <<'PYTHON'
import json, sys
p = json.load(open(sys.argv[2]))
f = {}
for name, part in p["resources"].items():
    fixed = p["resource_type_map"][name]
    for amount in part["amount"]:
        key = fixed["uid"]["function"], fixed["subtype"]
        f[key] = f.get(key, 0) + amount
print(eval(sys.argv[1]))
PYTHON
}
collect() {
	rm -f .perun/jobs/*
	expect_status 0 "$PERUN" collect -c "$1" instructions "${@:2}"
}
expect_fact() { expect_text "$1" "$(fact "$2")" "$3"; }

collect ./work
first=$(fact 'f["work", "Ir"], f["more", "Ir"]')
expect_fact True 'f["work", "Ir"] > 300000 and f["more", "Ir"] > 100000' 'each function has its own instructions'
expect_fact True 'p["instructions"]["Ir"] == sum(f.values())' 'their sum is that of the program'
expect_fact "instructions {'Ir'}" '"%s %s" % (p["header"]["type"], {k[1] for k in f})' 'type and event'
collect ./work
expect_text "$first" "$(fact 'f["work", "Ir"], f["more", "Ir"]')" 'the same numbers in each run'
valgrind --tool=callgrind --callgrind-out-file=own.out --log-file=/dev/null ./work
summary=$(awk '/^(summary|totals):/ {print $2; exit}' own.out)
expect_fact True "abs(p['instructions']['Ir'] / $summary - 1) < 0.01" 'as many as callgrind counts, but for what the loader does'
expect_status 0 "$PERUN" show 0@p top
expect_out 'work'
collect './work twice' --cache --branches
expect_fact True '{"Ir", "Dr", "Dw", "D1mr", "Bc", "Bcm"} <= {k[1] for k in f} and f["work", "Ir"] > 500000' 'events of the cache and of branches'
printf '#!/bin/sh\n./work\n./work\nexit 7\n' >script && chmod +x script
expect_status 3 "$PERUN" collect -c ./script instructions
expect_err 'exited with 7'
collect ./script --ignore-status
expect_fact True 'f["work", "Ir"] == 2 * '"$(echo "$first" | tr -d '(,' | cut -d' ' -f1)"' and p["instructions"]["processes"] == 3' 'children are counted'
expect_status 3 "$PERUN" collect -c 'sleep 60' instructions --timeout 0.5
expect_err 'killed'
finish
