/* SPDX-License-Identifier: BSD-3-Clause */
/* bpftrace: maps whose keys hold stacks: "@NAME[", frames from the leaf on, "]: COUNT", or a line of JSON for each map. */
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>

#include "formats/common/each-line.h"
#include "formats/common/stacks.h"

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct stacks *stacks;
	perun_id *frames;
	size_t count, room;
	char *map; /* its name; NULL: between maps */
	uint64_t begin;
	struct perun_buffer keys; /* the parts of the key that are no stacks */
	struct perun_json_reader *json;
	struct perun_buffer text; /* an entry of JSON as bpftrace prints it otherwise */
};

/* Parts of a key that are no stacks are one label. */
static void add_key(struct reading *reading, const char *text, size_t length)
{
	while (length && strchr(" ,", *text)) {
		text++;
		length--;
	}
	while (length && strchr(" ,", text[length - 1]))
		length--;
	if (!length)
		return;
	if (reading->keys.length)
		perun_buffer_add_text(&reading->keys, ", ");
	perun_buffer_add(&reading->keys, text, length);
}

/* "func+163", "func+163 (/lib/x.so)", "7f00 func+3 (mod)", "0x7f1234": without the offset. */
static perun_id location_of(struct reading *reading, char *text, size_t length)
{
	struct stacks_frame frame = {.name = text};
	perun_id known = stacks_recall(reading->stacks, text, length);
	size_t digits;
	char *open = length && text[length - 1] == ')' ? strrchr(text, '(') : NULL, *plus;

	if (known != PERUN_NO_ID)
		return known;
	digits = strspn(text, "0123456789abcdef");
	if (open > text + 1 && open[-1] == ' ') {
		frame.module = open + 1;
		frame.module_length = length - (size_t)(open + 2 - text);
		if (!frame.module_length)
			frame.module = NULL;
		length = (size_t)(open - 1 - text);
		text[length] = '\0';
	}
	if (digits >= 8 && text[digits] == ' ') {
		frame.address = strtoull(text, NULL, 16);
		text += digits + 1;
		length -= digits + 1;
	} else if (strncmp(text, "0x", 2) == 0) {
		frame.address = strtoull(text, NULL, 16);
	}
	plus = strrchr(text, '+');
	if (plus > text && plus[1] && plus[1 + strspn(plus + 1, "0123456789")] == '\0')
		*plus = '\0';
	frame.name = *text ? text : "(unknown)";
	return stacks_keep(reading->stacks, stacks_frame(reading->stacks, &frame));
}

/* "]: 113", ", swapper/0, 12]: 113", "]: count 3, average 5, total 15" */
static int end_map(struct reading *reading, char *line, char *close)
{
	char *end, *total = strstr(close, "total ");
	unsigned metric;
	double value;
	perun_id stack;
	int status;

	value = perun_strtod(total ? total + 6 : close + 2 + strspn(close + 2, " "), &end);
	if (end == close + 2 + strspn(close + 2, " "))
		return stacks_wrong_line(reading->ctx, reading->lines, "a number after ']:'", line);
	metric = stacks_metric(reading->stacks, *reading->map ? reading->map : "samples", "");
	add_key(reading, line, (size_t)(close - line));
	if (reading->keys.length)
		stacks_label(reading->stacks, "key", reading->keys.data, reading->keys.length);
	perun_buffer_clear(&reading->keys);
	status = stacks_make(reading->stacks, reading->frames, reading->count, true, &stack);
	if (status)
		return status;
	stacks_value(reading->stacks, metric, value);
	stacks_add(reading->stacks, stack);
	reading->count = 0;
	perun_free(reading->map);
	reading->map = NULL;
	return PERUN_OK;
}

/* "@[", "@bytes[swapper/0, ": the key may begin with other parts. */
static void begin_map(struct reading *reading, const char *line, size_t length)
{
	const char *open = strchr(line, '[');

	/* Of a map without stacks the key and the value are on one line. */
	if (*line != '@' || !open || strstr(line, "]: ") ||
	    (line[length - 1] != '[' && line[length - 1] != ','))
		return;
	reading->map = perun_strndup(line + 1, (size_t)(open - line - 1));
	reading->begin = perun_lines_number(reading->lines);
	add_key(reading, open + 1, (size_t)(line + length - open - 1));
}

static int read_printed(struct reading *reading, char *line, size_t length)
{
	char *close, *end;

	while (length && strchr(" \t\r", line[length - 1]))
		line[--length] = '\0';
	end = line + length;
	if (!reading->map) {
		if (length)
			begin_map(reading, line, length);
		return PERUN_OK;
	}
	close = *line == ']' || *line == ',' ? strstr(line, "]: ") : NULL;
	if (close)
		return end_map(reading, line, close);
	while (*line == ' ' || *line == '\t')
		line++;
	if (!*line || strcmp(line, ",") == 0)
		return PERUN_OK; /* between the stacks of a key */
	if (*line == ',') {
		add_key(reading, line, (size_t)(end - line));
		return PERUN_OK;
	}
	PERUN_GROW(reading->frames, reading->count, reading->room);
	reading->frames[reading->count++] = location_of(reading, line, (size_t)(end - line));
	return PERUN_OK;
}

