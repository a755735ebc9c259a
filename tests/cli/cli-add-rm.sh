# SPDX-License-Identifier: BSD-3-Clause
# perun add and rm: tags, names, paths, versions, failures that change nothing.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

new_repo
first=$(head_of)
perun init >/dev/null

profile a.perf 1
profile b.perf 2 workload=other
expect_status 0 perun add a.perf b.perf
expect_out "registered with $(git rev-parse --short=8 HEAD)  a.perf"
expect_out '2 profiles registered'
check 'the files of the user stay' [ -e a.perf -a -e b.perf ]
expect_status 2 perun add --move --keep-profile a.perf
expect_err '--keep-profile and --move exclude each other'
expect_status 0 perun add --move a.perf b.perf
expect_out "already registered with $(git rev-parse --short=8 HEAD)  a.perf"
check 'with --move they are gone' [ ! -e a.perf -a ! -e b.perf ]
profile .perun/jobs/pending.perf 1
expect_status 0 perun add --keep-profile .perun/jobs/pending.perf
check 'a pending profile is kept on request' [ -e .perun/jobs/pending.perf ]
expect_status 0 perun add 0@p
check 'a pending profile moves' [ ! -e .perun/jobs/pending.perf ]
perun rm pending.perf >/dev/null
run perun status --short
expect_out '2 tracked profiles (2 time)'

# Once more with the same content and name, kept this time.
profile c.perf 3
expect_status 0 perun add --keep-profile c.perf
check 'the file stays' [ -e c.perf ]
expect_status 0 perun add --json --keep-profile c.perf
expect_json 'd["profiles"][0]["already"]' True
expect_json 'd["profiles"][0]["error"]' None

# Other versions.
commit second
second=$(head_of)
run perun status --short
expect_out 'no tracked profiles'
profile d.perf 4
expect_status 0 perun add -m HEAD~1 d.perf
run perun log --json -n 1 "$first"
expect_json 'len(d["minor_versions"][0]["profiles"])' 4
profile e.perf 5 origin="$first"
expect_status 3 perun add -m HEAD e.perf
expect_err "$(echo "$first" | cut -c1-6)"
expect_one_line
check 'a refused file stays' [ -e e.perf ]
expect_status 0 perun -y add --force e.perf
expect_out "registered with $(git rev-parse --short=8 HEAD)  e.perf"

# Without --minor each goes to the version that it was measured at, unless the project does not have that.
third=$(git commit-tree -p "$second" -m aside "$second^{tree}")
profile .perun/jobs/one.perf 7 origin="$first"
profile .perun/jobs/two.perf 8 origin="$second"
profile .perun/jobs/three.perf 9 origin="$third"
profile .perun/jobs/four.perf 10 origin="$first"
profile .perun/jobs/none.perf 11
profile .perun/jobs/unknown.perf 12 origin=0123456789012345678901234567890123456789
expect_status 3 perun add --json 0@p-5@p
expect_json 'sorted(set(p["minor_version"] for p in d["profiles"] if p["minor_version"])) == sorted(["'"$first"'", "'"$second"'", "'"$third"'"])' True
expect_json '[p["minor_version"] for p in d["profiles"] if p["path"].endswith(("/one.perf", "four.perf"))] == ["'"$first"'"] * 2' True
expect_json '[p["error"] is None for p in d["profiles"]].count(False)' 1
check 'one version that is not known is refused' [ "$(ls .perun/jobs/*.perf)" = .perun/jobs/unknown.perf ]
run perun log --json -n 1 "$third"
expect_json 'd["minor_versions"][0]["profiles"][0]["source"]' three.perf
expect_status 0 perun fsck
rm .perun/jobs/unknown.perf
perun rm -m "$first" one.perf four.perf >/dev/null
perun rm two.perf none.perf >/dev/null
expect_status 2 perun add -m nonsense c.perf
expect_err nonsense
expect_one_line

# One bad among good ones: the good ones are in.
profile good.perf 6
echo '{"header": ' >bad.perf
expect_status 3 perun add bad.perf good.perf
expect_out 'failed  bad.perf'
check 'its name appears once' test -z "$(grep 'bad.perf.*bad.perf' <<<"$err")"
expect_out "registered with $(git rev-parse --short=8 HEAD)  good.perf"
expect_err 'bad.perf'
expect_one_line
check 'the bad one stays' [ -e bad.perf ]
: >empty.perf
expect_status 3 perun add empty.perf
expect_err 'the file is empty'
expect_one_line
rm -f bad.perf empty.perf c.perf

# What cannot be found.
expect_status 3 perun add nowhere.perf
expect_one_line
expect_status 2 perun add 0@p
expect_err 'no pending profiles'
expect_status 2 perun add 0@i
expect_err '0@p'
expect_one_line
expect_status 2 perun add 0@x
expect_err 'N@i'
expect_one_line
mkdir -p deep/er && profile deep/er/found.perf 1
expect_status 3 perun add found
expect_err 'deep/er/found.perf'
expect_one_line
check 'nothing was taken' [ -e deep/er/found.perf ]
expect_status 0 perun -y add found
expect_out '  deep/er/found.perf'

