# SPDX-License-Identifier: BSD-3-Clause
# Stacks of other tools: what each file of the fuzz corpus says that its stacks cost.
. "${top_srcdir:-.}/tests/cli/lib.sh"
corpus=$top_srcdir/tests/fuzz/corpus

# stacks FILE [METRIC]: folded.
stacks() { perun convert --to collapsed ${2:+--format-option "metric=$2"} "$corpus/$1" - 2>/dev/null; }
# cost FILE METRIC: the sum of a metric and its unit.
cost() {
	perun show --json "$corpus/$1" top --metric "$2" --limit 0 2>/dev/null |
		python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["total"], d["unit"])'
}
# bad FORMAT TEXT WORDS: a file that is refused with one line.
bad() {
	printf "$2" >bad.txt
	expect_status 3 perun convert --from "$1" bad.txt -
	expect_err "$3"
	expect_one_line
}

# ---- V8, trace events, Firefox ----
expect_text '(program) 5
main 10
main;work 35' "$(stacks v8/cpu)" 'v8: time between samples belongs to the earlier one'
expect_text 'main 16
main;(anonymous) 100' "$(stacks v8/heap)" 'v8: a heap profile'
expect_text '116 bytes' "$(cost v8/heap space)" 'v8: bytes'
expect_text 'a;b 3' "$(stacks v8/parents)" 'v8: nodes that name their parents'
bad v8 '{"nodes":[{"id":1,"parent":2,"callFrame":{}},{"id":2,"parent":1,"callFrame":{}}],"samples":[1],"timeDeltas":[1]}' \
	'a node is its own caller'
expect_text 'alpha 5
alpha;delta 4
alpha;gamma 5' "$(stacks trace-event/spans)" 'trace-event: a list without its end'
expect_text 'A 1
A;B 3' "$(stacks trace-event/ends)" 'trace-event: ends of one time in the right order'
expect_text 'main 20
main;work 10' "$(stacks trace-event/chunks time)" 'trace-event: samples in parts'
expect_text 'Task 40' "$(stacks trace-event/chunks span)" 'trace-event: spans beside samples'
expect_text 'f(a.js:1:2) 15
f(a.js:1:2);g 5' "$(stacks trace-event/hermes)" 'trace-event: samples of Hermes'
expect_status 0 perun show "$corpus/trace-event/spans" timeline
expect_text 'again 5000
again;open 10000
frame 500
main 300
main;inline 400
main;work 300
other 6000
other;(unnamed) 1000' "$(stacks perfetto/slices)" 'perfetto: slices of tracks, and names of sequences'
expect_text '23500 ns' "$(cost perfetto/slices time)" 'perfetto: times'
expect_status 0 perun show "$corpus/perfetto/slices" timeline
expect_err 'skipped 3 events without a slice'
expect_err 'skipped 1 slice of no length'
expect_err 'skipped 1 end of slices that did not begin'
perun pprof -raw "$corpus/perfetto/slices" >raw.txt 2>/dev/null
expect_text '5 1 5' "$(grep -c 'process:.app. thread:.worker.' raw.txt) $(grep -c 'process:.app. thread:.frames.' raw.txt) $(grep -c ' thread:.4.' raw.txt)" \
	'perfetto: threads, other tracks, and those that nothing is said of'
check 'perfetto: clocks of sequences count from event to event' grep -q 'end:.5000 ns. start:.3000 ns.' raw.txt
expect_text 'main;libc.so+0x2a0 2
main;work 1' "$(stacks perfetto/samples)" 'perfetto: samples of a processor'
perun pprof -raw "$corpus/perfetto/samples" >raw.txt 2>/dev/null
expect_text '2 1' "$(grep -c 'process:./bin/app. thread:.worker.' raw.txt) $(grep -c 'process:./bin/app. thread:.42.' raw.txt)" 'perfetto: names of the system'
{
	cat "$corpus/perfetto/slices"
	printf '\7'
} >damaged.pftrace
expect_status 0 perun show damaged.pftrace top
expect_err "byte $(stat -c %s "$corpus/perfetto/slices"): no packet begins there; the rest is not read"
expect_text "$(stacks perfetto/slices)" "$(perun convert --to collapsed damaged.pftrace - 2>/dev/null)" 'perfetto: a damaged trace up to there'
bad perfetto '\7' 'byte 0: expected a packet of a trace'
bad perfetto '\n\2P\1' 'there are no slices and samples in it'
expect_text "$(stacks perfetto/slices time)" "$(stacks perfetto/packed time)" 'perfetto: compressed slices'
expect_text "$(stacks perfetto/samples)" "$(stacks perfetto/packed samples)" 'perfetto: compressed samples'
expect_status 3 perun convert --from perfetto -o unpacked-limit=100 --to collapsed "$corpus/perfetto/packed" out.folded
expect_err 'compressed packets of more bytes than the option unpacked-limit allows'
bad perfetto '\n\7P\1\222\3\2xy' 'byte 7: compressed packets are damaged'
printf '\n\7P\1\252\10\2xy' >packed.pftrace
expect_status 3 perun show packed.pftrace top
expect_err 'its packets are compressed: traceconv decompress_packets FILE OUT'
expect_one_line
cat "$corpus/perfetto/slices" >>packed.pftrace
expect_status 0 perun show packed.pftrace top
expect_err 'skipped 1 compressed packet: traceconv decompress_packets FILE OUT'
bad trace-event '[{"ph":"B","ts":1},3]' 'expected an object for an event'
expect_text 'main 2.5
main;work 1.5' "$(stacks firefox/gecko)" "firefox: Gecko's own profile"
expect_text 'main 3.0' "$(stacks firefox/recording)" 'firefox: scripts of the page in a recording of the tools'
expect_text 'main 3
main;work 4' "$(stacks firefox/processed)" 'firefox: weights of a processed profile'
expect_text 'main 2
main;work 2' "$(stacks firefox/shared)" 'firefox: tables that threads share'
perun convert --to firefox "$corpus/firefox/processed" written.json 2>/dev/null
expect_text "$(stacks firefox/processed)" "$(perun convert --to collapsed written.json - 2>/dev/null)" 'firefox: what is written is read'

