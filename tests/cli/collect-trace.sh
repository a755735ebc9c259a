#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The collector trace: exact numbers of calls, times that add up, sizes, threads, fork, jumps, what it builds.
. "${top_srcdir:-.}/tests/cli/lib.sh"
[ -e "$top_builddir/collectors/trace/perun-trace.so" ] || skip_all 'the collector trace was not built'
collector=trace
fact_helpers='
def calls(name):
    return sum(x.get("calls", 1) for x in r if x["uid"] == name)'
. "$top_srcdir/tests/cli/collect-lib.sh"
build="$cc -g -O1 -finstrument-functions -pthread"

# ---- numbers of calls and times ---------------------------------------------------------------------
cat >fib.c <<'C'
__attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(int count, char **words) { return fib(count > 1 ? 10 * (words[1][0] - '0') + words[1][1] - '0' : 10) < 0; }
C
$build -o fib fib.c || skip_all 'cannot compile'
collect -- ./fib
expect_fact '178 177 1' '"%d %d %d" % (len(r), calls("fib"), calls("main"))' 'each call is a resource'
expect_fact "mixed {'mixed(time delta)': 'us'} {'time delta'}" \
	'"%s %s %s" % (p["header"]["type"], p["header"]["units"], {x["subtype"] for x in r})' 'type and unit'
expect_fact True 'abs(sum(x["exclusive"] for x in r) - max(x["amount"] for x in r)) < 0.2' 'times add up to those of main'
expect_fact True 'all(0 <= x["exclusive"] <= x["amount"] for x in r)' 'exclusive is a part of inclusive'
expect_fact True 'sorted(x["call-order"] for x in r) == list(range(178))' 'the order of calls'
expect_fact "['fib', 'fib', 'main']" '[f["function"] for f in next(x["trace"] for x in r if x["call-order"] == 2)]' 'stacks'
expect_fact "fib.c 1" '"%(source)s %(line)s" % next(x["trace"][0] for x in r if x["uid"] == "fib")' 'source and line'
expect_fact True '0 < p["trace"]["call_overhead"] < 5000' 'the overhead is reported'
expect_fact True 'p["header"]["overhead"]["amount"] == p["trace"]["call_overhead"]' 'and in the header, as of all collectors'
collect --limit 1000 -- './fib 22'
expect_err 'added up by stack'
expect_fact '57313 1 True' '"%d %d %s" % (calls("fib"), calls("main"), p["trace"]["grouped"])' \
	'many calls are added up, none is lost'
expect_fact 23 'len([x for x in r if x["uid"] in ("fib", "main")])' 'a resource for each stack'
expect_status 0 "$PERUN" show 0@p flamegraph
expect_out 'fib'
expect_status 0 "$PERUN" show 0@p top
expect_out 'exclusive of'
collect -g 100 -- './fib 22'
expect_fact True '500 < calls("fib") < 700' 'each 100th call of a stack'
collect -s fib 10 -- ./fib
expect_fact '18 1' '"%d %d" % (calls("fib"), calls("main"))' 'each 10th call of one function'
collect -f 'ma*' -- ./fib
expect_fact "{'main'}" '{x["uid"] for x in r}' 'functions by pattern'

# ---- sizes, threads, processes, ends that do not come -------------------------------------------------
cat >work.c <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern void perun_trace_size(long size) __attribute__((weak));
static jmp_buf target;
__attribute__((noinline)) static long sum(long n)
{
	volatile long total = 0;
	if (perun_trace_size)
		perun_trace_size(n);
	for (long i = 0; i < n * 100; i++)
		total += i;
	return total;
}
__attribute__((noinline)) static void jump(int depth)
{
	if (depth == 0)
		longjmp(target, 1);
	jump(depth - 1);
	__asm__ volatile("");
}
__attribute__((noinline)) static void after(void) { __asm__ volatile(""); }
static void *body(void *data)
{
	for (int i = 0; i < 50; i++)
		after();
	return data;
}
int main(void)
{
	pthread_t threads[4];
	for (long i = 1; i <= 20; i++)
		sum(i);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, body, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	if (setjmp(target) == 0)
		jump(5);
	after();
	if (fork() == 0) {
		after();
		_exit(0);
	}
	wait(NULL);
	exit(0);
}
C
$build -o work work.c
collect -- ./work
expect_fact '20 4 202 1' '"%d %d %d %d" % tuple(map(calls, ("sum", "body", "after", "main")))' 'threads and processes, exit()'
expect_fact True 'sorted(x["structure-unit-size"] for x in r if x["uid"] == "sum") == list(range(1, 21))' 'sizes as the program says'
expect_fact True '(lambda a: sorted(a[11:])[4] > sorted(a[1:10])[4])([x["amount"] for x in sorted(r, key=lambda x: x["structure-unit-size"]) if x["uid"] == "sum"])' \
	'the larger took longer'
expect_fact 6 'calls("jump")' 'calls that a long jump left are counted'
expect_fact 6 'len({x["tid"] for x in r})' 'threads have their numbers'
expect_fact '6 2' '"%(threads)d %(processes)d" % p["trace"]' 'threads and processes are counted'
expect_status 0 "$PERUN" postprocessby 0@p regression-analysis -m full -r linear
if printf '#include <stdexcept>\nnamespace space { struct thing { void go(int n) { if (n == 0) throw std::runtime_error("x"); go(n - 1); } }; }\nint main() { try { space::thing t; t.go(3); } catch (std::exception &) {} }\n' >plus.cc &&
	${CXX:-c++} -g -O0 -finstrument-functions -o plus plus.cc 2>/dev/null; then
	collect -- ./plus
	expect_fact 4 'calls("space::thing::go(int)")' 'C++: names, and functions that an exception leaves'
else
	skip 'no C++ compiler'
fi

# ---- what it builds itself -----------------------------------------------------------------------------
rm -f .perun/jobs/*
expect_status 0 "$PERUN" collect -c 'ignored 12' trace --files fib.c --target-dir built --compiler "$cc"
expect_fact 465 'calls("fib")' 'a program built from its sources, with the arguments'
check 'it stays where it is wanted' test -x built/traced
echo 'int main(void) { return nothing; }' >bad.c
expect_status 3 "$PERUN" collect trace --files bad.c --compiler "$cc"
expect_err 'cannot build the program to trace'
expect_err 'nothing'

# ---- what is refused -----------------------------------------------------------------------------------
$cc -o plain fib.c
expect_status 3 "$PERUN" collect -c ./plain trace --engine compiled
expect_err 'compile it with -finstrument-functions'
expect_status 4 "$PERUN" collect -c ./missing trace
expect_status 2 "$PERUN" collect trace
expect_err 'no command to trace'
if $build -static -o static fib.c 2>/dev/null; then
	expect_status 3 "$PERUN" collect -c ./static trace --engine compiled
	expect_err 'statically linked'
else
	skip 'no static C library'
fi
finish
