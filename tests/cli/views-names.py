# SPDX-License-Identifier: BSD-3-Clause
"""What tests/cli/views-names.sh checks; prints TAP. Run in an empty folder, with PERUN in the environment."""

import html.parser
import json
import os
import random
import re
import subprocess
import unicodedata
import xml.dom.minidom

PERUN = os.environ["PERUN"]
VIEWS = ("alloclist bars box callees callers flamegraph flow heapmap histogram raw report scaling scatter short table tableof "
         "timeline top tree").split()
FORMS = ("html", "svg", "json", "csv", "md")
REFUSED = "refused"
PLAIN = ["main", "solve", "write", "read"]
PIECES = ["<script>alert(1)</script>", "</script>", "<img src=x onerror=alert(1)>", "]]>", "<!--", "&lt;", "&#x3c;", '"', "'", "`",
          "\u202e", "\u2028", "\x1b[31m", "\x1b]0;t\x07", "\x08", "\r", "\t", "@DATA@", "@SCRIPT@", "${x}", "{{x}}", "javascript:",
          "漢字", "🙂", "e\u0301", "a" * 300, "std::vector<std::map<int, std::string>>", "=1+1", "|", "\\", "%s%n"]


def hostile(seed):
    rng = random.Random(seed)
    return ["".join(rng.choice(PIECES) for _ in range(rng.randint(1, 4))) + str(i) for i in range(4)]


def resource(names, i, **more):
    uid = {"function": names[i % 4], "source": names[(i + 1) % 4], "line": i}
    return dict({"amount": 64 * (i + 1), "uid": uid, "type": "memory", "subtype": "malloc", "address": 4096 * (i + 1),
                 "trace": [uid, {"function": names[0], "source": "m.c", "line": 9}]}, **more)


def write(name, text):
    with open(name, "w", encoding="utf-8", newline="") as out:
        out.write(text)


def profiles(names):
    """One of each kind: memory, time with models and repeats, stacks, an experiment, a simulation."""
    head = {"header": {"type": "memory", "cmd": names[0], "workload": names[1], "units": {"memory": "B"}},
            "collector_info": {"name": "memory", "params": {}}, "postprocessors": []}
    write("memory.perf", json.dumps(dict(head, snapshots=[
        {"time": "0.1", "resources": [resource(names, i) for i in range(4)]},
        {"time": "0.2", "resources": [resource(names, i, subtype="free" if i % 2 else "calloc") for i in range(6)]}])))
    rows = [{"amount": 1 + 0.5 * k + 0.01 * (k % 3), "structure-unit-size": k + 1, "uid": names[i], "type": "mixed",
             "subtype": "time delta", "order": k + 1} for i in range(2) for k in range(20)]
    write("time.perf", json.dumps(dict(head, header={"type": "mixed", "cmd": names[0], "workload": "", "units": {"mixed(time delta)": "us"}},
                                       **{"global": {"time": "1", "resources": rows}})))
    subprocess.run([PERUN, "postprocessby", "-o", "models.perf", "time.perf", "regression-analysis", "-m", "full"], check=True,
                   capture_output=True)
    frames = [{"name": name} for name in names]
    write("stacks.speedscope.json", json.dumps({
        "$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": frames}, "profiles": [
            {"type": "sampled", "name": names[2], "unit": "milliseconds", "startValue": 0, "endValue": 6,
             "samples": [[0, 1], [0, 1, 2], [0, 3]], "weights": [1, 2, 3]}]}))
    write("experiment.jsonl", "".join(json.dumps({"params": {"p": p}, "callpath": f"{names[0]}->{names[i]}", "metric": "time", "value": p * (i + 1)}) + "\n"
                                      for i in range(1, 3) for p in (1, 2, 4, 8, 16)))
    quoted = ['"' + re.sub(r"[\r\n]", " ", name).replace('"', '""') + '"' for name in names]
    write("simulation.afperf", "\n".join(
        ["# AFPerf v1     ", "RunInfo,0,milliseconds,1000.5,1.0.0,1,sim,2.0,", f"MeasurementType,0,1,7,{quoted[3]},double,MiB,,"] +
        [f"RegionStart,{i * 10},1,{i},{quoted[i]}," for i in range(3)] + [f"RegionStop,{90 - i * 10},{i}" for i in (2, 1, 0)] +
        ["RunPoint,10,1,7,3", "RunPoint,50,1,7,8"]) + "\n")
    return ["memory.perf", "models.perf", "stacks.speedscope.json", "experiment.jsonl", "simulation.afperf"]


