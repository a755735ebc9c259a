# SPDX-License-Identifier: BSD-3-Clause
# perun convert --original: the bytes that were imported, of files and of directories.
. "${top_srcdir:-.}/tests/cli/lib.sh"
corpus=$(cd "$top_srcdir" && pwd)/tests/fuzz/corpus

new_repo
perun init >/dev/null
mkdir from
printf 'main;f 3\nmain;g 5\n' >from/a.folded
gzip -nc from/a.folded >from/b.folded.gz
cp "$corpus/pprof/full" from/heap.pb
gzip -nc1 from/heap.pb >from/cpu.pb.gz
expect_status 0 perun -c store.expanded_rows=0 import from/a.folded
for file in b.folded.gz heap.pb cpu.pb.gz; do expect_status 0 perun import from/$file; done

# ---- files: the very bytes, compressed as they came ----
mkdir here
for file in a.folded b.folded.gz heap.pb cpu.pb.gz; do
	expect_status 0 perun convert --original $file here/$file
	expect_text '' "$out$err" 'where to was said: nothing to say'
	expect_same from/$file here/$file "$file: the bytes that came"
	expect_text 0 "$(perun convert --original $file - | cmp - from/$file; echo $?)" "$file: on standard output"
done
expect_status 0 perun convert --original a.folded here/again.pb.gz
expect_same from/a.folded here/again.pb.gz 'the name of the output chooses no format'
checksum=$(perun log --json -n 1 | grep -A 1 '"source": "a.folded"' | grep -o '[0-9a-f]\{40\}')
commit second
for word in HEAD~1^a.folded "$checksum" "HEAD~1^$checksum"; do
	expect_status 0 perun convert --original "$word" here/again.pb.gz
	expect_same from/a.folded here/again.pb.gz "$word"
