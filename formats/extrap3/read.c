/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading records: what was measured, where and when. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/hash.h>

#include "extrap3.h"

enum { PARAMETERS = 64, DEPTH = 1000, PATH_BYTES = 65536, PASSED = 4096 };

/* ---- ids -------------------------------------------------------------------------------------- */

/* The slot that has the id, or a free one. */
static size_t slot_of(const struct extrap3_ids *ids, int64_t id)
{
	size_t slot = (size_t)perun_hash_number((uint64_t)id) & (ids->size - 1);

	while (ids->slots[slot] && ids->list[ids->slots[slot] - 1] != id)
		slot = (slot + 1) & (ids->size - 1);
	return slot;
}

/* Whether there is a thing of that id, and its number. */
static bool look_up(const struct extrap3_ids *ids, int64_t id, size_t *index)
{
	if (ids->list) {
		*index = (size_t)ids->slots[slot_of(ids, id)] - 1;
		return *index != SIZE_MAX;
	}
	*index = ids->step < 0 ? (size_t)((uint64_t)ids->first - (uint64_t)id)
			       : (size_t)((uint64_t)id - (uint64_t)ids->first);
	return *index < ids->count;
}

/* Whether the next id goes on as those before, of which there is no list. */
static bool goes_on(struct extrap3_ids *ids, int64_t id)
{
	const uint64_t far = (uint64_t)id - (uint64_t)ids->first;

	if (ids->count == 0)
		ids->first = id;
	else if (ids->count == 1)
		ids->step = far == 1 ? 1 : -1;
	return ids->count == 0 || far == ids->count * (uint64_t)ids->step;
}

static void fill_slots(struct extrap3_ids *ids)
{
	ids->size = ids->size ? ids->size * 2 : 64;
	while (ids->size < ids->count * 2)
		ids->size *= 2;
	perun_free(ids->slots);
	ids->slots = perun_alloc_zero(ids->size, sizeof *ids->slots);
	for (size_t i = 0; i < ids->count; i++)
		ids->slots[slot_of(ids, ids->list[i])] = (uint32_t)i + 1;
}

static void make_list(struct extrap3_ids *ids)
{
	ids->room = ids->count + 8;
	ids->list = perun_alloc(ids->room * sizeof *ids->list);
	for (size_t i = 0; i < ids->count; i++)
		ids->list[i] = (int64_t)((uint64_t)ids->first + i * (uint64_t)ids->step);
}

/* Reads the id of a new thing. */
static void add_id(struct extrap3_bytes *bytes, struct extrap3_ids *ids, const char *what)
{
	size_t at = bytes->at, index;
	int64_t id = extrap3_integer(bytes);

	if (bytes->status)
		return;
	if (look_up(ids, id, &index)) {
		extrap3_fail(bytes, at, "a second %s %lld", what, (long long)id);
		return;
	}
	if (!ids->list && goes_on(ids, id)) {
		ids->count++;
		return;
	}
	if (!ids->list)
		make_list(ids);
	PERUN_GROW(ids->list, ids->count, ids->room);
	ids->list[ids->count++] = id;
	if (ids->count * 2 > ids->size)
		fill_slots(ids);
	else
		ids->slots[slot_of(ids, id)] = (uint32_t)ids->count;
}

static void free_ids(struct extrap3_ids *ids)
{
	perun_free(ids->list);
	perun_free(ids->slots);
}

size_t extrap3_find(struct extrap3_reading *reading, const struct extrap3_ids *ids,
		    const char *what)
{
	struct extrap3_bytes *bytes = &reading->bytes;
	size_t at = bytes->at, index;
	int64_t id = extrap3_integer(bytes);

	if (bytes->status)
		return 0;
	if (look_up(ids, id, &index))
		return index;
	extrap3_fail(bytes, at, "there is no %s %lld", what, (long long)id);
	return 0;
}

/* ---- parameters, metrics, regions ------------------------------------------------------------- */

static void read_parameter(struct extrap3_reading *reading)
{
	struct extrap3_bytes *bytes = &reading->bytes;
	size_t at = bytes->at;
	struct extrap3_text name;
	char *text;

	add_id(bytes, &reading->parameter_ids, "parameter");
	name = extrap3_text(bytes);
	if (bytes->status)
		return;
	text = perun_strndup(name.text, name.length);
	if (perun_builder_parameter(reading->builder, text, NULL) != reading->parameters)
		extrap3_fail(bytes, at, "a second parameter %s", text);
	else if (++reading->parameters > PARAMETERS)
		extrap3_fail(bytes, at, "more than %d parameters", PARAMETERS);
	else if (reading->point_count)
		extrap3_fail(bytes, at, "a parameter after the first coordinate");
	perun_free(text);
}

