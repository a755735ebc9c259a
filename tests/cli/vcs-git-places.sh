#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The plugin vcs git: making, finding and opening repositories, of special kinds too.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/vcs-lib.sh"
here=$PWD

# ---- init --------------------------------------------------------------------------------------
expect_status 0 vcs plain init
expect_text main "$(git -C plain symbolic-ref --short HEAD)" 'init makes a repository'
expect_status 0 vcs "$here/trunk" init initial-branch=trunk
expect_text trunk "$(git -C trunk symbolic-ref --short HEAD)" 'with options'
expect_status 0 vcs trunk2 init --initial_branch=trunk quiet
expect_text trunk "$(git -C trunk2 symbolic-ref --short HEAD)" 'in any spelling'
expect_status 0 vcs trunk3 init b=trunk
expect_text trunk "$(git -C trunk3 symbolic-ref --short HEAD)" 'short ones too'
for option in object-format=sha256 'x y' '' 'a;b' --upload-pack=x; do
	run vcs refused init "$option"
	check "refused: $option" test "$status" -ne 0
	expect_one_line
	check 'and nothing made' test ! -e refused
done
three_versions repo
touch -d '2001-01-01' repo/.git/config
expect_status 0 vcs repo init
expect_text 2001 "$(date -r repo/.git/config +%Y)" 'an existing repository stays as it is'
expect_status 0 vcs repo init initial-branch=trunk
expect_err 'is a git repository already'
mkdir nothing
run env PATH="$here/nothing" "$top_builddir/tests/tools/vcs-drive" git no-program init
expect_text 0 "$status" 'init without the git program'
check 'makes a repository' git -C no-program rev-parse --git-dir
run env PATH="$here/nothing" "$top_builddir/tests/tools/vcs-drive" git no-program2 init initial-branch=x
expect_text 4 "$status" 'its options need the program'

# ---- ignore ------------------------------------------------------------------------------------
printf 'other' >repo/.git/info/exclude
expect_status 0 vcs repo ignore .perun/
expect_status 0 vcs repo ignore .perun/
expect_text "$(printf 'other\n.perun/')" "$(cat repo/.git/info/exclude)" 'ignored once'
rm -r repo/.git/info
expect_status 0 vcs repo ignore .perun/
mkdir repo/.perun && touch repo/.perun/x
expect_text '' "$(git -C repo status --porcelain)" 'git status is quiet'

# ---- discover ----------------------------------------------------------------------------------
mkdir -p repo/deep/er
expect_text "$here/repo" "$(vcs repo/deep/er discover)" 'from below'
expect_text "$here/repo" "$(vcs "$here/repo" discover)" 'at the root'
mkdir outside
expect_text '(none)' "$(GIT_CEILING_DIRECTORIES=$here vcs "$here/outside" discover)" 'nowhere'
expect_text '(none)' "$(GIT_CEILING_DIRECTORIES=$here/repo vcs "$here/repo/deep/er" discover)" 'not above the ceiling'
expect_status 3 vcs outside head
expect_err 'no git repository here'
expect_one_line
git -C repo worktree add -q ../linked main~1 2>/dev/null
expect_text "$here/linked" "$(vcs linked/d discover)" 'a linked work tree'
expect_text "$here/repo" "$(vcs linked common)" 'shares the store of the main one'
expect_text "$here/repo" "$(vcs repo common)" 'which has its own'
expect_text "$(git -C repo rev-parse main~1)" "$(vcs linked head)" 'its head is its own'
expect_status 0 vcs linked ignore .perun/
expect_text 1 "$(grep -c perun repo/.git/info/exclude)" 'ignoring is shared'
git clone -q --bare repo bare.git
expect_text "$here/bare.git" "$(vcs bare.git discover)" 'a bare repository'
expect_text "$(git -C repo rev-parse HEAD)" "$(vcs bare.git head)" 'has a head'
expect_text clean "$(vcs bare.git dirty)" 'is never dirty'
git -C bare.git worktree add -q ../of-bare main 2>/dev/null
expect_text "$here/bare.git" "$(vcs of-bare common)" 'a linked work tree of a bare one'
git init -q --separate-git-dir="$here/elsewhere" separate
git -C separate commit -q --allow-empty -m x
expect_text "$(git -C separate rev-parse HEAD)" "$(vcs separate head)" 'a separate git directory'
git init -q super && (cd super && git submodule --quiet add "file://$here/repo" sub && git commit -q -m s)
expect_text "$here/super/sub" "$(vcs super/sub/d discover)" 'a submodule'
expect_text "$here/super/sub" "$(vcs super/sub common)" 'is its own'
ln -s repo link
expect_text "$(git -C repo rev-parse HEAD)" "$(vcs link head)" 'through a link'

# The variables of a hook, and a work tree whose repository is elsewhere.
mkdir files && git init -q --bare dots.git && git --git-dir=dots.git config core.bare false
echo x >files/x
export GIT_DIR=$here/dots.git GIT_WORK_TREE=$here/files
git add x 2>/dev/null; (cd files && git add x && git commit -q -m dots)
expect_text "$here/files" "$(vcs "$here/files" discover)" 'GIT_DIR and GIT_WORK_TREE'
expect_text "$(git rev-parse HEAD)" "$(vcs "$here/files" head)" 'are opened'
expect_text clean "$(vcs "$here/files" dirty)" 'clean'
echo y >files/x
expect_text dirty "$(vcs "$here/files" dirty)" 'and dirty'
expect_text clean "$(vcs "$here/repo" dirty)" 'another repository is opened by its own place'
unset GIT_DIR GIT_WORK_TREE

# ---- special repositories ----------------------------------------------------------------------
git -C linked sparse-checkout set --cone d
expect_status 0 vcs repo head
git clone -q --filter=blob:none "file://$here/repo" partial 2>/dev/null
git -C partial config extensions.partialClone origin
git -C partial config core.repositoryFormatVersion 1
expect_status 0 vcs partial walk HEAD
if git init -q --object-format=sha256 sha256 2>/dev/null; then
	expect_status 3 vcs sha256 head
	expect_err 'SHA-256'
	expect_one_line
	expect_status 3 vcs sha256 discover
	expect_err 'SHA-256'
else skip 'this git has no SHA-256'; fi
cp -a repo odd && git -C odd config core.repositoryFormatVersion 1 && git -C odd config extensions.unheardOf true
expect_status 3 vcs odd head
expect_one_line
if [ "$(id -u)" -eq 0 ] && cp -a repo foreign && chown -R 12345 foreign 2>/dev/null; then
	expect_status 3 vcs "$here/foreign" head
	expect_err 'belongs to another user'
	expect_err "git config --global --add safe.directory $here/foreign"
	expect_one_line
	expect_status 3 vcs "$here/foreign/d" discover
	expect_err 'belongs to another user'
	git config --global --add safe.directory "$here/foreign"
	expect_status 0 vcs "$here/foreign" head
	expect_text "$here/foreign" "$(vcs "$here/foreign/d" discover)" 'trusted'
	git config --global --replace-all safe.directory '*'
	expect_status 0 vcs "$here/foreign" head
	git config --global --unset-all safe.directory
	GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0="$here/foreign" \
		expect_status 0 vcs "$here/foreign" head
else skip 'a foreign owner needs root'; fi
finish
