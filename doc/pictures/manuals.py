#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""manuals.py [PERUN [--check]]: what views show of a small profile, put into their manual pages again.

A page asks for it by a line '.\\" @SHOWS@ VIEW OPTION...' in front of a literal block, which becomes the output
of perun show example.folded VIEW OPTION... in a terminal of 72 columns that has ASCII only.
The pages that change are named; with --check they stay as they are.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
EXAMPLE = """main;run;parse;read_line 120
main;run;parse;scan_word 310
main;run;count;find_slot 260
main;run;count;grow_table 70
main;report;sort_words 150
main;report;print 45
"""
BLOCK = re.compile(r'(\.\\" @SHOWS@ ([^\n]+)\n)(?:\.Bd -literal\n.*?\n\.Ed\n)?', re.S)


def shown(perun, folder, arguments):
    done = subprocess.run([perun, "-nc", "--no-pager", "show", "example.folded", *arguments.split()], cwd=folder, check=True,
                          stdin=subprocess.DEVNULL, capture_output=True, env={**os.environ, "LC_ALL": "C", "COLUMNS": "72"})
    lines = done.stdout.decode("ascii").rstrip("\n").split("\n")
    return "".join(("\\&" if line[:1] in (".", "'") else "") + line.replace("\\", "\\e") + "\n" for line in lines)


def main():
    perun = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "perun"))
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "example.folded"), "w", encoding="ascii") as file:
            file.write(EXAMPLE)
        for page in sorted(glob.glob(os.path.join(ROOT, "views", "*", "*.mdoc"))):
            with open(page, encoding="utf-8") as file:
                text = file.read()
            new = BLOCK.sub(lambda m: f"{m.group(1)}.Bd -literal\n{shown(perun, folder, m.group(2))}.Ed\n", text)
            if new != text:
                if "--check" not in sys.argv:
                    with open(page, "w", encoding="utf-8") as file:
                        file.write(new)
                print(os.path.basename(page))


main()
