#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The collector trace in programs with room at their functions' entries: exact numbers, nothing is disturbed.
. "${top_srcdir:-.}/tests/cli/lib.sh"
[ -e "$top_builddir/collectors/trace/perun-trace.so" ] || skip_all 'the collector trace was not built'
[ "$(uname -m)" = x86_64 ] || skip_all 'functions are patched on x86_64 only'
collector=trace
fact_helpers='
def calls(name):
    return sum(x.get("calls", 1) for x in r if x["uid"] == name)'
. "$top_srcdir/tests/cli/collect-lib.sh"
build="$cc -g -O1 -fpatchable-function-entry=5 -pthread"

cat >fib.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(int count, char **words) { return fib(count > 1 ? atoi(words[1]) : 10) < 0; }
C
$build -o fib fib.c 2>/dev/null || skip_all 'this compiler has no -fpatchable-function-entry'

# ---- numbers of calls, exclusion ----------------------------------------------------------------------
collect -- ./fib
expect_fact 'patchable 177 1' '"%s %d %d" % (p["trace"]["engine"], calls("fib"), calls("main"))' 'chosen for such programs; each call is a resource'
expect_fact "['fib', 'fib', 'main']" '[f["function"] for f in next(x["trace"] for x in r if x["call-order"] == 2)]' 'stacks'
expect_fact 'fib.c 2' '"%(source)s %(line)s" % next(x["trace"][0] for x in r if x["uid"] == "fib")' 'source and line'
collect --overhead 0 --limit 100 -- './fib 22'
expect_fact '57313 1 []' '"%d %d %s" % (calls("fib"), calls("main"), p["trace"]["excluded"])' 'none is lost when all are kept'
collect -- './fib 30'
expect_err 'small functions that are called often were left out'
expect_fact 'True 1' '"%s %d" % (256 <= calls("fib") < 2692537, calls("main"))' 'small functions are left out'
expect_fact True '(lambda x: x["function"] == "fib" and x["calls"] == calls("fib") and x["estimated_rest"] >= 0 and x["until"] > 0)(p["trace"]["excluded"][0])' \
	'what that loses is reported'
collect --overhead 0 --exclude-below 1s --exclude-after 500 -- './fib 25'
expect_fact 'True 1' '"%s %d" % (calls("fib") < 242785, calls("main"))' 'by a duration'
collect --func 'ma*' -- './fib 25'
expect_fact "{'main'} 1" '"%s %d" % ({x["uid"] for x in r}, p["trace"]["calls"])' 'only what is wanted is patched'
collect --overhead 0 --size fib=arg1:4 -- './fib 6'
expect_fact '[0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6]' \
	'sorted(x["structure-unit-size"] for x in r if x["uid"] == "fib")' 'sizes from an argument'

