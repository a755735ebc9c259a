/* SPDX-License-Identifier: BSD-3-Clause */
/* Data records: what they belong to, and their values by the datatypes of their types. */
#include <inttypes.h>

#include "file.h"

#define PARAGRAPH_ID    "Common Record Fields: record id"
#define PARAGRAPH_VALUE "MeasurementType: datatype"

static enum afperf_judgement violation(const struct afperf_record *record, const char *field,
				       const char *paragraph, const char *message,
				       struct afperf_problem *problem)
{
	afperf_report(problem, record->line, afperf_schemas[record->type].name, field, paragraph,
		      "%s", message);
	return AFPERF_JUDGED_UNKNOWN;
}

static bool is_point(enum afperf_type type)
{
	return type == AFPERF_RUN_POINT || type == AFPERF_REGION_POINT ||
	       type == AFPERF_SECTION_POINT;
}

/* Records of a run, and processed records with a blank id. */
static enum afperf_judgement resolve_run(const struct afperf_file *file,
					 const struct afperf_record *record,
					 struct afperf_data *data, struct afperf_problem *problem)
{
	data->run = afperf_find_run(file, record);
	if (data->run == AFPERF_NONE)
		return violation(record, "run id", PARAGRAPH_ID,
				 record->blank[AFPERF_ID_RUN]
					 ? "the run id is blank, and no RunInfo record precedes it"
					 : "no RunInfo record has this run id",
				 problem);
	return AFPERF_JUDGED_GOOD;
}

static enum afperf_judgement run_of_group(const struct afperf_file *file,
					  const struct afperf_record *record, uint32_t group,
					  struct afperf_data *data, struct afperf_problem *problem)
{
	data->run = afperf_group_run(&file->groups[group]);
	if (!file->runs[data->run].line)
		return violation(record, "record id", PARAGRAPH_ID,
				 "what it belongs to is of a run that is not defined", problem);
	return AFPERF_JUDGED_GOOD;
}

static enum afperf_judgement resolve_region(const struct afperf_file *file,
					    const struct afperf_record *record,
					    struct afperf_data *data,
					    struct afperf_problem *problem)
{
	uint32_t region = AFPERF_NONE;

	if (!record->blank[AFPERF_ID_ITEM])
		region = afperf_find_region(file, record->ids[AFPERF_ID_ITEM]);
	else if (file->block == AFPERF_BLOCK_REGION)
		region = file->block_index;
	else if (file->block == AFPERF_BLOCK_REGION_STOP)
		region = file->region_stops[file->block_index].match;
	if (region == AFPERF_NONE)
		return violation(record, "region id", PARAGRAPH_ID,
				 record->blank[AFPERF_ID_ITEM]
					 ? "the region id is blank, and the block is of no region"
					 : "no RegionStart has this region id",
				 problem);
	data->owner = region;
	return run_of_group(file, record, file->regions[region].group, data, problem);
}

static uint32_t section_of_block(const struct afperf_file *file, uint32_t *interval)
{
	*interval = AFPERF_NONE;
	if (file->block == AFPERF_BLOCK_INTERVAL) {
		*interval = file->block_index;
		return file->intervals[*interval].key.second / 2;
	}
	if (file->block == AFPERF_BLOCK_INTERVAL_STOP) {
		*interval = file->interval_stops[file->block_index].match;
		return file->interval_stops[file->block_index].owner;
	}
	return AFPERF_NONE;
}

static enum afperf_judgement resolve_section(const struct afperf_file *file,
					     const struct afperf_record *record,
					     struct afperf_data *data,
					     struct afperf_problem *problem)
{
	uint32_t interval, section = section_of_block(file, &interval);

