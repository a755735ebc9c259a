/* SPDX-License-Identifier: BSD-3-Clause */
/* The versions of a history, each compared with those before it: several at once, on all processors. */
#include <string.h>

#include "core/compare/check-history.h"
#include "core/compare/kept-pairs.h"
#include "core/compare/kinds.h"
#include "core/context/context.h"

/* A comparison, and what it found, now or an earlier time. */
struct judged_pair {
	struct check_pair pair;
	struct perun_findings findings;
	char key[PERUN_VERDICT_KEY_SIZE];
	bool kept;
};

/* A version that is compared with those before it. */
struct turn {
	const struct perun_minor_version *version;
	struct perun_entries entries;
	struct check_baselines search;
	struct judged_pair *pairs; /* of each that the search found */
	struct perun_findings findings;
	bool compared;
};

enum { MAX_TURNS = 64, MIN_ROOM = 4, MAX_ROOM = 64 };
/* Of the profiles that are in memory at once. */
#define MAX_ROWS 1000000

/* Versions that are compared at the same time; what is reported of them comes in their order. */
struct batch {
	struct history_run *run;
	struct kept_pairs *kept;
	size_t first; /* in the history */
	struct turn turns[MAX_TURNS];
	size_t count;
	size_t room; /* for this many profiles */
	size_t rows; /* of the largest profile */
};

static void free_turn(struct turn *turn)
{
	for (size_t i = 0; turn->pairs && i < turn->search.pair_count; i++) {
		check_pair_free(&turn->pairs[i].pair);
		perun_findings_free(&turn->pairs[i].findings);
	}
	perun_free(turn->pairs);
	check_baselines_free(&turn->search);
	perun_entries_free(&turn->entries);
	perun_findings_free(&turn->findings);
	*turn = (struct turn){0};
}

/* Take the next versions: as many as there is room for their profiles. A version that fails waits to be the first. */
static int take_turns(struct batch *batch)
{
	struct history_run *run = batch->run;
	struct perun_checker *checker = run->checker;
	const size_t left = batch->run->count - batch->first;
	size_t versions = 0, profiles = 0;
	int status = PERUN_OK;

	while (!status && versions < left && versions < MAX_TURNS &&
	       (versions < 2 || profiles < batch->room)) {
		struct turn *turn = &batch->turns[versions];

		turn->version = batch->run->versions[batch->first + versions];
		if (!status &&
		    perun_store_has_index(checker->ctx, checker->store, turn->version->checksum))
			status = perun_store_entries(checker->ctx, checker->store,
						     turn->version->checksum, &turn->entries);
		profiles += turn->entries.count;
		versions += !status;
	}
	if (status && versions == 0)
		return status;
	perun_ctx_clear(checker->ctx);
	batch->count = versions;
	return PERUN_OK;
}

static int load_pair(struct batch *batch, const struct turn *turn, size_t i)
{
	struct perun_checker *checker = batch->run->checker;
	const struct check_baseline *place = &turn->search.pairs[i];
	struct judged_pair *pair = &turn->pairs[i];
	struct perun_profile *baseline = NULL, *target = NULL;
	size_t rows;
	int status;

	status = checker_load(checker, turn->search.targets[place->target]->checksum, &target);
	if (!status)
		status = checker_load(checker, place->checksum, &baseline);
	if (!status)
		status = check_pair_start(checker, baseline, place->minor, target,
					  turn->version->checksum, &pair->pair);
	rows = status ? 0 : perun_table_rows(perun_resources(target));
	if (rows > batch->rows)
		batch->rows = rows;
	perun_profile_unref(baseline);
	perun_profile_unref(target);
	return status;
}

/* The baselines of a version, in the versions after it in the list. */
static int find_baselines(struct history_run *run, size_t at, struct turn *turn)
{
	const struct perun_minor_version *version = turn->version;
	int status = check_baselines_start(&turn->search, run->checker, version->checksum,
					   &turn->entries, version->parents, version->parent_count);

	check_machines_forget(run->checker);
	for (size_t i = at + 1; !status && check_baselines_wanting(&turn->search) && i < run->count;
	     i++) {
		const struct perun_minor_version *other = run->versions[i];

		status = check_baselines_visit(&turn->search, other->checksum, other->parents,
					       other->parent_count);
	}
	return status == PERUN_STOP ? PERUN_OK : status;
}

