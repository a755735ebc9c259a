#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The collector memory: totals of programs of known behaviour, stacks, threads, fork and exec, refusals.
. "${top_srcdir:-.}/tests/cli/lib.sh"
[ -e "$top_builddir/collectors/memory/perun-memory.so" ] || skip_all 'the collector memory was not built'
collector=memory
. "$top_srcdir/tests/cli/collect-lib.sh"

cat >known.c <<'C'
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) static void *leaf(size_t size) { return memset(malloc(size), 1, size); }
__attribute__((noinline)) static void *middle(size_t size) { void *p = leaf(size); __asm__(""); return p; }
static void *volatile kept;
int main(void)
{
	void *p;
	kept = middle(1000);
	for (int i = 0; i < 10; i++) {
		p = middle(100);
		free(p);
	}
	p = calloc(10, 20);
	p = realloc(p, 400);
	if (realloc(p, (size_t)-1 / 4))
		return 1;
	free(p);
	if (posix_memalign(&p, 64, 128))
		return 1;
	free(p);
	free(aligned_alloc(64, 256));
	free(memalign(64, 300));
	free(valloc(50));
	free(reallocarray(NULL, 5, 7));
	free(NULL);
	return 0;
}
C
build="$cc -g -O1 -fno-builtin -w"
$build -fno-omit-frame-pointer -o known known.c && $build -fomit-frame-pointer -o bare known.c || skip_all 'cannot compile'

# ---- exact totals, with both ways to walk the stack ------------------------------------------------
for program in known bare; do
	collect -- ./$program
	expect_fact '18 3369 17 1000 1400' \
		'"{allocations} {bytes} {frees} {leaked} {peak}".format(**p["memory"])' "$program: totals"
	expect_fact 'memory' 'p["header"]["type"]' "$program: type"
	expect_fact "{'memory': 'B'}" 'p["header"]["units"]' "$program: unit"
	expect_fact "['aligned_alloc', 'calloc', 'malloc', 'memalign', 'posix_memalign', 'realloc', 'reallocarray', 'valloc']" \
		'sorted({x["subtype"] for x in r})' "$program: subtypes"
	expect_fact "[(1000, 1), (1000, 10)]" \
		'sorted((sum(x["amount"] for x in r if x["subtype"] == "malloc" and (x["leaked"] > 0) == k), sum(x["subtype"] == "malloc" and (x["leaked"] > 0) == k for x in r)) for k in (True, False))' \
		"$program: what malloc gave, kept and not"
	expect_fact "{'function': 'leaf', 'source': 'known.c', 'line': 4}" \
		'next(x["uid"] for x in r if x["subtype"] == "malloc")' "$program: uid"
	expect_fact "['leaf', 'middle', 'main']" \
		'[f["function"] for f in next(x["trace"] for x in r if x["subtype"] == "malloc")]' "$program: trace"
	expect_fact True 'all(x["address"] > 4096 for x in r)' "$program: addresses"
	expect_fact "[('malloc', 1000), ('realloc', 400)]" \
		'[(x["subtype"], x["peak"]) for x in r if x["peak"]]' "$program: the peak"
done

# ---- what can be done with it ------------------------------------------------------------------------
expect_fact True '0 < p["header"]["overhead"]["amount"] < 100000 and p["header"]["overhead"]["unit"] == "ns"' 'what an allocation costs'
expect_status 0 "$PERUN" show 0@p flamegraph --metric leaked
expect_out '1,000 B' 'a flame graph of what was never freed'
expect_out 'middle 100 %'
expect_status 0 "$PERUN" show 0@p flamegraph --metric peak
expect_out '1.37 KiB' 'a flame graph of the peak'
expect_status 0 "$PERUN" show 0@p flow
run "$PERUN" convert 0@p heap.pb.gz
expect_status 0 "$PERUN" pprof -top -sample_index=leaked heap.pb.gz
expect_out 'leaf' 'a profile for pprof'

