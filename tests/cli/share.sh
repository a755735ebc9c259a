# SPDX-License-Identifier: BSD-3-Clause
# A store that a team shares: perun push, fetch and sync.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

git init -q --bare hub.git
git clone -q hub.git one 2>/dev/null
cd one || exit 1
for day in 1 2 3; do
	export GIT_COMMITTER_DATE="2024-01-0$day 12:00:00 +0000"
	git commit -q --allow-empty -m "commit $day"
done
git push -q origin HEAD
cd ..
git clone -q hub.git two
for each in one two; do (cd $each && perun init >/dev/null 2>&1); done

# result VALUE: a profile.
result() { printf '[{"name":"parse","unit":"ms","value":%s},{"name":"é","unit":"ms","value":3}]\n' "$1" >result.json; }
# entries: what the store has, without the writers' names.
entries() { perun query --csv 'SELECT v.checksum, p.checksum FROM profiles p JOIN versions v ON v.id = p.version_id ORDER BY 1, 2'; }
references() { git -C "${1:-$work/here/hub.git}" for-each-ref --format='%(refname)' refs/perun; }
# A writer has a reference of its own, and one for each month.
writers() { references | sed 's/-[0-9]\{6\}$//' | sort -u | wc -l; }

# ---- there and back ----
cd one || exit 1
expect_status 0 perun push
expect_text 'sent 0 profiles' "$out" 'nothing to send'
result 10.5
perun import result.json >/dev/null
perun import -m HEAD~1 result.json >/dev/null
printf 'main;x 5\nmain;y 6\n' >stacks.folded
perun import stacks.folded >/dev/null
perun changes ack HEAD~1 --reason fine >/dev/null
echo '[{"metric": "speed", "better": "higher"}]' >.perun/directions.json
expect_status 0 perun push
expect_text 'sent 3 profiles, 2 statements' "$out" 'profiles, an original, what people said'
expect_status 0 perun push
expect_text 'sent 0 profiles' "$out" 'again'
expect_text $'1\n1' "$(for each in $(references .); do git rev-list --count "$each"; done)" 'nothing new makes no commit'
entries >"$work/one"

cd ../two || exit 1
expect_status 0 perun fetch
expect_text 'received 3 profiles, 2 statements from 1 writer' "$out" 'all of it'
entries >"$work/two"
expect_same "$work/one" "$work/two" 'the same profiles'
expect_status 0 perun fsck
expect_text 5.0 "$(perun query --csv "SELECT median FROM history WHERE location = 'x'" | tail -n 1)" 'the original came, too'
perun changes list | grep -q fine && ok 'the acknowledged change' || not_ok 'the acknowledged change'
check 'says whose word it is' grep -q '"writer"' .perun/acknowledged.json
check 'a direction' grep -q higher .perun/directions.json
expect_status 0 perun sync
expect_text $'received 0 profiles\nsent 0 profiles' "$out" 'what came is not sent on'
expect_text 1 "$(writers)" 'one writer'

# Both have a profile of one name at one version.
result 11
perun import result.json >/dev/null
expect_status 0 perun sync --json
expect_out '"sent"'
cd ../one || exit 1
result 12
perun import result.json >/dev/null
expect_status 0 perun sync
expect_text $'received 1 profile from 1 writer\nsent 1 profile' "$out" 'both ways'
(cd ../two && perun sync >/dev/null)
entries >"$work/one"
(cd ../two && entries) >"$work/two"
expect_same "$work/one" "$work/two" 'a name twice: both profiles are in both stores'
expect_text 5 "$(($(wc -l <"$work/one") - 1))" 'none was replaced'
expect_status 0 perun fsck

# What was removed does not come again, and stays at the remote.
perun rm 0@i >/dev/null 2>&1
entries | wc -l >before
expect_status 0 perun sync
entries | wc -l >after
expect_same before after 'removed here'

# ---- filters ----
cd ..
git clone -q hub.git three
cd three || exit 1
perun init >/dev/null 2>&1
expect_status 0 perun fetch --since "$((($(date +%s) - 1704196800) / 3600 - 12))h"
expect_out 'left out'
expect_status 0 perun fetch --class nosuch
expect_out 'received 0 profiles'
expect_err "no class of machine has 'nosuch' in its name; what was left out was measured on: "
expect_status 0 perun fetch
entries >"$work/three"
expect_same "$work/two" "$work/three" 'later all of it'

# ---- generations: months of profiles that leave a remote ----
cd ../one || exit 1
expect_status 2 perun gc --remote origin
expect_err 'needs --older-than'
expect_one_line
expect_status 0 perun gc --remote origin --older-than 0s
expect_text 'removed 0 months of profiles from origin' "$out" 'this month stays'
# What was sent until now was sent in January 2024.
month=$(references . | grep -E -- '-[0-9]{6}$')
old=${month%-*}-202401
for each in . "$work/here/hub.git"; do
	git -C "$each" update-ref "$old" "$month"
	git -C "$each" update-ref -d "$month"
