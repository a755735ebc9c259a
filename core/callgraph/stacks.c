/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of a profile: which are left, and what is left of their stacks. */
#include <string.h>

#include "core/callgraph/stacks.h"

/* "stack", or the first column of stacks. */
static const struct perun_column *find_stacks(const struct perun_table *table)
{
	const struct perun_column *column = perun_table_column(table, "stack");

	if (column && perun_column_info(column)->type == PERUN_TYPE_STACK)
		return column;
	for (size_t i = 0; i < perun_table_columns(table); i++) {
		column = perun_table_column_at(table, i);
		if (perun_column_info(column)->type == PERUN_TYPE_STACK)
			return column;
	}
	return NULL;
}

/* The table "calls", if it is one. */
static const struct perun_table *find_calls(const struct perun_profile *profile)
{
	static const char *const names[] = {"caller", "callee"};
	const struct perun_table *calls = perun_profile_table(profile, "calls");

	for (size_t i = 0; i < 2 && calls; i++) {
		const struct perun_column *column = perun_table_column(calls, names[i]);

		if (!column || perun_column_info(column)->type != PERUN_TYPE_STACK)
			return NULL;
	}
	return calls;
}

int perun_stacks_new(struct perun_ctx *ctx, struct perun_profile *profile,
		     struct perun_stacks **out)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *column = find_stacks(table);
	const struct perun_column *labels = perun_table_column(table, "labels");
	struct perun_stacks *stacks;

	*out = NULL;
	if (!column)
		return perun_fail(ctx, PERUN_INPUT,
				  "the profile has no stacks: no column of \"resources\" holds "
				  "them");
	stacks = perun_alloc_zero(1, sizeof *stacks);
	stacks->profile = perun_profile_ref(profile);
	stacks->column = column;
	if (labels && perun_column_info(labels)->type == PERUN_TYPE_LABELS)
		stacks->labels = labels;
	stacks->calls = find_calls(profile);
	stacks->rows = perun_table_rows(table);
	stacks->stack_count = perun_profile_stacks(profile);
	stacks->location_count = perun_profile_locations(profile);
	*out = stacks;
	return PERUN_OK;
}

void perun_stacks_free(struct perun_stacks *stacks)
{
	if (!stacks)
		return;
	for (size_t i = 0; stacks->lines && i < stacks->location_count; i++) {
		if (stacks->lines[i].owned)
			perun_free((void *)stacks->lines[i].lines);
	}
	perun_free(stacks->lines);
	perun_free(stacks->cuts);
	perun_free(stacks->kept);
	perun_stacks_forget_paths(stacks);
	perun_free(stacks->sums);
	perun_free(stacks->live);
	perun_profile_unref(stacks->profile);
	perun_free(stacks);
}

struct perun_profile *perun_stacks_profile(const struct perun_stacks *stacks)
{
	return stacks->profile;
}

const struct perun_column *perun_stacks_column(const struct perun_stacks *stacks)
{
	return stacks->column;
}

/* ---- what is left ----------------------------------------------------------------------------- */

bool perun_stacks_cut(const struct perun_stacks *stacks, perun_id stack, size_t *first, size_t *end)
{
	if (stacks->cuts) {
		*first = stacks->cuts[stack].first;
		*end = stacks->cuts[stack].end;
		return *first != PERUN_CUT_DROPPED;
	}
	*first = 0;
	*end = perun_profile_stack_length(stacks->profile, stack);
	return true;
}

struct perun_cut *perun_stacks_own_cuts(struct perun_stacks *stacks)
{
	perun_stacks_forget_paths(stacks);
	if (stacks->cuts)
		return stacks->cuts;
	stacks->cuts = perun_alloc_zero(stacks->stack_count + 1, sizeof *stacks->cuts);
	for (size_t i = 0; i < stacks->stack_count; i++)
		stacks->cuts[i].end =
			(uint32_t)perun_profile_stack_length(stacks->profile, (perun_id)i);
	return stacks->cuts;
}

