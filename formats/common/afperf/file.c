/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a file through: one pass, or two if something is used before it is defined. */
#include "file.h"

#define KEPT_PROBLEMS 256
#define MAX_LINES     (UINT32_MAX - 1)

/* ---- problems --------------------------------------------------------------------------------------- */

/* In a first pass it may yet turn out that there is a second, which reports its own. */
static void keep(struct afperf_file *file, const struct afperf_problem *problem, bool warning)
{
	if (file->kept_count >= KEPT_PROBLEMS) {
		file->forward = true;
		return;
	}
	PERUN_GROW(file->kept, file->kept_count, file->kept_capacity);
	file->kept[file->kept_count].problem = *problem;
	file->kept[file->kept_count++].warning = warning;
}

static void deliver(struct afperf_file *file, const struct afperf_problem *problem, bool warning)
{
	++*(warning ? &file->warnings : &file->violations);
	if (warning ? !file->listener.warning : !file->listener.violation)
		return;
	(warning ? file->listener.warning : file->listener.violation)(file->listener.data, problem);
}

void afperf_violation(struct afperf_file *file, const struct afperf_problem *problem)
{
	if (file->final)
		deliver(file, problem, false);
	else
		keep(file, problem, false);
}

void afperf_warning(struct afperf_file *file, const struct afperf_problem *problem)
{
	if (file->final)
		deliver(file, problem, true);
	else
		keep(file, problem, true);
}

static void deliver_kept(struct afperf_file *file)
{
	file->final = true;
	for (size_t i = 0; i < file->kept_count; i++)
		deliver(file, &file->kept[i].problem, file->kept[i].warning);
	file->kept_count = 0;
}

/* ---- passes ----------------------------------------------------------------------------------------- */

static void begin_pass(struct afperf_file *file)
{
	file->latest_run = file->mentioned_run = file->latest_section = AFPERF_NONE;
	file->block = AFPERF_BLOCK_NONE;
	file->kept_count = 0;
	file->ignored_records = file->ignored_fields = 0;
	for (uint32_t i = 0; i < file->run_count; i++) {
		struct afperf_run *run = &file->runs[i];

		run->regions = run->sections = run->intervals = 0;
		run->points = run->aggregates = 0;
		run->first = INT64_MAX;
		run->last = INT64_MIN;
		run->pause_count = 0;
	}
	for (uint32_t i = 0; i < file->region_count; i++) {
		file->regions[i].end = AFPERF_OPEN;
		file->regions[i].mark = 0;
		file->regions[i].left_out = false;
	}
	for (uint32_t i = 0; i < file->interval_count; i++) {
		file->intervals[i].end = AFPERF_OPEN;
		file->intervals[i].mark = 0;
	}
	for (uint32_t i = 0; i < file->measurement_count; i++)
		file->measurements[i].values = 0;
}

static void take_violation(void *data, const struct afperf_problem *problem)
{
	struct afperf_file *file = data;

	if (!file->forward || file->final)
		afperf_violation(file, problem);
}

static void take_record(struct afperf_file *file, struct afperf_record *record)
{
	struct afperf_problem problem;

	if (!afperf_parse(&file->lines, record, take_violation, file)) {
		file->block = AFPERF_BLOCK_NONE;
		return;
	}
	afperf_define(file, record);
	if (file->forward && !file->final)
		return;
	switch (afperf_judge(file, record, &problem)) {
	case AFPERF_JUDGED_GOOD:
		return;
	case AFPERF_JUDGED_UNKNOWN:
		if (!file->final) {
			file->forward = true;
			return;
		}
		break;
	case AFPERF_JUDGED_WRONG:
		break;
	}
	afperf_violation(file, &problem);
}

static bool too_many_lines(struct afperf_file *file, struct afperf_problem *problem)
{
	if (file->lines.next_line <= MAX_LINES)
		return false;
	afperf_report(problem, MAX_LINES, NULL, NULL, NULL,
		      "the file has more lines than can be read; split it");
	return true;
}

