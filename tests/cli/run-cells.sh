# SPDX-License-Identifier: BSD-3-Clause
# Runs in cells: plans as files, cells without a store, builds once for each version, collecting any number of times, and
# kills of each part.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
perun plugin show collect-time >/dev/null 2>&1 || skip_all 'the collector is not built'
command -v python3 >/dev/null || skip_all 'needs Python 3'

export PERUN_TRUST=yes
new_repo
export TRACE=$work/trace
cat >prog.sh <<'PROG'
#!/bin/sh
echo "$*" >>"$TRACE"
for last; do :; done
[ ! -e "$TRACE.fail-$last" ] || exit 3
[ ! -e "$TRACE.wait-$last" ] || { rm "$TRACE.wait-$last"; echo "$PPID" >"$TRACE.waits"; exec sleep 30; }
PROG
printf '#!/bin/sh\necho build $(cat number) >>"$TRACE"\n[ ! -e "$TRACE.no-build-$(cat number)" ] || exit 1\ncp prog.sh built\n' >build.sh
chmod +x prog.sh build.sh
echo '{repeat: 1, warmup: 0}' >once.yml
for number in 1 2 3; do
	echo $number >number
	git add . && git commit -q -m "version $number"
done
perun init >/dev/null
cat >>.perun/local.yml <<'YAML'
cmds: [./built, ./built -x]
workloads: [a, b, c]
parameters: {size: [1, 2]}
args: ["--size={size}"]
collectors:
  - {name: time, params: {repeat: 1, warmup: 0}}
execute: {pre_run: [./build.sh]}
YAML
measured() { grep -vc '^build' "$TRACE"; }
profiles() { perun log --json 2>/dev/null | python3 -c 'import json,sys; print(sum(len(v["profiles"]) for v in json.load(sys.stdin)["minor_versions"]))'; }
# of_run NAME: the directory of the latest run, or a file in it.
of_run() { echo ".perun/runs/$(ls .perun/runs | grep '^2' | tail -n 1)/$1"; }

# Planning starts nothing.
expect_status 0 perun run --plan-only -m HEAD~3..HEAD matrix
expect_out '36 cells at 3 versions'
planned=$PWD/$(of_run)
planned=${planned%/}
expect_status 4 perun run --cell "$planned:13"
expect_err "cell 13: version $(git rev-parse HEAD~1 | cut -c1-8) is not built; it is built by perun run --build $planned:1"
check 'nothing was run' test ! -e "$TRACE"
check 'the plan is a file' test -s "$(of_run plan.json)"
run perun run show --json
expect_json 'd["cells"], d["versions"], len(d["plan"])' '(36, 3, 36)'
expect_json 'd["plan"][0]["parameters"], d["plan"][0]["args"], d["plan"][35]["cell"]' "({'size': 1}, '--size=1', 36)"
expect_json 'len({(c["version"], c["cmd"], c["args"], c["workload"]) for c in d["plan"]})' 36
run perun run status --json
expect_json 'd["states"]["planned"]' 36

# All of it, with each version built once.
expect_status 0 perun run resume
expect_out '36 done'
expect_text '36 3' "$(measured) $(grep -c '^build' "$TRACE")" 'each cell is measured and each version built once'
expect_text 36 "$(profiles)" 'all profiles are registered'
run perun run status --json
expect_json 'd["collected"], d["incomplete"]' '(36, [])'
before=$(find .perun/objects -type f -exec cksum {} + | sort)
expect_status 0 perun run collect
expect_out '0 profiles registered'
rm "$(of_run collected)"
expect_status 0 perun run collect
expect_text "$before" "$(find .perun/objects -type f -exec cksum {} + | sort)" 'collecting again changes nothing'
columns=$(python3 - <<'PY'
import glob, json, os
path = sorted(glob.glob(".perun/runs/2*"))[-1]
done = json.load(open(path + "/cells/1/done.json"))
profile = json.load(open(path + "/cells/1/" + done["profile"]))
print(profile["origin"][:4] != "", profile["header"]["args"], [v["size"] for v in profile["resources"].values()][0], done["exit"], sorted(done)[:4])
PY
)
expect_text "True --size=1 [1] 0 ['began', 'cell', 'checksum', 'ended']" "$columns" 'parameters are a part of profiles'
check 'what was built is read-only' test -z "$(find .perun/runs/builds -path '*/tree/*' -perm /222)"
expect_text "$(git rev-list -n 3 HEAD | sort)" "$(for tree in .perun/runs/builds/*/tree; do git -C "$tree" rev-parse HEAD; done | sort)" \
	'a build that asks git is given its own version'
