#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# perun merge: the same bytes in any order, and by parts.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
command -v python3 >/dev/null || skip_all 'needs Python 3'

# Twelve profiles that differ in all that may: functions, labels, where programs are loaded, metrics' order, units, comments, defaults.
cat >make.py <<'PYTHON'
import random, sys

def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while True:
        out += bytes([n & 127 | (128 if n > 127 else 0)])
        n >>= 7
        if not n:
            return out

def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value

totals = {}

def make(seed):
    draw = random.Random(seed)
    texts, body = [""], b""
    def text(word):
        if word not in texts:
            texts.append(word)
        return texts.index(word)
    types = [("samples", "count"), ("cpu", ["nanoseconds", "microseconds"][seed % 2])]
    if seed % 3 == 0:
        types.reverse()
    for kind, unit in types:
        body += field(1, field(1, text(kind)) + field(2, text(unit)))
    programs = ["/bin/server", "/lib/libc.so", "/bin/client"]
    draw.shuffle(programs)
    for number, name in enumerate(programs):
        start = 0x400000 * (1 + draw.randrange(9)) * (number + 1)
        body += field(3, field(1, number + 1) + field(2, start) + field(3, start + 0x3000) + field(5, text(name)) + field(6, text("id" + name)))
        for place in range(6):
            function = number * 6 + place + 1
            body += field(5, field(1, function) + field(2, text("f%d" % (place % 4))) + field(4, text(name + ".c")) + field(5, place))
            body += field(4, field(1, function) + field(2, number + 1) + field(3, start + 16 * place) + field(4, field(1, function) + field(2, place + 7)))
    for _ in range(60):
        places = [draw.randrange(18) + 1 for _ in range(draw.randrange(1, 5))]
        stack = b"".join(map(varint, places))
        numbers = [draw.randrange(4) for _ in types]
        values = b"".join(map(varint, numbers))
        for (kind, unit), number in zip(types, numbers):
            leaf = "f%d" % ((places[0] - 1) % 6 % 4)
            totals[kind, leaf] = totals.get((kind, leaf), 0) + number * (1000 if unit == "microseconds" else 1)
        label = field(3, field(1, text("host")) + field(2, text("h%d" % draw.randrange(3)))) if draw.randrange(2) else b""
        size = field(3, field(1, text("bytes")) + field(3, draw.randrange(3)) + field(4, text("bytes"))) if draw.randrange(4) == 0 else b""
        body += field(2, field(1, stack) + field(2, values) + label + size)
    body += field(9, 1700000000000000000 + draw.randrange(1000)) + field(10, 5) + field(12, 1 + seed)
    body += field(11, field(1, text("cpu")) + field(2, text("nanoseconds")))
    body += field(13, text("comment %d" % (seed % 4)))
    body += field(14, text("samples" if seed % 2 else "cpu")) if seed % 5 else b""
    body += field(7, text("drop%d" % seed)) if seed % 4 else b""
    return b"".join(field(6, word.encode()) for word in texts) + body

for seed in range(12):
    open("p%02d.pb" % seed, "wb").write(make(seed))
for kind in "samples", "cpu":
    with open("expected." + kind, "w") as file:
        for leaf in sorted(name for one, name in totals if one == kind):
            print(leaf, totals[kind, leaf], file=file)
PYTHON
python3 make.py
expect_status 0 perun merge -o all.pb.gz p??.pb
expect_out '12 files merged into all.pb.gz: '
for seed in 1 2 3; do
	ls p??.pb | shuf --random-source=<(yes $seed) >order
	perun merge -o "$seed.pb.gz" --list order >/dev/null
	expect_same all.pb.gz "$seed.pb.gz" "the same bytes in order $seed"
done
# By parts of parts, in another order.
perun merge -o a.pb.gz p07.pb p01.pb p11.pb >/dev/null
perun merge -o b.pb.gz p02.pb >/dev/null
perun merge -o c.pb.gz p03.pb p00.pb p05.pb p04.pb >/dev/null
perun merge -o d.pb.gz c.pb.gz p06.pb b.pb.gz >/dev/null
perun merge -o parts.pb.gz p10.pb d.pb.gz p08.pb a.pb.gz p09.pb >/dev/null
expect_same all.pb.gz parts.pb.gz 'and by parts of parts'
perun merge -o again.pb.gz all.pb.gz >/dev/null
expect_same all.pb.gz again.pb.gz 'merging it alone changes nothing'
# What each function has, against sums of whole numbers.
for metric in samples cpu; do
	perun pprof -top -sample_index=$metric -unit=ns -nodecount=100 all.pb.gz 2>/dev/null | awk '$NF ~ /^f[0-9]$/ { sub(/[a-z]*$/, "", $1); print $NF, $1 }' | sort >sums
	expect_same "expected.$metric" sums "the sums of $metric"
done
# Real ones, where they are.
real=$PERUN_CONFORMANCE/pprof/inputs
if [ -e "$real/go119_cpu_a.pb.gz" ]; then
	cp "$real"/go119_cpu_*.pb.gz .
	perun merge -o one.pb.gz go119_cpu_*.pb.gz >/dev/null
	perun merge -o other.pb.gz $(ls -r go119_cpu_*.pb.gz) >/dev/null
	expect_same one.pb.gz other.pb.gz 'profiles of Go in the other order'
	perun merge -o half.pb.gz $(ls go119_cpu_*.pb.gz | tail -n 1) >/dev/null
	perun merge -o other.pb.gz half.pb.gz $(ls go119_cpu_*.pb.gz | head -n -1) >/dev/null
	expect_same one.pb.gz other.pb.gz 'and by parts'
else
	skip 'no profiles of Go'
fi
# Others, and what is wrong.
printf 'main;x 5\n' >x.folded
printf 'main;x 2\nmain;y 1\n' >y.folded
expect_status 0 perun merge -o xy.pb.gz x.folded y.folded --json
expect_json 'd["files"], d["samples"]' '(2, 2)'
rm -f out.pb.gz
expect_status 3 perun merge -o out.pb.gz x.folded nosuch
expect_one_line
profile flat.perf 1
expect_status 3 perun merge -o out.pb.gz x.folded flat.perf
expect_err 'flat.perf'
expect_one_line
expect_status 2 perun merge -o out.pb.gz
expect_one_line
expect_status 3 perun merge -o out.pb.gz --list nosuch
expect_one_line
check 'nothing was written' test ! -e out.pb.gz

# ---- as cells ----
perun plugin show executor-local >/dev/null 2>&1 || { finish; exit; }
new_repo
git commit -q --allow-empty -m one
perun init >/dev/null
export PERUN_TRUST=yes
expect_status 0 perun merge -o ../cells.pb.gz --executor local --part 5 ../p??.pb
expect_err 'waiting for 3 parts merged by local'
expect_same ../all.pb.gz ../cells.pb.gz 'parts that cells merged'
expect_status 0 perun run collect
expect_out '0 profiles registered'
expect_text 3 "$(ls .perun/runs/*/cells/*/*.pb.gz | wc -l)" 'each left its part'
echo broken >../p03.pb
expect_status 3 perun merge -o ../broken.pb.gz --executor local --part 5 ../p??.pb
expect_err 'part 1 of run'
check 'a part that fails leaves no result' test ! -e ../broken.pb.gz
expect_status 0 perun gc --older-than 0s
check 'runs that are over go' test -z "$(ls .perun/runs | grep '^2')"
finish
