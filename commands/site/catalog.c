/* SPDX-License-Identifier: BSD-3-Clause */
/* What all pages know of: the metrics with their latest values, and all changes. */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "site.h"

/* Numbers of a small curve; versions of the grid. */
enum { SPARKS = 80, COLUMNS = 40 };

static const char *const answers[] = {
	[PERUN_VERDICT_SAME] = "same",
	[PERUN_VERDICT_INCREASE] = "more",
	[PERUN_VERDICT_DECREASE] = "less",
	[PERUN_VERDICT_UNDECIDED] = "undecided",
};

/* The course of what was measured in up to SPARKS numbers from 0 to 99. */
static void add_sparks(struct perun_buffer *out, const struct site_series *series)
{
	double sums[SPARKS] = {0}, low = INFINITY, high = -INFINITY;
	size_t counts[SPARKS] = {0}, measured = 0, columns, at = 0;

	for (size_t i = 0; i < series->count; i++)
		measured += !isnan(series->values[i]);
	columns = measured < SPARKS ? measured : SPARKS;
	for (size_t i = 0; i < series->count; i++) {
		size_t column;

		if (isnan(series->values[i]))
			continue;
		column = at++ * columns / measured;
		sums[column] += series->values[i];
		counts[column]++;
	}
	for (size_t c = 0; c < columns; c++) {
		sums[c] /= (double)counts[c];
		low = fmin(low, sums[c]);
		high = fmax(high, sums[c]);
	}
	perun_buffer_add_char(out, '[');
	for (size_t c = 0; c < columns; c++)
		perun_buffer_printf(out, "%s%d", c ? "," : "",
				    high > low ? (int)((sums[c] - low) / (high - low) * 99) : 50);
	perun_buffer_add_char(out, ']');
}

/* ---- the grid of commits and metrics --------------------------------------------------------- */

/* The latest measured versions of the line, oldest first. */
struct columns {
	size_t at[COLUMNS], count;
};

static struct columns find_columns(const struct site *site)
{
	struct columns columns = {.count = 0};
	size_t measured = 0, skip;

	for (size_t i = 0; i < site->line; i++)
		measured += site->versions[i].values.count > 0;
	skip = measured > COLUMNS ? measured - COLUMNS : 0;
	for (size_t i = 0; i < site->line; i++) {
		if (!site->versions[i].values.count)
			continue;
		if (skip > 0)
			skip--;
		else
			columns.at[columns.count++] = i;
	}
	return columns;
}

/* The level that a history has at a version: what changes left, not what its runs scattered. */
static double level_at(const struct site_found *found, size_t version)
{
	const struct perun_segmentation *changes = &found->changes;
	double level = changes->count ? changes->points[0].before : 1;

	for (size_t k = 0; k < changes->count && changes->points[k].index <= version; k++)
		level = changes->points[k].after;
	return level;
}

/* What the pages write as a change from 0. */
#define FROM_ZERO 1e9

/* By how much the changes of its parts moved a sum over functions or benchmarks, which has none of its own. */
static double moved_at(const struct site *site, const struct site_page *page, size_t version)
{
	double moved = 0;

	for (size_t k = 1; k < page->count; k++) {
		const struct perun_segmentation *changes = &site->found[page->strands[k]].changes;

		for (size_t i = 0; i < changes->count && changes->points[i].index <= version; i++)
			moved += changes->points[i].after - changes->points[i].before;
	}
	return moved;
}

/* By how many percent levels differ from the first one that is shown, null = not measured. */
static void add_levels(struct perun_buffer *out, const struct site *site,
		       const struct site_page *page, const struct columns *columns)
{
	const struct site_found *found = &site->found[page->strands[0]];
	const bool is_sum = !site->strands[page->strands[0]].history;
	double first = NAN, start = 0;

	perun_buffer_add_char(out, '[');
	for (size_t c = 0; c < columns->count; c++) {
		const size_t version = columns->at[c];
		const double value = found->series.values[version];
		double level, share;

		if (c)
			perun_buffer_add_char(out, ',');
		if (isnan(value)) {
			perun_buffer_add_text(out, "null");
			continue;
		}
		if (isnan(first) && is_sum)
			start = value - moved_at(site, page, version);
		level = is_sum ? start + moved_at(site, page, version) : level_at(found, version);
		first = isnan(first) ? level : first;
		share = first != 0 ? (level - first) / fabs(first) : copysign(FROM_ZERO, level);
		site_add_number(out, level == first ? 0 : round(1000 * share) / 10);
	}
	perun_buffer_add_char(out, ']');
}

static size_t count_open(const struct site *site, const struct site_page *page)
{
	size_t count = 0;

	for (size_t k = 0; k < page->count; k++) {
		const struct site_found *found = &site->found[page->strands[k]];

		for (size_t i = 0; i < found->changes.count; i++)
			count += !found->known[i] && !site_taken_back(site, found, i);
	}
	return count;
}

