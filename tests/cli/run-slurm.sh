# SPDX-License-Identifier: BSD-3-Clause
# The executor for Slurm, with scripts in the place of sbatch, squeue, sacct and scancel: arrays, dependencies, and what follows
# from each state. tests/slurm/run.sh does the same with a cluster.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
perun plugin show executor-slurm >/dev/null 2>&1 || skip_all 'the executor is not built'
perun plugin show collect-time >/dev/null 2>&1 || skip_all 'the collector is not built'
command -v python3 >/dev/null || skip_all 'needs Python 3'

export PERUN_TRUST=yes FAKE=$work/fake TRACE=$work/trace
mkdir -p "$FAKE/bin" "$FAKE/jobs"
export PATH=$FAKE/bin:$PATH
# A task whose number has a fate/N gets this state instead of being run.
cat >"$FAKE/bin/sbatch" <<'SH'
#!/bin/bash
echo "sbatch $*" >>"$FAKE/calls"
for word; do
	case $word in
	--array=*) last=${word#--array=0-} last=${last%%%*} ;;
	--dependency=afterok:*) after=${word#--dependency=afterok:} ;;
	--export=*) first=${word##*=} ;;
	esac
done
script=$word
exec 9>"$FAKE/lock"
flock 9
id=$(($(cat "$FAKE/last" 2>/dev/null || echo 100) + 1))
echo $id >"$FAKE/last"
flock -u 9
mkdir "$FAKE/jobs/$id"
for ((i = 0; i <= last; i++)); do echo PENDING >"$FAKE/jobs/$id/$i"; done
set_state() { echo "$2" >"$FAKE/jobs/$id/$1.new" && mv "$FAKE/jobs/$id/$1.new" "$FAKE/jobs/$id/$1"; }
(
	for before in ${after//:/ }; do
		while grep -qE 'PENDING|RUNNING' "$FAKE/jobs/$before"/*; do sleep 0.05; done
		if grep -qv COMPLETED "$FAKE/jobs/$before"/*; then
			for ((i = 0; i <= last; i++)); do set_state $i CANCELLED; done
			exit
		fi
	done
	for ((i = 0; i <= last; i++)); do
		task=$(sed -n "$((first + i + 1))p" "${script%.sh}.tasks")
		fate=$FAKE/fate/$task
		grep -q -- --build "$script" && fate=$FAKE/fate/build-$task
		if [ -e "$fate" ]; then
			state=$(cat "$fate")
			rm "$fate"
			set_state $i "$state"
			continue
		fi
		set_state $i RUNNING
		if PERUN_SLURM_FIRST=$first SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_JOB_ID=$id SLURMD_NODENAME=node$((i % 2)) SLURM_JOB_PARTITION=fast sh "$script"; then
			set_state $i COMPLETED
		else
			set_state $i FAILED
		fi
	done
) >>"$FAKE/log" 2>&1 </dev/null 9>&- &
echo $id
SH
cat >"$FAKE/bin/squeue" <<'SH'
#!/bin/bash
[ ! -e "$FAKE/down" ] || { rm "$FAKE/down"; echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1; }
echo squeue >>"$FAKE/calls"
cd "$FAKE/jobs" && for file in */*; do case $file in *.new) ;; *) echo "${file%/*} ${file#*/} $(cat "$file")" ;; esac; done
SH
printf '#!/bin/sh\necho "Slurm accounting storage is disabled" >&2\nexit 1\n' >"$FAKE/bin/sacct"
printf '#!/bin/sh\nfor id; do for file in "$FAKE/jobs/$id"/*; do echo CANCELLED >$file; done; done\n' >"$FAKE/bin/scancel"
chmod +x "$FAKE"/bin/*
mkdir "$FAKE/fate"

new_repo
printf '#!/bin/sh\necho "$*" >>"$TRACE"\n' >prog.sh
printf '#!/bin/sh\necho build >>"$TRACE"\n' >build.sh
chmod +x prog.sh build.sh
git add . && git commit -q -m one && git commit -q --allow-empty -m two
perun init >/dev/null
cat >>.perun/local.yml <<'YAML'
cmds: [./prog.sh]
workloads: [a, b]
parameters: {processes: [1, 2]}
collectors: [{name: time, params: {repeat: 1, warmup: 0}}]
execute: {pre_run: [./build.sh]}
executors:
  - {name: slurm, host: nowhere, params: {partition: wrong}}
  - {name: slurm, retries: 1, launch: 'env RANKS={processes}', params: {partition: fast, time: 10m, tasks: '{processes}', array-size: 2, gres: 'gpu:a100:2'}}
YAML
echo NODE_FAIL >"$FAKE/fate/1"
echo TIMEOUT >"$FAKE/fate/2"
echo OUT_OF_MEMORY >"$FAKE/fate/3"
expect_status 0 perun run --executor slurm -m HEAD~1 -m HEAD matrix
expect_out '8 cells handed to slurm'
check 'the site and the parameters are in the options' grep -q -- '--array=0-1 .*--dependency=afterok:101 --kill-on-invalid-dep=yes --partition=fast --gres=gpu:a100:2 --ntasks=2 --time=10 ' "$FAKE/calls"
: >"$FAKE/down"
expect_status 3 perun run wait
expect_err 'Unable to contact slurm controller' 'an engine that does not answer is named'
expect_err '1 of 8 cells has no profile'
expect_out 'lost: it ran out of memory'
check 'a limit of time is doubled once' grep -q -- '--time=20 ' "$FAKE/calls"
expect_text '7 2' "$(grep -vc build "$TRACE") $(grep -c build "$TRACE")" 'each cell is measured and each version built once'
run perun run status --json
expect_json '[(c["cell"], c["state"], c["attempts"]) for c in d["incomplete"]]' "[(3, 'lost', 1)]"
expect_status 0 perun run resume
expect_status 0 perun run wait
expect_out '8 done'
facts=$(python3 - <<'PY'
import glob, json
run = sorted(glob.glob(".perun/runs/2*"))[-1]
done = json.load(open(run + "/cells/2/done.json"))
profile = json.load(open(run + "/cells/2/" + done["profile"]))
print(done["node"][:4], profile["machine"]["partition"], profile["machine"]["gres"], profile["header"]["workload"], "_" in done["job"])
PY
)
expect_text 'node fast gpu:a100:2 b processes=1 True' "$facts" 'node, partition and parameters are noted'

# What squeue has forgotten sacct knows, with all tasks that never started in one line; it has no option --array in Slurm 22.05.
cp "$FAKE/bin/sacct" "$work/no-sacct"
cat >"$FAKE/bin/sacct" <<'SH'
#!/bin/sh
for word; do
	case $word in
	--noheader | --parsable2 | --allocations | --jobs=* | --format=JobID,State) ;;
	*) echo "sacct: unrecognized option '$word'" >&2; exit 1 ;;
	esac
done
echo "sacct $*" >>"$FAKE/calls"
[ "$SLURM_BITSTR_LEN" = 0 ] && cat "$FAKE/accounts"
SH
for task in 1 2 3; do echo CANCELLED >"$FAKE/fate/$task"; done
: >"$TRACE"
expect_status 0 perun run --executor slurm --parameter processes=1 -m HEAD job -b ./prog.sh -w d -w e -w f -c time -cp time '{repeat: 1, warmup: 0}'
last=$(cat "$FAKE/last")
for ((i = 0; i < 100; i++)); do ! grep -qE 'PENDING|RUNNING' "$FAKE/jobs/$((last - 1))"/* "$FAKE/jobs/$last"/* || sleep 0.05; done
rm -r "$FAKE/jobs/$((last - 1))" "$FAKE/jobs/$last"
printf '%s\n' "$((last - 1))_[0-1%4]|NODE_FAIL" "${last}_0|CANCELLED by 0" "${last}_0.batch|CANCELLED" >"$FAKE/accounts"
expect_status 3 perun run wait
expect_out '2 done, 1 lost'
check 'it is asked for what squeue does not know' grep -q "^sacct .*--jobs=.*$last" "$FAKE/calls"
mv "$work/no-sacct" "$FAKE/bin/sacct"

# A node that fails more often than cells are tried again; a build that fails; what is cancelled.
rm -rf .perun/runs
: >"$TRACE"
echo NODE_FAIL >"$FAKE/fate/build-1"
perun run --executor slurm --plan-only -m HEAD~1 -m HEAD matrix >/dev/null
perun run resume >/dev/null
expect_status 0 perun run wait
expect_text '8 2' "$(grep -vc build "$TRACE") $(grep -c build "$TRACE")" 'a build on a node that failed is built again'
perun run --executor slurm --parameter processes=1 -m HEAD job -b ./prog.sh -w c -c time -cp time '{repeat: 1, warmup: 0}' >/dev/null
expect_status 0 perun run cancel
run perun run status
check 'what was cancelled is lost or done' test "$status" -eq 3 -o "$status" -eq 0
expect_status 2 perun run --executor slurm --class large matrix
expect_err 'no class of machines called large'
expect_status 2 perun run --executor slurm --executor-params 'array-size: 0' matrix

# ---- a comparison: all pairs in one job ----
cat >>.perun/local.yml <<'YAML'
  - {name: slurm, class: pairs, launch: env LAUNCHED=yes, params: {partition: pairs, time: 5m, exclusive: true}}
YAML
printf '#!/bin/sh\necho "${PWD##*/} $1 $PERUN_EXECUTOR_JOB $PERUN_EXECUTOR_NODE $LAUNCHED $(cat number)" >>"$TRACE"\n[ ! -e "$TRACE.hold" ] || sleep 0.5\nsleep "0.0$(cat number)"\n' >pair.sh
chmod +x pair.sh
echo 1 >number
git add . && git commit -q -m quick
echo 4 >number
git add . && git commit -q -m slow
: >"$TRACE"
: >"$FAKE/calls"
expect_status 1 perun compare HEAD~1 HEAD --executor slurm --class pairs --build true --repeat 8 --warmup 0 -- ./pair.sh one
check 'the verdict' grep -qE '^slower  real .*confirmed by a second session' "$work/.result/stdout"
expect_err 'waiting for 1 comparison of slurm'
check 'one job for all pairs' test "$(grep -c '^sbatch' "$FAKE/calls")" -eq 1
check 'with what the site says' grep -q -- '--partition=pairs .*--time=5 .*--exclusive' "$FAKE/calls"
expect_text 1 "$(cut -d' ' -f3-5 "$TRACE" | sort -u | grep -c '^[0-9]*_0 node0 yes$')" 'one allocation, one node, and its launcher'
expect_text 1 "$(cut -d' ' -f3-5 "$TRACE" | sort -u | wc -l)" 'and no other'
expect_text '1 1 8 8' "$(paste -d' ' - - <"$TRACE" | awk '{ if ($6 == $12) bad = 1; first[$6]++ } END { print (first[1] > 0), (first[4] > 0), 8 * !bad, 8 }')" 'pairs are interleaved, in both orders'
expect_status 0 perun run collect
expect_out '0 profiles registered'
expect_status 0 perun gc --older-than 0s
# Two programs, JSON, and a failure.
run perun compare HEAD~1 HEAD --executor slurm --class pairs --build true --repeat 8 --json -- ./pair.sh two
expect_json 'd["verdict"], len(d["comparisons"]), d["comparisons"][0]["command"]' "('degradation', 1, './pair.sh two')"
expect_status 3 perun compare HEAD~1 HEAD --executor slurm --class pairs --build true -- ./nosuch
expect_err 'failed: time: run 1 of 1: env exited with 127'
echo OUT_OF_MEMORY >"$FAKE/fate/1"
expect_status 3 perun compare HEAD~1 HEAD --executor slurm --class pairs --build true --repeat 8 -- ./pair.sh three
expect_err 'lost: it ran out of memory'
# Interrupted, it goes on: the same command waits for the same job.
: >"$FAKE/calls"
: >"$TRACE.hold"
timeout --foreground -s INT 3 "$PERUN" compare HEAD~1 HEAD --executor slurm --class pairs --build true --repeat 8 --seed 1 -- ./pair.sh four >/dev/null 2>&1
rm "$TRACE.hold"
expect_status 1 perun compare HEAD~1 HEAD --executor slurm --class pairs --build true --repeat 8 --seed 1 -- ./pair.sh four
expect_text 1 "$(grep -c '^sbatch' "$FAKE/calls")" 'an interrupted comparison is not started again'

printf '#!/bin/sh\necho "sbatch: error: invalid partition" >&2\nexit 1\n' >"$FAKE/bin/sbatch"
expect_status 3 perun run --executor slurm -m HEAD matrix
expect_err 'invalid partition'
finish
