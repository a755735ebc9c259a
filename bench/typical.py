# SPDX-License-Identifier: BSD-3-Clause
"""Results as tools write them: what readers.py reads with READERS_FILES=typical.

Each makes a text of n measurements, with names of some hundred functions and numbers of 17 digits, indented where the tool does so."""
import json
import random

numbers = random.Random(7)


def seconds(count=None):
    if count is None:
        return numbers.lognormvariate(0, 0.3) * 1e-3
    return [seconds() for _ in range(count)]


def name(i):
    return f"module_{i % 37}::component_{i % 211}/parse_{i}"


def stack(depth):
    """Numbers of functions from the leaf on: paths of a tree, of which few are met often and many seldom."""
    path = int(numbers.paretovariate(0.7) * 97) % 100000
    return [(path >> 2 * i) * 7919 % 5000 + i for i in range(depth)]


def google_benchmark(n):
    runs = [{"name": "BM_" + name(i // 10), "family_index": i // 10, "per_family_instance_index": 0,
             "run_name": "BM_" + name(i // 10), "run_type": "iteration", "repetitions": 10, "repetition_index": i % 10,
             "threads": 1, "iterations": numbers.randrange(1000, 100000), "real_time": seconds() * 1e9,
             "cpu_time": seconds() * 1e9, "time_unit": "ns"} for i in range(n)]
    return json.dumps({"context": {"host_name": "h", "num_cpus": 8, "library_build_type": "release"}, "benchmarks": runs},
                      indent=2)


def hyperfine(n):
    keys = ("mean", "stddev", "median", "user", "system", "min", "max")
    return json.dumps({"results": [
        {"command": f"./program --size {i}", **{key: seconds() for key in keys}, "times": seconds(100),
         "exit_codes": [0] * 100, "parameters": {"size": str(i)}} for i in range(n // 100)]}, indent=2)


def pytest_benchmark(n):
    keys = ("min", "max", "mean", "stddev", "median", "iqr", "q1", "q3", "ld15iqr", "hd15iqr", "ops")
    return json.dumps({"machine_info": {"node": "h"}, "commit_info": {"id": "0" * 40}, "benchmarks": [
        {"group": None, "name": f"test_{i}", "fullname": f"tests/test_{i % 9}.py::test_{i}", "params": None,
         "stats": {**{key: seconds() for key in keys}, "rounds": 500, "data": seconds(500), "iterations": 1}}
        for i in range(n // 500)], "version": "4.0.0"}, indent=4)


def jmh(n):
    percentiles = ("0.0", "50.0", "90.0", "95.0", "99.0", "99.9", "99.99", "99.999", "99.9999", "100.0")
    return json.dumps([
        {"jmhVersion": "1.37", "benchmark": f"org.example.Component{i % 211}.parse{i}", "mode": "thrpt", "threads": 1,
         "forks": 2, "jvm": "/usr/bin/java", "jdkVersion": "21", "warmupIterations": 5, "warmupTime": "10 s",
         "measurementIterations": 5, "measurementTime": "10 s", "params": {"size": str(10 * i)},
         "primaryMetric": {"score": seconds() * 1e6, "scoreError": seconds() * 1e3,
                           "scorePercentiles": {key: seconds() * 1e6 for key in percentiles}, "scoreUnit": "ops/s",
                           "rawData": [seconds(5), seconds(5)]}, "secondaryMetrics": {}} for i in range(n // 10)], indent=4)


def vitest(n):
    keys = ("totalTime", "min", "max", "hz", "period", "mean", "variance", "sd", "sem", "moe", "p75", "p99", "p995", "p999")
    return json.dumps({"files": [
        {"filepath": f"/src/{f}.bench.ts", "groups": [
            {"fullName": f"{f}.bench.ts > group {g}", "benchmarks": [
                {"id": f"{f}_{g}_{b}", "name": f"case {b}", "rank": 1, "rme": 1.2, "samples": [],
                 **{key: seconds() for key in keys}, "sampleCount": 1000} for b in range(8)]}
            for g in range(5)]} for f in range(n // 40)]}, indent=2)


def pyperf(n):
    return json.dumps({"benchmarks": [
        {"metadata": {"name": f"bench_{i}", "loops": 10}, "runs": [
            {"metadata": {"date": "2024-01-01 00:00:00.000", "duration": seconds(), "mem_max_rss": 10000000, "uptime": 1000.0},
             "values": seconds(3), "warmups": [[1, seconds()]]} for _ in range(20)]} for i in range(n // 60)],
                       "metadata": {"hostname": "h", "python_version": "3.11", "unit": "second"}, "version": "1.0"})


def bencher(n):
    return json.dumps({name(i): {"latency": {"value": seconds() * 1e9, "lower_value": seconds() * 1e9,
                                             "upper_value": seconds() * 1e9}} for i in range(n)}, indent=2)


def custom_benchmark(n):
    return json.dumps([{"name": name(i), "unit": "ns/iter", "value": seconds() * 1e9, "range": "± 3",
                        "extra": "iterations: 100"} for i in range(n)], indent=2)


def julia(n):
    def group(data):
        return ["BenchmarkGroup", {"data": data, "tags": []}]

    return json.dumps([{"Julia": "1.9.0", "BenchmarkTools": "1.0.0"}, [group({
        f"g{g}": group({f"b{b}": ["Trial", {"allocs": 3, "gctimes": [0.0] * 100, "memory": 100, "times": seconds(100)}]
                        for b in range(10)}) for g in range(n // 1000)})]])


def go_bench(n):
    return "goos: linux\ngoarch: amd64\npkg: example.com/x\n" + "".join(
        f"Benchmark{name(i // 10).replace('::', '_')}-8   \t{numbers.randrange(1000, 9999999):10d}\t"
        f"{seconds() * 1e6:15.1f} ns/op\t"
        f"{i % 99:8d} B/op\t{i % 7:8d} allocs/op\n" for i in range(n)) + "PASS\n"


def trace_event(n):
    return json.dumps({"traceEvents": [
        {"pid": 1, "tid": i % 8, "ts": i * 1.5, "dur": 1.25, "ph": "X", "name": f"Frontend {i % 400}", "cat": "toplevel",
         "args": {"detail": f"file{i % 3000}.cpp"}} for i in range(n)]})


def perf_script(n):
    def frames():
        return "".join(f"\t    {0x55d0c0000000 + f * 16 + numbers.randrange(16):x} function_{f}+0x{f % 99:x} (/usr/lib/libx{f % 5}.so)\n"
                       for f in stack(15))

    return "".join(f"program {1000 + i % 4}/{1000 + i % 16} [{i % 8:03d}] {100 + i * 1e-4:.6f}:     250000 cycles:u: \n{frames()}\n"
                   for i in range(n))


def collapsed(n):
    return "".join("main;" + ";".join(f"component_{i * d % 300}::function_{i * d % 3000}" for d in range(1, 20)) + f" {i % 9 + 1}\n"
                   for i in range(n))


def bpftrace(n):
    def frames():
        return "".join(f"    function_{f}+{f % 99}\n" for f in stack(12))

    return "Attaching 1 probe...\n\n" + "".join(f"@[\n{frames()}, program{i % 7}]: {i % 9 + 1}\n" for i in range(n))


def dtrace(n):
    def frames():
        return "".join(f"              module{f % 5}`function_{f}+0x{f % 99:x}\n" for f in stack(12))

    return "".join(f"\n{frames()}               {i % 9 + 1:3d}\n" for i in range(n))


def callgrind(n):
    lines = ["# callgrind format\nversion: 1\ncreator: callgrind\npositions: line\nevents: Ir Dr Dw\n"]
    for i in range(n):
        f, g = i % 3000, i * 7 % 3000
        lines.append(f"\nfn=({f}){' function_%d' % f if i < 3000 else ''}\n" + "".join(f"{j + f} {i % 97 + j} {j} {i % 5}\n" for j in range(10)) +
                     f"cfn=({g}){' function_%d' % g if i < 3000 and g > f else ''}\ncalls={i % 9 + 1} {g}\n{f + 9} {i % 997} {i % 91} 3\n")
    return "".join(lines)


def table(n):
    return "name,commit,size,time_ms,rss_kb,ops/s\n" + "".join(
        f"{name(i // 10)},{i // 1000:08x},{i % 8},{seconds() * 1e6:.3f},{numbers.randrange(1000, 99999)},{seconds() * 1e9:.1f}\n"
        for i in range(n))


def table_lines(n):
    return "".join(json.dumps({"name": name(i // 10), "time_ms": seconds() * 1e3, "rss_kb": numbers.randrange(1000, 99999),
                               "run": i % 10}) + "\n" for i in range(n))


def junit(n):
    return '<?xml version="1.0"?>\n<testsuites>\n' + "".join(
        f'<testsuite name="suite_{s % 211}" tests="100" failures="1">\n' + "".join(
            f'  <testcase classname="org.example.Component{s % 211}" name="parses_{t}" time="{seconds():.6f}"/>\n' for t in range(99)) +
        '  <testcase classname="c" name="fails" time="0.1"><failure message="expected 1">at line 3\nat line 4</failure></testcase>\n'
        '</testsuite>\n' for s in range(n // 100)) + "</testsuites>\n"


def speedscope_samples(n):
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {
        "frames": [{"name": f"function_{f}", "file": f"file_{f % 300}.c", "line": f} for f in range(5015)]}, "profiles": [
            {"type": "sampled", "name": f"thread {t}", "unit": "microseconds", "startValue": 0, "endValue": n,
             "samples": [stack(15)[::-1] for i in range(n // 4)], "weights": [i % 9 + 1 for i in range(n // 4)]}
            for t in range(4)]})


def speedscope_events(n):
    events = []
    for i in range(n // 8):
        events += [{"type": "O", "frame": i * d % 3000, "at": i * 8 + d} for d in range(4)]
        events += [{"type": "C", "frame": i * d % 3000, "at": i * 8 + 7 - d} for d in range(3, -1, -1)]
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {
        "frames": [{"name": f"function_{f}"} for f in range(3000)]}, "profiles": [
            {"type": "evented", "name": "main", "unit": "microseconds", "startValue": 0, "endValue": n, "events": events}]})


def v8(n):
    nodes = [{"id": i + 1, "callFrame": {"functionName": f"function_{i % 3000}", "scriptId": str(i % 90), "url": f"file:///src/{i % 90}.js",
                                         "lineNumber": i % 500, "columnNumber": i % 80}, "hitCount": 1,
              "children": [c for c in (2 * i + 2, 2 * i + 3) if c <= 20000]} for i in range(20000)]
    return json.dumps({"nodes": nodes, "startTime": 0, "endTime": n, "samples": [int(numbers.paretovariate(0.7) * 97) % 20000 + 1 for _ in range(n)],
                       "timeDeltas": [numbers.randrange(100, 300) for _ in range(n)]}, separators=(",", ":"))


def firefox(n):
    count, depth = 20000, 12
    strings = [f"function_{i}" for i in range(5000)] + ["cpu.js:12:3"]
    return json.dumps({"meta": {"version": 27, "processType": 0, "interval": 1, "startTime": 0, "stackwalk": 1, "product": "Firefox",
                                "categories": [{"name": "Other", "color": "grey", "subcategories": ["Other"]}]}, "libs": [], "processes": [],
                       "pausedRanges": [], "threads": [
        {"name": f"Thread {t}", "processType": "default", "tid": t, "pid": 1, "registerTime": 0, "unregisterTime": None,
         "frameTable": {"schema": {"location": 0, "relevantForJS": 1, "innerWindowID": 2, "implementation": 3, "line": 4, "column": 5,
                                   "category": 6, "subcategory": 7}, "data": [[i, False, 0, None, i % 300, 3, 0, 0] for i in range(5000)]},
         "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[None if i % depth == 0 else i - 1, i * 7 % 5000] for i in range(count)]},
         "samples": {"schema": {"stack": 0, "time": 1, "eventDelay": 2}, "data": [[int(numbers.paretovariate(0.7) * 97) % count, i * 1.0625, 0] for i in range(n // 4)]},
         "markers": {"schema": {"name": 0, "startTime": 1, "endTime": 2, "phase": 3, "category": 4, "data": 5}, "data": []},
         "stringTable": strings} for t in range(4)]})


def stackprof(n):
    return json.dumps({"version": 1.2, "mode": "wall", "interval": 1000, "samples": n, "gc_samples": 0, "missed_samples": 0, "frames": {
        str(i): {"name": f"Module#method_{i}", "file": f"/src/{i % 90}.rb", "line": i % 500, "total_samples": 3, "samples": 1}
        for i in range(5015)}, "raw": [x for i in range(n) for x in [15, *stack(15)[::-1], 1]],
        "raw_timestamp_deltas": [1000] * n})


def pmcstat(n):
    def frames():
        return "".join(f"{' ' * (d + 1)}{100 - d}.00%  [{d + 1}]{' ' * 6}function_{f} @ /usr/lib/libx{f % 5}.so\n" for d, f in enumerate(stack(12)))

    return "@ CPU_CLK_UNHALTED [%d samples]\n" % n + "".join(f"\n100.0%  [{i % 99 + 1}]      function_{i % 3000} @ /boot/kernel\n{frames()}" for i in range(n))


def vtune(n):
    return "Function Stack\tCPU Time:Self\tModule\tFunction (Full)\tSource File\tStart Address\n" + "".join(
        f"{' ' * (i % 12)}function_{i % 3000}\t{i % 97 / 100}\tlibx.so\tfunction_{i % 3000}(int)\tfile.c\t0x{i % 3000:x}\n" for i in range(n))


def massif(n):
    def tree(i):
        return "".join(f"{' ' * depth}n{1 if depth < 11 else 0}: {i % 9999 + 100} 0x{0x400000 + f:X}: function_{f} (file.c:{f})\n"
                       for depth, f in enumerate(stack(12)))

    return "desc: (none)\ncmd: ./program\ntime_unit: i\n" + "".join(
        f"#-----------\nsnapshot={i}\n#-----------\ntime={i * 1000}\nmem_heap_B={i % 9999 + 100}\nmem_heap_extra_B=0\nmem_stacks_B=0\n"
        f"heap_tree=detailed\n{tree(i)}" for i in range(n))


def dhat(n):
    return json.dumps({"dhatFileVersion": 2, "mode": "heap", "verb": "Allocated", "bklt": True, "bkacc": False, "tu": "instrs", "Mtu": "Minstr",
                       "cmd": "./program", "pid": 1, "te": 1000, "tg": 900, "pps": [
                           {"tb": 100, "tbk": 3, "tl": 10, "mb": 30, "mbk": 1, "gb": 30, "gbk": 1, "eb": 0, "ebk": 0,
                            "fs": [f + 1 for f in stack(12)]} for i in range(n)],
                       "ftbl": ["[root]"] + [f"0x{0x400000 + i:X}: function_{i % 5000} (file_{i % 90}.c:{i % 500})" for i in range(20000)]}, indent=1)


def jemalloc(n):
    return "heap_v2/524288\n  t*: 1: 1 [0: 0]\n" + "".join(
        "@ " + " ".join(f"0x{0x7f0000000000 + f * 16:x}" for f in stack(15)) + f"\n  t*: {i % 9 + 1}: {i % 999 + 8} [0: 0]\n  t0: {i % 9 + 1}: {i % 999 + 8} [0: 0]\n"
        for i in range(n))


def ghc_prof(n):
    return ("\tMon Jan  1 00:00 2024 Time and Allocation Profiling Report  (Final)\n\n\t   program +RTS -P -RTS\n\n"
            "\ttotal time  =        1.00 secs   (1000 ticks @ 1000 us, 1 processor)\n\ttotal alloc = 1,000 bytes  (excludes profiling overheads)\n\n"
            "COST CENTRE MODULE SRC %time %alloc ticks bytes\n\nmain Main Main.hs:1:1-9 1.0 1.0 1 1\n\n\n"
            "                                      individual      inherited\nCOST CENTRE MODULE SRC no. entries  %time %alloc   %time %alloc ticks bytes\n\n"
            "MAIN MAIN <built-in> 1 0 0.0 0.0 100.0 100.0 0 0\n" + "".join(
                f"{' ' * (i % 12 + 1)}function_{i % 3000} Module{i % 90} src/M{i % 90}.hs:({i % 500},1)-({i % 500 + 3},20) {i + 2} {i % 99} 0.0 0.0 0.1 0.1 {i % 9} {i % 99}\n"
                for i in range(n)))


def catch2(n):
    return '<?xml version="1.0" encoding="UTF-8"?>\n<Catch2TestRun name="t">\n' + "".join(
        f'  <TestCase name="case {i % 300}" filename="t.cpp" line="3">\n    <BenchmarkResults name="bench {i}" samples="100" resamples="100000" iterations="30" clockResolution="20" estimatedDuration="1000">\n'
        f'      <!--All values in nano seconds-->\n      <mean value="{seconds() * 1e9}" lowerBound="{seconds() * 1e9}" upperBound="{seconds() * 1e9}" ci="0.95"/>\n'
        f'      <standardDeviation value="{seconds() * 1e9}" lowerBound="1" upperBound="2" ci="0.95"/>\n      <outliers variance="0.1" lowMild="0" lowSevere="0" highMild="1" highSevere="2"/>\n'
        '    </BenchmarkResults>\n    <OverallResult success="true"/>\n  </TestCase>\n' for i in range(n)) + "</Catch2TestRun>\n"


def cargo_bench(n):
    return "".join(f"test {name(i // 10)} ... bench: {numbers.randrange(1000, 99999):>11,} ns/iter (+/- {numbers.randrange(1000):,})\n" for i in range(n))


def benchmarkjs(n):
    return "".join(f"{name(i // 10)} x {numbers.randrange(1000, 9999999):,} ops/sec ±{seconds() * 1e3:.2f}% ({i % 99 + 1} runs sampled)\n" for i in range(n))


def perf_stat(n):
    return "".join(f"\n Performance counter stats for './program {i % 9}':\n\n" + "".join(
        f"{numbers.randrange(10 ** 9):>18,}      {event:20s}  #    1.234 K/sec                    ( +-  0.12% )\n"
        for event in ("cycles", "instructions", "branches", "branch-misses", "cache-misses", "page-faults")) +
        f"\n       {seconds():.9f} seconds time elapsed\n\n       {seconds():.9f} seconds user\n       {seconds():.9f} seconds sys\n\n" for i in range(n))


def sample(n):
    return ("Analysis of sampling program (pid 1) every 1 millisecond\nCall graph:\n    %d Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)\n" % n + "".join(
        f"    {'+ ' * (i % 12 + 1)}{n - i % 12} function_{i % 3000}  (in program) + {i % 300}  [0x{0x100000 + i % 3000:x}]\n" for i in range(n)) +
        "\nTotal number in stack (recursive counted multiple, when >=5):\n\nSort by top of stack, same collapsed (when >= 5):\n")


def instruments(n):
    return "Weight\tSelf Weight\t\tSymbol Name\n" + "".join(
        f"{n - i % 12:.2f} ms   10.0%\t{i % 9:.2f} ms\t{chr(9)}{' ' * (i % 12)}function_{i % 3000}\n" for i in range(n))


# Each with about how many measurements a megabyte has.
shapes = {"bencher": (bencher, "json", 5000), "collapsed": (collapsed, "folded", 2000), "custom-benchmark": (custom_benchmark, "json", 6000),
          "go-bench": (go_bench, "txt", 9000), "google-benchmark": (google_benchmark, "json", 2900), "hyperfine": (hyperfine, "json", 30000),
          "jmh": (jmh, "json", 10000), "julia": (julia, "json", 40000), "perf-script": (perf_script, "txt", 1100),
          "pyperf": (pyperf, "json", 20000), "pytest-benchmark": (pytest_benchmark, "json", 25000), "trace-event": (trace_event, "json", 7000),
          "vitest": (vitest, "json", 1300),
          "benchmarkjs": (benchmarkjs, "txt", 12000), "bpftrace": (bpftrace, "txt", 4000), "callgrind": (callgrind, "out", 6000),
          "cargo-bench": (cargo_bench, "txt", 11000), "catch2": (catch2, "xml", 1500), "dhat": (dhat, "json", 4000), "dtrace": (dtrace, "txt", 2400),
          "firefox": (firefox, "json", 40000), "ghc-prof": (ghc_prof, "prof", 12000), "instruments": (instruments, "txt", 20000),
          "jemalloc": (jemalloc, "heap", 3300), "junit": (junit, "xml", 11000), "massif": (massif, "out", 1400), "perf-stat": (perf_stat, "txt", 1300),
          "pmcstat": (pmcstat, "txt", 1300), "sample": (sample, "txt", 14000), "speedscope": (speedscope_samples, "json", 12000),
          "speedscope=events": (speedscope_events, "json", 22000), "stackprof": (stackprof, "json", 9000), "table": (table, "csv", 14000),
          "table=lines": (table_lines, "jsonl", 10000), "v8": (v8, "json", 90000), "vtune": (vtune, "csv", 15000)}
