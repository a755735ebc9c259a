# SPDX-License-Identifier: BSD-3-Clause
"""Random profiles of all shapes: the plugin's bytes against the reference's. Prints TAP.

random-profiles.py CONVERT FOLDER [SEED [COUNT]]
"""
import json
import os
import random as chance
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import reference  # noqa: E402

TEXTS = ["f", "main", "a b", "", "\u017elu\u0165", "\U0001f600", "x\n\t\\", "0", "std::f<int>(a, 5)",
         "\ud800", "a#0", "None", "\x7f\x01"]
NUMBERS = [0, 1, -1, 7, 2**31, 2**53 + 1, 2**63 - 1, -2**63, 2**63, 2**64 - 1, 2**64, -10**30, 0.0,
           -0.0, 0.1, 1e-5, 1e16, 1.5e300, 5e-324, -2.5, 100000.0, float("nan"), float("inf"),
           float("-inf")]
KEYS = ["amount", "structure-unit-size", "order", "address", "exclusive", "type", "subtype", "trace",
        "line", "kind", "stack", "time", "snapshot", "locked", "\u017e", "", "key kind"]


def scalar():
    return chance.choice([chance.choice(TEXTS), chance.choice(NUMBERS), True, False, None,
                          chance.randrange(1000), chance.random() * 100])


def value(depth):
    kind = chance.random()
    if depth == 0 or kind < 0.6:
        return scalar()
    if kind < 0.8:
        return [value(depth - 1) for _ in range(chance.randrange(4))]
    if kind < 0.85:
        return [{"name": name, "value": scalar()} for name in chance.sample(TEXTS, 2)]
    names = chance.sample(["function", "source", "line", "a", "\u00e9", "module", "b"],
                          chance.randrange(4))
    return {name: value(depth - 1) for name in names}


def uid():
    if chance.random() < 0.5:
        return chance.choice(TEXTS)
    return value(3)


def row(keys, uids):
    result = {}
    for key in chance.sample(keys, len(keys)) if chance.random() < 0.2 else keys:
        if key == "amount":
            result[key] = chance.choice([chance.randrange(9), chance.random(), scalar()])
        elif key == "trace":
            result[key] = [{"func": chance.choice(TEXTS), "line": 1}] * chance.randrange(3)
        elif chance.random() < 0.97:
            result[key] = scalar() if chance.random() < 0.3 else chance.choice([1, 2, "t"])
    result["uid"] = chance.choice(uids)
    return result


def rows():
    keys = chance.sample(KEYS, chance.randrange(7))
    uids = [uid() for _ in range(3)]
    return [row(keys, uids) for _ in range(chance.randrange(12))]


def types(names, form):
    result = {}
    for name in chance.sample(names, chance.randrange(len(names) + 1)):
        keys = chance.sample(KEYS + ["uid"], chance.randrange(4))
        result[name] = {}
        length = chance.randrange(5)
        for key in keys:
            if form == "arrays":
                same = chance.random() < 0.7
                result[name][key] = [scalar() if chance.random() < 0.2 else chance.randrange(9)
                                     for _ in range(length if same else chance.randrange(5))]
            else:
                result[name][key] = value(2)
    return result


def profile():
    names = [f"{text}#{number}" for text in chance.sample(TEXTS, 3) for number in range(2)]
    parts = {"header": {"type": chance.choice(["time", "mixed"]), "cmd": scalar(), "units": {}},
             "origin": "4c6d65ba", "extra": value(3), "postprocessors": []}
    if chance.random() < 0.4:
        parts["global"] = chance.choice([{}, {"resources": rows()}, rows()])
        if parts["global"] and isinstance(parts["global"], dict):
            if chance.random() < 0.6:
                parts["global"]["time"] = scalar()
            if chance.random() < 0.3:
                parts["global"]["models"] = [{"uid": uid()}]
            parts["global"] = dict(chance.sample(list(parts["global"].items()),
                                                 len(parts["global"])))
    if chance.random() < 0.4:
        parts["snapshots"] = []
        for _ in range(chance.randrange(4)):
            snapshot = [("time", scalar()), ("resources", rows()), ("x", 1)]
            parts["snapshots"].append(dict(chance.sample(snapshot, 3)))
    if chance.random() < 0.4:
        parts["resources"] = types(names, "arrays") if chance.random() < 0.6 else rows()
        if chance.random() < 0.8:
            parts["resource_type_map"] = types(names, "map")
    if chance.random() < 0.3:
        parts["models"] = [{"model": "linear", "coeffs": value(2), "x": scalar()}, {}]
    return dict(chance.sample(list(parts.items()), len(parts)))


def is_clear(source):
    """Left out is what the plugin refuses or does otherwise, see doc/differences.md."""
    rows = list(all_rows(source))
    arrays = isinstance(source.get("resources"), dict) and source["resources"]
    if arrays and (rows or any(s["resources"] for s in source.get("snapshots", []))):
        return False  # a type with both
    late = isinstance(source.get("global"), dict)
    return not (late and any("time" in row for row in rows))


def all_rows(source):
    for key in ("global", "resources"):
        part = source.get(key)
        yield from part if isinstance(part, list) else []
        if key == "global" and isinstance(part, dict):
            yield from part.get("resources", [])


def main():
    convert, folder = sys.argv[1:3]
    chance.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 400
    cases = []
    while len(cases) < count:
        source = profile()
        text = json.dumps(source, indent=chance.choice([None, 1]))
        try:
            cases.append((text, reference.stored(json.loads(text))))
        except (KeyError, ValueError):  # the Python program refuses it
            continue
        if not is_clear(source):
            cases.pop()
    paths = [os.path.join(folder, f"{i}.perf") for i in range(count)]
    for path, (text, _) in zip(paths, cases):
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
    subprocess.run([convert, "stored=yes", *paths], check=False)
    wrong = [path for path, (_, expected) in zip(paths, cases) if read(path) != expected]
    report(1, "random profiles are stored as by the Python program", wrong)
    subprocess.run([convert, "stored=yes", *[path + ".out" for path in paths]], check=False)
    wrong = [path for path, (_, expected) in zip(paths, cases) if read(path + ".out") != expected]
    report(2, "what is stored is stored once more as it is", wrong)
    subprocess.run([convert, "stored=no", *paths], check=False)
    wrong = [path for path, (text, _) in zip(paths, cases)
             if '\\"' not in text and read(path) != reference.pending(json.loads(text))]
    report(3, "pending profiles are written as by the Python program", wrong)
    print("1..3")
    return 1 if FAILED else 0


FAILED = []


def read(path):
    try:
        with open(path + ".out", encoding="ascii") as file:
            return file.read()
    except OSError:
        return None


def report(number, name, wrong):
    for path in wrong[:5]:
        print(f"# {path}")
    if wrong:
        FAILED.append(number)
    print(f"{'not ok' if wrong else 'ok'} {number} - {name}")


if __name__ == "__main__":
    sys.exit(main())
