# SPDX-License-Identifier: BSD-3-Clause
# Plugins of other versions load or are refused with the numbers; broken ones are named with the true
# reason and never disturb the others.
. "${top_srcdir:-.}/tests/cli/lib.sh"

modules=$top_builddir/tests/abi/.libs
load() { "$top_builddir/tests/abi/load" "$@"; }
# use NAME...: a fresh directory with these plugins is the search path.
use() {
	rm -rf plugins && mkdir plugins && export PERUN_PLUGIN_PATH=$PWD/plugins
	for name; do cp "$modules"/perun-*-"$name.so" plugins/; done
}

use good short old long
expect_status 0 load view good
expect_out 'loaded good: a good one'
expect_out 'option size: how large, flags 0, default 4k'
expect_out 'command good do good' 'describes its command'
expect_out 'version 7.1'
expect_no_out 'invalid'

expect_status 0 load view old
expect_out 'loaded old: an old one'
expect_out 'option first: the first, flags 0, default none' 'members that an older option lacks are zero'
expect_out 'option second: the second, flags 0, default none' 'walks with the stride of the older table'
expect_no_out 'invalid'
expect_status 4 load view short
expect_err 'perun-view-short.so: plugin view short: it has no operations' 'members that an older plugin lacks are zero'

expect_status 0 load view long
expect_out 'option second: the second' 'walks with the stride of a newer table'

use good major minor
expect_status 4 load view major
expect_err 'is built for plugin interface 2.4, this perun has 1.0: update perun' 'refuses a newer major with both numbers'
expect_status 4 load view minor
expect_err 'is built for plugin interface 1.1, this perun has 1.0' 'refuses a newer minor with both numbers'
expect_status 0 load view good
expect_out 'loaded good' 'the others still load'

use good lazy
expect_status 4 load view lazy
expect_err 'undefined symbol: function_that_nobody_has' 'names the missing function'
expect_status 0 load view good

use good
printf 'perun-plugin 1\nkind view\nname lazy\nsummary from its text\n' >plugins/perun-view-lazy.plugin
cp "$modules/perun-view-lazy.so" plugins/
expect_status 0 load list
expect_out 'view lazy: from its text' 'lists from the text without loading'
expect_text '' "$err" 'and says nothing'
expect_status 4 load view lazy
expect_err 'undefined symbol: function_that_nobody_has'
expect_status 4 load check view lazy
printf 'perun-plugin 1\nkind view\nname good\nsummary a lie\n' >plugins/perun-view-good.plugin
expect_status 3 load check view good
expect_err 'perun-view-good.plugin does not say what the plugin says' 'check compares the text with the tables'
load view good | sed -n '/^perun-plugin/,$p' >plugins/perun-view-good.plugin
expect_status 0 load check view good
expect_status 0 load list
expect_out 'view good: a good one' 'the text made from the tables is understood'
printf 'nonsense\n' >plugins/perun-view-good.plugin
expect_status 0 load view good
expect_out 'loaded good: a good one' 'a damaged text is passed over'

use good
chmod o+w plugins/perun-view-good.so
expect_status 4 load view good
expect_err 'is refused: every user can write to it'
chmod o-w plugins/perun-view-good.so
chmod o+w plugins
expect_status 4 load view good
expect_err "plugin directory $PWD/plugins is refused: every user can write to it"
expect_err 'no view called good' 'none of its plugins is used'
printf 'a;b 1\n' >stacks.folded
run "$PERUN" --no-pager show stacks.folded
expect_err "plugin directory $PWD/plugins is refused" 'show says it, too'
chmod o-w plugins
if [ "$(id -u)" -eq 0 ]; then
	chown 12345 plugins/perun-view-good.so
	expect_status 4 load view good
	expect_err 'is refused: it belongs to another user (uid 12345)'
else
	skip 'owner of plugins: needs root'
fi

# Every length of a truncated file gives an error, not a crash.
use good
size=$(stat -c %s "$modules/perun-view-good.so")
bad=0
for part in 0 1 10 63 64 100 300 1000 $((size / 4)) $((size / 2)) $((size * 3 / 4)); do
	head -c "$part" "$modules/perun-view-good.so" >plugins/perun-view-good.so
	run load view good
	[ "$status" -eq 4 ] || { bad=1; diag "length $part: status $status"; }
done
check 'truncated files are refused' [ "$bad" -eq 0 ]
head -c 1000 "$modules/perun-view-good.so" >plugins/perun-view-good.so
run load view good
expect_err 'truncated'
echo 'this is text' >plugins/perun-view-good.so
expect_status 4 load view good

use good
mv plugins/perun-view-good.so plugins/perun-view-other.so
expect_status 4 load view other
expect_err 'has no symbol perun_plugin_view_other'

use good
expect_status 4 load view god
expect_err 'no view called god; did you mean good? installed are: good'
expect_status 4 load collect nothing
expect_err 'no collector called nothing; none is installed'
run load command good
expect_text good "$out" 'finds the plugin that brings a command'
run load command bad
expect_text nobody "$out"

# Search order: the first of a name wins; relative directories are never searched.
use good
mkdir -p first && printf 'perun-plugin 1\nkind view\nname good\nsummary the first\n' >first/perun-view-good.plugin
cp "$modules/perun-view-good.so" first/
PERUN_PLUGIN_PATH=$PWD/first:$PWD/plugins run load list
expect_out 'view good: the first'
PERUN_PLUGIN_PATH=first run load list
expect_err 'first is left out: not an absolute path'
expect_no_out 'view good'
mkdir -p "$XDG_DATA_HOME/perun/plugins"
cp "$modules/perun-view-long.so" "$XDG_DATA_HOME/perun/plugins"
run load list
expect_out 'view long: a later one' "the user's directory is searched"

# Formats are found by probing.
use one two good
expect_status 3 load probe file xyz
expect_err 'may have format one or two'
expect_status 3 load probe file abc
expect_err 'unrecognized format'
use one two three
expect_status 0 load probe file xyz
expect_text three "$out" 'the surest format wins'
expect_status 0 load probe x.three xyz
expect_text three "$out"
use good
expect_status 4 load probe file xyz
expect_err 'no format is installed'

finish
