/* SPDX-License-Identifier: BSD-3-Clause */
/* The search for the smallest sets of changes that carry a slowdown. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "core/dissect/dissect.h"
#include "core/dissect/evidence.h"
#include "core/dissect/subsets.h"

/*
 * A set is slow if it has this share of what is searched for: between a half and a third, since changes that have equal
 * shares are common, and what has just the share in question is never clear.
 */
#define SLOW_SHARE (5.0 / 12)
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

static size_t count_role(const struct perun_dissect *search, enum perun_dissect_role role)
{
	size_t count = 0;

	for (size_t i = 0; i < search->changes.count; i++)
		count += search->changes.items[i].role == role;
	return count;
}

static size_t count_set(const struct perun_dissect *search, const bool *set)
{
	size_t count = 0;

	for (size_t i = 0; i < search->changes.count; i++)
		count += set[i];
	return count;
}

int search_reduce(struct perun_ctx *ctx, struct perun_dissect *search, const bool *candidates,
		  bool strict, bool *found)
{
	size_t count = search->changes.count;
	bool *none = perun_alloc_zero(count + 1, sizeof *none);
	const struct subsets subsets = {.count = count,
					.needs = &search->needs,
					.weights = search->weights,
					.within = candidates,
					.try = try_set,
					.data = search,
					.left = &search->left,
					.strict = strict};
	int status = subsets_reduce(ctx, &subsets, candidates, none, found);

	perun_free(none);
	return status;
}

/* ---- the smallest set ------------------------------------------------------------------------ */

/*
 * What is slow: the changes that were found, and with what they need. Of those, the ones that a set does not build
 * without, and the ones that may be left out.
 */
struct refining {
	bool *found, *closed, *unsure, *smaller;
};

static bool *copy_set(const struct perun_dissect *search, const bool *set)
{
	return perun_memdup(set, (search->changes.count + 1) * sizeof *set);
}

static void close_found(const struct perun_dissect *search, const struct refining *refining,
			const bool *within)
{
	memcpy(refining->closed, refining->found, search->changes.count * sizeof(bool));
	needs_close(&search->needs, within, false, refining->closed);
}

/* Without one of the changes that were found, and what needs it: what is left may be slow by itself. */
static int leave_out(struct perun_ctx *ctx, struct perun_dissect *search,
		     const struct refining *refining, size_t change, bool *slow)
{
	size_t size = search->changes.count * sizeof(bool);
	enum perun_dissect_answer answer;
	int status;

	*slow = false;
	memcpy(refining->smaller, refining->closed, size);
	needs_leave_out(&search->needs, change, refining->smaller);
	if (!count_set(search, refining->smaller))
		return PERUN_OK;
	status = try_set(ctx, search, refining->smaller, &answer);
	refining->unsure[change] = answer == PERUN_DISSECT_UNRESOLVED;
	*slow = !status && answer == PERUN_DISSECT_SLOW;
	if (*slow)
		status = search_reduce(ctx, search, refining->smaller, true, refining->found);
	if (*slow && !status)
		close_found(search, refining, refining->smaller);
	return status;
}

/* Leave out what was found, one by one, until nothing can be. */
static int leave_out_each(struct perun_ctx *ctx, struct perun_dissect *search,
			  const struct refining *refining)
{
	size_t count = search->changes.count;
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count; i++) {
		bool slow;

		if (!refining->found[i])
			continue;
		search->left = count_set(search, refining->found) + 1;
		status = leave_out(ctx, search, refining, i, &slow);
		if (slow) {
			memset(refining->unsure, 0, count * sizeof *refining->unsure);
			i = SIZE_MAX;
		}
	}
	return status;
}

/*
 * Of what is needed, keep what builds failed without: begin with what was found alone. Where that ends with a set that is
 * not slow, all that was supposed to be needed stays.
 */
static int prove_needs(struct perun_ctx *ctx, struct perun_dissect *search,
		       const struct refining *refining)
{
	size_t count = search->changes.count, tried = 0;
	enum perun_dissect_answer answer = PERUN_DISSECT_UNRESOLVED;
	int status = PERUN_OK;

	memcpy(refining->smaller, refining->found, count * sizeof(bool));
	while (!status && answer == PERUN_DISSECT_UNRESOLVED) {
		needs_close(&search->needs, refining->closed, true, refining->smaller);
		if (count_set(search, refining->smaller) == tried ||
		    count_set(search, refining->smaller) == count_set(search, refining->closed))
			break;
		tried = count_set(search, refining->smaller);
		status = try_set(ctx, search, refining->smaller, &answer);
	}
	if (!status && answer == PERUN_DISSECT_SLOW)
		memcpy(refining->closed, refining->smaller, count * sizeof(bool));
	return status;
}

