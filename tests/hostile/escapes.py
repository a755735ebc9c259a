#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""escapes.py PERUN LINES: what the texts of a project can do to a terminal.

In the current directory, an empty one, it makes a project in which commit messages, authors, the
configuration, profiles of several formats, tags and file names have control sequences in every text, and runs
commands, a line of LINES each, on a terminal of its own. Prints each that lets a
sequence through, or a line of its own."""
import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import time

PERUN = sys.argv[1]
# The title of a window, by ESC and by the one character that means the same; and a line of one's own.
ESCAPE = "\x1b]0;PWN\x07"
SINGLE = "\u009d0;PWN\u009c"
LINE = "\nPWN"
# From right to left: what follows reads backwards.
BIDI = "\u202eP\u2066W"
BAD = f"x{ESCAPE}{SINGLE}{BIDI}{LINE}\r\x08"
SEEN = re.compile(rb"\x1b\]0;PWN|\xc2[\x80-\x9f]|(?<![\xc2-\xf4\x80-\xbf])[\x80-\x9f](?![\x80-\xbf])0;PWN"
                  rb"|\x07|\x08|\xe2\x80[\xaa-\xae\x8e\x8f]|\xe2\x81[\xa6-\xa9]|(?:^|[\r\n])PWN")


def git(*arguments):
    subprocess.run(["git", *arguments], check=True, stdout=subprocess.DEVNULL)


def write(path, content):
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def profile(origin, number):
    row = {"amount": number, "uid": BAD, "type": BAD, "subtype": BAD, BAD: BAD,
           "trace": [{"function": BAD, "source": BAD, "line": 1}]}
    return json.dumps({
        "header": {"type": BAD, "units": {BAD: BAD, "time": BAD}, "cmd": BAD, "args": BAD,
                   "workload": BAD, "exitcode": BAD, BAD: BAD},
        "origin": origin, "collector_info": {"name": BAD, "params": {BAD: BAD}},
        "postprocessors": [{"name": BAD, "params": {BAD: BAD}}], "machine": {BAD: BAD, "host": BAD},
        "metrics": {BAD: {"unit": BAD, "description": BAD, "parent": BAD}},
        "global": {"time": BAD, "resources": [row, {**row, "uid": {BAD: BAD}}]},
        "models": [{"uid": BAD, "model": BAD, "r_square": 0.5, "coeffs": [{"name": BAD, "value": 1}]}]})


def time_profile(origin, number):
    return json.dumps({
        "header": {"type": "time", "units": {"time": "s"}, "cmd": BAD, "args": BAD, "workload": BAD},
        "origin": origin, "collector_info": {"name": "time", "params": {}}, "postprocessors": [],
        "global": {"time": "1", "resources": [
            {"amount": number + i / 100, "uid": BAD, "type": "time", "subtype": BAD, "order": i}
            for i in range(5)]}})


def make():
    git("init", "-q", "-b", f"main{BIDI}", ".")
    subprocess.run([PERUN, "init"], check=True, stdout=subprocess.DEVNULL)
    for number in range(3):
        write("file", str(number))
        git("add", "file")
        git("-c", f"user.name=a{ESCAPE}{SINGLE}{BIDI}", "commit", "-q", "-m", f"{number} {ESCAPE}{SINGLE}{BIDI}\n\n{ESCAPE}{SINGLE}")
        origin = subprocess.run(["git", "rev-parse", "HEAD"], stdout=subprocess.PIPE, text=True).stdout.strip()
        for name, text in (("p", profile(origin, number + 1)), ("t", time_profile(origin, 2 ** number))):
            write(f"{name}{number}.perf", text)
            subprocess.run([PERUN, "add", "--keep-profile", f"{name}{number}.perf"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    write("p.perf", profile(origin, 9))
    write("q.perf", time_profile(origin, 9))
    write(f"n{ESCAPE}{SINGLE}{BIDI}{LINE}.perf", time_profile(origin, 1))
    line = BAD.replace("\n", " ").encode()
    write("s.folded", b"".join(line + b";" + line + b" %d\n" % i for i in range(3)) + b"raw\x9d0;PWN;b 1\n")
    write("bad.perf", json.dumps({"header": BAD, "global": BAD}))
    write("experiment.jsonl", "".join(json.dumps({"params": {BAD: x}, "callpath": BAD, "metric": BAD, "value": x})
                                      + "\n" for x in range(1, 7)))
    os.makedirs(".perun", exist_ok=True)
    with open(".perun/local.yml", "a") as file:
        text = json.dumps(BAD)  # a double-quoted text of YAML
        file.write(f"\ncmds: [{text}]\nworkloads: [{text}]\nhooks:\n  on_degradation: {text}\n{text}: {text}\n")


def signal_all(process, number):
    """To a command and what it started."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass


def run(line, environment):
    """What a terminal gets of a command, and whether it ended."""
    master, slave = pty.openpty()
    process = subprocess.Popen([PERUN, *shlex.split(line)], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                               env=environment, start_new_session=True)
    os.close(slave)
    output, began, asked = b"", time.monotonic(), False
    ended = 1 if "serve" in line.split() else 5  # a server says all that it has to say at its start
    while time.monotonic() < began + ended + 2:
        if time.monotonic() > began + ended and not asked:
            asked = True
            signal_all(process, signal.SIGTERM)
        if not select.select([master], [], [], 0.1)[0]:
            if process.poll() is not None:
                break
            continue
        try:
            block = os.read(master, 65536)
        except OSError:
            break
        if not block:
            break
        output += block
    signal_all(process, signal.SIGKILL)
    process.wait()
    os.close(master)
    return output


def main():
    make()
    environment = {**os.environ, "TERM": "xterm", "PERUN_PAGER": "", "PAGER": "cat", "EDITOR": "true", "COLUMNS": "200"}
    tried = bad = 0
    for line in open(sys.argv[2], encoding="utf-8").read().splitlines():
        output = run(line, environment)
        tried += 1
        found = SEEN.search(output)
        if found:
            bad += 1
            print(f"{line}: {output[max(0, found.start() - 60):found.end() + 30]!r}")
    print(f"{tried} commands on a terminal, {bad} let something through")
    return bad > 0 or tried < 50


if __name__ == "__main__":
    sys.exit(main())
