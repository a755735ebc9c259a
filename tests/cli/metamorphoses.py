# SPDX-License-Identifier: BSD-3-Clause
"""Files of every format with four known values, and changes of them whose effect on the verdict is known.

metamorphoses.py PERUN FORMAT...   prints a line "ok WHAT" or "not ok WHAT: WHY" for each case

A format is an entry of FORMATS: how its values vary, and a function that makes a file from what is in `Make`: the items
(names and values, in their order), whether they are in the other unit (or in another form of the tool), and whether there is another metric. A file that a change leaves as it was is
no case. A format that perun lists and that has no entry is a failure.
"""
import concurrent.futures, importlib, json, os, re, sqlite3, subprocess, sys

VALUES = {"alpha": 1000, "beta": 2500, "gamma": 4000, "delta": 1500}


class Make:
    def __init__(self, unit=False, reverse=False, extra=False, rename=False, every=1, one=1, part=None):
        values = {k: v * every * (one if k == "beta" else 1) for k, v in VALUES.items()}
        if rename:
            values["fresh"] = values.pop("gamma")
        self.items = list(values.items())
        if reverse:
            self.items.reverse()
        self.part = part
        if part is not None:
            self.items = self.items[2 * part:2 * part + 2]
        self.unit, self.extra = unit, extra


# ---- benchmarks --------------------------------------------------------------------------------


def go_bench(m):
    out = ["goos: linux", "pkg: p"]
    for n, v in m.items:
        own = f"{v:g} us/frame" if m.unit else f"{v / 1000:g} ms/frame"
        out.append(f"Benchmark{n.title()}-8 100 {v:g} ns/op {own}" + (" 7 widgets" if m.extra else ""))
    return "\n".join(out) + "\nPASS\n"


def google_benchmark(m):
    factor, name = (1e-3, "us") if m.unit else (1, "ns")
    runs = [dict({"name": n, "run_name": n, "run_type": "iteration", "iterations": 5, "real_time": v * factor, "cpu_time": v * factor, "time_unit": name}, **({"widgets": 5.0} if m.extra else {})) for n, v in m.items]
    return json.dumps({"context": {"num_cpus": 2, "host_name": "h", "library_build_type": "release"}, "benchmarks": runs})


def hyperfine(m):
    if m.unit:  # its Markdown has a unit in the heading
        return "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n|:---|---:|---:|---:|---:|\n" + "".join(f"| `{n}` | {v:g} ± 1 | {v:g} | {v:g} | 1.00 |\n" for n, v in m.items)
    return json.dumps({"results": [dict({"command": n, "mean": v / 1000, "median": v / 1000, "stddev": None, "user": v / 2000, "system": 0, "times": [v / 1000], "exit_codes": [0]}, **({"memory_usage_byte": [4096]} if m.extra else {})) for n, v in m.items]})


def pytest_benchmark(m):
    if m.unit:  # what it prints
        rows = "".join(f"{n}    {v / 1000:,.4f} (1.0)    0.0001 (1.0)    {v / 1000:,.4f} (1.0)    3\n" for n, v in m.items)
        return f"---- benchmark: {len(m.items)} tests ----\nName (time in ms)    Mean    StdDev    Median    Rounds\n----\n{rows}----\n"
    return json.dumps({"machine_info": {"node": "h"}, "commit_info": {}, "version": "4", "benchmarks": [{"name": n, "fullname": n, "stats": {"mean": v / 1e6, "data": [v / 1e6]}} for n, v in m.items]})


def asv(m):
    lines = ["· Running 4 total benchmarks", "[  0.00%] ·· Benchmarking py3"]
    for n, v in m.items:
        lines.append(f"[ 10.00%] ··· time_{n}    " + (f"{v / 1000:g}±0.01ms" if m.unit else f"{v:g}±10μs"))
    return "\n".join(lines) + "\n"


def bencher(m):
    return json.dumps({n: dict({"latency": {"value": v}}, **({"widgets": {"value": 5}} if m.extra else {})) for n, v in m.items})


