/* SPDX-License-Identifier: BSD-3-Clause */
/* check [REV]: compares a version with the ones before it, prints what was found, and keeps it in the store. */
#include <stdio.h>

#include <perun/lib/compare.h>
#include <perun/lib/lookup.h>

static void print(const struct perun_findings *findings, size_t i)
{
	const struct perun_stored_change *item = &findings->items[i];
	const struct perun_change *change = item->change;
	const char *known = findings->known[i];

	printf("%s: %s %s, %s -> %s since %.8s ($ %s) by %s%s%s\n",
	       perun_result_words(change->result), change->metric, change->location,
	       change->from_baseline, change->to_target, item->minor, item->command, change->method,
	       known ? ", known: " : "", known ? known : "");
}

int main(int count, char **words)
{
	const struct perun_check_options options = {.struct_size = sizeof options};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_store *store = NULL;
	struct perun_checker *checker = NULL;
	struct perun_findings findings = {0};
	char *version = NULL;
	int status;

	if (!(status = perun_store_open(ctx, NULL, &store)) &&
	    !(status = perun_lookup_version(ctx, store, count > 1 ? words[1] : NULL, &version)) &&
	    !(status = perun_checker_new(ctx, store, &options, &checker)) &&
	    !(status = perun_check_version(checker, version, &findings)) &&
	    !(status = perun_findings_save(checker, version, &findings))) {
		for (size_t i = 0; i < findings.count; i++)
			print(&findings, i);
		printf("%zu compared, %zu without a change\n", findings.compared,
		       findings.unchanged);
	}
	if (!status && findings.nothing)
		status = perun_fail(ctx, PERUN_NOT_COMPARED, "nothing was compared");
	if (status)
		fprintf(stderr, "check: %s\n", perun_ctx_error(ctx));
	else if (perun_findings_fail(&findings))
		status = PERUN_DEGRADED;
	perun_findings_free(&findings);
	perun_checker_free(checker);
	perun_free(version);
	perun_store_close(store);
	perun_ctx_free(ctx);
	return status;
}
