#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The collector trace by breakpoints of the kernel: programs as they are, exact numbers, places, sizes.
. "${top_srcdir:-.}/tests/cli/lib.sh"
[ -e "$top_builddir/collectors/trace/perun-trace.so" ] || skip_all 'the collector trace was not built'
collector=trace
fact_helpers='
def calls(name):
    return sum(x.get("calls", 1) for x in r if x["uid"] == name)'
. "$top_srcdir/tests/cli/collect-lib.sh"

cat >fib.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(int count, char **words) { return fib(count > 1 ? atoi(words[1]) : 10) < 0; }
C
$cc -g -O1 -o fib fib.c || skip_all 'cannot compile'
"$PERUN" collect -c ./fib trace --engine uprobes >out 2>err
if [ $? = 4 ]; then
	# Without the privilege the reason is reported; that is all that can be tried.
	check 'what is missing is named' grep -q -e CAP_SYS_ADMIN -e CONFIG_UPROBE_EVENTS -e x86_64 err
	expect_status 4 "$PERUN" collect -c ./fib trace
	expect_err 'compile it with -finstrument-functions'
	skip 'uprobes are not permitted here'
	finish
	exit
fi
expect_fact 'uprobes 177 1' '"%s %d %d" % (p["trace"]["engine"], calls("fib"), calls("main"))' 'by perf_event_open'
rm -f .perun/jobs/*
# Any number of breakpoints is one event: the kernel would wait for each of so many for a tenth of a second.
python3 - <<'P' >many.c
for i in range(300):
    print(f"__attribute__((noinline)) int step_{i}(int n) {{ __asm__ volatile(\"\"); return n + {i}; }}")
print("int main(void)\n{\n\tint n = 0;\n" + "".join(f"\tn += step_{i}(n);\n" for i in range(300)) + "\treturn n == 1;\n}")
P
if [ -w /sys/kernel/tracing/uprobe_events ] && $cc -g -O1 -o many many.c; then
	expect_status 0 timeout 20 "$PERUN" collect -c ./many trace --engine uprobes
	expect_fact '301' 'sum(x.get("calls", 1) for x in r)' 'many functions by perf_event_open, in seconds'
	rm -f .perun/jobs/*
	cat >sized.c <<'C'
struct list { long first; int length; };
__attribute__((noinline)) long insert(struct list *list, int by) { __asm__ volatile("" ::: "memory"); return list->length += by; }
int main(void) { struct list list = {0, 5}; for (int i = 0; i < 3; i++) insert(&list, 2); return 0; }
C
	$cc -g -O1 -o sized sized.c
	"$PERUN" collect -c ./sized trace --engine uprobes --size 'insert=*(arg1+8):4' >out 2>err
	expect_fact '[5, 7, 9]' 'sorted(x["structure-unit-size"] for x in r if x["uid"] == "insert")' 'sizes from memory'
	rm -f .perun/jobs/*
	"$PERUN" collect -c ./sized trace --engine uprobes --size 'insert=arg2:4' >out 2>err
	expect_fact '[2, 2, 2]' 'sorted(x["structure-unit-size"] for x in r if x["uid"] == "insert")' 'and from arguments'
	# A name that tracefs cannot have: an event for each breakpoint.
	mkdir 'a folder' && cp fib 'a folder/fib' && rm -f .perun/jobs/*
	"$PERUN" collect -c "'a folder/fib'" trace --engine uprobes >out 2>err
	expect_fact '177' 'calls("fib")' 'a file with a blank in its name'
	rm -f .perun/jobs/*
fi
# The rest is by eBPF where that is there.
"$PERUN" collect -c ./fib trace --engine ebpf >out 2>err || check 'what is missing is named' grep -q -e CAP_BPF -e 'Linux 6.6' err

# ---- numbers of calls ---------------------------------------------------------------------------------
collect -- ./fib
expect_err 'traced as it is'
expect_fact '177 1 0' '"%d %d %d" % (calls("fib"), calls("main"), p["trace"]["lost_events"])' \
	'a program as it is: each call is a resource'
expect_fact True 'abs(sum(x["exclusive"] for x in r) - max(x["amount"] for x in r)) < 1' 'times add up to those of main'
expect_fact True 'sorted(x["call-order"] for x in r) == list(range(178))' 'the order of calls'
expect_fact "['fib', 'fib', 'main']" '[f["function"] for f in next(x["trace"] for x in r if x["call-order"] == 2)]' 'stacks'
expect_fact 'fib.c 2' '"%(source)s %(line)s" % next(x["trace"][0] for x in r if x["uid"] == "fib")' 'source and line'
collect --func 'f?b' --limit 100 -- './fib 18'
expect_fact "8361 {'fib'} True" '"%d %s %s" % (calls("fib"), {x["uid"] for x in r}, p["trace"]["grouped"])' \
	'functions by pattern; many calls are added up'
expect_fact 18 'len(r)' 'a resource for each stack'
collect --size fib=arg1:4 -- './fib 6'
expect_fact '[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6]' \
	'sorted(x["structure-unit-size"] for x in r if x["uid"] == "fib")' 'sizes from an argument'
collect --exclude-below 1s --exclude-after 100 --func fib -- './fib 27'
expect_err 'small functions'
expect_fact 'True True' '"%s %s" % (calls("fib") >= 100, p["trace"]["excluded"][0]["function"] == "fib")' 'small functions are left out'
expect_fact True '(lambda x: x["calls"] == calls("fib") and x["estimated_rest"] >= 0 and x["until"] > 0)(p["trace"]["excluded"][0])' \
	'what that loses is reported'
# A share of the time that is asked for holds here, too; without one all calls are there.
collect --overhead 5 --limit 100 -- './fib 27'
expect_fact True '(lambda x: x["function"] == "fib" and x["calls"] == calls("fib") < 832040)(p["trace"]["excluded"][0])' 'what takes more than its share is left out'
collect --limit 100 --func fib -- './fib 20'
expect_fact "21891 []" '"%d %s" % (calls("fib"), p["trace"]["excluded"])' 'nothing is left out unasked'
collect --limit 100 --depth 1 -- './fib 5'
expect_fact "{'main'}" '{x["uid"] for x in r}' 'near the roots of the call graph'

# ---- places -------------------------------------------------------------------------------------------
cat >loop.c <<'C'
__attribute__((noinline)) static int step(int i) { __asm__ volatile(""); return i + 1; }
int main(void)
{
	int at = 0;
	for (int i = 0; i < 20; i++)
		at = step(at);
	__asm__ volatile("");
	return at != 20;
}
C
$cc -g -O1 -o loop loop.c
collect --probe loop=step --probe whole=main..loop.c:8 -- ./loop
expect_fact "20 1 ['loop', 'whole']" '"%d %d %s" % (calls("loop"), calls("whole"), sorted({x["uid"] for x in r}))' 'places'
expect_fact True 'sum(x["amount"] for x in r if x["uid"] == "loop") < next(x["amount"] for x in r if x["uid"] == "whole")' 'the time between them'
expect_status 3 "$PERUN" collect -c ./loop trace --probe x=nothing+4
expect_err 'there is no code at nothing+4'
expect_status 2 "$PERUN" collect -c ./loop trace --probe nothing
expect_status 3 "$PERUN" collect -c ./loop trace --func 'no*such'
expect_err 'has no function no*such'

# ---- threads, processes, signals, jumps, tail calls ------------------------------------------------------
cat >work.c <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static jmp_buf target;
#define KEEP __attribute__((noinline, noipa))
KEEP void jump(int depth)
{
	if (depth == 0)
		longjmp(target, 1);
	jump(depth - 1);
	__asm__ volatile("");
}
KEEP int after(int x) { __asm__ volatile(""); return x; }
KEEP int tail(int x) { return after(x + 1); }
KEEP int deep(int n) { int x = n ? deep(n - 1) : 0; __asm__ volatile(""); return x + 1; }
KEEP void handler(int number) { after(number); }
KEEP void *body(void *data)
{
	for (int i = 0; i < 50; i++)
		after(i);
	return data;
}
int main(int count, char **words)
{
	pthread_t threads[4];
	if (count > 1)
		return after(0);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, body, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	if (setjmp(target) == 0)
		jump(5);
	after(1);
	tail(1);
	deep(200);
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	if (fork() == 0) {
		after(2);
		execl(words[0], words[0], "again", NULL);
	}
	wait(NULL);
	exit(0);
}
C
sed -i 's/noinline, noipa/noinline/' work.c
$cc -g -O2 -fno-inline -fno-ipa-cp -foptimize-sibling-calls -o work work.c -pthread 2>/dev/null ||
	$cc -g -O2 -o work work.c -pthread
collect -- ./work
expect_fact '4 6 1 201 1 2' '"%d %d %d %d %d %d" % tuple(map(calls, ("body", "jump", "tail", "deep", "handler", "main")))' \
	'threads, jumps, deep recursion, signals, exec'
expect_fact 205 'calls("after")' 'all calls of one function'
expect_fact "['after', 'handler', 'main']" '[f["function"] for f in next(x["trace"] for x in r if x["uid"] == "after" and x["trace"][1:2] and x["trace"][1]["function"] == "handler")]' \
	'a handler of a signal is called in the middle'
expect_fact "[['main']] 1" '"%s %d" % ([[f["function"] for f in x["trace"][1:]] for x in r if x["uid"] == "tail"], len([x for x in r if x["uid"] == "after" and x["trace"][1:2] and x["trace"][1]["function"] == "tail"]))' \
	'a tail call is inside'
expect_fact 2 'p["trace"]["processes"]' 'processes are counted'

# ---- kinds of programs ----------------------------------------------------------------------------------
$cc -g -O1 -no-pie -o fixed fib.c 2>/dev/null && {
	collect -- ./fixed
	expect_fact 177 'calls("fib")' 'a program at a fixed address'
}
if $cc -g -O1 -static -o static fib.c 2>/dev/null; then
	collect --func fib --func main -- ./static
	expect_fact '177 1' '"%d %d" % (calls("fib"), calls("main"))' 'a static program'
	expect_status 3 "$PERUN" collect -c ./static trace --most-functions 50
	expect_err 'functions to trace, more than 50'
else
	skip 'no static C library'
fi
cp fib stripped && strip stripped
expect_status 3 "$PERUN" collect -c ./stripped trace
expect_err 'has no symbols of functions'
collect --probe "fib=0x$(nm fib | sed -n 's/^0*\([^ ]*\) . fib$/\1/p')" -- ./stripped
expect_fact 177 'calls("fib")' 'an address of a stripped program'
cat >late.c <<'C'
#include <dlfcn.h>
int main(void)
{
	void *library = dlopen("./libextra.so", RTLD_NOW);
	int (*extra)(int) = (int (*)(int))dlsym(library, "extra");
	for (int i = 0; i < 7; i++)
		extra(i);
	return 0;
}
C
echo 'int extra(int n) { return n * 3; }' >extra.c
$cc -g -O1 -shared -fPIC -o libextra.so extra.c && $cc -g -O1 -o late late.c -ldl
collect --binary libextra.so -- ./late
expect_fact '7 1' '"%d %d" % (calls("extra"), calls("main"))' 'a library that is loaded later'
cat >plus.cc <<'C'
#include <stdexcept>
namespace space { struct thing { __attribute__((noinline)) void go(int n) { if (n == 0) throw std::runtime_error("x"); go(n - 1); asm(""); } }; }
__attribute__((noinline)) static void attempt(int n) { try { space::thing().go(n); } catch (std::exception &) { asm(""); } }
int main() { attempt(3); attempt(3); }
C
if ${CXX:-c++} -g -O1 -o plus plus.cc 2>/dev/null; then
	collect -- ./plus
	expect_fact '8 2' '"%d %d" % (calls("space::thing::go(int)"), sum(x["uid"].startswith("attempt") for x in r))' 'exceptions pass through'
	collect --func 'space::thing::*' -- ./plus
	expect_fact "{'space::thing::go(int)'}" '{x["uid"] for x in r}' 'names of C++ by pattern'
else
	skip 'no C++ compiler'
fi
printf '#!/bin/sh\n./fib 4\n' >script
chmod +x script
collect --engine ebpf --binary fib --func fib -- ./script
expect_fact 9 'calls("fib")' 'a program that a script starts'

# The budget holds although breakpoints are met one after the other, where the kernel would take none away.
cat >busy.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) static int tiny(int n) { __asm__ volatile(""); return n + 1; }
__attribute__((noinline)) static int middle(int n) { int s = 0; for (int i = 0; i < 20000; i++) s = tiny(s); return s + n; }
int main(int c, char **v) { int s = 0; for (int i = 0; i < atoi(v[c - 1]); i++) s += middle(i); return s == 1; }
C
$cc -g -O1 -o busy busy.c
for engine in uprobes ebpf; do
	collect --engine $engine --overhead 10 --timeout 20 -- './busy 20000'
	expect_fact True '"tiny" in [f["function"] for f in p["trace"]["excluded"]]' "$engine: what is called too often goes"
done

# The time in which the program is stopped for that is not its own: here a second each.
cat >slow.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int kill(pid_t pid, int number)
{
	if (number == SIGCONT) {
		FILE *file = fopen("stops", "a");
		fprintf(file, "1\n");
		fclose(file);
		sleep(1);
	}
	return (int)syscall(SYS_kill, pid, number);
}
C
$cc -shared -fPIC -o slow.so slow.c
rm -f .perun/jobs/*
start=$(date +%s%N)
LD_PRELOAD="$PWD/slow.so" ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" \
	"$PERUN" collect -c './busy 5000' trace --engine uprobes --overhead 10 >out 2>err
elapsed=$((($(date +%s%N) - start) / 1000000)) stops=$(wc -l <stops)
expect_fact "True True" "'%s %s' % ($stops > 0, sum(x['amount'] for x in r if x['uid'] == 'main') / 1000 < $elapsed - $stops * 900)" \
	'the time in which the program is stopped does not count'

# While breakpoints go the program is stopped. Perun killed in that moment does not leave it so: it ends with Perun.
cat >killer.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int kill(pid_t pid, int number)
{
	long result = syscall(SYS_kill, pid, number);
	if (number == SIGSTOP) {
		FILE *file = fopen("stopped", "w");
		fprintf(file, "%d\n", (int)pid);
		fclose(file);
		syscall(SYS_kill, getpid(), SIGKILL);
	}
	return (int)result;
}
C
$cc -shared -fPIC -o killer.so killer.c
LD_PRELOAD="$PWD/killer.so" ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" \
	"$PERUN" collect -c './busy 20000' trace --engine uprobes --overhead 10 >out 2>err
check 'Perun was killed' [ $? = 137 ]
for _ in $(seq 100); do
	[ -e "/proc/$(cat stopped)/exe" ] || break
	sleep 0.1
done
leftovers() { cat /sys/kernel/tracing/uprobe_events 2>/dev/null | grep -c "$PWD/busy:"; }
before=$(leftovers)
"$PERUN" collect -c ./fib trace --engine uprobes >out 2>err
check "breakpoints that a killed one defined ($before) are removed by the next one" [ "$(leftovers)" = 0 ]
check 'the program is not left stopped' [ -s stopped -a ! -e "/proc/$(cat stopped)/exe" ]
finish
