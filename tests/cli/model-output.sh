# SPDX-License-Identifier: BSD-3-Clause
# perun model: the table, predictions and shares, doubts, Markdown, and the text forms of Extra-P.
. "${top_srcdir:-.}/tests/cli/lib.sh"

# own FILE: values without noise, so that all numbers below can be reckoned by hand:
# main 10, solve 3 p, io 2 + p^2 / 100.
{
	printf 'PARAMETER p\nPOINTS 4 8 16 32 64\nMETRIC time\nREGION main\n'
	for p in 4 8 16 32 64; do echo 'DATA 10'; done
	printf 'REGION main->solve\n'
	for p in 4 8 16 32 64; do echo "DATA $((3 * p))"; done
	printf 'REGION main->solve->io\n'
	for p in 4 8 16 32 64; do echo "DATA $((p * p + 200))e-2"; done
} >own.txt

expect_status 0 perun model own.txt
check 'the table' test "$(printf '%s\n' "$out" | sed 's/ *$//')" = \
'Call path  Model           Growth   SMAPE  adj. R²
main       10              O(1)    0.00 %   0.0000
  solve    3 * p           O(p)    0.00 %   1.0000
    io     2 + 0.01 * p^2  O(p^2)  0.00 %   1.0000'

# At p = 1000: 10, 3000 and 10002, 13012 in all.
expect_status 0 perun model --at p=1000 own.txt
expect_out '10002 s .. 10002 s  76.9 %      76.9 %'
expect_out '3000 s    3000 s .. 3000 s  23.1 %      99.9 %'
expect_out '10 s        10 s .. 10 s   0.1 %     100.0 %'
expect_out '[What costs most at p=1000: time]'
check 'the ranking' test "$(printf '%s\n' "$out" | grep -c '^76.9 %.*main->solve->io$')" = 1
# Inclusive, at p = 10: 10, 30 and 3; taken off below 0 is nothing.
expect_status 0 perun model --at 10 --inclusive --json own.txt
python=$(command -v python3) || skip_all 'needs python3'
shares() {
	$python -c 'import json, sys
for m in json.load(open(sys.argv[1]))["models"]:
    p = m["prediction"]
    print(m["callpath"], round(p["value"], 6), round(p["own"], 6), round(p["share"], 4), round(p["share_below"], 4))' \
		"$work/.result/stdout"
}
check 'own costs of inclusive ones' test "$(shares)" = 'main 10.0 0.0 0.0 1.0
main->solve 30.0 27.0 0.9 1.0
main->solve->io 3.0 3.0 0.1 0.1'
for wrong in q=5 p= p=x p=5,q=1 '' p=inf; do
	expect_status 2 perun model --at "$wrong" own.txt
	expect_err '--at: '
done
expect_status 2 perun model --at 5 --level 100 own.txt
expect_status 2 perun model --json --markdown own.txt

# The numbers of this band are those of tests/unit/test-model-predict.c.
printf 'PARAMETER p\nPOINTS 4 8 16 32 64\nREGION a\nMETRIC time\nDATA 22\nDATA 33\nDATA 59\nDATA 105\nDATA 203\n' >band.txt
expect_status 0 perun model --at 48 --option poly_exponents=1 --option allow_log_terms=false band.txt
expect_out '142.6 s .. 166.1 s'
expect_status 0 perun model --at 48 --level 90 --option poly_exponents=1 --option allow_log_terms=false band.txt
expect_out '145.7 s .. 163.1 s'

# ---- doubts ----------------------------------------------------------------------------------