/* The most of what is needed that is left out one by one. */
enum { MAX_LEFT_OUT = 6 };

/* Of what is needed, leave out each that the set is slow without, where it is not known by builds. */
static int leave_out_needed(struct perun_ctx *ctx, struct perun_dissect *search,
			    const struct refining *refining)
{
	size_t count = search->changes.count, tried = 0;
	enum perun_dissect_answer answer;
	int status = PERUN_OK;

	memcpy(refining->smaller, refining->found, count * sizeof(bool));
	for (size_t i = 0; !status && i < count && tried < MAX_LEFT_OUT; i++) {
		bool *fewer;

		needs_close(&search->needs, refining->closed, true, refining->smaller);
		if (!refining->closed[i] || refining->smaller[i])
			continue;
		tried++;
		fewer = copy_set(search, refining->closed);
		fewer[i] = false;
		status = try_set(ctx, search, fewer, &answer);
		if (!status && answer == PERUN_DISSECT_SLOW)
			refining->closed[i] = false;
		else if (!status && answer == PERUN_DISSECT_FAST)
			refining->found[i] = true;
		perun_free(fewer);
	}
	return status;
}

/* Which changes are guilty, and which are there because the others do not build without them. */
static void give_roles(struct perun_dissect *search, const struct refining *refining)
{
	size_t count = search->changes.count, guilty = 0;

	for (size_t i = 0; i < count; i++)
		guilty += refining->found[i] && !refining->unsure[i];
	for (size_t i = 0; i < count; i++) {
		bool needed = !refining->found[i] || refining->unsure[i];

		if (refining->closed[i])
			search->changes.items[i].role =
				needed && guilty ? PERUN_DISSECT_NEEDED : PERUN_DISSECT_GUILTY;
	}
}

int search_refine(struct perun_ctx *ctx, struct perun_dissect *search, const bool *within,
		  bool *found)
{
	size_t room = search->changes.count + 1;
	const struct refining refining = {found, perun_alloc_zero(room, sizeof(bool)),
					  perun_alloc_zero(room, sizeof(bool)),
					  perun_alloc_zero(room, sizeof(bool))};
	const struct kept_trial *kept;
	int status;

	/* What others are slow without, by their own share: that may be only just what was searched for. */
	close_found(search, &refining, within);
	kept = trial_find(search, refining.closed);
	if (kept && kept->trial.answer == PERUN_DISSECT_SLOW)
		search->wanted = fmin(search->wanted, kept->trial.share * SLOW_SHARE);
	status = leave_out_each(ctx, search, &refining);
	if (!status && count_set(search, refining.closed) > count_set(search, found))
		status = prove_needs(ctx, search, &refining);
	if (!status && count_set(search, refining.closed) > count_set(search, found))
		status = leave_out_needed(ctx, search, &refining);
	give_roles(search, &refining);
	memcpy(found, refining.closed, search->changes.count * sizeof *found);
	perun_free(refining.closed);
	perun_free(refining.unsure);
	perun_free(refining.smaller);
	return status;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Whether a set that was found is slow; `*answer` is kept from the last time. */
static int reduce_and_try(struct perun_ctx *ctx, struct perun_dissect *search,
			  const bool *candidates, bool *found, enum perun_dissect_answer *answer)
{
	int status = search_reduce(ctx, search, candidates, false, found);
	bool *closed = copy_set(search, found);

	needs_close(&search->needs, candidates, false, closed);
	if (!status)
		status = try_set(ctx, search, closed, answer);
	perun_free(closed);
	return status;
}

/* The candidates that are not acquitted; all of them where there would be none. */
static bool suspect(const struct perun_dissect *search, const bool *candidates, bool *suspects)
{
	size_t count = search->changes.count;

	for (size_t i = 0; i < count; i++)
		suspects[i] = candidates[i] && !search->acquitted[i];
	needs_close(&search->needs, candidates, false, suspects);
	if (!count_set(search, suspects))
		memcpy(suspects, candidates, count * sizeof *suspects);
	return count_set(search, suspects) < count_set(search, candidates);
}

/*
 * Of the candidates, which carry the share `left` of the slowdown together, find the smallest set that carries a large part.
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

	search->wanted = left * SLOW_SHARE;
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
		status = search_reduce(ctx, search, suspects, true, found);
	if (!status)
		status = search_refine(ctx, search, suspects, found);
	else
		set_roles(search, found, PERUN_DISSECT_OPEN);
	perun_free(suspects);
	return status;
}

/* The share that counts as none. */
double search_least_share(const struct perun_dissect *search)
{
	return measure_least_share(&search->scale,
				   perun_interleave_facts(search->interleave)->threshold,
				   strcmp(perun_interleave_unit(search->facts.metric), "s") == 0);
}

/* The commit without what was found: without what needs that, where it does not build otherwise. */
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
			if (found[i])
				needs_leave_out(&search->needs, i, rest);
		}
		status = trial_make(ctx, search, rest, true, &trial);
	}
	if (status)
		return status;
	search->facts.rest = trial->answer == PERUN_DISSECT_UNRESOLVED ? NAN : trial->share;
	search->facts.rest_uncertain = trial->uncertain;
	return status;
}

