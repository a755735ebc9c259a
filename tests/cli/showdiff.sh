# SPDX-License-Identifier: BSD-3-Clause
# perun showdiff: two files, two versions, and the view report.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/stacks-lib.sh"

base_stacks='main;run;compute;inner 120
main;other;inner 7
main;run;compute 40
main;run;vec<int>::push_back(int);operator new(unsigned long) 30
main;io;read 10
main;io 7
main 1'
new_stacks='main;run;compute;inner 200
main;run;compute 38
main;run;vec<int>::push_back(int);operator new(unsigned long) 30
main;io;write 10
main;io 3
main 2'
printf '%s\n' "$base_stacks" | stack_profile a.perf
printf '%s\n' "$new_stacks" | stack_profile b.perf

# How often Perun's own collector took samples is known, too.
for side in a b; do sed '1s/{/{"cpu": {"period": 1000000}, /' $side.perf >own-$side.perf; done
expect_status 0 perun showdiff own-a.perf own-b.perf
expect_out 'no larger than sampling makes by chance'

# ---- files -----------------------------------------------------------------------------------

export COLUMNS=80
expect_status 0 perun showdiff a.perf b.perf
expect_text 'time of a.perf and b.perf: 215 ms, now 283 ms (+31.6 %)

6 functions explain 100.0 % of what changed: +84.0 ms and -16.0 ms in all.

  change  of changes  of itself     base      new  function
What grew
+73.0 ms      73.0 %    +57.5 %   127 ms   200 ms  inner
                                                   by compute +80.0 ms, 1 more
+10.0 ms      10.0 %        new        0  10.0 ms  write
                                                   by io
+1.00 ms       1.0 %   +100.0 %  1.00 ms  2.00 ms  main
                                                   as the root

What shrank
-10.0 ms      10.0 %       gone  10.0 ms        0  read
                                                   by io
-4.00 ms       4.0 %    -57.1 %  7.00 ms  3.00 ms  io
                                                   by main
-2.00 ms       2.0 %     -5.0 %  40.0 ms  38.0 ms  compute
                                                   by run

The call path of the largest change
  main → run → compute → inner

Remarks
- How much the values scatter from run to run is not known: the profiles do not
  say how often samples were taken.' "$out" 'report at 80 columns'
expect_status 0 env COLUMNS=40 LC_ALL=C "$PERUN" showdiff a.perf b.perf report -n 1
expect_text 'time of a.perf and b.perf: 215 ms, now 283 ms (+31.6 %)

1 function explains 73.0 % of what changed: +84.0 ms and -16.0 ms in all.

  change  of itself  function
What grew
+73.0 ms    +57.5 %  inner
                     by compute, 1 more

5 more functions changed; --limit 0 names all

The call path of the largest change
  main > run > compute > inner

Remarks
- How much the values scatter from run
  to run is not known: the profiles do
  not say how often samples were taken.' "$out" 'report at 40 columns in ASCII'
expect_status 0 perun showdiff -o change.md a.perf b.perf report -n 3
expect_text 'time of a.perf and b.perf: 215 ms, now 283 ms (+31.6 %)

3 functions explain 93.0 % of what changed: +84.0 ms and -16.0 ms in all.

## What grew

| function | change | of changes | of itself | base | new | called by |
|:--|--:|--:|--:|--:|--:|:--|
| `inner` | +73.0 ms | 73.0 % | +57.5 % | 127 ms | 200 ms | compute +80.0 ms, other -7.00 ms |
| `write` | +10.0 ms | 10.0 % | new | 0 | 10.0 ms | io |

## What shrank

| function | change | of changes | of itself | base | new | called by |
|:--|--:|--:|--:|--:|--:|:--|
| `read` | -10.0 ms | 10.0 % | gone | 10.0 ms | 0 | io |

3 more functions changed; --limit 0 names all

## The call path of the largest change

`main` → `run` → `compute` → `inner`

## Remarks

