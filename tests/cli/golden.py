#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What commands print on a terminal of 80 and 120 columns, with and without colours, on the store of the manual's
project: compared with tests/data/golden, and drawn, of some, as README.md's picture of a terminal. --update writes these
files, to be read line by line before they are kept."""
import fcntl
import html
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading

SOURCE = os.path.abspath(os.environ.get("top_srcdir", os.path.dirname(__file__) + "/../.."))
PERUN = os.path.abspath(os.environ.get("PERUN", os.path.join(os.environ.get("top_builddir", SOURCE), "perun")))
GOLDEN = os.path.join(SOURCE, "tests", "data", "golden")
PICTURE = os.path.join("..", "..", "..", "doc", "pictures", "terminal.svg")
DRAWN = r"(?ms)^\$ perun check head 51ac72e\n(?:(?!^\$ ).)*^\$ perun log --short\n.*?(?=^\$ )"
sys.path.insert(0, os.path.join(SOURCE, "tests", "manuals"))
import stage  # noqa: E402

COMMANDS = """
help
status
status --short
log
log --short
history
history --explain
blame
check head 51ac72e
check all
check profiles before.perf after.perf
check series throughput.csv
ci 51ac72e~1 51ac72e
show time.perf
show memory.perf
show memory.perf alloclist
show memory.perf heapmap --snapshot 2
show after.folded
show after.folded tree
show after.folded callers strcmp
show run-1000.perf tableof resources -w 'order <= 2'
show sizes-before.perf scatter -p structure-unit-size
show run.afperf timeline
showdiff before.folded after.folded
showdiff before.perf after.perf
showdiff 51ac72e~1 51ac72e
model measurements.txt
afperf info run.afperf
pprof -top cpu.pb.gz
config list
config get cmds
plugin list view
changes list
trust
fsck
import bench.txt
convert after.folded out.pb.gz
postprocessby 1@p regression-analysis
add 0@p
check head 51ac72e
log --short
changes ack 51ac72e --reason expected
changes list
log --short
rm bench.txt
gc
nosuch
show nosuch.perf
collect time
history nosuch
""".strip().splitlines()


END = b"\x04end of output\x04"


def output(words, columns, color):
    """What a command prints on a terminal, its messages among it."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color"}
    if color:
        environment.pop("NO_COLOR")
    child = subprocess.Popen([PERUN, *words], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=environment)

    # What was written last can be lost when nobody has the terminal open any more: a mark says where the end is.
    def end():
        child.wait()
        os.write(theirs, END)
    thread = threading.Thread(target=end)
    thread.start()
    text = b""
    while not text.endswith(END):
        text += os.read(ours, 65536)
    thread.join()
    os.close(theirs)
    os.close(ours)
    return text.removesuffix(END).decode().replace("\r\n", "\n"), child.returncode


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*[mK]|\x1b\]8;[^\x07\x1b]*(\x07|\x1b\\)", "", text)


def session(columns, color, folder):
    """All commands one after the other, as a transcript; the store is as it was afterwards."""
    kept = os.path.join(folder, "kept")
    shutil.copytree(".perun", kept, symlinks=True)
    transcript = ""
    for line in COMMANDS:
        text, status = output(shlex.split(line), columns, color)
        text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "2026-03-08 10:00:00", text).replace(folder, "/home/ada")
        text = re.sub(r"\d{4}(-\d\d){5}(?=\.perf)", "2026-03-08-10-00-00", text)
        transcript += f"$ perun {line}\n{text}" + ("" if text.endswith("\n") or not text else "⏎\n")
        transcript += f"[exit {status}]\n" if status else ""
    shutil.rmtree(".perun")
    shutil.move(kept, ".perun")
    return transcript


