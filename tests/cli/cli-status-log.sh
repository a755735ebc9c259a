# SPDX-License-Identifier: BSD-3-Clause
# perun status and log: layouts, formats, orders, JSON.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

at 0
new_repo
perun init >/dev/null
measured_commit 1 1.5
profile m.perf 2 type=memory collector=memory
touch -d 2020-02-01T01:00:00Z m.perf
perun add m.perf >/dev/null
at 2
git commit -q --allow-empty -m 'three lines

with a body' && second=$(head_of)
first=$(head_of HEAD~1)
root=$(head_of HEAD~2)
profile .perun/jobs/pending.perf 3
touch -d 2020-02-01T02:00:00Z .perun/jobs/pending.perf

cat >../expected <<TEXT
On branch main, commit ${second:0:8}

Author: A U Thor <author@example.com> 2020-01-01 00:02:00
Parent: $first

three lines

with a body

no tracked profiles

1 pending profile (1 time):

  id   type  collector  program      measured             name
  0@p  time  time       prog in.txt  2020-02-01 02:00:00  pending.perf

no changes found
TEXT
perun status >../got 2>/dev/null
expect_same ../expected ../got 'perun status'
sed 's|"cmd": "[^"]*"|"cmd": "./bin/prog ../texts/a.txt"|; s|"workload": "[^"]*"|"workload": ""|' .perun/jobs/pending.perf >.perun/jobs/words.perf
perun status >../got 2>/dev/null
check 'a program is without its directories, arguments are as they are' grep -q ' prog \.\./texts/a\.txt ' ../got
rm .perun/jobs/words.perf
cat >../expected <<TEXT
On branch main, commit ${second:0:8}
no tracked profiles
1 pending profile (1 time)
no changes found
TEXT
perun status -s >../got
expect_same ../expected ../got 'perun status --short'

cat >../expected <<TEXT
commit $second
no tracked profiles
Author: A U Thor <author@example.com> 2020-01-01 00:02:00
Parent: $first

    three lines

    with a body

commit $first
2 tracked profiles (1 memory, 1 time)
Author: A U Thor <author@example.com> 2020-01-01 00:01:00
Parent: $root

    change 1

commit $root
no tracked profiles
Author: A U Thor <author@example.com> 2020-01-01 00:00:00

    first commit

TEXT
perun log >../got
expect_same ../expected ../got 'perun log'
cat >../expected <<TEXT
commit    profiles          subject
${second:0:8}                    three lines
${first:0:8}  1 memory, 1 time  change 1
${root:0:8}                    first commit
TEXT
perun log --short >../got
expect_same ../expected ../got 'perun log --short'
cat >../expected <<TEXT
checksum (a|m|x|t profiles)     desc      changes 
${second:0:8} (--no--profiles--) three lines           
${first:0:8} (2|1|0|1 profiles) change 1              
${root:0:8} (--no--profiles--) first commit          
TEXT
python_log='format.shortlog=%checksum:8% (%stats%) %desc% %changes%'
perun -c "$python_log" log --short >../got
expect_same ../expected ../got 'perun log --short, in the layout of the Python program'
run perun log -n 1 HEAD~1
expect_out "commit $first"
expect_no_out "commit $root"
run perun log -n 0
expect_text '' "$out" 'log -n 0 prints nothing'
expect_status 2 perun log nonsense
expect_one_line

# Orders and formats.
git checkout -q "$first"
run perun status
expect_out "At commit ${first:0:8}"
expect_out '  0@i  memory'
run perun status --sort-by source
expect_out '  0@i  time'
run perun status
expect_out '  0@i  memory' 'the order of one time is not kept'
run perun -c format.sort_profiles_by=source status
expect_out '  0@i  time'
python_status='format.status=┃ %type% ┃ %collector% ┃ (%time%) ┃ %source% ┃'
run perun -c "$python_status" status
expect_out ' 0@i ┃ [memory]'
run perun -c 'format.status=%source:4% %type:12f.%|' status
expect_out ' 0@i m.perf [memory]......|'
expect_status 3 perun -c 'format.status=%nonsense%' status
expect_err 'format.status'
expect_one_line
expect_status 3 perun -c 'format.shortlog=%nonsense%' log -s
expect_one_line
run perun -c 'format.shortlog=%checksum:10% %author%' log -s
expect_out "$(echo "$first" | cut -c1-10) A U Thor"

# JSON.
run perun status --json
expect_json 'd["minor_version"]["checksum"]' "$first"
expect_json '[(p["id"], p["source"], p["type"]) for p in d["tracked"]]' \
	"[('0@i', 'm.perf', 'memory'), ('1@i', 'p1.perf', 'time')]"
