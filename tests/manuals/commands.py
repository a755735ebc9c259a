#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""commands.py [--update]: doc/commands.md, a table of all commands: whether each prints JSON with a schema, is completed,
and has a manual page. Made from what the program says of itself; a cell without an answer is a failure, and so is a
table that is not the one in doc/."""
import json
import os
import re
import subprocess
import sys

SOURCE = os.environ.get("top_srcdir") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
PERUN = os.environ.get("PERUN") or os.path.join(SOURCE, "perun")
PAGE = os.path.join(SOURCE, "doc", "commands.md")

# Commands that print nothing a program would read, and what they do instead.
NO_FACTS = {"serve": "answers by HTTP", "completion": "writes a script", "config set": "changes a setting", "config add": "changes a setting",
            "config edit": "opens an editor", "config reset": "writes a file",
            "plugin describe": "writes a text to ship"}
# The schema of a command that has another name than the command.
SCHEMAS = {"check head": "check", "check all": "check", "check profiles": "check", "check series": "check-series",
           "run job": "run", "run matrix": "run",
           **{f"run {name}": "run-cells" for name in "list show status wait resume cancel collect".split()}, "afperf": "afperf-info"}
VIEWS = {"show", "showdiff"}

# -m is also the models' type where it is the Python program's: in checks, and in ci, which takes their options.
LETTERS = {"-f": {"force", "force-dirty"}, "-m": {"minor", "minor-version", "models-type"}}

HEAD = """# All commands

Written by a test from what the program says of itself (`perun help --json`). JSON: the schema in
`doc/json/`, which is installed as `share/perun/json/`. Completion: bash, zsh and fish. Manual: the
page that `perun help` opens.

| command | JSON | completion | manual |
|---|---|---|---|
"""


def call(*words):
    return subprocess.run([PERUN, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def main():
    pages = {name for _, _, names in os.walk(SOURCE) for name in names
             if re.fullmatch(r"perun-[a-z0-9-]+\.(1|mdoc)", name)}
    rows, gaps = [], []
    commands, mixed = json.loads(call("help", "--json").stdout)["commands"], []
    for command in commands:
        for parent, each in [(command, sub) for sub in command["subcommands"]] or [(None, command)]:
            words = ([parent["name"]] if parent else []) + [each["name"]]
            name = " ".join(words)
            options = {option["name"] for option in each["options"] + (parent["options"] if parent else [])}
            schema = SCHEMAS.get(name, name.replace(" ", "-"))
            if name in NO_FACTS:
                fact = "– " + NO_FACTS[name]
            elif name in VIEWS:
                fact = "what the view draws"
            elif "json" in options or name == "pprof":
                fact = f"`{schema}`" if os.path.exists(f"{SOURCE}/doc/json/{schema}.schema.json") else ""
            else:
                fact = ""
            offered = [line.split("\t")[0] for dash in ("-", "") for line in
                       call("complete-words", *words, dash).stdout.splitlines()]
            page = next((page for page in ("perun-" + "-".join(words), "perun-" + words[0])
                         if page + ".1" in pages or page + ".mdoc" in pages), None)
            takes = options - {"json"} or name == "pprof"
            done = "yes" if offered else "" if takes else "– takes nothing"
            manual = f"{page}(1)" if page else ""
            rows.append(f"| {name} | {fact} | {done} | {manual} |")
            gaps += [f"{name}: no {what}" for what, cell in (("JSON", fact), ("completion", done), ("manual page", manual))
                     if not cell]
    # Short options that the Python program has mean the same everywhere.
    for command in commands:
        for each in [command] + command["subcommands"]:
            for option in each["options"]:
                for alias in set(option["aliases"]) & set(LETTERS):
                    if option["name"] not in LETTERS[alias]:
                        mixed.append(f"{command['name']} {alias} is --{option['name']}")
    text = HEAD + "\n".join(rows) + "\n"
    if "--update" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(PAGE, encoding="utf-8") as file:
        lines = file.read().splitlines()
    # Rows of commands that this build has not, without some plugin, are no fault.
    others = [line for line in lines if line.startswith("| ") and line not in rows and
              line.split(" | ")[0] in {row.split(" | ")[0] for row in rows}]
    same = set(rows) <= set(lines) and not others
    print("\n".join("# " + row for row in rows))
    for number, (good, what) in enumerate(((not gaps, "every command has JSON, completion and a manual page" +
                                            "".join("; " + gap for gap in gaps)),
                                           (same, "doc/commands.md is this table (make manuals-update writes it)"),
                                        (not mixed, "short options mean one thing" + "".join("; " + each for each in mixed))), 1):
        print(f"{'ok' if good else 'not ok'} {number} - {what}")
    print("1..3")
    return not (same and not gaps and not mixed)


if __name__ == "__main__":
    sys.exit(main())
