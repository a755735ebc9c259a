# SPDX-License-Identifier: BSD-3-Clause
# The store as a database: perun export DATABASE, --csv, and perun query.
. "${top_srcdir:-.}/tests/cli/lib.sh"

new_repo
perun init >/dev/null 2>&1
run perun query 'SELECT 1'
[ "$status" -ne 4 ] || skip_all 'built without SQLite'

# measure N PARSE PRINT: a commit with a profile of two benchmarks.
measure() {
	export GIT_COMMITTER_DATE="2024-01-01T00:$((10 + $1)):00 +0000"
	git commit -q --allow-empty -m "commit $1"
	printf '[{"name":"parse","unit":"ms","value":%s},{"name":"print","unit":"ms","value":%s}]\n' "$2" "$3" >result.json
	perun import result.json --workload input >/dev/null
}
# Slower from commit 12 on, with noise that a list has.
noise=(0 31 12 47 25 8 39 19 44 3 28 15 36 22 41 6 33 10 27 45 17 2 38 20)
for i in $(seq 0 23); do
	measure "$i" "$((i < 12 ? 100 : 150)).${noise[i]}" "50.${noise[23 - i]}"
done
slower=$(git rev-parse HEAD~11)

# ---- query ----
expect_status 0 perun query --csv 'SELECT location, round(median, 5) AS median, unit, round(previous, 5) AS previous FROM latest ORDER BY location'
expect_text 'location,median,unit,previous
parse,0.1502,s,0.15038
print,0.05,s,0.05031' "$out" 'the newest values'
expect_status 0 perun query --csv 'SELECT version, location, result, baseline FROM changes'
expect_text "version,location,result,baseline
$slower,parse,Degradation,$(git rev-parse HEAD~12)" "$out" 'the change that history reports'
expect_status 0 perun query 'SELECT count(*) AS n, NULL AS none FROM repeats'
expect_text 'n   none
48  -' "$out" 'a table'
expect_status 0 env COLUMNS=30 "$PERUN" query 'SELECT version, location, result, version AS again FROM changes'
check 'COLUMNS is the width of a file, too' test "$(printf '%s\n' "$out" | grep -c -E '^.{31}')" -eq 0
expect_status 0 perun query --json "SELECT 1, 1.5, 'a', NULL, x'00ff'"
expect_text '[[1, 1.5, "a", null, "00ff"]]' "$(python3 -c 'import json,sys; print(json.dumps(json.load(sys.stdin)["rows"]))' <"$work/.result/stdout")" 'JSON has types'
expect_status 0 perun query --csv -r HEAD~3..HEAD 'SELECT count(*) FROM versions'
expect_out '3'
# What holds no values is answered without reading them; a query that has both, or names them in a part of its own, does.
for query in '25|count(*) FROM versions' '24|count(*) FROM profiles' '0|count(*) FROM machines' '48|count(*) FROM measurements' \
	'2|count(*) FROM strands' '24 input|count(*), min(workload) FROM profiles p JOIN versions v ON v.id = p.version_id' \
	'48|(SELECT count(*) FROM repeats) FROM versions LIMIT 1' '24|count(*) FROM versions WHERE id IN (SELECT version_id FROM history)' \
	'24|n FROM (WITH x AS (SELECT profile_id AS i FROM measurements) SELECT count(DISTINCT i) AS n FROM x)'; do
	expect_text "${query%%|*}" "$(perun query --csv "SELECT ${query#*|}" | sed 1d | tr , ' ')" "counts: ${query#*|}"
done
echo 'SELECT 7;' | perun query --csv - >answer
expect_text $'7\n7' "$(cat answer)" 'a query from standard input'
expect_status 0 perun query 'SELECT 1 WHERE 0'
expect_text '' "$out" 'no rows'
for statement in 'DELETE FROM versions' 'DROP TABLE repeats' "ATTACH 'x' AS y" 'PRAGMA writable_schema = 1' 'VACUUM INTO "x"' \
	'CREATE TEMP TABLE x (a)' 'BEGIN' 'SELECT 1; SELECT 2' 'SELEC' 'SELECT nothing' ' ' ';' "SELECT load_extension('x')" \
	"SELECT * FROM pragma_database_list"; do
	expect_status 2 perun query "$statement"
	expect_one_line
done
check 'nothing was made' test ! -e x
expect_status 2 perun query
expect_status 2 perun query --schema 'SELECT 1'
expect_status 2 perun query --csv --json 'SELECT 1'
expect_status 0 perun query --schema
expect_out 'CREATE VIEW latest'

# ---- a database ----
expect_status 0 perun export data.sqlite
expect_text '24 profiles added, 0 removed' "$out" 'a new database'
cp data.sqlite before
expect_status 0 perun export data.sqlite
expect_text 'nothing new' "$out" 'again'
expect_same before data.sqlite 'nothing new: the same bytes'

# contents DATABASE: without numbers of rows.
contents() {
	python3 - "$1" <<'PYTHON'
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
for check in ("PRAGMA integrity_check", "PRAGMA foreign_key_check"):
    print(database.execute(check).fetchall())
for query in ("SELECT checksum, position, date, subject FROM versions",
              "SELECT version, profile, command, workload, metric, location, median, runs, machine, better FROM history",
              "SELECT v.checksum, source, baseline, command, location, metric, result, known FROM findings f JOIN versions v ON v.id = version_id",
              "SELECT command, workload, metric, location, unit FROM strands", "SELECT count(*), sum(value) FROM repeats",
              "SELECT document FROM machines"):
    for row in sorted(map(repr, database.execute(query))):
        print(row)
PYTHON
}
# as_new: the database has what a new one has.
as_new() {
	rm -f new.sqlite
	perun export new.sqlite >/dev/null
	contents new.sqlite >new.txt
	contents data.sqlite >updated.txt
	expect_same new.txt updated.txt "$1"
}
measure 24 150.5 50.1
expect_status 0 perun export --json data.sqlite
expect_out '"added": 1'
as_new 'a new version'
perun rm 0@i -m HEAD~2 >/dev/null 2>&1
perun changes ack "$slower" --reason 'on purpose' >/dev/null
expect_status 0 perun export data.sqlite
expect_text '0 profiles added, 1 removed' "$out" 'a profile that is gone'
as_new 'a profile less, a change that is known'
expect_text 'on purpose' "$(perun query --csv 'SELECT known FROM changes' | tail -n 1)" 'why it is not news'
git commit -q --amend --allow-empty -m 'commit 24 again'
perun import result.json --workload input >/dev/null
run perun check all
expect_status 0 perun export data.sqlite
as_new 'a commit in the place of another one, and what a check stored'
perun import result.json --workload other >/dev/null
expect_status 0 perun export data.sqlite
expect_text '1 profile added, 0 removed' "$out" 'one more of a version that has others'
as_new 'a version that has one more'
if command -v sqlite3 >/dev/null; then
	expect_text 24 "$(sqlite3 data.sqlite 'SELECT count(DISTINCT version) FROM history')" 'sqlite3 reads it'
else
	skip 'sqlite3 is not installed'
fi
if command python3 -c 'import pandas' 2>/dev/null; then
	command python3 - >table <<'PYTHON'
import pandas, sqlite3
history = pandas.read_sql("SELECT * FROM history", sqlite3.connect("data.sqlite"))
print(history.pivot_table("median", "position", "location").shape)
PYTHON
	expect_text '(24, 2)' "$(cat table)" 'pandas reads it'
else
	skip 'pandas is not installed'
fi

# Stacks of no command have their changes, too.
new_repo stacks && perun init >/dev/null 2>&1
for cost in 1000 3000; do
	git commit -q --allow-empty -m "commit $cost"
	printf 'main;parse %s\nmain;print 2000\n' "$cost" >"$cost.folded"
	perun import "$cost.folded" --workload input >/dev/null
done
changes=$(perun history samples --json | python3 -c '
import json, sys
for series in json.load(sys.stdin)["series"]:
    for change in series["change_points"]:
        print(change["version"], series["command"], series["location"], change["result"], sep=",")')
check 'a history that changed' [ -n "$changes" ]
expect_text "$changes" "$(perun query --csv 'SELECT version, command || workload, location, result FROM changes' | sed 1d)" 'changes of no command'
cd ..

# What a run costs as a whole is the program's, of all its functions.
new_repo whole && perun init >/dev/null 2>&1
for cost in 1000 3000; do
	git commit -q --allow-empty -m "commit $cost"
	printf '{"resources": {"r": {"amount": [%s, 2000], "uid": ["parse", "print"]}}, "resource_type_map": {"r": {"type": "mixed",
	"subtype": "instructions(Ir)"}}, "header": {"type": "mixed", "cmd": "./prog", "args": "", "workload": "in", "recorded": "run",
	"units": {"mixed": "count"}}, "collector_info": {"name": "instructions", "params": {}}, "postprocessors": []}' "$cost" >p.perf
	perun add p.perf >/dev/null
