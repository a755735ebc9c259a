/* SPDX-License-Identifier: BSD-3-Clause */
/* What the search for lines found, in files: a patch, a page, and what the site shows. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/page.h>
#include <perun/lib/path.h>
#include <perun/lib/program.h>

#include "commands/bisect/bisect.h"
#include "commands/common/interleave-print.h"
#include "commands/common/lines-diff.h"

/* Written aside first: the file is the old one or the new one. */
static int write_file(struct perun_ctx *ctx, const char *path, const struct perun_buffer *text)
{
	char *aside = perun_format("%s.new-%ld", path, (long)getpid());
	int file = perun_path_open(aside, O_WRONLY | O_CREAT | O_EXCL, 0666);
	bool failed = file < 0;
	size_t done = 0;
	int status = PERUN_OK;

	while (!failed && done < text->length) {
		ssize_t put = write(file, text->data + done, text->length - done);

		failed = put < 0;
		done += failed ? 0 : (size_t)put;
	}
	if (file >= 0 && close(file) < 0)
		failed = true;
	if (!failed && perun_path_rename(aside, path) < 0)
		failed = true;
	if (failed) {
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s", path);
		if (file >= 0)
			perun_path_unlink(aside);
	}
	perun_free(aside);
	return status;
}

/* ---- the patch ------------------------------------------------------------------------------- */

static void add_lines(struct perun_buffer *out, char sign, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		perun_buffer_printf(out, "%c%.*s\n", sign, (int)length, text);
		if (!text[length])
			perun_buffer_add_text(out, "\\ No newline at end of file\n");
		text += length + (text[length] == '\n');
	}
}

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; *text; text += text[strcspn(text, "\n")] ? strcspn(text, "\n") + 1 : strlen(text))
		count++;
	return count;
}

/* Lines around a hunk, by which it is found where the file was changed since. */
enum { CONTEXT = 3 };

/* A file of the commit, and the changes of it that are taken back. */
struct reverted {
	const struct perun_dissect_change **changes;
	size_t count;
	struct perun_words lines; /* of the file, each with its end */
};

static void split_lines(const char *text, struct perun_words *lines)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		length += text[length] == '\n';
		perun_words_add(lines, text, length);
		text += length;
	}
}

/* The first line that a change has in the commit, or that comes after it, from 0 on. */
static size_t first_line(const struct perun_dissect_change *change)
{
	return change->new_start - (change->new_lines > 0);
}

static bool fits(const struct reverted *file, const struct perun_dissect_change *change)
{
	const char *text = change->added;

	for (size_t i = 0; i < change->new_lines; i++) {
		size_t line = first_line(change) + i, length;

		if (line >= file->lines.count)
			return false;
		length = strlen(file->lines.items[line]);
		if (strncmp(text, file->lines.items[line], length) != 0)
			return false;
		text += length;
	}
	return first_line(change) <= file->lines.count;
}

/* The lines of the file as the commit has it; none where they are not what was searched. */
static void read_lines(const struct found_lines *found, struct reverted *file)
{
	char *path = perun_dissect_path(found->search, file->changes[0]->file);
	struct perun_buffer text = {0};
	bool right = perun_path_read(path, &text) == 0;

	if (right)
		split_lines(text.data ? text.data : "", &file->lines);
	for (size_t i = 0; right && i < file->count; i++)
		right = fits(file, file->changes[i]);
	if (!right)
		perun_words_free(&file->lines);
	perun_buffer_free(&text);
	perun_free(path);
}

static void add_context(struct perun_buffer *out, const struct reverted *file, size_t from,
			size_t to)
{
	for (; from < to; from++)
		add_lines(out, ' ', file->lines.items[from]);
}

/* The reverse of changes that are near each other; `*shift` is by how many lines those before moved what follows. */
static void add_hunk(struct perun_buffer *out, const struct reverted *file, size_t first,
		     size_t count, int64_t *shift)
{
	const struct perun_dissect_change *const *changes = file->changes + first;
	const struct perun_dissect_change *last = changes[count - 1];
	bool context = file->lines.count > 0;
	size_t before = first_line(changes[0]), after = first_line(last) + last->new_lines;
	size_t from = context ? before - (before < CONTEXT ? before : CONTEXT) : before;
	size_t to = context && after + CONTEXT < file->lines.count ? after + CONTEXT
		    : context                                      ? file->lines.count
								   : after;
	int64_t more = 0, start = (int64_t)from + *shift;

	for (size_t i = 0; i < count; i++)
		more += (int64_t)changes[i]->old_lines - (int64_t)changes[i]->new_lines;
	/* A side without lines has the number of the line before. */
	perun_buffer_printf(out, "@@ -%zu,%zu +%lld,%lld @@\n", from + (to > from), to - from,
			    (long long)(start + ((int64_t)(to - from) + more > 0)),
			    (long long)((int64_t)(to - from) + more));
	for (size_t i = 0; i < count; i++) {
		add_context(out, file, from, first_line(changes[i]));
		add_lines(out, '-', changes[i]->added);
		add_lines(out, '+', changes[i]->removed);
		from = first_line(changes[i]) + changes[i]->new_lines;
	}
	add_context(out, file, from, to);
	*shift += more;
}

