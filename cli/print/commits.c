/* SPDX-License-Identifier: BSD-3-Clause */
/* Which commits may be a change: a version that was not measured cannot be acquitted. */
#include <config.h>

#include "cli/print/commits.h"

/* Lines of a range; the rest is a number. */
enum { MAX_LINES = 10 };

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

void cli_list_between(const struct perun_between *between, struct perun_buffer *text)
{
	size_t count = perun_between_count(between);

	if (count < 2)
		return;
	perun_buffer_printf(text, "one of these %zu commits; only the last one was measured:\n",
			    count);
	for (size_t i = count; i-- > 0;) {
		const struct perun_minor_version *version = perun_between_at(between, i);
		char *subject, *safe;

		/* The oldest ones, and the one that was measured. */
		if (count > MAX_LINES && i > 0 && i <= count - MAX_LINES) {
			perun_buffer_printf(text, "  ... %zu more\n", i);
			i = 1;
			continue;
		}
		subject = perun_version_subject(version);
		safe = perun_printable(subject);
		perun_buffer_printf(text, "  %.8s %s\n", version->checksum, safe);
		perun_free(safe);
		perun_free(subject);
	}
}
