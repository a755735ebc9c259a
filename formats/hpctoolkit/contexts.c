/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contexts of meta.db: functions, loops, lines and instructions within each other, below the ways in which threads begin.
 * Functions are frames, and so are loops whose line is known, and instructions that are called where the function is not
 * known; a line is that of the frame around it.
 */
#include <inttypes.h>
#include <string.h>

#include <perun/lib/path.h>

#include "database.h"

enum { CONTEXTS = 3 }; /* the section */
/* Sizes of structures, and of the parts of a context that only some have. */
enum {
	CONTEXTS_SIZE = 11,
	ENTRY_SIZE = 32,
	CONTEXT_SIZE = 32,
	FUNCTION_SIZE = 40,
	NAMED_SIZE = 16
};
enum { HAS_FUNCTION = 1, HAS_LINE = 2, HAS_POINT = 4 };
enum { FUNCTION, LOOP }; /* types of contexts that are frames */

#define MAX_TEXT ((uint64_t)1024 * 1024)

/* The children of a context that are still to be read. */
struct level {
	uint64_t at, end;
	uint32_t context;
};

struct reading {
	struct hpctoolkit_meta *meta;
	const struct hpctoolkit_file *file;
	struct perun_builder *builder;
	struct level *levels;
	size_t depth, room;
	/* by their places in the file */
	struct stacks_numbers texts, functions;
	struct hpctoolkit_frame *frames; /* of functions */
	size_t frame_count, frame_room;
	uint64_t texts_left, contexts_left; /* bytes that are not read yet: none is read twice */
};

/* What the flags of a context say that it has. */
struct parts {
	uint64_t function, file, module, offset;
	uint32_t line;
};

/* ---- names ----------------------------------------------------------------------------------- */

/* "fork [libc-2.28.so]" in /usr/lib64/libc-2.28.so is fork. */
static size_t name_length(const char *text, const char *module)
{
	size_t length = strlen(text), size = module ? strlen(module) + 3 : 0;

	if (size && length > size && text[length - 1] == ']' &&
	    memcmp(text + length - size, " [", 2) == 0 &&
	    memcmp(text + length - size + 2, module, size - 3) == 0)
		length -= size;
	return length;
}

/* The string at a place; `module`: what may be in brackets at its end, or NULL. */
static int read_text(struct reading *reading, uint64_t at, const char *module, perun_id *id)
{
	uint32_t known = stacks_numbers_find(&reading->texts, at);
	const char *text;
	int status;

	*id = known;
	if (known != UINT32_MAX)
		return PERUN_OK;
	status = hpctoolkit_text(reading->file, at, MAX_TEXT, &text);
	if (status)
		return status;
	if (strlen(text) > reading->texts_left)
		return perun_fail(reading->file->ctx, PERUN_INPUT,
				  "byte %" PRIu64 ": expected no text within others", at);
	reading->texts_left -= strlen(text);
	*id = perun_builder_string(reading->builder, text, name_length(text, module));
	stacks_numbers_add(&reading->texts, at, *id);
	return PERUN_OK;
}

/* The path in the structure of a module or source file; 0: there is none. */
static int read_path(struct reading *reading, uint64_t at, perun_id *id)
{
	int status;

	*id = 0;
	if (!at)
		return PERUN_OK;
	status = hpctoolkit_expect(reading->file, at, 1, NAMED_SIZE, NAMED_SIZE, "file or module");
	if (!status)
		status = read_text(reading, hpctoolkit_number(reading->file, at + 8, 8), NULL, id);
	return status;
}

static const char *base_name(struct reading *reading, perun_id path)
{
	return perun_path_base_name(path ? perun_builder_string_at(reading->builder, path, NULL)
					 : "");
}

