#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""growth.py PERUN [SHAPE...]: how processor time grows with the size of an input: commands on n, 4n and 16n.

Files are those of tests/hostile/costly.py and projects those of PROJECTS: each has much of one thing. Prints a line for
each command and input that took more than SMALL for 16n (all with GROWTH_ALL=1), and exits with 1 if time(16n) / time(n) is above
24. What took less is not tried with less, and 4n only where n and 16n are far apart. A command, format, view or postprocessor of the program that no table here has is named, and is a failure.
GROWTH_N is n, GROWTH_MAX the seconds of processor time a command may take.

growth.py PERUN --counted: a few of them by instructions, counted by valgrind, so that a loaded machine changes nothing; without
PERUN_LONG half of these."""
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

PERUN = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "hostile"))
import costly  # noqa: E402
import signals  # noqa: E402

N = int(os.environ.get("GROWTH_N", "1000"))
LIMIT = 24
SMALL = 0.3  # seconds
LARGE = 16e6  # bytes: of shapes with larger inputs there are fewer
ALL = os.environ.get("GROWTH_ALL")
LONG = "PERUN_LONG" in os.environ  # `make check-long`
REFUSED = 1  # second: what ends at a limit of a format has no more to do for larger inputs
MAX = int(os.environ.get("GROWTH_MAX", "15"))

# ---- commands ---------------------------------------------------------------------------------

# "%" is the input, "half" one of half its size: what changed between them is everything.
FILE_COMMANDS = {
    "show": ["show", "%"],
    **{f"show {view}": ["show", "%", view, "-o", "-"] for view in (
        "alloclist", "flamegraph", "heapmap", "raw", "timeline")},
    **{f"show {view}": ["show", "%", view] for view in (
        "callees", "callers", "flow", "report", "scaling", "summary", "top", "tree")},
    "show bars": ["show", "%", "bars", "--of", "amount", "--per", "uid"],
    "show box": ["show", "%", "box"],
    "show histogram": ["show", "%", "histogram"],
    "show scatter": ["show", "%", "scatter", "--of", "amount", "--per", "uid"],
    "show tableof": ["show", "%", "tableof", "resources"],
    "show tableof unsafehtml": ["show", "%", "tableof", "--format", "unsafehtml", "resources"],
    **{f"to {name}": ["convert", "--to", name, "%", "/dev/null"] for name in (
        "afperf", "callgrind", "collapsed", "extrap-json", "extrap-jsonl", "extrap-text", "firefox", "perun", "pprof",
        "speedscope")},
    "merge": ["merge", "-o", "/dev/null", "%", "%"],
    "symbolize": ["symbolize", "%", "/dev/null"],
    "to cube": ["convert", "--to", "cube", "%", "written.cube"],
    **{f"pprof {report}": ["pprof", report, "%"] for report in ("-top", "-dot", "-tree", "-traces", "-tags", "-raw")},
    "showdiff": ["showdiff", "half", "%"],
    **{f"showdiff {view}": ["showdiff", "half", "%", view] for view in ("report", "short", "table", "top")},
    "check profiles": ["check", "profiles", "half", "%"],
    "model": ["model", "%"],
    **{name: ["postprocessby", "--output", "/dev/null", "%", *name.split()] for name in (
        "clusterizer", "extrap", "filter --where amount>1", "moving-average --of amount --per uid sma",
        "normalizer")},
    "import": ["import", "%"],
    "show 0@i": ["show", "0@i", "top"],
}
# Of numbers over a number.
POINT_COMMANDS = {
    name: ["postprocessby", "--output", "/dev/null", "%", *name.split()] for name in (
        "regression-analysis --of amount --per x -m full -r all", "regressogram --of amount --per x",
        "moving-average --of amount --per x sma", "moving-average --of amount --per x smm",
        "moving-average --of amount --per x ema",
        *(f"kernel-regression --of amount --per x {mode}" for mode in (
            "estimator-settings", "kernel-ridge", "user-selection -bv 3", "method-selection -bm scott",
            "kernel-smoothing -sm spatial-average", "kernel-smoothing -sm local-linear",
            "kernel-smoothing -sm local-polynomial", "kernel-smoothing -sm local-polynomial -kt tricube")))
}
PROJECT_COMMANDS = {
    name: name.split() for name in (
        "status", "status --short", "log", "log --short", "log -n 1", "check all", "check head", "check all --method shift",
        "ci HEAD~1 HEAD", "history", "history --json", "blame", "changes list", "show 0@i", "showdiff HEAD~1 HEAD", "site out",
        "export --history csv out.csv", "export out.sqlite", "fsck", "gc", "recover")
}
PROJECT_COMMANDS["query"] = ["query", "SELECT * FROM latest"]
# Nothing that grows is given to these: they run programs, ask the user, print what the program knows, or answer until they
# are interrupted.
WITHOUT = {"add", "afperf", "bisect", "collect", "compare", "completion", "config", "doctor", "fetch", "fetch-profile", "fuzz", "help", "init", "install-hooks", "plugin",
           "push", "record", "rm", "run", "serve", "sync", "trust", "utils", "version"}


def missing():
    """What the program offers and no table has."""
    tried = [words for table in (FILE_COMMANDS, POINT_COMMANDS, PROJECT_COMMANDS) for words in table.values()]
    commands = {words[0] for words in tried} | WITHOUT
    yield from (f"command {name}" for name in signals.words() if name not in commands)
    for kind in ("show", "postprocessby"):
        every = {word for words in tried for word in words}
        yield from (f"{kind} {name}" for name in signals.words(kind) if name not in every)
    for name in signals.formats():
        if signals.READERS.get(name, ("",))[0] not in costly.shapes:
            yield f"reader of {name}"


# ---- inputs -----------------------------------------------------------------------------------

def points(n):
    rows = [{"amount": i % 50 + i * 7919 % n / n, "uid": "f", "type": "time", "x": i + i * 104729 % n / n} for i in range(n)]
    return costly.perun(rows)


def make_file(shape, n):
    """The input's name and size."""
    content, suffix = (points, "perf") if shape == "points" else costly.shapes[shape]
    content, name = content(n), "in." + suffix
    shutil.rmtree(name, ignore_errors=True)
    files = content if isinstance(content, dict) else {"": content}
    for path, data in files.items():
        path = os.path.join(name, path) if path else name
        if os.path.dirname(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        costly.write(path, data)
    return name, sum(len(data) for data in files.values())


def quietly(*words, **more):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, **more)


