#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A program of some milliseconds, compared while other work comes and goes. How often is a change found by perun
# compare, and by the same test of runs that were measured one version after the other: of the program with
# itself, where each change that is found is wrong, and (with FOUND) with one that takes 3 % longer.
# bench/fair.sh [COMPARISONS [FOUND]] in the build directory; each comparison takes some seconds. OPTIONS are
# those of perun compare, such as "--metric cpu"; TURNS makes the program longer; LOAD is how many further
# programs ask for a processor all the time (0 by default).
top_builddir=${top_builddir:-$(pwd)}
perun=${PERUN:-$top_builddir/perun}
comparisons=${1:-50}
found=${2:-5}
pairs=${PAIRS:-20}
work=$(mktemp -d "${TMPDIR:-/tmp}/perun-bench.XXXXXX") || exit 1
trap 'kill $load 2>/dev/null; rm -rf "$work"' EXIT
export HOME=$work GIT_CONFIG_NOSYSTEM=1 PERUN_PAGER=cat
cd "$work" && git init -q . || exit 1
printf '%s\n' prog '*.perf' answer >.gitignore
# version TURNS: a commit whose program takes TURNS turns.
version() {
	echo "int main(void) { for (volatile long i = 0; i < $1; i++) ; return 0; }" >prog.c
	git add prog.c .gitignore
	git -c user.name=x -c user.email=x@example.com commit -q -m "$1" || exit 1
}
turns=${TURNS:-4000000}
version "$turns"
version $((turns * 103 / 100))
base=$(git rev-parse HEAD~1) head=$(git rev-parse HEAD)
"$perun" init >/dev/null || exit 1
build='cc -O1 -o prog prog.c'
# Work that needs a processor for 1 to 3 seconds, and none for 0 to 3.
(trap 'kill $! 2>/dev/null; exit' TERM
	while :; do
		sleep "$((RANDOM % 3)).$((RANDOM % 10))" & wait $!
		timeout "$((1 + RANDOM % 2)).$((RANDOM % 10))" sh -c 'while :; do :; done' & wait $!
	done) &
load=$!
for ((n = 0; n < ${LOAD:-0}; n++)); do
	(while :; do :; done) &
	load="$load $!"
done
# in_turns BASE HEAD, one_by_one BASE HEAD: prints the answer.
in_turns() {
	"$perun" compare "$1" "$2" --build "$build" --repeat "$pairs" ${OPTIONS-} --json -- ./prog 2>/dev/null |
		sed -n 's/^      "result": "\(.*\)",$/\1/p'
}
# The same runs without a second session, base before head, judged by perun check shift.
one_by_one() {
	local file version=$1
	for file in base.perf head.perf; do
		rm -f .perun/jobs/*.perf
		git checkout -q "$version" && $build || exit 1
		"$perun" collect -c ./prog time --repeat "$pairs" --warmup 1 >/dev/null || exit 1
		mv .perun/jobs/*.perf "$file"
		version=$2
	done
	"$perun" check profiles base.perf head.perf --method shift 2>/dev/null |
		grep -Eo 'Degradation|Optimization' || echo NoChange
}
# counts COMPARISONS BASE HEAD: both ways, in turn.
counts() {
	local n way answer
	local -A answers=()
	for ((n = 0; n < $1; n++)); do
		for way in in_turns one_by_one; do
			answer=$($way "$2" "$3")
			answer=${answer%%$'\n'*}
			answers[$way-${answer:-failed}]=$((${answers[$way-${answer:-failed}]:-0} + 1))
		done
		[ -z "${VERBOSE-}" ] || echo "$((n + 1)): ${!answers[*]} ${answers[*]}" >&2
	done
	for way in in_turns one_by_one; do
		printf '  %-12s' "$way"
		for answer in Degradation Optimization NoChange Unknown failed; do
			printf ' %12s %3d' "$answer" "${answers[$way-$answer]:-0}"
		done
		echo
	done
}
echo "processors: $(nproc), load: $(cut -d' ' -f1 /proc/loadavg); perun compare (in turns, confirmed), and one version after the other:"
echo "$comparisons comparisons of a program with itself:"
counts "$comparisons" "$base" "$base"
if [ "$found" -gt 0 ]; then
	echo "$found comparisons with a program that takes 3 % longer:"
	counts "$found" "$base" "$head"
fi
