#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How many builds, and how long, perun bisect --lines takes for commits of 1, 10 and 100 changes of which one is guilty.

usage: lines.py PERUN [CHANGES...]
Each change alters another function of a C program, in ten files, so that its machine code is another one: all the
innocent ones have to be acquitted by runs. "blind" has a guilty function that costs in another one, which samples
of functions do not see.
"""
import json, os, subprocess, sys, tempfile, time

FILES = 10


def write(directory, count, changed, blind):
    guilty = count // 2
    for f in range(min(FILES, count)):
        numbers = range(f, count, FILES)
        with open(os.path.join(directory, f"part{f}.c"), "w") as out:
            out.write("#include \"parts.h\"\n\n")
            for i in numbers:
                times = 8 if changed and i == guilty else 1
                body = f"return work({times});" if blind else (
                    f"int sum = 0; for (volatile int k = 0; k < {times} * 4000000; k++) sum += k; return sum;"
                    if i == guilty else f"return n + {i + 1 + (changed and 1000)};")
                if blind and i != guilty:
                    body = f"return n + {i + 1 + (changed and 1000)};"
                out.write(f"int part{i}(int n)\n{{\n\t(void)n;\n\t{body}\n}}\n\n\n\n")
    with open(os.path.join(directory, "parts.h"), "w") as out:
        out.write("int work(int times);\n" + "".join(f"int part{i}(int n);\n" for i in range(count)))
    with open(os.path.join(directory, "main.c"), "w") as out:
        out.write("#include \"parts.h\"\n\nint work(int times)\n{\n\tint sum = 0;\n"
                  "\tfor (volatile int k = 0; k < times * 4000000; k++)\n\t\tsum += k;\n\treturn sum;\n}\n\n"
                  "int main(void)\n{\n\tint sum = 0;\n" + "".join(f"\tsum += part{i}(sum);\n" for i in range(count)) +
                  "\treturn sum == 1;\n}\n")
    objects = "main.o " + " ".join(f"part{f}.o" for f in range(min(FILES, count)))
    with open(os.path.join(directory, "Makefile"), "w") as out:
        out.write(f"CFLAGS = -O1 -g\nprog: {objects}\n\t$(CC) -o $@ {objects}\n{objects}: parts.h\n")


def measure(perun, count, blind):
    with tempfile.TemporaryDirectory() as top:
        directory = os.path.join(top, "project")
        os.mkdir(directory)
        environment = dict(os.environ, HOME=top, GIT_CONFIG_GLOBAL=os.devnull)
        call = lambda *words: subprocess.run(words, cwd=directory, env=environment, capture_output=True, text=True)
        call("git", "init", "-q", "-b", "main")
        for changed in (False, True):
            write(directory, count, changed, blind)
            call("git", "add", ".")
            call("git", "-c", "user.name=n", "-c", "user.email=e@x", "commit", "-q", "-m", "c")
        call(perun, "init")
        begin = time.monotonic()
        done = call(perun, "bisect", "--lines", "--json", "--build", "make -s", "HEAD", "--", "./prog")
        seconds = time.monotonic() - begin
        found = json.loads(done.stdout) if done.returncode == 1 else {"hunks": [], "builds": 0, "runs": 0}
        right = len(found["hunks"]) == 1 and f"part{count // 2}(" in found["hunks"][0]["function"]
        print(f"{count:8} {'blind' if blind else 'seen':>6} {found['builds']:7} {found['runs']:6} {seconds:8.1f} s  "
              f"{'found' if right else 'NOT FOUND: ' + done.stderr.strip()[:80]}", flush=True)


def main():
    perun = os.path.abspath(sys.argv[1])
    print(f"{'changes':>8} {'':>6} {'builds':>7} {'runs':>6} {'time':>10}")
    for count in map(int, sys.argv[2:] or (1, 10, 100)):
        for blind in (False, True):
            measure(perun, count, blind)


main()