struct perun_left_lines *perun_stacks_own_lines(struct perun_stacks *stacks)
{
	if (stacks->lines)
		return stacks->lines;
	stacks->lines = perun_alloc_zero(stacks->location_count + 1, sizeof *stacks->lines);
	for (size_t i = 0; i < stacks->location_count; i++) {
		const struct perun_location *location =
			perun_profile_location(stacks->profile, (perun_id)i);

		stacks->lines[i].lines = location->lines;
		stacks->lines[i].count = location->line_count;
	}
	return stacks->lines;
}

void perun_stacks_set_lines(struct perun_stacks *stacks, perun_id location,
			    const struct perun_line *lines, size_t count, bool owned)
{
	struct perun_left_lines *left = &perun_stacks_own_lines(stacks)[location];
	const struct perun_line *old = left->owned ? left->lines : NULL;

	if (old && !owned) { /* it may be a part of what is freed */
		lines = perun_memdup(lines, count * sizeof *lines);
		owned = true;
	}
	left->lines = lines;
	left->count = (uint32_t)count;
	left->owned = owned;
	perun_free((void *)old);
}

static uint64_t *own_rows(struct perun_stacks *stacks)
{
	size_t words = stacks->rows / 64 + 1;

	if (stacks->kept)
		return stacks->kept;
	stacks->kept = perun_alloc(words * sizeof *stacks->kept);
	memset(stacks->kept, 0xff, words * sizeof *stacks->kept);
	return stacks->kept;
}

bool perun_stacks_row(const struct perun_stacks *stacks, size_t row, perun_id *stack, size_t *first,
		      size_t *end)
{
	if (row >= stacks->rows || (stacks->kept && !perun_bit(stacks->kept, row)))
		return false;
	*stack = perun_column_id(stacks->column, row);
	return *stack != PERUN_NO_ID && perun_stacks_cut(stacks, *stack, first, end);
}

const struct perun_line *perun_stacks_lines_of(const struct perun_stacks *stacks, perun_id id,
					       const struct perun_location *location, size_t *count)
{
	/* What represents a location of which no line is known. */
	static const struct perun_line nameless = {.function = PERUN_NO_ID};

	if (perun_stacks_hidden(stacks, id)) {
		*count = 0;
		return NULL;
	}
	if (stacks->lines && stacks->lines[id].count) {
		*count = stacks->lines[id].count;
		return stacks->lines[id].lines;
	}
	if (stacks->lines || !location || location->line_count == 0) {
		*count = 1;
		return &nameless;
	}
	*count = location->line_count;
	return location->lines;
}

const struct perun_line *perun_stacks_lines(const struct perun_stacks *stacks, perun_id location,
					    size_t *count)
{
	return perun_stacks_lines_of(stacks, location,
				     perun_profile_location(stacks->profile, location), count);
}

/* ---- rows ------------------------------------------------------------------------------------- */

void perun_stacks_filter_labels(struct perun_stacks *stacks, bool (*keep)(void *, perun_id),
				void *data)
{
	size_t sets = perun_profile_label_sets(stacks->profile);
	uint64_t *kept = own_rows(stacks);
	/* 0: not asked yet, 1: keep, 2: drop; the last is for rows without labels. */
	uint8_t *answers = perun_alloc_zero(sets + 1, 1);
	struct perun_span span = {.count = stacks->rows};
	int64_t *block = perun_alloc(PERUN_SPAN_ROWS * sizeof *block);

	for (size_t row = 0; row < stacks->rows; row = span.first + span.count) {
		if (stacks->labels && !perun_column_span_copy(stacks->labels, row, &span, block))
			break;
		for (size_t i = 0; i < span.count; i++) {
			size_t at = span.first + i;
			perun_id set = stacks->labels ? span.ids[i] : PERUN_NO_ID;
			uint8_t *answer = &answers[set < sets ? set : sets];

			if (!perun_bit(kept, at))
				continue;
			if (*answer == 0)
				*answer = keep(data, set < sets ? set : PERUN_NO_ID) ? 1 : 2;
			if (*answer == 2)
				kept[at / 64] &= ~(UINT64_C(1) << at % 64);
		}
	}
	perun_free(block);
	perun_free(answers);
}

void perun_stacks_filter_rows(struct perun_stacks *stacks, const uint64_t *rows)
{
	uint64_t *kept = own_rows(stacks);

	for (size_t i = 0; i < (stacks->rows + 63) / 64; i++)
		kept[i] &= rows[i];
}
