# SPDX-License-Identifier: BSD-3-Clause
# The format collapsed: folded stacks read and written.
. "${top_srcdir:-.}/tests/cli/lib.sh"

printf '# made by hand\nmain;g a;h 3\r\nmain 1\n\nmain;f 2\n  main;g a;h 4\n' >a.folded
expect_status 0 perun convert --strict --to collapsed a.folded -
check 'equal stacks add up, sorted' test "$out" = 'main 1
main;f 2
main;g a;h 7'
expect_status 0 perun convert --to collapsed -o recorded=yes a.folded -
check 'in the order of the samples' test "$out" = 'main;g a;h 7
main 1
main;f 2'
printf 'main;f 1.5\nmain 2e3\nmain;f 1.25\n' >b.folded
expect_status 0 perun convert --to collapsed b.folded -
check 'fractions' test "$out" = 'main 2000
main;f 2.75'

# Two numbers are a difference, if all lines have them.
printf 'main;f 3 5\nmain;g 0 2\nmain;h 7 0\n' >d.folded
expect_status 0 perun convert --to collapsed -o metric=new d.folded -
check 'the new values' test "$out" = 'main;f 5
main;g 2
main;h 0'
expect_err 'other metrics (1)'
for option in '' '-o base=base'; do
	expect_status 0 perun convert --strict --to collapsed $option d.folded -
	check 'both values' test "$out" = "$(cat d.folded)"
done
expect_status 0 perun convert -o counts=1 d.folded d.perf
expect_status 0 perun convert --to collapsed d.perf -
check 'a number may belong to the name' test "$out" = 'main;f 3 5
main;g 0 2
main;h 7 0'
printf 'main;f 3 5\nmain;g 2\n' >mixed.folded
expect_status 0 perun convert --to collapsed mixed.folded -
check 'one line with one number decides' test "$out" = 'main;f 3 5
main;g 2'

# Inlined frames, and names that hold what separates.
printf 'a 1 1.5: 40 cycles:\n\t30 in;side (inlined)\n\t30 out (o)\n\t10 main (o)\n\n' >p.txt
expect_status 0 perun convert --to collapsed p.txt -
check 'inlined frames' test "$out" = 'main;out;in:side 40'
expect_err 'semicolons and line breaks in names (1)'
expect_status 3 perun convert --strict --to collapsed p.txt p.folded
check 'nothing written' test ! -e p.folded

# Places of one function are one line, of which each is counted; addresses are never names.
printf 'a 1 1.5: %s cycles:\n\t%s\n\t10 main (o)\n\n' 1 '30 in;side (o)' 2 '34 in;side (o)' 4 '38 other (o)' \
	8 'ffffffff81000007 [unknown] ([k])' 16 '34 in;side (o)' 32 'ffffffff00000007 [unknown] ([k])' 64 '7 [unknown] ([k])' >q.txt
expect_status 0 perun convert --to collapsed -o recorded=yes q.txt -
check 'stacks of the same names' test "$(grep -c 'main;in:side 19' <<<"$out") $(wc -l <<<"$out")" = '1 5'
expect_err 'semicolons and line breaks in names (2)'

# What a reader leaves out counts as well.
printf 'main;f 3\nmain;g 4\nmain;h 5\nno number\n' >half.txt
expect_status 0 perun convert --from collapsed --to collapsed half.txt -
expect_err 'skipped 1 line without a number'
expect_status 3 perun convert --strict --from collapsed --to collapsed half.txt half.folded
expect_err 'not all of it was read, as the warning says'
check 'nothing written of half a file' test ! -e half.folded

# Frames without a name keep their place; a stack of blanks alone is one that readers would pass over.
printf ';;f 1\na;;b 2\n\r 3\n' >empty.folded
expect_status 0 perun convert --to collapsed empty.folded -
check 'frames without a name' test "$out" = '[unknown] 3
;;f 1
a;;b 2'

# Through Perun's own format and back.
expect_status 0 perun convert a.folded a.perf
expect_status 0 perun convert --to collapsed a.perf -
check 'through a Perun profile' test "$out" = 'main 1
main;f 2
main;g a;h 7'

