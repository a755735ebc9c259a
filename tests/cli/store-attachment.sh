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
	expect_text 'attachment kept.csv 39 True' "$found" 'the attachment has the bytes of the file'
	check 'the Python program can load what is registered' \
		python3 "$top_srcdir/tests/store/python-store.py" list .perun "$(git rev-parse HEAD)"
fi

# A profile that stands for one that is not there is refused, and told when it is there all the same.
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
for file in .perun/objects/??/*; do
	mv "$file" ../taken
	run perun fsck
	mv ../taken "$file"
	case $out in *'its attachment '*' is missing'*) told=yes ;; esac
done
expect_text yes "${told-}" 'an attachment that is gone is told'
expect_status 0 perun fsck

# Expanded, all rows stand in the object itself.
expect_status 0 perun rm 0@i
cp original.csv expanded.csv
expect_status 0 perun add --expand expanded.csv
run perun log --json -n 1
expect_out '"source": "expanded.csv"'
expect_status 0 perun gc --older-than 0s
run perun show 0@i raw
expect_out 'main'
expect_status 0 perun fsck
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
