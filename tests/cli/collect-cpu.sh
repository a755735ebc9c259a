#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The collector cpu and perun record: shares of functions, stacks, threads and children, attaching, refusals.
. "${top_srcdir:-.}/tests/cli/lib.sh"
collector=cpu
fact_helpers='
whole = sum(x["amount"] for x in r)
def share(*names): # of samples whose stack has these functions, in this order from the innermost
    def has(trace):
        found = [f["function"] for f in trace]
        return all(n in found for n in names) and sorted(found.index(n) for n in names) == [found.index(n) for n in names]
    return sum(x["amount"] for x in r if has(x["trace"])) / whole'
. "$top_srcdir/tests/cli/collect-lib.sh"

cat >work.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile double sum;
__attribute__((noinline)) static void spin(long n)
{
	for (long i = 0; i < n; i++)
		sum += (double)i;
}
__attribute__((noinline)) static void one(long n) { spin(n); __asm__ volatile(""); }
__attribute__((noinline)) static void three(long n) { spin(3 * n); __asm__ volatile(""); }
__attribute__((noinline)) static void in_child(long n) { spin(n); __asm__ volatile(""); }
static void *in_thread(void *data) { one(*(long *)data); return NULL; }
int main(int count, char **words)
{
	long n = count > 1 ? atol(words[1]) : 20000000;
	pthread_t thread;
	do {
		one(n);
		three(n);
		pthread_create(&thread, NULL, in_thread, &n);
		pthread_join(thread, NULL);
		if (fork() == 0) {
			in_child(n);
			_exit(0);
		}
		wait(NULL);
	} while (count > 2);
	return 0;
}
C
$cc -g -O1 -fomit-frame-pointer -pthread -o work work.c || skip_all 'cannot compile'
run "$PERUN" collect -c ./work cpu
case $status in
4) skip_all "the kernel does not permit samples: $err" ;;
esac

# ---- shares and stacks, without frame pointers ----------------------------------------------------------
collect -- ./work
expect_fact "time {'time': 'ms'} {'cpu'}" '"%s %s %s" % (p["header"]["type"], p["header"]["units"], {x["subtype"] for x in r})' 'type and unit'
expect_fact True '0.40 < share("spin", "three", "main") < 0.60' 'half of the time is in one function'
expect_fact True '0.24 < share("spin", "one") < 0.42' 'a third in another, called twice'
expect_fact True '0.10 < share("in_thread") < 0.24' 'threads are sampled'
expect_fact True '0.10 < share("in_child", "main") < 0.24' 'children are sampled'
expect_fact True 'abs(sum(x["samples"] for x in r) - whole) < 0.01 * whole + 1' 'a sample is a millisecond'
expect_fact True 'p["cpu"]["samples"] == sum(x["samples"] for x in r) and p["cpu"]["period"] == 1003009' 'what the profile says of the run'
expect_fact "work.c" 'next(x["uid"]["source"] for x in r if x["uid"]["function"] == "spin")' 'sources'
expect_fact "{'work'}" '{x["command"] for x in r}' 'names of programs'
expect_fact True '0 < p["header"].get("overhead", {"amount": 0.1})["amount"] < 1' 'what sampling costs, where it can be known'
collect --threads -- ./work
expect_fact 3 'len({x["tid"] for x in r if x["uid"]["function"] == "spin"})' 'threads apart'
collect --frequency 200 --user -- ./work
expect_fact True 'all(x["amount"] >= 5 for x in r) and not p["cpu"]["kernel"]' 'fewer samples, without the kernel'
expect_status 0 "$PERUN" show 0@p flamegraph
expect_out 'three'

# ---- shares, next to callgrind's ------------------------------------------------------------------------------
# The same loop behind three names, in turns of different lengths, so that neither the machine's pace nor the
# sampling's favours one.
if command -v valgrind >/dev/null; then
	cat >shares.c <<'C'
