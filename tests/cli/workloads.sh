# SPDX-License-Identifier: BSD-3-Clause
# Workloads that are more than an argument, files that old versions get, thresholds of single benchmarks.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
perun plugin show collect-time >/dev/null 2>&1 || skip_all 'the collector is not built'

export PERUN_TRUST=yes TRACE=$work/trace
new_repo
cat >prog.sh <<'PROG'
#!/bin/sh
printf '%s|%s|%s\n' "$*" "$MODE" "$(cat)" >>"$TRACE"
exit ${CODE:-0}
PROG
chmod +x prog.sh
printf 'from a file' >in.txt
git add . && git commit -q -m 'programs'
perun init >/dev/null
once='--warmup 0 --repeat 1'

# traced WANT WHAT: what the program saw since the last call.
traced() {
	expect_text "$1" "$(cat "$TRACE")" "$2"
	: >"$TRACE"
}
expect_status 0 perun collect -c ./prog.sh -a '-x "a b"' -w w --stdin in.txt --env MODE=fast --env A=B=C time $once
traced '-x a b w|fast|from a file' 'standard input, a variable, and arguments'
expect_out 'time of ./prog.sh -x "a b" MODE=fast A=B=C w < in.txt'
perun convert -t perun 0@p - >"$work/profile.json"
expect_text "in.txt {'MODE': 'fast', 'A': 'B=C'} MODE=fast A=B=C w < in.txt" \
	"$(python3 -c 'import json, sys; h = json.load(open(sys.argv[1]))["header"]; print(h["stdin"], h["environment"], h["workload"])' "$work/profile.json")" 'the profile says so'
MODE=slow expect_status 0 perun collect -c ./prog.sh --env MODE=fast time $once
traced '|fast|' 'the variable replaces that of the environment'
expect_status 0 perun collect -c 'MODE=$((1 + 2)) ./prog.sh' -w '2>&1 | cat' --shell time $once
traced '|3|' 'a line of the shell'
for command in 'memory' 'instructions'; do
	perun plugin show "collect-$command" >/dev/null 2>&1 || continue
	run perun collect -c ./prog.sh --stdin in.txt $command
	[ "$status" -eq 0 ] && expect_text '||from a file' "$(cat "$TRACE")" "the collector $command gives it the input"
	: >"$TRACE"
done

# What is wrong is said before anything runs.
expect_status 3 perun collect -c ./prog.sh --stdin nosuch time $once
expect_err "cannot read the standard input $PWD/nosuch: No such file or directory"
expect_status 2 perun collect -c ./prog.sh --env MODE time $once
expect_err '--env MODE: expected NAME=VALUE'
expect_status 2 perun collect -c 'MODE=1 ./prog.sh' time $once
expect_err "'MODE=1' sets a variable, which only a shell understands; --shell runs the line with a shell"
expect_status 3 perun collect -c ./prog.sh --env CODE=3 time $once
expect_err './prog.sh exited with 3 (--ignore-status accepts that)'
: >"$TRACE"
expect_status 0 perun collect -c './prog.sh | sort' time $once
expect_err "'|' is passed to the program as an argument; --shell runs the line with a shell"
traced '| sort||' 'and is passed'

# The matrix of the configuration.
cp .perun/local.yml "$work/plain.yml"
matrix() {
	{ cat "$work/plain.yml"; printf 'cmds: [./prog.sh]\nworkloads: %s\ncollectors: [{name: time, params: {warmup: 0, repeat: 1}}]\n' "$1"; } >.perun/local.yml
}
matrix '[in.txt, {stdin: in.txt, env: {MODE: 5}}, {workload: "-n | cat", shell: true, name: piped}]'
expect_status 0 perun run matrix
traced "$(printf 'in.txt||\n|5|from a file\n-n||')" 'perun run matrix'
expect_out './prog.sh MODE=5 < in.txt'
expect_out './prog.sh piped'
expect_status 0 perun run -m HEAD matrix
traced "$(printf 'in.txt||\n|5|from a file\n-n||')" 'in the files of a version'
matrix '{stdin: in.txt}'
expect_status 0 perun run matrix
traced '||from a file' 'one workload that is no list'
{ cat "$work/plain.yml"; printf 'cmds: [./prog.sh]\nworkloads: [{workload: gen, shell: true, env: {MODE: 1}}]\ngenerators: {workload: [{id: gen, type: integer, min_range: 1, max_range: 2, step: 1}]}\ncollectors: [{name: time, params: {warmup: 0, repeat: 1}}]\n'; } >.perun/local.yml
expect_status 0 perun run matrix
traced "$(printf '1|1|\n2|1|')" 'what a generator makes, in a shell'
# What is a number is a word of the command line.
matrix '[7, 0.5]'
expect_status 0 perun run matrix
traced "$(printf '7||\n0.5||')" 'numbers'
for wrong in '{stdn: x}' '{env: [a]}' '{env: {"a=b": 1}}' '{env: {A: [1]}}' '{shell: 2}' '{stdin: 5}' true; do
	matrix "[$wrong]"
	expect_status 3 perun run matrix
	expect_one_line
	expect_err 'the setting workloads: workload 1'
done
: >"$TRACE"

