#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Collectors that configurations of the Python program name: kperf, complexity, bounds.
. "${top_srcdir:-.}/tests/cli/lib.sh"
collector=kperf
. "$top_srcdir/tests/cli/collect-lib.sh"

cat >work.c <<'C'
static volatile double sum;
__attribute__((noinline)) static void spin(long n)
{
	for (long i = 0; i < n; i++)
		sum += (double)i;
}
__attribute__((noinline)) static void one(void) { spin(40000000); __asm__ volatile(""); }
int main(void)
{
	one();
	return 0;
}
C
"$cc" -g -O1 -fno-omit-frame-pointer -o work work.c || skip_all 'cannot compile'

expect_status 4 "$PERUN" collect -c ./work bounds
expect_err 'there is no collector bounds any more: it needs Loopus'
expect_status 2 "$PERUN" collect -c ./work trace -t 5
expect_err '--timeout 5 for a limit of time'

rm -f .perun/jobs/*
expect_status 0 "$PERUN" collect -c ./work complexity --files work.c -r one -t built
expect_fact "{'one'}" '{x["uid"] for x in r}' 'functions that rules name'
check 'the folder has the program' test -n "$(find built -type f -perm -u+x)"

rm -f .perun/jobs/*
if ! "$PERUN" collect -c ./work cpu >/dev/null 2>&1; then
	skip 'the kernel allows no samples'
	finish
fi
collect --warmup 1 --repeat 2 --with-sudo -- ./work
expect_err 'with-sudo has no effect'
expect_fact "('time', {'time': 'sample'})" 'p["header"]["type"], p["header"]["units"]' 'samples of processor time'
expect_fact "('kperf', 2)" 'p["collector_info"]["name"], p["collector_info"]["params"]["repeat"]' 'parameters'
expect_fact True 'sum(x["amount"] for x in r if x["uid"] == "spin") > .8 * sum(x["amount"] for x in r)' 'most of them where the time goes'
expect_fact "['main', 'one']" '[x["trace"][-2:] for x in r if x["uid"] == "spin"][0]' 'callers, the outermost first'
expect_fact "{'work'}" '{x["command"] for x in r}' 'the process'
expect_status 0 "$PERUN" show 0@p tree
expect_out 'one'
finish
