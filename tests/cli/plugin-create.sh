# SPDX-License-Identifier: BSD-3-Clause
# perun plugin create: what it writes builds against an installed Perun without a warning and passes its own test.
. "${top_srcdir:-.}/tests/cli/lib.sh"
installed=$top_builddir/tests/installed
pc=$(find "$installed" -name perun.pc 2>/dev/null | head -n 1)
[ -n "$pc" ] && [ -e "$top_builddir/core/.libs/libperun.so" ] && command -v make >/dev/null && command -v pkg-config >/dev/null ||
	skip_all 'needs an installed tree, make and pkg-config'
PKG_CONFIG_PATH=${pc%/*}
export PKG_CONFIG_PATH

# Without sanitizers: what -z defs asks of a plugin is not for their symbols, which the program has.
for kind in vcs collect postprocess view format check command executor; do
	section=1
	[ $kind != format ] || section=7
	expect_status 0 perun plugin create "$kind" "my-$kind"
	expect_out "perun-$kind-my-$kind: next make"
	folder=perun-$kind-my-$kind
	expect_status 0 make -s -C "$folder" check PERUN="$PERUN" PKG_CONFIG='pkg-config --define-prefix' CC="${CC:-cc}" \
		CFLAGS="-O0 -Wall -Wextra -Werror"
	expect_status 0 make -s -C "$folder" install PERUN="$PERUN"
	check "$kind: the plugin, its text and its manual are installed" test -s "$XDG_DATA_HOME/perun/plugins/$folder.so" \
		-a -s "$XDG_DATA_HOME/perun/plugins/$folder.plugin" -a -s "$XDG_DATA_HOME/man/man$section/$folder.$section"
	check "$kind: no placeholder is left" test -z "$(grep -rl '@[A-Z]*@' "$folder" --include='*.[ch17]' --include=Makefile --include='*.sh')"
done

# Options of a vcs are settings of a store, which its owner has to trust: they may name a program.
mkdir of-options && git -C of-options init -q && git -C of-options commit -q --allow-empty -m one && git -C of-options commit -q --allow-empty -m two
perun -C of-options init --vcs-type my-vcs --vcs-path . >/dev/null
expect_status 0 perun -C of-options config set vcs.options.longest_log 1
expect_status 0 perun -C of-options log --short
expect_out two
expect_no_out one
printf 'vcs: {type: my-vcs, url: .., options: {longest_log: 2}}\n' >of-options/.perun/local.yml
expect_status 3 perun -C of-options log --short
expect_err 'vcs.options of'
expect_status 0 env PERUN_TRUST=yes "$PERUN" -C of-options log --short
expect_out one
expect_status 2 perun -C of-options -c vcs.options.longest_log=0 log
expect_err 'vcs.options of my-vcs: option --longest-log'

# What the program of a vcs complains about is in the one line of the message.
mkdir place && git -C place init -q && perun -C place init --vcs-type my-vcs --vcs-path . >/dev/null && mv place/.git place/gone
expect_status 3 perun -C place status
expect_err 'git rev-parse failed with exit code 128: fatal: not a git repository'
expect_one_line

# The example of each kind in its manual is C that compiles.
for kind in vcs collect postprocess view format check command executor; do
	sed -n '/^\.Bd -literal/,/^\.Ed/{/^\./d;p}' "$top_srcdir/doc/man/perun-plugin-$kind.3" | sed 's/\\e/\\/g' >"$kind.c"
	check "perun-plugin-$kind(3)" ${CC:-cc} -fsyntax-only -std=c17 -Wall -Werror -I"$top_srcdir/plugins/include" "$kind.c"
done
# The manual of each kind names every operation and every other member of its table.
for kind in vcs collect postprocess view format check command executor; do
	missing=$(sed -n "/^struct perun_${kind}_ops/,/^};/p" "$top_srcdir/plugins/include/perun/$kind.h" |
		grep -v '^[[:space:]]*/*\*' | grep -oE '\(\*[a-z_]+\)\(|[a-z_]+;' | tr -d '(*);' |
		while read -r name; do grep -qw "$name" "$top_srcdir/doc/man/perun-plugin-$kind.3" || echo "$name"; done)
	expect_text '' "$missing" "perun-plugin-$kind(3): what it leaves out"
done
# That of a format has a plugin's whole life.
mkdir numbers && ${CC:-cc} -shared -fPIC -I"$top_srcdir/plugins/include" -o numbers/perun-format-numbers.so format.c
printf '1\n2.5\n' >numbers.txt
expect_status 0 env PERUN_PLUGIN_PATH="$work/here/numbers:$top_builddir/plugins-built" "$PERUN" convert --from numbers --to perun \
	numbers.txt numbers.perf
# perun help shows the manual of a user's plugin, and the options of a third party's view, as those of ours.
expect_status 0 perun help format my-format
expect_out 'perun-format-my-format — one line for lists of plugins'
rm -r "$XDG_DATA_HOME/man"
expect_status 0 perun help my-view
expect_out '-n, --count N'
expect_status 4 perun help format my-format
expect_err 'try perun plugin show my-format'
rm -r "$XDG_DATA_HOME/perun"

# The same sources are C++, too.
if command -v "${CXX:-g++}" >/dev/null; then
	for kind in vcs collect postprocess view format check command executor; do
		expect_status 0 perun plugin create "$kind" "its-$kind" --cpp
		folder=perun-$kind-its-$kind
		expect_out "the code is in its-$kind.cpp"
		expect_status 0 make -s -C "$folder" check PERUN="$PERUN" PKG_CONFIG='pkg-config --define-prefix' CXX="${CXX:-g++}" \
			CXXFLAGS="-O0 -Wall -Wextra -Werror"
	done
else
	skip 'the same in C++' 'there is no C++ compiler'
fi

# A test that cannot fail proves nothing: with another number in the source it does.
sed -i 's/sum += /sum *= /' perun-check-my-check/my-check.c
run make -s -C perun-check-my-check check PERUN="$PERUN" PKG_CONFIG='pkg-config --define-prefix' CC="${CC:-cc}" \
	CFLAGS=-O0
check 'the test of a wrong check fails' test "$status" != 0

# Nothing is overwritten, names are those of plugins, and nothing is left behind.
expect_status 2 perun plugin create view my-view
expect_err 'perun-view-my-view exists'
expect_status 2 perun plugin create view '../Bad'
expect_err 'lower-case letters'
expect_status 2 perun plugin create nothing x
expect_status 3 perun plugin create view other --dir none/of/this
check 'nothing is left' test ! -e none
expect_status 0 perun plugin create view other --dir elsewhere
check 'the folder has the name that is given' test -e elsewhere/other.c
finish
