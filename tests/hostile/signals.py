#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""signals.py PERUN: SIGINT and SIGTERM at random moments to commands at work on large inputs.

Each must end within PATIENCE seconds with the status of the signal, or have ended before with its own; a
second signal ends at once. In the current directory, which it fills."""
import random
import signal
import subprocess
import sys
import time

PERUN = sys.argv[1]
PATIENCE = 3  # a second, on a machine that does much else
random.seed(7)


def write(path, lines):
    with open(path, "w") as file:
        file.writelines(lines)


def commands():
    write("large.folded", (f"main;a{i % 977};b{i % 1511};c{i} {i % 9 + 1}\n" for i in range(150000)))
    write("other.folded", (f"main;a{i % 977};b{i % 1511};c{i} {i % 7 + 1}\n" for i in range(150000)))
    write("experiment.txt", ["PARAMETER p\nPOINTS 1 2 4 8 16\n"] + [
        f"REGION r{i}\nMETRIC m\n" + "DATA 1 2 3\n" * 5 for i in range(3000)])
    for view in ("raw", "top", "tree", "callers", "flamegraph", "tableof"):
        yield ["show", "large.folded", view]
    for form in ("perun", "pprof", "collapsed", "speedscope", "callgrind", "firefox"):
        yield ["convert", "--to", form, "large.folded", "written." + form]
    for form in ("extrap-json", "extrap-text", "extrap-jsonl"):
        yield ["convert", "--to", form, "experiment.txt", "written." + form]
    yield ["model", "experiment.txt"]
    yield ["showdiff", "large.folded", "other.folded"]
    yield ["pprof", "-top", "large.folded"]


def project():
    """A project with a store, and commands that work on all of it."""
    import os
    import subprocess as run
    os.mkdir("project")
    os.chdir("project")
    run.run(["git", "init", "-q", "."], check=True)
    run.run([PERUN, "init"], check=True, stdout=run.DEVNULL)
    names = []
    for number in range(3):
        run.run(["git", "commit", "-q", "--allow-empty", "-m", str(number)], check=True)
        origin = run.run(["git", "rev-parse", "HEAD"], stdout=run.PIPE, text=True, check=True).stdout.strip()
        for profile in range(150):
            name = f"p{number}-{profile}.perf"
            names.append(name)
            rows = ",".join(f'{{"amount": {profile + i % 7 + 1}, "uid": "f{i}", "type": "time"}}' for i in range(300))
            write(name, [f'{{"header": {{"type": "time", "units": {{"time": "s"}}, "cmd": "c{profile % 9}", "workload": ""}},'
                         f'"origin": "{origin}", "collector_info": {{"name": "time", "params": {{}}}}, "postprocessors": [],'
                         f'"global": {{"time": "1", "resources": [{rows}]}}}}'])
        run.run([PERUN, "add", "--keep-profile", *names[-150:]], check=True, stdout=run.DEVNULL)
    write("many.csv", ["commit,value\n"] + [f"HEAD,{i}\n" for i in range(20000)])
    yield ["add", "--force", "--keep-profile", *names[-150:]]
    yield ["check", "all"]
    yield ["check", "head"]
    yield ["fsck"]
    yield ["gc"]
    yield ["site", "out"]
    yield ["history"]
    yield ["show", "0@i", "raw"]
    yield ["showdiff", "HEAD~1", "HEAD"]
    yield ["status"]
    yield ["log"]
    yield ["ci", "HEAD~1", "HEAD"]
    yield ["import", "many.csv"]


def start(arguments):
    return subprocess.Popen([PERUN, "--no-pager"] + arguments, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def try_once(arguments, number, after, twice):
    process = start(arguments)
    time.sleep(after)
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
    allowed = (0, 1, 2, 3, 128 + number, -number)
    if process.returncode not in allowed:
        return f"ended with {process.returncode}: {error[:200]}"
    return "" if time.monotonic() - began <= PATIENCE else "was late"


def try_all(lines):
    bad = tried = 0
    for arguments in lines:
        for number, twice in ((signal.SIGINT, False), (signal.SIGTERM, random.random() < 0.5)):
            after = random.uniform(0, 0.4)
            problem = try_once(arguments, number, after, twice)
            tried += 1
            if problem:
                bad += 1
                print(f"{' '.join(arguments)[:200]}: {number.name} after {after:.2f} s: {problem}")
    return tried, bad


def main():
    tried, bad = try_all(commands())
    # A write that nobody reads ends as well.
    process = subprocess.Popen([PERUN, "--no-pager", "show", "large.folded", "raw"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    time.sleep(1.5)
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        bad += 1
        print("a write into a full pipe does not end")
    of_project, late = try_all(project())
    tried += of_project
    bad += late
    if subprocess.run([PERUN, "fsck"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        bad += 1
        print("the store is not whole afterwards")
    print(f"{tried + 1} signals, {bad} without their effect")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