# ---- nothing is disturbed: arguments, results, threads, processes, jumps, signals, ends -------------------
cat >work.c <<'C'
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define KEEP __attribute__((noinline))
struct list { long before; int length; };
struct large { double items[6]; };
static jmp_buf target;
KEEP static double floats(double a, float b, double c, double d, double e, double f, double g, double h, int i, double j)
{
	__asm__ volatile("");
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}
KEEP static long double extended(long double x) { return x * 3; }
KEEP static struct large larger(int n) { struct large l; for (int i = 0; i < 6; i++) l.items[i] = n + i; return l; }
KEEP static __int128 wide(__int128 x) { return x + 1; }
KEEP static double various(int count, ...)
{
	va_list list;
	double sum = 0;
	va_start(list, count);
	for (int i = 0; i < count; i++)
		sum += va_arg(list, double);
	va_end(list);
	return sum;
}
KEEP static long length(struct list *list) { __asm__ volatile(""); return list->length; }
KEEP static void jump(int depth) { if (depth == 0) longjmp(target, 1); jump(depth - 1); __asm__ volatile(""); }
KEEP static int after(int x) { __asm__ volatile(""); return x; }
KEEP static int deep(int n) { int x = n ? deep(n - 1) : 0; __asm__ volatile(""); return x + 1; }
KEEP static void handler(int number) { after(number); }
KEEP static void *body(void *data) { for (int i = 0; i < 50; i++) after(i); return data; }
KEEP static void *leaver(void *data) { after(1); pthread_exit(data); }
int main(void)
{
	pthread_t threads[4], last;
	struct list list = {0, 17};
	char *other = malloc(65536);
	stack_t stack = {.ss_sp = other, .ss_size = 65536};
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, body, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	pthread_create(&last, NULL, leaver, NULL);
	pthread_join(last, NULL);
	for (int i = 0; i < 10; i++)
		if (setjmp(target) == 0)
			jump(5);
	for (int i = 0; i < 100; i++) {
		if (floats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) != 385 || extended(2) != 6 || larger(1).items[5] != 6 ||
		    wide(((__int128)1 << 100) - 1) != (__int128)1 << 100 || various(3, 1.0, 2.0, 3.0) != 6 || length(&list) != 17)
			return 9;
	}
	if (deep(300) != 301)
		return 8;
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	signal(SIGUSR2, handler);
	raise(SIGUSR2);
	if (fork() == 0) {
		after(2);
		return after(0);
	}
	wait(NULL);
	if (vfork() == 0) {
		after(2);
		_exit(0);
	}
	wait(NULL);
	return after(0);
}
C
$build -o work work.c -lm
collect --overhead 0 -- ./work
expect_fact '4 60 301 2 1 1' '"%d %d %d %d %d %d" % tuple(map(calls, ("body", "jump", "deep", "handler", "main", "leaver")))' \
	'threads, jumps, deep recursion, signals on both stacks'
expect_fact 207 'calls("after")' 'all calls of one function, in all processes'
expect_fact '100 100 100' '"%d %d %d" % tuple(map(calls, ("floats", "larger", "various")))' 'arguments and results arrive'
expect_fact 2 'p["trace"]["processes"]' 'processes are counted'
collect --overhead 0 --size 'length=*(arg1+8):4' -- ./work
expect_fact "{17}" '{x["structure-unit-size"] for x in r if x["uid"] == "length"}' 'sizes from memory'
collect -- ./work
expect_fact 1 'calls("main")' 'with functions left out while threads run'
cat >plus.cc <<'C'
#include <stdexcept>
#define KEEP __attribute__((noinline))
static int destroyed;
struct guard { KEEP ~guard() { destroyed++; } };
namespace space { struct thing { KEEP void go(int n) { guard g; if (n == 0) throw std::runtime_error("x"); go(n - 1); asm(""); } }; }
KEEP static void attempt(int n) { try { space::thing().go(n); } catch (std::exception &) { asm(""); } }
KEEP static void again(int n) { try { attempt(n); space::thing().go(n); } catch (...) { asm(""); throw; } }
int main() { for (int i = 0; i < 5; i++) try { again(3); } catch (std::runtime_error &) { asm(""); } return destroyed != 40; }
C
if ${CXX:-c++} -g -O1 -fpatchable-function-entry=5 -o plus plus.cc 2>/dev/null; then
	collect --overhead 0 -- ./plus
	expect_fact '40 5 40' '"%d %d %d" % (calls("space::thing::go(int)"), sum(x["uid"].startswith("again") for x in r), calls("guard::~guard()"))' 'exceptions pass through'
	expect_fact True 'next(x["amount"] for x in r if x["uid"] == "main") >= max(x["amount"] for x in r if x["uid"] != "main")' 'what encloses them is longer'
else
	skip 'no C++ compiler'
fi
for compiler in clang gcc; do
	command -v $compiler >/dev/null || continue
	$compiler -g -O2 -fpatchable-function-entry=8 -fcf-protection -pthread -o other work.c -lm 2>/dev/null || continue
	collect --overhead 0 -- ./other
	expect_fact '60 301' '"%d %d" % (calls("jump"), calls("deep"))' "compiled by $compiler"
