# SPDX-License-Identifier: BSD-3-Clause
# Ranges of versions are git's, in every command that takes one: A..B is what B has and A has not.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

new_repo
perun init >/dev/null
for n in 1 2 3 4; do measured_commit $n 1.$n; done
git checkout -q -b topic HEAD~2
measured_commit 5 1.5
git checkout -q main

# logged RANGE: perun log and git log name the same commits.
logged() {
	perun log --json "$1" | python3 -c 'import json, sys; [print(v["checksum"]) for v in json.load(sys.stdin)["minor_versions"]]' >"$work/got"
	git log --format=%H "$1" -- >"$work/wanted"
	expect_same "$work/wanted" "$work/got" "perun log $1 is git log $1 ($(wc -l <"$work/wanted") versions)"
}
command -v python3 >/dev/null || skip_all 'needs python3'
for range in HEAD~2..HEAD HEAD~2.. ..topic topic..main main..topic HEAD..HEAD~1 HEAD~1; do logged "$range"; done
expect_status 2 perun log nosuch..HEAD
expect_one_line

# The first version is not among those of the others, either.
count() { python3 -c 'import json, sys; print(len(json.load(sys.stdin)["series"][0]["values"]))'; }
expect_text 2 "$(perun history --json 'time(real)' HEAD~2..HEAD | count)" 'perun history: two versions'
expect_text 2 "$(perun history --json 'time(real)' HEAD~2.. | count)" 'perun history A..'
expect_text 1 "$(perun history --json 'time(real)' ..topic | count)" 'perun history ..B'
expect_text 2 "$(perun check series --json --from HEAD~2..HEAD 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["series"][0]["count"])')" 'perun check series'
expect_status 0 perun export --history csv -r HEAD~2..HEAD --json out.csv
expect_out '"versions": 2'
expect_status 0 perun run -m HEAD~2..HEAD --json job -b true -c time -cp time '{warmup: 0, repeat: 1}'
expect_text 2 "$(grep -c '"minor_version"' "$work/.result/stdout")" 'perun run'
expect_status 0 perun collect -m ..topic --json -c true time --warmup 0 --repeat 1
expect_text "$(head_of topic)" "$(json 'd["profiles"][0]["minor_version"]')" 'perun collect'

# Before the first commit a command that needs one says what to do.
git init -q -b main "$work/empty"
cd "$work/empty" || exit 1
perun init >/dev/null
for command in 'log HEAD' history blame 'check head' 'collect -m HEAD -c true time'; do
	# shellcheck disable=SC2086
	run perun $command
	expect_err 'commit something first' "says what to do before the first commit: perun $command"
	expect_one_line
done

# A range names the profiles of its versions, where no file has that name.
git init -q -b main "$work/stacks"
cd "$work/stacks" || exit 1
perun init >/dev/null
for n in 1 2 3; do
	git commit -q --allow-empty -m "$n"
	printf 'main;f %d\n' $((n * 10)) >a.folded
	perun import a.folded >/dev/null
done
expect_status 0 perun pprof -top HEAD~2..HEAD
expect_out 'accounting for 50, 100% of 50 total' 'two versions merged'
expect_status 0 perun pprof -top -base HEAD~1^0@i HEAD~1..HEAD
expect_out 'accounting for 10, 100% of 10 total'
expect_status 0 perun show --json HEAD~2.. flamegraph -o merged.svg
expect_status 0 perun showdiff HEAD~1^0@i HEAD~1.. --json
printf 'main;f 7\n' >x..y
expect_status 0 perun pprof -top x..y
expect_out 'of 7 total'
expect_status 3 perun show ..HEAD top
expect_err 'no version of ..HEAD has profiles'
expect_status 2 perun pprof -top nosuch..HEAD
expect_err 'nosuch: no such version'

finish
