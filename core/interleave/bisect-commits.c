/* SPDX-License-Identifier: BSD-3-Clause */
/* The commits of a search: which may be guilty, and which to try next. */
#include <config.h>

#include <string.h>

#include "core/interleave/bisect.h"

/* Up to this number of places are tried for one that halves the suspects. */
#define MAX_TRIED 256

/* ---- loading --------------------------------------------------------------------------------- */

/* Parents by name, until all versions are known. */
struct loading {
	struct perun_bisect *bisect;
	struct names {
		char **items;
		size_t count;
	} * parents;
	size_t capacity;
};

static int keep_version(void *data, const struct perun_minor_version *version)
{
	struct loading *loading = data;
	struct perun_bisect *bisect = loading->bisect;
	struct names names = {.count = version->parent_count};
	size_t place = bisect->count;

	PERUN_GROW(bisect->commits, bisect->count, bisect->capacity);
	bisect->commits[place] = (struct commit){
		.facts = {.struct_size = sizeof(struct perun_bisect_commit),
			  .checksum = perun_strdup(version->checksum),
			  .subject = perun_strndup(version->description,
						   strcspn(version->description, "\r\n")),
			  .suspect = true}};
	PERUN_GROW(loading->parents, bisect->count, loading->capacity);
	names.items = perun_alloc_zero(names.count + 1, sizeof *names.items);
	for (size_t i = 0; i < names.count; i++)
		names.items[i] = perun_strdup(version->parents[i]);
	loading->parents[place] = names;
	bisect->count++;
	return PERUN_OK;
}

/* Parents come after their children, mostly not far. */
static size_t find_commit(const struct perun_bisect *bisect, const char *checksum, size_t start)
{
	for (size_t i = 0; i < bisect->count; i++) {
		size_t at = (start + i) % bisect->count;

		if (strcmp(bisect->commits[at].facts.checksum, checksum) == 0)
			return at;
	}
	return SIZE_MAX;
}

static void link_parents(struct loading *loading)
{
	struct perun_bisect *bisect = loading->bisect;

	for (size_t i = 0; i < bisect->count; i++) {
		struct commit *commit = &bisect->commits[i];
		struct names *names = &loading->parents[i];

		commit->parents = perun_alloc_zero(names->count + 1, sizeof *commit->parents);
		for (size_t k = 0; k < names->count; k++) {
			size_t parent = find_commit(bisect, names->items[k], i);

			if (parent != SIZE_MAX)
				commit->parents[commit->parent_count++] = parent;
			perun_free(names->items[k]);
		}
		perun_free(names->items);
	}
	perun_free(loading->parents);
}

int bisect_load(struct perun_ctx *ctx, struct perun_bisect *bisect, struct perun_vcs *vcs,
		const char *good, const char *bad)
{
	struct loading loading = {.bisect = bisect};
	int status = perun_vcs_walk_range(ctx, vcs, good, bad, keep_version, &loading);

	link_parents(&loading);
	if (status)
		return status;
	bisect->last = bisect->count ? find_commit(bisect, bad, 0) : SIZE_MAX;
	if (bisect->last == SIZE_MAX)
		return perun_fail(ctx, PERUN_USAGE,
				  "there is no commit between %.8s and %.8s: the good version "
				  "comes first",
				  good, bad);
	return PERUN_OK;
}

/* ---- narrowing ------------------------------------------------------------------------------- */

/* Mark a suspect and those of its ancestors that are; how many these are. */
static size_t mark(const struct perun_bisect *bisect, size_t from, bool *marks)
{
	size_t *stack = perun_alloc_zero(bisect->count + 1, sizeof *stack), count = 0, height = 0;

	memset(marks, 0, bisect->count * sizeof *marks);
	stack[height++] = from;
	marks[from] = true;
	while (height) {
		const struct commit *commit = &bisect->commits[stack[--height]];

		count += commit->facts.suspect;
		for (size_t i = 0; i < commit->parent_count; i++) {
			size_t parent = commit->parents[i];

			if (!marks[parent]) {
				marks[parent] = true;
				stack[height++] = parent;
			}
		}
	}
	perun_free(stack);
	return count;
}

static size_t count_suspects(const struct perun_bisect *bisect)
{
	size_t count = 0;

	for (size_t i = 0; i < bisect->count; i++)
		count += bisect->commits[i].facts.suspect;
	return count;
}

bool bisect_choose(const struct perun_bisect *bisect, size_t *next)
{
	bool *marks = perun_alloc_zero(bisect->count + 1, sizeof *marks);
	size_t all = count_suspects(bisect), best = 0, stride = all / MAX_TRIED + 1, seen = 0;

	for (size_t i = 0; i < bisect->count; i++) {
		const struct commit *commit = &bisect->commits[i];
		size_t below, worth;

		if (!commit->facts.suspect || commit->skipped || i == bisect->last)
			continue;
		if (seen++ % stride && best)
			continue;
		below = mark(bisect, i, marks);
		worth = below < all - below ? below : all - below;
		if (worth > best) {
			best = worth;
			*next = i;
		}
	}
	perun_free(marks);
	return best > 0;
}

void bisect_narrow(struct perun_bisect *bisect, size_t tried, enum perun_bisect_answer answer)
{
	bool *marks = perun_alloc_zero(bisect->count + 1, sizeof *marks);

	mark(bisect, tried, marks);
	if (answer == PERUN_BISECT_SLOW)
		bisect->last = tried;
	for (size_t i = 0; i < bisect->count; i++) {
		if (answer == PERUN_BISECT_SLOW)
			bisect->commits[i].facts.suspect &= marks[i];
		else if (answer == PERUN_BISECT_FAST)
			bisect->commits[i].facts.suspect &= !marks[i];
	}
	if (answer == PERUN_BISECT_OPEN || answer == PERUN_BISECT_UNBUILT)
		bisect->commits[tried].skipped = true;
	perun_free(marks);
}