# ---- the same totals as valgrind's ---------------------------------------------------------------------
# usage PROGRAM: allocations, frees and bytes as valgrind counts them.
usage() {
	valgrind "./$1" 2>&1 | sed -n 's/,//g; s/.*usage: \([0-9]*\) allocs \([0-9]*\) frees \([0-9]*\) bytes.*/\1 \2 \3/p' | tail -n 1
}
cat >queue.c <<'C'
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; char *text; };
int main(void)
{
	struct node *first = NULL;
	for (int i = 0; i < 3000; i++) {
		struct node *n = malloc(sizeof *n);
		n->text = strdup(&"some text that is copied"[i % 20]);
		n->next = first;
		first = n;
		if (i % 3 == 0) {
			n = first->next;
			free(first->text);
			free(first);
			first = n;
		}
	}
	for (int i = 0; first && i < 1000; i++) {
		struct node *n = first->next;
		first->text = realloc(first->text, 100 + i);
		free(first->text);
		free(first);
		first = n;
	}
	return 0;
}
C
$cc -g -O1 -o queue queue.c
# Threads, all there at once, exceptions, variables of threads. What the C library frees at the end for valgrind
# alone is not compared.
cat >crew.cc <<'C'
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
thread_local std::vector<int> own(10);
static pthread_barrier_t all;
static void work(int n)
{
	std::vector<std::string> texts;
	pthread_barrier_wait(&all);
	own.push_back(n);
	for (int i = 0; i < n; i++)
		texts.push_back(std::string(50 + i, 'x'));
	try {
		if (n > 2)
			throw std::runtime_error("a text that is too long for a short one");
	} catch (const std::exception &error) {
		texts.push_back(error.what());
	}
}
int main()
{
	std::vector<std::thread> threads;
	pthread_barrier_init(&all, nullptr, 5);
	for (int i = 0; i < 5; i++)
		threads.emplace_back(work, i);
	for (auto &thread : threads)
		thread.join();
}
C
if command -v valgrind >/dev/null; then
	for program in queue known; do
		[ $program = known ] && sed -i '/(size_t)-1/,+1d' known.c && $build -o known known.c
		collect -- ./$program
		expect_fact "$(usage $program)" '"{allocations} {frees} {bytes}".format(**p["memory"])' \
			"$program: totals are valgrind's"
	done
	if ${CXX:-c++} -g -O1 -pthread -o crew crew.cc 2>/dev/null; then
		collect -- ./crew
		expect_fact "$(usage crew | cut -d' ' -f1,3)" '"{allocations} {bytes}".format(**p["memory"])' \
			"crew: totals are valgrind's"
	else
		skip 'no C++ compiler'
	fi
else
	skip 'valgrind is not installed: its totals are not compared'
fi
collect -- ./queue
expect_fact '7000 5000' '"{allocations} {frees}".format(**p["memory"])' 'queue: counts'
collect --limit 100 -- ./queue
expect_fact '7000 True' '"%d %s" % (sum(x["allocations"] for x in r), p["memory"]["grouped"])' 'queue: sums by trace'
expect_fact True 'sum(x["amount"] for x in r) == p["memory"]["bytes"] and sum(x["leaked"] for x in r) == p["memory"]["leaked"] and sum(x["peak"] for x in r) == p["memory"]["peak"]' \
	'queue: sums agree with the whole'

