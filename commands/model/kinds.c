/* SPDX-License-Identifier: BSD-3-Clause */
/* perun model: all that a version or a run measured, as experiments of one kind each. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "model.h"

/* Fewer profiles say nothing of growth. */
#define LEAST 3

struct member {
	char *words;
	struct perun_profile *profile;
	const char *name;
	size_t place;
};

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = strcmp(x->words, y->words);

	return order ? order : (x->place > y->place) - (x->place < y->place);
}

static struct member *sort_members(const struct model_input *input)
{
	struct member *members = perun_alloc_zero(input->count + 1, sizeof *members);

	for (size_t i = 0; i < input->count; i++)
		members[i] = (struct member){perun_experiment_kind(input->profiles[i]),
					     input->profiles[i], input->names[i], i};
	qsort(members, input->count, sizeof *members, compare_members);
	return members;
}

/* Whether numbers of profiles of one kind differ: those of a single size are repetitions, and say nothing of growth either. */
static bool vary(const struct member *members, size_t count)
{
	static const char *const texts[] = {"/header/args", "/header/workload"};

	for (size_t i = 1; i < count; i++)
		for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
			if (strcmp(perun_profile_text(members[i].profile, texts[k]),
				   perun_profile_text(members->profile, texts[k])) != 0)
				return true;
	return false;
}

/* How many members from `first` on are of one kind: an experiment is one of its own. */
static size_t count_alike(const struct member *members, size_t count, size_t first)
{
	size_t end = first + 1;

	if (model_is_experiment(members[first].profile))
		return 1;
	while (end < count && strcmp(members[first].words, members[end].words) == 0 &&
	       !model_is_experiment(members[end].profile))
		end++;
	return end - first;
}

static void add_kind(struct model_input *input, const struct member *members, size_t count)
{
	size_t first = input->kind_count ? input->kinds[input->kind_count - 1].first +
						   input->kinds[input->kind_count - 1].count
					 : 0;

	for (size_t i = 0; i < count; i++) {
		input->profiles[first + i] = perun_profile_ref(members[i].profile);
		input->names[first + i] = members[i].name;
	}
	input->kinds =
		perun_realloc_array(input->kinds, input->kind_count + 1, sizeof *input->kinds);
	input->kinds[input->kind_count++] =
		(struct model_kind){perun_strdup(members->words), first, count};
	input->count = first + count;
}

/* Take the kinds of `least` and more profiles; returns the first member that is none of them, NULL = all are. */
static const struct member *take_kinds(struct model_input *input, const struct member *members,
				       size_t count, size_t least)
{
	const struct member *left = NULL;

	for (size_t i = 0, alike; i < count; i += alike) {
		alike = count_alike(members, count, i);
		if (model_is_experiment(members[i].profile) || count == 1 ||
		    (alike >= least && vary(members + i, alike)))
			add_kind(input, members + i, alike);
		else if (!left || members[i].place < left->place)
			left = &members[i];
	}
	return left;
}

static void warn_of_rest(const struct model_input *input, size_t count, const char *first)
{
	perun_warn(input->ctx,
		   "left out %zu of %zu profiles, of which no three differ in numbers alone: %s%s",
		   count - input->count, count, first, count - input->count > 1 ? ", ..." : "");
}

int model_input_group(struct model_input *input)
{
	struct member *members = sort_members(input);
	size_t count = input->count, most = 0;
	const struct member *left = NULL;
	bool any = count == 1;
	int status = PERUN_OK;

	for (size_t i = 0, alike; i < count; i += alike) {
		alike = count_alike(members, count, i);
		if (vary(members + i, alike))
			most = alike > most ? alike : most;
		any |= most > 0 || model_is_experiment(members[i].profile);
	}
	if (!any)
		status = perun_fail(input->ctx, PERUN_INPUT,
				    "none of the %zu profiles differ in the numbers of their "
				    "arguments or workloads alone, as those of perun run job -b "
				    "PROGRAM -w 100 -w 200 -w 400 do",
				    count);
	if (!status) {
		input->count = 0;
		left = take_kinds(input, members, count, most < LEAST ? 2 : LEAST);
	}
	if (left)
		warn_of_rest(input, count, left->name);
	for (size_t i = 0; i < count; i++) {
		perun_free(members[i].words);
		if (!status)
			perun_profile_unref(members[i].profile);
	}
	perun_free(members);
	return status;
}

size_t model_input_count(const struct model_input *input)
{
	return input->kind_count ? input->kind_count : 1;
}

const char *model_input_title(const struct model_input *input, size_t which)
{
	return input->kind_count > 1 ? input->kinds[which].words : NULL;
}

size_t model_input_find(const struct model_input *input, size_t which,
			const struct model_input *other)
{
	/* Where one side has no kinds, whoever names both says that they belong together. */
	if (!input->kind_count || !other->kind_count ||
	    (input->kind_count == 1 && other->kind_count == 1))
		return which == 0 ? 0 : SIZE_MAX;
	for (size_t i = 0; i < other->kind_count; i++)
		if (strcmp(other->kinds[i].words, input->kinds[which].words) == 0)
			return i;
	return SIZE_MAX;
}