/* The name of what has none: "libc.so.6+0x12ab", "loop at main.c:12". */
static perun_id make_name(struct reading *reading, const char *before, perun_id path,
			  const char *between, bool hexadecimal, uint64_t number)
{
	const char *base = base_name(reading, path);
	char *name = hexadecimal
			     ? perun_format("%s%.255s%s0x%" PRIx64, before, base, between, number)
			     : perun_format("%s%.255s%s%" PRIu64, before, base, between, number);
	perun_id id = perun_builder_text(reading->builder, name);

	perun_free(name);
	return id;
}

static perun_id name_by_place(struct reading *reading, const struct hpctoolkit_frame *frame,
			      uint64_t offset)
{
	if (frame->module)
		return make_name(reading, "", frame->module, "+", true, offset);
	if (frame->file)
		return make_name(reading, "", frame->file, ":", false, frame->line);
	return perun_builder_text(reading->builder, "(unknown)");
}

/* "[libc-2.28.so]" is written where the source is not known. */
static void drop_module_as_file(struct reading *reading, struct hpctoolkit_frame *frame)
{
	if (frame->file && *perun_builder_string_at(reading->builder, frame->file, NULL) == '[')
		frame->file = 0;
}

/* "<unknown procedure> 0x24680 [libpsm2.so.2.2]" is named by its place, as others are. */
static bool is_unknown(struct reading *reading, perun_id name)
{
	return strncmp(perun_builder_string_at(reading->builder, name, NULL), "<unknown ", 9) == 0;
}

static int read_function(struct reading *reading, uint64_t at, struct hpctoolkit_frame *frame)
{
	const struct hpctoolkit_file *file = reading->file;
	uint32_t known = stacks_numbers_find(&reading->functions, at);
	uint64_t name;
	int status;

	if (known != UINT32_MAX) {
		*frame = reading->frames[known];
		return PERUN_OK;
	}
	*frame = (struct hpctoolkit_frame){0};
	status = hpctoolkit_expect(file, at, 1, FUNCTION_SIZE, FUNCTION_SIZE, "function");
	if (!status)
		status = read_path(reading, hpctoolkit_number(file, at + 8, 8), &frame->module);
	if (!status)
		status = read_path(reading, hpctoolkit_number(file, at + 24, 8), &frame->file);
	if (status)
		return status;
	frame->start_line = (uint32_t)(hpctoolkit_number(file, at + 32, 4) & INT32_MAX);
	frame->line = frame->start_line;
	drop_module_as_file(reading, frame);
	name = hpctoolkit_number(file, at, 8);
	if (name)
		status = read_text(reading, name, base_name(reading, frame->module), &frame->name);
	if (status)
		return status;
	if (!name || (frame->module && is_unknown(reading, frame->name)))
		frame->name = name_by_place(reading, frame, hpctoolkit_number(file, at + 16, 8));
	PERUN_GROW(reading->frames, reading->frame_count, reading->frame_room);
	stacks_numbers_add(&reading->functions, at, (uint32_t)reading->frame_count);
	reading->frames[reading->frame_count++] = *frame;
	return PERUN_OK;
}

/* ---- contexts -------------------------------------------------------------------------------- */

static void add_context(struct reading *reading, uint32_t id, uint32_t parent, perun_id caller,
			const struct hpctoolkit_frame *frame)
{
	struct hpctoolkit_meta *meta = reading->meta;

	PERUN_GROW(meta->contexts, meta->context_count, meta->context_room);
	stacks_numbers_add(&meta->by_id, id, (uint32_t)meta->context_count);
	meta->contexts[meta->context_count++] = (struct hpctoolkit_context){
		.parent = parent, .caller = caller, .stack = STACKS_NEW_PATH, .frame = *frame};
}