run perun run list --json
expect_json '[(r["cells"], r["states"]["done"]) for r in d["runs"]]' '[(36, 36)]'

# A machine on which cells take longer is named: here, one of three takes half as long again.
python3 - "$(of_run)" <<'PY'
import json, sys
for cell in range(1, 37):
    path = f"{sys.argv[1]}cells/{cell}/done.json"
    done = json.load(open(path))
    done["node"] = f"node{(cell + (cell - 1) // 12) % 3}"
    done["ended"] = done["began"] + (1 + cell % 12) * (1.5 if done["node"] == "node2" else 1)
    json.dump(done, open(path, "w"))
PY
run perun run status
expect_out 'node2 is slow: its 12 cells took 50 % longer'
expect_text 1 "$(grep -c slow <<<"$out")" 'the others are not'
run perun run status --json
expect_json '[(n["node"], n["cells"], round(n["ratio"], 3)) for n in sorted(d["nodes"], key=lambda n: n["node"])]' "[('node0', 12, 1.0), ('node1', 12, 1.0), ('node2', 12, 1.5)]"

# A second run builds nothing.
: >"$TRACE"
expect_status 0 perun run --executor local --executor-params 'jobs: 2' -m HEAD job -b ./built -w a -w b -c time -cp time once.yml
expect_text '0' "$(grep -c '^build' "$TRACE")" 'nothing is built again'

# --jobs is the same in short, and has no meaning elsewhere; hooks of jobs are run around each cell, with its facts.
cp .perun/local.yml "$work/without-hooks.yml"
cat >>.perun/local.yml <<'YAML'
hooks:
  pre_run: touch never
  pre_job: 'echo "before $PERUN_WORKLOAD" >>"$TRACE"; [ "$PERUN_WORKLOAD" != c ]'
  post_job: 'echo "after $PERUN_WORKLOAD $PERUN_STATUS $(test -s "$PERUN_PROFILE" && echo measured)" >>"$TRACE"'
YAML
: >"$TRACE"
expect_status 3 perun run --jobs 1 -m HEAD job -b ./built -w a -w c -c time -cp time once.yml
expect_err 'hooks.pre_run is not run in cells'
expect_text "before a,a,after a 0 measured,before c,after c $(grep -o 'after c [0-9]*' "$TRACE" | tail -c 2) " "$(paste -sd, "$TRACE")" 'hooks of jobs'
expect_out "the hook pre_job: 'echo" 'a cell whose hook fails has the reason'
run perun run status --json
expect_json 'd["states"]["done"], d["states"]["failed"], d["executor"]' "(1, 1, 'local')"
cp "$work/without-hooks.yml" .perun/local.yml
expect_status 2 perun run --jobs 2 --executor slurm -m HEAD matrix
expect_one_line
expect_status 2 perun run --jobs 2 --executor-params 'jobs: 3' -m HEAD matrix
expect_one_line
expect_status 2 perun run --jobs 0 -m HEAD matrix

# Cells that take times run alone whatever --jobs says, unless that is asked for; those that count do not.
cat >"$work/overlap.sh" <<'SH'
#!/bin/sh
echo begin >>"$TRACE"
sleep 0.3
echo end >>"$TRACE"
SH
chmod +x "$work/overlap.sh"
overlaps() {
	: >"$TRACE"
	expect_status 0 perun run "${@:2}" -m HEAD job -b "$work/overlap.sh" -w a -w b -c "$1" -cp "$1" "$(case $1 in time) echo '{repeat: 1, warmup: 0}' ;; *) echo '{}' ;; esac)"
	expect_text 'begin end' "$(sort -u "$TRACE" | xargs)" 'both were run'
	awk '/begin/ { most += ++n > 1 } /end/ { n-- } END { exit !most }' "$TRACE"
}
check 'times are taken one after the other' eval '! overlaps time --jobs 2'
check 'unless both at a time are wanted' overlaps time --jobs 2 --together
! perun plugin show collect-memory >/dev/null 2>&1 || check 'allocations are counted at the same time' overlaps memory --jobs 2
expect_status 2 perun run --together -m HEAD matrix
expect_err '--together is for --jobs'

