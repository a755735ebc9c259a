# SPDX-License-Identifier: BSD-3-Clause
# The command afperf: cases of the specification with their results, if they are there; how it is used.
. "${top_srcdir:-.}/tests/cli/lib.sh"

conformance=${PERUN_CONFORMANCE:-$top_srcdir/../shared/conformance}
if [ -e "$conformance/afperf.py" ] && command -v python3 >/dev/null; then
	run python3 "$conformance/afperf.py" "$PERUN" "$conformance/afperf" -v
	check 'the cases of the specification' [ "$status" -eq 0 ]
else
	skip "needs the cases of the specification"
fi

header='# AFPerf v1     '
cat >run.afperf <<FILE
$header
RunInfo,0,milliseconds,1639527663.5,1.0.0,0xbad0bad0,mission,2.9,host=a;user=b
MeasurementType,0,0xbad0bad0,1,energy,double,count,Energy,More
RegionStart,10,0xbad0bad0,1,outer,
RegionStart,20,0xbad0bad0,2,inner,part=x
RegionPoint,20,2,1,0.5
RegionStop,30,2
RegionStop,50,1
PauseResume,45,40,0xbad0bad0
FILE
expect_status 0 perun afperf check run.afperf
check 'nothing is said of a good file' test -z "$out$err"
expect_status 0 perun afperf info run.afperf
expect_out 'run 3134241488'
expect_out '2021-12-15 00:21:03.510 UTC to 2021-12-15 00:21:03.550 UTC (0.04 s)'
expect_out '2 regions, 0 sections'
expect_status 0 perun afperf reduce --deduct-pauses run.afperf
expect_out 'outer'
# shellcheck disable=SC2016
expect_status 0 sh -c '"$0" afperf reduce --json --deduct-pauses - <run.afperf' "$PERUN"
expect_out '"sum": 0.035'
expect_status 2 perun afperf info
expect_status 2 perun afperf fly run.afperf
expect_status 2 perun afperf info run.afperf run.afperf
expect_err 'takes one file'
expect_status 3 perun afperf info missing.afperf

{ cat run.afperf; echo 'RegionStop,60,7'; echo 'RunPoint,1,0xbad0bad0,1,x'; } >bad.afperf
expect_status 3 perun afperf check bad.afperf
check 'a line for each violation' test "$(printf '%s\n' "$out" | wc -l)" -eq 2
expect_out 'line 10, RegionStop, region id: a stop without a start'
expect_out 'line 11, RunPoint, value: expected a floating-point number, found "x" [MeasurementType: datatype]'
expect_status 3 perun afperf info bad.afperf
check 'nothing on standard output' test -z "$out"
expect_err 'bad.afperf: line 10'
expect_status 0 perun afperf info --lenient --json bad.afperf
expect_out '"left_out"'
expect_err 'left out: line 11'
expect_status 3 perun show bad.afperf top
expect_err 'line 10'

# Regions are stacks.
run perun convert --to collapsed run.afperf -
check 'own time of nested regions' test "$out" = 'outer 30000000
outer;inner 10000000'
expect_status 0 perun show run.afperf flamegraph
expect_status 0 perun show run.afperf tableof resources -h uid,energy,start
expect_out '1639527663520000000'

finish
