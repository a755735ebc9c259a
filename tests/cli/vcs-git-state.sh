#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The plugin vcs git: putting changes aside, checking out, going back.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/vcs-lib.sh"

# unchanged WHAT DIR COMMAND...: the command succeeds and leaves DIR as it was.
unchanged() {
	local what=$1 directory=$2
	shift 2
	snapshot "$directory" >"$work/before"
	run "$@"
	snapshot "$directory" >"$work/after"
	if [ "$status" -ne 0 ]; then not_ok "$what: status $status"; else
		expect_same "$work/before" "$work/after" "$what"
	fi
}
# refused WHAT DIR TEXT COMMAND...: the command fails with one line that has TEXT, DIR is as it was.
refused() {
	local what=$1 directory=$2 text=$3
	shift 3
	snapshot "$directory" >"$work/before"
	run "$@"
	snapshot "$directory" >"$work/after"
	check "$what is refused" test "$status" -ne 0
	expect_err "$text"
	expect_one_line
	expect_same "$work/before" "$work/after" "$what: nothing is changed"
}

three_versions all
expect_text clean "$(vcs all dirty)" clean
touch all/untracked2 && expect_text clean "$(vcs all dirty)" 'untracked files do not count'
change_everything all
expect_text dirty "$(vcs all dirty)" dirty
unchanged 'changes of every kind' all vcs all round \
	'cd all && test -z "$(git status --porcelain -uno)" && test ! -e added && test -e untracked -a -e .perun/profile' \
	main~1 main~2 main
git -C all reset -q --hard && git -C all checkout -q --detach HEAD~1
unchanged 'a detached head' all vcs all round '' main main~2
git -C all checkout -q main

# The tree that was measured has changed files of its own.
unchanged 'a run that changes tracked files' all vcs all round 'git -C all status >/dev/null; true' main~1
echo x >>all/f3
snapshot all | grep -v stash >before
run vcs all round 'echo scribble >>all/f1; rm all/f2' main~1
expect_text 0 "$status" 'going back over changed files'
expect_err 'these changes are kept'
expect_text 1 "$(git -C all stash list | wc -l)" 'they are a stash'
git -C all stash show -p stash@{0} | grep -q scribble
check 'with the changes' test $? -eq 0
git -C all stash drop -q
snapshot all | grep -v stash >after
expect_same before after 'and all is back'
git -C all reset -q --hard

# ---- what cannot be put aside ------------------------------------------------------------------
refuse_case() { # NAME TEXT SCRIPT
	rm -rf case && cp -a all case && (cd case && eval "$3") >/dev/null 2>&1
	refused "$1" case "$2" vcs case round '' main~1
}
refuse_case 'a merge' 'a git merge is in progress' \
	'git checkout -q -b side HEAD~1; echo side >>f2; git commit -q -am side; git merge main'
refuse_case 'a rebase' 'a git rebase is in progress' \
	'git checkout -q -b side HEAD~1; echo side >>f2; git commit -q -am side; git rebase main'
refuse_case 'a cherry-pick' 'a git cherry-pick is in progress' \
	'git checkout -q -b side HEAD~1; echo side >>f2; git commit -q -am side; git cherry-pick main'
refuse_case 'git add -N' 'git add -N' 'echo x >intended; git add -N intended'
refuse_case 'an untracked file in a removed one'"'"'s place' 'would be lost' 'git rm -q --cached f3; echo mine >f3'
refuse_case 'an untracked directory in a file'"'"'s place' 'would be lost' 'rm f3; mkdir f3; echo mine >f3/x'
refuse_case 'an untracked file in a directory'"'"'s place' 'would be lost' 'git rm -q -r --cached d; rm -r d; echo mine >d'
rm -rf case && cp -a all case && echo mine >case/f8
refused 'an untracked file that the version has' case 'f8 is in the way' vcs case round '' main~2
rm -rf case && cp -a all case && echo mine >case/f8 && echo f8 >case/.git/info/exclude
refused 'an ignored file that the version has' case 'f8 is in the way' vcs case round '' main~2
rm -rf case && git clone -q --bare all case
refused 'a bare repository' case 'a bare repository, without a work tree' vcs case round '' main~1
git init -q unborn && echo x >unborn/x && git -C unborn add x
refused 'a repository without commits' unborn 'no commit yet' vcs unborn round '' main
rm -rf case && cp -a all case && (cd case && git bisect start -q && git bisect bad && git bisect good main~2) >/dev/null
unchanged 'a bisection' case vcs case round '' main~2