done
for each in . ../two ../three; do
	tracking=refs/perun-remotes/origin/${month#refs/perun/}
	git -C "$each" rev-parse -q --verify "$tracking" >/dev/null || continue
	git -C "$each" update-ref "${tracking%-*}-202401" "$tracking"
	git -C "$each" update-ref -d "$tracking"
done
result 13
perun import result.json >/dev/null
perun import -m HEAD~1 stacks.folded >/dev/null
expect_status 0 perun sync
expect_out 'sent 2 profiles'
expect_text "$old" "$(references | grep -- -202401)" 'both months are there'
expect_status 0 perun gc --remote origin --older-than 100000d
expect_text 'removed 0 months of profiles from origin' "$out" 'it is not old enough'
expect_status 0 perun gc --remote origin --older-than 365d --dry-run
expect_text "${old#refs/perun/}"$'\nwould remove 1 month of profiles from origin' "$out" 'what would go'
expect_text "$old" "$(references | grep -- -202401)" 'nothing was removed'
(cd ../two && perun fetch >/dev/null 2>&1)
git clone -q ../hub.git ../brief
(cd ../brief && perun init >/dev/null 2>&1 && perun fetch --since 30d >/dev/null)
expect_text '' "$(git -C ../brief for-each-ref refs/perun-remotes | grep -- -202401)" 'a month before the filter is not transferred'
check 'that of the last weeks is' test -n "$(git -C ../brief for-each-ref refs/perun-remotes | grep -- "-$(date -u +%Y%m)")"
(cd ../brief && perun fetch >/dev/null)
expect_text "$(cd ../two && entries)" "$(cd ../brief && entries)" 'later all of it'
entries >before
expect_status 0 perun gc --remote origin --older-than 365d --json
expect_json 'd["generations"]' "['${old#refs/perun/}']"
expect_text '' "$(references | grep -- -202401)" 'the month is gone from the remote'
entries >after
expect_same before after 'and from nowhere else'
expect_status 0 perun sync
expect_text $'received 0 profiles\nsent 0 profiles' "$out" 'it is not sent again'
expect_text '' "$(references | grep -- -202401)" 'nor its reference'
(cd ../two && perun sync >"$work/two.out")
expect_text $'received 0 profiles\nsent 0 profiles' "$(cat "$work/two.out")" 'who has it keeps it, and does not send it'
(cd ../two && entries) >"$work/two"
cd ..
git clone -q hub.git late
cd late || exit 1
perun init >/dev/null 2>&1
expect_status 0 perun fetch
expect_out 'received 3 profiles'
expect_text '' "$err" 'what is left is complete, though an original was sent in the month that went'
perun changes list | grep -q fine && ok 'what people said stays' || not_ok 'what people said stays'
expect_status 0 perun fsck
git -C ../hub.git config receive.denyDeletes true
git update-ref "refs/perun/$(sed -n 's/.*"writer": "\([^"]*-[0-9a-f]*\)".*/\1/p' .perun/shared.json | head -n 1)-202312" HEAD
perun push >/dev/null 2>&1
run perun gc --remote origin --older-than 365d
expect_text 0 "$status" 'a store that sent nothing has nothing to remove'
git -C ../hub.git config receive.denyDeletes false

# ---- a profile that is like an earlier one ----
cd ../late || exit 1
large() { seq 20000 | awk -v seed="$1" '{ print "main;function_" $1 * 7919 % 3001 ";leaf_" $1 " " ($1 % 97 == seed ? 7 : $1 * 31 % 89 + 1) }' >"day-$1.folded"; }
# What a push sends, as the pack that git makes for it.
sent() {
	local before
	before=$(git ls-remote origin | awk '{ print "^" $1 }')
	perun push >/dev/null
	{
		git for-each-ref --format='%(objectname)' refs/perun
		echo "$before"
	} | git pack-objects --thin --revs --stdout -q | wc -c
}
large 1
perun import day-1.folded >/dev/null
first=$(sent)
large 2
perun import day-2.folded >/dev/null
second=$(sent)
check "sends the difference: $second bytes, not $first" test "$second" -lt $((first / 20))

# ---- the hook of git push ----
cd ../one || exit 1
export PATH=$work/bin:$PATH
mkdir -p "$work/bin"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$PERUN" >"$work/bin/perun"
chmod +x "$work/bin/perun"
mkdir -p .git/hooks
echo 'mine' >.git/hooks/pre-push
expect_status 3 perun install-hooks
expect_err 'is your own'
expect_one_line
expect_status 3 perun install-hooks --remove
expect_one_line
expect_text mine "$(cat .git/hooks/pre-push)" "a user's hook stays"
rm .git/hooks/pre-push
ln -s nowhere .git/hooks/pre-push
expect_status 3 perun install-hooks
check 'so does a link' test -L .git/hooks/pre-push
rm -r .git/hooks
expect_status 0 perun install-hooks
expect_out 'runs perun push with each git push'
expect_status 0 perun install-hooks --json
expect_out '"changed": false'
result 14
perun import result.json >/dev/null
git commit -q --allow-empty -m pushed
check 'git push' git push -q origin HEAD
expect_status 0 perun push
expect_text 'sent 0 profiles' "$out" 'sent the profiles, too'
git remote set-url --add origin "$work/here/hub.git"
git commit -q --allow-empty -m 'pushed to an address'
check 'git push to an address' git push -q "$work/here/hub.git" HEAD
mv .perun/shared.json "$work/shared.json"
echo broken >.perun/shared.json
git commit -q --allow-empty -m 'with a broken store'
check 'a failure of perun does not keep git from pushing' git push -q origin HEAD
mv "$work/shared.json" .perun/shared.json
expect_status 0 perun install-hooks --remove
expect_out 'is removed'
check 'the hook is removed' test ! -e .git/hooks/pre-push
expect_status 0 perun install-hooks --remove
expect_out 'is not installed'
git config core.hooksPath "$work/hooks"
expect_status 3 perun install-hooks
expect_err 'core.hooksPath of git is'
git config --unset core.hooksPath
git remote set-url --delete origin "$work/here/hub.git\$" 2>/dev/null
(cd ../two && perun sync >/dev/null && entries >"$work/two")
cd ../three || exit 1
perun fetch >/dev/null 2>&1

# ---- other remotes ----
expect_status 2 perun fetch nowhere
expect_err "there is no remote 'nowhere'"
expect_one_line
expect_status 2 perun push "$work/here/hub.git"
expect_one_line
expect_status 2 perun push -- --upload-pack=x
expect_one_line
git remote add gone "$work/gone.git"
expect_status 3 perun fetch gone
expect_one_line
git remote add ext 'ext::touch executed'
expect_status 3 perun fetch ext
check 'no command of an address runs' test ! -e executed
flock .perun/shared.lock sleep 1 &
sleep 0.3
expect_status 0 perun sync
wait
mkdir -p .git/refs/perun
touch .git/refs/perun-remotes/origin/x.lock .git/refs/perun/x.lock
for each in $(git for-each-ref --format='%(refname)' refs/perun-remotes); do touch ".git/$each.lock"; done
expect_status 0 perun sync
check 'a lock that a killed git left is removed' test ! -e .git/refs/perun-remotes/origin/x.lock

# ---- what others send is data ----
# evil PATH CONTENT...: a writer who sends these files.
evil() {
	{
		printf 'commit refs/perun/evil\ncommitter evil <> 1 +0000\ndata 0\n'
		git -C ../hub.git rev-parse -q --verify refs/perun/evil >/dev/null && printf 'from refs/perun/evil^0\n'
		while [ $# -gt 0 ]; do
			printf 'M 100644 inline %s\ndata %d\n' "$1" "$(printf %s "$2" | wc -c)"
			printf '%s\n' "$2"
			shift 2
		done
	} | git -C ../hub.git fast-import --quiet
}
head=$(git rev-parse HEAD)
zeros=0000000000000000000000000000000000000000
entries >before
evil "entries/00/a" "$head	$zeros	-	1	1		name.perf
$head	../../../../../../tmp/x	-	1	1		name.perf
../../x	$zeros	-	1	1		name.perf
$head	$zeros	../x	1	1		name.perf
$head	$zeros	-	99999999999	1		name.perf
$head	$zeros	-	1	1		../name.perf
$head	$zeros	-	1	1		$(printf '\033[31m')
no line" "objects/00/${zeros:2}" 'profile time 2' 'objects/../x' x "statements/acknowledged/1" '[' 'statements/local/1' '{"a": 1}' \
	'local.yml' 'execute: {pre_run: [touch executed]}'
git -C ../hub.git update-ref "refs/perun/e.v;il" refs/perun/evil 2>/dev/null
run perun fetch
expect_text 0 "$status" 'what a hostile writer sends does not end the fetch'
expect_err 'of what evil shares not everything can be used'
expect_one_line
entries >after
expect_same before after 'and changes no profile'
check 'no file elsewhere' test ! -e executed -a ! -e ../x -a ! -e .perun/x
expect_status 0 perun fsck
# An object that is one, but no profile; a profile whose original is not there.
python3 - >lines <<'PYTHON'
import hashlib, sys
for kind, body in (("profile", "{"), ("profile", "[]")):
    content = "%s time %d\0%s" % (kind, len(body), body)
    print(hashlib.sha1(content.encode()).hexdigest(), content.replace("\0", "@"))
PYTHON
while read -r checksum content; do
	{
		printf 'commit refs/perun/evil\ncommitter evil <> 1 +0000\ndata 0\nfrom refs/perun/evil^0\n'
		printf 'M 100644 inline entries/01/%s\ndata <<END\n%s\t%s\t-\t1\t1\t\tn.perf\nEND\n' "$checksum" "$head" "$checksum"
		printf 'M 100644 inline objects/%s/%s\ndata %d\n' "${checksum:0:2}" "${checksum:2}" "${#content}"
		printf %s "$content" | tr @ '\0'
		printf '\n'
	} | git -C ../hub.git fast-import --quiet
done <lines
run perun fetch
expect_text 0 "$status" 'objects that are no profiles'
entries >after
expect_same before after 'are left out'
expect_status 0 perun fsck
# A reference that does not go forward does not keep others from fetching.
git -C ../hub.git update-ref refs/perun/evil "$(git -C ../hub.git rev-list --max-parents=0 refs/perun/evil | tail -n 1)"
run perun fetch
expect_text 0 "$status" 'a reference that was moved back'
git -C ../hub.git update-ref -d refs/perun/evil

# ---- many at once, some killed ----
cd ..
# SHARE_CLONES and SHARE_ROUNDS make it longer: make soak-share.
clones=${SHARE_CLONES:-a b c d} rounds=${SHARE_ROUNDS:-3}
for each in $clones; do
	git clone -q hub.git "clone-$each"
	(cd "clone-$each" && perun init >/dev/null 2>&1)
done
# Of what is at the remote: a month of it is not.
(cd late && perun fetch && entries >"$work/late") >/dev/null
before=$(($(sed 1d "$work/late" | cut -d, -f2 | sort -u | wc -l)))
# work_in NAME SEED: import and sync, killed now and then.
work_in() {
	cd "clone-$1" || exit 1
	for round in $(seq "$rounds"); do
		result "$2.$((1000 + round))"
		perun import result.json
		timeout --foreground -s KILL "0.0$((($2 * 7 + round * 5) % 10))" "$PERUN" sync
	done
}
number=0
for each in $clones; do
	number=$((number + 1))
	work_in "$each" "$number" >/dev/null 2>&1 &
done
wait
failed=0
for round in 1 2; do
	for each in $clones; do
		(cd "clone-$each" && perun sync >/dev/null) || failed=$((failed + 1))
	done
done
expect_text 0 "$failed" 'after kills a sync goes through'
(cd clone-a && entries) >"$work/a"
for each in $clones; do
	(cd "clone-$each" && entries) >"$work/each"
	expect_same "$work/a" "$work/each" "clone $each has all"
	(cd "clone-$each" && perun fsck >/dev/null && git fsck >/dev/null 2>&1) || failed=$((failed + 1))
done
expect_text 0 "$failed" 'all stores and repositories are whole'
check 'and so is the remote' git -C hub.git fsck --connectivity-only
expect_text $((number * rounds)) "$(($(sed 1d "$work/a" | cut -d, -f2 | sort -u | wc -l) - before))" 'every profile arrived everywhere'

# ---- many files, which git reads at once; and a git that cannot ----
mkdir many && cd many || exit 1
git init -q --bare hub.git
git clone -q hub.git one 2>/dev/null
cd one && git commit -q --allow-empty -m first && git push -q origin HEAD
perun init >/dev/null 2>&1
{
	echo commit,workload,name,metric,value,unit
	seq 300 | sed "s/.*/$(git rev-parse HEAD),w&,parse,time,&.5,ms/"
} >"$work/many.csv"
perun import --history "$work/many.csv" >/dev/null
expect_status 0 perun push
entries >"$work/one"
cd ..
mkdir bin
printf '#!/bin/sh\ncase " $* " in *" cat-file "*) echo asked >>"$ASKED"; [ -z "$BROKEN" ] || exit 1; esac\nexec %s "$@"\n' "$(command -v git)" >bin/git
chmod +x bin/git
export ASKED=$work/asked
for broken in '' yes; do
	rm -rf two "$ASKED"
	git clone -q hub.git two && cd two || exit 1
	perun init >/dev/null 2>&1
	export BROKEN=$broken
	expect_status 0 env PATH="$work/here/many/bin:$PATH" "$PERUN" fetch
	expect_text 'received 300 profiles from 1 writer' "$out" "all of it, git is ${broken:+not }asked"
	check 'once for many files' [ "$(wc -l <"$ASKED")" -eq 1 ]
	entries >"$work/two"
	expect_same "$work/one" "$work/two" 'the same profiles'
	cd ..
done
unset BROKEN ASKED
cd ..

finish
