/* SPDX-License-Identifier: BSD-3-Clause */
/* What the profiles of all versions say: repeats of each strand, and the history of the line. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include <perun/lib/statistics.h>
#include <perun/lib/path.h>

#include <perun/lib/units.h>

#include "site.h"

/* Versions whose profiles are read at once. */
enum { AT_ONCE = 256 };

/* ---- a version ------------------------------------------------------------------------------- */

/* A number of a strand, in the order they were read. */
struct item {
	uint32_t strand, order, profile;
	double value;
};

struct reading {
	struct site *site;
	struct perun_reader *reader; /* of versions that are not on the line */
	size_t version;              /* whose values these are */
	bool any;                    /* whether it has profiles that could be read */
	uint32_t last;               /* strand */
	struct item *items;          /* of a version */
	size_t count, capacity;
	uint32_t profiles; /* read so far */
};

static int compare_items(const void *one, const void *other)
{
	const struct item *a = one, *b = other;

	if (a->strand != b->strand)
		return a->strand < b->strand ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* The strand of a value: most often the one after that of the value before. */
static uint32_t strand_of(struct reading *reading, const struct perun_value *value,
			  const char *machine)
{
	const struct site_strand like = {.cmd = (char *)value->command,
					 .workload = (char *)value->workload,
					 .machine = (char *)machine,
					 .metric = (char *)value->metric,
					 .unit = (char *)value->unit,
					 .location = (char *)value->location,
					 .better = value->better,
					 .likely = value->likely,
					 .noise = value->noise,
					 .sample = value->sample};

	if (!site_is_strand(reading->site, ++reading->last, &like))
		reading->last = site_strand(reading->site, &like);
	return reading->last;
}

static void add_value(struct reading *reading, const struct perun_value *value, const char *machine)
{
	uint32_t strand;
	double factor;

	/* Without a location is what all of them cost together. */
	if (value->count == 0 || (!*value->location && !value->whole))
		return;
	strand = strand_of(reading, value, machine);
	factor = (double)perun_unit_factor(value->unit, reading->site->strands[strand].unit);
	for (size_t i = 0; i < value->count; i++) {
		PERUN_GROW(reading->items, reading->count, reading->capacity);
		reading->items[reading->count] =
			(struct item){strand, (uint32_t)reading->count, reading->profiles,
				      value->repeats[i] * factor};
		reading->count++;
	}
}

static bool is_sorted(const struct reading *reading)
{
	for (size_t i = 1; i < reading->count; i++) {
		if (reading->items[i - 1].strand > reading->items[i].strand)
			return false;
	}
	return true;
}

/* Counts of samples are divided by what the profile that they are of shows. */
static bool is_sampled(const struct reading *reading, uint32_t strand)
{
	return reading->site->strands[strand].noise == PERUN_NOISE_SAMPLED;
}

static void keep(struct reading *reading, struct site_values *values)
{
	size_t count = 0;
	bool sampled = false;

	if (!is_sorted(reading))
		qsort(reading->items, reading->count, sizeof *reading->items, compare_items);
	for (size_t i = 0; i < reading->count; i++) {
		if (i && reading->items[i].strand == reading->items[i - 1].strand)
			continue;
		sampled |= is_sampled(reading, reading->items[i].strand);
		count++;
	}
	values->count = count;
	values->strands = perun_alloc((count + 1) * sizeof *values->strands);
	values->starts = perun_alloc((count + 1) * sizeof *values->starts);
	values->medians = perun_alloc((count + 1) * sizeof *values->medians);
	values->repeats = perun_alloc((reading->count + 1) * sizeof *values->repeats);
	if (sampled)
		values->profiles = perun_alloc((reading->count + 1) * sizeof *values->profiles);
	count = 0;
	for (size_t i = 0; i < reading->count; i++) {
		if (i == 0 || reading->items[i].strand != reading->items[i - 1].strand) {
			values->strands[count] = reading->items[i].strand;
			values->starts[count++] = (uint32_t)i;
		}
		values->repeats[i] = reading->items[i].value;
		if (sampled)
			values->profiles[i] = reading->items[i].profile;
	}
	values->starts[count] = (uint32_t)reading->count;
	for (size_t k = 0; k < count; k++)
		values->medians[k] = perun_median(values->repeats + values->starts[k],
						  values->starts[k + 1] - values->starts[k]);
	reading->count = 0;
}

/* ---- the line -------------------------------------------------------------------------------- */

/* The versions before this one on the line are complete. */
static void keep_until(struct reading *reading, size_t version)
{
	struct site *site = reading->site;

	for (; reading->version < version; reading->version++) {
		struct site_version *complete = &site->versions[reading->version];

		complete->key = reading->any ? complete->key : 0;
		keep(reading, &complete->values);
		reading->any = false;
		if (reading->version % 16 == 0)
			perun_progress(site->ctx, "versions", reading->version, site->count);
	}
}

/* What the history reads, which all commands judge by. */
static void visit(void *data, size_t version, const struct perun_measured_profile *profile,
		  const struct perun_value *value)
{
	struct reading *reading = data;

	keep_until(reading, version);
	if (!value) {
		reading->any = true;
		reading->profiles++;
		reading->last = UINT32_MAX;
	} else if (!value->inclusive) {
		add_value(reading, value, profile->machine);
	}
}

static int read_line(struct reading *reading)
{
	struct site *site = reading->site;
	const struct perun_history_options options = {.struct_size = sizeof options,
						      .every_metric = true,
						      .machines_apart = true,
						      .better = site->user_better,
						      .visit = visit,
						      .data = reading};
	int status = perun_history_load_line(site->ctx, site->store, &options, site->parents,
					     &site->history);

	if (status)
		site->parents = NULL; /* it was the history's */
	else
		keep_until(reading, site->line);
	return status;
}

/* ---- other versions -------------------------------------------------------------------------- */

static int read_profiles(struct reading *reading, struct site_version *version)
{
	struct perun_ctx *ctx = reading->site->ctx;
	const struct perun_measured_profile *profile;
	const struct perun_value *value;

	for (;;) {
		int status = perun_reader_profile(ctx, reading->reader, &profile);

		if (status == PERUN_INPUT || status == PERUN_MISSING) {
			/* A profile that cannot be read keeps nobody from seeing the others. */
			perun_warn(ctx, "%.8s: %s: %s", version->info->checksum, profile->name,
				   perun_ctx_error(ctx));
			perun_ctx_clear(ctx);
			reading->any = reading->site->damaged = true;
			continue;
		}
		if (status || !profile)
			return status;
		visit(reading, reading->version, profile, NULL);
		while ((value = perun_reader_value(reading->reader)))
			visit(reading, reading->version, profile, value);
	}
}

static int prefetch(struct reading *reading, size_t first)
{
	const struct site *site = reading->site;
	const char *versions[AT_ONCE];
	size_t count = 0;

	for (size_t i = first; i < site->count && i < first + AT_ONCE; i++) {
		if (site->versions[i].key)
			versions[count++] = site->versions[i].info->checksum;
	}
	return perun_reader_prefetch(site->ctx, reading->reader, versions, count);
}

static int read_others(struct reading *reading)
{
	static const struct perun_reader_options options = {
		.struct_size = sizeof options, .functions = true, .totals = true};
	struct site *site = reading->site;
	struct perun_ctx *ctx = site->ctx;
	int status = PERUN_OK;

	if (site->line < site->count)
		status = perun_reader_open(ctx, site->store, &options, &reading->reader);
	if (!status && site->line < site->count && site->parents)
		status = perun_reader_join_files(ctx, reading->reader,
						 perun_version_line_checksums(site->parents),
						 perun_version_line_count(site->parents));
	for (size_t i = site->line; !status && i < site->count; i++) {
		struct site_version *version = &site->versions[i];

		if ((i - site->line) % AT_ONCE == 0)
			status = prefetch(reading, i);
		if (!status && version->key)
			status =
				perun_reader_version(ctx, reading->reader, version->info->checksum);
		if (!status && version->key)
			status = read_profiles(reading, version);
		if (!status)
			keep_until(reading, i + 1);
	}
	perun_reader_close(reading->reader);
	return status;
}

int site_read_versions(struct site *site)
{
	struct reading reading = {.site = site};
	int status = read_line(&reading);

	if (!status)
		status = read_others(&reading);
	perun_progress(site->ctx, "versions", site->count, site->count);
	if (!status)
		site_normalize(site, reading.profiles);
	perun_free(reading.items);
	return status;
}
