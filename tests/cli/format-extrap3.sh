# SPDX-License-Identifier: BSD-3-Clause
# The format extrap3: the binary experiments of Extra-P 3.0, made here record by record.
. "${top_srcdir:-.}/tests/cli/lib.sh"
perun plugin list format 2>/dev/null | grep -q extrap3 || skip_all 'the plugin was not built'
python3 -c 'import struct' 2>/dev/null || skip_all 'there is no Python'

cat >make.py <<'P'
import struct, sys
order, name, kind = sys.argv[1:4]
out = bytearray(struct.pack(order + "h", 1))
def i(*numbers):
    for n in numbers: out.extend(struct.pack(order + "q", n))
def d(*numbers):
    for n in numbers: out.extend(struct.pack(order + "d", n))
def t(*texts):
    for x in texts: out.extend(struct.pack(order + "I", len(x.encode())) + x.encode())
def term(*factors):
    t("CompoundTerm"); d(2.5); i(len(factors))
    for a, b in factors: t("SimpleTerm", a); d(b)
t("EXTRAP_EXPERIMENT", "1.0")
names = ["p", "n"] if kind in ("two", "sparse") else ["p"]
for k, x in enumerate(names): t("Parameter"); i(7 + k); t(x)
t("Metric"); i(0); t("time", "s"); t("Metric"); i(1); t("visits", "unknown")
for k, x in enumerate(["main", "f", "f"]): t("Region"); i(k); t(x, "a.c"); i(3)
for k, (region, parent) in enumerate([(0, -1), (1, 0), (2, 0)]): t("Callpath"); i(k, region, parent)
coordinate = {"down": lambda k: 10 - k, "mixed": lambda k: (2 * k + 1) % 5 * 1000003 - 7}.get(kind, lambda k: 10 + k)
if kind == "mixed":
    for k in range(300): t("Region"); i(k * k % 1009 + 5000); t("r%d" % k, "a.c"); i(3)
    t("Callpath"); i(3, 299 * 299 % 1009 + 5000, 2)
for k in range(5):
    t("Coordinate"); i(coordinate(k), len(names))
    for x in reversed(names): t(x); d(2.0 ** k)
t("ModelComment"); i(4); t("a comment")
if len(names) == 2: t("MultiParameterSparseModelGenerator", "m", "GENERATE_MODEL_MEDIAN")
else: t("SingleParameterSimpleModelGenerator", "m", "CROSSVALIDATION_NONE"); d(0.05); t("GENERATE_MODEL_MEAN")
if kind == "sparse": i(5); t("CHEAPEST_POINTS"); i(0, 0); t("INCREASING_COST")
if len(names) == 1: i(1); term(("polynomial", 1.0)); i(1)
t("SingleParameterRefiningModelGenerator", "unused", "CROSSVALIDATION_NONE"); d(0.05); t("GENERATE_MODEL_MEAN")
for path in range(4 if kind == "mixed" else 3):
    for metric in 0, 1:
        for k in range(5):
            v = 2.0 ** k + path
            t("ExperimentPoint"); i(coordinate(k), 4); d(v, 0, 9, 0.5, v + 1, 0, 9, v - 1, v + 2); i(metric, path)
