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
{ cat run.afperf; echo 'RunPoint,1,0xbad0bad0,1,x,9,1,1,y'; echo 'RegionStart,x,y,3,a,'; } >worse.afperf
expect_status 3 perun afperf check worse.afperf
check 'a line for each wrong field' test "$(printf '%s\n' "$out" | wc -l)" -eq 5
expect_status 3 perun afperf info bad.afperf
check 'nothing on standard output' test -z "$out"
expect_err 'bad.afperf: line 10'
expect_status 0 perun afperf info --lenient --json bad.afperf
expect_out '"left_out"'
expect_err 'bad.afperf: 2 problems, whose records are left out; perun afperf check lists them; the first is line 10'
check 'in one line' test "$(printf '%s\n' "$err" | wc -l)" -eq 1
expect_status 3 perun show bad.afperf top
expect_err 'line 10'

# Regions are stacks.
run perun convert --to collapsed run.afperf -
check 'own time of nested regions' test "$out" = 'outer 30000000
outer;inner 10000000'
expect_status 0 perun show run.afperf flamegraph
expect_status 0 perun show run.afperf tableof resources -h uid,energy,start
expect_out '1639527663520000000'

# Reading, writing and reading again: canonical files come out byte for byte.
cat >canonical.afperf <<FILE
$header
RunInfo,0,seconds,0.5,1.0.0,1,sim,2.0,k=v
MeasurementType,0,1,100,n,int64,count,,
MeasurementType,0,1,101,"ram, all",double,MB,"a ""b""",c
SectionInfo,,1,7,io,
RegionStart,0,1,1,a,
RegionPoint,0,1,100,4,101,0.5
RegionStart,0,1,2,b,k=v;w=x
RegionPoint,0,2,100,4
SectionStart,1,7,1
RunPoint,1,1,101,17
SectionStart,2,7,2
SectionPoint,2,7,2,100,-3,101,1e-05
PauseResume,3,2,1
RegionPoint,5,2,100,6
RegionStop,5,2
RegionAggregate,5,0,2,,101,inf
SectionStop,6,7,2
SectionStop,7,7,1
RegionPoint,9,1,100,5,100,6
RegionStop,9,1
RunAggregate,9,0,1,mean,100,4.5
FILE
run perun convert --to afperf canonical.afperf -
printf '%s\n' "$out" >written.afperf
check 'canonical bytes' cmp canonical.afperf written.afperf

# Parts and the whole.
cat >second.afperf <<FILE
$header
RunInfo,0,milliseconds,10.0,1.0.0,2,sim,2.0,
RegionStart,0,2,11,a,
RegionStop,9,11
FILE
expect_status 0 perun afperf merge -o both.afperf canonical.afperf second.afperf
check 'merged: one behind the other' cmp both.afperf <(cat canonical.afperf second.afperf)
expect_status 0 perun afperf split -o parts both.afperf
check 'split again: the first' cmp parts/run-1.afperf canonical.afperf
check 'split again: the second' cmp parts/run-2.afperf second.afperf
cp canonical.afperf whole.afperf
chmod 640 whole.afperf
expect_status 0 perun afperf append whole.afperf second.afperf
check 'appended' cmp whole.afperf both.afperf
check 'access rights are kept' test "$(stat -c %a whole.afperf)" = 640
expect_status 3 perun afperf append whole.afperf second.afperf
expect_err 'do not fit together'
expect_err 'the run id is used twice'
check 'nothing happened to the container' cmp whole.afperf both.afperf
printf '%s\nRegionStart,1,1,"' "$header" >open.afperf
expect_status 3 perun afperf append whole.afperf open.afperf
check 'nor by a broken part' cmp whole.afperf both.afperf
check 'no temporary file is left' test "$(echo whole.afperf*)" = whole.afperf
expect_status 2 perun afperf split both.afperf
expect_status 2 perun afperf append whole.afperf

# Filters.
run perun afperf filter --run 0x2 both.afperf
check 'by run' test "$out" = "$(cat second.afperf)"
run perun afperf reduce --json --label 'b*' both.afperf
check 'by label' test "$(printf '%s\n' "$out" | grep -c '"label": "b"')" -eq 3
check 'by label: no other' test "$(printf '%s\n' "$out" | grep -c '"label"')" -eq 3
run perun afperf reduce --json --tag w=x both.afperf
check 'by tag' test "$(printf '%s\n' "$out" | grep -c '"label"')" -eq 3
run perun afperf reduce --json --tag w=y both.afperf
check 'by another value of the tag' test "$(printf '%s\n' "$out" | grep -c '"label"')" -eq 0
run perun afperf filter --from 6 --run 1 both.afperf
check 'by time: an outer region' grep -q 'RegionStart,0,1,1,a' "$work/.result/stdout"
check 'by time: not what ended before' test "$(printf '%s\n' "$out" | grep -c '^RegionStart')" -eq 1
expect_status 2 perun afperf filter --run x both.afperf

# Results in other formats.
run perun afperf reduce --to afperf -o reduced.afperf both.afperf
expect_status 0 perun afperf check reduced.afperf
expect_status 0 perun afperf reduce --to perun -o reduced.perf both.afperf
expect_status 0 perun show reduced.perf tableof resources
expect_out 'duration'

# From other profiles: stacks are regions.
printf 'main;f;g 3\nmain;f 2\nmain;h "x" 1\n' >stacks.collapsed
run perun convert --to afperf stacks.collapsed stacks.afperf
expect_status 0 perun afperf check stacks.afperf
run perun convert --to collapsed -o metric=samples stacks.afperf -
check 'stacks there and back' test "$(printf '%s\n' "$out" | sort)" = "$(sort stacks.collapsed)"

# A comparison of two runs, by label.
expect_status 0 perun showdiff parts/run-1.afperf parts/run-2.afperf top

# Results for a spreadsheet.
printf '%s\n' '# AFPerf v1     ' 'RunInfo,0,milliseconds,1000.5,1.0.0,7,sim,2.0,' 'MeasurementType,0,7,1,n,int64,count,,' \
	'RegionStart,0,7,1,"a, ""b""",' 'RegionPoint,0,1,1,4' 'RegionStop,250,1' >csv.afperf
expect_status 0 perun afperf reduce --csv csv.afperf
expect_text 'run,level,label,measurement,units,count,sum,mean,std,min,max
7,region,"a, ""b""",duration,s,1,0.25,0.25,0.0,0.25,0.25
7,region,"a, ""b""",n,count,1,4,4.0,0.0,4,4' "$out"

finish
