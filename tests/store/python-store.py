#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A stand-in for the Python program at a store: writes and reads its bytes by its rules, as the
documentation of the formats says them (doc/man/perun-store.5). It locks nothing, writes in place and
knows of no file that Perun adds.

usage: python-store.py add STORE MINOR FILE... | rm STORE MINOR NAME | list STORE MINOR | status STORE
"""
import hashlib
import json
import os
import re
import struct
import sys
import time
import zlib

TEXTS = ("type", "cmd", "workload", "collector", "postprocessors")


def path_of(store, checksum):
    return os.path.join(store, "objects", checksum[:2], checksum[2:])


def local_time(seconds):
    text = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(round(seconds)))
    return int(time.mktime(time.strptime(text, "%Y-%m-%d %H:%M:%S")))


def read_index(path):
    with open(path, "rb") as index:
        data = index.read()
    magic, version, count = struct.unpack_from("<4sii", data)
    assert magic == b"pidx" and version == 2, path
    entries, at = [], 12
    while at + 24 < len(data) and len(entries) < count:
        entry = {"time": struct.unpack_from("<I", data, at)[0], "sha": data[at + 4 : at + 24].hex()}
        end = data.index(b"\0", at + 24)
        entry["path"] = data[at + 24 : end].decode("utf-8")
        at = end + 1
        for text in TEXTS:
            (length,) = struct.unpack_from("<I", data, at)
            entry[text] = data[at + 4 : at + 4 + length].decode("utf-8")
            at += 4 + length
        entries.append(entry)
    assert len(entries) == count, f"{path}: {len(entries)} entries, {count} told"
    return entries


def write_index(path, entries):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path):
        open(path, "wb").close()
    with open(path, "r+b") as index:
        index.write(struct.pack("<4sii", b"pidx", 2, len(entries)))
        for entry in entries:
            index.write(struct.pack("<I", entry["time"]) + bytes.fromhex(entry["sha"]))
            index.write(entry["path"].encode("utf-8") + b"\0")
            for text in TEXTS:
                data = entry[text].encode("utf-8")
                index.write(struct.pack("<I", len(data)) + data)
        index.truncate()


def register(entries, new):
    for entry in entries:
        if entry["path"] == new["path"] and entry["time"] == new["time"]:
            return
    for i, entry in enumerate(entries):
        if entry["path"] > new["path"] or (entry["path"] == new["path"] and entry["time"] >= new["time"]):
            entries.insert(i, new)
            return
    entries.append(new)


def facts(profile):
    return {
        "type": profile["header"]["type"],
        "cmd": profile["header"]["cmd"],
        "workload": profile["header"]["workload"],
        "collector": profile["collector_info"]["name"],
        "postprocessors": " ".join(p["name"] for p in profile["postprocessors"]),
    }


def stored(profile):
    """Only the form with "resources" by type is known here."""
    first = {key: profile[key] for key in ("resources", "resource_type_map", "models")}
    rest = {key: value for key, value in profile.items() if key not in first and key != "origin"}
    return {**first, **rest}


def add(store, minor, *files):
    index = path_of(store, minor)
    for name in files:
        seconds = os.stat(name).st_mtime
        with open(name, encoding="utf-8") as file:
            profile = json.load(file)
        assert profile.get("origin", minor) == minor, name
        profile = stored(profile)
        body = json.dumps(profile)
        raw = f"profile {profile['header']['type']} {len(body)}\0".encode() + body.encode()
        checksum = hashlib.sha1(raw).hexdigest()
        path = path_of(store, checksum)
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(zlib.compress(raw))
        entries = read_index(index) if os.path.exists(index) else []
        register(entries, {"time": local_time(seconds), "sha": checksum, "path": os.path.basename(name), **facts(profile)})
        write_index(index, entries)
        os.remove(name)
        print(checksum)


def remove(store, minor, name):
    index = path_of(store, minor)
    entries = read_index(index)
    found = next(i for i, entry in enumerate(entries) if name in (entry["path"], entry["sha"]))
    del entries[found]
    write_index(index, entries)


def load(store, checksum):
    with open(path_of(store, checksum), "rb") as file:
        raw = zlib.decompress(file.read()).decode("utf-8")
    header, body = raw.split("\0")
    prefix, kind, length = header.split(" ")
    assert prefix == "profile" and kind in ("memory", "mixed", "time") and int(length) == len(body), checksum
    return json.loads(body)


def show(store, minor):
    for entry in read_index(path_of(store, minor)):
        assert facts(load(store, entry["sha"])) == {text: entry[text] for text in TEXTS}, entry
        print(entry["path"], entry["sha"])


def status(store):
    """What its status does to the pending profiles: forgets what is gone, loads what is new."""
    jobs = os.path.join(store, "jobs")
    index = os.path.join(jobs, ".index")
    entries = read_index(index) if os.path.exists(index) else []
    entries = [entry for entry in entries if os.path.exists(os.path.join(jobs, entry["path"]))]
    known = {entry["path"] for entry in entries}
    for name in sorted(os.listdir(jobs)):
        path = os.path.join(jobs, name)
        if re.search("perf$", name) and name not in known:
            with open(path, encoding="utf-8") as file:
                profile = json.load(file)
            checksum = hashlib.sha1(path.encode()).hexdigest()
            register(entries, {"time": local_time(os.stat(path).st_mtime), "sha": checksum, "path": name, **facts(profile)})
    write_index(index, entries)
    for entry in entries:
        print(entry["path"], entry["workload"])


def loadable(store, minor):
    """Whether its views and checks can take each profile: a known type, a unit of it, parallel arrays."""
    for entry in read_index(path_of(store, minor)):
        profile = load(store, entry["sha"])
        header = profile["header"]
        assert header["type"] in ("memory", "mixed", "time"), entry
        assert any(unit == header["type"] or unit.startswith(header["type"] + "(") for unit in header["units"]), entry
        for kind, columns in profile["resources"].items():
            assert "uid" in profile["resource_type_map"][kind] and len({len(column) for column in columns.values()}) == 1, entry


if __name__ == "__main__":
    {"add": add, "rm": remove, "list": show, "status": status, "loadable": loadable}[sys.argv[1]](*sys.argv[2:])
