# SPDX-License-Identifier: BSD-3-Clause
# Runs that are interrupted or killed, and resumed: nothing is lost, nothing is there twice, and nothing of
# the user's files is changed.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
perun plugin show collect-time >/dev/null 2>&1 || skip_all 'the collector is not built'

# Its settings are written by hand, again and again.
export PERUN_TRUST=yes
new_repo
export TRACE=$work/trace TMPDIR=$work/tmp
mkdir "$TMPDIR"
cat >prog.sh <<'PROG'
#!/bin/sh
echo "$1" >>"$TRACE"
[ ! -e "$TRACE.wait-at-$1" ] || { echo $$ >"$TRACE.waits"; exec sleep 60; }
PROG
chmod +x prog.sh
git add . && git commit -q -m 'a program'
commit second
perun init >/dev/null
cat >>.perun/local.yml <<'YAML'
cmds: [./prog.sh]
workloads: [a, b, c, d, numbers]
generators:
  workload:
    - {id: numbers, type: integer, min_range: 1, max_range: 3, profile_for_each_workload: yes}
collectors:
  - name: time
    params: {repeat: 1, warmup: 0}
YAML
state() {
	git status --porcelain
	git stash list
	git for-each-ref
	cat .git/HEAD
	find . -path ./.git -prune -o -path ./.perun -prune -o -type f -printf '%p %T@ %i\n' | sort
}
echo changed >>file
git add file
echo more >>file
before=$(state)
# pending: the workloads of pending profiles, as often as they are there.
pending() { "$PERUN" status --json | python3 -c 'import json,sys; print(*sorted(p["workload"] for p in json.load(sys.stdin)["untracked"]))'; }
# signal NAME COMMAND...: start it, wait until the program waits, send a signal to perun; status of it.
signal() {
	local name=$1 child i
	shift
	rm -f "$TRACE.waits"
	# Shells start background jobs with SIGINT ignored.
	env python3 -c 'import os,signal,sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])' "$PERUN" "$@" >"$work/.result/stdout" 2>"$work/.result/stderr" </dev/null &
	child=$!
	for ((i = 0; i < 1000; i++)); do
		[ ! -e "$TRACE.waits" ] || break
		sleep 0.01
	done
	kill "-$name" "$child"
	status=0
	wait "$child" 2>/dev/null || status=$?
	out=$(cat "$work/.result/stdout") err=$(cat "$work/.result/stderr")
}
command -v python3 >/dev/null || skip_all 'needs Python 3'

