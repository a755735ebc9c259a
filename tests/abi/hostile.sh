# SPDX-License-Identifier: BSD-3-Clause
# Plugins that misbehave: each gets one clear line and the right exit code, and never stops the others.
. "${top_srcdir:-.}/tests/cli/lib.sh"

modules=$top_builddir/tests/abi/.libs
built=$top_builddir/plugins-built
# use NAME...: a fresh directory with these plugins comes first on the search path.
use() {
	rm -rf plugins && mkdir plugins && export PERUN_PLUGIN_PATH=$PWD/plugins:$built
	for name; do cp "$modules"/perun-*-"$name.so" plugins/; done
}
expect_line() { expect_text "perun: $1" "$err" "one line: $1"; }

printf '{"origin": "", "header": {"type": "time", "cmd": "x", "args": "", "workload": "w", "units": {"time": "s"}}, "collector_info": {"name": "time", "params": {}}, "postprocessors": [], "global": {"time": "1", "resources": [{"amount": 1.5, "uid": "main", "type": "time"}]}}' >one.perf
sed 's/1\.5/2.5/' one.perf >two.perf

# ---- what does not load ----
use major
expect_status 4 perun show one.perf major
expect_err 'perun-view-major.so is built for plugin interface 2.4, this perun has' 'wrong interface'
expect_one_line
use good
head -c 1000 "$modules/perun-view-good.so" >plugins/perun-view-good.so
expect_status 4 perun show one.perf good
expect_err 'perun-view-good.so: the file is truncated' 'truncated'
expect_one_line
use lazy
expect_status 4 perun show one.perf lazy
expect_err 'undefined symbol: function_that_nobody_has' 'undefined symbol'
expect_one_line
use tables
expect_status 4 perun show one.perf tables
expect_err "perun-view-tables.so: plugin view tables: option name 'Large'" 'tables are validated when a plugin is loaded'
expect_one_line
expect_status 4 perun plugin check tables

# ---- files that are none ----
use good
mkfifo plugins/perun-view-pipe.so
expect_status 4 timeout 20 "$PERUN" show one.perf pipe
expect_err 'perun-view-pipe.so: not a file' 'a FIFO does not hang'
expect_one_line
mkfifo plugins/perun-view-good.plugin
expect_status 3 timeout 20 "$PERUN" show one.perf good
expect_err 'nothing to show' 'nor one in place of a text'
rm plugins/perun-view-pipe.so plugins/perun-view-good.plugin
ln -s /dev/zero plugins/perun-view-zero.so
expect_status 4 timeout 20 "$PERUN" show one.perf zero
expect_err 'not a file' 'nor does a device'
expect_one_line

# ---- texts ----
use good
expect_status 0 perun plugin describe plugins/perun-view-good.so
printf '%s\n' "$out" >plugins/perun-view-good.plugin
expect_status 0 perun plugin check good
sed -i 's/^summary .*/summary another/' plugins/perun-view-good.plugin
expect_status 3 perun plugin check good
expect_out 'perun-view-good.plugin does not say what the plugin says'
expect_status 2 perun plugin describe "$PWD/good.so"
expect_err 'good.so is not called perun-KIND-NAME.so'
expect_one_line
expect_status 4 perun plugin describe plugins/perun-view-none.so
expect_err 'cannot load plugins/perun-view-none.so: No such file'

# ---- two of one name ----
use good
mkdir -p second && cp "$modules/perun-view-good.so" second/
export PERUN_PLUGIN_PATH=$PWD/plugins:$PWD/second:$built
expect_status 0 perun plugin check good
expect_out "$PWD/second/perun-view-good.so has the same name and is not used; $PWD/plugins/perun-view-good.so is"
expect_status 0 perun plugin check --json good
expect_out "\"$PWD/second/perun-view-good.so\""
expect_status 3 perun show one.perf good
expect_one_line

# ---- statuses ----
use status
rm -rf second
for number in 77 -2 5 131 256; do
	STATUS=$number expect_status 3 perun show one.perf status
	expect_err "view status returned $number without a reason"
done
expect_one_line
STATUS=3 expect_status 3 perun show one.perf status
expect_err 'view status returned 3 without a reason'
STATUS=4 expect_status 3 perun show one.perf status
expect_err 'view status returned 4 without a reason'
STATUS=1 expect_status 3 perun show one.perf status
expect_err 'view status returned 1 without a reason' 'a view finds no degradation'
STATUS=130 expect_status 3 perun show one.perf status
expect_err 'view status returned 130 without a reason' 'nobody interrupted'
STATUS=77 REASON='no such thing' expect_status 3 perun show one.perf status
expect_err 'view status returned 77: no such thing'
STATUS=4 REASON='no such thing' expect_status 4 perun show one.perf status
expect_err 'no such thing'
STATUS=0 expect_status 0 perun show one.perf status
expect_text '' "$err"
STATUS=1 expect_status 1 perun check --method status profiles one.perf two.perf
expect_out '1 slower' 'a check may report a degradation by its status'
STATUS=77 expect_status 3 perun check --method status profiles one.perf two.perf
expect_err 'check status returned 77 without a reason'
expect_one_line

