/* SPDX-License-Identifier: BSD-3-Clause */
/* -traces: every sample with its labels and its stack. */
#include <stdlib.h>
#include <string.h>

#include "report.h"

static const char separator[] =
	"-----------+-------------------------------------------------------\n";

enum { BLOCK = 1 << 16 };

/* The frames of a location: what follows the value column on each of its lines. */
struct frames {
	struct perun_buffer text; /* lines with '\n' */
	size_t count;
	bool known;
};

struct traces {
	struct pprof_report *report;
	struct perun_stack_rows *stacks;
	struct perun_buffer out;
	struct frames *locations;
	struct perun_buffer *label_lines; /* by label set; data NULL: not made yet */
};

/* ---- labels ---------------------------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "       key:  value value\n" for the key of the label at `at`, and its kind. */
static char *format_key(const struct pprof_report *report, const struct perun_label *labels,
			size_t count, size_t at)
{
	const char *key = perun_profile_string(report->profile, labels[at].key, NULL);
	bool texts = labels[at].text != PERUN_NO_ID, any = false;
	struct perun_buffer out = {0};
	size_t width = 0;

	for (const char *c = key; *c; c++)
		width += ((unsigned char)*c & 0xc0) != 0x80;
	for (; width < 10; width++)
		perun_buffer_add_char(&out, ' ');
	perun_buffer_printf(&out, "%s:  ", key);
	for (size_t i = at; i < count; i++) {
		if (labels[i].key != labels[at].key || (labels[i].text != PERUN_NO_ID) != texts)
			continue;
		if (any)
			perun_buffer_add_char(&out, ' ');
		any = true;
		if (texts)
			perun_buffer_add_text(
				&out, perun_profile_string(report->profile, labels[i].text, NULL));
		else
			pprof_add_label_number(report, &labels[i], "auto", &out);
	}
	perun_buffer_add_char(&out, '\n');
	return perun_buffer_take(&out);
}

/* The lines of the texts, or of the numbers, sorted as they are. */
static void add_label_lines(const struct pprof_report *report, const struct perun_label *labels,
			    size_t count, bool texts, struct perun_buffer *out)
{
	char **lines = perun_alloc_zero(count + 1, sizeof *lines);
	size_t line_count = 0;

	for (size_t i = 0; i < count; i++) {
		bool first = (labels[i].text != PERUN_NO_ID) == texts &&
			     pprof_label_shown(report, &labels[i]);

		for (size_t j = 0; j < i && first; j++)
			first = labels[j].key != labels[i].key ||
				(labels[j].text != PERUN_NO_ID) != texts;
		if (first)
			lines[line_count++] = format_key(report, labels, count, i);
	}
	qsort(lines, line_count, sizeof *lines, compare_texts);
	for (size_t i = 0; i < line_count; i++) {
		perun_buffer_add_text(out, lines[i]);
		perun_free(lines[i]);
	}
	perun_free(lines);
}

static void add_labels(struct traces *traces, perun_id set)
{
	struct perun_buffer *lines = &traces->label_lines[set];
	size_t count;
	const struct perun_label *labels;

	if (!lines->data) {
		labels = perun_profile_labels(traces->report->profile, set, &count);
		perun_buffer_add_text(lines, "");
		add_label_lines(traces->report, labels, count, true, lines);
		add_label_lines(traces->report, labels, count, false, lines);
	}
	perun_buffer_add(&traces->out, lines->data, lines->length);
}

/* ---- stacks ---------------------------------------------------------------------------------- */

/* Each line begins with "   ", for the value before it. */
static void find_frames(struct traces *traces, perun_id location)
{
	struct pprof_report *report = traces->report;
	struct frames *frames = &traces->locations[location];
	const struct perun_line *lines =
		perun_stacks_lines(report->stacks, location, &frames->count);
	size_t first = report->settings.no_inlines && frames->count ? frames->count - 1 : 0;

	for (size_t i = first; i < frames->count; i++) {
		struct perun_frame frame = pprof_frame(report, location, &lines[i]);

		perun_buffer_add_text(&frames->text, "   ");
		pprof_add_name(report->profile, &frame, &frames->text);
		perun_buffer_add_text(&frames->text, i + 1 < frames->count ? " (inline)\n" : "\n");
	}
	frames->count -= first;
	frames->known = true;
}

/* The lines of a location, the value before the first of the sample, blanks before others. */
static void add_frames(struct traces *traces, const struct frames *frames, bool *started)
{
	const char *text = frames->text.data;

	for (size_t i = 0; i < frames->count; i++) {
		/* Names may hold line breaks: the last one is the rest. */
		const char *end = i + 1 < frames->count ? strchr(text, '\n') + 1
							: frames->text.data + frames->text.length;

		if (*started)
			perun_buffer_add(&traces->out, "          ", 10);
		*started = true;
		perun_buffer_add(&traces->out, text, (size_t)(end - text));
		text = end;
	}
}

static void add_trace(struct traces *traces, size_t row, size_t first, size_t end)
{
	struct pprof_report *report = traces->report;
	size_t count, frames = 0;
	const perun_id *locations = perun_stack_rows_at(traces->stacks, row, &count);
	perun_id set = report->labels ? perun_column_id(report->labels, row) : PERUN_NO_ID;
	bool started = true;

	for (size_t i = first; i < end; i++) {
		if (!traces->locations[locations[i]].known)
			find_frames(traces, locations[i]);
		frames += traces->locations[locations[i]].count;
	}
	if (!frames)
		return;
	perun_buffer_add_text(&traces->out, separator);
	if (set != PERUN_NO_ID)
		add_labels(traces, set);
	pprof_add_value_padded(report, pprof_mean_value(report, row), 10, &traces->out);
	started = false;
	for (size_t i = first; i < end; i++)
		add_frames(traces, &traces->locations[locations[i]], &started);
}

static void free_buffers(struct traces *traces, size_t locations, size_t sets)
{
	for (size_t i = 0; i < locations; i++)
		perun_buffer_free(&traces->locations[i].text);
	for (size_t i = 0; i < sets; i++)
		perun_buffer_free(&traces->label_lines[i]);
	perun_stack_rows_free(traces->stacks);
	perun_free(traces->locations);
	perun_free(traces->label_lines);
	perun_buffer_free(&traces->out);
}

int pprof_report_traces(struct pprof_report *report)
{
	struct traces traces = {.report = report};
	size_t locations = perun_profile_locations(report->profile);
	size_t sets = perun_profile_label_sets(report->profile);
	size_t rows = perun_table_rows(perun_resources(report->profile)), first, end;
	perun_id stack;

	traces.locations = perun_alloc_zero(locations + 1, sizeof *traces.locations);
	traces.label_lines = perun_alloc_zero(sets + 1, sizeof *traces.label_lines);
	traces.stacks = perun_stack_rows_new(report->profile, perun_stacks_column(report->stacks));
	pprof_add_profile_labels(report, &traces.out);
	perun_buffer_add_char(&traces.out, '\n');
	for (size_t row = 0; row < rows; row++) {
		if (perun_stacks_row(report->stacks, row, &stack, &first, &end))
			add_trace(&traces, row, first, end);
		if (traces.out.length < BLOCK)
			continue;
		perun_output_write(report->output, traces.out.data, traces.out.length);
		perun_buffer_clear(&traces.out);
	}
	perun_buffer_add_text(&traces.out, separator);
	perun_output_write(report->output, traces.out.data, traces.out.length);
	free_buffers(&traces, locations, sets);
	return PERUN_OK;
}
