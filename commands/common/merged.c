/* SPDX-License-Identifier: BSD-3-Clause */
/* Several profiles as one. */
#include <config.h>

#include <glob.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/history.h>
#include <perun/lib/merge.h>

#include "commands/common/merged.h"
#include "commands/common/symbolize.h"
#include "views/common/data.h"
#include "views/common/repeats.h"

void commands_lookup_add_pattern(struct perun_lookup *lookup, const char *pattern)
{
	glob_t found = {0};

	/* Names of profiles have brackets. */
	if (strpbrk(pattern, "*?[") && access(pattern, F_OK) != 0 &&
	    glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			perun_lookup_add_file(lookup, found.gl_pathv[i]);
	}
	globfree(&found);
}

/*
 * With names for its addresses, which belong to the binaries of this profile alone, and with the traces of Perun's own
 * collectors as stacks, which a merge would leave out.
 */
static int load_place(struct perun_ctx *ctx, struct perun_lookup *lookup,
		      const struct perun_place *place, struct perun_profile **profile)
{
	struct perun_profile *loaded = NULL;
	int status = perun_lookup_load(ctx, lookup, place, &loaded);

	if (!status)
		status = commands_symbolize_for_view(ctx, &loaded);
	if (!status)
		status = views_traces_to_stacks(ctx, loaded, profile);
	perun_profile_unref(loaded);
	return status;
}

struct merging {
	struct perun_lookup *lookup;
	const struct perun_place *const *places;
	bool mean;
	struct perun_json
		*samples; /* mean: what a sample of the first adds to each of its metrics */
};

static const char *place_name(void *data, size_t i)
{
	const struct merging *merging = data;

	return merging->places[i]->name;
}

static struct perun_json *samples_of(const struct perun_profile *profile)
{
	struct perun_json *samples = perun_json_object();
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);

	for (size_t i = 0; i < count; i++) {
		double sample;

		if (perun_noise_of(profile, metrics[i], &sample) == PERUN_NOISE_SAMPLED)
			perun_json_set(samples, metrics[i]->name, perun_json_double(sample));
	}
	return samples;
}

static int read_place(struct perun_ctx *ctx, size_t i, void *data, struct perun_profile **profile)
{
	struct merging *merging = data;
	int status = load_place(ctx, merging->lookup, merging->places[i], profile);

	if (!status && !perun_profile_stacks(*profile))
		return perun_fail(ctx, PERUN_INPUT, "%s has no stacks to merge",
				  place_name(data, i));
	if (!status && merging->mean && !merging->samples)
		merging->samples = samples_of(*profile);
	return status;
}

static struct perun_json *member(struct perun_json *object, const char *name)
{
	struct perun_json *found = perun_json_get(object, name);

	if (found)
		return found;
	found = perun_json_object();
	perun_json_set(object, name, found);
	return found;
}

/* A sample of one of several profiles is worth less in their mean: what makes chance smaller. */
static void divide_samples(struct perun_builder *builder, const struct perun_json *samples,
			   size_t count)
{
	struct perun_json *document = perun_builder_document(builder);
	struct perun_json *header = perun_json_get(document, "header");
	int64_t period;

	for (size_t i = 0; i < perun_json_count(samples); i++) {
		double sample = 0;

		perun_json_as_double(perun_json_at(samples, i), &sample);
		perun_json_set(
			member(member(document, "metrics"), perun_json_key_at(samples, i, NULL)),
			"sample", perun_json_double(sample / (double)count));
	}
	if (perun_json_as_int64(perun_json_get(header, "period"), &period) &&
	    period > (int64_t)count)
		perun_json_set(header, "period", perun_json_int64(period / (int64_t)count));
}

/* Values become fractions: what occurs once in three profiles is a third. Metrics may share a column. */
static int divide(struct perun_ctx *ctx, const struct perun_json *samples, size_t count,
		  struct perun_profile **profile)
{
	struct perun_builder *builder = perun_builder_from(*profile);
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	size_t rows = perun_table_rows(perun_resources(*profile)), metrics;
	const struct perun_metric *const *list = perun_metrics(*profile, &metrics);
	const struct perun_column *before = NULL;
	double *values = perun_alloc((rows + 1) * sizeof *values);
	struct perun_profile *divided = NULL;
	int status;