done
expect_text ',3000.0,5000.0
parse,1000.0,3000.0' "$(perun query --csv 'SELECT location, before, after FROM changes ORDER BY location' | sed 1d)" 'the whole and its function'
cd ..

# ---- what is not a database ----
echo text >text
cp text was
expect_status 3 perun export text
expect_one_line
expect_same was text 'another file stays'
python3 -c 'import sqlite3; sqlite3.connect("other.sqlite").execute("CREATE TABLE versions (id)")'
cp other.sqlite was
expect_status 3 perun export other.sqlite
expect_err 'is not a database of perun export'
expect_same was other.sqlite 'another database stays'
python3 -c 'import sqlite3; sqlite3.connect("before").execute("PRAGMA user_version = 99")'
expect_status 3 perun export before
expect_err 'version 99'
: >empty
expect_status 0 perun export empty
head -c 20000 data.sqlite >damaged
expect_status 3 perun export damaged
expect_one_line
mkdir directory
expect_status 3 perun export directory
expect_status 3 perun export nowhere/data.sqlite
expect_one_line
expect_status 2 perun export -r nosuch..HEAD fresh.sqlite
check 'a failure makes no file' test ! -e fresh.sqlite -a ! -e fresh.sqlite-journal
ln -s "$work/outside.sqlite" link.sqlite
expect_status 3 perun export link.sqlite
check 'a link does not lead out' test ! -e "$work/outside.sqlite"
for words in '' '-' '--csv d --history csv' '--csv d name'; do
	# shellcheck disable=SC2086
	expect_status 2 perun export $words
	expect_one_line
