# SPDX-License-Identifier: BSD-3-Clause
# The demonstration finds the slow commit of its project, from measurements.
. "${top_srcdir:-.}/tests/cli/lib.sh"

export PERUN
# Among the other commits are some that really cost or save a few percent, which a quiet machine shows: only
# one is blamed for half as much again. Other work on the machine that begins or ends between two commits
# looks like a change of the second; three runs in a row that blame the wrong one are an error, though.
for attempt in 1 2 3; do
	run bash "$top_srcdir/demo/run.sh" "$work/demo"
	answer=$(sed -n '/^== The answer/,/^Look at/p' "$work/.result/stdout")
	blamed=$(printf '%s\n' "$answer" | grep -c '^[0-9a-f]\{8\}  slower  .* [0-9.]*×')
	[ "$blamed" -ne 1 ] || break
	diag "attempt $attempt: $blamed commits are blamed"
done
expect_text 0 "$status" 'the demonstration runs'
case $answer in
*'Use less memory for short texts'*) ok 'the slow commit is named' ;;
*) not_ok 'the slow commit is named' ;;
esac
case $answer in
*'  slower  time('*×*'$ ./wordcount ../words.txt'*) ok 'by how much is reported' ;;
*) not_ok 'by how much is reported' ;;
esac
check 'no other commit is blamed for as much' test "$blamed" -eq 1
expect_out 'perun check all' 'what to do next is reported'
check 'the profiles are stored' test "$(cd "$work/demo/wordcount" && perun log --short | grep -c '  1 time  ')" -eq 8

# A directory that is not its own is left alone.
mkdir "$work/mine" && echo precious >"$work/mine/file"
expect_status 2 bash "$top_srcdir/demo/run.sh" "$work/mine"
check 'a foreign directory is untouched' test "$(cat "$work/mine/file")" = precious

finish
