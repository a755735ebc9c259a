/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a version: its profiles, and what they measured. */
#include <config.h>

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/compare.h>
#include <perun/lib/path.h>

#include "commands/common/change-line.h"
#include "commands/common/lines-diff.h"
#include "page.h"

/* The same everywhere, so that a site does not depend on where it is written. */
static void format_time(int64_t seconds, char text[32])
{
	time_t time = (time_t)seconds;
	struct tm parts;

	if (!gmtime_r(&time, &parts) || !strftime(text, 32, "%Y-%m-%d %H:%M", &parts))
		text[0] = '\0';
}

static void add_cell(struct perun_buffer *out, const char *text)
{
	perun_buffer_add_text(out, "<td>");
	site_add_markup(out, text);
	perun_buffer_add_text(out, "</td>");
}

/* A cell whose text is never wrapped. */
static void add_narrow_cell(struct perun_buffer *out, const char *text)
{
	perun_buffer_add_text(out, "<td class=\"narrow\">");
	site_add_markup(out, text);
	perun_buffer_add_text(out, "</td>");
}

/* "67.7 ms" of "67.7ms" */
static void add_amount_cell(struct perun_buffer *out, const char *amount)
{
	struct perun_buffer words = {0};

	commands_add_amount(&words, amount);
	add_narrow_cell(out, words.length ? words.data : "");
	perun_buffer_free(&words);
}

/* The first digits of a checksum, which a stored file may have replaced by anything. */
static void add_commit_cell(struct perun_buffer *out, const char *checksum)
{
	char *digits = perun_strndup(checksum, strnlen(checksum, 8));

	perun_buffer_add_text(out, "<td class=\"checksum narrow\">");
	site_add_markup(out, digits);
	perun_buffer_add_text(out, "</td>");
	perun_free(digits);
}

static void add_profile(struct perun_buffer *out, const struct perun_entry *entry,
			const char *views, const char *comparisons)
{
	char time[32],
		*command = perun_format("%s%s%s%s%s", entry->cmd, *entry->args ? " " : "",
					entry->args, *entry->workload ? " " : "", entry->workload);

	format_time((int64_t)entry->time, time);
	perun_buffer_printf(out,
			    "<tr data-profile=\"%s\" data-views=\"%s\" data-comparisons=\"%s\">",
			    entry->checksum, views, comparisons);
	add_cell(out, command);
	add_narrow_cell(out, entry->type);
	add_narrow_cell(out, entry->collector);
	add_narrow_cell(out, entry->postprocessors);
	add_narrow_cell(out, time);
	add_cell(out, entry->path);
	perun_buffer_add_text(out, "</tr>\n");
	perun_free(command);
}

static void add_message(struct perun_buffer *out, const char *description)
{
	const char *rest = strchr(description, '\n');

	while (rest && (*rest == '\n' || *rest == '\r'))
		rest++;
	if (!rest || !*rest)
		return;
	perun_buffer_add_text(out, "<pre class=\"message\">");
	for (const char *line = rest; *line;) {
		size_t length = strcspn(line, "\n");
		char *text = perun_strndup(line, length);

		site_add_markup(out, text);
		perun_buffer_add_char(out, '\n');
		perun_free(text);
		line += length + (line[length] != '\0');
	}
	perun_buffer_add_text(out, "</pre>\n");
}

static void add_heading(struct perun_buffer *out, const struct site *site,
			const struct site_version *version)
{
	const struct perun_minor_version *minor = version->info;
	char *subject = perun_version_subject(minor), date[32];

	format_time(minor->date, date);
	site_page_begin(out, site, "version", subject, false);
	perun_buffer_add_text(out, "<h1>");
	site_add_markup(out, *subject ? subject : minor->checksum);
	perun_buffer_add_text(out, "</h1>\n<p class=\"facts\"><code id=\"checksum\">");
	site_add_markup(out, minor->checksum);
	perun_buffer_add_text(out, "</code><span>");
	site_add_markup(out, minor->author);
	perun_buffer_printf(out, "</span><span>%s</span></p>\n", date);
	add_message(out, minor->description);
	perun_free(subject);
}

/* The measured version before one of the line; NULL = there is none. */
static const char *measured_before(const struct site *site, const struct site_version *version)
{
	for (size_t i = (size_t)(version - site->versions); version->on_line && i-- > 0;) {
		if (site->versions[i].key)
			return site->versions[i].info->checksum;
	}
	return NULL;
}