/* Profiles that have baselines on other machines alone; that a first version has none is no news. */
static void note_elsewhere(struct history_run *run, struct turn *turn)
{
	struct perun_findings noted = {0};

	check_baselines_note(&turn->search, &noted);
	run->found->elsewhere += noted.elsewhere;
	if (!run->found->difference) {
		run->found->difference = noted.difference;
		noted.difference = NULL;
	}
	perun_findings_free(&noted);
}

/* Find what a version is compared with, and what is known of it. */
static int find_pairs(struct batch *batch, size_t t)
{
	struct turn *turn = &batch->turns[t];
	struct history_run *run = batch->run;
	struct perun_findings *found;
	int status = find_baselines(run, batch->first + t, turn);

	found = check_strands_of(&run->strands, turn->version->checksum);
	if (found) {
		turn->findings = *found;
		*found = (struct perun_findings){0};
	}
	turn->pairs = perun_alloc_zero(turn->search.pair_count + 1, sizeof *turn->pairs);
	for (size_t i = 0; !status && i < turn->search.pair_count; i++) {
		const struct check_baseline *place = &turn->search.pairs[i];
		struct judged_pair *pair = &turn->pairs[i];

		status = kept_pairs_key(batch->kept, place, turn->search.targets[place->target],
					turn->version->checksum, pair->key);
		pair->kept = !status &&
			     kept_pairs_read(batch->kept, pair->key, place->minor, &pair->findings);
	}
	if (!status)
		note_elsewhere(run, turn);
	return status;
}

static void add_checksum(const char **checksums, size_t *count, const char *checksum)
{
	for (size_t i = 0; i < *count; i++) {
		if (strcmp(checksums[i], checksum) == 0)
			return;
	}
	checksums[(*count)++] = checksum;
}

/* Of the profiles of a version those that may be compared with one of the next. */
static void add_unknown(struct perun_checker *checker, const struct perun_entries *entries,
			const struct perun_entries *next, const char **checksums, size_t *count,
			size_t room)
{
	struct entry_kinds kinds = {0};

	if (entries->count && next->count)
		entry_kinds_make(&kinds, next, true);
	for (size_t i = 0; kinds.keys && i < entries->count && *count < room; i++) {
		const struct perun_entry *entry = perun_entries_at(entries, i);
		size_t others;

		(void)entry_kinds_find(&kinds, entry, &others);
		if (others && !checker_knows(checker, entry->checksum))
			add_checksum(checksums, count, entry->checksum);
	}
	if (kinds.keys)
		entry_kinds_clear(&kinds);
}

/*
 * What profiles say of their measurements decides what is compared with what. Where that is not known, they are read whole, on
 * all processors, as most will be compared.
 */
static void fetch_unknown(const struct batch *batch)
{
	const char *checksums[MAX_ROOM + 2];
	size_t count = 0;

	for (size_t t = 0; t + 1 < batch->count; t++) {
		const struct perun_entries *one = &batch->turns[t].entries;
		const struct perun_entries *other = &batch->turns[t + 1].entries;

		add_unknown(batch->run->checker, one, other, checksums, &count, batch->room);
		add_unknown(batch->run->checker, other, one, checksums, &count, batch->room);
	}
	if (count)
		checker_fetch(batch->run->checker, checksums, count);
}

/* What is to be read for the next versions, on all processors: small profiles a lot at once. */
static void fetch_profiles(const struct batch *batch)
{
	const char *checksums[MAX_ROOM + 2];
	size_t count = 0;

	for (size_t t = 0; t < batch->count; t++) {
		const struct turn *turn = &batch->turns[t];

		for (size_t i = 0; i < turn->search.pair_count && count < batch->room; i++) {
			const struct check_baseline *place = &turn->search.pairs[i];

			if (turn->pairs[i].kept)
				continue;
			add_checksum(checksums, &count,
				     turn->search.targets[place->target]->checksum);
			add_checksum(checksums, &count, place->checksum);
		}
	}
	checker_fetch(batch->run->checker, checksums, count);
}

