/* SPDX-License-Identifier: BSD-3-Clause */
/* What perun check prints of versions: changes, in one line what is undecided, in one what is not. */
#include <config.h>

#include <stdio.h>

#include "cli/print/findings.h"
#include "cli/print/listing.h"
#include "commands/common/more-runs.h"

void cli_add_findings(struct cli *cli, const struct cli_call *call, const char *version,
		      const char *subject, const struct perun_findings *findings,
		      struct perun_buffer *text)
{
	bool explain = cli_flag(call, "explain");
	const struct cli_change_list list = {.items = findings->items,
					     .count = findings->count,
					     .known = findings->known,
					     .known_count = findings->known_count,
					     .version = version,
					     .subject = subject,
					     .alone = findings->pairs == 1,
					     .explain = explain,
					     .all = explain || cli_flag(call, "unchanged")};

	cli_add_changes(cli, &list, text);
}

void cli_print_methods(const struct perun_checker *checker, const char *command)
{
	const char *method, *origin;

	fputs("judged by ", stdout);
	for (size_t i = 0; (method = perun_checker_method(checker, i, &origin)); i++) {
		printf("%s%s", i ? ", " : "", method);
		if (origin)
			printf(" (named by %s)", origin);
	}
	if (command && *command) {
		fputs(": $ ", stdout);
		cli_print_safe(command);
	}
	putchar('\n');
}

void cli_print_runs(size_t runs, const char *runs_by, const char *busy)
{
	static const char *const words[] = {"", "once", "twice", "three times"};

	if (runs && runs < 4)
		printf("measured %s: 10 runs or more would show smaller changes (%s)\n",
		       words[runs], commands_more_runs(runs_by ? runs_by : ""));
	if (busy)
		printf("the machine was busy (%s): an idle one would show smaller changes\n", busy);
}

void cli_print_unchanged(size_t unchanged, double excluded)
{
	struct perun_buffer text = {0};

	if (!unchanged)
		return;
	perun_buffer_printf(&text, "no change in %zu metric%s", unchanged,
			    unchanged == 1 ? "" : "s");
	if (excluded > 0)
		perun_buffer_printf(&text, ", changes above %.2g %% excluded", 100 * excluded);
	puts(text.data);
	perun_buffer_free(&text);
}

void cli_print_unpaired(const struct perun_findings *findings, const char *base, const char *head)
{
	for (size_t i = 0; i < findings->unpaired_count; i++) {
		const struct perun_unpaired *unpaired = &findings->unpaired[i];
		bool is_new = unpaired->result == PERUN_RESULT_NOT_IN_BASELINE;

		fputs("not compared: ", stdout);
		cli_print_safe(unpaired->what);
		if (base)
			printf(": not measured at %.8s\n", is_new ? base : head);
		else
			puts(is_new ? ": not measured before" : ": measured before, not now");
	}
}

void cli_print_compared(struct cli *cli, const struct perun_checker *checker,
			const struct perun_findings *findings)
{
	struct cli_change_counts counts = {0};

	cli_count_changes(findings->items, findings->count, findings->known, findings->known_count,
			  &counts);
	cli_print_unchanged(findings->unchanged, findings->excluded);
	if (counts.better || counts.worse || counts.known ||
	    (findings->compared && !findings->unchanged && !findings->count))
		cli_print_change_summary(cli, &counts);
	cli_print_runs(findings->runs, findings->runs_by, findings->busy);
	if (findings->compared)
		cli_print_methods(checker, findings->pairs == 1 ? findings->judged[0] : NULL);
}