- How much the values scatter from run to run is not known: the profiles do not say how often samples were taken.' \
	"$(cat change.md)" 'report as Markdown'
expect_status 0 perun showdiff --json a.perf b.perf report -n 1
for key in view base new metric unit by base_total new_total base_factor grown shrunk functions others \
	metrics remarks; do
	check "JSON: $key" grep -q "^ \"$key\": " "$work/.result/stdout"
done
described_keys report
check 'JSON: callers' grep -q '"name": "compute",' "$work/.result/stdout"
expect_status 0 perun showdiff a.perf a.perf
expect_out 'No function changed.'
expect_status 0 perun showdiff a.perf b.perf report --normalize
expect_out 'The base was scaled by 1.316'
expect_status 2 perun showdiff a.perf b.perf tree
expect_err 'the view tree takes one profile, got 2'
expect_status 3 perun showdiff a.perf missing.perf
expect_err 'no profile missing.perf: there is no such file, and no store here to look in'

# Units convert; what chance gives is said to be so; metrics that only one has are named.
sed 's/"time": "ms"/"time": "us"/; s/"amount": \([0-9]*\)/"amount": \1000/g' a.perf >us.perf
expect_status 0 perun showdiff us.perf b.perf report -n 1
expect_out '+73.0 ms'
expect_out '- The base is measured in us, the new profile in ms; it was converted.'
sed 's/"time": "ms"/"time": "fathoms"/' a.perf >fathoms.perf
expect_status 3 perun showdiff fathoms.perf b.perf
expect_err 'time is measured in fathoms in fathoms.perf, but in ms in b.perf: these do not convert'
for file in a b; do
	sed 's/"header": {/"header": {"period": 1, "period_type": {"type": "cpu", "unit": "ms"}, /' \
		$file.perf >sampled-$file.perf
done
expect_status 0 perun showdiff sampled-a.perf sampled-b.perf
expect_out '~ by run'
expect_out '3 of these 6 changes are no larger than sampling makes by chance'
sed 's/"type": "time"/"type": "fuel"/' a.perf >fuel.perf
expect_status 3 perun showdiff fuel.perf b.perf
expect_err 'the profiles have no metric in common: fuel.perf has fuel, b.perf has time'

# ---- versions ----------------------------------------------------------------------------------

new_repo project
run perun init
commit second
cp ../a.perf kept.perf # add takes the file away
run perun add -m HEAD~1 ../a.perf
run perun add -m HEAD ../b.perf
run perun add -f -m HEAD~1 --keep-profile kept.perf
expect_status 0 perun showdiff HEAD~1 HEAD report -n 1
expect_out 'time of HEAD~1 (mean of 2) and HEAD: 215 ms, now 283 ms (+31.6 %)'
expect_status 0 perun showdiff HEAD~1^0@i HEAD^0@i top -n 1
expect_out 'time of HEAD~1^0@i and HEAD^0@i'
expect_status 0 perun showdiff kept.perf HEAD report -n 1
expect_out 'time of kept.perf and HEAD'
for command in ./other ./third; do
	sed "s|\"./a\"|\"$command\"|" kept.perf >x.perf
	run perun add -f -m HEAD --keep-profile x.perf
done
run perun add -f -m HEAD~1 --keep-profile x.perf
expect_status 0 perun showdiff HEAD~1 HEAD top -n 1
expect_out '[./a (time, collected by x)]'
expect_out '[./third (time, collected by x)]'
expect_err 'only HEAD has: ./other (time, collected by x)'
expect_status 2 perun showdiff --json HEAD~1 HEAD top
expect_err '2 pairs of profiles are alike'
commit third
expect_status 3 perun showdiff HEAD~1 HEAD
expect_err 'version HEAD has no profiles: measure it with perun run -m HEAD'
expect_status 3 perun showdiff HEAD~1 nothing
expect_err 'no profile nothing: neither a tag, nor registered, nor a file, nor pending'
sed 's|"./a"|"./b"|' kept.perf >x.perf
run perun add -f -m HEAD --keep-profile x.perf
expect_status 3 perun showdiff HEAD~2 HEAD
expect_err 'HEAD~2 and HEAD have no profiles of the same kind: HEAD~2 measured ./'
expect_err 'HEAD measured ./b (time, collected by x)'
# Of several pairs, a picture is of the one that has stacks.
for count in 1 3; do
	commit "$count more"
	printf 'main;f %d\n' "$count" >s.folded
	printf '{"header":{"type":"time","cmd":"./n","units":{"time":"s"}},"collector_info":{"name":"x"},"global":{"resources":[{"amount":%d,"uid":"f","type":"time"}]}}' "$count" >n.perf
	run perun add -f --keep-profile s.folded n.perf