class Shape(html.parser.HTMLParser):
    """The elements that can do something, and what of their attributes could."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.found, self.policy = {}, False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag in ("script", "img", "iframe", "object", "embed", "link", "base", "form", "style", "meta"):
            self.found[tag] = self.found.get(tag, 0) + 1
        for key, value in attributes:
            if key.startswith("on") or (key in ("src", "href", "action") and not (value or "").startswith("#")):
                self.found[f"{tag} {key}"] = self.found.get(f"{tag} {key}", 0) + 1
            self.policy |= key == "content" and "default-src 'none'" in (value or "")


def columns(line):
    return sum(0 if unicodedata.combining(c) or unicodedata.category(c) in ("Cf", "Me", "Mn") else
               2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def show(profile, view, *options, **environment):
    done = subprocess.run([PERUN, "show", *options, profile, view], capture_output=True, stdin=subprocess.DEVNULL,
                          env={**os.environ, "LC_ALL": "C.UTF-8", **environment})
    return done.returncode, done.stdout


def check_form(form, text, shapes, key):
    if form == "html":
        shape = Shape(text)
        if not shape.policy:
            return "no content-security policy"
        if shapes.setdefault(key, shape.found) != shape.found:
            return f"elements {shape.found}, with harmless names {shapes[key]}"
    elif form == "svg":
        tree = xml.dom.minidom.parseString(text.encode())
        found = {tag: len(tree.getElementsByTagName(tag)) for tag in ("script", "foreignObject", "image", "a", "style")}
        if shapes.setdefault(key, found) != found:
            return f"elements {found}, with harmless names {shapes[key]}"
    elif form == "json":
        json.loads(text)
    elif form == "md" and re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x9b]", text):
        return "control characters"
    return None


def check_terminal(profile, view, width):
    status, out = show(profile, view, COLUMNS=str(width))
    if status:
        return REFUSED
    text = out.decode()
    if re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", text):
        return f"control characters in {width} columns"
    wide = max((columns(line) for line in text.split("\n")), default=0)
    return f"{wide} columns instead of {width}" if wide > width and view not in ("raw", "tableof", "table") else None


def check_all(shapes, seed):
    """Problems and the number of pictures that were looked at. A form that a view has not (2) is not asked for again, nor one of
    a profile that it refuses (3)."""
    without = set()
    problems, count = [], 0
    for profile in profiles(hostile(seed) if seed else PLAIN):
        for view in VIEWS:
            for form in FORMS:
                if (view, form) in without:
                    continue
                name = f"out.{form}"
                if os.path.exists(name):
                    os.remove(name)
                status, _ = show(profile, view, "-o", name)
                if status not in (0, 2, 3):
                    problems.append(f"{profile} {view} {form}: status {status}")
                if status == 2:
                    without.add((view, form))
                elif status == 3:
                    break
                if status or not os.path.exists(name):
                    continue
                count += 1
                with open(name, encoding="utf-8", newline="") as file:
                    try:
                        problem = check_form(form, file.read(), shapes, (profile, view, form))
                    except Exception as error:  # what cannot be parsed
                        problem = str(error)
                if problem:
                    problems.append(f"{profile} {view} {form}, seed {seed}: {problem}")
            for width in (80, 120, 200) if seed else ():
                problem = check_terminal(profile, view, width)
                if problem == REFUSED:
                    break
                if problem:
                    problems.append(f"{profile} {view}, seed {seed}: {problem}")
    return problems, count


def main():
    shapes = {}
    results = [check_all(shapes, seed) for seed in (0, 2)]
    for n, (problems, count) in enumerate(results):
        names = "hostile names" if n else "harmless names"
        print("ok" if not problems else "not ok", f"{2 * n + 1} - {names}, {count} pictures")
        for problem in problems:
            print("#", problem)
        print("ok" if count > 60 and count == results[0][1] else "not ok", f"{2 * n + 2} - as many pictures as with harmless names")
    print(f"1..{2 * len(results)}")


if __name__ == "__main__":
    main()