expect_status 3 perun convert --from collapsed --to collapsed /dev/null -
printf 'main;f 1\nmain;g\n' >bad.folded
expect_status 3 perun convert --from collapsed bad.folded -
expect_err "line 2: expected frames joined by ';', a blank and a number, found 'main;g'"
printf 'main;f 1 2\nmain;g 3\n' >bad.folded
expect_status 3 perun convert --from collapsed -o counts=2 bad.folded bad.perf
expect_err 'line 2: expected two numbers at the end'
expect_status 2 perun convert --to collapsed -o metric=bytes a.folded -
expect_err 'no metric bytes'

# Of several events of a recording the time leads, and the others are named as lost.
printf 'p 1 1.0: 1 page-faults:\n\t5 fault (/p)\n\np 1 2.0: 250 cpu-clock:\n\t6 work (/p)\n\n' >two.script
expect_status 0 perun convert two.script --to collapsed -
expect_text 'work 250' "$out" 'two events: the time'
expect_err 'writing cpu-clock of 2 metrics'
expect_err 'other metrics (1)'
# Of a profile of memory all allocations count, whichever function made them; what was freed is no stack.
python3 - <<'P' >allocations.perf
import json
def row(i, subtype, amount, *frames):
    trace = [{"function": name, "source": "m.c", "line": n} for n, name in enumerate((subtype,) + frames)]
    return {"type": "memory", "subtype": subtype, "amount": amount, "address": 4096 + i, "trace": trace, "uid": trace[1]}
print(json.dumps({"header": {"type": "memory", "cmd": "a", "workload": "", "units": {"memory": "B"}},
    "collector_info": {"name": "memory", "params": {}}, "postprocessors": [],
    "global": {"resources": [row(0, "free", 0, "f", "main"), row(1, "malloc", 8, "f", "main"), row(2, "calloc", 16, "f", "main"),
                             row(3, "malloc", 4, "f", "main"), row(4, "free", 0, "g", "main")]}}))
P
expect_text 'main;f;calloc 16 main;f;malloc 12' "$(perun convert --to collapsed allocations.perf - 2>/dev/null | tr '\n' ' ' | sed 's/ $//')" 'all allocations'
expect_text 'main;f;calloc 16' "$(perun convert --to collapsed -o 'metric=memory(calloc)' allocations.perf - 2>/dev/null)" 'those of one function'

# Austin says what it measured.
for mode in 'wall time us' 'cpu time us' 'memory space bytes' 'full samples '; do
	printf '# austin: 3.7.0\n# interval: 100\n# mode: %s\n\nP1;T0:1;main 158\n' "${mode%% *}" >austin.txt
	expect_text "${mode#* }" "$(perun show --json austin.txt top | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["metric"], d["unit"])')" "Austin: ${mode%% *}"
done

# Lines are in the order of their bytes: what separates frames comes after a blank and before a letter, an end before all.
printf 'a;x 1\na b;x 2\na 3\na;b 1\na;b c 2\n;;z 4\n; 1\nab 5\n' >order.folded
expect_status 0 perun convert --to collapsed order.folded -
expect_text "$(LC_ALL=C sort order.folded | sed 's/^a /a\x01/' | LC_ALL=C sort | sed 's/\x01/ /')" "$out" 'lines are sorted'

# What many stacks begin with is kept once: 20,000 of 200 frames are written as 120 MB, in less memory.
case $SANITIZE in
*address* | *thread*) skip 'sanitizers take more memory than a limit leaves' ;;
*)
	python3 - >nested.json <<'PY'
import json
DEEP, LEAVES = 200, 20000
frames = [{"name": f"a_function_with_a_long_name_{i}"} for i in range(DEEP + LEAVES)]
events = [{"type": "O", "frame": i, "at": 0} for i in range(DEEP)]
for i in range(LEAVES):
    events += [{"type": kind, "frame": DEEP + i, "at": i + (kind == "C")} for kind in "OC"]
events += [{"type": "C", "frame": i, "at": LEAVES} for i in reversed(range(DEEP))]
print(json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": frames}, "profiles": [
    {"type": "evented", "name": "t", "unit": "seconds", "startValue": 0, "endValue": LEAVES, "events": events}]}))
PY
	(ulimit -v 100000 && exec "$PERUN" convert --to collapsed nested.json nested.folded) 2>/dev/null
	expect_text 0 $? 'stacks with much in common fit into less memory than their lines'
	expect_text 20000 "$(wc -l <nested.folded)" 'each is a line'
	;;
esac
finish
