/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables beside "resources": runs, measurement types, sections, pauses, processed; the document. */
#include <perun/json.h>

#include "model.h"

static struct perun_column_builder *add_column(struct perun_table_builder *table, const char *name,
					       enum perun_type type, const char *refers)
{
	struct perun_column_info info = {
		.name = name, .type = type, .role = PERUN_ROLE_PLAIN, .refers = refers};

	return perun_table_add_column(table, &info);
}

static void set_text(struct afperf_model *model, struct perun_column_builder *column, uint32_t text)
{
	size_t length;
	const char *data = afperf_texts_at(&model->file->texts, text, &length);

	perun_column_set_id(column, PERUN_TYPE_STRING,
			    perun_builder_string(model->builder, data, length));
}

static void add_runs(struct afperf_model *model)
{
	const struct afperf_file *file = model->file;
	struct perun_table_builder *table = perun_builder_table(model->builder, "runs");
	struct perun_column_builder *id = add_column(table, "run", PERUN_TYPE_UINT64, NULL),
				    *name = add_column(table, "application", PERUN_TYPE_STRING,
						       NULL),
				    *version =
					    add_column(table, "version", PERUN_TYPE_STRING, NULL),
				    *format = add_column(table, "format", PERUN_TYPE_STRING, NULL),
				    *start = add_column(table, "start", PERUN_TYPE_INT64, NULL),
				    *units = add_column(table, "units", PERUN_TYPE_STRING, NULL),
				    *wallclock =
					    add_column(table, "wallclock", PERUN_TYPE_DOUBLE, NULL),
				    *tags = add_column(table, "tags", PERUN_TYPE_STRING, NULL);

	for (uint32_t i = 0; i < file->defined_runs; i++) {
		const struct afperf_run *run = &file->runs[file->run_order[i]];

		if (!afperf_wants_run(model->filter, run))
			continue;
		if (!run->blank)
			perun_column_set_uint64(id, run->key.first);
		set_text(model, name, run->name);
		set_text(model, version, run->version);
		set_text(model, format, run->format);
		perun_column_set_int64(start, run->start);
		perun_column_set_id(
			units, PERUN_TYPE_STRING,
			perun_builder_text(model->builder, afperf_time_units[run->units].name));
		perun_column_set_double(wallclock, run->wallclock);
		set_text(model, tags, run->tags);
		perun_table_end_row(table);
	}
}

static void add_types(struct afperf_model *model, uint32_t *rows)
{
	const struct afperf_file *file = model->file;
	struct perun_table_builder *table =
		perun_builder_table(model->builder, "measurement_types");
	struct perun_column_builder *run = add_column(table, "run_number", PERUN_TYPE_ROW, "runs"),
				    *id = add_column(table, "id", PERUN_TYPE_UINT64, NULL),
				    *time = add_column(table, "timestamp", PERUN_TYPE_INT64, NULL),
				    *name = add_column(table, "name", PERUN_TYPE_STRING, NULL),
				    *type = add_column(table, "datatype", PERUN_TYPE_STRING, NULL),
				    *units = add_column(table, "units", PERUN_TYPE_STRING, NULL),
				    *summary =
					    add_column(table, "summary", PERUN_TYPE_STRING, NULL),
				    *text = add_column(table, "description", PERUN_TYPE_STRING,
						       NULL),
				    *column = add_column(table, "column", PERUN_TYPE_STRING, NULL);
	uint32_t count = 0;

	for (uint32_t i = 0; i < file->measurement_count; i++) {
		const struct afperf_measurement *measurement = &file->measurements[i];

		if (!measurement->line || !file->runs[measurement->key.second].line ||
		    !afperf_wants_run(model->filter, &file->runs[measurement->key.second]))
			continue;
		rows[i] = count++;
		perun_column_set_id(run, PERUN_TYPE_ROW, model->places[measurement->key.second]);
		perun_column_set_uint64(id, measurement->key.first);
		perun_column_set_int64(time, measurement->time);
		set_text(model, name, measurement->name);
		perun_column_set_id(type, PERUN_TYPE_STRING,
				    perun_builder_text(model->builder,
						       afperf_datatypes[measurement->datatype]));
		set_text(model, units, measurement->units);
		set_text(model, summary, measurement->summary);
		set_text(model, text, measurement->description);
		if (i < model->column_of_count && model->column_of[i] != AFPERF_NONE)
			perun_column_set_id(
				column, PERUN_TYPE_STRING,
				perun_builder_text(model->builder,
						   model->columns[model->column_of[i]].title));
		perun_table_end_row(table);
	}
}

