/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of checks: its options, and the profiles that it keeps for the next comparison. */
#include <stdio.h>
#include <string.h>

#include <perun/machine.h>

#include "core/compare/checker.h"
#include "core/context/structs.h"
#include "core/history/deviations.h"
#include "core/history/history.h"
#include "core/history/thresholds.h"
#include "core/store/measured.h"

int perun_checker_new(struct perun_ctx *ctx, struct perun_store *store,
		      const struct perun_check_options *options, struct perun_checker **checker)
{
	struct perun_checker *new = perun_alloc_zero(1, sizeof *new);
	int status;

	new->ctx = ctx;
	new->store = store;
	PERUN_STRUCT_TAKE(&new->options, options);
	new->given = (new->options.methods &&new->options.methods[0]) ||
		     (new->options.params &&new->options.params[0]);
	status = check_strategies_load(ctx, store, &new->options, &new->strategies);
	if (!status && store)
		status = perun_thresholds_read(ctx, store, &new->thresholds);
	new->options.methods = new->options.params = NULL;
	*checker = status ? NULL : new;
	if (status)
		perun_checker_free(new);
	return status;
}

void perun_checker_free(struct perun_checker *checker)
{
	if (!checker)
		return;
	for (size_t i = 0; i < checker->kept_count; i++)
		perun_profile_unref(checker->kept[i].profile);
	for (size_t i = 0; i < 2; i++)
		check_listing_free(&checker->listings[i]);
	check_strategies_free(&checker->strategies);
	check_machines_forget(checker);
	perun_json_free(checker->thresholds);
	perun_deviations_free(checker->deviations);
	perun_free(checker->deviations_of);
	perun_version_line_free(checker->line);
	perun_free(checker->line_of);
	perun_acknowledgements_free(checker->known);
	perun_profile_facts_close(checker->facts);
	perun_between_free(checker->between);
	perun_import_names_free(checker->names);
	perun_free(checker->names_of);
	perun_free(checker);
}

void checker_keep_line(struct perun_checker *checker, const char *version,
		       struct perun_version_line *line)
{
	perun_version_line_free(checker->line);
	perun_free(checker->line_of);
	checker->line = line;
	checker->line_of = perun_strdup(version);
}

const char *perun_checker_method(const struct perun_checker *checker, size_t i, const char **origin)
{
	if (i >= checker->strategies.count)
		return NULL;
	*origin = checker->strategies.rules[i].origin;
	return checker->strategies.rules[i].method;
}

/* ---- profiles in memory ---------------------------------------------------------------------- */

/* Rows that are kept beyond the newest CHECK_KEPT_PROFILES profiles. */
#define MAX_KEPT_ROWS 1000000

static struct perun_profile *kept_profile(const struct perun_checker *checker, const char *checksum)
{
	for (size_t i = checker->kept_count; i-- > 0;) {
		if (strcmp(checker->kept[i].checksum, checksum) == 0)
			return checker->kept[i].profile;
	}
	return NULL;
}

/* Take a profile, whose reference is the checker's then; the oldest ones make room. */
static void keep(struct perun_checker *checker, const char *checksum, struct perun_profile *profile)
{
	struct check_kept_profile kept = {.profile = profile,
					  .rows = perun_table_rows(perun_resources(profile))};
	size_t dropped = 0;

	(void)snprintf(kept.checksum, sizeof kept.checksum, "%s", checksum);
	while (checker->kept_count - dropped >= CHECK_KEPT_SMALL ||
	       (checker->kept_count - dropped >= CHECK_KEPT_PROFILES &&
		checker->kept_rows + kept.rows > MAX_KEPT_ROWS)) {
		checker->kept_rows -= checker->kept[dropped].rows;
		perun_profile_unref(checker->kept[dropped++].profile);
	}
	checker->kept_count -= dropped;
	memmove(checker->kept, checker->kept + dropped,
		checker->kept_count * sizeof *checker->kept);
	checker->kept[checker->kept_count++] = kept;
	checker->kept_rows += kept.rows;
}

int checker_load(struct perun_checker *checker, const char *checksum,
		 struct perun_profile **profile)
{
	int status = PERUN_OK;

	*profile = kept_profile(checker, checksum);
	if (!*profile) {
		status = perun_store_load_measured(checker->ctx, checker->store, checksum, profile);
		if (!status)
			keep(checker, checksum, *profile);
	}
	if (!status)
		perun_profile_ref(*profile);
	return status;
}

bool checker_knows(struct perun_checker *checker, const char *checksum)
{
	if (!checker->facts)
		checker->facts = perun_profile_facts_open(checker->store);
	return perun_profile_facts_known(checker->facts, checksum);
}

