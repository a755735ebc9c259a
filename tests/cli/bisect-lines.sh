#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# perun bisect --lines: which changes of a commit made a program slower.
. "${top_srcdir:-.}/tests/cli/lib.sh"

new_repo lines
expect_status 0 perun init
# The program needs as much memory as its parts say, which no other work disturbs; a part is a line of a file, far from
# the others, and three are neighbours.
parts() { for i in 1 2 3 4 5 6; do printf 'p%s=%s\n\n\n' $i "${1:-0}"; done; }
cat >prog.sh <<'SH'
. ./one; . ./two
[ ! -x two ] || q1=30
[ ! -e again ] || q3=0
[ -z "$NOISE" ] || noise=$(($(od -An -N1 -tu1 /dev/urandom) * 4500))
s=$((5 + p1 + p2 + p3 + p4 + p5 + p6 + q1 + q2 + q3 + q4 + q5 + q6 + r1 * r2 + t1 + t2 + t3))
need $((s * 1200000 + noise))
SH
# What needs it: a small program, since it runs fifteen hundred times, or dd, which takes five times as long.
cat >../need.c <<'C'
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
int main(int count, char **words)
{
	size_t size = count == 2 ? strtoul(words[1], 0, 10) : 0;
	char *memory = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	madvise(memory, size, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < size; at += 4096)
		memory[at] = 1;
	return 0;
}
C
if ${CC:-cc} -w -O1 -static -o ../need ../need.c 2>/dev/null || ${CC:-cc} -w -O1 -o ../need ../need.c 2>/dev/null; then
	sed -i "s|^need |exec $work/here/need |" prog.sh
else
	sed -i 's|^need \(.*\)|exec dd if=/dev/zero of=/dev/null bs=\1 count=1 2>/dev/null|' prog.sh
