# SPDX-License-Identifier: BSD-3-Clause
# The postprocessor extrap: models in a profile, of experiments and of sizes in the resources.
. "${top_srcdir:-.}/tests/cli/lib.sh"
run perun plugin show postprocess-extrap
[ "$status" -eq 0 ] || skip_all 'needs postprocess-extrap'
command -v python3 >/dev/null || skip_all 'needs python3'

models() {
	python3 -c 'import json, sys
for m in json.load(open(sys.argv[1]))["models"]:
    print(m["uid"], m["model"], m["method"], round(m["r_square"], 6), m.get("x_start"), m.get("x_end"), m.get("growth"),
          [c["name"] + "=%.6g" % (round(c["value"], 9) + 0.0) for c in m["coeffs"]])' "$1"
}

# f: 3 n^2; g: 7 + 2 n; h: 7 + 2 n^(3/2) log2(n); l: 4 + 5 log2(n); c: 5.5; and a model that is there.
python3 - >sizes.perf <<'PYTHON'
import json, math
sizes = [16, 32, 64, 128, 256]
kinds = {"f": lambda n: 3 * n * n, "g": lambda n: 7 + 2 * n, "h": lambda n: 7 + 2 * n ** 1.5 * math.log2(n),
         "l": lambda n: 4 + 5 * math.log2(n), "c": lambda n: 5.5}
print(json.dumps({
    "origin": "", "header": {"type": "mixed", "cmd": "x", "workload": "", "units": {"mixed": "us"}},
    "collector_info": {"name": "complexity", "params": {}}, "postprocessors": [],
    "models": [{"uid": "old", "model": "linear", "method": "full", "r_square": 0.5, "x_start": 0, "x_end": 1,
                "coeffs": [{"name": "b0", "value": 1}, {"name": "b1", "value": 2}]}],
    "resources": {k + "#0": {"amount": [f(n) for n in sizes for _ in range(2)],
                             "structure-unit-size": [n for n in sizes for _ in range(2)]} for k, f in kinds.items()},
    "resource_type_map": {k + "#0": {"type": "mixed", "subtype": "time delta", "uid": k} for k in kinds}}))
PYTHON
expect_status 0 perun postprocessby --output models.perf sizes.perf extrap
check 'the kinds that Perun has, and one more' test "$(models models.perf)" = \
"old linear full 0.5 0 1 None ['b0=1', 'b1=2']
f quadratic extrap 1.0 16.0 256.0 O(structure-unit-size^2) ['b0=0', 'b1=0', 'b2=3']
g linear extrap 1.0 16.0 256.0 O(structure-unit-size) ['b0=7', 'b1=2']
h pmnf extrap 1.0 16.0 256.0 O(structure-unit-size^(3/2) * log2(structure-unit-size)) ['b0=7', 'b1=2', 'b2=1.5', 'b3=1']
l logarithmic extrap 1.0 16.0 256.0 O(log2(structure-unit-size)) ['b0=4', 'b1=7.21348']
c constant extrap 1.0 16.0 256.0 O(1) ['b0=5.5', 'b1=0']"
check 'recorded' grep -q '"name": "extrap"' models.perf
expect_status 0 perun convert --to perun models.perf again.perf
check 'read back the same' test "$(models models.perf)" = "$(models again.perf)"
expect_status 0 perun show models.perf tableof models
expect_out 'pmnf'
run perun plugin show view-scatter
if [ "$status" -eq 0 ]; then
	expect_status 0 perun show models.perf scatter
fi

# An experiment: call paths are the uids; several parameters; an interval for each part.
printf 'PARAMETER p q\nPOINTS (1 1) (2 1) (4 1) (8 1) (16 1) (1 2) (2 2) (4 2) (8 2) (16 2) (1 4) (2 4) (4 4) (8 4) (16 4) (1 8) (2 8) (4 8) (8 8) (16 8) (1 16) (2 16) (4 16) (8 16) (16 16)\nREGION main->f\nMETRIC time\n' >two.txt
for q in 1 2 4 8 16; do for p in 1 2 4 8 16; do echo "DATA $((2 + 3 * p * q))"; done; done >>two.txt
expect_status 0 perun postprocessby --output two.perf two.txt extrap
check 'several parameters' test "$(models two.perf)" = \
"main->f pmnf_multi extrap 1.0 None None O(p * q) ['b0=2', 'b1=3']"
{
	printf 'PARAMETER p\nPOINTS 1 2 3 4 5 6 7 8 9 10 11\nREGION a\nMETRIC time\n'
	for p in 1 2 3 4 5; do echo "DATA $((3 + 5 * p))"; done
	for p in 6 7 8 9 10 11; do echo "DATA $((100 + 3 * p * p))"; done
} >parts.txt
expect_status 0 perun postprocessby --output parts.perf parts.txt extrap --modeler segmented
check 'a model for each part' test "$(models parts.perf | cut -d' ' -f1-3 | tr '\n' ' ')" = 'a linear extrap a quadratic extrap '

sed 's/structure-unit-size/size/g' sizes.perf >other.perf
expect_status 3 perun postprocessby --output out.perf other.perf extrap
expect_err 'name a column with --depending-on'
check 'nothing is written' test ! -e out.perf
expect_status 0 perun postprocessby --output out.perf other.perf extrap --depending-on size
check 'a column by name' test "$(models out.perf | grep -c 'O(size)')" = 1
expect_status 2 perun postprocessby --output no.perf sizes.perf extrap --option nothing
expect_status 2 perun postprocessby --output no.perf sizes.perf extrap --option nothing=1
expect_status 2 perun postprocessby --output no.perf two.txt extrap --modeler segmented
finish
