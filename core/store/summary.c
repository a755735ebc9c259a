/* SPDX-License-Identifier: BSD-3-Clause */
/* Totals and leading functions of a profile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>

#include "core/json/utf8.h"
#include "core/store/summary.h"

#define MAX_TOTALS  256
#define MAX_METRICS 4  /* whose leading functions are listed */
#define MAX_LEADING 20 /* of each */
#define MAX_WHOLE   9007199254740992.0

/* ---- values of a metric ---------------------------------------------------------------------- */

typedef void take_value(void *data, size_t row, double value);

static double value_at(const struct perun_column *column, const struct perun_span *span, size_t i)
{
	switch (perun_column_info(column)->type) {
	case PERUN_TYPE_INT64:
		return (double)span->int64s[i];
	case PERUN_TYPE_UINT64:
		return (double)span->uint64s[i];
	case PERUN_TYPE_DOUBLE:
		return span->doubles[i];
	default:
		return perun_column_double(column, span->first + i);
	}
}

/* A metric with a column of its own: in runs, which leaves columns that save memory as they are. */
static void each_of_column(const struct perun_column *column, take_value *take, void *data)
{
	int64_t *block = perun_alloc(PERUN_SPAN_ROWS * sizeof *block);
	struct perun_span span;

	for (size_t row = 0; perun_column_span_copy(column, row, &span, block);
	     row = span.first + span.count) {
		for (size_t i = 0; i < span.count; i++) {
			if (!perun_bit(span.absent, i))
				take(data, span.first + i, value_at(column, &span, i));
		}
	}
	perun_free(block);
}

static void each_value(const struct perun_profile *profile, const struct perun_metric *metric,
		       take_value *take, void *data)
{
	size_t count;
	const uint32_t *rows = perun_metric_rows(profile, metric, &count);

	if (!rows && !metric->selector[0] && !metric->selector[1]) {
		each_of_column(metric->values, take, data);
		return;
	}
	for (size_t i = 0; rows && i < count; i++) {
		if (!perun_column_absent(metric->values, rows[i]))
			take(data, rows[i], perun_column_double(metric->values, rows[i]));
	}
}

/* ---- totals ---------------------------------------------------------------------------------- */

struct total {
	double sum;
	size_t rows;
};

static void add_to_total(void *data, size_t row, double value)
{
	struct total *total = data;

	(void)row;
	total->sum += value;
	total->rows++;
}

static struct total total_of(const struct perun_profile *profile, const struct perun_metric *metric)
{
	struct total total = {0};

	each_value(profile, metric, add_to_total, &total);
	return total;
}

static struct perun_json *number(double value)
{
	return value == floor(value) && fabs(value) < MAX_WHOLE ? perun_json_int64((int64_t)value)
								: perun_json_double(value);
}

/* Whether a store has the name as it is: bytes that are no UTF-8 are other ones there. */
static bool is_storable(const char *name)
{
	while (*name) {
		size_t length = (unsigned char)*name < 0x80 ? 1 : utf8_length(name);

		if (!length)
			return false;
		name += length;
	}
	return true;
}

struct perun_json *perun_summary_totals(const struct perun_profile *profile)
{
	struct perun_json *totals = perun_json_object();
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);

	for (size_t i = 0; i < count && i < MAX_TOTALS; i++) {
		struct total total;
		struct perun_json *item;

		if (!is_storable(metrics[i]->name))
			continue;
		total = total_of(profile, metrics[i]);
		item = perun_json_object();
		perun_json_set(item, "rows", perun_json_uint64(total.rows));
		perun_json_set(item, "sum", number(total.sum));
		perun_json_set(item, "unit", perun_json_text(metrics[i]->unit));
		perun_json_set(totals, metrics[i]->name, item);
	}
	return totals;
}

static bool is_total(const struct perun_json *item, struct total total)
{
	uint64_t rows = 0;
	double sum = NAN;

	return perun_json_as_uint64(perun_json_get(item, "rows"), &rows) && rows == total.rows &&
	       perun_json_as_double(perun_json_get(item, "sum"), &sum) &&
	       (sum == total.sum || (isnan(sum) && isnan(total.sum)));
}

const char *perun_summary_difference(const struct perun_profile *profile,
				     const struct perun_json *totals)
{
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);

	for (size_t i = 0; i < perun_json_count(totals); i++) {
		const char *name = perun_json_key_at(totals, i, NULL);
		const struct perun_metric *metric = perun_metric(profile, name);

		if (!metric || !is_total(perun_json_at(totals, i), total_of(profile, metric)))
			return name;
	}
	for (size_t i = 0; i < count && i < MAX_TOTALS; i++) {
		if (is_storable(metrics[i]->name) && !perun_json_get(totals, metrics[i]->name))
			return metrics[i]->name;
	}
	return NULL;
}

