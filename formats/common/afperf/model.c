/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of "resources": a row for a data record, which also carries its interval if it is the first. */
#include <math.h>

#include "model.h"

static const struct perun_column_info key_columns[AFPERF_KEYS] = {
	[AFPERF_KEY_UID] = {.name = "uid", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY},
	[AFPERF_KEY_STACK] = {.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY},
	[AFPERF_KEY_RUN] = {.name = "run", .type = PERUN_TYPE_UINT64, .role = PERUN_ROLE_KEY},
	[AFPERF_KEY_LEVEL] = {.name = "level", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY},
	[AFPERF_KEY_RECORD] = {.name = "record", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY},
	[AFPERF_KEY_LABELS] = {.name = "labels", .type = PERUN_TYPE_LABELS, .role = PERUN_ROLE_KEY},
	[AFPERF_KEY_DURATION] = {.name = "duration",
				 .type = PERUN_TYPE_INT64,
				 .role = PERUN_ROLE_METRIC},
	[AFPERF_KEY_TOTAL] = {.name = "total", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC},
	[AFPERF_KEY_START] = {.name = "start", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_TIME},
	[AFPERF_KEY_END] = {.name = "end", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_TIME},
	[AFPERF_KEY_AT] = {.name = "at", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_TIME},
	[AFPERF_KEY_FROM] = {.name = "from", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_TIME},
	[AFPERF_KEY_UNTIL] = {.name = "until", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_TIME},
	[AFPERF_KEY_ID] = {.name = "id", .type = PERUN_TYPE_UINT64, .role = PERUN_ROLE_PLAIN},
	[AFPERF_KEY_INTERVAL] = {.name = "interval",
				 .type = PERUN_TYPE_UINT64,
				 .role = PERUN_ROLE_PLAIN},
	[AFPERF_KEY_RUN_NUMBER] = {.name = "run_number",
				   .type = PERUN_TYPE_ROW,
				   .role = PERUN_ROLE_PLAIN,
				   .refers = "runs"},
	[AFPERF_KEY_SECTION] = {.name = "section",
				.type = PERUN_TYPE_ROW,
				.role = PERUN_ROLE_PLAIN,
				.refers = "sections"},
	[AFPERF_KEY_MORE] = {.name = "more", .type = PERUN_TYPE_BOOL, .role = PERUN_ROLE_PLAIN},
	[AFPERF_KEY_OF] = {.name = "of",
			   .type = PERUN_TYPE_ROW,
			   .role = PERUN_ROLE_PLAIN,
			   .refers = "resources"},
	[AFPERF_KEY_TAGS] = {.name = "tags", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_PLAIN},
};

bool afperf_model_reserves(const char *name)
{
	static const char *const native[] = {"amount", "metric", "type", "subtype"};

	for (size_t i = 0; i < sizeof native / sizeof *native; i++)
		if (strcmp(native[i], name) == 0)
			return true;
	for (int i = 0; i < AFPERF_KEYS; i++)
		if (strcmp(key_columns[i].name, name) == 0)
			return true;
	return false;
}

void afperf_model_begin(struct afperf_model *model)
{
	model->table = perun_builder_table(model->builder, "resources");
	for (int i = 0; i < AFPERF_KEYS; i++) {
		model->keys[i] = perun_table_add_column(model->table, &key_columns[i]);
		perun_column_save_memory(model->keys[i]);
	}
}

static void clear_columns(struct afperf_model *model)
{
	for (uint32_t i = 0; i < model->column_count; i++)
		perun_free(model->columns[i].title);
	model->column_count = 0;
	model->use_count = 0;
	afperf_map_free(&model->use_map);
}

void afperf_model_restart(void *data)
{
	struct afperf_model *model = data;

	clear_columns(model);
	model->column_of_count = 0;
	model->row_count = model->moment_count = 0;
	model->any_aggregate = false;
	model->processed_count = 0;
	perun_builder_remove_table(model->builder, "resources");
	afperf_model_begin(model);
}

void afperf_model_free(struct afperf_model *model)
{
	clear_columns(model);
	perun_free(model->columns);
	perun_free(model->column_of);
	perun_free(model->uses);
	perun_free(model->rows);
	perun_free(model->moments);
	perun_free(model->processed);
	perun_free(model->places);
	perun_free(model->sections);
	perun_free(model->shift);
}

/* ---- columns of values ------------------------------------------------------------------------------ */