# Two points fit everything.
printf 'PARAMETER p\nPOINTS 4 8 16\nREGION a\nMETRIC time\nDATA 10\nDATA 13\nDATA 18\n' >few.txt
expect_status 0 perun model few.txt
expect_out '1 of 1 models come from fewer than five values of a parameter.'
expect_status 0 perun model --json few.txt
expect_out '"warnings": ["few_points"'
expect_out '"next_point": ['
printf 'PARAMETER p\nPOINTS 4 8 16 32 64\nREGION a\nMETRIC time\nDATA 10\nDATA 13\nDATA 19\nDATA 26\nDATA 51\n' >tie.txt
expect_status 0 perun model tie.txt
expect_out ' ?'
expect_out '1 of 1 models (marked ?) have a rival that fits as well:'
expect_out 'Differ most at'
check 'nothing is settled already' grep -q 'p=\(128\|2\|6\|11\|23\|45\) ' "$work/.result/stdout"
# The next step beyond the largest value, and so on, is worth more than cheaper points.
expect_status 0 perun model --next 2 tie.txt
expect_out 'The prediction of time at p=256 has an expected error of '
expect_out 'p=128 '
expect_out '
p=256 '
expect_status 0 perun model --next 3 --cost 'p * t' --budget 4000 --json tie.txt
check 'within the budget' python3 -c '
import json, sys
next = json.load(open(sys.argv[1]))["next"]
points = next["points"]
assert points and all(point["point"][0] < 128 for point in points)
assert sum(point["cost"] for point in points) <= 4000
assert next["error"] > points[0]["error"] > points[-1]["error"]
double = next["worth_more"]
assert double["point"] == [128] and double["cost"] > 4000 and double["error"] < points[-1]["error"], double
' "$work/.result/stdout"
expect_status 0 perun model --next 3 --cost 'p * t' --budget 4000 tie.txt
expect_out 'Worth more than that: one measurement at p=128, with a cost of '
expect_status 0 perun model --next 3 --cost 'p * t' --budget 20000 tie.txt
expect_out '
p=128 '
expect_no_out 'Worth more'
# A call path whose forms are not known, for its model has two parts, is left out; the others answer.
{
	printf 'PARAMETER p\nPOINTS 1 2 4 8 16 32 64 128 256 512\nMETRIC time\nREGION a\n'
	for v in 10 13 19 26 51 93 180 350 730 1390; do echo "DATA $v"; done
	printf 'REGION b\n'
	for v in 10 11 12 13 14 150 160 170 180 190; do echo "DATA $v"; done
} >parts.txt
expect_status 0 perun model --next 1 --modeler segmented parts.txt
expect_out '1 of 2 call paths is left out'
expect_out 'p=1024 '
expect_status 0 perun model --next 1 --modeler segmented --json parts.txt
expect_out '"left_out": 1'
expect_status 0 perun model --next 2 --markdown own.txt
expect_out '## What to measure next'
expect_status 2 perun model --next 1 --cost 'p*' tie.txt
expect_err "--cost: column 3 of 'p*': expected a number, a parameter or t"
expect_status 2 perun model --next 1 --cost '(p' tie.txt
expect_status 2 perun model --next 1 --cost 'p q' tie.txt
expect_status 2 perun model --next 1 --cost "$(printf '%01001d' 1)" tie.txt
expect_status 2 perun model --cost p tie.txt
expect_status 2 perun model --next 1 --budget 3 tie.txt
expect_status 2 perun model --next 1 --compare own.txt tie.txt

expect_status 0 perun model own.txt
case $out in *settle*) not_ok 'no doubt about exact data' ;; *) ok 'no doubt about exact data' ;; esac

# What is never measured below zero is not predicted below it.
printf 'PARAMETER p\nPOINTS 2 4 8 16 32 64\nMETRIC time\nREGION a\n' >falls.txt
printf 'DATA %s\n' '1010 990 985' '495 507 503' '248 255 252' '127 123 124' '61 63 64' '31 32 31.5' >>falls.txt
expect_status 0 perun model --at 1024 falls.txt
expect_out ' 0 s .. '

# ---- forms -----------------------------------------------------------------------------------

expect_status 0 perun model --markdown --at 1000 own.txt
expect_out '| Call path | Model | Growth | SMAPE | adj. R² | Predicted | Band | Own | With below |
|---|---|---|---:|---:|---:|---:|---:|---:|
| `main` | `10` | `O(1)` | 0.00 % | 0.0000 | 10 s | 10 s .. 10 s | 0.1 % | 100.0 % |'
expect_out '## What costs most at p=1000: time'

