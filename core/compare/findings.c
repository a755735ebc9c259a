/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found about a version: kept, known already or news, stored. */
#include <math.h>
#include <string.h>

#include <perun/lib/registry.h>

#include "core/compare/checker.h"
#include "core/history/thresholds.h"
#include "core/profile/pool.h"
#include "core/store/changes.h"

void perun_findings_free(struct perun_findings *findings)
{
	for (size_t i = 0; i < findings->report_count; i++)
		perun_report_free(findings->reports[i]);
	for (size_t i = 0; i < findings->text_count; i++)
		perun_free(findings->texts[i]);
	for (size_t i = 0; i < findings->known_count; i++)
		perun_free(findings->known[i]);
	for (size_t i = 0; i < findings->unpaired_count; i++)
		perun_free(findings->unpaired[i].what);
	perun_free(findings->unpaired);
	perun_free(findings->known);
	perun_free((void *)findings->judged);
	perun_pool_unref(findings->judged_names);
	perun_free(findings->items);
	perun_free(findings->reports);
	perun_free(findings->texts);
	perun_free(findings->difference);
	perun_free(findings->unmeasured);
	*findings = (struct perun_findings){0};
}

bool perun_finding_fails(const struct perun_findings *findings, size_t i)
{
	return perun_result_fails(findings->items[i].change->result) &&
	       !(i < findings->known_count && findings->known[i]);
}

bool perun_findings_fail(const struct perun_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		if (perun_finding_fails(findings, i))
			return true;
	}
	return false;
}

const char *findings_keep(struct perun_findings *findings, char *text)
{
	PERUN_GROW(findings->texts, findings->text_count, findings->text_capacity);
	return findings->texts[findings->text_count++] = text;
}

void findings_judged(struct perun_findings *findings, const char *command)
{
	perun_id id;

	if (!findings->judged_names)
		findings->judged_names = perun_pool_new(true);
	id = perun_pool_add(&findings->judged_names, command, strlen(command));
	if (id < findings->judged_count)
		return;
	PERUN_GROW(findings->judged, findings->judged_count, findings->judged_capacity);
	findings->judged[findings->judged_count++] =
		perun_pool_at(findings->judged_names, id, NULL);
}

struct perun_report *findings_report(struct perun_findings *findings)
{
	PERUN_GROW(findings->reports, findings->report_count, findings->report_capacity);
	return findings->reports[findings->report_count++] = perun_report_new();
}

void findings_join(struct perun_findings *findings, struct perun_findings *others)
{
	for (size_t i = 0; i < others->judged_count; i++)
		findings_judged(findings, others->judged[i]);
	for (size_t i = 0; i < others->count; i++) {
		PERUN_GROW(findings->items, findings->count, findings->capacity);
		findings->items[findings->count++] = others->items[i];
	}
	for (size_t i = 0; i < others->report_count; i++) {
		PERUN_GROW(findings->reports, findings->report_count, findings->report_capacity);
		findings->reports[findings->report_count++] = others->reports[i];
	}
	for (size_t i = 0; i < others->text_count; i++)
		findings_keep(findings, others->texts[i]);
	others->report_count = others->text_count = 0;
	findings->compared += others->compared;
	findings->unchanged += others->unchanged;
	findings->excluded = fmax(findings->excluded, others->excluded);
	if (others->runs && (!findings->runs || others->runs < findings->runs)) {
		findings->runs = others->runs;
		findings->runs_by = others->runs_by;
	}
	findings->busy = others->busy ? others->busy : findings->busy;
	if (!findings->reason)
		findings->reason = others->reason;
	perun_findings_free(others);
}

void findings_unpaired(struct perun_findings *findings, const struct perun_entry *entry,
		       enum perun_result result)
{
	const char *args = entry->args ? entry->args : "";
	const char *cmd = *entry->cmd ? entry->cmd : "no command";
	char *what = perun_format("%s%s%s%s%s (%s, by %s)", cmd, *args ? " " : "", args,
				  *entry->workload ? " " : "", entry->workload, entry->type,
				  entry->collector);

	for (size_t i = 0; i < findings->unpaired_count; i++) {
		if (findings->unpaired[i].result == result &&
		    strcmp(findings->unpaired[i].what, what) == 0) {
			perun_free(what);
			return;
		}
	}
	PERUN_GROW(findings->unpaired, findings->unpaired_count, findings->unpaired_capacity);
	findings->unpaired[findings->unpaired_count++] = (struct perun_unpaired){result, what};
}

/* ---- what is known --------------------------------------------------------------------------- */

/* The versions that may be a change; those of the last two are kept. */
static int load_between(struct perun_checker *checker, const char *base, const char *head)
{
	struct perun_vcs *vcs;
	int status;

	if (perun_between_is(checker->between, base, head))
		return PERUN_OK;
	perun_between_free(checker->between);
	checker->between = NULL;
	status = perun_store_vcs(checker->ctx, checker->store, &vcs);
	return status ? status
		      : perun_between_load(checker->ctx, vcs, base, head, &checker->between);
}

/* Whether a benchmark may change by that much, and by what is not excluded. */
static bool is_within(const struct perun_change *change, double threshold)
{
	if (perun_result_is_change(change->result))
		return fabs(change->rate - 1) < threshold;
	return change->result == PERUN_RESULT_INCONCLUSIVE && change->low < change->high &&
	       fmax(-change->low, change->high) < threshold;
}

/* Changes that their benchmarks may have count as none. */
static void drop_small(const struct perun_checker *checker, struct perun_findings *findings)
{
	size_t kept = findings->known_count;

	for (size_t i = kept; i < findings->count; i++) {
		const struct perun_stored_change *item = &findings->items[i];
		const struct perun_change *change = item->change;
		double threshold =
			perun_threshold_of(checker->thresholds, change->location, item->command);

		if (threshold > 0 && change->rate > 0 && is_within(change, threshold) &&
		    perun_check_has_quotients(checker->ctx, change->method))
			findings->unchanged++;
		else
			findings->items[kept++] = *item;
	}
	findings->count = kept;
}

int findings_know(struct perun_checker *checker, const char *minor, struct perun_findings *findings)
{
	int status = PERUN_OK;

	drop_small(checker, findings);
	findings->known =
		perun_realloc_array(findings->known, findings->count + 1, sizeof *findings->known);
	for (size_t i = findings->known_count; i < findings->count; i++)
		findings->known[i] = NULL;
	for (size_t i = findings->known_count; !status && i < findings->count; i++) {
		const struct perun_stored_change *item = &findings->items[i];

		if (!perun_result_is_change(item->change->result))
			continue;
		if (!checker->known)
			status = perun_acknowledgements_load(checker->ctx, checker->store,
							     &checker->known);
		if (!status)
			status = load_between(checker, item->minor, minor);
		if (!status)
			findings->known[i] = perun_acknowledged_between(
				checker->known, checker->between, item->change);
	}
	findings->known_count = findings->count;
	return status;
}

/* ---- storing --------------------------------------------------------------------------------- */

int perun_findings_save(struct perun_checker *checker, const char *version,
			const struct perun_findings *findings)
{
	const struct perun_stored_change **changes =
		perun_alloc_zero(findings->count + 1, sizeof *changes);
	struct perun_version_changes all = {version, changes, 0, findings->judged,
					    findings->judged_count};
	int status = PERUN_OK;

	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i].change->result != PERUN_RESULT_NO_CHANGE)
			changes[all.count++] = &findings->items[i];
	}
	if (*version && (all.count || all.judged_count))
		status = perun_store_save_all_changes(checker->ctx, checker->store, &all, 1);
	perun_free(changes);
	return status;
}
