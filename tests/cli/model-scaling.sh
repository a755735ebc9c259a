# SPDX-License-Identifier: BSD-3-Clause
# perun model --scaling: speed-up, efficiency and cost, strong or weak.
. "${top_srcdir:-.}/tests/cli/lib.sh"

# experiment FILE METRIC 'solve' 'halo': two call paths at 1 to 64 processors, by formulas of awk.
experiment() {
	{
		printf 'PARAMETER p\nPOINTS 1 2 4 8 16 32 64\nMETRIC %s\n' "$2"
		for formula in "$3" "$4"; do
			[ "$formula" = "$3" ] && echo 'REGION main->solve' || echo 'REGION main->halo'
			awk "BEGIN { for (p = 1; p <= 64; p *= 2) printf \"DATA %.17g\\n\", $formula }"
		done
	} >"$1"
}

# The cost is 511 + p: twice that of one processor at p = 513.
experiment strong.txt time '511 / p' 1
expect_status 0 perun model --scaling auto strong.txt
expect_out '[Strong scaling (found out): the whole program]'
expect_out 'Efficiency falls below 50 % at p = 513, by the model; this was not measured.'
expect_out 'core-hours  0.1419         O(1)'
expect_out '100.0 %  O(p)  main->halo'
expect_status 0 perun model --scaling strong --efficiency 90 strong.txt
expect_out '[Strong scaling: the whole program]'
expect_out 'Efficiency falls below 90 % at p = 58.'
expect_status 0 perun model --scaling strong --at 512 --json strong.txt
python=$(command -v python3) || skip_all 'needs python3'
says() {
	$python -c 'import json, sys
d = json.load(open(sys.argv[1])); s = d["scaling"]
print(s["kind"], s["detected"], s["processors"], s["falls_below"], s["whole_falls_below"])
print([m["metric"] for m in s["whole"]], [round(p["mean"], 3) for p in s["whole"][3]["points"]])
print([round(p["mean"], 3) for m in d["measurements"] if m["callpath"] == "main->halo" for p in m["points"]][-7:])
print(sorted({r["metric"] for r in d["ranking"] if r["share"] > 0}))' "$work/.result/stdout"
}
check 'as JSON' test "$(says)" = "strong False p 513.0 513.0
['time', 'core-hours', 'speed-up', 'efficiency'] [1.0, 0.998, 0.994, 0.987, 0.972, 0.943, 0.89]
[1.0, 0.5, 0.25, 0.125, 0.062, 0.031, 0.016]
['core-hours', 'time']"

# Weak: the time grows from 105, with the root of p; 210 at p = 484.
experiment weak.txt seconds 100 '5 * sqrt(p)'
expect_status 0 perun model --scaling auto weak.txt
expect_out '[Weak scaling (found out): the whole program]'
expect_out 'Efficiency falls below 50 % at p = 484, by the model; this was not measured.'
expect_out '      cost  '
experiment never.txt time 100 1
expect_status 0 perun model --scaling weak never.txt
expect_out 'Efficiency stays above 50 % up to p = 65536, by the model.'
expect_status 0 perun model --scaling auto --markdown never.txt
expect_out '| `p=64` | 101 s | 64 | 100.0 % | 1.796 |'

# Communication is 0 on one processor: it has no speed-up, but a cost.
experiment zero.txt time '2000 / p' 'log(p)'
expect_status 0 perun model --scaling auto zero.txt
check 'what is 0 has no speed-up' test "$(printf '%s\n' "$out" | grep -c '^   *speed-up ')" = 1
expect_out 'O(p * log2(p))  main->halo'

# ---- several parameters, and what cannot be ----------------------------------------------------

