#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""readers.py READER [FORMAT...]: how long each format takes to be read, against a program that only looks at the bytes.

READER is tests/tools/format-pairs, which reads a file and does nothing else. Files are shapes of tests/hostile/costly.py,
about READERS_MB megabytes each (100), full of different names; with READERS_FILES=typical they are those of typical.py, as tools write
them. The goal: JSON in at most twice the processor time of a parser that keeps nothing
(json_verify of yajl, or what READERS_JSON names), text in at most a second more than wc -l; memory is the largest resident size.
Prints a row of a table for each format; exits with 1 if a goal was missed."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "hostile"))
SIZE = float(os.environ.get("READERS_MB", "100")) * 1e6
JSON = os.environ.get("READERS_JSON", "json_verify -q").split()
ROUNDS = int(os.environ.get("READERS_ROUNDS", "3"))
OTHERS = {"afperf", "lines", "cube", "extrap-experiment", "extrap3", "nsight", "pprof", "heaptrack"}
LINES = {"perf-stat", "extrap-jsonl"}  # JSON in each line


def measure(command, source):
    """The least processor time of some runs, and the largest resident size in bytes: of READER what it says of itself, since a
    child begins with the memory of its parent."""
    best, size = float("inf"), 0
    for _ in range(ROUNDS):
        with open(source, "rb") as data:
            child = subprocess.Popen(command, stdin=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     env={**os.environ, "PERUN_PEAK": "1"})
            printed, error = child.stdout.read(), child.stderr.read()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = status
        if status:
            raise RuntimeError(error.decode(errors="replace").strip().split("\n")[0][:100])
        said = printed.split()[-2:]
        peak = int(said[1]) if said[:1] == [b"peak"] else usage.ru_maxrss * 1024
        best, size = min(best, usage.ru_utime + usage.ru_stime), max(size, peak)
    return best, size


def grow(make, n):
    """A text of about SIZE bytes: shapes grow in proportion to n, or nearly."""
    text = make(n)
    for _ in range(3):
        if not isinstance(text, (str, bytes)) or len(text) > 0.7 * SIZE:
            return text
        n = int(n * SIZE / len(text))
        text = make(n)
    return text


def main():
    sys.argv[1:], reader, chosen = ["-"], os.path.abspath(sys.argv[1]), sys.argv[2:]  # signals.py has a program of its own
    import costly
    import signals
    import typical
    files = {name: (*costly.shapes[shape], n) for name, (shape, n) in signals.READERS.items()}
    if os.environ.get("READERS_FILES") == "typical":
        files = {name: (make, suffix, int(n * SIZE / 1e6)) for name, (make, suffix, n) in typical.shapes.items()}
    missed = 0
    print("| format | | 100 MB | goal | memory, bytes for each |\n|---|---|---:|---:|---:|")
    for name, (make, suffix, n) in sorted(files.items()):
        if chosen and name not in chosen or name in OTHERS:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "in." + suffix)
            os.chdir(folder)
            # A child begins with the memory of its parent: another process makes the file.
            if os.fork() == 0:
                text = grow(make, n)
                if isinstance(text, (str, bytes)):
                    with open(path, "wb") as out:
                        out.write(text if isinstance(text, bytes) else text.encode())
                os._exit(0)
            os.wait()
            if not os.path.exists(path):
                continue
            with open(path, "rb") as data:
                is_json = name not in LINES and data.read(1) in (b"{", b"[") and suffix != "jsonl"
            size = os.path.getsize(path) / 1e6
            try:
                base, _ = measure(JSON if is_json else ["wc", "-l"], path)
                took, memory = measure([reader, f"{name.split('=')[0]}={path}", "--"], path)
            except RuntimeError as error:
                print(f"| `{name}` | {size:.0f} | {error} | | |", flush=True)
                continue
            # Reading is linear (make growth), so that smaller files say what 100 MB take.
            goal = 2 * base * 100 / size if is_json else base * 100 / size + 1
            missed += took * 100 / size > goal
            print(f"| `{name}` | {'JSON' if is_json else 'text'} | {took * 100 / size:.1f} s | {goal:.1f} s | {memory / 1e6 / size:.1f} |"
                  f"{' MISSED' if took * 100 / size > goal else ''}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
