/* SPDX-License-Identifier: BSD-3-Clause */
/* Experiments: the rows of a profile by call path, metric and point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context/hash.h"
#include "perun/lib/advice.h"
#include "perun/lib/experiment.h"
#include "perun/lib/units.h"
#include "perun/json.h"

/* ---- call paths ------------------------------------------------------------------------------ */

perun_id perun_builder_callpath(struct perun_builder *builder, const char *path, size_t length)
{
	perun_id locations[1024];
	size_t count = 0, end = length;

	/* From the leaf, which is last, to the root. */
	while (count < sizeof locations / sizeof *locations) {
		size_t start = end;
		struct perun_function function = {0};
		struct perun_line line = {0};
		struct perun_location location = {
			.mapping = PERUN_NO_ID, .line_count = 1, .lines = &line};

		while (start >= 2 && !(path[start - 2] == '-' && path[start - 1] == '>'))
			start--;
		if (start < 2 || count + 1 == sizeof locations / sizeof *locations)
			start = 0;
		function.name = function.system_name =
			perun_builder_string(builder, path + start, end - start);
		line.function = perun_builder_function(builder, &function);
		locations[count++] = perun_builder_location(builder, &location);
		if (start == 0)
			break;
		end = start - 2;
	}
	return perun_builder_stack(builder, locations, count);
}

static void print_line(const struct perun_profile *profile, const struct perun_location *location,
		       uint32_t line, struct perun_buffer *out)
{
	perun_id id = location->line_count ? location->lines[line].function : PERUN_NO_ID;
	size_t length;
	const char *name;

	if (id == PERUN_NO_ID) {
		perun_buffer_printf(out, "0x%llx", (unsigned long long)location->address);
		return;
	}
	name = perun_profile_string(profile, perun_profile_function(profile, id)->name, &length);
	perun_buffer_add(out, name, length);
}

void perun_callpath_print(const struct perun_profile *profile, perun_id stack,
			  struct perun_buffer *out)
{
	size_t count;
	const perun_id *locations = perun_profile_stack(profile, stack, &count);
	bool first = true;

	for (size_t i = count; i-- > 0;) {
		const struct perun_location *location =
			perun_profile_location(profile, locations[i]);
		uint32_t lines = location->line_count ? location->line_count : 1;

		while (lines-- > 0) {
			if (!first)
				perun_buffer_add(out, "->", 2);
			first = false;
			print_line(profile, location, lines, out);
		}
	}
	perun_buffer_add(out, "", 0);
}

/* ---- for readers ----------------------------------------------------------------------------- */

void perun_experiment_begin(struct perun_builder *builder, struct perun_experiment_rows *rows)
{
	static const struct perun_column_info infos[] = {
		{.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY},
		{.name = "metric", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY},
		{.name = "point", .type = PERUN_TYPE_POINT, .role = PERUN_ROLE_PARAMETER},
		{.name = "value", .type = PERUN_TYPE_DOUBLE, .role = PERUN_ROLE_METRIC},
	};

	rows->table = perun_builder_table(builder, "resources");
	rows->stack = perun_table_add_column(rows->table, &infos[0]);
	rows->metric = perun_table_add_column(rows->table, &infos[1]);
	rows->point = perun_table_add_column(rows->table, &infos[2]);
	rows->value = perun_table_add_column(rows->table, &infos[3]);
	rows->subtype = NULL;
	rows->overlap = PERUN_NO_ID;
	perun_column_save_memory(rows->stack);
	perun_column_save_memory(rows->metric);
	perun_column_save_memory(rows->point);
	perun_column_save_memory(rows->value);
}

/* Rows whose values are there. */
static void end_rows(const struct perun_experiment_rows *rows, perun_id callpath, perun_id metric,
		     perun_id point, size_t count)
{
	perun_column_append_same_id(rows->stack, PERUN_TYPE_STACK, callpath, count);
	perun_column_append_same_id(rows->metric, PERUN_TYPE_STRING, metric, count);
	perun_column_append_same_id(rows->point, PERUN_TYPE_POINT, point, count);
	if (rows->overlap != PERUN_NO_ID)
		perun_column_append_same_id(rows->subtype, PERUN_TYPE_STRING, rows->overlap, count);
	else if (rows->subtype)
		perun_column_append_absent(rows->subtype, count);
	perun_table_end_rows(rows->table, count);
}

