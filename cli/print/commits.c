/* SPDX-License-Identifier: BSD-3-Clause */
/* Which commits may be a change: a version that was not measured cannot be acquitted. */
#include <config.h>

#include "cli/print/commits.h"

static struct perun_json *fact_commit(const struct perun_minor_version *version)
{
	char *subject = perun_version_subject(version);
	struct perun_json *commit = perun_json_object();

	perun_json_set(commit, "version", cli_json_text(version->checksum));
	perun_json_set(commit, "subject", cli_json_text(subject));
	perun_free(subject);
	return commit;
}

struct perun_json *cli_json_between(const struct perun_between *between)
{
	struct perun_json *commits = perun_json_array();

	for (size_t i = perun_between_count(between); i-- > 0;)
		perun_json_append(commits, fact_commit(perun_between_at(between, i)));
	return commits;
}