done
expect_status 0 perun showdiff --json HEAD~1 HEAD top
expect_err 'which has stacks; HEAD~1^0@i names others'
expect_out '"f"'

# --merge: the sums of all profiles of each side, those of a version by what they measured.
for count in 1 2 3; do
	printf 'main;f %d\n' "$count" >"more-$count.folded"
	run perun add -f --keep-profile "more-$count.folded"
	sed "s/\"amount\":[0-9]*/\"amount\":$count/" n.perf >"n-$count.perf"
	run perun add -f --keep-profile "n-$count.perf"
done
expect_status 0 perun showdiff --merge 'more-[12].folded' 'more-*.folded' short
expect_out 'more-[12].folded and more-*.folded: 3, now 6'
expect_status 0 perun showdiff --merge HEAD~1 HEAD short
expect_out 'time of HEAD~1 and HEAD'
expect_out 'HEAD (sum of 4): 1, now 9'
# Without it what they have on average, as in checks; of those without stacks the newest.
expect_status 0 perun showdiff HEAD~1 HEAD short
expect_out 'HEAD (mean of 4): 1, now 2.25'
expect_err 'HEAD: the newest of 4 profiles'
expect_status 0 perun showdiff --json HEAD~1 HEAD^0@i report
expect_no_out 'mean of'
# Repeated measurements are all of them, as if one profile had them; as in the history.
for side in 1 2; do
	commit "timed $side"
	for copy in 1 2 3; do
		awk -v side="$side" -v copy="$copy" 'BEGIN {
			printf "{\"header\":{\"type\":\"time\",\"cmd\":\"./t\",\"units\":{\"time\":\"s\"}},\"collector_info\":{\"name\":\"time\"},\"global\":{\"resources\":["
			for (run = 1; run <= 3; run++)
				printf "%s{\"amount\":%d,\"uid\":\"t\",\"type\":\"time\",\"subtype\":\"real\",\"order\":%d}", (run > 1 ? "," : ""), side * (copy == 3 ? 900 : 100 + copy + run), run
			print "]}}" }' >"timed-$copy.perf"
		run perun add -f "timed-$copy.perf"
	done
done
expect_status 0 perun showdiff HEAD~1 HEAD
expect_out 'time(real) of HEAD~1 and HEAD: 104 s, now 208 s (+100.0 %)'
expect_out 'median of 9 runs'
expect_no_err 'newest'
expect_status 0 perun history --json 'time(real)'
expect_out '"median": 208'
expect_status 0 perun showdiff HEAD~1^0@i HEAD^2@i
expect_out 'median of 3 runs'
# Chance makes less in the mean of nine profiles than in one, where three of the changes are no larger.
for side in a b; do
	commit "sampled $side"
	for copy in 1 2 3 4 5 6 7 8 9; do
		sed 's/"period": 1,/"period": 1000,/; s/"unit": "ms"/"unit": "us"/' "../sampled-$side.perf" >"copy-$copy.perf"
		run perun add -f "copy-$copy.perf"
	done