def benchmarkdotnet(m):
    if m.unit:  # what it prints
        return "BenchmarkDotNet v0.14.0, Ubuntu 22.04\n\n| Method | Mean | Error | StdDev |\n|--- |---:|---:|---:|\n" + "".join(f"| {n} | {v / 1000:,.4f} us | 0.0100 us | 0.0100 us |\n" for n, v in m.items)
    extra = [{"Value": 64, "Descriptor": {"Id": "Allocated Memory", "Unit": "B", "TheGreaterTheBetter": False}}] if m.extra else []
    return json.dumps({"Title": "x", "HostEnvironmentInfo": {"BenchmarkDotNetCaption": "BenchmarkDotNet"}, "Benchmarks": [{"Namespace": "N", "Type": "T", "Method": n, "Parameters": "", "FullName": n, "Statistics": {"OriginalValues": [v], "Mean": v}, "Metrics": extra} for n, v in m.items]})


def benchmarkjs(m):
    return "".join(f"{n} x {1e9 / v:,.0f} ops/sec ±0.50% (90 runs sampled)\n" for n, v in m.items)


def cargo_bench(m):
    def line(n, v):
        rate = " = 5 MB/s" if m.extra else ""
        return f"test {n} ... bench: {v / 1000:g} us/iter (+/- 0.01){rate}\n" if m.unit else f"test {n} ... bench: {v:,.0f} ns/iter (+/- 10){rate}\n"
    return "running 4 tests\n" + "".join(line(n, v) for n, v in m.items) + "\ntest result: ok. 0 passed; 0 failed; 0 ignored; 4 measured; 0 filtered out\n"


def catch2(m):
    results = "".join(f'<BenchmarkResults name="{n}" samples="20" resamples="1000" iterations="1"><mean value="{v:g}" lowerBound="{v * 0.99:g}" upperBound="{v * 1.01:g}" ci="0.95"/></BenchmarkResults>' for n, v in m.items)
    return f'<?xml version="1.0"?><Catch2TestRun name="t"><TestCase name="T">{results}</TestCase></Catch2TestRun>'


def criterion(m):
    factor, name = (1e-3, "us") if m.unit else (1, "ns")
    return "".join(json.dumps({"reason": "benchmark-complete", "id": n, "iteration_count": [1, 2], "measured_values": [v * factor, 2 * v * factor], "unit": name}) + "\n" for n, v in m.items)


def custom_benchmark(m):
    factor, name = (1e-3, "us/iter") if m.unit else (1, "ns/iter")
    return json.dumps([{"name": n, "unit": name, "value": v * factor} for n, v in m.items])


def jmh(m):
    factor, name = (1e-3, "us/op") if m.unit else (1, "ns/op")
    metric = lambda v: {"score": v, "scoreUnit": "B/op", "rawData": [[v]]}
    return json.dumps([{"benchmark": n, "mode": "avgt", "primaryMetric": {"score": v * factor, "scoreUnit": name, "rawData": [[v * factor]]}, "secondaryMetrics": {"gc.alloc.rate.norm": metric(16)} if m.extra else {}} for n, v in m.items])


def julia(m):
    trials = {n: ["Trial", dict({"times": [v]}, **({"memory": 16} if m.extra else {}))] for n, v in m.items}
    return json.dumps([{"Julia": "1.7.0", "BenchmarkTools": "1.0.0"}, [["BenchmarkGroup", {"data": trials, "tags": []}]]])


def junit(m):
    return '<testsuite name="s">' + "".join(f'<testcase name="{n}" time="{v / 1000:g}"/>' for n, v in m.items) + "</testsuite>"


def lines(m):
    return "".join(f"{n}: {v:g} us\n" if m.unit else f"{n}: {v / 1000:g} ms\n" for n, v in m.items)


def nanobench(m):
    return json.dumps({"results": [{"title": "t", "name": n, "unit": "op", "batch": 1, "median(elapsed)": v / 1e9, "measurements": [{"iterations": 1, "elapsed": v / 1e9}]} for n, v in m.items]})


EVENTS = {"alpha": "page-faults", "beta": "cache-misses", "gamma": "branch-misses", "delta": "cycles", "fresh": "dTLB-load-misses"}


def perf_stat(m):
    return "# started on Mon\n\n" + "".join(f"{v:.0f},,{EVENTS[n]},1230000,100.00,,\n" for n, v in m.items) + ("7,,minor-faults,1230000,100.00,,\n" if m.extra else "")


def console(m):
    return "".join(f"{n}: {v if m.unit else v / 1000:g}{'us' if m.unit else 'ms'}\n" for n, v in m.items)


def pyperf(m):
    return json.dumps({"benchmarks": [{"runs": [{"values": [v / 1e6]}], "metadata": {"name": n}} for n, v in m.items], "metadata": {"unit": "second", "hostname": "h"}, "version": "1.0"})


