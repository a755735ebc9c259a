/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks of places as traces of Perun's resources, with names. */
#include <config.h>

#include <string.h>

#include <perun/json.h>
#include <perun/lib/path.h>

#include "collectors/common/symbols.h"
#include "collectors/common/traces.h"

/* One place in the program as frames of a trace. */
struct frames {
	struct symbol symbol;
};

struct traces {
	const struct places *places;
	struct perun_builder *builder;
	struct symbols *symbols;
	struct frames *frames; /* of each place */
	struct trace *found;   /* of each stack */
	enum traces_keep keep;
	bool sources; /* some frame has one */
};

static void find_symbols(struct traces *traces)
{
	const struct places *places = traces->places;

	for (size_t i = 0; i < places->place_count; i++) {
		const struct place *place = &places->places[i];
		struct symbol *symbol = &traces->frames[i].symbol;

		if (place->file != PLACES_NO_FILE)
			*symbol = collectors_symbols_find(
				traces->symbols, places->files[place->file].path, place->address);
		for (size_t k = 0; k < symbol->count; k++)
			traces->sources |= *symbol->lines[k].source != '\0';
	}
}

static struct perun_json *frame_document(const struct symbol_line *line)
{
	struct perun_json *frame = perun_json_object();

	perun_json_set(frame, "function", perun_json_text(*line->function ? line->function : "?"));
	perun_json_set(frame, "source",
		       perun_json_text(*line->source ? line->source : "unreachable"));
	perun_json_set(frame, "line", perun_json_int64(line->line));
	return frame;
}

/* A place that nothing is known of but its file. */
static void add_unknown(struct traces *traces, const struct place *place, struct perun_json *trace)
{
	char *name = NULL;
	struct symbol_line line = {.function = "?", .source = ""};

	if (place->file != PLACES_NO_FILE) {
		const char *path = traces->places->files[place->file].path;
		size_t length = strlen(COLLECTORS_GENERATED);

		path = strncmp(path, COLLECTORS_GENERATED, length) == 0
			       ? "[generated]"
			       : perun_path_base_name(path);
		if (traces->keep == TRACES_NAMES)
			name = *path == '[' ? perun_strdup(path) : perun_format("[%s]", path);
		else
			name = perun_format("%s+0x%llx", path, (unsigned long long)place->address);
		line.function = name;
	}
	perun_json_append(trace, frame_document(&line));
	perun_free(name);
}

/* How the C library starts programs and threads: the same at the end of all traces. */
static bool is_start(const char *function)
{
	static const char *const names[] = {"__libc_start_call_main",
					    "__libc_start_main_impl",
					    "__libc_start_main",
					    "_start",
					    "start_thread",
					    "clone3",
					    "__clone3",
					    "__GI___clone3",
					    "clone"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(function, names[i]) == 0)
			return true;
	return false;
}

static const char *name_of(const struct symbol *symbol)
{
	return symbol->count ? symbol->lines[0].function : "";
}

/* `needs`: 2 = frames with source only, 1 = with a name, 0 = all, also how programs start. */
static void add_frames(struct traces *traces, const struct places_stack *stack, int needs,
		       struct perun_json *trace)
{
	for (uint32_t i = 0; i < stack->count; i++) {
		uint32_t number = traces->places->frames[stack->first + i];
		const struct symbol *symbol = &traces->frames[number].symbol;
		bool some = false;

		for (size_t k = 0; k < symbol->count; k++) {
			const struct symbol_line *line = &symbol->lines[k];

			if (!*line->function || (needs == 2 && !*line->source))
				continue;
			/* With nothing else the trace is of the start itself. */
			if (needs && is_start(line->function))
				continue;
			perun_json_append(trace, frame_document(line));
			some = true;
		}
		if (!some && (needs == 0 || (traces->keep == TRACES_NAMES && !*name_of(symbol))))
			add_unknown(traces, &traces->places->places[number], trace);
	}
}

/* The first frame with a source, else the first. */
static const struct perun_json *find_uid(const struct perun_json *trace)
{
	for (size_t i = 0; i < perun_json_count(trace); i++) {
		const struct perun_json *frame = perun_json_at(trace, i);
		const char *source = perun_json_as_string(perun_json_get(frame, "source"), NULL);

		if (source && strcmp(source, "unreachable") != 0)
			return frame;
	}
	return perun_json_at(trace, 0);
}

static perun_id add_text(struct traces *traces, const struct perun_json *value)
{
	struct perun_buffer text = {0};
	perun_id id;

	perun_json_print(value, &text, PERUN_JSON_PYTHON, 0);
	id = perun_builder_string(traces->builder, text.data, text.length);
	perun_buffer_free(&text);
	return id;
}

const struct trace *traces_find(struct traces *traces, uint32_t number)
{
	const struct places_stack *stack = &traces->places->stacks[number];
	struct trace *trace = &traces->found[number];
	int needs = traces->keep == TRACES_ALL     ? 0
		    : traces->keep == TRACES_NAMES ? 1
		    : traces->sources              ? 2
						   : 1;
	struct perun_json *frames;
	const struct perun_json *uid;

	if (trace->known)
		return trace;
	frames = perun_json_array();
	/* What a library allocates on its own account counts, too: its frames without sources stay. */
	for (; perun_json_count(frames) == 0 && needs >= 0; needs--)
		add_frames(traces, stack, needs, frames);
	if (perun_json_count(frames) == 0)
		add_unknown(traces, &(const struct place){0, PLACES_NO_FILE}, frames);
	uid = traces->keep == TRACES_NAMES ? perun_json_at(frames, 0) : find_uid(frames);
	trace->known = true;
	trace->uid = add_text(traces, uid);
	trace->trace = add_text(traces, frames);
	trace->frame = perun_json_clone(uid);
	perun_json_free(frames);
	return trace;
}

struct traces *traces_open(const struct places *places, const char *folder, enum traces_keep keep,
			   struct perun_builder *builder)
{
	struct traces *traces = perun_alloc_zero(1, sizeof *traces);

	traces->places = places;
	traces->builder = builder;
	traces->keep = keep;
	traces->symbols = collectors_symbols_new(folder);
	traces->frames = perun_alloc_zero(places->place_count + 1, sizeof *traces->frames);
	traces->found = perun_alloc_zero(places->stack_count + 1, sizeof *traces->found);
	find_symbols(traces);
	return traces;
}

void traces_close(struct traces *traces)
{
	for (size_t i = 0; i < traces->places->place_count; i++)
		collectors_symbol_clear(&traces->frames[i].symbol);
	for (size_t i = 0; i < traces->places->stack_count; i++)
		perun_json_free(traces->found[i].frame);
	collectors_symbols_free(traces->symbols);
	perun_free(traces->frames);
	perun_free(traces->found);
	perun_free(traces);
}
