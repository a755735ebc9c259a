/* SPDX-License-Identifier: BSD-3-Clause */
/* Aggregates of groups that need one number after the other: sums, counts, extremes, deviations. */
#include "core/context/wide.h"
#include "core/query/values.h"

static const char *const names[PERUN_AGGREGATES] = {
	"sum", "mean", "median", "quantile", "count", "nunique", "min", "max", "std", "var"};

const char *perun_aggregate_name(enum perun_aggregate function)
{
	return (unsigned)function < PERUN_AGGREGATES ? names[function] : "unknown";
}

enum perun_aggregate perun_aggregate_from_name(const char *name)
{
	int i = 0;

	while (i < PERUN_AGGREGATES && strcmp(names[i], name) != 0)
		i++;
	return (enum perun_aggregate)i;
}

void perun_fill_doubles(const struct perun_column *column, size_t row, size_t count, double *values)
{
	struct perun_span span;
	size_t skip;

	perun_column_span(column, row, &span);
	skip = row - span.first;
	switch (perun_column_info(column)->type) {
	case PERUN_TYPE_INT64:
		for (size_t i = 0; i < count; i++)
			values[i] = (double)span.int64s[skip + i];
		break;
	case PERUN_TYPE_UINT64:
		for (size_t i = 0; i < count; i++)
			values[i] = (double)span.uint64s[skip + i];
		break;
	case PERUN_TYPE_BOOL:
		for (size_t i = 0; i < count; i++)
			values[i] = span.bools[skip + i] != 0;
		break;
	case PERUN_TYPE_DOUBLE:
		memcpy(values, span.doubles + skip, count * sizeof *values);
		break;
	case PERUN_TYPE_JSON:
		for (size_t i = 0; i < count; i++)
			values[i] = perun_column_double(column, row + i);
		break;
	default:
		for (size_t i = 0; i < count; i++)
			values[i] = NAN;
	}
	for (size_t i = 0; span.absent && i < count; i++) {
		if (perun_bit(span.absent, skip + i))
			values[i] = NAN;
	}
}

/* ---- accumulators ----------------------------------------------------------------------------- */

struct state {
	uint64_t count;
	union {
		struct perun_total total; /* of the values, or of their squared deviations */
		double extreme;
		struct perun_wide integer;
	};
};

enum pass { PASS_TOTAL, PASS_INTEGER, PASS_MIN, PASS_MAX, PASS_SQUARES, PASS_COUNT };

struct work {
	const struct perun_groups *groups;
	const struct perun_column *column;
	enum pass pass;
	const double *means; /* PASS_SQUARES */
	size_t part_count;
	struct state *states; /* of all groups for each part */
};

static void add_doubles(struct work *work, struct state *states, size_t row, size_t count)
{
	const uint32_t *group_of = work->groups->group_of_row + row;
	double values[PERUN_VALUE_BLOCK];

	perun_fill_doubles(work->column, row, count, values);
	for (size_t i = 0; i < count; i++) {
		double value = values[i];
		struct state *state;

		if (group_of[i] == PERUN_NO_ID || isnan(value))
			continue;
		state = &states[group_of[i]];
		switch (work->pass) {
		case PASS_TOTAL:
			perun_total_add(&state->total, value);
			break;
		case PASS_SQUARES:
			value -= work->means[group_of[i]];
			perun_total_add(&state->total, value * value);
			break;
		case PASS_MIN:
			if (!state->count || value < state->extreme)
				state->extreme = value;
			break;
		default:
			if (!state->count || value > state->extreme)
				state->extreme = value;
		}
		state->count++;
	}
}

