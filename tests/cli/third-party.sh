# SPDX-License-Identifier: BSD-3-Clause
# A third party builds plugins and a program against an installed copy, outside of the tree, and uses
# them.
. "${top_srcdir:-.}/tests/cli/lib.sh"

command -v pkg-config >/dev/null || skip_all 'pkg-config is missing'
[ -e "$top_builddir/core/.libs/libperun.so" ] || skip_all 'a static build has no library to link with'

# `make check` installed it there before any test.
installed=$top_builddir/tests/installed
prefix=$(sed -n 's/^prefix = //p' "$top_builddir/Makefile")
check 'make install DESTDIR=...' test -e "$installed/stamp" || finish

# pkg-config's view of the installed copy; its paths begin with the prefix.
pc=$(find "$installed" -name perun.pc)
check 'perun.pc is installed' test -n "$pc"
sed "s|$prefix|$installed$prefix|g" "$pc" >"$work/perun.pc"
export PKG_CONFIG_PATH=$work
library=$(dirname "$(dirname "$pc")")
export LD_LIBRARY_PATH=$library
check 'plugins are installed without .la files' test -z "$(find "$library/perun" -name '*.la')"
doc=$(find "$installed" -type d -path '*/doc/perun')
check 'documents and examples are installed' test -s "$doc/README.md" -a -s "$doc/doc/tutorial.md" -a -s "$doc/NEWS"
check 'plugins are installed with their texts' test -n "$(find "$installed" -name '*.plugin')"

# build NAME: copy an example, make it there.
build() {
	cp -r "$doc/examples/$1" "$work/$1" && chmod -R u+w "$work/$1" &&
		MAKEFLAGS= make -C "$work/$1" ${CC:+CC="$CC"} \
			CFLAGS="-O1 -Wall -Wextra -Werror ${SANITIZE-}" >"$work/$1.log" 2>&1 || {
		sed 's/^/# /' "$work/$1.log"
		return 1
	}
}
check 'the example command builds' build command
check 'the example format builds' build format
check 'the example vcs builds' build vcs
check 'the example program builds' build program

export PERUN_PLUGIN_PATH=$work/command:$work/format:$work/vcs:$top_builddir/plugins-built
expect_status 0 perun plugin check csv
expect_status 0 perun plugin check tagit
expect_status 0 perun plugin check command-tally
expect_status 0 perun plugin describe csv
expect_out 'name csv'
expect_status 0 perun plugin list
expect_out csv
expect_out tagit

# The format: from CSV to a Perun profile and back.
printf 'uid,amount,type\nmain,3,time\nf,0.5,time\n"a, ""b""",7,time\n' >in.csv
expect_status 0 perun convert --to perun in.csv out.perf
expect_status 0 perun convert --to csv out.perf back.csv
tr -d '\r' <back.csv >back.txt
check 'a name with quotes and a comma survives' grep -q '"a, ""b"""' back.txt
check 'as many lines as before' test "$(wc -l <back.txt)" -eq 4
printf 'uid,amount\nmain,3,4\n' >bad.csv
expect_status 3 perun convert --to perun bad.csv bad.perf
expect_err 'line 2'
expect_one_line
check 'nothing is written' test ! -e bad.perf

# The vcs, in a project without git, and its own command.
mkdir project && cd project || exit 1
expect_status 0 perun init --vcs-type tagit
expect_status 0 perun tagit add v1 -m 'first release'
expect_status 0 perun collect -c true time --warmup 0 --repeat 2
expect_status 0 perun add 0@p
mkdir -p releases/v2 && echo new >releases/v2/file
expect_status 0 perun tagit add v2 -m 'second release' --directory releases/v2
expect_status 0 perun tagit list
expect_out '* '
expect_status 0 perun log
expect_out 'v2: second release'
expect_out '1 tracked profile (1 time)'
expect_status 0 perun collect -m v2 -c 'cat file' time --warmup 0 --repeat 2
expect_status 0 perun add 0@p --minor v2
expect_status 0 perun status
expect_out '1 tracked profile (1 time)'
expect_status 2 perun tagit add v2
expect_err 'already'
expect_status 0 perun help
expect_out tagit

