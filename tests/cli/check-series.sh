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
expect_out '#25  higher  '
expect_out '40 values; noise'
expect_status 0 perun check series --threshold 6 worse.json
expect_status 1 perun check series --threshold 4 worse.json

# Options of the method are taken, or refused.
expect_status 0 perun check --params 'threshold: 6' series worse.json
expect_status 1 perun check --params 'threshold: 6' series --threshold 4 worse.json
expect_status 1 perun check --json --params 'algorithm: step' series worse.json
expect_json '[c["index"] for c in d["change_points"]]' '[25]'
perun check --json --params 'algorithm: t-test' series worse.json >params.json
perun check --json --method t-test series worse.json >method.json
expect_same method.json params.json
expect_status 2 perun check --params 'algorithm: guess' series worse.json
expect_err "'guess' finds no changes"
expect_status 2 perun check --params 'treshold: 3' series worse.json
expect_err "a series has no option 'treshold'"
expect_status 2 perun check --params 'threshold: much' series worse.json
expect_err 'threshold is a percentage'

# Changes below 1 % only when asked for; of whole numbers, below 0.5 %.
seq 1 60 | awk 'BEGIN { printf "[" } { printf("%s%.3f", NR > 1 ? "," : "", (NR > 30 ? 100.7 : 100) + 0.01 * (NR % 7)) }
	END { print "]" }' >small.json
expect_status 0 perun check series small.json
expect_status 1 perun check series --threshold 0 small.json
seq 1 60 | awk 'BEGIN { printf "[" } { printf("%s%d", NR > 1 ? "," : "", NR > 30 ? 1007 : 1000) } END { print "]" }' >whole.json
expect_status 1 perun check series whole.json

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

# The forms that spreadsheets write: a mark of UTF-8, other separators, quotes, empty lines.
{ printf '\357\273\277'; tr -d '[]' <worse.json | tr ',' '\n' | awk '{ printf "%s\r\n", $0 }'; } >marked.csv
expect_status 1 perun check --json series marked.csv
expect_json '[c["index"] for c in d["change_points"]], d["count"]' '([25], 40)'
{ printf '\357\273\277'; cat worse.json; } >marked.json
expect_status 1 perun check --json series marked.json
expect_json '[c["index"] for c in d["change_points"]]' '[25]'
{ echo 'commit;"time, s"'; tr -d '[]' <worse.json | tr ',' '\n' | awk '{ print "\"v" NR - 1 ",\nx\";" $0 }'; echo; } >quoted.csv
expect_status 1 perun check --json series --column 'time, s' quoted.csv
expect_json '[(c["index"], c["version"]) for c in d["change_points"]], d["count"]' "([(25, 'v25,\\nx')], 40)"
printf 'a,b\n1,"2\n3,4\n' >bad.csv
expect_status 3 perun check series bad.csv
expect_err 'line 2: a quote is not closed'

# Levels far apart, each clearly seen, and placed where the first value behind is.
cat >levels.json <<'END'
[1.0014, 1.0004, 1.002, 0.9967, 0.997, 0.9924, 1.0027, 1.0024, 0.9939, 0.9981, 1.0016, 1.0016, 0.9981, 0.9968,
0.9995, 1.0024, 1.0046, 1.0007, 1.0028, 0.9897, 1.198, 1.2044, 1.1967, 1.2003, 1.1988, 1.2125, 1.1976, 1.2018,
1.1932, 1.1982, 1.4901, 1.4924, 1.5055, 1.5008, 1.5001, 1.4885, 1.5, 1.5035, 1.494, 1.4974]
END
expect_status 1 perun check --json series levels.json
expect_json '[c["index"] for c in d["change_points"]]' '[20, 30]'
# Numbers whose squares no double holds.
sed 's/[0-9.]\{3,\}/&e307/g' levels.json >huge.json
sed 's/[0-9.]\{3,\}/&e-310/g' levels.json >tiny.json
for file in huge tiny; do
	expect_status 1 perun check --json series $file.json
	expect_json '[c["index"] for c in d["change_points"]], d["trend"]' '([20, 30], None)'
	expect_status 1 perun check series $file.json
	expect_out '  +19.8 % (95 % CI '
done

# Too few values for any answer are reported.
echo '[1, null, 2, 3]' >few.json
expect_status 0 perun check series few.json
expect_err '3 values: a change shows from 4 on'

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

# A slow drift is reported as a trend, and is no change.
awk 'BEGIN { x = 17; for (i = 0; i < 200; i++) { x = (x * 16807) % 2147483647
	print 100 + 5 * i / 200 + x / 2147483647 * 3 } }' >drift.csv
expect_status 0 perun check --json series drift.csv
expect_json 'd["trend"]["interval"][0] < 0.025 < d["trend"]["interval"][1], d["trend"]["since"]' '(True, 0)'
expect_status 0 perun check series drift.csv
expect_out 'trend since #0: +0.02'
# One that begins later, one that ends.
awk 'BEGIN { x = 17; for (i = 0; i < 300; i++) {
	x = (x * 16807) % 2147483647
	printf "%s%.4f", i ? "," : "[", 100 + (i < 150 ? 0 : i - 150) * 0.05 + x / 2147483647 * 3 } print "]" }' >later.json
expect_status 0 perun check --json series later.json
expect_json 'len(d["change_points"]), 130 < d["trend"]["since"] < 170, d["trend"]["until"]' '(0, True, 300)'
tr -d '[]' <later.json | tr , '\n' | tac | paste -sd , | sed 's/.*/[&]/' >ended.json
expect_status 0 perun check series ended.json
expect_out 'trend since #0 until #1'

# Series whose changes are known.
cases=${SERIES_CASES:-${PERUN_CONFORMANCE:-$top_srcdir/../shared/conformance}}
if [ -f "$cases/changepoint.py" ]; then
	expect_status 0 python3 "$cases/changepoint.py" "$PERUN" \
		"$cases/changepoint" --f1 0.94 --null 0.04
	# The methods of others find what these find.
	cat >others.py <<'END'
import glob, json, subprocess, sys
least = {"t-test": ("perfherder_t7_b12_24_f12", 1), "e-divisive": ("otava_default", 0.97), "step": ("asv_detect_steps", 0.94)}
for method, (name, share) in least.items():
    cases = same = 0
    for path in sorted(glob.glob(sys.argv[2] + "/*.json")):
        case = json.load(open(path))
        wanted = case["reference"].get(name)
        if wanted is None:
            continue
        run = subprocess.run([sys.argv[1], "check", "--json", "--method", method, "series", "--threshold", "0", "-"],
                             input=json.dumps(case["y"]), capture_output=True, text=True)
        cases += 1
        same += [c["index"] for c in json.loads(run.stdout)["change_points"]] == wanted
    print(method, same, "of", cases)
    if same < share * cases:
        sys.exit(1)
END
	expect_status 0 python3 others.py "$PERUN" "$cases/changepoint"
else
	skip 'no conformance cases'
fi

finish
