# SPDX-License-Identifier: BSD-3-Clause
# perun init, in all the places where it may be started.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

# A repository without store: every command says what to do, and changes nothing.
new_repo plain
for command in 'status' 'log' 'add x.perf' 'rm 0@i' 'check head' 'fsck' 'gc' 'collect -c true time' \
	'config --local get vcs.type'; do
	# shellcheck disable=SC2086
	expect_status 2 perun $command
	expect_err 'perun init'
	expect_one_line
done
check 'nothing was made' [ ! -e .perun ]

expect_status 0 perun init
expect_out 'Initialized Perun'
check 'a store is there' [ -d .perun/objects ]
check 'git does not see it' [ -z "$(git status --porcelain)" ]
check 'the place is relative' grep -q 'url: *\.\.$' .perun/local.yml
expect_status 0 perun status
expect_out 'no tracked profiles'

echo '# mine' >>.perun/local.yml
cp .perun/local.yml before
expect_status 0 perun init
expect_out 'Reinitialized'
expect_same before .perun/local.yml 'an existing configuration stays'
for option in '-t user' '--vcs-path ../other' '--vcs-flag quiet'; do
	# shellcheck disable=SC2086
	expect_status 2 perun init $option
	expect_err 'has its configuration already'
	expect_one_line
done
expect_same before .perun/local.yml 'a refused option changes nothing'
check 'no repository was made' [ ! -e ../other ]
expect_status 0 perun init --vcs-type git --vcs-path .
expect_out 'Reinitialized'
check 'ignored once' [ "$(grep -c perun .git/info/exclude)" -eq 1 ]

# The store moves with the project.
cd .. && mv plain moved && cd moved || exit 1
expect_status 0 perun status
mkdir -p sub/deep && cd sub/deep || exit 1
expect_status 0 perun status
cd "$work/here" || exit 1

# Elsewhere: a directory that is not there yet, a repository in another place, one to be made.
new_repo other
cd ..
expect_status 0 perun init --vcs-path other stores/new
check 'the store is where it was asked for' [ -d stores/new/.perun ]
expect_status 0 perun -C stores/new log
expect_out 'first commit'
# Outside of a repository one is made only where somebody says so.
mkdir empty
expect_status 2 perun init empty
expect_err 'is not in a repository; perun init --vcs-type git makes one'
expect_one_line
check 'nothing was made' [ -z "$(ls -A empty)" ]
expect_status 0 perun init --vcs-type git empty
expect_out 'new git repository'
check 'a repository was made' [ -d empty/.git ]
expect_status 0 perun -C empty status
expect_out 'no commit yet'

expect_status 4 perun init --vcs-type nonsense nowhere
expect_err 'nonsense'
expect_one_line
check 'nothing was made by a failure' [ ! -e nowhere/.perun ]
expect_status 2 perun init -t nonsense
expect_one_line

# --configure opens the editor on the new file.
new_repo edited
export EDITOR="sh -c 'echo \"# seen\" >>\"\$0\"'"
expect_status 0 perun init --configure
check 'the editor was there' grep -q '# seen' .perun/local.yml
export EDITOR=false
expect_status 3 perun config edit
expect_one_line
export EDITOR=/nonexistent/editor
expect_status 4 perun config edit
expect_err 'EDITOR'

# Linked work trees use the store of the main one.
cd "$work/here/moved" || exit 1
git worktree add -q ../linked 2>/dev/null
expect_status 0 perun -C ../linked status

# A broken configuration is reported with its line.
printf 'vcs:\n  type: [git\n' >.perun/local.yml
expect_status 3 perun status
expect_err 'local.yml'
expect_err 'line'
expect_one_line

# .git/info/exclude that leads elsewhere is left alone.
new_repo
echo kept >outside
rm -f .git/info/exclude
ln -s "$PWD/outside" .git/info/exclude
expect_status 0 perun init
expect_err 'leads elsewhere'
expect_text kept "$(cat outside)" 'nothing is appended through a link'

finish
