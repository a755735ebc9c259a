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
    def stack(i):
        return "".join(f"\t    {0x55d0c0000000 + i * d % 5000 * 16:x} function_{i * d % 5000}+0x{d:x} (/usr/lib/libx{d % 5}.so)\n"
                       for d in range(1, 16))

    return "".join(f"program {1000 + i % 4}/{1000 + i % 16} [{i % 8:03d}] {100 + i * 1e-4:.6f}:     250000 cycles:u: \n{stack(i)}\n"
                   for i in range(n))


def collapsed(n):
    return "".join("main;" + ";".join(f"component_{i * d % 300}::function_{i * d % 3000}" for d in range(1, 20)) + f" {i % 9 + 1}\n"
                   for i in range(n))


# Each with about how many measurements a megabyte has.
shapes = {"bencher": (bencher, "json", 5000), "collapsed": (collapsed, "folded", 2000), "custom-benchmark": (custom_benchmark, "json", 6000),
          "go-bench": (go_bench, "txt", 9000), "google-benchmark": (google_benchmark, "json", 2900), "hyperfine": (hyperfine, "json", 30000),
          "jmh": (jmh, "json", 10000), "julia": (julia, "json", 40000), "perf-script": (perf_script, "txt", 1100),
          "pyperf": (pyperf, "json", 20000), "pytest-benchmark": (pytest_benchmark, "json", 25000), "trace-event": (trace_event, "json", 7000),
          "vitest": (vitest, "json", 1300)}