void perun_experiment_add(const struct perun_experiment_rows *rows, perun_id callpath,
			  perun_id metric, perun_id point, const double *values, size_t count)
{
	perun_column_append_double(rows->value, values, NULL, count);
	end_rows(rows, callpath, metric, point, count);
}

void perun_experiment_add_numbers(struct perun_numbers *numbers, perun_id callpath, perun_id metric,
				  perun_id point)
{
	perun_column_append_double(numbers->rows->value, numbers->values, NULL, numbers->count);
	end_rows(numbers->rows, callpath, metric, point, numbers->passed + numbers->count);
	numbers->passed = numbers->count = 0;
}

void perun_experiment_overlap(struct perun_builder *builder, struct perun_experiment_rows *rows,
			      bool overlaps)
{
	static const struct perun_column_info info = {
		.name = "subtype", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY};

	if (overlaps && !rows->subtype) {
		rows->subtype = perun_table_add_column(rows->table, &info);
		perun_column_save_memory(rows->subtype);
	}
	rows->overlap = overlaps ? perun_builder_text(builder, PERUN_OVERLAP) : PERUN_NO_ID;
}

perun_id perun_builder_metric(struct perun_builder *builder, const char *name, size_t length)
{
	struct perun_json *document = perun_builder_document(builder);
	perun_id metric = perun_builder_string(builder, name, length);

	if (perun_builder_is_described(builder, metric))
		return metric;
	if (!perun_json_get(document, "metrics")) /* its place in the document is here */
		perun_json_set(document, "metrics", perun_json_object());
	perun_builder_describe(builder, metric, "repeats", "rows");
	return metric;
}

/* ---- rows to series -------------------------------------------------------------------------- */

struct columns {
	const struct perun_column *stack, *metric, *point, *value, *subtype;
	const struct perun_column *median, *minimum, *maximum, *std, *repetitions;
};

struct gathering {
	struct perun_ctx *ctx;
	struct perun_experiment *experiment;
	struct columns columns;
	size_t rows;
	uint32_t *series_of; /* of each row; UINT32_MAX = none */
	uint32_t *metric_at; /* string id -> number of the metric + 1 */
	uint32_t *slots;     /* hash table of series + 1 */
	size_t slot_count;
	size_t series_room, metric_room, measurement_room;
};

static int find_columns(struct gathering *gathering, const struct perun_profile *profile)
{
	const struct perun_table *table = perun_resources(profile);
	struct columns *columns = &gathering->columns;
	const struct {
		const char *name;
		const struct perun_column **column;
		int type; /* -1 = numbers */
		bool needed;
	} wanted[] = {
		{"stack", &columns->stack, PERUN_TYPE_STACK, true},
		{"metric", &columns->metric, PERUN_TYPE_STRING, true},
		{"point", &columns->point, PERUN_TYPE_POINT, true},
		{"value", &columns->value, -1, true},
		{"subtype", &columns->subtype, PERUN_TYPE_STRING, false},
		{"median", &columns->median, -1, false},
		{"minimum", &columns->minimum, -1, false},
		{"maximum", &columns->maximum, -1, false},
		{"std", &columns->std, -1, false},
		{"repetitions", &columns->repetitions, -1, false},
	};

	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		const struct perun_column *column = perun_table_column(table, wanted[i].name);

		if (column && wanted[i].type >= 0 &&
		    (int)perun_column_info(column)->type != wanted[i].type)
			column = NULL;
		if (!column && wanted[i].needed)
			return perun_fail(gathering->ctx, PERUN_INPUT,
					  "the profile is not an experiment: its resources have no "
					  "column %s",
					  wanted[i].name);
		*wanted[i].column = column;
	}
	gathering->rows = perun_table_rows(table);
	return PERUN_OK;
}

static uint32_t metric_number(struct gathering *gathering, perun_id name)
{
	struct perun_experiment *experiment = gathering->experiment;

	if (gathering->metric_at[name] == 0) {
		PERUN_GROW(experiment->metrics, experiment->metric_count, gathering->metric_room);
		experiment->metrics[experiment->metric_count++] =
			perun_profile_string(experiment->profile, name, NULL);
		gathering->metric_at[name] = (uint32_t)experiment->metric_count;
	}
	return gathering->metric_at[name] - 1;
}

