#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The plugin vcs git: versions exported into work trees of their own.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/vcs-lib.sh"

three_versions repo
change_everything repo
snapshot repo | grep -v perun-exports >before
same_as_before() {
	snapshot repo | grep -v perun-exports >after
	expect_same before after "$1"
	expect_text 0 "$(find repo/.git -path '*perun-exports/*' | wc -l)" 'no journal is left'
}

printf '#!/bin/sh\ntouch %s/hook-ran\n' "$PWD" >repo/.git/hooks/post-checkout
chmod +x repo/.git/hooks/post-checkout
out_dir=$PWD/out
expect_status 0 vcs repo export main~1 "$out_dir" \
	'test -e n -a ! -e added && git rev-parse HEAD >../exported && mkdir -p deep/er && touch deep/er/x && chmod 500 deep/er deep && echo x >>f1 && git -C ../repo status --porcelain=v2 -uall --ignored >../status-during && git -C ../repo worktree list >../listed-during'
expect_text "$(git -C repo rev-parse main~1)" "$(cat exported)" 'the version'
check 'no hook ran' test ! -e hook-ran
expect_text 1 "$(wc -l <listed-during)" 'git lists no other work tree'
check 'the directory is gone, build products and all' test ! -e "$out_dir"
same_as_before 'the work tree is untouched'
expect_same <(git -C repo status --porcelain=v2 -uall --ignored) status-during 'not even git status changed'
expect_status 0 vcs repo export main~1 "$PWD/repo/.perun/tmp/x" 'test -e n'
rmdir repo/.perun/tmp
same_as_before 'also below the store'
rm repo/.git/hooks/post-checkout

mkdir there
expect_status 3 vcs repo export main "$PWD/there" true
expect_err 'is there already'
expect_status 2 vcs repo export nosuch "$out_dir" true
expect_status 2 vcs repo export main out true
check 'nothing was made' test ! -e "$out_dir" -a ! -e out

# A failed run of the host leaves nothing either: close removes.
expect_status 3 vcs repo export main "$out_dir" false
check 'removed at the end' test ! -e "$out_dir"
same_as_before 'after a failure'

# ---- kept ------------------------------------------------------------------------------------

expect_status 0 vcs repo keep main~1 "$out_dir" "$PWD/kept"
expect_text "$(git -C repo rev-parse main~1)" "$(git -C kept rev-parse HEAD)" 'files that are kept know their version'
expect_text '' "$(git -C kept status --porcelain -uall)" 'and that nothing was changed'
expect_text 1 "$(git -C repo worktree list | wc -l)" 'the repository does not know them'
same_as_before 'nor did anything change there'
rm -rf kept

