#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""completion.py SHELL PERUN: types lines into an interactive shell and presses Tab, as a user does. Reads lines
"WORDS<TAB>EXPECTED" from standard input: what is typed after `perun`, and the words that the shell then has, each in <>."""
import os
import pty
import re
import select
import sys
import time

shell, perun = sys.argv[1:3]
START = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"],
         "fish": ["fish", "--no-config", "-i"]}
SETUP = {
    "bash": "PS1='READY '; bind 'set enable-bracketed-paste off'; words() { printf '<%s>' \"$@\"; echo; }; "
            "eval \"$(perun completion bash)\"\n",
    "zsh": "PS1='READY '; bindkey -e; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D; "
           "words() { printf '<%s>' \"$@\"; echo; }; eval \"$(perun completion zsh)\"\n",
    "fish": "function fish_prompt; echo 'READY '; end; function words; printf '<%s>' $argv; echo; end; "
            "perun completion fish | source\n",
}


def read_until(fd, pattern, seconds=20):
    text, end = "", time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([fd], [], [], 0.2)[0]:
            try:
                text += os.read(fd, 65536).decode("utf-8", "replace")
            except OSError:
                break
        if re.search(pattern, text):
            return text
    return text


def quiet(fd, seconds=0.4, least=0.3):
    """Reads until nothing has come for a while."""
    text, began = "", time.monotonic()
    while select.select([fd], [], [], seconds)[0] or time.monotonic() - began < least:
        if not select.select([fd], [], [], 0)[0]:
            continue
        try:
            text += os.read(fd, 65536).decode("utf-8", "replace")
        except OSError:
            break
    return text


def main():
    folder = os.path.join(os.getcwd(), ".bin")
    os.makedirs(folder, exist_ok=True)
    # What marks the end of a completion: the program has answered.
    log = os.path.join(folder, "asked")
    with open(os.path.join(folder, "perun"), "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\n"{perun}" "$@"\nstatus=$?\n[ "$1" != complete-words ] || echo >>"{log}"\nexit $status\n')
    os.chmod(os.path.join(folder, "perun"), 0o755)
    os.environ.update(PATH=folder + os.pathsep + os.environ["PATH"], TERM="dumb" if shell != "fish" else "xterm",
                      INPUTRC="/dev/null", COLUMNS="200")
    pid, fd = pty.fork()
    if pid == 0:
        os.execvp(START[shell][0], START[shell])
    quiet(fd)
    os.write(fd, SETUP[shell].encode())
    quiet(fd, 1)
    # Bash reads what is typed next when it has completed; others may be at work still.
    calm = 0 if shell == "bash" else 0.2
    number = failed = 0
    for line in sys.stdin.read().splitlines():
        typed, expected = line.split("\t")
        before = os.path.getsize(log) if os.path.exists(log) else 0
        os.write(fd, f"perun {typed}\t".encode())
        end = time.monotonic() + 20
        while time.monotonic() < end and (os.path.getsize(log) if os.path.exists(log) else 0) == before:
            quiet(fd, 0.02, 0)
        quiet(fd, calm, 0)
        os.write(fd, b"\x01words \r")
        found = re.findall(r"<perun>[^\r\n\x1b]*", read_until(fd, r"<perun>[^\r\n]*[\r\n]"))
        actual = found[-1] if found else "nothing"
        number += 1
        good = actual.strip() == "<perun>" + expected
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {shell}: perun {typed}[Tab]")
        if not good:
            print(f"# expected: <perun>{expected}\n# got:      {actual!r}")
        os.write(fd, b"\x15")
        quiet(fd, calm / 2, calm / 4)
    os.write(fd, b"exit\r")
    print(f"1..{number}")
    time.sleep(0.2)
    os.close(fd)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
