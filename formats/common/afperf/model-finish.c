/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of "resources" that are known at the end only: stacks, labels, times, durations. */
#include <math.h>

#include "model.h"

/* ---- times ------------------------------------------------------------------------------------------ */

/* The wallclock time of a timestamp in ns; false if 64 bits do not hold it. */
static bool convert_time(const struct afperf_run *run, int64_t shift, int64_t time, int64_t *ns)
{
	return !__builtin_sub_overflow(time, run->start, ns) &&
	       !__builtin_mul_overflow(*ns, afperf_time_units[run->units].nanoseconds, ns) &&
	       !__builtin_add_overflow(*ns, shift, ns);
}

static void choose_times(struct afperf_model *model)
{
	const struct afperf_file *file = model->file;

	model->shift = perun_alloc_zero(file->run_count + 1u, sizeof *model->shift);
	model->wallclock = true;
	for (uint32_t i = 0; i < file->run_count; i++) {
		const struct afperf_run *run = &file->runs[i];
		long double wallclock = run->wallclock * 1e9L;
		int64_t ns;

		if (fabsl(wallclock) > 9e18L) {
			model->wallclock = false;
			return;
		}
		model->shift[i] = (int64_t)llroundl(wallclock);
		if (run->first <= run->last &&
		    (!convert_time(run, model->shift[i], run->first, &ns) ||
		     !convert_time(run, model->shift[i], run->last, &ns)))
			model->wallclock = false;
	}
	/* Timestamps of types and sections count for nothing above. */
	for (uint32_t i = 0; i < file->section_count; i++) {
		const struct afperf_section *section = &file->sections[i];
		uint32_t run;
		int64_t ns;

		if (section->group == AFPERF_NONE || section->no_time)
			continue;
		run = afperf_group_run(&file->groups[section->group]);
		if (!convert_time(&file->runs[run], model->shift[run], section->time, &ns))
			model->wallclock = false;
	}
}

int64_t afperf_model_time(const struct afperf_model *model, uint32_t run, int64_t time)
{
	int64_t ns;

	if (!model->wallclock)
		return time;
	convert_time(&model->file->runs[run], model->shift[run], time, &ns);
	return ns;
}

/* A length of time: in ns if they are wallclock times; those of the ends of 64 bits are cut. */
static int64_t convert_length(const struct afperf_model *model, uint32_t run, int64_t length)
{
	int64_t ns;

	if (!model->wallclock)
		return length;
	return __builtin_mul_overflow(
		       length, afperf_time_units[model->file->runs[run].units].nanoseconds, &ns)
		       ? INT64_MAX
		       : ns;
}

/* ---- what rows are filled with ---------------------------------------------------------------------- */

struct filling {
	struct afperf_model *model;
	const struct afperf_file *file;
	perun_id *stacks; /* of regions */
	int64_t *inner;   /* of regions: the time of those directly inside */
	perun_id levels[3], point, aggregate;
	perun_id *texts, *labels; /* in the builder, and 1: by text of the file; 0 = not there */
	bool *odd;                /* tags that labels do not hold exactly */
	bool any_odd, any_more, any_of;
};

static void sum_inner(struct filling *filling)
{
	const struct afperf_file *file = filling->file;

	filling->inner = perun_alloc_zero(file->region_count + 1u, sizeof *filling->inner);
	for (uint32_t i = 0; i < file->region_count; i++) {
		const struct afperf_region *region = &file->regions[i];

		if (region->end != AFPERF_OPEN && region->parent != AFPERF_NONE)
			filling->inner[region->parent] += region->end - region->start;
	}
}

static perun_id text_id(struct filling *filling, uint32_t text)
{
	size_t length;
	const char *data;

	if (!filling->texts[text]) {
		data = afperf_texts_at(&filling->file->texts, text, &length);
		filling->texts[text] =
			perun_builder_string(filling->model->builder, data, length) + 1;
	}
	return filling->texts[text] - 1;
}

