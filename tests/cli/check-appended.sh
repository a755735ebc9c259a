# SPDX-License-Identifier: BSD-3-Clause
# perun check head of one commit after the other: what is kept of those before changes nothing of what is found, and spares
# reading them. PERUN_SEEDS chooses random histories.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
perun plugin show check-shift >/dev/null 2>&1 || skip_all 'the check is not built'
python3 -c 'import json' 2>/dev/null || skip_all 'there is no python3'

for seed in ${PERUN_SEEDS:-5 9}; do
	mkdir "seed-$seed" && cd "seed-$seed" || exit 1
	result=$(python3 "$top_srcdir/tests/cli/check-appended.py" "$PERUN" "$seed" 75 2>&1)
	if [ "${result#ok }" != "$result" ]; then ok "${result#ok }"; else not_ok "$result"; fi
	cd ..
done

# measured N: a profile of ten functions that vary by some percent.
measured() {
	awk -v n="$1" '
	function next_random() { x = (x * 16807) % 2147483647; return x / 2147483647 }
	BEGIN {
		x = 1 + n * 104729
		printf "{\"origin\": \"\", \"header\": {\"type\": \"time\", \"cmd\": \"./prog\", \"args\": \"\", \"workload\": \"w\", \"units\": {\"time\": \"s\"}}, "
		printf "\"collector_info\": {\"name\": \"time\", \"params\": {}}, \"postprocessors\": [], \"global\": {\"time\": \"1\", \"resources\": ["
		for (i = 0; i < 50; i++)
			printf "%s{\"amount\": %.4f, \"uid\": \"f%d\", \"order\": %d, \"type\": \"time\", \"subtype\": \"real\"}", (i ? ", " : ""),
				1 + (next_random() + next_random()) / 50, i % 10, i / 10
		print "]}}" }'
}
export XDG_CACHE_HOME=$work/caches
new_repo
perun init >/dev/null
for n in $(seq 70); do
	git commit -q --allow-empty -m "change $n"
	measured "$n" >p.perf
	"$PERUN" add p.perf >/dev/null
	[ "$n" != 69 ] || "$PERUN" check head >/dev/null
done
values() { stat -c %s .perun/cache/history-values; }
rm -r .perun/cache
XDG_CACHE_HOME=$work/none "$PERUN" check head >expected.txt
all=$(values)
rm -r .perun/cache
run perun check head
expect_text "$(cat expected.txt)" "$out" 'one more commit'
check "the last profiles are enough ($(values) and $all bytes)" test $((10 * $(values))) -lt $((9 * all))
# Other bytes in the place of what was kept.
"$PERUN" check --method shift head >/dev/null
printf 'x%.0s' $(seq 4000) | dd of="$XDG_CACHE_HOME/perun/verdicts" bs=1 seek=200 conv=notrunc 2>/dev/null
run perun check head
expect_text "$(cat expected.txt)" "$out" 'what is damaged counts for nothing'
finish
