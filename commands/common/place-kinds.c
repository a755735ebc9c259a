/* SPDX-License-Identifier: BSD-3-Clause */
/* Which profiles of two versions measured the same. */
#include <config.h>

#include <string.h>

#include <perun/lib/compare.h>
#include <perun/lib/hash.h>

#include "commands/common/place-kinds.h"

static bool has_several(const struct commands_places *side, uint64_t key)
{
	size_t count = 0;

	for (size_t i = 0; i < side->count; i++)
		count += side->keys[i] == key;
	return count > 1;
}

static const char *leading_metric(const struct perun_profile *profile)
{
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);

	return count ? metrics[0]->name : NULL;
}

void commands_add_leading_metric(struct perun_buffer *out, const struct perun_profile *profile)
{
	if (leading_metric(profile))
		perun_buffer_printf(out, ": %s", leading_metric(profile));
}

uint64_t commands_leading_metric_key(const struct perun_profile *profile)
{
	const char *metric = leading_metric(profile);

	return metric ? perun_hash_number(perun_fnv1a(metric, strlen(metric), 1)) | 1 : 1;
}

/* The key with the leading metric of the profile. */
static int refine(struct perun_ctx *ctx, const struct commands_places *side, size_t i,
		  uint64_t *key)
{
	struct perun_profile *profile;
	int status = perun_lookup_load(ctx, side->lookup, side->places[i], &profile);

	if (status)
		return status;
	*key = side->keys[i];
	if (leading_metric(profile))
		*key = perun_fnv1a(leading_metric(profile), strlen(leading_metric(profile)),
				   perun_hash_number(*key));
	perun_profile_unref(profile);
	return PERUN_OK;
}

int commands_distinguish_places(struct perun_ctx *ctx, struct commands_places *one,
				struct commands_places *other)
{
	struct commands_places *sides[2] = {one, other};
	uint64_t *refined[2] = {perun_alloc_zero(one->count + 1, sizeof **refined),
				perun_alloc_zero(other->count + 1, sizeof **refined)};
	int status = PERUN_OK;

	for (size_t s = 0; s < 2; s++) {
		for (size_t i = 0; i < sides[s]->count && !status; i++) {
			uint64_t key = refined[s][i] = sides[s]->keys[i];

			if (has_several(one, key) || has_several(other, key))
				status = refine(ctx, sides[s], i, &refined[s][i]);
		}
	}
	for (size_t s = 0; s < 2; s++) {
		memcpy(sides[s]->keys, refined[s], sides[s]->count * sizeof **refined);
		perun_free(refined[s]);
	}
	return status;
}

static bool are_alike(const struct perun_entry *one, const struct perun_entry *other)
{
	return perun_entries_compatible(one, other) && perun_entries_compatible(other, one);
}

const struct perun_place **commands_places_like(const struct commands_places *places,
						const struct perun_place *place, size_t *count)
{
	const struct perun_place **like = perun_alloc_zero(places->count + 1, sizeof *like);
	size_t at = 0;

	while (at < places->count && places->places[at] != place)
		at++;
	*count = 0;
	for (size_t i = 0; at < places->count && i < places->count; i++) {
		if (places->keys[i] == places->keys[at] &&
		    are_alike(place->entry, places->places[i]->entry))
			like[(*count)++] = places->places[i];
	}
	return like;
}

size_t commands_keep_newest(struct commands_places *side)
{
	size_t found = side->count;

	side->count = 0;
	for (size_t i = 0; i < found; i++) {
		const struct perun_place *place = side->places[i];
		size_t k = 0;

		while (k < side->count && !(side->keys[k] == side->keys[i] &&
					    are_alike(side->places[k]->entry, place->entry)))
			k++;
		side->keys[k] = side->keys[i];
		if (k == side->count || place->entry->time > side->places[k]->entry->time)
			side->places[k] = place;
		side->count += k == side->count;
	}
	return side->count;
}