	for (size_t i = 0; i < metrics; i++) {
		const struct perun_column *column = list[i]->values;

		if (column == before)
			continue;
		for (size_t row = 0; row < rows; row++)
			values[row] = perun_column_double(column, row) / (double)count;
		perun_column_replace_present(
			perun_table_find_column(table, perun_column_info(column)->name), values);
		before = column;
	}
	perun_free(values);
	divide_samples(builder, samples, count);
	status = perun_builder_finish(ctx, builder, &divided);
	perun_profile_unref(*profile);
	*profile = divided;
	return status;
}

int commands_load_merged(struct perun_ctx *ctx, struct perun_lookup *lookup,
			 const struct perun_place *const *places, size_t count, bool mean,
			 struct perun_profile **profile)
{
	struct merging merging = {.lookup = lookup, .places = places, .mean = mean};
	int status;

	if (count == 1)
		return load_place(ctx, lookup, places[0], profile);
	status = perun_merge_each(ctx, count, read_place, place_name, &merging, 0, profile);
	if (!status && mean)
		status = divide(ctx, merging.samples, count, profile);
	perun_json_free(merging.samples);
	return status;
}

static bool are_repeats(const struct perun_profile *profile)
{
	return !perun_profile_stacks(profile) &&
	       !perun_json_get(perun_profile_document(profile), "deviations") &&
	       views_has_repeats(perun_resources(profile));
}

/* The number of the last repeat. */
static int64_t last_repeat(const struct perun_profile *profile)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *order = perun_table_column(table, "order");
	double last = 0;

	for (size_t row = 0; row < perun_table_rows(table); row++) {
		if (!perun_column_absent(order, row))
			last = fmax(last, perun_column_double(order, row));
	}
	return last < 1e15 ? (int64_t)last : 0;
}

/* Append the rows of a profile; its repeats go on from `after`. */
static void append_repeats(struct perun_builder *builder, struct perun_profile *other,
			   int64_t after)
{
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	const struct perun_column *order = perun_table_column(perun_resources(other), "order");
	size_t before = perun_table_builder_rows(table);

	perun_builder_append_table(builder, other, "resources");
	perun_table_rewind(table, before);
	for (size_t row = 0; row < perun_table_rows(perun_resources(other)); row++) {
		if (!perun_column_absent(order, row))
			perun_column_set_int64(perun_table_find_column(table, "order"),
					       after + (int64_t)perun_column_double(order, row));
		perun_table_end_row(table);
	}
}

int commands_join_repeats(struct perun_ctx *ctx, struct perun_lookup *lookup,
			  const struct perun_place *itself, const struct perun_place *const *places,
			  size_t count, struct perun_profile **profile, bool *joined)
{
	struct perun_builder *builder;
	struct perun_profile *all = NULL;
	int64_t last;
	int status = PERUN_OK;

	*joined = are_repeats(*profile);
	if (!*joined)
		return PERUN_OK;
	builder = perun_builder_from(*profile);
	last = last_repeat(*profile);
	for (size_t i = 0; i < count && !status && *joined; i++) {
		struct perun_profile *other = NULL;

		if (places[i] == itself)
			continue;
		status = perun_lookup_load(ctx, lookup, places[i], &other);
		*joined = !status && are_repeats(other);
		if (*joined) {
			append_repeats(builder, other, last);
			last += last_repeat(other);
		}
		perun_profile_unref(other);
	}
	if (!status && *joined)
		status = perun_builder_finish(ctx, builder, &all);
	else
		perun_builder_free(builder);
	if (all) {
		perun_profile_unref(*profile);
		*profile = all;
	}
	return status;
}

int commands_lookup_load_merged(struct perun_ctx *ctx, struct perun_lookup *lookup,
				struct perun_profile **profile)
{
	size_t count = perun_lookup_count(lookup);
	const struct perun_place **places = perun_alloc_zero(count + 1, sizeof *places);
	int status;

	for (size_t i = 0; i < count; i++)
		places[i] = perun_lookup_at(lookup, i);
	status = commands_load_merged(ctx, lookup, places, count, false, profile);
	perun_free((void *)places);
	return status;
}
