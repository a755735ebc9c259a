#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
bench/scale.py [--cells N,...] [--profiles N,...] [--each N] [--commands NAME,...] [--limit SECONDS]: what commands cost as work grows, as lines of the tables of
doc/scale.md: seconds of the processor, by the clock, and megabytes of memory. PERUN is the command, by default ./perun.

Everything is in a temporary directory, one for each size, and is removed at the end: ext4 makes new files slowly for minutes after many
were deleted. A script plays the engine, and what one cell measured is copied to the others, so that only perun's own work counts.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

arguments = argparse.ArgumentParser()
arguments.add_argument("--cells", default="10,1000", help="sizes of runs in cells")
arguments.add_argument("--profiles", default="1000,10000", help="sizes of stores")
arguments.add_argument("--each", type=int, default=1, help="profiles of a commit, of workloads of their own")
arguments.add_argument("--commands", default="", help="only these, such as log,history")
arguments.add_argument("--limit", type=float, default=600, help="seconds for a command")
given = arguments.parse_args()
PERUN = os.path.abspath(os.environ.get("PERUN", "./perun"))
STORE_COMMANDS = ["log --short", "log -n 20", "history time(real)", "check all", "fsck", "gc", "export d.sqlite", "export d.sqlite",
                  "query SELECT%count(*)%FROM%latest", "site public", "push hub", "push hub", "fetch hub", "fetch hub"]


