#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""lines.py PERUN PROJECT FOLDER PLACES <LINES: runs each line of words in a folder of a copy of the project, as many at once as
there are processors, up to four. A copy that a command has changed makes place for a new one below PLACES. Prints the
exit status and the line of each, 137 of one that did not end; each command finds its own line in CASE."""
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading

PERUN, PROJECT, FOLDER, PLACES = sys.argv[1:5]


def state(folder):
    """What tells whether anything below was written, its contents unread."""
    found = []
    for entry in os.scandir(folder):
        about = entry.stat(follow_symlinks=False)
        found.append((entry.name, about.st_ctime_ns, about.st_ino))
        if entry.is_dir(follow_symlinks=False):
            found += state(entry.path)
    return found


def run(line, folder):
    """As `timeout -k 3 3` does: the group ends with the command."""
    with open(folder + ".out", "wb") as out, subprocess.Popen(
            [PERUN] + shlex.split(line), cwd=os.path.join(folder, "project", FOLDER), env=dict(os.environ, CASE=line),
            stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True) as command:
        for ending in signal.SIGTERM, signal.SIGKILL:
            try:
                status = command.wait(3)
                return 128 - status if status < 0 and ending == signal.SIGTERM else 124 if ending == signal.SIGKILL else status
            except subprocess.TimeoutExpired:
                os.killpg(command.pid, ending)
        command.wait()
        return 137


def work(place, lines):
    """Takes lines until there are none."""
    folder, before = os.path.join(PLACES, place), None
    while True:
        try:
            line = lines.pop().rstrip("\n")
        except IndexError:
            return
        if before is None or state(folder) != before:
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
            subprocess.run(["cp", "-a", PROJECT, folder + "/project"], check=True)
            before = state(folder)
        sys.stdout.write(f"{run(line, folder)} {line}\n")  # at once: several threads write


LINES = sys.stdin.readlines()[::-1]
WORKERS = [threading.Thread(target=work, args=(str(i), LINES)) for i in range(min(os.cpu_count(), 4))]
for worker in WORKERS:
    worker.start()
for worker in WORKERS:
    worker.join()
