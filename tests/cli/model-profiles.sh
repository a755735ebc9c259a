# SPDX-License-Identifier: BSD-3-Clause
# perun model of profiles of other kinds: what varies is the workload, an argument, a member of the
# header or a column of the resources; call paths are uids or stacks.
. "${top_srcdir:-.}/tests/cli/lib.sh"

# profile N: sort takes N / 50 and N / 50 + 2, load always 3.
profile() {
	cat <<JSON
{"origin": "", "header": {"type": "time", "cmd": "./sort -v", "args": "--threads 4 --size=$(($1 * 10))",
"workload": "data-$1.txt", "params": {"depth": $(($1 / 100))}, "units": {"time": "s"}},
"collector_info": {"name": "time", "params": {"rate": $1.0}}, "postprocessors": [],
"resources": {"sort#0": {"amount": [$(($1 / 50)), $(($1 / 50 + 2))]}, "load#0": {"amount": [3.0]}},
"resource_type_map": {"sort#0": {"type": "time", "uid": "sort"}, "load#0": {"type": "time", "uid": "load"}},
"models": []}
JSON
}
for n in 100 200 400 800 1600; do profile $n >w$n.perf; done

expect_status 0 perun model w*.perf
check 'the workload, without asking' grep -q '^sort  *1 + 0.02 \* workload  *O(workload) ' "$work/.result/stdout"
check 'what does not grow' grep -q '^load  *3  *O(1) ' "$work/.result/stdout"
first=$out
expect_status 0 perun model --parameter workload w1600.perf w800.perf w100.perf w200.perf w400.perf
check 'in any order' test "$first" = "$out"
expect_status 0 perun model --parameter size w*.perf
expect_out '1 + 0.002 * size'
expect_status 0 perun model --parameter n=size w*.perf
expect_out '1 + 0.002 * n'
expect_status 0 perun model --parameter 'n=args[2]' w*.perf
expect_out '1 + 0.002 * n'
expect_status 0 perun model --parameter depth w*.perf
expect_out '1 + 2 * depth'
expect_status 0 perun model --parameter r=params.rate w*.perf --at r=100000
expect_out '1 + 0.02 * r'
expect_out '2001'
expect_status 0 perun model --rows sum w*.perf
expect_out '2 + 0.04 * workload'
expect_status 0 perun model --json w*.perf
expect_out '"mean": 3.0, "median": 3.0, "min": 2.0, "max": 4.0, "std": 1.0, "repetitions": 2'

expect_status 3 perun model --parameter args w*.perf
expect_err "there are 2 numbers in '--threads 4 --size=1000'; say which: args[1]"
expect_status 3 perun model --parameter 'args[3]' w*.perf
expect_status 3 perun model --parameter nothing w*.perf
expect_err 'w100.perf has no parameter nothing'
expect_status 2 perun model --parameter '' w*.perf
expect_status 2 perun model --parameter 'args[x]' w*.perf
expect_status 3 perun model w100.perf
expect_err 'w100.perf is not an experiment: give several profiles'
printf 'PARAMETER p\nPOINTS 4 8\nREGION a\nMETRIC time\nDATA 10\nDATA 13\n' >e.txt
expect_status 2 perun model e.txt w100.perf
expect_err 'e.txt is an experiment already'
expect_status 2 perun model --parameter workload e.txt

# Sizes that are in the rows.
python3 - >sizes.perf <<'PYTHON'
import json
sizes = [10, 20, 40, 80, 160]
print(json.dumps({"origin": "", "header": {"type": "mixed", "cmd": "x", "workload": "", "units": {"mixed": "us"}},
                  "collector_info": {"name": "complexity", "params": {}}, "postprocessors": [], "models": [],
                  "resources": {"f#0": {"amount": [3 * n * n for n in sizes for _ in range(2)],
                                        "structure-unit-size": [n for n in sizes for _ in range(2)]}},
                  "resource_type_map": {"f#0": {"type": "mixed", "subtype": "time delta", "uid": "f"}}}))
PYTHON
expect_status 0 perun model sizes.perf
expect_out '3 * structure-unit-size^2'
expect_status 0 perun model --parameter n=structure-unit-size sizes.perf
expect_out 'O(n^2)'

# Stacks: samples of one call path are summed. The program's name is common, work grows.
for n in 1 2 4 8 16; do
	printf 'main;work %d\nmain;work %d\nmain;idle 7\n' $n $n >s$n.folded
