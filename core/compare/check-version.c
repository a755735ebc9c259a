/* SPDX-License-Identifier: BSD-3-Clause */
/* A version compared with the nearest ones before it, or with one other. */
#include <stdio.h>
#include <string.h>

#include <perun/lib/lookup.h>

#include "core/compare/checker.h"
#include "core/compare/kept-pairs.h"
#include "core/compare/kinds.h"
#include "core/context/context.h"
#include "core/store/measured.h"

static enum perun_nothing why_nothing(const struct perun_findings *findings)
{
	if (findings->unmeasured)
		return PERUN_NOTHING_MEASURED;
	if (findings->pairs == 0)
		return findings->elsewhere ? PERUN_NOTHING_ON_MACHINE : PERUN_NOTHING_ALIKE;
	return findings->compared ? PERUN_NOTHING_NONE : PERUN_NOTHING_COMMON;
}

static int finish(struct perun_checker *checker, const char *version,
		  struct perun_findings *findings)
{
	findings->nothing = why_nothing(findings);
	return findings_know(checker, version, findings);
}

/* ---- two profiles ---------------------------------------------------------------------------- */

/* Where histories have a say, what was found is kept: they take longer to read than two profiles. */
static struct kept_pairs *open_kept(struct perun_checker *checker, const char *head)
{
	return checker_follows(checker) ? kept_pairs_open(checker, head) : NULL;
}

static int compare(struct perun_checker *checker, const struct check_baseline *pair,
		   const struct perun_entry *target, const char *head,
		   struct perun_findings *findings)
{
	struct perun_profile *baseline = NULL, *after = NULL;
	int status = checker_load(checker, target->checksum, &after);

	if (!status)
		status = checker_load(checker, pair->checksum, &baseline);
	/* It is the one profile of its history that is not kept yet. */
	if (!status)
		perun_store_offer(checker->store, target->checksum, after);
	if (!status)
		status = check_pair(checker, baseline, pair->minor, after, head, true, findings);
	perun_store_offer(checker->store, NULL, NULL);
	perun_profile_unref(baseline);
	perun_profile_unref(after);
	return status;
}

/* Compare two profiles, unless what is found of them is kept (`kept` may be NULL). */
static int compare_or_recall(struct perun_checker *checker, struct kept_pairs *kept,
			     const struct check_baseline *pair, const struct perun_entry *target,
			     const char *head, struct perun_findings *findings)
{
	uint64_t messages = perun_ctx_messages(checker->ctx);
	char key[PERUN_VERDICT_KEY_SIZE] = "";
	struct perun_findings found = {0};
	int status;

	if (perun_cancelled(checker->ctx))
		return perun_fail(checker->ctx, PERUN_CANCELLED, "interrupted");
	status = kept ? kept_pairs_key(kept, pair, target, head, key) : PERUN_OK;
	if (!status && !kept_pairs_read(kept, key, pair->minor, &found)) {
		status = compare(checker, pair, target, head, &found);
		/* What a method says besides is to be said each time. */
		if (!status && checker->deviations && perun_ctx_messages(checker->ctx) == messages)
			kept_pairs_add(kept, key, &found);
	}
	findings->pairs += !status;
	if (status)
		perun_findings_free(&found);
	else
		findings_join(findings, &found);
	return status;
}

/* ---- the versions before --------------------------------------------------------------------- */

struct walk {
	struct check_baselines search;
	size_t most_parents; /* of each version that are followed */
	struct perun_roots roots;
	const char *head;
};

/* How many parents of a version lead on. */
static size_t followed(const struct walk *walk, const struct perun_minor_version *version)
{
	return version->parent_count < walk->most_parents ? version->parent_count
							  : walk->most_parents;
}

static int visit_ancestor(void *data, const struct perun_minor_version *version)
{
	struct walk *walk = data;

	perun_roots_note(&walk->roots, version);
	if (strcmp(version->checksum, walk->head) == 0)
		return PERUN_OK;
	return check_baselines_visit(&walk->search, version->checksum, version->parents,
				     followed(walk, version));
}

