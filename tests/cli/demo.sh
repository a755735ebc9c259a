# SPDX-License-Identifier: BSD-3-Clause
# The demonstration finds the slow commit of its project, from measurements.
. "${top_srcdir:-.}/tests/cli/lib.sh"

export PERUN
expect_status 0 bash "$top_srcdir/demo/run.sh" "$work/demo"
answer=$(sed -n '/^== The answer/,/^Look at/p' "$work/.result/stdout")
case $answer in
*'Use less memory for short texts'*) ok 'the slow commit is named' ;;
*) not_ok 'the slow commit is named' ;;
esac
case $answer in
*'./wordcount ../words.txt: '*x,\ from\ *) ok 'by how much is told' ;;
*) not_ok 'by how much is told' ;;
esac
check 'no other commit is blamed' test "$(printf '%s\n' "$answer" | grep -c '^  [0-9a-f]\{8\} ')" -eq 1
expect_out 'perun check all' 'what to do next is told'
check 'the profiles are stored' test "$(cd "$work/demo/wordcount" && perun log --short | grep -c '(1|')" -eq 8

# A directory that is not its own is left alone.
mkdir "$work/mine" && echo precious >"$work/mine/file"
expect_status 2 bash "$top_srcdir/demo/run.sh" "$work/mine"
check 'a foreign directory is untouched' test "$(cat "$work/mine/file")" = precious

finish
