/* SPDX-License-Identifier: BSD-3-Clause */
/* What a profile says: for each metric the values of each location, in each case of a sweep. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>
#include <perun/query.h>

#include <perun/lib/statistics.h>

#include "core/history/cases.h"
#include "core/history/values.h"
#include "core/profile/model.h"
#include "core/statistics/few-runs.h"

struct resources {
	const struct perun_table *table;
	struct perun_groups *groups; /* by uid, else by stack */
	uint32_t *rows;
	size_t *starts;
	struct perun_cases cases;
	bool repeated; /* rows of a group are repeats of one measurement */
	const struct perun_metric *const *metrics;
	size_t metric_count;
	uint32_t *metric_rows; /* the rows of each metric, group by group */
	size_t *metric_starts; /* metric_count + 1 places in these */
	/* The numbers of a column, where its rows are few: metrics that are named in rows share one. */
	const struct perun_column *column;
	double *numbers;
	/* What the document says of metrics. */
	const struct perun_json *about, *deviations;
};

/* ---- values ----------------------------------------------------------------------------------- */

/* Those of a column of numbers, of all rows at once; false where it is another one, or has too many rows. */
static bool take_numbers(const struct perun_column *column, size_t rows, double *numbers)
{
	enum perun_type type = perun_column_info(column)->type;
	int64_t *block = perun_alloc((rows + 1) * sizeof *block);
	struct perun_span span;
	bool known = type == PERUN_TYPE_DOUBLE || type == PERUN_TYPE_INT64;

	known = known && perun_column_span_copy(column, 0, &span, block) && span.count == rows;
	for (size_t i = 0; known && i < rows; i++)
		numbers[i] = perun_bit(span.absent, i)   ? NAN
			     : type == PERUN_TYPE_DOUBLE ? span.doubles[i]
							 : (double)span.int64s[i];
	perun_free(block);
	return known;
}

/* NULL = to be asked for one by one. */
static const double *numbers_of(struct resources *resources, const struct perun_column *column)
{
	size_t rows = perun_table_rows(resources->table);

	if (resources->column == column)
		return resources->numbers;
	perun_free(resources->numbers);
	resources->column = column;
	resources->numbers = NULL;
	if (rows <= PERUN_SPAN_ROWS)
		resources->numbers = perun_alloc((rows + 1) * sizeof *resources->numbers);
	if (resources->numbers && !take_numbers(column, rows, resources->numbers)) {
		perun_free(resources->numbers);
		resources->numbers = NULL;
	}
	return resources->numbers;
}

/* The rows of a location in a case: the values of repeats, or their sum. Returns how many there are. */
static size_t take_rows(struct resources *resources, const struct perun_metric *metric,
			const uint32_t *rows, size_t count, double *values)
{
	const double *numbers = numbers_of(resources, metric->values);
	bool repeated = resources->repeated;
	size_t taken = 0;
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		double value =
			numbers ? numbers[rows[i]] : perun_column_double(metric->values, rows[i]);

		if (repeated && isfinite(value))
			values[taken++] = value;
		sum += value;
	}
	if (!repeated && isfinite(sum))
		values[taken++] = sum;
	return taken;
}

/* All locations together: the sums of first repeats, of second ones, ... as far as all have them. */
struct total {
	double *sums;
	size_t count, capacity, least, locations;
};

static void add_to_total(struct total *total, const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i == total->count) {
			PERUN_GROW(total->sums, total->count, total->capacity);
			total->sums[total->count++] = 0;
		}
		total->sums[i] += values[i];
	}
	if (count == 0)
		return;
	total->least = total->locations == 0 || count < total->least ? count : total->least;
	total->locations++;
}

/* Rows of one location in one case, among those of a metric. */
struct part {
	const uint32_t *rows;
	size_t count;
	uint32_t location, first; /* the number of its group, and the first row of that */
};

/* Locations in the order in which the metric has them first, each in the order of cases. */
static int compare_parts(const void *one, const void *other)
{
	const struct part *a = one, *b = other;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->rows < b->rows ? -1 : a->rows > b->rows;
}

/* The parts of a location that begin at `start` get the first row of all of them. */
static size_t set_first(struct part *parts, size_t start, size_t count)
{
	uint32_t first = UINT32_MAX;
	size_t end = start;

	for (; end < count && parts[end].location == parts[start].location; end++) {
		for (size_t k = 0; k < parts[end].count; k++)
			first = parts[end].rows[k] < first ? parts[end].rows[k] : first;
	}
	for (size_t i = start; i < end; i++)
		parts[i].first = first;
	return end;
}

