# SPDX-License-Identifier: BSD-3-Clause
# A store that a team shares: perun push, fetch and sync.
. "${top_srcdir:-.}/tests/cli/lib.sh"

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
writers() { git -C "$work/here/hub.git" for-each-ref --format='%(refname)' refs/perun | wc -l; }

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
expect_text 1 "$(git rev-list --count "$(git for-each-ref --format='%(refname)' refs/perun)")" 'nothing new makes no commit'
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
expect_status 0 perun fetch
entries >"$work/three"
expect_same "$work/two" "$work/three" 'later all of it'

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
git -C ../hub.git update-ref -d refs/perun/evil

# ---- many at once, some killed ----
cd ..
# SHARE_CLONES and SHARE_ROUNDS make it longer: make soak-share.
clones=${SHARE_CLONES:-a b c d} rounds=${SHARE_ROUNDS:-3}
for each in $clones; do
	git clone -q hub.git "clone-$each"
	(cd "clone-$each" && perun init >/dev/null 2>&1)
done
before=$(($(sed 1d "$work/two" | cut -d, -f2 | sort -u | wc -l)))
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

finish