{
	printf 'PARAMETER n\nPARAMETER ranks\nPOINTS'
	for n in 1 2 4 8 16; do for p in 1 2 4 8 16; do printf ' (%s %s)' $n $p; done; done
	printf '\nMETRIC time\nREGION main\n'
	for n in 1 2 4 8 16; do
		for p in 1 2 4 8 16; do awk "BEGIN { printf \"DATA %.17g\\n\", 20 * $n / $p + 1 }"; done
	done
} >two.txt
expect_status 0 perun model --scaling auto two.txt
expect_out 'Strong scaling (found out)'
expect_out ', where n = 16'
expect_status 2 perun model --scaling auto --processors q two.txt
expect_err 'no parameter q'
sed 's/ranks/k/' two.txt >unnamed.txt
expect_status 2 perun model --scaling auto unnamed.txt
expect_err '--processors n'
expect_status 0 perun model --scaling auto --processors k unnamed.txt
printf 'PARAMETER p\nPOINTS 1 2 4 8 16\nMETRIC time\nREGION a\nDATA 10\nDATA 9\nDATA 8.5\nDATA 8.3\nDATA 8.2\n' >between.txt
expect_status 3 perun model --scaling auto between.txt
expect_err 'say strong'
expect_status 0 perun model --scaling strong between.txt
expect_out 'Efficiency falls below 50 % at p = 3.'
printf 'PARAMETER p\nPOINTS 4\nMETRIC time\nREGION a\nDATA 3\n' >single.txt
expect_status 3 perun model --scaling strong single.txt
expect_err 'that differ in p alone'
expect_status 2 perun model --scaling weak_threaded strong.txt
expect_status 2 perun model --efficiency 50 strong.txt
expect_err '--efficiency is for --scaling'
sed 's/time/visits/;/^REGION main->halo/i METRIC calls' strong.txt >counts.txt
expect_status 3 perun model --scaling auto counts.txt
expect_err 'none of the metrics is a time'
# A metric called time is one though its unit says nothing.
{
	printf 'PARAMETER p\nPOINTS 1 2 4 8 16\nREGION a\nMETRIC calls\n'
	for p in 1 2 4 8 16; do echo "DATA $p"; done
	echo 'METRIC time'
	for p in 1 2 4 8 16; do echo "DATA $((64 / p))"; done
} >calls.txt
expect_status 0 perun convert --to cube calls.txt cubes
check 'another unit' python3 -c '
import glob, io, tarfile
for name in glob.glob("cubes/*/*.cubex"):
    with tarfile.open(name) as old:
        members = [(member, old.extractfile(member).read()) for member in old if member.isfile()]
    with tarfile.open(name, "w") as new:
        for member, data in members:
            data = data.replace(b"<uom></uom>", b"<uom>x</uom>")
            member.size = len(data)
            new.addfile(member, io.BytesIO(data))'
expect_status 0 perun model --scaling auto cubes
expect_out 'Cost'

# ---- profiles of any format -------------------------------------------------------------------
# A parameter in the names of files; what one process measured.
for p in 1 2 4 8 16 32; do printf 'main;solve %d\nmain;halo %d\n' $((64000 / p)) $((20 * p)) >app.p$p.folded; done
expect_status 0 perun model --parameter p --scaling auto app.p*.folded
expect_out 'Strong scaling (found out)'
expect_out 'p=32      2640     24.25      75.8 %'
expect_no_out 'is the sum over all processes'
# A label for each process: sums over them, which stay when there are more.
for p in 1 2 4 8 16; do
	mkdir -p tau/app.p$p
	for rank in $(seq 0 $((p - 1))); do
		cat >tau/app.p$p/profile.$rank.0.0 <<TAU
2 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls #
"solve" 1 0 $((64000000 / p)) $((64000000 / p)) 0 GROUP="TAU_DEFAULT"
"halo" 1 0 $((2000 * p)) $((2000 * p)) 0 GROUP="TAU_DEFAULT"
0 aggregates
TAU
	done
done
expect_status 0 perun model --parameter p --scaling auto tau/*
expect_out 'Strong scaling (found out)'
expect_out 'The time is the sum over all processes.'
expect_out 'p=16   64.51 s     15.87      99.2 %     0.01792'
finish