static void add_integers(struct work *work, struct state *states, size_t row, size_t count)
{
	const uint32_t *group_of = work->groups->group_of_row + row;
	enum perun_type type = perun_column_info(work->column)->type;
	struct perun_span span;
	size_t skip;

	perun_column_span(work->column, row, &span);
	skip = row - span.first;
	for (size_t i = 0; i < count; i++) {
		struct state *state;

		if (group_of[i] == PERUN_NO_ID || perun_bit(span.absent, skip + i))
			continue;
		state = &states[group_of[i]];
		if (type == PERUN_TYPE_INT64)
			perun_wide_add_signed(&state->integer, span.int64s[skip + i]);
		else if (type == PERUN_TYPE_UINT64)
			perun_wide_add_unsigned(&state->integer, span.uint64s[skip + i]);
		else
			perun_wide_add_unsigned(&state->integer, span.bools[skip + i] != 0);
		state->count++;
	}
}

/* Present cells of any type; NaN is none. */
static void add_counts(struct work *work, struct state *states, size_t row, size_t count)
{
	const uint32_t *group_of = work->groups->group_of_row + row;
	bool real = perun_column_info(work->column)->type == PERUN_TYPE_DOUBLE;
	struct perun_span span;
	size_t skip;

	perun_column_span(work->column, row, &span);
	skip = row - span.first;
	for (size_t i = 0; i < count; i++) {
		if (group_of[i] != PERUN_NO_ID && !perun_bit(span.absent, skip + i) &&
		    !(real && isnan(span.doubles[skip + i])))
			states[group_of[i]].count++;
	}
}

static int add_part(struct perun_ctx *ctx, size_t i, void *data)
{
	struct work *work = data;
	struct state *states = work->states + i * work->groups->count;
	size_t rows = work->groups->rows, end = perun_part_start(rows, work->part_count, i + 1);

	for (size_t row = perun_part_start(rows, work->part_count, i); row < end;
	     row += PERUN_VALUE_BLOCK) {
		size_t count = end - row < PERUN_VALUE_BLOCK ? end - row : PERUN_VALUE_BLOCK;

		if (work->pass == PASS_INTEGER)
			add_integers(work, states, row, count);
		else if (work->pass == PASS_COUNT)
			add_counts(work, states, row, count);
		else
			add_doubles(work, states, row, count);
		if (row % (64 * PERUN_VALUE_BLOCK) == 0 && perun_cancelled(ctx))
			return PERUN_CANCELLED;
	}
	return PERUN_OK;
}

/* Parts are added in their order, and there are as many for any number of threads. */
static void merge_state(enum pass pass, struct state *to, const struct state *from)
{
	if (!from->count)
		return;
	if (pass == PASS_INTEGER) {
		perun_wide_add(&to->integer, from->integer);
	} else if (pass == PASS_MIN || pass == PASS_MAX) {
		bool better = pass == PASS_MIN ? from->extreme < to->extreme
					       : from->extreme > to->extreme;

		if (!to->count || better)
			to->extreme = from->extreme;
	} else if (pass != PASS_COUNT) {
		perun_total_add(&to->total, from->total.sum);
		to->total.lost += from->total.lost;
	}
	to->count += from->count;
}

/* One state for each group; the caller frees them. */
static int run(struct perun_ctx *ctx, struct work *work)
{
	size_t count = work->groups->count;
	int status;

	work->part_count = perun_row_parts(work->groups->rows, count);
	work->states = perun_alloc_zero(work->part_count * count + 1, sizeof *work->states);
	status = perun_parallel_for(ctx, work->part_count, add_part, work);
	for (size_t part = 1; part < work->part_count && status == PERUN_OK; part++) {
		for (size_t g = 0; g < count; g++)
			merge_state(work->pass, &work->states[g], &work->states[part * count + g]);
	}
	return status;
}

/* ---- functions -------------------------------------------------------------------------------- */

static bool is_integer(const struct perun_column *column)
{
	enum perun_type type = perun_column_info(column)->type;

	return type == PERUN_TYPE_INT64 || type == PERUN_TYPE_UINT64 || type == PERUN_TYPE_BOOL;
}

static enum pass pass_of(const struct perun_column *column, enum perun_aggregate function)
{
	switch (function) {
	case PERUN_AGGREGATE_COUNT:
		return PASS_COUNT;
	case PERUN_AGGREGATE_MIN:
		return PASS_MIN;
	case PERUN_AGGREGATE_MAX:
		return PASS_MAX;
	default:
		return is_integer(column) ? PASS_INTEGER : PASS_TOTAL;
	}
}

