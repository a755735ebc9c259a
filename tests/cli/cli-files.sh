# SPDX-License-Identifier: BSD-3-Clause
# show, postprocessby and convert: profiles by tag, name and path, with and without a store.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
for plugin in view-raw view-tableof postprocess-normalizer format-perun; do
	perun plugin show $plugin >/dev/null 2>&1 || skip_all "$plugin is not built"
done

# Plain files.
profile x.perf 4 uid=alpha
expect_status 0 perun show x.perf raw
expect_out alpha
expect_status 0 perun show x.perf tableof
expect_out alpha
expect_status 0 perun show x.perf
expect_out alpha
expect_status 0 perun show -o out.json x.perf raw
check 'to a file' grep -q alpha out.json
expect_status 4 perun show x.perf nonsense
expect_err nonsense
expect_one_line
expect_status 2 perun show x.perf raw --nonsense
expect_one_line
expect_status 2 perun show
expect_one_line
expect_status 3 perun show nowhere.perf raw
expect_err 'nowhere.perf'
expect_one_line
echo '[' >broken.perf
expect_status 3 perun show broken.perf raw
expect_err 'broken.perf'
expect_one_line

expect_status 0 perun postprocessby --output y.perf x.perf normalizer
check 'the unit is recorded' grep -q normalizer y.perf
expect_status 0 perun postprocessby x.perf --output z.perf normalizer
expect_same y.perf z.perf 'options before and behind the profile'
cp x.perf before
expect_status 0 perun postprocessby -o x.perf x.perf normalizer
check 'in place' grep -q normalizer x.perf
mv before x.perf
expect_status 2 perun postprocessby x.perf normalizer
expect_err 'perun init'
expect_one_line
expect_status 2 perun postprocessby x.perf
expect_err 'normalizer'
expect_status 4 perun postprocessby -o o.perf x.perf nonsense
expect_one_line
expect_status 3 perun postprocessby -o o.perf broken.perf normalizer
expect_one_line
check 'a failure leaves no file' [ ! -e o.perf ]
check 'no store was made' [ ! -e .perun ]

expect_status 0 perun convert x.perf c.perf
expect_status 0 perun convert --to perun x.perf
expect_out alpha
perun convert x.perf - >piped.perf
"$PERUN" convert - <x.perf >piped2.perf
expect_same piped.perf piped2.perf 'standard input'
expect_status 4 perun convert --to nonsense x.perf
expect_one_line
expect_status 3 perun convert c.perf c2.json
expect_err 'as extrap-json, by its name (--to chooses another format)'
expect_status 3 perun convert broken.perf c2.perf
check 'a failure leaves no file' [ ! -e c2.perf ]
expect_status 3 perun convert nowhere c2.perf
expect_one_line

# With a store: tags, names, checksums, other versions.
new_repo
perun init >/dev/null
profile one.perf 1 uid=one
touch -d 2020-02-01 one.perf
profile two.perf 2 uid=two
perun add one.perf two.perf >/dev/null
commit next
profile .perun/jobs/three.perf 3 uid=three
expect_status 0 perun show HEAD~1^0@i raw
expect_out '"two"'
expect_status 0 perun show -m HEAD~1 1@i raw
expect_out '"one"'
expect_status 0 perun show -m HEAD~1 one.perf raw
expect_out '"one"'
expect_status 0 perun show 0@p raw
expect_out '"three"'
expect_status 0 perun show three raw
expect_out '"three"'
expect_status 2 perun show 0@i raw
expect_err 'no registered profiles'
expect_one_line
expect_status 2 perun show 1@p raw
expect_err '0@p to 0@p'
expect_status 2 perun show nonsense^0@i raw
expect_one_line
# A name in the index comes before a file.
profile one.perf 9 uid=file
git checkout -q HEAD~1
expect_status 0 perun show one.perf raw
expect_out '"one"'
expect_status 0 perun show ./one.perf raw
expect_out '"file"'

expect_status 0 perun postprocessby 1@i normalizer
expect_out 'Stored pending profile'
origin=$(head_of)
check 'it belongs to the version of its source' grep -q "$origin" .perun/jobs/*normalizer*.perf \
	.perun/jobs/*.perf
expect_status 0 perun postprocessby -ot named --json 1@i normalizer
expect_json 'd["path"].endswith("named.perf")' True

finish
