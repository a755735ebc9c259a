# SPDX-License-Identifier: BSD-3-Clause
# perun show with the view scaling: curves, predictions, the tree, and what is refused.
. "${top_srcdir:-.}/tests/cli/lib.sh"

{
	printf 'PARAMETER p\nPOINTS 4 8 16 32 64\nMETRIC time\nREGION main->solve\n'
	for p in 4 8 16 32 64; do echo "DATA $((10 + 3 * p)) $((12 + 3 * p))"; done
	printf 'REGION main->init\n'
	for p in 4 8 16 32 64; do echo "DATA 5"; done
	printf 'REGION main->x<b>&\n'
	for p in 4 8 16 32 64; do echo "DATA $((p * p / 8))"; done
} >e.txt
expect_status 0 perun show e.txt scaling --width 100
expect_out 'time by p'
expect_out '3 call paths, 5 points · predicted at p = 256'
expect_out 'measured up to p = 64; beyond: all forms that fit'
expect_out '0.125 * p^2'
check 'no wider than it may be' python3 -c 'import sys; assert all(len(line) <= 100 for line in sys.argv[1].split("\n"))' "$out"
LC_ALL=C expect_status 0 perun show e.txt scaling --width 60 --at p=128
expect_out 'predicted at p = 128'

# What models say, as a program reads it.
expect_status 0 perun show -o e.json e.txt scaling --at p=128
row() { # NAME: its columns
	python3 - "$1" <<'PYTHON'
import json, sys
print(*[" | ".join(row["columns"]) for row in json.load(open("e.json"))["rows"] if row["name"] == sys.argv[1]])
PYTHON
}
expect_text '395 s | 16.1 % | 0.0 % | 11 + 3 * p' "$(row solve)" 'predicted, its share, its error, and the model'
expect_text '5 s | 0.2 % | 0.0 % | 5' "$(row init)" 'a constant'
expect_text '2048 s | 83.7 % | 0.0 % | 0.125 * p^2' "$(row 'x<b>&')" 'the costliest'
check 'the costliest comes first in the chart' python3 -c '
import json
chart = json.load(open("e.json"))["charts"][0]
series = [s for s in chart["series"] if s["mark"] == "points"]
assert [s["name"] for s in series] == ["main->x<b>&", "main->solve", "main->init"], series
assert series[1]["x"] == [4, 8, 16, 32, 64] and series[1]["y"] == [23, 35, 59, 107, 203], series
assert chart["x"]["log"] == 2 and chart["y"]["log"] == 10, chart
curve = [s for s in chart["series"] if s["mark"] == "line" and s["name"] == "main->solve"][0]
assert abs(curve["y"][-1] - 395) < 1e-6 and curve["x"][-1] == 128, curve'
expect_status 0 perun show -o e.json e.txt scaling -c solve -c init --axes linear --no-tree
check 'only the ones that are asked for' python3 -c '
import json
figure = json.load(open("e.json"))
assert {s["name"] for s in figure["charts"][0]["series"]} == {"main->solve", "main->init"}
assert "rows" not in figure and figure["charts"][0]["x"]["log"] == 0'
# The unit separator, which Extra-Prof puts between names, is not shown.
{ printf 'PARAMETER p\nPOINTS 1 2 4\nREGION main->f\037->g\n'; for v in 1 2 4; do echo "DATA $v"; done; } >unit.txt
expect_status 0 perun show -o e.svg unit.txt scaling
check 'no separators of units' grep -q '>f<' e.svg
# The band is that of perun model.
{ printf 'PARAMETER p\nPOINTS 4 8 16 32 64\nREGION r\n'; for v in 23 35 58 108 202; do echo "DATA $v"; done; } >noisy.txt
expect_status 0 perun show -o e.json noisy.txt scaling --at p=256 --level 90
check 'a band around the curve, wider further out' python3 -c '
import json
series = json.load(open("e.json"))["charts"][0]["series"]
band = [s for s in series if s["mark"] == "band"][0]
curve = [s for s in series if s["mark"] == "line"][0]
assert len(band["x"]) == len(curve["x"]) > 100
assert all(low < y < high for low, y, high in zip(band["low"], curve["y"], band["y"]))
assert band["y"][-1] - band["low"][-1] > 1.5 * (band["y"][80] - band["low"][80]) > 0, band'
expect_status 0 perun show -o e.json noisy.txt scaling --at p=256 --level 0
check 'or none' python3 -c '
import json
assert all(not s["x"] for s in json.load(open("e.json"))["charts"][0]["series"] if s["mark"] == "band")'
expect_status 0 perun show -o e.json e.txt scaling --limit 1
check 'a limit' test "$(grep -c '"mark": "points"' e.json)" = 1

