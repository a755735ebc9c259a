# SPDX-License-Identifier: BSD-3-Clause
# Every command says the same of a history: which commit, of several candidates, in which direction, and whether it is known.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
perun plugin show check-shift >/dev/null 2>&1 || skip_all 'the check is not built'
command -v python3 >/dev/null || skip_all 'needs Python 3'

# timed SEED SECONDS...: twenty runs of a program that takes so long, in ../pSEED.perf; of the next seed for each further level.
timed() {
	python3 - "$@" <<'PYTHON'
import json, random, sys
for seed, level in enumerate(sys.argv[2:], int(sys.argv[1])):
    if level == "-":
        continue
    r = random.Random(seed)
    session = r.gauss(1, .003)
    values = [round(float(level) * session * r.gauss(1, .01), 6) for _ in range(20)]
    rows = {"r": {"amount": values, "order": list(range(1, 21))}}
    types = {"r": {"type": "time", "subtype": "real", "uid": "./prog"}}
    json.dump({"resources": rows, "resource_type_map": types, "models": [],
               "header": {"type": "time", "cmd": "./prog", "args": "", "workload": "in.txt", "units": {"time": "s"}},
               "collector_info": {"name": "time", "params": {}}, "postprocessors": []}, open(f"../p{seed}.perf", "w"))
PYTHON
}

# sampled VERSIONS: five profiles of each, ../sVERSION-N.folded: samples of a server under a load of its own, of which a function
# has another share from the fifth version on.
sampled() {
	python3 - "$1" <<'PYTHON'
import random, sys
names = ["hot"] + [f"f{i}" for i in range(9)]
for n in range(1, int(sys.argv[1]) + 1):
    share = .31 if n >= 5 else .13
    for k in range(1, 6):
        r = random.Random(n * 10 + k)
        counts = {}
        for name in r.choices(names, [share] + [(1 - share) / 9] * 9, k=int(2000 * r.uniform(.5, 1.5))):
            counts[name] = counts.get(name, 0) + 1
        with open(f"../s{n}-{k}.folded", "w") as out:
            for name, count in sorted(counts.items()):
                print(f"main;serve;{name} {count}", file=out)
PYTHON
}

# history LEVEL...: a commit for each, measured, unless it is "-".
history() {
	local n=0 level
	cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
	timed 1 "$@"
	for level; do
		n=$((n + 1))
		at $n
		commit "change $n"
		[ "$level" != - ] || continue
		"$PERUN" add "../p$n.perf" >/dev/null
	done
}

# answers METRIC: what each command says, as "version result known candidates" of each change, by commit. The library's
# reader of histories is asked by a program of its own: values, levels and p have to be the same to the last digit.
answers() {
	rm -rf ../said && mkdir ../said
	"$top_builddir/tests/tools/history-facts" "$1" >../said/library
	"$PERUN" check --json all >../said/all || true
	"$PERUN" check all >../said/all.txt || true
	"$PERUN" history "$1" --json >../said/history
	"$PERUN" blame "$1" --json >../said/blame
	"$PERUN" log --json >../said/log
	"$PERUN" site --json ../said/out >../said/site
	python3 - <<'PYTHON'
import glob, json, re
read = lambda name: json.load(open(f"../said/{name}"))
def said(version, change, commits):
    return (version, change["result"], bool(change["known"]), tuple(c["version"] for c in commits) if commits else ())
answers = {
    "check all": {said(c["minor_version"], c, c["commits"]) for c in read("all")["changes"]},
    "history": {said(c["version"], c, c["commits"]) for s in read("history")["series"] for c in s["change_points"]},
    "blame": {said(c["version"], c, c["commits"]) for c in read("blame")["changes"]},
    "site": {said(c["version"], c, c["commits"]) for c in read("site")["changes"]},
}
first = answers["history"]
for name, answer in answers.items():
    if answer != first:
        print(f"{name} says {sorted(answer)}, not {sorted(first)}")

library = {(s["command"], s["location"]): s for s in read("library")}
def compare(name, answer, fact):
    if answer != fact:
        print(f"{name} says {answer}, the library {fact}")
series = {(s["command"], s["location"]): s for s in read("history")["series"]}
compare("history: strands", sorted(series), sorted(library))
for key in set(series) & set(library):
    compare(f"history: values of {key}", [[v["version"], v["median"], v["interval"], v["runs"]] for v in series[key]["values"]
            if v["median"] is not None], library[key]["values"])
    compare(f"history: changes of {key}", [[c["version"], c["result"], c["before"], c["after"], c["p"], bool(c["known"])]
            for c in series[key]["change_points"]], library[key]["changes"])
facts = sorted(key + tuple(c) for key, s in library.items() for c in s["changes"])
compare("site", sorted((c["command"], c["location"], c["version"], c["result"], c["before"], c["after"], c["p"], bool(c["known"]))
        for c in read("site")["changes"]), facts)
# These name the files of the version itself, where those of other versions are called otherwise.
compare("check all", sorted((c["location"], c["minor_version"], c["result"], round(c["rate"], 12), c["confidence_rate"], bool(c["known"]))
        for c in read("all")["changes"]), sorted(f[1:4] + (round(1 + (f[5] - f[4]) / f[4], 12),) + f[6:] for f in facts))
compare("log", sorted((c["location"], v["checksum"], c["result"], float("%.4g" % c["confidence_rate"]), bool(c["known"]))
        for v in read("log")["minor_versions"] for c in v["changes"]), sorted(f[1:4] + (float("%.4g" % f[6]), f[7]) for f in facts))
compare("blame", sorted((c["command"], c["location"], c["version"], c["result"], c["before"], c["after"], c["p"], bool(c["known"]))
        for c in read("blame")["changes"]), facts)
drawn = [[m for m in json.loads(text)["m"] if m is not None] for file in glob.glob("../said/out/data/*/*.js")
         for text in re.findall(r'perun\("[^"]*",(\{"m".*\})\)', open(file).read())]
for key, s in library.items():
    if [v[1] for v in s["values"]] not in drawn:
        print(f"site: values of {key} are not {[v[1] for v in s['values']]}")
latest = open("../said/out/data/catalog.js").read()
latest = json.loads(latest[latest.index(",") + 1:latest.rindex(")")])["metrics"]
latest = {(" ".join(filter(None, (m["cmd"], m["workload"]))), m["place"]): [m["answer"], m["before"]] for m in latest if "answer" in m}
for key in set(latest) & set(library):
    compare(f"site: the latest version of {key}", latest[key], library[key]["latest"])
undecided = sum(s["latest"] is not None and s["latest"][0] == "undecided" and not s["changes"] for s in library.values())
if len(library) == 1:
    compare("check all: undecided", int((re.search(r"undecided: (\d+)", open("../said/all.txt").read()) or [0, 0])[1]), undecided)
for version, result, known, commits in sorted(first, key=lambda a: a[1]):
    print(result, "known" if known else "news", len(commits))
PYTHON
}

# compared METRIC BASE HEAD: the levels that ci prints, which are those of the library's change between the two.
compared() {
	"$top_builddir/tests/tools/history-facts" "$1" >../library.json
	"$PERUN" ci --json "$2" "$3" >../ci.json || true
	python3 - <<'PYTHON'
import json
d = json.load(open("../ci.json"))
for strand in json.load(open("../library.json")):
    for c in d["changes"]:
        for version, result, before, after, *rest in strand["changes"]:
            said = [c["result"]] + [float(c[key].rstrip("s")) for key in ("from_baseline", "to_target")]
            print("as the library" if said == [result, float("%.4g" % before), float("%.4g" % after)] else said)
PYTHON
}

