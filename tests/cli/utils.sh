# SPDX-License-Identifier: BSD-3-Clause
# perun utils: what the Python program keeps beside profiles.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

new_repo
commit two
perun init >/dev/null
of() { echo ".perun/stats/$(head_of "$1" | cut -c1-2)/$(head_of "$1" | cut -c3-)"; }
for version in HEAD HEAD~1; do
	mkdir -p "$(of $version)"
	printf 12345 >"$(of $version)/sizes"
done
printf 1 >"$(of HEAD)/tree"
printf 1 >.perun/stats/.index
mkdir -p .perun/stats/ab/no .perun/tmp/traces/deep
printf 123 >.perun/tmp/traces/deep/one
printf 1 >.perun/tmp/two

expect_status 0 perun utils stats list-files
expect_out '3 files, 11 bytes'
expect_out "$(of HEAD | cut -d/ -f3-)/tree"
expect_status 0 perun utils stats list-files -m HEAD~1 --json
expect_json 'len(d["files"]), d["files"][0]["size"]' '(1, 5)'
expect_status 0 perun utils stats list-versions --json
expect_json 'sorted((f["path"], f["size"]) for f in d["files"])' "$(python3 -c 'import sys; print(sorted([(sys.argv[1], 6), (sys.argv[2], 5)]))' "$(head_of HEAD)" "$(head_of HEAD~1)")"
perun utils stats list-files --sort-by-size --no-minor --no-total-size | sed 's/ *//' >listed
expect_text '5 sizes 5 sizes 1 tree' "$(tr -s ' \n' ' ' <listed | sed 's/ $//')" 'the largest first, without versions and totals'
expect_text "$(head_of HEAD)
$(head_of HEAD~1)" "$(perun utils stats list-versions --sort-by-size --no-dir-size -t)" 'versions without sizes'
expect_status 0 perun utils stats delete file sizes --in-minor HEAD~1
expect_out '1 file removed'
check 'its directories are gone' [ ! -e "$(of HEAD~1)" ]
check 'what is of others stays' [ -e "$(of HEAD)/sizes" ]
expect_status 2 perun utils stats delete file nothing
expect_one_line
expect_status 0 perun utils stats delete minor HEAD --keep-directory
check 'directories stay where that is wanted' [ -d "$(of HEAD)" ]
check 'and files do not' [ -z "$(ls "$(of HEAD)")" ]
expect_status 0 perun utils stats clean
expect_text .index "$(ls -A .perun/stats)" 'empty directories are removed'

expect_status 0 perun utils temp list
expect_out '2 files, 4 bytes'
expect_text 'traces/deep/one
two' "$(perun utils temp list --sort-by size --no-file-size -t --filter-protection unprotected)" 'in the order of sizes'
expect_status 0 perun utils temp list --filter-protection protected
expect_out '0 files, 0 bytes'
expect_status 0 perun utils temp list traces
expect_out '1 file, 3 bytes'
for bad in ../local.yml /etc/passwd traces/../../local.yml nothing ''; do
	expect_status 2 perun utils temp delete "$bad"
	expect_one_line
done
check 'nothing outside is touched' [ -s .perun/local.yml ]
# Links lead nowhere; the journal of a run that goes on is in use.
mkdir "$work/outside" && printf 1 >"$work/outside/mine"
ln -s "$work/outside" .perun/tmp/link
mkdir -p .perun/tmp/runs && : >.perun/tmp/runs/0000000000000000
exec 9<.perun/tmp/runs/0000000000000000
flock 9
expect_status 3 perun utils temp delete runs
expect_err 'is in use'
exec 9<&-
expect_status 0 perun utils temp delete .
expect_text link "$(ls .perun/tmp)" 'all is removed'
check 'what a link leads to stays' [ -s "$work/outside/mine" ]
expect_status 2 perun utils create view mine
expect_err 'perun plugin create'
for bad in 'temp nonsense' 'stats nonsense' 'temp delete' 'stats delete' 'stats delete file' nonsense; do
	# shellcheck disable=SC2086
	expect_status 2 perun utils $bad
	expect_one_line
done
finish
