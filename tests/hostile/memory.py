#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""memory.py PERUN [--all]: commands whose input needs more memory than RLIMIT_AS leaves, 100 MB.

Each ends with one line and exit code 3, and changes nothing. With --all every shape of costly.py is read, growing
until it is refused. Runs in an empty directory and prints TAP."""
import os
import resource
import subprocess
import sys

import costly

LIMIT = 100_000_000
LARGEST = 80_000_000  # bytes of an input
SLOW = 60  # seconds

perun = sys.argv[1]
number = bad = 0


def make(shape, n):
    """The name of the file."""
    made, suffix = costly.shapes[shape]
    data = made(n)
    with open("in." + suffix, "wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)
    return "in." + suffix


def run(*words, limit=LIMIT):
    return subprocess.run(
        [perun, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=600,
        preexec_fn=limit and (lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))))


def must(*words):
    result = run(*words, limit=None)
    if result.returncode:
        sys.exit("perun %s: %s" % (" ".join(words), result.stderr))


def files():
    """Names and sizes: what a command must not change. Not locks, its log, nor what it may compute again."""
    seen = {}
    for folder, _, names in os.walk("."):
        if not folder.startswith(("./.perun/logs", "./.perun/cache")):
            for name in names:
                path = os.path.join(folder, name)
                seen[path] = os.lstat(path).st_size
    for lock in ("./.perun/lock", "./out/.perun-site/lock"):
        seen.pop(lock, None)
    return seen


def report(good, name, result):
    global number, bad
    number += 1
    bad += not good
    print("%s %d - %s" % ("ok" if good else "not ok", number, name))
    if not good:
        print("# %d: %s" % (result.returncode, result.stderr[:500].replace("\n", "\n# ")))
    sys.stdout.flush()


def is_one_line(result):
    lines = [line for line in result.stderr.splitlines() if not line.startswith("perun: warning: ")]
    return result.returncode == 3 and len(lines) == 1 and lines[0].startswith("perun: ")


def refused(*words):
    before = files()
    result = run(*words)
    report(is_one_line(result) and "out of memory" in result.stderr and files() == before, " ".join(words), result)


def taken(*words):
    """What needs less than the limit, though it writes more."""
    result = subprocess.run([perun, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            timeout=600, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT)))
    report(result.returncode == 0, " ".join(words), result)


def long_stacks():
    """A table of 160 MB: each of 8,000 stacks has 50 frames with names of 400 letters."""
    samples = [[(i * (k + 7) + k) % 97 for k in range(50)] for i in range(8000)]
    with open("long.speedscope.json", "w") as file:
        file.write(costly.speedscope([{"type": "sampled", "name": "x", "unit": "none", "startValue": 0, "endValue": 8000,
                                       "samples": samples, "weights": [1] * 8000}], 0).replace(
                                           '"frames": []', '"frames": [' + ", ".join('{"name": "%s%d"}' % ("f" * 400, i) for i in range(97)) + "]"))
    return "long.speedscope.json"


def commands():
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a", "commit", "-q", "--allow-empty", "-m", "x"],
                   check=True)
    must("init")
    taken("show", long_stacks(), "tableof", "resources")
    stack = make("pprof_ids", 1_500_000)
    refused("show", stack, "top")
    refused("convert", "--to", "speedscope", stack, "out.json")
    refused("pprof", "-top", stack)
    refused("import", stack)
    refused("model", make("extrap_text", 150_000))
    profile = make("perun_types", 1_000_000)
    refused("add", "--force", profile)
    refused("check", "profiles", profile, profile)
    must("add", "--force", "--keep-profile", profile)
    refused("show", "0@i", "tableof", "resources")
    refused("history", "time")
    refused("site", "out")


def shapes():
    for shape in costly.shapes:
        n = 5_000
        while True:
            n *= 4
            name = make(shape, n)
            try:
                before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                result = run("convert", "--to", "perun", name, "out.perf")
                took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            except subprocess.TimeoutExpired:
                break
            if result.returncode or took > SLOW or os.path.getsize(name) > LARGEST:
                break
        report(result.returncode == 0 or is_one_line(result), "%s of %d: %s" % (
            shape, n, result.stderr.strip().rpartition("\n")[2][:100] or "read"), result)


def main():
    shapes() if "--all" in sys.argv else commands()
    print("1..%d" % number)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
