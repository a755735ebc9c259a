/* SPDX-License-Identifier: BSD-3-Clause */
/* The reduction: tallies while the file is read, rows at its end. */
#include <stdlib.h>

#include "reduce.h"

void afperf_reduce_restart(void *data)
{
	struct afperf_reduction *reduction = data;

	reduction->count = 0;
	reduction->guess_count = 0;
	afperf_map_free(&reduction->map);
}

void afperf_reduction_free(struct afperf_reduction *reduction)
{
	perun_free(reduction->cells);
	perun_free(reduction->guesses);
	afperf_map_free(&reduction->map);
}

static uint32_t find_cell(struct afperf_reduction *reduction, uint64_t key)
{
	uint32_t i = afperf_map_find(&reduction->map, reduction->cells, sizeof *reduction->cells,
				     key, 0);

	if (i != AFPERF_NONE)
		return i;
	PERUN_GROW(reduction->cells, reduction->count, reduction->capacity);
	i = reduction->count++;
	reduction->cells[i] = (struct afperf_cell){.key = {key, 0}};
	afperf_map_add(&reduction->map, reduction->cells, sizeof *reduction->cells, i);
	return i;
}

void afperf_reduce_record(void *data, struct afperf_file *file, const struct afperf_data *record)
{
	struct afperf_reduction *reduction = data;
	uint32_t group;

	if (record->processed || !afperf_wants_record(reduction->filter, file, record))
		return;
	group = record->level == AFPERF_LEVEL_REGION ? file->regions[record->owner].group
		: record->level == AFPERF_LEVEL_SECTION
			? file->sections[record->owner].group
			: afperf_add_group(file, record->run, AFPERF_LEVEL_RUN, 0);
	while (reduction->guess_count < record->count) {
		PERUN_GROW(reduction->guesses, reduction->guess_count, reduction->guess_capacity);
		reduction->guesses[reduction->guess_count++] = 0;
	}
	for (size_t i = 0; i < record->count; i++) {
		const struct afperf_value *value = &record->values[i];
		uint64_t key = (uint64_t)group << 32 | value->measurement;
		uint32_t guess = reduction->guesses[i];

		if (value->datatype > AFPERF_INT64)
			continue;
		if (guess >= reduction->count || reduction->cells[guess].key.first != key)
			guess = reduction->guesses[i] = find_cell(reduction, key);
		if (value->datatype == AFPERF_DOUBLE)
			afperf_tally_add(&reduction->cells[guess].tally, value->real, false);
		else
			afperf_tally_add(&reduction->cells[guess].tally, value->integer, true);
	}
}

/* ---- durations -------------------------------------------------------------------------------------- */

static void add_duration(const struct afperf_file *file, const struct afperf_reduction *reduction,
			 struct afperf_tally *tallies, uint32_t group, int64_t start, int64_t end)
{
	const struct afperf_run *run = &file->runs[afperf_group_run(&file->groups[group])];
	int64_t duration = end - start;

	if (reduction->deduct_pauses && run->merged_count)
		duration -= afperf_paused(run, start, end);
	afperf_tally_add(&tallies[group], duration, true);
}

static struct afperf_tally *tally_durations(const struct afperf_file *file,
					    const struct afperf_reduction *reduction)
{
	struct afperf_tally *tallies = perun_alloc_zero(file->group_count + 1u, sizeof *tallies);

	for (uint32_t i = 0; i < file->region_count; i++) {
		const struct afperf_region *region = &file->regions[i];

		if (region->end != AFPERF_OPEN && afperf_wants_region(reduction->filter, file, i))
			add_duration(file, reduction, tallies, region->group, region->start,
				     region->end);
	}
	for (uint32_t i = 0; i < file->interval_count; i++) {
		const struct afperf_interval *interval = &file->intervals[i];
		uint32_t group = file->sections[interval->key.second / 2].group;

		if (interval->end != AFPERF_OPEN &&
		    afperf_wants_interval(reduction->filter, file, i))
			add_duration(file, reduction, tallies, group, interval->start,
				     interval->end);
	}
	return tallies;
}

/* ---- rows ------------------------------------------------------------------------------------------- */

static int compare_bytes(const char *one, size_t one_length, const char *other, size_t other_length)
{
	size_t common = one_length < other_length ? one_length : other_length;
	int order = common ? memcmp(one, other, common) : 0;

	return order ? order : (one_length > other_length) - (one_length < other_length);
}

