# SPDX-License-Identifier: BSD-3-Clause
# What a verdict must not depend on, and what it must: each format of measurements, changed in ways whose effect is known.
. "${top_srcdir:-.}/tests/cli/lib.sh"
perun plugin show check-shift >/dev/null 2>&1 || skip_all 'the check is not built'
command -v python3 >/dev/null || skip_all 'there is no python3'

cat >make.py <<'PYTHON'
"""make.py FORMAT FILE [unit=U] [order=reverse] [extra=1] [rename=1] [all=F] [one=F]"""
import json, sys

form, path = sys.argv[1:3]
opts = dict(word.split("=") for word in sys.argv[3:])
values = {"alpha": 1000, "beta": 2500, "gamma": 4000, "delta": 1500}
values = {k: v * float(opts.get("all", 1)) * (float(opts.get("one", 1)) if k == "beta" else 1) for k, v in values.items()}
if "rename" in opts:
    values["fresh"] = values.pop("gamma")
items = list(values.items())
if opts.get("order") == "reverse":
    items.reverse()
unit = opts.get("unit")
extra = "extra" in opts


def go():
    out = ["goos: linux", "pkg: p"]
    for name, v in items:
        own = f"{v / 1000:g} ms/frame" if unit != "us" else f"{v:g} us/frame"
        out.append(f"Benchmark{name.title()}-8 100 {v:g} ns/op {own}" + (" 7 widgets" if extra else ""))
    return "\n".join(out) + "\nPASS\n"


def google():
    factor, name = (1e-3, "us") if unit else (1, "ns")
    runs = [dict({"name": n, "run_name": n, "run_type": "iteration", "iterations": 5, "real_time": v * factor, "cpu_time": v * factor, "time_unit": name}, **({"widgets": 5.0} if extra else {})) for n, v in items]
    return json.dumps({"context": {"num_cpus": 2, "host_name": "h", "library_build_type": "release"}, "benchmarks": runs})


def hyperfine():
    return json.dumps({"results": [dict({"command": n, "mean": v / 1000, "median": v / 1000, "stddev": None, "user": v / 2000, "system": 0, "times": [v / 1000], "exit_codes": [0]}, **({"memory_usage_byte": [4096]} if extra else {})) for n, v in items]})


def pytest():
    return json.dumps({"machine_info": {"node": "h"}, "commit_info": {}, "version": "4", "benchmarks": [{"name": n, "fullname": n, "stats": {"mean": v / 1e6, "data": [v / 1e6]}} for n, v in items]})


def collapsed():
    return "".join(f"main;{n} {v:.0f}\n" for n, v in items)


def speedscope():
    factor, name = (1e-3, "seconds") if unit else (1, "milliseconds")
    names = ["main"] + [n for n, _ in items]
    profiles = [{"type": "sampled", "name": "cpu", "unit": name, "startValue": 0, "endValue": 1, "samples": [[0, i + 1] for i in range(len(items))], "weights": [v * 100 * factor for _, v in items]}]
    if extra:
        profiles.append({"type": "sampled", "name": "space", "unit": "bytes", "startValue": 0, "endValue": 1, "samples": [[0, 1]], "weights": [64]})
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": n} for n in names]}, "profiles": profiles})


def callgrind():
    lines = ["# callgrind format", "version: 1", "creator: c", "cmd: ./w", "positions: line", "events: Ir" + (" Dr" if extra else ""), ""]
    for n, v in items:
        lines += [f"fn={n}", f"1 {v:.0f}" + (" 3" if extra else ""), ""]
    return "\n".join(lines)


def perf():
    out, at = [], 0
    for n, v in items:
        for _ in range(int(v / 10)):
            at += 250
            out.append(f"work 100 {at / 1e6:.6f}:     250000 cpu-clock: \n\t1000 {n}+0x1 (/w)\n\t2000 main+0x5 (/w)\n")
    return "\n".join(out) + "\n"


def native():
    factor, name = (1e-3, "s") if unit else (1, "ms")
    rows = [{"amount": v * factor, "uid": n, "type": "time", "subtype": "real", "order": 1} for n, v in items]
    if extra:
        rows.append({"amount": 4096, "uid": "alpha", "type": "memory", "subtype": "malloc", "order": 1})
    return json.dumps({"header": {"type": "time", "cmd": "w", "args": "", "workload": "", "units": {"time": name, "memory": "B"}}, "collector_info": {"name": "time", "params": {}}, "postprocessors": [], "global": {"time": "0", "resources": rows}})


open(path, "w").write(globals()[form]())
PYTHON

changes() { python3 -c '
import json, sys
bad = {"Degradation", "Optimization"}
print(sorted({(c["result"], c["location"].lower().replace("p.benchmark", "").replace("benchmark", "").split("-")[0]) for c in json.load(open(sys.argv[1]))["changes"] if c["result"] in bad}))' out.json; }

# verdict WHAT FORMAT STATUS CHANGES [OPTION...]: the changed file compared with the base.
verdict() {
	local what=$1 form=$2 wanted=$3 expected=$4 got
	shift 4
	python3 make.py "$form" "target-$form" "$@" || return
	perun check --force --json profiles "base-$form" "target-$form" >out.json 2>"$work/.result/stderr"
	got=$?
	changes >changes.txt
	if [ "$got" = "$wanted" ] && [ "$(cat changes.txt)" = "$expected" ]; then
		ok "$form: $what"
	else
		not_ok "$form: $what: status $got, $(cat changes.txt)"
	fi
}

slower="[('Degradation', 'beta')]"
for form in go google hyperfine pytest collapsed speedscope callgrind perf native; do
	python3 make.py "$form" "base-$form"
	verdict 'the same twice' "$form" 0 '[]'
	verdict 'another unit' "$form" 0 '[]' unit=us
	verdict 'in another order' "$form" 0 '[]' order=reverse
	verdict 'with another metric' "$form" 0 '[]' extra=1
	verdict 'one renamed' "$form" 0 '[]' rename=1
	# Exact counts have a whole as well.
	wanted=$slower
	[ "$form" != callgrind ] || wanted="[('Degradation', ''), ${slower#[}"
	verdict 'one three times as slow' "$form" 1 "$wanted" one=3
	verdict 'one three times as slow, in another order and unit' "$form" 1 "$wanted" one=3 order=reverse unit=us
done
# All three times as slow: of samples that is load, or a longer recording.
all="[('Degradation', 'alpha'), ('Degradation', 'beta'), ('Degradation', 'delta'), ('Degradation', 'gamma')]"
for form in go google hyperfine pytest native; do
	verdict 'all three times as slow' "$form" 1 "$all" all=3
done
for form in collapsed speedscope perf; do
	verdict 'three times the samples' "$form" 0 '[]' all=3
done
verdict 'three times the instructions' callgrind 1 "[('Degradation', ''), ${all#[}" all=3

# Split in two files: repeats of one version, and halves of one profile.
git init -q repo && cd repo || exit 1
git commit -q --allow-empty -m one
git commit -q --allow-empty -m two
perun init >/dev/null
for form in go collapsed; do
	perun import -m HEAD~1 -w "$form" "../base-$form" >/dev/null
	for part in 1 2; do
		python3 ../make.py "$form" "part$part-$form" all="$([ "$form" = go ] && echo 1 || echo 0.5)" >/dev/null
		[ "$part" = 1 ] || printf '\n' >>"part$part-$form"
		perun import -w "$form" "part$part-$form" >/dev/null
	done
done
run perun check --json head
check 'files split in two are one version' test "$status" = 0
finish
