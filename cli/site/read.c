/* SPDX-License-Identifier: BSD-3-Clause */
/* What the profiles of a version say: repeats of each strand. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/query.h>
#include <perun/statistics.h>

#include "cli/site/site.h"

uint64_t site_index_key(const struct site *site, const char *minor)
{
	struct stat info;
	uint64_t key = 0;
	char *path;

	if (!cli_is_checksum(minor) ||
	    !perun_store_has_index(site->cli->ctx, site->cli->store, minor))
		return 0;
	path = perun_format("%s/objects/%.2s/%s", perun_store_path(site->cli->store), minor,
			    minor + 2);
	if (stat(path, &info) == 0) {
		const int64_t facts[] = {info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size,
					 (int64_t)info.st_ino};

		key = site_hash(1, facts, sizeof facts);
	}
	perun_free(path);
	return key;
}

/* ---- collecting ------------------------------------------------------------------------------ */

/* A number of a strand, in the order they were read. */
struct item {
	uint32_t strand, order;
	double value;
};

struct reading {
	struct site *site;
	const struct perun_entry *entry;
	struct item *items;
	size_t count, capacity;
};

static int compare_items(const void *one, const void *other)
{
	const struct item *a = one, *b = other;

	if (a->strand != b->strand)
		return a->strand < b->strand ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void add(struct reading *reading, uint32_t strand, double value)
{
	if (!isfinite(value))
		return;
	PERUN_GROW(reading->items, reading->count, reading->capacity);
	reading->items[reading->count] = (struct item){strand, (uint32_t)reading->count, value};
	reading->count++;
}

static uint32_t strand_of(struct reading *reading, const struct perun_metric *metric,
			  const char *location)
{
	char unit[] = "";
	struct site_strand like = {
		.cmd = (char *)reading->entry->cmd,
		.workload = (char *)reading->entry->workload,
		.metric = (char *)metric->name,
		.unit = metric->unit ? (char *)metric->unit : unit,
		.location = (char *)location,
		.higher = metric->better == PERUN_BETTER_HIGHER ||
			  (metric->better == PERUN_BETTER_UNKNOWN && reading->site->higher)};

	return site_strand(reading->site, &like);
}

/* ---- a profile ------------------------------------------------------------------------------- */

struct resources {
	const struct perun_table *table;
	struct perun_groups *groups; /* by uid */
	uint32_t *rows;
	size_t *starts;
	bool repeated; /* rows of a group are repeats of one measurement */
};

static bool is_repeated(const struct perun_table *table)
{
	const struct perun_column *order = perun_table_column(table, "order");
	size_t rows = order ? perun_table_rows(table) : 0;

	for (size_t row = 0; row < rows; row++) {
		if (perun_column_double(order, row) >= 2)
			return true;
	}
	return false;
}

static const char *place_of(const struct resources *resources, size_t g)
{
	return resources->groups->texts ? resources->groups->texts[g] : "";
}

/* All groups together: the sums of first repeats, of second ones, ... */
struct total {
	double *sums;
	size_t count, capacity, least, groups;
};

static void add_to_total(struct total *total, size_t repeat, double value)
{
	if (repeat == total->count) {
		PERUN_GROW(total->sums, total->count, total->capacity);
		total->sums[total->count++] = 0;
	}
	total->sums[repeat] += value;
}

static void read_group(struct reading *reading, const struct resources *resources, size_t g,
		       const struct perun_metric *metric, struct total *total)
{
	size_t repeats = 0, rows = 0;
	uint32_t strand = UINT32_MAX;
	double sum = 0;

	for (size_t i = resources->starts[g]; i < resources->starts[g + 1]; i++) {
		double value;

		if (!perun_metric_has_row(metric, resources->rows[i]))
			continue;
		value = perun_column_double(metric->values, resources->rows[i]);
		if (!isfinite(value))
			continue;
		if (strand == UINT32_MAX && *place_of(resources, g))
			strand = strand_of(reading, metric, place_of(resources, g));
		rows++;
		sum += value;
		if (!resources->repeated)
			continue;
		if (strand != UINT32_MAX)
			add(reading, strand, value);
		add_to_total(total, repeats++, value);
	}
	if (rows == 0)
		return;
	if (!resources->repeated) {
		if (strand != UINT32_MAX)
			add(reading, strand, sum);
		add_to_total(total, 0, sum);
		repeats = 1;
	}
	total->least = total->groups == 0 || repeats < total->least ? repeats : total->least;
	total->groups++;
}

static void read_metric(struct reading *reading, const struct resources *resources,
			const struct perun_metric *metric)
{
	struct total total = {0};

	for (size_t g = 0; g < resources->groups->count; g++)
		read_group(reading, resources, g, metric, &total);
	/* What several places cost together, unless each counts what the others do as well. */
	if (total.groups == 1 && !*place_of(resources, 0))
		total.groups = 2;
	if (total.groups > 1 && metric->measure == PERUN_ADDITIVE && !metric->inclusive) {
		uint32_t strand = strand_of(reading, metric, "");

		for (size_t i = 0; i < total.least; i++)
			add(reading, strand, total.sums[i]);
	}
	perun_free(total.sums);
}

/* Stacks are no places: they are looked at as a whole. */
static int group(struct perun_ctx *ctx, struct resources *resources)
{
	const struct perun_column *uid = perun_table_column(resources->table, "uid");
	size_t count = perun_table_rows(resources->table);
	int status;

	if (uid)
		status = perun_group_by_uid(ctx, resources->table, NULL, &resources->groups);
	else
		status = perun_group_by(ctx, resources->table, NULL, 0, NULL, &resources->groups);
	if (!status && count)
		perun_groups_rows(resources->groups, &resources->rows, &resources->starts);
	return status;
}

static int read_profile(struct reading *reading)
{
	struct perun_ctx *ctx = reading->site->cli->ctx;
	struct resources resources = {0};
	struct perun_profile *profile = NULL;
	const struct perun_metric *metrics;
	size_t count = 0;
	int status = perun_store_load(ctx, reading->site->cli->store, reading->entry->checksum,
				      &profile);

	if (status)
		return status;
	resources.table = perun_resources(profile);
	resources.repeated = is_repeated(resources.table);
	metrics = perun_metrics(profile, &count);
	if (count && perun_table_rows(resources.table))
		status = group(ctx, &resources);
	for (size_t i = 0; !status && i < count && resources.groups; i++)
		read_metric(reading, &resources, &metrics[i]);
	perun_free(resources.rows);
	perun_free(resources.starts);
	perun_groups_free(resources.groups);
	perun_profile_unref(profile);
	return status;
}

/* ---- a version ------------------------------------------------------------------------------- */

static void keep(struct reading *reading, struct site_values *values)
{
	size_t count = 0;

	site_values_free(values);
	if (reading->count)
		qsort(reading->items, reading->count, sizeof *reading->items, compare_items);
	for (size_t i = 0; i < reading->count; i++)
		count += i == 0 || reading->items[i].strand != reading->items[i - 1].strand;
	values->count = count;
	values->strands = perun_alloc((count + 1) * sizeof *values->strands);
	values->starts = perun_alloc((count + 1) * sizeof *values->starts);
	values->medians = perun_alloc((count + 1) * sizeof *values->medians);
	values->repeats = perun_alloc((reading->count + 1) * sizeof *values->repeats);
	count = 0;
	for (size_t i = 0; i < reading->count; i++) {
		if (i == 0 || reading->items[i].strand != reading->items[i - 1].strand) {
			values->strands[count] = reading->items[i].strand;
			values->starts[count++] = (uint32_t)i;
		}
		values->repeats[i] = reading->items[i].value;
	}
	values->starts[count] = (uint32_t)reading->count;
	for (size_t k = 0; k < count; k++)
		values->medians[k] = perun_median(values->repeats + values->starts[k],
						  values->starts[k + 1] - values->starts[k]);
}

int site_read_version(struct site *site, struct site_version *version)
{
	struct cli *cli = site->cli;
	struct reading reading = {.site = site};
	struct perun_entries entries = {0};
	int status = PERUN_OK;
	bool whole = true;

	if (perun_cancelled(cli->ctx))
		return perun_fail(cli->ctx, PERUN_CANCELLED, "interrupted");
	if (version->key)
		status = perun_store_entries(cli->ctx, cli->store, version->info->version.checksum,
					     &entries);
	for (size_t i = 0; !status && i < entries.count; i++) {
		reading.entry = &entries.items[i];
		status = read_profile(&reading);
		if (status == PERUN_INPUT || status == PERUN_MISSING) {
			/* A profile that cannot be read keeps nobody from seeing the others. */
			perun_warn(cli->ctx, "%.8s: %s: %s", version->info->version.checksum,
				   entries.items[i].path, perun_ctx_error(cli->ctx));
			perun_ctx_clear(cli->ctx);
			status = PERUN_OK;
			whole = false;
		}
	}
	if (!status)
		keep(&reading, &version->values);
	if (!status && entries.count == 0)
		version->key = 0;
	version->read = !status && whole;
	perun_free(reading.items);
	perun_entries_free(&entries);
	return status;
}
