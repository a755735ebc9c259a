/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a user can do about a failure or a warning of the library. The library says what is the case and knows neither the
 * commands nor the options of its host; a host that has some says here which of them help. Of the growing part of the
 * interface: see perun/lib/version.h.
 *
 * Threads: perun_advice_set() is called before other threads call the library.
 */
#ifndef PERUN_LIB_ADVICE_H
#define PERUN_LIB_ADVICE_H

#include <perun/lib/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each appears at the end of a message, after the words in quotes. */
enum perun_advice {
	PERUN_ADVICE_NONE,
	/* Of input: */
	PERUN_ADVICE_NAME_FORMAT, /* "may have format A or B" */
	PERUN_ADVICE_IMPORT_OUTPUT, /* "compressed with xz: xz -dc FILE": the program's output can be read */
	PERUN_ADVICE_READ_TABLE,     /* "a table with the columns X, Y" */
	PERUN_ADVICE_READ_LIST,      /* "JSON, a list with the keys X, Y, which no reader knows" */
	PERUN_ADVICE_IMPORT_FILE,    /* "'go bench >FILE' writes FILE"; the name FILE follows */
	PERUN_ADVICE_MISSING_POINTS, /* "measured at 3 of 5 points" */
	PERUN_ADVICE_LIST_OPTIONS,   /* "unknown option X" */
	PERUN_ADVICE_HELP,           /* "X has no variant Y"; the name X follows */
	/* Of measuring: */
	PERUN_ADVICE_GIVE_COMMAND,    /* "the collector needs a command" */
	PERUN_ADVICE_USE_SHELL,       /* "'|' is passed to the program as an argument" */
	PERUN_ADVICE_ACCEPT_FAILURE,  /* "X exited with 3"; more may follow */
	PERUN_ADVICE_MORE_RESOURCES,  /* "it has sums, not single allocations" */
	PERUN_ADVICE_HELP_COLLECTORS, /* "How to measure: collectors and their parameters" */
	PERUN_ADVICE_OTHER_METRIC,    /* "X of a run cannot be measured on this machine" */
	PERUN_ADVICE_COPY_FILES, /* "X is not there: each version runs in a directory of its own" */
	PERUN_ADVICE_BUILD_VERSION,   /* the same of a program */
	PERUN_ADVICE_IN_PLACE,        /* "cannot measure a version elsewhere" */
	PERUN_ADVICE_MEASURE_VERSION, /* "the profiles will count as measured at X" */
	PERUN_ADVICE_RESUME,          /* "3 of 5 profiles are kept" */
	PERUN_ADVICE_RESUMABLE,       /* "a run of the same was interrupted after 3 measurements" */
	PERUN_ADVICE_BUILD,           /* "version X is not built"; RUN:NUMBER follows */
	PERUN_ADVICE_RECOVER,         /* "an interrupted run left X at another version" */
	/* Of the store: */
	PERUN_ADVICE_INIT,            /* "there is no .perun in X" */
	PERUN_ADVICE_INIT_WRITES,     /* "X does not say vcs.type" */
	PERUN_ADVICE_INIT_MAKES,      /* "the directory is missing" */
	PERUN_ADVICE_STATUS,          /* "no profile X" */
	PERUN_ADVICE_FORCE_ADD,       /* "it was measured at X, not at Y" */
	PERUN_ADVICE_FSCK,            /* "the index has two entries X" */
	PERUN_ADVICE_FSCK_OR_COPY,    /* "X is damaged; take it from a copy" */
	PERUN_ADVICE_ADOPT,           /* "the index of X was changed by another program" */
	PERUN_ADVICE_ADOPT_CHECKSUMS, /* "its file of checksums is damaged" */
	PERUN_ADVICE_GC,              /* "left by an interrupted command" */
	PERUN_ADVICE_GC_OBJECT,       /* "it is empty; add its profile again" */
	PERUN_ADVICE_FETCH_HISTORY,   /* "the history is shallow: it is cut off at X" */
	PERUN_ADVICE_CHECK_VERSION,   /* "histories follow first parents" */
	/* Of settings: */
	PERUN_ADVICE_LIST_SETTINGS, /* "there is no setting X" */
	PERUN_ADVICE_LIST_CHECKS,   /* "none of the configured check methods is installed" */
	PERUN_ADVICE_EDIT_SETTINGS, /* "list them under cmds in .perun/local.yml" */
	PERUN_ADVICE_MOVED,         /* "vcs.url is X, but the store lies in Y" */
	PERUN_ADVICE_TRUST, /* "you have not trusted this configuration, which can run commands" */
	PERUN_ADVICE_TRUST_OWNER, /* "X belongs to Y and is not used"; the directory follows */
	PERUN_ADVICES
};

/*
 * The words of the host for each advice, with what separates them from the message: "; see perun status". A NULL among
 * them and those from `count` on have no words, as all are before the first call. Borrowed until the next call.
 */
PERUN_EXPORT void perun_advice_set(const char *const words[], size_t count);

/* The words of the host, "" where it has none. */
PERUN_EXPORT const char *perun_advice(enum perun_advice advice);

#ifdef __cplusplus
}
#endif
#endif
