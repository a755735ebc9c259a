#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# One `perun add` of many small profiles against a program that only writes the same bytes as durably:
# bench/add-many.sh [COUNT], in a build tree. Goal: at least 0.7 of its rate. Best of five runs each.
# The source files are kept: removing them, which the baseline does not do either, takes as long as `rm`
# does, and that is told beside.
set -eu
count=${1:-10000}
top_builddir=${top_builddir:-$(pwd)}
export PERUN_PLUGIN_PATH=${PERUN_PLUGIN_PATH-$top_builddir/plugins-built}
perun=$top_builddir/cli/.libs/perun
[ -x "$perun" ] || perun=$top_builddir/cli/perun
baseline=$top_builddir/bench/write-durably
[ ! -x "$top_builddir/bench/.libs/write-durably" ] || baseline=$top_builddir/bench/.libs/write-durably
export LD_LIBRARY_PATH=$top_builddir/core/.libs
# On a real disk: the directory of the build tree, unless TMPDIR says otherwise.
work=$(mktemp -d "${TMPDIR:-$top_builddir}/perun-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
export HOME=$work GIT_CONFIG_GLOBAL=/dev/null XDG_CONFIG_HOME=$work/.config
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
git init -q "$work/repo" && cd "$work/repo"
git commit -q --allow-empty -m root

profiles() {
	awk -v n="$count" 'BEGIN { for (i = 0; i < n; i++) {
		file = sprintf("p%06d.perf", i)
		printf "{\"header\": {\"type\": \"time\", \"cmd\": \"./app\", \"workload\": \"w%d\", ", i >file
		printf "\"units\": {\"time\": \"s\"}}, \"collector_info\": {\"name\": \"time\", " >file
		printf "\"params\": {\"warmup\": 3, \"repeat\": 10}}, \"postprocessors\": [], " >file
		printf "\"resources\": {\"./app#0\": {\"amount\": [" >file
		for (j = 0; j < 10; j++)
			printf "%s%.6f", (j ? ", " : ""), (0.1 + (i * 37 + j * 101) % 1000 / 7000) >file
		printf "], \"order\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}}, \"resource_type_map\": {" >file
		printf "\"./app#0\": {\"type\": \"time\", \"subtype\": \"real\", \"uid\": \"./app\"}}, " >file
		printf "\"models\": []}\n" >file
		close(file)
	} }'
	sync -f .
}

# since START: microseconds.
since() { echo $((${EPOCHREALTIME/./} - $1)); }

ours=999999999 theirs=999999999
for round in 1 2 3 4 5; do
	rm -rf .perun
	"$perun" init >/dev/null
	profiles
	start=${EPOCHREALTIME/./}
	"$perun" add --keep-profile ./*.perf >/dev/null
	took=$(since "$start")
	[ "$took" -ge "$ours" ] || ours=$took
	"$perun" fsck >/dev/null
	sync -f .
	took=$("$baseline" .perun/objects "$work/copy-$round")
	[ "$took" -ge "$theirs" ] || theirs=$took
	rm -rf "$work/copy-$round"
	sync -f .
done
start=${EPOCHREALTIME/./}
find . -maxdepth 1 -name '*.perf' -delete
echo "removing the $count source files: $(($(since "$start") / 1000)) ms"
awk -v n="$count" -v ours="$ours" -v theirs="$theirs" 'BEGIN {
	ratio = theirs / ours
	printf "add: %.0f profiles a second; baseline: %.0f; ratio %.2f, goal 0.70: %s\n", n * 1e6 / ours,
		n * 1e6 / theirs, ratio, (ratio >= 0.7 ? "met" : "MISSED")
	exit (ratio < 0.7) }'