/* Versions that the level before the latest one is the median of, as in perun_history_latest(). */
enum { LEVEL = 20 };

/* What a sum over functions or benchmarks was before the latest version, as its parts had moved it by then. */
static double level_of_sum(const struct site *site, const struct site_page *page)
{
	const struct site_found *found = &site->found[page->strands[0]];
	size_t before = found->latest.before, count = 0;
	double moved = moved_at(site, page, before), levels[LEVEL];

	for (size_t i = before + 1; i-- > 0 && count < LEVEL;) {
		if (!isnan(found->series.values[i]))
			levels[count++] = found->series.values[i] + moved - moved_at(site, page, i);
	}
	return perun_median_in_place(levels, count);
}

/* A sum over functions or benchmarks has no history of its own: it changed when one of them did. */
static enum perun_answer answer_of(const struct site *site, const struct site_page *page)
{
	const struct site_found *found = &site->found[page->strands[0]];

	for (size_t k = 1; !site->strands[page->strands[0]].history && k < page->count; k++) {
		const struct site_found *part = &site->found[page->strands[k]];

		if (part->latest.version == found->latest.version && site_changed_last(part))
			return part->latest.answer;
	}
	return found->latest.answer;
}

static void add_metric(struct perun_buffer *out, const struct site *site,
		       const struct site_page *page, const struct columns *columns)
{
	const struct site_strand *strand = &site->strands[page->strands[0]];
	const struct site_found *found = &site->found[page->strands[0]];
	const struct perun_latest *latest = &found->latest;
	char name[17];

	site_add_metric(out, site, strand, page->hash);
	site_name(name, strand->hash);
	perun_buffer_printf(out, ",\"strand\":\"%s\",\"blocks\":", name);
	site_add_blocks(out, site, found);
	perun_buffer_add_text(out, ",\"place\":");
	site_add_text(out, strand->location);
	perun_buffer_printf(out, ",\"higher\":%s,\"places\":%zu,\"open\":%zu", site_higher(strand),
			    page->count + page->hidden, count_open(site, page));
	if (latest->version != SIZE_MAX) {
		perun_buffer_printf(out, ",\"at\":%zu,\"last\":", latest->version);
		site_add_number(out, found->series.values[latest->version]);
	}
	if (latest->before != SIZE_MAX) {
		perun_buffer_printf(
			out, ",\"answer\":\"%s\",\"before\":", answers[answer_of(site, page)]);
		site_add_number(out, strand->history ? latest->level : level_of_sum(site, page));
	}
	perun_buffer_add_text(out, ",\"sparks\":");
	add_sparks(out, &found->series);
	perun_buffer_add_text(out, ",\"levels\":");
	add_levels(out, site, page, columns);
	perun_buffer_add_char(out, '}');
}

static void add_version_facts(struct perun_buffer *out, const struct site *site, size_t i)
{
	const struct perun_minor_version *minor = site->versions[i].info;
	char *subject = perun_version_subject(minor);

	perun_buffer_add_text(out, "{\"version\":");
	site_add_text(out, minor->checksum);
	perun_buffer_add_text(out, ",\"subject\":");
	site_add_text(out, subject);
	perun_buffer_add_text(out, ",\"author\":");
	site_add_text(out, minor->author);
	perun_buffer_printf(out, ",\"date\":%" PRId64 "}", minor->date);
	perun_free(subject);
}

static int write_catalog(struct site *site)
{
	const struct columns columns = find_columns(site);
	struct perun_buffer out = {0};
	size_t measured = 0, latest = SIZE_MAX;
	int status;

	for (size_t i = 0; i < site->count; i++) {
		measured += site->versions[i].key != 0;
		if (i < site->line && site->versions[i].values.count)
			latest = i;
	}
	perun_buffer_add_text(&out, "perun(\"catalog\",{\"name\":");
	site_add_text(&out, site->name);
	perun_buffer_add_text(&out, ",\"branch\":");
	site_add_text(&out, site->branch);
	perun_buffer_printf(&out, ",\"line\":%zu,\"others\":%zu,\"measured\":%zu,\"block\":%d",
			    site->line, site->count - site->line, measured, SITE_BLOCK);
	perun_buffer_add_text(&out, ",\"link\":");
	site_add_text(&out, site->link);
	if (latest != SIZE_MAX) {
		perun_buffer_printf(&out, ",\"at\":%zu,\"latest\":", latest);
		add_version_facts(&out, site, latest);
	}
	perun_buffer_add_text(&out, ",\"columns\":[");
	for (size_t c = 0; c < columns.count; c++) {
		perun_buffer_add_text(&out, c ? "," : "");
		add_version_facts(&out, site, columns.at[c]);
	}
	perun_buffer_add_text(&out, "],\"metrics\":[");
	for (size_t p = 0; p < site->page_count; p++) {
		perun_buffer_add_text(&out, p ? ",\n" : "\n");
		add_metric(&out, site, &site->pages[p], &columns);
	}
	perun_buffer_add_text(&out, "]});\n");
	status = site_write(site->ctx, site->files, "data/catalog.js", 0, out.data, out.length);
	perun_buffer_free(&out);
	return status;
}

