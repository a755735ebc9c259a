/* SPDX-License-Identifier: BSD-3-Clause */
/* Which commits may be a change: a version that was not measured cannot be acquitted. */
#include <perun/lib/lookup.h>

#include "between.h"

/* Lines of a range; the rest is a number. */
#define MAX_LINES 10

struct perun_between *commands_between(struct perun_ctx *ctx, struct perun_store *store,
				       const struct perun_history *history,
				       const struct perun_strand *strand, size_t index)
{
	const struct perun_version_line *line = perun_history_line(history);
	size_t base = perun_last_measured_before(strand, index);
	struct perun_between *between = NULL;
	struct perun_vcs *vcs;
	bool merges = false;

	for (size_t i = base + 1; i <= index; i++)
		merges |= perun_version_line_version(line, i)->parent_count > 1;
	if (!merges)
		return NULL;
	if (perun_store_vcs(ctx, store, &vcs) ||
	    perun_between_load(ctx, vcs, perun_version_line_version(line, base)->checksum,
			       perun_version_line_version(line, index)->checksum, &between)) {
		perun_ctx_clear(ctx);
		return NULL;
	}
	return between;
}

static bool are_measured(struct perun_ctx *ctx, struct perun_store *store,
			 const struct perun_between *between)
{
	bool measured = false;

	for (size_t i = 1; !measured && i < perun_between_count(between); i++)
		measured =
			perun_store_has_index(ctx, store, perun_between_at(between, i)->checksum);
	return measured;
}

void commands_add_commits(const struct perun_minor_version *const *versions, size_t count,
			  bool measured, struct perun_buffer *text)
{
	if (count < 2)
		return;
	perun_buffer_printf(text, "one of these %zu commits%s:\n", count,
			    measured ? "" : "; only the last one was measured");
	for (size_t i = 0; i < count; i++) {
		char *subject, *safe;

		/* The oldest ones, and the one that was measured. */
		if (count > MAX_LINES && i == MAX_LINES - 1) {
			perun_buffer_printf(text, "  ... %zu more\n", count - 1 - i);
			i = count - 1;
		}
		subject = perun_version_subject(versions[i]);
		safe = perun_printable(subject);
		perun_buffer_printf(text, "  %.8s %s\n", versions[i]->checksum, safe);
		perun_free(safe);
		perun_free(subject);
	}
}

static void add_noted(const struct perun_between *between,
		      const struct commands_between_notes *notes, struct perun_buffer *text)
{
	perun_buffer_printf(text, "changed by these of the %zu commits:\n", notes->count);
	for (size_t i = notes->count; i-- > 0;) {
		const struct perun_minor_version *version = perun_between_at(between, i);
		char *subject, *safe, *names;

		if (!notes->texts[i])
			continue;
		subject = perun_version_subject(version);
		safe = perun_printable(subject);
		names = perun_printable(notes->texts[i]);
		perun_buffer_printf(text, "  %.8s %s (%s)\n", version->checksum, safe, names);
		perun_free(names);
		perun_free(safe);
		perun_free(subject);
	}
}

void commands_add_compared(struct perun_ctx *ctx, struct perun_store *store,
			   const struct perun_between *between,
			   const struct commands_between_notes *notes, struct perun_buffer *text)
{
	if (notes->any)
		add_noted(between, notes, text);
	if (!notes->any || !notes->all)
		commands_add_between(ctx, store, between, text);
}

void commands_add_between(struct perun_ctx *ctx, struct perun_store *store,
			  const struct perun_between *between, struct perun_buffer *text)
{
	size_t count = perun_between_count(between);
	const struct perun_minor_version **versions = perun_alloc_zero(count + 1, sizeof *versions);

	for (size_t i = 0; i < count; i++)
		versions[i] = perun_between_at(between, count - 1 - i);
	commands_add_commits(versions, count, are_measured(ctx, store, between), text);
	perun_free((void *)versions);
}
