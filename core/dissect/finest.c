/* SPDX-License-Identifier: BSD-3-Clause */
/* Guilty changes taken apart into single lines. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "core/dissect/dissect.h"

/* ---- lines ----------------------------------------------------------------------------------- */

static bool is_split(const struct perun_dissect_change *change)
{
	return change->kind == PERUN_DISSECT_CHANGE_LINES && change->role == PERUN_DISSECT_GUILTY &&
	       change->old_lines + change->new_lines > 1 &&
	       (change->old_lines > 1 || change->new_lines > 1);
}

static size_t count_pieces(const struct perun_dissect_change *change)
{
	if (!is_split(change))
		return 1;
	return change->old_lines > change->new_lines ? change->old_lines : change->new_lines;
}

static char *line_at(const char *text, size_t line, size_t count)
{
	if (line >= count)
		return perun_strdup("");
	while (line--)
		text += strcspn(text, "\n") + 1;
	return perun_strndup(text, strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n'));
}

/* Where line `i` of a side is; as git counts, a side without a line has the number of the one before. */
static void place(size_t start, size_t count, size_t i, size_t *at, size_t *lines)
{
	*lines = i < count;
	*at = !count ? start : i < count ? start + i : start + count - 1;
}

static struct perun_dissect_change cut(const struct perun_dissect_change *change, size_t i)
{
	struct perun_dissect_change piece = *change;

	piece.function = perun_strdup(change->function);
	if (!is_split(change)) {
		piece.removed = perun_strdup(change->removed);
		piece.added = perun_strdup(change->added);
		return piece;
	}
	place(change->old_start, change->old_lines, i, &piece.old_start, &piece.old_lines);
	place(change->new_start, change->new_lines, i, &piece.new_start, &piece.new_lines);
	piece.removed = line_at(change->removed, i, change->old_lines);
	piece.added = line_at(change->added, i, change->new_lines);
	piece.share = NAN;
	return piece;
}

/* ---- everything that is numbered by change ---------------------------------------------------- */

/* Old changes by the new ones that they became. */
struct pieces {
	size_t *from; /* of each new one */
	size_t count;
};

static struct pieces list_pieces(const struct changes *changes)
{
	struct pieces pieces = {0};

	for (size_t i = 0; i < changes->count; i++)
		pieces.count += count_pieces(&changes->items[i]);
	pieces.from = perun_alloc_zero(pieces.count + 1, sizeof *pieces.from);
	pieces.count = 0;
	for (size_t i = 0; i < changes->count; i++) {
		for (size_t k = 0; k < count_pieces(&changes->items[i]); k++)
			pieces.from[pieces.count++] = i;
	}
	return pieces;
}

static void spread(const struct pieces *pieces, bool **flags)
{
	bool *more = perun_alloc_zero(pieces->count + 1, sizeof *more);

	for (size_t i = 0; i < pieces->count; i++)
		more[i] = (*flags)[pieces->from[i]];
	perun_free(*flags);
	*flags = more;
}

static size_t spread_index(const struct pieces *pieces, size_t old)
{
	for (size_t i = 0; old != SIZE_MAX && i < pieces->count; i++) {
		if (pieces->from[i] == old)
			return i;
	}
	return SIZE_MAX;
}

static void split_changes(const struct pieces *pieces, struct changes *changes)
{
	struct changes more = {.files = changes->files,
			       .file_count = changes->file_count,
			       .file_capacity = changes->file_capacity,
			       .count = pieces->count,
			       .capacity = pieces->count,
			       .place_capacity = pieces->count};

	more.items = perun_alloc_zero(pieces->count + 1, sizeof *more.items);
	more.file_of = perun_alloc_zero(pieces->count + 1, sizeof *more.file_of);
	for (size_t i = 0, k = 0; i < pieces->count; i++) {
		k = i && pieces->from[i] == pieces->from[i - 1] ? k + 1 : 0;
		more.items[i] = cut(&changes->items[pieces->from[i]], k);
		more.file_of[i] = changes->file_of[pieces->from[i]];
	}
	for (size_t i = 0; i < more.file_count; i++) {
		struct changed_file *file = &more.files[i];
		size_t count = 0;

		for (size_t k = 0; k < more.count; k++)
			count += more.file_of[k] == i;
		file->first = spread_index(pieces, file->first);
		file->rename = spread_index(pieces, file->rename);
		file->mode = spread_index(pieces, file->mode);
		file->count = count;
	}
	changes->files = NULL;
	changes->file_count = 0;
	changes_free(changes);
	*changes = more;
}

static void split(struct perun_dissect *search, const struct pieces *pieces)
{
	double *weights = perun_alloc_zero(pieces->count + 1, sizeof *weights);

	for (size_t i = 0; i < search->trial_count; i++)
		spread(pieces, &search->trials[i].set);
	spread(pieces, &search->tree->present);
	spread(pieces, &search->acquitted);
	for (size_t i = 0; i < pieces->count; i++)
		weights[i] = search->weights[pieces->from[i]];
	perun_free(search->weights);
	search->weights = weights;
	split_changes(pieces, &search->changes);
	needs_free(&search->needs);
	needs_find(&search->changes, &search->needs);
}

/* ---- searching ------------------------------------------------------------------------------- */

static bool splits(const struct perun_dissect *search)
{
	for (size_t i = 0; i < search->changes.count; i++) {
		if (is_split(&search->changes.items[i]))
			return true;
	}
	return false;
}

int finest_run(struct perun_ctx *ctx, struct perun_dissect *search)
{
	struct pieces pieces;
	bool *found;
	int status;

	if (!splits(search))
		return PERUN_OK;
	/* Trees and files of trials are numbered by changes. */
	ahead_free(search);
	kept_forget(search);
	pieces = list_pieces(&search->changes);
	split(search, &pieces);
	found = perun_alloc_zero(pieces.count + 1, sizeof *found);
	for (size_t i = 0; i < pieces.count; i++)
		found[i] = search->changes.items[i].role != PERUN_DISSECT_INNOCENT;
	search->wanted = isfinite(search->facts.alone) ? search->facts.alone / 2 : 0.5;
	status = search_refine(ctx, search, found);
	for (size_t i = 0; i < pieces.count; i++) {
		struct perun_dissect_change *change = &search->changes.items[i];

		if (!found[i] && !status)
			change->role = PERUN_DISSECT_INNOCENT;
	}
	perun_free(pieces.from);
	perun_free(found);
	return status;
}
