/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of nodes and paths of files, as pprof prints them. */
#include <inttypes.h>
#include <string.h>

#include "graph.h"

/* ---- paths ------------------------------------------------------------------------------------ */

/* After "/DIR/" where DIR is the last part of one of the source paths; NULL: in none. */
static const char *after_source(const char *sources, const char *file)
{
	struct perun_buffer want = {0};
	const char *found = NULL;

	while (sources && *sources && !found) {
		size_t length = strcspn(sources, ":");
		char *one = perun_strndup(sources, length);

		perun_buffer_clear(&want);
		perun_buffer_add_char(&want, '/');
		pprof_add_base_name(one, &want);
		perun_buffer_add_char(&want, '/');
		found = strstr(file, want.data);
		if (found)
			found += want.length;
		perun_free(one);
		sources += length + (sources[length] == ':');
	}
	perun_buffer_free(&want);
	return found;
}

/* Whether the file begins with the prefix and a slash; returns what follows, or NULL. */
static const char *after_prefix(const char *file, const char *prefix, size_t length)
{
	if (strncmp(file, prefix, length) != 0)
		return NULL;
	if (length > 0 && prefix[length - 1] == '/')
		return file + length;
	return file[length] == '/' ? file + length + 1 : NULL;
}

const char *pprof_trim_path(const struct pprof_paths *paths, const char *file)
{
	static const char *const built[] = {"/proc/self/cwd/./", "/proc/self/cwd/"};
	const char *prefix = paths->trim ? paths->trim : "", *found;

	if (!*prefix && (found = after_source(paths->source, file)) != NULL)
		return found;
	while (*prefix) {
		size_t length = strcspn(prefix, ":");

		found = after_prefix(file, prefix, length);
		if (found)
			return found;
		prefix += length + (prefix[length] == ':');
	}
	for (size_t i = 0; i < 2; i++) {
		found = after_prefix(file, built[i], strlen(built[i]));
		if (found)
			return found;
	}
	return file;
}

const char *pprof_clean_path(void *data, const char *file)
{
	struct pprof_paths *paths = data;

	file = pprof_trim_path(paths, file);
	if (!*file)
		return "";
	perun_buffer_clear(&paths->text);
	pprof_add_clean_path(file, &paths->text);
	return paths->text.data;
}

/* ---- names ------------------------------------------------------------------------------------ */

static void glue_to(struct perun_buffer *out, size_t start, const char *glue)
{
	if (out->length > start)
		perun_buffer_add_text(out, glue);
}

void pprof_add_node_name(const struct perun_profile *profile, const struct perun_frame *frame,
			 const char *name, const char *file, const char *glue,
			 struct perun_buffer *out)
{
	size_t start = out->length;

	if (frame->address)
		perun_buffer_printf(out, "%016" PRIx64, frame->address);
	if (*name) {
		glue_to(out, start, glue);
		perun_buffer_add_text(out, name);
	}
	if (frame->line) {
		glue_to(out, start, glue);
		perun_buffer_printf(out, "%s:%" PRId64, file, frame->line);
		if (frame->column)
			perun_buffer_printf(out, ":%" PRId64, frame->column);
	} else if (*file) {
		glue_to(out, start, glue);
		perun_buffer_add_text(out, file);
	} else if (*name) {
		return;
	} else if (frame->object) {
		glue_to(out, start, glue);
		perun_buffer_add_char(out, '[');
		pprof_add_base_name(perun_profile_string(profile, frame->object, NULL), out);
		perun_buffer_add_char(out, ']');
	} else {
		glue_to(out, start, glue);
		perun_buffer_add_text(out, "<unknown>");
	}
}

const char *pprof_node_file(struct pprof_graph *graph, uint32_t node)
{
	perun_id file = graph->frames[node].file;

	if (!file)
		return "";
	return pprof_clean_path(graph->paths,
				perun_profile_string(graph->report->profile, file, NULL));
}

const char *pprof_node_name(struct pprof_graph *graph, uint32_t node)
{
	const struct perun_frame *frame = &graph->frames[node];
	struct perun_buffer text = {0};

	if (graph->names[node])
		return graph->names[node];
	pprof_add_node_name(graph->report->profile, frame,
			    perun_profile_string(graph->report->profile, frame->name, NULL),
			    pprof_node_file(graph, node), " ", &text);
	return graph->names[node] = perun_buffer_take(&text);
}
