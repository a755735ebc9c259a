# SPDX-License-Identifier: BSD-3-Clause
# perun collect and run: where programs are measured, and what becomes of the profiles.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
perun plugin show collect-time >/dev/null 2>&1 || skip_all 'the collector is not built'

new_repo
cat >prog.sh <<'PROG'
#!/bin/sh
echo "$0 $* in $PWD" >>"$TRACE"
PROG
chmod +x prog.sh
export TRACE=$work/trace
git add prog.sh && git commit -q -m 'a program'
perun init >/dev/null

expect_status 0 perun collect -c ./prog.sh -a '-x "two words"' -w in.txt time --warmup 1 --repeat 2
expect_out 'time of ./prog.sh'
check 'the program ran' [ "$(grep -c 'two words in.txt' "$TRACE")" -eq 3 ]
run perun status --json
expect_json '[(p["cmd"], p["workload"], p["collector"], p["type"]) for p in d["untracked"]]' \
	"[('./prog.sh', 'in.txt', 'time', 'time')]"
pending=$(ls .perun/jobs/*.perf)
check 'it names its version' grep -q "\"origin\": \"$(head_of)\"" "$pending"
expect_status 0 perun add 0@p
run perun status --short
expect_out '1 tracked profile (1 time)'

# Every combination.
expect_status 0 perun collect --json -c ./prog.sh -c true -w a -w b -w c time --warmup 0 --repeat 1
expect_json 'len(d["profiles"])' 6
check 'six files' [ "$(ls .perun/jobs/*.perf | wc -l)" -eq 6 ]
perun rm 0@p-5@p >/dev/null

# Names and parameters.
expect_status 0 perun collect -c true -pn named.perf -p 'repeat: 3' -p 'warmup: 0' time
check 'the name is as asked for' [ -e .perun/jobs/named.perf ]
check 'parameters from YAML' grep -q '"repeat": 3' .perun/jobs/named.perf
printf 'repeat: 4\nwarmup: 0\n' >params.yml
expect_status 0 perun collect -c true -ot 'of-%cmd%' -p params.yml time
check 'parameters from a file, a name from a template' grep -q '"repeat": 4' .perun/jobs/of-*.perf
expect_status 2 perun collect -c true -p 'repeet: 3' time
expect_err 'repeet'
expect_one_line
rm -f .perun/jobs/*.perf params.yml

# Failures are reported and leave nothing.
expect_status 4 perun collect -c true tme
expect_err 'time'
expect_one_line
expect_status 2 perun collect -c true
expect_err 'collector'
expect_one_line
expect_status 2 perun collect time
expect_err '--cmd'
expect_one_line
expect_status 2 perun collect time -c true
expect_err '-c is an option of perun collect: write it before time'
expect_one_line
# The order is what was wrong also where there is no store; an empty word is no command.
mkdir "$work/nowhere"
cd "$work/nowhere"
expect_status 2 perun collect time -c true
expect_err '-c is an option of perun collect: write it before time'
expect_status 2 perun postprocessby x.perf normalizer --minor HEAD
expect_err '--minor is an option of perun postprocessby: write it before normalizer'
expect_status 2 perun collect time
expect_err 'there is no .perun'
cd - >/dev/null
expect_status 2 perun record -- ''
expect_err 'the command is empty'
expect_one_line
expect_status 2 perun collect -c '""' time
expect_err 'the command is empty'
expect_one_line
run perun collect -c ./nowhere time
check 'a program that is not there' [ "$status" -ge 3 ]
expect_err './nowhere'
expect_one_line
run perun collect -c false time
check 'a program that fails' [ "$status" -ge 3 ]
expect_one_line
run perun collect -c false -c true time --repeat 1 --warmup 0
check 'one of two fails' [ "$status" -ge 3 ]
expect_err '1 of 2 measurements failed'
run perun collect -c false -c false time --repeat 1 --warmup 0
check 'two that fail alike' [ "$status" -ge 3 ]
expect_err 'for the same reason'
expect_text 1 "$(grep -c 'exited with 1' "$work/.result/stderr")" 'the reason is printed once'
check 'the other is there' [ "$(ls .perun/jobs/*.perf | wc -l)" -eq 1 ]
rm -f .perun/jobs/*.perf

# Uncommitted changes.
echo '# changed' >>prog.sh
expect_status 0 perun collect -c ./prog.sh time --repeat 1 --warmup 0
expect_err 'uncommitted'
expect_status 0 perun collect -f -c ./prog.sh time --repeat 1 --warmup 0
expect_text '' "$err" 'no warning with -f'
rm -f .perun/jobs/*.perf

# Other versions: elsewhere, prepared by pre_run; the work tree stays as it is.
git commit -q -am 'changed'
echo '# again' >>prog.sh
git add prog.sh
echo dirty >untracked
before=$(git status --porcelain)
cat >>.perun/local.yml <<'YAML'
execute:
  pre_run:
    - cp prog.sh built.sh
YAML
perun trust --yes >/dev/null
: >"$TRACE"
expect_status 0 perun collect -m HEAD~1 -m HEAD -c ./built.sh time --repeat 1 --warmup 0
expect_out "Measuring $(git rev-parse --short=8 HEAD~1)"
expect_text "$before" "$(git status --porcelain)" 'the work tree is untouched'
check 'nothing was built in it' [ ! -e built.sh ]
check 'two runs' [ "$(wc -l <"$TRACE")" -eq 2 ]
check 'elsewhere' [ "$(grep -c "in $PWD\$" "$TRACE")" -eq 0 ]
check 'the versions are reported' [ "$(grep -l "\"origin\": \"$(head_of HEAD~1)\"" .perun/jobs/*.perf | wc -l)" -eq 1 ]
check 'no work tree is left' [ "$(git worktree list | wc -l)" -eq 1 ]
rm -f .perun/jobs/*.perf
perun config set execute.pre_run '["false"]' >/dev/null
expect_status 3 perun collect -m HEAD -c ./built.sh time
expect_err 'pre_run'
expect_err 'precollect.log'
expect_one_line
check 'no work tree is left' [ "$(git worktree list | wc -l)" -eq 1 ]
expect_status 2 perun collect -m nonsense -c true time
expect_one_line
perun config set execute.pre_run '[]' >/dev/null
expect_status 0 perun collect --json -m HEAD -cp -c true time --repeat 1 --warmup 0
expect_json 'len({p["minor_version"] for p in d["profiles"]})' 3
rm -f .perun/jobs/*.perf

# Registered at once.
expect_status 0 perun -c profiles.register_after_run=true collect -c true time --repeat 1 --warmup 0
expect_out '1 profile registered with'
check 'nothing pending' [ -z "$(ls .perun/jobs/*.perf 2>/dev/null)" ]
run perun status --short
expect_out '1 tracked profile'

# Jobs.
expect_status 0 perun run --json job -b true -b ./prog.sh -w 1 -w 2 -c time -cp time 'repeat: 1
warmup: 0'
expect_json 'len(d["profiles"])' 4
rm -f .perun/jobs/*.perf
expect_status 2 perun run job -b true
expect_err '--collector'
expect_status 2 perun run job -b true -c time -cp other 'repeat: 1'
expect_one_line
if perun plugin show postprocess-normalizer >/dev/null 2>&1; then
	expect_status 0 perun run job -b true -c time -cp time 'repeat: 1' -p normalizer
	check 'postprocessed' grep -q '"name": "normalizer"' .perun/jobs/*.perf
	rm -f .perun/jobs/*.perf
fi
expect_status 3 perun run matrix
expect_err 'cmds'
expect_one_line
cat >>.perun/local.yml <<'YAML'
cmds:
  - ./prog.sh
workloads:
  - one
  - two
collectors:
  - name: time
    params:
      repeat: 1
      warmup: 0
YAML
perun trust --yes >/dev/null
expect_status 0 perun run matrix --json
expect_json 'len(d["profiles"])' 2
rm -f .perun/jobs/*.perf
expect_status 0 perun collect --json time --repeat 1 --warmup 0
expect_json 'len(d["profiles"])' 2

# Missing profiles are measured before a check.
if perun plugin show check-average-amount-threshold >/dev/null 2>&1; then
	git reset -q --hard
	commit fresh
	expect_status 5 perun check --compute-missing head
	run perun status --short
	expect_out '2 tracked profiles'
	# A second time nothing is missing; a new workload and other arguments are, and they alone.
	lines=$(wc -l <"$TRACE")
	expect_status 5 perun check --compute-missing head
	check 'nothing was run again' [ "$(wc -l <"$TRACE")" -eq "$lines" ]
	sed -i 's/^  - two$/&\n  - three/' .perun/local.yml
	perun trust --yes >/dev/null
	expect_status 5 perun check --compute-missing head
	run perun status --short
	expect_out '3 tracked profiles'
	check 'only what was missing' [ "$(wc -l <"$TRACE")" -eq "$((lines + 1))" ]
	printf 'args:\n  - "-v"\n' >>.perun/local.yml
	perun trust --yes >/dev/null
	expect_status 5 perun check --compute-missing head
	run perun status --short
	expect_out '6 tracked profiles'
	expect_status 5 perun check --compute-missing head
	check 'arguments are distinguished' [ "$(wc -l <"$TRACE")" -eq "$((lines + 4))" ]
fi

# A profile is called after its program, not after the last file among its arguments.
expect_status 0 perun collect -c 'echo data/in.txt' time --repeat 1 --warmup 0
expect_out 'time-[echo]-['
expect_status 0 perun collect -c 'GREETING=1 /bin/echo data/in.txt' time --shell --repeat 1 --warmup 0
expect_out 'time-[echo]-['
# Words that are in the wrong place are named.
expect_status 2 perun record cat --foo
expect_err 'if it is one of the command, put -- before the command'
expect_status 2 perun postprocessby 0@p normalizer --output out.perf
expect_err '--output is an option of perun postprocessby: write it before normalizer'
expect_status 2 perun show 0@p top --minor HEAD
expect_err '--minor is an option of perun show: write it before top'
expect_status 2 perun show tableof
expect_err 'tableof is a view; it comes after the profile'
expect_status 3 perun show HEAD
expect_err 'HEAD is a version; its first profile is HEAD^0@i'
perun add 0@p >/dev/null
expect_status 2 perun convert --from nosuch 0@i
expect_err '--from is for files'

finish