def commit_all(count):
    """A project of n commits, each with a file of its own name; their names."""
    stream = ["blob\nmark :1\ndata 2\nx\n\n"]
    for i in range(count):
        message = f"version {i}\n"
        stream.append(f"commit refs/heads/main\nmark :{i + 2}\ncommitter a <a@example.org> {1600000000 + i * 60} +0000\n"
                      f"data {len(message)}\n{message}" + (f"from :{i + 1}\n" if i else "") + f"M 100644 :1 f{i % 100}\n\n")
    quietly("git", "init", "-q", "-b", "main", ".")
    quietly("git", "fast-import", "--quiet", input="".join(stream).encode())
    quietly("git", "reset", "-q", "--hard")
    quietly(PERUN, "init")
    return subprocess.run(["git", "rev-list", "--reverse", "HEAD"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.split()


def add(commit, name, rows, command="x"):
    text = json.loads(costly.perun(rows))
    text["origin"], text["header"]["cmd"] = commit, command
    costly.write(name, json.dumps(text))
    return name


def project_commits(n):
    """A value at each of n commits."""
    names = commit_all(n)
    costly.write("h.csv", "commit,value\n" + "".join(f"{name},{i * 7919 % 13 + 100}\n" for i, name in enumerate(names)))
    quietly(PERUN, "import", "--history", "h.csv")


def project_profiles(n):
    """n profiles of different programs at each of two versions."""
    for commit in commit_all(2):
        files = [add(commit, f"p{i}.perf", [{"amount": 1 + k, "uid": "f", "type": "time"} for k in range(3)], f"c{i}")
                 for i in range(n)]
        for start in range(0, n, 1000):
            quietly(PERUN, "add", "--force", "--minor", commit, *files[start:start + 1000])


def project_sessions(n):
    """n profiles of one program at each of two versions."""
    for commit in commit_all(2):
        files = [add(commit, f"p{i}.perf", [{"amount": 1 + (k + i) % 5, "uid": "f", "type": "time"} for k in range(3)])
                 for i in range(n)]
        for start in range(0, n, 1000):
            quietly(PERUN, "add", "--force", "--minor", commit, *files[start:start + 1000])


def project_metrics(n):
    """A profile of n metrics at each of three versions."""
    for k, commit in enumerate(commit_all(3)):
        rows = [{"amount": i % 9 + k, "uid": "f", "type": f"t{i}"} for i in range(n)]
        quietly(PERUN, "add", "--force", "--minor", commit, add(commit, "p.perf", rows))


def project_functions(n):
    """A profile of n functions at each of three versions."""
    for k, commit in enumerate(commit_all(3)):
        rows = [{"amount": i % 9 + k, "uid": f"f{i}", "type": "time"} for i in range(n)]
        quietly(PERUN, "add", "--force", "--minor", commit, add(commit, "p.perf", rows))


def project_changes(n):
    """n functions that all change at one of twelve versions, half of them up and half down."""
    for k, commit in enumerate(commit_all(12)):
        rows = [{"amount": 1000 + i + (k + i) % 3 + (k > 5) * (300, -300)[i % 2], "uid": f"f{i}", "type": "time"}
                for i in range(n)]
        quietly(PERUN, "add", "--force", "--minor", commit, add(commit, "p.perf", rows))


def project_stacks(n):
    """Stacks of 10 n functions at each of six versions."""
    for k, commit in enumerate(commit_all(6)):
        costly.write("in.folded", "".join(f"main;f{i} {i % 9 + 20 + k}\n" for i in range(10 * n)))
        quietly(PERUN, "import", "--minor", commit, "in.folded")


def project_programs(n):
    """Stacks of n programs at each of two versions."""
    for k, commit in enumerate(commit_all(2)):
        for i in range(n):
            costly.write(f"p{i}.folded", "".join(f"main;f{f} {f + 20 + k}\n" for f in range(9)))
        for start in range(0, n, 1000):
            quietly(PERUN, "import", "--minor", commit, *(f"p{i}.folded" for i in range(start, min(n, start + 1000))))


def project_references(n):
    """n tags and branches."""
    name = commit_all(2)[-1]
    costly.write(".git/packed-refs", "# pack-refs with: peeled fully-peeled sorted \n" + "".join(sorted(
        f"{name} refs/{kind}/r{i}\n" for i in range(n // 2) for kind in ("heads", "tags"))))


PROJECTS = {make.__name__: make for make in (
    project_commits, project_profiles, project_sessions, project_metrics, project_functions, project_changes,
    project_stacks, project_programs, project_references)}
FEWER = 10  # projects have fewer of what they have many of

# ---- runs -------------------------------------------------------------------------------------


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (MAX, MAX))


def run(words):
    """Processor time and exit code."""
    process = subprocess.Popen([PERUN, "--no-pager", *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, preexec_fn=limits)
    _, state, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(state)
    return usage.ru_utime + usage.ru_stime, process.returncode


def in_project(shape, n, do):
    """What do() returns in a project of the shape, which is removed."""
    here, folder = os.getcwd(), f"{shape}-{n}"
    os.mkdir(folder)
    os.chdir(folder)
    PROJECTS[shape](max(1, n // FEWER))
    result = do()
    os.chdir(here)
    shutil.rmtree(folder)
    return result


def take(shape, n, commands):
    """Times and exit codes of commands, and the size of the input."""
    if shape not in PROJECTS:
        half = make_file(shape, max(1, n // 2))[0]
        shutil.rmtree("half", ignore_errors=True)
        os.mkdir("half")
        other = shutil.move(half, os.path.join("half", os.path.basename(half.rstrip("/"))))
        name, size = make_file(shape, n)
        files = {"%": name, "half": other}
        # What was imported before is no part of it.
        shutil.rmtree(".perun", ignore_errors=True)
        quietly(PERUN, "init")
        return {command: run([files.get(word, word) for word in words]) for command, words in commands.items()}, size
    return in_project(shape, n, lambda: {command: run(words) for command, words in commands.items()}), n


def try_shape(shape):
    """How many commands grow too much."""
    commands = PROJECT_COMMANDS if shape in PROJECTS else POINT_COMMANDS if shape == "points" else FILE_COMMANDS
    n = N
    while shape not in PROJECTS and make_file(shape, 16 * n)[1] > LARGE:
        n //= 2
    last, large = take(shape, 16 * n, commands)
    slow = {command: commands[command] for command, (took, code) in last.items() if took > SMALL or code < 0}
    if "show 0@i" in slow and "import" in commands:
        slow = {"import": commands["import"], **slow}  # what it shows
    first, small = take(shape, n, slow) if slow else ({}, 1)
    # Shapes whose size grows faster than n are measured by their size.
    factors = {command: last[command][0] / max(first[command][0], 0.01) * min(1, 16 * small / large) for command in slow}
    far = {command: slow[command] for command in slow if factors[command] > LIMIT * 0.75}
    second = take(shape, 4 * n, far)[0] if far else {}
    bad = 0
    for command, (took, code) in last.items():
        factor = factors.get(command, 0)
        late = code < 0 or (factor > LIMIT and not (code == 3 and took < REFUSED))
        bad += late
        if command in slow or ALL:
            middle = f"{second[command][0]:7.2f}" if command in second else "      -"
            print(f"{'!' if late else ' '} {shape:24} {command:30.30} {large / 1e6:7.2f} MB {first.get(command, (0,))[0]:7.2f} {middle}"
                  f" {took:7.2f} s {factor:6.1f}  exit {code}", flush=True)
    print(f"  {shape:24} {len(commands)} commands, {len(slow)} above {SMALL} s, {bad} above {LIMIT}", flush=True)
    return bad


# What took the square of n once. Several of one reader are in one input: valgrind's start takes longer than most of them.
COUNTED = [("pprof_equal_types", "pprof -top"), ("pprof_keys_and_mappings", "to firefox"),
           ("perun_types_and_header", "to extrap-json"), ("hyperfine_parameters", "show"),
           ("extrap_jsonl_metrics", "to extrap-text"), ("instruments_references", "pprof -dot"),
           ("google_counters", "showdiff"), ("project_changes", "blame"), ("caliper_cali", "show box"),
           ("caliper_labels", "pprof -top"), ("ghc_json", "show flamegraph"),
           ("heaptrack_one_name", "to collapsed"),
           ("project_profiles", "status"), ("project_stacks", "history"), ("hyperfine_times", "show"),
           ("points", "show tableof unsafehtml"), ("trace_nested", "pprof -dot"), ("v8_chain", "pprof -top")]


def count(words):
    """Instructions of a command. Cachegrind without a cache takes a quarter of callgrind's time, and counts the same."""
    counted = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                              "--trace-children=yes", PERUN, "--no-pager", *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True, errors="replace").stderr
    return max(int(number) for number in re.findall(r"I +refs: +(\d+)", counted.replace(",", "")))


def count_shape(shape, size, command):
    if shape in PROJECTS:
        return in_project(shape, size, lambda: count(PROJECT_COMMANDS[command]))
    name = make_file(shape, size)[0]
    words = {**FILE_COMMANDS, **POINT_COMMANDS}[command]
    return count([name if word == "%" else word for word in words])


def try_counted(n):
    """How many of COUNTED grow too much, beyond what a start takes."""
    quietly(PERUN, "init")
    bad = 0
    for shape, command in COUNTED if LONG else COUNTED[::2]:
        counts = [count_shape(shape, size, command) for size in (1, n, 16 * n)]
        factor = (counts[2] - counts[0]) / max(counts[1] - counts[0], 1e5)
        bad += factor > LIMIT
        print(f"{'!' if factor > LIMIT else ' '} {shape:24} {command:30.30} {counts[1] / 1e6:8.1f} {counts[2] / 1e6:8.1f}"
              f" M {factor:6.1f}", flush=True)
    return bad


def main():
    """In a folder of its own, which is a repository."""
    with tempfile.TemporaryDirectory(prefix="growth-") as folder:
        os.chdir(folder)
        failed = try_all()
        os.chdir("/")
    return failed


def try_all():
    os.environ["PERUN"] = PERUN
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a", "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    bad = 0
    for name in missing():
        bad += 1
        print(f"! {name}: in no table")
    if sys.argv[2:] == ["--counted"]:
        return bad + try_counted(int(os.environ.get("GROWTH_N", "250"))) > 0
    bad += sum(try_shape(shape) for shape in sys.argv[2:] or [*costly.shapes, "points", *PROJECTS])
    print(f"{bad} above {LIMIT}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
