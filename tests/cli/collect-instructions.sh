#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The collector instructions: the same numbers in each run, those of callgrind, children, refusals.
. "${top_srcdir:-.}/tests/cli/lib.sh"
collector=instructions
fact_helpers='
f = {} # amounts by function and event
for x in r:
    key = x["uid"]["function"], x["subtype"]
    f[key] = f.get(key, 0) + x["amount"]'
. "$top_srcdir/tests/cli/collect-lib.sh"
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

collect -- ./work
first=$(fact 'f["work", "Ir"], f["more", "Ir"]')
expect_fact True 'f["work", "Ir"] > 300000 and f["more", "Ir"] > 100000' 'each function has its own instructions'
expect_fact True 'p["instructions"]["Ir"] == sum(f.values())' 'their sum is that of the program'
expect_fact True 'p["header"]["overhead"]["amount"] > 0 and p["header"]["overhead"]["per"] == "program"' 'how much slower it makes programs'
expect_fact "{'work.c'}" '{x["uid"]["source"] for x in r if x["uid"]["function"] in ("work", "more")}' 'sources are named from the folder of the program'
expect_fact "mixed instructions {'Ir'}" '"%s %s %s" % (p["header"]["type"], r[0]["type"], {k[1] for k in f})' 'type and event, in a profile of a type that the Python program knows'
collect -- ./work
expect_text "$first" "$(fact 'f["work", "Ir"], f["more", "Ir"]')" 'the same numbers in each run'
valgrind --tool=callgrind --callgrind-out-file=own.out --log-file=/dev/null ./work
summary=$(awk '/^(summary|totals):/ {print $2; exit}' own.out)
expect_fact True "abs(p['instructions']['Ir'] / $summary - 1) < 0.01" 'as many as callgrind counts, but for what the loader does'
expect_status 0 "$PERUN" show 0@p top
expect_out 'work'
# Addresses of code without names move with each build.
if command -v strip >/dev/null; then
	strip -o bare work
	collect -- ./bare
	expect_fact 'True True' '"%s %s" % (f["[bare]", "Ir"] > 300000, not [k for k in f if k[0].startswith("0x")])' 'code without names is that of its file'
fi
collect --cache --branches -- './work twice'
expect_fact True '{"Ir", "Dr", "Dw", "D1mr", "Bc", "Bcm"} <= {k[1] for k in f} and f["work", "Ir"] > 500000' 'events of the cache and of branches'
printf '#!/bin/sh\n./work\n./work\nexit 7\n' >script && chmod +x script
expect_status 3 "$PERUN" collect -c ./script instructions
expect_err 'exited with 7'
echo '#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int sum;
__attribute__((noinline)) void work(int n) { for (int i = 0; i < n; i++) sum += i; }
__attribute__((noinline)) void child(int n) { for (int i = 0; i < n; i++) sum += i; }
int main(void)
{
	work(100000);
	for (int i = 0; i < 2; i++) {
		if (fork() == 0) { child(100000); exit(0); }
		wait(NULL);
	}
	return 0;
}' >forks.c
$cc -g -O1 -o forks forks.c
collect -- ./forks
expect_fact '3 True' '"%d %s" % (p["instructions"]["processes"], abs(f["child", "Ir"] / f["work", "Ir"] - 2) < 0.01)' 'what was before a fork is counted once'
collect --no-children -- ./forks
expect_fact '1 False' '"%d %s" % (p["instructions"]["processes"], ("child", "Ir") in f)' 'without children'
# Functions add up to the program, which is compared as a whole, too; it is the first that is printed.
"$PERUN" collect -c ./work instructions >/dev/null && "$PERUN" convert 0@p base.perf >/dev/null
"$PERUN" collect -c './work twice' instructions >/dev/null && "$PERUN" convert 0@p more.perf >/dev/null
expect_status 1 "$PERUN" check -f profiles base.perf more.perf
expect_out 'higher  instructions(Ir)  ' 'the whole program'
expect_out 'higher  work.c:work  instructions(Ir)  ' 'and the function'
collect --ignore-status -- ./script
expect_fact True 'f["work", "Ir"] == 2 * '"$(echo "$first" | tr -d '(,' | cut -d' ' -f1)"' and p["instructions"]["processes"] == 3' 'children are counted'
expect_status 3 "$PERUN" collect -c 'sleep 60' instructions --timeout 0.5
expect_err 'timed out after'
finish