def table(m):
    extra, value = (",size (B)", ",7") if m.extra else ("", "")
    return f"name,time ({'us' if m.unit else 'ms'}){extra}\n" + "".join(f"{n},{v if m.unit else v / 1000:g}{value}\n" for n, v in m.items)


def vitest(m):
    return json.dumps({"files": [{"filepath": "a.ts", "groups": [{"fullName": "a.ts", "benchmarks": [{"name": n, "mean": v / 1000, "rme": 1, "samples": [v / 1000]} for n, v in m.items]}]}]})


# ---- experiments -------------------------------------------------------------------------------


def talpas(m):
    rows = [("time", n, v) for n, v in m.items] + ([("bytes", "alpha", 7)] if m.extra else [])
    return "".join(json.dumps({"parameters": {"p": 1}, "metric": metric, "callpath": n, "value": v}) + "\n" for metric, n, v in rows)


def extrap_jsonl(m):
    rows = [("time", n, v) for n, v in m.items] + ([("bytes", "alpha", 7)] if m.extra else [])
    return "".join(json.dumps({"params": {"p": 1}, "callpath": n, "metric": metric, "value": v}) + "\n" for metric, n, v in rows)


def extrap_text(m):
    out = "PARAMETER p\nPOINTS 1 2\nMETRIC time\n" + "".join(f"REGION {n}\nDATA {v:g}\nDATA {3 * v:g}\n" for n, v in m.items)
    return out + ("METRIC bytes\nREGION alpha\nDATA 7\nDATA 8\n" if m.extra else "")


def extrap_json(m):
    paths = [{"id": i, "name": n} for i, (n, _) in enumerate(m.items)]
    values = [{"id": i, "callpath_id": i, "coordinate_id": 0, "metric_id": 0, "value": v} for i, (_, v) in enumerate(m.items)]
    metrics = [{"id": 0, "name": "time"}] + ([{"id": 1, "name": "bytes"}] if m.extra else [])
    values += [{"id": 9, "callpath_id": 0, "coordinate_id": 0, "metric_id": 1, "value": 7}] if m.extra else []
    return json.dumps({"callpaths": paths, "coordinates": [{"id": 0, "parameter_value_pairs": [{"parameter_id": 0, "parameter_value": 4}]}], "measurements": values, "metrics": metrics, "parameters": [{"id": 0, "name": "p"}]})


def perun(m):
    factor, name = (1e-3, "s") if m.unit else (1, "ms")
    rows = [{"amount": v * factor, "uid": n, "type": "time", "subtype": "real", "order": 1} for n, v in m.items]
    rows += [{"amount": 4096, "uid": "alpha", "type": "memory", "subtype": "malloc", "order": 1}] if m.extra else []
    return json.dumps({"header": {"type": "time", "cmd": "w", "args": "", "workload": "", "units": {"time": name, "memory": "B"}}, "collector_info": {"name": "time", "params": {}}, "postprocessors": [], "global": {"time": "0", "resources": rows}})


def afperf(m):
    out, events = "# AFPerf v1     \nRunInfo,0,milliseconds,100000.5,1.0.0,1,sim,2.0,\n", []
    for n, (name, v) in enumerate(m.items):
        for i in range(6):
            at, number = n * 100000 + i * 13000, n * 6 + i + 1
            events += [f"RegionStart,{at},1,{number},{name},\n", f"RegionStop,{at + int(v)},{number}\n"]
    return out + "".join(events)


def nsight(m):
    """A database in a directory of its own for each value of the parameter, as extra-prof writes them; `main` calls the functions."""
    def write_to(path):
        for p in (1, 2):
            os.makedirs(f"{path}/app.p{p}")
            base = sqlite3.connect(f"{path}/app.p{p}/rank0.sqlite")
            base.execute("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
            base.execute("CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, domainId INTEGER, uint32Value INTEGER)")
            base.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, callchainId INTEGER)")
            event = lambda *row: base.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, ?, 5, 1, ?)", row)
            event(1, None, 75, "de.tu-darmstadt.parallel.extra_prof", None)
            event(1000, 1000 + int(2 * p * 1000 * sum(v for _, v in m.items)), 59, "main", 0)
            at = 2000
            for number, (n, v) in enumerate(m.items):
                event(at, at + int(v * 1000 * p), 59, f"main->{n}", number + 1)
                at += int(v * 1000 * p)
            base.commit()
            base.close()
    return write_to