static struct part *find_parts(const struct resources *resources, size_t m, size_t *count)
{
	const uint32_t *rows = resources->metric_rows, *group_of = resources->groups->group_of_row;
	size_t i = resources->metric_starts[m], end = resources->metric_starts[m + 1];
	struct part *parts = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t next; i < end; i = next) {
		uint32_t number = perun_case_of(&resources->cases, rows[i]);

		for (next = i + 1; next < end && group_of[rows[next]] == group_of[rows[i]] &&
				   perun_case_of(&resources->cases, rows[next]) == number;)
			next++;
		PERUN_GROW(parts, *count, capacity);
		parts[(*count)++] = (struct part){
			.rows = rows + i, .count = next - i, .location = group_of[rows[i]]};
	}
	for (size_t start = 0; start < *count;)
		start = set_first(parts, start, *count);
	if (*count)
		qsort(parts, *count, sizeof *parts, compare_parts);
	return parts;
}

static void add_totals(struct perun_buffer *out, const struct resources *resources,
		       const struct perun_metric *metric, const struct total *totals,
		       uint32_t *groups)
{
	for (uint32_t i = 0; i < resources->cases.count; i++) {
		/* Unless each location counts what the others do as well. */
		if (totals[i].locations < 2 || metric->measure != PERUN_MEASURE_ADDITIVE ||
		    metric->inclusive)
			continue;
		perun_value_group_add(out, "", perun_case_text(&resources->cases, i),
				      PERUN_GROUP_WHOLE | PERUN_GROUP_TOTAL, 0, totals[i].sums,
				      totals[i].least);
		++*groups;
	}
}

static enum perun_value_kind kind_of(const struct resources *resources)
{
	if (resources->repeated)
		return PERUN_VALUE_REPEATS;
	return perun_has_only_stacks(resources->table) ? PERUN_VALUE_SAMPLED : PERUN_VALUE_SUM;
}

/* The standard error that a file carries of a location's one value; 0 = none. */
static double carried(const struct perun_json *deviations, const char *location)
{
	double share = 0;

	if (!deviations || !perun_json_as_double(perun_json_get(deviations, location), &share))
		return 0;
	return share > 0 && isfinite(share) ? share : 0;
}

/* Whether the profile says that the repeats of a metric are samples that one process took in a row. */
static bool are_samples(const struct resources *resources, const struct perun_metric *metric)
{
	const struct perun_json *about = perun_json_get(resources->about, metric->name);
	const char *repeats = perun_json_as_string(perun_json_get(about, "repeats"), NULL);

	return repeats && strcmp(repeats, "samples") == 0;
}

/*
 * Samples of one process are one run, however many they are: the next process differs by more than they do. What is
 * left is their median, whose standard error is returned as a share.
 */
static double take_median(double *values, size_t *count)
{
	double median = perun_median(values, *count);
	double deviation = PERUN_MAD_TO_SIGMA * perun_mad(values, *count, median);

	deviation *= sqrt(M_PI_2 / (double)*count);
	values[0] = median;
	*count = 1;
	return median > 0 ? deviation / median : 0;
}

static void add_metric(struct perun_buffer *out, const struct perun_profile *profile,
		       struct resources *resources, size_t m, double *values)
{
	const struct perun_metric *metric = resources->metrics[m];
	const struct perun_cases *cases = &resources->cases;
	struct total *totals = perun_alloc_zero(cases->count, sizeof *totals);
	size_t count, start = perun_metric_head_add(out, profile, metric, kind_of(resources));
	struct part *parts = find_parts(resources, m, &count);
	bool alone = count && parts[0].location == parts[count - 1].location;
	bool samples = are_samples(resources, metric);
	double loaded = few_runs_loaded(perun_load_of(profile));
	uint32_t groups = (uint32_t)count;
	const struct perun_json *deviations = perun_json_get(resources->deviations, metric->name);

	for (size_t i = 0; i < count; i++) {
		uint32_t number = perun_case_of(cases, parts[i].rows[0]);
		const char *location = resources->groups->texts[parts[i].location];
		size_t taken = take_rows(resources, metric, parts[i].rows, parts[i].count, values);
		double deviation = samples && taken > 1 ? take_median(values, &taken)
							: carried(deviations, location);

		/* One process is a run as any other, unless its samples say less than that. */
		if (samples)
			deviation = deviation > BETWEEN_PROCESSES
					    ? hypot(deviation, BETWEEN_PROCESSES)
					    : 0;
		/* More runs show by themselves how long each of them waited. */
		if (taken < FEW_RUNS)
			deviation = hypot(deviation, loaded);
		perun_value_group_add(out, location, perun_case_text(cases, number),
				      alone && !*location ? PERUN_GROUP_WHOLE : 0, deviation,
				      values, taken);
		if (!alone)
			add_to_total(&totals[number], values, taken);
	}
	add_totals(out, resources, metric, totals, &groups);
	perun_metric_end(out, start, groups);
	for (size_t i = 0; i < cases->count; i++)
		perun_free(totals[i].sums);
	perun_free(totals);
	perun_free(parts);
}

