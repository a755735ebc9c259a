/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of a function with what each line costs. */
#include <config.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "commands/common/code/lines.h"
#include "commands/common/symbolize.h"
#include "serve.h"

enum { MAX_BYTES = 16 << 20, MAX_LINES = 2000, AROUND = 8 };

/* Where sources are read from. */
struct source {
	const struct serve_question *question;
	int directory;             /* the root, or -1 */
	struct perun_store *store; /* NULL: the profile is of no version */
	struct perun_vcs *vcs;     /* of the store, or NULL */
	struct code_lines code;
	const char
		*problem; /* why there is no machine code; NULL: there is, or none is asked for */
};

/* A line of a function. */
struct cost {
	perun_id file;
	int64_t line, self, total;
};

static int by_place(const void *one, const void *other)
{
	const struct cost *a = one, *b = other;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/* Sort, and make one of what has the same line: of functions that share a name, say. */
static void join_lines(struct cost *costs, size_t *count)
{
	size_t kept = 1;

	qsort(costs, *count, sizeof *costs, by_place);
	for (size_t i = 1; i < *count; i++) {
		if (by_place(&costs[kept - 1], &costs[i]) != 0) {
			costs[kept++] = costs[i];
			continue;
		}
		costs[kept - 1].self += costs[i].self;
		costs[kept - 1].total += costs[i].total;
	}
	*count = kept;
}

/* The lines of a function, by file and line; the caller frees them. */
static int find_costs(const struct serve_question *question, const char *function,
		      struct cost **costs, size_t *count)
{
	const struct views_data *data = &question->data;
	const struct perun_graph_options options = {.struct_size = sizeof options,
						    .granularity = PERUN_BY_LINE,
						    .no_inlines = data->no_inlines,
						    .no_edges = true};
	struct perun_callgraph *graph = NULL;
	size_t nodes, capacity = 0;
	int status = perun_callgraph_new(question->ctx, data->stacks, &options, &graph);
	const struct perun_frame *frames = status ? NULL : perun_callgraph_nodes(graph, &nodes);

	*costs = NULL;
	*count = 0;
	for (size_t i = 0; !status && i < nodes; i++) {
		const char *name = perun_profile_string(data->profile, frames[i].name, NULL);

		if (!name || strcmp(name, function) != 0)
			continue;
		PERUN_GROW(*costs, *count, capacity);
		(*costs)[(*count)++] = (struct cost){frames[i].file, frames[i].line,
						     perun_callgraph_flat(graph, 0)[i],
						     perun_callgraph_cumulative(graph, 0)[i]};
	}
	perun_callgraph_free(graph);
	if (*count)
		join_lines(*costs, count);
	return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* In memory it ends with a zero byte. */
static bool read_whole(int file, struct perun_buffer *text)
{
	struct stat info;

	return fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= MAX_BYTES &&
	       perun_read_all(file, text) == 0;
}

/* A part of a path that may be a file's of the project: it says nothing of what is above. */
static bool is_below(const char *path)
{
	return *path && *path != '/' && strncmp(path, "../", 3) != 0 && !strstr(path, "/../");
}

/* As the version has it. */
static bool read_version(const struct source *source, const char *path, struct perun_buffer *text)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	bool found = false;

	if (source->vcs && is_below(path) &&
	    perun_vcs_read_file(quiet, source->vcs, source->question->version, path, text, &found))
		found = false;
	perun_ctx_free(quiet);
	if (found && text->length <= MAX_BYTES) {
		perun_buffer_add_char(text, '\0');
		return text->length > 1;
	}
	perun_buffer_clear(text);
	return false;
}

/* As it is now; through no link. */
static bool read_present(const struct source *source, const char *path, struct perun_buffer *text)
{
	int file =
		perun_beneath_open(source->directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);

	if (file < 0)
		return false;
	if (!read_whole(file, text))
		perun_buffer_clear(text);
	close(file);
	return text->length > 0;
}

/*
 * Only files of the project: what a profile says must not choose what is read. Where programs were built elsewhere, the end
 * of the path is looked for, the longest first; a file that the version has not may be one that the build made.
 */
static bool read_source(const struct source *source, const char *path, struct perun_buffer *text,
			bool *present)
{
	const char *root = source->question->serve->root;
	size_t length = strlen(root);

	if (strncmp(path, root, length) == 0 && path[length] == '/')
		path += length + 1;
	for (*present = false;; *present = true) {
		for (const char *rest = path; rest; rest = strchr(rest, '/')) {
			rest += strspn(rest, "/");
			if (*present ? source->directory >= 0 && read_present(source, rest, text)
				     : read_version(source, rest, text))
				return true;
		}
		if (*present)
			return false;
	}
}

static void open_source(struct source *source)
{
	const struct serve_question *question = source->question;
	struct perun_ctx *quiet = perun_ctx_new(NULL);

	source->directory = open(question->serve->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (question->version && question->serve->store &&
	    !perun_store_reopen(quiet, question->serve->store, &source->store) &&
	    perun_store_vcs(quiet, source->store, &source->vcs))
		source->vcs = NULL;
	perun_ctx_free(quiet);
}

static void close_source(struct source *source)
{
	if (source->directory >= 0)
		close(source->directory);
	perun_store_close(source->store);
}

/* ---- machine code ---------------------------------------------------------------------------- */

bool serve_wants_code(const struct server_request *request)
{
	const char *code = server_argument(request, "code");

	return code && *code;
}

/* What a profile says must not choose what is read: programs of the project, and those of the system. */
static bool may_read(void *data, const char *file)
{
	const struct serve *serve = data;
	char *root = realpath(serve->root, NULL), *real = realpath(file, NULL);
	size_t length = root ? strlen(root) : 0;
	bool may = root && real &&
		   (strncmp(real, "/usr/", 5) == 0 || strncmp(real, "/lib", 4) == 0 ||
		    (strncmp(real, root, length) == 0 && real[length] == '/'));

	/* Through links and ".." a name would lead elsewhere. */
	may = may && strcmp(real, file) == 0;
	free(real);
	free(root);
	return may;
}

static int read_code(struct source *source, const char *function)
{
	const struct serve_question *question = source->question;
	char *expression = perun_format("^\\Q%s\\E$", function);
	struct code_choice choice = {.stacks = question->data.stacks,
				     .tools = "",
				     .may_read = may_read,
				     .data = question->serve};
	int status = perun_regex_new(question->ctx, expression, PERUN_REGEX_RE2, &choice.functions);

	if (!status)
		status = commands_can_symbolize() ? code_lines_read(question->ctx, &choice, NULL,
								    NULL, &source->code)
						  : PERUN_MISSING;
	if (status == PERUN_MISSING)
		source->problem =
			"machine code needs objdump and nm (Debian: apt install binutils) "
			"and the postprocessor symbolize";
	else if (status == PERUN_INPUT || !source->code.count)
		source->problem = "no program of the project or of /usr has this function";
	if (source->problem) {
		perun_ctx_clear(question->ctx);
		status = PERUN_OK;
	}
	perun_regex_free(choice.functions);
	perun_free(expression);
	return status;
}

/* `next`: it follows the one before. */
static void write_instruction(const struct serve_question *question,
			      struct perun_json_writer *writer, const struct code_line *line,
			      bool next)
{
	long double scale = question->data.scale;
	char *address = perun_format("%" PRIx64, line->cost->code.address);

	perun_json_write_array_start(writer);
	perun_json_write_int64(writer, line->line);
	perun_json_write_text(writer, line->routine->names[0]);
	perun_json_write_text(writer, address);
	perun_json_write_double(writer, (double)((long double)line->cost->flat * scale));
	perun_json_write_double(writer, (double)((long double)line->cost->cumulative * scale));
	perun_json_write_text(writer, line->cost->code.text);
	perun_json_write_bool(writer, next);
	perun_json_write_array_end(writer);
	perun_free(address);
}

/* Of all lines of a file, in their order. */
static void write_code(const struct source *source, struct perun_json_writer *writer,
		       const char *path)
{
	perun_json_write_key_text(writer, "code");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < source->code.count; i++) {
		const struct code_line *line = &source->code.items[i];

		if (strcmp(line->file, path) == 0)
			write_instruction(source->question, writer, line,
					  i && line->cost == line[-1].cost + 1);
	}
	perun_json_write_array_end(writer);
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void write_line(const struct serve_question *question, struct perun_json_writer *writer,
		       int64_t number, const char *text, size_t length, const struct cost *cost)
{
	long double scale = question->data.scale;

	perun_json_write_array_start(writer);
	perun_json_write_int64(writer, number);
	perun_json_write_double(writer, cost ? (double)((long double)cost->self * scale) : 0);
	perun_json_write_double(writer, cost ? (double)((long double)cost->total * scale) : 0);
	perun_json_write_string(writer, text, length);
	perun_json_write_array_end(writer);
}

/* From a few lines before the first that costs something to a few after the last. */
static void write_text(const struct serve_question *question, struct perun_json_writer *writer,
		       const char *text, const struct cost *costs, size_t count)
{
	const int64_t last = costs[count - 1].line + AROUND;
	const int64_t first =
		costs->line - AROUND > last - MAX_LINES ? costs->line - AROUND : last - MAX_LINES;
	int64_t number = 1;

	for (const char *end; *text && number <= last; text = *end ? end + 1 : end, number++) {
		end = text + strcspn(text, "\n");
		for (; count && costs->line < number; count--)
			costs++;
		if (number >= first)
			write_line(question, writer, number, text, (size_t)(end - text),
				   count && costs->line == number ? costs : NULL);
	}
}

static void write_file(const struct source *source, struct perun_json_writer *writer,
		       const struct cost *costs, size_t count)
{
	const struct serve_question *question = source->question;
	const char *path = perun_profile_string(question->data.profile, costs->file, NULL);
	struct perun_buffer text = {0};
	bool present = false;
	bool found = path && *path && read_source(source, path, &text, &present);

	perun_json_write_object_start(writer);
	serve_write_pair(writer, "path", path ? path : "");
	perun_json_write_key_text(writer, "found");
	perun_json_write_bool(writer, found);
	if (found && !present)
		serve_write_pair(writer, "version", question->version);
	perun_json_write_key_text(writer, "lines");
	perun_json_write_array_start(writer);
	if (found)
		write_text(question, writer, text.data, costs, count);
	for (size_t i = 0; i < count && i < MAX_LINES && !found; i++)
		write_line(question, writer, costs[i].line, "", 0, &costs[i]);
	perun_json_write_array_end(writer);
	if (source->code.count)
		write_code(source, writer, path ? path : "");
	perun_json_write_object_end(writer);
	perun_buffer_free(&text);
}

static int write_files(struct serve_question *question, const char *function,
		       struct perun_json_writer *writer, const struct cost *costs, size_t count)
{
	struct source source = {.question = question};
	int status = PERUN_OK;
	size_t end;

	if (serve_wants_code(question->request) && !question->pair)
		status = read_code(&source, function);
	open_source(&source);
	serve_write_sum(question, writer);
	if (source.problem)
		serve_write_pair(writer, "problem", source.problem);
	perun_json_write_key_text(writer, "files");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && costs[end].file == costs[i].file;)
			end++;
		write_file(&source, writer, costs + i, end - i);
	}
	perun_json_write_array_end(writer);
	close_source(&source);
	code_lines_free(&source.code);
	return status;
}

int serve_write_source(struct serve_question *question, struct perun_json_writer *writer)
{
	const char *function = server_argument(question->request, "function");
	struct cost *costs = NULL;
	size_t count = 0;
	int status;

	if (!function || !question->data.stacks)
		return perun_fail(question->ctx, PERUN_USAGE,
				  function ? "%s has no stacks" : "which function of %s?",
				  question->title);
	status = find_costs(question, function, &costs, &count);
	if (!status && !count)
		status = perun_fail(question->ctx, PERUN_USAGE, "no function %s is left", function);
	if (!status)
		status = write_files(question, function, writer, costs, count);
	perun_free(costs);
	return status;
}