expect_status 0 perun model --print all band.txt --option poly_exponents=1 --option allow_log_terms=false
expect_out 'Callpath: a
	Metric: time
		Measurement point: (4.00E+00) Mean: 2.20E+01 Median: 2.20E+01
		Measurement point: (8.00E+00) Mean: 3.30E+01 Median: 3.30E+01'
expect_out '
		Model: 9.58333333333'
expect_out '
		Adjusted R^2: '
expect_status 0 perun model --print callpaths own.txt
check 'call paths' test "$out" = 'main
main->solve
main->solve->io'
expect_status 0 perun model --print metrics own.txt
check 'metrics' test "$out" = 'time'
expect_status 0 perun model --print parameters own.txt
check 'parameters' test "$out" = 'p'
expect_status 0 perun model --print functions own.txt
check 'a constant as a function' test "$(printf '%s\n' "$out" | head -n 1)" = '10.0'
expect_out ' * p^(1)'
expect_status 0 perun model --print functions-python own.txt
expect_out '*p**(1)'
expect_status 0 perun model --print functions-latex own.txt
expect_out '$10.00$'
expect_out '\cdot p^{1}$'
expect_status 0 perun model --print all-python own.txt
expect_out '*p**(1)'

# Formats: a line for each model.
expect_status 0 perun model --print '{?metric}, {callpath}: {smape:.1f}{{%}} {model}|' own.txt
check 'placeholders' test "$(printf '%s\n' "$out" | sed -n '1p;2s/:.*//p')" = 'time, main: 0.0{%} 10.0|
    , main->solve'
expect_status 0 perun model --print "{points: sep:' \\' ' ; format:'<{point}>'}" own.txt
check 'points' test "$(printf '%s\n' "$out" | head -n 1)" = "<4.00E+00> ' <8.00E+00> ' <1.60E+01> ' <3.20E+01> ' <6.40E+01>"
expect_status 0 perun model --print "{{{parameters}}}{measurements: sep:', '; format:'{point: sep:';';format:'{parameter}{coordinate}'}--{mean:06.1f}\\n'}" own.txt
check 'measurements' test "$(printf '%s\n' "$out" | head -n 2)" = '{p}p4.0--0010.0
, p8.0--0010.0'
expect_status 0 perun model --print '{?parameters}{?points}{model:python}{rss:<8.2e}{re:^+9.1f}' own.txt
check 'once, and aligned' test "$(printf '%s\n' "$out" | head -n 1)" = \
'p(4.00E+00) | (8.00E+00) | (1.60E+01) | (3.20E+01) | (6.40E+01)10.00.00e+00  +0.0   '
for wrong in '{x}' '{model:c}' '{points:x}' '{' '{rss:q}' "{points: sep:'}" nothing functions- '{mean}' "{points: format:'{mean}'}"; do
	expect_status 2 perun model --print "$wrong" own.txt
	expect_err '--print'
done

# Two parts, each on a line of its own.
{
	printf 'PARAMETER p\nPOINTS 1 2 3 4 5 6 7 8 9 10 11\nREGION a\nMETRIC time\n'
	for p in 1 2 3 4 5; do echo "DATA $((3 + 5 * p))"; done
	for p in 6 7 8 9 10 11; do echo "DATA $((100 + 3 * p * p))"; done
} >parts.txt
expect_status 0 perun model --modeler segmented parts.txt
expect_out ' for p<='
expect_out ' for p>='
expect_out 'O(p^2)'
expect_status 0 perun model --modeler segmented --print functions parts.txt
check 'a line for each part' test "$(printf '%s\n' "$out" | grep -c '^Model [12]: ')" = 2

