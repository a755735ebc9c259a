#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# perun compare, bisect and doctor: versions built and run in turns.
. "${top_srcdir:-.}/tests/cli/lib.sh"

if ! command -v ${CC:=cc} >/dev/null 2>&1; then skip_all 'no C compiler'; fi

new_repo fair
expect_status 0 perun init
# version N [MESSAGE]: a commit whose program takes N million turns; "broken" does not build.
version() {
	printf 'int main(void)\n{\n\tfor (volatile long i = 0; i < %s * 1000000l; i++)\n\t\t;\n\treturn 0;\n}\n' "$1" >prog.c
	echo "$RANDOM" >>other
	git add prog.c other
	git commit -q -m "${2:-takes $1}"
}
build="$CC -O1 -o prog prog.c"
version 4 one
version 4 two
git tag start
version 4 three
version broken 'does not build'
version 4 five
version 16 guilty
version 16 seven
version broken 'does not build either'
version 16 nine
echo changed >>file
echo staged >>other
git add other
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
# json EXPRESSION: of the last output, as `d`.
json() { python3 -c 'import json,sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$work/.result/stdout" "$1"; }

# ---- compare -----------------------------------------------------------------------------------
expect_status 1 perun compare --explain start HEAD --build "$build" --repeat 12 --most 48 --seed 1 -- ./prog
# Where a busy machine hides the time that passes, the processor time says it.
check 'the change is reported' grep -qE '^slower  (real|cpu)  ' "$work/.result/stdout"
expect_out 'confirmed by a second session'
expect_out 'second session: '
unchanged 'after a comparison'
check 'both builds are kept' test "$(find .perun/cache/builds -name complete | wc -l)" -eq 2
expect_status 0 perun compare HEAD start --build "$build" --repeat 12 --most 48 --seed 1 --json -- ./prog
expect_text "passed Optimization True 2 True" \
	"$(json 'd["verdict"], (c := d["comparisons"][0])["result"], c["confirmed"], len(c["sessions"]), c["rate"] < 0.7' | tr -d "(),'")" 'faster is no degradation'
expect_text "['cpu', 'real'] 2 True" "$(json 'sorted([(c := d["comparisons"][0])["metric"], c["other"]["metric"]]), len(c["other"]["sessions"]), c["other"]["rate"] < 0.7' | tr -d "(),'" | sed "s/\[cpu real\]/['cpu', 'real']/")" 'both metrics are reported'
# Where no terminal is, a line now and then says how far it is. That takes a while, which the next comparison mostly sleeps, too.
cp -a . ../waiting
(cd ../waiting && "$PERUN" compare start start --build : --repeat 4 --most 4 -- sleep 1.4 >../waiting.out 2>../waiting.err) &
waiting=$!
# A change of what is used alone: the time that passes is lost in noise.
cat >noisy.sh <<'SH'
#!/bin/sh
i=0; while [ $i -lt $1 ]; do i=$((i + 1)); done
exec sleep $(printf 0.%03d $((2 * $(od -An -N1 -tu1 /dev/urandom))))
SH
chmod +x noisy.sh
echo 'exec ./noisy.sh 500' >run.sh
git add noisy.sh run.sh && git commit -q -m 'noisy' -- noisy.sh run.sh
echo 'exec ./noisy.sh 30000' >run.sh
git commit -q -m 'noisy, more' -- run.sh
expect_status 1 perun compare HEAD~1 HEAD --build : --repeat 12 --most 12 --seed 1 -- sh ./run.sh
expect_out 'slower  cpu  '
expect_out 'hidden by noise'
git reset -q --soft HEAD~2
git rm -qf --cached noisy.sh run.sh
rm noisy.sh run.sh
for metric in real cpu; do
	expect_status 0 perun compare start start~1 --build "$build" --repeat 6 --most 12 --metric $metric -- ./prog
	expect_out "  $metric  "
done
expect_status 0 perun compare HEAD HEAD --build "$build" --repeat 6 --most 6 -- ./prog
expect_no_out Degradation

# The build is taken from the cache, and made again when asked for.
expect_status 0 perun compare start start --build "echo built >>$work/builds" --repeat 4 --most 4 -- true
expect_status 0 perun compare start start --build "echo built >>$work/builds" --repeat 4 --most 4 -- true
expect_text 1 "$(wc -l <"$work/builds")" 'built once'
expect_status 0 perun compare start start --rebuild --build "echo built >>$work/builds" --repeat 4 --most 4 -- true
expect_text 2 "$(wc -l <"$work/builds")" 'built once more'

# The budget is a ceiling, however much is undecided.
began=$SECONDS
expect_status 0 perun compare start start --build : --budget 2s -- sleep 0.2
check 'the budget is a ceiling' test $((SECONDS - began)) -le 4
expect_err 'the budget of 2 s ended a session after '
wait $waiting
expect_text 0 $? 'a comparison without a terminal'
check 'says how far it is' grep -q 'perun: pairs of runs: ' ../waiting.err
expect_status 2 perun compare start start --build : --budget 0 -- true

# Runs are where the user is.
mkdir sub && echo x >sub/x && git add sub/x && git commit -q -m sub -- sub/x
state >../before
cd sub || exit 1
expect_status 0 perun compare HEAD HEAD --repeat 4 --most 4 -- test -e x
cd ..
expect_status 3 perun compare start HEAD~2 --build "$build" -- ./prog
expect_err 'failed (exit status 1) at version'
expect_one_line
expect_status 4 perun compare start start --build "$build" -- ./prog-of-nobody
expect_status 3 perun compare start start --build "$build" -- sh -c 'exit 3'
expect_status 2 perun compare start HEAD --build "$build"
expect_err 'put it after --'
expect_status 2 perun compare start nosuch -- true
perun config --local set cmds '["true", "test -d"]' >/dev/null
perun config --local set workloads '[.]' >/dev/null
expect_status 0 perun compare start start~1 --build : --repeat 4 --most 4 --json
expect_text "['true .', 'test -d .']" "$(json '[c["command"] for c in d["comparisons"]]')" 'the commands of the configuration'
unchanged 'after mistakes'

# ---- killed ------------------------------------------------------------------------------------
"$PERUN" compare start~1 start~1 --build 'touch started; sleep 5' -- true >/dev/null 2>&1 &
victim=$!
while [ -z "$(find .perun/cache/builds -name started)" ]; do sleep 0.02; done
kill -KILL $victim
wait $victim 2>/dev/null
check 'a killed run leaves its build' test -n "$(find .perun/cache/builds -name started)"
expect_status 0 perun compare start start --build : --repeat 4 --most 4 -- true
check 'the next run removes what it left' test -z "$(find .perun/cache/builds -name started)"
unchanged 'after a killed run'
expect_status 0 perun fsck

# ---- bisect ------------------------------------------------------------------------------------
# Killed while a version is built, and while one runs.
for at in build run; do
	if [ $at = build ]; then
		"$PERUN" bisect start~1 HEAD --rebuild --build 'touch started; sleep 5' -- true >/dev/null 2>&1 &
	else
		"$PERUN" bisect start~1 HEAD --build : -- sh -c 'touch started; sleep 5' >/dev/null 2>&1 &
	fi
	victim=$!
	while [ -z "$(find .perun/cache/builds -name started)" ]; do sleep 0.02; done
	kill -KILL $victim
	wait $victim 2>/dev/null
	# What it checked out for itself is removed by the next run, as above.
	state | grep -v '/\.perun/cache/builds/\|^\.git/perun-exports/' | sed 's/  */ /' >../after
	sed 's/  */ /' ../before >../wanted
	expect_same ../wanted ../after "nothing of the user's is changed by a search that was killed in a $at"
	find .perun/cache/builds -name started -delete
done
expect_status 0 perun bisect start~1 HEAD --build "$build" --metric cpu --repeat 12 --most 48 -- ./prog
expect_out 'The slowdown came with'
expect_text guilty "$(printf '%s\n' "$out" | sed -n 's/^The slowdown came with [0-9a-f]* //p')" 'the guilty commit'
unchanged 'after a search'
expect_status 0 perun bisect start HEAD~1 --build "$build" --metric cpu --repeat 12 --most 48 --json -- ./prog
expect_text "['guilty']" "$(json '[c["subject"] for c in d["suspects"]]')" 'the same as JSON'
expect_status 3 perun bisect start~1 start --build "$build" --repeat 6 --most 6 -- ./prog
expect_err 'nothing to search for'
expect_status 2 perun bisect HEAD start --build "$build" -- ./prog
expect_err 'the good version comes first'

# What does not build hides the guilty one.
git checkout -q -f -b hidden start
version broken 'breaks'
version 16 'slower'
expect_status 0 perun bisect start hidden --build "$build" --metric cpu --repeat 12 --most 48 -- ./prog
expect_out 'one of these 2 commits'
expect_err 'is skipped'

# What is no time is not slower.
new_repo memory
expect_status 0 perun init
for i in 1 2 6 7; do
	echo "dd if=/dev/zero of=/dev/null bs=$((i * 4))M count=1 2>/dev/null" >prog.sh
	git add prog.sh && git commit -q -m "memory $i"
done
expect_status 0 perun bisect HEAD~3 HEAD --build : --metric max_rss --repeat 4 --most 8 --threshold 100 -- sh prog.sh
check 'by how much, as elsewhere' grep -qE ': worse, \+[0-9]+ %, [0-9.]+x in [0-9]+ pairs? of runs$' <<<"$out"
expect_out 'The increase came with'
expect_text 'memory 6' "$(printf '%s\n' "$out" | sed -n 's/^The increase came with [0-9a-f]* //p')" 'the commit that needs more'
check 'no word of times' test -z "$(printf '%s\n' "$out" | grep -E 'slow|fast')"
expect_status 3 perun bisect HEAD~1 HEAD --build : --metric max_rss --repeat 4 --most 8 --threshold 100 -- sh prog.sh
expect_err 'is not worse than'

# A hundred commits, of which each ninth does not build: halving takes seven, and few more.
new_repo hundred
expect_status 0 perun init
for ((i = 1; i <= 100; i++)); do
	printf 'commit refs/heads/master\ncommitter x <x@example.com> %d +0000\ndata <<E\nc%d\nE\nM 100644 inline prog.sh\ndata <<E\ni=0; while [ $i -lt %d ]; do i=$((i + 1)); done\nE\nM 100644 inline state\ndata <<E\n%s\nE\n' \
		$((1600000000 + i)) $i $((i < 67 ? 2000 : 8000)) "$([ $((i % 9)) -eq 4 ] && echo broken || echo works)"
done | git fast-import --quiet --force
git reset -q --hard master
expect_status 0 perun bisect HEAD~99 HEAD --build 'grep -q works state' --metric cpu --repeat 8 --json -- sh prog.sh
expect_text "(['c67', 'c68'], True, True)" \
	"$(json '(sorted(c["subject"] for c in d["suspects"]), len(d["steps"]) <= 10, sum(s["pairs"] for s in d["steps"]) <= 200)')" 'a hundred commits'

# ---- doctor ------------------------------------------------------------------------------------
mkdir -p "$work/none/sys/devices/system/cpu/cpu0/cpufreq" "$work/none/proc/sys/kernel"
echo powersave >"$work/none/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
echo 0 >"$work/none/proc/sys/kernel/randomize_va_space"
echo '99.00 98.00 97.00 1/2 3' >"$work/none/proc/loadavg"
mkdir -p "$work/none/sys/fs/cgroup"
echo '150000 100000' >"$work/none/sys/fs/cgroup/cpu.max"
echo 'cpu  10 0 10 60 0 0 0 20 0 0' >"$work/none/proc/stat"
cd "$work" || exit 1
expect_status 0 perun doctor --repeat 4 --system "$work/none" --json -- true
expect_text "true 16 ['governor powersave True', 'load True', 'steal 20.0 % of the time since the start True', 'quota 1.5 processors True', 'ASLR off False']" \
	"$(json 'd["command"], d["noise"]["runs"], [" ".join([m["name"]] + [m["state"]] * (m["name"] != "load") + [str(m["advice"] is not None)]) for m in d["machine"] if m["name"] != "pinning"]' | sed "s/^('true', 16, \\(.*\\))$/true 16 \\1/")" 'the machine'
expect_status 0 perun doctor --repeat 4
expect_out 'run-to-run spread'
expect_out 'pairs of runs you can detect changes of about'
expect_out 'by cpu time, of about'
expect_status 2 perun doctor --stdin /dev/null
expect_err 'needs the program that reads it: put it after --'

finish