# The tree: names of any letters stay together, the costliest are kept with what is above them.
{
	printf 'PARAMETER p\nPOINTS 4 8 16 32 64\n'
	for name in 'a+' a a-\>x 'a b' a-\>y-\>z b; do
		echo "REGION $name"
		case $name in a-\>y-\>z) factor=9 ;; b) factor=5 ;; *) factor=1 ;; esac
		for p in 4 8 16 32 64; do echo "DATA $((factor * p))"; done
	done
} >tree.txt
names() { python3 -c 'import json; print(*["-" * r["depth"] + r["name"] for r in json.load(open("e.json"))["rows"]], sep=", ")'; }
expect_status 0 perun show -o e.json tree.txt scaling
expect_text 'a, -x, -y, --z, a b, a+, b' "$(names)" 'the tree'
expect_status 0 perun show -o e.json tree.txt scaling --rows 2
expect_text 'a, -y, --z, b, and 3 call paths that cost less' "$(names)" 'and the costliest of it'

# Two parameters: a map of the costliest.
{
	printf 'PARAMETER p\nPARAMETER n\nPOINTS'
	for p in 2 4 8 16 32; do for n in 10 20 30 40 50; do printf ' ( %s %s )' $p $n; done; done
	printf '\nMETRIC time\nREGION solve\n'
	for p in 2 4 8 16 32; do for n in 10 20 30 40 50; do echo "DATA $((7 + p * n))"; done; done
} >two.txt
expect_status 0 perun show -o two.json two.txt scaling -p n --at p=8
check 'a map over two parameters' python3 -c '
import json
curves, heat = json.load(open("two.json"))["charts"]
assert curves["x"]["title"] == "n" and curves["note"] == "where p = 8", curves
assert [s["y"] for s in curves["series"] if s["mark"] == "points"] == [[87, 167, 247, 327, 407]]
assert (heat["x"]["title"], heat["y"]["title"]) == ("n", "p"), heat
h = heat["heat"]
assert len(h["values"]) == h["columns"] * h["rows"] and min(h["values"]) > 7'
expect_status 0 perun show two.txt scaling --width 90
expect_out 'predicted by its model'
expect_status 0 perun show two.txt scaling -p n --at p=8 -f two.svg
check 'lines of equal value' grep -q '<path class="contour" ' two.svg
check 'have labels' grep -q '<text class="level"[^>]*>1000 s<' two.svg
expect_status 0 perun show two.txt scaling -p n --at p=8 -f two.html
check 'also in the page' grep -q '"contours": \[{"value": ' two.html

# What costs most where, and how well models fit: 100 against p * n, which are the same at p * n = 100.
{
	sed 's/solve/flat/;/^DATA/d' two.txt
	for k in $(seq 25); do echo 'DATA 100'; done
	echo 'REGION product'
	for p in 2 4 8 16 32; do for n in 10 20 30 40 50; do echo "DATA $((p * n))"; done; done
} >where.txt
expect_status 0 perun show -o where.json where.txt scaling --at p=32
check 'what costs most where' python3 -c '
import json
where = json.load(open("where.json"))["charts"][2]
assert where["title"] == "What costs most where"
assert {s["name"] for s in where["series"]} == {"flat", "product"}
for s in where["series"]:
    assert s["x"] and all((x * y < 100) == (s["name"] == "flat") for x, y in zip(s["x"], s["y"])), s'
expect_status 0 perun show -o maps.json where.txt scaling -c '^' --chart map
check 'a map of each call path that is asked for' python3 -c '
import json
charts = json.load(open("maps.json"))["charts"]
assert len(charts) > 1 and all("heat" in chart for chart in charts), charts'
expect_status 0 perun show -o fit.json e.txt scaling --chart fit --chart residuals -n 1
check 'measured against predicted, and the rest' python3 -c '
import json
fit, rest = json.load(open("fit.json"))["charts"]
x, y = (fit["series"][0][k] for k in "xy")
assert len(x) == len(rest["series"][0]["y"]) > 0
assert all(abs(100 * (a - b) / b - r) < 1e-6 for a, b, r in zip(x, y, rest["series"][0]["y"]))'
expect_status 0 perun show -o fit.html e.txt scaling --chart fit
expect_status 2 perun show e.txt scaling --chart dominant
expect_err 'need two parameters'

