# SPDX-License-Identifier: BSD-3-Clause
# The postprocessor regression-analysis: its models, methods and messages.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v python3 >/dev/null || skip_all 'there is no Python'

# models: of the profile out.perf, a line each.
models() {
	python3 -c 'import json
for m in json.load(open("out.perf"))["models"]:
    print(m["uid"], m["model"], m["method"], m["x_start"], m["x_end"], "%.6f" % m["r_square"],
          *("%s=%.6g" % (c["name"], c["value"]) for c in m["coeffs"]))'
}
python3 -c 'import json
rows = [{"uid": "double", "amount": 2.0 * x + 1, "structure-unit-size": x} for x in range(1, 13)]
rows += [{"uid": "cube", "amount": 5.0 * x ** 3, "structure-unit-size": x} for x in range(1, 13)]
rows += [{"uid": "few", "amount": 1, "structure-unit-size": 1}, {"uid": "none", "amount": 3}]
for r in rows: r["type"] = "mixed"
json.dump({"header": {"type": "mixed", "cmd": "c", "workload": "w", "units": {}},
           "global": {"time": "0", "resources": rows}}, open("in.perf", "w"))'

expect_status 0 perun postprocessby --output out.perf in.perf regression-analysis
expect_err 'few has fewer than three points and gets no model'
run models
expect_out 'double linear full 1 12 1.000000 b0=1 b1=2'
expect_out 'cube power full 1 12 1.000000 b0=5 b1=3'
expect_out 'double constant full 1 12 '
expect_text 12 "$(models | wc -l)" 'six models of two uids'
expect_text 'cube exponential' "$(models | head -n 1 | cut -d' ' -f1,2)" 'in order of uid and curve'

expect_status 0 perun postprocessby --output out.perf in.perf regression-analysis -r quadratic -r linear
expect_text 'cube quadratic,cube linear,double quadratic,double linear' \
	"$(models | cut -d' ' -f1,2 | paste -sd,)" 'curves as they were asked for'
expect_status 0 perun postprocessby --output out.perf in.perf regression-analysis -r constant
expect_text 'cube linear,double linear,cube constant,double constant' \
	"$(models | cut -d' ' -f1,2 | paste -sd,)" 'a constant needs a line'
run python3 -c 'import json; print(json.load(open("out.perf"))["postprocessors"])'
expect_out "'name': 'regression_analysis'"
expect_out "'per_key': 'structure-unit-size'"

for method in initial_guess iterative bisection; do
	expect_status 0 perun postprocessby --output out.perf in.perf regression-analysis -m $method -r linear -r power
	run models
	expect_out "double linear $method 1 12 1.000000 b0=1 b1=2"
	expect_out "cube power $method 1 12 1.000000 b0=5 b1=3"
	expect_text 2 "$(models | wc -l)" "$method: the best one of each uid"
done
expect_status 0 perun postprocessby --output out.perf in.perf regression-analysis -m interval -s 3 -r linear -r power
expect_text 'double linear interval 1 4,double linear interval 5 8,double linear interval 9 12' \
	"$(models | grep double | cut -d' ' -f1-5 | paste -sd,)" 'interval: a model for each step'
# Steps of 3, 3, 2, 2 and 2 points.
expect_status 0 perun postprocessby --output out.perf in.perf regression-analysis -m interval -s 5 -r linear -r power
expect_err 'double has steps with too few usable points, which get no model'
expect_text 'double linear interval 1 3,double linear interval 4 6' \
	"$(models | grep double | cut -d' ' -f1-5 | paste -sd,)" 'interval: the steps that can be fitted'

# The other way round.
expect_status 0 perun postprocessby --output out.perf in.perf regression-analysis -dp amount -o structure-unit-size -r linear
run models
expect_out 'double linear full 3.0 25.0 1.000000 b0=-0.5 b1=0.5'

expect_status 2 perun postprocessby --output new.perf in.perf regression-analysis --of nothing
expect_err 'the resources have no column nothing'
expect_one_line
expect_status 2 perun postprocessby --output new.perf in.perf regression-analysis -m guess
expect_one_line
expect_status 0 perun postprocessby --output out.perf in.perf regression-analysis -m interval -s 7
expect_err 'double has fewer than two points per step and gets no model'
expect_status 1 test -e new.perf

finish
