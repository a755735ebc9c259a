/* SPDX-License-Identifier: BSD-3-Clause */
/* Guilty changes taken apart into single lines. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/dissect/dissect.h"

/* The most lines of a side that are taken apart. */
enum { MAX_ALIGNED = 500 };

/* ---- lines ----------------------------------------------------------------------------------- */

static bool is_split(const struct perun_dissect_change *change)
{
	return change->kind == PERUN_DISSECT_CHANGE_LINES && change->role == PERUN_DISSECT_GUILTY &&
	       change->old_lines + change->new_lines > 1 &&
	       (change->old_lines > 1 || change->new_lines > 1) &&
	       change->old_lines <= MAX_ALIGNED && change->new_lines <= MAX_ALIGNED;
}

/* A line of each side that go together, or of one side alone: SIZE_MAX = none. */
struct piece {
	size_t from; /* the change that it was */
	size_t old, new;
};

/* Old changes by the new ones that they became. */
struct pieces {
	struct piece *items;
	size_t count, capacity;
};

static void add_piece(struct pieces *pieces, size_t from, size_t old, size_t new)
{
	PERUN_GROW(pieces->items, pieces->count, pieces->capacity);
	pieces->items[pieces->count++] = (struct piece){from, old, new};
}

/* A line without its end. */
struct span {
	const char *text;
	size_t length;
};

static struct span *list_lines(const char *text, size_t count)
{
	struct span *lines = perun_alloc_zero(count + 1, sizeof *lines);

	for (size_t i = 0; i < count; i++) {
		lines[i] = (struct span){text, strcspn(text, "\n")};
		text += lines[i].length + (text[lines[i].length] == '\n');
	}
	return lines;
}

/* How much two lines have in common, by what both begin and end with, blanks aside: from 0 to 1. */
static double similarity(struct span one, struct span other)
{
	size_t begin = 0, end = 0, shorter, longer;

	for (; one.length && isspace((unsigned char)*one.text); one.length--)
		one.text++;
	for (; other.length && isspace((unsigned char)*other.text); other.length--)
		other.text++;
	shorter = one.length < other.length ? one.length : other.length;
	longer = one.length + other.length - shorter;
	while (begin < shorter && one.text[begin] == other.text[begin])
		begin++;
	while (end < shorter - begin &&
	       one.text[one.length - 1 - end] == other.text[other.length - 1 - end])
		end++;
	return longer ? (double)(begin + end) / (double)longer : 1;
}

/* Lines with less in common are not one that was changed. */
#define MIN_SIMILARITY 0.3
/* Needleman and Wunsch's alignment of both sides, where lines may only go together if they are alike. */
static void align(const struct perun_dissect_change *change, size_t from, struct pieces *pieces)
{
	size_t rows = change->old_lines, columns = change->new_lines, old = 0, new = 0;
	double *best = perun_alloc_zero((rows + 1) * (columns + 1), sizeof *best);
	struct span *removed = list_lines(change->removed, rows),
		    *added = list_lines(change->added, columns);

	for (size_t i = rows; i-- > 0;) {
		for (size_t k = columns; k-- > 0;) {
			size_t at = i * (columns + 1) + k;
			double alike = similarity(removed[i], added[k]);

			best[at] = fmax(best[at + 1], best[at + columns + 1]);
			if (alike >= MIN_SIMILARITY)
				best[at] = fmax(best[at], alike + best[at + columns + 2]);
		}
	}
	while (old < rows && new < columns) {
		size_t at = old * (columns + 1) + new;

		if (best[at] == best[at + columns + 1])
			add_piece(pieces, from, old++, SIZE_MAX);
		else if (best[at] == best[at + 1])
			add_piece(pieces, from, SIZE_MAX, new ++);
		else
			add_piece(pieces, from, old++, new ++);
	}
	while (old < rows)
		add_piece(pieces, from, old++, SIZE_MAX);
	while (new < columns)
		add_piece(pieces, from, SIZE_MAX, new ++);
	perun_free(best);
	perun_free(removed);
	perun_free(added);
}