# ---- threads, fork and exec ------------------------------------------------------------------------------
cat >threads.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
enum { BLOCKS = 20000, THREADS = 6 };
static void *blocks[THREADS][BLOCKS];
static void *give(void *data)
{
	void **mine = data;
	for (int i = 0; i < BLOCKS; i++)
		mine[i] = malloc(24);
	return NULL;
}
static void *take(void *data)
{
	void **mine = data;
	for (int i = 0; i < BLOCKS; i++)
		free(mine[i]);
	return NULL;
}
static void all(void *(*body)(void *))
{
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, body, blocks[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}
int main(int count, char **words)
{
	if (count > 1) {
		for (int i = 0; i < 500; i++)
			blocks[0][i] = malloc(48);
		return 0;
	}
	for (int round = 0; round < 3; round++) {
		all(give);
		all(take);
	}
	if (fork() == 0) {
		for (int i = 0; i < 300; i++)
			blocks[0][i] = malloc(40);
		execl("./threads", words[0], "again", (char *)NULL);
		_exit(1);
	}
	wait(NULL);
	return 0;
}
C
$cc -g -O1 -fno-builtin -pthread -o threads threads.c
collect -- ./threads
for size in '24 360000 0' '40 300 12000' '48 500 24000'; do
	set -- $size
	expect_fact "$2 $3" "'%d %d' % tuple(sum(x[key] for x in r if x['uid']['line'] == $(grep -n "malloc($1)" threads.c | cut -d: -f1)) for key in ('allocations', 'leaked'))" \
		"blocks of $1 bytes"
done

# ---- sampling --------------------------------------------------------------------------------------------------
cat >many.c <<'C'
#include <stdlib.h>
static void *volatile sink;
int main(void)
{
	for (int i = 0; i < 1000000; i++) {
		sink = malloc(16 + i % 240);
		if (i % 4)
			free(sink);
	}
	return 0;
}
C
$cc -g -O1 -fno-builtin -o many many.c
collect --sample-bytes 8k -- ./many
expect_fact True 'abs(p["memory"]["bytes"] / 135497440 - 1) < 0.06' 'bytes are estimated'
expect_fact True 'abs(sum(x["leaked"] for x in r) / 33500000 - 1) < 0.12' 'leaks are estimated'
expect_fact True '12000 < p["memory"]["allocations"] < 21000' 'few are recorded'

# Each byte a sample: all is recorded after all, by the other way.
collect --sample-bytes 1 -- ./known
expect_fact '18 3369 17 1000 1400' \
	'"{allocations:.0f} {bytes:.0f} {frees:.0f} {leaked:.0f} {peak:.0f}".format(**p["memory"])' 'all are samples: totals'
expect_fact "[['leaf', 'middle', 'main']]" \
	'[list(y) for y in {tuple(f["function"] for f in x["trace"]) for x in r if x["subtype"] == "malloc"}]' 'all are samples: trace'
expect_fact 8 'len({x["subtype"] for x in r})' 'all are samples: subtypes'

# ---- libraries that are opened later, C++ --------------------------------------------------------------------------
echo '#include <stdlib.h>
void *from_library(void) { return malloc(123); }' >library.c
echo '#include <dlfcn.h>
int main(void) { void *(*f)(void) = (void *(*)(void))dlsym(dlopen("./library.so", RTLD_NOW), "from_library"); return !f(); }' >open.c
$cc -g -O1 -fno-builtin -fPIC -shared -o library.so library.c && $cc -g -o open open.c -ldl
collect -- ./open
expect_fact "['from_library', 'main']" \
	'next([f["function"] for f in x["trace"]] for x in r if x["amount"] == 123)' 'a library opened later'
if printf '#include <vector>\nnamespace space { struct thing { std::vector<int> v; thing() : v(100) {} }; }\nint main() { delete new space::thing; }\n' >plus.cc &&
	${CXX:-c++} -g -O0 -o plus plus.cc 2>/dev/null; then
	collect -- ./plus
	expect_fact True 'any(f["function"] == "space::thing::thing()" for x in r for f in x["trace"])' 'names of C++'
else
	skip 'no C++ compiler'
fi

# ---- stripped, and what is refused -----------------------------------------------------------------------------------
cp known stripped && strip stripped
collect -- ./stripped
expect_fact 18 'sum(x["allocations"] for x in r)' 'a stripped program has its totals'
if $cc -static -o static known.c 2>/dev/null; then
	expect_status 3 "$PERUN" collect -c ./static memory
	expect_err 'statically linked'
else
	skip 'no static C library'
fi
expect_status 4 "$PERUN" collect -c ./missing memory
printf '#!/bin/sh\n./known\necho too bad >&2\nexit 5\n' >script && chmod +x script
expect_status 3 "$PERUN" collect -c ./script memory
expect_err 'exited with 5 (--ignore-status accepts that); its standard error ends with: too bad'
collect --ignore-status -- ./script
expect_fact True 'any(x["uid"]["function"] == "leaf" for x in r)' 'programs that a script starts'
expect_status 3 "$PERUN" collect -c 'sleep 60' memory --timeout 0.2
expect_err 'timed out after'
rm -f .perun/jobs/*
expect_text '' "$(ls .perun/jobs)" 'no profile of what failed'

# ---- where the rings are -----------------------------------------------------------------------------
printf '#!/bin/sh\n./known\necho "$PERUN_MEMORY_SESSION" >where\n' >script
mkdir temporary
TMPDIR=$PWD/temporary collect -- ./script
expect_text "$PWD/temporary/perun-collect-" "$(sed 's/[0-9a-f]*$//' where)" 'where the user says'
(unset TMPDIR; "$PERUN" collect -c ./script memory >/dev/null 2>&1)
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && [ -w /dev/shm ] &&
	[ "$(df --output=avail /dev/shm | tail -n 1)" -gt 1100000 ]; then
	expect_text /dev/shm/perun-collect- "$(sed 's/[0-9a-f]*$//' where)" 'else in memory'
fi
check 'and nowhere afterwards' [ ! -e "$(cat where)" ]

# ---- what frees -------------------------------------------------------------------------------------
cat >frees.c <<'C'
#include <stdlib.h>
static void *volatile p;
__attribute__((noinline)) static void give(size_t n) { p = malloc(n); __asm__(""); }
__attribute__((noinline)) static void drop(void) { free(p); __asm__(""); }
int main(void)
{
	give(100);
	drop();
	give(200);
	p = realloc(p, 300);
	drop();
	give(400);
	return 0;
}
C
$cc -g -O1 -o frees frees.c
collect --free-stacks -- ./frees
expect_fact "[(100, ['drop', 'main']), (200, ['main']), (300, ['drop', 'main']), (400, [])]" \
	'sorted((x["amount"], [f["function"] for f in x["freed_trace"]]) for x in r)' 'what freed each allocation'
expect_fact '4 3' '"%d %d" % (p["memory"]["allocations"], p["memory"]["frees"])' 'and no more than without'
collect -- ./frees
expect_fact False '"freed_trace" in r[0]' 'only when asked for'
finish
