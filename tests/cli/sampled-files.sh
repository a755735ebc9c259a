#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Files of samplers and timers at versions that did not change, and at one that did: what is chance in each kind.
. "${top_srcdir:-.}/tests/cli/lib.sh"

# ---- heap profiles, of which one allocation in 512 KiB is sampled --------------------------------

cat >"$work/heap.py" <<'PYTHON'
import random, sys
seed, grown, period = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
r = random.Random(seed)
def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)
def field(number, value):
    return varint(number << 3) + varint(value) if isinstance(value, int) else varint(number << 3 | 2) + varint(len(value)) + value
names = ["", "alloc_objects", "count", "alloc_space", "bytes", "space", *(f"main.f{i}" for i in range(12))]
out = field(1, field(1, 1) + field(2, 2)) + field(1, field(1, 3) + field(2, 4))
for f in range(12):
    size, bytes_ = 16 << f % 4, (40 + 20 * f) * 524288 * (grown if f == 3 else 1)
    if period > 1: # as many samples as chance has it, each for as many bytes
        samples = sum(1 for _ in range(int(bytes_ / 524288) * 20) if r.random() < .05)
        bytes_ = samples * 524288
    out += field(2, field(1, varint(f + 1)) + field(2, varint(int(bytes_ / size)) + varint(int(bytes_))))
    out += field(4, field(1, f + 1) + field(4, field(1, f + 1))) + field(5, field(1, f + 1) + field(2, 6 + f))
sys.stdout.buffer.write(out + b"".join(field(6, name.encode()) for name in names) + field(11, field(1, 5) + field(2, 4)) + field(12, period))
PYTHON
cd "$work" && new_repo && perun init >/dev/null
for n in 1 2 3 4 5 6; do
	commit "change $n"
	python3 ../heap.py $n 1 524288 >../heap.pprof
	"$PERUN" import -w all ../heap.pprof >/dev/null
done
for command in 'check all' 'check head' 'ci HEAD~1 HEAD'; do
	expect_status 0 perun $command
	check "$command: samples of allocations are chance" grep -q 'no change in' <<<"$out"
done
for n in 7 8; do
	commit "change $n"
	python3 ../heap.py $n 2 524288 >../heap.pprof
	"$PERUN" import -w all ../heap.pprof >/dev/null
done
expect_status 1 perun check all
expect_out "$(git rev-parse --short=8 HEAD~1)  more  main.f3  alloc_space"
check 'counts have no unit' eval '! grep -q " count\b[^)]" <<<"$out"'
check 'no other function' test "$(grep -c '  more  \|  less  \|  fewer  ' <<<"$out" | tail -1)" -le 4
check 'nor is anything faster' grep -q ' 0 better$' <<<"$out"
# Where each allocation is counted the smallest change is one.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for grown in 1 1.2; do
	commit "$grown"
	python3 ../heap.py 1 $grown 1 >../heap.pprof
	"$PERUN" import -w all ../heap.pprof >/dev/null
done
expect_status 1 perun check head
expect_out 'more  main.f3  alloc_space'
# A profile of another kind at the same version is no second measurement of these.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
printf 'main;work 100\nmain;rest 400\n' >../other.folded
for grown in 1 2; do
	commit "$grown"
	python3 ../heap.py "${grown%.*}" "$grown" 524288 >../heap.pprof
	"$PERUN" import -w all --cmd prog ../heap.pprof >/dev/null
	"$PERUN" import -w all --cmd prog ../other.folded >/dev/null
done
run perun check --explain --unchanged head
check 'all samples count' python3 - "$work/.result/stdout" <<'PYTHON'
import re, sys
text = open(sys.argv[1]).read()
found = re.search(r"main\.f11  alloc_space.*\n *(\d+) samples before, (\d+) after", text)
sys.exit(not (found and 190 < int(found[1]) < 330))
PYTHON

# One function with nine tenths of all: it is divided by what the few samples of the others say, whose chance is not its change.
cat >"$work/leading.py" <<'PYTHON'
import random, sys
if len(sys.argv) > 3: # SEED GROWN LARGE, else the samples of each function
    r, grown, large = random.Random(int(sys.argv[1])), float(sys.argv[2]), float(sys.argv[3])
    functions = [sum(r.random() < .05 for _ in range(round((large / 99 if f else large * grown) * 20))) for f in range(12)]
else:
    functions = [int(word) for word in sys.argv[1].split()]
def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)
def field(number, value):
    return varint(number << 3) + varint(value) if isinstance(value, int) else varint(number << 3 | 2) + varint(len(value)) + value
names = ["", "inuse_space", "bytes", "space", *(f"main.f{i}" for i in range(12))]
out = field(1, field(1, 1) + field(2, 2))
for f, samples in enumerate(functions):
    out += field(2, field(1, varint(f + 1)) + field(2, varint(samples * 524288)))
    out += field(4, field(1, f + 1) + field(4, field(1, f + 1))) + field(5, field(1, f + 1) + field(2, 4 + f))