# The command has its options parsed, its help and its completion made, as those of perun itself.
expect_status 0 perun tally
expect_out '     1 time'
expect_status 0 perun tally v1 --by=cmd
expect_out '     1 true'
expect_status 2 perun tally --by colour
expect_err "colour"
expect_status 0 perun tally --help
expect_out 'Usage: perun tally'
expect_status 0 perun help --text tally
expect_out '--by'
expect_status 0 perun complete-words tally --by ''
expect_out collector
expect_status 2 perun taly
expect_err 'did you mean tally?'
mkdir "$work/elsewhere" && cd "$work/elsewhere" || exit 1
expect_status 2 perun tally
expect_err 'perun init'
cd - >/dev/null || exit 1

# The program prints the largest resources of the newest profile.
expect_status 0 "$work/program/largest"
expect_out 'cat file'

# One program compares two directories with the growing part of the library.
mkdir -p base head && echo 'sleep 0.01' >base/run && echo 'sleep 0.05' >head/run
expect_status 1 "$work/program/interleaved" base head sh run
expect_out 'sh run: slower by '
expect_status 2 "$work/program/interleaved" base
expect_err 'usage:'

# Another one prints a history with its changes.
expect_status 0 "$work/program/history" 'time(real)'
expect_out 'time(real) of cat file'
expect_status 2 "$work/program/history" nothing
expect_err 'has a profile with the metric nothing'

# Another one checks a version, and keeps what it finds.
expect_status 5 "$work/program/check"
expect_err 'check: nothing was compared'
expect_status 0 perun collect -m v2 -c true time --warmup 0 --repeat 2
expect_status 0 perun add 0@p --minor v2
run "$work/program/check" v2
expect_out ' compared, '

# Another one runs a plan, and goes on with it after it was interrupted.
cat >slow.sh <<'SH'
#!/bin/sh
echo "$1" >>../ran
if [ "$1" = three ] && [ ! -e ../again ]; then sleep 30; fi
SH
chmod +x slow.sh
"$work/program/plan" ./slow.sh one two three >../plan.out 2>../plan.err &
planned=$!
while kill -0 $planned 2>/dev/null && ! grep -q three ../ran 2>/dev/null; do sleep 0.05; done
kill -TERM $planned
wait $planned
check 'an interrupted plan has the status of that' test $? -eq 130
check 'it says what is kept' grep -q '2 of 3 profiles are kept' ../plan.err
: >../ran
: >../again
expect_status 0 "$work/program/plan" ./slow.sh one two three
expect_out '2 finished before'
expect_out './slow.sh three: '
check 'what was finished is not measured again' sh -c '! grep -q one ../ran'

# The example vcs has no recover(): perun keeps a journal of what is put aside. Killed while measuring in place:
expect_text v2 "$(perun tagit list | sed -n 's/^[*] [0-9a-f]* \([^ ]*\).*/\1/p')" 'the head is v2'
rm -f ../started
"$PERUN" run -m v1 --in-place job -b 'sh -c "touch ../started; sleep 30"' -c time >/dev/null 2>&1 &
victim=$!
while kill -0 $victim 2>/dev/null && [ ! -e ../started ]; do sleep 0.05; done
kill -KILL $victim
wait $victim 2>/dev/null
expect_text v1 "$(perun tagit list | sed -n 's/^[*] [0-9a-f]* \([^ ]*\).*/\1/p')" 'the head is v1'
expect_status 3 perun run -m v1 --in-place job -b true -c time
expect_err 'perun recover puts it right'
expect_status 0 perun recover
expect_out 'is back'
expect_text v2 "$(perun tagit list | sed -n 's/^[*] [0-9a-f]* \([^ ]*\).*/\1/p')" 'the head is v2'
expect_status 0 perun recover
expect_out 'nothing was left behind'