done

# ---- tables as CSV ----
expect_status 2 perun export values.csv
expect_err 'values.csv would be a database of SQLite: --history csv values.csv writes a table of the values, --csv DIR all tables'
check 'nothing was written' [ ! -e values.csv ]
expect_status 0 perun export --csv tables
expect_text 'findings.csv machines.csv measurements.csv profiles.csv repeats.csv strands.csv versions.csv' "$(cd tables && echo *)" 'a file for each table'
expect_text 25 "$(python3 -c 'import csv; print(len(list(csv.DictReader(open("tables/versions.csv")))) - 1)')" 'its rows'
expect_status 3 perun export --csv tables
expect_one_line

# ---- killed ----
kill_at=$top_builddir/tests/tools/kill-at
status=0
"$kill_at" 1 true || status=$?
if [ "$status" -eq 125 ]; then skip 'system calls cannot be traced here'; else
	measure 25 150.1 50.2
	export ASAN_OPTIONS=detect_leaks=0
	failed=0
	cp data.sqlite start.sqlite
	for n in 1 3 8 14 20 28 38; do
		cp start.sqlite data.sqlite
		run "$kill_at" ${PERUN_KILL_FOLLOW:+-f} $n "$PERUN" export data.sqlite
		[ "$status" -eq 137 ] || break
		run perun export data.sqlite
		[ "$status" -eq 0 ] || failed=$((failed + 1))
		contents data.sqlite >updated.txt
		[ "$n" -gt 1 ] || cp updated.txt right.txt
		cmp -s right.txt updated.txt || failed=$((failed + 1))
	done
	expect_text 0 "$failed" 'killed at its writes: the next export puts it right'
	as_new 'as a new one'
fi

finish
