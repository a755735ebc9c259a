# SPDX-License-Identifier: BSD-3-Clause
# perun show with the views bars and flow: aggregated values, stacked, grouped, accumulated.
. "${top_srcdir:-.}/tests/cli/lib.sh"

python3 - <<'PYTHON'
import json
def resource(uid, amount, subtype="malloc"):
    return {"amount": amount, "uid": {"function": uid, "source": "m.c", "line": 3}, "type": "memory", "subtype": subtype, "address": 7}
snapshots = [
    {"time": "0.1", "resources": [resource("f<b>", 10), resource("f<b>", 30), resource("g", 5, "calloc")]},
    {"time": "0.2", "resources": [resource("g", 100)]},
    {"time": "0.3", "resources": [resource("f<b>", 2, "free"), resource("h", 1)]},
]
json.dump({"header": {"type": "memory", "cmd": "c", "workload": "w", "units": {"memory": "B"}}, "collector_info": {"name": "memory", "params": {}},
           "postprocessors": [], "snapshots": snapshots}, open("m.perf", "w"))
PYTHON
series() { # of the figure f.json: NAME: x y low, ...
	python3 - <<'PYTHON'
import json
for s in json.load(open("f.json"))["charts"][0]["series"]:
    print(f"{s['name']}:", *(f"{x:g} {'-' if y is None else format(y, 'g')}" + (f" {low:g}" if "low" in s else "") for x, y, low in
                             zip(s["x"], s["y"], s.get("low", s["x"]))), sep=" | ")
PYTHON
}
expect_status 0 perun show -o f.json m.perf bars --by uid:function
expect_text 'g: | 0 5 0 | 1 100 0
f<b>: | 0 45 5 | 2 2 0
h: | 2 3 2' "$(series)" 'sums per snapshot, stacked'
expect_status 0 perun show -o f.json m.perf bars mean --per uid:function --by subtype
expect_text 'malloc: | 0 100 0 | 1 20 0 | 2 1 0
calloc: | 0 5 0
free: | 1 2 0' "$(series)" 'means, side by side'
expect_status 0 perun show -o f.json m.perf bars count --per subtype --by uid:function --limit 1
expect_text 'f<b>: | 0 2 0 | 2 1 0
2 others: | 0 4 2 | 1 1 0' "$(series)" 'what is beyond the limit is put together'
expect_status 0 perun show -o f.json m.perf bars nunique --of subtype --per uid:function --by address
expect_status 0 perun show m.perf bars --by uid:function --width 70
expect_out 'sum of amount per snapshots'
expect_out '100 B'
expect_status 0 perun show m.perf bars median --per uid:function --by subtype --width 60
expect_out '100 B'

# Subtypes where there is one uid; what is zero is one; one of several metrics of an experiment.
python3 - <<'PYTHON'
import json
rows = [{"amount": a * k, "uid": "./p", "order": k, "type": "time", "subtype": s} for k in (1, 2) for s, a in (("real", 5), ("sys", 1))]
json.dump({"header": {"type": "time", "cmd": "c", "workload": "w", "units": {"time": "s"}}, "global": {"time": "1", "resources": rows}}, open("time.perf", "w"))
rows = [{"amount": 3 if u == "f" else 0, "uid": u, "type": "mixed"} for u in "efgh"]
json.dump({"header": {"type": "mixed", "cmd": "c", "workload": "w", "units": {"mixed": "us"}}, "global": {"time": "1", "resources": rows}}, open("zero.perf", "w"))
PYTHON
expect_status 0 perun show -o f.json time.perf bars
expect_text ': | 0 7.5 0 | 1 1.5 0' "$(series)" 'a bar for each subtype'
expect_status 0 perun show -o f.json time.perf flow
expect_text 'real: | 1 5 | 2 15
sys: | 1 1 | 2 3' "$(series)" 'a line for each subtype'
expect_status 0 perun show zero.perf bars
expect_out '3 others'
printf 'PARAMETER p\nPOINTS 4 8 16\nMETRIC visits\nREGION main\nDATA 1\nDATA 2\nDATA 4\n' >two.txt
printf 'METRIC time\nREGION main\nDATA 10 20\nDATA 30 40\nDATA 50 60\n' >>two.txt
expect_status 0 perun show -o f.json two.txt flow
expect_text 'main: | 4 1 | 8 2 | 16 4' "$(series)" 'metrics are not added up'
expect_status 0 perun show -o f.json two.txt flow --where 'metric = time'
expect_text 'main: | 4 15 | 8 35 | 16 55' "$(series)" 'the metric that is asked for, as means'
expect_status 0 perun show two.txt bars --per metric
expect_out ' 210'
expect_status 0 perun show two.txt bars
expect_out 'also measured: time'

expect_status 0 perun show -o f.json m.perf flow --by uid:function
expect_text 'g: | 0 5 | 1 105 | 2 105
f<b>: | 0 40 | 1 40 | 2 42
h: | 0 0 | 1 0 | 2 1' "$(series)" 'flow: accumulated'
expect_status 0 perun show -o f.json m.perf flow --by uid:function --no-accumulate --stacked
expect_text 'g: | 0 5 0 | 1 100 0 | 2 0 0
f<b>: | 0 45 5 | 1 100 100 | 2 2 0
h: | 0 45 45 | 1 100 100 | 2 3 2' "$(series)" 'flow: each moment alone, stacked'
expect_status 0 perun show -o f.json m.perf flow max --by uid:function
expect_text 'g: | 0 5 | 1 100
f<b>: | 0 30 | 2 2
h: | 2 1' "$(series | sed 's/ | [0-9]* -//g')" 'flow: other functions leave gaps'
expect_status 0 perun show m.perf flow --by uid:function --width 70
expect_out 'sum of amount [B]'