/* Metrics that the document names come first, in its order. */
static void name_metrics(struct gathering *gathering)
{
	const struct perun_profile *profile = gathering->experiment->profile;
	const struct perun_json *metrics =
		perun_json_get(perun_profile_document(profile), "metrics");

	for (size_t i = 0; i < perun_json_count(metrics); i++) {
		size_t length;
		const char *name = perun_json_key_at(metrics, i, &length);
		perun_id id = name ? perun_profile_find_string(profile, name, length) : PERUN_NO_ID;

		if (id != PERUN_NO_ID)
			metric_number(gathering, id);
	}
}

static size_t slot_of(const struct gathering *gathering, uint32_t callpath, uint32_t metric)
{
	const struct perun_experiment_series *series = gathering->experiment->series;
	uint64_t key = (uint64_t)callpath << 32 | metric;
	size_t slot = perun_hash_word(key, perun_hash_secret) & (gathering->slot_count - 1);

	while (gathering->slots[slot] && (series[gathering->slots[slot] - 1].callpath != callpath ||
					  series[gathering->slots[slot] - 1].metric != metric))
		slot = (slot + 1) & (gathering->slot_count - 1);
	return slot;
}

/* Room for one series more than there are, with at least as many free slots. */
static void grow_slots(struct gathering *gathering)
{
	if (!gathering->slot_count)
		gathering->slot_count = 256;
	while (gathering->slot_count <= 2 * gathering->experiment->series_count)
		gathering->slot_count *= 2;
	perun_free(gathering->slots);
	gathering->slots = perun_alloc_zero(gathering->slot_count, sizeof *gathering->slots);
	for (size_t i = 0; i < gathering->experiment->series_count; i++) {
		const struct perun_experiment_series *series = &gathering->experiment->series[i];

		gathering->slots[slot_of(gathering, series->callpath, series->metric)] =
			(uint32_t)i + 1;
	}
}

static uint32_t series_number(struct gathering *gathering, uint32_t callpath, uint32_t metric)
{
	struct perun_experiment *experiment = gathering->experiment;
	size_t slot;

	if (experiment->series_count * 2 >= gathering->slot_count)
		grow_slots(gathering);
	slot = slot_of(gathering, callpath, metric);
	if (gathering->slots[slot] == 0) {
		PERUN_GROW(experiment->series, experiment->series_count, gathering->series_room);
		experiment->series[experiment->series_count++] =
			(struct perun_experiment_series){.callpath = callpath, .metric = metric};
		gathering->slots[slot] = (uint32_t)experiment->series_count;
	}
	return gathering->slots[slot] - 1;
}

/* The series of every row, and how many rows each has (in `count`). */
static void find_series(struct gathering *gathering)
{
	const struct columns *columns = &gathering->columns;
	const perun_id overlap = perun_profile_find_string(gathering->experiment->profile,
							   PERUN_OVERLAP, strlen(PERUN_OVERLAP));
	perun_id last_stack = PERUN_NO_ID, last_metric = PERUN_NO_ID;
	uint32_t number = UINT32_MAX;

	gathering->series_of = perun_alloc_zero(gathering->rows, sizeof *gathering->series_of);
	for (size_t row = 0; row < gathering->rows;) {
		struct perun_span stacks, metrics, points;

		perun_column_span(columns->stack, row, &stacks);
		perun_column_span(columns->metric, row, &metrics);
		perun_column_span(columns->point, row, &points);
		for (; row < stacks.first + stacks.count; row++) {
			perun_id stack = stacks.ids[row - stacks.first];
			perun_id metric = metrics.ids[row - metrics.first];

			gathering->series_of[row] = UINT32_MAX;
			if (stack == PERUN_NO_ID || metric == PERUN_NO_ID ||
			    points.ids[row - points.first] == PERUN_NO_ID)
				continue;
			if (stack != last_stack || metric != last_metric || number == UINT32_MAX)
				number = series_number(gathering, stack,
						       metric_number(gathering, metric));
			last_stack = stack;
			last_metric = metric;
			gathering->series_of[row] = number;
			gathering->experiment->series[number].count++;
			if (columns->subtype && overlap != PERUN_NO_ID &&
			    perun_column_id(columns->subtype, row) == overlap)
				gathering->experiment->series[number].overlaps = true;
		}
	}
}

/* ---- series to measurements ------------------------------------------------------------------ */

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y ? 1 : isnan(x) - isnan(y);
}