expect_json '[p["id"] for p in d["untracked"]]' "['0@p']"
expect_json 'd["changes"]' '[]'
run perun log --json
expect_json '[v["checksum"] for v in d["minor_versions"]]' "['$first', '$root']"
expect_json 'd["minor_versions"][0]["parents"]' "['$root']"
expect_json 'd["minor_versions"][0]["date"]' '2020-01-01T00:01:00+00:00'
expect_json 'repr(d["minor_versions"][1]["description"])' "'first commit\\n'"
expect_json 'sorted(d["minor_versions"][0]["profiles"][0])' \
	"['args', 'checksum', 'cmd', 'collector', 'labels', 'postprocessors', 'source', 'time', 'type', 'workload']"
run perun log --json -n 0
expect_json 'd' "{'minor_versions': []}"

# A profile that cannot be read does not keep the others from being listed.
echo nonsense >.perun/jobs/broken.perf
expect_status 0 perun status
expect_err 'broken.perf'
expect_out 'pending.perf'

# What is in messages cannot drive a terminal.
git commit -q --allow-empty -m "$(printf 'red \033[31m alert')"
run perun log -n 1
case $out in *$'\033'*) not_ok 'escape sequences are taken out' ;; *) ok 'escape sequences are taken out' ;; esac

# More than ten profiles: wider tags, a rule after each five.
at 9
commit many
for i in 00 01 02 03 04 05 06 07 08 09 10 11; do
	profile "x$i.perf" "1$i" workload="$i"
	touch -d "2020-04-01T00:$i:00Z" "x$i.perf"
done
perun add x*.perf >/dev/null
perun -c "$python_status" status >../got 2>/dev/null
check 'rules' [ "$(grep -c '▣' ../got)" -eq 9 ]
run cat ../got
expect_out ' 0@i  ┃ [time] ┃ time      ┃ (2020-04-01 00:11:00) ┃ x11.perf '
expect_out ' 11@i ┃'

# A damaged index hides the profiles of its version, not the other versions.
index=$(git rev-parse HEAD)
index=.perun/objects/$(printf %.2s "$index")/${index#??}
cp -p "$index" ../index
commit later
truncate -s 40 "$index"
expect_status 3 perun log
expect_out 'later'
expect_out '(its profiles cannot be read)'
expect_out "$(git rev-parse HEAD~2)"
expect_err 'see perun fsck'
expect_err 'the profiles of 1 version could not be read'
expect_status 3 perun log --json
expect_out '"problem": "the index of'
expect_out "$(git rev-parse HEAD~2)"
expect_status 0 perun log -n 1
expect_status 0 perun status
git checkout -q HEAD~1
expect_status 3 perun status
expect_err 'see perun fsck'
expect_one_line
git checkout -q -
cp -p ../index "$index"
expect_status 0 perun log

# A shallow history says that it is one.
git clone -q --depth 1 "file://$PWD" ../shallow
cd ../shallow && perun init >/dev/null
expect_status 0 perun log -s
expect_err 'shallow'
expect_one_line
expect_status 0 perun log -n 0
expect_text '' "$err" 'nothing is said of what was not reached'
cd ../repo || exit 1

# The index does not hold the arguments of a command: what was found about one is printed all the same.
mkdir "$work/arguments" && cd "$work/arguments" || exit 1
new_repo
perun init >/dev/null
for number in 1 2 3; do measured_commit $number $((number > 1 ? 9 : 1)) args=--all workload=; done
perun check all >/dev/null
expect_status 0 perun log --short
expect_out 'slower  main  time(real)  1 s → 9 s'
git checkout -q HEAD~1
expect_status 0 perun status
expect_out '1 slower, 0 faster' 'status has it, too'
base=$(head_of HEAD~1)
perun rm -m "$base" 0@i >/dev/null
expect_status 0 perun status
expect_out 'no changes found' 'but not where the baseline is gone'
cd ../repo || exit 1

# A store of the Python program, and what that program printed.
if [ -e "$PERUN_CONFORMANCE/perun/repo-store.tar.gz" ]; then
	cd "$work" && tar -xzf "$PERUN_CONFORMANCE/perun/repo-store.tar.gz" && cd repo || exit 1
	for command in 'log' 'log --short after check'; do
		awk -v name="## perun $command" '/^## /{on = $0 == name; next} on' \
			"$PERUN_CONFORMANCE/perun/repo-store.listing.txt" |
			sed 's/^Minor Version /commit /; s/^1 tracked profiles/1 tracked profile/; s/^(no tracked profiles)/no tracked profiles/; s/^ *$//' >../expected
		# shellcheck disable=SC2086
		perun -c "$python_log" ${command% after check} 2>&1 | awk '/^[0-9a-f]+  [a-z]/ {on = 1; next} on && /^$/ {on = 0; next} 1' >../got
		expect_same ../expected ../got "the layout of perun $command"
	done
else
	skip 'no store of the Python program here'
fi

finish
