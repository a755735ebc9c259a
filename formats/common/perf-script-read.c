/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the text of `perf script`: a row per sample, a metric per event. */
#include <inttypes.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/hash.h>

#include "formats/common/stacks.h"

#include "formats/common/perf-script.h"

enum { EVENTS = 256, FRAMES = 1 << 16, COMMENTS = 256 };

/* A frame whose sample is not complete yet. */
struct pending {
	uint64_t address;
	perun_id mapping, name, file;
	int64_t line;
	bool inlined;
};

struct event {
	char *name;
	struct perun_column_builder *column;
	struct perfscript_sums sums;
};

/* Mappings and locations that were met last, at the places of their hashes: most frames are among them. */
enum { OBJECTS = 64, PLACES = 4096 };

struct known_object {
	perun_id file, mapping; /* file 0: free */
};

struct known_place {
	uint64_t address;
	perun_id mapping, name; /* name 0: free */
	perun_id location;
};

/* The same of lines of stacks that are one frame. */
enum { LINES = 1 << 14 };

struct known_line {
	char *text; /* NULL: free */
	size_t length;
	struct pending frame;
};

struct reading {
	struct perun_ctx *ctx;
	struct perun_lines *lines;
	struct perun_builder *builder;
	struct perun_table_builder *table;
	struct perun_column_builder *stacks, *labels, *times;
	struct event events[EVENTS];
	size_t event_count, comments;
	struct perun_buffer name; /* scratch */
	uint64_t skipped,
		skipped_at; /* lines of stacks that are not frames of a sample; the first one */
	bool in_sample, one_line; /* one_line: the only frame was after the event */
	bool named;               /* samples have first lines in this file */
	bool complete;            /* a sample with frames was read */
	bool proven;              /* weak first lines are followed by stacks in this file */
	char *weak_line;          /* one that is not proven yet, or NULL */
	uint64_t weak_number;
	struct pending *frames;
	size_t frame_count, frame_room;
	perun_id *locations;
	size_t location_room;
	struct known_object objects[OBJECTS];
	struct known_place places[PLACES];
	struct known_line *known; /* LINES */
};

static const char sample_expected[] = "the first line of a sample (comm pid time: event:)";

static int wrong(struct reading *reading, const char *expected, const char *line)
{
	return stacks_wrong_line(reading->ctx, reading->lines, expected, line);
}

/* ---- the stack ------------------------------------------------------------------------------- */

static perun_id intern(struct reading *reading, struct piece piece)
{
	return perun_builder_string(reading->builder, piece.text, piece.length);
}

/*
 * "LCounter;::countTo->Ljava/io/PrintStream;::println" of perf-map-agent is a method and what is inlined into it. C++
 * has arguments or "operator->".
 */
static bool has_inlined(struct piece name)
{
	return name.length && !memchr(name.text, '(', name.length) &&
	       !memmem(name.text, name.length, "operator", 8);
}

static struct piece take_name(struct piece *rest, bool inlined)
{
	struct piece name = *rest;
	/* A name that the line does not have is not memory at all. */
	const char *arrow = inlined ? memmem(name.text, name.length, "->", 2) : NULL;
	const char *end = arrow ? name.text + name.length : NULL;

	rest->length = 0;
	if (!arrow || arrow == name.text || arrow + 2 == end)
		return name;
	name.length = (size_t)(arrow - name.text);
	*rest = (struct piece){arrow + 2, (size_t)(end - arrow - 2)};
	return name;
}

/* Without the hash of Rust, which is another one in each build. */
static perun_id name_of(struct reading *reading, struct piece name)
{
	if (!name.length || !memmem(name.text, name.length, "::h", 3))
		return intern(reading, name);
	perun_buffer_clear(&reading->name);
	stacks_add_rust_name(&reading->name, name.text, name.length);
	return reading->name.length ? perun_builder_string(reading->builder, reading->name.data,
							   reading->name.length)
				    : intern(reading, name);
}

static perun_id mapping_of(struct reading *reading, struct piece object)
{
	struct perun_mapping mapping = {.file = intern(reading, object)};
	struct known_object *known = &reading->objects[mapping.file % OBJECTS];

	if (mapping.file == 0 || known->file != mapping.file)
		*known = (struct known_object){mapping.file,
					       perun_builder_mapping(reading->builder, &mapping)};
	return known->mapping;
}

