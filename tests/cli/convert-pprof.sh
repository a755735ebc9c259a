# SPDX-License-Identifier: BSD-3-Clause
# The format pprof on the command line: converted, shown, stored, and what is accepted and refused.
. "${top_srcdir:-.}/tests/cli/lib.sh"

{
	printf 'a 1/1 [000] 1.5: 250000 cpu-clock:\n\t10 f+0x1 (/bin/a)\n\t20 main (/bin/a)\n\n'
	printf 'a 1/1 [000] 1.502: 500000 cpu-clock:\n\t20 main (/bin/a)\n\n'
} >p.txt
expect_status 0 perun convert --to pprof p.txt p.pb.gz
expect_status 0 gzip -t p.pb.gz
expect_status 0 perun show p.pb.gz tableof resources
expect_out 'cpu-clock' 'the sample type is a column'
expect_out 'main;f' 'stacks are shown'
expect_status 0 perun convert --to pprof --format-option plain=yes p.pb.gz bare.pb
cp bare.pb anything
expect_status 0 perun convert --to pprof --format-option plain=yes anything again.pb
check 'the canonical form is written again as it is' cmp -s bare.pb again.pb
expect_status 0 perun convert --to perun p.pb.gz p.perf
expect_status 0 perun convert --to pprof --format-option plain=yes p.perf back.pb
expect_status 0 perun pprof -top back.pb
expect_out '500us 66.67% 66.67%      750us   100%  main' 'Perun keeps what was measured'

printf '%s' '{"header": {"type": "time", "units": {"time": "s"}}, "global": {"time": "0.0", "resources":
	[{"amount": 0.25, "uid": "f", "type": "time"}]}}' >fractions.perf
expect_status 0 perun convert --to pprof fractions.perf fractions.pb.gz
expect_status 0 perun pprof -raw fractions.pb.gz
expect_out 'time/nanoseconds' 'a time with fractions is written in nanoseconds'
expect_out '  250000000: 1' 'so that nothing of it is lost'

git init -q . && git commit -q --allow-empty -m first
expect_status 0 perun init
cp p.pb.gz q.pb.gz
expect_status 0 perun add q.pb.gz
expect_status 0 perun status

head -c 100 bare.pb >cut.pb
expect_status 3 perun convert --to perun cut.pb x.perf
expect_err 'cut.pb: byte ' 'the place of the error is reported'
cat p.pb.gz bare.pb >behind.pb.gz
expect_status 3 perun convert --to perun behind.pb.gz x.perf
expect_err 'do not belong to it' 'nothing may follow the gzip data'
expect_status 3 perun convert --to perun --format-option limit=10 p.pb.gz x.perf
expect_err 'more than 10 bytes' 'the limit is kept'
check 'nothing was written' test ! -e x.perf

cases=${PERUN_CONFORMANCE:-$top_srcdir/../shared/conformance}/pprof
if [ -r "$cases/manifest.json" ] && command -v python3 >/dev/null; then
	# "verdict file" of inputs that pprof itself accepts (0) or refuses.
	python3 - "$cases" >verdicts <<'PYTHON'
import json, os, sys
seen = set()
for case in json.load(open(os.path.join(sys.argv[1], "manifest.json"))):
    path = case["input"][0]
    if case["kind"] == "malformed" and path not in seen:
        print(int(bool(case["exit"])), path)
    elif case["kind"] == "report" and path not in seen and case["operation"] == "raw":
        print(int(bool(case["exit"])) if "notypes" not in path else 0, path)
    seen.add(path)
PYTHON
	wrong=
	while read -r verdict path; do
		case $path in *bomb* | *legacy* | *.cpu* | *.heap | *contention | *thread*) continue ;; esac
		perun convert --to pprof "$cases/$path" out.pb.gz >/dev/null 2>&1
		[ $(($? != 0)) = "$verdict" ] || wrong="$wrong $path"
	done <verdicts
	diag "wrong verdicts:$wrong"
	check 'verdicts are those of pprof' test -z "$wrong"
else
	skip 'no conformance cases'
fi
# Deep stacks that recur: those of 40 in turn, some of them twice in a row, each with frames of its own at one place.
awk 'BEGIN { for (i = 0; i < 200; i++) {
	s = int(i / 2) * 7 % 40
	printf "a 1 %d.5: %d cycles:\n", i, 1 + i * i
	for (f = 0; f < 600; f++) printf "\t%x f%d (o)\n", f == 300 + s ? 7000 + s : f + 1, f == 300 + s ? 7000 + s : f + 1
	print "" } }' >deep.txt
expect_status 0 perun convert --to pprof deep.txt deep.pb.gz
check 'deep stacks that recur' test \
	"$(perun convert --to collapsed -o recorded=yes deep.pb.gz - 2>/dev/null | cksum)" = \
	"$(perun convert --to collapsed -o recorded=yes deep.txt - 2>/dev/null | cksum)"
finish
