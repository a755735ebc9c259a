/* SPDX-License-Identifier: BSD-3-Clause */
/* What is defined by records: runs, types, regions, sections and their intervals; and where we are. */
#include "file.h"

#define FIND(FILE, WHAT, FIRST, SECOND)                                                       \
	afperf_map_find(&(FILE)->WHAT##_map, (FILE)->WHAT##s, sizeof *(FILE)->WHAT##s, FIRST, \
			SECOND)
/* Add a zeroed element; its index becomes the value of `i`. */
#define ADD(FILE, WHAT, I, FIRST, SECOND)                                                         \
	do {                                                                                      \
		PERUN_GROW((FILE)->WHAT##s, (FILE)->WHAT##_count, (FILE)->WHAT##_capacity);       \
		(I) = (FILE)->WHAT##_count++;                                                     \
		memset(&(FILE)->WHAT##s[I], 0, sizeof *(FILE)->WHAT##s);                          \
		(FILE)->WHAT##s[I].key = (struct afperf_key){FIRST, SECOND};                      \
		afperf_map_add(&(FILE)->WHAT##_map, (FILE)->WHAT##s, sizeof *(FILE)->WHAT##s, I); \
	} while (0)

static uint32_t add_text(struct afperf_file *file, const struct afperf_slice *slice)
{
	return afperf_texts_add(&file->texts, slice->data, slice->length);
}

/* A run by its id, perhaps one that is only spoken of so far. */
static uint32_t mention_run(struct afperf_file *file, const struct afperf_record *record)
{
	uint32_t i;

	if (record->blank[AFPERF_ID_RUN])
		return afperf_find_run(file, record);
	i = FIND(file, run, record->ids[AFPERF_ID_RUN], 0);
	if (i == AFPERF_NONE) {
		ADD(file, run, i, record->ids[AFPERF_ID_RUN], 0);
		file->runs[i].first = INT64_MAX;
		file->runs[i].last = INT64_MIN;
	}
	return i;
}

uint32_t afperf_find_run(const struct afperf_file *file, const struct afperf_record *record)
{
	uint32_t i;

	if (record->blank[AFPERF_ID_RUN]) {
		if (file->latest_run != AFPERF_NONE)
			return file->latest_run;
		return file->final && file->defined_runs ? file->run_order[0] : AFPERF_NONE;
	}
	i = FIND(file, run, record->ids[AFPERF_ID_RUN], 0);
	return i != AFPERF_NONE && file->runs[i].line ? i : AFPERF_NONE;
}

/*
 * Region ids that are counted up from the first one, without gaps, are their own index. Only when that
 * ends they come into the map.
 */
static uint32_t find_region(const struct afperf_file *file, uint64_t first, uint32_t second)
{
	uint64_t i;

	if (file->region_map.count)
		return FIND(file, region, first, second);
	if (second || !file->region_count)
		return AFPERF_NONE;
	i = first - file->regions[0].key.first;
	return i < file->region_count ? (uint32_t)i : AFPERF_NONE;
}

static uint32_t add_region(struct afperf_file *file, uint64_t first, uint32_t second)
{
	uint32_t i = file->region_count;

	PERUN_GROW(file->regions, file->region_count, file->region_capacity);
	memset(&file->regions[i], 0, sizeof *file->regions);
	file->regions[i].key = (struct afperf_key){first, second};
	file->region_count++;
	if (!file->region_map.count) {
		if (!second && first - file->regions[0].key.first == i)
			return i;
		for (uint32_t k = 0; k < i; k++)
			afperf_map_add(&file->region_map, file->regions, sizeof *file->regions, k);
	}
	afperf_map_add(&file->region_map, file->regions, sizeof *file->regions, i);
	return i;
}

uint32_t afperf_find_region(const struct afperf_file *file, uint64_t id)
{
	/* Mostly it is the one that the records before are of. */
	if (file->block == AFPERF_BLOCK_REGION &&
	    file->regions[file->block_index].key.first == id &&
	    !file->regions[file->block_index].key.second)
		return file->block_index;
	return find_region(file, id, 0);
}

uint32_t afperf_find_section(const struct afperf_file *file, uint64_t id)
{
	return FIND(file, section, id, 0);
}

uint32_t afperf_find_interval(const struct afperf_file *file, uint32_t section,
			      const struct afperf_record *record)
{
	return FIND(file, interval, record->ids[AFPERF_ID_INTERVAL], section * 2);
}

uint32_t afperf_add_group(struct afperf_file *file, uint32_t run, enum afperf_level level,
			  uint32_t label)
{
	uint64_t first = (uint64_t)run << 32 | label;
	uint32_t i = FIND(file, group, first, (uint32_t)level);

	if (i == AFPERF_NONE)
		ADD(file, group, i, first, (uint32_t)level);
	return i;
}

static void define_run(struct afperf_file *file, const struct afperf_record *record)
{
	bool blank = record->blank[AFPERF_ID_RUN];
	uint64_t id = blank ? record->line : record->ids[AFPERF_ID_RUN];
	uint32_t i = FIND(file, run, id, blank);
	struct afperf_run *run;

	if (i == AFPERF_NONE) {
		ADD(file, run, i, id, blank);
		file->runs[i].first = INT64_MAX;
		file->runs[i].last = INT64_MIN;
	}
	file->latest_run = file->mentioned_run = i;
	file->block = AFPERF_BLOCK_RUN;
	run = &file->runs[i];
	if (run->line)
		return;
	run->line = (uint32_t)record->line;
	run->blank = blank;
	run->later_minor = record->later_minor;
	file->any_later_minor |= run->later_minor;
	run->units = record->units;
	run->start = record->time;
	run->wallclock = record->wallclock;
	run->name = add_text(file, &record->texts[AFPERF_TEXT_NAME]);
	run->version = add_text(file, &record->texts[AFPERF_TEXT_VERSION]);
	run->format = add_text(file, &record->texts[AFPERF_TEXT_FORMAT]);
	run->tags = add_text(file, &record->texts[AFPERF_TEXT_TAGS]);
	PERUN_GROW(file->run_order, file->defined_runs, file->order_capacity);
	file->run_order[file->defined_runs++] = i;
}

static void define_measurement(struct afperf_file *file, const struct afperf_record *record)
{
	uint64_t id = record->ids[AFPERF_ID_ITEM];
	uint32_t run = mention_run(file, record), i, name, units;
	struct afperf_measurement *measurement;

	if (record->blank[AFPERF_ID_ITEM] || run == AFPERF_NONE)
		return;
	i = FIND(file, measurement, id, run);
	if (i == AFPERF_NONE)
		ADD(file, measurement, i, id, run);
	measurement = &file->measurements[i];
	if (record->line < measurement->line)
		return;
	name = add_text(file, &record->texts[AFPERF_TEXT_NAME]);
	units = add_text(file, &record->texts[AFPERF_TEXT_UNITS]);
	/* What was done with values by the former definition is done once more. */
	if (measurement->values && (measurement->datatype != record->datatype ||
				    measurement->name != name || measurement->units != units))
		file->forward = true;
	measurement->line = (uint32_t)record->line;
	measurement->datatype = record->datatype;
	measurement->time = record->time;
	measurement->name = name;
	measurement->units = units;
	measurement->summary = add_text(file, &record->texts[AFPERF_TEXT_SUMMARY]);
	measurement->description = add_text(file, &record->texts[AFPERF_TEXT_DESCRIPTION]);
}

static void define_region(struct afperf_file *file, const struct afperf_record *record)
{
	bool blank = record->blank[AFPERF_ID_ITEM];
	uint64_t id = blank ? record->line : record->ids[AFPERF_ID_ITEM];
	uint32_t run = mention_run(file, record), i = find_region(file, id, blank);
	struct afperf_region *region;

	file->block = AFPERF_BLOCK_NONE;
	if (run == AFPERF_NONE)
		return;
	file->mentioned_run = run;
	if (i == AFPERF_NONE) {
		i = add_region(file, id, blank);
		region = &file->regions[i];
		region->group = afperf_add_group(file, run, AFPERF_LEVEL_REGION,
						 add_text(file, &record->texts[AFPERF_TEXT_NAME]));
		region->tags = add_text(file, &record->texts[AFPERF_TEXT_TAGS]);
		region->start = record->time;
		region->end = AFPERF_OPEN;
		region->line = (uint32_t)record->line;
		region->parent = AFPERF_NONE;
	}
	file->block = AFPERF_BLOCK_REGION;
	file->block_index = i;
}

static void define_region_stop(struct afperf_file *file, const struct afperf_record *record)
{
	uint32_t i;

	if (!record->blank[AFPERF_ID_ITEM]) {
		file->block_index = afperf_find_region(file, record->ids[AFPERF_ID_ITEM]);
		file->block =
			file->block_index == AFPERF_NONE ? AFPERF_BLOCK_NONE : AFPERF_BLOCK_REGION;
		return;
	}
	i = FIND(file, region_stop, record->line, 0);
	if (i == AFPERF_NONE) {
		ADD(file, region_stop, i, record->line, 0);
		file->region_stops[i].time = record->time;
		file->region_stops[i].owner = file->mentioned_run;
		file->region_stops[i].match = AFPERF_NONE;
	}
	file->block = AFPERF_BLOCK_REGION_STOP;
	file->block_index = i;
}

/* A section by its id, perhaps one that is only spoken of so far; a blank id means the latest. */
static uint32_t mention_section(struct afperf_file *file, const struct afperf_record *record)
{
	uint32_t i;

	if (record->blank[AFPERF_ID_ITEM])
		return file->latest_section;
	i = FIND(file, section, record->ids[AFPERF_ID_ITEM], 0);
	if (i == AFPERF_NONE) {
		ADD(file, section, i, record->ids[AFPERF_ID_ITEM], 0);
		file->sections[i].group = AFPERF_NONE;
	}
	return i;
}

static void define_section(struct afperf_file *file, const struct afperf_record *record)
{
	bool blank = record->blank[AFPERF_ID_ITEM];
	uint64_t id = blank ? record->line : record->ids[AFPERF_ID_ITEM];
	uint32_t run = mention_run(file, record), i = FIND(file, section, id, blank);
	struct afperf_section *section;

	if (run == AFPERF_NONE)
		return;
	if (i == AFPERF_NONE) {
		ADD(file, section, i, id, blank);
		file->sections[i].group = AFPERF_NONE;
	}
	file->latest_section = i;
	if (file->sections[i].group != AFPERF_NONE)
		return;
	section = &file->sections[i];
	section->group = afperf_add_group(file, run, AFPERF_LEVEL_SECTION,
					  add_text(file, &record->texts[AFPERF_TEXT_NAME]));
	section->tags = add_text(file, &record->texts[AFPERF_TEXT_TAGS]);
	section->line = (uint32_t)record->line;
	section->time = record->time;
	section->no_time = record->no_time;
}

static void define_interval(struct afperf_file *file, const struct afperf_record *record)
{
	bool blank = record->blank[AFPERF_ID_INTERVAL];
	uint64_t id = blank ? record->line : record->ids[AFPERF_ID_INTERVAL];
	uint32_t section = mention_section(file, record), i;

	file->block = AFPERF_BLOCK_NONE;
	if (section == AFPERF_NONE)
		return;
	i = FIND(file, interval, id, section * 2 + blank);
	if (i == AFPERF_NONE) {
		ADD(file, interval, i, id, section * 2 + blank);
		file->intervals[i].start = record->time;
		file->intervals[i].end = AFPERF_OPEN;
		file->intervals[i].line = (uint32_t)record->line;
	}
	file->block = AFPERF_BLOCK_INTERVAL;
	file->block_index = i;
}

static void define_interval_stop(struct afperf_file *file, const struct afperf_record *record)
{
	uint32_t section = mention_section(file, record), i;

	file->block = AFPERF_BLOCK_NONE;
	if (section == AFPERF_NONE)
		return;
	if (!record->blank[AFPERF_ID_INTERVAL]) {
		file->block_index = afperf_find_interval(file, section, record);
		if (file->block_index != AFPERF_NONE)
			file->block = AFPERF_BLOCK_INTERVAL;
		return;
	}
	i = FIND(file, interval_stop, record->line, 0);
	if (i == AFPERF_NONE) {
		ADD(file, interval_stop, i, record->line, 0);
		file->interval_stops[i].time = record->time;
		file->interval_stops[i].owner = section;
		file->interval_stops[i].match = AFPERF_NONE;
	}
	file->block = AFPERF_BLOCK_INTERVAL_STOP;
	file->block_index = i;
}

void afperf_define(struct afperf_file *file, const struct afperf_record *record)
{
	switch (record->type) {
	case AFPERF_RUN_INFO:
		define_run(file, record);
		break;
	case AFPERF_MEASUREMENT_TYPE:
		define_measurement(file, record);
		break;
	case AFPERF_REGION_START:
		define_region(file, record);
		break;
	case AFPERF_REGION_STOP:
		define_region_stop(file, record);
		break;
	case AFPERF_SECTION_INFO:
		define_section(file, record);
		break;
	case AFPERF_SECTION_START:
		define_interval(file, record);
		break;
	case AFPERF_SECTION_STOP:
		define_interval_stop(file, record);
		break;
	default:
		break;
	}
}