# init asks every vcs plugin, and takes the innermost repository.
mkdir -p inside && cd inside || exit 1
expect_status 0 perun init --json
expect_out '"vcs_type": "tagit"'
cd .. && rm -r inside

# A check of whole histories.
mkdir "$work/check"
cat >"$work/check/last.c" <<'EOF'
#include <perun/check.h>
#include <perun/query.h>

static int last_series(void *instance, struct perun_ctx *ctx, struct perun_profile *history,
		       struct perun_report *report)
{
	const struct perun_table *resources = perun_resources(history);
	const struct perun_column *version = perun_table_column(resources, "version");
	size_t count, versions = perun_table_rows(perun_profile_table(history, "versions"));
	const struct perun_metric *metric = perun_metrics(history, &count)[0];
	double last = 0;

	(void)instance;
	(void)ctx;
	for (size_t row = 0; row < perun_table_rows(resources); row++)
		if (perun_column_double(version, row) + 1 == (double)versions)
			last = perun_column_double(metric->values, row);
	struct perun_change change = {.struct_size = sizeof change,
				      .result = last > 5 ? PERUN_RESULT_DEGRADATION : PERUN_RESULT_NO_CHANGE,
				      .location = "all",
				      .metric = metric->name,
				      .explanation = "more than five"};
	perun_report_add(report, &change);
	return PERUN_OK;
}

static const struct perun_check_ops last_ops = {.series = last_series};

PERUN_PLUGIN(check, last) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_CHECK, "last", "whether the last version is too slow"),
	.version = "1",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPS(last_ops),
};
EOF
sed 's/perun-format-csv/perun-check-last/g; s/csv\.o/last.o/g' "$work/format/Makefile" >"$work/check/Makefile"
check 'a check of histories builds' env MAKEFLAGS= make -C "$work/check" ${CC:+CC="$CC"} \
	CFLAGS="-O1 -Wall -Wextra -Werror ${SANITIZE-}" perun-check-last.so
PERUN_PLUGIN_PATH=$work/check:$PERUN_PLUGIN_PATH
printf '[1, 2, [3, 4], 6]' >series.json
expect_status 1 perun check --method last series series.json
expect_out '    more than five'
expect_status 0 perun check --json --method last series --from HEAD
expect_out '"changes": []'
printf '[1, 2, 3, 4]' >series.json
expect_status 0 perun check --method last series series.json
expect_out 'no changes found'
expect_status 2 perun check --method shift series series.json
expect_err 'not at whole histories'

# What a command prints before it fails is seen.
mkdir "$work/fails"
cat >"$work/fails/fails.c" <<'EOT'
#include <perun/command.h>

static int run(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	perun_output_text(call->output, "so far\n");
	return perun_fail(ctx, PERUN_INPUT, "no further");
}

static const struct perun_command commands[] = {{.name = "fails", .summary = "fails", .run = run}, {0}};

PERUN_PLUGIN(command, fails) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COMMAND, "fails", "a command that fails"),
	.version = "1",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_COMMANDS(commands),
};
EOT
sed 's/perun-format-csv/perun-command-fails/g; s/csv\.o/fails.o/g' "$work/format/Makefile" >"$work/fails/Makefile"
check 'a command that fails builds' env MAKEFLAGS= make -C "$work/fails" ${CC:+CC="$CC"} \
	CFLAGS="-O1 -Wall -Wextra -Werror ${SANITIZE-}" perun-command-fails.so
PERUN_PLUGIN_PATH=$work/fails:$PERUN_PLUGIN_PATH
expect_status 3 perun fails
expect_out 'so far'
expect_err 'no further'

# The installed command runs its installed plugins.
expect_status 0 env -u PERUN_PLUGIN_PATH PERUN_PLUGIN_PATH="$(find "$installed" -type d -name perun -path '*lib*' | head -n 1)" \
	"$installed$prefix/bin/perun" plugin list
expect_out time

finish