done
expect_status 3 perun model s*.folded
expect_err 's1.folded has no parameter workload'
mkdir runs
for n in 1 2 4 8 16; do mv s$n.folded runs/s-$n.folded; done
expect_status 0 perun model --parameter n=file --at 100 runs/*.folded
check 'sums of stacks along the tree' test "$(printf '%s\n' "$out" | head -n 4)" = \
'Call path  Model  Growth   SMAPE  adj. R²  Predicted        Band     Own  With below
main                                                                         100.0 %
  work     2 * n  O(n)    0.00 %   1.0000        200  200 .. 200  96.6 %      96.6 %
  idle     7      O(1)    0.00 %   0.0000          7      7 .. 7   3.4 %       3.4 %'

# Registered and pending profiles.
git init -q .
git commit -q --allow-empty -m one
expect_status 0 perun init
cp w*.perf .perun/jobs/
expect_status 0 perun model --parameter workload 0@p-4@p
check 'pending profiles' test "$first" = "$out"
expect_status 0 perun add --force 0@p-4@p
expect_status 0 perun model --parameter workload 0@i-4@i
check 'registered profiles' test "$first" = "$out"
expect_status 0 perun model --compare 0@i-4@i 0@i-4@i
expect_out 'within the bands'
# A version is all its profiles, and two of them are compared. What varies is found: the size, in two versions the
# second of which grows with its square; threads only vary with it.
measured() { # SIZE EXPONENT
	cat <<JSON
{"origin": "", "header": {"type": "time", "cmd": "./sort", "args": "--size=$1 -t $(($1 / 100)) --seed 7",
"workload": "in.txt", "units": {"time": "s"}}, "collector_info": {"name": "time", "params": {}}, "postprocessors": [],
"resources": {"r": {"amount": [$(($1 ** $2))], "order": [1]}},
"resource_type_map": {"r": {"type": "time", "subtype": "real", "uid": "sort"}}, "models": []}
JSON
}
new_repo versions && expect_status 0 perun init
for exponent in 1 2; do
	commit "exponent $exponent"
	for size in 100 200 400 800 1600; do
		measured $size $exponent >size-$size.perf
		perun add size-$size.perf >/dev/null
	done
done
expect_status 0 perun model HEAD
expect_out 'sort       size^2  O(size^2)'
expect_status 0 perun model HEAD~1..
expect_out 'O(size)'
expect_out 'grows faster'
expect_status 0 perun model HEAD~1 --scaling weak
expect_out 'Weak scaling: the whole program'
expect_status 0 perun model 0@i-4@i --at size=3200
expect_out '10240000 s'
expect_status 2 perun model --compare HEAD~1 HEAD~1..HEAD
expect_status 3 perun model HEAD~2
expect_err 'version HEAD~2 has no profiles: measure it with perun run -m HEAD~2'
expect_status 2 perun model nowhere..HEAD
measured 50 2 | sed 's/--seed/--slow/' >slow.perf
expect_status 3 perun model size-*.perf slow.perf
expect_err "differ in more than numbers: name the profiles of one args, or say what varies"
expect_one_line
perun add slow.perf >/dev/null
expect_status 0 perun model HEAD
expect_out 'sort       size^2  O(size^2)'
expect_err 'left out 1 of 6 profiles, of which no three differ in numbers alone: '

# A version that measured several commands has an experiment of each.
commit several
for size in 100 200 400 800; do
	measured $size 1 >one-$size.perf
	measured $size 2 | sed 's/--size/--edge/' >two-$size.perf
	measured $size 3 | sed 's|./sort|./tree|' >three-$size.perf
done
perun add one-*.perf two-*.perf three-*.perf slow.perf >/dev/null
expect_status 0 perun model HEAD
expect_err 'left out 1 of 13 profiles, of which no three differ in numbers alone: '
expect_one_line
check 'in the order of their names' test "$(grep '^\[./' <<<"$out")" = '[./sort --edge=N -t N --seed N in.txt]
[./sort --size=N -t N --seed N in.txt]
[./tree --size=N -t N --seed N in.txt]'
expect_out 'sort       edge^2  O(edge^2)'
expect_out 'sort       size   O(size)'
expect_out 'sort       size^3  O(size^3)'
expect_status 0 perun model HEAD --at size=1600
expect_no_out 'edge'
expect_out '[./tree --size=N'
expect_status 2 perun model HEAD --at depth=3
expect_err 'no experiment has the parameters of --at'
expect_status 0 perun model HEAD~1..HEAD
check 'one of them was measured before' test "$(grep -c '^\[./' <<<"$out")" = 1
expect_out 'grows slower'
expect_status 0 perun model HEAD --json
check 'a document of each' python3 -c '
import json, sys
names = [e["name"] for e in json.load(sys.stdin)["experiments"]]
assert names == ["./sort --edge=N -t N --seed N in.txt", "./sort --size=N -t N --seed N in.txt", "./tree --size=N -t N --seed N in.txt"], names' <<<"$out"
expect_status 2 perun model HEAD --json --scaling strong --processors edge
check 'those before one that fails are a document with an end' python3 -c '
import json, sys
assert [e["name"] for e in json.load(sys.stdin)["experiments"]] == ["./sort --edge=N -t N --seed N in.txt"]' <<<"$out"
# Repetitions of one size are no experiment, beside others as alone.
commit 'repetitions'
for size in 100 200 400 800; do measured $size 1 >one-$size.perf; done
for run in 1 2 3 4; do measured 7 1 | sed "s|./sort|./tree|; s/\"amount\": \[7\]/\"amount\": [7.$run]/" >run-$run.perf; done
perun add one-*.perf run-*.perf >/dev/null
expect_status 0 perun model HEAD
expect_out 'sort       size   O(size)'
expect_no_out '[./'
expect_err 'left out 4 of 8 profiles, of which no three differ in numbers alone: '
expect_status 0 perun model HEAD --json
expect_no_out '"experiments"'
commit 'of one size each'
measured 7 1 >one.perf
measured 7 1 | sed 's|./sort|./tree|' >other.perf
perun add one.perf other.perf >/dev/null
expect_status 3 perun model HEAD
expect_err 'none of the 2 profiles differ in the numbers of their arguments or workloads alone'

# What a run measured is there before it is registered.
commit pending
for size in 100 200 400 800 1600; do
	measured $size 1 | sed "s/\"origin\": \"\"/\"origin\": \"$(git rev-parse HEAD)\"/" >.perun/jobs/pending-$size.perf
done
measured 50 2 >.perun/jobs/elsewhere.perf
expect_status 0 perun model HEAD
expect_out 'sort       size   O(size)'
expect_status 0 perun model HEAD~4..HEAD
expect_out 'O(size^2)'
finish