done
expect_status 0 perun showdiff HEAD~1 HEAD
expect_out 'time of HEAD~1 (mean of 9) and HEAD (mean of 9): 215 ms, now 283 ms'
expect_out '2 of these 6 changes are no larger than sampling makes by chance'
expect_status 2 perun showdiff 0@i-1@i s.folded
expect_err '0@i-1@i names several profiles; --merge compares their sum'
expect_status 3 perun showdiff --merge 'n-*.perf' s.folded
expect_err 'n-1.perf has no stacks to merge'
expect_status 3 perun showdiff --merge 'none-*.perf' s.folded
# So it is of Perun's own collector, whose period no merge has.
for side in a b; do
	commit "own $side"
	for copy in 1 2 3 4 5 6 7 8 9; do
		sed "1s/\"workload\": \"\"/\"workload\": \"\", \"copy\": $copy/" "../own-$side.perf" >"own-$copy.perf"
		run perun add -f "own-$copy.perf"
	done
done
expect_status 0 perun showdiff HEAD~1 HEAD
expect_out '2 of these 6 changes are no larger than sampling makes by chance'
# What a program repeats exactly does not scatter at all.
sed 's/"time"/"instructions"/g; s/"ms"/""/' ../a.perf >exact-a.perf
sed 's/"time"/"instructions"/g; s/"ms"/""/' ../b.perf >exact-b.perf
expect_status 0 perun showdiff exact-a.perf exact-b.perf
expect_out 'instructions of exact-a.perf and exact-b.perf: 215'
expect_no_out 'from run to run is not known'

# ---- the profiles of README.md ---------------------------------------------------------------

cd "$work/here" || exit 1
# shown COMMAND: what is below it in README.md.
shown() {
	awk -v command="$ $1" '$0 == command { on = 1; next } /^\$ / || /^```/ { on = 0 } on' \
		"$top_srcdir/README.md"
}
shown 'cat before.folded' >before.folded
shown 'cat after.folded' >after.folded
check 'README.md has profiles' test -s before.folded -a -s after.folded

# ---- paths of recursions -----------------------------------------------------------------------

for times in 3 600; do
	stack=$(printf "%${times}s" '' | sed 's/ /walk;/g')
	printf 'main;%sleaf 10\n' "$stack" >before.folded
	printf 'main;%sleaf 15\n' "$stack" >after.folded
	expect_status 0 perun showdiff before.folded after.folded report
	case $times in
	3) expect_out '  main → walk (3 times) → leaf' ;;
	*) expect_out '  ... → walk (511 times) → leaf' ;;
	esac
done
expect_status 0 perun showdiff --json before.folded after.folded report
expect_text 511 "$(printf "%s\n" "$out" | grep -c "^ *\"walk\",\$")" "at most 512 names as JSON"

# ---- what the report says of memory, of repeated measurements, of models ----------------------

python3 - <<'PYTHON'
import json
def write(name, kind, unit, **more):
    json.dump({"header": {"type": kind, "cmd": "c", "workload": "w", "units": {kind: unit}}, "collector_info": {"name": "c", "params": {}},
               "postprocessors": [], **more}, open(name, "w"))
for k in (1, 2):
    uid = {"function": "f", "source": "m.c", "line": 1}
    write(f"memory{k}.perf", "memory", "B", snapshots=[{"time": "1", "resources": [
        {"amount": a * k, "uid": uid, "trace": [uid], "type": "memory", "subtype": s, "address": 1}
        for s, a in (("malloc", 100), ("calloc", 300), ("free", 50))]}])
    write(f"times{k}.perf", "time", "s", runs=[{"number": i, "what": "x" * 50} for i in range(20)], **{"global": {"time": "1", "resources": [
        {"amount": k + i / 10, "uid": "c", "order": i, "structure-unit-size": i, "type": "time", "subtype": "real"} for i in range(20)]}})