/* The children of the context that was added last. */
static int push_children(struct reading *reading, uint64_t at)
{
	uint64_t size = hpctoolkit_number(reading->file, at, 8);
	uint64_t first = hpctoolkit_number(reading->file, at + 8, 8);
	int status = hpctoolkit_expect(reading->file, first, size, 1, 1, "bytes of contexts");

	if (status || size == 0)
		return status;
	if (size > reading->contexts_left)
		return perun_fail(reading->file->ctx, PERUN_INPUT,
				  "byte %" PRIu64 ": expected each context once", first);
	reading->contexts_left -= size;
	PERUN_GROW(reading->levels, reading->depth, reading->room);
	reading->levels[reading->depth++] =
		(struct level){first, first + size, (uint32_t)(reading->meta->context_count - 1)};
	return PERUN_OK;
}

/* Fields follow each other; the line and what else has four bytes share eight. */
static int read_parts(struct reading *reading, uint64_t at, uint64_t size, struct parts *parts)
{
	const struct hpctoolkit_file *file = reading->file;
	uint64_t flags = hpctoolkit_number(file, at + 20, 1), next = at + CONTEXT_SIZE;
	uint64_t need = (flags & HAS_FUNCTION ? 8 : 0) + (flags & HAS_LINE ? 16 : 0) +
			(flags & HAS_POINT ? 16 : 0);

	if (size < CONTEXT_SIZE + need)
		return perun_fail(file->ctx, PERUN_INPUT,
				  "byte %" PRIu64 ": expected a context of at least %" PRIu64
				  " bytes, found %" PRIu64,
				  at, CONTEXT_SIZE + need, size);
	if (flags & HAS_FUNCTION) {
		parts->function = hpctoolkit_number(file, next, 8);
		next += 8;
	}
	if (flags & HAS_LINE) {
		parts->file = hpctoolkit_number(file, next, 8);
		parts->line = (uint32_t)(hpctoolkit_number(file, next + 8, 4) & INT32_MAX);
		next += 16;
	}
	if (flags & HAS_POINT) {
		parts->module = hpctoolkit_number(file, next, 8);
		parts->offset = hpctoolkit_number(file, next + 8, 8);
	}
	return PERUN_OK;
}

/* The frame of what has neither a function nor a name: a loop, or an instruction that was called. */
static int make_frame(struct reading *reading, bool loop, const struct parts *parts,
		      struct hpctoolkit_frame *frame)
{
	int status = read_path(reading, parts->file, &frame->file);

	/* A loop is in the module of the frame around it. */
	if (!status && (!loop || parts->module))
		status = read_path(reading, parts->module, &frame->module);
	if (status)
		return status;
	frame->line = parts->line;
	frame->start_line = 0;
	frame->address = loop ? 0 : parts->offset;
	frame->name = loop ? make_name(reading, "loop at ", frame->file, ":", false, parts->line)
			   : name_by_place(reading, frame, parts->offset);
	drop_module_as_file(reading, frame);
	return PERUN_OK;
}

static perun_id location_of(struct stacks *stacks, const struct hpctoolkit_frame *frame)
{
	const struct stacks_frame place = {.name_id = frame->name,
					   .file_id = frame->file,
					   .module_id = frame->module,
					   .line = frame->line,
					   .start_line = frame->start_line,
					   .address = frame->address};

	return stacks_frame(stacks, &place);
}

/* One context of a level, which has `size` bytes. */
static int read_context(struct reading *reading, uint64_t at, uint64_t size, uint32_t parent)
{
	const struct hpctoolkit_context above = reading->meta->contexts[parent];
	uint64_t relation = hpctoolkit_number(reading->file, at + 21, 1);
	uint64_t type = hpctoolkit_number(reading->file, at + 22, 1);
	struct hpctoolkit_frame frame = above.frame;
	perun_id caller = above.caller;
	struct parts parts = {0};
	int status = read_parts(reading, at, size, &parts);

	if (status)
		return status;
	if (type == FUNCTION || relation != 0 || (type == LOOP && parts.line)) {
		caller = perun_builder_path(reading->builder, caller,
					    location_of(reading->meta->stacks, &above.frame));
		status = parts.function ? read_function(reading, parts.function, &frame)
					: make_frame(reading, type == LOOP, &parts, &frame);
	} else if (parts.line) {
		frame.line = parts.line;
	}
	if (status)
		return status;
	add_context(reading, (uint32_t)hpctoolkit_number(reading->file, at + 16, 4), parent, caller,
		    &frame);
	return push_children(reading, at);
}

