# SPDX-License-Identifier: BSD-3-Clause
# The format extrap-experiment: what is written is read again, and what is wrong is said.
. "${top_srcdir:-.}/tests/cli/lib.sh"
perun plugin list format 2>/dev/null | grep -q extrap-experiment || skip_all 'the plugin was not built'
command -v python3 >/dev/null || skip_all 'there is no Python'

cat >one.txt <<'X'
PARAMETER p
POINTS 1 2 4 8 16
METRIC time
REGION main->solve
DATA 1.5 2.5
DATA 4 4
DATA 8 8
DATA 16 16
DATA 32 32
X
sed 's/POINTS.*/POINTS (1 1) (2 1) (4 1) (8 1) (16 1)/; s/PARAMETER p/PARAMETER p\nPARAMETER q/' one.txt >two.txt

# member FILE: experiment.json as one line.
member() { python3 -c 'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read("experiment.json").decode())' "$1"; }
# archive FILE <JSON
archive() { python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "w").writestr("experiment.json", sys.stdin.read())' "$1"; }

for name in one two; do
	expect_status 0 perun convert $name.txt $name.extra-p
	expect_status 0 perun convert $name.txt again.extra-p
	expect_same $name.extra-p again.extra-p
	run perun model --json $name.txt
	modelled=$out
	expect_status 0 perun model --json $name.extra-p
	expect_text "$modelled" "$out" "$name: the same model"
	expect_status 0 perun convert $name.extra-p again.extra-p
	expect_same $name.extra-p again.extra-p
done

# Python's own reader of zip archives, and numpy's headings.
expect_status 0 python3 -c 'import zipfile
z = zipfile.ZipFile("one.extra-p")
assert z.testzip() is None and z.namelist() == ["experiment.json", "values/0.vals", "values/0.indx"]
v, i = z.read("values/0.vals"), z.read("values/0.indx")
assert i[:16] == b"Extra-P INDEX\0\0\0" and int.from_bytes(i[16:24], "little") == 5
at = int.from_bytes(i[24:32], "little")
assert v[at:at + 6] == b"\x93NUMPY" and at % 16 == 0 and b"(2,)" in v[at:at + 128]
import struct
assert struct.unpack("<2d", v[at + 128:at + 144]) == (1.5, 2.5)'

run member one.extra-p
expect_out '"parameters": ["p"], "measurements": {"main->solve": {"time": [{"coordinate": [1.0], "median": 2.0, "mean": 2.0, "minimum": 1.5, "maximum": 2.5, "std": 0.5, "repetitions": 2, "values": [0, 0]}'
expect_out '"simple_terms": [{"term_type": "polynomial", "exponent": "1"}]'
expect_out '"$type": "SingleParameterHypothesis"'
run member two.extra-p
expect_out '"parameter_term_pairs": {"0": {"coefficient": 1.0, "simple_terms": ['
expect_status 0 perun convert -o no-models two.txt without.extra-p
run member without.extra-p
expect_no_out modelers

# Statistics alone; numbers as texts; an older version. What we do not model stays as it is.
archive old.extra-p <<'X'
{"Extra-P": "4.0.3", "scaling": "weak", "parameters": ["p"],
 "measurements": {"main": {"time": [{"coordinate": ["3/2"], "mean": "2", "median": 2.5}, {"coordinate": [4], "mean": "inf"}]}},
 "modelers": [{"name": "mine", "models": {}}]}
X
expect_status 0 perun model --json old.extra-p
expect_out '{"coordinate": [1.5], "mean": 2.0, "median": 2.5, "min": null, "max": null, "std": null, "repetitions": null}'
expect_status 0 perun convert old.extra-p new.extra-p
run member new.extra-p
expect_out '"scaling": "weak"'
expect_out '"modelers": [{"name": "mine", "models": {}}]'
expect_status 0 perun convert old.extra-p new.json
expect_err 'statistics'

# Wrong input: one line each, and nothing is written.
expect_wrong() {
	expect_status 3 perun convert wrong.extra-p new.perf
	expect_err "wrong.extra-p: $1"
	expect_one_line
}
rm -f new.perf
echo '{"parameters": ["p"], "measurements": {}}' | archive wrong.extra-p
expect_wrong 'there are no "measurements" in it'
echo '{"measurements": {"a": {"b": [{"coordinate": [1], "mean": 1}]}}}' | archive wrong.extra-p
expect_wrong 'there are no "parameters" in it'
echo '{"parameters": ["p", "q"], "measurements": {"a": {"b": [{"coordinate": [1], "mean": 1}]}}}' | archive wrong.extra-p
expect_wrong 'line 1, column 74: a coordinate of 1 numbers, expected one for each of the 2 parameters'
echo '{"parameters": ["p"], "measurements": {"a": {"b": [{"mean": 1}]}}}' | archive wrong.extra-p
expect_wrong 'line 1, column 62: a measurement without "coordinate"'
echo '{"parameters": ["p"], "measurements": {"a": {"b": [{"coordinate": [1], "mean": "x"}]}}}' | archive wrong.extra-p
expect_wrong 'line 1, column 80: expected a number for mean, found a string'
echo '{"parameters": ["p"]' | archive wrong.extra-p
expect_wrong "line 2, column 1: expected ',' or '}'"
head -c 300 one.extra-p >wrong.extra-p
expect_wrong ''
python3 -c 'import zipfile; zipfile.ZipFile("wrong.extra-p", "w").writestr("other", "x")'
expect_status 3 perun convert --from extrap-experiment wrong.extra-p new.perf
expect_err 'expected a member experiment.json in it'
# A point twice.
echo '{"parameters": ["p"], "measurements": {"a": {"b": [{"coordinate": [1], "mean": 1}, {"coordinate": [1], "mean": 2}]}}}' |
	archive wrong.extra-p
expect_wrong 'line 1, column 113: the same point twice for one metric'

expect_status 1 test -e new.perf


# Tags of older versions are no part of the name.
archive tags.extra-p <<'X'
{"Extra-P": "4.0", "parameters": ["p"], "measurements": {"f->g\u0003{\"gpu\": true}": {"t": [
 {"coordinate": [1], "mean": 1, "median": 1}, {"coordinate": [2], "mean": 2, "median": 2}]}}}
X
expect_status 0 perun model --json tags.extra-p
expect_out '"callpaths": ["f->g"]'
finish
