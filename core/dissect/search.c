/* SPDX-License-Identifier: BSD-3-Clause */
/* The search for the smallest sets of changes that carry a slowdown. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "core/dissect/dissect.h"
#include "core/dissect/subsets.h"

/* A share below this one counts as none, as does a change below the threshold of the comparison. */
#define MIN_SHARE 0.08
/* What is left is searched this number of times, for further sets that carry a part. */
#define MAX_PARTS 8

/* ---- searching ------------------------------------------------------------------------------- */

static int try_set(struct perun_ctx *ctx, void *data, const bool *set,
		   enum perun_dissect_answer *answer)
{
	const struct perun_dissect_trial *trial;
	int status = trial_make(ctx, data, set, false, &trial);

	*answer = trial ? trial->answer : PERUN_DISSECT_UNRESOLVED;
	return status;
}

static void set_roles(struct perun_dissect *search, const bool *set, enum perun_dissect_role role)
{
	for (size_t i = 0; i < search->changes.count; i++) {
		if (set[i])
			search->changes.items[i].role = role;
	}
}

static size_t count_set(const struct perun_dissect *search, const bool *set)
{
	size_t count = 0;

	for (size_t i = 0; i < search->changes.count; i++)
		count += set[i];
	return count;
}

/* Of `candidates`, with `context` there, what is slow; by single changes instead of groups with `single`. */
static int reduce(struct perun_ctx *ctx, struct perun_dissect *search, const bool *candidates,
		  const bool *context, bool single, bool strict, bool *found)
{
	size_t count = search->changes.count;
	struct needs singles = {perun_alloc_zero(count + 1, sizeof *singles.group), count};
	const struct subsets subsets = {.count = count,
					.needs = single ? &singles : &search->needs,
					.weights = search->weights,
					.try = try_set,
					.data = search,
					.left = &search->left,
					.strict = strict};
	bool *none = perun_alloc_zero(count + 1, sizeof *none);
	int status;

	for (size_t i = 0; i < count; i++)
		singles.group[i] = i;
	status = subsets_reduce(ctx, &subsets, candidates, context ? context : none, found);
	perun_free(none);
	needs_free(&singles);
	return status;
}

/* ---- the smallest set ------------------------------------------------------------------------ */

/* A set, what is left out of it, and what is left then. */
struct refining {
	bool *found, *guilty, *needed, *smaller;
};

/* Of the set: what is slow by single changes, for not all of a group need each other. */
static int reduce_singles(struct perun_ctx *ctx, struct perun_dissect *search, bool *found)
{
	bool *fewer = perun_alloc_zero(search->changes.count + 1, sizeof *fewer);
	int status = reduce(ctx, search, found, NULL, true, true, fewer);

	memcpy(found, fewer, search->changes.count * sizeof *found);
	perun_free(fewer);
	return status;
}

static int try_without(struct perun_ctx *ctx, struct perun_dissect *search,
		       const struct refining *refining, const bool *out,
		       enum perun_dissect_answer *answer)
{
	for (size_t i = 0; i < search->changes.count; i++)
		refining->smaller[i] = refining->found[i] && !out[i];
	return try_set(ctx, search, refining->smaller, answer);
}

/* Leave out each group; what goes together is slow or not as a whole. */
static int leave_out_groups(struct perun_ctx *ctx, struct perun_dissect *search,
			    const struct refining *refining)
{
	size_t count = search->changes.count;
	bool *out = perun_alloc_zero(count + 1, sizeof *out);
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count; i++) {
		enum perun_dissect_answer answer;
		size_t size = 0;

		for (size_t k = 0; k < count; k++)
			size += out[k] = refining->found[k] &&
					 search->needs.group[k] == search->needs.group[i];
		if (!refining->found[i] || size < 2 || size == count_set(search, refining->found))
			continue;
		status = try_without(ctx, search, refining, out, &answer);
		if (!status && answer == PERUN_DISSECT_SLOW)
			memcpy(refining->found, refining->smaller, count * sizeof *out);
	}
	perun_free(out);
	return status;
}

/* Leave out each change; those that it does not build without are needed. */
static int leave_out_singles(struct perun_ctx *ctx, struct perun_dissect *search,
			     const struct refining *refining)
{
	size_t count = search->changes.count;
	bool *out = perun_alloc_zero(count + 1, sizeof *out);
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count && count_set(search, refining->found) > 1; i++) {
		enum perun_dissect_answer answer;

		if (!refining->found[i])
			continue;
		search->left = count_set(search, refining->found) + 1;
		out[i] = true;
		status = try_without(ctx, search, refining, out, &answer);
		out[i] = false;
		if (status)
			break;
		if (answer == PERUN_DISSECT_SLOW)
			refining->found[i] = false;
		else if (answer == PERUN_DISSECT_UNRESOLVED)
			refining->needed[i] = true;
	}
	for (size_t i = 0; i < count; i++) {
		refining->needed[i] &= refining->found[i];
		refining->guilty[i] = refining->found[i] && !refining->needed[i];
	}
	perun_free(out);
	return status;
}