/* All hunks of a file: changes whose context meets are one. */
static void add_hunks(struct perun_buffer *out, const struct found_lines *found,
		      struct reverted *file)
{
	int64_t shift = 0;
	size_t count;

	read_lines(found, file);
	for (size_t first = 0; first < file->count; first += count) {
		for (count = 1; file->lines.count && first + count < file->count; count++) {
			const struct perun_dissect_change *last = file->changes[first + count - 1];

			if (first_line(file->changes[first + count]) >
			    first_line(last) + last->new_lines + 2 * CONTEXT)
				break;
		}
		add_hunk(out, file, first, count, &shift);
	}
	perun_words_free(&file->lines);
}

/* The permissions that git keeps of a file of the commit. */
static bool is_executable(const struct found_lines *found, const char *file)
{
	char *path = perun_dissect_path(found->search, file);
	bool executable = access(path, X_OK) == 0;

	perun_free(path);
	return executable;
}

/* A file that was added goes, one that was removed comes back; names and permissions are what they were. */
static void add_whole(struct perun_buffer *out, const struct found_lines *found,
		      const struct perun_dissect_change *change)
{
	const char *file = change->file;
	bool executable = is_executable(found, file);

	if (change->kind == PERUN_DISSECT_CHANGE_ADDED) {
		perun_buffer_printf(out,
				    "deleted file mode 100%s\n--- a/%s\n+++ /dev/null\n@@ -1,%zu "
				    "+0,0 @@\n",
				    executable ? "755" : "644", file, count_lines(change->added));
		add_lines(out, '-', change->added);
	} else if (change->kind == PERUN_DISSECT_CHANGE_REMOVED) {
		perun_buffer_printf(out,
				    "new file mode 100644\n--- /dev/null\n+++ b/%s\n@@ -0,0 "
				    "+1,%zu @@\n",
				    file, count_lines(change->removed));
		add_lines(out, '+', change->removed);
	} else if (change->kind == PERUN_DISSECT_CHANGE_RENAMED) {
		perun_buffer_printf(out, "rename from %s\nrename to %s\n", file, change->old_file);
	} else if (change->kind == PERUN_DISSECT_CHANGE_MODE) {
		perun_buffer_printf(out, "old mode 100%s\nnew mode 100%s\n",
				    executable ? "755" : "644", executable ? "644" : "755");
	}
}

/* Whether a patch can say it: it has no content of files that are not texts. */
static bool is_text_change(const struct perun_dissect_change *change)
{
	return change->kind == PERUN_DISSECT_CHANGE_ADDED ? *change->added != 0
	       : change->kind == PERUN_DISSECT_CHANGE_REMOVED
		       ? *change->removed != 0
		       : change->kind != PERUN_DISSECT_CHANGE_REPLACED;
}

static bool is_reverted(const struct perun_dissect_change *change)
{
	return change->role == PERUN_DISSECT_GUILTY || change->role == PERUN_DISSECT_NEEDED;
}

/* What is taken back of the file that change `from` is in; the number of the first change of the next file. */
static size_t add_file(struct perun_ctx *ctx, const struct found_lines *found, size_t from,
		       const char *path, struct perun_buffer *out)
{
	size_t count = perun_dissect_changes(found->search), i = from;
	const char *name = perun_dissect_change(found->search, from)->file, *old = NULL;
	struct reverted file = {.changes = perun_alloc_zero(count + 1, sizeof *file.changes)};

	for (; i < count; i++) {
		const struct perun_dissect_change *change = perun_dissect_change(found->search, i);

		if (strcmp(change->file, name) != 0)
			break;
		if (!is_reverted(change))
			continue;
		if (!is_text_change(change)) {
			perun_warn(ctx, "%s: this change of %s is not in the patch", path, name);
			continue;
		}
		if (!old)
			perun_buffer_printf(out, "diff --git a/%s b/%s\n", name, change->old_file);
		old = change->old_file;
		if (change->kind == PERUN_DISSECT_CHANGE_LINES)
			file.changes[file.count++] = change;
		else
			add_whole(out, found, change);
	}
	if (file.count) {
		perun_buffer_printf(out, "--- a/%s\n+++ b/%s\n", name, old);
		add_hunks(out, found, &file);
	}
	perun_free(file.changes);
	return i;
}

int lines_write_patch(struct perun_ctx *ctx, const struct found_lines *found, const char *path)
{
	struct perun_buffer out = {0};
	int status;

	for (size_t i = 0; i < perun_dissect_changes(found->search);)
		i = add_file(ctx, found, i, path, &out);
	status = write_file(ctx, path, &out);
	perun_buffer_free(&out);
	return status;
}

