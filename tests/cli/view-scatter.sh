# SPDX-License-Identifier: BSD-3-Clause
# perun show with the view scatter: points, curves of models, and what is refused.
. "${top_srcdir:-.}/tests/cli/lib.sh"

python3 - <<'PYTHON'
import json
resources = [{"amount": 3.0 * i + 1, "uid": uid, "structure-unit-size": i, "type": "mixed", "subtype": "time delta"}
             for i in range(1, 11) for uid in ("f<b>", "g")]
models = [
    {"uid": "g", "model": "linear", "method": "full", "r_square": 0.99, "x_start": 1, "x_end": 10,
     "coeffs": [{"name": "b0", "value": 1.0}, {"name": "b1", "value": 3.0}]},
    {"uid": "g", "model": "regressogram", "r_square": 0.9, "x_start": 1, "x_end": 10, "bucket_stats": [5.5, 20.5, 28.0],
     "per_key": "structure-unit-size", "of_key": "amount", "buckets_method": "user", "statistic_function": "mean", "y_start": 4},
    {"uid": "g", "model": "moving_average", "moving_method": "sma", "window_width": 3, "r_square": 0.8, "x_start": 1, "x_end": 10,
     "bucket_stats": ["NaN", 7, 10, 13, 16, 19, 22, 25, 28, "NaN"], "per_key": "structure-unit-size"},
    {"uid": "g", "model": "kernel_regression", "kernel_mode": "estimator", "bandwidth": 1, "r_square": 0.7, "x_start": 1, "x_end": 10,
     "bucket_stats": [4] * 10, "per_key": "another"},
]
json.dump({"header": {"type": "mixed", "cmd": "c", "workload": "w", "units": {"mixed(time delta)": "us"}},
           "collector_info": {"name": "complexity", "params": {}}, "postprocessors": [],
           "global": {"timestamp": 1, "resources": resources, "models": models}}, open("p.perf", "w"))