static int add_profiles(struct perun_buffer *out, struct site *site,
			const struct site_version *version)
{
	const char *before = measured_before(site, version);
	struct perun_entries entries = {0};
	int status = perun_store_entries(site->ctx, site->store, version->info->checksum, &entries);

	if (!status && entries.count) {
		perun_buffer_add_text(out, "<h2>Profiles</h2>\n<div class=\"wide\" role=\"region\" "
					   "aria-label=\"Profiles\" tabindex=\"0\"><table "
					   "id=\"profiles\"><thead><tr><th>Command</th><th>Type"
					   "</th><th>Collector</th><th>Postprocessors</th><th>"
					   "Time</th><th>Source</th></tr></thead><tbody>\n");
		for (size_t i = 0; i < entries.count; i++) {
			const struct perun_entry *entry = perun_entries_at(&entries, i);
			struct perun_buffer views = {0}, comparisons = {0};

			if (site->full && !status)
				status = site_write_views(site, entry, &views);
			if (site->full && !status && before)
				status = site_write_comparisons(
					site, before, version->info->checksum, entry, &comparisons);
			add_profile(out, entry, views.length ? views.data : "",
				    comparisons.length ? comparisons.data : "");
			perun_buffer_free(&views);
			perun_buffer_free(&comparisons);
		}
		perun_buffer_add_text(out, "</tbody></table></div>\n");
	}
	perun_entries_free(&entries);
	return status;
}

static void add_check(struct perun_buffer *out, const struct perun_stored_change *stored)
{
	const struct perun_change *change = stored->change;
	bool worse = perun_result_is_degradation(change->result);
	bool better = perun_result_is_optimization(change->result);

	perun_buffer_printf(out, "<tr><td class=\"narrow %s\">",
			    worse    ? "worse"
			    : better ? "better"
				     : "soft");
	site_add_markup(out, perun_change_words(change));
	perun_buffer_add_text(out, "</td>");
	add_cell(out, change->location);
	add_narrow_cell(out, change->type);
	add_amount_cell(out, change->from_baseline);
	add_amount_cell(out, change->to_target);
	add_cell(out, stored->command);
	add_commit_cell(out, stored->minor);
	perun_buffer_add_text(out, "</tr>\n");
}

/* As perun log lists them. */
static void add_check_rows(struct perun_buffer *out, const struct perun_stored_changes *changes)
{
	struct perun_stored_change *items = perun_alloc_zero(changes->count, sizeof *items);
	size_t *order = perun_alloc_zero(changes->count, sizeof *order), shown;

	for (size_t i = 0; i < changes->count; i++)
		items[i] = *perun_stored_changes_at(changes, i);
	shown = commands_order_changes(items, changes->count, order);
	for (size_t i = 0; i < shown; i++)
		add_check(out, &items[order[i]]);
	perun_free(order);
	perun_free(items);
}