/* The contexts below the one that was added last, and those below them. */
static int read_below(struct reading *reading)
{
	const struct hpctoolkit_file *file = reading->file;
	int status = PERUN_OK;

	for (size_t read = 0; !status && reading->depth; read++) {
		struct level *level = &reading->levels[reading->depth - 1];
		uint64_t at = level->at, size;

		if (at == level->end) {
			reading->depth--;
			continue;
		}
		status = hpctoolkit_expect(file, at, 1, level->end - at, CONTEXT_SIZE, "context");
		if (status)
			break;
		size = CONTEXT_SIZE + 8 * hpctoolkit_number(file, at + 23, 1);
		status = hpctoolkit_expect(file, at, 1, level->end - at, size, "context");
		level->at += size;
		if (!status)
			status = read_context(reading, at, size, level->context);
		if (!status && read % 65536 == 65535 && perun_cancelled(file->ctx))
			status = PERUN_CANCELLED;
	}
	return status;
}

/* "main thread", "application thread": the frame of what begins there. */
static int read_entry(struct reading *reading, uint64_t at)
{
	uint64_t id = hpctoolkit_number(reading->file, at + 16, 4);
	struct hpctoolkit_frame frame = {0};
	int status =
		read_text(reading, hpctoolkit_number(reading->file, at + 24, 8), NULL, &frame.name);

	if (status)
		return status;
	add_context(reading, (uint32_t)id, 0, PERUN_NO_ID, &frame);
	status = push_children(reading, at);
	return status ? status : read_below(reading);
}

static int read_entries(struct reading *reading)
{
	const struct hpctoolkit_file *file = reading->file;
	const struct hpctoolkit_frame unknown = {
		.name = perun_builder_text(reading->builder, "(unknown)")};
	uint64_t at, entry, count, stride;
	int status = hpctoolkit_section(file, CONTEXTS, CONTEXTS_SIZE, &at);

	if (status)
		return status;
	entry = hpctoolkit_number(file, at, 8);
	count = hpctoolkit_number(file, at + 8, 2);
	stride = hpctoolkit_number(file, at + 10, 1);
	status = hpctoolkit_expect(file, entry, count, stride, ENTRY_SIZE, "entry points");
	/* Context 0 is around all others; what is in none of them costs there. */
	add_context(reading, 0, UINT32_MAX, PERUN_NO_ID, &unknown);
	for (uint64_t i = 0; !status && i < count; i++, entry += stride)
		status = read_entry(reading, entry);
	return status;
}

int hpctoolkit_read_contexts(struct hpctoolkit_meta *meta)
{
	struct reading reading = {.meta = meta,
				  .file = &meta->file,
				  .builder = stacks_builder(meta->stacks),
				  .texts_left = meta->file.size,
				  .contexts_left = meta->file.size};
	int status = read_entries(&reading);

	perun_free(reading.levels);
	perun_free(reading.frames);
	stacks_numbers_free(&reading.texts);
	stacks_numbers_free(&reading.functions);
	return status;
}

int hpctoolkit_context_stack(struct hpctoolkit_meta *meta, size_t number, perun_id *stack)
{
	struct hpctoolkit_context *context = &meta->contexts[number];
	int status = PERUN_OK;

	if (context->stack == STACKS_NEW_PATH)
		status = stacks_of_path(
			meta->stacks,
			perun_builder_path(stacks_builder(meta->stacks), context->caller,
					   location_of(meta->stacks, &context->frame)),
			&context->stack);
	*stack = context->stack;
	return status;
}
