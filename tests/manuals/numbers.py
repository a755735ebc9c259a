#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""numbers.py [--update]: the numbers in the sentences of the manual.

numbers.txt has, below the name of each page,

  WORDS = FILE: TEXT       a number with the words around it; the source FILE has TEXT, blanks aside: both change together
  WORDS = perun ...: TEXT  the command prints TEXT
  rest CHECKSUM: WHY       why nothing is compared with the others of the page, nor with the options of other programs
                           that it names, and a checksum over them
  shown CHECKSUM           over all that the page shows as it is: examples with their output, files, options, keys, names

So a number that is altered in a page or in the sources is an error, as is a new one without a line; so is an altered
example, option, key or name. --update writes the checksums, which a reviewer sees in the diff, and takes away lines whose
words are gone.
"""
import os
import re
import subprocess
import sys
import zlib

sys.dont_write_bytecode = True
import pages  # noqa: E402

TABLE = os.path.join(pages.SOURCE, "tests", "manuals", "numbers.txt")
WORDS = ("two three half third quarter four five six seven eight nine ten eleven twelve sixteen twenty thirty forty fifty hundred thousand million "
         "twice").split()
NUMBER = re.compile(r"(?<![\w~@/#.=-])[-+]?(?:\d+(?:[.,]\d+)*(?:e-?\d+)?(?:[kMG]|ms|s)?(?![\w@(/*])|(?:" +
                    "|".join(WORDS) + r")(?![\w-]))", re.I)
# Lines of manual pages that are names, references or examples.
NAMES = re.compile(r"\.(Dd|Dt|Dl|D1|Xr|Bl|Ql|Li|Va|Vt|Pa|Ev|Cm|Nm|Nd|Ic|Sy|%\w|Rs|Re|In|Sx|Lk)\b")
# What no number of ours is: standards, versions of other programs, names with a number in them.
OTHERS = re.compile(r"\bXr \S+ \d")
OPTION = re.compile(r"(?<!\S)--?[A-Za-z][\w-]*(?:=\S+)?")


def prose(page):
    """The paragraphs of a page, without literal blocks, comments, code and references."""
    if not page.mdoc:
        text = re.sub(r"<!--.*?-->|^```.*?^```|<img.*?>", "", "\n".join(page.lines), flags=re.S | re.M)
        text = re.sub(r"`[^`]*`", "_", re.sub(r"\(\d\)", "", text))
        return [" ".join(each.split()) for each in re.split(r"\n\s*\n|\n(?=[-|*#])", text)]
    paragraphs, current, literal = [], [], False
    for line in page.lines:
        if line.startswith((".Bd", ".Ed")):
            literal = line.startswith(".Bd")
        elif line.startswith((".Pp", ".Sh", ".Ss", ".El")):
            paragraphs.append(current)
            current = []
        elif line.startswith(".It") and not literal:
            paragraphs.append(current)
            current = [line[4:]] if not re.match(r"\.It (Xr|Fl|Va|Cm|Ev|Pa|Ic|Li)", line) else []
        elif not literal and not line.startswith(('.\\"', ".so")) and not NAMES.match(line):
            current.append(re.sub(r"^\.[A-Z][a-z] ", "", line))
    return [" ".join(" ".join(each).split()) for each in paragraphs + [current]]


def numbers(page):
    """The numbers of a page, each with up to three words before it and two after it."""
    for paragraph in prose(page):
        paragraph = OTHERS.sub("_", paragraph)
        for match in NUMBER.finditer(paragraph):
            before = paragraph[:match.start()].split(" ")[-4:]
            after = paragraph[match.end():].split(" ")[:3]
            yield (" ".join(before) + match.group() + " ".join(after)).strip()


def foreign_options(page):
    """Lines with options of other programs that the page shows or names: agreement.py knows perun's."""
    text = "\n".join(page.lines)
    if page.mdoc:
        shown = re.findall(r"^\.(?:Ql|Dl|Pq Ql) (.*)", text, re.M)
        for block in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", text, re.M | re.S):
            shown += block.split("\n")
    else:
        shown = re.findall(r"`([^`]*)`", re.sub(r"^```.*?^```|<!--.*?-->", "", text, flags=re.M | re.S))
    for line in (" ".join(pages.from_mdoc(each).split()) for each in shown):
        if OPTION.search(line) and re.match(r"[\w./$]", line) and not re.search(r"\bperun\b", line):
            yield line


