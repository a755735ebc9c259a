# SPDX-License-Identifier: BSD-3-Clause
# A store that Perun and a stand-in for the Python program write in turn stays whole, and both read it.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v python3 >/dev/null || skip_all 'python3 is missing'
python() { python3 "$top_srcdir/tests/store/python-store.py" "$@"; }

# profile NAME NUMBER: with a modification time that depends on the number.
profile() {
	cat >"$1" <<JSON
{"origin": "$(git rev-parse HEAD)", "header": {"type": "time", "cmd": "./app é", "workload": "w$2",
 "units": {"time": "s"}}, "collector_info": {"name": "time", "params": {"x": [1.0, null, 1e-05]}},
 "postprocessors": [{"name": "normalizer", "params": {}}], "resources": {"m#0": {"amount": [$2, 0.5]}},
 "resource_type_map": {"m#0": {"type": "time", "uid": "m"}}, "models": []}
JSON
	touch -d "@$((1700000000 + $2))" "$1"
}
# sources: what perun says is registered with the head.
sources() {
	perun log --json -n 1 | python3 -c 'import json, sys
for p in json.load(sys.stdin)["minor_versions"][0]["profiles"]: print(p["source"], p["checksum"])' | sort
}
both_agree() { [ "$(sources)" = "$(python list .perun "$(git rev-parse HEAD)" | sort)" ]; }

new_repo
expect_status 0 perun init
head=$(git rev-parse HEAD)
for i in 1 2 3 4 5 6; do
	profile "ours-$i.perf" $((i * 2))
	expect_status 0 perun add "ours-$i.perf"
	check "round $i: the Python program reads what perun added" both_agree
	profile "theirs-$i.perf" $((i * 2 + 1))
	python add .perun "$head" "theirs-$i.perf" >"$work/python.out" || diag 'add failed'
	check "round $i: perun reads what the Python program added" both_agree
	expect_status 0 perun fsck
done
check 'twelve profiles' test "$(sources | wc -l)" -eq 12
python rm .perun "$head" ours-2.perf
check 'the Python program removes one' both_agree
expect_status 0 perun rm theirs-3.perf
check 'perun removes one' both_agree
expect_status 0 perun fsck
check 'ten are left' test "$(sources | wc -l)" -eq 10

# The same profile gets the same object from both.
profile same.perf 99
cp -p same.perf copy.perf
expect_status 0 perun add same.perf
first=$(sources | sed -n 's/^same.perf //p')
second=$(python add .perun "$head" copy.perf)
expect_text "$first" "$second" 'both name the object alike'

# Reading says that another program wrote, and fsck --adopt ends that.
run perun log -n 1
expect_err 'changed by another program'
expect_status 0 perun fsck --adopt
run perun log -n 1
check 'no more warning' test -z "$err"

# Pending profiles: the stand-in rewrites their index, perun reads it and goes on with it.
profile .perun/jobs/by-hand.perf 50
check 'pending: both list the same' test "$(python status .perun)" = 'by-hand.perf w50'
run perun status --short
expect_out '1 pending profile'
expect_status 0 perun rm 0@p
check 'pending: gone for both' test -z "$(python status .perun)"
expect_status 0 perun fsck

# The Python program knows the types time, memory and mixed alone, and wants a unit.
git commit -q --allow-empty -m second
printf 'main;a;b 5\nmain;a 3\n' >stack.txt
expect_status 0 perun import perf stack stack.txt
if command -v valgrind >/dev/null; then
	expect_status 0 perun collect -c true instructions
	expect_status 0 perun add 0@p
fi
check 'what is imported and counted is of known types, with units' python loadable .perun "$(git rev-parse HEAD)"
finish
