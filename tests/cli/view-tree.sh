# SPDX-License-Identifier: BSD-3-Clause
# perun show with the views tree, callers and callees: exact text for several widths.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/stacks-lib.sh"

stack_profile a.perf <<'STACKS'
main;run;compute;inner 120
main;run;compute 40
main;run;std::vector<std::pair<int, std::string>, std::allocator<std::pair<int, std::string> > >::emplace_back<int>(int&&);operator new(unsigned long) 30
main;io;read 10
main;io 2
main;tiny 1
main;small 1
STACKS

export COLUMNS=80
expect_status 0 perun show a.perf tree
expect_text 'time of a.perf: 204 ms

  total  total %  self %            function
 204 ms  100.0 %   0.0 %  ░░░░░░░░  main
 190 ms   93.1 %   0.0 %  ░░░░░░░░  ├─ run
 160 ms   78.4 %  19.6 %  █▋░░░░    │  ├─ compute
 120 ms   58.8 %  58.8 %  ████▊     │  │  ↳ inner
30.0 ms   14.7 %   0.0 %  ░         │  └─ std::vector<…>::emplace_back<…>(…)
30.0 ms   14.7 %  14.7 %  █▏        │     ↳ operator new(unsigned long)
12.0 ms    5.9 %   1.0 %  ▏         ├─ io
10.0 ms    4.9 %   4.9 %  ▍         │  ↳ read
2.00 ms    1.0 %   1.0 %  ▏         └─ 2 smaller' "$out" 'tree at 80 columns'
expect_status 0 env COLUMNS=40 LC_ALL=C "$PERUN" show a.perf tree --depth 3 --minimum 5
expect_text 'time of a.perf: 204 ms

  total  total %  function
 204 ms  100.0 %  main
 190 ms   93.1 %  |- run
 160 ms   78.4 %  |  |- compute
30.0 ms   14.7 %  |  `- std:..ck<..>(..)
12.0 ms    5.9 %  |- io
2.00 ms    1.0 %  `- 2 smaller

2 calls deeper than 3 levels not shown' "$out" 'tree at 40 columns in ASCII'
expect_status 0 env COLUMNS=200 "$PERUN" show a.perf tree --depth 3 --limit 4
expect_text 'time of a.perf: 204 ms

  total  total %  self %                            function
 204 ms  100.0 %   0.0 %  ░░░░░░░░░░░░░░░░░░░░░░░░  main
 190 ms   93.1 %   0.0 %  ░░░░░░░░░░░░░░░░░░░░░░    ├─ run
 160 ms   78.4 %  19.6 %  ████▊░░░░░░░░░░░░░░       │  ├─ compute
30.0 ms   14.7 %   0.0 %  ░░░░                      │  └─ std::vector<std::pair<int, std::string>, std::allocator<std::pair<int, std::string> > >::emplace_back<int>(int&&)

2 calls deeper than 3 levels not shown
3 calls beyond the first 4 lines not shown' "$out" 'tree at 200 columns, with limits'
expect_status 0 perun show a.perf callers 'operator new(unsigned long)'
expect_text 'time of a.perf: 204 ms

Callers of operator new(unsigned long): 30.0 ms, 14.7 % of everything

  total  total %              function
30.0 ms  100.0 %  ██████████  operator new(unsigned long)
30.0 ms  100.0 %  ██████████  ↳ std::vector<…>::emplace_back<…>(…)
30.0 ms  100.0 %  ██████████  ↳ run
30.0 ms  100.0 %  ██████████  ↳ main' "$out" 'callers'
expect_status 0 perun show a.perf callees compute
expect_text 'time of a.perf: 204 ms

Callees of compute: 160 ms, 78.4 % of everything

 total  total %  self %                            function
