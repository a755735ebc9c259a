/* SPDX-License-Identifier: BSD-3-Clause */
/* How large the stacks of a profile get as resources of Perun, before any of them is written. */
#include <string.h>

#include "writing.h"

static size_t length_of(const struct perun_profile *profile, perun_id text)
{
	size_t length = 0;

	perun_profile_string(profile, text, &length);
	return length;
}

/* What print_line() writes of a location at least: characters that JSON escapes take more. */
static uint64_t size_of(const struct perun_profile *profile, const struct perun_location *location)
{
	static const char without[] = "{\"func\": \"\"}";
	static const char with[] = "{\"function\": \"\", \"source\": \"\", \"line\": 0}";
	uint64_t size = location->line_count ? 0 : sizeof without - 1;

	for (uint32_t i = 0; i < location->line_count; i++) {
		const struct perun_function *function =
			perun_profile_function(profile, location->lines[i].function);
		size_t file = function ? length_of(profile, function->file) : 0;

		size += file ? file + sizeof with - 1 : sizeof without - 1;
		size += function ? length_of(profile, function->name) : 0;
	}
	return size;
}

static uint64_t *sizes_of_locations(const struct perun_profile *profile)
{
	size_t count = perun_profile_locations(profile);
	uint64_t *sizes = perun_alloc((count + 1) * sizeof *sizes);
	struct perun_location_room room;

	for (size_t i = 0; i < count; i++)
		sizes[i] = size_of(profile, perun_profile_location_in(profile, (perun_id)i, &room));
	return sizes;
}

uint64_t perunjson_expanded_size(struct perun_ctx *ctx, const struct perun_profile *profile,
				 const struct perun_column *stacks, uint64_t limit)
{
	size_t rows = stacks ? perun_table_rows(perun_resources(profile)) : 0;
	uint64_t *seen = perun_alloc_zero(perun_profile_stacks(profile) / 64 + 1, sizeof *seen);
	uint64_t *sizes = sizes_of_locations(profile), sum = 0;

	for (size_t row = 0; row < rows && sum <= limit; row++) {
		perun_id id = perun_column_id(stacks, row);
		const perun_id *locations;
		size_t count;

		if (row % 4096 == 0 && perun_cancelled(ctx))
			break;
		if (id == PERUN_NO_ID || perun_bit(seen, id) ||
		    perun_metric_of_row(profile, row, 0) == SIZE_MAX)
			continue;
		seen[id / 64] |= UINT64_C(1) << id % 64;
		locations = perun_profile_stack(profile, id, &count);
		for (size_t i = 0; i < count && sum <= limit; i++)
			sum += sizes[locations[i]];
	}
	perun_free(sizes);
	perun_free(seen);
	return sum;
}