done
expect_status 0 perun convert --original HEAD~1^0@i here/newest
check 'a tag of another version' grep -qF "$(cksum <here/newest)" <(for file in from/*; do cksum <"$file"; done)
expect_status 0 perun convert --json --original HEAD~1^a.folded here/a.json
expect_text '{ "path": "here/a.json", "format": "collapsed", "lost": [] }' "$(xargs -d '\n' <<<"$out" | tr -s ' ')" 'as JSON'
expect_status 2 perun convert --json --original HEAD~1^a.folded -
expect_status 2 perun convert --original HEAD~1^0@i-3@i x
expect_err 'names 4 profiles'

# ---- where to ----
cd here && rm ./*
expect_status 0 perun convert --original HEAD~1^cpu.pb.gz
expect_text 'written to cpu.pb.gz' "$out" 'the name that was chosen is said'
expect_same ../from/cpu.pb.gz cpu.pb.gz 'under the name of what came'
echo mine >cpu.pb.gz
expect_status 3 perun convert --original HEAD~1^cpu.pb.gz
expect_err 'cpu.pb.gz exists already: name the output to replace it'
expect_one_line
expect_text mine "$(cat cpu.pb.gz)" 'and stays'
ln -s nowhere heap.pb
expect_status 3 perun convert --original HEAD~1^heap.pb
check 'nothing is written through a link, which stays' test ! -e nowhere -a -L heap.pb
expect_status 0 perun convert --original HEAD~1^cpu.pb.gz cpu.pb.gz
expect_same ../from/cpu.pb.gz cpu.pb.gz 'an output that was named is replaced'
mkdir folder
expect_status 3 perun convert --original HEAD~1^cpu.pb.gz folder
expect_err 'folder is a directory'
if [ -w /dev/full ]; then
	expect_status 3 perun convert --original HEAD~1^a.folded /dev/full
	expect_err 'cannot write /dev/full: No space left on device'
	expect_one_line
	status=0
	perun convert --original HEAD~1^a.folded - 2>../full.err >/dev/full || status=$?
	expect_text '3 1' "$status $(wc -l <../full.err)" 'a full standard output'
fi
expect_status 3 perun convert --original HEAD~1^a.folded missing/out
expect_one_line
cd .. || exit 1

# ---- what has none, and what does not fit ----
for words in '--to perun' '--to=pprof' '--from collapsed' '-o x=y' --chunks --symbolize '--binary /bin/true'; do
	# shellcheck disable=SC2086
	expect_status 2 perun convert --original $words HEAD~1^a.folded here/out
	expect_err 'does not go with --'
	expect_one_line
done
check 'nothing is written' test ! -e here/out
# none WORD: it says that there is no original, and what to do.
none() {
	expect_status 3 perun convert --original "$1" here/out
	expect_err 'has no original: perun convert --to perun writes what is stored'
	expect_one_line
	expect_status 0 perun convert --to perun "$1" here/stored
}
perun convert --to perun from/a.folded own.perf
expect_status 0 perun add own.perf
none own.perf
expect_status 0 perun import --expand --profile-name expanded from/a.folded
none expanded
cp own.perf .perun/jobs/pending.perf
none 0@p
none pending
none .perun/jobs/pending.perf
none ./own.perf
none ./from/a.folded
expect_status 3 perun convert --original no-such here/out
expect_err 'no profile no-such'
expect_one_line
check 'nothing was written' test ! -e here/out

# ---- a pending profile, or a file, that names what the store has ----
original=$(command -v python3 >/dev/null && python3 - "$checksum" <<'PYTHON'
import json, sys, zlib
name = sys.argv[1]
text = zlib.decompress(open(".perun/objects/%s/%s" % (name[:2], name[2:]), "rb").read()).partition(b"\0")[2]
print(json.loads(text)["attachment"]["object"])
PYTHON
)
# names FILE NAME [MORE]: a profile whose original has that name, and more members.
names() {
	cat >"$1" <<JSON
{"header": {"type": "mixed", "cmd": "a", "workload": "", "units": {}}, "collector_info": {"name": "x", "params": {}},
 "postprocessors": [], "attachment": {"object": "$original", "name": "$2", "format": "collapsed", "size": 3,
 ${3-} "resources": "leading", "totals": {}}, "resources": {}, "resource_type_map": {}, "models": []}
JSON
}
if [ -n "$original" ]; then
	names .perun/jobs/named.perf given.folded
	names file.perf file.folded
	for word in named .perun/jobs/named.perf file.perf; do
		expect_status 0 perun convert --original "$word" here/given
		expect_same from/a.folded here/given "$word: of a pending profile and a file"
	done
	cd here || exit 1
	expect_status 0 perun convert --original named
	expect_same ../from/a.folded given.folded 'under its name'
	# A name from elsewhere leads nowhere else, and hides nothing.
	for name in '' . .. ../up /tmp/perun-up .hidden .git/hooks/post-commit -x - 'a\nb' 'a\u001b[2Jb'; do
		names ../file.perf "$name"
		expect_status 3 perun convert --original ../file.perf
		expect_err 'has no name to write it under: name the output'
		expect_one_line
		expect_status 0 perun convert --original ../file.perf named.out
		expect_same ../from/a.folded named.out
	done
	expect_text '' "$(ls -A .. | grep -x up; ls -A | grep '^[.-]')" 'nothing appears under such names'
	names ../file.perf x.data '"reader": "perf-data",'
	expect_status 3 perun convert --original ../file.perf kept.out
	expect_err 'in the format perf-data, was not kept but what was read of it: perun convert --to collapsed writes that'
	expect_one_line
	names ../file.perf x '"archive": "zip",'
	expect_status 3 perun convert --original ../file.perf kept.out
	expect_err 'unknown kind of archive: zip'
	names ../file.perf x '"archive": "ustar",'
	expect_status 3 perun convert --original ../file.perf kept.out
	expect_err 'the archive of its files is damaged at byte 0'
	expect_one_line
	check 'nothing is written' test ! -e kept.out
	cd .. || exit 1
fi

# ---- a recording that was kept as something else says so ----
if [ -e "$corpus/perf-data/plain" ] && perun import --profile-name recorded "$corpus/perf-data/plain" >/dev/null 2>&1; then
	expect_status 3 perun convert --original recorded here/out
	expect_err 'in the format perf-data, was not kept'
	expect_one_line
	expect_status 0 perun convert --to pprof recorded here/recorded.pb.gz
fi

# ---- directories ----
tau() {
	mkdir -p "$1/MULTI__TIME" "$1/MULTI__COUNT"
	for folder in "$1/MULTI__TIME" "$1/MULTI__COUNT"; do
		for rank in 0 1 2; do sed "s/ 60 60 / 6$rank 6$rank /" "$corpus/tau/file" >"$folder/profile.$rank.0.0"; done
	done
	echo 'not read' >"$1/notes.txt"
}
tau from/tau
if perun import from/tau >/dev/null 2>&1; then
	expect_status 0 perun convert --original tau here/tau
	rm from/tau/notes.txt
	check 'the directory with the files that were read' diff -r from/tau here/tau
	expect_text '644' "$(umask 022; perun convert --original tau here/mode && find here/mode -type f -printf '%m\n' | sort -u)" 'as new files are'
	expect_status 3 perun convert --original tau here/tau
	expect_err 'cannot replace here/tau: Directory not empty'
	expect_one_line
	check 'which stays' diff -r from/tau here/tau
	mkdir here/room
	expect_status 0 perun convert --original tau here/room/
	check 'an empty one is filled' diff -r from/tau here/room
	echo file >here/file
	expect_status 3 perun convert --original tau here/file
	expect_err 'exists and is not a directory'
	ln -s room here/link
	expect_status 3 perun convert --original tau here/link
	expect_status 2 perun convert --original tau -
	expect_err 'was imported as a directory, which cannot be written to standard output: name one'
	expect_one_line
	expect_text '' "$(find here from . -maxdepth 1 -name '.perun-*')" 'nothing is left of what failed'
	cd here && rm -rf tau
	expect_status 0 perun convert --original tau
	expect_text 'written to tau' "$out" 'a directory under its name'
	check 'with its files' diff -r ../from/tau tau
	cd .. || exit 1
	expect_status 0 perun convert --json --original tau here/json
	expect_out '"format": "tau"'
	# What was given back is what was imported: the same object.
	before=$(find .perun/objects -type f ! -name '*.*' | wc -l)
	expect_status 0 perun import --profile-name again here/room
	expect_text 1 "$(($(find .perun/objects -type f ! -name '*.*' | wc -l) - before))" 'imported again, only its small profile is new'
fi
if [ -e here/room ]; then
	mkdir from/ranks
	for rank in {0..199}; do cp "$corpus/tau/file" from/ranks/profile.$rank.0.0; done
	expect_status 0 perun import from/ranks
	expect_status 0 bash -c 'ulimit -n 64; exec "$PERUN" convert --original ranks here/ranks'
	check 'more files than may be open' diff -r from/ranks here/ranks
fi
if perun plugin list format | grep -q criterion; then
	for path in sort/1.5 copy/deep/er; do
		mkdir -p from/criterion/$path/new
		printf '{"group_id":"g","full_id":"%s"}' $path >from/criterion/$path/new/benchmark.json
		echo '{"sampling_mode":"Linear","iters":[10.0,20.0],"times":[50.0,120.0]}' >from/criterion/$path/new/sample.json
		touch -d '2026-01-02 03:04:05 UTC' from/criterion/$path/new/*
	done
	expect_status 0 perun import from/criterion
	expect_status 0 perun convert --original criterion here/criterion
	check 'files in directories' diff -r from/criterion here/criterion
	expect_text '1767323045' "$(stat -c %Y here/criterion/sort/1.5/new/sample.json)" 'of the time that the archive has'
	expect_text "$(perun show ./from/criterion raw | grep -v '^ *"workload"')" "$(perun show ./here/criterion raw | grep -v '^ *"workload"')" 'which is read the same'
fi

# ---- shared with a clone ----
if perun push --help >/dev/null 2>&1; then
	git init -q --bare ../remote.git
	git remote add origin ../remote.git
	git push -q origin HEAD:refs/heads/main
	expect_status 0 perun push
	git clone -q ../remote.git ../clone
	cd ../clone || exit 1
	perun init >/dev/null 2>&1
	expect_status 0 perun fetch
	expect_status 0 perun convert --original HEAD~1^cpu.pb.gz
	expect_same ../repo/from/cpu.pb.gz cpu.pb.gz 'a clone has the same bytes'
	cd ../repo || exit 1
fi

# ---- an original that is damaged, or gone ----
if [ -n "$original" ]; then
	object=.perun/objects/${original:0:2}/${original:2}
	chmod u+w "$object"
	cp "$object" kept
	printf 'x' | dd of="$object" bs=1 seek=12 conv=notrunc 2>/dev/null
	expect_status 3 perun convert --original HEAD~1^a.folded here/damaged
	expect_one_line
	head -c 12 kept >"$object"
	expect_status 3 perun convert --original HEAD~1^a.folded here/damaged
	expect_one_line
	rm "$object"
	run perun convert --original HEAD~1^a.folded here/damaged
	expect_text 3 "$status" 'one that is gone'
	expect_err "$original is missing"
	expect_one_line
	check 'nothing is written' test ! -e here/damaged
	expect_status 3 perun convert --original "$checksum" -
	expect_text '' "$out" 'nor to standard output'
	mkdir -p "${object%/*}" && mv kept "$object"
	expect_status 0 perun convert --original HEAD~1^a.folded here/damaged
	expect_same from/a.folded here/damaged 'there again'
	# The original itself is no profile.
	expect_status 3 perun convert --original "$original" -
	expect_err 'is not a profile'
	expect_one_line
fi

finish