/* ---- leading functions ----------------------------------------------------------------------- */

/* Own values by function, or by the uid of rows without stacks. */
struct ranking {
	const struct perun_profile *profile;
	const struct perun_column *stacks, *uids;
	double *values; /* by function or string */
	size_t count;
};

static perun_id function_of_stack(const struct perun_profile *profile, perun_id stack)
{
	perun_id leaf = perun_profile_stack_leaf(profile, stack);
	const struct perun_location *location;

	if (leaf == PERUN_NO_ID)
		return PERUN_NO_ID;
	location = perun_profile_location(profile, leaf);
	return location->line_count ? location->lines[0].function : PERUN_NO_ID;
}

static void rank(void *data, size_t row, double value)
{
	struct ranking *ranking = data;
	perun_id id = ranking->stacks ? function_of_stack(ranking->profile,
							  perun_column_id(ranking->stacks, row))
				      : perun_column_id(ranking->uids, row);

	if (id != PERUN_NO_ID && id < ranking->count)
		ranking->values[id] += value;
}

static bool start_ranking(const struct perun_profile *profile, struct ranking *ranking)
{
	const struct perun_table *table = perun_resources(profile);

	*ranking = (struct ranking){.profile = profile};
	for (size_t i = 0; i < perun_table_columns(table) && !ranking->stacks; i++) {
		const struct perun_column *column = perun_table_column_at(table, i);

		if (perun_column_info(column)->type == PERUN_TYPE_STACK)
			ranking->stacks = column;
	}
	ranking->uids = perun_table_column(table, "uid");
	if (ranking->uids && perun_column_info(ranking->uids)->type != PERUN_TYPE_STRING)
		ranking->uids = NULL;
	ranking->count =
		ranking->stacks ? perun_profile_functions(profile) : perun_profile_strings(profile);
	return ranking->stacks || ranking->uids;
}

static const char *name_of(const struct ranking *ranking, size_t id, size_t *length)
{
	perun_id name = ranking->stacks
				? perun_profile_function(ranking->profile, (perun_id)id)->name
				: (perun_id)id;

	return perun_profile_string(ranking->profile, name, length);
}

/* The largest first, equal ones as the profile has them: a list that is kept in order. */
static size_t find_leading(const struct ranking *ranking, size_t leading[MAX_LEADING])
{
	size_t count = 0;

	for (size_t id = 0; id < ranking->count; id++) {
		double value = ranking->values[id];
		size_t at = count;

		if (!(value > 0))
			continue;
		while (at > 0 && ranking->values[leading[at - 1]] < value)
			at--;
		if (at == MAX_LEADING)
			continue;
		count += count < MAX_LEADING;
		memmove(leading + at + 1, leading + at, (count - 1 - at) * sizeof *leading);
		leading[at] = id;
	}
	return count;
}

static void add_leading(const struct ranking *ranking, const struct perun_metric *metric,
			struct perun_builder *builder)
{
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *uid, *type, *amount;
	size_t leading[MAX_LEADING], count = find_leading(ranking, leading);

	amount = perun_table_add_column(table,
					&(struct perun_column_info){.name = "amount",
								    .type = PERUN_TYPE_DOUBLE,
								    .role = PERUN_ROLE_METRIC});
	uid = perun_table_add_column(table, &(struct perun_column_info){.name = "uid",
									.type = PERUN_TYPE_STRING,
									.role = PERUN_ROLE_KEY});
	type = perun_table_add_column(table, &(struct perun_column_info){.name = "type",
									 .type = PERUN_TYPE_STRING,
									 .role = PERUN_ROLE_KEY});
	for (size_t i = 0; i < count; i++) {
		size_t length;
		const char *name = name_of(ranking, leading[i], &length);

		perun_column_set_double(amount, ranking->values[leading[i]]);
		perun_column_set_id(uid, PERUN_TYPE_STRING,
				    perun_builder_string(builder, name, length));
		perun_column_set_id(type, PERUN_TYPE_STRING,
				    perun_builder_text(builder, metric->name));
		perun_table_end_row(table);
	}
}

void perun_summary_leading(const struct perun_profile *profile, struct perun_builder *builder)
{
	struct ranking ranking;
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);

	if (!start_ranking(profile, &ranking))
		return;
	ranking.values = perun_alloc(ranking.count * sizeof *ranking.values + 1);
	for (size_t i = 0; i < count && i < MAX_METRICS; i++) {
		memset(ranking.values, 0, ranking.count * sizeof *ranking.values);
		each_value(profile, metrics[i], rank, &ranking);
		add_leading(&ranking, metrics[i], builder);
	}
	perun_free(ranking.values);
}