t("Model"); i(0, 1, 0)
if len(names) == 1: t("SingleParameterFunction"); d(1.5); i(1); term(("polynomial", 0.5), ("logarithm", 1.0))
else: t("MultiParameterFunction"); d(1.5); i(1); d(3.0); i(1); t("n"); term(("logarithm", 2.0))
t(*["Function"] * 6); d(0.25, 0.5, 0.75)
if kind == "sparse": d(0.125)
i(1, 4); i(1); t("p"); i(1); d(1, 16)
if kind == "tag": t("Nothing")
if kind == "id": t("Metric"); i(1); t("x", "")
if kind == "point": t("Coordinate"); i(20, 2)
if kind == "lost": t("Callpath"); i(9, 0, 77)
if kind == "again": t("Region"); i(2); t("x", "a.c"); i(3)
if kind == "self": t("Callpath"); i(9, 0, 9)
open(name, "wb").write(out)
P
python3 make.py '<' one one
python3 make.py '>' big one
for file in one big; do
	expect_status 0 perun model --json $file
	expect_out '"parameters": ["p"], "coordinates": [[1.0], [2.0], [4.0], [8.0], [16.0]]'
	expect_out '"callpaths": ["main", "main->f", "main->f #1"], "metrics": ["time", "visits"]'
	expect_out '{"callpath": "main->f", "metric": "time", "points": [{"coordinate": [1.0], "mean": 2.0, "median": 3.0, "min": 1.0, "max": 4.0, "std": 0.5, "repetitions": 4}'
done
# Ids in another order name the same.
perun model --json one >a && python3 make.py '<' down one && perun model --json one >b && python3 make.py '<' one one
check 'ids that fall' cmp -s a b
python3 make.py '<' mixed mixed
expect_status 0 perun model --json mixed
expect_out '"coordinates": [[1.0], [2.0], [4.0], [8.0], [16.0]]'
expect_out '"main->f #1->r299"'
for kind in two sparse; do
	python3 make.py '<' $kind $kind
	expect_status 0 perun model --json $kind
	expect_out '"parameters": ["p", "n"], "coordinates": [[1.0, 1.0], [2.0, 2.0]'
done

# The models of the file.
expect_status 0 perun convert one one.perf
expect_status 0 python3 -c 'import json; print(json.dumps(json.load(open("one.perf"))))'
expect_out '"modelers": [{"name": "m", "modeler": {"use_median": false, "use_measure": "MEAN", "use_crossvalidation": false, "$type": "SingleParameterModeler"}, "models": {"main->f": {"time": {"hypothesis": {"function": {"constant_coefficient": 1.5, "compound_terms": [{"coefficient": 2.5, "simple_terms": [{"term_type": "polynomial", "exponent": 0.5}, {"term_type": "logarithm", "exponent": 1.0}]}], "$type": "SingleParameterFunction"}, "RSS": 0.25, "rRSS": 0.0, "AR2": 0.5, "SMAPE": 0.75, "RE": 0.0,'
expect_out '"comments": ["a comment"]'
expect_status 0 perun convert sparse sparse.perf
expect_status 0 python3 -c 'import json; print(json.dumps(json.load(open("sparse.perf"))))'
expect_out '"parameter_term_pairs": {"1": {"coefficient": 2.5, "simple_terms": [{"term_type": "logarithm", "exponent": 2.0}]}}}], "$type": "MultiParameterFunction"}'
expect_out '"SMAPE": 0.75, "RE": 0.125, "_use_median": true'
if perun plugin list format 2>/dev/null | grep -q extrap-experiment; then
	expect_status 0 perun convert two two.extra-p
	perun model --json two >a && perun model --json two.extra-p >b
	check 'the same as an experiment of Extra-P 4' cmp -s a b
fi

# bad KIND ERROR
bad() {
	python3 make.py '<' bad $1
	expect_status 3 perun model bad
	expect_err "$2"
}
bad tag ': there is no record called "Nothing"'
bad id ': a second metric 1'
bad point ': a coordinate of 2 numbers, expected one for each of the 1 parameters'
bad again ': a second region 2'
bad lost ': there is no call path 77'
bad self ': a call path that is its own parent'
head -c 101 one >bad
expect_status 3 perun model bad
expect_err 'bad: byte 97: expected an integer of 8 bytes, found 4'
head -c 40 one >bad
expect_status 3 perun model --format extrap3 bad
echo 'no experiment at all, but long enough' >bad
expect_status 3 perun model --format extrap3 bad
expect_err 'bad: byte 2: expected EXTRAP_EXPERIMENT'
expect_status 2 perun convert --to extrap3 one -
finish
