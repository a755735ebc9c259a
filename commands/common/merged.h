/* SPDX-License-Identifier: BSD-3-Clause */
/* Several profiles as one. */
#ifndef PERUN_COMMANDS_COMMON_MERGED_H
#define PERUN_COMMANDS_COMMON_MERGED_H

#include <perun/lib/lookup.h>

/*
 * Append the files that a pattern of the shell matches, in the order of their names: "old-*.pb.gz". None when it
 * matches nothing, or is the name of a file itself.
 */
void commands_lookup_add_pattern(struct perun_lookup *lookup, const char *pattern);
/*
 * The sum of the samples of some profiles, or with `mean` what they have on average. A profile that is alone need not have
 * stacks. PERUN_INPUT where one has no stacks. `*profile` is a new reference.
 */
int commands_load_merged(struct perun_ctx *ctx, struct perun_lookup *lookup,
			 const struct perun_place *const *places, size_t count, bool mean,
			 struct perun_profile **profile);
/*
 * Add to a profile of numbered repeats those of the others, of which `places` may name the profile itself: as if all had been
 * measured at once. `*joined` is false, and the profile as it was, where one of them has stacks, no numbered repeats, or says
 * how much they deviate in place of giving them all. `*profile` becomes another reference.
 */
int commands_join_repeats(struct perun_ctx *ctx, struct perun_lookup *lookup,
			  const struct perun_place *itself, const struct perun_place *const *places,
			  size_t count, struct perun_profile **profile, bool *joined);
/* The sum of all that were found. */
int commands_lookup_load_merged(struct perun_ctx *ctx, struct perun_lookup *lookup,
				struct perun_profile **profile);

#endif
