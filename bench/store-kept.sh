#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Profiles of other tools in the store against their files: bench/store-kept.sh [SAMPLES], in a build tree. A made-up
# profile.proto is imported; the object is compared with the file, the import with reading and writing the file, and
# each view of the stored profile with the same view of the file, which must print the same bytes. Medians of five
# runs, taken in turn.
. "$(dirname "$0")/lib.sh"
samples=${1:-1000000}
make_profile=$top_builddir/bench/pprof-make

# took FILE COMMAND...: its microseconds of processor time and kilobytes go into FILE.
took() {
	local into=$1
	shift
	/usr/bin/time -f '%U %S %M' -o time "$@" >/dev/null 2>&1
	tail -n 1 time | awk '{ printf "%.0f %d\n", ($1 + $2) * 1e6, $3 }' >>"$into"
}
median() { cut -d' ' -f"$2" "$1" | sort -n | sed -n 3p; }

# row WHAT GOAL: from the files ours and theirs.
row() {
	awk -v what="$1" -v goal="$2" -v ours="$(median ours 1)" -v theirs="$(median theirs 1)" -v memory="$(median ours 2)" '
	BEGIN {
		met = ours <= goal * theirs
		printf "%-24s %8.0f ms  %5.2f of %6.0f ms (goal %s)  %4.0f MB: %s\n", what, ours / 1000, ours / theirs,
			theirs / 1000, goal, memory / 1000, met ? "met" : "MISSED"
		exit !met }' || fail=1
	rm -f ours theirs
}

read_and_write() { "$perun" show ../a.pb.gz top && cp ../a.pb.gz copy && sync copy; }
fresh() {
	rm -rf repo && git init -q repo && cd repo
	git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m a
	"$perun" init >/dev/null
}
cd "$work"
"$make_profile" a.pb.gz "$samples"
export perun
export -f read_and_write
for _ in 1 2 3 4 5; do
	fresh
	took ../theirs bash -c read_and_write
	took ../ours "$perun" import ../a.pb.gz
	cd ..
done
row import 2
cd repo
du -sb .perun/objects ../a.pb.gz | awk '
	NR == 1 { ours = $1 }
	END { printf "%-24s %8.1f MB  %5.2f of %6.1f MB (goal 1.5): %s\n", "objects", ours / 1e6, ours / $1, $1 / 1e6,
		ours <= 1.5 * $1 ? "met" : "MISSED"; exit ours > 1.5 * $1 }' || fail=1
for view in 'show X top' 'pprof -top X' 'pprof -tree X' 'show X flamegraph -o -' 'showdiff X X top' 'convert --to collapsed X -'; do
	for _ in 1 2 3 4 5; do
		# shellcheck disable=SC2086
		took ours "$perun" ${view//X/0@i}
		# shellcheck disable=SC2086
		took theirs "$perun" ${view//X/../a.pb.gz}
	done
	case $view in showdiff*) row "$view" 1.5; continue ;; esac # prints the names that it was given
	# What is stored has a command, which other formats lose: messages differ.
	# shellcheck disable=SC2086
	cmp <("$perun" ${view//X/0@i} 2>/dev/null) <("$perun" ${view//X/../a.pb.gz} 2>/dev/null) || fail=1
	row "$view" 1.5
done
exit $fail
