/* SPDX-License-Identifier: BSD-3-Clause */
/* Which changes of a commit made a program slower. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "core/context/structs.h"
#include "core/dissect/file-kinds.h"
#include "core/dissect/dissect.h"
#include "core/dissect/subsets.h"

/* How probable it is that a change of a file that nothing is built from matters, against others. */
#define TEXT_WEIGHT 0.02
/* A share below this one counts as none, as does a change below the threshold of the comparison. */
#define MIN_SHARE 0.08
/* What is missing when changes carry all of it, at most. */
#define MAX_MISSING 0.1
/* What is left is searched this number of times, for further sets that carry a part. */
#define MAX_PARTS 8

/* ---- both ends ------------------------------------------------------------------------------- */

/* Build the user's work tree: base with all changes, in a tree of its own. */
static int build_work_tree(struct perun_ctx *ctx, struct perun_dissect *search)
{
	bool *all = perun_alloc(search->changes.count + 1), failed;
	struct perun_words written = {0};
	char *here = NULL;
	int status;

	memset(all, true, search->changes.count + 1);
	status = perun_build_open_tree(ctx, search->builds, perun_build_version(search->base),
				       "work-tree", &search->head);
	if (!status)
		search->head_root = perun_build_root(search->head);
	if (!status)
		status = perun_vcs_discover(ctx, search->vcs, ".", &here);
	search->head_files = here ? here : perun_strdup(".");
	if (!status)
		status = changes_apply(ctx, &search->changes, all, search->base_root,
				       search->head_files, search->head_root, &written);
	if (!status)
		status = perun_build_make(ctx, search->builds, search->head, &failed, NULL);
	perun_words_free(&written);
	perun_free(all);
	return status;
}

static int build_ends(struct perun_ctx *ctx, struct perun_dissect *search, const char *base,
		      const char *head)
{
	int status = perun_build_open(ctx, search->builds, base, &search->base, NULL);

	if (status)
		return status;
	search->base_root = perun_build_root(search->base);
	status = changes_check(ctx, &search->changes, search->base_root);
	if (!status && !head)
		return build_work_tree(ctx, search);
	if (!status)
		status = perun_build_open(ctx, search->builds, head, &search->head, NULL);
	if (!status) {
		search->head_root = perun_build_root(search->head);
		search->head_files = perun_strdup(search->head_root);
	}
	return status;
}

static int read_changes(struct perun_ctx *ctx, struct perun_dissect *search, const char *base,
			const char *head)
{
	struct perun_buffer text = {0};
	int status = perun_vcs_diff(ctx, search->vcs, base, head, &text);

	if (!status)
		status = changes_read(ctx, text.data, text.length, &search->changes);
	if (!status && !search->changes.count)
		status = perun_fail(ctx, PERUN_USAGE, "nothing changed between %.8s and %.8s", base,
				    head ? head : "the work tree");
	perun_buffer_free(&text);
	return status;
}

static void weigh(struct perun_dissect *search)
{
	size_t count = search->changes.count;

	search->weights = perun_alloc_zero(count + 1, sizeof *search->weights);
	search->present = perun_alloc_zero(count + 1, sizeof *search->present);
	for (size_t i = 0; i < count; i++)
		search->weights[i] = file_is_text(search->changes.items[i].file) ? TEXT_WEIGHT : 1;
}

int perun_dissect_new(struct perun_ctx *ctx, struct perun_store *store, struct perun_builds *builds,
		      struct perun_interleave *interleave, const char *base, const char *head,
		      const struct perun_dissect_options *options, struct perun_dissect **made)
{
	struct perun_dissect *search = perun_alloc_zero(1, sizeof *search);
	int status = perun_store_vcs(ctx, store, &search->vcs);

	PERUN_STRUCT_TAKE(&search->options, options);
	search->store = store;
	search->builds = builds;
	search->interleave = interleave;
	search->facts = (struct perun_dissect_facts){
		.struct_size = sizeof search->facts, .alone = NAN, .rest = NAN};
	if (!status)
		status = read_changes(ctx, search, base, head);
	if (!status)
		status = build_ends(ctx, search, base, head);
	if (!status)
		status = perun_build_open_tree(ctx, builds, base, "lines", &search->tree);
	if (!status) {
		search->tree_root = perun_build_root(search->tree);
		tree_list(search->tree_root, &search->pristine);
		needs_find(&search->changes, &search->needs);
		weigh(search);
	} else {
		perun_dissect_free(search);
		search = NULL;
	}
	*made = search;
	return status;
}