static struct pieces list_pieces(const struct changes *changes)
{
	struct pieces pieces = {0};

	for (size_t i = 0; i < changes->count; i++) {
		if (is_split(&changes->items[i]))
			align(&changes->items[i], i, &pieces);
		else
			add_piece(&pieces, i, SIZE_MAX, SIZE_MAX);
	}
	return pieces;
}

static char *copy_line(const char *text, size_t line)
{
	if (line == SIZE_MAX)
		return perun_strdup("");
	while (line--)
		text += strcspn(text, "\n") + 1;
	return perun_strndup(text, strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n'));
}

/* As git counts, a side without a line has the number of the one before; `done` lines of it were in pieces before. */
static void place(size_t line, size_t done, size_t *start, size_t *lines)
{
	size_t first = *lines ? *start : *start + 1;

	*lines = line != SIZE_MAX;
	*start = *lines ? first + line : first + done - 1;
}

static struct perun_dissect_change cut(const struct perun_dissect_change *change,
				       const struct piece *piece, const size_t done[2])
{
	struct perun_dissect_change part = *change;

	part.function = perun_strdup(change->function);
	if (!is_split(change)) {
		part.removed = perun_strdup(change->removed);
		part.added = perun_strdup(change->added);
		return part;
	}
	place(piece->old, done[0], &part.old_start, &part.old_lines);
	place(piece->new, done[1], &part.new_start, &part.new_lines);
	part.removed = copy_line(change->removed, piece->old);
	part.added = copy_line(change->added, piece->new);
	part.share = NAN;
	return part;
}

/* ---- everything that is numbered by change ---------------------------------------------------- */

static void spread(const struct pieces *pieces, bool **flags)
{
	bool *more = perun_alloc_zero(pieces->count + 1, sizeof *more);

	for (size_t i = 0; i < pieces->count; i++)
		more[i] = (*flags)[pieces->items[i].from];
	perun_free(*flags);
	*flags = more;
}

static size_t spread_index(const struct pieces *pieces, size_t old)
{
	for (size_t i = 0; old != SIZE_MAX && i < pieces->count; i++) {
		if (pieces->items[i].from == old)
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
	size_t done[2];

	more.items = perun_alloc_zero(pieces->count + 1, sizeof *more.items);
	more.file_of = perun_alloc_zero(pieces->count + 1, sizeof *more.file_of);
	for (size_t i = 0; i < pieces->count; i++) {
		const struct piece *piece = &pieces->items[i];

		if (!i || piece->from != piece[-1].from)
			done[0] = done[1] = 0;
		more.items[i] = cut(&changes->items[piece->from], piece, done);
		done[0] += piece->old != SIZE_MAX;
		done[1] += piece->new != SIZE_MAX;
		more.file_of[i] = changes->file_of[pieces->items[i].from];
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
		weights[i] = search->weights[pieces->items[i].from];
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
	bool *within, *found;
	int status;

	if (!splits(search))
		return PERUN_OK;
	/* Trees and files of trials are numbered by changes. */
	ahead_free(search);
	kept_forget(search);
	pieces = list_pieces(&search->changes);
	split(search, &pieces);
	within = perun_alloc_zero(pieces.count + 1, sizeof *within);
	found = perun_alloc_zero(pieces.count + 1, sizeof *found);
	for (size_t i = 0; i < pieces.count; i++)
		within[i] = search->changes.items[i].role != PERUN_DISSECT_INNOCENT;
	search->wanted = isfinite(search->facts.alone) ? search->facts.alone / 2 : 0.5;
	status = search_reduce(ctx, search, within, true, found);
	if (!status)
		status = search_refine(ctx, search, within, found);
	for (size_t i = 0; i < pieces.count; i++) {
		struct perun_dissect_change *change = &search->changes.items[i];

		if (!found[i] && !status)
			change->role = PERUN_DISSECT_INNOCENT;
	}
	perun_free(pieces.items);
	perun_free(within);
	perun_free(found);
	return status;
}