# Eight versions of twenty runs: a factor of 1.1 is beyond doubt.
history 1 1 1 1 1.1 1.1 1.1 1.1
expect_text 'Degradation news 1' "$(answers 'time(real)')" 'a step of 10 %'
expect_text 'as the library' "$(compared 'time(real)' HEAD~4 HEAD~3)" 'ci prints the change of the history'
guilty=$(head_of HEAD~3)
run perun check all
check 'the commit is named once' [ "$(printf '%s\n' "$out" | grep -c "${guilty:0:8}")" -eq 1 ]
expect_out "${guilty:0:8}  slower  time(real)  "
expect_status 1 perun check head --json "$guilty"
expect_json '[(c["result"], len(c["commits"])) for c in d["changes"]]' "[('Degradation', 1)]"

# Acknowledged everywhere.
perun changes ack --reason 'it checks its input' "$guilty" >/dev/null
expect_text 'Degradation known 1' "$(answers 'time(real)')" 'the same, acknowledged'
expect_status 0 perun check all
expect_out 'known: it checks its input'
expect_status 0 perun check head "$guilty"
run perun log --short
check 'without a mark' [ "$(printf '%s\n' "$out" | grep "^${guilty:0:6}" | grep -c -- '- *$')" -eq 0 ]

# A version that was not measured cannot be acquitted.
history 1 1 1 - - 2 2 2
expect_text 'Degradation news 3' "$(answers 'time(real)')" 'one of three commits'
run perun check head HEAD~2
expect_out "$(head_of HEAD~4 | cut -c1-8)" 'check head names the others'
# Once one of them is measured, what was stored does not hold any more.
timed 99 2
perun add -m HEAD~3 ../p99.perf >/dev/null
run perun log --json
expect_json '[c for v in d["minor_versions"] for c in v["changes"]]' '[]'
expect_text 'Degradation news 2' "$(answers 'time(real)')" 'one of two'

# There and back; a disturbed session; nothing at all; the last version alone.
history 1 1 3 3 1 1 1
expect_text 'Degradation news 1
Optimization news 1' "$(answers 'time(real)')" 'a regression and its repair'
history 1 1 1 1.08 1 1 1
expect_text '' "$(answers 'time(real)')" 'one disturbed session is not a change'
for version in HEAD~3 HEAD~2; do
	expect_status 0 perun check --json head $version
	expect_json '{c["result"] for c in d["changes"]} <= {"Inconclusive"}' True
	expect_status 0 perun ci HEAD~4 $version
done
# A run each, too: what deviates by more than versions before it did is slower.
history_of_single() {
	cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
	for level; do
		commit "level $level"
		profile ../single.perf "$level" uid=./prog
		"$PERUN" add ../single.perf >/dev/null
	done
}
history_of_single 1 1.02 1.01 .99 1 1.01 1.02 1 .985 1.01 1.2
expect_text 'Degradation news 1' "$(answers 'time(real)')" 'earlier versions show how runs differ'
expect_status 1 perun check head
expect_status 1 perun ci HEAD~1 HEAD --markdown ../ci.md
expect_out "perun bisect --lines $(git rev-parse HEAD | cut -c -8) -- ./prog in.txt finds the lines"
run perun blame 'time(real)'
expect_out "perun bisect --lines $(git rev-parse HEAD | cut -c -8) -- ./prog in.txt finds the lines"
check 'a comment says so, too' grep -q '^`perun bisect --lines [^`]* finds the lines`$' ../ci.md
history_of_single 1 1.2 .9 1.1 1 .85 1.2 1 .8 1.1 1.2
expect_text '' "$(answers 'time(real)')" 'and that they differ by more'
expect_status 0 perun check head
history 1 1 1 1 1 1 1 1 1 1
expect_text '' "$(answers 'time(real)')" 'nothing changed'
run perun check all
check 'which takes two lines' [ "$(printf '%s\n' "$out" | wc -l)" -le 2 ]
history 1 1.5
expect_text 'Degradation news 1' "$(answers 'time(real)')" 'two versions are enough'
history 1 1 1 1 2
expect_text 'Degradation news 1' "$(answers 'time(real)')" 'the last version'
# What is judged again replaces what was found, whatever found it.
perun check --method average_amount_threshold head >/dev/null || true
perun check all >/dev/null || true
expect_json_of_log() { "$PERUN" log --json | python3 -c 'import json, sys
print(len([c for v in json.load(sys.stdin)["minor_versions"] for c in v["changes"]]))'; }
expect_text 1 "$(expect_json_of_log)" 'one answer is stored'

# What the Python program writes for every user does not judge beside it.
mkdir -p "$XDG_CONFIG_HOME/perun"
cp "$XDG_CONFIG_HOME/perun/shared.yml" shared.saved 2>/dev/null || : >shared.saved
printf 'degradation:\n  strategies:\n    - method: average_amount_threshold\n' >"$XDG_CONFIG_HOME/perun/shared.yml"
expect_status 1 perun check head
expect_out 'judged by shift: '
mv shared.saved "$XDG_CONFIG_HOME/perun/shared.yml"

# Samples under varying load: the share of a function counts.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
sampled 8
for n in 1 2 3 4 5 6 7 8; do
	at $n
	commit "change $n"
	"$PERUN" import --cmd ./server --workload load ../s$n-*.folded >/dev/null
done
run perun check --json all
expect_json '[(c["minor_version"], c["location"], c["result"]) for c in d["changes"]]' "[('$(head_of HEAD~3)', 'hot', 'Degradation')]"
run perun history samples --json
expect_json '[(s["location"], c["version"]) for s in d["series"] for c in s["change_points"]]' "[('hot', '$(head_of HEAD~3)')]"
run perun blame samples --json
expect_json '[(c["version"], c["functions"][0]["location"] if c["functions"] else c["location"]) for c in d["changes"]]' "[('$(head_of HEAD~3)', 'hot')]"

# Functions of few samples: what one caller and all that it calls cost is the change, not each of its functions.
callers() { # FILE SEED FACTOR [NAME]: ten callers of sixty functions of ten samples each
	awk -v seed="$2" -v factor="$3" -v name="${4-f}" 'BEGIN { srand(seed); load = .7 + seed % 5 / 7; for (i = 0; i < 600; i++) {
		g = int(i / 60); want = 10 * load * (g == 3 ? factor : 1); limit = exp(-want); n = -1
		for (p = 1; p > limit; n++) p *= rand()
		if (n > 0) printf "main;g%d;%s%d %d\n", g, i == 599 ? name : "f", i, n }
		printf "main;%s %d\n", name == "f" ? "parse" : "parse_line", 2000 * load }' >"$1"
}
called() { # FACTOR...: a commit with a profile for each
	local n=0 factor
	cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
	for factor; do
		n=$((n + 1))
		at $n
		commit "change $n"
		callers ../calls.folded $n ${factor/:/ }
		"$PERUN" import --cmd ./server --workload load ../calls.folded >/dev/null
	done
}
places() { # what each command says of which commit
	python3 -c 'import json, sys
d = json.load(sys.stdin)
for c in d.get("changes") or [dict(p, location=s["location"]) for s in d.get("series", []) for p in s["change_points"]]:
    if c["result"] not in ("Inconclusive", "NoChange"): print(c.get("minor_version", c.get("version", "head"))[:8], c["location"], c["result"])'
}
for levels in '1 8' '1 1 1 8 8 8'; do
	called $levels
	guilty=$(git log --format=%H --grep="^change $(($(wc -w <<<"$levels") / 2 + 1))\$")
	said="g3 and what it calls Degradation"
	expect_text "${guilty:0:8} $said" "$("$PERUN" check --json all | places)" "a caller, check all: $levels"
	expect_text "${guilty:0:8} $said" "$("$PERUN" history --json samples | places)" 'history'
	expect_text "${guilty:0:8} $said" "$("$PERUN" blame --json samples | places)" 'blame'
	expect_text "${guilty:0:8} $said" "$("$PERUN" site --json ../out | places)" 'site'
	expect_text "head $said" "$("$PERUN" ci --json "$guilty~1" "$guilty" | places)" 'ci'
	run perun log -n 3 "$guilty"
	expect_out "higher  g3 and what it calls  samples"
	expect_out "95 % CI"
	expect_out 'judged by shift'
	check 'as the Python program reads it' grep -qE '^g3 and what it calls PerformanceChange\.[A-Za-z]+ \S+ \S+ \S+ \S+ p_value:shift:[0-9.]+:[0-9.]+ \S+ \S+ [0-9a-f]{40} \./server load$' .perun/objects/"${guilty:0:2}/${guilty:2}.changes"
	run perun blame --explain samples
	expect_out 'measured: '
	expect_out 'assumed: load and duration'
