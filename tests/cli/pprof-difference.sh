# SPDX-License-Identifier: BSD-3-Clause
# Reports of a difference are those of the same difference as a profile, though it is made another way.
. "${top_srcdir:-.}/tests/cli/lib.sh"

# make SEED: stacks of functions, some of which are inlined.
make() {
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		for (i = 0; i < 400; i++) {
			line = "main"
			for (k = int(rand() * 6); k >= 0; k--) {
				f = int(40 * rand() * rand())
				line = line ";f" f (f % 5 == 1 ? "_[i]" : "")
			}
			print line, 1 + int(rand() * 90)
		}
	}'
}
make 1 >one.folded
make 2 >two.folded
head -n 100 one.folded >>two.folded
for i in one two; do
	expect_status 0 perun convert --to pprof $i.folded $i.pb.gz
done
expect_status 0 perun pprof -proto -output difference.pb.gz -diff_base one.pb.gz two.pb.gz
expect_status 0 perun pprof -proto -output more.pb.gz -diff_base one.pb.gz difference.pb.gz

# same OPTION...: of what is read and of what was written.
same() {
	perun pprof "$@" difference.pb.gz >expected
	perun pprof "$@" -diff_base one.pb.gz two.pb.gz >got
	check "$*" cmp -s expected got
	check "$* says something" test "$(wc -l <got)" -gt 4
}
same -top
same -top -cum -nodecount=7
same -top -lines -noinlines
same -top -drop_negative
same -top -normalize=false -relative_percentages -focus=f1
same -top -ignore=f3 -hide=f2
same -tree
same -tree -files -show_from=f4
same -peek=f1
same -top -addresses
same -dot
same -traces -tagfocus=pprof::base
perun pprof -top more.pb.gz >expected
perun pprof -top -diff_base one.pb.gz difference.pb.gz >got
check 'a base twice' cmp -s expected got

finish