def picture(transcript):
    """A terminal with commands and what they printed, in their colours, as SVG."""
    shown = [line for line in re.search(DRAWN, transcript).group().splitlines() if not line.startswith("[exit ")]
    width, wide = max(len(plain(line)) for line in shown), 8.43
    size = f'{round(width * wide + 32)}" height="{len(shown) * 19 + 32}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}>', f'<rect width="{size} rx="8" fill="#21252b"/>',
             '<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" fill="#d7dae0">']
    for row, line in enumerate(shown):
        column, style = 0, ' font-weight="bold"' if line.startswith("$ ") else ""
        for code, text in re.findall(r"(?:\x1b\[([0-9;]*)m)?([^\x1b]*)", line):
            color = {"31": "e06c75", "32": "98c379", "33": "e5c07b", "34": "61afef", "35": "c678dd", "36": "56b6c2"}.get(code)
            style = f' fill="#{color}"' if color else ' font-weight="bold"' if code == "1" else style if code == "" else ""
            for words in re.finditer(r"\S+(?: \S+)*", text):  # Browsers draw one blank where there are several.
                lines.append(f'<text x="{16 + (column + words.start()) * wide:.2f}" y="{30 + row * 19}" '
                             f'textLength="{len(words.group()) * wide:.2f}"{style}>{html.escape(words.group(), quote=False)}</text>')
            column += len(text)
    return "\n".join(lines + ["</g>", "</svg>", ""])


def differences(name, got):
    with open(os.path.join(GOLDEN, name), encoding="utf-8") as file:
        wanted = file.read()
    if wanted == got:
        return ""
    import difflib
    return "".join(difflib.unified_diff(wanted.splitlines(True), got.splitlines(True), "golden", "now", n=1))


def main():
    update = "--update" in sys.argv
    work = os.path.realpath(tempfile.mkdtemp(prefix="perun-golden."))
    for name in ("GIT_DIR", "GIT_WORK_TREE", "COLUMNS", "PERUN_TRUST", "SUDO_UID", "CI", "COLORTERM"):
        os.environ.pop(name, None)
    os.environ.update(HOME=work, NO_COLOR="1", PAGER="cat", PERUN_PAGER="cat", EDITOR="true", TZ="UTC",
                      LC_ALL="C.UTF-8", XDG_CACHE_HOME=work + "/.cache", XDG_CONFIG_HOME=work + "/.config",
                      XDG_STATE_HOME=work + "/.state", XDG_DATA_HOME=work + "/.local", GIT_CONFIG_NOSYSTEM="1",
                      GIT_CONFIG_GLOBAL=work + "/.gitconfig", GIT_AUTHOR_NAME="Ada", GIT_AUTHOR_EMAIL="ada@example.org",
                      GIT_COMMITTER_NAME="Ada", GIT_COMMITTER_EMAIL="ada@example.org")
    stage.make(os.path.join(work, "tmp"), SOURCE, PERUN)
    work = os.path.join(work, "tmp")
    number = failed = 0
    for columns in (80, 120):
        without, colored = (session(columns, color, work) for color in (False, True))
        results = [(f"{columns}.txt", without)]
        if columns == 80:
            results += [("80-color.txt", colored.replace("\x1b", "␛")), (PICTURE, picture(colored))]
        for name, got in results:
            if update:
                with open(os.path.join(GOLDEN, name), "w", encoding="utf-8") as file:
                    file.write(got)
                continue
            number += 1
            wrong = differences(name, got)
            failed += bool(wrong)
            print("not ok" if wrong else "ok", number, "- what commands print is", os.path.basename(name))
            print("".join(f"# {line}\n" for line in wrong.splitlines()[:200]), end="")
        number += 1
        # The map of a heap and lanes have letters and frames where there are no colours.
        parts = [re.sub(r"(?ms)^\$ perun show [^\n]* (heapmap|timeline).*?(?=^\$ )", "", text)
                 for text in (without, plain(colored))]
        same = parts[0] == parts[1]
        failed += not same
        print("ok" if same else "not ok", number, f"- colours change nothing else at {columns} columns")
        if not same:
            import difflib
            print("".join(f"# {line}\n" for line in difflib.unified_diff(
                parts[0].splitlines(), parts[1].splitlines(), "without", "with", n=0, lineterm="")))
        # Messages, paths and settings are not cut.
        wide = [line for line in without.splitlines()
                if len(line) > columns and not re.match(r"\$ |perun: |registered with |Stored |  span |[a-z._]+: ", line)]
        number += 1
        failed += bool(wide)
        print("not ok" if wide else "ok", number, f"- no line is wider than {columns} columns")
        print("".join(f"# {line}\n" for line in wide), end="")
    print(f"1..{number}")
    os.chdir("/")
    shutil.rmtree(os.path.dirname(work), ignore_errors=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
