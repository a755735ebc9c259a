# SPDX-License-Identifier: BSD-3-Clause
# AFPerf files made to do harm: each gives a clear error or a right answer, in little memory.
. "${top_srcdir:-.}/tests/cli/lib.sh"

header='# AFPerf v1     '
run_info='RunInfo,0,nanoseconds,1000.5,1.0.0,1,sim,2.0,'

# A quote that never ends, and a field larger than a record may be.
{ printf '%s\n%s\nRegionStart,1,1,5,"' "$header" "$run_info"; yes 'text, and "" more' | head -n 200000; } >open.afperf
expect_status 3 perun afperf check open.afperf
expect_out 'line 3: a quote is never closed'
expect_status 3 perun afperf info --limit 1M open.afperf
expect_err 'line 3: the record has more than 1048576 bytes'
{ printf '%s\n%s\nRegionStart,1,1,5,' "$header" "$run_info"; head -c 5000000 /dev/zero | tr '\0' x; printf ',\n'; } >long.afperf
expect_status 3 perun afperf info --limit 1M long.afperf
expect_err 'more than 1048576 bytes'
expect_status 0 perun afperf info long.afperf
expect_status 3 perun afperf reduce --lenient --limit 1M missing.afperf
expect_status 3 perun convert -o limit=1M --to perun long.afperf -

# Regions in regions: durations are right; stacks would be too large.
awk -v n=200000 -v first="$header" -v second="$run_info" 'BEGIN {
	print first; print second
	for (i = 0; i < n; i++) print "RegionStart," i ",1," i ",deep,"
	for (i = n - 1; i >= 0; i--) print "RegionStop," 2 * n - i "," i
}' >deep.afperf
expect_status 0 perun afperf reduce --json deep.afperf
expect_out '"count": 200000'
expect_out '"max": 0.0004'
expect_status 3 perun show deep.afperf top
expect_err 'nested so deep'

# Times at the end of 64 bits: differences are exact, wallclock times are not possible.
cat >late.afperf <<FILE
$header
RunInfo,0,seconds,1000.5,1.0.0,18446744073709551615,sim,2.0,
RegionStart,0,18446744073709551615,18446744073709551614,long,
RegionStop,9223372036854775807,18446744073709551614
FILE
expect_status 0 perun afperf reduce --json late.afperf
expect_out '"sum": 9.223372036854776e+18'
expect_out '"run": 18446744073709551615'
run perun convert --to afperf late.afperf -
check 'written as it was' test "$out" = "$(cat late.afperf)"
sed 's/9223372036854775807/9223372036854775808/' late.afperf >later.afperf
expect_status 3 perun afperf check later.afperf
expect_out 'line 4, RegionStop, timestamp: "9223372036854775808" is out of range'

# Many violations: all are listed, one by one.
{ printf '%s\n%s\n' "$header" "$run_info"; yes 'RegionStop,1,7' | head -n 20000; } >many.afperf
expect_status 3 perun afperf check many.afperf
check 'every violation' test "$(printf '%s\n' "$out" | wc -l)" -eq 20000
expect_status 0 perun afperf info --lenient --json many.afperf

# More measurements than a table may have columns.
awk -v n=5000 -v first="$header" -v second="$run_info" 'BEGIN {
	print first; print second
	for (i = 0; i < n; i++) print "MeasurementType,0,1," i ",m" i ",double,count,,\nRunPoint,0,1," i ",1"
}' >wide.afperf
expect_status 0 perun afperf reduce --json wide.afperf
expect_status 3 perun show wide.afperf top
expect_err 'more than 4096 different measurements'

finish