# A benchmark that old versions do not have.
git rm -q --cached prog.sh && git commit -q -m 'without the program'
mkdir -p bench/data && mv prog.sh bench && printf deep >bench/data/in.txt
{ cat "$work/plain.yml"; printf 'cmds: [bench/prog.sh]\nworkloads: [{stdin: bench/data/in.txt}]\ncollectors: [{name: time, params: {warmup: 0, repeat: 1}}]\nexecute: {files: [bench], pre_run: [test -x bench/prog.sh]}\n'; } >.perun/local.yml
expect_status 0 perun run -m HEAD~1 -m HEAD matrix
traced "$(printf '||deep\n||deep')" 'both versions have the benchmark'
if perun plugin show command-compare >/dev/null 2>&1; then
	expect_status 0 perun compare HEAD~1 HEAD --repeat 4 --most 4 -- bench/prog.sh
	printf '#!/bin/sh\nexit 7\n' >bench/prog.sh
	run perun compare HEAD~1 HEAD --repeat 4 --most 4 -- bench/prog.sh
	expect_err 'exited with 7' 'perun compare builds again when they differ'
fi
printf '#!/bin/sh\n' >bench/prog.sh
ln -s /etc/passwd link
for wrong in ../here bench/../../here /etc/passwd . link nosuch; do
	expect_status 3 perun -c "execute.files=[$wrong]" run -m HEAD~1 -m HEAD matrix
	expect_err "execute.files: "
	expect_no_out Measuring
done
rm link
# What the version has in their place may lead elsewhere.
echo kept >"$work/outside"
ln -s "$work/outside" trap && mkdir real && ln -s "$work" linked && git add trap linked && git commit -q -m 'links'
rm trap linked && echo bench >trap && mkdir linked && echo bench >linked/outside
expect_status 0 perun -c 'execute.files=[bench, trap]' -c 'execute.pre_run=[grep -q bench trap]' run -m HEAD matrix
run perun -c 'execute.files=[linked]' run -m HEAD matrix
expect_err 'execute.files: cannot write linked/outside'
expect_text kept "$(cat "$work/outside")" 'nothing outside is written'

# Thresholds.
new_repo thresholds
perun init >/dev/null
for factor in 1 4; do
	git commit -q --allow-empty -m "$factor"
	for i in 1 2 3 4 5 6; do
		echo "BenchmarkParse/small-8 100 2000$((factor + i)).5 ns/op"
		[ $factor = 1 ] && echo "BenchmarkParseAll-8 100 3000$i ns/op" || echo "BenchmarkParseAll-8 100 3100$i ns/op"
	done | sed "s/2000\(.\)/20$([ $factor = 1 ] && echo 0 || echo 8)0\1/" | { printf 'pkg: x\n'; cat; echo PASS; } | perun import - >/dev/null 2>&1
done
slower() { grep -c ' slower  ' "$work/.result/stdout"; }
for command in 'check head' 'check all' 'ci HEAD~1'; do
	run perun $command
	expect_text 2 "$(slower)" "perun $command: both are slower"
	run perun -c 'degradation.thresholds={BenchmarkParse: 5}' $command
	expect_text 1 "$(slower)" "perun $command: one of them may be"
	expect_text 0 "$(grep -c 'Parse/small' "$work/.result/stdout")" 'the one of that name'
	expect_text 0 "$(grep -c undecided "$work/.result/stdout")" 'a change within its threshold is not undecided'
	run perun -c 'degradation.thresholds={BenchmarkParse: 1, "*Parse*": 5}' $command
	expect_text 1 "$(slower)" "perun $command: the longest name counts, and globs"
done
expect_status 2 perun -c 'degradation.thresholds=5' check head
expect_status 2 perun -c 'degradation.thresholds={a: b}' check head
expect_one_line

# perun compare and bisect: standard input, variables and the shell, given or configured, and a program's own threshold.
if perun plugin show command-compare >/dev/null 2>&1; then
	new_repo alternately
	echo hello >in.txt
	for size in 1M 12M; do # memory does not depend on what else the machine does
		printf 'read x; [ "$x $MODE" = "hello fast" ] && exec dd if=/dev/zero of=/dev/null bs=%s count=1\n' $size >prog.sh
		git add . && git commit -q -m "a buffer of $size"
	done
	perun init >/dev/null
	few='--build : --repeat 4 --most 4 --warmup 0 --metric max_rss'
	expect_status 3 perun compare HEAD~1 HEAD $few -- sh prog.sh
	expect_status 1 perun compare HEAD~1 HEAD $few --stdin in.txt --env MODE=fast -- sh prog.sh
	expect_status 1 perun compare HEAD~1 HEAD $few --env MODE=fast --shell -- 'cat in.txt | sh prog.sh'
	expect_out '$ cat in.txt | sh prog.sh'
	expect_status 2 perun compare HEAD~1 HEAD $few --env MODE -- true
	expect_status 0 perun bisect HEAD~1 HEAD $few --stdin in.txt --env MODE=fast -- sh prog.sh
	printf 'cmds: [sh prog.sh]\nworkloads:\n  - {stdin: in.txt, env: {MODE: fast}}\n  - {workload: "< in.txt", shell: true, env: {MODE: fast}}\n' >>.perun/local.yml
	expect_status 1 perun compare HEAD~1 HEAD $few
	expect_out '$ sh prog.sh < in.txt'
	expect_status 0 perun -c 'degradation.thresholds={prog.sh: 500000}' compare HEAD~1 HEAD $few
	sed -i 's/stdin: in/stdinn: in/' .perun/local.yml
	expect_status 3 perun compare HEAD~1 HEAD $few
	expect_err "a workload has no 'stdinn'"
fi

finish
