# SPDX-License-Identifier: BSD-3-Clause
# perun show with raw and tableof, perun postprocessby with normalizer and filter, on plain files: no
# repository and no store are needed.
. "${top_srcdir:-.}/tests/cli/lib.sh"

cat >p.perf <<'PROFILE'
{"header": {"type": "memory", "cmd": "./a", "workload": "", "units": {"memory": "B"}},
 "collector_info": {"name": "memory", "params": {}}, "postprocessors": [],
 "global": {"time": "1", "resources": [
  {"amount": 8, "type": "memory", "subtype": "malloc",
   "uid": {"source": "m.c", "function": "main", "line": 3}},
  {"amount": 1, "type": "memory", "subtype": "free",
   "uid": {"source": "m.c", "function": "done", "line": 9}},
  {"amount": 16, "type": "memory", "subtype": "malloc",
   "uid": {"source": "n.c", "function": "f", "line": 7}}]}}
PROFILE

expect_status 0 perun show p.perf tableof resources -h uid,amount -s amount -r
check 'tableof: columns and order' test "$out" = 'uid           amount
----------  --------
n.c:f:7           16
m.c:main:3         8
m.c:done:9         1'
expect_status 0 perun show -o t.csv p.perf tableof resources -h uid:function,amount
check 'tableof: the form by the name of the file' test "$(cat t.csv)" = 'uid:function,amount
main,8
done,1
f,16'
expect_status 0 perun show p.perf tableof -tf -of t.txt -f github resources -h amount -f uid:line 7
check 'tableof: a file of its own' test "$(cat t.txt)$out" = '|   amount |
|----------|
|       16 |'
expect_status 0 perun show p.perf tableof -tf resources -h amount -f uid:line 7
check 'tableof: a file called as the profile' test "$(sed 1,2d resources_of_p)" = '      16'
BROWSER=true expect_status 0 perun show p.perf bars sum -o amount -b uid -f page -v
check 'bars: a page for the browser' grep -q '^<!DOCTYPE html>' page.html
expect_status 2 perun show p.perf tableof resources -h amuont
check 'tableof: the columns there are' test "${err#*no amuont, only: amount, }" != "$err"
expect_status 0 perun show p.perf tableof models
check 'tableof: no models' test "$out" = ''

expect_status 0 perun show p.perf raw --one-line
check 'raw: one line' test "$(wc -l <"$work/.result/stdout")" = 1
one_line=$out
expect_status 0 perun show p.perf raw
printf '%s\n' "$out" >copy.perf
expect_status 0 perun show copy.perf raw --one-line
check 'raw: what it prints is the profile' test "$out" = "$one_line"

expect_status 0 perun postprocessby -o n.perf p.perf normalizer
expect_status 0 perun show n.perf tableof resources -h amount
check 'normalizer: fractions' test "$out" = '  amount
--------
  0.5
  0.0625
  1'
expect_status 0 perun postprocessby -o f.perf p.perf filter -w 'amount > 1' -w 'uid:source == n.c'
check 'filter: says what it dropped' test \
	"$err" = 'perun: dropped 2 of 3 rows: 1 by amount > 1, 1 by uid:source == n.c'
expect_status 0 perun show f.perf tableof -f csv resources -h uid,amount
check 'filter: the rest' test "$out" = 'uid,amount
n.c:f:7,16'
expect_status 2 perun postprocessby -o g.perf p.perf filter -w 'amount >'
check 'filter: a failure leaves no file' test ! -e g.perf

finish
