/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the files are that a profile was made of: programs, libraries, what was split off them. */
#ifndef PERUN_COLLECTORS_BINARIES_H
#define PERUN_COLLECTORS_BINARIES_H

#include <perun/context.h>

struct binaries_wanted {
	const char *file;     /* as the profile names it, may be "" */
	const char *build_id; /* hexadecimal, may be "" */
	bool main;            /* it is the program itself */
};

/*
 * The path of a file that is the wanted one, the caller's to free; NULL = there is none. Where the profile has a build id,
 * no other file counts. Looked at are, in this order: the `given` ones, the folders of PPROF_BINARY_PATH
 * (~/pprof/binaries), the file itself, what was split off (/usr/lib/debug/.build-id), perf's cache (~/.debug), and
 * debuginfod where DEBUGINFOD_URLS is set. COLLECTORS_VDSO is found if it is that of the kernel that runs.
 */
char *binaries_find(const struct binaries_wanted *wanted, const char *const *given, size_t count);
/* Whether its code is where the file says, wherever the program was loaded; false: it is no such file. */
bool binaries_is_fixed(const char *path);

#endif
