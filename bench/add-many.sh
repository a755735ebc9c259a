#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# One `perun add` of many small profiles against a program that only writes the same bytes (objects, the
# index and its checksums) as durably: bench/add-many.sh [COUNT], in a build tree. Goal: at least 0.7 of
# its rate. Both take turns; what counts is the median of the ratios of the rounds (ROUNDS, 5). Printed
# beside it: the same where the files that were added are removed at the end, which is what `perun add`
# does unless asked to keep them, and the baseline then does too.
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
# Removing files may wait for the disk; nothing is removed before the end, since file systems remember
# for a while what was, and making files then takes longer.
cleanup() {
	find "$work" -type d -name '[0-9a-f][0-9a-f]' -print0 | xargs -0 -n 16 -P 16 rm -rf
	rm -rf "$work"
}
trap cleanup EXIT
export HOME=$work GIT_CONFIG_GLOBAL=/dev/null XDG_CONFIG_HOME=$work/.config
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
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

# measure NAME [OPTION...]: a new repository, one add, one run of the baseline; its ratio into a file.
measure() {
	name=$1
	shift
	git init -q "$work/$name" && cd "$work/$name"
	git commit -q --allow-empty -m root
	"$perun" init >/dev/null
	profiles
	start=${EPOCHREALTIME/./}
	"$perun" add "$@" ./*.perf >/dev/null
	ours=$(since "$start")
	"$perun" fsck >/dev/null
	set --
	if [ ! -e p000000.perf ]; then
		mkdir "$work/$name.sources" && cd "$work/$name.sources"
		profiles
		set -- "$work/$name.sources"
	fi
	sync -f .
	theirs=$("$baseline" "$work/$name/.perun/objects" "$work/$name.copy" "$@")
	sync -f .
	echo "$ours $theirs" | awk '{ print $2 / $1, $1, $2 }' >>"$work/${name%-*}.ratios"
}

report() {
	sort -n "$work/$1.ratios" | awk -v n="$count" -v what="$2" -v goal="$3" '
	{ ratio[NR] = $1; ours[NR] = $2; theirs[NR] = $3 }
	END { m = int((NR + 1) / 2)
		printf "add%s: %.0f profiles a second; baseline: %.0f; ratio %.2f (%.2f to %.2f)", what,
			n * 1e6 / ours[m], n * 1e6 / theirs[m], ratio[m], ratio[1], ratio[NR]
		if (goal) printf ", goal %.2f: %s", goal, (ratio[m] >= goal ? "met" : "MISSED")
		print ""
		exit (ratio[m] < goal) }'
}

# First all that removes nothing.
for round in $(seq "${ROUNDS:-5}"); do
	measure "kept-$round" --keep-profile
done
for round in $(seq "${ROUNDS:-5}"); do
	measure "removed-$round"
done
report removed " and remove" 0
report kept "" 0.7