static void sort_doubles(double *values, size_t count)
{
	if (count > 16) {
		qsort(values, count, sizeof *values, compare_doubles);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		double value = values[i];
		size_t k = i;

		for (; k && values[k - 1] > value; k--)
			values[k] = values[k - 1];
		values[k] = value;
	}
}

/* Statistics of values, which are sorted by it. */
static void summarize(double *values, size_t count, struct perun_measurement *measurement)
{
	double sum = 0, squares = 0, n = (double)count;
	bool broken = false;

	for (size_t i = 0; i < count; i++) {
		sum += values[i];
		broken |= isnan(values[i]);
	}
	measurement->mean = sum / n;
	for (size_t i = 0; i < count; i++)
		squares += (values[i] - measurement->mean) * (values[i] - measurement->mean);
	measurement->std = sqrt(squares / n);
	measurement->repetitions = (uint32_t)count;
	sort_doubles(values, count);
	measurement->minimum = broken ? NAN : values[0];
	measurement->maximum = broken ? NAN : values[count - 1];
	measurement->median = broken ? NAN : (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static double number_at(const struct perun_column *column, size_t row)
{
	return column ? perun_column_double(column, row) : NAN;
}

static void take_statistics(const struct columns *columns, size_t row,
			    struct perun_measurement *measurement)
{
	double repetitions = number_at(columns->repetitions, row);

	measurement->mean = number_at(columns->value, row);
	measurement->median = number_at(columns->median, row);
	measurement->minimum = number_at(columns->minimum, row);
	measurement->maximum = number_at(columns->maximum, row);
	measurement->std = number_at(columns->std, row);
	measurement->repetitions = repetitions > 0 && repetitions < 4e9 ? (uint32_t)repetitions : 0;
}

/* Rows of one series: where each of its points is, and the values of each. */
struct sorting {
	size_t *order;      /* rows by series */
	uint32_t *place_of; /* of each point: its measurement + 1 in the current series */
	double *values;     /* of the rows of a series, by measurement */
	size_t *ends, room;
};

static const struct perun_measurement *add_measurement(struct gathering *gathering, uint32_t point)
{
	struct perun_experiment *experiment = gathering->experiment;

	PERUN_GROW(experiment->measurements, experiment->measurement_count,
		   gathering->measurement_room);
	experiment->measurements[experiment->measurement_count] =
		(struct perun_measurement){.point = point};
	return &experiment->measurements[experiment->measurement_count++];
}

static void measure_series(struct gathering *gathering, struct sorting *sorting,
			   struct perun_experiment_series *series, const size_t *rows, size_t count)
{
	const struct columns *columns = &gathering->columns;
	struct perun_experiment *experiment = gathering->experiment;
	size_t filled = 0;

	series->first = experiment->measurement_count;
	series->count = 0;
	for (size_t i = 0; i < count; i++) {
		perun_id point = perun_column_id(columns->point, rows[i]);

		if (sorting->place_of[point] == 0) {
			add_measurement(gathering, point);
			sorting->place_of[point] = (uint32_t)++series->count;
			sorting->ends[series->count - 1] = 0;
		}
		sorting->ends[sorting->place_of[point] - 1]++;
	}
	for (size_t k = 0; k < series->count; k++) { /* counts become starts */
		size_t own = sorting->ends[k];

		sorting->ends[k] = filled;
		filled += own;
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t place = sorting->place_of[perun_column_id(columns->point, rows[i])] - 1;

		sorting->values[sorting->ends[place]++] =
			perun_column_double(columns->value, rows[i]);
		if (columns->repetitions)
			take_statistics(columns, rows[i],
					&experiment->measurements[series->first + place]);
	}
	for (size_t k = 0, start = 0; k < series->count; start = sorting->ends[k++]) {
		struct perun_measurement *measurement =
			&experiment->measurements[series->first + k];

		if (!columns->repetitions)
			summarize(sorting->values + start, sorting->ends[k] - start, measurement);
		sorting->place_of[measurement->point] = 0;
	}
}

/* Rows by series, in their order within each (a counting sort), then each series. */
static void measure_all(struct gathering *gathering)
{
	struct perun_experiment *experiment = gathering->experiment;
	size_t *starts = perun_alloc_zero(experiment->series_count + 1, sizeof *starts),
	       longest = 0;
	struct sorting sorting = {
		.order = perun_alloc_zero(gathering->rows, sizeof *sorting.order),
		.place_of = perun_alloc_zero(experiment->points, sizeof *sorting.place_of)};

	for (size_t i = 0; i < experiment->series_count; i++) {
		size_t count = experiment->series[i].count;

		starts[i + 1] = starts[i] + count;
		longest = count > longest ? count : longest;
	}
	for (size_t row = 0; row < gathering->rows; row++)
		if (gathering->series_of[row] != UINT32_MAX)
			sorting.order[starts[gathering->series_of[row]]++] = row;
	sorting.values = perun_alloc_zero(longest, sizeof *sorting.values);
	sorting.ends = perun_alloc_zero(longest, sizeof *sorting.ends);
	for (size_t i = 0, start = 0; i < experiment->series_count; start = starts[i++])
		measure_series(gathering, &sorting, &experiment->series[i], sorting.order + start,
			       starts[i] - start);
	perun_free(starts);
	perun_free(sorting.order);
	perun_free(sorting.place_of);
	perun_free(sorting.values);
	perun_free(sorting.ends);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void fill_names(struct perun_experiment *experiment)
{
	const struct perun_profile *profile = experiment->profile;
	struct perun_buffer path = {0};

	experiment->parameters = perun_profile_parameters(profile);
	experiment->points = perun_profile_points(profile);
	experiment->callpaths = perun_profile_stacks(profile);
	experiment->parameter_names =
		perun_alloc_zero(experiment->parameters, sizeof *experiment->parameter_names);
	for (size_t i = 0; i < experiment->parameters; i++)
		experiment->parameter_names[i] =
			perun_profile_parameter(profile, (perun_id)i, NULL);
	experiment->coordinates = perun_alloc_zero(experiment->points * experiment->parameters,
						   sizeof *experiment->coordinates);
	for (size_t i = 0; i < experiment->points; i++) {
		size_t count;
		const double *values = perun_profile_point(profile, (perun_id)i, &count);

		for (size_t p = 0; p < experiment->parameters; p++)
			experiment->coordinates[i * experiment->parameters + p] =
				p < count ? values[p] : NAN;
	}
	experiment->callpath_names =
		perun_alloc_zero(experiment->callpaths, sizeof *experiment->callpath_names);
	for (size_t i = 0; i < experiment->callpaths; i++) {
		perun_callpath_print(profile, (perun_id)i, &path);
		experiment->callpath_names[i] = perun_strndup(path.data, path.length);
		perun_buffer_clear(&path);
	}
	perun_buffer_free(&path);
}

static int check_complete(struct perun_ctx *ctx, const struct perun_experiment *experiment)
{
	const struct {
		size_t count;
		const char *what;
	} parts[] = {{experiment->parameters, "parameters"},
		     {experiment->points, "points"},
		     {experiment->metric_count, "metrics"},
		     {experiment->callpaths, "call paths"}};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].count == 0)
			return perun_fail(ctx, PERUN_INPUT, "the experiment has no %s",
					  parts[i].what);
	for (size_t i = 0; i < experiment->points * experiment->parameters; i++)
		if (isnan(experiment->coordinates[i]))
			return perun_fail(
				ctx, PERUN_INPUT,
				"point %zu of the experiment has no value of parameter %s",
				i / experiment->parameters + 1,
				experiment->parameter_names[i % experiment->parameters]);
	return PERUN_OK;
}

static int check_measured(struct perun_ctx *ctx, const struct perun_experiment *experiment)
{
	for (size_t i = 0; i < experiment->series_count; i++) {
		const struct perun_experiment_series *series = &experiment->series[i];

		if (series->count != experiment->points)
			return perun_fail(ctx, PERUN_INPUT,
					  "call path '%s', metric '%s': measured at %zu of %zu "
					  "points%s",
					  experiment->callpath_names[series->callpath],
					  experiment->metrics[series->metric], series->count,
					  experiment->points,
					  perun_advice(PERUN_ADVICE_MISSING_POINTS));
	}
	return PERUN_OK;
}

/* A format where points may be missing says so: extra.extrap.missing_points. */
static bool may_miss_points(const struct perun_profile *profile)
{
	bool missing = false;

	perun_json_as_bool(
		perun_json_path(perun_profile_document(profile), "/extra/extrap/missing_points"),
		&missing);
	return missing;
}

int perun_experiment_new(struct perun_ctx *ctx, const struct perun_profile *profile,
			 bool allow_missing, struct perun_experiment **result)
{
	struct perun_experiment *experiment = perun_alloc_zero(1, sizeof *experiment);
	struct gathering gathering = {.ctx = ctx, .experiment = experiment};
	int status = find_columns(&gathering, profile);

	*result = NULL;
	experiment->profile = profile;
	if (!status) {
		fill_names(experiment);
		gathering.metric_at = perun_alloc_zero(perun_profile_strings(profile),
						       sizeof *gathering.metric_at);
		name_metrics(&gathering);
		find_series(&gathering);
		measure_all(&gathering);
		experiment->statistics_known = !gathering.columns.repetitions;
		status = check_complete(ctx, experiment);
	}
	if (!status && !allow_missing && !may_miss_points(profile))
		status = check_measured(ctx, experiment);
	perun_free(gathering.series_of);
	perun_free(gathering.metric_at);
	perun_free(gathering.slots);
	if (status)
		perun_experiment_free(experiment);
	else
		*result = experiment;
	return status;
}

const char *perun_experiment_unit(const struct perun_experiment *experiment, size_t metric)
{
	const struct perun_metric *known =
		perun_metric(experiment->profile, experiment->metrics[metric]);

	if (known && known->unit && *known->unit)
		return known->unit;
	return strcmp(experiment->metrics[metric], "time") == 0 ? "s" : "";
}

bool perun_experiment_is_time(const struct perun_experiment *experiment, size_t metric)
{
	return strcmp(experiment->metrics[metric], "time") == 0 ||
	       perun_unit_of(perun_experiment_unit(experiment, metric)).kind == PERUN_UNIT_TIME;
}

void perun_experiment_free(struct perun_experiment *experiment)
{
	if (!experiment)
		return;
	for (size_t i = 0; i < experiment->callpaths && experiment->callpath_names; i++)
		perun_free(experiment->callpath_names[i]);
	perun_free(experiment->callpath_names);
	perun_free(experiment->parameter_names);
	perun_free(experiment->coordinates);
	perun_free(experiment->metrics);
	perun_free(experiment->series);
	perun_free(experiment->measurements);
	perun_free(experiment);
}

/* ---- for writers ----------------------------------------------------------------------------- */

/* The metrics of the experiment, sorted by where their names are in the pool: they may hold a NUL. */
struct known_metric {
	uintptr_t name;
	uint32_t number;
};

static int compare_metrics(const void *a, const void *b)
{
	uintptr_t x = ((const struct known_metric *)a)->name;
	uintptr_t y = ((const struct known_metric *)b)->name;

	return x < y ? -1 : x > y;
}

static struct known_metric *known_metrics(const struct perun_experiment *experiment)
{
	struct known_metric *known = perun_alloc_zero(experiment->metric_count + 1, sizeof *known);

	for (size_t i = 0; i < experiment->metric_count; i++)
		known[i] = (struct known_metric){(uintptr_t)experiment->metrics[i], (uint32_t)i};
	qsort(known, experiment->metric_count, sizeof *known, compare_metrics);
	return known;
}

/* Of each string that names a metric: the number of the metric + 1. */
static uint32_t *number_metrics(const struct perun_experiment *experiment)
{
	size_t strings = perun_profile_strings(experiment->profile);
	struct known_metric *known = known_metrics(experiment);
	uint32_t *metric_at = perun_alloc_zero(strings, sizeof *metric_at);

	for (size_t i = 0; i < strings; i++) {
		struct known_metric wanted = {
			(uintptr_t)perun_profile_string(experiment->profile, (perun_id)i, NULL), 0};
		const struct known_metric *found = bsearch(&wanted, known, experiment->metric_count,
							   sizeof *known, compare_metrics);

		if (found)
			metric_at[i] = found->number + 1;
	}
	perun_free(known);
	return metric_at;
}

/* Rows of a series, and the measurement of each of its points. */
struct placing {
	struct gathering gathering;
	const struct columns *columns;
	uint32_t *series_of;  /* of each row, UINT32_MAX = none */
	size_t *order, count; /* rows by series */
};

static void sort_by_series(struct placing *placing, size_t rows)
{
	const struct perun_experiment *experiment = placing->gathering.experiment;
	size_t *starts = perun_alloc_zero(experiment->series_count + 1, sizeof *starts);

	placing->order = perun_alloc_zero(rows, sizeof *placing->order);
	for (size_t row = 0; row < rows; row++)
		if (placing->series_of[row] != UINT32_MAX)
			starts[placing->series_of[row] + 1]++;
	for (size_t i = 0; i < experiment->series_count; i++)
		starts[i + 1] += starts[i];
	for (size_t row = 0; row < rows; row++)
		if (placing->series_of[row] != UINT32_MAX)
			placing->order[starts[placing->series_of[row]]++] = row;
	placing->count = experiment->series_count ? starts[experiment->series_count - 1] : 0;
	perun_free(starts);
}

static void find_row_series(struct placing *placing, size_t rows)
{
	const struct perun_experiment *experiment = placing->gathering.experiment;
	uint32_t *metric_at = number_metrics(experiment);

	grow_slots(&placing->gathering);
	placing->series_of = perun_alloc_zero(rows, sizeof *placing->series_of);
	for (size_t row = 0; row < rows; row++) {
		perun_id stack = perun_column_id(placing->columns->stack, row);
		perun_id metric = perun_column_id(placing->columns->metric, row);

		placing->series_of[row] = UINT32_MAX;
		if (stack == PERUN_NO_ID || metric == PERUN_NO_ID || !metric_at[metric] ||
		    perun_column_id(placing->columns->point, row) == PERUN_NO_ID)
			continue;
		placing->series_of[row] =
			placing->gathering
				.slots[slot_of(&placing->gathering, stack, metric_at[metric] - 1)] -
			1;
	}
	perun_free(placing->gathering.slots);
	perun_free(metric_at);
}

/* The measurement of each row; UINT32_MAX = none. */
static uint32_t *measurement_of_rows(const struct perun_experiment *experiment,
				     const struct columns *columns, size_t rows)
{
	struct placing placing = {
		.gathering = {.experiment = (struct perun_experiment *)experiment},
		.columns = columns};
	uint32_t *result = perun_alloc_zero(rows, sizeof *result);
	size_t *place_of = perun_alloc_zero(experiment->points, sizeof *place_of);
	uint32_t last = UINT32_MAX;

	find_row_series(&placing, rows);
	sort_by_series(&placing, rows);
	memset(result, 0xff, rows * sizeof *result);
	for (size_t i = 0; i < placing.count; i++) {
		size_t row = placing.order[i];
		uint32_t own = placing.series_of[row];

		if (own != last) {
			const struct perun_experiment_series *series = &experiment->series[own];

			for (size_t k = 0; k < series->count; k++)
				place_of[experiment->measurements[series->first + k].point] =
					series->first + k;
		}
		last = own;
		result[row] = (uint32_t)place_of[perun_column_id(columns->point, row)];
	}
	perun_free(placing.series_of);
	perun_free(placing.order);
	perun_free(place_of);
	return result;
}

void perun_experiment_repetitions(const struct perun_experiment *experiment,
				  struct perun_repetitions *repetitions)
{
	struct gathering gathering = {0};
	size_t count = experiment->measurement_count, used = 0, *at;
	uint32_t *place;

	find_columns(&gathering, experiment->profile);
	*repetitions = (struct perun_repetitions){
		.starts = perun_alloc_zero(count + 1, sizeof *repetitions->starts),
		.values = perun_alloc_zero(gathering.rows, sizeof *repetitions->values)};
	place = measurement_of_rows(experiment, &gathering.columns, gathering.rows);
	for (size_t row = 0; row < gathering.rows; row++)
		if (place[row] != UINT32_MAX)
			repetitions->starts[place[row] + 1]++;
	for (size_t i = 0; i < count; i++)
		repetitions->starts[i + 1] += repetitions->starts[i];
	at = perun_memdup(repetitions->starts, (count + 1) * sizeof *at);
	for (size_t row = 0; row < gathering.rows; row++) {
		if (place[row] == UINT32_MAX)
			continue;
		repetitions->values[at[place[row]]++] =
			perun_column_double(gathering.columns.value, row);
		used++;
	}
	if (gathering.columns.repetitions)
		repetitions->summaries = used;
	perun_free(place);
	perun_free(at);
}

void perun_repetitions_clear(struct perun_repetitions *repetitions)
{
	perun_free(repetitions->values);
	perun_free(repetitions->starts);
}
