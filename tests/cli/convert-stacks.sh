# SPDX-License-Identifier: BSD-3-Clause
# A profile with stacks through every pair of formats: the values of each stack stay, exactly.
. "${top_srcdir:-.}/tests/cli/lib.sh"

cat >a.folded <<'FILE'
main 5
main;parse 100
main;parse;read file 9007199254740993
main;run;step;step 7
main;run;step;step;leaf<T, U>::operator()(int) 12
FILE
for to in pprof speedscope perun collapsed callgrind; do
	expect_status 0 perun convert --to $to a.folded a.$to
done
folded() { perun convert --to collapsed "$1" - 2>/dev/null; }
for from in pprof perun collapsed; do
	check "through $from" test "$(folded a.$from)" = "$(cat a.folded)"
	for to in pprof perun collapsed; do
		expect_status 0 perun convert --to $to a.$from b.$to
		check "from $from to $to and back" test "$(folded b.$to)" = "$(cat a.folded)"
	done
done
# The numbers of JavaScript end at 2^53.
check 'through speedscope' test "$(folded a.speedscope | sed 's/900719925474099[0-9]/N/')" = \
	"$(sed 's/900719925474099[0-9]/N/' a.folded)"
for to in pprof perun collapsed; do
	expect_status 0 perun convert --to $to a.speedscope b.$to
	check "from speedscope to $to" test "$(folded b.$to)" = "$(folded a.speedscope)"
done

# Call graphs have no stacks: what each function costs stays, and what calls cost.
top() {
	perun show --json "$1" top 2>/dev/null | tr -d ' \n' |
		grep -o '"name":"[^"]*","self":[0-9]*,"self_share":[0-9.e-]*,"total":[0-9]*' | sort
}
grep -v read a.folded >small.folded
expect_status 0 perun convert --to callgrind small.folded small.callgrind
check 'something to compare' test "$(top small.folded | wc -l)" -ge 4
check 'through callgrind: the same functions' test "$(top small.callgrind)" = "$(top small.folded)"
for to in perun pprof; do
	expect_status 0 perun convert --to $to small.callgrind c.$to
done

# Labels, several metrics and places: what a format cannot hold is reported, and counted.
printf 'a 1/1 [000] 1.5: 40 cycles:\n\t30 leaf+0x1 (/bin/o)\n\t10 main (/bin/o)\n\n' >p.txt
printf 'a 1/1 [000] 1.6: 2 faults:\n\t10 main (/bin/o)\n\n' >>p.txt
expect_status 0 perun convert --to collapsed p.txt c.folded
expect_err 'other metrics (1)'
expect_err 'labels of samples (2)'
expect_err 'addresses, lines and objects of places (2)'
expect_status 0 perun convert --to speedscope p.txt c.json
expect_err 'labels of samples (2)'
expect_err 'times of samples (2)'
# Samples of no length, which are not read again.
sampled='{"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "a"}, {"name": "b"}]},
"profiles": [{"type": "sampled", "name": "x", "unit": "UNIT", "startValue": 0, "endValue": 8, "samples": [[0], [0, 1]], "weights": [8, 0]}]}'
sed 's/UNIT/milliseconds/' <<<"$sampled" >zero.json
expect_status 0 perun convert --to firefox zero.json zero.firefox
expect_err 'samples of no length (1)'
sed 's/UNIT/bytes/' <<<"$sampled" >zero.json
expect_status 0 perun convert --to firefox zero.json zero.firefox
expect_err 'samples whose value is 0 (1)'
printf '[{"ph": "X", "pid": 1, "tid": 1, "ts": %s, "dur": 3, "name": "%s"}]' 4 f >f.json
expect_status 0 perun convert --to perun f.json f.perf
python3 - <<'PYTHON'
import json
profile = json.load(open("f.perf"))
profile["header"]["units"] = {}
(columns,) = profile["resources"].values()
columns["amount"], columns["start"], columns["end"] = [3, 0], [4, 7], [7, 7]
json.dump(profile, open("f.perf", "w"))
PYTHON
expect_status 0 perun convert --to speedscope f.perf f.speedscope
expect_err 'samples of no length (1)'
# An object that has neither a name nor a place is none: formats make one where a file has no other.
expect_status 0 perun convert --to pprof c.folded c.pb
expect_status 0 perun convert --to firefox c.pb c.firefox
expect_text '' "$(grep 'objects of places' <<<"$err")" 'an object that says nothing is not lost'
expect_status 3 perun convert --strict --to collapsed p.txt strict.folded
check 'nothing is written with --strict' test ! -e strict.folded
expect_status 0 perun convert --to pprof p.txt c.pb.gz
run perun pprof -raw c.pb.gz
expect_out 'cycles/count'
expect_out 'comm:[a]'
expect_out '/bin/o'
check 'both metrics' test "$(perun pprof -top -sample_index=cycles c.pb.gz 2>/dev/null | awk 'END {print $6}')" = main -o \
	"$(perun pprof -top -sample_index=cycles c.pb.gz 2>/dev/null | grep -c leaf)" = 1
# What repeats is written once, and read as if it were there.
expect_status 0 perun convert --to perun p.txt plain.perf
expect_status 0 perun convert --chunks p.txt chunks.perf
check 'frames are references' grep -q '"trace": "@' chunks.perf
expect_status 0 perun convert chunks.perf again.perf
check 'with and without chunks: the same profile' cmp plain.perf again.perf
expect_status 2 perun convert --chunks --to pprof p.txt x.pb.gz
expect_err 'is for the format perun'
finish