static void add_sections(struct afperf_model *model)
{
	const struct afperf_file *file = model->file;
	struct perun_table_builder *table = perun_builder_table(model->builder, "sections");
	struct perun_column_builder *run = add_column(table, "run_number", PERUN_TYPE_ROW, "runs"),
				    *id = add_column(table, "id", PERUN_TYPE_UINT64, NULL),
				    *time = add_column(table, "timestamp", PERUN_TYPE_INT64, NULL),
				    *label = add_column(table, "label", PERUN_TYPE_STRING, NULL),
				    *tags = add_column(table, "tags", PERUN_TYPE_STRING, NULL);

	for (uint32_t i = 0; i < file->section_count; i++) {
		const struct afperf_section *section = &file->sections[i];
		const struct afperf_group *group;

		if (!afperf_wants_section(model->filter, file, i))
			continue;
		group = &file->groups[section->group];
		perun_column_set_id(run, PERUN_TYPE_ROW, model->places[afperf_group_run(group)]);
		if (!section->key.second)
			perun_column_set_uint64(id, section->key.first);
		if (!section->no_time)
			perun_column_set_int64(time, section->time);
		set_text(model, label, afperf_group_label(group));
		set_text(model, tags, section->tags);
		perun_table_end_row(table);
	}
}

static void add_pauses(struct afperf_model *model)
{
	const struct afperf_file *file = model->file;
	struct perun_table_builder *table = perun_builder_table(model->builder, "pauses");
	struct perun_column_builder *number =
					    add_column(table, "run_number", PERUN_TYPE_ROW, "runs"),
				    *start = add_column(table, "start", PERUN_TYPE_INT64, NULL),
				    *end = add_column(table, "end", PERUN_TYPE_INT64, NULL);

	perun_column_set_unit(start, model->wallclock ? "ns" : "");
	perun_column_set_unit(end, model->wallclock ? "ns" : "");
	perun_column_set_role(start, PERUN_ROLE_TIME);
	perun_column_set_role(end, PERUN_ROLE_TIME);
	for (uint32_t i = 0; i < file->defined_runs; i++) {
		uint32_t index = file->run_order[i];
		const struct afperf_run *run = &file->runs[index];

		if (!afperf_wants_run(model->filter, run))
			continue;
		for (size_t k = 0; k < run->pause_count; k++) {
			if (!afperf_wants_span(model->filter, run, run->pauses[k].start,
					       run->pauses[k].end))
				continue;
			perun_column_set_id(number, PERUN_TYPE_ROW, model->places[index]);
			perun_column_set_int64(
				start, afperf_model_time(model, index, run->pauses[k].start));
			perun_column_set_int64(end,
					       afperf_model_time(model, index, run->pauses[k].end));
			perun_table_end_row(table);
		}
	}
}

static void add_processed(struct afperf_model *model, const uint32_t *types)
{
	static const char *const levels[] = {"run", "region", "section"};
	struct perun_table_builder *table = perun_builder_table(model->builder, "processed");
	struct perun_column_builder *run = add_column(table, "run_number", PERUN_TYPE_ROW, "runs"),
				    *level = add_column(table, "level", PERUN_TYPE_STRING, NULL),
				    *id = add_column(table, "id", PERUN_TYPE_UINT64, NULL),
				    *from = add_column(table, "from", PERUN_TYPE_INT64, NULL),
				    *until = add_column(table, "until", PERUN_TYPE_INT64, NULL),
				    *aggregation = add_column(table, "aggregation",
							      PERUN_TYPE_STRING, NULL),
				    *type = add_column(table, "type", PERUN_TYPE_ROW,
						       "measurement_types"),
				    *value = add_column(table, "value", PERUN_TYPE_DOUBLE, NULL),
				    *text = add_column(table, "text", PERUN_TYPE_STRING, NULL),
				    *more = add_column(table, "more", PERUN_TYPE_BOOL, NULL);

	for (size_t i = 0; i < model->processed_count; i++) {
		const struct afperf_processed *processed = &model->processed[i];

		perun_column_set_id(run, PERUN_TYPE_ROW, model->places[processed->run]);
		perun_column_set_id(level, PERUN_TYPE_STRING,
				    perun_builder_text(model->builder, levels[processed->level]));
		if (!processed->no_id)
			perun_column_set_uint64(id, processed->id);
		perun_column_set_int64(
			from, afperf_model_time(model, processed->run, processed->span.start));
		perun_column_set_int64(
			until, afperf_model_time(model, processed->run, processed->span.end));
		perun_column_set_id(aggregation, PERUN_TYPE_STRING, processed->aggregation);
		perun_column_set_id(type, PERUN_TYPE_ROW, types[processed->measurement]);
		if (processed->number)
			perun_column_set_double(value, processed->value);
		else
			perun_column_set_id(text, PERUN_TYPE_STRING, processed->text);
		perun_column_set_bool(more, processed->more);
		perun_table_end_row(table);
	}
}