static int search_before(struct perun_checker *checker, const struct perun_minor_version *version,
			 const struct perun_entries *entries, struct walk *walk)
{
	struct perun_vcs *vcs;
	int status = perun_store_vcs(checker->ctx, checker->store, &vcs);

	if (!status)
		status = check_baselines_start(&walk->search, checker, walk->head, entries,
					       version->parents, followed(walk, version));
	check_machines_forget(checker);
	if (!status && check_baselines_wanting(&walk->search))
		status = perun_vcs_walk_minor_versions(checker->ctx, vcs, walk->head,
						       visit_ancestor, walk);
	return status;
}

/*
 * Histories follow first parents, and so does who asks them: a merge into what became slower elsewhere is not slower. Profiles that
 * no version on this line has are compared with those on other sides.
 */
static int search_beside(struct perun_checker *checker, const struct perun_minor_version *version,
			 const struct perun_entries *entries, struct walk *walk)
{
	struct walk all = {.head = walk->head, .most_parents = SIZE_MAX};
	struct check_baselines *search = &walk->search;
	uint64_t *found = perun_alloc_zero(search->target_count / 64 + 1, sizeof *found);
	size_t missing = 0;
	int status = PERUN_OK;

	for (size_t i = 0; i < search->pair_count; i++)
		found[search->pairs[i].target / 64] |= UINT64_C(1) << search->pairs[i].target % 64;
	for (size_t i = 0; i < search->target_count; i++)
		missing += !perun_bit(found, i) && !search->repeats[i];
	if (missing)
		status = search_before(checker, version, entries, &all);
	for (size_t i = 0; !status && i < all.search.pair_count; i++) {
		if (perun_bit(found, all.search.pairs[i].target))
			continue;
		PERUN_GROW(search->pairs, search->pair_count, search->pair_capacity);
		search->pairs[search->pair_count++] = all.search.pairs[i];
	}
	if (missing)
		check_baselines_free(&all.search);
	perun_roots_free(&all.roots);
	perun_free(found);
	return status;
}

static int compare_pairs(struct perun_checker *checker, const struct check_baselines *search,
			 const char *head, struct perun_findings *findings)
{
	struct kept_pairs *kept = open_kept(checker, head);
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < search->pair_count; i++)
		status =
			compare_or_recall(checker, kept, &search->pairs[i],
					  search->targets[search->pairs[i].target], head, findings);
	kept_pairs_close(kept);
	return status;
}

int perun_check_version(struct perun_checker *checker, const char *version,
			struct perun_findings *findings)
{
	struct perun_ctx *ctx = checker->ctx;
	struct perun_minor_version *info = NULL;
	struct perun_entries entries = {0};
	bool follows = checker_follows(checker);
	struct walk walk = {.head = version, .most_parents = follows ? 1 : SIZE_MAX};
	struct perun_vcs *vcs;
	int status = perun_store_vcs(ctx, checker->store, &vcs);

	if (!status)
		status = perun_lookup_version_info(ctx, vcs, version, &info);
	if (!status)
		status = perun_store_entries(ctx, checker->store, version, &entries);
	if (!status && entries.count == 0)
		findings->unmeasured = perun_strdup(version);
	if (!status)
		status = search_before(checker, info, &entries, &walk);
	if (!status && follows)
		status = search_beside(checker, info, &entries, &walk);
	if (!status)
		status = compare_pairs(checker, &walk.search, version, findings);
	if (!status) {
		check_baselines_note(&walk.search, findings);
		status = finish(checker, version, findings);
		perun_roots_report(ctx, vcs, &walk.roots);
	}
	perun_roots_free(&walk.roots);
	check_baselines_free(&walk.search);
	perun_entries_free(&entries);
	perun_minor_version_free(info);
	return status;
}

/* ---- one other version ----------------------------------------------------------------------- */

struct one_base {
	struct perun_entries bases;
	struct entry_kinds kinds; /* of them */
	struct kept_pairs *kept;
};

static int is_pair(struct perun_checker *checker, const struct perun_entry *base,
		   const struct perun_entry *head, bool *is)
{
	*is = perun_entries_compatible(base, head);
	return *is ? checker_same_arguments(checker, base, head, is) : PERUN_OK;
}

