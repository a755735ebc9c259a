# SPDX-License-Identifier: BSD-3-Clause
# Whose store it is, and where one is looked for.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

# store DIR: a store in a directory.
store() { mkdir -p "$1" && perun init --vcs-type git "$1" >/dev/null 2>&1 || not_ok "init $1"; }

# ---- the end of the search -------------------------------------------------------------------

mkdir -p outer/inner/sub && git init -q outer/inner
store outer
cd outer/inner/sub || exit 1
expect_status 2 perun status
expect_err 'outer/.perun is not used: it lies outside of this repository'
expect_err "'perun init'"
expect_one_line
expect_status 0 perun config --user --add safe.store "$work/here/outer"
expect_status 0 perun config get --json vcs.type
expect_status 0 perun config --local get vcs.type
perun config --user set safe.store '[]' >/dev/null
store .
expect_status 0 perun config --local get vcs.url
expect_out 'vcs.url: ../..' 'a store below the root is found'
mkdir deep && cd deep || exit 1
expect_status 0 perun config --local get vcs.url
cd "$work/here" || exit 1

# Without a repository: upwards, but not from where everybody may write.
store plain
rm -rf plain/.git
mkdir -p plain/a/b && cd plain/a/b || exit 1
expect_status 0 perun config --local get vcs.type
chmod 1777 ../..
expect_status 2 perun config --local get vcs.type
expect_err 'everybody may write to this directory'
cd ../.. || exit 1
expect_status 0 perun config --local get vcs.type
cd .. || exit 1

# The root of the repository itself may be such a directory.
git init -q shared && chmod 777 shared && store shared && mkdir shared/sub && cd shared/sub || exit 1
expect_status 0 perun config --local get vcs.type
mkdir own && git init -q own && cd own || exit 1
expect_status 2 perun config --local get vcs.type
cd "$work/here" || exit 1

# Another file system.
if [ -w /dev/shm ] && [ "$(stat -c %d /dev/shm)" != "$(stat -c %d .)" ] && [ "$(id -u)" -eq 0 ] &&
	mkdir -p plain2/mounted && unshare -m true 2>/dev/null; then
	store plain2 && rm -rf plain2/.git
	run unshare -m sh -c "mount -t tmpfs none plain2/mounted && cd plain2/mounted && '$PERUN' status"
	expect_text 2 "$status" 'a file system is not left'
else
	skip 'needs root and another file system'
fi

# ---- another user's --------------------------------------------------------------------------

[ "$(id -u)" -eq 0 ] || { skip 'needs root'; finish; exit; }
git init -q foreign && cd foreign || exit 1
commit one
store .
echo 'hooks: {on_degradation: "touch fired"}' >>.perun/local.yml
profile p1 1
profile p9 9
chown -R 12345 .perun
expect_status 3 perun status
expect_err 'belongs to the user with the number 12345'
expect_err "perun config --user --add safe.store $PWD"
expect_one_line
expect_status 1 perun check profiles p1 p9
expect_err 'belongs to' 'what needs no store goes on without'
check 'nothing ran' [ ! -e fired ]
expect_status 3 perun init
mkdir sub && cd sub || exit 1
expect_status 3 perun status
SUDO_UID=12345 expect_status 0 perun status
SUDO_UID=12346 expect_status 3 perun status
SUDO_UID=junk expect_status 3 perun status
cd .. || exit 1
# As the line says; that trusts no command.
perun status >/dev/null 2>&1 || eval "$(perun status 2>&1 >/dev/null | sed 's/.*it: perun/perun/')" >/dev/null
expect_status 0 perun status
expect_status 1 perun check profiles p1 p9
expect_err 'skipped'
check 'nothing ran' [ ! -e fired ]
perun config --user set safe.store '["/nowhere"]' >/dev/null
expect_status 3 perun status
perun config --user set safe.store '*' >/dev/null
expect_status 0 perun status
perun config --user set safe.store '[]' >/dev/null

# A link that another user made to the user's own store.
mv .perun ../kept && chown -R 0 ../kept && ln -s ../kept .perun && chown -h 12345 .perun
expect_status 3 perun status

finish
