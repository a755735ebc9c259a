# SPDX-License-Identifier: BSD-3-Clause
# perun check all: what was found of the same profiles is kept in the user's cache directory, and nothing but that.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
export XDG_CACHE_HOME=$work/caches
kept=$XDG_CACHE_HOME/perun/verdicts

# measured N LEVEL: a profile of 1,500 rows.
measured() {
	awk -v n="$1" -v level="$2" 'BEGIN {
		printf "{\"origin\": \"\", \"header\": {\"type\": \"time\", \"cmd\": \"./prog\", \"args\": \"\", \"workload\": \"w\", \"units\": {\"time\": \"s\"}}, "
		printf "\"collector_info\": {\"name\": \"time\", \"params\": {}}, \"postprocessors\": [], \"global\": {\"time\": \"1\", \"resources\": ["
		for (i = 0; i < 1500; i++)
			printf "%s{\"amount\": %.4f, \"uid\": \"f%d\", \"order\": %d, \"type\": \"time\", \"subtype\": \"real\"}", (i ? ", " : ""),
				level + (i * 7919 + n * 104729) % 101 / 5000, i % 5, i / 5
		print "]}}" }'
}
new_repo
perun init >/dev/null
for n in 1 2 3 4 5 6 7 8; do
	echo $n >file && git add file && git commit -q -m "change $n"
	measured $n "$([ $n -ge 5 ] && echo 1.5 || echo 1)" >p.perf
	"$PERUN" add p.perf >/dev/null
done

same_again() { # NAME FILE
	run perun check "${@:3}" all
	expect_text "$(cat "$2")" "$out" "$1"
}
for method in '' '--method shift' '--method average-amount-threshold'; do
	# shellcheck disable=SC2086 # a method or none
	{
		"$PERUN" check $method all >first.txt 2>/dev/null
		size=$(stat -c %s "$kept")
		same_again "the same is found again ($method)" first.txt $method
	}
	check 'it is found in the cache' test "$size" = "$(stat -c %s "$kept")"
done
expect_text 600 "$(stat -c %a "$kept")" 'nobody else may write the cache'
perun check --method average-amount-threshold --models-type all-models all >/dev/null
check 'other options are another question' test "$size" -lt "$(stat -c %s "$kept")"

# The profiles of a comparison that is known are not read.
"$PERUN" check --method shift all >first.txt 2>/dev/null
"$PERUN" check head >head.txt
mv .perun/objects objects && mkdir .perun/objects
for commit in $(git rev-list HEAD); do # the indexes
	mkdir -p ".perun/objects/${commit:0:2}" && cp "objects/${commit:0:2}/${commit:2}"* ".perun/objects/${commit:0:2}"
done
run perun check --method shift all
expect_text "$(cat first.txt)" "$out" 'no profile is needed'
run perun check head
expect_text "$(cat head.txt)" "$out" 'nor for the last version, which its history has a say in'
mv "$kept" kept
run perun check --method shift all
check 'without the cache they are' test "$status" -gt 1
rm -r .perun/objects && mv objects .perun/objects
rm -f "$kept" && cp kept "$kept"

# What is damaged, and what others may have written, counts for nothing and is replaced.
printf 'xxxxxxxx' | dd of="$kept" bs=1 seek=2000 conv=notrunc status=none
same_again 'a damaged cache counts for nothing' first.txt --method shift
chmod 666 "$kept"
inode=$(stat -c %i "$kept")
same_again 'one that others may write is not read' first.txt --method shift
expect_text 600 "$(stat -c %a "$kept")" 'but replaced'
check 'by another file' test "$inode" != "$(stat -c %i "$kept")"
rm "$kept" && ln -s /dev/null "$kept"
same_again 'a link in its place does no harm' first.txt --method shift
rm -f "$kept"

# The history of the last version follows from all that the others have.
"$PERUN" check head >/dev/null
size=$(stat -c %s "$kept")
run perun check head
expect_text "$(cat head.txt)" "$out" 'the same is found of the last version'
check 'in the cache' test "$size" = "$(stat -c %s "$kept")"
measured 3 1.1 >p.perf && "$PERUN" add -m HEAD~5 p.perf >/dev/null
perun check head >/dev/null
check 'another history is another question' test "$size" -lt "$(stat -c %s "$kept")"

# With what is kept of earlier versions, each new one is judged as with nothing: single runs and many, several profiles of
# a version, other units, functions that come and go.
new_repo
perun init >/dev/null
# runs N COUNT UNIT: COUNT runs of three functions, from the tenth version on slower.
runs() {
	awk -v n="$1" -v count="$2" -v unit="$3" 'BEGIN {
		printf "{\"origin\": \"\", \"header\": {\"type\": \"time\", \"cmd\": \"./prog\", \"args\": \"\", \"workload\": \"w\", \"units\": {\"time\": \"%s\"}}, ", unit
		printf "\"collector_info\": {\"name\": \"time\", \"params\": {}}, \"postprocessors\": [], \"global\": {\"time\": \"1\", \"resources\": ["
		for (i = 0; i < 3 * count; i++)
			printf "%s{\"amount\": %.6f, \"uid\": \"f%d\", \"order\": %d, \"type\": \"time\", \"subtype\": \"real\"}", (i ? ", " : ""),
				(unit == "ms" ? 1000 : 1) * (n >= 10 ? 1.2 : 1) * (1 + (i * 7919 + n * 104729) % 101 / 5000), i % 3 + (n > 5 && n < 8), i / 3
		print "]}}" }'
}
for n in $(seq 14); do
	echo $n >file && git add file && git commit -q -m "change $n"
	runs $n $((n % 4 == 1 ? 1 : n % 4 * 9)) "$([ $((n % 5)) = 3 ] && echo ms || echo s)" >p.perf
	"$PERUN" add p.perf >/dev/null
	if [ $((n % 6)) = 4 ]; then
		runs $((n + 100)) 7 s | sed 's/"time": "1"/"time": "2"/' >q.perf
		"$PERUN" add q.perf >/dev/null
	fi
	for what in head all; do
		"$PERUN" check --method shift $what >kept.txt 2>/dev/null
		mv .perun/cache earlier
		XDG_CACHE_HOME=$work/none run perun check --method shift $what
		expect_text "$(cat kept.txt)" "$out" "version $n is judged as with nothing kept ($what)"
		rm -rf .perun/cache "$work/none" && mv earlier .perun/cache
	done
done
expect_text 1 "$(grep -c 'slower' kept.txt | awk '{ print ($1 > 0) }')" 'the change is found'
finish
