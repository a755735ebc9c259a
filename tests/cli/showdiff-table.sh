# SPDX-License-Identifier: BSD-3-Clause
# perun showdiff with the views table and short, and report as a page.
. "${top_srcdir:-.}/tests/cli/lib.sh"

python3 - <<'PYTHON'
import json
def write(name, rows, unit="B", host="one", **more):
    resources = [{"amount": a, "uid": {"function": f, "source": "m.c", "line": 3}, "type": "memory", "subtype": s, "address": 7} for a, f, s in rows]
    json.dump({"header": {"type": "memory", "cmd": "c", "workload": "w", "units": {"memory": unit}}, "collector_info": {"name": "memory", "params": {}},
               "machine": {"host": host, "cpu": {"total": 4}}, "postprocessors": [], "global": {"time": "1", "resources": resources}, **more}, open(name, "w"))
write("a.perf", [(10, "f", "malloc"), (20, "f", "malloc"), (5, "g", "calloc"), (7, "gone", "malloc")])
write("b.perf", [(90, "f", "malloc"), (5, "g", "calloc"), (3, "g", "malloc"), (2.5, "<b>n</b>", "malloc")], host="two")
write("k.perf", [(1, "f", "malloc")], unit="KiB")
write("s.perf", [(1, "f", "malloc")], unit="s")
PYTHON
expect_status 0 perun showdiff --form csv a.perf b.perf table --by uid:function
expect_text 'uid:function,base,new,change,relative
f,30,90,60,2
gone,7,,-7,-1
g,5,8,3,0.6
<b>n</b>,,2.5,2.5,' "$out" 'sums side by side, the largest change first'
expect_status 0 perun showdiff --form csv a.perf b.perf table --by uid:function,subtype --sort-by uid:function --rows-where 'new is present'
expect_text 'uid:function,subtype,base,new,change,relative
<b>n</b>,malloc,,2.5,2.5,
f,malloc,30,90,60,2
g,malloc,,3,3,
g,calloc,5,5,0,0' "$out" 'several keys, sorted, filtered'
expect_status 0 perun showdiff --form csv a.perf b.perf table --by subtype --function mean -f subtype calloc
expect_text 'subtype,base,new,change,relative
calloc,5,5,0,0' "$out" 'means, of one value'
expect_status 0 perun showdiff --form csv a.perf k.perf table --by uid:function --where 'subtype = malloc' -n 1
expect_text 'uid:function,base,new,change,relative
f,0.029296875,1,0.970703125,33.13333333333333' "$out" 'units are converted'
for amount in 60 59; do
	printf '{"header":{"type":"time","cmd":"c","units":{"time":"s"}},"collector_info":{"name":"x"},"global":{"resources":[{"amount":%d,"uid":"f","type":"time"}]}}' $amount >$amount.perf
done
expect_status 0 perun showdiff 60.perf 59.perf table --by uid
check 'people read a hundredth of a percent' grep -q ' -0\.0167$' <<<"$out"
expect_status 3 perun showdiff a.perf s.perf table
expect_err 'do not convert'
expect_status 0 perun showdiff a.perf b.perf table --by uid:function
expect_out 'sum of amount of a.perf (base) and b.perf (new) in B'
expect_status 2 perun showdiff a.perf b.perf table --sort-by nothing
expect_status 3 perun showdiff a.perf b.perf table --by nothing
expect_status 2 perun show a.perf table

expect_status 0 perun showdiff a.perf b.perf short --metric 'memory(malloc)'
expect_out 'memory(malloc) of a.perf and b.perf: 37 B, now 95.5 B (+158.1 %)'
expect_out '     +60 B +200.0 %  m.c:f:3'
expect_out '      -7 B     gone  m.c:gone:3'
expect_out '       5 B       5 B    0.0 %  memory(calloc)'
expect_out 'machine host: one, now two'

expect_status 0 perun showdiff -o r.html a.perf b.perf report
check 'report: names are no markup' test "$(grep -c '<b>n</b>' r.html)" = 0
check 'report: the page calls nobody' test "$(grep -Ec '(src|href)=("|&quot;)?https?:' r.html)" = 0
check 'report: the page has a policy' grep -q "default-src 'none'" r.html
check 'report: what differs' grep -q 'class="differs"><td>machine host</td><td>one</td><td>two</td>' r.html
printf 'main;f 10\nmain;g 5\n' >a.collapsed
printf 'main;f 30\nmain;h 5\n' >b.collapsed
expect_status 0 perun showdiff -o s.html a.collapsed b.collapsed report
check 'report: a flame graph where there are stacks' grep -q '<section id="flames">.*' s.html
expect_status 0 perun showdiff -o o.html a.collapsed b.collapsed report --sections flames,changes
expect_text 'flames changes' "$(echo $(grep -o '<section id="[a-z]*"' o.html | cut -d'"' -f2))" 'report: sections in the order that was asked for'
expect_status 2 perun showdiff -o n.html a.collapsed b.collapsed report --sections flames,heap
expect_err "--sections: there is no section 'heap'; there are metrics, changes"
expect_status 2 perun showdiff -o n.html a.collapsed b.collapsed report --sections map,map
expect_err '--sections: map is named twice'
expect_status 2 perun showdiff -o n.html a.collapsed b.collapsed report --sections map,
expect_err "--sections: there is no section ''"
check 'report: and no page' [ ! -e n.html ]
check 'report: with the widths of both sides' grep -q '&#34;width&#34;:&#34;both&#34;' s.html
check 'report: and none without' test "$(grep -c '<section id="flames">' r.html)" = 0
finish
