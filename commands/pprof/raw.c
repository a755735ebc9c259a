/* SPDX-License-Identifier: BSD-3-Clause */
/* -raw: all that the profile holds, as text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report.h"

enum { BLOCK = 1 << 16, LONG_ID = 255, LONGEST_ID = 21 };

struct raw {
	const struct pprof_report *report;
	struct perun_buffer out;
	struct perun_stack_rows *stacks;
	/* "123 " of each location, as most fit into eight bytes; a length of 0: it is hidden. */
	struct id_text {
		char text[7];
		unsigned char length; /* LONG_ID: of more bytes */
	} * ids;
	struct perun_buffer *label_lines; /* by label set; data NULL: not made yet */
};

static void flush(struct raw *raw, size_t limit)
{
	if (raw->out.length < limit)
		return;
	perun_output_write(raw->report->output, raw->out.data, raw->out.length);
	perun_buffer_clear(&raw->out);
}

/* ---- the head -------------------------------------------------------------------------------- */

/* A fraction of `digits` digits without zeros at its end, with the point; nothing for 0. */
static void add_fraction(struct perun_buffer *out, uint64_t fraction, unsigned digits)
{
	while (digits && fraction % 10 == 0) {
		fraction /= 10;
		digits--;
	}
	if (digits)
		perun_buffer_printf(out, ".%0*" PRIu64, (int)digits, fraction);
}

/* A duration as Go writes it: "1h2m3.5s", "1.5ms"; "0s". */
static void add_duration(struct perun_buffer *out, int64_t duration)
{
	static const struct {
		const char *name;
		uint64_t size;
		unsigned digits;
	} units[] = {{"ns", 1, 0}, {"\302\265s", 1000, 3}, {"ms", 1000000, 6}};
	uint64_t value = duration < 0 ? -(uint64_t)duration : (uint64_t)duration;

	if (duration < 0)
		perun_buffer_add_char(out, '-');
	if (value && value < 1000000000) {
		size_t unit = value < 1000 ? 0 : value < 1000000 ? 1 : 2;

		perun_buffer_printf(out, "%" PRIu64, value / units[unit].size);
		add_fraction(out, value % units[unit].size, units[unit].digits);
		perun_buffer_add_text(out, units[unit].name);
		return;
	}
	if (value >= UINT64_C(3600000000000))
		perun_buffer_printf(out, "%" PRIu64 "h", value / UINT64_C(3600000000000));
	if (value >= UINT64_C(60000000000))
		perun_buffer_printf(out, "%" PRIu64 "m", value / UINT64_C(60000000000) % 60);
	perun_buffer_printf(out, "%" PRIu64, value / 1000000000 % 60);
	add_fraction(out, value % 1000000000, 9);
	perun_buffer_add_char(out, 's');
}

/* Only the first four characters of it, as "%.4v" has it. */
static void add_short_duration(struct perun_buffer *out, int64_t duration)
{
	struct perun_buffer whole = {0};
	size_t length = 0;

	add_duration(&whole, duration);
	for (unsigned count = 0; length < whole.length; length++) {
		bool starts = ((unsigned char)whole.data[length] & 0xc0) != 0x80;

		if (starts && count++ == 4)
			break;
	}
	perun_buffer_add(out, whole.data, length);
	perun_buffer_free(&whole);
}