# Without the program git: exit code 4, history works.
mkdir empty-path
refused_path=$(command -v env)
run "$refused_path" PATH="$PWD/empty-path" "$top_builddir/tests/tools/vcs-drive" git all dirty
expect_text 4 "$status" 'no git program: status 4'
expect_err 'the program git is needed'
expect_one_line
run "$refused_path" PATH="$PWD/empty-path" "$top_builddir/tests/tools/vcs-drive" git all walk HEAD
expect_text 0 "$status" 'history needs no git program'
run "$refused_path" PATH="$PWD/empty-path" "$top_builddir/tests/tools/vcs-drive" git all round '' main~1
expect_text 4 "$status" 'no git program: nothing is put aside'
check 'and nothing is left' test -z "$(find all/.git -name 'perun*' -type f)"

# ---- filters, hooks, sparse checkouts, split indexes, submodules -------------------------------
three_versions filtered
(
	cd filtered || exit 1
	git config filter.shout.clean 'tr A-Z a-z'
	git config filter.shout.smudge 'tr a-z A-Z'
	git config filter.shout.required true
	echo '*.s filter=shout' >.gitattributes
	echo QUIET >a.s && git add . && git commit -q -m filtered
	echo LOUD >a.s && git commit -q -a -m louder
	echo MINE >a.s && echo STAGED >b.s && git add b.s
)
unchanged 'filters' filtered vcs filtered round 'grep -q QUIET filtered/a.s' main~1
expect_text "$(printf 'MINE\nSTAGED')" "$(cat filtered/a.s filtered/b.s)" 'filtered files are as they were'

printf '#!/bin/sh\necho "$@" >>"$(git rev-parse --git-dir)/hook-ran"\nexit 1\n' >all/.git/hooks/post-checkout
chmod +x all/.git/hooks/post-checkout
echo w >>all/f3
unchanged 'a hook that fails' all vcs all round '' main~1
check 'the hook ran' test "$(wc -l <all/.git/hook-ran)" -eq 2
rm all/.git/hooks/post-checkout all/.git/hook-ran

git -C all update-index --split-index
unchanged 'a split index' all vcs all round '' main~1
git -C all update-index --no-split-index
git -C all reset -q --hard
rm -f all/untracked && git -C all sparse-checkout set --cone d && echo w >>all/d/g3
unchanged 'a sparse checkout' all vcs all round 'test ! -e all/sub' main~1
check 'stays sparse' test "$(git -C all ls-files -t | grep -c ^S)" -eq 0 -o -f all/.git/info/sparse-checkout

three_versions inner
git init -q outer
(
	cd outer || exit 1
	git submodule --quiet add "file://$work/here/inner" sub && git commit -q -m one
	echo x >x && git add x && git commit -q -m two
)
unchanged 'a submodule' outer vcs outer round '' main~1
echo u >outer/sub/untracked
expect_text clean "$(vcs outer dirty)" 'untracked files in a submodule do not count'
echo w >>outer/sub/f1
expect_text dirty "$(vcs outer dirty)" 'changes in a submodule do'
echo w >>outer/x
unchanged 'a changed submodule' outer vcs outer round '' main~1
git -C outer config submodule.recurse true
refused 'a changed submodule that git would overwrite' outer 'submodule.recurse' vcs outer round '' main~1
git -C outer/sub checkout -q f1
unchanged 'a submodule that follows' outer vcs outer round '' main~1

# ---- a linked work tree ------------------------------------------------------------------------
three_versions tree
git -C tree worktree add -q -b side ../linked
echo w >>linked/f3 && echo s >>linked/f4 && git -C linked add f4
unchanged 'a linked work tree' linked vcs linked round '' main~1
echo w >>tree/f5
run vcs linked save
expect_status 0 vcs tree round '' main~1
expect_status 0 vcs linked recover
expect_text 0 "$(git -C tree for-each-ref | grep -c perun)" 'no reference is left'

# Two at once in one work tree.
vcs tree round 'touch started; sleep 2' main~1 &
while [ ! -e started ]; do sleep 0.05; done
expect_status 3 vcs tree save
expect_err 'another run is using the work tree'
expect_text '(none)' "$(vcs tree recover tell)" 'a living run is not interrupted'
expect_status 0 vcs tree recover
wait
expect_text w "$(tail -n 1 tree/f5)" 'the first goes on undisturbed'

# ---- a journal that came with the repository ---------------------------------------------------

# forged BRANCH: the journal of a run that was on that branch.
forged() {
	head=$(git -C tree rev-parse HEAD)
	printf 'perun-state 1\nhead %s\nbranch %s\nsaved -\ntarget %s\nend\n' "$head" "$1" "$head" >tree/.git/perun-state
}
for branch in 'refs/heads/-f' 'refs/heads/--pathspec-from-file=f1' 'refs/../HEAD' 'main' 'refs/heads/a b'; do
	forged "$branch"
	expect_status 3 vcs tree recover
	expect_err 'not a journal of this version'
done
# shellcheck disable=SC2016
name='$(touch${IFS}x)'
forged "refs/heads/$name"
run vcs tree recover tell
expect_out "git checkout '$name'"
rm tree/.git/perun-state
finish
