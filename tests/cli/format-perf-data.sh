# SPDX-License-Identifier: BSD-3-Clause
# Recordings of perf: what is read of them, in each way in which perf writes them; names, and what a store keeps of them.
. "${top_srcdir:-.}/tests/cli/lib.sh"
make_recording() { python3 "$top_srcdir/tests/tools/perf-data.py" "$@"; }
# rows FILE: all that is known of each sample.
rows() { perun show "$1" tableof resources 2>/dev/null | tr -s ' '; }

# ---- one recording in many forms ----
make_recording plain+chain >plain.data
check 'a recording is made' test -s plain.data
perun plugin show format-perf-data >/dev/null 2>&1 || skip_all 'the format is not built'
expect_text ' cycles labels labels:comm labels:pid labels:tid page-faults snapshots stack time
-------- ---------- ------------- ------------ ------------ ------------- ----------- ------------------------- ------
 100 1:1:work work 1 1 0 0x1108;0x1201 1000
 200 1:1:work work 1 1 0 0x1101;0xffffffff81000010 2000
 50 1:2:helper helper 1 2 0 0x1108;0x1201 3000
 30 7:7:work work 7 7 0 0x1201 3600
 7 7:7:other other 7 7 0 0x7f0000001201 3800
 1:1:work work 1 1 1 0 0x1101 4000' "$(rows plain.data)" 'samples by time, what is forked has the maps of its parent, what is executed none'
for form in big+chain pipe+chain big+pipe+chain; do
	make_recording "$form" >form.data
	check "$form: the same" test "$(rows form.data)" = "$(rows plain.data)"
done
make_recording packed+chain >form.data
if perun show form.data top 2>&1 | grep -q 'compressed with zstd'; then
	skip 'compressed records: built without zstd'
else
	check 'compressed records: the same' test "$(rows form.data)" = "$(rows plain.data)"
fi
make_recording cpu+chain >form.data
check 'the processor is a label' grep -q ' 100 3:1:1:work work 3 1 1 ' <(rows form.data)
make_recording group >form.data
check 'values of a group are what was counted since the sample before' grep -q ' 50 1:2:helper helper 1 2 3 0 0x1201 3000' <(rows form.data)
expect_text '387' "$(perun show --json form.data top --metric cycles 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["total"])')" 'and add up to what was counted last'
make_recording cut+chain >form.data
perun show form.data top >/dev/null 2>errors
check 'an interrupted recording is read' test "$(rows form.data | wc -l)" = 7
check 'and it is said' grep -q 'was not ended properly' errors
expect_text 'cycles' "$(perun show --json plain.data top 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["metric"])')" 'the first event leads'
expect_text './work 9' "$(perun convert --to perun plain.data - 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["header"]["cmd"])')" 'the recorded command'

# ---- what is broken ----
# broken OFFSET BYTES WORDS
broken() {
	cp plain.data broken.data
	printf "$2" | dd of=broken.data bs=1 seek="$1" conv=notrunc status=none
	expect_status 3 perun convert --to collapsed broken.data -
	expect_err "$3"
	expect_one_line
}
broken 16 '\001\000\000\000\000\000\000\000' 'byte 16: the list of events is not within the file'
broken 40 '\377\377\377\377' 'byte 40: the records are not within the file'
head -c 60 plain.data >broken.data
expect_status 3 perun convert --to collapsed broken.data -
expect_err 'byte 8: expected the head of a recording of perf, 104 bytes'
start=$(python3 -c 'import struct; print(struct.unpack("<Q", open("plain.data", "rb").read()[40:48])[0])')
broken $((start + 6)) '\003\000' "byte $start: expected a record of at least 8 bytes"
broken $((start + 6)) '\377\377' "byte $start: a record ends beyond the records"

# ---- names ----
cat >work.c <<'C'
int __attribute__((noinline)) leaf(int n) { return n * 3; }
int work(int n) { return leaf(n) + 1; }
int main(int argc, char **argv) { return work(argc) + !argv; }
C
build() { ${CC:-cc} -g -O1 -fPIE -pie -Wl,--build-id=0x00112233445566778899aabbccddeeff00112233 "$@" -o work work.c 2>/dev/null; }
if build && readelf -hW work | grep -q 'DYN'; then
	offset() { python3 - "$1" <<'P'; }
import subprocess, sys
address = next(int(line.split()[0], 16) for line in subprocess.run(["nm", "work"], stdout=subprocess.PIPE, text=True).stdout.splitlines() if line.split()[-1] == sys.argv[1])
for line in subprocess.run(["readelf", "-lW", "work"], stdout=subprocess.PIPE, text=True).stdout.splitlines():
    word = line.split()
    if word and word[0] == "LOAD" and int(word[2], 16) <= address < int(word[2], 16) + int(word[4], 16):
        print(hex(address - int(word[2], 16) + int(word[1], 16)))