/* The name of the type, with "#2", "#3" ... if the table has it already. */
static char *free_title(const struct afperf_model *model, const char *name)
{
	char *title;

	if (!*name)
		name = "value";
	title = perun_strdup(name);
	for (unsigned n = 2;
	     perun_table_find_column(model->table, title) || afperf_model_reserves(title); n++) {
		perun_free(title);
		title = perun_format("%s#%u", name, n);
	}
	return title;
}

static struct perun_column_builder *add_column(struct afperf_model *model,
					       const struct afperf_file *file,
					       const struct afperf_column *column)
{
	static const enum perun_type types[AFPERF_DATATYPES] = {
		PERUN_TYPE_DOUBLE, PERUN_TYPE_INT64,  PERUN_TYPE_INT64,
		PERUN_TYPE_BOOL,   PERUN_TYPE_STRING, PERUN_TYPE_STRING};
	struct perun_column_info info = {
		.name = column->title,
		.unit = afperf_file_text(file, column->units),
		.type = types[column->datatype],
		.role = column->datatype <= AFPERF_INT64  ? PERUN_ROLE_METRIC
			: column->datatype == AFPERF_ENUM ? PERUN_ROLE_KEY
							  : PERUN_ROLE_PLAIN};
	struct perun_column_builder *made = perun_table_add_column(model->table, &info);

	perun_column_save_memory(made);
	return made;
}

/* False: another type of the run has the column. */
static bool use_column(struct afperf_model *model, uint32_t run, uint32_t column)
{
	if (afperf_map_find(&model->use_map, model->uses, sizeof *model->uses, run, column) !=
	    AFPERF_NONE)
		return false;
	PERUN_GROW(model->uses, model->use_count, model->use_capacity);
	model->uses[model->use_count] = (struct afperf_key){run, column};
	afperf_map_add(&model->use_map, model->uses, sizeof *model->uses, model->use_count++);
	return true;
}

static uint32_t make_column(struct afperf_model *model, const struct afperf_file *file,
			    const struct afperf_measurement *type)
{
	struct afperf_column *column;

	for (uint32_t i = 0; i < model->column_count; i++) {
		column = &model->columns[i];
		if (column->name == type->name && column->units == type->units &&
		    column->datatype == type->datatype && use_column(model, type->key.second, i))
			return i;
	}
	if (model->column_count >= AFPERF_MAX_COLUMNS) {
		model->too_many_columns = true;
		return 0;
	}
	PERUN_GROW(model->columns, model->column_count, model->column_capacity);
	column = &model->columns[model->column_count];
	memset(column, 0, sizeof *column);
	column->name = type->name;
	column->units = type->units;
	column->datatype = type->datatype;
	use_column(model, type->key.second, model->column_count);
	column->title = free_title(model, afperf_file_text(file, type->name));
	column->column = add_column(model, file, column);
	return model->column_count++;
}

static struct afperf_column *column_of(struct afperf_model *model, const struct afperf_file *file,
				       uint32_t measurement)
{
	while (model->column_of_count <= measurement) {
		PERUN_GROW(model->column_of, model->column_of_count, model->column_of_capacity);
		model->column_of[model->column_of_count++] = AFPERF_NONE;
	}
	if (model->column_of[measurement] == AFPERF_NONE)
		model->column_of[measurement] =
			make_column(model, file, &file->measurements[measurement]);
	return &model->columns[model->column_of[measurement]];
}

/* A double that came without point and exponent is written so again. */
static bool is_plain_integer(const struct afperf_value *value)
{
	if (value->text.length > 16 || !(value->real > -1e15 && value->real < 1e15) ||
	    value->real != (double)(int64_t)value->real ||
	    (value->real == 0 && signbit(value->real)))
		return false;
	for (size_t i = 0; i < value->text.length; i++)
		if ((unsigned)(unsigned char)value->text.data[i] - '0' > 9 &&
		    value->text.data[i] != '-')
			return false;
	return true;
}

static void set_value(struct afperf_model *model, struct afperf_column *column,
		      const struct afperf_value *value)
{
	switch (value->datatype) {
	case AFPERF_DOUBLE:
		if (is_plain_integer(value))
			perun_column_set_int64(column->column, (int64_t)value->real);
		else
			perun_column_set_double(column->column, value->real);
		break;
	case AFPERF_INT32:
	case AFPERF_INT64:
		perun_column_set_int64(column->column, value->integer);
		break;
	case AFPERF_BOOL:
		perun_column_set_bool(column->column, value->integer != 0);
		break;
	default:
		perun_column_set_id(
			column->column, PERUN_TYPE_STRING,
			perun_builder_string(model->builder, value->text.data, value->text.length));
	}
}

/* ---- rows ------------------------------------------------------------------------------------------- */

