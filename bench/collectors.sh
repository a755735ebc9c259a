#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What the collectors cost, next to heaptrack, uftrace and perf where they are installed:
# bench/collectors.sh [ROUNDS [memory|trace|time|cpu]...], in a build tree. All variants of a program are run in
# turn; of each the shortest time counts, less what the same command takes when the program does next to nothing;
# and the shortest time of the program itself, as its parent sees it, without what the collector does before and
# after. Both sides run the same binary, compiled with the flags that are named.
# Goals: memory, all with stacks, 3 times the program (4 on one processor), sampled 1.15 (itself); trace 25 ns a call,
# with the engine patchable and small functions left out 1.1 times the program;
# time 0.3 ms a run;
# cpu at 1 kHz 1.02, and 20 ms to start.
. "$(dirname "$0")/lib.sh"
rounds=${1:-5}
parts=${*:2}
cc=${CC:-cc}
cd "$work"
git init -q . && git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m base
"$perun" init >/dev/null 2>&1

cat >heap.c <<'C'
#include <stdlib.h>
static void *volatile sink;
static void leaf(int size) { void *p = malloc(size); sink = p; free(p); }
#define LEVEL(n, next) \
	__attribute__((noinline)) static void f##n(int depth, int size) { if (depth == n) leaf(size); else next(depth, size); __asm__ volatile(""); }