sys.stdout.buffer.write(out + b"".join(field(6, name.encode()) for name in names) + field(11, field(1, 3) + field(2, 2)) + field(12, 524288))
PYTHON
leading() { # ARGUMENTS of each version: what it allocates
	cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
	for arguments; do
		commit "$arguments"
		eval "python3 ../leading.py $arguments" >../heap.pprof
		"$PERUN" import -w all ../heap.pprof >/dev/null
	done
	run perun check all
}
nothing_found() {
	check "$1" grep -q '^no change' <<<"$out"
	check "$1: nothing is slower or faster" test "$(grep -c '  more  \|  less  ' <<<"$out")" = 0
}
leading '"935 14 5 11 4 10 11 13 8 10 16 9"' '"871 10 7 11 8 4 7 9 13 11 14 9"' '"908 14 12 4 7 6 15 4 11 8 10 4"' \
	'"881 10 17 15 13 4 13 5 12 8 13 13"' '"946 8 9 6 2 7 15 13 3 6 10 6"' '"907 6 6 12 4 8 6 4 9 9 9 7"' '"924 9 11 12 12 4 11 7 9 8 13 9"'
nothing_found 'others that have few samples by chance'
leading '"60 0 5 6"' '"60 0 5 6"' '"60 0 5 6"' '"60 1 5 6"' '"60 1 5 6"' '"60 1 5 6"' '"60 1 5 6"' '"60 1 5 6"'
nothing_found 'a sample or none'
for seed in 1 2 3 4; do
	for large in 100 900; do
		leading "${seed}1 1 $large" "${seed}2 1 $large" "${seed}3 1 $large" "${seed}4 1 $large" "${seed}5 1 $large" "${seed}6 1 $large"
		nothing_found "seed $seed, $large samples"
	done
	leading "${seed}1 1 900" "${seed}2 1 900" "${seed}3 1 900" "${seed}4 1 900" "${seed}5 2 900" "${seed}6 2 900"
	expect_out "$(git rev-parse --short=8 HEAD~1)  more  main.f0  inuse_space"
	check "nothing else, seed $seed" test "$(grep -c '  more  \|  less  ' <<<"$out")" = 1
done

# A large object that is alive at the end of one run and not of another is one sample, however many bytes it has.
cat >"$work/v8.py" <<'PYTHON'
import json, random, sys
r, large = random.Random(int(sys.argv[1])), int(sys.argv[2])
sizes = [[32768] * r.randint(90, 110) for f in range(4)] + [[524288] * large]
node = lambda i, name, size, children: {"callFrame": {"functionName": name, "scriptId": "1", "url": "a.js", "lineNumber": i, "columnNumber": 0},
                                        "selfSize": size, "id": i, "children": children}
head = node(1, "(root)", 0, [node(2 + f, f"f{f}", sum(list_), []) for f, list_ in enumerate(sizes)])
json.dump({"head": head, "samples": [{"size": size, "nodeId": 2 + f, "ordinal": n} for f, list_ in enumerate(sizes)
                                     for n, size in enumerate(list_)]}, sys.stdout)
PYTHON
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for n in 1 2 3 4 5 6; do
	commit "change $n"
	python3 ../v8.py $n $((n < 3)) >../v8.heapprofile
	"$PERUN" import -w all ../v8.heapprofile >/dev/null
done
expect_status 0 perun check all
check 'a large object is one sample' grep -q 'no change in' <<<"$out"

# ---- recordings of perf whose samples have periods -----------------------------------------------

cat >"$work/perf.py" <<'PYTHON'
import random, sys
seed, grown, event = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
r = random.Random(seed)
names, at = [f"f{i}" for i in range(10)], 100.
for sample in range(3000):
    at += .001
    name = r.choices(names, [grown if n == "f3" else 1 for n in names])[0]
    print(f"prog 12 {at:.6f}: {r.randint(900000, 1100000)} {event}:u: \n\t    55d0 {name}+0x10 (/usr/bin/prog)\n\t    5100 main+0x20 (/usr/bin/prog)\n")
PYTHON
for event in cycles instructions; do
	cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
	for n in 1 2 3 4 5; do
		commit "change $n"
		python3 ../perf.py $n 1 $event >../perf.txt
		"$PERUN" import -w all ../perf.txt >/dev/null
	done
	for command in 'check all' 'check head'; do
		expect_status 0 perun $command
		check "$command: samples of $event are chance" grep -q 'no change in' <<<"$out"
	done
	commit 'slower'
	python3 ../perf.py 6 3 $event >../perf.txt
	"$PERUN" import -w all ../perf.txt >/dev/null
	for command in 'check all' 'check head'; do
		expect_status 1 perun $command
		expect_out "more  f3  $event:u"
	done
done

# ---- what Valgrind counts ------------------------------------------------------------------------

# Reads are counted exactly; what a simulated cache misses depends on where things lie.
counts() { # READS MISSES, of one function of two
	printf 'version: 1\ncreator: callgrind\ncmd: ./w\nevents: Ir Dr D1mr\n\nfn=f\n1 9000 %d %d\n\nfn=g\n9 9000 5000 400\n' "$1" "$2"
}
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for costs in '4000 300' '4000 330' '4000 290' '4400 310' '4400 300'; do
	commit "$costs"
	counts $costs >../callgrind.out
	"$PERUN" import -w all ../callgrind.out >/dev/null
