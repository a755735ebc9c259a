# SPDX-License-Identifier: BSD-3-Clause
# Text as Windows writes it (lines that end in CR LF, a byte order mark, UTF-16) and as programs write it for a terminal, each
# read as the same profile as in plain UTF-8.
. "${top_srcdir:-.}/tests/cli/lib.sh"
corpus=$top_srcdir/tests/fuzz/corpus

# Each text of the corpus that is read, but for formats whose bytes are checked exactly, as others would write it.
cat >variants.py <<'PY'
import pathlib, sys
for path in sys.argv[1:]:
    data = pathlib.Path(path).read_bytes()
    try:
        text = data.decode()
    except UnicodeDecodeError:
        continue
    if not text or "\0" in text or text.startswith("\ufeff"):
        continue
    name = "variants/" + "=".join(pathlib.Path(path).parts[-2:])
    lines = text.replace("\r\n", "\n").replace("\n", "\r\n")
    colors = "".join(f"\x1b[1;3{i % 8}m{line}\x1b[m\n" for i, line in enumerate(text.removesuffix("\n").split("\n")))
    log = "".join(f"run\tmake bench\t2026-11-29T23:30:{i % 60:02d}.1234567Z {line}\n" for i, line in enumerate(text.removesuffix("\n").split("\n")))
    for kind, as_bytes in (("log", log.encode() if log.count("\n") > 1 else data), ("colors", colors.encode()), ("plain", data), ("crlf", lines.encode()), ("mark", ("\ufeff" + text).encode()),
                           ("little", b"\xff\xfe" + lines.encode("utf-16-le")), ("big", b"\xfe\xff" + text.encode("utf-16-be"))):
        pathlib.Path(f"{name}.{kind}").write_bytes(as_bytes)
PY
mkdir variants
for format in $(perun plugin list format | awk '$1 == "format" { print $2 }'); do
	case $format in afperf | perun) continue ;; esac
	for file in "$corpus/$format"/*; do [ ! -e "$file" ] || printf '%s\n' "$file"; done | some 2
done | xargs python3 variants.py

# What is left of a profile that is read: its rows, without what names the file.
rows() { perun convert "${@:2}" "$1" - 2>&1 | sed "s|$1||g; s/$(basename "$1")//g"; }
different=() count=0
for plain in variants/*.plain; do
	format=$(basename "${plain%%=*}")
	want=$(rows "$plain" --from "$format")
	case $want in 'perun: '*) continue ;; esac # a faulty file
	for kind in crlf mark little big log $(grep -qP '[^\t\n\f\r -\x7e\x80-\xff]' "$plain" || echo colors); do
		count=$((count + 1))
		[ "$(rows "${plain%plain}$kind" --from "$format")" = "$want" ] || different+=("${plain%plain}$kind")
	done
done
check 'files were read' test "$count" -gt 150
if [ "${#different[@]}" = 0 ]; then ok 'other encodings are the same profiles'; else
	not_ok 'other encodings are the same profiles'
	diag "${different[@]}"
fi

plain=$PWD
# Formats are recognized, whatever the name is, and how much text there is.
python3 - <<'PY'
stacks = "".join(f"main;f{i};größe;😀 {i + 1}\n" for i in range(20000))
trace = '{"label":"' + "x" * 40000 + '","traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":7,"name":"f"}]}'
for name, text in (("stacks", stacks), ("trace", trace), ("table", "name,value,unit\nfirst,3,ms\n"), ("page", "<html></html>")):
    open(name, "w", encoding="utf-8").write(text)
    open(name + "-mark", "w", encoding="utf-8-sig").write(text)
    open(name + "-little", "wb").write(b"\xff\xfe" + text.encode("utf-16-le"))
    open(name + "-big", "wb").write(b"\xfe\xff" + text.encode("utf-16-be"))
PY
top() { perun show --json "$1" top | sed 1,3d; }
for kind in mark little big; do
	for name in stacks trace; do
		check "$name-$kind is recognized" test "$(top "$name-$kind")" = "$(top "$name")"
		gzip -k "$name-$kind"
		check "$name-$kind.gz" test "$(top "$name-$kind.gz")" = "$(top "$name")"
		check "$name-$kind from standard input" test "$(top - <"$name-$kind")" = "$(top "$name")"
		check "$name-$kind through a pipe" test "$(cat "$name-$kind" | top -)" = "$(top "$name")"
	done
	expect_status 0 perun convert "table-$kind" -
	expect_out '0.003'
	expect_status 3 perun show "page-$kind" top
	expect_err 'XML or HTML' "what is not read is named: page-$kind"
done

# What programs write for a terminal: colours, a line that takes the place of another, links, the cursor.
printf '%b' '-----\nBenchmark  Time  CPU  Iterations\n-----\n' '\033[?25lRunning\r\033[K\033[0;32mBM_One    \033[m\033[0;33m  10 ns   10 ns\033[m \033[36m100\033[m\n' \
	'BM_Two\033[2K\rBM_Three  30 ns  30 ns  100\n' '\033]8;;file:///a\aBM_Four\033]8;;\033\\\\  40 ns  40 ns  100\n\033[?25h' >colored
for call in colored '--from google-benchmark colored'; do
	# shellcheck disable=SC2086
	expect_status 0 perun convert $call bm.perf
	check "without codes: $call" test "$(perun show bm.perf | awk '/real/ { print $1, $3 }' | xargs)" = 'BM_One 10.0 BM_Three 30.0 BM_Four 40.0'
done
# A whole log: a mark, and times before lines of all kinds.
python3 - "$corpus/go-bench" colored <<'PY'
import pathlib, sys
noise = [f"##[group]Run step {i}" for i in range(300)]
text = noise + next(p for p in sorted(pathlib.Path(sys.argv[1]).iterdir()) if p.name == "two.txt").read_text().splitlines() + ["Post job cleanup."]
open("whole.log", "w", encoding="utf-8-sig").write("".join(f"2026-11-29T23:30:{i % 60:02d}.1234567Z {line}\n" for i, line in enumerate(text)))
PY
want=$(rows "$corpus/go-bench/two.txt") got=$(rows whole.log)
check 'a whole log of continuous integration' test "${got//whole.log/}" = "${want//two.txt/}"
# Bytes that no text has: not a text.
printf 'a;b 1\n\001\033[31mc 2\n' >binary
check 'data stays as it is' test "$(perun convert --to collapsed --from collapsed binary - 2>/dev/null | grep -c $'\033')" = 1

# The store keeps the file as it came, and reads it again.
new_repo
perun init >/dev/null 2>&1
expect_status 0 perun import "$plain/stacks-little" "$plain/trace-mark"
check 'from the store' test "$(perun show --json 0@i top 2>/dev/null | grep -c '"self"')" -gt 0

# Formats that say which encoding they have.
for file in "$corpus"/afperf/*; do
	if perun convert "$file" - >/dev/null 2>&1; then break; fi
done
{ printf '\xef\xbb\xbf' && cat "$file"; } >marked.afperf
expect_status 3 perun convert --from afperf marked.afperf -
expect_err 'byte order mark'
perun convert "$plain/stacks" "$plain/native.perf"
{ printf '\xef\xbb\xbf' && cat "$plain/native.perf"; } >marked.perf
expect_status 3 perun convert --from perun marked.perf -
expect_err 'byte order mark'
finish