void perun_dissect_free(struct perun_dissect *search)
{
	if (!search)
		return;
	for (size_t i = 0; i < search->trial_count; i++) {
		perun_free(search->trials[i].set);
		perun_free((char *)search->trials[i].trial.reason);
	}
	perun_free(search->trials);
	perun_interleave_result_free(&search->ends);
	perun_build_close(search->tree);
	perun_build_close(search->head);
	perun_build_close(search->base);
	perun_words_free(&search->pristine);
	needs_free(&search->needs);
	changes_free(&search->changes);
	perun_free(search->base_root);
	perun_free(search->head_root);
	perun_free(search->tree_root);
	perun_free(search->head_files);
	perun_free(search->weights);
	perun_free(search->present);
	perun_free(search);
}

/* Both ends are trials that need no more runs. */
static void keep_end(struct perun_dissect *search, bool all, bool coded,
		     const unsigned char code[CODE_BYTES])
{
	struct kept_trial kept = {.set = perun_alloc(search->changes.count + 1),
				  .coded = coded,
				  .trial = {.struct_size = sizeof kept.trial,
					    .answer = all ? PERUN_DISSECT_SLOW : PERUN_DISSECT_FAST,
					    .share = all}};

	memset(kept.set, all, search->changes.count + 1);
	memcpy(kept.code, code, CODE_BYTES);
	PERUN_GROW(search->trials, search->trial_count, search->trial_capacity);
	search->trials[search->trial_count++] = kept;
}

int perun_dissect_compare(struct perun_ctx *ctx, struct perun_dissect *search,
			  const struct perun_interleave_result **result, bool *identical)
{
	const char *const directories[2] = {perun_build_directory(search->base),
					    perun_build_directory(search->head)};
	unsigned char codes[2][CODE_BYTES];
	bool coded[2] = {code_read(search, search->base_root, codes[0]),
			 code_read(search, search->head_root, codes[1])};
	int status;

	*result = &search->ends;
	search->facts.metric = perun_interleave_facts(search->interleave)->metric;
	*identical = coded[0] && coded[1] && memcmp(codes[0], codes[1], CODE_BYTES) == 0;
	if (*identical)
		return PERUN_OK;
	keep_end(search, false, coded[0], codes[0]);
	keep_end(search, true, coded[1], codes[1]);
	status = perun_interleave_compare(ctx, search->interleave, directories, &search->ends);
	if (status)
		return status;
	measure_ends(search->interleave, &search->ends, &search->scale);
	search->facts.base = search->scale.before;
	search->facts.head = search->scale.after;
	search->facts.metric = search->scale.second
				       ? perun_interleave_facts(search->interleave)->second
				       : perun_interleave_facts(search->interleave)->metric;
	return status;
}

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

/* Single changes instead of groups: not all of a group need each other. */
static int reduce_singles(struct perun_ctx *ctx, struct perun_dissect *search, bool *found)
{
	size_t count = search->changes.count;
	struct needs singles = {perun_alloc_zero(count + 1, sizeof *singles.group), count};
	const struct subsets subsets = {.count = count,
					.needs = &singles,
					.weights = search->weights,
					.try = try_set,
					.data = search,
					.strict = true};
	bool *none = perun_alloc_zero(count + 1, sizeof *none);
	bool *fewer = perun_alloc_zero(count + 1, sizeof *fewer);
	int status;

	for (size_t i = 0; i < count; i++)
		singles.group[i] = i;
	status = subsets_reduce(ctx, &subsets, found, none, fewer);
	memcpy(found, fewer, count * sizeof *found);
	perun_free(fewer);
	perun_free(none);
	needs_free(&singles);
	return status;
}

