#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Faults of memory and disks at each call of a command, and power cuts after each of its changes.

usage: faults.py [--all] [SCENARIO...]

Each scenario prepares a store and gives one command. Then, for n = 1, 2, 3 ... until the command makes no such call:

  allocation, EIO, ENOSPC   the n-th call fails: the command fails with a line of text and the old state, or succeeds
  short, EINTR              the n-th read or write does less, or nothing: the command succeeds all the same
  kill                      the command is killed before the n-th call
  power                     the files are what the first n changes of the command leave of them on a disk that keeps
                            no more than POSIX promises: what was flushed. Everything else is there, is not, or is
                            torn, in several ways

Afterwards fsck must find no damage, everything that was there before is there, what the command reported as done is
done, and the command given again succeeds. Without --all a few n of each. Prints TAP.
"""

import itertools
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

FAULTS = {"allocation": 1, "EIO": 2, "ENOSPC": 3, "short": 4, "EINTR": 5, "kill": 6}
HARMLESS = ("short", "EINTR")
PLAN = struct.Struct("@IIQQII")  # of struct plan, without its root
PLAN_SIZE = PLAN.size + 4096

top = os.path.abspath(os.environ.get("top_builddir", "."))
perun = next((p for p in (top + "/cli/.libs/perun", top + "/cli/perun") if os.path.exists(p)), None)
library = os.path.abspath(top + "/tests/faults/.libs/faults.so")
sample = int(os.environ.get("FAULTS_SAMPLE", "2"))


class Wrong(Exception):
    pass


# ---- files of a tree ---------------------------------------------------------------------------


def snapshot(root):
    """{path below root: None for a directory, (bytes, time) for a file}"""
    tree = {}
    for folder, folders, files in os.walk(root):
        below = os.path.relpath(folder, root)
        below = "" if below == "." else below + "/"
        for name in folders:
            tree[below + name] = None
        for name in files:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                tree[below + name] = (file.read(), os.stat(path).st_mtime_ns)
    return tree


def restore(root, tree):
    shutil.rmtree(root, ignore_errors=True)
    os.mkdir(root)
    for path in sorted(tree):
        whole = os.path.join(root, path)
        if tree[path] is None:
            os.makedirs(whole, exist_ok=True)
            continue
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "wb") as file:
            file.write(tree[path][0])
        os.utime(whole, ns=(tree[path][1], tree[path][1]))


# ---- the disk ----------------------------------------------------------------------------------


class Inode:
    """What is in a file: as programs see it, and as it was flushed last."""

    def __init__(self, data=b"", time=0, folder=False):
        self.data, self.time, self.folder = data, time, folder
        self.kept = (data, time)
        self.pending = False

    def flush(self):
        self.kept, self.pending = (self.data, self.time), False


class Disk:
    """Names and inodes. Changes of names wait until their directory is flushed."""

    def __init__(self, root, tree, numbers):
        self.root = root
        self.names = {"": Inode(folder=True)}  # as programs see them
        for path, file in tree.items():
            self.names[path] = Inode(*file) if file else Inode(folder=True)
        self.numbers = {number: self.names[path] for number, path in numbers.items()}
        self.base = dict(self.names)  # on the disk for sure
        self.changes = []  # (directories that flush it, function of a tree of names)

    def below(self, path):
        path = os.path.relpath(os.path.normpath(path), self.root)
        return "" if path == "." else path

    def change(self, folders, apply):
        apply(self.names)
        self.changes.append(([self.names.get(folder) for folder in folders], apply))

    def flush_folder(self, inode):
        left = []
        for folders, apply in self.changes:
            folders = [folder for folder in folders if folder is not inode]
            if folders:
                left.append((folders, apply))
            else:
                apply(self.base)
        self.changes = left

    def do(self, line):
        kind, rest = line[0], line[2:]
        words = rest.split(" ")
        inode = self.numbers.get(int(words[0])) if kind in "WTF" else None
        if kind in "CD":
            path = self.below(rest.split(" ", 1)[1])
            made = Inode(folder=kind == "D")
            self.numbers[int(words[0])] = made
            self.change([os.path.dirname(path)], lambda names: names.__setitem__(path, made))
        elif kind == "U":
            path = self.below(rest)
            self.change([os.path.dirname(path)], lambda names: names.pop(path, None))
        elif kind == "R":
            self.rename(*(self.below(path) for path in rest.split("\t")))
        elif kind == "S":
            for inode in self.numbers.values():
                inode.flush()
            self.base, self.changes = dict(self.names), []
        elif kind == "F" and inode:
            inode.flush()
            if inode.folder:
                self.flush_folder(inode)
        elif kind == "W" and inode:
            data = bytes.fromhex(words[3])
            at = int(words[1])
            old = inode.data.ljust(at, b"\0")
            inode.data = old[:at] + data + old[at + len(data):]
            inode.time, inode.pending = int(words[2]), True
        elif kind == "T" and inode:
            inode.data = inode.data[:int(words[1])].ljust(int(words[1]), b"\0")
            inode.time, inode.pending = int(words[2]), True

    def rename(self, source, target):
        moved = self.names.get(source)

        def apply(names):
            # What is below a directory goes with it, if it is there at all.
            below = {path: names.pop(path) for path in list(names) if path.startswith(source + "/")}
            names.pop(source, None)
            names[target] = moved
            for path, inode in below.items():
                names[target + path[len(source):]] = inode

        self.change([os.path.dirname(target)], apply)

    def tree(self, choose_change, choose_data):
        """The files after a power cut."""
        names = dict(self.base)
        for _, apply in self.changes:
            if choose_change():
                apply(names)
        tree = {}
        for path, inode in names.items():
            parts = path.split("/")
            parents = ["/".join(parts[:i]) for i in range(1, len(parts))]
            if path and all(p in names and names[p].folder for p in parents):
                tree[path] = None if inode.folder else (
                    choose_data(inode) if inode.pending else (inode.data, inode.time))
        return tree


def torn(inode, chance):
    """Some first bytes of what was written, zeros for the rest."""
    size = chance.randrange(len(inode.data) + 1)
    return inode.data[:size] + bytes(len(inode.data) - size), inode.time


def cuts(disk, seed, count):
    """Ways in which the power may fail now; without a count the hardest alone."""
    chance = random.Random(seed)
    ways = [
        ("nothing else", lambda: False, lambda inode: inode.kept),
        ("names without data", lambda: True, lambda inode: (b"", inode.time)),
        ("torn data", lambda: True, lambda inode: torn(inode, chance)),
    ]
    for _ in range(count):
        ways.append(("some", lambda: chance.random() < 0.5, lambda inode: chance.choice(
            [inode.kept, (inode.data, inode.time), (b"", inode.time), torn(inode, chance)])))
    for name, choose_change, choose_data in ways[:None if count else 1]:
        yield name, disk.tree(choose_change, choose_data)


# ---- running -----------------------------------------------------------------------------------


class Place:
    def __init__(self):
        base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.path = os.path.realpath(tempfile.mkdtemp(prefix="perun-faults-", dir=base))
        self.checked = set()
        self.root = self.path + "/work"
        self.plan = self.path + "/plan"
        os.mkdir(self.root)
        os.mkdir(self.path + "/home")
        self.environment = dict(
            os.environ, HOME=self.path + "/home", PERUN_CONFIG_DIR=self.path + "/home", TMPDIR=self.path,
            XDG_STATE_HOME=self.path + "/home", GIT_CONFIG_GLOBAL="/dev/null", GIT_TEMPLATE_DIR="", TZ="UTC",
            LC_ALL="C.UTF-8", NO_COLOR="1", PERUN_PLUGIN_PATH=os.path.abspath(top + "/plugins-built"),
            GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a", GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a",
            GIT_AUTHOR_DATE="2020-01-01T00:00:00Z", GIT_COMMITTER_DATE="2020-01-01T00:00:00Z")

    def run(self, *words, **more):
        return subprocess.run([perun, *words], cwd=self.root, env=dict(self.environment, **more), text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, errors="replace", timeout=120)

    def must(self, *words):
        result = self.run(*words)
        if result.returncode:
            raise Wrong("perun %s: %d %s" % (" ".join(words), result.returncode, result.stderr))
        return result.stdout

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.root, env=self.environment, check=True, capture_output=True)

    def run_with(self, fault, target, words, record=False):
        """The result of a command, whether the fault came, and the lines of the log."""
        root = self.root.encode()
        with open(self.plan, "wb") as file:
            file.write(PLAN.pack(0, FAULTS.get(fault, 0), target, 0, 0, record).ljust(PLAN.size) + root)
            file.truncate(PLAN_SIZE)
        if os.path.exists(self.plan + ".log"):
            os.unlink(self.plan + ".log")
        result = self.run(*words, LD_PRELOAD=library, PERUN_FAULTS=self.plan)
        with open(self.plan, "rb") as file:
            _, _, _, count, fired, _ = PLAN.unpack(file.read(PLAN.size))
        lines = []
        if os.path.exists(self.plan + ".log"):
            with open(self.plan + ".log", errors="surrogateescape") as file:
                lines = file.read().splitlines()
        return result, bool(fired), lines

    def write(self, name, text):
        with open(os.path.join(self.root, name), "w") as file:
            file.write(text)
        os.utime(os.path.join(self.root, name), (1700000000, 1700000000))

    def profile(self, name, number):
        self.write(name, json.dumps({
            "header": {"type": "time", "cmd": "app", "workload": "w", "units": {"time": "s"}},
            "collector_info": {"name": "time", "params": {}}, "postprocessors": [],
            "resources": {"x#0": {"amount": [number]}},
            "resource_type_map": {"x#0": {"type": "time", "uid": "x"}}, "models": []}))

    def counts(self):
        status = json.loads(self.must("status", "--json"))
        return len(status["tracked"]), len(status["untracked"])


# ---- scenarios ---------------------------------------------------------------------------------


class Scenario:
    """The old state, a command, and what is new afterwards; `state` gives 0 for old, 1 for new, or raises Wrong."""

    words = ()
    done = 1  # what `state` is after success
    lasts = True  # success outlasts a power cut; else what was there before may be there again

    def prepare(self, place):
        place.must("init", "--vcs-type", "git")
        place.git("commit", "-q", "--allow-empty", "-m", "one")
        place.profile("old.perf", 1)
        place.must("add", "old.perf")

    def state(self, place):
        return 0

    def between(self, counts, old, new):
        for i, (count, low, high) in enumerate(zip(counts, old, new)):
            if not min(low, high) <= count <= max(low, high):
                raise Wrong("%d %s profiles" % (count, ("registered", "pending")[i]))
        return int(counts[0] == new[0])


class Add(Scenario):
    files = ["new.perf"]

    def prepare(self, place):
        super().prepare(place)
        for number, name in enumerate(self.files):
            place.profile(name, 10 + number)
        self.words = ("add", "--move", *self.files)

    def state(self, place):
        """Each file is registered or still there; a file that cannot be read keeps no other one out."""
        added = {entry["source"] for entry in json.loads(place.must("status", "--json"))["tracked"]}
        if "old.perf" not in added:
            raise Wrong("old.perf was lost")
        for name in set(self.files) - added:
            with open(os.path.join(place.root, name)) as file:
                json.load(file)
        return int(added >= set(self.files))

    def again(self, place):
        return ("add", "--move", *(name for name in self.files if os.path.exists(os.path.join(place.root, name))))


class AddForty(Add):
    files = ["new-%02d.perf" % i for i in range(40)]


class Remove(Scenario):
    words = ("rm", "0@i")

    def prepare(self, place):
        super().prepare(place)
        place.profile("other.perf", 2)
        place.must("add", "other.perf")

    def state(self, place):
        return self.between(place.counts(), (2, 0), (1, 0))


class Collect(Scenario):
    words = ("collect", "-c", "true", "time", "--warmup", "0", "--repeat", "1")

    def state(self, place):
        # Given again it makes another one.
        tracked, pending = place.counts()
        if tracked != 1:
            raise Wrong("%d registered profiles" % tracked)
        return int(pending >= 1)


class Run(Collect):
    words = ("run", "job", "--cmd", "true", "--cmd", "echo", "--collector", "time", "-cp", "time", "warmup: 0",
             "-cp", "time", "repeat: 1")

    def state(self, place):
        tracked, pending = place.counts()
        if tracked != 1:
            raise Wrong("%d registered profiles" % tracked)
        return int(pending >= 2)


class CollectGarbage(Scenario):
    words = ("gc", "--older-than", "0s")
    done = 0

    def prepare(self, place):
        super().prepare(place)
        place.profile("other.perf", 2)
        place.must("add", "other.perf")
        place.must("rm", "1@i")

    def state(self, place):
        return self.between(place.counts(), (1, 0), (1, 0)) * 0


class Acknowledge(Scenario):
    words = ("changes", "ack", "HEAD", "--reason", "fine")

    def prepare(self, place):
        place.must("init", "--vcs-type", "git")
        for value in (1, 5):
            place.git("commit", "-q", "--allow-empty", "-m", "change")
            place.write("x.perf", json.dumps({
                "header": {"type": "time", "cmd": "app", "workload": "w", "units": {"time": "s"}},
                "collector_info": {"name": "time", "params": {}}, "postprocessors": [],
                "resources": {"x#0": {"amount": [value + i / 1000 for i in range(20)]}},
                "resource_type_map": {"x#0": {"type": "time", "uid": "x"}}, "models": []}))
            place.must("add", "x.perf")
        if place.run("check", "head").returncode != 1:
            raise Wrong("no change was found")

    def state(self, place):
        return int("fine" in place.must("changes", "list"))


class Site(Scenario):
    words = ("site", "out")

    def state(self, place):
        return int(os.path.exists(place.root + "/out/index.html"))

    def check(self, place):
        """Whatever was left, the next one is whole."""
        place.must(*self.words)
        pages = {path: file and file[0] for path, file in snapshot(place.root + "/out").items()
                 if not path.startswith(".perun-site")}
        place.must("site", "again")
        wanted = {path: file and file[0] for path, file in snapshot(place.root + "/again").items()
                  if not path.startswith(".perun-site")}
        for path in wanted:
            if pages.get(path) != wanted[path]:
                raise Wrong("out/%s is not what it should be after the next perun site" % path)


class Import(Scenario):
    words = ("import", "times.json")

    def prepare(self, place):
        super().prepare(place)
        place.write("times.json", json.dumps({"results": [
            {"command": "sleep 0", "mean": 0.1, "stddev": 0, "user": 0, "system": 0, "min": 0.1, "max": 0.1,
             "times": [0.1, 0.1]}]}))

    def state(self, place):
        return self.between(place.counts(), (1, 0), (2, 0))


class ImportDirectory(Scenario):
    words = ("-c", "store.expanded_rows=0", "import", "tau")

    def prepare(self, place):
        super().prepare(place)
        os.mkdir(place.root + "/tau")
        for rank in range(3):
            place.write("tau/profile.%d.0.0" % rank,
                        '1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n'
                        '"main()" 1 0 %d %d 0 GROUP="TAU_DEFAULT"\n0 aggregates\n' % (rank + 1, rank + 1))

    def state(self, place):
        return self.between(place.counts(), (1, 0), (2, 0))

    def check(self, place):
        if "main()" not in place.must("show", "tau", "top"):
            raise Wrong("what was imported is not shown")


class ConvertToDirectory(Scenario):
    """More files than are flushed one by one."""

    words = ("convert", "--to", "cube", "points.txt", "out")
    points = 20
    lasts = False

    def prepare(self, place):
        super().prepare(place)
        place.write("points.txt", "PARAMETER p\nPOINTS %s\nREGION main\nMETRIC time\n%s" % (
            " ".join("%d" % (i + 1) for i in range(self.points)),
            "".join("DATA %d\n" % (i + 1) for i in range(self.points))))

    def state(self, place):
        if not os.path.exists(place.root + "/out"):
            return 0
        found = sum(file is not None and len(file[0]) > 0 for path, file in snapshot(place.root + "/out").items()
                    if path.endswith("profile.cubex"))
        if found != self.points:
            raise Wrong("out has %d of %d points" % (found, self.points))
        return 1

    def check(self, place):
        if "main" not in place.must("show", "out", "tableof"):
            raise Wrong("what was written is not shown")


SCENARIOS = {"add": Add, "add-forty": AddForty, "rm": Remove, "gc": CollectGarbage,
             "collect": Collect, "run": Run, "changes-ack": Acknowledge, "site": Site, "import": Import,
             "import-directory": ImportDirectory, "convert-directory": ConvertToDirectory}


# ---- checks ------------------------------------------------------------------------------------


def check_place(scenario, place, finished):
    """check_files(), once for the same files: most faults leave those from before."""
    files = snapshot(place.root)
    key = hash((finished, tuple(sorted(item for item in files.items() if not item[0].startswith(".perun/logs/")))))
    if key not in place.checked:
        check_files(scenario, place, finished)
        place.checked.add(key)


def check_files(scenario, place, finished):
    """The store is whole, nothing is lost, what was reported is done; the command given (again) succeeds."""
    result = place.run("fsck")
    if result.returncode:
        raise Wrong("fsck: %s%s" % (result.stdout, result.stderr))
    state = scenario.state(place)
    if finished and state != scenario.done:
        raise Wrong("it reported success, but its result is not there")
    if state != scenario.done or scenario.done == 0:
        place.must(*(scenario.again(place) if hasattr(scenario, "again") else scenario.words))
        if scenario.state(place) != scenario.done:
            raise Wrong("given again, its result is not there")
        result = place.run("fsck")
        if result.returncode:
            raise Wrong("fsck after it was given again: %s%s" % (result.stdout, result.stderr))
    if hasattr(scenario, "check"):
        scenario.check(place)


# In 'make check', where every second counts: what differs between the scenarios.
SHORT = {"add": ("power", "power after kill", "allocation", "EIO", "short"), "add-forty": ("power", "ENOSPC"),
         "rm": ("power", "kill"), "gc": ("power", "EINTR", "EIO"), "collect": ("power", "ENOSPC"), "run": ("power", "kill"),
         "changes-ack": ("power", "EIO"), "site": ("power", "ENOSPC"), "import": ("power", "kill"),
         "import-directory": ("power", "kill", "EIO"), "convert-directory": ("power", "ENOSPC")}


def check_result(fault, result):
    code, text = result.returncode, result.stderr
    if fault == "kill":
        return
    if fault in HARMLESS and code:
        raise Wrong("exit code %d: %s" % (code, text))
    if fault == "allocation" and code not in (0, 3):
        raise Wrong("exit code %d: %s" % (code, text))
    if code < 0 or code > 4:
        raise Wrong("exit code %d: %s" % (code, text))
    if code and not text.startswith("perun: "):
        raise Wrong("exit code %d without a reason: %s" % (code, text))


def numbers(every):
    """1, 2, 3 ..., or a few of a range that is only known at its end: sparser from step to step."""
    target, step = 1, 1.0
    while True:
        yield target
        step = 1 if every else step * (1 + 4 / sample)
        target += max(1, int(step))


def test_fault(scenario, place, base, fault, every):
    count = 0
    for target in numbers(every or fault in HARMLESS):
        restore(place.root, base)
        result, fired, _ = place.run_with(fault, target, scenario.words)
        if not fired and (result.returncode or not count):
            raise Wrong("without a fault: exit code %d: %s" % (result.returncode, result.stderr))
        if not fired:
            return count
        count += 1
        try:
            check_result(fault, result)
            check_place(scenario, place, result.returncode == 0)
        except (Wrong, OSError, ValueError) as error:
            raise Wrong("%s at call %d: %s" % (fault, target, error))


class Recording:
    """What a command did to the files of a place, from the start of its first run."""

    def __init__(self, place, base):
        restore(place.root, base)
        self.place, self.base, self.lines = place, base, []
        self.numbers = {os.stat(os.path.join(place.root, path)).st_ino: path for path in ["", *base]}

    def run(self, fault, target, words):
        result, fired, lines = self.place.run_with(fault, target, words, record=True)
        self.lines += lines
        return result, fired

    def disk(self):
        return Disk(self.place.root, self.base, self.numbers)

    def check(self):
        """The log says everything that happened."""
        disk = self.disk()
        for line in self.lines:
            disk.do(line)
        said, seen = (
            {path: file and file[0] for path, file in tree.items() if not path.startswith(".perun/logs/")}
            for tree in (disk.tree(lambda: True, lambda i: (i.data, i.time)), snapshot(self.place.root)))
        if seen != said:
            raise Wrong("the log does not say all: %s" % [
                path for path in sorted(set(seen) | set(said)) if seen.get(path, 0) != said.get(path, 0)])


def test_cuts(scenario, place, recording, begin, limit, ways):
    """
    The power fails after each change from `begin` on, or after `limit` of them; after the last one the command had
    succeeded.
    """
    lines, disk, count = recording.lines, recording.disk(), 0
    chosen = set(range(begin, len(lines) + 1))
    if limit is not None and len(chosen) > limit:
        chosen = set(random.Random(1).sample(sorted(chosen), limit)) | {len(lines)}
    for at in range(len(lines) + 1):
        for way, tree in cuts(disk, at, ways) if at in chosen else ():
            restore(place.root, tree)
            count += 1
            try:
                check_place(scenario, place, at == len(lines) and scenario.lasts)
            except (Wrong, OSError, ValueError) as error:
                raise Wrong("power cut after change %d of %d (%s), %s kept: %s" % (
                    at, len(lines), lines[at - 1][:150] if at else "none", way, error))
        if at < len(lines):
            disk.do(lines[at])
    return count


def test_power(scenario, place, base, every):
    recording = Recording(place, base)
    result, _ = recording.run(None, 0, scenario.words)
    if result.returncode:
        raise Wrong("exit code %d: %s" % (result.returncode, result.stderr))
    recording.check()
    return test_cuts(scenario, place, recording, 0, None if every else sample, 3 if every else 1)


def test_power_after_kill(scenario, place, base, every):
    """
    The command was killed before any of its calls, and is given again before the power fails. Of one with many calls
    each fifth is tried, with three cuts each.
    """
    count = 0
    many = len(scenario.files) > 1
    for target in itertools.count(1, 5 if many else 1 if every else 3):
        recording = Recording(place, base)
        _, fired = recording.run("kill", target, scenario.words)
        if not fired:
            return count
        begin = len(recording.lines)
        if scenario.state(place) == scenario.done:
            continue
        result, _ = recording.run(None, 0, scenario.words)
        if result.returncode:
            raise Wrong("after a kill at call %d: %s" % (target, result.stderr))
        try:
            limit = 0 if not every else 2 if many else None
            count += test_cuts(scenario, place, recording, begin, limit, 0)
        except Wrong as error:
            raise Wrong("after a kill at call %d: %s" % (target, error))


# ---- the whole ---------------------------------------------------------------------------------


def tests_of(name):
    yield "power", test_power
    if name in ("add", "add-forty"):
        yield "power after kill", test_power_after_kill
    for fault in FAULTS:
        yield fault, lambda scenario, place, base, every, fault=fault: test_fault(scenario, place, base, fault, every)


def main():
    words = sys.argv[1:]
    every = "--all" in words
    names = [word for word in words if word in SCENARIOS] or list(SCENARIOS)
    wanted = [word for word in words if word in FAULTS or word.startswith("power")]
    number = bad = 0
    place = Place()
    try:
        for name in names:
            scenario = SCENARIOS[name]()
            restore(place.root, {})
            place.checked.clear()
            scenario.prepare(place)
            base = snapshot(place.root)
            for kind, test in tests_of(name):
                if kind not in (wanted or ([kind] if every else SHORT[name])):
                    continue
                number += 1
                try:
                    print("ok %d - %s, %s: %d times" % (number, name, kind, test(scenario, place, base, every)))
                except (Wrong, OSError) as error:
                    bad += 1
                    print("not ok %d - %s, %s" % (number, name, kind))
                    print("".join("# %s\n" % line for line in str(error).splitlines()), end="")
                sys.stdout.flush()
    finally:
        shutil.rmtree(place.path)
    print("1..%d" % number)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