for name in INT TERM KILL; do
	rm -f .perun/jobs/*.perf "$TRACE"
	: >"$TRACE.wait-at-c"
	signal "$name" run -f matrix
	rm "$TRACE.wait-at-c"
	measured=$(cat "$TRACE.waits")
	for ((i = 0; i < 500; i++)); do
		kill -0 "$measured" 2>/dev/null || break
		sleep 0.01
	done
	check "SIG$name: what was measured ends with it" [ "$i" -lt 500 ]
	case $name in
	INT) check 'status 130' [ "$status" -eq 130 ] ;;
	TERM) check 'status 143' [ "$status" -eq 143 ] ;;
	esac
	[ "$name" = KILL ] || expect_err '2 of 7 profiles are kept; the same command with --resume goes on'
	expect_text 'a b' "$(pending)" "SIG$name: what was finished is kept"
	expect_text "$before" "$(state)" 'the files are as they were'
	expect_status 0 perun run -f --resume matrix
	expect_out 'Resuming: 2 measurements were finished before'
	expect_text 'a b c d numbers_1 numbers_2 numbers_3' "$(pending)" 'the rest is there'
	expect_text 'a b c c d 1 2 3' "$(echo $(cat "$TRACE"))" 'nothing was measured twice'
	run perun run status --json
	expect_json 'd["executor"], d["states"]["done"], d["collected"], d["incomplete"]' "('local', 7, 7, [])"
done

# Without --resume it begins again, and says so; another plan is another run.
rm -f .perun/jobs/*.perf "$TRACE"
: >"$TRACE.wait-at-b"
signal KILL run -f matrix
rm "$TRACE.wait-at-b"
expect_status 0 perun run -f --resume job -b ./prog.sh -w a -w b -c time
expect_err "no matching interrupted run; starting over"
expect_status 0 perun run -f matrix
expect_err '--resume would have gone on with it'
check 'everything once more' [ "$(grep -c '^a$' "$TRACE")" -gt 1 ]

# A plan is a file, and its run is one like others: asked for, waited for, ended and gone on with by name.
rm -f .perun/jobs/*.perf "$TRACE"
: >"$TRACE.wait-at-c"
rm -f "$TRACE.waits"
"$PERUN" run -f matrix >/dev/null 2>"$work/last" &
child=$!
for ((i = 0; i < 1000; i++)); do [ ! -e "$TRACE.waits" ] || break; sleep 0.01; done
id=$(ls .perun/runs | grep '^2' | tail -n 1)
check 'the plan is a file' test -s ".perun/runs/$id/plan.json"
expect_status 0 perun run status
expect_out "Run $id (local), 7 cells: 4 waiting, 1 running, 2 done"
expect_status 3 perun run resume
expect_err 'is being measured'
expect_status 3 perun run --cell "$PWD/.perun/runs/$id:5"
expect_err 'is being measured'
expect_status 0 perun run cancel
status=0
wait "$child" || status=$?
expect_text 143 "$status" 'cancelling ends it like SIGTERM'
expect_text 'perun: 2 of 7 profiles are kept; the same command with --resume goes on' "$(grep kept "$work/last")" 'which says what is kept'
rm "$TRACE.wait-at-c"
expect_status 3 perun run wait
expect_out '2 done, 5 lost'
expect_out '2 profiles registered with 1 version'
expect_text '' "$(pending)" 'who waits for a run collects it, like those of executors'
here=$PWD
cd .perun && PERUN_TRUST= expect_status 0 perun run --cell "$here/.perun/runs/$id:3" && cd .. || exit 1
check 'and keeps its profile with the run' test -n "$(find ".perun/runs/$id/cells/3" -name '*.perf')"
cd .perun && expect_status 2 perun run resume && cd .. || exit 1
expect_err 'is one of the directory'
expect_status 3 env PERUN_TRUST= XDG_STATE_HOME="$work/nobody" "$PERUN" run resume
expect_err 'was not planned by you here'
expect_status 0 perun run resume
expect_out '7 done'
expect_text 'd numbers_1 numbers_2 numbers_3' "$(pending)" 'the rest is there'
expect_text 'a b c c d 1 2 3' "$(echo $(cat "$TRACE"))" 'nothing was measured twice'
expect_status 0 perun run collect
expect_out '5 profiles registered, 7 of 7 cells are in the store'
expect_status 0 perun run collect
expect_out '0 profiles registered, 7 of 7 cells are in the store'
expect_text '' "$(pending)" 'nothing is pending'
expect_status 0 perun rm 0@i-6@i

# A single measurement leaves no record of who planned it: its command is repeated.
expect_status 0 perun run -f job -b ./prog.sh -w a -c time
PERUN_TRUST='' expect_status 0 perun run resume
expect_out '1 done'
rm "$(ls -d .perun/runs/2* | tail -n 1)/cells/1/done.json"
PERUN_TRUST='' expect_status 2 perun run resume
expect_err 'is measured by the command that planned it; the same command with --resume goes on'

# What failed is measured again, and nothing else; then there is nothing left to resume.
sed -i 's/^cmds: .*/cmds: ["sh -c \x27echo $0 >>$TRACE; [ $0 != b ] || [ -e $TRACE.fine ]\x27"]/' .perun/local.yml
rm -f "$TRACE"
expect_status 3 perun run -f matrix
: >"$TRACE.fine"
expect_status 0 perun run -f --resume matrix
expect_out 'Resuming: 6 measurements were finished before'
expect_text 'a b c d 1 2 3 b' "$(echo $(cat "$TRACE"))" 'what failed is measured again'
mkdir -p .perun/tmp/runs && : >.perun/tmp/runs/0123456789abcdef
expect_status 0 perun run -f --resume matrix
expect_err 'no matching interrupted run; starting over (what an earlier perun left in .perun/tmp/runs cannot be gone on with)'
rm -r .perun/tmp/runs
sed -i 's/^cmds: .*/cmds: [.\/prog.sh]/' .perun/local.yml