static void read_metric(struct extrap3_reading *reading)
{
	struct extrap3_bytes *bytes = &reading->bytes;
	struct extrap3_text name, unit;
	perun_id metric;
	char *text;

	add_id(bytes, &reading->metric_ids, "metric");
	name = extrap3_text(bytes);
	unit = extrap3_text(bytes);
	if (bytes->status)
		return;
	PERUN_GROW(reading->metrics, reading->metric_count, reading->metric_room);
	metric = perun_builder_metric(reading->builder, name.text, name.length);
	reading->metrics[reading->metric_count++] = metric;
	if (unit.length == 0 || extrap3_is(unit, "unknown"))
		return;
	text = perun_strndup(unit.text, unit.length);
	perun_builder_describe(reading->builder, metric, "unit", text);
	perun_free(text);
}

/* Another region of the same name is called "name #1" and so on, as in Extra-P. */
static void read_region(struct extrap3_reading *reading)
{
	struct extrap3_bytes *bytes = &reading->bytes;
	size_t at = bytes->at;
	struct extrap3_text name;
	perun_id id;

	add_id(bytes, &reading->region_ids, "region");
	name = extrap3_text(bytes);
	extrap3_text(bytes); /* file and line */
	extrap3_integer(bytes);
	if (name.length > PATH_BYTES)
		extrap3_fail(bytes, at, "a name of more than %d bytes", PATH_BYTES);
	if (bytes->status)
		return;
	id = perun_builder_string(reading->builder, name.text, name.length);
	if (id >= reading->same_room) {
		size_t room = reading->same_room;

		reading->same_room = (size_t)id * 2 + 64;
		reading->same_name = perun_realloc_array(reading->same_name, reading->same_room,
							 sizeof *reading->same_name);
		memset(reading->same_name + room, 0,
		       (reading->same_room - room) * sizeof *reading->same_name);
	}
	if (reading->same_name[id]++) {
		char *text = perun_format("%.*s #%u", (int)name.length, name.text,
					  (unsigned)reading->same_name[id] - 1);

		id = perun_builder_text(reading->builder, text);
		perun_free(text);
	}
	PERUN_GROW(reading->regions, reading->region_count, reading->region_room);
	reading->regions[reading->region_count++] = id;
}

static void read_comment(struct extrap3_reading *reading)
{
	struct extrap3_text text;

	add_id(&reading->bytes, &reading->comment_ids, "comment");
	text = extrap3_text(&reading->bytes);
	PERUN_GROW(reading->comments, reading->comment_count, reading->comment_room);
	reading->comments[reading->comment_count++] = text;
}

/* ---- call paths ------------------------------------------------------------------------------- */

/* What is called by a path: the function of a name. */
static perun_id make_path(struct extrap3_reading *reading, perun_id caller, perun_id name)
{
	struct perun_function function = {.name = name, .system_name = name};
	struct perun_line line = {.function = perun_builder_function(reading->builder, &function)};
	struct perun_location location = {.mapping = PERUN_NO_ID, .line_count = 1, .lines = &line};

	return perun_builder_path(reading->builder, caller,
				  perun_builder_location(reading->builder, &location));
}

static void read_callpath(struct extrap3_reading *reading)
{
	struct extrap3_bytes *bytes = &reading->bytes;
	struct extrap3_callpath own = {.parent = UINT32_MAX, .depth = 1};
	const struct extrap3_callpath *parent = NULL;
	size_t region, at, length;

	add_id(bytes, &reading->callpath_ids, "call path");
	region = extrap3_find(reading, &reading->region_ids, "region");
	at = bytes->at;
	if (extrap3_integer(bytes) != -1 && !bytes->status) {
		bytes->at = at;
		own.parent = (uint32_t)extrap3_find(reading, &reading->callpath_ids, "call path");
	}
	if (!bytes->status && own.parent == reading->callpath_count)
		extrap3_fail(bytes, at, "a call path that is its own parent");
	if (bytes->status)
		return;
	own.name = reading->regions[region];
	perun_builder_string_at(reading->builder, own.name, &length);
	if (own.parent != UINT32_MAX) {
		parent = &reading->callpaths[own.parent];
		own.depth += parent->depth;
		length += 2 + parent->length;
	}
	if (own.depth > DEPTH || length > PATH_BYTES) {
		extrap3_fail(bytes, at, "a call path of more than %d calls or %d bytes", DEPTH,
			     PATH_BYTES);
		return;
	}
	own.length = (uint32_t)length;
	own.path = make_path(reading, parent ? parent->path : PERUN_NO_ID, own.name);
	own.stack = perun_builder_path_stack(reading->builder, own.path);
	PERUN_GROW(reading->callpaths, reading->callpath_count, reading->callpath_room);
	reading->callpaths[reading->callpath_count++] = own;
}

