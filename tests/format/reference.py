# SPDX-License-Identifier: BSD-3-Clause
"""What the Python program does with a profile, written down again: loading it, and storing it.

reference.py FILE prints what a store keeps of the profile; as a module it serves random-profiles.py.
"""
import json
import sys

COLLECTABLE = {"amount", "structure-unit-size", "call-order", "order", "address", "timestamp",
               "exclusive"}
RANKS = {"bin": 0, "file": 1, "source": 1, "package": 1, "module": 2, "class": 3, "struct": 3,
         "structure": 3, "function": 4, "func": 4, "method": 4, "procedure": 4, "line": 5,
         "instruction": 6}


def rank(item):
    key = item[0]
    return RANKS[key] if key in RANKS else int("".join(str(ord(c) + 6) for c in key))


def is_pairs(value):
    return (isinstance(value, list) and bool(value) and
            all(isinstance(e, dict) and set(e) == {"name", "value"} for e in value))


def members(value):
    for key, inner in value.items():
        yield from items(key, inner)


def joined(pairs):
    return ":".join(str(value) for _, value in pairs)


def items(key, value):
    if is_pairs(value):
        value = {e["name"]: e["value"] for e in value}
    if isinstance(value, dict):
        nested = list(members(value))
        for inner, scalar in nested:
            yield f"{key}:{inner}", scalar
        if isinstance(key, str):
            yield key, joined(sorted(nested, key=rank))
    elif isinstance(value, list):
        yield key, ",".join(joined(items(i, e)) for i, e in enumerate(value))
    else:
        yield key, value


def flatten(value):
    if is_pairs(value):
        value = {e["name"]: e["value"] for e in value}
    if isinstance(value, dict):
        return joined(sorted(members(value), key=rank))
    if isinstance(value, list):
        return ",".join(joined(items(i, e)) for i, e in enumerate(value))
    return value


class Profile:
    def __init__(self, source):
        self.data = {"resources": {}, "resource_type_map": {}, "models": []}
        self.types = {}
        self.numbers = {}
        for key, value in source.items():
            self.add(key, value)

    def add(self, key, value):
        if key == "global" and isinstance(value, dict):
            if value:
                self.rows(value["resources"], [("time", value.get("time", "0.0"))])
                self.data["models"] = value.get("models", self.data["models"])
        elif key == "snapshots":
            for i, snapshot in enumerate(value):
                self.rows(snapshot["resources"], [("snapshot", i), ("time", snapshot["time"])])
        elif key == "resources" and isinstance(value, dict):
            self.data["resources"].update(value)
        elif key in ("global", "resources"):
            self.rows(value, [])
        else:
            self.data[key] = value

    def rows(self, rows, context):
        for row in rows:
            persistent = [(k, v) for k, v in row.items() if k not in COLLECTABLE] + context
            persistent.sort(key=lambda item: item[0])
            collected = [(k, v) for k, v in row.items() if k in COLLECTABLE]
            name = self.type_of(row["uid"], persistent)
            if not self.data["resources"].get(name):
                self.data["resources"][name] = {k: [] for k, _ in collected}
            for key, value in collected:
                self.data["resources"][name][key].append(value)

    def type_of(self, uid, persistent):
        identity = str(tuple(persistent))
        if identity not in self.types:
            flat = str(flatten(uid))
            number = self.numbers.get(flat, 0)
            self.numbers[flat] = number + 1
            self.types[identity] = f"{flat}#{number}"
            self.data["resource_type_map"][self.types[identity]] = dict(persistent)
        return self.types[identity]


def stored(source):
    data = Profile(source).data
    data.pop("origin", None)
    return json.dumps(data)


def pending(source):
    """The stored form over several lines; numbers behind a comma stay on the line."""
    text = json.dumps(Profile(source).data, indent=2).split('"')
    # The program replaces inside strings, too; texts without escaped quotes make it simple.
    import re
    return '"'.join(part if i % 2 else re.sub(r",\s+(\d+)", r", \1", part)
                    for i, part in enumerate(text))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(stored(json.load(file)))