/* Leave out each change of a set that it is slow without; those that it does not build without are needed. */
static int refine(struct perun_ctx *ctx, struct perun_dissect *search, bool *found)
{
	bool *smaller = perun_alloc_zero(search->changes.count + 1, sizeof *smaller);
	size_t guilty = 0;
	int status = PERUN_OK;

	if (count_set(search, found) > 1)
		status = reduce_singles(ctx, search, found);
	set_roles(search, found, PERUN_DISSECT_GUILTY);
	for (size_t i = 0; !status && i < search->changes.count && count_set(search, found) > 1;
	     i++) {
		enum perun_dissect_answer answer;

		if (!found[i])
			continue;
		memcpy(smaller, found, search->changes.count * sizeof *smaller);
		smaller[i] = false;
		status = try_set(ctx, search, smaller, &answer);
		if (status)
			break;
		if (answer == PERUN_DISSECT_SLOW) {
			found[i] = false;
			search->changes.items[i].role = PERUN_DISSECT_INNOCENT;
		} else if (answer == PERUN_DISSECT_UNRESOLVED) {
			search->changes.items[i].role = PERUN_DISSECT_NEEDED;
		}
	}
	for (size_t i = 0; i < search->changes.count; i++)
		guilty += found[i] && search->changes.items[i].role == PERUN_DISSECT_GUILTY;
	if (!guilty)
		set_roles(search, found, PERUN_DISSECT_GUILTY);
	perun_free(smaller);
	return status;
}

/*
 * Of the candidates, which carry the share `left` of the slowdown together, find the smallest set that carries most of it.
 * First as if each change acted on its own; where what is found then is not slow, without that.
 */
static int find_part(struct perun_ctx *ctx, struct perun_dissect *search, const bool *candidates,
		     double left, bool *found)
{
	struct subsets subsets = {.count = search->changes.count,
				  .needs = &search->needs,
				  .weights = search->weights,
				  .try = try_set,
				  .data = search};
	bool *none = perun_alloc_zero(search->changes.count + 1, sizeof *none);
	enum perun_dissect_answer answer = PERUN_DISSECT_UNRESOLVED;
	int status;

	search->wanted = left / 2;
	do {
		status = subsets_reduce(ctx, &subsets, candidates, none, found);
		if (!status && !subsets.strict)
			status = try_set(ctx, search, found, &answer);
		subsets.strict = !subsets.strict;
	} while (!status && answer != PERUN_DISSECT_SLOW && subsets.strict);
	if (!status)
		status = refine(ctx, search, found);
	else
		set_roles(search, found, PERUN_DISSECT_OPEN);
	perun_free(none);
	return status;
}

/* The share that counts as none. */
static double least_share(const struct perun_dissect *search)
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

	search->wanted = least_share(search);
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

	return facts->rest - facts->rest_uncertain > least_share(search) ||
	       facts->rest > 2 * least_share(search);
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

	for (size_t i = 0; i < count; i++)
		rest[i] = !change_is_plain(&search->changes.items[i]);
	for (*parts = 0; !status && *parts < MAX_PARTS && left > least_share(search); ++*parts) {
		status = find_part(ctx, search, rest, left, found);
		for (size_t i = 0; i < count; i++)
			guilty[i] |= found[i];
		if (!status)
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

int perun_dissect_search(struct perun_ctx *ctx, struct perun_dissect *search)
{
	bool *guilty = perun_alloc_zero(search->changes.count + 1, sizeof *guilty);
	struct perun_dissect_facts *facts = &search->facts;
	size_t parts;
	int status = find_all(ctx, search, guilty, &parts);

	if (!status)
		status = measure_alone(ctx, search, guilty);
	if (!status)
		status = share_out(ctx, search, guilty);
	facts->certain = !status &&
			 facts->alone + facts->alone_uncertain >=
				 1 - fmax(least_share(search), MAX_MISSING) &&
			 facts->rest - facts->rest_uncertain <= least_share(search);
	perun_free(guilty);
	return status;
}

const struct perun_dissect_facts *perun_dissect_facts(const struct perun_dissect *search)
{
	return &search->facts;
}

size_t perun_dissect_changes(const struct perun_dissect *search)
{
	return search->changes.count;
}

const struct perun_dissect_change *perun_dissect_change(const struct perun_dissect *search,
							size_t i)
{
	return &search->changes.items[i];
}