def timed(words, where):
    """Run perun: a cell of the table."""
    began = time.monotonic()
    process = subprocess.Popen([PERUN, *words], cwd=where, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        complaint = process.stderr.read() if given.limit <= 0 else process.communicate(timeout=given.limit)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"> {given.limit:.0f} s"
    spent = time.monotonic() - began
    # 1: something became slower; 3 of run status: not all cells have a profile.
    if process.returncode not in (0, 1) and words[:2] != ["run", "status"]:
        return "failed: " + complaint.decode(errors="replace").strip().splitlines()[-1]
    return spent


def measure(words, where):
    """The same, with what the operating system says of the child."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(reader)
        import resource
        spent = timed(words, where)
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        os.write(writer, json.dumps([spent, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        spent, processor, memory = json.loads(stream.read())
    os.wait()
    if isinstance(spent, str):
        return spent
    return f"{processor:.2f} s ({spent:.2f} s), {memory:.0f} MB"


def report(what, n, words, where):
    print(f"| {what} | {n:,} | {measure(words, where)} |", flush=True)


def git(where, *words, **more):
    return subprocess.run(["git", *words], cwd=where, check=True, stdout=subprocess.PIPE, **more).stdout.decode()


def make_repository(where, commits):
    os.makedirs(where)
    git(where, "init", "-q", "-b", "main")
    stream = "".join(f"commit refs/heads/main\ncommitter a <a@b> {1600000000 + 60 * i} +0000\ndata 2\nc\n\n" for i in range(commits))
    git(where, "fast-import", "--quiet", input=stream.encode())
    git(where, "reset", "-q", "--hard")
    subprocess.run([PERUN, "init"], cwd=where, check=True, stdout=subprocess.DEVNULL)
    return git(where, "rev-list", "--reverse", "HEAD").split()


# ---- cells --------------------------------------------------------------------------------------

ENGINE = {
    "sbatch": '#!/bin/sh\nid=$(($(cat "$ENGINE/last" 2>/dev/null || echo 100) + 1))\necho $id >"$ENGINE/last"\necho $id\n',
    "squeue": "#!/bin/sh\nexit 0\n",
    "sacct": "#!/bin/sh\nexit 1\n",
    "scancel": "#!/bin/sh\nexit 0\n",
}


def fill_cells(run, count):
    """What the first cell measured becomes that of all."""
    first = os.path.join(run, "cells", "1")
    done = json.load(open(os.path.join(first, "done.json")))
    profile = open(os.path.join(first, done["profile"]), "rb").read()
    for number in range(2, count + 1):
        folder = os.path.join(run, "cells", str(number))
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, done["profile"]), "wb") as file:
            file.write(profile)
        with open(os.path.join(folder, "done.json"), "w") as file:
            json.dump({**done, "cell": number}, file)


def cells(work, count):
    where = os.path.join(work, f"cells-{count}")
    versions = min(100, max(1, count // 10))
    make_repository(where, versions)
    with open(os.path.join(where, ".perun", "local.yml"), "a") as file:
        file.write("cmds: ['true']\nargs: ['{size}']\nparameters: {size: %s}\n" % list(range(count // versions)) +
                   "collectors: [{name: time, params: {repeat: 1, warmup: 0}}]\nexecutors: [{name: slurm, params: {partition: x}}]\n")
    plan = ["run", "--executor", "slurm", "-m", "HEAD" if versions == 1 else f"HEAD~{versions - 1}..HEAD"]
    plan += [] if versions == 1 else ["-m", f"HEAD~{versions - 1}"]
    report("plan", count, [*plan, "--plan-only", "matrix"], where)
    report("submit", count, ["run", "resume"], where)
    runs = os.path.join(where, ".perun", "runs")
    run = os.path.join(runs, next(name for name in os.listdir(runs) if name.startswith("2")))
    report("status, nothing done", count, ["run", "status"], where)
    subprocess.run([PERUN, "run", "--build", run + ":0"], cwd=where, check=True, stderr=subprocess.DEVNULL)
    subprocess.run([PERUN, "run", "--cell", run + ":1"], cwd=where, check=True)
    fill_cells(run, count)
    report("status, all done", count, ["run", "status"], where)
    report("collect", count, ["run", "collect"], where)
    report("collect again", count, ["run", "collect"], where)


# ---- stores -------------------------------------------------------------------------------------

def stores(top, count):
    work = os.path.join(top, f"stores-{count}")
    where = os.path.join(work, "store")
    commits = make_repository(where, count // given.each)
    with open(os.path.join(where, "h.csv"), "w") as file:
        file.write("commit,workload,name,metric,value,unit\n" if given.each > 1 else "commit,name,metric,value,unit\n")
        for i in range(len(commits) * given.each):
            workload = f"w{i % given.each}," if given.each > 1 else ""
            value = round((100 if i < count // 2 else 120) + i * 7919 % 13 / 10 + i / 1e7, 7)
            file.write(f"{commits[i // given.each]},{workload}parse,time(real),{value},ms\n")
    git(work, "init", "-q", "--bare", "hub.git")
    git(where, "remote", "add", "hub", "../hub.git")
    report("import --history h.csv", count, ["import", "--history", "h.csv"], where)
    wanted = given.commands.split(",") if given.commands else [command.split()[0] for command in STORE_COMMANDS]
    for command in [command for command in STORE_COMMANDS if command.split()[0] in wanted]:
        place = where
        if command == "fetch hub":
            place = os.path.join(work, "other")
            if not os.path.exists(place):
                git(work, "clone", "-q", "store", "other", stderr=subprocess.DEVNULL)
                git(place, "remote", "add", "hub", "../hub.git")
                subprocess.run([PERUN, "init"], cwd=place, check=True, stdout=subprocess.DEVNULL)
                began = time.monotonic()
                git(place, "fetch", "-q", "hub", "+refs/perun/*:refs/perun-remotes/hub/*")
                print(f"| git fetch of the same | {count:,} | {time.monotonic() - began:.2f} s by the clock |", flush=True)
        report(command.replace("%", " "), count, [word.replace("%", " ") for word in command.split()], place)


def main():
    with tempfile.TemporaryDirectory(prefix="perun-scale.") as work:
        for name, text in ENGINE.items():
            with open(os.path.join(work, name), "w") as file:
                file.write(text)
            os.chmod(os.path.join(work, name), 0o755)
        os.environ.update(PATH=work + ":" + os.environ["PATH"], ENGINE=work, PERUN_TRUST="yes", XDG_CACHE_HOME=os.path.join(work, "cache"))
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
        for count in given.cells.split(","):
            if count:
                cells(work, int(count))
        for count in given.profiles.split(","):
            if count:
                stores(work, int(count))
        print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    sys.exit(main())
