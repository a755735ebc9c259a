# SPDX-License-Identifier: BSD-3-Clause
# What a configuration may run: trust by the commands that write it, by perun trust, for a place and exact settings.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
perun plugin show collect-time >/dev/null 2>&1 || skip_all 'the collector is not built'

records() { find "$XDG_STATE_HOME/perun/trust" -type f 2>/dev/null | wc -l; }
collect() { perun collect -c true time --repeat 1 --warmup 0; }
fired() { [ -e "$work/fired" ] && rm "$work/fired"; }
hook="touch $work/fired"

# ---- what the user writes --------------------------------------------------------------------

new_repo
commit one
expect_status 0 perun init
check 'nothing can run, nothing is recorded' [ "$(records)" -eq 0 ]
expect_status 0 perun trust
expect_out 'sets nothing that runs a command'
expect_status 0 perun config set hooks.pre_run "$hook"
expect_text '' "$err" 'no word about trust'
check 'it is recorded' [ "$(records)" -eq 1 ]
check 'for the user alone' [ "$(stat -c %a "$XDG_STATE_HOME"/perun/trust/*)" = 600 ]
expect_status 0 collect
check 'and runs' fired
expect_status 0 perun config add cmds 'echo more'
expect_status 0 perun config --local --add cmds 'echo most'
run perun config get --json cmds
expect_json 'd["value"]' "['echo more', 'echo most']"
expect_status 2 perun config --add cmds a set b c
expect_status 0 collect
check 'more of it, too' fired
printf '#!/bin/sh\nsed -i "s/touch/touch -c x; touch/" "$1"\n' >"$work/editor" && chmod +x "$work/editor"
EDITOR=$work/editor expect_status 0 perun config edit
expect_status 0 collect
check 'and what an editor wrote that perun started' fired
expect_status 0 perun init
expect_status 0 collect
check 'init again changes nothing' fired

# ---- what others write -----------------------------------------------------------------------

