#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The plugin vcs git against git itself, on a history of COMMITS commits (100,000):
# bench/vcs-git.sh [COMMITS], in a build tree. Best of five runs, milliseconds.
set -eu
commits=${1:-100000}
top_builddir=${top_builddir:-$(pwd)}
export PERUN_PLUGIN_PATH=${PERUN_PLUGIN_PATH-$top_builddir/plugins-built} GIT_CONFIG_GLOBAL=/dev/null
drive=$top_builddir/tests/tools/vcs-drive
[ ! -x "$top_builddir/tests/tools/.libs/vcs-drive" ] || drive=$top_builddir/tests/tools/.libs/vcs-drive
work=$(mktemp -d "${TMPDIR:-/tmp}/perun-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
git init -q -b main "$work/repo"
awk -v n="$commits" 'BEGIN {
	for (i = 1; i <= n; i++) {
		d = 1000000000 + i * 60
		printf "commit refs/heads/main\nmark :%d\n", i
		printf "author A U Thor <author@example.com> %d +0000\n", d
		printf "committer C O Mitter <committer@example.com> %d +0100\n", d
		printf "data <<MESSAGE\nchange number %d\n\nIt has a body of some length, ", i
		printf "as messages of commits\nhave: %d says more about it.\nMESSAGE\n", i * 7919 % 104729
		if (i > 1)
			printf "from :%d\n", i - 1
		if (i > 20 && i % 10 == 0)
			printf "merge :%d\n", i - 7
		printf "M 100644 inline file%d\ndata <<END\n%d\nEND\n\n", i % 50, i
	}
}' | git -C "$work/repo" fast-import --quiet
cd "$work/repo"
git repack -adq
git reset -q --hard

# best COMMAND...: the shortest of five runs.
best() {
	local times=() start
	for _ in 1 2 3 4 5; do
		start=${EPOCHREALTIME/./}
		"$@" >/dev/null
		times+=($((${EPOCHREALTIME/./} - start)))
	done
	printf '%s\n' "${times[@]}" | sort -n | head -n 1 | awk '{ printf "%.1f", $1 / 1000 }'
}
row() { printf '%-34s %8s ms   %-34s %8s ms\n' "$1" "$2" "$3" "$4"; }
row 'open, one commit' "$(best "$drive" git . info HEAD)" 'git status' "$(best git status)"
row '20 commits' "$(best "$drive" git . walk HEAD 20)" 'git log -n 20' "$(best git log -n 20)"
row "all $commits commits" "$(best "$drive" git . count HEAD)" "git log --format='%h %s'" \
	"$(best git log --format='%h %s')"
row 'HEAD~2000..HEAD' "$(best "$drive" git . range HEAD~2000 HEAD)" 'git log HEAD~2000..HEAD' \
	"$(best git log HEAD~2000..HEAD)"
row 'merge base, 5000 commits away' "$(best "$drive" git . base HEAD~5000 HEAD)" 'git merge-base' \
	"$(best git merge-base HEAD~5000 HEAD)"
row 'export of a version' "$(best "$drive" git . export HEAD~5 "$work/out")" 'git worktree add, remove' \
	"$(best sh -c 'git worktree add -q --detach ../out HEAD~5 && git worktree remove -f ../out')"
