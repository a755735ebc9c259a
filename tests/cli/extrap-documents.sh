# SPDX-License-Identifier: BSD-3-Clause
# What the documents of Extra-P's formats allow is read, also where its own reader refuses it.
. "${top_srcdir:-.}/tests/cli/lib.sh"

# values FIRST STEP: five of them, as lines of DATA.
data() { awk -v a="$1" -v b="$2" 'BEGIN { for (i = 1; i <= 5; i++) printf "DATA %g %g\n", a + b * i, a + b * i }'; }

# ---- text -------------------------------------------------------------------------------------

# Braces may nest: one pair for the point, one for each of its numbers.
{
	printf '# a comment\nPARAMETER x\nPARAMETER y\n'
	echo 'POINTS ((1) (10)) ((2) (10)) ((3) (10)) ((4) (10)) ((5) (10))'
	printf 'METRIC time\nREGION main->solve\n'
	data 1 2
} >nested.txt
expect_status 0 perun model --json nested.txt
expect_out '"parameters": ["x", "y"], "coordinates": [[1.0, 10.0], [2.0, 10.0]'
sed 's/^POINTS.*/POINTS (1 10) (2 10) (3 10) (4 10) (5 10)/' nested.txt >flat.txt
nested=$out
expect_status 0 perun model --json flat.txt
expect_text "$nested" "$out" 'with and without inner braces'

# More than four parameters, and names that begin with r.
{
	echo 'PARAMETER ranks rows r q s'
	echo 'POINTS (1 1 1 1 1) (2 1 1 1 1) (4 1 1 1 1) (8 1 1 1 1) (16 1 1 1 1)'
	printf 'REGION main\n'
	data 3 1
} >five.txt
expect_status 0 perun model --json five.txt
expect_out '"parameters": ["ranks", "rows", "r", "q", "s"]'

# One parameter needs no braces; a metric may come after the region; its absence is no fault.
{
	printf 'PARAMETER p\nPOINTS 1 2 3 4 5\nREGION main\nMETRIC time\n'
	data 1 2
	printf 'METRIC visits\n'
	data 4 0
} >plain.txt
expect_status 0 perun model --json plain.txt
expect_out '"metrics": ["time", "visits"]'
sed '/METRIC visits/,$d; /METRIC/d' plain.txt >nameless.txt
expect_status 0 perun model --json nameless.txt

# As many DATA as POINTS, as written; no point twice.
sed '$d' nested.txt >few.txt
expect_status 3 perun model few.txt
expect_one_line
{ cat nested.txt; echo 'DATA 1 2'; } >many.txt
expect_status 3 perun model many.txt
expect_err 'many.txt: line 12'
expect_one_line
sed 's/POINTS.*/POINTS 1 2 2 4 5/; s/^PARAMETER y//' nested.txt >twice.txt
expect_status 3 perun model twice.txt
expect_one_line

# ---- TaLPas -----------------------------------------------------------------------------------

# A semicolon separates, but not within a string.
for p in 1 2 3 4 5; do
	echo "{\"parameters\":{\"p\":$p};\"metric\":\"time;wall\";\"callpath\":\"main->a;b\";\"value\":$((2 * p + 1))}"
done >semicolons.txt
expect_status 0 perun model --json --format talpas semicolons.txt
expect_out '"callpaths": ["main->a;b"], "metrics": ["time;wall"]'

# ---- JSON -------------------------------------------------------------------------------------

echo '{"parameters": ["p"], "measurements": {"main": {"time": [
 {"point": [1], "values": [3, 5]}, {"point": [2], "values": [6]}, {"point": [3], "values": [8]},
 {"point": [4], "values": [10]}, {"point": [5], "values": [12]}]}}}' >new.json
