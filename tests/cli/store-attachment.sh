# SPDX-License-Identifier: BSD-3-Clause
# Profiles of other formats in a store: kept as they came beside a small profile, or expanded.
. "${top_srcdir:-.}/tests/cli/lib.sh"
[ -e "$top_builddir/core/.libs/libperun.so" ] || skip_all 'a static build loads no plugins'

mkdir "$work/csv"
# shellcheck disable=SC2086
${CC-cc} -shared -fPIC -O1 -fvisibility=hidden ${SANITIZE-} -I"$top_srcdir/plugins/include" \
	-o "$work/csv/perun-format-csv.so" "$top_srcdir/plugins/example-format/csv.c" 2>"$work/cc.log" ||
	skip_all 'the example format does not build here'
export PERUN_PLUGIN_PATH=$work/csv:$PERUN_PLUGIN_PATH

new_repo
perun init >/dev/null
printf 'uid,amount,type\nmain,3,time\nf,0.5,time\n' >kept.csv
cp kept.csv original.csv
expect_status 0 perun add --move kept.csv
check 'the file is gone' test ! -e kept.csv
run perun log --json -n 1
expect_out '"source": "kept.csv"'
expect_out '"collector": "csv"'
expect_status 0 perun fsck

# What is read is the profile in its own format.
run perun show 0@i raw
expect_out 'main'
expect_out '0.5'

# Its bytes are there as they came, and gc keeps them.
expect_status 0 perun gc --older-than 0s
expect_status 0 perun fsck
run perun show 0@i raw
expect_out 'main'
if command -v python3 >/dev/null; then
	found=$(python3 - <<'PYTHON'
import glob, zlib
for path in glob.glob(".perun/objects/??/*"):
    data = open(path, "rb").read()
    if data[:1] == b"\x78":
        head, _, body = zlib.decompress(data).partition(b"\0")
        if head.startswith(b"attachment "):
            print(head.decode(), body == open("original.csv", "rb").read())
PYTHON
	)
	expect_text 'attachment original 39 True' "$found" 'the attachment has the bytes of the file'
	check 'the Python program can load what is registered' \
		python3 "$top_srcdir/tests/store/python-store.py" list .perun "$(git rev-parse HEAD)"
fi

# A profile whose attachment is not there is refused; fsck finds one whose attachment was lost.
missing=0123456789012345678901234567890123456789
cat >forged.perf <<JSON
{"header": {"type": "time", "cmd": "a", "workload": "", "units": {"time": "s"}},
 "collector_info": {"name": "time", "params": {}}, "postprocessors": [],
 "resources": {}, "resource_type_map": {}, "models": [],
 "attachment": {"object": "$missing", "name": "x.csv", "format": "csv", "size": 3}}
JSON
expect_status 3 perun add forged.perf
expect_err "object $missing is missing"
expect_err 'add that profile itself'
expect_one_line
check 'the file stays' test -e forged.perf
expect_status 0 perun fsck
# attachment_gone: what fsck says, with its status, of a store whose attachment is gone.
attachment_gone() {
	for file in .perun/objects/??/*; do
		mv "$file" ../taken
		run perun fsck
		mv ../taken "$file"
		case $out in *'its attachment '*' is missing'*) printf '%s %s\n' "$status" "$(grep 'its attachment' <<<"$out" | grep -o 'harmless')" ;; esac
	done
}
expect_text '3 ' "$(attachment_gone)" 'an attachment that is gone is a problem'
expect_status 0 perun fsck

# Where no version has the profile, as after a power cut before its index was written, it is none; an add mends it.
expect_status 0 perun rm 0@i
expect_text '0 harmless' "$(attachment_gone)" 'without a version it is none'

# Expanded, all rows are in the object itself.
cp original.csv expanded.csv
expect_status 0 perun add --expand expanded.csv
run perun log --json -n 1
expect_out '"source": "expanded.csv"'
expect_status 0 perun gc --older-than 0s
run perun show 0@i raw
expect_out 'main'
expect_status 0 perun fsck
# ---- perun import: each format gives of the store what it gives of the file ----
new_repo
perun init >/dev/null
mkdir originals
for folder in "$top_srcdir"/tests/fuzz/corpus/*/; do
	format=$(basename "$folder")
	[ -e "$top_builddir/plugins-built/perun-format-$format.plugin" ] || continue
	for seed in "$folder"*; do
		perun convert --from "$format" --to perun "$seed" "originals/$format.file" >/dev/null 2>&1 || continue
		cp "$seed" "originals/$format"
		break
	done
done
check 'most formats have a file to try' test "$(ls originals | wc -l)" -gt 80
# resources FILE: without the document, in which the import put the name of the file.
resources() {
	sed '/^  "models": /,$d' "$1"
}
for file in originals/*.file; do
	format=$(basename "$file" .file)
	[ "$format" = perun ] && continue
	if ! perun -c store.expanded_rows=0 import --format "$format" "originals/$format" >/dev/null 2>&1; then
		expect_text imported no "$format"
		continue
	fi
	perun convert --to perun "$format" "originals/$format.kept" >/dev/null 2>&1 || : >"originals/$format.kept"
	expect_text "$(resources "$file")" "$(resources "originals/$format.kept")" "$format: the same of the store"
done
expect_status 0 perun fsck

# Locations are the same whether a profile was expanded or kept.
new_repo
perun init >/dev/null
printf 'main;f;hot 700\nmain;g;hot 100\nmain;f 300\n' >stacks.folded
printf 'BenchmarkA-8 10 5 ns/op\nBenchmarkA-8 10 6 ns/op\n' >bench.txt
perun import --expand stacks.folded bench.txt >/dev/null
commit 'kept'
perun -c store.expanded_rows=0 import stacks.folded bench.txt >/dev/null
run perun history --json samples
expect_out '"location": "hot"'
expect_no_out '"location": "main;f;hot"'
check 'both versions are in one series' test "$(printf '%s\n' "$out" | grep -c '"count": 2')" -gt 0
run perun check --json head
expect_out '"changes": []'

# What it was imported with counts whenever it is read, and a copy without the original says what is missing.
printf 'took 5 ms\ntook 6 ms\n' >lines.log
expect_status 0 perun -c store.expanded_rows=0 import --format lines -o 'pattern=took (?<value>[0-9]+) ms' --cmd server --workload load lines.log
run perun show lines.log raw
expect_out '"workload": "load"'
expect_out '"cmd": "server"'
cp lines.log same.log
before=$(ls .perun/objects/*/* | wc -l)
expect_status 0 perun -c store.expanded_rows=0 import --format lines -o 'pattern=took (?<value>[0-9]+) ms' --cmd server --workload load same.log
expect_text $((before + 1)) "$(ls .perun/objects/*/* | wc -l)" 'the same bytes are stored once'

