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
printf 'test:\n  large: 123456789012345678901\n  small: 7\n' >>.perun/local.yml
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

# What is no setting, or does not fit it, is refused and changes nothing.
cp .perun/local.yml before
refused() { expect_status 2 perun config "$1" "$2" "$3"; expect_err "$4"; expect_one_line; }
refused set nonsense.key 1 'there is no setting nonsense.key'
refused set format.sort_profile_by time 'did you mean format.sort_profiles_by?'
refused set general never 'general is a group of settings'
refused set general.paging bogus 'expected one of always, only-log, only-status, never'
refused set store.lock_timeout abc 'expected a whole number'
refused set profiles.register_after_run perhaps 'expected yes or no'
refused set degradation.cutof 1 'no check has an option cutof'
refused set degradation.strategies x 'expected a value such as [{method: shift}]'
refused set degradation.strategies '[{mthod: shift}]' 'expected a value such as [{method: shift}]'
refused add degradation.strategies shift 'expected a value such as [{method: shift}]'
refused set degradation.thresholds '{parse: x}' 'expected a value such as {BenchmarkParse: 5}'
refused set parameters '{n: 1}' 'expected a value such as {processes: [1, 2]}'
refused set collectors '[{nme: time}]' 'expected a value such as [time, {name: time}]'
refused set hooks.pre_run false "YAML reads false as a number or a boolean; for text, write \"'false'\""
refused add general.paging never 'is not a list'
check 'nothing changed' cmp -s before .perun/local.yml
expect_status 0 perun config set degradation.cutoff 3
expect_status 2 perun -c nonsense.key=1 status
expect_err 'there is no setting nonsense.key'
expect_status 2 perun -c general.paging=bogus status
expect_err 'general.paging'

sed -i 's/^format:/format:\n  nosuch: 1/' .perun/local.yml
# Every setting with its value and where it comes from; what nobody set has its default.
expect_status 0 perun config get store.lock_timeout
expect_out 'store.lock_timeout: 120'
expect_status 0 perun -c general.paging=never config list --origin
expect_out 'command line  general.paging: never'
expect_out 'local.yml     format.sort_profiles_by: source'
expect_out 'default       store.lock_timeout: 120'
expect_err 'local.yml: there is no setting format.nosuch'
expect_status 0 perun config list --json
expect_json '[s["origin"] for s in d["settings"] if s["key"] == "format.sort_profiles_by"]' "['local.yml']"

cp .perun/local.yml before
expect_status 2 perun config reset
expect_err '--yes'
check 'nothing changed' cmp -s before .perun/local.yml
expect_status 0 perun -y config reset
check 'the old file is kept' cmp -s before .perun/local.yml.old
expect_status 0 perun config get vcs.url
expect_out '..'
expect_status 0 perun status
expect_status 0 perun --yes config --shared reset
expect_status 0 perun config -h get general.editor
expect_no_out other
expect_status 2 perun config reset nonsense

# A slip in the editor is reported.
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