# Pending ones, by tag, range and name. 0@p is the newest.
commit third
for i in 1 2 3 4; do
	profile ".perun/jobs/job$i.perf" "$i"
	touch -d "2020-03-0${i}T00:00:00Z" ".perun/jobs/job$i.perf"
done
run perun status
expect_out '4 pending profiles (4 time):'
expect_status 0 perun add 0@p
check '0@p is the newest' [ ! -e .perun/jobs/job4.perf ]
expect_status 2 perun add 3@p
expect_err '0@p to 2@p'
expect_status 2 perun add 1@p-0@p
expect_status 0 perun add 1@p-2@p
check 'a range' [ ! -e .perun/jobs/job1.perf ]
check 'and no more' [ -e .perun/jobs/job3.perf ]
expect_status 0 perun add job3
run perun status --short
expect_out '4 tracked profiles'
expect_out 'no pending profiles'

# rm: all or none.
expect_status 3 perun rm job1.perf nowhere.perf
expect_err 'nowhere.perf'
expect_one_line
run perun status --short
expect_out '4 tracked profiles'
expect_status 2 perun rm 4@i
expect_err '0@i to 3@i'
expect_status 0 perun rm job1.perf
expect_out 'deregistered  job1.perf'
expect_status 0 perun rm 0@i-1@i
run perun status --short
expect_out '1 tracked profile'
run perun log --json -n 1
if command -v python3 >/dev/null; then
	sha=$(json 'd["minor_versions"][0]["profiles"][0]["checksum"]')
	expect_status 0 perun rm "$sha"
else
	expect_status 0 perun rm 0@i
fi
run perun status --short
expect_out 'no tracked profiles'
profile .perun/jobs/gone.perf 1
expect_status 0 perun rm 0@p
check 'a pending one is deleted' [ ! -e .perun/jobs/gone.perf ]
profile .perun/jobs/gone.perf 1
expect_status 0 perun rm .perun/jobs/gone.perf
check 'also by its path' [ ! -e .perun/jobs/gone.perf ]
profile outside.perf 1
expect_status 3 perun rm outside.perf
check 'no other file is' [ -e outside.perf ]
expect_status 0 perun rm -m "$second" good.perf
expect_status 0 perun rm --json "$first^0@i"
expect_json 'd["profiles"][0]["minor_version"]' "$first"

# Other things than files.
profile pipe.perf 8
expect_status 2 perun add -
expect_err 'standard input has none'
expect_one_line
mkfifo fifo
timeout 5 sh -c 'cat pipe.perf >fifo' &
expect_status 3 perun add fifo
expect_err 'neither a file nor a directory'
expect_one_line
wait
check 'the pipe stays' [ -p fifo ]
expect_status 0 sh -c "cat pipe.perf | '$PERUN' add /dev/fd/0"
expect_text '' "$err" 'without a warning'
rm -f fifo pipe.perf

# So many of one directory that it is listed: what is not in it is missed as ever, links are followed.
mkdir many
profile many/0.perf 7
for i in $(seq 300); do ln many/0.perf "many/$i.perf"; done
ln -s 0.perf many/link.perf
before=$(perun status --short)
ln -s nowhere many/nowhere.perf
expect_status 3 perun add --keep-profile many/*.perf many/missing.perf
expect_err 'nowhere.perf'
expect_one_line
rm many/nowhere.perf
expect_status 3 perun add --keep-profile many/*.perf many/missing.perf
expect_err 'no profile many/missing.perf'
expect_text "$before" "$(perun status --short)" 'nothing was added'
expect_status 0 perun add many/*.perf
expect_out '  many/link.perf'
expect_out '302 profiles registered'
check 'all stay' [ -e many/300.perf -a -e many/link.perf ]

expect_status 0 perun fsck
# What nothing names goes with gc, when it is old enough.
expect_status 0 perun gc --json
expect_json 'len(d["removed"])' 0
expect_status 0 perun gc --dry-run --older-than 0
expect_out 'would remove'
expect_status 0 perun gc --older-than 0 --json
expect_json 'len(d["removed"]) > 0' True
expect_status 0 perun fsck --json
expect_json 'd["problems"]' '[]'

# What a killed command left is reported and is no problem.
: >.perun/objects/.new-1-1
: >.perun/objects/README
expect_status 0 perun fsck
expect_out 'files checked, 0 problems found; 2 harmless remarks'
rm .perun/objects/.new-1-1 .perun/objects/README

# Damage is found.
object=$(find .perun/objects -type f -size +60c ! -name '*.*' | head -n 1)
chmod u+w "$object" && printf x >>"$object"
expect_status 3 perun fsck
expect_out "$(basename "$object" | cut -c1-8)"
expect_status 3 perun fsck --json
expect_json 'len(d["problems"]) > 0' True

finish
