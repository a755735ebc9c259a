# SPDX-License-Identifier: BSD-3-Clause
# perun run with versions: ranges, work trees apart, versions that do not build.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
perun plugin show collect-time >/dev/null 2>&1 || skip_all 'the collector is not built'

new_repo
export TRACE=$work/trace
printf '#!/bin/sh\necho "$(cat number) $PWD" >>"$TRACE"\n' >prog.sh
chmod +x prog.sh
for i in 1 2 3 4 5; do
	echo "$i" >number
	# The third does not build.
	if [ "$i" -eq 3 ]; then echo 'exit 9' >build.sh; else echo 'echo built in "$PWD"; cp prog.sh built' >build.sh; fi
	git add . && git commit -q -m "number $i" && git tag "v$i"
done
git checkout -q -b side v2
echo 6 >number && git commit -qa -m 'on the side' && git tag v6
git checkout -q main
git merge -q -s ours -m merge side && git tag v7
perun init >/dev/null
cat >>.perun/local.yml <<'YAML'
cmds: [./built]
collectors:
  - name: time
    params: {repeat: 1, warmup: 0}
execute:
  pre_run: sh build.sh
YAML
expect_status 3 perun run -m v3..v5 matrix
expect_err 'execute.pre_run: sh build.sh' 'what was written by hand is shown'
check 'and not run' [ ! -e "$TRACE" ]
perun trust --yes >/dev/null
# numbers: what was measured, in order.
numbers() { echo $(cut -d' ' -f1 "$TRACE"); }
again() { rm -f .perun/jobs/*.perf "$TRACE"; }
# state: all that a run must not change.
state() {
	git status --porcelain
	git stash list
	git for-each-ref
	cat .git/HEAD
	git worktree list
	find . -path ./.git -prune -o -path ./.perun -prune -o -type f -printf '%p %T@ %i\n' | sort
}
echo changed >>file
git add file
echo more >>file
echo untracked >mine
before=$(state)

expect_status 0 perun run -m v3..v5 matrix --json
expect_json 'len(d["profiles"])' 2
expect_text '5 4' "$(numbers)" 'the versions of the end that the beginning has not'
check 'elsewhere' [ "$(grep -c "$PWD" "$TRACE")" -eq 0 ]
check 'what was built is in the log' grep -q 'built in /' ".perun/logs/$(head_of v5)-precollect.log"
check 'and the profile' grep -q '^perun: time of ./built: .*perf' ".perun/logs/$(head_of v5)-precollect.log"

# Several; each once. One that does not build is reported, and left out.
again
expect_status 3 perun run -m v1 -m v2..v5 -m v4 matrix
expect_text '1 5 4' "$(numbers)" 'each version once, in the order named'
expect_err "$(head_of v3 | cut -c1-8) is left out: execute.pre_run: 'sh build.sh' failed (exit status 9)"
expect_err "$(head_of v3)-precollect.log"
expect_err '1 of 4 versions could not be measured'
check 'three profiles' [ "$(ls .perun/jobs/*.perf | wc -l)" -eq 3 ]
again
expect_status 3 perun run -m v3 matrix
expect_err 'failed (exit status 9)'
expect_one_line

# Both sides of a merge; everything before; ends that are left out.
again
expect_status 3 perun run --crawl-parents -m v7 matrix
expect_text '1 2 4 5 5 6' "$(numbers | tr ' ' '\n' | sort | xargs)" 'all before it'
again
expect_status 0 perun run -m v5.. matrix
expect_text '5 6' "$(numbers | tr ' ' '\n' | sort | xargs)" 'up to the head: the merge and the side'
again
expect_status 2 perun run -m v5..v5 matrix
expect_err 'no version'
expect_status 2 perun run -m nonsense..v5 matrix
expect_one_line

# Where the user is in the project, the program runs, too.
again
mkdir sub && cp prog.sh sub/ && git add sub && git commit -q -m sub -- sub && git tag v8
before=$(state)
cd sub || exit 1
expect_status 0 perun run -m v8 job -b ./prog.sh -c time -cp time 'repeat: 1'
cd ..
check 'in the directory of that name' grep -q '/sub$' "$TRACE"

# In the user's own work tree, when asked for: everything is brought back, also when interrupted.
again
places() { git status --porcelain -- . ":!built"; git stash list; git for-each-ref; cat .git/HEAD file number; }
there=$(places)
expect_status 3 perun run -m v2..v4 --in-place matrix
expect_text "4 $PWD" "$(cat "$TRACE")" 'measured here'
expect_text "$there" "$(places)" 'everything is back'
again
printf '#!/bin/sh\nkill -TERM %s; sleep 5\n' '"$PPID"' >"$work/stop.sh"
run perun run -m v4 --in-place job -b "sh $work/stop.sh" -c time
check 'interrupted' [ "$status" -eq 143 ]
expect_text "$there" "$(places)" 'everything is back'
sed -i 's/TERM/KILL/' "$work/stop.sh"
run perun run -m v4 --in-place job -b "sh $work/stop.sh" -c time
check 'killed' [ "$status" -eq 137 ]
expect_status 0 perun recover
expect_text "$there" "$(places)" 'everything is back'
rm -f built
before=$(state)

# Registered at their versions.
again
expect_status 0 perun -c profiles.register_after_run=true run -m v4..v5 -m v1 matrix
run perun log --json
expect_json 'sum(len(v["profiles"]) for v in d["minor_versions"])' 2
expect_text "$before" "$(state)" 'nothing of the user has changed'

# A version is measured before it is checked; what it has is not measured again.
if perun plugin show check-average-amount-threshold >/dev/null 2>&1; then
	again
	: >"$TRACE"
	perun config set degradation.collect_before_check true >/dev/null
	runs=$(ls .perun/runs | grep -c '^2')
	run perun check head v5
	check 'it was there' [ ! -s "$TRACE" ]
	run perun check head v2
	expect_text 2 "$(numbers)" 'it was missing'
	run perun check head v2
	expect_text 2 "$(numbers)" 'and is no more'
	# One that does not build keeps no other from being checked.
	# Whatever a busy machine makes of single runs: no change counts.
	expect_status 3 perun check --method shift --params "threshold: 1000000" all v6
	expect_err "cannot measure version $(head_of v1^ | cut -c1-8)"
	expect_err '1 version could not be measured'
	expect_out "no changes found"
	expect_text '2 6' "$(numbers)" 'those that build were measured'
	check 'what fills gaps leaves no runs' [ "$(ls .perun/runs | grep -c '^2')" -eq "$runs" ]
fi

finish
