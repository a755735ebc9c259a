/* SPDX-License-Identifier: BSD-3-Clause */
/* The one layer that knows what an AFPerf file says: check, info, reduce, reader and writers use it. */
#ifndef AFPERF_FILE_H
#define AFPERF_FILE_H

#include "map.h"
#include "record.h"

/*
 * A file is read once if each thing is defined before it is used. If a region, a run or a type comes
 * after its use, the file is read a second time, now with everything known: so nothing has to be
 * kept until its definition comes.
 */

#define AFPERF_OPEN (-1) /* end of an interval that was not stopped */

enum afperf_level { AFPERF_LEVEL_RUN, AFPERF_LEVEL_REGION, AFPERF_LEVEL_SECTION };

struct afperf_pause {
	int64_t start, end;
};

/* Pauses that do not touch each other, by time. */
struct afperf_merged_pause {
	int64_t start, end;
	int64_t before; /* the length of all pauses before this one */
};

struct afperf_run {
	struct afperf_key key; /* id; or line and 1 where the id is blank */
	bool blank, later_minor;
	uint8_t units;
	uint32_t line; /* of RunInfo, 0 = there is none */
	int64_t start;
	double wallclock;
	uint32_t name, version, format, tags; /* texts */
	/* What the records say. */
	uint64_t regions, sections, intervals, points, aggregates;
	int64_t first, last;         /* timestamps; first > last: there is none */
	struct afperf_pause *pauses; /* in the order of the file; merged and sorted at the end */
	size_t pause_count, pause_capacity, merged_count;
	struct afperf_merged_pause *merged;
};

/* A measurement type of a run, as its last definition has it. */
struct afperf_measurement {
	struct afperf_key key; /* id, run */
	uint8_t datatype;
	uint32_t line; /* of the definition, 0 = none */
	int64_t time;
	uint32_t name, units, summary, description;
	uint64_t values; /* seen so far */
};

/* A label of a run at a level. */
struct afperf_group {
	struct afperf_key key; /* run << 32 | label, level */
};

struct afperf_region {
	struct afperf_key key; /* id and 0; or line and 1 */
	uint32_t group;
	int64_t start, end;
	uint32_t tags : 31;
	bool left_out : 1; /* it crosses another */
	uint32_t line;
	uint32_t parent; /* after the end of the file; AFPERF_NONE = outermost */
	uint32_t mark;   /* for whoever listens; 0 at first */
};

struct afperf_section {
	struct afperf_key key;
	uint32_t group; /* AFPERF_NONE: not defined */
	uint32_t tags, line;
	int64_t time;
	bool no_time;
};

struct afperf_interval {
	struct afperf_key key; /* id, section * 2 (+ 1 and the line where the id is blank) */
	int64_t start, end;
	uint32_t line, mark;
};

/* A stop without an id, which finds its start by time. */
struct afperf_stop {
	struct afperf_key key; /* line, 0 */
	int64_t time;
	uint32_t owner; /* a run, or a section of intervals */
	uint32_t match; /* a region or an interval */
};

struct afperf_value {
	uint32_t measurement;
	uint64_t id_text[2]; /* its id as it was spelled last, if that is short */
	enum afperf_datatype datatype;
	union {
		double real;     /* double; for processed values of every numeric type */
		int64_t integer; /* int32, int64, bool */
	};
	struct afperf_slice text; /* as it is in the file */
};

/* A data record. */
struct afperf_data {
	enum afperf_level level;
	bool point, processed;
	uint32_t run;
	uint32_t owner;    /* region or section; AFPERF_NONE: the run, or a processed record */
	uint32_t interval; /* of a section, or AFPERF_NONE */
	int64_t start, end;
	uint64_t line, id; /* as it is in the record */
	bool no_id;
	struct afperf_slice aggregation;
	const struct afperf_value *values;
	size_t count;
};

struct afperf_file;

/* What is done with a file while it is read. Any member may be NULL. */
struct afperf_listener {
	void *data;
	/* Forget everything: the file is read once more. */
	void (*restart)(void *data);
	/* A valid data record. */
	void (*record)(void *data, struct afperf_file *file, const struct afperf_data *record);
	/* A valid stop; intervals without ids are not reported, they come at the end. */
	void (*closed)(void *data, struct afperf_file *file, enum afperf_level level,
		       uint32_t index);
	/* What is left out, or what is not as it should be. */
	void (*violation)(void *data, const struct afperf_problem *problem);
	void (*warning)(void *data, const struct afperf_problem *problem);
};

enum afperf_block_kind {
	AFPERF_BLOCK_NONE,
	AFPERF_BLOCK_RUN,
	AFPERF_BLOCK_REGION,
	AFPERF_BLOCK_REGION_STOP,
	AFPERF_BLOCK_INTERVAL,
	AFPERF_BLOCK_INTERVAL_STOP
};

