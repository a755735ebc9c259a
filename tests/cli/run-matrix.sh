# SPDX-License-Identifier: BSD-3-Clause
# perun run matrix: generators of workloads, hooks, names, logs.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
perun plugin show collect-time >/dev/null 2>&1 || skip_all 'the collector is not built'

# Its settings are written by hand, again and again.
export PERUN_TRUST=yes
new_repo
export TRACE=$work/trace
cat >prog.sh <<'PROG'
#!/bin/sh
[ ! -f "$1" ] || set -- "$(basename "$1")" "$(wc -lc <"$1" | tr -s ' ')" "$2"
echo "<$1><$2>" >>"$TRACE"
[ "$1" != 30 ] || [ ! -e "${TRACE%/*}/fail-at-30" ]
PROG
cat >images.sh <<'PROG'
#!/bin/sh
for w in 5 10; do for h in 2 3; do echo >"data/img${w}_$h.pgm"; done; done
echo >data/unrelated
PROG
chmod +x prog.sh images.sh
git add . && git commit -q -m 'programs'
perun init >/dev/null
cp .perun/local.yml "$work/plain.yml"

# configure WORKLOADS [LINE...]: the matrix with these workloads and further lines.
configure() {
	{
		cat "$work/plain.yml"
		printf 'cmds: [./prog.sh]\nworkloads: %s\n' "$1"
		printf 'collectors:\n  - name: time\n    params: {repeat: 1, warmup: 0}\n'
		shift
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} >.perun/local.yml
	rm -f .perun/jobs/*.perf
	: >"$TRACE"
}
# configure_generator 'ID, ...': a matrix of one generator.
configure_generator() { configure "[gen]" 'generators:' '  workload:' "    - {id: gen, $1}"; }
# resource KEY: its values in the resources of the newest pending profile, each once, in order.
resource() {
	perun convert -t perun .perun/jobs/*.perf - >"$work/profile.json" || return
	python3 - "$1" "$work/profile.json" <<'PYTHON'
import json, sys
def walk(value):
    if isinstance(value, dict):
        for key, part in value.items():
            if key == sys.argv[1]:
                yield from part if isinstance(part, list) else [part]
            elif key not in ("header", "collector_info"):
                yield from walk(part)
    elif isinstance(value, list):
        for part in value:
            yield from walk(part)
print(*dict.fromkeys(walk(json.load(open(sys.argv[2])))))
PYTHON
}

# Numbers: one profile of all, which shows amounts by size.
configure_generator 'type: integer, min_range: 10, max_range: 30, step: 10'
expect_status 0 perun run matrix --json
expect_json 'len(d["profiles"])' 1
expect_text '<10><> <20><> <30><>' "$(echo $(cat "$TRACE"))" 'each number was measured'
expect_text '10 20 30' "$(resource structure-unit-size)" 'their sizes are reported'
expect_text '10 20 30' "$(resource workload)" 'and the workloads'
check 'the workload is the generator' grep -q '"workload": "gen"' .perun/jobs/*.perf
if perun plugin show postprocess-regression-analysis >/dev/null 2>&1; then
	expect_status 0 perun run job -b ./prog.sh -w gen -c time -cp time 'repeat: 1' -p regression-analysis
	check 'models of amount by size' grep -q '"model": "linear"' .perun/jobs/*.perf
fi
# One of them fails: reported, nothing is stored.
rm -f .perun/jobs/*.perf
: >"$work/fail-at-30"
run perun run matrix
check 'a workload that fails' [ "$status" -ge 3 ]
expect_err 'workload 30'
check 'no part of it is stored' [ -z "$(ls .perun/jobs/*.perf 2>/dev/null)" ]
rm "$work/fail-at-30"

# A profile for each.
configure_generator 'type: integer, min_range: 10, max_range: 30, step: 10, profile_for_each_workload: yes'
expect_status 0 perun run matrix
expect_out 'gen_20'
run perun status --json
expect_json 'sorted(p["workload"] for p in d["untracked"])' "['gen_10', 'gen_20', 'gen_30']"

# Strings: the same in every run, others with another seed.
configure_generator 'type: string, min_len: 3, max_len: 7, step_len: 2'
expect_status 0 perun run matrix
expect_text '3 5 7' "$(resource string_len)" 'their lengths'
first=$(cat "$TRACE")
: >"$TRACE"
rm -f .perun/jobs/*.perf
expect_status 0 perun run matrix
expect_text "$first" "$(cat "$TRACE")" 'random strings are the same in each run'
configure_generator 'type: string, min_len: 3, max_len: 7, step_len: 2, seed: 5'
expect_status 0 perun run matrix
check 'but not with another seed' [ "$first" != "$(cat "$TRACE")" ]

# Text files.
configure_generator 'type: textfile, min_lines: 1, max_lines: 5, step: 2, max_rows: 20, randomize_rows: no'
expect_status 0 perun run matrix
expect_text '<gen_1.txt>< 1 21> <gen_3.txt>< 3 63> <gen_5.txt>< 5 105>' "$(echo $(cat "$TRACE"))" 'files of lines'
expect_text '1 3 5' "$(resource structure-unit-size)" 'lines are the size'
expect_text '21 63 105' "$(resource num_chars)" 'characters'
check 'the files are gone' [ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 2 -path '*perun-workloads-*' -name 'gen_*' -user "$(id -un)" -newer "$TRACE" 2>/dev/null)" ]

# What another program makes; {} is an empty map in YAML.
configure_generator "type: external, external_generator: ./images.sh, output_dir: data, file_format: 'img{width}_{height}.pgm', delimiters: {}"
expect_status 0 perun run matrix
expect_text '5 10' "$(resource width)" 'values of the names'
expect_text 'img5_2.pgm img5_3.pgm img10_2.pgm img10_3.pgm' "$(resource workload)" 'in natural order'
configure_generator "type: external, external_generator: 'false', output_dir: data, file_format: 'img<w>_2.pgm', delimiters: '<>'"
expect_status 3 perun run matrix
expect_err 'false'
configure_generator "type: external, external_generator: 'true', output_dir: data, file_format: 'img<w>_2.pgm', delimiters: '<>'"
expect_status 0 perun run matrix
expect_text '5 10' "$(resource structure-unit-size)" 'one number is the size'
git clean -qfd data

# A profile for each of them, though nobody knows how many: one that fails does not keep the others, and only it is measured again.
sed -i 's/^\[ "$1" != 30 \].*/case $1 in 30 | img10_2.pgm) [ ! -e "${TRACE%\/*}\/fail-at-30" ] ;; esac/' prog.sh
configure '[gen, x]' 'generators:' '  workload:' "    - {id: gen, type: external, external_generator: ./images.sh, output_dir: data, file_format: 'img{w}_{h}.pgm', profile_for_each_workload: yes}"
: >"$work/fail-at-30"
expect_status 3 perun run -f matrix
expect_err '1 of 5 measurements failed'
expect_text 4 "$(ls .perun/jobs/*.perf | wc -l)" 'the others have profiles'
run perun run status
expect_out '1 done, 1 failed'
expect_out 'failed: workload img10_2.pgm: time:'
rm "$work/fail-at-30"
: >"$TRACE"
expect_status 0 perun run -f --resume matrix
expect_out 'Resuming: 4 measurements were finished before'
expect_text 1 "$(wc -l <"$TRACE")" 'only what failed is measured again'
expect_text 5 "$(ls .perun/jobs/*.perf | wc -l)" 'all have profiles'
git checkout -q prog.sh
git clean -qfd data
# A check measures what a version has no profile of, with or without a generator.
cp -a .perun "$work/store"
: >"$TRACE"
run perun -c degradation.collect_before_check=true check head
expect_text 5 "$(wc -l <"$TRACE")" 'what is missing is measured'
run perun -c degradation.collect_before_check=true check head
expect_text 5 "$(wc -l <"$TRACE")" 'and is there then'
rm -rf .perun && mv "$work/store" .perun

