#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Processor time of small commands against git's and against a program that does nothing, linked with what libperun needs:
# bench/start.sh [RUNS], in a build tree. Goals: status and log -n 1 at most 3 times git's, --version and help at most
# 1.5 times the empty program's.
. "$(dirname "$0")/lib.sh"
runs=${1:-60}
perun=$top_builddir/cli/.libs/perun
[ -x "$perun" ] || perun=$top_builddir/cli/perun
# In a build tree the loader looks for libraries in nine directories that are not there; an installed program finds them in its
# cache. So --version and help are those of a copy without DT_RUNPATH.
installed=$work/perun
library=$(cd "$top_builddir/core/.libs" 2>/dev/null && ls "$PWD/libperun.so.1") && preload="LD_PRELOAD=$library " || preload=
python3 - "$perun" "$installed" <<'EOF'
import os, struct, sys
with open(sys.argv[1], "rb") as file:
    program = bytearray(file.read())
headers, = struct.unpack_from("<Q", program, 32)
size, count = struct.unpack_from("<HH", program, 54)
for header in range(headers, headers + size * count, size):
    kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", program, header)
    for at in range(offset, offset + length, 16) if kind == 2 else ():
        if struct.unpack_from("<Q", program, at)[0] in (15, 29):
            struct.pack_into("<Q", program, at, 0x6000000d)  # a tag of nobody
with open(sys.argv[2], "wb") as file:
    file.write(program)
os.chmod(sys.argv[2], 0o755)
EOF

git init -q "$work/small" && cd "$work/small"
git commit -q --allow-empty -m root
"$perun" init >/dev/null
for i in 0 1 2 3 4 5 6 7 8 9; do
	printf '{"header": {"type": "time", "cmd": "c", "workload": "%s", "units": {"time": "s"}}, ' "$i" >"$i.perf"
	printf '"collector_info": {"name": "time", "params": {}}, "postprocessors": [], ' >>"$i.perf"
	printf '"global": {"time": "0.0", "resources": [{"amount": %s, "uid": "a", "type": "time"}]}}' "$i" >>"$i.perf"
done
"$perun" add ./*.perf >/dev/null
echo 'int main(void) { return 0; }' >"$work/empty.c"
libraries=$(sed -n 's/^Libs.private: *//p' "$top_builddir/plugins/perun.pc")
for library in ltdl z isal zstd yaml pcre2-8 m; do
	libraries="$libraries -Wl,--no-as-needed -l$library"
done
# shellcheck disable=SC2086
cc -o "$work/empty" "$work/empty.c" -L"$top_builddir/core/.libs" $libraries 2>/dev/null ||
	cc -o "$work/empty" "$work/empty.c"

# row WHAT OURS THEIRS GOAL
row() {
	awk -v what="$1" -v ours="$2" -v theirs="$3" -v goal="$4" 'BEGIN {
		printf "%-10s %7.2f ms  %5.2f of %6.2f ms (goal %s): %s\n", what, ours / 1000, ours / theirs,
			theirs / 1000, goal, ours <= goal * theirs ? "met" : "MISSED"
		exit ours > goal * theirs }' || fail=1
}
mapfile -t took < <("$top_builddir/bench/cputime" "$runs" "$perun status" 'git status' "$perun log -n 1" \
	'git log -n 1' "$preload$installed --version" \
	"$preload$installed help" "$work/empty")
row status "${took[0]}" "${took[1]}" 3
row 'log -n 1' "${took[2]}" "${took[3]}" 3
row --version "${took[4]}" "${took[6]}" 1.5
row help "${took[5]}" "${took[6]}" 1.5
exit $fail