# ---- Ruby, Haskell, macOS, FreeBSD, tracers, VTune ----
expect_text 'main 900
main;Object#work 2100' "$(stacks stackprof/raw)" 'stackprof: times'
expect_text 'Object#work 2
main 1' "$(stacks stackprof/frames)" 'stackprof: frames alone'
bad stackprof '{"gc_samples":0,"frames":{"1":{"name":"a"}},"raw":[2,1]}' 'raw[0]: a stack of 2 frames does not fit'
expect_text '8000 us' "$(cost ghc-prof/text time)" 'ghc-prof: ticks'
expect_text '5618100 bytes' "$(cost ghc-prof/text alloc)" 'ghc-prof: bytes'
expect_text '500000 us' "$(cost ghc-prof/shares time)" 'ghc-prof: shares of the total'
expect_text '3000 us' "$(cost ghc-prof/json time)" 'ghc-prof: JSON'
expect_text 'start;main 10
start;main;work() 30' "$(stacks instruments/time)" 'instruments: a deep copy of times'
expect_text 'main 2359296
main;alpha() 1310720' "$(stacks instruments/space)" 'instruments: a deep copy of allocations'
expect_text 'main (12) 200
main (12);work 1000' "$(stacks instruments/weight)" 'instruments: weights'
if perun plugin list format | grep -q instruments; then
	expect_text 'main 1000000
main;work 2000000' "$(stacks instruments/xml)" 'instruments: an export of xctrace'
	bad instruments '<trace-query-result><row><backtrace ref="4"/></row></trace-query-result>' 'a reference to an id'
fi
expect_text 'Thread_1;main 1
Thread_1;main;work 2
Thread_1;main;work;<a::B>::f 3
Thread_2;start 4' "$(stacks sample/threads)" 'sample: threads that run'
expect_text 'Thread_1;main;__ulock_wait 2' "$(stacks sample/threads waiting | grep -v ' 0$')" 'sample: threads that wait'
bad sample 'Call graph:\n    8 Thread_1\n    + BAD\n' "line 3: expected SAMPLES FUNCTION"
expect_text '0x1234;<a::B as c::D>::f;sys_call 2
main;_write 3' "$(stacks dtrace/two)" 'dtrace: kernel and program in one stack'
bad dtrace '\n  a`b\n' 'expected the count of a stack, found the end'
expect_text 'main;do_sleep 4' "$(stacks bpftrace/maps)" 'bpftrace: a map of stacks'
expect_text 'write;0x7f001234 10' "$(stacks bpftrace/maps bytes)" 'bpftrace: the total of a map'
expect_text 'b 4
main;a 3' "$(stacks bpftrace/json)" 'bpftrace: JSON'
expect_text '7, bash' "$(perun convert "$corpus/bpftrace/json" - 2>/dev/null |
	python3 -c 'import json, sys; d = json.load(sys.stdin); print(*sorted(p for r in d["resource_type_map"].values() for p in r.get("key", "").split(", ") if p), sep=", ")')" 'bpftrace: parts of a key before and after its stack'
bad bpftrace '{"type": "map", "data": {"@": {"\\n    a+1": 3}}}\n' 'expected a key that ends after its stack'
expect_text 'main;0x7f01 3
main;f 12' "$(stacks dtrace/tap)" 'dtrace: stacks of SystemTap'
expect_text 'fork_exit 3
main;write;compress 4' "$(stacks pmcstat/two)" 'pmcstat: whole stacks'
expect_text '3 ' "$(cost pmcstat/two 'inst_retired.any (pruned)')" 'pmcstat: callers that are not printed'
expect_text 'start;other 0.25
start;std::map<int, int>::find 0.015
start;std::map<int, int>::find;work 0.5' "$(stacks vtune/stacks)" 'vtune: names in quotes'
bad vtune 'Function Stack,CPU Time:Self,Module\nTotal,0,x\n   a,1,x\n' 'one blank below its caller'
bad vtune 'Function Stack,CPU Time:Self,Module\nTotal,0,x\n a\n' 'as many fields as headings'
expect_text 'Tracer.Main() 18.5
Tracer.Main();System.Math.Sqrt(float64) 27.25
Tracer.Main();Tracer.Hit(class Ray&,bool&) 54.25' "$(stacks vsprof/tree)" 'vsprof: exclusive times'
expect_text '2895754 ' "$(cost vsprof/tree calls)" 'vsprof: calls with separators'
tree='Level,Function Name,Number of Calls,Elapsed Exclusive Time %%\n'
bad vsprof "$tree"'0,a,0,0\n2,b,1,1\n' 'one level below its caller'
bad vsprof "$tree"'0,a,0,0\n1,b,"4,718.25",1\n' "expected a number of calls, found '4,718.25'"
bad vsprof "$tree"'0\n' 'as many fields as headings'
expect_text 'STACK 7 400
STACK 7;quest..before 50
STACK 7;quest..first 1000
STACK 9;quest..outer 800
STACK 9;quest..outer;STACK 10;quest..inner 200' "$(stacks papyrus/script)" 'papyrus: stacks that interrupt another one'
expect_text 'main 0.125
main;(anonymous) 0.25' "$(stacks safari/recording)" 'safari: sampled stacks with their durations'
for file in text stream; do
	expect_text 'com.a.App.main 20
com.a.App.main;com.a.Job.run 30
com.a.Job.run 40' "$(stacks art-trace/$file)" "art-trace: $file"
	expect_text '32 us' "$(cost art-trace/$file cpu)" "art-trace: $file: time of threads"
	perun show "$corpus/art-trace/$file" top >/dev/null 2>noted
	check 'art-trace: ends without a begin are noted' grep -qF 'skipped 1 end of methods that did not begin' noted
