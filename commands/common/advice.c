/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands/common/advice.h"

/* Which commands and options help, as they appear at the end of the library's messages. */
static const char *const words[PERUN_ADVICES] = {
	[PERUN_ADVICE_NAME_FORMAT] = ": name the right one with --from",
	[PERUN_ADVICE_IMPORT_OUTPUT] = " | perun import -",
	[PERUN_ADVICE_READ_TABLE] = " (--from table reads it, import --history if it has commits)",
	[PERUN_ADVICE_READ_LIST] = " (--from table reads lists of objects)",
	[PERUN_ADVICE_IMPORT_FILE] = "; keep that with perun import ",
	[PERUN_ADVICE_MISSING_POINTS] = " (--allow-missing models what is there)",
	[PERUN_ADVICE_LIST_OPTIONS] = "; --help lists the options",
	[PERUN_ADVICE_HELP] = ": see perun help ",
	[PERUN_ADVICE_GIVE_COMMAND] = ": give one with --cmd",
	[PERUN_ADVICE_USE_SHELL] = "; --shell runs the line with a shell",
	[PERUN_ADVICE_ACCEPT_FAILURE] = " (--ignore-status accepts that)",
	[PERUN_ADVICE_MORE_RESOURCES] = "; perun collect memory --limit N keeps up to N of them",
	[PERUN_ADVICE_COPY_FILES] =
		"; give an absolute path (execute.files copies those of the repository)",
	[PERUN_ADVICE_BUILD_VERSION] =
		", and execute.pre_run (perun compare: --build) does not build it",
	[PERUN_ADVICE_HELP_COLLECTORS] = " ('perun help collect')",
	[PERUN_ADVICE_OTHER_METRIC] = "; --metric real can",
	[PERUN_ADVICE_IN_PLACE] = " (--in-place measures it in your own work tree)",
	[PERUN_ADVICE_MEASURE_VERSION] = " (--minor-version HEAD measures that one itself)",
	[PERUN_ADVICE_RESUME] = "; the same command with --resume goes on",
	[PERUN_ADVICE_RESUMABLE] = "; --resume would have gone on with it",
	[PERUN_ADVICE_BUILD] = "; it is built by perun run --build ",
	[PERUN_ADVICE_RECOVER] = "; perun recover puts it right",
	[PERUN_ADVICE_INIT] = "; 'perun init' makes one",
	[PERUN_ADVICE_INIT_WRITES] = "; 'perun init' writes it",
	[PERUN_ADVICE_INIT_MAKES] = "; 'perun init' makes it",
	[PERUN_ADVICE_STATUS] = "; see perun status",
	[PERUN_ADVICE_FORCE_ADD] = "; --minor names another version, --force adds it anyway",
	[PERUN_ADVICE_FSCK] = "; see perun fsck",
	[PERUN_ADVICE_FSCK_OR_COPY] = ", or run perun fsck",
	[PERUN_ADVICE_ADOPT] = "; perun fsck --adopt accepts it",
	[PERUN_ADVICE_ADOPT_CHECKSUMS] = "; perun fsck --adopt writes it again",
	[PERUN_ADVICE_GC] = "; perun gc removes it",
	[PERUN_ADVICE_GC_OBJECT] = ", or perun gc removes it if nothing names it",
	[PERUN_ADVICE_FETCH_HISTORY] = " (with git, git fetch --unshallow brings the rest)",
	[PERUN_ADVICE_CHECK_VERSION] = "; perun check head REV compares one of them",
	[PERUN_ADVICE_LIST_SETTINGS] = "; perun config list shows all",
	[PERUN_ADVICE_LIST_CHECKS] = "; perun plugin list check shows those that are",
	[PERUN_ADVICE_EDIT_SETTINGS] = " (perun config edit)",
	[PERUN_ADVICE_MOVED] = "; if it was moved: perun config --local set vcs.url ..",
	[PERUN_ADVICE_TRUST] = "; 'perun trust' shows them and asks",
	[PERUN_ADVICE_TRUST_OWNER] = "; if you trust it: perun config --user --add safe.store ",
};

void commands_advise(void)
{
	perun_advice_set(words, sizeof words / sizeof *words);
}