# One value, with a blank.
configure_generator "type: singleton, workload: 'two words'"
expect_status 0 perun run matrix
expect_text '<two words><>' "$(cat "$TRACE")" 'one argument'

# Mistakes are reported before anything is measured.
for bad in 'type: integer, min_range: 1' 'type: integer, min_range: 2, max_range: 1' 'type: numbers' \
	'type: integer, min_range: 1, max_range: 2, step: 0' 'type: integer, min_range: 0, max_range: 1000000' \
	'type: string, min_len: 1, max_len: 100000' 'type: external, output_dir: x' \
	"type: external, external_generator: 'true', output_dir: none, file_format: 'x', delimiters: '('"; do
	configure_generator "$bad"
	expect_status 3 perun run matrix
	expect_err 'the generator gen'
	expect_one_line
done
check 'nothing ran' [ ! -s "$TRACE" ]

# Hooks: in their order, with their facts.
configure '[a, b]' 'hooks:' "  pre_run: 'echo \"pre_run \$PERUN_VERSION\" >>\"\$TRACE\"'" \
	"  post_run: ['echo \"post_run \$PERUN_FAILED \$PERUN_STATUS\" >>\"\$TRACE\"; cat >\"\$TRACE.json\"']" \
	"  pre_job: 'echo \"pre_job \$PERUN_WORKLOAD\" >>\"\$TRACE\"; echo said'" \
	"  post_job: 'test -e \"\$PERUN_PROFILE\" && echo \"post_job \$PERUN_COLLECTOR \$PERUN_STATUS\" >>\"\$TRACE\"'"
