# SPDX-License-Identifier: BSD-3-Clause
"""The project in which the examples of the manual run: that of demo/, with its eight commits on fixed dates, tags, a
store with a profile of fixed times for each commit (the slow commit among them), and files in the formats that
examples name. Nothing is measured here, so that every run of the examples sees the same."""
import gzip
import json
import os
import random
import subprocess

SLOW = "Use less memory for short texts"
MEND = "Let the table grow with the text"


def scaling(points):
    """Extra-P's text: two functions at processes p and, where it varies, sizes n."""
    one = all(n == 1 for _, n in points)
    head = "PARAMETER p\n" + ("" if one else "PARAMETER n\n")
    head += "POINTS " + " ".join(str(p) if one else f"({p} {n})" for p, n in points) + "\n"
    return head + "".join(f"REGION {name}\nMETRIC time\n" + "".join(
        f"DATA {factor * p * n + 3} {factor * p * n + 3.01}\n" for p, n in points)
        for name, factor in (("main->solve", 2), ("main->exchange", 5)))


def simulation(run):
    """An AFPerf file of one run: two regions, a pause, and how the memory grew."""
    return ("# AFPerf v1     \n" f"RunInfo,0,milliseconds,1000.5,1.0.0,{run},sim,2.0,\n"
            f"MeasurementType,0,{run},7,memory,double,MiB,,\nRegionStart,0,{run},{run}1,physics,\n"
            f"RegionStart,10,{run},{run}2,physics.step,\nRegionStop,40,{run}2\nRegionStop,100,{run}1\n"
            f"PauseResume,30,20,{run}\nRunPoint,10,{run},7,3\nRunPoint,60,{run},7,8\n")


FILES = {
    "before.folded": "main;count_words;next_word;getc 120\nmain;count_words;insert;hash 40\n"
                     "main;count_words;insert;malloc 20\nmain;sort 30\nmain;print;printf 12\n",
    "after.folded": "main;count_words;next_word;getc 118\nmain;count_words;insert;hash 40\n"
                    "main;count_words;insert;find;strcmp 310\nmain;count_words;insert;malloc 4\nmain;sort 30\n"
                    "main;print;printf 12\n",
    "example.folded": "main;run;parse;read_line 120\nmain;run;parse;scan_word 310\nmain;run;count;find_slot 260\n"
                      "main;run;count;grow_table 70\nmain;report;sort_words 150\nmain;report;print 45\n",
    "server.folded": "main;handle_request;parse_document;read 30\nmain;handle_request;parse_document;malloc 12\n"
                     "main;handle_request;send 25\nmain;solve;exchange 40\n",
    "measurements.txt": scaling([(p, 1) for p in (4, 8, 16, 32, 64)]),
    "grid.txt": scaling([(p, n) for p in (4, 8, 16, 32, 64) for n in (1, 2, 3, 4, 5)]),
    "throughput.csv": "version,throughput\n" + "".join(
        f"v{i},{(900 if i < 12 else 700) + i % 3}\n" for i in range(24)),
    "bench.txt": "goos: linux\ngoarch: amd64\npkg: example.org/words\n" + "".join(
        f"BenchmarkParse-8 \t 100 \t {1000 + 10 * i} ns/op\nBenchmarkPrint-8 \t 100 \t {200 + i} ns/op\n"
        for i in range(10)),
    **{name: simulation(run) for name, run in (("run.afperf", 1), ("second.afperf", 2))},
}


def profile(kind, cmd, workload, rows, units, **more):
    return {"origin": more.pop("origin", ""), "header": {"type": kind, "cmd": cmd, "workload": workload, "units": units},
            "collector_info": {"name": more.pop("collector", kind), "params": {}}, "postprocessors": [], **more,
            **({} if "snapshots" in more else {"global": {"time": "1", "resources": rows}})}


def times(level, origin="", seed=1, runs=20):
    """Twenty runs around a level, with the noise of a quiet machine."""
    draw = random.Random(seed)
    rows = []
    for order in range(1, runs + 1):
        user = level * (0.9 + 0.02 * draw.random())
        for subtype, amount in (("real", level * (1 + 0.02 * draw.random())), ("user", user), ("sys", 0.004)):
            rows.append({"amount": round(amount, 6), "uid": "wordcount", "order": order, "type": "time",
                         "subtype": subtype})
    return profile("time", "./wordcount", "words.txt", rows, {"time": "s"}, origin=origin)


def sizes(factor):
    """Calls of two functions that take longer the larger the structure is."""
    draw = random.Random(3)
    rows = [{"amount": factor * n * (1 + 0.01 * draw.random()), "uid": uid, "type": "mixed", "subtype": "time delta",
             "structure-unit-size": n} for uid in ("insert", "find") for n in range(10, 210, 5)]
    return profile("mixed", "./wordcount", "words.txt", rows, {"mixed(time delta)": "us"}, collector="complexity")