	if (!record->blank[AFPERF_ID_ITEM]) {
		uint32_t named = afperf_find_section(file, record->ids[AFPERF_ID_ITEM]);

		interval = named == section ? interval : AFPERF_NONE;
		section = named;
	}
	if (section == AFPERF_NONE || file->sections[section].group == AFPERF_NONE)
		return violation(record, "section id", PARAGRAPH_ID,
				 record->blank[AFPERF_ID_ITEM]
					 ? "the section id is blank, and the block is of no section"
					 : "no SectionInfo has this section id",
				 problem);
	if (!record->blank[AFPERF_ID_INTERVAL]) {
		interval = afperf_find_interval(file, section, record);
		if (interval == AFPERF_NONE)
			return violation(record, "section interval id", PARAGRAPH_ID,
					 "no SectionStart has these ids", problem);
	} else if (file->block == AFPERF_BLOCK_INTERVAL_STOP && !file->final) {
		return violation(record, "section interval id", PARAGRAPH_ID,
				 "the stop before has no start", problem);
	}
	data->owner = section;
	data->interval = interval;
	return run_of_group(file, record, file->sections[section].group, data, problem);
}

/*
 * A processed record belongs to a run. Its id is that of the run; the specification's own examples
 * have that of a region or a section there, which represents its run.
 */
static enum afperf_judgement resolve_processed(const struct afperf_file *file,
					       const struct afperf_record *record,
					       struct afperf_data *data,
					       struct afperf_problem *problem)
{
	struct afperf_record of_run = {.type = record->type, .line = record->line};
	uint64_t id = record->ids[AFPERF_ID_ITEM];
	enum afperf_judgement judged;
	uint32_t i;

	of_run.blank[AFPERF_ID_RUN] = record->blank[AFPERF_ID_ITEM];
	of_run.ids[AFPERF_ID_RUN] = id;
	judged = resolve_run(file, &of_run, data, problem);
	if (judged == AFPERF_JUDGED_GOOD || !file->final)
		return judged;
	if (data->level == AFPERF_LEVEL_REGION) {
		i = afperf_find_region(file, id);
		if (i != AFPERF_NONE)
			return run_of_group(file, record, file->regions[i].group, data, problem);
	} else {
		i = afperf_find_section(file, id);
		if (i != AFPERF_NONE && file->sections[i].group != AFPERF_NONE)
			return run_of_group(file, record, file->sections[i].group, data, problem);
	}
	return violation(record, "record id", PARAGRAPH_ID, "no run has this id", problem);
}

static enum afperf_judgement resolve(const struct afperf_file *file,
				     const struct afperf_record *record, struct afperf_data *data,
				     struct afperf_problem *problem)
{
	data->point = is_point(record->type);
	data->processed = !data->point && record->texts[AFPERF_TEXT_AGGREGATION].length > 0;
	data->owner = data->interval = AFPERF_NONE;
	if (record->type == AFPERF_RUN_POINT || record->type == AFPERF_RUN_AGGREGATE) {
		data->level = AFPERF_LEVEL_RUN;
		return resolve_run(file, record, data, problem);
	}
	data->level = record->type == AFPERF_REGION_POINT || record->type == AFPERF_REGION_AGGREGATE
			      ? AFPERF_LEVEL_REGION
			      : AFPERF_LEVEL_SECTION;
	if (data->processed)
		return resolve_processed(file, record, data, problem);
	return data->level == AFPERF_LEVEL_REGION ? resolve_region(file, record, data, problem)
						  : resolve_section(file, record, data, problem);
}

/* ---- values ----------------------------------------------------------------------------------------- */

static bool wrong_value(const struct afperf_record *record, const struct afperf_value *value,
			const char *expected, enum afperf_number number,
			struct afperf_problem *problem)
{
	const char *why = number == AFPERF_NUMBER_RANGE   ? ", which is out of range"
			  : number == AFPERF_NUMBER_OCTAL ? ", which has a leading zero"
							  : "";

	afperf_report(problem, record->line, afperf_schemas[record->type].name, "value",
		      PARAGRAPH_VALUE, "expected %s, found %s%s", expected,
		      afperf_quote(value->text.data, value->text.length).text, why);
	return false;
}

static bool parse_value(const struct afperf_record *record, bool processed,
			struct afperf_value *value, struct afperf_problem *problem)
{
	enum afperf_number number;