160 ms  100.0 %  25.0 %  ██████░░░░░░░░░░░░░░░░░░  compute
120 ms   75.0 %  75.0 %  ██████████████████        ↳ inner' "$out" 'callees'
expect_status 0 perun show --form csv a.perf callers '^r'
expect_text 'name,total,total_share,depth,file,line,address
run,190,1,0,,,
main,190,1,1,,,
read,10,1,0,,,
io,10,1,1,,,
main,10,1,2,,,' "$out" 'callers by an expression, as CSV'
expect_status 0 perun show --json a.perf tree --minimum 50
expect_text '{
 "view": "tree",
 "profile": "a.perf",
 "metric": "time",
 "unit": "ms",
 "by": "function",
 "total": 204,
 "unfiltered": 204,
 "rows": [
  {
   "name": "main",' "$(printf '%s\n' "$out" | head -n 11)" 'tree as JSON'
check 'tree as JSON: a row for what is small' grep -q '"merged": [1-9]' "$work/.result/stdout"
described_keys tree
expect_status 0 perun show --json a.perf callers inner
described_keys callers
expect_status 0 perun show --json a.perf callees run
described_keys callees
expect_status 3 perun show a.perf callees nobody
expect_err 'no function of a.perf matches nobody'
expect_status 2 perun show a.perf callers '['
expect_status 2 perun show a.perf callers
cat >flat.perf <<'PROFILE'
{"header": {"type": "memory", "cmd": "./a", "workload": "", "units": {"memory": "B"}},
 "collector_info": {"name": "memory", "params": {}}, "postprocessors": [],
 "global": {"time": "1", "resources": [
  {"amount": 2048, "type": "memory", "subtype": "malloc", "uid": {"source": "m.c", "function": "main"}}]}}
PROFILE
expect_status 3 perun show flat.perf tree
expect_err 'flat.perf has no stacks to make a tree of; the view top shows it'

# Recursion is counted once; a thousand levels fit into the terminal.
stack_profile r.perf <<'STACKS'
main;f;g;f;g 4
main;f 1
STACKS
expect_status 0 env COLUMNS=40 "$PERUN" show r.perf callers g
expect_text 'time of r.perf: 5.00 ms

Callers of g: 4.00 ms, 80.0 % of everything

  total  total %                  function
4.00 ms  100.0 %  ██████████████  g
4.00 ms  100.0 %  ██████████████  ↳ f
4.00 ms  100.0 %  ██████████████  ↳ g
4.00 ms  100.0 %  ██████████████  ↳ f
4.00 ms  100.0 %  ██████████████  ↳ main' "$out" 'callers: recursion'
{
	awk 'BEGIN { s = "f0"; for (i = 1; i < 1000; i++) { print s ";leaf 1"; s = s ";f" i } }'
} | stack_profile deep.perf
expect_status 0 perun show deep.perf tree --minimum 0 --limit 0
check 'deep: no line is wider than the terminal' test "$(wc -L <"$work/.result/stdout")" -le 80
check 'deep: all calls are there' test "$(grep -c leaf "$work/.result/stdout")" = 999

# Calls without stacks: one level.
cat >calls.callgrind <<'CALLS'
# callgrind format
version: 1
creator: test
positions: line
events: Cycles
fl=m.c
fn=main
16 20
cfn=f
calls=1 50
16 400
cfn=g
calls=2 60
17 700

fn=f
51 100
cfn=g
calls=3 60
51 300

fn=g
62 1000
CALLS
expect_status 0 perun show calls.callgrind callers g
expect_text 'Cycles of calls.callgrind: 1,120

Callers of g: 1,000, 89.3 % of everything

total  total %                            function
1,000  100.0 %  ████████████████████████  g
  700   70.0 %  ████████████████▊         ├─ main
  300   30.0 %  ███████▎                  └─ f

The profile has no stacks: these are direct calls.' "$out" 'callers of callgrind'
expect_status 0 perun show calls.callgrind callees main --minimum 60
expect_text 'Cycles of calls.callgrind: 1,120

Callees of main: 1,120, 100.0 % of everything

total  total %  self %                            function
1,120  100.0 %   1.8 %  ▍░░░░░░░░░░░░░░░░░░░░░░░  main
  700   62.5 %       -  ░░░░░░░░░░░░░░░           ├─ g
  400   35.7 %       -  ░░░░░░░░░                 └─ 1 smaller

The profile has no stacks: these are direct calls.' "$out" 'callees of callgrind'
expect_status 3 perun show calls.callgrind tree
expect_err 'the views callers and callees show it'
expect_status 0 perun showdiff calls.callgrind calls.callgrind
expect_out 'Without stacks nothing is known of callers.'

finish
