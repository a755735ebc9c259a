/* SPDX-License-Identifier: BSD-3-Clause */
/* What a search for the lines of a commit found, as a part of a page. */
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include <perun/lib/page.h>
#include <perun/lib/path.h>
#include <perun/lib/units.h>

#include "lines-diff.h"

/* Of a change. */
struct hunk {
	const struct perun_json *object;
	size_t number; /* in the document */
	const char *file, *old_file, *role;
	int64_t starts[2];
};

char *commands_lines_path(struct perun_store *store, const char *version)
{
	return perun_format("%s/cache/lines/%s.json", perun_store_path(store), version);
}

bool commands_has_lines(struct perun_store *store)
{
	char *path = perun_format("%s/cache/lines", perun_store_path(store));
	struct stat info;
	bool has = perun_path_stat(path, &info) == 0;

	perun_free(path);
	return has;
}

static void add_text(struct perun_buffer *out, const char *text, size_t length)
{
	perun_page_add_text(out, text, length, PERUN_PAGE_MARKS);
}

/* Whether the file that a program names, by whatever path, is one of the repository. */
static bool is_file(const char *named, const char *file)
{
	size_t length = strlen(named), size = strlen(file);

	return length >= size && strcmp(named + length - size, file) == 0 &&
	       (length == size || named[length - size - 1] == '/');
}

/* ---- costs ----------------------------------------------------------------------------------- */

/* What a line of a side costs, in ms; NAN = no stack has it. */
static double cost_of(const struct perun_json *document, const char *file, int64_t line, int side)
{
	const struct perun_json *lines = perun_json_get(document, "lines");
	double sum = NAN;

	for (size_t i = 0; i < perun_json_count(lines); i++) {
		const struct perun_json *object = perun_json_at(lines, i);
		int64_t number = 0;
		double cost = 0;

		if (!perun_json_as_int64(perun_json_get(object, "line"), &number) ||
		    number != line || !is_file(perun_json_get_text(object, "file"), file) ||
		    !perun_json_as_double(perun_json_get(object, side ? "after" : "before"),
					  &cost) ||
		    !(cost > 0))
			continue;
		sum = isnan(sum) ? cost : sum + cost;
	}
	return sum;
}

static void add_cost(struct perun_buffer *out, double cost, bool *any)
{
	perun_buffer_add_text(out, "<td class=\"cost\">");
	if (isfinite(cost))
		perun_add_amount(out, cost, "ms");
	*any |= isfinite(cost);
	perun_buffer_add_text(out, "</td>");
}

/* ---- changes --------------------------------------------------------------------------------- */

static void add_side(struct perun_buffer *out, const struct perun_json *document,
		     const struct hunk *hunk, int side, bool *any)
{
	const char *text = perun_json_get_text(hunk->object, side ? "added" : "removed");

	for (int64_t line = hunk->starts[side]; *text; line++) {
		size_t length = strcspn(text, "\n");
		double cost = cost_of(document, side ? hunk->file : hunk->old_file, line, side);

		perun_buffer_printf(out, "<tr class=\"%s %s\">", side ? "added" : "removed",
				    hunk->role);
		add_cost(out, side ? NAN : cost, any);
		add_cost(out, side ? cost : NAN, any);
		perun_buffer_printf(out, "<td class=\"number\">%lld</td><td><code>%c ",
				    (long long)line, side ? '+' : '-');
		add_text(out, text, length);
		perun_buffer_add_text(out, "</code></td></tr>\n");
		text += length + (text[length] == '\n');
	}
}

static const char *describe_role(const struct perun_json *document, const struct hunk *hunk)
{
	bool together = false, sampled = false;

	(void)perun_json_as_bool(perun_json_get(document, "together"), &together);
	(void)perun_json_as_bool(perun_json_get(document, "by_samples"), &sampled);
	if (strcmp(hunk->role, "needed") == 0)
		return "needed to build the others";
	if (strcmp(hunk->role, "open") == 0)
		return "not decided";
	if (sampled)
		return "guilty, as samples say: no part of these changes can be measured";
	return together ? "slow only together with the others" : "guilty";
}

