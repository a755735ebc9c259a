#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Profiles of different classes of machines are compared only when the user wants it.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

# one_line: the last command says what is wrong in one line of error.
one_line() { expect_text 1 "$(grep -c . "$work/.result/stderr")" 'one line of error'; }

new_repo
"$PERUN" init >/dev/null 2>&1
"$PERUN" config --local set degradation.strategies '[{"method": "aat"}]' >/dev/null 2>&1

# ---- two profiles ------------------------------------------------------------------------------------
profile one.perf 1 machine='Old 1000'
profile two.perf 2 machine='New 2000'
profile none.perf 2
expect_status 5 "$PERUN" check --method aat profiles one.perf two.perf
expect_err "different classes of machines (processor 'Old 1000' and 'New 2000')"
expect_err --across-machines
one_line
expect_status 1 "$PERUN" check --method aat --across-machines profiles one.perf two.perf
expect_status 1 "$PERUN" check --method aat profiles --force one.perf two.perf
expect_status 1 "$PERUN" check --method aat profiles one.perf none.perf
expect_status 0 "$PERUN" showdiff one.perf two.perf
expect_err "different classes of machines (processor 'Old 1000' and 'New 2000')"
expect_status 0 "$PERUN" showdiff none.perf two.perf
expect_text '' "$(cat "$work/.result/stderr")" 'a profile that says nothing of its machine is compared in silence'
sed 's/x86_64/aarch64/' one.perf >arm.perf
expect_status 5 "$PERUN" check --method aat profiles one.perf arm.perf
expect_err "architecture 'x86_64' and 'aarch64'"
sed 's/"total": 4}/"total": 8}/' one.perf >eight.perf
expect_status 5 "$PERUN" check --method aat profiles one.perf eight.perf
expect_err "number of processors '4' and '8'"
for size in '15.3 GiB' '15.6 GiB' '7.6 GiB'; do
	sed "s/\"total\": 4}/&, \"memory\": {\"total_ram\": \"$size\"}/" one.perf >"memory ${size%% *}.perf"
done
expect_status 0 "$PERUN" check --method aat profiles 'memory 15.3.perf' 'memory 15.6.perf'
expect_status 5 "$PERUN" check --method aat profiles 'memory 15.3.perf' 'memory 7.6.perf'
expect_err "size of memory '15.3 GiB' and '7.6 GiB'"

# ---- a history with two machines ---------------------------------------------------------------------
measured_commit 1 1 machine=A
first=$(head_of)
measured_commit 2 5 machine=B
expect_status 5 "$PERUN" check --method aat head
expect_err "the versions were measured on different classes of machines (processor"
one_line
expect_status 1 "$PERUN" check --method aat --across-machines head
expect_status 5 "$PERUN" ci --method aat HEAD~1
expect_err 'different classes of machines'
one_line
expect_status 1 "$PERUN" ci --method aat --across-machines HEAD~1
measured_commit 3 1 machine=A
expect_status 0 "$PERUN" check --method aat --unchanged --json head
expect_json '[(c["result"], c["baseline"]) for c in d["changes"]]' "[('NoChange', '$first')]"
measured_commit 4 10 machine=B
expect_status 1 "$PERUN" check --method aat --json all
expect_json '[(c["result"], c["from_baseline"], c["to_target"]) for c in d["changes"]]' "[('Degradation', '5.0s', '10.0s')]"
expect_err 'profile was not compared'
expect_status 1 "$PERUN" check --method aat --across-machines all
expect_text '' "$(cat "$work/.result/stderr")" 'nothing is left out then'

# Both machines measured one version: each has its own baseline, whichever came last.
measured_commit 5 11 machine=B
profile again.perf 3 machine=A
"$PERUN" add again.perf >/dev/null
expect_status 1 "$PERUN" check --method aat --json --unchanged head
expect_json 'sorted((c["from_baseline"], c["to_target"]) for c in d["changes"])' "[('1.0s', '3.0s'), ('10.0s', '11.0s')]"

# ---- series ------------------------------------------------------------------------------------------
expect_status 1 "$PERUN" check series --from "$first~1..HEAD" --json
expect_err "left out: measured on another class of machine than 'A, 4 processors, x86_64' (processor 'B' and 'A'; --machine"
expect_status 0 "$PERUN" check --across-machines series --from "$first~1..HEAD" --json
expect_text '' "$(cat "$work/.result/stderr")" 'all of the series'
for across in '' --across-machines; do
	expect_status 0 "$PERUN" history $across 'time(real)' "$first~1..HEAD" --json
	json '[p["median"] for p in d["series"][0]["values"]]' >>values 2>&1
done
expect_text "[1.0, None, 1.0, None, 3.0]
[1.0, 5.0, 1.0, 10.0, 7.0]" "$(cat values)" 'only of one class of machine'
expect_status 0 "$PERUN" history --machine 'A' 'time(real)' "$first~1..HEAD" --json
expect_json 'd["series"][0]["machine"]' 'A, 4 processors, x86_64'
expect_status 0 "$PERUN" history --machine 'b, 4' 'time(real)' "$first~1..HEAD" --json
expect_json 'd["series"][0]["machine"], [p["median"] for p in d["series"][0]["values"]]' "('B, 4 processors, x86_64', [None, 5.0, None, 10.0, 11.0])"
expect_status 2 "$PERUN" check series --from "$first~1..HEAD" --machine nosuch
expect_err "class 'nosuch'"
one_line

# ---- the site ----------------------------------------------------------------------------------------
expect_status 0 "$PERUN" site out
expect_text 2 "$(grep -o '"workload":"[^"]*on [AB][,"]' out/data/catalog.js | sort -u | wc -l)" 'each machine has its own history'

# ---- arguments, which no index has --------------------------------------------------------------------
at 6
commit 'change 6'
profile slow.perf 10 args=--slow
profile fast.perf 1 args=--fast
"$PERUN" add fast.perf slow.perf >/dev/null
at 7
commit 'change 7'
profile now.perf 1 args=--fast
"$PERUN" add now.perf >/dev/null
for versions in 'check --method aat --json --unchanged head' 'ci --method aat --json --unchanged HEAD~1'; do
	# shellcheck disable=SC2086
	expect_status 0 "$PERUN" $versions
	expect_json '[(c["from_baseline"], c["to_target"]) for c in d["changes"] if c["result"] == "NoChange"]' "[('1.0s', '1.0s')]"
done
# What they say is kept: a profile that is no baseline is not read again.
slow=$(python3 - <<'PYTHON'
import glob, zlib
for name in glob.glob(".perun/objects/??/*"):
    try:
        if b'"--slow"' in zlib.decompress(open(name, "rb").read()):
            print(name)
    except zlib.error:
        pass
PYTHON
)
cp "$slow" "$work/slow"
echo damaged >"$slow"
expect_status 0 "$PERUN" check --method aat --json --unchanged head
expect_json '[(c["from_baseline"], c["to_target"]) for c in d["changes"]]' "[('1.0s', '1.0s')]"
rm -r .perun/cache
expect_status 3 "$PERUN" check --method aat head
expect_err "${slow##*/}"
cp "$work/slow" "$slow"
finish