#include <stdlib.h>
static volatile double sum;
#define PART(name)                                                 \
	__attribute__((noinline)) static void name(unsigned count) \
	{                                                          \
		while (count--)                                    \
			sum += count;                              \
	}
PART(five) PART(three) PART(two)
int main(int count, char **words)
{
	unsigned random = 1;
	for (int rounds = count > 1 ? atoi(words[1]) : 10; rounds > 0; rounds--) {
		random = random * 1103515245 + 12345;
		unsigned part = 5000 + (random >> 16) % 20000;
		five(5 * part);
		three(3 * part);
		two(2 * part);
	}
	return 0;
}
C
	$cc -g -O1 -o shares shares.c
	valgrind --tool=callgrind --callgrind-out-file=calls.out ./shares 5 >/dev/null 2>&1
	collect --user -- './shares 1000'
	"$PERUN" convert calls.out calls.perf
	within=$(python3 - calls.perf .perun/jobs/*.perf <<'PYTHON'
import json, math, sys
def totals(path, metric):
    p = json.load(open(path))
    found = {}
    for name, part in p["resources"].items():
        fixed = p["resource_type_map"][name]
        trace = fixed.get("trace") or [fixed["uid"]]
        frames = [f["function"] if isinstance(f, dict) else f for f in trace]
        for function in ("five", "three", "two"):
            if function in frames[:1]:
                found[function] = found.get(function, 0) + sum(part[metric])
    return found
p = json.load(open(sys.argv[1]))
metric = next(m for m in ("Ir", "amount") if any(m in part for part in p["resources"].values()))
wanted, got = totals(sys.argv[1], metric), totals(sys.argv[2], "samples")
n, whole = sum(got.values()), sum(wanted.values())
bad = []
for function in wanted:
    share, true = got.get(function, 0) / n, wanted[function] / whole
    # Of 10000 such intervals one does not hold the true share.
    half = 4 * math.sqrt(true * (1 - true) / n)
    if abs(share - true) > half:
        bad.append("%s: %.3f instead of %.3f +- %.3f of %d samples" % (function, share, true, half, n))
print("; ".join(bad) if bad else "%d functions, %s" % (len(wanted), "some hundred samples" if n >= 100 else "%d samples" % n))
PYTHON
	)
	expect_text '3 functions, some hundred samples' "$within" "shares are callgrind's, within their confidence intervals"
else
	skip 'no valgrind'
fi

# ---- kinds of programs ----------------------------------------------------------------------------------------
cat >kinds.c <<'C'
static volatile double sum;
__attribute__((noinline)) static void inner(long n)
{
	for (long i = 0; i < n; i++)
		sum += (double)i;
}
__attribute__((noinline)) static void outer(long n) { inner(n); __asm__ volatile(""); }
int main(void)
{
	outer(20000000);
	return 0;
}
C
for kind in -static -static-pie -no-pie -s; do
	if ! $cc -O1 -fomit-frame-pointer $kind -o kind kinds.c 2>/dev/null; then
		skip "cannot link $kind"
		continue
	fi
	expect_status 0 "$PERUN" record --frequency 2000 -o kind.folded -- ./kind
	case $kind in
	-s) wanted='(\[kind\];){2,}\[kind\]' ;;
	*) wanted='main;outer;inner' ;;
	esac
	check "$kind: the stack is whole" grep -Eq "^$wanted [0-9]{2,}" kind.folded
	check "$kind: and nothing else" test "$(grep -Evc "^(\[kind\];|main|_start|\[kernel\]|__|_dl|asm_|entry|do_)" kind.folded)" -lt 5
done

# ---- code that a program generates --------------------------------------------------------------------------
cat >generates.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile double sum;
__attribute__((noinline)) static void back(long n)
{
	for (long i = 0; i < n; i++)
		sum += (double)i;
}
int main(int count, char **words)
{
	/* A function with a frame: it counts to 20,000,000, calls back(10,000,000) and returns. */
	static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xbf,
					     0x80, 0x96, 0x98, 0x00, 0xff, 0xd6, 0x5d, 0xc3};
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long at = (unsigned long)page;
	char name[64];
	FILE *file;
	memcpy(page, code, sizeof code);
	mprotect(page, 4096, PROT_READ | PROT_EXEC);
	snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
	if (count > 1 && (file = fopen("map", "w"))) {
		fputs(name, file);
		fclose(file);
	}
	if (count > 1 && (file = fopen(name, "w"))) {
		fprintf(file, "%lx 1000 replaced\n%lx %zx JS:*hot a.js:1\n1 2\nx y z\n", at, at, sizeof code);
		fclose(file);
		(void)words;
	}
	((void (*)(long, void (*)(long)))page)(20000000, back);
	return 0;
}
C
if [ "$(uname -m)" = x86_64 ] && $cc -g -O1 -fomit-frame-pointer -o generates generates.c; then
	expect_status 0 "$PERUN" record --frequency 2000 -o generated.folded -- ./generates named
	check 'generated code has the names that were written down' grep -Eq '^main;JS:\*hot a.js:1 [0-9.]+$' generated.folded
	check 'and what it calls has its stack' grep -Eq '^main;JS:\*hot a.js:1;back [0-9.]+$' generated.folded
	rm -f "$(cat map)"
	expect_status 0 "$PERUN" record --frequency 2000 -o generated.folded -- ./generates
	check 'or none' grep -Eq '^main;\[generated\];back [0-9.]+$' generated.folded
