# SPDX-License-Identifier: BSD-3-Clause
# perun check with the methods that compare models. The numbers were computed by hand or with exact
# arithmetic, apart from this program.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
for name in best-model-order-equality polynomial-regression linear-regression fast-check \
	integral-comparison local-statistics; do
	perun plugin show "check-$name" >/dev/null 2>&1 || skip_all "the check $name is not built"
done

# models FILE MODEL...: a profile with these models.
models() {
	local file=$1 model sep=
	shift
	{
		printf '{"header": {"type": "mixed", "cmd": "./prog", "workload": "w", "units": {"mixed(time delta)": "us"}}, '
		printf '"collector_info": {"name": "complexity", "params": {}}, "postprocessors": [], '
		printf '"global": {"time": "0.0", "resources": ['
		printf '{"amount": 1, "uid": "f", "type": "mixed", "subtype": "time delta", "structure-unit-size": 0}, '
		printf '{"amount": 3, "uid": "f", "type": "mixed", "subtype": "time delta", "structure-unit-size": 1}, '
		printf '{"amount": 5, "uid": "f", "type": "mixed", "subtype": "time delta", "structure-unit-size": 7}, '
		printf '{"amount": 6, "uid": "f", "type": "mixed", "subtype": "time delta", "structure-unit-size": 8}], '
		printf '"models": ['
		for model; do
			printf '%s%s' "$sep" "$model"
			sep=', '
		done
		printf ']}}'
	} >"$file"
}
# param UID KIND R_SQUARE FROM TO B0 B1 [B2]
param() {
	printf '{"uid": "%s", "model": "%s", "method": "full", "r_square": %s, "x_start": %s, "x_end": %s, ' "${@:1:5}"
	printf '"coeffs": [{"name": "b0", "value": %s}, {"name": "b1", "value": %s}' "$6" "$7"
	[ $# -lt 8 ] || printf ', {"name": "b2", "value": %s}' "$8"
	printf ']}'
}
# values UID KIND R_SQUARE FROM TO VALUE,...
values() {
	printf '{"uid": "%s", "model": "%s", "r_square": %s, "x_start": %s, "x_end": %s, "bucket_stats": [%s], ' "$@"
	printf '"statistic_function": "mean", "per_key": "structure-unit-size", "of_key": "amount"}'
}
# check METHOD [OPTION...]: all findings about base.perf and target.perf.
check() { perun check --force --json --unchanged --method "$@" profiles base.perf target.perf; }
facts='[(c["location"], c["result"], c["type"], c["from_baseline"], c["to_target"]) for c in d["changes"]]'
rates='[(round(c["rate"], 6), c["confidence_type"], round(c["confidence_rate"], 6)) for c in d["changes"]]'

# The order of kinds, and what is too uncertain to be reported.
models base.perf "$(param f linear 0.95 0 100 10 2)" "$(param f quadratic 0.9 0 100 10 2 0)" \
	"$(param g power 0.97 1 100 1 2)" "$(param h linear 0.89 0 1 1 1)" "$(param old linear 1 0 1 1 1)"
models target.perf "$(param f quadratic 0.97 0 100 10 2 1)" "$(param g logarithmic 0.91 1 100 1 2)" \
	"$(param h exponential 1 0 1 1 1)" "$(param new linear 1 0 1 1 1)"
expect_status 1 check bmoe
expect_json "$facts" "[('f', 'Degradation', 'model', 'linear', 'quadratic'), ('g', 'Optimization', 'model', 'power', 'logarithmic'), ('h', 'NoChange', 'model', 'linear', 'exponential')]"
expect_json "$rates" "[(1.0, 'r_square', 0.95), (-3.0, 'r_square', 0.91), (3.0, 'r_square', 0.89)]"
for name in best-model-order-equality best_model_order_equality; do
	expect_status 1 check "$name"
	expect_json '{c["method"] for c in d["changes"]}' "{'best-model-order-equality'}"
done

# Integrals: 11000 and 15000; 3 x^1.5 over [1, 4] is 37.2, and 2 * 2^x over [0, 3] is 14 / ln 2.
models base.perf "$(param f linear 0.9 0 100 10 2)" "$(param p power 1 1 4 2 1.5)" \
	"$(param e exponential 1 0 3 2 2)" "$(param low linear 0.14 0 1 1 1)" "$(param c constant 1 0 8 4 0)"
models target.perf "$(param f power 0.8 0 100 3 1)" "$(param p power 1 1 4 3 1.5)" \
	"$(param e exponential 1 0 4 2 2)" "$(param low linear 1 0 1 9 9)" "$(param c quadratic 1 0 8 4.2 0 0)"
expect_status 1 check int
expect_json "$facts" "[('f', 'Degradation', '-', 'linear', 'power'), ('p', 'Degradation', '-', 'power', 'power'), ('e', 'Degradation', '-', 'exponential', 'exponential'), ('c', 'NoChange', '-', 'constant', 'quadratic')]"
expect_json "$rates" "[(0.36, 'r_square', 0.8), (0.5, 'r_square', 1.0), (1.14, 'r_square', 1.0), (0.05, 'r_square', 1.0)]"
expect_status 5 check int --models-type best-nonparam
expect_json 'd["changes"]' '[]'
expect_status 1 perun check --force --explain --method int profiles base.perf target.perf
expect_out '    the integral is 11000 before and 15000 after, +36.4 %'

# Values: an even number of points; all kinds of a uid side by side.
models base.perf "$(values f moving_average 0.9 0 40 1,2,4,8,16,32)" "$(param f linear 1 0 1 1 1)"
models target.perf "$(values f moving_average 0.8 0 40 1,2,4,8,16,64)" "$(param f linear 1 0 1 1.2 1.2)"
expect_status 1 check integral_comparison --models-type all-models
expect_json "$facts" "[('f', 'MaybeDegradation', '-', 'linear', 'linear'), ('f', 'Degradation', '-', 'moving_average', 'moving_average')]"
expect_json "$rates" "[(0.2, 'r_square', 1.0), (0.29, 'r_square', 0.8)]"
expect_status 0 check int --models-type best-model
expect_json "$facts" "[('f', 'MaybeDegradation', '-', 'linear', 'linear')]"
expect_status 1 check int --models-type best-both
expect_json 'len(d["changes"])' 2
expect_status 1 check int --models-type all-nonparam
expect_json '[c["from_baseline"] for c in d["changes"]]' "['moving_average']"

# A regressogram with another number of buckets is computed again: [2, 5.5] over [0, 8], the mean of
# amounts 1 and 3 and that of 5 and 6. The trapezoids: 20 and 30.
models base.perf "$(values f regressogram 1 0 8 2,3)"
models target.perf "$(values f regressogram 1 0 8 1,3,0,5)"
expect_status 1 check int --models-type best-nonparam
expect_json "$rates" "[(0.5, 'r_square', 1.0)]"
# Other lists are compared as far as the shorter one goes.
models base.perf "$(values f kernel_regression 1 0 2 1,1,1)"
models target.perf "$(values f kernel_regression 1 0 2 1,1,1,9,9)"
expect_status 0 check int --models-type best-nonparam
expect_json "$rates" "[(0.0, 'r_square', 1.0)]"

# Intervals of two of 41 points, the last one alone. From x = 20 on the target grows by 3 % a point.
base=$(printf '10,%.0s' {1..40})10
target=$(awk 'BEGIN { for (i = 0; i <= 40; i++) printf "%s%.1f", i ? "," : "", 10 + (i < 20 ? 0 : 0.3 * (i - 19)) }')
models base.perf "$(values f kernel_regression 0.5 0 40 "$base")"
models target.perf "$(values f kernel_regression 0.6 0 40 "$target")"
expect_status 0 check loc --models-type best-nonparam
expect_json "$facts" "[('f', 'MaybeDegradation', '-', 'kernel_regression', 'kernel_regression')]"
expect_json "$rates" "[(0.18, 'r_square', 0.5)]"
expect_json '[(i[0], round(i[1], 5), i[2], i[3]) for i in d["changes"][0]["partial_intervals"]][9:15] + [len(d["changes"][0]["partial_intervals"])]' \
	"[('NoChange', 0.0, 18.0, 19.0), ('NoChange', 0.045, 20.0, 21.0), ('MaybeDegradation', 0.105, 22.0, 23.0), ('MaybeDegradation', 0.165, 24.0, 25.0), ('MaybeDegradation', 0.225, 26.0, 27.0), ('Degradation', 0.285, 28.0, 29.0), 21]"
# Parametric models: intervals along x, not along the values.
models base.perf "$(param f linear 1 0 999 100 0)"
models target.perf "$(param f linear 1 0 999 100 1)"
expect_status 1 check local_statistics --models-type best-param
expect_json '[i[2:] for i in d["changes"][0]["partial_intervals"]][1:3]' '[[50.0, 99.0], [100.0, 149.0]]'

# The difference of models.
models base.perf "$(param f linear 0.98 0 100 10 2)" "$(param same linear 1 0 100 10 2)" "$(param none quadratic 1 0 1 1 1 1)"
models target.perf "$(param f linear 0.99 0 100 10 3)" "$(param same linear 1 0 100 10.4 2.09)" "$(param none quadratic 1 0 1 9 9 9)"
for method in preg lreg fast; do
	expect_status 1 check $method
	expect_json '[(c["location"], c["result"]) for c in d["changes"]]' "[('f', 'Degradation'), ('same', 'NoChange')]"
	expect_json '[(round(c["rate"], 4), c["confidence_rate"]) for c in d["changes"]][0]' '(42.37, 0.98)'
	case $method in
	preg) expect_json '[c["type"] for c in d["changes"]]' "['constant', '']" ;;
	lreg) expect_json '[c["type"] for c in d["changes"]]' "['linear', '']" ;;
	esac
