#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pages.py [--update] [PAGE...]: run the examples of the manual, or with --update write what they print.

Examples are the blocks between ``` of README.md and doc/*.md, and in manual pages what is below EXAMPLES as .Dl or
in literal blocks. Those of a page run one after the other, in one shell, in a project of its own (stage.py). Each must
succeed, and print what the page says. Comments in front of a block, `<!-- WORD: ... -->` or `.\\" WORD: ...`, say:

  not run: WHY        the block cannot run in a test
  setup: COMMANDS     to be run first, for what the reader has and the project has not
  needs: WHAT               what may be missing: the status 4 is then no failure
  exit: N             with what the (last) command ends
  file: NAME          the block is the content of this file
  long: WHY           run only with PERUN_LONG, by `make check-long`
  measured: WHAT      times and other numbers in the output are patterns
  says "TEXT": CMD    a sentence of the page contains TEXT, and so does what CMD prints

A line ... in a session represents any lines.
"""
import concurrent.futures
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import stage  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from restored import Folder  # noqa: E402

SOURCE = os.environ.get("top_srcdir") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.environ.get("top_builddir") or SOURCE
PERUN = os.path.abspath(os.environ.get("PERUN") or os.path.join(BUILD, "perun"))
MARK = "\x1e"
WORKERS = 2  # pages at a time

# play TOOL FILE [OUT]: a program TOOL that writes FILE of the fuzzers' corpus to OUT or to its standard output, where
# the tool of this name would write its results.
PROLOGUE = """exec </dev/null
play() {
	local tool=$1
	case $tool in */*) ;; *) tool=$HOME/bin/$tool ;; esac
	rm -f "$tool"
	printf '#!/bin/sh\\n%s\\n' "cat '$PERUN_SOURCE/tests/fuzz/corpus/$2' ${3:+>$3}" >"$tool"
	chmod +x "$tool"
	[ -z "${3-}" ] || mkdir -p "$(dirname "$3")"
}
"""
# What measures until it knows begins with fewer runs in a short test; `make check-long` has as many as the reader's.
LONG = "PERUN_LONG" in os.environ
if not LONG:
    PROLOGUE += """perun() {
	case ${1-} in
	bisect | compare) command perun "$1" --repeat 6 --most 24 "${@:2}" ;;
	*) command perun "$@" ;;
	esac
}
"""
# Commands for which 1 is an answer like 0.
ASKS = re.compile(r"perun (-c \S+ )?(check|ci|compare)\b")


class Block:
    """Commands of a page with what they should print (None: anything), and the lines where that is in the page."""

    def __init__(self, line, directives):
        self.line, self.directives = line, directives
        self.steps = []  # [command, expected or None, first and last line of the expected text]
        self.text = ""

    def words(self, key):
        return [value for name, value in self.directives if name == key]


DIRECTIVE = re.compile(r'(not run|long|needs|setup|exit|file|measured|says)(?::? *)(.*)', re.S)


def add_directive(directives, text, where):
    match = DIRECTIVE.match(text.strip())
    if match:
        directives.append((match.group(1), match.group(2).strip() if match.group(1) != "says" else
                           match.group(2).strip()))
        if match.group(1) != "says" and not match.group(2).strip():
            raise SystemExit(f"{where}: {match.group(1)} needs words after it")


def session(block, lines, first):
    """The commands of a session and what each printed: lines that begin with $, and > where one goes on."""
    expected = None
    for number, line in enumerate(lines, first):
        if line.startswith("$ "):
            expected = []
            block.steps.append([line[2:], expected, number + 1])
        elif line.startswith("> ") and expected == []:
            block.steps[-1][0] += "\n" + line[2:]
            block.steps[-1][2] = number + 1
        elif expected is not None:
            expected.append(line)


def read_markdown(lines, name):
    blocks, directives, number = [], [], 0
    while number < len(lines):
        line = lines[number]
        if line.lstrip().startswith("<!--"):
            comment = line
            while "-->" not in comment:
                number += 1
                comment += "\n" + lines[number]
            add_directive(directives, comment.strip()[4:].split("-->")[0], f"{name}:{number + 1}")
        elif line.startswith("```"):
            block = Block(number + 1, directives)
            language, directives, first = line[3:].strip(), [], number + 1
            number += 1
            while not lines[number].startswith("```"):
                number += 1
            content = lines[first:number]
            block.text = "\n".join(content) + "\n"
            if any(each.startswith("$ ") for each in content):
                session(block, content, first + 1)
            elif language in ("", "sh") and not block.words("file"):
                block.steps.append(["(\nset -eo pipefail\n" + block.text + ")", None, 0])
            elif not block.words("file") and not block.words("not run"):
                block.directives.append(("bad", f"a block of {language} needs a comment: file or not run"))
            blocks.append(block)
        number += 1
    if directives:
        blocks.append(Block(len(lines), directives))
    return blocks


def from_mdoc(text):
    return re.sub(r"\\\(aq", "'", re.sub(r"\\\(dq", '"', text)).replace("\\&", "").replace("\\-", "-").replace("\\e", "\\")


def to_mdoc(line):
    return ("\\&" if line[:1] in (".", "'") else "") + line.replace("\\", "\\e")


def read_mdoc(lines, name):
    blocks, directives, number, within = [], [], 0, False
    while number < len(lines):
        line = lines[number]
        if line.startswith('.\\"'):
            text = line[3:].strip()
            if text.startswith("@SHOWS@"):
                text = ""
            add_directive(directives, text, f"{name}:{number + 1}")
        elif line.startswith(".Sh"):
            within = line == ".Sh EXAMPLES"
        elif within and line.startswith(".Dl "):
            block = Block(number + 1, directives)
            directives = []
            block.steps.append([from_mdoc(line[4:]), None, 0])
            blocks.append(block)
        elif within and line.startswith(".Bd"):
            first, shows = number + 1, lines[number - 1].startswith('.\\" @SHOWS@')
            while lines[number] != ".Ed":
                number += 1
            content = [from_mdoc(each) for each in lines[first:number]]
            if shows:
                blocks[-1].steps[-1][1:] = [content, first + 1]
            else:
                block = Block(first, directives)
                directives = []
                if any(each.startswith("$ ") for each in content):
                    session(block, content, first + 1)
                else:
                    block.steps.append(["(\nset -eo pipefail\n" + "\n".join(content) + "\n)", None, 0])
                blocks.append(block)
        number += 1
    if directives:
        blocks.append(Block(len(lines), directives))
    return blocks


# A number with its unit, but not within the name of a commit.
NUMBER = re.compile(r"(\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{8}\b)|[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?(?: ?(?:ns|µs|us|ms|s|min|h|%|×|[KMG]i?B|B)(?![\w]))?")


def reduced(line):
    """A line with times and numbers as patterns, and without what is as wide as they are."""
    line = re.sub(r"\d{4}-\d\d-\d\d[ T-]\d\d[:-]\d\d[:-]\d\d", "DATE", line)
    line = re.sub(r"  \d+ outliers?$", "", line)
    line = NUMBER.sub(lambda match: match.group(1) or "#", line)
    line = re.sub(r"[\u2581-\u2588\u2500-\u254b ]+", " ", line)
    line = re.sub(r"#(?: ± #)? \((?:median of #, # … #|all #)\)", "# (#)", line)
    return re.sub(r", #(?= \()", "", line).strip()


def same(expected, actual, form):
    """Whether the lines agree; "..." among those that are expected represents any."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(same(expected[1:], actual[skip:], form) for skip in range(len(actual) + 1))
    return bool(actual) and form(expected[0]) == form(actual[0]) and same(expected[1:], actual[1:], form)


class Page:
    def __init__(self, name):
        self.name = name
        with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        self.mdoc = not name.endswith(".md")
        self.blocks = (read_mdoc if self.mdoc else read_markdown)(self.lines, name)
        self.results = []

    def prose(self):
        """The page as one line, without comments: what `says` looks into."""
        text = "\n".join(self.lines)
        if self.mdoc:
            text = re.sub(r'^\.\\".*\n', "", text, flags=re.M)
            text = re.sub(r"^\.[A-Z][a-z] ", "", text, flags=re.M)
        else:
            text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
        return " ".join(text.split())

    def script(self):
        """One script of all commands, each between marks, and the steps in its order."""
        parts, steps = [], []

        def add(command, *what):
            parts.append(f"printf '\\036%s\\n' {len(steps)}; printf '\\036%s\\n' {len(steps)} >&2\n{command}\n"
                         "printf '\\036=%d\\n' $?\n")
            steps.append(what)

        for block in self.blocks:
            for command in block.words("setup"):
                add(command, "setup", block, command)
            for claim in block.words("says"):
                match = re.match(r'"(.*?)": *(.*)', claim, re.S)
                if not match:
                    raise SystemExit(f'{self.name}:{block.line}: says "TEXT": COMMAND')
                add("(" + match.group(2) + ") 2>&1", "says", block, match.group(1))
            for name in block.words("file"):
                add(f"mkdir -p \"$(dirname '{name}')\"; cat >'{name}' <<'\\END'\n{block.text}\\END", "setup", block, f"file {name}")
            if not block.words("not run") and not block.words("file") and (LONG or not block.words("long")):
                for index, step in enumerate(block.steps):
                    add(step[0], "step", block, index)

        return PROLOGUE + "".join(parts), steps

    def run(self, project):
        for block in self.blocks:
            for text in block.words("bad"):
                self.results.append((False, block.line, text, []))
        script, steps = self.script()
        if not steps:
            return
        home = os.path.dirname(project)
        environment = {**os.environ, "HOME": home, "LC_ALL": "C" if self.mdoc else "C.UTF-8",
                       "COLUMNS": "72" if self.mdoc else "110",
                       "PATH": os.path.join(home, "bin") + os.pathsep + os.environ["PATH"]}
        done = subprocess.run(["timeout", "120", "bash", "-c", script], cwd=project, env=environment, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        texts = self.parts(done.stdout.decode("utf-8", "replace").replace(home, "/home/ada"))
        errors = self.parts(done.stderr.decode("utf-8", "replace").replace(home, "/home/ada"))
        for number, (what, block, detail) in enumerate(steps):
            text, status = texts.get(number, ("", None))
            self.judge(what, block, detail, text, status, errors.get(number, ("", 0))[0])

    @staticmethod
    def parts(text):
        found = {}
        for part in re.split(f"{MARK}(?=\\d)", text)[1:]:
            number, _, rest = part.partition("\n")
            body, mark, status = rest.partition(MARK + "=")
            found[int(number)] = (body, int(status.split()[0]) if mark else None)
        return found

    def judge(self, what, block, detail, text, status, error):
        notes = (text + error).rstrip("\n").split("\n")
        if what == "setup":
            if status != 0:
                self.results.append((False, block.line, f"setup: {detail}", notes))
        elif what == "says":
            whole = detail in self.prose() and detail in " ".join(text.split())
            self.results.append((whole, block.line, f'says "{detail}"',
                                 [] if whole else ["in the page: " + str(detail in self.prose())] + notes))
        else:
            self.judge_step(block, detail, text, status, error, notes)

    def judge_step(self, block, index, text, status, error, notes):
        command, expected, first = block.steps[index]
        title = command.replace("(\nset -eo pipefail\n", "").split("\n")[0]
        wanted = [int(each) for each in (block.words("exit") or ["0"])[0].split()]
        if wanted == [0] and ASKS.match(command):
            wanted = [0, 1]
        if status == 4 and block.words("needs"):
            self.results.append((None, block.line, title, notes))
        elif status not in wanted and status != 0 or index == len(block.steps) - 1 and status not in wanted:
            self.results.append((False, block.line, f"{title}: exit status {status}", notes))
        elif expected is None:
            self.results.append((True, block.line, title, []))
        else:
            actual = [line.rstrip() for line in text.rstrip("\n").split("\n")] if text.strip("\n") else []
            bare = list(expected)
            while bare and not bare[-1]:
                bare.pop()
            form = reduced if block.words("measured") else str.rstrip
            good = same(bare, actual, form)
            if not good and first:
                block.steps[index].append(actual)
            self.results.append((good, first, f"{title}: output", [] if good else
                                 [f"-{line}" for line in bare] + [f"+{line}" for line in actual] + [error]))

    def update(self):
        """Writes what was printed in place of what the page has."""
        changes = [(step[2], len(step[1]), step[3]) for block in self.blocks for step in block.steps if len(step) > 3]
        for first, length, actual in sorted(changes, reverse=True):
            self.lines[first - 1:first - 1 + length] = [to_mdoc(line) for line in actual] if self.mdoc else actual
        if changes:
            with open(os.path.join(SOURCE, self.name), "w", encoding="utf-8") as file:
                file.write("\n".join(self.lines))
            print(self.name)


def all_pages():
    """Every page that git knows; without git, every page there is."""
    try:
        done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=SOURCE, capture_output=True, text=True, check=True)
        names = done.stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        names = [os.path.relpath(os.path.join(folder, name), SOURCE)
                 for folder, _, files in os.walk(SOURCE) for name in files]
    pages = [name for name in names if name == "README.md" or re.fullmatch(r"doc/[^/]*\.md|.*\.mdoc", name)]
    return sorted(pages + [name for name in names if re.search(r"perun-[a-z0-9-]+\.[13-7]$", name) and
                           not (name.endswith((".1", ".7")) and name[:-1] + "mdoc" in names) and not name.startswith(("plugins/example", "tests/"))])


def prepare(work):
    os.environ.update(
        HOME=work, NO_COLOR="1", PAGER="cat", PERUN_PAGER="cat", EDITOR="true", TZ="UTC", LC_ALL="C.UTF-8",
        GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL=os.path.join(work, "gitconfig"),
        GIT_AUTHOR_NAME="Ada Example", GIT_AUTHOR_EMAIL="ada@example.org", GIT_COMMITTER_NAME="Ada Example",
        GIT_COMMITTER_EMAIL="ada@example.org", GIT_AUTHOR_DATE="2026-03-09T10:00:00 +0000",
        GIT_COMMITTER_DATE="2026-03-09T10:00:00 +0000", PERUN_SOURCE=SOURCE)
    for name in [each for each in os.environ if each.startswith("XDG_")] + ["PERUN_TRUST", "GIT_DIR", "COLUMNS",
                                                                           "MAKEFLAGS", "MFLAGS", "MAKELEVEL"]:
        os.environ.pop(name, None)
    os.environ.setdefault("PERUN_PLUGIN_PATH", os.path.join(BUILD, "plugins-built"))
    with open(os.path.join(work, "gitconfig"), "w", encoding="utf-8") as file:
        file.write("[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n[gc]\n\tauto = 0\n")
    stage.make(os.path.join(work, "stage"), SOURCE, PERUN)
    os.makedirs(os.path.join(work, "stage", "bin"))
    os.symlink(PERUN, os.path.join(work, "stage", "bin", "perun"))


def run_page(name, homes, work):
    """Runs a page in a home that no other page is in meanwhile."""
    page = Page(name)
    number, home = homes.get()
    if page.script()[1]:
        home = home or Folder(os.path.join(work, "stage"), os.path.join(work, str(number), "home", "ada"))
        began = time.monotonic()
        page.run(os.path.join(home.folder, "wordcount"))
        if "--times" in sys.argv:
            print(f"# {time.monotonic() - began:5.2f} s: {name}", file=sys.stderr)
        home.restore()
    else:
        page.run(None)
    homes.put((number, home))
    return page


def main():
    update = "--update" in sys.argv
    wanted = [each for each in sys.argv[1:] if not each.startswith("--")]
    number = failed = 0
    work = os.path.realpath(tempfile.mkdtemp(prefix="perun-pages."))
    homes = queue.Queue()
    for worker in range(WORKERS):
        homes.put((worker, None))
    try:
        prepare(work)
        names = [name for name in all_pages() if not wanted or any(each in name for each in wanted)]
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            pages = pool.map(lambda name: run_page(name, homes, work), names)
        for page in pages:
            if update:
                page.update()
            for good, line, title, notes in page.results:
                number += 1
                failed += good is False
                if not update:
                    print(f"{'not ok' if good is False else 'ok'} {number} - {page.name}:{line}: {title}" +
                          (" # SKIP" if good is None else ""))
                if good is False and (not update or "output" not in title):
                    print(f"# {page.name}:{line}: {title}\n" + "\n".join(f"#   {note}" for note in notes[:40]))
    finally:
        os.chdir("/")
        shutil.rmtree(work, ignore_errors=True)
    if not update:
        print(f"1..{number}")
    return failed > 0 and not update


if __name__ == "__main__":
    sys.exit(main())
