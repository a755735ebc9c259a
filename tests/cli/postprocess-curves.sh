# SPDX-License-Identifier: BSD-3-Clause
# Postprocessors without formulas: regressogram, moving-average, kernel-regression, clusterizer.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v python3 >/dev/null || skip_all 'there is no Python'

# process ARGUMENT...: the models of in.perf, a line each: KEY=VALUE as asked for.
process() {
	local keys=$1
	shift
	expect_status 0 perun postprocessby --output out.perf in.perf "$@"
	run env KEYS="$keys" python3 -c 'import json, os
for m in json.load(open("out.perf"))["models"]:
    print(*(k + "=" + json.dumps(m.get(k)) for k in os.environ["KEYS"].split()))'
}
python3 -c 'import json
rows = [{"uid": "f", "amount": y, "structure-unit-size": x, "type": "mixed"}
        for x, y in [(8, 9), (1, 1), (2, 3), (3, 2), (4, 6), (5, 4), (6, 8), (7, 7)]]
rows += [{"uid": "g", "amount": 5, "structure-unit-size": 1, "type": "mixed"}]
json.dump({"header": {"type": "mixed", "cmd": "c", "workload": "w", "units": {}},
           "global": {"time": "0", "resources": rows}}, open("in.perf", "w"))'

# Buckets [1, 2.75), [2.75, 4.5), [4.5, 6.25), [6.25, 8].
process 'uid bucket_stats x_start x_end y_start' regressogram -bn 4
expect_out 'uid="f" bucket_stats=[2.0, 4.0, 6.0, 8.0] x_start=1.0 x_end=8.0 y_start=1.0'
expect_out 'uid="g" bucket_stats=[0.0, 0.0, 5.0, 0.0] x_start=0.5 x_end=1.5 y_start=5.0'
process 'uid buckets_method statistic_function bucket_stats' regressogram -bn 2 -sf median
expect_out 'uid="f" buckets_method="user" statistic_function="median" bucket_stats=[2.5, 7.5]'
# sqrt: 7 / sqrt(8) wide, so three; sturges: 7 / 4, so four.
process 'bucket_stats' regressogram -bm sqrt
expect_out 'bucket_stats=[2.0, 5.0, 8.0]'
process 'bucket_stats' regressogram -bm sturges
expect_out 'bucket_stats=[2.0, 4.0, 6.0, 8.0]'
expect_status 2 perun postprocessby --output new.perf in.perf regressogram -bn 0
expect_one_line

process 'uid bucket_stats window_width' moving-average sma -ww 3
expect_out 'uid="f" bucket_stats=[NaN, 2.0, 3.6666666666666665, 4.0, 6.0, 6.333333333333333, 8.0, NaN] window_width=3'
process 'bucket_stats' moving-average -mp 1 sma -ww 3 --no-center
expect_out 'bucket_stats=[1.0, 2.0, 2.0, 3.6666666666666665, 4.0, 6.0, 6.333333333333333, 8.0]'
process 'bucket_stats' moving-average smm -ww 3
expect_out 'bucket_stats=[NaN, 2.0, 3.0, 4.0, 6.0, 7.0, 8.0, NaN]'
process 'bucket_stats' moving-average ema -d alpha 0.5
expect_out 'bucket_stats=[1.0, 2.3333333333333335, 2.142857142857143'
# triang of 3: 1/2, 1, 1/2.
process 'bucket_stats' moving-average sma -ww 3 -wt triang
expect_out 'bucket_stats=[NaN, 2.25, 3.25, 4.5, 5.5, 6.75, 7.75, NaN]'
# bartlett of 3: 0, 1, 0; a point of weight 0 counts as one of the window's.
process 'bucket_stats' moving-average sma -ww 3 -wt bartlett
expect_out 'bucket_stats=[NaN, 3.0, 2.0, 6.0, 4.0, 8.0, 7.0, NaN]'
expect_status 2 perun postprocessby --output new.perf in.perf moving-average ema -d span 0.5
expect_err 'span from 1'
expect_one_line

# Nothing but neighbours below sqrt(5) bandwidths counts: here none.
process 'uid kernel_mode bandwidth bucket_stats' kernel-regression kernel-smoothing -bv 0.1
expect_out 'uid="f" kernel_mode="smoothing" bandwidth=0.1 bucket_stats=[1.0, 3.0, 2.0, 6.0, 4.0, 8.0, 7.0'
expect_out 'uid="g" kernel_mode="manually" bandwidth=1.0 bucket_stats=[5.0]'
process 'kernel_mode bucket_stats' kernel-regression user-selection -bv 1000000
# Wide enough to be the straight line: slope 46 / 42 through (4.5, 5).
expect_out 'kernel_mode="estimator" bucket_stats=[1.16666666'
process 'bandwidth' kernel-regression method-selection -bm scott
scott=$out
process 'bandwidth' kernel-regression method-selection -bm silverman
expect_text yes "$([ "$scott" != "$out" ] && echo yes)" 'the two rules differ'
process 'kernel_mode' kernel-regression kernel-ridge -gr 0.1 0.5 -gs 0.1
expect_out 'kernel_mode="ridge"'
process 'kernel_mode' kernel-regression estimator-settings -bw aic -rt lc
expect_out 'kernel_mode="estimator"'
# The search for a bandwidth ends below 0 here; a bandwidth has no sign.
python3 -c 'import json
rows = [{"uid": "f", "amount": x * x, "structure-unit-size": x, "type": "mixed"} for x in range(3)]
json.dump({"header": {"type": "mixed", "cmd": "c", "workload": "w", "units": {}},
           "global": {"time": "0", "resources": rows}}, open("three.perf", "w"))'
