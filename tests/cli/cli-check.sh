# SPDX-License-Identifier: BSD-3-Clause
# perun check: baselines, strategies, exit codes, what is kept.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
perun plugin show check-average-amount-threshold >/dev/null 2>&1 || skip_all 'the check is not built'

at 0
new_repo
perun init >/dev/null
root=$(head_of)
expect_status 5 perun check head
expect_text '' "$out" 'nothing is said of what was not compared'
expect_err "version ${root:0:8} has no profiles"
expect_err 'no profiles'

measured_commit 1 1.0
expect_status 5 perun check head
expect_err 'no version before'
measured_commit 2 1.0
expect_status 0 perun check head
expect_text 'no change in 1 metric, changes above 9.2 % excluded
measured once: 10 runs or more would show smaller changes (--repeat 10)
judged by shift: $ ./prog in.txt' "$out" 'what did not change is a line'
second=$(head_of)
# Versions that are not measured are passed over.
at 3
commit 'not measured'
measured_commit 4 3.0
slow=$(head_of)
expect_status 1 perun check head
expect_out "${slow:0:8}  slower  main  time(real)  1 s → 3 s  +200 %, 3× (95 % CI +175…+228 %)  p "
expect_out '1 slower, 0 faster'
run perun status
expect_out '1 slower, 0 faster'
expect_out "${slow:0:8}  slower  main  time(real)  1 s → 3 s  +200 %, 3× (95 % CI +175…+228 %)  p "
expect_out '  $ ./prog in.txt'
run perun log -n 1
expect_out "${slow:0:8}  slower  main  time(real)  1 s → 3 s  +200 %, 3× (95 % CI +175…+228 %)  p "
expect_out 'one of these 2 commits; only the last one was measured:'
run perun log --short -n 1
expect_out '          slower  main  time(real)  1 s → 3 s  +200 %, 3× (95 % CI +175…+228 %)  p '
run perun -c 'format.shortlog=%checksum:6% %changes%' log --short -n 1
expect_out ' - '
expect_status 1 perun check --json head
expect_json '[(c["result"], c["location"], c["from_baseline"], c["to_target"], c["baseline"]) for c in d["changes"]]' \
	"[('Degradation', 'main', '1s', '3s', '$second')]"
expect_json 'sorted(k for k in d["changes"][0] if k in "confidence_rate confidence_type from_baseline location partial_intervals rate relative result to_target type".split())' \
	"['confidence_rate', 'confidence_type', 'from_baseline', 'location', 'partial_intervals', 'rate', 'relative', 'result', 'to_target', 'type']"
expect_status 0 perun check --json --unchanged head HEAD~2
expect_json '[c["result"] for c in d["changes"]]' "['NoChange']"
expect_status 0 perun check head HEAD~2 --json
expect_json 'd' "{'changes': [], 'compared': 1, 'not_compared': 0}"

# Only profiles of the same kind are compared: workload, arguments, collector, type.
measured_commit 5 9.9 workload=large
expect_status 5 perun check head
measured_commit 6 9.9 args=--fast
expect_status 5 perun check head
# Postprocessors of the baseline must be among the target's.
measured_commit 7 9.9 posts='normalizer filter'
expect_status 1 perun check --json head
expect_json 'd["changes"][0]["baseline"]' "$slow"
measured_commit 8 1.0 posts=normalizer
expect_status 0 perun check --json head
expect_json '[(c["result"], c["baseline"]) for c in d["changes"]]' "[('Optimization', '$slow')]"

# Of a merge the line of first parents decides, as in histories; by other methods both sides count. What lies before a
# baseline does not.
git checkout -q -b side "$second"
measured_commit 10 2.9
side=$(head_of)
git checkout -q main
at 11
git merge -q -s ours -m 'merge side' side
profile p11.perf 9
perun add p11.perf >/dev/null
run perun check --json head
expect_json '{c["baseline"] for c in d["changes"]}' "{'$slow'}"
expect_status 1 perun check --json --method aat head
expect_json 'sorted(c["baseline"] for c in d["changes"]) == sorted(["'"$slow"'", "'"$side"'"])' True
# An unmeasured branch leads to where it began, which the main line has passed.
git checkout -q -b idle "$second"
at 12
commit idle
git checkout -q main
at 13
git merge -q -s ours -m 'merge idle' idle
profile p13.perf 3000
perun add p13.perf >/dev/null
expect_status 1 perun check --json head
expect_json '[c["baseline"] for c in d["changes"]]' "['$(head_of HEAD~1)']"

