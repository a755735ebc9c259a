# SPDX-License-Identifier: BSD-3-Clause
"""manuals.py PERUN lint PAGE...: what mandoc warns of. manuals.py PERUN options NAME=PAGE...: what --help of the command NAME,
or of the whole program, has and its page lacks, and what its synopsis names besides. Prints a line "PAGE<TAB>FAULTS" for each,
without faults where there are none. Programs are started once for all pages, which a shell would start for each."""
import re
import subprocess
import sys

PERUN = sys.argv[1]


def printed(*words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, encoding="utf-8").stdout


def lint(pages):
    done = subprocess.run(["mandoc", "-Tlint", "-W", "warning", *pages], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace")
    lines = done.stdout.splitlines()
    for page in pages:
        print(page, "; ".join(line for line in lines if f" {page}:" in line), sep="\t")
    strange = [line for line in lines if not any(f" {page}:" in line for page in pages)]
    print("all pages", "; ".join(strange) or ("" if (done.returncode != 0) == bool(lines) else f"status {done.returncode}"), sep="\t")


def help_of(*command):
    """Options and sub-commands that a help text lists: "  -s, --[no-]short  print ..."."""
    text = printed(PERUN, *command, "--help")
    if not text.startswith("Usage: "):
        raise SystemExit(f"perun {' '.join(command)} --help prints {text!r}")
    part = re.search(r"^Sub-commands:.*?(?:^$|\Z)", text, re.M | re.S)
    return ({match[1] for match in re.finditer(r"^ {2,6}(?:-[a-zA-Z]*, )*--(?:\[no-\])?([a-z][a-z0-9-]*)", text, re.M)},
            re.findall(r"^  ([a-z][a-z-]*) ", part[0], re.M) if part else [])


def faults(command, page):
    text = re.sub(".\x08", "", printed("mandoc", "-Tutf8", page))
    named = set(re.findall(r"--(?:\[no-\])?([a-z][a-z0-9-]*)", text))
    command = [command] if command else []
    options, below = help_of(*command)
    known, lacking = set(options), [(command, option) for option in options - named]
    for word in below if command else []:
        more = help_of(*command, word)[0]
        known |= more
        lacking += [([*command, word], option) for option in more - named]
    yield from (f"perun {' '.join(words)}: --{option} is not in the page" for words, option in sorted(lacking))
    if command:
        with open(page, encoding="utf-8") as file:
            synopsis = re.search(r"^\.Sh SYNOPSIS.*?^\.Sh DESCRIPTION", file.read(), re.M | re.S)
        yield from (f"perun {command[0]}: the synopsis names --{option}, which is not in --help"
                    for option in re.findall(r"Fl -([a-z][a-z0-9-]*)", synopsis[0] if synopsis else "") if option not in known)


if sys.argv[2] == "lint":
    lint(sys.argv[3:])
else:
    for pair in sys.argv[3:]:
        name, _, path = pair.partition("=")
        print(pair, "; ".join(faults(name, path)), sep="\t")