static int run_pass(struct perun_ctx *ctx, struct afperf_file *file)
{
	struct afperf_record record = {0};
	struct afperf_problem problem;
	uint64_t records = 0;

	begin_pass(file);
	for (;;) {
		enum afperf_got got = afperf_lines_next(ctx, &file->lines, &problem);

		if (got == AFPERF_GOT_END)
			return PERUN_OK;
		if (got == AFPERF_GOT_FAILURE)
			return PERUN_INPUT;
		if (got == AFPERF_GOT_RECORD && too_many_lines(file, &problem))
			got = AFPERF_GOT_STOP;
		if (got == AFPERF_GOT_RECORD) {
			take_record(file, &record);
		} else {
			file->block = AFPERF_BLOCK_NONE;
			if (got != AFPERF_GOT_HEADER)
				afperf_violation(file, &problem);
			if (got == AFPERF_GOT_STOP)
				return PERUN_OK;
		}
		if (file->stop_at_first && file->final && file->violations)
			return PERUN_OK;
		if (++records % 65536 == 0) {
			int64_t size = perun_input_size(file->lines.input);

			if (perun_cancelled(ctx))
				return PERUN_CANCELLED;
			perun_progress(ctx, "reading", file->lines.bytes,
				       size > 0 ? (uint64_t)size : 0);
		}
	}
}

/* ---- the end of the file ---------------------------------------------------------------------------- */

static void warn_open(struct afperf_file *file)
{
	struct afperf_problem problem;

	for (uint32_t i = 0; i < file->region_count; i++) {
		const struct afperf_region *region = &file->regions[i];

		if (region->end != AFPERF_OPEN || region->left_out)
			continue;
		afperf_report(&problem, region->line, "RegionStart", NULL, "RegionStop",
			      "the region is never stopped: it has no duration");
		afperf_warning(file, &problem);
	}
	for (uint32_t i = 0; i < file->interval_count; i++) {
		const struct afperf_interval *interval = &file->intervals[i];

		if (interval->end != AFPERF_OPEN)
			continue;
		afperf_report(&problem, interval->line, "SectionStart", NULL, "SectionStop",
			      "the interval is never stopped: it has no duration");
		afperf_warning(file, &problem);
	}
}

static void finish(struct afperf_file *file)
{
	if (!file->final)
		deliver_kept(file);
	afperf_match_stops(file);
	afperf_nest_regions(file);
	afperf_merge_pauses(file);
	warn_open(file);
}

int afperf_file_read(struct perun_ctx *ctx, struct afperf_file *file, struct perun_input *input,
		     size_t limit, const struct afperf_listener *listener)
{
	int status;

	file->listener = *listener;
	afperf_texts_add(&file->texts, "", 0);
	/* What cannot be read twice is kept whole. */
	if (perun_input_size(input) < 0 && strcmp(perun_input_name(input), "standard input") == 0) {
		const void *data;
		size_t size;

		status = perun_input_map(ctx, input, 0, &data, &size);
		if (status)
			return status;
	}
	afperf_lines_init(&file->lines, input, limit);
	status = run_pass(ctx, file);
	if (!status && file->forward && !file->final) {
		/* What stops without ids represent is wanted in the second pass. */
		afperf_match_stops(file);
		if (file->listener.restart)
			file->listener.restart(file->listener.data);
		file->final = true;
		status = afperf_lines_rewind(ctx, &file->lines);
		if (!status)
			status = run_pass(ctx, file);
	}
	if (!status)
		finish(file);
	return status;
}

void afperf_file_free(struct afperf_file *file)
{
	for (uint32_t i = 0; i < file->run_count; i++) {
		perun_free(file->runs[i].pauses);
		perun_free(file->runs[i].merged);
	}
	afperf_lines_clear(&file->lines);
	afperf_texts_free(&file->texts);
	afperf_map_free(&file->run_map);
	afperf_map_free(&file->measurement_map);
	afperf_map_free(&file->group_map);
	afperf_map_free(&file->region_map);
	afperf_map_free(&file->section_map);
	afperf_map_free(&file->interval_map);
	afperf_map_free(&file->region_stop_map);
	afperf_map_free(&file->interval_stop_map);
	perun_free(file->runs);
	perun_free(file->measurements);
	perun_free(file->groups);
	perun_free(file->regions);
	perun_free(file->sections);
	perun_free(file->intervals);
	perun_free(file->region_stops);
	perun_free(file->interval_stops);
	perun_free(file->run_order);
	perun_free(file->kept);
	perun_free(file->values);
	memset(file, 0, sizeof *file);
}
