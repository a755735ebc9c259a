/* SPDX-License-Identifier: BSD-3-Clause */
/* What a check of a whole history finds of each version, and keeps. */
#include <string.h>

#include "core/compare/check-history.h"
#include "core/store/changes.h"
#include "perun/lib/advice.h"

static int keep_version(void *data, const struct perun_minor_version *version)
{
	struct history_run *run = data;

	perun_roots_note(&run->roots, version);
	PERUN_GROW(run->versions, run->count, run->capacity);
	run->versions[run->count++] = perun_minor_version_copy(version);
	return PERUN_OK;
}

/* ---- storing --------------------------------------------------------------------------------- */

static int save_unsaved(struct history_run *run)
{
	struct perun_version_changes versions[MAX_UNSAVED];
	int status = PERUN_OK;

	for (size_t i = 0; i < run->unsaved_count; i++)
		versions[i] = (struct perun_version_changes){
			run->unsaved[i].version, run->unsaved[i].changes, run->unsaved[i].count,
			run->unsaved[i].findings.judged, run->unsaved[i].findings.judged_count};
	if (run->unsaved_count)
		status = perun_store_save_all_changes(run->checker->ctx, run->checker->store,
						      versions, run->unsaved_count);
	for (size_t i = 0; i < run->unsaved_count; i++) {
		perun_free(run->unsaved[i].version);
		perun_free(run->unsaved[i].changes);
		perun_findings_free(&run->unsaved[i].findings);
	}
	run->unsaved_count = 0;
	return status;
}

static int keep_findings(struct history_run *run, const struct perun_minor_version *version,
			 struct perun_findings *findings)
{
	struct unsaved *unsaved = &run->unsaved[run->unsaved_count];
	const struct perun_stored_change **changes =
		perun_alloc_zero(findings->count + 1, sizeof *changes);
	size_t count = 0;

	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i].change->result != PERUN_RESULT_NO_CHANGE)
			changes[count++] = &findings->items[i];
	}
	if (!count && !findings->judged_count) {
		perun_free(changes);
		return PERUN_OK;
	}
	*unsaved = (struct unsaved){perun_strdup(version->checksum), *findings, changes, count};
	*findings = (struct perun_findings){0};
	run->unsaved_count++;
	return run->unsaved_count == MAX_UNSAVED ? save_unsaved(run) : PERUN_OK;
}

int history_run_take(struct history_run *run, const struct perun_minor_version *version,
		     struct perun_findings *findings)
{
	int status = findings_know(run->checker, version->checksum, findings);

	if (!status)
		status = run->visit(run->data, version, findings);
	if (!status)
		check_strands_add_undecided(&run->strands, findings);
	return status ? status : keep_findings(run, version, findings);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Methods of the caller, or rules for some profiles, compare versions by pairs. */
static bool compares_pairs(const struct perun_checker *checker)
{
	for (size_t i = 0; i < checker->strategies.count; i++) {
		if (!checker->history || !check_rule_is_by_history(&checker->strategies.rules[i]))
			return true;
	}
	return false;
}

static int check_versions(struct history_run *run, const char *head)
{
	int status = PERUN_OK;

	if (run->checker->history)
		status = check_strands_load(run->checker, head, &run->strands);
	if (!status && compares_pairs(run->checker))
		return history_run_pairs(run);
	for (size_t i = 0; !status && i < run->count; i++) {
		struct perun_findings *findings =
			check_strands_of(&run->strands, run->versions[i]->checksum);

		if (findings)
			status = history_run_take(run, run->versions[i], findings);
	}
	return status;
}

/* Histories are of first parents: say how many measured versions are beside them. */
static void report_merged(const struct history_run *run)
{
	const struct perun_version_line *line = perun_history_line(run->strands.history);
	size_t measured = 0, next = perun_version_line_count(line);

	for (size_t i = 0; i < run->count; i++) {
		const char *version = run->versions[i]->checksum;

		if (next > 0 &&
		    strcmp(perun_version_line_version(line, next - 1)->checksum, version) == 0)
			next--;
		else
			measured += perun_store_has_index(run->checker->ctx, run->checker->store,
							  version);
	}
	if (measured)
		perun_note(run->checker->ctx,
			   "%zu measured %s on branches that were merged: histories follow first "
			   "parents%s",
			   measured, measured == 1 ? "version is" : "versions are",
			   perun_advice(PERUN_ADVICE_CHECK_VERSION));
}

int perun_check_history(struct perun_checker *checker, const char *head, perun_check_visit *visit,
			void *data, struct perun_history_findings *found)
{
	struct history_run run = {.checker = checker, .visit = visit, .data = data, .found = found};
	struct perun_vcs *vcs;
	int status = perun_store_vcs(checker->ctx, checker->store, &vcs), saved;

	*found = (struct perun_history_findings){.struct_size = sizeof *found};
	run.strands.counts = found;
	checker->history = !checker->given;
	if (!status)
		status = perun_vcs_walk_minor_versions(checker->ctx, vcs, head, keep_version, &run);
	if (!status)
		status = check_versions(&run, head);
	checker->history = false;
	saved = save_unsaved(&run);
	status = status ? status : saved;
	if (!status)
		perun_roots_report(checker->ctx, vcs, &run.roots);
	if (!status && !checker->given) {
		report_merged(&run);
		perun_history_note_moved(checker->ctx, run.strands.history);
	}
	perun_roots_free(&run.roots);
	check_strands_free(&run.strands);
	for (size_t i = 0; i < run.count; i++)
		perun_minor_version_free(run.versions[i]);
	perun_free(run.versions);
	return status;
}
