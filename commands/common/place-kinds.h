/* SPDX-License-Identifier: BSD-3-Clause */
/* Which profiles of two versions measured the same. */
#ifndef PERUN_COMMANDS_COMMON_PLACE_KINDS_H
#define PERUN_COMMANDS_COMMON_PLACE_KINDS_H

#include <perun/lib/lookup.h>

/* Places of one side, each with the key of its entry (see perun_entry_key()). */
struct commands_places {
	struct perun_lookup *lookup;
	const struct perun_place **places;
	uint64_t *keys;
	size_t count;
};

/*
 * Profiles of the processor and of the heap may have one name, command and collector. Where a side has several profiles
 * with one key, what they have of it on both sides is made another one by their leading metrics.
 */
int commands_distinguish_places(struct perun_ctx *ctx, struct commands_places *one,
				struct commands_places *other);
/* Those that measured the same as one of them, itself as well: an array for the caller to free. */
const struct perun_place **commands_places_like(const struct commands_places *places,
						const struct perun_place *place, size_t *count);
/* Of profiles of a version that measured the same keep only the newest. Returns how many are left. */
size_t commands_keep_newest(struct commands_places *side);
/* A key of the metric that a profile leads with, never 0. */
uint64_t commands_leading_metric_key(const struct perun_profile *profile);
/* Append ": cpu", where the profile has a metric. */
void commands_add_leading_metric(struct perun_buffer *out, const struct perun_profile *profile);

#endif
