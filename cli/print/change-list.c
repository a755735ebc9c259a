/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of performance as lists and summaries. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/listing.h"

struct commands_screen cli_screen(const struct cli *cli)
{
	return (struct commands_screen){.color = cli->color,
					.unicode = cli_has_unicode(),
					.width = commands_line_width(cli->terminal, cli->width)};
}

/* Marks and counts leave severe and total ones out in the Python program; here they count. */
static void count_changes(const struct perun_stored_change *changes, size_t count, size_t *better,
			  size_t *worse)
{
	*better = *worse = 0;
	for (size_t i = 0; i < count; i++) {
		*better += perun_result_is_optimization(changes[i].change->result);
		*worse += perun_result_is_degradation(changes[i].change->result);
	}
}

size_t cli_change_marks(const struct perun_stored_change *changes, size_t count,
			struct perun_buffer *marks)
{
	size_t better, worse;

	count_changes(changes, count, &better, &worse);
	for (size_t i = 0; i < better; i++)
		perun_buffer_add_char(marks, '+');
	for (size_t i = 0; i < worse; i++)
		perun_buffer_add_char(marks, '-');
	return better + worse;
}

void cli_count_changes(const struct perun_stored_change *changes, size_t count, char *const *known,
		       size_t known_count, struct cli_change_counts *counts)
{
	size_t *order = perun_alloc_zero(count + 1, sizeof *order);
	size_t shown = commands_order_changes(changes, count, order);

	for (size_t i = 0; i < shown; i++) {
		const struct perun_change *change = changes[order[i]].change;

		if (order[i] < known_count && known[order[i]]) {
			counts->known++;
		} else {
			counts->better += perun_result_is_optimization(change->result);
			counts->worse += perun_result_is_degradation(change->result);
		}
		counts->any |= change->result != PERUN_RESULT_NO_CHANGE &&
			       change->result != PERUN_RESULT_INCONCLUSIVE;
		counts->untimed |=
			perun_result_is_change(change->result) && !perun_change_is_timed(change);
	}
	perun_free(order);
}

void cli_print_change_summary(struct cli *cli, const struct cli_change_counts *counts)
{
	size_t better = counts->better, worse = counts->worse;

	if (!counts->any) {
		puts("no changes found");
		return;
	}
	printf("%s%zu %s%s, %s%zu %s%s", worse ? cli_color(cli, CLI_RED) : "", worse,
	       counts->untimed ? "worse" : "slower", worse ? cli_color_end(cli) : "",
	       better ? cli_color(cli, CLI_GREEN) : "", better,
	       counts->untimed ? "better" : "faster", better ? cli_color_end(cli) : "");
	if (counts->known)
		printf(", %zu known change%s", counts->known, counts->known == 1 ? "" : "s");
	putchar('\n');
}

/* ---- the list -------------------------------------------------------------------------------- */

void cli_add_changes(struct cli *cli, const struct cli_change_list *list, struct perun_buffer *text)
{
	size_t *order = perun_alloc_zero(list->count + 1, sizeof *order), undecided = 0;
	size_t counted[COMMANDS_CHANGE_KINDS] = {0};
	size_t count = commands_order_changes(list->items, list->count, order);
	const struct perun_change *unknown = NULL;
	const struct commands_screen screen = cli_screen(cli);

	for (size_t i = 0; i < count; i++) {
		const struct perun_stored_change *item = &list->items[order[i]];
		const struct perun_change *change = item->change;
		struct commands_change_line line = {
			.change = change,
			.version = list->version,
			.subject = list->subject,
			.command = list->alone ? NULL : item->command,
			.of = item->command,
			.known = order[i] < list->known_count ? list->known[order[i]] : NULL};

		if (change->result == PERUN_RESULT_NO_CHANGE && !list->all)
			continue;
		if (change->result == PERUN_RESULT_INCONCLUSIVE && !list->all) {
			order[undecided++] = order[i]; /* those before it are printed */
			continue;
		}
		if (!list->all && commands_leave_out(change, counted))
			continue;
		if (change->result == PERUN_RESULT_UNKNOWN && change->metric && *change->metric &&
		    !perun_change_is_failure(change))
			unknown = change;
		commands_add_change_line(&screen, &line, text);
		commands_add_intervals(&screen, change, text);
		if (list->explain)
			commands_add_explanation(&screen, change, text);
	}
	commands_add_left_out(counted, text);
	if (undecided)
		commands_add_undecided(&screen, list->subject ? list->version : NULL, list->items,
				       order, undecided, text);
	if (unknown)
		commands_add_direction(unknown, text);
	if (list->stored)
		commands_add_methods(list->items, list->count, text);
	perun_free(order);
}
