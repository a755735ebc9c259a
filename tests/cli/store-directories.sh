# SPDX-License-Identifier: BSD-3-Clause
# Profiles that are directories in a store: an archive of the files that were read, which gives what the directory gives.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed'
corpus=$top_srcdir/tests/fuzz/corpus

new_repo
perun init >/dev/null

# attachments FOLDER: unpack each archive of the store there, by tar; prints their names.
attachments() {
	python3 - "$1" <<'PYTHON'
import glob, os, subprocess, sys, zlib
for path in sorted(glob.glob(".perun/objects/??/*")):
    data = open(path, "rb").read()
    if data[:1] != b"\x78":
        continue
    head, _, body = zlib.decompress(data).partition(b"\0")
    if head.startswith(b"attachment "):
        folder = sys.argv[1] + "/" + os.path.basename(path)[:8]
        os.makedirs(folder)
        subprocess.run(["tar", "-C", folder, "-xf", "-"], input=body, check=True)
        print(folder)
PYTHON
}
# tau FOLDER: three processes, and what nobody reads.
tau() {
	mkdir -p "$1/MULTI__GET_TIME_OF_DAY"
	for rank in 0 1 2; do
		sed "s/ 60 60 / 6$rank 6$rank /" "$corpus/tau/file" >"$1/profile.$rank.0.0"
	done
	echo 'not read' >"$1/notes.txt"
	ln -s profile.0.0.0 "$1/link"
}
tau one/tau
if ! perun convert --from tau --to collapsed one/tau - >/dev/null 2>&1; then
	skip_all 'the format tau was not built'
fi
expect_status 0 perun -c store.expanded_rows=0 import one/tau/
check 'the directory gives its name' grep -q '"source": "tau"' <(perun log --json -n 1)
expect_text 1 "$(attachments unpacked | wc -l)" 'the store has an archive'
expect_text 'profile.0.0.0 profile.1.0.0 profile.2.0.0' "$(ls unpacked/* | xargs)" 'of the files that were read'
for rank in 0 1 2; do
	expect_same one/tau/profile.$rank.0.0 "$(echo unpacked/*)/profile.$rank.0.0"
done
expect_status 0 perun fsck
expect_status 0 perun gc --older-than 0s
expect_status 0 perun fsck