done
called 1 1 1 1:n 1:n 1:n
expect_text '' "$("$PERUN" check --json all | places)$("$PERUN" history --json samples | places)$("$PERUN" site --json ../out | places)" 'a function that was renamed'
expect_text '' "$("$PERUN" check --json head HEAD~2 | places)" 'of two versions as well'

# Names that recorders give, and names of files with a few samples of this and that: one history. What was renamed is named.
folded() { # FILE PARSE EMIT NAME NOISE
	printf 'main;parse %s\nmain;%s %s\n' "$2" "$4" "$3" >"$1"
	for k in 1 2 3 4 5 6 7 8; do printf '%s%s 1\n' "$5" $k; done >>"$1"
}
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
folded ../w-1.folded 400 1600 emit k
folded ../w-2.folded 410 1590 print j
for n in 1 2; do
	at $n
	commit "change $n"
	run perun import --format collapsed ../w-$n.folded
done
for command in 'check head' 'check all' 'ci HEAD~1 HEAD' history blame; do
	expect_status 0 perun $command
	expect_err 'no change in cost: emit is print now (renamed)'
	expect_no_out 'undecided'
done
sed 's/print /0x7f9784ea57b9 /' ../w-2.folded >../w-3.folded
sed 's/print /0x7f78b1aa57b9 /' ../w-2.folded >../w-4.folded
for n in 3 4; do
	at $n
	commit "change $n"
	run perun import --format collapsed ../w-$n.folded
done
expect_status 0 perun check head
expect_no_err 'renamed'
run perun check head --json --unchanged
expect_json '[(c["location"], c["result"]) for c in d["changes"] if c["location"][0] in "[0"]' "[('[unknown]', 'NoChange')]"
git reset -q --hard HEAD~2
expect_status 0 perun showdiff HEAD~1 HEAD top -n 3
expect_out 'print'
at 3 && commit 'change 3'
for pid in 4711 4712; do
	printf 'events: Ir\ncmd: ./w 5\nfn=f\n1 1000\n' >../callgrind.out.$pid
	run perun import ../callgrind.out.$pid
done
run perun status
expect_no_out 'w 5 callgrind.out'

# Files of other names at each version: the name is no identity, for any command, unless two are there at once.
results() { # FILE SECONDS [FAILED]
	printf '{"context": {}, "benchmarks": [' >"$1"
	for k in 1 2 3 4 5; do
		[ -n "${3:-}" ] || printf '{"name": "A", "run_name": "A", "run_type": "iteration", "real_time": %s.%s, "cpu_time": 1, "time_unit": "s"},' "$2" "$k" >>"$1"
	done
	[ -z "${3:-}" ] || printf '{"name": "A", "run_name": "A", "run_type": "iteration", "error_occurred": true, "error_message": "no device"},' >>"$1"
	printf '{"name": "B", "run_name": "B", "run_type": "iteration", "real_time": 5, "cpu_time": 4, "time_unit": "s"}]}' >>"$1"
}
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for n in 1 2 3; do
	at $n
	commit "change $n"
	results "../bench-$n.json" $([ $n -lt 3 ] && echo 10 || echo 20)
	"$PERUN" import "../bench-$n.json" >/dev/null
done
expect_text 'Degradation news 1' "$(answers 'time(real)')" 'names of files are no identity'
run perun blame
expect_out 'bench-3.json' 'the file of the version itself'
expect_status 1 perun check profiles ../bench-2.json ../bench-3.json
expect_out 'slower  A'
expect_status 0 perun check head HEAD~1
expect_out 'no change in'
expect_status 1 perun ci HEAD~1 HEAD
expect_no_out 'finds the lines'
at 4 && commit 'change 4'
results ../bench-4.json 20 failed
"$PERUN" import ../bench-4.json >/dev/null 2>&1
for command in 'check all' 'check head' 'ci HEAD~1 HEAD' "history time(real)" 'log -n 1' 'log --short -n 1' 'status'; do
	run perun $command
	check "a failure is one: $command" grep -q failed <<<"$out"
	case $out in *gone* | *faster:* | *'--better'*) not_ok "and nothing else: $command" ;; esac
done
at 5 && commit 'change 5'
"$PERUN" import ../bench-1.json ../bench-2.json >/dev/null
run perun history 'time(real)' --json
expect_json 'sorted({s["command"].split()[-1] for s in d["series"] if s["location"] == "A"})' "['bench-1.json', 'bench-2.json', 'bench-3.json']"

# A file, standard input, a name that recorders give, a file again: none of these is an identity.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for n in 1 2 3 4; do
	at $n
	commit "change $n"
	printf 'main;parse %d\nmain;emit 4000\n' $([ $n -lt 3 ] && echo 4000 || echo 9000) >../samples
	case $n in
	1) cp ../samples ../first.folded && "$PERUN" import --format collapsed ../first.folded ;;
	2) "$PERUN" import --format collapsed - <../samples ;;
	3) cp ../samples ../perf.folded && "$PERUN" import --format collapsed ../perf.folded ;;
	4) cp ../samples ../2026-11-29.folded && "$PERUN" import --format collapsed ../2026-11-29.folded ;;
	esac >/dev/null
done
run perun history --json
expect_json 'sorted({s["command"].strip() for s in d["series"]})' "['first.folded']"
expect_json '{len([v for v in s["values"] if v["median"] is not None]) for s in d["series"]}' '{4}'
expect_status 0 perun check head HEAD~2
expect_no_err 'nothing was compared'
expect_status 1 perun check head HEAD~1
expect_out 'parse'
expect_status 1 perun ci HEAD~3 HEAD
expect_out 'parse'

# A profile of Go counts its samples beside the time that they stand for: the store says a change once, as two files do.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
cat >../go.py <<'PYTHON'
import sys
def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)
def field(number, value):
    return varint(number << 3) + varint(value) if isinstance(value, int) else varint(number << 3 | 2) + varint(len(value)) + value
names = ["", "samples", "count", "cpu", "nanoseconds", "main.parse", "main.emit"]
out = field(1, field(1, 1) + field(2, 2)) + field(1, field(1, 3) + field(2, 4))
for place, count in (1, int(sys.argv[1])), (2, 400):
    out += field(2, field(1, varint(place)) + field(2, varint(count) + varint(count * 10000000)))
    out += field(4, field(1, place) + field(4, field(1, place))) + field(5, field(1, place) + field(2, 4 + place))
sys.stdout.buffer.write(out + b"".join(field(6, name.encode()) for name in names) + field(11, field(1, 3) + field(2, 4)) + field(12, 10000000))
PYTHON
for n in 1 2; do
	at $n
	commit "change $n"
	python3 ../go.py $((200 * n)) >../go-$n.pprof
	"$PERUN" import ../go-$n.pprof >/dev/null
