# SPDX-License-Identifier: BSD-3-Clause
# perun show with the view top, of one profile and of two: exact text for several widths.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/stacks-lib.sh"

stack_profile a.perf <<'STACKS'
main;run;compute;inner 120
main;run;compute 40
main;run;std::vector<std::pair<int, std::string>, std::allocator<std::pair<int, std::string> > >::emplace_back<int>(int&&);operator new(unsigned long) 30
main;io;read 10
main;io 3
main 1
STACKS
stack_profile b.perf <<'STACKS'
main;run;compute;inner 200
main;run;compute 38
main;run;fresh;operator new(unsigned long) 30
main;io;write 10
main;io 3
main 2
STACKS

# ---- one profile -----------------------------------------------------------------------------

export COLUMNS=80
expect_status 0 perun show a.perf top
expect_text 'time of a.perf: 204 ms

   self  self %                      total  total %  function
 120 ms  58.8 %  ████████████████   120 ms   58.8 %  inner
40.0 ms  19.6 %  █████▍             160 ms   78.4 %  compute
30.0 ms  14.7 %  ████              30.0 ms   14.7 %  operator new(unsigned long)
10.0 ms   4.9 %  █▍                10.0 ms    4.9 %  read
3.00 ms   1.5 %  ▍                 13.0 ms    6.4 %  io

3 functions below 0.5 % not shown, together 0.5 %' "$out" 'top at 80 columns'
expect_status 0 env COLUMNS=40 "$PERUN" show a.perf top
expect_text 'time of a.perf: 204 ms

   self  self %  function
 120 ms  58.8 %  inner
40.0 ms  19.6 %  compute
30.0 ms  14.7 %  operator new(…)
10.0 ms   4.9 %  read
3.00 ms   1.5 %  io

3 functions below 0.5 % not shown, together 0.5 %' "$out" 'top at 40 columns'
expect_status 0 env LC_ALL=C "$PERUN" show a.perf top --sort total --minimum 0 -n 5
expect_text 'time of a.perf: 204 ms

   self  self %                      total  total %  function
1.00 ms   0.5 %  ----------------   204 ms  100.0 %  main
      0   0.0 %  ---------------    190 ms   93.1 %  run
40.0 ms  19.6 %  ###----------      160 ms   78.4 %  compute
 120 ms  58.8 %  #########          120 ms   58.8 %  inner
30.0 ms  14.7 %  ##                30.0 ms   14.7 %  operator new(unsigned long)

3 more functions beyond the first 5 not shown, together 6.4 %' "$out" 'top in ASCII, by total'
expect_status 0 perun show a.perf top --focus compute --hide inner --relative -n 1
expect_text 'time of a.perf: 160 ms of 204 ms (78.4 % passed the filters)

  self   self %                             total  total %  function
160 ms  100.0 %  ████████████████████████  160 ms  100.0 %  compute

2 functions below 0.5 % not shown, together 0.0 %' "$out" 'filters: names'
expect_status 0 perun show --form csv a.perf top --where 'amount < 20' --minimum 1
expect_text 'name,self,self_share,total,total_share,file,line,address
read,10,0.049019607843137254,10,0.049019607843137254,,,
io,3,0.014705882352941176,13,0.06372549019607843,,,' "$out" 'top as CSV, some rows'
expect_status 2 perun show a.perf top --focus '('
expect_err "--focus: regular expression '(', character 2"
expect_status 0 perun show a.perf top --focus nowhere
expect_err '--focus nowhere matches nothing in a.perf'
expect_status 2 perun show a.perf top --metric fuel
expect_err 'a.perf has no metric fuel, only: time'
expect_status 2 perun show a.perf top --sort delta
expect_status 0 perun show --json a.perf top -n 1
expect_text '{
 "view": "top",
 "profile": "a.perf",
 "metric": "time",
 "unit": "ms",
 "by": "function",
 "total": 204,
 "unfiltered": 204,
 "rows": [
  {
   "name": "inner",
   "self": 120,
   "self_share": 0.5882352941176471,
   "total": 120,
   "total_share": 0.5882352941176471,
   "file": "",
   "line": 0,
   "address": 0
  }
 ],
 "not_shown": {
  "rows": 7,
  "self": 84
 }
}' "$out" 'top as JSON'
described_keys top

# ---- two profiles ----------------------------------------------------------------------------

expect_status 0 perun show a.perf b.perf top
expect_text 'time of a.perf and b.perf: 204 ms, now 283 ms (+38.7 %)

   base      new    change  of itself                      total change  function
 120 ms   200 ms  +80.0 ms    +66.7 %           █████████      +80.0 ms  inner
