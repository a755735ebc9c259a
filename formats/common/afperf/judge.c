/* SPDX-License-Identifier: BSD-3-Clause */
/* What an event record means among the others: references, order of times, things used twice. */
#include <inttypes.h>

#include "file.h"

static const char *type_name(const struct afperf_record *record)
{
	return afperf_schemas[record->type].name;
}

static enum afperf_judgement unknown_run(const struct afperf_record *record,
					 struct afperf_problem *problem)
{
	if (record->blank[AFPERF_ID_RUN])
		afperf_report(problem, record->line, type_name(record), "run id",
			      "Common Record Fields: record id",
			      "the run id is blank, and no RunInfo record precedes it");
	else
		afperf_report(problem, record->line, type_name(record), "run id",
			      "Common Record Fields: record id",
			      "there is no RunInfo record of run %" PRIu64,
			      record->ids[AFPERF_ID_RUN]);
	return AFPERF_JUDGED_UNKNOWN;
}

static enum afperf_judgement wrong(const struct afperf_record *record, const char *field,
				   const char *paragraph, const char *message, uint64_t line,
				   struct afperf_problem *problem)
{
	if (line)
		afperf_report(problem, record->line, type_name(record), field, paragraph,
			      "%s (line %" PRIu64 ")", message, line);
	else
		afperf_report(problem, record->line, type_name(record), field, paragraph, "%s",
			      message);
	return AFPERF_JUDGED_WRONG;
}

static enum afperf_judgement unknown(const struct afperf_record *record, const char *field,
				     const char *paragraph, const char *message,
				     struct afperf_problem *problem)
{
	wrong(record, field, paragraph, message, 0, problem);
	return AFPERF_JUDGED_UNKNOWN;
}

enum afperf_judgement afperf_judge_extra(struct afperf_file *file,
					 const struct afperf_record *record, uint32_t run,
					 size_t extra, struct afperf_problem *problem)
{
	if (!extra)
		return AFPERF_JUDGED_GOOD;
	if (run != AFPERF_NONE && file->runs[run].later_minor) {
		file->ignored_fields += extra;
		return AFPERF_JUDGED_GOOD;
	}
	return wrong(record, NULL, type_name(record),
		     afperf_schemas[record->type].pairs
			     ? "a measurement type id without a value at the end"
			     : "more fields than the record type has in version 1.0",
		     0, problem);
}

static void extend_span(struct afperf_run *run, int64_t time)
{
	if (time < run->first)
		run->first = time;
	if (time > run->last)
		run->last = time;
}

static enum afperf_judgement judge_run(struct afperf_file *file, const struct afperf_record *record,
				       struct afperf_problem *problem)
{
	const struct afperf_run *run = &file->runs[file->latest_run];
	bool blank = record->blank[AFPERF_ID_RUN];
	enum afperf_judgement judged = AFPERF_JUDGED_GOOD;

	if (run->line != record->line && !blank)
		return wrong(record, "run id", "RunInfo: run id", "the run id is used twice",
			     run->line, problem);
	if (record->pair_fields) {
		judged = afperf_judge_extra(file, record, file->latest_run, record->pair_fields,
					    problem);
	}
	return judged;
}

static enum afperf_judgement judge_measurement(struct afperf_file *file,
					       const struct afperf_record *record,
					       struct afperf_problem *problem)
{
	const struct afperf_slice *units = &record->texts[AFPERF_TEXT_UNITS];
	uint32_t run = afperf_find_run(file, record);
	struct afperf_problem unusual;
	const char *better;

	if (record->blank[AFPERF_ID_ITEM])
		return wrong(record, "measurement type id", "MeasurementType",
			     "the id is blank, so no value can refer to it", 0, problem);
	if (run == AFPERF_NONE)
		return unknown_run(record, problem);
	if (afperf_judge_units(units, &better) == AFPERF_UNITS_UNUSUAL) {
		afperf_report(
			&unusual, record->line, type_name(record), "units",
			"MeasurementType: units",
			"%s is neither \"text\" nor \"count\" nor a unit of time or amount of "
			"data",
			afperf_quote(units->data, units->length).text);
		afperf_warning(file, &unusual);
	}
	return afperf_judge_extra(file, record, run, record->pair_fields, problem);
}

static enum afperf_judgement judge_pause(struct afperf_file *file,
					 const struct afperf_record *record,
					 struct afperf_problem *problem)
{
	uint32_t i = afperf_find_run(file, record);
	enum afperf_judgement judged;
	struct afperf_run *run;