static int note_gone(struct perun_checker *checker, const struct perun_entries *bases,
		     const struct perun_entries *heads, struct perun_findings *findings)
{
	struct entry_kinds kinds;
	int status = PERUN_OK;

	entry_kinds_make(&kinds, heads, true);
	for (size_t i = 0; !status && i < bases->count; i++) {
		const struct perun_entry *base = &bases->items[i];
		bool met = false;
		size_t count;
		const uint32_t *members = entry_kinds_find(&kinds, base, &count);

		for (size_t j = 0; !status && !met && j < count; j++)
			status = is_pair(checker, base, &heads->items[members[j]], &met);
		if (!status && !met)
			findings_unpaired(findings, base, PERUN_RESULT_NOT_IN_TARGET);
	}
	entry_kinds_clear(&kinds);
	return status;
}

/* The last profile of the base that is of the same class of machine; NULL = none. */
static int find_before(struct perun_checker *checker, const struct one_base *of,
		       const struct perun_entry *head, const struct perun_entry **before)
{
	size_t count;
	const uint32_t *members = entry_kinds_find(&of->kinds, head, &count);
	int status = PERUN_OK;

	*before = NULL;
	for (size_t i = count; !status && !*before && i-- > 0;) {
		const struct perun_entry *base = &of->bases.items[members[i]];
		bool alike = false;

		if (perun_entries_compatible(base, head))
			status = checker_alike(checker, base, head, &alike);
		if (alike)
			*before = base;
	}
	return status;
}

static int compare_entry(const struct check_baselines *search, const struct one_base *of,
			 const struct perun_entry *head, const char *const versions[2],
			 struct perun_findings *findings)
{
	struct perun_checker *checker = search->checker;
	struct check_baseline pair = {.target = 0};
	const struct perun_entry *before;
	size_t refused = checker->machines.refused;
	int status = find_before(checker, of, head, &before);

	if (!status && before) {
		(void)snprintf(pair.minor, sizeof pair.minor, "%s", versions[0]);
		(void)snprintf(pair.checksum, sizeof pair.checksum, "%s", before->checksum);
		status = compare_or_recall(checker, of->kept, &pair, head, versions[1], findings);
	} else if (!status && checker->machines.refused > refused) {
		findings->elsewhere++;
	} else if (!status) {
		findings_unpaired(findings, head, PERUN_RESULT_NOT_IN_BASELINE);
	}
	return status;
}

/* Where the names of files do not identify them, the entries of two versions get those that count. */
static int name_entries(struct perun_checker *checker, const char *const versions[2],
			const struct perun_entries *entries)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < entries->count; i++) {
		const char *name;

		status = check_name_entry(checker, versions, &entries->items[i], &name);
		entries->items[i].workload = name;
	}
	return status;
}

int perun_check_versions(struct perun_checker *checker, const char *base, const char *head,
			 struct perun_findings *findings)
{
	const char *const versions[2] = {base, head};
	struct perun_entries heads = {0};
	struct check_baselines search = {0};
	struct one_base of = {0};
	int status = perun_store_entries(checker->ctx, checker->store, base, &of.bases);

	if (!status)
		status = perun_store_entries(checker->ctx, checker->store, head, &heads);
	if (!status && (of.bases.count == 0 || heads.count == 0))
		findings->unmeasured = perun_strdup(heads.count ? base : head);
	else if (!status)
		status = name_entries(checker, versions, &of.bases);
	if (!status)
		status = name_entries(checker, versions, &heads);
	/* Of several profiles of one kind the last counts, as before a version. */
	if (!status)
		status = check_baselines_start(&search, checker, head, &heads, NULL, 0);
	check_machines_forget(checker);
	if (!status)
		entry_kinds_make(&of.kinds, &of.bases, true);
	if (!status && search.target_count)
		of.kept = open_kept(checker, head);
	for (size_t i = 0; !status && i < search.target_count; i++)
		status = compare_entry(&search, &of, search.targets[i], versions, findings);
	kept_pairs_close(of.kept);
	entry_kinds_clear(&of.kinds);
	check_baselines_free(&search);
	if (!status) {
		findings->difference = checker->machines.difference;
		checker->machines.difference = NULL;
		status = note_gone(checker, &of.bases, &heads, findings);
	}
	if (!status)
		status = finish(checker, head, findings);
	perun_entries_free(&of.bases);
	perun_entries_free(&heads);
	return status;
}