10.0 ms        0  -10.0 ms       gone          █               -10.0 ms  read
      0  10.0 ms  +10.0 ms        new           █              +10.0 ms  write
40.0 ms  38.0 ms  -2.00 ms     -5.0 %          █               +78.0 ms  compute

6 functions below 0.5 % not shown, together +1.00 ms' "$out" 'top of two profiles'
expect_status 0 env COLUMNS=100 LC_ALL=C "$PERUN" show a.perf b.perf top --normalize -n 2
expect_text 'time of a.perf and b.perf: 283 ms, now 283 ms (0.0 %), the first scaled to the sum of the second

   base      new    change  of itself                            total change  function
 166 ms   200 ms  +33.5 ms    +20.1 %              ++++++++++++      +33.5 ms  inner
55.5 ms  38.0 ms  -17.5 ms    -31.5 %        ------                  +16.0 ms  compute

5 functions below 0.5 % not shown, together -549 us
3 more functions beyond the first 2 not shown, together -15.5 ms' "$out" 'top, normalized'
expect_status 0 perun show --json a.perf b.perf top
described_keys top

# ---- what has no stacks, and names that mean harm ----------------------------------------------

cat >flat.perf <<'PROFILE'
{"header": {"type": "memory", "cmd": "./a", "workload": "", "units": {"memory": "B"}},
 "collector_info": {"name": "memory", "params": {}}, "postprocessors": [],
 "global": {"time": "1", "resources": [
  {"amount": 2048, "type": "memory", "subtype": "malloc", "uid": {"source": "m.c", "function": "main"}},
  {"amount": 1, "type": "memory", "subtype": "free", "uid": {"source": "m.c", "function": "done"}},
  {"amount": 16, "type": "memory", "subtype": "malloc", "uid": {"source": "n.c", "function": "f"}}]}}
PROFILE
expect_status 0 env COLUMNS=60 "$PERUN" show flat.perf top
expect_text 'memory(malloc) of flat.perf: 2.02 KiB

    self  self %                    total  total %  name
2.00 KiB  99.2 %  █████████████  2.00 KiB   99.2 %  m.c:main
    16 B   0.8 %  ▏                  16 B    0.8 %  n.c:f' "$out" 'top by uid'
expect_status 2 perun show flat.perf top --show-from main
expect_err '--show-from works on stacks, and flat.perf has none'
long=$(head -c 10000 /dev/zero | tr '\0' '<')
stack_profile bad.perf <<STACKS
main;\\u001b[31mred\\u001b]0;title\\u0007;e\\u0301\\u4e2d\\u6587 3
main;ns::$long::f(int) 2
STACKS
expect_status 0 env COLUMNS=60 "$PERUN" show bad.perf top
check 'no escape sequence gets through' test -z "$(tr -d '[:print:]\n\200-\377' <"$work/.result/stdout")"
check 'no line is wider than the terminal' test "$(wc -L <"$work/.result/stdout")" -le 60

# Options of the command may come after the view as well.
expect_status 0 perun show flat.perf top --json
expect_out '"view": "top"'
expect_status 0 perun show --output before.csv flat.perf top --output behind.csv
check 'what comes after counts' test -s behind.csv -a ! -e before.csv
expect_status 0 perun show flat.perf top --form markdown
expect_out '|'
expect_status 2 perun show flat.perf top --form nosuch

# Allocations together, whichever function made them; what was freed is not added.
python3 - <<'PYTHON'
import json
def row(subtype, amount, name):
    uid = {"function": name, "source": "m.c", "line": 3}
    return {"amount": amount, "uid": uid, "type": "memory", "subtype": subtype, "address": 1, "trace": [uid]}
json.dump({"header": {"type": "memory", "cmd": "c", "workload": "", "units": {"memory": "B"}}, "collector_info": {"name": "memory", "params": {}},
           "postprocessors": [], "snapshots": [{"time": "1", "resources": [
               row("malloc", 100, "a"), row("calloc", 300, "b"), row("free", 77, "a"), row("realloc", 50, "a")]}]}, open("memory.perf", "w"))
PYTHON
expect_status 0 perun show memory.perf top
expect_text 'memory of memory.perf: 450 B' "$(printf '%s\n' "$out" | head -1)" 'allocations by all functions'
expect_status 0 perun show --json memory.perf flamegraph
check 'the flame graph, too' python3 -c 'import json, sys
document = json.load(sys.stdin)
metric = document["metrics"][0]
sys.exit(metric["name"] != "memory" or document["nodes"][0]["values"][0] != 450)' <"$work/.result/stdout"
expect_status 0 perun show memory.perf top --metric 'memory(malloc)'
expect_out '100 B'
expect_status 0 perun showdiff memory.perf memory.perf flamegraph
expect_out '450 B'

finish
