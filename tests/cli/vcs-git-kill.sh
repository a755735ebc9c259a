#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The plugin vcs git: killed at every step, nothing is lost and the way back is known.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/vcs-lib.sh"

kill_at=$top_builddir/tests/tools/kill-at
drive=$top_builddir/tests/tools/vcs-drive
status=0
export ASAN_OPTIONS=detect_leaks=0 # which cannot be done for a traced program
"$kill_at" 1 true || status=$?
[ "$status" -ne 125 ] || skip_all 'system calls cannot be traced here'

three_versions pristine
change_everything pristine
cp -a pristine victim && snapshot victim >before && rm -rf victim

# kill_everywhere FLAG STEP: kill at each STEP-th writing call; recover; compare.
kill_everywhere() {
	local flag=$1 step=$2 n=1 failed=0 told=0
	while :; do
		rm -rf victim && cp -a pristine victim
		run "$kill_at" $flag $n "$drive" git "$PWD/victim" round '' main~1 main~2
		[ "$status" -eq 137 ] || break
		# A killed git leaves its own locks, and says so; the user removes them.
		[ -z "$flag" ] || find victim/.git -name '*.lock' ! -name 'perun*' -delete
		[ "$(vcs victim recover tell)" = '(none)' ] || told=$((told + 1))
		run vcs victim recover
		snapshot victim >after
		if [ "$status" -ne 0 ] || ! cmp -s before after; then
			failed=$((failed + 1))
			diag "killed at $n $flag: recover $status $err"
			diff before after | sed 's/^/# /'
		fi
		git -C victim fsck >/dev/null 2>&1 || { failed=$((failed + 1)); diag "killed at $n: fsck"; }
		n=$((n + step))
	done
	check "the whole run ended well ($n calls)" test "$status" -eq 0
	expect_text 0 "$failed" "killed at calls 1, $((1 + step)) … $n${flag:+, git too}: all is back"
	check 'most of them told how to get back' test "$told" -gt $((n / step / 3))
}
if is_long; then
	kill_everywhere '' 1
	kill_everywhere -f 3
else
	kill_everywhere '' 13
	kill_everywhere -f 47
fi

# What is told can be done by hand.
rm -rf victim && cp -a pristine victim
vcs victim save >/dev/null
vcs victim checkout main~2
run vcs victim recover tell
expect_out 'you were on branch main, and your uncommitted changes are in refs/perun/saved-state/main'
by_hand=${out#*by hand: }
(cd victim && eval "${by_hand%)}" >/dev/null 2>&1)
expect_status 0 vcs victim recover
snapshot victim >after
expect_same before after 'by hand, then by recover'

# The next run does not go on top of it.
rm -rf victim && cp -a pristine victim
vcs victim save >/dev/null
expect_status 3 vcs victim round '' main~1
expect_err 'a run in '
expect_one_line
expect_status 0 vcs victim recover
snapshot victim >after
expect_same before after 'all is back'

# A lock that a killed git left is the user's to remove.
vcs victim save >/dev/null
touch victim/.git/index.lock
expect_status 3 vcs victim recover
expect_err 'index.lock exists'
expect_one_line
rm victim/.git/index.lock
expect_status 0 vcs victim recover
snapshot victim >after
expect_same before after 'then all is back'

# Changes made after the kill are kept.
vcs victim save >/dev/null
vcs victim checkout main~1
echo precious >>victim/f9
run vcs victim recover
expect_text 0 "$status" 'recover over new changes'
expect_err 'these changes are kept'
git -C victim stash show -p | grep -q precious
check 'they are in the stash' test $? -eq 0
git -C victim stash drop -q
snapshot victim >after
expect_same before after 'all else is back'

# git gc in between takes nothing away.
vcs victim save >/dev/null
git -C victim reflog expire --expire=now --all && git -C victim gc -q --prune=now
expect_status 0 vcs victim recover
snapshot victim >after
expect_same before after 'gc took nothing'
finish