# ---- columns ----
use uneven
echo uneven >file
FIRST=3 SECOND=3 ROWS=3 expect_status 0 perun show file raw
FIRST=3 SECOND=0 ROWS=3 expect_status 0 perun show file raw
FIRST=3 SECOND=2 ROWS=3 expect_status 3 perun show file raw
expect_err 'columns are uneven: SECOND of table resources has 2 of 3 cells'
expect_one_line
FIRST=3 SECOND=2 ROWS=2 expect_status 3 perun show file raw
expect_err 'columns are uneven: FIRST of table resources has 3 cells for 2 rows'
FIRST=3 SECOND=3 ROWS=0 expect_status 3 perun show file raw
expect_err 'has 3 cells for 0 rows'

# ---- crashes: the line, and the end by the signal (or by the sanitizer's report) ----
use crash
sanitized=$(printf %s "${SANITIZE-}" | grep -c sanitize)
# crash HOW SIGNAL WORDS
crash() {
	run env CRASH="$1" bash -c 'ulimit -c 0; ulimit -s 1024; exec "$0" show one.perf crash' "$PERUN"
	if [ "$sanitized" -gt 0 ]; then
		expect_err "perun: view crash ($PWD/plugins/perun-view-crash.so) crashed: $3"
	else
		check "$1: dies by signal $2" test "$status" -eq $((128 + $2))
		expect_line "view crash ($PWD/plugins/perun-view-crash.so) crashed: $3"
	fi
}
crash segv 11 'segmentation fault'
crash bus 7 'bus error'
crash fpe 8 'arithmetic error'
crash abrt 6 aborted
crash ill 4 'illegal instruction'
crash thread 11 'segmentation fault'
crash parallel 11 'segmentation fault'
[ "$sanitized" -gt 0 ] || crash stack 11 'segmentation fault'
for how in exit exit-thread; do
	CRASH=$how expect_status 3 perun show one.perf crash
	expect_line "view crash ($PWD/plugins/perun-view-crash.so) called exit(), which no plugin may"
done
CRASH=none expect_status 0 perun show one.perf crash
expect_text '' "$err"

# ---- who may put a plugin there ----
use good
refused() {
	expect_status 4 perun show one.perf good
	expect_status 0 perun plugin list
	expect_err "$1"
}
chmod o+w plugins && mkdir -m 755 plugins/inner && mv plugins/perun-view-good.so plugins/inner
PERUN_PLUGIN_PATH=$PWD/plugins/inner:$built
refused "$PWD/plugins/inner is refused: every user can write to $PWD/plugins on its way"
chmod o-w plugins
ln -s plugins/inner link
PERUN_PLUGIN_PATH=$PWD/link:$built expect_status 3 perun show one.perf good
chmod o+w plugins
PERUN_PLUGIN_PATH=$PWD/link:$built
refused "$PWD/link is refused: every user can write to $PWD/plugins on its way"
mkdir own && ln -s "$PWD/plugins/inner/perun-view-good.so" own/
PERUN_PLUGIN_PATH=$PWD/own:$built expect_status 4 perun show one.perf good
expect_err "own/perun-view-good.so is refused: every user can write to $PWD/plugins on its way"
chmod o-w plugins && chmod 1777 plugins
PERUN_PLUGIN_PATH=$PWD/own:$built expect_status 3 perun show one.perf good
expect_err 'nothing to show' 'the sticky bit keeps others from replacing it'
chmod 755 plugins
if [ "$(id -u)" -eq 0 ]; then
	chown -h 12345 own/perun-view-good.so
	PERUN_PLUGIN_PATH=$PWD/own:$built expect_status 4 perun show one.perf good
	expect_err 'it belongs to another user (uid 12345)' 'a link of another user is refused'
	chown 12345 plugins
	PERUN_PLUGIN_PATH=$PWD/plugins/inner:$built
	refused "$PWD/plugins on its way belongs to another user (uid 12345)"
	chown 0 plugins
else
	skip 'owner of links: needs root'
fi
ln -sfn around around
PERUN_PLUGIN_PATH=$PWD/around:$built expect_status 4 perun show one.perf good

# ---- without a text nothing is opened that is not needed ----
use seen
export SEEN=$PWD/opened
new_repo project >/dev/null
for line in 'init --vcs-type git' status log 'config get vcs.type' '--version' 'show ../one.perf raw' 'convert ../one.perf out.perf'; do
	run perun $line
	check "$line does not open it" test ! -e "$SEEN" -a "$status" -eq 0
done
for line in 'plugin list' help 'plugin check seen' look; do
	rm -f "$SEEN"
	expect_status 0 perun $line
	check "$line opens it" test -e "$SEEN"
done
finish
