# SPDX-License-Identifier: BSD-3-Clause
# Profiles of the store by their labels and age: perun import --label, perun show --label --since --until.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

new_repo
commit first
perun init >/dev/null
echo 'main;work 10' >a.folded
echo 'main;work;parse 5' >b.folded
echo 'main;other 100' >c.folded
expect_status 0 perun import --label service=api --label 'zone=eu west' a.folded
expect_status 0 perun import --label service=web --label zone=us c.folded
git checkout -q -b side
commit second
expect_status 0 perun import --label service=api b.folded
git checkout -q main

expect_status 0 perun show --label service=api top
expect_out 'work'
expect_out 'parse'
check 'those without the label are left out' test "$(printf '%s\n' "$out" | grep -c other)" = 0
expect_status 0 perun show --label service=api --label 'zone=eu west' top
check 'all labels count' test "$(printf '%s\n' "$out" | grep -c parse)" = 0
expect_status 0 perun show --since 1d top
expect_out other
expect_out parse
expect_status 0 perun show --label service=web --since 1h flamegraph --form html -o web.html
check 'a page of it' grep -q other web.html
expect_status 0 perun show --label service=web
expect_out other

# ---- where labels are shown ----------------------------------------------------------------------------
json_labels() { printf '%s' "$out" | python3 -c "import json, sys; d = json.load(sys.stdin); print($1)"; }
printf '{"header": {"type": "time", "cmd": "c", "workload": "", "units": {"time": "s"}, "labels": {"on": "two words", "k": "v"}}, "collector_info": {"name": "time", "params": {}}, "postprocessors": [], "global": {"time": "0", "resources": [{"amount": 1, "uid": "m", "type": "time", "subtype": "real"}]}}' >.perun/jobs/one.perf
for _ in first 'from the notes'; do
	expect_status 0 perun status
	expect_out 'service=api zone=eu west'
	expect_out 'on=two words k=v'
done
printf '%s' '{"header": {"type": "time", "cmd": "c", "workload": "", "units": {"time": "s"}}, "collector_info": {"name": "time", "params": {}}, "postprocessors": [], "global": {"time": "0", "resources": []}}' >.perun/jobs/one.perf
touch -d '1 hour ago' .perun/jobs/one.perf
expect_status 0 perun status
check 'a pending profile that changed has no more what it had' test "$(printf '%s\n' "$out" | grep -c 'k=v')" = 0
expect_status 0 perun status --json
expect_text "[{'service': 'api', 'zone': 'eu west'}, {'service': 'web', 'zone': 'us'}]" \
	"$(json_labels 'sorted((x["labels"] for x in d["tracked"]), key=str)')" 'as an object'
expect_text '[{}]' "$(json_labels '[x["labels"] for x in d["untracked"]]')" 'which those without have, too'
expect_status 0 perun log --json
expect_text '2' "$(json_labels 'len([x for v in d["minor_versions"] for x in v["profiles"] if x["labels"]])')" 'of a history'
expect_status 0 perun log
expect_out 'Labels: service='
expect_status 0 perun -c format.status='%source% %labels%' status
expect_out 'zone=us'
expect_status 0 perun -c format.shortlog='%checksum:6% <%labels%>' log --short
expect_out 'service=web'
rm .perun/jobs/one.perf

expect_status 3 perun show --label service=absent top
expect_err 'no registered profile has these labels'
expect_status 3 perun show --until 1d top
expect_err 'of that age'
expect_status 2 perun show --label service top
expect_err 'KEY=VALUE'
expect_status 4 perun show --label service=api 0@i
expect_err 'no view called 0@i'
expect_status 2 perun show
expect_err profile
expect_status 2 perun import --label =x a.folded
expect_err 'KEY=VALUE'

# The notes are only notes: without them, or where a kill cut off a line, objects say it.
check 'labels are noted' grep -q ' service=api zone=eu%20west;$' .perun/cache/labels
expect_status 0 perun status
expect_out '  labels  ' 'service=api'
printf 'main;run 1\n' >labelled.folded
expect_status 0 perun import --profile-label 'first try' -m HEAD perf stack labelled.folded
expect_status 0 perun show --label 'label=first try' tableof resources
expect_status 0 perun status
expect_out 'label=first try'
expect_status 0 perun rm labelled.folded
before=$(perun show --label service=api top)
rm .perun/cache/labels
expect_text "$before" "$(perun show --label service=api top)" 'without the notes'
check 'they are noted again' test "$(grep -c ';$' .perun/cache/labels)" -eq 3
truncate -s -7 .perun/cache/labels
expect_text "$before" "$(perun show --label service=api top)" 'with a cut line'
expect_text "$before" "$(perun show --label service=api top)" 'and once more'
printf 'no line\n\n0123 x=y\n' >>.perun/cache/labels
expect_text "$before" "$(perun show --label service=api top)" 'with lines that are none'

mv .perun/cache/labels kept
expect_status 0 perun status
check 'status reads notes, and no objects' test "$(printf '%s\n' "$out" | grep -c labels)" = 0
mv kept .perun/cache/labels

# What the labels of samples are filtered by belongs to the view.
expect_status 0 perun show --label service=api top --minimum 50
expect_status 0 perun show --label service=api -m HEAD top --label absent=x
expect_status 2 perun show --label service=api top --absent
expect_status 2 perun show --absent --label service=api top
expect_err absent
finish