	if (processed && value->datatype <= AFPERF_INT64)
		value->datatype = AFPERF_DOUBLE; /* the mean of whole numbers is seldom whole */
	switch (value->datatype) {
	case AFPERF_DOUBLE:
		number = afperf_parse_double(&value->text, &value->real);
		return number == AFPERF_NUMBER_GOOD ||
		       wrong_value(record, value, "a floating-point number", number, problem);
	case AFPERF_INT32:
		number = afperf_parse_int64(&value->text, &value->integer);
		if (number == AFPERF_NUMBER_GOOD &&
		    (value->integer < INT32_MIN || value->integer > INT32_MAX))
			number = AFPERF_NUMBER_RANGE;
		return number == AFPERF_NUMBER_GOOD ||
		       wrong_value(record, value, "an integer of 32 bits", number, problem);
	case AFPERF_INT64:
		number = afperf_parse_int64(&value->text, &value->integer);
		return number == AFPERF_NUMBER_GOOD ||
		       wrong_value(record, value, "an integer of 64 bits", number, problem);
	case AFPERF_BOOL:
		if (processed)
			return true;
		value->integer = value->text.length == 1 ? value->text.data[0] - '0' : 2;
		return value->integer == 0 || value->integer == 1 ||
		       wrong_value(record, value, "0 or 1", AFPERF_NUMBER_WRONG, problem);
	default:
		return true;
	}
}

