/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile from a program that runs, by HTTP. */
#ifndef COMMANDS_FETCH_PROFILE_DOWNLOAD_H
#define COMMANDS_FETCH_PROFILE_DOWNLOAD_H

#include <perun/context.h>

struct download {
	const char *url;
	long timeout;   /* seconds */
	uint64_t limit; /* bytes */
};
/* Where a profile is asked for. */
struct endpoint {
	char *url;
	char *name;    /* the last part of its path: "profile", "heap" ... */
	char *address; /* host and port, without user and password */
	long seconds; /* for how long the program was asked to measure; 0 = for as long as it likes */
};
/*
 * A host and a port alone, or their /debug/pprof, are asked for a profile of the processor time. `seconds` becomes a part
 * of the address; 0 = what that says itself, if anything. Free with endpoint_free(), also after a failure.
 */
int endpoint_parse(struct perun_ctx *ctx, const char *url, long seconds, struct endpoint *endpoint);
void endpoint_free(struct endpoint *endpoint);
/* Write what the server sends to a new file. PERUN_INPUT for anything but a whole answer with status 200. */
int download_run(struct perun_ctx *ctx, const struct download *download, const char *path);

#endif
