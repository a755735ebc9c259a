#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""site-store.py REPOSITORY COMMITS METRICS [REPEATS]: a history of measured commits, for bench/site.sh.

Commits come from git fast-import, objects and indexes are written as perun-store(5) describes. Metric m of
the history has noise of 2 % and changes its level at some versions. Deterministic.
"""
import hashlib
import json
import os
import random
import struct
import subprocess
import sys
import zlib

WORDS = ["Parse numbers without copies", "Cache the table of symbols", "Fix a leak in the reader", "Use a hash map for names",
         "Update the documentation", "Refactor the scheduler", "Sort by keys, then by values", "Read files in blocks"]


def commits(repository, count, start=0):
    lines = []
    for i in range(start, start + count):
        text = f"{WORDS[i % len(WORDS)]} ({i})\n"
        when = 1000000000 + i * 3600
        lines.append(f"commit refs/heads/main\nauthor A <a@example.org> {when} +0000\n"
                     f"committer A <a@example.org> {when} +0000\ndata {len(text)}\n{text}")
        if i == start and start:
            lines.append("from refs/heads/main^0\n")
        lines.append("\n")
    subprocess.run(["git", "-C", repository, "fast-import", "--quiet"], input="".join(lines).encode(), check=True)
    out = subprocess.run(["git", "-C", repository, "rev-list", "--reverse", "main"], capture_output=True, text=True, check=True)
    return out.stdout.split()[start:]


def write(store, name, data):
    folder = os.path.join(store, "objects", name[:2])
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name[2:]), "wb") as file:
        file.write(data)


def profile(rng, number, metrics, repeats, level):
    resources, types = {}, {}
    for m in range(metrics):
        key = f"./app#{m}"
        amounts = [round(level[m] * (1 + rng.gauss(0, .02)), 6) for _ in range(repeats)]
        resources[key] = {"amount": amounts, "order": list(range(1, repeats + 1))}
        types[key] = {"uid": "./app", "type": "time", "subtype": f"phase {m:03}"}
    return json.dumps({"header": {"type": "time", "cmd": "./app", "args": "", "workload": "input.txt", "units": {"time": "ms"}},
                       "collector_info": {"name": "time", "params": {"number": number}}, "postprocessors": [],
                       "resources": resources, "resource_type_map": types, "models": []})


def main():
    repository, count, metrics = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    repeats = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    start = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    rng = random.Random(start + 1)
    store = os.path.join(repository, ".perun")
    level = [10 + 7 * m for m in range(metrics)]
    for i, version in enumerate(commits(repository, count, start), start):
        if i % 701 == 700:
            for m in rng.sample(range(metrics), max(1, metrics // 5)):
                level[m] *= rng.choice((.85, .93, 1.08, 1.2))
        text = profile(rng, i, metrics, repeats, level)
        data = f"profile time {len(text)}\0{text}".encode()
        name = hashlib.sha1(data).hexdigest()
        write(store, name, zlib.compress(data, 1))
        entry = struct.pack("<I", 1000000000 + i) + bytes.fromhex(name) + b"p.perf\0"
        for word in ("time", "./app", "input.txt", "time", ""):
            entry += struct.pack("<I", len(word)) + word.encode()
        write(store, version, b"pidx" + struct.pack("<II", 2, 1) + entry)


main()