done

# ---- what it builds itself, libraries, what is refused ----------------------------------------------------------------------------
rm -f .perun/jobs/*
expect_status 0 "$PERUN" collect -c 'ignored 12' trace --files fib.c --engine patchable --overhead 0 --compiler "$cc"
expect_fact 'patchable 465' '"%s %d" % (p["trace"]["engine"], calls("fib"))' 'a program built from its sources'
# Where functions are to be left out it is built for that: with the engine compiled each function calls Perun.
rm -f .perun/jobs/*
expect_status 0 "$PERUN" collect -c 'ignored 12' trace --files fib.c --depth 1 --compiler "$cc"
expect_fact 'patchable 0 1' '"%s %d %d" % (p["trace"]["engine"], calls("fib"), calls("main"))' 'a depth holds for sources'
rm -f .perun/jobs/*
expect_status 0 "$PERUN" collect -c 'ignored 30' trace --files fib.c --overhead 5 --compiler "$cc"
expect_fact 'patchable True' '"%s %s" % (p["trace"]["engine"], calls("fib") < 2692537)' 'so does a budget'
rm -f .perun/jobs/*
expect_status 0 "$PERUN" collect -c 'ignored 12' trace --files fib.c --compiler "$cc"
expect_fact 'compiled 465' '"%s %d" % (p["trace"]["engine"], calls("fib"))' 'else it is compiled for exact calls'
if $cc -g -O1 -finstrument-functions -o instrumented fib.c 2>/dev/null; then
	expect_status 0 "$PERUN" collect -c './instrumented 12' trace --overhead 10
	expect_err '--overhead and --exclude-below have no effect with the engine compiled'
	expect_status 0 "$PERUN" collect -c './instrumented 12' trace
	check 'nobody is warned of what he did not ask for' test -z "$(grep 'no effect' <<<"$err")"
fi
echo 'int extra(int n) { return n * 3; }' >extra.c
echo 'int extra(int n); int main(void) { for (int i = 0; i < 7; i++) extra(i); return 0; }' >user.c
$build -shared -fPIC -o libextra.so extra.c && $build -o user user.c -L. -lextra -Wl,-rpath,"$PWD"
collect -- ./user
expect_fact '7 1' '"%d %d" % (calls("extra"), calls("main"))' 'functions of libraries'
# Entries at all places of a cache line are undone while the program runs.
{
	for ((i = 0; i < 64; i++)); do
		echo "__attribute__((noinline, aligned(64))) void pad$i(void) { __asm__(\".skip $i + 1, 0x90\"); }
__attribute__((noinline)) static int small$i(int n) { __asm__(\"\"); return n + 1; }"
	done
	echo 'int main(void) { int n = 0; for (int i = 0; i < 20000; i++) {'
	for ((i = 0; i < 64; i++)); do echo "n = small$i(n);"; done
	echo '} return n != 20000 * 64; }'
} >edges.c
$build -o edges edges.c
collect --overhead 0 --exclude-below 1s --exclude-after 200 --limit 1000 -- ./edges
expect_fact 64 'len(p["trace"]["excluded"])' 'at any place'
expect_fact True 'p["trace"]["call_overhead"] > 5' 'and what a call costs is not measured so'
# Opened where only the program's own path leads, closed and opened again.
cat >opens.c <<'C'
#include <dlfcn.h>
__attribute__((noinline)) static int small(int n) { return n + 1; }
/* Optimized to a jump to dlopen(). */
__attribute__((noinline)) static void *open_library(const char *name) { return dlopen(name, RTLD_NOW); }
int main(void)
{
	int sum = 0;
	for (int round = 0; round < 3; round++) {
		void *library = open_library("libmore.so");
		int (*extra)(int) = library ? (int (*)(int))dlsym(library, "extra") : 0;
		if (!extra || dlopen("libnone.so", RTLD_NOW))
			return 1;
		for (int i = 0; i < 7; i++)
			sum += extra(i);
		for (int i = 0; i < 1000; i++)
			sum = small(sum);
		if (round != 1)
			dlclose(library);
	}
	return sum == 0;
}
C
mkdir more && $build -shared -fPIC -o more/libmore.so extra.c &&
	$build -O2 -o opens opens.c -Wl,-rpath,"$PWD/more" -ldl