/* Changes that cannot be left out one by one may be so together: they need each other, and nobody needs them. */
static int shrink_needed(struct perun_ctx *ctx, struct perun_dissect *search,
			 const struct refining *refining)
{
	enum perun_dissect_answer answer;
	size_t needed = count_set(search, refining->needed), count = search->changes.count;
	int status;

	if (needed < 2 || !count_set(search, refining->guilty))
		return PERUN_OK;
	status = try_set(ctx, search, refining->guilty, &answer);
	if (!status && answer == PERUN_DISSECT_SLOW)
		memset(refining->needed, 0, count * sizeof *refining->needed);
	else if (!status && needed > 2)
		status = reduce(ctx, search, refining->needed, refining->guilty, true, true,
				refining->smaller);
	if (!status && answer != PERUN_DISSECT_SLOW && needed > 2)
		memcpy(refining->needed, refining->smaller, count * sizeof *refining->needed);
	for (size_t i = 0; i < count; i++)
		refining->found[i] = refining->guilty[i] || refining->needed[i];
	return status;
}

int search_refine(struct perun_ctx *ctx, struct perun_dissect *search, bool *found)
{
	size_t room = search->changes.count + 1;
	const struct refining refining = {found, perun_alloc_zero(room, sizeof(bool)),
					  perun_alloc_zero(room, sizeof(bool)),
					  perun_alloc_zero(room, sizeof(bool))};
	int status = PERUN_OK;

	if (count_set(search, found) > 1)
		status = reduce_singles(ctx, search, found);
	if (!status)
		status = leave_out_groups(ctx, search, &refining);
	if (!status)
		status = leave_out_singles(ctx, search, &refining);
	if (!status)
		status = shrink_needed(ctx, search, &refining);
	set_roles(search, found, PERUN_DISSECT_GUILTY);
	if (count_set(search, refining.guilty))
		set_roles(search, refining.needed, PERUN_DISSECT_NEEDED);
	perun_free(refining.guilty);
	perun_free(refining.needed);
	perun_free(refining.smaller);
	return status;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Whether a set that was found is slow; `*answer` is kept from the last time. */
static int reduce_and_try(struct perun_ctx *ctx, struct perun_dissect *search,
			  const bool *candidates, bool *found, enum perun_dissect_answer *answer)
{
	int status = reduce(ctx, search, candidates, NULL, false, false, found);

	if (!status)
		status = try_set(ctx, search, found, answer);
	return status;
}

/* The candidates that are not acquitted; all of them where there would be none. */
static bool suspect(const struct perun_dissect *search, const bool *candidates, bool *suspects)
{
	size_t count = search->changes.count;

	for (size_t i = 0; i < count; i++)
		suspects[i] = candidates[i] && !search->acquitted[i];
	if (!count_set(search, suspects))
		memcpy(suspects, candidates, count * sizeof *suspects);
	return count_set(search, suspects) < count_set(search, candidates);
}

/*
 * Of the candidates, which carry the share `left` of the slowdown together, find the smallest set that carries most of it.
 * First as if each change acted on its own, and none did that seems to be innocent; where what is found then is not
 * slow, without these assumptions.
 */
static int find_part(struct perun_ctx *ctx, struct perun_dissect *search, const bool *candidates,
		     double left, bool *found)
{
	bool *suspects = perun_alloc_zero(search->changes.count + 1, sizeof *suspects);
	bool fewer = suspect(search, candidates, suspects);
	enum perun_dissect_answer answer = PERUN_DISSECT_UNRESOLVED;
	int status;

	search->wanted = left / 2;
	status = reduce_and_try(ctx, search, suspects, found, &answer);
	if (!status && answer != PERUN_DISSECT_SLOW && fewer)
		status = try_set(ctx, search, suspects, &answer);
	else
		fewer = false;
	if (!status && fewer && answer != PERUN_DISSECT_SLOW) {
		memcpy(suspects, candidates, search->changes.count * sizeof *suspects);
		status = reduce_and_try(ctx, search, suspects, found, &answer);
		fewer = false;
	}
	if (!status && (answer != PERUN_DISSECT_SLOW || fewer))
		status = reduce(ctx, search, suspects, NULL, false, true, found);
	if (!status)
		status = search_refine(ctx, search, found);
	else
		set_roles(search, found, PERUN_DISSECT_OPEN);
	perun_free(suspects);
	return status;
}

/* The share that counts as none. */
double search_least_share(const struct perun_dissect *search)
{
	double threshold = perun_interleave_facts(search->interleave)->threshold;

	return fmin(fmax(MIN_SHARE, threshold * fabs(search->scale.before / search->scale.delta)),
		    0.5);
}

/* The commit without what was found: without its groups, where it does not build otherwise. */
static int measure_rest(struct perun_ctx *ctx, struct perun_dissect *search, bool *rest,
			const bool *found)
{
	const struct perun_dissect_trial *trial;
	size_t count = search->changes.count;
	int status;

	search->wanted = search_least_share(search);
	search->left = 1;
	for (size_t i = 0; i < count; i++)
		rest[i] &= !found[i];
	status = trial_make(ctx, search, rest, true, &trial);
	if (!status && trial->answer == PERUN_DISSECT_UNRESOLVED) {
		for (size_t i = 0; i < count; i++) {
			for (size_t k = 0; found[i] && k < count; k++)
				rest[k] &= search->needs.group[k] != search->needs.group[i];
		}
		status = trial_make(ctx, search, rest, true, &trial);
	}
	if (status)
		return status;
	search->facts.rest = trial->answer == PERUN_DISSECT_UNRESOLVED ? NAN : trial->share;
	search->facts.rest_uncertain = trial->uncertain;
	return status;
}

/* Whether the rest still carries a part, for sure or by far. */
static bool is_left(const struct perun_dissect *search)
{
	const struct perun_dissect_facts *facts = &search->facts;

	return facts->rest - facts->rest_uncertain > search_least_share(search) ||
	       facts->rest > 2 * search_least_share(search);
}

/* Whether a part that was found carries more than none, for sure: noise may look like a part of what is left. */
static int confirm(struct perun_ctx *ctx, struct perun_dissect *search, bool *found)
{
	const struct perun_dissect_trial *trial;
	int status = trial_make(ctx, search, found, true, &trial);

	if (!status && trial->share - trial->uncertain <= 0) {
		set_roles(search, found, PERUN_DISSECT_INNOCENT);
		memset(found, 0, search->changes.count * sizeof *found);
	}
	return status;
}

/* Find parts until the rest is as fast as the parent. */
static int find_all(struct perun_ctx *ctx, struct perun_dissect *search, bool *guilty,
		    size_t *parts)
{
	size_t count = search->changes.count;
	bool *rest = perun_alloc_zero(count + 1, sizeof *rest);
	bool *found = perun_alloc_zero(count + 1, sizeof *found);
	double left = 1;
	int status = PERUN_OK;

	memset(rest, true, count);
	for (*parts = 0; !status && *parts < MAX_PARTS && left > search_least_share(search);
	     ++*parts) {
		status = find_part(ctx, search, rest, left, found);
		if (!status && *parts)
			status = confirm(ctx, search, found);
		for (size_t i = 0; i < count; i++)
			guilty[i] |= found[i];
		if (!status && count_set(search, found))
			status = measure_rest(ctx, search, rest, found);
		if (isnan(search->facts.rest) || !is_left(search) || !count_set(search, found))
			left = 0;
		else
			left = search->facts.rest;
	}
	perun_free(found);
	perun_free(rest);
	return status;
}

/* ---- shares ---------------------------------------------------------------------------------- */

/* What all that was found is by itself. */
static int measure_alone(struct perun_ctx *ctx, struct perun_dissect *search, const bool *guilty)
{
	const struct perun_dissect_trial *trial;
	int status;

	search->wanted = 0.5;
	status = trial_make(ctx, search, guilty, true, &trial);
	if (!status && trial->answer != PERUN_DISSECT_UNRESOLVED) {
		search->facts.alone = trial->share;
		search->facts.alone_uncertain = trial->uncertain;
	}
	return status;
}

/* What each guilty change is by itself, with what it needs. */
static int share_out(struct perun_ctx *ctx, struct perun_dissect *search, const bool *guilty)
{
	size_t count = search->changes.count, parts = 0;
	double sum = 0;
	bool *set = perun_alloc_zero(count + 1, sizeof *set);
	int status = PERUN_OK;

	for (size_t i = 0; i < count; i++)
		parts += search->changes.items[i].role == PERUN_DISSECT_GUILTY;
	search->wanted = 0.5;
	for (size_t i = 0; !status && i < count; i++) {
		struct perun_dissect_change *change = &search->changes.items[i];
		const struct perun_dissect_trial *trial;

		if (change->role != PERUN_DISSECT_GUILTY)
			continue;
		if (parts == 1) {
			change->share = search->facts.alone;
			break;
		}
		for (size_t k = 0; k < count; k++)
			set[k] = k == i || (guilty[k] &&
					    search->changes.items[k].role == PERUN_DISSECT_NEEDED);
		status = trial_make(ctx, search, set, false, &trial);
		if (!status && trial->answer != PERUN_DISSECT_UNRESOLVED)
			sum += change->share = trial->share;
	}
	search->facts.together = parts > 1 && sum < search->facts.alone / 2;
	perun_free(set);
	return status;
}

int search_run(struct perun_ctx *ctx, struct perun_dissect *search)
{
	bool *guilty = perun_alloc_zero(search->changes.count + 1, sizeof *guilty);
	size_t parts;
	int status = find_all(ctx, search, guilty, &parts);

	search->left = 0;
	if (!status)
		status = measure_alone(ctx, search, guilty);
	if (!status)
		status = share_out(ctx, search, guilty);
	perun_free(guilty);
	return status;
}