void extrap3_print_callpath(const struct extrap3_reading *reading, size_t callpath,
			    struct perun_buffer *out)
{
	const struct extrap3_callpath *path[DEPTH];
	size_t count = 0;

	for (; callpath != UINT32_MAX; callpath = reading->callpaths[callpath].parent)
		path[count++] = &reading->callpaths[callpath];
	for (size_t i = count; i-- > 0;) {
		size_t length;
		const char *name =
			perun_builder_string_at(reading->builder, path[i]->name, &length);

		perun_buffer_add(out, name, length);
		if (i)
			perun_buffer_add(out, "->", 2);
	}
	perun_buffer_add(out, "", 0);
}

/* ---- measurements ----------------------------------------------------------------------------- */

/* A number for each parameter, in any order. */
static void read_coordinate(struct extrap3_reading *reading)
{
	struct extrap3_bytes *bytes = &reading->bytes;
	size_t at = bytes->at;
	double values[PARAMETERS];
	uint64_t given = 0;
	int64_t count;

	add_id(bytes, &reading->point_ids, "coordinate");
	count = extrap3_integer(bytes);
	if (!bytes->status && (count < 1 || (uint64_t)count != reading->parameters))
		extrap3_fail(bytes, at,
			     "a coordinate of %lld numbers, expected one for each of the %zu "
			     "parameters",
			     (long long)count, reading->parameters);
	for (int64_t i = 0; i < count && !bytes->status; i++) {
		struct extrap3_text name = extrap3_text(bytes);
		double value = extrap3_number(bytes);
		char *text = perun_strndup(name.text, name.length);
		perun_id id =
			bytes->status ? 0 : perun_builder_parameter(reading->builder, text, NULL);

		perun_free(text);
		if (bytes->status)
			return;
		if (id >= reading->parameters || given >> id & 1) {
			extrap3_fail(bytes, at, "a coordinate that has not each parameter once");
			return;
		}
		given |= (uint64_t)1 << id;
		values[id] = value;
	}
	if (bytes->status)
		return;
	PERUN_GROW(reading->points, reading->point_count, reading->point_room);
	reading->points[reading->point_count++] =
		perun_builder_point(reading->builder, values, (size_t)count);
}

static void append(struct perun_column_builder *column, double value)
{
	perun_column_append_double(column, &value, NULL, 1);
}

static void read_measurement(struct extrap3_reading *reading)
{
	struct extrap3_bytes *bytes = &reading->bytes;
	size_t point = extrap3_find(reading, &reading->point_ids, "coordinate"), metric, callpath;
	int64_t samples = extrap3_integer(bytes);
	double numbers[9];

	for (int i = 0; i < 9; i++)
		numbers[i] = extrap3_number(bytes);
	metric = extrap3_find(reading, &reading->metric_ids, "metric");
	callpath = extrap3_find(reading, &reading->callpath_ids, "call path");
	if (bytes->status)
		return;
	/* The mean and its interval of confidence, the deviation, the median and its, the extremes. */
	append(reading->std, numbers[3]);
	append(reading->median, numbers[4]);
	append(reading->minimum, numbers[7]);
	append(reading->maximum, numbers[8]);
	if (samples > 0)
		perun_column_append_int64(reading->repetitions, &samples, 1);
	else
		perun_column_append_absent(reading->repetitions, 1);
	perun_experiment_add(&reading->rows, reading->callpaths[callpath].stack,
			     reading->metrics[metric], reading->points[point], &numbers[0], 1);
	reading->measurements++;
}

/* ---- the file --------------------------------------------------------------------------------- */

