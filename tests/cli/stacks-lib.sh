# SPDX-License-Identifier: BSD-3-Clause
# For scenarios with stacks, after lib.sh.

# stack_profile FILE: lines "main;f;g 12" (the root first, names as JSON strings have them) become a
# Perun profile with traces, in milliseconds.
stack_profile() {
	awk '
	BEGIN {
		print "{\"header\": {\"type\": \"time\", \"cmd\": \"./a\", \"workload\": \"\", \"units\": " \
			"{\"time\": \"ms\"}}, \"collector_info\": {\"name\": \"x\", \"params\": {}}, " \
			"\"postprocessors\": [], \"global\": {\"time\": \"1\", \"resources\": ["
	}
	{
		amount = $NF
		sub(/ [0-9.]+$/, "")
		n = split($0, frames, ";")
		if (NR > 1)
			print ","
		printf "{\"amount\": %s, \"type\": \"time\", \"uid\": \"%s\", \"trace\": [", amount, frames[n]
		for (i = n; i > 0; i--) {
			printf "{\"function\": \"%s\", \"source\": \"m.c\", \"line\": %d}", frames[i], i
			if (i > 1)
				printf ", "
		}
		printf "]}"
	}
	END { print "]}}" }' >"$1"
}

# described_keys VIEW: the manual page of the view names all keys of the last output.
described_keys() {
	local page=$top_srcdir/views/$1/perun-view-$1.mdoc key missing=
	for key in $(grep -o '^ *"[a-z_]*": ' "$work/.result/stdout" | tr -d ' ":' | sort -u); do
		grep -Eq "^(\.(It )?Va (.*[ ,])?)?$key( |;|,|\$)" "$page" || missing="$missing $key"
	done
	[ -z "$missing" ] || diag "not in the page:$missing"
	check "perun-view-$1(1) has all keys" test -z "$missing"
}
