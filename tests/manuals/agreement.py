#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What pages list and what the sources know are the same: settings with their defaults, variables of the environment,
and the options that README.md and doc/*.md name."""
import glob
import json
import os
import re
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
import pages  # noqa: E402

SOURCE = os.environ.get("top_srcdir") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
PERUN = os.environ.get("PERUN") or os.path.join(SOURCE, "perun")
BUILD = os.environ.get("top_builddir") or SOURCE
number = failed = 0


def case(good, what):
    global number, failed
    number += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {number} - {what}")


def read(name):
    with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
        return file.read()


def compare(what, known, written):
    for name in sorted(set(known) | set(written)):
        said, is_so = written.get(name), known.get(name)
        if said != is_so:
            print(f"# {what} {name}: {'not in the page' if name not in written else 'only in the page' if name not in known else f'the page says {said}, it is {is_so}'}")
    case(known == written, f"the page has every {what}, and no others ({len(known)})")


def settings():
    text = read("core/config/settings.c")
    text = re.sub(r'"\s*\n\s*"', "", text[text.index("settings[] = {"):]).replace("FORMATTED", re.search(
        r'#define FORMATTED ("[^"]*")', text).group(1))
    known = {}
    for entry in re.findall(r"\{(\.key = .*?)\}", text, re.S):
        key = re.search(r'\.key = "([^"]*)"', entry).group(1)
        value = re.search(r'\.default_value = "([^"]*)"', entry)
        known[key] = value.group(1).replace("\\xe2\\x94\\x83", "\\(bv") if value else ""
    page = read("doc/man/perun-config.5")
    part = page[page.index(".Sh ALL SETTINGS"):]
    written = {key: (value or "").rstrip() for key, value in re.findall(
        r"^\.It Va (\S+)\n[^.\n][^\n]*(?:\n\.Pq default: Ql ([^\n]*))?", part[:part.index(".Sh", 5)], re.M)}
    compare("setting with its default", known, written)


def variables():
    known = {}
    for folder in ("core", "cli", "commands", "collectors", "views", "formats", "vcs", "postprocessors", "checks"):
        for name in glob.glob(os.path.join(SOURCE, folder, "**", "*.c"), recursive=True):
            for variable in re.findall(r'"((?:PERUN|XDG)_[A-Z_]+|BROWSER|COLUMNS|NO_COLOR|PAGER|EDITOR|VISUAL|TMPDIR|SUDO_UID|GIT_NO_REPLACE_OBJECTS)"',
                                       read(os.path.relpath(name, SOURCE))):
                known[variable] = True
    # What hooks are given is in perun-config(5), what only the build tree and tests set is nobody's business.
    for inner in re.findall(r"PERUN_\w+", read("doc/man/perun-config.5")) + ["PERUN_MEMORY_LIBRARY", "PERUN_TRACE_LIBRARY", "PERUN_START_PROGRAM", "PERUN_FUZZ_RUNTIME"]:
        if inner != "PERUN_CONFIG_DIR":
            known.pop(inner, None)
    page = read("doc/man/perun.mdoc")
    part = page[page.index(".Sh ENVIRONMENT"):page.index(".Sh FILES")]
    written = {name: True for line in re.findall(r"^\.It Ev (.*)", part, re.M) for name in line.split(" , ")}
    compare("variable of the environment", known, written)


def options():
    def help_of(*words):
        return subprocess.run([PERUN, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout
    overview = help_of("help", "--text")
    commands = re.findall(r"^  ([a-z]+) ", overview[overview.index("Commands:"):], re.M)
    texts = [overview]
    for command in commands:
        texts.append(help_of(command, "--help"))
        part = re.search(r"^Sub-commands:\n(.*?)\n\n", texts[-1], re.M | re.S)
        texts += [help_of(command, sub, "--help") for sub in re.findall(r"^  ([a-z]+)", part.group(1) if part else "", re.M)]
    for kind in ("view", "collect", "postprocess"):
        texts += [help_of("help", "--text", line.split()[1]) for line in help_of("plugin", "list", kind).splitlines()]
    known = set(re.findall(r"--(?:\[no-\])?([a-z][a-z0-9-]*)", "\n".join(texts))) | {"version", "help", "detail"}
    for name in ["README.md"] + [os.path.relpath(each, SOURCE) for each in sorted(glob.glob(os.path.join(SOURCE, "doc", "*.md")))]:
        text = re.sub(r"<!--.*?-->", "", read(name), flags=re.S)
        if name.endswith("/migration.md"):  # The first column is another program's, and migration.py runs it.
            text = re.sub(r"^\| `perun [^|]*\|", "|", text, flags=re.M)
        words = {option for piece in re.findall(r"`([^`]*)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
                 for option in re.findall(r"(?:^|\s)--([a-z][a-z0-9-]*)", piece)
                 if not re.search(r"^(git|(?:\./)?configure|make|cmake|go|node|perf|ls|sudo|\S*cc|clang) ", piece)}
        for option in sorted(words - known - OTHERS):
            print(f"# {name}: no command has --{option}")
        case(not words - known - OTHERS, f"{name} names options that exist ({len(words)})")
    # Manual pages: an option that some command or plugin has, or of a program that is named beside it.
    for name in glob.glob(os.path.join(BUILD, "plugins-built", "*.options")):
        with open(name, encoding="utf-8") as file:
            known |= set(re.findall(r"Fl -(?:\[no-\])?([a-z][a-z0-9-]*)", file.read()))
    known |= {name[3:] for name in known if name.startswith("no-")}
    for line in json.loads(help_of("help", "--json"))["commands"]:
        for each in [line] + line["subcommands"]:
            known |= {option["name"] for option in each["options"]}
    wrong, count = [], 0
    for name in (each for each in pages.all_pages() if not each.endswith(".md")):
        for option in re.findall(r"\bFl -([a-z][a-z0-9-]*)", read(name)):
            count += 1
            if option not in known and option.removeprefix("no-") not in known and option not in OTHERS:
                wrong.append(f"# {name}: no command and no plugin has --{option}")
    print("\n".join(wrong), end="\n" if wrong else "")
    case(not wrong, f"manual pages name options that exist ({count})")


def shown_lines(page):
    """The lines that a page shows as they are, run or not: commands, output and files."""
    literal = False
    for line in page.lines:
        if line.startswith((".Bd", ".Ed") if page.mdoc else "```"):
            literal = not literal if not page.mdoc else line.startswith(".Bd")
        elif page.mdoc and line.startswith(".Dl "):
            yield pages.from_mdoc(line[4:])
        elif literal:
            yield pages.from_mdoc(line) if page.mdoc else line


def without_macros(text):
    """A call as it is printed, with arguments in capitals; what follows it is left out."""
    text = re.sub(r" Ar (\S+)", lambda each: " " + each.group(1).upper(), re.sub(r" [.,;:)].*", "", text))
    return re.sub(r" (?:Cm|Op|Ns|No|Oo|Oc|Li|Pa) ", " ", text.replace(" Fl ", " -"))


def named_calls(page):
    """The calls that sentences name: `perun check all` in Markdown, .Ql, .Ic and .Nm perun in manual pages."""
    if page.mdoc:
        for line in page.lines:
            yield from map(without_macros, re.findall(r"^\.(?:(?:It|Pq|Op) )?(?:Ql|Ic|Li|Nm) (perun (?!<).*)", line))
    elif not page.name.endswith("/migration.md"):  # Its first column is another program's, and migration.py runs it.
        text = re.sub(r"<!--.*?-->|^```.*?^```", "", "\n".join(page.lines), flags=re.S | re.M)
        yield from (" ".join(each.split()) for each in re.findall(r"`(perun [^`]*)`", text))


def shown_calls(page):
    """The words of each call of perun that a page shows or names, up to the command that it runs."""
    text = re.sub(r"\\\n\s*", " ", "\n".join(shown_lines(page)))
    for line in text.split("\n") + list(named_calls(page)):
        try:
            line = re.sub(r'"(\$\([^()]*\))"', r"\1", line.removeprefix("$ "))
            words = list(shlex.shlex(line, posix=True, punctuation_chars=True))
        except ValueError:
            continue
        for start in (at for at, word in enumerate(words) if word == "perun"):
            if start and words[start - 1] not in ("&&", "||", "|", ";", "(", "$(", "exec") and "=" not in words[start - 1]:
                continue
            call = words[start + 1:]
            ends = [at for at, word in enumerate(call) if word == "--" or word[0] in "|;&<>()#"]
            yield call[:ends[0]] if ends else call


class Options:
    """Options by all their names, of a command or a plugin as help --json and plugin show --json have them."""

    def __init__(self):
        self.known = {}

    def add(self, entry):
        for each in [entry] + entry.get("subcommands", []):
            for option in each["options"]:
                choices = set(option["choices"]) if option["type"] == "choice" else set()
                for name in ["--" + option["name"], "--no-" + option["name"], *option["aliases"]]:
                    before = self.known.setdefault(name, set(choices))
                    self.known[name] = before | choices if before and choices else set()

    def wrong(self, words):
        for at, word in enumerate(words):
            name, equals, value = word.partition("=")
            if re.fullmatch(r"-[a-zA-Z]|--[a-z][a-z0-9-]*", name):
                choices = self.known.get(name)
                value = value if equals else (words[at + 1:] or [""])[0]
                if choices is None:
                    yield name
                elif choices and not set(value.split(",")) <= choices and not value.isupper():
                    yield f"{name} {value}"


def answer(*words):
    done = subprocess.run([PERUN, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def calls():
    """Every call that a page shows has options that there are, with values that they take, whether it is run or not."""
    whole = answer("help", "--json")
    commands = {each["name"]: each for each in whole["commands"]}
    plugins, wrong, count = {}, [], 0
    for each in answer("plugin", "list", "--json")["plugins"]:
        plugins.setdefault(each["name"], []).append(each)
    for name in pages.all_pages():
        for words in shown_calls(pages.Page(name)):
            place = next((at for at, word in enumerate(words) if not word.startswith("-") and (not at or words[at - 1] not in
                          ("-C", "-c"))), len(words))
            command = (words[place:] or [""])[0]
            if not re.fullmatch("[a-z]+", command) or command == "pprof":
                continue
            count += 1
            if command not in commands:
                if "perun-plugin-command" not in name:  # Its plugin brings one of its own.
                    wrong.append(f"# {name}: perun {' '.join(words)}: no command {command}")
                continue
            options = Options()
            options.add(whole)
            options.add(commands[command])
            for word in words:
                for plugin in plugins.get(word, []):
                    if "options" not in plugin:
                        plugin.update(answer("plugin", "show", "--json", f"{plugin['kind']}-{word}"))
                    options.add(plugin)
            wrong += [f"# {name}: perun {' '.join(words)}: no {each}" for each in options.wrong(words)]
    print("\n".join(wrong), end="\n" if wrong else "")
    case(not wrong, f"calls that pages show or name are of commands, and have options, that there are ({count})")


def references():
    """Pages that a page refers to, `perun-config(5)` or .Xr perun-config 5, are there, in that section."""
    known = {re.sub(r".*/|\.[a-z0-9]*$", "", name) + "." + re.search(r"^\.Dt \S+ (\d)", read(name), re.M).group(1)
             for name in pages.all_pages() if not name.endswith(".md")}
    wrong = [f"# {name}: no page {page}({section})" for name in pages.all_pages()
             for page, section in re.findall(r"\b(perun(?:-[a-z0-9-]+)?)[`*]*\((\d)\)" if name.endswith(".md") else
                                             r"\bXr (perun(?:-[a-z0-9-]+)?) (\d)", read(name))
             if f"{page}.{section}" not in known]
    print("\n".join(wrong), end="\n" if wrong else "")
    case(not wrong, "pages refer to pages that are there, in their sections")


