#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# perun fuzz: inputs that a program is slow with.
. "${top_srcdir:-.}/tests/cli/lib.sh"
cd "$work" || exit 1
cc=${CC:-cc}
"$PERUN" fuzz --help >/dev/null 2>&1 || skip_all 'this perun was built without fuzz'
run "$PERUN" fuzz --runtime
runtime=$out
check 'the object file that programs are linked with is there' test -f "$runtime"

# Insertion into a sorted list of numbers is quadratic with ascending ones; a letter q crashes, an x never ends.
cat >list.c <<'C'
#include <stdint.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static void insert(struct node **list, int value)
{
	while (*list && (*list)->value < value)
		list = &(*list)->next;
	struct node *made = malloc(sizeof *made);
	made->value = value;
	made->next = *list;
	*list = made;
}
int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	struct node *list = NULL;
	int value = 0;
	for (size_t i = 0; i < size; i++) {
		if (text[i] == 'q')
			abort();
		while (text[i] == 'x')
			__asm__ volatile("");
		if (text[i] >= '0' && text[i] <= '9') {
			value = (value * 10 + text[i] - '0') % 100000;
		} else {
			insert(&list, value);
			value = 0;
		}
	}
	while (list) {
		struct node *next = list->next;
		free(list);
		list = next;
	}
	return 0;
}
C
cat >main.c <<'C'
#include <stdint.h>
#include <stdio.h>
int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);
int main(void)
{
	static uint8_t text[1 << 20];
	return LLVMFuzzerTestOneInput(text, fread(text, 1, sizeof text, stdin));
}
C
flags='-g -O1 -fsanitize-coverage=trace-pc'
# shellcheck disable=SC2086
$cc $flags -o harness list.c "$runtime" 2>/dev/null && $cc $flags -o program list.c main.c "$runtime" 2>/dev/null ||
	skip_all 'the compiler has no -fsanitize-coverage=trace-pc'
$cc -O1 -o plain list.c main.c
echo '5 30 8 100 9 2 70 ' >seed

# What is found does not depend on the machine: edges are counted, and one worker has one order. Finds are examined until the time
# is over, so -t says what a search takes that finds something; with --ratio 1e9 there is nothing to examine.
fuzz() { run "$PERUN" fuzz --json -w seed --jobs 1 "$@"; }
fact() { printf '%s' "$out" | python3 -c 'import json,sys; d = json.load(sys.stdin); f = d["finds"]; print(eval(sys.argv[1]))' "$1"; }
for program in harness program; do
	fuzz -o "found-$program" -t 2 -N 600 --hang-timeout 100ms -e 4000 -- "./$program"
	expect_text 0 "$status" "$program: searched"
	expect_text "edges True" "$(fact 'd["counting"], d["edges"] > 5' | tr -d "(),'")" "$program: edges are counted"
	expect_text True "$(fact 'f[0]["ratio"] > 3')" "$program: something slow is found"
	expect_text True "$(fact 'any(x["function"] in ("insert", "LLVMFuzzerTestOneInput") for x in f[0]["functions"][:2])')" \
		"$program: in the function that is slow"
	check "$program: the find is a file" test -s "found-$program/slow/1" -a -s "found-$program/slow/1.seed"
	check "$program: it is no larger than it was found" \
		test "$(wc -c <"found-$program/slow/1")" -le "$(wc -c <"found-$program/slow/1.found")"
done
expect_text True "$(fact 'd["seconds"] < 4')" 'the time is kept'

# The same again goes on where it was, or does not begin.
expect_status 2 "$PERUN" fuzz -w seed -o found-harness -t 1 -- ./harness
expect_err 'found-harness has the inputs of an earlier search'
fuzz -o found-harness -t 2 -e 1 --hang-timeout 100ms --resume -- ./harness
expect_text True "$(fact 'd["inputs"] > 1')" 'inputs of an earlier search are gone on with'

# Another seed has another order; several workers share the runs.
for seed in 1 2 2; do
	rm -rf "seed-$seed" && fuzz -o "seed-$seed" -t 90 -N 200 --hang-timeout 300ms -e 200 --ratio 1e9 --seed "$seed" -- ./harness
	tried+=" $(fact '[r["tried"] for r in d["rules"]]' | cksum)"
