# SPDX-License-Identifier: BSD-3-Clause
# perun show with the view alloclist: the modes, the window of time, call trees, what it cannot show.
. "${top_srcdir:-.}/tests/cli/lib.sh"

python3 - <<'PYTHON'
import json
lines = {"main": 9, "parse": 20, "grow": 31, "f<b>": 5}
def frame(name):
    return {"function": name, "source": name[0] + ".c", "line": lines[name]}
def resource(amount, trace, subtype="malloc", address=4096):
    return {"amount": amount, "uid": frame(trace[0]), "type": "memory", "subtype": subtype, "address": address,
            "trace": [{"function": subtype, "source": "unreachable", "line": 0}] + [frame(name) for name in trace]}
snapshots = [
    {"time": "0.100000", "resources": [resource(10, ["grow", "parse", "main"]), resource(30, ["grow", "main"], "calloc", 8192),
                                       resource(10, ["f<b>", "main"])]},
    {"time": "0.200000", "resources": [resource(64, ["parse", "main"], "realloc", 12288), resource(0, ["main"], "free", 8192)]},
    {"time": "0.300000", "resources": [resource(2, ["grow", "parse", "main"])]},
]
json.dump({"header": {"type": "memory", "cmd": "c", "workload": "w", "units": {"memory": "B"}}, "collector_info": {"name": "memory", "params": {}},
           "postprocessors": [], "snapshots": snapshots}, open("m.perf", "w"))
json.dump({"header": {"type": "time", "cmd": "c", "workload": "w", "units": {"time": "s"}}, "collector_info": {"name": "time", "params": {}},
           "postprocessors": [], "global": {"time": "1", "resources": [{"amount": 1.5, "uid": "c", "type": "time"}]}}, open("t.perf", "w"))
PYTHON
entries() { # of l.json: AMOUNT COUNT FUNCTION: DEPTH FUNCTION ...
	python3 - <<'PYTHON'
import json
for e in json.load(open("l.json"))["entries"]:
    print(e["amount"], e["count"], e["function"] + ":", *(f"{c['depth']} {c.get('function', '-')} {c['amount']}," for c in e["calls"]))
PYTHON
}
expect_status 0 perun show -o l.json m.perf alloclist
expect_text '64 1 parse: 0 parse 64, 1 main 64,
30 1 grow: 0 grow 30, 1 main 30,
10 1 grow: 0 grow 10, 1 parse 10, 2 main 10,
10 1 f<b>: 0 f<b> 10, 1 main 10,
2 1 grow: 0 grow 2, 1 parse 2, 2 main 2,' "$(entries)" 'top: the largest first, equal ones as they were made'
expect_status 0 perun show -o l.json m.perf alloclist all
expect_text '10 1 grow: 0 grow 10, 1 parse 10, 2 main 10,
30 1 grow: 0 grow 30, 1 main 30,
10 1 f<b>: 0 f<b> 10, 1 main 10,
64 1 parse: 0 parse 64, 1 main 64,
0 1 main: 0 main 0,
2 1 grow: 0 grow 2, 1 parse 2, 2 main 2,' "$(entries)" 'all: as they were made'
expect_status 0 perun show -o l.json m.perf alloclist all --from-time 0.2 --to-time 0.25
expect_text '64 1 parse: 0 parse 64, 1 main 64,
0 1 main: 0 main 0,' "$(entries)" 'a window of time'
expect_status 0 perun show -o l.json m.perf alloclist sum
expect_text '64 1 parse: 0 parse 64, 1 main 64,
42 3 grow: 0 grow 42, 1 main 30, 1 parse 12, 2 main 12,
10 1 f<b>: 0 f<b> 10, 1 main 10,' "$(entries)" 'sum: places, their callers side by side'
expect_status 0 perun show -o l.json m.perf alloclist most --limit 1
expect_text '42 3 grow: 0 grow 42, 1 main 30, 1 parse 12, 2 main 12,' "$(entries)" 'most: by frequency'
expect_status 0 perun show -o l.json m.perf alloclist func parse
expect_text '64 1 parse: 0 parse 64, 1 main 64,' "$(entries)" 'func: its own'
expect_status 0 perun show -o l.json m.perf alloclist func parse --partial
expect_text '64 1 parse: 0 parse 64, 1 main 64,
10 1 grow: 0 grow 10, 1 parse 10, 2 main 10,
2 1 grow: 0 grow 2, 1 parse 2, 2 main 2,' "$(entries)" 'func: also where it takes part'
expect_status 0 perun show -o l.json m.perf alloclist func '^(parse|f<b>)$' --where 'amount < 20'
expect_text '10 1 f<b>: 0 f<b> 10, 1 main 10,' "$(entries)" 'func: an expression; conditions'
expect_status 0 perun show -o l.json m.perf alloclist top --depth 1 --limit 2
expect_text '64 1 parse: 0 parse 64, 1 - 64,
30 1 grow: 0 grow 30, 1 - 30,' "$(entries)" 'not deeper'
expect_status 0 perun show m.perf alloclist sum
expect_out '3 places, 5 allocations, 116 B in all; freed 1 time (not'
expect_out '└─ parse  p.c:20'
expect_status 0 perun show m.perf alloclist -n 1
expect_out 'realloc at 0x3000, snapshot 1 at 200 ms'
expect_out '4 more; --limit 0 shows all'
expect_status 0 perun show -o l.html m.perf alloclist sum
check 'names are no markup' test "$(grep -c 'f<b>' l.html)" = 0
check 'the page calls nobody' test "$(grep -c 'https\?://' l.html)" = 0
check 'the page has a policy' grep -q "default-src 'none'" l.html
for width in 40 80 120 200; do
	for mode in all top most sum 'func grow'; do
		# shellcheck disable=SC2086
		COLUMNS=$width run perun show m.perf alloclist $mode
		[ "$status" = 0 ] && python3 -c '
import sys
lines = sys.argv[2].split("\n")
assert max(map(len, lines)) <= int(sys.argv[1]), max(lines, key=len)
assert "\033" not in sys.argv[2]' $width "$out" || not_ok "$mode, $width columns"
	done
	ok "$width columns"
done
expect_status 3 perun show t.perf alloclist
expect_err 't.perf is not a profile of memory: it measures time in s'
expect_status 3 perun show m.perf alloclist func main
expect_err '--partial finds'
expect_status 3 perun show m.perf alloclist --from-time 7
expect_err 'no allocation in this time'
expect_status 2 perun show m.perf alloclist func
expect_status 2 perun show m.perf alloclist top grow
expect_status 2 perun show m.perf alloclist sum --partial
expect_status 2 perun show m.perf alloclist func '('
printf 'a;b 3\n' >x.collapsed
expect_status 3 perun show x.collapsed alloclist
expect_err 'is not a profile of memory'
# A sample whose stack has no frames.
printf '\n\4\10\1\20\2\22\3\22\1\7\62\0\62\5space\62\5bytes' >empty.pb
for view in alloclist 'alloclist top' 'alloclist sum'; do
	# shellcheck disable=SC2086 # words
	expect_status 0 perun show empty.pb $view
	expect_out '(unknown)'
done
finish