expect_status 0 perun run matrix
expect_text "pre_run $(head_of)
pre_job a
<a><>
post_job time 0
pre_job b
<b><>
post_job time 0
post_run 0 0" "$(cat "$TRACE")" 'hooks come in order'
check 'JSON for a hook' python3 -c 'import json,sys; d = json.load(open(sys.argv[1])); assert d["hook"] == "post_run" and len(d["paths"]) == 2, d' "$TRACE.json"
check 'what they print is in the log' grep -q '^said$' ".perun/logs/$(head_of)-precollect.log"
check 'and what was measured' grep -q '^perun: time of ./prog.sh b: .*perf (' ".perun/logs/$(head_of)-precollect.log"
configure '[a, b]' 'hooks:' "  pre_job: 'test \$PERUN_WORKLOAD = a'" "  post_run: 'exit 7'"
expect_status 3 perun run matrix
expect_err 'exit status 7'
expect_err '1 of 2 measurements failed, 1 hook failed'
check 'the other one is there' [ "$(ls .perun/jobs/*.perf | wc -l)" -eq 1 ]
configure '[a]' 'hooks:' "  pre_run: 'exit 7'"
expect_status 3 perun run matrix
expect_err 'pre_run'
check 'nothing was measured' [ ! -s "$TRACE" ]

# What was measured is registered as it is in memory, and has the object that its file would have.
objects() { find .perun/objects -type f | sort; }
configure '[a]' 'profiles: {register_after_run: true}' 'hooks:' "  post_job: 'cp \"\$PERUN_PROFILE\" \"\$TRACE.perf\"'"
expect_status 0 perun run matrix
expect_text '' "$(ls .perun/jobs/*.perf 2>/dev/null)" 'nothing is pending'
before=$(objects)
perun add "$TRACE.perf" >/dev/null
expect_text "$before" "$(objects)" 'the file has the same object'
# A hook may change the file: then that is what is registered.
cat >"$work/hook" <<'SH'
#!/bin/sh
sed -i 's/"workload": "a"/"workload": "hooked"/' "$PERUN_PROFILE"
SH
chmod +x "$work/hook"
configure '[a]' 'profiles: {register_after_run: true}' 'hooks:' "  post_job: '\"$work/hook\"'"
expect_status 0 perun run matrix
expect_status 0 perun log --json HEAD
expect_out hooked

