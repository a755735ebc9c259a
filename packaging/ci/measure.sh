#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# packaging/ci/measure.sh: compare the version of a pull or merge request with what it branched from, for action.yml and
# gitlab.yml, in the directory of a repository.
#
#   BASE HEAD          the versions; the common ancestor of both is measured, and HEAD
#   BUILD COMMAND      how a version is built, and what of it is run: shell words
#   BUDGET THRESHOLD   of perun compare: a duration, percent; empty = its defaults
#   SITE               where pages of the store go, with a profile of HEAD added; empty = none
#
# Writes performance.md, a comment in Markdown, and to GITHUB_OUTPUT and GITHUB_STEP_SUMMARY where they are named. Its exit
# status is that of perun compare: 1 = slower.
set -eu
: "${BASE:?}" "${HEAD:?}" "${BUILD:?}" "${COMMAND:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
base=$(git merge-base "$BASE" "$HEAD")
[ -d .perun ] || perun init --vcs-type git >/dev/null
eval "set -- $COMMAND"

status=0
perun compare "$base" "$HEAD" --build "$BUILD" ${BUDGET:+--budget "$BUDGET"} ${THRESHOLD:+--threshold "$THRESHOLD"} \
	-- "$@" >"$work/answer" 2>"$work/notes" || status=$?
cat "$work/answer"
cat "$work/notes" >&2
case $status in
0) result=unchanged ;;
1) result=slower ;;
*) result=failed ;;
esac

{
	printf '### Performance: %s\n\n```\n' "$result"
	if [ "$status" -le 1 ]; then cat "$work/answer"; else cat "$work/notes"; fi
	printf '```\n\n`perun compare %.8s %.8s`: both versions are built here and run alternately.\n' \
		"$(git rev-parse "$base")" "$(git rev-parse "$HEAD")"
} >performance.md
[ -z "${GITHUB_STEP_SUMMARY-}" ] || cat performance.md >>"$GITHUB_STEP_SUMMARY"
[ -z "${GITHUB_OUTPUT-}" ] || printf 'result=%s\nstatus=%s\n' "$result" "$status" >>"$GITHUB_OUTPUT"

if [ -n "${SITE-}" ] && [ "$status" -le 1 ]; then
	perun collect -c "$COMMAND" time --repeat 20
	perun add 0@p
	perun site "$SITE"
fi
exit "$status"