# In space: faces of both surfaces, of four points each, within the box.
expect_status 0 perun show -o space.json where.txt scaling --chart surface --at p=32
check 'surfaces' python3 -c '
import json
(space,) = json.load(open("space.json"))["charts"]
faces = [s for s in space["series"] if s["mark"] == "faces"]
assert {s["name"] for s in faces} == {"flat", "product"} and space["projected"]
count = {name: sum(len(s["x"]) for s in faces if s["name"] == name) for name in ("flat", "product")}
assert count["flat"] == count["product"] and count["flat"] % 4 == 0 and count["flat"] > 400, count
assert all(space["x"]["low"] < v < space["x"]["high"] for s in faces for v in s["x"])
assert all(space["y"]["low"] < v < space["y"]["high"] for s in faces for v in s["y"])
assert {"p", "n", "time", "100 s"} <= {word["text"].replace("\u00a0", " ") for word in space["words"]}, space["words"]'
expect_status 0 perun show where.txt scaling --chart surface --width 80
expect_out 'what the models predict over both parameters'
expect_status 0 perun show where.txt scaling --chart surface -f space.svg
check 'as a picture' test "$(grep -c 'class="face ' space.svg)" -gt 2
expect_status 2 perun show e.txt scaling --chart surface

# A page has all metrics; a call path that lacks one is not in its tree.
{ cat e.txt; printf 'METRIC visits\nREGION main->solve\n'; for p in 4 8 16 32 64; do echo "DATA $p"; done; } >metrics.txt
expect_status 0 perun show -o metrics.html metrics.txt scaling
page_data() { # EXPRESSION: of the page's data
	python3 -c 'import json, re, sys
data = json.loads(re.search(r"id=\"data\">(.*?)</script>", open("metrics.html").read(), re.S)[1])
print(eval(sys.argv[1]))' "$1"
}
expect_text "[('time', 0, 1, 5), ('visits', 1, 1, 3)]" \
	"$(page_data '[(m["name"], m["chart"], m["charts"], m["rows"]) for m in data["more"]["metrics"]]')" 'a page with two metrics'
expect_status 0 perun show -o metrics.html metrics.txt scaling -m visits
expect_text "['visits', 'time']" "$(page_data '[m["name"] for m in data["more"]["metrics"]]')" 'the one that is asked for is first'

# Two experiments.
sed 's/x<b>&/new/; s/^DATA 5$/DATA 6/' e.txt >after.txt
expect_status 0 perun showdiff e.txt after.txt scaling --at p=128
expect_out 'e.txt → after.txt'
expect_status 0 perun showdiff -o both.json e.txt after.txt scaling --at p=128
check 'curves of both, and the change' python3 -c '
import json
both = json.load(open("both.json"))
rows = {row["name"]: row["columns"] for row in both["rows"]}
assert rows["init"] == ["5 s", "6 s", "+20.0 %", "5 → 6"], rows
assert rows["new"][0] == "new" and rows["main->x<b>&"] == ["2048 s", "gone", "", "0.125 * p^2"], rows
names = {s["name"] for s in both["charts"][0]["series"]}
assert names == {"main->new", "main->init", "main->init before", "main->solve", "main->solve before"}, names'
expect_status 0 perun showdiff -o both.svg e.txt after.txt scaling --at p=128 -c init
check 'both have one colour' test "$(grep -o 'class="line[^"]*s[0-9]' both.svg | grep -o 's[0-9]' | sort -u | wc -l)" = 1
expect_status 0 perun showdiff e.txt after.txt scaling -c new
expect_status 2 perun showdiff e.txt after.txt scaling -c nothing
expect_err 'no call path matches'
sed 's/PARAMETER p/PARAMETER q/' e.txt >other.txt
expect_status 2 perun showdiff e.txt other.txt scaling
expect_err 'different parameters: 1 of them, the first is p, against 1, the first is q'
expect_status 0 perun showdiff -o map.json two.txt two.txt scaling
check 'the map of their ratio' python3 -c '
import json
assert {round(v, 9) for v in json.load(open("map.json"))["charts"][1]["heat"]["values"]} == {1}'

# Pictures.
expect_status 0 perun show -o e.svg e.txt scaling
check 'the picture is XML' python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("e.svg")'
check 'it has no script' test "$(grep -c '<script' e.svg)" = 0
expect_status 0 perun show e.txt scaling --filename e.html
check 'the page has a policy' grep -q "default-src 'none'" e.html
check 'and calls nowhere' test "$(grep -cE '(src|href)="?(http|//)' e.html)" = 0
check 'names are no markup' test "$(grep -c 'x<b>' e.html)" = 0

expect_status 2 perun show e.txt scaling --at q=3
expect_err 'no parameter q; its first one is p'
expect_status 2 perun show e.txt scaling --at p
expect_err 'expected NAME=VALUE'
expect_status 2 perun show e.txt scaling --metric nothing
expect_err 'no metric nothing, only: time'
expect_status 2 perun show e.txt scaling -c nothing
expect_err 'no call path matches'
expect_status 2 perun show e.txt scaling -c '('
printf '{"header": {"type": "time"}, "global": {"resources": [{"amount": 1, "uid": "f"}]}}' >flat.perf
expect_status 3 perun show flat.perf scaling
expect_err 'shows experiments'
finish