done
for command in 'check head' 'check all' 'ci HEAD~1 HEAD' 'check profiles ../go-1.pprof ../go-2.pprof'; do
	expect_status 1 perun $command
	expect_text 1 "$(printf '%s\n' "$out" | grep -c 'slower  main.parse')" "once: $command"
	expect_out 'cpu  2 s → 4 s'
done
# Beside them allocations of the same program: files of other names pair by what they lead with, for showdiff as well.
sed 's/"samples", "count", "cpu", "nanoseconds"/"alloc_objects", "count", "alloc_space", "bytes"/' ../go.py >../heap-of-go.py
for n in 1 2; do
	python3 ../heap-of-go.py $((300 * n)) >../heap-$n.pprof
	"$PERUN" import -m "HEAD~$((2 - n))" ../heap-$n.pprof >/dev/null
done
expect_status 0 perun showdiff HEAD~1 HEAD report
expect_out 'cpu of HEAD~1 and HEAD: 6.00 s, now 8.00 s'
expect_out 'alloc_space of HEAD~1 and HEAD: 6.52 GiB, now 9.31 GiB'
expect_no_err 'only HEAD has'
python3 ../go.py 0 >../go-3.pprof
at 3 && commit 'change 3' && "$PERUN" import ../go-3.pprof >/dev/null
run perun history cpu
expect_out "$(head_of | cut -c1-8) 0 ns" 'nothing has the short name of its unit'

# Three profiles of Node.js at each version, whose names say when: they are sessions of one history for all commands.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
cat >../node.py <<'PYTHON'
import json, random, sys
seed, parse = int(sys.argv[1]), int(sys.argv[2])
r = random.Random(seed)
names = ["(root)", "main", "parse", *(f"f{i}" for i in range(12))]
nodes = [{"id": i + 1, "callFrame": {"functionName": name, "scriptId": "1", "url": "app.js", "lineNumber": i, "columnNumber": 0},
          "children": [[2], list(range(3, 16))][i] if i < 2 else []} for i, name in enumerate(names)]
samples = r.choices(range(3, 16), [parse] + [30] * 12, k=360 + parse)
deltas = [r.randint(950, 1400) for _ in samples]
json.dump({"nodes": nodes, "startTime": 0, "endTime": sum(deltas), "samples": samples, "timeDeltas": deltas}, sys.stdout)
PYTHON
for n in 1 2; do
	at $n
	commit "change $n"
	for k in 1 2 3; do
		python3 ../node.py $n$k $((40 * n * n)) >../CPU.20261129.07121$n.71$n$k.0.001.cpuprofile
	done
	"$PERUN" import ../CPU.20261129.07121$n.*.cpuprofile >/dev/null
done
for command in 'check head' 'check all' 'ci HEAD~1 HEAD'; do
	expect_status 1 perun $command
	expect_out 'slower  parse  time  '
	expect_out 'measured three times' "$command"
done
run perun history time --json
expect_json 'sorted(len(s["values"]) for s in d["series"])[0] > 0 and {s["command"].strip() for s in d["series"]}' "{''}"

