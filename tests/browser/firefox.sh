# SPDX-License-Identifier: BSD-3-Clause
# Each page in Firefox: it draws what Chromium draws. What one does with it is tested in Chromium.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/stacks-lib.sh"

command -v python3 >/dev/null || skip_all 'Python 3 is missing'
command -v firefox-esr >/dev/null || command -v firefox >/dev/null || skip_all 'firefox is missing'

for side in 1 2; do
	stack_profile stacks$side.perf <<-STACKS
		main;run;compute;inner $((120 * side))
		main;run;compute 40
		main;io;read 10
	STACKS
done
python3 - <<'PYTHON' || exit 1
import json
uids = [{"function": f, "source": "m.c", "line": 3} for f in ("f", "g")]
rows = [{"amount": 64 << i, "uid": uids[i % 2], "trace": [uids[i % 2]], "type": "memory", "subtype": "malloc", "address": 4096 * i, "order": i}
        for i in range(9)]
json.dump({"header": {"type": "memory", "cmd": "c", "workload": "w", "units": {"memory": "B"}}, "collector_info": {"name": "memory", "params": {}},
           "postprocessors": [], "snapshots": [{"time": f"0.{k}", "resources": rows[k:]} for k in range(3)]}, open("memory.perf", "w"))
PYTHON
{
	printf 'PARAMETER p\nPOINTS 4 8 16 32 64\nMETRIC time\nREGION main->solve\n'
	for p in 4 8 16 32 64; do echo "DATA $((10 + 3 * p)) $((12 + 3 * p))"; done
} >scaling.txt
printf '%s\n' '# AFPerf v1     ' 'RunInfo,0,milliseconds,1639527663.5,1.0.0,1,mission,2.9,' 'RegionStart,0,1,1,step,' \
	'RegionStop,90,1' >run.afperf
for view in bars flow scatter histogram box heapmap alloclist raw; do
	"$PERUN" show -o $view.html memory.perf $view || exit 1
done
"$PERUN" show -o tableof.html memory.perf tableof resources || exit 1
for view in flamegraph top tree; do "$PERUN" show -o $view.html stacks1.perf $view || exit 1; done
"$PERUN" show -o scaling.html scaling.txt scaling || exit 1
"$PERUN" show -o timeline.html run.afperf timeline || exit 1
"$PERUN" showdiff -o report.html stacks1.perf stacks2.perf report || exit 1
mkdir project && cd project || exit 1
git init -q -b main && git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m root
"$PERUN" init >/dev/null && "$PERUN" add -f ../memory.perf --keep-profile >/dev/null 2>&1
"$PERUN" site ../site >/dev/null || exit 1
cd ..
PYTHONPATH=$top_srcdir/tests/browser PYTHONDONTWRITEBYTECODE=1 python3 "$top_srcdir/tests/browser/firefox.py"
