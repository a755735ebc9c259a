# SPDX-License-Identifier: BSD-3-Clause
# perun check --method shift: answers, explanations, the default for repeated measurements.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
perun plugin show check-shift >/dev/null 2>&1 || skip_all 'the check is not built'

# repeats FILE COUNT SEED LEVEL [LEVEL2]: COUNT runs about LEVEL seconds with 1 % noise; a second uid
# about LEVEL2.
repeats() {
	awk -v count="$2" -v x="$3" -v one="$4" -v two="${5:-}" '
	function noise(   i, sum) {
		for (i = 0; i < 12; i++) { x = (x * 16807) % 2147483647; sum += x / 2147483647 }
		return 1 + (sum - 6) / 100
	}
	function row(uid, amount, i) {
		printf "%s{\"amount\": %.6f, \"uid\": \"%s\", \"type\": \"time\", \"subtype\": \"real\", \"order\": %d}",
			sep, amount * noise(), uid, i
		sep = ", "
	}
	BEGIN {
		printf "{\"header\": {\"type\": \"time\", \"cmd\": \"./prog\", \"args\": \"\", \"workload\": \"w\", "
		printf "\"units\": {\"time\": \"s\"}}, \"collector_info\": {\"name\": \"time\", \"params\": {}}, "
		printf "\"postprocessors\": [], \"global\": {\"time\": \"0.0\", \"resources\": ["
		for (i = 1; i <= count; i++) { row("main", one, i); if (two) row("other", two, i) }
		print "]}}"
	}' >"$1"
}
repeats base.perf 20 5 1.0 2.0
repeats same.perf 20 77 1.0 2.0
repeats slow.perf 20 99 1.05 2.0
repeats fast.perf 20 99 0.95 2.0
repeats few.perf 3 3 1.13 2.0
repeats twice.perf 5 8 2.0

expect_status 0 perun check --method shift --json --unchanged profiles base.perf same.perf
expect_json 'all(c["result"] in ("NoChange", "Inconclusive") for c in d["changes"]), len(d["changes"])' '(True, 2)'
expect_status 1 perun check --method shift --json --unchanged profiles base.perf slow.perf
expect_json '[c["result"] for c in d["changes"] if c["location"] == "main"]' "['Degradation']"
expect_json '[c["result"] for c in d["changes"] if c["location"] == "other"][0] in ("NoChange", "Inconclusive")' True
expect_json '[(c["metric"], 1.03 < c["rate"] < 1.07, c["confidence_type"]) for c in d["changes"]][0]' "('time(real)', True, 'p_value')"
expect_status 0 perun check --method shift --json profiles base.perf fast.perf
expect_json '[c["result"] for c in d["changes"] if c["location"] == "main"]' "['Optimization']"
expect_status 1 perun check --method shift --explain profiles base.perf slow.perf
expect_out 'n 20 and 20, medians'
expect_out 'noise floor'
expect_out '(p for 2 tests together)'
COLUMNS=60 run perun check --method shift --explain profiles base.perf slow.perf
expect_text '' "$(grep '^    ' <<<"$out" | awk 'length > 60')" 'explanations wrap'
expect_out 'noise floor'
# Three runs do not settle 13 %, and how many would is said; five that are far apart do.
expect_status 0 perun check --method shift --explain profiles base.perf few.perf
expect_out 'undecided'
expect_out 'more runs per side'
repeats five.perf 5 6 1.0
expect_status 1 perun check --method shift profiles five.perf twice.perf

# The default for all profiles: a single measurement is compared with what is usual of such.
expect_status 1 perun check --json profiles base.perf slow.perf
expect_json 'd["changes"][0]["method"]' 'shift'
profile one.perf 1.0
profile two.perf 3.0
expect_status 1 perun check --json profiles one.perf two.perf
expect_json 'd["changes"][0]["method"]' 'shift'
expect_status 0 perun check --method average-amount-threshold profiles base.perf slow.perf

