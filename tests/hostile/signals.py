#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""signals.py PERUN [--all]: SIGINT and SIGTERM at random moments to commands at work on large inputs.

Each must end within PATIENCE seconds with the status of the signal, or have ended before with its own; a
second signal ends at once. In the current directory, which it fills. Inputs are large, and commands have one of the two signals
in turn, with PERUN_LONG both. With --all inputs are ten times as large, each command has six signals, at random moments of the time that it takes
without them, and every reader of a format is tried."""
import array
import fcntl
import os
import random
import signal
import subprocess
import sys
import termios
import time

import costly

PERUN = sys.argv[1]
ALL = "--all" in sys.argv
SIZE = 10 if ALL else 1
LONG = "PERUN_LONG" in os.environ  # `make check-long`
BOTH = (signal.SIGINT, signal.SIGTERM)
PATIENCE = float(os.environ.get("PATIENCE", "3"))  # seconds; 1, on a machine that does much else
random.seed(7)
# What this was started with, as in the background of a shell, programs inherit: one that ignores SIGINT until it has a handler
# of its own loses what comes before. Handlers of Python's own are those of the system in a program that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def write(path, lines):
    with open(path, "w") as file:
        file.writelines(lines)


def commands():
    write("large.folded", (f"main;a{i % 977};b{i % 1511};c{i} {i % 9 + 1}\n" for i in range(150000 * SIZE)))
    write("other.folded", (f"main;a{i % 977};b{i % 1511};c{i} {i % 7 + 1}\n" for i in range(150000 * SIZE)))
    write("experiment.txt", ["PARAMETER p\nPOINTS 1 2 4 8 16\n"] + [
        f"REGION r{i}\nMETRIC m\n" + "DATA 1 2 3\n" * 5 for i in range(3000 * SIZE)])
    for form in ("perun", "pprof", "collapsed", "speedscope", "callgrind", "firefox"):
        yield ["convert", "--to", form, "large.folded", "written." + form]
    for form in ("extrap-json", "extrap-text", "extrap-jsonl"):
        yield ["convert", "--to", form, "experiment.txt", "written." + form]
    yield ["model", "experiment.txt"]
    yield ["showdiff", "large.folded", "other.folded"]


def profile_of(origin, number):
    rows = ",".join(f'{{"amount": {number + i % 7 + 1}, "uid": "f{i}", "type": "time"}}' for i in range(300))
    return (f'{{"header": {{"type": "time", "units": {{"time": "s"}}, "cmd": "c{number % 9}", "workload": ""}},'
            f'"origin": "{origin}", "collector_info": {{"name": "time", "params": {{}}}}, "postprocessors": [],'
            f'"global": {{"time": "1", "resources": [{rows}]}}}}')


def make_project():
    """A project with a store; the names of the profiles of its last version."""
    os.mkdir("project")
    os.chdir("project")
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run([PERUN, "init"], check=True, stdout=subprocess.DEVNULL)
    write("prog", ["#!/bin/sh\ntrap '' INT TERM\nsleep 1\nsleep 1\n"])
    os.chmod("prog", 0o755)
    subprocess.run(["git", "add", "prog"], check=True)
    for version in range(3):
        subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", str(version)], check=True)
        origin = subprocess.run(["git", "rev-parse", "HEAD"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        names = [f"p{version}-{number}.perf" for number in range(150 * SIZE)]
        for number, name in enumerate(names):
            write(name, [profile_of(origin, number)])
        subprocess.run([PERUN, "add", "--keep-profile", *names], check=True, stdout=subprocess.DEVNULL)
    os.rename("../large.folded", "large.folded")
    subprocess.run([PERUN, "import", "large.folded"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([PERUN, "convert", "--to", "afperf", "large.folded", "large.afperf"], check=True)
    write("many.csv", ["commit,value\n"] + [f"HEAD,{i}\n" for i in range(20000 * SIZE)])
    write("Makefile", ["all:"] + [f" t{i}" for i in range(60000)] + ["\n"])
    return names


# What a command needs to be at work for long; others are run with plausible arguments.
KNOWN = {
    "afperf": [["check", "large.afperf"], ["describe", "large.afperf"], ["merge", "large.afperf", "large.afperf", "-o", "m.afperf"]],
    "bisect": [["HEAD~2", "HEAD", "--", "./prog"]],
    "blame": [["time"]],
    "changes": [["list"], ["ack", "HEAD", "-m", "x"]],
    "check": [["all"], ["head"], ["profiles", "p0-1.perf", "large.folded"]],
    "ci": [["HEAD~1", "HEAD"]],
    "collect": [["-c", "./prog", "time"]],
    "compare": [["HEAD~1", "HEAD"], ["HEAD~1", "HEAD", "--", "./prog"]],
    "convert": [["--to", "pprof", "0@i", "out.pb"], ["--to", "perun", "large.folded", "out.perf"]],
    "history": [[], ["time"]],
    "import": [["many.csv"], ["large.folded"]],
    "init": [["--detect"]],
    "pprof": [["-top", "large.folded"], ["-dot", "large.folded"], ["-traces", "large.folded"]],
    "record": [["-o", "record.perf", "--", "./prog"]],
    "run": [["job", "-b", "./prog", "-c", "time"], ["-m", "HEAD~2..HEAD", "job", "-b", "./prog", "-c", "time"]],
    "showdiff": [["HEAD~1", "HEAD"], ["large.folded", "large.folded"]],
    "site": [["out"], ["--serve"]],
}


def words(*arguments):
    """What the program offers to a shell's completion: its commands, sub-commands and modules."""
    offered = subprocess.run([PERUN, "complete-words", *arguments, ""], stdout=subprocess.PIPE, text=True).stdout
    return [line.split("\t")[0] for line in offered.splitlines() if line[:1].isalpha()]