# On degradation.
configure '[]' 'hooks:' "  on_degradation: 'echo \"\$PERUN_COUNT \$PERUN_VERSION\" >>\"\$TRACE\"; cat >\"\$TRACE.json\"'" \
	'degradation:' '  strategies:' '    - method: average_amount_threshold'
if perun plugin show check-average-amount-threshold >/dev/null 2>&1; then
	measured_commit 2 1.0
	measured_commit 3 1.1
	expect_status 0 perun check head
	check 'no degradation, no hook' [ ! -s "$TRACE" ]
	measured_commit 4 9.0
	expect_status 1 perun check head
	expect_text "1 $(head_of)" "$(cat "$TRACE")" 'the hook was run'
	check 'it has the change' grep -q '"location": "main"' "$TRACE.json"
fi

# A profile of many workloads: each is compared with itself.
if perun plugin show check-shift >/dev/null 2>&1; then
	for factor in 1 1.3; do
		python3 - "$factor" >"$work/$factor.perf" <<'PYTHON'
import json, random, sys
random.seed(3)
rows = [{"amount": size * (float(sys.argv[1]) if size == 100 else 1) * random.uniform(0.99, 1.01), "uid": "main",
         "order": i + 1, "workload": size, "structure-unit-size": size, "type": "time", "subtype": "real"}
        for size in (1, 10, 100, 1000) for i in range(20)]
print(json.dumps({"header": {"type": "time", "cmd": "./prog", "workload": "gen", "units": {"time": "s"}},
                  "collector_info": {"name": "time", "params": {}}, "postprocessors": [],
                  "global": {"resources": rows}}))
PYTHON
	done
	expect_status 1 perun check --method shift profiles "$work/1.perf" "$work/1.3.perf"
	expect_out 'slower  main with workload=100  '
	expect_no_out 'workload=10:'
	# Each has a series of its own, and so have other arguments.
	sed 's/"cmd": "[^"]*"/&, "args": "-x"/' "$work/1.3.perf" >"$work/x.perf"
	expect_status 0 perun add "$work/1.perf" "$work/x.perf"
	perun history --json 'time(real)' >"$work/history.json" 2>/dev/null
	expect_text "[('./prog -x gen (workload=1)', 20), ('./prog -x gen (workload=10)', 20), ('./prog -x gen (workload=100)', 20), ('./prog -x gen (workload=1000)', 20), ('./prog gen (workload=1)', 20), ('./prog gen (workload=10)', 20), ('./prog gen (workload=100)', 20), ('./prog gen (workload=1000)', 20)]" \
		"$(python3 -c 'import json, sys; print(sorted((s["command"], s["values"][-1]["runs"]) for s in json.load(open(sys.argv[1]))["series"] if "gen" in s["command"]))' "$work/history.json")" 'a series for each workload and each list of arguments'
	expect_status 0 perun site "$work/site"
	expect_text 4 "$(grep -o '"cmd":"./prog -x","workload":"gen (workload=[0-9]*)"' "$work/site/data/catalog.js" | wc -l)" 'in the site, too'
fi

# What is empty.
configure '[a]'
expect_status 2 perun run job -b ' ' -w a -c time
expect_err 'a command is empty'
expect_status 0 perun run -ot '' job -b ./prog.sh -w a -c time -cp time 'repeat: 1'
expect_text 1 "$(ls .perun/jobs | wc -l)" 'an empty template is the usual one'

# A postprocessor that fails takes nothing away: what was measured is kept.
rm -f .perun/jobs/*
expect_status 2 perun run job -b true -c time -cp time '{repeat: 2, warmup: 0}' -p regression-analysis
expect_err 'no column structure-unit-size'
expect_text 1 "$(ls .perun/jobs/*.perf | wc -l)" 'the measured profile is kept'

finish