# Options of the strategy: a threshold above the change, the other direction, pairs.
new_repo
perun init >/dev/null
strategy() { printf 'degradation:\n  strategies:\n    - method: shift\n      params:\n        %s\n' "$1" >.perun/strategy.yml; cat .perun/local.yml.orig .perun/strategy.yml >.perun/local.yml; }
grep -v '^degradation' .perun/local.yml | sed '/^  *collect_before_check/d; /^  *log_collect/d' >.perun/local.yml.orig
repeats base.perf 20 5 1.0
repeats slow.perf 20 99 1.05
strategy 'threshold: 20'
expect_status 0 perun check --json profiles base.perf slow.perf
strategy 'better: higher'
expect_status 0 perun check --json profiles base.perf slow.perf
expect_json '[c["result"] for c in d["changes"] if c["method"] == "shift"][0]' "Optimization"
strategy 'paired: true'
expect_status 1 perun check --json profiles base.perf slow.perf

# perun ci: text, Markdown, JUnit, JSON; known changes.
new_repo ci
perun init >/dev/null
repeats base.perf 20 5 1.0 2.0
repeats slow.perf 20 99 1.05 2.0
sed -i 's/"main"/"f<T>|\\u0026"/g' base.perf slow.perf
version() { printf '%s\n' "$1" >file; git add file; git commit -q -m "$2"; perun add --force --keep-profile "$1.perf" >/dev/null; }
version base 'base'
base=$(head_of)
version slow 'slow'
expect_status 1 perun ci "$base"
expect_out '  slower  f<T>|&  time(real)  '
expect_out '1 slower, 1 '
expect_status 1 perun ci "$base" HEAD --json
expect_json 'd["verdict"], len(d["changes"]), d["base"]' "('degradation', 2, '$base')"
expect_status 1 perun ci "$base" --format markdown --junit perun.xml --site-url https://perun.example/site/
expect_out '](<https://perun.example/site/version/'
expect_out '| slower | `time(real)` | `f<T>\|&` | '
check 'the JUnit file has a failure' grep -q 'failures="1"' perun.xml
check 'with amounts and change as in text' grep -qE '<failure message="slower: [0-9.]+ m?s to [0-9.]+ m?s, \+[0-9.]+ %(, [0-9.]+×)?">' perun.xml
if command -v python3 >/dev/null; then
	check 'the JUnit file is XML' python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("perun.xml")'
fi
# Bytes that are no text, and what XML has no place for.
for file in base slow; do sed 's/f<T>/f<T>\\ud800\\uffff/g' $file.perf >odd-$file.perf; done
version odd-base 'no text before'
version odd-slow 'no text after'
expect_status 1 perun ci HEAD~1 --format markdown --junit perun.xml
if command -v python3 >/dev/null; then
	check 'the JUnit file is XML still' python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("perun.xml")'
fi
git reset -q --hard HEAD~2
expect_status 0 perun ci HEAD HEAD
# What one of the versions alone has is named; where that is all, there is no verdict.
new_repo ../alone
perun init >/dev/null
repeats base.perf 20 5 1.0 2.0
sed 's/"other"/"fresh"/g' base.perf >head.perf
version base 'base'
version head 'head'
expect_status 0 perun ci HEAD~1
expect_out '  gone  other  time(real)  '
expect_out '  new  fresh  time(real)  '
expect_out '2 new or gone, 1 unchanged'
expect_status 0 perun ci HEAD~1 --json
expect_json 'sorted((c["location"], c["result"]) for c in d["changes"] if c["result"] != "NoChange")' \
	"[('fresh', 'NotInBaseline'), ('other', 'NotInTarget')]"
