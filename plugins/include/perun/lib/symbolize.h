/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names for the addresses of profiles, by the postprocessor symbolize where it is installed.
 * Of the growing part of the interface: see perun/lib/version.h.
 */
#ifndef PERUN_LIB_SYMBOLIZE_H
#define PERUN_LIB_SYMBOLIZE_H

#include <perun/lib/version.h>
#include <perun/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

struct perun_symbolizing {
	uint32_t struct_size;
	const char *const *binaries; /* programs and libraries, wherever they are now */
	size_t binary_count;
	const char *demangle; /* "full", "templates", "short" or "none"; NULL = full */
	bool force;           /* what has names, too */
	bool quiet;           /* report only what stays without a name */
};

/* Whether the postprocessor is installed. */
PERUN_EXPORT bool perun_can_symbolize(void);
/* How many places of the profile have an address and no name. */
PERUN_EXPORT size_t perun_count_unnamed(const struct perun_profile *profile);

/*
 * Put a profile with names in the place of `*profile`, whose reference is taken over; on failure it stays. Names that are
 * not found are reported in one line and are not an error. PERUN_USAGE where the postprocessor is not installed. Any
 * thread may call it.
 */
PERUN_EXPORT int perun_symbolize(struct perun_ctx *ctx, const struct perun_symbolizing *how,
				 struct perun_profile **profile);
/*
 * The same, quietly, for whatever shows a profile: where nothing lacks a name, or the postprocessor is not installed,
 * nothing happens.
 */
PERUN_EXPORT int perun_symbolize_for_view(struct perun_ctx *ctx, struct perun_profile **profile);

#ifdef __cplusplus
}
#endif
#endif