done
expect_text 'False True' "$(set -- $tried; [ "$1" = "$3" ] && printf 'True ' || printf 'False '; [ "$3" = "$5" ] && echo True)" \
	'a seed decides which rules are tried'
expect_text True "$(run "$PERUN" fuzz --json -w seed --jobs 2 -o two -t 20 -N 200 -e 400 --hang-timeout 300ms --ratio 1e9 -- ./harness; fact 'd["runs"] >= 400')" \
	'two workers make the runs'

# Times count where code is not counted, but not in a search that is to be the same again.
cat >spin.c <<'C'
void spin(void)
{
	for (volatile long i = 0; i < 3000000; i++)
		;
}
C
cat >z.c <<'C'
#include <stddef.h>
#include <stdint.h>
void spin(void);
int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	int spins = 0;
	for (size_t i = 0; i < size && spins < 4; i++)
		if (text[i] == 'z') {
			spin();
			spins++;
		}
	return 0;
}
C
$cc -O1 -c spin.c
# shellcheck disable=SC2086
$cc $flags -o times z.c spin.o "$runtime"
echo 'kw="z"' >letters
fuzz -o by-time -t 12 -N 60 -e 200 --dictionary letters -- ./times
expect_text True "$(fact 'any(x["by_time"] for x in f)')" 'what is not counted is found by its time'
fuzz -o by-edges -t 12 -N 60 -e 200 --dictionary letters --seed 1 -- ./times
expect_text False "$(fact 'any(x["by_time"] for x in f)')" 'with --seed times are not used'

# Crashes and hangs are kept apart, by the rules of a file and the words of a dictionary.
printf '"^5": "q"\n' >rules.yml
printf '# words\nkw="\\x00x"\n' >words
fuzz -o ends -t 6 -N 60 --hang-timeout 50ms -e 300 --ratio 1e9 -r rules.yml --dictionary words -- ./harness
expect_text True "$(fact 'd["crashes"] > 0 and d["hangs"] > 0')" 'a crash and a hang'
check 'they are files' test -n "$(ls ends/crashes)" -a -n "$(ls ends/hangs)"

# Without counters time is what counts; the input may be a file.
fuzz -o plain-found -t 6 -e 5 -- ./plain
expect_text True "$(fact 'd["counting"] in ("ns", "instructions") and d["runs"] > 0')" 'any program can be searched'
expect_status 0 "$PERUN" fuzz -w seed -o byfile -t 0.5 -e 5 -b ./plain
expect_err 'build the program with -fsanitize-coverage=trace-pc-guard'

# Of a program whose start takes longer than a seed, long seeds say what a byte takes: to sort much is not slow.
if command -v sort >/dev/null; then
	for i in 7 3 19 4 11 2 8; do echo "$i"; done >numbers
	run "$PERUN" fuzz --json -w numbers --jobs 1 -o sorted -t 8 -e 30 -- sort -n @@
	expect_text 0 "$(fact 'len([x for x in f if x["rules"].startswith("repeat the seed")])')" 'a long input is no find'
fi