# Along one of two parameters the growth changes: a factor with two parts, of which the last gives the class.
{
	printf 'PARAMETER p\nPARAMETER q\nPOINTS'
	for p in 1 2 3 4 5 6 7 8 9 10 11; do for q in 1 2 3 4 5; do printf ' (%s %s)' "$p" "$q"; done; done
	printf '\nREGION a\nMETRIC time\n'
	for p in 1 2 3 4 5 6 7 8 9 10 11; do
		for q in 1 2 3 4 5; do echo "DATA $((p < 6 ? q * (3 + 5 * p) : q * (100 + 3 * p * p)))"; done
	done
} >two-parts.txt
expect_status 0 perun model --option single_parameter_modeler=segmented two-parts.txt
expect_out ' for p <= 5; '
expect_out ' for p >= 6} * q'
expect_out 'O(q * p^2)'
expect_status 0 perun model --option single_parameter_modeler=segmented --at p=20,q=10 two-parts.txt
expect_out '13000 s'
expect_status 0 perun model --option single_parameter_modeler=segmented --json two-parts.txt
expect_out '"segmented"'
expect_status 0 perun show -o two-parts.html two-parts.txt scaling

# ---- comparisons -----------------------------------------------------------------------------

# solve now grows by p^2, main is twice what it was, io is gone, and there is something new.
{
	printf 'PARAMETER p\nPOINTS 4 8 16 32 64\nMETRIC time\nREGION main\n'
	for p in 4 8 16 32 64; do echo 'DATA 20'; done
	printf 'REGION main->solve\n'
	for p in 4 8 16 32 64; do echo "DATA $((3 * p * p))"; done
	printf 'REGION main->new\n'
	for p in 4 8 16 32 64; do echo "DATA 7"; done
} >other.txt
expect_status 0 perun model --compare own.txt other.txt
expect_out '[Growth, before and after; values at p=64]'
check 'what grows faster' grep -q '^main->solve  *O(p)  *O(p^2)  *192 s  *12288 s  *64x  grows faster$' "$work/.result/stdout"
check 'what grows the same' grep -q '^main  *O(1)  *O(1)  *10 s  *20 s  *2x  same class$' "$work/.result/stdout"
expect_out 'only before: main->solve->io  time'
expect_out 'only after: main->new  time'
expect_status 0 perun model --compare other.txt --at 100 own.txt
check 'what grows slower' grep -q '^main->solve  *O(p^2)  *O(p)  *30000 s  *300 s  *0.01x  grows slower$' "$work/.result/stdout"
expect_status 0 perun model --compare own.txt own.txt
check 'nothing changed' test "$(printf '%s\n' "$out" | grep -c ' 1x  within the bands$')" = 3
expect_status 0 perun model --compare own.txt other.txt --markdown
expect_out '| `main->solve` | `O(p)` | `O(p^2)` |'
expect_status 0 perun model --compare own.txt other.txt --json
expect_out '"order": "higher", "ratio": 6'
sed 's/PARAMETER p/PARAMETER q/' own.txt >q.txt
expect_status 3 perun model --compare q.txt own.txt
expect_err 'the experiments cannot be compared'
expect_status 2 perun model --compare own.txt --print all own.txt

# ---- the terminal ----------------------------------------------------------------------------

if command -v script >/dev/null; then
	unset NO_COLOR
	run script -qec "stty cols 50; TERM=xterm $PERUN model --at 1000 own.txt" /dev/null
	widest=$(printf '%s\n' "$out" | tr -d '\r' | sed 's/\x1b\[[0-9;]*m//g' |
		$python -c 'import sys; print(max(len(line.rstrip("\n")) for line in sys.stdin))')
	run script -qec "stty cols 200; TERM=xterm $PERUN model --at 1000 own.txt" /dev/null
	full=$(printf '%s\n' "$out" | tr -d '\r' | sed 's/\x1b\[[0-9;]*m//g' |
		$python -c 'import sys; print(max(len(line.rstrip("\n")) for line in sys.stdin))')
	check "cut down for a narrow terminal: $widest of 50, else $full" test "$widest" -le 50 -a "$full" -gt 80
	escape=$(printf '\033')
	expect_out "$escape[31m" 'colours'
fi
finish