/* Tags as labels; odd ones are those that "name=value;name=value" does not give back. */
static perun_id labels_id(struct filling *filling, uint32_t text)
{
	struct perun_builder *builder = filling->model->builder;
	struct perun_label *labels = NULL;
	size_t count = 0, capacity = 0, length;
	const char *start = afperf_texts_at(&filling->file->texts, text, &length), *data = start;
	struct afperf_slice name, value;
	struct perun_buffer again = {0};

	if (!text || filling->labels[text])
		return filling->labels[text] - 1;
	while (afperf_next_tag(&data, start + length, &name, &value)) {
		PERUN_GROW(labels, count, capacity);
		labels[count++] = (struct perun_label){
			.key = perun_builder_string(builder, name.data, name.length),
			.text = perun_builder_string(builder, value.data, value.length)};
		if (again.length)
			perun_buffer_add_char(&again, ';');
		perun_buffer_add(&again, name.data, name.length);
		perun_buffer_add_char(&again, '=');
		perun_buffer_add(&again, value.data, value.length);
	}
	filling->odd[text] =
		again.length != length || (length && memcmp(again.data, start, length) != 0);
	if (count)
		filling->labels[text] = perun_builder_labels(builder, labels, count) + 1;
	perun_free(labels);
	perun_buffer_free(&again);
	return filling->labels[text] - 1;
}

static void set_ids(struct filling *filling, enum afperf_model_key key, enum perun_type type,
		    perun_id id)
{
	if (id != PERUN_NO_ID)
		perun_column_set_id(filling->model->keys[key], type, id);
}

static void set_time(struct filling *filling, enum afperf_model_key key, uint32_t run, int64_t time)
{
	perun_column_set_int64(filling->model->keys[key],
			       afperf_model_time(filling->model, run, time));
}

static void set_interval(struct filling *filling, uint32_t run, int64_t start, int64_t end,
			 int64_t inner)
{
	struct afperf_model *model = filling->model;

	set_time(filling, AFPERF_KEY_START, run, start);
	if (end == AFPERF_OPEN)
		return;
	set_time(filling, AFPERF_KEY_END, run, end);
	perun_column_set_int64(model->keys[AFPERF_KEY_TOTAL],
			       convert_length(model, run, end - start));
	perun_column_set_int64(model->keys[AFPERF_KEY_DURATION],
			       convert_length(model, run, end - start - inner));
}

static void set_tags(struct filling *filling, uint32_t tags)
{
	set_ids(filling, AFPERF_KEY_LABELS, PERUN_TYPE_LABELS, labels_id(filling, tags));
	if (filling->odd[tags]) {
		set_ids(filling, AFPERF_KEY_TAGS, PERUN_TYPE_STRING, text_id(filling, tags));
		filling->any_odd = true;
	}
}

/* What has no times of its own names the row that has them. */
static void set_carrier(struct filling *filling, const struct afperf_model_row *row, uint32_t mark)
{
	if (row->flags & AFPERF_ROW_INTERVAL || !mark)
		return;
	perun_column_set_id(filling->model->keys[AFPERF_KEY_OF], PERUN_TYPE_ROW, mark - 1);
	filling->any_of = true;
}

static uint32_t fill_region(struct filling *filling, const struct afperf_model_row *row)
{
	const struct afperf_region *region = &filling->file->regions[row->owner];
	const struct afperf_group *group = &filling->file->groups[region->group];
	uint32_t run = afperf_group_run(group);

	set_ids(filling, AFPERF_KEY_UID, PERUN_TYPE_STRING,
		text_id(filling, afperf_group_label(group)));
	set_ids(filling, AFPERF_KEY_STACK, PERUN_TYPE_STACK, filling->stacks[row->owner]);
	set_tags(filling, region->tags);
	if (!region->key.second)
		perun_column_set_uint64(filling->model->keys[AFPERF_KEY_ID], region->key.first);
	set_carrier(filling, row, region->mark);
	if (row->flags & AFPERF_ROW_INTERVAL)
		set_interval(filling, run, region->start, region->end, filling->inner[row->owner]);
	return run;
}

