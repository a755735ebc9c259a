/* SPDX-License-Identifier: BSD-3-Clause */
/* Experiments from profiles of any kind: each is measured at some values of parameters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"
#include "perun/lib/experiment.h"
#include "perun/json.h"
#include "perun/query.h"

/* A value that a row has: of a call path and metric, at a point. */
struct cell {
	perun_id callpath, metric, point;
	double value;
};

struct gather {
	struct perun_ctx *ctx;
	const struct perun_gathering *what;
	struct perun_builder *builder;
	struct perun_experiment_rows rows;
	struct cell *cells; /* of one profile */
	size_t count, room;
	/* Parameters that are, in each profile, the number of its processes, and those that are more than 1 in one. */
	uint32_t processors, several;
};

/* Of one profile: where the values of its parameters are. */
struct source {
	struct perun_profile *profile;
	const char *name;                                           /* for messages */
	const struct perun_column *columns[PERUN_POINT_PARAMETERS]; /* NULL = one for all rows */
	double values[PERUN_POINT_PARAMETERS];
	perun_id *callpath_of; /* of each stack, + 1; 0 = not made yet */
};

/* ---- callpaths and metrics ------------------------------------------------------------------- */

static perun_id add_callpath(struct gather *gather, const struct perun_buffer *text)
{
	return text->length ? perun_builder_callpath(gather->builder, text->data, text->length)
			    : perun_builder_callpath(gather->builder, "<root>", 6);
}

static perun_id callpath_at(struct gather *gather, struct source *source,
			    const struct perun_column *stack, const struct perun_column *uid,
			    size_t row)
{
	perun_id id = stack ? perun_column_id(stack, row) : PERUN_NO_ID, made;
	struct perun_buffer text = {0};

	if (id != PERUN_NO_ID && source->callpath_of[id])
		return source->callpath_of[id] - 1;
	if (id != PERUN_NO_ID)
		perun_callpath_print(source->profile, id, &text);
	else if (uid)
		perun_column_flat(uid, row, &text);
	made = add_callpath(gather, &text);
	if (id != PERUN_NO_ID)
		source->callpath_of[id] = made + 1;
	perun_buffer_free(&text);
	return made;
}