P
	make_recording plain+chain "$PWD/work" 00112233445566778899aabbccddeeff00112233 "$(offset work)" "$(offset leaf)" >named.data
	check 'names by the build id' grep -q '^work;leaf 150$' <(perun convert --to collapsed named.data - 2>/dev/null)
	check 'and lines of the source' grep -q 'work.c:1' <(perun pprof -lines -traces named.data 2>/dev/null)
	make_recording plain+chain "$PWD/work" ff112233445566778899aabbccddeeff00112233 "$(offset work)" "$(offset leaf)" >other.data
	check 'another build of the program names nothing' test "$(perun convert --to collapsed other.data - 2>/dev/null | grep -c leaf)" = 0

	git init -q . && git add work.c && git -c user.name=A -c user.email=a@example.org commit -qm one
	perun init >/dev/null 2>&1
	expect_status 0 perun import named.data
	perun show named.data top >before 2>/dev/null
	make_recording plain+chain | perun convert --to pprof - addresses.pb.gz 2>/dev/null
	rm work
	perun show 0@i top >after 2>/dev/null
	check 'a store keeps the names, the program may go' cmp before after
	check 'and the command' grep -q '"cmd": "work 9"' <(perun show 0@i raw)
	check 'the times and labels' test "$(perun show 0@i tableof resources 2>/dev/null | grep -c helper)" = 1
	expect_status 0 perun fsck

	# The same holds for addresses that pprof has.
	build && perun convert --to pprof other.data addresses.pb.gz 2>/dev/null
	perun pprof -proto -symbolize=none -output=none.pb.gz addresses.pb.gz >/dev/null 2>&1
	python3 - <<'P'
import gzip
data = gzip.open("none.pb.gz").read().replace(b"ff112233445566778899aabbccddeeff00112233", b"00112233445566778899aabbccddeeff00112233")
gzip.open("named.pb.gz", "wb").write(data)
P
	expect_status 0 perun rm 0@i
	expect_status 0 perun import named.pb.gz
	rm work
	check 'a profile of addresses is stored with names' grep -q leaf <(perun show 0@i top 2>/dev/null)
else
	skip 'names of a program: no compiler for programs that are loaded anywhere'
fi

# ---- what perf has to read ----
make_recording aux >aux.data
mkdir bin
printf '%s\n' '#!/bin/sh' "printf 'x 1 1.0: 5 cycles:\\n\\t7f1 f (/bin/x)\\n\\n'" >bin/perf
chmod +x bin/perf
expect_text 'f 5' "$(PATH=$PWD/bin:$PATH perun convert --to collapsed aux.data - 2>/dev/null)" 'traces of processors are read by perf'
printf '%s\n' '#!/bin/sh' 'exit 3' >bin/perf
PATH=$PWD/bin:$PATH expect_status 3 perun show aux.data top
expect_err 'what a processor traced (AUX data): perf script failed (exit status 3)'
expect_one_line

# ---- perf itself ----
if perf record -o real.data -- true >/dev/null 2>&1 && perf script -i real.data >/dev/null 2>&1; then
	for options in '-g' '-z -g' '--call-graph dwarf' '-a -g' '-c 1000000'; do
		# shellcheck disable=SC2086
		perf record $options -e cpu-clock -o real.data -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done' >/dev/null 2>&1
		theirs=$(perf script -i real.data 2>/dev/null | awk '/cpu-clock/ { for (i = 1; i < NF; i++) if ($(i + 1) ~ /^cpu-clock/) sum += $i } END { printf "%.0f", sum }')
		ours=$(perun show --json real.data top --metric "$(perun show --json real.data top 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["metric"])')" 2>/dev/null | python3 -c 'import json, sys; print(int(json.load(sys.stdin)["total"]))')
		check "perf record $options: the sum of perf script" test "$theirs" = "$ours"
	done
	cat >clock.c <<'C'
#include <time.h>
int main(void)
{
	struct timespec now;
	long sum = 0;

	for (int i = 0; i < 3000000; i++)
		sum += !clock_gettime(CLOCK_MONOTONIC, &now) ? now.tv_nsec : 0;
	return sum == 1;
}
C
	# The vdso of programs of 32 bits is another one.
	program=$top_builddir/cli/.libs/perun
	[ -f "$program" ] || program=$top_builddir/cli/perun
	if [ "$(od -An -tu1 -j4 -N1 "$program" | tr -d ' ')" = 2 ] && ${CC:-cc} -O1 clock.c -o clock 2>/dev/null && perf record -g -e cpu-clock -o real.data ./clock >/dev/null 2>&1 &&
		perf script -i real.data 2>/dev/null | grep -q __vdso_clock_gettime; then
		check 'functions of the vdso' grep -q __vdso_clock_gettime <(perun show real.data top 2>/dev/null)
	else
		skip 'functions of the vdso: perf does not find any, or this program has another'
	fi
else
	skip 'recordings of perf itself: it is not here, or may not record'
fi
finish