# The whole history, each version compared with the one before by the method that is named.
run perun check --method aat all
check 'check all reports degradations' [ "$status" -eq 1 ]
expect_out "$(echo "$slow" | cut -c1-8)  slower  main  time  1.0 s → 3.0 s  +200 %, 3×  $ ./prog in.txt  by average-amount-threshold  "
check 'each change is one line' [ "$(printf '%s\n' "$out" | grep -c "^$(echo "$slow" | cut -c1-8)")" -eq 1 ]
expect_no_out "$(echo "$second" | cut -c1-8)" 'versions without a change are not printed'
expect_status 1 perun check --json --method aat all
expect_json '{c["minor_version"] for c in d["changes"]} >= {"'"$slow"'"}' True
expect_json '[[v["version"] for v in c["commits"]][-1] for c in d["changes"]] == [c["minor_version"] for c in d["changes"]]' True
expect_status 0 perun check all "$second"
expect_out 'no change in 1 metric, changes above 9.2 % excluded'

# Two profiles, of the store or files.
expect_status 1 perun check profiles "$second^0@i" "$slow^0@i"
expect_out 'slower'
mkdir ../plain && cd ../plain || exit 1
profile base.perf 1
profile slow.perf 4
profile large.perf 4 workload=large
expect_status 1 perun check profiles base.perf slow.perf
expect_status 0 perun check profiles slow.perf base.perf
expect_out 'faster'
expect_status 2 perun check profiles base.perf large.perf
expect_err '--force'
expect_one_line
expect_status 1 perun check --force --json --unchanged --method average_amount_threshold profiles base.perf large.perf
expect_json '[c["result"] for c in d["changes"]]' "['Degradation']"
expect_status 1 perun check --method aat profiles base.perf slow.perf
expect_status 4 perun check --method nonsense profiles base.perf slow.perf
expect_err nonsense
expect_one_line
expect_status 2 perun check --models-type nonsense profiles base.perf slow.perf
expect_status 3 perun check profiles base.perf nowhere.perf
expect_one_line
check 'no store was made' [ ! -e .perun ]

# Strategies of the configuration.
cd ../repo || exit 1
git checkout -q "$slow"
cat >>.perun/local.yml <<'YAML'
degradation:
  apply: first
  strategies:
    - collector: other
      method: nonsense
    - type: time
      method: average_amount_threshold
YAML
expect_status 1 perun check head
expect_err 'nonsense'
expect_out 'slower'

# A check that says the type alone: the change is announced by its metric's name, or by the type.
for announced in 'time(real)' time any; do
	git commit -q --amend -m "slow

Perun-Expected: $announced it checks"
	profile slow.perf 3.3
	"$PERUN" add --force slow.perf >/dev/null
	expect_status 0 perun check --method aat head
	expect_out 'known: it checks'
done
git commit -q --amend -m "slow

Perun-Expected: time(sys it
Perun-Expected: timer checks
Perun-Expected: memory(real) more"
profile slow.perf 3.3
"$PERUN" add --force slow.perf >/dev/null
expect_status 1 perun check --method aat head

# Many versions are compared at the same time, and told one after the other.
cd .. && rm -rf repo && new_repo && perun init >/dev/null
for number in 1 2 3 4 5 6 7 8 9; do
	find .perun/objects -type f | sort >../before
	measured_commit "$number" $((3 ** number))
	[ "$number" = 5 ] || continue
	middle=$(head_of)
	# Beside the profile there is its index, named for the version, and what belongs to it.
	object=$(find .perun/objects -type f | sort | comm -13 ../before - | grep -v "${middle:2}")
done
PERUN_THREADS=1 perun check --method aat all >../alone || true
PERUN_THREADS=4 perun check --method aat all >../together || true
expect_same ../alone ../together 'any number of threads says the same'
check 'all versions are there' [ "$(grep -o '^[0-9a-f]\{8\}' ../together | sort -u | wc -l)" -eq 8 ]
for file in $object; do
	chmod u+w "$file" && echo damaged >"$file"
done
rm -f "$XDG_CACHE_HOME/perun/verdicts" # else no profile is read
expect_status 3 perun check --method aat all
expect_one_line
expect_out "$(head_of | cut -c1-8)" 'versions before a damaged one are reported'
expect_out "$(head_of HEAD~2 | cut -c1-8)" 'the last of them, too'
expect_no_out "$(echo "$middle" | cut -c1-8)"


cd .. && new_repo examples
perun init >/dev/null
measured_commit 1 1
git tag v1.0
measured_commit 2 1.01
echo "[1, 1.01, 0.99, 1, 2, 2.01, 1.99, 2]" >times.json

# ---- factors, and what is pending ----------------------------------------------------------------------
cd .. && new_repo factors
perun init >/dev/null
measured_commit 1 1
measured_commit 2 250
expect_status 1 perun check head
expect_out '1 s → 250 s  250×'
expect_no_out ' %, 250×'
cd .. && new_repo pending
perun init >/dev/null
for _ in 1 2; do
	expect_status 0 perun collect -c true time
done
for what in head all; do
	expect_status 5 perun check $what
	expect_err 'nothing was compared'
	expect_err '2 pending profiles are not compared, time-'
	expect_err '(0@p) and others: perun add registers them'
done
finish