/* Profiles that a thread reads on one handle of the store. */
enum { AT_ONCE = 4 };

struct fetching {
	struct perun_store *store;
	const char **checksums;
	struct perun_profile **profiles;
	struct perun_json **facts;
	size_t count;
};

static int fetch(struct perun_ctx *ctx, size_t number, void *data)
{
	struct fetching *fetching = data;
	size_t end = (number + 1) * AT_ONCE;
	struct perun_store *store;
	int status = perun_store_reopen(ctx, fetching->store, &store);

	for (size_t i = number * AT_ONCE; !status && i < end && i < fetching->count; i++) {
		if (perun_store_load_with_facts(ctx, store, fetching->checksums[i],
						&fetching->profiles[i], &fetching->facts[i]))
			fetching->profiles[i] = NULL;
	}
	perun_store_close(store);
	/* Whoever asks for a profile gets its error. */
	perun_ctx_clear(ctx);
	return PERUN_OK;
}

void checker_fetch(struct perun_checker *checker, const char *const *checksums, size_t count)
{
	struct fetching fetching = {.store = checker->store};

	fetching.checksums = perun_alloc_zero(count + 1, sizeof *fetching.checksums);
	fetching.profiles = perun_alloc_zero(count + 1, sizeof(struct perun_profile *));
	fetching.facts = perun_alloc_zero(count + 1, sizeof(struct perun_json *));
	for (size_t i = 0; i < count; i++) {
		if (!kept_profile(checker, checksums[i]))
			fetching.checksums[fetching.count++] = checksums[i];
	}
	perun_parallel_for(checker->ctx, (fetching.count + AT_ONCE - 1) / AT_ONCE, fetch,
			   &fetching);
	for (size_t i = 0; i < fetching.count; i++) {
		if (fetching.profiles[i])
			keep(checker, fetching.checksums[i], fetching.profiles[i]);
		if (fetching.facts[i] && !checker_knows(checker, fetching.checksums[i]))
			perun_profile_facts_add(checker->facts, fetching.checksums[i],
						fetching.facts[i]);
		perun_json_free(fetching.facts[i]);
	}
	perun_free((void *)fetching.checksums);
	perun_free(fetching.profiles);
	perun_free(fetching.facts);
}

/* ---- which profiles are alike ----------------------------------------------------------------- */

char *perun_checker_difference(const struct perun_checker *checker, const struct perun_profile *one,
			       const struct perun_profile *other)
{
	return checker->options.across_machines ? NULL : perun_machine_difference(one, other);
}

void check_machines_forget(struct perun_checker *checker)
{
	perun_free(checker->machines.difference);
	checker->machines = (struct check_machines){0};
}

static bool check_machines_take(struct perun_checker *checker, const struct perun_profile *one,
				const struct perun_profile *other)
{
	char *difference = perun_checker_difference(checker, one, other);

	if (!difference)
		return true;
	checker->machines.refused++;
	if (checker->machines.difference)
		perun_free(difference);
	else
		checker->machines.difference = difference;
	return false;
}

int checker_facts(struct perun_checker *checker, const char *checksum,
		  const struct perun_profile **facts)
{
	if (!checker->facts)
		checker->facts = perun_profile_facts_open(checker->store);
	return perun_profile_facts_find(checker->ctx, checker->facts, checksum, facts);
}

/* The arguments of an entry's profile. */
static int arguments_of(struct perun_checker *checker, const struct perun_entry *entry,
			const char **arguments)
{
	const struct perun_profile *facts;
	int status = PERUN_OK;

	*arguments = entry->args;
	if (!*arguments || !**arguments) {
		status = checker_facts(checker, entry->checksum, &facts);
		*arguments = status ? "" : perun_profile_text(facts, "/header/args");
	}
	return status;
}

int checker_same_arguments(struct perun_checker *checker, const struct perun_entry *one,
			   const struct perun_entry *other, bool *are)
{
	const char *arguments[2] = {"", ""};
	int status = arguments_of(checker, one, &arguments[0]);

	if (!status)
		status = arguments_of(checker, other, &arguments[1]);
	*are = !status && strcmp(arguments[0], arguments[1]) == 0;
	return status;
}

int checker_alike(struct perun_checker *checker, const struct perun_entry *one,
		  const struct perun_entry *other, bool *are)
{
	const struct perun_profile *facts[2];
	int status = checker_same_arguments(checker, one, other, are);

	if (status || !*are)
		return status;
	status = checker_facts(checker, one->checksum, &facts[0]);
	if (!status)
		status = checker_facts(checker, other->checksum, &facts[1]);
	*are = !status && check_machines_take(checker, facts[0], facts[1]);
	return status;
}