/* What checks said when this version was compared with those before it. */
static int add_checks(struct perun_buffer *out, struct site *site,
		      const struct site_version *version)
{
	struct perun_stored_reader reader = {.ctx = site->ctx, .store = site->store};
	struct perun_stored_findings stored_list;
	int status = perun_stored_findings_load(&reader, version->info->checksum, &stored_list);
	const struct perun_stored_changes changes = stored_list.changes;

	if (!status && changes.count) {
		perun_buffer_add_text(out, "<h2>Checks</h2>\n<div class=\"wide\" role=\"region\" "
					   "aria-label=\"Checks\" tabindex=\"0\"><table "
					   "id=\"checks\"><thead><tr><th>Result</th><th>Where</th>"
					   "<th>Metric</th><th>Before</th><th>After</th><th>Command"
					   "</th><th>Compared with</th></tr></thead><tbody>\n");
		add_check_rows(out, &changes);
		perun_buffer_add_text(out, "</tbody></table></div>\n");
	}
	perun_stored_findings_free(&stored_list);
	perun_stored_reader_end(&reader);
	return status;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* What perun bisect --lines found of a version, in the store's cache; "" = nothing. */
static struct perun_buffer read_lines(const struct site *site, const struct site_version *version)
{
	struct perun_buffer text = {0};
	char *path;

	if (!site->has_lines)
		return text;
	path = commands_lines_path(site->store, version->info->checksum);
	(void)perun_path_read(path, &text);
	perun_free(path);
	return text;
}

/* A file that is not whole is as if it were not there. */
static void add_lines(struct perun_buffer *out, const struct site *site,
		      const struct site_version *version)
{
	struct perun_buffer text = read_lines(site, version);
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_json *document = NULL;

	if (text.length && !perun_json_parse(quiet, text.data, text.length, NULL, &document)) {
		perun_buffer_add_text(out, "<h2>Lines that changed it</h2>\n");
		commands_lines_add(out, document);
	}
	perun_json_free(document);
	perun_ctx_free(quiet);
	perun_buffer_free(&text);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* What was measured last of each strand, before the version that is written. */
struct before {
	double *medians;
};

/* [page, place, median, median before or null, runs, low, high]: the last three if there are repeats. */
static void add_value(struct perun_buffer *out, const struct site *site,
		      const struct site_values *values, size_t k, double before)
{
	const struct site_strand *strand = &site->strands[values->strands[k]];
	size_t runs = values->starts[k + 1] - values->starts[k];
	char name[17];

	site_name(name, site->pages[strand->page].hash);
	perun_buffer_printf(out, "[\"%s\",", name);
	site_add_text(out, strand->location);
	perun_buffer_add_char(out, ',');
	site_add_number(out, values->medians[k]);
	perun_buffer_add_char(out, ',');
	site_add_number(out, before);
	if (runs > 1) {
		size_t starts[] = {0, runs};
		double low, high;
		struct perun_strand strand = {.values = &values->medians[k],
					      .starts = starts,
					      .repeats = values->repeats + values->starts[k],
					      .count = 1};

		perun_strand_interval(&strand, 0, &low, &high);
		perun_buffer_printf(out, ",%zu,", runs);
		site_add_number(out, low);
		perun_buffer_add_char(out, ',');
		site_add_number(out, high);
	}
	perun_buffer_add_char(out, ']');
}

static void add_values(struct perun_buffer *out, const struct site *site,
		       const struct site_version *version, size_t i, const struct before *before)
{
	const struct site_values *values = &version->values;
	bool first = true;

	if (version->on_line)
		perun_buffer_printf(out, "{\"at\":%zu,\"values\":[", i);
	else
		perun_buffer_add_text(out, "{\"values\":[");
	for (size_t k = 0; k < values->count; k++) {
		uint32_t strand = values->strands[k];

		if (!site->strands[strand].shown)
			continue;
		if (!first)
			perun_buffer_add_text(out, ",\n");
		first = false;
		add_value(out, site, values, k, version->on_line ? before->medians[strand] : NAN);
	}
	perun_buffer_add_text(out, "]}");
}

/* What the page is made of; the store's part of it is the key of the index. */
static uint64_t key_of(const struct site *site, const struct site_version *version,
		       const struct before *before)
{
	const struct site_values *values = &version->values;
	uint64_t key = site_hash(version->key, &site->places, sizeof site->places);
	struct perun_buffer lines;
	double *medians;
	size_t count = 0;

	key = site_hash(key, &site->full, sizeof site->full);
	key = site_hash(key, &version->checks, sizeof version->checks);
	lines = read_lines(site, version);
	if (lines.length)
		key = site_hash(key, lines.data, lines.length);
	perun_buffer_free(&lines);

	medians = perun_alloc((values->count + 1) * sizeof *medians);
	for (size_t k = 0; version->on_line && k < values->count; k++) {
		if (site->strands[values->strands[k]].shown)
			medians[count++] = before->medians[values->strands[k]];
	}
	key = site_hash(key, medians, count * sizeof *medians);
	perun_free(medians);
	return key | 1;
}

static int write_version(struct site *site, size_t i, const struct before *before)
{
	struct site_version *version = &site->versions[i];
	char *path = perun_format("version/%s.html", version->info->checksum);
	uint64_t key = key_of(site, version, before);
	struct perun_buffer out = {0}, facts = {0};
	int status = PERUN_OK;

	if (site->full || !site_is_current(site->files, path, key)) {
		add_heading(&out, site, version);
		status = add_profiles(&out, site, version);
		if (!status)
			status = add_checks(&out, site, version);
		if (!status)
			add_lines(&out, site, version);
		add_values(&facts, site, version, i, before);
		site_page_end(&out, &facts);
		if (!status)
			status =
				site_write(site->ctx, site->files, path, key, out.data, out.length);
	}
	perun_buffer_free(&out);
	perun_buffer_free(&facts);
	perun_free(path);
	return status;
}

int site_write_version_pages(struct site *site)
{
	struct before before = {perun_alloc((site->strand_count + 1) * sizeof(double))};
	int status = PERUN_OK;

	for (size_t s = 0; s < site->strand_count; s++)
		before.medians[s] = NAN;
	site->has_lines = commands_has_lines(site->store);
	for (size_t i = 0; !status && i < site->count; i++) {
		const struct site_values *values = &site->versions[i].values;

		if (site->versions[i].key)
			status = write_version(site, i, &before);
		for (size_t k = 0; i < site->line && k < values->count; k++)
			before.medians[values->strands[k]] = values->medians[k];
		if (!status && i % 64 == 0) {
			perun_progress(site->ctx, "pages", i, site->count);
			if (perun_cancelled(site->ctx))
				status = perun_fail(site->ctx, PERUN_CANCELLED, "interrupted");
		}
	}
	perun_progress(site->ctx, "pages", site->count, site->count);
	perun_free(before.medians);
	return status;
}
