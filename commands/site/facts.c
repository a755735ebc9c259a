/* SPDX-License-Identifier: BSD-3-Clause */
/* perun site --json: the changes that the site shows, as perun history and perun check say them. */
#include <config.h>

#include <perun/json.h>

#include "commands/common/output.h"
#include "site.h"

static struct perun_json *fact_commits(const struct site *site, const struct site_found *found,
				       size_t index)
{
	struct perun_json *commits = perun_json_array();

	for (size_t i = site_first_candidate(found, index); i <= index; i++) {
		const struct perun_minor_version *version = site->versions[i].info;
		char *subject = perun_version_subject(version);
		struct perun_json *commit = perun_json_object();

		perun_json_set(commit, "version", perun_json_text(version->checksum));
		perun_json_set(commit, "subject", perun_json_text(subject));
		perun_json_append(commits, commit);
		perun_free(subject);
	}
	return commits;
}

static struct perun_json *fact_change(const struct site *site, size_t s, size_t i)
{
	const struct site_strand *strand = &site->strands[s];
	const struct site_found *found = &site->found[s];
	const struct perun_change_point *point = &found->changes.points[i];
	char *command =
		perun_format("%s%s%s", strand->cmd, *strand->cmd && *strand->workload ? " " : "",
			     strand->workload);
	struct perun_json *fact = perun_json_object();

	perun_json_set(fact, "version",
		       perun_json_text(site->versions[point->index].info->checksum));
	perun_json_set(
		fact, "result",
		perun_json_text(perun_result_name(
			strand->undirected ? PERUN_RESULT_UNKNOWN
					   : perun_change_point_result(point, strand->higher))));
	perun_json_set(fact, "metric", perun_json_text(strand->metric));
	perun_json_set(fact, "unit", perun_json_text(strand->unit));
	perun_json_set(fact, "command", perun_json_text(command));
	perun_json_set(fact, "location", perun_json_text(strand->location));
	perun_json_set(fact, "before", commands_number(point->before));
	perun_json_set(fact, "after", commands_number(point->after));
	perun_json_set(fact, "p", commands_number(point->p));
	perun_json_set(fact, "known", commands_text(found->known[i]));
	perun_json_set(fact, "taken_back", commands_text(site_taken_back(site, found, i)));
	perun_json_set(fact, "commits", fact_commits(site, found, point->index));
	perun_free(command);
	return fact;
}

void site_print_facts(const struct site *site, const struct perun_command_call *call)
{
	struct perun_json *document = perun_json_object(), *changes = perun_json_array();

	for (size_t s = 0; s < site->strand_count; s++) {
		for (size_t i = 0; i < site->found[s].changes.count; i++)
			perun_json_append(changes, fact_change(site, s, i));
	}
	perun_json_set(document, "directory", perun_json_text(site->directory));
	perun_json_set(document, "versions", perun_json_int64((int64_t)site->count));
	perun_json_set(document, "changes", changes);
	commands_print_json(call, document);
}