collect --overhead 0 -- ./opens
expect_fact '21 3000 1' '"%d %d %d" % (calls("extra"), calls("small"), calls("main"))' 'functions of libraries that are opened'
collect --overhead 0 --exclude-below 1s --exclude-after 500 -- ./opens
expect_fact True '500 <= calls("small") <= 2048' 'what was left out stays so'
collect --engine patchable --overhead 0 --func 'ext*' --binary more/libmore.so -- ./opens
expect_fact '21 0' '"%d %d" % (calls("extra"), calls("small"))' 'what is wanted of them'
# Room before the functions, too, which calls do not come by.
for room in 16,2 24,8; do
	for option in -fcf-protection -s; do
		$cc -O1 $option -fpatchable-function-entry=$room -o before fib.c 2>/dev/null || continue
		expect_status 0 "$PERUN" collect -c ./before trace --engine patchable
	done
done
$cc -g -O1 -fpatchable-function-entry=2 -o narrow fib.c
expect_status 3 "$PERUN" collect -c ./narrow trace --engine patchable
expect_err 'patchable-function-entry=5'
$cc -g -O1 -o plain fib.c
expect_status 3 "$PERUN" collect -c ./plain trace --engine patchable
expect_err 'patchable-function-entry=5'

# ---- functions that are worth it -------------------------------------------------------------------------
cat >parts.c <<'C'
static inline int twice(int n) { return n * 2; }
__attribute__((noinline)) int constant(int n) { return n + 1; }
__attribute__((noinline)) int inner(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += i ^ n;
	return sum;
}
__attribute__((noinline)) int middle(int n)
{
	return inner(n) + twice(n) + constant(n);
}
__attribute__((noinline)) int other(int n)
{
	volatile int sum = 0;
	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += middle(i) + other(i);
	return sum == 42;
}
C
git add parts.c && git commit -q -m parts && git tag parts
build_parts() { $build -o parts parts.c; }
traced() { fact 'sorted({x["uid"] for x in r})'; }
build_parts
collect --overhead 0 --depth 2 -- ./parts
expect_err '3 of 5 functions are traced: 2 are deeper in the call graph'
expect_text "['main', 'middle', 'other']" "$(traced)" 'near the roots of the call graph'
expect_fact "{'unchanged': 0, 'deep': 2, 'constant': 0}" 'p["trace"]["left_out"]' 'what is left out is noted'
collect --overhead 0 --skip-constant -- ./parts
expect_text "['inner', 'main', 'middle', 'other']" "$(traced)" 'what neither loops nor calls is not traced'
rm -f .perun/jobs/*
expect_status 3 "$PERUN" collect -c ./parts trace --engine patchable --changed-since parts
expect_err 'no function is left to trace: of 5, 5 did not change'
expect_one_line
sed -i 's/i ^ n/i ^ (n + 1)/' parts.c && build_parts
collect --overhead 0 --changed-since parts -- ./parts
expect_text "['inner']" "$(traced)" 'what changed since a version'
collect --overhead 0 --changed-since parts --callers 1 -- ./parts
expect_text "['inner', 'middle']" "$(traced)" 'and what calls it'
# Text that moved is as it was; a line that is gone is not; what was inlined changed where it is now.
git checkout -q parts.c
{ echo '/* A new beginning. */'; sed '/sum += i;/d; s/n \* 2/n * 3/' parts.c; } >moved.c && mv moved.c parts.c
build_parts
collect --overhead 0 --changed-since parts -- ./parts
expect_text "['middle', 'other']" "$(traced)" 'of text that moved, and through functions that are inlined'
git commit -q -am 'other parts'
rm -f .perun/jobs/*
expect_status 0 "$PERUN" -c execute.pre_run="['$build -o parts parts.c']" collect -m HEAD -c ./parts trace --overhead 0 --changed-since HEAD~1
expect_text "['middle', 'other']" "$(traced)" 'of a version in a directory of its own'
expect_status 2 "$PERUN" collect -c ./parts trace --engine patchable --changed-since nonsense
expect_err '--changed-since nonsense'
expect_one_line
expect_status 2 "$PERUN" collect -c ./parts trace --engine compiled --depth 1
expect_one_line
$cc -O1 -fpatchable-function-entry=5 -o parts parts.c
expect_status 3 "$PERUN" collect -c ./parts trace --engine patchable --changed-since parts
expect_err 'compile the program with -g'
expect_one_line

# ---- what was read of a program is kept --------------------------------------------------------------
python3 - <<'P' >many.c
print("volatile long sum;")
for i in range(700):
    print(f"__attribute__((noinline)) void step_{i}(void) {{ sum += {i}; }}")
print("int main(void)\n{\n" + "".join(f"\tstep_{i}();\n" for i in range(700)) + "\treturn 0;\n}")
P
git add many.c && git commit -q -m many && git tag many
kept=.perun/cache/functions
rm -rf $kept
kept_files() { find $kept -type f 2>/dev/null | wc -l; }
build_many() { $build "$@" -o many many.c; }
sed -i 's/sum += 7;/sum += 8;/' many.c && build_many -Wl,--build-id=sha1
collect --overhead 0 --changed-since many -- ./many
expect_text "1 ['step_7']" "$(kept_files) $(traced)" 'functions and their lines are kept by build id'
# The first trace reads the program, the second what the first one kept.
sed -i "s/^\(=.*\)step_7\t/\1step_x\t/" $kept/*
collect --overhead 0 --changed-since many --func step_x -- ./many
expect_err '1 of 1 function is traced'
expect_text 1 "$(kept_files)" 'a second trace reads what was kept'
sed -i 's/sum += 9;/sum += 10;/' many.c && build_many -Wl,--build-id=sha1
collect --overhead 0 --changed-since many -- ./many
expect_text "2 ['step_7', 'step_9']" "$(kept_files) $(traced)" 'a changed program is another one'
for file in $kept/*; do truncate -s 20001 "$file"; done
collect --overhead 0 --changed-since many -- ./many
expect_text "['step_7', 'step_9']" "$(traced)" 'what was cut off is read again'
collect --overhead 0 --depth 1 -- ./many
expect_text "['main']" "$(traced)" 'so is the call graph'
expect_status 0 "$PERUN" gc
expect_text 0 "$(kept_files)" 'gc removes what was kept'
build_many -Wl,--build-id=none
collect --overhead 0 --changed-since many -- ./many
expect_text "1 ['step_7', 'step_9']" "$(kept_files) $(traced)" 'without a build id by a checksum'
sed -i 's/sum += 9;/sum += 11;/;s/sum += 10;/sum += 11;/' many.c && build_many -Wl,--build-id=none
collect --overhead 0 --changed-since many -- ./many
expect_text 2 "$(kept_files)" 'which a changed program does not share'
for i in $(seq 20); do touch -d '2 days ago' "$kept/$i"; done
build_many -Wl,--build-id=md5
collect --overhead 0 --depth 1 -- ./many
expect_text '22 32' "$(kept_files) $(find $kept -newermt '1 day ago' -printf '%f\n' | awk 'length == 32 { print 32 }')" 'of too many the oldest goes'
finish