PYTHON
expect_status 0 perun showdiff --json memory1.perf memory2.perf report
check 'all allocations are the first metric' python3 -c 'import json, sys
metrics = json.load(sys.stdin)["metrics"]
sys.exit([(m["name"], m["base"], m["new"]) for m in metrics][0] != ("memory", 400, 800))' <"$work/.result/stdout"
expect_status 0 perun showdiff times1.perf times2.perf report
check 'values that are repeated show how they scatter' test "$out" = "${out#*is not known}"
# The page has a map of what each function costs itself: new ones, gone ones and the rest.
expect_status 0 perun showdiff -o map.html a.perf b.perf report
python3 - <<'PYTHON' >map.txt
import re
page, whole = open("map.html").read(), 0
for kind, x, y, width, height, name in re.findall(
        r'<svg class="(\w+(?: more)?)" x="([\d.]+)%" y="([\d.]+)%" width="([\d.]+)%" height="([\d.]+)%"><title>([^:<]*)', page):
    share = float(width) * float(height) / 100
    whole += share
    print(name, kind, round(share))
print("whole", round(whole))
PYTHON
expect_text 'inner up more 67 read gone 3 whole 100 write new 3' "$(grep -E '^(inner|write|read|whole)' map.txt | LC_ALL=C sort | xargs)" 'what they are'
expect_status 0 perun showdiff -o times.html times1.perf times2.perf report
check 'a long list is not spelt out' sh -c "! grep -q xxxxxxxxxx times.html"
for k in 1 2; do
	"$PERUN" postprocessby -o curves$k.perf times$k.perf regression-analysis -m full >/dev/null 2>&1
	"$PERUN" postprocessby -o models$k.perf curves$k.perf moving-average sma >/dev/null 2>&1
done
expect_status 0 perun showdiff -o models.html models1.perf models2.perf report
check 'formulas go before curves' sh -c "grep -q 'b0 = ' models.html && ! grep -q '<td>moving_average' models.html"

# Repeats of a measurement do not add up: medians are compared, however often each was measured.
repeated() { # FILE FACTOR RUNS
	python3 - "$@" <<'PYTHON'
import json, sys
file, factor, runs = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
rows, types = {}, {}
for i, (kind, level) in enumerate((("real", 6), ("user", 4))):
    rows[str(i)] = {"amount": [level * factor * (1 + .01 * (k - runs // 2)) for k in range(runs)], "order": list(range(1, runs + 1))}
    types[str(i)] = {"type": "time", "subtype": kind, "uid": "./prog"}
json.dump({"resources": rows, "resource_type_map": types, "models": [], "header": {"type": "time", "cmd": "./prog", "args": "",
           "workload": "", "units": {"time": "s"}}, "collector_info": {"name": "time", "params": {}}, "postprocessors": []}, open(file, "w"))
PYTHON
}
repeated "$work/ten.perf" 1 11
repeated "$work/five.perf" 1.5 5
for view in report short top table; do
	run perun showdiff "$work/ten.perf" "$work/five.perf" $view
	check "$view compares medians" grep -qE '6(\.00 s)? .*9(\.00 s)?( |$)|6\.00 s, now 9\.00 s \(\+50\.0 %\)' <<<"$out"
	check "$view adds nothing up" eval '! grep -qE "66|45(\.| )|110" <<<"$out"'
done
expect_status 0 perun showdiff "$work/ten.perf" "$work/five.perf" top
expect_out 'median of 11 runs ± 4.4 %, now median of 5 runs ± 1.5 %'
expect_status 0 perun show "$work/ten.perf" top
expect_out 'time(real) of ten.perf: 6.00 s, median of 11 runs'
expect_status 0 perun show "$work/ten.perf" bars
expect_out '6 s'

# A program that failed is measured as well; that is worth a remark.
for code in 3 '[0, 1]' 0; do
	python3 - "$work/ten.perf" "$code" >"$work/code.perf" <<'PYTHON'
import json, sys
profile = json.load(open(sys.argv[1]))
profile["header"]["exitcode"] = json.loads(sys.argv[2])
json.dump(profile, sys.stdout)
PYTHON
	expect_status 0 env COLUMNS=200 "$PERUN" showdiff "$work/ten.perf" "$work/code.perf" report
	case $code in
	3) expect_out 'code.perf: the program failed, with exit code 3.' ;;
	0) check 'success needs no words' test "$(printf '%s\n' "$out" | grep -c failed)" = 0 ;;
	*) expect_out 'code.perf: the program failed, with exit codes 0, 1.' ;;
	esac
done

# Profiles of the processor and of the heap that have one name, command and collector: each is compared with its own kind.
cat >"$work/kinds.py" <<'PYTHON'
import sys
scale, period, *metrics = sys.argv[1:]
def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)
def field(number, value):
    return varint(number << 3) + varint(value) if isinstance(value, int) else varint(number << 3 | 2) + varint(len(value)) + value
