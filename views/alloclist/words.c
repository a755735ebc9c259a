/* SPDX-License-Identifier: BSD-3-Clause */
/* What all forms of the list say in words. */
#include <config.h>

#include <inttypes.h>
#include <math.h>

#include "alloclist.h"

static void add_total(const struct alloclist *list, struct perun_buffer *out, bool ascii)
{
	views_add_amount(out, list->amount, &list->allocations.unit, false, ascii);
	perun_buffer_add_text(out, " in all");
	if (list->amount != list->whole && list->whole > 0) {
		perun_buffer_add_text(out, ", ");
		views_add_share(out, list->amount / list->whole, false);
		perun_buffer_add_text(out, " of what was allocated");
	}
}

void alloclist_add_summary(const struct alloclist *list, struct perun_buffer *out, bool ascii)
{
	static const char *const kinds[] = {"", "largest ", "most frequent ", "costliest ",
					    "largest "};
	const bool samples =
		list->count != (double)(list->chosen_allocations -
					(list->mode == ALLOCLIST_ALL ? list->freed : 0));
	const char *things = list->grouped                 ? "places"
			     : samples                     ? "samples"
			     : list->mode == ALLOCLIST_ALL ? "records"
							   : "allocations";

	if (list->entry_count < list->chosen)
		perun_buffer_printf(
			out, list->mode == ALLOCLIST_ALL ? "the first %zu %sof " : "the %zu %sof ",
			list->entry_count, kinds[list->mode]);
	perun_buffer_printf(out, "%zu %.*s", list->chosen,
			    (int)strlen(things) - (list->chosen == 1), things);
	if (list->grouped || samples || list->mode == ALLOCLIST_ALL) {
		const struct perun_unit plain = perun_unit_of("");

		perun_buffer_add_text(out, ", ");
		views_add_amount(out, list->count, &plain, false, ascii);
		perun_buffer_printf(out, " allocation%s", list->count == 1 ? "" : "s");
	}
	perun_buffer_add_text(out, ", ");
	add_total(list, out, ascii);
	if (list->freed)
		perun_buffer_printf(out, "; freed %zu time%s%s", list->freed,
				    list->freed == 1 ? "" : "s",
				    list->mode == ALLOCLIST_ALL ? "" : " (not counted)");
}

void alloclist_add_place(struct perun_buffer *out, const struct views_frame *frame)
{
	if (!*frame->file)
		return;
	perun_buffer_add_text(out, frame->file);
	if (frame->line)
		perun_buffer_printf(out, ":%" PRId64, frame->line);
}

static void add_times(const struct alloclist *list, const struct alloclist_entry *entry,
		      struct perun_buffer *out)
{
	const struct perun_unit plain = perun_unit_of("");

	views_add_amount(out, entry->count, &plain, false, true);
	perun_buffer_printf(out, " allocation%s", entry->count == 1 ? "" : "s");
	if (entry->count == 1)
		return;
	perun_buffer_add_text(out, ", mean ");
	views_add_amount(out, entry->amount / entry->count, &list->allocations.unit, false, true);
	if (!list->grouped)
		return;
	perun_buffer_add_text(out, ", largest ");
	views_add_amount(out, entry->largest, &list->allocations.unit, false, true);
}

void alloclist_add_facts(const struct alloclist *list, const struct alloclist_entry *entry,
			 struct perun_buffer *out)
{
	const struct views_allocation *one = entry->first;

	if (list->grouped || one->count != 1) {
		add_times(list, entry, out);
		return;
	}
	perun_buffer_add_text(out, *one->kind ? one->kind : "1 allocation");
	if (one->has_address)
		perun_buffer_printf(out, " at 0x%" PRIx64, one->address);
	if (!isnan(one->time) || list->allocations.timed) {
		perun_buffer_printf(out, ", snapshot %" PRId64, one->snapshot);
		if (!isnan(one->time)) {
			const struct perun_unit seconds = perun_unit_of("s");

			perun_buffer_add_text(out, " at ");
			views_add_amount(out, one->time, &seconds, false, true);
		}
	}
}