/* A time as Go writes it: "2006-01-02 15:04:05.25 +0100 CET". */
static void add_time(struct perun_buffer *out, int64_t nanoseconds)
{
	int64_t fraction = nanoseconds % 1000000000;
	time_t seconds;
	struct tm parts;
	char text[80];

	if (fraction < 0)
		fraction += 1000000000;
	seconds = (time_t)((nanoseconds - fraction) / 1000000000);
	if (nanoseconds < INT64_MIN + fraction)
		seconds = (time_t)(nanoseconds / 1000000000 - 1);
	localtime_r(&seconds, &parts);
	strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
	perun_buffer_add_text(out, text);
	add_fraction(out, (uint64_t)fraction, 9);
	strftime(text, sizeof text, " %z %Z", &parts);
	perun_buffer_add_text(out, text);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void add_types(struct raw *raw)
{
	const struct pprof_report *report = raw->report;
	struct perun_buffer line = {0};
	size_t start = 0;

	for (size_t i = 0; i < report->type_count; i++) {
		const struct pprof_type *type = &report->types[i];
		bool chosen = strcmp(type->type, report->facts.default_sample_type) == 0;

		perun_buffer_printf(&line, "%s/%s%s ", type->type, type->unit,
				    chosen ? "[dflt]" : "");
	}
	while (line.length > start && is_space(line.data[line.length - 1]))
		line.length--;
	while (start < line.length && is_space(line.data[start]))
		start++;
	perun_buffer_add(&raw->out, line.data + start, line.length - start);
	perun_buffer_add_char(&raw->out, '\n');
	perun_buffer_free(&line);
}

static void add_head(struct raw *raw)
{
	const struct pprof_facts *facts = &raw->report->facts;
	struct perun_buffer *out = &raw->out;

	for (size_t i = 0; i < facts->comment_count; i++)
		perun_buffer_printf(out, "Comment: %s\n", facts->comments[i]);
	if (*facts->doc_url)
		perun_buffer_printf(out, "Doc: %s\n", facts->doc_url);
	perun_buffer_printf(out, "PeriodType: %s %s\nPeriod: %" PRId64 "\n", facts->period_type,
			    facts->period_unit, facts->period);
	if (facts->time) {
		perun_buffer_add_text(out, "Time: ");
		add_time(out, facts->time);
		perun_buffer_add_char(out, '\n');
	}
	if (facts->duration) {
		perun_buffer_add_text(out, "Duration: ");
		add_short_duration(out, facts->duration);
		perun_buffer_add_char(out, '\n');
	}
	perun_buffer_add_text(out, "Samples:\n");
	add_types(raw);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* The digits of a number before `end`; returns where they start. */
static char *digits_before(char *end, uint64_t value)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930"
				    "31323334353637383940414243444546474849505152535455565758596061"
				    "62636465666768697071727374757677787980818283848586878889909192"
				    "93949596979899";

	while (value >= 100) {
		end -= 2;
		memcpy(end, pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (value >= 10) {
		end -= 2;
		memcpy(end, pairs + value * 2, 2);
	} else {
		*--end = (char)('0' + value);
	}
	return end;
}

/* " %10d" */
static char *put_value(char *to, int64_t value)
{
	bool fits = value > -1000000000 && value < 10000000000;
	uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char text[32], *end = text + sizeof text, *start;

	*to++ = ' ';
	if (fits) { /* as nearly all do: written where it goes */
		memset(to, ' ', 10);
		end = to + 10;
	}
	start = digits_before(end, magnitude);
	if (value < 0)
		*--start = '-';
	if (fits)
		return end;
	memcpy(to, start, (size_t)(end - start));
	return to + (end - start);
}

/* "123 " up to `end`; returns where it starts. */
static char *id_before(const struct raw *raw, char *end, perun_id location)
{
	*--end = ' ';
	return digits_before(end, pprof_id_of_location(raw->report, location));
}

static void find_ids(struct raw *raw)
{
	const struct pprof_report *report = raw->report;
	size_t count = perun_profile_locations(report->profile);

	raw->ids = perun_alloc_zero(count + 1, sizeof *raw->ids);
	for (size_t i = 0; i < count; i++) {
		char text[LONGEST_ID], *end = text + sizeof text;
		const char *start;
		size_t lines;

		perun_stacks_lines(report->stacks, (perun_id)i, &lines);
		if (!lines)
			continue;
		start = id_before(raw, end, (perun_id)i);
		raw->ids[i].length = LONG_ID;
		if ((size_t)(end - start) > sizeof raw->ids[i].text)
			continue;
		raw->ids[i].length = (unsigned char)(end - start);
		memcpy(raw->ids[i].text, start, raw->ids[i].length);
	}
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* By key, then in the order of the set, whose labels they point to. */
static int compare_labels(const void *a, const void *b)
{
	const struct perun_label *one = *(const struct perun_label *const *)a;
	const struct perun_label *other = *(const struct perun_label *const *)b;

	if (one->key != other->key)
		return one->key < other->key ? -1 : 1;
	return (one > other) - (one < other);
}

/* "key:[value value]" of the texts, or of the numbers, of one key. */
static char *format_key(const struct perun_profile *profile,
			const struct perun_label *const *labels, size_t count)
{
	bool units = false;
	struct perun_buffer out = {0};

	for (size_t i = 0; i < count; i++)
		units |= labels[i]->text == PERUN_NO_ID && labels[i]->unit;
	perun_buffer_printf(&out, "%s:[", perun_profile_string(profile, labels[0]->key, NULL));
	for (size_t i = 0; i < count; i++) {
		if (i)
			perun_buffer_add_char(&out, ' ');
		if (labels[i]->text != PERUN_NO_ID)
			perun_buffer_add_text(&out,
					      perun_profile_string(profile, labels[i]->text, NULL));
		else
			perun_buffer_printf(
				&out, "%" PRId64 "%s%s", labels[i]->number, units ? " " : "",
				units ? perun_profile_string(profile, labels[i]->unit, NULL) : "");
	}
	perun_buffer_add_char(&out, ']');
	return perun_buffer_take(&out);
}

/* The line of all texts, or of all numbers, of a label set: its keys as sorted texts. */
static void add_label_line(struct raw *raw, const struct perun_label *labels, size_t count,
			   bool texts, struct perun_buffer *out)
{
	const struct perun_label **sorted =
		perun_alloc_zero(count + 1, sizeof(struct perun_label *));
	char **keys = perun_alloc_zero(count + 1, sizeof *keys);
	size_t sorted_count = 0, keys_count = 0;

	for (size_t i = 0; i < count; i++) {
		if ((labels[i].text != PERUN_NO_ID) == texts)
			sorted[sorted_count++] = &labels[i];
	}
	qsort((void *)sorted, sorted_count, sizeof *sorted, compare_labels);
	for (size_t i = 0, end; i < sorted_count; i = end) {
		for (end = i + 1; end < sorted_count && sorted[end]->key == sorted[i]->key;)
			end++;
		if (pprof_label_shown(raw->report, sorted[i]))
			keys[keys_count++] = format_key(raw->report->profile, sorted + i, end - i);
	}
	qsort(keys, keys_count, sizeof *keys, compare_texts);
	for (size_t i = 0; i < keys_count; i++) {
		perun_buffer_add_text(out, i ? " " : "                ");
		perun_buffer_add_text(out, keys[i]);
		perun_free(keys[i]);
	}
	if (keys_count)
		perun_buffer_add_char(out, '\n');
	perun_free(keys);
	perun_free((void *)sorted);
}

static void add_labels(struct raw *raw, perun_id set)
{
	struct perun_buffer *lines = &raw->label_lines[set];
	size_t count;
	const struct perun_label *labels;

	if (!lines->data) {
		labels = perun_profile_labels(raw->report->profile, set, &count);
		perun_buffer_add_text(lines, "");
		add_label_line(raw, labels, count, true, lines);
		add_label_line(raw, labels, count, false, lines);
	}
	perun_buffer_add(&raw->out, lines->data, lines->length);
}

/* Spans of the value columns and, as the last one, of the labels; row by row. */
struct values {
	struct perun_span *spans;
	int64_t *blocks;
	size_t first, end;
};

static void load_values(struct raw *raw, struct values *values, size_t row)
{
	const struct pprof_report *report = raw->report;

	for (size_t i = 0; i < report->type_count; i++)
		perun_column_span_copy(report->types[i].values, row, &values->spans[i],
				       values->blocks + i * PERUN_SPAN_ROWS);
	if (report->labels)
		perun_column_span_copy(report->labels, row, &values->spans[report->type_count],
				       values->blocks + report->type_count * PERUN_SPAN_ROWS);
	values->first = report->type_count ? values->spans[0].first : row;
	values->end = values->first + (report->type_count ? values->spans[0].count : 1);
}

static perun_id labels_at(const struct raw *raw, const struct values *values, size_t row)
{
	const struct perun_span *span = &values->spans[raw->report->type_count];

	return raw->report->labels ? span->ids[row - span->first] : PERUN_NO_ID;
}

/* "123 "; a few bytes more may be written. */
static inline char *put_id(const struct raw *raw, char *to, perun_id location)
{
	const struct id_text *id = &raw->ids[location];
	char text[LONGEST_ID], *end = text + sizeof text;
	const char *start;

	if (id->length != LONG_ID) {
		memcpy(to, id, sizeof *id);
		return to + id->length;
	}
	start = id_before(raw, end, location);
	memcpy(to, start, (size_t)(end - start));
	return to + (end - start);
}

static void add_sample(struct raw *raw, const struct values *values, size_t row)
{
	const struct pprof_report *report = raw->report;
	const perun_id *locations;
	size_t first, end, count;
	perun_id stack;
	char *to, *start;

	if (!perun_stacks_row(report->stacks, row, &stack, &first, &end))
		return;
	locations = perun_stack_rows_at(raw->stacks, row, &count);
	start = to = perun_buffer_reserve(&raw->out, report->type_count * 24 + 2 +
							     (end - first + 1) * LONGEST_ID);
	for (size_t i = 0; i < report->type_count; i++)
		to = put_value(to, values->spans[i].int64s[row - values->first]);
	*to++ = ':';
	*to++ = ' ';
	for (size_t i = first; i < end; i++)
		to = put_id(raw, to, locations[i]);
	raw->out.length += (size_t)(to - start);
	perun_buffer_add_char(&raw->out, '\n');
}

static void add_samples(struct raw *raw)
{
	const struct pprof_report *report = raw->report;
	size_t rows = perun_table_rows(perun_resources(report->profile));
	size_t sets = perun_profile_label_sets(report->profile);
	struct values values = {0};

	values.spans = perun_alloc_zero(report->type_count + 1, sizeof *values.spans);
	values.blocks =
		perun_alloc((report->type_count + 1) * PERUN_SPAN_ROWS * sizeof *values.blocks);
	raw->label_lines = perun_alloc_zero(sets + 1, sizeof *raw->label_lines);
	raw->stacks = perun_stack_rows_new(report->profile, perun_stacks_column(report->stacks));
	for (size_t row = 0; row < rows; row++) {
		size_t before = raw->out.length;
		perun_id set;

		if (row >= values.end)
			load_values(raw, &values, row);
		add_sample(raw, &values, row);
		set = labels_at(raw, &values, row);
		if (set != PERUN_NO_ID && raw->out.length > before)
			add_labels(raw, set);
		flush(raw, BLOCK);
	}
	for (size_t i = 0; i < sets; i++)
		perun_buffer_free(&raw->label_lines[i]);
	perun_stack_rows_free(raw->stacks);
	perun_free(raw->label_lines);
	perun_free(values.spans);
	perun_free(values.blocks);
}

/* ---- places ---------------------------------------------------------------------------------- */

static void add_string(struct raw *raw, perun_id id)
{
	size_t length;
	const char *text = perun_profile_string(raw->report->profile, id, &length);

	perun_buffer_add(&raw->out, text, length);
}

static void add_line(struct raw *raw, const struct perun_line *line)
{
	const struct perun_function *function =
		perun_profile_function(raw->report->profile, line->function);

	if (!function) {
		perun_buffer_add_text(&raw->out, "??");
		return;
	}
	add_string(raw, function->name);
	perun_buffer_add_char(&raw->out, ' ');
	add_string(raw, function->file);
	perun_buffer_printf(&raw->out, ":%" PRId64 ":%" PRId64 " s=%" PRId64, line->line,
			    line->column, function->start_line);
	if (function->name != function->system_name) {
		perun_buffer_add_char(&raw->out, '(');
		add_string(raw, function->system_name);
		perun_buffer_add_char(&raw->out, ')');
	}
}

/* 0 is "0x0" here, unlike in C. */
static void add_hexadecimal(struct raw *raw, uint64_t value)
{
	perun_buffer_printf(&raw->out, "0x%" PRIx64, value);
}

static void add_location(struct raw *raw, perun_id id)
{
	const struct pprof_report *report = raw->report;
	const struct perun_location *location = perun_profile_location(report->profile, id);
	const struct perun_line *lines = location->lines;
	size_t count = location->line_count;

	perun_buffer_printf(&raw->out, "%6" PRIu64 ": ", pprof_id_of_location(report, id));
	add_hexadecimal(raw, location->address);
	perun_buffer_add_char(&raw->out, ' ');
	if (location->mapping != PERUN_NO_ID)
		perun_buffer_printf(&raw->out, "M=%" PRIu64 " ",
				    pprof_id_of_mapping(report, location->mapping));
	if (location->folded)
		perun_buffer_add_text(&raw->out, "[F] ");
	if (count)
		lines = perun_stacks_lines(report->stacks, id, &count);
	for (size_t i = 0; i < count; i++) {
		if (i)
			perun_buffer_add_text(&raw->out, "             ");
		add_line(raw, &lines[i]);
		if (i + 1 < count)
			perun_buffer_add_char(&raw->out, '\n');
	}
	perun_buffer_add_char(&raw->out, '\n');
}

static void add_mapping(struct raw *raw, perun_id id)
{
	const struct pprof_report *report = raw->report;
	const struct perun_mapping *mapping = perun_profile_mapping(report->profile, id);

	perun_buffer_printf(&raw->out, "%" PRIu64 ": ", pprof_id_of_mapping(report, id));
	add_hexadecimal(raw, mapping->start);
	perun_buffer_add_char(&raw->out, '/');
	add_hexadecimal(raw, mapping->limit);
	perun_buffer_add_char(&raw->out, '/');
	add_hexadecimal(raw, mapping->offset);
	perun_buffer_add_char(&raw->out, ' ');
	add_string(raw, mapping->file);
	perun_buffer_add_char(&raw->out, ' ');
	add_string(raw, mapping->build_id);
	perun_buffer_printf(&raw->out, " %s%s%s%s\n", mapping->has_functions ? "[FN]" : "",
			    mapping->has_filenames ? "[FL]" : "",
			    mapping->has_line_numbers ? "[LN]" : "",
			    mapping->has_inline_frames ? "[IN]" : "");
}

/* A location that stacks have, by its number in reports. */
struct numbered {
	uint64_t number;
	perun_id id;
};

static int compare_numbers(const void *a, const void *b)
{
	const struct numbered *one = a, *other = b;

	return one->number < other->number ? -1 : one->number > other->number;
}

/* Those that stacks have, sorted; `used` says it of each location. The caller frees them. */
static struct numbered *list_used(const struct pprof_report *report, bool *used, size_t *count)
{
	const struct perun_profile *profile = report->profile;
	size_t locations = perun_profile_locations(profile);
	struct numbered *list = perun_alloc_zero(locations + 1, sizeof *list);

	for (size_t i = 0; i < perun_profile_stacks(profile); i++) {
		size_t frames;
		const perun_id *stack = perun_profile_stack(profile, (perun_id)i, &frames);

		for (size_t frame = 0; frame < frames; frame++)
			used[stack[frame]] = true;
	}
	*count = 0;
	for (perun_id i = 0; i < locations; i++)
		if (used[i])
			list[(*count)++] = (struct numbered){pprof_id_of_location(report, i), i};
	qsort(list, *count, sizeof *list, compare_numbers);
	return list;
}

/* Locations that got names came after all others, with the numbers of those in whose place they are, which no stack has any more. */
static void add_used_locations(struct raw *raw)
{
	const struct perun_profile *profile = raw->report->profile;
	size_t locations = perun_profile_locations(profile), count;
	bool *used = perun_alloc_zero(locations + 1, sizeof *used);
	struct numbered *list = list_used(raw->report, used, &count);

	for (perun_id i = 0; i < locations; i++) {
		struct numbered key = {pprof_id_of_location(raw->report, i), i};
		const struct numbered *found =
			used[i] ? &key : bsearch(&key, list, count, sizeof *list, compare_numbers);

		if (found ? used[found->id] : perun_profile_location(profile, i)->source_id != 0)
			add_location(raw, found ? found->id : i);
		if (found)
			used[found->id] = false;
		flush(raw, BLOCK);
	}
	perun_free(used);
	perun_free(list);
}

/* Whether each is of the file, and none has the number of another: the numbers rise. */
static bool are_as_in_file(const struct pprof_report *report)
{
	size_t locations = perun_profile_locations(report->profile);
	uint64_t before = 0;

	for (perun_id i = 0; i < locations; i++) {
		uint64_t number = perun_profile_location(report->profile, i)->source_id;

		if (number <= before || number != pprof_id_of_location(report, i))
			return false;
		before = number;
	}
	return true;
}

/* All that the file has, in its order. */
static void add_locations(struct raw *raw)
{
	size_t locations = perun_profile_locations(raw->report->profile);

	if (!are_as_in_file(raw->report)) {
		add_used_locations(raw);
		return;
	}
	for (perun_id i = 0; i < locations; i++) {
		add_location(raw, i);
		flush(raw, BLOCK);
	}
}

int pprof_report_raw(struct pprof_report *report)
{
	struct raw raw = {.report = report};
	size_t mappings = perun_profile_mappings(report->profile);

	add_head(&raw);
	find_ids(&raw);
	add_samples(&raw);
	perun_buffer_add_text(&raw.out, "Locations\n");
	add_locations(&raw);
	perun_buffer_add_text(&raw.out, "Mappings\n");
	for (size_t i = 0; i < mappings; i++) {
		add_mapping(&raw, (perun_id)i);
		flush(&raw, BLOCK);
	}
	flush(&raw, 1);
	perun_buffer_free(&raw.out);
	perun_free(raw.ids);
	return PERUN_OK;
}