# same STORED DIRECTORY WHAT: what commands print of the one they print of the other; names and what an import adds apart.
same() {
	local stored=$1 directory=$2 what=$3 command differ=
	for command in 'show % top' 'show % tree' 'show % scaling' 'convert --to collapsed % -' 'convert --to pprof -o plain=yes % -' \
		'convert --to extrap-jsonl % -' 'convert --to perun % -' 'pprof -top %' 'model --json %'; do
		# shellcheck disable=SC2086
		perun ${command//%/"$stored"} >stored.out 2>/dev/null
		# shellcheck disable=SC2086
		perun ${command//%/"$directory"} >directory.out 2>/dev/null
		case $command in *'--to perun'*) sed -i '/^  "models": /,$d' stored.out directory.out ;; esac
		cmp -s stored.out directory.out || differ="$differ$command; "
	done
	expect_text '' "$differ" "$what: the same of the store"
}
same tau one/tau tau
expect_status 0 env TMPDIR=/nonexistent "$PERUN" show tau top # nothing is unpacked

# The same files elsewhere, made in another order and at another time, are the same object.
mkdir two
cp -r one/tau two/tau
rm two/tau/profile.0.0.0 two/tau/notes.txt
cp one/tau/profile.0.0.0 two/tau/
touch -d '1 hour ago' two/tau/profile.1.0.0
before=$(find .perun/objects -path '*/??/*' ! -name '*.*' | sort)
expect_status 0 perun -c store.expanded_rows=0 import --cmd other two/tau
expect_text 1 "$(comm -13 <(echo "$before") <(find .perun/objects -path '*/??/*' ! -name '*.*' | sort) | wc -l)" 'the same files are stored once'

# Expanded, or small: rows are stored, in the first case these alone.
cp -r one/tau expanded
expect_status 0 perun import --expand expanded
expect_text 1 "$(rm -rf unpacked; attachments unpacked | wc -l)" 'no archive of what is expanded'
cp -r one/tau small
sed -i 's/ 60 60 / 777 777 /' small/profile.0.0.0
expect_status 0 perun import small
expect_text 2 "$(rm -rf unpacked; attachments unpacked | wc -l)" 'small ones have both'
expect_text "$(perun show ./expanded top)" "$(perun show expanded top)" 'which shows the same'
same small ./small small
expect_status 0 perun fsck

# Files in directories, whose times say which run they are of: what was left out is left out.
if perun plugin list format | grep -q criterion; then
	for path in sort/1.5 copy; do
		mkdir -p criterion/$path/new criterion/$path/base criterion/report
		printf '{"group_id":"g","full_id":"%s"}' $path >criterion/$path/new/benchmark.json
		echo '{"sampling_mode":"Linear","iters":[10.0,20.0],"times":[50.0,120.0]}' >criterion/$path/new/sample.json
		cp criterion/$path/new/* criterion/$path/base
	done
	touch -d '1 hour ago' criterion/copy/new/sample.json
	echo 'not read' >criterion/sort/README
	expect_status 0 perun -c store.expanded_rows=0 import criterion
	expect_status 0 perun show criterion raw
	expect_no_out copy
	same criterion ./criterion criterion
	expect_status 0 perun -c store.expanded_rows=0 import -o all-runs criterion --profile-name all
	expect_status 0 perun show all raw
	expect_out copy
	expect_text sort/1.5 "$(rm -rf unpacked; attachments unpacked >/dev/null; cd unpacked/*/sort/.. && echo sort/*)" 'directories are unpacked'
fi
if perun plugin list format | grep -q hpctoolkit; then
	mkdir database
	sed 's|<MetricTable>.*</MetricTable>|<MetricDBTable><MetricDB i="0" n="CPUTIME (usec) (I)" t="inclusive"/><MetricDB i="1" n="CPUTIME (usec) (E)" t="exclusive"/></MetricDBTable>|' \
		"$corpus/hpctoolkit/experiment" >database/experiment.xml
	python3 - database <<'PYTHON'
import struct, sys
for rank in range(2):
    values = [0.0] * 16
    values[(7 - 1) * 2 + 1] = 100.0 + rank  # of node 7
    with open(f"{sys.argv[1]}/1.app-{rank:06}-000-a8c0-{rank + 7}-0.metric-db", "wb") as out:
        out.write(b"HPCPROF-metricdb__00.10b" + struct.pack(">ii", 8, 2) + struct.pack(">16d", *values))
PYTHON
	expect_status 0 perun -c store.expanded_rows=0 import database
	same database ./database hpctoolkit
	python3 "$top_srcdir/tests/tools/hpctoolkit.py" threads
	touch threads/cct.db threads/trace.db
	expect_status 0 perun -c store.expanded_rows=0 import threads
	same threads ./threads 'hpctoolkit from 2022 on'
	expect_text '2 files' "$(rm -rf unpacked; attachments unpacked >/dev/null; ls unpacked/*/*.db | sed 's|.*/||' | sort -u | wc -l) files" 'what is not read is not stored'
