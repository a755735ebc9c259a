# SPDX-License-Identifier: BSD-3-Clause
# Views of text as SVG: each word of the terminal is there, where it is in the terminal, and bars as
# rectangles of their length.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/stacks-lib.sh"
command -v python3 >/dev/null || skip_all 'Python 3 is missing'

stack_profile stacks.perf <<'STACKS'
main;run;compute;inner<T> 120
main;run;compute 40
main;io;漢字 & more 10
STACKS
python3 - <<'PYTHON'
import json
frames = [{"function": "f<b>", "source": "m.c", "line": 3}, {"function": "main", "source": "m.c", "line": 9}]
rows = [{"amount": 1 << i, "uid": frames[0], "trace": frames, "type": "memory", "subtype": "malloc", "address": 64 * i} for i in range(9)]
json.dump({"header": {"type": "memory", "cmd": "c", "workload": "w", "units": {"memory": "B"}}, "collector_info": {"name": "memory", "params": {}},
           "postprocessors": [], "snapshots": [{"time": "0.1", "resources": rows}]}, open("memory.perf", "w"))
PYTHON
cat >compare.py <<'PYTHON'
import re
import sys
import unicodedata
import xml.etree.ElementTree as tree
LETTER, LINE, MARGIN = 7.8, 18, 14
def wide(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
root = tree.parse(sys.argv[1]).getroot()
width, height = float(root.get("width")), float(root.get("height"))
shown, bars = {}, {}
for element in root.iter():
    tag = element.tag.split("}")[1]
    if tag == "text":
        row, column = round((float(element.get("y")) - 13 - MARGIN) / LINE), round((float(element.get("x")) - MARGIN) / LETTER)
        shown[row, column] = element.text
        if float(element.get("x")) + float(element.get("textLength")) > width:
            sys.exit(f"cut: {element.text}")
    elif tag == "rect" and element.get("x"):
        row = int((float(element.get("y")) - MARGIN) / LINE)
        bars[row] = bars.get(row, 0) + float(element.get("width")) / LETTER
expected, lengths = {}, {}
for row, line in enumerate(sys.stdin.read().splitlines()):
    for part in re.finditer("[^ \u2580-\u2593]+(?: [^ \u2580-\u2593]+)*", line):
        expected[row, wide(line[:part.start()])] = part.group()
    if re.search("[\u2580-\u2593]", line):
        lengths[row] = sum(1 if c > "\u258f" or c == "\u2588" else (0x2590 - ord(c)) / 8 for c in line if "\u2580" <= c <= "\u2593")
# What changes its colour is several texts.
joined = lambda texts, row: " ".join(text for (r, _), text in sorted(texts.items()) if r == row).replace(" ", "")
for row in {r for r, _ in expected} | {r for r, _ in shown}:
    if joined(shown, row) != joined(expected, row):
        sys.exit(f"line {row}: {joined(shown, row)} instead of {joined(expected, row)}")
    if {c for r, c in expected if r == row} - {c for r, c in shown if r == row}:
        sys.exit(f"line {row}: other columns")
for row in lengths.keys() | bars.keys():
    if abs(lengths.get(row, 0) - bars.get(row, 0)) > 0.1:
        sys.exit(f"line {row}: a bar of {bars.get(row, 0)} instead of {lengths.get(row, 0)} columns")
if not expected:
    sys.exit("nothing to compare")
PYTHON

export LC_ALL=C.UTF-8
while read -r profile view; do
	# shellcheck disable=SC2086
	expect_status 0 perun show -o picture.svg "$profile" $view
	# shellcheck disable=SC2086
	COLUMNS=110 "$PERUN" -nc show "$profile" $view </dev/null >text
	expect_text '' "$(python3 compare.py picture.svg <text 2>&1)" "$view as SVG"
	check "$view: there are bars" sh -c "[ '$view' != top ] || grep -q '<rect x' picture.svg"
done <<'VIEWS'
stacks.perf top
stacks.perf tree
stacks.perf callers compute
stacks.perf callees run
memory.perf alloclist
memory.perf alloclist sum
memory.perf tableof resources -h amount,subtype,uid:function
memory.perf raw
VIEWS

# A long text loses its middle in a table, a long list its end.
python3 - <<'PYTHON'
import json
rows = [{"amount": i, "uid": "x" * 200 + "end", "type": "time", "subtype": "real"} for i in range(3000)]
json.dump({"header": {"type": "time", "cmd": "c", "workload": "w", "units": {"time": "s"}}, "collector_info": {"name": "time", "params": {}},
           "postprocessors": [], "global": {"time": "1", "resources": rows}}, open("long.perf", "w"))
PYTHON
expect_status 0 perun show -o long.svg long.perf tableof resources -h amount,uid
check 'a long text is shortened' grep -q 'x…x*end<' long.svg
check 'a long list ends' grep -q '>… 1002 more lines<' long.svg

# What manual pages show is what views show.
expect_text '' "$(python3 "$top_srcdir/doc/pictures/manuals.py" "$PERUN" --check 2>&1)" 'pages that doc/pictures/manuals.py would change'

finish
