# SPDX-License-Identifier: BSD-3-Clause
# What the tests of collectors share. The test sets `collector` and sources it after lib.sh.
# `fact_helpers`, when set, is Python that expressions of fact may use.

cc=${CC:-cc}
case $cc in "ccache "*) cc=${cc#ccache } ;; esac
cc=${cc%% *}
command -v "$cc" >/dev/null || skip_all 'no C compiler'
command -v python3 >/dev/null || skip_all 'no python3'
new_repo
"$PERUN" init >/dev/null 2>&1

# fact EXPRESSION: of the only pending profile p, the document; r, a list of its resources with all keys.
fact() {
	python3 - "$1" "${fact_helpers:-}" .perun/jobs/*.perf <<'PYTHON'
import json, sys
p = json.load(open(sys.argv[3]))
r = []
for name, part in p["resources"].items():
    fixed = p["resource_type_map"][name]
    for i in range(len(next(iter(part.values())))):
        r.append({**fixed, **{k: v[i] for k, v in part.items()}})
exec(sys.argv[2])
print(eval(sys.argv[1]))
PYTHON
}
# collect OPTIONS... -- COMMAND: a new pending profile, the only one.
collect() {
	local options=()
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	rm -f .perun/jobs/*
	expect_status 0 "$PERUN" collect -c "$2" "$collector" "${options[@]}"
}
expect_fact() { expect_text "$1" "$(fact "$2")" "$3"; }