/* A problem that may yet turn out to be none. */
struct afperf_kept {
	struct afperf_problem problem;
	bool warning;
};

struct afperf_file {
	struct afperf_lines lines;
	struct afperf_listener listener;
	bool stop_at_first; /* a violation ends the reading */
	/* Definitions. */
	struct afperf_texts texts;
	struct afperf_run *runs;
	struct afperf_measurement *measurements;
	struct afperf_group *groups;
	struct afperf_region *regions;
	struct afperf_section *sections;
	struct afperf_interval *intervals;
	struct afperf_stop *region_stops, *interval_stops;
	uint32_t run_count, measurement_count, group_count, region_count, section_count;
	uint32_t interval_count, region_stop_count, interval_stop_count;
	uint32_t run_capacity, measurement_capacity, group_capacity, region_capacity;
	uint32_t section_capacity, interval_capacity, region_stop_capacity, interval_stop_capacity;
	struct afperf_map run_map, measurement_map, group_map, region_map, section_map;
	struct afperf_map interval_map, region_stop_map, interval_stop_map;
	uint32_t *run_order; /* by RunInfo; `defined_runs` of them */
	uint32_t defined_runs, order_capacity;
	bool any_later_minor;
	/* The place in the file: what blank ids mean. */
	uint32_t latest_run, mentioned_run, latest_section;
	enum afperf_block_kind block;
	uint32_t block_index;
	/* The passes. */
	bool final;   /* everything is defined */
	bool forward; /* something was used before its definition: another pass is needed */
	struct afperf_kept *kept;
	size_t kept_count, kept_capacity;
	uint64_t violations, warnings;
	uint64_t ignored_records, ignored_fields; /* of later minor versions */
	/* Values of the record at hand; and where the same types were in the record before. */
	struct afperf_value *values;
	size_t value_capacity;
};

/* Read a file through. Violations are reported to the listener; the status is of failures to read. */
int afperf_file_read(struct perun_ctx *ctx, struct afperf_file *file, struct perun_input *input,
		     size_t limit, const struct afperf_listener *listener);
void afperf_file_free(struct afperf_file *file);

static inline const char *afperf_file_text(const struct afperf_file *file, uint32_t text)
{
	return afperf_texts_at(&file->texts, text, NULL);
}
static inline uint32_t afperf_group_run(const struct afperf_group *group)
{
	return (uint32_t)(group->key.first >> 32);
}
static inline uint32_t afperf_group_label(const struct afperf_group *group)
{
	return (uint32_t)group->key.first;
}

/* The length of [start, end) that lies in pauses of the run. After the end of the file. */
int64_t afperf_paused(const struct afperf_run *run, int64_t start, int64_t end);
/* The next tag of a "name=value;name=value" text. False at the end. */
bool afperf_next_tag(const char **text, const char *end, struct afperf_slice *name,
		     struct afperf_slice *value);

/* ---- between the files of this layer ---------------------------------------------------------------- */

/* define.c: take over what a record defines, and whether a blank id may mean it from now on. */
void afperf_define(struct afperf_file *file, const struct afperf_record *record);
/* The run of a record, AFPERF_NONE if it is not defined. */
uint32_t afperf_find_run(const struct afperf_file *file, const struct afperf_record *record);
uint32_t afperf_add_group(struct afperf_file *file, uint32_t run, enum afperf_level level,
			  uint32_t label);
uint32_t afperf_find_region(const struct afperf_file *file, uint64_t id);
uint32_t afperf_find_section(const struct afperf_file *file, uint64_t id);
uint32_t afperf_find_interval(const struct afperf_file *file, uint32_t section,
			      const struct afperf_record *record);

/* judge.c: what a record means among the others. */
enum afperf_judgement {
	AFPERF_JUDGED_GOOD,
	AFPERF_JUDGED_WRONG,
	AFPERF_JUDGED_UNKNOWN /* refers to what is not (yet) defined */
};
enum afperf_judgement afperf_judge(struct afperf_file *file, const struct afperf_record *record,
				   struct afperf_problem *problem);
/* data.c: the same of data records. */
enum afperf_judgement afperf_judge_data(struct afperf_file *file,
					const struct afperf_record *record,
					struct afperf_problem *problem);
/* Whether fields after the known ones are allowed; counts them. */
enum afperf_judgement afperf_judge_extra(struct afperf_file *file,
					 const struct afperf_record *record, uint32_t run,
					 size_t extra, struct afperf_problem *problem);
void afperf_violation(struct afperf_file *file, const struct afperf_problem *problem);
void afperf_warning(struct afperf_file *file, const struct afperf_problem *problem);

/* match.c: stops without ids. nest.c: regions in regions. pauses.c */
void afperf_match_stops(struct afperf_file *file);
void afperf_nest_regions(struct afperf_file *file);
void afperf_merge_pauses(struct afperf_file *file);

#endif
