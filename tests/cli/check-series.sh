# SPDX-License-Identifier: BSD-3-Clause
# perun check series: files, methods, directions, exit codes.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

# series CHANGE: forty values of a generator of remainders, from the 26th on CHANGE more.
series() {
	awk -v change="$1" 'BEGIN { x = 17; printf "["
		for (i = 0; i < 40; i++) {
			x = (x * 16807) % 2147483647
			printf "%s%.4f", i ? "," : "", 100 + x / 2147483647 * 2 + (i >= 25 ? change : 0)
		}
		print "]" }'
}
series 5 >worse.json
series 0 >same.json
expect_status 1 perun check --json series worse.json
expect_json '[c["index"] for c in d["change_points"]]' '[25]'
expect_json 'd["change_points"][0]["result"], d["count"], d["trend"]' "('Degradation', 40, None)"
expect_json '4 < d["change_points"][0]["interval"][0] < 5 < d["change_points"][0]["interval"][1] < 6' 'True'
expect_status 0 perun check --json series --better higher worse.json
expect_json 'd["change_points"][0]["result"]' 'Optimization'
expect_status 0 perun check series same.json
expect_out 'no changes found'
expect_status 1 perun check --explain series worse.json
expect_out 'Degradation at 25: '
expect_out '40 values; noise'
expect_status 0 perun check series --threshold 6 worse.json
expect_status 1 perun check series --threshold 4 worse.json

# Places that were not measured count as places; repeats give their median.
sed 's/^\[/[null,null,/; s/,\([0-9.]*\),/,[\1,\1,900],/' worse.json >gaps.json
expect_status 1 perun check --json series gaps.json
expect_json '[c["index"] for c in d["change_points"]]' '[27]'

# CSV with a header, a column by name, versions.
{ echo 'commit,time,other'; tr -d '[]' <worse.json | tr ',' '\n' | awk '{ print "v" NR - 1 "," $0 ",1" }'; } >worse.csv
expect_status 1 perun check --json series --column time worse.csv
expect_json '[(c["index"], c["version"]) for c in d["change_points"]]' "[(25, 'v25')]"
expect_status 0 perun check series worse.csv
expect_status 1 perun check series --column 2 worse.csv
expect_status 2 perun check series --column 7 worse.csv
expect_err "no column '7'"

for method in segments e-divisive step; do
	expect_status 1 perun check --json --method $method series worse.json
	expect_json '[c["index"] for c in d["change_points"]]' '[25]'
	expect_status 0 perun check --method $method series same.json
done
expect_status 1 perun check --json series worse.json --method t-test
expect_json '[c["index"] for c in d["change_points"]]' '[25]'
expect_status 2 perun check --method bogus series worse.json
expect_err 'choose one of segments'

# Bad input: one line that says where.
echo '[1, "x"]' >bad.json
expect_status 3 perun check series bad.json
expect_err 'element 1: expected a number'
echo '{"y": [1]}' >bad.json
expect_status 3 perun check series bad.json
expect_err 'expected an array'
printf '1\n2\nx\n' >bad.csv
expect_status 3 perun check series bad.csv
expect_err 'line 3'
echo '[]' >empty.json
expect_status 0 perun check --json series empty.json
expect_json 'd["change_points"]' '[]'
# A list without elements is a series, nothing at all is none: what made it has failed.
: >empty.csv
expect_status 3 perun check series empty.csv
expect_err 'nothing is in it'
expect_status 3 perun check series nowhere.json

# A slow drift is told as a trend, and is no change.
awk 'BEGIN { x = 17; for (i = 0; i < 200; i++) { x = (x * 16807) % 2147483647
	print 100 + 5 * i / 200 + x / 2147483647 * 3 } }' >drift.csv
expect_status 0 perun check --json series drift.csv
expect_json 'd["trend"]["interval"][0] < 0.025 < d["trend"]["interval"][1], d["trend"]["since"]' '(True, 0)'
expect_status 0 perun check series drift.csv
expect_out 'trend since 0: +0.02'
# One that begins later, one that ends.
awk 'BEGIN { x = 17; for (i = 0; i < 300; i++) {
	x = (x * 16807) % 2147483647
	printf "%s%.4f", i ? "," : "[", 100 + (i < 150 ? 0 : i - 150) * 0.05 + x / 2147483647 * 3 } print "]" }' >later.json
expect_status 0 perun check --json series later.json
expect_json 'len(d["change_points"]), 130 < d["trend"]["since"] < 170, d["trend"]["until"]' '(0, True, 300)'
tr -d '[]' <later.json | tr , '\n' | tac | paste -sd , | sed 's/.*/[&]/' >ended.json
expect_status 0 perun check series ended.json
expect_out 'trend since 0 until 1'

# Series whose changes are known.
cases=${PERUN_CONFORMANCE:-$top_srcdir/../shared/conformance}
if [ -f "$cases/changepoint.py" ]; then
	expect_status 0 python3 "$cases/changepoint.py" "$PERUN" \
		"$cases/changepoint" --f1 0.94 --null 0.04
else
	skip 'no conformance cases'
fi

finish