for view in 'bars --by uid:function' 'flow --by uid:function --stacked'; do
	# shellcheck disable=SC2086
	expect_status 0 perun show m.perf $view -f f.svg
	check 'the picture is XML' python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("f.svg")'
	# shellcheck disable=SC2086
	expect_status 0 perun show -o f.html m.perf $view --title 'My <title>'
	check 'names are no markup' test "$(grep -c 'f<b>\|My <title>' f.html)" = 0
done
# As wide as it is: with a terminal of any width no line is cut or too long.
for width in 40 80 120 200; do
	for view in 'bars --by uid:function' 'flow --by uid:function' 'flow --stacked' histogram box 'scatter --per address'; do
		# shellcheck disable=SC2086
		run perun show m.perf $view --width $width
		[ "$status" = 0 ] && python3 -c '
import sys
lines = sys.argv[2].split("\n")
assert max(map(len, lines)) <= int(sys.argv[1]), max(lines, key=len)
assert "\033" not in sys.argv[2]' $width "$out" || not_ok "$view, $width columns"
	done
	ok "$width columns"
done
expect_status 2 perun show m.perf bars --stacked --grouped
expect_err 'not both'
expect_status 2 perun show m.perf bars mode
expect_status 3 perun show m.perf bars --of nothing
expect_err 'no numbers called nothing'
expect_status 3 perun show m.perf bars --per nothing
expect_err 'no key nothing'
expect_status 3 perun show m.perf flow --through subtype
expect_err 'needs numbers along its axis'
printf 'a;b 3\na;c 4\na;c;b 5\n' >x.collapsed
expect_status 0 perun show x.collapsed bars --width 50
expect_out 'sum of'
expect_out 'b' 'of stacks the functions at their leaves'

# Names that have no room side by side become rows: all of them, within the picture, as long as their values.
python3 - <<'PYTHON'
import json
def profile(name, rows, kind="mixed"):
    json.dump({"header": {"type": kind, "cmd": "c", "workload": "", "units": {kind: "us"}}, "collector_info": {"name": "c", "params": {}},
               "postprocessors": [], "global": {"time": "1", "resources": rows}}, open(name, "w"))
profile("long.perf", [{"amount": 10 * (i + 1), "uid": f"namespace::of::a::very::long::name_{i}", "type": "mixed"} for i in range(25)])
profile("sizes.perf", [{"amount": i, "structure-unit-size": i // 2, "uid": "f", "type": "mixed"} for i in range(20)])
profile("same.perf", [{"amount": i, "structure-unit-size": 0, "order": i, "uid": "f", "type": "mixed"} for i in range(20)])
profile("none.perf", [{"amount": i, "uid": "f", "type": "mixed"} for i in range(20)])
PYTHON
expect_status 0 perun show -o long.svg long.perf bars
expect_text '' "$(python3 - 2>&1 <<'PYTHON'
import xml.etree.ElementTree as tree
root = tree.parse("long.svg").getroot()
width, height = float(root.get("width")), float(root.get("height"))
texts = [t for t in root.iter() if t.tag.endswith("}text")]
names = [t for t in texts if "name_" in t.text]
assert len(names) == 25 and all("…" not in t.text for t in names), [t.text for t in names]
for text in texts:
    x, y, room = float(text.get("x")), float(text.get("y")), 7.2 * len(text.text)
    left = x - (room if text.get("class") == "end" else room / 2 if "mid" in (text.get("class") or "") else 0)
    assert left >= -12 and left + room <= width + 60 and 0 < y <= height, (text.text, left, room)
places = sorted(float(t.get("y")) for t in names)
assert all(b - a >= 14 for a, b in zip(places, places[1:])), places
bars = {r.find("{*}title").text.split(": ")[0][-2:].strip("_"): float(r.get("width")) for r in root.iter() if r.get("class", "").startswith("bar")}
assert len(bars) == 25 and abs(bars["24"] / bars["4"] - 5) < 0.05, bars
PYTHON
)" 'long names are rows'

# What lies along the axis where nobody says it.
axis() { # of the first chart of a view
	perun show -o f.json "$1" "$2" && python3 -c 'import json
chart = json.load(open("f.json"))["charts"][0]
print(chart["x"]["title"], min(len(s["x"]) for s in chart["series"]))'
}
expect_text 'structure-unit-size 10' "$(axis sizes.perf flow)" 'flow of one snapshot: through sizes'
expect_text 'order 20' "$(axis same.perf flow)" 'through order where sizes are all the same'
expect_text 'order 20' "$(axis same.perf scatter)" 'scatter: the same'
expect_text 'snapshots 3' "$(axis m.perf flow)" 'snapshots where there are several'
expect_status 3 perun show none.perf flow
expect_err 'the view bars shows one moment'
expect_status 3 perun show none.perf scatter
expect_err 'histogram and box show one key'
# One value of a line alone is a dot.
expect_status 0 perun show -o dot.svg m.perf flow max --by uid:function
check 'a single value is seen' grep -q 'class="line[^>]*h0' dot.svg
finish