static int push_frame(struct reading *reading, const struct pending *frame)
{
	if (reading->frame_count == FRAMES)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "line %" PRIu64 ": a stack of more than %d frames",
				  perun_lines_number(reading->lines), FRAMES);
	PERUN_GROW(reading->frames, reading->frame_count, reading->frame_room);
	reading->frames[reading->frame_count++] = *frame;
	return PERUN_OK;
}

static int add_frame(struct reading *reading, const struct frame_line *line)
{
	struct pending frame = {
		.address = line->address, .mapping = PERUN_NO_ID, .inlined = line->inlined};
	struct piece rest = line->symbol, name;
	size_t first = reading->frame_count;
	bool inlined = has_inlined(rest);

	if (line->object.length)
		frame.mapping = mapping_of(reading, line->object);
	do {
		name = take_name(&rest, inlined);
		frame.name = name_of(reading, name);
		if (push_frame(reading, &frame))
			return PERUN_INPUT;
		frame.inlined = true;
	} while (rest.length);
	/* What is inlined comes before its caller. */
	for (size_t last = reading->frame_count - 1; first < last; first++, last--) {
		frame = reading->frames[first];
		reading->frames[first] = reading->frames[last];
		reading->frames[last] = frame;
	}
	return PERUN_OK;
}

/* The frames [first, end) of one address, the inlined ones before their caller. */
static perun_id make_location(struct reading *reading, size_t first, size_t end)
{
	const struct pending *physical = &reading->frames[end - 1];
	struct perun_line *lines = perun_alloc_zero(end - first, sizeof *lines);
	struct perun_location location = {
		.address = physical->address, .mapping = physical->mapping, .lines = lines};
	perun_id id;

	for (size_t i = first; i < end; i++) {
		const struct pending *frame = &reading->frames[i];
		struct perun_function function = {
			.name = frame->name, .system_name = frame->name, .file = frame->file};

		if (frame->name == 0 && frame->file == 0)
			continue;
		lines[location.line_count].function =
			perun_builder_function(reading->builder, &function);
		lines[location.line_count++].line = frame->line;
	}
	id = perun_builder_location(reading->builder, &location);
	perun_free(lines);
	return id;
}

/* The same of frames most of which were met before. */
static perun_id location_of(struct reading *reading, size_t first, size_t end)
{
	const struct pending *frame = &reading->frames[first];
	uint64_t hash = perun_hash_number(frame->address ^ (uint64_t)frame->name << 32);
	struct known_place *known = &reading->places[hash % PLACES];

	if (end - first != 1 || frame->name == 0 || frame->file != 0 || frame->line != 0)
		return make_location(reading, first, end);
	if (known->name != frame->name || known->address != frame->address ||
	    known->mapping != frame->mapping)
		*known = (struct known_place){frame->address, frame->mapping, frame->name,
					      make_location(reading, first, end)};
	return known->location;
}

static void end_sample(struct reading *reading)
{
	size_t count = 0, first = 0;

	if (!reading->in_sample)
		return;
	for (size_t i = 0; i < reading->frame_count; i++) {
		bool same = i + 1 < reading->frame_count &&
			    reading->frames[i + 1].address == reading->frames[i].address;

		if (reading->frames[i].inlined && same)
			continue;
		PERUN_GROW(reading->locations, count, reading->location_room);
		reading->locations[count++] = location_of(reading, first, i + 1);
		first = i + 1;
	}
	perun_column_set_id(reading->stacks, PERUN_TYPE_STACK,
			    perun_builder_stack(reading->builder, reading->locations, count));
	perun_table_end_row(reading->table);
	reading->complete |= reading->frame_count > 0;
	reading->frame_count = 0;
	reading->in_sample = reading->one_line = false;
}

/* ---- the sample ------------------------------------------------------------------------------ */

static struct event *add_event(struct reading *reading, const struct sample_line *sample)
{
	struct event *event = &reading->events[reading->event_count];