static uint32_t fill_section(struct filling *filling, const struct afperf_model_row *row)
{
	struct afperf_model *model = filling->model;
	const struct afperf_section *section = &filling->file->sections[row->owner];
	const struct afperf_group *group = &filling->file->groups[section->group];
	uint32_t run = afperf_group_run(group);

	set_ids(filling, AFPERF_KEY_UID, PERUN_TYPE_STRING,
		text_id(filling, afperf_group_label(group)));
	set_tags(filling, section->tags);
	perun_column_set_id(model->keys[AFPERF_KEY_SECTION], PERUN_TYPE_ROW,
			    model->sections[row->owner]);
	if (row->interval != AFPERF_NONE) {
		const struct afperf_interval *interval = &filling->file->intervals[row->interval];

		if (!(interval->key.second & 1))
			perun_column_set_uint64(model->keys[AFPERF_KEY_INTERVAL],
						interval->key.first);
		set_carrier(filling, row, interval->mark);
		if (row->flags & AFPERF_ROW_INTERVAL)
			set_interval(filling, run, interval->start, interval->end, 0);
	}
	return run;
}

static void fill_row(struct filling *filling, const struct afperf_model_row *row)
{
	struct afperf_model *model = filling->model;
	int level = row->flags & AFPERF_ROW_REGION    ? AFPERF_LEVEL_REGION
		    : row->flags & AFPERF_ROW_SECTION ? AFPERF_LEVEL_SECTION
						      : AFPERF_LEVEL_RUN;
	uint32_t run = level == AFPERF_LEVEL_REGION    ? fill_region(filling, row)
		       : level == AFPERF_LEVEL_SECTION ? fill_section(filling, row)
						       : row->owner;

	set_ids(filling, AFPERF_KEY_LEVEL, PERUN_TYPE_STRING, filling->levels[level]);
	perun_column_set_id(model->keys[AFPERF_KEY_RUN_NUMBER], PERUN_TYPE_ROW, model->places[run]);
	if (!filling->file->runs[run].blank)
		perun_column_set_uint64(model->keys[AFPERF_KEY_RUN],
					filling->file->runs[run].key.first);
	if (!(row->flags & AFPERF_ROW_DATA))
		return;
	set_ids(filling, AFPERF_KEY_RECORD, PERUN_TYPE_STRING,
		row->flags & AFPERF_ROW_POINT ? filling->point : filling->aggregate);
	if (row->flags & AFPERF_ROW_POINT) {
		set_time(filling, AFPERF_KEY_AT, run, model->moments[row->moment]);
	} else {
		set_time(filling, AFPERF_KEY_FROM, run, model->moments[row->moment]);
		set_time(filling, AFPERF_KEY_UNTIL, run, model->moments[row->moment + 1]);
	}
	if (row->flags & AFPERF_ROW_MORE) {
		perun_column_set_bool(model->keys[AFPERF_KEY_MORE], true);
		filling->any_more = true;
	}
}

/* ---- the end ---------------------------------------------------------------------------------------- */

/* Intervals that were not reported while the file was read: those without ids, and open ones. */
static void add_silent_rows(struct afperf_model *model, struct afperf_file *file)
{
	for (uint32_t i = 0; i < file->region_count; i++) {
		uint32_t run = afperf_group_run(&file->groups[file->regions[i].group]);

		if (file->runs[run].line && !file->regions[i].left_out)
			afperf_model_closed(model, file, AFPERF_LEVEL_REGION, i);
	}
	for (uint32_t i = 0; i < file->interval_count; i++) {
		uint32_t section = file->intervals[i].key.second / 2;

		if (file->sections[section].group != AFPERF_NONE)
			afperf_model_closed(model, file, AFPERF_LEVEL_SECTION, i);
	}
}