__attribute__((noinline)) static void f8(int depth, int size) { (void)depth; leaf(size); __asm__ volatile(""); }
LEVEL(7, f8) LEVEL(6, f7) LEVEL(5, f6) LEVEL(4, f5) LEVEL(3, f4) LEVEL(2, f3) LEVEL(1, f2)
int main(int count, char **words)
{
	long n = count > 1 ? atol(words[1]) : 0;
	for (long i = 0; i < n; i++)
		f1(1 + i % 8, 16 + (i * 37) % 500);
	return 0;
}
C
cat >calls.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(int count, char **words) { return count > 1 ? fib(atoi(words[1])) < 0 : 0; }
C
cat >spin.c <<'C'
#include <stdlib.h>
static volatile double sum;
int main(int count, char **words)
{
	for (long i = 0, n = count > 1 ? atol(words[1]) : 0; i < n; i++)
		sum += (double)i;
	return 0;
}
C
# own FILE PROGRAM ARGUMENT: the microseconds from starting the program to its end, added to the file.
cat >own.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
int main(int count, char **words)
{
	struct timespec start, end;
	int file = open(words[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
	(void)count;
	clock_gettime(CLOCK_MONOTONIC, &start);
	if (vfork() == 0) {
		execv(words[2], words + 2);
		_exit(127);
	}
	wait(NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return dprintf(file, "%ld\n", (end.tv_sec - start.tv_sec) * 1000000 + (end.tv_nsec - start.tv_nsec) / 1000) < 0;
}
C
$cc -O2 -o own own.c
$cc -g -O2 -fno-builtin -o heap heap.c
$cc -g -O2 -fno-builtin -fno-omit-frame-pointer -o heap-fp heap.c
$cc -g -O1 -finstrument-functions -o calls calls.c
$cc -g -O1 -fpatchable-function-entry=5 -o calls-patchable calls.c
$cc -g -O1 -o calls-plain calls.c
$cc -g -O2 -o spin spin.c

# took COMMAND...: microseconds.
took() {
	local start=${EPOCHREALTIME/./}
	"$@" >/dev/null 2>&1 || :
	echo "$((${EPOCHREALTIME/./} - start))"
}
# variant NAME COMMAND...: one of those that are compared; %P in it is the program with its argument, by way of
# `own`, %Q the same as one word, %R and %S without `own`.
declare -A least fixed inside
names=()
variant() { names+=("$1"); commands+=("${*:2}"); }
# beside TOOL NAME COMMAND...: a variant of another tool, if there is one.
beside() {
	if command -v "$1" >/dev/null; then variant "${@:2}"; else echo "  $2: left out, $1 is not installed"; fi
}
# compare PROGRAM ARGUMENT [LITTLE]: all variants, in turn; LITTLE is the argument of next to nothing.
compare() {
	local i round time command
	for ((round = 0; round < rounds; round++)); do
		for ((i = 0; i < ${#names[@]}; i++)); do
			for argument in "$2" "${3:-1}"; do
				command=${commands[i]//%P/.\/own inside .\/$1 $argument}
				command=${command//%Q/\'.\/own $work\/inside $work\/$1 $argument\'}
				command=${command//%S/\'.\/$1 $argument\'}
				command=${command//%R/.\/$1 $argument}
				rm -rf .perun/jobs/* inside
				time=$(took sh -c "$command")
				if [ "$argument" = "$2" ]; then
					[ ! -s inside ] || inside[${names[i]}]=$(sort -n inside - <<<"${inside[${names[i]}]:-999999999}" | head -n 1)
					[ "$time" -ge "${least[${names[i]}]:-999999999}" ] || least[${names[i]}]=$time
				else
					[ "$time" -ge "${fixed[${names[i]}]:-999999999}" ] || fixed[${names[i]}]=$time
				fi
			done
		done
	done
}
# report BASE CALLS: the times of all variants; with CALLS also the nanoseconds of each.
report() {
	for name in "${names[@]}"; do
		awk -v name="$name" -v inside="${inside[$name]:-}" -v alone="${inside[$1]:-}" -v time="${least[$name]}" -v fixed="${fixed[$name]}" -v base="${least[$1]}" -v first="${fixed[$1]}" -v calls="$2" '
			BEGIN {
				own = time - fixed; plain = base - first
				printf "  %-34s %8.1f ms %6.2f times  start %6.1f ms", name, own / 1e3, own / plain, fixed / 1e3
				if (calls) printf "  %6.1f ns each", (own - plain) * 1e3 / calls
				if (inside && name != "plain") printf "  itself %5.2f times", inside / alone
				print ""
			}'
	done
	names=() commands=()
	least=() fixed=() inside=()
}
commands=()
nproc=$(nproc)
echo "processors: $nproc, load: $(cut -d' ' -f1 /proc/loadavg), compiler: $($cc --version | head -n 1)"

bench_memory() {
	for program in heap heap-fp; do
		flags=-O2
		[ $program = heap ] || flags='-O2 -fno-omit-frame-pointer'
		echo "memory: 5,000,000 times malloc and free at depth 1 to 8, $cc -g $flags"
		variant plain %P
		variant 'perun, all with stacks' "$perun collect -c %Q memory"
		variant 'perun, one processor' "taskset -c 0 $perun collect -c %Q memory"
		variant 'perun, one of 512 KiB' "$perun collect -c %Q memory -b 512k"
		beside heaptrack 'heaptrack -r' "heaptrack -r -o heaptrack.out %R"
		# Enough for samples to be taken, whose names are looked up.
		compare $program 5000000 20000
		report plain 5000000
	done
}

bench_trace() {
	echo "trace: 7,049,155 calls, $cc -g -O1 -finstrument-functions"
	variant plain %P
	variant 'perun' "$perun collect -c %Q trace --engine compiled"
	beside uftrace 'uftrace record' "uftrace record -d uftrace.out %R"
	compare calls 32
	report plain 7049155

	# Left out is what was found to be called often: in a program that is over at once that is most of the time.
	echo "trace: 866,988,873 calls, $cc -g -O1 -fpatchable-function-entry=5"
	variant plain %P
	variant 'perun, small functions left out' "$perun collect -c %Q trace --engine patchable"
	compare calls-patchable 42
	report plain 866988873

	echo "trace: 7,049,155 calls of the same"
	variant plain %P
	variant 'perun, small functions left out' "$perun collect -c %Q trace --engine patchable"
	variant 'perun, all calls' "$perun collect -c %Q trace --engine patchable --overhead 0"
	beside uftrace 'uftrace record -P .' "uftrace record -P . -d uftrace.out %R"
	compare calls-patchable 32
	report plain 7049155

	if "$perun" collect -c './calls-plain 1' trace --engine ebpf >/dev/null 2>&1; then
		echo "trace: programs as they are, 150,049 calls, $cc -g -O1"
		variant plain %P
		variant 'perun, ebpf' "$perun collect -c %S trace --engine ebpf --func fib"
		variant 'perun, uprobes' "$perun collect -c %S trace --engine uprobes --func fib"
		compare calls-plain 24
		report plain 150049
	fi
}

bench_time() {
	# A run of a program that does nothing: the harness against posix_spawn(3) and waitpid(2) in a loop.
	cat >spawn.c <<'C'
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
extern char **environ;
int main(int count, char **words)
{
	char *command[] = {"/bin/true", NULL};
	for (int i = 0, n = count > 1 ? atoi(words[1]) : 0; i < n; i++) {
		pid_t child;
		if (posix_spawn(&child, command[0], NULL, NULL, command, environ) == 0)
			waitpid(child, NULL, 0);
	}
	return 0;
}
C
	$cc -O2 -o spawn spawn.c
	echo "time: 500 runs of /bin/true (each beyond the plain ones)"
	variant plain %P
	variant 'perun' "$perun collect -c /bin/true time --warmup 0 --repeat \$(echo %R | cut -d' ' -f2)"
	beside hyperfine 'hyperfine -N' "hyperfine -N -w 0 -r \$(n=\$(echo %R | cut -d' ' -f2); echo \$((n > 1 ? n : 2))) /bin/true"
	compare spawn 500
	report plain 500
}

bench_cpu() {
	echo "cpu: 1 kHz, $cc -g -O2"
	variant plain %P
	variant 'perun record' "$perun record -o record.perf -- %P"
	beside perf 'perf record -F 1000 -g' "perf record -q -F 1000 -g -o perf.out %R"
	compare spin 400000000
	report plain 0
}

for part in ${parts:-memory trace time cpu}; do
	"bench_$part"
done
