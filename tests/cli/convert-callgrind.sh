# SPDX-License-Identifier: BSD-3-Clause
# The format callgrind: what is read and written, against callgrind_annotate where it is installed.
. "${top_srcdir:-.}/tests/cli/lib.sh"

cat >callgrind.out <<'FILE'
# callgrind format
version: 1
creator: hand
cmd: ./prog one
desc: Trigger: Program termination
positions: instr line
event: Ir : Instructions
events: Ir Dr
summary: 185 22

ob=(1) /bin/prog
fl=(1) main.c
fn=(1) main
0x10 3 20 2
+4 +1 5
fi=(2) inline.h
+4 12 10 1
fe=(1)
cfn=(2) work
calls=3 0x40 20
* 5 150 19
jump=1 +4 +2
* *

fn=(2)
0x40 20 100 15
cfi=(3) lib.c
cob=(2) /lib/lib.so
cfn=(3) help
calls=1 0x80 7
+4 * 50 4

ob=(2)
fl=(3)
fn=(3)
0x80 7 50 4
FILE
expect_status 0 perun show callgrind.out raw --one-line
expect_status 0 perun convert --strict --to callgrind callgrind.out again.out
cat >expected <<'FILE'
# callgrind format
version: 1
creator: perun
cmd: ./prog one
positions: instr line
event: Ir : Instructions
events: Ir Dr
summary: 185 22

ob=(1) /bin/prog
fl=(1) main.c
fn=(1) main
0x10 3 20 2
0x14 4 5 0
fi=(2) inline.h
0x18 12 10 1
fe=(1)
cfi=(1)
cfn=(2) work
calls=3 0x40 20
0x18 5 150 19

fl=(1)
fn=(2)
0x40 20 100 15
cob=(2) /lib/lib.so
cfi=(3) lib.c
cfn=(3) help
calls=1 0x80 7
0x44 20 50 4

ob=(2)
fl=(3)
fn=(3)
0x80 7 50 4
FILE
check 'the same costs and calls' cmp expected again.out
expect_status 0 perun convert --to callgrind again.out third.out
expect_status 0 perun merge -o merged.pb.gz callgrind.out again.out
expect_err 'calls without stacks are not merged' 'totals do not get less in silence'
check 'written again it is the same' cmp again.out third.out
if command -v callgrind_annotate >/dev/null; then
	figures() { callgrind_annotate --inclusive=yes --auto=no "$1" | grep '%' | sort; }
	check 'callgrind_annotate finds the same' test "$(figures callgrind.out)" = "$(figures again.out)"
	check 'and finds something' test "$(figures again.out | grep -c main)" -ge 1
else
	skip 'callgrind_annotate is not installed'
fi

# Stacks become a graph of calls.
{
	printf 'a 1 1.5: 40 cycles:\n\t30 leaf (o)\n\t20 mid (o)\n\t10 main (o)\n\n'
	printf 'a 1 1.6: 2 cycles:\n\t20 mid (o)\n\t10 main (o)\n\n'
} >stacks.txt
expect_status 0 perun convert --to callgrind stacks.txt stacks.out
expect_err 'labels of samples (2)'
check 'inclusive costs of calls' test "$(grep -A1 '^calls=' stacks.out | grep -v '^--' | tr '\n' ';')" = \
	'calls=0 0x30 0;0x20 0 40;calls=0 0x20 0;0x10 0 42;'
check 'the sum' grep -q '^summary: 42$' stacks.out

bad() {
	printf "$1" >bad.out
	expect_status 3 perun show bad.out raw
	expect_err "$2"
}
bad '# callgrind format\nfn=f\n1 2\n' 'line 3: expected a line events: before any costs'
bad '# callgrind format\nevents: a\nfn=(7)\n1 2\n' 'line 3: expected the number of a name that was given before'
printf '# callgrind format\nevents: a\nob=(3)\nfl=(4)\nfn=f\n1 2\n' >cut.out
expect_text 'f 2' "$(perun convert --to collapsed cut.out - 2>cut.err)" 'a name of a file or object that is missing'
check 'it is reported' grep -qF '2 files or objects without a name' cut.err
bad '# callgrind format\nevents: a\nfn=f\n1 2 3\n' 'line 4: expected a cost for each event and no more'
bad '# callgrind format\nevents: a\nfn=f\nx\n' 'line 4: expected positions'
bad '# callgrind format\nevents: a\nfn=f\n1 2\ncalls=1 1\n' 'line 5: expected cfn= before calls='
bad '# callgrind format\nevents: a\n' 'there are no costs in it'

# Metrics of a stored profile are in one column, each in rows of its own; and there are more than eight.
python3 - <<'PYTHON' >many.out
print("# callgrind format\nevents: " + " ".join("e%d" % i for i in range(11)) + "\nfn=f\n1 " + " ".join(map(str, range(1, 12))))
PYTHON
perun convert many.out many.perf >/dev/null 2>&1
expect_status 0 perun convert many.perf --to callgrind -
expect_out 'summary: 1 2 3 4 5 6 7 8 9 10 11'
finish
