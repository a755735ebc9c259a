/* SPDX-License-Identifier: BSD-3-Clause */
/* Which changes of a commit made a program slower. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "core/context/clock.h"
#include "core/context/structs.h"
#include "core/dissect/dissect.h"
#include "core/dissect/evidence.h"

/* What is missing when changes carry all of it, at most. */
#define MAX_MISSING 0.1
/*
 * Of what is left of the budget, what the comparison of both ends may take: the search needs the rest, but there is none
 * where this decides nothing.
 */
static const double end_shares[] = {0.25, 0.75};

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
	kept_name(search, base, head, &text);
	if (!status && !search->changes.count)
		status = perun_fail(ctx, PERUN_USAGE, "nothing changed between %.8s and %.8s", base,
				    head ? head : "the work tree");
	perun_buffer_free(&text);
	return status;
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
	search->deadline =
		search->options.budget > 0 ? clock_now() + search->options.budget : INFINITY;
	search->facts = (struct perun_dissect_facts){
		.struct_size = sizeof search->facts, .alone = NAN, .rest = NAN};
	if (!status)
		status = read_changes(ctx, search, base, head);
	if (!status)
		status = build_ends(ctx, search, base, head);
	if (!status)
		status = tree_open(ctx, search, base, "lines", &search->tree);
	if (!status)
		status = ahead_new(ctx, search, base, &search->ahead);
	if (!status) {
		size_t count = search->changes.count;

		tree_list(search->tree->root, &search->pristine, NULL);
		needs_find(&search->changes, &search->needs);
		search->weights = perun_alloc_zero(count + 1, sizeof *search->weights);
		search->acquitted = perun_alloc_zero(count + 1, sizeof *search->acquitted);
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
	ahead_free(search);
	tree_close(search->tree);
	perun_build_close(search->head);
	perun_build_close(search->base);
	perun_words_free(&search->pristine);
	needs_free(&search->needs);
	changes_free(&search->changes);
	perun_free(search->base_root);
	perun_free(search->head_root);
	perun_free(search->head_files);
	perun_free(search->kept_path);
	perun_free(search->weights);
	perun_free(search->acquitted);
	functions_free(&search->functions);
	costs_free(&search->costs);
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

/* Neither metric shows a change, and the first may have one. */
static bool is_open(const struct perun_interleave_result *ends)
{
	const enum perun_answer second = perun_interleave_agreed(ends, true);

	return ends->answer == PERUN_VERDICT_UNDECIDED && second != PERUN_VERDICT_INCREASE &&
	       second != PERUN_VERDICT_DECREASE;
}

static int compare_ends(struct perun_ctx *ctx, struct perun_dissect *search,
			const char *const directories[2])
{
	const bool limited = isfinite(search->deadline);
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < sizeof end_shares / sizeof *end_shares; i++) {
		const double left = search->deadline - clock_now();

		if (i > 0 && (!limited || !is_open(&search->ends)))
			break;
		if (limited)
			perun_interleave_limit(search->interleave,
					       fmax(end_shares[i] * left, 1e-3));
		perun_interleave_result_free(&search->ends);
		search->ends = (struct perun_interleave_result){0};
		status = perun_interleave_compare(ctx, search->interleave, directories,
						  &search->ends);
	}
	return status;
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
	status = compare_ends(ctx, search, directories);
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

/* Which functions have other code and other costs, and what that says of the changes. */
static int find_evidence(struct perun_ctx *ctx, struct perun_dissect *search)
{
	const char *const roots[2] = {search->base_root, search->head_root};
	const char *const directories[2] = {perun_build_directory(search->base),
					    perun_build_directory(search->head)};
	int status = PERUN_OK;

	functions_compare(roots, &search->functions);
	/* What is not compiled has no functions that samples know. */
	if (search->functions.count && !search->options.no_samples)
		status = costs_read(ctx, search->interleave, directories, &search->costs);
	evidence_weigh(&search->changes, &search->functions, &search->costs, search->weights,
		       search->acquitted);
	return status;
}

/* What is known when a search ends early: the smallest set that is slow for sure. */
static void keep_smallest(struct perun_dissect *search)
{
	const struct kept_trial *best = NULL;
	double guilty = 0;

	for (size_t i = 0; i < search->changes.count; i++)
		guilty += search->changes.items[i].role == PERUN_DISSECT_GUILTY;
	for (size_t i = 0; i < search->trial_count; i++) {
		const struct kept_trial *kept = &search->trials[i];

		if (kept->trial.answer != PERUN_DISSECT_UNRESOLVED &&
		    kept->trial.share - kept->trial.uncertain > 0.5 &&
		    (!best || kept->trial.changes < best->trial.changes))
			best = kept;
	}
	for (size_t i = 0; best && guilty == 0 && i < search->changes.count; i++) {
		struct perun_dissect_change *change = &search->changes.items[i];

		change->role = best->set[i] ? PERUN_DISSECT_OPEN : PERUN_DISSECT_INNOCENT;
	}
}

static const char *why_it_ended(struct perun_ctx *ctx, const struct perun_dissect *search)
{
	if (perun_cancelled(ctx))
		return "interrupted";
	return clock_now() >= search->deadline ? "budget" : "builds";
}

/* Both may be exact, and neither can be on the other side. */
static bool is_certain(const struct perun_dissect *search)
{
	const struct perun_dissect_facts *facts = &search->facts;
	double least = search_least_share(search);

	return facts->alone + facts->alone_uncertain >= 1 - fmax(least, MAX_MISSING) &&
	       facts->rest - facts->rest_uncertain <= least &&
	       facts->alone - facts->alone_uncertain > 0.5 &&
	       facts->rest + facts->rest_uncertain < 0.5;
}

int perun_dissect_search(struct perun_ctx *ctx, struct perun_dissect *search)
{
	struct perun_dissect_facts *facts = &search->facts;
	int status = find_evidence(ctx, search);

	if (!status && search->options.resume)
		kept_load(search);
	if (!status)
		status = search_run(ctx, search);
	facts->certain = !status && is_certain(search);
	if (!status && search->options.finest)
		status = finest_run(ctx, search);
	if (status == PERUN_NOT_COMPARED || status == PERUN_CANCELLED) {
		facts->ended = why_it_ended(ctx, search);
		keep_smallest(search);
	} else if (!status) {
		kept_forget(search);
	}
	return status;
}

const struct perun_dissect_function *perun_dissect_function(const struct perun_dissect *search,
							    size_t i)
{
	const struct costs *costs = &search->costs;

	return i < costs->function_count ? &costs->functions[costs->moved[i].function] : NULL;
}

const struct perun_dissect_line *perun_dissect_line(const struct perun_dissect *search, size_t i)
{
	return i < search->costs.line_count ? &search->costs.lines[i] : NULL;
}

const struct perun_dissect_facts *perun_dissect_facts(const struct perun_dissect *search)
{
	return &search->facts;
}

char *perun_dissect_path(const struct perun_dissect *search, const char *file)
{
	return perun_format("%s/%s", search->head_files, file);
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
