/* SPDX-License-Identifier: BSD-3-Clause */
/* All profiles that a version has of what another profile measures: one for each session. */
#include <string.h>

#include <perun/machine.h>

#include <perun/lib/registry.h>

#include "core/compare/checker.h"

/* More of them hardly tell more. */
#define MOST_SESSIONS 8

static bool same(const char *one, const char *other)
{
	return strcmp(one ? one : "", other ? other : "") == 0;
}

static bool measures(const struct perun_entry *entry, const struct perun_profile *like)
{
	return same(entry->type, perun_profile_text(like, "header.type")) &&
	       same(entry->cmd, perun_profile_text(like, "header.cmd")) &&
	       same(entry->workload, perun_profile_text(like, "header.workload")) &&
	       perun_same_name(entry->collector ? entry->collector : "",
			       perun_profile_text(like, "collector_info.name"));
}

static int add_session(struct perun_checker *checker, const struct perun_entry *entry,
		       const struct perun_profile *like, struct check_sessions *sessions)
{
	struct perun_profile *profile;
	char *difference = NULL;
	int status = checker_load(checker, entry->checksum, &profile);

	if (status)
		return status;
	if (same(perun_profile_text(profile, "header.args"),
		 perun_profile_text(like, "header.args")) &&
	    (checker->options.across_machines ||
	     !(difference = perun_machine_difference(profile, like))))
		sessions->profiles[sessions->count++] = profile;
	else
		perun_profile_unref(profile);
	perun_free(difference);
	return PERUN_OK;
}

int check_sessions_load(struct perun_checker *checker, const char *minor,
			const struct perun_profile *like, struct check_sessions *sessions)
{
	struct perun_entries entries = {0};
	size_t count = 0;
	int status;

	*sessions = (struct check_sessions){0};
	if (!minor || !*minor || !checker->store ||
	    !perun_store_has_index(checker->ctx, checker->store, minor))
		return PERUN_OK;
	status = perun_store_entries(checker->ctx, checker->store, minor, &entries);
	for (size_t i = 0; !status && i < entries.count; i++)
		count += measures(&entries.items[i], like);
	if (count > 1)
		sessions->profiles = perun_alloc_zero(MOST_SESSIONS, sizeof(void *));
	for (size_t i = entries.count; count > 1 && !status && i-- > 0;) {
		if (sessions->count < MOST_SESSIONS && measures(&entries.items[i], like))
			status = add_session(checker, &entries.items[i], like, sessions);
	}
	perun_entries_free(&entries);
	return status;
}

void check_sessions_free(struct check_sessions *sessions)
{
	for (size_t i = 0; i < sessions->count; i++)
		perun_profile_unref(sessions->profiles[i]);
	perun_free(sessions->profiles);
	*sessions = (struct check_sessions){0};
}
