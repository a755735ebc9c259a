/* SPDX-License-Identifier: BSD-3-Clause */
/* Which changes need others to build, from what they say. */
#include <config.h>

#include <string.h>

#include <perun/lib/path.h>

#include "core/dissect/file-kinds.h"
#include "core/dissect/mentions.h"
#include "core/dissect/needs.h"

/* ---- needs ----------------------------------------------------------------------------------- */

/* Where a change is, or would be, among the ones that are needed, which are in order. */
static size_t find_place(const struct needed *needed, size_t change)
{
	size_t low = 0, high = needed->count;

	/* They mostly come in order. */
	if (high && needed->items[high - 1].change < change)
		return high;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (needed->items[middle].change < change)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool needs_add(struct needs *needs, size_t change, size_t other, bool proved)
{
	struct needed *needed = &needs->of[change];
	size_t place = find_place(needed, other);
	struct need *need;

	if (change == other)
		return false;
	if (place < needed->count && needed->items[place].change == other) {
		bool more = proved && !needed->items[place].proved;

		needed->items[place].proved |= proved;
		return more;
	}
	PERUN_GROW(needed->items, needed->count, needed->capacity);
	need = &needed->items[place];
	memmove(need + 1, need, (needed->count++ - place) * sizeof *need);
	*need = (struct need){other, proved};
	needs->known++;
	return true;
}

static void add_both(struct needs *needs, size_t one, size_t other)
{
	needs_add(needs, one, other, false);
	needs_add(needs, other, one, false);
}

void needs_copy(const struct needs *needs, struct needs *copy)
{
	*copy = *needs;
	copy->of = perun_memdup(needs->of, (needs->count + 1) * sizeof *needs->of);
	for (size_t i = 0; i < needs->count; i++) {
		const struct needed *needed = &needs->of[i];

		copy->of[i].capacity = needed->count;
		copy->of[i].items =
			needed->count
				? perun_memdup(needed->items, needed->count * sizeof(struct need))
				: NULL;
	}
}

void needs_free(struct needs *needs)
{
	for (size_t i = 0; i < needs->count; i++)
		perun_free(needs->of[i].items);
	perun_free(needs->of);
	*needs = (struct needs){0};
}

void needs_close(const struct needs *needs, const bool *within, bool proved, bool *set)
{
	size_t *open = perun_alloc_zero(needs->count + 1, sizeof *open), count = 0;

	for (size_t i = 0; i < needs->count; i++) {
		if (set[i])
			open[count++] = i;
	}
	while (count) {
		const struct needed *needed = &needs->of[open[--count]];

		for (size_t i = 0; i < needed->count; i++) {
			size_t other = needed->items[i].change;

			if (set[other] || !within[other] || (proved && !needed->items[i].proved))
				continue;
			set[other] = true;
			open[count++] = other;
		}
	}
	perun_free(open);
}

void needs_leave_out(const struct needs *needs, size_t change, bool *set)
{
	bool *out = perun_alloc_zero(needs->count + 1, sizeof *out);

	out[change] = true;
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < needs->count; i++) {
			for (size_t k = 0; set[i] && !out[i] && k < needs->of[i].count; k++) {
				if (out[needs->of[i].items[k].change])
					more = out[i] = true;
			}
		}
	}
	for (size_t i = 0; i < needs->count; i++)
		set[i] &= !out[i];
	perun_free(out);
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_same_function(const struct changes *changes, size_t one, size_t other)
{
	return changes->file_of[one] == changes->file_of[other] && *changes->items[one].function &&
	       strcmp(changes->items[one].function, changes->items[other].function) == 0;
}

/* Whether what a change defines may be what another one uses. */
static bool reaches(const struct changes *changes, const struct mention *definition, size_t user)
{
	if (definition->imported)
		return changes->file_of[definition->change] == changes->file_of[user];
	return definition->shared || is_same_function(changes, definition->change, user);
}

/* The mentions that a definition reaches, from `*from` to `*to`: all, or its neighbours in the file or function. */
static void find_reach(const struct changes *changes, const struct mention *mentions, size_t count,
		       size_t definition, size_t *from, size_t *to)
{
	*from = definition;
	*to = definition + 1;
	while (*from && reaches(changes, &mentions[definition], mentions[*from - 1].change))
		--*from;
	while (*to < count && reaches(changes, &mentions[definition], mentions[*to].change))
		++*to;
}

