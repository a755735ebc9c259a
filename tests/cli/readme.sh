# SPDX-License-Identifier: BSD-3-Clause
# The plugin in README.md is whole: it is compiled as it is there, loaded, and read with. Packages have the names of each system.
. "${top_srcdir:-.}/tests/cli/lib.sh"

[ -e "$top_builddir/core/.libs/libperun.so" ] || skip_all 'a static build loads no plugins'
cc=${CC:-cc}
command -v "${cc%% *}" >/dev/null || skip_all 'needs a compiler'

check 'no placeholder is left' test -z "$(grep '@[A-Z][A-Z]*@' "$top_srcdir/README.md")"
sed -n '/^```c$/,/^```$/p' "$top_srcdir/README.md" | sed '1d;$d' >lines.c
# shellcheck disable=SC2086
run $cc -std=c17 -Wall -Wextra -Werror -shared -fPIC -o perun-format-lines.so lines.c \
	-I"$top_srcdir/plugins/include" -L"$top_builddir/core/.libs" -lperun
check 'it compiles without warnings' [ "$status" -eq 0 ]

export PERUN_PLUGIN_PATH=$work/here:$top_builddir/plugins-built
expect_status 0 perun plugin check lines
printf '#lines\n2.5 main\n1e3 a name\n' >good.lines
printf '#lines\n2.5 main\nmain 2.5\n' >bad.lines
expect_status 0 perun convert good.lines good.perf
check 'the amount is kept' grep -q '2\.5' good.perf
check 'the name is kept' grep -q 'a name' good.perf
expect_status 3 perun convert bad.lines bad.perf
expect_err 'line 3'
check 'nothing is written' test ! -e bad.perf

# ---- what is needed, in the words of each system -------------------------------------------------------

for system in debian fedora arch alpine macos; do
	run sh "$top_srcdir/bootstrap" packages "$system"
	check "$system: each library is named" test "$(grep -cE 'archive|expat|sqlite|zlib|ssl|git2|yaml|pcre2|zstd|curses' <<<"$out")" -ge 10
done
run sh "$top_srcdir/bootstrap" packages plan9
check 'another system is refused' test "$status" -eq 4

finish