	if (i == AFPERF_NONE)
		return unknown_run(record, problem);
	judged = afperf_judge_extra(file, record, i, record->pair_fields, problem);
	if (judged != AFPERF_JUDGED_GOOD)
		return judged;
	run = &file->runs[i];
	PERUN_GROW(run->pauses, run->pause_count, run->pause_capacity);
	run->pauses[run->pause_count++] = (struct afperf_pause){record->start, record->time};
	extend_span(run, record->start);
	extend_span(run, record->time);
	return AFPERF_JUDGED_GOOD;
}

static enum afperf_judgement judge_region(struct afperf_file *file,
					  const struct afperf_record *record,
					  struct afperf_problem *problem)
{
	uint32_t run = afperf_find_run(file, record);
	enum afperf_judgement judged;

	if (run == AFPERF_NONE)
		return unknown_run(record, problem);
	if (file->block != AFPERF_BLOCK_REGION)
		return unknown(record, "region id", "RegionStart", "the region has no run",
			       problem);
	if (file->regions[file->block_index].line != record->line)
		return wrong(record, "region id", "RegionStart: region id",
			     "the region id is used twice", file->regions[file->block_index].line,
			     problem);
	judged = afperf_judge_extra(file, record, run, record->pair_fields, problem);
	if (judged == AFPERF_JUDGED_GOOD) {
		file->runs[run].regions++;
		extend_span(&file->runs[run], record->time);
	}
	return judged;
}

static enum afperf_judgement judge_region_stop(struct afperf_file *file,
					       const struct afperf_record *record,
					       struct afperf_problem *problem)
{
	struct afperf_region *region;
	enum afperf_judgement judged;
	uint32_t run;

	if (record->blank[AFPERF_ID_ITEM]) {
		run = file->region_stops[file->block_index].owner;
		if (run == AFPERF_NONE)
			return unknown_run(record, problem);
		extend_span(&file->runs[run], record->time);
		return afperf_judge_extra(file, record, run, record->pair_fields, problem);
	}
	if (file->block != AFPERF_BLOCK_REGION)
		return unknown(record, "region id", "RegionStop",
			       "a stop without a start: no RegionStart has this region id",
			       problem);
	region = &file->regions[file->block_index];
	run = afperf_group_run(&file->groups[region->group]);
	if (!file->runs[run].line)
		return unknown(record, "region id", "RegionStop",
			       "the run of the region is not defined", problem);
	if (region->end != AFPERF_OPEN)
		return wrong(record, "region id", "RegionStop",
			     "a stop without a start: the region was stopped before", 0, problem);
	if (record->time < region->start)
		return wrong(record, "timestamp", "AFPerf Format Version 1.x: regions",
			     "the end is before the start", region->line, problem);
	judged = afperf_judge_extra(file, record, run, record->pair_fields, problem);
	if (judged != AFPERF_JUDGED_GOOD)
		return judged;
	region->end = record->time;
	extend_span(&file->runs[run], record->time);
	if (file->listener.closed)
		file->listener.closed(file->listener.data, file, AFPERF_LEVEL_REGION,
				      file->block_index);
	return AFPERF_JUDGED_GOOD;
}

static enum afperf_judgement judge_section(struct afperf_file *file,
					   const struct afperf_record *record,
					   struct afperf_problem *problem)
{
	uint32_t run = afperf_find_run(file, record);
	const struct afperf_section *section;
	enum afperf_judgement judged;

	if (run == AFPERF_NONE)
		return unknown_run(record, problem);
	section = &file->sections[file->latest_section];
	if (section->line != record->line)
		return wrong(record, "section id", "SectionInfo: section id",
			     "the section id is used twice", section->line, problem);
	judged = afperf_judge_extra(file, record, run, record->pair_fields, problem);
	if (judged == AFPERF_JUDGED_GOOD)
		file->runs[run].sections++;
	return judged;
}

/* The run of an interval's section; AFPERF_NONE if there is none. */
static uint32_t run_of_section(const struct afperf_file *file, uint32_t section)
{
	uint32_t run;

	if (section == AFPERF_NONE || file->sections[section].group == AFPERF_NONE)
		return AFPERF_NONE;
	run = afperf_group_run(&file->groups[file->sections[section].group]);
	return file->runs[run].line ? run : AFPERF_NONE;
}