sed -i 's/touch -c x/touch -c y/' .perun/local.yml
pending=$(ls .perun/jobs/*.perf | wc -l)
expect_status 3 collect
expect_err "hooks.pre_run: touch -c y; $hook" 'the exact command is shown'
expect_err "cmds: echo more"
expect_err "'perun trust'"
check 'and is not run' [ ! -e "$work/fired" ]
check 'nothing was measured' [ "$(ls .perun/jobs/*.perf | wc -l)" -eq "$pending" ]
expect_status 0 perun config get hooks.pre_run
expect_status 0 perun status
expect_status 2 perun trust
expect_err '--yes'
expect_status 0 perun trust --show
expect_out 'is not trusted'
run perun trust --show --json
expect_json 'd["state"]' untrusted
expect_status 0 perun config set general.paging never
expect_err 'have not trusted' 'a change does not trust the rest'
expect_status 3 collect
PERUN_TRUST=yes expect_status 0 collect
check 'for one run' fired
PERUN_TRUST=yes expect_status 0 perun config set general.paging never
expect_status 3 collect
expect_status 0 perun -c hooks.pre_run="$hook" collect -c true time --repeat 1 --warmup 0
check "the command line is the user's own" fired
expect_status 0 perun trust --yes
expect_out "hooks.pre_run: touch -c y; $hook"
expect_status 0 collect
check 'trusted' fired
expect_status 0 perun trust --revoke
check 'no record' [ "$(records)" -eq 0 ]
expect_status 3 collect
perun trust --yes >/dev/null

# Characters that a terminal would hide.
cp .perun/local.yml "$work/saved.yml"
printf 'args: ["a\\e[2K\\rb"]\n' >>.perun/local.yml
run perun trust --show
expect_out 'args: "a\u001b[2K\rb"'
cp "$work/saved.yml" .perun/local.yml

# A record that is not the user's own.
chmod 622 "$XDG_STATE_HOME"/perun/trust/*
expect_status 3 collect
chmod 600 "$XDG_STATE_HOME"/perun/trust/*
expect_status 0 collect
rm -f "$work/fired"

# ---- other places ----------------------------------------------------------------------------

cp -a . ../copy && cd ../copy || exit 1
expect_status 3 collect
check 'not in a copy' [ ! -e "$work/fired" ]
cd ../repo || exit 1

# Reading goes on, in one line.
profile p1 1 && perun add --keep p1 >/dev/null
commit two
profile p9 9 && perun add --keep p9 >/dev/null
sed -i "s|^hooks:|&\n  on_degradation: $hook|" .perun/local.yml
for command in 'check head' 'check all' 'check profiles p1 p9' 'ci HEAD~1 HEAD'; do
	# shellcheck disable=SC2086
	expect_status 1 perun $command
	expect_err 'the hook on_degradation is skipped'
	check 'in one line' [ "$(grep -c skipped "$work/.result/stderr")" -eq 1 ]
done
expect_status 1 perun check --compute-missing head
expect_err 'are not measured'
check 'nothing ran' [ ! -e "$work/fired" ]
perun trust --yes >/dev/null
expect_status 1 perun check head
check 'the hook is run where it is trusted' fired

# Tracked by git: never by itself.
git add -f .perun && git commit -q -m store
git clone -q . ../clone && cd ../clone || exit 1
expect_status 3 collect
expect_status 0 perun init
expect_status 3 collect
printf 'vcs: {type: git, url: ..}\n' >.perun/local.yml
expect_status 0 perun config set hooks.pre_run "$hook"
expect_err 'have not trusted'
expect_status 3 collect
check 'not even what perun wrote' [ ! -e "$work/fired" ]
expect_status 0 perun trust --yes
expect_status 0 collect
check 'unless the user says so' fired
git -C ../repo commit -q --allow-empty -m three
git commit -qa -m mine && git mv -f .perun/local.yml other 2>/dev/null
printf 'vcs: {type: git, url: ..}\nhooks: {pre_run: "%s; :"}\n' "$hook" >.perun/local.yml
expect_status 3 collect
check 'what is pulled asks again' [ ! -e "$work/fired" ]

# ---- the user's own file, and no home ----------------------------------------------------------

cd "$work/here" && git init -q own && cd own || exit 1
commit one
perun init >/dev/null
perun config --shared set hooks.pre_run "$hook" >/dev/null
expect_status 0 collect
check "the user's own configuration is trusted" fired
perun config --shared set hooks.pre_run '' >/dev/null
homeless() { env -u HOME -u XDG_STATE_HOME "$PERUN" "$@"; }
expect_status 0 homeless config set hooks.pre_run "$hook"
expect_err 'neither XDG_STATE_HOME nor HOME is set' 'what cannot be recorded is said'
expect_status 3 homeless collect -c true time --repeat 1 --warmup 0
check 'nothing without a record' [ ! -e "$work/fired" ]

# ---- another repository ------------------------------------------------------------------------

cd "$work/here" && git init -q other && mkdir project && cd project || exit 1
git -C ../other commit -q --allow-empty -m one
expect_status 0 perun init --vcs-path ../other
expect_status 0 perun log
sed -i 's/^cmds/&/; s|url: .*|url: ../../other/.|' .perun/local.yml
expect_status 3 perun log
expect_err 'vcs.url: ../../other/.'
perun trust --yes >/dev/null
expect_status 0 perun log
sed -i "s|url: .*|url: $work/here/other|" .perun/local.yml
expect_status 3 perun log
expect_err 'config --local set vcs.url'
expect_one_line
expect_status 0 perun -c vcs.url="$work/here/other" log
cd "$work/here/own" && mkdir sub && cd sub || exit 1
perun init >/dev/null
sed -i "s|url: .*|url: $work/here/own|" .perun/local.yml
expect_status 0 perun log

# One whose files came with a clone: its configuration would name commands for git.
cd "$work/here" && git init -q bare && cd bare && mkdir -p evil/refs/heads evil/objects || exit 1
printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = %s\n\tfsmonitor = "%s"\n' \
	"$work/here/bare/evil" "$hook" >evil/config
echo 'ref: refs/heads/main' >evil/HEAD
touch evil/refs/heads/.keep evil/objects/.keep
mkdir evil/.perun && printf 'vcs: {type: git, url: ..}\n' >evil/.perun/local.yml
git add -f . && git commit -q -m evil && cp -r .git/objects .git/refs evil/
cd evil || exit 1
git status >/dev/null 2>&1
check 'git itself falls for it' fired
rm -f "$work/fired"
for command in status log 'collect -m HEAD --in-place -c true time' 'run -f --in-place -m HEAD job -b true -c time' recover; do
	# shellcheck disable=SC2086
	run perun $command
	check "perun $command does not" [ ! -e "$work/fired" ]
done
expect_status 3 perun log
expect_err "came with the one in $work/here/bare"
# One that is only beside the files of another is fine.
git init -q --bare "$work/here/bare/mine.git" && cd "$work/here/bare/mine.git" && expect_status 0 perun init

# ---- records of stores that are gone ------------------------------------------------------------

cd "$work" && new_repo gone
run perun init
run perun config set hooks.pre_run "$hook"
gone=$PWD before=$(records)
cd "$work" && new_repo stays
run perun init
rm -rf "$gone"
expect_status 0 perun config set hooks.pre_run "$hook"
check 'a new record removes that of a store that is gone' [ "$(records)" -le "$before" ]
check 'and only that' grep -qxF "$PWD/.perun" "$XDG_STATE_HOME"/perun/trust/*
check 'no record names what is gone' test -z "$(grep -lF "$gone/.perun" "$XDG_STATE_HOME"/perun/trust/*)"

finish