def commands_of_project(names):
    yield ["add", "--force", "--keep-profile", *names]
    for turn, command in enumerate(words()):
        others = [["large.folded"], ["0@i"]]
        for arguments in KNOWN.get(command, [[], *(others if ALL or LONG else others[turn % 2:][:1])]):
            yield [command, *arguments]
    for view in words("show"):
        yield ["show", "large.folded", view]
    for module in words("postprocessby"):
        yield ["postprocessby", "large.folded", module]


# Of each format a shape of costly.py, and the number of what there are many of: about a second of reading.
READERS = {
    "afperf": ("afperf", 100000), "art-trace": ("art_calls", 1000000), "asv": ("asv_printed", 200000), "bencher": ("bencher_benchmarks", 200000),
    "benchmarkdotnet": ("benchmarkdotnet", 50000), "benchmarkjs": ("benchmarkjs", 300000),
    "bpftrace": ("bpftrace_maps", 200000), "caliper": ("caliper_cali", 30000), "callgrind": ("callgrind_names", 300000),
    "cargo-bench": ("cargo_bench", 150000), "catch2": ("catch2", 100000), "collapsed": ("collapsed_wide", 300000),
    "criterion": ("criterion", 3000), "cube": ("cube_locations", 20000), "custom-benchmark": ("custom_benchmark", 200000),
    "dhat": ("dhat_frames", 100000), "dtrace": ("dtrace_wide", 200000), "extrap-experiment": ("extrap_zip", 200000),
    "console": ("console", 200000), "extrap-json": ("extrap_json", 50000), "extrap-jsonl": ("extrap_jsonl", 200000), "extrap-text": ("extrap_text", 50000),
    "extrap3": ("extrap3", 50000), "firefox": ("firefox_threads", 50000), "ghc-prof": ("ghc_text", 300000), "gprof": ("gprof_calls", 100000),
    "go-bench": ("go_bench", 200000), "google-benchmark": ("google_repetitions", 100000),
    "heaptrack": ("heaptrack_changes", 300000), "hyperfine": ("hyperfine_times", 500000),
    "gungraun": ("gungraun_benchmarks", 100000), "hpctoolkit": ("hpctoolkit_wide", 100000),
    "instruments": ("instruments_copy", 200000), "jemalloc": ("jemalloc_stacks", 200000), "jmh": ("jmh", 50000),
    "julia": ("julia", 100000), "junit": ("junit", 200000), "lines": ("go_bench", 200000),
    "massif": ("massif_snapshots", 100000), "nanobench": ("nanobench", 100000), "nsight": ("nsight", 2000),
    "perf-data": ("perf_data_samples", 100000), "perf-script": ("perf_script", 100000), "perf-stat": ("perf_stat_equal", 200000), "perun": ("perun_uids", 200000),
    "papyrus": ("papyrus_calls", 200000), "perfetto": ("perfetto_slices", 300000),
    "pmcstat": ("pmcstat_deep", 200000), "pprof": ("pprof_deep_stacks", 20000), "pprof-legacy": ("legacy_heap", 200000),
    "pyinstrument": ("pyinstrument_wide", 200000), "pyperf": ("pyperf", 100000), "pytest-benchmark": ("pytest_rounds", 500000), "safari": ("safari_samples", 50000), "sample": ("sample_wide", 200000),
    "speedscope": ("speedscope_sampled", 200000), "stackprof": ("stackprof_frames", 100000), "table": ("table_rows", 200000),
    "talpas": ("talpas", 200000), "tau": ("tau_paths", 200000), "timemory": ("timemory_wide", 100000), "trace-event": ("trace_threads", 50000),
    "v8": ("v8_collisions", 200000), "vitest": ("vitest", 100000), "vsprof": ("vsprof_wide", 200000), "vtune": ("vtune_wide", 200000),
}