fi
# Cube: a directory for each point and repetition, with packed files, of which one is compressed as a whole, and files that are passed over.
if perun plugin list format | grep -q cube; then
	{
		echo 'PARAMETER p'
		echo 'POINTS ( 1 ) ( 2 ) ( 4 ) ( 8 ) ( 16 )'
		for region in main 'main->f<T>'; do
			printf 'REGION %s\nMETRIC time\n' "$region"
			for p in 1 2 4 8 16; do echo "DATA $((3 * p + ${#region})) $((3 * p + ${#region} + 1))"; done
		done
	} >measured.txt
	expect_status 0 perun convert --from extrap-text --to cube measured.txt scorep
	files=$(find scorep -name '*.cubex' | sort)
	check 'points and repetitions' test "$(wc -l <<<"$files")" -ge 10
	gzip -c "$(sed -n 3p <<<"$files")" >packed && mv packed "$(sed -n 3p <<<"$files")"
	folder=$(dirname "$(sed -n 1p <<<"$files")")
	echo 'not read' >scorep/notes.txt
	echo 'not read' >"$folder/scorep.cfg"
	ln -s profile.cubex "$folder/link"
	expect_status 0 perun -c store.expanded_rows=0 import scorep
	expect_text "$(cd scorep && find . -name '*.cubex' | sort)" \
		"$(rm -rf unpacked; perun convert --original scorep unpacked && cd unpacked && find . -type f | sort)" 'the files of Cube that were read'
	same scorep ./scorep cube
	check 'with its models' grep -q 'p^(1)' stored.out
	# Options of the format are kept.
	expect_status 0 perun -c store.expanded_rows=0 import -o inclusive=yes --profile-name inclusive scorep
	for command in 'convert --to collapsed' 'convert --to extrap-jsonl' 'convert --to pprof -o plain=yes'; do
		# shellcheck disable=SC2086
		expect_text "$(perun $command -o inclusive=yes ./scorep - 2>/dev/null | cksum)" "$(perun $command inclusive - 2>/dev/null | cksum)" "cube: the same with its option, $command"
	done
	# A file amid the archive that is damaged is named.
	cp -r scorep scorep-broken
	head -c 700 "$(sed -n 5p <<<"$files")" >"scorep-broken/$(sed -n '5s|^scorep/||p' <<<"$files")"
	expect_status 3 perun import scorep-broken
	expect_one_line
fi
# Databases of SQLite, of which one is read at a time, in directories that are points.
if perun plugin list format | grep -q nsight && python3 -c 'import sqlite3' 2>/dev/null; then
	for p in 1 2 4; do
		mkdir -p points/app.p$p
		python3 - points/app.p$p/rank0.sqlite $p <<'PYTHON'