	event->name = perun_strndup(sample->event.text, sample->event.length);
	event->column = perfscript_add_metric(reading->table, event->name, sample->period >= 0,
					      reading->event_count++);
	return event;
}

static struct event *event_of(struct reading *reading, const struct sample_line *sample)
{
	for (size_t i = 0; i < reading->event_count; i++) {
		struct event *event = &reading->events[i];

		if (strlen(event->name) == sample->event.length &&
		    memcmp(event->name, sample->event.text, sample->event.length) == 0)
			return event;
	}
	if (reading->event_count == EVENTS) {
		perun_fail(reading->ctx, PERUN_INPUT, "line %" PRIu64 ": more than %d events",
			   perun_lines_number(reading->lines), EVENTS);
		return NULL;
	}
	return add_event(reading, sample);
}

static perun_id make_labels(struct reading *reading, const struct sample_line *sample)
{
	static const char *const names[] = {"pid", "tid", "cpu"};
	const int64_t numbers[] = {sample->pid, sample->tid, sample->cpu};
	struct perun_label labels[4] = {0};
	size_t count = 0;

	if (sample->comm.length)
		labels[count++] =
			(struct perun_label){.key = perun_builder_text(reading->builder, "comm"),
					     .text = intern(reading, sample->comm)};
	for (size_t i = 0; i < 3; i++)
		if (numbers[i] >= 0)
			labels[count++] = (struct perun_label){
				.key = perun_builder_text(reading->builder, names[i]),
				.text = PERUN_NO_ID,
				.number = numbers[i]};
	return perun_builder_labels(reading->builder, labels, count);
}

/* Lines of perf script --show-mmap-events and the like. */
static bool is_record(const struct sample_line *sample)
{
	static const char record[] = "PERF_RECORD_";
	size_t length = strlen(record);

	return strncmp(sample->rest.text, record, length) == 0 ||
	       (sample->event.length >= length && memcmp(sample->event.text, record, length) == 0);
}

static int add_sample(struct reading *reading, struct sample_line *sample)
{
	struct event *event = event_of(reading, sample);
	const int64_t period = sample->period < 0 ? 1 : sample->period;
	struct frame_line frame;

	if (!event)
		return perun_ctx_status(reading->ctx);
	reading->in_sample = true;
	perun_column_set_int64(event->column, period);
	perfscript_count(&event->sums, (double)period);
	perun_column_set_id(reading->labels, PERUN_TYPE_LABELS, make_labels(reading, sample));
	if (sample->time >= 0)
		perun_column_set_int64(reading->times, sample->time);
	/* A recording without call chains has the place on the same line. */
	perfscript_cut_detail(&sample->rest);
	reading->one_line =
		perfscript_parse_frame(sample->rest.text, sample->rest.length, &frame) &&
		(sample->aligned || memchr(sample->rest.text, '(', sample->rest.length));
	return reading->one_line ? add_frame(reading, &frame) : PERUN_OK;
}

static int begin_sample(struct reading *reading, const char *line)
{
	struct sample_line sample;
	int status;

	if (!perfscript_parse_sample(line, &sample))
		return wrong(reading, sample_expected, line);
	if (is_record(&sample))
		return PERUN_OK;
	reading->named = true;
	status = add_sample(reading, &sample);
	if (!status && sample.weak && !reading->one_line && !reading->proven) {
		reading->weak_line = perun_strdup(line);
		reading->weak_number = perun_lines_number(reading->lines);
	}
	return status;
}

static int skip_line(struct reading *reading)
{
	if (reading->skipped++ == 0)
		reading->skipped_at = perun_lines_number(reading->lines);
	return PERUN_OK;
}

/* -F ip,sym: nothing is before a stack but an empty line. Elsewhere a stack that belongs to no sample would be lost. */
static int begin_nameless(struct reading *reading, const char *line)
{
	struct sample_line sample = {.event = {"samples", strlen("samples")},
				     .rest = {"", 0},
				     .pid = -1,
				     .tid = -1,
				     .cpu = -1,
				     .time = -1,
				     .period = -1};

	return reading->named ? wrong(reading, sample_expected, line)
			      : add_sample(reading, &sample);
}