static void end_row(struct afperf_model *model, const struct afperf_model_row *row)
{
	PERUN_GROW(model->rows, model->row_count, model->row_capacity);
	model->rows[model->row_count++] = *row;
	perun_table_end_row(model->table);
}

static void add_moment(struct afperf_model *model, int64_t time)
{
	PERUN_GROW(model->moments, model->moment_count, model->moment_capacity);
	model->moments[model->moment_count++] = time;
}

static void take_processed(struct afperf_model *model, const struct afperf_data *record)
{
	for (size_t i = 0; i < record->count; i++) {
		const struct afperf_value *value = &record->values[i];
		struct afperf_processed *processed;

		PERUN_GROW(model->processed, model->processed_count, model->processed_capacity);
		processed = &model->processed[model->processed_count++];
		*processed =
			(struct afperf_processed){.span = {record->start, record->end},
						  .run = record->run,
						  .measurement = value->measurement,
						  .level = (uint8_t)record->level,
						  .no_id = record->no_id,
						  .id = record->id,
						  .more = i > 0,
						  .number = value->datatype == AFPERF_DOUBLE,
						  .value = value->real,
						  .aggregation = perun_builder_string(
							  model->builder, record->aggregation.data,
							  record->aggregation.length),
						  .text = PERUN_NO_ID};
		if (!processed->number)
			processed->text = perun_builder_string(model->builder, value->text.data,
							       value->text.length);
	}
}

/* Whether this row is the first that belongs to its region or interval: then it carries the times. */
static bool carries(const struct afperf_model *model, struct afperf_file *file,
		    const struct afperf_data *record)
{
	uint32_t *mark = record->level == AFPERF_LEVEL_REGION ? &file->regions[record->owner].mark
			 : record->level == AFPERF_LEVEL_SECTION && record->interval != AFPERF_NONE
				 ? &file->intervals[record->interval].mark
				 : NULL;

	if (!mark || *mark)
		return false;
	*mark = model->row_count + 1;
	return true;
}

void afperf_model_record(void *data, struct afperf_file *file, const struct afperf_data *record)
{
	struct afperf_model *model = data;
	struct afperf_model_row row = {.flags = AFPERF_ROW_DATA, .interval = record->interval};

	if (!afperf_wants_record(model->filter, file, record))
		return;
	if (record->processed) {
		take_processed(model, record);
		return;
	}
	row.owner = record->level == AFPERF_LEVEL_RUN ? record->run : record->owner;
	row.flags |= record->level == AFPERF_LEVEL_REGION    ? AFPERF_ROW_REGION
		     : record->level == AFPERF_LEVEL_SECTION ? AFPERF_ROW_SECTION
							     : 0;
	row.moment = model->moment_count;
	add_moment(model, record->start);
	if (record->point)
		row.flags |= AFPERF_ROW_POINT;
	else
		add_moment(model, record->end);
	model->any_aggregate |= !record->point;
	if (carries(model, file, record))
		row.flags |= AFPERF_ROW_INTERVAL;
	for (size_t i = 0; i < record->count && !model->too_many_columns; i++) {
		struct afperf_column *column =
			column_of(model, file, record->values[i].measurement);

		if (column->stamp == model->row_count + 1) { /* a type is here twice */
			end_row(model, &row);
			row.flags = (row.flags | AFPERF_ROW_MORE) & ~(uint32_t)AFPERF_ROW_INTERVAL;
		}
		column->stamp = model->row_count + 1;
		*(record->point ? &column->points : &column->aggregates) = true;
		set_value(model, column, &record->values[i]);
	}
	end_row(model, &row);
}

/* An interval without data so far gets a row of its own. */
void afperf_model_closed(void *data, struct afperf_file *file, enum afperf_level level,
			 uint32_t index)
{
	struct afperf_model *model = data;
	struct afperf_model_row row = {.flags = AFPERF_ROW_INTERVAL, .interval = AFPERF_NONE};

	if (level == AFPERF_LEVEL_REGION ? !afperf_wants_region(model->filter, file, index)
					 : !afperf_wants_interval(model->filter, file, index))
		return;
	if (level == AFPERF_LEVEL_REGION) {
		if (file->regions[index].mark)
			return;
		file->regions[index].mark = model->row_count + 1;
		row.owner = index;
		row.flags |= AFPERF_ROW_REGION;
	} else {
		if (file->intervals[index].mark)
			return;
		file->intervals[index].mark = model->row_count + 1;
		row.owner = file->intervals[index].key.second / 2;
		row.interval = index;
		row.flags |= AFPERF_ROW_SECTION;
	}
	end_row(model, &row);
}