static int group(struct perun_ctx *ctx, struct resources *resources)
{
	int status = perun_group_by_uid(ctx, resources->table, NULL, &resources->groups);

	if (!status)
		status = perun_cases_find(ctx, resources->table, &resources->cases);
	if (!status) {
		perun_groups_rows(resources->groups, &resources->rows, &resources->starts);
		perun_cases_sort(&resources->cases, resources->rows, resources->starts,
				 resources->groups->count);
	}
	return status;
}

/* Whether the profile says that rows of a place at a point are repeats, as those of experiments are. */
static bool are_rows_repeats(const struct resources *resources)
{
	for (size_t m = 0; resources->cases.groups && m < resources->metric_count; m++) {
		const struct perun_json *about =
			perun_json_get(resources->about, resources->metrics[m]->name);
		const char *repeats = perun_json_as_string(perun_json_get(about, "repeats"), NULL);

		if (repeats && strcmp(repeats, "rows") == 0)
			return true;
	}
	return false;
}

static int add_resources(struct perun_ctx *ctx, const struct perun_profile *profile,
			 struct perun_buffer *out)
{
	const struct perun_json *document = perun_profile_document(profile);
	struct resources resources = {.table = perun_resources(profile),
				      .about = perun_json_get(document, "metrics"),
				      .deviations = perun_json_get(document, "deviations")};
	size_t rows = perun_table_rows(resources.table);
	int status = group(ctx, &resources);

	resources.metrics = perun_metrics(profile, &resources.metric_count);
	resources.repeated =
		perun_has_repeats(resources.table) || (!status && are_rows_repeats(&resources));
	if (!status) {
		double *values = perun_alloc((rows + 1) * sizeof *values);

		perun_metric_sort_rows(profile, resources.rows, &resources.metric_rows,
				       &resources.metric_starts);
		for (size_t m = 0; m < resources.metric_count; m++) {
			if (!perun_counts_again(profile, resources.metrics[m]))
				add_metric(out, profile, &resources, m, values);
		}
		perun_free(values);
	}
	perun_cases_free(&resources.cases);
	perun_free(resources.metric_rows);
	perun_free(resources.metric_starts);
	perun_free(resources.numbers);
	perun_free(resources.rows);
	perun_free(resources.starts);
	perun_groups_free(resources.groups);
	return status;
}

/* Those that have values. */
static size_t count_metrics(const struct perun_profile *profile)
{
	size_t count, with_values = 0;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);

	for (size_t i = 0; i < count; i++)
		with_values += !perun_counts_again(profile, metrics[i]);
	return with_values;
}

int perun_values_of_profile(struct perun_ctx *ctx, struct perun_profile *profile, unsigned which,
			    struct perun_buffer *out)
{
	const struct perun_table *resources = perun_resources(profile);
	bool stacks = perun_has_only_stacks(resources), totals;
	size_t metrics = 0;
	int status;

	if (resources && perun_table_rows(resources))
		metrics = count_metrics(profile);
	totals = metrics && which & PERUN_VALUES_INCLUSIVE && perun_has_stacks(resources);
	/* Functions of stacks come in one go, those that have a name of their own in two; uids with lines are no names. */
	if (stacks && (which & PERUN_VALUES_FUNCTIONS || perun_table_column(resources, "uid"))) {
		perun_profile_head_add(out, profile, true, metrics);
		return metrics ? perun_values_of_stacks(ctx, profile,
							which | PERUN_VALUES_FUNCTIONS, out)
			       : PERUN_OK;
	}
	perun_profile_head_add(out, profile, resources && perun_has_stacks(resources),
			       totals ? 2 * metrics : metrics);
	if (!metrics)
		return PERUN_OK;
	status = add_resources(ctx, profile, out);
	return status || !totals
		       ? status
		       : perun_values_of_stacks(ctx, profile, PERUN_VALUES_INCLUSIVE, out);
}

/* Longer ones would take more room than their profile may be worth. */
#define MAX_KEPT ((size_t)1 << 20)

static void keep_values(struct perun_profile *profile, unsigned which,
			const struct perun_buffer *values)
{
	struct perun_kept_values *none = NULL, *kept = perun_alloc(sizeof *kept + values->length);

	kept->which = which;
	kept->length = values->length;
	memcpy(kept->data, values->data, values->length);
	/* Another thread may have been sooner. */
	if (!atomic_compare_exchange_strong(&profile->values, &none, kept))
		perun_free(kept);
}

int perun_values_of_compared(struct perun_ctx *ctx, struct perun_profile *profile, unsigned which,
			     struct perun_buffer *room, struct perun_bytes *found)
{
	const struct perun_kept_values *kept = atomic_load(&profile->values);
	int status = PERUN_OK;

	if (kept && kept->which == which) {
		*found = (struct perun_bytes){.at = kept->data, .end = kept->data + kept->length};
		return PERUN_OK;
	}
	status = perun_values_of_profile(ctx, profile, which, room);
	*found = perun_bytes_of(room);
	if (!status && room->length && room->length <= MAX_KEPT)
		keep_values(profile, which, room);
	return status;
}
