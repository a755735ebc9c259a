# SPDX-License-Identifier: BSD-3-Clause
# Every view in a terminal of 80, 120 and 200 columns: what its screen holds is what the view wrote, so no
# line was broken or cut by it; in colours, and without.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/stacks-lib.sh"
command -v tmux >/dev/null || skip_all 'tmux is missing'
command -v python3 >/dev/null || skip_all 'Python 3 is missing'

for side in 1 2; do
	stack_profile stacks$side.perf <<-STACKS
		main;run;compute;std::vector<std::pair<int, std::string>, std::allocator<std::pair<int, std::string> > >::emplace_back<int>(int&&) $((120 * side))
		main;run;compute 40
		main;io;read 10
	STACKS
	python3 - $side <<'PYTHON'
import json
import sys
side = int(sys.argv[1])
def write(name, kind, unit, **more):
    json.dump({"header": {"type": kind, "cmd": "c", "workload": "w", "units": {kind: unit}}, "collector_info": {"name": "c", "params": {}},
               "postprocessors": [], **more}, open(f"{name}{side}.perf", "w"))
frames = [{"function": f, "source": "a/rather/long/path/of/a/source/file.c", "line": 3} for f in ("allocate", "parse", "main")]
write("memory", "memory", "B", snapshots=[{"time": f"0.{k}", "resources": [
    {"amount": side << i, "uid": frames[i % 2], "trace": frames[i % 2:], "type": "memory", "subtype": ("malloc", "calloc")[i % 2],
     "address": 64 * i} for i in range(9)]} for k in range(3)])
write("time", "time", "s", **{"global": {"time": "1", "resources": [
    {"amount": side * (1 + i * i % 7 / 10 + (i == 3)), "uid": "./program", "order": i, "structure-unit-size": i, "type": "time", "subtype": s}
    for s in ("real", "user", "sys") for i in range(12)]}})
PYTHON
done
perun postprocessby -o models.perf time1.perf regression-analysis -m full -dp structure-unit-size >/dev/null
perun postprocessby -o models.perf models.perf regressogram -per structure-unit-size >/dev/null
printf '{"header": {"type": "time", "cmd": "c", "workload": "", "units": {"time": "s"}}, "global": {"time": "1", "resources": []}}' >small.perf
{
	printf 'PARAMETER p\nPOINTS 4 8 16 32 64\nMETRIC time\nREGION main->solve\n'
	for p in 4 8 16 32 64; do echo "DATA $((10 + 3 * p)) $((12 + 3 * p))"; done
} >scaling.txt
{
	echo '# AFPerf v1     '
	echo 'RunInfo,0,milliseconds,1639527663.5,1.0.0,1,mission,2.9,'
	for i in 0 1 2; do printf 'RegionStart,%d,1,1%d,step,\nRegionStart,%d,1,2%d,exchange halo,\nRegionStop,%d,2%d\nRegionStop,%d,1%d\n' \
		$((i * 240)) $i $((i * 240 + 9)) $i $((i * 240 + 90)) $i $((i * 240 + 200)) $i; done
} >run.afperf

# Colours, or "-" where there are none; the command and its arguments.
cat >views <<'VIEWS'
color show stacks1.perf top
color show stacks1.perf tree
color show stacks1.perf callers compute
color show stacks1.perf callees run
color show stacks1.perf flamegraph
color show memory1.perf alloclist
color show memory1.perf alloclist sum
color show memory1.perf bars --by uid:function
color show memory1.perf flow --by uid:function
color show small.perf raw
color show memory1.perf tableof resources -h amount,subtype,uid:function
color show models.perf tableof --fit models
color show memory1.perf tableof --fit resources
color show memory1.perf heapmap --snapshot 1
color show memory1.perf raw --where address=64
color show time1.perf scatter
color show time1.perf histogram
color show time1.perf box
color show scaling.txt scaling
color show run.afperf timeline
color showdiff stacks1.perf stacks2.perf report
color showdiff stacks1.perf stacks2.perf top
color showdiff stacks1.perf stacks2.perf short
- showdiff time1.perf time2.perf table
VIEWS
export LC_ALL=C.UTF-8
unset NO_COLOR

terminal() { timeout 60 tmux -L "perun$$" -f /dev/null "$@"; }
trap 'terminal kill-server 2>/dev/null; rm -rf "$work"' EXIT
cat >play.sh <<'TEXT'
# play.sh OPTION...: one view after the other, each on a clean screen, until somebody looked at it
n=0
while read -r _ arguments; do
	n=$((n + 1))
	printf '\033[H\033[2J\033[3J'
	"$PERUN" --no-pager "$@" $arguments </dev/tty 2>&1
	tmux -L "$SERVER" wait-for -S shown$n
	timeout 30 tmux -L "$SERVER" wait-for seen$n
done <views
TEXT
export SERVER="perun$$"

# screens WIDTH OPTION...: the screens of all views, as N.screen with colours and N.plain without
screens() {
	local width=$1 n=0
	shift
	terminal new-session -d -x "$width" -y 160 "sh play.sh $*"
	while read -r _; do
		n=$((n + 1))
		terminal wait-for shown$n \; capture-pane -p -e \; wait-for -S seen$n >$n.screen
		sed "s/$(printf '\033')\[[0-9;]*m//g" $n.screen >$n.plain
	done <views
	terminal kill-session 2>/dev/null
}
# trim: no blanks at the ends of lines, no empty lines at the end.
trim() {
	local lines number
	mapfile -t lines
	for number in "${!lines[@]}"; do lines[number]=${lines[number]%"${lines[number]##*[! ]}"}; done
	while [ "${#lines[@]}" -gt 0 ] && [ -z "${lines[-1]}" ]; do unset 'lines[-1]'; done
	[ "${#lines[@]}" -eq 0 ] || printf '%s\n' "${lines[@]}"
}

screens 100
n=0
while read -r color arguments; do
	n=$((n + 1))
	trim <$n.plain | wc -l >$n.lines
	[ "$color" = - ] || check "$arguments: colours" grep -q "$(printf '\033')\[[0-9;]*m" $n.screen
done <views
for width in 100 80 120 200; do
	screens $width -nc
	n=0
	while read -r _ arguments; do
		n=$((n + 1))
		# shellcheck disable=SC2086
		COLUMNS=$width "$PERUN" -nc $arguments </dev/null 2>&1 | trim >expected
		expect_text "$(<expected)" "$(trim <$n.plain)" "$arguments, $width columns"
		[ $width != 100 ] ||
			expect_text "$(<$n.lines)" "$(trim <$n.plain | wc -l)" "$arguments: as many lines with colours"
	done <views
	check "$width columns: without colours there are none" sh -c "! grep -l \"$(printf '\033')\" ./*.screen"
done

finish
