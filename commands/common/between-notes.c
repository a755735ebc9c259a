/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the commits between two versions changed what: what the history of those that were measured says. */
#include <stdlib.h>
#include <string.h>

#include "between-notes.h"
#include "change-line.h"

/* Names of one commit; the rest is a number. */
enum { MAX_NAMES = 4 };

/* A commit of the history that is between the two versions, and what changed at it. */
struct noted {
	struct perun_buffer names;
	size_t count;
};

struct search {
	const struct perun_history *history;
	const struct perun_strand **strands; /* by what they are of */
	size_t count;
	size_t *places; /* of each version of the history that of its commit, SIZE_MAX = not between */
	struct noted *noted; /* of each commit */
};

static int compare_texts(const char *one, const char *other)
{
	return strcmp(one ? one : "", other ? other : "");
}

static int compare_strands(const void *one, const void *other)
{
	const struct perun_strand *a = *(const struct perun_strand *const *)one;
	const struct perun_strand *b = *(const struct perun_strand *const *)other;
	int order = compare_texts(a->location, b->location);

	order = order ? order : compare_texts(a->metric, b->metric);
	return order ? order : compare_texts(a->command, b->command);
}

static void index_strands(struct search *search)
{
	search->count = perun_history_count(search->history);
	search->strands = perun_alloc_zero(search->count + 1, sizeof *search->strands);
	for (size_t i = 0; i < search->count; i++)
		search->strands[i] = perun_history_strand(search->history, i);
	qsort(search->strands, search->count, sizeof *search->strands, compare_strands);
}

static void index_versions(struct search *search, const struct perun_between *between)
{
	const struct perun_version_line *line = perun_history_line(search->history);
	size_t count = perun_version_line_count(line), commits = perun_between_count(between);
	size_t next = count;

	search->places = perun_alloc(count * sizeof *search->places + 1);
	search->noted = perun_alloc_zero(commits + 1, sizeof *search->noted);
	for (size_t i = 0; i < count; i++)
		search->places[i] = SIZE_MAX;
	/* Both have children before their parents; what merges brought in is on no line. */
	for (size_t k = 0; k < commits; k++) {
		const char *commit = perun_between_at(between, k)->checksum;

		for (size_t i = next; i-- > 0 && i + commits >= next;) {
			if (strcmp(perun_version_line_version(line, i)->checksum, commit) == 0) {
				search->places[i] = k;
				next = i;
				break;
			}
		}
	}
}

static const struct perun_strand **find(const struct search *search,
					const struct perun_strand *like)
{
	return search->count ? bsearch(&like, search->strands, search->count,
				       sizeof *search->strands, compare_strands)
			     : NULL;
}

/* "solve with n=4" of "$ prog": comparisons have the case of a sweep with the place, histories with the command. */
static const struct perun_strand **find_case(const struct search *search,
					     const struct perun_strand *like)
{
	const char *with = strstr(like->location, " with ");
	const struct perun_strand **found = NULL;
	struct perun_strand one = *like;
	char *location, *command;

	if (!with)
		return NULL;
	location = perun_strndup(like->location, (size_t)(with - like->location));
	command = perun_format("%s (%s)", like->command ? like->command : "", with + 6);
	one.location = location;
	one.command = command;
	found = find(search, &one);
	perun_free(location);
	perun_free(command);
	return found;
}

/* Note a finding at the commits that the history has changes of its strand at; false when there are none. */
static bool note(struct search *search, const struct perun_stored_change *item)
{
	const struct perun_change *change = item->change;
	const struct perun_strand key = {.struct_size = sizeof key,
					 .location = change->location,
					 .metric = commands_change_metric(change),
					 .command = item->command};
	const struct perun_strand **strand = find(search, &key);
	const struct perun_strand **found = strand ? strand : find_case(search, &key);
	const struct perun_version_line *line = perun_history_line(search->history);
	bool any = false;

	for (size_t i = 0; found && i < (*found)->changes->count; i++) {
		const struct perun_change_point *point = &(*found)->changes->points[i];
		size_t place = search->places[point->index];

		/* What a merge brought in may be the change as well. */
		if (place == SIZE_MAX || perun_strand_result(*found, point) != change->result ||
		    perun_version_line_version(line, point->index)->parent_count > 1 ||
		    perun_last_measured_before(*found, point->index) + 1 != point->index)
			continue;
		if (search->noted[place].count++ < MAX_NAMES)
			commands_add_open_name(item->command, change->location, key.metric, false,
					       &search->noted[place].names);
		any = true;
	}
	return any;
}

static char *text_of(struct noted *noted)
{
	if (noted->count > MAX_NAMES)
		perun_buffer_printf(&noted->names, " and %zu more", noted->count - MAX_NAMES);
	return noted->count ? perun_buffer_take(&noted->names) : NULL;
}

/* Whether all changes of a list, in that order, are noted. */
static bool note_all(struct search *search, const struct perun_findings *findings)
{
	size_t *order = perun_alloc_zero(findings->count + 1, sizeof *order);
	size_t count = commands_order_changes(findings->items, findings->count, order);
	bool all = true;

	for (size_t i = 0; i < count; i++) {
		const struct perun_stored_change *item = &findings->items[order[i]];

		if (perun_result_is_change(item->change->result))
			all &= note(search, item);
	}
	perun_free(order);
	return all;
}

static bool any_changed(const struct perun_findings *findings)
{
	bool any = false;

	for (size_t i = 0; i < findings->count; i++)
		any |= perun_result_is_change(findings->items[i].change->result);
	return any;
}

int commands_note_between(struct perun_ctx *ctx, struct perun_store *store,
			  const struct perun_between *between,
			  const struct perun_findings *findings,
			  struct commands_between_notes *notes)
{
	const size_t commits = perun_between_count(between);
	struct perun_history_options options = {.struct_size = sizeof options,
						.every_metric = true};
	struct perun_history *history = NULL;
	struct search search = {0};
	int status;

	*notes = (struct commands_between_notes){.count = commits};
	if (commits < 2 || !any_changed(findings))
		return PERUN_OK;
	options.range = perun_between_at(between, 0)->checksum;
	status = perun_history_load(ctx, store, &options, &history);
	if (!status)
		status = perun_history_find_changes(ctx, history, NULL, PERUN_HISTORY_DISCOVERIES);
	if (!status) {
		search.history = history;
		index_strands(&search);
		index_versions(&search, between);
		notes->all = note_all(&search, findings);
		notes->texts = perun_alloc_zero(commits, sizeof *notes->texts);
		for (size_t i = 0; i < commits; i++) {
			notes->texts[i] = text_of(&search.noted[i]);
			notes->any |= notes->texts[i] != NULL;
			perun_buffer_free(&search.noted[i].names);
		}
	}
	perun_free((void *)search.strands);
	perun_free(search.places);
	perun_free(search.noted);
	perun_history_free(history);
	if (status && status != PERUN_CANCELLED) { /* what was found is true without it */
		perun_ctx_clear(ctx);
		status = PERUN_OK;
	}
	return status;
}

void commands_between_notes_free(struct commands_between_notes *notes)
{
	for (size_t i = 0; notes->texts && i < notes->count; i++)
		perun_free(notes->texts[i]);
	perun_free(notes->texts);
	*notes = (struct commands_between_notes){0};
}