# A cell needs its plan and its build: no store, no repository.
expect_status 0 perun run --plan-only -m HEAD job -b ./built -w lone -c time -cp time once.yml
plan=$PWD/$(of_run)
plan=${plan%/}
mv .git "$work/git" && mv .perun/local.yml "$work/local.yml" && mv .perun/objects "$work/objects"
expect_status 0 perun run --cell "$plan:1"
check 'it left its outcome' test -s "$plan/cells/1/done.json"
: >"$TRACE"
expect_status 0 perun run --cell "$plan:1"
expect_text 0 "$(measured)" 'what is done is not measured again'
expect_status 2 perun run --cell "$plan:2"
expect_one_line
expect_status 2 perun run --cell "$plan"
expect_status 2 perun run --cell "$work/nowhere:1"
mv "$work/git" .git && mv "$work/local.yml" .perun/ && mv "$work/objects" .perun/
expect_status 0 perun run collect
expect_out '1 profile registered'

# What a run measured is a model at once; of several versions one is named.
expect_status 0 perun run --plan-only -m HEAD job -b ./built -w nothing -c time -cp time once.yml
expect_status 4 perun model "$(basename "$(of_run)")"
expect_err 'no cell of the run'
id=$(ls .perun/runs | grep '^2' | head -n 1)
expect_status 2 perun model "$id"
expect_err "the run $id has 3 versions"
expect_status 0 perun run --executor local --parameter size=1,2,3,4,5 -m HEAD job -b ./built -a '--size={size}' -w a -c time -cp time once.yml
expect_status 0 perun model "$(basename "$(of_run)")" --json
expect_json '[p["name"] if isinstance(p, dict) else p for p in d["parameters"]]' "['size']"
expect_status 0 perun run --executor local --parameter amount_of_work=1,2,3,4,5 -m HEAD job -b ./built -a '{amount_of_work}' -w a -c time -cp time once.yml
expect_status 0 perun model "$(basename "$(of_run)")" --json
expect_json 'd["parameters"]' "['amount_of_work']" 'a number without a name is called like its parameter'

# Failures: of a build, which fails its own cells, and of a program.
rm -rf .perun/runs && chmod -R u+w .perun 2>/dev/null
: >"$TRACE.no-build-2"
: >"$TRACE.fail-b"
: >"$TRACE"
expect_status 3 perun run --executor local -m HEAD~3..HEAD matrix
expect_err '20 of 36 cells have no profile'
expect_out "'./build.sh' failed (exit status 1)" 'the reason is the build'
run perun run status --json
expect_json 'd["states"]["done"], d["states"]["failed"], d["collected"]' '(16, 20, 16)'
expect_text 24 "$(measured)" 'cells of what cannot be built are not tried'
rm "$TRACE".no-build-2 "$TRACE".fail-b
: >"$TRACE"
expect_status 0 perun run --resume --executor local -m HEAD~3..HEAD matrix
expect_out 'Resuming run'
expect_text '20 1' "$(measured) $(grep -c '^build' "$TRACE")" 'what failed is done again, and nothing else'

# kill -9 of a cell: it is lost and named, the others go on; resume measures it.
wait_for() { for ((i = 0; i < 1000; i++)); do [ ! -e "$1" ] || return 0; sleep 0.02; done; }
cells='-b ./built -w d -w e -w f -c time -cp time once.yml'
# shellcheck disable=SC2086
start() { "$PERUN" run --executor local -m HEAD job $cells >"$work/.result/stdout" 2>"$work/.result/stderr" & child=$!; }
: >"$TRACE.wait-e"
start
wait_for "$TRACE.waits"
kill -9 "$(cat "$TRACE.waits")"
status=0
wait "$child" || status=$?
expect_text 3 "$status" 'a lost cell is not passed over'
run perun run status
expect_out 'lost: it was killed'
expect_out '2 done, 1 lost'
rm -f "$TRACE.waits"
: >"$TRACE"
expect_status 0 perun run resume
expect_text 1 "$(measured)" 'the lost cell is measured again'

# kill -9 of who waits: nothing finished is measured again.
: >"$TRACE.wait-h"
cells='-b ./built -w g -w h -w i -c time -cp time once.yml'
start
wait_for "$TRACE.waits"
kill -9 "$child"
wait "$child" 2>/dev/null
kill -9 "$(cat "$TRACE.waits")" 2>/dev/null
rm -f "$TRACE.waits"
: >"$TRACE"
expect_status 0 perun run resume
expect_text 2 "$(measured)" 'what was finished stays'

