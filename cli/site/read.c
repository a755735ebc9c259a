/* SPDX-License-Identifier: BSD-3-Clause */
/* What the profiles of a version say: repeats of each strand. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/machine.h>
#include <perun/query.h>
#include <perun/lib/statistics.h>

#include "cli/cases.h"
#include "cli/site/read.h"

uint64_t site_file_key(const struct site *site, const char *minor, const char *suffix)
{
	struct stat info;
	uint64_t key = 0;
	char *path;

	if (!cli_is_checksum(minor) ||
	    !perun_store_has_index(site->cli->ctx, site->cli->store, minor))
		return 0;
	path = perun_format("%s/objects/%.2s/%s%s", perun_store_path(site->cli->store), minor,
			    minor + 2, suffix);
	if (stat(path, &info) == 0) {
		const int64_t facts[] = {info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size,
					 (int64_t)info.st_ino};

		key = site_hash(1, facts, sizeof facts);
	}
	perun_free(path);
	return key;
}

/* ---- collecting ------------------------------------------------------------------------------ */

static int compare_items(const void *one, const void *other)
{
	const struct site_item *a = one, *b = other;

	if (a->strand != b->strand)
		return a->strand < b->strand ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void site_reading_add(struct site_reading *reading, uint32_t strand, double value)
{
	if (!isfinite(value))
		return;
	PERUN_GROW(reading->items, reading->count, reading->capacity);
	reading->items[reading->count] =
		(struct site_item){strand, (uint32_t)reading->count, value};
	reading->count++;
}

uint32_t site_reading_strand(struct site_reading *reading, const struct perun_metric *metric,
			     const char *location)
{
	char unit[] = "", *workload = cli_measured_workload(reading->entry, reading->text);
	struct site_strand like = {.cmd = reading->command,
				   .workload = workload,
				   .machine = reading->machine,
				   .metric = (char *)metric->name,
				   .unit = metric->unit ? (char *)metric->unit : unit,
				   .location = (char *)location,
				   .better = metric->better};
	uint32_t strand = site_strand(reading->site, &like);

	perun_free(workload);
	return strand;
}

/* ---- a profile ------------------------------------------------------------------------------- */

struct resources {
	const struct perun_table *table;
	struct perun_groups *groups; /* by uid */
	uint32_t *rows;
	size_t *starts;
	struct cli_cases cases;
	bool repeated; /* rows of a group are repeats of one measurement */
	const struct perun_metric *metrics;
	size_t metric_count;
	bool single;           /* each row has one metric at most */
	uint32_t *metric_rows; /* the rows of each metric, group by group */
	size_t *metric_starts; /* metric_count + 1 places in these */
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

/*
 * The metrics of a row, each handed to `visit`. Where a column holds the values of several metrics, which
 * other columns name, a row has one of them, most often that of the row before or the next one.
 */
static void find_metrics(const struct resources *resources, uint32_t row, size_t *hint,
			 void (*visit)(void *data, size_t metric, uint32_t row), void *data)
{
	const struct perun_metric *metrics = resources->metrics;
	const struct perun_column *found = NULL;

	for (size_t i = 0; i < resources->metric_count && i < 2; i++) {
		size_t at = (*hint + i) % resources->metric_count;

		if (metrics[at].selector[0] && perun_metric_has_row(&metrics[at], row)) {
			*hint = at;
			visit(data, at, row);
			found = metrics[at].values;
			break;
		}
	}
	for (size_t m = 0; m < resources->metric_count && !(found && resources->single); m++) {
		if (found && metrics[m].selector[0] && metrics[m].values == found)
			continue;
		if (!perun_metric_has_row(&metrics[m], row))
			continue;
		visit(data, m, row);
		if (metrics[m].selector[0]) {
			*hint = m;
			found = metrics[m].values;
		}
	}
}

static void count_row(void *data, size_t metric, uint32_t row)
{
	struct resources *resources = data;

	(void)row;
	resources->metric_starts[metric + 1]++;
}

struct filling {
	struct resources *resources;
	size_t *next; /* of each metric, where its next row goes */
};

static void add_row(void *data, size_t metric, uint32_t row)
{
	struct filling *filling = data;

	filling->resources->metric_rows[filling->next[metric]++] = row;
}

/* Sort rows by metrics: looking at all rows for each metric takes too long where there are many. */
static void find_rows(struct resources *resources)
{
	size_t groups = resources->groups->count, rows = resources->starts[groups], hint = 0;
	size_t count = resources->metric_count, *starts;
	struct filling filling = {.resources = resources};

	resources->metric_starts = starts = perun_alloc_zero(count + 1, sizeof *starts);
	resources->single = true;
	for (size_t m = 0; m < count; m++)
		resources->single &= resources->metrics[m].selector[0] &&
				     resources->metrics[m].values == resources->metrics[0].values;
	for (size_t i = 0; i < rows; i++)
		find_metrics(resources, resources->rows[i], &hint, count_row, resources);
	for (size_t m = 0; m < count; m++)
		starts[m + 1] += starts[m];
	resources->metric_rows = perun_alloc((starts[count] + 1) * sizeof(uint32_t));
	filling.next = perun_memdup(starts, (count + 1) * sizeof *starts);
	hint = 0;
	for (size_t i = 0; i < rows; i++)
		find_metrics(resources, resources->rows[i], &hint, add_row, &filling);
	perun_free(filling.next);
}

/* The rows of a metric in one group. */
static void read_group(struct site_reading *reading, const struct resources *resources, size_t g,
		       const struct perun_metric *metric, const uint32_t *rows, size_t count,
		       struct total *total)
{
	size_t repeats = 0, used = 0;
	uint32_t strand = UINT32_MAX;
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		double value = perun_column_double(metric->values, rows[i]);

		if (!isfinite(value))
			continue;
		if (strand == UINT32_MAX && *place_of(resources, g))
			strand = site_reading_strand(reading, metric, place_of(resources, g));
		used++;
		sum += value;
		if (!resources->repeated)
			continue;
		if (strand != UINT32_MAX)
			site_reading_add(reading, strand, value);
		add_to_total(total, repeats++, value);
	}
	if (used == 0)
		return;
	if (!resources->repeated) {
		if (strand != UINT32_MAX)
			site_reading_add(reading, strand, sum);
		add_to_total(total, 0, sum);
		repeats = 1;
	}
	total->least = total->groups == 0 || repeats < total->least ? repeats : total->least;
	total->groups++;
}

/* What several places cost together, unless each counts what the others do as well. */
static void read_total(struct site_reading *reading, const struct resources *resources,
		       const struct perun_metric *metric, struct total *total)
{
	if (total->groups == 1 && !*place_of(resources, 0))
		total->groups = 2;
	if (total->groups > 1 && metric->measure == PERUN_ADDITIVE && !metric->inclusive) {
		uint32_t strand = site_reading_strand(reading, metric, "");

		for (size_t i = 0; i < total->least; i++)
			site_reading_add(reading, strand, total->sums[i]);
	}
	perun_free(total->sums);
}

static void read_metric(struct site_reading *reading, const struct resources *resources, size_t m)
{
	const struct perun_metric *metric = &resources->metrics[m];
	const struct cli_cases *cases = &resources->cases;
	const uint32_t *group_of = resources->groups->group_of_row, *rows = resources->metric_rows;
	size_t end = resources->metric_starts[m + 1], next;
	struct total *totals = perun_alloc_zero(cases->count, sizeof *totals);

	for (size_t i = resources->metric_starts[m]; i < end; i = next) {
		uint32_t number = cli_case_of(cases, rows[i]), g = group_of[rows[i]];

		for (next = i + 1; next < end && group_of[rows[next]] == g &&
				   cli_case_of(cases, rows[next]) == number;)
			next++;
		reading->text = cli_case_text(cases, number);
		read_group(reading, resources, g, metric, rows + i, next - i, &totals[number]);
	}
	for (uint32_t i = 0; i < cases->count; i++) {
		reading->text = cli_case_text(cases, i);
		read_total(reading, resources, metric, &totals[i]);
	}
	reading->text = "";
	perun_free(totals);
}

static int group(struct perun_ctx *ctx, struct resources *resources)
{
	const struct perun_column *uid = perun_table_column(resources->table, "uid");
	size_t count = perun_table_rows(resources->table);
	int status;

	if (uid)
		status = perun_group_by_uid(ctx, resources->table, NULL, &resources->groups);
	else
		status = perun_group_by(ctx, resources->table, NULL, 0, NULL, &resources->groups);
	if (!status)
		status = cli_cases_find(ctx, resources->table, &resources->cases);
	if (!status && count) {
		perun_groups_rows(resources->groups, &resources->rows, &resources->starts);
		cli_cases_sort(&resources->cases, resources->rows, resources->starts,
			       resources->groups->count);
	}
	return status;
}

static int read_profile(struct site_reading *reading)
{
	struct perun_ctx *ctx = reading->site->cli->ctx;
	struct resources resources = {0};
	struct perun_profile *profile = NULL;
	int status = perun_store_load(ctx, reading->site->cli->store, reading->entry->checksum,
				      &profile);

	if (status)
		return status;
	reading->command =
		cli_measured_command(reading->entry, perun_profile_text(profile, "header.args"));
	reading->machine = perun_machine_name(profile);
	reading->text = "";
	resources.table = perun_resources(profile);
	resources.repeated = is_repeated(resources.table);
	resources.metrics = perun_metrics(profile, &resources.metric_count);
	if (resources.metric_count && perun_table_rows(resources.table)) {
		if (site_has_stacks(resources.table))
			status = site_read_stacks(reading, profile);
		else
			status = group(ctx, &resources);
	}
	if (!status && resources.groups && resources.groups->count) {
		find_rows(&resources);
		for (size_t m = 0; m < resources.metric_count; m++)
			read_metric(reading, &resources, m);
	}
	perun_free(reading->command);
	perun_free(reading->machine);
	cli_cases_free(&resources.cases);
	perun_free(resources.metric_rows);
	perun_free(resources.metric_starts);
	perun_free(resources.rows);
	perun_free(resources.starts);
	perun_groups_free(resources.groups);
	perun_profile_unref(profile);
	return status;
}

/* ---- a version ------------------------------------------------------------------------------- */

static void keep(struct site_reading *reading, struct site_values *values)
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
	struct site_reading reading = {.site = site};
	struct perun_entries entries = {0};
	int status = PERUN_OK;
	bool whole = true;

	if (perun_cancelled(cli->ctx))
		return perun_fail(cli->ctx, PERUN_CANCELLED, "interrupted");
	if (version->key)
		status = perun_store_entries(cli->ctx, cli->store, version->info->checksum,
					     &entries);
	for (size_t i = 0; !status && i < entries.count; i++) {
		reading.entry = &entries.items[i];
		status = read_profile(&reading);
		if (status == PERUN_INPUT || status == PERUN_MISSING) {
			/* A profile that cannot be read keeps nobody from seeing the others. */
			perun_warn(cli->ctx, "%.8s: %s: %s", version->info->checksum,
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
