# SPDX-License-Identifier: BSD-3-Clause
# perun show with the view timeline: lanes by depth and by label, pauses, values, runs, hostile names.
. "${top_srcdir:-.}/tests/cli/lib.sh"

printf '%s\n' '# AFPerf v1     ' \
	'RunInfo,0,milliseconds,1000.5,1.0.0,1,sim,2.0,' \
	'RunInfo,0,milliseconds,2000.5,1.0.0,2,sim,2.0,' \
	'MeasurementType,0,1,7,memory,double,MiB,,' \
	'RegionStart,0,1,1,outer <b>&,' \
	'RegionStart,10,1,2,inner,' \
	'RegionStop,40,2' \
	'RegionStart,50,1,3,inner,' \
	'RegionStop,90,3' \
	'RegionStop,100,1' \
	'SectionInfo,0,1,5,io,' \
	'SectionStart,0,5,1' 'SectionStop,30,5,1' \
	'SectionStart,20,5,2' 'SectionStop,60,5,2' \
	'SectionStart,35,5,3' 'SectionStop,40,5,3' \
	'PauseResume,30,20,1' \
	'RunPoint,10,1,7,3' 'RunPoint,60,1,7,8' \
	'RegionStart,5,2,9,second,' 'RegionStop,25,9' >sim.afperf

expect_status 0 perun show -o t.json sim.afperf timeline
expect_text 'ns 1 100000000.0
0 -1 0: outer <b>& 0 100, 
1 -1 1: inner 10 40, inner 50 90, 
2 io 0: io 0 30, io 35 40, 
3 io 1: io 20 60, 
pauses [20, 30]
memory MiB [10, 60] [3.0, 8.0]' "$(python3 - <<'PYTHON'
import json
t = json.load(open("t.json"))
print(t["unit"], t["run"], float(t["span"]))
for i, lane in enumerate(t["lanes"]):
    bars = lane["bars"]
    print(i, lane["name"] if lane["name"] < 0 else t["names"][lane["name"]], lane["depth"], end=": ")
    for k in range(0, len(bars), 3):
        print(t["names"][bars[k + 2]], round(bars[k] / 1e6), round(bars[k + 1] / 1e6), end=", ")
    print()
print("pauses", [round(p / 1e6) for p in t["pauses"]])
for v in t["values"]:
    print(v["name"], v["unit"], [round(x / 1e6) for x in v["times"]], v["values"])
PYTHON
)"

expect_status 0 perun show sim.afperf timeline
expect_out 'run 1 (of 2 runs): 6 intervals in 100 ms, 1 pause'
expect_out '[outer <b>&'
expect_out '(pauses)'
expect_out '3.00 MiB to 8.00 MiB, 2 values'
expect_status 0 perun show sim.afperf timeline --run 2
expect_out 'run 2 (of 2 runs): 1 interval in 20.0 ms'
expect_out '[second'
expect_status 0 perun show sim.afperf timeline --from 0.045 --to 0.06
expect_out '3 intervals in 15.0 ms'

# Names are text, whatever they are.
expect_status 0 perun show -o t.svg sim.afperf timeline
expect_status 0 grep -c 'outer &#60;b&#62;&#38;' t.svg
expect_status 1 grep -c '<b>' t.svg
expect_status 0 python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("t.svg")'
expect_status 0 perun show -o t.html sim.afperf timeline
expect_status 1 grep -c 'outer <b>' t.html
expect_status 0 grep -c "default-src 'none'" t.html

# Stacks of an evented profile: frames that go on are one interval.
cat >evented.speedscope.json <<'JSON'
{"$schema": "https://www.speedscope.app/file-format-schema.json",
 "shared": {"frames": [{"name": "main"}, {"name": "f"}, {"name": "g"}]},
 "profiles": [{"type": "evented", "name": "p", "unit": "milliseconds", "startValue": 0, "endValue": 10, "events": [
  {"type": "O", "frame": 0, "at": 0}, {"type": "O", "frame": 1, "at": 1}, {"type": "C", "frame": 1, "at": 4},
  {"type": "O", "frame": 2, "at": 4}, {"type": "C", "frame": 2, "at": 9}, {"type": "C", "frame": 0, "at": 10}]}]}
JSON
expect_status 0 perun show -o e.json evented.speedscope.json timeline
expect_text 'main 0 10, 
f 1 4, g 4 9, ' "$(python3 - <<'PYTHON'
import json
t = json.load(open("e.json"))
for lane in t["lanes"]:
    bars = lane["bars"]
    for k in range(0, len(bars), 3):
        print(t["names"][bars[k + 2]], round(bars[k]), round(bars[k + 1]), end=", ")
    print()
PYTHON
)"

# What cannot be shown.
expect_status 3 perun show sim.afperf timeline --run 3
expect_err 'there is no run "3"; the first of 2 is 1'
expect_status 3 perun show sim.afperf timeline --from 0.2 --to 0.1
expect_err 'nothing lies between --from and --to'
printf 'main;f 3\n' >stacks.folded
expect_status 3 perun show stacks.folded timeline
expect_err 'needs resources with the times "start" and "end"'
finish
