/* SPDX-License-Identifier: BSD-3-Clause */
/* All profiles that a version has of what another profile measures: one for each session. */
#include <stdlib.h>
#include <string.h>

#include <perun/machine.h>

#include <perun/lib/registry.h>

#include "core/compare/checker.h"

/* More of them hardly say more. */
#define MAX_SESSIONS 8

static int compare_texts(const char *one, const char *other)
{
	return strcmp(one ? one : "", other ? other : "");
}

static bool same(const char *one, const char *other)
{
	return compare_texts(one, other) == 0;
}

/* ---- the profiles of a version ---------------------------------------------------------------- */

static int compare_programs(const struct perun_entry *one, const char *command,
			    const char *workload)
{
	int order = compare_texts(one->cmd, command);

	return order ? order : compare_texts(one->workload, workload);
}

static int compare_entries(const void *a, const void *b)
{
	const struct perun_entry *const *one = a, *const *other = b;
	int order = compare_programs(*one, (*other)->cmd, (*other)->workload);

	return order ? order : (*one > *other) - (*one < *other);
}

void check_listing_free(struct check_listing *listing)
{
	perun_free((void *)listing->sorted);
	perun_entries_free(&listing->entries);
	perun_free(listing->minor);
	*listing = (struct check_listing){0};
}

/* Of a version that has an index; kept until two others were asked for. */
static int find_listing(struct perun_checker *checker, const char *minor,
			const struct check_listing **found)
{
	struct check_listing *listing;
	int status;

	for (size_t i = 0; i < 2; i++) {
		*found = &checker->listings[i];
		if ((*found)->minor && strcmp((*found)->minor, minor) == 0)
			return PERUN_OK;
	}
	*found = listing = &checker->listings[checker->listings_next];
	checker->listings_next = !checker->listings_next;
	check_listing_free(listing);
	status = perun_store_entries(checker->ctx, checker->store, minor, &listing->entries);
	if (status)
		return status;
	listing->minor = perun_strdup(minor);
	listing->sorted =
		perun_alloc_zero(listing->entries.count + 1, sizeof(struct perun_entry *));
	for (size_t i = 0; i < listing->entries.count; i++)
		listing->sorted[i] = &listing->entries.items[i];
	qsort((void *)listing->sorted, listing->entries.count, sizeof(struct perun_entry *),
	      compare_entries);
	return PERUN_OK;
}

/* The profiles of the program and workload of another one: [first, end) of those in order. */
static size_t find_program(const struct check_listing *listing, const struct perun_profile *like,
			   size_t *first)
{
	const char *command = perun_profile_text(like, "/header/cmd");
	const char *workload = perun_profile_text(like, "/header/workload");
	size_t end = listing->entries.count;

	for (*first = 0; *first < end;) {
		size_t middle = *first + (end - *first) / 2;

		if (compare_programs(listing->sorted[middle], command, workload) < 0)
			*first = middle + 1;
		else
			end = middle;
	}
	while (end < listing->entries.count &&
	       compare_programs(listing->sorted[end], command, workload) == 0)
		end++;
	return end;
}

/* ---- sessions --------------------------------------------------------------------------------- */

/*
 * Whether an entry may be one as far as it shows; the workload is compared elsewhere. What another tool wrote has a type of
 * its own or none, which the store calls mixed.
 */
static bool is_of_kind(const struct perun_entry *entry, const struct perun_profile *like)
{
	return same(entry->cmd, perun_profile_text(like, "/header/cmd")) &&
	       (same(entry->type, "mixed") ||
		same(entry->type, perun_profile_text(like, "/header/type"))) &&
	       perun_same_name(entry->collector ? entry->collector : "",
			       perun_profile_text(like, "/collector_info/name"));
}

/* Whether an entry's profile was measured with the same arguments, on a machine of the same class. */
static int is_session(struct perun_checker *checker, const struct perun_entry *entry,
		      const struct perun_profile *like, bool *is)
{
	const struct perun_profile *facts;
	char *difference = NULL;
	int status = checker_facts(checker, entry->checksum, &facts);

	*is = !status &&
	      same(perun_profile_text(facts, "/header/args"),
		   perun_profile_text(like, "/header/args")) &&
	      !(difference = perun_checker_difference(checker, facts, like));
	perun_free(difference);
	return status;
}

/* Whether an entry has the name that counts for the workload of the profile. */
static int has_name(struct perun_checker *checker, const char *const versions[2],
		    const struct perun_entry *entry, const struct perun_profile *like, bool *has)
{
	struct perun_entry alike = *entry;
	const char *name, *other;
	int status = check_name_entry(checker, versions, entry, &name);

	alike.workload = perun_profile_text(like, "/header/workload");
	if (!status)
		status = check_name_entry(checker, versions, &alike, &other);
	*has = !status && strcmp(name, other) == 0;
	return status;
}

int check_sessions_load(struct perun_checker *checker, const char *minor,
			const struct perun_profile *like, const char *const versions[2],
			struct check_sessions *sessions)
{
	const struct check_listing *listing;
	size_t count = 0, first = 0, end;
	int status;

	*sessions = (struct check_sessions){0};
	if (!minor || !*minor || !checker->store ||
	    !perun_store_has_index(checker->ctx, checker->store, minor))
		return PERUN_OK;
	status = find_listing(checker, minor, &listing);
	if (status)
		return status;
	end = versions ? listing->entries.count : find_program(listing, like, &first);
	for (size_t i = first; i < end; i++)
		count += is_of_kind(listing->sorted[i], like);
	if (count > 1)
		sessions->profiles = perun_alloc_zero(MAX_SESSIONS, sizeof(void *));
	while (count > 1 && !status && end-- > first) {
		const struct perun_entry *entry = listing->sorted[end];
		bool is = false;

		if (sessions->count == MAX_SESSIONS || !is_of_kind(entry, like))
			continue;
		status = is_session(checker, entry, like, &is);
		if (is && versions)
			status = has_name(checker, versions, entry, like, &is);
		if (is)
			status = checker_load(checker, entry->checksum,
					      &sessions->profiles[sessions->count]);
		sessions->count += is && !status;
	}
	/* In the order of the index, as histories have them: which runs are neighbours says how they depend on each other. */
	for (size_t i = 0, j = sessions->count; i + 1 < j; i++) {
		struct perun_profile *one = sessions->profiles[i];

		sessions->profiles[i] = sessions->profiles[--j];
		sessions->profiles[j] = one;
	}
	return status;
}

void check_sessions_free(struct check_sessions *sessions)
{
	for (size_t i = 0; i < sessions->count; i++)
		perun_profile_unref(sessions->profiles[i]);
	perun_free(sessions->profiles);
	*sessions = (struct check_sessions){0};
}