expect_status 0 perun ci HEAD~1 --format markdown
expect_out '| new | `time(real)` | `fresh` |'
sed 's/"main"/"renamed"/g; s/"other"/"fresh"/g' base.perf >none.perf
version none 'none'
expect_status 5 perun ci HEAD~2 --junit perun.xml
expect_out 'nothing was compared, 4 new or gone'
expect_err 'have no function'
check 'the JUnit file has an error' grep -q 'errors="1"' perun.xml
sed 's/"workload": "w"/"workload": "@v *w*"/' base.perf >apart.perf
version apart 'apart'
expect_status 5 perun ci HEAD~1
expect_out "not compared: ./prog @v *w* (time, by time): not measured at $(head_of HEAD~1 | cut -c 1-8)"
expect_out "not compared: ./prog w (time, by time): not measured at $(head_of | cut -c 1-8)"
expect_status 5 perun ci HEAD~1 --format markdown
expect_out "not compared: \`./prog @v *w* (time, by time)\`: not measured at $(head_of HEAD~1 | cut -c 1-8)"
expect_err 'no profile of'
expect_status 5 perun ci HEAD~1 --json
expect_json 'd["verdict"], [c["result"] for c in d["unpaired"]]' "('none', ['NotInBaseline', 'NotInTarget'])"
cd ../ci || exit 1
# Options of the methods, for those that have them.
expect_status 0 perun ci "$base" --params 'threshold: 30'
expect_status 1 perun ci "$base" -p 'threshold: 2' -p 'paired: yes'
expect_status 0 perun check -p '{threshold: 30}' --unchanged head
expect_out 'no change'
expect_status 2 perun ci "$base" -p 'treshold: 30'
expect_err "none of the methods in use has an option 'treshold'"
expect_status 2 perun ci "$base" -p 'threshold: much'
expect_err "shift: option --threshold: 'much' is not a number"
expect_status 2 perun ci "$base" -p 'threshold'
expect_status 2 perun check --method bmoe -p 'threshold: 3' head
cp .perun/local.yml local.saved
printf 'degradation:\n  strategies:\n    - method: aat\n      repeats: yes\n' >>.perun/local.yml
expect_status 0 perun check --json --unchanged head
expect_json 'sorted(set(c["method"] for c in d["changes"]))' "['average-amount-threshold']"
mv local.saved .perun/local.yml
expect_status 0 perun changes ack HEAD --reason 'it does more'
expect_status 0 perun ci "$base"
expect_out 'known: it does more'
expect_status 0 perun check head
expect_out 'known: it does more'
expect_status 0 perun check --json all
expect_json '[c["known"] for c in d["changes"] if c["result"] == "Degradation"]' "['it does more']"
# It stays known when a commit follows.
git commit -q --allow-empty -m 'after it'
perun add --force --keep-profile slow.perf >/dev/null
expect_status 0 perun ci "$base"
expect_out 'known: it does more'
git reset -q --hard HEAD~1
# And when it is rebased: the version is another one, of the same author, author's time and subject.
slow=$(head_of)
GIT_COMMITTER_DATE='2021-01-01T00:00:00 +0000' git commit -q --amend --no-edit
perun add --force --keep-profile slow.perf >/dev/null
check 'it is another version' [ "$(head_of)" != "$slow" ]
expect_status 0 perun ci "$base"
expect_out 'known: it does more'
expect_status 0 perun changes list --json
expect_json '[(a["version"], a["subject"]) for a in d["acknowledged"]]' "[('$slow', 'slow')]"
GIT_COMMITTER_DATE='2021-01-01T00:00:00 +0000' git commit -q --amend -m 'slower'
perun add --force --keep-profile slow.perf >/dev/null
expect_status 1 perun ci "$base"
git reset -q --hard "$slow"
expect_status 0 perun changes ack --undo HEAD
git commit -q --amend -m 'slow

Perun-Expected: time(real) checks'
expect_status 5 perun ci "$base"
expect_err 'has no profiles'
perun add --force slow.perf >/dev/null
expect_status 0 perun ci "$base" --format markdown
expect_out 'known: checks'
# Nothing that others wrote becomes a link or calls anybody.
expect_status 0 perun changes ack HEAD --reason 'for @all, see #12 and https://example.org'
expect_status 0 perun ci "$base" --format markdown
expect_out '| slower, known: `for @all, see #12 and https://example.org` |'
expect_status 0 perun changes ack HEAD --reason 'a `tick` of @all'
expect_status 0 perun ci "$base" --format markdown
expect_out '| slower, known: ``a `tick` of @all`` |'
expect_status 0 perun changes ack --undo HEAD

