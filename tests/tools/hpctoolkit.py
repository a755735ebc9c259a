#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Databases of HPCToolkit from 2022 on, as its FORMATS.md describes them: meta.db and profile.db of a tree of contexts.

    hpctoolkit.py FOLDER [RANKS [FACTOR]]: a small one of a program, with a thread for each rank
"""
import os
import struct
import sys

FUNCTION, LOOP, LINE, INSTRUCTION = range(4)
INSIDE, CALLED, INLINED = range(3)
SCOPES = [("point", 1, 255), ("function", 3, 0), ("lex_aware", 0, 255), ("execution", 2, 255)]
KINDS = ["SUMMARY", "NODE", "RANK", "THREAD"]


class Context:
    """Own costs are a function of the thread, {metric: value}; a hidden context is in profile.db alone."""

    def __init__(self, kind, below=(), own=lambda thread: {}, relation=INSIDE, function=None, place=None, point=None, hidden=False):
        self.kind, self.below, self.own, self.relation = kind, list(below), own, relation
        self.function, self.place, self.point, self.hidden = function, place, point, hidden


class File:
    """Sections after a header, which has their places; ends with the footer."""

    def __init__(self, kind, sections, minor=0):
        self.data = bytearray(b"HPCTOOLKIT" + kind + bytes([4, minor]) + bytes(16 * sections))
        self.kind, self.texts, self.start = kind, {}, 0

    def add(self, data):
        self.data += bytes(-len(self.data) % 8)
        self.data += data
        return len(self.data) - len(data)

    def text(self, text):
        if text not in self.texts:
            self.texts[text] = self.add(text.encode() + b"\0")
        return self.texts[text]

    def section(self, number, header):
        at = self.add(header)
        struct.pack_into("<QQ", self.data, 16 + 16 * number, len(header), at)
        return at

    def end(self):
        self.add(b"_" + self.kind + b".db")
        return bytes(self.data)


class Meta(File):
    def __init__(self, entries, metrics, minor):
        super().__init__(b"meta", 8, minor)
        self.section(0, struct.pack("<QQ", self.text("app"), self.text("A test.")))
        self.section(1, struct.pack("<QB", self.add(struct.pack(f"<{len(KINDS)}Q", *map(self.text, KINDS))), len(KINDS)))
        self.add_metrics(metrics)
        self.paths, self.functions = {}, {}
        self.contexts = []  # by number; 0 is around all
        self.add_tree(entries)
        modules = [path for path in self.paths if path and not path.startswith("[") and "src/" not in path]
        rows = b"".join(struct.pack("<I4xQ", 0, self.text(path)) for path in modules)
        self.section(5, struct.pack("<QIH", self.add(rows), len(modules), 16))

    def add_metrics(self, metrics):
        scopes = self.add(b"".join(struct.pack("<QBB6x", self.text(name), kind, bit) for name, kind, bit in SCOPES))
        rows = []
        for i, name in enumerate(metrics):
            number = [len(SCOPES) * i + k for k in range(len(SCOPES))]
            values = self.add(b"".join(struct.pack("<QH6x", scopes + 16 * k, number[k]) for k in range(len(SCOPES))))
            # Of sums also the largest value of all threads, which is none.
            sums = self.add(b"".join(struct.pack("<QQBxH4x", scopes + 16 * k, self.text("$$"), combine, number[k] + 1000 * combine)
                                     for k in range(len(SCOPES)) for combine in (0, 2)))
            rows.append(struct.pack("<QQQHH4x", self.text(name), values, sums, len(SCOPES), 2 * len(SCOPES)))
        self.section(2, struct.pack("<QIBBBxQHB", self.add(b"".join(rows)), len(rows), 32, 16, 24, scopes, len(SCOPES), 16))

    def path(self, path):
        if path is None:
            return 0
        if path not in self.paths:
            self.paths[path] = self.add(struct.pack("<I4xQ", 0, self.text(path)))
        return self.paths[path]

    def function(self, function):
        if function not in self.functions:
            name, module, offset, file, line = function
            row = (self.text(name) if name else 0, self.path(module), offset, self.path(file), line, 0)
            self.functions[function] = self.add(struct.pack("<QQQQII", *row))
        return self.functions[function]

    def listed(self, contexts):
        """Those of meta.db: of a hidden one, what is below it."""
        for context in contexts:
            yield from self.listed(context.below) if context.hidden else [context]

    def context(self, context):
        below = self.children(context.below)
        flex, flags = b"", 0
        if context.function:
            flex, flags = flex + struct.pack("<Q", self.function(context.function)), flags | 1
        if context.place:
            flex, flags = flex + struct.pack("<QI4x", self.path(context.place[0]), context.place[1]), flags | 2
        if context.point:
            flex, flags = flex + struct.pack("<QQ", self.path(context.point[0]), context.point[1]), flags | 4
        return struct.pack("<QQIBBBBH6x", *below, context.number, flags, context.relation, context.kind, len(flex) // 8, 0) + flex

    def children(self, contexts):
        data = b"".join(map(self.context, self.listed(contexts)))
        return (len(data), self.add(data)) if data else (0, 0)

    def number(self, contexts):
        for context in contexts:
            self.contexts.append(context)
            context.number = len(self.contexts)
            self.number(context.below)

    def add_tree(self, entries):
        for name, contexts in entries:
            entry = Context(FUNCTION, contexts)
            self.contexts.append(entry)
            entry.number, entry.name = len(self.contexts), name
            self.number(contexts)
        rows = b"".join(struct.pack("<QQIH2xQ", *self.children(contexts), entry.number, i + 1, self.text(name))
                        for i, (name, contexts) in enumerate(entries)
                        for entry in self.contexts if getattr(entry, "name", None) == name)
        self.section(3, struct.pack("<QHB", self.add(rows), len(entries), 32))


def totals(contexts, thread, values):
    """Values by context: a list of own costs and of those with all below; returns the sum of the latter."""
    below = {}
    for context in contexts:
        own = context.own(thread)
        total = dict(own)
        for metric, value in totals(context.below, thread, values).items():
            total[metric] = total.get(metric, 0) + value
        values[context.number] = (own, total)
        for metric, value in total.items():
            below[metric] = below.get(metric, 0) + value
    return below


def block(file, values, metrics):
    """The values of a profile; of scopes only point and execution, which have numbers 0 and 3 of each metric."""
    pairs, indexes = b"", b""
    for number in sorted(values):
        own, total = values[number]
        row = sorted([(len(SCOPES) * metrics.index(m), v) for m, v in own.items()] + [(len(SCOPES) * metrics.index(m) + 3, v) for m, v in total.items()])
        if row:
            indexes += struct.pack("<IQ", number, len(pairs) // 10)
            pairs += b"".join(struct.pack("<Hd", *pair) for pair in row)
    return struct.pack("<QQI4xQ", len(pairs) // 10, file.add(pairs), len(indexes) // 12, file.add(indexes))


def database(entries, threads, metrics, minor=0, sums_only=False):
    """The files, by name. `threads`: lists of (kind, number), which the costs are functions of."""
    meta = Meta(entries, metrics, minor)
    file = File(b"prof", 2, minor)
    roots = [context for context in meta.contexts if hasattr(context, "name")]
    sums, rows = {}, []
    for thread in threads:
        values = {}
        values[0] = ({}, totals(roots, thread, values))
        for number, pair in values.items():
            for side, cost in zip(sums.setdefault(number, ({}, {})), pair):
                for metric, value in cost.items():
                    side[metric] = side.get(metric, 0) + value
        identifiers = b"".join(struct.pack("<BxHIQ", KINDS.index(kind), 0, number, number) for kind, number in thread)
        rows.append(block(file, values, metrics) + struct.pack("<QI4x", file.add(struct.pack("<H6x", len(thread)) + identifiers), 0))
    rows.insert(0, block(file, sums, metrics) + struct.pack("<QI4x", 0, 1))
    if sums_only:
        rows = rows[:1]
    file.section(0, struct.pack("<QIB", file.add(b"".join(rows)), len(rows), 48))
    return {"meta.db": meta.end(), "profile.db": file.end()}


def write(folder, files):
    os.makedirs(folder, exist_ok=True)
    for name, data in files.items():
        with open(os.path.join(folder, name), "wb") as out:
            out.write(data)


def program(factor=1):
    """main() calls work<int>(), whose loop costs most, in instructions that meta.db leaves out, and launches a kernel."""
    app, libc, source = "/bin/app", "/usr/lib64/libc-2.28.so", "src/app.c"
    rank = lambda thread: dict(thread)["RANK"]
    cpu = lambda seconds: lambda thread: {"CPUTIME (sec)": seconds * factor + rank(thread)}
    kernel = Context(FUNCTION, [], lambda thread: {"GKER (sec)": 0.5, "GKER:COUNT": 2}, CALLED, ("<gpu kernel>", None, 0, None, 0))
    instruction = Context(INSTRUCTION, [], cpu(4), point=(app, 0x1234), hidden=True)
    loop = Context(LOOP, [Context(LINE, [instruction], place=(source, 22))], place=(source, 21), point=(app, 0x1230))
    work = Context(FUNCTION, [loop], relation=INLINED, function=("work<int>", app, 0, source, 20))
    fork = Context(FUNCTION, [], cpu(1), CALLED, ("fork [libc-2.28.so]", libc, 0x100, "[libc-2.28.so]", 0))
    unknown = Context(FUNCTION, [fork], cpu(2), CALLED, ("<unknown procedure> 0x4c9a0 [libc-2.28.so]", libc, 0x4c9a0, "[libc-2.28.so]", 0))
    nameless = Context(INSTRUCTION, [unknown], relation=CALLED, point=(libc, 0x4f564))
    call = Context(INSTRUCTION, [kernel, nameless], place=None, point=(app, 0x1300), hidden=True)
    main = Context(FUNCTION, [Context(LINE, [work], place=(source, 12)), Context(LINE, [call], place=(source, 13))],
                   relation=CALLED, function=("main", app, 0x1200, source, 10))
    return [("main thread", [main]), ("application thread", [Context(FUNCTION, [], cpu(3), CALLED)])]


METRICS = ["GSYNC (sec)", "GKER:COUNT", "GKER (sec)", "CPUTIME (sec)"]

if __name__ == "__main__":
    ranks = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    scale = float(sys.argv[3]) if len(sys.argv) > 3 else 1
    write(sys.argv[1], database(program(scale), [[("NODE", 0), ("RANK", r), ("THREAD", 0)] for r in range(ranks)], METRICS))