PYTHON
expect_status 0 perun show -o p.json p.perf scatter
check 'points and curves' python3 -c '
import json
figure = json.load(open("p.json"))
assert figure["title"] == "amount per structure-unit-size", figure["title"]
f, g = figure["charts"]
assert (f["title"], g["title"]) == ("f<b>", "g")
assert g["x"]["title"] == "structure-unit-size" and g["y"]["unit"] == "us", g["y"]
points, linear, steps, moving = g["series"]
assert points["mark"] == "points" and points["x"] == list(range(1, 11)) and points["y"][2] == 10, points
assert linear["name"].startswith("linear") and linear["x"][0] == 1 and abs(linear["y"][-1] - 31) < 1e-9, linear
assert steps["x"] == [1, 4, 4, 7, 7, 10] and steps["y"] == [5.5, 5.5, 20.5, 20.5, 28, 28], steps
assert moving["x"] == list(range(1, 11)) and moving["y"] == [None, 7, 10, 13, 16, 19, 22, 25, 28, None], moving
assert len(f["series"]) == 1, f'
expect_status 0 perun show p.perf scatter --width 70
expect_out 'linear (r² 0.990)'
expect_out 'amount [µs]'
expect_status 0 perun show -o p.json p.perf scatter --together --log both --of structure-unit-size --per amount
check 'together, other keys' python3 -c '
import json
chart, = json.load(open("p.json"))["charts"]
assert [s["name"] for s in chart["series"]] == ["f<b>", "g"] and chart["x"]["log"] == 10
assert chart["y"]["title"] == "structure-unit-size" and chart["series"][0]["y"] == list(range(1, 11)), chart'
expect_status 0 perun show -o p.json p.perf scatter --no-models -w 'uid == g'
check 'without models, filtered' python3 -c '
import json
chart, = json.load(open("p.json"))["charts"]
assert chart["title"] == "g" and len(chart["series"]) == 1, chart'
# Experiments.
{
	printf 'PARAMETER p\nPOINTS 4 8 16 32 64\nREGION main->f\n'
	for v in 16.1 32 64.2 127.8 256; do echo "DATA $v 1"; done
	printf 'REGION g\n'
	for v in 25 35.33 59.33 110.33 207.33; do echo "DATA $v"; done
} >e.txt
expect_status 0 perun postprocessby -o e.perf e.txt extrap
expect_status 0 perun show -o p.json e.perf scatter
check 'an experiment and its models' python3 -c '
import json
charts = {c["title"]: c for c in json.load(open("p.json"))["charts"]}
f, g = charts["f"], charts["g"]
assert f["x"]["title"] == "p" and len(f["series"][0]["x"]) == 10 and len(f["series"]) == 2, f["series"][0]
points, model = g["series"]
assert model["name"].startswith("pmnf"), model["name"]
assert (model["x"][0], round(model["x"][-1], 9)) == (4, 64), model["x"]
assert abs(model["y"][0] / 25 - 1) < 0.1 and abs(model["y"][-1] / 207.33 - 1) < 0.1, model["y"]'
expect_status 0 perun show -o p.json e.txt scatter
check "an experiment that is no Perun profile" python3 -c '
import json
charts = {c["title"]: c for c in json.load(open("p.json"))["charts"]}
assert charts["main->f"]["x"]["title"] == "p" and charts["g"]["series"][0]["x"] == [4, 8, 16, 32, 64]'
expect_status 0 perun show e.txt bars max --per p --width 60
expect_out "256"
expect_status 0 perun show -o p.svg p.perf scatter
check 'the picture is XML' python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("p.svg")'
expect_status 0 perun show p.perf scatter -f p.html
check 'names are no markup' test "$(grep -c 'f<b>' p.html)" = 0
expect_status 3 perun show p.perf scatter --per nothing
expect_err 'no numbers called nothing, only: amount'
expect_status 3 perun show p.perf scatter -w 'amount > 1000'
expect_err 'no resource fulfils'
printf '{"header": {"type": "time"}, "global": {"resources": []}}' >empty.perf
expect_status 3 perun show empty.perf scatter
expect_err 'no resources to draw'
printf 'a;b 3\na;c 4\n' >x.collapsed
expect_status 3 perun show x.collapsed scatter
expect_err 'needs a second key with numbers'
# What is left out of a picture is reported in it.
python3 - <<'PYTHON'
import json
for name, count in ("many", 300000), ("few", 50):
    json.dump({"resources": {"f#0": {"amount": [i * 7919 % 1000 for i in range(count)], "structure-unit-size": list(range(count))}},
               "resource_type_map": {"f#0": {"uid": "f", "type": "mixed"}}, "models": [], "collector_info": {"name": "c", "params": {}}, "postprocessors": [],
               "header": {"type": "mixed", "cmd": "c", "workload": "w", "units": {"mixed": "us"}}}, open(name + ".perf", "w"))
PYTHON
expect_status 0 perun show -o many.svg many.perf scatter
expect_status 0 perun show -o few.svg few.perf scatter
check 'many points: thinned' grep -q '>thinned 1:[0-9.]*<' many.svg
check 'few points: all are there' test "$(grep -c thinned few.svg)" = 0
# Points at zero are not cut by the frame.
printf '%s' '{"header": {"type": "mixed", "cmd": "c", "workload": "", "units": {"mixed": "us"}}, "collector_info": {"name": "c", "params": {}},
"global": {"time": "1", "resources": [{"amount": 0, "order": 0, "uid": "f", "type": "mixed"}, {"amount": 5, "order": 9, "uid": "f", "type": "mixed"}]}}' >zero.perf
expect_status 0 perun show -o zero.svg zero.perf scatter
expect_text '' "$(python3 - 2>&1 <<'PYTHON'
import re
text = open("zero.svg").read()
left, top, bottom, right = map(float, re.search(r'class="frame" d="M([\d.]+) ([\d.]+)V([\d.]+)H([\d.]+)"', text).groups())
points = [tuple(map(float, p)) for p in re.findall(r"M([\d.]+) ([\d.]+)h0", text)]
assert len(points) >= 2, points
assert all(left + 3 <= x <= right - 3 and top + 3 <= y <= bottom - 3 for x, y in points if y > top - 20), (points, left, top, bottom, right)
PYTHON
)" 'points at zero are whole'
finish