static int compare_labels(const struct afperf_file *file, uint32_t one, uint32_t other)
{
	size_t one_length, other_length;
	const char *one_text = afperf_texts_at(&file->texts, one, &one_length);
	const char *other_text = afperf_texts_at(&file->texts, other, &other_length);

	return one == other ? 0 : compare_bytes(one_text, one_length, other_text, other_length);
}

static int compare_rows(const void *one, const void *other, void *data)
{
	const struct afperf_row *a = one, *b = other;
	int order;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a->level != b->level)
		return a->level < b->level ? -1 : 1;
	order = compare_labels(data, a->label, b->label);
	if (!order)
		order = compare_bytes(a->measurement, a->measurement_length, b->measurement,
				      b->measurement_length);
	if (!order && a->duration != b->duration)
		return a->duration ? -1 : 1;
	if (!order)
		order = compare_bytes(a->units, a->units_length, b->units, b->units_length);
	if (!order)
		order = (a->first_type > b->first_type) - (a->first_type < b->first_type);
	return order;
}

static void begin_row(const struct afperf_file *file, uint32_t group, const uint32_t *places,
		      struct afperf_row *row)
{
	const struct afperf_run *run;

	memset(row, 0, sizeof *row);
	row->run = afperf_group_run(&file->groups[group]);
	row->place = places[row->run];
	row->level = (enum afperf_level)file->groups[group].key.second;
	row->label = afperf_group_label(&file->groups[group]);
	run = &file->runs[row->run];
	row->start = run->first;
	row->end = run->last;
}

/* Rows that differ in nothing but the type become one. */
static size_t merge_rows(const struct afperf_file *file, struct afperf_row *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 1; i < count; i++) {
		struct afperf_row alike = rows[i];

		alike.first_type = rows[kept].first_type;
		if (compare_rows(&rows[kept], &alike, (void *)(uintptr_t)file) == 0)
			afperf_tally_merge(&rows[kept].tally, &rows[i].tally);
		else
			rows[++kept] = rows[i];
	}
	return count ? kept + 1 : 0;
}

static void finish_row(const struct afperf_file *file, struct afperf_row *row)
{
	struct afperf_summary *summary = &row->summary;
	long double scale = afperf_time_units[file->runs[row->run].units].per_second;

	afperf_tally_summary(&row->tally, summary);
	if (!row->duration)
		return;
	summary->integers = false;
	summary->sum /= scale;
	summary->mean /= scale;
	summary->std /= scale;
	summary->min /= scale;
	summary->max /= scale;
}

struct afperf_row *afperf_reduce_rows(struct afperf_file *file, struct afperf_reduction *reduction,
				      size_t *count)
{
	struct afperf_row *rows =
		perun_alloc_zero((size_t)reduction->count + file->group_count + 1, sizeof *rows);
	uint32_t *places = perun_alloc_zero(file->run_count + 1u, sizeof *places);
	struct afperf_tally *durations = tally_durations(file, reduction);
	size_t used = 0;

	for (uint32_t i = 0; i < file->defined_runs; i++)
		places[file->run_order[i]] = i;
	for (uint32_t i = 0; i < file->group_count; i++) {
		if (!durations[i].count || !file->runs[afperf_group_run(&file->groups[i])].line)
			continue;
		begin_row(file, i, places, &rows[used]);
		rows[used].duration = true;
		rows[used].measurement = "duration";
		rows[used].measurement_length = strlen("duration");
		rows[used].units = "s";
		rows[used].units_length = 1;
		rows[used].first_type = AFPERF_NONE;
		rows[used++].tally = durations[i];
	}
	for (uint32_t i = 0; i < reduction->count; i++) {
		const struct afperf_cell *cell = &reduction->cells[i];
		const struct afperf_measurement *type =
			&file->measurements[(uint32_t)cell->key.first];
		struct afperf_row *row = &rows[used++];

		begin_row(file, (uint32_t)(cell->key.first >> 32), places, row);
		row->measurement =
			afperf_texts_at(&file->texts, type->name, &row->measurement_length);
		row->units = afperf_texts_at(&file->texts, type->units, &row->units_length);
		row->first_type = (uint32_t)cell->key.first;
		row->tally = cell->tally;
	}
	qsort_r(rows, used, sizeof *rows, compare_rows, file);
	*count = merge_rows(file, rows, used);
	for (size_t i = 0; i < *count; i++)
		finish_row(file, &rows[i]);
	perun_free(places);
	perun_free(durations);
	return rows;
}