# Repeats of a profiled program under other names, built and run in other directories: one history with three sessions.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
cat >../samples.py <<'PYTHON'
import random, sys
seed, parse = int(sys.argv[1]), int(sys.argv[2])
r = random.Random(seed)
weights = {"parse": parse, **{f"f{i}": 20 + i for i in range(40)}}
counts = {}
for name in r.choices(list(weights), list(weights.values()), k=sum(weights.values()) // 2):
    counts[name] = counts.get(name, 0) + 1
for name, count in counts.items():
    for _ in range(count):
        print(f"server 71 [000] 1.{r.randrange(10**6):06}: 1001001 cpu-clock:u:\n\t 401136 {name}+0x6 (/builds/{seed}/server)\n\t 401200 main+0x1 (/builds/{seed}/server)\n")
PYTHON
for n in 1 2; do
	at $n
	commit "change $n"
	for k in 1 2 3; do
		python3 ../samples.py $n$k $((150 * n)) >../run-$n$k.txt
	done
	"$PERUN" import ../run-$n?.txt >/dev/null
done
for command in 'check head' 'check all' 'ci HEAD~1 HEAD'; do
	expect_status 1 perun $command
	expect_text 1 "$(printf '%s\n' "$out" | grep -c 'slower  parse')" "once: $command"
	expect_no_out 'not compared'
done
for n in 1 2; do
	at $n
	printf 'events: Ir\ncmd: /builds/%s/calc /builds/%s/in.txt --out=/builds/%s/x /etc/conf\nfn=f\n1 %s\n' $n $n $n $((1000 * n)) >../callgrind.out.$n
	"$PERUN" import -m HEAD~$((2 - n)) ../callgrind.out.$n >/dev/null
done
run perun history Ir --json
expect_json '{s["command"].strip() for s in d["series"]}' "{'calc in.txt --out=x /etc/conf'}"
expect_json '[len([v for v in s["values"] if v["median"] is not None]) for s in d["series"]]' '[2]'

# What a file lacks is said when it is imported, and by none of those that compare it; processor time costs by its unit.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for n in 1 2; do
	at $n
	commit "change $n"
	printf '{"counter-value" : "%s", "unit" : "msec", "event" : "task-clock", "variance" : 0.4}\n' $((300 + 40 * n)).5 >../stat-$n.json
	printf '{"counter-value" : "<not counted>", "unit" : "", "event" : "cycles"}\n' >>../stat-$n.json
	run perun import ../stat-$n.json
	expect_err '1 counter was not counted and left out'
done
for command in 'check head' 'check all' 'ci HEAD~1 HEAD'; do
	expect_status 1 perun $command
	expect_out 'slower  perf stat  task-clock  340.5 ms → 380.5 ms'
	expect_no_err 'not counted'
done

# Without a metric all are judged together: what the elapsed time does not say is said by each command, the rest by none.
clocks() { # "REAL CPU"...: ../clocks-N.json for the N-th
	python3 - "$@" <<'PYTHON'
import json, random, sys
for n, level in enumerate(sys.argv[1:], 1):
    real, cpu = map(float, level.split())
    r = random.Random("../clocks.json")
    rows = [{"name": "A", "run_name": "A", "run_type": "iteration", "time_unit": "ms", "real_time": real * r.gauss(1, .01),
             "cpu_time": cpu * r.gauss(1, .01)} for _ in range(12)]
    json.dump({"context": {}, "benchmarks": rows}, open(f"../clocks-{n}.json", "w"))
PYTHON
}
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
clocks '10 4' '10 4' '10 8' '10 8' '30 24' '30 24'
for n in 1 2 3 4 5 6; do
	at $n
	commit "change $n"
	mv ../clocks-$n.json ../clocks.json
	"$PERUN" import ../clocks.json >/dev/null
done
for command in 'check all' history blame 'log --short'; do
	run perun $command
	expect_text '1 1' "$(grep -c 'slower .*4.006 ms' <<<"$out") $(grep -c 'slower .*9.991 ms' <<<"$out")" "$command says what the elapsed time does not"
done
run perun blame --json
expect_json '[c["metric"] for c in d["changes"]]' "['time(real)', 'time(cpu)']"
run perun history --json
expect_json '[(s["metric"], len(s["change_points"])) for s in d["series"]]' "[('time(real)', 1), ('time(cpu)', 2)]"
expect_status 0 perun history 'time(cpu)' --form terminal
expect_out '24.04 ms'

# A merge brings in commits that may be the change, also where they were measured: each command names them.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
clocks '10 4' '20 8' '20 8.1'
at 1 && commit 'change 1'
mv ../clocks-1.json ../clocks.json
"$PERUN" import ../clocks.json >/dev/null
at 2 && git checkout -q -b side && commit 'on the side'
mv ../clocks-2.json ../clocks.json
"$PERUN" import ../clocks.json >/dev/null
at 3 && git checkout -q - && git merge -q --no-ff -m 'change 3' side
mv ../clocks-3.json ../clocks.json
"$PERUN" import ../clocks.json >/dev/null
for command in 'check all' history blame 'ci HEAD~1 HEAD' 'check series --from HEAD'; do
	run perun $command
	expect_out 'one of these 2 commits:'
	expect_out ' on the side'
done
run perun history --json
expect_json '[len(p["commits"]) for s in d["series"] for p in s["change_points"] if s["metric"] == "time(real)"]' '[2]'

# A change that the next version takes back is one where no disturbance makes as much; less of it is none.
repeated() { # VERSION MILLISECONDS
	at "$1" && commit "change $1"
	python3 - "$2" >../times.json <<'PY'
import json, random, sys
level = float(sys.argv[1])
random.seed(level)
times = [level / 1e3 * random.uniform(0.97, 1.1) for _ in range(7)]
print(json.dumps({"results": [{"command": "./prog", "mean": sum(times) / 7, "stddev": 0.001, "system": 0, "times": times}]}))
PY
	"$PERUN" import ../times.json >/dev/null
}
for levels in '200 230 190 210 9.5 205 195 220:2 9.5 205' '10 11 9 10 150 10 11 9:2 150 10' \
	'200 230 190 210 100 205 195 220:0' '10 11 9 10 40 10 11 9:0'; do
	cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
	i=0
	for level in ${levels%:*}; do repeated $((++i)) "$level"; done
	run perun check --json all
	expected=(${levels#*:})
	expect_json 'len(d["changes"])' "${expected[0]}"
	[ "${expected[0]}" = 2 ] || continue
	for command in 'check --json all' 'check --json head HEAD~3' 'check --json head HEAD~2'; do
		run perun $command
		expect_json '[c["result"] in ("Degradation", "Optimization") for c in d["changes"]]' \
			"[$([ "$command" = 'check --json all' ] && echo 'True, True' || echo True)]"
	done
	# On the site a change that was taken back is not open any more.
	expect_status 0 perun site --json ../site
	expect_json '[c["taken_back"] for c in d["changes"]] == [d["changes"][1]["version"], None]' True
	check 'nor is it counted as open' grep -q '"open":1' ../site/data/catalog.js
	rm -rf ../site
done

# A merge into a line that became slower elsewhere is not slower, whatever its other side is compared with.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for i in 1 2 3; do repeated $i 10; done
git checkout -q -b fast && repeated 4 10.1 && git checkout -q -
for i in 5 6 7; do repeated $i 30; done
at 8 && git merge -q --no-ff -m 'change 8' fast
python3 - >../times.json <<'PY'
import json
times = [0.0298, 0.0301, 0.0305, 0.0299, 0.0303, 0.031, 0.0296]
print(json.dumps({"results": [{"command": "./prog", "mean": sum(times) / 7, "stddev": 0.001, "system": 0, "times": times}]}))
PY
"$PERUN" import ../times.json >/dev/null
expect_status 0 perun check head
expect_no_out 'slower' 'the merge is not slower'
expect_status 0 perun ci HEAD~1 HEAD

# Groups of files of other names: those that contain the same are repeats, others are paired by what they contain.
go_results() { # FILE PACKAGE A B
	printf 'goos: linux\ngoarch: amd64\npkg: %s\nBenchmarkA-8 \t 1000\t %s ns/op\nBenchmarkB-8 \t 1000\t %s ns/op\nPASS\n' "$2" "$3" "$4" >"$1"
}
groups() { # FILE... -- FILE...
	cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
	at 1 && commit 'change 1'
	while [ "$1" != -- ]; do
		"$PERUN" import "../$1" >/dev/null
		shift
	done
	shift
	at 2 && commit 'change 2'
	for file in "$@"; do "$PERUN" import "../$file" >/dev/null; done
	expect_text 'Degradation news 1' "$(answers 'time(real)')" 'groups of files'
	for command in 'check --json all' 'check --json head' 'ci --json HEAD~1 HEAD'; do
		expect_status 1 perun $command
		expect_json '[(c["location"], round(c["rate"], 1)) for c in d["changes"] if c["result"] == "Degradation"]' "[('$location', 3.0)]"
		check "nothing is without a partner: $command" eval '! grep -qE "NotIn(Baseline|Target)" <<<"$out"'
	done
}
go_results "$work"/a.txt x/p 1000 500
go_results "$work"/b.txt x/p 1010 1500
go_results "$work"/c.txt x/p 1005 505
go_results "$work"/d.txt x/p 1000 1515
go_results "$work"/e.txt x/q 2000 700
go_results "$work"/f.txt x/q 2010 702
location=x/p.BenchmarkB-8
groups a.txt c.txt -- b.txt d.txt
run perun check head
expect_out 'measured twice: 10 runs or more would show smaller changes (go test -count 10)'
groups a.txt e.txt -- f.txt b.txt

# Samples that are undecided are measured once, whatever else of the version was measured more often.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for count in 58 66; do
	commit "$count"
	for run in 1 2 3 4 5 6; do echo "BenchmarkA 1000 $((1000 + run)) ns/op"; done >../go.txt
	printf 'main;a %s\nmain;b 300\n' "$count" >../samples.folded
	perun import --workload go ../go.txt >/dev/null
	perun import --workload samples ../samples.folded >/dev/null
done
for command in 'check head' 'check all' 'ci HEAD~1'; do
	run perun $command
	expect_out 'undecided: 1 metric (a samples): '
	expect_out 'measured once: 10 runs or more would show smaller changes (run it again: all profiles of a version count)'
done

# What a program repeats has no p.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for n in 1 2 3 4; do
	at $n && commit "change $n"
	printf 'BenchmarkA-8 1000 100 ns/op %d B/op\n' $((n < 3 ? 592 : 8272)) >../bytes.txt
	"$PERUN" import ../bytes.txt >/dev/null
done
expect_status 1 perun ci --explain HEAD~2 HEAD~1
expect_out 'the history shows the change: medians 592 B/op and 8272 B/op'
expect_no_out 'nan'

# A few single runs: what one benchmark moved down by, the machine moves others up by.
moved() { # VALUE...
	cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
	at 1 && commit 'change 1'
	go_results ../one.txt x/p 1000 1000
	printf 'BenchmarkC-8 \t 1000\t 1000 ns/op\nBenchmarkD-8 \t 1000\t 1000 ns/op\n' >>../one.txt
	"$PERUN" import ../one.txt >/dev/null
	at 2 && commit 'change 2'
	go_results ../two.txt x/p "$1" "$2"
	printf 'BenchmarkC-8 \t 1000\t %s ns/op\nBenchmarkD-8 \t 1000\t %s ns/op\n' "$3" "$4" >>../two.txt
	"$PERUN" import ../two.txt >/dev/null
}
moved 1530 1360 710 1000
for command in 'check head' 'check all' 'ci HEAD~1 HEAD'; do
	expect_status 0 perun $command
	check "undecided: $command" grep -q undecided <<<"$out"
done
moved 1600 1360 710 1000
for command in 'check --json head' 'check --json all' 'ci --json HEAD~1 HEAD'; do
	expect_status 1 perun $command
	expect_json '[c["location"] for c in d["changes"] if c["result"] == "Degradation"]' "['x/p.BenchmarkA-8']"
done

for command in 'log --explain -n 1' 'status --explain'; do
	run perun $command
	expect_out 'measured: 1 version before and 1 from here on, 1 and 1 runs; shift 600 ns in ['
	expect_out 'assumed: 1 run of an unchanged program differs by less than'
done

# Of rates a fall by three quarters is as far as a time that takes four times as long, however far the machine moves others.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for n in 1 2; do
	at $n && commit "change $n"
	python3 - $n >../rates.json <<'PYTHON'
import json, sys
moved = [.66, .68, .7, .73, .75, .79, .82, .85, .88, .9, .95, .99, 1, 1.02, .25]
rates = [1000 * (factor if sys.argv[1] == "2" else 1) for factor in moved]
print(json.dumps([{"benchmark": f"x.A.run{i}", "mode": "thrpt", "primaryMetric": {"score": rate, "scoreUnit": "ops/ms", "rawData": [[rate]]}} for i, rate in enumerate(rates)]))
PYTHON
	"$PERUN" import -w all ../rates.json >/dev/null
done
for command in 'check --json head' 'check --json all' 'ci --json HEAD~1 HEAD'; do
	expect_status 1 perun $command
	expect_json '[c["location"] for c in d["changes"] if c["result"] == "Degradation"]' "['x.A.run14']"
done

# Where eight move together by a tenth, or by a fifth with deviations of a hundredth, that is the machine's.
together() { # DEVIATION FACTOR...
	cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
	for n in 1 2; do
		at $n && commit "change $n"
		python3 - $n "$@" >../together.json <<'PYTHON'
import json, sys
print(json.dumps([{"name": f"b{i}", "unit": "ns", "value": 1000 * (float(factor) if sys.argv[1] == "2" else 1), **({"range": "± " + sys.argv[2]} if sys.argv[2] != "-" else {})} for i, factor in enumerate(sys.argv[3:])]))
PYTHON
		"$PERUN" import -w all ../together.json >/dev/null
	done
	slower=$("$PERUN" check --json head | python3 -c 'import json, sys; print(*[c["location"] for c in json.load(sys.stdin)["changes"] if c["result"] == "Degradation"])')
	expect_text "$slower" "$("$PERUN" check --json all | python3 -c 'import json, sys; print(*[c["location"] for c in json.load(sys.stdin)["changes"] if c["result"] == "Degradation"])')" "moved together: $*"
}
together - 1.08 1.09 1.1 1.1 1.11 1.12 1.13 1.38
expect_text '' "$slower" 'one of a few that moved together'
together - 1 1.01 .99 1 1.01 .99 1 1.38
expect_text b7 "$slower" 'one of a few that stayed'
together 10 1.19 1.2 1.21 1.22 1.23 1.2 1.21 1.22
expect_text '' "$slower" 'deviations, and all moved together'
together 10 1 1.01 .99 1 1.01 .99 1 1.22
expect_text b7 "$slower" 'deviations, and one moved'
together 10 1.22
expect_text b0 "$slower" 'deviations, and there is one'
together 10 3 3 3 3 3 3 3 3
expect_text 'b0 b1 b2 b3 b4 b5 b6 b7' "$slower" 'all three times as slow'

# A load that a file states explains a real time that its processor time does not share, however many runs there are.
waiting() { # LOAD
	cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
	for n in 1 2; do
		at $n && commit "change $n"
		python3 - $n "$1" >../waits.json <<'PYTHON'
import json, sys
second, load = sys.argv[1] == "2", float(sys.argv[2])
runs = [dict(name="BM_a", run_name="BM_a", run_type="iteration", iterations=9, real_time=(300 if second else 100) + i / 10, cpu_time=99 + i / 10, time_unit="us") for i in range(6)]
print(json.dumps({"context": {"num_cpus": 2, "host_name": "h", "library_build_type": "release", "load_avg": [load if second else .1, .1, .1]}, "benchmarks": runs}))
PYTHON
		"$PERUN" import -w all ../waits.json >/dev/null
	done
}
waiting .2
for command in 'check --json head' 'check --json all' 'ci --json HEAD~1 HEAD'; do
	expect_status 1 perun $command
done
waiting 14
for command in 'check head' 'check all' 'ci HEAD~1 HEAD'; do
	expect_status 0 perun $command
	check "$command: undecided under a stated load" grep -q undecided <<<"$out"
done

# Allocations that go up and down from version to version are not repeated exactly; those that stay are.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
n=0
for allocs in 63863 64417 62964 63897 62782 63450 62043 62104 64452 60930 64172; do
	n=$((n + 1))
	at $n && commit "change $n"
	printf 'BenchmarkA-8 \t 58\t 1000 ns/op\t %s allocs/op\nBenchmarkB-8 \t 58\t 1000 ns/op\t %s allocs/op\n' $allocs $((n < 11 ? 100 : 101)) >../allocs.txt
	"$PERUN" import -w all ../allocs.txt >/dev/null
done
for command in 'check --json head' 'check --json all' 'ci --json HEAD~1 HEAD'; do
	expect_status 1 perun $command
	expect_json '[c["location"] for c in d["changes"] if c["result"] in ("Degradation", "Optimization")]' "['BenchmarkB-8']"
done

# What a single run shows, and the next version does not bear out, no later command reports.
moved 1000 705 690 1350
at 3 && commit 'change 3'
go_results ../three.txt x/p 1000 920
printf 'BenchmarkC-8 \t 1000\t 700 ns/op\nBenchmarkD-8 \t 1000\t 1010 ns/op\n' >>../three.txt
"$PERUN" import ../three.txt >/dev/null
for command in 'check all' 'check head HEAD~1'; do
	run perun $command --json
	expect_json '[c["location"] for c in d["changes"] if c["result"] in ("Degradation", "Optimization")]' '[]'
done

# New, gone for good, failed; and what to do for more certainty.
at 4 && commit 'change 4'
printf 'goos: linux\ngoarch: amd64\npkg: x/p\nBenchmarkA-8 \t 1000\t 1000 ns/op\nBenchmarkE-8 \t 1000\t 700 ns/op\n--- FAIL: BenchmarkD\n    x_test.go:9: no\nFAIL\n' >../four.txt
"$PERUN" import ../four.txt >/dev/null 2>&1
for command in 'check --json head' 'check --json all'; do
	run perun $command
	expect_json 'sorted((c["location"][13:], c["result"]) for c in d["changes"] if c["minor_version"] == "'"$(head_of)"'")' \
		"[('B-8', 'NotInTarget'), ('C-8', 'NotInTarget'), ('D-8', 'Unknown'), ('E-8', 'NotInBaseline')]"
done
run perun check all
expect_out 'measured once: 10 runs or more would show smaller changes (go test -count 10)'
expect_status 0 perun status
expect_out '0 slower, 0 faster' 'what is new, gone or failed is found'
expect_no_out 'no changes found'

# A metric that all benchmarks have got, or lost, is new, or gone, and a benchmark that is gone is not undecided.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for version in 1 2 3 4 5; do
	commit "$version"
	for run in 1 2 3 4 5 6; do
		for name in A B C; do
			[ $version$name != 5C ] || continue
			wild=0
			[ $name != C ] || wild=$((run % 2 * 700))
			[ $version = 1 ] || [ $version = 5 ] && bytes= || bytes='64 B/op'
			echo "Benchmark$name 1000 $((1000 + run + wild)) ns/op $bytes"
		done
	done >../metrics.txt
	"$PERUN" import --from go-bench -w all ../metrics.txt >/dev/null
done
for version in HEAD~3 HEAD; do
	for command in "check --json head $version" 'check --json all'; do
		run perun $command
		expect_json 'sorted((c["location"], c["metric"], c["result"]) for c in d["changes"] if "NotIn" in c["result"] and
			c["minor_version"] == "'"$(git rev-parse $version)"'")' \
			"$([ $version = HEAD ] && echo "[('BenchmarkA', 'B/op', 'NotInTarget'), ('BenchmarkB', 'B/op', 'NotInTarget'), ('BenchmarkC', 'B/op', 'NotInTarget'), ('BenchmarkC', 'time(real)', 'NotInTarget')]" ||
				echo "[('BenchmarkA', 'B/op', 'NotInBaseline'), ('BenchmarkB', 'B/op', 'NotInBaseline'), ('BenchmarkC', 'B/op', 'NotInBaseline')]")"
	done
done
for command in 'check all' 'check head'; do
	run perun $command
	expect_out 'no change in 2 metrics'
	expect_no_out 'undecided'
done

# Half of many benchmarks are slower: the other half shows how runs differ, its outliers do not.
many() { # FILE FACTOR
	awk -v factor="$2" 'BEGIN { print "goos: linux\ngoarch: amd64\npkg: x/p"
		for (i = 0; i < 30; i++) {
			noise = factor == 1 ? 1 : i % 10 == 3 ? .9 : i % 10 == 8 ? 1.2 : 1 + (i % 7 - 3) / 100
			printf "Benchmark%c-8 \t 1000\t %.1f ns/op\n", 65 + i % 26 + int(i / 26) * 32, 1000 * noise * (i % 2 ? factor : 1) }
		print "PASS" }' >"$1"
}
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
at 1 && commit 'change 1'
many ../one.txt 1 && "$PERUN" import ../one.txt >/dev/null
at 2 && commit 'change 2'
many ../two.txt 1.8 && "$PERUN" import ../two.txt >/dev/null
for command in 'check --json head' 'check --json all'; do
	expect_status 1 perun $command
	expect_json 'len([c for c in d["changes"] if c["result"] == "Degradation"]), len([c for c in d["changes"] if c["result"] == "Optimization"])' '(15, 0)'