static int load_turn(struct batch *batch, size_t t)
{
	const struct turn *turn = &batch->turns[t];
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < turn->search.pair_count; i++) {
		if (!turn->pairs[i].kept)
			status = load_pair(batch, turn, i);
	}
	return status;
}

/* Do the versions one after the other; one that fails comes again after those before it. */
static int prepare_turns(struct batch *batch, int (*prepare)(struct batch *batch, size_t t))
{
	int status = PERUN_OK;

	for (size_t t = 0; !status && t < batch->count; t++) {
		status = prepare(batch, t);
		if (status && t > 0) {
			perun_ctx_clear(batch->run->checker->ctx);
			batch->count = t;
			status = PERUN_OK;
		}
	}
	return status;
}

static int compare_turn(struct perun_ctx *ctx, size_t t, void *data)
{
	const struct batch *batch = data;
	struct turn *turn = &((struct batch *)data)->turns[t];
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < turn->search.pair_count; i++) {
		struct judged_pair *pair = &turn->pairs[i];
		uint64_t messages = perun_ctx_messages(ctx);

		if (perun_cancelled(ctx))
			return perun_fail(ctx, PERUN_CANCELLED, "interrupted");
		if (!pair->kept)
			status = check_pair_run(batch->run->checker, ctx, &pair->pair,
						&pair->findings);
		/* What a method says besides is to be said each time. */
		if (perun_ctx_messages(ctx) != messages)
			*pair->key = '\0';
	}
	turn->compared = !status;
	return status;
}

/* Compare all of a batch. */
static int compare_turns(struct batch *batch)
{
	int status;

	fetch_unknown(batch);
	status = prepare_turns(batch, find_pairs);
	if (!status) {
		fetch_profiles(batch);
		status = prepare_turns(batch, load_turn);
	}
	return status ? status
		      : perun_parallel_for(batch->run->checker->ctx, batch->count, compare_turn,
					   batch);
}

/* Report what was found, in the order of the versions. */
static int report_turns(struct batch *batch)
{
	struct history_run *run = batch->run;
	int status = PERUN_OK;

	for (size_t t = 0; !status && t < batch->count && batch->turns[t].compared; t++) {
		struct turn *turn = &batch->turns[t];

		for (size_t i = 0; i < turn->search.pair_count; i++) {
			struct judged_pair *pair = &turn->pairs[i];

			/* The reason would not be kept. */
			if (!pair->kept && !pair->findings.reason)
				kept_pairs_add(batch->kept, pair->key, &pair->findings);
			findings_join(&turn->findings, &pair->findings);
		}
		run->found->pairs += turn->search.pair_count;
		run->found->compared += turn->findings.compared;
		if (!run->found->reason && turn->findings.reason)
			run->found->reason = perun_strdup(turn->findings.reason);
		perun_progress(run->checker->ctx, "checking versions", batch->first + t + 1,
			       run->count);
		status = history_run_take(run, turn->version, &turn->findings);
	}
	return status;
}

int history_run_pairs(struct history_run *run)
{
	struct batch *batch = perun_alloc_zero(1, sizeof *batch);
	int status = PERUN_OK;

	*batch = (struct batch){
		.run = run, .kept = kept_pairs_open(run->checker, NULL), .room = MIN_ROOM};
	while (!status && batch->first < run->count) {
		int reported = PERUN_OK;

		status = take_turns(batch);
		if (!status) {
			status = compare_turns(batch);
			reported = report_turns(batch);
			batch->first += batch->count;
		}
		status = status ? status : reported;
		for (size_t t = 0; t < MAX_TURNS; t++)
			free_turn(&batch->turns[t]);
		batch->room *= 2;
		if (batch->rows && batch->room > MAX_ROWS / batch->rows)
			batch->room = MAX_ROWS / batch->rows;
		batch->room = batch->room > MAX_ROOM ? MAX_ROOM : batch->room;
		batch->room = batch->room < MIN_ROOM ? MIN_ROOM : batch->room;
	}
	kept_pairs_close(batch->kept);
	perun_free(batch);
	return status;
}