# Compiled with --coverage its counts are those of gcov, which are not written beside the program.
if $cc -g -O1 --coverage -o covered list.c main.c 2>/dev/null; then
	rm -f ./*.gcda
	fuzz -o covered-found -t 20 -N 600 --hang-timeout 100ms -e 500 -- ./covered
	expect_text "edges True" "$(fact 'd["counting"], 5 < d["edges"] <= d["all_edges"]' | tr -d "(),'")" 'gcov: edges are counted'
	expect_text True "$(fact 'f[0]["ratio"] > 3')" 'gcov: something slow is found'
	check 'nothing is written beside the program' test -z "$(find . -name '*.gcda')"
else
	skip 'the compiler has no --coverage'
fi

# Lines are matched against (a+)+$ by backtracking: what is found runs long, and is examined as the few bytes that make it so.
cat >regex.c <<'C'
#include <stdint.h>
#include <stdlib.h>
static int match(const uint8_t *at, const uint8_t *end)
{
	size_t run = 0;
	while (at + run < end && at[run] == 'a')
		run++;
	for (; run; run--)
		if (at + run == end || match(at + run, end))
			return 1;
	return 0;
}
int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
	for (const uint8_t *end = text + size, *line = text; line < end; line++) {
		const uint8_t *at = line;
		while (line < end && *line != '\n')
			line++;
		match(at, line);
	}
	return 0;
}
C
printf 'banana\naab ab aaa\nab\n' >words-seed
# shellcheck disable=SC2086
$cc $flags -o regex regex.c "$runtime"
for seconds in 10 40; do # a busy machine gets more time
	run "$PERUN" fuzz --json -w words-seed --jobs 1 -o "long-$seconds" -t "$seconds" -N 400 --hang-timeout 60ms -e 60 --seed 3 -- ./regex
	[ "$(fact 'f and f[0]["found_size"] > 24 > f[0]["size"] and f[0]["ratio"] >= 100')" = True ] && break
done
expect_text True "$(fact 'f[0]["found_size"] > 24 and f[0]["size"] < 24')" 'a find that runs long is made small'
expect_text True "$(fact '100 <= f[0]["ratio"] < 1e4 and not f[0]["hung"]')" 'what is left costs a hundred times as much, and is quick'
expect_text True "$(fact 'f[0]["growth"]["class"].endswith("^n)")')" 'how it grows is seen: each byte multiplies the cost'
expect_text True "$(fact 'f[0]["times"]["find"] > f[0]["times"]["seed"]')" 'and it is compared with the seed'
expect_text True "$(fact "d['seconds'] < $seconds + 2")" 'in time'
expect_text True "$(fact 'd["edges"] > 0 and d["all_edges"] == 0')" 'how many edges there are is not known of a table'
run "$PERUN" fuzz -w words-seed --jobs 1 -o short -t 5 -N 400 --hang-timeout 60ms -e 60 --seed 3 -- ./regex
expect_out 'edges reached, '
expect_out '× what '
check 'a short input is printed' grep -q '^    the input: "a*[^"]*"$' <<<"$out"

# The whole time is kept where a program never ends, and Ctrl-C keeps what there is.
SECONDS=0
expect_status 3 "$PERUN" fuzz -w seed -o never -t 2 --hang-timeout 30 -- sleep 60
check 'a program that says nothing does not outlast the search' test "$SECONDS" -le 5
expect_status 3 "$PERUN" fuzz -w seed -o none -t 1 --hang-timeout 100ms -- sh -c 'kill -9 $$'
expect_err 'sh ends as it should with none of the seeds'
expect_status 3 "$PERUN" fuzz -w seed -o none2 -t 1 -- ./missing
expect_err 'cannot run ./missing'
expect_status 3 "$PERUN" fuzz -w nothing -o none3 -t 1 -- ./harness
expect_err 'cannot read nothing'
expect_status 2 "$PERUN" fuzz -w seed -o none4
expect_err 'the program is missing: put it after --'
expect_status 2 "$PERUN" fuzz -o none5 -- ./harness
expect_err 'an input to begin with is missing'
echo 'not = a word' >bad
expect_status 3 "$PERUN" fuzz -w seed -o none6 --dictionary bad -- ./harness
expect_err 'bad: line 1: expected a word in quotes'
echo '- a' >bad
expect_status 3 "$PERUN" fuzz -w seed -o none7 -r bad -- ./harness
expect_err 'bad: expected a map of expressions and their replacements'
"$PERUN" fuzz -w seed -o stopped -t 30 -- ./harness >stopped.out 2>/dev/null &
pid=$!
sleep 0.7
kill -INT $pid
wait $pid
expect_text 130 $? 'Ctrl-C ends the search'
check 'what was found is printed' grep -q ' kept' stopped.out

# Finds become workloads.
new_repo kept
expect_status 0 "$PERUN" init
cp ../seed ../harness .
expect_status 0 "$PERUN" fuzz -w seed -o found -t 3 -N 300 -e 4000 --hang-timeout 100ms --jobs 1 --keep --page page.html -- ./harness
check 'the page has a chart of each find, the rules, and the search over time' grep -q 'cost by length.*edges of the program that were reached' <(tr '\n' ' ' <page.html)
check 'and says what costs, before the charts' grep -q '<h2>Find 1: .*cost otherwise.*id="charts"' <(tr '\n' ' ' <page.html)
expect_status 0 "$PERUN" config get workloads
expect_out "$PWD/found/slow/1"
finish