done

# Two versions alone: one p and one interval from every command.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for level in 1000 1040; do
	commit "$level"
	awk -v level="$level" 'BEGIN { print "pkg: x"; for (i = 0; i < 10; i++) for (b = 0; b < 8; b++)
		printf "Benchmark%d-2 1000 %.1f ns/op\n", b, (b == 2 ? level : 1000) + (i * 7 + b) % 10 * 3; print "PASS" }' |
		"$PERUN" import -w all - >/dev/null 2>&1
done
for command in 'check head' 'check all' 'ci HEAD~1 HEAD'; do
	run perun $command
	expect_text 1 "$(grep -c slower.*Benchmark "$work/.result/stdout")" "perun $command finds it"
	grep -o 'slower  *x.*p [<=] [^ ]*' "$work/.result/stdout" >"$work/said-$(echo "$command" | tr ' ' -)"
	cmp -s "$work/said-check-head" "$work/said-$(echo "$command" | tr ' ' -)"
	expect_text 0 $? "perun $command has the p and the interval of check head"
done

# Five runs that are apart show less of eight benchmarks than of one: check all promises no more than check head.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for level in 1000 1030; do
	commit "$level"
	awk -v level="$level" 'BEGIN { print "pkg: x"; for (i = 0; i < 5; i++) for (b = 0; b < 8; b++)
		printf "Benchmark%d-2 1000 %.1f ns/op\n", b, (b == 2 ? level : 1000) + (i * 7 + b) % 5 * 4; print "PASS" }' |
		"$PERUN" import -w all - >/dev/null 2>&1
