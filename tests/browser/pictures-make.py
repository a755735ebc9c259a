# SPDX-License-Identifier: BSD-3-Clause
"""Profiles for tests/browser/pictures.sh: a project of twelve commits, and a profile for each view."""

import json
import random

random.seed(4)
SUBJECTS = ["Count the words of a text", "Say who complains about a missing file", "Count words whatever their case",
            "Leave out punctuation after words", "Read with a larger buffer", "Move the table of words into a file of its own",
            "Use less memory for short texts by storing the words of up to eight letters in the table itself",
            "Let the user say how many words to print", "Look words up in a list", "Print the shares of words",
            "Let the table grow with the text", "Say \"1 different word\""]


def write(name, kind, unit, rows, command="./wordcount", workload="words.txt", **more):
    json.dump({"header": {"type": kind, "cmd": command, "workload": workload, "units": {kind: unit}},
               "collector_info": {"name": kind, "params": {}}, "postprocessors": [], "global": {"resources": rows}, **more},
              open(name, "w"))


def times(name, median, workload, load):
    rows = [{"amount": max(0, random.gauss(share * median, share * median / 80)), "uid": "wordcount", "order": i,
             "type": "time", "subtype": metric}
            for i in range(15) for metric, share in (("real", 1), ("user", 0.8), ("sys", 0.1))]
    write(name, "time", "s", rows, workload=workload, machine={
        "architecture": "x86_64", "system": "Linux", "release": "6.1.0-30" if load < 9 else "6.1.0-31", "host": "ada",
        "cpu": {"physical": 4, "total": 8, "frequency": "2400.00Mhz"}, "load": str(load)})


for i, subject in enumerate(SUBJECTS, 1):
    slow = 9 <= i <= 10
    open(f"{i}.subject", "w").write(subject)
    times(f"{i}.perf", 0.0907 if slow else 0.0212, "words.txt", i)
    times(f"{i}-long.perf", 0.42 if i > 6 else 0.51, "the-complete-works-in-one-file.txt", i)
    with open(f"{i}.collapsed", "w") as out:
        for stack, count in (("main;count_words;next_word;getc", 118), ("main;count_words;next_word;isalpha", 40),
                             ("main;count_words;insert;hash", 40 - 2 * (i % 3)), ("main;count_words;insert;malloc", 4 if slow else 20),
                             ("main;count_words;insert;find;strcmp", 310 if slow else 0), ("main;print_words;qsort;by_count", 30),
                             ("main;print_words;std::vector<std::basic_string<char, std::char_traits<char>>>::push_back(std::string&&)", 12)):
            if count:
                out.write(f"{stack} {count}\n")

write("sizes.perf", "mixed", "us", [{"amount": 3 * i + random.gauss(500, 60), "uid": "insert", "structure-unit-size": i, "type": "mixed"}
                                    for i in range(1, 400)])
write("memory.perf", "memory", "B", [{"amount": abs(random.gauss(4096 * (k + 1), 900)), "uid": uid, "order": i, "type": "memory"}
                                     for i in range(12) for k, uid in enumerate(("count_words", "insert", "print_words"))])


def block(amount, function, address, subtype="malloc"):
    uid = {"function": function, "source": "table.c", "line": 3}
    return {"amount": amount, "uid": uid, "type": "memory", "subtype": subtype, "address": address,
            "trace": [uid, {"function": "main", "source": "wordcount.c", "line": 9}]}


json.dump({"header": {"type": "memory", "cmd": "./wordcount", "workload": "words.txt", "units": {"memory": "B"}},
           "collector_info": {"name": "memory", "params": {}}, "postprocessors": [], "snapshots": [
               {"time": f"0.{n}", "resources": [block(1 << random.randrange(8, 14), random.choice(("insert", "grow", "read_text")),
                                                      (1 << 20) + 16384 * i) for i in range(8 * n)]} for n in range(1, 4)]},
          open("heap.perf", "w"))

with open("growth.txt", "w") as out:
    out.write("PARAMETER p\nPOINTS 4 8 16 32 64\nMETRIC time\n")
    for region, cost in (("main->solve", lambda p: 10 + 3 * p), ("main->exchange", lambda p: p * p / 8), ("main->setup", lambda p: 7)):
        out.write(f"REGION {region}\n" + "".join(f"DATA {cost(p)} {1.02 * cost(p)}\n" for p in (4, 8, 16, 32, 64)))

with open("run.afperf", "w") as out:
    out.write("# AFPerf v1     \nRunInfo,0,milliseconds,1000.5,1.0.0,1,sim,2.0,\nMeasurementType,0,1,7,memory,double,MiB,,\n"
              "RegionStart,0,1,1,simulate,\nRegionStart,10,1,2,read mesh,\nRegionStop,40,2\nRegionStop,110,1\nSectionInfo,0,1,5,io,\n")
    for i in range(1, 60):
        out.write(f"SectionStart,{40 + i},5,{i}\nSectionStop,{41 + i},5,{i}\n")
    out.write("PauseResume,30,20,1\nRunPoint,10,1,7,3\nRunPoint,60,1,7,8\n")