/* A name that is on one side only: the commit brings it, or takes it away. */
static void add_uses(const struct changes *changes, const struct mention *mentions, size_t count,
		     struct needs *needs)
{
	for (size_t i = 0; i < count; i++) {
		const struct mention *definition = &mentions[i];
		size_t from = 0, to = 0;

		if (definition->defines)
			find_reach(changes, mentions, count, i, &from, &to);
		for (size_t k = from; k < to; k++) {
			const struct mention *use = &mentions[k];

			if (use->defines)
				continue;
			if (use->added)
				needs_add(needs, use->change, definition->change, false);
			else
				needs_add(needs, definition->change, use->change, false);
		}
	}
}

/* A name that is defined in another way, or at another place: all of that goes together, and with what uses it on both sides. */
static void add_moves(const struct mention *mentions, size_t count, struct needs *needs)
{
	for (size_t i = 0; i < count; i++) {
		const struct mention *before = &mentions[i];

		for (size_t k = 0; before->defines && before->shared && !before->added && k < count;
		     k++) {
			const struct mention *after = &mentions[k];

			if (after->added && after->defines && after->shared)
				add_both(needs, before->change, after->change);
		}
	}
}

static void add_name(const struct changes *changes, const struct mention *mentions, size_t count,
		     struct needs *needs)
{
	size_t added = 0;

	for (size_t i = 0; i < count; i++)
		added += mentions[i].added;
	if (added == 0 || added == count)
		add_uses(changes, mentions, count, needs);
	else
		add_moves(mentions, count, needs);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Whether a text names a file, or what is built from it. */
static bool names_file(const char *text, const char *path, bool build)
{
	const char *name = perun_path_base_name(path), *dot = strrchr(name, '.');
	char *object = dot && build ? perun_format("%.*s.", (int)(dot - name), name) : NULL;
	bool names = strstr(text, name) || (object && strstr(text, object));

	perun_free(object);
	return names;
}

/* Who includes or builds a new file needs it, and a source needs to be built; who removes a file needs that nobody does. */
static void add_file(const struct changes *changes, size_t file, struct needs *needs)
{
	const struct perun_dissect_change *whole = &changes->items[file];
	bool added = whole->kind == PERUN_DISSECT_CHANGE_ADDED;

	for (size_t i = 0; i < changes->count; i++) {
		const struct perun_dissect_change *change = &changes->items[i];
		bool build = file_is_build(change->file);

		if (i == file ||
		    !names_file(added ? change->added : change->removed, whole->file, build))
			continue;
		if (!added || (build && !file_is_header(whole->file)))
			needs_add(needs, file, i, false);
		if (added)
			needs_add(needs, i, file, false);
	}
}

/* Lines of one file go together where it is taken as a whole. */
static void add_files(const struct changes *changes, struct needs *needs)
{
	for (size_t i = 0; i < changes->file_count; i++) {
		const struct changed_file *file = &changes->files[i];

		for (size_t k = 1; file->whole && k < file->count; k++)
			add_both(needs, file->first + k - 1, file->first + k);
	}
	for (size_t i = 0; i < changes->count; i++) {
		if (changes->items[i].kind == PERUN_DISSECT_CHANGE_ADDED ||
		    changes->items[i].kind == PERUN_DISSECT_CHANGE_REMOVED)
			add_file(changes, i, needs);
	}
}

void needs_find(const struct changes *changes, struct needs *needs)
{
	struct mentions mentions;

	*needs = (struct needs){.of = perun_alloc_zero(changes->count + 1, sizeof *needs->of),
				.count = changes->count};
	add_files(changes, needs);
	mentions_list(changes, &mentions);
	for (size_t from = 0, to; from < mentions.count; from = to) {
		const struct mention *first = &mentions.items[from];

		for (to = from + 1; to < mentions.count; to++) {
			const struct mention *next = &mentions.items[to];

			if (next->length != first->length ||
			    memcmp(next->name, first->name, first->length) != 0)
				break;
		}
		add_name(changes, first, to - from, needs);
	}
	mentions_free(&mentions);
}