def quotes():
    """What is quoted ends where it should: mdoc's Ql takes the rest of its line in, commas, words and quotes alike; and
    Dl draws a dot that is a word to the word before it, unless it is escaped."""
    greedy = re.compile(r"\bQl \S.*?( Ql | No | [,;] \S)|\b[DSQ]q .* No |^\.D[l1] .* [.,;:?!)(\]\[](?= |$)")
    wrong = [f"# {name}: {line}" for name in pages.all_pages() if not name.endswith(".md")
             for line in read(name).splitlines() if line.startswith(".") and not line.startswith('.\\"') and greedy.search(line)]
    print("\n".join(wrong), end="\n" if wrong else "")
    case(not wrong, "a line of a manual page quotes one thing")


def commands():
    """perun(1) lists every command that `perun help` lists."""
    page = read("doc/man/perun.mdoc")
    part = page[page.index(".Sh COMMANDS"):]
    listed = re.findall(r"^\.It Xr perun-(\S+) 1", part[:part.index(".Sh", 5)], re.M)
    missing = {each["name"] for each in answer("help", "--json")["commands"]} - set(listed)
    print("".join(f"# perun(1) does not list {name}\n" for name in sorted(missing)), end="")
    case(not missing, "perun(1) lists every command")


# Options of other programs that the texts name by themselves.
OTHERS = {"disable-shared", "disable-hardening", "median", "tool", "perf-basic-prof", "perf-prof", "call-graph", "benchmark", "output-format",
          "export-json", "export-csv", "export-markdown", "show-mmap-events", "header", "per-core", "benchmark-save-data",
          "finstrument-functions-exclude-function-list"}

settings()
variables()
options()
calls()
references()
quotes()
commands()
print(f"1..{number}")
sys.exit(failed > 0)