expect_status 0 perun model --json new.json
expect_out '{"coordinate": [1.0], "mean": 4.0, "median": 4.0, "min": 3.0, "max": 5.0, "std": 1.0, "repetitions": 2}'
echo '{"callpaths": [{"id": 1, "name": "main"}], "metrics": [{"id": 1, "name": "time"}],
 "parameters": [{"id": 1, "name": "p"}],
 "coordinates": [{"id": 1, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 7}]}],
 "measurements": [{"callpath_id": 1, "coordinate_id": 1, "id": 1, "metric_id": 1, "value": 2.5},
  {"callpath_id": 1, "coordinate_id": 1, "id": 2, "metric_id": 1, "value": 3.5}]}' >old.json
expect_status 0 perun model --json old.json
expect_out '{"coordinate": [7.0], "mean": 3.0, "median": 3.0, "min": 2.5, "max": 3.5, "std": 0.5, "repetitions": 2}'

# One line is JSON Lines, too; call path and metric may be left out.
echo '{"params": {"p": 3, "q": 0.5}, "value": [0.0, 0.1, 0.2]}' >one.jsonl
expect_status 0 perun model --json one.jsonl
expect_out '"parameters": ["p", "q"], "coordinates": [[3.0, 0.5]], "callpaths": ["<root>"], "metrics": ["<default>"]'
echo '{"params": {"p": 4, "q": 0.5}, "value": 7, "callpath": "a->b", "metric": "m", "more": [1]}' >>one.jsonl
expect_status 3 perun model one.jsonl
expect_one_line
expect_status 0 perun model --allow-missing --json one.jsonl
expect_out '"callpaths": ["<root>", "a->b"], "metrics": ["<default>", "m"]'

# ---- names of points --------------------------------------------------------------------------

# point NAME EXPECTED
point() {
	expect_status 0 perun model --parse-point "$1" --json
	expect_out "$2" "$1: $2"
}
point mm.a1.1b1.1c1.1 '{"names": ["a", "b", "c"], "values": [1.1, 1.1, 1.1]}'
point mm.x1y1z1 '{"names": ["x", "y", "z"], "values": [1.0, 1.0, 1.0]}'
point mm.x1y1z1.r1 '{"names": ["x", "y", "z"], "values": [1.0, 1.0, 1.0]}'
point mm.a1,1.b1,1.c1,1.r1 '{"names": ["a", "b", "c"], "values": [1.1, 1.1, 1.1]}'
point mm.x1.1,y1,1,z1.1.r1 '{"names": ["x", "y", "z"], "values": [1.1, 1.1, 1.1]}'
point mm.x1.1.y1.1.z1.1.r1 '{"names": ["x", "y", "z"], "values": [1.1, 1.1, 1.1]}'
point mm.x1.y1.z1.r1 '{"names": ["x", "y", "z"], "values": [1.0, 1.0, 1.0]}'
point x1y1z1 '{"names": ["x", "y", "z"], "values": [1.0, 1.0, 1.0]}'
point app.ranks8.r2 '{"names": ["ranks"], "values": [8.0]}'
expect_status 3 perun model --parse-point nothing --json
expect_one_line

# ---- many lines -------------------------------------------------------------------------------

# A file in lines takes memory for its numbers and not for its text: here 30 MB of it.
awk 'BEGIN { pad = sprintf("%250s", ""); for (i = 0; i < 100000; i++)
	printf "{\"params\": {\"p\": %d}, \"value\": %d, \"callpath\": \"f%d\", \"metric\": \"time\", \"note\": \"%s\"}\n",
		i % 5 + 1, i % 97 + 1, int(i / 5) % 200, pad }' >long.jsonl
if command -v /usr/bin/time >/dev/null; then
	run /usr/bin/time -f 'peak %M' perun model --json long.jsonl
	peak=$(printf '%s' "$err" | sed -n 's/^peak //p')
	expect_text yes "$([ "${peak:-999999}" -lt 60000 ] && echo yes)" "memory for the data alone: $peak kB"
else
	skip 'there is no /usr/bin/time'
fi

finish
