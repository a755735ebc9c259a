/* SPDX-License-Identifier: BSD-3-Clause */
/* What perun check prints of two versions: changes, in one line what is undecided, in one what is not. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "cli/check-run.h"

/* So many undecided strands are named in the line. */
#define MAX_NAMED 3

static const char *metric_of(const struct perun_change *change)
{
	return change->metric && *change->metric ? change->metric : change->type;
}

static void add_undecided(const struct perun_stored_change *const *items, size_t count,
			  struct perun_buffer *text)
{
	perun_buffer_printf(text, "undecided: %zu metric%s (", count, count == 1 ? "" : "s");
	for (size_t i = 0; i < count && i < MAX_NAMED; i++) {
		char *location = perun_printable(items[i]->change.location);
		char *metric = perun_printable(metric_of(&items[i]->change));

		perun_buffer_printf(text, "%s%s%s%s", i ? ", " : "", location, *location ? " " : "",
				    metric);
		perun_free(metric);
		perun_free(location);
	}
	perun_buffer_printf(text, "%s): more runs would settle it, --explain says how many\n",
			    count > MAX_NAMED ? ", ..." : "");
}

void cli_add_findings(struct cli *cli, const struct cli_call *call,
		      const struct perun_findings *findings, struct perun_buffer *text)
{
	bool all = cli_flag(call, "explain") || cli_flag(call, "unchanged");
	struct perun_stored_change *told = perun_alloc_zero(findings->count + 1, sizeof *told);
	const struct perun_stored_change **open =
		perun_alloc_zero(findings->count + 1, sizeof(void *));
	size_t count = 0, undecided = 0;

	for (size_t i = 0; i < findings->count; i++) {
		if (!all && findings->items[i].change.result == PERUN_RESULT_INCONCLUSIVE)
			open[undecided++] = &findings->items[i];
		else
			told[count++] = findings->items[i];
	}
	cli_add_change_list(cli, told, count, text);
	if (undecided)
		add_undecided(open, undecided, text);
	perun_free((void *)open);
	perun_free(told);
}

/* "shift", or "average-amount-threshold (named by the store's local.yml)". */
static void print_methods(const struct perun_checker *checker)
{
	const char *method, *origin;

	fputs("judged by ", stdout);
	for (size_t i = 0; (method = perun_checker_method(checker, i, &origin)); i++) {
		printf("%s%s", i ? ", " : "", method);
		if (origin)
			printf(" (named by %s)", origin);
	}
	putchar('\n');
}

void cli_print_compared(const struct perun_checker *checker, const struct perun_findings *findings)
{
	size_t unchanged = findings->unchanged;

	if (unchanged)
		printf("no change in %zu metric%s\n", unchanged, unchanged == 1 ? "" : "s");
	if (findings->compared)
		print_methods(checker);
}