static void number_places(struct afperf_model *model)
{
	const struct afperf_file *file = model->file;
	uint32_t count = 0;

	model->places = perun_alloc_zero(file->run_count + 1u, sizeof *model->places);
	for (uint32_t i = 0; i < file->defined_runs; i++)
		if (afperf_wants_run(model->filter, &file->runs[file->run_order[i]]))
			model->places[file->run_order[i]] = count++;
	count = 0;
	model->sections = perun_alloc_zero(file->section_count + 1u, sizeof *model->sections);
	for (uint32_t i = 0; i < file->section_count; i++)
		if (afperf_wants_section(model->filter, file, i))
			model->sections[i] = count++;
}

/* Columns that no row needs, and units of time. */
static void tidy_columns(struct afperf_model *model, const struct filling *filling)
{
	static const char *const optional[] = {"section", "interval"};
	const struct afperf_file *file = model->file;
	const char *unit = model->wallclock ? "ns" : "";

	if (!filling->any_odd)
		perun_table_remove_column(model->table, "tags");
	if (!filling->any_of)
		perun_table_remove_column(model->table, "of");
	if (!filling->any_more)
		perun_table_remove_column(model->table, "more");
	if (!model->any_aggregate) {
		perun_table_remove_column(model->table, "from");
		perun_table_remove_column(model->table, "until");
	}
	if (!file->section_count)
		for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
			perun_table_remove_column(model->table, optional[i]);
	for (int i = AFPERF_KEY_DURATION; i <= AFPERF_KEY_UNTIL; i++) {
		if (!model->any_aggregate && i >= AFPERF_KEY_FROM)
			break;
		perun_column_set_unit(model->keys[i], unit);
	}
}

static void fill_rows(struct filling *filling)
{
	struct afperf_model *model = filling->model;
	struct perun_builder *builder = model->builder;
	uint32_t texts = filling->file->texts.count;

	filling->levels[AFPERF_LEVEL_RUN] = perun_builder_text(builder, "run");
	filling->levels[AFPERF_LEVEL_REGION] = perun_builder_text(builder, "region");
	filling->levels[AFPERF_LEVEL_SECTION] = perun_builder_text(builder, "section");
	filling->point = perun_builder_text(builder, "point");
	filling->aggregate = perun_builder_text(builder, "aggregate");
	filling->texts = perun_alloc_zero(texts, sizeof *filling->texts);
	filling->labels = perun_alloc_zero(texts, sizeof *filling->labels);
	filling->odd = perun_alloc_zero(texts, sizeof *filling->odd);
	perun_table_rewind(model->table, 0);
	for (uint32_t i = 0; i < model->row_count; i++) {
		fill_row(filling, &model->rows[i]);
		perun_table_end_row(model->table);
	}
	tidy_columns(model, filling);
	perun_free(filling->texts);
	perun_free(filling->labels);
	perun_free(filling->odd);
}

/* What things are found by is not needed once all of them are there. */
static void forget_maps(struct afperf_file *file)
{
	struct afperf_map *const maps[] = {&file->texts.map,        &file->group_map,
					   &file->region_map,       &file->section_map,
					   &file->interval_map,     &file->region_stop_map,
					   &file->interval_stop_map};

	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		afperf_map_free(maps[i]);
}

int afperf_model_finish(struct afperf_model *model, struct afperf_file *file)
{
	struct filling filling = {.model = model, .file = file};

	model->file = file;
	if (model->too_many_columns)
		return perun_fail(model->ctx, PERUN_INPUT,
				  "more than %d different measurements have values; perun afperf "
				  "reduce does without a column for each",
				  AFPERF_MAX_COLUMNS);
	forget_maps(file);
	add_silent_rows(model, file);
	number_places(model);
	choose_times(model);
	filling.stacks = afperf_model_stacks(model);
	if (!filling.stacks)
		return PERUN_INPUT;
	sum_inner(&filling);
	fill_rows(&filling);
	perun_free(filling.stacks);
	perun_free(filling.inner);
	afperf_model_tables(model);
	return PERUN_OK;
}
