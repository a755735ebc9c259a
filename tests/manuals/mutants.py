#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mutants.py [--run] [PAGE...]: every page with each of its numbers, options, keys, names and lines of output altered, one
at a time, and whether numbers.py sees it; with --run, the examples run as well, and whether pages.py sees each line of
output and each exit status that is another one. What nobody sees is printed, and the exit status is 1."""
import copy
import os
import queue
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
import numbers  # noqa: E402
import pages  # noqa: E402

SAID = re.compile("|".join((
    r"(?P<number>(?<![\w.,])\d+(?:[.,]\d+)*)",
    r"(?P<word>\b(?:" + "|".join(numbers.WORDS) + r")\b)",
    r"(?P<option>(?<![\w-])--[a-z][a-z0-9-]+|\bFl -?[A-Za-z][\w-]*)",
    r"(?P<name>\b(?:Va|Cm|Ev|Ql|Ic|Pa|Dv) [\w.]+)")))
# Lines that claim nothing: the date, title and layout of a page.
SILENT = re.compile(r"\.(Dd|Dt|Bl|Bd|TS)\b")


def altered(match):
    """The match, and what a slip of the pen makes of it."""
    text = match.group()
    if match.lastgroup == "number":
        return str(int(text[0]) % 9 + 1) + text[1:]
    if match.lastgroup == "word":
        return numbers.WORDS[numbers.WORDS.index(text) - 1]
    return text[:-1] + ("x" if text[-1] != "x" else "y")


def mutants(page):
    """Each line that claims something with one thing in it altered: the number of the line, and the new line."""
    comment = False
    for at, line in enumerate(page.lines):
        comment = comment or "<!--" in line
        if not comment and not SILENT.match(line) and not line.startswith('.\\"'):
            for match in SAID.finditer(line):
                yield at, line[:match.start()] + altered(match) + line[match.end():]
        comment = comment and "-->" not in line


def facts(page):
    return list(numbers.numbers(page)), list(numbers.foreign_options(page)), numbers.shown(page)


def read(name):
    """What the table keeps of a page. References to other pages and calls are agreement.py's."""
    survivors, count = [], 0
    page = pages.Page(name)
    if name == "doc/commands.md":  # commands.py compares it whole.
        return survivors, count
    before, lines = facts(page), page.lines
    for at, line in mutants(page):
        count += 1
        page.lines = lines[:at] + [line] + lines[at + 1:]
        if facts(page) == before and not line.startswith(".Xr "):
            survivors.append(f"{name}:{at + 1}: {line}")
    return survivors, count


def doubt_proofs(entry, name):
    """What the sources say of a page's numbers: with another number it is not found."""
    survivors, count = [], 0
    for words, proof in entry.proofs.items():
        place, text = proof.split(": ", 1)
        match = re.search(r"\d+", text)
        count += 1
        if not match or numbers.proven(place + ": " + text[:match.start()] + "4" + match.group() + text[match.end():]):
            survivors.append(f"{name}: {words} = {proof}")
    return survivors, count


class Doubted(pages.Page):
    """A page whose examples run once, and are judged again for each thing altered in what they should do."""

    def __init__(self, name):
        super().__init__(name)
        self.survivors, self.count = [], 0

    def doubt(self, block, index, rest, what):
        self.count += 1
        kept, self.results = self.results, []
        self.judge_step(block, index, *rest)
        if not any(good is False for good, *_ in self.results):
            self.survivors.append(f"{self.name}:{block.line}: {what}")
        self.results = kept

    def judge_step(self, block, index, *rest):
        super().judge_step(block, index, *rest)
        if self.results[-1][0] is not True or getattr(block, "doubted", False):
            return
        if rest[1] != 0 or not pages.ASKS.match(block.steps[index][0]):
            other = copy.deepcopy(block)
            other.doubted = True
            other.directives = [each for each in other.directives if each[0] != "exit"] + [("exit", str((rest[1] or 0) + 7))]
            if index == len(block.steps) - 1:
                self.doubt(other, index, rest, f"exit status {rest[1] + 7}")
        expected = block.steps[index][1] or []
        for at, line in enumerate(expected):
            letter = re.search(r"[A-Za-z]" if block.words("measured") else r"[A-Za-z0-9]", line)
            if letter and line != "...":
                other = copy.deepcopy(block)
                other.doubted = True
                other.steps[index][1][at] = line[:letter.start()] + ("9" if letter.group() == "8" else "8") + line[letter.end():]
                self.doubt(other, index, rest, other.steps[index][1][at])


def run(names):
    work = os.path.realpath(tempfile.mkdtemp(prefix="perun-mutants."))
    homes = queue.Queue()
    homes.put((0, None))
    pages.Page = Doubted
    try:
        pages.prepare(work)
        for name in names:
            page = pages.run_page(name, homes, work)
            yield page.survivors, page.count
    finally:
        os.chdir("/")
        shutil.rmtree(work, ignore_errors=True)


def main():
    wanted = [each for each in sys.argv[1:] if not each.startswith("--")]
    names = [name for name in pages.all_pages() if not wanted or any(each in name for each in wanted)]
    table = numbers.read_table()
    trials = [("in pages are seen", [read(name) for name in names]),
              ("in what sources say of pages are seen", [doubt_proofs(table[name], name) for name in names if name in table])]
    if "--run" in sys.argv:
        trials.append(("in what examples print are seen", list(run(names))))
    for number, (what, found) in enumerate(trials, 1):
        survivors = [each for some, _ in found for each in some]
        print("".join(f"# {each}\n" for each in survivors), end="")
        count = sum(count for _, count in found)
        print(f"{'not ok' if survivors else 'ok'} {number} - {count - len(survivors)} of {count} changes {what}")
    print(f"1..{len(trials)}")
    return any(survivors for _, found in trials for survivors, _ in found)


if __name__ == "__main__":
    sys.exit(main())