/* `*any` becomes whether one of the lines has a cost. */
static void add_hunk(struct perun_buffer *out, const struct perun_json *document,
		     const struct hunk *hunk, bool *any)
{
	const char *function = perun_json_get_text(hunk->object, "function");
	double share = NAN;

	perun_buffer_printf(out,
			    "<tr class=\"head\" id=\"change-%zu\"><td class=\"cost\"></td>"
			    "<td class=\"cost\"></td><td></td><td>",
			    hunk->number);
	if (*function) {
		perun_buffer_add_text(out, "<code>");
		add_text(out, function, strlen(function));
		perun_buffer_add_text(out, "</code> ");
	}
	if (strcmp(perun_json_get_text(hunk->object, "kind"), "lines") != 0)
		perun_buffer_printf(out, "(%s) ", perun_json_get_text(hunk->object, "kind"));
	perun_json_as_double(perun_json_get(hunk->object, "share"), &share);
	if (strcmp(hunk->role, "guilty") == 0 && isfinite(share) &&
	    strcmp(describe_role(document, hunk), "guilty") == 0)
		perun_buffer_printf(out, "<strong>carries %.0f %% of the change</strong>",
				    round(100 * share) + 0.0);
	else if (strcmp(hunk->role, "innocent") != 0)
		perun_buffer_printf(out, "<strong>%s</strong>", describe_role(document, hunk));
	perun_buffer_add_text(out, "</td></tr>\n");
	for (int side = 0; side < 2; side++)
		add_side(out, document, hunk, side, any);
}

/* Only these, as they are names of classes. */
static const char *role_of(const struct perun_json *object)
{
	static const char *const roles[] = {"guilty", "needed", "open"};
	const char *role = perun_json_get_text(object, "role");

	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
		if (strcmp(role, roles[i]) == 0)
			return roles[i];
	}
	return "innocent";
}

static struct hunk read_hunk(const struct perun_json *hunks, size_t number)
{
	const struct perun_json *object = perun_json_at(hunks, number);
	struct hunk hunk = {.object = object,
			    .number = number,
			    .file = perun_json_get_text(object, "file"),
			    .old_file = perun_json_get_text(object, "old_file"),
			    .role = role_of(object)};

	perun_json_as_int64(perun_json_get(object, "old_start"), &hunk.starts[0]);
	perun_json_as_int64(perun_json_get(object, "new_start"), &hunk.starts[1]);
	return hunk;
}

/* Where guilty changes are below: a commit may have many others. */
static void add_links(struct perun_buffer *out, const struct perun_json *hunks)
{
	size_t count = 0;

	for (size_t i = 0; i < perun_json_count(hunks); i++) {
		const struct hunk hunk = read_hunk(hunks, i);
		long long line = hunk.starts[1] ? hunk.starts[1] : hunk.starts[0];

		if (strcmp(hunk.role, "guilty") != 0)
			continue;
		perun_buffer_printf(out, "%s<a href=\"#change-%zu\">",
				    count++ ? ", " : "<p class=\"places\">Guilty: ", i);
		add_text(out, hunk.file, strlen(hunk.file));
		if (line)
			perun_buffer_printf(out, ":%lld", line);
		perun_buffer_add_text(out, "</a>");
	}
	perun_buffer_add_text(out, count ? "</p>\n" : "");
}

void commands_lines_add(struct perun_buffer *out, const struct perun_json *document)
{
	const struct perun_json *hunks = perun_json_get(document, "hunks");
	const char *last = "";
	struct perun_buffer rows = {0};
	bool costs = false;

	for (size_t i = 0; i < perun_json_count(hunks); i++) {
		const struct hunk hunk = read_hunk(hunks, i);

		if (strcmp(hunk.file, last) != 0) {
			perun_buffer_add_text(&rows, "<tr class=\"file\"><td class=\"cost\"></td>"
						     "<td class=\"cost\"></td><td></td><td>");
			add_text(&rows, hunk.file, strlen(hunk.file));
			perun_buffer_add_text(&rows, "</td></tr>\n");
			last = hunk.file;
		}
		add_hunk(&rows, document, &hunk, &costs);
	}
	if (costs)
		perun_buffer_add_text(out,
				      "<p class=\"facts\">Before and After: what each line costs "
				      "in a run, with what it calls.</p>\n");
	add_links(out, hunks);
	perun_buffer_printf(
		out,
		"<div class=\"wide\" role=\"region\" aria-label=\"Changes\" tabindex=\"0\">"
		"<table class=\"lines%s\"><thead><tr>"
		"<th class=\"cost\">Before</th><th class=\"cost\">After</th><th>Line</th>"
		"<th>Code</th></tr></thead><tbody>\n%s</tbody></table></div>\n",
		costs ? "" : " plain", rows.data ? rows.data : "");
	perun_buffer_free(&rows);
}