# What is cancelled says so, is not begun again by waiting, and is measured when the run is resumed.
: >"$TRACE.wait-m"
cells='-b ./built -w l -w m -w n -c time -cp time once.yml'
start
wait_for "$TRACE.waits"
expect_status 0 perun run cancel
wait "$child"
rm -f "$TRACE.waits"
: >"$TRACE"
expect_status 3 perun run wait
expect_out '1 done, 2 lost'
expect_text 2 "$(grep -c 'lost: it was cancelled' <<<"$out")" 'each cell that was cancelled says so'
expect_text 0 "$(measured)" 'waiting begins none of them'
expect_status 0 perun run resume
expect_text 2 "$(measured)" 'resuming does'

# kill -9 of who collects, at any write: the same outcome.
want=$(profiles)
# shellcheck disable=SC2086
perun run --plan-only -m HEAD job -w j -w k $cells >/dev/null
for cell in 1 2 3 4 5; do perun run --cell "$PWD/$(of_run):$cell" >/dev/null || not_ok "cell $cell"; done
for delay in 0.01 0.02 0.03 0.05; do
	perun run collect >/dev/null 2>&1 & child=$!
	sleep $delay
	kill -9 "$child" 2>/dev/null
	wait "$child" 2>/dev/null
done
expect_status 0 perun run collect
expect_text "$((want + 5))" "$(profiles)" 'each profile is there once'
expect_status 0 perun fsck

# Files that are damaged.
plan=$(of_run plan.json)
cp "$plan" "$work/plan"
for bad in '' '{' '{}' '[]' '{"format": 2}' '{"format": 1, "versions": ["../x"]}'; do
	printf '%s' "$bad" >"$plan"
	expect_status 3 perun run status
	expect_one_line
done
sed 's/"cmds": \["[^"]*"\]/"cmds": ["touch hacked"]/' "$work/plan" >"$plan"
expect_status 3 env PERUN_TRUST= "$PERUN" run resume
expect_err 'was not planned by you here'
cp "$work/plan" "$plan"
cell=$(of_run cells/1)
rm "$(of_run collected)"
echo x >>"$cell/$(ls "$cell" | grep perf)"
expect_status 3 perun run collect
expect_err 'is not what the cell wrote'

# gc removes what is over and collected, and builds that nothing needs; what nobody collected stays.
id=$(ls .perun/runs | grep '^2' | head -n 1)
expect_status 0 perun run --plan-only -m HEAD job -b ./built -w kept -c time -cp time once.yml
kept=$(of_run)
expect_status 0 perun run --cell "$PWD/$kept:1"
expect_status 0 perun gc -n --older-than 0s
check 'a dry run removes nothing' test -d ".perun/runs/$id"
expect_status 0 perun gc
check 'young runs stay' test -d ".perun/runs/$id"
builds=$(ls .perun/runs/builds | wc -l)
expect_status 0 perun gc --older-than 0s --json
expect_json 'sum(p.endswith("'"$id"'") for p in d["runs"]), any("removed-" in p for p in d["runs"])' '(1, False)'
check 'what is over goes' test ! -e ".perun/runs/$id"
check 'what is not collected stays' test -d "$kept"
expect_text "1 1" "$((builds > 1)) $(ls .perun/runs/builds | wc -l)" 'so does its build, and no other'
expect_status 0 perun run collect
expect_out '1 profile registered'

# A disk that is full: no outcome, and the next attempt is whole.
# shellcheck disable=SC2086
perun run --plan-only -m HEAD job $cells >/dev/null
run bash -c 'ulimit -f 0; trap "" XFSZ; "$@"' - "$PERUN" run --cell "$PWD/$(of_run):1"
check 'a full disk fails the cell' test "$status" -ne 0
check 'it leaves no outcome' test ! -e "$(of_run cells/1/done.json)"
expect_status 0 perun run --cell "$PWD/$(of_run):1"

# A generator whose workloads only it knows, with a profile for each: one cell has them all, and what it has is not
# measured again, whether one of them fails or the cell is killed.
mkdir "$work/made"
cat >>.perun/local.yml <<YAML
generators:
  workload:
    - {id: made, type: external, external_generator: 'touch $work/made/in_1 $work/made/in_2 $work/made/in_3', output_dir: $work/made, file_format: 'in_{size}', profile_for_each_workload: yes}