/* ---- changes --------------------------------------------------------------------------------- */

static int compare_places(const void *one, const void *other)
{
	const struct site_place *a = one, *b = other;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return a->strand != b->strand ? (a->strand < b->strand ? -1 : 1)
				      : (a->change < b->change ? -1 : 1);
}

static void add_change(struct perun_buffer *out, const struct site *site,
		       const struct site_place *place)
{
	const struct site_strand *strand = &site->strands[place->strand];
	const struct site_found *found = &site->found[place->strand];
	const struct perun_change_point *point = &found->changes.points[place->change];
	char name[17];

	site_name(name, site->pages[strand->page].hash);
	perun_buffer_printf(out, "{\"page\":\"%s\",\"place\":", name);
	site_add_text(out, strand->location);
	perun_buffer_printf(out, ",\"at\":%zu,\"first\":%zu,\"end\":%zu,\"before\":", point->index,
			    point->first, point->end);
	site_add_number(out, point->before);
	perun_buffer_add_text(out, ",\"after\":");
	site_add_number(out, point->after);
	perun_buffer_add_text(out, ",\"p\":");
	site_add_number(out, point->p);
	perun_buffer_add_text(out, ",\"weight\":");
	site_add_number(out, place->weight);
	perun_buffer_printf(out, ",\"worse\":%s,\"known\":",
			    strand->undirected ? "null"
			    : perun_change_point_result(point, strand->higher) ==
					    PERUN_RESULT_DEGRADATION
				    ? "true"
				    : "false");
	site_add_known(out, site, found, place->change);
	perun_buffer_add_text(out, ",\"commit\":");
	add_version_facts(out, site, point->index);
	/* Those that were not measured before it may be the change as well. */
	perun_buffer_add_text(out, ",\"commits\":[");
	for (size_t i = site_first_candidate(found, point->index); i <= point->index; i++) {
		add_version_facts(out, site, i);
		perun_buffer_add_text(out, i == point->index ? "" : ",");
	}
	perun_buffer_add_text(out, "]}");
}

/* The page, the place and the version of a change that says nothing of its own. */
static void add_said(struct perun_buffer *out, const struct site *site,
		     const struct site_place *place)
{
	const struct site_strand *strand = &site->strands[place->strand];
	char name[17];

	site_name(name, site->pages[strand->page].hash);
	perun_buffer_printf(out, "{\"page\":\"%s\",\"place\":", name);
	site_add_text(out, strand->location);
	perun_buffer_printf(out, ",\"at\":%zu}",
			    site->found[place->strand].changes.points[place->change].index);
}

/* All changes of the site, the largest first; the caller frees them. */
static struct site_place *find_places(const struct site *site, size_t *count)
{
	struct site_place *places = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t s = 0; s < site->strand_count; s++) {
		const struct perun_segmentation *changes = &site->found[s].changes;

		for (size_t i = 0; i < changes->count; i++) {
			PERUN_GROW(places, *count, capacity);
			places[(*count)++] = (struct site_place){
				(uint32_t)s, (uint32_t)i, site_weight(&changes->points[i]), false};
		}
	}
	site_find_said(site, places, *count);
	if (*count)
		qsort(places, *count, sizeof *places, compare_places);
	return places;
}

/* Either the changes that are listed, or the others. */
static int write_places(struct site *site, const char *name, const struct site_place *places,
			size_t count, bool said)
{
	char *path = perun_format("data/%s.js", name);
	struct perun_buffer out = {0};
	bool any = false;
	int status;

	perun_buffer_printf(&out, "perun(\"%s\",[", name);
	for (size_t i = 0; i < count; i++) {
		if (places[i].said != said)
			continue;
		perun_buffer_add_text(&out, any ? ",\n" : "\n");
		(said ? add_said : add_change)(&out, site, &places[i]);
		any = true;
	}
	perun_buffer_add_text(&out, "]);\n");
	status = site_write(site->ctx, site->files, path, 0, out.data, out.length);
	perun_buffer_free(&out);
	perun_free(path);
	return status;
}

static int write_changes(struct site *site)
{
	size_t count;
	struct site_place *places = find_places(site, &count);
	int status = write_places(site, "changes", places, count, false);

	if (!status)
		status = write_places(site, "said", places, count, true);
	perun_free(places);
	return status;
}

int site_write_catalog(struct site *site)
{
	int status = write_catalog(site);

	return status ? status : write_changes(site);
}
