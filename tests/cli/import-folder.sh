# SPDX-License-Identifier: BSD-3-Clause
# perun import FOLDER, perun add FOLDER: the profiles that are in it.
. "${top_srcdir:-.}/tests/cli/lib.sh"
new_repo
perun init >/dev/null
mkdir -p data/below data/.hidden
printf 'main;f 3\n' >data/b.folded
printf 'main;g 4\n' >data/a.folded
printf 'main;h 5\n' >data/below/c.folded
printf 'main;h 5\n' >data/.d.folded
printf 'Notes: these { are no profile\n' >data/README
ln -s b.folded data/link.folded

expect_status 0 perun import data
expect_text 'data/a.folded data/b.folded' "$(awk '{ print $NF }' <<<"$out" | xargs)" 'in the order of names, no links, no hidden files, no folders'
expect_err 'data: 1 of 3 files skipped, in no known format: README'
expect_status 0 perun log --json -n 1
expect_text 2 "$(grep -c '"source"' <<<"$out")" 'both are registered'

# The same by add, with others beside, and with a slash at the end.
git commit -q --allow-empty -m second
printf 'main;x 1\n' >other.folded
expect_status 0 perun add data/ other.folded
expect_out '3 profiles registered'
expect_out 'data/a.folded'
check 'nothing is moved' test -e data/a.folded

# A named format chooses among them.
git commit -q --allow-empty -m third
printf 'uid,amount,type\nmain,3,time\n' >data/t.csv
expect_status 0 perun import --format collapsed data
expect_err '2 of 4 files skipped, in another format: README, t.csv'
expect_text 2 "$(grep -c registered <<<"$out")" 'only those'

# What is a profile as a whole stays one; what holds none says so.
expect_status 3 perun import data/.hidden
expect_err 'data/.hidden: unrecognized format: a directory of 0 entries'
expect_one_line
mkdir tau && cp "$top_srcdir"/tests/fuzz/corpus/tau/* tau/ 2>/dev/null
mv tau/"$(ls tau | head -n 1)" tau/profile.0.0.0 2>/dev/null
if perun convert --from tau tau - >/dev/null 2>&1; then
	expect_status 0 perun import tau
	expect_text 1 "$(grep -c registered <<<"$out")" 'a folder that is a profile'
fi
for i in 1 2 3 4 5; do printf 'x { %s }\n' $i >data/u$i; done
expect_status 0 perun import data
expect_err 'files skipped, in no known format: README, t.csv, u1, ...'
finish
