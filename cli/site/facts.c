/* SPDX-License-Identifier: BSD-3-Clause */
/* perun site --json: the changes that the site shows, as perun history and perun check say them. */
#include <config.h>

#include "cli/site/site.h"

static json_t *fact_commits(const struct site *site, const struct site_found *found, size_t index)
{
	json_t *commits = json_array();

	for (size_t i = site_first_candidate(found, index); i <= index; i++) {
		const struct perun_minor_version *version = site->versions[i].info;
		char *subject = cli_subject(version->description);
		json_t *commit = json_object();

		json_object_set_new(commit, "version", cli_fact_text(version->checksum));
		json_object_set_new(commit, "subject", cli_fact_text(subject));
		json_array_append_new(commits, commit);
		perun_free(subject);
	}
	return commits;
}

static json_t *fact_change(const struct site *site, size_t s, size_t i)
{
	const struct site_strand *strand = &site->strands[s];
	const struct site_found *found = &site->found[s];
	const struct perun_change_point *point = &found->changes.points[i];
	char *command =
		perun_format("%s%s%s", strand->cmd, *strand->workload ? " " : "", strand->workload);
	json_t *fact = json_object();

	json_object_set_new(fact, "version",
			    cli_fact_text(site->versions[point->index].info->checksum));
	json_object_set_new(
		fact, "result",
		cli_fact_text(perun_result_name(perun_change_point_result(point, strand->higher))));
	json_object_set_new(fact, "metric", cli_fact_text(strand->metric));
	json_object_set_new(fact, "unit", cli_fact_text(strand->unit));
	json_object_set_new(fact, "command", cli_fact_text(command));
	json_object_set_new(fact, "location", cli_fact_text(strand->location));
	json_object_set_new(fact, "before", cli_fact_number(point->before));
	json_object_set_new(fact, "after", cli_fact_number(point->after));
	json_object_set_new(fact, "p", cli_fact_number(point->p));
	json_object_set_new(fact, "known", cli_fact_text(found->known[i]));
	json_object_set_new(fact, "commits", fact_commits(site, found, point->index));
	perun_free(command);
	return fact;
}

void site_print_facts(const struct site *site)
{
	json_t *document = json_object(), *changes = json_array();

	for (size_t s = 0; s < site->strand_count; s++) {
		for (size_t i = 0; i < site->found[s].changes.count; i++)
			json_array_append_new(changes, fact_change(site, s, i));
	}
	json_object_set_new(document, "directory", cli_fact_text(site->directory));
	json_object_set_new(document, "versions", json_integer((json_int_t)site->count));
	json_object_set_new(document, "changes", changes);
	cli_print_facts(document);
}