/* ---- the document ----------------------------------------------------------------------------------- */

static struct perun_json *child(struct perun_json *object, const char *key)
{
	struct perun_json *value = perun_json_get(object, key);

	if (!value) {
		value = perun_json_object();
		perun_json_set(object, key, value);
	}
	return value;
}

static struct perun_json *text_json(const struct afperf_file *file, uint32_t text)
{
	size_t length;
	const char *data = afperf_texts_at(&file->texts, text, &length);

	return perun_json_string(data, length);
}

static void describe_metrics(struct afperf_model *model, struct perun_json *document)
{
	const struct afperf_file *file = model->file;
	struct perun_json *metrics = child(document, "metrics");
	struct perun_json *total = child(metrics, "total");

	perun_json_set(child(metrics, "duration"), "description",
		       perun_json_text("time in a region without those inside, or in a section"));
	perun_json_set(total, "description", perun_json_text("time in a region or a section"));
	perun_json_set(total, "inclusive", perun_json_bool(true));
	for (uint32_t i = 0; i < model->column_of_count; i++) {
		const struct afperf_measurement *type = &file->measurements[i];
		const struct afperf_column *column;
		struct perun_json *metric;

		if (model->column_of[i] == AFPERF_NONE || type->datatype > AFPERF_INT64)
			continue;
		column = &model->columns[model->column_of[i]];
		metric = child(metrics, column->title);
		if (type->summary || type->description)
			perun_json_set(
				metric, "description",
				text_json(file, type->summary ? type->summary : type->description));
		if (!column->aggregates) /* snapshots add up to nothing */
			perun_json_set(metric, "kind", perun_json_text("level"));
	}
}

static void add_document(struct afperf_model *model)
{
	const struct afperf_file *file = model->file;
	struct perun_json *document = perun_builder_document(model->builder);
	struct perun_json *header = child(document, "header");
	struct perun_json *own = child(child(document, "extra"), "afperf");

	perun_json_set(header, "type", perun_json_text("time"));
	if (file->defined_runs) {
		const struct afperf_run *run = &file->runs[file->run_order[0]];

		if (run->name)
			perun_json_set(header, "cmd", text_json(file, run->name));
		if (model->wallclock && model->shift[file->run_order[0]])
			perun_json_set(header, "time",
				       perun_json_int64(model->shift[file->run_order[0]]));
	}
	perun_json_set(header, "default_metric", perun_json_text("duration"));
	describe_metrics(model, document);
	perun_json_set(own, "times",
		       perun_json_text(model->wallclock ? "wallclock" : "timestamps"));
	if (file->ignored_records)
		perun_json_set(own, "ignored_records", perun_json_uint64(file->ignored_records));
	if (file->ignored_fields)
		perun_json_set(own, "ignored_fields", perun_json_uint64(file->ignored_fields));
}

void afperf_model_tables(struct afperf_model *model)
{
	uint32_t *types = perun_alloc_zero(model->file->measurement_count + 1u, sizeof *types);
	bool pauses = false;

	add_runs(model);
	add_types(model, types);
	if (model->file->section_count)
		add_sections(model);
	for (uint32_t i = 0; i < model->file->run_count; i++)
		pauses |= model->file->runs[i].pause_count > 0;
	if (pauses)
		add_pauses(model);
	if (model->processed_count)
		add_processed(model, types);
	perun_free(types);
	add_document(model);
}
