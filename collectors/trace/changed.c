/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions whose source changed since a version. A function is a piece of text: the lines that its code comes from, first to last. It is
 * unchanged where the file of that version has the same lines somewhere, wherever they moved to.
 */
#include <config.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/lookup.h>
#include <perun/lib/path.h>
#include <perun/store.h>
#include <perun/vcs.h>

#include "changed.h"

/* A source: as it is, and as it was. */
struct source {
	char *name;
	bool outside;            /* of the project: it does not count */
	struct perun_buffer now; /* a newline before each line, and one at the end */
	struct perun_buffer then;
	size_t *lines; /* where line i + 1 begins in `now` */
	size_t count, capacity;
};

struct changed {
	struct perun_ctx *ctx;
	struct perun_store *store;
	struct perun_vcs *vcs;
	char *version, *folder;
	struct source **sources;
	size_t count, capacity;
};

/* ---- sources ------------------------------------------------------------------------------------ */

static void add_lines(struct source *source, struct perun_buffer *text, const char *bytes,
		      size_t length, bool now)
{
	perun_buffer_add_char(text, '\n');
	for (size_t at = 0; at < length;) {
		const char *end = memchr(bytes + at, '\n', length - at);
		size_t stop = end ? (size_t)(end - bytes) : length;

		if (now) {
			PERUN_GROW(source->lines, source->count, source->capacity);
			source->lines[source->count++] = text->length;
		}
		perun_buffer_add(text, bytes + at, stop - at);
		perun_buffer_add_char(text, '\n');
		at = stop + 1;
	}
}

static bool read_now(struct source *source, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct perun_buffer text = {0};
	bool read = file >= 0 && perun_read_all(file, &text) == 0;

	if (file >= 0)
		close(file);
	if (read)
		add_lines(source, &source->now, text.data ? text.data : "", text.length, true);
	perun_buffer_free(&text);
	return read;
}

/*
 * By what is after the root of the project; in files of a version, which lie elsewhere, by the longest end of the name that the
 * version has.
 */
static bool read_then(struct changed *changed, struct source *source, const char *path)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_buffer text = {0};
	bool found = false;

	for (const char *at = path; at && !found; at = strchr(at, '/')) {
		at += *at == '/';
		perun_buffer_clear(&text);
		if (perun_vcs_read_file(quiet, changed->vcs, changed->version, at, &text, &found))
			found = false;
		perun_ctx_clear(quiet);
	}
	if (found)
		add_lines(source, &source->then, text.data ? text.data : "", text.length, false);
	perun_buffer_free(&text);
	perun_ctx_free(quiet);
	return found;
}

static bool is_inside(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return strncmp(path, folder, length) == 0 && path[length] == '/';
}

static struct source *read_source(struct changed *changed, const char *name)
{
	struct source *source = perun_alloc_zero(1, sizeof *source);
	const char *root = perun_store_root(changed->store);
	char *path =
		*name == '/' ? perun_strdup(name) : perun_format("%s/%s", changed->folder, name);
	const char *inner = is_inside(path, root) ? path + strlen(root) : path;
	bool now = read_now(source, path), then = now && read_then(changed, source, inner);

	source->name = perun_strdup(name);
	/* What the version lacks is new, if it belongs to the project. */
	source->outside =
		!now || (!then && !is_inside(path, root) && !is_inside(path, changed->folder));
	perun_free(path);
	return source;
}

static struct source *find_source(struct changed *changed, const char *name)
{
	for (size_t i = changed->count; i-- > 0;)
		if (strcmp(changed->sources[i]->name, name) == 0)
			return changed->sources[i];
	PERUN_GROW(changed->sources, changed->count, changed->capacity);
	return changed->sources[changed->count++] = read_source(changed, name);
}

/* ---- functions ---------------------------------------------------------------------------------- */

/* Its lines, with the newlines around them, are somewhere in what was. */
static bool is_as_before(const struct source *source, const struct code_piece *piece)
{
	size_t first = (size_t)piece->first, last = (size_t)piece->last, start, end;

	if (last > source->count || !source->then.data)
		return false;
	start = source->lines[first - 1] - 1;
	end = last < source->count ? source->lines[last] : source->now.length;
	return memmem(source->then.data, source->then.length, source->now.data + start,
		      end - start) != NULL;
}

enum changed_state changed_function(struct changed *changed, const struct code *code)
{
	enum changed_state state = CHANGED_UNKNOWN;

	for (size_t i = 0; i < code->piece_count && state != CHANGED_YES; i++) {
		const struct source *source = find_source(changed, code->pieces[i].source);

		if (!source->outside)
			state = is_as_before(source, &code->pieces[i]) ? CHANGED_NOT : CHANGED_YES;
	}
	return state;
}

/* ---- opening ------------------------------------------------------------------------------------ */

int changed_open(struct perun_ctx *ctx, const char *version, const char *folder,
		 struct changed **made)
{
	struct changed *changed = perun_alloc_zero(1, sizeof *changed);
	int status = perun_store_open(ctx, NULL, &changed->store);

	changed->ctx = ctx;
	changed->folder = perun_strdup(folder);
	if (!status)
		status = perun_store_vcs(ctx, changed->store, &changed->vcs);
	if (!status)
		status = perun_lookup_version(ctx, changed->store, version, &changed->version);
	if (status) {
		perun_fail(ctx, PERUN_OK, "--changed-since %s", version);
		changed_free(changed);
		changed = NULL;
	}
	*made = changed;
	return status;
}

void changed_free(struct changed *changed)
{
	if (!changed)
		return;
	for (size_t i = 0; i < changed->count; i++) {
		struct source *source = changed->sources[i];

		perun_buffer_free(&source->now);
		perun_buffer_free(&source->then);
		perun_free(source->lines);
		perun_free(source->name);
		perun_free(source);
	}
	perun_free(changed->sources);
	perun_free(changed->version);
	perun_free(changed->folder);
	perun_store_close(changed->store);
	perun_free(changed);
}