/* Keep what is known of a metric. */
static perun_id add_metric(struct gather *gather, const struct perun_metric *metric)
{
	struct perun_json *document = perun_builder_document(gather->builder);
	struct perun_json *metrics = perun_json_get(document, "metrics"), *about;

	if (!metrics) {
		metrics = perun_json_object();
		perun_json_set(document, "metrics", metrics);
	}
	about = perun_json_get(metrics, metric->name);
	if (!about) {
		about = perun_json_object();
		perun_json_set(metrics, metric->name, about);
		perun_json_set(about, "repeats", perun_json_text("rows"));
	}
	if (metric->unit && *metric->unit)
		perun_json_set(about, "unit", perun_json_text(metric->unit));
	if (metric->inclusive)
		perun_json_set(about, "inclusive", perun_json_bool(true));
	return perun_builder_text(gather->builder, metric->name);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static perun_id point_at(struct gather *gather, const struct source *source, size_t row)
{
	double values[PERUN_POINT_PARAMETERS];

	for (size_t p = 0; p < gather->what->parameter_count; p++) {
		values[p] = source->columns[p] ? perun_column_double(source->columns[p], row)
					       : source->values[p];
		if (!isfinite(values[p]))
			return PERUN_NO_ID;
	}
	return perun_builder_point(gather->builder, values, gather->what->parameter_count);
}

static void take_rows(struct gather *gather, struct source *source,
		      const struct perun_metric *metric, perun_id metric_id)
{
	const struct perun_table *table = perun_resources(source->profile);
	const struct perun_column *stack = perun_table_column(table, "stack");
	const struct perun_column *uid = perun_table_column(table, "uid");
	size_t count;
	const uint32_t *rows = perun_metric_rows(source->profile, metric, &count);

	if (stack && perun_column_info(stack)->type != PERUN_TYPE_STACK)
		stack = NULL;
	for (size_t i = 0; i < count; i++) {
		size_t row = rows ? rows[i] : i;
		double value;
		perun_id point;

		value = perun_column_double(metric->values, row);
		point = point_at(gather, source, row);
		if (isnan(value) || point == PERUN_NO_ID)
			continue;
		PERUN_GROW(gather->cells, gather->count, gather->room);
		gather->cells[gather->count++] = (struct cell){
			callpath_at(gather, source, stack, uid, row), metric_id, point, value};
	}
}

static int compare_cells(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->callpath != y->callpath)
		return x->callpath < y->callpath ? -1 : 1;
	if (x->metric != y->metric)
		return x->metric < y->metric ? -1 : 1;
	if (x->point != y->point)
		return x->point < y->point ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

/* What the rows of a call path come to; sorted by value, so that the sum is the same in any order. */
static void sum_cells(struct gather *gather)
{
	size_t used = 0;

	if (gather->count == 0)
		return;
	qsort(gather->cells, gather->count, sizeof *gather->cells, compare_cells);
	for (size_t i = 1; i < gather->count; i++) {
		struct cell *last = &gather->cells[used], *cell = &gather->cells[i];

		if (last->callpath == cell->callpath && last->metric == cell->metric &&
		    last->point == cell->point)
			last->value += cell->value;
		else
			gather->cells[++used] = *cell;
	}
	gather->count = used + 1;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* Number `wanted` (from 1) of a text; 0 = the only one. */
static int number_in(struct gather *gather, const struct source *source, const char *parameter,
		     const char *text, size_t wanted, double *value)
{
	const char *rest = text;
	size_t count = 0;
	double found;

	while (perun_next_number(rest, &rest, &found)) {
		count++;
		if (wanted ? count == wanted : count == 1)
			*value = found;
	}
	if (wanted ? count >= wanted : count == 1)
		return PERUN_OK;
	if (count > 1 && !wanted)
		return perun_fail(gather->ctx, PERUN_INPUT,
				  "%s: there are %zu numbers in '%s'; say which: %s[1]",
				  source->name, count, text, parameter);
	return perun_fail(gather->ctx, PERUN_INPUT, "%s: parameter %s: '%s' has too few numbers",
			  source->name, parameter, text);
}

/* The value of --NAME V, --NAME=V, -NAME V or NAME=V among words. */
static bool argument_in(const char *words, const char *name, double *value)
{
	size_t length = strlen(name);

	for (const char *at = words; (at = strstr(at, name)); at += length) {
		const char *start = at, *after = at + length;
		size_t dashes = 0;

		while (start > words && start[-1] == '-')
			start--, dashes++;
		if (start > words && start[-1] != ' ')
			continue;
		if (*after != '=' && !(dashes && *after == ' '))
			continue;
		after += 1 + strspn(after + 1, " ");
		if (perun_json_scan_double(after, strlen(after), value))
			return true;
	}
	return false;
}

/* The value after a parameter in the name of a file, as Extra-P has them: 10 of n in "app.p4n10.r1". */
static bool value_in_name(const char *file, const char *name, double *value)
{
	size_t length = strlen(name);

	for (const char *at = file; (at = strstr(at, name)); at += length) {
		const char before = at > file ? at[-1] : '.', *number = at + length;

		if ((before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z') ||
		    before == '_')
			continue;
		if (perun_json_scan_double(number, strlen(number), value))
			return true;
	}
	return false;
}

static const struct perun_json *document_value(const struct source *source, const char *name)
{
	static const char *const places[] = {
		"",        "/header", "/header/params", "/collector_info", "/collector_info/params",
		"/machine"};
	const struct perun_json *document = perun_profile_document(source->profile), *value = NULL;

	for (size_t i = 0; i < sizeof places / sizeof *places && !value; i++) {
		char *pointer = perun_format("%s/%s", places[i], name);

		for (char *c = pointer; *c; c++)
			*c = *c == '.' ? '/' : *c;
		value = perun_json_path(document, pointer);
		perun_free(pointer);
	}
	return value;
}

static bool is_number_column(const struct perun_column *column)
{
	enum perun_type type = perun_column_info(column)->type;

	return type == PERUN_TYPE_INT64 || type == PERUN_TYPE_UINT64 || type == PERUN_TYPE_DOUBLE;
}

static int find_value(struct gather *gather, struct source *source, const char *parameter,
		      size_t wanted, size_t p)
{
	const struct perun_column *column =
		perun_table_column(perun_resources(source->profile), parameter);
	const struct perun_json *value = document_value(source, parameter);
	double *number = &source->values[p];
	const char *text;

	if (column && is_number_column(column)) {
		source->columns[p] = column;
		return PERUN_OK;
	}
	if (perun_json_as_double(value, number))
		return PERUN_OK;
	text = perun_json_as_string(value, NULL);
	if (text)
		return number_in(gather, source, parameter, text, wanted, number);
	if (strcmp(parameter, "file") == 0)
		return number_in(gather, source, parameter, source->name, wanted, number);
	if (argument_in(perun_profile_text(source->profile, "/header/args"), parameter, number) ||
	    argument_in(perun_profile_text(source->profile, "/header/cmd"), parameter, number) ||
	    argument_in(perun_profile_text(source->profile, "/header/workload"), parameter, number))
		return PERUN_OK;
	if (!wanted && value_in_name(source->name, parameter, number))
		return PERUN_OK;
	return perun_fail(gather->ctx, PERUN_INPUT,
			  "%s has no parameter %s: no column of its resources, no member of its "
			  "header, no argument is called so (a number in its own name: file)",
			  source->name, parameter);
}

/* "workload", "args[2]". */
static int find_parameter(struct gather *gather, struct source *source, const char *parameter,
			  size_t p)
{
	const char *bracket = strrchr(parameter, '[');
	size_t length = bracket ? (size_t)(bracket - parameter) : strlen(parameter);
	char *name = perun_strndup(parameter, length);
	char *end;
	unsigned long wanted = bracket ? strtoul(bracket + 1, &end, 10) : 0;
	int status;

	if (length == 0 || (bracket && (wanted == 0 || strcmp(end, "]") != 0)))
		status = perun_fail(gather->ctx, PERUN_USAGE,
				    "parameter %s: expected NAME or NAME[NUMBER]", parameter);
	else
		status = find_value(gather, source, name, wanted, p);
	perun_free(name);
	return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool sums_rows(const struct gather *gather, const struct source *source)
{
	const struct perun_column *stack =
		perun_table_column(perun_resources(source->profile), "stack");

	if (gather->what->rows != PERUN_ROWS_DEFAULT)
		return gather->what->rows == PERUN_ROWS_SUM;
	return stack && perun_column_info(stack)->type == PERUN_TYPE_STACK;
}

static bool wanted_metric(const struct perun_gathering *what, const struct source *source,
			  const struct perun_metric *metric)
{
	/* What is a parameter is not modelled. */
	for (size_t p = 0; p < what->parameter_count; p++)
		if (source->columns[p] == metric->values)
			return false;
	return true;
}

/* Which parameters count the processors whose rows are put together here. */
static void count_processors(struct gather *gather, const struct source *source)
{
	for (size_t p = 0; p < gather->what->parameter_count; p++) {
		const uint32_t bit = UINT32_C(1) << p;

		if (!(gather->processors & bit))
			continue;
		if (source->columns[p] || !perun_has_processors(source->profile, source->values[p]))
			gather->processors &= ~bit;
		else if (source->values[p] > 1)
			gather->several |= bit;
	}
}

/* Sums over a growing number of processors say so: extra.extrap.summed names the parameter. */
static void report_processors(const struct gather *gather)
{
	const uint32_t known = gather->processors & gather->several;
	struct perun_json *extra, *extrap;

	if (!known)
		return;
	extra = perun_json_object();
	extrap = perun_json_object();
	perun_json_set(extrap, "summed",
		       perun_json_text(gather->what->names[__builtin_ctz(known)]));
	perun_json_set(extra, "extrap", extrap);
	perun_json_set(perun_builder_document(gather->builder), "extra", extra);
}

static int gather_profile(struct gather *gather, struct source *source)
{
	const struct perun_metric *const *metrics;
	int status = PERUN_OK;
	size_t count;

	for (size_t p = 0; p < gather->what->parameter_count && !status; p++)
		status = find_parameter(gather, source, gather->what->parameters[p], p);
	if (status)
		return status;
	source->callpath_of = perun_alloc_zero(perun_profile_stacks(source->profile),
					       sizeof *source->callpath_of);
	metrics = perun_metrics(source->profile, &count);
	gather->count = 0;
	for (size_t i = 0; i < count; i++)
		if (wanted_metric(gather->what, source, metrics[i]))
			take_rows(gather, source, metrics[i], add_metric(gather, metrics[i]));
	if (sums_rows(gather, source)) {
		sum_cells(gather);
		count_processors(gather, source);
	} else {
		gather->processors = 0;
	}
	for (size_t i = 0; i < gather->count; i++) {
		const struct cell *cell = &gather->cells[i];

		perun_experiment_add(&gather->rows, cell->callpath, cell->metric, cell->point,
				     &cell->value, 1);
	}
	perun_free(source->callpath_of);
	return PERUN_OK;
}

int perun_experiment_gather(struct perun_ctx *ctx, const struct perun_gathering *what,
			    struct perun_profile *const *profiles, const char *const *names,
			    size_t count, struct perun_profile **result)
{
	struct gather gather = {
		.ctx = ctx, .what = what, .builder = perun_builder_new(), .processors = UINT32_MAX};
	int status = PERUN_OK;

	*result = NULL;
	if (what->parameter_count == 0 || what->parameter_count > PERUN_POINT_PARAMETERS)
		status = perun_fail(ctx, PERUN_USAGE, "an experiment has 1 to %d parameters",
				    PERUN_POINT_PARAMETERS);
	for (size_t p = 0; p < what->parameter_count && !status; p++)
		perun_builder_parameter(gather.builder, what->names[p], NULL);
	perun_experiment_begin(gather.builder, &gather.rows);
	for (size_t i = 0; i < count && !status; i++) {
		struct source source = {.profile = profiles[i], .name = names[i]};

		status = gather_profile(&gather, &source);
	}
	perun_free(gather.cells);
	if (!status)
		report_processors(&gather);
	if (status)
		perun_builder_free(gather.builder);
	else
		status = perun_builder_finish(ctx, gather.builder, result);
	return status;
}
