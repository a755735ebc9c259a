# SPDX-License-Identifier: BSD-3-Clause
# Flat profiles and call graphs of gprof: tests/fuzz/corpus/gprof has what it printed of one run, and a graph as BSD prints it.
. "${top_srcdir:-.}/tests/cli/lib.sh"
corpus=$top_srcdir/tests/fuzz/corpus

# stacks FILE METRIC [OPTION...]: folded. cost FILE METRIC: the sum of a metric and its unit.
stacks() { perun convert --to collapsed --format-option "metric=$2" "${@:3}" "$1" - 2>/dev/null; }
cost() {
	perun show --json "$corpus/$1" top --metric "$2" --limit 0 2>/dev/null |
		python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["total"], d["unit"])'
}
# bad TEXT WORDS: a file that is refused with one line.
bad() {
	printf "$1" >bad.gprof
	expect_status 3 perun convert --from gprof bad.gprof -
	expect_err "$2"
	expect_one_line
}

expect_text 'count 20
fib 0
item 570
list 10
work 0' "$(stacks "$corpus/gprof/both" time)" 'times of a flat profile'
expect_text '7158741 ' "$(cost gprof/both calls)" 'calls'
expect_text '600 ms' "$(cost gprof/graph time)" 'times of a call graph alone'
expect_text "$(cost gprof/both calls)" "$(cost gprof/graph calls)" 'calls of a call graph alone'
expect_text "$(perun show "$corpus/gprof/both" callees --limit 0 work | tail -n +2)" "$(perun show "$corpus/gprof/graph" callees --limit 0 work | tail -n +2)" \
	'the flat profile does not count twice what the call graph has'
# totals FILE: the inclusive time of each function.
totals() {
	perun show --json "$corpus/gprof/$1" top -s total --limit 0 | python3 -c 'import json, sys
print(*sorted("%s %g" % (row["name"], row["total"]) for row in json.load(sys.stdin)["rows"]), sep="\n")'
}
expect_text 'count 20
item 570
list 10
main 600
work 580' "$(totals both)" 'inclusive times, those of a cycle as far as they are known'
expect_text 'main 70
print 10
step 10
work 60' "$(totals bsd)" 'as BSD prints it'
perun pprof -raw "$corpus/gprof/lines" >raw.txt 2>/dev/null
check 'lines and addresses' grep -q '0x12d4 item w.c:5' raw.txt
perun convert --to pprof "$corpus/gprof/both" times.pb.gz 2>/dev/null
for file in "$corpus/gprof/both" times.pb.gz; do
	expect_text 'Type: time' "$(perun pprof -top "$file" 2>/dev/null | head -n 1)" "pprof shows the leading metric: ${file##*/}"
done
flat='  time   seconds   seconds    calls  ms/call  ms/call  name\n'
printf "$flat"' 50.0  0.01  0.01  7  1.0  1.0  a::b(int, char)::c [3]\n 50.0  0.02  0.01     (anonymous)::d() (4)\n' >names.gprof
expect_text '(anonymous)::d() 10
a::b(int, char)::c 10' "$(stacks names.gprof time --from gprof)" 'C++, and a function that does not count its calls'
bad 'gmon\1\0\0\0' "give the output of 'gprof PROGRAM gmon.out'"
bad "$flat"' 1.0 x\n' 'line 2: expected a share, a sum and the seconds of a function'
bad 'index %% time    self  children    called     name\n[1] 1.0 0.0 0.1 main [1]\n  0.0 0.1 f [2]\n' \
	'line 3: expected how often a function is called, and its name'
head -n 26 "$corpus/gprof/graph" >early.gprof
expect_status 0 perun show early.gprof top
expect_err 'a block of the call graph does not end'
finish