def memory(factor=1):
    def resource(amount, function, address, subtype="malloc"):
        uid = {"function": function, "source": "m.c", "line": 3}
        return {"amount": amount * factor, "uid": uid, "type": "memory", "subtype": subtype, "address": address,
                "trace": [uid, {"function": "main", "source": "m.c", "line": 9}]}
    steps = [[resource(4096, "parse", 1 << 20), resource(8192, "grow", (1 << 20) + 8192)],
             [resource(0, "parse", 1 << 20, "free"), resource(2048, "parse", 1 << 20, "calloc"),
              resource(65536, "insert", (1 << 20) + 65536)],
             [resource(512, "insert", (1 << 20) + 262144)],
             [resource(0, "parse", 1 << 20, "free")]]
    return profile("memory", "./wordcount", "words.txt", [], {"memory": "B"},
                   snapshots=[{"time": f"0.{i + 1}", "resources": rows} for i, rows in enumerate(steps)])


def varint(number):
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def field(number, value):
    """A field of a message of protocol buffers: a number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def heap():
    """A heap profile of Go: objects and bytes that were allocated, and that are in use."""
    stacks = {"main.load;main.parse;main.grow;malloc": (12, 49152, 3, 12288),
              "main.load;main.parse;main.intern;malloc": (400, 25600, 390, 24960),
              "main.load;main.sort;malloc": (1, 8192, 0, 0)}
    names = [""]

    def text(word):
        if word not in names:
            names.append(word)
        return names.index(word)
    out = b"".join(field(1, field(1, text(kind)) + field(2, text(unit))) for kind, unit in (
        ("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")))
    functions = sorted({name for stack in stacks for name in stack.split(";")})
    for stack, values in stacks.items():
        places = [functions.index(name) + 1 for name in reversed(stack.split(";"))]
        out += field(2, field(1, b"".join(map(varint, places))) + field(2, b"".join(map(varint, values))))
    for number, name in enumerate(functions, 1):
        out += field(4, field(1, number) + field(4, field(1, number) + field(2, 10 * number)))
        out += field(5, field(1, number) + field(2, text(name)) + field(4, text("main.go")))
    return gzip.compress(out + b"".join(field(6, name.encode()) for name in names), mtime=0)


def write_json(name, document):
    with open(name, "w", encoding="utf-8") as file:
        json.dump(document, file)


def call(*words, **more):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **more)
    if done.returncode:
        raise SystemExit(f"stage: {' '.join(words)}: {done.stderr or done.stdout}")
    return done.stdout


def make(folder, source, perun):
    """The project in folder, which becomes the current directory; source is the tree with demo/, perun the program."""
    os.makedirs(folder)
    os.chdir(folder)
    call("bash", os.path.join(source, "demo", "project.sh"), os.path.join(folder, "wordcount"))
    os.chdir("wordcount")
    # Enough that the slow commit is seen on a busy machine, where starting a program alone takes 20 ms.
    call("awk", "NR <= 3000 { print > \"words.txt\" }", "../words.txt")
    with open(".git/info/exclude", "a", encoding="utf-8") as file:
        file.write("/*.*\n/wordcount\n/public\n")
    call("make", "-s")
    call(perun, "init")
    commits = [line.split(" ", 1) for line in call("git", "log", "--reverse", "--format=%H %s").splitlines()]
    level = 0.020
    for number, (commit, subject) in enumerate(commits):
        level = 0.090 if subject == SLOW else 0.021 if subject == MEND else level
        name = f"time-[wordcount]-[words.txt]-2026-03-0{number + 1}-11-00-00.perf"
        write_json(name, times(level, commit, number))
        call(perun, "add", "--move", "-m", commit, name)
    for tag, number in (("v1.0", 1), ("v1.1", 3), ("v1.2", 5)):
        call("git", "tag", tag, commits[number][0])
    for name in ("before.perf", "old.perf", "time.perf"):
        write_json(name, times(0.020))
    for name in ("after.perf", "new.perf"):
        write_json(name, times(0.090, seed=2))
    write_json("memory.perf", memory())
    write_json("sizes-before.perf", sizes(1))
    write_json("sizes-after.perf", sizes(3))
    for size in (1000, 2000, 4000, 8000, 16000):
        run = times(size * 1e-5, runs=5, seed=size)
        run["header"].update(workload=f"{size}.txt", size=size)
        write_json(f"run-{size}.perf", run)
    for name, text in FILES.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    call(perun, "convert", "server.folded", "cpu.pb.gz")
    call(perun, "convert", "before.folded", "before.pb.gz")
    call(perun, "convert", "after.folded", "after.pb.gz")
    call(perun, "convert", "--to", "extrap-json", "measurements.txt", "experiment.json")
    call(perun, "convert", "--to", "extrap-jsonl", "grid.txt", "measurements.jsonl")
    with open("heap.pb.gz", "wb") as file:
        file.write(heap())
    # Two profiles that wait: sizes (1@p) and, the newest, times (0@p).
    write_json(".perun/jobs/complexity-[wordcount]-[words.txt]-2026-03-08-10-00-00.perf", sizes(1))
    write_json(".perun/jobs/time-[wordcount]-[words.txt]-2026-03-08-10-00-01.perf", times(0.021, commits[-1][0], 9))
