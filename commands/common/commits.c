/* SPDX-License-Identifier: BSD-3-Clause */
/* Commits in lines, each with the worst that was found of it. */
#include <config.h>

#include <string.h>

#include "commands/common/commits.h"

#define CHECKSUM_WIDTH 8

const struct commands_column commands_commit_columns[] = {{.name = "commit"},
							  {.name = "profiles"},
							  {.name = "subject", .cut = true},
							  {.name = "changes"},
							  {0}};

struct perun_stored_change *commands_news(const struct perun_stored_findings *stored, size_t *count)
{
	struct perun_stored_change *news =
		perun_alloc_zero(stored->changes.count + 1, sizeof *news);

	*count = 0;
	for (size_t i = 0; i < stored->changes.count; i++) {
		if (!stored->known[i])
			news[(*count)++] = *perun_stored_changes_at(&stored->changes, i);
	}
	return news;
}

/* "+" where something became faster, "-" where something became slower: what scripts look for at the end of a line. */
static void add_marks(struct commands_columns *list, const struct perun_stored_findings *stored)
{
	size_t count = stored->changes.count;
	struct perun_stored_change *news = count ? commands_news(stored, &count) : NULL;
	bool better = false, worse = false;

	for (size_t i = 0; i < count; i++) {
		better |= perun_result_is_optimization(news[i].change->result);
		worse |= perun_result_is_degradation(news[i].change->result);
	}
	perun_free(news);
	commands_columns_add(list,
			     better && worse ? "+-"
			     : better        ? "+"
			     : worse         ? "-"
					     : NULL,
			     worse ? VIEWS_RED : VIEWS_GREEN);
}

static void add_worst(struct commands_columns *list, const struct commands_screen *screen,
		      const struct perun_stored_findings *stored)
{
	size_t all, changed = 0, worst = 0;
	struct perun_stored_change *news = commands_news(stored, &all);
	size_t *order = perun_alloc_zero(all + 1, sizeof *order);
	size_t count = commands_order_changes(news, all, order);
	struct perun_buffer text = {0};

	for (size_t i = count; i-- > 0;) {
		const struct perun_change *change = news[order[i]].change;

		if (!perun_result_is_change(change->result) && !perun_change_is_failure(change))
			continue;
		worst = order[i];
		changed++;
	}
	if (changed) {
		const struct commands_change_line line = {.change = news[worst].change,
							  .command = news[worst].command,
							  .of = news[worst].command,
							  .indent = CHECKSUM_WIDTH + 2};

		commands_add_change_line(screen, &line, &text);
		if (changed > 1)
			perun_buffer_printf(&text, "%*s%zu more: perun log\n", CHECKSUM_WIDTH + 2,
					    "", changed - 1);
		commands_columns_add_lines(list, text.data);
	}
	perun_buffer_free(&text);
	perun_free(order);
	perun_free(news);
}

void commands_add_commit(struct commands_columns *list, const struct commands_screen *screen,
			 const struct perun_minor_version *version, const char *kinds,
			 const struct perun_stored_findings *stored)
{
	char *checksum = perun_strndup(version->checksum, CHECKSUM_WIDTH);
	char *subject = perun_strndup(version->description, strcspn(version->description, "\r\n"));

	commands_columns_add(list, checksum, VIEWS_YELLOW);
	commands_columns_add(list, kinds, VIEWS_PLAIN);
	commands_columns_add(list, subject, VIEWS_PLAIN);
	add_marks(list, stored);
	if (stored->changes.count) /* which few of many commits have */
		add_worst(list, screen, stored);
	perun_free(subject);
	perun_free(checksum);
}