expect_status 0 perun postprocessby --output out.perf three.perf kernel-regression estimator-settings -rt lc
run python3 -c 'import json; print("%.4f" % json.load(open("out.perf"))["models"][0]["bandwidth"])'
expect_text 0.0695 "$out" 'the size of the bandwidth'
expect_status 2 perun postprocessby --output new.perf in.perf kernel-regression kernel-ridge -gr 1 0.5
expect_one_line
expect_status 2 perun postprocessby --output new.perf in.perf kernel-regression user-selection
expect_one_line

# What is recorded of the options is what the Python program records.
params() { python3 -c 'import json
print(json.dumps(json.load(open("out.perf"))["postprocessors"][-1]["params"], sort_keys=True))'; }
recorded() { # JSON ARGUMENT...
	local json=$1
	shift
	expect_status 0 perun postprocessby --output out.perf in.perf "$@"
	expect_text "$json" "$(params)" "options of $*"
}
recorded '{"method": "initial_guess", "of_key": "amount", "per_key": "structure-unit-size", "regression_models": [], "steps": 3}' \
	regression-analysis -m initial-guess
recorded '{"bucket_method": "doane", "bucket_number": null, "of_key": "amount", "per_key": "structure-unit-size", "statistic_function": "mean"}' \
	regressogram
recorded '{"center": true, "min_periods": null, "moving_method": "sma", "of_key": "amount", "per_key": "structure-unit-size", "window_type": null, "window_width": null}' \
	moving-average
recorded '{"decay": "span", "min_periods": 2, "moving_method": "ema", "of_key": "amount", "per_key": "structure-unit-size", "window_width": 4.0}' \
	moving-average -mp 2 ema -d span 4
recorded '{"gamma_range": [1e-05, 0.0001], "gamma_step": 1e-05, "kernel_mode": "kernel-ridge", "of_key": "amount", "per_key": "structure-unit-size"}' \
	kernel-regression kernel-ridge
recorded '{"bandwidth_method": "cv_ls", "efficient": true, "kernel_mode": "estimator-settings", "n_re_samples": 25, "n_sub_samples": 5, "of_key": "amount", "per_key": "structure-unit-size", "randomize": false, "reg_type": "ll", "return_median": false}' \
	kernel-regression estimator-settings --efficient --n-sub 5 --return-mean

# Infinite numbers are no points.
python3 -c 'import json
p = json.load(open("in.perf"))
p["global"]["resources"][3]["structure-unit-size"] = float("inf")
p["global"]["resources"][5]["amount"] = float("-inf")
json.dump(p, open("infinite.perf", "w"))'
expect_status 0 perun postprocessby --output out.perf infinite.perf kernel-regression kernel-smoothing -sm local-polynomial
run python3 -c 'import json; print([len(m["bucket_stats"]) for m in json.load(open("out.perf"))["models"]])'
expect_out '[6, 1]'
# Values that are all the same have no correlation with anything.
python3 -c 'import json
p = json.load(open("in.perf"))
for resource in p["global"]["resources"]:
    resource["amount"] = 5
json.dump(p, open("same.perf", "w"))'
expect_status 0 perun postprocessby --output out.perf same.perf kernel-regression estimator-settings
run python3 -c 'import json; print({m["r_square"] for m in json.load(open("out.perf"))["models"] if len(m["bucket_stats"]) > 2})'
expect_out '{nan}'
expect_status 2 perun postprocessby --output new.perf in.perf regressogram --per none --of nothing
expect_text 'perun: regressogram: the resources have no column none; their columns of numbers are: amount, structure-unit-size' "$err"

clusters() { python3 -c 'import json
p = json.load(open("out.perf"))
rows = p["resources"]
for name, columns in rows.items():
    print(name, *(columns["cluster"] if isinstance(columns.get("cluster"), list) else [columns.get("cluster")]))'; }
expect_status 0 perun postprocessby --output out.perf in.perf clusterizer
run clusters
expect_out 'f#0 8 1 3 2 5 4 7 6'
# 1 2, 3 4, 6 7, 8 9: none more than 1.5 above the first.
expect_status 0 perun postprocessby --output out.perf in.perf clusterizer -s sliding_window -ww 3 -fww -wh 1.5 -fwh
run clusters
expect_out 'f#0 4 1 2 1 3 2 4 3'
expect_status 2 perun postprocessby --output new.perf in.perf clusterizer -fww -rww
expect_one_line
expect_status 1 test -e new.perf

finish
