# SPDX-License-Identifier: BSD-3-Clause
"""Whether the table of perun-check(1) names the readers that say what it says of them.

check-kinds.py SOURCES   prints a line "ok WHAT" or "not ok WHAT: WHY" for each list of the page
"""
import pathlib, re, sys

# The names of the page, where they are not those of the formats; the format perun reads what others wrote.
NAMES = {"trace events": "trace-event", "Perfetto": "perfetto", "GPUs of HPCToolkit": "hpctoolkit", "methods of Android": "art-trace", "Papyrus": "papyrus", "Visual Studio": "vsprof", "go test": "go-bench", "perf stat -r": "perf-stat", "Google Benchmark": "google-benchmark", "the aggregates of Google Benchmark": "google-benchmark", "libtest": "cargo-bench", "criterion's output": "cargo-bench",
         "BenchmarkTools": "julia", "criterion's files": "criterion", "benchmark.js": "benchmarkjs", "BenchmarkDotNet": "benchmarkdotnet", "Catch2": "catch2", "JUnit": "junit", "ranges of github-action-benchmark": "custom-benchmark", "JMH": "jmh", "JMH's tables": "jmh", "hyperfine's tables": "hyperfine", "asv's samples": "asv", "IPython": "console", "GNU's time": "console", "Caliper": "caliper", "TAU": "tau", "Score-P": "cube"}
LISTS = {"carry deviations": (r"deviations that files carry\s+\.Pq ([^.]*(?:\.js[^.]*)?) \.", "benchmark_deviation"), "hold samples of one process": (r"in a row\s+\.Pq ([^\n]*)", "benchmark_samples"),
         "know failures": (r"Failures are known of files of ([^.]*(?:\.js[^.]*)?)\.", "benchmark_failed"), "hold times of timers": (r"but for those of timers\s+\.Pq ([^\n]*?), experiments", "stacks_measured")}


def main():
    sources = pathlib.Path(sys.argv[1])
    page = (sources / "doc/man/perun-check.mdoc").read_text()
    for what, (pattern, function) in LISTS.items():
        found = re.search(pattern, page)
        words = re.split(r",\s*|\s+and\s+", found.group(1).strip()) if found else []
        page_says = {NAMES.get(word.strip(), word.strip()) for word in words}
        readers = {path.parent.name for path in sources.glob("formats/*/*.c") if re.search(function + r"(_in_unit)?\(", path.read_text()) and path.parent.name != "common"}
        if function == "benchmark_deviation":  # a share of the samples of one process is in the second list
            readers -= {"pytest-benchmark", "vitest"}
        if page_says == readers:
            print(f"ok formats that {what} are those of the page")
        else:
            print(f"not ok formats that {what}: the page alone has {sorted(page_says - readers)}, the readers alone {sorted(readers - page_says)}")


main()
