# SPDX-License-Identifier: BSD-3-Clause
# perun show with the views tableof and raw: several sort keys, conditions, every form.
. "${top_srcdir:-.}/tests/cli/lib.sh"

python3 - <<'PYTHON'
import json
rows = [{"amount": a, "uid": u, "type": "memory", "subtype": s, "address": 12345678901234567}
        for a, u, s in ((3, "b", "malloc"), (1, "a", "calloc"), (7, "a", "malloc"), (5, "b", "</script><b>|x"))]
json.dump({"header": {"type": "memory", "cmd": "c", "workload": "w", "units": {"memory": "B"}}, "collector_info": {"name": "memory", "params": {}},
           "postprocessors": [], "global": {"time": "1", "resources": rows}}, open("m.perf", "w"))
PYTHON
expect_status 0 perun show --form csv m.perf tableof resources -h uid,amount --sort-by uid,amount:desc
expect_text 'uid,amount
a,7
a,1
b,5
b,3' "$out" 'each key has its direction'
expect_status 0 perun show --form csv m.perf tableof resources -h uid,amount --sort-by uid:desc,amount:asc
expect_text 'uid,amount
b,3
b,5
a,1
a,7' "$out" 'and the other way round'
expect_status 0 perun show --form csv m.perf tableof resources -h uid,amount --sort-by uid --sort-by amount:desc --reverse
expect_text 'uid,amount
b,3
b,5
a,1
a,7' "$out" 'reversed'
expect_status 2 perun show m.perf tableof resources --sort-by nothing:desc
expect_err 'have no nothing'
expect_status 0 perun show --form markdown m.perf tableof resources -h uid,subtype --where 'amount = 5'
expect_out '\|x'
expect_status 0 perun show --form json m.perf tableof resources --where 'amount > 4' -h amount
expect_text '[
 {"amount": 7},
 {"amount": 5}
]' "$out" 'conditions'
expect_status 0 perun show -o t.html m.perf tableof resources
expect_status 0 perun show -o r.html m.perf raw
for page in t r; do
	check "$page: names are no markup" test "$(grep -c '</script><b>' $page.html)" = 0
	check "$page: the page calls nobody" test "$(grep -c 'https\?://' $page.html)" = 0
	check "$page: the page has a policy" grep -q "default-src 'none'" $page.html
done
expect_status 0 perun show m.perf raw --where 'amount > 4' --where 'uid = a'
check 'raw: conditions' python3 -c '
import json, sys
assert [list(r["amount"]) for r in json.loads(sys.argv[1])["resources"].values()] == [[7]]' "$out"
expect_status 0 perun show --form markdown m.perf m.perf raw --one-line
check 'raw: blocks of code' test "$(printf '%s\n' "$out" | grep -c '^```')" = 4
expect_status 2 perun show m.perf raw --where 'amount >'
expect_status 3 perun show nothing.perf raw
finish
