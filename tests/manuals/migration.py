# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command lines in the tables of migration.md, PAGE PERUN DIRECTORY: those that are the same or different end with 0
(check: also 1), those that are not here are refused with one line. Each line has the same project before it: what a line wrote is
put back."""

import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from restored import Folder  # noqa: E402

PROGRAM = """#include <stdlib.h>
int work(int n) { volatile int sum = 0; for (int i = 0; i < n; i++) sum += i; return sum; }
int main(void) { void *block = malloc(10); int sum = 0; for (int i = 0; i < 300; i++) sum += work(100000); free(block);
	return sum == 1; }
"""


def write(name, content):
    with open(name, "w", encoding="utf-8") as file:
        file.write(content if isinstance(content, str) else json.dumps(content))


def profile(name, kind, unit, collector, resources):
    write(name, {"header": {"type": kind, "cmd": "./app", "args": "", "workload": "input", "units": {kind: unit}},
                 "collector_info": {"name": collector, "params": {}}, "postprocessors": [],
                 "global": {"time": "1", "resources": resources}})


def times(factor):
    return [{"amount": factor * (1 + .01 * run), "uid": "./app", "order": run + 1, "subtype": part, "type": "time"}
            for part in ("real", "user", "sys") for run in range(10)]


def profiles():
    profile("base.perf", "time", "s", "time", times(1))
    profile("target.perf", "time", "s", "time", times(1.01))
    profile("sizes.perf", "mixed", "us", "complexity",
            [{"amount": 3 * size + 2, "uid": "work", "structure-unit-size": size, "type": "mixed", "subtype": "time delta"}
             for size in range(1, 40)])
    profile("trace.perf", "mixed", "us", "trace",
            [{"amount": 10 * n, "exclusive": 9 * n, "uid": f"work{n}", "location": "prog", "type": "mixed",
              "subtype": "time delta"} for n in range(1, 9)])
    profile("stacks.perf", "time", "sample", "kperf",
            [{"amount": 5, "uid": "b", "trace": [{"func": "main"}, {"func": "a"}]},
             {"amount": 3, "uid": "a", "trace": [{"func": "main"}]}])
    # 0@i is the newest.
    os.utime("sizes.perf", (1600000000, 1600000000))
    place = {"function": "work", "source": "prog.c", "line": 2}
    write("mem.perf", {"header": {"type": "memory", "cmd": "./prog", "args": "", "workload": "", "units": {"memory": "B"}},
                       "collector_info": {"name": "memory", "params": {}}, "postprocessors": [],
                       "snapshots": [{"time": str(n), "resources": [
                           {"amount": 10 * n, "uid": place, "type": "memory", "subtype": "malloc", "address": 1,
                            "trace": [place]}]} for n in (1, 2, 3)]})


def files():
    write("app", "#!/bin/sh\nexit 0\n")
    os.chmod("app", 0o755)
    write("prog.c", PROGRAM)
    write("input", "x\n")
    write("params.yml", "repeat: 2\nwarmup: 0\n")
    write("stack.txt", "main;a;b 5\nmain;a 3\n")
    write("script.txt", "app 1 1.0: 1 cycles:\n\t1 b (/x)\n\t2 main (/x)\n\n")
    write("stat.txt", "\n Performance counter stats for './app':\n\n            12      cycles\n\n       0.1 seconds time elapsed\n")
    write("rules.yml", "a: b\n")
    write("list.csv", "Profile,Exit_code,time|lower|s\nstack.txt,0,1.5\n")
    write("machine.json", {"host": "m"})
    write("meta.json", [{"name": "branch", "value": "main"}])
    write("elk.json", [{"_source": {"metric.name": "get", "metric.value": 1.5}}])


def run(line, **more):
    return subprocess.run(line, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", errors="replace", timeout=120, check=False, **more)


def set_up():
    """The project is in the current directory."""
    files()
    profiles()
    for line in (
            "${CC:-cc} -g -pg -mfentry -o prog prog.c || ${CC:-cc} -g -o prog prog.c",
            "git init -q -b main . && git config user.email a@b.c && git config user.name n",
            "git add app input prog prog.c params.yml && git commit -qm one && echo >>input && git commit -qam two",
            "perun init .",
            "perun postprocessby -o models.perf sizes.perf regression-analysis -m full",
            "perun add -f -m HEAD~1 base.perf && perun add -f -m HEAD~1 sizes.perf",
            "perun add -f sizes.perf && perun add -f target.perf",
            "perun collect -c ./app time -w 0 -r 2 && perun collect -c ./app -w input time -w 0 -r 2",
            "d=$(git rev-parse HEAD | sed 's,^..,&/,') && mkdir -p .perun/stats/$d && echo 1 >.perun/stats/$d/sizes",
            "perun config --local set cmds '[./app]' && perun config --local set workloads '[input]'",
            "perun config --local set execute.pre_run '[\"true\"]'",
            "perun config --local set postprocessors '[{name: normalizer, params: {}}]'",
            "perun config --local set collectors '[{name: time, params: {repeat: 2, warmup: 0}}]'"):
        done = run(line)
        assert done.returncode == 0, line + ": " + done.stderr


def state(folder):
    """What shows whether anything below was written, its contents unread."""
    found = []
    for entry in os.scandir(folder):
        about = entry.stat(follow_symlinks=False)
        found.append((entry.name, about.st_ctime_ns, about.st_ino))
        if entry.is_dir(follow_symlinks=False):
            found += state(entry.path)
    return sorted(found)


def fault(line, says):
    try:
        done = run(line)
    except subprocess.TimeoutExpired:
        return "does not end"
    lines = done.stderr.strip().split("\n")
    if says.startswith("not here"):
        if done.returncode not in (2, 3, 4):
            return f"ends with {done.returncode}, though it is not here"
        return "" if len(lines) == 1 and lines[0].startswith("perun: ") else f"is refused with {len(lines)} lines"
    allowed = (0, 1) if " check " in line else (0,)
    return "" if done.returncode in allowed else f"ends with {done.returncode}: {lines[-1]}"


def main():
    page, perun, work = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        rows = re.findall(r"^\| (`perun.*?) \| ((?:same|different|not here).*) \|$", file.read(), re.M)
        file.seek(0)
        cells = len(re.findall(r"^\| `", file.read(), re.M))
    for name in ("bin", "user", "project"):
        os.makedirs(os.path.join(work, name))
    os.symlink(os.path.abspath(perun), os.path.join(work, "bin", "perun"))
    os.symlink("/bin/true", os.path.join(work, "bin", "xdg-open"))
    os.environ.update(PATH=os.path.join(work, "bin") + ":" + os.environ["PATH"], HOME=os.path.join(work, "user"),
                      PERUN_CONFIG_DIR=os.path.join(work, "user"), XDG_CACHE_HOME=os.path.join(work, "user"), EDITOR="true")
    project, kept, user = (os.path.join(work, name) for name in ("project", "kept", "user"))
    os.chdir(project)
    set_up()
    os.chdir(work)
    os.rename(project, kept)
    home = Folder(kept, project)
    os.chdir(project)
    count = faults = 0
    before = None
    for cell, says in rows:
        for line in re.findall(r"`(perun [^`]+)`", cell.replace("\\|", "|")):
            if [state(project), state(user)] != before:
                home.restore()
                run("perun -y trust")
                before = [state(project), state(user)]
            found = fault(line, says)
            count += 1
            if found:
                faults += 1
                print(f"{line}: {found}")
    if cells != len(rows):
        print(f"{cells - len(rows)} rows say neither same nor different nor not here")
    print(f"{count} lines of the Python program, {faults} faults")
    return 1 if faults or cells != len(rows) or count < 300 else 0


sys.exit(main())