# ---- stacks ------------------------------------------------------------------------------------


def collapsed(m):
    return "".join(f"main;{n} {v:.0f}\n" for n, v in m.items)


def speedscope(m):
    factor, name = (1e-3, "seconds") if m.unit else (1, "milliseconds")
    names = ["main"] + [n for n, _ in m.items]
    profiles = [{"type": "sampled", "name": "cpu", "unit": name, "startValue": 0, "endValue": 1, "samples": [[0, i + 1] for i in range(len(m.items))], "weights": [v * 100 * factor for _, v in m.items]}]
    if m.extra:
        profiles.append({"type": "sampled", "name": "space", "unit": "bytes", "startValue": 0, "endValue": 1, "samples": [[0, 1]], "weights": [64]})
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": n} for n in names]}, "profiles": profiles})


def callgrind(m):
    out = ["# callgrind format", "version: 1", "creator: c", "cmd: ./w", "positions: line", "events: Ir" + (" Dr" if m.extra else ""), ""]
    for n, v in m.items:
        out += [f"fn={n}", f"1 {v:.0f}" + (" 3" if m.extra else ""), ""]
    return "\n".join(out)


def perf_script(m):
    out, at = [], 0
    for n, v in m.items:
        for _ in range(int(v / 10)):
            at += 250
            out.append(f"work 100 {at / 1e6:.6f}:     250000 cpu-clock: \n\t1000 {n}+0x1 (/w)\n\t2000 main+0x5 (/w)\n")
    return "\n".join(out) + "\n"


def bpftrace(m):
    return "Attaching 1 probe...\n\n" + "".join(f"@[\n    {n}+10\n    main+3\n]: {v:.0f}\n" for n, v in m.items)


def caliper(m):
    nodes = [{"label": "main", "column": "path"}] + [{"label": n, "column": "path", "parent": 0} for n, _ in m.items]
    return json.dumps({"data": [[v * 1000, i + 1] for i, (_, v) in enumerate(m.items)], "columns": ["sum#time.duration", "path"], "column_metadata": [{"is_value": True}, {"is_value": False}], "nodes": nodes})


def dhat(m):
    frames = ["[root]"] + [f"0x{i + 1}: {n} (a.c:8)" for i, (n, _) in enumerate(m.items)]
    points = [{"tb": int(v) * 100, "tbk": 1, "tl": 5, "mb": 80, "mbk": 1, "gb": 80, "gbk": 1, "eb": 0, "ebk": 0, "rb": 1, "wb": 2, "fs": [i + 1]} for i, (_, v) in enumerate(m.items)]
    return json.dumps({"dhatFileVersion": 2, "mode": "heap", "bklt": True, "cmd": "./a", "pps": points, "ftbl": frames})


def dtrace(m):
    return "CPU     ID                    FUNCTION:NAME\n  8  35077                        :tick-60s\n\n\n" + "".join(f"              a.out`{n}+0xa\n              a.out`main+0x10\n{v:17.0f}\n\n" for n, v in m.items)


def firefox(m):
    names = ["main"] + [n for n, _ in m.items]
    count = len(m.items)
    thread = {"name": "t", "processName": "p", "pid": "4", "tid": 5, "samples": {"stack": [i + 1 for i in range(count)], "timeDeltas": [1] * count, "weight": [v for _, v in m.items], "weightType": "samples", "length": count}, "stackTable": {"prefix": [None] + [0] * count, "frame": list(range(count + 1)), "length": count + 1}, "frameTable": {"func": list(range(count + 1)), "line": [None] * (count + 1), "column": [None] * (count + 1), "length": count + 1}, "funcTable": {"name": list(range(count + 1)), "fileName": [None] * (count + 1), "lineNumber": [None] * (count + 1), "length": count + 1}, "stringArray": names}
    return json.dumps({"meta": {"interval": 1, "version": 24, "preprocessedProfileVersion": 46}, "libs": [], "threads": [thread]})


def ghc_prof(m):
    centres = [{"id": 1, "label": "MAIN", "module": "MAIN", "src_loc": "<built-in>", "is_caf": False}] + [{"id": i + 2, "label": n, "module": "Main", "src_loc": "a.hs", "is_caf": False} for i, (n, _) in enumerate(m.items)]
    children = [{"id": i + 2, "entries": 1, "alloc": 0, "ticks": int(v), "children": []} for i, (_, v) in enumerate(m.items)]
    return json.dumps({"program": "a", "tick_interval": 1000, "total_ticks": int(sum(v for _, v in m.items)), "cost_centres": centres, "profile": {"id": 1, "entries": 0, "alloc": 0, "ticks": 0, "children": children}})