/* What was before a stack was the first line of a sample. */
static void prove(struct reading *reading)
{
	reading->proven |= reading->weak_line != NULL;
	perun_free(reading->weak_line);
	reading->weak_line = NULL;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* "# cmdline : perf record ..." says what ran; all of the heading is kept. */
static void read_comment(struct reading *reading, const char *line, size_t length)
{
	struct perun_json *document = perun_builder_document(reading->builder), *comments;
	const char *text = line + 1 + strspn(line + 1, " ");

	if (!*text || *text == '=' || reading->comments == COMMENTS)
		return;
	comments = perun_json_get(document, "comments");
	if (!comments) {
		comments = perun_json_array();
		perun_json_set(document, "comments", comments);
	}
	perun_json_append(comments, perun_json_string(text, length - (size_t)(text - line)));
	reading->comments++;
	if (strncmp(text, "cmdline : ", 10) == 0)
		perfscript_note_command(perun_json_get(document, "header"), text + 10);
}

static void begin_stack(struct reading *reading)
{
	prove(reading);
	if (reading->one_line) { /* what was there was an address of data (-F +addr) */
		reading->frame_count = 0;
		reading->one_line = false;
	}
}

static int read_frame(struct reading *reading, const struct frame_line *frame)
{
	begin_stack(reading);
	return add_frame(reading, frame);
}

/* A line of a stack that begins with a tab; `*found`: it is a frame. */
static int read_frame_line(struct reading *reading, const char *line, size_t length, bool *found)
{
	struct known_line *known = &reading->known[perun_hash_text(line, length) % LINES];
	struct frame_line frame;
	size_t count;
	int status;

	*found = true;
	if (known->text && known->length == length && memcmp(known->text, line, length) == 0) {
		begin_stack(reading);
		return push_frame(reading, &known->frame);
	}
	*found = perfscript_parse_frame(line, length, &frame);
	if (!*found)
		return PERUN_OK;
	begin_stack(reading);
	count = reading->frame_count;
	status = add_frame(reading, &frame);
	if (!status && reading->frame_count == count + 1) {
		perun_free(known->text);
		*known = (struct known_line){perun_memdup(line, length), length,
					     reading->frames[count]};
	}
	return status;
}

static void free_known(struct reading *reading)
{
	for (size_t i = 0; i < LINES; i++)
		perun_free(reading->known[i].text);
	perun_free(reading->known);
}

static bool read_source(struct reading *reading, const char *line, size_t length)
{
	struct piece file;
	int64_t number;

	if (!reading->frame_count || !perfscript_parse_source(line, length, &file, &number))
		return false;
	if (file.length) {
		reading->frames[reading->frame_count - 1].file = intern(reading, file);
		reading->frames[reading->frame_count - 1].line = number;
	}
	return true;
}

/* A line that starts with a blank, after the first line of a sample. `*known` says whether it is one of it. */
static int read_more(struct reading *reading, const char *line, size_t length, bool *known)
{
	struct sample_line next;
	struct frame_line frame;
	bool starts_next;
	int status;

	*known = true;
	if (perfscript_is_detail(line))
		return PERUN_OK;
	/* The way of nearly all lines. */
	if (line[0] == '\t') {
		status = read_frame_line(reading, line, length, known);
		if (status || *known)
			return status;
		*known = true;
	}
	starts_next = perfscript_parse_sample(line, &next) && !next.weak;
	/* Samples without call chains follow each other, their names aligned with blanks. */
	if (line[0] != '\t' && !reading->one_line && !starts_next &&
	    perfscript_parse_frame(line, length, &frame))
		return read_frame(reading, &frame);
	if (!starts_next && read_source(reading, line, length))
		return PERUN_OK;
	*known = line[0] == '\t' || !perfscript_parse_sample(line, &next);
	if (*known && !reading->complete)
		return wrong(reading, "a frame (address symbol (object)) or an empty line", line);
	return *known ? skip_line(reading) : PERUN_OK;
}

/* A frame whose indentation was lost on the way. */
static bool is_bare_frame(const char *line, size_t length, struct frame_line *frame)
{
	struct sample_line sample;

	return length && line[length - 1] == ')' && perfscript_parse_frame(line, length, frame) &&
	       frame->symbol.length && (!perfscript_parse_sample(line, &sample) || sample.weak);
}

static int read_line(struct reading *reading, char *line, size_t length)
{
	struct frame_line frame;
	bool known = false;
	int status = PERUN_OK;

	if (strlen(line) != length)
		return wrong(reading, "text", line);
	/* Within a sample without frames, too, where another file follows. */
	if (line[0] == '#' && reading->in_sample && line[1] == ' ')
		end_sample(reading);
	if (line[0] == '#' && !reading->in_sample) {
		read_comment(reading, line, length);
		return PERUN_OK;
	}
	if (!reading->in_sample && line[0] == '\t' &&
	    perfscript_parse_frame(line, length, &frame)) {
		if (reading->named && reading->complete)
			return skip_line(reading);
		status = begin_nameless(reading, line);
	}
	if (!status && reading->in_sample && (line[0] == '\t' || line[0] == ' '))
		status = read_more(reading, line, length, &known);
	else if (!status && reading->in_sample && is_bare_frame(line, length, &frame)) {
		status = read_frame(reading, &frame);
		known = true;
	}
	if (status || known)
		return status;
	if (reading->weak_line)
		return stacks_wrong_at(reading->ctx, reading->weak_number, sample_expected,
				       reading->weak_line);
	end_sample(reading);
	return length ? begin_sample(reading, line) : PERUN_OK;
}

static void begin(struct reading *reading)
{
	struct perun_json *header = perun_json_object();

	perun_json_set(perun_builder_document(reading->builder), "header", header);
	reading->table = perun_builder_table(reading->builder, "resources");
	perfscript_add_columns(reading->table, &reading->stacks, &reading->labels, &reading->times);
}

static int finish(struct reading *reading)
{
	struct perun_column_builder *columns[EVENTS];
	const struct perfscript_sums *sums[EVENTS];

	if (reading->weak_line)
		return stacks_wrong_at(reading->ctx, reading->weak_number, sample_expected,
				       reading->weak_line);
	end_sample(reading);
	if (reading->event_count == 0)
		return perun_fail(reading->ctx, PERUN_INPUT, "there is no sample in it");
	for (size_t i = 0; i < reading->event_count; i++) {
		columns[i] = reading->events[i].column;
		sums[i] = &reading->events[i].sums;
	}
	perfscript_note_samples(perun_builder_document(reading->builder), columns, sums,
				reading->event_count);
	perfscript_note_leading(perun_json_get(perun_builder_document(reading->builder), "header"),
				columns, reading->event_count);
	return PERUN_OK;
}

int perfscript_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		    struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .builder = builder};
	bool closed = true; /* the last line: the object of a frame, in parentheses, or nothing */
	size_t length;
	char *line;
	int status;

	(void)instance;
	reading.lines = perun_lines_new(input, 1 << 20);
	reading.known = perun_alloc_zero(LINES, sizeof *reading.known);
	begin(&reading);
	while ((status = perun_lines_next(ctx, reading.lines, &line, &length)) == PERUN_OK &&
	       line) {
		closed = !length || line[length - 1] == ')';
		if (perun_lines_number(reading.lines) % 65536 == 0 && perun_cancelled(ctx))
			status = PERUN_CANCELLED;
		else
			status = read_line(&reading, line, length);
		if (status)
			break;
	}
	if (!status)
		status = finish(&reading);
	if (!status && reading.skipped)
		perun_warn(ctx,
			   "skipped %" PRIu64
			   " line%s of stacks that are not frames of a sample, first line %" PRIu64,
			   reading.skipped, reading.skipped == 1 ? "" : "s", reading.skipped_at);
	if (!status && !closed && perun_lines_is_open(reading.lines))
		perun_warn(ctx, "line %" PRIu64 " does not end: the file seems to be cut off",
			   perun_lines_number(reading.lines));
	for (size_t i = 0; i < reading.event_count; i++)
		perun_free(reading.events[i].name);
	perun_buffer_free(&reading.name);
	perun_free(reading.weak_line);
	perun_free(reading.frames);
	perun_free(reading.locations);
	free_known(&reading);
	perun_lines_free(reading.lines);
	return status;
}
