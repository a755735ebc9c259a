# SPDX-License-Identifier: BSD-3-Clause
# perun model: formulas from measurements, their options, and what is refused.
. "${top_srcdir:-.}/tests/cli/lib.sh"

{
	printf 'PARAMETER p\nPOINTS 4 8 16 32 64\nMETRIC time\nREGION main->solve\n'
	for p in 4 8 16 32 64; do echo "DATA $((10 + 3 * p)) $((12 + 3 * p))"; done
	printf 'REGION main->init\n'
	for p in 4 8 16 32 64; do echo "DATA 5"; done
} >e.txt
expect_status 0 perun model e.txt
expect_out '
  solve    11 + 3 * p  O(p)    0.00 %   1.0000
  init     5           O(1)    0.00 %   0.0000'
expect_status 0 perun model --json e.txt
expect_out '"string": "5.0", "constant": 5.0, "terms": []'
expect_out '"type": "polynomial", "exponent": 1'
expect_out '"mean": 23.0, "median": 23.0, "min": 22.0, "max": 24.0, "std": 1.0, "repetitions": 2'
expect_status 0 perun model --json --measure minimum e.txt
check 'another measure' test "${out#*'"constant": 10.0'}" != "$out" -o "${out#*'"constant": 9.99'}" != "$out" -o "${out#*'"constant": 10.00'}" != "$out"
expect_status 0 perun convert --to extrap-jsonl e.txt e.jsonl
expect_status 0 perun model --json e.jsonl
jsonl=$out
expect_status 0 perun model --json e.txt
check 'the same from another format' test "$jsonl" = "$out"
PERUN_THREADS=1 expect_status 0 perun model --json e.txt
check 'the same with one thread' test "$jsonl" = "$out"

expect_status 2 perun model --option no_such=1 e.txt
expect_err 'the modelers have no option no_such'
expect_status 2 perun model --option no_value e.txt
expect_status 2 perun model
expect_err 'name a file'
expect_status 3 perun model missing.txt
sed '$d' e.txt >short.txt
expect_status 3 perun model short.txt
expect_err 'line 14: 4 DATA lines'
sed '$d' e.jsonl >short.jsonl
expect_status 3 perun model short.jsonl
expect_err "'main->init', metric 'time': measured at 4 of 5 points"
expect_status 0 perun model --allow-missing short.jsonl
expect_out '  init     5           O(1)'
expect_out '1 of 2 models come from fewer than five values'

cat e.txt >twice.txt
sed -n '/^REGION/,$p' e.txt >>twice.txt
expect_status 3 perun model twice.txt
expect_err 'were already measured from line'
expect_status 2 perun model --modeler refining --option poly_exponents=1,2 e.txt
expect_err 'option poly_exponents has no effect on the refining modeler'
expect_status 2 perun model --option allow_combinations_of_sums_and_products=false e.txt
expect_err 'has no effect'
expect_status 2 perun model --option force_combination_exponents=true --option poly_exponents=1,2 e.txt
expect_err 'option force_combination_exponents has no effect without both poly_exponents and log_exponents'
expect_status 2 perun model --option retain_default_exponents=true e.txt
expect_err 'retain_default_exponents has no effect without poly_exponents or log_exponents'
expect_status 0 perun model --modeler refining --option use_crossvalidation=false e.txt

# Refining goes on as long as the SMAPE gains by it, even where the RSS chooses: what Extra-P 4.2.5 finds here.
printf 'PARAMETER p\nPOINTS 251 371 492 878 1493 3265 3661 4009\nMETRIC time\nREGION a\n' >squares.txt
printf 'DATA %s\n' 5.98 6.63 11.2 15.4 21.2 33.3 40.3 34.9 >>squares.txt
expect_status 0 perun model --modeler refining --option compare_with_RSS=true squares.txt
expect_out '-5.026 + 0.6822 * p^(1/2)'

# A term that is nearly as many times larger than the constant as numbers have digits does not hide it.
{
	printf 'PARAMETER p\nPARAMETER q\nPOINTS'
	for p in 34 69 138 275 550; do for q in 34 69 138 275 550; do printf ' ( %s %s )' $p $q; done; done
	printf '\nMETRIC time\nREGION a\n'
	for p in 34 69 138 275 550; do for q in 34 69 138 275 550; do
		awk "BEGIN { printf \"DATA %.17g\n\", 2 + 3.6e-17 * $p * $p * $p * $q * $q * $q }"
	done; done
} >huge.txt
expect_status 0 perun model huge.txt
expect_out '2 + 3.6e-17 * p^3 * q^3'

# Strong scaling: Extra-P's formula would fall below zero.
printf 'PARAMETER p\nPOINTS 4 8 16 32 64\nREGION a\nMETRIC time\nDATA 502\nDATA 249\nDATA 126\nDATA 62\nDATA 31\n' >fall.txt
expect_status 0 perun model --json --at 1024 fall.txt
expect_out '"falling"'
expect_out '"band": "range"'
expect_no_out '"below_zero"'
expect_status 0 perun model --json --at 16 fall.txt
expect_out '"band": "interval"'
expect_status 0 perun model --at 1024 --option allow_negative_exponents=false fall.txt
expect_out 'fall below zero there'

# What rises faster than all of Extra-P's terms: LULESH over the length of an edge, times in milliseconds.
printf 'PARAMETER s\nPOINTS 4 6 8 11 15 20\nREGION a\nMETRIC time\n' >steep.txt
printf 'DATA %s\n' 12.2 30.6 74.4 200 953 3381 >>steep.txt
expect_status 0 perun model steep.txt
expect_out '* s^(9/2) '
expect_out '1 of 1 models has exponents above 3, because the values rise so fast; Extra-P does not try these.'
expect_no_out 'off by more than 40 %'
expect_status 0 perun model --json --at s=40 steep.txt
expect_out '"steep"'
expect_status 0 perun model -o allow_steep_exponents=false steep.txt
expect_out '1 of 1 models is off by more than 40 % on average'
expect_no_out 'above 3'
# Up to that edge formulas are Extra-P's.
printf 'PARAMETER s\nPOINTS 4 6 8 11 15 20\nREGION a\nMETRIC time\n' >edge.txt
awk 'BEGIN { for (i = split("4 6 8 11 15 20", s); i; i--) line = sprintf("DATA %.17g\n", 5 + s[i] ^ 3 * log(s[i]) / log(2)) line; printf "%s", line }' >>edge.txt
expect_status 0 perun model --json edge.txt
expect_no_out '"steep"'
expect_out 'O(s^3 * log2(s))'

expect_status 0 perun model --parse-point mm.p4.n1,5.r2
check 'the parameters of a name' test "$out" = 'p = 4.0
n = 1.5'
expect_status 0 perun model --json --parse-point mm.p4
check 'as JSON' test "$out" = '{"names": ["p"], "values": [4.0]}'
expect_status 3 perun model --parse-point mm
finish
