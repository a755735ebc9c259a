#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""lines.py PERUN PROJECT FOLDER PLACES <LINES: runs each line of words in a folder of a copy of the project, as many at once as
there are processors, up to four. What a command has changed is put back. Copies are below PLACES. Prints the exit
status and the line of each, 137 of one that did not end; each command finds its own line in CASE."""
import os
import shlex
import signal
import subprocess
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from restored import Folder  # noqa: E402

PERUN, PROJECT, FOLDER, PLACES = sys.argv[1:5]


def run(line, folder):
    """As `timeout -k 3 3` does, the group ends with the command."""
    with open(folder + ".out", "wb") as out, subprocess.Popen(
            [PERUN] + shlex.split(line), cwd=os.path.join(folder, "project", FOLDER), env=dict(os.environ, CASE=line),
            stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True) as command:
        patience = 1 if line.startswith("serve ") else 3  # a server does not end
        for ending in signal.SIGTERM, signal.SIGKILL:
            try:
                status = command.wait(patience)
                return 128 - status if status < 0 and ending == signal.SIGTERM else 124 if ending == signal.SIGKILL else status
            except subprocess.TimeoutExpired:
                os.killpg(command.pid, ending)
        command.wait()
        return 137


def work(place, lines):
    """Takes lines until there are none."""
    folder = os.path.join(PLACES, place)
    copy = Folder(PROJECT, folder + "/project")
    while True:
        try:
            line = lines.pop().rstrip("\n")
        except IndexError:
            return
        sys.stdout.write(f"{run(line, folder)} {line}\n")  # at once: several threads write
        copy.restore()


LINES = sys.stdin.readlines()[::-1]
WORKERS = [threading.Thread(target=work, args=(str(i), LINES)) for i in range(min(os.cpu_count(), 4))]
for worker in WORKERS:
    worker.start()
for worker in WORKERS:
    worker.join()
