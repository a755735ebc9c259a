# SPDX-License-Identifier: BSD-3-Clause
# perun config: reading and changing, and what stays.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

new_repo
perun init >/dev/null
expect_status 0 perun config get vcs.type
expect_text 'vcs.type: git' "$out" 'get prints key and value'
expect_status 0 perun config get --json vcs
expect_json 'd["value"]["type"]' git
# A number that JSON libraries have no type for is one number less exact, not a document less.
expect_status 0 perun config --local set test.large 123456789012345678901
expect_status 0 perun config --local set test.small 7
expect_status 0 perun config get --json test
expect_json 'd["value"]["small"], d["value"]["large"] > 1e20' '(7, True)'
expect_status 0 perun config --shared get general.paging
expect_out 'general.paging: '
expect_status 0 perun config get --shared general.paging
expect_status 3 perun config get no.such.thing
expect_err 'no.such.thing'
expect_one_line
expect_status 2 perun config get 'wrong key'
expect_one_line
expect_status 2 perun config --local --shared get vcs.type

cp .perun/local.yml before
expect_status 0 perun config set format.sort_profiles_by source
expect_status 0 perun config get format.sort_profiles_by
expect_text 'format.sort_profiles_by: source' "$out" 'the new value'
check 'other lines stay' [ "$(diff before .perun/local.yml | grep -c '^[<>]')" -le 2 ]
expect_status 0 perun -c format.sort_profiles_by=type config get format.sort_profiles_by
expect_out ': type'
expect_status 0 perun config get --json format.sort_profiles_by
expect_json 'd' "{'key': 'format.sort_profiles_by', 'value': 'source'}"

expect_status 0 perun config set general.editor 'my editor'
expect_status 0 perun config --shared set general.editor other
expect_status 0 perun config get general.editor
expect_out 'my editor'
expect_status 0 perun config -h get general.editor
expect_out other

expect_status 0 perun config reset
expect_status 0 perun config get vcs.url
expect_out '..'
expect_status 0 perun status
expect_status 0 perun config --shared reset
expect_status 0 perun config -h get general.editor
expect_no_out other
expect_status 2 perun config reset nonsense

# A slip in the editor is told.
export EDITOR="sh -c 'echo \"  : [\" >>\"\$0\"'"
expect_status 3 perun config edit
expect_err local.yml
expect_one_line

# Without a store only the shared one is there.
cd "$work" || exit 1
expect_status 0 perun config get general.paging
expect_status 2 perun config set general.paging always
expect_err 'perun init'
expect_one_line
expect_status 0 perun config --shared set general.paging always

finish