# Sessions of one version that differ: what is no larger than that is no change.
new_repo sessions
perun init >/dev/null
repeats one.perf 20 5 0.97
repeats two.perf 20 77 1.0
repeats three.perf 20 31 0.93
repeats target.perf 20 99 1.025
echo one >file; git add file; git commit -q -m 'measured once'
perun add --keep-profile one.perf >/dev/null
base=$(head_of)
echo two >file; git commit -q -a -m 'changed'
perun add --keep-profile target.perf >/dev/null
expect_status 1 perun check --method shift head
expect_status 1 perun ci "$base"
expect_status 1 perun check --method shift --force profiles two.perf target.perf
# A direction that was given once holds for all who compare.
perun history 'time(real)' --better higher >/dev/null
expect_status 0 perun check --method shift --json head
expect_json '[c["result"] for c in d["changes"]]' "['Optimization']"
expect_status 0 perun check --method shift --json --force profiles two.perf target.perf
expect_json '[c["result"] for c in d["changes"]]' "['Optimization']"
expect_status 0 perun check --method shift all
expect_status 0 perun ci "$base" --json
expect_json '[c["result"] for c in d["changes"]]' "['Optimization']"
perun history 'time(real)' --better lower >/dev/null
expect_status 1 perun ci "$base"
printf 'no list' >.perun/directions.json
expect_status 1 perun check --method shift head
expect_err 'directions of metrics are not known'
rm .perun/directions.json
perun add --keep-profile --minor "$base" two.perf three.perf >/dev/null
expect_status 0 perun check --method shift --explain --unchanged head
expect_out 'minimal effect 36.42 ms'
run perun check --method shift all
expect_out "$(head_of | cut -c 1-8) undecided: 1 metric"
expect_status 0 perun ci "$base"
# Measured again, the version under test is judged by its last profile: a test for each metric.
perun add --force --keep-profile two.perf >/dev/null
expect_status 0 perun ci "$base" --json
expect_json 'len(d["changes"])' 1

# A rate: more of it is better, and its unit follows numbers without the 1.
sed 's/"units": {[^}]*}/"units": {"time": "1\/s"}/' target.perf >rate.perf
sed 's/"units": {[^}]*}/"units": {"time": "1\/s"}/' one.perf >slow-rate.perf
expect_status 0 perun check --method shift --force profiles slow-rate.perf rate.perf
expect_out '1.025/s'
# Units that do not convert are not compared, and this is said.
expect_status 5 perun check --force profiles one.perf rate.perf
expect_err 'nothing was compared'
expect_err 'do not convert'

# clocks FILE REAL USER SYS [SCATTER]: fifteen runs of a program; the real time varies by up to 1/SCATTER.
clocks() {
	awk -v clocks="real $2 user $3 sys $4" -v scatter="${5:-100}" 'BEGIN {
		split(clocks, clock, " ")
		printf "{\"header\": {\"type\": \"time\", \"cmd\": \"./clocks\", \"args\": \"\", \"workload\": \"w\", "
		printf "\"units\": {\"time\": \"s\"}}, \"collector_info\": {\"name\": \"time\", \"params\": {}}, "
		printf "\"postprocessors\": [], \"global\": {\"time\": \"0.0\", \"resources\": ["
		for (i = 0; i < 45; i++)
			printf "%s{\"amount\": %.6f, \"uid\": \"main\", \"type\": \"time\", \"subtype\": \"%s\", \"order\": %d}",
				i ? ", " : "", clock[i % 3 * 2 + 2] * (1 + i * 7 % 11 / (i % 3 ? 1000 : 10 * scatter)), clock[i % 3 * 2 + 1], i / 3 + 1
		print "]}}"
	}' >"$1"
}

# Real time leads: a part of it that changes alone is not news, unless it exceeds it, as on several processors.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
measured_with() {
	clocks clocks.perf "$@"
	perun add --force clocks.perf >/dev/null
}
measured_with .2 .12 .0078
commit 'sys alone'
measured_with .2 .04 .085
expect_status 0 perun check head
expect_out 'no change in 1 metric'
expect_no_out 'time('
expect_status 0 perun check all
expect_out 'no change in 1 metric'
expect_no_out 'undecided'
for command in history blame; do
	run perun $command 'time(sys)'
	expect_no_out 'slower' "$command: a part that is asked for by name"
done
commit 'several processors'
measured_with .2 .8 .085
expect_status 1 perun check head
expect_out 'time(user)'
expect_status 1 perun check all
expect_out 'time(user)'
expect_no_out 'time(sys)'
# A real time that scatters by more than the part grew by does not deny it; one that did not move does.
rm -rf "$work/repo" && cd "$work" && new_repo && perun init >/dev/null
measured_with .1 .026 .003 .4
commit 'three times as long on a busy machine'
measured_with .17 .093 .003 .4
expect_status 1 perun check head
expect_out 'time(user)'
expect_status 1 perun check all
expect_out 'time(user)'
commit 'back in one clock alone'
measured_with .17 .026 .07 .4
expect_status 0 perun check head
expect_no_out 'time(user)'