done
for command in 'check all' 'check head HEAD~1'; do
	expect_status 1 perun $command
	expect_out 'higher  f  Dr  4,000 → 4,400'
	check "$command: misses are chance" test "$(grep -c 'D1mr  [0-9]' <<<"$out")" = 0
done

# ---- spans that a program timed ------------------------------------------------------------------

cat >"$work/trace.py" <<'PYTHON'
import json, random, sys
seed, grown = int(sys.argv[1]), float(sys.argv[2])
r, at, events = random.Random(seed), 0, []
for i in range(12):
    # Most became ten times as long, one half as long again.
    span = int(20000 * (i + 1) * (1 if grown == 1 else 1.5 if i == 11 else 10) * r.gauss(1, .01))
    events.append({"ph": "X", "pid": 1, "tid": 1, "ts": at, "dur": span, "name": f"pass{i}"})
    at += span
events.append({"ph": "X", "pid": 1, "tid": 99, "ts": 0, "dur": at, "name": "Total pass0", "args": {"count": 1}})
json.dump({"traceEvents": events}, sys.stdout)
PYTHON
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for n in 1 2 3 4 5 6; do
	commit "change $n"
	python3 ../trace.py $n $((n > 3 ? 10 : 1)) >../trace.json
	"$PERUN" import -w all ../trace.json >/dev/null 2>&1
done
for grown in 1 10; do python3 ../trace.py 7 $grown >../trace-$grown.json; done
# A call of 20 ms that waited for a turn of another program.
python3 - <<'PYTHON'
import json
trace = json.load(open("../trace-1.json"))
trace["traceEvents"][0]["dur"] += 24000
for event in trace["traceEvents"][1:]:
    event["ts"] += 24000
json.dump(trace, open("../trace-turn.json", "w"))
PYTHON
# Two profiles alone show that most calls are ten times as long; a busy machine explains a factor of four.
expect_status 1 perun check profiles ../trace-1.json ../trace-10.json
expect_out 'slower  pass3  time'
check 'nor faster' test "$(grep -c '  faster  ' <<<"$out")" = 0
expect_status 0 perun check profiles ../trace-1.json ../trace-turn.json
expect_out 'undecided'
expect_status 1 perun check all
expect_out ' 0 faster'
expect_out "$(git rev-parse --short=8 HEAD~2)  slower  pass0  time"
expect_out "$(git rev-parse --short=8 HEAD~2)  slower  pass11  time"
rm -r .perun/cache
for command in 'check all' 'check head HEAD~2' 'history time' 'show 0@i top' 'showdiff HEAD~3 HEAD~2'; do
	run perun $command
	expect_no_err 'skipped' "$command: what its reader says was said when it was imported"
done

# ---- several profiles of each version: most functions say how much one varies --------------------------

cat >"$work/draw.py" <<'PYTHON'
import math, random, sys
seed, parse = int(sys.argv[1]), float(sys.argv[2])
r = random.Random(seed)
def poisson(mean):
    left, product, count = math.exp(-mean), r.random(), 0
    while product > left:
        count, product = count + 1, product * r.random()
    return count
for name, mean in [("parse", parse)] + [(f"pass{i}", 10 + i) for i in range(8)] + [(f"call{i}", 4) for i in range(6)] + [(f"rare{i}", .2) for i in range(120)]:
    samples = poisson(mean)
    if samples:
        print(f"main;{name} {samples}")
PYTHON
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for parse in 4 13; do
	commit "parse $parse"
	for i in 1 2 3 4 5 6; do
		python3 ../draw.py "$i${parse%.*}" "$parse" >../drawn.folded
		"$PERUN" import -w all ../drawn.folded >/dev/null
	done
done
for command in 'check head' 'check all' 'ci HEAD~1 HEAD'; do
	expect_status 1 perun $command
	expect_out 'higher  parse'
	check "$command: alone" grep -q '1 worse' <<<"$out"
done
# What has a workload and no command has a history, too.
run perun check --explain head
expect_out 'the history shows the change'
undecided() { grep -o 'undecided: [0-9]*' <<<"$1" | grep -o '[0-9]*'; }
run perun check head
said=$(undecided "$out")
run perun check all
expect_text "$said" "$(undecided "$out")" 'check all leaves as much undecided as check head'
run perun check --json head
expect_text "$said" "$(grep -c '"result": "Inconclusive"' <<<"$out")" 'which says in words how many these are'
# Of a profile each, functions that only one of them has are as undecided as those of both.
cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
for parse in 4 9; do
	commit "parse $parse"
	python3 ../draw.py "$parse" "$parse" | grep -v "pass$parse" >../drawn.folded
	"$PERUN" import -w all ../drawn.folded >/dev/null
done
run perun check head
said=$(undecided "$out")
run perun check all
expect_text "$said" "$(undecided "$out")" 'one profile of each version leaves as much undecided'

finish