def shown(page):
    """All that is not a sentence: examples, outputs that are patterns, options, keys, defaults, names, also with digits."""
    if not page.mdoc:
        text = re.sub(r"<!--.*?-->", "", "\n".join(page.lines), flags=re.S)
        return re.findall(r"^```.*?^```", text, re.S | re.M) + re.findall(
            r"`[^`]*`|<img[^>]*>|\S*\d\S*|--[a-z]\S*", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M))
    lines, literal = re.findall(r"\S*\d\S*", " ".join(prose(page))), False
    for line in page.lines:
        if line.startswith((".Bd", ".Ed")):
            literal = line.startswith(".Bd")
        elif literal or NAMES.match(line) or re.match(r"\.(It|Pq|Pf|Po|Fl|Ar|Op|Fn|Fa|Ft|Dv|Nm)\b", line):
            if not line.startswith((".Dd", ".Bl", '.\\"')):
                lines.append(line)
    return lines


class Entry:
    """What the table has of a page."""

    def __init__(self):
        self.proofs, self.checksum, self.why, self.shown = {}, "", "?", ""


def read_table():
    table, entry = {}, None
    with open(TABLE, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("[") and line.endswith("]"):
                entry = table[line[1:-1]] = Entry()
            elif entry and line.startswith("rest "):
                entry.checksum, entry.why = line[5:].split(": ", 1)
            elif entry and re.fullmatch("shown [0-9a-f]{8}", line):
                entry.shown = line[6:]
            elif entry and " = " in line:
                words, proof = line.split(" = ", 1)
                entry.proofs[words] = proof
    return table


def write_table(table):
    with open(TABLE, encoding="utf-8") as file:
        head = "".join(line + "\n" for line in file.read().split("\n[")[0].split("\n") if line.startswith("#"))
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write(head)
        for name, entry in sorted(table.items()):
            file.write(f"\n[{name}]\n" + "".join(f"{words} = {proof}\n" for words, proof in entry.proofs.items()))
            if entry.checksum:
                file.write(f"rest {entry.checksum}: {entry.why}\n")
            if entry.shown:
                file.write(f"shown {entry.shown}\n")


def checksum(left):
    return f"{zlib.crc32(chr(10).join(left).encode()):08x}" if left else ""


def proven(proof):
    """Whether the sources or a command have the text of a proof."""
    place, text = proof.split(": ", 1)
    if place.startswith("perun "):
        whole = subprocess.run([pages.PERUN, *place.split()[1:]], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               check=False, env={**os.environ, "COLUMNS": "1000", "NO_COLOR": "1"}).stdout
    else:
        with open(os.path.join(pages.SOURCE, place), encoding="utf-8") as file:
            whole = file.read()
    return re.search(r"(?<!\w)" + re.escape(" ".join(text.split())) + r"(?!\w)", " ".join(whole.split())) is not None


def check(name, entry, update):
    """What is wrong with the numbers of a page."""
    page = pages.Page(name)
    found = list(numbers(page))
    left = [words for words in found if words not in entry.proofs] + list(foreign_options(page))
    wrong = [f"no longer in the page: {words}" for words in entry.proofs if words not in found]
    if update:
        entry.proofs = {words: proof for words, proof in entry.proofs.items() if words in found}
        entry.checksum, entry.shown = checksum(left), checksum(shown(page))
        return []
    wrong += [f"{words}: not so: {proof}" for words, proof in entry.proofs.items() if not proven(proof)]
    if entry.checksum != checksum(left):
        wrong += ["a number was altered, or is new; compare it with the program, then numbers.py --update:"] + left
    if entry.shown != checksum(shown(page)):
        wrong.append("an example, option, key or name was altered; compare it with the program, then numbers.py --update")
    if left and entry.why in ("", "?"):
        wrong.append("the rest needs a reason")
    return wrong


def main():
    update, table, failed = "--update" in sys.argv, read_table(), 0
    names = pages.all_pages()
    for number, name in enumerate(names, 1):
        entry = table.setdefault(name, Entry())
        wrong = check(name, entry, update)
        failed += bool(wrong)
        if not update:
            print(f"{'not ok' if wrong else 'ok'} {number} - {name}: {len(entry.proofs)} numbers are the program's")
            print("".join(f"# {each}\n" for each in wrong), end="")
    if update:
        write_table({name: entry for name, entry in table.items() if name in names and (entry.proofs or entry.checksum or entry.shown)})
    else:
        print(f"1..{len(names)}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