static double value_of(const struct state *state, enum pass pass, enum perun_aggregate function)
{
	double value;

	if (pass == PASS_COUNT)
		return (double)state->count;
	if (!state->count)
		return function == PERUN_AGGREGATE_SUM ? 0 : NAN;
	if (pass == PASS_MIN || pass == PASS_MAX)
		return state->extreme;
	value = pass == PASS_INTEGER ? perun_wide_to_double(state->integer)
				     : perun_total(&state->total);
	return function == PERUN_AGGREGATE_SUM ? value : value / (double)state->count;
}

/* `values` has the means and gets the variances, or their roots. */
static int add_squares(struct perun_ctx *ctx, const struct perun_groups *groups,
		       const struct perun_column *column, enum perun_aggregate function,
		       double *values)
{
	struct work work = {groups, column, PASS_SQUARES, values, 0, NULL};
	int status = run(ctx, &work);

	for (size_t g = 0; g < groups->count && status == PERUN_OK; g++) {
		const struct state *state = &work.states[g];

		values[g] = state->count < 2
				    ? NAN
				    : perun_total(&state->total) / (double)(state->count - 1);
		if (function == PERUN_AGGREGATE_STD)
			values[g] = sqrt(values[g]);
	}
	perun_free(work.states);
	return status;
}

static int check_column(struct perun_ctx *ctx, const struct perun_groups *groups,
			const struct perun_column *column)
{
	if (perun_column_table(column) == groups->table)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_USAGE, "column %s does not belong to the grouped table %s",
			  perun_column_info(column)->name, perun_table_name(groups->table));
}

int perun_aggregate(struct perun_ctx *ctx, const struct perun_groups *groups,
		    const struct perun_column *column, enum perun_aggregate function,
		    double argument, double *values)
{
	struct work work = {groups, column, pass_of(column, function), NULL, 0, NULL};
	int status = check_column(ctx, groups, column);

	if (status != PERUN_OK)
		return status;
	if (function == PERUN_AGGREGATE_QUANTILE && !(argument >= 0 && argument <= 1))
		return perun_fail(ctx, PERUN_USAGE, "quantile %g is not between 0 and 1", argument);
	if (function == PERUN_AGGREGATE_MEDIAN || function == PERUN_AGGREGATE_QUANTILE)
		return perun_aggregate_ordered(ctx, groups, column,
					       function == PERUN_AGGREGATE_MEDIAN ? 0.5 : argument,
					       values);
	if (function == PERUN_AGGREGATE_NUNIQUE)
		return perun_aggregate_nunique(ctx, groups, column, values);
	status = run(ctx, &work);
	for (size_t g = 0; g < groups->count && status == PERUN_OK; g++)
		values[g] = value_of(&work.states[g], work.pass, function);
	perun_free(work.states);
	if (status == PERUN_OK &&
	    (function == PERUN_AGGREGATE_STD || function == PERUN_AGGREGATE_VARIANCE))
		status = add_squares(ctx, groups, column, function, values);
	return status;
}

int perun_aggregate_int64(struct perun_ctx *ctx, const struct perun_groups *groups,
			  const struct perun_column *column, int64_t *sums)
{
	struct work work = {groups, column, PASS_INTEGER, NULL, 0, NULL};
	int status = check_column(ctx, groups, column);

	if (status != PERUN_OK)
		return status;
	if (!is_integer(column))
		return perun_fail(ctx, PERUN_INPUT, "column %s does not hold integers",
				  perun_column_info(column)->name);
	status = run(ctx, &work);
	for (size_t g = 0; g < groups->count && status == PERUN_OK; g++) {
		if (!perun_wide_to_int64(work.states[g].integer, &sums[g]))
			status = perun_fail(ctx, PERUN_INPUT,
					    "a sum of column %s does not fit in 64 bits",
					    perun_column_info(column)->name);
	}
	perun_free(work.states);
	return status;
}