done
head -c -3 "$corpus/art-trace/text" >early.trace
run perun show early.trace top
expect_err 'the trace is cut off'
bad art-trace '*version\n3\n*end\nSLOW' 'expected the records of the trace'
bad art-trace 'SLOW\011\0\040\0\0\0\0\0\0\0\0\0\016\0' 'version 9 of method traces is not known'
expect_text '<module> 0.125
<module>;Task.run 0.25
<module>;Task.run;sort 0.5
<module>;run 0.125' "$(stacks pyinstrument/report)" 'pyinstrument: what calls take themselves'
expect_text '1 s' "$(cost pyinstrument/report time)" 'pyinstrument: seconds'
bad pyinstrument '{"sample_count":1,"root_frame":{"function":"f","children":[]}}' 'expected a call with its time'
bad safari '{"recording":{"displayName":"x","sampleStackTraces":[{"timestamp":1,"stackFrames":[{"name":"f"}]}],"sampleDurations":[]}}' \
	'1 sampled stack, but 0 durations'
expect_text 'a;b 3
a;ü 2' "$(stacks collapsed/utf16)" 'collapsed: UTF-16'

cat >units.json <<'JSON'
{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},"profiles":[
{"type":"sampled","name":"t1","unit":"milliseconds","startValue":0,"endValue":1,"samples":[[0]],"weights":[2]},
{"type":"sampled","name":"t2","unit":"microseconds","startValue":0,"endValue":1,"samples":[[0]],"weights":[500]},
{"type":"sampled","name":"t3","unit":"milliseconds","startValue":0,"endValue":1,"samples":[[0]],"weights":[1]}]}
JSON
expect_text 'a 3.5' "$(perun convert --to collapsed units.json - 2>/dev/null)" 'speedscope: threads with other units of time are one metric'
bad instruments 'Weight\tx\t\tSymbol Name\ty\tSelf (ms)\n1.0s\t0\t \tmain\n' 'as many columns as headings'

printf '# callgrind format\nversion: 1\nevent: ns : Nanoseconds\nevents: Time_(ms) ns Ir Memory_(bytes)\nfn=main\n1 5 6 7 8\n' >units.out
for metric in 'Time_(ms) ms' 'ns ns' 'Ir ' 'Memory_(bytes) bytes'; do
	expect_text "${metric#* }" "$(perun show --json units.out top --metric "${metric% *}" |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["unit"])')" "callgrind: the unit of ${metric% *}"
done
printf '# callgrind format\nversion: 1\nevents: Time_(10ns) 250us_(250us)\nfn=main\n1 7 2\n' >tens.out
expect_text 'main 70' "$(perun convert --to collapsed tens.out - 2>/dev/null)" 'callgrind: an event that counts tens of nanoseconds'
run perun show tens.out top; expect_out "70 ns" "callgrind: its unit is the nanosecond"
run perun show tens.out top --metric "250us_(250us)"; expect_out "500 µs" "callgrind: any number of a unit"
perun convert --to callgrind tens.out again.out
expect_text 'events: Time_(10ns) 250us_(250us)
summary: 7 2' "$(grep -E '^(events|summary)' again.out)" 'callgrind: it is written as it was counted'

# What is missing at the end of a trace is said; a list may lack its bracket.
event='{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"a"}'
for end in "[$event," "[$event" "[$event,"$'\n'; do
	printf '%s' "$end" >open.json
	run perun show open.json top
	expect_text '0 ' "$status $err" "trace-event: a list without its end is whole: $end"
done
for end in "[$event,{\"ph\":\"X\",\"ts\":20,\"dur\":1" "{\"traceEvents\":[$event]" "{\"traceEvents\":[$event"; do
	printf '%s' "$end" >open.json
	run perun show open.json top
	expect_text 'perun: warning: open.json: the file is cut off after its event 1' "$err" "trace-event: cut off: $end"
	expect_out '10.0 µs' 'trace-event: what is there is read'
done
printf '%s' '[{"ph":"i","pid":1,"tid":1,"ts":0,"name":"a"},{"ph":"M","pid":1,"name":"thread_name","args":{"name":"t"}}]' >open.json
expect_status 3 perun show open.json top
expect_one_line

# Other files that end too early.
printf 'version: 1\ncreator: callgrind-3.19.0\nevents: Ir\nsummary: 9\nfn=main\n1 4\n' >early.out
run perun show early.out top
expect_err 'no totals at the end: the file seems to be cut off' 'callgrind: a file without totals'
printf '2 5\n\ntotals: 9\n' >>early.out
run perun show early.out top
expect_text '' "$err" 'callgrind: a whole file'
printf 'a 1 1.0: 5 cycles:\n\tab f+0x1 (/bin/a)\n\tac ma' >early.txt
run perun show early.txt top
expect_err 'line 3 does not end: the file seems to be cut off' 'perf-script: a frame that is cut off'
sed '$d' "$corpus/massif/two" >early.massif
expect_status 3 perun show early.massif top
expect_err 'snapshot 2 is not complete: the file is cut off'
sed '/all,pa/,$d' "$corpus/caliper/cali" >early.cali
printf '__rec=ctx,ref=42,attr=36=39,data=5' >>early.cali
run perun show early.cali top
expect_err 'does not end: the file seems to be cut off' 'caliper: a line that is cut off'
for file in vtune/stacks instruments/time instruments/space vsprof/tree dtrace/two ghc-prof/text papyrus/script tau/file; do
	head -c -2 "$corpus/$file" >early
	run perun convert --from "${file%/*}" early -
	expect_err 'the file seems to be cut off' "$file: a line that is cut off"
done

