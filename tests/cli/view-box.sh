# SPDX-License-Identifier: BSD-3-Clause
# perun show with the views box and histogram: quartiles, outliers with their names, bins.
. "${top_srcdir:-.}/tests/cli/lib.sh"

python3 - <<'PYTHON'
import json
values = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 9.0]
resources = [{"amount": v * (2 if kind == "real" else 1), "uid": "a<b>", "order": i + 1, "subtype": kind, "type": "time"}
             for i, v in enumerate(values) for kind in ("real", "sys")]
json.dump({"header": {"type": "time", "cmd": "c", "workload": "w", "units": {"time": "s"}}, "collector_info": {"name": "time", "params": {}},
           "postprocessors": [], "global": {"timestamp": 1, "resources": resources}}, open("t.perf", "w"))
PYTHON
expect_status 0 perun show -o f.json t.perf box
check 'quartiles, whiskers and outliers' python3 -c '
import json
figure = json.load(open("f.json"))
chart, = figure["charts"]
assert chart["y"]["categories"] == ["sys", "real"], chart["y"]
band, lines, points = chart["series"]
near = lambda a, b: len(a) == len(b) and all(abs(x - y) < 1e-12 for x, y in zip(a, b))
assert near(points["x"], [18, 9]) and points["y"] == [1, 0], points
assert near([x for x in band["x"] if x], [2.4, 3.2, 1.2, 1.6]), band
assert near([min(x for x in lines["x"][21:] if x), max(x for x in lines["x"][21:] if x)], [1.0, 1.7]), lines
rows = figure["rows"]
assert rows[0]["columns"] == ["2.8 s", "2.4 s to 3.2 s", "9 values, 1 outlier: 18 s (order 9)"], rows'
expect_status 0 perun show t.perf box --width 80
expect_out '1 outlier: 9 s (order 9)'
expect_out 'real ┤'
expect_status 0 perun show t.perf box --width 80 --by uid --log
expect_out 'a<b>'

expect_status 0 perun show -o f.json t.perf histogram --bins 8 -w 'subtype == sys'
check 'bins' python3 -c '
import json
chart, = json.load(open("f.json"))["charts"]
assert chart["title"] == "a<b>" and chart["note"] == "9 values, 1 outlier: 9 s (order 9)", chart["note"]
bars, density = chart["series"]
assert bars["y"] == [8, 0, 0, 0, 0, 0, 0, 1] and bars["left"] == -0.5 and bars["right"] == 0.5, bars
assert bars["x"][0] == 1.5 and bars["x"][-1] == 8.5
step = density["x"][1] - density["x"][0]
assert abs(sum(density["y"]) * step - 9) < 0.3, "the density has the area of the bars"
assert chart["rules"][0]["at"] == 1.4'
expect_status 0 perun show -o f.json t.perf histogram
check 'a chart for each' python3 -c '
import json
assert [c["title"] for c in json.load(open("f.json"))["charts"]] == ["real", "sys"]'
expect_status 0 perun show t.perf histogram --width 70
expect_out 'median 1.4 s'
printf '{"header": {"type": "time", "units": {"time": "s"}}, "global": {"resources": [{"amount": 3, "uid": "f"}, {"amount": 3, "uid": "f"}]}}' >same.perf
expect_status 0 perun show -o f.json same.perf histogram
check 'equal values are one bar' python3 -c '
import json
bars, = json.load(open("f.json"))["charts"][0]["series"]
assert bars["y"] == [2] and bars["x"] == [3], bars'
expect_status 0 perun show same.perf box --width 60
for view in box histogram; do
	expect_status 0 perun show t.perf $view -f f.svg --by uid
	check 'the picture is XML' python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("f.svg")'
	expect_status 0 perun show -o f.html t.perf $view --by uid
	check 'names are no markup' test "$(grep -c 'a<b>' f.html)" = 0
	expect_status 3 perun show t.perf $view --of subtype
	expect_err 'no numbers called subtype, only: amount'
done
finish