def gprof(m):
    at, out = 0, "  %   cumulative   self              self     total\n time   seconds   seconds    calls  ms/call  ms/call  name\n"
    for n, v in m.items:
        at += v
        out += f"{v / 10:6.2f} {at / 100:10.2f} {v / 100:8.2f} " + (f"{7:8d} {0.1:8.2f} {0.1:8.2f}  {n}\n" if m.extra else f"{'':26}  {n}\n")
    return out


def gungraun(m):
    def one(n, v):
        return f"a::b::{n}\n  ======= CALLGRIND ====================\n  Instructions:  {v:.0f}|N/A  (*********)\n" + (f"  L1 Hits:  7|N/A  (*********)\n" if m.extra else "")
    return "running 0 tests\n\n" + "".join(one(n, v) for n, v in m.items) + "\nGungraun result: Ok. 4 without regressions; 0 regressed; 4 benchmarks finished in 1.002s\n"


def tool(name):
    """The module tests/tools/NAME.py, without a folder of compiled ones beside it."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools")
    sys.dont_write_bytecode = True
    if path not in sys.path:
        sys.path.insert(0, path)
    return importlib.import_module(name)


def hpctoolkit_database(m):
    made = tool("hpctoolkit")
    costs = lambda v: lambda thread: dict({"CPUTIME (sec)": v / 1000}, **({"PAPI_L1": 6} if m.extra else {}))
    calls = [made.Context(made.FUNCTION, [], costs(v), made.CALLED, (n, "/bin/app", i, "src/app.c", 20)) for i, (n, v) in enumerate(m.items)]
    main = made.Context(made.FUNCTION, calls, relation=made.CALLED, function=("main", "/bin/app", 99, "src/app.c", 10))
    return lambda path: made.write(path, made.database([("main thread", [main])], [[("THREAD", 0)]], ["CPUTIME (sec)", "PAPI_L1"]))


def hpctoolkit(m):
    if m.unit:  # a database from 2022 on
        return hpctoolkit_database(m)
    more = '<Metric i="5" n="PAPI_L1 (E)" t="exclusive"/>' if m.extra else ""
    procedures = "".join(f'<Procedure i="{i + 10}" n="{n}"/>' for i, (n, _) in enumerate(m.items))
    frames = "".join(f'<PF i="{i + 20}" s="{i + 10}" l="20" lm="2" f="3" n="{i + 10}"><S i="{i + 40}" s="1" l="22"><M n="3" v="{v * 1000:.0f}"/>'
                     + ('<M n="5" v="6"/>' if m.extra else "") + "</S></PF>" for i, (n, v) in enumerate(m.items))
    return ('<?xml version="1.0"?>\n<HPCToolkitExperiment version="2.0"><SecCallPathProfile i="0" n="app"><SecHeader>\n'
            f'<MetricTable><Metric i="3" n="CPUTIME (usec) (E)" t="exclusive"/>{more}</MetricTable>'
            '<LoadModuleTable><LoadModule i="2" n="/bin/app"/></LoadModuleTable><FileTable><File i="3" n="./src/app.c"/></FileTable>'
            f'<ProcedureTable><Procedure i="7" n="main"/>{procedures}</ProcedureTable></SecHeader><SecCallPathProfileData>'
            f'<PF i="2" s="7" l="10" lm="2" f="3" n="7">{frames}</PF></SecCallPathProfileData></SecCallPathProfile></HPCToolkitExperiment>\n')


def timemory(m):
    node = lambda n, v, below: {"node": {"hash": 5, "prefix": n, "tid": [0], "exclusive": {"stats": {"sum": v}}}, "children": below}
    factor, unit = (1e-3, "sec") if m.unit else (1, "msec")
    tree = node("main", 0, [node(n, v * factor, []) for n, v in m.items])
    parts = {"WALL_CLOCK": {"type": "wall", "unit_repr": unit, "mpi": [[tree]]}}
    if m.extra:
        parts["PEAK_RSS"] = {"type": "peak_rss", "unit_repr": "MB", "mpi": [[node("main", 3, [])]]}
    return json.dumps({"timemory": parts})


def heaptrack(m):
    out = ["v 10400 3", "X ./a", "I 1000 5e", "s 6 /bin/a"]
    out += [f"s {len(n):x} {n}" for n, _ in m.items]
    out += [f"i {0x1000 + 16 * i:x} 1 {i + 2:x}" for i in range(len(m.items))]
    out += [f"t {i + 1:x} 0" for i in range(len(m.items))]
    out += [f"a {int(v):x} {i + 1:x}" for i, (_, v) in enumerate(m.items)]
    return "\n".join(out + ["\n".join([f"+ {i:x}"] * 10) for i in range(len(m.items))]) + "\nc 5\n"


def instruments(m):
    total = sum(v for _, v in m.items)
    return "Weight\tSelf Weight\t\tSymbol Name\n" + f"{total:g} ms  100.0%\t0 s\t \tmain\n" + "".join(f"{v:g} ms  10.0%\t{v:g} ms\t \t {n}\n" for n, v in m.items)


ADDRESSES = {"alpha": "0x1010", "beta": "0x1020", "gamma": "0x1030", "delta": "0x1040", "fresh": "0x1050"}


def jemalloc(m):
    total = sum(v for _, v in m.items)
    out = f"heap_v2/1\n  t*: {len(m.items)}: {total:.0f} [0: 0]\n"
    return out + "".join(f"@ {ADDRESSES[n]} 0x2020\n  t*: {v:.0f}: {v * 100:.0f} [0: 0]\n" for n, v in m.items) + "\nMAPPED_LIBRARIES:\n1000-3000 r-xp 00000000 08:01 12 /bin/a\n"


def massif(m):
    total = sum(v for _, v in m.items)
    out = f"desc: --threshold=0\ncmd: ./a\ntime_unit: i\n#-----------\nsnapshot=0\n#-----------\ntime=10\nmem_heap_B={total:.0f}\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=peak\nn{len(m.items)}: {total:.0f} (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"
    return out + "".join(f" n0: {v:.0f} {ADDRESSES[n]}: {n} (a.c:8)\n" for n, v in m.items)


def pmcstat(m):
    total = sum(v for _, v in m.items)
    return f"@ inst_retired.any [{total:.0f} samples]\n\n" + "".join(f"{100 * v / total:.2f}%  [{v:.0f}]        {n} @ /bin/a\n 100.0%  [{v:.0f}]         main\n\n" for n, v in m.items)


def pprof_legacy(m):
    out = "--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = 1\nms since reset = 6019923\n"
    return out + "".join(f"   {v * 1000:.0f}   {v:.0f} @ {ADDRESSES[n]} 0x4\n" for n, v in m.items) + "".join(f" {ADDRESSES[n]} a.{n} (F.java:1)\n" for n, _ in m.items) + " 0x4 a.main (F.java:2)\n"


def papyrus(m):
    out, at = "Script_a log opened (PC)\n", 100
    for n, v in m.items:
        out += f"{at}:PUSH:7:1:None:{n}\n{at + v:.0f}:POP:7:1:None:{n}\n"
        at += int(v)
    return out + "Log closed\n"


def pyinstrument(m):
    calls = [{"function": n, "file_path": "/a.py", "line_no": 3, "time": v / 1e3, "children": []} for n, v in m.items]
    return json.dumps({"duration": 1.0, "sample_count": int(sum(v for _, v in m.items)), "root_frame": {"function": "main", "file_path": "/a.py", "line_no": 1, "time": sum(v for _, v in m.items) / 1e3, "children": calls}})


def safari(m):
    stacks = [{"timestamp": i + 1, "stackFrames": [{"sourceID": "7", "name": n, "line": 3, "column": 2, "url": "a.js"}]} for i, (n, _) in enumerate(m.items)]
    return json.dumps({"version": 1, "recording": {"displayName": "a", "sampleStackTraces": stacks, "sampleDurations": [v / 1e3 for _, v in m.items]}})


def sample(m):
    total = sum(v for _, v in m.items)
    out = f"Analysis of sampling a (pid 1) every 1 millisecond\nProcess:         a [1]\nPath:            /bin/a\n----\n\nCall graph:\n    {total:.0f} Thread_1\n    + {total:.0f} main  (in a) + 41  [0x10384b549]\n"
    return out + "".join(f"    +   {v:.0f} {n}  (in a) + 1  [{ADDRESSES[n]}]\n" for n, v in m.items) + "\nTotal number in stack (recursive counted multiple, when >=5):\n"


def stackprof(m):
    return json.dumps({"version": 1.2, "mode": "cpu", "interval": 1000, "samples": int(sum(v for _, v in m.items)), "gc_samples": 0, "frames": {str(i + 1): {"name": n, "samples": int(v)} for i, (n, v) in enumerate(m.items)}})


def tau(m):
    total = sum(v * 1000 for _, v in m.items)
    out = f"{len(m.items) + 1} templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute></metadata>\n"
    return out + f'".TAU application" 1 1 0 {total:.0f} 0 GROUP="TAU_DEFAULT"\n' + "".join(f'"{n}" 1 0 {v * 1000:.0f} {v * 1000:.0f} 0 GROUP="TAU_DEFAULT"\n' for n, v in m.items) + "0 aggregates\n0 userevents\n"


def trace_event(m):
    events, at = [], 0
    for n, v in m.items:
        events += [{"pid": 0, "tid": 0, "ph": "B", "name": n, "ts": at}, {"pid": 0, "tid": 0, "ph": "E", "name": n, "ts": at + v * 1000}]
        at += v * 1000
    return json.dumps(events)


def perfetto(m):
    made, packets, at = tool("perfetto"), b"", 0
    clock = made.message((1, made.message((1, 6), (2, 1))), (1, made.message((1, 64), (2, 1), (4, 1000))))
    packets = made.packet((6, clock)) + made.defaults(1, track=2, clock=64 if m.unit else 6)
    for n, v in m.items:
        packets += made.event(int(at), made.BEGIN, n) + (made.event(int(at), made.COUNTER) if m.extra else b"")
        at += v * (1000 if m.unit else 1000000)
        packets += made.event(int(at), made.END)
    return lambda path: made.write(path, packets)


def v8(m):
    frame = lambda name: {"functionName": name, "scriptId": "7", "url": "file:///a.js", "lineNumber": 3, "columnNumber": 2}
    nodes = [{"id": 1, "callFrame": frame("(root)"), "hitCount": 0, "children": [i + 2 for i in range(len(m.items))]}]
    nodes += [{"id": i + 2, "callFrame": frame(n), "hitCount": int(v / 10)} for i, (n, v) in enumerate(m.items)]
    samples = [i + 2 for i, (_, v) in enumerate(m.items) for _ in range(int(v / 10))]
    return json.dumps({"nodes": nodes, "startTime": 0, "endTime": len(samples) * 1000, "samples": samples, "timeDeltas": [0] + [1000] * (len(samples) - 1)})


def vsprof(m):
    head = "Level,Function Name,Number of Calls,Elapsed Inclusive Time %,Elapsed Exclusive Time %,Avg Elapsed Inclusive Time,Avg Elapsed Exclusive Time,Module Name,\n"
    return head + "".join(f'1,"{n}",5,{v / 10:.2f},{v / 10:.2f},0.10,0.10,"a.exe",\n' for n, v in m.items)


def vtune(m):
    return "Function Stack,CPU Time:Self,Module\nTotal,0.0,[Unknown]\n" + " main,0.0,a\n" + "".join(f"  {n},{v / 1000:g},a\n" for n, v in m.items)


# ---- the table ---------------------------------------------------------------------------------

TIMED, CALLS, EXACT, SAMPLED = "timed", "calls that are timed", "exact", "sampled"
FORMATS = {name.replace("_", "-"): (kind, globals()[name]) for kind, names in ((
    TIMED, "asv bencher benchmarkdotnet benchmarkjs cargo_bench catch2 console criterion custom_benchmark go_bench google_benchmark hyperfine jmh julia junit lines nanobench "
    "perf_stat perun pyperf pytest_benchmark table vitest afperf"), (
    CALLS, "caliper extrap_json extrap_jsonl extrap_text nsight papyrus perfetto talpas tau timemory trace_event vsprof"), (
    EXACT, "callgrind dhat gungraun heaptrack jemalloc massif"), (
    SAMPLED, "bpftrace collapsed dtrace firefox ghc_prof gprof hpctoolkit instruments perf_script pmcstat pprof_legacy pyinstrument safari sample speedscope stackprof v8 vtune"))
    for name in names.split()}
# What perun writes itself, from a file of another format.
WRITTEN = {"pprof": "collapsed", "cube": "extrap-text", "extrap-experiment": "extrap-text"}
# Of binary formats that nothing writes any more only samples are at hand: the same twice is all that they show.
SAMPLES = {"art-trace": "art-trace/text", "extrap3": "extrap3/one", "perf-data": "perf-data/plain"}
OPTIONS = {"lines": ["--from", "lines", "--format-option", "pattern=(?<name>[a-z]+): (?<value>[0-9.]+) (?<unit>ms|us)"]}
CHANGES = {
    "the same twice": ({}, "none"), "in another unit": ({"unit": True}, "none"), "in another order": ({"reverse": True}, "none"), "with another metric": ({"extra": True}, "none"),
    "one renamed": ({"rename": True}, "none"), "one three times as slow": ({"one": 3}, "one"), "one three times as slow, in another order and unit": ({"one": 3, "reverse": True, "unit": True}, "one"),
    "all three times as slow": ({"every": 3}, "all")}
NAMES = {other: name for table in (EVENTS, ADDRESSES) for name, other in table.items()}


def call(*command):
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def is_same(form, make):
    kind, function = FORMATS[WRITTEN.get(form, form)]
    if form == "nsight":
        return make.items == Make().items
    return function(make) == function(Make())


def write(perun_command, form, what, make):
    """Write a file of a format; its path, or None where it is the one of "the same twice"."""
    kind, function = FORMATS[WRITTEN.get(form, form)]
    path, base = f"{form}.{what}", f"{form}.base"
    source = f"{path}.source" if form in WRITTEN or form in OPTIONS else path
    text = function(make)
    if what not in ("base", "the same twice") and make.part is None and is_same(form, make):
        return None
    if callable(text):
        text(path)
        return path
    with open(source, "w") as out:
        out.write(text)
    if source != path:
        to = form if form in WRITTEN else "perun"
        done = call(perun_command, "convert", *OPTIONS.get(WRITTEN.get(form, form), []), "--to", to, source, path)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
    return path


def name_of(change):
    name = f'{change["location"]} {change["type"]}'.lower()
    for other, known in NAMES.items():
        if other in name:
            return known
    found = re.search("alpha|beta|gamma|delta|fresh", name)
    return found.group() if found else ""


def expected(kind, effect):
    """The functions that are slower; "" is everything."""
    if effect == "none" or (effect == "all" and kind == SAMPLED):
        return []
    names = ["beta"] if effect == "one" else sorted(VALUES)
    return names


def verdict(perun_command, base, target):
    done = call(perun_command, "check", "--force", "--json", "profiles", base, target)
    try:
        changes = json.loads(done.stdout)["changes"]
    except (ValueError, KeyError):
        return done.returncode, None, done.stderr.strip()[:200]
    worse = sorted({name_of(c) for c in changes if c["result"] == "Degradation"} - {""})
    better = sorted({name_of(c) for c in changes if c["result"] == "Optimization"} - {""})
    return done.returncode, worse, f"faster: {better}" if better else ""


def judge(perun_command, form):
    out = []
    if form in SAMPLES:
        path = os.path.join(os.environ["top_srcdir"], "tests/fuzz/corpus", SAMPLES[form])
        status, worse, problem = verdict(perun_command, path, path)
        return [f"{'ok' if status == 0 and worse == [] and not problem else 'not ok'} {form}: the same twice {problem}"]
    if WRITTEN.get(form, form) not in FORMATS:
        return [f"not ok {form}: it has no entry in metamorphoses.py"]
    kind = FORMATS[WRITTEN.get(form, form)][0]
    try:
        base = write(perun_command, form, "base", Make())
        for what, (change, effect) in CHANGES.items():
            target = write(perun_command, form, what, Make(**change))
            if not target:
                continue
            status, worse, problem = verdict(perun_command, base, target)
            wanted = expected(kind, effect)
            good = worse == wanted and not problem and status == (1 if wanted else 0)
            out.append(f"ok {form}: {what}" if good else f"not ok {form}: {what}: status {status}, slower {worse}, expected {wanted} {problem}")
        # Benchmarks and samples can be in two files; of what one run counted or called another file is another run.
        for part in (0, 1):
            write(perun_command, form, f"part{part}", Make(part=part) if kind == TIMED else Make(every=0.5 if kind == SAMPLED else 1))
    except RuntimeError as error:
        out.append(f"not ok {form}: {error}")
    return out


def main():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for result in pool.map(lambda form: judge(sys.argv[1], form), sys.argv[2:]):
            print("\n".join(result), flush=True)


if __name__ == "__main__":
    main()
