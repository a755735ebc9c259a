#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""growth.py PERUN [SHAPE...]: how processor time grows with the size of an input: commands on n, 4n and 16n.

Inputs are those of tests/hostile/costly.py: each has much of one thing. Prints a line for each command and input, and
exits with 1 if time(16n) / time(n) is above 24, with times below SMALL left out. GROWTH_N is n."""
import os
import resource
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "hostile"))
import costly  # noqa: E402

PERUN = os.path.abspath(sys.argv[1])
N = int(os.environ.get("GROWTH_N", "2000"))
LIMIT = 24
SMALL = 0.3  # seconds: what 16n may take in any case
MAX = 30  # seconds of processor time of a command

COMMANDS = {
    "show": ["show", "%"],
    "top": ["show", "%", "top"],
    "tree": ["show", "%", "tree"],
    "perun": ["convert", "--to", "perun", "%", "/dev/null"],
    "pprof": ["convert", "--to", "pprof", "%", "/dev/null"],
    "speedscope": ["convert", "--to", "speedscope", "%", "/dev/null"],
    "firefox": ["convert", "--to", "firefox", "%", "/dev/null"],
    "collapsed": ["convert", "--to", "collapsed", "%", "/dev/null"],
    "extrap-json": ["convert", "--to", "extrap-json", "%", "/dev/null"],
    "pprof -top": ["pprof", "-top", "%"],
    "showdiff": ["showdiff", "%", "%"],
    "check": ["check", "profiles", "%", "%"],
    "model": ["model", "%"],
    "import": ["import", "%"],
}


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (MAX, MAX))


def run(words):
    """Processor time and exit code."""
    process = subprocess.Popen([PERUN, "--no-pager", *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, preexec_fn=limits)
    _, state, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(state)
    return usage.ru_utime + usage.ru_stime, process.returncode


def make(shape, n):
    """The input's name and size."""
    content, suffix = costly.shapes[shape]
    content, name = content(n), "in." + suffix
    shutil.rmtree(name, ignore_errors=True)
    files = content if isinstance(content, dict) else {"": content}
    for path, data in files.items():
        path = os.path.join(name, path) if path else name
        if os.path.dirname(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        costly.write(path, data)
    return name, sum(len(data) for data in files.values())


def try_shape(shape):
    """How many commands grow too much."""
    times, sizes = {}, []
    for n in (N, 4 * N, 16 * N):
        name, size = make(shape, n)
        sizes.append(size)
        for command, words in COMMANDS.items():
            times.setdefault(command, []).append(run([name if word == "%" else word for word in words]))
    bad = 0
    for command, of in times.items():
        (first, _), (second, _), (last, code) = of
        # Shapes whose size grows faster than n are measured by their size.
        factor = last / max(first, 0.01) * min(1, 16 * sizes[0] / sizes[2])
        late = last > SMALL and factor > LIMIT or code < 0
        bad += late
        print(f"{'!' if late else ' '} {shape:24} {command:12} {sizes[2] / 1e6:7.2f} MB {first:7.2f} {second:7.2f} {last:7.2f} s"
              f" {factor:6.1f}  exit {code}", flush=True)
    return bad


def main():
    os.environ["PERUN"] = PERUN
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a", "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([PERUN, "init"], check=True, stdout=subprocess.DEVNULL)
    bad = sum(try_shape(shape) for shape in sys.argv[2:] or costly.shapes)
    print(f"{bad} above {LIMIT}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