static void read_record(struct extrap3_reading *reading)
{
	struct extrap3_bytes *bytes = &reading->bytes;
	size_t at = bytes->at;
	struct extrap3_text tag = extrap3_text(bytes);

	if (extrap3_is(tag, "ExperimentPoint"))
		read_measurement(reading);
	else if (extrap3_is(tag, "Model"))
		extrap3_read_model(reading);
	else if (extrap3_is(tag, "Callpath"))
		read_callpath(reading);
	else if (extrap3_is(tag, "Region"))
		read_region(reading);
	else if (extrap3_is(tag, "Coordinate"))
		read_coordinate(reading);
	else if (extrap3_is(tag, "Metric"))
		read_metric(reading);
	else if (extrap3_is(tag, "Parameter"))
		read_parameter(reading);
	else if (extrap3_is(tag, "ModelComment"))
		read_comment(reading);
	else if (extrap3_is(tag, "SingleParameterSimpleModelGenerator"))
		extrap3_read_generator(reading, false, true);
	else if (extrap3_is(tag, "SingleParameterRefiningModelGenerator"))
		extrap3_read_generator(reading, false, false);
	else if (extrap3_is(tag, "MultiParameterSimpleModelGenerator") ||
		 extrap3_is(tag, "MultiParameterSparseModelGenerator"))
		extrap3_read_generator(reading, true, false);
	else
		extrap3_fail(bytes, at, "there is no record called \"%.*s\"",
			     (int)(tag.length < 40 ? tag.length : 40), tag.text);
}

static struct perun_column_builder *add_statistic(struct perun_table_builder *table,
						  const char *name, enum perun_type type)
{
	struct perun_column_info info = {.name = name,
					 .type = type,
					 .role = PERUN_ROLE_STATISTIC,
					 .refers = "value",
					 .statistic = name};

	struct perun_column_builder *column = perun_table_add_column(table, &info);

	perun_column_save_memory(column);
	return column;
}

static void begin(struct extrap3_reading *reading)
{
	struct extrap3_bytes *bytes = &reading->bytes;
	struct perun_table_builder *table;

	perun_experiment_begin(reading->builder, &reading->rows);
	table = reading->rows.table;
	reading->median = add_statistic(table, "median", PERUN_TYPE_DOUBLE);
	reading->minimum = add_statistic(table, "minimum", PERUN_TYPE_DOUBLE);
	reading->maximum = add_statistic(table, "maximum", PERUN_TYPE_DOUBLE);
	reading->std = add_statistic(table, "std", PERUN_TYPE_DOUBLE);
	reading->repetitions = add_statistic(table, "repetitions", PERUN_TYPE_INT64);
	/* 1 as it was in the memory of the machine. */
	bytes->big = bytes->size >= 2 && !(bytes->data[0] == 1 && bytes->data[1] == 0);
	bytes->at = bytes->size >= 2 ? 2 : 0;
	bytes->trying = true;
	if (!extrap3_is(extrap3_text(bytes), "EXTRAP_EXPERIMENT") || bytes->status) {
		bytes->trying = false;
		bytes->status = PERUN_OK;
		extrap3_fail(bytes, 2,
			     "expected EXTRAP_EXPERIMENT: this is not an experiment of "
			     "Extra-P 3.0");
	}
	bytes->trying = false;
	extrap3_text(bytes); /* the version */
}

static void finish(struct extrap3_reading *reading)
{
	struct perun_json *models = extrap3_take_models(reading), *extra, *extrap;

	if (models) {
		extra = perun_json_object();
		extrap = perun_json_object();
		perun_json_set(extrap, "modelers", models);
		perun_json_set(extra, "extrap", extrap);
		perun_json_set(perun_builder_document(reading->builder), "extra", extra);
	}
	free_ids(&reading->parameter_ids);
	free_ids(&reading->metric_ids);
	free_ids(&reading->region_ids);
	free_ids(&reading->callpath_ids);
	free_ids(&reading->point_ids);
	free_ids(&reading->comment_ids);
	perun_free(reading->metrics);
	perun_free(reading->regions);
	perun_free(reading->points);
	perun_free(reading->same_name);
	perun_free(reading->callpaths);
	perun_free(reading->comments);
	perun_free(reading->generators);
}

int extrap3_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		 struct perun_builder *builder)
{
	struct extrap3_reading reading = {.bytes.ctx = ctx, .builder = builder};
	struct extrap3_bytes *bytes = &reading.bytes;
	const void *data;
	int status = perun_input_map(ctx, input, 0, &data, &bytes->size);

	(void)instance;
	if (status)
		return status;
	bytes->data = data;
	begin(&reading);
	for (size_t i = 1; !bytes->status && bytes->at < bytes->size; i++) {
		read_record(&reading);
		if (i % PASSED == 0)
			perun_input_passed(input, bytes->data + bytes->at);
	}
	if (!bytes->status && reading.measurements == 0)
		bytes->status = perun_fail(ctx, PERUN_INPUT, "no measurements are in it");
	finish(&reading);
	return bytes->status;
}
