/* SPDX-License-Identifier: BSD-3-Clause */
/* All profiles that a version has of what another profile measures: one for each session. */
#include <config.h>

#include <string.h>

#include <perun/machine.h>

#include "cli/listing.h"
#include "cli/sessions.h"

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
	       cli_same_name(entry->collector ? entry->collector : "",
			     perun_profile_text(like, "collector_info.name"));
}

static int add_session(struct cli_checker *checker, const struct perun_entry *entry,
		       const struct perun_profile *like, struct cli_sessions *sessions)
{
	struct perun_profile *profile;
	char *difference = NULL;
	int status = cli_checker_load(checker, entry->checksum, &profile);

	if (status)
		return status;
	if (same(perun_profile_text(profile, "header.args"),
		 perun_profile_text(like, "header.args")) &&
	    (checker->machines.across || !(difference = perun_machine_difference(profile, like))))
		sessions->profiles[sessions->count++] = profile;
	else
		perun_profile_unref(profile);
	perun_free(difference);
	return PERUN_OK;
}

int cli_sessions_load(struct cli_checker *checker, const char *minor,
		      const struct perun_profile *like, struct cli_sessions *sessions)
{
	struct cli *cli = checker->cli;
	struct perun_entries entries = {0};
	size_t count = 0;
	int status;

	*sessions = (struct cli_sessions){0};
	if (!minor || !*minor || !cli->store || !perun_store_has_index(cli->ctx, cli->store, minor))
		return PERUN_OK;
	status = perun_store_entries(cli->ctx, cli->store, minor, &entries);
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

void cli_sessions_free(struct cli_sessions *sessions)
{
	for (size_t i = 0; i < sessions->count; i++)
		perun_profile_unref(sessions->profiles[i]);
	perun_free(sessions->profiles);
	*sessions = (struct cli_sessions){0};
}