# Where both clocks changed the real time says it, unless they change by other factors: a busy machine makes the difference.
rm -rf "$work/repo" && cd "$work" && new_repo && perun init >/dev/null
measured_with .02 .0139 .0001
commit 'twice as slow'
measured_with .04 .0275 .0001
expect_status 1 perun check head
expect_out '  slower  main  time(real)  '
expect_no_out 'time(user)'
commit 'twice as slow again, on a busy machine'
measured_with .107 .0544 .0001
expect_status 1 perun check head
expect_out '  slower  main  time(real)  '
expect_out '  slower  main  time(user)  '
expect_no_out 'time(sys)'
expect_out '2 slower, 0 faster'

# Each level of the part is below that of the whole at the same version, though not below that of the other one.
rm -rf "$work/repo" && cd "$work" && new_repo && perun init >/dev/null
measured_with .063 .13 .003 .4
commit 'a machine that is less busy'
measured_with .045 .09 .003 .4
expect_status 0 perun check head
expect_no_out 'faster'
expect_status 0 perun check all
expect_no_out 'faster'

# Of the collector cpu functions are compared, whatever their lines, and the time once, not its samples again.
rm -rf "$work/repo" && cd "$work" && new_repo && perun init >/dev/null
sampled() { # FIRST-LINE SAMPLES-OF-ADD
	python3 - "$@" <<'PYTHON'
import json, sys
line, slow = int(sys.argv[1]), int(sys.argv[2])
frame = lambda function, line: {"function": function, "source": "list.c", "line": line}
rows = [{"uid": frame(function, line + at), "amount": 1.003 * count, "samples": count, "type": "time", "subtype": "cpu",
         "command": "list", "trace": [frame(function, line + at), frame("main", line + 90)]}
        for function, at, count in (("add", 1, slow // 2), ("add", 2, slow - slow // 2), ("find", 30, 40), ("find", 31, 60))]
json.dump({"header": {"type": "time", "cmd": "./list", "args": "", "workload": "w", "units": {"time": "ms"}},
           "metrics": {"samples": {"unit": "", "better": "lower"}}, "cpu": {"period": 1003009},
           "collector_info": {"name": "cpu", "params": {}}, "postprocessors": [], "global": {"time": "0.0", "resources": rows}},
          open("cpu.perf", "w"))
PYTHON
	perun add --force cpu.perf >/dev/null
}
sampled 10 20
commit 'a comment above, and a slow function'
sampled 25 200
for which in head all; do
	expect_status 1 perun check $which
	expect_out 'slower  add  time(cpu)  20.06 ms → 200.6 ms'
	expect_out '1 slower, 0 faster'
	expect_no_out 'samples'
done
# In the grid of the site the time of all of them changes with its part.
expect_status 0 perun site ../out
check 'the sum moves with its function' grep -q '"levels":\[0,150\]' ../out/data/catalog.js

# Of functions that are counted the largest changes are listed after the whole program, the rest is a number; JSON has all.
new_repo ../counted
perun init >/dev/null
counts() { # FILE FACTOR: twenty functions, the later the larger (the first changes too little to matter), and one more that became cheaper
	awk -v factor="$2" 'BEGIN {
		print "events: Ir"
		for (i = 1; i <= 20; i++) printf "fn=f%02d\n%d %d\n", i, i, 100000 * i * factor
		printf "fn=other\n30 %d\n", 9000000 / factor
	}' >"$1"
}
counts counts.out 1 && perun import counts.out >/dev/null 2>&1
commit 'twice as much'
counts counts.out 2 && perun import counts.out >/dev/null 2>&1
expect_status 1 perun check head
expect_text 'higher f20 higher f11 lower other' "$(echo "$out" | awk '$2 ~ /er$/ && $3 != "Ir" {n[$2]++; if (n[$2] == 1 || n[$2] == 10) printf "%s%s %s", sep, $2, $3; sep = " "}')" 'ten of them, from the largest on'
expect_out 'higher  Ir  30,000,000 → 46,500,000  +55 %' 'numbers are grouped'
check 'the whole program is the first' expr "$(echo "$out" | head -n 1)" : '[0-9a-f]*  higher  Ir  '
expect_out '... 9 more are worse: perun check --unchanged lists all'
expect_out '20 worse, 1 better'
expect_status 1 perun check --unchanged head
expect_no_out 'lists all'
expect_status 1 perun check --json head
expect_json 'len(d["changes"])' 21
expect_status 1 perun ci HEAD~1 --format markdown
expect_out '... 9 more are worse: perun check --unchanged lists all'
expect_status 0 perun status
expect_out '... 9 more are worse: perun check --unchanged lists all'

finish