import sqlite3, sys
run = (db := sqlite3.connect(sys.argv[1])).execute
p = int(sys.argv[2])
run("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
run("INSERT INTO StringIds VALUES (0, 'cudaMemsetAsync_v3020')")
run("CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, domainId INTEGER, uint32Value INTEGER)")
run("INSERT INTO NVTX_EVENTS VALUES (1, NULL, 75, 'de.tu-darmstadt.parallel.extra_prof', 5, 1, NULL), (1000, ?, 59, 'main', 5, 1, 0)",
    (1000 + 1000 * p,))
run("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, callchainId INTEGER)")
run("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1100, 1200, 5, 20, 0, NULL)")
db.commit()
PYTHON
	done
	expect_status 0 perun -c store.expanded_rows=0 import points
	same points ./points nsight
fi
expect_status 0 perun fsck

# What cannot be read is not stored, and says why.
mkdir broken
cp one/tau/profile.0.0.0 broken/profile.0.0.0
echo nonsense >broken/profile.1.0.0
run perun import broken
check 'a directory of which a file is damaged is refused' test "$status" -eq 3
expect_one_line
expect_status 0 perun fsck

# ---- archives that are not what they should be ----
# forge NAME FORMAT: what the script on standard input makes as `data`, in the place of the original of a profile NAME.
forge() {
	python3 - "$1" 3<&0 <<'PYTHON'
import hashlib, io, json, os, sys, tarfile, zlib

def put(kind, body):
    data = b"%s %d\0" % (kind, len(body)) + body
    name = hashlib.sha1(data).hexdigest()
    os.makedirs(".perun/objects/" + name[:2], exist_ok=True)
    path = ".perun/objects/%s/%s" % (name[:2], name[2:])
    if not os.path.exists(path):
        with open(path, "wb") as file:
            file.write(zlib.compress(data))
    return name

def tar(*files, kind=tarfile.REGTYPE):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, text in files:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd" if kind != tarfile.REGTYPE else ""
            info.size = len(text) if kind == tarfile.REGTYPE else 0
            archive.addfile(info, io.BytesIO(text))
    return out.getvalue()

text = open("one/tau/profile.0.0.0", "rb").read()
archive = "ustar"
scope = globals()
exec(os.fdopen(3).read(), scope)
document = {"header": {"type": "mixed", "cmd": "a", "workload": "", "units": {}}, "collector_info": {"name": "x", "params": {}},
            "postprocessors": [], "attachment": {"object": put(b"attachment original", scope["data"]), "name": "tau", "format": "tau",
            "size": 3, "archive": scope["archive"], "resources": "leading", "totals": {}},
            "resources": {}, "resource_type_map": {}, "models": []}
json.dump(document, open(sys.argv[1], "w"))
PYTHON
	perun add --force "$1" >/dev/null
}
# refused WHAT MESSAGE: the forged profile cannot be read, which is said in a line.
refused() {
	perun rm forged.perf >/dev/null 2>&1
	forge forged.perf
	expect_status 3 perun show forged.perf top
	expect_err "$2" "$1: $2"
	expect_one_line
	expect_status 3 perun convert --to perun forged.perf -
}
forge good.perf <<'P'
data = tar(("profile.0.0.0", text))
P
expect_status 0 perun show good.perf top
refused 'an absolute name' 'not below the directory' <<<'data = tar(("/tmp/profile.0.0.0", text))'
refused 'a name that leads out' 'not below the directory' <<<'data = tar(("../profile.0.0.0", text))'
refused 'a symbolic link' 'expected a file' <<<'data = tar(("profile.0.0.0", b""), kind=tarfile.SYMTYPE)'
refused 'a device' 'expected a file' <<<'data = tar(("profile.0.0.0", b""), kind=tarfile.CHRTYPE)'
refused 'one that is cut off' 'it ends within a file' <<<'data = tar(("profile.0.0.0", text))[:600]'
refused 'one without its end' 'it has no end' <<<'data = tar(("profile.0.0.0", text))[:512 + (len(text) + 511) // 512 * 512]'
refused 'nothing' 'it has no end' <<<'data = b""'
refused 'what is none' 'expected a header of tar' <<<'data = b"x" * 4096'
refused 'a size beyond all' 'wrong' <<<'data = bytearray(tar(("profile.0.0.0", text))); data[124:135] = b"77777777777"; data = bytes(data)'
# Half a gigabyte of headers.
is_long && refused 'a million files' 'too many files' <<<'data = b"".join(tar(("f%07d" % i, b""))[:512] for i in (0,)) and b"".join(
 (lambda h: h[:148] + b"%06o\0 " % (sum(h[:148]) + 256 + sum(h[156:])) + h[156:])(b"f%07d" % i + head[8:])
 for head in [tar(("f0000000", b""))[:512]] for i in range(1 << 20 | 1)) + bytes(1024)'
refused 'names that are not in order' 'not in the order' <<<'data = tar(("profile.1.0.0", text), ("profile.0.0.0", text))'
refused 'another kind of archive' 'unknown kind of archive: zip' <<<'data, archive = tar(("profile.0.0.0", text)), "zip"'
refused 'no profile in it' 'tau' <<<'data = tar(("other", text))'

# ---- shared with a clone ----
if perun push --help >/dev/null 2>&1; then
	git init -q --bare ../remote.git
	git remote add origin ../remote.git
	perun rm forged.perf good.perf >/dev/null 2>&1
	git push -q origin HEAD:refs/heads/main
	expect_status 0 perun push
	git clone -q ../remote.git ../clone
	expected=$(perun show tau top | cksum)
	cd ../clone || exit 1
	perun init >/dev/null 2>&1
	expect_status 0 perun fetch
	expect_text "$expected" "$(perun show tau top | cksum)" 'a clone shows the same'
	expect_status 0 perun fsck
fi

finish