done
# The tolerance of 5 % is that of the best models: constants of flat functions, whose lines slope by chance.
models base.perf "$(param f constant 0.98 0 100 200 0)" "$(param f linear 0.1 0 100 190 0.2)"
models target.perf "$(param f constant 0.98 0 100 204 0)" "$(param f linear 0.1 0 100 214 -0.2)"
for method in preg lreg fast; do
	expect_status 0 check $method
	expect_json '[(c["result"], c["type"], round(c["rate"], 4)) for c in d["changes"]]' "[('NoChange', '', 2.0)]"
done
models target.perf "$(param f constant 0.98 0 100 212 0)" "$(param f linear 0.1 0 100 191 0.2)"
expect_status 0 check preg
expect_json '[(c["result"], round(c["rate"], 4)) for c in d["changes"]]' "[('MaybeDegradation', 6.0)]"
# Coefficients that are close do not make curves equal: 1.02^x and 1.06^x.
models base.perf "$(param f exponential 0.98 0 100 10 1.02)" "$(param f linear 0.5 0 100 1 1)"
models target.perf "$(param f exponential 0.98 0 100 10 1.06)" "$(param f linear 0.5 0 100 1 1)"
expect_status 1 check preg
expect_json '[c["result"] for c in d["changes"]]' "['Degradation']"
expect_status 1 perun check --force --explain --method preg profiles base.perf target.perf
expect_out 'the best models, exponential (b0 10, b1 1.02) before and exponential (b0 10, b1 1.06) after, differ by'
# The best models curve away from each other; the rate is that of them, not of the linear models.
models base.perf "$(param f linear 0.98 0 100 10 2)"
models target.perf "$(param f linear 0.5 0 100 -100 7)" "$(param f quadratic 0.99 0 100 10 2 0.05)"
expect_status 1 check fast
expect_json '[(c["type"], c["result"], round(c["rate"], 4), c["confidence_rate"]) for c in d["changes"]]' "[('QUADRATIC', 'Degradation', 114.4075, 0.5)]"
expect_status 1 check lreg
expect_json '[c["type"] for c in d["changes"]]' "['linear']"
# A power model is b0 x^b1: twice everything, from x = 0 on, and half.
models base.perf "$(param f power 1 0 100 1 1.5)" "$(param f linear 0.9 0 100 0 10)"
models target.perf "$(param f power 1 0 100 2 1.5)" "$(param f linear 0.9 0 100 0 20)"
expect_status 1 check fast
expect_json '[(c["type"], c["result"], round(c["rate"], 9)) for c in d["changes"]]' "[('POWER', 'Degradation', 100.0)]"
mv base.perf half.perf && mv target.perf base.perf && mv half.perf target.perf
expect_status 0 check polynomial-regression
expect_json '[(c["type"], c["result"], round(c["rate"], 9)) for c in d["changes"]]' "[('constant', 'Optimization', -50.0)]"
# Squares of a constant's residuals that sum up to more than 10^8: it takes a line.
models base.perf "$(param f linear 1 0 1000 10 0)"
models target.perf "$(param f linear 1 0 1000 10 100)"
expect_status 1 check preg
expect_json '[c["type"] for c in d["changes"]]' "['linear']"
# A shift is constant.
models base.perf "$(param f quadratic 1 1 100 10 2 0)" "$(param f linear 0.9 1 100 10 2)"
models target.perf "$(param f quadratic 1 1 100 25 2 0)" "$(param f linear 0.9 1 100 25 2)"
expect_status 0 check lreg
expect_json '[c["type"] for c in d["changes"]]' "['constant']"

