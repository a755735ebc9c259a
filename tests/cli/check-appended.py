# SPDX-License-Identifier: BSD-3-Clause
"""What perun check head finds of a history to which one commit after the other is added, with all that was kept of the commits
before and with nothing: it must be the same.

check-appended.py PERUN SEED COMMITS [FROM]   prints a line "ok WHAT" or "not ok WHAT"
Commits are checked from number FROM on, 10 if it is not given.
"""
import json, os, pathlib, random, shutil, subprocess, sys

PERUN, SEED, COMMITS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
FROM = int(sys.argv[4]) if len(sys.argv) > 4 else 10
KEPT = {name: pathlib.Path(f"{name}-caches").absolute() for name in ("warm", "cold", "none")}
REPO = pathlib.Path("repo").absolute()
SHAPES = ("time", "single", "few", "exact", "wanders", "coarse", "drifts", "negative", "zeros", "rare", "new", "jumps", "calls", "sampled")


class Strand:
    """A metric of a function over all commits; what it is like is drawn."""

    def __init__(self, draw, number, shape):
        self.draw, self.shape = draw, shape
        self.name = f"{shape}_{number}"
        self.level = 10 ** draw.uniform(-1, 3)
        self.noise = draw.choice((0.002, 0.02, 0.1))
        self.sessions = draw.choice((0, 0, 0.01, 0.05))
        self.runs = {"single": 1, "few": draw.choice((2, 3)), "exact": 1, "wanders": 1, "calls": 1}.get(shape, draw.choice((4, 7, 20)))
        self.since = draw.randrange(COMMITS) if shape == "new" else 0

    def repeats(self, commit, step):
        draw, shape = self.draw, self.shape
        if commit < self.since or (shape == "rare" and draw.random() < 0.6):
            return []
        if step or draw.random() < 0.01:
            self.level *= draw.choice((0.5, 0.9, 0.97, 1.03, 1.1, 2))
        if shape in ("exact", "calls"):
            return [round(1000 * self.level)]
        if shape == "wanders":
            return [round(1000 * self.level * draw.choice((1, 1.02, 0.97)))]
        if shape == "zeros":
            return [0.0 if draw.random() < 0.3 else round(abs(draw.gauss(0, 1)), 2) for _ in range(self.runs)]
        level = self.level * (1 + draw.gauss(0, self.sessions)) * (1 + commit / 100 if shape == "drifts" else 1)
        if shape == "jumps" and draw.random() < 0.15:
            level *= 1.3
        values = [level * (1 + abs(draw.gauss(0, self.noise))) for _ in range(self.runs)]
        if shape == "negative":
            values = [value - 1.05 * level for value in values]
        return [round(value) if shape == "coarse" else value for value in values]


def profile(strands, commit, step, machine):
    resources = []
    for strand in strands:
        kind = ("memory", "total") if strand.shape in ("exact", "wanders") else ("time", "real")
        for order, value in enumerate(strand.repeats(commit, step and strand.draw.random() < 0.5), 1):
            resources.append({"amount": value, "uid": strand.name, "order": order, "type": kind[0], "subtype": kind[1]})
    return {"origin": "", "header": {"type": "mixed", "cmd": "./prog", "args": "", "workload": "w", "units": {"time": "s", "memory": "B"}},
            "machine": machine, "collector_info": {"name": "time", "params": {}}, "postprocessors": [], "global": {"time": "1", "resources": resources}}


def run(which, *words):
    environment = {**os.environ, "XDG_CACHE_HOME": str(KEPT[which])}
    done = subprocess.run([PERUN, *words], capture_output=True, text=True, env=environment)
    return f"{done.returncode}\n{done.stdout}\n{done.stderr}"


def git(*words):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], check=True, capture_output=True)


def check(which, words):
    """With nothing kept in the store either, where nothing is."""
    caches, aside = REPO / ".perun/cache", REPO / ".perun/aside"
    if which == "cold":
        shutil.rmtree(KEPT["cold"], ignore_errors=True)
        if caches.exists():
            caches.rename(aside)
    out = run(which, "check", *words, "head")
    if which == "cold":
        shutil.rmtree(caches, ignore_errors=True)
        if aside.exists():
            aside.rename(caches)
    return out


def add(commit, profiles):
    git("commit", "-q", "--allow-empty", "-m", f"commit {commit}")
    for number, document in enumerate(profiles):
        path = pathlib.Path(f"p{number}.perf")
        path.write_text(json.dumps(document))
        run("none", "add", str(path))


def main():
    draw = random.Random(SEED)
    shapes = draw.choices(SHAPES[:-2], k=draw.randrange(3, 14))
    strands = [Strand(draw, i, shape) for i, shape in enumerate(shapes)]
    machine = {"architecture": "x86_64", "system": "Linux", "cpu": {"model": "a", "total": 4}, "memory": {"total_ram": "8 GiB"}}
    other = [Strand(draw, 100 + i, "time") for i in range(2)] if draw.random() < 0.3 else []
    REPO.mkdir()
    os.chdir(REPO)
    git("init", "-q")
    run("none", "init")
    differing = 0
    for commit in range(COMMITS):
        if draw.random() < 0.03:
            machine = {**machine, "cpu": {"model": draw.choice("ab"), "total": 4}}
        profiles = [profile(strands, commit, draw.random() < 0.1, machine)]
        if other and draw.random() < 0.5:
            profiles.append(profile(other, commit, False, machine))
            profiles[-1]["header"]["cmd"] = "./other"
        if draw.random() < 0.03:
            profiles = []  # a commit that nothing was measured at
        add(commit, profiles)
        if commit < FROM or not profiles:
            continue
        words = draw.choice(([], ["--method", "shift"], ["--json"], ["--json", "--unchanged"]))
        warm, cold = check("warm", words), check("cold", words)
        if warm != cold:
            differing += 1
            pathlib.Path(f"../{commit}.warm").write_text(warm)
            pathlib.Path(f"../{commit}.cold").write_text(cold)
    print(f"{'not ok' if differing else 'ok'} seed {SEED}: {' '.join(shapes)} at {COMMITS} commits, {differing} of which differ")


main()
