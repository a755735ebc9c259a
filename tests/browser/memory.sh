# Pages of memory in a browser: the map with its slider, heat, what lies below the mouse; the list with its search;
# tables that sort, and the profile as a tree.
. "${top_srcdir:-.}/tests/cli/lib.sh"

browser=$top_srcdir/tests/browser
absent=$(PYTHONPATH=$browser PYTHONDONTWRITEBYTECODE=1 python3 -c 'import webdriver; print(webdriver.missing())') ||
	skip_all 'Python 3 is missing'
[ -z "$absent" ] || skip_all "$absent is missing"

python3 - <<'PYTHON' || exit 1
import json
EVIL = "f</script><script>alert(1)</script>"
def resource(amount, function, address, subtype="malloc"):
    uid = {"function": function, "source": "m.c", "line": 3}
    return {"amount": amount, "uid": uid, "type": "memory", "subtype": subtype, "address": address,
            "trace": [uid, {"function": "main", "source": "m.c", "line": 9}]}
snapshots = [
    [resource(4096, EVIL, 1 << 20), resource(8192, "g", (1 << 20) + 8192)],
    [resource(0, EVIL, 1 << 20, "free"), resource(2048, "g", 1 << 20, "calloc"), resource(65536, "h", 0x7f0000000000)],
    [resource(0, "g", 1 << 20, "free")],
]
json.dump({"header": {"type": "memory", "cmd": "c", "workload": "w", "units": {"memory": "B"}}, "collector_info": {"name": "memory", "params": {}},
           "postprocessors": [], "snapshots": [{"time": f"0.{i + 1}", "resources": rows} for i, rows in enumerate(snapshots)]}, open("m.perf", "w"))
PYTHON
perun show -o map.html m.perf heapmap --cell 1k || exit 1
perun show -o list.html m.perf alloclist sum || exit 1
perun show -o table.html m.perf tableof resources -h uid:function,amount,address || exit 1
perun show -o raw.html m.perf raw || exit 1
printf 'main;f</script><script>alert(1)</script> 10\nmain;g 5\n' >a.collapsed
printf 'main;f</script><script>alert(1)</script> 30\nmain;h 5\n' >b.collapsed
perun show -o top.html b.collapsed top || exit 1
perun show -o tree.html b.collapsed tree || exit 1
perun showdiff -o top2.html a.collapsed b.collapsed top || exit 1
perun showdiff -o stacks.html a.collapsed b.collapsed report || exit 1
for i in 1 2; do
	python3 -c '
import json, sys
rows = [{"amount": int(sys.argv[1]) + i / 10, "uid": "w", "order": i, "type": "time", "subtype": s} for i in range(9) for s in ("real", "<i>user</i>")]
json.dump({"header": {"type": "time", "cmd": "w", "workload": "", "units": {"time": "s"}}, "collector_info": {"name": "time", "params": {}}, "machine": {"load": int(sys.argv[1])},
           "postprocessors": [], "global": {"time": "1", "resources": rows}}, open(f"t{sys.argv[1]}.perf", "w"))' $i
done
perun showdiff -o times.html t1.perf t2.perf report || exit 1
PYTHONPATH=$browser PYTHONDONTWRITEBYTECODE=1 python3 "$browser/memory.py"
