/* SPDX-License-Identifier: BSD-3-Clause */
/* What reports share: values, names, and the lines that are above them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "report.h"

/* ---- values ---------------------------------------------------------------------------------- */

/* As Go converts a double: what does not fit is the smallest number. */
int64_t pprof_to_integer(double value)
{
	if (value >= -9223372036854775808.0 && value < 9223372036854775808.0)
		return (int64_t)value;
	return INT64_MIN;
}

void pprof_add_value(const struct pprof_report *report, int64_t value, struct perun_buffer *out)
{
	if (report->ratio > 0 && report->ratio != 1)
		value = pprof_to_integer((double)value * report->ratio);
	pprof_add_scaled(value, report->unit, report->output_unit, out);
}

/* How many characters (not bytes) a UTF-8 text has. */
static size_t characters(const char *text, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

void pprof_add_value_padded(const struct pprof_report *report, int64_t value, size_t width,
			    struct perun_buffer *out)
{
	struct perun_buffer text = {0};
	size_t length;

	pprof_add_value(report, value, &text);
	length = characters(text.data, text.length);
	if (length < width)
		memset(perun_buffer_reserve(out, width - length), ' ', width - length),
			out->length += width - length;
	perun_buffer_add(out, text.data, text.length);
	perun_buffer_free(&text);
}

void pprof_add_value_or_dot(const struct pprof_report *report, int64_t value,
			    struct perun_buffer *out)
{
	if (value)
		pprof_add_value_padded(report, value, 10, out);
	else
		perun_buffer_add_text(out, "         .");
}

int64_t pprof_value(const struct pprof_report *report, size_t row)
{
	return perun_column_int64(report->values, row);
}

int64_t pprof_mean_value(const struct pprof_report *report, size_t row)
{
	int64_t value = pprof_value(report, row), by;

	by = report->divisor ? perun_column_int64(report->divisor, row) : 0;
	if (by == -1)
		return (int64_t) - (uint64_t)value;
	return by ? value / by : value;
}

/* ---- labels ---------------------------------------------------------------------------------- */

void pprof_add_label_number(const struct pprof_report *report, const struct perun_label *label,
			    const char *unit, struct perun_buffer *out)
{
	const char *own = report->label_units[label->key];

	pprof_add_scaled(label->number, own ? own : "", unit, out);
}

/* ---- names ----------------------------------------------------------------------------------- */

void pprof_add_clean_path(const char *path, struct perun_buffer *out)
{
	size_t start = out->length, floor; /* ".." does not go back after floor */
	bool rooted = *path == '/';

	if (!*path)
		return;
	if (rooted)
		perun_buffer_add_char(out, '/');
	floor = out->length;
	while (*path) {
		size_t length = strcspn(path, "/");

		if (length == 2 && memcmp(path, "..", 2) == 0 && out->length > floor) {
			do
				out->length--;
			while (out->length > floor && out->data[out->length] != '/');
		} else if (length == 2 && memcmp(path, "..", 2) == 0) {
			if (!rooted) {
				perun_buffer_add_text(out, out->length > start ? "/.." : "..");
				floor = out->length;
			}
		} else if (length && !(length == 1 && *path == '.')) {
			if (out->length > start + rooted)
				perun_buffer_add_char(out, '/');
			perun_buffer_add(out, path, length);
		}
		path += length;
		path += *path == '/';
	}
	if (out->length == start)
		perun_buffer_add_char(out, '.');
}

void pprof_add_base_name(const char *path, struct perun_buffer *out)
{
	size_t end = strlen(path), start;

	if (end == 0) {
		perun_buffer_add_char(out, '.');
		return;
	}
	while (end > 0 && path[end - 1] == '/')
		end--;
	for (start = end; start > 0 && path[start - 1] != '/';)
		start--;
	if (end == 0)
		perun_buffer_add_char(out, '/');
	perun_buffer_add(out, path + start, end - start);
}

void pprof_add_name(const struct perun_profile *profile, const struct perun_frame *frame,
		    struct perun_buffer *out)
{
	size_t start = out->length;

	if (frame->address)
		perun_buffer_printf(out, "%016" PRIx64, frame->address);
	if (frame->name) {
		if (out->length > start)
			perun_buffer_add_char(out, ' ');
		perun_buffer_add_text(out, perun_profile_string(profile, frame->name, NULL));
	}
	if (!frame->file && !frame->line && frame->name)
		return;
	if (out->length > start)
		perun_buffer_add_char(out, ' ');
	if (frame->file || frame->line) {
		pprof_add_clean_path(perun_profile_string(profile, frame->file, NULL), out);
		if (frame->line)
			perun_buffer_printf(out, ":%" PRId64, frame->line);
		if (frame->line && frame->column)
			perun_buffer_printf(out, ":%" PRId64, frame->column);
	} else if (frame->object) {
		perun_buffer_add_char(out, '[');
		pprof_add_base_name(perun_profile_string(profile, frame->object, NULL), out);
		perun_buffer_add_char(out, ']');
	} else {
		perun_buffer_add_text(out, "<unknown>");
	}
}

struct perun_frame pprof_frame(const struct pprof_report *report, perun_id location,
			       const struct perun_line *line)
{
	enum pprof_granularity granularity = report->settings.granularity;
	struct perun_location_room room;
	const struct perun_location *place =
		perun_profile_location_in(report->profile, location, &room);
	const struct perun_mapping *mapping =
		perun_profile_mapping(report->profile, place->mapping);
	const struct perun_function *function =
		perun_profile_function(report->profile, line->function);
	struct perun_frame frame = {0};

	if (granularity == PPROF_ADDRESSES)
		frame.address = place->address;
	if (function) {
		if (granularity != PPROF_FILES)
			frame.name = function->name;
		if (granularity != PPROF_FUNCTIONS)
			frame.file = function->file;
		if (granularity == PPROF_LINES || granularity == PPROF_ADDRESSES) {
			frame.line = line->line;
			if (report->settings.show_columns ||
			    (granularity == PPROF_ADDRESSES && !report->settings.no_inlines))
				frame.column = line->column;
		}
	}
	if (!frame.name) {
		frame.object = mapping ? mapping->file : 0;
		frame.start_line = function ? function->start_line : 0;
	}
	return frame;
}

void pprof_graph_options(const struct pprof_report *report, struct perun_graph_options *options)
{
	static const enum perun_granularity granularities[] = {
		[PPROF_FUNCTIONS] = PERUN_BY_FUNCTION,
		[PPROF_FILE_FUNCTIONS] = PERUN_BY_FILE_FUNCTION,
		[PPROF_FILES] = PERUN_BY_FILE,
		[PPROF_LINES] = PERUN_BY_LINE,
		[PPROF_ADDRESSES] = PERUN_BY_ADDRESS,
	};
	const struct pprof_settings *settings = &report->settings;

	*options = (struct perun_graph_options){
		.struct_size = sizeof *options,
		.granularity = granularities[settings->granularity],
		.no_inlines = settings->no_inlines,
		.columns = settings->show_columns ||
			   (settings->granularity == PPROF_ADDRESSES && !settings->no_inlines),
		.start_lines = true,
	};
}

int pprof_compile(struct perun_ctx *ctx, const char *option, const char *expression,
		  struct perun_regex **regex)
{
	int status = PERUN_OK;

	*regex = NULL;
	if (*expression)
		status = perun_regex_new(ctx, expression, PERUN_REGEX_RE2, regex);
	return status ? perun_fail(ctx, status, "-%s=%s", option, expression) : PERUN_OK;
}

/* ---- ids ------------------------------------------------------------------------------------- */

uint64_t pprof_id_of_location(const struct pprof_report *report, perun_id location)
{
	return report->location_ids[location];
}

uint64_t pprof_id_of_mapping(const struct pprof_report *report, perun_id mapping)
{
	return report->mapping_ids[mapping];
}

/* ---- the lines above ------------------------------------------------------------------------- */

static void start_line(struct perun_buffer *out, bool *any)
{
	if (*any)
		perun_buffer_add_char(out, '\n');
	*any = true;
}

static void add_mapping(const struct pprof_report *report, struct perun_buffer *out, bool *any)
{
	const struct perun_mapping *mapping;
	const char *file, *build_id;

	if (!perun_profile_mappings(report->profile))
		return;
	mapping = perun_profile_mapping(report->profile, 0);
	file = perun_profile_string(report->profile, mapping->file, NULL);
	build_id = perun_profile_string(report->profile, mapping->build_id, NULL);
	if (*file) {
		start_line(out, any);
		perun_buffer_add_text(out, "File: ");
		pprof_add_base_name(file, out);
	}
	if (*build_id) {
		start_line(out, any);
		perun_buffer_printf(out, "Build ID: %s", build_id);
	}
}

static void add_time(int64_t nanoseconds, struct perun_buffer *out)
{
	time_t seconds = (time_t)(nanoseconds / 1000000000 - (nanoseconds % 1000000000 < 0));
	char text[80];
	struct tm parts;

	localtime_r(&seconds, &parts);
	strftime(text, sizeof text, "Time: %Y-%m-%d %H:%M:%S %Z", &parts);
	perun_buffer_add_text(out, text);
}

static void add_duration(const struct pprof_report *report, struct perun_buffer *out)
{
	int64_t duration = report->facts.duration;
	const char *unit;
	double total = pprof_scale(report->total, report->unit, "nanoseconds", &unit);

	perun_buffer_add_text(out, "Duration: ");
	pprof_add_scaled(duration, "nanoseconds", "auto", out);
	perun_buffer_add_text(out, ", Total samples = ");
	pprof_add_value(report, report->total, out);
	perun_buffer_add_char(out, ' ');
	if (strcmp(unit, "ns") == 0 && total != 0) {
		perun_buffer_add_char(out, '(');
		pprof_add_percentage(pprof_to_integer(total), duration, out);
		perun_buffer_add_char(out, ')');
	}
}

bool pprof_add_profile_labels(const struct pprof_report *report, struct perun_buffer *out)
{
	const struct pprof_facts *facts = &report->facts;
	bool any = false;

	add_mapping(report, out, &any);
	for (size_t i = 0; i < facts->comment_count; i++) {
		if (facts->comments[i][0] == '#')
			continue;
		start_line(out, &any);
		perun_buffer_add_text(out, facts->comments[i]);
	}
	if (*report->type_name) {
		start_line(out, &any);
		perun_buffer_printf(out, "Type: %s", report->type_name);
	}
	if (*facts->doc_url) {
		start_line(out, &any);
		perun_buffer_printf(out, "Doc: %s", facts->doc_url);
	}
	if (facts->time) {
		start_line(out, &any);
		add_time(facts->time, out);
	}
	if (facts->duration) {
		start_line(out, &any);
		add_duration(report, out);
	}
	return any;
}

/* At most 80 bytes of the text, then an ellipsis. */
static void add_filter(const char *name, const char *text, struct perun_buffer *out)
{
	char *whole = perun_format("%s=%s", name, text);
	size_t length = strlen(whole);

	perun_buffer_add_text(out, "\n   ");
	perun_buffer_add(out, whole, length > 80 ? 80 : length);
	if (length > 80)
		perun_buffer_add_text(out, "\342\200\246");
	perun_free(whole);
}

void pprof_add_active_filters(const struct pprof_report *report, struct perun_buffer *out)
{
	const struct pprof_settings *settings = &report->settings;
	const struct {
		const char *name, *text;
	} filters[] = {
		{"focus", settings->focus},
		{"ignore", settings->ignore},
		{"hide", settings->hide},
		{"show", settings->show},
		{"show_from", settings->show_from},
		{"tagfocus", settings->tag_focus},
		{"tagignore", settings->tag_ignore},
		{"tagshow", settings->tag_show},
		{"taghide", settings->tag_hide},
	};
	bool any = false;

	for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
		if (!*filters[i].text)
			continue;
		if (!any)
			perun_buffer_add_text(out, out->length ? "\nActive filters:"
							       : "Active filters:");
		any = true;
		add_filter(filters[i].name, filters[i].text, out);
	}
}
