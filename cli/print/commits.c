/* SPDX-License-Identifier: BSD-3-Clause */
/* Which commits may be a change: a version that was not measured cannot be acquitted. */
#include <config.h>

#include "cli/print/commits.h"

static json_t *fact_commit(const struct perun_minor_version *version)
{
	char *subject = perun_version_subject(version);
	json_t *commit = json_object();

	json_object_set_new(commit, "version", cli_json_text(version->checksum));
	json_object_set_new(commit, "subject", cli_json_text(subject));
	perun_free(subject);
	return commit;
}

json_t *cli_json_between(const struct perun_between *between)
{
	json_t *commits = json_array();

	for (size_t i = perun_between_count(between); i-- > 0;)
		json_array_append_new(commits, fact_commit(perun_between_at(between, i)));
	return commits;
}