def formats():
    listed = subprocess.run([PERUN, "plugin", "list", "format"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [line.split()[1] for line in listed.splitlines() if line.startswith("format ")]


def commands_of_readers():
    for name in formats():
        shape, n = READERS[name]
        content, suffix = costly.shapes[shape]
        path, content = f"reader-{name}.{suffix}", content(n)
        for member, data in (content if isinstance(content, dict) else {"": content}).items():
            member = os.path.join(path, member) if member else path
            if os.path.dirname(member):
                os.makedirs(os.path.dirname(member), exist_ok=True)
            costly.write(member, data)
        pattern = ["-o", r"pattern=(?<name>\S+).*\s(?<value>[0-9]+) ns"] if name == "lines" else []
        yield ["convert", "--from", name, *pattern, "--to", "perun", path, "/dev/null"]


def start(arguments):
    return subprocess.Popen([PERUN, "--no-pager"] + arguments, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def try_once(arguments, number, after, twice):
    process = start(arguments)
    try:
        process.wait(after)  # who has ended by then has no signal to come
    except subprocess.TimeoutExpired:
        pass
    process.send_signal(number)
    if twice:
        time.sleep(0.01)
        process.send_signal(number)
    began = time.monotonic()
    try:
        error = process.communicate(timeout=PATIENCE)[1].decode(errors="replace")
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"did not end within {PATIENCE} s"
    allowed = (0, 1, 2, 3, 4, 128 + number, -number)
    if process.returncode not in allowed:
        return f"ended with {process.returncode}: {error[:200]}"
    return "" if time.monotonic() - began <= PATIENCE else "was late"


def wait_until_full(pipe):
    """Until the writer has no room for a page more, some seconds at most."""
    room = fcntl.fcntl(pipe, getattr(fcntl, "F_GETPIPE_SZ", 1032)) - 4096
    until, held = time.monotonic() + 5, array.array("i", [0])
    while held[0] <= room and time.monotonic() < until:
        time.sleep(0.02)
        fcntl.ioctl(pipe, termios.FIONREAD, held)
    time.sleep(0.05)


def duration(arguments):
    process, began = start(arguments), time.monotonic()
    try:
        process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
    return time.monotonic() - began


def try_all(lines):
    bad = tried = 0
    for index, arguments in enumerate(lines):
        longest = duration(arguments) if ALL else 0.4 if LONG else 0.25
        for number in BOTH * 3 if ALL else BOTH if LONG else BOTH[index % 2:][:1]:
            after = random.uniform(0, longest)
            problem = try_once(arguments, number, after, random.random() < 0.2)
            tried += 1
            if problem:
                bad += 1
                print(f"{' '.join(arguments)[:200]}: {number.name} after {after:.2f} s: {problem}", flush=True)
    return tried, bad


def main():
    tried, bad = try_all(commands())
    for name in set(formats()) - set(READERS):
        bad += 1
        print(f"no shape of costly.py for the format {name}")
    if ALL:
        os.environ["PERUN"] = PERUN
        of_readers, late = try_all(commands_of_readers())
        tried += of_readers
        bad += late
    # A write that nobody reads ends as well.
    process = subprocess.Popen([PERUN, "--no-pager", "show", "large.folded", "raw"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    wait_until_full(process.stdout.fileno())
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        bad += 1
        print("a write into a full pipe does not end")
    of_project, late = try_all(commands_of_project(make_project()))
    tried += of_project
    bad += late
    if subprocess.run([PERUN, "fsck"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        bad += 1
        print("the store is not whole afterwards")
    print(f"{tried + 1} signals, {bad} without their effect")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