YAML
sed -i 's/^for last.*/&; last=${last##*\/}/' prog.sh
git commit -q -a -m 'version 4'
: >"$TRACE.fail-in_2"
: >"$TRACE"
before=$(profiles)
made='-b ./built -w made -w b -c time -cp time once.yml'
# shellcheck disable=SC2086
expect_status 3 perun run --jobs 1 --parameter speed=7 -m HEAD job $made
expect_out '1 done, 1 failed'
expect_out 'failed: workload in_2'
expect_text "4 $((before + 3))" "$(measured) $(profiles)" 'the others are measured and registered'
rm "$TRACE.fail-in_2"
: >"$TRACE.wait-in_2"
"$PERUN" run resume >"$work/.result/stdout" 2>"$work/.result/stderr" & child=$!
wait_for "$TRACE.waits"
kill -9 "$(cat "$TRACE.waits")"
wait "$child"
rm -f "$TRACE.waits"
: >"$TRACE"
expect_status 0 perun run resume
expect_text "1 $((before + 4))" "$(measured) $(profiles)" 'only what is missing is measured, after a kill as well'
check 'nothing is left to go on with' test ! -e "$(of_run cells/1/saving.json)"
rm "$(of_run collected)"
expect_status 0 perun run collect
expect_out '0 profiles registered'
run perun log -n 1 --json
expect_json 'sorted(p["workload"] for p in d["minor_versions"][0]["profiles"])' "['b speed=7', 'made_in_1 speed=7', 'made_in_2 speed=7', 'made_in_3 speed=7']"
rm "$(of_run collected)"
echo x >>"$(ls "$(of_run cells/1)"/*-2.perf)"
expect_status 3 perun run collect
expect_err 'is not what the cell wrote'
run perun run status --json
expect_json 'd["collected"]' 1
expect_status 0 perun gc --older-than 0s
check 'a cell that is not collected whole stays' test -d "$(of_run)"

# Without an executor `local` does the cells in this process: what the setting says of it counts, and each cell can be measured again.
sed -i '/^parameters:/d; s/^args:.*/args: [""]/' .perun/local.yml
cp .perun/local.yml "$work/local.yml"
printf 'executors:\n  - {name: local, launch: %s/launcher.sh, params: {jobs: 2}}\n' "$PWD" >>.perun/local.yml
printf '#!/bin/sh\necho launched >>"$TRACE"\nexec "$@"\n' >launcher.sh
chmod +x launcher.sh
rm -f "$TRACE"
expect_status 0 perun run -m HEAD matrix
expect_text 6 "$(grep -c launched "$TRACE")" 'each program of a plain run is launched as the executor local is configured'
run perun run list --json
expect_json 'd["runs"][0]["executor"], d["runs"][0]["cells"]' "('local', 6)"
printf 'executors:\n  - {name: local, params: {jobs: none}}\n' >"$work/executors"
cat "$work/local.yml" "$work/executors" >.perun/local.yml
expect_status 2 perun run matrix
expect_err 'executor local'
cp "$work/local.yml" .perun/local.yml
expect_status 0 perun run -m HEAD job -b ./built -w 1 -w 2 -w 3 -w 4 -w 5 -c time
run perun model "$(basename "$(of_run '')")"
before=$out
check 'a model of what is pending' grep -q 'time(real)' <<<"$before"
cp "$(of_run cells/1/done.json)" "$work/done.json"
rm "$(of_run cells/1/done.json)"
expect_status 0 perun run --cell "$PWD/$(of_run ''):1"
check 'a cell of it that is measured by itself has a file' test -n "$(find "$(of_run cells/1)" -name '*.perf')"
cp "$work/done.json" "$(of_run cells/1/done.json)"
expect_status 0 perun run collect
expect_out '5 profiles registered, 5 of 5 cells are in the store'
run perun model "$(basename "$(of_run '')")"
expect_text "$before" "$out" 'the same model when they are registered'
expect_status 0 perun fsck

expect_status 2 perun run --cell a --build b
expect_status 2 perun run --parameter size job -b ./built -c time
expect_status 4 perun run --executor nothing matrix
expect_err 'executor'
finish
