# SPDX-License-Identifier: BSD-3-Clause
# The command itself: help, unknown commands and options, completion, version.
. "${top_srcdir:-.}/tests/cli/lib.sh"

expect_status 0 perun --version
expect_out 'perun '
expect_status 0 perun version --json
expect_out '"version"'

run perun
check 'no command is wrong usage' [ "$status" -eq 2 ]
expect_err 'Commands:'

expect_status 0 perun --help
for command in init status log collect run add rm show postprocessby check convert config fsck gc plugin; do
	expect_out "  $command "
done
expect_no_out complete-words

expect_status 2 perun statsu
expect_err 'did you mean status?'
expect_one_line
expect_status 2 perun config gett x
expect_err 'did you mean get?'
expect_status 2 perun check
expect_err 'head, all, profiles'
expect_one_line
expect_status 2 perun status --shrot
expect_err 'did you mean --short?'
expect_status 2 perun log -n x
expect_one_line
expect_status 2 perun -c nothing status
expect_err 'KEY=VALUE'
expect_status 2 perun -C "$work/nowhere" status
expect_err 'nowhere'
expect_one_line

# Every command has a help text that names its options, and --help is understood behind other words.
for command in init status log collect run add rm show postprocessby check convert config fsck gc recover \
	plugin help version completion; do
	COLUMNS=80 run perun "$command" --help
	check "perun $command --help" [ "$status" -eq 0 ]
	check "perun $command --help fits" test -z "$(awk 'length > 80' <<<"$out")"
	expect_out "Usage: perun $command"
	run perun help --text "$command"
	check "perun help $command" [ "$status" -eq 0 ]
done
expect_status 0 perun collect time --help
expect_out '--repeat'
expect_status 0 perun collect -c x time --help
expect_out '--repeat'
expect_status 0 perun check profiles --help
expect_out 'BASELINE'
expect_status 0 perun help collect time
expect_out '--repeat'
expect_status 2 perun help nonsense
# A summary that is a question ends as one.
expect_status 0 perun compare --help
expect_out 'which is slower?'
expect_no_out '?.'

# -h is help where it means nothing else.
expect_status 0 perun status -h
expect_out 'Usage: perun status'

# Files in place of a sub-command.
echo x >a.perf
expect_status 2 perun check a.perf a.perf
expect_err 'did you mean perun check profiles a.perf'
rm a.perf

# Words for the shells.
expect_status 0 perun complete-words sta
expect_text "status	show the profiles of the current version" "$out" 'a command is completed'
expect_status 0 perun complete-words collect ''
expect_out 'time	'
expect_status 0 perun complete-words collect time --rep
expect_out '--repeat'
expect_status 0 perun complete-words check pro
expect_out 'profiles'
expect_status 0 perun complete-words check --json head --unch
expect_out '--unchanged'
expect_status 0 perun complete-words config reset ''
expect_out 'developer'
expect_status 0 perun complete-words add ''
expect_out '<file>'
expect_status 0 perun complete-words convert --to ''
expect_out 'perun'
expect_status 0 perun complete-words check --method ''
expect_out 'average-amount-threshold'
expect_status 0 perun complete-words run job -c t
expect_out 'time'
expect_status 0 perun complete-words init --vcs-type ''
expect_out 'git'
expect_status 0 perun complete-words plugin show view
expect_out 'view-raw'
expect_status 0 perun complete-words help sta
expect_out 'status'
new_repo tags && perun init >/dev/null && . "$top_srcdir/tests/cli/cli-lib.sh"
profile .perun/jobs/a.perf 1
expect_status 0 perun complete-words add ''
expect_out '0@p'
cd ..
expect_status 0 perun complete-words -C ''
expect_out '<file>'
expect_status 0 perun complete-words
expect_out 'init	'
expect_no_out complete-words
expect_status 2 perun completion tcsh

for shell in bash zsh fish; do
	expect_status 0 perun completion $shell
	if command -v $shell >/dev/null; then
		perun completion $shell >script.$shell
		check "$shell takes the script" $shell -n script.$shell
	else
		skip "no $shell here"
	fi
done
if command -v bash >/dev/null; then
	cat >try.bash <<-'TRY'
		PATH=$1:$PATH
		eval "$("$2" completion bash)"
		COMP_WORDS=("$2" check he) COMP_CWORD=2 COMP_LINE="$2 check he"
		_perun
		echo "${COMPREPLY[*]}"
	TRY
	run bash try.bash . "$PERUN"
	expect_text head "$out" 'bash completes a sub-command'
fi

# A word that is empty shows.
for words in "plugin show" help; do
	# shellcheck disable=SC2086
	run perun $words ''
	check "says which word is empty: perun $words ''" grep -q "''" <<<"$err"
done
expect_status 2 perun convert x.perf ''
expect_err "argument OUT: '' is not the name of a file"
expect_status 2 perun import --metadata '' x.json
expect_err "option --metadata: '' is not the name of a file"

# Output that cannot be written is an error.
if [ -e /dev/full ]; then
	"$PERUN" --help >/dev/full 2>err
	check 'a full disk is reported' [ $? -eq 3 ]
	check 'and why' grep -q 'No space left' err
fi
# A reader that goes away is none.
"$PERUN" help 2>err | head -n 1 >/dev/null
check 'a closed pipe is quiet' [ ! -s err ]

finish
