# SPDX-License-Identifier: BSD-3-Clause
# perun site, written again after all kinds of changes: the same files as of a site that is made from nothing.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

command -v python3 >/dev/null || skip_all 'needs Python 3'

# add NUMBER LEVEL: a profile of three functions with repeats for the head, as many repeats as the number says.
add() {
	python3 - "$1" "$2" >r.perf <<'PYTHON'
import json, random, sys
number, level = int(sys.argv[1]), float(sys.argv[2])
rng = random.Random(number)
rows = [{"amount": round(level * factor * (1 + rng.gauss(0, .01)), 4), "uid": uid, "type": "time", "subtype": "real", "order": order}
        for factor, uid in enumerate(("main", "parse", "print"), 1) for order in range(1, 2 + number % 5)]
print(json.dumps({"header": {"type": "time", "cmd": "./prog", "workload": "w", "units": {"time": "s"}}, "machine": {"architecture": "x86_64"},
                  "collector_info": {"name": "time", "params": {}}, "postprocessors": [], "global": {"time": "0.0", "resources": rows}}))
PYTHON
	touch -d "2020-02-01T00:$(printf %02d "$1"):00Z" r.perf
	"$PERUN" add r.perf >/dev/null || not_ok "add $1"
}
# measured NUMBER LEVEL: a commit with such a profile.
measured() {
	at "$1"
	commit "change $1"
	add "$1" "$2"
}
# tree DIR: names and sums of all files.
tree() { (cd "$1" && find . -type f ! -path './.perun-site/*' | sort | xargs cksum); }
# same WHAT [OPTION...]: a site that is written again is as a new one of which nothing is remembered.
same() {
	local what=$1
	shift
	expect_status 0 perun site out "$@"
	tree out >"$work/again"
	rm -rf fresh kept
	mv .perun/cache kept
	XDG_CACHE_HOME=$work/other-cache perun site fresh "$@" >/dev/null || not_ok "fresh: $what"
	rm -rf .perun/cache "$work/other-cache"
	mv kept .perun/cache
	tree fresh >"$work/fresh"
	expect_same "$work/fresh" "$work/again" "$what"
}

new_repo
run perun init
for i in $(seq 1 30); do measured "$i" "$((i < 16 ? 10 : 14))"; done
same 'a first time'
measured 31 14
same 'one commit more'
block=$(ls -d out/data/*/ | head -n 1)0.js
cp "$block" "$work/block"
at 32 && commit 'not measured'
same 'a commit without profiles'
measured 33 14
measured 34 20
same 'several commits'
check 'what was written before is at the beginning' \
	python3 - "$work/block" "$block" <<'PYTHON'
import json, re, sys
one, other = (json.loads(re.search(r",(.*)\);", open(name).read(), re.S).group(1)) for name in sys.argv[1:])
assert all(other[key][:len(one[key])] == one[key] for key in "mlhr"), (one, other)
assert len(other["m"]) > len(one["m"])
PYTHON

# What somebody wrote into a file does not stay when it is written again.
sed -i 's/"m":\[[^,]*,/"m":[4711,/' "$block"
check 'a block is another' grep -q 4711 "$block"
measured 35 20
same 'a block that was changed by hand'
: >"$block"
measured 36 20
same 'a block that is empty'
rm "$block"
measured 37 20
same 'a block that is gone'

# What people say.
first=$(git rev-list --reverse HEAD | sed -n 16p)
expect_status 0 perun changes ack "$first" --reason 'a new format'
same 'an acknowledged change'
measured 38 20
same 'and one commit more'
git commit -q --amend -m 'change 38

Perun-Expected: time(real) checks twice'
add 38 27
same 'an amended commit, which announces a change'
expect_status 0 perun config --local set degradation.thresholds '{parse: 25}'
same 'a configuration with thresholds'
same 'another threshold' --threshold 30
same 'other directions' --better higher
same 'as before'

# Other profiles and histories.
expect_status 0 perun rm -m HEAD~5 0@i
same 'a profile is removed'
add 50 15
same 'a second profile of a version'
git tag -f v1 HEAD~3
same 'a tag'
expect_status 0 perun gc
same 'after gc'
git checkout -q -b other HEAD~4
for i in 40 41; do measured "$i" 14; done
same 'a branch without the last commits'
git checkout -q main 2>/dev/null || git checkout -q master
git reset -q --hard HEAD~3
measured 42 20
same 'a history that was written again'
git rebase -q other >/dev/null 2>&1 || git rebase --abort
same 'a history on top of another'

# Killed while it writes: then it is written again.
measured 43 20
for delay in 0.01 0.03 0.05; do
	timeout -s KILL "$delay" "$PERUN" site out >/dev/null 2>&1
done
same 'after a kill'
finish
