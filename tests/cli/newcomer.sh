#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What a newcomer stumbles over: odd repositories, killed runs, broken configuration, help.
. "${top_srcdir:-.}/tests/cli/lib.sh"

# A bare repository is taken as it is, and gets no second one inside.
new_repo source
git clone -q --bare . ../bare.git
cd ../bare.git
expect_status 0 perun init
check 'no repository is made inside a bare one' test ! -e .git
expect_status 0 perun init --vcs-type git --vcs-flag bare ../made.git
check 'a bare repository is made' test -d ../made.git/refs -a -d ../made.git/.perun -a ! -e ../made.git/.git
expect_status 0 perun status
expect_out "$(git rev-parse --short=8 HEAD)"
cd ..

# -h asks for help behind a sub-command too.
expect_status 0 perun check head -h
expect_out 'Usage: perun check head'
expect_status 0 perun run job -h
expect_out 'Usage: perun run job'

# Text that is no YAML is called so.
new_repo yaml
perun init >/dev/null
echo 'a: [b' >.perun/local.yml
expect_status 3 perun status
expect_err 'local.yml: line 2, column 1: not valid YAML: '
expect_one_line
cd ..

# What a killed run leaves is removed by recover, all of it.
new_repo killed
perun init >/dev/null
printf '#!/bin/sh\necho > "$0.started"\nsleep 5\n' >slow.sh
chmod +x slow.sh
git add slow.sh
git commit -q -m slow
mkdir "$work/scratch"
export TMPDIR=$work/scratch
"$PERUN" collect -m HEAD -c ./slow.sh time >/dev/null 2>&1 &
pid=$!
for _ in $(seq 200); do
	ls "$TMPDIR"/*/*/slow.sh.started >/dev/null 2>&1 && break
	sleep 0.05
done
kill -KILL "$pid" # its slow.sh ends by itself
wait "$pid" 2>/dev/null
expect_status 0 perun recover
expect_out 'removed 1 work tree'
expect_text '' "$(ls "$TMPDIR" | grep perun-version)" 'no directory is left'
expect_text 1 "$(git worktree list | wc -l)" 'no work tree is left'
expect_status 0 perun recover
expect_out 'nothing was left behind'
cd ..

# bash breaks words at @ and =: tags and values behind = are completed all the same.
new_repo completing
perun init >/dev/null
perun collect -c true -p 'repeat: 1' time >/dev/null
eval "$(perun completion bash)"
complete_line() { # WORDS as bash breaks them, then the line
	COMP_LINE=${!#}
	COMP_WORDS=("${@:1:$#-1}")
	COMP_CWORD=$(($# - 2))
	_perun
	printf '%s|' "${COMPREPLY[@]}"
}
expect_text 'p|' "$(complete_line perun show 0 @ 'perun show 0@')" 'a tag is completed'
expect_text 'raw|' "$(complete_line perun show 0 @ p ra 'perun show 0@p ra')" 'a view behind a tag is'
expect_text 'developer|' "$(complete_line perun init --config-template = d \
	'perun init --config-template=d')" 'a value behind = is'

# Options are tried before anything is measured.
expect_status 2 perun run job -b 'touch ran' -c time -p filter -pp filter 'nosuch: 1'
expect_err 'filter: unknown option --nosuch'
expect_one_line
check 'and nothing was run' test ! -e ran

# On a terminal without the pager the text is shown all the same.
if command -v script >/dev/null; then
	mkdir "$work/tools"
	for tool in sh git stty cat sed dirname; do
		[ -z "$(command -v $tool)" ] || ln -s "$(command -v $tool)" "$work/tools/"
	done
	log_in_terminal="script -qec '$PERUN log -s' /dev/null"
	run env -u PAGER -u PERUN_PAGER PATH="$work/tools" "$(command -v bash)" -c "${log_in_terminal/script/$(command -v script)}"
	expect_out "$(git rev-parse --short=8 HEAD)" 'without less'
	run env PERUN_PAGER='nosuchpager -x' "$(command -v bash)" -c "$log_in_terminal"
	expect_out "$(git rev-parse --short=8 HEAD)" 'without the pager that is wanted'
	expect_out 'the pager nosuchpager -x is not installed'
else
	skip 'no script(1) here'
fi

# Of several profiles measured within a second the last one is 0@p.
for workload in a b c d e; do
	perun collect -c true -w $workload -p '{repeat: 1, warmup: 0}' time >/dev/null
	run perun show 0@p raw
	expect_out "\"workload\": \"$workload\"" "0@p is the newest: $workload"
done

# A file called .perun is in the way; nothing is made around it.
mkdir in-the-way
touch in-the-way/.perun
mkdir "$work/outside"
mv in-the-way "$work/outside"
expect_status 3 perun init "$work/outside/in-the-way"
expect_err 'is in the way'
expect_one_line
check 'no repository is made' test ! -e "$work/outside/in-the-way/.git"

# When nothing can be written, what is to be removed is removed all the same, and nothing else is.
limited() { (ulimit -f 0 && "$PERUN" "$@" 2>&1; echo "status $?") | cat; }
pending=$(ls .perun/jobs/*.perf | wc -l)
text=$(limited add 0@p)
check 'add says that it cannot write' test "${text##*status }" = 3
check 'and why' grep -q 'cannot write .*: File too large' <<<"$text"
expect_text "$pending" "$(ls .perun/jobs/*.perf | wc -l)" 'and the profile stays pending'
text=$(limited rm 0@p)
check 'rm works all the same' test "${text##*status }" = 0
expect_text $((pending - 1)) "$(ls .perun/jobs/*.perf | wc -l)" 'and the profile is gone'
expect_status 0 perun status --short
expect_out "$((pending - 1)) pending"
expect_status 0 perun fsck

# A file of parameters that is not there is called so.
expect_status 2 perun collect -c true -p nofile.yml time
expect_err "'nofile.yml' is neither a file nor names and values such as"
expect_one_line
expect_status 3 perun collect -c true -p '{a: [' time
expect_err 'parameters of time: text: line '
run perun run job -c time -b true -cp time repeat=3
expect_out '(median of 3,'

# What is named twice is taken once.
perun collect -c true -p '{repeat: 1, warmup: 0}' time >/dev/null
expect_status 0 perun add 0@p 0@p-0@p
expect_text 1 "$(grep -c "^registered with" <<<"$out")" 'one profile'
expect_status 0 perun rm 0@i 0@i
expect_text 1 "$(grep -c "^deregistered" <<<"$out")" 'one profile'

# The manual is printed where there is no terminal, that of a command as that of a view.
if command -v man >/dev/null; then
	expect_status 0 perun help push
	expect_out 'PERUN-PUSH(1)'
	expect_status 0 perun help run
	expect_out 'PERUN-RUN(1)'
fi
# The manual of a plugin is found by its name, and perun is not the format of that name.
expect_status 0 perun help time
expect_out '--repeat'
expect_status 0 perun help perun
expect_out 'perun help'
expect_no_out 'FORMAT'

if [ "$(id -u)" -ne 0 ]; then
	chmod 000 .git
	expect_status 3 perun status
	expect_err 'cannot read the git repository'
	chmod 755 .git
else
	skip 'root reads everything'
fi

finish