# Of many runs the oldest are removed, but one that goes on, whose process holds the lock, and those of executors.
expect_status 0 perun run --plan-only -m HEAD job -b ./prog.sh -w a -c time
cells=$(ls .perun/runs | grep '^2' | tail -n 1)
last=$(ls .perun/runs | grep '^2' | tail -n 2 | head -n 1)
for ((i = 10; i < 45; i++)); do cp -r ".perun/runs/$last" ".perun/runs/20200101-0000$i-0000"; done
mv ".perun/runs/$cells" .perun/runs/20200101-000000-0000
exec 9<.perun/runs/20200101-000010-0000/measuring
flock 9
expect_status 0 perun run -f job -b ./prog.sh -w a -w b -c time
exec 9<&-
check 'a run that goes on is kept' [ -e .perun/runs/20200101-000010-0000/plan.json ]
check 'so is one of an executor' [ -e .perun/runs/20200101-000000-0000/plan.json ]
check 'an old one that ended is not' [ ! -e .perun/runs/20200101-000011-0000 ]
check 'newer ones are' [ -e .perun/runs/20200101-000044-0000 ]
rm -r .perun/runs

# A generator's workloads, all in one profile: those that were measured are not measured again.
cp .perun/local.yml "$work/matrix.yml"
sed -i 's/^workloads: .*/workloads: [numbers]/; s/max_range: 3, profile_for_each_workload: yes/max_range: 5/' .perun/local.yml
rm -f .perun/jobs/*.perf "$TRACE"
: >"$TRACE.wait-at-3"
for name in KILL INT; do
	signal "$name" run -f --resume matrix
	expect_text '' "$(pending)" "SIG$name: the profile is not there yet"
done
expect_err '0 of 1 profiles are kept; the same command with --resume goes on'
rm "$TRACE.wait-at-3"
expect_status 0 perun run -f --resume matrix
expect_text '1 2 3 3 3 4 5' "$(echo $(cat "$TRACE"))" 'only what was interrupted was measured again'
expect_text numbers "$(pending)" 'there is one profile'
sizes=$("$PERUN" show 0@p tableof -ts resources | awk '{print $4}' | grep -x '[0-9]' | sort -u | xargs)
expect_text '1 2 3 4 5' "$sizes" 'of all workloads'
check 'no part is left' [ -z "$(find .perun/runs -name 'part-*')" ]
cp "$work/matrix.yml" .perun/local.yml

# Versions of their own; registered; killed anywhere, again and again.
cat >>.perun/local.yml <<'YAML'
execute:
  pre_run: cp prog.sh built
profiles:
  register_after_run: true
YAML
sed -i 's/^cmds: .*/cmds: [.\/built]/' .perun/local.yml
rm -f .perun/jobs/*.perf
kills=0
for ((i = 0; i < 15; i++)); do
	"$PERUN" run --resume -m HEAD -m HEAD~1 matrix >/dev/null 2>"$work/last" &
	child=$!
	sleep "$(printf '0.%03d' $((RANDOM % 50 + 10 + 20 * i)))"
	kill -KILL "$child" 2>/dev/null && kills=$((kills + 1))
	wait "$child" 2>/dev/null && break
	# Killed when all was done: another run would be a new one.
	"$PERUN" run status 2>/dev/null | grep -q '14 cells: 14 done' && grep -q ended "$(ls -d .perun/runs/2* | tail -n 1)/measuring" && break
done
diag "$kills kills"
[ "$i" -lt 15 ] || expect_status 0 perun run --resume -m HEAD -m HEAD~1 matrix
check 'some were killed' [ "$kills" -gt 0 ]
rm -f .perun/jobs/*.perf
for revision in HEAD HEAD~1; do
	registered=$("$PERUN" log --json "$revision" | python3 -c 'import json,sys; print(*sorted(p["workload"] for p in json.load(sys.stdin)["minor_versions"][0]["profiles"]))')
	expect_text 'a b c d numbers_1 numbers_2 numbers_3' "$registered" "$revision has each profile once"
done
expect_text "$before" "$(state)" 'nothing of the user has changed'
expect_status 0 perun fsck

# What killed runs left goes with the next one; what is young may be another's.
expect_status 0 perun recover
check 'no work tree is left' [ "$(git worktree list | wc -l)" -eq 1 ]

finish
