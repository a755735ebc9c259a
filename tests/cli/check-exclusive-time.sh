# SPDX-License-Identifier: BSD-3-Clause
# perun check --method exclusive-time-outliers.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
perun plugin show check-exclusive-time-outliers >/dev/null 2>&1 || skip_all 'the check is not built'

# times FILE UID:LOCATION:MICROSECONDS...: each in two resources.
times() {
	local file=$1 word uid location time sep=
	shift
	{
		printf '{"header": {"type": "mixed", "cmd": "./prog", "workload": "w", "units": {"mixed(time delta)": "ns"}}, '
		printf '"collector_info": {"name": "trace", "params": {}}, "postprocessors": [], "global": {"time": "0.0", "resources": ['
		for word; do
			IFS=: read -r uid location time <<<"$word"
			for part in $((time * 400)) $((time * 600)); do
				printf '%s{"amount": 1, "exclusive": %s, "uid": "%s", "location": "%s", "type": "mixed", "subtype": "time delta"}' \
					"$sep" "$part" "$uid" "$location"
				sep=', '
			done
		done
		printf ']}}'
	} >"$file"
}
check() { perun check --json --unchanged --method "$@" profiles base.perf target.perf; }

# The changes are -4 -3 -2 -1 0 1 2 3 100 ms and 5 ms of a new function. Sorted, the quartiles are at
# -1.75 and 2.75 (range 4.5), the median at 0.5, the median deviation is 2.5: z is over 3.5 from a
# distance of 12.97 on. Upwards the range multiple is change / 4.5 - 2.75.
times base.perf a:/bin/app:10000 b:/bin/app:10000 c:/bin/app:10000 d:/bin/app:10000 e:/bin/app:10000 \
	f:/lib/libx-1.2.so:10000 g:/lib/libx-1.2.so:10000 h:/lib/libx-1.2.so:10000 i:/lib/libx-1.2.so:10000 \
	gone:/bin/app:70000
times target.perf a:/bin/app:6000 b:/bin/app:7000 c:/bin/app:8000 d:/bin/app:9000 e:/bin/app:10000 \
	f:/lib/libx-1.3.so:11000 g:/lib/libx-1.3.so:12000 h:/lib/libx-1.3.so:13000 i:/lib/libx-1.3.so:110000 \
	new:/bin/app:5000
expect_status 1 check eto
expect_json '[(c["location"], c["result"], c["from_baseline"], c["to_target"]) for c in d["changes"]][:3]' \
	"[('i', 'SevereDegradation', '10.0', '110.0'), ('new', 'NotInBaseline', '0.0', '5.0'), ('h', 'NoChange', '10.0', '13.0')]"
expect_json '[(round(c["rate"], 9), c["confidence_type"], c["confidence_rate"], round(c["relative"], 6)) for c in d["changes"]][0]' \
	"(100.0, 'IQR_multiple', 19.47, 52.356021)"
# The others scatter by the square root of 8.611 (n - 1 of nine values from -4 to 3, and 5).
expect_json '[(c["location"], c["confidence_type"], c["confidence_rate"]) for c in d["changes"] if c["location"] in "ah"]' \
	"[('h', 'StdDev_multiple', 1.02), ('a', 'StdDev_multiple', -1.36)]"
expect_json '[(c["location"], c["result"], c["from_baseline"], c["to_target"], c["confidence_type"]) for c in d["changes"][-2:]]' \
	"[('/bin/app', 'TotalOptimization', 50.0, 45.0, 'N/A'), ('/lib/libx-1.', 'TotalDegradation', 40.0, 146.0, 'N/A')]"
expect_json '{c["type"] for c in d["changes"]}, "gone" in {c["location"] for c in d["changes"]}' "({'time'}, False)"
# The same names, whatever is between the words.
for name in exclusive-time-outliers exclusive_time_outliers; do
	expect_status 1 check "$name"
	expect_json 'len(d["changes"])' 12
done

# Nothing changed; nothing to divide by.
cp base.perf target.perf
expect_status 0 check eto
expect_json '{c["result"] for c in d["changes"]}, {c["confidence_rate"] for c in d["changes"]}' "({'NoChange'}, {0.0})"
# One function alone is an outlier among those that did not change at all.
times base.perf a:x:1000 b:x:1000 c:x:1000 d:x:1000
times target.perf a:x:1000 b:x:1000 c:x:1000 d:x:2000
expect_status 1 check eto
expect_json '[(c["location"], c["result"]) for c in d["changes"] if c["result"] != "NoChange"]' \
	"[('d', 'SevereDegradation'), ('x', 'TotalDegradation')]"
times target.perf a:x:1000 b:x:1000 c:x:1000 d:x:500
expect_status 0 check eto
expect_json '[(c["location"], c["result"]) for c in d["changes"] if c["result"] != "NoChange"]' \
	"[('d', 'SevereOptimization'), ('x', 'TotalOptimization')]"

# Settings of the Python program reach the options.
git init -q . && "$PERUN" init >/dev/null || not_ok 'init'
times base.perf a:x:1000 b:x:1000 c:y:1000 d:y:1000
times target.perf a:x:1010 b:x:1000 c:y:1000 d:y:3000
expect_status 1 perun -c degradation.location_filter=y -c degradation.cutoff=1 check --json --unchanged --method eto profiles base.perf target.perf
expect_json '[c["location"] for c in d["changes"]]' "['d', 'y']"

profile plain.perf 1
expect_status 5 perun check --force --method eto profiles plain.perf target.perf
expect_err 'exclusive'
finish