/* ---- the page -------------------------------------------------------------------------------- */

static const char style[] =
	":root{color-scheme:light dark}"
	"body{font:16px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;"
	"color:light-dark(#1f2328,#e6e8eb);background:light-dark(#fff,#17181a);"
	"padding:0 1rem}h1{font-size:1.4rem}.facts{color:light-dark(#57606a,#9198a1)}"
	".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem}"
	"td,th{padding:0 .6rem;text-align:left;vertical-align:top}code{white-space:pre}"
	".cost,.number{text-align:right;color:light-dark(#57606a,#9198a1);"
	"font-variant-numeric:tabular-nums;white-space:nowrap}"
	".plain .cost{display:none}a{color:light-dark(#0550ae,#79b8ff)}"
	".file td{font-weight:bold;padding-top:1rem}.head td{padding-top:.5rem}"
	".added code{color:light-dark(#116329,#7ee787)}"
	".removed code{color:light-dark(#82071e,#ffa198)}"
	".guilty{background:light-dark(#ffebe9,#67060c66);box-shadow:inset .25rem 0 #cf222e}"
	".needed,.open{background:light-dark(#fff8c5,#4d380066);"
	"box-shadow:inset .25rem 0 #bf8700}"
	"@media(max-width:40rem){body{margin:1rem auto}table{font-size:.75rem}td,th{"
	"padding:0 .25rem}code{white-space:pre-wrap;overflow-wrap:anywhere}}";

static void add_head(struct perun_buffer *out, const struct found_lines *found)
{
	struct perun_page_policy policy = {0};

	perun_buffer_add_text(out,
			      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
	perun_page_allow_style(&policy, style, sizeof style - 1);
	perun_page_add_policy(&policy, out);
	perun_buffer_add_text(out, "<meta name=\"viewport\" content=\"width=device-width\">");
	perun_buffer_printf(out,
			    "<title>What made %.12s %s</title><style>%s</style></head><body><main>"
			    "\n",
			    found->head ? found->head : "the work tree",
			    commands_interleave_word(found->interleave, found->better), style);
}

static void add_summary(struct perun_buffer *out, const struct found_lines *found)
{
	const struct perun_dissect_facts *facts = perun_dissect_facts(found->search);
	size_t count = perun_dissect_changes(found->search),
	       shown = lines_count(found, PERUN_DISSECT_GUILTY);

	if (!shown)
		shown = lines_count(found, PERUN_DISSECT_OPEN);
	perun_buffer_printf(out, "<h1>%zu of %zu change%s of %.12s made it %s</h1>\n", shown, count,
			    count == 1 ? "" : "s", found->head ? found->head : "the work tree",
			    commands_interleave_word(found->interleave, found->better));
	perun_buffer_printf(out, "<p class=\"facts\">against %.12s: %s %+.*f %%", found->base,
			    facts->metric, lines_decimals(facts),
			    100 * (facts->head / facts->base - 1));
	if (lines_is_trivial(found)) {
		perun_buffer_add_text(out, "</p>\n");
		return;
	}
	perun_buffer_printf(out, "; %zu build%s, %zu runs", facts->builds,
			    facts->builds == 1 ? "" : "s", facts->runs);
	if (isfinite(facts->alone))
		perun_buffer_printf(out, "; these changes alone have %.0f %% of it",
				    round(100 * facts->alone) + 0.0);
	if (isfinite(facts->rest))
		perun_buffer_printf(out, ", the commit without them %.0f %%",
				    round(100 * facts->rest) + 0.0);
	perun_buffer_add_text(out, "</p>\n");
}

int lines_write_page(struct perun_ctx *ctx, const struct found_lines *found, const char *path)
{
	struct perun_json *document = lines_describe(found, true);
	struct perun_buffer out = {0};
	int status;

	add_head(&out, found);
	add_summary(&out, found);
	commands_lines_add(&out, document);
	perun_buffer_add_text(&out, "</main></body></html>\n");
	status = write_file(ctx, path, &out);
	perun_buffer_free(&out);
	perun_json_free(document);
	return status;
}

/* ---- for the site ---------------------------------------------------------------------------- */

void lines_keep(const struct found_lines *found)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_json *document = lines_describe(found, true);
	struct perun_buffer text = {0};
	struct perun_json_writer *writer = perun_json_writer_new(&text, PERUN_JSON_COMPACT, 0);
	char *path = found->head ? commands_lines_path(found->store, found->head) : NULL;

	perun_json_write_value(writer, document);
	if (!perun_json_writer_finish(writer) && path &&
	    perun_path_ensure_parents(path, 0777) == 0)
		write_file(quiet, path, &text);
	perun_free(path);
	perun_buffer_free(&text);
	perun_json_free(document);
	perun_ctx_free(quiet);
}