/* Up to 15 bytes and their number as two words. False: the text is longer. */
static bool spell(const struct afperf_slice *text, uint64_t words[2])
{
	char bytes[16] = {0};

	if (text->length > 15)
		return false;
	/* Of a length known to the compiler, and then cut. */
	memcpy(bytes, text->data, sizeof bytes);
	memcpy(words, bytes, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (text->length < 8) {
		words[0] &= ((uint64_t)1 << text->length * 8) - 1;
		words[1] = 0;
	} else {
		words[1] &= ((uint64_t)1 << (text->length - 8) * 8) - 1;
	}
#else
	memset(bytes + text->length, 0, sizeof bytes - text->length);
	memcpy(words, bytes, sizeof bytes);
#endif
	words[1] |= (uint64_t)text->length << 56;
	return true;
}

/* The type of a pair. Mostly it is that of the pair in the same place of the record before. */
static uint32_t find_measurement(const struct afperf_file *file, uint32_t run, uint64_t id,
				 uint32_t guess)
{
	if (guess < file->measurement_count && file->measurements[guess].key.first == id &&
	    file->measurements[guess].key.second == run)
		return guess;
	return afperf_map_find(&file->measurement_map, file->measurements,
			       sizeof *file->measurements, id, run);
}

/* Find the type of a pair by its id. */
static enum afperf_judgement judge_type(struct afperf_file *file,
					const struct afperf_record *record,
					const struct afperf_data *data,
					const struct afperf_slice *id, struct afperf_value *value,
					struct afperf_problem *problem)
{
	enum afperf_number number;
	uint64_t type;

	number = afperf_parse_id(id, &type);
	if (number != AFPERF_NUMBER_GOOD) {
		afperf_report(problem, record->line, afperf_schemas[record->type].name,
			      "measurement type id", PARAGRAPH_ID, "%s %s",
			      afperf_quote(id->data, id->length).text,
			      afperf_number_problem(number));
		return AFPERF_JUDGED_WRONG;
	}
	value->measurement = find_measurement(file, data->run, type, value->measurement);
	if (value->measurement == AFPERF_NONE || !file->measurements[value->measurement].line) {
		value->measurement = AFPERF_NONE;
		afperf_report(problem, record->line, afperf_schemas[record->type].name,
			      "measurement type id", "MeasurementType",
			      "the run has no measurement type %" PRIu64, type);
		return AFPERF_JUDGED_UNKNOWN;
	}
	return AFPERF_JUDGED_GOOD;
}

static enum afperf_judgement judge_pair(struct afperf_file *file,
					const struct afperf_record *record,
					const struct afperf_data *data, size_t i,
					struct afperf_problem *problem)
{
	const struct afperf_slice *id = &record->pairs[2 * i];
	struct afperf_value *value = &file->values[i];
	uint64_t words[2];
	bool spelled = spell(id, words);

	if (!spelled || value->measurement == AFPERF_NONE || words[0] != value->id_text[0] ||
	    words[1] != value->id_text[1] ||
	    file->measurements[value->measurement].key.second != data->run) {
		enum afperf_judgement judged = judge_type(file, record, data, id, value, problem);

		if (judged != AFPERF_JUDGED_GOOD)
			return judged;
		value->id_text[0] = spelled ? words[0] : UINT64_MAX;
		value->id_text[1] = spelled ? words[1] : UINT64_MAX;
	}
	value->datatype = file->measurements[value->measurement].datatype;
	value->text = record->pairs[2 * i + 1];
	return parse_value(record, data->processed, value, problem) ? AFPERF_JUDGED_GOOD
								    : AFPERF_JUDGED_WRONG;
}

/* All pairs; of several problems all but the last are reported here. */
static enum afperf_judgement judge_pairs(struct afperf_file *file,
					 const struct afperf_record *record,
					 const struct afperf_data *data,
					 struct afperf_problem *problem)
{
	enum afperf_judgement all = AFPERF_JUDGED_GOOD;
	struct afperf_problem next;

	for (size_t i = 0; i < data->count; i++) {
		enum afperf_judgement judged = judge_pair(file, record, data, i, &next);

		if (judged == AFPERF_JUDGED_GOOD)
			continue;
		if (all != AFPERF_JUDGED_GOOD)
			afperf_violation(file, problem);
		*problem = next;
		all = judged;
		if (judged == AFPERF_JUDGED_UNKNOWN && !file->final)
			break; /* there is another pass */
	}
	return all;
}

static void take_over(struct afperf_file *file, const struct afperf_record *record,
		      struct afperf_data *data)
{
	struct afperf_run *run = &file->runs[data->run];

	data->start = data->point ? record->time : record->start;
	data->end = record->time;
	data->line = record->line;
	data->id = record->ids[data->level == AFPERF_LEVEL_RUN ? AFPERF_ID_RUN : AFPERF_ID_ITEM];
	data->no_id =
		record->blank[data->level == AFPERF_LEVEL_RUN ? AFPERF_ID_RUN : AFPERF_ID_ITEM];
	data->aggregation = data->processed ? record->texts[AFPERF_TEXT_AGGREGATION]
					    : (struct afperf_slice){NULL, 0};
	data->values = file->values;
	*(data->point ? &run->points : &run->aggregates) += data->count;
	for (size_t i = 0; i < data->count; i++)
		file->measurements[file->values[i].measurement].values++;
	if (data->start < run->first)
		run->first = data->start;
	if (data->end > run->last)
		run->last = data->end;
	if (file->listener.record)
		file->listener.record(file->listener.data, file, data);
}

enum afperf_judgement afperf_judge_data(struct afperf_file *file,
					const struct afperf_record *record,
					struct afperf_problem *problem)
{
	struct afperf_data data;
	enum afperf_judgement judged = resolve(file, record, &data, problem);

	data.count = record->pair_fields / 2;
	if (judged == AFPERF_JUDGED_GOOD)
		judged = afperf_judge_extra(file, record, data.run, record->pair_fields % 2,
					    problem);
	while (file->value_capacity < data.count) {
		size_t had = file->value_capacity;

		PERUN_GROW(file->values, file->value_capacity, file->value_capacity);
		memset(file->values + had, 0xFF,
		       (file->value_capacity - had) * sizeof *file->values);
	}
	if (judged == AFPERF_JUDGED_GOOD)
		judged = judge_pairs(file, record, &data, problem);
	if (judged == AFPERF_JUDGED_GOOD)
		take_over(file, record, &data);
	return judged;
}