# A history: what is found is kept with the version, as the Python program writes it.
git init -q . && "$PERUN" init >/dev/null || not_ok init
for number in 1 2; do
	at $number
	git commit -q --allow-empty -m "change $number"
	models "p$number.perf" "$(param f linear 0.95 0 10 $((number * 100)) 2)" "$(param f quadratic 0.9 0 10 1 1 1)"
	expect_status 0 perun add --force "p$number.perf"
done
expect_status 1 perun check --method int --method bmoe all
version=$(head_of)
expect_text "f PerformanceChange.Degradation - linear linear 0.91 r_square 0.95 0.0 $(head_of HEAD~1) ./prog w" \
	"$(cat ".perun/objects/${version:0:2}/${version:2}.changes")" 'the line of .changes'
expect_status 1 perun check --method fast head
expect_out 'slower  f  CONSTANT'
# The difference of orders is an integer.
at 3
git commit -q --allow-empty -m 'change 3'
models p3.perf "$(param f linear 0.9 0 10 200 2)" "$(param f quadratic 0.95 0 10 1 1 1)"
expect_status 0 perun add --force p3.perf
expect_status 1 perun check --method bmoe head
version=$(head_of)
expect_text "f PerformanceChange.Degradation model linear quadratic 1 r_square 0.95 0.0 $(head_of HEAD~1) ./prog w" \
	"$(cat ".perun/objects/${version:0:2}/${version:2}.changes")" 'an integer in .changes'

# Bad input: models without what they need.
models base.perf '{"uid": "f", "model": "linear", "r_square": 1, "coeffs": [{"name": "b0", "value": 1}]}'
cp base.perf target.perf
expect_status 3 check loc
expect_err 'lacks coefficients'
models base.perf '{"uid": "f", "model": "regressogram", "r_square": 1}'
cp base.perf target.perf
expect_status 3 check int
expect_err 'bucket_stats'
# No models, no verdict.
profile base.perf 1
profile target.perf 1
for method in bmoe preg lreg fast int loc; do
	expect_status 5 check $method
	expect_err 'nothing was compared'
	expect_err 'has none of the models that are compared; a postprocessor such as regression-analysis makes them'
	expect_json 'd["changes"]' '[]'
done
models base.perf "$(param f linear 0.95 0 100 10 2)"
models target.perf "$(param f linear 0.95 0 100 30 6)"
COLUMNS=40 expect_status 1 perun check --force --method loc profiles base.perf target.perf
expect_out ' to 100: +200 %'
finish