else
	skip 'code of another processor'
fi

# ---- perun record -------------------------------------------------------------------------------------------
rm -f .perun/jobs/*
expect_status 0 "$PERUN" record -- ./work 5000000
expect_out 'spin'
expect_out 'kept as a pending profile'
check 'one pending profile' test "$(ls .perun/jobs | wc -l)" -eq 1
expect_status 0 "$PERUN" record -o graph.html -- ./work 5000000
check 'a page with the flame graph' grep -q 'three' graph.html
expect_status 0 "$PERUN" record -o samples.folded -- ./work 5000000
check 'folded stacks' grep -q 'main;three;spin' samples.folded
expect_status 2 "$PERUN" record -o graph.xyz -- ./work
expect_status 2 "$PERUN" record

# ---- a process that runs ------------------------------------------------------------------------------------
./work 1000000 forever &
pid=$!
rm -f .perun/jobs/*
expect_status 0 "$PERUN" collect cpu --pid $pid --duration 0.4
check 'the process goes on' kill -0 $pid
kill $pid
expect_fact True 'share("spin") > 0.6' 'what it does'
expect_fact "work ($pid)" 'p["header"]["cmd"]' 'its name'
./work 1000000 forever &
pid=$!
rm -f .perun/jobs/*
"$PERUN" collect cpu --pid $pid >/dev/null 2>&1 &
collecting=$!
sleep 0.5
kill -INT $collecting 2>/dev/null
wait $collecting
check 'the process goes on when the collector is interrupted' kill -0 $pid
kill $pid
check 'and what was sampled is kept' test -n "$(ls .perun/jobs)"
expect_fact True 'whole > 10' 'and how long'
expect_status 3 "$PERUN" collect cpu --pid 4194300
expect_err '4194300'

# ---- waits --------------------------------------------------------------------------------------------------
cat >nap.c <<'C'
#include <pthread.h>
#include <time.h>
static volatile double sum;
__attribute__((noinline)) static void burn(long n)
{
	for (long i = 0; i < n; i++)
		sum += (double)i;
}
__attribute__((noinline)) static void nap(int ms)
{
	struct timespec time = {0, ms * 1000000L};
	nanosleep(&time, 0);
	__asm__ volatile("");
}
static void *sleeper(void *data)
{
	for (int i = 0; i < 10; i++)
		nap(10);
	return data;
}
int main(int count, char **words)
{
	pthread_t thread;
	(void)words;
	do {
		pthread_create(&thread, 0, sleeper, 0);
		burn(4000000);
		nap(50);
		pthread_join(thread, 0);
	} while (count > 1);
	return 0;
}
C
$cc -g -O1 -fomit-frame-pointer -pthread -o nap nap.c
collect --off-cpu -- ./nap
if [ "$(fact 'p["cpu"]["wait_stacks"]')" = True ]; then
	# On a busy machine it may be switched away once more on its way to sleep.
	expect_fact "True True" '"%s %s" % ((t := [x for x in r if {"nap", "sleeper"} <= {f["function"] for f in x["trace"]}]) and 100 <= sum(x["off-cpu"] for x in t), 10 <= sum(x["waits"] for x in t if "do_nanosleep" in str(x["trace"]) or not p["cpu"]["kernel"]) <= 12)' 'a thread that sleeps ten times'
	expect_fact True '50 <= sum(x["off-cpu"] for x in r if {"nap", "main"} <= {f["function"] for f in x["trace"]})' 'and the one that waits for it'
	expect_fact True 'all(x["amount"] == 0 or x["off-cpu"] == 0 for x in r if x["uid"]["function"] == "do_nanosleep")' 'waiting takes no time of the processor'
	expect_fact "('ms', True)" 'p["metrics"]["off-cpu"]["unit"], p["cpu"]["waits"] == sum(x["waits"] for x in r)' 'a metric of its own'
	expect_status 0 "$PERUN" show 0@p flamegraph --metric off-cpu
	expect_out 'sleeper'
	./nap forever &
	pid=$!
	expect_status 0 "$PERUN" record --off-cpu --pid $pid --duration 0.3 -o waits.svg
	check 'of a process that runs, threads that it makes later' grep -q '>sleeper' waits.svg
	kill $pid
	expect_status 0 "$PERUN" collect -c 'sleep 0.05' cpu --off-cpu
else
	skip 'no stacks of waiting threads: not permitted'
fi

# ---- what fails -----------------------------------------------------------------------------------------------
expect_status 4 "$PERUN" collect -c ./missing cpu
expect_status 2 "$PERUN" collect cpu
expect_status 3 "$PERUN" collect -c true cpu --frequency 1
expect_err 'there is no sample'
printf '#!/bin/sh\n./work 3000000\necho too bad >&2\nexit 5\n' >script && chmod +x script
expect_status 3 "$PERUN" collect -c ./script cpu
expect_err 'exited with 5 (--ignore-status accepts that); its standard error ends with: too bad'
collect --ignore-status -- ./script
expect_fact True '"work" in {x["command"] for x in r}' 'programs that a script starts'
expect_status 3 "$PERUN" collect -c './work 1000 forever' cpu --timeout 0.3
expect_err 'timed out after'
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$work" "$work/here" "$work/here/repo" 2>/dev/null
	mkdir -m 777 public && cp work public && cd public
	run setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent TMPDIR="$PWD" "$PERUN" record -o x.folded -- ./work 5000000
	case $status in
	0) check 'without privileges the own program is sampled' grep -q 'main;three;spin' x.folded ;;
	4) expect_err 'CAP_PERFMON' 'or the missing privilege is named' ;;
	126) skip 'others may not run what was built here' ;;
	*) not_ok "status $status without privileges" ;;
	esac
	run setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent TMPDIR="$PWD" "$PERUN" record --off-cpu -o x.perf -- sleep 0.1
	case $status in
	0) check 'without privileges the time of waits is there, or their stacks' grep -q '"off-cpu"' x.perf ;;
	4) expect_err 'CAP_PERFMON' 'or the missing privilege is named' ;;
	126) skip 'others may not run what was built here' ;;
	*) not_ok "status $status without privileges" ;;
	esac
else
	skip 'not root: nothing to give up'
fi
finish
