/* SPDX-License-Identifier: BSD-3-Clause */
/* Names for the addresses of profiles, by the postprocessor symbolize where it is installed. */
#ifndef COMMANDS_COMMON_SYMBOLIZE_H
#define COMMANDS_COMMON_SYMBOLIZE_H

#include <perun/profile.h>

struct commands_symbolizing {
	const char *const *binaries; /* programs and libraries, wherever they are now */
	size_t binary_count;
	const char *demangle; /* "full", "templates", "short" or "none"; NULL = full */
	bool force;           /* what has names, too */
	bool rename;          /* write the names that are there as `demangle` says */
	bool locate;          /* give addresses as the files have them, and the files' paths */
	bool quiet;           /* report only what stays without a name */
};

/* Whether the postprocessor is installed. */
bool commands_can_symbolize(void);
/* How many places of the profile have an address and no name. */
size_t commands_count_unnamed(const struct perun_profile *profile);

/*
 * Put a profile with names in the place of `*profile`, whose reference is taken over; on failure it stays. Names that are
 * not found are reported in one line and are not an error. PERUN_USAGE where the postprocessor is not installed.
 */
int commands_symbolize(struct perun_ctx *ctx, const struct commands_symbolizing *how,
		       struct perun_profile **profile);
/*
 * The same, quietly, for whatever shows a profile: where nothing lacks a name, or the postprocessor is not installed,
 * nothing happens.
 */
int commands_symbolize_for_view(struct perun_ctx *ctx, struct perun_profile **profile);
/*
 * The same for what is stored, whose document says so from then on: where no address gets a name, `*profile` stays. Whether
 * it was done to a profile.
 */
int commands_symbolize_for_store(struct perun_ctx *ctx, struct perun_profile **profile);
bool commands_was_symbolized(const struct perun_profile *profile);

#endif
