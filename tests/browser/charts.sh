# Pages with charts in a browser: what lies below the mouse, zoom, legend, sliders, dark and light.
. "${top_srcdir:-.}/tests/cli/lib.sh"

browser=$top_srcdir/tests/browser
absent=$(PYTHONPATH=$browser PYTHONDONTWRITEBYTECODE=1 python3 -c 'import webdriver; print(webdriver.missing())') ||
	skip_all 'Python 3 is missing'
[ -z "$absent" ] || skip_all "$absent is missing"

{
	printf 'PARAMETER p\nPOINTS 4 8 16 32 64\nMETRIC time\nREGION main->solve\n'
	for p in 4 8 16 32 64; do echo "DATA $((10 + 3 * p)) $((12 + 3 * p))"; done
	printf 'REGION main-><script>alert(1)</script>\n'
	for p in 4 8 16 32 64; do echo "DATA $((p * p / 8))"; done
} >one.txt
{
	printf 'PARAMETER p\nPARAMETER n\nPOINTS'
	for p in 2 4 8 16 32; do for n in 10 20 30 40 50; do printf ' ( %s %s )' $p $n; done; done
	printf '\nMETRIC time\nREGION solve\n'
	for p in 2 4 8 16 32; do for n in 10 20 30 40 50; do echo "DATA $((7 + p * n))"; done; done
} >two.txt
{
	sed 's/solve/main->solve/' two.txt
	printf 'REGION main->flat\n'
	for k in $(seq 25); do echo 'DATA 100'; done
	printf 'METRIC visits\nREGION main->solve\n'
	for k in $(seq 25); do echo 'DATA 3'; done
} >metrics.txt
perun show -o metrics.html metrics.txt scaling || exit 1
perun show -o one.html one.txt scaling --at p=128 || exit 1
perun show -o tree.html one.txt scaling --at p=128 -n 1 || exit 1
perun show -o two.html two.txt scaling || exit 1
sed 's/DATA 100$/DATA 150/; s/DATA 3$/DATA 9/' metrics.txt >later.txt
perun showdiff -o compared.html metrics.txt later.txt scaling || exit 1
{
	printf 'PARAMETER p\nPARAMETER n\nPARAMETER m\nPOINTS'
	for p in 2 4 8 16 32; do for n in 10 20; do for m in 1 2 4 8 16; do printf ' ( %s %s %s )' $p $n $m; done; done; done
	printf '\nMETRIC time\nREGION solve\n'
	for p in 2 4 8 16 32; do for n in 10 20; do for m in 1 2 4 8 16; do echo "DATA $((p * 10))"; done; done; done
	printf 'REGION send\n'
	for p in 2 4 8 16 32; do for n in 10 20; do for m in 1 2 4 8 16; do echo "DATA $((m * 5))"; done; done; done
} >three.txt
perun show -o three.html three.txt scaling -n 1 --rows 1 || exit 1
python3 - <<'PYTHON' || exit 1
import json
import random
random.seed(1)
def write(name, resources, kind="mixed", unit="us"):
    json.dump({"header": {"type": kind, "cmd": "c", "workload": "w", "units": {kind: unit}}, "collector_info": {"name": "c", "params": {}},
               "postprocessors": [], "global": {"timestamp": 1, "resources": resources}}, open(name, "w"))
write("points.perf", [{"amount": random.gauss(500, 50) + i / 100, "uid": "f", "structure-unit-size": i, "type": "mixed"} for i in range(40000)])
write("few.perf", [{"amount": 10 * (i + 1) + len(uid), "uid": uid, "order": i, "type": "memory"}
                   for i in range(4) for uid in ("main", "<i>x</i>")], "memory", "B")
write("rows.perf", [{"amount": i + 1, "uid": f"a::name::that::is::long::<b>{i}</b>", "type": "memory"} for i in range(20)], "memory", "B")
PYTHON
perun show -o rows.html rows.perf bars || exit 1
perun show -o points.html points.perf scatter || exit 1
perun show -o bars.html few.perf bars --per order || exit 1
perun show -o flow.html few.perf flow --through order --stacked --no-accumulate || exit 1
perun show -o box.html few.perf box || exit 1
perun show -o histogram.html few.perf histogram || exit 1
PYTHONPATH=$browser PYTHONDONTWRITEBYTECODE=1 python3 "$browser/charts.py"