# What needs another limit of its format is stored with its rows: a store from elsewhere may not move limits.
printf '{"nodes": [{"id": 1, "callFrame": {"functionName": "f", "url": "", "lineNumber": 1, "columnNumber": 1}, "hitCount": 3}], "startTime": 0, "endTime": 3, "samples": [1, 1, 1], "timeDeltas": [1, 1, 1]}' >moved.cpuprofile
before=$(ls .perun/objects/*/* | wc -l)
expect_status 0 perun -c store.expanded_rows=0 import -o frame-limit=99 moved.cpuprofile
expect_text $((before + 1)) "$(ls .perun/objects/*/* | wc -l)" 'no original beside it'
run perun show moved.cpuprofile raw
expect_out '"f"'

# Without the plugin the rows of a small profile do; of a large one it is said what is missing.
printf 'uid,amount,type\nmain,3,time\nf,0.5,time\n' >small.csv
printf 'uid,amount,type\nmain,4,time\nf,0.5,time\n' >large.csv
expect_status 0 perun import small.csv
expect_status 0 perun -c store.expanded_rows=0 import large.csv
mv "$work/csv" "$work/gone"
expect_status 0 perun show small.csv raw
expect_out '0.5'
expect_err 'its stored resources are used instead'
run perun show large.csv raw
expect_err 'it is kept in the format csv'
expect_one_line
check 'that is a failure' test "$status" -ne 0
mv "$work/gone" "$work/csv"

# Few rows of deep stacks name so many frames that these are not stored one by one.
deep() {
	awk -v frames="$1" 'BEGIN { for (i = 1; i <= 90; i++) { s = "main" i; for (k = 1; k < frames; k++) s = s ";f" (k * i) % 997; print s, i } }'
}
deep 20 >shallow.folded
deep 200 >deep.folded
for file in shallow deep; do
	before=$(ls -l .perun/objects/*/* | awk '{ sum += $5 } END { print sum }')
	expect_status 0 perun import $file.folded
	after=$(ls -l .perun/objects/*/* | awk '{ sum += $5 } END { print sum }')
	eval "$file=\$(((after - before) * 10 / \$(gzip -c $file.folded | wc -c)))"
done
check "rows are stored as well where stacks have few frames: $shallow tenths" test "$shallow" -gt 15
check "not where these take more than half as much again: $deep tenths" test "$deep" -le 15
expect_text "$(perun show ./deep.folded top)" "$(perun show deep.folded top)" 'which shows the same'

# What names the original comes first, so that views do not read the rows: not even where they are damaged, which fsck says.
awk 'BEGIN { for (i = 1; i <= 900; i++) { s = "main" i % 7; for (k = 1; k < 14; k++) s = s ";f" (k * i) % 997; print s, i } }' >rows.folded
expect_status 0 perun import rows.folded
cat >first.py <<'END'
"""The object of rows.folded, and how it begins."""
import sys
import zlib
for path in sys.argv[1:]:
    try:
        text = zlib.decompress(open(path, "rb").read())
    except zlib.error:
        continue  # the index of a version
    if text.startswith(b"profile ") and b'"name": "rows.folded"' in text:
        print(path, text.partition(b"\0")[2][:26].decode())
END
read -r rows first <<<"$(find .perun/objects -type f -path '*/??/*' ! -name '*.*' -exec python3 first.py {} +)"
expect_text '{"attachment": {"object":' "$first" 'it is the first member'
chmod u+w "$rows"
cp "$rows" rows.kept
truncate -s -99 "$rows"
expect_text "$(perun show ./rows.folded top)" "$(perun show rows.folded top)" 'what is shown does not depend on the rows'
expect_status 3 perun fsck
cp rows.kept "$rows"
expect_status 0 perun fsck
# Totals of many metrics are longer than what is read of it at first.
PYTHONPATH=$top_srcdir/tests/hostile python3 -c 'import costly, sys; sys.stdout.buffer.write(costly.pprof_many_types(300))' >types.pb
expect_status 0 perun -c store.expanded_rows=0 import types.pb
expect_text "$(perun convert --to pprof -o plain=yes ./types.pb - | cksum)" "$(perun convert --to pprof -o plain=yes types.pb - | cksum)" 'whose original is found all the same'

# Of any format: what is read, hashed and kept comes from one opening of the file.
printf 'uid,amount,type\nmain,4,time\n' >once.csv
if strace -o trace true 2>/dev/null; then
	# Leaks cannot be looked for in a traced program.
	expect_status 0 env ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=open,openat,openat2 -o trace "$PERUN" add once.csv
	expect_text 1 "$(grep -c '"once.csv"' trace)" 'a source is opened once'
else
	skip 'a source is opened once: no strace'
fi

finish