# ---- killed ------------------------------------------------------------------------------------
kill_at=$top_builddir/tests/tools/kill-at
status=0
"$kill_at" 1 true || status=$?
if [ "$status" -eq 125 ]; then skip 'system calls cannot be traced here'; else
	failed=0
	step=13
	! is_long || step=1
	n=1
	export ASAN_OPTIONS=detect_leaks=0 # which cannot be done for a traced program
	while :; do
		run "$kill_at" $n "$top_builddir/tests/tools/vcs-drive" git repo export main~1 "$out_dir" 'touch product'
		[ "$status" -eq 137 ] || break
		run vcs repo recover
		snapshot repo | grep -v perun-exports >after
		if [ "$status" -ne 0 ] || [ -e "$out_dir" ] || ! cmp -s before after || [ -n "$(ls repo/.git/perun-exports 2>/dev/null)" ]; then
			failed=$((failed + 1))
			diag "killed at $n: $status $err"
			diff before after | sed 's/^/# /'
			rm -rf "$out_dir"
			git -C repo worktree prune
			rm -f repo/.git/perun-exports/*
		fi
		n=$((n + step))
	done
	expect_text 0 "$failed" "killed at calls 1, $((1 + step)) … $n: the next run removes what is left"
	# Likewise where the files are to be kept: what is left of them is nobody's, and the repository knows nothing of it.
	failed=0
	n=1
	while :; do
		run "$kill_at" $n "$top_builddir/tests/tools/vcs-drive" git repo keep main~1 "$out_dir" "$PWD/kept"
		[ "$status" -eq 137 ] || break
		run vcs repo recover
		snapshot repo | grep -v perun-exports >after
		if [ "$status" -ne 0 ] || ! cmp -s before after || [ -n "$(ls repo/.git/perun-exports 2>/dev/null)" ]; then
			failed=$((failed + 1))
			diag "killed at $n while it is kept: $status $err"
			diff before after | sed 's/^/# /'
			rm -f repo/.git/perun-exports/*
		fi
		rm -rf "$out_dir" kept
		n=$((n + step))
	done
	expect_text 0 "$failed" "kept and killed at calls 1, $((1 + step)) … $n"
	expect_text "$(git -C repo rev-parse main~1)" "$(git -C kept rev-parse HEAD)" 'then it is there'
	rm -rf kept
fi

# A living run's export is not touched.
vcs repo export main~2 "$out_dir" 'touch ../started; while [ ! -e ../go-on ]; do sleep 0.05; done; test -e f8' &
while [ ! -e started ]; do sleep 0.05; done
expect_status 0 vcs repo recover
expect_status 0 vcs repo export main~1 "$PWD/out2" 'test -e ../out/f8'
touch go-on
status=0
wait $! || status=$?
expect_text 0 "$status" 'the first run ends well'
same_as_before 'two at once'

# A journal that names what is not ours removes nothing.
mkdir precious && touch precious/x
printf 'perun-export 1\n%s\n' "$PWD/precious" >repo/.git/perun-exports/0123456789abcdef
expect_status 0 vcs repo recover
check 'a directory that is no export stays' test -e precious/x
git init -q precious
printf 'perun-export 1\n%s\n' "$PWD/precious" >repo/.git/perun-exports/0123456789abcdef
expect_status 0 vcs repo recover
check 'neither does a repository' test -e precious/x -a -d precious/.git

# ---- submodules, filters, sparse, bare, linked -------------------------------------------------
three_versions inner
git init -q middle && (cd middle && git submodule --quiet add "file://$work/here/inner" in && git commit -q -m m)
git init -q outer && (
	cd outer || exit 1
	git submodule --quiet add "file://$work/here/middle" sub
	git submodule --quiet update --init --recursive
	git commit -q -m one
	git -C sub/in checkout -q main~1
	git -C sub commit -q -am 'another inner'
	git commit -q -am 'another middle'
)
mv inner inner-away && mv middle middle-away
expect_status 0 vcs outer export main "$out_dir" 'git -C sub/in rev-parse HEAD >../exported; ! test -e sub/in/nothing'
expect_text "$(git -C outer/sub/in rev-parse HEAD)" "$(cat exported)" 'submodules of submodules, without the network'
expect_status 0 vcs outer export main~1 "$out_dir" 'cat sub/in/f2 >../exported'
expect_text "$(printf '2\n3')" "$(cat exported)" 'at the commits of the version'
git clone -q outer plain
expect_status 0 vcs plain export main "$out_dir" 'test -d sub -a ! -e sub/in'
expect_text '' "$err" 'submodules that are not here stay empty'

(
	cd repo || exit 1
	git reset -q --hard
	git config filter.shout.clean 'tr A-Z a-z'
	git config filter.shout.smudge 'tr a-z A-Z'
	echo '*.s filter=shout' >.gitattributes
	echo quiet >a.s && git add .gitattributes a.s && git commit -q -m filtered
)
expect_status 0 vcs repo export main "$out_dir" 'grep -q QUIET a.s'
git clone -q --bare repo bare
expect_status 0 vcs bare export main~1 "$out_dir" 'test -e n'
expect_text 1 "$(git -C bare worktree list | wc -l)" 'a bare repository is as before'
git -C repo worktree add -q ../linked main~1 2>/dev/null
expect_status 0 vcs linked export main~3 "$out_dir" 'test -e f8'
expect_text 2 "$(git -C repo worktree list | wc -l)" 'from a linked work tree'
git clone -q --filter=blob:none "file://$PWD/repo" partial 2>/dev/null
expect_status 0 vcs partial export main~3 "$out_dir" 'test -e f8'
git -C repo sparse-checkout set --cone d
expect_status 0 vcs repo export main~1 "$out_dir" 'test -e d/g2'
expect_status 0 vcs repo walk HEAD 1
finish