fi
parts >one
parts | tr p q >two
printf 'r1=0\n\n\n\nr2=0\n\n\n\nt1=0\nt2=0\nt3=0\n' >>two
git add . && git commit -q -m base
# change SCRIPT MESSAGE [COMMAND]: a commit on the first one, with two changes that cost nothing.
change() {
	git checkout -q -f main
	sed -i -e 's/^p6=0/p6=00/' -e "$1" one
	sed -i -e 's/^q5=0/q5=00/' -e "$1" two
	${3-}
	git commit -q -a -m "$2"
	git tag -f "$2" >/dev/null
	git reset -q --hard HEAD~1
}
change 's/^p2=0/p2=4/' single
change 's/^p2=0/p2=30/; s/^q3=0/q3=20/' shared
change 's/^p2=0/p2=30/' equal 'chmod +x two'
change 's/^r1=0/r1=2/; s/^r2=0/r2=2/' pair
change 's/^p1=0/p1=0 /' nothing
change 's/^t1=0/t1=00/; s/^t2=0/t2=4/; s/^t3=0/t3=00/' neighbours
change 's/^p3=0/p3=$(while [ $p1 = 0 ]; do :; done)/; s/^p1=0/p1=1/; s/^p2=0/p2=3/' endless
change 's/^p1=0/p1=60/; s/^p2=0/p2=4/; s/^p4=0/p4=$((-p1))/' broken
change 's/^p2=0/p2=6/; s/^q3=0/q3=3/' lucky
change 's/^p2=0/p2=30/; s/^q3=0/q3=-20/' repaid
quick='--build : --metric max_rss --repeat 4 --most 8'
# json EXPRESSION: of the last output, as `d`.
json() { python3 -c 'import json,sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$work/.result/stdout" "$1"; }
lines='*sorted(h["added"].strip() for h in d["hunks"])'

echo changed >>one
echo staged >>two
git add two
echo new >untracked
state() {
	git status --porcelain=v2 --branch
	git worktree list
	git stash list
	git diff HEAD
	find .git/perun-exports -type f 2>/dev/null
}
state >../before
unchanged() {
	state >../after
	expect_same ../before ../after "the repository is as it was $1"
}

# undo COMMIT: apply the patch to it in an index of its own; undone WORD...: git with that.
undone() { GIT_INDEX_FILE=../index git "$@"; }
undo() { undone read-tree "$1" && undone apply --cached ../undo.diff; }

# The program's own threshold counts, and is read before anything is built.
cp .perun/local.yml .. && echo 'degradation: {thresholds: {sh: x}}' >>.perun/local.yml
expect_status 3 perun bisect --lines --build false single -- sh prog.sh
mv ../local.yml .perun
expect_err 'degradation.thresholds: sh has no percentage'

# shellcheck disable=SC2086
{
	expect_status 1 perun bisect --lines $quick --patch ../undo.diff --page ../lines.html --jobs 2 single -- sh prog.sh
	expect_out '1 of 3 changes made it worse:'
	expect_text 'p2=0 p6=00' "$(undo single; undone show :one | grep -E '^p[26]' | paste -sd' ')" 'git apply takes it back'
	check 'the page marks it' grep -q 'class="added guilty".*p2=4' ../lines.html
	check 'and leads to it' grep -q '<a href="#change-0">one:4</a>' ../lines.html
	expect_out 'one:4  '
	expect_out '  -p2=0'
	expect_out '  +p2=4'
	expect_out 'The parent with these changes alone has '
	unchanged 'after a search'
	expect_text '' "$(find .perun/cache/builds -name '*-lines')" 'the tree of trials is removed'

	expect_status 1 perun bisect --lines --json $quick shared -- sh prog.sh
	expect_text 'p2=30 q3=20' "$(json "' '.join([$lines])")" 'two changes share it'
	whole=$(json 'd["builds"]')
	expect_text True "$(json 'all(0.1 < h["share"] < 0.95 for h in d["hunks"]) and not d["together"]')" 'with their shares'

	expect_status 1 perun bisect --lines $quick repaid -- sh prog.sh
	expect_out '  +p2=30'
	expect_out 'That is more than the whole slowdown, of which other changes take a part back.'

	expect_status 1 perun bisect --lines --json $quick --patch ../undo.diff equal -- sh prog.sh
	expect_text "['lines', 'mode'] True" "$(json '[h["kind"] for h in d["hunks"]], d["runs"] < 100' | tr -d '()' | sed 's/\], /] /')" 'of two equal changes each is found, and soon'
	expect_text 100644 "$(undo equal; undone ls-files -s two | cut -d' ' -f1)" 'the patch has permissions'

	expect_status 1 perun bisect --lines --json $quick pair -- sh prog.sh
	expect_text 'r1=2 r2=2 True' "$(json "' '.join([$lines]), d['together']" | tr -d "(),'")" 'two changes are slow only together'

	# A test keeps sets out: here those without the guilty change, so that another one is needed with it.
	expect_status 1 perun bisect --lines --json $quick --test 'grep -q p6=00 one || ! grep -q p2=4 one' single -- sh prog.sh
	expect_text "[('p2=4', 'guilty'), ('p6=00', 'needed')]" "$(json '[(h["added"].strip(), h["role"]) for h in d["hunks"]]')" 'what the test needs is needed'

	git tag fast main
	git checkout -q -f single && sed -i 's/^p2=4/p2=0/; s/^q1=0/q1=00/' one two && git commit -q -a -m better && git tag better
	git checkout -q main
	expect_status 1 perun bisect --lines --better --json $quick better -- sh prog.sh
	expect_text 'p2=0' "$(json "' '.join([$lines])")" 'what made it faster'
	expect_status 3 perun bisect --lines $quick better -- sh prog.sh
	expect_err 'there is nothing to search for'

	expect_status 1 perun bisect --lines --json $quick main..pair -- sh ./prog.sh
	expect_text 'r1=2 r2=2 0' "$(json "' '.join([$lines]), d['builds']" | tr -d "(),'")" 'of a range; what was built is kept, also for another program'
	git checkout -q -f main && sed -i 's/^p3=0/p3=4/; s/^p5=0/p5=00/' one
	git diff >../before
	expect_status 1 perun bisect --lines --work-tree --json $quick -- sh prog.sh
	expect_text "p3=4 None" "$(json "' '.join([$lines]), d['head']" | tr -d "(),'")" 'of the work tree'
	git diff >../after
	expect_same ../before ../after 'the work tree is as it was'
	git checkout -q -f main

	state >../before
	expect_status 1 perun bisect --lines --finest --json $quick neighbours -- sh prog.sh
	expect_text "[('t2=0', 't2=4', 28, 1)]" "$(json '[(h["removed"].strip(), h["added"].strip(), h["new_start"], h["new_lines"]) for h in d["hunks"]]')" 'a line of the guilty change'
	unchanged 'after a search for lines'

	# What is many times as slow as the commit lacks a change that would make it do the same.
	expect_status 1 perun bisect --lines --json $quick broken -- sh prog.sh
	expect_text 'p2=4' "$(json "' '.join([$lines])")" 'a set that is far slower is not an answer'

	# What was found by noise is measured again before it is named: q3 costs something when a set is tried for the first time.
	first="rm -f again; cksum one two >$work/set; [ ! -e $work/\$(cksum <$work/set | tr -d ' ') ] || touch again; touch $work/\$(cksum <$work/set | tr -d ' ')"
	NOISE=1 expect_status 1 perun bisect --lines --json $quick --test "$first" lucky -- sh prog.sh
	expect_text 'p2=6 False' "$(json "' '.join([$lines]), d['certain']" | tr -d "(),'")" 'nothing is named that is slow only once'

	# Nor is one that never ends.
	expect_status 1 perun bisect --lines --json $quick endless -- sh ./prog.sh
	expect_text 'p1=1 p2=3' "$(json "' '.join([$lines])")" 'a set that never ends is not resolved'
	expect_text '' "$(pgrep -x -f 'sh ./prog.sh')" 'nor does anything that it started go on'

	# The third build interrupts the search; the next search of the same goes on.
	third="case \$PWD in *-lines/tree) echo >>$work/builds; [ \$(wc -l <$work/builds) -ne 3 ] || kill -INT \$PPID;; esac"
	expect_status 130 perun bisect --lines --json $quick --build "$third" shared -- sh prog.sh
	expect_text interrupted "$(json "d['ended']")" 'Ctrl-C ends with what is known'
	unchanged 'after an interrupted search'
	expect_status 1 perun bisect --lines --json --resume $quick --build "$third" shared -- sh prog.sh
	expect_text 'p2=30 q3=20 None True' "$(json "' '.join([$lines]), d['ended'], d['builds'] < $whole" | tr -d "(),'")" 'another one goes on, with fewer builds'

	# A build that takes longer than the budget is the last; the comparison before it needs more where other work is done.
	for budget in 2 6 20 60; do
		run perun bisect --lines --json $quick --budget $budget --build "case \$PWD in *-lines/tree) sleep $budget;; esac" shared -- sh prog.sh
		[ "$status" -eq 3 ] || break
	done
	expect_text '1 budget False' "$status $(json "d['ended'], d['certain']" | tr -d "(),'")" 'a budget ends with what is known'

	expect_status 2 perun bisect --lines $quick single
	expect_status 2 perun bisect --lines $quick main..main -- true
	expect_status 2 perun bisect --lines $quick nosuch -- true
	expect_status 2 perun bisect --better main single -- true
	expect_err '--better is for --lines'
}

# Killed while a trial is built, and while one runs: the next search removes what it left.
state >../before
for at in build run; do
	rm -f "$work/started"
	if [ $at = build ]; then
		"$PERUN" bisect --lines --build "case \$PWD in *-lines/tree) touch $work/started; sleep 9;; esac" --metric max_rss --repeat 4 --most 8 single -- sh prog.sh >/dev/null 2>&1 &
	else
		"$PERUN" bisect --lines --build : --metric max_rss --repeat 4 --most 8 single -- sh -c "case \$PWD in *-lines/tree) touch $work/started; sleep 9;; esac; sh prog.sh" >/dev/null 2>&1 &
	fi
	victim=$!
	for _ in $(seq 600); do [ ! -e "$work/started" ] || break; sleep 0.05; done
	kill -KILL $victim
	wait $victim 2>/dev/null
	check "a search that is killed in a $at leaves its tree" test -n "$(find .perun/cache/builds -name '*-lines')"
	if [ $at = build ]; then
		expect_status 0 perun compare main main --build : --repeat 4 --most 4 -- true
	else
		expect_status 0 perun recover
		expect_out 'killed runs'
	fi
	expect_text '' "$(find .perun/cache/builds -name '*-lines')" 'which the next command that builds removes, and recover'
	unchanged "after a search that was killed in a $at"
done

# ---- programs that are compiled ----------------------------------------------------------------
: "${CC:=cc}"
if ! command -v "${CC%% *}" >/dev/null 2>&1 || ! command -v make >/dev/null; then
	skip 'no C compiler, or no make'
	finish
fi

# Counts decide in one run: a stand-in for hardware counters has those that the program says.
cat >"$work/counter.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

long syscall(long number, ...)
{
	long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"), words[6];
	const struct perf_event_attr *event;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		words[i] = va_arg(list, long);
	va_end(list);
	event = (const struct perf_event_attr *)words[0];
	if (number == SYS_perf_event_open && event->type == PERF_TYPE_HARDWARE)
		return event->config == PERF_COUNT_HW_INSTRUCTIONS ? open(getenv("COUNTS"), O_RDONLY) : -1;
	return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
C
printf '#include <stdlib.h>\n#include <unistd.h>\nint main(int n, char **w)\n{\n\tlong out[3] = {atol(w[n - 1]), 1, 1};\n\treturn write(1, out, sizeof out) != sizeof out;\n}\n' >"$work/count.c"
: >"$work/counts"
cc_shared() { $CC -w -shared -fPIC -o "$work/counter.so" "$work/counter.c" -ldl && $CC -w -o "$work/count" "$work/count.c"; }
check 'a stand-in for counters' cc_shared
counted() {
	expect_status "$1" env COUNTS="$2" LD_PRELOAD="$work/counter.so" ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" "$PERUN" bisect --lines --json --build true --metric instructions \
		single -- sh -c ". ./one; . ./two; exec $work/count \$((1000 + p1 + p2 * 50 + p6 + q5)) >$work/counts"
}
counted 1 "$work/counts"
expect_text 'p2=4 1200.0 True' "$(json "' '.join([$lines]), d['after'], d['runs'] == d['builds'] > 0" | tr -d "(),'")" 'of instructions, each trial is one run'
counted 4 /nowhere
expect_err 'instructions of a run cannot be measured on this machine; --metric real can'

new_repo compiled
expect_status 0 perun init
printf 'prog: prog.c work.h\n\t%s -O1 -Werror=implicit-function-declaration -o prog prog.c\n' "$CC" >Makefile
printf '#define TIMES 1\n\n\n\n/* what there is */\nint work(int n);\n' >work.h
cat >prog.c <<'C'
#include "work.h"
#include <time.h>

int work(int n)
{
	return n;
}

static int other(int n)
{
	return n + 1;
}

static void wait(int n)
{
	nanosleep(&(struct timespec){.tv_nsec = n * 1000000L}, 0);
}

int main(void)
{
	int sum = 2;

	/* do it */
	wait(work(other(sum)));
	return 0;
}
C
printf 'prog\n' >.gitignore
git add . && git commit -q -m base
sed -i -e 's,/\* do it \*/,/* and now do it */,' -e 's/int sum = 2;/int number = 2;/' -e 's/(sum)/(number)/g' prog.c
git commit -q -a -m same
expect_status 0 perun bisect --lines --build 'make -s' HEAD -- ./prog
expect_out 'Both are built to the same program.'
sed -i -e 's/return n;/return slowly(n);/' prog.c
printf '\nint slowly(int n)\n{\n\treturn 20 * n;\n}\n' >>prog.c
sed -i -e 's/^int work/int slowly(int n);\n&/' -e 's/TIMES 1/TIMES 2/' work.h
git commit -q -a -m slower
expect_status 1 perun bisect --lines --json --build 'make -s' --repeat 5 --most 20 HEAD -- ./prog
expect_text True "$(json 'len(d["hunks"]) == 3 and not any("TIMES" in h["added"] for h in d["hunks"]) and d["certain"]')" 'what it needs is found with it'
expect_text True "$(json 'd["builds"] < 8')" 'in a few builds'

# Changes that build only together: samples say which of them cost, where this machine can sample.
cat >prog.c <<'C'
struct pair { int one; };
#define KEPT __attribute__((noinline))

KEPT static int first(struct pair *pair)
{
	return pair->one;
}



KEPT static int second(struct pair *pair)
{
	volatile int sum = 0;

	for (int i = 0; i < 1000000; i++)
		sum += pair->one;
	return sum;
}



int main(void)
{
	struct pair pair = {1};

	return first(&pair) + second(&pair) < 0;
}
C
git commit -q -a -m before
sed -i -e 's/one/two/; s/i < 1/i < 20/' prog.c
git commit -q -a -m renamed
expect_status 1 perun bisect --lines --json --build 'make -s' --repeat 5 --most 20 --metric cpu HEAD -- ./prog
expect_text True "$(json '[h["role"] for h in d["hunks"]] == (["needed", "needed", "guilty"] if d["functions"] else 3 * ["guilty"]) and d["by_samples"] == bool(d["functions"])')" 'samples tell apart what builds only together'

finish