names = ["", *metrics, "main.a", "main.b"]
out = b"".join(field(1, field(1, i) + field(2, i + 1)) for i in range(1, len(metrics), 2))
for f in range(2):
    samples = (100 + 50 * f) * int(scale)
    out += field(2, field(1, varint(f + 1)) + field(2, varint(samples) + varint(samples * int(period))))
    out += field(4, field(1, f + 1) + field(4, field(1, f + 1))) + field(5, field(1, f + 1) + field(2, len(metrics) + 1 + f))
sys.stdout.buffer.write(out + b"".join(field(6, name.encode()) for name in names))
PYTHON
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for scale in 1 2; do
	commit "$scale"
	python3 ../kinds.py $scale 10000000 samples count cpu nanoseconds >../cpu.pprof
	python3 ../kinds.py $((scale * 2)) 524288 alloc_objects count alloc_space bytes >../heap.pprof
	"$PERUN" import -w all --cmd prog ../cpu.pprof >/dev/null
	"$PERUN" import -w all --cmd prog ../heap.pprof >/dev/null
done
expect_status 0 perun showdiff HEAD~1 HEAD short
expect_out '[prog all (mixed, collected by pprof): cpu]'
expect_out 'cpu of HEAD~1 and HEAD: 2.50 s, now 5.00 s (+100.0 %)'
expect_out '[prog all (mixed, collected by pprof): alloc_space]'
expect_out 'alloc_space of HEAD~1 and HEAD: 250 MiB, now 500 MiB (+100.0 %)'
expect_status 0 perun showdiff HEAD~1 heap.pprof short
expect_out 'alloc_space of HEAD~1 and heap.pprof: 250 MiB, now 500 MiB (+100.0 %)'
commit 'a heap profile alone'
perun import -w all --cmd prog ../heap.pprof >/dev/null
expect_status 0 perun showdiff HEAD~1 HEAD short
expect_out 'alloc_space of HEAD~1 and HEAD: 500 MiB, now 500 MiB (0.0 %)'
expect_err 'only HEAD~1 has: prog all (mixed, collected by pprof)'
# Of repeated measurements that is marked which runs differ by anyway.
cd "$work"
runs() { # FILE "VALUE... of A" "VALUE... of B"
	for value in $2; do printf 'BenchmarkA-2 100 %s ns/op\n' "$value"; done >"$1"
	for value in $3; do printf 'BenchmarkB-2 100 %s ns/op\n' "$value"; done >>"$1"
}
runs one.txt '1000 1010 1005 1008 1003 1001' '1000 1400 1200 1350 1100 1250'
runs two.txt '2000 2010 2005 2018 2009 2003' '1050 1380 1250 1340 1150 1260'
expect_status 0 perun showdiff one.txt two.txt
expect_out '1 of these 2 changes is no larger than runs differ by'
expect_no_out 'nothing is known of callers'
check 'it is the one whose runs scatter' eval 'grep -A1 BenchmarkB <<<"$out" | grep -q "~ runs differ by as much"'
check 'the other one is none' eval '! grep -A1 BenchmarkA <<<"$out" | grep -q "~"'
expect_status 0 perun showdiff --json one.txt two.txt
check 'JSON has it' grep -q '"noise": *true' <<<"$out"
expect_status 0 perun showdiff -o runs.html one.txt two.txt
check 'and the page' grep -q 'No larger than runs differ by' runs.html
finish
