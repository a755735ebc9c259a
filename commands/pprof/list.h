/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions with their lines of source, for -list and -weblist. */
#ifndef PERUN_COMMAND_PPROF_LIST_H
#define PERUN_COMMAND_PPROF_LIST_H

#include "report.h"

/* What writes a list; `data` is that of pprof_list(). Texts are borrowed. */
struct pprof_lister {
	void (*no_source)(void *data, const char *function);
	void (*start)(void *data, const char *function, const char *file, int64_t flat,
		      int64_t cumulative);
	void (*error)(void *data, const char *text);
	void (*line)(void *data, int64_t number, const char *text, size_t length, int64_t flat,
		     int64_t cumulative);
	void (*end)(void *data);
};

/* Call the lister for each function that matches the pattern, by name, and each of its files. */
int pprof_list(struct pprof_report *report, const struct pprof_lister *lister, void *data);

#endif