/* Whether the rest still carries a part: for sure, or by far and beyond half of its interval. */
static bool is_left(const struct perun_dissect *search)
{
	const struct perun_dissect_facts *facts = &search->facts;
	double least = search_least_share(search);

	return facts->rest - facts->rest_uncertain > least ||
	       (facts->rest > 2 * least && facts->rest - facts->rest_uncertain / 2 > least);
}

/*
 * Whether a part that was found carries more than none, for sure, when it is measured once more: noise may look like a part
 * of what is left, and what was found is what looked most like it.
 */
static int confirm(struct perun_ctx *ctx, struct perun_dissect *search, bool *found)
{
	const struct perun_dissect_trial *trial;
	int status = trial_make(ctx, search, found, true, &trial);

	if (!status &&
	    (trial->answer == PERUN_DISSECT_UNRESOLVED || trial->share - trial->uncertain <= 0 ||
	     trial->share < search_least_share(search))) {
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

/* After this number of guilty changes that do not build by themselves, others are not tried: a commit made of one piece. */
enum { MAX_UNBUILT = 3 };

/*
 * What a guilty change is by itself, with what it needs: as far as that is known, or else with all that is needed.
 * NULL = it does not build by itself.
 */
static int try_alone(struct perun_ctx *ctx, struct perun_dissect *search, const bool *needed,
		     size_t i, const struct perun_dissect_trial **trial)
{
	bool *set = perun_alloc_zero(search->changes.count + 1, sizeof *set);
	int status;

	set[i] = true;
	needs_close(&search->needs, needed, false, set);
	status = trial_make(ctx, search, set, false, trial);
	if (!status && (*trial)->answer == PERUN_DISSECT_UNRESOLVED) {
		memcpy(set, needed, search->changes.count * sizeof *set);
		set[i] = true;
		status = trial_make(ctx, search, set, false, trial);
	}
	if (!status && (*trial)->answer == PERUN_DISSECT_UNRESOLVED)
		*trial = NULL;
	perun_free(set);
	return status;
}

/*
 * Experiments cannot separate changes that build only together: those that samples point to are guilty, the others needed. If
 * samples point to none, all stay guilty.
 */
static void point_out(struct perun_dissect *search)
{
	struct perun_dissect_change *changes = search->changes.items;
	size_t count = search->changes.count, pointed = 0;

	for (size_t i = 0; i < count; i++)
		pointed += changes[i].role == PERUN_DISSECT_GUILTY &&
			   evidence_points(search->weights[i]);
	search->facts.by_samples = pointed && pointed < count_role(search, PERUN_DISSECT_GUILTY);
	for (size_t i = 0; search->facts.by_samples && i < count; i++) {
		if (changes[i].role == PERUN_DISSECT_GUILTY && !evidence_points(search->weights[i]))
			changes[i].role = PERUN_DISSECT_NEEDED;
	}
}

/* What each guilty change carries. */
static int share_out(struct perun_ctx *ctx, struct perun_dissect *search)
{
	size_t count = search->changes.count, built = 0, unbuilt = 0;
	size_t parts = count_role(search, PERUN_DISSECT_GUILTY);
	double sum = 0;
	bool *needed = perun_alloc_zero(count + 1, sizeof *needed);
	int status = PERUN_OK;

	for (size_t i = 0; i < count; i++)
		needed[i] = search->changes.items[i].role == PERUN_DISSECT_NEEDED;
	search->wanted = SLOW_SHARE;
	for (size_t i = 0; !status && i < count && unbuilt < MAX_UNBUILT; i++) {
		struct perun_dissect_change *change = &search->changes.items[i];
		const struct perun_dissect_trial *trial = NULL;

		if (change->role != PERUN_DISSECT_GUILTY)
			continue;
		if (parts == 1) {
			change->share = search->facts.alone;
			break;
		}
		status = try_alone(ctx, search, needed, i, &trial);
		if (!status && trial)
			sum += change->share = trial->share;
		built += trial != NULL;
		unbuilt += !trial;
	}
	search->facts.together = parts > 1 && sum < search->facts.alone / 2;
	if (!status && parts > 1 && !built)
		point_out(search);
	perun_free(needed);
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
		status = share_out(ctx, search);
	perun_free(guilty);
	return status;
}
