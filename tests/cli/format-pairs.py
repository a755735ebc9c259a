#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads what format-pairs prints from standard input: whatever a conversion changes must have been reported as lost, and
what is reported must be missing. Prints what is not so, then the number of pairs."""
import collections
import re
import sys

# What a loss is of. Values change also where only some of them are written.
KINDS = {
    "values": r"units$|repetitions apart|rows without|stacks without|other metrics|metrics$|the name|names of metrics|fractions|semicolons|stacks longer|negative|values beyond|control characters|blanks|absent values|models|"
              r"parameters|columns that refer|call paths|columns that are|units of metrics|samples with|bytes that are no text",
    "units": r"call paths|other metrics|metrics$|the name|names of metrics|units of metrics|units$|metrics",
    "places": r"addresses|lines of places|mappings|columns of lines|other metrics|stacks longer|calls$",
    "labels": r"labels|names of metrics|ends|time of|times|parameters|column|statistics|units of times|other metrics|zeros without unit|absent values|deviations|samples with|fractions|empty labels|units of labels",
    "tables": r"table|models|calls|records|measurements",
    "header": r"the command|header\.|machine|workload",
}
# What is said besides: no fact that is compared here.
ASIDE = r"addresses of objects|collector_info|extra|metrics|machine|failed|deviations|comments|origin|header\.|zeros without unit|units of labels|rows of table|table |models|mappings|postprocessors|column |names|absent|columns that refer|other tables"
REFUSED = r"no stacks, which|no column of|are infinite|has no metric|cannot hold|can only|nothing to write|not an experiment|no parameter|measured at"


def judge(faults, pair, lines):
    said = collections.defaultdict(list)
    for line in lines:
        word, _, rest = line.partition(" ")
        said[word].append(rest)
    for text in said["refused"]:
        if not re.search(REFUSED, text):
            faults[f"{pair}: {text}"] += 1
    # What rounds to nothing, or is of another metric than the one written, leaves a file without costs.
    for text in said["unread"] if not said["lost"] and "empty" not in said else []:
        faults[f"{pair}: not read again: {text}"] += 1
    changed = [text.split(" ", 1) for text in said["changed"]]
    for kind, example in changed:
        if not any(re.search(KINDS[kind], loss) for loss in said["lost"]):
            faults[f"{pair}: {kind} change in silence: {example}"] += 1
    for loss in said["lost"] if not said["unread"] else []:
        # Regions that follow one another may happen to have the times that the samples had.
        if pair.endswith(" to afperf") and loss == "times of samples":
            continue
        known = any(re.search(kind, loss) for kind in KINDS.values())
        if known and not re.search(ASIDE, loss) and not any(re.search(KINDS[kind], loss) for kind, _ in changed):
            faults[f"{pair}: nothing is lost, but '{loss}' was reported"] += 1


def main():
    faults, pairs = collections.Counter(), []
    for line in sys.stdin.read().split("\n"):
        if line.startswith("pair "):
            pairs.append((line[5:], []))
        elif line:
            pairs[-1][1].append(line)
    for pair, lines in pairs:
        judge(faults, pair, lines)
    for fault, count in faults.items():
        print(f"{fault} ({count})")
    print(f"{len(pairs)} pairs, {len(faults)} faults")
    return 1 if faults or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())
