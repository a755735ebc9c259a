# SPDX-License-Identifier: BSD-3-Clause
# perun show with the view heapmap: lifetimes of blocks, the printed map, the interactive one, hostile addresses.
. "${top_srcdir:-.}/tests/cli/lib.sh"

python3 - <<'PYTHON'
import json
def resource(amount, function, address, subtype="malloc", order=0):
    uid = {"function": function, "source": "m.c", "line": 3}
    return {"amount": amount, "uid": uid, "type": "memory", "subtype": subtype, "address": address, "allocation_order": order,
            "trace": [uid, {"function": "main", "source": "m.c", "line": 9}]}
def write(name, snapshots):
    json.dump({"header": {"type": "memory", "cmd": "c", "workload": "w", "units": {"memory": "B"}}, "collector_info": {"name": "memory", "params": {}},
               "postprocessors": [], "snapshots": [{"time": f"0.{i + 1}", "resources": rows} for i, rows in enumerate(snapshots)]}, open(name, "w"))
write("m.perf", [
    [resource(64, "f<b>", 4096, order=1), resource(64, "g", 4224, order=2)],
    [resource(0, "f<b>", 4096, "free", 3), resource(32, "g", 4096, "calloc", 4), resource(128, "h", 1 << 30, order=5)],
    [resource(0, "g", 4224, "free", 6), resource(16, "h", 4096, "realloc", 7)],
])
rows = [dict(resource(size, function, address), freed=freed) for size, function, address, freed in
        ((64, "f", 4096, 0), (64, "f", 4160, -1), (128, "g", 4096, 1), (32, "h", 4112, 0))]
write("known.perf", [rows, [dict(resource(8, "k", 8192), freed=1)], [dict(resource(8, "k", 8192), freed=-1)]])
write("edge.perf", [[resource(1e30, "f", (1 << 64) - 2), resource(8, "g", (1 << 64) - 1), resource(0, "h", 8), resource(-5, "h", 16), resource(3, "k", 0)]])
write("none.perf", [[{"amount": 3, "uid": "f", "type": "memory", "subtype": "malloc"}]])
PYTHON
expect_status 0 perun show -o m.svg m.perf heapmap --snapshot 0 --cell 64
check 'SVG: the blocks of a snapshot, and names as text' python3 -c '
import xml.dom.minidom
texts = [t.firstChild.data for t in xml.dom.minidom.parse("m.svg").getElementsByTagName("text") if t.firstChild]
assert "0x40000000" in texts and "f<b>" in texts and any(t.startswith("snapshot 0 (1 of 3)") for t in texts), texts'
expect_status 0 perun show -o h.json m.perf heapmap
expect_text '0: 128 2 2 0
1: 224 3 2 1
2: 144 2 1 2
4096 64 0 1 f<b>
4224 64 0 2 g
4096 32 1 2 g
1073741824 128 1 None h
4096 16 2 None h' "$(python3 - <<'PYTHON'
import json
h = json.load(open("h.json"))
for s in h["snapshots"]:
    print(f"{s['snapshot']}:", s["amount"], s["count"], s["allocated"], s["freed"])
for b in h["blocks"]:
    print(b["address"], b["size"], b["born"], b["died"], b["function"])
PYTHON
)" 'lifetimes of blocks'
expect_status 0 perun show -o h.json known.perf heapmap
expect_text '192 2 4 2
64 1 1 2
72 2 1 0' "$(python3 -c '
import json
for s in json.load(open("h.json"))["snapshots"]:
    print(s["amount"], s["count"], s["allocated"], s["freed"])')" 'ends that the profile knows'
expect_status 0 perun show m.perf heapmap --snapshot 1 --cell 32
expect_out 'snapshot 1 (2 of 3) at 200 ms: 224 B in 3 blocks, +2 -1'
expect_out '1000 B···BB···'
expect_out '⋯ 1.00 GiB'
expect_out '40000000 '
expect_out 'B      96 B  g' 'the legend says who has what in use'
expect_status 0 perun show m.perf heapmap --snapshot 0 --cell 32
expect_out '1000 CC··BB···'
expect_status 0 perun show m.perf heapmap
expect_out 'snapshot 1 (2 of 3)' 'by default the snapshot of the most memory'
expect_status 0 perun show m.perf heapmap --heat --snapshot 2 --cell 32
expect_out 'often allocated until now'
expect_status 0 perun show edge.perf heapmap
expect_status 0 perun show -o e.html edge.perf heapmap
expect_status 0 perun show -o h.html m.perf heapmap
check 'names are no markup' test "$(grep -c 'f<b>' h.html)" = 0
check 'the page calls nobody' test "$(grep -c 'https\?://' h.html)" = 0
check 'the page has a policy' grep -q "default-src 'none'" h.html
for width in 40 80 120 200; do
	COLUMNS=$width run perun show m.perf heapmap
	check "$width columns" python3 -c '
import sys
lines = sys.argv[2].split("\n")
assert max(map(len, lines)) <= int(sys.argv[1]), max(lines, key=len)
assert "\033" not in sys.argv[2]' $width "$out"
done
expect_status 2 perun show m.perf heapmap --snapshot 9
expect_err 'no snapshot 9'
expect_status 2 perun show m.perf heapmap --cell 48
expect_err 'power of 2'
expect_status 3 perun show none.perf heapmap
expect_err 'does not say at which addresses'

# In a terminal it is a program: keys move the cursor, step and leave.
if command -v tmux >/dev/null 2>&1 && grep -q '^#define HAVE_NCURSES' "$top_builddir/config.h"; then
	screen() { tmux -L "perun$$" -f /dev/null "$@"; }
	wait_for() { # TEXT: until the screen has it, ten seconds at most
		for _ in $(seq 100); do
			screen capture-pane -p >screen.txt 2>/dev/null && grep -qF -e "$1" screen.txt && break
			sleep 0.1
		done
		check "the screen says: $1" grep -qF -e "$1" screen.txt
	}
	cat >go.sh <<-TEXT
		LC_ALL=C.UTF-8 "$PERUN" show m.perf heapmap --cell 32
		echo "status \$?"
		sleep 30
	TEXT
	screen new-session -d -x 80 -y 24 'sh go.sh'
	wait_for 'snapshot 0 (1 of 3)'
	wait_for '0x1000: 64 B by malloc in snapshot 0, freed in 1'
	wait_for '← main  m.c:9'
	screen send-keys n
	wait_for '0x1000: 32 B by calloc in snapshot 1, freed in 2'
	screen send-keys Tab
	wait_for '0x1080: 64 B by malloc in snapshot 0, freed in 2'
	screen send-keys Right Right
	wait_for 'not in use'
	screen send-keys h
	wait_for '[heat]'
	screen send-keys -- -
	wait_for 'a cell is 64 B'
	screen send-keys Home Space
	wait_for 'snapshot 2 (3 of 3)'
	screen resize-window -x 30 -y 10
	wait_for 'Too small'
	screen resize-window -x 100 -y 30
	wait_for 'snapshot 2 (3 of 3)'
	screen send-keys q
	wait_for 'status 0'
	screen kill-server
else
	skip 'no tmux, or built without ncurses'
fi
finish