# Inclusive values of one place in several records, as of channels or of files one after the other, are added up.
record() { printf '__rec=node,id=%s\n' "$@"; }
{ record 38,attr=10,data=65,parent=5 36,attr=8,data=sum#inclusive#sum#time.duration,parent=38 40,attr=10,data=276,parent=3 \
	41,attr=8,data=region,parent=40 42,attr=41,data=main 47,attr=41,data=init,parent=42
printf '__rec=ctx,ref=%s,attr=36,data=%s\n' 42 5 47 3 42 6 47 4; } >twice.cali
expect_text 'main 4
main;init 7' "$(perun convert --to collapsed twice.cali - 2>/dev/null)" 'caliper: a place in several records'
# What a node refers to is remembered for further rows, which may have labels of their own, several nodes or a node whose
# attribute is defined late.
{ record 38,attr=10,data=65,parent=5 36,attr=8,data=time,parent=38 40,attr=10,data=276,parent=3 \
	41,attr=8,data=region,parent=40 43,attr=8,data=rank,parent=3 50,attr=43,data=1 51,attr=41,data=main,parent=50 \
	52,attr=41,data=f,parent=51 53,attr=44,data=g,parent=52
printf '__rec=ctx,ref=%s,attr=%s,data=%s\n' 52 36 1 52 36 2 52=51 36 4 52 36=43 8=9 53 36 16
record 44,attr=8,data=thread,parent=3
printf '__rec=ctx,ref=%s,attr=%s,data=%s\n' 53 36 32 52 36 64 53 36 128; } >again.cali
expect_text '1: 8 7 rank:[1]
2: 8 7 rank:[1]
4: 8 7 7 rank:[1]
8: 8 7 rank:[1]
16: 8 7 rank:[1]
32: 8 7 rank:[1] thread:[g]
64: 8 7 rank:[1]
128: 8 7 rank:[1] thread:[g]' "$(perun pprof -raw again.cali | sed -n '/: 8 7/{N;s/\s\s*/ /g;s/^ //p}')" \
	'caliper: nodes in several records'

# TAU reads counters of the processor where functions begin and end, as it does clocks: they are no samples.
for metric in TIME PAPI_TOT_INS; do
	mkdir -p "counters/MULTI__$metric"
	printf '1 templated_functions_MULTI_%s\n# Name Calls Subrs Excl Incl ProfileCalls\n"main" 1 0 1000 1000 0\n0 aggregates\n' "$metric" >"counters/MULTI__$metric/profile.0.0.0"
done
expect_status 0 perun convert --to perun counters -
check 'tau: counters are no samples' grep -q '"PAPI_TOT_INS":{"noise":"timed"}' <<<"$(tr -d ' \n' <<<"$out")"

# ---- memory ----
expect_text 'main;alloc::alloc 7
main;malloc 100' "$(stacks dhat/two)" 'dhat: bytes'
expect_text '87 bytes' "$(cost dhat/two peak)" 'dhat: at the peak'
expect_text '7 bytes' "$(cost dhat/two leaked)" 'dhat: never freed'
bad dhat '{"dhatFileVersion":2,"pps":[{"tb":1,"fs":[3]}],"ftbl":["[root]"]}' 'frame 3 is named, but there are only 1'
expect_text '[below threshold] 30
grow 10
main;grow 50' "$(stacks massif/two)" 'massif: the peak'
sed 's/mem_heap_B=.*/mem_heap_B=0/; s/mem_stacks_B=.*/mem_stacks_B=880/' "$corpus/massif/not-detailed" >stacks.massif
expect_text '[stacks] 880' "$(perun convert --to collapsed stacks.massif - 2>/dev/null)" 'massif: the stacks of a program without a heap'
expect_text '[no detailed snapshot] 3000' "$(stacks massif/not-detailed)" 'massif: the largest snapshot where none is detailed'
expect_text '100 bytes' "$(cost massif/two heap)" 'massif: each detailed snapshot'
expect_text '1 60.0 2 10.0' "$(perun show --json "$corpus/massif/two" flow sum --of heap --through snapshot --no-accumulate | python3 -c '
import json, sys
line = json.load(sys.stdin)["charts"][0]["series"][0]
print(*(f"{x:g} {y}" for x, y in zip(line["x"], line["y"])))')" 'massif: its snapshots through flow'
expect_text '[unknown] 0
main;main;grow 128' "$(stacks heaptrack/two peak | sed 's/^0x1030/[unknown]/')" 'heaptrack: the peak'
expect_text '2 ' "$(cost heaptrack/two temporary)" 'heaptrack: temporary allocations'
bad heaptrack 'v 1 3\n- 0\n' 'line 2: expected the number of an allocation before it'
bad heaptrack 'v 1 3\nm 1 -\nt 7f 0\n' 'a raw recording of heaptrack: heaptrack_interpret < FILE'
if command -v zstd >/dev/null && perun plugin list 2>/dev/null | grep -q heaptrack; then
	zstd -q -f "$corpus/heaptrack/two" -o two.zst
	perun convert --to collapsed two.zst two.folded 2>err
	grep -q 'not built in' err || expect_text "$(stacks heaptrack/two)" "$(cat two.folded)" 'zstd is undone'
fi

expect_text '0x2020;0x1010 200
0x2020;0x3030 100' "$(stacks jemalloc/two)" 'jemalloc: what is alive'
expect_text '500 bytes' "$(cost jemalloc/two alloc_space)" 'jemalloc: what was allocated'

# ---- parallel programs ----
expect_text 'main 5
main;init,all 7.5' "$(stacks caliper/cali)" 'caliper: .cali'
expect_text '12.5 s' "$(cost caliper/cali sum#time.duration)" 'caliper: durations with fractions are seconds'
expect_text '[unknown] 7
main 40
main;work 60' "$(stacks caliper/split)" 'caliper: exclusive times'
mkdir -p tau && cp "$corpus/tau/file" tau/profile.0.0.0 && cp "$corpus/tau/file" tau/profile.1.0.0
expect_text '.TAU application 20
.TAU application;main 60
.TAU application;main;MPI_Init() 120' "$(perun convert --to collapsed tau - 2>/dev/null)" 'tau: a directory is one profile'
# ---- variants that tools write ----
# variant FORMAT TEXT STACKS: what is recognized without a hint, and its folded stacks.
variant() {
	printf "$2" >variant.txt
	expect_text "$3" "$(perun convert --to collapsed variant.txt - 2>variant.err)" "$1"
}
variant 'v8: samples of nodes before the trace began' \
	'{"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],"samples":[9,1,1],"timeDeltas":[1,1,3]}' 'f 3'
check 'v8: they are reported' grep -qF 'skipped 1 sample of nodes' variant.err
variant 'v8: what ran before a sample of an unknown node runs on' \
	'{"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],"samples":[1,9,9,1],"timeDeltas":[1,1,3,5]}' 'f 9'
check 'v8: each of them is counted' grep -qF 'skipped 2 samples of nodes' variant.err
cat >eval.cpuprofile <<'END'
{"nodes":[{"id":1,"callFrame":{"functionName":"","url":"","lineNumber":-1},"children":[2,3]},
{"id":2,"callFrame":{"functionName":"","url":"","lineNumber":5,"columnNumber":1}},
{"id":3,"callFrame":{"functionName":"","url":"","lineNumber":8,"columnNumber":1}}],"samples":[2,3,1],"timeDeltas":[0,7,4]}
END
expect_text '(anonymous) :6
(anonymous) :9' "$(perun show eval.cpuprofile top --by line | awk '/:/ { print $(NF - 1), $NF }' | grep '^(' | sort)" \
	'v8: lines tell functions of a text apart, which has no URL'
variant 'v8: times instead of deltas' \
	'{"head":{"functionName":"f","id":1,"hitCount":2,"children":[]},"startTime":1,"endTime":2,"samples":[1,1],"timestamps":[5,9]}' 'f 4'
variant 'v8: a log that node --prof-process read' \
	'{"code":[{"name":"/bin/node","type":"SHARED_LIB"},{"name":"T start","type":"CPP"},{"name":"get x a.js:2:15","type":"JS"},{"name":" a.js:1:1","type":"JS"}],"ticks":[{"tm":9,"s":[2,8,-1,77,3,1]},{"tm":5,"vm":0,"s":[1,0]},{"tm":12,"s":[3,4]}]}' '(anonymous) 0
(anonymous);get x 3
start 4'
check 'v8: what is no code is reported' grep -qF 'skipped 1 frame at addresses' variant.err
# spans EVENT...: a list of events "NAME PHASE TIME [LENGTH]" of one thread; a name of - is none.
spans() {
	for event; do
		set -- $event
		[ "$1" = - ] && name= || name="\"name\":\"$1\","
		printf ',{%s"ph":"%s","ts":%s,"pid":1,"tid":1%s}' "$name" "$2" "$3" "${4:+,\"dur\":$4}"
	done | sed 's/^,/[/'
	echo ]
}
variant 'trace-event: an end without a name ends what is open' \
	"$(spans 'a B 1' 'b B 2' '- E 5' 'c B 5' '- E 7' 'd B 8' '- E 8' '- E 9' 'e X 20 4')" 'a 3
a;b 3
a;c 2
e 4'
variant 'trace-event: spans without length in each other' \
	"$(spans 'p B 0' 'r B 2' 'r E 5' 'q B 5' 's B 5' 's E 5' 'q E 5' 'p E 10')" 'p 7
p;r 3'
variant 'trace-event: complete ones without length' \
	"$(spans 'p X 0 10' 'q X 5 0' 'r X 5 0' 's X 5 2' 't X 10 0')" 'p 8
p;s 2'
variant 'trace-event: a span without length in one that begins there' \
	"$(spans 'p B 0' 'x X 5 3' 'q B 5' 'q E 5' 'p E 9')" 'p 6
p;x 3'
variant 'trace-event: a span without a name' '{"traceEvents":[{"pid":0,"tid":0,"ph":"X","ts":7,"dur":4}]}' '(unnamed) 4'
variant 'trace-event: totals of clang' \
	'{"traceEvents":[{"pid":1,"tid":1,"ph":"X","ts":1,"dur":4,"name":"Source"},{"pid":1,"tid":2,"ph":"X","ts":0,"dur":4,"name":"Total Source","args":{"count":1,"avg ms":0}}]}' 'Source 4'
check 'trace-event: they are reported' grep -qF 'skipped 1 total of events' variant.err
cat >detail.json <<-'END'
	{"traceEvents": [{"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "args": {"name": "Browser"}},
	{"ph": "X", "name": "a", "pid": 7, "tid": 1, "ts": 0, "dur": 10},
	{"ph": "X", "name": "b", "pid": 7, "tid": 1, "ts": 2, "dur": 3, "args": {"detail": "x.c"}}]}
END
expect_text '10us (  100%): Browser' "$(perun pprof -tags detail.json | grep -F Browser | sed 's,^ *,,')" \
	'trace-event: events with and without details are of one process'
variant 'trace-event: a begin and a complete event at one time' \
	'[{"ph":"X","ts":10,"dur":2,"name":"C"},{"ph":"B","ts":10,"name":"D"},{"ph":"E","ts":14,"name":"D"}]' 'D 2
D;C 2'
variant 'trace-event: the complete one is longer' \
	'[{"ph":"B","ts":10,"name":"D"},{"ph":"X","ts":10,"dur":5,"name":"C"},{"ph":"E","ts":12,"name":"D"}]' 'C 3
C;D 2'
gecko='{"meta":{"interval":1},"threads":[{"name":"T","samples":{"data":[[0,0],[0,1]],"schema":{"stack":0,"time":1}},"stackTable":{"data":[[null,0]],"schema":{"prefix":0,"frame":1}},"frameTable":{"schema":{"location":0},"data":[[0]]},"stringTable":["main"]}]}'
variant 'firefox: data before their schema, the last sample lasts an interval' "$gecko" 'main 2'
printf %s "$gecko" | python3 -c 'import json, sys
text = sys.stdin.read()
outer = json.loads(text)
outer["threads"].append(text)
json.dump(outer, open("processes.json", "w"))'
expect_text 'main 4' "$(perun convert --to collapsed processes.json - 2>/dev/null)" 'firefox: a process as text'
# Rows of a thread are made when it has been read, or at the end where something that it needs follows: the rows are the same.
frames='"frameTable":{"func":[0,1]},"funcTable":{"name":[0,1]}'
whole='"stackTable":{"prefix":[null,0],"frame":[0,1]},"stringArray":["a","b"],'$frames
part='"stackTable":{"prefix":[null,0],"frame":[1,0]},"stringArray":["c","d"]'
meta='"meta":{"interval":2}' shared='"shared":{'$frames'}'
threads='"threads":[{"name":"1","samples":{"stack":[1,0]},'$whole'},{"name":"2","samples":{"stack":[1]},'$part'},{"name":"3","samples":{"stack":[0]},'$whole'}]'
printf '{%s,%s,%s}' "$meta" "$shared" "$threads" >first.json
perun convert --to perun first.json first.perf 2>/dev/null
expect_text 'a 4
a;b 2
d;c 2' "$(perun convert --to collapsed first.json - 2>/dev/null | sort)" 'firefox: threads with tables of their own and shared ones'
for order in "$meta,$threads,$shared" "$threads,$meta,$shared" "$shared,$threads,$meta"; do
	printf '{%s}' "$order" >first.json
	perun convert --to perun first.json other.perf 2>/dev/null
	check 'firefox: the order of members does not matter' cmp -s first.perf other.perf
done
printf '{%s,"threads":[{"samples":{"stack":[0]},"stackTable":{"prefix":[0],"frame":[0]},"stringArray":["a"],%s},{' "$meta" "$frames" >circle.json
expect_status 3 perun convert --from firefox circle.json -
expect_err 'stack 0 has the prefix 0, which is not before it'
variant 'stackprof: processor time' \
	'{"mode":"cpu","interval":1000,"gc_samples":0,"frames":{"1":{"name":"f"}},"raw":[1,1,3],"raw_timestamp_deltas":[9000,9000,9000]}' 'f 3000'
variant 'instruments: cycles' 'Weight\tSelf Weight\t\tSymbol Name\n2.5 Gc 100.0%%\t-\t \tmain\n2.5 Gc 100.0%%\t2.5 Gc\t \t work\n' 'main;work 2500000000'
variant 'instruments: a margin before the outermost function' 'Weight\tSelf Weight\tSymbol Names\n2.0 s 100.0%%\t0 s\t   main\n2.0 s 99.9%%\t1.5 s\t    work\n' 'main;work 1500'
variant 'pmcstat: comments' '@ cycles [3 samples]\n\n# a note\n// another\nhello\n100.0%%  [3]  f @ /bin/x\n' 'f 3'
check 'pmcstat: what is left out is reported' grep -qF 'skipped 1 line ' variant.err
variant 'collapsed: lines between the stacks' 'a;b 1\nWARNING\na;b 2\na 3\n' 'a 3
a;b 3'
check 'collapsed: they are reported' grep -qF "skipped 1 line without a number, first line 2: 'WARNING'" variant.err
variant 'perf-script: frames without indentation' 'java 19983 cycles:\nffffffff8103d0ca native ([kernel.kallsyms])\n7f72432b4e9a start_thread (/lib/libpthread.so)\n\n' 'start_thread;native 1'
variant 'perf-script: what is inlined into a method' 'java 1 1.0: 1 cycles:\n\t7f1 La/B;::outer->La/B;::inner (/tmp/perf-1.map)\n\n' 'La/B:::outer;La/B:::inner 1'
variant 'perf-script: names of Rust' 'x 1 1.0: 1 cycles:\n\t7f1 _$LT$a..B$u20$as$u20$c..D$GT$::f::h0123456789abcdef+0x1 (/bin/x)\n\n' '<a::B as c::D>::f 1'
variant 'perf-script: a line in a stack that is no frame' 'x 1 1.0: 1 cycles:\n\t7f1 f (/bin/x)\n\nx 1 2.0: 1 cycles:\n\tSTRANGE\n\t7f1 f (/bin/x)\n\n' 'f 2'
check 'perf-script: it is reported' grep -qF 'skipped 1 line of stacks that are not frames of a sample, first line 5' variant.err
variant 'perf-script: an empty line before a stack' 'x 1 1.0: 1 cycles:\n\t7f1 f (/bin/x)\n\nx 1 2.0: 1 cycles:\n\n\t7f1 g (/bin/x)\n\n' '[unknown] 1
f 1'
check 'perf-script: the stack is reported' grep -qF 'skipped 1 line of stacks that are not frames of a sample, first line 6' variant.err
variant 'jemalloc: frames of the allocator' \
	'heap_v2/1\n@ 0x1010 0x1020 0x2020\n  t*: 1: 100 [0: 0]\nMAPPED_LIBRARIES:\n1000-2000 r-xp 00000000 08:01 12 /usr/lib/libjemalloc.so.2\n2000-3000 r-xp 00000000 08:01 12 /bin/a\n' '0x2020 100'
variant 'dtrace: what is inlined' '\n\n  t`foo->bar\n  t`main\n  1\n' 'main;foo;bar 1'
variant 'bpftrace: a key that begins with another part' '@[bash, \n    f+1\n    main+3\n]: 2\n@[sh, \n    f+1\n, 12]: 3\n' 'f 3
main;f 2'
variant 'callgrind: costs relative to the line before' 'events: Ir\nfn=f\n1 20\n+1 +5\n* *\n' 'f 70'
bad vtune 'Function Stack,CPU Time:Self,Module\nTotal,INVALID,x\n a,1,x\n' "expected a number, found 'INVALID'"
bad perf-script 'x 1 1.0: 1 cycles:\n\n\t7f1 f (/bin/x)\n\n' 'line 3: expected the first line of a sample'
bad bpftrace '@[\n    a+1\n    b+2' 'the map that begins here has no end'
bad dtrace '\n\n  t`foo\n  t`ma' 'expected the count of a stack, found the end'
bad sample 'Analysis of sampling x\n\nCall graph:\n    8 Thread_1\n    + 8 main  (in x)\n' 'the call graph does not end'

# ---- parallel programs ----
caliper='"columns":["count","path","module","time","Node order"],"column_metadata":[{"is_value":true},{"is_value":false},{"is_value":false},{"is_value":true,"attribute.unit":"msec"},{"is_value":true}],"nodes":[{"label":"main","column":"path"},{"label":"work","column":"path","parent":0},{"label":"libx","column":"module"}]'
unit() { perun show --json variant.txt top | python3 -c 'import json, sys; print(json.load(sys.stdin)["unit"])'; }
variant 'caliper: time leads, other nodes are labels' "{\"data\":[[3,0,2,5,1],[4,1,2,7,2]],$caliper}" 'main 5
main;work 7'
expect_text ms "$(unit)" 'caliper: the unit that the file names'
perun convert variant.txt - | grep -q 'Node order' && check 'caliper: an order is no metric' false
variant 'caliper: inclusive values alone' \
	'{"data":[[9,0],[7,1]],"columns":["avg#inclusive#sum#time.duration","path"],"column_metadata":[{"is_value":true},{"is_value":false}],"nodes":[{"label":"main","column":"path"},{"label":"work","column":"path","parent":0}]}' 'main 2
main;work 7'
expect_text us "$(unit)" 'caliper: whole durations are microseconds'
variant 'caliper: times come from inclusive ones where no others are times' \
	'{"data":[[9,0,5],[7,1,6]],"columns":["inclusive#sum#time.duration","path","sum#bytes/mrb.time"],"column_metadata":[{"is_value":true},{"is_value":false},{"is_value":true,"attribute.unit":"MB/s"}],"nodes":[{"label":"main","column":"path"},{"label":"work","column":"path","parent":0}]}' 'main 2
main;work 7'
variant 'caliper: inclusive ones count where other rows have times of their own' \
	'{"data":[[9,0,null,null],[7,1,null,null],[null,1,4,2]],"columns":["sum#inclusive#sum#time.duration","path","max#sum#time.duration","avg.count#sum#time.duration"],"column_metadata":[{"is_value":true},{"is_value":false},{"is_value":true},{"is_value":true}],"nodes":[{"label":"main","column":"path"},{"label":"work","column":"path","parent":0}]}' 'main 2
main;work 7'
expect_text None "$(perun convert variant.txt - |
	python3 -c 'import json, sys; print(json.load(sys.stdin)["header"]["units"].get("avg.count#sum#time.duration"))')" \
	'caliper: how many values a mean has is not a time'
variant 'caliper: inclusive ones of a name that rows have' \
	'{"data":[[9,0,2],[7,1,7]],"columns":["Time (I)","path","Time (E)"],"column_metadata":[{"is_value":true},{"is_value":false},{"is_value":true}],"nodes":[{"label":"main","column":"path"},{"label":"work","column":"path","parent":0}]}' 'main 2
main;work 7'
expect_text s "$(unit)" 'caliper: they are left out'
perun convert variant.txt - | grep -q '"Time"' && check 'caliper: they are no metric' false
expect_text 'main 2
main/loop 1.5
main/loop;work 0.5' "$(stacks timemory/tree)" 'timemory: trees of ranks'
expect_text 'main 2
main;work 3' "$(stacks timemory/rows)" 'timemory: rows of a graph'
# Places are read one after the other where what names their metric comes first, else with all of their component.
node() { printf '{"node":{"hash":%s,"prefix":"%s","tid":[%s],"exclusive":{"stats":{"sum":%s}}},"children":[%s]}' "$1" "$2" "$3" "$4" "$5"; }
late() { printf '{"children":[%s],"node":{"prefix":"%s","tid":7,"exclusive":{"entry":{"repr_data":%s}}}}' "$3" "$1" "$2"; }
leaf=$(node 5 leaf '1,2' 2 '')
trees="[$(node 0 none 0 9 "$(node 5 main 1 1 "$leaf"),$(late late 3 "$leaf")")]"
names='"type":"wall","unit_repr":"sec"'
for component in "$names,\"mpi\":[$trees]" "\"mpi\":[$trees],$names" "$names,\"mpi\":[],\"process\":[$trees],\"ranks\":[{\"graph\":[{\"prefix\":\"x\",\"depth\":0,\"entry\":{\"repr_data\":1}}]}]"; do
	echo '{"timemory":{"WALL":{'"$component"'}}}' >trees.json
	expect_text 'late 3
late;leaf 2
main 1
main;leaf 2' "$(perun convert --to collapsed trees.json - 2>/dev/null | sort)" 'timemory: nodes before and after their children'
	perun pprof -raw trees.json >raw.txt 2>/dev/null
	check 'timemory: the unit' grep -qx 'wall/s' raw.txt
	expect_text 2 "$(grep -c 'thread:' raw.txt)" 'timemory: the thread of what one thread ran'
	check 'timemory: no rank where there is one' sh -c '! grep -q rank raw.txt'
done
echo '{"timemory":{"WALL":{'"$names"',"mpi":['"$trees,$trees"']}}}' >trees.json
perun pprof -raw trees.json >raw.txt 2>/dev/null
expect_text '4 4' "$(grep -c 'rank:.0' raw.txt) $(grep -c 'rank:.1' raw.txt)" 'timemory: two ranks'
echo '{"timemory":{"WALL":{'"$names"',"mpi":[[{"children":[]}]]}}}' >bad.json
expect_status 3 perun convert --from timemory bad.json -
expect_err 'expected a node with the string prefix'
echo '{"timemory":[]}' >bad.json
expect_status 3 perun convert --from timemory bad.json -
expect_err 'expected timemory to be an object, found'
if perun plugin list format | grep -q hpctoolkit; then
	expect_text 'main 5
main;work<int>;loop at app.c:21 25' "$(stacks hpctoolkit/experiment)" 'hpctoolkit: a document with sums'
	mkdir database
	sed 's|<MetricTable>.*</MetricTable>|<MetricDBTable><MetricDB i="0" n="CPUTIME (usec) (I)" t="inclusive"/><MetricDB i="1" n="CPUTIME (usec) (E)" t="exclusive"/></MetricDBTable>|' \
		"$corpus/hpctoolkit/experiment" >database/experiment.xml
	python3 - database <<'PYTHON'
import struct, sys
for rank in range(2):
    values = [0.0] * 16
    values[(7 - 1) * 2 + 1] = 100.0 + rank  # of node 7
    with open(f"{sys.argv[1]}/1.app-{rank:06}-000-a8c0-{rank + 7}-0.metric-db", "wb") as out:
        out.write(b"HPCPROF-metricdb__00.10b" + struct.pack(">ii", 8, 2) + struct.pack(">16d", *values))
PYTHON
	expect_text 201.0 "$(perun show --json database top | python3 -c 'import json, sys; print(float(json.load(sys.stdin)["total"]))')" 'hpctoolkit: values of all threads'
	truncate -s 64 database/1.app-000001-000-a8c0-8-0.metric-db
	expect_status 3 perun show database top
	expect_err 'expected values of 8 nodes, the file is too short'
	expect_one_line
	# From 2022 on: meta.db leaves instructions of lines out, which have most of the values in profile.db.
	make_hpctoolkit() { python3 "$top_srcdir/tests/tools/hpctoolkit.py" "$@"; }
	make_hpctoolkit new 2
	expect_text 'application thread;(unknown) 7
main thread;main;libc-2.28.so+0x4f564;libc-2.28.so+0x4c9a0 5
main thread;main;libc-2.28.so+0x4f564;libc-2.28.so+0x4c9a0;fork 3
main thread;main;work<int>;loop at app.c:21 9' "$(perun convert --to collapsed new - 2>/dev/null)" 'hpctoolkit: costs of contexts'
	expect_text 'main thread;main;<gpu kernel> 4' "$(perun convert --to collapsed --format-option metric=GKER:COUNT new - 2>/dev/null)" 'hpctoolkit: what a GPU did'
	perun pprof -raw new >raw.txt 2>/dev/null
	check 'hpctoolkit: metrics with values, the time of the processor first' grep -qF 'CPUTIME/s[dflt] GKER/nanoseconds GKER:COUNT/' raw.txt
	check 'hpctoolkit: places of calls' grep -q 'main src/app.c:13:0 s=10' raw.txt
	check 'hpctoolkit: places of costs' grep -q 'loop at app.c:21 src/app.c:22:0' raw.txt
	check 'hpctoolkit: the program is the first of the objects' sh -c "grep -A1 '^Mappings' raw.txt | grep -q /bin/app"
	expect_text 5 "$(grep -c 'node:\[0\] rank:\[1\] thread:\[0\]' raw.txt)" 'hpctoolkit: labels'
	totals() {
		for metric in CPUTIME GKER GKER:COUNT; do
			perun show --json "$1" top --metric "$metric" | python3 -c 'import json, sys; d = json.load(sys.stdin); print(float(d["total"]), d["unit"])'
		done
	}
	python3 - <<PYTHON
import sys
sys.path.insert(0, "$top_srcdir/tests/tools")
from hpctoolkit import *
made = lambda **options: database(program(), [[("RANK", rank), ("THREAD", 0)] for rank in range(2)], METRICS, **options)
write("sums", made(sums_only=True))
write("later", made(minor=7))
other = made()
write("other", {name: data[:14] + b"\5\0" + data[16:] for name, data in other.items()})
for name, data in other.items():
    for size in [16, 90, 400, len(data) // 2, len(data) - 1]:
        write(f"cut.{name}.{size}", {**other, name: data[:size]})
    # All places, one after the other, are at the end of the file, and beyond it.
    for place in range(16, len(data) - 8, 8):
        for value in [len(data) - 4, 1 << 62]:
            write(f"wrong.{name}.{place}.{value}", {**other, name: data[:place] + value.to_bytes(8, "little") + data[place + 8:]})
PYTHON
	expect_text "$(totals new)" "$(totals sums)" 'hpctoolkit: costs of all threads are the sums that the database has'
	expect_text '24.0 s 1.0 s 4.0' "$(totals later | xargs)" 'hpctoolkit: a later minor version'
	expect_status 3 perun show other top
	expect_err 'meta.db: its layout has the version 5.0, those that are read are 4.x'
	expect_one_line
	for folder in cut.*; do
		expect_status 3 perun show "$folder" top
		expect_err '.db: byte '
		expect_one_line
	done
	bad=
	for folder in $(printf '%s\n' wrong.* | some 40); do
		perun show "$folder" top >out 2>err
		case $? in 0 | 3) [ "$(grep -vc warning err)" -le 1 ] || bad="$bad $folder" ;; *) bad="$bad $folder" ;; esac
	done
	expect_text '' "$bad" 'hpctoolkit: places that are not in the file'
	for ranks in 1 2 4 8 16; do make_hpctoolkit "runs/p$ranks" "$ranks"; done
	expect_status 0 perun model --parameter p runs/p*
	expect_out '2 * p'
	expect_status 0 perun showdiff new runs/p4
	expect_out 'CPUTIME of new and'
fi
# What begins and ends at once is in no row; that is said.
cat >empty.speedscope.json <<'JSON'
{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"},{"name":"b"}]},
"profiles":[{"type":"evented","name":"p","unit":"none","startValue":0,"endValue":5,"events":[
{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":2},{"type":"C","frame":1,"at":2},{"type":"C","frame":0,"at":5}]}]}
JSON
expect_status 0 perun show empty.speedscope.json top
expect_err 'skipped 1 call of no length'
cat >empty.json <<'JSON'
[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":7,"name":"f"}, {"ph":"X","pid":1,"tid":1,"ts":1,"dur":0,"name":"g"},
{"ph":"B","pid":1,"tid":1,"ts":2,"name":"h"}, {"ph":"E","pid":1,"tid":1,"ts":2,"name":"h"}, {"ph":"E","pid":1,"tid":1,"ts":3,"name":"q"}]
JSON
expect_status 0 perun show empty.json top
expect_err 'skipped 2 spans of no length'
expect_err 'skipped 1 end of spans that did not begin'
finish
