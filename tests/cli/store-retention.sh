#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Profiles of a server, which come in all the time: perun gc leaves as many as store.retention says.
. "${top_srcdir:-.}/tests/cli/lib.sh"

# profiles SERVICE DAYS...: registers one of each age at 12:30, under a name that says it.
profiles() {
	python3 - "$@" <<'PYTHON'
import json, os, sys, time
now = time.time() // 86400 * 86400 - 41400
for age in sys.argv[2:]:
    profile = {"origin": "", "header": {"type": "time", "cmd": "./serve", "workload": "", "labels": {"service": sys.argv[1]}, "units": {"time": "s"}},
               "collector_info": {"name": "time", "params": {}}, "postprocessors": [],
               "global": {"time": "1", "resources": [{"amount": 1 + float(age), "uid": "serve", "type": "time", "subtype": "real"}]}}
    name = f"{sys.argv[1]}-{age}.perf"
    json.dump(profile, open(name, "w"))
    os.utime(name, (now - float(age) * 86400,) * 2)
PYTHON
	local service=$1
	shift
	"$PERUN" add --force $(printf "$service-%s.perf " "$@") >/dev/null 2>"$work/add" || cat "$work/add"
}
# kept: the names of what is registered with the head.
kept() { "$PERUN" status --json | python3 -c 'import json, sys; print(*sorted(p["source"][:-5] for p in json.load(sys.stdin)["tracked"]))'; }

new_repo && perun init >/dev/null
profiles web 1 1.01 10 10.01 10.1 40 40.1 41
profiles api 10.01 400
all=$(kept)
expect_text 'api-10.01 api-400 web-1 web-1.01 web-10 web-10.01 web-10.1 web-40 web-40.1 web-41' "$all"
expect_status 0 perun gc
expect_text "$all" "$(kept)" 'without the setting all stay'
expect_status 2 perun config set store.retention.all week
expect_err "expected a time such as 7d, not 'week'"
perun config set store.retention.all 7d && perun config set store.retention.hourly 1d
expect_status 3 perun gc
expect_err 'store.retention.hourly is less than store.retention.all'
perun config set store.retention.hourly 30d
expect_status 0 perun gc --dry-run
expect_out 'web-10.01.perf'
expect_out '2 older profiles would be taken out'
expect_text "$all" "$(kept)" 'a dry run takes nothing out'
expect_status 0 perun gc --json
expect_text "['web-10.01.perf', 'web-40.1.perf']" "$(python3 -c 'import json, sys; print(sorted(p["source"] for p in json.loads(sys.argv[1])["profiles"]))' "$out")"
expect_text 'api-10.01 api-400 web-1 web-1.01 web-10 web-10.1 web-40 web-41' "$(kept)" 'the newest of each hour, then of each day, for each label'
expect_status 0 perun gc
expect_out 'removed 0 objects'
perun config set store.retention.hourly 7d
expect_status 0 perun gc
expect_text 'api-10.01 api-400 web-1 web-1.01 web-10 web-40 web-41' "$(kept)" 'of each day alone'

# What a tag names stays, and what branches name does not; a branch of a remote neither.
commit second
profiles web 10 10.01
git tag v1.0
commit third
profiles web 20 20.01
git update-ref refs/remotes/origin/main HEAD
expect_status 0 perun gc
expect_text 'web-20' "$(kept)" 'the head of a branch'
git checkout -q v1.0
expect_text 'web-10 web-10.01' "$(kept)" 'what a tag names'

# So does what a check found a change at, and what it compared with.
git checkout -q main
commit fourth
profiles web 60 60.01
commit fifth
profiles web 190 190.01
expect_status 1 perun check head --method average_amount_threshold
perun gc >/dev/null
expect_text 'web-190 web-190.01' "$(kept)" 'where a change was found'
git checkout -q HEAD~1
expect_text 'web-60 web-60.01' "$(kept)" 'what it was compared with'
expect_status 0 perun fsck
finish