/* An entry of a map, as the lines that bpftrace prints without -f json. */
static int read_entry(struct reading *reading, const char *map, const char *key,
		      const struct perun_json *value)
{
	struct perun_buffer *text = &reading->text;
	const struct perun_json *total = perun_json_get(value, "total");
	char *at, *newline;
	double number;
	int status = PERUN_OK;

	if (!strchr(key, '\n') || !perun_json_as_double(total ? total : value, &number))
		return PERUN_OK;
	perun_buffer_clear(text);
	perun_buffer_printf(text, "%s[%s]: %.17g", map, key, number);
	for (at = text->data; !status && at; at = newline) {
		newline = strchr(at, '\n');
		if (newline)
			*newline++ = '\0';
		status = read_printed(reading, at, strlen(at));
	}
	if (!status && reading->map)
		status = perun_fail(reading->ctx, PERUN_INPUT,
				    "line %llu: expected a key that ends after its stack",
				    (unsigned long long)reading->begin);
	return status;
}

/* {"type": "map", "data": {"@": {"\n    f+1\n    main+2\n,bash": 3}}} */
static int read_json(struct reading *reading, const char *line, size_t length)
{
	struct perun_json *object = NULL;
	const struct perun_json *maps;
	const char *type;
	int status;

	if (!reading->json)
		reading->json = perun_json_reader_new_text(reading->ctx, line, length, NULL);
	else
		perun_json_reader_set_text(reading->json, line, length);
	status = perun_json_read_value(reading->json, &object);
	if (status)
		return perun_fail(reading->ctx, PERUN_OK, "line %llu of the file",
				  (unsigned long long)perun_lines_number(reading->lines));
	type = perun_json_as_string(perun_json_get(object, "type"), NULL);
	maps = perun_json_get(object, "data");
	for (size_t i = 0; type && strcmp(type, "map") == 0 && i < perun_json_count(maps); i++) {
		const char *name, *key;
		const struct perun_json *map = perun_json_pass(maps, i, &name);

		for (size_t k = 0; !status && name && k < perun_json_count(map); k++) {
			const struct perun_json *value = perun_json_pass(map, k, &key);

			if (key && !strchr(name, '[') && *name == '@')
				status = read_entry(reading, name, key, value);
		}
	}
	perun_json_free(object);
	return status;
}

static int read_line(void *data, char *line, size_t length)
{
	struct reading *reading = data;

	if (!reading->map && *line == '{')
		return read_json(reading, line, length);
	return read_printed(reading, line, length);
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .lines = perun_lines_new(input, 0)};
	int status;

	(void)instance;
	reading.stacks = stacks_begin(ctx, builder, "bpftrace", NULL);
	status = read_each_log_line(ctx, reading.lines, read_line, &reading, NULL);
	if (!status && reading.map)
		status = perun_fail(ctx, PERUN_INPUT,
				    "line %llu: the map that begins here has no end",
				    (unsigned long long)reading.begin);
	perun_lines_free(reading.lines);
	perun_free(reading.frames);
	perun_free(reading.map);
	perun_json_reader_free(reading.json);
	perun_buffer_free(&reading.keys);
	perun_buffer_free(&reading.text);
	return stacks_end(reading.stacks, status);
}

/* "@[", or "@[swapper/0, ": a key goes on in the next line. */
static bool is_begin(const char *line, const char *stop)
{
	while (stop > line && strchr(" \r", stop[-1]))
		stop--;
	return stop - line >= 2 && *line == '@' && line[1] != ' ' &&
	       (stop[-1] == '[' || (stop[-1] == ',' && memchr(line, '[', (size_t)(stop - line))));
}

/* A line that begins with '@' and ends within a key, or a map of stacks in JSON. */
static int probe_format(const struct perun_probe *probe)
{
	const char *at = probe->data, *end = at + probe->size;

	if (probe->directory)
		return 0;
	if (at < end && *at == '{' && probe_has(probe, "\"type\": \"map\"") &&
	    probe_has(probe, "{\"@") && probe_has(probe, "\\n "))
		return 90;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		if (is_begin(at, newline ? newline : end))
			return 90;
		if (!newline)
			break;
		at = newline + 1;
	}
	return 0;
}

static const char *const marks[] = {"@", NULL};

FORMAT_PLUGIN(bpftrace, "bpftrace", "stacks in maps of bpftrace", NULL, .patterns = "*.bt.out",
	      .contains = marks, .probe = probe_format, .read = read_format);