done
for command in 'check --json head' 'check --json all'; do
	run perun $command
	expect_json '[c for c in d["changes"] if c["result"] == "Degradation"]' '[]'
done

# Histories that change all the time: check head says of each commit what check all says. Two runs, exact values, and
# costs of functions of which one is alone, gone for a while, or small beside what is gone.
changing() { # NAME LINE...: a commit for each, whose file the function NAME writes from the words of the line
	local name=$1 line
	cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
	for line in "${@:2}"; do
		commit "$line"
		$name $line >"../$name.out" && "$PERUN" import -w all "../$name.out" >/dev/null
	done
	"$PERUN" check --json all >../all || true
	for commit in $(git rev-list HEAD | head -n $(($# - 2))); do
		"$PERUN" check --json head "$commit" >"../$commit.head" || true
	done
	python3 - >../differing <<'PYTHON'
import glob, json
def said(changes, version):
    return {(c["metric"], c["location"], c["result"]) for c in changes if c["result"] not in ("NoChange", "Inconclusive") and c.get("minor_version", version) == version}
every = json.load(open("../all"))["changes"]
for name in glob.glob("../*.head"):
    version = name[3:-5]
    both = said(json.load(open(name))["changes"], version), said(every, version)
    if both[0] != both[1]:
        print(version[:8], "head", sorted(both[0] - both[1]), "all", sorted(both[1] - both[0]))
print(len(said(every, None) or every))
PYTHON
	rm -f ../*.head
}
twice() { # of each benchmark: ns, bytes; - = it is not there
	local n=0
	echo 'pkg: x'
	while [ $# -gt 0 ]; do
		[ "$1" = - ] || printf "Benchmark$n-8 1 %d ns/op $2 B/op\n" "$1" $(($1 * 101 / 100))
		n=$((n + 1)) && shift 2
	done
}
# A busy machine moves single runs by several times, and buffers that grow make bytes differ: nothing changed.
busy() { # SEED SPREAD
	awk -v x="$1" -v spread="$2" 'function random() { x = x * 16807 % 2147483647; return x / 2147483647 }
	BEGIN { print "pkg: x"; for (n = 0; n < 26; n++) {
		noise = exp(spread * sqrt(-2 * log(random())) * cos(6.2831853 * random()) / sqrt(random() + .1))
		printf "Benchmark%d-8 1 %d ns/op %d B/op\n", n, 1000 * (n + 1) * noise, 1000 * (n + 1) * (1 + (n % 2) * random() / 40) } }'
}
changing busy '61 .8' '62 .8' '63 .8' '64 .8' '65 .8' '66 .8' '67 .8' '68 .8'
expect_text 0 "$(cat ../differing)" 'single runs of a busy machine'
costs() { # of each function; 0 = it is not there
	local n=0 cost
	printf 'version: 1\ncreator: callgrind\ncmd: ./w\npositions: line\nevents: Ir\n\n'
	for cost; do
		[ "$cost" = 0 ] || printf 'fn=f%d\n%d %d\n\n' $n $((n + 10)) "$cost"
		n=$((n + 1))
	done
}
changing twice '516 1515 18331 90' '358 1818 10614 90' '110 1818 31009 95' '106 2728 33345 95' '103 545 28680 90' '252 545 54715 90'
expect_text 9 "$(cat ../differing)" 'two runs of commits that all change'
# What one version lacks and a later one has again is compared with the last one that had it.
changing twice '500 10 900 20' '501 10 902 20' '499 10' '502 10 1800 20' '500 10 1790 20 40 5' '501 10 1795 20'
expect_text 5 "$(cat ../differing)" 'benchmarks that come and go'
run perun check head HEAD~2
expect_out 'slower  x.Benchmark1-8  time(real)  905.5 ns'
run perun log --short
check 'its version has a mark' grep -q "^$(head_of HEAD~2 | cut -c1-6).* -" <<<"$out"
expect_status 1 perun ci HEAD~3 HEAD~2
changing costs 1772 1417 708 141 141
expect_text 3 "$(cat ../differing)" 'the costs of one function'
changing costs '36370 7362' '36370 11044' '36370 11044' '54555 11596' '54555 57983' '54555 0'
expect_text 8 "$(cat ../differing)" 'the costs of a function that goes'
changing costs '168 97942 519' '168 0 519' '202 0 519'
expect_text 4 "$(cat ../differing)" 'a function that is small beside what is gone'

# The advice is that of the tool whose runs are few, whatever else was measured.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for level in 1000 1010; do
	commit "$level"
	printf 'pkg: x\nBenchmarkA-2 1000 %s ns/op\nPASS\n' "$level" | "$PERUN" import -w all - >/dev/null 2>&1
	printf 'main;work 100\nmain 20\n' >../stacks.folded
	"$PERUN" import ../stacks.folded >/dev/null
done
run perun check all
expect_out '(go test -count 10)'

# Times and rates of a benchmark are one change: on the pages as in the lists.
cd "$work" && rm -rf repo out && new_repo && perun init >/dev/null
benchmark() { # NAME NANOSECONDS, of 4,000 bytes
	printf '{"name": "%s", "run_name": "%s", "run_type": "iteration", "iterations": 9, ' "$1" "$1"
	printf '"real_time": %s, "cpu_time": %s.5, "time_unit": "ns", "bytes_per_second": %s}' "$2" "$2" \
		"$(awk "BEGIN { print 4e12 / ($2 + .5) }")"
}
for nanoseconds in 7000 7010 7005 21000 21010 21005; do
	commit "$nanoseconds"
	printf '{"context": {"executable": "./bench"}, "benchmarks": [%s,%s,%s]}' "$(benchmark join $nanoseconds)" \
		"$(benchmark sort 90000)" "$(benchmark sort 90010)" >../results.json
	"$PERUN" import -w all ../results.json >/dev/null
done
run perun check all
expect_out '1 slower, 0 faster'
expect_status 0 perun site ../out
expect_text 1 "$(grep -c '"place"' ../out/data/changes.js)" 'changes on the pages'
check 'and it is the real time' grep -q '"place":"join","at":4,' ../out/data/changes.js
check 'the others have their colour' test "$(grep -c '"place":"join","at":4}' ../out/data/said.js)" -ge 1
expect_text 1 "$(grep -c 'class="narrow worse"' "../out/version/$(head_of HEAD~2).html")" 'changes on the page of the version'
# Of commits that were measured the one that did it is named, by ci as by check all.
guilty=$(head_of HEAD~2 | cut -c1-8)
run perun ci HEAD~5 HEAD
expect_out "changed by these of the 5 commits:
  $guilty 21000 (join time(real))"
check 'no other commit' test "$(grep -c '^  [0-9a-f]\{8\} ' <<<"$out")" = 1
run perun ci --format markdown HEAD~5 HEAD
expect_out "Changed by these of the 5 commits:

- $guilty 21000: join time(real)"
check 'no other commit in Markdown' test "$(grep -c '^- [0-9a-f]\{8\} ' <<<"$out")" = 1
run perun ci HEAD~3 HEAD
check 'one commit alone' grep -q "^changed by these of the 3 commits" <<<"$out"
# What the latest version is compared with, of a sum, is as its parts moved it.
check 'the level of all benchmarks' python3 - ../out/data/catalog.js <<'PYTHON'
import json, re, sys
catalog = json.loads(re.sub(r'^perun\("catalog",|\);\s*$', "", open(sys.argv[1]).read()))
real = next(metric for metric in catalog["metrics"] if metric["metric"] == "time(real)")
sys.exit(not abs(real["before"] / real["last"] - 1) < .01)
PYTHON
run perun history bytes_per_second
expect_out ' 571.4 MB/s '
# The mean of seconds and bytes is none, and less of a rate is slower.
run perun check --method average-amount-threshold head HEAD~2
expect_out 'slower  join  time  '
expect_out '1 slower, 0 faster'
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for rate in 3000 750; do
	commit "$rate"
	printf '[{"name": "parse", "unit": "ops/sec", "value": %d}]' "$rate" >../rate.json
	"$PERUN" import --from custom-benchmark -w all ../rate.json >/dev/null
done
run perun check --method average-amount-threshold head
expect_out 'slower  parse'

# Rows of an experiment at one point are repeats, not parts of a sum, and ci names a case as check all does.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for factor in 1 1 1 2 2; do
	commit "$factor"
	{
		printf 'PARAMETER p\nPOINTS 4 8\nMETRIC time\nREGION main->solve\n'
		for p in 4 8; do echo "DATA $((10 * p * factor)) $((10 * p * factor + 1)) $((10 * p * factor + 2))"; done
		printf 'REGION main->io\nDATA 50 51 52\nDATA 50 51 52\n'
	} >../experiment.txt
	"$PERUN" import -w all ../experiment.txt >/dev/null
done
guilty=$(head_of HEAD~1 | cut -c1-8)
for command in 'check all' 'check head HEAD~1' 'ci HEAD~4 HEAD'; do
	expect_status 1 perun $command
	expect_out 'time  41 → 81 '
	expect_out '$ all'
done
expect_out "$guilty 2 (solve with p=4 time, solve with p=8 time)"
run perun check --json all
expect_json 'sorted({c["command"] for c in d["changes"]})' "['all (p=4)', 'all (p=8)']"

# What few runs leave undecided stays so, however many others are compared: by the history as by two versions.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for version in 1 2; do
	commit "$version"
	for n in 0 1 2 3 4 5 6 7 8; do
		ns=1000
		[ "$version$n" != 28 ] || ns=1120
		[ $version = 1 ] || ns=$((ns + n % 3))
		echo "Benchmark$n 1000 $ns ns/op"
	done >../few.txt
	"$PERUN" import --from go-bench -w all ../few.txt >/dev/null
done
for command in 'check --unchanged --json all' 'check --unchanged --json head' 'ci --json HEAD~1 HEAD'; do
	run perun $command
	expect_json 'sorted((c["location"], c["result"]) for c in d["changes"] if c["result"] != "NoChange")' \
		"[('Benchmark8', 'Inconclusive')]"
done

# How many runs would settle it is not stored: status promises nothing that a check may deny.
perun check head >/dev/null
run perun status
expect_out 'undecided: 1 metric (Benchmark8 time(real)): more runs, or a quieter machine, may settle it'

# A difference below 1 % does not count, however certain it is: it is no change, and not undecided.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for ns in 1000 1004; do
	commit "$ns"
	for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		echo "BenchmarkA 1000 $ns.$((run * 7 % 10)) ns/op"
	done >../small.txt
	"$PERUN" import --from go-bench -w all ../small.txt >/dev/null
done
for command in 'check --unchanged --json all' 'check --unchanged --json head' 'ci --json HEAD~1 HEAD'; do
	run perun $command
	expect_json '[c["result"] for c in d["changes"]]' "['NoChange']"
done

# Sessions of a version are in one order everywhere: how neighbouring runs correlate says what is decided.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
session() { # NAME NS...: a profile of the head
	printf 'BenchmarkA 1000 %d ns/op\n' "${@:2}" >"../$1.txt"
	"$PERUN" import --from go-bench -w all "../$1.txt" >/dev/null
}
commit 'two sessions'
session first 1000 1024 1048 1027 1051 1030
session second 1008 1018 1028 993 1003 968
commit 'one'
session third 1004 1026 1048 1025 1047 1024
for command in 'check --unchanged --json all' 'check --unchanged --json head' 'ci --json HEAD~1 HEAD'; do
	run perun $command
	expect_json '[c["result"] for c in d["changes"]]' "['NoChange']"
done

# What was said of a commit is not about what is counted at the next one; what is known counts apart.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for levels in '1000 5' '1000 5' '3000 5' '3000 9' '3000 9'; do
	commit "$levels"
	for run in 1 2 3 4 5 6; do echo "BenchmarkA 1000 $((${levels% *} + run)) ns/op ${levels#* } allocs/op"; done >../go.txt
	"$PERUN" import --workload go ../go.txt >/dev/null
done
perun changes ack HEAD~2 --reason 'does more' >/dev/null
expect_status 1 perun check --json all
expect_json '[(c["type"], c["known"]) for c in d["changes"]]' "[('allocs/op', None), ('time(real)', 'does more')]"
expect_status 1 perun check all
expect_out '1 worse, 0 better, 1 known change'
expect_status 1 perun check head HEAD~1
expect_status 0 perun check head HEAD~2
expect_out '0 slower, 0 faster, 1 known change'

finish