static enum afperf_judgement unknown_section(const struct afperf_record *record,
					     struct afperf_problem *problem)
{
	return unknown(record, "section id", type_name(record),
		       record->blank[AFPERF_ID_ITEM]
			       ? "the section id is blank, and no SectionInfo precedes it"
			       : "no SectionInfo has this section id",
		       problem);
}

static enum afperf_judgement judge_interval(struct afperf_file *file,
					    const struct afperf_record *record,
					    struct afperf_problem *problem)
{
	const struct afperf_interval *interval;
	uint32_t run;
	enum afperf_judgement judged;

	if (file->block != AFPERF_BLOCK_INTERVAL)
		return unknown_section(record, problem);
	interval = &file->intervals[file->block_index];
	run = run_of_section(file, interval->key.second / 2);
	if (run == AFPERF_NONE)
		return unknown_section(record, problem);
	if (interval->line != record->line)
		return wrong(record, "section interval id", "SectionStart: section interval id",
			     "the interval id is used twice in its section", interval->line,
			     problem);
	judged = afperf_judge_extra(file, record, run, record->pair_fields, problem);
	if (judged == AFPERF_JUDGED_GOOD)
		extend_span(&file->runs[run], record->time);
	return judged;
}

static enum afperf_judgement judge_interval_stop(struct afperf_file *file,
						 const struct afperf_record *record,
						 struct afperf_problem *problem)
{
	bool blank = file->block == AFPERF_BLOCK_INTERVAL_STOP;
	struct afperf_interval *interval;
	enum afperf_judgement judged;
	uint32_t section, run;

	if (file->block == AFPERF_BLOCK_NONE)
		return unknown(record, "section interval id", "SectionStop",
			       "a stop without a start: no SectionStart has these ids", problem);
	section = blank ? file->interval_stops[file->block_index].owner
			: file->intervals[file->block_index].key.second / 2;
	run = run_of_section(file, section);
	if (run == AFPERF_NONE)
		return unknown_section(record, problem);
	if (blank) {
		extend_span(&file->runs[run], record->time);
		return afperf_judge_extra(file, record, run, record->pair_fields, problem);
	}
	interval = &file->intervals[file->block_index];
	if (interval->end != AFPERF_OPEN)
		return wrong(record, "section interval id", "SectionStop",
			     "a stop without a start: the interval was stopped before", 0, problem);
	if (record->time < interval->start)
		return wrong(record, "timestamp", "SectionStop", "the end is before the start",
			     interval->line, problem);
	judged = afperf_judge_extra(file, record, run, record->pair_fields, problem);
	if (judged != AFPERF_JUDGED_GOOD)
		return judged;
	interval->end = record->time;
	file->runs[run].intervals++;
	extend_span(&file->runs[run], record->time);
	if (file->listener.closed)
		file->listener.closed(file->listener.data, file, AFPERF_LEVEL_SECTION,
				      file->block_index);
	return AFPERF_JUDGED_GOOD;
}

static enum afperf_judgement judge_unknown(struct afperf_file *file,
					   const struct afperf_record *record,
					   struct afperf_problem *problem)
{
	const struct afperf_slice *name = record->pairs - 1;

	if (file->any_later_minor) {
		file->ignored_records++;
		return AFPERF_JUDGED_GOOD;
	}
	afperf_report(problem, record->line, NULL, "record type", "Defined Record Types",
		      "%s is not a record type", afperf_quote(name->data, name->length).text);
	return AFPERF_JUDGED_UNKNOWN;
}

enum afperf_judgement afperf_judge(struct afperf_file *file, const struct afperf_record *record,
				   struct afperf_problem *problem)
{
	switch (record->type) {
	case AFPERF_RUN_INFO:
		return judge_run(file, record, problem);
	case AFPERF_MEASUREMENT_TYPE:
		return judge_measurement(file, record, problem);
	case AFPERF_PAUSE_RESUME:
		return judge_pause(file, record, problem);
	case AFPERF_REGION_START:
		return judge_region(file, record, problem);
	case AFPERF_REGION_STOP:
		return judge_region_stop(file, record, problem);
	case AFPERF_SECTION_INFO:
		return judge_section(file, record, problem);
	case AFPERF_SECTION_START:
		return judge_interval(file, record, problem);
	case AFPERF_SECTION_STOP:
		return judge_interval_stop(file, record, problem);
	case AFPERF_UNKNOWN:
		return judge_unknown(file, record, problem);
	default:
		return afperf_judge_data(file, record, problem);
	}
}
