# SPDX-License-Identifier: BSD-3-Clause
# plugins/python: what the module perun reads is what the command shows, without pandas and with it.
. "${top_srcdir:-.}/tests/cli/lib.sh"
library=$top_builddir/core/.libs/libperun.so
command -v python3 >/dev/null && [ -e "$library" ] && [ -z "${SANITIZE:-}" ] ||
	{ echo '1..0 # SKIP needs python3 and a shared library without sanitizers'; exit 0; }
: "${PERUN_PLUGIN_PATH=$top_builddir/plugins-built}"
PERUN_LIBRARY=$library PYTHONPATH=$top_srcdir/plugins/python PYTHONDONTWRITEBYTECODE=1
export PERUN_PLUGIN_PATH PERUN_LIBRARY PYTHONPATH PYTHONDONTWRITEBYTECODE

cat >"$work/memory.perf" <<'JSON'
{"origin": "", "header": {"type": "memory", "units": {"memory": "B"}, "cmd": "a", "args": "", "workload": ""},
 "collector_info": {"name": "memory", "params": {}}, "postprocessors": [],
 "snapshots": [{"time": "0.1", "resources": [
  {"amount": 3, "type": "memory", "subtype": "malloc", "uid": {"function": "f", "line": 3, "source": "a.c"},
   "trace": [{"function": "g", "line": 4, "source": "b.c"}, {"function": "main", "line": 1, "source": "b.c"}]},
  {"amount": 4.5, "type": "memory", "uid": "x"}]},
  {"time": "0.2", "resources": [
  {"amount": 5, "type": "memory", "uid": {"function": "f", "line": 3, "source": "a.c"}}]}]}
JSON
printf 'main;f;g 10\nmain;h 32\n' >"$work/stacks.folded"

cd "$work" && git init -q project && cd project && "$PERUN" init >/dev/null 2>&1
for i in 1 2 3 4 5 6; do
	git commit -q --allow-empty -m "version $i"
	level=$((i / 4 + 1))
	echo "{\"results\": [{\"command\": \"prog\", \"mean\": $level.02, \"stddev\": 0.01, \"median\": $level.02, \"user\": $level,
		\"system\": 0.01, \"min\": $level.01, \"max\": $level.03, \"times\": [$level.01, $level.02, $level.03]}]}" >times.json
	"$PERUN" import times.json >/dev/null
done
cd "$work"

run() { # INTERPRETER PART
	"$1" - "$2" <<'PYTHON' || diag "part $2 failed"
import subprocess, os, json, sys
import perun

def check(name, wanted, got):
    print("%s - %s" % ("ok" if wanted == got else "not ok", name))
    if wanted != got:
        print("# wanted %r\n# got    %r" % (wanted, got))

def fails(function, *arguments):
    try:
        function(*arguments)
    except perun.Error as error:
        return error.status, str(error)

command = os.environ["PERUN"]
memory = perun.read("memory.perf")
if sys.argv[1] == "plain":
    check("the version of the library", subprocess.check_output([command, "--version"], text=True).split()[1], perun.version())
    check("resources are plain data", [3, 4.5, 5], [row["amount"] for row in memory.resources()])
    check("objects are dictionaries", {"function": "f", "line": 3, "source": "a.c"}, memory.resources()[0]["uid"])
    check("an absent cell has no key", False, "subtype" in memory.resources()[1])
    check("integers stay integers", [int, float, int], [type(row["amount"]) for row in memory.resources()])
    check("the document", "memory", memory.document["header"]["type"])
    check("metrics", [("memory(malloc)", "B", 1), ("memory", "B", 2)], [(m.name, m.unit, m.rows) for m in memory.metrics])
    stacks = perun.read("stacks.folded").table()
    check("stacks are tuples, the outermost first", [("main", "f", "g"), ("main", "h")],
          next(column for name, column in stacks.items() if isinstance(column[0], tuple)))
    check("a file that is not there", 3, (fails(perun.read, "none.perf") or [0])[0])
    check("no store", 2, (fails(perun.Store, "/") or [0])[0])
    store = perun.Store("project")
    head = subprocess.check_output(["git", "-C", "project", "rev-parse", "HEAD"], text=True).strip()
    check("a revision", head, store.version("HEAD"))
    check("entries of a version", ["hyperfine"], [entry["cmd"] for entry in store.entries()])
    check("a profile by its tag", store.entries()[0]["type"], store.profile("HEAD^0@i").document["header"]["type"])
    check("a tag that is not there", 2, (fails(store.profile, "7@i") or [0])[0])
    check("a metric that is not there", 2, (fails(store.history, "nothing") or [0])[0])
    history = store.history("time(real)")
    os.chdir("project")
    shown = json.loads(subprocess.run([command, "history", "--json", history.strands[0]["metric"]], text=True,
                                      stdout=subprocess.PIPE).stdout)
    check("six versions, the oldest first", ["version %d" % i for i in range(1, 7)], [v["subject"] for v in history.versions])
    check("the change that the command finds", [change["version"] for series in shown["series"] for change in series["change_points"]],
          [change["version"] for change in history.changes()])
    check("there is one, for the worse", ["worse"], [change["result"] for change in history.changes()])
else:
    frame = memory.dataframe()
    check("a frame has a row for each resource", [3, 4.5, 5], list(frame["amount"]))
    flat = perun.resources_to_pandas_dataframe(memory)
    check("the columns of the Python program", ["amount", "snapshots", "subtype", "time", "trace", "type", "uid",
          "uid:function", "uid:line", "uid:source"], list(flat.columns))
    check("objects as one text", ["a.c:f:3", "x", "a.c:f:3"], list(flat["uid"]))
    check("traces as one text", "g:4:b.c,main:1:b.c", flat["trace"][0])
    check("snapshots are numbered", [0, 0, 1], list(flat["snapshots"]))
    history = perun.Store("project").history("time(real)")
    frame = history.dataframe()
    check("a history has a row for each version", 6, len(frame))
    check("and one for each run of it", 18, len(history.dataframe(repeats=True)))
    check("the level rises", True, frame["value"].iloc[-1] > 1.5 * frame["value"].iloc[0])
PYTHON
}
count_tap() { # the results of a part
	while IFS= read -r line; do
		case $line in
		'ok - '*) ok "${line#ok - }" ;;
		'not ok - '*) not_ok "${line#not ok - }" ;;
		*) printf '%s\n' "$line" ;;
		esac
	done
}
run python3 plain >plain 2>&1 || :
count_tap <plain
check 'all of the first part ran' test "$(grep -c 'ok - ' plain)" = 18
for python in "$(type -P python3)" /usr/bin/python3 ''; do
	[ -z "$python" ] || ! "$python" -c 'import pandas' 2>/dev/null || break
done
if [ -n "$python" ]; then
	run "$python" pandas >frames 2>&1 || :
	count_tap <frames
	check 'all of the second part ran' test "$(grep -c 'ok - ' frames)" = 8
else
	skip 'frames: needs pandas'
fi
finish
