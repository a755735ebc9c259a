#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The plugin vcs git against git itself, on a history of COMMITS commits (100,000):
# bench/vcs-git.sh [COMMITS], in a build tree. Best of five runs, milliseconds.
. "$(dirname "$0")/lib.sh"
commits=${1:-100000}
drive=$top_builddir/tests/tools/vcs-drive
[ ! -x "$top_builddir/tests/tools/.libs/vcs-drive" ] || drive=$top_builddir/tests/tools/.libs/vcs-drive
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

row() { awk -v ms="$2" -v git="$4" 'BEGIN { printf "%-34s %8.1f ms   %-34s %8.1f ms\n", ARGV[1], ms / 1000, ARGV[2], git / 1000 }' "$1" "$3"; }
row 'open, one commit' "$(best 5 "$drive" git . info HEAD)" 'git status' "$(best 5 git status)"
row '20 commits' "$(best 5 "$drive" git . walk HEAD 20)" 'git log -n 20' "$(best 5 git log -n 20)"
row "all $commits commits" "$(best 5 "$drive" git . count HEAD)" "git log --format='%h %s'" \
	"$(best 5 git log --format='%h %s')"
row 'HEAD~2000..HEAD' "$(best 5 "$drive" git . range HEAD~2000 HEAD)" 'git log HEAD~2000..HEAD' \
	"$(best 5 git log HEAD~2000..HEAD)"
row 'merge base, 5000 commits away' "$(best 5 "$drive" git . base HEAD~5000 HEAD)" 'git merge-base' \
	"$(best 5 git merge-base HEAD~5000 HEAD)"
row 'export of a version' "$(best 5 "$drive" git . export HEAD~5 "$work/out")" 'git worktree add, remove' \
	"$(best 5 sh -c 'git worktree add -q --detach ../out HEAD~5 && git worktree remove -f ../out')"
