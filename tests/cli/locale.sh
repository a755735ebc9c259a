# SPDX-License-Identifier: BSD-3-Clause
# Numbers never follow the locale of the program that uses the library: here a program that sets one with a decimal comma.
. "${top_srcdir:-.}/tests/cli/lib.sh"

mkdir locales
if ! localedef -i de_DE -f UTF-8 "$PWD/locales/de_DE.UTF-8" >/dev/null 2>&1 && [ ! -d locales/de_DE.UTF-8 ]; then
	skip 'no locale with a decimal comma can be made (package locales)'
	finish
fi
cat >set-locale.c <<'C'
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void set_locale(void)
{
	char text[8];

	setlocale(LC_ALL, "de_DE.UTF-8");
	snprintf(text, sizeof text, "%.1f", 1.5);
	if (getenv("WITNESS"))
		puts(text);
}
C
${CC:-cc} -shared -fPIC -o set-locale.so set-locale.c || exit 1

# The sanitizers' library wants to be the first one.
preload="$PWD/set-locale.so"
asan=$(ldd "$top_builddir/cli/.libs/perun" 2>/dev/null | sed -n 's/.*=> \(.*lib\(clang_rt\.\)\?asan[^ ]*\).*/\1/p')
foreign() { env LOCPATH="$PWD/locales" LD_PRELOAD="${asan:+$asan }$preload" "$@"; }
expect_status 0 foreign env WITNESS=1 true
expect_out '1,5'

# same WHAT COMMAND...: the command prints the same with and without.
same() {
	local what=$1
	shift
	expect_status 0 "$@"
	local plain=$out
	expect_status 0 foreign "$PERUN" "${@:2}"
	check "$what: the same numbers with a decimal comma" test "$plain" = "$out"
}

{
	printf 'PARAMETER p\nPOINTS 4.5 8.25 16.5 32 64\nMETRIC time\nREGION main->solve\n'
	for p in 4 8 16 32 64; do echo "DATA $((10 + 3 * p)).5 $((12 + 3 * p)).25"; done
} >e.txt
same 'models' perun model --json e.txt
same 'models as text' perun model e.txt
same 'another modeler' perun model --json --modeler refining e.txt
same 'conversion' perun convert --to perun e.txt -
cat >bench.txt <<'TEXT'
pkg: example.org/sort
BenchmarkSort-2   	     100	      1.5 ns/op	   0.25 MB/s
BenchmarkSort-2   	     100	      1.75 ns/op	   0.5 MB/s
TEXT
same 'benchmarks' perun convert --to perun bench.txt -
perun convert --to perun bench.txt b.perf
for view in bars histogram tableof; do
	same "the view $view" perun show b.perf $view
done
same 'a picture' perun show b.perf bars --form svg --output -

# What is stored of changes is read by others, and by us.
git init -q . && git commit -q --allow-empty -m one && git commit -q --allow-empty -m two
sed 's/1\.5 ns/9.5 ns/; s/1\.75 ns/9.75 ns/' bench.txt >slow.txt
for how in '' foreign; do
	rm -rf .perun
	expect_status 0 perun init
	expect_status 0 perun import -m HEAD~1 -w input bench.txt
	expect_status 0 perun import -w input slow.txt
	$how "$PERUN" check all >/dev/null 2>&1
	find .perun/objects -name '*.changes' | sort | xargs cat >"changes${how:+-$how}"
done
check 'stored changes are the same with a decimal comma' cmp -s changes changes-foreign
check 'there are some' test -s changes
finish
